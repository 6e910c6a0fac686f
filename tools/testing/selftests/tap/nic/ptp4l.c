// SPDX-License-Identifier: GPL-2.0
/*
 * ptp4l brings the clock of port B to that of port A and keeps it there, by stamps
 * of the socket path in both directions. B's clock is set wrong and its oscillator
 * is slow, so doing nothing doesn't pass.
 */
#include "nic.h"
#include "ptp.h"

int main(void)
{
	nic_init();
	ptp4l_converges("ptp4l");
	return tap_done();
}
