/* TDMA-RISC. */
#include <string.h>

#include "unit/tile/mmio_harness.h"
#include "tensix/config/regs.h"
#include "tile/timing.h"

FIXTURE(harness_setup, harness_teardown);

#define TDMA(offset) (UINT32_C(0xffb11000) + (offset))
#define COMMAND      TDMA(0x10)
#define SOFT_RESET   UINT32_C(0xffb121b0)

TEST(status_is_idle)
{
    put(AGENT_B, TDMA(0x14), 0xffffffff);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), 1 << 3 | 1 << 5 | 4 << 8);
    ck_assert_uint_eq(get(AGENT_T0, TDMA(0x38)), 0x55); /* all metadata FIFOs empty */
}

TEST_EACH(parameters_are_write_only, 4)
{
    put(AGENT_B, TDMA(4u * (unsigned)_i), 99);
    ck_assert_uint_eq(get(AGENT_B, TDMA(4u * (unsigned)_i)), 0);
    ck_assert_uint_eq(harness.tile->tdma.parameter[_i], 99);
}

TEST(raw_values_read_back)
{
    put(AGENT_B, TDMA(0x24), 0xffffffff);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x24)), 0xffffff7f);
    put(AGENT_B, TDMA(0x28), 0xffffffff);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x28)), 0x01ff007f);
    ck_assert_uint_eq(harness.tile->tdma.scaler[3], 0x1ff);
    put(AGENT_B, TDMA(0x3c), 1u | 2u << 9 | 3u << 18 | 1u << 31);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x13c)), 1u | 2u << 9 | 3u << 18);
    put(AGENT_B, TDMA(0x38), 0x123456);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x38)), 0x12345655);
}

TEST(move_base_is_of_each_hart)
{
    for (unsigned agent = AGENT_B; agent <= AGENT_T2; agent++) {
        put((enum tile_agent)agent, TDMA(0x2c), 10 + agent);
    }
    for (unsigned agent = AGENT_B; agent <= AGENT_T2; agent++) {
        ck_assert_uint_eq(get((enum tile_agent)agent, TDMA(0x2c)), 10 + agent);
    }
}

/* --- Commands --- */

enum { IDLE = 1 << 3 | 1 << 5 | 4 << 8, BUSY = 1 << 0 };
enum { MOVE = 0x40, WAIT = 0x46, NOP = 0x89 };
#define COMPACT (1u << 31)

/* A compact move of `size` units: to L1 with `to_l1`, otherwise to configuration. */
static uint32_t compact(unsigned from, unsigned to, unsigned size, bool to_l1)
{
    return COMPACT | (uint32_t)to_l1 << 30 | size << 24 | to << 16 | from << 8 | MOVE;
}

static void put_parameters(enum tile_agent agent, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t values[4] = {a, b, c, d};
    for (uint32_t i = 0; i < 4; i++) {
        put(agent, TDMA(4 * i), values[i]);
    }
}

static void fill_l1(uint32_t from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i += 4) {
        harness_set_word(H, from + i, 0x1000000 + i);
    }
}

/* All four directions, with what only some bits of the parameters say. */
TEST_EACH(moves_with_parameters, 4)
{
    unsigned mode = (unsigned)_i;
    bool to_l1 = mode == 0 || mode == 3, copies = mode & 1;
    enum tile_agent agent = (enum tile_agent)(AGENT_B + _i);
    fill_l1(0x1000, 0x400);
    fill_l1(0x20000, 0x100);
    for (unsigned i = 0; i < 64; i++) {
        harness.tile->tensix.config[0][16 + i] = 0x77770000 + i;
    }
    put_parameters(agent, 0x100, to_l1 ? 0x2000 : 4, 0xabc0000 | 3, 0xfffffffc | mode);
    ck_assert_event(put(agent, COMMAND, 0x7ffff800 | MOVE)); /* upper bits say nothing */
    for (uint32_t i = 0; i < 0x100; i += 4) {
        uint32_t at =
            to_l1 ? harness_word(H, 0x20000 + i) : harness.tile->tensix.config[0][16 + i / 4];
        uint32_t before = to_l1 ? 0x1000000 + i : 0x77770000 + i / 4;
        ck_assert_uint_eq(at, i >= 48 ? before : copies ? 0x1000000 + i : 0);
    }
    ck_assert_uint_eq(get(agent, TDMA(0x14)), IDLE);
    ck_assert_uint_eq(harness.faults, 0);
}

