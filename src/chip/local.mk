chip_sources += \
	%D%/arc.c \
	%D%/arc.h \
	%D%/calls.c \
	%D%/calls.def \
	%D%/calls.h \
	%D%/chip.c \
	%D%/chip.h \
	%D%/dram.c \
	%D%/dram.h \
	%D%/ethernet.c \
	%D%/exchange.c \
	%D%/faults.c \
	%D%/gddr.c \
	%D%/gddr.h \
	%D%/grid.c \
	%D%/grid.h \
	%D%/harts.c \
	%D%/host.c \
	%D%/jumps.c \
	%D%/link.c \
	%D%/link.h \
	%D%/load.c \
	%D%/messages.c \
	%D%/messages.h \
	%D%/names.c \
	%D%/observers.c \
	%D%/pcie.c \
	%D%/pcie.h \
	%D%/places.c \
	%D%/record.c \
	%D%/sched.c \
	%D%/snapshot.c \
	%D%/snapshot.def \
	%D%/snapshot.h \
	%D%/snapshot_harts.def \
	%D%/snapshot_rows.c \
	%D%/snapshot_state.c \
	%D%/snapshot_tensix.def \
	%D%/sparse.c \
	%D%/sparse.h \
	%D%/text.c
libpenrose_core_la_SOURCES += \
	%D%/pool.c \
	%D%/pool.h \
	%D%/snapshot_format.c \
	%D%/snapshot_format.h
