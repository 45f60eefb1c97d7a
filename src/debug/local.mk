libpenrose_core_la_SOURCES += \
	%D%/waits.c
