/*
 * Speed of the data path, in one run, as ratios: the Matrix Unit, the unpackers and the packer,
 * each by one TRISC that plays a replay buffer of its instructions from MOPs. The data are random
 * numbers of ordinary size; what is packed are sums of two.
 *
 * Figures:
 *   mvmul, elwmul, elwadd, elwsub   BF16 data, Dst of 16 bits; mvmul32 accumulates FP32
 *   unpack_FORMAT                   UNPACR of tiles of 1024 data to SrcA
 *   pack_FORMAT                     PACR of four rows, 16 of which are a tile
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "tensix/config/regs.h"

enum {
    TILES = 0x40000,  /* where tiles to unpack are in L1 */
    PACKED = 0x80000, /* where the packer writes */
    REPLAYED = 16,
    REPEATED = 14,
    MOPS = 8,
    FACE_ROWS = 16,
    TILE_DATUMS = 1024,
    DST_BLOCKS = 128, /* of 8 rows */
};

#define CONFIG_WINDOW UINT32_C(0xffef0000)

/* Formats as configured. */
enum { FLOAT32 = 0, TF32 = 4, FLOAT16_B = 5, BFP8_B = 6 };

enum instruction { MVMUL, ELWMUL, ELWADD, ELWSUB, UNPACR, PACR };

static const struct variant {
    enum instruction instruction;
    unsigned in, out; /* formats of the unpackers or the packer */
    bool fp32;        /* Dst has 32 bits */
} variants[] = {
    {MVMUL, FLOAT16_B, FLOAT16_B, false},  {MVMUL, FLOAT16_B, FLOAT16_B, true},
    {ELWMUL, FLOAT16_B, FLOAT16_B, false}, {ELWADD, FLOAT16_B, FLOAT16_B, false},
    {ELWSUB, FLOAT16_B, FLOAT16_B, false}, {UNPACR, FLOAT16_B, FLOAT16_B, false},
    {UNPACR, BFP8_B, BFP8_B, false},       {UNPACR, FLOAT32, TF32, false},
    {PACR, FLOAT16_B, FLOAT16_B, false},   {PACR, FLOAT16_B, BFP8_B, false},
    {PACR, FLOAT32, FLOAT32, true},
};

/* --- Configuration --- */

struct field {
    enum tensix_field_id id;
    uint32_t value;
};

static void set_fields(struct tensix *tensix, const struct field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tensix_set_config_field(tensix, 0, fields[i].id, fields[i].value);
    }
}

/* The first two words of a tile descriptor: 4 faces of 16 x 16. */
static uint32_t descriptor(unsigned format, unsigned word)
{
    const uint32_t uncompressed = 1 << 4;
    return word == 0 ? format | uncompressed | UINT32_C(256) << 16 : UINT32_C(4) << 16 | 1;
}

/* What the unpackers make of a tile: to fill Dst, the packer's variants take BF16. */
static struct variant unpacked(const struct variant *variant)
{
    struct variant result = *variant;
    if (variant->instruction == PACR) {
        result.in = result.out = FLOAT16_B;
    }
    return result;
}

static void configure_unpackers(struct tensix *tensix, const struct variant *variant)
{
    const uint32_t base = TILES / 16 - 1; /* in lines of 16 bytes, without the tile header */
    const struct field fields[] = {
        {TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format, variant->out},
        {TENSIX_FIELD_THCON_SEC1_REG2_Out_data_format, variant->out},
        {TENSIX_FIELD_THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1},
        {TENSIX_FIELD_THCON_SEC1_REG2_Disable_zero_compress_cntx0, 1},
        {TENSIX_FIELD_THCON_SEC0_REG3_Base_address, base},
        {TENSIX_FIELD_THCON_SEC1_REG3_Base_address, base},
        {TENSIX_FIELD_THCON_SEC0_REG5_Dest_cntx0_address, 4 * 16}, /* SrcA starts at row 4 */
        {TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0, 256},
    };
    set_fields(tensix, fields, sizeof fields / sizeof fields[0]);
    for (unsigned word = 0; word < 2; word++) {
        uint32_t value = descriptor(variant->in, word);
        tensix->config[0][TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor + word] = value;
        tensix->config[0][TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor + word] = value;
    }
}

