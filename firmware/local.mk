## Guest programs of our own: RV32 programs that run bare on a hart (bare/), work on tensors by the
## three TRISCs at once (tensor/, vector/), and kernels for tt-metal's firmware (kernels/, grid/), which
## scripts/link-kernels links against a firmware set.
GUEST_FILES = \
	%D%/bare/bare.h \
	%D%/bare/bare.ld \
	%D%/bare/crt0.S \
	%D%/bare/fault.c \
	%D%/bare/hello.c \
	%D%/bare/noc_times.c \
	%D%/bare/pingpong.c \
	%D%/bare/push.c \
	%D%/bare/sort_crc.c \
	%D%/bare/tensix.c \
	%D%/bare/tensix.h \
	%D%/bare/wait.c
KERNEL_FILES = \
	%D%/kernels/brisc.c \
	%D%/kernels/firmware.h \
	%D%/kernels/kernel.h \
	%D%/kernels/kernel.ld \
	%D%/kernels/ncrisc.c \
	%D%/kernels/start.c \
	%D%/kernels/trisc0.c \
	%D%/kernels/trisc1.c \
	%D%/kernels/trisc2.c
tensor_common_files = \
	%D%/tensor/arguments.h \
	%D%/tensor/formats.h \
	%D%/tensor/instructions.h \
	%D%/tensor/math.h \
	%D%/tensor/matmul.h \
	%D%/tensor/pack.h \
	%D%/tensor/tensor.h \
	%D%/tensor/unpack.h
tensor_kernel_files = \
	%D%/tensor/copy.c \
	%D%/tensor/eltwise.c \
	%D%/tensor/matmul.c \
	%D%/tensor/reduce.c \
	%D%/tensor/tilize.c \
	%D%/tensor/transpose.c \
	%D%/tensor/untilize.c
vector_common_files = \
	%D%/vector/exp.h \
	%D%/vector/functions.h \
	%D%/vector/sfpu.h \
	%D%/vector/vector.h
vector_kernel_files = \
	%D%/vector/binary.c \
	%D%/vector/cast.c \
	%D%/vector/lanes.c \
	%D%/vector/topk.c \
	%D%/vector/unary.c
GRID_FILES = \
	%D%/grid/add/add.h \
	%D%/grid/add/brisc.c \
	%D%/grid/add/ncrisc.c \
	%D%/grid/add/trisc.c \
	%D%/grid/compute.h \
	%D%/grid/copy/brisc.c \
	%D%/grid/copy/copy.h \
	%D%/grid/copy/ncrisc.c \
	%D%/grid/dataflow.h \
	%D%/grid/gather/brisc.c \
	%D%/grid/matmul/brisc.c \
	%D%/grid/matmul/matmul.h \
	%D%/grid/matmul/ncrisc.c \
	%D%/grid/matmul/panel.h \
	%D%/grid/matmul/trisc.c
## The bring-up kit, which `penrose new` copies: $(pkgdatadir)/kit. In the build tree it is kit/. Two of
## its headers are made from the tables of the chip, a third is one of them.
KIT_FILES = \
	%D%/kit/.gitignore \
	%D%/kit/.vscode/launch.json \
	%D%/kit/.vscode/tasks.json \
	%D%/kit/Makefile \
	%D%/kit/README.md \
	%D%/kit/brisc.c \
	%D%/kit/expected.txt \
	%D%/kit/ncrisc.c \
	%D%/kit/shared.h \
	%D%/kit/trisc0.c \
	%D%/kit/trisc1.c \
	%D%/kit/trisc2.c \
	%D%/kit/kit/brisc.ld \
	%D%/kit/kit/console.c \
	%D%/kit/kit/console.h \
	%D%/kit/kit/crt0.S \
	%D%/kit/kit/gdbinit \
	%D%/kit/kit/hart.h \
	%D%/kit/kit/memory.c \
	%D%/kit/kit/ncrisc.ld \
	%D%/kit/kit/sections.ld \
	%D%/kit/kit/tensix.h \
	%D%/kit/kit/trisc0.ld \
	%D%/kit/kit/trisc1.ld \
	%D%/kit/kit/trisc2.ld \
	%D%/kit/kit/ttinsn.h
