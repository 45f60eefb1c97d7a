/*
 * What chips and clusters are to be, before they are made: products, which tables of the kinds of chips
 * have, and plans of clusters, which are made from the tables of cards.
 */
#ifndef CHIP_PLAN_H
#define CHIP_PLAN_H

#include <stdint.h>

struct chip_calls;

/* Bit i set: unit i is not there. Columns, rows and Ethernet tiles are numbered as on the die. A chip
 * loses columns or rows of Tensix tiles, whichever its firmware can name. */
struct grid_fused {
    uint16_t columns;
    uint16_t rows;
    uint16_t ethernet;
    uint8_t banks;
};

/* Boards of a type, with the numbers that firmware has for them. */
enum plan_board { BOARD_P100 = 1, BOARD_P150, BOARD_P300, BOARD_UBB, BOARDS };

struct grid_product {
    const char *name;
    uint64_t board; /* its first one, as on the board's label: board type in bits 36..55 */
    struct grid_fused fused;
    uint8_t pcie;   /* the PCIe tile that is connected to the host: 0 or 1 */
    uint16_t ports; /* Ethernet tiles with a port */
    uint8_t type;   /* enum plan_board */
};

/* What distinguishes a chip from others of its kind. */
struct chip_identity {
    uint64_t board, asic;
    uint64_t location; /* on the board */
    uint64_t bus;      /* of PCI, by which hosts know the trays of a galaxy; 0: none of its own */
};

struct plan_chip {
    struct grid_product product;
    struct chip_identity identity;
};

/* A product as files have it, but for its name. */
struct plan_bytes {
    uint64_t board;
    uint16_t columns, rows, ethernet, ports;
    uint8_t banks, pcie, type, zero[5];
};

_Static_assert(sizeof(struct plan_bytes) == 24, "it has no padding");

static inline struct plan_bytes plan_to_bytes(const struct grid_product *product)
{
    return (struct plan_bytes){.board = product->board,
                               .columns = product->fused.columns,
                               .rows = product->fused.rows,
                               .ethernet = product->fused.ethernet,
                               .ports = product->ports,
                               .banks = product->fused.banks,
                               .pcie = product->pcie,
                               .type = product->type};
}

/* The product of that name. Its type is below BOARDS. */
static inline struct grid_product plan_of_bytes(const struct plan_bytes *bytes, const char *name)
{
    return (struct grid_product){.name = name,
                                 .board = bytes->board,
                                 .fused = {.columns = bytes->columns,
                                           .rows = bytes->rows,
                                           .ethernet = bytes->ethernet,
                                           .banks = bytes->banks},
                                 .pcie = bytes->pcie,
                                 .ports = bytes->ports,
                                 .type = bytes->type};
}

/* Ports are Ethernet tiles that are there, counted from 0 as software does. */
struct plan_link {
    uint8_t chip[2], port[2];
};

enum { PLAN_CHIPS = 32 /* UMD looks for no more */, PLAN_LINKS = PLAN_CHIPS * 16 / 2 };

struct cluster_plan {
    const struct chip_calls *kind; /* of all chips */
    struct plan_chip chip[PLAN_CHIPS];
    struct plan_link link[PLAN_LINKS];
    unsigned chips, links;
};

/* Of chip `rank` on a board. UMD makes such ids of a board and a location. */
static inline struct chip_identity plan_identity(uint64_t board, unsigned rank, uint64_t location)
{
    return (struct chip_identity){.board = board, .asic = board << 5 | rank, .location = location};
}

#endif
