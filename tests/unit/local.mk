## Unit tests: a program for each tests/unit/<folder of src>/check_<subject>.c. What several of them use
## (harnesses, models) is a library, of which each takes what it needs.
check_LTLIBRARIES = libunit.la
libunit_la_SOURCES = \
	%D%/abi/abi_host.c \
	%D%/abi/abi_host.h \
	%D%/chip/chip_program.h \
	%D%/chip/link_ends.c \
	%D%/chip/link_ends.h \
	%D%/chip/noc_command.h \
	%D%/chip/snapshot_bytes.h \
	%D%/chip/snapshot_scenes.c \
	%D%/chip/snapshot_scenes.h \
	%D%/chip/state_difference.c \
	%D%/chip/state_difference.h \
	%D%/eth/eth_wire.c \
	%D%/eth/eth_wire.h \
	%D%/guest_program.c \
	%D%/guest_program.h \
	%D%/loader/cached_firmware.c \
	%D%/loader/cached_firmware.h \
	%D%/loader/loader_debug.c \
	%D%/loader/loader_debug.h \
	%D%/loader/loader_image.c \
	%D%/loader/loader_image.h \
	%D%/loader/loader_set.c \
	%D%/loader/loader_set.h \
	%D%/noc/overlay_alone.h \
	%D%/noc/overlay_world.h \
	%D%/noc/noc_world.c \
	%D%/noc/noc_world.h \
	%D%/observe/profile_events.c \
	%D%/observe/profile_events.h \
	%D%/observe/random_host.c \
	%D%/observe/random_host.h \
	%D%/observe/wait_report.c \
	%D%/observe/wait_report.h \
	%D%/random.h \
	%D%/rv32/random_costs.h \
	%D%/rv32/rv32_harness.c \
	%D%/rv32/rv32_harness.h \
	%D%/rv32/spec_float.c \
	%D%/rv32/spec_float.h \
	%D%/rv32/spec_vector.c \
	%D%/rv32/spec_vector.h \
	%D%/sanitized.h \
	%D%/tensix/lane_model.c \
	%D%/tensix/lane_model.h \
	%D%/tensix/lane_model_cycles.c \
	%D%/tensix/lane_model_dst.c \
	%D%/tensix/lane_model_insns.c \
	%D%/tensix/matrix_model.c \
	%D%/tensix/matrix_model.h \
	%D%/tensix/pages_world.h \
	%D%/tensix/scalar_model.c \
	%D%/tensix/scalar_model.h \
	%D%/tensix/scalar_world.h \
	%D%/tensix/sync_world.h \
	%D%/tensix/tensix_fixture.h \
	%D%/tensix/tensix_harness.c \
	%D%/tensix/tensix_harness.h \
	%D%/tensix/touched.c \
	%D%/tensix/touched.h \
	%D%/tensix/unpack_model.c \
	%D%/tensix/unpack_model.h \
	%D%/test.c \
	%D%/test.h \
	%D%/tile/mmio_harness.h \
	%D%/tile/tile_harness.c \
	%D%/tile/tile_harness.h

