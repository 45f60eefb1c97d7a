/*
 * Links between Ethernet tiles, as libpenrose gives them: guest programs on the second harts send
 * TT-link data over a loopback, between two tiles of a chip, and between two chips; every byte
 * arrives, and when does not depend on threads, shortcuts, or the chip that is run.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>
#include <penrose/penrose.h>

#include "unit/chip/link_ends.h"
#include "unit/test.h"

/* --- Data --- */

TEST_EACH(loopback_brings_every_byte, 12)
{
    struct penrose_error error;
    struct penrose_chip *chip = link_open_chip(1);
    struct link_end *end = link_new_end(chip, 20 + (unsigned)_i);
    struct link_end *ends[] = {end, end};
    link_seed = (uint32_t)_i;
    ck_assert_int_eq(penrose_ethernet_link(chip, end->x, LINK_ROW, chip, end->x, LINK_ROW, &error),
                     PENROSE_OK);
    link_prepare(end, true);
    link_start(end);
    const struct penrose_run run = {
        .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = ends};
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CONDITION);
    link_check_arrived(end, end);
    ck_assert_uint_eq(penrose_fault_count(chip), 0);
    free(end);
    penrose_chip_destroy(chip);
}

TEST(tiles_of_a_chip_exchange_data)
{
    struct penrose_error error;
    uint64_t finished = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct penrose_chip *chip = link_open_chip(threads);
        struct link_end *a = link_new_end(chip, 21), *b = link_new_end(chip, 30), *ends[] = {a, b};
        link_seed = 7;
        ck_assert_int_eq(penrose_ethernet_link(chip, 21, LINK_ROW, chip, 30, LINK_ROW, &error),
                         PENROSE_OK);
        link_prepare(a, true);
        link_prepare(b, false);
        link_start(a);
        link_start(b);
        const struct penrose_run run = {
            .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = ends};
        ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CONDITION);
        link_check_arrived(a, b);
        link_check_arrived(b, a);
        ck_assert_uint_eq(penrose_fault_count(chip), 0);
        ck_assert(!finished || finished == penrose_last_activity(chip));
        finished = penrose_last_activity(chip);
        free(a);
        free(b);
        penrose_chip_destroy(chip);
    }
}

/* How two linked chips are run: host threads, time before, which one is run and is the first. */
struct pair {
    unsigned threads, driver, first;
    uint64_t before;
    bool is_core;
    struct penrose_link_errors errors;
};

