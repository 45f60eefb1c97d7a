/*
 * What answers on the NoC (endpoint.h).
 *
 * Worker tiles: L1 in bulk, registers word by word. A register that keeps the request waiting lets
 * time pass for at most MOST_WAIT cycles. What is not answered reads all ones.
 * Other tiles: the words of endpoints.def; all else is reported once a tile and reads zero.
 * A host recovers from a guest fault by putting the hart into reset: see recover().
 */
#include "abi/endpoint.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WAIT = 1 << 20, WAIT_STEP = 1024 };

#define REGISTERS    UINT64_C(0xffb00000)
#define SOFT_RESET_0 UINT64_C(0xffb121b0)

/* --- The table --- */

static enum endpoint_kind kind_at(unsigned x, unsigned y)
{
    static const struct {
        uint8_t kind, x_first, x_last, y_first, y_last;
    } places[] = {
#define PLACE(kind, x_first, x_last, y_first, y_last)                                              \
    {ENDPOINT_##kind, x_first, x_last, y_first, y_last},
#include "abi/endpoints.def"
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (x >= places[i].x_first && x <= places[i].x_last && y >= places[i].y_first &&
            y <= places[i].y_last) {
            return (enum endpoint_kind)places[i].kind;
        }
    }
    return ENDPOINT_NONE;
}

static const char *const kind_names[] = {
    [ENDPOINT_WORKER] = "worker",     [ENDPOINT_DRAM] = "DRAM", [ENDPOINT_ETHERNET] = "Ethernet",
    [ENDPOINT_ARC] = "ARC",           [ENDPOINT_PCIE] = "PCIe", [ENDPOINT_L2CPU] = "L2CPU",
    [ENDPOINT_SECURITY] = "security",
};

static const struct {
    enum endpoint_kind kind;
    uint64_t address;
    uint32_t value;
} values[] = {
#define VALUE(kind, address, value, why) {ENDPOINT_##kind, address, value},
#include "abi/endpoints.def"
};

static const struct {
    uint32_t tag, value;
} telemetry[] = {
#define TELEMETRY(tag, value, why) {tag, value},
#include "abi/endpoints.def"
};

enum { TELEMETRY_ENTRIES = sizeof telemetry / sizeof *telemetry, TELEMETRY_VERSION = 1 };
#define TELEMETRY_TAGS   UINT64_C(0x10000100)
#define TELEMETRY_VALUES UINT64_C(0x10000200)

struct lookup {
    uint64_t address;
    struct transfer transfer;
    uint32_t known; /* bytes */
};

/* Copies the part of a word that the lookup asks for. */
static void offer(struct lookup *lookup, uint64_t address, uint32_t value)
{
    const uint8_t *bytes = (const uint8_t *)&value; /* little-endian hosts only */
    for (unsigned i = 0; i < sizeof value; i++) {
        uint64_t at = address + i - lookup->address;
        if (at < lookup->transfer.size) {
            lookup->transfer.to[at] = bytes[i];
            lookup->known++;
        }
    }
}

static void offer_telemetry(struct lookup *lookup)
{
    offer(lookup, TELEMETRY_TAGS, TELEMETRY_VERSION);
    offer(lookup, TELEMETRY_TAGS + 4, TELEMETRY_ENTRIES);
    for (uint32_t i = 0; i < TELEMETRY_ENTRIES; i++) {
        offer(lookup, TELEMETRY_TAGS + 8 + 4 * i, telemetry[i].tag | i << 16);
        offer(lookup, TELEMETRY_VALUES + 4 * i, telemetry[i].value);
    }
}

bool endpoint_table_read(enum endpoint_kind kind, uint64_t address, struct transfer transfer)
{
    struct lookup lookup = {.address = address, .transfer = transfer};
    memset(transfer.to, 0, transfer.size);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (values[i].kind == kind) {
            offer(&lookup, values[i].address, values[i].value);
        }
    }
    if (kind == ENDPOINT_ARC) {
        offer_telemetry(&lookup);
    }
    return lookup.known == transfer.size;
}

/* --- Tiles without a model --- */

static void report_not_modelled(struct device *device, struct endpoint endpoint,
                                enum endpoint_kind kind, const struct transfer *transfer)
{
    uint64_t bit = UINT64_C(1) << endpoint.x;
    if (device->tile_told[endpoint.y] & bit) {
        return;
    }
    device->tile_told[endpoint.y] |= bit;
    report(device,
           "%s tile (%u, %u) is not modelled in this version: %s of %u bytes at 0x%llx %s, and so "
           "will be what follows",
           kind_names[kind], endpoint.x, endpoint.y, transfer->from ? "write" : "read",
           transfer->size, (unsigned long long)endpoint.address,
           transfer->from ? "is ignored" : "gives zeros");
}

static void report_nothing_there(struct device *device, struct endpoint endpoint,
                                 const struct transfer *transfer)
{
    report(device,
           "there is no tile at (%u, %u) of NoC %u: reads give all ones, writes are ignored "
           "(%s of 0x%llx)",
           endpoint.x, endpoint.y, endpoint.noc, transfer->from ? "write" : "read",
           (unsigned long long)endpoint.address);
}

