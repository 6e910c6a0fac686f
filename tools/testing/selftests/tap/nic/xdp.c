// SPDX-License-Identifier: GPL-2.0
/* The XDP programs of the topics, in the driver. */
#include <linux/if_link.h>
#include <net/if.h>

#include "nic.h"
#include "xdp.h"

#define ATTACH(ifname, prog) \
	xdp_attach(ifname, prog, sizeof(prog) / sizeof((prog)[0]), XDP_FLAGS_DRV_MODE)

static int attach_verdict(const char *ifname, int verdict)
{
	const struct bpf_insn prog[] = { XDP_MOV(BPF_REG_0, verdict), XDP_EXIT() };

	return ATTACH(ifname, prog);
}

int nic_xdp_pass(const char *ifname)
{
	return attach_verdict(ifname, XDP_PASS);
}

int nic_xdp_tx(const char *ifname)
{
	return attach_verdict(ifname, XDP_TX);
}

int nic_xdp_xsk(const char *ifname, int *map)
{
	*map = xdp_map(BPF_MAP_TYPE_XSKMAP, 64);

	const struct bpf_insn prog[] = {
		XDP_LOAD32(BPF_REG_2, BPF_REG_1,
			   offsetof(struct xdp_md, rx_queue_index)),
		XDP_LOAD_MAP(BPF_REG_1, *map),
		XDP_MOV(BPF_REG_3, XDP_PASS),
		XDP_CALL(BPF_FUNC_redirect_map),
		XDP_EXIT(),
	};

	return ATTACH(ifname, prog);
}

int nic_xdp_redirect(const char *ifname, const char *to)
{
	const struct bpf_insn prog[] = {
		XDP_MOV(BPF_REG_1, if_nametoindex(to)),
		XDP_MOV(BPF_REG_2, 0),
		XDP_CALL(BPF_FUNC_redirect),
		XDP_EXIT(),
	};

	return ATTACH(ifname, prog);
}

int nic_xsk_add(int map, unsigned int queue, int xsk)
{
	return xdp_map_set(map, queue, xsk);
}
