chip_sources += \
	%D%/atomic.c \
	%D%/atomic.h \
	%D%/delivery.c \
	%D%/delivery.h \
	%D%/niu.c \
	%D%/niu.h \
	%D%/overlay.c \
	%D%/overlay.h \
	%D%/overlay_blob.c \
	%D%/overlay_gather.c \
	%D%/overlay_phase.c \
	%D%/overlay_receive.c \
	%D%/overlay_room.c \
	%D%/overlay_run.c \
	%D%/overlay_stream.c \
	%D%/overlay_stream.h \
	%D%/overlay_transmit.c \
	%D%/kind.h \
	%D%/packet.c \
	%D%/packet.h \
	%D%/request.c \
	%D%/request.h \
	%D%/serve.c \
	%D%/serve.h \
	%D%/transaction.c \
	%D%/transaction.h
