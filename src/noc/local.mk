libpenrose_core_la_SOURCES += \
	%D%/niu.c \
	%D%/niu.def \
	%D%/niu.h \
	%D%/overlay.c \
	%D%/overlay.def \
	%D%/overlay.h
