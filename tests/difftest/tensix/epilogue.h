/*
 * What a scene ends with: instructions that bring Dst and Src to L1, where the host reads them.
 *
 * Dst goes out by PACR as 1024 rows of 16 bits, unconverted; rows that are marked as cleared are 0.
 * Then SrcA and SrcB are moved to Dst as TF32 (19 bits) and packed as 256 rows of 32 bits: bank 0
 * and 1 of SrcA, bank 0 and 1 of SrcB. A bank that the Matrix Unit does not have is given to it by
 * an UNPACR of one datum, 0, which takes the place of the one at row 0, column 0.
 */
#ifndef DIFFTEST_TENSIX_EPILOGUE_H
#define DIFFTEST_TENSIX_EPILOGUE_H

#include "program.h"

/* Makes the steps, all of thread 0, for a scene. !epilogue->ok: no memory. */
void epilogue_build(struct program *epilogue, const struct program *scene);

/* What the host reads then. */
struct epilogue_region {
    uint32_t address, bytes;
};

struct epilogue_region epilogue_region(const struct program *program);

/* Does it show Dst as 512 rows of 32 bits? So it does where Dst is remapped. */
bool epilogue_is_wide(const struct program *scene);

/* Names 32 bits of what is read back: "dst[12][3,2]" and so on. */
void epilogue_name(uint32_t word, bool wide, char *name, size_t size);

/* --- Programs of the Vector Unit (epilogue_vector.c): Dst alone, as 512 rows of 32 bits --- */

struct model;

/* Adds what stores the unit's state to Dst; `model` is as the program left it. */
void epilogue_vector(struct program *to, const struct model *model);

/* Names a word of Dst in the order of slots (see vector.h), which this brings rows into. */
void epilogue_vector_name(uint32_t word, char *name, size_t size);
void epilogue_vector_order(const uint32_t *rows, uint32_t *slots);

#endif
