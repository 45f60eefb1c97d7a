/* The life of a device behind the ABI, and what the environment asks of it. */
#include "abi/machine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/guard.h"
#include "host/environment.h"
#include "isa/error.h"
#include "observe/history/recording.h"
#include "observe/inside.h"
#include "observe/settings.h"
#include "observe/trace/file.h"

/* --- The chip's way to its host --- */

/* What follows is as if no memory answered. */
static void tell_of_exception(struct device *device, const char *what, uint64_t address,
                              uint32_t size)
{
    report(device,
           "the client's callback threw an exception: %s of %u bytes at host address 0x%llx; is "
           "there host memory (a channel of hugepages) for it?",
           what, size, (unsigned long long)address);
}

static bool read_host(void *context, uint64_t address, void *bytes, uint32_t size)
{
    struct device *device = context;
    if (!device->machine->host.read) {
        return false;
    }
    if (!guard_read(device->machine->host.read, address, bytes, size)) {
        tell_of_exception(device, "read", address, size);
        return false;
    }
    return true;
}

static bool write_host(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    struct device *device = context;
    if (!device->machine->host.write) {
        return false;
    }
    if (!guard_write(device->machine->host.write, address, bytes, size)) {
        tell_of_exception(device, "write", address, size);
        return false;
    }
    clock_note_host_written(device->machine);
    return true;
}

static bool read_by_dma(void *context, uint64_t address, void *bytes, uint32_t size)
{
    return device_dma_access(context, address, (struct transfer){.to = bytes, .size = size});
}

static bool write_by_dma(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    return device_dma_access(context, address, (struct transfer){.from = bytes, .size = size});
}

static void connect_host(struct device *device)
{
    struct penrose_host_memory memory = {.read = read_host, .write = write_host, .context = device};
    struct penrose_host_memory windows = {
        .read = read_by_dma, .write = write_by_dma, .context = device};
    penrose_host_memory_set(device->chip, &memory);
    penrose_pcie_device_set(device->chip, &windows);
}

/* --- Options --- */

/* The process is the host's, so it must have asked for that. */
static void choose_end(struct device *device)
{
    static const char *const names[] = {
        [ON_HANG_REPORT] = "report", [ON_HANG_STOP] = "stop", [ON_HANG_THROW] = "throw"};
    const char *text = host_variable("PENROSE_ON_HANG");
    bool is_known = !text;
    for (unsigned i = 0; text && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            device->on_hang = (enum on_hang)i;
            is_known = true;
        }
    }
    if (!is_known) {
        device_complain(device, "PENROSE_ON_HANG", "choose report, the default, stop or throw");
    }
}

static enum penrose_status start_checks(struct device *device, struct penrose_error *error)
{
    struct penrose_error why;
    const char *checks = host_variable("PENROSE_CHECK");
    if (!checks) {
        return PENROSE_OK;
    }
    enum penrose_status status = penrose_check(device->chip, checks, &why);
    return status ? error_set(error, status, "PENROSE_CHECK: %s", why.text) : PENROSE_OK;
}

static enum penrose_status start_delays(struct device *device, struct penrose_error *error)
{
    struct penrose_error why;
    const char *delays = host_variable("PENROSE_DELAY");
    enum penrose_status status = delays ? penrose_delay(device->chip, delays, &why) : PENROSE_OK;
    return status ? error_set(error, status, "PENROSE_DELAY: %s", why.text) : PENROSE_OK;
}

