/* Soft reset (SPEC: BlackholeA0 SoftReset; boot PCs as tt-metal uses them). */
#include <string.h>

#include "tile/bus.h"
#include "tile/noc_port.h"
#include "tile/tile.h"
#include "tile/weak.h"

enum {
    REG_DISABLE_RESET = 0x224 / 4,
    REG_TRISC_RESET_PC = 0x228 / 4,
    REG_TRISC_OVERRIDE = 0x234 / 4,
    REG_NCRISC_RESET_PC = 0x238 / 4,
    REG_NCRISC_OVERRIDE = 0x23c / 4,
    CONTROL_RESET_PC_0 = 0,
    CONTROL_RESET_PC_1 = 2, /* the words between are END_PC */
};

/* Per core: its bit in SOFT_RESET_0, its local RAM's bit in DISABLE_RESET, where it starts. */
struct core_reset {
    uint8_t bit, keep_ram_bit, pc_register, override_register, override_bit;
    uint32_t default_pc;
};

static const struct core_reset tensix_resets[RV32_CORES] = {
    [RV32_B] = {11, 6, 0, 0, 0, 0},
    [RV32_T0] = {12, 0, REG_TRISC_RESET_PC, REG_TRISC_OVERRIDE, 0, 0x6000},
    [RV32_T1] = {13, 2, REG_TRISC_RESET_PC + 1, REG_TRISC_OVERRIDE, 1, 0xa000},
    [RV32_T2] = {14, 4, REG_TRISC_RESET_PC + 2, REG_TRISC_OVERRIDE, 2, 0xe000},
    [RV32_NC] = {18, 8, REG_NCRISC_RESET_PC, REG_NCRISC_OVERRIDE, 0, 0x12000},
};

/* Of Ethernet and DRAM tiles: pc_register is a word of the control block; there is no override.
 * GUESS: bit 31 of DISABLE_RESET, which nobody sets, stands for "RAM is always cleared". */
static const struct core_reset other_resets[RV32_CORES] = {
    [RV32_B] = {11, 31, CONTROL_RESET_PC_0, 0, 0, 0},
    [RV32_NC] = {12, 31, CONTROL_RESET_PC_1, 0, 0, 0},
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
        return tile->control[row->pc_register];
    }
    bool override = row->override_register && word[row->override_register] >> row->override_bit & 1;
    return override ? word[row->pc_register] : row->default_pc;
}

static void enter(struct tile *tile, enum rv32_core core, uint64_t cycle)
{
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
    bool keeps_ram = tile->debug.word[REG_DISABLE_RESET] >> row->keep_ram_bit & 1;
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
