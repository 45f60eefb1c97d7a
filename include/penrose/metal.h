/*
 * tt-metal's conventions on a chip: its firmware, launch messages, circular buffers and banks of
 * DRAM. A program that only loads and runs its own code needs none of them. Source: tt-metal's
 * firmware, whose debug information has the addresses of its messages.
 *
 * The rules of penrose/penrose.h hold. Several chips may use one firmware, by one thread at a time.
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

/* Opens and checks a directory with tt-metal's firmware, `pre-compiled/<hash>` or flat, for chips of
 * the kind of `chip`; NULL: Blackhole. *firmware is NULL after an error: PENROSE_E_FILE,
 * PENROSE_E_FORMAT, PENROSE_E_LAYOUT, PENROSE_E_MEMORY. */
enum penrose_status penrose_firmware_open(const struct penrose_chip *chip, const char *directory,
                                          struct penrose_firmware **firmware,
                                          struct penrose_error *error);
/* Closes a firmware. Call it after the chips that use it are destroyed. NULL does nothing. */
void penrose_firmware_close(struct penrose_firmware *firmware);

/*
 * Writes firmware into a worker, DRAM tile or Ethernet tile and starts it, as tt-metal's host does.
 * On an Ethernet tile with a link it runs beside base firmware. The function only starts it: then
 * use penrose_run with penrose_firmware_ready as its condition. The firmware has to stay open as
 * long as the chip is used. PENROSE_E_ARGUMENT: another kind of tile, there is no firmware for
 * the tile, or the firmware was opened for another kind of chip.
 */
enum penrose_status penrose_boot(struct penrose_chip *chip, unsigned x, unsigned y,
                                 struct penrose_firmware *firmware, struct penrose_error *error);

/* True when this firmware is on the tile, has finished its initialisation, and waits for work. */
bool penrose_firmware_ready(struct penrose_chip *chip, unsigned x, unsigned y,
                            const struct penrose_firmware *firmware);

/* The number of DRAM banks over which the kernels of this firmware interleave pages. 0: it is not
 * known. */
unsigned penrose_firmware_dram_banks(const struct penrose_firmware *firmware);

/* Finds the tile through which kernels on NoC `noc` (0 or 1) reach a DRAM bank, according to the
 * firmware's tables. False if the chip has no such bank. */
bool penrose_dram_bank(const struct penrose_chip *chip, unsigned noc, unsigned bank, unsigned *x,
                       unsigned *y);

/* The kernel of a hart in a launch. */
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

/* A launch. It is sized as struct penrose_options: {.size = sizeof launch}. Zeros mean that there
 * are no kernels, buffers and semaphores. */
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
 * Writes kernels and a launch message into a booted worker, and gives the go signal. Then use
 * penrose_run with penrose_launch_done as its condition. PENROSE_E_ARGUMENT: something is out of
 * range. PENROSE_E_STATE: the tile is not ready. PENROSE_E_FILE, PENROSE_E_FORMAT and
 * PENROSE_E_LAYOUT are about kernels.
 */
enum penrose_status penrose_launch(struct penrose_chip *chip, unsigned x, unsigned y,
                                   struct penrose_firmware *firmware,
                                   const struct penrose_launch *launch,
                                   struct penrose_error *error);

/* True when everything that was launched on the tile is done and its firmware waits for work. */
bool penrose_launch_done(struct penrose_chip *chip, unsigned x, unsigned y,
                         const struct penrose_firmware *firmware);

#ifdef __cplusplus
}
#endif
#endif
