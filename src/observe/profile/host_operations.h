/*
 * What a host has told of the operations that launched programs: lines of JSON in a file, each of an
 * operation (docs/PROFILING.md). It has the numbers of the programs that it launched, from `first` on and
 * below `end`, which are those of tt-metal's launch messages.
 */
#ifndef OBSERVE_PROFILE_HOST_OPERATIONS_H
#define OBSERVE_PROFILE_HOST_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/names.h"

enum { HOST_TENSORS = 3, HOST_INPUTS = 2, HOST_OUTPUT = 2, HOST_SIDES = 4 };

/* A tensor; its strings are empty, and its sides 0, where nothing is known. */
struct host_tensor {
    const char *shape, *type, *memory; /* "32x64", "BFLOAT16", "DRAM_INTERLEAVED" */
    uint32_t side[HOST_SIDES];         /* as the program has it, and */
    uint32_t padded[HOST_SIDES]; /* as the memory has it; the innermost side is the last one */
};

struct host_operation {
    uint32_t first, end;
    const char *name, *file; /* "ttnn.add"; the host's file that called it, or "" */
    unsigned line;
    const char *shapes;                      /* of all inputs: "32x64, 64x32" */
    struct host_tensor tensor[HOST_TENSORS]; /* the first two inputs, and the first output */
};

struct host_operations {
    struct host_operation *entry;
    size_t count, room;
    size_t unread; /* lines that tell no operation */
};

/* Adds the lines of a process (0: of all) to the list. Its strings live as long as the names. False, with
 * errno: the file cannot be read, or memory runs out. */
bool host_operations_read(struct host_operations *list, struct names *names, const char *path,
                          long process);
void host_operations_free(struct host_operations *list);

/* The latest operation that has launched the program of that number; NULL: none has told so. */
const struct host_operation *host_operations_find(const struct host_operations *list,
                                                  uint32_t program);

#endif
