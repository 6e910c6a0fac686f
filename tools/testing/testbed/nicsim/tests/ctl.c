// SPDX-License-Identifier: GPL-2.0
/* Control verbs, and askers that misbehave. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "tests/client.h"

static struct sim sim;

static int open_ctl(const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/%s", sim.dir, name);
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		tap_bail("%s: %m", un.sun_path);
	return fd;
}

static const char *ask(int fd, const char *text)
{
	static char buf[8192];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0;

	if (write(fd, text, strlen(text)) < 0)
		return "write failed";
	while (poll(&p, 1, len ? 100 : 10000) > 0) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
	return buf;
}

static void verbs(void)
{
	static const struct {
		const char *line;
		int code;
		const char *text;
	} cases[] = {
		{ "ports", 0, " b demo up idle" },
		{ "sync", 0, " truth_lines 0" },
		{ "stats a", 0, " guest_errors 0" },
		{ "coverage a", 0, " registers 2" },
		{ "clock a", 0, " ns " },
		{ "model a ring 0", 0, " head 0" },
		{ "mark hello there", 0, "ok" },
		{ "fault a", 0, "ok" },
		{ "clear a", 0, "ok" },
		{ "wire a", 0, " delay 0 rate 0 loss 0" },
		{ "   ports  ", 0, " a demo" },
		{ "nonsense", 1, "no such verb" },
		{ "stats", 1, "which port" },
		{ "stats z", 1, "no such port" },
		{ "link a", 1, "up|down" },
		{ "link a sideways", 1, "up|down" },
		{ "link a flap x", 1, "not a number" },
		{ "clock a set x", 1, "not a number" },
		{ "clock a set 99999999999999999999", 1, "not a number" },
		{ "clock a turn 5", 1, "set|adjust" },
		{ "clock a drift 2000000", 1, "a drift is" },
		{ "clock a drift -20000", 0, "" },
		{ "fault a nonsense", 1, "no such fault" },
		{ "fault a hold count=0", 1, "nothing to do" },
		{ "fault a hold count=-1", 1, "not a number" },
		{ "fault a hold what=1", 1, "must be" },
		{ "clear a nonsense", 1, "no such fault" },
		{ "wire a speed=1", 1, "must be" },
		{ "model a", 1, "VERB" },
		{ "model a dance", 1, "no such verb" },
		{ "model a ring 99", 1, "Invalid" },
	};
	char out[8192];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int code = sim_ctl(&sim, out, sizeof(out), "%s", cases[i].line);

		tap_ok(code == cases[i].code && strstr(out, cases[i].text),
		       "\"%s\": %s", cases[i].line, code ? "refused" : "done");
	}
}

static void tags(void)
{
	int fd = open_ctl("ctl.sock");

	tap_ok(!strcmp(ask(fd, "#7 link a sideways\n"),
		       "#7 error link PORT up|down|flap MS\n"), "a tag comes back");
	tap_ok(strstr(ask(fd, "#8 ports\n"), "#8  a demo up idle\n#8  b demo up idle\n#8 ok\n"),
	       "on every line");
	tap_ok(!strcmp(ask(fd, "\n\n  \nsync\nsync\n"),
		       " truth_lines 0\nok\n truth_lines 0\nok\n"),
	       "empty lines are nothing, two requests are two");
	close(fd);
}

static void misbehaved(void)
{
	static char big[5000];
	int fd[40], i, ok = 0;

	fd[0] = open_ctl("ctl.sock");
	memset(big, 'x', sizeof(big) - 2);
	big[sizeof(big) - 2] = '\n';
	tap_ok(!strcmp(ask(fd[0], big), "error line too long\n"),
	       "a line too long is refused once");
	tap_ok(!strcmp(ask(fd[0], "sync\n"), " truth_lines 0\nok\n"),
	       "and the next one is served");
	close(fd[0]);
	for (i = 0; i < 100; i++) {
		fd[0] = open_ctl("ctl.sock");
		if (write(fd[0], "stats a\npor", 11) != 11)
			tap_bail("write: %m");
		close(fd[0]);
	}
	tap_is(sim_ctl(&sim, NULL, 0, "sync"), 0, "100 askers that left midway");
	fd[0] = open_ctl("ctl.sock");
	/* Asks and never reads. */
	for (i = 0; i < 3000; i++)
		if (send(fd[0], "coverage a\nstats a\n", 19,
			 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
	tap_is(sim_ctl(&sim, NULL, 0, "sync"), 0, "one that never reads");
	close(fd[0]);
	for (i = 0; i < 40; i++)
		fd[i] = open_ctl("ctl.sock");
	for (i = 0; i < 40; i++)
		close(fd[i]);
	for (i = 0; i < 100 && !ok; i++) {
		fd[0] = open_ctl("ctl.sock");
		ok = strstr(ask(fd[0], "sync\n"), "ok") != NULL;
		close(fd[0]);
	}
	tap_ok(ok, "a crowd of 40");
}

static void guest(void)
{
	int fd = open_ctl("guest.sock");

	tap_ok(strstr(ask(fd, "quit\n"), "error quit: not from the guest"),
	       "the guest can't end nicsim");
	tap_ok(strstr(ask(fd, "clock b set 5\nclock b\n"), "ok\n ns "),
	       "but may use the rest");
	close(fd);
}

static char said[4096];

static int run_ctl(const char *args)
{
	char cmd[4400], path[4096];
	int status;
	FILE *f;

	/* Built beside each other. */
	snprintf(path, sizeof(path), "%s", sim_binary());
	*strrchr(path, '/') = '\0';
	snprintf(cmd, sizeof(cmd), "%s/nicsim-ctl %s 2>&1", path, args);
	f = popen(cmd, "re");
	if (!f)
		tap_bail("popen: %m");
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In a child: takes one asker, gives it @answer and goes away, or just sits there. */
static pid_t impostor(const char *dir, const char *answer)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), conn;
	char byte[CTL_LINE];
	pid_t pid;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/ctl.sock", dir);
	unlink(un.sun_path);
	if (bind(fd, (struct sockaddr *)&un, sizeof(un)) || listen(fd, 1))
		tap_bail("%s: %m", un.sun_path);
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	conn = accept(fd, NULL, NULL);
	if (!answer)
		pause();
	if (*answer && (read(conn, byte, sizeof(byte)) < 0 ||
			write(conn, answer, strlen(answer)) < 0))
		_exit(1);
	_exit(0);
}

