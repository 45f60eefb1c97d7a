libpenrose_core_la_SOURCES += \
	%D%/arc.c \
	%D%/arc.def \
	%D%/arc.h \
	%D%/chip.c \
	%D%/chip.h \
	%D%/dram.c \
	%D%/dram.h \
	%D%/exchange.c \
	%D%/faults.c \
	%D%/grid.c \
	%D%/grid.def \
	%D%/grid.h \
	%D%/harts.c \
	%D%/images.c \
	%D%/images.h \
	%D%/pcie.c \
	%D%/pcie.def \
	%D%/pcie.h \
	%D%/places.c \
	%D%/pool.c \
	%D%/pool.h \
	%D%/programs.c \
	%D%/sched.c \
	%D%/sparse.c \
	%D%/sparse.h \
	%D%/text.c
