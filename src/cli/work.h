/* The work of the guest: options of boot and run for a launch of kernels on booted firmware, for
 * memory to change before it and for memory to show after it. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include <stdint.h>

#include <jansson.h>

#include <penrose/metal.h>
#include <penrose/penrose.h>

#include "cli/options.h"
#include "cli/tensors.h"

struct memory_range {
    uint32_t address, size;
};

struct poke {
    uint32_t address;
    struct word_list words;
};

struct memory_options {
    struct cli *cli;
    struct poke *poke;
    unsigned pokes;
    struct memory_range *dump;
    unsigned dumps;
    struct tensor_options tensors;
};

extern const struct argp memory_argp;
void memory_options_free(struct memory_options *options);

/* Writes what --input and then --poke options say as a host does, over the NoC. */
enum cli_exit memory_poke(const struct memory_options *options, struct penrose_chip *chip,
                          struct penrose_place tile);

/* Shows the ranges of all --dump options: adds "memory" to *result, or prints when it is NULL. */
enum cli_exit memory_dump(const struct memory_options *options, struct penrose_chip *chip,
                          struct penrose_place tile, json_t *result);

struct launch_options {
    struct cli *cli;
    char *path[PENROSE_HARTS]; /* of the kernels; NULL: none */
    const char *directory;     /* --kernels */
    struct word_list arguments[PENROSE_HARTS], common[PENROSE_HARTS];
    struct penrose_circular_buffer *buffer;
    unsigned buffers;
    struct word_list semaphores;
    unsigned brisc_noc, repeat;
    bool used; /* some option of the group was given */
};

void launch_options_init(struct launch_options *options, struct cli *cli);
void launch_options_free(struct launch_options *options);

/* Looks for the kernels of --kernels; CLI_REFUSED with a message when there are none. */
enum cli_exit launch_options_finish(struct launch_options *options);

/* True when there is a kernel to launch. */
bool launch_options_any(const struct launch_options *options);

/* The launch as the library takes it; it refers to the options. */
struct penrose_launch launch_options_launch(const struct launch_options *options);

extern const struct argp launch_argp;

#endif
