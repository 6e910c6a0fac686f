// SPDX-License-Identifier: GPL-2.0
/*
 * Two sockets on one UMEM and one queue, in generic mode, receive on two CPUs at
 * once: they take from one fill ring, and each address must come to one of them,
 * once (case G2). Meanwhile one of them sends with metadata from the same UMEM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "core.h"
#include "xdp.h"

#define RX_CHUNKS	512
#define TX_CHUNKS	32
#define FRAME		100

enum { USER, KERNEL };

static atomic_bool stop;
static atomic_ullong sent;
static _Atomic int failed;

static void restore(void)
{
	net_try("ip link del rxsa 2>/dev/null");
}

/* What a CPU sends into a veth, the same CPU receives at the other end. */
static void *sender(void *cpu)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = if_nametoindex("rxsb"),
	};
	struct pkt p = { .payload = FRAME };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	__u8 buf[PKT_MAX];

	core_stay_on_cpu((uintptr_t)cpu);
	pkt_build(&p, buf);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		failed = errno;
	while (!stop && !failed)
		if (send(fd, buf, p.len, 0) == p.len)
			sent++;
	close(fd);
	return NULL;
}

static void give(struct uxsk *x, const __u64 *addrs, unsigned int n)
{
	__u64 end = uxsk_now_ns() + TIMEOUT_MS * 1000000ULL;
	__u32 idx, i;

	if (!n)
		return;
	/* The kernel shows a frame first, then that its entry here is free. */
	while (xsk_ring_prod__reserve(&x->fill, n, &idx) != n)
		if (uxsk_now_ns() > end)
			tap_bail("the fill ring stays full");
	for (i = 0; i < n; i++)
		*xsk_ring_prod__fill_addr(&x->fill, idx + i) = addrs[i];
	xsk_ring_prod__submit(&x->fill, n);
}

/* Takes all of a socket's frames; *bad counts those that were not the kernel's. */
static unsigned int take(struct uxsk *x, __u8 *owner, __u64 *addrs, unsigned int *bad)
{
	__u32 idx, i, n = xsk_ring_cons__peek(&x->rx, 64, &idx), good = 0;

	for (i = 0; i < n; i++) {
		__u64 addr = xsk_ring_cons__rx_desc(&x->rx, idx + i)->addr;
		__u64 chunk = addr / x->chunk_size;

		if (chunk >= RX_CHUNKS || owner[chunk] != KERNEL) {
			if (!(*bad)++)
				tap_diag("address %llu came and was not the kernel's", addr);
			continue;
		}
		owner[chunk] = USER;
		addrs[good++] = chunk * x->chunk_size;
	}
	xsk_ring_cons__release(&x->rx, n);
	return good;
}

/* One frame out and back from the chunks behind the receiver's. */
static void transmit(struct uxsk *x, __u8 *tx_owner, unsigned int *bad, unsigned int *completed)
{
	__u64 addrs[TX_CHUNKS];
	unsigned int i, n;

	for (i = 0; i < TX_CHUNKS; i++) {
		struct pkt p = { .payload = FRAME };
		__u64 addr;

		if (tx_owner[i] == KERNEL)
			continue;
		addr = core_frame(x, RX_CHUNKS + i, &p);
		core_request(x, addr, META_TS | META_CSUM, &p);
		core_put(x, addr, p.len, META_TX);
		tx_owner[i] = KERNEL;
	}
	uxsk_kick(x);
	n = uxsk_reap(x, addrs, TX_CHUNKS);
	for (i = 0; i < n; i++) {
		__u64 chunk = addrs[i] / x->chunk_size - RX_CHUNKS;

		if (chunk >= TX_CHUNKS || tx_owner[chunk] != KERNEL ||
		    !uxsk_meta(x, addrs[i])->completion.tx_timestamp)
			(*bad)++;
		else
			tx_owner[chunk] = USER;
	}
	*completed += n;
}

