/*
 * Links between Ethernet tiles, as libpenrose gives them: guest programs on the second harts send
 * TT-link data over a loopback, between two tiles of a chip, and between two chips; every byte
 * arrives, and when does not depend on threads, shortcuts, or the chip that is run.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>
#include <penrose/history.h>
#include <penrose/penrose.h>

#include "unit/test.h"

enum {
    ROW = 25,
    L1_BYTES = 0x70000, /* above it is base firmware */
    CODE = 0x3000,
    COUNT = 0x1ff0, /* transfers of the table; negative: the hart waits for the flag first */
    FLAG = 0x1f00,
    FLAG_SOURCE = 0x1f10,
    TABLE = 0x2000,
    MOST = 60,
    SOURCE = 0x10000,
    TARGET = 0x40000,
    REGION = 0x28000,
    CYCLES = 3000000,
    MMIO_TARGET = 0x1000 + 0x14, /* ETH_TXQ_TRANSFER_START_ADDR of queue 1, which nobody uses */
    PCS_STATUS = 0x800c,
};
#define ETH UINT32_C(0xffb90000)

static uint32_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

/* --- Chips --- */

static struct penrose_chip *open_chip(unsigned threads)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.threads = threads;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

static void put(struct penrose_chip *chip, unsigned x, uint32_t address, const void *bytes,
                size_t size)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, x, ROW, address, bytes, size, &error) == PENROSE_OK, "%s",
                  error.text);
}

static void get(struct penrose_chip *chip, unsigned x, uint32_t address, void *bytes, size_t size)
{
    struct penrose_error error;
    ck_assert_msg(penrose_peek(chip, x, ROW, address, bytes, size, &error) == PENROSE_OK, "%s",
                  error.text);
}

static uint32_t word_of(struct penrose_chip *chip, unsigned x, uint32_t address)
{
    uint32_t word;
    get(chip, x, address, &word, sizeof word);
    return word;
}

static void pass(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
}

/* --- The guest --- */

/* Waits for the flag if the count is negative, then sends what the table says, then waits until
 * the peer's data are there. */
static const char *const guest[] = {
    "lui s0, 0xffb90",
    "lui t0, 2",
    "lw t2, -16(t0)",       /* COUNT */
    "bge t2, zero, 0x301c", /* negative: the other end begins */
    "lw t1, -256(t0)",      /* FLAG */
    "beq t1, zero, 0x3010",
    "sub t2, zero, t2",
    "beq t2, zero, 0x3050", /* 0x301c */
    "lw t1, 8(s0)",         /* 0x3020: ETH_TXQ_STATUS */
    "bne t1, zero, 0x3020",
    "lw a0, 0(t0)",
    "lw a1, 4(t0)",
    "lw a2, 8(t0)",
    "lw a3, 12(t0)",
    "sw a0, 0x14(s0)",
    "sw a0, 0x44(s0)", /* data of an MMIO write */
    "sw a1, 0x18(s0)",
    "sw a2, 0x1c(s0)",
    "sw a3, 4(s0)",
    "jal zero, 0x3054",
    "ebreak",          /* 0x3050 */
    "addi t0, t0, 16", /* 0x3054 */
    "addi t2, t2, -1",
    "bne t2, zero, 0x3020",
    "lui t0, 2",
    "lw t1, -256(t0)",
    "beq t1, zero, 0x3064",
    "ebreak",
};

struct transfer {
    uint32_t start, size, destination, command;
};

/* One end of a link: what it sends, and what the other end's memory is to look like. */
struct end {
    struct penrose_chip *chip;
    unsigned x;
    struct transfer table[MOST];
    uint8_t source[REGION], image[REGION];
    uint32_t last_mmio;
};

