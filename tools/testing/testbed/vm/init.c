// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the test VM, static. It prepares the machine, runs one command as
 * root, hands its output and its exit status to the host and powers off.
 *
 * Channels are virtio-serial ports, so every byte passes as it is:
 *   txmd.ctl  from the host: NUL-terminated strings, the command first, then
 *             NAME=VALUE for its environment, an empty one ends; later one
 *             byte, when the host has taken all output.
 *             to the host, in lines: "boot" once up, "run" when the command
 *             starts, "exit STATUS OUT ERR" (bytes written to the two ports),
 *             or "fail TEXT" when the machine could not be prepared.
 *   txmd.out, txmd.err  the command's two streams.
 *
 * Variables from the host that init itself reads:
 *   TXMD_SHARES  "TAG:FOLDER ..." of 9p shares to mount
 *   TXMD_PORTS   further virtio-serial ports to wait for
 *   TXMD_MERGE   one stream for stdout and stderr, to keep their order
 *   TXMD_TTY     "ROWS COLS": run the command on the console hvc0
 *   TXMD_LEAK    look for leaked kernel memory when the command has ended
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETUP		"/etc/txmd/setup"
#define SETUP_ENV	"/run/txmd.env"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define PORT_WAIT_MS	10000

static int ctl = -1;
static int kmsg = -1;

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* Not dprintf(): it seeks, which /dev/kmsg refuses. */
static void klog(char level, const char *text)
{
	char line[600];
	int n = snprintf(line, sizeof(line), "<%c>init: %s\n", level, text);

	if (n > (int)sizeof(line) - 1)
		n = sizeof(line) - 1;
	if (kmsg >= 0 && write(kmsg, line, n) < 0)
		return;		/* nowhere left to complain */
}

static void __attribute__((format(printf, 1, 2))) tell_host(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	for (int i = 0; i < n; i++)
		if (line[i] == '\n')
			line[i] = ' ';
	klog('6', line);
	line[n++] = '\n';
	if (ctl >= 0 && write(ctl, line, n) != n)
		klog('3', "the host does not listen");
}

/* The host ends the VM when it reads this; without a host, power off. */
static void __attribute__((format(printf, 1, 2), noreturn)) fail(const char *fmt, ...)
{
	char text[400];
	char ack;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell_host("fail %s", text);
	if (ctl >= 0 && read(ctl, &ack, 1) < 0)
		tell_host("fail no answer from the host");
	power_off();
	abort();
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir, *opts;
		bool optional;
	} mounts[] = {
		{ "proc", "/proc", "", false },
		{ "sysfs", "/sys", "", false },
		{ "devtmpfs", "/dev", "", false },
		{ "devpts", "/dev/pts", "ptmxmode=0666", false },
		{ "tmpfs", "/dev/shm", "mode=1777", false },
		{ "tmpfs", "/run", "mode=0755", false },
		{ "tmpfs", "/tmp", "mode=1777", false },
		{ "cgroup2", "/sys/fs/cgroup", "", true },
		{ "bpf", "/sys/fs/bpf", "", true },
		{ "debugfs", "/sys/kernel/debug", "", true },
		{ "tracefs", "/sys/kernel/tracing", "", true },
		{ "securityfs", "/sys/kernel/security", "", true },
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0, mounts[i].opts) &&
		    !mounts[i].optional)
			fail("cannot mount %s: %s", mounts[i].dir, strerror(errno));
	}
	/* What /dev is expected to hold beside the kernel's own nodes. */
	if (symlink("/proc/self/fd", "/dev/fd") || symlink("fd/0", "/dev/stdin") ||
	    symlink("fd/1", "/dev/stdout") || symlink("fd/2", "/dev/stderr"))
		fail("cannot populate /dev: %s", strerror(errno));
}

/* Reads a small file without its newline; false if there is none. */
static bool slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	while (n > 0 && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n] = 0;
	return true;
}

