/*
 * The mover, set to work by XMOV and by commands as TDMA-RISC queues them: every move against a
 * model that goes byte by byte, what hangs on words of Config, what is undefined, and times.
 */
#include <check.h>
#include <string.h>

#include "unit/test.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"
#include "unit/tensix/tensix_fixture.h"

enum { RANDOM_MOVES = 150, L1 = TENSIX_HARNESS_L1, UNIT = 16, CONFIG_BYTES = 0xa80 };
enum { MODES = 4 };
#define ZEROS_TO_L1     TENSIX_MOVE_ZEROS_TO_L1
#define L1_TO_CONFIG    TENSIX_MOVE_L1_TO_CONFIG
#define ZEROS_TO_CONFIG TENSIX_MOVE_ZEROS_TO_CONFIG
#define L1_TO_L1        TENSIX_MOVE_L1_TO_L1

static uint8_t model_l1[L1];
static uint32_t model_config[TENSIX_STATES][TENSIX_STATE_WORDS];

static void randomise_l1(void)
{
    for (uint32_t i = 0; i < L1; i += 4) {
        tensix_harness_set_l1(&harness, i, random_next(&dice));
    }
}

static void set(unsigned state, enum tensix_field_id field, uint32_t value)
{
    tensix_set_config_field(tensix, state, field, value);
}

/* What XMOV finds, in units. */
static void set_move(unsigned state, uint32_t to, uint32_t from, uint32_t size, unsigned mode)
{
    set(state, TENSIX_FIELD_THCON_SEC0_REG6_Destination_address, to);
    set(state, TENSIX_FIELD_THCON_SEC0_REG6_Source_address, from);
    set(state, TENSIX_FIELD_THCON_SEC0_REG6_Buffer_size, size);
    set(state, TENSIX_FIELD_THCON_SEC0_REG6_Transfer_direction, mode);
}

static void xmov(unsigned thread)
{
    tensix_harness_run(&harness, thread, "XMOV 0, 0");
}

/* --- The model: page Mover, byte by byte --- */

static uint32_t special_word(const char *name)
{
    const struct tensix_field *field = tensix_field_find(name);
    ck_assert_ptr_nonnull(field);
    return field->word;
}

static void model_word(unsigned state, unsigned word, uint32_t value)
{
    model_config[state][word] = value;
    if (word >= 180) { /* GLOBAL_CFGREG_BASE_ADDR32 */
        model_config[!state][word] = value;
    }
    if (word == special_word("STATE_RESET_EN")) {
        memset(model_config[state], 0, 180 * sizeof(uint32_t));
    }
}

static void model_move(uint32_t to, uint32_t from, uint32_t size, unsigned mode)
{
    static uint8_t moved[1 << 20];
    for (uint32_t i = 0; i < size; i++) {
        moved[i] = mode == L1_TO_L1 || mode == L1_TO_CONFIG ? model_l1[from + i] : 0;
    }
    if (mode == L1_TO_L1 || mode == ZEROS_TO_L1) {
        memcpy(model_l1 + to, moved, size);
        return;
    }
    for (uint32_t i = 0; to <= 0xffff && i < size; i += 4) {
        unsigned place = (to + i) / 4, word = place % 224;
        uint32_t value;
        memcpy(&value, moved + i, sizeof value);
        if (place / 224 != 1) {
            model_word(0, word, value);
        }
        if (place / 224 != 0) {
            model_word(1, word, value);
        }
    }
}

static void take_model(void)
{
    memcpy(model_l1, harness.l1, L1);
    memcpy(model_config, tensix->config, sizeof model_config);
}

static void compare(void)
{
    ck_assert(memcmp(model_l1, harness.l1, L1) == 0);
    ck_assert(memcmp(model_config, tensix->config, sizeof model_config) == 0);
    ck_assert_uint_eq(harness.faults, 0);
}

/* A move that is defined, in units; to a part of the configuration in one case of two. */
struct units {
    uint32_t to, from, size;
};

