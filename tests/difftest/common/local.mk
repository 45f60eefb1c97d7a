## What the testers of two libraries share; rv32 has some of the headers.
difftest_common_sources = \
	%D%/clock.h \
	%D%/random.h
