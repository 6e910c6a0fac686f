// SPDX-License-Identifier: GPL-2.0
/* Says what is there, and for each "no" why and what helps. Changes nothing. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "caps.h"
#include "diag.h"
#include "json.h"
#include "phc.h"
#include "tx.h"

enum answer { NO, YES, UNKNOWN };

struct probe {
	const char *ifname;
	struct netdev_info dev;
	FILE *file;			/* --json, NULL: none */
	struct json j;
};

/* One line, and one member of "checks". @remedy only where it is not YES. */
static void say(struct probe *p, const char *key, const char *title, enum answer a,
		const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

static void say(struct probe *p, const char *key, const char *title, enum answer a,
		const char *remedy, const char *fmt, ...)
{
	static const char *const words[] = { "no", "yes", "unknown" };
	char what[320], how[320] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (remedy)
		diag_expand(how, sizeof(how), remedy, p->ifname);
	printf("%-20s %-8s%s%s%s\n", title, words[a], what, *how ? "; " : "", how);
	if (!p->file)
		return;
	json_open(&p->j, key, '{');
	if (a == UNKNOWN)
		json_null(&p->j, "ok");
	else
		json_bool(&p->j, "ok", a == YES);
	json_str(&p->j, "detail", what);
	json_str(&p->j, "remedy", *how ? how : NULL);
	json_close(&p->j, '}');
}

static void probe_core(struct probe *p)
{
	switch (xsk_core_support()) {
	case CORE_FULL:
		say(p, "core", "core support", YES, NULL,
		    "the kernel registers a metadata area of %u bytes", XSK_META);
		break;
	case CORE_NO_FLAG:
		say(p, "core", "core support", YES, NULL,
		    "the kernel takes the length of the metadata area without a flag (6.8 to 6.10)");
		break;
	case CORE_NONE:
		say(p, "core", "core support", NO, diag_lookup(STEP_UMEM, EINVAL)->remedy, "%s",
		    diag_lookup(STEP_UMEM, EINVAL)->cause);
		break;
	case CORE_NO_AF_XDP:
		say(p, "core", "core support", NO, diag_lookup(STEP_SOCKET, EAFNOSUPPORT)->remedy,
		    "%s", diag_lookup(STEP_SOCKET, EAFNOSUPPORT)->cause);
		break;
	case CORE_DENIED:
		say(p, "core", "core support", UNKNOWN, "run as root or grant it",
		    "CAP_NET_RAW is missing");
		break;
	case CORE_UNKNOWN:
		say(p, "core", "core support", UNKNOWN, "raise ulimit -l, see the kernel log",
		    "a trial registration failed");
		break;
	}
}

static enum answer probe_zerocopy(struct probe *p)
{
	struct netdev_features f;
	enum netdev_zc sym;
	bool zc;

	if (!netdev_features(p->dev.ifindex, &f)) {
		zc = f.xdp & NETDEV_XDP_ZEROCOPY;
		say(p, "zerocopy", "zero-copy", zc ? YES : NO,
		    zc ? NULL : "use --copy, or a device whose driver has it",
		    zc ? "the driver says so" : "driver %s does not offer it%s", p->dev.driver,
		    f.xdp & NETDEV_XDP_BASIC ? "" : ", nor XDP");
		return zc ? YES : NO;
	}
	sym = netdev_zc_symbol(p->ifname, p->dev.driver);
	if (sym == ZC_YES)
		say(p, "zerocopy", "zero-copy", YES, NULL, "driver %s has the operation for it",
		    p->dev.driver);
	else if (sym == ZC_NO)
		say(p, "zerocopy", "zero-copy", NO, "use --copy, or a device whose driver has it",
		    "driver %s has no operation for it", p->dev.driver);
	else
		say(p, "zerocopy", "zero-copy", UNKNOWN, "try tx {if} --zerocopy",
		    "neither netlink nor /proc/kallsyms tells");
	return sym == ZC_YES ? YES : sym == ZC_NO ? NO : UNKNOWN;
}

static void probe_driver(struct probe *p, enum answer zerocopy)
{
	__u64 has = netdev_metadata_support(p->ifname, p->dev.ifindex, p->dev.driver);

	if (has)
		say(p, "driver_support", "driver support",
		    has & NETDEV_XSK_TIMESTAMP ? YES : NO,
		    has & NETDEV_XSK_TIMESTAMP ? NULL : "use --copy for software timestamps",
		    "driver %s serves in zero-copy:%s%s%s", p->dev.driver,
		    has & NETDEV_XSK_TIMESTAMP ? " timestamps" : "",
		    has & NETDEV_XSK_CHECKSUM ? " checksums" : "",
		    has & NETDEV_XSK_LAUNCH ? " launch-times" : "");
	else
		say(p, "driver_support", "driver support", NO,
		    zerocopy == NO ? "use --copy: where the core has support, it serves requests itself then" :
		    "use --copy, or a kernel whose driver has the patches (ethtool -S {if} shows tx_xsk_* then)",
		    "driver %s serves no TX metadata in zero-copy", p->dev.driver);
}

static void probe_stamps(struct probe *p)
{
	struct hwtstamp_config cfg;
	struct clock_pair pair;
	int err = hwts_get(p->ifname, &cfg), fd;

	if (err == -EOPNOTSUPP)
		say(p, "hwtstamp", "hwtstamp setting", NO,
		    "none needed: copy mode stamps in software, some drivers always stamp",
		    "the driver has no such setting");
	else if (err)
		say(p, "hwtstamp", "hwtstamp setting", UNKNOWN, "see ethtool -T {if}",
		    "it cannot be read (%s)", strerror(-err));
	else if (cfg.tx_type == HWTSTAMP_TX_OFF)
		say(p, "hwtstamp", "hwtstamp setting", NO,
		    "tx turns it on for as long as it runs; other programs: hwstamp_ctl -i {if} -t 1",
		    "TX timestamping is disabled on this interface (tx_type OFF, rx_filter %s)",
		    hwts_rx_name(cfg.rx_filter));
	else
		say(p, "hwtstamp", "hwtstamp setting", YES, NULL, "tx_type %s, rx_filter %s",
		    hwts_tx_name(cfg.tx_type), hwts_rx_name(cfg.rx_filter));

	if (p->dev.phc < 0) {
		say(p, "phc", "PTP clock", NO, "latencies are known in copy mode only",
		    "the device has none");
		return;
	}
	fd = phc_open(p->dev.phc);
	if (fd >= 0 && !phc_read(fd, &pair))
		say(p, "phc", "PTP clock", YES, NULL,
		    "/dev/ptp%d, %.9f s, read to within %llu ns", p->dev.phc, pair.dev / 1e9,
		    pair.unc);
	else
		say(p, "phc", "PTP clock", UNKNOWN, "run as root, see ls -l /dev/ptp*",
		    "/dev/ptp%d cannot be read (%s)", p->dev.phc,
		    strerror(fd < 0 ? -fd : errno));
	if (fd >= 0)
		close(fd);
}

static void probe_xdp(struct probe *p)
{
	struct xdpprog_other o;
	int err = xdpprog_query(p->dev.ifindex, &o);

	if (err)
		say(p, "xdp_free", "room for XDP", UNKNOWN, "see ip link show dev {if}",
		    "it cannot be learned (%s)", strerror(-err));
	else if (o.id)
		say(p, "xdp_free", "room for XDP", NO,
		    "end its program or ip link set dev {if} xdp off, or use --copy",
		    "an XDP program is attached (%s%sid %u)", o.name, *o.name ? ", " : "", o.id);
	else
		say(p, "xdp_free", "room for XDP", YES, NULL, "no XDP program is attached");
}

static void probe_sizes(struct probe *p)
{
	__u32 n = netdev_xsk_queues(&p->dev);
	bool fits = p->dev.mtu + 18 + 256 <= XSK_CHUNK;

	say(p, "queues", "queues", n ? YES : NO, n ? NULL : "ethtool -L {if}",
	    "%u RX, %u TX; for AF_XDP 0 to %d; rings %u RX, %u TX", p->dev.rx_queues,
	    p->dev.tx_queues, (int)n - 1, p->dev.rx_ring, p->dev.tx_ring);
	say(p, "mtu", "MTU fits a chunk", fits ? YES : NO,
	    fits ? NULL : "ip link set dev {if} mtu 1500",
	    "MTU %u, chunk %u: with headroom, header and VLAN tag 3822 at most", p->dev.mtu,
	    XSK_CHUNK);
}

static void probe_permissions(struct probe *p)
{
	unsigned int need = NEED_NET_RAW | NEED_NET_ADMIN | NEED_BPF, missing;
	char names[96];

	if (caps_over_memlock((size_t)XSK_FRAMES * XSK_CHUNK))
		need |= NEED_IPC_LOCK;
	missing = caps_missing(need);
	caps_names(missing, names, sizeof(names));
	say(p, "permissions", "permissions", missing ? NO : YES,
	    missing ? "run as root or grant it" : NULL, missing ? "%s missing" : "all there%s",
	    missing ? names : "");
}

int cmd_probe(const struct opts *o)
{
	struct probe p = { .ifname = o->ifname };
	enum answer zerocopy;
	struct utsname u;
	int err;

	err = netdev_info(o->ifname, &p.dev);
	if (err)
		return diag_error(o->ifname, EX_START, "ip link shows those that exist",
				  err == -ENODEV ? "no such interface" : "it cannot be looked at");
	if (o->json) {
		p.file = fopen(o->json, "we");
		if (!p.file)
			return diag_error(o->ifname, EX_START,
					  diag_lookup(STEP_FILE, errno)->remedy, "%s: %s (%s)",
					  o->json, diag_lookup(STEP_FILE, errno)->cause,
					  strerror(errno));
		p.j.f = p.file;
		json_open(&p.j, NULL, '{');
		json_u64(&p.j, "schema", 1);
		json_str(&p.j, "command", "probe");
		json_str(&p.j, "interface", o->ifname);
		json_open(&p.j, "checks", '{');
	}
	uname(&u);
	printf("%s: driver %s%s%s%s%s, %s, kernel %s\n", o->ifname,
	       *p.dev.driver ? p.dev.driver : "unknown", *p.dev.version ? " " : "",
	       p.dev.version, *p.dev.firmware ? ", firmware " : "", p.dev.firmware,
	       *p.dev.bus ? p.dev.bus : "no bus address", u.release);
	probe_permissions(&p);
	probe_core(&p);
	zerocopy = probe_zerocopy(&p);
	probe_driver(&p, zerocopy);
	probe_xdp(&p);
	probe_stamps(&p);
	probe_sizes(&p);
	if (p.file) {
		json_close(&p.j, '}');
		json_close(&p.j, '}');
		err = ferror(p.file);
		if (fclose(p.file) || err)
			return diag_error(o->ifname, EX_FAIL,
					  diag_lookup(STEP_FILE, errno)->remedy,
					  "%s is not written whole (%s)", o->json, strerror(errno));
	}
	return EX_PASS;
}