static void load_guest(const struct end *end, uint32_t count)
{
    for (uint32_t i = 0; i < sizeof guest / sizeof guest[0]; i++) {
        uint32_t word;
        struct penrose_error error = {0};
        ck_assert_msg(penrose_assemble(guest[i], CODE + 4 * i, &word, &error) == PENROSE_OK,
                      "%s: %s", guest[i], error.text);
        put(end->chip, end->x, CODE + 4 * i, &word, sizeof word);
    }
    put(end->chip, end->x, COUNT, &count, sizeof count);
}

/* Random transfers, some of them writes of a register; the last sets the other end's flag. */
static void prepare(struct end *end, bool begins)
{
    static const uint32_t flag[4] = {1, 2, 3, 4};
    for (uint32_t i = 0; i < REGION; i++) {
        end->source[i] = (uint8_t)below(256);
    }
    for (unsigned i = 0; i + 1 < MOST; i++) {
        uint32_t size = 16 * (1 + below(below(6) ? 40 : 1000));
        uint32_t from = 16 * below((REGION - size) / 16), to = 16 * below((REGION - size) / 16);
        if (below(8) == 0) {
            end->last_mmio = below(UINT32_MAX);
            end->table[i] = (struct transfer){end->last_mmio, 0, ETH + MMIO_TARGET, 4};
            continue;
        }
        end->table[i] = (struct transfer){SOURCE + from, size, TARGET + to, 2};
        memcpy(end->image + to, end->source + from, size);
    }
    end->table[MOST - 1] = (struct transfer){FLAG_SOURCE, sizeof flag, FLAG, 2};
    put(end->chip, end->x, SOURCE, end->source, REGION);
    put(end->chip, end->x, TABLE, end->table, sizeof end->table);
    put(end->chip, end->x, FLAG_SOURCE, flag, sizeof flag);
    load_guest(end, begins ? MOST : (uint32_t)-MOST);
}

static void start(const struct end *end)
{
    struct penrose_error error;
    ck_assert_msg(penrose_hart_release(end->chip, end->x, ROW, PENROSE_NCRISC, CODE, &error) ==
                      PENROSE_OK,
                  "%s", error.text);
}

static bool has_paused(const struct end *end)
{
    struct penrose_hart_info info;
    return penrose_hart_info(end->chip, end->x, ROW, PENROSE_NCRISC, &info, NULL) == PENROSE_OK &&
           info.state == PENROSE_HART_PAUSED;
}

static bool both_paused(struct penrose_chip *chip, void *context)
{
    struct end *const *ends = context;
    (void)chip;
    return has_paused(ends[0]) && has_paused(ends[1]);
}

/* What `from` sent is in the memory of `to`. */
static void check_arrived(const struct end *from, const struct end *to)
{
    static uint8_t found[REGION];
    get(to->chip, to->x, TARGET, found, REGION);
    ck_assert_mem_eq(found, from->image, REGION);
    ck_assert_uint_eq(word_of(to->chip, to->x, ETH + MMIO_TARGET), from->last_mmio);
    ck_assert_uint_eq(word_of(to->chip, to->x, FLAG + 12), 4);
}

static struct end *new_end(struct penrose_chip *chip, unsigned x)
{
    struct end *end = calloc(1, sizeof *end);
    ck_assert_ptr_nonnull(end);
    end->chip = chip;
    end->x = x;
    return end;
}

/* --- Data --- */

TEST_EACH(loopback_brings_every_byte, 12)
{
    struct penrose_error error;
    struct penrose_chip *chip = open_chip(1);
    struct end *end = new_end(chip, 20 + (unsigned)_i);
    struct end *ends[] = {end, end};
    seed = (uint32_t)_i;
    ck_assert_int_eq(penrose_ethernet_link(chip, end->x, ROW, chip, end->x, ROW, &error),
                     PENROSE_OK);
    prepare(end, true);
    start(end);
    const struct penrose_run run = {
        .size = sizeof run, .cycles = CYCLES, .until = both_paused, .context = ends};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CONDITION);
    check_arrived(end, end);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    free(end);
    penrose_chip_destroy(chip);
}

