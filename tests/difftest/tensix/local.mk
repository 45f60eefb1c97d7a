## Random Tensix programs on two libraries with the libttsim ABI, and golden cases without the other.
difftest_tensix_sources = $(difftest_common_sources) \
	%D%/bench.c \
	%D%/bench.h \
	%D%/campaign.c \
	%D%/campaign.h \
	%D%/data.c \
	%D%/data.h \
	%D%/epilogue.c \
	%D%/epilogue.h \
	%D%/epilogue_vector.c \
	%D%/expand.c \
	%D%/expand.h \
	%D%/explain.c \
	%D%/explain.h \
	%D%/fence.c \
	%D%/fence.h \
	%D%/generate.c \
	%D%/generate.h \
	%D%/golden.c \
	%D%/golden.h \
	%D%/guest.c \
	%D%/guest.h \
	%D%/make_config.c \
	%D%/make_loops.c \
	%D%/make_scene.c \
	%D%/make_sync.c \
	%D%/make_vector.c \
	%D%/model.c \
	%D%/model.h \
	%D%/model_internal.h \
	%D%/model_matrix.c \
	%D%/model_path.c \
	%D%/model_vector.c \
	%D%/mutants.def \
	%D%/probes.def \
	%D%/program.c \
	%D%/program.h \
	%D%/rules.c \
	%D%/rules.def \
	%D%/rules.h \
	%D%/run.c \
	%D%/run.h \
	%D%/scene.c \
	%D%/scene.h \
	%D%/scene_plan.c \
	%D%/selftest.c \
	%D%/selftest.h \
	%D%/shrink.c \
	%D%/shrink.h \
	%D%/state.c \
	%D%/state.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/text.c \
	%D%/vector.h \
	%D%/vector_plan.c \
	%D%/words.def \
	%D%/worker.c
check_PROGRAMS += %D%/difftest-tensix
tests_difftest_tensix_difftest_tensix_SOURCES = $(difftest_tensix_sources) %D%/main.c
tests_difftest_tensix_difftest_tensix_LDADD = libpenrose_core.la -ldl -lpthread

## The same programs with and without shortcuts.
check_PROGRAMS += %D%/check_ways
tests_difftest_tensix_check_ways_SOURCES = $(difftest_tensix_sources) %D%/check_ways.c
tests_difftest_tensix_check_ways_LDADD = libunit.la libpenrose_core.la $(CHECK_LIBS) -ldl -lpthread
TESTS += %D%/check_ways

## The scripts beside this folder, and the cases that --record has written.
TESTS += tests/difftest/tensix-golden.sh tests/difftest/tensix-self-test.sh
EXTRA_DIST += tests/difftest/tensix-golden.sh tests/difftest/tensix-self-test.sh
EXTRA_DIST += tests/golden/tensix
