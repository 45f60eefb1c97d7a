/*
 * The run-ahead policy.
 *
 * A host drives time by polling: it reads a word, calls libttsim_clock(1), reads again. With one
 * cycle a call, a million cycles would take a million calls. So a call runs ahead: it lets at least
 * the cycles asked for pass, and then goes on until its quantum is used up, a value that the host
 * has been polling changes, or nothing can happen any more without the host.
 *
 * - The quantum starts at 128 cycles (one round of a tile). It doubles with every call, up to
 *   65536, as long as the host only reads places again and finds the values that it found before.
 * - It drops back to 128 when the host writes to a tile, reads something that it had not read, or
 *   sees a change. Register writes that set up windows do not count: hosts do them all the time.
 * - A host that makes progress and goes from tile to tile waits for nothing, and each call would
 *   wake all tiles. So the time of up to eight such calls is saved, and passes together. While the
 *   host stays at a tile time passes at once, as debuggers expect.
 * - While several tiles are busy, a change of a polled value ends the call within 512 cycles, and
 *   so does a write of the device to host memory.
 * - Waiting for an event that is T cycles away takes about log2(T / 128) + T / 65536 calls instead
 *   of T; reading out results, which are different places, costs 128 cycles a read.
 *
 * If nothing can happen on the chip without the host, only the cycles asked for pass, all together
 * before the next access that could notice.
 *
 * All of this depends only on the calls and on the values read, never on host time: a run can be
 * repeated. PENROSE_RUN_AHEAD changes it: "FIRST:MOST" sets the bounds of the quantum in cycles,
 * "N" means 128:N (N:N below 128), and "0" switches it off; then calls of 1 cycle add up to exactly
 * one cycle each, rounded up to whole rounds of 128.
 */
#include "abi/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/link_errors.h"
#include "abi/machine.h"
#include "host/environment.h"

enum { FIRST = 128, MOST = 65536, LARGEST = 1 << 30, SAVED_CALLS = 8 };

/* --- Options --- */

/* A number of cycles; false when there is none or it is too large. */
static bool parse_cycles(const char *text, char **end, uint32_t *cycles)
{
    errno = 0;
    unsigned long value = strtoul(text, end, 10);
    *cycles = (uint32_t)value;
    return *text >= '0' && *text <= '9' && errno == 0 && value <= LARGEST;
}

static bool parse_run_ahead(const char *text, uint32_t *first, uint32_t *most)
{
    char *end;
    if (!parse_cycles(text, &end, most)) {
        return false;
    }
    *first = *most < FIRST ? *most : FIRST;
    if (*end == ':') {
        *first = *most;
        return *first > 0 && parse_cycles(end + 1, &end, most) && *end == '\0' && *first <= *most;
    }
    return *end == '\0';
}

void clock_init(struct machine *machine)
{
    struct run_ahead *ahead = &machine->run_ahead;
    const char *text = host_variable("PENROSE_RUN_AHEAD");
    char why[160];
    *ahead = (struct run_ahead){.streak = 1, .first = FIRST, .most = MOST};
    if (text && !parse_run_ahead(text, &ahead->first, &ahead->most)) {
        ahead->first = FIRST;
        ahead->most = MOST;
        snprintf(
            why, sizeof why,
            "'%.40s' is neither FIRST:MOST nor MOST, in cycles up to %d, nor 0, which switches "
            "it off",
            text, LARGEST);
        device_complain(machine->device[0], "PENROSE_RUN_AHEAD", why);
    }
    ahead->quantum = ahead->first;
}

/* --- What the host does --- */

/* Tiles at one address get different slots, since hosts poll all tiles in turn. */
static unsigned slot_of(const struct device *device, unsigned x, unsigned y, uint64_t address)
{
    uint64_t mixed = address * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)((x + 17 * y + 101 * device->number) ^ (mixed >> 48)) % READS_REMEMBERED;
}

void clock_note_read(const struct device *device, unsigned x, unsigned y, uint64_t address,
                     const void *bytes, uint32_t size)
{
    struct run_ahead *ahead = &device->machine->run_ahead;
    unsigned slot = slot_of(device, x, y, address);
    struct remembered_read *read = &ahead->read[slot];
    ahead->moved = ahead->device != device || ahead->x != x || ahead->y != y;
    ahead->device = device;
    ahead->x = x;
    ahead->y = y;
    if (size > READ_BYTES) {
        ahead->progress = true;
        return;
    }
    bool is_same = read->device == device && read->x == x && read->y == y &&
                   read->address == address && read->size == size;
    if (is_same && memcmp(read->bytes, bytes, size) == 0) {
        ahead->polled[slot] = ahead->streak;
        ahead->polling = true;
        return;
    }
    *read = (struct remembered_read){
        .device = device, .x = (uint16_t)x, .y = (uint16_t)y, .address = address, .size = size};
    memcpy(read->bytes, bytes, size);
    ahead->progress = true;
    ahead->polled[slot] = 0;
}

