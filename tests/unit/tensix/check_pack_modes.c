/*
 * The packer by hand: compressed tiles (decoded as the page describes them), what is undefined,
 * flushing, tile sizes and metadata, PACR_SETREG, sources other than Dst, stochastic rounding, soft
 * reset, and sequences of LLK.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "num/kernels.h"
#include "num/random.h"
#include "unit/guest_program.h"
#include "unit/test.h"
#include "tensix/config/regs.h"
#include "unit/tensix/tensix_fixture.h"

#define SET(field, value)                                                                          \
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_##field, (uint32_t)(value))

enum { OUT = 0x8000, WINDOW = 0x8000, PACK_THREAD = 2, PACR = 0x41 << 24 };
enum { LAST = 1, FLUSH = 2, CONCAT = 1 << 4, ZERO = 1 << 12, STRIDED = 1 << 17 };

static uint8_t before[TENSIX_HARNESS_L1], told[TENSIX_HARNESS_L1];
static unsigned tells;

static void on_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)owner;
    (void)cycle;
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_le(size, TENSIX_HARNESS_L1);
    ck_assert_uint_le(address, TENSIX_HARNESS_L1 - size);
    memset(told + address, 1, size);
    tells++;
}

static struct tensix_adc *adc(void)
{
    return &tensix->thread[PACK_THREAD].adc[TENSIX_ADC_PACKER];
}

/* A packer as LLK configures it, from a format code to itself. */
static void configure(unsigned in, unsigned out, bool is_32bit)
{
    unsigned bytes = in % 4 == 0 ? 4 : in % 4 == 1 ? 2 : 1;
    SET(ALU_FORMAT_SPEC_REG2_Dstacc, in);
    SET(THCON_SEC0_REG1_In_data_format, in);
    SET(THCON_SEC0_REG1_Out_data_format, out);
    SET(THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(THCON_SEC0_REG1_L1_Dest_addr, OUT / 16 - 1);
    SET(THCON_SEC0_REG1_Exp_section_size, 4);
    SET(PCK_DEST_RD_CTRL_Read_32b_data, is_32bit);
    SET(PCK_DEST_RD_CTRL_Read_int8, 0);
    SET(PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * bytes);
    SET(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, 256 * bytes);
    SET(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, 1024 * bytes);
    SET(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    for (unsigned i = 0; i < 4; i++) {
        tensix->config[0][TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask + i] = 0xffff;
    }
    adc()->channel[1].x = 15;
}

static void set_modifier(unsigned i, uint16_t word)
{
    tensix->thread_config[PACK_THREAD][TENSIX_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + i] = word;
}

static void pacr(uint32_t fields)
{
    tensix_harness_push(&harness, PACK_THREAD, PACR | fields);
}

static void fill_dst(void)
{
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < TENSIX_DST_COLUMNS; column++) {
            tensix->dst.bits[row][column] = (uint16_t)random_next(&dice);
        }
    }
}

static void set_up_packer(void)
{
    setup();
    harness.board.l1_written = on_l1_written;
    memset(told, 0, sizeof told);
    tells = 0;
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, false);
}

static bool is_filled(uint32_t from, uint32_t size, uint8_t value)
{
    for (uint32_t i = from; i < from + size; i++) {
        if (harness.l1[i] != value) {
            return false;
        }
    }
    return true;
}

/* --- Faults: the instruction, then everything is as it was --- */

static void expect_fault(uint32_t fields, enum penrose_fault_kind kind, const char *words)
{
    unsigned faults = harness.faults;
    struct tensix_packer packer = tensix->packer[0];
    struct tensix_adc counters = *adc();
    memcpy(before, harness.l1, TENSIX_HARNESS_L1);
    pacr(fields);
    packer.plan = tensix->packer[0].plan; /* derived on the way */
    ck_assert_uint_eq(harness.faults, faults + 1);
    ck_assert_msg(harness.fault.kind == kind, "kind %d: %s", harness.fault.kind,
                  harness.fault.text);
    ck_assert_uint_lt(strlen(harness.fault.text), 190);
    ck_assert_msg(strstr(harness.fault.text, words) != NULL, "%s: no \"%s\"", harness.fault.text,
                  words);
    ck_assert(!memcmp(before, harness.l1, TENSIX_HARNESS_L1));
    ck_assert(!memcmp(&counters, adc(), sizeof counters));
    ck_assert(!memcmp(&packer, &tensix->packer[0], sizeof packer));
}

FIXTURE(set_up_packer, teardown);

