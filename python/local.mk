## The Python package; scripts/wheel and scripts/deb make it of an installation.
## Commands of the program: $(pkgdatadir)/commands. In the build tree they are commands/.
COMMAND_FILES = \
	%D%/commands/__main__.py \
	%D%/commands/compiler.py \
	%D%/commands/doctor.py \
	%D%/commands/execute.py \
	%D%/commands/host/penrose_operations.py \
	%D%/commands/host/sitecustomize.py \
	%D%/commands/hunt.py \
	%D%/commands/installation.py \
	%D%/commands/output.py \
	%D%/commands/perf.py \
	%D%/commands/questions.py \
	%D%/commands/what_if.py
EXTRA_DIST += $(COMMAND_FILES)
command_copies = $(COMMAND_FILES:python/commands/%=commands/%)
nobase_pkgdata_DATA += $(command_copies)
CLEANFILES += $(command_copies)
$(command_copies): commands/%: $(srcdir)/python/commands/%
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(INSTALL_DATA) $< $@
EXTRA_DIST += \
	%D%/README.md \
	%D%/make_api.py \
	%D%/make_wheel.py \
	%D%/penrose/__init__.py \
	%D%/penrose/_chip.py \
	%D%/penrose/_installation.py \
	%D%/penrose/_library.py \
	%D%/penrose/py.typed \
	%D%/penrose/pytest_plugin.py \
	%D%/tests/conftest.py \
	%D%/tests/run.sh \
	%D%/tests/test_chip.py \
	%D%/tests/test_installation.py \
	%D%/tests/test_plugin.py
## Python has no sanitizer's runtime, which a library that is built with one wants to find first.
if IS_PRODUCT
TESTS += %D%/tests/run.sh
endif
