/*
 * What answers on the NoC (endpoint.h).
 *
 * Memory goes in bulk, registers word by word. If a register keeps the request waiting, time passes
 * for at most MOST_WAIT cycles. Accesses that are not answered are reported, and read all ones.
 * Debuggers command a hart with one write and expect that the command is done at the next access.
 * On hardware two accesses of a host are far apart; here time passes before each such write.
 */
#include "abi/endpoint.h"

#include "abi/machine.h"

#include "observe/inside.h"

enum { MOST_WAIT = 1 << 20, WAIT_STEP = 1024 }; /* cycles */

/* They pass before a host writes what looks at harts that run. */
enum { DEBUGGER_CYCLES = 512 };

/* --- Accesses --- */

/* An access to one register, or to memory; waits as a request on the NoC would. */
static enum penrose_status access_piece(struct device *device, const struct endpoint *endpoint,
                                        struct transfer transfer, struct penrose_error *error)
{
    for (unsigned waited = 0;; waited += WAIT_STEP) {
        enum penrose_status status =
            transfer.from ? penrose_write(device->chip, endpoint->x, endpoint->y, endpoint->address,
                                          transfer.from, transfer.size, error)
                          : penrose_read(device->chip, endpoint->x, endpoint->y, endpoint->address,
                                         transfer.to, transfer.size, error);
        if (status != PENROSE_E_STATE || waited >= MOST_WAIT || device->in_dma) {
            return status;
        }
        struct penrose_run run = {.size = sizeof run, .cycles = WAIT_STEP};
        enum penrose_outcome outcome = device_run(device, &run);
        if (outcome == PENROSE_FAULT) {
            device_report_faults(device); /* the rest of the chip goes on */
        } else if (outcome != PENROSE_CYCLES) {
            return status; /* nobody is going to answer */
        }
    }
}

/* What L1 holds of a read of memory that left it, all ones beyond. */
static void read_what_answers(struct device *device, const struct endpoint *endpoint,
                              struct transfer transfer)
{
    enum penrose_tile_kind kind = penrose_tile_kind(device->chip, endpoint->x, endpoint->y);
    device_no_answer(transfer);
    if (transfer.to && (kind == PENROSE_TILE_TENSIX || kind == PENROSE_TILE_ETHERNET)) {
        penrose_peek(device->chip, endpoint->x, endpoint->y, endpoint->address, transfer.to,
                     transfer.size, NULL);
    }
}

static uint64_t memory_at(const struct device *device, const struct endpoint *endpoint)
{
    return penrose_memory_span(device->chip, endpoint->x, endpoint->y, endpoint->address);
}

static bool access_endpoint(struct device *device, struct endpoint endpoint,
                            struct transfer transfer)
{
    uint64_t memory = memory_at(device, &endpoint);
    bool is_answered = true, acts = transfer.from || memory < transfer.size;
    if (acts && !device->in_dma) {
        clock_settle(device->machine);
    }
    while (transfer.size > 0) {
        uint64_t in_word = endpoint.address % sizeof(uint32_t);
        struct transfer piece =
            transfer_first(transfer, memory > 0 ? memory : sizeof(uint32_t) - in_word);
        struct penrose_error error;
        if (access_piece(device, &endpoint, piece, &error) != PENROSE_OK) {
            if (memory > 0) {
                read_what_answers(device, &endpoint, piece);
            } else {
                device_no_answer(piece);
            }
            if (is_answered) {
                report(device, "%s of the host: %s", transfer.from ? "write" : "read", error.text);
            }
            is_answered = false;
        }
        endpoint.address += piece.size;
        transfer = transfer_rest(transfer, piece.size);
        if (endpoint.address < piece.size && transfer.size > 0) {
            report(device, "%s of the host goes past the last address of a tile, 2^64 - 1",
                   transfer.from ? "write" : "read");
            device_no_answer(transfer);
            return false;
        }
        memory = transfer.size > 0 ? memory_at(device, &endpoint) : 0;
    }
    return is_answered;
}

/* --- Reads and writes --- */

/* Whether an access of `size` bytes reaches any of the registers in `bytes` bytes from `first` on.
 */
static bool touches(const struct endpoint *endpoint, uint32_t size, uint64_t first, uint64_t bytes)
{
    uint64_t place = endpoint->address & UINT32_MAX; /* registers come again in every 4 GiB */
    return place < first + bytes && first < place + size;
}

bool device_endpoint_read(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    bool is_answered = access_endpoint(device, endpoint, transfer);
    clock_note_read(device, endpoint.x, endpoint.y, endpoint.address, transfer.to, transfer.size);
    return is_answered;
}

/* A write to a worker's reset register; instructions of lives that it ends are counted. */
static bool reset_harts(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    const bool is_counted = device->machine->summary != NULL;
    uint64_t before = is_counted ? device_instructions(device, endpoint.x, endpoint.y) : 0;
    bool is_answered = access_endpoint(device, endpoint, transfer);
    if (is_answered) {
        tile_set_add(&device->started, endpoint.x, endpoint.y);
    }
    if (is_counted && is_answered) {
        device->earlier[endpoint.y][endpoint.x] +=
            before - device_instructions(device, endpoint.x, endpoint.y);
    }
    return is_answered;
}

bool device_endpoint_write(struct device *device, struct endpoint endpoint,
                           struct transfer transfer)
{
    bool resets = touches(&endpoint, transfer.size, device->arch->soft_reset, sizeof(uint32_t)) &&
                  penrose_tile_kind(device->chip, endpoint.x, endpoint.y) == PENROSE_TILE_TENSIX;
    if (touches(&endpoint, transfer.size, device->arch->debugger,
                device->arch->debugger_end - device->arch->debugger) &&
        !device->in_dma) {
        clock_note_write(device->machine); /* no more cycles than that */
        clock_run(device->machine, DEBUGGER_CYCLES);
    }
    inside(device->chip)
        ->launches_write(device->launches, endpoint.x, endpoint.y, endpoint.address, transfer.from,
                         transfer.size);
    bool is_answered = resets ? reset_harts(device, endpoint, transfer)
                              : access_endpoint(device, endpoint, transfer);
    gdb_note_write(device->machine->gdb, transfer.size);
    device_tell_faults(device);
    if (resets) {
        device_report_faults(device);
        inside(device->chip)->launches_reset(device->launches, endpoint.x, endpoint.y);
    }
    clock_note_write(device->machine);
    return is_answered;
}
