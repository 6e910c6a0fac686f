// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration space: type 0 header, PCI Express, MSI and MSI-X capabilities,
 * a device serial number. A byte array and a mask of writable bits; only the
 * function-level reset bit does anything by itself.
 */
#include <stdlib.h>
#include <linux/pci_regs.h>

#include "vfio_user/vfu.h"

#define CONFIG_SIZE	4096
#define CAP_EXP		0x40
#define CAP_MSI		0x80
#define CAP_MSIX	0xa0

struct pci_config {
	u8 val[CONFIG_SIZE];
	u8 mask[CONFIG_SIZE];
	u8 reset[CONFIG_SIZE];
};

static void set16(struct pci_config *c, u32 off, u16 val, u16 mask)
{
	put_le16(c->val + off, val);
	put_le16(c->mask + off, mask);
}

static void set32(struct pci_config *c, u32 off, u32 val, u32 mask)
{
	put_le32(c->val + off, val);
	put_le32(c->mask + off, mask);
}

static void bars(struct pci_config *c, const struct nic_pci *p)
{
	u32 i;

	for (i = 0; i < NIC_BARS; i++) {
		const struct nic_bar *b = &p->bar[i];
		u32 off = PCI_BASE_ADDRESS_0 + 4 * i;
		u64 mask = ~(b->size - 1);
		u32 flags = 0;

		if (!b->size)
			continue;
		if (b->flags & BAR_PREFETCH)
			flags |= PCI_BASE_ADDRESS_MEM_PREFETCH;
		if (b->flags & BAR_MEM64) {
			flags |= PCI_BASE_ADDRESS_MEM_TYPE_64;
			set32(c, off + 4, 0, (u32)(mask >> 32));
			i++;
		}
		set32(c, off, flags, (u32)mask & (u32)PCI_BASE_ADDRESS_MEM_MASK);
	}
}

/* Chains the capability at @at behind the last one. */
static u8 *chain(struct pci_config *c, u8 *link, u8 id, u8 at)
{
	*link = at;
	c->val[at] = id;
	return &c->val[at + 1];
}

static void express(struct pci_config *c)
{
	set16(c, CAP_EXP + PCI_EXP_FLAGS, 2, 0);
	set32(c, CAP_EXP + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | 1 |
	      PCI_EXP_DEVCAP_RBER, 0);
	set16(c, CAP_EXP + PCI_EXP_DEVCTL, 0x2810, 0x7fff);
	/* 8 GT/s, x8 */
	set32(c, CAP_EXP + PCI_EXP_LNKCAP, 3 | 8 << 4, 0);
	set16(c, CAP_EXP + PCI_EXP_LNKCTL, 0, 0x0fc3);
	set16(c, CAP_EXP + PCI_EXP_LNKSTA, 3 | 8 << 4, 0);
	set16(c, CAP_EXP + PCI_EXP_DEVCTL2, 0, 0x001f);
	set16(c, CAP_EXP + PCI_EXP_LNKCTL2, 3, 0x000f);
}

static void msi(struct pci_config *c, u32 vectors)
{
	u16 log = (u16)__builtin_ctz(vectors);

	set16(c, CAP_MSI + PCI_MSI_FLAGS, (u16)(PCI_MSI_FLAGS_64BIT | log << 1),
	      PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE);
	set32(c, CAP_MSI + PCI_MSI_ADDRESS_LO, 0, 0xfffffffc);
	set32(c, CAP_MSI + PCI_MSI_ADDRESS_HI, 0, 0xffffffff);
	set16(c, CAP_MSI + PCI_MSI_DATA_64, 0, 0xffff);
}

