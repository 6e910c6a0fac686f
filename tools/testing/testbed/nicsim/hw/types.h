/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integer names, byte order and the little helpers that every file wants.
 */
#ifndef NICSIM_TYPES_H
#define NICSIM_TYPES_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#ifndef BIT
#define BIT(n) (1U << (n))
#endif
#ifndef BIT_ULL
#define BIT_ULL(n) (1ULL << (n))
#endif
#ifndef GENMASK
#define GENMASK(h, l) ((~0U << (l)) & (~0U >> (31 - (h))))
#endif
/* The bits @mask selects of @val, moved down to bit 0, and the way back. */
#define FIELD(mask, val) (((val) & (mask)) / ((mask) & -(mask)))
#define FIELD_SET(mask, val) (((val) * ((mask) & -(mask))) & (mask))

#ifndef container_of
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

#define NSEC_PER_SEC 1000000000ULL

/* Unaligned access with a stated byte order. */
#define NICSIM_ACCESS(bits, order, toh, fromh)				\
static inline u##bits get_##order##bits(const void *p)			\
{									\
	u##bits v;							\
									\
	memcpy(&v, p, sizeof(v));					\
	return toh(v);							\
}									\
static inline void put_##order##bits(void *p, u##bits v)		\
{									\
	v = fromh(v);							\
	memcpy(p, &v, sizeof(v));					\
}

NICSIM_ACCESS(16, le, le16toh, htole16)
NICSIM_ACCESS(32, le, le32toh, htole32)
NICSIM_ACCESS(64, le, le64toh, htole64)
NICSIM_ACCESS(16, be, be16toh, htobe16)
NICSIM_ACCESS(32, be, be32toh, htobe32)
NICSIM_ACCESS(64, be, be64toh, htobe64)

#endif
