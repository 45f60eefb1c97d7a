/*
 * What the packer writes beside data, and from where else it reads: exponent sections, compressed
 * tiles (decoded as WormholeB0 Packers/Compression draws them), tile sizes, headers and the
 * metadata FIFO (TDMA-RISC, SETDMAREG_Special), register writes (assembly.yaml of tt_llk_blackhole
 * for PACR_SETREG), L1 as the source (InputAddressGenerator, FormatConversion).
 */
#include <check.h>
#include <stdlib.h>

#include "unit/tensix/pack_world.h"
#include "unit/random.h"
#include "unit/run_suite.h"

enum { COLUMNS = 16, LINE = 16, FIRST_LINE = 0x1000 };

/* --- Exponent sections --- */

static const uint8_t blocks[] = {D_BFP8, D_BFP4, D_BFP2, D_BFP8A, D_BFP4A, D_BFP2A};

/* A tile of powers of two, one exponent a row: exponents in their section, in the order of rows. */
START_TEST(exponent_section)
{
    unsigned out = blocks[_i], bits = (out & 3) == 2 ? 8 : out == D_BFP4 || out == D_BFP4A ? 4 : 2;
    bool is_a = out == D_BFP8A || out == D_BFP4A || out == D_BFP2A;
    struct tensix_harness h;
    d_open_packer(&h, is_a ? D_FP16 : D_BF16, is_a ? D_FP16 : D_BF16, out, FIRST_LINE);
    D_CONFIG(&h.tensix, THCON_SEC0_REG1_Exp_section_size, 4);
    D_THREAD(&h.tensix, ADDR_MOD_PACK_SEC0_YsrcIncr, 4);
    for (unsigned row = 0; row < 64; row++) {
        unsigned exponent = is_a ? 1 + row % 30 : 60 + row;
        uint16_t stored = is_a ? d_store_fp16(exponent << 10) : d_store_bf16(exponent << 7);
        for (unsigned column = 0; column < COLUMNS; column++) {
            tensix_dst_write16(&h.tensix.dst, d_no_map, row, column,
                               (uint16_t)(stored | (column & 1) << 15));
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 15, .last = i == 15});
    }
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    const uint8_t *exponents = h.l1 + FIRST_LINE * LINE, *data = exponents + 4 * LINE;
    unsigned one = 1U << (bits - 2), minus_one = one | 1U << (bits - 1);
    for (unsigned row = 0; row < 64; row++) {
        ck_assert_uint_eq(exponents[row], is_a ? 1 + row % 30 : 60 + row);
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned bit = (row * COLUMNS + column) * bits;
            ck_assert_uint_eq(data[bit / 8] >> bit % 8 & ((1U << bits) - 1),
                              column & 1 ? minus_one : one);
        }
    }
    ck_assert_uint_eq(data[64 * COLUMNS * bits / 8], 0);
    tensix_harness_close(&h);
}
END_TEST

