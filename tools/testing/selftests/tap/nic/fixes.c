// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of the unpatched stmmac driver, each with the patch that ends it. On the
 * unpatched kernel they fail, or take the kernel down: BASE_FAULTS=1 shows them, by
 * name if any are given.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "md.h"

static unsigned long seq = 80000000;

/* The peer's way to us without ARP, which a program may swallow. */
static void peer_knows_us(void)
{
	uint8_t mac[6];

	nic_mac(nic_if, mac);
	nic_peer_sh("ip neigh replace 192.0.2.1 lladdr %02x:%02x:%02x:%02x:%02x:%02x dev %s",
		    mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], nic_peer);
}

static void peer_forgets_us(void)
{
	nic_peer_sh("ip neigh del 192.0.2.1 dev %s", nic_peer);
}

/* "Keep the per-CPU statistics when the interface comes up" */
static void stats_pointer(void)
{
	long long before, after;
	pid_t busy[4];

	if (nic_sh("tc qdisc replace dev %s root handle 100: mqprio num_tc 8 map 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0 queues 1@0 1@1 1@2 1@3 1@4 1@5 1@6 1@7 hw 0 && tc qdisc add dev %s ingress && tc filter add dev %s parent ffff: protocol 802.1Q flower skip_sw vlan_prio 5 hw_tc 5",
		   nic_if, nic_if, nic_if))
		tap_bail("no steering by VLAN priority");
	before = nic_stat(nic_if, "q5_rx_irq_n");
	nic_sh("ip link add link %s name vl5 type vlan id 5 && ip addr add 198.51.100.1/24 dev vl5 && ip link set vl5 up",
	       nic_if);
	nic_peer_sh("ip link add link %s name vl5 type vlan id 5 egress-qos-map 0:5 && ip netns exec peer ip addr add 198.51.100.2/24 dev vl5 && ip netns exec peer ip link set vl5 up",
		    nic_peer);
	/* Who is interrupted should have a stack frame with a canary in it. */
	for (int i = 0; i < 4; i++) {
		busy[i] = fork();
		if (!busy[i])
			for (char buf[512]; ; ) {
				int fd = open("/proc/self/status", O_RDONLY);

				if (read(fd, buf, sizeof(buf)) < 0)
					_exit(1);
				close(fd);
			}
	}
	tap_ok(!nic_peer_sh("ping -q -c 200 -i 0.01 -W 10 198.51.100.1"),
	       "receive queue 5 interrupts and the kernel lives");
	for (int i = 0; i < 4; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	after = nic_stat(nic_if, "q5_rx_irq_n");
	tap_ok(after > before, "... and counts it (%lld)", after - before);
	nic_sh("ip link del vl5; tc qdisc del dev %s ingress; tc qdisc del dev %s root", nic_if, nic_if);
	nic_peer_sh("ip link del vl5");
}

/* "Don't take a used up zero-copy TX budget for a huge one" */
static void budget(void)
{
	struct md_frame *f = md_frames(600, seq);
	uint64_t first = UINT64_MAX, last = 0;
	struct md_sock m;

	/* No interrupt by count, and a timer that is easily told from polling. */
	nic_sh("ethtool -C %s tx-frames 0 tx-usecs 100000", nic_if);
	if (md_open(&m, 0, 1024, 0, 0))
		tap_bail("no zero-copy socket");
	truth_mark();
	for (size_t i = 0; i < 600; i++)
		md_put(&m, &f[i]);
	uxsk_kick(&m.x);
	tap_is(truth_wait("a", seq, 600, 3000), 600, "600 frames leave after one kick");
	for (size_t i = 0; i < 600; i++) {
		const struct truth *t = truth_find("a", seq + i);

		if (!t)
			continue;
		first = t->egress_ns < first ? t->egress_ns : first;
		last = t->egress_ns > last ? t->egress_ns : last;
	}
	tap_ok(last - first < 80000000, "... without waiting for the timer (%llu us)",
	       (unsigned long long)(last - first) / 1000);
	seq += 600;
	md_close(&m);
	free(f);
	nic_sh("ethtool -C %s tx-frames 25 tx-usecs 1000", nic_if);
}

/* "Don't poll for the carrier in zero-copy TX" */
static void carrier(void)
{
	struct md_frame *f = md_frames(1, seq++);
	long long before, polls;
	struct md_sock m;

	if (md_open(&m, 0, 64, 0, 0))
		tap_bail("no zero-copy socket");
	/* The timer that looks after frames which the dead link holds up. */
	nic_sh("ethtool -C %s tx-usecs 100000", nic_if);
	nic_ctl("fault a hold queue=0");
	md_put(&m, f);
	uxsk_kick(&m.x);
	usleep(50000);
	nic_ctl("link a down");
	for (int i = 0; i < 5000 && nic_wait_carrier(0); i++)
		usleep(1000);
	nic_ctl("clear a");
	usleep(100000);
	before = nic_stat(nic_if, "napi_poll");
	usleep(500000);
	polls = nic_stat(nic_if, "napi_poll") - before;
	nic_ctl("link a up");
	nic_sh("ethtool -C %s tx-usecs 1000", nic_if);
	tap_ok(polls < 100, "without a carrier the queue is not polled (%lld times)", polls);
	tap_ok(nic_works(), "... and the link works again");
	md_close(&m);
	free(f);
}

/* "Let AF_XDP sockets bind without a carrier" */
static void bind_down(void)
{
	struct md_frame *f = md_frames(20, seq);
	struct md_sock m;
	int err;

	nic_ctl("link a down");
	for (int i = 0; i < 5000 && nic_wait_carrier(0); i++)
		usleep(1000);
	err = md_open(&m, 0, 64, 0, 0);
	tap_is(err, 0, "a socket binds without a carrier");
	nic_ctl("link a up");
	nic_wait_carrier(10000);
	if (!err && xsk_ring_prod__needs_wakeup(&m.x.fill))
		uxsk_kick(&m.x);
	tap_ok(nic_works(), "... and the link works again");
	if (!err) {
		tap_is(md_run(&m, f, 20, 20, 5000), 20, "... and the socket sends");
		md_close(&m);
	}
	seq += 20;
	free(f);
}

/* Sends to an address, as fast as that goes, until killed. */
static pid_t flood(const char *to)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(9) };
	pid_t pid;

	inet_pton(AF_INET, to, &sin.sin_addr);
	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	for (int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); ; )
		sendto(s, "frame", 5, 0, (void *)&sin, sizeof(sin));
}

