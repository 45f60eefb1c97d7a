/*
 * Files of programs that a host has written into tiles, so that only the host knows them. A program
 * is found by its code in the tile, byte by byte. Firmware is at the address for which it was
 * linked. Kernels are elsewhere, and are what the host makes of their file (loader/xip.h). The chip's
 * images then refer to the file, which must stay open.
 */
#ifndef METAL_PROGRAM_FILES_H
#define METAL_PROGRAM_FILES_H

#include "chip/calls.h"
#include "loader/launched.h"

struct program_files;

/* NULL: no memory. */
struct program_files *program_files_create(void);

/* Not while the chip's images are still looked at. NULL does nothing. */
void program_files_free(struct program_files *files);

/* Reads a file, or all that may be programs in a folder and below. The name may have wildcards as a
 * shell has them. It is looked at again by program_files_look, for up to eight names. False: nothing
 * has that name yet. */
bool program_files_add(struct program_files *files, const char *name);

/* Looks there for files that have come: a host compiles while it runs. */
void program_files_look(struct program_files *files);

size_t program_files_count(const struct program_files *files);

/* Is called for a program that is new in the tile, with the number of other files that have the same
 * code. */
typedef void program_files_found(void *context, const struct tile_facts *tile, const char *path,
                                 unsigned others);

/* Finds them in the tile, and tells `found` (NULL: nobody). Returns how many are new. */
unsigned program_files_place(struct program_files *files, struct penrose_chip *chip,
                             const struct tile_facts *tile, program_files_found *found,
                             void *context);

/* The same of firmware, and of the kernels of a launch, which are where its message says. This is much
 * faster than a look at all of the tile. */
void program_files_place_launched(struct program_files *files, struct penrose_chip *chip,
                                  const struct tile_facts *tile,
                                  const struct loader_launched *launched);

/* Finds them in all tiles of `at` that were touched, which is the chip or a past of it. What was found
 * before is forgotten. */
void program_files_place_all(struct program_files *files, struct penrose_chip *chip,
                             struct penrose_chip *at);

/* The newest file of a hart's kernel that lies at this address of the tile, with its data behind it;
 * NULL: it is in none, or that one was found to have another content by now. Its path lives as long as the files. */
const char *program_files_kernel(const struct program_files *files, enum penrose_hart hart,
                                 const struct tile_facts *tile, uint32_t address);

/* Makes the chip forget all of them, because a host overwrites programs. */
void program_files_forget(const struct program_files *files, struct penrose_chip *chip);

#endif
