/*
 * Exceptions on their way between the client and the library. Clients may be C++ and throw in their
 * callbacks: UMD does, for host addresses that it has not mapped. An exception that passed through
 * the library would leave it locked, and the chip in the middle of a transfer. So it ends here. In
 * the other direction goes the exception that ends a wait of the client. This is the only C++ in
 * Penrose.
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

/* Throws std::runtime_error with this text to the client; to be called with nothing locked. Returns
 * where no caller is C++, so that nobody can catch it and the process would be aborted. */
void guard_throw(const char *text);

#ifdef __cplusplus
}
#endif

#endif
