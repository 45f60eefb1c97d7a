/*
 * The debug registers: the map, soft reset, and blocks that are too small for a file of their own.
 */
#include "tile/debug.h"

#include <string.h>

#include "tile/debug_internal.h"

tile_mmio_handler tile_mmio_DEBUG;
enum rv32_poll tile_mmio_poll_DEBUG(struct tile *tile, enum tile_agent agent, uint32_t offset);

#define REG_FILE    debug_registers
#define REG_TABLE   "debug_registers.def"
#define REG_STATE   struct debug_registers
#define REG_BY(has) debug_##has
#define REG_PREFIX  "RISCV_DEBUG_REG_"
#include "isa/reg_table.h"

static uint32_t *debug_word_of(void *state, const struct reg_place *place)
{
    struct debug_registers *debug = state;
    return place->row->at ? reg_state_word(debug, place) : &debug->word[place->offset / 4];
}

void debug_init(struct tile *tile)
{
    reg_reset(&debug_registers, &tile->debug, debug_word_of);
    tile->debug.perf_end = UINT64_MAX;
    debug_time_init(tile);
}

/* A register that no source names. */
static enum answer access_unnamed(struct tile *tile, struct mmio_access *access)
{
    enum answer answer = mmio_word(access, debug_word(tile, access), UINT32_MAX);
    if (mmio_is_write(access) && answer == ANSWER_DONE) {
        tile_report_unmodelled(tile, access);
    }
    return answer;
}

enum answer tile_mmio_DEBUG(struct tile *tile, struct mmio_access *access)
{
    struct reg_place place;
    enum answer answer =
        reg_find_in(&debug_registers, BANK_DEBUG, access->offset, &place)
            ? mmio_register(tile, access, &place, debug_word_of(&tile->debug, &place))
            : access_unnamed(tile, access);
    if (mmio_wrote(access, answer)) {
        tile_event(tile, access->cycle);
    }
    return answer;
}

enum rv32_poll tile_mmio_poll_DEBUG(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    struct reg_place place;
    (void)reg_find_in(&debug_registers, BANK_DEBUG, offset, &place);
    return mmio_poll(place.row);
}

/* --- Small devices --- */

/* SPEC: Dst. The other bits are stored. */
enum answer debug_feature_disable(struct tile *tile, struct mmio_access *access)
{
    const uint32_t dst_high_half = UINT32_C(1) << 11;
    uint32_t *word = debug_word(tile, access);
    enum answer answer = mmio_word(access, word, UINT32_MAX);
    if (mmio_is_write(access) && answer == ANSWER_DONE) {
        tile->tensix.dst_high_half = *word & dst_high_half;
        if (*word & ~dst_high_half) {
            tile_report_unmodelled(tile, access);
        }
    }
    return answer;
}

enum { /* SPEC: the others have no effect */
#define RESET_BITS(bits) SOFT_RESET_BITS = (bits),
#include "resets.def"
};

enum answer debug_soft_reset(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum answer answer = mmio_word(access, word, SOFT_RESET_BITS);
    if (!mmio_wrote(access, answer)) {
        return answer;
    }
    tensix_wake(&tile->tensix, access->cycle); /* what it lets go on does so from now on */
    tensix_soft_reset(&tile->tensix, old, *word);
    if (~old & *word & TENSIX_RESET_TDMA) {
        tdma_enter_reset(tile);
    }
    tile_soft_reset(tile, old, *word, access->cycle);
    return ANSWER_DONE;
}

enum { CFGREG_INDEX = 0x7ff };

enum answer debug_config_read(struct tile *tile, struct mmio_access *access)
{
    enum answer answer = mmio_word(access, debug_word(tile, access), UINT32_MAX);
    if (mmio_wrote(access, answer)) {
        tile->debug.word[REG_CFGREG_RDDATA] =
            tensix_config_read(&tile->tensix, access->value & CFGREG_INDEX);
    }
    return answer;
}

/* --- Reading Dst --- */

enum {
    ARRAY_ROW = 0xfff, /* a physical row */
    ARRAY_COLUMNS_SHIFT = 12,
    ARRAY_COLUMNS = 0xf, /* which pair of columns */
    ARRAY_SHIFT = 16,
    ARRAY_DST = 2, /* as the whole rest of the command */
};