static void start_trace(struct device *device)
{
    struct penrose_error error;
    const char *traced = host_variable("PENROSE_TRACE");
    const char *path = traced ? traced : host_variable("PENROSE_PROFILE");
    const char *variable = traced ? "PENROSE_TRACE" : "PENROSE_PROFILE";
    char own[PATH_MAX];
    const struct trace_file_options options = {
        .path = path ? trace_file_of_chip(path, device->number, own) : NULL,
        .filter = host_variable("PENROSE_TRACE_FILTER"),
        .appends = true,
        .is_profile = !traced,
        .operations = host_variable("PENROSE_OPERATIONS"),
        .chip = device->number};
    if (traced && host_variable("PENROSE_PROFILE")) {
        device_complain(device, "PENROSE_PROFILE",
                        "there is a trace (PENROSE_TRACE) already; 'penrose trace FILE.ptrace "
                        "--profile=OUT' makes a profile of it");
    }
    if (options.path &&
        trace_file_start(device->chip, &options, &device->trace, &error) != PENROSE_OK) {
        bool is_filter = error.status == PENROSE_E_ARGUMENT;
        device_complain(device, is_filter ? "PENROSE_TRACE_FILTER" : variable, error.text);
    }
}

static bool is_any_released(const struct device *device, unsigned x, unsigned y)
{
    struct penrose_hart_info info;
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        if (penrose_hart_info(device->chip, x, y, (enum penrose_hart)hart, &info, NULL) ==
                PENROSE_OK &&
            info.state != PENROSE_HART_HELD) {
            return true;
        }
    }
    return false;
}

/* Finds programs for GDB (see gdb_teach), once harts of the tile run: before, searches would be in
 * vain. */
static void teach_gdb(void *context, unsigned chip, unsigned x, unsigned y)
{
    const struct machine *machine = context;
    const struct device *device = machine->device[chip];
    if (is_any_released(device, x, y)) {
        host_programs_find(device->programs, x, y);
    }
}

