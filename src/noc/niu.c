/* The register file of an NIU. */
#include "noc/niu.h"

#include <stddef.h>

#include "geometry.h"

/* What BY names in niu.def. */
typedef enum answer niu_handler(struct niu *niu, const struct reg_place *place, bool effects,
                                uint32_t *value);
static niu_handler niu_by_clear_outstanding, niu_by_rtz_clear, niu_by_rtz_number, niu_by_own_tables,
    niu_by_free_slots;

#define REG_FILE    niu_registers
#define REG_TABLE   "niu.def"
#define REG_BY(has) niu_by_##has
#include "isa/reg_table.h"

/* --- Identity --- */

static uint32_t *word_of_niu(struct niu *niu, uint32_t offset)
{
    return &niu->word[niu_buffer(offset / NIU_BUFFER_BYTES) + offset % NIU_BUFFER_BYTES / 4];
}

void niu_set_identity(struct niu *niu, uint32_t offset, uint32_t value)
{
    bool in_buffers = offset == NIU_NODE_ID || offset == NIU_ENDPOINT_ID;
    for (unsigned buffer = 0; buffer < (in_buffers ? NIU_BUFFERS : 1); buffer++) {
        *word_of_niu(niu, buffer * NIU_BUFFER_BYTES + offset) = value;
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
    uint32_t *counter = word_of_niu(niu, NIU_REQS_OUTSTANDING + 4 * id);
    if (*counter && !(value & OUTSTANDING_MASK)) {
        *word_of_niu(niu, NIU_RTZ_SOURCE) |= UINT32_C(1) << id;
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
static enum answer niu_by_rtz_number(struct niu *niu, const struct reg_place *place, bool effects,
                                     uint32_t *value)
{
    (void)place;
    uint32_t bits = pending(niu), number = bits ? (uint32_t)__builtin_ctz(bits) : 0;
    if (bits && effects && !(niu->word[NIU_RTZ_CFG / 4] & RTZ_KEEPS_ON_READ)) {
        *word_of_niu(niu, NIU_RTZ_SOURCE) &= ~(UINT32_C(1) << number);
    }
    *value = number;
    return ANSWER_DONE;
}

static enum answer niu_by_rtz_clear(struct niu *niu, const struct reg_place *place, bool effects,
                                    uint32_t *value)
{
    (void)place;
    (void)effects;
    *word_of_niu(niu, NIU_RTZ_SOURCE) &= ~*value;
    return ANSWER_DONE;
}

static enum answer niu_by_clear_outstanding(struct niu *niu, const struct reg_place *place,
                                            bool effects, uint32_t *value)
{
    (void)place;
    (void)effects;
    for (unsigned id = 0; id < NIU_TRANSACTIONS; id++) {
        if (*value >> id & 1) {
            niu_set_outstanding(niu, id, 0);
        }
    }
    return ANSWER_DONE;
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

static enum answer niu_by_own_tables(struct niu *niu, const struct reg_place *place, bool effects,
                                     uint32_t *value)
{
    (void)effects;
    *word_of_niu(niu, place->offset) = *value;
    niu->has_own_tables = true;
    return ANSWER_DONE;
}

/* --- Access --- */

/* The vendor's noc_parameters: a field of 8 bits for each command buffer. GUESS: a buffer has one
 * place while NIU_CFG_0 enables no FIFO, which is not modelled. */
static enum answer niu_by_free_slots(struct niu *niu, const struct reg_place *place, bool effects,
                                     uint32_t *value)
{
    enum { FIELD = 8 };
    (void)place;
    (void)effects;
    *value = 0;
    for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
        *value |= (~niu->word[niu_buffer(buffer) + NIU_CMD_CTRL / 4] & 1) << FIELD * buffer;
    }
    return ANSWER_DONE;
}

static uint32_t *niu_word(struct niu *niu, const struct reg_place *place)
{
    return &niu->word[niu_buffer(place->copy) + place->offset / 4];
}

static enum answer niu_register(struct niu *niu, const struct reg_place *place,
                                enum reg_reply reply, bool effects, uint32_t *value)
{
    switch (reply) {
    case REG_DONE:
        return ANSWER_DONE;
    case REG_UNMODELLED:
        return ANSWER_UNMODELLED;
    case REG_ASK:
        return ((niu_handler *)place->row->handler)(niu, place, effects, value);
    case REG_DENIED:
        break;
    }
    return ANSWER_UNMAPPED;
}

enum answer niu_read(struct niu *niu, uint32_t offset, bool effects, uint32_t *value)
{
    struct reg_place place;
    if (!reg_find_in(&niu_registers, BANK_NIU, offset, &place)) {
        return ANSWER_UNMAPPED;
    }
    return niu_register(niu, &place, reg_read(place.row, niu_word(niu, &place), effects, value),
                        effects, value);
}

enum answer niu_write(struct niu *niu, uint32_t offset, bool effects, uint32_t value)
{
    struct reg_place place;
    if (!reg_find_in(&niu_registers, BANK_NIU, offset, &place)) {
        return ANSWER_UNMAPPED;
    }
    return niu_register(niu, &place, reg_write(place.row, niu_word(niu, &place), effects, value),
                        effects, &value);
}
