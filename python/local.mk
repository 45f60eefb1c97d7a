## The Python package; scripts/wheel and scripts/deb make it of an installation.
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
