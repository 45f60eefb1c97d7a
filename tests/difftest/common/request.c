#include "request.h"

#include <stdlib.h>
#include <string.h>

static void append(struct request *request, const void *bytes, size_t size)
{
    if (request->size + size > request->room) {
        size_t room = 2 * (request->size + size) + 65536;
        uint8_t *larger = realloc(request->bytes, room);
        if (!larger) {
            request->ok = false;
            return;
        }
        request->bytes = larger;
        request->room = room;
    }
    memcpy(request->bytes + request->size, bytes, size);
    request->size += size;
}

static void operation(struct request *request, enum operation_kind kind, struct coordinates at,
                      uint64_t address, uint32_t size, uint32_t value)
{
    struct operation operation = {
        .kind = kind, .size = size, .value = value, .at = at, .address = address};
    append(request, &operation, sizeof operation);
    request->operations++;
}

void request_begin(struct request *request)
{
    struct request_head head = {.magic = WORKER_MAGIC};
    *request = (struct request){.ok = true};
    append(request, &head, sizeof head);
}

void request_free(struct request *request)
{
    free(request->bytes);
    request->bytes = NULL;
}

void request_write(struct request *request, struct coordinates at, uint64_t address,
                   const void *bytes, uint32_t size)
{
    operation(request, OPERATION_WRITE, at, address, size, 0);
    append(request, bytes, size);
}

void request_write_word(struct request *request, struct coordinates at, uint64_t address,
                        uint32_t word)
{
    request_write(request, at, address, &word, sizeof word);
}

void request_fill(struct request *request, struct coordinates at, uint64_t address, uint32_t size,
                  uint32_t seed)
{
    operation(request, OPERATION_FILL, at, address, size, seed);
}

void request_poll(struct request *request, struct coordinates at, uint64_t address, uint32_t clocks,
                  uint32_t value)
{
    operation(request, OPERATION_POLL, at, address, clocks, value);
}

uint32_t request_read(struct request *request, struct coordinates at, uint64_t address,
                      uint32_t size)
{
    uint32_t offset = request->answer;
    operation(request, OPERATION_READ, at, address, size, 0);
    request->answer += size;
    return offset;
}

void request_end(struct request *request)
{
    struct request_head head = {.magic = WORKER_MAGIC,
                                .operations = request->operations,
                                .bytes = (uint32_t)(request->size - sizeof head)};
    if (request->ok) {
        memcpy(request->bytes, &head, sizeof head);
    }
}
