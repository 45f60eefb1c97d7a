/*
 * What answers on the NoC (endpoint.h).
 *
 * Memory goes in bulk, registers word by word. A register that keeps the request waiting lets time
 * pass for at most MOST_WAIT cycles. What is not answered is reported and reads all ones.
 * A host recovers from a guest fault by putting the hart into reset: see recover().
 */
#include "abi/endpoint.h"

#include <string.h>

enum { MOST_WAIT = 1 << 20, WAIT_STEP = 1024 };

#define WHOLE_SPACE  UINT64_MAX
#define LOW_SPACE    UINT64_C(0xffffffff) /* registers come again in every 4 GiB */
#define SOFT_RESET_0 UINT64_C(0xffb121b0)

/* --- Kinds of tile --- */

struct kind {
    const char *name;   /* as penrose_tile_kind has it */
    uint64_t registers; /* they begin here, */
    uint64_t space;     /* in these bits of the address */
    bool has_l1;        /* from address 0 on */
};

/* SPEC: BlackholeA0 NoC/MemoryMap, PCIExpressTile; ARC: what UMD relies on. */
static const struct kind kinds[] = {
    {"Tensix", UINT64_C(0xffb00000), LOW_SPACE, true},
    {"Ethernet", UINT64_C(0xffb00000), LOW_SPACE, true},
    {"DRAM", UINT64_C(0xffb00000), LOW_SPACE, false},
    {"ARC", UINT64_C(0x80000000), LOW_SPACE, false},
    {"PCIe", UINT64_C(0xf800000000000000), WHOLE_SPACE, false},
};

/* A tile that is memory throughout, or nothing. */
static const struct kind other_kind = {"", WHOLE_SPACE, WHOLE_SPACE, false};

static const struct kind *kind_of(const struct device *device, const struct endpoint *endpoint)
{
    const char *name = penrose_tile_kind(device->chip, endpoint->x, endpoint->y);
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return &other_kind;
}

static bool is_memory(const struct kind *kind, uint64_t address)
{
    return (address & kind->space) < kind->registers;
}

/* Of memory up to the registers, of registers up to the end of a word. */
static struct transfer first_piece(const struct kind *kind, uint64_t address,
                                   struct transfer transfer)
{
    uint64_t most = is_memory(kind, address) ? kind->registers - (address & kind->space)
                                             : sizeof(uint32_t) - address % sizeof(uint32_t);
    return transfer_first(transfer, most);
}

/* --- Accesses --- */

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
    for (unsigned waited = 0; status == PENROSE_E_STATE && waited < MOST_WAIT && !device->in_dma;
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
                              const struct kind *kind, struct transfer transfer)
{
    device_no_answer(transfer);
    if (transfer.to && kind->has_l1 && is_memory(kind, endpoint->address)) {
        penrose_peek(device->chip, endpoint->x, endpoint->y, endpoint->address, transfer.to,
                     transfer.size, NULL);
    }
}

static bool access_tile(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    const struct kind *kind = kind_of(device, &endpoint);
    bool is_answered = true;
    bool acts = transfer.from || !is_memory(kind, endpoint.address) ||
                !is_memory(kind, endpoint.address + transfer.size - 1);
    if (acts && !device->in_dma) {
        clock_settle(device);
    }
    while (transfer.size > 0) {
        struct transfer piece = first_piece(kind, endpoint.address, transfer);
        struct penrose_error error = {.status = PENROSE_OK};
        if (access_piece(device, &endpoint, piece, &error) != PENROSE_OK) {
            read_what_answers(device, &endpoint, kind, piece);
            if (is_answered) {
                report(device, "%s of the host: %s", transfer.from ? "write" : "read", error.text);
            }
            is_answered = false;
        }
        endpoint.address += piece.size;
        transfer = transfer_rest(transfer, piece.size);
    }
    return is_answered;
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

/* --- Reads and writes --- */

static bool covers_soft_reset(const struct endpoint *endpoint, uint32_t size)
{
    return SOFT_RESET_0 - (endpoint->address & LOW_SPACE) < size;
}

bool device_endpoint_read(struct device *device, struct endpoint endpoint, struct transfer transfer)
{
    bool is_answered = access_tile(device, endpoint, transfer);
    clock_note_read(device, endpoint.x, endpoint.y, endpoint.address, transfer.to, transfer.size);
    return is_answered;
}

bool device_endpoint_write(struct device *device, struct endpoint endpoint,
                           struct transfer transfer)
{
    bool is_answered = access_tile(device, endpoint, transfer);
    if (device->stopped && covers_soft_reset(&endpoint, transfer.size)) {
        recover(device);
    }
    device_report_faults(device);
    clock_note_write(device);
    return is_answered;
}
