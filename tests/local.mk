include %D%/unit/local.mk

LDADD = libunit.la libpenrose_core.la $(CHECK_LIBS) $(JANSSON_LIBS)

if HAVE_CHECK
check_PROGRAMS += $(UNIT_TESTS) $(CLIENT_TESTS)
TESTS += $(UNIT_TESTS) $(CLIENT_TESTS)
endif

## The built library as its clients have it.
CLIENT_TESTS = %D%/abi/check_cards %D%/abi/check_client %D%/abi/check_robust
tests_abi_check_cards_SOURCES = %D%/abi/check_cards.c %D%/abi/client.c %D%/abi/client.h
tests_abi_check_cards_LDADD = libunit.la $(CHECK_LIBS) -ldl
tests_abi_check_client_SOURCES = %D%/abi/check_client.c %D%/abi/client.c %D%/abi/client.h
tests_abi_check_client_LDADD = libunit.la $(CHECK_LIBS) -ldl
tests_abi_check_robust_SOURCES = %D%/abi/check_robust.c %D%/unit/sanitized.h %D%/abi/client.c %D%/abi/client.h \
	%D%/abi/throwing.cc %D%/abi/throwing.h
tests_abi_check_robust_LDADD = libunit.la $(CHECK_LIBS) -ldl -lpthread

## Scripts: exports of the libraries, the command line, our guest programs, scripts that fetch things.
SHELL_TESTS = \
	%D%/abi/examples.sh \
	%D%/abi/exports.sh \
	%D%/cli/bad-files.sh \
	%D%/cli/clusters.sh \
	%D%/cli/compare.sh \
	%D%/cli/completion.sh \
	%D%/cli/console.sh \
	%D%/cli/data-errors.sh \
	%D%/cli/doctor.sh \
	%D%/cli/dumps.sh \
	%D%/cli/exec.sh \
	%D%/cli/explain.sh \
	%D%/cli/firmware.sh \
	%D%/cli/hunt.sh \
	%D%/cli/kernel-sets.sh \
	%D%/cli/launches.sh \
	%D%/cli/machine.sh \
	%D%/cli/new.sh \
	%D%/cli/noc-errors.sh \
	%D%/cli/profile.sh \
	%D%/cli/replay.sh \
	%D%/cli/schema.sh \
	%D%/cli/silicon-matmul.sh \
	%D%/cli/snapshots.sh \
	%D%/cli/tensix-errors.sh \
	%D%/cli/tensors.sh \
	%D%/cli/trace.sh \
	%D%/cli/ttx.sh \
	%D%/cli/usage.sh \
	%D%/cli/vector-errors.sh \
	%D%/cli/what-if.sh \
	%D%/difftest/self-test.sh \
	%D%/firmware/whole-chip.sh \
	%D%/gdb/bare.sh \
	%D%/gdb/cppdbg.sh \
	%D%/gdb/firmware.sh \
	%D%/gdb/host.sh \
	%D%/gdb/replay.sh \
	%D%/checks/checks.sh \
	%D%/checks/races.sh \
	%D%/checks/config.sh \
	%D%/checks/field.sh \
	%D%/checks/told.sh \
	%D%/guests/grid.sh \
	%D%/guests/guests.sh \
	%D%/guests/tensix.sh \
	%D%/guests/tensor.sh \
	%D%/guests/vector.sh \
	%D%/scripts/capture.sh \
	%D%/scripts/fetch-sfpi.sh \
	%D%/scripts/suites.sh
