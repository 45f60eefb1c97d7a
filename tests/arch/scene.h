/*
 * A program on two tiles of a chip: a product of two matrices (move.c and firmware/tensor/matmul.c).
 * scene.c is compiled for each chip, and uses the public interface of that chip's code.
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
    struct penrose_chip *chip;
    struct penrose_place worker, partner;
    const char *guests; /* a directory and the beginning of the programs' names */
    struct penrose_error error;
};

/* Each function but `end` is true when all went well, else `error` says what did not. */
struct scene_functions {
    /* Makes the chip, writes inputs of the product into the partner's L1 and starts the worker. */
    bool (*begin)(struct scene *scene, float a[SCENE_SIDE][SCENE_SIDE],
                  float b[SCENE_SIDE][SCENE_SIDE]);
    bool (*run)(struct scene *scene, uint64_t cycles, bool *is_done);
    /* What the partner got: the product and a sign. */
    bool (*results)(struct scene *scene, float product[SCENE_SIDE][SCENE_SIDE], uint32_t *sign);
    /* A word of a tile, as the NoC sees it. */
    bool (*read)(struct scene *scene, struct penrose_place at, uint32_t address, uint32_t *word);
    bool (*write)(struct scene *scene, struct penrose_place at, uint32_t address, uint32_t word);
    /* LReg 1 of the partner, whose T0 has pushed these instructions of the coprocessor. */
    bool (*execute)(struct scene *scene, const uint32_t word[SCENE_WORDS],
                    uint32_t lane[PENROSE_LANES]);
    double (*clock_mhz)(const struct scene *scene);
    const char *(*kind)(const struct scene *scene, unsigned x, unsigned y);
    void (*end)(struct scene *scene);
};

extern const struct scene_functions blackhole_scene, small_scene;

#endif
