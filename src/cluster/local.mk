libpenrose_core_la_SOURCES += \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/run.c