TEST(tiles_of_a_chip_exchange_data)
{
    struct penrose_error error;
    uint64_t finished = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct penrose_chip *chip = open_chip(threads);
        struct end *a = new_end(chip, 21), *b = new_end(chip, 30), *ends[] = {a, b};
        seed = 7;
        ck_assert_int_eq(penrose_ethernet_link(chip, 21, ROW, chip, 30, ROW, &error), PENROSE_OK);
        prepare(a, true);
        prepare(b, false);
        start(a);
        start(b);
        const struct penrose_run run = {
            .size = sizeof run, .cycles = CYCLES, .until = both_paused, .context = ends};
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CONDITION);
        check_arrived(a, b);
        check_arrived(b, a);
        ck_assert_uint_eq(penrose_fault_count(chip), 0);
        ck_assert(!finished || finished == penrose_last_activity(chip));
        finished = penrose_last_activity(chip);
        free(a);
        free(b);
        penrose_chip_destroy(chip);
    }
}

static struct penrose_cluster *open_cluster(unsigned threads, unsigned chips,
                                            struct penrose_chip **chip)
{
    struct penrose_cluster *cluster;
    struct penrose_error error;
    ck_assert_msg(penrose_cluster_create(threads, &cluster, &error) == PENROSE_OK, "%s",
                  error.text);
    for (unsigned i = 0; i < chips; i++) {
        ck_assert_msg(penrose_cluster_add(cluster, NULL, &chip[i], &error) == PENROSE_OK, "%s",
                      error.text);
    }
    return cluster;
}

/* How two linked chips are run: host threads, time before, which one is run and is the first. */
struct pair {
    unsigned threads, driver, first;
    uint64_t before;
    bool is_core;
    struct penrose_link_errors errors;
};

/* Base firmware's live counters, and what the API says, agree with what was to go wrong. */
static uint64_t check_errors(const struct end *end, const struct penrose_link_errors *errors)
{
    enum { RETRAINS = 0x7ce00, FLAPS = 0x7ce08, BAD_FRAMES = 0x7ce60 };
    struct penrose_link_info info;
    struct penrose_error error;
    ck_assert_int_eq(penrose_ethernet_info(end->chip, end->x, ROW, &info, &error), PENROSE_OK);
    ck_assert_ptr_nonnull(info.peer);
    ck_assert_uint_eq(word_of(end->chip, end->x, BAD_FRAMES), info.damaged);
    ck_assert_uint_eq(word_of(end->chip, end->x, FLAPS), errors->down != 0);
    ck_assert_uint_eq(word_of(end->chip, end->x, RETRAINS), errors->up != 0);
    ck_assert_uint_eq(word_of(end->chip, end->x, ETH + PCS_STATUS), info.is_up);
    ck_assert_uint_eq(info.is_up, !errors->down || errors->up);
    ck_assert_uint_eq(info.down, info.is_up ? 0 : errors->down);
    ck_assert_uint_lt(info.damaged, info.received);
    return info.damaged;
}

