libpenrose_core_la_SOURCES += \
	%D%/bus.c \
	%D%/bus.h \
	%D%/debug.h \
	%D%/mailbox.c \
	%D%/mailbox.h \
	%D%/mmio.c \
	%D%/mmio.def \
	%D%/pic.c \
	%D%/pic.def \
	%D%/pic.h \
	%D%/report.h \
	%D%/reset.c \
	%D%/run.c \
	%D%/tdma.c \
	%D%/tdma.def \
	%D%/tdma.h \
	%D%/tile.c \
	%D%/tile.h \
	%D%/weak.c \
	%D%/weak.h \
	%D%/windows.c
