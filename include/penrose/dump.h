/*
 * Dumps: the state of tiles at one moment, in files that any tool can read. docs/DUMPS.md describes
 * the format.
 *
 * The rules of penrose/penrose.h hold. A dump does not change the chip. It is made between runs,
 * also after a run that was stopped (penrose/debug.h) or has ended with a fault.
 */
#ifndef PENROSE_DUMP_H
#define PENROSE_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include <penrose/error.h>
#include <penrose/penrose.h>

#ifdef __cplusplus
extern "C" {
#endif

struct penrose_firmware; /* penrose/metal.h */

/* The contents of a dump. It is sized as struct penrose_options: {.size = sizeof options}, and
 * zeros are the defaults. */
struct penrose_dump_options {
    size_t size;
    const struct penrose_place *tiles; /* workers, Ethernet and DRAM tiles, `tiles_count` of them;
                                          NULL: all that were ever used */
    size_t tiles_count;
    /* Names of parts or groups of parts, with commas: "dst,src,lregs". NULL: all but gddr. Groups
     * are tile, harts, memory, tensix, config, dst, src, lregs, cb, noc, streams and gddr. gddr is
     * large, so a dump has it only if it is named. */
    const char *parts;
    const char *reason; /* "exit", "fault", "signal", "place" or "snapshot"; NULL: "request" */
    const char *text;   /* the reason in words; NULL: none */
    bool html;          /* also index.html: pictures of Dst, circular buffers and the use of L1 */
    /* The firmware of workers that penrose_boot has not booted, as under a host program or in a
     * snapshot. Circular buffers are found by its debug information. NULL: it is not known. */
    const struct penrose_firmware *firmware;
};

/*
 * Writes a dump into a folder, which is made if there is none. It replaces an older dump there.
 * NULL options are the defaults. PENROSE_E_FILE: something cannot be written, or the folder has
 * other files in it. PENROSE_E_ARGUMENT: a tile without harts, a part that does not exist, or a
 * wrong size. PENROSE_E_MEMORY. After an error there is no manifest.
 */
enum penrose_status penrose_dump_write(struct penrose_chip *chip,
                                       const struct penrose_dump_options *options,
                                       const char *directory, struct penrose_error *error);

#ifdef __cplusplus
}
#endif

#endif
