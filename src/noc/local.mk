libpenrose_core_la_SOURCES += \
	%D%/atomic.c \
	%D%/atomic.h \
	%D%/niu.c \
	%D%/niu.def \
	%D%/niu.h \
	%D%/overlay.c \
	%D%/overlay.def \
	%D%/overlay.h \
	%D%/packet.c \
	%D%/packet.h \
	%D%/request.c \
	%D%/request.h \
	%D%/serve.c \
	%D%/serve.h
