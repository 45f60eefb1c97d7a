/*
 * Where a firmware ELF expects the image of its .data: the address is a macro of tt-metal that no
 * symbol and no DWARF entry holds, so it is read from the start of main().
 */
#ifndef LOADER_SCRATCH_H
#define LOADER_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/elf.h"
#include "rv32/operands.h"

/*
 * Finds the address in L1, of so many bytes, from which the firmware `elf` initialises its .data; false when its start
 * code has no such place (a compiler may leave the copy out when .data is empty). `operands_of` reads
 * instructions as the kind of chip has them. Thread-safe.
 */
bool loader_scratch_find(const struct loader_elf *elf, uint32_t l1_bytes,
                         rv32_operands_of *operands_of, uint32_t *address);

#endif
