#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: seeds.sh DIR
# What the fuzzer starts from, so that it spends its time behind the checks of sizes
# and ownership and not on them. DIR/proto: one well-formed conversation for each
# command of the protocol, in the format of fuzz/proto.c. DIR/MODEL: queues set up
# and a descriptor or command in each, in the format of fuzz/model.c.
set -eu
dir=$1
mkdir -p "$dir/proto" "$dir/stmmac" "$dir/i40e" "$dir/mlx5"

# BYTES VALUE: little-endian
le() {
	n=$1 v=$2
	while [ "$n" -gt 0 ]; do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$(printf %03o $((v & 255)))"
		v=$((v >> 8)) n=$((n - 1))
	done
}

# BYTES VALUE: big-endian
be() {
	n=$1 v=$2
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$(printf %03o $((v >> 8 * n & 255)))"
	done
}

# HOW COMMAND BYTES:VALUE...: a chunk with one message
message() {
	how=$1 command=$2
	shift 2
	len=16
	for field; do
		len=$((len + ${field%:*}))
	done
	le 1 "$how"
	le 1 $len
	le 2 0
	le 2 "$command"
	le 4 $len
	le 8 0
	for field; do
		le "${field%:*}" "${field#*:}"
	done
}

# Sizes and replies set by the target (bits 0 and 1); bit 2: one descriptor, a file
# (bits 4-5: 0) or an eventfd (2). The first byte: VERSION is agreed already.
seed() {	# NAME HOW COMMAND BYTES:VALUE...
	name=$1
	shift
	{
		le 1 0
		message "$@"
		# what the next command finds
		message 3 4 4:16 4:0 4:0 4:0
	} >"$dir/proto/$name"
}
seed map 7 2 4:32 4:3 8:0 8:4096 8:65536
seed unmap 3 3 4:24 4:0 8:4096 8:65536
seed info 3 4 4:16 4:0 4:0 4:0
seed region 3 5 4:32 4:0 4:0 4:0 8:0 8:0
seed irq 3 7 4:16 4:0 4:2 4:0
seed irqs 39 8 4:20 4:36 4:2 4:0 4:1
seed config-read 3 9 8:0 4:7 4:64
seed bar-read 3 9 8:8 4:0 4:4
seed config-write 3 10 8:4 4:7 4:2 2:6
seed bar-write 3 10 8:8 4:0 4:4 4:1
seed reset 3 13
{
	le 1 1
	message 1 1 2:0 2:1
	message 3 9 8:0 4:7 4:4
} >"$dir/proto/version"

# OFFSET VALUE: a write of 32 bits to BAR 0
w32() {
	le 1 $((5 | 2 << 5 | 128))
	le 1 0
	be 3 $(($1 / 4))
	be 4 $(($2))
}
# OFFSET VALUE: likewise, of a register that is big-endian
w32be() {
	w32 "$1" $((($2 & 255) << 24 | ($2 >> 8 & 255) << 16 | ($2 >> 16 & 255) << 8 | $2 >> 24 & 255))
}
# OFFSET FUNCTION BYTES BYTES:VALUE...: guest memory
poke() {
	le 1 7
	be 2 $(($1 / 4))
	le 1 $(($3 - 1))
	put=$2
	shift 3
	for field; do
		$put "${field%:*}" $((${field#*:}))
	done
}
# a millisecond
later() {
	le 1 11
	be 2 10000
}

# Channel 0 and 1: rings of 16 at 0x1000 and 0x2000, one frame, first with a stamp and
# checksum asked for.
{
	w32 0x0 0x3		# receiver and transmitter on
	for c in 0 1; do
		ch=$((0x1100 + 0x80 * c)) ring=$((0x1000 + 0x1000 * c))
		poke $ring le 16 4:0x8000 4:0 4:$((0x40000000 + 60)) 4:$((0xb0030000 + 60))
		w32 $((ch + 0x14)) $ring
		w32 $((ch + 0x2c)) 15
		w32 $((ch + 0x1c)) $((ring + 0x800))
		w32 $((ch + 0x30)) 15
		poke $((ring + 0x800)) le 16 4:0x9000 4:0 4:0 4:0xc1000000
		w32 $((ch + 0x8)) 0xc01
		w32 $((ch + 0x28)) $((ring + 0x880))
		w32 $((ch + 0x4)) 0x1
		w32 $((ch + 0x20)) $((ring + 0x10))
	done
	later
} >"$dir/stmmac/rings"

# Both admin queues; each command of the driver's start alone.
for op in 0x1 0xa 0x107 0x200 0x206 0x210 0x250 0x254 0x600 0x607 0x701; do
	w32 0x80000 0x1000
	w32 0x80200 0x80000020
	w32 0x80080 0x3000
	w32 0x80280 0x80000020
	poke 0x3000 le 8 2:0x1200 2:0 2:512 2:0
	poke 0x1000 le 32 2:0x3200 2:$op 2:64 2:0 8:0 4:0 4:0 4:0 4:0x5000
	w32 0x80480 31
	w32 0x80400 1
	later
done >"$dir/i40e/admin"

# Commands in entry 0 of a queue at 0x1000: type, lengths, opcode, ownership.
for op in 0x104 0x10a 0x107 0x100 0x102 0x802 0x800 0x301 0x400 0x904 0x914 0x754; do
	{
		w32be 0x10 0
		w32be 0x14 0x1000
		poke 0x1000 be 64 1:7 3:0 4:16 8:0 4:$((op << 16)) 4:0 4:0 4:0 \
			4:0 4:0 4:0 4:0 8:0 4:16 3:0 1:1
		w32be 0x18 1
		later
	} >"$dir/mlx5/command-$op"
done
