# SPDX-License-Identifier: GPL-2.0
# Guest kernel instructions per frame, by function.
#
# usage: awk -v kernel=NAME -v nic=NAME -f report.awk SECTIONS MERGED
#   SECTIONS  "section N len L batch B meta M frames F"
#   MERGED    sorted by address: "ADDRESS 0 NAME [MODULE]" a function's start,
#             "ADDRESS 1 SECTION COUNT" an instruction
# stdout: one JSON object a section; stderr: the table.
#
# "path" is what the driver (the only module with a part in it) and the AF_XDP core
# execute; "all" has interrupt entry, softirq, timers and the scheduler besides.
#
# Section 0 is the empty run. What it does, the kernel does anyway: its counts,
# scaled by the number of timer ticks, are subtracted from the others.

FNR == NR {
	if ($1 == "section") {
		len[$2] = $4
		batch[$2] = $6
		meta[$2] = $8
		frames[$2] = $10
		if ($2 > last)
			last = $2
	}
	next
}
$2 == 0 {
	# Several names of one address: the first one counts.
	if ($1 != at) {
		name = $3
		at = $1
		on_path[name] = $4 != "" || name ~ /^_*(xsk|xskq|xp|xdp_umem)_/
	}
	next
}
{
	count[$3, name] += $4
	names[name] = 1
	if ($1 == at && name == "update_process_times")
		ticks[$3] += $4
}
END {
	printf "%-8s %-7s %6s %6s %-8s %8s %10s %10s %6s\n", "nic", "kernel", "bytes", "batch", "meta", "frames",
		"path/frame", "all/frame", "ticks" >"/dev/stderr"
	for (s = 1; s <= last; s++) {
		scale = ticks[0] ? ticks[s] / ticks[0] : 0
		all = path = 0
		json = ""
		for (f in names) {
			per = (count[s, f] - scale * count[0, f]) / frames[s]
			all += per
			if (on_path[f])
				path += per
			if (per >= 0.05)
				json = json sprintf("%s\"%s\": %.3f", json == "" ? "" : ", ", f, per)
		}
		printf "%-8s %-7s %6d %6d %-8s %8d %10.2f %10.2f %6d\n", nic, kernel, len[s], batch[s],
			meta[s], frames[s], path, all, ticks[s] >"/dev/stderr"
		printf "{\"schema\": 1, \"nic\": \"%s\", \"kernel\": \"%s\", \"len\": %d, \"batch\": %d, " \
			"\"meta\": \"%s\", \"frames\": %d, \"path_per_frame\": %.3f, \"all_per_frame\": %.3f, \"functions\": {%s}}\n", \
			nic, kernel, len[s], batch[s], meta[s], frames[s], path, all, json
	}
}
