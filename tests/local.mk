## Unit tests: a program each, made of tests/unit/check_*.c and the harnesses that it includes.
abi_host = %D%/unit/abi_host.c %D%/unit/abi_host.h
cached_firmware = %D%/unit/cached_firmware.c %D%/unit/cached_firmware.h
loader_debug = %D%/unit/loader_debug.c %D%/unit/loader_debug.h
loader_image = %D%/unit/loader_image.c %D%/unit/loader_image.h %D%/unit/run_suite.h
loader_set = %D%/unit/loader_set.c %D%/unit/loader_set.h
macro_model = %D%/unit/macro_model.c %D%/unit/macro_model.h
matrix_model = %D%/unit/matrix_model.c %D%/unit/matrix_model.h
mmio_harness = %D%/unit/mmio_harness.h %D%/unit/run_suite.h
reader_e_model = %D%/unit/check_reader_e_cycle.h %D%/unit/check_reader_e_model.c %D%/unit/check_reader_e_model.h %D%/unit/check_reader_e_ops.c %D%/unit/random.h
reader_f_model = %D%/unit/check_reader_f_model.c %D%/unit/check_reader_f_model.h %D%/unit/check_reader_f_insns.c %D%/unit/check_reader_f_dst.c %D%/unit/random.h
reader_g_world = %D%/unit/check_reader_g_world.c %D%/unit/check_reader_g_world.h %D%/unit/random.h
rv32_harness = %D%/unit/rv32_harness.c %D%/unit/rv32_harness.h %D%/unit/run_suite.h
spec_float = %D%/unit/spec_float.c %D%/unit/spec_float.h
spec_vector = %D%/unit/spec_vector.c %D%/unit/spec_vector.h
tensix_fixture = %D%/unit/random.h %D%/unit/tensix_fixture.h $(tensix_harness)
tensix_harness = %D%/unit/tensix_harness.c %D%/unit/tensix_harness.h
tensix_scalar_world = %D%/unit/check_tensix_scalar_world.h %D%/unit/run_suite.h $(tensix_harness)
tensix_sync_world = %D%/unit/check_tensix_sync_world.h %D%/unit/run_suite.h $(tensix_harness)
tile_harness = %D%/unit/tile_harness.c %D%/unit/tile_harness.h
vector_harness = %D%/unit/vector_harness.c %D%/unit/vector_harness.h %D%/unit/random.h $(tensix_harness)

