/* Life of a chip, its grid, memory and harts: the first half of penrose.h. */
#include "chip/chip.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "isa/export.h"
#include "tile/weak.h"

enum { MOST_QUANTUM = 65536 };
#define SOFT_RESET_0 UINT32_C(0xffb121b0)

static const struct penrose_options default_options = {
    .schedule = PENROSE_FAST,
    .policy =
        {
#define PENROSE_FAULT_KIND(token, name, policy, rule) [PENROSE_FAULT_##token] = PENROSE_##policy,
#include <penrose/fault_kinds.h>
#undef PENROSE_FAULT_KIND
        },
};

PENROSE_EXPORT void penrose_options_default(struct penrose_options *options)
{
    *options = default_options;
}

PENROSE_EXPORT const char *penrose_version(void)
{
    return PACKAGE_VERSION;
}

static enum penrose_status check_options(const struct penrose_options *options,
                                         struct penrose_error *error)
{
    if (options->quantum > MOST_QUANTUM) {
        return error_set(error, PENROSE_E_ARGUMENT, "quantum %u is above %d cycles",
                         options->quantum, MOST_QUANTUM);
    }
    if (options->schedule > PENROSE_RANDOM) {
        return error_set(error, PENROSE_E_ARGUMENT, "schedule %d is unknown",
                         (int)options->schedule);
    }
    for (unsigned kind = 0; kind < PENROSE_FAULT_KINDS; kind++) {
        if (options->policy[kind] > PENROSE_IGNORE) {
            return error_set(error, PENROSE_E_ARGUMENT, "policy %d for %s is unknown",
                             (int)options->policy[kind],
                             penrose_fault_name((enum penrose_fault_kind)kind));
        }
    }
    return PENROSE_OK;
}

/* The set that the environment variable PENROSE_KERNELS names, or the fastest. */
static enum penrose_status choose_kernels(const struct num_kernels **kernels,
                                          struct penrose_error *error)
{
    static const char *const names[] = {"reference", "avx2", "avx512"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const char *wanted = getenv("PENROSE_KERNELS");
    char here[64] = "";
    bool is_known = false;
    *kernels = num_kernels_find(wanted && *wanted ? wanted : NULL);
    if (*kernels) {
        return PENROSE_OK;
    }
    for (unsigned i = 0; i < NAMES; i++) {
        size_t length = strlen(here);
        is_known |= strcmp(wanted, names[i]) == 0;
        if (num_kernels_find(names[i])) {
            snprintf(here + length, sizeof here - length, "%s%s", length ? ", " : "", names[i]);
        }
    }
    return error_set(error, PENROSE_E_ARGUMENT,
                     "PENROSE_KERNELS: %s '%s'; this host has %s; unset it for the fastest",
                     is_known ? "this host cannot run" : "there is no set of kernels", wanted,
                     here);
}

PENROSE_EXPORT const char *penrose_kernels(const struct penrose_chip *chip)
{
    return chip->kernels->name;
}

PENROSE_EXPORT enum penrose_status penrose_chip_create(const struct penrose_options *options,
                                                       struct penrose_chip **chip,
                                                       struct penrose_error *error)
{
    *chip = NULL;
    const struct num_kernels *kernels;
    enum penrose_status status = check_options(options, error);
    status = status ? status : choose_kernels(&kernels, error);
    if (status != PENROSE_OK) {
        return status;
    }
    struct penrose_chip *made = calloc(1, sizeof *made);
    if (made) {
        made->store = rv32_code_store_create();
    }
    if (!made || !made->store) {
        free(made);
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    made->options = *options;
    made->kernels = kernels;
    chip_board_init(&made->board);
    *chip = made;
    return PENROSE_OK;
}

PENROSE_EXPORT void penrose_chip_destroy(struct penrose_chip *chip)
{
    if (!chip) {
        return;
    }
    for (unsigned i = 0; i < chip->made_count; i++) {
        tile_destroy(chip->made[i].tile);
    }
    images_free(&chip->images);
    rv32_code_store_destroy(chip->store);
    free(chip);
}

PENROSE_EXPORT bool penrose_is_worker(unsigned x, unsigned y)
{
    return ((x >= 1 && x <= 7) || (x >= 10 && x <= 16)) && y >= 2 && y <= 11;
}

/* Applies the schedule's options to a new tile; false when memory runs out. */
static bool configure_tile(struct penrose_chip *chip, struct tile *tile)
{
    const struct penrose_options *options = &chip->options;
    tile->now = chip->now;
    tile->tracing = chip->trace != NULL;
    tile->tensix.timed = options->timed;
    tile->tensix.rounds_to_nearest = options->rounds_to_nearest;
    tile->tensix.kernels = chip->kernels;
    if (options->schedule == PENROSE_LOCKSTEP) {
        tile->quantum = 1;
    }
    if (options->quantum) {
        tile->quantum = options->quantum;
    }
    return options->schedule != PENROSE_RANDOM ||
           tile_weak_enable(tile, options->seed ^ (uint64_t)tile->y << 40 ^ (uint64_t)tile->x << 32);
}

static void insert_made(struct penrose_chip *chip, struct tile *tile)
{
    unsigned at = chip->made_count++;
    for (; at > 0; at--) {
        const struct tile *before = chip->made[at - 1].tile;
        if (before->y < tile->y || (before->y == tile->y && before->x < tile->x)) {
            break;
        }
        chip->made[at] = chip->made[at - 1];
    }
    chip->made[at] = (struct made_tile){.tile = tile};
    chip->tile[tile->y][tile->x] = tile;
}

static enum penrose_status make_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                                     struct penrose_error *error)
{
    struct tile *tile = tile_create(x, y, chip->store, &chip->board, chip);
    if (tile && configure_tile(chip, tile)) {
        insert_made(chip, tile);
        return PENROSE_OK;
    }
    tile_destroy(tile);
    error_set(error, PENROSE_E_MEMORY, "no memory for tile (%u, %u)", x, y);
    return PENROSE_E_MEMORY;
}

enum penrose_status chip_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                              struct tile **tile, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    if (!penrose_is_worker(x, y)) {
        error_set(error, PENROSE_E_ARGUMENT,
                  "there is no worker tile at (%u, %u); they are at x 1-7 and 10-16, y 2-11", x, y);
        return PENROSE_E_ARGUMENT;
    }
    chip->touched = true;
    if (!chip->tile[y][x]) {
        status = make_tile(chip, x, y, error);
    }
    *tile = chip->tile[y][x];
    if (*tile && (*tile)->now < chip->now && tile_next_event(*tile) >= chip->now) {
        tile_run(*tile, chip->now); /* it slept, and was not visited */
    }
    return status;
}

