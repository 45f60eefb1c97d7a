/*
 * The table of cards: what each has, that its links fit its chips, and how chips tell hosts who they
 * are and who is at the other end of their links.
 */
#include <string.h>

#include "addresses.h"
#include "api/api.h"
#include "unit/test.h"

enum {
    ARC_X = 8,
    ARC_Y = 0,
    TAG_BOARD_HIGH = 1,
    TAG_BOARD_LOW = 2,
    TAG_ASIC = 3,
    TAG_LOCATION = 52,
    TAG_ASIC_HIGH = 61,
    TAG_ASIC_LOW = 62,
    LINK_UP = 0x7ce04,
    LOCAL = 0x7cfc0,
    REMOTE = 0x7cfe0,
    PORTS = 12,
    INFO_WORDS = 8,
};

static struct penrose_cluster *open_card(const char *card)
{
    const struct penrose_options options = {.size = sizeof options, .card = card, .threads = 1};
    struct penrose_cluster *cluster;
    struct penrose_error error;
    ck_assert_msg(penrose_cluster_of_card(&options, &cluster, &error) == PENROSE_OK, "%s: %s", card,
                  error.text);
    return cluster;
}

static uint32_t word_at(struct penrose_chip *chip, unsigned x, unsigned y, uint64_t address)
{
    struct penrose_error error;
    uint32_t word;
    ck_assert_msg(penrose_read(chip, x, y, address, &word, sizeof word, &error) == PENROSE_OK, "%s",
                  error.text);
    return word;
}

static uint32_t telemetry_of(struct penrose_chip *chip, unsigned tag)
{
    uint32_t entries = word_at(chip, ARC_X, ARC_Y, AT_ARC_TAGS + 4);
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t row = word_at(chip, ARC_X, ARC_Y, AT_ARC_TAGS + 8 + 4 * i);
        if ((row & 0xffff) == tag) {
            return word_at(chip, ARC_X, ARC_Y, AT_ARC_VALUES + 4 * (row >> 16));
        }
    }
    ck_abort_msg("no tag %u", tag);
    return 0;
}

static uint64_t two_words(struct penrose_chip *chip, unsigned high, unsigned low)
{
    return (uint64_t)telemetry_of(chip, high) << 32 | telemetry_of(chip, low);
}

/* --- What cards have --- */

TEST(cards_have_their_chips)
{
    static const struct {
        const char *card, *product; /* of the last chip */
        unsigned chips, links;
    } rows[] = {
        {"unharvested", "unharvested", 1, 0},
        {"p150a", "p150a", 1, 0},
        {"p100a", "p100a", 1, 0},
        {"p100", "p100", 1, 0},
        {"p300", "p300-left", 2, 2},
        {"p300x2", "p300-left", 4, 8},
        {"quietbox", "p150a", 4, 16},
        {"galaxy", "ubb", 32, 104},
    };
    struct cluster_plan plan;
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_str_eq(chip_calls.card_at((size_t)i), rows[i].card);
        chip_calls.plan_card(rows[i].card, &plan);
        ck_assert_uint_eq(plan.chips, rows[i].chips);
        ck_assert_uint_eq(plan.links, rows[i].links);
        ck_assert_str_eq(plan.chip[plan.chips - 1].product.name, rows[i].product);
    }
    ck_assert_ptr_null(chip_calls.card_at(COUNT(rows)));
}

/* Port `port` of software's is the tile of the die that is there and has `port` others before it. */
static unsigned die_tile(const struct grid_product *product, unsigned port)
{
    unsigned tile = 0;
    while (product->fused.ethernet >> tile & 1 || port-- > 0) {
        tile++;
    }
    return tile;
}

TEST(links_of_cards_are_of_ports_on_the_board)
{
    struct cluster_plan plan;
    for (size_t card = 0; chip_calls.card_at(card); card++) {
        uint32_t used[PLAN_CHIPS] = {0};
        chip_calls.plan_card(chip_calls.card_at(card), &plan);
        for (unsigned i = 0; i < plan.links; i++) {
            for (unsigned end = 0; end < 2; end++) {
                unsigned chip = plan.link[i].chip[end], port = plan.link[i].port[end];
                ck_assert_uint_lt(chip, plan.chips);
                const struct grid_product *product = &plan.chip[chip].product;
                ck_assert_msg(product->ports >> die_tile(product, port) & 1, "%s: chip %u, port %u",
                              chip_calls.card_at(card), chip, port);
                ck_assert_uint_eq(used[chip] >> port & 1, 0);
                used[chip] |= UINT32_C(1) << port;
            }
        }
    }
}