/* Base firmware's live counters, and what the API says, agree with what was to go wrong. */
static uint64_t check_errors(const struct link_end *end, const struct penrose_link_errors *errors)
{
    enum { RETRAINS = 0x7ce00, FLAPS = 0x7ce08, BAD_FRAMES = 0x7ce60 };
    struct penrose_link_info info;
    struct penrose_error error;
    ck_assert_int_eq(penrose_ethernet_info(end->chip, end->x, LINK_ROW, &info, &error), PENROSE_OK);
    ck_assert_ptr_nonnull(info.peer);
    ck_assert_uint_eq(link_word(end->chip, end->x, BAD_FRAMES), info.damaged);
    ck_assert_uint_eq(link_word(end->chip, end->x, FLAPS), errors->down != 0);
    ck_assert_uint_eq(link_word(end->chip, end->x, RETRAINS), errors->up != 0);
    ck_assert_uint_eq(link_word(end->chip, end->x, LINK_REGISTERS + LINK_PCS_STATUS), info.is_up);
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
    struct penrose_cluster *cluster = link_open_cluster(pair->threads, 2, chip);
    struct penrose_chip *chip_a = chip[pair->first], *chip_b = chip[!pair->first];
    struct link_end *a = link_new_end(chip_a, 25), *b = link_new_end(chip_b, 31), *ends[] = {a, b};
    link_seed = 99;
    penrose_shortcuts_set(chip_a, !pair->is_core);
    penrose_shortcuts_set(chip_b, !pair->is_core);
    link_pass(chip_a, pair->before);
    ck_assert_int_eq(penrose_ethernet_link(chip_a, 25, LINK_ROW, chip_b, 31, LINK_ROW, &error),
                     PENROSE_OK);
    if (pair->errors.size) {
        ck_assert_int_eq(penrose_ethernet_errors(chip_b, 31, LINK_ROW, &pair->errors, &error),
                         PENROSE_OK);
    }
    link_prepare(a, true);
    link_prepare(b, false);
    link_start(a);
    link_start(b);
    struct penrose_run run = {
        .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = ends};
    ck_assert_int_eq(penrose_run(chip[pair->driver], &run), PENROSE_CONDITION);
    uint64_t cycles = penrose_now(chip_a) - pair->before;
    ck_assert_uint_eq(penrose_now(chip_b) - pair->before, cycles);
    link_check_arrived(a, b);
    link_check_arrived(b, a);
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
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip);
    struct penrose_hart_info info;
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 25, LINK_ROW, chip[1], 31, LINK_ROW, &error),
                     PENROSE_OK);
    link_pass(chip[0], 1 << 21);
    uint32_t before = link_word(chip[1], 31, HEARTBEAT);
    link_pass(chip[0], 1 << 24);
    uint32_t beats = link_word(chip[1], 31, HEARTBEAT) - before;
    ck_assert(beats > 1 && beats < 32);
    ck_assert_int_eq(penrose_hart_info(chip[1], 31, LINK_ROW, PENROSE_BRISC, &info, &error),
                     PENROSE_OK);
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
        struct penrose_cluster *cluster = link_open_cluster(2, 3, chip);
        ck_assert_int_eq(
            penrose_ethernet_link(chip[0], 25, LINK_ROW, chip[1], 31, LINK_ROW, &error),
            PENROSE_OK);
        ck_assert_int_eq(
            penrose_ethernet_link(chip[1], 25, LINK_ROW, chip[2], 31, LINK_ROW, &error),
            PENROSE_OK);
        for (unsigned i = 0; way > 0 && i < CYCLES_OF_ALL / PIECE; i++) {
            link_pass(chip[i % 3], PIECE);
            if (way == 2) { /* looked at */
                (void)link_word(chip[i % 3], i % 3 ? 31 : 25, 0x7cc70);
            }
        }
        link_pass(chip[0], way ? 512 : CYCLES_OF_ALL + 512);
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
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip);
    struct link_end *a = link_new_end(chip[0], 20);
    const struct penrose_link_errors errors = ERRORS(.down = 2000);
    struct penrose_link_info info;
    char report[16384];
    link_seed = 4;
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, LINK_ROW, chip[1], 29, LINK_ROW, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_ethernet_errors(chip[0], 20, LINK_ROW, &errors, &error), PENROSE_OK);
    link_prepare(a, true);
    link_start(a);
    link_pass(chip[0], 200000);
    ck_assert(!link_has_ended(a));
    check_errors(a, &errors);
    ck_assert_int_eq(penrose_ethernet_info(chip[0], 20, LINK_ROW, &info, &error), PENROSE_OK);
    ck_assert_ptr_eq(info.peer, chip[1]);
    ck_assert_uint_eq(info.at.x, 29);
    ck_assert_uint_gt(info.unacknowledged, 0);
    penrose_wait_report(chip[0], report, sizeof report);
    ck_assert_msg(strstr(report, "tile (20, 25) the link to chip 1 Ethernet (29, 25) is away since "
                                 "cycle 2000; "),
                  "%s", report);
    ck_assert_int_eq(penrose_ethernet_errors(chip[1], 29, LINK_ROW, &errors, &error),
                     PENROSE_E_STATE);
    free(a);
    penrose_cluster_destroy(cluster);
}

