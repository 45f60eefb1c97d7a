/* Programs of a few lines on the harts of a chip. */
#ifndef CHIP_PROGRAM_H
#define CHIP_PROGRAM_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include <penrose/penrose.h>

/* Assembles lines that are separated by ';' and starts them on a hart. */
static inline void start_program(struct penrose_chip *chip, unsigned x, unsigned y,
                                 enum penrose_hart hart, uint32_t address, const char *program)
{
    struct penrose_error error = {0};
    char lines[2000], *rest = lines;
    uint32_t at = address;
    uint64_t l1 = y >= 12 && y < 24 ? UINT64_C(0x2000000000) : 0; /* of DRAM tiles */
    snprintf(lines, sizeof lines, "%s", program);
    for (char *line; (line = strsep(&rest, ";")); at += 4) {
        uint32_t word;
        ck_assert_msg(penrose_assemble(NULL, line, at, &word, &error) == PENROSE_OK, "%s: %s", line,
                      error.text);
        ck_assert_int_eq(penrose_write(chip, x, y, l1 + at, &word, sizeof word, &error),
                         PENROSE_OK);
    }
    ck_assert_msg(penrose_hart_release(chip, x, y, hart, address, &error) == PENROSE_OK, "%s",
                  error.text);
}

#endif
