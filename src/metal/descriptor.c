/*
 * The SoC descriptor, made from the tables that the chip itself is made from
 * (src/arch/blackhole/grid.def).
 *
 * SPEC: UMD 0.9.14 and tt-metal of ttnn 0.81.1, which read it. It describes the die. Hosts learn
 * from the chip's telemetry which columns, banks and Ethernet tiles a card lacks, and take those
 * out themselves. So the descriptor is the same for all cards. Hosts do not accept one that leaves
 * tiles out. Positions are raw NoC 0 coordinates "X-Y".
 */
#include "metal/descriptor.h"

#include <ctype.h>
#include <stdio.h>

#include <penrose/metal.h>
#include <penrose/penrose.h>
#include "addresses.h"
#include "chip/calls.h"
#include "chip/grid.h"
#include "geometry.h"
#include "isa/error.h"

enum {
    DST_ALIGNMENT = 32768, /* with this and the versions below software tells the */
    UNIT_VERSION = 2,      /* generation: 2 is what Blackhole has */
    LINE_POSITIONS = 14,
};
static void print_position(struct grid_position at, unsigned count)
{
    printf("%s%u-%u", count == 0 ? "" : count % LINE_POSITIONS ? ", " : ",\n   ", at.x, at.y);
}

/* All tiles of a kind, by their numbers. */
static void print_kind(const struct grid *grid, const char *name, enum penrose_tile_kind kind)
{
    struct grid_position at;
    printf("%s:\n  [", name);
    for (unsigned i = 0; grid_locate(grid, kind, i, 0, &at); i++) {
        print_position(at, i);
    }
    puts("]");
}

/* Routers with nothing attached have no numbers. */
static void print_routers(const struct grid *grid)
{
    unsigned count = 0;
    printf("router_only:\n  [");
    for (uint8_t y = 0; y < GRID_HEIGHT; y++) {
        for (uint8_t x = 0; x < GRID_WIDTH; x++) {
            struct grid_position at = {.x = x, .y = y};
            if (grid_tile(grid, at)->kind == PENROSE_TILE_EMPTY) {
                print_position(at, count++);
            }
        }
    }
    puts("]");
}

static void print_banks(const struct grid *grid)
{
    puts("dram:\n  [");
    for (unsigned bank = 0; bank < GRID_BANKS; bank++) {
        printf("   [");
        for (unsigned port = 0; port < GRID_PORTS; port++) {
            struct grid_position at = {0, 0};
            grid_locate(grid, PENROSE_TILE_DRAM, bank, port, &at);
            print_position(at, port);
        }
        puts("],");
    }
    puts("  ]");
}

/* Which of a bank's three tiles kernels use, for NoC 0 and NoC 1. */
static void print_views(const struct penrose_chip *chip)
{
    printf("dram_view_size: %llu\ndram_views:\n", (unsigned long long)END_GDDR);
    for (unsigned bank = 0; bank < GRID_BANKS; bank++) {
        unsigned port[GRID_NOCS];
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            unsigned x, y = NAMED_DRAM_Y;
            chip_dram_bank(chip, noc, bank, &x, &y);
            port[noc] = (y - NAMED_DRAM_Y) % GRID_PORTS;
        }
        printf("  - {channel: %u, worker_endpoint: [%u, %u], eth_endpoint: [%u, %u], "
               "address_offset: 0}\n",
               bank, port[0], port[1], port[0], port[1]);
    }
}

static void print_mirror(const char *name, unsigned extent)
{
    printf("%s: [", name);
    for (unsigned i = 0; i < extent; i++) {
        printf("%s%u", i ? ", " : "", extent - 1 - i);
    }
    puts("]");
}

static void print_descriptor(const struct penrose_chip *chip, const struct grid *grid,
                             const char *card)
{
    char name[] = CHIP_NAME;
    name[0] = (char)toupper((unsigned char)name[0]);
    printf("# %s as Penrose emulates it, for UMD and tt-metal; beside the library of the\n"
           "# %s card. It describes the die; telemetry tells what the card lacks of it.\n"
           "arch_name: ",
           name, card);
    for (size_t i = 0; name[i]; i++) {
        putchar(toupper((unsigned char)name[i]));
    }
    printf("\ngrid:\n  x_size: %d\n  y_size: %d\n", GRID_WIDTH, GRID_HEIGHT);
    print_kind(grid, "functional_workers", PENROSE_TILE_TENSIX);
    puts("harvested_workers: []");
    print_kind(grid, "eth", PENROSE_TILE_ETHERNET);
    print_banks(grid);
    print_views(chip);
    print_kind(grid, "arc", PENROSE_TILE_ARC);
    print_kind(grid, "pcie", PENROSE_TILE_PCIE);
    print_kind(grid, "l2cpu", PENROSE_TILE_L2CPU);
    print_kind(grid, "security", PENROSE_TILE_SECURITY);
    print_routers(grid);
    print_mirror("noc0_x_to_noc1_x", GRID_WIDTH);
    print_mirror("noc0_y_to_noc1_y", GRID_HEIGHT);
    printf("worker_l1_size: %d\neth_l1_size: %d\ndram_bank_size: %llu\n", TILE_L1_BYTES,
           TILE_E_L1_BYTES, (unsigned long long)END_GDDR);
    printf("features:\n"
           "  noc: {translation_id_enabled: True}\n"
           "  unpacker: {version: %d, inline_srca_trans_without_srca_trans_instr: True}\n"
           "  math: {dst_size_alignment: %d}\n"
           "  packer: {version: %d}\n"
           "  overlay: {version: %d}\n",
           UNIT_VERSION, DST_ALIGNMENT, UNIT_VERSION, UNIT_VERSION);
}

enum penrose_status metal_print_descriptor(const char *card, struct penrose_error *error)
{
    const struct penrose_options options = {.size = sizeof options,
                                            .card = grid_product_at(0)->name};
    struct penrose_chip *chip;
    struct grid grid;
    if (grid_init(&grid, grid_product_at(0)) || chip_create(&options, &chip, error) != PENROSE_OK) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    print_descriptor(chip, &grid, card);
    chip_destroy(chip);
    return PENROSE_OK;
}