static struct units random_units(unsigned mode)
{
    bool to_l1 = mode == ZEROS_TO_L1 || mode == L1_TO_L1;
    struct units units;
    do {
        unsigned most = to_l1 ? random_below(&dice, 64) ? 64 : 0xffff : CONFIG_BYTES / UNIT;
        units = (struct units){.to = random_below(&dice, L1 / UNIT),
                               .from = random_below(&dice, L1 / UNIT),
                               .size = random_below(&dice, most + 1)};
        if (!to_l1) {
            units.to = random_below(&dice, 8)
                           ? random_below(&dice, CONFIG_BYTES / UNIT)
                           : 0x1000 * (1 + random_below(&dice, 3)) + random_below(&dice, 0x800);
        } else if (random_below(&dice, 4) == 0) { /* close by */
            units.to = units.from - random_below(&dice, units.size + 1);
        }
    } while ((to_l1 ? units.to + (uint64_t)units.size > L1 / UNIT
                    : units.to < 0x1000 && units.to + units.size > CONFIG_BYTES / UNIT) ||
             units.from + units.size > L1 / UNIT || units.to >= L1 / UNIT ||
             (to_l1 && units.to > units.from && units.to < units.from + units.size));
    return units;
}

FIXTURE(setup, teardown);

/* --- Moves --- */

TEST_EACH(xmov_moves_as_the_page_says, 2 * MODES)
{
    unsigned mode = (unsigned)_i % MODES;
    bool timed = _i / MODES;
    tensix->timing = timed ? &tile_costs : NULL;
    randomise_l1();
    for (unsigned round = 0; round < RANDOM_MOVES; round++) {
        unsigned thread = random_below(&dice, 3), state = random_below(&dice, 2);
        struct units units = random_units(mode);
        set_move(state, units.to, units.from, units.size | random_below(&dice, 4) << 16, mode);
        set_move(!state, 0xbad0000, 0, 1, L1_TO_L1); /* faults where it is taken */
        tensix->thread_config[thread][TENSIX_WORD_CFG_STATE_ID_StateID] = (uint16_t)state;
        take_model();
        harness.changed = false;
        xmov(thread);
        model_move(units.to * UNIT, units.from * UNIT, units.size * UNIT, mode);
        compare();
        ck_assert(harness.changed);
        ck_assert(!tensix_mover_busy(tensix) || timed);
        tensix_harness_go(&harness, timed ? units.size * 2 + 1 : 0);
        ck_assert(!tensix_mover_busy(tensix));
    }
}

/* Addresses lose what a shift by four drops. */
TEST(addresses_have_32_bits)
{
    randomise_l1();
    take_model();
    set_move(0, 0xf0000010, 0x50000020, 3, L1_TO_L1);
    take_model();
    xmov(0);
    model_move(0x100, 0x200, 48, L1_TO_L1);
    compare();
}

/* --- What hangs on words of Config --- */

static void check_stale(unsigned unit)
{
    unsigned first = unit * 4 % TENSIX_STATE_WORDS, wanted = 0;
    set_move(0, unit, 0, 1, ZEROS_TO_CONFIG);
    tensix->stale = 0;
    xmov(0);
    for (unsigned i = 0; i < 4; i++) {
        wanted |= tensix_config_uses[first + i].cached;
    }
    wanted = first == 4 ? TENSIX_USED_BY_ALL : wanted; /* STATE_RESET_EN */
    ck_assert_uint_eq(tensix->stale, wanted);
    ck_assert_uint_eq(harness.faults, 0);
}

/* Who keeps what it derives from a word derives it anew. */
TEST(stale_is_what_the_words_are_used_by)
{
    for (unsigned unit = 0; unit < CONFIG_BYTES / UNIT; unit++) {
        check_stale(unit);
    }
}

TEST(writing_the_reset_word_clears_the_state)
{
    memset(tensix->config[0], 0x11, TENSIX_GLOBAL_WORD * 4);
    memset(tensix->config[1], 0x11, TENSIX_GLOBAL_WORD * 4);
    set_move(1, 224 / 4 + 1, 0, 1, ZEROS_TO_CONFIG); /* words 4 to 7 of state 1 */
    tensix->thread_config[2][TENSIX_WORD_CFG_STATE_ID_StateID] = 1;
    xmov(2);
    for (unsigned word = 0; word < TENSIX_GLOBAL_WORD; word++) {
        ck_assert_uint_eq(tensix->config[1][word], 0);
        ck_assert_uint_eq(tensix->config[0][word], 0x11111111);
    }
}

