/* A hint for the host's caches: what is going to be read or written soon. */
#ifndef HOST_FETCH_H
#define HOST_FETCH_H

#include <stddef.h>
#include <stdint.h>

/* Of long pieces only the start: the host's own prefetcher sees to the rest. */
static inline void host_fetch(const uint8_t *bytes, size_t size)
{
    enum { LINE = 64, MOST = 2048 };
    for (size_t at = 0; at < size && at < MOST; at += LINE) {
        __builtin_prefetch(bytes + at);
    }
}

#endif
