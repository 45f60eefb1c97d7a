/*
 * T2's side: the packer.
 *
 * SPEC: BlackholeA0 PACR, WormholeB0 Packers; the configuration is that of tt_llk_blackhole.
 */
#ifndef TENSOR_PACK_H
#define TENSOR_PACK_H

#include "tensor.h"

enum {
    GPR_HALF0 = 4, /* four GPRs for each half of Dst: Offset of four interfaces */
    GPR_HALF1 = 8,
    GPR_ADDRESS = 12,
    GPR_ROW,
};

/* Interfaces that read rows of Dst: 0 means all four. */
enum { ALL_INTERFACES = 0, TWO_INTERFACES = 3, EVEN_INTERFACES = 5, ODD_INTERFACES = 10 };

struct pack_addr_mod {
    unsigned y_src_incr, y_src_clear, y_dst_incr, y_dst_clear;
    unsigned z_src_incr, z_src_clear, z_dst_incr, z_dst_clear;
};

static inline void pack_addr_mod_set(unsigned index, struct pack_addr_mod mod)
{
    uint32_t value = CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_YsrcIncr, mod.y_src_incr) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_YsrcClear, mod.y_src_clear) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_YdstIncr, mod.y_dst_incr) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_YdstClear, mod.y_dst_clear) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_ZsrcIncr, mod.z_src_incr) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_ZsrcClear, mod.z_src_clear) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_ZdstIncr, mod.z_dst_incr) |
                     CONFIG_FIELD_BITS(ADDR_MOD_PACK_SEC0_ZdstClear, mod.z_dst_clear);
    tensix_push(
        WORD(SETC16, .cfg_index = ADDR_MOD_PACK_SEC0_YsrcIncr_WORD + index, .new_value = value));
}

#define PACK_ADDR_MOD(index, ...) pack_addr_mod_set(index, (struct pack_addr_mod){__VA_ARGS__})

/* Which half of Dst the packer reads. */
static inline void pack_select_half(unsigned half)
{
    tensix_push(WORD(WRCFG, .input_reg = half ? GPR_HALF1 : GPR_HALF0, .is_128bit = 1,
                     .cfg_index = DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD));
    PUSH(DMANOP);
    PUSH(DMANOP);
}

/* Strides in bytes of what the packer takes Dst for; faces lie `z_rows` rows apart. */
static inline void pack_strides(unsigned z_rows)
{
    const unsigned x = format_stride(argument(ARGUMENT_FORMAT_PACK));
    const unsigned row = ROW_DATUMS * x;
    CONFIG(PCK0_ADDR_CTRL_XY_REG_0_Xstride) =
        CONFIG_FIELD_BITS(PCK0_ADDR_CTRL_XY_REG_0_Ystride, row);
    CONFIG(PCK0_ADDR_CTRL_ZW_REG_0_Zstride) =
        CONFIG_FIELD_BITS(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, z_rows * row) |
        CONFIG_FIELD_BITS(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, TILE_DATUMS * x);
}

static inline void pack_configure_formats(void)
{
    const unsigned from = argument(ARGUMENT_FORMAT_PACK), to = argument(ARGUMENT_FORMAT_RESULT);
    const bool is_32bit = is_dst_32bit() || from == INT32 || from == FLOAT32;
    CONFIG(THCON_SEC0_REG1_Exp_section_size) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG1_Exp_section_size, to == LF8 || to == INT8 ? 0 : FACES);
    CONFIG(THCON_SEC0_REG1_Disable_zero_compress) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG1_Disable_zero_compress, 1) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG1_In_data_format, from) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG1_Out_data_format, to);
    CONFIG(PCK_DEST_RD_CTRL_Read_32b_data) =
        CONFIG_FIELD_BITS(PCK_DEST_RD_CTRL_Read_32b_data, is_32bit) |
        CONFIG_FIELD_BITS(PCK_DEST_RD_CTRL_Read_int8, !is_32bit && from == INT8) |
        CONFIG_FIELD_BITS(PCK_DEST_RD_CTRL_Round_10b_mant, is_dst_32bit() && from == FLOAT16);
    config_stored();
    config_change(ALU_FORMAT_SPEC_REG2_Dstacc, from);
    config_change(THCON_SEC0_REG1_Pac_LF8_4b_exp, 0);
    config_change(THCON_SEC0_REG1_Pack_L1_Acc, 0);
    config_change(THCON_SEC0_REG1_Disable_pack_zero_flags, 0);
    config_change(THCON_SEC0_REG1_Exp_threshold_en, 0);
}

