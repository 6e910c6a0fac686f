/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line: one table of options fills one typed struct. Help text
 * and the checks of ranges and of options that exclude each other come from
 * the same table.
 */
#ifndef OPTS_H
#define OPTS_H

#include <linux/types.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>

enum opt_cmd {
	CMD_RX,			/* without a subcommand: mainline's syntax */
	CMD_TX,
	CMD_PROBE,
	CMD_HELP,
};

enum opt_mode { MODE_AUTO, MODE_COPY, MODE_ZEROCOPY };

enum opt_ip { IP_V4, IP_V6 };

struct opts {
	enum opt_cmd cmd;
	const char *ifname;
	__u32 queue;
	__u64 count;		/* frames */
	__u32 size;		/* bytes from the Ethernet header on, without FCS */
	__u64 rate;		/* frames a second, 0: as fast as possible */
	__u32 batch;		/* frames handed over at once */
	__u32 every;		/* a stamp is asked for on each Nth frame */
	__u32 port;		/* UDP destination port */
	__u64 launch;		/* ns that a frame's launch time lies ahead, 0: none */
	bool csum;
	bool timestamp;
	bool sw_csum;
	bool wrong_pseudo;	/* a fault on purpose: the verdict has to see it */
	bool rx_only;		/* mainline's -r: no replies */
	bool help;
	int mode;		/* enum opt_mode */
	int ip;			/* enum opt_ip */
	bool has_dst_mac;
	__u8 dst_mac[6];
	const char *peer;	/* interface, NULL: none */
	char peer_netns[256];	/* "": the namespace that the tool runs in */
	const char *json;
	const char *frames;
};

/*
 * Fills @o from argv. 0, or EX_START after one line on stderr. With o->help
 * set or cmd CMD_HELP nothing else is to be relied upon.
 */
int opts_parse(struct opts *o, int argc, char **argv);

/* The help text of one command; CMD_HELP: of all. */
void opts_help(FILE *f, enum opt_cmd cmd);

#endif /* OPTS_H */
