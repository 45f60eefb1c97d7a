chip_sources += \
	%D%/counts.c \
	%D%/debugger.c \
	%D%/dump.c \
	%D%/dump.h \
	%D%/dump_buffers.c \
	%D%/dump_collect.c \
	%D%/dump_file.c \
	%D%/dump_groups.def \
	%D%/dump_html.c \
	%D%/dump_html.h \
	%D%/dump_parts.h \
	%D%/dump_tensix.c \
	%D%/error_line.c \
	%D%/error_line.h \
	%D%/hart_state.c \
	%D%/history.c \
	%D%/journal.c \
	%D%/journal.def \
	%D%/journal.h \
	%D%/journal_file.c \
	%D%/journal_file.h \
	%D%/observer.h \
	%D%/picture.c \
	%D%/picture.h \
	%D%/points.h \
	%D%/report.c \
	%D%/rerun.c \
	%D%/rerun.h \
	%D%/responses.c \
	%D%/responses.h \
	%D%/settings.c \
	%D%/settings.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/tensix_state.c \
	%D%/trace.c \
	%D%/trace_file.c \
	%D%/trace_file.h \
	%D%/trace_text.c \
	%D%/trace_text.h \
	%D%/under_way.c \
	%D%/under_way.h \
	%D%/wait_lines.c \
	%D%/wait_lines.h \
	%D%/wait_places.c \
	%D%/wait_places.h \
	%D%/waits.c

## Comparing dumps: of the program alone, as it reads JSON.
compare_sources = \
	%D%/compare/arrays.c \
	%D%/compare/compare.c \
	%D%/compare/compare.h \
	%D%/compare/dump.c \
	%D%/compare/dump.h \
	%D%/compare/fields.c \
	%D%/compare/internal.h \
	%D%/compare/memory.c \
	%D%/compare/number.c \
	%D%/compare/number.h \
	%D%/compare/perf.c \
	%D%/compare/perf.h \
	%D%/compare/result.c
