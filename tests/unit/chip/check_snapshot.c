/*
 * Snapshots: a chip that was loaded goes on as the one that was saved, whatever it was in the
 * middle of, under every schedule, with other host threads, in another process. Bad snapshots are
 * refused.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <penrose/debug.h>
#include <penrose/metal.h>

#include "chip/chip.h"
#include "unit/loader/cached_firmware.h"
#include "unit/test.h"
#include "unit/chip/snapshot_scenes.h"
#include "unit/chip/state_difference.h"

enum { MOST_WINDOWS = 4, SCENES = 6 };

static void pass(struct penrose_chip *chip, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    penrose_run(chip, &run);
}

static struct penrose_chip *copy_of(struct penrose_chip *chip, unsigned threads)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *copy = NULL;
    struct penrose_error error = {0};
    void *bytes, *again;
    size_t size, again_size;
    options.threads = threads;
    ck_assert_msg(penrose_snapshot_to_memory(chip, &bytes, &size, &error) == PENROSE_OK, "%s",
                  error.text);
    ck_assert_msg(penrose_snapshot_from_memory(&options, bytes, size, &copy, &error) == PENROSE_OK,
                  "%s", error.text);
    ck_assert_uint_eq(penrose_state_hash(copy), penrose_state_hash(chip));
    /* Equal chips have equal snapshots. */
    ck_assert_int_eq(penrose_snapshot_to_memory(copy, &again, &again_size, NULL), PENROSE_OK);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(bytes, again, size);
    free(bytes);
    free(again);
    return copy;
}

static void compare_faults(struct penrose_chip *chip, struct penrose_chip *copy)
{
    struct penrose_fault fault, other;
    struct penrose_unmodelled use, other_use;
    ck_assert_uint_eq(penrose_fault_count(chip), penrose_fault_count(copy));
    for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
        ck_assert(penrose_fault_get(copy, i, &other));
        ck_assert_str_eq(fault.rule, other.rule);
        ck_assert_uint_eq(fault.cycle, other.cycle);
        ck_assert_uint_eq(fault.repeated, other.repeated);
    }
    for (size_t i = 0; penrose_unmodelled_get(chip, i, &use); i++) {
        ck_assert(penrose_unmodelled_get(copy, i, &other_use));
        ck_assert_str_eq(use.range, other_use.range);
        ck_assert_uint_eq(use.times, other_use.times);
    }
}

static void go_on_alike(struct penrose_chip *chip, struct penrose_chip *copy, unsigned windows,
                        const char *name)
{
    for (unsigned i = 0; i < windows; i++) {
        const struct penrose_run run = {
            .size = sizeof run, .cycles = 100 + 300 * (i % 3), .pass_quiet_time = i % 2 == 0};
        ck_assert_int_eq(penrose_run(chip, &run), penrose_run(copy, &run));
        ck_assert_uint_eq(penrose_now(chip), penrose_now(copy));
        ck_assert_uint_eq(penrose_last_activity(chip), penrose_last_activity(copy));
        ck_assert_msg(penrose_state_hash(chip) == penrose_state_hash(copy),
                      "%s: window %u, cycle %llu: %s", name, i,
                      (unsigned long long)penrose_now(chip), state_difference(chip, copy));
    }
    compare_faults(chip, copy);
}

/* --- Going on --- */

TEST_EACH(scene_goes_on_from_any_moment, (SCENES * SCENE_SCHEDULES))
{
    const struct scene *scene = scene_at((unsigned)_i % SCENES);
    unsigned schedule = (unsigned)_i / SCENES;
    struct penrose_chip *chip = scene_chip(scene, schedule, 1);
    if (!scene->make(chip, 7 + schedule)) {
        printf("%s: its guest programs are not built\n", scene->name);
    }
    for (unsigned i = 0; i < scene->steps; i++) {
        struct penrose_chip *copy = copy_of(chip, 1 + i % 2);
        go_on_alike(chip, copy, MOST_WINDOWS, scene->name);
        penrose_chip_destroy(copy);
        pass(chip, scene->step);
    }
    penrose_chip_destroy(chip);
}

