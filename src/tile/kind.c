/*
 * Kinds of tile. SPEC: BlackholeA0 README, TensixTile and EthernetTile README; for DRAM tiles
 * tt-metal's drisc firmware and tt-exalens, which agree. E0 and the DRAM tile's hart are like B.
 */
#include "tile/tile.h"

const struct tile_kind tile_kinds[TILE_TYPES] = {
    [TILE_TENSIX] = {.type = TILE_TENSIX,
                     .name = "worker",
                     .l1_bytes = TILE_L1_BYTES,
                     .harts = (1 << RV32_CORES) - 1,
                     .streams = OVERLAY_STREAMS,
                     .hart = {[RV32_B] = "brisc",
                              [RV32_T0] = "trisc0",
                              [RV32_T1] = "trisc1",
                              [RV32_T2] = "trisc2",
                              [RV32_NC] = "ncrisc"}},
    [TILE_ETHERNET] = {.type = TILE_ETHERNET,
                       .name = "Ethernet",
                       .l1_bytes = TILE_E_L1_BYTES,
                       .harts = 1 << RV32_B | 1 << RV32_NC,
                       .streams = 32,
                       .hart = {[RV32_B] = "erisc0", [RV32_NC] = "erisc1"}},
    [TILE_DRAM] = {.type = TILE_DRAM,
                   .name = "DRAM",
                   .l1_bytes = TILE_DRAM_L1_BYTES,
                   .harts = 1 << RV32_B,
                   .streams = 16,
                   .hart = {[RV32_B] = "drisc"}},
};

static const struct tile_iram irams[] = {
#define IRAM(KIND, hart, first, bytes) {TILE_##KIND, RV32_##hart, first, bytes},
#include "iram.def"
    {.bytes = 0} /* the end */
};

const struct tile_iram *tile_iram(enum tile_type type, enum rv32_core core)
{
    const struct tile_iram *iram = irams;
    while (iram->bytes && (iram->type != type || iram->core != core)) {
        iram++;
    }
    return iram->bytes ? iram : NULL;
}

uint32_t tile_local_size(enum rv32_core core)
{
    return core == RV32_B || core == RV32_NC ? TILE_B_LOCAL_BYTES : TILE_T_LOCAL_BYTES;
}

uint8_t *tile_code_at(const struct tile *tile, enum rv32_core core, uint32_t pc)
{
    const struct rv32_code *iram = tile->hart[core].iram;
    if (pc <= tile->kind->l1_bytes - sizeof(uint32_t)) {
        return tile->l1 + pc;
    }
    return pc % 4 == 0 && rv32_code_has(iram, pc) ? iram->l1 + (pc - iram->base) : NULL;
}
