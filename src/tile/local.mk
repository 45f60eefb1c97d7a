chip_sources += \
	%D%/bus.c \
	%D%/bus.h \
	%D%/debug.c \
	%D%/debug.h \
	%D%/debug_bus.c \
	%D%/debug_internal.h \
	%D%/debug_perf.c \
	%D%/debug_risc.c \
	%D%/debug_time.c \
	%D%/dst_window.c \
	%D%/eth_window.c \
	%D%/eth_window.h \
	%D%/kind.c \
	%D%/mailbox.c \
	%D%/mailbox.h \
	%D%/mmio.c \
	%D%/mmio_fast.h \
	%D%/noc_port.c \
	%D%/noc_port.h \
	%D%/noc_short.c \
	%D%/noc_short.h \
	%D%/observe.c \
	%D%/observe.h \
	%D%/overlay_port.c \
	%D%/overlay_port.h \
	%D%/noc_window.c \
	%D%/noc_window.h \
	%D%/pic.c \
	%D%/pic.h \
	%D%/report.h \
	%D%/reset.c \
	%D%/run.c \
	%D%/suspect.c \
	%D%/suspect.h \
	%D%/tdma.c \
	%D%/tdma.h \
	%D%/tensix_port.c \
	%D%/tensix_port.h \
	%D%/tile.c \
	%D%/tile.h \
	%D%/weak.c \
	%D%/weak.h \
	%D%/windows.c
if HAVE_SHORTCUTS
chip_sources += %D%/mmio_fast.c
endif
