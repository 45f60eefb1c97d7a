/* What the benchmarks share; see bench.h. */
#include "bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "isa/host_time.h"

/* Of the process: what is measured by it runs in one thread, and other work on the host counts
 * less. */
double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double bench_wall(void)
{
    return (double)host_nanoseconds() * 1e-9;
}

_Noreturn void bench_die(const char *what, const char *detail)
{
    fprintf(stderr, "bench/%s: %s: %s\n", program_invocation_short_name, what, detail);
    exit(1);
}

/* --- A chip behind the libttsim ABI --- */

enum {
    WINDOW_SHIFT = 21, /* of the 2 MiB windows */
    WINDOW_REGISTERS = 0x1fc00000,
};
#define SOFT_RESET_0 UINT32_C(0xffb121b0)

static void symbol(const struct bench_device *device, const char *name, void *function)
{
    void *found = dlsym(device->handle, name);
    if (!found) {
        bench_die("library", dlerror());
    }
    memcpy(function, &found, sizeof found);
}

void bench_open(struct bench_device *device, const char *path)
{
    char full[PATH_MAX];
    setenv("PENROSE_THREADS", "1", 0); /* unless somebody has chosen */
    if (!realpath(path, full)) {
        bench_die(path, "no such library");
    }
    device->handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (!device->handle) {
        bench_die("dlopen", dlerror());
    }
    symbol(device, "libttsim_init", &device->init);
    symbol(device, "libttsim_exit", &device->exit);
    symbol(device, "libttsim_clock", &device->clock);
    symbol(device, "libttsim_pci_config_rd32", &device->config_read);
    symbol(device, "libttsim_pci_mem_rd_bytes", &device->memory_read);
    symbol(device, "libttsim_pci_mem_wr_bytes", &device->memory_write);
    device->init();
    device->bar0 = (uint64_t)device->config_read(0, 0x14) << 32;
    device->bar0 |= device->config_read(0, 0x10) & ~UINT32_C(15);
}

/* Points window 0 at an address of a tile and returns the bus address that reaches it. */
static uint64_t window(struct bench_device *device, unsigned x, unsigned y, uint32_t address)
{
    const uint32_t words[3] = {address >> WINDOW_SHIFT, x << 11 | y << 17, 0};
    for (unsigned i = 0; i < 3; i++) {
        device->memory_write(device->bar0 + WINDOW_REGISTERS + 4 * i, &words[i], 4);
    }
    return device->bar0 + (address & ((1u << WINDOW_SHIFT) - 1));
}

void bench_write(struct bench_device *device, unsigned x, unsigned y, uint32_t address,
                 const void *bytes, uint32_t size)
{
    device->memory_write(window(device, x, y, address), bytes, size);
}

void bench_write_word(struct bench_device *device, unsigned x, unsigned y, uint32_t address,
                      uint32_t word)
{
    bench_write(device, x, y, address, &word, 4);
}

void bench_read(struct bench_device *device, unsigned x, unsigned y, uint32_t address, void *bytes,
                uint32_t size)
{
    device->memory_read(window(device, x, y, address), bytes, size);
}

uint32_t bench_word(struct bench_device *device, unsigned x, unsigned y, uint32_t address)
{
    uint32_t word;
    bench_read(device, x, y, address, &word, 4);
    return word;
}

void bench_reset(struct bench_device *device, unsigned x, unsigned y, uint32_t held)
{
    bench_write_word(device, x, y, SOFT_RESET_0, held);
}

void bench_worker(unsigned index, unsigned *x, unsigned *y)
{
    unsigned column = index / 10;
    *x = column < 7 ? column + 1 : column + 3;
    *y = 2 + index % 10;
}

/* --- Measurements --- */

void bench_in_child(bench_measure *body, const void *job, void *answer, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) {
        bench_die("pipe", "no more files");
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        bench_die("fork", "no more processes");
    }
    memset(answer, 0, size);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) { /* libraries may chat */
            _exit(1);
        }
        body(job, answer);
        _exit(write(ends[1], answer, size) != (ssize_t)size);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], answer, size);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (got != (ssize_t)size || status != 0) {
        bench_die("child process", "ended before its measurement was done");
    }
}

/* --- Options --- */

enum { KEY_AGAINST = 256, KEY_LIBRARY, KEY_JSON, KEY_SECONDS, KEY_CHECK, KEY_GUESTS };

