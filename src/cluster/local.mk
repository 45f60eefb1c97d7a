libpenrose_core_la_SOURCES += \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/run.c \
	%D%/snapshot.c \
	%D%/snapshot.h
