chip_sources += \
	%D%/counts.c \
	%D%/debugger.c \
	%D%/error_line.c \
	%D%/error_line.h \
	%D%/hart_state.c \
	%D%/observer.h \
	%D%/report.c \
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
