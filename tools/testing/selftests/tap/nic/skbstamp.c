// SPDX-License-Identifier: GPL-2.0
/*
 * Time stamps of the socket path are the truth to the nanosecond: a frame's TX
 * stamp when it left in the sender's clock (or when its completion was written,
 * if the NIC stamps those), its RX stamp when it came in the receiver's.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "nic.h"
#include "skbts.h"

static void direction(const char *port, int tx, int rx, const char *to, uint64_t first,
		      unsigned long frames)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(319) };
	struct skbts *out = calloc(frames, sizeof(*out)), *in = calloc(frames, sizeof(*in));
	unsigned long got_tx = 0, got_rx = 0, tx_equal = 0, rx_equal = 0;

	inet_pton(AF_INET, to, &a.sin_addr);
	truth_mark();
	for (unsigned long i = 0; i < frames; i++) {
		skbts_send(tx, &a, first + i);
		got_tx += skbts_receive(tx, true, 2000, &out[i]);
		got_rx += skbts_receive(rx, false, 2000, &in[i]);
	}
	tap_is(truth_wait(port, first, frames, 5000), frames, "port %s: truth saw every frame", port);
	tap_is(got_tx, frames, "port %s: each frame gets a TX stamp", port);
	tap_is(got_rx, frames, "port %s: each frame arrives with an RX stamp", port);
	for (unsigned long i = 0; i < frames; i++) {
		const struct truth *t = truth_find(port, out[i].seq);
		const struct truth *r = truth_find(port, in[i].seq);
		uint64_t truth = t ? truth_time(t) : 0;

		tx_equal += t && truth == out[i].ns;
		rx_equal += r && r->rx_ns == in[i].ns;
		if (t && truth != out[i].ns && i < 3)
			tap_diag("seq %llu: TX stamp %llu, truth %llu",
				 (unsigned long long)out[i].seq, (unsigned long long)out[i].ns,
				 (unsigned long long)truth);
		if (r && r->rx_ns != in[i].ns && i < 3)
			tap_diag("seq %llu: RX stamp %llu, truth %llu",
				 (unsigned long long)in[i].seq, (unsigned long long)in[i].ns,
				 (unsigned long long)r->rx_ns);
	}
	tap_is(tx_equal, frames, "port %s: TX stamp = truth", port);
	tap_is(rx_equal, frames, "port %s: RX stamp at the other end = truth", port);
	free(out);
	free(in);
}

int main(void)
{
	unsigned long frames = tap_rounds(200);
	int a, b, filter;
	uint64_t base;

	nic_init();
	base = skbts_base();
	if (frames < 20)
		frames = 20;
	filter = nic->rx_filter_all ? HWTSTAMP_FILTER_ALL : HWTSTAMP_FILTER_PTP_V2_EVENT;
	a = skbts_socket(false);
	b = skbts_socket(true);
	nic_hwtstamp(a, nic_if, HWTSTAMP_TX_ON, filter);
	nic_hwtstamp(b, nic_peer, HWTSTAMP_TX_ON, filter);
	direction("a", a, b, "192.0.2.2", base + 3000000, frames);
	direction("b", b, a, "192.0.2.1", base + 4000000, frames);
	nic_hwtstamp(a, nic_if, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	nic_hwtstamp(b, nic_peer, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	return tap_done();
}
