/*
 * A host on the libttsim ABI, as tt-metal is one: boots firmware on two workers, and launches the
 * five kernels of firmware/kernels on them, first with go signals of its own, then with signals that
 * a third worker sends over the NoC, which counts from then on in its L1. Between the first two go
 * signals it writes a semaphore of the second tile, as if the first had.
 *
 *   launching_host FIRMWARE KERNELS [CHIP [alone]]
 *
 * The chip is one of several, counted from 0. With `alone`, a third launch follows on the first tile
 * only.
 *
 * Prints the five words that each launch leaves on each tile. Exit codes: 0 done, 1 otherwise, 2
 * usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <penrose/penrose.h>

#include "abi/libttsim.h"
#include "addresses.h"
#include "loader/launched.h"
#include "noc/niu.h"

enum {
    Y = 2, /* of all tiles */
    TILES = 2,
    SENDER_X = 1 + TILES,
    ALL_HELD = 0x47800,
    BRISC_RUNS = 0x47000,
    RESULT = 0x80000,
    RESULT_WORDS = 5,
    PAGE = 1024,
    MOST_POLLS = 20000,
    SIGNAL = 0x100, /* where the sender keeps it */
    WRITES = 2,     /* NIU_CTRL */
};

static const struct loader_firmware *firmware;
static struct loader_blob blob[LOADER_PROCESSORS];

__attribute__((noreturn)) static void give_up(const char *what)
{
    fprintf(stderr, "launching_host: %s\n", what);
    exit(1);
}

/* --- Tiles of the chip --- */

static unsigned chip;

/* Has the chip's first window lead to the tile; answers where the address is in it. */
static uint64_t window_to(unsigned x, unsigned y, uint64_t address)
{
    const uint64_t space = UINT64_C(1) << 36; /* between the BARs of two devices */
    const struct bar_region *windows = arch_bar_region(&arch, REGION_WINDOWS);
    const uint64_t bar = (libttsim_pci_config_rd32(0, 0x10) & ~UINT64_C(15)) +
                         ((uint64_t)libttsim_pci_config_rd32(0, 0x14) << 32) + chip * space;
    const uint64_t tile = (uint64_t)x << arch.window_bits[WINDOW_X_END].first |
                          (uint64_t)y << arch.window_bits[WINDOW_Y_END].first;
    const uint64_t word = address >> windows->shift | tile
                                                          << (arch.noc_local_bits - windows->shift);
    const uint32_t words[3] = {(uint32_t)word, (uint32_t)(word >> 32), 0};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        libttsim_pci_mem_wr_bytes(bar + arch_bar_region(&arch, REGION_TLB)->first + 4 * i,
                                  &words[i], sizeof words[i]);
    }
    return bar + address % (UINT64_C(1) << windows->shift);
}

static void tile_write(unsigned x, unsigned y, uint64_t address, const void *bytes, uint32_t size)
{
    libttsim_pci_mem_wr_bytes(window_to(x, y, address), bytes, size);
}

static void tile_read(unsigned x, unsigned y, uint64_t address, void *bytes, uint32_t size)
{
    libttsim_pci_mem_rd_bytes(window_to(x, y, address), bytes, size);
}

static void write_word(unsigned x, uint64_t address, uint32_t value)
{
    tile_write(x, Y, address, &value, sizeof value);
}

static bool read_tile(void *context, uint32_t address, void *bytes, size_t size)
{
    const unsigned *x = context;
    tile_read(*x, Y, address, bytes, (uint32_t)size);
    return true;
}

static void apply(unsigned x, const struct loader_writes *writes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        tile_write(x, Y, writes->write[i].address, writes->write[i].bytes, writes->write[i].size);
    }
}

static void wait_until_ready(const char *what)
{
    for (unsigned polls = 0, x = 1; x <= TILES;) {
        if (loader_firmware_ready(firmware,
                                  (struct loader_memory){.read = read_tile, .context = &x})) {
            x++;
        } else if (polls++ == MOST_POLLS) {
            give_up(what);
        }
        libttsim_clock(1);
    }
}

static void boot(unsigned x)
{
    const struct loader_boot boot = {.logical_x = (uint8_t)(x - 1)};
    struct loader_writes writes = {0};
    struct penrose_error error;
    if (loader_firmware_boot(firmware, &boot, &writes, &error) != PENROSE_OK) {
        give_up(error.text);
    }
    write_word(x, AT_SOFT_RESET_0, ALL_HELD);
    apply(x, &writes, writes.count);
    write_word(x, AT_SOFT_RESET_0, BRISC_RUNS);
    loader_writes_free(&writes);
}

/* --- Launches --- */

