/*
 * Speed and size of a whole chip, in one run, as ratios to any other library with the libttsim ABI.
 *
 * Time is by the clock on the wall, as a user waits: our library has as many threads as it takes by
 * itself, or as --threads says.
 *
 * Figures:
 *   boot            time in the library while a host boots firmware on 140 workers and 12 Ethernet
 *                   tiles (boot.h), which computes between the resets of workers and all else as
 *                   tt-metal's does: that for 130 to 200 ms, this one for BOOT_PAUSE. Threads of a
 *                   library may go on meanwhile. The goal, a ratio of 3, is for tt-metal's own host:
 *                   `COUNT=1 tests/clients/ttnn.sh`. There ttsim takes longer than here
 *   boot_at_once    the same for a host that only calls
 *   boot_all        that with libttsim_init and libttsim_exit
 *   memory          what the process grows by until all have booted
 *   copy            56 workers of a booted chip that copy DRAM to DRAM (copy.h), in place of the
 *                   firmware of their BRISCs and NCRISCs
 *   copy_bare       the same on a chip where nothing else runs
 *   copy_kernels    56 workers of a booted chip run the copy of examples/copy.json under tt-metal's
 *                   firmware (kernels.h)
 *   hart            one hart in a loop, on a worker among 139 that have booted and wait
 *   threads_harts   time with one thread to that with two (PENROSE_THREADS), 110 workers
 *                   that copy DRAM to DRAM while their TRISCs compute
 *   threads_matrix  the same, whose TRISCs multiply matrices
 * The last two are of our library alone, and are judged only where the host can run two at once.
 * Figures that need firmware are left out where there is none (scripts/fetch-firmware).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/libttsim.h"
#include "boot.h"
#include "copy.h"
#include "guest.h"
#include "host.h"
#include "host/processors.h"
#include "kernels.h"
#include "product.h"

enum {
    COPIERS = 56,
    BUSY = 110,
    PAGES = 256, /* of a worker */
    TURNS = 500000,
    TURNS_AGAINST = 20000, /* where all harts cost time */
    TURNS_OF_TRISCS = 100000,
    PHASES = 4,
    INNER = 8,
    LOOP_INSTRUCTIONS = 10,
    REPETITIONS = 9, /* a host that others use too is quiet now and then */
    SETTLE = 5000,   /* cycles after which the TRISCs of booted workers wait too */
    MOST_FIGURES = 10,
};

#define BOOT_PAUSE 0.05 /* seconds */

struct settings {
    struct bench_options common;
    const char *firmware, *kernels;
    unsigned threads; /* of our library */
};

struct job {
    const struct settings *settings;
    const char *library;
    const struct boot *boot;
    struct kernels *kernels;
    double pause; /* of a host that boots */
    uint32_t turns;
    unsigned threads;
    bool multiplies;
};

struct answer {
    double seconds;
    double all; /* with init and exit */
    double mebibytes;
};

/* --- A loop for a hart --- */

enum {
    LOOP_CODE = 0x10000, /* of T0 or B; the others follow in steps of GUEST_CODE_STEP */
    LOOP_MAILBOX = 0x8500,
    LOOP_MAILBOX_STEP = 0x10,
    LOOP_TURNS = 0,
    LOOP_DONE = 4,
    LOOP_RESULT = 8,
};

#define TRISC_RESET_PC          UINT32_C(0xffb12228) /* T1 and T2 follow */
#define TRISC_RESET_PC_OVERRIDE UINT32_C(0xffb12234)

