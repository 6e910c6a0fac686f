// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md.h"

void md_init(void)
{
	nic_init();
	if (!nic_patched) {
		puts("TAP version 13\n1..0 # SKIP the unpatched kernel knows no metadata");
		exit(0);
	}
}

int md_open(struct md_sock *m, unsigned int queue, unsigned int ring, unsigned int meta_len,
	    unsigned int bind_flags)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(nic_if, meta_len);
	int err;

	memset(m, 0, sizeof(*m));
	cfg.comp = cfg.tx = cfg.fill = ring;
	cfg.chunks = 2 * ring;
	m->chunks = ring;
	cfg.queue = queue;
	cfg.bind_flags = bind_flags ?: XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	m->queue = queue;
	err = uxsk_open(&m->x, &cfg);
	if (err) {
		tap_diag("queue %u: %s: %s", queue, m->x.step, strerror(-err));
		return err;
	}
	if (!uxsk_fill(&m->x, ring, ring))
		uxsk_kick(&m->x);
	m->chunk = calloc(ring, sizeof(*m->chunk));
	m->before = calloc(ring, sizeof(*m->before));
	if (!m->chunk || !m->before)
		tap_bail("out of memory");
	return 0;
}

void md_close(struct md_sock *m)
{
	uxsk_close(&m->x);
	free(m->chunk);
	free(m->before);
	m->chunk = NULL;
	m->before = NULL;
}

bool md_put(struct md_sock *m, struct md_frame *f)
{
	unsigned int c = m->next, tries = m->chunks;
	struct xsk_tx_metadata *meta;
	struct frame fr;
	uint64_t addr;

	while (m->chunk[c] && tries--)
		c = (c + 1) % m->chunks;
	if (m->chunk[c])
		return false;
	frame_build(&fr, &f->spec);
	if (f->finish)
		frame_finish(&fr);
	addr = uxsk_addr(&m->x, c);
	memcpy(uxsk_data(&m->x, addr), fr.data, fr.len);
	if (m->x.meta_len) {
		meta = uxsk_meta(&m->x, addr);
		memset(meta, MD_CANARY, MD_LEN);
		if (f->option) {
			meta->flags = f->flags;
			if (f->flags & XDP_TXMD_FLAGS_CHECKSUM) {
				meta->request.csum_start = f->csum_start ?: fr.l4;
				meta->request.csum_offset = f->csum_offset ?: fr.check - fr.l4;
			}
			if (f->flags & XDP_TXMD_FLAGS_LAUNCH_TIME)
				meta->request.launch_time = f->launch_ns;
		}
		memcpy(m->before[c], meta, MD_LEN);
	}
	f->submit_ns = uxsk_now_ns();
	if (uxsk_put(&m->x, addr, fr.len, f->option ? XDP_TX_METADATA : 0))
		return false;
	m->chunk[c] = f;
	m->next = (c + 1) % m->chunks;
	return true;
}

unsigned int md_reap(struct md_sock *m)
{
	__u64 addrs[64];
	unsigned int n = uxsk_reap(&m->x, addrs, 64);
	uint64_t now = uxsk_now_ns();

	for (unsigned int i = 0; i < n; i++) {
		unsigned int c = addrs[i] / m->x.chunk_size;
		struct md_frame *f = c < m->chunks ? m->chunk[c] : NULL;

		if (!f) {
			m->strays++;
			continue;
		}
		f->completions++;
		f->complete_ns = now;
		if (m->x.meta_len) {
			struct xsk_tx_metadata *meta = uxsk_meta(&m->x, uxsk_addr(&m->x, c));

			f->stamp = meta->completion.tx_timestamp;
			f->same = !memcmp(meta, m->before[c], MD_LEN);
		}
		m->chunk[c] = NULL;
	}
	return n;
}

size_t md_run(struct md_sock *m, struct md_frame *f, size_t n, unsigned int batch, unsigned int ms)
{
	size_t sent = 0, done = 0, inflight;
	uint64_t moved = uxsk_now_ns();

	while (done < n && uxsk_now_ns() - moved < ms * 1000000ULL) {
		unsigned int got;

		inflight = sent - done;
		/* A new batch when the last one is through. */
		if (!inflight)
			while (sent < n && sent - done < batch && md_put(m, &f[sent]))
				sent++;
		uxsk_kick(&m->x);
		got = md_reap(m);
		if (got) {
			done += got;
			moved = uxsk_now_ns();
		}
	}
	return done;
}

struct md_frame *md_frames(size_t n, uint64_t first)
{
	struct md_frame *f = calloc(n, sizeof(*f));
	struct frame_spec spec = { .ip = 4 };

	if (!f)
		tap_bail("out of memory");
	frame_to_peer(&spec);
	for (size_t i = 0; i < n; i++) {
		f[i].spec = spec;
		f[i].spec.seq = first + i;
		f[i].spec.payload = 18 + i % 200;
		f[i].finish = true;
	}
	return f;
}

uint32_t md_crc(const struct md_frame *f, bool complete, uint32_t *len)
{
	struct frame fr;

	frame_build(&fr, &f->spec);
	if (complete)
		frame_finish(&fr);
	/* The MAC pads with zeroes. */
	while (fr.len < 60)
		fr.data[fr.len++] = 0;
	*len = fr.len;
	return nic_crc32(fr.data, fr.len);
}

void md_stats(struct md_stats *s)
{
	static const char *const names[] = {
		"ts_requested", "ts_ok", "ts_skipped", "ts_timeout", "ts_flushed", "csum_ok",
		"csum_refused", "launch_ok", "launch_refused", "meta_invalid",
	};
	long long *val = (long long *)s;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "ethtool -S %s", nic_if);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		val[i] = -1;
	f = popen(line, "re");
	if (!f)
		tap_bail("popen: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		char *p = line + strspn(line, " \t");

		if (strncmp(p, "tx_xsk_", 7))
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strncmp(p + 7, names[i], strlen(names[i])) &&
			    p[7 + strlen(names[i])] == ':')
				val[i] = strtoll(p + 8 + strlen(names[i]), NULL, 10);
	}
	pclose(f);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (val[i] < 0)
			tap_bail("ethtool -S %s has no tx_xsk_%s", nic_if, names[i]);
}

struct md_stats md_since(const struct md_stats *before)
{
	struct md_stats now;
	const long long *b = (const long long *)before;
	long long *n = (long long *)&now;

	md_stats(&now);
	for (size_t i = 0; i < sizeof(now) / sizeof(*n); i++)
		n[i] -= b[i];
	return now;
}

bool md_sum_holds(const struct md_stats *before, const char *when)
{
	struct md_stats s = md_since(before);

	return tap_is(s.ok + s.skipped + s.timeout + s.flushed, s.requested,
		      "%s: requested = ok + skipped + timeout + flushed", when) &&
	       s.ok >= 0 && s.skipped >= 0 && s.timeout >= 0 && s.flushed >= 0;
}
