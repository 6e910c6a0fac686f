// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "phc.h"
#include "tx.h"

#define SOURCE_PORT 9092
#define LINK_TRIES 200
#define LINK_TRIES_ZC 1000

/* Goes over no bridge, so a run without a peer stays on its own link. */
static const __u8 nowhere[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e };

static void on_signal(int sig)
{
	(void)sig;
	tx_stop = 1;
}

static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	/* A reader that went away must not keep the device from being restored. */
	sigaction(SIGPIPE, &ignore, NULL);
}

static int out_open(struct out *out, const char *ifname, const char *path)
{
	int fd;

	if (!path)
		return 0;
	out->path = path;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	out->created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		out->f = fdopen(fd, "w");
	if (!out->f) {
		const struct diag_entry *e = diag_lookup(STEP_FILE, errno);

		diag_error(ifname, EX_START, e->remedy, "%s: %s (%s)", path, e->cause,
			   strerror(errno));
		if (fd >= 0)
			close(fd);
		return EX_START;
	}
	return 0;
}

/* Writes it if the run got that far, or leaves no trace of the attempt. */
static int out_close(struct out *out, const struct tx *t, bool ran,
		     void (*write_it)(const struct tx *t, FILE *f))
{
	bool bad = false;
	int err;

	if (!out->f)
		return 0;
	if (ran) {
		/* Devices and pipes can't be cut, and needn't. */
		if (ftruncate(fileno(out->f), 0) && errno != EINVAL)
			bad = true;
		write_it(t, out->f);
		bad |= ferror(out->f);
	}
	errno = 0;
	bad |= fclose(out->f);
	err = errno ?: EIO;
	out->f = NULL;
	if (!ran && out->created)
		unlink(out->path);
	if (!bad)
		return 0;
	return diag_error(t->o->ifname, EX_FAIL, diag_lookup(STEP_FILE, err)->remedy,
			  "%s is not written whole (%s)", out->path, strerror(err));
}

static int check_device(struct tx *t)
{
	const struct opts *o = t->o;
	int err = netdev_info(o->ifname, &t->dev);

	if (err == -ENODEV)
		return diag_error(o->ifname, EX_START, "ip link shows those that exist",
				  "no such interface");
	if (err)
		return diag_error(o->ifname, EX_START, "see ip link", "%s", strerror(-err));
	if (!t->dev.is_ethernet)
		return diag_error(o->ifname, EX_LACKS, "choose an Ethernet interface",
				  "not an Ethernet interface");
	if (o->size > XSK_CHUNK - XSK_META)
		return diag_error(o->ifname, EX_START, "lower --size",
				  "--size %u does not fit a chunk of %u bytes with %u of metadata",
				  o->size, XSK_CHUNK, XSK_META);
	/* A chunk takes the device's own headroom of 256 bytes, and a VLAN tag. */
	if (t->dev.mtu + 18 + 256 > XSK_CHUNK)
		return diag_error(o->ifname, EX_START, "ip link set dev {if} mtu 1500",
				  "frames of MTU %u do not fit a chunk of %u bytes (3822 at most)",
				  t->dev.mtu, XSK_CHUNK);
	if (o->size > t->dev.mtu + 14)
		return diag_error(o->ifname, EX_START, "lower --size or raise the MTU",
				  "--size %u is more than MTU %u and the Ethernet header", o->size,
				  t->dev.mtu);
	return 0;
}

static int check_link(const struct tx *t)
{
	if (!t->dev.up)
		return diag_error(t->o->ifname, EX_START, "ip link set dev {if} up",
				  "the interface is down");
	if (!netdev_wait_link(t->o->ifname, LINK_TRIES, &tx_stop))
		return diag_error(t->o->ifname, EX_START,
				  "see the cable, and that the other end is up", "no link");
	return 0;
}

