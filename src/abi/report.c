/*
 * Diagnostics: reports, guest faults, polls in vain, the summary of a run. The library must leave
 * its process alone: nothing goes to stdout, stdio buffers of the process are not touched, and
 * files are open only while something is added to them, so that fork and dlclose need no care.
 * stderr gets at most STDERR_LINES lines of a text.
 */
#include "abi/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/machine.h"
#include "chip/calls.h"
#include "host/environment.h"
#include "isa/plain_text.h"
#include "observe/error_line.h"
#include "observe/history/recording.h"
#include "observe/launches/launches.h"
#include "observe/inside.h"

enum { STDERR_LINES = 40, LINE_TEXT = 1024, FAULT_TEXT = 4096 };

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

/* At once if possible, so that lines of several processes do not mix. No memory is allocated: a
 * signal handler may be here in the middle of that. Returns errno, or 0. */
static int write_pieces(int fd, struct iovec *piece, int pieces)
{
    while (pieces > 0) {
        ssize_t written = writev(fd, piece, pieces);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        size_t done = written > 0 ? (size_t)written : 0;
        for (; pieces > 0 && done >= piece->iov_len; piece++, pieces--) {
            done -= piece->iov_len;
        }
        if (pieces > 0) {
            piece->iov_base = (char *)piece->iov_base + done;
            piece->iov_len -= done;
        }
    }
    return 0;
}

/* Length of the first `lines` lines of a text, or of all of it. */
static size_t head(const char *text, unsigned lines)
{
    const char *at = text;
    while (lines > 0 && *at) {
        const char *newline = strchr(at, '\n');
        lines--;
        if (!newline || lines == 0) {
            at = newline ? newline : at + strlen(at);
            break;
        }
        at = newline + 1;
    }
    return (size_t)(at - text);
}

static struct iovec piece_of(const char *text, size_t size)
{
    return (struct iovec){.iov_base = (void *)(uintptr_t)text, .iov_len = size}; /* only read */
}

/* `of` says which chip the text is about, "" where there is only one. */
static int write_line(int fd, const char *of, const char *text, size_t size)
{
    static const char prefix[] = "penrose: ";
    struct iovec piece[] = {piece_of(prefix, sizeof prefix - 1), piece_of(of, strlen(of)),
                            piece_of(text, size), piece_of("\n", 1)};
    return write_pieces(fd, piece, 4);
}

/* Adds to a file: as a report about `of`, or, where that is NULL, as it is. Returns errno, or 0. */
static int append_to_file(const char *path, const char *of, const char *text, size_t size)
{
    struct iovec piece = piece_of(text, size);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    int error = of ? write_line(fd, of, text, size) : write_pieces(fd, &piece, 1);
    return close(fd) != 0 && !error ? errno : error;
}

