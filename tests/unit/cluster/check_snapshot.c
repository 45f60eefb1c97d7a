/*
 * Snapshots of clusters: chips that exchange data over a link go on from any moment as those that were
 * saved, with frames under way, with other host threads, and with what goes wrong on the link. What
 * cannot be a cluster is refused.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "chip/chip.h"
#include "unit/chip/link_ends.h"
#include "unit/chip/snapshot_bytes.h"
#include "unit/test.h"

enum { X_A = 25, X_B = 31 };

/* Two chips whose link loses frames; chip 1 has the end that begins. */
struct pair {
    struct penrose_cluster *cluster;
    struct penrose_chip *chip[2];
    struct link_end *end[2];
};

static void open_pair(struct pair *pair, const struct penrose_options *options)
{
    const struct penrose_link_errors errors = {.size = sizeof errors, .rate = 0.1, .seed = 3};
    struct penrose_error error;
    ck_assert_int_eq(penrose_cluster_create(1, &pair->cluster, &error), PENROSE_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct penrose_options own = *options;
        own.card = i ? "unharvested" : "p150a"; /* products may differ */
        ck_assert_msg(penrose_cluster_add(pair->cluster, &own, &pair->chip[i], &error) ==
                          PENROSE_OK,
                      "%s", error.text);
    }
    ck_assert_msg(penrose_ethernet_link(pair->chip[1], X_A, LINK_ROW, pair->chip[0], X_B, LINK_ROW,
                                        &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_int_eq(penrose_ethernet_errors(pair->chip[0], X_B, LINK_ROW, &errors, &error),
                     PENROSE_OK);
    link_seed = 11;
    pair->end[0] = link_new_end(pair->chip[0], X_B);
    pair->end[1] = link_new_end(pair->chip[1], X_A);
    link_prepare(pair->end[0], false);
    link_prepare(pair->end[1], true);
    link_start(pair->end[0]);
    link_start(pair->end[1]);
}

static void close_pair(struct pair *pair)
{
    free(pair->end[0]);
    free(pair->end[1]);
    penrose_cluster_destroy(pair->cluster);
}

static void run_to_end(struct pair *pair)
{
    const struct penrose_run run = {
        .size = sizeof run, .cycles = LINK_CYCLES, .until = link_both_ended, .context = pair->end};
    ck_assert_int_eq(penrose_run(pair->chip[0], &run), PENROSE_CONDITION);
    link_check_arrived(pair->end[0], pair->end[1]);
    link_check_arrived(pair->end[1], pair->end[0]);
}

/* The same ends on the chips of another cluster. */
static struct pair pair_of(const struct pair *pair, struct penrose_chip *chip)
{
    struct pair copy = {.cluster = penrose_chip_cluster(chip, NULL)};
    for (unsigned i = 0; i < 2; i++) {
        copy.chip[i] = penrose_cluster_chip(copy.cluster, i);
        ck_assert_ptr_nonnull(copy.chip[i]);
        copy.end[i] = malloc(sizeof *copy.end[i]);
        ck_assert_ptr_nonnull(copy.end[i]);
        *copy.end[i] = *pair->end[i];
        copy.end[i]->chip = copy.chip[i];
    }
    ck_assert_ptr_null(penrose_cluster_chip(copy.cluster, 2));
    return copy;
}

static struct pair copy_pair(const struct pair *pair, unsigned threads)
{
    const struct penrose_options options = {.size = sizeof options, .threads = threads};
    struct penrose_chip *chip;
    struct penrose_error error = {.text = ""};
    void *bytes, *again;
    size_t size, again_size;
    ck_assert_int_eq(penrose_snapshot_to_memory(pair->chip[1], &bytes, &size, &error), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(&options, bytes, size, &chip, &error) == PENROSE_OK,
                  "%s", error.text);
    struct pair copy = pair_of(pair, chip);
    ck_assert_uint_eq(penrose_cluster_state_hash(copy.cluster),
                      penrose_cluster_state_hash(pair->cluster));
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(penrose_state_hash(copy.chip[i]), penrose_state_hash(pair->chip[i]));
    }
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &again, &again_size, NULL), PENROSE_OK);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(bytes, again, size);
    free(bytes);
    free(again);
    return copy;
}

