/*
 * --input and --output: matrices from .npy files to L1, and back.
 *
 * Files are read, numbers converted and ranges and places of outputs checked before anything runs
 * (tensors_prepare), so that mistakes cost no time. Outputs appear together after a run that was
 * done, each by renaming a finished file; otherwise none does.
 */
#ifndef CLI_TENSORS_H
#define CLI_TENSORS_H

#include <argp.h>
#include <stdint.h>

#include <jansson.h>

#include <penrose/penrose.h>

#include "cli/options.h"
#include "cli/output_file.h"
#include "loader/tensor.h"

struct tensor_file {
    char *path;
    uint32_t address;
    struct loader_tensor tensor; /* rows and columns of an input come from its file */
    uint8_t *bytes;              /* of an input, as they go to L1 */
    struct output_file out;      /* of an output */
};

struct tensor_list {
    struct tensor_file *file;
    unsigned count;
};

struct tensor_options {
    struct tensor_list input, output;
};

/* ADDRESS=FILE:FORMAT[:LAYOUT] and ADDRESS=FILE:ROWSxCOLUMNS:FORMAT[:LAYOUT]. */
error_t tensors_parse_input(struct tensor_options *options, const struct cli *cli,
                            const char *text);
error_t tensors_parse_output(struct tensor_options *options, const struct cli *cli,
                             const char *text);

/* ADDRESS=ROWSxCOLUMNS:FORMAT[:LAYOUT] of --region. */
error_t tensors_parse_region(const struct cli *cli, const char *text, uint64_t *address,
                             struct loader_tensor *tensor);

enum cli_exit tensors_prepare(struct tensor_options *options, const struct cli *cli);

/* Writes all inputs to the tile. */
enum cli_exit tensors_write(const struct tensor_options *options, const struct cli *cli,
                            struct penrose_chip *chip, struct penrose_place tile);

/*
 * Writes all output files after a run that ended with `exit` CLI_DONE, after another says that it
 * does not. Adds "inputs" and "outputs" to *result, or prints a line for each output when it is
 * NULL. CLI_REFUSED when a file cannot be written; CLI_DONE otherwise.
 */
enum cli_exit tensors_finish(struct tensor_options *options, const struct cli *cli,
                             struct penrose_chip *chip, struct penrose_place tile,
                             enum cli_exit exit, json_t *result);

void tensors_free(struct tensor_options *options);

#endif