/* Cycles until both harts have ended. */
static uint64_t run_pair(const struct pair *pair, uint64_t *hash)
{
    struct penrose_error error;
    struct penrose_chip *chip[2];
    struct penrose_cluster *cluster = open_cluster(pair->threads, 2, chip);
    struct penrose_chip *chip_a = chip[pair->first], *chip_b = chip[!pair->first];
    struct end *a = new_end(chip_a, 25), *b = new_end(chip_b, 31), *ends[] = {a, b};
    seed = 99;
    penrose_shortcuts_set(chip_a, !pair->is_core);
    penrose_shortcuts_set(chip_b, !pair->is_core);
    pass(chip_a, pair->before);
    ck_assert_int_eq(penrose_ethernet_link(chip_a, 25, ROW, chip_b, 31, ROW, &error), PENROSE_OK);
    if (pair->errors.size) {
        ck_assert_int_eq(penrose_ethernet_errors(chip_b, 31, ROW, &pair->errors, &error),
                         PENROSE_OK);
    }
    prepare(a, true);
    prepare(b, false);
    start(a);
    start(b);
    struct penrose_run run = {
        .size = sizeof run, .cycles = CYCLES, .until = both_paused, .context = ends};
    ck_assert_int_eq(penrose_run(chip[pair->driver], &run), PENROSE_CONDITION);
    uint64_t cycles = penrose_now(chip_a) - pair->before;
    ck_assert_uint_eq(penrose_now(chip_b) - pair->before, cycles);
    check_arrived(a, b);
    check_arrived(b, a);
    ck_assert_uint_eq(penrose_fault_count(chip_a) + penrose_fault_count(chip_b), 0);
    uint64_t damaged = check_errors(a, &pair->errors) + check_errors(b, &pair->errors);
    ck_assert_int_eq(damaged > 0, pair->errors.rate > 0);
    *hash = penrose_cluster_state_hash(cluster);
    free(a);
    free(b);
    penrose_cluster_destroy(cluster);
    return cycles;
}

TEST(chips_exchange_data)
{
    static const struct pair pairs[] = {
        {.threads = 1, .before = 25600},
        {.threads = 1, .before = 25600, .driver = 1},
        {.threads = 2, .before = 25600},
        {.threads = 3, .before = 25600, .is_core = true},
        {.threads = 1, .before = 25600, .first = 1},
        {.threads = 1, .before = 256000},
    };
    uint64_t hash[sizeof pairs / sizeof pairs[0]];
    uint64_t cycles = run_pair(&pairs[0], &hash[0]);
    for (unsigned i = 1; i < sizeof pairs / sizeof pairs[0]; i++) {
        ck_assert_uint_eq(run_pair(&pairs[i], &hash[i]), cycles);
        bool is_alike = pairs[i].before == pairs[0].before && !pairs[i].first;
        ck_assert_int_eq(hash[i] == hash[0], is_alike);
    }
}

/* Hosts that poll chips with many links let much time pass in which nothing but hearts beat. */
TEST(links_that_are_idle_cost_little)
{
    enum { HEARTBEAT = 0x7cc70 };
    struct penrose_error error;
    struct penrose_chip *chip[2];
    struct penrose_cluster *cluster = open_cluster(1, 2, chip);
    struct penrose_hart_info info;
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 25, ROW, chip[1], 31, ROW, &error), PENROSE_OK);
    pass(chip[0], 1 << 21);
    uint32_t before = word_of(chip[1], 31, HEARTBEAT);
    pass(chip[0], 1 << 24);
    uint32_t beats = word_of(chip[1], 31, HEARTBEAT) - before;
    ck_assert(beats > 1 && beats < 32);
    ck_assert_int_eq(penrose_hart_info(chip[1], 31, ROW, PENROSE_BRISC, &info, &error), PENROSE_OK);
    ck_assert_int_eq(info.state, PENROSE_HART_POLLING); /* nothing of it runs in between */
    penrose_cluster_destroy(cluster);
}