/* Chips are debugged when the first of them is used: UMD makes others to see whether there is one. */
static void start_gdb(struct device *device)
{
    struct penrose_error error;
    const char *address = host_variable("PENROSE_GDB");
    struct gdb **gdb = &device->machine->gdb;
    if (!address || *gdb) {
        return;
    }
    if (gdb_create(device->chip, address, gdb, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_GDB", error.text);
        return;
    }
    gdb_teach(*gdb, teach_gdb, device->machine);
    report_note(device, "%s: %s",
                gdb_will_wait(*gdb) ? "waiting for GDB" : "GDB may come at any time",
                gdb_command(*gdb));
}

/* The file is made when the device is used: clients make others, just to see. */
static void open_recording(struct device *device)
{
    struct penrose_error error;
    const char *path = host_variable("PENROSE_RECORD");
    struct machine *machine = device->machine;
    if (path && !machine->is_recorded &&
        recording_open(machine->cluster, path, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_RECORD", error.text);
    }
    machine->is_recorded = true;
}

static void tell_of_launches(void *context, const char *text)
{
    report(context, "PENROSE_RECORD_LAUNCH: %s", text);
}

/* The folder, too, is made when the device is used. */
static void start_launches(struct device *device)
{
    struct penrose_error error;
    const char *numbers = host_variable("PENROSE_LAUNCHES");
    struct launches_options options = {.directory = host_variable("PENROSE_RECORD_LAUNCH"),
                                       .chip = device->number,
                                       .by_host_alone =
                                           host_variable("TT_METAL_SLOW_DISPATCH_MODE") != NULL,
                                       .programs = device->programs,
                                       .tell = tell_of_launches,
                                       .context = device};
    if (numbers && settings_numbers(&options.numbers, numbers, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_LAUNCHES", error.text);
    }
    if (options.directory &&
        inside(device->chip)->launches_start(device->chip, &options, &device->launches, &error) !=
            PENROSE_OK) {
        device_complain(device, "PENROSE_RECORD_LAUNCH", error.text);
    }
}

void device_first_use(struct device *device)
{
    open_recording(device);
    start_launches(device);
    start_gdb(device);
    char *line = device->complaints;
    device->is_used = true;
    device->complaints = NULL;
    for (char *next, *at = line; at && *at; at = next) {
        next = strchr(at, '\n');
        *next++ = '\0';
        report(device, "%s", at);
    }
    free(line);
}

/* One is of all chips, which have all been made. */
static void start_recording(struct device *device)
{
    struct penrose_error error;
    const char *path = host_variable("PENROSE_RECORD");
    if (path && device->number == 0 &&
        recording_start(device->machine->cluster, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_RECORD", error.text);
    }
}

/* --- Windows --- */

bool device_make_windows(struct device *device)
{
    const struct arch *of = chip_calls_of(device->chip)->arch;
    device->arch = of;
    device->tlb = calloc(of->window_words * (size_t)arch_windows(of) + of->windows_strided,
                         sizeof *device->tlb);
    return device->tlb != NULL;
}

/* --- Life --- */

static void start_programs(struct device *device)
{
    struct penrose_firmware *firmware;
    struct penrose_error error;
    const char *directory = host_variable("PENROSE_FIRMWARE");
    const char *symbols = host_variable("PENROSE_SYMBOLS");
    host_programs_create(device->chip, NULL, &device->programs, NULL);
    host_programs_serve(device->programs);
    if (symbols && !host_programs_add(device->programs, symbols)) {
        device_complain(device, "PENROSE_SYMBOLS",
                        "no file has this name yet; later ones are found");
    }
    if (directory &&
        penrose_firmware_open(device->chip, directory, &firmware, &error) != PENROSE_OK) {
        device_complain(device, "PENROSE_FIRMWARE", error.text);
    } else if (directory) {
        host_programs_add_firmware(device->programs, firmware);
    }
}

enum penrose_status device_open(struct device *device, struct penrose_error *error)
{
    start_programs(device);
    start_recording(device);
    connect_host(device);
    enum penrose_status status = start_checks(device, error);
    status = status ? status : start_delays(device, error);
    start_trace(device);
    dumps_init(device);
    choose_end(device);
    return status;
}

void device_end_recording(struct device *device)
{
    if (!recording_stop(device->machine->cluster)) {
        report_incomplete(device, "PENROSE_RECORD: not all of the recording could be written, so "
                                  "its file is removed");
    }
}

void device_end_launches(struct device *device)
{
    struct launches *launches = device->launches;
    device->launches = NULL;
    if (launches) {
        struct launches_counts counts = inside(device->chip)->launches_end(launches);
        char others[64] = "";
        if (counts.seen > 0 && counts.chosen == 0) {
            snprintf(others, sizeof others, ": none of %u was chosen (PENROSE_LAUNCHES)",
                     counts.seen);
        }
        report_note(device, "%u %s written to %s%s", counts.written,
                    counts.written == 1 ? "launch" : "launches",
                    host_variable("PENROSE_RECORD_LAUNCH"), others);
    }
}

static void tell_unused_delay(struct device *device)
{
    char text[128];
    if (inside(device->chip)->delay_unused(device->chip, text, sizeof text)) {
        report_note(device, "PENROSE_DELAY: %s", text);
    }
}

void device_end(struct device *device)
{
    char path[PATH_MAX], text[PATH_MAX + 100];
    const char *traced = host_variable("PENROSE_TRACE");
    const char *named = traced ? traced : host_variable("PENROSE_PROFILE");
    if (!trace_file_stop(device->trace)) {
        snprintf(text, sizeof text, "%s: not all of the %s could be written to %s",
                 traced ? "PENROSE_TRACE" : "PENROSE_PROFILE", traced ? "trace" : "profile",
                 named ? trace_file_of_chip(named, device->number, path) : "its file");
        report_incomplete(device, text);
    }
    if (device->is_used) {
        leftovers_tell(device);
        tell_unused_delay(device);
        dumps_make(device, DUMP_AT_EXIT, "the host closes the device");
    }
    device_end_recording(device);
}

void device_close(struct device *device)
{
    device_end_launches(device);
    dumps_free(&device->dumps);
    free(device->tlb);
    free(device->look);
    free(device->complaints);
}
