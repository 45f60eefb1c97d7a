/*
 * tt-burnin's .ttx images: a zip whose files X-Y/image.bin (BRISC's program, and data) and
 * X-Y/ckernels.bin (the TRISCs' programs) have the data for L1 of tile X-Y. Each file is a header
 * of eight words, 0x9704266b and zeros, and chunks: the address in 8 bytes, the length in 4, 4
 * bytes of zeros, and the bytes. Source: tt-burnin 0.4.4, load_ttx.py.
 */
#ifndef LOADER_TTX_H
#define LOADER_TTX_H

#include <penrose/error.h>

#include "loader/writes.h"

/*
 * Appends the writes of the image's only tile, 0-0, which tt-burnin loads to every worker. Errors:
 * PENROSE_E_FILE (missing, unreadable), PENROSE_E_FORMAT (no such image, cut off, for several
 * tiles, beyond `l1_bytes` of L1; the message says what), PENROSE_E_MEMORY; the list is empty then.
 * Thread-safe.
 */
enum penrose_status loader_ttx_read(const char *path, uint32_t l1_bytes,
                                    struct loader_writes *writes, struct penrose_error *error);

#endif
