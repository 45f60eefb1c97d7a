/*
 * T0's side: the unpackers. Unpacker 0 goes to SrcA or Dst, unpacker 1 to SrcB.
 *
 * SPEC: BlackholeA0 UNPACR, WormholeB0 UNPACR_Regular, UNPACR_NOP; the configuration is that of
 * tt_llk_blackhole.
 */
#ifndef TENSOR_UNPACK_H
#define TENSOR_UNPACK_H

#include "tensor.h"

enum {
    UNPACKER0,
    UNPACKER1,
    SRC_A_ROW0 = 4 * ROW_DATUMS, /* where unpacker 0's first row lies among its addresses */
    SRCA_SET_BY_ADDRESS = 4,     /* SRCA_SET_SetOvrdWithAddr */
    THROTTLE = 2,
    GPR_STEP = 4,
    GPR_BASE,
    GPR_STRIDE,
};

/* An UNPACR as all here: by the context of the thread; `bank` hands the bank over. */
#define UNPACR_WORD(unpacker, bank, ...)                                                           \
    WORD(UNPACR, .which_unpacker = (unpacker), .multi_context_mode = 1, .flip_src = (bank),        \
         .last = 1, __VA_ARGS__)
/* Zeros a bank and hands it over. */
#define UNPACR_ZEROS_WORD(unpacker)                                                                \
    WORD(UNPACR_NOP_ZEROSRC, .which_unpacker = (unpacker), .set_dvalid = 1)
/* Puts the counters of channel 0 of an unpacker, or Z alone, to these values. */
#define SET_Z_WORD(unpackers, z)                                                                   \
    WORD(SETADCZW, .cnt_set_mask = (unpackers), .z0_val = (z), .bit_mask = 1)

static inline void unpack_counts(unsigned unpackers, unsigned datums)
{
    tensix_push(WORD(SETADCXX, .cnt_set_mask = unpackers, .x1_val = datums - 1));
}

static inline void unpack_reset_counters(void)
{
    PUSH(SETADCXY, .cnt_set_mask = ADC_UNPACKER0 | ADC_UNPACKER1, .bit_mask = 0xb);
    PUSH(SETADCZW, .cnt_set_mask = ADC_UNPACKER0 | ADC_UNPACKER1, .bit_mask = ALL_COUNTERS);
}

static inline void unpack_use_context(unsigned context)
{
    const uint32_t both = context << UNPACK_MISC_CFG_CfgContextOffset_0_SHIFT |
                          context << UNPACK_MISC_CFG_CfgContextOffset_1_SHIFT;
    thread_config(UNPACK_MISC_CFG_CfgContextOffset_0, both);
}

/* Of unpacker 0, and of unpacker 1: in L1, and what it becomes. */
struct unpack_formats {
    unsigned a, src_a, b, src_b;
};

/* Tiles of four faces one behind the other; transposes the faces that go to SrcA if told to. */
static inline void unpack_configure_formats(struct unpack_formats formats, bool transposes)
{
    const unsigned a = formats.a, b = formats.b, src_a = formats.src_a, src_b = formats.src_b;
    const uint32_t uncompressed = 0xf | 0xf << 16;
    unpack_reset_counters();
    tensix_wait();
    CONFIG(UNP0_ADDR_CTRL_ZW_REG_1_Zstride) =
        CONFIG_FIELD_BITS(UNP0_ADDR_CTRL_ZW_REG_1_Zstride, FACE_DATUMS * format_stride(src_a));
    CONFIG(UNP1_ADDR_CTRL_ZW_REG_1_Zstride) =
        CONFIG_FIELD_BITS(UNP1_ADDR_CTRL_ZW_REG_1_Zstride, FACE_DATUMS * format_stride(src_b));
    CONFIG(THCON_SEC0_REG0_TileDescriptor_in_data_format) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_in_data_format, a) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_uncompressed, 1);
    CONFIG(THCON_SEC0_REG0_TileDescriptor_y_dim) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_y_dim, 1) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG0_TileDescriptor_z_dim, FACES);
    CONFIG(THCON_SEC1_REG0_TileDescriptor_in_data_format) =
        CONFIG_FIELD_BITS(THCON_SEC1_REG0_TileDescriptor_in_data_format, b) |
        CONFIG_FIELD_BITS(THCON_SEC1_REG0_TileDescriptor_uncompressed, 1) |
        CONFIG_FIELD_BITS(THCON_SEC1_REG0_TileDescriptor_x_dim, FACE_DATUMS);
    CONFIG(THCON_SEC1_REG0_TileDescriptor_y_dim) =
        CONFIG_FIELD_BITS(THCON_SEC1_REG0_TileDescriptor_y_dim, 1) |
        CONFIG_FIELD_BITS(THCON_SEC1_REG0_TileDescriptor_z_dim, FACES);
    CONFIG(THCON_SEC0_REG2_Out_data_format) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Out_data_format, src_a) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Throttle_mode, THROTTLE) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG2_Haloize_mode, transposes);
    CONFIG(THCON_SEC0_REG2_Disable_zero_compress_cntx0) = uncompressed;
    CONFIG(THCON_SEC1_REG2_Out_data_format) =
        CONFIG_FIELD_BITS(THCON_SEC1_REG2_Out_data_format, src_b) |
        CONFIG_FIELD_BITS(THCON_SEC1_REG2_Throttle_mode, THROTTLE);
    CONFIG(THCON_SEC1_REG2_Disable_zero_compress_cntx0) = uncompressed;
    CONFIG(THCON_SEC0_REG5_Dest_cntx0_address) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Dest_cntx0_address, SRC_A_ROW0) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Dest_cntx1_address, SRC_A_ROW0);
    CONFIG(THCON_SEC0_REG5_Tile_x_dim_cntx0) =
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Tile_x_dim_cntx0, FACE_DATUMS) |
        CONFIG_FIELD_BITS(THCON_SEC0_REG5_Tile_x_dim_cntx1, FACE_DATUMS);
    CONFIG(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr) =
        CONFIG_FIELD_BITS(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    config_stored();
    config_change(ALU_FORMAT_SPEC_REG_SrcA_override, 0);
    config_change(ALU_FORMAT_SPEC_REG_SrcB_override, 0);
    config_change(ALU_FORMAT_SPEC_REG0_SrcAUnsigned, 0);
    config_change(ALU_FORMAT_SPEC_REG0_SrcBUnsigned, 0);
    /* Opaque datums are no numbers of which some are zeros. */
    config_change(ALU_ACC_CTRL_Zero_Flag_disabled_src, src_a == UINT16);
    config_change(THCON_SEC0_REG1_Unp_LF8_4b_exp, 0);
    config_change(THCON_SEC1_REG1_Unp_LF8_4b_exp, 0);
    thread_config(SRCA_SET_Base, SRCA_SET_BY_ADDRESS);
    unpack_counts(ADC_UNPACKER0 | ADC_UNPACKER1, FACE_DATUMS);
    unpack_use_context(0);
}