UNIT_TESTS = \
	%D%/unit/check_abi \
	%D%/unit/check_abi_environment \
	%D%/unit/check_abi_faults \
	%D%/unit/check_abi_time \
	%D%/unit/check_arc \
	%D%/unit/check_auto_ttsync \
	%D%/unit/check_chip \
	%D%/unit/check_chip_debug \
	%D%/unit/check_chip_tables \
	%D%/unit/check_code \
	%D%/unit/check_data_faults \
	%D%/unit/check_debug \
	%D%/unit/check_debug_bus \
	%D%/unit/check_dst_window \
	%D%/unit/check_environment \
	%D%/unit/check_eth \
	%D%/unit/check_eth_base_firmware \
	%D%/unit/check_eth_classify \
	%D%/unit/check_eth_link \
	%D%/unit/check_copy \
	%D%/unit/check_fill \
	%D%/unit/check_frontend \
	%D%/unit/check_grid \
	%D%/unit/check_idle \
	%D%/unit/check_isa \
	%D%/unit/check_kernels_convert \
	%D%/unit/check_kernels_lanes \
	%D%/unit/check_kernels_matrix \
	%D%/unit/check_lanes \
	%D%/unit/check_link \
	%D%/unit/check_loader_dwarf \
	%D%/unit/check_loader_elf \
	%D%/unit/check_loader_firmware \
	%D%/unit/check_loader_kernel \
	%D%/unit/check_loader_launch \
	%D%/unit/check_loader_layout \
	%D%/unit/check_loader_npy \
	%D%/unit/check_loader_program \
	%D%/unit/check_loader_scratch \
	%D%/unit/check_loader_symbols \
	%D%/unit/check_loader_tensor \
	%D%/unit/check_loader_writes \
	%D%/unit/check_loader_xip \
	%D%/unit/check_mailbox \
	%D%/unit/check_matrix_math \
	%D%/unit/check_messages \
	%D%/unit/check_mop \
	%D%/unit/check_multicast \
	%D%/unit/check_gddr \
	%D%/unit/check_noc_known \
	%D%/unit/check_noc_short \
	%D%/unit/check_noc_transaction \
	%D%/unit/check_noc_window \
	%D%/unit/check_num \
	%D%/unit/check_overlay \
	%D%/unit/check_overlay_memory \
	%D%/unit/check_overlay_streams \
	%D%/unit/check_overlay_wrong \
	%D%/unit/check_packet \
	%D%/unit/check_pages \
	%D%/unit/check_pcie \
	%D%/unit/check_pic \
	%D%/unit/check_pool \
	%D%/unit/check_processors \
	%D%/unit/check_quick \
	%D%/unit/check_race \
	%D%/unit/check_reader_a_atomics \
	%D%/unit/check_reader_a_config \
	%D%/unit/check_reader_a_counters \
	%D%/unit/check_reader_a_frontend \
	%D%/unit/check_reader_a_memory \
	%D%/unit/check_reader_a_scalar \
	%D%/unit/check_reader_a_sync \
	%D%/unit/check_reader_a_time \
	%D%/unit/check_reader_b_config \
	%D%/unit/check_reader_b_gate \
	%D%/unit/check_reader_b_interleave \
	%D%/unit/check_reader_b_random \
	%D%/unit/check_reader_b_scalar \
	%D%/unit/check_reader_b_sync \
	%D%/unit/check_reader_c_moves \
	%D%/unit/check_reader_c_unpack \
	%D%/unit/check_reader_c_unpack_modes \
	%D%/unit/check_reader_d_matrix \
	%D%/unit/check_reader_d_matrix_modes \
	%D%/unit/check_reader_d_pack \
	%D%/unit/check_reader_d_pack_modes \
	%D%/unit/check_reader_d_pack_streams \
	%D%/unit/check_reader_e_cycles \
	%D%/unit/check_reader_e_flags \
	%D%/unit/check_reader_e_macro_programs \
	%D%/unit/check_reader_e_macros \
	%D%/unit/check_reader_e_random \
	%D%/unit/check_reader_f_macros \
	%D%/unit/check_reader_f_memory \
	%D%/unit/check_reader_f_rows \
	%D%/unit/check_reader_g_atomics \
	%D%/unit/check_reader_g_multicast \
	%D%/unit/check_reader_g_places \
	%D%/unit/check_reader_g_requests \
	%D%/unit/check_reader_g_rules \
	%D%/unit/check_reader_g_traffic \
	%D%/unit/check_regs \
	%D%/unit/check_replay \
	%D%/unit/check_rv32_float \
	%D%/unit/check_rv32_vector \
	%D%/unit/check_sleep \
	%D%/unit/check_snapshot \
	%D%/unit/check_snapshot_forged \
	%D%/unit/check_snapshot_rows \
	%D%/unit/check_sparse \
	%D%/unit/check_spec_csr \
	%D%/unit/check_spec_float \
	%D%/unit/check_spec_flow \
	%D%/unit/check_spec_int \
	%D%/unit/check_spec_vector \
	%D%/unit/check_spec_vector_float \
	%D%/unit/check_spec_vector_memory \
	%D%/unit/check_spec_vector_permute \
	%D%/unit/check_src_file \
	%D%/unit/check_tdma \
	%D%/unit/check_tensix_config \
	%D%/unit/check_tensix_counters \
	%D%/unit/check_tensix_deadlock \
	%D%/unit/check_tensix_dst \
	%D%/unit/check_tensix_format \
	%D%/unit/check_tensix_matrix \
	%D%/unit/check_tensix_misc \
	%D%/unit/check_tensix_mover \
	%D%/unit/check_tensix_moves \
	%D%/unit/check_tensix_pack \
	%D%/unit/check_tensix_pack_modes \
	%D%/unit/check_tensix_rwc \
	%D%/unit/check_tensix_scalar \
	%D%/unit/check_tensix_scalar_atomics \
	%D%/unit/check_tensix_scalar_memory \
	%D%/unit/check_tensix_status \
	%D%/unit/check_tensix_sync \
	%D%/unit/check_tensix_table \
	%D%/unit/check_tensix_unpack \
	%D%/unit/check_tensix_unpack_modes \
	%D%/unit/check_tensix_unpack_nop \
	%D%/unit/check_tensix_vector_config \
	%D%/unit/check_tensix_vector_flags \
	%D%/unit/check_tensix_vector_macro \
	%D%/unit/check_tensix_vector_mad \
	%D%/unit/check_tensix_vector_memory \
	%D%/unit/check_tensix_vector_round \
	%D%/unit/check_tensix_vector_simple \
	%D%/unit/check_tensix_vector_timing \
	%D%/unit/check_tensix_wait_gate \
	%D%/unit/check_tensix_zero \
	%D%/unit/check_tile \
	%D%/unit/check_vector_faults \
	%D%/unit/check_waits \
	%D%/unit/check_windows

