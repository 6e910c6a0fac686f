// SPDX-License-Identifier: GPL-2.0
/*
 * TCG plugin: counts the guest kernel's instructions by address between two
 * markers that a program in the guest executes. One vCPU.
 *
 *	-plugin icount.so,out=FILE
 *
 * FILE: a line "SECTION ADDRESS COUNT" for each instruction that ran, section
 * numbers counted from 0, addresses in 16 hexadecimal digits.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define EXPORT __attribute__((visibility("default")))
#define KERNEL_START 0xffff800000000000ULL

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* A translated block; a new translation of the same code is a new one. */
struct block {
	struct block *next;
	uint64_t count;
	size_t n;
	uint64_t pc[];
};

static struct block *blocks;
static bool on;
static unsigned int section;
static FILE *out;

static void run_block(unsigned int vcpu, void *arg)
{
	struct block *b = arg;

	(void)vcpu;
	b->count += on;
}

static void start(unsigned int vcpu, void *arg)
{
	struct block *b;

	(void)vcpu;
	(void)arg;
	for (b = blocks; b; b = b->next)
		b->count = 0;
	on = true;
}

static void stop(unsigned int vcpu, void *arg)
{
	struct block *b;
	size_t i;

	(void)vcpu;
	(void)arg;
	on = false;
	for (b = blocks; b; b = b->next)
		for (i = 0; b->count && i < b->n; i++)
			fprintf(out, "%u %016llx %llu\n", section,
				(unsigned long long)b->pc[i],
				(unsigned long long)b->count);
	fflush(out);
	section++;
}

static void translate_user(struct qemu_plugin_tb *tb, size_t n)
{
	static const uint8_t marker[8] = { 0x0f, 0x1f, 0x84, 0, 1, 't', 'x', 'm' };
	size_t i;

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t data[16];
		size_t len = qemu_plugin_insn_data(insn, data, sizeof(data));

		if (len != 8 || memcmp(data, marker, 4) ||
		    memcmp(data + 5, marker + 5, 3) || data[4] < 1 || data[4] > 2)
			continue;
		qemu_plugin_register_vcpu_insn_exec_cb(insn,
				data[4] == 1 ? start : stop,
				QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

static void translate(struct qemu_plugin_tb *tb, void *arg)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	struct block *b;

	(void)arg;
	if (!n)
		return;
	if (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) < KERNEL_START) {
		translate_user(tb, n);
		return;
	}
	b = malloc(sizeof(*b) + n * sizeof(b->pc[0]));
	if (!b)
		abort();
	b->count = 0;
	b->n = n;
	for (i = 0; i < n; i++)
		b->pc[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, run_block, QEMU_PLUGIN_CB_NO_REGS,
					     b);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fputs("icount: the argument must be out=FILE\n", stderr);
		return -1;
	}
	out = fopen(argv[0] + 4, "we");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	return 0;
}
