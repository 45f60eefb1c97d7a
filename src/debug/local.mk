libpenrose_core_la_SOURCES += \
	%D%/report.c \
	%D%/sink.c \
	%D%/sink.h \
	%D%/waits.c
