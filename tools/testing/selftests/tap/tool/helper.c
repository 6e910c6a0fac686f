// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests of the tool need and no shell has:
 *
 *	tool-helper attach IFNAME NAME		XDP program NAME until a signal comes
 *	tool-helper inject IFNAME MAC SEQ right|wrong	a frame of the tool's flow
 *	tool-helper dropcap CAP COMMAND...	without one capability
 *	tool-helper memlock BYTES COMMAND...	with a limit of locked memory
 *	tool-helper nobody COMMAND...		as uid and gid 65534
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../xdp_hw_metadata/netdev.h"
#include "../../xdp_hw_metadata/packet.h"

static int die(const char *what)
{
	fprintf(stderr, "tool-helper: %s: %s\n", what, strerror(errno));
	return 1;
}

static int attach(const char *ifname, const char *name)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", pass, 2, NULL);

	if (prog < 0)
		return die("load");
	if (bpf_link_create(prog, if_nametoindex(ifname), BPF_XDP, &opts) < 0)
		return die("attach");
	puts("attached");
	fflush(stdout);
	pause();
	return 0;
}

static int inject(const char *ifname, const char *mac, const char *seq, const char *how)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET };
	struct flow f = { .sport = 9092, .dport = 9091 };
	struct netdev_info dev;
	__u8 frame[128];
	int fd;

	if (netdev_info(ifname, &dev) ||
	    sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &f.dmac[0], &f.dmac[1], &f.dmac[2],
		   &f.dmac[3], &f.dmac[4], &f.dmac[5]) != 6)
		return die("arguments");
	memcpy(f.smac, dev.mac, 6);
	memcpy(f.src, "\xc0\0\2\1", 4);
	memcpy(f.dst, "\xc0\0\2\2", 4);
	packet_build(&f, frame, sizeof(frame), strtoull(seq, NULL, 10),
		     strcmp(how, "right") ? FILL_PSEUDO : FILL_FULL);
	ll.sll_ifindex = dev.ifindex;
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&ll, sizeof(ll)) < 0)
		return die("send");
	return 0;
}

static int dropcap(const char *name)
{
	static const struct {
		const char *name;
		int cap;
	} caps[] = {
		{ "NET_RAW", CAP_NET_RAW }, { "NET_ADMIN", CAP_NET_ADMIN }, { "BPF", CAP_BPF },
		{ "IPC_LOCK", CAP_IPC_LOCK }, { "SYS_ADMIN", CAP_SYS_ADMIN },
	};
	size_t i;

	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		if (!strcmp(caps[i].name, name))
			return prctl(PR_CAPBSET_DROP, caps[i].cap);
	errno = EINVAL;
	return -1;
}

int main(int argc, char **argv)
{
	char **cmd = argv + 2;

	if (argc == 4 && !strcmp(argv[1], "attach"))
		return attach(argv[2], argv[3]);
	if (argc == 6 && !strcmp(argv[1], "inject"))
		return inject(argv[2], argv[3], argv[4], argv[5]);
	if (argc > 3 && !strcmp(argv[1], "dropcap")) {
		/* root gets at exec what the bounding set has left */
		if (dropcap(argv[2]))
			return die(argv[2]);
		cmd = argv + 3;
	} else if (argc > 3 && !strcmp(argv[1], "memlock")) {
		rlim_t max = strtoul(argv[2], NULL, 10);

		if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ max, max }))
			return die("setrlimit");
		cmd = argv + 3;
	} else if (argc > 2 && !strcmp(argv[1], "nobody")) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			return die("setuid");
	} else {
		fprintf(stderr, "tool-helper: see the head of its source\n");
		return 2;
	}
	execvp(cmd[0], cmd);
	return die(cmd[0]);
}
