/* The status CSRs of the harts: types of instructions that are queued or execute. */
#include <check.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/table.h"
#include "unit/tensix/tensix_fixture.h"

/* Bits of the page's table. */
enum {
    REPLAY = 1 << 0,
    MOP = 1 << 1,
    SCALAR = 1 << 2,
    MOVER = 1 << 3,
    UNPACKER = 1 << 4,
    PACKER = 1 << 5,
    CONFIG = 1 << 6,
    SYNC = 1 << 7,
    TDMA = 1 << 8,
    VECTOR = 1 << 9,
    MATRIX = 1 << 10,
    MASK = (1 << 11) - 1,
};
enum { QUEUED, BUSY, OTHERS = 3 };

static void push_as(unsigned thread, uint8_t pusher, const char *text)
{
    const struct tensix_origin origin = {.pusher = pusher};
    uint32_t word = tensix_harness_assemble(text);
    ck_assert(tensix_push(tensix, thread, origin, &word, 1, 0));
}

static void push(unsigned thread, const char *text)
{
    push_as(thread, (uint8_t)(TENSIX_BY_T0 + thread), text);
}

static void run_until(uint64_t end)
{
    (void)tensix_run(tensix, end);
}

/* Both CSRs as the hart of `thread` sees them: `own` types, and `all` those of the three threads.
 */
static void assert_status(unsigned thread, unsigned index, unsigned own, unsigned all)
{
    uint32_t status = tensix_status(tensix, thread, index);
    if (index == QUEUED) { /* all lanes are enabled */
        ck_assert_uint_eq(status, own | 1U << 11 | all << 13 | 1U << 24);
    } else {
        ck_assert_uint_eq(status, own | all << 11);
    }
}

/* An instruction of `thread` alone. */
static void assert_types(unsigned thread, unsigned types)
{
    for (unsigned hart = 0; hart <= OTHERS; hart++) {
        bool sees = hart == thread || hart == OTHERS;
        assert_status(hart, QUEUED, sees ? types : 0, types);
        assert_status(hart, BUSY, sees ? types : 0, types);
    }
}

static const struct type_row {
    const char *instruction;
    unsigned types;
} type_rows[] = {
    {"MOP 0, 0, 0", MOP},
    {"MOP_CFG 1", 0},
    {"REPLAY 0, 4, 0, 0", REPLAY},
    {"REPLAY 0, 4, 1, 0", REPLAY},
    {"REPLAY 0, 4, 1, 1", REPLAY},
    {"REPLAY 0, 4, 0, 1", 0}, /* loads without executing */
    {"NOP", TDMA},
    {"SETADC 1, 0, 0, 4", TDMA},
    {"SETDVALID 1", TDMA},
    {"RSTDMA", TDMA},
    {"ADDDMAREG 0, 1, 2, 3", SCALAR | TDMA},
    {"REG2FLOP 1, 2, 0, 0, 4, 2", SCALAR | TDMA},
    {"STOREREG 3, 4", SCALAR | TDMA},
    {"DMANOP", SCALAR | TDMA},
    {"XMOV 0, 0", MOVER | TDMA},
    {"UNPACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", UNPACKER | TDMA},
    {"UNPACR_NOP 1, 0, 0, 0, 0, 0, 0, 0, 2", UNPACKER | TDMA},
    {"PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", PACKER | TDMA},
    {"PACR_SETREG 0, 0, 0, 0, 0, 0, 0, 1", PACKER | TDMA},
    {"SETC16 1, 2", CONFIG},
    {"CFGSHIFTMASK 1, 3, 31, 0, 3, 76", CONFIG},
    {"SEMPOST 1", SYNC},
    {"STREAMWAIT 1, 1, 1, 1", SYNC},
    {"SFPNOP", VECTOR},
    {"SFPLOAD 1, 1, 1, 1", VECTOR},
    {"MVMUL 0, 0, 0, 0", MATRIX},
    {"INCRWC 0, 1, 1, 1", MATRIX},
    {"ZEROACC 0, 0, 0, 0, 0", MATRIX},
};

FIXTURE(setup, teardown);

TEST_EACH(queued_instructions_have_types, COUNT(type_rows))
{
    push(1, type_rows[_i].instruction);
    assert_types(1, type_rows[_i].types);
}

TEST(what_is_no_instruction_has_none)
{
    push(0, ".word 0xff000000");
    push(0, ".word 0xa4000001"); /* SEMPOST with a reserved bit */
    assert_types(0, 0);
}

TEST(threads_are_or_reduced)
{
    push(0, "SEMPOST 1");
    push(0, "WRCFG 1, 0, 4");
    push(2, "SFPNOP");
    for (unsigned index = QUEUED; index <= BUSY; index++) {
        assert_status(0, index, SYNC | CONFIG, SYNC | CONFIG | VECTOR);
        assert_status(1, index, 0, SYNC | CONFIG | VECTOR);
        assert_status(2, index, VECTOR, SYNC | CONFIG | VECTOR);
        assert_status(OTHERS, index, SYNC | CONFIG | VECTOR, SYNC | CONFIG | VECTOR);
    }
    tensix_harness_go(&harness, 0);
    assert_types(0, 0);
}