TEST(fields_that_nobody_explains)
{
    expect_fault(1 << 21, PENROSE_FAULT_UNIMPLEMENTED, "CfgContext 1");
    expect_fault(1 << 2, PENROSE_FAULT_UNIMPLEMENTED, "CtxtCtrl 1");
    expect_fault(3 << 2, PENROSE_FAULT_UNIMPLEMENTED, "CtxtCtrl 3");
    SET(THCON_SEC0_REG1_pack_start_intf_pos, 3);
    expect_fault(0, PENROSE_FAULT_UNIMPLEMENTED, "pack_start_intf_pos");
    SET(THCON_SEC0_REG1_pack_start_intf_pos, 0);
    SET(THCON_SEC0_REG1_pack_dis_y_pos_start_offset, 1);
    expect_fault(0, PENROSE_FAULT_UNIMPLEMENTED, "pack_dis_y_pos_start_offset");
    SET(THCON_SEC0_REG1_pack_dis_y_pos_start_offset, 0);
    SET(THCON_SEC0_REG1_Downsample_rate, 1);
    expect_fault(0, PENROSE_FAULT_UNIMPLEMENTED, "Downsample_rate");
    SET(THCON_SEC0_REG1_Downsample_rate, 0);
    SET(THCON_SEC0_REG1_Pack_L1_Acc, 1);
    SET(THCON_SEC0_REG1_Disable_zero_compress, 0);
    expect_fault(0, PENROSE_FAULT_UNIMPLEMENTED, "Disable_zero_compress");
    SET(THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(THCON_SEC0_REG1_Out_data_format, NUM_FORMAT_BFP8_B);
    expect_fault(0, PENROSE_FAULT_UNIMPLEMENTED, "Bfp8_b");
    pacr(2 << 2); /* resets contexts, and nothing else */
    ck_assert_uint_eq(harness.faults, 8);
}

TEST(what_is_undefined)
{
    const enum penrose_fault_kind kind = PENROSE_FAULT_TENSIX_UNDEFINED;
    SET(THCON_SEC0_REG1_Out_data_format, 13);
    expect_fault(0, kind, "Out_data_format is 13");
    SET(THCON_SEC0_REG1_Out_data_format, 5);
    SET(STACC_RELU_ReluThreshold, 0x8000);
    SET(STACC_RELU_ApplyRelu, 2);
    expect_fault(0, kind, "0x8000 is negative");
    SET(STACC_RELU_ApplyRelu, 1);
    pacr(0);
    ck_assert_uint_eq(harness.faults, 2);
    configure(NUM_FORMAT_UINT16, NUM_FORMAT_UINT16, false);
    SET(STACC_RELU_ReluThreshold, 1);
    SET(STACC_RELU_ApplyRelu, 3);
    expect_fault(0, kind, "Dst gives UInt16");
    SET(STACC_RELU_ApplyRelu, 0);
    SET(THCON_SEC0_REG1_In_data_format, NUM_FORMAT_FLOAT16);
    expect_fault(0, kind, "Float16, but ALU_FORMAT_SPEC_REG2_Dstacc UInt16");
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, false);
    SET(PCK0_ADDR_BASE_REG_0_Base, 1);
    expect_fault(0, kind, "input address 0x1 ");
    SET(PCK0_ADDR_BASE_REG_0_Base, 0);
    adc()->channel[1].x = 16;
    expect_fault(0, kind, "X from 0 to 16");
    adc()->channel[0].x = 5, adc()->channel[1].x = 3;
    expect_fault(0, kind, "X from 5 to 3");
    adc()->channel[0].x = 1, adc()->channel[1].x = 31;
    expect_fault(ZERO, kind, "ZeroWrite with ReadIntfSel 0");
    adc()->channel[0].x = 0, adc()->channel[1].x = 15;
    adc()->channel[0].y = 2;
    expect_fault(0x7 << 8, kind, "ReadIntfSel 0x7 from row 2");
    pacr(0x3 << 8 | LAST);
    ck_assert_uint_eq(harness.faults, 9);
}

/* Out of L1: data, exponents, row starts; nothing has happened, also where it began inside. */
TEST(output_must_lie_in_l1)
{
    const enum penrose_fault_kind kind = PENROSE_FAULT_TENSIX_UNDEFINED;
    const uint32_t end = TENSIX_HARNESS_L1 / 16;
    SET(THCON_SEC0_REG1_L1_Dest_addr, end - 1); /* a header further */
    expect_fault(0, kind, "output at 0x180000");
    SET(THCON_SEC0_REG1_L1_Dest_addr, end - 1 - 7);
    expect_fault(0, kind, "ends at 0x180000");
    SET(THCON_SEC0_REG1_L1_Dest_addr, end - 1 - 8);
    pacr(0);
    ck_assert_uint_eq(harness.faults, 2);
    expect_fault(LAST, kind, "L1_Dest_addr"); /* it would go on beyond the end */
    pacr(FLUSH);
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_BFP8_B, false);
    SET(THCON_SEC0_REG1_L1_Dest_addr, end - 1);
    SET(THCON_SEC0_REG1_Exp_section_size, 0x20000 - end + 0x100); /* data wrap to low addresses */
    expect_fault(LAST, kind, "output at 0x180000");
    expect_fault(0x7 << 8 | LAST, kind, "output at 0x180000");
    pacr(0); /* its exponents wait */
    ck_assert_uint_eq(harness.faults, 5);
    pacr(0), pacr(0);
    expect_fault(0, kind, "output at 0x180000");
    tensix->packer[0].output.exponents.open = false;
    SET(THCON_SEC0_REG1_L1_Dest_addr, OUT / 16);
    pacr(LAST);
    ck_assert_uint_eq(harness.faults, 6);
}

/* Dst, intermediate and L1 formats: a fault exactly where there is no conversion, with names. */
TEST_EACH(illegal_conversions, 1 << NUM_FORMAT_CODE_BITS)
{
    unsigned out = (unsigned)_i, legal = 0;
    if (!num_format_info(out)) {
        return;
    }
    for (unsigned bits = 0; bits < 1 << 8; bits++) {
        configure(bits & 15, out, bits >> 4 & 1);
        SET(PCK_DEST_RD_CTRL_Read_int8, bits >> 5 & 1);
        SET(PCK_DEST_RD_CTRL_Read_unsigned, bits >> 6 & 1);
        SET(PCK_DEST_RD_CTRL_Round_10b_mant, bits >> 7 & 1);
        struct num_pack_early early = {.format = bits & 15,
                                       .output = (uint8_t)out,
                                       .is_32bit = bits >> 4 & 1,
                                       .is_raw = bits >> 5 & 1,
                                       .is_unsigned = bits >> 6 & 1,
                                       .rounds_10bit = bits >> 7 & 1};
        unsigned to = num_format_of(out, early.is_unsigned, false);
        enum num_pack_kind kind = num_pack_early_kind(&early);
        bool is_legal = kind != NUM_PACK_NONE && num_pack_late_is_legal(kind, (enum num_format)to);
        unsigned faults = harness.faults;
        pacr(LAST);
        ck_assert_msg((harness.faults == faults) == is_legal, "0x%02x to %u", bits, out);
        legal += is_legal;
        const struct num_format_info *in = num_format_info(bits & 15);
        if (!is_legal && in) {
            ck_assert_uint_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
            ck_assert_ptr_nonnull(strstr(harness.fault.text, in->name));
        }
    }
    ck_assert_uint_gt(legal, 0);
}

