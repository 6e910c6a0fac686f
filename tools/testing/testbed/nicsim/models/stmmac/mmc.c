// SPDX-License-Identifier: GPL-2.0
/* MAC management counters of the stmmac model. */
#include "defs.h"
#include "mmc.h"

enum {
	TX_OCTETS_GB	= 0x14,
	TX_FRAMES_GB	= 0x18,
	TX_BCAST_G	= 0x1c,
	TX_MCAST_G	= 0x20,
	TX_SIZES	= 0x24,		/* six buckets */
	TX_UCAST_GB	= 0x3c,
	TX_MCAST_GB	= 0x40,
	TX_BCAST_GB	= 0x44,
	TX_OCTETS_G	= 0x64,
	TX_FRAMES_G	= 0x68,
	TX_VLAN_G	= 0x74,
	RX_FRAMES_GB	= 0x80,
	RX_OCTETS_GB	= 0x84,
	RX_OCTETS_G	= 0x88,
	RX_BCAST_G	= 0x8c,
	RX_MCAST_G	= 0x90,
	RX_SIZES	= 0xac,		/* six buckets */
	RX_UCAST_G	= 0xc4,
	RX_FIFO_OVER	= 0xd4,
	RX_VLAN_GB	= 0xd8,
};

/* Where registers lie; the rest of the block is a hole. */
static const struct mmc_range {
	u16 first, last;
	bool counter;
} ranges[] = {
	{ 0x000, 0x010, false },	/* control, interrupts, masks */
	{ 0x014, 0x078, true },		/* transmit */
	{ 0x080, 0x0e4, true },		/* receive */
	{ 0x0ec, 0x0f8, true },		/* low power */
	{ 0x100, 0x100, false },	/* receive checksum: mask */
	{ 0x108, 0x108, false },	/* receive checksum: interrupt */
	{ 0x110, 0x148, true },
	{ 0x150, 0x188, true },
	{ 0x1a0, 0x1a4, false },	/* preemption, transmit: interrupt */
	{ 0x1a8, 0x1ac, true },
	{ 0x1c0, 0x1c4, false },	/* preemption, receive: interrupt */
	{ 0x1c8, 0x1d4, true },
};

static const struct mmc_range *find(u32 off)
{
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (off >= ranges[i].first && off <= ranges[i].last)
			return &ranges[i];
	return NULL;
}

bool mmc_read(struct mmc *m, u32 off, u32 *val)
{
	const struct mmc_range *r = find(off);

	if (!r)
		return false;
	if (!off) {
		*val = m->ctrl;
		return true;
	}
	*val = m->reg[off / 4];
	if (r->counter && (m->ctrl & MMC_CTRL_RSTONRD))
		m->reg[off / 4] = 0;
	return true;
}

bool mmc_write(struct mmc *m, u32 off, u32 val)
{
	const struct mmc_range *r = find(off);

	if (!r || r->counter)
		return false;
	if (off) {
		m->reg[off / 4] = val;
		return true;
	}
	if (val & MMC_CTRL_RESET)
		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
			if (ranges[i].counter)
				memset(&m->reg[ranges[i].first / 4], 0,
				       ranges[i].last - ranges[i].first + 4);
	/* The reset bit clears itself, and so do the two preset bits. */
	m->ctrl = val & ~(MMC_CTRL_RESET | BIT(4) | BIT(5));
	return true;
}

static void add(struct mmc *m, u32 off, u32 n)
{
	if (!(m->ctrl & MMC_CTRL_FREEZE))
		m->reg[off / 4] += n;
}

static unsigned int bucket(size_t wire_len)
{
	static const unsigned int last[] = { 64, 127, 255, 511, 1023 };
	unsigned int i = 0;

	while (i < 5 && wire_len > last[i])
		i++;
	return 4 * i;
}

static bool is_vlan(const u8 *frame, size_t len)
{
	return len >= 14 && ((frame[12] == 0x81 && frame[13] == 0x00) ||
			     (frame[12] == 0x88 && frame[13] == 0xa8));
}

static bool is_broadcast(const u8 *frame)
{
	static const u8 all[6] = { 255, 255, 255, 255, 255, 255 };

	return !memcmp(frame, all, 6);
}

static size_t wire_len(size_t len)
{
	return (len < 60 ? 60 : len) + 4;
}

void mmc_tx(struct mmc *m, const u8 *frame, size_t len)
{
	size_t n = wire_len(len);

	add(m, TX_OCTETS_GB, n);
	add(m, TX_OCTETS_G, n);
	add(m, TX_FRAMES_GB, 1);
	add(m, TX_FRAMES_G, 1);
	add(m, TX_SIZES + bucket(n), 1);
	if (is_broadcast(frame)) {
		add(m, TX_BCAST_G, 1);
		add(m, TX_BCAST_GB, 1);
	} else if (frame[0] & 1) {
		add(m, TX_MCAST_G, 1);
		add(m, TX_MCAST_GB, 1);
	} else {
		add(m, TX_UCAST_GB, 1);
	}
	if (is_vlan(frame, len))
		add(m, TX_VLAN_G, 1);
}

void mmc_rx(struct mmc *m, const u8 *frame, size_t len,
	    enum mmc_rx_fate fate)
{
	size_t n = wire_len(len);

	add(m, RX_FRAMES_GB, 1);
	add(m, RX_OCTETS_GB, n);
	add(m, RX_SIZES + bucket(n), 1);
	if (is_vlan(frame, len))
		add(m, RX_VLAN_GB, 1);
	if (fate == MMC_RX_OVERFLOW) {
		add(m, RX_FIFO_OVER, 1);
		return;
	}
	add(m, RX_OCTETS_G, n);
	if (is_broadcast(frame))
		add(m, RX_BCAST_G, 1);
	else if (frame[0] & 1)
		add(m, RX_MCAST_G, 1);
	else
		add(m, RX_UCAST_G, 1);
}