static void other_access(struct device *device, struct endpoint endpoint, enum endpoint_kind kind,
                         struct transfer transfer)
{
    if (kind == ENDPOINT_NONE) {
        report_nothing_there(device, endpoint, &transfer);
        device_no_answer(transfer);
    } else if (transfer.from || !endpoint_table_read(kind, endpoint.address, transfer)) {
        report_not_modelled(device, endpoint, kind, &transfer);
    }
}

/* --- Workers --- */

static enum penrose_status access_once(struct device *device, const struct endpoint *endpoint,
                                       struct transfer transfer, struct penrose_error *error)
{
    return transfer.from ? penrose_write(device->chip, endpoint->x, endpoint->y, endpoint->address,
                                         transfer.from, transfer.size, error)
                         : penrose_read(device->chip, endpoint->x, endpoint->y, endpoint->address,
                                        transfer.to, transfer.size, error);
}

/* An access to one register, or to memory; waits as a request on the NoC would. */
static enum penrose_status access_piece(struct device *device, const struct endpoint *endpoint,
                                        struct transfer transfer, struct penrose_error *error)
{
    enum penrose_status status = access_once(device, endpoint, transfer, error);
    for (unsigned waited = 0; status == PENROSE_E_STATE && waited < MOST_WAIT;
         waited += WAIT_STEP) {
        struct penrose_run run = {.cycles = WAIT_STEP};
        if (penrose_run(device->chip, &run) != PENROSE_CYCLES) {
            break; /* nobody is going to answer */
        }
        status = access_once(device, endpoint, transfer, error);
    }
    return status;
}

/* What L1 holds of a read that left it, all ones beyond. */
static void read_what_answers(struct device *device, const struct endpoint *endpoint,
                              struct transfer transfer)
{
    device_no_answer(transfer);
    if (transfer.to && endpoint->address < REGISTERS) {
        penrose_peek(device->chip, endpoint->x, endpoint->y, endpoint->address, transfer.to,
                     transfer.size, NULL);
    }
}

static void worker_access(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    bool has_failed = false;
    if (transfer.from || endpoint.address + transfer.size > REGISTERS) {
        clock_settle(device);
    }
    while (transfer.size > 0) {
        uint64_t most = endpoint.address >= REGISTERS ? 4 - (endpoint.address & 3)
                                                      : REGISTERS - endpoint.address;
        struct transfer piece = transfer_first(transfer, most);
        struct penrose_error error = {.status = PENROSE_OK};
        if (access_piece(device, &endpoint, piece, &error) != PENROSE_OK) {
            read_what_answers(device, &endpoint, piece);
            if (!has_failed) {
                report(device, "%s of the host: %s", transfer.from ? "write" : "read", error.text);
            }
            has_failed = true;
        }
        endpoint.address += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
}

/* --- Going on after a fault --- */

static bool is_in_reset(struct device *device, const struct penrose_fault *fault)
{
    bool all_held = true;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct penrose_hart_info info;
        bool concerned = fault->hart == PENROSE_NO_HART || fault->hart == (enum penrose_hart)hart;
        if (concerned && penrose_hart_info(device->chip, fault->x, fault->y,
                                           (enum penrose_hart)hart, &info, NULL) == PENROSE_OK) {
            all_held &= info.state == PENROSE_HART_HELD;
        }
    }
    return all_held;
}

/* A chip that stopped runs again when every hart that stopped it has been put into reset. */
static void recover(struct device *device)
{
    struct penrose_fault fault;
    for (size_t i = 0; penrose_fault_get(device->chip, i, &fault); i++) {
        if (fault.policy == PENROSE_STOP && !is_in_reset(device, &fault)) {
            return;
        }
    }
    penrose_fault_clear(device->chip);
    device->faults_told = 0;
    device->stopped = false;
}

/* --- All tiles --- */

/* The top rows of NoC 1 have raw x coordinates, which count from the right. */
static enum endpoint_kind kind_of(struct endpoint endpoint)
{
    bool mirrored = endpoint.noc == 1 && endpoint.y < 2 && endpoint.x <= 16;
    return kind_at(mirrored ? 16 - endpoint.x : endpoint.x, endpoint.y);
}

void device_endpoint_read(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    enum endpoint_kind kind = kind_of(endpoint);
    if (kind == ENDPOINT_WORKER) {
        worker_access(device, endpoint, transfer);
    } else {
        other_access(device, endpoint, kind, transfer);
    }
    clock_note_read(device, endpoint.x, endpoint.y, endpoint.address, transfer.to, transfer.size);
}

void device_endpoint_write(struct device *device, struct endpoint endpoint,
                           struct transfer transfer)
{
    enum endpoint_kind kind = kind_of(endpoint);
    if (kind != ENDPOINT_WORKER) {
        other_access(device, endpoint, kind, transfer);
    } else {
        worker_access(device, endpoint, transfer);
        if (device->stopped && endpoint.address < SOFT_RESET_0 + 4 &&
            SOFT_RESET_0 < endpoint.address + transfer.size) {
            recover(device);
        }
        device_report_faults(device);
    }
    clock_note_write(device);
}
