/*
 * The programs that a host has put on a chip: tt-metal's firmware and its kernels. Only the host
 * knows their files, so they are looked for: firmware whose code lies in tiles, byte by byte, and
 * what may be a program among the files of folders (metal/program_files.h). By them reports know
 * functions, source lines, and what harts wait for.
 *
 * Folders are one that somebody has named, or else those where tt-metal keeps what it has compiled
 * (TT_METAL_CACHE, or ~/.cache), and firmware that it brings along (TT_METAL_RUNTIME_ROOT). Under LLK's
 * tests (LLK_HOME) it is tt-llk-build in the folder of temporary files, too. They are read when something
 * is asked for the first time.
 *
 * Not thread-safe. A NULL `struct host_programs` knows nothing.
 */
#ifndef OBSERVE_LAUNCHES_HOST_PROGRAMS_H
#define OBSERVE_LAUNCHES_HOST_PROGRAMS_H

#include <penrose/metal.h>

#include "metal/program_files.h"

struct host_programs;

/* `folder` is read once, now, and may be a file; firmware that is not there is looked for where
 * tt-metal keeps it, too. NULL: everything is. PENROSE_E_FILE: there is no such folder; PENROSE_E_MEMORY. Free it when the
 * chip is no longer looked at, see penrose_firmware_close. */
enum penrose_status host_programs_create(struct penrose_chip *chip, const char *folder,
                                         struct host_programs **programs,
                                         struct penrose_error *error);
void host_programs_free(struct host_programs *programs);

/* Programs may be among these files, too: a file or a folder, also with wildcards. False: nothing has
 * that name yet. It is looked for again when files may have come. */
bool host_programs_add(struct host_programs *programs, const char *name);

/* Takes over a firmware that may lie in tiles, and is tried first. */
void host_programs_add_firmware(struct host_programs *programs, struct penrose_firmware *firmware);

/* Looks for the firmware, unless what is open already lies there. */
void host_programs_know_firmware(struct host_programs *programs);

/* Looks for the firmware, and finds the files of the code that lies in all tiles, or in one. The chip
 * has symbols and source lines of it until they are forgotten: the host may overwrite the code with
 * the next call. */
void host_programs_know(struct host_programs *programs);
void host_programs_know_tile(struct host_programs *programs, unsigned x, unsigned y);
void host_programs_forget(struct host_programs *programs);

/* The same for one tile while the chip runs, as `find_programs` of a chip (chip/calls.h) and GDB
 * ask. `context` is the host_programs. */
void host_programs_find(void *context, unsigned x, unsigned y);

/* Has find_programs of the chip call that. */
void host_programs_serve(struct host_programs *programs);

/* The file of a hart's kernel at this address, looked for again if it is new; NULL: it is in none. */
const char *host_programs_kernel(struct host_programs *programs, enum penrose_hart hart,
                                 const struct tile_facts *tile, uint32_t address);

/* The files that were read so far. */
struct program_files *host_programs_files(struct host_programs *programs);

/* Where kernels are looked for, for messages. */
const char *host_programs_place(const struct host_programs *programs);

#endif
