libpenrose_core_la_SOURCES += \
	%D%/error.c \
	%D%/error.h \
	%D%/export.h \
	%D%/host_time.h \
	%D%/isa.c \
	%D%/isa.h \
	%D%/shortcuts.h
