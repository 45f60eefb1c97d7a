/*
 * Booting firmware as a host does: see boot.h. Which writes there are and in which order was seen
 * in a trace of ttnn 0.81.1: per worker two to the reset register, texts, initialised data, bank
 * tables, the jump at 0, the launch ring and some 70 small ones to the mailboxes.
 */
#include "boot.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "copy.h"
#include "eth/base_firmware.h"
#include "host/environment.h"
#include "loader/companion.h"

enum {
    SMALL_WRITES = 64,
    MOST_POLLS = 1 << 20,
    ETHERNET_TILES = 12,
    ETHERNET_X = 20,
    ETHERNET_Y = 25,
};

/* What tiles of a kind boot. */
struct boot_image {
    const struct loader_layout *layout;
    struct loader_writes writes; /* to any of them; a worker's mailboxes come last */
    uint32_t entry; /* of Ethernet tiles, 0: a worker, which begins with the jump at 0 */
};

struct boot {
    struct loader_firmware *loader;
    struct loader_companion *companion; /* for Ethernet tiles; NULL: the set has none */
    struct boot_image worker, ethernet;
};

/* A tile that boots. */
struct boot_tile {
    unsigned x, y;
    const struct boot_image *image;
    bool is_ready;
};

/* --- Firmware --- */

static void open_worker(struct boot *boot, const char *directory)
{
    struct penrose_error error;
    uint16_t banks[2 * COPY_BANKS];
    int32_t offsets[COPY_BANKS] = {0};
    const struct loader_boot nobody = {.dram_bank_to_noc_xy = banks,
                                       .bank_to_dram_offset = offsets};
    for (unsigned i = 0; i < 2 * COPY_BANKS; i++) { /* the same names on both NoCs */
        unsigned x, y;
        copy_bank_at(i % COPY_BANKS, &x, &y);
        banks[i] = (uint16_t)(y << 6 | x);
    }
    if (loader_firmware_open(&arch, rv32_find_operands, directory, &boot->loader, &error) !=
            PENROSE_OK ||
        loader_firmware_boot(boot->loader, &nobody, &boot->worker.writes, &error) != PENROSE_OK) {
        bench_die(directory, error.text);
    }
    boot->worker.layout = &boot->loader->layout;
}

/* Older sets have none for Ethernet tiles. */
static void open_ethernet(struct boot *boot, const char *directory)
{
    struct penrose_error error;
    const struct loader_boot nobody = {0};
    enum penrose_status status = loader_companion_open(
        &arch, rv32_find_operands, directory, LOADER_IDLE_ETHERNET, &boot->companion, &error);
    if (status == PENROSE_E_FILE) {
        return;
    }
    if (status != PENROSE_OK ||
        loader_companion_boot(boot->companion, &nobody, &boot->ethernet.writes, &error) !=
            PENROSE_OK) {
        bench_die(directory, error.text);
    }
    boot->ethernet.layout = &boot->companion->layout;
    boot->ethernet.entry = boot->companion->entry[0];
}

struct boot *boot_open(const char *directory)
{
    struct boot *boot = calloc(1, sizeof *boot);
    if (!boot) {
        bench_die(directory, "out of memory");
    }
    open_worker(boot, directory);
    open_ethernet(boot, directory);
    return boot;
}

const struct loader_firmware *boot_firmware(const struct boot *boot)
{
    return boot->loader;
}

void boot_close(struct boot *boot)
{
    loader_writes_free(&boot->worker.writes);
    loader_writes_free(&boot->ethernet.writes);
    loader_companion_close(boot->companion);
    loader_firmware_close(boot->loader);
    free(boot);
}

/* --- A tile --- */

static uint32_t go_message(const struct boot_image *image)
{
    return image->layout->mailbox_base + image->layout->mailboxes_go_messages.offset;
}

/* Writes a member of the mailboxes, which a list of writes has as one piece. */
static void write_member(struct bench_device *device, const struct boot_tile *tile,
                         const struct loader_write *mailboxes, const struct loader_member *member)
{
    bench_write(device, tile->x, tile->y, mailboxes->address + member->offset,
                mailboxes->bytes + member->offset, member->size * member->count);
}

static void write_mailboxes(struct bench_device *device, const struct boot_tile *tile,
                            const struct loader_write *mailboxes)
{
    const struct loader_layout *layout = tile->image->layout;
    write_member(device, tile, mailboxes, &layout->mailboxes_core_info);
    for (uint32_t i = 0; i < SMALL_WRITES; i++) { /* at the end, where profilers have their words */
        bench_write_word(device, tile->x, tile->y,
                         mailboxes->address + mailboxes->size / 4 * 4 - 4 * i - 4, 0);
    }
    write_member(device, tile, mailboxes, &layout->mailboxes_launch);
    write_member(device, tile, mailboxes, &layout->mailboxes_launch_msg_rd_ptr);
    write_member(device, tile, mailboxes, &layout->mailboxes_go_message_index);
    bench_write(device, tile->x, tile->y, go_message(tile->image),
                mailboxes->bytes + layout->mailboxes_go_messages.offset, 4);
}

