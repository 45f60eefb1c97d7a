/* Endpoints on the NoC: addresses of tiles, which the host reads and writes by requests. */
#ifndef ABI_ENDPOINT_H
#define ABI_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/device.h"

struct endpoint {
    unsigned x, y; /* translated coordinates, as software uses them on NoC 0 */
    uint64_t address;
};

/* Reads or writes all bytes of the transfer from endpoint.address on. False, after a report, when
 * something of it was not answered: it reads all ones. */
bool device_endpoint_read(struct device *device, struct endpoint endpoint,
                          struct transfer transfer);
bool device_endpoint_write(struct device *device, struct endpoint endpoint,
                           struct transfer transfer);

#endif
