/* The register file of an NIU. */
#include "noc/niu.h"

#include <stddef.h>

#include "geometry.h"

enum kind { PLAIN, TAG, COMMAND, DRIVEN, CLEAR, RTZ_CLR, RTZ_NUM, LATER, PULSE, SLOTS, BLIND };

static const struct niu_row {
    uint16_t first, words;
    bool in_buffers;
    enum kind kind;
    const char *name;
} niu_rows[] = {
#define NIU(first, words, name, kind)        {first, words, false, kind, #name},
#define NIU_BUFFER(first, words, name, kind) {first, words, true, kind, #name},
#include "niu.def"
#undef NIU
#undef NIU_BUFFER
};

static const struct niu_row *find_row(uint32_t offset)
{
    uint32_t in_buffer = offset % NIU_BUFFER_BYTES;
    for (unsigned i = 0; offset < NIU_BYTES && i < sizeof niu_rows / sizeof niu_rows[0]; i++) {
        const struct niu_row *row = &niu_rows[i];
        uint32_t at = row->in_buffers ? in_buffer : offset;
        if (at >= row->first && at < row->first + 4u * row->words) {
            return row;
        }
    }
    return NULL;
}

const char *niu_register_name(uint32_t offset)
{
    const struct niu_row *row = find_row(offset);
    return row ? row->name : NULL;
}

/* --- Identity --- */

static uint32_t *word_at(struct niu *niu, uint32_t offset)
{
    return &niu->word[niu_buffer(offset / NIU_BUFFER_BYTES) + offset % NIU_BUFFER_BYTES / 4];
}

void niu_set_identity(struct niu *niu, uint32_t offset, uint32_t value)
{
    bool in_buffers = offset == NIU_NODE_ID || offset == NIU_ENDPOINT_ID;
    for (unsigned buffer = 0; buffer < (in_buffers ? NIU_BUFFERS : 1); buffer++) {
        *word_at(niu, buffer * NIU_BUFFER_BYTES + offset) = value;
    }
}

/* --- The transaction counters and their interrupt --- */

enum { RTZ_ENABLES = 0xffff, RTZ_KEEPS_ON_READ = 1 << 28, OUTSTANDING_MASK = 0xff };

uint32_t niu_outstanding(const struct niu *niu, unsigned id)
{
    return niu->word[NIU_REQS_OUTSTANDING / 4 + id];
}

void niu_set_outstanding(struct niu *niu, unsigned id, uint32_t value)
{
    uint32_t *counter = word_at(niu, NIU_REQS_OUTSTANDING + 4 * id);
    if (*counter && !(value & OUTSTANDING_MASK)) {
        *word_at(niu, NIU_RTZ_SOURCE) |= UINT32_C(1) << id;
    }
    *counter = value & OUTSTANDING_MASK;
}

static uint32_t pending(const struct niu *niu)
{
    return niu->word[NIU_RTZ_SOURCE / 4] & niu->word[NIU_RTZ_CFG / 4] & RTZ_ENABLES;
}

bool niu_interrupt(const struct niu *niu)
{
    return pending(niu) != 0;
}

/* The lowest pending bit's number (SPEC leaves the choice open). */
static uint32_t read_rtz_num(struct niu *niu, bool effects)
{
    uint32_t bits = pending(niu);
    if (!bits) {
        return 0;
    }
    uint32_t number = (uint32_t)__builtin_ctz(bits);
    if (effects && !(niu->word[NIU_RTZ_CFG / 4] & RTZ_KEEPS_ON_READ)) {
        *word_at(niu, NIU_RTZ_SOURCE) &= ~(UINT32_C(1) << number);
    }
    return number;
}

static void clear_outstanding(struct niu *niu, uint32_t ids)
{
    for (unsigned id = 0; id < NIU_TRANSACTIONS; id++) {
        if (ids >> id & 1) {
            niu_set_outstanding(niu, id, 0);
        }
    }
}

/* --- Coordinate translation --- */

static unsigned table_entry(const struct niu *niu, unsigned table, unsigned index)
{
    uint32_t word = niu->word[table / 4 + index / NIU_ENTRIES_PER_WORD];
    return word >> NIU_ENTRY_BITS * (index % NIU_ENTRIES_PER_WORD) & (NIU_TABLE_ENTRIES - 1);
}