/* Everything but the MOP and the address modifiers. */
static inline void pack_configure(unsigned z_rows)
{
    tensix_wait();
    pack_strides(z_rows);
    pack_configure_formats();
    config_change(STACC_RELU_ApplyRelu, 0);
    for (unsigned i = 0; i < 4; i++) { /* rows of a face, for edge masks; no automatic `last` */
        CONFIG_WORD(PACK_COUNTERS_SEC0_pack_per_xy_plane_WORD + i) =
            CONFIG_FIELD_BITS(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    }
    CONFIG(PCK_EDGE_OFFSET_SEC0_mask) = CONFIG_FIELD_BITS(PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    CONFIG(TILE_ROW_SET_MAPPING_0_row_set_mapping_0) = 0;
    for (unsigned i = 0; i < 4; i++) {
        gpr_set(GPR_HALF0 + i, 0);
        gpr_set(GPR_HALF1 + i, i == 0 ? DST_HALF_ROWS : 0);
    }
    PUSH(SETADCXX, .cnt_set_mask = ADC_PACKER, .x1_val = ROW_DATUMS - 1);
    PUSH(SETADCXY, .cnt_set_mask = ADC_PACKER, .bit_mask = 0xb);
    PUSH(SETADCZW, .cnt_set_mask = ADC_PACKER, .bit_mask = ALL_COUNTERS);
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_SCALAR);
    pack_select_half(0);
    tensix_wait();
}

/* The MOP that packs a tile: four rows at a time, face by face. */
static inline void pack_use_tile_mop(void)
{
    enum { ROWS = 4 };
    PACK_ADDR_MOD(0, .y_src_incr = ROWS, .y_dst_incr = ROWS);
    PACK_ADDR_MOD(1, .y_src_clear = 1, .y_dst_clear = 1, .z_src_clear = 1);
    PACK_ADDR_MOD(2, .y_src_clear = 1, .y_dst_incr = ROWS, .z_src_incr = 1);
    struct mop_loops loops = mop_loops(FACES, FACE_ROWS / ROWS, WORD(PACR, .addr_mod = 0));
    loops.last_of_inner = WORD(PACR, .addr_mod = 2);
    loops.last_of_all = WORD(PACR, .addr_mod = 1, .last = 1);
    mop_use_loops(&loops);
}

/* Waits for a half of Dst that is filled. */
static inline void pack_begin(void)
{
    PUSH(SEMWAIT, .block_mask = BLOCK_TDMA, .semaphore_mask = 1 << MATH_PACK,
         .condition_mask = WHILE_ZERO);
}

/* Where the next packed datum goes. The packer skips a header of 16 bytes, too; bit 31 says that
 * the address is complete. */
static inline void pack_address(uint32_t address)
{
    gpr_set(GPR_ADDRESS, (address / UNIT - 1) | 1u << 31);
    PUSH(STALLWAIT, .block_mask = BLOCK_CONFIG, .condition_mask = WAIT_SCALAR);
    PUSH(WRCFG, .input_reg = GPR_ADDRESS, .cfg_index = THCON_SEC0_REG1_L1_Dest_addr_WORD);
    gpr_set(GPR_ADDRESS, address / UNIT - 1);
    PUSH(DMANOP);
}

static inline void pack_tile(unsigned tile, uint32_t address)
{
    tensix_push(WORD(SETADC, .cnt_set_mask = ADC_PACKER, .xyzw = COUNTER_W, .new_value = tile));
    pack_address(address);
    mop_run();
    PUSH(SETADCZW, .cnt_set_mask = ADC_PACKER, .bit_mask = 5);
}

/* Clears the half and gives it back; returns the other one. */
static inline unsigned pack_end(unsigned half)
{
    enum { CLEAR_HALF = 2 };
    PUSH(STALLWAIT, .block_mask = BLOCK_MATRIX, .condition_mask = WAIT_PACKER);
    tensix_push(WORD(ZEROACC, .mode = CLEAR_HALF, .use_dst32b = is_dst_32bit(), .addr_mod = 1,
                     .dst_row = half));
    semaphore_get(MATH_PACK);
    pack_select_half(!half);
    return !half;
}

/* All tiles of the result in their order, in blocks of a half of Dst. */
static inline void pack_tiles(unsigned tiles, unsigned block)
{
    uint32_t address = argument(ARGUMENT_RESULT);
    const uint32_t size = format_tile_units(argument(ARGUMENT_FORMAT_RESULT)) * UNIT;
    unsigned half = 0;
    for (unsigned done = 0; done < tiles; done += block) {
        pack_begin();
        for (unsigned tile = 0; tile < block; tile++) {
            pack_tile(tile, address);
            address += size;
        }
        half = pack_end(half);
    }
}

#endif
