/*
 * Speed of the integer hart, in one run, as ratios.
 *
 * Measures libraries with the libttsim ABI, each in fresh child processes and through BAR accesses
 * alone: our own, and any other whose path is given. What only our interface can do is measured
 * through libpenrose. Figures:
 *   one      instructions a second of one BRISC on the sort+CRC program
 *   many     the same of 56 BRISCs on 56 tiles together
 *   clock    host time of libttsim_clock(1000000) on a chip whose 140 tiles are booted and idle
 *   idle     how much 139 booted, idle tiles slow down one busy hart
 * "Booted" means tt-metal's firmware when --firmware names a set, else harts that wait in our own
 * program.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/metal.h>
#include <penrose/penrose.h>

#include "bench.h"
#include "image.h"

enum {
    MANY = 56,
    CLOCKS = 1000000,
    MAILBOX = 0x8000,
    MAILBOX_DONE = MAILBOX + 0x7c,
    MAILBOX_EXIT = MAILBOX + 0x78,
    BOOT_IMAGE = 0x20000, /* bytes of L1 that booting writes */
    BOOT_CYCLES = 20000,
    ROUNDS = 5,
};

struct settings {
    struct bench_options common;
    const char *firmware;
};

#define WALL_CLOCK UINT32_C(0xffb121f0)

/* --- What children measure --- */

struct job {
    const struct settings *settings;
    const char *library;
    unsigned tiles;
    uint32_t repetitions;
    uint64_t instructions; /* of one hart; 0: unknown */
};

struct answer {
    double seconds;
    uint64_t instructions;
    double alone, among; /* of measure_idle */
};

/* Runs `body` in a fresh process. */
static struct answer in_child(bench_measure *body, const struct job *job)
{
    struct answer answer;
    bench_in_child(body, job, &answer, sizeof answer);
    return answer;
}

/* Host time of the sort+CRC program on so many BRISCs, through BAR accesses. */
static void measure_library(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct bench_device device;
    struct image *program = image_open(job->settings->common.guests, "sort_crc-flag");
    unsigned x, y;
    bench_open(&device, job->library);
    for (unsigned i = 0; i < job->tiles; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, BENCH_ALL_HELD);
        image_load(&device, x, y, program);
        bench_write_word(&device, x, y, MAILBOX, job->repetitions);
        bench_write_word(&device, x, y, MAILBOX_DONE, 0);
    }
    for (unsigned i = 0; i < job->tiles; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, BENCH_BRISC_RUNS);
    }
    uint32_t chunk = (uint32_t)(job->instructions / 200 + 1);
    double start = bench_now();
    for (unsigned done = 0, chunks = 0; done < job->tiles; chunks++) {
        if (chunks > 1000) {
            bench_die(job->library, "the program does not end");
        }
        device.clock(chunk);
        for (; done < job->tiles; done++) { /* all tiles do the same and end together */
            bench_worker(done, &x, &y);
            if (bench_word(&device, x, y, MAILBOX_DONE) == 0) {
                break;
            }
        }
    }
    answer->seconds = bench_now() - start;
    for (unsigned i = 0; i < job->tiles; i++) {
        bench_worker(i, &x, &y);
        if (bench_word(&device, x, y, MAILBOX_EXIT) != 0) {
            bench_die(job->library, "the program computed a wrong result");
        }
    }
    device.exit();
    image_close(program);
}

static void must(enum penrose_status status, const struct penrose_error *error)
{
    if (status != PENROSE_OK) {
        bench_die("libpenrose", error->text);
    }
}

static struct penrose_chip *chip_create(void)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    struct penrose_error error;
    must(penrose_chip_create(&options, &chip, &error), &error);
    return chip;
}

static bool brisc_paused(struct penrose_chip *chip, void *context)
{
    struct penrose_hart_info info;
    struct penrose_error error;
    (void)context;
    must(penrose_hart_info(chip, 1, 2, PENROSE_BRISC, &info, &error), &error);
    return info.state == PENROSE_HART_PAUSED;
}