tests_unit_check_abi_SOURCES = %D%/unit/check_abi.c $(abi_host)
tests_unit_check_abi_environment_SOURCES = %D%/unit/check_abi_environment.c $(abi_host)
tests_unit_check_abi_faults_SOURCES = %D%/unit/check_abi_faults.c $(abi_host)
tests_unit_check_abi_time_SOURCES = %D%/unit/check_abi_time.c $(abi_host)
tests_unit_check_arc_SOURCES = %D%/unit/check_arc.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_auto_ttsync_SOURCES = %D%/unit/check_auto_ttsync.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_chip_SOURCES = %D%/unit/check_chip.c %D%/unit/run_suite.h
tests_unit_check_chip_debug_SOURCES = %D%/unit/check_chip_debug.c %D%/unit/run_suite.h
tests_unit_check_chip_tables_SOURCES = %D%/unit/check_chip_tables.c %D%/unit/run_suite.h
tests_unit_check_code_SOURCES = %D%/unit/check_code.c $(rv32_harness)
tests_unit_check_data_faults_SOURCES = %D%/unit/check_data_faults.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_debug_SOURCES = %D%/unit/check_debug.c $(mmio_harness) $(tile_harness)
tests_unit_check_debug_bus_SOURCES = %D%/unit/check_debug_bus.c $(mmio_harness) $(tile_harness)
tests_unit_check_dst_window_SOURCES = %D%/unit/check_dst_window.c $(mmio_harness) $(tile_harness)
tests_unit_check_environment_SOURCES = %D%/unit/check_environment.c %D%/unit/run_suite.h
tests_unit_check_eth_SOURCES = %D%/unit/check_eth.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_eth_wire.c %D%/unit/check_eth_wire.h
tests_unit_check_eth_base_firmware_SOURCES = %D%/unit/check_eth_base_firmware.c %D%/unit/run_suite.h %D%/unit/check_eth_bench.c %D%/unit/check_eth_bench.h
tests_unit_check_eth_classify_SOURCES = %D%/unit/check_eth_classify.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_eth_wire.c %D%/unit/check_eth_wire.h
tests_unit_check_eth_link_SOURCES = %D%/unit/check_eth_link.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_eth_wire.c %D%/unit/check_eth_wire.h
tests_unit_check_copy_SOURCES = %D%/unit/check_copy.c %D%/unit/bulk_law.h $(rv32_harness)
tests_unit_check_fill_SOURCES = %D%/unit/check_fill.c %D%/unit/bulk_law.h $(rv32_harness)
tests_unit_check_frontend_SOURCES = %D%/unit/check_frontend.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_grid_SOURCES = %D%/unit/check_grid.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_idle_SOURCES = %D%/unit/check_idle.c $(rv32_harness)
tests_unit_check_isa_SOURCES = %D%/unit/check_isa.c $(rv32_harness)
tests_unit_check_kernels_convert_SOURCES = %D%/unit/check_kernels_convert.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_kernels_lanes_SOURCES = %D%/unit/check_kernels_lanes.c %D%/unit/sanitized.h %D%/unit/run_suite.h
tests_unit_check_kernels_matrix_SOURCES = %D%/unit/check_kernels_matrix.c %D%/unit/sanitized.h %D%/unit/run_suite.h
tests_unit_check_lanes_SOURCES = %D%/unit/check_lanes.c %D%/unit/run_suite.h
tests_unit_check_link_SOURCES = %D%/unit/check_link.c %D%/unit/run_suite.h
tests_unit_check_loader_dwarf_SOURCES = %D%/unit/check_loader_dwarf.c $(loader_debug) \
	$(loader_image)
tests_unit_check_loader_elf_SOURCES = %D%/unit/check_loader_elf.c $(loader_image)
tests_unit_check_loader_firmware_SOURCES = %D%/unit/check_loader_firmware.c $(cached_firmware) \
	$(loader_debug) $(loader_image) $(loader_set)
tests_unit_check_loader_kernel_SOURCES = %D%/unit/check_loader_kernel.c $(loader_debug) \
	$(loader_image) $(loader_set)
tests_unit_check_loader_launch_SOURCES = %D%/unit/check_loader_launch.c $(loader_debug) \
	$(loader_image) $(loader_set)
tests_unit_check_loader_layout_SOURCES = %D%/unit/check_loader_layout.c $(loader_debug) \
	$(loader_image)
tests_unit_check_loader_npy_SOURCES = %D%/unit/check_loader_npy.c %D%/unit/run_suite.h
tests_unit_check_loader_program_SOURCES = \
	%D%/unit/check_loader_program.c \
	%D%/unit/random.h \
	%D%/unit/run_suite.h \
	src/loader/program.c \
	src/loader/program.h \
	src/loader/program_buffers.c \
	src/loader/program_expression.c \
	src/loader/program_internal.h
