#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: seeds.sh DIR
# One well-formed conversation for each command of the protocol, in the format of
# fuzz/proto.c: what the fuzzer starts from, so that it spends its time behind the
# checks of sizes and not on them.
set -eu
dir=$1
mkdir -p "$dir"

# BYTES VALUE: little-endian
le() {
	n=$1 v=$2
	while [ "$n" -gt 0 ]; do
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\$(printf %03o $((v & 255)))"
		v=$((v >> 8)) n=$((n - 1))
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
	} >"$dir/$name"
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
} >"$dir/version"
