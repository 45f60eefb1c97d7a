/* Guest faults: each is reported once, and who is not at fault goes on. */
#include "abi/machine.h"
#include "host/environment.h"
#include "observe/error_line.h"

enum { FAULT_TEXT = 4096 };

/* On stderr alone. */
static void tell_error_line(const struct penrose_fault *fault)
{
    char line[REPORT_BYTES];
    if (error_line_wanted(fault)) {
        error_line_format(fault, line, sizeof line);
        report_line(NULL, line);
    }
}

/* Where tiles run one program, stderr gets the mistakes of the first in full. */
static void tell_fault(struct device *device, const struct penrose_fault *fault)
{
    char text[FAULT_TEXT];
    penrose_fault_format(fault, text, sizeof text);
    report_trim(text);
    if (device->reports.events < MOST_EVENTS) {
        bool is_told = alike_has(&device->alike, fault);
        if (report_new_event(device, text, is_told ? REPORT_TO_FILE : REPORT_TO_ALL) && !is_told) {
            tell_error_line(fault);
        }
    }
    if (device->machine->summary) {
        device->machine->summary->faults += fault->policy == PENROSE_STOP;
        device->machine->summary->warnings += fault->policy != PENROSE_STOP;
    }
    if (fault->policy == PENROSE_STOP &&
        penrose_tile_kind(device->chip, fault->x, fault->y) == PENROSE_TILE_TENSIX) {
        tile_set_add(&device->ailing, fault->x, fault->y);
    }
}

/* A fault that stops may take the place of another record, when there are too many; and it is
 * forgotten once it was told. */
static void tell_new_faults(struct device *device)
{
    size_t count = penrose_fault_count(device->chip), told = device->faults_told;
    for (size_t i = device->stopped ? 0 : told; i < count; i++) {
        struct penrose_fault fault;
        if (penrose_fault_get(device->chip, i, &fault) &&
            (i >= told || fault.policy == PENROSE_STOP)) {
            host_programs_know_tile(device->programs, fault.x, fault.y);
            penrose_fault_get(device->chip, i, &fault); /* with its place in the source */
            tell_fault(device, &fault);
        }
    }
    host_programs_forget(device->programs);
}

/* While its tile still stands where it was made; faults that are only warned of change nothing. */
static void dump_fault(struct device *device)
{
    struct penrose_fault fault;
    for (size_t i = 0;
         dumps_wants(&device->dumps, DUMP_AT_FAULT) && penrose_fault_get(device->chip, i, &fault);
         i++) {
        if (fault.policy == PENROSE_STOP) {
            dumps_make(device, DUMP_AT_FAULT, fault.rule);
            return;
        }
    }
}

/* Reports what is new, and lets the rest of the chip go on. */
static void tell_faults(struct device *device)
{
    if (!device->stopped && device->faults_told == penrose_fault_count(device->chip)) {
        return;
    }
    tell_new_faults(device);
    dump_fault(device);
    penrose_fault_isolate(device->chip);
    device->faults_told = penrose_fault_count(device->chip);
    device->stopped = false;
    device->machine->isolated++;
}

/* Where else the mistakes were made that were told. */
static void tell_others(struct device *device)
{
    struct alike *alike = &device->alike;
    for (unsigned i = 0; i < alike->groups; i++) {
        const struct alike_group *group = &alike->group[i];
        char text[REPORT_BYTES];
        if (group->others > 0) {
            penrose_fault_format_others(&group->first, group->other, group->others, text,
                                        sizeof text);
            report_trim(text);
            report_line(device->reports.of, text);
        }
        if (group->others > 0 && !host_variable("PENROSE_REPORT")) {
            report_line("", "  (PENROSE_REPORT=FILE gets each of them)");
        }
    }
    alike->groups = 0;
}

void device_tell_faults(struct device *device)
{
    tell_faults(device);
    tell_others(device);
}

void device_report_faults(struct device *device)
{
    const struct machine *machine = device->machine;
    do {
        for (unsigned i = 0; i < machine->devices; i++) {
            tell_faults(machine->device[i]);
            device_tend(machine->device[i]);
        }
    } while (machine_is_stopped(machine)); /* time has passed */
    for (unsigned i = 0; i < machine->devices; i++) {
        tell_others(machine->device[i]);
    }
}