static void flood(struct uxsk *a, struct uxsk *b, unsigned long want)
{
	__u8 owner[RX_CHUNKS] = {}, tx_owner[TX_CHUNKS] = {};
	unsigned long got[2] = {};
	unsigned int bad = 0, bad_tx = 0, completed = 0, i;
	unsigned int j, n, kernels = 0;
	__u64 addrs[RX_CHUNKS], end = uxsk_now_ns() + 300000000000ULL;
	pthread_t thread[2];

	for (i = 0; i < RX_CHUNKS; i++) {
		addrs[i] = (__u64)i * a->chunk_size;
		owner[i] = KERNEL;
	}
	give(a, addrs, RX_CHUNKS);
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, sender, (void *)(uintptr_t)i))
			tap_bail("no thread");
	while (got[0] + got[1] < want && !bad && !failed && uxsk_now_ns() < end) {
		for (i = 0; i < 2; i++) {
			n = take(i ? b : a, owner, addrs, &bad);
			got[i] += n;
			for (j = 0; j < n; j++)
				owner[addrs[j] / a->chunk_size] = KERNEL;
			give(a, addrs, n);
		}
		transmit(a, tx_owner, &bad_tx, &completed);
	}
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	tap_diag("%llu sent, %lu and %lu received, %u completed", (unsigned long long)sent, got[0],
		 got[1], completed);
	tap_is(failed, 0, "both senders run");
	tap_ok(got[0] + got[1] >= want, "%lu frames are received", want);
	tap_ok(got[0] && got[1], "on both CPUs, by both sockets");
	tap_is(bad, 0, "each address of the fill ring goes to one socket, once");
	tap_ok(completed && !bad_tx, "what is sent meanwhile completes once, with its stamp");
	/* Nothing may be lost either: all that is not received is still to be filled. */
	while (take(a, owner, addrs, &bad) || take(b, owner, addrs, &bad))
		;
	for (i = 0; i < RX_CHUNKS; i++)
		kernels += owner[i] == KERNEL;
	tap_is(*a->fill.producer - *a->fill.consumer, kernels, "and none is lost");
}

int main(void)
{
	struct uxsk_cfg cfg = {
		.chunks = RX_CHUNKS + TX_CHUNKS, .fill = RX_CHUNKS, .comp = TX_CHUNKS,
		.rx = RX_CHUNKS, .tx = TX_CHUNKS, .ifname = "rxsa", .bind_flags = XDP_COPY,
		.tx_metadata_len = 24, .umem_flags = XDP_UMEM_TX_METADATA_LEN,
	};
	struct uxsk_cfg second = {
		.rx = RX_CHUNKS, .ifname = "rxsa",
	};
	struct uxsk a, b;
	int map, link, err;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		tap_bail("two CPUs are needed, set CPUS=2");
	restore();
	atexit(restore);
	net_sh("ip link add rxsa numtxqueues 1 numrxqueues 1 type veth "
	       "peer name rxsb numtxqueues 1 numrxqueues 1 && "
	       "for i in rxsa rxsb; do "
	       "echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; ip link set $i up; done");
	map = xdp_map(BPF_MAP_TYPE_XSKMAP, 2);

	const struct bpf_insn prog[] = {
		XDP_CALL(BPF_FUNC_get_smp_processor_id),
		XDP_AND(BPF_REG_0, 1),
		XDP_MOV_REG(BPF_REG_2, BPF_REG_0),
		XDP_LOAD_MAP(BPF_REG_1, map),
		XDP_MOV(BPF_REG_3, XDP_DROP),
		XDP_CALL(BPF_FUNC_redirect_map),
		XDP_EXIT(),
	};

	core_open(&a, &cfg);
	err = uxsk_open_shared(&b, &second, &a);
	if (err)
		tap_bail("second socket: %s: %s", b.step, strerror(-err));
	if (xdp_map_set(map, 0, a.fd) || xdp_map_set(map, 1, b.fd))
		tap_bail("XSKMAP: %s", strerror(errno));
	link = xdp_attach("rxsa", prog, ARRAY_SIZE(prog), XDP_FLAGS_SKB_MODE);
	flood(&a, &b, tap_rounds(200000));
	close(link);
	uxsk_close(&b);
	uxsk_close(&a);
	return tap_done();
}
