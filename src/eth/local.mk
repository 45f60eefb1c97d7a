chip_sources += \
	%D%/base_firmware.c \
	%D%/base_firmware.h \
	%D%/errors.c \
	%D%/eth.c \
	%D%/eth.h \
	%D%/eth_internal.h \
	%D%/classify.c \
	%D%/frame.c \
	%D%/rx.c \
	%D%/tables.c \
	%D%/tx.c