UNIT_TESTS = \
	%D%/abi/check_abi \
	%D%/abi/check_abi_environment \
	%D%/abi/check_abi_chips \
	%D%/abi/check_abi_error_lines \
	%D%/abi/check_abi_faults \
	%D%/abi/check_abi_time \
	%D%/chip/check_arc \
	%D%/chip/check_cards \
	%D%/chip/check_chip \
	%D%/chip/check_chip_debug \
	%D%/chip/check_debug_state \
	%D%/chip/check_debug_stops \
	%D%/chip/check_gddr \
	%D%/chip/check_pace \
	%D%/chip/check_grid \
	%D%/chip/check_jumps \
	%D%/chip/check_link \
	%D%/chip/check_links \
	%D%/chip/check_messages \
	%D%/chip/check_multicast \
	%D%/chip/check_null_access \
	%D%/chip/check_pcie \
	%D%/chip/check_pool \
	%D%/chip/check_snapshot \
	%D%/chip/check_snapshot_forged \
	%D%/chip/check_snapshot_rows \
	%D%/chip/check_sparse \
	%D%/chip/check_state_hash \
	%D%/chip/check_tensix_stops \
	%D%/observe/check_checks \
	%D%/observe/check_compare \
	%D%/observe/check_delay \
	%D%/observe/check_dump \
	%D%/observe/check_gdb_packet \
	%D%/observe/check_gdb_server \
	%D%/observe/check_history \
	%D%/observe/check_perfetto \
	%D%/observe/check_profile \
	%D%/observe/check_profile_paths \
	%D%/observe/check_trace \
	%D%/observe/check_journal \
	%D%/observe/check_writers \
	%D%/observe/check_wait_causes \
	%D%/observe/check_waits \
	%D%/cluster/check_moments \
	%D%/cluster/check_snapshot \
	%D%/eth/check_base_firmware \
	%D%/eth/check_classify \
	%D%/eth/check_eth \
	%D%/eth/check_eth_link \
	%D%/host/check_environment \
	%D%/host/check_pages \
	%D%/host/check_processors \
	%D%/isa/check_answer \
	%D%/isa/check_isa \
	%D%/isa/check_reg \
	%D%/isa/check_plain_text \
	%D%/isa/check_timing \
	%D%/loader/check_dwarf \
	%D%/loader/check_elf \
	%D%/loader/check_firmware \
	%D%/loader/check_kernel \
	%D%/loader/check_launch \
	%D%/loader/check_layout \
	%D%/loader/check_npy \
	%D%/loader/check_program \
	%D%/loader/check_scratch \
	%D%/loader/check_sources \
	%D%/loader/check_symbols \
	%D%/loader/check_tensor \
	%D%/loader/check_writes \
	%D%/loader/check_xip \
	%D%/metal/check_descriptor \
	%D%/metal/check_metal_programs \
	%D%/metal/check_program_files \
	%D%/metal/check_tables \
	%D%/noc/check_broadcast \
	%D%/noc/check_noc_atomics \
	%D%/noc/check_overlay \
	%D%/noc/check_overlay_memory \
	%D%/noc/check_overlay_streams \
	%D%/noc/check_overlay_wrong \
	%D%/noc/check_delivery \
	%D%/noc/check_packet \
	%D%/noc/check_places \
	%D%/noc/check_request_rules \
	%D%/noc/check_requests \
	%D%/noc/check_traffic \
	%D%/noc/check_transaction \
	%D%/noc/check_waiting \
	%D%/num/check_kernels_convert \
	%D%/num/check_kernels_lanes \
	%D%/num/check_kernels_matrix \
	%D%/num/check_lanes \
	%D%/num/check_matrix_math \
	%D%/num/check_num \
	%D%/num/check_tensix_format \
	%D%/rv32/check_code \
	%D%/rv32/check_csr \
	%D%/rv32/check_float \
	%D%/rv32/check_float_unit \
	%D%/rv32/check_flow \
	%D%/rv32/check_idle \
	%D%/rv32/check_int \
	%D%/rv32/check_timing \
	%D%/rv32/check_vector \
	%D%/rv32/check_vector_float \
	%D%/rv32/check_vector_memory \
	%D%/rv32/check_vector_permute \
	%D%/rv32/check_vector_unit \
	%D%/tensix/check_auto_ttsync \
	%D%/tensix/check_block_masks \
	%D%/tensix/check_config \
	%D%/tensix/check_config_pages \
	%D%/tensix/check_counters_pages \
	%D%/tensix/check_data_faults \
	%D%/tensix/check_dst \
	%D%/tensix/check_early_reads \
	%D%/tensix/check_frontend \
	%D%/tensix/check_interleave \
	%D%/tensix/check_lane_config \
	%D%/tensix/check_load_macro \
	%D%/tensix/check_macro_schedules \
	%D%/tensix/check_macros \
	%D%/tensix/check_matrix \
	%D%/tensix/check_misc \
	%D%/tensix/check_mop \
	%D%/tensix/check_mover \
	%D%/tensix/check_moves \
	%D%/tensix/check_observe \
	%D%/tensix/check_pack \
	%D%/tensix/check_pack_modes \
	%D%/tensix/check_regs \
	%D%/tensix/check_replay \
	%D%/tensix/check_rwc \
	%D%/tensix/check_scalar \
	%D%/tensix/check_scalar_atomics \
	%D%/tensix/check_scalar_corners \
	%D%/tensix/check_scalar_memory \
	%D%/tensix/check_scalar_random \
	%D%/tensix/check_sfp_rows \
	%D%/tensix/check_sfp_timing \
	%D%/tensix/check_sfpload \
	%D%/tensix/check_src_file \
	%D%/tensix/check_status \
	%D%/tensix/check_sync \
	%D%/tensix/check_table \
	%D%/tensix/check_unit_times \
	%D%/tensix/check_unpack \
	%D%/tensix/check_unpack_modes \
	%D%/tensix/check_unpack_nop \
	%D%/tensix/check_unread \
	%D%/tensix/check_vector_faults \
	%D%/tensix/check_wait_gate \
	%D%/tensix/check_zero \
	%D%/tile/check_debug \
	%D%/tile/check_debug_bus \
	%D%/tile/check_dst_window \
	%D%/tile/check_fault \
	%D%/tile/check_gddr_dma \
	%D%/tile/check_mailbox \
	%D%/tile/check_noc_short \
	%D%/tile/check_noc_window \
	%D%/tile/check_order \
	%D%/tile/check_perf \
	%D%/tile/check_pic \
	%D%/tile/check_registers \
	%D%/tile/check_race \
	%D%/tile/check_sleep \
	%D%/tile/check_tdma \
	%D%/tile/check_tensix_deadlock \
	%D%/tile/check_tile \
	%D%/tile/check_timing \
	%D%/tile/check_windows