/* Whoever answers goes away midway. */
static void forsaken(void)
{
	static const struct {
		const char *answer, *text, *name;
	} cases[] = {
		{ "", "closed before the answer", "closed at once" },
		{ " ports 2\n #1 o", "closed before the answer", "closed midway" },
		{ NULL, "no answer", "no answer" },
	};
	char dir[] = "/tmp/ctl.XXXXXX", args[64], path[64];
	size_t i;

	if (!mkdtemp(dir))
		tap_bail("mkdtemp: %m");
	snprintf(args, sizeof(args), "--dir %s -t 2000 sync", dir);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t pid = impostor(dir, cases[i].answer);
		int code = run_ctl(args);

		/* Closed at once, the question may not get through. */
		tap_ok(code == 1 && (strstr(said, cases[i].text) ||
				     (!i && strstr(said, "send: "))),
		       "nicsim-ctl: %s is 1, and says so", cases[i].name);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	snprintf(path, sizeof(path), "%s/ctl.sock", dir);
	unlink(path);
	rmdir(dir);
}

static void program(void)
{
	char args[256];

	snprintf(args, sizeof(args), "--dir %s sync", sim.dir);
	tap_is(run_ctl(args), 0, "nicsim-ctl: done is 0");
	snprintf(args, sizeof(args), "--dir %s nonsense", sim.dir);
	tap_is(run_ctl(args), 1, "nicsim-ctl: refused is 1");
	snprintf(args, sizeof(args), "--dir %s/nowhere sync", sim.dir);
	tap_is(run_ctl(args), 2, "nicsim-ctl: nobody there is 2");
	tap_is(run_ctl(""), 2, "nicsim-ctl: no verb is 2");
}

int main(void)
{
	static const char *const args[] = { "--nic", "demo,ports=2", NULL };

	sim_start(&sim, args);
	verbs();
	tags();
	misbehaved();
	guest();
	program();
	forsaken();
	tap_ok(sim_alive(&sim), "nicsim lives");
	sim_stop(&sim);
	return tap_done();
}
