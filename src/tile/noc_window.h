/* An addition of the tile to src/noc: the status CSRs that show overlay streams. */
#ifndef TILE_NOC_WINDOW_H
#define TILE_NOC_WINDOW_H

#include <stdint.h>

#include "rv32/rv32.h"

struct tile;

/* CSR 0xbc0 + index (tt_cfg_qstatus, tt_cfg_bstatus, tt_cfg_sstatus0..7) as a hart sees it. */
uint32_t tile_status_csr(const struct tile *tile, enum rv32_core core, unsigned index);

#endif