static void msix(struct pci_config *c, const struct nic_pci *p)
{
	set16(c, CAP_MSIX + PCI_MSIX_FLAGS, (u16)(p->msix_vectors - 1),
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	set32(c, CAP_MSIX + PCI_MSIX_TABLE, p->msix_table | p->msix_bar, 0);
	set32(c, CAP_MSIX + PCI_MSIX_PBA, p->msix_pba | p->msix_bar, 0);
}

static bool sane(const struct nic *nic)
{
	const struct nic_pci *p = &nic->pci;
	u32 i, v = p->msix_vectors;
	u64 room;

	for (i = 0; i < NIC_BARS; i++) {
		u64 size = p->bar[i].size;

		if (size && (size < 16 || size & (size - 1)))
			return false;
		if (p->bar[i].flags & BAR_MEM64 &&
		    (i == NIC_BARS - 1 || p->bar[++i].size))
			return false;
	}
	if (p->msi_vectors > 32 || p->msi_vectors & (p->msi_vectors - 1))
		return false;
	if (!v)
		return true;
	if (v > 2048 || p->msix_bar >= NIC_BARS || p->msix_table % 8 ||
	    p->msix_pba % 8)
		return false;
	room = p->bar[p->msix_bar].size;
	return p->msix_table + 16ULL * v <= room &&
	       p->msix_pba + 8ULL * ((v + 63) / 64) <= room;
}

int pci_config_init(struct nic *nic)
{
	const struct nic_pci *p = &nic->pci;
	struct pci_config *c;
	u8 *link;

	if (!sane(nic)) {
		nic_log(nic, LOG_ERROR, "the model's BARs or vectors make no sense");
		return -EINVAL;
	}
	c = calloc(1, sizeof(*c));
	nic->config = c;
	if (!c)
		return -ENOMEM;
	set16(c, PCI_VENDOR_ID, p->vendor, 0);
	set16(c, PCI_DEVICE_ID, p->device, 0);
	set16(c, PCI_COMMAND, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
	      PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	set16(c, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	set32(c, PCI_CLASS_REVISION,
	      (p->class ? p->class : 0x020000) << 8 | p->revision, 0);
	c->mask[PCI_CACHE_LINE_SIZE] = 0xff;
	set16(c, PCI_SUBSYSTEM_VENDOR_ID, p->subvendor, 0);
	set16(c, PCI_SUBSYSTEM_ID, p->subdevice, 0);
	c->mask[PCI_INTERRUPT_LINE] = 0xff;
	c->val[PCI_INTERRUPT_PIN] = p->intx;
	bars(c, p);
	link = chain(c, &c->val[PCI_CAPABILITY_LIST], PCI_CAP_ID_EXP, CAP_EXP);
	express(c);
	if (p->msi_vectors) {
		link = chain(c, link, PCI_CAP_ID_MSI, CAP_MSI);
		msi(c, p->msi_vectors);
	}
	if (p->msix_vectors) {
		chain(c, link, PCI_CAP_ID_MSIX, CAP_MSIX);
		msix(c, p);
	}
	if (p->serial) {
		put_le32(c->val + PCI_CFG_SPACE_SIZE, PCI_EXT_CAP_ID_DSN | 1 << 16);
		put_le64(c->val + PCI_CFG_SPACE_SIZE + 4, p->serial);
	}
	memcpy(c->reset, c->val, sizeof(c->val));
	return 0;
}

void pci_config_exit(struct nic *nic)
{
	free(nic->config);
	nic->config = NULL;
}

void pci_config_reset(struct nic *nic)
{
	memcpy(nic->config->val, nic->config->reset, CONFIG_SIZE);
}

u32 pci_config_size(const struct nic *nic)
{
	(void)nic;
	return CONFIG_SIZE;
}

bool pci_bus_master(const struct nic *nic)
{
	return nic->config->val[PCI_COMMAND] & PCI_COMMAND_MASTER;
}

void pci_config_read(struct nic *nic, u32 off, void *buf, u32 len)
{
	memcpy(buf, nic->config->val + off, len);
}

void pci_config_write(struct nic *nic, u32 off, const void *buf, u32 len)
{
	struct pci_config *c = nic->config;
	const u8 *p = buf;
	u32 flr = CAP_EXP + PCI_EXP_DEVCTL + 1;
	u32 i;

	for (i = 0; i < len; i++)
		c->val[off + i] = (u8)((c->val[off + i] & ~c->mask[off + i]) |
				       (p[i] & c->mask[off + i]));
	if (off <= flr && flr < off + len &&
	    p[flr - off] & PCI_EXP_DEVCTL_BCR_FLR >> 8)
		nic_reset(nic, RESET_BUS);
}
