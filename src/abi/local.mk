## The library that clients of the libttsim ABI load; the file has exactly this name.
## libttsim_common is what all copies of it have in common; libttsim_parts, which tests link too,
## adds the card that it is unless PENROSE_CARD says otherwise; libttsim_guard is what is C++.
noinst_LTLIBRARIES += libttsim_guard.la libttsim_common.la libttsim_parts.la
libttsim_guard_la_SOURCES = %D%/guard.cc %D%/guard.h
libttsim_common_la_SOURCES = \
	%D%/alike.c \
	%D%/alike.h \
	%D%/bar.c \
	%D%/card.h \
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
libttsim_common_la_LIBADD = libttsim_guard.la -lstdc++
libttsim_parts_la_SOURCES = %D%/card.c
libttsim_parts_la_CPPFLAGS = $(AM_CPPFLAGS) -DPENROSE_DEFAULT_CARD='"unharvested"'
libttsim_parts_la_LIBADD = libttsim_common.la

libttsim_ldflags = $(shared_ldflags) -module -avoid-version \
	-export-symbols-regex '^libttsim_'
lib_LTLIBRARIES += libttsim.la
libttsim_la_SOURCES =
libttsim_la_LIBADD = libttsim_parts.la libpenrose_core.la
libttsim_la_LDFLAGS = $(libttsim_ldflags)

## A folder for each card, with the library and the descriptor that UMD looks for beside it:
## $(libdir)/penrose/CARD. In the build tree it is cards/CARD, where the library is a link.
cardsdir = $(libdir)/penrose
unharvesteddir = $(cardsdir)/unharvested
unharvested_LTLIBRARIES = cards/unharvested/libttsim.la
unharvested_DATA = cards/unharvested/soc_descriptor.yaml
cards_unharvested_libttsim_la_SOURCES =
cards_unharvested_libttsim_la_LIBADD = libttsim_parts.la libpenrose_core.la
cards_unharvested_libttsim_la_LDFLAGS = $(libttsim_ldflags)

p150adir = $(cardsdir)/p150a
p150a_LTLIBRARIES = cards/p150a/libttsim.la
p150a_DATA = cards/p150a/soc_descriptor.yaml
cards_p150a_libttsim_la_SOURCES = %D%/card.c
cards_p150a_libttsim_la_CPPFLAGS = $(AM_CPPFLAGS) -DPENROSE_DEFAULT_CARD='"p150a"'
cards_p150a_libttsim_la_LIBADD = libttsim_common.la libpenrose_core.la
cards_p150a_libttsim_la_LDFLAGS = $(libttsim_ldflags)

p100adir = $(cardsdir)/p100a
p100a_LTLIBRARIES = cards/p100a/libttsim.la
p100a_DATA = cards/p100a/soc_descriptor.yaml
cards_p100a_libttsim_la_SOURCES = %D%/card.c
cards_p100a_libttsim_la_CPPFLAGS = $(AM_CPPFLAGS) -DPENROSE_DEFAULT_CARD='"p100a"'
cards_p100a_libttsim_la_LIBADD = libttsim_common.la libpenrose_core.la
cards_p100a_libttsim_la_LDFLAGS = $(libttsim_ldflags)

card_descriptors = $(unharvested_DATA) $(p150a_DATA) $(p100a_DATA)
card_links = cards/unharvested/libttsim.so cards/p150a/libttsim.so cards/p100a/libttsim.so
noinst_DATA += $(card_links)
CLEANFILES += $(card_descriptors) $(card_links)

$(card_descriptors): penrose$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && card=`basename $(@D)` && \
	$(EMULATOR) ./penrose$(EXEEXT) info --soc-descriptor "$$card" >$@.tmp && mv $@.tmp $@
$(card_links):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ln -sf .libs/libttsim.so $@
