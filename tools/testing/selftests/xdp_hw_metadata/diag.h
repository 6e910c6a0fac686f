/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the tool ends and how it speaks. Errors are one line on stderr,
 *	xdp_hw_metadata: IFNAME: cause; remedy
 * and every errno of every step has its probable cause in one table.
 */
#ifndef DIAG_H
#define DIAG_H

#include <stdbool.h>
#include <stddef.h>

#define TOOL "xdp_hw_metadata"

enum exit_code {
	EX_PASS = 0,
	EX_FAIL = 1,		/* ran, and something was wrong */
	EX_START = 2,		/* could not start */
	EX_LACKS = 4,		/* the device or its driver can't do that */
};

/* What was being done when an errno came. */
enum step {
	STEP_SOCKET,		/* socket(AF_XDP) */
	STEP_UMEM,		/* XDP_UMEM_REG */
	STEP_RING,		/* XDP_*_RING */
	STEP_MMAP,		/* mapping a ring */
	STEP_BIND_COPY,
	STEP_BIND_ZC,
	STEP_SEND,		/* sendto() */
	STEP_XDP_LOAD,
	STEP_XDP_ATTACH,
	STEP_HWTSTAMP,		/* SIOCSHWTSTAMP */
	STEP_HWTSTAMP_OFF,	/* hwts_restore() */
	STEP_PEER_SOCKET,
	STEP_NETNS_ENTER,
	STEP_FILE,		/* an output file */
	STEP_COUNT
};

struct diag_entry {
	enum step step;
	int err;		/* positive errno, 0: every other errno of this step */
	enum exit_code code;
	const char *cause;	/* "{if}" stands for the interface's name */
	const char *remedy;
};

/* Never NULL: a step's own entry for 0 answers for what is not listed. */
const struct diag_entry *diag_lookup(enum step step, int err);

/* Writes @text with each "{if}" replaced by @ifname; always terminated. */
void diag_expand(char *buf, size_t size, const char *text, const char *ifname);

/*
 * Prints one error line and returns @code. @ifname may be NULL (no interface
 * concerned), @remedy may hold "{if}".
 */
int diag_error(const char *ifname, enum exit_code code, const char *remedy,
	       const char *cause, ...) __attribute__((format(printf, 4, 5)));

/* The same from the table; @err is a positive errno. Returns the entry's code. */
int diag_errno(const char *ifname, enum step step, int err);

/* A remark on stderr that is no error. */
void diag_note(const char *ifname, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* DIAG_H */
