// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "diag.h"
#include "opts.h"
#include "tx.h"

int main(int argc, char **argv)
{
	struct opts o;
	int ret = opts_parse(&o, argc, argv);

	if (ret)
		return ret;
	if (o.help || o.cmd == CMD_HELP) {
		opts_help(stdout, o.help && o.cmd != CMD_RX ? o.cmd : CMD_HELP);
		return EX_PASS;
	}
	switch (o.cmd) {
	case CMD_TX:
		return cmd_tx(&o);
	case CMD_PROBE:
		return cmd_probe(&o);
	default:
		return cmd_rx(&o);
	}
}
