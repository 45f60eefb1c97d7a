/* A worker; see worker.h. Its stdout and stderr belong to the library. */
#include "worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/random.h"

#define WINDOW_REGISTERS UINT64_C(0x1fc00000) /* of BAR 0: three words for each window */
#define WINDOW_BYTES     UINT64_C(0x200000)
#define CHIP_ID          UINT32_C(0xb1401e52)

enum {
    WINDOWS = 200,      /* those that are used */
    FIRST_CLOCKS = 128, /* between looks at the polled word */
    MOST_CLOCKS = 8192,
};

/* What a window shows; all zero: nothing yet. */
struct window {
    uint64_t page;
    uint8_t x, y;
};

struct device {
    void (*set_callbacks)(void (*read)(uint64_t paddr, void *bytes, uint32_t size),
                          void (*write)(uint64_t paddr, const void *bytes, uint32_t size));
    void (*init)(void);
    uint32_t (*config_read)(uint32_t bus_device_function, uint32_t offset);
    void (*read)(uint64_t paddr, void *bytes, uint32_t size);
    void (*write)(uint64_t paddr, const void *bytes, uint32_t size);
    void (*clock)(uint32_t clocks);
    uint64_t bar0;
    struct window window[WINDOWS];
};

/* --- The tester's side --- */

static bool read_all(int fd, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        ssize_t got = read(fd, at, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        at += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool answer(enum answer_status status, const void *bytes, uint32_t size)
{
    struct answer_head head = {WORKER_MAGIC, status, size};
    return write_all(WORKER_ANSWERS, &head, sizeof head) &&
           (size == 0 || write_all(WORKER_ANSWERS, bytes, size));
}

/* --- Memory of the host --- */

/* The interface of callbacks has no context. */
static uint8_t host_memory[HOST_BYTES];

static uint8_t *host_bytes(uint64_t paddr, uint32_t size)
{
    uint64_t at = (paddr & HOST_MASK) - HOST_MEMORY;
    return at < HOST_BYTES && size <= HOST_BYTES - at ? host_memory + at : NULL;
}

static void host_read(uint64_t paddr, void *bytes, uint32_t size)
{
    const uint8_t *from = host_bytes(paddr, size);
    if (from) {
        memcpy(bytes, from, size);
    } else {
        fprintf(stderr, "the chip reads host memory at 0x%llx\n", (unsigned long long)paddr);
        memset(bytes, 0, size);
    }
}

static void host_write(uint64_t paddr, const void *bytes, uint32_t size)
{
    uint8_t *to = host_bytes(paddr, size);
    if (to) {
        memcpy(to, bytes, size);
    } else {
        fprintf(stderr, "the chip writes host memory at 0x%llx\n", (unsigned long long)paddr);
    }
}

/* --- The library's side --- */

/* dlsym gives functions as data pointers; POSIX lets them be copied. */
static bool look_up(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "it has no function %s\n", name);
        return false;
    }
    memcpy(function, &address, sizeof address);
    return true;
}

static bool device_open(struct device *device, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    if (!look_up(library, "libttsim_init", &device->init) ||
        !look_up(library, "libttsim_set_pci_dma_mem_callbacks", &device->set_callbacks) ||
        !look_up(library, "libttsim_pci_config_rd32", &device->config_read) ||
        !look_up(library, "libttsim_pci_mem_rd_bytes", &device->read) ||
        !look_up(library, "libttsim_pci_mem_wr_bytes", &device->write) ||
        !look_up(library, "libttsim_clock", &device->clock)) {
        return false;
    }
    device->set_callbacks(host_read, host_write);
    device->init();
    uint32_t id = device->config_read(0, 0);
    if (id != CHIP_ID) {
        fprintf(stderr, "its chip is 0x%08x and not a Blackhole (0x%08x)\n", (unsigned)id,
                (unsigned)CHIP_ID);
        return false;
    }
    uint64_t low = device->config_read(0, 0x10), high = device->config_read(0, 0x14);
    device->bar0 = (high << 32 | low) & ~UINT64_C(15);
    return true;
}