void clock_note_write(struct machine *machine)
{
    machine->run_ahead.progress = true;
}

void clock_note_host_written(struct machine *machine)
{
    machine->run_ahead.progress = true;
    machine->run_ahead.host_written = true;
}

/* --- Running --- */

static bool has_changed(const struct remembered_read *read)
{
    uint8_t bytes[READ_BYTES];
    return penrose_peek(read->device->chip, read->x, read->y, read->address, bytes, read->size,
                        NULL) == PENROSE_OK &&
           memcmp(bytes, read->bytes, read->size) != 0;
}

struct watch {
    const struct run_ahead *ahead;
    uint64_t least; /* the time that must pass in any case */
};

/* After each window: is there something new for the host? */
static bool is_something_new(struct penrose_chip *chip, void *context)
{
    struct watch *watch = context;
    const struct run_ahead *ahead = watch->ahead;
    if (penrose_now(chip) < watch->least) {
        return false;
    }
    if (ahead->host_written) {
        return true;
    }
    for (unsigned slot = 0; slot < READS_REMEMBERED; slot++) {
        if (ahead->polled[slot] == ahead->streak && has_changed(&ahead->read[slot])) {
            return true;
        }
    }
    return false;
}

static void adapt_quantum(struct run_ahead *ahead)
{
    if (ahead->progress) {
        ahead->progress = false;
        ahead->streak++;
        ahead->quantum = ahead->first;
    } else {
        ahead->quantum = ahead->quantum < ahead->most / 2 ? ahead->quantum * 2 : ahead->most;
    }
}

static void run_busy(struct machine *machine, uint64_t least, uint64_t most)
{
    struct run_ahead *ahead = &machine->run_ahead;
    struct penrose_chip *chip = machine->device[0]->chip;
    struct watch watch = {.ahead = ahead, .least = least};
    struct penrose_run run = {.size = sizeof run,
                              .cycles = most - penrose_now(chip),
                              .until = is_something_new,
                              .context = &watch};
    enum penrose_outcome outcome = device_run(machine->device[0], &run);
    device_report_faults(machine->device[0]);
    link_errors_look(machine);
    if (outcome == PENROSE_QUIET) {
        ahead->is_quiet = true;
        ahead->owed += least > penrose_now(chip) ? least - penrose_now(chip) : 0;
    }
}

void clock_settle(struct machine *machine)
{
    struct run_ahead *ahead = &machine->run_ahead;
    if (ahead->owed > 0) {
        struct penrose_run run = {
            .size = sizeof run, .cycles = ahead->owed, .pass_quiet_time = true};
        ahead->owed = 0;
        device_run(machine->device[0], &run);
    }
    ahead->is_quiet = false;
}

/* Whether the call's time can be saved up. */
static bool save(struct run_ahead *ahead, uint32_t cycles)
{
    uint64_t saved = ahead->saved + ahead->quantum;
    if (cycles >= ahead->quantum || saved >= (uint64_t)SAVED_CALLS * ahead->first) {
        return false;
    }
    ahead->saved = saved;
    return true;
}

static void run_ahead(struct machine *machine, uint32_t cycles)
{
    struct run_ahead *ahead = &machine->run_ahead;
    uint64_t now = penrose_now(machine->device[0]->chip), most = cycles;
    if (cycles < ahead->quantum) {
        most = ahead->quantum + ahead->saved;
        ahead->saved = 0;
    }
    run_busy(machine, now + cycles, now + most);
}

void clock_run(struct machine *machine, uint32_t cycles)
{
    struct run_ahead *ahead = &machine->run_ahead;
    /* What the device has written to host memory is progress, but the host may wait for the
     * rest. */
    bool is_going_round = ahead->progress && ahead->moved && !ahead->host_written;
    if (gdb_look(machine->gdb)) {
        clock_settle(machine);
    }
    if (cycles == 0 || machine_is_stopped(machine)) {
        return;
    }
    adapt_quantum(ahead);
    ahead->host_written = false;
    ahead->due += cycles;
    if (ahead->is_quiet) {
        ahead->owed += cycles;
    } else if (ahead->most > 0) {
        if (!is_going_round || !save(ahead, cycles)) {
            run_ahead(machine, cycles);
        }
    } else if (ahead->due > penrose_now(machine->device[0]->chip)) {
        run_busy(machine, ahead->due, ahead->due);
    }
    ahead->polling = false;
    ahead->moved = false;
}

void clock_finish(struct machine *machine)
{
    uint64_t end = penrose_now(machine->device[0]->chip) + machine->run_ahead.saved;
    if (machine->run_ahead.saved > 0 && !machine_is_stopped(machine)) {
        machine->run_ahead.saved = 0;
        run_busy(machine, end, end);
    }
}
