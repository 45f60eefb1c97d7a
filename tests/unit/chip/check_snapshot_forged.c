/*
 * Forged snapshots: good ones of every scene, in which some numbers have been changed past the
 * check sum. They are refused, or they run: wrongly, but without harm to the host.
 */
#include <stdlib.h>
#include <string.h>

#include <penrose/debug.h>

#include "chip/chip.h"
#include "unit/test.h"
#include "unit/chip/link_ends.h"
#include "unit/chip/snapshot_bytes.h"
#include "unit/chip/snapshot_scenes.h"

enum { SCENES = 6, SCHEDULES = 4, FORGERIES = 12, MOST_CHANGES = 12, CYCLES = 2000 };

/* NULL: it was refused. */
static struct penrose_chip *load(struct snapshot_bytes *state)
{
    struct penrose_chip *chip;
    enum penrose_status status = snapshot_bytes_load(state, &chip);
    ck_assert((status == PENROSE_OK) == (chip != NULL));
    return chip;
}

/* A bit, a byte, or a word that is often at the edge of something. */
static void change(struct snapshot_bytes *state, uint32_t *seed)
{
    size_t at = scene_random(seed, (uint32_t)state->size - 8);
    uint32_t word = scene_random(seed, 300);
    switch (scene_random(seed, 5)) {
    case 0:
        state->bytes[at] ^= (uint8_t)(1u << scene_random(seed, 8));
        break;
    case 1:
        state->bytes[at] = (uint8_t)scene_random(seed, 256);
        break;
    case 2:
        memset(state->bytes + at / 4 * 4, 0xff, 4);
        break;
    case 3:
        memset(state->bytes + at / 8 * 8, 0, 8);
        break;
    default:
        memcpy(state->bytes + at / 4 * 4, &word, sizeof word);
        break;
    }
}

static bool run_forged(const struct snapshot_bytes *good, uint32_t *seed)
{
    struct snapshot_bytes state = {
        .bytes = malloc(good->size), .size = good->size, .chips = good->chips};
    const struct penrose_run run = {.size = sizeof run, .cycles = CYCLES, .pass_quiet_time = true};
    char text[2048];
    ck_assert_ptr_nonnull(state.bytes);
    memcpy(state.bytes, good->bytes, good->size);
    for (uint32_t changes = 1 + scene_random(seed, MOST_CHANGES); changes > 0; changes--) {
        change(&state, seed);
    }
    struct penrose_chip *chip = load(&state);
    free(state.bytes);
    if (chip) {
        penrose_fault_clear(chip);
        penrose_run(chip, &run);
        penrose_wait_report(chip, text, sizeof text);
        penrose_chip_destroy(chip);
    }
    return chip != NULL;
}

TEST_EACH(forged_chips_do_no_harm, (SCENES * SCHEDULES))
{
    const struct scene *scene = scene_at((unsigned)_i % SCENES);
    struct penrose_chip *chip = scene_chip(scene, (unsigned)_i / SCENES, 1);
    const struct penrose_run run = {
        .size = sizeof run, .cycles = scene->step, .pass_quiet_time = true};
    uint32_t seed = (uint32_t)_i + 1;
    unsigned ran = 0;
    scene->make(chip, 3);
    penrose_run(chip, &run);
    struct snapshot_bytes good = {0};
    ck_assert(snapshot_bytes_save(&good, chip));
    penrose_chip_destroy(chip);
    for (unsigned i = 0; i < FORGERIES; i++) {
        ran += run_forged(&good, &seed);
    }
    ck_assert_uint_gt(ran, FORGERIES / 3); /* most numbers may have any value */
    free(good.bytes);
}

/* Two chips with data on the link between them. */
TEST(forged_clusters_do_no_harm)
{
    enum { TIMES = 60 };
    struct penrose_chip *chip[2];
    struct penrose_cluster *cluster = link_open_cluster(1, 2, chip);
    struct link_end *end = link_new_end(chip[0], 20);
    struct snapshot_bytes good = {0};
    uint32_t seed = 9;
    unsigned ran = 0;
    ck_assert_int_eq(penrose_ethernet_link(chip[0], 20, LINK_ROW, chip[1], 29, LINK_ROW, NULL),
                     PENROSE_OK);
    link_prepare(end, true);
    link_start(end);
    link_pass(chip[0], 2000);
    ck_assert(snapshot_bytes_save(&good, chip[1]));
    for (unsigned i = 0; i < TIMES; i++) {
        ran += run_forged(&good, &seed);
    }
    ck_assert_uint_gt(ran, TIMES / 3);
    free(good.bytes);
    free(end);
    penrose_cluster_destroy(cluster);
}

/* --- Numbers that have done harm --- */

static struct penrose_chip *polling_chip(void)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    const uint32_t program[] = {0x00052583 /* lw a1, 0(a0) */, 0xfe058ee3 /* beq a1, zero, it */};
    const struct penrose_run run = {.size = sizeof run, .cycles = 3000, .pass_quiet_time = true};
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    penrose_write(chip, 1, 2, 0, program, sizeof program, NULL);
    penrose_hart_release(chip, 1, 2, PENROSE_BRISC, 0, NULL);
    penrose_register_write(chip, 1, 2, PENROSE_BRISC, (struct penrose_register){PENROSE_X, 10},
                           (uint32_t[4]){0x8000}, NULL);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CYCLES);
    return chip;
}