/* Puts a launch into a tile, all but the go message, which is the last write. */
static struct loader_write prepare(unsigned x, uint32_t pages, uint32_t number,
                                   uint32_t *semaphores_address)
{
    const uint32_t common[] = {pages, 0x1234 * x}, result = RESULT, key = 0xa5a5;
    const uint32_t numbers[] = {1664525, 1013904223}, semaphores[] = {0, 0};
    const struct loader_circular_buffer buffers[] = {{0, 0x40000, 3 * PAGE, 3, PAGE},
                                                     {16, 0x60000, 2 * (PAGE + 16), 2, PAGE + 16}};
    struct loader_launch_request request = {.semaphores = semaphores,
                                            .semaphores_count = 2,
                                            .buffers = buffers,
                                            .buffers_count = 2,
                                            .brisc_noc_id = x & 1,
                                            .host_assigned_id = number};
    struct loader_launch launch;
    struct penrose_error error;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        request.kernel[i] = (struct loader_kernel){.blob = &blob[i],
                                                   .arguments = i == LOADER_BRISC    ? &result
                                                                : i == LOADER_NCRISC ? numbers
                                                                                     : &key,
                                                   .arguments_count = i == LOADER_NCRISC ? 2 : 1,
                                                   .common_arguments = common,
                                                   .common_arguments_count = 2};
    }
    if (loader_launch_build(firmware, &request, &launch, &error) != PENROSE_OK) {
        give_up(error.text);
    }
    struct loader_write go = launch.writes.write[launch.writes.count - 1];
    uint8_t *bytes = malloc(go.size);
    if (!bytes) {
        give_up("no memory");
    }
    *semaphores_address = launch.semaphores_address;
    memcpy(bytes, go.bytes, go.size);
    go.bytes = bytes;
    apply(x, &launch.writes, launch.writes.count - 1);
    loader_launch_free(&launch);
    return go;
}

/* Copies the go message to a tile by a program of a few lines. */
static void send(unsigned x, const struct loader_write *go)
{
    char store[32];
    const char *const lines[] = {"lui t0, 0xffb20", "addi t1, zero, 1",   store,
                                 "addi t2, t2, 1",  "sw t2, 0x200(zero)", "beq zero, zero, 12"};
    uint32_t from = SIGNAL + go->address % 16;
    const uint32_t words[][2] = {
        {NIU_TARG_ADDR_LO, from},
        {NIU_TARG_ADDR_MID, 0},
        {NIU_TARG_ADDR_HI, SENDER_X | Y << 6},
        {NIU_RET_ADDR_LO, go->address},
        {NIU_RET_ADDR_MID, 0},
        {NIU_RET_ADDR_HI, x | Y << 6},
        {NIU_CTRL, WRITES},
        {NIU_AT_LEN_BE, go->size},
    };
    snprintf(store, sizeof store, "sw t1, %u(t0)", (unsigned)NIU_CMD_CTRL);
    write_word(SENDER_X, AT_SOFT_RESET_0, ALL_HELD);
    tile_write(SENDER_X, Y, from, go->bytes, go->size);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        write_word(SENDER_X, AT_NIU + words[i][0], words[i][1]);
    }
    for (uint32_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        uint32_t word;
        struct penrose_error error;
        if (penrose_assemble(NULL, lines[i], 4 * i, &word, &error) != PENROSE_OK) {
            give_up(error.text);
        }
        write_word(SENDER_X, 4 * i, word);
    }
    write_word(SENDER_X, AT_SOFT_RESET_0, BRISC_RUNS);
    libttsim_clock(64);
}

static void launch(uint32_t pages, uint32_t number, unsigned tiles, bool by_kernel)
{
    struct loader_write go[TILES];
    uint32_t semaphores[TILES];
    for (unsigned i = 0; i < tiles; i++) {
        go[i] = prepare(1 + i, pages, number, &semaphores[i]);
    }
    for (unsigned i = 0; i < tiles; i++) {
        if (by_kernel) {
            send(1 + i, &go[i]);
        } else {
            tile_write(1 + i, Y, go[i].address, go[i].bytes, go[i].size);
            write_word(tiles, semaphores[tiles - 1] + 16, 9);
        }
        free(go[i].bytes);
        libttsim_clock(1);
    }
    wait_until_ready("a launch does not end");
    for (unsigned i = 0; i < tiles; i++) {
        uint32_t word[RESULT_WORDS];
        tile_read(1 + i, Y, RESULT, word, sizeof word);
        printf("%u:", number);
        for (unsigned k = 0; k < RESULT_WORDS; k++) {
            printf(" %08x", word[k]);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    struct loader_firmware *opened;
    struct penrose_error error;
    const bool has_third = argc == 5 && strcmp(argv[4], "alone") == 0;
    if (argc < 3 || argc > (has_third ? 5 : 4)) {
        fprintf(stderr, "usage: %s FIRMWARE KERNELS [CHIP [alone]]\n", argv[0]);
        return 2;
    }
    chip = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    if (loader_firmware_open(&arch, rv32_find_operands, argv[1], &opened, &error) != PENROSE_OK) {
        give_up(error.text);
    }
    firmware = opened;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        struct loader_elf *elf;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.elf", argv[2],
                 loader_processor_name((enum loader_processor)i));
        if (loader_elf_open(path, &elf, &error) != PENROSE_OK ||
            loader_xip(elf, arch.l1_bytes[PENROSE_TILE_TENSIX], &blob[i], &error) != PENROSE_OK) {
            give_up(error.text);
        }
        loader_elf_close(elf);
    }
    libttsim_init();
    for (unsigned x = 1; x <= TILES; x++) {
        boot(x);
    }
    wait_until_ready("the firmware does not become ready");
    launch(5, 71, TILES, false);
    launch(19, 72, TILES, true);
    if (has_third) {
        launch(5, 73, 1, false);
    }
    libttsim_exit();
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        loader_blob_free(&blob[i]);
    }
    loader_firmware_close(opened);
    return 0;
}
