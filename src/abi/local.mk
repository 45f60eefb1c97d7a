## The library that clients of the libttsim ABI load; the file has exactly this name. Tests link
## what it is made of.
noinst_LTLIBRARIES += libttsim_parts.la
libttsim_parts_la_SOURCES = \
	%D%/bar.c \
	%D%/bar.def \
	%D%/clock.c \
	%D%/clock.h \
	%D%/device.c \
	%D%/device.h \
	%D%/endpoint.c \
	%D%/endpoint.h \
	%D%/libttsim.c \
	%D%/libttsim.h \
	%D%/report.c \
	%D%/report.h \
	%D%/window.c

lib_LTLIBRARIES += libttsim.la
libttsim_la_SOURCES =
libttsim_la_LIBADD = libttsim_parts.la libpenrose_core.la
libttsim_la_LDFLAGS = $(AM_LDFLAGS) $(PENROSE_SHARED_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^libttsim_'
