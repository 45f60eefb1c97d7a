chip_sources += \
	%D%/arch.c \
	%D%/arch.h \
	%D%/bar.h \
	%D%/overlay.h
libpenrose_core_la_SOURCES += \
	%D%/names.c \
	%D%/names.h
EXTRA_DIST += \
	%D%/blackhole/addresses.h \
	%D%/blackhole/arc.def \
	%D%/blackhole/auto_ttsync.def \
	%D%/blackhole/backend_config.def \
	%D%/blackhole/bar.def \
	%D%/blackhole/base_firmware.def \
	%D%/blackhole/extensions.def \
	%D%/blackhole/gddr_dma.def \
	%D%/blackhole/geometry.h \
	%D%/blackhole/cards.def \
	%D%/blackhole/config_users.def \
	%D%/blackhole/control.def \
	%D%/blackhole/csr.def \
	%D%/blackhole/debug_registers.def \
	%D%/blackhole/eth.def \
	%D%/blackhole/grid.def \
	%D%/blackhole/hart_times.def \
	%D%/blackhole/iram.def \
	%D%/blackhole/mmio.def \
	%D%/blackhole/mmio_dram.def \
	%D%/blackhole/mmio_ethernet.def \
	%D%/blackhole/needs.def \
	%D%/blackhole/niu.def \
	%D%/blackhole/overlay.def \
	%D%/blackhole/overlay_fields.def \
	%D%/blackhole/packers.def \
	%D%/blackhole/pcie.def \
	%D%/blackhole/perf_counters.def \
	%D%/blackhole/pic.def \
	%D%/blackhole/regs.def \
	%D%/blackhole/resets.def \
	%D%/blackhole/tdma.def \
	%D%/blackhole/tensix.def \
	%D%/blackhole/timing.def \
	%D%/blackhole/unread.def \
	%D%/blackhole/waits.def