tests_unit_check_loader_scratch_SOURCES = %D%/unit/check_loader_scratch.c $(loader_image)
tests_unit_check_loader_symbols_SOURCES = %D%/unit/check_loader_symbols.c $(loader_image)
tests_unit_check_loader_tensor_SOURCES = %D%/unit/check_loader_tensor.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_loader_writes_SOURCES = %D%/unit/check_loader_writes.c $(loader_image)
tests_unit_check_loader_xip_SOURCES = %D%/unit/check_loader_xip.c $(loader_image)
tests_unit_check_mailbox_SOURCES = %D%/unit/check_mailbox.c $(mmio_harness) $(tile_harness)
tests_unit_check_matrix_math_SOURCES = %D%/unit/check_matrix_math.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_messages_SOURCES = %D%/unit/check_messages.c %D%/unit/run_suite.h
tests_unit_check_mop_SOURCES = %D%/unit/check_mop.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_multicast_SOURCES = %D%/unit/check_multicast.c %D%/unit/chip_program.h %D%/unit/run_suite.h
tests_unit_check_gddr_SOURCES = %D%/unit/check_gddr.c %D%/unit/chip_program.h %D%/unit/noc_command.h %D%/unit/run_suite.h
tests_unit_check_noc_short_SOURCES = %D%/unit/check_noc_short.c %D%/unit/chip_program.h %D%/unit/noc_command.h %D%/unit/run_suite.h
tests_unit_check_noc_known_SOURCES = %D%/unit/check_noc_known.c %D%/unit/random.h $(mmio_harness) \
	$(tile_harness)
tests_unit_check_noc_transaction_SOURCES = %D%/unit/check_noc_transaction.c $(mmio_harness) \
	$(tile_harness)
tests_unit_check_noc_window_SOURCES = %D%/unit/check_noc_window.c $(mmio_harness) \
	$(tile_harness)