/* In_data_format beside ALU_FORMAT_SPEC: only what LLK and the page use. */
TEST(formats_must_agree)
{
    unsigned agree = 0;
    for (unsigned in = 0; in < 16; in++) {
        for (unsigned dstacc = 0; dstacc < 16; dstacc++) {
            configure(in, NUM_FORMAT_FLOAT32, true);
            SET(ALU_FORMAT_SPEC_REG2_Dstacc, dstacc);
            SET(PCK_DEST_RD_CTRL_Round_10b_mant, 1);
            unsigned faults = harness.faults;
            pacr(LAST);
            bool is_tf32 = dstacc == 0 || dstacc == 4 || dstacc == 1;
            bool is_fine = (in == dstacc && (is_tf32 || in == 5 || in == 6)) ||
                           (is_tf32 && (in == 1 || in == 4));
            ck_assert_msg((harness.faults == faults) == is_fine, "%u for %u: %s", in, dstacc,
                          harness.fault.text);
            agree += is_fine;
        }
    }
    ck_assert_uint_eq(agree, 5 + 4);
}

/* --- Compressed tiles --- */

static const uint8_t compressible[] = {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16_B, NUM_FORMAT_BFP8_B,
                                       NUM_FORMAT_BFP4_B,  NUM_FORMAT_FLOAT16,   NUM_FORMAT_LF8};
enum { RSI_LINES = 8, TILE_DATUMS = 4096 };

/* A tile as it is in L1: datum i of the stored ones, right-aligned, and its counter. */
static uint32_t stored_datum(unsigned bits, uint32_t data, unsigned i)
{
    uint32_t group = data + i / 32 * (bits * 4 + 16), value = 0;
    if (bits == 4) {
        return harness.l1[group + i % 32 / 2] >> i % 2 * 4 & 15;
    }
    memcpy(&value, harness.l1 + group + i % 32 * (bits / 8), bits / 8);
    return value;
}

static unsigned stored_counter(unsigned bits, uint32_t data, unsigned i)
{
    uint32_t group = data + i / 32 * (bits * 4 + 16) + bits * 4;
    return harness.l1[group + i % 32 / 2] >> i % 2 * 4 & 15;
}

static unsigned row_start(unsigned i)
{
    return harness.l1[OUT + 2 * i] | (unsigned)harness.l1[OUT + 2 * i + 1] << 8;
}

struct tile {
    uint16_t datum[TILE_DATUMS]; /* BF16 patterns in order */
    unsigned count, rows, row_end[128];
    uint32_t zero_flags;
};

/* Rows of Dst with runs of zeros; exponents near each other, so that blocks keep them apart. */
static void sparse_dst(struct tile *tile, unsigned rows, unsigned zeros_in_8)
{
    for (unsigned i = 0; i < rows * 16; i++) {
        uint16_t pattern =
            (uint16_t)((random_next(&dice) & 0x807f) | (126 + random_below(&dice, 2)) << 7);
        tile->datum[i] = random_below(&dice, 8) < zeros_in_8 || i / 64 % 3 == 2 ? 0 : pattern;
        tensix->dst.bits[i / 16][i % 16] = num_dst_from_bf16(tile->datum[i]);
    }
    tile->count = rows * 16;
}

static void pack_sparse(struct tile *tile, unsigned rows)
{
    bool had_data = false;
    set_modifier(0, 4);
    set_modifier(1, 0x2020);
    for (unsigned row = 0; row < rows; row += 4) {
        bool is_last = row + 4 == rows, continues = !is_last && random_below(&dice, 3) == 0;
        pacr((is_last ? LAST | 1 << 15 : 0) | (continues ? CONCAT : 0));
        for (unsigned i = row * 16; i < row * 16 + 64; i++) {
            had_data |= tile->datum[i] != 0;
        }
        if (!continues) {
            tile->zero_flags |= !had_data && tile->rows < 32 ? UINT32_C(1) << tile->rows : 0;
            tile->row_end[tile->rows++] = row * 16 + 64;
            had_data = false;
        }
    }
}

/* Undoes the compression and compares with the data, as exactly as the format allows. */
static void check_compressed(const struct tile *tile, enum num_format format)
{
    const struct num_format_info *info = num_format_info(format);
    uint32_t exponents = OUT + RSI_LINES * 16;
    uint32_t data = exponents + (format & 2 ? 16 * 16 : 0);
    unsigned datum = 0;
    ck_assert_uint_eq(row_start(0), 0);
    for (unsigned row = 0; row < tile->rows; row++) {
        ck_assert_uint_lt(row_start(row), row_start(row + 1));
        for (unsigned i = row_start(row); i < row_start(row + 1); i++) {
            uint32_t stored = stored_datum(info->bits, data, i);
            if (datum >= tile->count) {
                ck_abort_msg("%s, row %u: too many data", info->name, row);
            }
            bool is_zero = info->is_block ? !(stored & ((1u << (info->bits - 1)) - 1)) : !stored;
            bool may_vanish = info->bits < 8; /* rounded to nothing in its block */
            bool is_same = format != NUM_FORMAT_FLOAT16_B || stored == tile->datum[datum];
            if ((is_zero != !tile->datum[datum] && !may_vanish) || !is_same) {
                ck_abort_msg("%s, row %u, datum %u: 0x%" PRIx32, info->name, row, datum, stored);
            }
            if (info->is_block && !is_zero) {
                uint16_t half =
                    num_block_to_half(format, (uint8_t)stored, harness.l1[exponents + i / 16]);
                if (half >> 15 != tile->datum[datum] >> 15) {
                    ck_abort_msg("%s, row %u, datum %u: sign", info->name, row, datum);
                }
            }
            datum++;
            for (unsigned j = stored_counter(info->bits, data, i); j > 0; j--, datum++) {
                ck_assert_uint_eq(tile->datum[datum], 0);
            }
        }
        ck_assert_uint_eq(datum, tile->row_end[row]);
    }
    ck_assert_uint_eq(datum, tile->count);
}

