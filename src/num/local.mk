libpenrose_core_la_SOURCES += \
	%D%/dst_format.h \
	%D%/fp16.c \
	%D%/fp16.h \
	%D%/fp32.c \
	%D%/fp32.h \
	%D%/kernel_sets.h \
	%D%/kernels.c \
	%D%/kernels.h \
	%D%/kernels_convert.inc \
	%D%/kernels_convert_accumulate.inc \
	%D%/kernels_convert_avx2.c \
	%D%/kernels_convert_avx512.c \
	%D%/kernels_convert_pack.inc \
	%D%/kernels_convert_unpack.inc \
	%D%/kernels_reference.c \
	%D%/kernels_avx2.c \
	%D%/kernels_avx512.c \
	%D%/kernels_matrix_avx2.c \
	%D%/kernels_matrix_avx512.c \
	%D%/matrix.c \
	%D%/matrix.h \
	%D%/random.h \
	%D%/src_format.h \
	%D%/tensix_format.c \
	%D%/tensix_format.h \
	%D%/unrounded.h
