// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "nic.h"

#define SITE_LINES 20

static FILE *log_file;
static enum log_level log_max = LOG_INFO;
static u64 log_start;

int log_open(const char *path)
{
	log_start = mono_now();
	if (!path)
		return 0;
	log_file = fopen(path, "we");
	return log_file ? 0 : -errno;
}

void log_close(void)
{
	if (log_file)
		fclose(log_file);
	log_file = NULL;
}

void log_set_level(enum log_level level)
{
	log_max = level;
}

static void log_line(const struct nic *nic, enum log_level level,
		     const char *fmt, va_list ap)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };
	FILE *out = log_file ? log_file : stderr;
	u64 t = mono_now() - log_start;

	fprintf(out, "%llu.%06llu %s %s ",
		(unsigned long long)(t / NSEC_PER_SEC),
		(unsigned long long)(t % NSEC_PER_SEC / 1000),
		nic ? nic->name : "-", names[level]);
	vfprintf(out, fmt, ap);
	fputc('\n', out);
	fflush(out);
}

void nic_log(const struct nic *nic, enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (level > log_max)
		return;
	va_start(ap, fmt);
	log_line(nic, level, fmt, ap);
	va_end(ap);
}

void nic_guest_error(struct nic *nic, struct log_site *site,
		     const char *fmt, ...)
{
	va_list ap;

	nic->stats.guest_errors++;
	if (++site->hits > SITE_LINES && log_max < LOG_DEBUG)
		return;
	if (log_max >= LOG_WARN) {
		va_start(ap, fmt);
		log_line(nic, LOG_WARN, fmt, ap);
		va_end(ap);
	}
	if (site->hits == SITE_LINES && log_max < LOG_DEBUG)
		nic_log(nic, LOG_WARN,
			"that was no. %d of the last kind, no more lines",
			SITE_LINES);
}
