/* Which devices the machine has, and what is true of any of them. */
#include "abi/machine.h"

struct device *machine_find(const struct machine *machine, uint32_t bus_device_function)
{
    uint32_t number = bus_device_function >> BDF_SHIFT;
    bool is_there = bus_device_function % (1 << BDF_SHIFT) == 0 && number < machine->devices;
    return is_there ? machine->device[number] : NULL;
}

struct device *machine_at(const struct machine *machine, uint64_t paddr)
{
    uint64_t number = paddr >> DEVICE_SPACE_SHIFT;
    return machine->device[number < machine->devices ? number : 0];
}

bool machine_is_used(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->devices; i++) {
        if (machine->device[i]->is_used) {
            return true;
        }
    }
    return false;
}

void machine_note_stop(struct machine *machine)
{
    for (unsigned i = 0; i < machine->devices; i++) {
        machine->device[i]->stopped = true;
    }
}

bool machine_is_stopped(const struct machine *machine)
{
    for (unsigned i = 0; i < machine->devices; i++) {
        if (machine->device[i]->stopped) {
            return true;
        }
    }
    return false;
}