static void loop_load(struct bench_device *device, unsigned x, unsigned y, unsigned i,
                      uint32_t turns)
{
    static const char *const body[] = {"add t0, t0, t1",  "xor t1, t1, t0", "slli t2, t0, 3",
                                       "add t1, t1, t2",  "srli t3, t1, 5", "xor t0, t0, t3",
                                       "addi t0, t0, 13", "sub t1, t1, t3", "addi a1, a1, -1"};
    struct guest_code *code = calloc(1, sizeof *code);
    const uint32_t mailbox = LOOP_MAILBOX + i * LOOP_MAILBOX_STEP, words[] = {turns, 0, 0};
    if (!code) {
        bench_die("guest program", "no memory");
    }
    code->base = LOOP_CODE + i * GUEST_CODE_STEP;
    guest_load(code, "a0", mailbox);
    guest_emit(code, "lw a1, %d(a0)", LOOP_TURNS);
    guest_emit(code, "addi t0, zero, 1");
    guest_emit(code, "addi t1, zero, 2");
    uint32_t loop = code->base + 4 * code->words;
    for (unsigned j = 0; j < sizeof body / sizeof body[0]; j++) {
        guest_emit(code, "%s", body[j]);
    }
    guest_emit(code, "bne a1, zero, %u", loop);
    guest_emit(code, "sw t0, %d(a0)", LOOP_RESULT);
    guest_emit(code, "addi t0, zero, 1");
    guest_emit(code, "sw t0, %d(a0)", LOOP_DONE);
    uint32_t here = guest_emit(code, "addi zero, zero, 0");
    guest_emit(code, "jal zero, %u", here);
    bench_write(device, x, y, code->base, code->word, 4 * code->words);
    bench_write(device, x, y, mailbox, words, sizeof words);
    free(code);
}

static bool loop_is_done(struct bench_device *device, unsigned x, unsigned y, unsigned i)
{
    return bench_word(device, x, y, LOOP_MAILBOX + i * LOOP_MAILBOX_STEP + LOOP_DONE) != 0;
}

/* What the loop must compute. */
static bool loop_is_right(struct bench_device *device, unsigned x, unsigned y, unsigned i,
                          uint32_t turns)
{
    uint32_t a = 1, b = 2;
    for (uint32_t turn = 0; turn < turns; turn++) {
        a += b;
        b = (b ^ a) + (a << 3);
        uint32_t c = b >> 5;
        a = (a ^ c) + 13;
        b -= c;
    }
    return bench_word(device, x, y, LOOP_MAILBOX + i * LOOP_MAILBOX_STEP + LOOP_RESULT) == a;
}

/* --- What children measure --- */

/* MiB of memory that the process has now. */
static double resident(void)
{
    unsigned long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &size, &pages) != 2) {
        bench_die("/proc/self/statm", "cannot be read");
    }
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void measure_boot(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    double before = resident(), start = bench_wall();
    bench_open(&device, job->library);
    boot_probe(&device);
    double opened = bench_wall();
    double paused = boot_chip(&device, job->boot, job->pause);
    answer->seconds = bench_wall() - opened - paused;
    answer->mebibytes = resident() - before;
    device.exit();
    answer->all = bench_wall() - start - paused;
}

/* Lets time pass until every one of the first `workers` workers is done. */
static void run(struct bench_device *device, const struct job *job, unsigned workers,
                uint32_t slice, bool is_done(struct bench_device *, const struct job *, unsigned))
{
    uint64_t cycles = 0;
    for (unsigned done = 0; done < workers; cycles += slice) {
        if (cycles > UINT64_C(1) << 32) {
            bench_die(job->library, "the programs do not end");
        }
        device->clock(slice);
        while (done < workers && is_done(device, job, done)) {
            done++;
        }
    }
}

static bool has_copied(struct bench_device *device, const struct job *job, unsigned worker)
{
    (void)job;
    return copy_is_done(device, worker);
}

static void measure_copy(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    unsigned x, y;
    uint32_t held = job->boot ? 0 : BENCH_TRISCS_HELD; /* besides BRISC and NCRISC */
    bench_open(&device, job->library);
    copy_fill(&device, COPIERS, PAGES);
    if (job->boot) {
        boot_workers(&device, job->boot, 0, BENCH_WORKERS - 1);
        device.clock(SETTLE);
    }
    for (unsigned i = 0; i < COPIERS; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, BENCH_B_HELD | BENCH_NC_HELD | held);
        copy_load(&device, i, PAGES);
    }
    double start = bench_wall();
    for (unsigned i = 0; i < COPIERS; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, held);
    }
    run(&device, job, COPIERS, 1000, has_copied);
    answer->seconds = bench_wall() - start;
    if (!copy_is_right(&device, COPIERS, PAGES)) {
        bench_die(job->library, "pages were not copied");
    }
    device.exit();
}

