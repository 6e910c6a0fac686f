// SPDX-License-Identifier: GPL-2.0
/*
 * Starts QEMU, gives init.c in the guest its job, passes the command's output
 * on byte for byte and exits with the command's status. It never outlives
 * its VM, nor the VM it: whatever ends vmrun ends QEMU and the side processes.
 *
 *   vmrun [options] -c COMMAND -- QEMU ARGS...
 *     -c COMMAND     what sh -c runs in the guest
 *     -e NAME=VALUE  environment of the command (repeatable)
 *     -k FILE        where QEMU is told to write the kernel log: a panic is quoted
 *                    from there, and a splat in it fails the run
 *     -q FILE        gets QEMU's own words; its last one is quoted when the VM dies
 *     -a             splats are allowed
 *     -t SECONDS     limit for everything
 *     -b SECONDS     limit until the command starts
 *     -i             interactive: QEMU keeps the terminal
 *     -p COMMAND     side process, started first (repeatable)
 *     -w SOCKET      wait for this socket of a side process (repeatable)
 *     -d PATH        a file or a flat folder to remove at the end (repeatable)
 *
 * QEMU's arguments get the virtio-serial ports appended; they need a bus "vser.0".
 *
 * Exit status: the command's own, or 124 out of time, 125 the VM failed,
 * 128 + n ended by signal n.
 */
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
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "klog.h"

#define EXIT_TIMEOUT	124
#define EXIT_VM		125
#define MAX_LIST	64
#define POWER_OFF_MS	30000
#define TERM_MS		2000

struct stream {
	int from;			/* our end of the port's socket pair */
	int to;
	unsigned long long bytes;
	char buf[PIPE_BUF];		/* written as a whole: a ready pipe takes it */
	size_t len;
};

struct side {
	const char *cmd;
	pid_t pid;
};

static struct {
	const char *cmd, *klog, *qlog;
	const char *env[MAX_LIST], *sock[MAX_LIST], *doomed[MAX_LIST];
	struct side side[MAX_LIST];
	int nenv, nsock, nside, ndoomed;
	long timeout_s, boot_s;
	bool splats, interactive;
} opt = { .timeout_s = 3600, .boot_s = 300 };

static pid_t qemu;
static int sigfd;
static struct termios saved;
static bool have_tty;

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "vm: %s%s%s\n", line, opt.klog ? "; kernel log: " : "",
		opt.klog ? opt.klog : "");
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* In the child: die with the parent, ordinary signals, own process group. */
static void child_setup(pid_t parent, bool keep_group)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (!keep_group)
		setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static pid_t start_side(const char *cmd)
{
	pid_t parent = getpid(), pid = fork();
	char *line;

	if (pid)
		return pid;
	child_setup(parent, false);
	dup2(open("/dev/null", O_RDONLY), 0);
	if (asprintf(&line, "exec %s", cmd) > 0)
		execl("/bin/sh", "sh", "-c", line, NULL);
	_exit(127);
}

/* Ends a child: politely where that matters, then for certain. */
static void end_child(pid_t *pid, bool politely)
{
	long long until = now_ms() + TERM_MS;
	siginfo_t si;

	if (*pid <= 0)
		return;
	kill(*pid, politely ? SIGTERM : SIGKILL);
	for (;;) {
		struct timespec ts = { .tv_nsec = 10 * 1000 * 1000 };

		si.si_pid = 0;
		if (waitid(P_PID, *pid, &si, WEXITED | WNOHANG) < 0 || si.si_pid)
			break;
		if (now_ms() > until)
			kill(*pid, SIGKILL);
		nanosleep(&ts, NULL);
	}
	*pid = 0;
}