tests_unit_check_num_SOURCES = %D%/unit/check_num.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_overlay_SOURCES = %D%/unit/check_overlay.c %D%/unit/check_overlay_alone.h %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_overlay_world.h
tests_unit_check_overlay_memory_SOURCES = %D%/unit/check_overlay_memory.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_overlay_world.h
tests_unit_check_overlay_streams_SOURCES = %D%/unit/check_overlay_streams.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_overlay_world.h
tests_unit_check_overlay_wrong_SOURCES = %D%/unit/check_overlay_wrong.c %D%/unit/check_overlay_alone.h %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_overlay_world.h
tests_unit_check_packet_SOURCES = %D%/unit/check_packet.c %D%/unit/run_suite.h
tests_unit_check_pages_SOURCES = %D%/unit/check_pages.c %D%/unit/run_suite.h
tests_unit_check_pcie_SOURCES = %D%/unit/check_pcie.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_pic_SOURCES = %D%/unit/check_pic.c $(mmio_harness) $(tile_harness)
tests_unit_check_pool_SOURCES = %D%/unit/check_pool.c %D%/unit/sanitized.h %D%/unit/run_suite.h
tests_unit_check_processors_SOURCES = %D%/unit/check_processors.c %D%/unit/run_suite.h
tests_unit_check_quick_SOURCES = %D%/unit/check_quick.c $(mmio_harness) $(tile_harness)
tests_unit_check_race_SOURCES = %D%/unit/check_race.c $(mmio_harness) $(tensix_harness) $(tile_harness)
tests_unit_check_reader_a_atomics_SOURCES = %D%/unit/check_reader_a_atomics.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_reader_a_l1.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_config_SOURCES = %D%/unit/check_reader_a_config.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_counters_SOURCES = %D%/unit/check_reader_a_counters.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_frontend_SOURCES = %D%/unit/check_reader_a_frontend.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_memory_SOURCES = %D%/unit/check_reader_a_memory.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_reader_a_l1.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_scalar_SOURCES = %D%/unit/check_reader_a_scalar.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_sync_SOURCES = %D%/unit/check_reader_a_sync.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_a_time_SOURCES = %D%/unit/check_reader_a_time.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_a_common.h
tests_unit_check_reader_b_config_SOURCES = %D%/unit/check_reader_b_config.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_b_gate_SOURCES = %D%/unit/check_reader_b_gate.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_b_interleave_SOURCES = %D%/unit/check_reader_b_interleave.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_b_random_SOURCES = %D%/unit/check_reader_b_random.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_b_model.h %D%/unit/check_reader_b_model.c
tests_unit_check_reader_b_scalar_SOURCES = %D%/unit/check_reader_b_scalar.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_b_sync_SOURCES = %D%/unit/check_reader_b_sync.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_c_moves_SOURCES = %D%/unit/check_reader_c_moves.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_reader_c_unpack_SOURCES = %D%/unit/check_reader_c_unpack.c %D%/unit/random.h %D%/unit/run_suite.h %D%/unit/check_reader_c_model.h %D%/unit/check_reader_c_model.c $(tensix_harness)
tests_unit_check_reader_c_unpack_modes_SOURCES = %D%/unit/check_reader_c_unpack_modes.c %D%/unit/run_suite.h %D%/unit/check_reader_c_model.h %D%/unit/check_reader_c_model.c $(tensix_harness)
tests_unit_check_reader_d_matrix_SOURCES = %D%/unit/check_reader_d_matrix.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_d_common.h %D%/unit/check_reader_d_world.h
tests_unit_check_reader_d_matrix_modes_SOURCES = %D%/unit/check_reader_d_matrix_modes.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_d_common.h %D%/unit/check_reader_d_world.h
tests_unit_check_reader_d_pack_SOURCES = %D%/unit/check_reader_d_pack.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_d_common.h
tests_unit_check_reader_d_pack_modes_SOURCES = %D%/unit/check_reader_d_pack_modes.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_d_common.h
tests_unit_check_reader_d_pack_streams_SOURCES = %D%/unit/check_reader_d_pack_streams.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness) %D%/unit/check_reader_d_common.h
tests_unit_check_reader_e_cycles_SOURCES = %D%/unit/check_reader_e_cycles.c %D%/unit/run_suite.h %D%/unit/check_reader_e_world.h $(reader_e_model) $(tensix_harness)
tests_unit_check_reader_e_flags_SOURCES = %D%/unit/check_reader_e_flags.c %D%/unit/run_suite.h $(reader_e_model) $(tensix_harness)
tests_unit_check_reader_e_macro_programs_SOURCES = %D%/unit/check_reader_e_macro_programs.c %D%/unit/run_suite.h $(reader_e_model) $(tensix_harness)
tests_unit_check_reader_e_macros_SOURCES = %D%/unit/check_reader_e_macros.c %D%/unit/run_suite.h %D%/unit/check_reader_e_world.h $(reader_e_model) $(tensix_harness)
tests_unit_check_reader_e_random_SOURCES = %D%/unit/check_reader_e_random.c %D%/unit/run_suite.h $(reader_e_model) $(tensix_harness)
tests_unit_check_reader_f_macros_SOURCES = %D%/unit/check_reader_f_macros.c %D%/unit/run_suite.h %D%/unit/check_reader_f_cycles.c $(reader_f_model) $(tensix_harness)
tests_unit_check_reader_f_memory_SOURCES = %D%/unit/check_reader_f_memory.c %D%/unit/run_suite.h $(reader_f_model) $(tensix_harness)
tests_unit_check_reader_f_rows_SOURCES = %D%/unit/check_reader_f_rows.c %D%/unit/run_suite.h $(reader_f_model) $(tensix_harness)
tests_unit_check_reader_g_atomics_SOURCES = %D%/unit/check_reader_g_atomics.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_reader_g_multicast_SOURCES = %D%/unit/check_reader_g_multicast.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_reader_g_places_SOURCES = %D%/unit/check_reader_g_places.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_reader_g_requests_SOURCES = %D%/unit/check_reader_g_requests.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_reader_g_rules_SOURCES = %D%/unit/check_reader_g_rules.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_reader_g_traffic_SOURCES = %D%/unit/check_reader_g_traffic.c %D%/unit/run_suite.h $(reader_g_world)
tests_unit_check_regs_SOURCES = %D%/unit/check_regs.c %D%/unit/run_suite.h
tests_unit_check_replay_SOURCES = %D%/unit/check_replay.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_rv32_float_SOURCES = %D%/unit/check_rv32_float.c $(rv32_harness)
tests_unit_check_rv32_vector_SOURCES = %D%/unit/check_rv32_vector.c $(rv32_harness)
tests_unit_check_sleep_SOURCES = %D%/unit/check_sleep.c %D%/unit/run_suite.h $(tile_harness)
tests_unit_check_snapshot_SOURCES = %D%/unit/check_snapshot.c %D%/unit/run_suite.h %D%/unit/snapshot_scenes.c %D%/unit/snapshot_scenes.h \
	$(cached_firmware)
tests_unit_check_snapshot_forged_SOURCES = %D%/unit/check_snapshot_forged.c %D%/unit/run_suite.h %D%/unit/snapshot_bytes.h %D%/unit/snapshot_scenes.c %D%/unit/snapshot_scenes.h
tests_unit_check_snapshot_rows_SOURCES = %D%/unit/check_snapshot_rows.c %D%/unit/run_suite.h
tests_unit_check_sparse_SOURCES = %D%/unit/check_sparse.c %D%/unit/run_suite.h
tests_unit_check_spec_csr_SOURCES = %D%/unit/check_spec_csr.c $(rv32_harness)
tests_unit_check_spec_float_SOURCES = %D%/unit/check_spec_float.c $(rv32_harness) $(spec_float)
tests_unit_check_spec_flow_SOURCES = %D%/unit/check_spec_flow.c $(rv32_harness)
tests_unit_check_spec_int_SOURCES = %D%/unit/check_spec_int.c $(rv32_harness)
tests_unit_check_spec_vector_SOURCES = %D%/unit/check_spec_vector.c $(rv32_harness) \
	$(spec_vector)