static void configure_matrix(struct tensix *tensix, const struct variant *variant)
{
    const struct field fields[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG0_SrcA, variant->out},
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB, variant->out},
        {TENSIX_FIELD_ALU_ACC_CTRL_Fp32_enabled, variant->fp32},
    };
    set_fields(tensix, fields, sizeof fields / sizeof fields[0]);
}

static void configure_packer(struct tensix *tensix, const struct variant *variant)
{
    unsigned bytes = variant->fp32 ? 4 : 2;
    const struct field fields[] = {
        {TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, variant->in},
        {TENSIX_FIELD_THCON_SEC0_REG1_In_data_format, variant->in},
        {TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress, 1},
        {TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, variant->out},
        {TENSIX_FIELD_THCON_SEC0_REG1_Exp_section_size, variant->out == BFP8_B ? 4 : 0},
        {TENSIX_FIELD_THCON_SEC0_REG1_L1_Dest_addr, PACKED / 16 - 1},
        {TENSIX_FIELD_PCK_DEST_RD_CTRL_Read_32b_data, variant->fp32},
        {TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS},
        {TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Xstride, bytes},
        {TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * bytes},
        {TENSIX_FIELD_PCK_EDGE_OFFSET_SEC0_mask, 0xffff},
    };
    set_fields(tensix, fields, sizeof fields / sizeof fields[0]);
}

/* Stores what is not zero through the harts' window. */
static void emit_config(struct guest_code *code, const struct variant *variant)
{
    struct tensix filled, *tensix = &filled;
    memset(tensix, 0, sizeof *tensix);
    const struct variant source = unpacked(variant);
    configure_unpackers(tensix, &source);
    configure_matrix(tensix, &source);
    if (variant->instruction == PACR) {
        configure_packer(tensix, variant);
    }
    for (uint32_t word = 0; word < TENSIX_STATE_WORDS; word++) {
        if (tensix->config[0][word]) {
            guest_store(code, CONFIG_WINDOW + 4 * word, tensix->config[0][word]);
        }
    }
}

static void emit_thread_field(struct guest_code *code, enum tensix_field_id id, unsigned value)
{
    guest_emit(code, ".ttinsn SETC16 %u, %u", tensix_fields[id].word,
               value << tensix_fields[id].shift);
}

/* Rows by which a Matrix instruction steps; one field a word, the others stay 0. */
static void emit_address_modifiers(struct guest_code *code, enum instruction instruction)
{
    unsigned src_a = instruction == MVMUL ? 0 : 8;
    unsigned both = src_a << tensix_fields[TENSIX_FIELD_ADDR_MOD_AB_SEC0_SrcAIncr].shift |
                    8u << tensix_fields[TENSIX_FIELD_ADDR_MOD_AB_SEC0_SrcBIncr].shift;
    guest_emit(code, ".ttinsn SETC16 %u, %u", TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr, both);
    emit_thread_field(code, TENSIX_FIELD_ADDR_MOD_DST_SEC0_DestIncr, 8);
    emit_thread_field(code, TENSIX_FIELD_ADDR_MOD_PACK_SEC0_YsrcIncr, 4);
}

/* --- Programs --- */

/* What the replay buffer plays. */
static const char *instruction_text(enum instruction instruction, unsigned i)
{
    switch (instruction) {
    case MVMUL:
        return "MVMUL 0, 0, 0, 0";
    case ELWMUL:
        return "ELWMUL 0, 0, 0, 0, 0";
    case ELWADD:
        return "ELWADD 0, 0, 0, 0, 0";
    case ELWSUB:
        return "ELWSUB 0, 0, 0, 0, 0";
    case UNPACR: /* the bank stays with the unpackers */
        return "UNPACR 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1";
    case PACR:
        break;
    }
    return i + 1 < REPLAYED ? "PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
                            : "PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1";
}

