/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A vfio-user client for tests: starts nicsim, connects to a port, speaks the
 * protocol well or badly. What must work for the test to make sense ends it by
 * tap_bail().
 */
#ifndef NICSIM_TEST_CLIENT_H
#define NICSIM_TEST_CLIENT_H

#include "hw/types.h"
#include "models/demo/demo.h"
#include "tap.h"
#include "vfio_user/proto.h"

#define REPLY_MAX 8192

struct sim {
	int pid;
	char dir[64];
	char truth[96];
	char pcap[96];
	char log[96];
};

/* $NICSIM, or the one built with sanitizers, two folders up from the test. */
const char *sim_binary(void);
/* Runs it; @args: NULL-ended. */
void sim_start(struct sim *s, const char *const *args);
/* Ends it by SIGTERM; a check that it exits with 0, sanitizers included. */
void sim_stop(struct sim *s);
bool sim_alive(const struct sim *s);
/* One control request; all answer lines in @out (may be NULL). 0 ok, 1 error. */
int sim_ctl(const struct sim *s, char *out, size_t room, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The number behind "NAME " in the answer to "stats PORT". */
u64 sim_stat(const struct sim *s, const char *port, const char *name);

struct client {
	int fd;
	u16 id;
	int memfd;
	u8 *mem;
	u64 mem_size;
	u64 iova;
};

/* A reply; err is the errno of an error reply, -1 if there was none at all. */
struct reply {
	struct vfu_header h;
	int err;
	u32 len;
	u8 data[REPLY_MAX];
};

int client_connect_raw(const struct sim *s, const char *port);
/* Connected, version agreed. */
void client_open(struct client *c, const struct sim *s, const char *port);
/* And @size bytes of memory mapped at @iova, bus mastering on. */
void client_open_mem(struct client *c, const struct sim *s, const char *port,
		     u64 iova, u64 size);
void client_close(struct client *c);

/* Raw bytes with descriptors on the first of them. */
void client_send(struct client *c, const void *data, size_t len,
		 const int *fds, u32 nfds);
/* Waits up to @ms. False: nothing, or the connection is closed. */
bool client_reply(struct client *c, struct reply *r, int ms);
/* Does the server close the connection within @ms? */
bool client_closed(struct client *c, int ms);

/* Header and payload in one message; @size 0: the right one. */
void client_msg(struct client *c, u16 command, u32 flags, u32 size,
		const void *data, u32 len, const int *fds, u32 nfds);
/* The same and its reply's error. */
int client_call(struct client *c, u16 command, const void *data, u32 len,
		const int *fds, u32 nfds, struct reply *r);

int client_map(struct client *c, u64 iova, u64 size, u64 offset, u32 flags,
	       int fd);
int client_unmap(struct client *c, u64 iova, u64 size);
int client_read(struct client *c, u32 region, u64 off, u32 count, u64 *val);
int client_write(struct client *c, u32 region, u64 off, u32 count, u64 val,
		 bool posted);
u32 rd32(struct client *c, u32 off);
void wr32(struct client *c, u32 off, u32 val);
int client_irqs(struct client *c, u32 index, u32 start, u32 count, u32 flags,
		const int *fds, u32 nfds);
void client_bus_master(struct client *c, bool on);

/* True once @fd (an eventfd) was signalled, its count in *@n. */
bool event_wait(int fd, int ms, u64 *n);

/*
 * The demo NIC's rings in client memory: queue @q's rings at fixed places, 64
 * entries, buffers of 2048 bytes.
 */
#define RING_ENTRIES 64
void demo_start(struct client *c);
u64 demo_buf(const struct client *c, bool rx, u32 q, u32 i);
struct demo_desc *demo_ring(const struct client *c, bool rx, u32 q);
/* An Ethernet/IPv4/UDP frame with @seq at the payload's start. */
u32 demo_frame(u8 *buf, u32 len, u16 dport, u64 seq);
/* Posts a frame at index @i without moving the tail. */
void demo_post(struct client *c, u32 q, u32 i, u32 len, u64 seq, u32 flags,
	       u64 launch_ns);
void demo_tail(struct client *c, bool rx, u32 q, u32 tail);
/* Waits for the descriptor's done flag. */
bool demo_wait(struct client *c, bool rx, u32 q, u32 i, int ms);
u64 demo_time(struct client *c);

/* The @n-th line of the truth log; false if there are not so many. */
bool truth_line(const struct sim *s, u32 n, char *line, size_t room);
/* A number of it; TRUTH_NULL for null, test fails if it is not there. */
#define TRUTH_NULL UINT64_MAX
u64 truth_num(const char *line, const char *key);

#endif
