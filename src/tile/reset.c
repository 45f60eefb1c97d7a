/* Soft reset (SPEC: BlackholeA0 SoftReset). */
#include <string.h>

#include "tile/bus.h"
#include "tile/debug_internal.h"
#include "tile/noc_port.h"
#include "tile/report.h"
#include "tile/tile.h"
#include "tile/weak.h"

#define REG_FILE  tile_control_registers
#define REG_TABLE "control.def"
#include "isa/reg_table.h"

_Static_assert(BANK_BYTES_CONTROL == TILE_CONTROL_WORDS * 4, "each word has its row");

/* One hart's row of resets.def. */
struct core_reset {
    uint8_t bit, keep_ram_bit;
    uint8_t pc_word, override_word, override_bit; /* of the debug registers */
    uint32_t default_pc;
};

enum { REG_NONE = 0 }; /* nobody starts where a counter says */

#define RESET_HART(hart, bit, ram, pc, pc_register, override, override_bit)                        \
    [RV32_##hart] = {bit, ram, REG_##pc_register, REG_##override, override_bit, pc},
static const struct core_reset tensix_resets[RV32_CORES] = {
#include "resets.def"
};

/* pc_word is one of the control block. GUESS: bit 31 of DISABLE_RESET, which nobody sets, stands for
 * "RAM is always cleared". */
#define RESET_OTHER(hart, bit, word) [RV32_##hart] = {bit, 31, word, REG_NONE, 0, 0},
static const struct core_reset other_resets[RV32_CORES] = {
#include "resets.def"
};

static const struct core_reset *reset_of(const struct tile *tile, enum rv32_core core)
{
    return tile->kind->type == TILE_TENSIX ? &tensix_resets[core] : &other_resets[core];
}

static bool has_hart(const struct tile *tile, unsigned core)
{
    return tile->kind->harts >> core & 1;
}

static uint32_t reset_pc(const struct tile *tile, const struct core_reset *row)
{
    const uint32_t *word = tile->debug.word;
    if (tile->kind->type != TILE_TENSIX) {
        return tile->control[row->pc_word];
    }
    bool override = row->override_word && word[row->override_word] >> row->override_bit & 1;
    return override ? word[row->pc_word] : row->default_pc;
}

static void enter(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    tile_wake(tile, core); /* what it has counted until now can be read while it is held */
    tile->run[core].state = HART_HELD;
    if (core >= RV32_T0 && core <= RV32_T2) {
        tensix_discard(&tile->tensix, core - RV32_T0);
    }
    mailbox_enter_reset(tile, core);
    debug_enter_reset(tile, core);
    tile_weak_reset(tile, core);
    tile_noc_enter_reset(tile, core, cycle);
    if (tile->running == core) {
        rv32_cut(&tile->hart[core], cycle + 1);
    }
}

static void leave(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
    const struct core_reset *row = reset_of(tile, core);
    bool keeps_ram =
        tile->run[core].ram_kept || tile->debug.word[REG_DISABLE_RESET] >> row->keep_ram_bit & 1;
    if (tile->run[core].ram_used && !keeps_ram) {
        memset(tile->local[core], 0, tile_local_size(core));
    }
    mailbox_leave_reset(tile, core);
    rv32_reset(&tile->hart[core], reset_pc(tile, row), cycle);
    tile->run[core] = (struct tile_hart){.state = HART_READY,
                                         .ram_used = true,
                                         .time = cycle,
                                         .probe_at = cycle,
                                         .step = tile->run[core].step};
}

uint32_t tile_reset_bit(const struct tile *tile, enum rv32_core core)
{
    return has_hart(tile, core) ? UINT32_C(1) << reset_of(tile, core)->bit : 0;
}

uint32_t tile_reset_bits(const struct tile *tile)
{
    uint32_t bits = 0;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        bits |= tile_reset_bit(tile, (enum rv32_core)core);
    }
    return bits;
}

void tile_soft_reset(struct tile *tile, uint32_t old, uint32_t value, uint64_t cycle)
{
    bool by_hart = tile->running != RV32_CORES;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        uint32_t bit = tile_reset_bit(tile, (enum rv32_core)core);
        if (value & ~old & bit) {
            enter(tile, (enum rv32_core)core, cycle);
        } else if (old & ~value & bit) {
            leave(tile, (enum rv32_core)core, by_hart ? cycle + 1 : cycle);
        }
    }
    tile_event(tile, cycle);
}

enum answer tile_mmio_CONTROL(struct tile *tile, struct mmio_access *access)
{
    struct reg_place place;
    return reg_find(&tile_control_registers, access->offset, &place)
               ? mmio_register(tile, access, &place, &tile->control[place.offset / 4])
               : ANSWER_UNMAPPED;
}