/* Chips sleep between beats, however their time is cut into runs, and which of them are worked on. */
TEST(chips_that_sleep_are_as_if_they_ran)
{
    enum { CYCLES_OF_ALL = 3 << 20, PIECE = 1 << 14 };
    struct penrose_error error;
    uint64_t hash[3];
    for (unsigned way = 0; way < 3; way++) {
        struct penrose_chip *chip[3];
        struct penrose_cluster *cluster = open_cluster(2, 3, chip);
        ck_assert_int_eq(penrose_ethernet_link(chip[0], 25, ROW, chip[1], 31, ROW, &error),
                         PENROSE_OK);
        ck_assert_int_eq(penrose_ethernet_link(chip[1], 25, ROW, chip[2], 31, ROW, &error),
                         PENROSE_OK);
        for (unsigned i = 0; way > 0 && i < CYCLES_OF_ALL / PIECE; i++) {
            pass(chip[i % 3], PIECE);
            if (way == 2) { /* looked at */
                (void)word_of(chip[i % 3], i % 3 ? 31 : 25, 0x7cc70);
            }
        }
        pass(chip[0], way ? 512 : CYCLES_OF_ALL + 512);
        hash[way] = penrose_cluster_state_hash(cluster);
        penrose_cluster_destroy(cluster);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
    ck_assert_uint_eq(hash[0], hash[2]);
}

/* --- What goes wrong --- */

#define ERRORS(...)                                                                                \
    {                                                                                              \
        .size = sizeof(struct penrose_link_errors), __VA_ARGS__                                    \
    }

/* All data arrive, later, and the same for any number of threads. */
TEST_EACH(links_with_errors_bring_every_byte, 4)
{
    static const struct penrose_link_errors rows[] = {
        ERRORS(.rate = 0.2, .seed = 5),
        ERRORS(.rate = 0.2, .seed = 6),
        ERRORS(.down = 3000, .up = 150000),
        ERRORS(.rate = 0.05, .seed = 1, .down = 10000, .up = 10001),
    };
    const struct pair whole = {.threads = 1};
    uint64_t first, hash, cycles = 0, least = run_pair(&whole, &hash);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const struct pair pair = {.threads = threads, .is_core = threads == 2, .errors = rows[_i]};
        uint64_t took = run_pair(&pair, &hash);
        ck_assert(!cycles || (cycles == took && first == hash));
        cycles = took;
        first = hash;
        ck_assert_uint_gt(took, least > rows[_i].up ? least : rows[_i].up);
    }
}

TEST(seeds_choose_the_frames)
{
    struct pair pair = {.threads = 1, .errors = ERRORS(.rate = 0.2, .seed = 5)};
    uint64_t hash[2];
    run_pair(&pair, &hash[0]);
    pair.errors.seed = 6;
    run_pair(&pair, &hash[1]);
    ck_assert_uint_ne(hash[0], hash[1]);
}

TEST(links_that_stay_away_are_told)
{
    struct penrose_error error;
    struct penrose_chip *chip[2];
    struct penrose_cluster *cluster = open_cluster(1, 2, chip);
    struct end *a = new_end(chip[0], 20);
    const struct penrose_link_errors errors = ERRORS(.down = 2000);
    struct penrose_link_info info;
    char report[16384];
    seed = 4;
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, ROW, chip[1], 29, ROW, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_ethernet_errors(chip[0], 20, ROW, &errors, &error), PENROSE_OK);
    prepare(a, true);
    start(a);
    pass(chip[0], 200000);
    ck_assert(!has_paused(a));
    check_errors(a, &errors);
    ck_assert_int_eq(penrose_ethernet_info(chip[0], 20, ROW, &info, &error), PENROSE_OK);
    ck_assert_ptr_eq(info.peer, chip[1]);
    ck_assert_uint_eq(info.at.x, 29);
    ck_assert_uint_gt(info.unacknowledged, 0);
    penrose_wait_report(chip[0], report, sizeof report);
    ck_assert_msg(strstr(report, "tile (20, 25) the link to chip 1 Ethernet (29, 25) is away since "
                                 "cycle 2000; "),
                  "%s", report);
    ck_assert_int_eq(penrose_ethernet_errors(chip[1], 29, ROW, &errors, &error), PENROSE_E_STATE);
    free(a);
    penrose_cluster_destroy(cluster);
}

