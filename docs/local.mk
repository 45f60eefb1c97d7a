EXTRA_DIST += \
	%D%/ARCHITECTURE.md \
	%D%/DEVIATIONS.md \
	%D%/PERFORMANCE.md \
	%D%/examples/picture.py \
	%D%/examples/run_program.c
