libpenrose_core_la_SOURCES += \
	%D%/backend_config.c \
	%D%/backend_config.def \
	%D%/frontend.c \
	%D%/frontend.def \
	%D%/mop.c \
	%D%/mop.h \
	%D%/regs.c \
	%D%/regs.def \
	%D%/regs.h \
	%D%/replay.c \
	%D%/replay.h \
	%D%/table.c \
	%D%/table.h \
	%D%/tensix.def \
	%D%/tensix.h