/* HW: the command's fields are LLK's and tt-exalens'; rows that ZEROACC has made undefined show
 * what they held, as ttsim notes of Blackhole. Neither remapping nor swizzling counts: tt-metal maps
 * rows by itself. The latches of SrcB, array 1, are not modelled. */
enum answer debug_array_data(struct tile *tile, struct mmio_access *access)
{
    uint32_t command = tile->debug.word[REG_DBG_ARRAY_RD_CMD];
    unsigned row = command & ARRAY_ROW;
    unsigned column = 2 * (command >> ARRAY_COLUMNS_SHIFT & ARRAY_COLUMNS);
    if (!(tile->debug.word[REG_DBG_ARRAY_RD_EN] & 1) || command >> ARRAY_SHIFT != ARRAY_DST ||
        row >= TENSIX_DST_ROWS || column >= TENSIX_DST_COLUMNS || tile->kind->type != TILE_TENSIX) {
        tile_report_unmodelled(tile, access);
        return mmio_value(access, 0);
    }
    if (access->operation == MMIO_READ) {
        tensix_vector_settle(&tile->tensix, &tile->tensix.vector, access->cycle);
    }
    const uint16_t *data = &tile->tensix.dst.bits[row][column];
    return mmio_value(access, data[0] | (uint32_t)data[1] << 16);
}

/* --- Pushing instructions --- */

enum { INSTRN_BUF_PUSH_BIT = 4, INSTRN_BUF_EMPTY_BIT = 4, INSTRN_BUF_BITS = 0xff };

/* The instruction to push. HW: tt-exalens sets bit 14 of STALLWAIT, a condition of Wormhole's, and
 * Blackhole does not mind. Harts that push it get a fault, since theirs is a mistake. */
static uint32_t injected_instruction(const struct tile *tile)
{
    enum { OPCODE_STALLWAIT = 0xa2, OPCODE_SHIFT = 24 };
    const uint32_t no_conditions = 0x6000;
    uint32_t word = tile->debug.word[REG_DBG_INSTRN_BUF_CTRL1];
    return word >> OPCODE_SHIFT == OPCODE_STALLWAIT ? word & ~no_conditions : word;
}

enum answer debug_instruction_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum answer answer = mmio_word(access, word, INSTRN_BUF_BITS);
    for (unsigned i = 0; mmio_wrote(access, answer) && i < TENSIX_THREADS; i++) {
        bool has_control = *word >> i & 1;
        if (has_control && debug_rises(old, *word, INSTRN_BUF_PUSH_BIT + i)) {
            /* SPEC: software should not push to a full FIFO; here the instruction is lost. */
            const struct tensix_origin origin = {.pusher = TENSIX_BY_DEBUG_BUS};
            const uint32_t instruction = injected_instruction(tile);
            (void)tensix_push(&tile->tensix, i, origin, &instruction, 1, access->cycle);
            tile->tensix_idle = false;
            tile_event(tile, access->cycle);
        }
    }
    return answer;
}

enum answer debug_instruction_status(struct tile *tile, struct mmio_access *access)
{
    uint32_t status = 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        unsigned count = tile->tensix.thread[i].back.count; /* before the replay expander */
        status |= (uint32_t)(count < TENSIX_BACK_DEPTH) << i;
        status |= (uint32_t)(count == 0) << (INSTRN_BUF_EMPTY_BIT + i);
    }
    return mmio_value(access, status);
}

/* --- Time --- */

uint64_t debug_exact_event(const struct tile *tile)
{
    uint64_t sampler = debug_sampler_next(tile);
    return sampler < tile->debug.perf_end ? sampler : tile->debug.perf_end;
}

uint64_t debug_next_event(const struct tile *tile)
{
    uint64_t watchdog = debug_watchdog_next(tile);
    uint64_t exact = debug_exact_event(tile);
    return watchdog < exact ? watchdog : exact;
}

void debug_run(struct tile *tile, uint64_t now)
{
    if (debug_watchdog_next(tile) <= now) {
        debug_watchdog_update(tile, now);
    }
    debug_sampler_run(tile, now);
    if (tile->debug.perf_end <= now) {
        debug_perf_run(tile, now);
    }
}
