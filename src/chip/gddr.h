/* Requests to GDDR in functional runs: see gddr.c. */
#ifndef CHIP_GDDR_H
#define CHIP_GDDR_H

#include "chip/chip.h"

/* For the board of tiles, while units run. */

/* The packet->size bytes that a read of GDDR finds, which then has taken place; NULL: it must
 * travel. `tile` sends it. */
const uint8_t *chip_gddr_read(void *owner, const struct tile *tile,
                              const struct noc_packet *packet);

/* Will GDDR take the write that the packet is, so that its sender may have the response now? */
bool chip_gddr_takes(void *owner, const struct noc_packet *packet);

/* The DMA engine of a DRAM tile: no other unit looks at its bank, which is not quiet, meanwhile. */
bool chip_gddr_move(void *owner, const struct tile *tile, bool writes, uint64_t address,
                    uint8_t *bytes, uint32_t size, const char **rule);

/* Between windows. */

/* Takes a packet for a DRAM tile if it need not arrive; false: it must. */
bool chip_gddr_keep(struct penrose_chip *chip, struct noc_packet *packet);

/* Counts at the banks what a unit has read there in the window. */
void chip_gddr_count(struct penrose_chip *chip, struct chip_unit *unit);

/* Serves what was kept, if the time is a multiple of a window's cycles. Responses are in the banks'
 * `sent`. */
void chip_gddr_serve(struct penrose_chip *chip);

/* Serves what is kept for one bank: a host looks at it. */
void chip_gddr_settle(struct penrose_chip *chip, struct dram_bank *bank);

/* Takes a response that its receiver has had already, and with it its
 * memory; false: it is none. */
bool chip_gddr_ends(struct penrose_chip *chip, struct noc_packet *packet);

#endif