/* A block is 16 data of the stream, whatever rows and instructions they come from. */
START_TEST(blocks_across_instructions)
{
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BFP8, FIRST_LINE);
    struct tensix *t = &h.tensix;
    D_CONFIG(t, THCON_SEC0_REG1_Exp_section_size, 1);
    D_THREAD(t, ADDR_MOD_PACK_SEC0_YsrcIncr, 1);
    for (unsigned row = 0; row < 4; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            tensix_dst_write16(&t->dst, d_no_map, row, column, d_store_bf16((120 + row) << 7));
        }
    }
    t->thread[0].adc[TENSIX_ADC_PACKER].channel[1].x = 7; /* eight columns */
    for (unsigned i = 0; i < 4; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 1, .concat = i < 3, .last = i == 3});
    }
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    const uint8_t *exponents = h.l1 + FIRST_LINE * LINE, *data = exponents + LINE;
    ck_assert_uint_eq(exponents[0], 121);
    ck_assert_uint_eq(exponents[1], 123);
    ck_assert_uint_eq(exponents[2], 0);
    for (unsigned i = 0; i < 32; i++) {
        ck_assert_uint_eq(data[i], i / 8 % 2 ? 0x40 : 0x20);
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- Sizes and metadata --- */

static uint32_t special(struct tensix_harness *h, unsigned thread, unsigned source, unsigned half,
                        unsigned packers)
{
    uint32_t word = UINT32_C(0x45) << 24 | 1U << 22 | packers << 15 | source << 11 | half << 8 |
                    1U << 7 | 8 << 1; /* 32 bits to GPR 8 */
    tensix_harness_push(h, thread, word);
    return h->tensix.gpr[thread][8];
}

/* SPEC: TDMA-RISC (AccTileSize), SETDMAREG_Special: in lines of 16 bytes. */
START_TEST(sizes)
{
    bool adds_header = _i & 1, has_fifo = _i >> 1 & 1;
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BF16, FIRST_LINE);
    struct tensix *t = &h.tensix;
    D_CONFIG(t, THCON_SEC0_REG1_Add_tile_header_size, adds_header);
    D_CONFIG(t, THCON_SEC0_REG1_Enable_out_fifo, has_fifo);
    unsigned acc = 0;
    for (unsigned tile = 1; tile <= 4; tile++) {
        for (unsigned i = 0; i < tile; i++) {
            d_pack(&h, (struct d_pacr){.interfaces = 15, .last = i == tile - 1});
        }
        acc += 8 * tile + adds_header;
        ck_assert_uint_eq(special(&h, 0, 0, 0, 0), acc << 16 | 8 * tile);
        ck_assert_uint_eq(tensix_packer_tile_size(t, 0), 8 * tile);
        ck_assert_uint_eq(tensix_packer_tile_size(t, 1), 0);
        ck_assert_uint_eq(special(&h, 1, 0, 0, 0), 0);
    }
    /* The header: size with the header's own line, format, no compression. */
    ck_assert_uint_eq(special(&h, 0, 2, 0, 0), 8 * 4 + 1);
    ck_assert_uint_eq(special(&h, 0, 2, 2, 0), (uint32_t)D_BF16 << 16 | 1U << 20);
    for (unsigned tile = 1; tile <= 4; tile++) {
        struct tensix_pack_metadata metadata;
        ck_assert_int_eq(tensix_packer_take_metadata(t, &metadata), has_fifo);
        if (has_fifo) {
            ck_assert_uint_eq(metadata.tile_size, 8 * tile);
        }
    }
    (void)special(&h, 0, 8, 0, 14); /* clears other packers, which Blackhole has not */
    ck_assert_uint_eq(special(&h, 0, 0, 0, 0), acc << 16 | 32);
    (void)special(&h, 0, 8, 0, 1);
    ck_assert_uint_eq(special(&h, 0, 0, 0, 0) >> 16, 0);
    tensix_harness_close(&h);
}
END_TEST

/* assembly.yaml: a register's 32 bits come from two instructions, its address from TDMA-RISC. */
START_TEST(register_writes)
{
    unsigned select = (unsigned)_i & 1, middle = 0x11 + (unsigned)_i;
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BF16, FIRST_LINE);
    tensix_packer_set_registers(&h.tensix, 0x155 | 0x0aaU << 10 | 1U << 20 | 1U << 22);
    uint32_t word = UINT32_C(0x4a) << 24;
    tensix_harness_push(&h, 0, word | 1U << 22 | 0xbeefU << 3);
    tensix_harness_push(&h, 0, word | 1U << 22 | 0x1234U << 3 | 1U << 2);
    tensix_harness_push(&h, 0, word | 1U << 23 | select << 8 | middle << 2 | 1U << 1);
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    uint32_t address = 0xffb00000 | 1U << 18 | middle << 12 | (select ? 0x0aaU : 0x155U) << 2;
    ck_assert_uint_eq(tensix_harness_register(&h, address), 0x1234beef);
    tensix_harness_close(&h);
}
END_TEST

/* --- Compression: what the page says about the format must decode to what was packed --- */

enum { ROWS = 16, GROUP = 32 };

struct compressed {
    const uint8_t *rows, *data;
    unsigned bytes; /* of a datum */
};

static uint32_t stored_datum(const struct compressed *c, unsigned index)
{
    unsigned group_bytes = GROUP * c->bytes + LINE;
    const uint8_t *datum = c->data + index / GROUP * group_bytes + index % GROUP * c->bytes;
    uint32_t value = 0;
    for (unsigned i = 0; i < c->bytes; i++) {
        value |= (uint32_t)datum[i] << 8 * i;
    }
    return value;
}