TEST(frames_may_all_be_damaged)
{
    struct penrose_error error;
    struct penrose_chip *chip = open_chip(1);
    struct end *end = new_end(chip, 22);
    const struct penrose_link_errors errors = ERRORS(.rate = 1);
    struct penrose_link_info info;
    char report[16384];
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, ROW, chip, 22, ROW, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_ethernet_errors(chip, 22, ROW, &errors, &error), PENROSE_OK);
    prepare(end, true);
    start(end);
    pass(chip, 200000);
    ck_assert_int_eq(penrose_ethernet_info(chip, 22, ROW, &info, &error), PENROSE_OK);
    ck_assert(!has_paused(end));
    ck_assert_uint_gt(info.damaged, 100);
    ck_assert_uint_eq(info.damaged, info.received);
    ck_assert_uint_gt(info.resends, 0);
    penrose_wait_report(chip, report, sizeof report);
    ck_assert_msg(strstr(report, "tile (22, 25) the link to Ethernet (22, 25) has damaged "), "%s",
                  report);
    free(end);
    penrose_chip_destroy(chip);
}

TEST_EACH(wrong_errors_are_refused, 7)
{
    static const struct {
        struct penrose_link_errors errors;
        unsigned x, y;
        const char *words;
        enum penrose_status status;
    } rows[] = {
        {ERRORS(.rate = -0.1), 22, ROW, "the rate -0.1 is not between 0 and 1", PENROSE_E_ARGUMENT},
        {ERRORS(.rate = 1.5), 22, ROW, "the rate 1.5 is not between 0 and 1", PENROSE_E_ARGUMENT},
        {ERRORS(.down = 9, .up = 9), 22, ROW,
         "a link that goes away at cycle 9 cannot come back at 9", PENROSE_E_ARGUMENT},
        {ERRORS(.rate = 0.1), 23, ROW, "Ethernet (23, 25) has no link", PENROSE_E_STATE},
        {ERRORS(.rate = 0.1), 1, 2, "worker (1, 2) has no link", PENROSE_E_STATE},
        {ERRORS(.rate = 0.1), 63, 63, "no tile with harts", PENROSE_E_ARGUMENT},
        {{.rate = 0.1}, 22, ROW, "penrose_link_errors.size is 0", PENROSE_E_ARGUMENT},
    };
    struct penrose_error error;
    struct penrose_chip *chip = open_chip(1);
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, ROW, chip, 22, ROW, &error), PENROSE_OK);
    ck_assert_int_eq(
        penrose_ethernet_errors(chip, rows[_i].x, rows[_i].y, &rows[_i].errors, &error),
        rows[_i].status);
    ck_assert_msg(strstr(error.text, rows[_i].words), "%s", error.text);
    penrose_chip_destroy(chip);
}

/* --- Edges --- */

TEST(wrong_ends_are_refused)
{
    static const struct {
        unsigned x, y;
        const char *words;
        enum penrose_status status;
    } wrong[] = {
        {1, 2, "worker (1, 2) has no link; Ethernet tiles are at x 20-31, y 25",
         PENROSE_E_ARGUMENT},
        {17, 12, "DRAM (17, 12) has no link", PENROSE_E_ARGUMENT},
        {19, 24, "no tile with harts", PENROSE_E_ARGUMENT},
        {63, 63,
         "no tile with harts at (63, 63); workers are at x 1-7 and 10-16, y 2-11, DRAM tiles at "
         "x 17-18, y 12-23, Ethernet tiles at x 20-31, y 25",
         PENROSE_E_ARGUMENT},
        {22, ROW, "Ethernet (22, 25) has a link already", PENROSE_E_STATE},
        {23, ROW, "Ethernet (23, 25): erisc1 runs already", PENROSE_E_STATE},
    };
    struct penrose_error error;
    struct penrose_chip *chips[2], *chip, *other;
    struct penrose_cluster *cluster = open_cluster(1, 2, chips);
    chip = chips[0];
    other = chips[1];
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, ROW, chip, 22, ROW, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip, 23, ROW, PENROSE_NCRISC, CODE, &error), PENROSE_OK);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(penrose_ethernet_link(chip, wrong[i].x, wrong[i].y, chip, wrong[i].x,
                                               wrong[i].y, &error),
                         wrong[i].status);
        ck_assert_msg(strstr(error.text, wrong[i].words) != NULL, "%s", error.text);
        ck_assert_int_eq(
            penrose_ethernet_link(other, 20, ROW, chip, wrong[i].x, wrong[i].y, &error),
            wrong[i].status);
        ck_assert_uint_eq(word_of(other, 20, ETH + PCS_STATUS), 0);
    }
    penrose_cluster_destroy(cluster);
}

