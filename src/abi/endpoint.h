/*
 * What answers on the NoC: an address of a tile, and reads and writes of it as host requests.
 *
 * Everything that src/abi knows about targets is behind these functions. Worker tiles are those of
 * the chip; what the chip does not have yet answers by the table endpoints.def.
 */
#ifndef ABI_ENDPOINT_H
#define ABI_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/device.h"

enum endpoint_kind {
    ENDPOINT_NONE,
    ENDPOINT_WORKER,
    ENDPOINT_DRAM,
    ENDPOINT_ETHERNET,
    ENDPOINT_ARC,
    ENDPOINT_PCIE,
    ENDPOINT_L2CPU,
    ENDPOINT_SECURITY,
    ENDPOINT_PCIE_NIU0, /* not tiles, but registers in BAR0 */
    ENDPOINT_PCIE_NIU1,
};

struct endpoint {
    unsigned noc;  /* 0 or 1 */
    unsigned x, y; /* translated coordinates, as software uses them on that NoC */
    uint64_t address;
};

/* Reads or writes all bytes of the transfer from endpoint.address on. */
void device_endpoint_read(struct device *device, struct endpoint endpoint,
                          struct transfer transfer);
void device_endpoint_write(struct device *device, struct endpoint endpoint,
                           struct transfer transfer);

/* Reads what the table knows, zeros otherwise; true when it knew all bytes. */
bool endpoint_table_read(enum endpoint_kind kind, uint64_t address, struct transfer transfer);

#endif
