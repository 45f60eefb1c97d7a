## A made-up small chip beside Blackhole: all that is compiled for each chip once more, with the tables
## of small/. Of the names in it only its table of calls is seen from outside.
arch_small_cppflags = -Itests/arch/small -I$(srcdir)/%D%/small
arch_files = %D%/scene.c %D%/scene.h
EXTRA_DIST += \
	%D%/add.json \
	%D%/arch.sh \
	%D%/firmware.c \
	%D%/firmware.ld \
	%D%/iram.c \
	%D%/move.c \
	%D%/small/addresses.h \
	%D%/small/bar.def \
	%D%/small/cards.def \
	%D%/small/extensions.def \
	%D%/small/geometry.h \
	%D%/small/grid.def \
	%D%/small/iram.def \
	%D%/small/mmio.def \
	%D%/small/mmio_dram.def \
	%D%/small/mmio_ethernet.def \
	%D%/small/moved.awk \
	%D%/small/packers.def \
	%D%/small/tensix.awk \
	%D%/small/tensix_own.def \
	%D%/small/timing.def \
	%D%/small/waits.def
if HAVE_CHECK
if HAVE_SMALL_CHIP
check_LTLIBRARIES += %D%/libsmall.la
check_PROGRAMS += %D%/check_arch
TESTS += %D%/check_arch %D%/arch.sh
check_PROGRAMS += %D%/penrose %D%/host
check_DATA += %D%/libttsim.so
endif
endif
tests_arch_libsmall_la_SOURCES = $(chip_sources) %D%/small/reverse.c
tests_arch_libsmall_la_CPPFLAGS = $(arch_small_cppflags) $(AM_CPPFLAGS)
tests_arch_libsmall_la_CFLAGS = $(PENROSE_CFLAGS)
tests_arch_check_arch_SOURCES = %D%/check_arch.c $(arch_files)
tests_arch_check_arch_LDADD = tests/arch/small.o libunit.la libpenrose_core.la $(CHECK_LIBS)
## The program with both kinds, and the library for hosts of the small chip alone.
tests_arch_penrose_SOURCES = %D%/kinds.c
tests_arch_penrose_LDADD = $(penrose_OBJECTS) tests/arch/small.o $(penrose_LDADD)
tests_arch_host_SOURCES = %D%/host.c
tests_arch_host_CPPFLAGS = $(arch_small_cppflags) $(AM_CPPFLAGS)
tests_arch_host_LDADD = -ldl
tests/arch/libttsim.so: $(srcdir)/%D%/kinds.c tests/arch/small.o libttsim_parts.la libpenrose_core.la
	$(AM_V_CCLD)$(CC) $(DEFS) -I. $(AM_CPPFLAGS) $(PENROSE_CFLAGS) $(CFLAGS) -DSMALL_ALONE -fPIC -shared -o $@ \
		$(srcdir)/tests/arch/kinds.c -Wl,--whole-archive .libs/libttsim_parts.a -Wl,--no-whole-archive \
		tests/arch/small.o .libs/libpenrose_core.a $(libpenrose_core_la_LIBADD) -lstdc++ $(LDFLAGS)
CLEANFILES += tests/arch/libttsim.so
arch_moved = $(foreach table,arc auto_ttsync backend_config config_users eth niu overlay regs resets,tests/arch/small/$(table).def)
$(arch_moved): tests/arch/small/%.def: $(srcdir)/src/arch/blackhole/%.def $(srcdir)/%D%/small/moved.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -f $(srcdir)/tests/arch/small/moved.awk $< > $@
tests/arch/small/tensix.def: $(srcdir)/src/arch/blackhole/tensix.def \
		$(srcdir)/%D%/small/tensix.awk $(srcdir)/%D%/small/tensix_own.def
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v own=$(srcdir)/tests/arch/small/tensix_own.def \
		-f $(srcdir)/tests/arch/small/tensix.awk $< > $@
$(tests_arch_libsmall_la_OBJECTS): $(arch_moved) tests/arch/small/tensix.def
tests/arch/small.o: tests/arch/libsmall.la
	$(AM_V_GEN)$(LD) -r -o $@ --whole-archive tests/arch/.libs/libsmall.a && \
		$(OBJCOPY) --keep-global-symbol=chip_calls $@ && \
		$(OBJCOPY) --redefine-sym chip_calls=small_calls $@
