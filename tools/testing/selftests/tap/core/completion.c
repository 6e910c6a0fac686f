// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: each frame's address exactly once, whatever the rings'
 * sizes, the mode of waking up, and the number of sockets that share the UMEM.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "core.h"

static struct core core;
static __u64 seq;

static const __u64 ask[] = { 0, META_TS, META_CSUM, META_TS | META_CSUM };

/* Frame in chunk @i that asks for something or other. */
static __u64 some_frame(struct uxsk *x, __u32 i, struct pkt *p, unsigned int what)
{
	__u64 addr;

	*p = (struct pkt){ .payload = 20 + what % 64, .seq = ++seq, .v6 = what & 8 };
	addr = core_frame(x, i, p);
	core_request(x, addr, ask[what % 4], p);
	return addr;
}

/* Frames in random batches; every chunk goes out again when it came back. */
static void random_batches(unsigned long total, __u32 umem_flags)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	unsigned long sent = 0, back = 0, wrong = 0;
	bool busy[64] = {};
	__u64 end = uxsk_now_ns() + 60000000000ULL, addrs[64];
	unsigned int n, i, next = 0;
	struct uxsk x;
	int ret;

	cfg.umem_flags |= umem_flags;
	core_open(&x, &cfg);
	while (back < total && uxsk_now_ns() < end) {
		for (n = core_random() % 48; n && sent < total; n--) {
			struct pkt p;
			__u64 addr;

			for (i = 0; i < 64 && busy[next]; i++)
				next = (next + 7) % 64;
			if (busy[next])
				break;
			addr = some_frame(&x, next, &p, core_random());
			if (uxsk_put(&x, addr, p.len, core_random() & META_TX))
				break;
			busy[next] = true;
			sent++;
		}
		ret = uxsk_kick(&x);
		if (ret && ret != -EAGAIN && ret != -EBUSY && ret != -ENOBUFS)
			tap_bail("send: %s", strerror(-ret));
		n = uxsk_reap(&x, addrs, 64);
		for (i = 0; i < n; i++) {
			__u64 chunk = addrs[i] / x.chunk_size;

			if (chunk >= 64 || !busy[chunk] || addrs[i] != uxsk_addr(&x, chunk))
				wrong++;
			else
				busy[chunk] = false;
		}
		back += n;
	}
	wrong += uxsk_drain(&x, NULL, 1, QUIET_MS, NULL);
	tap_is(back, total, "%lu frames in random batches: all complete", total);
	tap_is(wrong, 0, "none twice, no other address");
	tap_is(core_invalid(&x), 0, "none is invalid");
	uxsk_close(&x);
}

/* A full TX ring that nobody kicked: the flag shows, one sequence drains it. */
static void full_ring(__u32 comp)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	unsigned int i, n = 0, kicks;
	__u64 addrs[256], sum = 0, want = 0, end;
	struct uxsk x;
	struct pkt p;
	int ret = -EAGAIN;
	__u32 idx;

	cfg.chunks = 256;
	cfg.tx = 256;
	cfg.comp = comp;
	cfg.bind_flags |= XDP_USE_NEED_WAKEUP;
	core_open(&x, &cfg);
	for (i = 0; i < 256; i++) {
		__u64 addr = some_frame(&x, i, &p, i);

		want += addr;
		core_put(&x, addr, p.len, META_TX);
	}
	tap_ok(!xsk_ring_prod__reserve(&x.tx, 1, &idx), "TX ring full, %u completion entries",
	       comp);
	tap_ok(xsk_ring_prod__needs_wakeup(&x.tx), "the ring asks for a wake-up");

	if (comp < 256) {
		for (kicks = 0; kicks < 20 && !xsk_ring_cons__peek(&x.comp, 0, &idx); kicks++)
			ret = uxsk_kick(&x);
		tap_is(ret, -EAGAIN, "completion ring full: EAGAIN, there is more to send");
		tap_is(*x.comp.producer - *x.comp.consumer, comp, "no more than fit complete");
	}
	ret = -EAGAIN;
	end = uxsk_now_ns() + TIMEOUT_MS * 1000000ULL;
	for (kicks = 0; (n < 256 || ret == -EAGAIN) && uxsk_now_ns() < end; ) {
		unsigned int got;

		if (ret == -EAGAIN) {
			ret = uxsk_kick(&x);
			kicks++;
		}
		if (ret && ret != -EAGAIN)
			break;
		got = uxsk_reap(&x, addrs + n, 256 - n);
		n += got;
		/* Frames are freed, and so complete, on a CPU that may be busy. */
		if (!got && (!ret || comp < 256))
			poll(NULL, 0, 1);
	}
	for (i = 0; i < n; i++)
		sum += addrs[i];
	tap_is(ret, 0, "the last send returns 0");
	tap_ok(n == 256 && sum == want, "each frame completes once");
	if (comp == 256)
		tap_ok(kicks <= 256 / 32 + 1, "in %u sends of up to 32", kicks);
	uxsk_close(&x);
}

