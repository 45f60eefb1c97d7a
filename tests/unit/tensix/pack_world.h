/*
 * What tests of the Matrix Unit and the packer share: a coprocessor with both configured, a
 * random source, words of PACR, and stored patterns as BlackholeA0 Dst and WormholeB0 SrcASrcB draw
 * them. Written from the pages, without the product's number formats.
 */
#ifndef PACK_WORLD_H
#define PACK_WORLD_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "num/kernels.h"
#include "unit/random.h"
#include "tensix/dst.h"
#include "tensix/regs.h"
#include "unit/tensix/tensix_harness.h"

/* Codes of the pages' table of formats. */
enum reader_d_format {
    D_FP32 = 0,
    D_FP16 = 1,
    D_BFP8A = 2,
    D_BFP4A = 3,
    D_TF32 = 4,
    D_BF16 = 5,
    D_BFP8 = 6,
    D_BFP4 = 7,
    D_INT32 = 8,
    D_INT16 = 9,
    D_FP8 = 10,
    D_BFP2A = 11,
    D_INT8 = 14,
    D_BFP2 = 15,
};

/* For loops over data: ck_assert_msg tells Check about every success, which takes far longer. */
#define D_EXPECT(condition, ...)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

static const struct tensix_dst_map d_no_map = {false, false, false};

/* The fastest set of kernels, or that of single data. */
static inline void d_use_kernels(struct tensix *tensix, bool reference)
{
    tensix->kernels = num_kernels_find(reference ? "reference" : NULL);
}

#define D_CONFIG(tensix, name, value)                                                              \
    tensix_set_config_field((tensix), 0, TENSIX_FIELD_##name, (uint32_t)(value))
#define D_THREAD(tensix, name, value)                                                              \
    tensix_set_thread_field((tensix), 0, TENSIX_FIELD_##name, (uint32_t)(value))

/* Operands of PACR. */
struct d_pacr {
    uint8_t row_pad_zero, strided, addr_mod, adc, zero_write, interfaces, override, concat;
    uint8_t flush, last;
};

static inline uint32_t d_pacr_word(struct d_pacr p)
{
    return UINT32_C(0x41) << 24 | (uint32_t)p.row_pad_zero << 18 | (uint32_t)p.strided << 17 |
           (uint32_t)p.addr_mod << 15 | (uint32_t)p.adc << 13 | (uint32_t)p.zero_write << 12 |
           (uint32_t)p.interfaces << 8 | (uint32_t)p.override << 7 | (uint32_t)p.concat << 4 |
           (uint32_t)p.flush << 1 | p.last;
}

static inline void d_pack(struct tensix_harness *harness, struct d_pacr p)
{
    tensix_harness_push(harness, 0, d_pacr_word(p));
}

/* Ordinary pattern (sign, exponent, mantissa) to what Dst stores and back. */
static inline uint16_t d_store_bf16(uint32_t x)
{
    return (uint16_t)((x & 0x8000) | (x & 0x7f) << 8 | (x >> 7 & 0xff));
}

static inline uint16_t d_load_bf16(uint32_t stored)
{
    return (uint16_t)((stored & 0x8000) | (stored & 0xff) << 7 | (stored >> 8 & 0x7f));
}

static inline uint16_t d_store_fp16(uint32_t x)
{
    return (uint16_t)((x & 0x8000) | (x & 0x3ff) << 5 | (x >> 10 & 0x1f));
}

static inline uint16_t d_load_fp16(uint32_t stored)
{
    return (uint16_t)((stored & 0x8000) | (stored & 0x1f) << 10 | (stored >> 5 & 0x3ff));
}

static inline uint32_t d_store_fp32(uint32_t x)
{
    return (uint32_t)d_store_bf16(x >> 16) << 16 | (x & 0xffff);
}

static inline uint32_t d_load_fp32(uint32_t stored)
{
    return (uint32_t)d_load_bf16(stored >> 16) << 16 | (stored & 0xffff);
}

/* L1 as the packer fills it: little-endian. */
static inline uint32_t d_l1(const struct tensix_harness *harness, uint32_t address, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint32_t)harness->l1[address + i] << 8 * i;
    }
    return value;
}

/*
 * A packer that copies: edge masks let everything pass, nothing is compressed, rows of 16 data of
 * `in` go to `line` (16 bytes each), from row 0 on, which Y advances in rows, Z in 16 and W in 64.
 */
static inline void d_open_packer(struct tensix_harness *harness, unsigned dstacc, unsigned in,
                                 unsigned out, uint32_t line)
{
    tensix_harness_open(harness);
    struct tensix *t = &harness->tensix;
    unsigned bytes = (in & 3) == 0 ? 4 : (in & 3) == 1 ? 2 : 1;
    D_CONFIG(t, ALU_FORMAT_SPEC_REG2_Dstacc, dstacc);
    D_CONFIG(t, THCON_SEC0_REG1_In_data_format, in);
    D_CONFIG(t, THCON_SEC0_REG1_Out_data_format, out);
    D_CONFIG(t, THCON_SEC0_REG1_Disable_zero_compress, 1);
    D_CONFIG(t, THCON_SEC0_REG1_Sub_l1_tile_header_size, 1);
    D_CONFIG(t, THCON_SEC0_REG1_L1_Dest_addr, line);
    D_CONFIG(t, PCK0_ADDR_CTRL_XY_REG_0_Xstride, bytes);
    D_CONFIG(t, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * bytes);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 16 * 16 * bytes);
    D_CONFIG(t, PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 64 * 16 * bytes);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC1_mask, 0xffff);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC2_mask, 0xffff);
    D_CONFIG(t, PCK_EDGE_OFFSET_SEC3_mask, 0xffff);
    D_CONFIG(t, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    t->thread[0].adc[TENSIX_ADC_PACKER].channel[1].x = 15;
}

#endif
