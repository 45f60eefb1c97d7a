/*
 * Boots firmware sets on whole chips: 140 workers, 12 Ethernet tiles (one with a loopback, two
 * linked with each other, nine without a link) and 24 DRAM tiles at once, on one and on three host
 * threads, and without shortcuts, which must agree in all of their state; then two chips with a link
 * between them, with and without shortcuts.
 *
 *   check_whole_chip FIRMWARE_DIR...
 *
 * Prints a line a set and a closing count. Exit codes: 0 all passed, 1 otherwise, 2 usage.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <penrose/debug.h>
#include <penrose/metal.h>
#include <penrose/penrose.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

enum { CYCLES = 1000000, TILES = 176, ETHERNET_Y = 25 };

/* Of a process that has booted a chip. */
#define MEMORY_MIB 100.0

struct position {
    unsigned x, y;
};

/* A chip, or two that are linked, and the tiles of them that boot. */
struct machine {
    struct penrose_cluster *cluster;
    struct penrose_chip *chip[2];
    unsigned chips;
    struct penrose_firmware *firmware;
    struct position tile[TILES];
    unsigned tiles;
    unsigned ready; /* so many are known to be */
};

struct outcome {
    uint64_t cycles, state;
    double milliseconds;
};

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* --- Machines --- */

static bool say(const struct penrose_error *error)
{
    printf("%s\n", error->text);
    return false;
}

static bool open_machine(struct machine *machine, const char *directory, unsigned chips,
                         unsigned threads, bool shortcuts)
{
    struct penrose_error error;
    *machine = (struct machine){.chips = chips};
    if (penrose_cluster_create(threads, &machine->cluster, &error) != PENROSE_OK) {
        return say(&error);
    }
    for (unsigned i = 0; i < chips; i++) {
        if (penrose_cluster_add(machine->cluster, NULL, &machine->chip[i], &error) != PENROSE_OK) {
            return say(&error);
        }
        penrose_shortcuts_set(machine->chip[i], shortcuts);
    }
    return penrose_firmware_open(NULL, directory, &machine->firmware, &error) == PENROSE_OK ||
           say(&error);
}

static void close_machine(struct machine *machine)
{
    penrose_cluster_destroy(machine->cluster);
    penrose_firmware_close(machine->firmware);
}

static void add_tiles(struct machine *machine, struct position start, struct position end)
{
    for (unsigned y = start.y; y <= end.y; y++) {
        for (unsigned x = start.x; x <= end.x; x++) {
            if (machine->tiles < TILES &&
                penrose_tile_kind(machine->chip[0], x, y) != PENROSE_NO_TILE) {
                machine->tile[machine->tiles++] = (struct position){x, y};
            }
        }
    }
}

static void add_all_tiles(struct machine *machine)
{
    add_tiles(machine, (struct position){1, 2}, (struct position){7, 11});
    add_tiles(machine, (struct position){10, 2}, (struct position){16, 11});
    add_tiles(machine, (struct position){20, ETHERNET_Y}, (struct position){31, ETHERNET_Y});
    add_tiles(machine, (struct position){17, 12}, (struct position){18, 23});
}

/* --- Booting --- */

/* Whether all tiles of all chips are ready. */
static bool all_ready(struct penrose_chip *chip, void *context)
{
    struct machine *machine = context;
    (void)chip;
    for (; machine->ready < machine->chips * machine->tiles; machine->ready++) {
        struct position tile = machine->tile[machine->ready % machine->tiles];
        if (!penrose_firmware_ready(machine->chip[machine->ready / machine->tiles], tile.x, tile.y,
                                    machine->firmware)) {
            return false;
        }
    }
    return true;
}

static void explain(struct machine *machine, enum penrose_outcome outcome)
{
    static const char *const names[] = {"used up its cycles", "stopped with a fault",
                                        "came to rest"};
    static char text[65536];
    struct position tile = machine->tile[machine->ready % machine->tiles];
    printf("%s; not ready: (%u, %u)\n", names[outcome], tile.x, tile.y);
    for (unsigned i = 0; i < machine->chips; i++) {
        penrose_wait_report(machine->chip[i], text, sizeof text);
        printf("%s", text);
    }
}

/* Active firmware turns interrupts of its tile off, which are not modelled. */
static bool is_expected(const struct penrose_unmodelled *use)
{
    enum { INTERRUPT_MODES = 0x20, INTERRUPT_MODES_END = 0x34 };
    uint32_t offset = use->address - UINT32_C(0xffb14000);
    return use->y == ETHERNET_Y && !use->read && offset >= INTERRUPT_MODES &&
           offset < INTERRUPT_MODES_END;
}

static bool has_no_faults(struct penrose_chip *chip)
{
    struct penrose_fault fault;
    struct penrose_unmodelled use;
    char text[4096];
    bool is_good = true;
    for (size_t i = 0; penrose_fault_get(chip, i, &fault); i++) {
        penrose_fault_format(&fault, text, sizeof text);
        printf("%s", text);
        is_good = false;
    }
    for (size_t i = 0; penrose_unmodelled_get(chip, i, &use); i++) {
        if (is_expected(&use)) {
            continue;
        }
        printf("not modelled: 0x%08x (%s) of tile (%u, %u), pc 0x%08x\n", use.address, use.range,
               use.x, use.y, use.pc);
        is_good = false;
    }
    return is_good;
}

