## Unit tests: a program each, made of tests/unit/check_*.c, the shared harnesses and the core.
UNIT_TESTS = \
	%D%/unit/check_spec_csr \
	%D%/unit/check_spec_flow \
	%D%/unit/check_spec_int \
	%D%/unit/check_tile

LDADD = libtests.la libpenrose_core.la $(CHECK_LIBS)

if HAVE_CHECK
check_LTLIBRARIES = libtests.la
libtests_la_SOURCES = \
	%D%/unit/rv32_harness.c \
	%D%/unit/rv32_harness.h \
	%D%/unit/spec_float.c \
	%D%/unit/spec_float.h \
	%D%/unit/tile_harness.c \
	%D%/unit/tile_harness.h

check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

## Results of test programs and scripts; scripts find what they need by these variables.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = bash
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	builddir='$(abs_top_builddir)'; export builddir; \
	RISCV_CC='$(RISCV_CC)'; export RISCV_CC; \
	QEMU_RISCV32='$(QEMU_RISCV32)'; export QEMU_RISCV32; \
	NM='$(NM)'; export NM;

## `make check-firmware` runs real firmware and our kernels on it; see the script.
EXTRA_PROGRAMS += %D%/firmware/check_sets
tests_firmware_check_sets_LDADD = libpenrose_core.la
EXTRA_DIST += %D%/firmware/check-firmware.sh %D%/uncovered.txt
CLEANFILES += %D%/firmware/check_sets$(EXEEXT)
check-firmware: all %D%/firmware/check_sets$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS=tests/firmware/check-firmware.sh
.PHONY: check-firmware