TEST_EACH(compressed_tiles, 2 * COUNT(compressible))
{
    enum num_format format = (enum num_format)compressible[_i % COUNT(compressible)];
    dice = (uint64_t)_i;
    for (unsigned n = 0; n < 20; n++) {
        struct tile tile = {.count = 0};
        memset(harness.l1 + OUT, 0xee, WINDOW);
        configure(NUM_FORMAT_FLOAT16_B, format, false);
        SET(THCON_SEC0_REG1_Disable_zero_compress, 0);
        SET(THCON_SEC0_REG1_Row_start_section_size, RSI_LINES);
        SET(THCON_SEC0_REG1_Exp_section_size, 16);
        SET(THCON_SEC0_REG1_Disable_pack_zero_flags, n % 4 == 3);
        unsigned rows = 4 * (1 + random_below(&dice, 40));
        sparse_dst(&tile, rows, n % 9);
        pack_sparse(&tile, rows);
        ck_assert_uint_eq(harness.faults, 0);
        check_compressed(&tile, format);
        ck_assert_uint_eq(tensix->packer[0].all_zero_flags, n % 4 == 3 ? 0 : tile.zero_flags);
    }
}

/* --- Lines, flushes, sizes --- */

/* Half a line waits, and is filled up with zeros by Last, Flush or PACR_SETREG. */
TEST_EACH(lines_are_written_when_full, 3)
{
    static const uint32_t enders[] = {PACR | 1 << 8 | ZERO | LAST, PACR | FLUSH,
                                      0x4a << 24 | FLUSH};
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_BFP4_B, false);
    fill_dst();
    memset(harness.l1 + OUT, 0xee, WINDOW);
    pacr(1 << 8); /* 8 bytes and an exponent */
    ck_assert_uint_eq(tells, 0);
    ck_assert(is_filled(OUT, WINDOW, 0xee));
    tensix_harness_push(&harness, PACK_THREAD, enders[_i]);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(tells, 2);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert(i < 1 || harness.l1[OUT + i] == 0);
        ck_assert(i < 8 || harness.l1[OUT + 64 + i] == 0);
        ck_assert_uint_eq(harness.l1[OUT + 16 + i], 0xee);
        ck_assert_uint_eq(harness.l1[OUT + 80 + i], 0xee);
    }
    ck_assert(tensix->packer[0].output.data.open == (_i == 2));
}

/* Everything that changes is told, and hardly anything else. */
TEST(writes_are_told)
{
    static const uint8_t outs[] = {0, 1, 5, 6, 7, 15};
    unsigned more = 0;
    for (unsigned n = 0; n < 200; n++) {
        configure(NUM_FORMAT_FLOAT16_B, outs[n % sizeof outs], false);
        fill_dst();
        SET(PCK_EDGE_OFFSET_SEC0_mask, n % 3 ? 0xffff : 0x7fff);
        memcpy(before, harness.l1, TENSIX_HARNESS_L1);
        memset(told, 0, sizeof told);
        pacr(random_below(&dice, 4) << 8);
        pacr(LAST);
        unsigned secret = 0;
        for (unsigned i = OUT; i < OUT + WINDOW; i++) {
            secret += before[i] != harness.l1[i] && !told[i];
            more += told[i];
        }
        ck_assert_uint_eq(secret, 0);
    }
    ck_assert_uint_le(more, 200 * (2 * 256 + 16));
    ck_assert_uint_eq(harness.faults, 0);
}

static uint32_t gpr_after(const char *text)
{
    tensix_harness_run(&harness, PACK_THREAD, text);
    return tensix->gpr[PACK_THREAD][4];
}

/* The Scalar Unit sees sizes and exponents; SETDMAREG 8 forgets what has accumulated. */
TEST(sizes_and_metadata)
{
    struct tensix_pack_metadata metadata;
    SET(THCON_SEC0_REG1_Enable_out_fifo, 1);
    SET(THCON_SEC0_REG1_Add_tile_header_size, 1);
    ck_assert(!tensix_packer_take_metadata(&tensix->packer[0], &metadata));
    for (unsigned i = 1; i <= TENSIX_PACK_METADATA + 2; i++) {
        for (unsigned j = 1; j < i; j++) {
            pacr(1 << 8);
        }
        pacr(1 << 8 | LAST);
        ck_assert_uint_eq(tensix_packer_tile_size(&tensix->packer[0], PACK_THREAD), 2 * i);
        ck_assert_uint_eq(tensix_packer_tile_size(&tensix->packer[0], 0), 0);
        ck_assert_uint_eq(tensix->packer[0].acc_tile_size[PACK_THREAD], i * (i + 1) + i);
    }
    for (unsigned i = 1; i <= TENSIX_PACK_METADATA; i++) { /* a full FIFO forgets */
        ck_assert(tensix_packer_take_metadata(&tensix->packer[0], &metadata));
        ck_assert_uint_eq(metadata.tile_size, 2 * i);
    }
    ck_assert(!tensix_packer_take_metadata(&tensix->packer[0], &metadata));
    unsigned acc = tensix->packer[0].acc_tile_size[PACK_THREAD];
    ck_assert_uint_eq(gpr_after("SETDMAREG 1, 0, 1, 8"), acc << 16 | 20);
    (void)gpr_after("SETDMAREG 1, 192, 1, 8");
    ck_assert_uint_eq(tensix->packer[0].acc_tile_size[PACK_THREAD], 0);
    tensix_packer_reset_size(&tensix->packer[0], 0x123);
    ck_assert_uint_eq(tensix->packer[0].l1_dest_addr_offset, 0x123);
}

TEST(histogram_saturates_and_is_reset)
{
    for (unsigned i = 0; i < 64; i++) {
        tensix->dst.bits[i / 16][i % 16] = num_dst_from_bf16((uint16_t)((i < 8 ? 200 : 100) << 7));
    }
    pacr(LAST);
    ck_assert_uint_eq(tensix->packer[0].max_exponent, 200);
    ck_assert_uint_eq(tensix->packer[0].histogram[200 & 31], 0);
    tensix_set_thread_field(tensix, 1, TENSIX_FIELD_ENABLE_ACC_STATS_Enable, 1);
    for (unsigned i = 0; i < 6; i++) {
        pacr(LAST);
    }
    ck_assert_uint_eq(tensix->packer[0].histogram[200 & 31], 48);
    ck_assert_uint_eq(tensix->packer[0].histogram[100 & 31], 255);
    ck_assert_uint_eq(gpr_after("SETDMAREG 1, 72, 1, 8"), 200);
    tensix_packer_soft_reset(tensix, TENSIX_RESET_DST, 0);
    ck_assert_uint_eq(tensix->packer[0].max_exponent, 0);
    ck_assert_uint_eq(tensix->packer[0].histogram[100 & 31], 0);
}

