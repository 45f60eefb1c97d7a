libpenrose_core_la_SOURCES += \
	%D%/fp16.c \
	%D%/fp16.h \
	%D%/fp32.c \
	%D%/fp32.h \
	%D%/unrounded.h
