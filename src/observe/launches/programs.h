/*
 * Files of kernels that a host has put into tiles: tt-metal keeps what it compiles in its cache
 * (TT_METAL_CACHE), as NAME/HASH/HART/HART.elf. A kernel belongs to a file if its bytes are those
 * that the host makes of the file.
 */
#ifndef OBSERVE_LAUNCHES_PROGRAMS_H
#define OBSERVE_LAUNCHES_PROGRAMS_H

#include <stdbool.h>

#include "loader/firmware.h"
#include "loader/xip.h"

struct programs;

/* For workers with so much L1. Folders are those of the environment; NULL without memory. */
struct programs *programs_open(uint32_t l1_bytes);
void programs_close(struct programs *programs);

/* The kernel that lies at this address of a tile; NULL: no file has it. Its path has {hart} where its
 * hart's name is, and lives as long as `programs`. */
const char *programs_kernel(struct programs *programs, enum loader_processor processor,
                            struct loader_memory l1, uint32_t address);

/* Looks for files that have come. */
void programs_look(struct programs *programs);

/* The file of a kernel, among those that were found, and what the host has made of it. */
const char *programs_file(const struct programs *programs, enum loader_processor processor,
                          struct loader_memory l1, uint32_t address,
                          const struct loader_blob **blob);

/* Where kernels are looked for, for messages. */
const char *programs_folders(const struct programs *programs);

#endif
