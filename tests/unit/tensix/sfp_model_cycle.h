/* What the files of the model share: a cycle, and what instructions do in it. */
#ifndef SFP_MODEL_CYCLE_H
#define SFP_MODEL_CYCLE_H

#include "unit/tensix/sfp_model.h"

/* What a cycle works on: reads from `old`, writes to unit->reg. */
struct cycle {
    struct unit *unit;
    const struct tensix *tensix;
    struct registers old;
    uint32_t written[LREGS], flagged, advanced; /* lanes */
    uint32_t was_late[LREGS];
    unsigned late; /* entries of unit->late that are of the cycle before */
    bool dst_read[ROWS], dst_written[ROWS];
    bool part_busy[5];
    bool part_vd[5][2]; /* has an instruction with VD 16 (1), another VD (0) */
    bool swapped, swap_due;
    enum code last; /* the ordinary instruction of the cycle before, or 0 */
    uint32_t last_word;
};

void cycle_unclear(struct cycle *cycle, const char *why);
void cycle_put(struct cycle *cycle, unsigned r, unsigned lane, uint32_t value);
bool lane_enabled(const struct registers *reg, unsigned lane);
struct op parse_word(uint32_t word);
void cycle_simple(struct cycle *cycle, const struct op *op, unsigned lane);
void cycle_multiply_add(struct cycle *cycle, const struct op *op, unsigned lane);
void cycle_round(struct cycle *cycle, const struct op *op, unsigned lane);
void cycle_swap(struct cycle *cycle, const struct op *op, uint32_t lanes);
void cycle_transpose(struct cycle *cycle);
void cycle_load(struct cycle *cycle, unsigned vd, unsigned mod, unsigned address, uint32_t lanes);
void cycle_store(struct cycle *cycle, const struct op *op, unsigned address, uint32_t lanes);
void cycle_load_immediate(struct cycle *cycle, const struct op *op, uint32_t lanes);
unsigned unit_address(const struct unit *unit, const struct tensix *tensix, unsigned mod,
                      unsigned imm10);
void unit_step(struct unit *unit, const struct tensix *tensix, unsigned addr_mod);

#endif
