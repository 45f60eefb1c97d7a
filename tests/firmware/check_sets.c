/*
 * Boots every Blackhole firmware set and launches the five kernels of firmware/kernels on it twice,
 * with other arguments the second time; compares what they leave with a model. Then does it again
 * with and without shortcuts, and compares the hashes of all states between windows.
 *
 *   check_sets FIRMWARE_ROOT KERNELS_ROOT
 *
 * Prints a line a set and a closing count. Exit codes: 0 all passed, 1 otherwise, 2 usage.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <penrose/debug.h>
#include <penrose/metal.h>
#include <penrose/penrose.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

enum {
    TILE_X = 1,
    TILE_Y = 2,
    CYCLES = 10000000,
    SLICE = 4096, /* a state is noted at least so often */
    PAGE_WORDS = 256,
    IN_ADDRESS = 0x40000,
    OUT_ADDRESS = 0x60000,
    RESULT_ADDRESS = 0x80000,
    RESULT_WORDS = 5,
    RESULT_MAGIC = 0x50454e52,
    MAX_SETS = 256,
    PATH_BYTES = 4096,
};

/* Host time that booting one tile may take: with reading files, and simulating alone. */
#define BOOT_MS     10.0
#define SIMULATE_MS 1.0

struct work {
    uint32_t pages, seed, multiplier, increment, key;
};

static const struct work works[] = {
    {.pages = 5, .seed = 0x1234, .multiplier = 1664525, .increment = 1013904223, .key = 0xa5a5},
    {.pages = 19, .seed = 99, .multiplier = 22695477, .increment = 1, .key = 0x80000001},
};

struct timing {
    double boot, simulate;
};

/* States of a chip, one after the other. */
struct states {
    unsigned count;
    uint64_t hash; /* of their hashes */
};

/* What runs on a chip. */
struct machine {
    struct penrose_chip *chip;
    struct penrose_firmware *firmware;
    struct states *states; /* NULL: nobody wants them */
};

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* --- What the kernels should leave --- */

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++) {
        crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return crc;
}

static void model(const struct work *work, uint32_t result[RESULT_WORDS])
{
    uint32_t state = UINT32_C(0x9e3779b9) ^ work->seed, crc = UINT32_MAX, sum = 0;
    for (uint32_t page = 0; page < work->pages; page++) {
        for (uint32_t i = 0; i < PAGE_WORDS; i++) {
            state = state * work->multiplier + work->increment;
            sum += state;
            uint32_t mixed = state ^ (work->key + i);
            mixed = mixed << 7 | mixed >> 25;
            for (int byte = 0; byte < 4; byte++) {
                crc = crc_byte(crc, (uint8_t)(mixed >> 8 * byte));
            }
        }
    }
    result[0] = RESULT_MAGIC;
    result[1] = work->pages;
    result[2] = work->pages * PAGE_WORDS * 4;
    result[3] = ~crc;
    result[4] = sum;
}

/* --- Running --- */

static void note_state(const struct machine *machine)
{
    struct states *states = machine->states;
    if (states) {
        states->count++;
        states->hash =
            (states->hash ^ penrose_state_hash(machine->chip)) * UINT64_C(0x9e3779b97f4a7c15);
    }
}

static bool ready(struct penrose_chip *chip, void *context)
{
    const struct machine *machine = context;
    note_state(machine);
    return penrose_firmware_ready(chip, TILE_X, TILE_Y, machine->firmware);
}

static bool done(struct penrose_chip *chip, void *context)
{
    const struct machine *machine = context;
    note_state(machine);
    return penrose_launch_done(chip, TILE_X, TILE_Y, machine->firmware);
}

