chip_sources += \
	%D%/boot.c \
	%D%/firmware.h \
	%D%/program_files.c \
	%D%/program_files.h \
	%D%/programs.c \
	%D%/tables.c \
	%D%/tables.h
