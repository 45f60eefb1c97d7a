/* A C++ client: its callbacks throw, as UMD's do for host memory that it has not, and it catches what
 * the library throws. */
#ifndef ABI_THROWING_H
#define ABI_THROWING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void throwing_read(uint64_t paddr, void *p, uint32_t size);
void throwing_write(uint64_t paddr, const void *p, uint32_t size);

/* Calls clock(1); its text where it throws a std::exception, cut to `size`, "" otherwise. */
void catching_clock(void (*clock)(uint32_t), char *text, size_t size);
/* The same of init(). */
void catching_init(void (*init)(void), char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