/* "Keep senders away from a TX ring that goes" */
static void rings(void)
{
	unsigned long n = tap_rounds(200) < 10 ? 10 : tap_rounds(200);
	pid_t stack, redirected;
	struct md_sock m;
	int peer, xdp;

	/* All of it on queue 0. */
	nic_sh("ethtool -L %s rx 1 tx 1", nic_if);
	nic_sh("ip link add md0 type veth peer name md1 && ip link set md0 up && ip link set md1 up && ip addr add 198.51.100.1/24 dev md1 && ip neigh replace 198.51.100.2 lladdr 02:00:00:00:00:02 dev md1");
	nic_sh("ip neigh replace 192.0.2.3 lladdr 02:00:00:00:00:03 dev %s", nic_if);
	peer = nic_xdp_redirect("md0", nic_if);
	stack = flood("192.0.2.3");
	redirected = flood("198.51.100.2");
	for (unsigned long i = 0; i < n; i++) {
		xdp = nic_xdp_pass(nic_if);
		for (int k = 0; k < 3; k++) {
			if (md_open(&m, 0, 64, 0, 0))
				tap_bail("no zero-copy socket");
			md_close(&m);
		}
		if (i % 4 == 3)
			nic_sh("ip link set %s down; ip link set %s up; ip neigh replace 192.0.2.3 lladdr 02:00:00:00:00:03 dev %s",
			       nic_if, nic_if, nic_if);
		close(xdp);
	}
	kill(stack, SIGKILL);
	kill(redirected, SIGKILL);
	waitpid(stack, NULL, 0);
	waitpid(redirected, NULL, 0);
	close(peer);
	nic_sh("ip link del md0; ip neigh del 192.0.2.3 dev %s; ethtool -L %s rx %u tx %u", nic_if,
	       nic_if, nic->queues, nic->queues);
	tap_ok(nic_works(), "rings go and come under traffic, %lu times: the link works", n);
}