static void remove_path(const char *path)
{
	DIR *dir;
	struct dirent *d;

	if (!unlink(path) || errno == ENOENT)
		return;
	dir = opendir(path);
	if (!dir)
		return;
	while ((d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);	/* "." and ".." refuse */
	closedir(dir);
	rmdir(path);
}

static void end_all(void)
{
	end_child(&qemu, false);
	for (int i = opt.nside - 1; i >= 0; i--)
		end_child(&opt.side[i].pid, true);
	for (int i = 0; i < opt.ndoomed; i++)
		remove_path(opt.doomed[i]);
	if (have_tty)
		tcsetattr(0, TCSADRAIN, &saved);
}

static void __attribute__((noreturn)) finish(int status)
{
	end_all();
	exit(status);
}

static void describe(char *buf, size_t size, const siginfo_t *si)
{
	if (si->si_code == CLD_EXITED)
		snprintf(buf, size, "exited with %d", si->si_status);
	else
		snprintf(buf, size, "was killed by signal %d (%s)", si->si_status,
			 strsignal(si->si_status));
}

/*
 * Looks at signals and dead children. Ends the run on a signal to us and on
 * the death of a side process; returns true if QEMU has ended, with how.
 */
static bool check_children(char *how, size_t size)
{
	struct signalfd_siginfo sig;
	siginfo_t si;
	bool ended = false;

	while (read(sigfd, &sig, sizeof(sig)) > 0)
		if (sig.ssi_signo != SIGCHLD)
			finish(128 + sig.ssi_signo);
	for (;;) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) < 0 || !si.si_pid)
			return ended;
		describe(how, size, &si);
		if (si.si_pid == qemu) {
			qemu = 0;
			ended = true;
		}
		for (int i = 0; i < opt.nside; i++) {
			if (si.si_pid != opt.side[i].pid)
				continue;
			opt.side[i].pid = 0;
			say("a process the VM needs %s: %s", how, opt.side[i].cmd);
			finish(EXIT_VM);
		}
	}
}

static void wait_sockets(void)
{
	long long until = now_ms() + opt.boot_s * 1000;
	struct pollfd p = { .fd = sigfd, .events = POLLIN };
	char how[128];
	struct stat st;

	for (int i = 0; i < opt.nsock; i++) {
		while (stat(opt.sock[i], &st) || !S_ISSOCK(st.st_mode)) {
			poll(&p, 1, 10);
			check_children(how, sizeof(how));
			if (now_ms() > until) {
				say("no socket %s after %ld s", opt.sock[i], opt.boot_s);
				finish(EXIT_VM);
			}
		}
	}
}

