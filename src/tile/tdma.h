/*
 * TDMA-RISC: commands for the mover, and the packer and unpacker registers behind it (SPEC:
 * WormholeB0 TDMA-RISC; Blackhole has no page of its own, the registers of tensix.h are the same).
 * Commands are decoded and judged when they are written; tensix/mover.c queues and executes them.
 */
#ifndef TILE_TDMA_H
#define TILE_TDMA_H

#include <stdint.h>

#include "isa/reg.h"

enum { TDMA_PARAMETERS = 4, TDMA_MOVE_BASES = 4, TDMA_SCALERS = 4 };

struct tdma {
    uint32_t parameter[TDMA_PARAMETERS];
    uint32_t move_base[TDMA_MOVE_BASES]; /* of B, T0, T1, T2 */
    uint32_t unpack_register_address, scaler2_raw, pack_register_address;
    uint32_t scaler[TDMA_SCALERS]; /* Packers.SetRegHiScaler */
};

extern const struct reg_file tdma_registers;

struct tile;

/* Entering soft reset (bit 8 of SOFT_RESET_0). */
void tdma_enter_reset(struct tile *tile);

#endif