tests_unit_check_spec_vector_float_SOURCES = %D%/unit/check_spec_vector_float.c \
	$(rv32_harness) $(spec_float) $(spec_vector)
tests_unit_check_spec_vector_memory_SOURCES = %D%/unit/check_spec_vector_memory.c \
	$(rv32_harness) $(spec_vector)
tests_unit_check_spec_vector_permute_SOURCES = %D%/unit/check_spec_vector_permute.c \
	$(rv32_harness) $(spec_vector)
tests_unit_check_src_file_SOURCES = %D%/unit/check_src_file.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_tdma_SOURCES = %D%/unit/check_tdma.c $(mmio_harness) $(tile_harness)
tests_unit_check_tensix_config_SOURCES = %D%/unit/check_tensix_config.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_counters_SOURCES = %D%/unit/check_tensix_counters.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_tensix_deadlock_SOURCES = %D%/unit/check_tensix_deadlock.c $(tile_harness) $(mmio_harness)
tests_unit_check_tensix_dst_SOURCES = %D%/unit/check_tensix_dst.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_tensix_format_SOURCES = %D%/unit/check_tensix_format.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_tensix_matrix_SOURCES = %D%/unit/check_tensix_matrix.c %D%/unit/run_suite.h $(matrix_model) $(tensix_fixture)
tests_unit_check_tensix_misc_SOURCES = %D%/unit/check_tensix_misc.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_mover_SOURCES = %D%/unit/check_tensix_mover.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_moves_SOURCES = %D%/unit/check_tensix_moves.c %D%/unit/run_suite.h $(matrix_model) $(tensix_fixture)
tests_unit_check_tensix_pack_SOURCES = %D%/unit/check_tensix_pack.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_tensix_pack_modes_SOURCES = %D%/unit/check_tensix_pack_modes.c %D%/unit/random.h %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_tensix_rwc_SOURCES = %D%/unit/check_tensix_rwc.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_scalar_SOURCES = %D%/unit/check_tensix_scalar.c $(tensix_scalar_world)
tests_unit_check_tensix_scalar_atomics_SOURCES = %D%/unit/check_tensix_scalar_atomics.c $(tensix_scalar_world)
tests_unit_check_tensix_scalar_memory_SOURCES = %D%/unit/check_tensix_scalar_memory.c $(tensix_scalar_world)
tests_unit_check_tensix_status_SOURCES = %D%/unit/check_tensix_status.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_sync_SOURCES = %D%/unit/check_tensix_sync.c %D%/unit/random.h $(tensix_sync_world)
tests_unit_check_tensix_table_SOURCES = %D%/unit/check_tensix_table.c %D%/unit/random.h %D%/unit/run_suite.h
tests_unit_check_tensix_unpack_SOURCES = %D%/unit/check_tensix_unpack.c %D%/unit/run_suite.h %D%/unit/unpack_model.c %D%/unit/unpack_model.h $(tensix_fixture)
tests_unit_check_tensix_unpack_modes_SOURCES = %D%/unit/check_tensix_unpack_modes.c %D%/unit/run_suite.h $(tensix_harness)
tests_unit_check_tensix_unpack_nop_SOURCES = %D%/unit/check_tensix_unpack_nop.c %D%/unit/run_suite.h $(tensix_fixture)
tests_unit_check_tensix_vector_config_SOURCES = %D%/unit/check_tensix_vector_config.c %D%/unit/run_suite.h $(vector_harness) $(matrix_model)
tests_unit_check_tensix_vector_flags_SOURCES = %D%/unit/check_tensix_vector_flags.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_vector_macro_SOURCES = %D%/unit/check_tensix_vector_macro.c %D%/unit/run_suite.h $(macro_model) $(vector_harness)
tests_unit_check_tensix_vector_mad_SOURCES = %D%/unit/check_tensix_vector_mad.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_vector_memory_SOURCES = %D%/unit/check_tensix_vector_memory.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_vector_round_SOURCES = %D%/unit/check_tensix_vector_round.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_vector_simple_SOURCES = %D%/unit/check_tensix_vector_simple.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_vector_timing_SOURCES = %D%/unit/check_tensix_vector_timing.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_tensix_wait_gate_SOURCES = %D%/unit/check_tensix_wait_gate.c $(tensix_sync_world)
tests_unit_check_tensix_zero_SOURCES = %D%/unit/check_tensix_zero.c %D%/unit/run_suite.h $(matrix_model) $(tensix_fixture)
tests_unit_check_tile_SOURCES = %D%/unit/check_tile.c %D%/unit/run_suite.h $(tile_harness)
tests_unit_check_vector_faults_SOURCES = %D%/unit/check_vector_faults.c %D%/unit/run_suite.h $(vector_harness)
tests_unit_check_waits_SOURCES = %D%/unit/check_waits.c %D%/unit/chip_program.h %D%/unit/run_suite.h
tests_unit_check_windows_SOURCES = %D%/unit/check_windows.c $(mmio_harness) $(tile_harness)
tests_unit_check_abi_LDADD = libttsim_parts.la $(LDADD)
tests_unit_check_abi_environment_LDADD = libttsim_parts.la $(LDADD)
tests_unit_check_abi_faults_LDADD = libttsim_parts.la $(LDADD)
tests_unit_check_abi_time_LDADD = libttsim_parts.la $(LDADD)
tests_unit_check_lanes_LDADD = $(LDADD) -lm
tests_unit_check_loader_tensor_LDADD = $(LDADD) -lm
tests_unit_check_reader_d_matrix_LDADD = $(LDADD) -lm
tests_unit_check_reader_d_matrix_modes_LDADD = $(LDADD) -lm
tests_unit_check_reader_d_pack_modes_LDADD = $(LDADD) -lm
tests_unit_check_reader_f_macros_LDADD = $(LDADD) -lm
tests_unit_check_reader_f_memory_LDADD = $(LDADD) -lm
tests_unit_check_reader_f_rows_LDADD = $(LDADD) -lm
tests_unit_check_reader_g_atomics_LDADD = $(LDADD) -lm

