## The program, and how shells complete its command line.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = %D%/completion/bash/penrose
dist_zshcompletion_DATA = %D%/completion/_penrose
dist_fishcompletion_DATA = %D%/completion/penrose.fish
bin_PROGRAMS += penrose
penrose_CPPFLAGS = $(AM_CPPFLAGS) -DPENROSE_CARDS_DIR='"$(cardsdir)"' -DPENROSE_DATA_DIR='"$(pkgdatadir)"'
penrose_LDFLAGS = $(product_ldflags)
penrose_LDADD = libpenrose_core.la $(JANSSON_LIBS) $(LIBZIP_LIBS)
penrose_SOURCES = \
	%D%/cli.h \
	%D%/chosen.c \
	%D%/chosen.h \
	%D%/cmd_asm.c \
	%D%/cmd_boot.c \
	%D%/cmd_compare.c \
	%D%/cmd_disasm.c \
	%D%/cmd_doctor.c \
	%D%/cmd_exec.c \
	%D%/cmd_explain.c \
	%D%/cmd_hunt.c \
	%D%/cmd_info.c \
	%D%/cmd_new.c \
	%D%/cmd_replay.c \
	%D%/cmd_run.c \
	%D%/cmd_state.c \
	%D%/cmd_trace.c \
	%D%/cmd_waits.c \
	%D%/cmd_what_if.c \
	%D%/check_options.c \
	%D%/check_options.h \
	%D%/compare_options.c \
	%D%/compare_options.h \
	%D%/last_writer.c \
	%D%/last_writer.h \
	%D%/noc_trace.c \
	%D%/noc_trace.h \
	%D%/console.c \
	%D%/console.h \
	%D%/rerun.c \
	%D%/rerun.h \
	%D%/installation.c \
	%D%/installation.h \
	%D%/left_behind.c \
	%D%/left_behind.h \
	%D%/look.c \
	%D%/look.h \
	%D%/machine_options.c \
	%D%/machine_options.h \
	%D%/main.c \
	%D%/options.c \
	%D%/options.h \
	%D%/output.c \
	%D%/output.h \
	%D%/output_file.c \
	%D%/output_file.h \
	%D%/program.c \
	%D%/python.c \
	%D%/python.h \
	%D%/program.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_explain.c \
	%D%/session_explain.h \
	%D%/session_results.c \
	%D%/session_results.h \
	%D%/show.c \
	%D%/show.h \
	%D%/show_items.def \
	%D%/state.c \
	%D%/state.h \
	%D%/suggest.c \
	%D%/suggest.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/tensors.c \
	%D%/tensors.h \
	%D%/ttx.c \
	%D%/ttx.h \
	%D%/units.c \
	%D%/units.h \
	%D%/work.c \
	%D%/work.h \
	src/loader/program.c \
	src/loader/program.h \
	src/loader/program_buffers.c \
	src/loader/program_members.c \
	src/loader/program_expression.c \
	src/loader/program_internal.h \
	src/loader/ttx.c \
	src/loader/ttx.h \
	$(compare_sources) \
	$(explain_sources)
