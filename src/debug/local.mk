libpenrose_core_la_SOURCES += \
	%D%/report.c \
	%D%/sink.c \
	%D%/sink.h \
	%D%/under_way.c \
	%D%/under_way.h \
	%D%/wait_lines.c \
	%D%/wait_lines.h \
	%D%/wait_places.c \
	%D%/wait_places.h \
	%D%/waits.c
