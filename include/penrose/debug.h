/*
 * Looking into tiles: what the Tensix coprocessor has executed, and what its registers hold. Nothing
 * here changes what a guest sees, its results or its cycles. As for all functions of a chip, one
 * thread at a time.
 */
#ifndef PENROSE_DEBUG_H
#define PENROSE_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct penrose_chip;

enum {
    PENROSE_TENSIX_THREADS = 3,
    PENROSE_DST_COLUMNS = 16,
};

/* How often a tile has executed one form of a Tensix instruction. */
struct penrose_tensix_count {
    const char *mnemonic; /* "MVMUL"; lives as long as the library */
    const char *unit; /* that executes it: "matrix", "vector", "unpack", "pack", "scalar", "sync",
                             "config", "mover", "front end" or "none" (SFPNOP has a unit, NOP none) */
    uint64_t executed[PENROSE_TENSIX_THREADS]; /* by the thread that it came from */
};

/*
 * Counts from zero, on all tiles, each Tensix instruction that is executed: those that MOP and
 * REPLAY expand to one by one, those that a wait holds once, when it starts. `counts` false ends it
 * and forgets the counts. While it counts, the coprocessor takes no shortcuts and is some times
 * slower. Error: PENROSE_E_MEMORY.
 */
enum penrose_status penrose_tensix_counting(struct penrose_chip *chip, bool counts,
                                            struct penrose_error *error);

/*
 * The counts of the worker tile (x, y), NoC 0 coordinates: one entry for each form of an instruction
 * that was executed at all, in the order of opcodes. False past the last, where nobody counts, and
 * where no worker is.
 */
bool penrose_tensix_count_get(struct penrose_chip *chip, unsigned x, unsigned y, size_t index,
                              struct penrose_tensix_count *count);

/* How 16 data of Dst are read. Dst itself does not know what it holds. */
enum penrose_dst_format {
    PENROSE_DST_FP32, /* rows 0 to 511: a float's bit pattern */
    PENROSE_DST_BF16, /* rows 0 to 1023: the pattern in the low half of an element */
    PENROSE_DST_FP16, /* the same */
};

/*
 * A row of Dst of the worker tile (x, y), as the Matrix Unit would find it now, in the tile's
 * address mapping. Rows that ZEROACC has cleared are 0. Source: BlackholeA0 Dst. Error:
 * PENROSE_E_ARGUMENT (no worker, no such row or format).
 */
enum penrose_status penrose_dst_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                     unsigned row, enum penrose_dst_format format,
                                     uint32_t datum[PENROSE_DST_COLUMNS],
                                     struct penrose_error *error);

/* Ends the run of the chip that is under way in another thread, or the next one, at the end of a
 * window with PENROSE_PAUSED. Any thread. */
void penrose_stop_request(struct penrose_chip *chip);

#ifdef __cplusplus
}
#endif

#endif