EXTRA_DIST += $(KIT_FILES)
noinst_PROGRAMS = %D%/kit/headers
firmware_kit_headers_LDADD =
kit_copies = $(KIT_FILES:firmware/kit/%=kit/%)
kit_headers = kit/kit/addresses.h kit/kit/chip.h kit/kit/tensix_ops.h
nobase_pkgdata_DATA = $(kit_copies) $(kit_headers)
CLEANFILES += $(kit_copies) $(kit_headers)
$(kit_copies): kit/%: $(srcdir)/firmware/kit/%
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(INSTALL_DATA) $< $@
kit/kit/addresses.h: $(srcdir)/src/arch/blackhole/addresses.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(INSTALL_DATA) $< $@
kit/kit/chip.h: firmware/kit/headers$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(EMULATOR) firmware/kit/headers$(EXEEXT) chip >$@.tmp && mv $@.tmp $@
kit/kit/tensix_ops.h: firmware/kit/headers$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(EMULATOR) firmware/kit/headers$(EXEEXT) tensix >$@.tmp && mv $@.tmp $@

## scripts/link-kernels with what it reads, as it lies in the source tree: $(pkgdatadir)/link.
linkdir = $(pkgdatadir)/link
nobase_link_DATA = $(KERNEL_FILES) $(GRID_FILES) $(tensor_common_files) \
	%D%/bare/bare.h \
	%D%/bare/tensix.h \
	%D%/kit/kit/ttinsn.h \
	scripts/lib.bash \
	src/arch/blackhole/addresses.h \
	src/arch/blackhole/geometry.h \
	src/arch/blackhole/niu.def \
	src/arch/blackhole/regs.def \
	src/arch/blackhole/tensix.def
nobase_link_SCRIPTS = scripts/link-kernels

## What runs them: `penrose run EXAMPLE.json`.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = \
	examples/add.json \
	examples/copy.json \
	examples/copy110.json \
	examples/gather.json \
	examples/github-checks.yml \
	examples/github-workflow.yml \
	examples/matmul.json \
	examples/test_ttnn.py
dist_examples_SCRIPTS = examples/matrices.py
examplesmodelsdir = $(examplesdir)/models
dist_examplesmodels_SCRIPTS = examples/models/models.py examples/models/plot.py
EXTRA_DIST += $(GUEST_FILES) $(KERNEL_FILES) $(GRID_FILES) $(tensor_common_files) $(tensor_kernel_files)
EXTRA_DIST += $(vector_common_files) $(vector_kernel_files)

## NAME.elf ends in ebreak, NAME-flag.elf sets a flag in L1 (see crt0.S).
guests_plain = $(addprefix firmware/,hello.elf push.elf sort_crc.elf)
guests_flag = $(addprefix firmware/,hello-flag.elf noc_times-flag.elf sort_crc-flag.elf)
guests_fault = $(patsubst %,firmware/fault-%.elf,jump load store readonly misaligned illegal float loop)
guests_pingpong = $(patsubst %,firmware/pingpong-%.elf,brisc trisc0 trisc1 trisc2)
guests_tensix = $(patsubst %,firmware/tensix-%.elf,trisc0 trisc1 trisc2)
guests_tensor = $(foreach program,$(tensor_kernel_files:.c=), \
	$(patsubst %,$(program)-%.elf,trisc0 trisc1 trisc2))
guests_vector = $(foreach program,$(vector_kernel_files:.c=), \
	$(patsubst %,$(program)-%.elf,trisc0 trisc1 trisc2))
guests_wait = $(patsubst %,firmware/wait-%.elf,brisc trisc0 trisc1 trisc2 ncrisc)
guests = $(guests_plain) $(guests_flag) $(guests_fault) $(guests_pingpong) \
	$(guests_tensix) $(guests_wait)

guest_fault_jump = jump_to_nowhere
guest_fault_load = load_from_nowhere
guest_fault_store = store_to_nowhere
guest_fault_readonly = store_to_read_only
guest_fault_misaligned = store_misaligned
guest_fault_illegal = illegal_instruction
guest_fault_float = divide_float
guest_fault_loop = loop_for_ever

## Programs of one tile's five harts must not overlap.
guest_hart_brisc = -DHART=0 -Wl,--defsym=TEXT_BASE=0 -Wl,--defsym=MAILBOX=0x8000
guest_hart_trisc0 = -DHART=1 -Wl,--defsym=TEXT_BASE=0x10000 -Wl,--defsym=MAILBOX=0x8100
guest_hart_trisc1 = -DHART=2 -Wl,--defsym=TEXT_BASE=0x20000 -Wl,--defsym=MAILBOX=0x8200
guest_hart_trisc2 = -DHART=3 -Wl,--defsym=TEXT_BASE=0x30000 -Wl,--defsym=MAILBOX=0x8300
guest_hart_ncrisc = -DHART=4 -Wl,--defsym=TEXT_BASE=0x40000 -Wl,--defsym=MAILBOX=0x8400

guest_common = $(addprefix $(srcdir)/firmware/,bare/bare.h bare/bare.ld bare/crt0.S kit/kit/ttinsn.h) \
	$(srcdir)/src/arch/blackhole/addresses.h $(srcdir)/src/arch/blackhole/niu.def
