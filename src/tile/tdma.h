/* TDMA-RISC: the mover's command queue and the packer and unpacker registers behind it. */
#ifndef TILE_TDMA_H
#define TILE_TDMA_H

#include <stdint.h>

enum { TDMA_WORDS = 0x400 };

struct tdma {
    uint32_t parameter[4];
    uint32_t move_base[4];
    uint32_t unpack_register_address, scaler2_raw, pack_register_address;
    uint32_t scaler[4];
};

struct tile;
void tdma_reset(struct tile *tile);

#endif