/* Where the host sees what the operation is about. */
static uint64_t paddr_of(struct device *device, const struct operation *operation)
{
    uint64_t page = operation->address / WINDOW_BYTES;
    unsigned number = (unsigned)((operation->x * 13u + operation->y * 7u + page * 101) % WINDOWS);
    struct window *window = &device->window[number];
    if (window->x != operation->x || window->y != operation->y || window->page != page) {
        *window = (struct window){.page = page, .x = operation->x, .y = operation->y};
        uint32_t word[3] = {(uint32_t)page,
                            (uint32_t)(page >> 32) | (uint32_t)operation->x << 11 |
                                (uint32_t)operation->y << 17,
                            0};
        for (unsigned i = 0; i < 3; i++) {
            device->write(device->bar0 + WINDOW_REGISTERS + 12 * number + 4 * i, &word[i], 4);
        }
    }
    return device->bar0 + number * WINDOW_BYTES + operation->address % WINDOW_BYTES;
}

static void write_to(struct device *device, const struct operation *operation, const void *bytes)
{
    if (operation->x == HOST_X) {
        host_write(operation->address, bytes, operation->size);
    } else {
        device->write(paddr_of(device, operation), bytes, operation->size);
    }
}

static void read_from(struct device *device, const struct operation *operation, void *bytes)
{
    if (operation->x == HOST_X) {
        host_read(operation->address, bytes, operation->size);
    } else {
        device->read(paddr_of(device, operation), bytes, operation->size);
    }
}

static bool poll_word(struct device *device, const struct operation *operation)
{
    uint32_t value = 0, total = 0;
    for (;;) {
        device->read(paddr_of(device, operation), &value, sizeof value);
        if (value == operation->value || total >= operation->size) {
            return value == operation->value;
        }
        uint32_t clocks = FIRST_CLOCKS + total / 4;
        clocks = clocks > MOST_CLOCKS ? MOST_CLOCKS : clocks;
        device->clock(clocks);
        total += clocks;
    }
}

static bool fill(struct device *device, const struct operation *operation)
{
    struct random random = {operation->value};
    uint64_t *words = malloc(operation->size);
    for (uint32_t i = 0; words && i < operation->size / sizeof *words; i++) {
        words[i] = random_next(&random);
    }
    if (words) {
        write_to(device, operation, words);
    }
    free(words);
    return words != NULL;
}

/* --- Requests --- */

struct request {
    uint8_t *bytes; /* what follows the head */
    uint8_t *result;
    uint32_t size, result_size, result_room;
};

static bool read_back(struct device *device, struct request *request,
                      const struct operation *operation)
{
    if (request->result_size + operation->size > request->result_room) {
        uint32_t room = 2 * (request->result_size + operation->size);
        uint8_t *larger = realloc(request->result, room);
        if (!larger) {
            return false;
        }
        request->result = larger;
        request->result_room = room;
    }
    read_from(device, operation, request->result + request->result_size);
    request->result_size += operation->size;
    return true;
}

/* Does one operation; false: stop here. *at goes behind it. */
static bool operate(struct device *device, struct request *request, uint32_t *at,
                    enum answer_status *status)
{
    struct operation operation;
    memcpy(&operation, request->bytes + *at, sizeof operation);
    *at += (uint32_t)sizeof operation;
    switch (operation.kind) {
    case OPERATION_WRITE:
        write_to(device, &operation, request->bytes + *at);
        *at += operation.size;
        return true;
    case OPERATION_FILL:
        return fill(device, &operation);
    case OPERATION_POLL:
        if (*status == ANSWER_DONE && !poll_word(device, &operation)) {
            *status = ANSWER_TOO_LONG;
        }
        return true;
    case OPERATION_READ:
        return read_back(device, request, &operation);
    default:
        return false;
    }
}

static bool serve(struct device *device, const struct request_head *head)
{
    struct request request = {.bytes = malloc(head->bytes), .size = head->bytes};
    bool ok = request.bytes && read_all(WORKER_REQUESTS, request.bytes, head->bytes);
    enum answer_status status = ANSWER_DONE;
    uint32_t at = 0;
    for (uint32_t i = 0; ok && i < head->operations; i++) {
        ok = operate(device, &request, &at, &status);
    }
    fflush(NULL);
    ok = ok && answer(status, request.result, request.result_size);
    free(request.bytes);
    free(request.result);
    return ok;
}

int worker_main(const char *library)
{
    static struct device device;
    struct request_head head;
    if (!device_open(&device, library)) {
        fflush(NULL);
        answer(ANSWER_USELESS, NULL, 0);
        return 1;
    }
    if (!answer(ANSWER_READY, NULL, 0)) {
        return 1;
    }
    while (read_all(WORKER_REQUESTS, &head, sizeof head)) {
        if (head.magic != WORKER_MAGIC || !serve(&device, &head)) {
            return 1;
        }
    }
    /* No libttsim_exit: nothing is left to do, and some libraries print. */
    _exit(0);
}
