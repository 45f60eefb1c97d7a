libpenrose_core_la_SOURCES += \
	%D%/environment.c \
	%D%/environment.h \
	%D%/pages.c \
	%D%/pages.h