/* --- Memory and registers --- */

static const char *const reply_rules[] = {
    [MMIO_UNMAPPED] = "nothing answers there",
    [MMIO_READ_ONLY] = "the register cannot be written",
    [MMIO_NARROW] = "the place takes accesses of another size only, mostly of 32 bits",
    [MMIO_HANG] = "the hardware would never answer",
    [MMIO_UNIMPLEMENTED] = "this version does not model it",
};

static enum penrose_status access_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                                       enum mmio_operation operation, uint64_t address, void *bytes,
                                       size_t size, struct penrose_error *error)
{
    struct tile *tile;
    const char *rule = NULL;
    uint32_t done = 0;
    enum penrose_status status = chip_tile(chip, x, y, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (size > UINT32_MAX || address + size > UINT64_C(1) << 32 || address + size < address) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "tile (%u, %u): %zu bytes at 0x%llx pass the end of its address space", x,
                         y, size, (unsigned long long)address);
    }
    enum mmio_reply reply =
        tile_noc_access(tile, operation, (uint32_t)address, bytes, (uint32_t)size, &done, &rule);
    if (reply == MMIO_OK) {
        return PENROSE_OK;
    }
    uint32_t at = (uint32_t)address + done;
    if (reply == MMIO_WAIT) {
        return error_set(error, PENROSE_E_STATE,
                         "tile (%u, %u): 0x%08x (%s) would keep the request waiting", x, y, at,
                         tile_range_title(AGENT_NOC, at));
    }
    return error_set(error, PENROSE_E_ARGUMENT, "tile (%u, %u): 0x%08x (%s): %s", x, y, at,
                     tile_range_title(AGENT_NOC, at), rule ? rule : reply_rules[reply]);
}

PENROSE_EXPORT enum penrose_status penrose_read(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, void *bytes, size_t size,
                                                struct penrose_error *error)
{
    return access_tile(chip, x, y, MMIO_READ, address, bytes, size, error);
}

PENROSE_EXPORT enum penrose_status penrose_write(struct penrose_chip *chip, unsigned x, unsigned y,
                                                 uint64_t address, const void *bytes, size_t size,
                                                 struct penrose_error *error)
{
    return access_tile(chip, x, y, MMIO_WRITE, address, (void *)(uintptr_t)bytes, size, error);
}

PENROSE_EXPORT enum penrose_status penrose_peek(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, void *bytes, size_t size,
                                                struct penrose_error *error)
{
    return access_tile(chip, x, y, MMIO_PEEK, address, bytes, size, error);
}

