// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "vfio_user/vfu.h"

/* INTx, MSI, MSI-X: VFIO's indices 0 to 2. */
#define KINDS 3

struct irq_state {
	struct {
		int *fd;	/* -1: not connected */
		u32 count;
		u32 connected;
	} kind[KINDS];
	bool intx_level;
	bool intx_masked;	/* by the guest, or since it last fired */
};

static u32 count_of(const struct nic *nic, u32 index)
{
	switch (index) {
	case VFIO_PCI_INTX_IRQ_INDEX:
		return nic->pci.intx;
	case VFIO_PCI_MSI_IRQ_INDEX:
		return nic->pci.msi_vectors;
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return nic->pci.msix_vectors;
	default:
		return 0;
	}
}

int irq_init(struct nic *nic)
{
	struct irq_state *s = calloc(1, sizeof(*s));
	u32 i, v;

	nic->irq = s;
	if (!s)
		return -ENOMEM;
	for (i = 0; i < KINDS; i++) {
		u32 n = count_of(nic, i);

		s->kind[i].fd = calloc(n + 1, sizeof(int));
		if (!s->kind[i].fd)
			return -ENOMEM;
		s->kind[i].count = n;
		for (v = 0; v < n; v++)
			s->kind[i].fd[v] = -1;
	}
	return 0;
}

static void connect_fd(struct irq_state *s, u32 index, u32 vector, int fd)
{
	int *slot = &s->kind[index].fd[vector];

	if (*slot >= 0) {
		close(*slot);
		s->kind[index].connected--;
	}
	if (fd >= 0)
		s->kind[index].connected++;
	*slot = fd;
}

static void disconnect(struct irq_state *s, u32 index)
{
	u32 v;

	for (v = 0; v < s->kind[index].count; v++)
		connect_fd(s, index, v, -1);
	if (index == VFIO_PCI_INTX_IRQ_INDEX)
		s->intx_masked = false;
}

void irq_exit(struct nic *nic)
{
	u32 i;

	if (!nic->irq)
		return;
	for (i = 0; i < KINDS; i++) {
		if (nic->irq->kind[i].fd)
			disconnect(nic->irq, i);
		free(nic->irq->kind[i].fd);
	}
	free(nic->irq);
	nic->irq = NULL;
}

void irq_reset(struct nic *nic)
{
	nic->irq->intx_level = false;
}

