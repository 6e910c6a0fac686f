// SPDX-License-Identifier: GPL-2.0
/*
 * AF_XDP zero-copy without metadata: every frame leaves, once and unharmed, and
 * every address comes back once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"
#include "nic.h"

#define RING 512
#define FRAMES 2000

static void run(unsigned int queue, unsigned long frames, uint64_t first)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(nic_if, 0);
	struct frame_spec spec = { .ip = 4 };
	unsigned char *back = calloc(RING, 1);
	unsigned long sent = 0, done = 0, twice = 0, wrong = 0;
	uint64_t end;
	struct uxsk x;
	int err;

	cfg.chunks = RING;
	cfg.comp = cfg.tx = RING;
	cfg.queue = queue;
	cfg.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	err = uxsk_open(&x, &cfg);
	if (!tap_ok(!err, "queue %u: bind in zero-copy mode", queue)) {
		tap_diag("%s: %s", x.step, strerror(-err));
		return;
	}
	frame_to_peer(&spec);
	memset(back, 1, RING);
	truth_mark();
	end = uxsk_now_ns() + 60000000000ULL;
	while (done < frames && uxsk_now_ns() < end) {
		__u64 addrs[64];
		unsigned int n;

		for (unsigned int i = 0; i < RING && sent < frames; i++) {
			uint64_t at = uxsk_addr(&x, i);
			struct frame f;

			if (!back[i])
				continue;
			spec.seq = first + sent;
			spec.payload = 18 + sent % 1400;
			frame_build(&f, &spec);
			frame_finish(&f);
			memcpy(uxsk_data(&x, at), f.data, f.len);
			if (uxsk_put(&x, at, f.len, 0))
				break;
			back[i] = 0;
			sent++;
		}
		uxsk_kick(&x);
		n = uxsk_reap(&x, addrs, 64);
		for (unsigned int i = 0; i < n; i++) {
			unsigned int c = addrs[i] / x.chunk_size;

			twice += c >= RING || back[c];
			if (c < RING)
				back[c] = 1;
		}
		done += n;
	}
	tap_is(done, frames, "queue %u: as many completions as frames", queue);
	tap_is(twice, 0, "queue %u: no address comes back twice", queue);
	tap_is(truth_wait("a", first, frames, 5000), frames, "queue %u: every frame leaves once", queue);
	for (unsigned long i = 0; i < frames; i++) {
		const struct truth *t = truth_find("a", first + i);
		struct frame f;

		spec.seq = first + i;
		spec.payload = 18 + i % 1400;
		frame_build(&f, &spec);
		frame_finish(&f);
		wrong += !t || t->queue != queue || t->len != f.len ||
			 t->crc32 != nic_crc32(f.data, f.len) || t->egress_ns == TRUTH_NONE;
	}
	tap_is(wrong, 0, "queue %u: the bytes on the wire are those given", queue);
	uxsk_close(&x);
	free(back);
}

int main(void)
{
	unsigned long frames = tap_rounds(FRAMES);
	int xdp;

	nic_init();
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	run(0, frames, 1000000);
	run(nic->queues - 1, frames, 2000000);
	tap_ok(!nic_sh("ping -c 2 -W 5 192.0.2.2"), "the stack still has its queue");
	close(xdp);
	return tap_done();
}