## Tables of the emulator that are headers of the kernels for tensors.
guests_tensor_flag = $(patsubst %,firmware/tensor/matmul-flag-%.elf,trisc0 trisc1 trisc2)
guest_tables = $(addprefix $(srcdir)/src/arch/blackhole/,regs.def tensix.def waits.def)
## Programs are for the chip whose tables are in this folder.
guest_chip = -I$(srcdir)/src/arch/blackhole
guest_extensions = zicsr_zba_zbb
guest_script = $(srcdir)/firmware/bare/bare.ld
guest_make = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(RISCV_CC) $(guest_chip) \
	-march=rv32im_$(guest_extensions) -mabi=ilp32 -std=c11 -O2 -g -Wall -Wextra -Werror \
	-ffreestanding -nostdlib -fno-tree-loop-distribute-patterns -ffile-prefix-map=$(srcdir)/= \
	-Wa,--debug-prefix-map,$(srcdir)/= -Wl,--no-warn-rwx-segments \
	-Wl,--build-id=none -Wl,-T,$(guest_script)
guest_files = -o $@ $(srcdir)/firmware/bare/crt0.S $<

if HAVE_RISCV_CC
guestsdir = $(pkgdatadir)/guests
guests_DATA = $(guests)
tensorguestsdir = $(pkgdatadir)/guests/tensor
tensorguests_DATA = $(guests_tensor) $(guests_tensor_flag)
vectorguestsdir = $(pkgdatadir)/guests/vector
vectorguests_DATA = $(guests_vector)
CLEANFILES += $(guests) $(guests_tensor) $(guests_tensor_flag) $(guests_vector)

$(guests_plain): firmware/%.elf: $(srcdir)/firmware/bare/%.c $(guest_common)
	$(guest_make) $(guest_hart_brisc) $(guest_files)
$(guests_flag): firmware/%-flag.elf: $(srcdir)/firmware/bare/%.c $(guest_common)
	$(guest_make) $(guest_hart_brisc) -DEXIT_BY_FLAG $(guest_files)
$(guests_fault): firmware/fault-%.elf: $(srcdir)/firmware/bare/fault.c $(guest_common)
	$(guest_make) $(guest_hart_brisc) -DFAULT=$(guest_fault_$*) $(guest_files)
$(guests_pingpong): firmware/pingpong-%.elf: $(srcdir)/firmware/bare/pingpong.c $(guest_common)
	$(guest_make) $(guest_hart_$*) $(guest_files)
$(guests_tensix): firmware/tensix-%.elf: $(srcdir)/firmware/bare/tensix.c \
		$(srcdir)/firmware/bare/tensix.h $(guest_common)
	$(guest_make) $(guest_hart_$*) $(guest_files)
$(guests_tensor) $(guests_tensor_flag): $(guest_common) $(guest_tables) $(srcdir)/firmware/bare/tensix.h \
		$(addprefix $(srcdir)/,$(tensor_common_files))
firmware/tensor/%-trisc0.elf: $(srcdir)/firmware/tensor/%.c
	$(guest_make) $(guest_hart_trisc0) $(guest_files)
firmware/tensor/%-trisc1.elf: $(srcdir)/firmware/tensor/%.c
	$(guest_make) $(guest_hart_trisc1) $(guest_files)
firmware/tensor/%-trisc2.elf: $(srcdir)/firmware/tensor/%.c
	$(guest_make) $(guest_hart_trisc2) $(guest_files)
$(guests_vector): $(guest_common) $(guest_tables) $(srcdir)/firmware/bare/tensix.h \
		$(addprefix $(srcdir)/,$(tensor_common_files) $(vector_common_files))
firmware/vector/%-trisc0.elf: $(srcdir)/firmware/vector/%.c
	$(guest_make) $(guest_hart_trisc0) $(guest_files)
firmware/vector/%-trisc1.elf: $(srcdir)/firmware/vector/%.c
	$(guest_make) $(guest_hart_trisc1) $(guest_files)
firmware/vector/%-trisc2.elf: $(srcdir)/firmware/vector/%.c
	$(guest_make) $(guest_hart_trisc2) $(guest_files)
firmware/tensor/matmul-flag-%.elf: $(srcdir)/firmware/tensor/matmul.c
	$(guest_make) $(guest_hart_$*) -DEXIT_BY_FLAG $(guest_files)
$(guests_wait): firmware/wait-%.elf: $(srcdir)/firmware/bare/wait.c $(guest_common)
	$(guest_make) $(guest_hart_$*) $(guest_files)
endif
