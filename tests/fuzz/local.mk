## Fuzz targets. In trees with sanitizers `make check` runs them as plain programs for some seconds;
## `make fuzzers` builds them anywhere, and with `configure --enable-fuzzers CC=clang` for libFuzzer.
FUZZERS = \
	%D%/fuzz_cluster \
	%D%/fuzz_dump \
	%D%/fuzz_file \
	%D%/fuzz_loader \
	%D%/fuzz_program \
	%D%/fuzz_recording \
	%D%/fuzz_snapshot \
	%D%/fuzz_tensix \
	%D%/fuzz_trace \
	%D%/fuzz_vector

if ENABLE_FUZZERS
fuzz_inputs =
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
fuzz_inputs = %D%/inputs.c %D%/fuzz.h
fuzz_ldflags = $(AM_LDFLAGS)
endif

if ENABLE_SANITIZERS
if HAVE_CHECK
check_PROGRAMS += $(FUZZERS)
TESTS += $(FUZZERS)
endif
endif
EXTRA_PROGRAMS += $(FUZZERS)
CLEANFILES += $(FUZZERS)
EXTRA_DIST += %D%/fuzz_coprocessor.h %D%/fuzz_files.h

tests_fuzz_fuzz_cluster_SOURCES = %D%/fuzz_cluster.c $(fuzz_inputs)
tests_fuzz_fuzz_cluster_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_dump_SOURCES = %D%/fuzz_dump.c $(fuzz_inputs) $(compare_sources)
tests_fuzz_fuzz_dump_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_file_SOURCES = %D%/fuzz_file.c $(fuzz_inputs) src/loader/ttx.c
tests_fuzz_fuzz_file_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_loader_SOURCES = %D%/fuzz_loader.c $(fuzz_inputs)
tests_fuzz_fuzz_loader_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_program_SOURCES = %D%/fuzz_program.c $(fuzz_inputs) $(program_sources)
tests_fuzz_fuzz_program_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_recording_SOURCES = %D%/fuzz_recording.c $(fuzz_inputs)
tests_fuzz_fuzz_recording_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_snapshot_SOURCES = %D%/fuzz_snapshot.c $(fuzz_inputs)
tests_fuzz_fuzz_snapshot_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_tensix_SOURCES = %D%/fuzz_tensix.c $(fuzz_inputs)
tests_fuzz_fuzz_tensix_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_trace_SOURCES = %D%/fuzz_trace.c $(fuzz_inputs)
tests_fuzz_fuzz_trace_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_vector_SOURCES = %D%/fuzz_vector.c $(fuzz_inputs)
tests_fuzz_fuzz_vector_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_dump_LDADD = $(LDADD) -lm
tests_fuzz_fuzz_file_LDADD = $(LDADD) $(LIBZIP_LIBS)
fuzzers: $(FUZZERS)
.PHONY: fuzzers
