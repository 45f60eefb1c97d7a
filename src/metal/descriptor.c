/*
 * The SoC descriptor and the cluster descriptor, made from the tables that the chip itself is made from
 * (src/arch/blackhole/grid.def, cards.def).
 *
 * SPEC: UMD 0.9.14 and tt-metal of ttnn 0.81.1, which read it. It describes the die. Hosts learn
 * from the chip's telemetry which columns, banks and Ethernet tiles a card lacks, and take those
 * out themselves. So the descriptor is the same for all cards. Hosts do not accept one that leaves
 * tiles out. Positions are raw NoC 0 coordinates "X-Y".
 *
 * The cluster descriptor, of cards with several chips, says what they lack once more, and hosts believe
 * it: harvest_mask has the columns from left to right, and all other masks are those of telemetry.
 */
#include "metal/descriptor.h"

#include <ctype.h>
#include <inttypes.h>
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

/* --- Clusters --- */

const char *metal_board_name(unsigned type)
{
    static const char *const names[BOARDS] = {[BOARD_P100] = "p100",
                                              [BOARD_P150] = "p150",
                                              [BOARD_P300] = "p300",
                                              [BOARD_UBB] = "ubb_blackhole"};
    return names[type];
}

static void print_links(const struct cluster_plan *plan, FILE *file)
{
    fputs(plan->links ? "ethernet_connections:\n" : "ethernet_connections: []\n", file);
    for (unsigned i = 0; i < plan->links; i++) {
        const struct plan_link *link = &plan->link[i];
        fprintf(file, "  - [{chip: %u, chan: %u}, {chip: %u, chan: %u}]\n", link->chip[0],
                link->port[0], link->chip[1], link->port[1]);
    }
    fputs("ethernet_connections_to_remote_devices: []\n", file);
}

/* Of each unit that may be fused off a bit, which is set where it is; PCIe's is the tile that the host
 * is not connected to. */
static void print_harvesting(const struct cluster_plan *plan, FILE *file)
{
    fputs("harvesting:\n", file);
    for (unsigned i = 0; i < plan->chips; i++) {
        const struct grid_product *product = &plan->chip[i].product;
        fprintf(file,
                "  %u: {noc_translation: true, harvest_mask: %u, dram_harvesting_mask: %u, "
                "eth_harvesting_mask: %u, pcie_harvesting_mask: %u, l2cpu_harvesting_mask: 0}\n",
                i, grid_columns_from_left(product->fused.columns), product->fused.banks,
                product->fused.ethernet, 2u >> product->pcie);
    }
}

static void print_buses(const struct cluster_plan *plan, FILE *file)
{
    uint64_t buses = 0;
    for (unsigned i = 0; i < plan->chips; i++) {
        buses |= plan->chip[i].identity.bus;
    }
    fputs(buses ? "chip_to_bus_id:\n" : "", file);
    for (unsigned i = 0; i < plan->chips && buses; i++) {
        fprintf(file, "  %u: \"0x%02" PRIx64 "\"\n", i, plan->chip[i].identity.bus);
    }
}

/* Was its board told with an earlier chip? */
static bool is_told(const struct cluster_plan *plan, unsigned chip)
{
    unsigned first = 0;
    while (plan->chip[first].identity.board != plan->chip[chip].identity.board) {
        first++;
    }
    return first < chip;
}

static void print_boards(const struct cluster_plan *plan, FILE *file)
{
    fputs("boards:\n", file);
    for (unsigned first = 0; first < plan->chips; first++) {
        const struct plan_chip *chip = &plan->chip[first];
        if (is_told(plan, first)) {
            continue;
        }
        fprintf(file, "  - [{board_id: %llu}, {board_type: %s}, {chips: [%u",
                (unsigned long long)chip->identity.board, metal_board_name(chip->product.type),
                first);
        for (unsigned i = first + 1; i < plan->chips; i++) {
            if (plan->chip[i].identity.board == chip->identity.board) {
                fprintf(file, ", %u", i);
            }
        }
        fputs("]}]\n", file);
    }
}

void metal_print_cluster(const struct cluster_plan *plan, const char *title, FILE *file)
{
    fprintf(file, "# The chips of %s and their links, for UMD and tt-metal.\narch:\n", title);
    for (unsigned i = 0; i < plan->chips; i++) {
        fprintf(file, "  %u: %s\n", i, CHIP_NAME);
    }
    fputs("chips: {}\nchip_unique_ids:\n", file);
    for (unsigned i = 0; i < plan->chips; i++) {
        fprintf(file, "  %u: %llu\n", i, (unsigned long long)plan->chip[i].identity.asic);
    }
    print_links(plan, file);
    fputs("chips_with_mmio:\n", file);
    for (unsigned i = 0; i < plan->chips; i++) {
        fprintf(file, "  - %u: %u\n", i, i);
    }
    print_harvesting(plan, file);
    print_buses(plan, file);
    print_boards(plan, file);
    fputs("asic_locations:\n", file);
    for (unsigned i = 0; i < plan->chips; i++) {
        fprintf(file, "  %u: %llu\n", i, (unsigned long long)plan->chip[i].identity.location);
    }
}

/* --- Chips --- */

enum penrose_status metal_print_descriptor(const char *card, struct penrose_error *error)
{
    const struct penrose_options options = {.size = sizeof options};
    const struct plan_chip plan = {.product = *grid_product_at(0)};
    struct penrose_chip *chip;
    struct grid grid;
    if (grid_init(&grid, &plan.product) ||
        chip_create(&options, &plan, &chip, error) != PENROSE_OK) {
        return error_set(error, PENROSE_E_MEMORY, "no memory for a chip");
    }
    print_descriptor(chip, &grid, card);
    chip_destroy(chip);
    return PENROSE_OK;
}