TEST(unmodelled_words_are_reported)
{
    uint32_t word = special_word("L1_CACHE_TAG_SEARCH_ACCEL_Search_Enable");
    set_move(0, word / 4, 0, 1, ZEROS_TO_CONFIG);
    xmov(0);
    ck_assert_uint_eq(harness.unmodelled, 0);
    tensix_harness_set_l1(&harness, 0x108, 3); /* the third word: tags, low */
    set_move(0, word / 4, 0x10, 1, L1_TO_CONFIG);
    xmov(0);
    ck_assert_uint_eq(harness.unmodelled, 1);
    ck_assert_uint_eq(harness.unmodelled_index, word + 2);
    ck_assert_str_eq(harness.unmodelled_field, "L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_low");
}

/* THCON words are held at zero while the Scalar Unit is in reset. */
TEST(held_words_are_not_written)
{
    randomise_l1();
    tensix_soft_reset(tensix, 0, TENSIX_RESET_THCON);
    struct tensix_command command = {
        .move = {.to = 0, .from = 0x1000, .size = CONFIG_BYTES, .mode = TENSIX_MOVE_L1_TO_CONFIG}};
    ck_assert(tensix_command(tensix, &command, 0));
    for (unsigned word = TENSIX_THCON_WORD; word < TENSIX_GLOBAL_WORD; word++) {
        ck_assert_uint_eq(tensix->config[0][word], 0);
        ck_assert_uint_eq(tensix->config[1][word], 0);
    }
    ck_assert_uint_eq(tensix->config[0][63], tensix_harness_l1(&harness, 0x1000 + 4 * (448 + 63)));
}

/* A move that changes what an unpacker or the packer may be using, without a wait. */
TEST_EACH(races_are_reported, 8)
{
    enum { FLIGHT_CYCLES = 50 };
    bool waits = _i % 2, changes = _i / 2 % 2, dual = _i / 4;
    unsigned word = special_word("THCON_SEC0_REG1_Exp_section_size");
    tensix_harness_set_l1(&harness, 0x100 + word % 4 * 4, changes ? 0x10000 : 0);
    set_move(0, word / 4 + (dual ? 448 / 4 : 0), 0x10, 1, L1_TO_CONFIG);
    tensix->flight[TENSIX_FLIGHT_PACKER] = (struct tensix_flight){
        .until = harness.time + FLIGHT_CYCLES,
        .word = tensix_harness_assemble("PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1"),
        .pc = 0x1234,
        .thread = 0,
    };
    tensix_harness_run(&harness, 0, waits ? "STALLWAIT 0x10, 8; XMOV 0, 0" : "XMOV 0, 0");
    ck_assert_uint_eq(harness.faults, !waits && changes);
    if (harness.faults) {
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_CONFIG_RACE);
        ck_assert_ptr_nonnull(strstr(harness.fault.text, "XMOV changes"));
        ck_assert_ptr_nonnull(
            strstr(harness.fault.text,
                   "PACR of trisc0 at pc 0x00001234 may use it; STALLWAIT(STALL_CFG, PACK)"));
    }
    ck_assert_uint_eq(tensix->config[0][word], changes ? 0x10000 : 0); /* it is made anyway */
    ck_assert_uint_eq(tensix->config[1][word], changes && dual ? 0x10000 : 0);
}

/* --- What is undefined --- */

