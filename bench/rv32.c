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
#include <argp.h>
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <penrose/penrose.h>

enum {
    MANY = 56,
    WORKERS = 140,
    CLOCKS = 1000000,
    MAILBOX = 0x8000,
    MAILBOX_DONE = MAILBOX + 0x7c,
    MAILBOX_EXIT = MAILBOX + 0x78,
    BOOT_IMAGE = 0x20000, /* bytes of L1 that booting writes */
    BOOT_CYCLES = 20000,
    ROUNDS = 5,
};

struct settings {
    const char *library, *reference, *guests, *firmware, *json;
    double seconds; /* of one measurement */
    bool check;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void die(const char *what, const char *detail)
{
    fprintf(stderr, "bench/rv32: %s: %s\n", what, detail);
    exit(1);
}

/* --- Guest programs --- */

struct segment {
    uint32_t address, size;
    const uint8_t *bytes;
};

struct program {
    char path[PATH_MAX];
    uint8_t *file;
    struct segment segment[8];
    unsigned segments;
    uint32_t entry;
};

static struct program *program_open(const struct settings *settings, const char *name)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program) {
        die(name, "out of memory");
    }
    snprintf(program->path, sizeof program->path, "%s/%s.elf", settings->guests, name);
    FILE *file = fopen(program->path, "rb");
    if (!file) {
        die(program->path, "cannot be read (was there a RISC-V cross compiler at build time?)");
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    program->file = malloc((size_t)size);
    if (!program->file || fread(program->file, 1, (size_t)size, file) != (size_t)size) {
        die(program->path, "cannot be read");
    }
    fclose(file);
    Elf32_Ehdr header;
    memcpy(&header, program->file, sizeof header);
    program->entry = header.e_entry;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, program->file + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && program->segments < 8) {
            program->segment[program->segments++] = (struct segment){
                segment.p_paddr, segment.p_filesz, program->file + segment.p_offset};
        }
    }
    return program;
}

static void program_close(struct program *program)
{
    free(program->file);
    free(program);
}

/* --- A chip behind the libttsim ABI --- */

struct device {
    void *handle;
    void (*init)(void);
    void (*exit)(void);
    void (*clock)(uint32_t cycles);
    uint32_t (*config_read)(uint32_t function, uint32_t offset);
    void (*memory_read)(uint64_t address, void *bytes, uint32_t size);
    void (*memory_write)(uint64_t address, const void *bytes, uint32_t size);
    uint64_t bar0;
};

enum {
    WINDOW_SHIFT = 21, /* of the 2 MiB windows */
    WINDOW_REGISTERS = 0x1fc00000,
};

static void symbol(const struct device *device, const char *name, void *function)
{
    void *found = dlsym(device->handle, name);
    if (!found) {
        die("library", dlerror());
    }
    memcpy(function, &found, sizeof found);
}