/* From the base of the hart that writes the command. */
TEST_EACH(compact_moves, 8)
{
    enum tile_agent agent = (enum tile_agent)(_i % 4);
    bool to_l1 = _i / 4;
    fill_l1(0x10000, 0x8000);
    for (unsigned i = 0; i < 4; i++) {
        put((enum tile_agent)i, TDMA(0x2c), 0x1000 + 0x100 * i);
    }
    put(agent, COMMAND, compact(0xfe, 0x20, 63, to_l1));
    for (uint32_t i = 0; i < 64 * 4; i++) {
        uint32_t at = to_l1 ? harness_word(H, 0x200 + 4 * i)
                            : tensix_config_read(&harness.tile->tensix, 0x200 / 4 + i);
        uint32_t value = 0x1000000 + 0x1000 * (unsigned)agent + 0xfe0 + 4 * i;
        unsigned word = (0x200 / 4 + i) % TENSIX_STATE_WORDS;
        bool is_there = to_l1 || word < TENSIX_GLOBAL_WORD; /* others are written in both states */
        if (is_there && i < 63 * 4 && (to_l1 || word >= 8)) { /* word 4 clears its state */
            ck_assert_uint_eq(at, value);
        }
    }
    ck_assert_uint_eq(to_l1 ? harness_word(H, 0x200 + 63 * 16) : 0, 0);
}

TEST(store_command_writes_l1)
{
    put(AGENT_B, TDMA(0), 0x500);
    put(AGENT_B, TDMA(8), 0xaabbccdd);
    put(AGENT_B, TDMA(12), 0x11223344);
    put(AGENT_B, COMMAND, 0x666);
    ck_assert_uint_eq(harness_word(H, 0x500), 0xaabbccdd);
    ck_assert_uint_eq(harness_word(H, 0x504), 0);
    put(AGENT_B, COMMAND, 0x766);
    ck_assert_uint_eq(harness_word(H, 0x504), 0x11223344);
    put(AGENT_B, TDMA(0), TILE_L1_BYTES - 4);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, COMMAND, 0x666), ANSWER_DONE);
}

/* What the page leaves undefined is refused, and nothing has happened. */
TEST_EACH(undefined_commands_are_refused, 18)
{
    static const struct {
        uint32_t command, parameter[4];
    } rows[] = {
        {0x11, {0}},
        {COMPACT | 0x11, {0}},
        {0, {0}},
        {0x066, {0x500}},
        {0x266, {0x500}},
        {0x466, {0x500}},
        {COMPACT | 0x666, {0x500}},
        {0x766, {TILE_L1_BYTES - 4}},
        {0x666, {TILE_L1_BYTES}},
        {0x666, {0xfffffffc}},
        {0x666, {0x502}},
        {0x766, {0x504}},
        {MOVE, {TILE_L1_BYTES / 16, 0, 1, 3}},
        {MOVE, {0, TILE_L1_BYTES / 16, 1, 3}},
        {MOVE, {0, TILE_L1_BYTES / 16, 1, 0}},
        {MOVE, {0, 0x100, 0xffff, 3}},
        {MOVE, {0, 0x4000, 1, 1}},
        {MOVE, {0, 0xa8, 1, 2}},
    };
    struct mmio_access access = {.operation = MMIO_WRITE,
                                 .agent = AGENT_B,
                                 .size = 4,
                                 .address = COMMAND,
                                 .value = rows[_i].command};
    const uint32_t *p = rows[_i].parameter;
    put_parameters(AGENT_B, p[0], p[1], p[2], p[3]);
    fill_l1(0, 0x2000);
    ck_assert_int_eq(tile_access(harness.tile, &access), ANSWER_UNMAPPED);
    ck_assert_ptr_nonnull(access.rule);
    ck_assert_uint_lt(strlen(access.rule), 150);
    for (uint32_t i = 0; i < 0x2000; i += 4) {
        ck_assert_uint_eq(harness_word(H, i), 0x1000000 + i);
    }
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), IDLE);
}

TEST(poked_commands_do_nothing)
{
    fill_l1(0, 0x40);
    put_parameters(AGENT_B, 0, 0, 1, 0);
    ck_assert_int_eq(try_access(MMIO_POKE, AGENT_B, COMMAND, MOVE), ANSWER_DONE);
    ck_assert_uint_eq(harness_word(H, 0), 0x1000000);
    put(AGENT_B, COMMAND, MOVE);
    ck_assert_uint_eq(harness_word(H, 0), 0);
}