static bool has_run(struct bench_device *device, const struct job *job, unsigned worker)
{
    return kernels_are_done(device, job->kernels, worker);
}

static void measure_kernels(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    bench_open(&device, job->library);
    copy_fill(&device, COPIERS, PAGES);
    boot_workers(&device, job->boot, 0, BENCH_WORKERS - 1);
    device.clock(SETTLE);
    double start = bench_wall();
    for (unsigned i = 0; i < COPIERS; i++) {
        kernels_launch(&device, job->kernels, i, COPIERS, PAGES * COPIERS);
    }
    run(&device, job, COPIERS, 1000, has_run);
    answer->seconds = bench_wall() - start;
    if (!copy_is_right(&device, COPIERS, PAGES)) {
        bench_die(job->library, "pages were not copied");
    }
    device.exit();
}

static bool has_looped(struct bench_device *device, const struct job *job, unsigned worker)
{
    unsigned x, y;
    (void)job;
    bench_worker(worker, &x, &y);
    return loop_is_done(device, x, y, 0);
}

static void measure_hart(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    const uint32_t jump = 0x0001006f; /* jal zero, LOOP_CODE: where BRISC starts */
    unsigned x, y;
    bench_open(&device, job->library);
    boot_workers(&device, job->boot, 1, BENCH_WORKERS - 1);
    device.clock(SETTLE);
    bench_worker(0, &x, &y);
    bench_reset(&device, x, y, BENCH_ALL_HELD);
    loop_load(&device, x, y, 0, job->turns);
    bench_write_word(&device, x, y, 0, jump);
    bench_reset(&device, x, y, BENCH_BRISC_RUNS);
    double start = bench_wall();
    run(&device, job, 1, job->turns / 10, has_looped);
    answer->seconds = bench_wall() - start;
    if (!loop_is_right(&device, x, y, 0, job->turns)) {
        bench_die(job->library, "the loop computed something else");
    }
    device.exit();
}

/* --- Threads --- */

static void load_busy(struct bench_device *device, const struct job *job, unsigned worker)
{
    unsigned x, y;
    bench_worker(worker, &x, &y);
    bench_reset(device, x, y, BENCH_ALL_HELD);
    copy_load(device, worker, PAGES);
    if (job->multiplies) {
        product_load(device, x, y, job->settings->common.guests, PHASES, INNER);
        return;
    }
    bench_write_word(device, x, y, TRISC_RESET_PC_OVERRIDE, 7);
    for (unsigned i = 0; i < GUEST_THREADS; i++) {
        loop_load(device, x, y, i, TURNS_OF_TRISCS);
        bench_write_word(device, x, y, TRISC_RESET_PC + 4 * i, LOOP_CODE + i * GUEST_CODE_STEP);
    }
}

static bool is_idle(struct bench_device *device, const struct job *job, unsigned worker)
{
    unsigned x, y;
    bool is_done = copy_is_done(device, worker);
    bench_worker(worker, &x, &y);
    for (unsigned i = 0; i < GUEST_THREADS && is_done; i++) {
        is_done =
            job->multiplies ? product_is_done(device, x, y, i) : loop_is_done(device, x, y, i);
    }
    return is_done;
}

static void use_threads(unsigned threads)
{
    char text[16];
    snprintf(text, sizeof text, "%u", threads);
    setenv("PENROSE_THREADS", text, 1);
}

static void measure_threads(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    unsigned x, y;
    use_threads(job->threads);
    bench_open(&device, job->library);
    copy_fill(&device, BUSY, PAGES);
    for (unsigned i = 0; i < BUSY; i++) {
        load_busy(&device, job, i);
    }
    double start = bench_wall();
    for (unsigned i = 0; i < BUSY; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, 0);
    }
    run(&device, job, BUSY, 1000, is_idle);
    answer->seconds = bench_wall() - start;
    if (!copy_is_right(&device, BUSY, PAGES)) {
        bench_die(job->library, "pages were not copied");
    }
    device.exit();
}

