libpenrose_core_la_SOURCES += \
	%D%/api.h \
	%D%/arguments.c \
	%D%/chips.c \
	%D%/clusters.c \
	%D%/harts.c \
	%D%/metal.c \
	%D%/observers.c \
	%D%/places.c \
	%D%/reports.c \
	%D%/tensix.c \
	%D%/text.c
