/* See file.h. Lines are gathered, and written by as few calls as may be. */
#include "observe/trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/files.h"
#include "chip/calls.h"
#include "isa/error.h"
#include "observe/inside.h"
#include "observe/profile/perfetto.h"
#include "observe/profile/profile.h"
#include "observe/trace/filter.h"
#include "observe/trace/text.h"
#include "observe/trace/writer.h"

enum { BUFFER_BYTES = 1 << 16, FILTER_BYTES = 4096 };

typedef void profile_form(const struct profile *profile, FILE *file);

struct trace_file {
    struct penrose_chip *chip; /* NULL: it gets the events of another file */
    struct trace_text *text;   /* one of these three */
    struct trace_writer *binary;
    struct profile *profile;
    profile_form *show;        /* in the form that was asked for; NULL: that is Perfetto's, */
    struct perfetto *perfetto; /* which is written as events come */
    int fd;
    pid_t process;    /* that started it; a child that has a copy of this must not write */
    int error;        /* errno of what has failed; 0: nothing */
    char *path;       /* of a file that is this trace alone, else NULL */
    char *operations; /* in which the host tells them; NULL: it does not */
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

/* --- Gathering --- */

static void write_gathered(struct trace_file *trace)
{
    write_to_trace(trace, trace->buffer, trace->used);
    trace->used = 0;
}

static void gather_bytes(void *context, const void *bytes, size_t size)
{
    struct trace_file *trace = context;
    if (BUFFER_BYTES - trace->used < size) {
        write_gathered(trace);
    }
    if (size <= BUFFER_BYTES) {
        memcpy(trace->buffer + trace->used, bytes, size);
        trace->used += size;
    }
}

static void take_line(struct trace_file *trace, const struct penrose_trace_event *event)
{
    trace->used += trace_text_line(trace->text, event, trace->buffer + trace->used);
    if (trace->fd == STDERR_FILENO || BUFFER_BYTES - trace->used < TRACE_LINE_BYTES) {
        write_gathered(trace);
    }
}

void trace_file_take(void *context, const struct penrose_trace_event *event)
{
    struct trace_file *trace = context;
    if (trace->text) {
        take_line(trace, event);
    } else if (trace->binary) {
        trace_writer_add(trace->binary, event);
    } else {
        profile_take(trace->profile, event);
        if (trace->perfetto) {
            perfetto_take(trace->perfetto, event);
        }
    }
}

/* --- Forms --- */

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = path ? strlen(path) : 0, tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

/* Of profiles, by the ends of their files' names; of two that fit, the longer one comes first. */
static const struct {
    const char *ending;
    profile_form *show; /* when all is over; NULL: it is written as events come */
} profile_forms[] = {{".html", profile_page},
                     {".ops.csv", profile_operations},
                     {"_log_device.csv", profile_device_log},
                     {".csv", profile_table},
                     {".pftrace", NULL}};

enum { PROFILE_FORMS = sizeof profile_forms / sizeof *profile_forms };

/* The number of a form; PROFILE_FORMS: it is text. */
static unsigned find_form(const char *path)
{
    unsigned form = 0;
    while (form < PROFILE_FORMS && !ends_in(path, profile_forms[form].ending)) {
        form++;
    }
    return form;
}

/* The end of the path that tells its form, with its dots: ".ops.csv" of "x.y.ops.csv"; "": it has none. */
static const char *find_ending(const char *path)
{
    const unsigned form = find_form(path);
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *end = path + strlen(path);
    return form < PROFILE_FORMS ? end - strlen(profile_forms[form].ending) : dot ? dot : end;
}

const char *trace_file_of_chip(const char *path, unsigned chip, char *own)
{
    const char *end = find_ending(path);
    if (chip == 0) {
        return path;
    }
    snprintf(own, PATH_MAX, "%.*s.chip%u%s", (int)(end - path), path, chip, end);
    return own;
}

static bool choose_form(struct trace_file *trace, const struct chip_calls *calls,
                        const struct trace_file_options *options)
{
    const unsigned form = find_form(options->path);
    if (!options->is_profile && ends_in(options->path, ".ptrace")) {
        trace->binary = trace_writer_create(write_to_trace, trace);
    } else if (!options->is_profile) {
        trace->text = trace_text_create(calls);
    } else {
        const struct profile_peaks peaks =
            trace->chip ? calls->inside->profile_peaks(trace->chip) : (struct profile_peaks){0};
        trace->profile = profile_create(calls, options->chip, &peaks);
        trace->show = options->is_perfetto   ? NULL
                      : form < PROFILE_FORMS ? profile_forms[form].show
                                             : profile_text;
        trace->perfetto = trace->show ? NULL : perfetto_create(calls, gather_bytes, trace);
        return trace->profile && (trace->show || trace->perfetto);
    }
    return trace->binary || trace->text;
}

/* What is no file, such as a pipe, cannot be emptied. */
static void empty_file(struct trace_file *trace)
{
    if (ftruncate(trace->fd, 0) != 0 && errno != EINVAL) {
        trace->error = errno;
    }
}

static void write_profile(struct trace_file *trace)
{
    char *bytes = NULL;
    size_t size = 0;
    bool is_wanted =
        !trace->profile->is_empty || trace->path; /* hosts open chips that they do not use */
    bool is_own = trace->process == getpid();
    FILE *file = is_own && is_wanted ? open_memstream(&bytes, &size) : NULL;
    if (file) {
        trace->show(trace->profile, file);
        bool is_whole = fclose(file) == 0;
        trace->error = is_whole ? trace->error : ENOMEM;
        if (is_whole && !trace->path && trace->show != profile_text) {
            empty_file(trace);
        }
        write_to_trace(trace, bytes, is_whole ? size : 0);
    }
    free(bytes);
}

/* --- Begin and end --- */

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
    perfetto_destroy(trace->perfetto);
    profile_destroy(trace->profile);
    free(trace->path);
    free(trace->operations);
    free(trace);
    errno = error ? error : errno;
    return !error;
}

