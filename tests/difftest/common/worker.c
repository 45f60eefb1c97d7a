/* A worker; see worker.h. Its stdout and stderr belong to the library. */
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "transfer.h"

enum { FIRST_CLOCKS = 128, MOST_CLOCKS = 8192 }; /* between looks at a polled word */

/* A request that is served. */
struct service {
    const struct worker *worker;
    struct device *device;
    uint8_t *bytes; /* what follows its head */
    uint32_t at;    /* of the next operation there */
    uint8_t *result;
    uint32_t result_size, result_room;
    enum worker_status status;
};

static bool answer(enum worker_status status, const void *bytes, uint32_t size)
{
    struct answer_head head = {WORKER_MAGIC, status, size};
    return write_all(WORKER_ANSWERS, &head, sizeof head) &&
           (!bytes || write_all(WORKER_ANSWERS, bytes, size));
}

static bool fill(struct service *s, const struct operation *operation)
{
    struct random random = {operation->value};
    uint64_t *words = malloc(operation->size);
    for (uint32_t i = 0; words && i < operation->size / sizeof *words; i++) {
        words[i] = random_next(&random);
    }
    if (words) {
        s->worker->write(s->worker->context, s->device, operation, words);
    }
    free(words);
    return words != NULL;
}

static bool poll_word(struct service *s, const struct operation *operation)
{
    const struct operation look = {
        .size = sizeof operation->value, .at = operation->at, .address = operation->address};
    uint32_t value = 0, total = 0;
    for (;;) {
        s->worker->read(s->worker->context, s->device, &look, &value);
        if (value == operation->value || total >= operation->size) {
            return value == operation->value;
        }
        uint32_t clocks = FIRST_CLOCKS + total / 4;
        clocks = clocks > MOST_CLOCKS ? MOST_CLOCKS : clocks;
        s->device->clock(clocks);
        total += clocks;
    }
}

static bool read_back(struct service *s, const struct operation *operation)
{
    if (s->result_size + operation->size > s->result_room) {
        uint32_t room = 2 * (s->result_size + operation->size);
        uint8_t *larger = realloc(s->result, room);
        if (!larger) {
            return false;
        }
        s->result = larger;
        s->result_room = room;
    }
    s->worker->read(s->worker->context, s->device, operation, s->result + s->result_size);
    s->result_size += operation->size;
    return true;
}

/* Does the next operation; false: stop here. */
static bool operate(struct service *s)
{
    struct operation operation;
    memcpy(&operation, s->bytes + s->at, sizeof operation);
    s->at += (uint32_t)sizeof operation;
    switch (operation.kind) {
    case OPERATION_WRITE:
        s->worker->write(s->worker->context, s->device, &operation, s->bytes + s->at);
        s->at += operation.size;
        return true;
    case OPERATION_FILL:
        return fill(s, &operation);
    case OPERATION_POLL:
        if (s->status == WORKER_DONE && !poll_word(s, &operation)) {
            s->status = WORKER_TOO_LONG;
        }
        return true;
    case OPERATION_READ:
        return read_back(s, &operation);
    default:
        return false;
    }
}

static bool serve(const struct worker *worker, struct device *device,
                  const struct request_head *head)
{
    struct service s = {
        .worker = worker, .device = device, .bytes = malloc(head->bytes), .status = WORKER_DONE};
    bool ok = s.bytes && read_all(WORKER_REQUESTS, s.bytes, head->bytes);
    if (ok && worker->begin) {
        worker->begin(worker->context, device);
    }
    for (uint32_t i = 0; ok && i < head->operations; i++) {
        ok = operate(&s);
    }
    fflush(NULL);
    ok = ok && answer(s.status, s.result, s.result_size);
    free(s.bytes);
    free(s.result);
    return ok;
}

int worker_run(const struct worker *worker, const char *library)
{
    struct device device;
    struct request_head head;
    if (!device_open(&device, library, worker->host)) {
        fflush(NULL);
        answer(WORKER_USELESS, NULL, 0);
        return 1;
    }
    if (!answer(WORKER_READY, NULL, worker->requests)) {
        return 1;
    }
    for (uint32_t i = 0; i < worker->requests && read_all(WORKER_REQUESTS, &head, sizeof head);
         i++) {
        if (head.magic != WORKER_MAGIC || !serve(worker, &device, &head)) {
            return 1;
        }
    }
    /* No libttsim_exit: nothing is left to do, and some libraries print. */
    _exit(0);
}
