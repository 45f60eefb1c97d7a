/* See look.h. A look has a hash of each line of memory of the tiles in which a hart runs: L1, then the
 * local RAMs. */
#include "chip/look.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"

enum { LOOK_LINES = 4, LINE_BYTES = 64 };

struct chip_look {
    uint64_t noticed; /* counts what other agents could notice */
    size_t lines;
    uint64_t runs[NOC_NODES / 64 + 1]; /* places in which a hart runs: a bit each */
    uint32_t first[NOC_NODES];         /* where the lines of a place begin in `line` */
    uint32_t line[];
};

static bool has_running_hart(const struct tile *tile)
{
    bool runs = false;
    for (unsigned core = 0; tile && core < RV32_CORES; core++) {
        runs |= tile->run[core].state == HART_READY;
    }
    return runs;
}

static size_t count_lines(const struct tile *tile)
{
    size_t bytes = tile->kind->l1_bytes;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        bytes += tile_local_size((enum rv32_core)core);
    }
    return bytes / LINE_BYTES;
}

static uint32_t hash_line(const uint8_t *bytes)
{
    uint64_t word, hash = 0;
    for (unsigned i = 0; i < LINE_BYTES; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static void add_memory(struct chip_look *look, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + LINE_BYTES <= size; at += LINE_BYTES) {
        look->line[look->lines++] = hash_line(bytes + at);
    }
}

static uint64_t count_noticed(const struct tile *tile)
{
    uint64_t noticed = tile->epoch;
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        noticed += tile->niu[noc].word[NIU_COUNTERS / 4 + NIU_MST_CMD_ACCEPTED];
    }
    return noticed;
}

struct chip_look *chip_look_take(const struct penrose_chip *chip)
{
    size_t lines = 0;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        lines += has_running_hart(tile) ? count_lines(tile) : 0;
    }
    struct chip_look *look = calloc(1, sizeof *look + lines * sizeof look->line[0]);
    for (unsigned i = 0; look && i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        look->first[i] = (uint32_t)look->lines;
        look->noticed += tile ? count_noticed(tile) : 0;
        if (has_running_hart(tile)) {
            look->runs[i / 64] |= UINT64_C(1) << i % 64;
            add_memory(look, tile->l1, tile->kind->l1_bytes);
            for (unsigned core = 0; core < RV32_CORES; core++) {
                add_memory(look, tile->hart[core].local, tile_local_size((enum rv32_core)core));
            }
        }
    }
    return look;
}

bool chip_look_is_still(const struct chip_look *before, const struct chip_look *now)
{
    bool is_still = before->noticed == now->noticed && before->lines == now->lines &&
                    memcmp(before->runs, now->runs, sizeof now->runs) == 0;
    for (unsigned i = 0; is_still && i < NOC_NODES; i++) {
        size_t end = i + 1 < NOC_NODES ? now->first[i + 1] : now->lines;
        unsigned changed = 0;
        for (size_t at = now->first[i]; at < end; at++) {
            changed += before->line[at] != now->line[at];
        }
        is_still = changed <= LOOK_LINES;
    }
    return is_still;
}
