/*
 * The protocol between the tester and its workers. A worker is a fresh process that loads one
 * library and does what it is told, so that a library may crash, exit, hang or use up its address
 * space. It knows nothing of Tensix: a request is a list of operations on the next unused tile.
 *
 * A request is a struct request_head, then `operations` times a struct operation, each WRITE
 * followed by its bytes. The answer is a struct answer_head, then the bytes of all READs.
 */
#ifndef DIFFTEST_TENSIX_WORKER_H
#define DIFFTEST_TENSIX_WORKER_H

#include <stdint.h>

enum { WORKER_REQUESTS = 3, WORKER_ANSWERS = 4 }; /* file descriptors of a worker */

enum { WORKER_MAGIC = 0x74656e73 };

enum operation_kind {
    OPERATION_WRITE, /* `size` bytes to `address`; 4 at a register */
    OPERATION_POLL,  /* clocks until the word at `address` is `value`, at most `size` of them */
    OPERATION_READ,  /* `size` bytes from `address` */
};

struct operation {
    uint32_t kind, size, value, reserved;
    uint64_t address;
};

struct request_head {
    uint32_t magic, operations, bytes; /* bytes that follow this head */
};

enum answer_status {
    ANSWER_READY, /* the first of a worker: `bytes` is the number of its tiles */
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