/* A move under the eyes of the packer, whose configuration it changes. */
TEST_EACH(races_are_reported, 2)
{
    struct tensix *tensix = &harness.tile->tensix;
    unsigned word = tensix_field_find("THCON_SEC0_REG1_Exp_section_size")->word;
    harness.policy = PENROSE_WARN;
    harness_set_word(H, 0x100 + word % 4 * 4, _i ? 0x10000 : 0);
    tensix->flight[TENSIX_FLIGHT_PACKER] =
        (struct tensix_flight){.until = harness.tile->now + 10, .word = 0x41000001};
    put(AGENT_T1, TDMA(0x2c), 0x10);
    put(AGENT_T1, COMMAND, compact(0, word / 4, 1, false));
    ck_assert_uint_eq(harness.faults, (unsigned)_i);
    ck_assert_uint_eq(tensix->config[0][word], _i ? 0x10000 : 0);
    if (_i) {
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_CONFIG_RACE);
        ck_assert_ptr_nonnull(strstr(harness.fault.text, "a move by trisc1 changes"));
    }
}

/* --- Commands of timed runs --- */

enum { LONG_UNITS = 0x200, LONG_CYCLES = (LONG_UNITS * 11 + 7) / 8 };

static void start_long_move(enum tile_agent agent)
{
    put_parameters(agent, 0x1000, 0x4000, LONG_UNITS, 3);
    put(agent, COMMAND, MOVE);
}

/* Status, from command to command and while time goes by; rounds end at multiples of 128. */
TEST(status_counts_commands)
{
    struct tile *tile = harness.tile;
    tile->tensix.timing = &tile_costs;
    start_long_move(AGENT_B); /* starts at once */
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), IDLE | BUSY);
    start_long_move(AGENT_T0);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), BUSY | 3 << 8);
    put(AGENT_B, COMMAND, COMPACT | NOP);
    put(AGENT_B, COMMAND, WAIT);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), BUSY | 1 << 4 | 1 << 8);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, COMMAND, NOP), ANSWER_UNMAPPED);
    put(AGENT_B, COMMAND, COMPACT | WAIT);
    ck_assert_uint_eq(get(AGENT_T2, TDMA(0x14)), BUSY | 1 << 2 | 1 << 4);
    ck_assert_int_eq(try_access(MMIO_WRITE, AGENT_B, COMMAND, NOP), ANSWER_WAIT);
    tile_run(tile, LONG_CYCLES / 128 * 128);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), BUSY | 1 << 2 | 1 << 4);
    ck_assert_event(tile_run(tile, LONG_CYCLES / 128 * 128 + 128));
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), BUSY | 2 << 8); /* the two waits are left */
    tile_run(tile, 2 * LONG_CYCLES / 128 * 128);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), BUSY | 2 << 8);
    ck_assert_event(tile_run(tile, 2 * LONG_CYCLES / 128 * 128 + 128));
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), IDLE);
    ck_assert_uint_eq(tile_next_event(tile), UINT64_MAX);
}

TEST_EACH(reset_ends_commands, 2)
{
    bool of_mover = _i;
    harness.tile->tensix.timing = &tile_costs;
    start_long_move(AGENT_B);
    start_long_move(AGENT_B);
    put(AGENT_NOC, SOFT_RESET, 0x47800 | (of_mover ? 1 << 6 : 1 << 8));
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), of_mover ? 3 << 8 : IDLE | BUSY);
    tile_run(harness.tile, 1024);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x14)), IDLE);
}

/* Harts that wait for the mover in every way: B polls the status, T0 for room in the queue, T1 for
 * data. */
static const char by_b[] =
    "lui s0, 0xffb11; addi s1, zero, 20; addi t0, zero, 0x400; sw t0, 0(s0); "
    "addi t0, zero, 0x500; sw t0, 4(s0); addi t0, zero, 3; sw t0, 12(s0); "
    "1: slli t0, s1, 3; sw t0, 8(s0); addi t0, zero, 0x40; sw t0, 16(s0); "
    "2: lw t0, 20(s0); andi t0, t0, 1; bne t0, zero, 2b; addi s1, s1, -1; bne s1, zero, 1b; "
    "sw s1, 0x700(zero); ebreak";
