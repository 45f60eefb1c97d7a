/* A worker; see worker.h. Its stdout and stderr belong to the library. */
#include "worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_REGISTERS UINT64_C(0x1fc00000) /* of BAR 0: three words for each window */
#define WINDOW_BYTES     UINT64_C(0x200000)
#define CHIP_ID          UINT32_C(0xb1401e52)

enum {
    TILES = 140,
    COLUMNS = 14,
    FIRST_ROW = 2,
    WINDOW_L1 = 1,       /* stays at the tile's L1 */
    WINDOW_REGISTER = 2, /* stays at its registers */
    REGISTER_PAGE = 0xffa00000 >> 21,
    FIRST_CLOCKS = 128, /* between looks at the polled word */
    MOST_CLOCKS = 8192,
};

struct device {
    void (*init)(void);
    uint32_t (*config_read)(uint32_t bus_device_function, uint32_t offset);
    void (*read)(uint64_t paddr, void *bytes, uint32_t size);
    void (*write)(uint64_t paddr, const void *bytes, uint32_t size);
    void (*clock)(uint32_t clocks);
    uint64_t bar0;
    unsigned tile; /* the next unused one */
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
           (status == ANSWER_READY || write_all(WORKER_ANSWERS, bytes, size));
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
        !look_up(library, "libttsim_pci_config_rd32", &device->config_read) ||
        !look_up(library, "libttsim_pci_mem_rd_bytes", &device->read) ||
        !look_up(library, "libttsim_pci_mem_wr_bytes", &device->write) ||
        !look_up(library, "libttsim_clock", &device->clock)) {
        return false;
    }
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

static void set_window(struct device *device, unsigned window, unsigned tile, uint32_t page)
{
    unsigned column = tile % COLUMNS;
    uint32_t x = column < 7 ? column + 1 : column + 3; /* columns 8 and 9 are no Tensix tiles */
    uint32_t y = FIRST_ROW + tile / COLUMNS;
    uint32_t word[3] = {page, x << 11 | y << 17, 0};
    for (unsigned i = 0; i < 3; i++) {
        device->write(device->bar0 + WINDOW_REGISTERS + 12 * window + 4 * i, &word[i], 4);
    }
}

static uint64_t paddr_of(const struct device *device, uint64_t address)
{
    uint64_t window = address < WINDOW_BYTES ? WINDOW_L1 : WINDOW_REGISTER;
    return device->bar0 + window * WINDOW_BYTES + address % WINDOW_BYTES;
}

static bool poll_word(struct device *device, const struct operation *operation)
{
    uint32_t value = 0, total = 0;
    for (;;) {
        device->read(paddr_of(device, operation->address), &value, sizeof value);
        if (value == operation->value || total >= operation->size) {
            return value == operation->value;
        }
        uint32_t clocks = FIRST_CLOCKS + total / 4;
        clocks = clocks > MOST_CLOCKS ? MOST_CLOCKS : clocks;
        device->clock(clocks);
        total += clocks;
    }
}

/* --- Requests --- */

struct request {
    uint8_t *bytes; /* what follows the head */
    uint8_t *result;
    uint32_t size, result_size;
};

/* Does one operation; false: stop here. *at goes behind it. */
static bool operate(struct device *device, struct request *request, uint32_t *at,
                    enum answer_status *status)
{
    struct operation operation;
    memcpy(&operation, request->bytes + *at, sizeof operation);
    *at += (uint32_t)sizeof operation;
    switch (operation.kind) {
    case OPERATION_WRITE:
        device->write(paddr_of(device, operation.address), request->bytes + *at, operation.size);
        *at += operation.size;
        return true;
    case OPERATION_POLL:
        if (!poll_word(device, &operation)) {
            *status = ANSWER_TOO_LONG;
        }
        return true;
    case OPERATION_READ: {
        uint8_t *larger = realloc(request->result, request->result_size + operation.size);
        if (!larger) {
            return false;
        }
        request->result = larger;
        device->read(paddr_of(device, operation.address), larger + request->result_size,
                     operation.size);
        request->result_size += operation.size;
        return true;
    }
    default:
        return false;
    }
}

static bool serve(struct device *device, const struct request_head *head)
{
    struct request request = {.bytes = malloc(head->bytes), .size = head->bytes};
    bool ok = request.bytes && read_all(WORKER_REQUESTS, request.bytes, head->bytes);
    enum answer_status status = ANSWER_DONE;
    if (ok) {
        set_window(device, WINDOW_L1, device->tile, 0);
        set_window(device, WINDOW_REGISTER, device->tile, REGISTER_PAGE);
        device->tile++;
    }
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
    struct device device = {.tile = 0};
    struct request_head head;
    if (!device_open(&device, library)) {
        fflush(NULL);
        answer(ANSWER_USELESS, NULL, 0);
        return 1;
    }
    if (!answer(ANSWER_READY, NULL, TILES)) {
        return 1;
    }
    while (device.tile < TILES && read_all(WORKER_REQUESTS, &head, sizeof head)) {
        if (head.magic != WORKER_MAGIC || !serve(&device, &head)) {
            return 1;
        }
    }
    /* No libttsim_exit: nothing is left to do, and some libraries print. */
    _exit(0);
}
