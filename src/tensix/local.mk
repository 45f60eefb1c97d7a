libpenrose_core_la_SOURCES += \
	%D%/backend_config.c \
	%D%/backend_config.def \
	%D%/frontend.c \
	%D%/frontend.def \
	%D%/table.c \
	%D%/table.h \
	%D%/tensix.def \
	%D%/tensix.h