int irq_info(struct nic *nic, struct vfio_irq_info *info)
{
	if (info->index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	info->count = count_of(nic, info->index);
	info->flags = VFIO_IRQ_INFO_EVENTFD;
	if (info->index == VFIO_PCI_INTX_IRQ_INDEX)
		info->flags |= VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_AUTOMASKED;
	else if (info->index == VFIO_PCI_MSI_IRQ_INDEX)
		info->flags |= VFIO_IRQ_INFO_NORESIZE;
	return 0;
}

static void signal_fd(struct nic *nic, u32 index, u32 vector)
{
	const u64 one = 1;

	if (vector >= nic->irq->kind[index].count ||
	    nic->irq->kind[index].fd[vector] < 0 ||
	    write(nic->irq->kind[index].fd[vector], &one, sizeof(one)) < 0)
		nic->stats.irq_dropped++;
	else
		nic->stats.irq_raised++;
}

static void intx_update(struct nic *nic)
{
	struct irq_state *s = nic->irq;

	if (!s->intx_level || s->intx_masked ||
	    !s->kind[VFIO_PCI_INTX_IRQ_INDEX].connected)
		return;
	s->intx_masked = true;
	signal_fd(nic, VFIO_PCI_INTX_IRQ_INDEX, 0);
}

static int set_fds(struct nic *nic, const struct vfio_irq_set *set, int *fds,
		   u32 nfds)
{
	u32 i;

	/* None at all: these vectors are disconnected. */
	if (nfds && nfds != set->count)
		return -EINVAL;
	for (i = 0; i < set->count; i++) {
		/* Whatever the client sent, writing to it must not block. */
		if (nfds)
			fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
		connect_fd(nic->irq, set->index, set->start + i,
			   nfds ? fds[i] : -1);
		if (nfds)
			fds[i] = -1;
	}
	if (set->index == VFIO_PCI_INTX_IRQ_INDEX) {
		nic->irq->intx_masked = false;
		intx_update(nic);
	}
	return 0;
}

static void act(struct nic *nic, const struct vfio_irq_set *set, u32 vector)
{
	u32 action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;

	if (action == VFIO_IRQ_SET_ACTION_TRIGGER) {
		signal_fd(nic, set->index, vector);
		return;
	}
	nic->irq->intx_masked = action == VFIO_IRQ_SET_ACTION_MASK;
	intx_update(nic);
}

int irq_set(struct nic *nic, const struct vfio_irq_set *set, const u8 *data,
	    u32 len, int *fds, u32 nfds)
{
	u32 type = set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	u32 action = set->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	u32 count = count_of(nic, set->index), i;

	if (set->index >= VFIO_PCI_NUM_IRQS || set->start > count ||
	    set->count > count - set->start ||
	    set->flags & ~(VFIO_IRQ_SET_DATA_TYPE_MASK |
			   VFIO_IRQ_SET_ACTION_TYPE_MASK))
		return -EINVAL;
	if (action != VFIO_IRQ_SET_ACTION_TRIGGER &&
	    (set->index != VFIO_PCI_INTX_IRQ_INDEX ||
	     (action != VFIO_IRQ_SET_ACTION_MASK &&
	      action != VFIO_IRQ_SET_ACTION_UNMASK)))
		return -EINVAL;
	if (nfds && type != VFIO_IRQ_SET_DATA_EVENTFD)
		return -EINVAL;
	switch (type) {
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
			return -EOPNOTSUPP;
		return set->count ? set_fds(nic, set, fds, nfds) : -EINVAL;
	case VFIO_IRQ_SET_DATA_NONE:
		if (!set->count && !set->start && set->index < KINDS) {
			disconnect(nic->irq, set->index);
			return 0;
		}
		for (i = 0; i < set->count; i++)
			act(nic, set, set->start + i);
		return 0;
	case VFIO_IRQ_SET_DATA_BOOL:
		if (len < set->count)
			return -EINVAL;
		for (i = 0; i < set->count; i++)
			if (data[i])
				act(nic, set, set->start + i);
		return 0;
	default:
		return -EINVAL;
	}
}

enum irq_mode irq_mode(const struct nic *nic)
{
	if (nic->irq->kind[VFIO_PCI_MSIX_IRQ_INDEX].connected)
		return IRQ_MSIX;
	if (nic->irq->kind[VFIO_PCI_MSI_IRQ_INDEX].connected)
		return IRQ_MSI;
	if (nic->irq->kind[VFIO_PCI_INTX_IRQ_INDEX].connected)
		return IRQ_INTX;
	return IRQ_NONE;
}

u32 irq_vectors(const struct nic *nic)
{
	switch (irq_mode(nic)) {
	case IRQ_MSIX:
		return nic->irq->kind[VFIO_PCI_MSIX_IRQ_INDEX].connected;
	case IRQ_MSI:
		return nic->irq->kind[VFIO_PCI_MSI_IRQ_INDEX].connected;
	case IRQ_INTX:
		return 1;
	default:
		return 0;
	}
}

void irq_raise(struct nic *nic, u32 vector)
{
	switch (irq_mode(nic)) {
	case IRQ_MSIX:
		signal_fd(nic, VFIO_PCI_MSIX_IRQ_INDEX, vector);
		break;
	case IRQ_MSI:
		signal_fd(nic, VFIO_PCI_MSI_IRQ_INDEX, vector);
		break;
	default:
		nic->stats.irq_dropped++;
	}
}

void irq_intx(struct nic *nic, bool level)
{
	nic->irq->intx_level = level;
	intx_update(nic);
}
