## The tables of a kind of chip, which name what all folders below have.
chip_sources += \
	%D%/calls.c \
	%D%/inside.c
libpenrose_core_la_SOURCES += \
	%D%/list.c
