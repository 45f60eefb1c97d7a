/* See trace_file.h. Lines are gathered, and written by as few calls as may be. */
#include "observe/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/error.h"
#include "observe/trace_text.h"

enum { BUFFER_BYTES = 1 << 16 };

struct trace_file {
    struct penrose_chip *chip;
    struct trace_text *text;
    int fd;
    pid_t process; /* that started it; a child that has a copy of this must not write */
    bool failed;
    size_t used;
    char buffer[BUFFER_BYTES];
};

static void write_out(struct trace_file *trace)
{
    size_t done = 0;
    bool is_own = trace->process == getpid();
    while (is_own && done < trace->used && !trace->failed) {
        ssize_t written = write(trace->fd, trace->buffer + done, trace->used - done);
        done += written > 0 ? (size_t)written : 0;
        trace->failed = written < 0 && errno != EINTR;
    }
    trace->used = 0;
}

static void take_event(void *context, const struct penrose_trace_event *event)
{
    struct trace_file *trace = context;
    if (BUFFER_BYTES - trace->used < TRACE_LINE_BYTES) {
        write_out(trace);
    }
    trace->used += trace_text_line(trace->text, event, trace->buffer + trace->used);
}

enum penrose_status trace_file_start(struct penrose_chip *chip, const char *path,
                                     struct trace_file **result, struct penrose_error *error)
{
    struct trace_file *trace = calloc(1, sizeof *trace);
    struct trace_text *text = trace_text_create(chip);
    *result = NULL;
    if (!trace || !text) {
        free(trace);
        trace_text_destroy(text);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        free(trace);
        trace_text_destroy(text);
        return error_set(error, PENROSE_E_FILE, "cannot write %s: %s", path, strerror(errno));
    }
    trace->chip = chip;
    trace->text = text;
    trace->fd = fd;
    trace->process = getpid();
    penrose_trace(chip, take_event, trace);
    *result = trace;
    return PENROSE_OK;
}

bool trace_file_stop(struct trace_file *trace)
{
    if (!trace) {
        return true;
    }
    penrose_trace(trace->chip, NULL, NULL);
    write_out(trace);
    bool failed = trace->failed | (close(trace->fd) != 0);
    trace_text_destroy(trace->text);
    free(trace);
    return !failed;
}
