/* The interrupt controller and the pc snapshots. */
#include "tile/pic.h"

#include "addresses.h"
#include "arch/arch.h"
#include "rv32/rv32.h"
#include "tile/report.h"
#include "tile/tile.h"

tile_mmio_handler tile_mmio_PIC;
enum rv32_poll tile_mmio_poll_PIC(struct tile *tile, enum tile_agent agent, uint32_t offset);

/* --- Registers --- */

static tile_mmio_handler pic_hardware, pic_pc_snapshot;

#define REG_FILE    pic_registers
#define REG_TABLE   "pic.def"
#define REG_STATE   struct pic
#define REG_BY(has) pic_##has
#include "isa/reg_table.h"

enum {
#define REG(bank, offset, words, name, kind, traits) END_##name = (offset) + 4 * (words),
#include "pic.def"
};
_Static_assert(LAST_PIC == AT_PIC + END_INT_PC - 1, "pic.def");
_Static_assert(LAST_PC_SNAPSHOT == AT_PIC + END_PC_SNAPSHOT - 1, "pic.def");

static enum answer pic_hardware(struct tile *tile, struct mmio_access *access)
{
    return mmio_value(access, tile->pic.hardware[access->word]);
}

static enum answer pic_pc_snapshot(struct tile *tile, struct mmio_access *access)
{
    static const enum rv32_core core_of[] = {RV32_B, RV32_NC, RV32_T0, RV32_T1, RV32_T2};
    return mmio_value(access, rv32_current_pc(&tile->hart[core_of[access->word]]));
}

enum answer tile_mmio_PIC(struct tile *tile, struct mmio_access *access)
{
    struct reg_place place;
    if (!reg_find_in(&pic_registers, BANK_PIC, access->offset, &place)) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "the PIC ends at " ARCH_TEXT(
                               LAST_PIC) ", the pc snapshots at " ARCH_TEXT(LAST_PC_SNAPSHOT));
    }
    uint32_t *word = reg_state_word(&tile->pic, &place), old = *word;
    enum answer answer = mmio_register(tile, access, &place, word);
    bool changes = mmio_is_write(access) ? reg_is_written(place.row) : *word != old;
    if (answer == ANSWER_DONE && mmio_has_effects(access) && changes) {
        tile_event(tile, access->cycle);
    }
    return answer;
}

enum rv32_poll tile_mmio_poll_PIC(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    struct reg_place place;
    return reg_find_in(&pic_registers, BANK_PIC, offset, &place) ? mmio_poll(place.row)
                                                                 : RV32_POLL_EFFECT;
}

/* --- Interrupts --- */

bool pic_take(struct tile *tile, enum rv32_core core, uint32_t *handler)
{
    struct pic *pic = &tile->pic;
    unsigned index = core != RV32_B;
    if (!pic_listens(pic, core)) {
        return false;
    }
    for (unsigned i = 0; i < PIC_IRQS; i++) {
        unsigned number = (pic->turn[index] + i) % PIC_IRQS;
        if (pic_is_pending(pic, index, number)) {
            pic->turn[index] = (number + 1) % PIC_IRQS;
            pic->interrupt_number[index] = number;
            *handler = pic->handler[number];
            return true;
        }
    }
    return false;
}

void pic_set_hardware(struct tile *tile, enum pic_source source, bool raised, uint64_t cycle)
{
    if (tile->pic.hardware[source] != raised) {
        tile->pic.hardware[source] = raised;
        tile_event(tile, cycle);
    }
}
