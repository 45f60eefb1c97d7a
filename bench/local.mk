## Benchmarks; `make bench` builds and runs them. BENCH_JSON=DIR writes DIR/rv32.json and so on.
BENCHMARKS = %D%/chip %D%/data %D%/matmul %D%/rv32 %D%/sfpu %D%/silicon %D%/tensix
EXTRA_PROGRAMS += $(BENCHMARKS)
bench_image = %D%/image.c %D%/image.h %D%/bench.c %D%/bench.h %D%/goals.def
bench_guest = %D%/guest.c %D%/guest.h %D%/bench.c %D%/bench.h %D%/goals.def
bench_silicon_SOURCES = %D%/silicon.c %D%/silicon.h %D%/silicon_hart.c %D%/silicon_hart.def \
	%D%/silicon_noc.c %D%/silicon_noc.def \
	%D%/silicon_tensix.c %D%/silicon_tensix.h %D%/silicon_programs.c %D%/silicon_movers.c %D%/silicon_kernels.c \
	%D%/silicon_tensix.def \
	$(bench_guest)
bench_silicon_LDADD = libpenrose_core.la -ldl -lm
bench_rv32_SOURCES = %D%/rv32.c $(bench_image)
bench_rv32_LDADD = libpenrose_core.la -ldl
bench_tensix_SOURCES = %D%/tensix.c $(bench_guest)
bench_tensix_LDADD = libpenrose_core.la -ldl
bench_product = %D%/product.c %D%/product.h $(bench_image)
bench_matmul_SOURCES = %D%/matmul.c $(bench_product)
bench_matmul_LDADD = libpenrose_core.la -ldl
bench_data_SOURCES = %D%/data.c $(bench_guest)
bench_data_LDADD = libpenrose_core.la -ldl
bench_sfpu_SOURCES = %D%/sfpu.c $(bench_guest)
bench_sfpu_LDADD = libpenrose_core.la -ldl
bench_chip_SOURCES = %D%/chip.c %D%/boot.c %D%/boot.h %D%/copy.c %D%/copy.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/guest.c %D%/guest.h %D%/host.c %D%/host.h $(bench_product)
bench_chip_LDADD = libpenrose_core.la -ldl -lpthread
EXTRA_DIST += %D%/silicon-llk %D%/llk/rows.py %D%/llk/kernels.py %D%/llk/fpu_binary.cpp \
	%D%/llk/sfpu_binary.cpp %D%/llk/tile.csv %D%/llk/init.csv %D%/silicon-matmul %D%/matmul/rows.py \
	%D%/matmul/launches.py %D%/matmul/rows.csv %D%/scatter.py %D%/sweep.py
CLEANFILES += $(BENCHMARKS:=$(EXEEXT))
bench: all $(BENCHMARKS:=$(EXEEXT))
	for name in rv32 tensix data matmul sfpu chip silicon; do \
		./bench/$$name$(EXEEXT) $(BENCH_FLAGS) \
			$(if $(BENCH_JSON),--json $(BENCH_JSON)/$$name.json) || exit; \
	done
.PHONY: bench