/* "Send XDP frames with tx-frames 0 without dividing by it" */
static void coalesce(void)
{
	int xdp;

	nic_sh("ethtool -C %s tx-frames 0 tx-usecs 1000", nic_if);
	xdp = nic_xdp_tx(nic_if);
	nic_wait_carrier(5000);
	nic_peer_sh("ping -q -c 5 -i 0.1 -W 1 192.0.2.1 >/dev/null || true");
	close(xdp);
	nic_sh("ethtool -C %s tx-frames 25 tx-usecs 1000", nic_if);
	tap_ok(nic_works(), "XDP_TX with tx-frames 0");
}

/* "Complete an AF_XDP frame once" */
static void once(void)
{
	struct md_frame *f = md_frames(200, seq);
	struct md_sock m;

	if (md_open(&m, 0, 512, 0, 0))
		tap_bail("no zero-copy socket");
	tap_is(md_run(&m, f, 200, 200, 5000), 200, "200 frames complete");
	nic_sh("ip link set %s down", nic_if);
	usleep(50000);
	md_reap(&m);
	md_reap(&m);
	tap_is(m.strays, 0, "ifdown completes no address again");
	nic_sh("ip link set %s up", nic_if);
	tap_ok(nic_works(), "... and the link works again");
	md_close(&m);
	seq += 200;
	free(f);
}