static void load(struct bench_device *device, const struct boot_tile *tile)
{
    const struct loader_writes *writes = &tile->image->writes;
    unsigned whole = writes->count - (tile->image->entry ? 0 : 1);
    for (unsigned i = 0; i < whole; i++) {
        const struct loader_write *write = &writes->write[i];
        bench_write(device, tile->x, tile->y, write->address, write->bytes, write->size);
    }
    if (tile->image->entry) {
        bench_write_word(device, tile->x, tile->y, AT_RESET_PC, tile->image->entry);
    } else {
        write_mailboxes(device, tile, &writes->write[whole]);
    }
}

static uint32_t poll(struct bench_device *device, const struct boot_tile *tile, uint32_t address)
{
    uint32_t word = bench_word(device, tile->x, tile->y, address);
    device->clock(1);
    return word;
}

static bool becomes_ready(struct bench_device *device, struct boot_tile *tile)
{
    unsigned shift = 8 * tile->image->layout->go_msg_signal.offset;
    tile->is_ready = (poll(device, tile, go_message(tile->image)) >> shift & 0xff) == 0;
    return tile->is_ready;
}

/* --- Many --- */

/* Polls all that are not ready in turn. */
static void wait_for_all(struct bench_device *device, struct boot_tile *tiles, unsigned count)
{
    unsigned polls = 0;
    for (unsigned waiting = count; waiting > 0;) {
        for (unsigned i = 0; i < count; i++) {
            waiting -= !tiles[i].is_ready && becomes_ready(device, &tiles[i]);
        }
        if (++polls > MOST_POLLS) {
            bench_die("firmware", "does not become ready");
        }
    }
}

/* Computes for so many seconds; returns how long it was. */
static double compute(double seconds)
{
    double start = bench_wall(), now = start;
    while (now - start < seconds) {
        now = bench_wall();
    }
    return now - start;
}

/* Workers are reset at once, Ethernet tiles just before they are loaded. */
static double boot_tiles(struct bench_device *device, struct boot_tile *tiles, unsigned count,
                         double pause)
{
    for (unsigned i = 0; i < count; i++) {
        if (!tiles[i].image->entry) {
            bench_reset(device, tiles[i].x, tiles[i].y, BENCH_ALL_HELD);
            bench_reset(device, tiles[i].x, tiles[i].y, BENCH_ALL_HELD);
        }
    }
    pause = pause > 0 ? compute(pause) : 0;
    for (unsigned i = 0; i < count; i++) {
        if (tiles[i].image->entry) {
            poll(device, &tiles[i], AT_SOFT_RESET_0);
            bench_reset(device, tiles[i].x, tiles[i].y, BENCH_ALL_HELD);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        load(device, &tiles[i]);
    }
    for (unsigned i = 0; i < count; i++) { /* the same bit lets BRISC and E0 run */
        poll(device, &tiles[i], AT_SOFT_RESET_0);
        bench_reset(device, tiles[i].x, tiles[i].y, BENCH_BRISC_RUNS);
    }
    wait_for_all(device, tiles, count);
    return pause;
}

static unsigned add_workers(const struct boot *boot, unsigned first, unsigned last,
                            struct boot_tile *tiles)
{
    unsigned count = 0;
    for (unsigned i = first; i <= last; i++) {
        tiles[count] = (struct boot_tile){.image = &boot->worker};
        bench_worker(i, &tiles[count].x, &tiles[count].y);
        count++;
    }
    return count;
}

void boot_workers(struct bench_device *device, const struct boot *boot, unsigned first,
                  unsigned last)
{
    struct boot_tile tiles[BENCH_WORKERS];
    boot_tiles(device, tiles, add_workers(boot, first, last, tiles), 0);
}

void boot_probe(struct bench_device *device)
{
    for (unsigned i = 0; i < ETHERNET_TILES; i++) {
        const struct boot_tile tile = {.x = ETHERNET_X + i, .y = ETHERNET_Y};
        poll(device, &tile, ETH_BASE_PORT_STATUS);
    }
}

double boot_chip(struct bench_device *device, const struct boot *boot, double pause)
{
    struct boot_tile tiles[BENCH_WORKERS + ETHERNET_TILES];
    unsigned count = add_workers(boot, 0, BENCH_WORKERS - 1, tiles);
    for (unsigned i = 0; i < ETHERNET_TILES && boot->companion; i++) {
        tiles[count++] =
            (struct boot_tile){.x = ETHERNET_X + i, .y = ETHERNET_Y, .image = &boot->ethernet};
    }
    return boot_tiles(device, tiles, count, pause);
}

char *boot_find(void)
{
    char cache[PATH_MAX / 2], pattern[PATH_MAX];
    if (!host_cache(cache, sizeof cache)) {
        return NULL;
    }
    snprintf(pattern, sizeof pattern, "%s/ttnn-*/pre-compiled/*/drisc", cache);
    glob_t found;
    char *directory = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        directory = strndup(found.gl_pathv[0], strlen(found.gl_pathv[0]) - strlen("/drisc"));
        globfree(&found);
    }
    return directory;
}
