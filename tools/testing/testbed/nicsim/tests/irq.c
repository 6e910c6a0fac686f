// SPDX-License-Identifier: GPL-2.0
/* Interrupts by eventfd: MSI-X, MSI, INTx. */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/client.h"

#define TRIGGER (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define NONE (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER)
#define MSIX VFIO_PCI_MSIX_IRQ_INDEX
#define MSI VFIO_PCI_MSI_IRQ_INDEX
#define INTX VFIO_PCI_INTX_IRQ_INDEX

static const char *const args[] = { "--nic", "demo,ports=2", NULL };
static struct sim sim;
static int fd[DEMO_VECTORS];

static void drain(void)
{
	u64 n;
	u32 i;

	for (i = 0; i < DEMO_VECTORS; i++)
		event_wait(fd[i], 0, &n);
}

/* One frame on queue @q, completed. */
static void send_one(struct client *c, u32 q)
{
	u32 i = rd32(c, DEMO_TX(q) + DEMO_HEAD);

	demo_post(c, q, i, 64, 1, 0, 0);
	demo_tail(c, false, q, (i + 1) % RING_ENTRIES);
	tap_ok(demo_wait(c, false, q, i, 10000), "a frame on queue %u", q);
}

static void rules(struct client *c)
{
	struct {
		struct vfio_irq_set set;
		u8 data[16];
	} s = { { .argsz = 36, .flags = VFIO_IRQ_SET_DATA_BOOL |
		  VFIO_IRQ_SET_ACTION_TRIGGER, .index = MSIX, .count = 4 },
		{ 0 } };

	tap_is(client_irqs(c, MSIX, 0, DEMO_VECTORS + 1, TRIGGER, fd, 1), EINVAL,
	       "more vectors than there are");
	tap_is(client_irqs(c, MSIX, ~0U, 1, TRIGGER, fd, 1), EINVAL,
	       "a start near 2^32");
	tap_is(client_irqs(c, MSIX, 1, ~0U, NONE, NULL, 0), EINVAL,
	       "a count near 2^32");
	tap_is(client_irqs(c, 9, 0, 0, NONE, NULL, 0), EINVAL, "type 9");
	tap_is(client_irqs(c, MSIX, 0, 4, TRIGGER, fd, 2), EINVAL,
	       "fewer descriptors than vectors");
	tap_is(client_irqs(c, MSIX, 0, 1, NONE, fd, 1), EINVAL,
	       "descriptors that nothing asked for");
	tap_is(client_irqs(c, MSIX, 0, 1, BIT(2), fd, 1), EINVAL, "no action");
	tap_is(client_irqs(c, MSIX, 0, 1, BIT(5), NULL, 0), EINVAL, "no data type");
	tap_is(client_irqs(c, MSIX, 0, 1, TRIGGER | BIT(17), fd, 1), EINVAL,
	       "an unknown flag");
	tap_is(client_irqs(c, MSIX, 0, 1, BIT(0) | BIT(3), NULL, 0), EINVAL,
	       "MSI-X has no mask action");
	tap_is(client_call(c, VFU_SET_IRQS, &s, 20 + 3, NULL, 0, NULL), EINVAL,
	       "fewer booleans than vectors");
	tap_is(client_call(c, VFU_SET_IRQS, &s, 20 + 4, NULL, 0, NULL), 0,
	       "as many booleans as vectors");
}

static void msix(struct client *c)
{
	u64 n, dropped;
	u32 q;

	tap_is(client_irqs(c, MSIX, 0, DEMO_VECTORS, TRIGGER, fd, DEMO_VECTORS), 0,
	       "MSI-X: all vectors connected");
	drain();
	for (q = 0; q < DEMO_QUEUES; q++) {
		send_one(c, q);
		tap_ok(event_wait(fd[2 * q], 10000, &n) && n == 1,
		       "vector %u fires once", 2 * q);
	}
	sim_ctl(&sim, NULL, 0, "link a down");
	tap_ok(event_wait(fd[8], 10000, &n), "the link's vector fires");
	sim_ctl(&sim, NULL, 0, "link a up");
	event_wait(fd[8], 10000, &n);
	drain();

	tap_is(client_irqs(c, MSIX, 2, 1, TRIGGER, NULL, 0), 0,
	       "vector 2 is disconnected");
	dropped = sim_stat(&sim, "a", "irq_dropped");
	send_one(c, 1);
	tap_ok(!event_wait(fd[2], 50, &n), "and silent");
	tap_ok(sim_stat(&sim, "a", "irq_dropped") > dropped,
	       "the loss is counted");
	send_one(c, 0);
	tap_ok(event_wait(fd[0], 10000, &n), "its neighbour still fires");

	tap_is(client_irqs(c, MSIX, 3, 1, NONE, NULL, 0), 0, "client's own trigger");
	tap_ok(event_wait(fd[3], 1000, &n), "fires vector 3");
	tap_is(client_irqs(c, MSIX, 0, 0, NONE, NULL, 0), 0, "all disconnected");
	send_one(c, 0);
	tap_ok(!event_wait(fd[0], 50, &n), "nothing fires any more");
}

static void msi(struct client *c)
{
	u64 n;

	tap_is(client_irqs(c, MSI, 0, 1, TRIGGER, fd, 1), 0, "MSI: one vector");
	send_one(c, 0);
	tap_ok(event_wait(fd[0], 10000, &n), "fires");
	client_irqs(c, MSI, 0, 0, NONE, NULL, 0);
}

/* An interrupt descriptor that can't be written to must not stop the server. */
static void hostile(struct client *c)
{
	int pipefd[2], i;
	u64 raised;

	if (pipe(pipefd))
		tap_bail("pipe: %m");
	client_irqs(c, MSIX, 0, 1, TRIGGER, &pipefd[1], 1);
	raised = sim_stat(&sim, "a", "irq_raised");
	for (i = 0; i < 20000; i++)
		client_msg(c, VFU_SET_IRQS, VFU_NO_REPLY, 0,
			   &(struct vfio_irq_set) { .argsz = 20, .flags = NONE,
						    .index = MSIX, .count = 1 },
			   20, NULL, 0);
	tap_is(rd32(c, DEMO_ID), DEMO_MAGIC, "a full pipe doesn't stop the port");
	tap_ok(sim_stat(&sim, "a", "irq_raised") > raised, "some got through");
	close(pipefd[0]);
	client_irqs(c, MSIX, 0, 1, NONE, NULL, 0);
	tap_is(rd32(c, DEMO_ID), DEMO_MAGIC, "nor does a broken one");
	close(pipefd[1]);
	client_irqs(c, MSIX, 0, 0, NONE, NULL, 0);
}

int main(void)
{
	struct client c;
	u32 i;

	for (i = 0; i < DEMO_VECTORS; i++)
		fd[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	sim_start(&sim, args);
	client_open_mem(&c, &sim, "a", 0, 4 << 20);
	demo_start(&c);
	rules(&c);
	msix(&c);
	msi(&c);
	hostile(&c);
	client_close(&c);
	sim_stop(&sim);
	return tap_done();
}
