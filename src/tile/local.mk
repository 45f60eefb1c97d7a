libpenrose_core_la_SOURCES += \
	%D%/bus.c \
	%D%/bus.h \
	%D%/debug.h \
	%D%/mailbox.h \
	%D%/mmio.c \
	%D%/mmio.def \
	%D%/pic.h \
	%D%/reset.c \
	%D%/run.c \
	%D%/tdma.h \
	%D%/tile.c \
	%D%/tile.h