static bool run(struct machine *machine, bool (*until)(struct penrose_chip *, void *),
                const char *what)
{
    struct penrose_chip *chip = machine->chip;
    const struct penrose_run run = {.size = sizeof run,
                                    .cycles = machine->states ? SLICE : CYCLES,
                                    .until = until,
                                    .context = machine};
    enum penrose_outcome outcome = PENROSE_CYCLES;
    for (uint64_t cycles = 0; cycles < CYCLES && outcome == PENROSE_CYCLES; cycles += run.cycles) {
        outcome = penrose_run(chip, &run);
    }
    if (outcome == PENROSE_CONDITION) {
        return true;
    }
    static const char *const names[] = {"used up its cycles", "stopped with a fault",
                                        "came to rest"};
    char text[4096] = "";
    struct penrose_fault fault;
    if (outcome == PENROSE_FAULT && penrose_fault_get(chip, 0, &fault)) {
        penrose_fault_format(&fault, text, sizeof text);
    } else {
        penrose_wait_report(chip, text, sizeof text);
    }
    printf("%s %s\n%s\n", what, names[outcome], text);
    return false;
}

static bool launch(struct machine *machine, const char *kernels, const struct work *work)
{
    struct penrose_chip *chip = machine->chip;
    const uint32_t common[] = {work->pages, work->seed};
    const uint32_t result_at[] = {RESULT_ADDRESS};
    const uint32_t numbers[] = {work->multiplier, work->increment};
    const uint32_t key[] = {work->key};
    const uint32_t semaphores[] = {0, 0};
    const struct penrose_circular_buffer buffers[] = {
        {.id = 0,
         .address = IN_ADDRESS,
         .size = 3 * 4 * PAGE_WORDS,
         .pages = 3,
         .page_size = 4 * PAGE_WORDS},
        {.id = 16,
         .address = OUT_ADDRESS,
         .size = 2 * (4 * PAGE_WORDS + 16),
         .pages = 2,
         .page_size = 4 * PAGE_WORDS + 16},
    };
    char paths[PENROSE_HARTS][PATH_BYTES + 32];
    struct penrose_launch launch = {
        .size = sizeof launch,
        .buffers = buffers,
        .buffers_count = 2,
        .semaphores = semaphores,
        .semaphores_count = 2,
        .brisc_noc = 1,
    };
    for (unsigned hart = 0; hart < PENROSE_HARTS; hart++) {
        struct penrose_kernel *kernel = &launch.kernel[hart];
        snprintf(paths[hart], sizeof paths[hart], "%s/%s.elf", kernels,
                 penrose_hart_name((enum penrose_hart)hart));
        kernel->path = paths[hart];
        kernel->common_arguments = common;
        kernel->common_arguments_count = 2;
        kernel->arguments = hart == PENROSE_BRISC    ? result_at
                            : hart == PENROSE_NCRISC ? numbers
                                                     : key;
        kernel->arguments_count = hart == PENROSE_NCRISC ? 2 : 1;
    }
    uint32_t expected[RESULT_WORDS], found[RESULT_WORDS] = {0};
    struct penrose_error error;
    if (penrose_poke(chip, TILE_X, TILE_Y, RESULT_ADDRESS, found, sizeof found, &error) !=
            PENROSE_OK ||
        penrose_launch(chip, TILE_X, TILE_Y, machine->firmware, &launch, &error) != PENROSE_OK) {
        printf("launch: %s\n", error.text);
        return false;
    }
    if (!run(machine, done, "the launch")) {
        return false;
    }
    if (penrose_peek(chip, TILE_X, TILE_Y, RESULT_ADDRESS, found, sizeof found, &error) !=
        PENROSE_OK) {
        printf("result: %s\n", error.text);
        return false;
    }
    model(work, expected);
    if (memcmp(expected, found, sizeof found) != 0) {
        for (unsigned i = 0; i < RESULT_WORDS; i++) {
            printf("result word %u: expected 0x%08x, found 0x%08x\n", i, expected[i], found[i]);
        }
        return false;
    }
    return true;
}

static bool boot(struct machine *machine, const char *directory, struct timing *timing)
{
    struct penrose_chip *chip = machine->chip;
    struct penrose_error error;
    double start = milliseconds();
    if (penrose_firmware_open(NULL, directory, &machine->firmware, &error) != PENROSE_OK ||
        penrose_boot(chip, TILE_X, TILE_Y, machine->firmware, &error) != PENROSE_OK) {
        printf("boot: %s\n", error.text);
        return false;
    }
    if (ready(chip, machine)) {
        printf("boot: ready before any hart has run\n");
        return false;
    }
    double booted = milliseconds();
    bool is_ready = run(machine, ready, "booting");
    double end = milliseconds();
    timing->boot = end - start;
    timing->simulate = end - booted;
    return is_ready;
}