TEST(soft_reset_drops_what_waits)
{
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_BFP4_B, false);
    memset(harness.l1 + OUT, 0xee, WINDOW);
    pacr(1 << 8 | LAST);
    memset(harness.l1 + OUT, 0xee, WINDOW);
    pacr(1 << 8);
    tensix->packer[0].l1_dest_addr_offset = 7;
    tensix->packer[0].generator = 5;
    tensix_packer_soft_reset(tensix, TENSIX_RESET_PACKERS, 0);
    ck_assert_uint_eq(tensix->packer[0].last_tile_size, 0);
    ck_assert_uint_eq(tensix->packer[0].acc_tile_size[PACK_THREAD], 0);
    ck_assert_uint_eq(tensix->packer[0].l1_dest_addr_offset, 7);
    tensix_packer_soft_reset(tensix, 0, TENSIX_RESET_PACKERS | TENSIX_RESET_DST);
    ck_assert_uint_eq(tensix->packer[0].l1_dest_addr_offset, 0);
    ck_assert_uint_eq(tensix->packer[0].generator, 0);
    pacr(FLUSH);
    ck_assert(is_filled(OUT, WINDOW, 0xee));
}

/* The FIFO's limit counts 32 bytes and includes the last of them. */
TEST(fifo_wraps_after_its_limit)
{
    for (unsigned i = 0; i < 4; i++) {
        SET(THCON_SEC0_REG1_L1_Dest_addr, OUT / 16 - 1 + i);
        SET(THCON_SEC0_REG9_Pack_0_2_limit_address, OUT / 32);
        SET(THCON_SEC0_REG9_Pack_0_2_fifo_size, 0x10);
        memset(told, 0, sizeof told);
        pacr(1 << 8 | LAST);
        uint32_t address = OUT + 16 * i;
        address -= i > 1 ? 0x200 : 0;
        ck_assert(told[address] && !told[address - 1]);
    }
}

/* --- Configuration that changes --- */

TEST(plans_follow_the_configuration)
{
    tensix->dst.bits[0][0] = num_dst_from_bf16(0xc040);
    pacr(1 << 8 | LAST);
    ck_assert_uint_eq(tensix_harness_l1(&harness, OUT) & 0xffff, 0xc040);
    SET(STACC_RELU_ApplyRelu, 1);
    pacr(1 << 8 | LAST);
    ck_assert_uint_eq(tensix_harness_l1(&harness, OUT) & 0xffff, 0);
    memcpy(tensix->config[1], tensix->config[0], sizeof tensix->config[0]);
    tensix_set_config_field(tensix, 1, TENSIX_FIELD_STACC_RELU_ApplyRelu, 0);
    tensix_set_config_field(tensix, 1, TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, 0);
    for (unsigned i = 0; i < 4; i++) {
        tensix_set_thread_field(tensix, PACK_THREAD, TENSIX_FIELD_CFG_STATE_ID_StateID, i & 1);
        pacr(1 << 8 | LAST);
        ck_assert_uint_eq(tensix_harness_l1(&harness, OUT), i & 1 ? 0xc0400000 : 0);
    }
}

/* A format that changes within a tile must not hang or leave anything behind. */
TEST(formats_may_change_within_a_tile)
{
    static const uint8_t outs[] = {0, 1, 5, 6, 7, 10, 13, 15};
    fill_dst();
    for (unsigned n = 0; n < 3000; n++) {
        configure(NUM_FORMAT_FLOAT16_B, outs[random_below(&dice, COUNT(outs))], false);
        SET(THCON_SEC0_REG1_Disable_zero_compress, random_below(&dice, 3) != 0);
        SET(THCON_SEC0_REG1_Pack_L1_Acc, random_below(&dice, 4) == 0);
        SET(THCON_SEC0_REG1_Dis_shared_exp_assembler, random_below(&dice, 4) == 0);
        adc()->channel[1].x = random_below(&dice, 16);
        pacr(random_below(&dice, 16) << 8 | (random_below(&dice, 6) == 0 ? LAST : 0) |
             (random_below(&dice, 6) == 0 ? FLUSH : 0) | (random_below(&dice, 6) == 0 ? ZERO : 0) |
             (random_below(&dice, 3) == 0 ? CONCAT : 0));
    }
    pacr(FLUSH);
    ck_assert(!tensix->packer[0].output.data.open);
    ck_assert_uint_eq(tensix->packer[0].output.data.fill, 0);
}

/* --- Zeros and L1 as sources --- */

TEST(long_zero_writes)
{
    memset(harness.l1 + OUT, 0xee, WINDOW);
    adc()->channel[1].x = 1023;
    pacr(ZERO | LAST);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert(is_filled(OUT, 2048, 0) && is_filled(OUT + 2048, WINDOW - 2048, 0xee));
    adc()->channel[1].x = 0x3ffff; /* a million bytes of FP32 */
    SET(THCON_SEC0_REG1_Out_data_format, NUM_FORMAT_FLOAT32);
    SET(THCON_SEC0_REG1_L1_Dest_addr, 0x10000);
    expect_fault(ZERO | LAST, PENROSE_FAULT_TENSIX_UNDEFINED, "does not fit in L1");
    SET(THCON_SEC0_REG1_In_data_format, 13); /* of no account */
    adc()->channel[1].x = 15;
    pacr(ZERO | LAST);
    ck_assert_uint_eq(harness.faults, 1);
}

