chip_sources += \
	%D%/code.c \
	%D%/code.h \
	%D%/csr.c \
	%D%/decode.c \
	%D%/decode.h \
	%D%/exec.h \
	%D%/exec_csr.c \
	%D%/exec_float.c \
	%D%/exec_flow.c \
	%D%/exec_half.c \
	%D%/exec_int.c \
	%D%/exec_mem.c \
	%D%/exec_vector_config.c \
	%D%/exec_vector_fixed.c \
	%D%/exec_vector_float.c \
	%D%/exec_vector_int.c \
	%D%/exec_vector_mask.c \
	%D%/exec_vector_memory.c \
	%D%/exec_vector_permute.c \
	%D%/fault.c \
	%D%/format.def \
	%D%/format_vector.def \
	%D%/idle.c \
	%D%/idle.h \
	%D%/run.c \
	%D%/rv32.def \
	%D%/rv32.h \
	%D%/rv32_float.def \
	%D%/rv32_vector.def \
	%D%/rv32_vector_memory.def \
	%D%/table.c \
	%D%/timing.c \
	%D%/timing.h \
	%D%/vector.c \
	%D%/vector.h \
	%D%/vector_fields.h \
	%D%/vector_map.c
libpenrose_core_la_SOURCES += \
	%D%/names.c \
	%D%/names.h \
	%D%/operands.h