PENROSE_EXPORT enum penrose_status penrose_poke(struct penrose_chip *chip, unsigned x, unsigned y,
                                                uint64_t address, const void *bytes, size_t size,
                                                struct penrose_error *error)
{
    return access_tile(chip, x, y, MMIO_POKE, address, (void *)(uintptr_t)bytes, size, error);
}

/* --- Harts --- */

PENROSE_EXPORT const char *penrose_hart_name(enum penrose_hart hart)
{
    return (unsigned)hart < PENROSE_HARTS ? rv32_core_names[hart] : "noc";
}

static enum penrose_status hart_tile(struct penrose_chip *chip, unsigned x, unsigned y,
                                     enum penrose_hart hart, struct tile **tile,
                                     struct penrose_error *error)
{
    if ((unsigned)hart >= PENROSE_HARTS) {
        error_set(error, PENROSE_E_ARGUMENT, "hart %d is unknown; there are %d", (int)hart,
                  PENROSE_HARTS);
        return PENROSE_E_ARGUMENT; /* spelled out: the compiler knows then that `hart` is good */
    }
    return chip_tile(chip, x, y, tile, error);
}

static const enum penrose_hart_state public_states[] = {
    [HART_HELD] = PENROSE_HART_HELD,       [HART_READY] = PENROSE_HART_RUNNING,
    [HART_WAITING] = PENROSE_HART_WAITING, [HART_ASLEEP] = PENROSE_HART_POLLING,
    [HART_PAUSED] = PENROSE_HART_PAUSED,   [HART_FAULTED] = PENROSE_HART_FAULTED,
};

PENROSE_EXPORT enum penrose_status penrose_hart_info(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     struct penrose_hart_info *info,
                                                     struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    const struct rv32_hart *core = &tile->hart[hart];
    const struct tile_hart *run = &tile->run[hart];
    *info = (struct penrose_hart_info){.state = public_states[run->state],
                                       .pc = core->pc,
                                       .retired = core->retired,
                                       .wake = UINT64_MAX};
    memcpy(info->x, core->x, sizeof info->x);
    if (run->state == HART_WAITING) {
        info->wait_address[info->wait_addresses++] = core->access.address;
        info->wait_store = core->access.store;
    } else if (run->state == HART_ASLEEP) {
        info->wake = run->idle.wake;
        for (unsigned i = 0; i < run->idle.places; i++) {
            info->wait_address[info->wait_addresses++] = run->idle.place[i].address;
        }
    }
    return PENROSE_OK;
}

PENROSE_EXPORT enum penrose_status penrose_hart_set(struct penrose_chip *chip, unsigned x,
                                                    unsigned y, enum penrose_hart hart,
                                                    unsigned number, uint32_t value,
                                                    struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (number < 1 || number > 32) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "register %u is unknown; 1 to 31 are x1 to x31, 32 is the pc", number);
    }
    tile_wake(tile, (enum rv32_core)hart);
    if (number == 32) {
        tile->hart[hart].pc = value;
    } else {
        tile->hart[hart].x[number] = value;
    }
    return PENROSE_OK;
}

static enum penrose_status set_reset(struct penrose_chip *chip, struct tile *tile,
                                     enum penrose_hart hart, bool held, struct penrose_error *error)
{
    uint32_t value, bit = tile_reset_bit((enum rv32_core)hart);
    enum penrose_status status =
        penrose_peek(chip, tile->x, tile->y, SOFT_RESET_0, &value, sizeof value, error);
    if (status == PENROSE_OK) {
        value = held ? value | bit : value & ~bit;
        status = penrose_write(chip, tile->x, tile->y, SOFT_RESET_0, &value, sizeof value, error);
    }
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_hart_release(struct penrose_chip *chip, unsigned x,
                                                        unsigned y, enum penrose_hart hart,
                                                        uint32_t pc, struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = hart_tile(chip, x, y, hart, &tile, error);
    if (status != PENROSE_OK) {
        return status;
    }
    if (tile->run[hart].state != HART_HELD) {
        return error_set(error, PENROSE_E_STATE, "%s of tile (%u, %u) is not in reset",
                         penrose_hart_name(hart), x, y);
    }
    status = set_reset(chip, tile, hart, false, error);
    tile->hart[hart].pc = pc;
    return status;
}

PENROSE_EXPORT enum penrose_status penrose_hart_hold(struct penrose_chip *chip, unsigned x,
                                                     unsigned y, enum penrose_hart hart,
                                                     struct penrose_error *error)
{
    struct tile *tile;
    enum penrose_status status = hart_tile(chip, x, y, hart, &tile, error);
    return status == PENROSE_OK ? set_reset(chip, tile, hart, true, error) : status;
}