TEST(frames_may_all_be_damaged)
{
    struct penrose_error error;
    struct penrose_chip *chip = link_open_chip(1);
    struct link_end *end = link_new_end(chip, 22);
    const struct penrose_link_errors errors = ERRORS(.rate = 1);
    struct penrose_link_info info;
    char report[16384];
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, LINK_ROW, chip, 22, LINK_ROW, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_ethernet_errors(chip, 22, LINK_ROW, &errors, &error), PENROSE_OK);
    link_prepare(end, true);
    link_start(end);
    link_pass(chip, 200000);
    ck_assert_int_eq(penrose_ethernet_info(chip, 22, LINK_ROW, &info, &error), PENROSE_OK);
    ck_assert(!link_has_ended(end));
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
        {ERRORS(.rate = -0.1), 22, LINK_ROW, "the rate -0.1 is not between 0 and 1",
         PENROSE_E_ARGUMENT},
        {ERRORS(.rate = 1.5), 22, LINK_ROW, "the rate 1.5 is not between 0 and 1",
         PENROSE_E_ARGUMENT},
        {ERRORS(.down = 9, .up = 9), 22, LINK_ROW,
         "a link that goes away at cycle 9 cannot come back at 9", PENROSE_E_ARGUMENT},
        {ERRORS(.rate = 0.1), 23, LINK_ROW, "Ethernet (23, 25) has no link", PENROSE_E_STATE},
        {ERRORS(.rate = 0.1), 1, 2, "worker (1, 2) has no link", PENROSE_E_STATE},
        {ERRORS(.rate = 0.1), 63, 63, "no tile with harts", PENROSE_E_ARGUMENT},
        {{.rate = 0.1}, 22, LINK_ROW, "penrose_link_errors.size is 0", PENROSE_E_ARGUMENT},
    };
    struct penrose_error error;
    struct penrose_chip *chip = link_open_chip(1);
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, LINK_ROW, chip, 22, LINK_ROW, &error),
                     PENROSE_OK);
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
        {22, LINK_ROW, "Ethernet (22, 25) has a link already", PENROSE_E_STATE},
        {23, LINK_ROW, "Ethernet (23, 25): erisc1 runs already", PENROSE_E_STATE},
    };
    struct penrose_error error;
    struct penrose_chip *chips[2], *chip, *other;
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chips);
    chip = chips[0];
    other = chips[1];
    ck_assert_int_eq(penrose_ethernet_link(chip, 22, LINK_ROW, chip, 22, LINK_ROW, &error),
                     PENROSE_OK);
    ck_assert_int_eq(penrose_hart_release(chip, 23, LINK_ROW, PENROSE_NCRISC, LINK_CODE, &error),
                     PENROSE_OK);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(penrose_ethernet_link(chip, wrong[i].x, wrong[i].y, chip, wrong[i].x,
                                               wrong[i].y, &error),
                         wrong[i].status);
        ck_assert_msg(strstr(error.text, wrong[i].words) != NULL, "%s", error.text);
        ck_assert_int_eq(
            penrose_ethernet_link(other, 20, LINK_ROW, chip, wrong[i].x, wrong[i].y, &error),
            wrong[i].status);
        ck_assert_uint_eq(link_word(other, 20, LINK_REGISTERS + LINK_PCS_STATUS), 0);
    }
    penrose_cluster_destroy(cluster);
}