static const char *const by_t0[] = {
    "lui s0, 0xffb11",
    "addi s1, zero, 30",
    "lui s2, 0xff010",
    "addi s2, s2, 0x40", /* compact, 63 units from the base to 0x10, in L1 */
    "addi t0, zero, 0x600",
    "sw t0, 0x2c(s0)",
    "1:",
    "sw s2, 16(s0)",
    "addi s1, s1, -1",
    "bne s1, zero, 1b",
    "2:",
    "lw t0, 20(s0)",
    "andi t0, t0, 9",
    "addi t0, t0, -8",
    "bne t0, zero, 2b",
    "addi t0, zero, 1",
    "sw t0, 0x704(zero)",
    "ebreak",
    NULL};
static const char by_t1[] = "lui s0, 5; "
                            "1: lw t0, 0x7c(s0); beq t0, zero, 1b; sw t0, 0x708(zero); ebreak";

static void start_waiters(struct tile_harness *at, uint32_t quantum, bool timed, bool restless)
{
    harness_open(at);
    at->tile->quantum = quantum;
    at->tile->tensix.timing = timed ? &tile_costs : NULL;
    at->tile->restless = restless;
    for (uint32_t i = 0; i < 0x4000; i += 4) {
        harness_set_word(at, 0x4000 + i, i >= 0x1000 && i < 0x2000 ? 0 : i + 1);
    }
    harness_assemble(at, 0x1000, by_b);
    harness_assemble_lines(at, 0x1100, by_t0);
    harness_assemble(at, 0x1200, by_t1);
    harness_release(at, RV32_B, 0x1000);
    harness_release(at, RV32_T0, 0x1100);
    harness_release(at, RV32_T1, 0x1200);
}

TEST_EACH(waiting_harts_go_on, 8)
{
    static const uint32_t quanta[] = {1, 7, 32, 128};
    uint32_t quantum = quanta[_i / 2];
    bool timed = _i % 2;
    struct tile_harness sleepy, restless;
    start_waiters(&sleepy, quantum, timed, false);
    start_waiters(&restless, quantum, timed, true);
    for (uint64_t until = quantum; until < 30000; until += quantum) {
        tile_run(sleepy.tile, until);
        tile_run(restless.tile, until);
        for (unsigned core = 0; core < RV32_CORES; core++) {
            tile_wake(sleepy.tile, (enum rv32_core)core);
            ck_assert_uint_eq(sleepy.tile->hart[core].retired, restless.tile->hart[core].retired);
            ck_assert_uint_eq(sleepy.tile->run[core].time, restless.tile->run[core].time);
        }
        ck_assert_mem_eq(sleepy.tile->l1, restless.tile->l1, 0x8000);
    }
    for (unsigned core = RV32_B; core <= RV32_T1; core++) {
        ck_assert_int_eq(sleepy.tile->run[core].state, HART_PAUSED);
    }
    ck_assert_uint_eq(harness_word(&sleepy, 0x10), 0x2001); /* of T0's moves */
    ck_assert_uint_eq(harness_word(&sleepy, 0x5000), 1);    /* of B's */
    ck_assert_uint_eq(harness_word(&sleepy, 0x704), 1);
    ck_assert_uint_eq(harness_word(&sleepy, 0x708), 0x7d);
    uint64_t least = timed ? (20 * 21 / 2 * 8 + 30 * 63) * 11 / 8 : 0;
    ck_assert_uint_ge(sleepy.tile->run[RV32_B].time + sleepy.tile->run[RV32_T0].time, least);
    ck_assert_uint_eq(sleepy.faults, 0);
    harness_close(&sleepy);
    harness_close(&restless);
}

/* Code that a hart has executed is executed anew when the mover has written it. */
TEST(moved_code_is_executed)
{
    static const char first[] = "addi a0, zero, 1; ebreak";
    static const char second[] = "addi a0, zero, 2; ebreak";
    harness_assemble(H, 0x1000, first);
    harness_assemble(H, 0x2000, second);
    harness_release(H, RV32_T2, 0x1000);
    tile_run(harness.tile, 256);
    ck_assert_uint_eq(harness.tile->hart[RV32_T2].x[10], 1);
    put_parameters(AGENT_B, 0x200, 0x100, 1, 3);
    put(AGENT_B, COMMAND, MOVE);
    put(AGENT_NOC, SOFT_RESET, 0x47800);
    harness_release(H, RV32_T2, 0x1000);
    tile_run(harness.tile, 512);
    ck_assert_uint_eq(harness.tile->hart[RV32_T2].x[10], 2);
}

