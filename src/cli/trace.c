/* `--trace`; what a line says is in observe/trace_text.h. */
#include "cli/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "observe/trace_text.h"

struct trace {
    struct penrose_chip *chip;
    const char *path; /* NULL: stderr */
    FILE *file;
    struct trace_text *text;
};

static void write_event(void *context, const struct penrose_trace_event *event)
{
    struct trace *trace = context;
    char line[TRACE_LINE_BYTES];
    fwrite(line, 1, trace_text_line(trace->text, event, line), trace->file);
}

static void free_trace(struct trace *trace)
{
    trace_text_destroy(trace->text);
    free(trace);
}

enum cli_exit trace_start(const struct cli *cli, struct penrose_chip *chip, const char *path,
                          struct trace **result)
{
    struct trace *trace = calloc(1, sizeof *trace);
    *result = NULL;
    if (trace) {
        trace->text = trace_text_create(chip);
    }
    if (!trace || !trace->text) {
        free(trace);
        return complain(cli, "--trace: no memory");
    }
    trace->chip = chip;
    trace->path = path;
    trace->file = path ? fopen(path, "w") : stderr;
    if (!trace->file) {
        complain(cli, "--trace: cannot write %s: %s", path, strerror(errno));
        free_trace(trace);
        return CLI_REFUSED;
    }
    penrose_trace(chip, write_event, trace);
    *result = trace;
    return CLI_DONE;
}

void trace_forget(struct trace *trace)
{
    if (trace) {
        trace_text_forget(trace->text);
    }
}

enum cli_exit trace_stop(const struct cli *cli, struct trace *trace)
{
    enum cli_exit exit = CLI_DONE;
    if (!trace) {
        return exit;
    }
    penrose_trace(trace->chip, NULL, NULL);
    bool failed = ferror(trace->file) != 0;
    failed |= (trace->path ? fclose(trace->file) : fflush(trace->file)) != 0;
    if (failed) {
        exit = complain(cli, "--trace: cannot write %s: %s", trace->path ? trace->path : "stderr",
                        strerror(errno));
    }
    free_trace(trace);
    return exit;
}
