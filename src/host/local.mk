libpenrose_core_la_SOURCES += \
	%D%/array.c \
	%D%/array.h \
	%D%/environment.c \
	%D%/environment.h \
	%D%/files.c \
	%D%/files.h \
	%D%/pages.c \
	%D%/pages.h \
	%D%/processors.c \
	%D%/processors.h
