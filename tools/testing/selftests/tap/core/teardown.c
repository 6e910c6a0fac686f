// SPDX-License-Identifier: GPL-2.0
/*
 * After a sender is gone its memory belongs to others. The UMEM is a memfd that
 * this process holds as well; a child sends frames that stay under way, and
 * ends in one of several ways. From then on nothing may write to the memory.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "hold.h"

#define FRAMES		32
#define CANARY		0x3c
#define NETNS		"txmd-teardown"

static __u8 *area;
static size_t size;
static int memfd;

static void restore(void)
{
	hold_remove(NULL);
	net_try("ip netns del " NETNS " 2>/dev/null");
}

static void start_sending(struct uxsk *x)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(HOLD_IF, 24);
	unsigned int i;
	int err;

	cfg.area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (cfg.area == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));
	core_open(x, &cfg);
	hold_prime(x);
	for (i = 0; i < FRAMES; i++) {
		struct pkt p = { .payload = 50, .seq = i };
		__u64 addr = core_frame(x, i, &p);

		core_request(x, addr, META_TS, NULL);
		core_put(x, addr, p.len, META_TX);
	}
	err = uxsk_kick(x);
	if (err)
		tap_bail("send: %s", strerror(-err));
	if (uxsk_reap(x, NULL, FRAMES))
		tap_bail("frames complete at once: nothing to test");
}

/* Waits until every frame must have left, then looks at the memory. */
static bool untouched(void)
{
	size_t i;

	poll(NULL, 0, HOLD_ALL_MS + 300);
	for (i = 0; i < size; i++) {
		if (area[i] != CANARY) {
			tap_diag("byte %zu (chunk %zu, %zu) was written", i, i / 2048, i % 2048);
			return false;
		}
	}
	return true;
}

enum how { CLOSE, KILL, KILL_AND_NETNS, HOWS };

static const char *const how_names[] = {
	[CLOSE] = "close()",
	[KILL] = "kill -9",
	[KILL_AND_NETNS] = "kill -9 and deletion of the netns",
};

static void child_goes(enum how how, const char *netns)
{
	int up[2], down[2], st;
	char c = 0;
	pid_t pid;

	if (netns)
		net_sh("ip netns add %s", netns);
	hold_make(netns);
	if (pipe(up) || pipe(down))
		tap_bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		tap_bail("fork: %s", strerror(errno));
	if (!pid) {
		struct uxsk x;

		close(down[1]);
		net_enter(netns);
		start_sending(&x);
		if (how == CLOSE)
			uxsk_close(&x);
		if (write(up[1], &c, 1) != 1 || read(down[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(up[1]);
	if (read(up[0], &c, 1) != 1)
		tap_bail("the child ended early");
	if (how != CLOSE) {
		kill(pid, SIGKILL);
		waitpid(pid, &st, 0);
	}
	if (how == KILL_AND_NETNS)
		net_sh("ip netns del %s", netns);
	memset(area, CANARY, size);
	tap_ok(untouched(), "%s: nothing is written afterwards", how_names[how]);
	close(down[1]);
	if (how == CLOSE)
		waitpid(pid, &st, 0);
	close(up[0]);
	close(down[0]);
	if (netns)
		net_try("ip netns del %s 2>/dev/null", netns);
	else
		hold_remove(NULL);
}

/* The device goes, the socket stays. */
static void device_goes(bool delete)
{
	const char *name = delete ? "deletion of the device" : "ifdown";
	struct uxsk x;
	unsigned int n;
	int err;

	hold_make(NULL);
	start_sending(&x);
	if (delete)
		hold_remove(NULL);
	else
		net_sh("ip link set " HOLD_IF " down && ip link set " HOLD_LOWER " down");
	memset(area, CANARY, size);
	tap_ok(untouched(), "%s under an open socket: nothing is written afterwards", name);
	n = uxsk_reap(&x, NULL, FRAMES);
	if (!delete)
		tap_is(n, FRAMES, "%s: what was under way has completed", name);
	core_put(&x, uxsk_addr(&x, 1), 60, META_TX);
	err = uxsk_kick(&x);
	tap_ok(err == (delete ? -ENXIO : -ENETDOWN), "%s: the next send says %s", name,
	       strerror(-err));
	tap_is(uxsk_reap(&x, NULL, FRAMES), 0, "%s: and completes nothing", name);
	if (!delete) {
		net_sh("ip link set " HOLD_LOWER " up && ip link set " HOLD_IF " up");
		memset(uxsk_meta(&x, uxsk_addr(&x, 1)), 0, 24);
		tap_is(uxsk_drain(&x, NULL, 1, TIMEOUT_MS, NULL), 1, "ifup: it goes on");
	}
	munmap(x.area, x.size);
	uxsk_close(&x);
	hold_remove(NULL);
}

/* One of two sockets on a UMEM goes: the other's frames are still answered. */
static void one_of_two(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(HOLD_IF, 24);
	unsigned int i, n, a_rest = 0, b_stamped = 0;
	struct uxsk a, b;
	int err;

	hold_make(NULL);
	cfg.area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	core_open(&b, &cfg);
	cfg.fill = 0;
	cfg.comp = 0;
	err = uxsk_open_shared(&a, &cfg, &b);
	if (err)
		tap_bail("second socket: %s: %s", a.step, strerror(-err));
	hold_prime(&b);
	for (i = 0; i < FRAMES; i++) {
		struct uxsk *x = i & 1 ? &b : &a;
		struct pkt p = { .payload = 50, .seq = i };
		__u64 addr = core_frame(x, i, &p);

		core_request(x, addr, META_TS, NULL);
		uxsk_meta(x, addr)->completion.tx_timestamp = 1;
		core_put(x, addr, p.len, META_TX);
	}
	if (uxsk_kick(&a) || uxsk_kick(&b))
		tap_bail("send failed");
	uxsk_close(&a);
	n = uxsk_drain(&b, NULL, FRAMES, TIMEOUT_MS, NULL);
	for (i = 0; i < FRAMES; i++) {
		__u64 ts = uxsk_meta(&b, uxsk_addr(&b, i))->completion.tx_timestamp;

		if (i & 1)
			b_stamped += ts > 1;
		else
			a_rest += ts != 0;
	}
	tap_is(n, FRAMES, "one of two sockets closes: the frames of both complete");
	tap_is(a_rest, 0, "those of the closed one are answered with 0");
	tap_is(b_stamped, FRAMES / 2, "the other one has its stamps");
	uxsk_close(&b);
	munmap(cfg.area, size);
	hold_remove(NULL);
}

int main(void)
{
	unsigned long i;

	size = FRAMES * 2 * 2048;
	memfd = memfd_create("umem", MFD_CLOEXEC);
	if (memfd < 0 || ftruncate(memfd, size))
		tap_bail("memfd: %s", strerror(errno));
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (area == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));
	atexit(restore);
	restore();
	for (i = tap_rounds(2); i; i--) {
		child_goes(CLOSE, NULL);
		child_goes(KILL, NULL);
		child_goes(KILL_AND_NETNS, NETNS);
		device_goes(false);
		device_goes(true);
		one_of_two();
	}
	return tap_done();
}