/* The first input goes to unpacker 0, the second one to unpacker 1. */
static inline void unpack_configure(bool transposes)
{
    unpack_configure_formats(
        (struct unpack_formats){argument(ARGUMENT_FORMAT_A), argument(ARGUMENT_FORMAT_SRC_A),
                                argument(ARGUMENT_FORMAT_B), argument(ARGUMENT_FORMAT_SRC_B)},
        transposes);
}

/* Begins with a context: waits until it is free and gives it the addresses, in bytes. The unpackers
 * skip a header of 16 bytes, which tiles here do not have. */
static inline void unpack_begin(unsigned context, uint32_t address_a, uint32_t address_b)
{
    while (SEMAPHORE(UNPACK_SYNC) >= CONTEXTS) {
    }
    CONFIG_WORD(THCON_SEC0_REG3_Base_address_WORD + context) = address_a / UNIT - 1;
    CONFIG_WORD(THCON_SEC1_REG3_Base_address_WORD + context) = address_b / UNIT - 1;
    SEMAPHORE(UNPACK_SYNC) = 0;
    PUSH(STALLWAIT, .block_mask = BLOCK_UNPACK, .condition_mask = WAIT_HART);
}

/* Ends with it; returns the other one, which is the thread's from now on. */
static inline unsigned unpack_end(unsigned context)
{
    semaphore_get(UNPACK_SYNC);
    unpack_use_context(!context);
    return !context;
}

/* Runs the MOP on one tile of each input. */
static inline unsigned unpack_tiles(unsigned context, uint32_t address_a, uint32_t address_b)
{
    PUSH(SETADCZW, .cnt_set_mask = ADC_UNPACKER0 | ADC_UNPACKER1, .bit_mask = ALL_COUNTERS);
    unpack_begin(context, address_a, address_b);
    mop_run();
    return unpack_end(context);
}

/*
 * The MOP that unpacks a tile to SrcA, `faces` times all that the counters say, and gives a zero
 * SrcB with each. In LLK's order: T1 waits for SrcA, which takes longer, and gives both back.
 */
static inline void unpack_use_copy_mop(unsigned faces)
{
    struct mop_loops loops = mop_loops_of_two(faces, 1, UNPACR_WORD(UNPACKER0, 1, .ch0_z_inc = 1),
                                              UNPACR_ZEROS_WORD(UNPACKER1));
    mop_use_loops(&loops);
}

/* --- Past Src, straight to Dst: 32-bit formats --- */

/* Aims the context at rows of Dst, or back at SrcA. */
static inline void unpack_aim(unsigned context, bool at_dst, unsigned row)
{
    const uint32_t address = at_dst ? SRC_A_ROW0 + ROW_DATUMS * row : SRC_A_ROW0;
    if (context == 0) {
        config_change(THCON_SEC0_REG2_Unpack_if_sel_cntx0, at_dst);
        config_change(THCON_SEC0_REG5_Dest_cntx0_address, address);
    } else {
        config_change(THCON_SEC0_REG2_Unpack_if_sel_cntx1, at_dst);
        config_change(THCON_SEC0_REG5_Dest_cntx1_address, address);
    }
    thread_config(SRCA_SET_Base, at_dst ? 0 : SRCA_SET_BY_ADDRESS);
}

static inline void unpack_use_dst_mop(void)
{
    struct mop_loops loops =
        mop_loops(FACES, 1, UNPACR_WORD(UNPACKER0, 0, .ch0_z_inc = 1, .ch1_z_inc = 1));
    mop_use_loops(&loops);
}

/* Unpacks a tile to the place that T1 names by its mailbox, and tells of it by DST_FILLED. */
static inline unsigned unpack_to_dst(unsigned context, uint32_t address)
{
    PUSH(SETADCZW, .cnt_set_mask = ADC_UNPACKER0 | ADC_UNPACKER1, .bit_mask = ALL_COUNTERS);
    unpack_begin(context, address, address);
    const unsigned row = HART_MAILBOX(T1_MAILBOX);
    unpack_aim(context, true, row);
    PUSH(SEMWAIT, .block_mask = BLOCK_UNPACK, .semaphore_mask = 1 << DST_FILLED,
         .condition_mask = WHILE_MAX);
    mop_run();
    PUSH(STALLWAIT, .block_mask = BLOCK_SYNC | BLOCK_CONFIG, .condition_mask = WAIT_UNPACKER0);
    semaphore_post(DST_FILLED);
    unpack_aim(context, false, 0);
    return unpack_end(context);
}

#endif