/* --- Figures --- */

/* The best of both libraries, in turns. */
static struct bench_figure compare(const struct job *job, bench_measure *body, struct answer *ours,
                                   struct answer *reference)
{
    struct job theirs = *job;
    struct bench_figure figure = {.has_reference = job->settings->common.reference, .good = true};
    theirs.library = job->settings->common.reference;
    theirs.turns = TURNS_AGAINST;
    for (unsigned i = 0; i < REPETITIONS; i++) {
        struct answer answer;
        bench_in_child(body, job, &answer, sizeof answer);
        *ours = i == 0 || answer.seconds < ours->seconds ? answer : *ours;
        if (figure.has_reference) {
            bench_in_child(body, &theirs, &answer, sizeof answer);
            *reference = i == 0 || answer.seconds < reference->seconds ? answer : *reference;
        }
    }
    return figure;
}

/* Fills in a figure of which more is better. */
static struct bench_figure speeds(struct bench_figure figure, double ours, double reference,
                                  const char *unit)
{
    figure.unit = unit;
    figure.ours = ours;
    if (figure.has_reference) {
        figure.reference = reference;
        figure.ratio = ours / reference;
    }
    return figure;
}

/* And of which less is. */
static struct bench_figure times(struct bench_figure figure, double ours, double reference,
                                 const char *unit)
{
    figure = speeds(figure, ours, reference, unit);
    figure.ratio = figure.has_reference ? reference / ours : 0;
    return figure;
}

static unsigned boot_figures(const struct job *job, struct bench_figure *figures)
{
    struct job slow = *job;
    struct answer ours, reference = {0};
    slow.pause = BOOT_PAUSE;
    struct bench_figure boot = compare(&slow, measure_boot, &ours, &reference);
    figures[0] = bench_report(times(boot, 1e3 * ours.seconds, 1e3 * reference.seconds, "ms"),
                              "boot", "firmware boots on the chip (140 + 12 tiles)");
    boot = compare(job, measure_boot, &ours, &reference);
    figures[1] = bench_report(times(boot, 1e3 * ours.seconds, 1e3 * reference.seconds, "ms"),
                              "boot_at_once", "the same, by a host that only calls");
    figures[2] = bench_report(times(boot, 1e3 * ours.all, 1e3 * reference.all, "ms"), "boot_all",
                              "that, with init and exit");
    struct bench_figure memory = times(boot, ours.mebibytes, reference.mebibytes, "MiB");
    figures[3] = bench_report(memory, "memory", "memory of a booted chip");
    return 4;
}

static struct bench_figure copy_figure(const struct job *job, bool is_booted)
{
    static const char *const names[] = {"copy_bare", "copy"};
    static const char *const titles[] = {"56 workers copy DRAM to DRAM, alone",
                                         "56 workers copy DRAM to DRAM, 140 booted"};
    struct job copy = *job;
    copy.boot = is_booted ? job->boot : NULL;
    const double pages = PAGES * COPIERS / 1e3;
    struct answer ours, reference = {.seconds = 1};
    struct bench_figure figure = compare(&copy, measure_copy, &ours, &reference);
    figure = speeds(figure, pages / ours.seconds, pages / reference.seconds, "k pages/s");
    return bench_report(figure, names[is_booted], titles[is_booted]);
}

static struct bench_figure kernels_figure(const struct job *job)
{
    const double pages = PAGES * COPIERS / 1e3;
    struct answer ours, reference = {.seconds = 1};
    struct bench_figure figure = compare(job, measure_kernels, &ours, &reference);
    figure = speeds(figure, pages / ours.seconds, pages / reference.seconds, "k pages/s");
    return bench_report(figure, "copy_kernels", "56 workers run kernels that copy");
}

