/*
 * tt-metal's conventions on a chip: its firmware, launch messages, circular buffers and banks of
 * DRAM. A program that only loads and runs its own code needs none of them. Source: tt-metal's
 * firmware, whose debug information says where its messages lie.
 *
 * The rules of penrose/penrose.h hold. A firmware may be used for several chips, by one thread at a
 * time.
 */
#ifndef PENROSE_METAL_H
#define PENROSE_METAL_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/error.h>
#include <penrose/penrose.h>

#ifdef __cplusplus
extern "C" {
#endif

struct penrose_firmware;

/* Opens and checks a directory with tt-metal's firmware, `pre-compiled/<hash>` or flat. *firmware is
 * NULL after an error: PENROSE_E_FILE, PENROSE_E_FORMAT, PENROSE_E_LAYOUT, PENROSE_E_MEMORY. */
enum penrose_status penrose_firmware_open(const char *directory, struct penrose_firmware **firmware,
                                          struct penrose_error *error);
/* After the chips that use it are destroyed. NULL does nothing. */
void penrose_firmware_close(struct penrose_firmware *firmware);

/*
 * Writes firmware into a tile and starts it, as tt-metal's host does (boot only starts; use
 * penrose_run with penrose_firmware_ready as its condition): that of workers, of DRAM tiles, and of
 * Ethernet tiles, beside base firmware where the tile has a link. The firmware stays open as long as
 * the chip is used. PENROSE_E_ARGUMENT for other kinds of tile, and where the firmware has none for
 * the tile.
 */
enum penrose_status penrose_boot(struct penrose_chip *chip, unsigned x, unsigned y,
                                 struct penrose_firmware *firmware, struct penrose_error *error);

/* True when this firmware is on the tile, has finished its initialisation, and waits for work. */
bool penrose_firmware_ready(struct penrose_chip *chip, unsigned x, unsigned y,
                            const struct penrose_firmware *firmware);

/* How many DRAM banks the kernels of this firmware interleave pages over. 0: it does not say. */
unsigned penrose_firmware_dram_banks(const struct penrose_firmware *firmware);

/* The tile through which kernels on NoC `noc` (0 or 1) reach a DRAM bank, as firmware's tables say;
 * false when the chip has no such bank. */
bool penrose_dram_bank(const struct penrose_chip *chip, unsigned noc, unsigned bank, unsigned *x,
                       unsigned *y);

/* What a hart runs in a launch. */
struct penrose_kernel {
    const char *path; /* kernel ELF, linked against this firmware with --emit-relocs; NULL: none */
    const uint32_t *arguments, *common_arguments; /* words; NULL where there are none */
    unsigned arguments_count, common_arguments_count;
};

/* A circular buffer in the L1 of the tile. */
struct penrose_circular_buffer {
    unsigned id;                              /* from 0 on, as many as the firmware has */
    uint32_t address, size, pages, page_size; /* bytes; size = pages * page_size */
};

/* Sized as struct penrose_options is: {.size = sizeof launch}, and zeros are none. */
struct penrose_launch {
    size_t size;
    struct penrose_kernel kernel[PENROSE_HARTS]; /* tt-metal starts the three TRISCs together */
    const struct penrose_circular_buffer *buffers;
    unsigned buffers_count;
    const uint32_t *semaphores; /* initial values, in order of their ids */
    unsigned semaphores_count;
    unsigned brisc_noc; /* 0 or 1; NCRISC uses the other */
};

/*
 * Writes kernels and a launch message into a booted worker and gives the go signal. Use penrose_run
 * with penrose_launch_done as its condition. PENROSE_E_ARGUMENT for what is out of range;
 * PENROSE_E_STATE while the tile is not ready; PENROSE_E_FILE, PENROSE_E_FORMAT and PENROSE_E_LAYOUT
 * of kernels.
 */
enum penrose_status penrose_launch(struct penrose_chip *chip, unsigned x, unsigned y,
                                   struct penrose_firmware *firmware,
                                   const struct penrose_launch *launch,
                                   struct penrose_error *error);

/* True when all that was launched on the tile is over and its firmware waits for work. */
bool penrose_launch_done(struct penrose_chip *chip, unsigned x, unsigned y,
                         const struct penrose_firmware *firmware);

#ifdef __cplusplus
}
#endif
#endif