/* Is the table of DDR used there? Bits of its last word say so. */
static bool is_ddr_column(const struct niu *niu, unsigned x)
{
    enum { EAST_IS_DDR = 1 << 10, WEST_IS_DDR = 1 << 11 };
    uint32_t last = niu->word[NIU_DDR_TABLE / 4 + NIU_TABLE_WORDS - 1];
    return (x == GRID_EAST_DRAM_X && last & EAST_IS_DDR) ||
           (x == GRID_WEST_DRAM_X && last & WEST_IS_DDR);
}

/* SPEC: NoC/Coordinates, Translation Algorithm. Inputs count modulo 32. */
void niu_translate(const struct niu *niu, unsigned *x, unsigned *y)
{
    enum { OTHER_COLUMN = GRID_WEST_DRAM_X ^ GRID_EAST_DRAM_X };
    unsigned column = *x % NIU_TABLE_ENTRIES, row = *y % NIU_TABLE_ENTRIES;
    if (!(niu->word[NIU_CFG_0 / 4] & NIU_TRANSLATES)) {
        return;
    }
    if (niu->word[NIU_DDR_SWAP / 4] >> row & 1 && is_ddr_column(niu, column ^ OTHER_COLUMN)) {
        *x = column ^ OTHER_COLUMN;
    } else if (!(niu->word[NIU_ROW_MASK / 4] >> row & 1)) {
        *x = table_entry(niu, NIU_X_TABLE, column);
    }
    if (is_ddr_column(niu, column)) {
        *y = table_entry(niu, NIU_DDR_TABLE, row);
    } else if (!(niu->word[NIU_COLUMN_MASK / 4] >> column & 1)) {
        *y = table_entry(niu, NIU_Y_TABLE, row);
    }
}

/* --- Access --- */

/* The vendor's noc_parameters: a field of 8 bits for each command buffer. GUESS: a buffer has one
 * place while NIU_CFG_0 enables no FIFO, which is not modelled. */
static uint32_t free_slots(const struct niu *niu)
{
    enum { FIELD = 8 };
    uint32_t slots = 0;
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        slots |= (~niu->word[niu_buffer(buffer) + NIU_CMD_CTRL / 4] & 1) << FIELD * buffer;
    }
    return slots;
}

enum niu_effect niu_read(struct niu *niu, uint32_t offset, bool effects, uint32_t *value)
{
    const uint32_t *plain = niu_plain(niu, offset, false);
    if (plain) {
        *value = *plain;
        return NIU_DONE;
    }
    const struct niu_row *row = find_row(offset);
    if (!row) {
        return NIU_ABSENT;
    }
    switch (row->kind) {
    case CLEAR:
    case RTZ_CLR:
    case PULSE:
        *value = 0;
        break;
    case SLOTS:
        *value = free_slots(niu);
        break;
    case RTZ_NUM:
        *value = read_rtz_num(niu, effects);
        break;
    case PLAIN:
    case TAG:
    case COMMAND:
    case DRIVEN:
    case LATER:
    case BLIND:
        *value = *word_at(niu, offset);
        break;
    }
    return row->kind == BLIND ? NIU_UNMODELLED : NIU_DONE;
}

enum niu_effect niu_write(struct niu *niu, uint32_t offset, bool effects, uint32_t value)
{
    uint32_t *plain = niu_plain(niu, offset, true);
    if (plain) {
        *plain = offset % NIU_BUFFER_BYTES == NIU_PACKET_TAG ? value & UINT16_MAX : value;
        return NIU_DONE;
    }
    if (offset < NIU_BYTES && offset % NIU_BUFFER_BYTES == NIU_CMD_CTRL) {
        *word_at(niu, offset) = value;
        return value & 1 ? NIU_COMMAND : NIU_DONE;
    }
    const struct niu_row *row = find_row(offset);
    if (!row) {
        return NIU_ABSENT;
    }
    switch (row->kind) {
    case PLAIN:
    case TAG: /* of niu_plain */
    case LATER:
    case COMMAND:
        niu->has_own_tables |= offset >= NIU_X_TABLE && offset < NIU_DDR_SWAP;
        *word_at(niu, offset) = value;
        break;
    case CLEAR:
        if (effects) {
            clear_outstanding(niu, value);
        }
        break;
    case RTZ_CLR:
        if (effects) {
            *word_at(niu, NIU_RTZ_SOURCE) &= ~value;
        }
        break;
    case RTZ_NUM:
    case DRIVEN:
    case PULSE:
    case SLOTS:
    case BLIND:
        break;
    }
    if (row->kind == COMMAND && value & 1) {
        return NIU_COMMAND;
    }
    return row->kind == LATER || row->kind == PULSE ? NIU_UNMODELLED : NIU_DONE;
}
