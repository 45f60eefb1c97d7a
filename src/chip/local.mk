libpenrose_core_la_SOURCES += \
	%D%/chip.c \
	%D%/chip.h \
	%D%/faults.c \
	%D%/images.c \
	%D%/images.h \
	%D%/programs.c \
	%D%/sched.c \
	%D%/text.c
