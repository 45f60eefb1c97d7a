/*
 * The protocol between the tester and its workers. A worker is a fresh process that loads one
 * library and does what it is told, so that a library may crash, exit or hang. It knows nothing of
 * NoCs: a request is a list of accesses of tiles over windows of BAR 0.
 *
 * A request is a struct request_head, then `operations` times a struct operation, each WRITE
 * followed by its bytes. The answer is a struct answer_head, then the bytes of all READs.
 */
#ifndef DIFFTEST_NOC_WORKER_H
#define DIFFTEST_NOC_WORKER_H

#include <stdint.h>

enum { WORKER_REQUESTS = 3, WORKER_ANSWERS = 4 }; /* file descriptors of a worker */

enum { WORKER_MAGIC = 0x6e6f6374 };

enum operation_kind {
    OPERATION_WRITE, /* `size` bytes to `address`; 4 at a register */
    OPERATION_FILL,  /* the same with bytes that `value` is the seed of; see fill_bytes */
    OPERATION_POLL,  /* clocks until the word at `address` is `value`, at most `size` of them */
    OPERATION_READ,  /* `size` bytes from `address` */
};

/* Memory of the host itself, at `x` HOST_X: physical addresses of it, which bits 0-57 of the NoC's
 * addresses of the PCIe tile are. */
enum { HOST_X = 0xff, HOST_BYTES = 0x40000 };
#define HOST_MEMORY UINT64_C(0x40000000)
#define HOST_MASK   ((UINT64_C(1) << 58) - 1)

struct operation {
    uint32_t kind, size, value;
    uint8_t x, y; /* the tile, in translated coordinates */
    uint8_t reserved[2];
    uint64_t address;
};

struct request_head {
    uint32_t magic, operations, bytes; /* bytes that follow this head */
};

enum answer_status {
    ANSWER_READY, /* the first of a worker */
    ANSWER_DONE,
    ANSWER_TOO_LONG, /* a poll ran out of clocks; the rest was done all the same */
    ANSWER_USELESS,  /* the library cannot be used; the worker ends */
};

struct answer_head {
    uint32_t magic, status, bytes;
};

/* The worker's main function; its exit code. */
int worker_main(const char *library);

#endif
