/* PENROSE_SUMMARY: what a run has counted, a line of JSON in a file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/machine.h"
#include "chip/calls.h"
#include "host/environment.h"
#include "observe/inside.h"

void summary_open(struct machine *machine)
{
    const char *path = host_variable("PENROSE_SUMMARY");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        close(fd);
        machine->summary = calloc(1, sizeof *machine->summary);
    }
    if (machine->summary) {
        machine->summary->path = strdup(path);
        const struct penrose_chip *chip = machine->device[0]->chip;
        machine->summary->is_timed = chip_calls_of(chip)->options(chip)->timed;
    }
    if (path && (!machine->summary || !machine->summary->path)) {
        device_complain(machine->device[0], "PENROSE_SUMMARY",
                        "the file that it names cannot be written");
        free(machine->summary);
        machine->summary = NULL;
    }
}

enum { BUSIEST = 5 };

struct tile_work {
    unsigned chip, x, y;
    uint64_t instructions;
};

/* Takes a tile into the list of the busiest, in order; of equal ones the first stays in front. */
static void rank(struct tile_work *busiest, unsigned *count, struct tile_work work)
{
    unsigned at = *count < BUSIEST ? (*count)++ : BUSIEST;
    while (at > 0 && busiest[at - 1].instructions < work.instructions) {
        if (at < BUSIEST) {
            busiest[at] = busiest[at - 1];
        }
        at--;
    }
    if (at < BUSIEST) {
        busiest[at] = work;
    }
}

static void find_busiest(struct device *device, struct tile_work *busiest, unsigned *count)
{
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64 && device->started.row[y] >> x; x++) {
            if (tile_set_has(&device->started, x, y)) {
                struct tile_work work = {.chip = device->number, .x = x, .y = y};
                work.instructions = device->earlier[y][x] + device_instructions(device, x, y);
                rank(busiest, count, work);
            }
        }
    }
}

/* What the checks of all chips have found. */
static int put_checks(const struct machine *machine, bool has_run, char *line, size_t size)
{
    uint64_t findings = 0;
    bool is_on = false, is_blind = true; /* of all of them */
    struct check_result result;
    for (unsigned i = 0; i < machine->devices; i++) {
        struct penrose_chip *chip = machine->device[i]->chip;
        if (inside(chip)->check_tell(chip, &result)) {
            is_on = true;
            is_blind &= result.is_blind || !has_run;
            findings += result.findings;
            report_note(machine->device[i], "%s", result.text);
        }
    }
    return is_on ? snprintf(line, size, ", \"findings\": %llu, \"unchecked\": %d",
                            (unsigned long long)findings, is_blind)
                 : 0;
}

static void write_summary(struct machine *machine)
{
    const struct summary *summary = machine->summary;
    struct tile_work busiest[BUSIEST];
    unsigned count = 0;
    char line[1024];
    if (!machine_is_used(machine)) {
        return; /* somebody only looked whether there is a device */
    }
    clock_settle(machine);
    for (unsigned i = 0; i < machine->devices; i++) {
        find_busiest(machine->device[i], busiest, &count);
    }
    int length = snprintf(
        line, sizeof line,
        "{\"pid\": %ld, \"chips\": %u, \"cycles\": %llu, \"seconds\": %llu.%09llu, "
        "\"faults\": %llu, \"hangs\": %llu, \"warnings\": %llu, \"timed\": %s, "
        "\"polls\": %llu, \"incomplete\": %llu, \"tiles\": [",
        (long)getpid(), machine->devices, (unsigned long long)penrose_now(machine->device[0]->chip),
        (unsigned long long)(summary->nanoseconds / 1000000000),
        (unsigned long long)(summary->nanoseconds % 1000000000),
        (unsigned long long)summary->faults, (unsigned long long)summary->hangs,
        (unsigned long long)summary->warnings, summary->is_timed ? "true" : "false",
        (unsigned long long)summary->polls, (unsigned long long)summary->incomplete);
    for (unsigned i = 0; i < count; i++) {
        length += snprintf(line + length, sizeof line - (size_t)length,
                           "%s{\"chip\": %u, \"tile\": \"%u-%u\", \"instructions\": %llu}",
                           i ? ", " : "", busiest[i].chip, busiest[i].x, busiest[i].y,
                           (unsigned long long)busiest[i].instructions);
    }
    length += snprintf(line + length, sizeof line - (size_t)length, "]");
    length += put_checks(machine, count && busiest[0].instructions, line + length,
                         sizeof line - (size_t)length);
    snprintf(line + length, sizeof line - (size_t)length, "}");
    int error = report_append(summary->path, NULL, line);
    if (error) {
        report(machine->device[0], "PENROSE_SUMMARY: %.512s cannot be written: %s", summary->path,
               strerror(error));
    }
}

void summary_close(struct machine *machine)
{
    if (machine->summary) {
        write_summary(machine);
        free(machine->summary->path);
        free(machine->summary);
        machine->summary = NULL;
    }
}