static struct bench_figure hart_figure(const struct job *job)
{
    struct job loop = *job;
    struct answer ours, reference = {.seconds = 1};
    loop.turns = TURNS;
    struct bench_figure figure = compare(&loop, measure_hart, &ours, &reference);
    figure = speeds(figure, LOOP_INSTRUCTIONS * TURNS / 1e6 / ours.seconds,
                    LOOP_INSTRUCTIONS * TURNS_AGAINST / 1e6 / reference.seconds, "M instr/s");
    return bench_report(figure, "hart", "a hart among 139 booted workers");
}

static struct bench_figure threads_figure(const struct job *job, bool multiplies, double capacity)
{
    static const char *const names[] = {"threads_harts", "threads_matrix"};
    static const char *const titles[] = {"2 threads to 1: copies, harts compute",
                                         "2 threads to 1: copies, matrix products"};
    struct answer one = {.seconds = 1e9}, two = one, answer;
    struct job some = *job;
    some.multiplies = multiplies;
    for (unsigned i = 0; i < 2 * REPETITIONS; i++) {
        some.threads = 1;
        bench_in_child(measure_threads, &some, &answer, sizeof answer);
        one = answer.seconds < one.seconds ? answer : one;
        some.threads = 2;
        bench_in_child(measure_threads, &some, &answer, sizeof answer);
        two = answer.seconds < two.seconds ? answer : two;
    }
    struct bench_figure figure = {.unit = "times", .ours = one.seconds / two.seconds};
    figure.is_not_judged = !host_has_two_cores(capacity);
    return bench_report(figure, names[multiplies], titles[multiplies]);
}

/* --- Options --- */

enum { KEY_FIRMWARE = 0x200, KEY_KERNELS, KEY_THREADS };

static const struct argp_option rows[] = {
    {"firmware", KEY_FIRMWARE, "DIR", 0, "A tt-metal firmware set (default: one in the cache)", 0},
    {"kernels", KEY_KERNELS, "DIR", 0,
     "What scripts/link-kernels makes of firmware/grid/copy for that set", 0},
    {"threads", KEY_THREADS, "N", 0,
     "Threads of our library (default: as many as it takes by itself)", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &settings->common;
        return 0;
    case KEY_FIRMWARE:
        settings->firmware = argument;
        return 0;
    case KEY_KERNELS:
        settings->kernels = argument;
        return 0;
    case KEY_THREADS:
        settings->threads = (unsigned)atoi(argument);
        if (settings->threads < 1) {
            argp_error(state, "--threads takes a number from 1 on");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = rows,
                              .parser = parse,
                              .doc = "Measures the speed of a whole chip.",
                              .children = children};
    struct settings settings = {.common = bench_defaults()};
    struct bench_figure figures[MOST_FIGURES];
    unsigned count = 0;
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    if (!settings.threads) {
        settings.threads = host_processors(LIBTTSIM_THREADS);
    }
    use_threads(settings.threads);
    char *found = settings.firmware ? NULL : boot_find();
    const char *firmware = settings.firmware ? settings.firmware : found;
    struct boot *boot = firmware ? boot_open(firmware) : NULL;
    struct job job = {.settings = &settings, .library = settings.common.library, .boot = boot};
    bench_headings();
    if (boot) {
        count = boot_figures(&job, figures);
        figures[count++] = copy_figure(&job, true);
        if (settings.kernels) {
            job.kernels = kernels_open(boot, settings.kernels);
            figures[count++] = kernels_figure(&job);
            kernels_close(job.kernels);
        } else {
            printf("copy_kernels: left out without --kernels\n");
        }
        figures[count++] = hart_figure(&job);
    } else {
        printf(
            "boot, memory, copy, hart: left out, there is no firmware (scripts/fetch-firmware)\n");
    }
    figures[count++] = copy_figure(&job, false);
    double capacity = host_capacity(REPETITIONS);
    host_report(capacity);
    printf("ours had %u threads above, where nothing else is said\n", settings.threads);
    figures[count++] = threads_figure(&job, false, capacity);
    figures[count++] = threads_figure(&job, true, capacity);
    if (boot) {
        boot_close(boot);
    }
    free(found);
    return bench_finish(&settings.common, figures, count);
}
