/*
 * Register files of the overlay streams.
 *
 * Invariant: CURR_PHASE, REMOTE_SRC_PHASE and PHASE_AUTO_CFG_PTR are kept with their base added.
 */
#include "noc/overlay.h"

#include <stddef.h>

enum kind {
    PLAIN,
    DRIVEN,
    BLIND,
    LATER,
    DOES,
    STARTS_AUTO_CONFIG,
    REMOTE_PHASE,
    DEST_BUF_START,
    DEST_BUF_SIZE,
    BUF_START,
    RD_PTR,
    PHASE,
    AUTO_CFG_PTR,
    AUTO_CFG_HEADER,
    WAIT_STATUS,
    SPACE_UPDATE,
    CAN_PUSH,
    BLOB_DONE,
    BLOB_NEXT,
    DEBUG_STATUS_2,
};

/* Sets of streams, a bit each. */
#define ALL              UINT64_MAX
#define MULTICAST        UINT64_C(0x00f)
#define GATHER           UINT64_C(0x03f)
#define RECEIVER         UINT64_C(0x030)
#define DRAM             UINT64_C(0xf0f)
#define RECEIVER_OR_DRAM (RECEIVER | DRAM)
#define ZERO             UINT64_C(1)

static const struct overlay_row {
    uint16_t first, words;
    uint8_t bits;
    uint64_t streams;
    enum kind kind;
    const char *name;
} overlay_rows[] = {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    {index, words, bits, streams, kind, "STREAM_" #name},
#include "noc/overlay.def"
#undef OVERLAY
};

enum {
    DESTINATIONS = 32, /* of a stream that can multicast */
    WORDS_FREE = 0x1ffff,
    MSG_WORDS_SHIFT = 17,
    MSG_WORDS_FREE = 0x1ff,
    UPDATE_DESTINATION = 0x3f,
    UPDATE_WORDS_SHIFT = 6,
    UPDATE_MSG_SHIFT = 23,
    HEADER_PHASE_INCREMENT = 0xfff,
    PHASE_MASK = 0xfffff,
    PHASE_AUTO_CONFIG = 1 << 0,
    WAITS_FOR_SOFTWARE = 1 << 0, /* WAIT_STATUS of an idle stream */
    ALL_HAVE_SPACE = 1 << 3,     /* of DEBUG_STATUS + 2 */
    BLOB_VALID = 1 << 16,
};

static const struct overlay_row *find_row(unsigned index)
{
    for (unsigned i = 0; i < sizeof overlay_rows / sizeof overlay_rows[0]; i++) {
        const struct overlay_row *row = &overlay_rows[i];
        if (index >= row->first && index < (unsigned)row->first + row->words) {
            return row;
        }
    }
    return NULL;
}

const char *overlay_register_name(unsigned index)
{
    const struct overlay_row *row = find_row(index);
    return row ? row->name : NULL;
}

static uint32_t low_bits(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static bool has(const struct overlay_row *row, unsigned stream)
{
    return row->streams >> stream & 1;
}

static unsigned destinations(unsigned stream)
{
    return MULTICAST >> stream & 1 ? DESTINATIONS : 1;
}

/* --- Reading --- */

static bool all_have_space(const uint32_t *word, unsigned stream)
{
    for (unsigned i = 0; i < destinations(stream); i++) {
        if (!(word[OVERLAY_SPACE_AVAILABLE + i] & WORDS_FREE)) {
            return false;
        }
    }
    return true;
}

static uint32_t blob_next(const uint32_t *word)
{
    uint64_t done = word[OVERLAY_BLOB_DONE] | (uint64_t)word[OVERLAY_BLOB_DONE + 1] << 32;
    return done ? (uint32_t)__builtin_ctzll(done) | BLOB_VALID : 0;
}

static uint32_t value_of(const struct overlay_row *row, const uint32_t *word, unsigned stream,
                         unsigned index)
{
    uint32_t mask = low_bits(row->bits);
    switch (row->kind) {
    case REMOTE_PHASE:
    case PHASE:
        return (word[index] - word[OVERLAY_CURR_PHASE_BASE]) & mask;
    case AUTO_CFG_PTR:
        return (word[index] - word[OVERLAY_AUTO_CFG_PTR_BASE]) & mask;
    case WAIT_STATUS:
        return WAITS_FOR_SOFTWARE;
    case CAN_PUSH:
        return word[OVERLAY_MSG_INFO_PTR] == word[OVERLAY_MSG_INFO_WR_PTR];
    case BLOB_NEXT:
        return blob_next(word);
    case DEBUG_STATUS_2:
        return all_have_space(word, stream) ? ALL_HAVE_SPACE : 0;
    case DOES:
    case SPACE_UPDATE:
        return 0;
    default:
        return word[index];
    }
}

uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index)
{
    const struct overlay_row *row = find_row(index);
    const uint32_t *word = overlay->stream[stream];
    if (!row) {
        return word[index];
    }
    return has(row, stream) ? value_of(row, word, stream, index) : 0;
}

enum overlay_effect overlay_read(struct overlay *overlay, unsigned stream, unsigned index,
                                 bool effects, uint32_t *value)
{
    const struct overlay_row *row = find_row(index);
    *value = overlay_register(overlay, stream, index);
    if (row && row->kind == BLOB_NEXT && effects && *value) {
        unsigned number = *value & ~(unsigned)BLOB_VALID;
        overlay->stream[0][OVERLAY_BLOB_DONE + number / 32] &= ~(UINT32_C(1) << number % 32);
    }
    return !row || row->kind == BLIND ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}

bool overlay_interrupt(const struct overlay *overlay)
{
    const uint32_t *word = overlay->stream[0];
    return word[OVERLAY_BLOB_DONE] || word[OVERLAY_BLOB_DONE + 1];
}

/* --- Writing --- */

/* Untouched pages of the register files stay shared as long as nothing changes in them. */
static void set(uint32_t *word, uint32_t value)
{
    if (*word != value) {
        *word = value;
    }
}

static void update_space(uint32_t *word, unsigned stream, uint32_t value)
{
    unsigned destination = value & UPDATE_DESTINATION;
    if (destination >= destinations(stream)) {
        return;
    }
    uint32_t *space = &word[OVERLAY_SPACE_AVAILABLE + destination];
    uint32_t words = (*space + (value >> UPDATE_WORDS_SHIFT)) & WORDS_FREE;
    uint32_t messages = (*space >> MSG_WORDS_SHIFT) + (value >> UPDATE_MSG_SHIFT);
    set(space, words | (messages & MSG_WORDS_FREE) << MSG_WORDS_SHIFT);
}

static void set_all_space(uint32_t *word, unsigned stream, uint32_t value)
{
    for (unsigned i = 0; i < destinations(stream); i++) {
        uint32_t *space = &word[OVERLAY_SPACE_AVAILABLE + i];
        set(space, (*space & ~(uint32_t)WORDS_FREE) | value);
    }
}

/* Effects of software's writes; `value` is masked to the register's width. */
static void store(const struct overlay_row *row, uint32_t *word, unsigned stream, unsigned index,
                  uint32_t value)
{
    uint32_t mask = low_bits(row->bits);
    switch (row->kind) {
    case REMOTE_PHASE:
    case PHASE:
        value = (value + word[OVERLAY_CURR_PHASE_BASE]) & mask;
        break;
    case AUTO_CFG_PTR:
        value = (value + word[OVERLAY_AUTO_CFG_PTR_BASE]) & mask;
        break;
    case DEST_BUF_START:
        set(&word[OVERLAY_REMOTE_DEST_WR_PTR], 0);
        break;
    case DEST_BUF_SIZE:
        set_all_space(word, stream, value);
        break;
    case BUF_START:
        set(&word[OVERLAY_RD_PTR], 0);
        set(&word[OVERLAY_WR_PTR], 0);
        break;
    case RD_PTR:
        set(&word[OVERLAY_NEXT_MSG_SIZE], 0);
        set(&word[OVERLAY_NEXT_MSG_ADDR], (word[OVERLAY_BUF_START] + value) & WORDS_FREE);
        break;
    case AUTO_CFG_HEADER:
        set(&word[OVERLAY_CURR_PHASE],
            (word[OVERLAY_CURR_PHASE] + (value & HEADER_PHASE_INCREMENT)) & PHASE_MASK);
        value &= ~(uint32_t)HEADER_PHASE_INCREMENT;
        break;
    default:
        break;
    }
    set(&word[index], value);
}

static bool is_driven(enum kind kind)
{
    return kind == DRIVEN || kind == BLIND || kind == WAIT_STATUS || kind == CAN_PUSH ||
           kind == BLOB_NEXT || kind == DEBUG_STATUS_2;
}

enum overlay_effect overlay_write(struct overlay *overlay, unsigned stream, unsigned index,
                                  bool effects, uint32_t value)
{
    const struct overlay_row *row = find_row(index);
    uint32_t *word = overlay->stream[stream];
    if (!row) {
        set(&word[index], value);
        return OVERLAY_UNMODELLED;
    }
    if (!has(row, stream) || is_driven(row->kind)) {
        return OVERLAY_DONE;
    }
    value &= low_bits(row->bits);
    if (!effects) {
        word[index] = value;
        return OVERLAY_DONE;
    }
    switch (row->kind) {
    case SPACE_UPDATE:
        update_space(word, stream, value);
        return OVERLAY_DONE;
    case BLOB_DONE:
        word[index] &= ~value;
        return OVERLAY_DONE;
    case DOES:
        return OVERLAY_UNMODELLED;
    default:
        store(row, word, stream, index, value);
        break;
    }
    bool starts = row->kind == STARTS_AUTO_CONFIG && value & PHASE_AUTO_CONFIG;
    return starts || row->kind == LATER ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}