/* `stored` is the number of data of the tile: the last group may be short, but is padded. */
static unsigned counter(const struct compressed *c, unsigned index)
{
    unsigned group_bytes = GROUP * c->bytes + LINE;
    const uint8_t *counters = c->data + index / GROUP * group_bytes + GROUP * c->bytes;
    return counters[index % GROUP / 2] >> (index & 1 ? 4 : 0) & 15;
}

static unsigned row_start(const struct compressed *c, unsigned row)
{
    return c->rows[2 * row] | (unsigned)c->rows[2 * row + 1] << 8;
}

/* Decodes row `row` and compares it. */
static void check_row(const struct compressed *c, unsigned row, const uint32_t *expected,
                      unsigned count)
{
    unsigned at = 0, first = row_start(c, row), end = row_start(c, row + 1);
    ck_assert_uint_lt(first, end);
    for (unsigned i = first; i < end; i++) {
        ck_assert_uint_lt(at, count);
        uint32_t datum = stored_datum(c, i);
        D_EXPECT(datum == expected[at], "row %u datum %u: %x, should be %x", row, at, datum,
                 expected[at]);
        if (datum == 0 && i != first && i != end - 1) { /* then no counter could take it */
            ck_assert_uint_eq(counter(c, i - 1), 15);
        }
        unsigned zeros = counter(c, i);
        for (at++; zeros; zeros--, at++) {
            D_EXPECT(at < count && expected[at] == 0, "row %u datum %u is no zero", row, at);
        }
    }
    ck_assert_uint_eq(at, count);
}

static uint32_t plain_datum(const struct tensix *t, bool is_32bit, unsigned index)
{
    unsigned row = index / COLUMNS, column = index % COLUMNS;
    enum tensix_dst_undefined zero = TENSIX_DST_READS_ZERO;
    return is_32bit ? d_load_fp32(tensix_dst_read32(&t->dst, d_no_map, row, column, zero))
                    : d_load_bf16(tensix_dst_read16(&t->dst, d_no_map, row, column, zero));
}

static void pack_compressed(uint64_t seed, unsigned bytes, unsigned density, unsigned concat)
{
    struct tensix_harness h;
    bool is_32bit = bytes == 4;
    unsigned code = is_32bit ? D_FP32 : D_BF16;
    d_open_packer(&h, code, code, code, FIRST_LINE);
    struct tensix *t = &h.tensix;
    uint64_t random = seed;
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_32b_data, is_32bit);
    D_CONFIG(t, PCK_DEST_RD_CTRL_Read_int8, 1);
    D_CONFIG(t, THCON_SEC0_REG1_Disable_zero_compress, 0);
    D_CONFIG(t, THCON_SEC0_REG1_Row_start_section_size, 5);
    D_THREAD(t, ADDR_MOD_PACK_SEC0_YsrcIncr, 4);
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            bool zero = random_scaled(&random, 16) >= density;
            t->dst.bits[row][column] = zero ? 0 : (uint16_t)(random_next(&random) | 0x0101);
        }
    }
    unsigned row_data = 64 * concat; /* of a compression row */
    for (unsigned i = 0; i < ROWS * concat; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 15,
                                   .concat = i % concat != concat - 1,
                                   .last = i == ROWS * concat - 1});
    }
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    struct compressed c = {
        .rows = h.l1 + FIRST_LINE * LINE,
        .bytes = bytes,
    };
    c.data = c.rows + 5 * LINE;
    ck_assert_uint_eq(row_start(&c, 0), 0);
    uint32_t flags = 0;
    for (unsigned row = 0; row < ROWS; row++) {
        uint32_t expected[64 * 4];
        bool is_zero = true;
        for (unsigned i = 0; i < row_data; i++) {
            expected[i] = plain_datum(t, is_32bit, row * row_data + i);
            is_zero = is_zero && expected[i] == 0;
        }
        flags |= (uint32_t)is_zero << row;
        check_row(&c, row, expected, row_data);
    }
    ck_assert_uint_eq(special(&h, 0, 1, 0, 0), flags);
    ck_assert_uint_eq(special(&h, 0, 8, 0, 0), flags & 1);
    tensix_harness_close(&h);
}