/* Gives each named port its link in /dev/virtio-ports, as udev would. */
static void link_ports(void)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	char path[512], name[128];
	struct dirent *d;

	if (!dir)
		return;
	while ((d = readdir(dir))) {
		char node[300];

		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", d->d_name);
		if (!slurp(path, name, sizeof(name)) || !name[0])
			continue;
		snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
		snprintf(node, sizeof(node), "/dev/%s", d->d_name);
		if (symlink(node, path) && errno != EEXIST)
			fail("cannot link %s: %s", path, strerror(errno));
	}
	closedir(dir);
}

/*
 * The driver learns ports and names from messages of the host. sysfs gives no
 * event for a name, hence the polling.
 */
static void wait_port(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
	for (int ms = 0; access(path, F_OK); ms++) {
		if (ms >= PORT_WAIT_MS)
			fail("the host offers no virtio-serial port '%s'", name);
		link_ports();
		usleep(1000);
	}
}

static int open_port(const char *name)
{
	char path[160];
	int fd;

	wait_port(name);
	snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* Returns the command; the rest of what the host sends becomes environment. */
static char *read_job(void)
{
	size_t size = 0, max = 4096, at = 0;
	char *buf = malloc(max), *cmd;
	ssize_t n;

	for (;;) {
		if (!buf)
			fail("out of memory");
		n = read(ctl, buf + size, max - size);
		if (n <= 0)
			fail("the host sent no job");
		size += n;
		if (size >= 2 && !buf[size - 1] && !buf[size - 2])
			break;
		if (size == max) {
			max *= 2;
			buf = realloc(buf, max);
		}
	}
	cmd = buf;
	at = strlen(buf) + 1;
	while (at < size && buf[at]) {
		putenv(buf + at);
		at += strlen(buf + at) + 1;
	}
	return cmd;
}

static void mount_shares(void)
{
	char *list = getenv("TXMD_SHARES"), *save = NULL, *item;

	if (!list)
		return;
	list = strdup(list);
	for (item = strtok_r(list, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
		char *dir = strchr(item, ':');

		if (!dir)
			fail("malformed share '%s'", item);
		*dir++ = 0;
		mkdir(dir, 0755);
		/* cache=mmap: shared mappings work, all else goes to the host. */
		if (mount(item, dir, "9p", 0,
			  "trans=virtio,version=9p2000.L,msize=262144,cache=mmap"))
			fail("cannot mount the share '%s' on %s: %s", item, dir, strerror(errno));
	}
	free(list);
}

static int wait_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs the topology script and takes over the variables it wrote. */
static void setup(void)
{
	char *line = NULL, why[300] = "";
	size_t size = 0;
	int status;
	pid_t pid;
	FILE *f;

	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", SETUP, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("cannot run %s: %s", SETUP, strerror(errno));
	if (status) {
		slurp("/run/txmd.fail", why, sizeof(why));
		fail("%s", why[0] ? why : "the topology could not be prepared");
	}
	f = fopen(SETUP_ENV, "re");
	if (!f)
		return;
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (strchr(line, '='))
			putenv(strdup(line));
	}
	free(line);
	fclose(f);
}

static pid_t start(const char *cmd, int out, int err, const char *tty)
{
	struct winsize ws = { 0 };
	sigset_t none;
	pid_t pid = fork();

	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (tty) {
		out = open("/dev/hvc0", O_RDWR);
		err = out;
		ioctl(out, TIOCSCTTY, 0);
		if (sscanf(tty, "%hu %hu", &ws.ws_row, &ws.ws_col) == 2)
			ioctl(out, TIOCSWINSZ, &ws);
		dup2(out, 0);
	} else {
		dup2(open("/dev/null", O_RDONLY), 0);
	}
	dup2(out, 1);
	dup2(err, 2);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	unsetenv("TXMD_SHARES");
	unsetenv("TXMD_PORTS");
	unsetenv("TXMD_MERGE");
	unsetenv("TXMD_TTY");
	unsetenv("TXMD_LEAK");
	if (chdir(access("/host", F_OK) ? "/root" : "/host"))
		_exit(126);
	execl("/bin/sh", "sh", "-c", cmd, NULL);
	_exit(127);
}

struct stream {
	int from;		/* read end of the command's pipe */
	int to;			/* virtio-serial port */
	unsigned long long bytes;
};

/* Copies what is there. False at the end of the stream. */
static bool forward(struct stream *s)
{
	static char buf[32768];
	ssize_t n, done, w;

	for (;;) {
		n = read(s->from, buf, sizeof(buf));
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		if (n == 0)
			return false;
		for (done = 0; done < n; done += w) {
			w = write(s->to, buf + done, n - done);
			if (w < 0 && errno == EINTR)
				w = 0;
			else if (w <= 0)
				fail("the host closed an output port");
		}
		s->bytes += n;
	}
}

static void make_stream(struct stream *s, int *child_end, const char *port)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	s->from = fds[0];
	s->to = open_port(port);
	*child_end = fds[1];
}

