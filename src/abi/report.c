/*
 * Diagnostics. The library must leave its process alone: nothing goes to stdout, stdio buffers of
 * the process are not touched, and the report file is open only while something is added to it, so
 * that fork and dlclose need no care. stderr gets at most STDERR_LINES lines of a text.
 */
#include "abi/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/device.h"

enum { STDERR_LINES = 40, LINE_TEXT = 1024 };

static void write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, text, size);
        if (written < 0 && errno != EINTR) {
            return; /* nowhere to complain */
        }
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
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

static void write_line(int fd, const char *text, size_t size)
{
    static const char prefix[] = "penrose: ";
    size_t length = sizeof prefix - 1 + size + 1;
    char *line = malloc(length);
    if (!line) {
        write_all(fd, text, size);
        write_all(fd, "\n", 1);
        return;
    }
    memcpy(line, prefix, sizeof prefix - 1);
    memcpy(line + sizeof prefix - 1, text, size);
    line[length - 1] = '\n';
    write_all(fd, line, length); /* at once, so that lines of several processes do not mix */
    free(line);
}

void report_always(const char *text)
{
    const char *path = getenv("PENROSE_REPORT");
    size_t size = strlen(text), shown = head(text, STDERR_LINES);
    write_line(STDERR_FILENO, text, shown);
    if (shown < size) {
        static const char more[] = "  ... (PENROSE_REPORT=FILE gets all of it)";
        write_line(STDERR_FILENO, more, sizeof more - 1);
    }
    if (path && *path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd >= 0) {
            write_line(fd, text, size);
            close(fd);
        }
    }
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

void report_text(struct device *device, const char *text)
{
    struct reports *reports = &device->reports;
    uint64_t hash = hash_text(text);
    if (reports->count == MOST_REPORTS) {
        return;
    }
    for (unsigned i = 0; i < reports->count; i++) {
        if (reports->seen[i] == hash) {
            return;
        }
    }
    reports->seen[reports->count++] = hash;
    report_always(text);
    if (reports->count == MOST_REPORTS) {
        report_always("that was the last report for this device; there have been too many");
    }
}

void report(struct device *device, const char *format, ...)
{
    char text[LINE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_text(device, text);
}
