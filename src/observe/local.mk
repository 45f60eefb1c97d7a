chip_sources += \
	%D%/counts.c \
	%D%/debugger.c \
	%D%/hart_state.c \
	%D%/inside.def \
	%D%/inside.h \
	%D%/listing.c \
	%D%/listing.h \
	%D%/points.h \
	%D%/tensix_items.c \
	%D%/tensix_items.def \
	%D%/tensix_items.h \
	%D%/tensix_state.c \
	%D%/dump/buffers.c \
	%D%/dump/collect.c \
	%D%/dump/dump.c \
	%D%/dump/tensix.c \
	%D%/explain/held.c \
	%D%/explain/held.h \
	%D%/explain/packets.c \
	%D%/explain/packets.h \
	%D%/explain/values.c \
	%D%/explain/values.h \
	%D%/explain/writers.c \
	%D%/explain/writers.h \
	%D%/history/history.c \
	%D%/history/replay.c \
	%D%/history/replay.h \
	%D%/history/moments.c \
	%D%/history/moments.h \
	%D%/launches/launches.c \
	%D%/launches/launches.h \
	%D%/history/rerun.c \
	%D%/history/rerun.h \
	%D%/history/rerun_free.c \
	%D%/history/rerun_free.h \
	%D%/trace/code.c \
	%D%/trace/code.h \
	%D%/trace/trace.c \
	%D%/waits/across.c \
	%D%/waits/across.h \
	%D%/waits/chain.c \
	%D%/waits/chain.h \
	%D%/waits/places.c \
	%D%/waits/places.h \
	%D%/waits/left.h \
	%D%/waits/responses.c \
	%D%/waits/responses.h \
	%D%/waits/under_way.c \
	%D%/waits/under_way.h \
	%D%/waits/waits.c \
	%D%/waits/waits.h

## What knows no chip.
libpenrose_core_la_SOURCES += \
	%D%/dump/dump.h \
	%D%/dump/file.c \
	%D%/dump/groups.def \
	%D%/dump/parts.c \
	%D%/dump/parts.h \
	%D%/dump/read.c \
	%D%/dump/read.h \
	%D%/gdb/breaks.c \
	%D%/gdb/commands.c \
	%D%/gdb/expression.c \
	%D%/gdb/expression.h \
	%D%/gdb/features.c \
	%D%/gdb/files.c \
	%D%/gdb/gdb.c \
	%D%/gdb/gdb.h \
	%D%/gdb/internal.h \
	%D%/gdb/monitor.c \
	%D%/gdb/monitor_tensix.c \
	%D%/gdb/packet.c \
	%D%/gdb/packet.h \
	%D%/gdb/points.c \
	%D%/gdb/query.c \
	%D%/gdb/registers.c \
	%D%/gdb/resume.c \
	%D%/gdb/reverse.c \
	%D%/gdb/server.c \
	%D%/gdb/symbols.c \
	%D%/gdb/target.c \
	%D%/history/recording.c \
	%D%/history/recording.h \
	%D%/host_call.h \
	%D%/launches/description.c \
	%D%/launches/description.h \
	%D%/launches/programs.c \
	%D%/launches/programs.h \
	%D%/error_line.c \
	%D%/error_line.h \
	%D%/names.c \
	%D%/names.h \
	%D%/report.c \
	%D%/report.h \
	%D%/settings.c \
	%D%/settings.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/observer.h \
	%D%/dump/dst_numbers.c \
	%D%/dump/dst_numbers.h \
	%D%/dump/html.c \
	%D%/dump/html.h \
	%D%/dump/picture.c \
	%D%/dump/picture.h \
	%D%/trace/filter.c \
	%D%/trace/filter.h \
	%D%/trace/reader.c \
	%D%/trace/reader.h \
	%D%/trace/record.h \
	%D%/trace/text.c \
	%D%/trace/text.h \
	%D%/trace/writer.c \
	%D%/trace/writer.h \
	%D%/trace/file.c \
	%D%/trace/file.h \
	%D%/waits/lines.c \
	%D%/waits/lines.h

## Comparing dumps: of the program alone, as it reads JSON.
compare_sources = \
	%D%/compare/arrays.c \
	%D%/compare/compare.c \
	%D%/compare/compare.h \
	%D%/compare/dst.c \
	%D%/compare/fields.c \
	%D%/compare/internal.h \
	%D%/compare/memory.c \
	%D%/compare/number.c \
	%D%/compare/number.h \
	%D%/compare/result.c

## Explaining differences between dumps: also of the program alone.
explain_sources = \
	%D%/explain/data.c \
	%D%/explain/explain.h \
	%D%/explain/follow.c \
	%D%/explain/inputs.c \
	%D%/explain/internal.h \
	%D%/explain/runs.c \
	%D%/explain/words.c \
	%D%/explain/words.h