TEST(link_is_cut)
{
    enum { PORT_STATUS = 0x7cc04, REMOTE_TILE = 0x7cfe0 };
    struct penrose_error error;
    struct penrose_chip *chip[2], *a, *b;
    struct penrose_cluster *cluster = open_cluster(1, 2, chip);
    a = chip[0];
    b = chip[1];
    struct end *end = new_end(a, 20);
    ck_assert_uint_eq(word_of(a, 20, PORT_STATUS), 3); /* PCIe has its lanes */
    ck_assert_uint_eq(word_of(b, 29, PORT_STATUS), 2);
    ck_assert_int_eq(penrose_ethernet_unlink(a, 20, ROW, &error), PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "Ethernet (20, 25) has no link");
    ck_assert_int_eq(penrose_ethernet_link(a, 20, ROW, b, 29, ROW, &error), PENROSE_OK);
    ck_assert_uint_eq(word_of(a, 20, PORT_STATUS), 1);
    ck_assert_uint_eq(word_of(a, 20, REMOTE_TILE) >> 24, 9);
    ck_assert_uint_eq(word_of(b, 29, REMOTE_TILE) >> 24, 0);
    ck_assert_uint_eq(word_of(a, 20, ETH + PCS_STATUS), 1);
    prepare(end, true);
    start(end);
    pass(a, 2000); /* frames are under way in both directions */
    ck_assert_int_eq(penrose_ethernet_unlink(b, 29, ROW, &error), PENROSE_OK);
    ck_assert_uint_eq(word_of(a, 20, ETH + PCS_STATUS), 0);
    ck_assert_uint_eq(word_of(b, 29, ETH + PCS_STATUS), 0);
    pass(a, 200000);
    ck_assert(!has_paused(end));
    ck_assert_uint_eq(penrose_fault_count(a), 0);
    ck_assert_int_eq(penrose_ethernet_unlink(a, 20, ROW, &error), PENROSE_E_STATE);
    free(end);
    penrose_cluster_destroy(cluster);
}

/* --- Clusters --- */

TEST(clusters_run_as_chips_do)
{
    struct penrose_chip *chip[3];
    struct penrose_cluster *cluster = open_cluster(1, 3, chip);
    struct penrose_run run = {.size = sizeof run, .cycles = 1000};
    struct penrose_error error;
    unsigned number = 9;
    uint32_t word = UINT32_MAX;
    ck_assert_ptr_eq(penrose_chip_cluster(chip[2], &number), cluster);
    ck_assert_uint_eq(number, 2);
    ck_assert_ptr_eq(penrose_cluster_chip(cluster, 1), chip[1]);
    ck_assert_ptr_null(penrose_cluster_chip(cluster, 3));
    ck_assert_int_eq(penrose_run(chip[0], &run), PENROSE_QUIET);
    ck_assert_uint_eq(penrose_now(chip[2]), 0);
    run.pass_quiet_time = true;
    ck_assert_int_eq(penrose_run(chip[1], &run), PENROSE_CYCLES);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(penrose_now(chip[i]), 1000);
    }
    ck_assert_int_eq(penrose_write(chip[1], 1, 2, 0x100, &word, 4, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip[1], 1, 2, PENROSE_BRISC, 0x100, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip[0], &run), PENROSE_FAULT);
    ck_assert_uint_eq(penrose_fault_count(chip[1]), 1);
    ck_assert_uint_eq(penrose_now(chip[0]), penrose_now(chip[2]));
    penrose_chip_destroy(chip[0]); /* goes with its cluster */
    ck_assert_int_eq(penrose_run(chip[0], &run), PENROSE_FAULT);
    penrose_cluster_destroy(cluster);
}