/* FNV-1a */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++) {
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static bool is_known(const uint64_t *seen, unsigned count, uint64_t hash)
{
    for (unsigned i = 0; i < count; i++) {
        if (seen[i] == hash) {
            return true;
        }
    }
    return false;
}

/* That the file of reports has not got one, unless it was said before: a text like any other. */
static void tell_lost(struct reports *reports, const char *path, int error)
{
    char text[LINE_TEXT];
    int length =
        snprintf(text, sizeof text,
                 "PENROSE_REPORT: %.512s cannot be written: %s; reports are on stderr only", path,
                 strerror(error));
    uint64_t hash = hash_text(text);
    if (reports &&
        (reports->count == MOST_REPORTS || is_known(reports->seen, reports->count, hash))) {
        return;
    }
    if (reports) {
        reports->seen[reports->count++] = hash;
    }
    write_line(STDERR_FILENO, "", text, (size_t)length);
}

enum audience { TO_ALL, TO_FILE }; /* stderr and the file, or the file alone if it takes it */

/* `reports` is NULL without a device. */
static void deliver_report(struct reports *reports, const char *text, enum audience audience)
{
    const char *path = host_variable("PENROSE_REPORT");
    const char *of = reports ? reports->of : "";
    size_t size = strlen(text), shown = head(text, STDERR_LINES);
    int error = path ? append_to_file(path, of, text, size) : 0;
    bool is_shown = audience == TO_ALL || error;
    if (is_shown) {
        write_line(STDERR_FILENO, of, text, shown);
    }
    if (is_shown && shown < size) {
        static const char more[] = "  ... (PENROSE_REPORT=FILE gets all of it)";
        write_line(STDERR_FILENO, "", more, sizeof more - 1);
    }
    if (error) {
        tell_lost(reports, path, error);
    }
}

void report_always(const char *text)
{
    deliver_report(NULL, text, TO_ALL);
}

static void report_plainly(struct device *device, const char *text)
{
    struct reports *reports = &device->reports;
    uint64_t hash = hash_text(text);
    if (reports->count == MOST_REPORTS || is_known(reports->seen, reports->count, hash)) {
        return;
    }
    reports->seen[reports->count++] = hash;
    deliver_report(reports, text, TO_ALL);
    if (reports->count == MOST_REPORTS) {
        deliver_report(
            reports,
            "that was the last report for this device, faults and hangs excepted; there have "
            "been too many",
            TO_ALL);
    }
}

void report_text(struct device *device, const char *text)
{
    if (device->machine->summary) {
        device->machine->summary->warnings++;
    }
    report_plainly(device, text);
}

static void tell_event(struct reports *reports, const char *text, uint64_t hash,
                       enum audience audience)
{
    if (reports->events == MOST_EVENTS ||
        (audience == TO_FILE && !host_variable("PENROSE_REPORT"))) {
        return;
    }
    reports->event[reports->events++] = hash;
    deliver_report(reports, text, audience);
    if (reports->events == MOST_EVENTS) {
        deliver_report(
            reports,
            "that was the last fault or hang that is reported for this device; there have "
            "been too many",
            TO_ALL);
    }
}

/* The text of a fault; false if it is known. */
static bool tell_fault_text(struct reports *reports, const char *text, enum audience audience)
{
    uint64_t hash = hash_text(text);
    bool is_new = !is_known(reports->event, reports->events, hash);
    if (is_new) {
        tell_event(reports, text, hash, audience);
    }
    return is_new;
}

void report_hang(struct device *device, const char *text)
{
    tell_event(&device->reports, text, hash_text(text), TO_ALL);
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

void report_note(struct device *device, const char *format, ...)
{
    char text[LINE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_plainly(device, text);
}

void report(struct device *device, const char *format, ...)
{
    char text[LINE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    plain_text(text, strlen(text));
    report_text(device, text);
}

void report_incomplete(struct device *device, const char *text)
{
    report(device, "%s", text);
    if (device->machine->summary) {
        device->machine->summary->incomplete++;
    }
}

/* --- Guest faults --- */

/* Without newlines at its end. */
static void trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '\n') {
        text[--size] = '\0';
    }
}

/* On stderr alone. */
static void tell_error_line(const struct penrose_fault *fault)
{
    char line[LINE_TEXT];
    if (error_line_wanted(fault)) {
        error_line_format(fault, line, sizeof line);
        struct iovec piece[] = {piece_of(line, strlen(line)), piece_of("\n", 1)};
        write_pieces(STDERR_FILENO, piece, 2);
    }
}

/* Where tiles run one program, stderr gets the mistakes of the first in full. */
static void tell_fault(struct device *device, const struct penrose_fault *fault)
{
    char text[FAULT_TEXT];
    penrose_fault_format(fault, text, sizeof text);
    trim(text);
    if (device->reports.events < MOST_EVENTS) {
        bool is_told = alike_has(&device->alike, fault);
        if (tell_fault_text(&device->reports, text, is_told ? TO_FILE : TO_ALL) && !is_told) {
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
    static const char each[] = "  (PENROSE_REPORT=FILE gets each of them)";
    for (unsigned i = 0; i < alike->groups; i++) {
        const struct alike_group *group = &alike->group[i];
        char text[LINE_TEXT];
        if (group->others > 0) {
            penrose_fault_format_others(&group->first, group->other, group->others, text,
                                        sizeof text);
            trim(text);
            write_line(STDERR_FILENO, device->reports.of, text, strlen(text));
        }
        if (group->others > 0 && !host_variable("PENROSE_REPORT")) {
            write_line(STDERR_FILENO, "", each, sizeof each - 1);
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

/* --- Polls in vain --- */

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
            trim(text);
        }
    }
    if (text) {
        report_hang(device, text);
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

/* --- The summary --- */

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
    length += snprintf(line + length, sizeof line - (size_t)length, "}\n");
    int error = append_to_file(summary->path, NULL, line, (size_t)length);
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
