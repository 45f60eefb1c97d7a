libpenrose_core_la_SOURCES += \
	%D%/answer.c \
	%D%/answer.h \
	%D%/error.c \
	%D%/error.h \
	%D%/host_time.h \
	%D%/isa.c \
	%D%/isa.h \
	%D%/json_text.c \
	%D%/json_text.h \
	%D%/plain_text.c \
	%D%/plain_text.h \
	%D%/reg.c \
	%D%/reg.h \
	%D%/reg_table.h \
	%D%/shortcuts.h \
	%D%/timing.h \
	%D%/word_text.c \
	%D%/word_text.h