/* What a new chip does not have zeros in can be zeros in the saved one: base firmware of Ethernet
 * tiles, tables of ARC, registers. Words that cannot be written stay what they are. */
TEST_EACH(zeros_stay_zeros, 9)
{
    static const struct {
        unsigned x, y;
        uint64_t first, bytes;
    } rows[] = {
        {1, 2, 0, 0x180000},           {25, 25, 0, 0x80000},
        {25, 25, 0x70000, 0x400},      {17, 12, UINT64_C(0x2000000000), 0x20000},
        {17, 12, 0, 0x4000},           {8, 0, 0x10000000, 0x80000},
        {25, 25, 0xffb90000, 0x20000}, {25, 25, 0xffb20000, 0x20000},
        {1, 2, 0xffb40000, 0x40000},
    };
    enum { STEP = 0x1000 };
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip;
    unsigned done = 0;
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    for (uint64_t at = 0; at < rows[_i].bytes; at += STEP) {
        static const uint8_t zeros[STEP];
        uint64_t address = rows[_i].first + at;
        if (penrose_write(chip, rows[_i].x, rows[_i].y, address, zeros, STEP, NULL) == PENROSE_OK) {
            done++;
            continue;
        }
        for (uint64_t word = 0; word < STEP; word += 4) {
            done += penrose_poke(chip, rows[_i].x, rows[_i].y, address + word, zeros, 4, NULL) ==
                    PENROSE_OK;
        }
    }
    ck_assert_uint_gt(done, 0);
    struct penrose_chip *copy = copy_of(chip, 1);
    penrose_chip_destroy(copy);
    penrose_chip_destroy(chip);
}

/* A stopped chip is stopped when it was loaded, too, and goes on after penrose_fault_clear. */
TEST(stopped_chip_stays_stopped)
{
    struct penrose_options options = {.size = sizeof options};
    struct penrose_chip *chip, *copy;
    const uint32_t program[] = {0xffffffff, 0x00150513 /* addi a0, a0, 1 */, 0x00100073};
    const struct penrose_run run = {.size = sizeof run, .cycles = 5000};
    struct penrose_hart_info info;
    options.card = "p100a";
    ck_assert_int_eq(penrose_chip_create(&options, &chip, NULL), PENROSE_OK);
    penrose_write(chip, 3, 4, 0x100, program, sizeof program, NULL);
    penrose_hart_release(chip, 3, 4, PENROSE_TRISC1, 0x100, NULL);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_FAULT);
    copy = copy_of(chip, 0);
    ck_assert_int_eq(penrose_run(copy, &run), PENROSE_FAULT);
    ck_assert(penrose_tile_kind(copy, 16, 4) != PENROSE_TILE_TENSIX); /* the same card */
    compare_faults(chip, copy);
    const uint32_t nop = 0x13;
    penrose_write(copy, 3, 4, 0x100, &nop, 4, NULL);
    penrose_fault_clear(copy);
    penrose_run(copy, &run);
    penrose_hart_info(copy, 3, 4, PENROSE_TRISC1, &info, NULL);
    ck_assert_int_eq(info.state, PENROSE_HART_PAUSED);
    ck_assert_uint_eq(info.x[10], 1);
    penrose_chip_destroy(copy);
    penrose_chip_destroy(chip);
}

/* --- Functional chips that become timed --- */

static struct penrose_chip *timed_copy_of(struct penrose_chip *chip, unsigned threads)
{
    struct penrose_options options = {.size = sizeof options, .timed = true};
    struct penrose_chip *copy = NULL;
    struct penrose_error error = {0};
    void *bytes;
    size_t size;
    options.threads = threads;
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, NULL), PENROSE_OK);
    ck_assert_msg(penrose_snapshot_from_memory(&options, bytes, size, &copy, &error) == PENROSE_OK,
                  "%s", error.text);
    free(bytes);
    return copy;
}

static unsigned tiles_with_packets_to_come(const struct penrose_chip *chip)
{
    unsigned count = 0;
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        count += tile && tile->inbox.earliest != UINT64_MAX;
    }
    return count;
}

