/*
 * The protocol between a tester and its workers. A worker is a fresh process that loads one library
 * and does what it is told, so that a library may crash, exit, hang or use up its address space. It
 * knows nothing of what is tested: a request is a list of accesses of tiles.
 *
 * A request is a struct request_head, then `operations` times a struct operation, each WRITE
 * followed by its bytes. The answer is a struct answer_head, then the bytes of all READs.
 */
#ifndef DIFFTEST_COMMON_WORKER_H
#define DIFFTEST_COMMON_WORKER_H

#include "device.h"

enum { WORKER_REQUESTS = 3, WORKER_ANSWERS = 4 }; /* file descriptors of a worker */

enum { WORKER_MAGIC = 0x64696666 };

enum operation_kind {
    OPERATION_WRITE, /* `size` bytes to `address`; 4 at a register */
    OPERATION_FILL,  /* the same with random words that `value` is the seed of */
    OPERATION_POLL,  /* clocks until the word at `address` is `value`, at most `size` of them */
    OPERATION_READ,  /* `size` bytes from `address` */
};

/* A tile, in translated coordinates. */
struct coordinates {
    uint8_t x, y;
};

struct operation {
    uint32_t kind, size, value;
    struct coordinates at; /* what it means is up to the tester */
    uint8_t reserved[2];
    uint64_t address;
};

struct request_head {
    uint32_t magic, operations, bytes; /* bytes that follow this head */
};

enum worker_status {
    WORKER_READY, /* the first of a worker: `bytes` is the number of requests that it serves */
    WORKER_DONE,
    WORKER_TOO_LONG, /* a poll ran out of clocks; the rest was done all the same */
    WORKER_USELESS,  /* the library cannot be used; the worker ends */
};

struct answer_head {
    uint32_t magic, status, bytes;
};

/* How the workers of a tester reach what operations are about. */
struct worker {
    const struct host_memory *host;                      /* that the library may use; NULL: none */
    uint32_t requests;                                   /* how many it serves */
    void *context;                                       /* of the functions */
    void (*begin)(void *context, struct device *device); /* before a request; NULL: nothing */
    void (*write)(void *context, struct device *device, const struct operation *operation,
                  const void *bytes);
    void (*read)(void *context, struct device *device, const struct operation *operation,
                 void *bytes);
};

/* Loads the library and serves until the tester wants no more; the exit code of the process. */
int worker_run(const struct worker *worker, const char *library);

/* The main function of a tester's workers, which is the tester's own. */
int worker_main(const char *library);

#endif