/* Loads the program on BRISC of tile (1, 2), runs it to its end, returns the host time. */
static double chip_run(struct penrose_chip *chip, const struct job *job, uint64_t *instructions)
{
    char path[PATH_MAX];
    struct penrose_error error;
    struct penrose_hart_info info;
    uint32_t entry;
    snprintf(path, sizeof path, "%s/sort_crc.elf", job->settings->common.guests);
    must(penrose_hart_hold(chip, 1, 2, PENROSE_BRISC, &error), &error);
    must(penrose_load_program(chip, 1, 2, PENROSE_BRISC, path, &entry, &error), &error);
    must(penrose_poke(chip, 1, 2, MAILBOX, &job->repetitions, 4, &error), &error);
    must(penrose_hart_release(chip, 1, 2, PENROSE_BRISC, entry, &error), &error);
    struct penrose_run run = {
        .size = sizeof run, .cycles = UINT64_C(1) << 40, .until = brisc_paused};
    double start = bench_now();
    penrose_run(chip, &run);
    double seconds = bench_now() - start;
    if (!brisc_paused(chip, NULL)) {
        bench_die("sort_crc.elf", "does not end");
    }
    must(penrose_hart_info(chip, 1, 2, PENROSE_BRISC, &info, &error), &error);
    *instructions = info.retired;
    return seconds;
}

static void measure_count(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct penrose_chip *chip = chip_create();
    answer->seconds = chip_run(chip, job, &answer->instructions);
    penrose_chip_destroy(chip);
}

static const char *const wait_programs[PENROSE_HARTS] = {
    [PENROSE_BRISC] = "wait-brisc",   [PENROSE_TRISC0] = "wait-trisc0",
    [PENROSE_TRISC1] = "wait-trisc1", [PENROSE_TRISC2] = "wait-trisc2",
    [PENROSE_NCRISC] = "wait-ncrisc",
};

/* Starts a tile that then idles; the firmware, where there is some, must outlive the chip. */
static void chip_boot(struct penrose_chip *chip, const struct settings *settings, unsigned x,
                      unsigned y, struct penrose_firmware *firmware)
{
    struct penrose_error error;
    if (firmware) {
        must(penrose_boot(chip, x, y, firmware, &error), &error);
        return;
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        char path[PATH_MAX];
        uint32_t entry;
        snprintf(path, sizeof path, "%s/%s.elf", settings->common.guests, wait_programs[hart]);
        must(penrose_load_program(chip, x, y, (enum penrose_hart)hart, path, &entry, &error),
             &error);
        must(penrose_hart_release(chip, x, y, (enum penrose_hart)hart, entry, &error), &error);
    }
}

static struct penrose_firmware *firmware_open(const struct settings *settings)
{
    struct penrose_firmware *firmware = NULL;
    struct penrose_error error;
    if (settings->firmware) {
        must(penrose_firmware_open(NULL, settings->firmware, &firmware, &error), &error);
    }
    return firmware;
}

static void measure_idle(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    struct penrose_firmware *firmware = firmware_open(job->settings);
    struct penrose_chip *alone = chip_create(), *among = chip_create();
    for (unsigned i = 1; i < BENCH_WORKERS; i++) { /* 0 is (1, 2), the busy one */
        unsigned x, y;
        bench_worker(i, &x, &y);
        chip_boot(among, job->settings, x, y, firmware);
    }
    struct penrose_run boot = {.size = sizeof boot, .cycles = BOOT_CYCLES};
    penrose_run(among, &boot);
    answer->alone = answer->among = 1e9;
    for (unsigned i = 0; i < ROUNDS; i++) {
        double seconds = chip_run(alone, job, &answer->instructions);
        answer->alone = seconds < answer->alone ? seconds : answer->alone;
        seconds = chip_run(among, job, &answer->instructions);
        answer->among = seconds < answer->among ? seconds : answer->among;
    }
    penrose_chip_destroy(among);
    penrose_chip_destroy(alone);
    penrose_firmware_close(firmware);
}

/* What booting leaves in L1 before anything runs; the harts start as SOFT_RESET_0 says. */
static void boot_image(const struct settings *settings, uint8_t image[BOOT_IMAGE])
{
    struct penrose_firmware *firmware = firmware_open(settings);
    struct penrose_chip *chip = chip_create();
    struct penrose_error error;
    chip_boot(chip, settings, 1, 2, firmware);
    must(penrose_peek(chip, 1, 2, 0, image, BOOT_IMAGE, &error), &error);
    penrose_chip_destroy(chip);
    penrose_firmware_close(firmware);
}