/* Packets that left in the functional run arrive in the timed one, in the same order for any number of
 * host threads, and before and after another snapshot. */
TEST_EACH(packets_under_way_arrive_in_a_timed_run, SCENE_SCHEDULES)
{
    const struct scene *scene = scene_at(1);
    struct penrose_chip *chip = scene_chip(scene, (unsigned)_i, 1);
    ck_assert(scene->make(chip, 7));
    unsigned tiles = 0;
    for (unsigned i = 0; i < 3; i++) {
        pass(chip, scene->step);
        tiles += tiles_with_packets_to_come(chip);
        struct penrose_chip *one = timed_copy_of(chip, 1), *two = timed_copy_of(chip, 2);
        go_on_alike(one, two, MOST_WINDOWS, scene->name);
        struct penrose_chip *again = copy_of(one, 2);
        go_on_alike(two, again, MOST_WINDOWS, scene->name);
        penrose_chip_destroy(again);
        penrose_chip_destroy(two);
        penrose_chip_destroy(one);
    }
    ck_assert_uint_gt(tiles, 0);
    penrose_chip_destroy(chip);
}

static bool is_enough(struct penrose_chip *chip, void *context)
{
    (void)chip, (void)context;
    return true;
}

/* A hart that is alone has long windows. One that a breakpoint has cut is not gone through to its end in
 * the timed run. */
TEST(paused_chip_has_timed_windows)
{
    enum { CODE = 0x100, STEPS = 3000, MOST_TIMED_CYCLES = 20 };
    const uint32_t program[] = {0x00150513 /* addi a0, a0, 1 */, 0xffdff06f /* jal zero, -4 */};
    const struct penrose_run run = {.size = sizeof run, .cycles = 100000},
                             first = {.size = sizeof run, .cycles = 100000, .until = is_enough};
    struct penrose_chip *chip = scene_chip(NULL, 0, 1);
    penrose_write(chip, 3, 4, CODE, program, sizeof program, NULL);
    ck_assert_int_eq(penrose_hart_release(chip, 3, 4, PENROSE_TRISC1, CODE, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_hart_step(chip, 3, 4, PENROSE_TRISC1, STEPS, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_PAUSED);
    ck_assert_uint_gt(chip->head.time.cut.end, penrose_now(chip) + MOST_TIMED_CYCLES);
    struct penrose_chip *copy = timed_copy_of(chip, 1);
    uint64_t before = penrose_now(copy);
    ck_assert_int_eq(penrose_run(copy, &first), PENROSE_CONDITION);
    ck_assert_uint_le(penrose_now(copy), before + MOST_TIMED_CYCLES);
    penrose_chip_destroy(copy);
    penrose_chip_destroy(chip);
}

TEST(costs_are_for_timed_chips)
{
    struct penrose_options options = {.size = sizeof options, .costs = "noc=2x"};
    struct penrose_chip *chip = scene_chip(NULL, 0, 1), *copy;
    struct penrose_error error;
    void *bytes;
    size_t size;
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &size, NULL), PENROSE_OK);
    ck_assert_int_eq(penrose_snapshot_from_memory(&options, bytes, size, &copy, &error),
                     PENROSE_E_ARGUMENT);
    ck_assert_ptr_null(copy);
    ck_assert_str_eq(error.text, "costs are for timed runs; set timed, too");
    options.timed = true;
    ck_assert_int_eq(penrose_snapshot_from_memory(&options, bytes, size, &copy, &error),
                     PENROSE_OK);
    free(bytes);
    penrose_chip_destroy(copy);
    penrose_chip_destroy(chip);
}

/* --- Files --- */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, P_tmpdir "/check_snapshot.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *file(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Files in the folder; they are removed with `removes`. */
static unsigned files(bool removes)
{
    DIR *directory = opendir(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] != '.') {
            count++;
            if (removes) {
                remove(file(entry->d_name));
            }
        }
    }
    closedir(directory);
    return count;
}

static void remove_folder(void)
{
    files(true);
    rmdir(folder);
}

FIXTURE(make_folder, remove_folder);