TESTS += $(SHELL_TESTS)
## Which files call which; the libraries of a plain build have all objects.
TESTS += %D%/order.py
EXTRA_DIST += %D%/order.py
## GDB debugs bare programs, and harts under a host program.
check_PROGRAMS += %D%/gdb/host
tests_gdb_host_LDADD = -ldl
EXTRA_DIST += %D%/gdb/build.bash %D%/gdb/cppdbg.py %D%/gdb/lib.bash %D%/gdb/targets.c
## Programs of others have no sanitizer's runtime.
if IS_PRODUCT
TESTS += %D%/abi/find-package.sh
endif
EXTRA_DIST += %D%/abi/find-package.sh
EXTRA_DIST += $(SHELL_TESTS) %D%/difftest/golden.bash %D%/checks/lib.bash %D%/checks/mutations.py %D%/checks/llk-mutations.py %D%/checks/llk_programs.py %D%/checks/equivalent-mutants.txt %D%/cli/lib.bash %D%/cli/faults.bash %D%/cli/documents.bash %D%/cli/documents.py
EXTRA_DIST += %D%/guests/model.py %D%/guests/tensor.py %D%/cli/tensors.py %D%/cli/compare_dumps.py %D%/scripts/capture.py %D%/scripts/suites.py %D%/cli/dumps.py
EXTRA_DIST += %D%/guests/vector.py %D%/guests/vector_model.py
EXTRA_DIST += %D%/guests/grid.py

## The model of large products; without sanitizers, as it is slow enough.
check_PROGRAMS += %D%/guests/matmul_model
tests_guests_matmul_model_CFLAGS = -std=c11 -Wall -Wextra
tests_guests_matmul_model_LDFLAGS =
tests_guests_matmul_model_LDADD =

## Random programs on our hart and under qemu-riscv32.
check_PROGRAMS += %D%/difftest/rv32/difftest-rv32
TESTS += %D%/difftest/rv32/difftest-rv32
tests_difftest_rv32_difftest_rv32_SOURCES = \
	%D%/difftest/common/clock.h \
	%D%/difftest/common/random.h \
	%D%/difftest/rv32/board.c \
	%D%/difftest/rv32/generate.c \
	%D%/difftest/rv32/generate.h \
	%D%/difftest/rv32/machine.h \
	%D%/difftest/rv32/main.c \
	%D%/difftest/rv32/outcome.c \
	%D%/difftest/rv32/program.c \
	%D%/difftest/rv32/program.h \
	%D%/difftest/rv32/qemu.c \
	%D%/difftest/rv32/report.c \
	%D%/difftest/rv32/report.h \
	%D%/difftest/rv32/shrink.c \
	%D%/difftest/rv32/shrink.h
tests_difftest_rv32_difftest_rv32_LDADD = libpenrose_core.la

## Results of test programs and scripts; scripts find what they need by these variables.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = bash
LOG_COMPILER = $(EMULATOR)
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	builddir='$(abs_top_builddir)'; export builddir; \
	RISCV_CC='$(RISCV_CC)'; export RISCV_CC; \
	QEMU_RISCV32='$(QEMU_RISCV32)'; export QEMU_RISCV32; \
	NM='$(NM)'; export NM; \
	CK_FORK=$${CK_FORK:-$(PENROSE_CK_FORK)}; export CK_FORK; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-120}; export CK_DEFAULT_TIMEOUT;

## `make check-units` runs what judges a compiler: unit tests and recorded programs.
check-units: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(UNIT_TESTS) tests/difftest/tensix-golden.sh tests/difftest/noc-golden.sh'
.PHONY: check-units

## `make check-rows` runs what executes rows of instruction tables, for scripts/coverage.
ROW_TESTS = $(filter tests/unit/rv32/% tests/unit/tensix/%,$(UNIT_TESTS)) \
	tests/difftest/rv32/difftest-rv32 tests/difftest/tensix-golden.sh
check-rows: libpenrose_core.la libttsim.la tests/difftest/tensix/difftest-tensix$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(ROW_TESTS)' \
		check_PROGRAMS= check_LTLIBRARIES= check_SCRIPTS= check_DATA=
.PHONY: check-rows

## `make check-firmware` runs real firmware and our kernels on it; see the script.
EXTRA_PROGRAMS += %D%/firmware/check_sets
tests_firmware_check_sets_LDADD = libpenrose_core.la
check_PROGRAMS += %D%/firmware/check_whole_chip
tests_firmware_check_whole_chip_LDADD = libpenrose_core.la
## A host that launches kernels, for cli/launches.sh.
check_PROGRAMS += %D%/firmware/launching_host
tests_firmware_launching_host_LDADD = libttsim_parts.la libpenrose_core.la
EXTRA_DIST += %D%/firmware/check-firmware.sh %D%/uncovered.txt
CLEANFILES += %D%/firmware/check_sets$(EXEEXT)
check-firmware: all %D%/firmware/check_sets$(EXEEXT) %D%/firmware/check_whole_chip$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS=tests/firmware/check-firmware.sh
.PHONY: check-firmware