LDADD = libpenrose_core.la $(CHECK_LIBS) $(JANSSON_LIBS)

if HAVE_CHECK
check_PROGRAMS += $(UNIT_TESTS) $(CLIENT_TESTS)
TESTS += $(UNIT_TESTS) $(CLIENT_TESTS)
endif

## The built library as its clients have it.
CLIENT_TESTS = %D%/abi/check_client %D%/abi/check_robust
tests_abi_check_client_SOURCES = %D%/abi/check_client.c %D%/abi/client.c %D%/abi/client.h
tests_abi_check_client_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_abi_check_client_LDADD = $(CHECK_LIBS) -ldl
tests_abi_check_robust_SOURCES = %D%/abi/check_robust.c %D%/unit/sanitized.h %D%/abi/client.c %D%/abi/client.h \
	%D%/abi/throwing.cc %D%/abi/throwing.h
tests_abi_check_robust_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_abi_check_robust_LDADD = $(CHECK_LIBS) -ldl -lpthread

## Scripts: exports of the libraries, the command line, our guest programs, scripts that fetch things.
SHELL_TESTS = \
	%D%/abi/exports.sh \
	%D%/cli/bad-files.sh \
	%D%/cli/data-errors.sh \
	%D%/cli/doctor.sh \
	%D%/cli/exec.sh \
	%D%/cli/firmware.sh \
	%D%/cli/kernel-sets.sh \
	%D%/cli/machine.sh \
	%D%/cli/noc-errors.sh \
	%D%/cli/snapshots.sh \
	%D%/cli/tensix-errors.sh \
	%D%/cli/tensors.sh \
	%D%/cli/ttx.sh \
	%D%/cli/usage.sh \
	%D%/cli/vector-errors.sh \
	%D%/difftest/self-test.sh \
	%D%/firmware/whole-chip.sh \
	%D%/guests/grid.sh \
	%D%/guests/guests.sh \
	%D%/guests/tensix.sh \
	%D%/guests/tensor.sh \
	%D%/guests/vector.sh \
	%D%/scripts/fetch-sfpi.sh
TESTS += $(SHELL_TESTS)
EXTRA_DIST += $(SHELL_TESTS) %D%/cli/lib.bash %D%/cli/faults.bash
EXTRA_DIST += %D%/guests/model.py %D%/guests/tensor.py %D%/cli/tensors.py
EXTRA_DIST += %D%/guests/vector.py %D%/guests/vector_model.py
EXTRA_DIST += %D%/guests/grid.py

## The model of large products; without sanitizers, as it is slow enough.
check_PROGRAMS += %D%/guests/matmul_model
tests_guests_matmul_model_CFLAGS = -std=c11 -Wall -Wextra
tests_guests_matmul_model_LDFLAGS =
tests_guests_matmul_model_LDADD =