TEST_EACH(l1_as_the_source, 9)
{
    static const struct {
        uint8_t in, out;
        uint32_t datum, wanted;
    } rows[] = {
        {NUM_FORMAT_FLOAT32, NUM_FORMAT_FLOAT16_B, 0xbf812345, 0xbf81},
        {NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT32, 0xbf81, 0xbf810000},
        {NUM_FORMAT_FLOAT16, NUM_FORMAT_FLOAT16, 0xbc01, 0xbc01},
        {NUM_FORMAT_BFP8_B, NUM_FORMAT_FLOAT16_B, 0xc5, 0x8045},
        {NUM_FORMAT_BFP8, NUM_FORMAT_FLOAT16, 0xc5, 0x8228},
        {NUM_FORMAT_LF8, NUM_FORMAT_FLOAT16, 0xbd, 0xbd00},
        {NUM_FORMAT_INT32, NUM_FORMAT_INT32, 0x87654321, 0x87654321},
        {NUM_FORMAT_UINT16, NUM_FORMAT_UINT16, 0x8765, 0x8765},
        {NUM_FORMAT_INT8, NUM_FORMAT_INT8, 0x87, 0x87},
    };
    configure(rows[_i].in, rows[_i].out, false);
    SET(THCON_SEC0_REG1_Source_interface_selection, 1);
    SET(THCON_SEC0_REG1_L1_source_addr, 1);
    SET(THCON_SEC0_REG1_Exp_section_size, 0);
    unsigned from = 1u << (rows[_i].in % 4 == 0 ? 2 : rows[_i].in % 4 == 1);
    unsigned to = num_format_info(rows[_i].out)->bits / 8;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t datum = rows[_i].datum ^ i;
        memcpy(harness.l1 + 0x40000 + i * from, &datum, from);
    }
    pacr(3 << 8 | LAST);
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < 32 && (rows[_i].in == rows[_i].out || i < 1); i++) {
        uint32_t got = 0;
        memcpy(&got, harness.l1 + OUT + i * to, to);
        ck_assert_uint_eq(got, rows[_i].wanted ^ i);
    }
    ck_assert_uint_eq(tensix->packer[0].max_exponent, 0);
    SET(THCON_SEC0_REG1_L1_source_addr, 6);
    expect_fault(0, PENROSE_FAULT_TENSIX_UNDEFINED, "L1_source_addr");
    SET(THCON_SEC0_REG1_In_data_format, NUM_FORMAT_TF32);
    expect_fault(0, PENROSE_FAULT_TENSIX_UNDEFINED, "Tf32");
}

/* --- Stochastic rounding --- */

TEST(stochastic_rounding)
{
    unsigned up = 0;
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, true);
    SET(ALU_ROUNDING_MODE_Gasket_srnd_en, 1);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned c = 0; c < 16; c++) {
            tensix_dst_write32(&tensix->dst, (struct tensix_dst_map){false, false, false}, i, c,
                               num_dst_from_fp32(0x3f808000));
        }
    }
    uint32_t generator = tensix->packer[0].generator;
    for (unsigned n = 0; n < 64; n++) {
        pacr(LAST);
        for (unsigned i = 0; i < 64; i++) {
            uint16_t got;
            memcpy(&got, harness.l1 + OUT + 2 * i, sizeof got);
            ck_assert(got == 0x3f80 || got == 0x3f81);
            up += got & 1;
        }
    }
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_gt(up, 64 * 64 * 4 / 10);
    ck_assert_uint_lt(up, 64 * 64 * 6 / 10);
    for (unsigned i = 0; i < 64 * 64; i++) { /* one draw a datum */
        (void)num_random_next(&generator);
    }
    ck_assert_uint_eq(tensix->packer[0].generator, generator);
}

/* Who asks for it gets what a packer without stochastic rounding gives, and no number is drawn. */
TEST(nearest_instead_of_stochastic)
{
    uint8_t nearest[64 * 2];
    const uint32_t generator = tensix->packer[0].generator;
    for (unsigned stochastic = 0; stochastic < 2; stochastic++) {
        configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, true);
        tensix->rounds_to_nearest = true;
        SET(ALU_ROUNDING_MODE_Gasket_srnd_en, stochastic);
        for (unsigned i = 0; i < 64; i++) {
            tensix_dst_write32(&tensix->dst, (struct tensix_dst_map){false, false, false}, i / 16,
                               i % 16, num_dst_from_fp32(0x3f800000 + i * 0x2345));
        }
        pacr(LAST);
        ck_assert(!stochastic || memcmp(nearest, harness.l1 + OUT, sizeof nearest) == 0);
        memcpy(nearest, harness.l1 + OUT, sizeof nearest);
    }
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(tensix->packer[0].generator, generator);
}

/* --- PACR_SETREG --- */

enum { SETREG = 0x4a << 24, PUSH = 1 << 23, MODE = 1 << 22 };

static void setreg(uint32_t fields)
{
    tensix_harness_push(&harness, PACK_THREAD, (uint32_t)SETREG | fields);
}

/* Four sets of twelve bits, 0 and 1 in section 0 and 2 and 3 in section 1; TDMA-RISC's register is
 * Wormhole's place for two of them. */
TEST_EACH(registers_by_address, 9)
{
    static const struct {
        unsigned select;
        uint32_t set, fields, address; /* 0: nothing is written */
    } rows[] = {
        {0, 0x234, PUSH | FLUSH | 0x15 << 2, 0xffb158d0},
        {0, 0x634, PUSH | FLUSH | 0x15 << 2, 0xffb558d0},
        {1, 0x4a5, PUSH | FLUSH | 0x3f << 2, 0xffb7f294},
        {2, 0x234, PUSH | FLUSH | 0x15 << 2, 0xffb158d0},
        {3, 0x7ff, PUSH | FLUSH | 0x3f << 2, 0xffb7fffc},
        {1, 0x8a5, PUSH | FLUSH | 0x3f << 2, 0},
        {3, 0xca5, PUSH | FLUSH | 0x3f << 2, 0},
        {0, 0x234, FLUSH | 0x15 << 2, 0},
        {0, 0x234, PUSH | 0x15 << 2, 0},
    };
    unsigned shift = 12 * (rows[_i].select & 1);
    uint32_t others = 0x555000 >> shift; /* what the other set of the section has */
    SET(THCON_SEC0_REG10_Packer_Reg_Wr_Addr,
        rows[_i].select < 2 ? rows[_i].set << shift | others : 0x555555);
    SET(THCON_SEC1_REG10_Packer_Reg_Wr_Addr,
        rows[_i].select < 2 ? 0x555555 : rows[_i].set << shift | others);
    setreg(MODE | 0x1234 << 3);
    setreg(rows[_i].fields | rows[_i].select << 8);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(harness.regs, rows[_i].address != 0);
    if (rows[_i].address) {
        ck_assert_uint_eq(tensix_harness_register(&harness, rows[_i].address), 0x1234);
    }
}

