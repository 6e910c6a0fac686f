// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

static u64 fake_now = NSEC_PER_SEC;

static u64 fake(void)
{
	return fake_now;
}

u64 take(struct input *in, u32 bytes)
{
	u64 val = 0;

	while (bytes-- && in->left) {
		val = val << 8 | *in->p++;
		in->left--;
	}
	return val;
}

void fuzz_ports(void)
{
	const char *model = getenv("FUZZ_MODEL");
	char spec[64];

	signal(SIGPIPE, SIG_IGN);
	mono_fake(fake);
	if (log_open("/dev/null"))
		abort();
	log_set_level(LOG_ERROR);
	snprintf(spec, sizeof(spec), "%s,ports=2", model ? model : "demo");
	if (nic_create(spec) || wire_default()) {
		fprintf(stderr, "fuzz: %s does not start\n", spec);
		exit(2);
	}
}

void fuzz_advance(u64 ns)
{
	fake_now += ns;
	loop_run_until(fake_now);
}
