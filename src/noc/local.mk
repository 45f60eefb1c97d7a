libpenrose_core_la_SOURCES += \
	%D%/niu.h \
	%D%/overlay.h