static void device_open(struct device *device, const char *path)
{
    char full[PATH_MAX];
    if (!realpath(path, full)) {
        die(path, "no such library");
    }
    device->handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (!device->handle) {
        die("dlopen", dlerror());
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
static uint64_t window(struct device *device, unsigned x, unsigned y, uint32_t address)
{
    const uint32_t words[3] = {address >> WINDOW_SHIFT, x << 11 | y << 17, 0};
    for (unsigned i = 0; i < 3; i++) {
        device->memory_write(device->bar0 + WINDOW_REGISTERS + 4 * i, &words[i], 4);
    }
    return device->bar0 + (address & ((1u << WINDOW_SHIFT) - 1));
}

static void tile_write(struct device *device, unsigned x, unsigned y, uint32_t address,
                       const void *bytes, uint32_t size)
{
    device->memory_write(window(device, x, y, address), bytes, size);
}

static void tile_write_word(struct device *device, unsigned x, unsigned y, uint32_t address,
                            uint32_t word)
{
    tile_write(device, x, y, address, &word, 4);
}

static uint32_t tile_word(struct device *device, unsigned x, unsigned y, uint32_t address)
{
    uint32_t word;
    device->memory_read(window(device, x, y, address), &word, 4);
    return word;
}

#define SOFT_RESET_0 UINT32_C(0xffb121b0)
#define WALL_CLOCK   UINT32_C(0xffb121f0)
enum { ALL_HELD = 0x47800, BRISC_RUNS = 0x47000 };

static void tile_reset(struct device *device, unsigned x, unsigned y, uint32_t held)
{
    tile_write_word(device, x, y, SOFT_RESET_0, held);
}

static void tile_load(struct device *device, unsigned x, unsigned y, const struct program *program)
{
    for (unsigned i = 0; i < program->segments; i++) {
        const struct segment *segment = &program->segment[i];
        tile_write(device, x, y, segment->address, segment->bytes, segment->size);
    }
}

/* Worker `index` of 140, in the order of columns. */
static void worker(unsigned index, unsigned *x, unsigned *y)
{
    unsigned column = index / 10;
    *x = column < 7 ? column + 1 : column + 3;
    *y = 2 + index % 10;
}

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

typedef void measure(const struct job *job, struct answer *answer);

/* Runs `body` in a fresh process. */
static struct answer in_child(measure *body, const struct job *job)
{
    int ends[2];
    struct answer answer;
    if (pipe(ends) != 0) {
        die("pipe", "no more files");
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        die("fork", "no more processes");
    }
    if (child == 0) {
        memset(&answer, 0, sizeof answer);
        if (!freopen("/dev/null", "w", stdout)) { /* libraries may chat */
            _exit(1);
        }
        body(job, &answer);
        _exit(write(ends[1], &answer, sizeof answer) != (ssize_t)sizeof answer);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], &answer, sizeof answer);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (got != (ssize_t)sizeof answer || status != 0) {
        die("child process", "ended before its measurement was done");
    }
    return answer;
}

/* Host time of the sort+CRC program on so many BRISCs, through BAR accesses. */
static void measure_library(const struct job *job, struct answer *answer)
{
    struct device device;
    struct program *program = program_open(job->settings, "sort_crc-flag");
    unsigned x, y;
    device_open(&device, job->library);
    for (unsigned i = 0; i < job->tiles; i++) {
        worker(i, &x, &y);
        tile_reset(&device, x, y, ALL_HELD);
        tile_load(&device, x, y, program);
        tile_write_word(&device, x, y, MAILBOX, job->repetitions);
        tile_write_word(&device, x, y, MAILBOX_DONE, 0);
    }
    for (unsigned i = 0; i < job->tiles; i++) {
        worker(i, &x, &y);
        tile_reset(&device, x, y, BRISC_RUNS);
    }
    uint32_t chunk = (uint32_t)(job->instructions / 200 + 1);
    double start = now();
    for (unsigned done = 0, chunks = 0; done < job->tiles; chunks++) {
        if (chunks > 1000) {
            die(job->library, "the program does not end");
        }
        device.clock(chunk);
        for (; done < job->tiles; done++) { /* all tiles do the same and end together */
            worker(done, &x, &y);
            if (tile_word(&device, x, y, MAILBOX_DONE) == 0) {
                break;
            }
        }
    }
    answer->seconds = now() - start;
    for (unsigned i = 0; i < job->tiles; i++) {
        worker(i, &x, &y);
        if (tile_word(&device, x, y, MAILBOX_EXIT) != 0) {
            die(job->library, "the program computed a wrong result");
        }
    }
    device.exit();
    program_close(program);
}

static void must(enum penrose_status status, const struct penrose_error *error)
{
    if (status != PENROSE_OK) {
        die("libpenrose", error->text);
    }
}

static struct penrose_chip *chip_create(void)
{
    struct penrose_options options;
    struct penrose_chip *chip;
    struct penrose_error error;
    penrose_options_default(&options);
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
    snprintf(path, sizeof path, "%s/sort_crc.elf", job->settings->guests);
    must(penrose_hart_hold(chip, 1, 2, PENROSE_BRISC, &error), &error);
    must(penrose_load_program(chip, 1, 2, PENROSE_BRISC, path, &entry, &error), &error);
    must(penrose_poke(chip, 1, 2, MAILBOX, &job->repetitions, 4, &error), &error);
    must(penrose_hart_release(chip, 1, 2, PENROSE_BRISC, entry, &error), &error);
    struct penrose_run run = {.cycles = UINT64_C(1) << 40, .until = brisc_paused};
    double start = now();
    penrose_run(chip, &run);
    double seconds = now() - start;
    if (!brisc_paused(chip, NULL)) {
        die("sort_crc.elf", "does not end");
    }
    must(penrose_hart_info(chip, 1, 2, PENROSE_BRISC, &info, &error), &error);
    *instructions = info.retired;
    return seconds;
}

static void measure_count(const struct job *job, struct answer *answer)
{
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
        snprintf(path, sizeof path, "%s/%s.elf", settings->guests, wait_programs[hart]);
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
        must(penrose_firmware_open(settings->firmware, &firmware, &error), &error);
    }
    return firmware;
}

