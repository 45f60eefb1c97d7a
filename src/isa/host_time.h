/* The host's time, which guests never see: for waits and reports. */
#ifndef ISA_HOST_TIME_H
#define ISA_HOST_TIME_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that never goes back. */
static inline uint64_t host_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What a loop that waits for another thread does in each turn. */
static inline void host_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#endif
