// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vfio_user/vfu.h"

struct dma_map {
	u64 iova, size;
	u8 *va;		/* of iova; NULL: an area that only the client can reach */
	bool read, write;
	void *base;	/* of the mmap */
	size_t length;
};

/* Sorted by iova, no overlaps. */
struct dma_space {
	struct dma_map *map;
	u32 n, room;
	u32 last;	/* most accesses hit the same one */
};

static long page_size;

/*
 * A client that shrinks the file under a mapping must not kill the process: put
 * zeroes where the memory was.
 */
static void on_sigbus(int sig, siginfo_t *info, void *ctx)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~((uintptr_t)page_size - 1);

	(void)ctx;
	if (mmap((void *)page, (size_t)page_size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

int dma_init(struct nic *nic)
{
	struct sigaction sa = {
		.sa_sigaction = on_sigbus,
		.sa_flags = SA_SIGINFO,
	};

	page_size = sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &sa, NULL);
	nic->dma = calloc(1, sizeof(*nic->dma));
	return nic->dma ? 0 : -ENOMEM;
}

void dma_exit(struct nic *nic)
{
	if (!nic->dma)
		return;
	dma_del_all(nic);
	free(nic->dma->map);
	free(nic->dma);
	nic->dma = NULL;
}

u32 dma_maps(const struct nic *nic)
{
	return nic->dma->n;
}

/* Index of the first mapping that ends behind @iova. */
static u32 find(const struct dma_space *s, u64 iova)
{
	u32 lo = 0, hi = s->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (s->map[mid].iova + (s->map[mid].size - 1) < iova)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int map_fd(struct dma_map *d, const struct vfu_dma_map *m, int fd)
{
	u64 skip = m->offset & ((u64)page_size - 1);
	int prot = (d->read ? PROT_READ : 0) | (d->write ? PROT_WRITE : 0);
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || m->offset > (u64)st.st_size ||
	    m->size > (u64)st.st_size - m->offset)
		return -EINVAL;
	d->length = m->size + skip;
	d->base = mmap(NULL, d->length, prot, MAP_SHARED | MAP_NORESERVE, fd,
		       (off_t)(m->offset - skip));
	if (d->base == MAP_FAILED) {
		d->base = NULL;
		return -errno;
	}
	d->va = (u8 *)d->base + skip;
	return 0;
}

int dma_add(struct nic *nic, const struct vfu_dma_map *m, int fd)
{
	struct dma_space *s = nic->dma;
	struct dma_map d = {
		.iova = m->address, .size = m->size,
		.read = m->flags & VFU_MAP_READ,
		.write = m->flags & VFU_MAP_WRITE,
	};
	u32 at;
	int err;

	if (!m->size || m->address + (m->size - 1) < m->address ||
	    m->flags & ~(VFU_MAP_READ | VFU_MAP_WRITE | VFU_MAP_MMAP |
			 VFU_MAP_FILE) ||
	    (m->flags & (VFU_MAP_MMAP | VFU_MAP_FILE) && fd < 0))
		return -EINVAL;
	if (s->n == VFU_MAX_MAPS)
		return -ENOSPC;
	at = find(s, m->address);
	if (at < s->n && s->map[at].iova <= m->address + (m->size - 1))
		return -EEXIST;
	if (s->n == s->room) {
		u32 room = s->room ? 2 * s->room : 32;
		struct dma_map *map = realloc(s->map, room * sizeof(*map));

		if (!map)
			return -ENOMEM;
		s->map = map;
		s->room = room;
	}
	if (fd >= 0 && (d.read || d.write)) {
		err = map_fd(&d, m, fd);
		if (err)
			return err;
	}
	memmove(&s->map[at + 1], &s->map[at], (s->n - at) * sizeof(d));
	s->map[at] = d;
	s->n++;
	return 0;
}

static void unmap(struct dma_map *d)
{
	if (d->base)
		munmap(d->base, d->length);
}

int dma_del(struct nic *nic, const struct vfu_dma_unmap *u)
{
	struct dma_space *s = nic->dma;
	u32 at;

	if (u->flags & VFU_UNMAP_ALL) {
		if (u->flags != VFU_UNMAP_ALL || u->address || u->size)
			return -EINVAL;
		dma_del_all(nic);
		return 0;
	}
	if (u->flags)
		return -EINVAL;
	at = find(s, u->address);
	if (at == s->n || s->map[at].iova != u->address ||
	    s->map[at].size != u->size)
		return -ENOENT;
	unmap(&s->map[at]);
	s->n--;
	memmove(&s->map[at], &s->map[at + 1], (s->n - at) * sizeof(s->map[0]));
	return 0;
}

void dma_del_all(struct nic *nic)
{
	struct dma_space *s = nic->dma;

	while (s->n)
		unmap(&s->map[--s->n]);
}

static const char *refusal(const struct nic *nic, const struct dma_map *d,
			   bool write)
{
	if (!pci_bus_master(nic))
		return "bus mastering is off";
	if (!d)
		return "not mapped";
	if (!d->va)
		return "an area without memory (ROM)";
	return write ? "read-only" : "write-only";
}

static void fault(struct nic *nic, const struct dma_map *d, u64 iova, size_t len,
		  bool write)
{
	nic->stats.dma_faults++;
	guest_error(nic, "DMA %s %#llx, %zu bytes: %s", write ? "write" : "read",
		    (unsigned long long)iova, len, refusal(nic, d, write));
}

/* Bytes at @iova that lie in one mapping, up to @len; 0: refused. */
static size_t span(struct nic *nic, u64 iova, size_t len, bool write, u8 **va)
{
	struct dma_space *s = nic->dma;
	struct dma_map *d = NULL;
	u64 off, room;

	if (s->last < s->n && iova - s->map[s->last].iova < s->map[s->last].size) {
		d = &s->map[s->last];
	} else {
		u32 at = find(s, iova);

		if (at < s->n && s->map[at].iova <= iova) {
			d = &s->map[at];
			s->last = at;
		}
	}
	if (!d || !d->va || !(write ? d->write : d->read) ||
	    !pci_bus_master(nic)) {
		fault(nic, d, iova, len, write);
		return 0;
	}
	off = iova - d->iova;
	room = d->size - off;
	*va = d->va + off;
	return len < room ? len : (size_t)room;
}

/* Check all of it first, so that a refused access moves no byte. */
static bool reachable(struct nic *nic, u64 iova, size_t len, bool write)
{
	u8 *va;

	while (len) {
		size_t n = span(nic, iova, len, write, &va);

		if (!n)
			return false;
		iova += n;
		len -= n;
	}
	return true;
}

static int move(struct nic *nic, u64 iova, u8 *buf, size_t len, bool write)
{
	u8 *va;
	size_t n;

	if (!len)
		return 0;
	n = span(nic, iova, len, write, &va);
	if (n < len && (!n || !reachable(nic, iova + n, len - n, write)))
		return -EFAULT;
	for (;;) {
		if (write)
			memcpy(va, buf, n);
		else
			memcpy(buf, va, n);
		len -= n;
		if (!len)
			return 0;
		buf += n;
		iova += n;
		n = span(nic, iova, len, write, &va);
	}
}

int dma_read(struct nic *nic, u64 iova, void *buf, size_t len)
{
	return move(nic, iova, buf, len, false);
}

int dma_write(struct nic *nic, u64 iova, const void *buf, size_t len)
{
	return move(nic, iova, (u8 *)(uintptr_t)buf, len, true);
}

void *dma_map(struct nic *nic, u64 iova, size_t len, bool write)
{
	u8 *va;
	size_t n = len ? span(nic, iova, len, write, &va) : 0;

	if (n && n == len)
		return va;
	if (n)
		guest_error(nic, "DMA at %#llx, %zu bytes: crosses two areas",
			    (unsigned long long)iova, len);
	return NULL;
}

/* An aligned word; NULL: refused. */
static void *word(struct nic *nic, u64 iova, size_t len, bool write)
{
	void *va = NULL;

	if (iova % len)
		guest_error(nic, "DMA word at %#llx, %zu bytes: misaligned",
			    (unsigned long long)iova, len);
	else
		va = dma_map(nic, iova, len, write);
	return va && (uintptr_t)va % len == 0 ? va : NULL;
}

#define DMA_WORD(name, bits, to, from)					\
int dma_write_##name(struct nic *nic, u64 iova, u##bits val)		\
{									\
	_Atomic u##bits *p = word(nic, iova, sizeof(val), true);	\
									\
	if (!p)								\
		return -EFAULT;						\
	atomic_store_explicit(p, to(val), memory_order_release);	\
	return 0;							\
}									\
int dma_read_##name(struct nic *nic, u64 iova, u##bits *val)		\
{									\
	_Atomic u##bits *p = word(nic, iova, sizeof(*val), false);	\
									\
	if (!p)								\
		return -EFAULT;						\
	*val = from(atomic_load_explicit(p, memory_order_acquire));	\
	return 0;							\
}

DMA_WORD(le32, 32, htole32, le32toh)
DMA_WORD(le64, 64, htole64, le64toh)
DMA_WORD(be32, 32, htobe32, be32toh)
DMA_WORD(be64, 64, htobe64, be64toh)

int dma_write_u8(struct nic *nic, u64 iova, u8 val)
{
	_Atomic u8 *p = word(nic, iova, 1, true);

	if (!p)
		return -EFAULT;
	atomic_store_explicit(p, val, memory_order_release);
	return 0;
}