static void drain_by_poll(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct pollfd pfd = { .events = POLLOUT };
	unsigned int i, n = 0;
	struct uxsk x;
	struct pkt p;

	cfg.bind_flags |= XDP_USE_NEED_WAKEUP;
	core_open(&x, &cfg);
	for (i = 0; i < 64; i++)
		core_put(&x, some_frame(&x, i, &p, i), p.len, META_TX);
	pfd.fd = x.fd;
	for (i = 0; i < 8; i++) {
		poll(&pfd, 1, 100);
		n += uxsk_reap(&x, NULL, 64);
	}
	tap_is(n, 64, "poll alone drains a full ring");
	uxsk_close(&x);
}

struct sender {
	struct uxsk *x;
	__u32 first, chunks;
	unsigned long total;
	__u8 *state;		/* of each chunk: 0 ours, 1 under way */
	__u64 seq;
};

static void *send_shared(void *arg)
{
	struct sender *s = arg;
	__u64 end = uxsk_now_ns() + 60000000000ULL;
	unsigned long sent = 0;
	__u32 i = 0;

	while (uxsk_now_ns() < end) {
		__u32 chunk = s->first + i;

		if (sent < s->total && !__atomic_load_n(&s->state[chunk], __ATOMIC_ACQUIRE)) {
			struct pkt p = { .payload = 20 + i, .seq = s->seq++ };
			__u64 addr = core_frame(s->x, chunk, &p);

			core_request(s->x, addr, ask[sent % 4], &p);
			if (!uxsk_put(s->x, addr, p.len, META_TX)) {
				__atomic_store_n(&s->state[chunk], 1, __ATOMIC_RELEASE);
				sent++;
			}
		}
		i = (i + 1) % s->chunks;
		if (i % 8 == 0)
			uxsk_kick(s->x);
		if (sent == s->total && i == 0) {
			/* until both are through: the other may be waiting for room */
			for (chunk = 0; chunk < s->chunks; chunk++)
				if (__atomic_load_n(&s->state[s->first + chunk], __ATOMIC_ACQUIRE))
					break;
			if (chunk == s->chunks)
				break;
		}
	}
	return NULL;
}

/* Two sockets, two threads, one UMEM, one completion ring. */
static void shared(unsigned long total, __u32 comp)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct uxsk a, b;
	__u8 state[64] = {};
	struct sender s[2];
	pthread_t t[2];
	unsigned long back = 0, wrong = 0, unstamped = 0;
	__u64 from = uxsk_tai_ns(), end = uxsk_now_ns() + 60000000000ULL, addr;
	int err, i;

	cfg.comp = comp;
	core_open(&a, &cfg);
	cfg.fill = 0;
	cfg.comp = 0;
	err = uxsk_open_shared(&b, &cfg, &a);
	if (err)
		tap_bail("second socket: %s: %s", b.step, strerror(-err));
	s[0] = (struct sender){ &a, 0, 32, total, state, 1ULL << 40 };
	s[1] = (struct sender){ &b, 32, 32, total, state, 1ULL << 41 };
	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, send_shared, &s[i]))
			tap_bail("pthread_create");
	while (back < 2 * total && uxsk_now_ns() < end) {
		struct xsk_tx_metadata *m;
		__u64 chunk;

		if (!uxsk_reap(&a, &addr, 1))
			continue;
		back++;
		chunk = addr / a.chunk_size;
		if (chunk >= 64 || addr != uxsk_addr(&a, chunk) ||
		    !__atomic_load_n(&state[chunk], __ATOMIC_ACQUIRE)) {
			/* The entry may be seen before the sender notes the frame. */
			__u64 until = uxsk_now_ns() + 1000000000;

			while (chunk < 64 && uxsk_now_ns() < until &&
			       !__atomic_load_n(&state[chunk], __ATOMIC_ACQUIRE))
				;
			if (chunk >= 64 || addr != uxsk_addr(&a, chunk) ||
			    !__atomic_load_n(&state[chunk], __ATOMIC_ACQUIRE)) {
				wrong++;
				continue;
			}
		}
		m = uxsk_meta(&a, addr);
		unstamped += m->flags & META_TS && m->completion.tx_timestamp < from;
		__atomic_store_n(&state[chunk], 0, __ATOMIC_RELEASE);
	}
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	wrong += uxsk_reap(&a, &addr, 1);
	tap_is(back, 2 * total, "two sockets at once on one UMEM, %u completion entries: all complete",
	       comp);
	tap_is(wrong, 0, "each address once");
	tap_is(unstamped, 0, "each stamp in the frame that asked");
	tap_is(core_invalid(&a) + core_invalid(&b), 0, "none is invalid");
	uxsk_close(&b);
	uxsk_close(&a);
}

int main(void)
{
	core_init(&core);
	random_batches(tap_rounds(2000), 0);
	random_batches(tap_rounds(1000), XDP_UMEM_TX_SW_CSUM);
	full_ring(256);
	full_ring(4);
	drain_by_poll();
	shared(tap_rounds(1000), 64);
	shared(tap_rounds(500), 2);
	return tap_done();
}