/* "Keep the AF_XDP pool of a TX queue across a TX error" */
static void tx_error(void)
{
	struct md_frame *f = md_frames(40, seq);
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct md_stats before;
	struct md_sock m;

	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	/* The unpatched driver knows no requests. */
	if (md_open(&m, 0, 64, nic_patched ? MD_LEN : 0, 0))
		tap_bail("no zero-copy socket");
	if (nic_patched)
		md_stats(&before);
	for (int i = 0; i < 40; i++) {
		f[i].option = nic_patched;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	nic_ctl("fault a hold queue=0");
	for (int i = 0; i < 20; i++)
		md_put(&m, &f[i]);
	uxsk_kick(&m.x);
	usleep(50000);
	nic_ctl("model a bus-error 0");
	nic_ctl("clear a");
	for (int i = 0; i < 1000; i++) {
		md_reap(&m);
		usleep(1000);
	}
	tap_is(md_run(&m, f + 20, 20, 20, 5000), 20, "after a bus error the queue sends again");
	tap_is(m.strays, 0, "... and completes nothing twice");
	if (nic_patched) {
		tap_is(md_since(&before).flushed, 20, "... and the requests in flight are flushed");
		md_sum_holds(&before, "...");
	}
	md_close(&m);
	close(s);
	seq += 40;
	free(f);
}

/* "Restart a TX channel outside of the interrupt" */
static void tx_error_xdp(void)
{
	int xdp = nic_xdp_tx(nic_if);
	uint64_t back;

	nic_wait_carrier(5000);
	peer_knows_us();
	/* Frames of the page pool wait in the ring when the error strikes. */
	nic_ctl("fault a hold");
	nic_peer_sh("ping -q -c 20 -i 0.01 -W 1 192.0.2.1 >/dev/null || true");
	for (unsigned int q = 0; q < nic->queues; q++)
		nic_ctl("model a bus-error %u", q);
	nic_ctl("clear a");
	usleep(200000);
	back = nic_model_stat("a", "tx_frames");
	nic_peer_sh("ping -q -c 20 -i 0.01 -W 1 192.0.2.1 >/dev/null || true");
	tap_ok(nic_model_stat("a", "tx_frames") >= back + 15,
	       "after a bus error with XDP_TX in flight frames go back again");
	peer_forgets_us();
	close(xdp);
	tap_ok(nic_works(), "... and the link works again");
}

/* "Name each Intel MDIO bus after its PCI function" */
static void bus_id(void)
{
	char slot[64] = "";
	FILE *f = popen("ip netns exec peer ethtool -i $PEER | sed -n 's/^bus-info: //p'", "re");
	bool up;

	if (f && fgets(slot, sizeof(slot), f))
		slot[strcspn(slot, "\n")] = 0;
	pclose(f);
	/* Port B with the data of port A's device ID, which has a fixed number. */
	up = !nic_sh("set -e; cd /sys/bus/pci/drivers/%s; data=$(sed -n 's/ d ehl_rgmii1g_info.*//p' /proc/kallsyms); echo %s >unbind; echo 8086 4ba0 ffffffff ffffffff 0 0 $data >new_id; [ -d %s ] || echo %s >bind; [ -d %s/net ]",
		     nic->pci_driver, slot, slot, slot, slot);
	tap_ok(up, "two functions with one device ID's data");
	nic_sh("cd /sys/bus/pci/drivers/%s; echo 8086 4ba0 >remove_id; [ ! -d %s ] || echo %s >unbind; echo %s >bind; sleep 0.5; name=$(ls %s/net); ip link set $name netns peer; ip netns exec peer ip addr add 192.0.2.2/24 dev $name; ip netns exec peer ip addr add 2001:db8::2/64 dev $name; ip netns exec peer ip link set $name up",
	       nic->pci_driver, slot, slot, slot, slot);
	tap_ok(nic_works(), "... and back");
}

/* @n frames from the peer, without a look at what becomes of them. */
static void flood_peer(unsigned int n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int peer = nic_peer_socket(AF_INET, SOCK_DGRAM, 0);

	peer_knows_us();
	inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
	for (unsigned int i = 0; i < n; i++) {
		sendto(peer, "frame", 5, 0, (void *)&to, sizeof(to));
		usleep(500);
	}
	close(peer);
	peer_forgets_us();
}

/* Receives @n frames that the peer sends, one at a time; gives buffers back. */
static unsigned int receive(struct uxsk *x, unsigned int n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int peer = nic_peer_socket(AF_INET, SOCK_DGRAM, 0);
	unsigned int got = 0;

	/* The socket takes ARP, too. */
	peer_knows_us();
	inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
	for (unsigned int i = 0; i < n; i++) {
		if (sendto(peer, "frame", 5, 0, (void *)&to, sizeof(to)) < 0)
			tap_bail("sendto: %s", strerror(errno));
		for (int k = 0; k < 200; k++) {
			struct pollfd p = { .fd = x->fd, .events = POLLIN };
			__u32 at, slot;

			poll(&p, 1, 5);
			if (!xsk_ring_cons__peek(&x->rx, 1, &at))
				continue;
			got++;
			if (xsk_ring_prod__reserve(&x->fill, 1, &slot)) {
				*xsk_ring_prod__fill_addr(&x->fill, slot) =
					xsk_ring_cons__rx_desc(&x->rx, at)->addr &
					~(__u64)(x->chunk_size - 1);
				xsk_ring_prod__submit(&x->fill, 1);
			}
			xsk_ring_cons__release(&x->rx, 1);
			break;
		}
	}
	close(peer);
	peer_forgets_us();
	return got;
}

/* "Let a zero-copy RX ring start with any number of buffers" */
static void ring_dry(unsigned int at_bind)
{
	struct uxsk_cfg cfg = {
		.chunks = 128, .fill = 128, .comp = 64, .rx = 128, .tx = 64,
		.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP,
	};
	int map, xdp = nic_xdp_xsk(nic_if, &map), err;
	struct uxsk x;

	nic_wait_carrier(5000);
	/* Socket and bind apart, so that the fill ring can be filled between. */
	err = uxsk_open(&x, &cfg);
	if (err)
		tap_bail("socket: %s: %s", x.step, strerror(-err));
	uxsk_fill(&x, 64, at_bind);
	err = uxsk_bind(x.fd, nic_if, 0, cfg.bind_flags, -1);
	if (err)
		tap_bail("bind: %s", strerror(-err));
	nic_xsk_add(map, 0, x.fd);
	usleep(100000);
	uxsk_fill(&x, 72, 32);
	tap_ok(receive(&x, 40) >= 36, "%u buffers at the bind, more later: the queue receives", at_bind);
	uxsk_close(&x);
	close(xdp);
	close(map);
	nic_wait_carrier(5000);
}

/*
 * No buffer comes back for a while: the ring runs dry, and goes on by itself when
 * there are buffers again. Without need_wakeup nobody has to call.
 */
static void dry(void)
{
	struct uxsk_cfg cfg = {
		.chunks = 128, .fill = 128, .comp = 64, .rx = 128, .tx = 64,
		.bind_flags = XDP_ZEROCOPY, .ifname = nic_if,
	};
	int map, xdp = nic_xdp_xsk(nic_if, &map), err;
	struct uxsk x;
	__u32 slot, n;

	nic_wait_carrier(5000);
	err = uxsk_open(&x, &cfg);
	if (err)
		tap_bail("socket: %s: %s", x.step, strerror(-err));
	nic_xsk_add(map, 0, x.fd);
	uxsk_fill(&x, 0, 40);
	/* More than there are buffers for; none of them is taken. */
	flood_peer(150);
	usleep(500000);
	n = xsk_ring_cons__peek(&x.rx, 128, &slot);
	tap_ok(n >= 16, "40 buffers: frames arrive until they are used up (%u)", n);
	xsk_ring_cons__release(&x.rx, n);
	uxsk_fill(&x, 64, 40);
	usleep(200000);
	flood_peer(60);
	usleep(200000);
	n = xsk_ring_cons__peek(&x.rx, 128, &slot);
	tap_ok(n >= 16, "... and again when there are more, without a call (%u)", n);
	uxsk_close(&x);
	close(xdp);
	close(map);
	tap_ok(nic_works(), "... and the link works again");
}

static void start_empty(void)
{
	ring_dry(0);
}

static void start_short(void)
{
	ring_dry(5);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool xdp;	/* with a program that passes */
} cases[] = {
	{ "start_empty", start_empty, false },
	{ "start_short", start_short, false },
	{ "dry", dry, false },
	{ "budget", budget, true },
	{ "carrier", carrier, true },
	{ "bind_down", bind_down, true },
	{ "once", once, true },
	{ "tx_error", tx_error, true },
	{ "tx_error_xdp", tx_error_xdp, false },
	{ "bus_id", bus_id, false },
	{ "coalesce", coalesce, false },
	{ "rings", rings, false },
	{ "stats_pointer", stats_pointer, false },
};

int main(int argc, char **argv)
{
	nic_init();
	if (strcmp(nic->name, "stmmac") || (!nic_patched && !getenv("BASE_FAULTS"))) {
		puts("TAP version 13\n1..0 # SKIP for the patched stmmac driver");
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool wanted = argc < 2;
		int xdp = -1;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], cases[i].name);
		if (!wanted)
			continue;
		if (cases[i].xdp) {
			xdp = nic_xdp_pass(nic_if);
			nic_wait_carrier(5000);
		}
		cases[i].run();
		if (cases[i].xdp)
			close(xdp);
	}
	return tap_done();
}
