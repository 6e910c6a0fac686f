/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control protocol, the same on DIR/ctl.sock (host) and on the guest's
 * /dev/virtio-ports/nicsim, whose host side is DIR/guest.sock: QEMU's
 *	-chardev socket,id=ctl,path=DIR/guest.sock,reconnect-ms=1000
 *	-device virtserialport,chardev=ctl,name=nicsim
 *
 * A request is one line, at most CTL_LINE bytes. The answer is any number of
 * lines that start with a space, then "ok" or "error CAUSE". nicsim-ctl prints
 * the former and exits 0, or prints CAUSE on stderr and exits 1. A first word
 * "#TAG" is repeated, with a space, before each line of the answer: on a line
 * that several askers share in turn, each knows its own.
 *
 *	sync				truth log and pcap are flushed
 *	ports				" a stmmac up connected"
 *	stats PORT			" tx_frames 12" ...
 *	coverage PORT			registers and commands touched
 *	link PORT up|down
 *	link PORT flap MS		down, and up again after MS
 *	clock PORT			" ns 1234"
 *	clock PORT set NS|adjust NS|ppb N|drift PPB
 *	fault PORT NAME [queue=Q] [count=N] [skip=N] [every=N] [arg=V] [val=V]
 *	fault PORT			what is armed, with hits
 *	clear PORT [NAME]		disarm; held completions go out
 *	release PORT			let held completions out, keep the fault
 *	reset PORT			the NIC's own mishap (RESET_FAULT)
 *	wire PORT delay=NS|rate=MBPS|loss=PPM ...
 *	model PORT VERB ...		the model's own verbs
 *	mark TEXT			a line in nicsim's log
 *	quit				host only: end the process
 *
 * Fault names: stamp-lose stamp-delay hold gap hang cmd error tx-drop csum-bad
 * stamp-off; arg and val as in hw/fault.h. count defaults to "until cleared".
 */
#ifndef NICSIM_CTL_H
#define NICSIM_CTL_H

#define CTL_LINE 1024

#endif