/* Starts QEMU with one socket pair a port; our ends go to @mine. */
static void start_qemu(char **args, int nargs, const char *const *ports, int nports, int *mine)
{
	char **argv = calloc(nargs + 4 * nports + 1, sizeof(*argv));
	pid_t parent = getpid();
	int fds[2], theirs[8], n = 0;

	if (!argv)
		abort();
	for (; n < nargs; n++)
		argv[n] = args[n];
	for (int i = 0; i < nports; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
			say("socketpair: %s", strerror(errno));
			finish(EXIT_VM);
		}
		mine[i] = fds[0];
		theirs[i] = fds[1];
		argv[n++] = "-chardev";
		if (asprintf(&argv[n++], "socket,id=txmd%d,fd=%d", i, fds[1]) < 0)
			abort();
		argv[n++] = "-device";
		if (asprintf(&argv[n++], "virtserialport,bus=vser.0,chardev=txmd%d,name=%s",
			     i, ports[i]) < 0)
			abort();
	}
	qemu = fork();
	if (qemu == 0) {
		child_setup(parent, opt.interactive);
		for (int i = 0; i < nports; i++)
			fcntl(theirs[i], F_SETFD, 0);
		if (!opt.interactive) {
			/* QEMU's own words must not get between the command's bytes. */
			int log = open(opt.qlog ? opt.qlog : "/dev/null",
				       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

			dup2(open("/dev/null", O_RDONLY), 0);
			dup2(log, 1);
			dup2(log, 2);
		}
		execv(argv[0], argv);
		fprintf(stderr, "vm: cannot start %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	for (int i = 0; i < nports; i++)
		close(theirs[i]);
}

static void send_job(int ctl)
{
	char *job;
	size_t size;
	FILE *f = open_memstream(&job, &size);

	if (!f)
		abort();
	fwrite(opt.cmd, 1, strlen(opt.cmd) + 1, f);
	for (int i = 0; i < opt.nenv; i++)
		fwrite(opt.env[i], 1, strlen(opt.env[i]) + 1, f);
	fputc(0, f);
	fclose(f);
	for (size_t at = 0; at < size;) {
		ssize_t n = send(ctl, job + at, size - at, MSG_NOSIGNAL);

		if (n < 0)
			break;	/* QEMU is gone, which the caller sees */
		at += n;
	}
	free(job);
}

/* Moves at most one buffer on. */
static void pump(struct stream *s, short revents)
{
	ssize_t n;

	if (s->len && (revents & (POLLOUT | POLLERR | POLLHUP))) {
		n = write(s->to, s->buf, s->len);
		if (n < 0 && errno == EPIPE)
			finish(128 + SIGPIPE);
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			say("cannot write the command's output: %s", strerror(errno));
			finish(EXIT_VM);
		}
		if (n > 0) {
			memmove(s->buf, s->buf + n, s->len - n);
			s->len -= n;
			s->bytes += n;
		}
	} else if (!s->len && (revents & (POLLIN | POLLHUP))) {
		n = read(s->from, s->buf, sizeof(s->buf));
		if (n > 0)
			s->len = n;
		else if (n == 0 || errno != EINTR)
			s->from = -1;
	}
}

struct guest {
	int ctl;
	char line[512];
	size_t len;
	bool running;		/* the command has started */
	bool ended;		/* "exit" has come */
	bool released;		/* and all bytes it announced have been passed on */
	int status;
	unsigned long long bytes[2];
};

static void guest_line(struct guest *g, const char *line)
{
	if (!strcmp(line, "run")) {
		g->running = true;
	} else if (sscanf(line, "exit %d %llu %llu", &g->status, &g->bytes[0],
			  &g->bytes[1]) == 3) {
		g->ended = true;
	} else if (!strncmp(line, "fail ", 5)) {
		say("%s", line + 5);
		finish(EXIT_VM);
	}
}

static void guest_read(struct guest *g)
{
	ssize_t n = read(g->ctl, g->line + g->len, sizeof(g->line) - 1 - g->len);
	char *nl;

	if (n <= 0) {
		if (n == 0 || errno != EINTR)
			g->ctl = -1;
		return;
	}
	g->len += n;
	g->line[g->len] = 0;
	while ((nl = strchr(g->line, '\n'))) {
		*nl = 0;
		guest_line(g, g->line);
		g->len -= nl + 1 - g->line;
		memmove(g->line, nl + 1, g->len + 1);
	}
	if (g->len == sizeof(g->line) - 1)
		g->len = 0;
}

/* The last line of a file, or "". */
static void last_line(const char *path, char *buf, size_t size)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t max = 0;

	buf[0] = 0;
	while (f && getline(&line, &max, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		snprintf(buf, size, "%s", line);
	}
	free(line);
	if (f)
		fclose(f);
}

static void vm_died(const struct guest *g, const char *how)
{
	char text[300];

	if (opt.klog && klog_find_panic(opt.klog, text, sizeof(text))) {
		say("the guest kernel panicked: %s", text);
		finish(EXIT_VM);
	}
	last_line(opt.qlog, text, sizeof(text));
	say("the VM ended %s: QEMU %s%s%s",
	    g->running ? "without the command's status" : "before the command could start",
	    how, text[0] ? ": " : "", text);
	finish(EXIT_VM);
}

/* Returns once QEMU has ended after a complete run; else does not return. */
static void supervise(struct guest *g, struct stream *s)
{
	long long start = now_ms(), until = start + opt.timeout_s * 1000;
	long long boot_until = start + opt.boot_s * 1000, off_until = LLONG_MAX;
	struct pollfd p[4];
	char how[128];
	int drained = 0;

	for (;;) {
		long long limit = until, now;

		p[0] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = g->ctl, .events = POLLIN };
		for (int i = 0; i < 2; i++)
			p[2 + i] = (struct pollfd){
				.fd = s[i].len ? s[i].to : s[i].from,
				.events = s[i].len ? POLLOUT : POLLIN,
			};
		if (!g->running && boot_until < limit)
			limit = boot_until;
		if (off_until < limit)
			limit = off_until;
		now = now_ms();
		if (now >= limit && g->released && off_until <= until) {
			say("the guest did not power off in %d s", POWER_OFF_MS / 1000);
			finish(EXIT_VM);
		}
		if (now >= limit) {
			char panic[300];

			if (opt.klog && klog_find_panic(opt.klog, panic, sizeof(panic)))
				say("the guest kernel panicked: %s", panic);
			else if (!g->running && limit == boot_until)
				say("the guest did not start the command in %ld s", opt.boot_s);
			else
				say("timed out after %ld s", opt.timeout_s);
			finish(EXIT_TIMEOUT);
		}
		if (poll(p, 4, limit - now > INT_MAX ? INT_MAX : (int)(limit - now)) < 0 &&
		    errno != EINTR)
			abort();
		for (int i = 0; i < 2; i++)
			if (p[2 + i].revents)
				pump(&s[i], p[2 + i].revents);
		if (p[1].revents)
			guest_read(g);
		if (g->ended && !g->released && s[0].bytes == g->bytes[0] &&
		    s[1].bytes == g->bytes[1]) {
			g->released = true;
			off_until = now_ms() + POWER_OFF_MS;
			send(g->ctl, "", 1, MSG_NOSIGNAL);
		}
		/* QEMU's last words are read before its death is judged. */
		if (check_children(how, sizeof(how)))
			drained = 1;
		if (drained && g->ctl < 0 && s[0].from < 0 && s[1].from < 0 &&
		    !s[0].len && !s[1].len) {
			if (!g->released)
				vm_died(g, how);
			return;
		}
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+c:d:e:k:q:at:b:ip:w:")) != -1) {
		switch (c) {
		case 'c':
			opt.cmd = optarg;
			break;
		case 'd':
			opt.doomed[opt.ndoomed++] = optarg;
			break;
		case 'e':
			opt.env[opt.nenv++] = optarg;
			break;
		case 'k':
			opt.klog = optarg;
			break;
		case 'q':
			opt.qlog = optarg;
			break;
		case 'a':
			opt.splats = true;
			break;
		case 't':
			opt.timeout_s = atol(optarg);
			break;
		case 'b':
			opt.boot_s = atol(optarg);
			break;
		case 'i':
			opt.interactive = true;
			break;
		case 'p':
			opt.side[opt.nside++].cmd = optarg;
			break;
		case 'w':
			opt.sock[opt.nsock++] = optarg;
			break;
		default:
			exit(EXIT_VM);
		}
		if (opt.nenv == MAX_LIST || opt.ndoomed == MAX_LIST || opt.nside == MAX_LIST ||
		    opt.nsock == MAX_LIST) {
			fprintf(stderr, "vm: more than %d of -%c\n", MAX_LIST - 1, c);
			exit(EXIT_VM);
		}
	}
	if (!opt.cmd || !opt.cmd[0] || optind >= argc || opt.timeout_s <= 0 || opt.boot_s <= 0) {
		fprintf(stderr, "vm: usage: vmrun [options] -c COMMAND -- QEMU ARGS...\n");
		exit(EXIT_VM);
	}
}

int main(int argc, char **argv)
{
	static const char *const ports[] = { "txmd.ctl", "txmd.out", "txmd.err" };
	static struct stream s[2];
	struct guest g = { 0 };
	char splat[300];
	sigset_t set;
	int mine[3];

	parse(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigfd < 0)
		abort();
	have_tty = opt.interactive && !tcgetattr(0, &saved);

	for (int i = 0; i < opt.nside; i++)
		opt.side[i].pid = start_side(opt.side[i].cmd);
	wait_sockets();
	start_qemu(argv + optind, argc - optind, ports, 3, mine);
	g.ctl = mine[0];
	for (int i = 0; i < 2; i++) {
		s[i].from = mine[1 + i];
		s[i].to = 1 + i;
	}
	send_job(g.ctl);
	supervise(&g, s);
	end_all();
	if (opt.klog && !opt.splats && klog_find_splat(opt.klog, splat, sizeof(splat))) {
		say("the kernel complained: %s", splat);
		return EXIT_VM;
	}
	return g.status;
}