/* TENSIX_CSR_CONFIG_RawBusyStatus: what is queued does not count as busy. */
TEST(raw_busy_status_leaves_queues_out)
{
    push(0, "SEMPOST 1");
    push(1, "SFPNOP");
    tensix->thread_config[0][67] = 1;
    assert_status(0, QUEUED, SYNC, SYNC | VECTOR);
    assert_status(0, BUSY, 0, VECTOR);
    assert_status(1, BUSY, VECTOR, VECTOR);
    tensix->thread_config[1][67] = 1;
    assert_status(1, BUSY, 0, 0);
    assert_status(OTHERS, BUSY, 0, 0);
}

TEST(there_are_two_of_them)
{
    push(0, "MOP 0, 0, 0");
    ck_assert_uint_eq(tensix_status(tensix, 0, 2), 0);
    ck_assert_uint_eq(tensix_status(tensix, OTHERS, 9), 0);
}

/* SPEC: sfpu_cc, twice. */
TEST(enabled_lanes_show)
{
    const uint32_t cc = 1U << 11 | 1U << 24;
    struct tensix_vector *vector = &tensix->vector;
    vector->uses_flags = UINT32_MAX;
    for (unsigned lane = 0; lane < 32; lane++) {
        vector->flags = 1U << lane;
        ck_assert_uint_eq(tensix_status(tensix, 0, QUEUED), cc);
    }
    vector->flags = 0;
    ck_assert_uint_eq(tensix_status(tensix, OTHERS, QUEUED), 0);
    ck_assert_uint_eq(tensix_status(tensix, 1, BUSY), 0);
    vector->uses_flags = 0x7fffffff;
    ck_assert_uint_eq(tensix_status(tensix, OTHERS, QUEUED), cc);
    vector->lane_config[7] = TENSIX_LANE_ROW_MASK;
    tensix_vector_derive(vector);
    ck_assert_uint_eq(tensix_status(tensix, OTHERS, QUEUED), 0);
}

TEST(pushes_of_others_do_not_count)
{
    push_as(0, TENSIX_BY_B, "SEMPOST 1");
    push_as(0, TENSIX_BY_DEBUG_BUS, "SFPNOP");
    assert_types(0, 0);
}

/* Lets the thread's gate hold what comes after this. */
static void close_gate(unsigned thread)
{
    push(thread, "SEMINIT 1, 0, 1");
    push(thread, "SEMWAIT 0x1ff, 1, 1");
}

TEST(instruction_at_the_gate_counts)
{
    close_gate(0);
    push(0, "WRCFG 1, 0, 4");
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[0].has_next);
    ck_assert_uint_eq(tensix->thread[0].front.count, 0);
    assert_types(0, CONFIG);
    close_gate(1);
    tensix_harness_go(&harness, 0);
    push_as(1, TENSIX_BY_B, "SFPNOP");
    tensix_harness_go(&harness, 0);
    ck_assert(tensix->thread[1].has_next);
    assert_types(0, CONFIG);
}

TEST(expansions_count_as_what_they_come_from)
{
    struct tensix_thread *own = &tensix->thread[0];
    own->has_next = true;
    own->next = tensix_harness_assemble("SFPNOP");
    own->origin.pusher = TENSIX_BY_T0;
    own->parent = 0x01;
    assert_types(0, MOP);
    own->parent = 0x04;
    assert_types(0, REPLAY);
    own->has_next = false;
    assert_types(0, 0);
    own->replay.state = REPLAY_PLAYING;
    assert_types(0, REPLAY);
    own->origin.pusher = TENSIX_BY_B;
    assert_types(0, 0);
    own->mop.expansion.iterations = 1; /* MOPs are the TRISC's */
    assert_types(0, MOP);
}

/* Timed runs: WRCFG passes its gate at cycle 1 and takes two cycles. */
TEST(instruction_under_way_is_busy)
{
    tensix->timing = &harness.costs;
    push(1, "WRCFG 1, 0, 10");
    assert_types(1, CONFIG);
    run_until(2);
    for (unsigned hart = 0; hart <= OTHERS; hart++) {
        bool sees = hart == 1 || hart == OTHERS;
        assert_status(hart, QUEUED, 0, 0);
        assert_status(hart, BUSY, sees ? CONFIG : 0, CONFIG);
    }
    run_until(3);
    assert_types(1, 0);
}

TEST(streams_are_those_of_streamwait)
{
    for (unsigned i = 0; i < 4; i++) {
        tensix->thread_config[1][63 + i] = (uint16_t)(0xffc0 | (10 + i));
    }
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(tensix_status_stream(tensix, 1, i), 10 + i);
        ck_assert_uint_eq(tensix_status_stream(tensix, 0, i), 0);
    }
}
