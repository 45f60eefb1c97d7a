/*
 * The programs of .debug_line, run row by row: SPEC: DWARF 5, 6.2, and versions 2 to 4. libdw sorts
 * the rows of a unit by address, which mixes sequences that overlap; here they stay apart.
 */
#ifndef LOADER_LINE_PROGRAM_H
#define LOADER_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct loader_line_row {
    uint32_t address;
    uint32_t file, line; /* file: a number of the unit's table */
    bool ends_sequence;  /* it only says where the one before ends */
};

/*
 * Runs the program at `offset` of a section of `size` bytes and calls `visit` with each row, until
 * that returns false. What is damaged, or of another version, ends there. *steps is how many
 * operations may still be run, and goes down.
 */
void loader_line_program(const uint8_t *section, uint32_t size, uint32_t offset, uint32_t *steps,
                         bool (*visit)(void *context, const struct loader_line_row *row),
                         void *context);

#endif
