/* A request to a worker, in the making; see worker.h. */
#ifndef DIFFTEST_REQUEST_H
#define DIFFTEST_REQUEST_H

#include <stddef.h>

#include "worker.h"

struct request {
    uint8_t *bytes; /* with its head */
    size_t size, room;
    uint32_t operations;
    uint32_t answer; /* bytes of the answer */
    bool ok;         /* false: no memory */
};

void request_begin(struct request *request);
void request_free(struct request *request);

/* Appends an operation. What a WRITE writes is copied; the result of a READ is its offset in the
 * answer. */
void request_write(struct request *request, struct coordinates at, uint64_t address,
                   const void *bytes, uint32_t size);
void request_write_word(struct request *request, struct coordinates at, uint64_t address,
                        uint32_t word);
void request_fill(struct request *request, struct coordinates at, uint64_t address, uint32_t size,
                  uint32_t seed);
void request_poll(struct request *request, struct coordinates at, uint64_t address, uint32_t clocks,
                  uint32_t value);
uint32_t request_read(struct request *request, struct coordinates at, uint64_t address,
                      uint32_t size);

/* Nothing more will be appended. */
void request_end(struct request *request);

#endif