static void measure_clock(const void *what, void *result)
{
    const struct job *job = what;
    struct answer *answer = result;
    static uint8_t image[BOOT_IMAGE], booted[BOOT_IMAGE];
    struct bench_device device;
    unsigned x, y;
    boot_image(job->settings, image);
    bench_open(&device, job->library);
    for (unsigned i = 0; i < BENCH_WORKERS; i++) {
        bench_worker(i, &x, &y);
        bench_reset(&device, x, y, BENCH_ALL_HELD);
        bench_write(&device, x, y, 0, image, BOOT_IMAGE);
        bench_reset(&device, x, y, BENCH_BRISC_RUNS);
    }
    device.clock(BOOT_CYCLES);
    bench_read(&device, x, y, 0, booted, BOOT_IMAGE);
    if (job->settings->firmware && memcmp(booted, image, BOOT_IMAGE) == 0) {
        bench_die(job->library, "the firmware does not boot");
    }
    answer->seconds = 1e9;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t before = bench_word(&device, x, y, WALL_CLOCK);
        double start = bench_now();
        device.clock(CLOCKS);
        uint32_t after = bench_word(&device, x, y, WALL_CLOCK); /* so that the time has passed */
        double seconds = bench_now() - start;
        answer->seconds = seconds < answer->seconds ? seconds : answer->seconds;
        if (after - before < CLOCKS) {
            bench_die(job->library, "time does not pass");
        }
        if (seconds > 2) {
            break;
        }
    }
    device.exit();
}

/* --- Figures --- */

struct speed {
    uint32_t repetitions;
    double per_second; /* instructions of all harts */
};

/* Repeats the program so often that a measurement takes about settings->common.seconds. */
static struct speed speed_of(const struct settings *settings, const char *library, unsigned tiles)
{
    struct job job = {.settings = settings, .library = library, .tiles = tiles, .repetitions = 1};
    struct answer answer = {0};
    for (;;) {
        struct job count = job;
        job.instructions = in_child(measure_count, &count).instructions;
        answer = in_child(measure_library, &job);
        double factor = settings->common.seconds / answer.seconds;
        if (factor < 1.5 || job.repetitions > 1000000) {
            break;
        }
        job.repetitions = (uint32_t)(job.repetitions * (factor > 20 ? 20 : factor) + 0.5);
    }
    double best = answer.seconds;
    for (unsigned i = 1; i < 3; i++) {
        answer = in_child(measure_library, &job);
        best = answer.seconds < best ? answer.seconds : best;
    }
    return (struct speed){job.repetitions, (double)job.instructions * tiles / best};
}

static struct bench_figure speed_figure(const struct settings *settings, unsigned tiles)
{
    struct speed ours = speed_of(settings, settings->common.library, tiles);
    struct bench_figure figure = {.unit = "M instr/s", .ours = ours.per_second / 1e6};
    if (settings->common.reference) {
        figure.has_reference = true;
        figure.reference = speed_of(settings, settings->common.reference, tiles).per_second / 1e6;
        figure.ratio = figure.ours / figure.reference;
    }
    return figure;
}

static struct bench_figure clock_figure(const struct settings *settings)
{
    struct job job = {.settings = settings, .library = settings->common.library};
    struct bench_figure figure = {.unit = "ms",
                                  .ours = in_child(measure_clock, &job).seconds * 1e3};
    if (settings->common.reference) {
        job.library = settings->common.reference;
        figure.has_reference = true;
        figure.reference = in_child(measure_clock, &job).seconds * 1e3;
        figure.ratio = figure.reference / figure.ours;
    }
    return figure;
}

static struct bench_figure idle_figure(const struct settings *settings)
{
    struct job job = {.settings = settings, .repetitions = 20};
    struct answer answer = in_child(measure_count, &job);
    job.repetitions = (uint32_t)(20 * settings->common.seconds / 2 / answer.seconds) + 1;
    answer = in_child(measure_idle, &job);
    struct bench_figure figure = {.unit = "% slower",
                                  .ours = (answer.among / answer.alone - 1) * 100};
    return figure;
}

/* --- Options --- */

enum { KEY_FIRMWARE = 0x200 };

static const struct argp_option rows[] = {
    {"firmware", KEY_FIRMWARE, "DIR", 0, "A tt-metal firmware set for booted tiles", 0},
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = rows,
    .parser = parse,
    .doc = "Measures the speed of the integer hart.",
    .children = children,
};

int main(int argc, char **argv)
{
    struct settings settings = {.common = bench_defaults()};
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    bench_headings();
    const struct bench_figure figures[] = {
        bench_report(speed_figure(&settings, 1), "one", "one BRISC, sort+CRC"),
        bench_report(speed_figure(&settings, MANY), "many", "56 BRISCs on 56 tiles"),
        bench_report(clock_figure(&settings), "clock", "libttsim_clock(1000000), 140 tiles booted"),
        bench_report(idle_figure(&settings), "idle", "one busy hart among 139 booted, idle tiles"),
    };
    return bench_finish(&settings.common, figures, sizeof figures / sizeof figures[0]);
}
