EXTRA_DIST += \
	%D%/build \
	%D%/coverage \
	%D%/demo \
	%D%/deps \
	%D%/fetch-firmware \
	%D%/lib.bash \
	%D%/link-kernels \
	%D%/test
