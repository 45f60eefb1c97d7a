/*
 * Kernels that run at any address (execute in place).
 *
 * tt-metal links a kernel at an address where it never runs: the firmware calls it in the
 * kernel_config ring of L1. The host therefore rewrites its absolute references to itself into
 * pc-relative ones, guided by the relocations that --emit-relocs keeps. References to local memory
 * and registers stay absolute.
 */
#ifndef LOADER_XIP_H
#define LOADER_XIP_H

#include <stdint.h>

#include "loader/elf.h"

/*
 * A position-independent kernel: its text, then the initial contents of its .data, which the
 * kernel itself copies to local memory. Byte i of the text was linked at link_base + i, so a pc
 * in a blob placed at L1 address `at` is pc - at + link_base in the ELF.
 */
struct loader_blob {
    uint8_t *bytes; /* malloc'ed */
    uint32_t size;  /* text_size + data_size, rounded up to a multiple of 4 */
    uint32_t text_size, data_size;
    uint32_t entry; /* offset of the entry point; the firmware calls offset 0 */
    uint32_t link_base;
};

/*
 * Transforms the kernel `elf`, for a tile with so much L1; release *blob with loader_blob_free. Errors: PENROSE_E_FORMAT when
 * a reference cannot be made position independent (the message names relocation type, symbol,
 * section and remedy), when there are no relocations, or when .data does not follow the text;
 * PENROSE_E_MEMORY. Thread-safe.
 */
enum penrose_status loader_xip(const struct loader_elf *elf, uint32_t l1_bytes,
                               struct loader_blob *blob, struct penrose_error *error);

void loader_blob_free(struct loader_blob *blob);

#endif
