# SPDX-License-Identifier: GPL-2.0
# Every task of the project; `make help` lists them. Each does all of its own
# set-up, packages included (as root, on Debian 12). Output goes to $(BUILD).

BASE   ?= 6.1
BUILD  ?= build
KERNEL ?= run

override BUILD := $(abspath $(BUILD))
# As the user wrote them: make shall not expand a $$ of the guest's shell.
define raw
override $(1) := $$(value $(1))
export $(1)
endef
RAW := APPEND ACCEL ARGS CMD CONFIG COUNT CPUS FRAMES FUZZ_SECONDS GROUP_TIMEOUT KERNELS KSRC \
	LEAK MEM NIC NICOPTS NICSIM QEMUARGS RESULTS ROUNDS SHARE SPLATS T TIMEOUT TOPIC_TIMEOUT
$(foreach v,$(RAW),$(if $(filter-out undefined,$(origin $(v))),$(eval $(call raw,$(v)))))
export BASE BUILD KERNEL

S := scripts
TESTBED   := tools/testing/testbed
SELFTESTS := tools/testing/selftests

# A task is one line of shell, so that -j mixes nothing up.
.NOTPARALLEL:
.DEFAULT_GOAL := help
# Nothing here is a file, but for the folders that some are called after.
TASKS := help setup setup-ci kernel tree refresh rebase series check-series check-tree selftests \
	run test soak bench vm shell lint clean
.PHONY: $(TASKS)

help:
	@sed -n 's/^#: //p' Makefile

#: Tasks (each installs what it needs; output in BUILD=build)
#:   make run            send 10,000 frames over veth in a VM, print the verdict: PASS or FAIL
#:   make test           tests [T=group/topic, a glob, or a group; NIC models: T=stmmac]
#:   make soak T=...     the same tests at the length that an issue's figures ask for
#:   make bench NIC=stmmac   guest kernel instructions per zero-copy frame, by function
#:   make vm CMD='...'   run a command as root in the VM [NIC=veth|stmmac|i40e|mlx5]
#:                       [KERNEL=run|test|base|fixes] [SHARE=folder: the guest's /host]
#:   make shell          a prompt in the VM, with the same variables
#: Kernel
#:   make kernel         build a guest's kernel [KERNEL=run|test|base|fixes]
#:   make kernel CONFIG=/boot/config-...    a kernel for a machine of your own
#:                       [KSRC=tree, archive, package or Debian version: another 6.1.y]
#: Patches (edit and commit in build/6.1/linux)
#:   make refresh        the tree's commits become patches/6.1 and overlay files
#:   make rebase         repo and tree both changed: the tree's commits on top of the repo's
#:   make series         the patches for sending, with cover letter: build/6.1/series
#:   make check-series   apply to a pristine tree, compile each commit, checkpatch
#:   make check-tree     touched objects: sparse, W=1, clang, arm64, 32-bit arm [MODE=...]
#: Repo
#:   make lint           shellcheck, SPDX lines, no path of a machine, sizes
#:   make clean          remove BUILD, unless it holds commits that the repo lacks
#: Documentation: README.md, Documentation/process/patches.rst

setup:
	@$(S)/setup.sh

setup-ci:
	@$(S)/setup.sh $(S)/packages $(S)/packages-ci

tree: setup
	@$(S)/tree.sh sync

ifneq ($(origin CONFIG),undefined)
kernel: tree
	@$(S)/kernel.sh config "$$CONFIG"
else
kernel: setup
	@$(S)/tree.sh sync
	@$(S)/kernel.sh $(KERNEL)
endif

refresh rebase: setup
	@$(S)/tree.sh $@

series: setup
	@$(S)/series.sh

check-series: setup-ci
	@$(S)/check-series.sh

check-tree: setup-ci
	@$(S)/check-tree.sh $(or $(MODE),sparse w1 clang arm64 arm)

selftests: kernel
	@$(MAKE) -s --no-print-directory -C $(SELFTESTS) BUILD=$(BUILD)

vm shell: selftests
	@$(if $(filter shell,$@),CMD= )$(TESTBED)/vm/vm.sh

run test soak bench: setup
	@$(MAKE) --no-print-directory -C $(TESTBED) BUILD=$(BUILD) $@

lint: setup-ci
	@$(S)/lint.sh

clean:
	@$(S)/clean.sh
