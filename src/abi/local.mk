## The library that clients of the libttsim ABI load; the file has exactly this name. libttsim_parts,
## which tests link too, is what it adds to the core; libttsim_guard is what is C++.
noinst_LTLIBRARIES += libttsim_guard.la libttsim_parts.la
libttsim_guard_la_SOURCES = %D%/guard.cc %D%/guard.h
libttsim_parts_la_SOURCES = \
	%D%/alike.c \
	%D%/alike.h \
	%D%/bar.c \
	%D%/card.c \
	%D%/card.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/device.c \
	%D%/device.h \
	%D%/device_life.c \
	%D%/dumps.c \
	%D%/dumps.h \
	%D%/endpoint.c \
	%D%/endpoint.h \
	%D%/faults.c \
	%D%/hangs.c \
	%D%/leftovers.c \
	%D%/leftovers.h \
	%D%/libttsim.c \
	%D%/libttsim.h \
	%D%/link_errors.c \
	%D%/link_errors.h \
	%D%/machine.c \
	%D%/machine.h \
	%D%/machine_life.c \
	%D%/report.c \
	%D%/report.h \
	%D%/summary.c \
	%D%/tend.c \
	%D%/window.c
libttsim_parts_la_LIBADD = libttsim_guard.la -lstdc++

lib_LTLIBRARIES += libttsim.la
libttsim_la_SOURCES =
libttsim_la_LIBADD = libttsim_parts.la libpenrose_core.la
libttsim_la_LDFLAGS = $(shared_ldflags) -module -avoid-version \
	-export-symbols-regex '^libttsim_'

## A folder for each card, $(libdir)/penrose/CARD, with the descriptors that UMD looks for beside the
## library, and a link to the library, which knows its card by the folder (card.h). In the build tree
## it is cards/CARD.
cardsdir = $(libdir)/penrose
cluster_cards = p300 p300x2 quietbox galaxy
cards = unharvested p150a p100a p100 $(cluster_cards)
card_descriptors = $(cards:%=cards/%/soc_descriptor.yaml) $(cluster_cards:%=cards/%/cluster_descriptor.yaml)
card_links = $(cards:%=cards/%/libttsim.so)
noinst_DATA += $(card_descriptors) $(card_links)
CLEANFILES += $(card_descriptors) $(card_links)

$(card_descriptors): penrose$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && card=`basename $(@D)` && kind=`basename $@ _descriptor.yaml` && \
	$(EMULATOR) ./penrose$(EXEEXT) info --$$kind-descriptor "$$card" >$@.tmp && mv $@.tmp $@
$(card_links):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ln -sf ../../.libs/libttsim.so $@

install-data-local:
	for card in $(cards); do \
	    $(MKDIR_P) "$(DESTDIR)$(cardsdir)/$$card" && \
	    $(INSTALL_DATA) cards/$$card/*_descriptor.yaml "$(DESTDIR)$(cardsdir)/$$card" && \
	    ln -sf ../../libttsim.so "$(DESTDIR)$(cardsdir)/$$card/libttsim.so" || exit 1; \
	done
uninstall-local:
	for card in $(cards); do \
	    rm -f "$(DESTDIR)$(cardsdir)/$$card"/*_descriptor.yaml "$(DESTDIR)$(cardsdir)/$$card/libttsim.so"; \
	    rmdir "$(DESTDIR)$(cardsdir)/$$card"; \
	done; rmdir "$(DESTDIR)$(cardsdir)" || :
