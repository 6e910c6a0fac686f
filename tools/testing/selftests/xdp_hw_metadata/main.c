// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "diag.h"
#include "opts.h"
#include "tx.h"

static int command(const struct opts *o)
{
	if (o->help || o->cmd == CMD_HELP) {
		opts_help(stdout, o->help && o->cmd != CMD_RX ? o->cmd : CMD_HELP);
		return EX_PASS;
	}
	switch (o->cmd) {
	case CMD_TX:
		return cmd_tx(o);
	case CMD_PROBE:
		return cmd_probe(o);
	default:
		return cmd_rx(o);
	}
}

int main(int argc, char **argv)
{
	struct opts o;
	int ret = opts_parse(&o, argc, argv);

	if (ret)
		return ret;
	ret = command(&o);
	/* A verdict that nobody can read is none. */
	if ((fflush(stdout) || ferror(stdout)) && ret == EX_PASS)
		ret = diag_error(o.ifname, EX_FAIL, "see what stdout is", "stdout cannot be written");
	return ret;
}
