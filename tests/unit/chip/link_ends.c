/* See link_ends.h. */
#include "unit/chip/link_ends.h"

#include <stdlib.h>
#include <string.h>

#include "unit/test.h"

enum {
    COUNT = 0x1ff0, /* transfers of the table; negative: the hart waits for the flag first */
    FLAG = LINK_FLAG,
    FLAG_SOURCE = 0x1f10,
    TABLE = 0x2000,
    SOURCE = 0x10000,
    TARGET = 0x40000,
    MMIO_TARGET = 0x1000 + 0x14, /* ETH_TXQ_TRANSFER_START_ADDR of queue 1, which nobody uses */
};

uint32_t link_seed;

static uint32_t link_below(uint32_t limit)
{
    link_seed = link_seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)link_seed * limit >> 32);
}

/* --- Chips --- */

struct penrose_chip *link_open_chip(unsigned threads)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    options.threads = threads;
    ck_assert_msg(penrose_chip_create(&options, &chip, &error) == PENROSE_OK, "%s", error.text);
    return chip;
}

void link_put(struct penrose_chip *chip, unsigned x, uint32_t address, const void *bytes,
              size_t size)
{
    struct penrose_error error;
    ck_assert_msg(penrose_write(chip, x, LINK_ROW, address, bytes, size, &error) == PENROSE_OK,
                  "%s", error.text);
}

void link_get(struct penrose_chip *chip, unsigned x, uint32_t address, void *bytes, size_t size)
{
    struct penrose_error error;
    ck_assert_msg(penrose_peek(chip, x, LINK_ROW, address, bytes, size, &error) == PENROSE_OK, "%s",
                  error.text);
}

uint32_t link_word(struct penrose_chip *chip, unsigned x, uint32_t address)
{
    uint32_t word;
    link_get(chip, x, address, &word, sizeof word);
    return word;
}

void link_pass(struct penrose_chip *chip, uint64_t cycles)
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

static void load_guest(const struct link_end *end, uint32_t count)
{
    for (uint32_t i = 0; i < sizeof guest / sizeof guest[0]; i++) {
        uint32_t word;
        struct penrose_error error = {0};
        ck_assert_msg(penrose_assemble(NULL, guest[i], LINK_CODE + 4 * i, &word, &error) ==
                          PENROSE_OK,
                      "%s: %s", guest[i], error.text);
        link_put(end->chip, end->x, LINK_CODE + 4 * i, &word, sizeof word);
    }
    link_put(end->chip, end->x, COUNT, &count, sizeof count);
}

/* Random transfers, some of them writes of a register; the last sets the other end's flag. */
void link_prepare(struct link_end *end, bool begins)
{
    static const uint32_t flag[4] = {1, 2, 3, 4};
    for (uint32_t i = 0; i < LINK_REGION; i++) {
        end->source[i] = (uint8_t)link_below(256);
    }
    for (unsigned i = 0; i + 1 < LINK_TRANSFERS; i++) {
        uint32_t size = 16 * (1 + link_below(link_below(6) ? 40 : 1000));
        uint32_t from = 16 * link_below((LINK_REGION - size) / 16),
                 to = 16 * link_below((LINK_REGION - size) / 16);
        if (link_below(8) == 0) {
            end->last_mmio = link_below(UINT32_MAX);
            end->table[i] =
                (struct link_transfer){end->last_mmio, 0, LINK_REGISTERS + MMIO_TARGET, 4};
            continue;
        }
        end->table[i] = (struct link_transfer){SOURCE + from, size, TARGET + to, 2};
        memcpy(end->image + to, end->source + from, size);
    }
    end->table[LINK_TRANSFERS - 1] = (struct link_transfer){FLAG_SOURCE, sizeof flag, FLAG, 2};
    link_put(end->chip, end->x, SOURCE, end->source, LINK_REGION);
    link_put(end->chip, end->x, TABLE, end->table, sizeof end->table);
    link_put(end->chip, end->x, FLAG_SOURCE, flag, sizeof flag);
    load_guest(end, begins ? LINK_TRANSFERS : (uint32_t)-LINK_TRANSFERS);
}

void link_start(const struct link_end *end)
{
    struct penrose_error error;
    ck_assert_msg(penrose_hart_release(end->chip, end->x, LINK_ROW, PENROSE_NCRISC, LINK_CODE,
                                       &error) == PENROSE_OK,
                  "%s", error.text);
}

bool link_has_ended(const struct link_end *end)
{
    struct penrose_hart_info info;
    return penrose_hart_info(end->chip, end->x, LINK_ROW, PENROSE_NCRISC, &info, NULL) ==
               PENROSE_OK &&
           info.state == PENROSE_HART_PAUSED;
}

bool link_both_ended(struct penrose_chip *chip, void *context)
{
    struct link_end *const *ends = context;
    (void)chip;
    return link_has_ended(ends[0]) && link_has_ended(ends[1]);
}

/* What `from` sent is in the memory of `to`. */
void link_check_arrived(const struct link_end *from, const struct link_end *to)
{
    static uint8_t found[LINK_REGION];
    link_get(to->chip, to->x, TARGET, found, LINK_REGION);
    ck_assert_mem_eq(found, from->image, LINK_REGION);
    ck_assert_uint_eq(link_word(to->chip, to->x, LINK_REGISTERS + MMIO_TARGET), from->last_mmio);
    ck_assert_uint_eq(link_word(to->chip, to->x, FLAG + 12), 4);
}

struct link_end *link_new_end(struct penrose_chip *chip, unsigned x)
{
    struct link_end *end = calloc(1, sizeof *end);
    ck_assert_ptr_nonnull(end);
    end->chip = chip;
    end->x = x;
    return end;
}

struct penrose_cluster *link_open_cluster(unsigned threads, unsigned chips,
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
