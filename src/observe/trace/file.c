/* See file.h. Lines are gathered, and written by as few calls as may be. */
#include "observe/trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/files.h"
#include "chip/calls.h"
#include "isa/error.h"
#include "observe/trace/filter.h"
#include "observe/trace/text.h"
#include "observe/trace/writer.h"

enum { BUFFER_BYTES = 1 << 16 };

struct trace_file {
    struct penrose_chip *chip;
    struct trace_text *text; /* one of the two */
    struct trace_writer *binary;
    int fd;
    pid_t process; /* that started it; a child that has a copy of this must not write */
    int error;     /* errno of what has failed; 0: nothing */
    char *path;    /* of a file that is this trace alone, else NULL */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static void write_to_trace(void *context, const void *bytes, size_t size)
{
    struct trace_file *trace = context;
    bool is_own = trace->process == getpid();
    if (is_own && !trace->error && !host_write_all(trace->fd, bytes, size)) {
        trace->error = errno;
    }
}

static void write_lines(struct trace_file *trace)
{
    write_to_trace(trace, trace->buffer, trace->used);
    trace->used = 0;
}

static void take_line(void *context, const struct penrose_trace_event *event)
{
    struct trace_file *trace = context;
    trace->used += trace_text_line(trace->text, event, trace->buffer + trace->used);
    if (trace->fd == STDERR_FILENO || BUFFER_BYTES - trace->used < TRACE_LINE_BYTES) {
        write_lines(trace);
    }
}

static void take_record(void *context, const struct penrose_trace_event *event)
{
    const struct trace_file *trace = context;
    trace_writer_add(trace->binary, event);
}

static bool is_binary(const char *path)
{
    size_t length = path ? strlen(path) : 0, suffix = sizeof TRACE_FILE_SUFFIX - 1;
    return length > suffix && strcmp(path + length - suffix, TRACE_FILE_SUFFIX) == 0;
}

static enum penrose_status open_file(struct trace_file *trace,
                                     const struct trace_file_options *options,
                                     struct penrose_error *error)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options->appends ? O_APPEND : O_TRUNC);
    if (is_binary(options->path)) {
        trace->binary = trace_writer_create(write_to_trace, trace);
    } else {
        trace->text = trace_text_create(chip_calls_of(trace->chip));
    }
    if (!trace->binary && !trace->text) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
    }
    trace->path = options->path && !options->appends ? strdup(options->path) : NULL;
    trace->fd = options->path ? open(options->path, flags, 0666) : STDERR_FILENO;
    return trace->fd >= 0 ? PENROSE_OK
                          : error_set(error, PENROSE_E_FILE, "cannot write %s: %s", options->path,
                                      strerror(errno));
}

static bool close_file(struct trace_file *trace)
{
    bool is_open = trace->fd > STDERR_FILENO;
    if (is_open && trace->error && trace->path) {
        host_discard_file(trace->fd, trace->path);
    }
    int error = is_open && close(trace->fd) != 0 ? errno : 0;
    error = trace->error ? trace->error : error;
    trace_text_destroy(trace->text);
    trace_writer_destroy(trace->binary);
    free(trace->path);
    free(trace);
    errno = error ? error : errno;
    return !error;
}

enum penrose_status trace_file_start(struct penrose_chip *chip,
                                     const struct trace_file_options *options,
                                     struct trace_file **result, struct penrose_error *error)
{
    struct trace_filter filter;
    struct trace_file *trace = NULL;
    enum penrose_status status = trace_filter_parse(options->filter, &filter, error);
    *result = NULL;
    if (status != PENROSE_OK) {
        return status; /* before a file is emptied */
    }
    trace = calloc(1, sizeof *trace);
    if (!trace) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
    }
    trace->chip = chip;
    trace->process = getpid();
    trace->fd = -1;
    status = open_file(trace, options, error);
    if (status == PENROSE_OK) {
        status = chip_calls_of(chip)->trace(chip, options->filter,
                                            trace->binary ? take_record : take_line, trace, error);
    }
    if (status != PENROSE_OK) {
        close_file(trace);
        return status;
    }
    *result = trace;
    return PENROSE_OK;
}

bool trace_file_stop(struct trace_file *trace)
{
    if (!trace) {
        return true;
    }
    (void)chip_calls_of(trace->chip)->trace(trace->chip, NULL, NULL, NULL, NULL);
    write_lines(trace);
    if (trace->binary) {
        trace_writer_flush(trace->binary);
    }
    return close_file(trace);
}
