/* Hangs: a host that polls in vain for long is told who waits for what. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/machine.h"
#include "chip/calls.h"
#include "observe/inside.h"

/*
 * Polling is in vain for long, on a chip on which nothing can happen, after VAIN_POLLS calls of
 * libttsim_clock that followed a read of what was known (or VAIN_CALLS calls at all, for hosts that
 * wait for their own memory); on a busy one after BUSY_CALLS of either kind, if VAIN_CYCLES have
 * passed: in fast dispatch the host waits for its own memory, and kernels that dispatch always run. If what
 * runs only polls, as routers of the fabric do, while somebody waits, that is so when STILL_CYCLES have
 * passed without anything else. After each SUSPECT_POLLS a host may give up and reset harts.
 */
enum {
    VAIN_POLLS = 1000,
    VAIN_CALLS = 100000,
    BUSY_CALLS = 300,
    VAIN_CYCLES = 200000000,
    STILL_CYCLES = 10000000,
    SUSPECT_POLLS = 100,
};

static void tell_hang(struct device *device, const char *text)
{
    report_event(device, text, REPORT_TO_ALL);
    if (device->machine->summary) {
        device->machine->summary->hangs++;
    }
    device->machine->is_hung |= device->on_hang == ON_HANG_THROW;
    inside(device->chip)->launches_hang(device->launches);
    if (device->on_hang == ON_HANG_STOP) {
        device_end_recording(device); /* with what led to this */
        device_end_launches(device);
        summary_close(device->machine);
        kill(getpid(), SIGTERM);
    }
}

/* Reports who waits for what, under a title, as one report. */
static void tell_waits(struct device *device, const char *title)
{
    char nothing[1], *text = NULL;
    int length = penrose_wait_report(device->chip, nothing, sizeof nothing);
    if (length > 0) { /* else no hart is out of reset */
        size_t head_size = strlen(title), size = head_size + (size_t)length + 1;
        text = malloc(size);
        if (text) {
            memcpy(text, title, head_size);
            penrose_wait_report(device->chip, text + head_size, (size_t)length + 1);
            report_trim(text);
        }
    }
    if (text) {
        tell_hang(device, text);
    }
    free(text);
}

/* Tiles that were started may have to be healed before they are used again. Without `held`, those whose
 * TRISCs are in reset already are left out: what moves in their coprocessor is pushed by BRISC. */
static void add_started(struct device *device, struct tile_set *set, bool held)
{
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64 && device->started.row[y] >> x; x++) {
            if (tile_set_has(&device->started, x, y) &&
                (held || !device_triscs_held(device, x, y))) {
                tile_set_add(set, x, y);
            }
        }
    }
}

static bool is_in_vain(const struct poll_watch *watch, bool is_quiet, uint64_t now)
{
    bool is_long = watch->polls == VAIN_POLLS || watch->calls == VAIN_CALLS;
    return is_quiet ? is_long : watch->calls >= BUSY_CALLS && now - watch->since >= VAIN_CYCLES;
}

/* Does the host wait for nothing on the chip? It looks at prints, say, while it compiles what it will
 * launch. */
static bool waits_for_nothing(struct device *device)
{
    host_programs_know_firmware(device->programs);
    return inside(device->chip)->waits_for_work_only(device->chip);
}

/* Looks at all chips after each STILL_CYCLES. Has nothing happened since the last time but polls? */
static bool stands_still(struct machine *machine, uint64_t now)
{
    struct poll_watch *watch = &machine->watch;
    bool is_still = watch->looked != 0;
    if (watch->looked && now - watch->looked < STILL_CYCLES) {
        return false;
    }
    for (unsigned i = 0; i < machine->devices; i++) {
        struct device *device = machine->device[i];
        const struct chip_calls *calls = chip_calls_of(device->chip);
        struct chip_look *look = calls->look_take(device->chip);
        is_still = is_still && look && device->look && calls->look_is_still(device->look, look);
        free(device->look);
        device->look = look;
    }
    watch->looked = now;
    return is_still;
}

static bool waits_in_vain(struct device *device)
{
    host_programs_know_firmware(device->programs);
    return inside(device->chip)->waits_anybody(device->chip);
}

static bool is_anybody_stuck(struct machine *machine)
{
    bool is_any = false;
    for (unsigned i = 0; i < machine->devices; i++) {
        is_any |= waits_in_vain(machine->device[i]);
    }
    return is_any;
}

static void tell_of_hang(struct device *device)
{
    const struct machine *machine = device->machine;
    tell_waits(device, machine->run_ahead.is_quiet
                           ? "the host keeps polling, but nothing can happen any more on the chip "
                             "until the host does something; who waits for what:\n"
                       : penrose_now(device->chip) - machine->watch.since < VAIN_CYCLES
                           ? "the host keeps polling, and harts that run do nothing but poll; who "
                             "waits for what:\n"
                           : "the host has been polling in vain for long, while harts run; who "
                             "waits for what:\n");
    add_started(device, &device->ailing, true);
}

/* The report of a chip names kernels of others, so the programs of all are known while it is made. False
 * where no chip hangs. */
static bool tell_of_hangs(struct machine *machine)
{
    bool hangs[MACHINE_DEVICES], any = false;
    for (unsigned i = 0; i < machine->devices; i++) {
        hangs[i] = !waits_for_nothing(machine->device[i]);
        any |= hangs[i];
    }
    for (unsigned i = 0; i < machine->devices && any; i++) {
        host_programs_know(machine->device[i]->programs);
    }
    for (unsigned i = 0; i < machine->devices; i++) {
        if (hangs[i]) {
            tell_of_hang(machine->device[i]);
        }
    }
    for (unsigned i = 0; i < machine->devices && any; i++) {
        host_programs_forget(machine->device[i]->programs);
    }
    return any;
}

void machine_watch_polls(struct machine *machine)
{
    const struct run_ahead *ahead = &machine->run_ahead;
    struct poll_watch *watch = &machine->watch;
    uint64_t now = penrose_now(machine->device[0]->chip);
    if (ahead->progress) {
        for (unsigned i = 0; i < machine->devices; i++) {
            leftovers_tell(machine->device[i]);
        }
        *watch = (struct poll_watch){.since = now};
        return;
    }
    watch->polls += ahead->polling && watch->polls < VAIN_POLLS;
    watch->calls += watch->calls < VAIN_CALLS;
    if (ahead->polling && watch->polls < VAIN_POLLS && watch->polls % SUSPECT_POLLS == 0) {
        for (unsigned i = 0; i < machine->devices; i++) {
            add_started(machine->device[i], &machine->device[i]->suspect, false);
        }
    }
    if (watch->told) {
        return;
    }
    bool is_stuck = !ahead->is_quiet && watch->calls >= BUSY_CALLS && stands_still(machine, now) &&
                    is_anybody_stuck(machine);
    if (!is_stuck && !is_in_vain(watch, ahead->is_quiet, now)) {
        return;
    }
    watch->told = true;
    if (tell_of_hangs(machine) &&
        machine->is_hung) { /* a host that polls on gets another exception */
        *watch = (struct poll_watch){.since = now};
    }
}