TEST(cards_of_several_chips_are_no_chip)
{
    const struct penrose_options options = {.size = sizeof options, .card = "p300"};
    struct penrose_chip *chip;
    struct penrose_error error;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, &error), PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(chip);
    ck_assert_ptr_nonnull(strstr(error.text, "the card p300 has 2 chips"));
}

/* --- Who is who --- */

/* What UMD finds the board and the chip by. */
static void check_identity(struct penrose_chip *chip, const struct plan_chip *plan)
{
    const struct chip_identity *identity = &plan->identity;
    ck_assert_uint_eq(two_words(chip, TAG_BOARD_HIGH, TAG_BOARD_LOW), identity->board);
    ck_assert_uint_eq(two_words(chip, TAG_ASIC_HIGH, TAG_ASIC_LOW), identity->asic);
    ck_assert_uint_eq(telemetry_of(chip, TAG_ASIC), (uint32_t)identity->asic);
    ck_assert_uint_eq(telemetry_of(chip, TAG_LOCATION), identity->location);
}

/* What a port tells of an end, its own or the other. */
static void check_end(struct penrose_chip *chip, unsigned port, uint64_t address,
                      const struct plan_chip *end, unsigned end_port)
{
    struct penrose_place at;
    uint32_t word[INFO_WORDS];
    ck_assert(penrose_tile_at(chip, PENROSE_TILE_ETHERNET, port, &at));
    for (unsigned i = 0; i < INFO_WORDS; i++) {
        word[i] = word_at(chip, at.x, at.y, address + 4 * i);
    }
    ck_assert_uint_eq(word[0], end->product.type | (uint32_t)end->identity.location << 8 |
                                   die_tile(&end->product, end_port) << 16 | end_port << 24);
    ck_assert_uint_eq((uint64_t)word[1] << 32 | word[2], end->identity.board);
    ck_assert_uint_eq((uint64_t)word[5] << 32 | word[6], end->identity.asic);
    ck_assert_uint_eq(word[4], (end->identity.asic & 0xffff) * PORTS + end_port); /* MAC */
}

TEST_EACH(chips_tell_who_they_are, 8)
{
    const char *card = chip_calls.card_at((size_t)_i);
    struct penrose_cluster *cluster = open_card(card);
    struct cluster_plan plan;
    chip_calls.plan_card(card, &plan);
    for (unsigned i = 0; i < plan.chips; i++) {
        struct penrose_chip *chip = penrose_cluster_chip(cluster, i);
        check_identity(chip, &plan.chip[i]);
        for (unsigned other = 0; other < i; other++) {
            const struct chip_identity *a = &plan.chip[i].identity, *b = &plan.chip[other].identity;
            ck_assert_uint_ne(a->asic, b->asic);
            ck_assert(a->board != b->board || a->location != b->location || a->bus);
        }
    }
    for (unsigned i = 0; i < plan.links; i++) {
        for (unsigned end = 0; end < 2; end++) {
            unsigned own = plan.link[i].chip[end], port = plan.link[i].port[end];
            unsigned peer = plan.link[i].chip[!end], peer_port = plan.link[i].port[!end];
            struct penrose_chip *chip = penrose_cluster_chip(cluster, own);
            check_end(chip, port, LOCAL, &plan.chip[own], port);
            check_end(chip, port, REMOTE, &plan.chip[peer], peer_port);
        }
    }
    ck_assert_ptr_null(penrose_cluster_chip(cluster, plan.chips));
    penrose_cluster_destroy(cluster);
}

/* A chip that is alone has the id 0, see arc.def; those of a cluster are of a board each. */
TEST(chips_that_are_added_are_of_boards_of_their_own)
{
    const struct penrose_options options = {.size = sizeof options, .card = "p150a"};
    struct penrose_cluster *cluster;
    struct penrose_chip *chip[3];
    struct penrose_error error;
    ck_assert_int_eq(penrose_cluster_create(1, &cluster, &error), PENROSE_OK);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t board = UINT64_C(0x40100000001) + i;
        ck_assert_int_eq(penrose_cluster_add(cluster, &options, &chip[i], &error), PENROSE_OK);
        ck_assert_uint_eq(two_words(chip[i], TAG_BOARD_HIGH, TAG_BOARD_LOW), board);
        ck_assert_uint_eq(two_words(chip[i], TAG_ASIC_HIGH, TAG_ASIC_LOW), board << 5);
    }
    penrose_cluster_destroy(cluster);
    ck_assert_int_eq(penrose_chip_create(&options, &chip[0], &error), PENROSE_OK);
    ck_assert_uint_eq(two_words(chip[0], TAG_ASIC_HIGH, TAG_ASIC_LOW), 0);
    penrose_chip_destroy(chip[0]);
}
