// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "nic.h"

static FILE *truth_file;
static u64 lines;

int truth_open(const char *path)
{
	truth_file = fopen(path, "we");
	return truth_file ? 0 : -errno;
}

static void number(const char *name, u64 val)
{
	if (val == TRUTH_NONE)
		fprintf(truth_file, ", \"%s\": null", name);
	else
		fprintf(truth_file, ", \"%s\": %llu", name,
			(unsigned long long)val);
}

static u64 seq_of(const struct truth_rec *rec)
{
	struct pkt p;

	if (!pkt_parse(&p, rec->data, rec->len) || p.proto != 17 ||
	    !p.payload || p.l4_len < 16)
		return TRUTH_NONE;
	return get_be64(rec->data + p.payload);
}

void truth_log(const struct truth_rec *rec)
{
	if (!truth_file)
		return;
	fprintf(truth_file, "{\"port\": \"%s\", \"queue\": %u, \"desc\": %u",
		rec->port, rec->queue, rec->desc);
	number("seq", seq_of(rec));
	number("egress_ns", rec->egress_ns);
	number("stamp_ns", rec->stamp_ns);
	fprintf(truth_file, ", \"len\": %u, \"crc32\": %u, \"req\": %u",
		rec->len, crc32_eth(rec->data, rec->len), rec->req);
	number("launch_ns", rec->launch_ns);
	number("rx_ns", rec->rx_ns);
	if (rec->fault)
		fprintf(truth_file, ", \"fault\": \"%s\"", rec->fault);
	else
		fputs(", \"fault\": null", truth_file);
	if (rec->cqe_ns != TRUTH_NONE)
		number("cqe_ns", rec->cqe_ns);
	fputs("}\n", truth_file);
	lines++;
}

int truth_flush(void)
{
	if (!truth_file)
		return 0;
	if (fflush(truth_file) || ferror(truth_file))
		return errno ? -errno : -EIO;
	return 0;
}

void truth_close(void)
{
	if (truth_file)
		fclose(truth_file);
	truth_file = NULL;
}

u64 truth_lines(void)
{
	return lines;
}