START_TEST(compression)
{
    static const uint8_t densities[] = {0, 1, 3, 8, 15, 16};
    pack_compressed((uint64_t)_i + 1, _i % 2 ? 4 : 2, densities[_i / 2 % 6], _i % 5 == 0 ? 2 : 1);
}
END_TEST

/* Row start indices, exponents, data: in this order. A block is 16 of the data that are stored. */
START_TEST(blocks_compressed)
{
    struct tensix_harness h;
    d_open_packer(&h, D_BF16, D_BF16, D_BFP8, FIRST_LINE);
    struct tensix *t = &h.tensix;
    D_CONFIG(t, THCON_SEC0_REG1_Disable_zero_compress, 0);
    D_CONFIG(t, THCON_SEC0_REG1_Row_start_section_size, 1);
    D_CONFIG(t, THCON_SEC0_REG1_Exp_section_size, 2);
    D_THREAD(t, ADDR_MOD_PACK_SEC0_YsrcIncr, 1);
    for (unsigned row = 0; row < 4; row++) { /* 2 ^ row at both ends of a row of zeros */
        tensix_dst_write16(&t->dst, d_no_map, row, 0, d_store_bf16((127 + row) << 7));
        tensix_dst_write16(&t->dst, d_no_map, row, 15, d_store_bf16((127 + row) << 7));
    }
    for (unsigned i = 0; i < 4; i++) {
        d_pack(&h, (struct d_pacr){.interfaces = 1, .last = i == 3});
    }
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    struct compressed c = {.rows = h.l1 + FIRST_LINE * LINE, .bytes = 1};
    c.data = c.rows + 3 * LINE;
    for (unsigned i = 0; i <= 4; i++) {
        ck_assert_uint_eq(row_start(&c, i), 2 * i);
    }
    ck_assert_uint_eq(c.rows[LINE], 130); /* eight stored data of four rows share an exponent */
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(stored_datum(&c, i), 0x40 >> (3 - i / 2));
    }
    /* The short group: its data are padded to 32. */
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(counter(&c, i), i & 1 ? 0 : 14);
    }
    tensix_harness_close(&h);
}
END_TEST

/* --- L1 as the source --- */

/* SPEC: InputAddressGenerator, FormatConversion (second table): L1 to L1. */
START_TEST(from_l1)
{
    static const uint8_t formats[] = {D_BF16, D_FP32, D_FP16, D_INT32, D_INT16, D_FP8, D_INT8};
    unsigned format = formats[_i], bytes = (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
    struct tensix_harness h;
    d_open_packer(&h, format, format, format, FIRST_LINE);
    struct tensix *t = &h.tensix;
    D_CONFIG(t, THCON_SEC0_REG1_Source_interface_selection, 1);
    D_CONFIG(t, THCON_SEC0_REG1_L1_source_addr, 2); /* 0x80000 */
    D_CONFIG(t, PCK0_ADDR_BASE_REG_0_Base, 0x340);
    uint64_t random = (uint64_t)_i;
    for (unsigned i = 0; i < 64; i++) {
        h.l1[0x80340 + i] = (uint8_t)random_next(&random);
    }
    d_pack(&h, (struct d_pacr){.interfaces = 1, .last = 1});
    D_EXPECT(h.faults == 0, "%s", h.fault.text);
    ck_assert_mem_eq(h.l1 + FIRST_LINE * LINE, h.l1 + 0x80340, 16 * bytes);
    tensix_harness_close(&h);
}
END_TEST

int main(void)
{
    Suite *all = suite_create("streams of the packer");
    TCase *streams = tcase_create("streams");
    tcase_set_timeout(streams, 120);
    tcase_add_loop_test(streams, exponent_section, 0, (int)sizeof blocks);
    tcase_add_test(streams, blocks_across_instructions);
    tcase_add_loop_test(streams, sizes, 0, 4);
    tcase_add_loop_test(streams, register_writes, 0, 8);
    tcase_add_loop_test(streams, compression, 0, 24);
    tcase_add_test(streams, blocks_compressed);
    tcase_add_loop_test(streams, from_l1, 0, 7);
    suite_add_tcase(all, streams);
    return run_suite(all);
}