/* A file that takes events of a chip (NULL: of a trace); NULL: none, and *error says why. */
static struct trace_file *open_trace(const struct chip_calls *calls, struct penrose_chip *chip,
                                     const struct trace_file_options *options,
                                     struct penrose_error *error)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options->appends ? O_APPEND : O_TRUNC);
    struct trace_file *trace = calloc(1, sizeof *trace);
    if (!trace) {
        error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
        return NULL;
    }
    trace->chip = chip;
    trace->process = getpid();
    trace->fd = options->path ? open(options->path, flags, 0666) : STDERR_FILENO;
    trace->path = options->path && !options->appends ? strdup(options->path) : NULL;
    trace->operations = options->operations ? strdup(options->operations) : NULL;
    if (trace->fd < 0) {
        error_set(error, PENROSE_E_FILE, "cannot write %s: %s", options->path, strerror(errno));
    } else if (!choose_form(trace, calls, options)) {
        error_set(error, PENROSE_E_MEMORY, "no memory for a trace");
    } else {
        return trace;
    }
    close_file(trace);
    return NULL;
}

enum penrose_status trace_file_start(struct penrose_chip *chip,
                                     const struct trace_file_options *options,
                                     struct trace_file **result, struct penrose_error *error)
{
    struct trace_filter filter;
    char text[FILTER_BYTES];
    enum penrose_status status = trace_filter_parse(options->filter, &filter, error);
    *result = NULL;
    if (status != PENROSE_OK) {
        return status; /* before a file is emptied */
    }
    struct trace_file *trace = open_trace(chip_calls_of(chip), chip, options, error);
    if (!trace) {
        return error->status;
    }
    snprintf(text, sizeof text, "%s %s", options->is_profile ? PROFILE_FILTER : "",
             options->filter ? options->filter : "");
    status = chip_calls_of(chip)->trace(chip, text, trace_file_take, trace, error);
    if (status != PENROSE_OK) {
        close_file(trace);
        return status;
    }
    *result = trace;
    return PENROSE_OK;
}

struct trace_file *trace_file_profile(const struct trace_file_options *options,
                                      const struct chip_calls *calls, struct penrose_error *error)
{
    return open_trace(calls, NULL,
                      &(struct trace_file_options){.path = options->path,
                                                   .is_profile = true,
                                                   .is_perfetto = options->is_perfetto,
                                                   .operations = options->operations},
                      error);
}

/* Those of this process, or of a trace, which does not tell whose it is, of any. A host that has called no
 * operation may have written no file: then launches have the names that they have without. */
static void know_operations(struct trace_file *trace)
{
    const long process = trace->chip ? (long)trace->process : 0;
    if (trace->operations) {
        (void)profile_know_operations(trace->profile, trace->operations, process);
    }
}

bool trace_file_stop(struct trace_file *trace)
{
    if (!trace) {
        return true;
    }
    if (trace->chip) {
        (void)chip_calls_of(trace->chip)->trace(trace->chip, NULL, NULL, NULL, NULL);
    }
    if (trace->binary) {
        trace_writer_flush(trace->binary);
    }
    if (trace->profile) {
        know_operations(trace);
        profile_end(trace->profile);
    }
    if (trace->perfetto) {
        perfetto_end(trace->perfetto, trace->profile);
    } else if (trace->profile) {
        write_profile(trace);
    }
    write_gathered(trace);
    return close_file(trace);
}
