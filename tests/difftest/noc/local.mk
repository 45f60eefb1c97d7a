## Random NoC transactions on two libraries with the libttsim ABI, and golden cases without the other.
check_PROGRAMS += %D%/difftest-noc
tests_difftest_noc_difftest_noc_SOURCES = $(difftest_common_sources) \
	%D%/bench.c \
	%D%/bench.h \
	%D%/campaign.c \
	%D%/campaign.h \
	%D%/claims.c \
	%D%/claims.h \
	%D%/fields.def \
	%D%/generate.c \
	%D%/generate.h \
	%D%/golden.c \
	%D%/golden.h \
	%D%/link.c \
	%D%/link.h \
	%D%/main.c \
	%D%/mutants.def \
	%D%/program.c \
	%D%/program.h \
	%D%/registers.def \
	%D%/run.c \
	%D%/run.h \
	%D%/selftest.c \
	%D%/selftest.h \
	%D%/shrink.c \
	%D%/shrink.h \
	%D%/table.c \
	%D%/table.h \
	%D%/text.c \
	%D%/text.h \
	%D%/worker.c \
	%D%/worker.h
tests_difftest_noc_difftest_noc_LDADD = libpenrose_core.la -ldl

## The scripts beside this folder, and the cases that --record has written.
TESTS += tests/difftest/noc-golden.sh tests/difftest/noc-self-test.sh
EXTRA_DIST += tests/difftest/noc-golden.sh tests/difftest/noc-self-test.sh
EXTRA_DIST += tests/golden/noc