/* Returns the exit status of the command. */
static int run(const char *cmd, struct stream *s)
{
	bool merge = getenv("TXMD_MERGE");
	struct pollfd p[3];
	int end[2], status = 0;
	bool running = true;
	sigset_t set;
	pid_t pid;

	make_stream(&s[0], &end[0], "txmd.out");
	make_stream(&s[1], &end[1], "txmd.err");
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p[2].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int i = 0; i < 2; i++)
		p[i].fd = s[i].from;
	for (int i = 0; i < 3; i++)
		p[i].events = POLLIN;

	tell_host("run");
	pid = start(cmd, end[0], merge ? end[0] : end[1], getenv("TXMD_TTY"));
	if (pid < 0)
		fail("fork: %s", strerror(errno));
	close(end[0]);
	close(end[1]);

	while (running) {
		struct signalfd_siginfo si;
		int st;
		pid_t w;

		if (poll(p, 3, -1) < 0 && errno != EINTR)
			fail("poll: %s", strerror(errno));
		while (read(p[2].fd, &si, sizeof(si)) > 0)
			;
		while ((w = waitpid(-1, &st, WNOHANG)) > 0) {
			if (w == pid) {
				status = wait_status(st);
				running = false;
			}
		}
		/* What an ended command wrote is in the pipes by now. */
		for (int i = 0; i < 2; i++)
			if (p[i].fd >= 0 && !forward(&s[i]))
				p[i].fd = -1;
	}
	return status;
}

/* The report goes to the kernel log, where the host looks for splats. */
static void look_for_leaks(void)
{
	int fd = open(KMEMLEAK, O_RDWR | O_CLOEXEC);
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	if (fd < 0)
		return;
	/* An object counts as leaked once it is 5 s old, hence twice. */
	for (int i = 0; i < 2; i++) {
		if (i)
			sleep(6);
		if (write(fd, "scan", 4) != 4)
			fail("the kmemleak scan failed: %s", strerror(errno));
	}
	f = fdopen(fd, "r");
	while (f && getline(&line, &size, f) > 0)
		klog('3', line);
}

int main(void)
{
	struct stream s[2] = { 0 };
	const char *ports;
	char *cmd, *list, *save = NULL, ack;
	int status;

	if (getpid() != 1) {
		fprintf(stderr, "init: this is PID 1 of the test VM\n");
		return 1;
	}
	umask(022);
	signal(SIGPIPE, SIG_IGN);
	mount_all();
	kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	sethostname("txmd", 4);
	mkdir("/dev/virtio-ports", 0755);
	ctl = open_port("txmd.ctl");
	tell_host("boot");

	setenv("PATH", "/txmd/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("LC_ALL", "C", 1);
	cmd = read_job();
	ports = getenv("TXMD_PORTS");
	list = strdup(ports ? ports : "");
	for (char *p = strtok_r(list, " ", &save); p; p = strtok_r(NULL, " ", &save))
		wait_port(p);
	mount_shares();
	setup();

	status = run(cmd, s);
	if (getenv("TXMD_LEAK"))
		look_for_leaks();
	sync();
	tell_host("exit %d %llu %llu", status, s[0].bytes, s[1].bytes);
	/* The ports' buffers are lost at power-off: wait till they are taken. */
	if (read(ctl, &ack, 1) != 1)
		klog('3', "no answer from the host");
	power_off();
	return 0;
}
