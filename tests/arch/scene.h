/*
 * A program on two tiles of a chip: a product of two matrices (move.c and firmware/tensor/matmul.c),
 * by the public interface.
 */
#ifndef ARCH_SCENE_H
#define ARCH_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include <penrose/debug.h>

enum {
    SCENE_SIDE = 32, /* of the matrices */
    SCENE_WORDS = 3,
};

struct scene {
    const char *card;
    struct penrose_chip *chip;
    struct penrose_place worker, partner;
    const char *guests; /* a directory and the beginning of the programs' names */
    struct penrose_error error;
};

/* Each of these is true when all went well, else `error` says what did not. */

/* Makes the chip, writes inputs of the product into the partner's L1 and starts the worker. */
bool scene_begin(struct scene *scene, float a[SCENE_SIDE][SCENE_SIDE],
                 float b[SCENE_SIDE][SCENE_SIDE]);

bool scene_run(struct scene *scene, uint64_t cycles, bool *is_done);

/* What the partner got: the product and a sign. */
bool scene_results(struct scene *scene, float product[SCENE_SIDE][SCENE_SIDE], uint32_t *sign);

/* The same for another program of BRISC alone, up to its exit value. */
bool scene_run_program(struct scene *scene, const char *name, uint32_t *exit_value);

/* A word of a tile, as the NoC sees it. */
bool scene_read(struct scene *scene, struct penrose_place at, uint32_t address, uint32_t *word);
bool scene_write_word(struct scene *scene, struct penrose_place at, uint32_t address,
                      uint32_t word);

/* LReg 1 of the partner, whose T0 has pushed these instructions of the coprocessor. */
bool scene_execute(struct scene *scene, const uint32_t word[SCENE_WORDS],
                   uint32_t lane[PENROSE_LANES]);

#endif
