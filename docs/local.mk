EXTRA_DIST += \
	%D%/ARCHITECTURE.md \
	%D%/CLUSTERS.md \
	%D%/DEBUGGING.md \
	%D%/DEVELOPING.md \
	%D%/DEVIATIONS.md \
	%D%/CHECKS.md \
	%D%/DUMPS.md \
	%D%/FINDINGS.md \
	%D%/FIRMWARE.md \
	%D%/HARDWARE.md \
	%D%/INSTALL.md \
	%D%/MIGRATING.md \
	%D%/PERFORMANCE.md \
	%D%/PROFILING.md \
	%D%/RECORDING.md \
	%D%/RESULTS.md \
	%D%/TIMING.md \
	%D%/TTNN.md \
	%D%/examples/CMakeLists.txt \
	%D%/examples/links.py \
	%D%/examples/picture.py \
	%D%/images/contention.svg \
	%D%/images/fault.svg \
	%D%/images/models.svg \
	%D%/images/terminal.py

## What the program writes and reads as JSON, for programs and editors: $(pkgdatadir)/schema.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = %D%/schema/output.json %D%/schema/program.json %D%/schema/sarif.json

## Built and run by tests/abi/examples.sh; they use the library as its users do.
EXAMPLES = %D%/examples/debug %D%/examples/launch %D%/examples/run_program
check_PROGRAMS += $(EXAMPLES)
docs_examples_debug_LDADD = libpenrose.la
docs_examples_launch_LDADD = libpenrose.la
docs_examples_run_program_LDADD = libpenrose.la