static void choose_flow(struct tx *t)
{
	struct flow *f = &t->flow;

	*f = (struct flow){
		.ipv6 = t->o->ip == IP_V6, .sport = SOURCE_PORT, .dport = t->o->port,
	};
	memcpy(f->smac, t->dev.mac, 6);
	memcpy(f->dmac, t->o->peer ? t->peer.dev.mac : t->o->has_dst_mac ? t->o->dst_mac : nowhere,
	       6);
	/* Where an end has no address: those set aside for documentation. */
	if (f->ipv6) {
		memcpy(f->src, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
		memcpy(f->dst, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2", 16);
		netdev_ipv6(t->o->ifname, f->src);
		if (t->peer.has_v6)
			memcpy(f->dst, t->peer.v6, 16);
	} else {
		memcpy(f->src, "\xc0\0\2\1", 4);
		memcpy(f->dst, "\xc0\0\2\2", 4);
		netdev_ipv4(t->o->ifname, f->src);
		if (t->peer.has_v4)
			memcpy(f->dst, t->peer.v4, 4);
	}
}

/* The clock of the stamps; hardware stamps must be on, which the caller saw to. */
static void choose_clock(struct tx *t)
{
	if (!t->zerocopy) {
		t->map.clock = CLOCK_SYS_TAI;
		return;
	}
	if (t->dev.phc >= 0)
		t->phc = phc_open(t->dev.phc);
	if (t->phc >= 0)
		t->map.clock = CLOCK_PHC;
	else if (t->o->timestamp)
		diag_note(t->o->ifname, "the device's clock cannot be read%s%s, latencies stay unknown",
			  t->dev.phc < 0 ? "" : ": ", t->dev.phc < 0 ? "" : strerror(-t->phc));
}

/* Zero-copy is bound: whether device and driver serve what is asked. */
static int check_support(const struct tx *t)
{
	__u64 has = netdev_metadata_support(t->o->ifname, t->dev.ifindex,
					    t->dev.driver);

	if (t->o->timestamp && !(has & NETDEV_XSK_TIMESTAMP))
		return diag_error(t->o->ifname, EX_LACKS, "use --copy for software ones",
				  "driver %s has no TX timestamps for zero-copy", t->dev.driver);
	if (t->o->launch && !(has & NETDEV_XSK_LAUNCH))
		return diag_error(t->o->ifname, EX_LACKS, "leave out --launch",
				  "driver %s has no launch times for zero-copy", t->dev.driver);
	if (t->o->csum && !(has & NETDEV_XSK_CHECKSUM))
		return diag_error(t->o->ifname, EX_LACKS, "use --copy, or leave out --csum",
				  "driver %s has no TX checksums for zero-copy", t->dev.driver);
	if (t->o->timestamp && t->has_hwtstamp && t->hwtstamp.tx_type == HWTSTAMP_TX_OFF)
		return diag_error(t->o->ifname, EX_LACKS, "see ethtool -T {if}",
				  "TX timestamping is disabled on this interface and cannot be enabled");
	return 0;
}

/* Hardware stamps on, socket open: from here on there is something to undo. */
static int open_device(struct tx *t, const struct xsk_want *want)
{
	int ret, err;

	if (t->o->timestamp && want->mode != MODE_COPY && t->dev.hw_tx_stamps) {
		err = hwts_enable(&t->hwts, t->o->ifname);
		/* mlx5 and others stamp without being told; what lacks it shows below. */
		if (err && err != -EOPNOTSUPP)
			return diag_errno(t->o->ifname, STEP_HWTSTAMP, -err);
	}
	ret = xsk_open(&t->x, want);
	if (ret)
		return ret;
	t->zerocopy = t->x.zerocopy;
	t->fallback = t->x.fallback;
	if (!t->zerocopy)
		hwts_restore(&t->hwts);
	t->has_hwtstamp = !hwts_get(t->o->ifname, &t->hwtstamp);
	if (t->zerocopy) {
		ret = check_support(t);
		if (ret)
			return ret;
	} else if (want->mode == MODE_COPY) {
		struct xdpprog_other other;

		if (!xdpprog_query(t->dev.ifindex, &other) && other.id)
			diag_note(t->o->ifname, "XDP program %u is attached; left alone, copy mode needs none",
				  other.id);
	}
	if (t->o->launch && !t->zerocopy)
		return diag_error(t->o->ifname, EX_LACKS, "see xdp_hw_metadata probe {if}",
				  "launch times take zero-copy: %s", t->fallback);
	choose_clock(t);
	if (t->o->launch && t->map.clock != CLOCK_PHC)
		return diag_error(t->o->ifname, EX_LACKS, "see ethtool -T {if}",
				  "launch times take a PTP clock that can be read");
	return 0;
}

bool tx_counter(const struct tx *t, const char *name, __u64 *delta)
{
	char full[40];
	__u64 a, b;

	snprintf(full, sizeof(full), "tx_xsk_%s", name);
	if (!netdev_counter(t->before, t->n_before, full, &a) ||
	    !netdev_counter(t->after, t->n_after, full, &b))
		return false;
	*delta = b - a;
	return true;
}

static void collect_counters(struct tx *t)
{
	__u64 skipped = 0, timeout = 0, flushed = 0;

	t->n_after = netdev_counters(t->o->ifname, &t->after);
	/* Copy mode passes the driver's metadata code by. */
	if (!t->zerocopy)
		return;
	t->run.has_counters = tx_counter(t, "ts_skipped", &skipped) &&
			      tx_counter(t, "ts_timeout", &timeout) &&
			      tx_counter(t, "ts_flushed", &flushed);
	t->run.ts_unserved = skipped + timeout + flushed;
	tx_counter(t, "csum_refused", &t->run.csum_refused);
	if (t->o->launch)
		tx_counter(t, "launch_refused", &t->run.launch_refused);
}

static int no_memory(const struct tx *t)
{
	return diag_error(t->o->ifname, EX_START, "lower --count", "not enough memory for %llu frames",
			  t->o->count);
}

/* Sends and judges. */
static int run(struct tx *t)
{
	struct xdp_statistics st;
	int err;

	t->run.frame = calloc(t->o->count, sizeof(*t->run.frame));
	if (!t->run.frame)
		return no_memory(t);
	t->run.count = t->o->count;
	t->run.map = &t->map;
	t->run.has_peer = t->o->peer;
	t->n_before = netdev_counters(t->o->ifname, &t->before);
	/* A device that a program was attached to may take its time to come back. */
	if (t->zerocopy)
		netdev_wait_link(t->o->ifname, LINK_TRIES_ZC, &tx_stop);
	if (t->o->peer) {
		err = peer_start(&t->peer, &t->flow, t->run.frame, t->run.count, t->o->size);
		if (err)
			return diag_errno(t->o->ifname, STEP_PEER_SOCKET, -err);
	}
	if (tx_send(t))
		return no_memory(t);
	t->run.peer_unknown = t->peer.unknown;
	t->run.peer_drops = t->peer.drops;
	if (!uxsk_stats(&t->x.u, &st))
		t->run.invalid_descs = st.tx_invalid_descs;
	collect_counters(t);
	if (!verdict_judge(&t->run, &t->verdict))
		return no_memory(t);
	if (t->run.send_errno)
		diag_errno(t->o->ifname, STEP_SEND, t->run.send_errno);
	return t->verdict.pass ? EX_PASS : EX_FAIL;
}

int cmd_tx(const struct opts *o)
{
	struct tx t = {
		.o = o, .peer = PEER_NONE, .hwts = HWTS_NONE, .x = XSK_NONE, .phc = -1,
	};
	struct xsk_want want = {
		.ifname = o->ifname, .dev = &t.dev, .queue = o->queue, .sw_csum = o->sw_csum,
		/* Zero-copy leaves checksums in software out of account. */
		.mode = o->sw_csum ? MODE_COPY : o->mode,
	};
	bool ran = false;
	int ret, err;

	catch_signals();
	ret = check_device(&t);
	if (!ret)
		ret = out_open(&t.json, o->ifname, o->json);
	if (!ret)
		ret = out_open(&t.frames, o->ifname, o->frames);
	if (!ret)
		ret = xsk_check(&want);
	if (!ret)
		ret = check_link(&t);
	if (!ret && o->peer)
		ret = peer_open(&t.peer, o->ifname, o->peer_netns, o->peer);
	if (!ret)
		ret = open_device(&t, &want);
	if (!ret) {
		choose_flow(&t);
		ret = run(&t);
		ran = ret == EX_PASS || ret == EX_FAIL;
	}

	/* The device first, whatever becomes of the rest. */
	xsk_close(&t.x);
	err = hwts_restore(&t.hwts);
	if (err)
		ret = diag_errno(o->ifname, STEP_HWTSTAMP_OFF, -err);
	peer_close(&t.peer);
	if (t.phc >= 0)
		close(t.phc);
	if (out_close(&t.json, &t, ran, report_json) || out_close(&t.frames, &t, ran, report_frames)) {
		if (ret == EX_PASS) {
			ret = EX_FAIL;
			t.verdict.pass = false;
			strcpy(t.verdict.reason, "an output file is not written whole");
		}
	}
	if (ran)
		report_text(&t, stdout);
	fflush(stdout);
	free(t.run.frame);
	free(t.before);
	free(t.after);
	clockmap_free(&t.map);
	return ret;
}
