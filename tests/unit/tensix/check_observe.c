/* What the coprocessor tells observers: instructions, waits, and the bytes of L1 that units
 * touch. */
#include <check.h>
#include <string.h>

#include "num/tensix_format.h"
#include "tensix/config/regs.h"
#include "tensix/exec.h"
#include "tensix/table.h"
#include "unit/test.h"
#include "unit/tensix/tensix_harness.h"

enum { TILE = 0x4000, OUTPUT = 0x8000, MOST = 1024, DATUMS = 256, BYTES = 2 * DATUMS };

static struct tensix_harness harness;
static struct tensix *const tensix = &harness.tensix;
static struct observed seen[MOST];
static struct observed_work works[MOST]; /* of each event that has one */
static unsigned threads[MOST], count;
static uint32_t written; /* bytes of L1, as the board is told without observers */

static void note_write(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)owner;
    (void)address;
    (void)cycle;
    written += size;
}

static void note(void *owner, struct observed *event)
{
    (void)owner;
    ck_assert_uint_lt(count, MOST);
    threads[count] = tensix->executing;
    works[count] = event->work ? *event->work : (struct observed_work){.touches = 0};
    seen[count++] = *event;
}

static void set(enum tensix_field_id field, uint32_t value)
{
    tensix_set_config_field(tensix, 0, field, value);
}

/* SrcA from TILE, rows of Dst to OUTPUT, in Float16_b. */
static void configure(void)
{
    unsigned word = TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
    (void)tensix_config_write(tensix, word, NUM_FORMAT_FLOAT16_B | 1 << 4 | DATUMS << 16);
    (void)tensix_config_write(tensix, word + 1, 1 | 1 << 16);
    (void)tensix_config_write(tensix, word + 2, 1);
    set(TENSIX_FIELD_THCON_SEC0_REG2_Out_data_format, NUM_FORMAT_FLOAT16_B);
    set(TENSIX_FIELD_THCON_SEC0_REG3_Base_address, TILE / 16 - 1);
    set(TENSIX_FIELD_THCON_SEC0_REG5_Tile_x_dim_cntx0, DATUMS);
    set(TENSIX_FIELD_THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1);
    set(TENSIX_FIELD_ALU_FORMAT_SPEC_REG2_Dstacc, NUM_FORMAT_FLOAT16_B);
    set(TENSIX_FIELD_THCON_SEC0_REG1_In_data_format, NUM_FORMAT_FLOAT16_B);
    set(TENSIX_FIELD_THCON_SEC0_REG1_Out_data_format, NUM_FORMAT_FLOAT16_B);
    set(TENSIX_FIELD_THCON_SEC0_REG1_Disable_zero_compress, 1);
    set(TENSIX_FIELD_THCON_SEC0_REG1_L1_Dest_addr, OUTPUT / 16 - 1);
    set(TENSIX_FIELD_THCON_SEC0_REG9_Pack_0_2_limit_address, 0x1ffff);
    set(TENSIX_FIELD_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    set(TENSIX_FIELD_PCK_EDGE_OFFSET_SEC0_mask, 0xffff);
    set(TENSIX_FIELD_PCK0_ADDR_CTRL_XY_REG_0_Ystride, 32);
    for (unsigned unit = 0; unit < TENSIX_ADCS; unit++) {
        tensix->thread[0].adc[unit].channel[1].x = unit == TENSIX_ADC_PACKER ? 15 : DATUMS - 1;
    }
}

static void setup(void)
{
    tensix_harness_open(&harness);
    harness.board.observe = note;
    harness.board.l1_written = note_write;
    written = 0;
    tensix->shortcuts = false; /* as in a tile at which somebody looks */
    tensix->observed =
        ((1u << OBSERVED_KINDS) - 1) & ~(1u << OBSERVED_UNIT | 1u << OBSERVED_STALLS);
    count = 0;
    configure();
}

static void teardown(void)
{
    ck_assert_msg(harness.faults == 0, "%s", harness.fault.text);
    tensix_harness_close(&harness);
}

/* The bytes of accesses of one kind by one unit, which lie in one piece from `first` on. */
static uint32_t bytes_of(enum observed_kind kind, enum observed_agent agent, uint32_t first)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (seen[i].kind == kind && seen[i].agent == agent) {
            ck_assert_uint_eq(seen[i].address, first + bytes);
            bytes += seen[i].size;
        }
    }
    return bytes;
}

static void expect_last(enum observed_kind kind, unsigned thread)
{
    ck_assert_uint_gt(count, 0);
    ck_assert_int_eq(seen[count - 1].kind, kind);
    ck_assert_uint_eq(threads[count - 1], thread);
}

FIXTURE(setup, teardown);

TEST(unpackers_read)
{
    tensix_harness_run(&harness, 0, "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1");
    ck_assert_uint_eq(bytes_of(OBSERVED_READ, OBSERVED_UNPACKER, TILE), BYTES);
    expect_last(OBSERVED_TENSIX, 0);
}

TEST(packers_write)
{
    tensix_harness_push(&harness, 0, UINT32_C(0x41000001)); /* PACR, the last one */
    ck_assert_uint_eq(bytes_of(OBSERVED_WRITTEN, OBSERVED_PACKER, OUTPUT), written);
    ck_assert_uint_eq(written, 128); /* four rows */
    expect_last(OBSERVED_TENSIX, 0);
}