CLEANFILES += tests/arch/small.o $(arch_moved) tests/arch/small/tensix.def
if HAVE_RISCV_CC
arch_movers = tests/arch/blackhole-move.elf tests/arch/small-move.elf
check_DATA += tests/arch/small-iram.elf
CLEANFILES += tests/arch/small-iram.elf
tests/arch/small-iram.elf: $(srcdir)/%D%/iram.c
	$(guest_make) -I$(srcdir)/firmware $(guest_hart_brisc) -DEXIT_BY_FLAG $(guest_files)
tests/arch/small-iram.elf: $(guest_common) $(guest_tables) $(arch_moved) $(srcdir)/tests/arch/small/iram.def
check_DATA += tests/arch/small-hello.elf
CLEANFILES += tests/arch/small-hello.elf
tests/arch/small-hello.elf: $(srcdir)/firmware/bare/hello.c
	$(guest_make) $(guest_hart_brisc) $(guest_files)
tests/arch/small-hello.elf: $(guest_common) $(guest_tables) $(arch_moved)
## Firmware in tt-metal's shape, and the kernels of a sum on the grid, linked against it.
arch_firmware = $(patsubst %,tests/arch/firmware/%.elf,brisc ncrisc trisc0 trisc1 trisc2)
arch_kernels = $(arch_firmware:tests/arch/firmware/%=tests/arch/add/%)
check_DATA += $(arch_firmware) $(arch_kernels)
CLEANFILES += $(arch_firmware) $(arch_kernels) $(arch_kernels:.elf=.weak)
$(arch_firmware) $(arch_kernels): guest_extensions = zicsr
$(arch_firmware) $(arch_kernels): guest_chip = $(arch_small_cppflags) -I$(srcdir)/src/arch/blackhole \
	-I$(srcdir)/firmware -DDRAM_BANKS=2
$(arch_firmware): guest_script = $(srcdir)/%D%/firmware.ld
$(arch_firmware): tests/arch/firmware/%.elf: $(srcdir)/%D%/firmware.c $(srcdir)/%D%/firmware.ld \
		$(srcdir)/firmware/kernels/firmware.h $(guest_common) $(arch_moved)
	$(guest_make) $(guest_hart_$*) -Wl,--defsym=LOCAL_RAM=0xffa00000 -Wl,--defsym=__stack_top=0xffa01000 \
		-fno-eliminate-unused-debug-types $(guest_files)
$(arch_kernels): guest_script = $(srcdir)/firmware/kernels/kernel.ld
$(arch_kernels): tests/arch/add/%.elf: tests/arch/firmware/%.elf $(GRID_FILES) $(KERNEL_FILES) $(arch_moved) \
		$(guest_tables) $(tensor_common_files)
	$(AM_V_at)$(MKDIR_P) $(@D) && $(RISCV_CC:gcc=objcopy) --weaken $< $(@:.elf=.weak)
	$(guest_make) $(guest_hart_$*) -fno-jump-tables -Wl,--emit-relocs -Wl,-z,max-page-size=16 \
		-Wl,--just-symbols=$(@:.elf=.weak) -o $@ $(srcdir)/firmware/kernels/start.c \
		$(srcdir)/firmware/grid/add/$(patsubst trisc%,trisc,$*).c
arch_triscs = $(foreach chip,blackhole small,$(patsubst %,tests/arch/$(chip)-trisc%.elf,0 1 2))
check_DATA += $(arch_movers) $(arch_triscs)
CLEANFILES += $(arch_movers) $(arch_triscs)
tests/arch/small-%.elf: guest_extensions = zicsr
tests/arch/small-%.elf: guest_chip = $(arch_small_cppflags) -I$(srcdir)/src/arch/blackhole \
	-Wl,--defsym=__stack_top=0xffa01000
$(arch_movers): $(srcdir)/%D%/move.c
	$(guest_make) -I$(srcdir)/firmware $(guest_hart_brisc) -DEXIT_BY_FLAG $(guest_files)
$(arch_triscs): $(srcdir)/firmware/tensor/matmul.c
	$(guest_make) $(guest_hart_$(lastword $(subst -, ,$(basename $@)))) -DEXIT_BY_FLAG $(guest_files)
$(arch_movers) $(arch_triscs): $(guest_common) $(guest_tables) $(arch_moved) \
	$(addprefix $(srcdir)/,$(tensor_common_files))
endif
