/* SPDX-License-Identifier: GPL-2.0 */
/* What a kernel log, read from a file, says about the kernel's health. */
#ifndef KLOG_H
#define KLOG_H

#include <stdbool.h>
#include <stddef.h>

/* Both: true if there is such a line; its text, without the time, to @buf. */
bool klog_find_panic(const char *path, char *buf, size_t size);
/* First line with which a kernel reports a fault in itself. */
bool klog_find_splat(const char *path, char *buf, size_t size);

#endif
