/*
 * What the benchmarks share: chips behind the libttsim ABI, measurements in fresh processes,
 * figures with goals, options.
 *
 * A benchmark compares our library with any other that has the libttsim ABI, in one run and through
 * BAR accesses alone. All functions end the program with a message where something fails.
 */
#ifndef BENCH_H
#define BENCH_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPU time of the process in seconds. */
double bench_now(void);

/* The clock on the wall in seconds, from some time on. */
double bench_wall(void);

_Noreturn void bench_die(const char *what, const char *detail);

/* --- A chip behind the libttsim ABI --- */

struct bench_device {
    void *handle;
    void (*init)(void);
    void (*exit)(void);
    void (*clock)(uint32_t cycles);
    uint32_t (*config_read)(uint32_t function, uint32_t offset);
    void (*memory_read)(uint64_t address, void *bytes, uint32_t size);
    void (*memory_write)(uint64_t address, const void *bytes, uint32_t size);
    uint64_t bar0;
};

/* Tiles that are no DRAM, Ethernet and the like. */
enum { BENCH_WORKERS = 140 };

/* Values of SOFT_RESET_0: bits 11 to 14 hold B and T0 to T2, bit 18 NC. */
enum {
    BENCH_ALL_HELD = 0x47800,
    BENCH_BRISC_RUNS = 0x47000,
    BENCH_T0_HELD = 1 << 12, /* T1 and T2 follow */
    BENCH_B_HELD = 1 << 11,
    BENCH_NC_HELD = 1 << 18,
    BENCH_TRISCS_HELD = 7 * BENCH_T0_HELD,
};

/* A new chip; device->exit ends it. */
void bench_open(struct bench_device *device, const char *path);

/* Position of worker `index`, in the order of columns. */
void bench_worker(unsigned index, unsigned *x, unsigned *y);

void bench_write(struct bench_device *device, unsigned x, unsigned y, uint32_t address,
                 const void *bytes, uint32_t size);
void bench_write_word(struct bench_device *device, unsigned x, unsigned y, uint32_t address,
                      uint32_t word);
void bench_read(struct bench_device *device, unsigned x, unsigned y, uint32_t address, void *bytes,
                uint32_t size);
uint32_t bench_word(struct bench_device *device, unsigned x, unsigned y, uint32_t address);

/* Stores to SOFT_RESET_0. */
void bench_reset(struct bench_device *device, unsigned x, unsigned y, uint32_t held);

/* --- Measurements --- */

/* Calls body(job, answer) in a fresh process; `answer` is `size` bytes, zeroed before. */
typedef void bench_measure(const void *job, void *answer);
void bench_in_child(bench_measure *body, const void *job, void *answer, size_t size);

/* --- Options --- */

struct bench_options {
    const char *library, *reference, *json;
    const char *guests; /* folder of guest programs that are files */
    const char *only;   /* name of the one row to measure, where rows are guest programs */
    unsigned flows;     /* tiles that make its requests, in place of the row's; 0: the row's */
    const char *csv;    /* file that gets the rows, too, where rows are guest programs; or NULL */
    const char *costs;  /* of the chip, in timed runs; NULL: its own */
    bool guesses;   /* say what share of each row rests on guesses, where rows are guest programs */
    double seconds; /* of one measurement */
    bool check;
};

extern const struct argp bench_argp; /* its input is a struct bench_options */

/* The parser of a benchmark that has no options of its own. */
error_t bench_parse_none(int key, char *argument, struct argp_state *state);

/* Defaults: our library of this build, and $PENROSE_REFERENCE_LIB. */
struct bench_options bench_defaults(void);

/* --- Figures --- */

struct bench_figure {
    const char *name, *unit;
    double ours, reference, ratio;
    bool has_reference;
    bool is_not_judged; /* this host cannot reach the goal */
    bool good;          /* set by bench_report */
};

void bench_headings(void);

/* Names a figure, judges it by its row in goals.def and prints its line. */
struct bench_figure bench_report(struct bench_figure figure, const char *name, const char *title);

/* Writes --json. The exit code: with --check 1 when a goal is missed. */
int bench_finish(const struct bench_options *options, const struct bench_figure *figures,
                 unsigned count);

#endif