/* Boots and launches; says how long that took where nobody wants states. */
static bool run_set(const char *directory, const char *kernels, bool shortcuts,
                    struct states *states, struct timing *timing)
{
    struct penrose_options options = {.size = sizeof options};
    struct machine machine = {.states = states};
    struct penrose_error error;
    if (penrose_chip_create(&options, &machine.chip, &error) != PENROSE_OK) {
        printf("chip: %s\n", error.text);
        return false;
    }
    penrose_shortcuts_set(machine.chip, shortcuts);
    bool good = boot(&machine, directory, timing);
    uint64_t booted = penrose_now(machine.chip);
    for (unsigned i = 0; good && i < sizeof works / sizeof works[0]; i++) {
        good = launch(&machine, kernels, &works[i]);
    }
    if (good && !states) {
        printf("booted in %.2f ms (simulating %.2f ms), %llu cycles; two launches, %llu cycles",
               timing->boot, timing->simulate, (unsigned long long)booted,
               (unsigned long long)(penrose_now(machine.chip) - booted));
    }
    penrose_chip_destroy(machine.chip);
    penrose_firmware_close(machine.firmware);
    return good;
}

static bool check_set(const char *directory, const char *kernels, struct timing *timing)
{
    struct states with = {0}, without = {0};
    struct timing unused;
    if (!run_set(directory, kernels, true, NULL, timing) ||
        !run_set(directory, kernels, true, &with, &unused) ||
        !run_set(directory, kernels, false, &without, &unused)) {
        return false;
    }
    bool is_same = with.count == without.count && with.hash == without.hash;
    printf("; %u states, %s without shortcuts\n", with.count, is_same ? "the same" : "OTHERS");
    return is_same;
}

/* --- Sets --- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the folders of `root` that hold firmware for Blackhole: those with a drisc. */
static unsigned find_sets(const char *root, char *names[MAX_SETS])
{
    unsigned count = 0;
    DIR *directory = opendir(root);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[PATH_BYTES];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s/drisc", root, entry->d_name);
        if (entry->d_name[0] != '.' && count < MAX_SETS && stat(path, &status) == 0) {
            names[count] = strdup(entry->d_name);
            count += names[count] != NULL;
        }
    }
    if (directory) {
        closedir(directory);
    }
    qsort(names, count, sizeof names[0], compare);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s FIRMWARE_ROOT KERNELS_ROOT\n", argv[0]);
        return 2;
    }
    char *names[MAX_SETS];
    unsigned count = find_sets(argv[1], names), passed = 0;
    struct timing best = {.boot = 1e9, .simulate = 1e9};
    bool slow = false;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < count; i++) {
        char firmware[PATH_BYTES], kernels[PATH_BYTES];
        struct timing timing = {0};
        snprintf(firmware, sizeof firmware, "%s/%s", argv[1], names[i]);
        snprintf(kernels, sizeof kernels, "%s/%s", argv[2], names[i]);
        printf("%-20s ", names[i]);
        if (check_set(firmware, kernels, &timing)) {
            passed++;
            best.boot = timing.boot < best.boot ? timing.boot : best.boot;
            best.simulate = timing.simulate < best.simulate ? timing.simulate : best.simulate;
        }
        free(names[i]);
    }
#ifndef PENROSE_NO_TAIL_CALLS
    slow = best.boot > BOOT_MS || best.simulate > SIMULATE_MS;
#endif
    if (count) {
        printf("fastest boot: %.2f ms, simulating %.2f ms%s\n", best.boot, best.simulate,
               slow ? ": TOO SLOW (10 ms, 1 ms)" : "");
    }
    printf("firmware sets: %u passed, %u failed\n", passed, count - passed);
    return count == 0 || passed != count || slow;
}