/* Another process loads the file and tells the hash after each window. */
TEST_EACH(other_process_goes_on, SCENE_SCHEDULES)
{
    const struct scene *scene = scene_at(1);
    struct penrose_chip *chip = scene_chip(NULL, (unsigned)_i, 1), *copy;
    struct penrose_error error = {0};
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    scene->make(chip, 5);
    pass(chip, 4000);
    ck_assert_msg(penrose_snapshot_save(chip, file("a"), &error) == PENROSE_OK, "%s", error.text);
    pid_t child = fork();
    if (child == 0) {
        if (penrose_snapshot_load(NULL, file("a"), &copy, NULL) != PENROSE_OK) {
            _exit(1);
        }
        for (unsigned i = 0; i < 20; i++) {
            pass(copy, 700);
            uint64_t hash = penrose_state_hash(copy);
            if (write(ends[1], &hash, sizeof hash) != sizeof hash) {
                _exit(1);
            }
        }
        penrose_chip_destroy(copy);
        _exit(0);
    }
    close(ends[1]);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t hash = 0;
        pass(chip, 700);
        ck_assert_int_eq(read(ends[0], &hash, sizeof hash), sizeof hash);
        ck_assert_uint_eq(hash, penrose_state_hash(chip));
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    close(ends[0]);
    penrose_chip_destroy(chip);
}

