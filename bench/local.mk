## Benchmarks; `make bench` builds and runs them.
EXTRA_PROGRAMS += %D%/rv32
bench_rv32_LDADD = libpenrose_core.la -ldl
CLEANFILES += %D%/rv32$(EXEEXT)
bench: all %D%/rv32$(EXEEXT)
	./bench/rv32$(EXEEXT) $(BENCH_FLAGS)
.PHONY: bench
