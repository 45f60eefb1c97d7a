/* What is asked of a device behind the ABI: to run, what it has counted, its configuration space. */
#include "abi/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/inside.h"

enum { CONFIG_BYTES = 4096 };

void device_complain(struct device *device, const char *name, const char *why)
{
    static const char rest[] = "; the default is used";
    size_t old = device->complaints ? strlen(device->complaints) : 0;
    size_t size = old + strlen(name) + 2 + strlen(why) + sizeof rest + 1;
    char *grown = realloc(device->complaints, size);
    if (grown) {
        snprintf(grown + old, size - old, "%s: %s%s\n", name, why, rest);
        device->complaints = grown;
    }
}

/* A run may end for signals on several chips. */
static bool have_launches_paused(const struct machine *machine)
{
    bool have = false;
    for (unsigned i = 0; i < machine->devices; i++) {
        struct device *device = machine->device[i];
        have |= inside(device->chip)->launches_paused(device->launches);
    }
    return have;
}

enum penrose_outcome device_run(struct device *device, const struct penrose_run *run)
{
    uint64_t now = penrose_now(device->chip), most = UINT64_MAX / 2 - now;
    uint64_t end = now + (run->cycles < most ? run->cycles : most);
    struct penrose_run part = *run;
    enum penrose_outcome outcome;
    do {
        now = penrose_now(device->chip);
        part.cycles = end > now ? end - now : 0;
        outcome = gdb_run(device->machine->gdb, device->chip, &part);
    } while (outcome == PENROSE_PAUSED && have_launches_paused(device->machine));
    if (outcome == PENROSE_FAULT) {
        machine_note_stop(device->machine);
    }
    return outcome;
}

void device_no_answer(struct transfer transfer)
{
    if (transfer.to) {
        memset(transfer.to, 0xff, transfer.size);
    }
}

uint64_t device_instructions(struct device *device, unsigned x, unsigned y)
{
    uint64_t sum = 0;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct penrose_hart_info info;
        if (penrose_hart_info(device->chip, x, y, (enum penrose_hart)hart, &info, NULL) ==
            PENROSE_OK) {
            sum += info.retired;
        }
    }
    return sum;
}

/* --- Configuration space --- */

uint32_t device_config_read(struct device *device, uint32_t offset)
{
    /* A type 0 header; what is not named reads zero: no capabilities, no interrupts. */
    const uint32_t header[] = {
        [0x00 / 4] = device->arch->pci_id,
        [0x04 / 4] = 0x00000006, /* decodes memory, may be a bus master */
        [0x08 / 4] = 0x12000001, /* class "processing accelerator", revision 1 */
        [0x10 / 4] = 0x00000004, /* BARs: 64-bit, not prefetchable; bar.c has the same bases */
        [0x14 / 4] = 0x00000001,
        [0x18 / 4] = 0x20000004,
        [0x1c / 4] = 0x00000001,
        [0x20 / 4] = 0x00000004,
        [0x24 / 4] = 0x00000008,
        [0x3c / 4] = 0x000000ff, /* no interrupt line */
    };
    if (offset >= CONFIG_BYTES) {
        report(device, "configuration space has %d bytes; offset 0x%x reads all ones", CONFIG_BYTES,
               offset);
        return UINT32_MAX;
    }
    uint32_t word = offset < sizeof header ? header[offset / 4] : 0;
    bool is_high_half = offset == 0x14 || offset == 0x1c || offset == 0x24;
    return is_high_half ? word + (device->number << (DEVICE_SPACE_SHIFT - 32)) : word;
}
