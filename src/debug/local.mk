libpenrose_core_la_SOURCES += \
	%D%/report.c \
	%D%/waits.c