static bool is_any_frame_under_way(const struct pair *pair)
{
    for (unsigned i = 0; i < 2; i++) {
        uint16_t place;
        ck_assert(chip_find(pair->chip[i], pair->end[i]->x, LINK_ROW, &place));
        if (pair->chip[i]->place[place].tile->frames) {
            return true;
        }
    }
    return false;
}

TEST_EACH(a_cluster_goes_on_from_any_moment, 3)
{
    static const struct penrose_options rows[] = {
        {.size = sizeof(struct penrose_options)},
        {.size = sizeof(struct penrose_options), .schedule = PENROSE_RANDOM, .seed = 4},
        {.size = sizeof(struct penrose_options), .timed = true},
    };
    enum { MOMENTS = 6, STEP = 3333 };
    struct pair pair, copy[MOMENTS];
    open_pair(&pair, &rows[_i]);
    for (unsigned i = 0; i < MOMENTS; i++) {
        link_pass(pair.chip[0], STEP);
        while (i % 2 && !is_any_frame_under_way(&pair)) {
            link_pass(pair.chip[0], 1);
        }
        copy[i] = copy_pair(&pair, 1 + i % 3);
        ck_assert_int_eq(is_any_frame_under_way(&copy[i]), is_any_frame_under_way(&pair));
    }
    run_to_end(&pair);
    for (unsigned i = 0; i < MOMENTS; i++) {
        run_to_end(&copy[i]);
        ck_assert_uint_eq(penrose_now(copy[i].chip[1]), penrose_now(pair.chip[0]));
        ck_assert_uint_eq(penrose_cluster_state_hash(copy[i].cluster),
                          penrose_cluster_state_hash(pair.cluster));
        for (unsigned chip = 0; chip < 2; chip++) {
            struct penrose_link_info info, other;
            unsigned x = pair.end[chip]->x;
            penrose_ethernet_info(pair.chip[chip], x, LINK_ROW, &info, NULL);
            penrose_ethernet_info(copy[i].chip[chip], x, LINK_ROW, &other, NULL);
            ck_assert_ptr_eq(other.peer, copy[i].chip[!chip]);
            ck_assert_uint_eq(other.damaged, info.damaged);
            ck_assert_uint_eq(other.resends, info.resends);
        }
        free(copy[i].end[0]);
        free(copy[i].end[1]);
        penrose_chip_destroy(copy[i].chip[i % 2]); /* any of them, and the cluster goes with it */
    }
    close_pair(&pair);
}

TEST(a_loaded_cluster_is_complete)
{
    struct penrose_chip *chip[2], *more, *loaded;
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip);
    struct penrose_error error;
    void *bytes;
    size_t size;
    chip[1]->identity = (struct chip_identity){.board = 4, .asic = 5, .location = 1, .bus = 0x42};
    ck_assert_int_eq(penrose_snapshot_to_memory(chip[0], &bytes, &size, &error), PENROSE_OK);
    ck_assert_int_eq(penrose_snapshot_from_memory(NULL, bytes, size, &loaded, &error), PENROSE_OK);
    more = penrose_cluster_chip(penrose_chip_cluster(loaded, NULL), 1);
    ck_assert_int_eq(memcmp(&more->identity, &chip[1]->identity, sizeof more->identity), 0);
    ck_assert_uint_eq(chip_calls.plan(more).identity.bus, 0x42);
    ck_assert_int_eq(penrose_cluster_add(penrose_chip_cluster(loaded, NULL), NULL, &more, &error),
                     PENROSE_E_STATE);
    penrose_chip_destroy(loaded);
    free(bytes);
    penrose_cluster_destroy(cluster);
    ck_assert_int_eq(penrose_cluster_create(1, &cluster, &error), PENROSE_OK);
    struct penrose_cluster *empty = cluster;
    ck_assert_int_eq(cluster_snapshot_to_memory(empty, &bytes, &size, &error), PENROSE_E_STATE);
    ck_assert_str_eq(error.text, "the cluster has no chips");
    penrose_cluster_destroy(empty);
}