if HAVE_SHORTCUTS
UNIT_TESTS += %D%/tensix/check_issue_fast
endif

program_sources = \
	src/loader/program.c \
	src/loader/program.h \
	src/loader/program_buffers.c \
	src/loader/program_members.c \
	src/loader/program_expression.c \
	src/loader/program_internal.h
tests_unit_loader_check_program_SOURCES = %D%/loader/check_program.c $(program_sources)
tests_unit_observe_check_compare_SOURCES = %D%/observe/check_compare.c $(compare_sources)
tests_unit_observe_check_compare_LDADD = $(LDADD) -lm
tests_unit_abi_check_abi_LDADD = libttsim_parts.la $(LDADD)
tests_unit_abi_check_abi_environment_LDADD = libttsim_parts.la $(LDADD)
tests_unit_abi_check_abi_chips_LDADD = libttsim_parts.la $(LDADD)
tests_unit_abi_check_abi_error_lines_LDADD = libttsim_parts.la $(LDADD)
tests_unit_abi_check_abi_faults_LDADD = libttsim_parts.la $(LDADD)
tests_unit_abi_check_abi_time_LDADD = libttsim_parts.la $(LDADD)
tests_unit_num_check_lanes_LDADD = $(LDADD) -lm
tests_unit_loader_check_tensor_LDADD = $(LDADD) -lm
tests_unit_tensix_check_macro_schedules_LDADD = $(LDADD) -lm
tests_unit_tensix_check_sfpload_LDADD = $(LDADD) -lm
tests_unit_tensix_check_sfp_rows_LDADD = $(LDADD) -lm
tests_unit_noc_check_noc_atomics_LDADD = $(LDADD) -lm