/* A chip runs as it would alone, whatever another one does. */
TEST(chips_do_not_disturb_each_other)
{
    struct penrose_error error;
    uint64_t hash[2];
    for (unsigned others = 0; others < 2; others++) {
        struct penrose_chip *chip[3];
        struct penrose_cluster *cluster = open_cluster(2, others ? 3 : 1, chip);
        struct end *end = new_end(chip[0], 24), *ends[] = {end, end};
        seed = 3;
        ck_assert_int_eq(penrose_ethernet_link(chip[0], 24, ROW, chip[0], 24, ROW, &error),
                         PENROSE_OK);
        prepare(end, true);
        start(end);
        struct end *other = others ? new_end(chip[1], 24) : NULL;
        if (other) { /* it waits for a flag that never comes */
            prepare(other, false);
            start(other);
        }
        const struct penrose_run run = {
            .size = sizeof run, .cycles = CYCLES, .until = both_paused, .context = ends};
        ck_assert_int_eq(penrose_run(chip[0], &run), PENROSE_CONDITION);
        pass(chip[0], CYCLES - penrose_now(chip[0]));
        hash[others] = penrose_state_hash(chip[0]);
        free(end);
        free(other);
        penrose_cluster_destroy(cluster);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
}

TEST(what_is_of_one_chip_is_refused)
{
    struct penrose_error error;
    struct penrose_chip *chip[2], *more, *alone = open_chip(1);
    struct penrose_cluster *cluster = open_cluster(1, 2, chip), *timed;
    struct penrose_options options = {.size = sizeof options, .timed = true};
    struct penrose_history *history;
    struct penrose_history_options history_options = {.size = sizeof history_options};
    void *bytes;
    size_t size;
    ck_assert_int_eq(penrose_snapshot_to_memory(chip[1], &bytes, &size, &error), PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "a snapshot is of one chip; this one belongs to a cluster of 2");
    ck_assert_int_eq(penrose_snapshot_save(chip[1], "never", &error), PENROSE_E_STATE);
    ck_assert_int_eq(penrose_history_start(chip[0], &history_options, &history, &error),
                     PENROSE_E_STATE);
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, ROW, alone, 20, ROW, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_str_eq(error.text,
                     "the chips are not of one cluster; make both by penrose_cluster_add");
    ck_assert_int_eq(penrose_cluster_add(cluster, &options, &more, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "differ from those of chip 0"));
    options.timed = false;
    options.schedule = PENROSE_RANDOM;
    ck_assert_int_eq(penrose_cluster_add(cluster, &options, &more, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "differ from those of chip 0"));
    ck_assert_ptr_null(more);
    pass(chip[0], 512);
    ck_assert_int_eq(penrose_cluster_add(cluster, NULL, &more, &error), PENROSE_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.text, "has run to cycle 512; add chips before"));
    ck_assert_int_eq(penrose_cluster_create(1000, &timed, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(timed);
    penrose_cluster_destroy(cluster);
    penrose_cluster_destroy(NULL);
    ck_assert_int_eq(penrose_cluster_add(penrose_chip_cluster(alone, NULL), NULL, &more, &error),
                     PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "chip 0 was made alone; make all chips by penrose_cluster_add");
    penrose_chip_destroy(alone);
}

TEST(a_lone_chip_of_a_cluster_goes_with_it)
{
    struct penrose_chip *chip[1];
    struct penrose_cluster *cluster = open_cluster(1, 1, chip);
    penrose_chip_destroy(chip[0]);
    pass(chip[0], 512);
    ck_assert_uint_eq(penrose_now(chip[0]), 512);
    penrose_cluster_destroy(cluster);
}
