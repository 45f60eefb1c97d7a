## What the testers of two libraries share; rv32 has some of the headers.
difftest_common_sources = \
	%D%/clock.h \
	%D%/command.c \
	%D%/command.h \
	%D%/device.c \
	%D%/device.h \
	%D%/ending.c \
	%D%/ending.h \
	%D%/golden.c \
	%D%/golden.h \
	%D%/random.h \
	%D%/request.c \
	%D%/request.h \
	%D%/side.c \
	%D%/side.h \
	%D%/transfer.c \
	%D%/transfer.h \
	%D%/worker.c \
	%D%/worker.h
