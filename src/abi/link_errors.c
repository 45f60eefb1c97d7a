/* Links on which things go wrong, see link_errors.h. */
#include "abi/link_errors.h"

#include <stdio.h>

#include "abi/machine.h"
#include "host/environment.h"
#include "isa/error.h"
#include "observe/settings.h"

/* --- What the environment says --- */

static enum penrose_status spoil_link(struct machine *machine, const struct settings_link *wanted,
                                      struct penrose_error *error)
{
    struct spoiled_link *link = &machine->spoiled[machine->spoiled_links];
    if (wanted->chip >= machine->devices) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "there is no chip %u; chips are numbered from 0 to %u", wanted->chip,
                         machine->devices - 1);
    }
    if (machine->spoiled_links == SPOILED_LINKS) {
        return error_set(error, PENROSE_E_ARGUMENT, "at most %d links can be named", SPOILED_LINKS);
    }
    link->device = machine->device[wanted->chip];
    link->port = wanted->port;
    if (!penrose_tile_at(link->device->chip, PENROSE_TILE_ETHERNET, link->port, &link->at)) {
        return error_set(error, PENROSE_E_ARGUMENT, "chip %u has no port %u", wanted->chip,
                         wanted->port);
    }
    link->is_up = true;
    enum penrose_status status =
        penrose_ethernet_errors(link->device->chip, link->at.x, link->at.y, &wanted->errors, error);
    machine->spoiled_links += status == PENROSE_OK;
    return status;
}

void link_errors_start(struct machine *machine)
{
    const char *text = host_variable("PENROSE_LINK_ERRORS");
    enum penrose_status status = PENROSE_OK;
    struct settings_link wanted;
    struct penrose_error error;
    while (text && *text && status == PENROSE_OK) {
        status = settings_next_link(&wanted, &text, &error);
        status = status ? status : spoil_link(machine, &wanted, &error);
    }
    if (status != PENROSE_OK) {
        device_complain(machine->device[0], "PENROSE_LINK_ERRORS", error.text);
    }
}

/* --- What came of it --- */

/* The chip and port at the other end. */
static void name_other_end(const struct machine *machine, const struct penrose_link_info *info,
                           char *text, size_t size)
{
    struct penrose_place at;
    unsigned chip, port = 0;
    penrose_chip_cluster(info->peer, &chip);
    while (penrose_tile_at(info->peer, PENROSE_TILE_ETHERNET, port, &at) &&
           (at.x != info->at.x || at.y != info->at.y)) {
        port++;
    }
    snprintf(text, size, machine->devices > 1 ? "port %u of chip %u" : "port %u", port, chip);
}

void link_errors_look(struct machine *machine)
{
    for (unsigned i = 0; i < machine->spoiled_links; i++) {
        struct spoiled_link *link = &machine->spoiled[i];
        struct penrose_chip *chip = link->device->chip;
        struct penrose_link_info info;
        char other[40];
        if (penrose_ethernet_info(chip, link->at.x, link->at.y, &info, NULL) != PENROSE_OK ||
            !info.peer || info.is_up == link->is_up) {
            continue;
        }
        link->is_up = info.is_up;
        name_other_end(machine, &info, other, sizeof other);
        report(link->device, "cycle %llu: the link of port %u (Ethernet (%u, %u)) to %s %s",
               (unsigned long long)(info.is_up ? penrose_now(chip) : info.down), link->port,
               link->at.x, link->at.y, other, info.is_up ? "has come back" : "has gone away");
    }
}

static void tell_direction(struct device *device, unsigned port,
                           const struct penrose_link_info *info, const char *other)
{
    report(device,
           "port %u got %llu frames from %s, %llu of them damaged, and lost %llu that it had to "
           "send; it sent packets again %llu times, and %llu are not acknowledged",
           port, (unsigned long long)info->received, other, (unsigned long long)info->damaged,
           (unsigned long long)info->lost, (unsigned long long)info->resends,
           (unsigned long long)info->unacknowledged);
}

void link_errors_end(struct machine *machine)
{
    for (unsigned i = 0; i < machine->spoiled_links; i++) {
        const struct spoiled_link *link = &machine->spoiled[i];
        struct penrose_link_info info;
        char other[40];
        if (penrose_ethernet_info(link->device->chip, link->at.x, link->at.y, &info, NULL) ==
                PENROSE_OK &&
            info.peer) {
            name_other_end(machine, &info, other, sizeof other);
            tell_direction(link->device, link->port, &info, other);
        }
    }
}
