/*
 * How texts reach the user, see report.h. The library must leave its process alone: nothing goes to
 * stdout, stdio buffers of the process are not touched, and files are open only while something is
 * added to them, so that fork and dlclose need no care. stderr gets at most STDERR_LINES lines of a
 * text.
 */
#include "abi/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/machine.h"
#include "host/environment.h"
#include "isa/plain_text.h"

enum { STDERR_LINES = 40 };

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

/* About `of`, which says which chip, or is "" where there is only one; NULL: the text as it is. */
static int write_line(int fd, const char *of, const char *text, size_t size)
{
    static const char prefix[] = "penrose: ";
    struct iovec piece[] = {piece_of(prefix, of ? sizeof prefix - 1 : 0),
                            piece_of(of, of ? strlen(of) : 0), piece_of(text, size),
                            piece_of("\n", 1)};
    return write_pieces(fd, piece, sizeof piece / sizeof *piece);
}

void report_line(const char *of, const char *text)
{
    write_line(STDERR_FILENO, of, text, strlen(text));
}

int report_append(const char *path, const char *of, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    int error = write_line(fd, of, text, strlen(text));
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
    char text[REPORT_BYTES];
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
    report_line("", text);
}

/* `reports` is NULL without a device. */
static void deliver_report(struct reports *reports, const char *text, enum report_audience audience)
{
    const char *path = host_variable("PENROSE_REPORT");
    const char *of = reports ? reports->of : "";
    size_t size = strlen(text), shown = head(text, STDERR_LINES);
    int error = path ? report_append(path, of, text) : 0;
    bool is_shown = audience == REPORT_TO_ALL || error;
    if (is_shown) {
        write_line(STDERR_FILENO, of, text, shown);
    }
    if (is_shown && shown < size) {
        report_line("", "  ... (PENROSE_REPORT=FILE gets all of it)");
    }
    if (error) {
        tell_lost(reports, path, error);
    }
}

void report_always(const char *text)
{
    deliver_report(NULL, text, REPORT_TO_ALL);
}

static void report_plainly(struct device *device, const char *text)
{
    struct reports *reports = &device->reports;
    uint64_t hash = hash_text(text);
    if (reports->count == MOST_REPORTS || is_known(reports->seen, reports->count, hash)) {
        return;
    }
    reports->seen[reports->count++] = hash;
    deliver_report(reports, text, REPORT_TO_ALL);
    if (reports->count == MOST_REPORTS) {
        deliver_report(
            reports,
            "that was the last report for this device, faults and hangs excepted; there have "
            "been too many",
            REPORT_TO_ALL);
    }
}

void report_event(struct device *device, const char *text, enum report_audience audience)
{
    struct reports *reports = &device->reports;
    if (reports->events == MOST_EVENTS ||
        (audience == REPORT_TO_FILE && !host_variable("PENROSE_REPORT"))) {
        return;
    }
    reports->event[reports->events++] = hash_text(text);
    deliver_report(reports, text, audience);
    if (reports->events == MOST_EVENTS) {
        deliver_report(
            reports,
            "that was the last fault or hang that is reported for this device; there have "
            "been too many",
            REPORT_TO_ALL);
    }
}

bool report_new_event(struct device *device, const char *text, enum report_audience audience)
{
    struct reports *reports = &device->reports;
    bool is_new = !is_known(reports->event, reports->events, hash_text(text));
    if (is_new) {
        report_event(device, text, audience);
    }
    return is_new;
}

void report_note(struct device *device, const char *format, ...)
{
    char text[REPORT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_plainly(device, text);
}

void report(struct device *device, const char *format, ...)
{
    char text[REPORT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    plain_text(text, strlen(text));
    if (device->machine->summary) {
        device->machine->summary->warnings++;
    }
    report_plainly(device, text);
}

void report_incomplete(struct device *device, const char *text)
{
    report(device, "%s", text);
    if (device->machine->summary) {
        device->machine->summary->incomplete++;
    }
}

void report_trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '\n') {
        text[--size] = '\0';
    }
}
