/*
 * Launching kernels on a tile that has booted: the image for the kernel_config ring, the launch
 * message and the go word, encoded by the layout that the firmware's DWARF gives.
 */
#ifndef LOADER_LAUNCH_H
#define LOADER_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/firmware.h"
#include "loader/writes.h"
#include "loader/xip.h"

enum {
    LOADER_RING_SIZE = 69 << 10, /* bytes of the kernel_config ring, tt-metal's default */
    LOADER_MAX_ARGUMENTS = 341,  /* words of runtime and common arguments of a kernel together */
    LOADER_MAX_SEMAPHORES = 16,
};

/* What one hart runs; no kernel when blob is NULL. */
struct loader_kernel {
    const struct loader_blob *blob;
    const uint32_t *arguments; /* get_arg_val(i) */
    uint32_t arguments_count;
    const uint32_t *common_arguments; /* get_common_arg_val(i) */
    uint32_t common_arguments_count;
};

/* Addresses and sizes in bytes; address and page_size multiples of 16. */
struct loader_circular_buffer {
    uint32_t id; /* below layout.NUM_CIRCULAR_BUFFERS */
    uint32_t address, size;
    uint32_t num_pages, page_size; /* num_pages * page_size == size */
};

/* HOST: the host waits for DONE and uses one slot. DEV: the firmware notifies a dispatcher. */
enum loader_dispatch { LOADER_DISPATCH_HOST, LOADER_DISPATCH_DEV };

/* DEDICATED: each data-movement hart has a NoC of its own. */
enum loader_noc_mode { LOADER_NOC_DEDICATED, LOADER_NOC_DYNAMIC };

/* All zero launches nothing, in HOST mode, at slot 0. */
struct loader_launch_request {
    struct loader_kernel kernel[LOADER_PROCESSORS]; /* all three TRISCs or none */
    const uint32_t *semaphores;                     /* initial values */
    uint32_t semaphores_count;
    const struct loader_circular_buffer *buffers;
    uint32_t buffers_count;
    uint32_t brisc_noc_id; /* 0 or 1: BRISC's NoC; NCRISC uses the other one */
    enum loader_noc_mode noc_mode;
    enum loader_dispatch dispatch;
    uint32_t host_assigned_id;
    uint32_t slot;     /* in the launch ring: 0, or launch_msg_rd_ptr after DEV launches */
    uint32_t go_index; /* entry of go_messages */
    uint8_t dispatch_message_offset, master_x, master_y; /* DEV: the one to notify */
    uint32_t ring_size; /* bytes at firmware->ring_base; 0: LOADER_RING_SIZE */
};

/* Apply `writes` in order; the last one starts the harts. Addresses are in L1. */
struct loader_launch {
    struct loader_writes writes;
    uint32_t image_address, image_size;         /* the ring's part in use */
    uint32_t kernel_address[LOADER_PROCESSORS]; /* 0: no kernel */
    uint32_t arguments_address[LOADER_PROCESSORS];
    uint32_t common_arguments_address[LOADER_PROCESSORS];
    uint32_t semaphores_address;
};

/*
 * Builds a launch; release it with loader_launch_free. Errors: PENROSE_E_ARGUMENT (a value is out
 * of range or does not fit; the message says which, what was expected and the remedy),
 * PENROSE_E_MEMORY. Thread-safe.
 */
enum penrose_status loader_launch_build(const struct loader_firmware *firmware,
                                        const struct loader_launch_request *request,
                                        struct loader_launch *launch, struct penrose_error *error);

void loader_launch_free(struct loader_launch *launch);

/*
 * Was `kernel` linked against this firmware's ELF of `processor`? Its imported addresses must be
 * those of the firmware, and its local memory must start behind the firmware's. Errors:
 * PENROSE_E_FORMAT naming the symbol and both values. A kernel of another build would run and
 * silently use wrong addresses. Thread-safe.
 */
enum penrose_status loader_kernel_check(const struct loader_elf *kernel,
                                        const struct loader_firmware *firmware,
                                        enum loader_processor processor,
                                        struct penrose_error *error);

#endif
