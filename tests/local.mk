## Unit tests: a program each, made of tests/unit/check_*.c, the shared harness and the core.
UNIT_TESTS = \
	%D%/unit/check_spec_flow \
	%D%/unit/check_spec_int

LDADD = libtests.la libpenrose_core.la $(CHECK_LIBS)

if HAVE_CHECK
check_LTLIBRARIES = libtests.la
libtests_la_SOURCES = \
	%D%/unit/rv32_harness.c \
	%D%/unit/rv32_harness.h

check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
