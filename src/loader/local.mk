libpenrose_core_la_SOURCES += \
	%D%/dwarf.c \
	%D%/elf.c \
	%D%/elf.h \
	%D%/elf_internal.h \
	%D%/layout.c \
	%D%/layout.def \
	%D%/layout.h \
	%D%/symbols.c \
	%D%/xip.c \
	%D%/xip.def \
	%D%/xip.h
