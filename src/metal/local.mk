chip_sources += \
	%D%/boot.c \
	%D%/buffers.h \
	%D%/claims.c \
	%D%/descriptor.c \
	%D%/descriptor.h \
	%D%/facts.c \
	%D%/cluster_file.c \
	%D%/cluster_file.h \
	%D%/firmware.c \
	%D%/firmware.h \
	%D%/programs.c \
	%D%/tables.c \
	%D%/tables.h
libpenrose_core_la_SOURCES += \
	%D%/program_files.c \
	%D%/program_files.h
