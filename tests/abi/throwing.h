/* Callbacks of a C++ client that throw, as UMD's do for host memory that it has not. */
#ifndef ABI_THROWING_H
#define ABI_THROWING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void throwing_read(uint64_t paddr, void *p, uint32_t size);
void throwing_write(uint64_t paddr, const void *p, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
