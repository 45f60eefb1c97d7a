/*
 * The mailboxes through which host and firmware of a tile exchange messages in L1: their offsets,
 * sizes and constants. These differ between versions of tt-metal, so they are read from the DWARF
 * of the firmware; layout.def lists them.
 *
 * Invariants of a layout that was read: every member lies inside its structure, the mailboxes lie
 * inside L1, element sizes are those of the structures that they hold, per-hart arrays have at
 * least five elements, and NUMBER members have elements of 1, 2, 4 or 8 bytes.
 */
#ifndef LOADER_LAYOUT_H
#define LOADER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/elf.h"

#define LOADER_UNKNOWN UINT32_MAX

/* A member: `count` elements of `size` bytes. Not an array: count 1. Absent or empty: count 0. */
struct loader_member {
    uint32_t offset; /* from the start of its structure */
    uint32_t size;
    uint32_t count;
};

struct loader_layout {
    uint32_t l1_bytes;     /* of the tile */
    uint32_t mailbox_base; /* L1 address of the one mailboxes_t */
#define STRUCT(group, type)               uint32_t group##_size;
#define MEMBER(group, member, need, kind) struct loader_member group##_##member;
#define CONSTANT(name, need, fallback)    uint32_t name;
#include "loader/layout.def"
};

/*
 * Reads the layout from the DWARF of `brisc`, the brisc.elf of firmware for a tile with so much L1.
 * Errors: PENROSE_E_LAYOUT
 * when debug information is absent or lacks something (the message names the file and what is
 * missing), or when what it says cannot be a layout.
 */
enum penrose_status loader_layout_read(struct loader_elf *brisc, uint32_t l1_bytes,
                                       struct loader_layout *layout, struct penrose_error *error);

/* Reads the layout of a firmware that is only booted. Facts for launching kernels may be absent. */
enum penrose_status loader_layout_read_boot(struct loader_elf *elf, uint32_t l1_bytes,
                                            struct loader_layout *layout,
                                            struct penrose_error *error);

#endif
