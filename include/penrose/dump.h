/*
 * Dumps: the state of tiles at a moment, in files that anybody can read. docs/DUMPS.md is the
 * format.
 *
 * The rules of penrose/penrose.h hold. A dump changes nothing of the chip; it is made between runs,
 * also after one that was stopped (penrose/debug.h) or has ended with a fault.
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

/* What a dump shall have. Sized as struct penrose_options is: {.size = sizeof options}, and zeros are
 * the defaults. */
struct penrose_dump_options {
    size_t size;
    const struct penrose_place *tiles; /* workers, Ethernet and DRAM tiles, `tiles_count` of them;
                                          NULL: all that were ever used */
    size_t tiles_count;
    /* Names of parts, or of groups of them, with commas: "dst,src,lregs"; NULL: all. Groups are tile,
     * harts, memory, tensix, config, dst, src, lregs, cb, noc and streams; and gddr, which
     * is large, and only there where it is named. */
    const char *parts;
    const char *reason; /* "exit", "fault", "signal", "place" or "snapshot"; NULL: "request" */
    const char *text;   /* the reason in words; NULL: none */
    bool html;          /* also index.html: pictures of Dst, circular buffers and the use of L1 */
    /* Of which firmware workers are where penrose_boot has booted none, as under a host program or
     * in a snapshot: circular buffers are found by its debug information. NULL: not known. */
    const struct penrose_firmware *firmware;
};

/*
 * Writes a dump into a folder, which is made if there is none; one that has an older dump gets the
 * new one in its place. NULL options are the defaults. PENROSE_E_FILE where something cannot be
 * written, or the folder has something else in it; PENROSE_E_ARGUMENT for tiles that have no harts,
 * parts that do not exist and a wrong size; PENROSE_E_MEMORY. After an error there is no manifest.
 */
enum penrose_status penrose_dump_write(struct penrose_chip *chip,
                                       const struct penrose_dump_options *options,
                                       const char *directory, struct penrose_error *error);

#ifdef __cplusplus
}
#endif

#endif