static const struct argp_option rows[] = {
    {"against", KEY_AGAINST, "PATH", 0,
     "Another library with the libttsim ABI (default: $PENROSE_REFERENCE_LIB)", 0},
    {"library", KEY_LIBRARY, "PATH", 0, "Our own library", 0},
    {"guests", KEY_GUESTS, "DIR", 0, "Where the guest programs are (default: firmware)", 0},
    {"json", KEY_JSON, "FILE", 0, "Write the figures as JSON too; - is stdout", 0},
    {"seconds", KEY_SECONDS, "S", 0, "Length of one measurement (default 1)", 0},
    {"check", KEY_CHECK, NULL, 0, "Exit with 1 when a goal is missed", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench_options *options = state->input;
    switch (key) {
    case KEY_AGAINST:
        options->reference = argument;
        return 0;
    case KEY_LIBRARY:
        options->library = argument;
        return 0;
    case KEY_GUESTS:
        options->guests = argument;
        return 0;
    case KEY_JSON:
        options->json = argument;
        return 0;
    case KEY_SECONDS:
        options->seconds = atof(argument);
        if (!(options->seconds > 0)) {
            argp_error(state, "--seconds takes a positive number");
        }
        return 0;
    case KEY_CHECK:
        options->check = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

error_t bench_parse_none(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = state->input;
    return 0;
}

const struct argp bench_argp = {.options = rows, .parser = parse};

struct bench_options bench_defaults(void)
{
    const char *reference = getenv("PENROSE_REFERENCE_LIB");
    return (struct bench_options){
        .library = ".libs/libttsim.so",
        .guests = "firmware",
        .reference = reference && *reference ? reference : NULL,
        .seconds = 1,
    };
}

/* --- Figures --- */

void bench_headings(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-44s %12s %12s %9s\n", "", "ours", "reference", "ratio");
}

/* --- Goals --- */

enum goal_kind { NO_GOAL, GOAL_RATIO, GOAL_LEAST, GOAL_BELOW };

static const struct goal {
    const char *name;
    enum goal_kind kind;
    double value;
} goals[] = {
#define RATIO(name, value) {#name, GOAL_RATIO, value},
#define LEAST(name, value) {#name, GOAL_LEAST, value},
#define BELOW(name, value) {#name, GOAL_BELOW, value},
#define NO_GOAL(name)      {#name, NO_GOAL, 0},
#include "goals.def"
#undef RATIO
#undef LEAST
#undef BELOW
#undef NO_GOAL
};

static const struct goal *goal_of(const char *name)
{
    for (unsigned i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        if (strcmp(goals[i].name, name) == 0) {
            return &goals[i];
        }
    }
    bench_die(name, "has no row in bench/goals.def");
}

static bool reaches(const struct bench_figure *figure, const struct goal *goal)
{
    switch (goal->kind) {
    case GOAL_RATIO:
        return !figure->has_reference || figure->ratio >= goal->value;
    case GOAL_LEAST:
        return figure->ours >= goal->value;
    case GOAL_BELOW:
        return figure->ours < goal->value;
    default:
        return true;
    }
}

struct bench_figure bench_report(struct bench_figure figure, const char *name, const char *title)
{
    static const char *const words[] = {"", "ratio ", "", "below "};
    const struct goal *goal = goal_of(name);
    char reference[32] = "-", ratio[32] = "-", wanted[64] = "";
    figure.name = name;
    figure.good = figure.is_not_judged || reaches(&figure, goal);
    if (goal->kind != NO_GOAL) {
        snprintf(wanted, sizeof wanted, "goal: %s%g%s", words[goal->kind], goal->value,
                 figure.is_not_judged ? ", not judged: see host" : "");
    }
    if (figure.has_reference) {
        snprintf(reference, sizeof reference, "%.3f", figure.reference);
        snprintf(ratio, sizeof ratio, "%.1f", figure.ratio);
    }
    printf("%-44s %12.3f %12s %9s  %-10s %s%s\n", title, figure.ours, reference, ratio, figure.unit,
           wanted, figure.good ? "" : "  MISSED");
    return figure;
}

static void write_json(const char *path, const struct bench_figure *figures, unsigned count)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!file) {
        bench_die(path, "cannot be written");
    }
    fprintf(file, "{\n");
    for (unsigned i = 0; i < count; i++) {
        const struct bench_figure *figure = &figures[i];
        fprintf(file, "  \"%s\": {\"unit\": \"%s\", \"ours\": %.6g", figure->name, figure->unit,
                figure->ours);
        if (figure->has_reference) {
            fprintf(file, ", \"reference\": %.6g, \"ratio\": %.6g", figure->reference,
                    figure->ratio);
        }
        fprintf(file, ", \"good\": %s}%s\n", figure->good ? "true" : "false",
                i + 1 < count ? "," : "");
    }
    fprintf(file, "}\n");
    if (file != stdout) {
        fclose(file);
    }
}

int bench_finish(const struct bench_options *options, const struct bench_figure *figures,
                 unsigned count)
{
    bool good = true;
    if (options->json) {
        write_json(options->json, figures, count);
    }
    for (unsigned i = 0; i < count; i++) {
        good = good && figures[i].good;
    }
    return options->check && !good;
}
