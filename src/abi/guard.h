/*
 * Calls of the client's callbacks. Clients may be C++ and throw: UMD does, for host addresses that
 * it has not mapped. An exception that went through the library would leave it locked and the chip
 * in the middle of a transfer, so it ends here. This is the only C++ in Penrose.
 */
#ifndef ABI_GUARD_H
#define ABI_GUARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* Call what libttsim_set_pci_dma_mem_callbacks gave; false when it threw something. */
bool guard_read(void (*read)(uint64_t paddr, void *p, uint32_t size), uint64_t paddr, void *p,
                uint32_t size);
bool guard_write(void (*write)(uint64_t paddr, const void *p, uint32_t size), uint64_t paddr,
                 const void *p, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