/* Boots the machine's tiles. */
static bool boot(struct machine *machine, struct outcome *outcome)
{
    struct penrose_error error;
    struct penrose_run run = {
        .size = sizeof run, .cycles = CYCLES, .until = all_ready, .context = machine};
    double start = milliseconds();
    for (unsigned i = 0; i < machine->chips * machine->tiles; i++) {
        struct position tile = machine->tile[i % machine->tiles];
        if (penrose_boot(machine->chip[i / machine->tiles], tile.x, tile.y, machine->firmware,
                         &error) != PENROSE_OK) {
            return say(&error);
        }
    }
    enum penrose_outcome end = penrose_run(machine->chip[0], &run);
    outcome->milliseconds = milliseconds() - start;
    outcome->cycles = penrose_now(machine->chip[0]);
    outcome->state = penrose_cluster_state_hash(machine->cluster);
    bool is_good = end == PENROSE_CONDITION;
    if (!is_good) {
        explain(machine, end);
    }
    for (unsigned i = 0; i < machine->chips; i++) {
        is_good &= has_no_faults(machine->chip[i]);
    }
    return is_good;
}

/* --- What boots --- */

static bool boot_whole(const char *directory, unsigned threads, bool shortcuts,
                       struct outcome *outcome)
{
    struct machine machine;
    struct penrose_error error;
    bool is_good = open_machine(&machine, directory, 1, threads, shortcuts);
    if (is_good) {
        add_all_tiles(&machine);
        is_good = machine.tiles == TILES;
        is_good &= penrose_ethernet_link(machine.chip[0], 20, ETHERNET_Y, machine.chip[0], 20,
                                         ETHERNET_Y, &error) == PENROSE_OK;
        is_good &= penrose_ethernet_link(machine.chip[0], 21, ETHERNET_Y, machine.chip[0], 22,
                                         ETHERNET_Y, &error) == PENROSE_OK;
        is_good = is_good && boot(&machine, outcome);
    }
    close_machine(&machine);
    return is_good;
}

/* Active firmware on both ends of a link between two chips. */
static bool boot_pair(const char *directory, bool shortcuts, struct outcome *outcome)
{
    struct machine machine;
    struct penrose_error error;
    bool is_good = open_machine(&machine, directory, 2, 1, shortcuts);
    if (is_good) {
        add_tiles(&machine, (struct position){24, ETHERNET_Y}, (struct position){25, ETHERNET_Y});
        for (unsigned i = 0; i < 2 && is_good; i++) {
            is_good = penrose_ethernet_link(machine.chip[0], 24 + i, ETHERNET_Y, machine.chip[1],
                                            25 - i, ETHERNET_Y, &error) == PENROSE_OK ||
                      say(&error);
        }
        is_good = is_good && boot(&machine, outcome);
    }
    close_machine(&machine);
    return is_good;
}

static bool is_same(const char *what, const struct outcome *one, const struct outcome *other)
{
    bool is_same = one->cycles == other->cycles && one->state == other->state;
    if (!is_same) {
        printf("%s: another result, %llu and %llu cycles\n", what,
               (unsigned long long)other->cycles, (unsigned long long)one->cycles);
    }
    return is_same;
}

static bool check_set(const char *directory)
{
    struct outcome one = {0}, three = {0}, core = {0}, pair = {0}, pair_core = {0};
    if (!boot_whole(directory, 1, true, &one) || !boot_whole(directory, 3, true, &three) ||
        !boot_whole(directory, 2, false, &core) || !boot_pair(directory, true, &pair) ||
        !boot_pair(directory, false, &pair_core)) {
        return false;
    }
    if (!is_same("three threads", &one, &three) ||
        !is_same("two threads, no shortcuts", &one, &core) ||
        !is_same("two chips, no shortcuts", &pair, &pair_core)) {
        return false;
    }
    printf("%d tiles ready after %llu cycles, %.1f ms on 1 thread, %.1f ms on 3; two chips: %llu "
           "cycles\n",
           TILES, (unsigned long long)one.cycles, one.milliseconds, three.milliseconds,
           (unsigned long long)pair.cycles);
    return true;
}

static bool check_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double mib = (double)usage.ru_maxrss / 1024;
    printf("most memory: %.1f MiB\n", mib);
#ifdef PENROSE_NO_TAIL_CALLS /* sanitizers take memory of their own */
    return true;
#else
    return mib < MEMORY_MIB;
#endif
}

int main(int argc, char **argv)
{
    int passed = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FIRMWARE_DIR...\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        const char *name = strrchr(argv[i], '/');
        printf("%-20s ", name ? name + 1 : argv[i]);
        passed += check_set(argv[i]);
    }
    printf("whole chips: %d sets passed, %d failed\n", passed, argc - 1 - passed);
    return !check_memory() || passed != argc - 1;
}
