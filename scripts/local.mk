EXTRA_DIST += \
	%D%/build \
	%D%/check-aarch64 \
	%D%/check-install \
	%D%/check-pages \
	%D%/check-threads \
	%D%/coverage \
	%D%/deb \
	%D%/demo \
	%D%/deps \
	%D%/download_wheel.py \
	%D%/fetch-firmware \
	%D%/format \
	%D%/fetch-sfpi \
	%D%/lib.bash \
	%D%/link-kernels \
	%D%/lint \
	%D%/lint-known.txt \
	%D%/suites \
	%D%/test \
	%D%/test-without-shortcuts \
	%D%/wheel

## scripts/capture and its modules are installed too: $(pkgdatadir)/capture.
capturedir = $(pkgdatadir)/capture
dist_capture_SCRIPTS = %D%/capture
capturedumpsdir = $(capturedir)/dumps
dist_capturedumps_DATA = \
	%D%/dumps/__init__.py \
	%D%/dumps/dst.py \
	%D%/dumps/live.py \
	%D%/dumps/readers.py \
	%D%/dumps/writer.py