static void measure_idle(const struct job *job, struct answer *answer)
{
    struct penrose_firmware *firmware = firmware_open(job->settings);
    struct penrose_chip *alone = chip_create(), *among = chip_create();
    for (unsigned i = 1; i < WORKERS; i++) { /* 0 is (1, 2), the busy one */
        unsigned x, y;
        worker(i, &x, &y);
        chip_boot(among, job->settings, x, y, firmware);
    }
    struct penrose_run boot = {.cycles = BOOT_CYCLES};
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

static void measure_clock(const struct job *job, struct answer *answer)
{
    static uint8_t image[BOOT_IMAGE], booted[BOOT_IMAGE];
    struct device device;
    unsigned x, y;
    boot_image(job->settings, image);
    device_open(&device, job->library);
    for (unsigned i = 0; i < WORKERS; i++) {
        worker(i, &x, &y);
        tile_reset(&device, x, y, ALL_HELD);
        tile_write(&device, x, y, 0, image, BOOT_IMAGE);
        tile_reset(&device, x, y, BRISC_RUNS);
    }
    device.clock(BOOT_CYCLES);
    device.memory_read(window(&device, x, y, 0), booted, BOOT_IMAGE);
    if (job->settings->firmware && memcmp(booted, image, BOOT_IMAGE) == 0) {
        die(job->library, "the firmware does not boot");
    }
    answer->seconds = 1e9;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t before = tile_word(&device, x, y, WALL_CLOCK);
        double start = now();
        device.clock(CLOCKS);
        uint32_t after = tile_word(&device, x, y, WALL_CLOCK); /* so that the time has passed */
        double seconds = now() - start;
        answer->seconds = seconds < answer->seconds ? seconds : answer->seconds;
        if (after - before < CLOCKS) {
            die(job->library, "time does not pass");
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

/* Repeats the program so often that a measurement takes about settings->seconds. */
static struct speed speed_of(const struct settings *settings, const char *library, unsigned tiles)
{
    struct job job = {.settings = settings, .library = library, .tiles = tiles, .repetitions = 1};
    struct answer answer = {0};
    for (;;) {
        struct job count = job;
        job.instructions = in_child(measure_count, &count).instructions;
        answer = in_child(measure_library, &job);
        double factor = settings->seconds / answer.seconds;
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

struct figure {
    const char *name, *unit;
    double ours, reference, ratio;
    bool has_reference, good;
};

/* Names the figure and prints its line. */
static struct figure report(struct figure figure, const char *name, const char *title,
                            const char *goal)
{
    char reference[32] = "-", ratio[32] = "-";
    figure.name = name;
    if (figure.has_reference) {
        snprintf(reference, sizeof reference, "%.3f", figure.reference);
        snprintf(ratio, sizeof ratio, "%.1f", figure.ratio);
    }
    printf("%-44s %12.3f %12s %9s  %-10s %s%s\n", title, figure.ours, reference, ratio,
           figure.unit, goal, figure.good ? "" : "  MISSED");
    return figure;
}

static void write_json(const char *path, const struct figure *figures, unsigned count)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!file) {
        die(path, "cannot be written");
    }
    fprintf(file, "{\n");
    for (unsigned i = 0; i < count; i++) {
        const struct figure *figure = &figures[i];
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

static struct figure speed_figure(const struct settings *settings, unsigned tiles, double goal)
{
    struct speed ours = speed_of(settings, settings->library, tiles);
    struct figure figure = {.unit = "M instr/s", .ours = ours.per_second / 1e6, .good = true};
    if (settings->reference) {
        figure.has_reference = true;
        figure.reference = speed_of(settings, settings->reference, tiles).per_second / 1e6;
        figure.ratio = figure.ours / figure.reference;
        figure.good = figure.ratio >= goal;
    }
    return figure;
}

static struct figure clock_figure(const struct settings *settings)
{
    struct job job = {.settings = settings, .library = settings->library};
    struct figure figure = {.unit = "ms", .ours = in_child(measure_clock, &job).seconds * 1e3};
    figure.good = figure.ours < 1;
    if (settings->reference) {
        job.library = settings->reference;
        figure.has_reference = true;
        figure.reference = in_child(measure_clock, &job).seconds * 1e3;
        figure.ratio = figure.reference / figure.ours;
    }
    return figure;
}

static struct figure idle_figure(const struct settings *settings)
{
    struct job job = {.settings = settings, .repetitions = 20};
    struct answer answer = in_child(measure_count, &job);
    job.repetitions = (uint32_t)(20 * settings->seconds / 2 / answer.seconds) + 1;
    answer = in_child(measure_idle, &job);
    struct figure figure = {.unit = "% slower", .ours = (answer.among / answer.alone - 1) * 100};
    figure.good = figure.ours < 5;
    return figure;
}

/* --- Options --- */

enum { KEY_AGAINST = 256, KEY_LIBRARY, KEY_GUESTS, KEY_FIRMWARE, KEY_JSON, KEY_SECONDS, KEY_CHECK };

static const struct argp_option options[] = {
    {"against", KEY_AGAINST, "PATH", 0,
     "Another library with the libttsim ABI (default: $PENROSE_REFERENCE_LIB)", 0},
    {"library", KEY_LIBRARY, "PATH", 0, "Our own library", 0},
    {"guests", KEY_GUESTS, "DIR", 0, "Where the guest programs are", 0},
    {"firmware", KEY_FIRMWARE, "DIR", 0, "A tt-metal firmware set for booted tiles", 0},
    {"json", KEY_JSON, "FILE", 0, "Write the figures as JSON too; - is stdout", 0},
    {"seconds", KEY_SECONDS, "S", 0, "Length of one measurement (default 1)", 0},
    {"check", KEY_CHECK, NULL, 0, "Exit with 1 when a goal is missed", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    switch (key) {
    case KEY_AGAINST:
        settings->reference = argument;
        return 0;
    case KEY_LIBRARY:
        settings->library = argument;
        return 0;
    case KEY_GUESTS:
        settings->guests = argument;
        return 0;
    case KEY_FIRMWARE:
        settings->firmware = argument;
        return 0;
    case KEY_JSON:
        settings->json = argument;
        return 0;
    case KEY_SECONDS:
        settings->seconds = atof(argument);
        if (!(settings->seconds > 0)) {
            argp_error(state, "--seconds takes a positive number");
        }
        return 0;
    case KEY_CHECK:
        settings->check = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, NULL, "Measures the speed of the integer hart.", NULL, NULL, NULL};
    struct settings settings = {
        .library = ".libs/libttsim.so", .guests = "firmware", .seconds = 1,
        .reference = getenv("PENROSE_REFERENCE_LIB"),
    };
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    if (settings.reference && !*settings.reference) {
        settings.reference = NULL;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-44s %12s %12s %9s\n", "", "ours", "reference", "ratio");
    struct figure figures[] = {
        report(speed_figure(&settings, 1, 40), "one", "one BRISC, sort+CRC", "goal: ratio 40"),
        report(speed_figure(&settings, MANY, 3), "many", "56 BRISCs on 56 tiles",
               "goal: ratio 3"),
        report(clock_figure(&settings), "clock", "libttsim_clock(1000000), 140 tiles booted",
               "goal: below 1"),
        report(idle_figure(&settings), "idle", "one busy hart among 139 booted, idle tiles",
               "goal: below 5"),
    };
    unsigned count = sizeof figures / sizeof figures[0];
    if (settings.json) {
        write_json(settings.json, figures, count);
    }
    bool good = true;
    for (unsigned i = 0; i < count; i++) {
        good = good && figures[i].good;
    }
    return settings.check && !good;
}
