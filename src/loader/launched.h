/*
 * The launch of a tile, read back from its L1: the launch message that its firmware takes next or
 * has taken last, and the data in the kernel_config ring to which it refers. This is the reverse of
 * loader/launch.h, for messages of any host.
 *
 * The message says where lists begin, but not where they end. Here each list ends where the next
 * one begins. So a list may have more words than the host gave, and an empty list may show the
 * words of the next one. Kernels look at neither.
 */
#ifndef LOADER_LAUNCHED_H
#define LOADER_LAUNCHED_H

#include "loader/firmware.h"
#include "loader/launch.h"

enum { LOADER_MOST_BUFFERS = 64 };

/* Bytes of L1. */
struct loader_span {
    uint32_t address, size;
};

struct loader_launched_kernel {
    bool runs;
    uint32_t address; /* of its code */
    struct loader_span arguments, common_arguments;
};

struct loader_launched {
    uint32_t base;       /* of the image in the ring; 0: nothing was launched */
    uint32_t kernels_at; /* where the code of kernels begins, behind all else */
    struct loader_launched_kernel kernel[LOADER_PROCESSORS];
    struct loader_span semaphores; /* 16 bytes each */
    struct loader_circular_buffer buffer[LOADER_MOST_BUFFERS];
    unsigned buffers;
    bool has_remote_buffers;
    unsigned brisc_noc;
    enum loader_noc_mode noc_mode;
    uint32_t id; /* that the host gave it */
};

/* Reads a tile's L1. What cannot be is left out. */
void loader_launched_read(const struct loader_layout *layout, struct loader_memory memory,
                          struct loader_launched *launched);

/* The number that the host gave to the program of that launch message; 0: none. */
uint32_t loader_launched_id(const struct loader_layout *layout, struct loader_memory memory);

/* The entry of the ring of launch messages that the firmware takes next. */
uint32_t loader_launch_slot(const struct loader_layout *layout, struct loader_memory memory);

/* The entry of go_messages that it looks at. */
uint32_t loader_launch_go_index(const struct loader_layout *layout, struct loader_memory memory);

/* The address of the go signal there, a byte. */
uint32_t loader_go_signal(const struct loader_layout *layout, struct loader_memory memory);

#endif