TEST(registers_that_cannot_be_written)
{
    SET(THCON_SEC0_REG10_Packer_Reg_Wr_Addr, 0x234);
    setreg(PUSH | FLUSH | 0x10 << 2); /* 0xffb108d0 */
    ck_assert_uint_eq(harness.faults, 1);
    ck_assert_uint_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
    harness.registers_busy = true;
    setreg(PUSH | FLUSH | 0x20 << 2);
    ck_assert_uint_eq(tensix->thread[PACK_THREAD].wait, TENSIX_WAITS_FOR_DEVICE);
    ck_assert_uint_eq(harness.regs, 0);
    harness.registers_busy = false;
    tensix_harness_go(&harness, 0);
    ck_assert_uint_eq(harness.regs, 1);
    ck_assert_uint_eq(harness.faults, 1);
}

/* --- As LLK does it --- */

/* llk_pack.h: four faces of 16 rows, four rows a PACR; a tile of BF16 is Dst's rows in order. */
TEST(llk_packs_a_tile)
{
    fill_dst();
    SET(PCK_DEST_RD_CTRL_Read_int8, 1); /* as it is */
    set_modifier(0, 4 | 4 << 6);
    set_modifier(1, 1 << 5 | 1 << 11 | 1 << 13);
    set_modifier(2, 1 << 5 | 4 << 6 | 1 << 12);
    for (unsigned face = 0; face < 4; face++) {
        for (unsigned i = 0; i < 4; i++) {
            bool ends_face = i == 3, ends_tile = ends_face && face == 3;
            pacr(ends_tile ? 1 << 15 | LAST : ends_face ? 2 << 15 : 0);
        }
    }
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < 1024; i++) {
        uint16_t got;
        memcpy(&got, harness.l1 + OUT + 2 * i, sizeof got);
        ck_assert_uint_eq(got, num_bf16_from_dst(tensix->dst.bits[i / 16][i % 16]));
    }
    ck_assert_uint_eq(tensix->packer[0].last_tile_size, 128);
    ck_assert_uint_eq(tensix->packer[0].position, 0);
    ck_assert_uint_eq(tensix->packer[0].face, 4);
}

/* Rows that step over the plane's number leave the position elsewhere; writing the number again, as
 * LLK does for each kernel, starts it anew between tiles, and other bytes of the word do not. */
TEST(writing_the_plane_starts_the_position_anew)
{
    configure(NUM_FORMAT_FLOAT16_B, NUM_FORMAT_FLOAT16_B, false);
    SET(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 1);
    pacr(0);
    pacr(LAST);
    ck_assert_uint_eq(harness.faults, 0);
    ck_assert_uint_eq(tensix->packer[0].position, 8);
    tensix_harness_run(&harness, PACK_THREAD, "RMWCIB0 255, 5, 28; RMWCIB2 255, 1, 28");
    ck_assert_uint_eq(tensix->packer[0].position, 8);
    tensix_harness_run(&harness, PACK_THREAD, "RMWCIB1 255, 1, 28");
    ck_assert_uint_eq(tensix->packer[0].position, 0);
    pacr(0);
    tensix_harness_run(&harness, PACK_THREAD, "RMWCIB1 255, 1, 28");
    ck_assert_uint_eq(tensix->packer[0].position, 4);
}

/* The mask of LLK's reduction to a row, in each edge mode: of faces 0 and 1 the first row passes,
 * by the sets of TILE_FACE_SET_MAPPING_0; of faces 2 and 3 none does. */
TEST_EACH(face_sets_by_hand, 2)
{
    fill_dst();
    SET(PCK_EDGE_MODE_mode, _i);
    SET(PCK_EDGE_TILE_FACE_SET_SELECT_enable, 1);
    SET(PCK_EDGE_TILE_FACE_SET_SELECT_select, 0);
    SET(PCK_EDGE_OFFSET_SEC0_mask, 0);
    SET(TILE_FACE_SET_MAPPING_0_face_set_mapping_0, 1);
    SET(TILE_FACE_SET_MAPPING_0_face_set_mapping_1, 1);
    SET(TILE_ROW_SET_MAPPING_1_row_set_mapping_0, 1);
    set_modifier(0, 4 | 4 << 6);
    set_modifier(2, 1 << 5 | 4 << 6 | 1 << 12);
    for (unsigned face = 0; face < 4; face++) {
        for (unsigned i = 0; i < 4; i++) {
            pacr((i == 3 ? 2 << 15 : 0) | (i == 3 && face == 3 ? LAST : 0));
        }
    }
    ck_assert_uint_eq(harness.faults, 0);
    for (unsigned i = 0; i < 1024; i++) {
        uint16_t got, outside = _i ? 0xff80 : 0;
        bool passes = i < 16 || (i >= 256 && i < 272);
        memcpy(&got, harness.l1 + OUT + 2 * i, sizeof got);
        ck_assert_uint_eq(got,
                          passes ? num_bf16_from_dst(tensix->dst.bits[i / 16][i % 16]) : outside);
    }
}

/* --- By programs of harts --- */

FIXTURE(guest_open, guest_close);

/* --- PACR: edge masks --- */

enum { BF16 = 5, PACKED_ROWS = 16, FIRST_DATUM = 0x4000, MINUS_INFINITY = 0xff80 };

/*
 * Page Packers/EdgeMasking; page PACR: each of the four rows of a PACR is a row of the tile, of which
 * four bits of a counter tell the number; it starts anew, with the next plane, only where it becomes
 * pack_reads_per_xy_plane, and steps over that else. (ttsim: ends of tiles start it anew as well.)
 * cfg_defines has the words.
 */