static const struct undefined {
    struct tensix_move move;
    const char *says; /* NULL: it is defined */
} undefined[] = {
    {{0, L1 - 16, 16, L1_TO_L1}, NULL},
    {{0, L1 - 16, 32, L1_TO_L1}, "source"},
    {{0, L1, 0, L1_TO_L1}, "source"},
    {{0, L1, 0, ZEROS_TO_L1}, NULL}, /* which reads nothing */
    {{0, 0xfffffff0, 16, ZEROS_TO_CONFIG}, NULL},
    {{0, L1 - 16, 32, L1_TO_CONFIG}, "source"},
    {{L1 - 16, 0, 16, L1_TO_L1}, NULL},
    {{L1 - 16, 0, 32, L1_TO_L1}, "destination"},
    {{L1, 0, 0, ZEROS_TO_L1}, "destination"},
    {{0xfffffff0, 0, 16, ZEROS_TO_L1}, "destination"},
    {{L1 - 16, 0, 32, ZEROS_TO_L1}, "destination"},
    {{0x1000, 0x1000, 64, L1_TO_L1}, NULL},
    {{0x1010, 0x1000, 32, L1_TO_L1}, "overlaps"},
    {{0x1010, 0x1000, 16, L1_TO_L1}, NULL},
    {{0x0ff0, 0x1000, 64, L1_TO_L1}, NULL},
    {{0x1010, 0x1000, 32, ZEROS_TO_L1}, NULL},
    {{0, 0, CONFIG_BYTES, ZEROS_TO_CONFIG}, NULL},
    {{0, 0, CONFIG_BYTES + 16, ZEROS_TO_CONFIG}, "ThreadConfig"},
    {{CONFIG_BYTES, 0, 16, L1_TO_CONFIG}, "ThreadConfig"},
    {{0xfff0, 0, 16, L1_TO_CONFIG}, "ThreadConfig"},
    {{0xfff0, 0, 32, L1_TO_CONFIG}, "64 KiB"},
    {{0x10000, 0, 16, L1_TO_CONFIG}, NULL}, /* nowhere */
    {{0x10000, 0, 0x10000, ZEROS_TO_CONFIG}, NULL},
    {{0x10010, 0, 0x10000, ZEROS_TO_CONFIG}, "64 KiB"},
    {{0x3fff0, 0, 16, L1_TO_CONFIG}, NULL},
    {{0x40000, 0, 16, L1_TO_CONFIG}, "instruction RAM"},
    {{0x4fff0, 0, 16, ZEROS_TO_CONFIG}, "instruction RAM"},
    {{0x50000, 0, 16, L1_TO_CONFIG}, NULL},
    {{0xfffffff0, 0, 16, L1_TO_CONFIG}, NULL},
};

TEST_EACH(undefined_moves_are_faults, COUNT(undefined))
{
    const struct undefined *row = &undefined[_i];
    const struct tensix_move *move = &row->move;
    harness.stop = true;
    randomise_l1();
    set_move(0, move->to / UNIT, move->from / UNIT, move->size / UNIT, move->mode);
    take_model();
    xmov(0);
    ck_assert_uint_eq(harness.faults, row->says != NULL);
    ck_assert((tensix_move_rule(tensix, move) != NULL) == (row->says != NULL));
    if (row->says) {
        ck_assert_int_eq(harness.fault.kind, PENROSE_FAULT_TENSIX_UNDEFINED);
        ck_assert_ptr_nonnull(strstr(harness.fault.text, row->says));
        ck_assert_uint_lt(strlen(harness.fault.text), 150);
        ck_assert(tensix->thread[0].has_next); /* it stands there still */
        harness.faults = 0;
        compare();
    } else {
        model_move(move->to, move->from, move->size, move->mode);
        compare();
    }
}

TEST(random_moves_do_no_harm)
{
    unsigned faults = 0;
    randomise_l1();
    for (unsigned round = 0; round < 20 * RANDOM_MOVES; round++) {
        unsigned bits = random_below(&dice, 33);
        uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
        set_move(0, random_next(&dice) & mask, random_next(&dice) & (mask | 0xff),
                 random_next(&dice) & mask, random_below(&dice, 4));
        tensix->thread_config[0][TENSIX_WORD_CFG_STATE_ID_StateID] = 0;
        xmov(0);
        faults += harness.faults;
        harness.faults = 0;
    }
    ck_assert_uint_gt(faults, RANDOM_MOVES);
    ck_assert_uint_lt(faults, 19 * RANDOM_MOVES);
}

/* --- Times --- */

/* Page Mover: eight units copied in 11 cycles, one of zeros in a cycle. */
static uint64_t cycles_of(uint32_t size, unsigned mode)
{
    bool copies = mode == L1_TO_L1 || mode == L1_TO_CONFIG;
    return copies ? (size * 11 + 7) / 8 : size;
}

static const uint32_t sizes[] = {0, 1, 2, 7, 8, 9, 64, 168};