TEST(file_appears_when_it_is_complete)
{
    struct penrose_chip *chip = scene_chip(NULL, 0, 1), *copy;
    struct penrose_error error = {0};
    struct rlimit old, small = {.rlim_cur = 3000};
    struct stat before, after;
    scene_at(1)->make(chip, 1);
    ck_assert_int_eq(penrose_snapshot_save(chip, file("a"), &error), PENROSE_OK);
    ck_assert_int_eq(stat(file("a"), &before), 0);
    pass(chip, 9000);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN); /* as on a full disk: a write fails */
    setrlimit(RLIMIT_FSIZE, &small);
    ck_assert_int_eq(penrose_snapshot_save(chip, file("a"), &error), PENROSE_E_FILE);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be written"));
    ck_assert_int_eq(stat(file("a"), &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    ck_assert_uint_eq((size_t)before.st_size, (size_t)after.st_size);
    ck_assert_uint_eq(files(false), 1);
    ck_assert_int_eq(penrose_snapshot_load(NULL, file("a"), &copy, &error), PENROSE_OK);
    penrose_chip_destroy(copy);
    /* Through a link to it. */
    char link[512];
    snprintf(link, sizeof link, "%s", file("link"));
    ck_assert_int_eq(symlink(file("a"), link), 0);
    ck_assert_int_eq(penrose_snapshot_save(chip, link, &error), PENROSE_OK);
    ck_assert_int_eq(lstat(link, &after), 0);
    ck_assert(S_ISLNK(after.st_mode));
    penrose_chip_destroy(chip);
}

static const struct {
    const char *path, *text;
    bool saves;
} bad_paths[] = {
    {"/nowhere/at/all", "No such file", false},
    {"/nowhere/at/all", "No such file", true},
    {"/tmp", "directory", false},
    {"/tmp", "directory", true},
    {"/dev/null", "no snapshot", false},
    {"/dev/null", "no file", true},
    {"", "No such file", false},
    {"", "", true},
};

TEST_EACH(bad_paths_are_reported, COUNT(bad_paths))
{
    struct penrose_chip *chip = scene_chip(NULL, 0, 1), *copy = chip;
    struct penrose_error error = {0};
    enum penrose_status status =
        bad_paths[_i].saves ? penrose_snapshot_save(chip, bad_paths[_i].path, &error)
                            : penrose_snapshot_load(NULL, bad_paths[_i].path, &copy, &error);
    ck_assert(status == PENROSE_E_FILE || status == PENROSE_E_FORMAT);
    ck_assert_msg(strstr(error.text, bad_paths[_i].text) != NULL, "%s", error.text);
    ck_assert(bad_paths[_i].saves || copy == NULL);
    penrose_chip_destroy(chip);
}

static enum penrose_status save_error;

static bool save_while_running(void *context, struct tile *tile, const struct observed *event)
{
    (void)tile;
    (void)event;
    void *bytes = NULL;
    size_t size;
    save_error = penrose_snapshot_to_memory(context, &bytes, &size, NULL);
    free(bytes);
    return false;
}

static bool save_between_windows(struct penrose_chip *chip, void *context)
{
    struct penrose_chip **copy = context;
    if (!*copy) {
        *copy = copy_of(chip, 0);
        return false;
    }
    pass(*copy, penrose_now(chip) - penrose_now(*copy));
    ck_assert_uint_eq(penrose_state_hash(chip), penrose_state_hash(*copy));
    return false;
}

TEST(running_chip_is_not_saved)
{
    struct penrose_chip *chip = scene_chip(NULL, 0, 1), *copy = NULL;
    const struct penrose_run run = {
        .size = sizeof run, .cycles = 3000, .until = save_between_windows, .context = &copy};
    scene_at(1)->make(chip, 1);
    penrose_run(chip, &run);
    ck_assert_ptr_nonnull(copy);
    penrose_chip_destroy(copy);
    struct observer saver = {
        .kinds = 1 << OBSERVED_STARTS, .see = save_while_running, .context = chip};
    ck_assert_int_eq(chip_observe(chip, &saver, NULL), PENROSE_OK);
    pass(chip, 256);
    ck_assert_int_eq(save_error, PENROSE_E_STATE);
    penrose_chip_destroy(chip);
}

/* --- All of a chip --- */

struct booting {
    struct penrose_firmware *firmware;
};

static bool is_ready(struct penrose_chip *chip, void *context)
{
    const struct booting *booting = context;
    for (unsigned y = 0; y < 12; y++) {
        for (unsigned x = 0; x < 17; x++) {
            if (penrose_tile_kind(chip, x, y) == PENROSE_TILE_TENSIX &&
                !penrose_firmware_ready(chip, x, y, booting->firmware)) {
                return false;
            }
        }
    }
    return true;
}

static void boot_all(struct penrose_chip *chip, struct penrose_firmware *firmware)
{
    struct penrose_error error = {0};
    for (unsigned y = 0; y < 26; y++) {
        for (unsigned x = 0; x < 20; x++) {
            bool is_dram = x >= 17 && x <= 18 && y >= 12 && y <= 23;
            if (penrose_tile_kind(chip, x, y) == PENROSE_TILE_TENSIX || is_dram) {
                ck_assert_msg(penrose_boot(chip, x, y, firmware, &error) == PENROSE_OK, "%s",
                              error.text);
            }
        }
    }
}

TEST_EACH(booted_chip_goes_on, 3)
{
    static const unsigned schedules[] = {0, 2, 3};
    const char *path = cached_firmware_set();
    struct booting booting;
    struct penrose_error error = {0};
    const struct penrose_run run = {
        .size = sizeof run, .cycles = 1000000, .until = is_ready, .context = &booting};
    struct stat status;
    if (!path) {
        return;
    }
    ck_assert_msg(penrose_firmware_open(NULL, path, &booting.firmware, &error) == PENROSE_OK, "%s",
                  error.text);
    struct penrose_chip *chip = scene_chip(NULL, schedules[_i], 1);
    boot_all(chip, booting.firmware);
    pass(chip, 2000);
    struct penrose_chip *copy = copy_of(chip, 2); /* in the middle of booting */
    ck_assert_int_eq(penrose_run(chip, &run), PENROSE_CONDITION);
    ck_assert_int_eq(penrose_run(copy, &run), PENROSE_CONDITION);
    go_on_alike(chip, copy, 4, "booted");
    penrose_chip_destroy(copy);
    ck_assert_int_eq(penrose_snapshot_save(chip, file("a"), &error), PENROSE_OK);
    ck_assert_int_eq(stat(file("a"), &status), 0);
    ck_assert_int_lt(status.st_size, 30 << 20);
    ck_assert_int_eq(penrose_snapshot_load(NULL, file("a"), &copy, &error), PENROSE_OK);
    ck_assert_uint_eq(penrose_state_hash(chip), penrose_state_hash(copy));
    ck_assert(is_ready(chip, &booting)); /* tiles catch up, which nobody can tell */
    ck_assert_uint_eq(penrose_state_hash(chip), penrose_state_hash(copy));
    ck_assert(is_ready(copy, &booting));
    go_on_alike(chip, copy, 4, "ready");
    penrose_chip_destroy(copy);
    penrose_chip_destroy(chip);
    penrose_firmware_close(booting.firmware);
}

/* --- Damage --- */

static uint8_t *good;
static size_t good_size;
static uint64_t good_hash;

static void make_good(void)
{
    struct penrose_chip *chip = scene_chip(NULL, 2, 1);
    void *bytes;
    scene_at(1)->make(chip, 1);
    pass(chip, 3000);
    ck_assert_int_eq(penrose_snapshot_to_memory(chip, &bytes, &good_size, NULL), PENROSE_OK);
    good = bytes;
    good_hash = penrose_state_hash(chip);
    penrose_chip_destroy(chip);
}

static void free_good(void)
{
    free(good);
}

FIXTURE(make_good, free_good);

static void refuse(const void *bytes, size_t size, const char *text)
{
    struct penrose_chip *chip = NULL;
    struct penrose_error error = {0};
    ck_assert_int_eq(penrose_snapshot_from_memory(NULL, bytes, size, &chip, &error),
                     PENROSE_E_FORMAT);
    ck_assert_ptr_null(chip);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
    ck_assert_uint_lt(strlen(error.text), 220);
}

/* A frame may have bits that mean nothing; then it is the same snapshot. */
static void refuse_or_same(const void *bytes, size_t size)
{
    struct penrose_chip *chip = NULL;
    if (penrose_snapshot_from_memory(NULL, bytes, size, &chip, NULL) == PENROSE_OK) {
        ck_assert_uint_eq(penrose_state_hash(chip), good_hash);
        penrose_chip_destroy(chip);
        return;
    }
    refuse(bytes, size, "");
}

TEST(truncated_snapshots_are_refused)
{
    uint32_t seed = 1;
    for (size_t size = 0; size < 100; size++) {
        refuse(good, size, size < 64 ? "no snapshot" : "damaged");
    }
    for (unsigned i = 0; i < 60; i++) {
        refuse(good, 64 + scene_random(&seed, (uint32_t)good_size - 64), "damaged");
    }
    refuse(good, good_size - 1, "damaged");
}

TEST(changed_snapshots_are_refused)
{
    uint32_t seed = 2;
    uint8_t *bytes = malloc(good_size + 1);
    ck_assert_ptr_nonnull(bytes);
    for (unsigned i = 0; i < 200; i++) {
        size_t at = i < 64 ? i : 64 + scene_random(&seed, (uint32_t)good_size - 64);
        memcpy(bytes, good, good_size);
        bytes[at] ^= (uint8_t)(1u << scene_random(&seed, 8));
        refuse_or_same(bytes, good_size);
    }
    memcpy(bytes, good, good_size);
    bytes[good_size] = 0;
    refuse(bytes, good_size + 1, "damaged");
    free(bytes);
}

TEST(other_snapshots_are_refused)
{
    uint8_t *bytes = malloc(good_size);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, good, good_size);
    bytes[8]++;
    refuse(bytes, good_size, "format 5");
    bytes[8]--;
    bytes[16]++;
    refuse(bytes, good_size, "another build");
    bytes[16]--;
    bytes[24] = 0;
    refuse(bytes, good_size, "it has 0 chips, and a cluster has 1 to 64");
    bytes[24] = 65;
    refuse(bytes, good_size, "it has 65 chips");
    bytes[24] = 2;
    refuse(bytes, good_size, "damaged");
    bytes[24] = 1;
    bytes[48]++;
    refuse(bytes, good_size, "of the kind 'clackhole', which this build has not");
    bytes[48]--;
    bytes[0] = 'p';
    refuse(bytes, good_size, "no snapshot");
    refuse("\x7f"
           "ELF and much more that follows in such a file, which has more than a header takes",
           80, "no snapshot");
    free(bytes);
}
