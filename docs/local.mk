EXTRA_DIST += \
	%D%/ARCHITECTURE.md \
	%D%/CLIENTS.md \
	%D%/DEVELOPING.md \
	%D%/DEVIATIONS.md \
	%D%/MIGRATING.md \
	%D%/PERFORMANCE.md \
	%D%/examples/debug.c \
	%D%/examples/picture.py \
	%D%/examples/run_program.c
