libpenrose_core_la_SOURCES += \
	%D%/tensix.h