/* Where a sleeping hart's `since` stands: before the cycles and the instructions of a period of 2. */
static size_t find_sleep(const struct snapshot_bytes *state, uint64_t wake)
{
    for (size_t at = 0; at + 32 <= state->size; at++) {
        uint64_t words[4];
        memcpy(words, state->bytes + at, sizeof words);
        if (words[0] && words[0] < 3000 && words[1] == 2 && words[2] == 2 && words[3] == wake) {
            return at;
        }
    }
    ck_abort_msg("no hart sleeps");
    return 0;
}

TEST_EACH(sleepers_are_in_a_loop, 4)
{
    static const uint64_t bad[][2] = {
        {0, 2}, {RV32_IDLE_MOST_CYCLES + 1, 2}, {UINT64_MAX, 2}, {2, RV32_IDLE_STEPS + 1}};
    struct penrose_chip *chip = polling_chip();
    struct snapshot_bytes good = {0};
    ck_assert(snapshot_bytes_save(&good, chip));
    size_t at = find_sleep(&good, UINT64_MAX);
    penrose_chip_destroy(chip);
    chip = load(&good);
    ck_assert_ptr_nonnull(chip);
    penrose_chip_destroy(chip);
    memcpy(good.bytes + at + 8, bad[_i], sizeof bad[_i]);
    ck_assert_ptr_null(load(&good));
    free(good.bytes);
}

/* Whoever wakes it runs what is at its pc: no code, the end of L1, beyond it. */
TEST_EACH(sleepers_may_be_anywhere, 5)
{
    static const uint32_t places[] = {0x8000, 0x17fffc, 0x180000, 0xfffffffc, 2};
    const struct penrose_run run = {.size = sizeof run, .cycles = 3000, .pass_quiet_time = true};
    const uint32_t one = 1;
    struct penrose_chip *chip = polling_chip();
    penrose_register_write(chip, 1, 2, PENROSE_BRISC, (struct penrose_register){PENROSE_PC, 0},
                           (uint32_t[4]){places[_i]}, NULL);
    penrose_write(chip, 1, 2, 0x8000, &one, sizeof one, NULL);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_FAULT);
    penrose_chip_destroy(chip);
}

static struct noc_packet *answered(struct noc_pool *pool, unsigned kind, uint16_t to,
                                   uint64_t address)
{
    struct noc_packet *packet = noc_packet_new(pool);
    ck_assert_ptr_nonnull(packet);
    packet->kind = (uint8_t)kind;
    packet->to = to;
    packet->back = packet->from = packet->origin = noc_node(1, 2);
    packet->address = address;
    packet->size = 4;
    packet->wants_response = packet->is_answered = true;
    return packet;
}

/* Packets of any kind that say that they were answered, to each place there is: routers, tiles that
 * nobody has made, DRAM, and what lies above it. A worker sends them, then a bank. */
TEST_RANGE(answers_that_nobody_gave, NOC_READ, NOC_ATOMIC_RESPONSE)
{
    static const uint64_t addresses[] = {
        0,          0xff000000 - 4,         0xff000000 - 2, 0xffb20000,
        0xffb12080, UINT64_C(0x2000000000), UINT64_MAX - 1};
    struct penrose_chip *chip = polling_chip();
    const struct penrose_run run = {.size = sizeof run, .cycles = 3000, .pass_quiet_time = true};
    uint16_t worker = 0;
    ck_assert(chip_find(chip, 1, 2, &worker));
    struct tile *tile = chip->place[worker].tile;
    struct dram_bank *bank = &chip->bank[0];
    for (unsigned i = 0; i < COUNT(addresses) * NOC_NODES; i++) {
        unsigned kind = (unsigned)_i;
        uint16_t to = (uint16_t)(i / COUNT(addresses));
        uint64_t address = addresses[i % COUNT(addresses)];
        noc_list_append(&tile->sent, answered(&tile->pool, kind, to, address));
        noc_list_append(&bank->sent, answered(&bank->pool, kind, to, address));
    }
    chip->touched = true;
    penrose_run(chip, &run);
    ck_assert_ptr_null(tile->sent.head);
    ck_assert_ptr_null(bank->sent.head);
    penrose_chip_destroy(chip);
}

/* No queue would ever give it back. */
TEST(packets_arrive_at_some_time)
{
    struct penrose_chip *chip = polling_chip();
    struct noc_packet *packet = answered(&chip->packets, NOC_READ_RESPONSE, noc_node(1, 2), 0x9000);
    struct snapshot_bytes state = {0};
    packet->arrival = UINT64_MAX - 1;
    noc_queue_put(&chip->edge, packet);
    ck_assert(snapshot_bytes_save(&state, chip));
    struct penrose_chip *loaded = load(&state);
    ck_assert_ptr_nonnull(loaded);
    penrose_chip_destroy(loaded);
    free(state.bytes);
    state = (struct snapshot_bytes){0};
    packet->arrival = UINT64_MAX;
    ck_assert(snapshot_bytes_save(&state, chip));
    ck_assert_ptr_null(load(&state));
    ck_assert_str_eq(state.rule, "a packet never arrives");
    free(state.bytes);
    noc_queue_init(&chip->edge); /* it does not know the packet either */
    noc_packet_free(&chip->packets, packet);
    penrose_chip_destroy(chip);
}
