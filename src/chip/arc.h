/*
 * The ARC tile as the NoC and the host see it: reset unit, message queues, telemetry, memory. SPEC:
 * BlackholeA0 NoC/MemoryMap (NIU_BASE). There is no page for the rest; its sources are UMD, the
 * vendor's published firmware for the tile, and ttsim.
 *
 * The firmware of the tile does not run; this code answers in its place. It has booted, and it
 * handles messages at once. Its queues and telemetry are in the tile's memory, where hosts read and
 * write them. Invariant: csm[] has the values that a read gives, except telemetry words that change
 * with time.
 */
#ifndef CHIP_ARC_H
#define CHIP_ARC_H

#include "addresses.h"
#include "chip/grid.h"
#include "isa/reg.h"

/* ARC_SCRATCH_WORDS and so on. */
enum {
#define REG(bank, offset, words, name, kind, traits) ARC_##name##_WORDS = (words),
#include "arc.def"
#define ARC_SIZE(NAME, value) ARC_##NAME = (value),
#include "arc.def"
    ARC_CSM_BYTES = END_ARC_CSM - AT_ARC_CSM,
};

/* What the tile's surroundings do for it. Any of them may be NULL. */
struct arc_board {
    /* Tile clock cycles since the chip was made. */
    uint64_t (*now)(void *context);
    /* A message that concerns the rest of the chip (rows BOARD of arc.def): resets, DMA, tables of
     * coordinates. `request` and `response` as in the queue; returns the exit code, 0 is success.
     */
    uint8_t (*message)(void *context, const uint32_t request[ARC_MESSAGE_WORDS],
                       uint32_t response[ARC_MESSAGE_WORDS]);
    void *context;
};

struct arc {
    uint32_t scratch[ARC_SCRATCH_WORDS];
    uint32_t scratch_ram[ARC_SCRATCH_RAM_WORDS];
    uint32_t misc_control;
    uint64_t messages; /* handled so far */
    struct niu niu[GRID_NOCS];
    uint8_t csm[ARC_CSM_BYTES];

    /* Beside the state. */
    struct arc_board board;
};

extern const struct reg_file arc_registers;

/* Makes zeroed memory an ARC as after boot, on a chip of this grid and identity. */
void arc_init(struct arc *arc, const struct grid *grid, const struct chip_identity *identity,
              const struct arc_board *board);

/* Accesses over NoC `noc`. `rule` has room for GRID_RULE_BYTES and is filled unless the reply is
 * ANSWER_DONE; `to` is filled whatever the reply. Registers are single words; CSM takes any size.
 * Reads have no effects. */
enum answer arc_read(struct arc *arc, unsigned noc, uint64_t address, void *to, uint32_t size,
                     char *rule);
enum answer arc_write(struct arc *arc, unsigned noc, uint64_t address, const void *from,
                      uint32_t size, char *rule);

/* Where BAR0 + `offset` leads in the ARC tile; only PCIe tile 1 has that path. False outside. */
bool arc_bar0_address(uint64_t offset, uint64_t *address);

#endif