TEST(the_mover_reads_and_writes)
{
    set(TENSIX_FIELD_THCON_SEC0_REG6_Destination_address, OUTPUT / 16);
    set(TENSIX_FIELD_THCON_SEC0_REG6_Source_address, TILE / 16);
    set(TENSIX_FIELD_THCON_SEC0_REG6_Buffer_size, 3);
    set(TENSIX_FIELD_THCON_SEC0_REG6_Transfer_direction, TENSIX_MOVE_L1_TO_L1);
    tensix_harness_run(&harness, 0, "XMOV 0, 0");
    ck_assert_uint_eq(bytes_of(OBSERVED_READ, OBSERVED_MOVER, TILE), 48);
    ck_assert_uint_eq(bytes_of(OBSERVED_WRITTEN, OBSERVED_MOVER, OUTPUT), 48);
}

TEST(waits_begin_and_end)
{
    tensix_harness_run(&harness, 0, "ATGETM 2");
    expect_last(OBSERVED_TENSIX, 0);
    tensix_harness_run(&harness, 1, "ATGETM 2");
    expect_last(OBSERVED_WAITS, 1);
    unsigned before = count;
    tensix_harness_run(&harness, 0, "ATRELM 2");
    ck_assert_uint_eq(count, before + 3);
    ck_assert_int_eq(seen[before].kind, OBSERVED_TENSIX);
    ck_assert_int_eq(seen[before + 1].kind, OBSERVED_GOES_ON);
    expect_last(OBSERVED_TENSIX, 1);
}

/* --- What units do --- */

static const struct observed_work *expect_work(unsigned thread, enum tensix_row row)
{
    expect_last(OBSERVED_UNIT, thread);
    ck_assert_uint_eq(works[count - 1].row, row);
    return &works[count - 1];
}

/* Thread 1 waits for what thread 0 changes then. */
TEST_EACH(work_knows_its_releaser, 6)
{
    static const struct {
        const char *before, *waiter, *releaser;
        enum tensix_row row;
        enum tensix_wait wait;
    } rows[] = {
        {"ATGETM 2", "ATGETM 2", "ATRELM 2", TENSIX_ROW_ATGETM, TENSIX_WAITS_FOR_MUTEX},
        {"SEMINIT 15, 0, 1", "SEMWAIT 2, 1, 1; SEMGET 1", "SEMPOST 1", TENSIX_ROW_SEMGET,
         TENSIX_WAITS_FOR_LATCH},
        {"SETDVALID 1; SETDVALID 1", "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1",
         "CLEARDVALID 1, 0", TENSIX_ROW_UNPACR, TENSIX_WAITS_FOR_SRC},
    };
    tensix->timing = _i / COUNT(rows) ? &tile_costs : NULL;
    tensix->observed = 1u << OBSERVED_UNIT;
    tensix_harness_run(&harness, 0, rows[_i % COUNT(rows)].before);
    tensix_harness_run(&harness, 1, rows[_i % COUNT(rows)].waiter);
    tensix_harness_run(&harness, 0, rows[_i % COUNT(rows)].releaser);
    const struct observed_work *work = expect_work(1, rows[_i % COUNT(rows)].row);
    ck_assert_uint_eq(work->waited_for, rows[_i % COUNT(rows)].wait);
    ck_assert(work->released_by.is_known);
    ck_assert_uint_eq(work->released_by.thread, 0);
    ck_assert_uint_eq(work->released_by.word,
                      tensix_harness_assemble(rows[_i % COUNT(rows)].releaser));
    ck_assert_uint_le(work->released_by.cycle, work->goes_on ? work->end : work->begin);
    tensix_harness_run(&harness, 1, "SEMINIT 15, 0, 1");
    work = expect_work(1, TENSIX_ROW_SEMINIT);
    ck_assert_uint_eq(work->waited_for, TENSIX_WAITS_FOR_NOTHING);
    ck_assert(!work->released_by.is_known);
}

TEST_EACH(work_is_under_way_as_long_as_its_row_says, 2)
{
    tensix->timing = _i ? &tile_costs : NULL;
    tensix->observed = 1u << OBSERVED_UNIT;
    const uint32_t word = tensix_harness_assemble("UNPACR_NOP 0, 0, 0, 0, 0, 0, 0, 0, 2");
    const unsigned row = tensix_row_of(word);
    tensix_harness_push(&harness, 0, word);
    const struct observed_work *work = expect_work(0, row);
    ck_assert_uint_eq(work->unit, TENSIX_UNIT_UNPACK);
    ck_assert_uint_eq(work->end - work->begin, _i ? tensix_row_infos[row].latency : 0);
}

/* A list that is full is told, and goes on. */
TEST(long_lists_are_told_in_parts)
{
    enum { LONG = 3 * TENSIX_TOUCHES / 2 };
    tensix->observed = 1u << OBSERVED_UNIT;
    tensix->executing = 0;
    tensix->thread[0].next = UINT32_C(0x41000001);
    for (unsigned i = 0; i < LONG; i++) { /* no two of them lie together */
        tensix_add_touch(tensix, TENSIX_READS, OBSERVED_STATE_L1, 2 * i, 1);
    }
    tensix_tell_work(tensix, 0, TENSIX_ROW_PACR, 0);
    ck_assert_uint_eq(count, 2);
    ck_assert(works[0].continues && !works[1].continues);
    ck_assert_uint_eq(works[0].touches + works[1].touches, LONG);
}

/* Where nobody wants it, no list is made. */
TEST(nobody_pays_for_lists)
{
    tensix->observed &= ~(1u << OBSERVED_UNIT);
    tensix_harness_push(&harness, 0, UINT32_C(0x41000001));
    ck_assert_uint_eq(tensix->touches.count, 0);
    expect_last(OBSERVED_TENSIX, 0);
}
