/* What firmware.c and companion.c share. */
#ifndef LOADER_FIRMWARE_INTERNAL_H
#define LOADER_FIRMWARE_INTERNAL_H

#include "arch/arch.h"
#include "loader/elf_internal.h"
#include "loader/writes.h"

/* Opens name/name.elf or name.elf of a firmware folder, and refuses that of another kind of chip. */
enum penrose_status loader_open_named(const struct arch *facts, const char *directory,
                                      const char *name, struct loader_elf **elf,
                                      struct penrose_error *error);

/* Does the segment lie in a hart's local memory? */
bool loader_is_local(const struct arch *facts, const struct loader_segment *segment);

/* Appends a write of bytes; false when memory runs out. */
bool loader_writes_put(struct loader_writes *writes, uint32_t address, const void *bytes,
                       uint32_t size);

#endif
