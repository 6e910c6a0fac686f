// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwts.h"

static int hwts_ioctl(const char *ifname, unsigned long cmd, struct hwtstamp_config *cfg)
{
	struct ifreq ifr = { .ifr_data = (void *)cfg };
	int fd, err = 0;

	strncpy(ifr.ifr_name, ifname, IFNAMSIZ - 1);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, cmd, &ifr))
		err = -errno;
	close(fd);
	return err;
}

int hwts_get(const char *ifname, struct hwtstamp_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	return hwts_ioctl(ifname, SIOCGHWTSTAMP, cfg);
}

static int put_back(const struct hwts *h)
{
	struct hwtstamp_config now, old = h->old;
	int err = hwts_get(h->ifname, &now);

	/* The setting went with the interface. */
	if (err == -ENODEV)
		return 0;
	if (err)
		return err;
	return hwts_ours(h->set, now) ? hwts_ioctl(h->ifname, SIOCSHWTSTAMP, &old) : 0;
}

/* Waits until the tool says that it restored the setting, or is gone. */
static void child_main(const struct hwts *h, int fd)
{
	sigset_t all;
	char c = 0;

	/* A terminal's ^C and a killed process group must not reach it. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "xhm-restore");
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	if (c != 'd')
		put_back(h);
	_exit(0);
}

static int start_child(struct hwts *h)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	h->child = fork();
	if (h->child < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!h->child) {
		int devnull = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

		/* Holds nothing open that somebody may wait for the end of. */
		for (fd = 0; fd < 3 && devnull >= 0; fd++)
			dup2(devnull, fd);
		close_range(3, fds[0] - 1, 0);
		close_range(fds[0] + 1, ~0U, 0);
		child_main(h, fds[0]);
	}
	close(fds[0]);
	h->pipe = fds[1];
	return 0;
}

int hwts_enable(struct hwts *h, const char *ifname)
{
	struct hwtstamp_config want;
	int err;

	*h = HWTS_NONE;
	strncpy(h->ifname, ifname, sizeof(h->ifname) - 1);
	err = hwts_get(ifname, &h->old);
	if (err)
		return err;
	want = hwts_merge(h->old);
	if (want.tx_type == h->old.tx_type) {
		/* Drivers may forget it at ifup, but not what they say of it. Who may
		 * not set it has to take their word.
		 */
		hwts_ioctl(ifname, SIOCSHWTSTAMP, &want);
		return 0;
	}
	/* The driver may widen the filter it is given; what counts is what it says then. */
	h->set = want;
	err = start_child(h);
	if (err)
		return err;
	err = hwts_ioctl(ifname, SIOCSHWTSTAMP, &want);
	h->changed = !err;
	if (err)
		hwts_restore(h);
	return err;
}

int hwts_restore(struct hwts *h)
{
	int err = 0;

	if (h->changed)
		err = put_back(h);
	if (h->pipe >= 0) {
		/* After an error of ours the child's try would fail as well. */
		while (write(h->pipe, "d", 1) < 0 && errno == EINTR)
			;
		close(h->pipe);
		while (waitpid(h->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*h = HWTS_NONE;
	return err;
}
