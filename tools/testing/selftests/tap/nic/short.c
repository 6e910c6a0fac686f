// SPDX-License-Identifier: GPL-2.0
/*
 * Frames shorter than a NIC may take from its driver: from a zero-copy socket, one
 * byte and more, and cut short by an XDP program that sends them back. Each leaves,
 * zeroes behind it, and the queue goes on.
 */
#include <linux/if_link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md.h"
#include "xdp.h"

#define RING 64
#define WIRE 60		/* as the MAC pads, without FCS */
#define CUT 15

/* Bytes of frame @i, by which it is known on the wire. */
static void bytes(uint8_t *data, unsigned int i, unsigned int len)
{
	memset(data, 0, WIRE);
	data[0] = 0x02;
	for (unsigned int k = 1; k < len; k++)
		data[k] = i + k;
}

/* @batch frames at a time, of 1 to 24 bytes; the rest of their chunks is not zero. */
static void sent(unsigned int batch, unsigned int meta_len)
{
	unsigned int rounds = tap_rounds(40) < 4 ? 4 : tap_rounds(40), got = 0, missing = 0, n = 0;
	struct uxsk_cfg cfg = uxsk_cfg_tx(nic_if, meta_len);
	uint32_t *want = calloc(rounds * RING, sizeof(*want));
	const struct truth *t;
	struct uxsk x;
	bool *seen;
	size_t all;
	int err;

	cfg.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	err = uxsk_open(&x, &cfg);
	if (err || !want)
		tap_bail("no zero-copy socket: %s", x.step);
	truth_mark();
	for (unsigned int r = 0; r < rounds; r++) {
		unsigned int back;

		for (unsigned int i = 0; i < batch; i++, n++) {
			unsigned int len = 1 + (r * batch + i) % 24;
			uint64_t addr = uxsk_addr(&x, i);
			uint8_t *data = uxsk_data(&x, addr), wire[WIRE];

			bytes(wire, n, len);
			memset(data, 0xee, 64);
			memcpy(data, wire, len);
			want[n] = nic_crc32(wire, WIRE);
			if (meta_len) {
				struct xsk_tx_metadata *meta = uxsk_meta(&x, addr);

				memset(meta, 0, meta_len);
				meta->flags = XDP_TXMD_FLAGS_TIMESTAMP;
			}
			uxsk_put(&x, addr, len, meta_len && i % 2 ? XDP_TX_METADATA : 0);
		}
		back = uxsk_drain(&x, NULL, batch, 5000, NULL);
		got += back;
		if (back != batch)
			break;
	}
	tap_is(got, rounds * batch, "%u at a time%s: all complete", batch, meta_len ? ", with an area" : "");
	/* Whose bytes left, each record for one frame. */
	usleep(100000);
	t = truth_read(&all);
	seen = calloc(all + 1, sizeof(*seen));
	for (unsigned int i = 0; i < n; i++) {
		size_t k;

		for (k = 0; k < all; k++)
			if (!seen[k] && !strcmp(t[k].port, "a") && t[k].len == WIRE &&
			    t[k].crc32 == want[i])
				break;
		if (k < all)
			seen[k] = true;
		else
			missing++;
	}
	tap_is(missing, 0, "... and leave with zeroes behind them");
	free(seen);
	free(want);
	uxsk_close(&x);
}

/* Cuts each frame down to its Ethernet header and a byte, and sends it back. */
static int attach_cut(void)
{
	const struct bpf_insn prog[] = {
		XDP_MOV_REG(BPF_REG_6, BPF_REG_1),
		XDP_LOAD32(BPF_REG_3, BPF_REG_1, offsetof(struct xdp_md, data_end)),
		XDP_LOAD32(BPF_REG_2, BPF_REG_1, offsetof(struct xdp_md, data)),
		XDP_INSN(BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_2, BPF_REG_3, 0, 0),
		XDP_INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, CUT),
		XDP_MOV_REG(BPF_REG_1, BPF_REG_6),
		XDP_CALL(BPF_FUNC_xdp_adjust_tail),
		XDP_MOV(BPF_REG_0, XDP_TX),
		XDP_EXIT(),
	};

	return xdp_attach(nic_if, prog, sizeof(prog) / sizeof(prog[0]), XDP_FLAGS_DRV_MODE);
}

static void sent_back(void)
{
	unsigned int n = tap_rounds(400) < 40 ? 40 : tap_rounds(400), back = 0;
	uint8_t mac[6];
	size_t all;
	int xdp = attach_cut();

	nic_wait_carrier(5000);
	nic_mac(nic_if, mac);
	nic_peer_sh("ip neigh replace 192.0.2.1 lladdr %02x:%02x:%02x:%02x:%02x:%02x dev %s",
		    mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], nic_peer);
	truth_mark();
	nic_peer_sh("sh -c 'ping -q -c %u -i 0.01 -W 1 192.0.2.1 >/dev/null || true'", n);
	for (int i = 0; i < 50 && back < n; i++) {
		const struct truth *t = truth_read(&all);

		back = 0;
		for (size_t k = 0; k < all; k++)
			back += !strcmp(t[k].port, "a") && t[k].len == WIRE;
		usleep(100000);
	}
	tap_ok(back >= n, "cut to %u bytes: %u of %u are sent back", CUT, back, n);
	nic_peer_sh("ip neigh del 192.0.2.1 dev %s", nic_peer);
	close(xdp);
}

int main(void)
{
	int xdp;

	nic_init();
	if (!nic->min_len || (!nic_patched && !getenv("BASE_FAULTS"))) {
		puts("TAP version 13\n1..0 # SKIP for a patched driver of a NIC that takes no short frames");
		return 0;
	}
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	sent(1, 0);
	sent(48, 0);
	if (nic_patched)
		sent(48, MD_LEN);
	close(xdp);
	tap_ok(nic_works(), "the stack still sends");
	sent_back();
	tap_ok(nic_works(), "the stack still sends");
	tap_is(nic_model_stat("a", "mdd_events"), 0, "the NIC found nothing malicious");
	return tap_done();
}
