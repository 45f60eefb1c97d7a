/* A hint for the host's caches: what is going to be read or written soon. */
#ifndef HOST_FETCH_H
#define HOST_FETCH_H

#include <stddef.h>
#include <stdint.h>

/* Of long pieces only the start: the host's own prefetcher sees to the rest. A few lines behind the
 * end may be fetched too. */
static inline void host_fetch(const uint8_t *bytes, size_t size)
{
    enum { LINE = 64, LINES = 4, MOST = 2048 };
    uintptr_t at = (uintptr_t)bytes, end = at + (size < MOST ? size : MOST);
    for (; at < end; at += LINES * LINE) {
        for (unsigned i = 0; i < LINES; i++) {
            __builtin_prefetch((const void *)(at + i * LINE));
        }
    }
}

#endif