## `make check-clients` runs tt-umd, tt-exalens, ttnn and LLK's tests on the library, unmodified. They
## are fetched into a cache; what cannot run here is skipped, and says why.
REAL_CLIENTS = \
	%D%/clients/attach.sh \
	%D%/clients/burnin.sh \
	%D%/clients/capture.sh \
	%D%/clients/cards.sh \
	%D%/clients/exalens-gdb.sh \
	%D%/clients/exalens.sh \
	%D%/clients/launches.sh \
	%D%/clients/mesh.sh \
	%D%/clients/llk-counters.sh \
	%D%/clients/llk-fast.sh \
	%D%/clients/profiles.sh \
	%D%/clients/pytest-plugin.sh \
	%D%/clients/record.sh \
	%D%/clients/triage.sh \
	%D%/clients/ttnn-fast.sh \
	%D%/clients/ttnn-gdb.sh \
	%D%/clients/ttnn-checks.sh \
	%D%/clients/ttnn-hang.sh \
	%D%/clients/ttnn-umd.sh
EXTRA_DIST += $(REAL_CLIENTS) \
	%D%/clients/burnin/burnin.py \
	%D%/clients/burnin/expected.py \
	%D%/clients/burnin/image.py \
	%D%/clients/burnin/library.py \
	%D%/clients/common.bash \
	%D%/clients/compare-llk.sh \
	%D%/clients/llk.sh \
	%D%/clients/llk-ttnop.sh \
	%D%/clients/ttnn.sh \
	%D%/clients/ttnn-speed.sh \
	%D%/clients/models.sh \
	%D%/clients/programs.sh \
	%D%/clients/exalens/capture.py \
	%D%/clients/exalens/debuggee.c \
	%D%/clients/exalens/debuggee.ld \
	%D%/clients/exalens/matrix.py \
	%D%/clients/exalens/relay.py \
	%D%/clients/exalens/round.py \
	%D%/clients/profiles/slices.py \
	%D%/clients/llk/abi_count.c \
	%D%/clients/llk/compare.txt \
	%D%/clients/llk/counters.py \
	%D%/clients/llk/fast.txt \
	%D%/clients/llk/suite.bash \
	%D%/clients/suites/dumping.py \
	%D%/clients/suites/record.py \
	%D%/clients/suites/report.py \
	%D%/clients/suites/sample.py \
	%D%/clients/suites/warm.py \
	%D%/clients/ttnn-suite.sh \
	%D%/clients/ttnn/mesh.py \
	%D%/clients/ttnn/mesh_operations.py \
	%D%/clients/ttnn/mesh_scale.py \
	%D%/clients/ttnn/checkout.bash \
	%D%/clients/ttnn/checks.py \
	%D%/clients/ttnn/compare.py \
	%D%/clients/ttnn/environment.bash \
	%D%/clients/ttnn/examples.py \
	%D%/clients/ttnn/hang.py \
	%D%/clients/ttnn/launches.py \
	%D%/clients/ttnn/old_api.py \
	%D%/clients/ttnn/ops.py \
	%D%/clients/ttnn/programs.py \
	%D%/clients/ttnn/quick.py \
	%D%/clients/ttnn/readiness.py \
	%D%/clients/ttnn/speed.py \
	%D%/clients/ttnn/symbiote.py \
	%D%/clients/ttnn/tutorials.py \
	%D%/clients/ttnn/test_plugin.py \
	%D%/clients/ttnn/topology.py \
	%D%/clients/ttnn/umd.py
check-clients: all
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(REAL_CLIENTS)'
.PHONY: check-clients

include %D%/fuzz/local.mk
include %D%/difftest/common/local.mk
include %D%/difftest/tensix/local.mk
include %D%/difftest/noc/local.mk