static const struct {
    uint32_t face_select;  /* word 19: select, enable in bit 8 */
    uint32_t mode_select;  /* word 24 from bit 16 on: -infinity, row set in bits 17 and 18 */
    uint32_t masks[4];     /* words 24 to 27 */
    uint32_t row_sets[4];  /* words 20 to 23, two bits a row */
    uint32_t face_sets[4]; /* words 36 to 39, two bits a face */
    unsigned reads, z_offset;
    bool transposed;
    bool all_last; /* each PACR ends a tile */
} edges[] = {
    /* llk_pack_common.h, reduction of rows: the first column of each row */
    {0, 1 << 1, {0, 1}, {0, 0x55555555}, {0}, 16, 0, false, false},
    /* reduction of columns: the first row */
    {0, 1 << 1, {0, 0xffff}, {0, 1}, {0}, 16, 0, false, false},
    /* all four masks, by row */
    {0, 0, {0xffff, 0x00ff, 0x8001, 0}, {0xe4e4e4e4}, {0}, 16, 0, false, false},
    {0, 3 << 1, {0xffff, 0x00ff, 0x8001, 0x5555}, {0, 0, 0, 0x1b1b1b1b}, {0}, 8, 0, false, false},
    /* -infinity in place of 0 */
    {0, 1, {0xffff, 0x00ff, 0x8001, 0}, {0xe4e4e4e4}, {0}, 16, 0, false, false},
    /* by face: four planes of four rows */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4},
     4,
     0,
     false,
     false},
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0x1b},
     8,
     0,
     false,
     false},
    /* the row set that word 24 selects does not count then; another mapping of faces does */
    {1 << 8 | 2,
     1 << 1,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0, 0, 0x6c, 0},
     4,
     0,
     false,
     false},
    /* faces are counted from ZOffset on */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4 << 6},
     4,
     3,
     false,
     false},
    {1 << 8,
     1,
     {0x7ffe, 0xf00f, 0, 0xffff},
     {0xffffffff, 0xe4e4e4e4, 0x55555555, 0},
     {0x39},
     4,
     0,
     false,
     false},
    /* faces go first where y and z are exchanged */
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0xe4},
     4,
     0,
     true,
     false},
    /* over ends of tiles, and over a plane of six rows, the position counts on */
    {0, 0, {0xffff, 0x00ff, 0x8001, 0x5555}, {0xffaa5500}, {0}, 16, 0, false, true},
    {0, 0, {0xffff, 0x00ff, 0x8001, 0x5555}, {0xffaa5500}, {0}, 6, 0, false, false},
    {1 << 8,
     0,
     {0xffff, 0x00ff, 0x8001, 0},
     {0, 0x55555555, 0xaaaaaaaa, 0xe4e4e4e4},
     {0x1b},
     4,
     0,
     false,
     true},
};

TEST_EACH(edges_are_masked, COUNT(edges))
{
    guest_begin(PENROSE_TRISC2);
    say_store(GUEST_CONFIG(3), 3 << 26); /* T2 sees Dst as BF16 */
    say_fill(GUEST_DST, FIRST_DATUM, PACKED_ROWS * PENROSE_DST_COLUMNS, 2);
    say_store(GUEST_CONFIG(1), (uint32_t)BF16 << 25);
    say_store(GUEST_CONFIG(12), UINT32_C(32) << 16 | 2);
    say_store(GUEST_CONFIG(19), edges[_i].face_select);
    for (unsigned i = 0; i < 4; i++) {
        say_store(GUEST_CONFIG(20 + i), edges[_i].row_sets[i]);
        say_store(GUEST_CONFIG(24 + i), edges[_i].masks[i] | (i ? 0 : edges[_i].mode_select << 16));
        say_store(GUEST_CONFIG(36 + i), edges[_i].face_sets[i]);
    }
    say_store(GUEST_CONFIG(28), edges[_i].reads << 8 | (uint32_t)edges[_i].transposed << 23);
    say_store(GUEST_CONFIG(69), GUEST_OUTPUT / 16 - 1);
    say_store(GUEST_CONFIG(70), 1 | BF16 << 4 | BF16 << 8);
    say_store(GUEST_CONFIG(180), edges[_i].z_offset << 12);
    say_store(GUEST_CONFIG(14), UINT32_C(4 * 32) << 16);
    say_setc16(37, 4 | 1 << 6); /* each PACR four rows further in Dst, each tile in L1 */
    say_tensix("SETADCXX 4, 15, 0");
    say_tensix("SETADCXY 4, 0, 0, 0, 0, 0xb");
    say_tensix("SETADCZW 4, 0, 0, 0, 0, 0xf");
    say_settle();
    for (unsigned i = 0; i < PACKED_ROWS; i += 4) {
        say(".ttinsn PACR 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, %u",
            edges[_i].all_last || i == PACKED_ROWS - 4);
    }
    guest_finish(PENROSE_TRISC2);
    guest_expect_done();
    for (unsigned i = 0, position = 0, high = 0; i < PACKED_ROWS; i++) {
        if (i % 4 == 0 && position == edges[_i].reads) {
            position = 0;
            high++;
        }
        const unsigned low = position++;
        const unsigned y = edges[_i].transposed ? high : low;
        const unsigned z = (edges[_i].transposed ? low : high) + edges[_i].z_offset;
        const unsigned row_set =
            edges[_i].face_select & 1 << 8
                ? edges[_i].face_sets[edges[_i].face_select & 3] >> (2 * (z & 15)) & 3
                : edges[_i].mode_select >> 1 & 3;
        const uint32_t mask = edges[_i].masks[edges[_i].row_sets[row_set] >> (2 * (y & 15)) & 3];
        uint16_t row[PENROSE_DST_COLUMNS];
        ck_assert_int_eq(penrose_read(guest_chip, GUEST_X, GUEST_Y, GUEST_OUTPUT + i * sizeof row,
                                      row, sizeof row, &guest_error),
                         PENROSE_OK);
        for (unsigned j = 0; j < PENROSE_DST_COLUMNS; j++) {
            const unsigned inside = FIRST_DATUM + i * PENROSE_DST_COLUMNS + j;
            const unsigned outside = edges[_i].mode_select & 1 ? MINUS_INFINITY : 0;
            ck_assert_msg(row[j] == (mask >> j & 1 ? inside : outside), "row %u, column %u: 0x%x",
                          i, j, row[j]);
        }
    }
}