static void queue(unsigned thread, const char *text)
{
    uint32_t word = tensix_harness_assemble(text);
    struct tensix_origin origin = {.pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
    ck_assert(tensix_push(tensix, thread, origin, &word, 1, harness.time));
}

/* Another XMOV, or what STALLWAIT holds, starts when the mover is free; other instructions do not
 * wait. */
TEST_EACH(who_comes_next_waits_for_the_mover, 2 * MODES * COUNT(sizes))
{
    unsigned mode = (unsigned)_i % MODES;
    uint32_t size = sizes[_i / MODES / 2];
    bool again = _i / MODES % 2, to_l1 = mode == ZEROS_TO_L1 || mode == L1_TO_L1;
    uint64_t took = cycles_of(size, mode), start = 1; /* pushed at 0 */
    tensix->timing = &harness.costs;
    set_move(0, to_l1 ? 0 : 0x1000, 0x100, size, mode); /* keeps what XMOV looks at */
    queue(0, "XMOV 0, 0");
    queue(0, "NOP");
    queue(0, again ? "XMOV 0, 1" : "NOP");
    queue(0, "NOP");
    queue(1, "NOP"); /* so that XMOV comes first */
    queue(1, "STALLWAIT 0x40, 0x200");
    queue(1, "SETADCXX 1, 1, 1"); /* which passes */
    queue(1, "INCRWC 0, 1, 1, 1");
    queue(2, "NOP");
    queue(2, "NOP");
    tensix_harness_go(&harness, 5);
    ck_assert_uint_eq(tensix->thread[2].drained, 2);
    ck_assert_uint_ge(tensix->thread[1].drained, 3);
    tensix_harness_go(&harness, 1000);
    uint64_t second = !again ? start : took > 2 ? start + took : start + 2;
    ck_assert_uint_eq(tensix->mover.free_at, second + took);
    ck_assert_uint_eq(tensix->thread[0].drained, 4);
    if (took > 4 && !again) { /* met when the move is over, open a cycle later */
        ck_assert_uint_eq(tensix->thread[1].time, start + took + 2);
    }
    ck_assert_uint_eq(tensix->thread[1].drained, 4);
    ck_assert_uint_eq(harness.faults, 0);
}

/* The waiting thread says why, and the coprocessor is not idle. */
TEST(waiting_is_seen)
{
    char text[240];
    tensix->timing = &harness.costs;
    set_move(0, 0, 0x1000, 0x800, L1_TO_L1);
    tensix_harness_run(&harness, 0, "NOP");
    uint32_t word = tensix_harness_assemble("XMOV 0, 0");
    struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
    ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
    tensix_harness_go(&harness, 100);
    ck_assert(tensix_mover_busy(tensix));
    ck_assert(tensix_busy(tensix));
    ck_assert_uint_le(tensix_next_event(tensix), tensix->mover.free_at);
    ck_assert(tensix_wait_text(tensix, 0, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "busy"));
    tensix_harness_go(&harness, 0x800 * 11 / 8 * 2);
    ck_assert(!tensix_busy(tensix));
    ck_assert(!tensix_mover_busy(tensix));
    ck_assert_uint_eq(tensix_mover_next(tensix), UINT64_MAX);
}

/* --- Reset --- */

TEST_EACH(reset_discards_moves, 2)
{
    bool timed = _i;
    tensix->timing = timed ? &tile_costs : NULL;
    tensix_harness_set_l1(&harness, 0x1000, 77);
    set_move(0, 0x20, 0x100, 1, L1_TO_L1);
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MOVER);
    xmov(0);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x200), 0);
    ck_assert(!tensix->thread[0].has_next);
    ck_assert(!tensix_mover_busy(tensix));
    tensix_soft_reset(tensix, TENSIX_RESET_MOVER, 0);
    xmov(0);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x200), 77);
}

TEST(reset_ends_what_is_under_way)
{
    tensix->timing = &harness.costs;
    set_move(0, 0, 0x1000, 0x800, L1_TO_L1);
    uint32_t word = tensix_harness_assemble("XMOV 0, 0");
    struct tensix_origin origin = {.pusher = TENSIX_BY_T0};
    ck_assert(tensix_push(tensix, 0, origin, &word, 1, harness.time));
    tensix_harness_go(&harness, 10);
    ck_assert(tensix_mover_busy(tensix));
    tensix_soft_reset(tensix, 0, TENSIX_RESET_MOVER);
    ck_assert(!tensix_mover_busy(tensix));
    ck_assert_uint_eq(tensix_mover_next(tensix), UINT64_MAX);
    tensix_soft_reset(tensix, TENSIX_RESET_MOVER, 0);
    ck_assert(!tensix_mover_busy(tensix));
}

/* --- Commands --- */

static const struct tensix_command long_move = {
    .kind = TENSIX_COMMAND_MOVE,
    .has_parameters = true,
    .move = {.to = 0x10000, .from = 0x20000, .size = 800, .mode = TENSIX_MOVE_L1_TO_L1}};

