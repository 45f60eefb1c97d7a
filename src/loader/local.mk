libpenrose_core_la_SOURCES += \
	%D%/companion.c \
	%D%/companion.h \
	%D%/dwarf.c \
	%D%/elf.c \
	%D%/elf.h \
	%D%/elf_internal.h \
	%D%/firmware.c \
	%D%/firmware.h \
	%D%/firmware_internal.h \
	%D%/kernel.c \
	%D%/launch.c \
	%D%/launch.h \
	%D%/layout.c \
	%D%/layout.def \
	%D%/layout.h \
	%D%/npy.c \
	%D%/npy.h \
	%D%/scratch.c \
	%D%/scratch.h \
	%D%/symbols.c \
	%D%/tensor.c \
	%D%/tensor.h \
	%D%/writes.c \
	%D%/writes.h \
	%D%/xip.c \
	%D%/xip.def \
	%D%/xip.h
