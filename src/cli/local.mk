## The program.
bin_PROGRAMS += penrose
penrose_LDADD = libpenrose_core.la $(JANSSON_LIBS)
penrose_SOURCES = \
	%D%/cli.h \
	%D%/cmd_asm.c \
	%D%/cmd_boot.c \
	%D%/cmd_disasm.c \
	%D%/cmd_info.c \
	%D%/cmd_run.c \
	%D%/main.c \
	%D%/options.c \
	%D%/options.h \
	%D%/output.c \
	%D%/output.h \
	%D%/output_file.c \
	%D%/output_file.h \
	%D%/program.c \
	%D%/program.h \
	%D%/session.c \
	%D%/session.h \
	%D%/suggest.c \
	%D%/suggest.h \
	%D%/tensors.c \
	%D%/tensors.h \
	%D%/trace.c \
	%D%/trace.h \
	%D%/work.c \
	%D%/work.h \
	src/loader/program.c \
	src/loader/program.h \
	src/loader/program_buffers.c \
	src/loader/program_expression.c \
	src/loader/program_internal.h