static struct tensix_command store_of(uint32_t to, uint64_t value)
{
    return (struct tensix_command){
        .kind = TENSIX_COMMAND_STORE, .move = {.to = to, .size = 8}, .value = value};
}

/* A move, a wait, and a store that tells of its end: the store comes when the move is over. */
TEST(commands_keep_their_order)
{
    enum { MOVE_CYCLES = (50 * 11 + 7) / 8 };
    const struct tensix_command wait = {.kind = TENSIX_COMMAND_WAIT},
                                store = store_of(0x300, UINT64_C(0x123456789));
    tensix->timing = &harness.costs;
    tensix_harness_set_l1(&harness, 0x20000, 5);
    ck_assert(tensix_command(tensix, &long_move, 0));
    ck_assert(tensix_command(tensix, &wait, 1));
    ck_assert(tensix_command(tensix, &store, 2));
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x10000), 5);
    ck_assert_uint_eq(tensix->mover.count, 2);
    tensix_harness_go(&harness, MOVE_CYCLES + 1);
    ck_assert_uint_eq(tensix->mover.count, 1); /* the wait is over, at MOVE_CYCLES */
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x300), 0);
    tensix_harness_go(&harness, 1);
    ck_assert_uint_eq(tensix->mover.count, 0);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x300), 0x23456789);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x304), 1);
    ck_assert(!tensix_busy(tensix));
}

/* Random commands in a timed run, cut into pieces at random, leave what they leave at once. */
TEST(queue_does_what_a_functional_run_does)
{
    enum { COMMANDS = 300 };
    static struct tensix_harness at_once;
    tensix_harness_open(&at_once);
    tensix->timing = &harness.costs;
    for (uint32_t i = 0; i < 0x4000; i += 4) {
        uint32_t value = random_next(&dice);
        tensix_harness_set_l1(&harness, i, value);
        tensix_harness_set_l1(&at_once, i, value);
    }
    for (unsigned i = 0; i < COMMANDS; i++) {
        struct tensix_command command = {.kind = (enum tensix_command_kind)random_below(&dice, 4),
                                         .move = {.to = random_below(&dice, 0x200) * 16,
                                                  .from = 0x2000 + random_below(&dice, 0x100) * 16,
                                                  .size = random_below(&dice, 0x40) * 16,
                                                  .mode = random_below(&dice, 2)
                                                              ? TENSIX_MOVE_L1_TO_L1
                                                              : TENSIX_MOVE_ZEROS_TO_L1}};
        if (command.kind == TENSIX_COMMAND_STORE) {
            command = store_of(command.move.to, random_next(&dice));
        }
        ck_assert_ptr_null(tensix_move_rule(tensix, &command.move));
        while (!tensix_command(tensix, &command, harness.time)) {
            ck_assert_uint_eq(tensix->mover.count, TENSIX_MOVER_QUEUE);
            tensix_harness_go(&harness, 1 + random_below(&dice, 40));
        }
        ck_assert(tensix_command(&at_once.tensix, &command, 0));
        ck_assert_uint_eq(at_once.tensix.mover.count, 0);
        if (random_below(&dice, 3) == 0) {
            tensix_harness_go(&harness, 1 + random_below(&dice, 100));
        }
    }
    tensix_harness_go(&harness, 10000);
    ck_assert_uint_eq(tensix->mover.count, 0);
    ck_assert(memcmp(harness.l1, at_once.l1, L1) == 0);
    tensix_harness_close(&at_once);
}

TEST(reset_empties_the_queue)
{
    const struct tensix_command store = store_of(0x300, 9);
    tensix->timing = &harness.costs;
    ck_assert(tensix_command(tensix, &long_move, 0));
    ck_assert(tensix_command(tensix, &long_move, 1));
    ck_assert(tensix_command(tensix, &store, 2));
    ck_assert_uint_eq(tensix_mover_parameters(tensix), 1);
    tensix_soft_reset(tensix, 0, TENSIX_RESET_TDMA);
    ck_assert_uint_eq(tensix->mover.count, 0);
    ck_assert(tensix_mover_busy(tensix)); /* with the first one, still */
    tensix_harness_go(&harness, 1000);
    ck_assert_uint_eq(tensix_harness_l1(&harness, 0x300), 0);
}