## Random programs on our hart and under qemu-riscv32.
check_PROGRAMS += %D%/difftest/rv32/difftest-rv32
TESTS += %D%/difftest/rv32/difftest-rv32
tests_difftest_rv32_difftest_rv32_SOURCES = \
	%D%/difftest/common/clock.h \
	%D%/difftest/common/random.h \
	%D%/difftest/rv32/board.c \
	%D%/difftest/rv32/generate.c \
	%D%/difftest/rv32/generate.h \
	%D%/difftest/rv32/machine.h \
	%D%/difftest/rv32/main.c \
	%D%/difftest/rv32/outcome.c \
	%D%/difftest/rv32/program.c \
	%D%/difftest/rv32/program.h \
	%D%/difftest/rv32/qemu.c \
	%D%/difftest/rv32/report.c \
	%D%/difftest/rv32/report.h \
	%D%/difftest/rv32/shrink.c \
	%D%/difftest/rv32/shrink.h
tests_difftest_rv32_difftest_rv32_LDADD = libpenrose_core.la

## Results of test programs and scripts; scripts find what they need by these variables.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = bash
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; export srcdir; \
	builddir='$(abs_top_builddir)'; export builddir; \
	RISCV_CC='$(RISCV_CC)'; export RISCV_CC; \
	QEMU_RISCV32='$(QEMU_RISCV32)'; export QEMU_RISCV32; \
	NM='$(NM)'; export NM; \
	CK_FORK=$${CK_FORK:-$(PENROSE_CK_FORK)}; export CK_FORK; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-120}; export CK_DEFAULT_TIMEOUT;

## `make check-firmware` runs real firmware and our kernels on it; see the script.
EXTRA_PROGRAMS += %D%/firmware/check_sets
tests_firmware_check_sets_LDADD = libpenrose_core.la
check_PROGRAMS += %D%/firmware/check_whole_chip
tests_firmware_check_whole_chip_LDADD = libpenrose_core.la
EXTRA_DIST += %D%/firmware/check-firmware.sh %D%/uncovered.txt
CLEANFILES += %D%/firmware/check_sets$(EXEEXT)
check-firmware: all %D%/firmware/check_sets$(EXEEXT) %D%/firmware/check_whole_chip$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS=tests/firmware/check-firmware.sh
.PHONY: check-firmware

## `make check-clients` runs tt-umd, tt-exalens, ttnn and LLK's tests on the library, unmodified. They
## are fetched into a cache; what cannot run here is skipped, and says why.
REAL_CLIENTS = \
	%D%/clients/burnin.sh \
	%D%/clients/cards.sh \
	%D%/clients/exalens.sh \
	%D%/clients/llk-fast.sh \
	%D%/clients/ttnn-fast.sh \
	%D%/clients/ttnn-umd.sh
EXTRA_DIST += $(REAL_CLIENTS) \
	%D%/clients/burnin/burnin.py \
	%D%/clients/burnin/expected.py \
	%D%/clients/burnin/image.py \
	%D%/clients/burnin/library.py \
	%D%/clients/common.bash \
	%D%/clients/llk.sh \
	%D%/clients/ttnn.sh \
	%D%/clients/exalens/debuggee.c \
	%D%/clients/exalens/debuggee.ld \
	%D%/clients/exalens/matrix.py \
	%D%/clients/exalens/round.py \
	%D%/clients/llk/abi_count.c \
	%D%/clients/llk/fast.txt \
	%D%/clients/llk/record.py \
	%D%/clients/llk/report.py \
	%D%/clients/llk/sample.py \
	%D%/clients/llk/suite.bash \
	%D%/clients/llk/warm.py \
	%D%/clients/ttnn/compare.py \
	%D%/clients/ttnn/environment.bash \
	%D%/clients/ttnn/ops.py \
	%D%/clients/ttnn/quick.py \
	%D%/clients/ttnn/umd.py
check-clients: all
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(REAL_CLIENTS)'
.PHONY: check-clients

## `configure --enable-fuzzers CC=clang`, `make fuzzers`; see the files for what they feed on.
if ENABLE_FUZZERS
FUZZERS = %D%/fuzz/fuzz_loader$(EXEEXT) %D%/fuzz/fuzz_snapshot$(EXEEXT) %D%/fuzz/fuzz_tensix$(EXEEXT) %D%/fuzz/fuzz_vector$(EXEEXT)
EXTRA_PROGRAMS += %D%/fuzz/fuzz_loader %D%/fuzz/fuzz_snapshot %D%/fuzz/fuzz_tensix %D%/fuzz/fuzz_vector
tests_fuzz_fuzz_loader_LDADD = libpenrose_core.la
tests_fuzz_fuzz_loader_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_snapshot_LDADD = libpenrose_core.la
tests_fuzz_fuzz_snapshot_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_tensix_LDADD = libpenrose_core.la
tests_fuzz_fuzz_tensix_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_vector_LDADD = libpenrose_core.la
tests_fuzz_fuzz_vector_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
fuzzers: $(FUZZERS)
.PHONY: fuzzers

include %D%/difftest/common/local.mk
include %D%/difftest/tensix/local.mk
include %D%/difftest/noc/local.mk
