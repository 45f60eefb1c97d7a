libpenrose_core_la_SOURCES += \
	%D%/pages.c \
	%D%/pages.h