static void set_up(struct guest_code *code, unsigned index)
{
    const struct variant *variant = &variants[index];
    char play[40];
    emit_config(code, variant);
    guest_emit(code, "fence 15, 15");
    emit_thread_field(code, TENSIX_FIELD_SRCA_SET_SetOvrdWithAddr, 1);
    emit_address_modifiers(code, variant->instruction);
    guest_emit(code, ".ttinsn SETADCXX 3, %d, 0", TILE_DATUMS - 1);
    guest_emit(code, ".ttinsn SETADCXX 4, 15, 0");
    if (variant->instruction != UNPACR) { /* a tile in each of SrcA and SrcB, which stay valid */
        guest_emit(code, ".ttinsn UNPACR 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
        guest_emit(code, ".ttinsn UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1");
    }
    for (unsigned i = 0; variant->instruction == PACR && i < DST_BLOCKS; i++) {
        guest_emit(code, ".ttinsn ELWADD 0, 0, 0, 0, 0");
    }
    snprintf(play, sizeof play, "REPLAY 0, %d, 0, 0", REPLAYED);
    guest_mop(code, REPEATED, play, "ADDDMAREG 0, 0, 1, 0"); /* GPR 0 += GPR 1 */
    guest_emit(code, ".ttinsn REPLAY 0, %d, 0, 1", REPLAYED);
    for (unsigned i = 0; i < REPLAYED; i++) {
        guest_emit(code, ".ttinsn %s", instruction_text(variant->instruction, i));
    }
    guest_emit(code, "fence 15, 15");
}

static void push_mops(struct guest_code *code, unsigned index)
{
    if (variants[index].instruction != PACR) {
        guest_emit(code, ".ttinsn ZEROACC 3, 0, 0, 0, 0"); /* sums start from 0 */
    }
    for (unsigned i = 0; i < MOPS; i++) {
        guest_emit(code, ".ttinsn MOP 1, 0, 0");
    }
}

static uint32_t mops_of(unsigned index, uint32_t loops)
{
    (void)index;
    return MOPS * loops;
}

/* --- Data --- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* A BF16 pattern between 1/8 and 8 in magnitude. */
static uint16_t ordinary(uint32_t *state)
{
    uint32_t bits = next_random(state);
    return (uint16_t)((bits & 0x807f) | (124 + (bits >> 16) % 6) << 7);
}

/* One tile, in L1 as the unpackers take it: for BFP8 64 exponents, then signs and magnitudes. */
static void prepare(struct bench_device *device, unsigned x, unsigned y, unsigned index)
{
    uint32_t state = 2026;
    const struct variant source = unpacked(&variants[index]);
    if (source.in == BFP8_B) {
        uint8_t tile[64 + TILE_DATUMS];
        for (unsigned i = 0; i < sizeof tile; i++) {
            tile[i] = (uint8_t)(i < 64 ? 124 + next_random(&state) % 6 : next_random(&state));
        }
        bench_write(device, x, y, TILES, tile, sizeof tile);
        return;
    }
    uint16_t tile[2 * TILE_DATUMS] = {0};
    unsigned words = source.in == FLOAT32 ? 2 : 1;
    for (unsigned i = 0; i < TILE_DATUMS; i++) {
        tile[words * i + words - 1] = ordinary(&state);
    }
    bench_write(device, x, y, TILES, tile, words * TILE_DATUMS * sizeof *tile);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *title;
    } rows[] = {
        {"mvmul", "MVMUL, BF16"},
        {"mvmul32", "MVMUL, BF16, FP32 in Dst"},
        {"elwmul", "ELWMUL, BF16"},
        {"elwadd", "ELWADD, BF16"},
        {"elwsub", "ELWSUB, BF16"},
        {"unpack_bf16", "UNPACR of a BF16 tile"},
        {"unpack_bfp8", "UNPACR of a BFP8 tile"},
        {"unpack_fp32", "UNPACR of an FP32 tile to TF32"},
        {"pack_bf16", "PACR to BF16, four rows"},
        {"pack_bfp8", "PACR to BFP8, four rows"},
        {"pack_fp32", "PACR to FP32, four rows"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    _Static_assert(ROWS == sizeof variants / sizeof variants[0], "a variant for each row");
    struct guest_workload workloads[ROWS];
    for (unsigned i = 0; i < ROWS; i++) {
        workloads[i] = (struct guest_workload){
            .name = rows[i].name,
            .title = rows[i].title,
            .threads = 1,
            .loop_instructions = MOPS * REPEATED * REPLAYED,
            .unit = "M instr/s",
            .set_up = set_up,
            .turn = push_mops,
            .variant = i,
            .last_gpr = mops_of,
            .prepare = prepare,
        };
    }
    return guest_main(argc, argv, "Measures the speed of the Tensix data path.", workloads, ROWS);
}