/* --- What is no cluster --- */

static struct snapshot_bytes good;

static void make_good(void)
{
    struct pair pair;
    const struct penrose_options options = {.size = sizeof options};
    good = (struct snapshot_bytes){0};
    open_pair(&pair, &options);
    link_pass(pair.chip[0], 5000);
    ck_assert(snapshot_bytes_save(&good, pair.chip[0]));
    close_pair(&pair);
}

static void free_good(void)
{
    free(good.bytes);
}

FIXTURE(make_good, free_good);

static void refuse(const char *rule)
{
    struct penrose_chip *chip;
    ck_assert_int_eq(snapshot_bytes_load(&good, &chip), PENROSE_E_FORMAT);
    ck_assert_ptr_null(chip);
    ck_assert_msg(strstr(good.rule, rule) != NULL, "%s", good.rule);
}

/* At the end are the links: place, other chip, other place, end; the end of the second chip's. */
enum { LINK_NUMBERS = 5 };

static void set_link_number(unsigned index, uint64_t value)
{
    memcpy(good.bytes + good.size - 8 * (LINK_NUMBERS - index), &value, sizeof value);
}

static uint64_t link_number(unsigned index)
{
    uint64_t value;
    memcpy(&value, good.bytes + good.size - 8 * (LINK_NUMBERS - index), sizeof value);
    return value;
}

TEST(links_lead_from_port_to_port)
{
    struct penrose_chip *chip;
    ck_assert_int_eq(snapshot_bytes_load(&good, &chip), PENROSE_OK);
    uint16_t worker, port;
    ck_assert(chip_find(chip, 1, 2, &worker) && chip_find(chip, X_B, LINK_ROW, &port));
    penrose_chip_destroy(chip);
    const uint64_t here = link_number(0), there = link_number(2);
    ck_assert_uint_eq(here, port);
    ck_assert_uint_eq(link_number(1), 1);
    set_link_number(0, worker);
    refuse("a link from place");
    set_link_number(0, NOC_NODES + 1);
    refuse("a link is ");
    set_link_number(0, here);
    set_link_number(1, 2);
    refuse("a link's other chip is 2, the most is 1");
    set_link_number(1, 0);
    refuse("a link from place");
    set_link_number(1, 1);
    set_link_number(2, NOC_NODES);
    refuse("a link's other end is ");
    set_link_number(2, worker);
    refuse("of chip 1");
    set_link_number(2, there);
    set_link_number(0, NOC_NODES); /* what was the link's other chip is one */
    refuse("");
    set_link_number(0, here);
    ck_assert_int_eq(snapshot_bytes_load(&good, &chip), PENROSE_OK);
    penrose_chip_destroy(chip);
}

TEST(links_that_are_gone_are_noticed)
{
    const uint64_t end = NOC_NODES;
    good.size -= 8 * LINK_NUMBERS;
    ck_assert(snapshot_bytes_append(&good, (const void *)&end, sizeof end));
    ck_assert(snapshot_bytes_append(&good, (const void *)&end, sizeof end));
    refuse("Ethernet (31, 25) has a link to nowhere");
}

TEST(chips_are_as_many_as_there_are)
{
    good.chips = 3;
    refuse("");
    good.chips = 1;
    refuse("");
}

/* The first bytes are what makes chip 0: its name, and behind 32 bytes its board, and what is fused off. */
TEST(chips_are_of_products_that_can_be)
{
    struct penrose_chip *chip;
    ck_assert_str_eq((const char *)good.bytes, "p150a");
    memcpy(good.bytes, "home", 5); /* the name is only that */
    ck_assert_int_eq(snapshot_bytes_load(&good, &chip), PENROSE_OK);
    ck_assert_str_eq(chip_card(chip), "home");
    penrose_chip_destroy(chip);
    memset(good.bytes + 40, 0xff, 2);
    ck_assert_int_eq(snapshot_bytes_load(&good, &chip), PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(chip);
    memset(good.bytes + 40, 0, 2);
    good.bytes[50] = 0xff;
    refuse("board 255 is unknown");
}