TEST(link_is_cut)
{
    enum { PORT_STATUS = 0x7cc04, REMOTE_TILE = 0x7cfe0 };
    struct penrose_error error;
    struct penrose_chip *chip[2], *a, *b;
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip);
    a = chip[0];
    b = chip[1];
    struct link_end *end = link_new_end(a, 20);
    ck_assert_uint_eq(link_word(a, 20, PORT_STATUS), 3); /* PCIe has its lanes */
    ck_assert_uint_eq(link_word(b, 29, PORT_STATUS), 2);
    ck_assert_int_eq(penrose_ethernet_unlink(a, 20, LINK_ROW, &error), PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "Ethernet (20, 25) has no link");
    ck_assert_int_eq(penrose_ethernet_link(a, 20, LINK_ROW, b, 29, LINK_ROW, &error), PENROSE_OK);
    ck_assert_uint_eq(link_word(a, 20, PORT_STATUS), 1);
    ck_assert_uint_eq(link_word(a, 20, REMOTE_TILE) >> 24, 9);
    ck_assert_uint_eq(link_word(b, 29, REMOTE_TILE) >> 24, 0);
    ck_assert_uint_eq(link_word(a, 20, LINK_REGISTERS + LINK_PCS_STATUS), 1);
    link_prepare(end, true);
    link_start(end);
    link_pass(a, 2000); /* frames are under way in both directions */
    ck_assert_int_eq(penrose_ethernet_unlink(b, 29, LINK_ROW, &error), PENROSE_OK);
    ck_assert_uint_eq(link_word(a, 20, LINK_REGISTERS + LINK_PCS_STATUS), 0);
    ck_assert_uint_eq(link_word(b, 29, LINK_REGISTERS + LINK_PCS_STATUS), 0);
    link_pass(a, 200000);
    ck_assert(!link_has_ended(end));
    ck_assert_uint_eq(penrose_fault_count(a), 0);
    ck_assert_int_eq(penrose_ethernet_unlink(a, 20, LINK_ROW, &error), PENROSE_E_STATE);
    free(end);
    penrose_cluster_destroy(cluster);
}

/* --- Clusters --- */

TEST(clusters_run_as_chips_do)
{
    struct penrose_chip *chip[3];
    struct penrose_cluster *cluster = link_open_cluster(1, 3, chip);
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
        struct penrose_cluster *cluster = link_open_cluster(2, others ? 3 : 1, chip);
        struct link_end *end = link_new_end(chip[0], 24), *ends[] = {end, end};
        link_seed = 3;
        ck_assert_int_eq(
            penrose_ethernet_link(chip[0], 24, LINK_ROW, chip[0], 24, LINK_ROW, &error),
            PENROSE_OK);
        link_prepare(end, true);
        link_start(end);
        struct link_end *other = others ? link_new_end(chip[1], 24) : NULL;
        if (other) { /* it waits for a flag that never comes */
            link_prepare(other, false);
            link_start(other);
        }
        const struct penrose_run run = {
            .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = ends};
        ck_assert_int_eq(penrose_run(chip[0], &run), PENROSE_CONDITION);
        link_pass(chip[0], LINK_CYCLES - penrose_now(chip[0]));
        hash[others] = penrose_state_hash(chip[0]);
        free(end);
        free(other);
        penrose_cluster_destroy(cluster);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
}

TEST(wrong_clusters_are_refused)
{
    struct penrose_error error;
    struct penrose_chip *chip[2], *more, *alone = link_open_chip(1);
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip), *timed;
    struct penrose_options options = {.size = sizeof options, .timed = true};
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, LINK_ROW, alone, 20, LINK_ROW, &error),
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
    link_pass(chip[0], 512);
    ck_assert_int_eq(penrose_cluster_add(cluster, NULL, &more, &error), PENROSE_E_STATE);
    ck_assert_ptr_nonnull(strstr(error.text, "has run to cycle 512; add chips before"));
    ck_assert_int_eq(penrose_cluster_create(1000, &timed, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(timed);
    penrose_cluster_destroy(cluster);
    penrose_cluster_destroy(NULL);
    ck_assert_int_eq(penrose_cluster_add(penrose_chip_cluster(alone, NULL), NULL, &more, &error),
                     PENROSE_E_STATE);
    ck_assert_str_eq(error.text,
                     "chip 0 was made alone or loaded; make all chips by penrose_cluster_add");
    penrose_chip_destroy(alone);
}

TEST(a_lone_chip_of_a_cluster_goes_with_it)
{
    struct penrose_chip *chip[1];
    struct penrose_cluster *cluster = link_open_cluster(1, 1, chip);
    penrose_chip_destroy(chip[0]);
    link_pass(chip[0], 512);
    ck_assert_uint_eq(penrose_now(chip[0]), 512);
    penrose_cluster_destroy(cluster);
}