TEST_EACH(empty_metadata_fifo_makes_wait, 4)
{
    uint32_t packer = 0x100u * (unsigned)_i;
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T2, TDMA(0x30 + packer), 0), ANSWER_WAIT);
    ck_assert_uint_eq(get(AGENT_T2, TDMA(0x34 + packer)), 0);
    for (uint32_t thread = 0; thread < 3; thread++) {
        ck_assert_uint_eq(get(AGENT_T2, TDMA(0x18 + packer + 0x40 * thread)), 0);
        ck_assert_uint_eq(get(AGENT_T2, TDMA(0x1c + packer + 0x40 * thread)), 0);
    }
    ck_assert_uint_eq(harness.unmodelled, 0);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_T2, TDMA(0xd8 + packer), 0), ANSWER_UNMAPPED);
}

/* What the packer leaves behind, seen where packer 0 was; the other three stay empty. */
TEST(packer_shows_its_tiles)
{
    struct tensix_packer *packer = &harness.tile->tensix.packer[0];
    packer->last_thread = 2;
    packer->last_tile_size = 130;
    packer->acc_tile_size[1] = 7;
    packer->acc_tile_size[2] = 9;
    packer->all_zero_flags = 0xf0f0;
    harness.tile->tensix.unpacker[0].register_sum = 0x15678;
    harness.tile->tensix.unpacker[1].register_sum = 0x4321;
    for (unsigned which = 0; which < 4; which++) {
        for (unsigned thread = 0; thread < 3; thread++) {
            uint32_t at = 0x100 * which + 0x40 * thread;
            uint32_t sum = which % 2 ? 0x43210000 : 0x56780000;
            ck_assert_uint_eq(get(AGENT_B, TDMA(0x18 + at)), which == 0 && thread == 2 ? 130 : 0);
            ck_assert_uint_eq(get(AGENT_B, TDMA(0x1c + at)),
                              sum | (which == 0 ? packer->acc_tile_size[thread] : 0));
        }
        ck_assert_uint_eq(get(AGENT_B, TDMA(0x20 + 0x100 * which)), which == 0 ? 0xf0f0 : 0);
    }
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x3c)) >> 31, 1);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x13c)) >> 31, 0);
    put(AGENT_B, TDMA(0x1c), 0x20055); /* of another packer */
    ck_assert_uint_eq(packer->acc_tile_size[2], 9);
    put(AGENT_B, TDMA(0x1c), 0x10055);
    ck_assert_uint_eq(packer->acc_tile_size[2], 0);
    ck_assert_uint_eq(packer->l1_dest_addr_offset, 0x55);
}

TEST(metadata_fifo)
{
    struct tensix_packer *packer = &harness.tile->tensix.packer[0];
    for (unsigned i = 0; i < TENSIX_PACK_METADATA; i++) {
        packer->metadata[i] =
            (struct tensix_pack_metadata){.tile_size = (uint16_t)(20 + i), .all_zero_flags = i};
    }
    packer->metadata_count = TENSIX_PACK_METADATA;
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x38)), 0x56);
    for (unsigned i = 0; i < TENSIX_PACK_METADATA; i++) {
        ck_assert_uint_eq(peek(AGENT_B, TDMA(0x34)), 0);
        ck_assert_uint_eq(get(AGENT_B, TDMA(0x30)), 20 + i);
        ck_assert_event(ck_assert_uint_eq(get(AGENT_B, TDMA(0x34)), i));
    }
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x38)), 0x55);
    ck_assert_int_eq(try_access(MMIO_READ, AGENT_B, TDMA(0x30), 0), ANSWER_WAIT);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x34)), 0);
}

/* Wormhole's addresses of UNPACR_NOP and PACR_SETREG: on Blackhole they hold what is written. */
TEST(register_bases_are_held)
{
    put(AGENT_B, TDMA(0x24), 0xffffffff);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x24)), 0xffffff7f);
    put(AGENT_B, TDMA(0x38), 0x00200000 | 0x155 << 10 | 0x2aa);
    ck_assert_uint_eq(get(AGENT_B, TDMA(0x38)), 0x2556aa55);
}

TEST(reset_discards_writes)
{
    put(AGENT_B, TDMA(0), 5);
    put(AGENT_NOC, SOFT_RESET, 0x47800 | 1 << 8);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 0);
    put(AGENT_B, TDMA(0), 6);
    put(AGENT_B, COMMAND, 0x40);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 0);
    put(AGENT_NOC, SOFT_RESET, 0x47800);
    put(AGENT_B, TDMA(0), 7);
    ck_assert_uint_eq(harness.tile->tdma.parameter[0], 7);
}
