/*
 * The places of tiles on a chip, and the translation of coordinates. SPEC: BlackholeA0
 * NoC/{Coordinates, MemoryMap, RoutingPaths}, PCIExpressTile/HostToDeviceTLBs.
 *
 * There are three kinds of coordinates. *Raw NoC 0* coordinates name a tile everywhere in Penrose.
 * *Raw NoC n* coordinates count in the direction in which that NoC's data flow; those of NoC 1
 * count from the opposite corner. *Translated* coordinates are those that software writes into an
 * NIU. The tables of the NIU translate them to raw coordinates of its NoC. With the tables of the
 * chip's firmware both NoCs understand the same numbers (except x in rows without a worker).
 *
 * A grid is plain data, which is made once from a product and never changed. It has the tables that
 * firmware leaves in the registers of each NIU. Guests may write other tables into their NIUs, and
 * niu_translate uses those.
 */
#ifndef CHIP_GRID_H
#define CHIP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <penrose/penrose.h>

#include "chip/plan.h"
#include "geometry.h"
#include "isa/answer.h"
#include "noc/niu.h"

enum { GRID_RULE_BYTES = 150 /* room for the text of a broken rule */ };

struct grid_position {
    uint8_t x, y;
};

struct grid_tile {
    uint8_t kind;  /* enum penrose_tile_kind */
    uint8_t index; /* Tensix: row by row; DRAM: its bank; others: number within kind */
    uint8_t port;  /* DRAM: 0..2 */
    bool is_fused_off;
};

/* --- Products --- */

/* NULL when there is none of that name, or beyond the last. */
const struct grid_product *grid_product(const char *name);
const struct grid_product *grid_product_at(size_t index);

/* The product of a type of boards that has just this fused off, and the host at this PCIe tile. If there
 * is none, one that is like the last of that type, preferably with that PCIe tile, whose name no product
 * has. A board without a name: there is no product of the type. */
struct grid_product grid_product_with(enum plan_board type, const struct grid_fused *fused,
                                      uint8_t pcie);

/* The type of the board with that id (enum plan_board); 0: it is none of this kind of chip. */
unsigned grid_board_of_id(uint64_t id);

/* --- The grid --- */

/* A tile that is not fused off by its kind and logical coordinates: kinds stand together, tiles of
 * one row by row. */
struct grid_name {
    uint8_t kind, y, x;
};

struct grid {
    const char *product; /* its name */
    uint8_t type;        /* of the board */
    struct grid_fused fused;
    uint8_t pcie;
    uint16_t ports;
    struct grid_tile tile[GRID_HEIGHT][GRID_WIDTH];
    struct grid_position logical[GRID_HEIGHT][GRID_WIDTH]; /* see grid_logical */
    struct grid_name named[GRID_TILES];                    /* those of `names` tiles, sorted */
    unsigned names;
    struct niu niu[GRID_NOCS];          /* what all NIUs of a NoC have */
    struct grid_position found[64][64]; /* what grid_find gives for NoC 0: [y][x]; outside: none */
    uint32_t columns_off[GRID_NOCS], rows_off[GRID_NOCS]; /* from multicast; raw, of that NoC */
};

/* Returns NULL, or the rule that the product breaks (the grid is then not to be used). */
const char *grid_init(struct grid *grid, const struct grid_product *product);

static inline bool grid_is_inside(struct grid_position at)
{
    return at.x < GRID_WIDTH && at.y < GRID_HEIGHT;
}

/* Raw NoC 0 to raw NoC n, and back: it is its own inverse. `at` is inside. */
static inline struct grid_position grid_mirror(unsigned noc, struct grid_position at)
{
    if (noc == 0) {
        return at;
    }
    return (struct grid_position){.x = (uint8_t)(GRID_WIDTH - 1 - at.x),
                                  .y = (uint8_t)(GRID_HEIGHT - 1 - at.y)};
}

/* The tile at a raw NoC 0 position, which is inside. */
static inline const struct grid_tile *grid_tile(const struct grid *grid, struct grid_position at)
{
    return &grid->tile[at.y][at.x];
}

/* Columns that are fused off as UMD has them: bit i is the one that is i-th from the left. */
uint32_t grid_columns_from_left(uint16_t columns);

/* Finds the raw NoC 0 position of a tile by what it is; false when there is none. A fused-off tile
 * is found. `port` counts for DRAM only. */
bool grid_locate(const struct grid *grid, enum penrose_tile_kind kind, unsigned index,
                 unsigned port, struct grid_position *at);

/* --- Translation --- */

/* The raw coordinates on NoC `noc` that software's, 6 bits each, mean with the firmware's tables:
 * perhaps outside of the grid. */
struct grid_position grid_translate(const struct grid *grid, unsigned noc, unsigned x, unsigned y);

/* The raw NoC 0 position that (x, y) means on NoC `noc` with the firmware's tables; false when that
 * is outside of the grid. */
bool grid_find(const struct grid *grid, unsigned noc, unsigned x, unsigned y,
               struct grid_position *at);

/* What NOC_ID_LOGICAL of the tile at a raw NoC 0 position holds, on both NoCs: its preferred
 * translated coordinates, its raw NoC 0 ones if it has none. */
static inline struct grid_position grid_logical(const struct grid *grid, struct grid_position at)
{
    return grid->logical[at.y][at.x];
}

/* What software calls the Tensix tile in that column and row of those, counted from the corner of
 * NoC 0. The last ones are fused off where some are. */
struct grid_position grid_worker_name(unsigned column, unsigned row);

/* The names of a kind's tiles, and how many there are. */
const struct grid_name *grid_names(const struct grid *grid, enum penrose_tile_kind kind,
                                   size_t *count);

/* --- Registers of NIUs --- */

/* Sets all identity and configuration registers of the NIU of NoC `noc` at raw NoC 0 position `at`
 * as firmware leaves them; those that it does not set are zero after reset. */
void grid_configure_niu(const struct grid *grid, unsigned noc, struct grid_position at,
                        struct niu *niu);

/*
 * What answers an access to one of the tiles at the edge, with words in `rule`, which has room for
 * GRID_RULE_BYTES: what an UNMODELLED register would be, or which rule a REFUSED access breaks and
 * what to do. Where nothing is (UNMAPPED), a read gives all ones.
 */
enum answer grid_answer(enum answer answer, char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A register, by its offset in the NIU (a multiple of four), of a tile that cannot start requests:
 * ARC, PCIe, L2CPU, security, empty. Its counters stay zero. */
enum answer grid_niu_read(struct niu *niu, uint32_t offset, uint32_t *value);
enum answer grid_niu_write(struct niu *niu, uint32_t offset, uint32_t value);

/* Tiles of whose kinds nothing but memory or a router stands behind the NIU, as numbers from 0. */
enum { GRID_PLAIN_TILES = GRID_L2CPUS + 1 + GRID_ROUTERS };

/* The number of such a tile; false: it is none. */
bool grid_plain_number(const struct grid_tile *tile, unsigned *number);

/* Is `address`, as seen from the NoC, in the NIU of a tile of that kind? Then *offset is from
 * NIU_BASE; which NIU it is depends on the NoC that the request came over. Kinds that can start
 * requests have NIUs of another sort: false. */
bool grid_niu_address(enum penrose_tile_kind kind, uint64_t address, uint32_t *offset);

/* --- Routes --- */

/* A packet's way through routers, in raw coordinates of its NoC: along its first axis as far as to `turn`,
 * along the other one, and along the first one again. */
struct grid_way {
    struct grid_position from, to;
    uint8_t turn;
    bool is_y_first;
};

/* That of a unicast packet, which turns once; raw NoC 0 positions. */
struct grid_way grid_way(unsigned noc, struct grid_position from, struct grid_position to);

/* Router to router steps of a way. */
unsigned grid_way_hops(const struct grid_way *way);

/* Those of a unicast packet; raw NoC 0 positions. */
unsigned grid_hops(unsigned noc, struct grid_position from, struct grid_position to);

/* A link leads to the next column, or to the next row, in the NoC's own sense: to the right and down on
 * NoC 0, to the left and up on NoC 1. At the edge it leads to the opposite edge. */
enum grid_direction { GRID_ALONG_X, GRID_ALONG_Y, GRID_DIRECTIONS };

/* A step of a packet, from the router at a raw NoC 0 position. */
struct grid_hop {
    struct grid_position from;
    enum grid_direction direction;
    bool has_wrapped; /* the packet has come over the edge in this direction before */
};

/* The step of a way with a number below grid_way_hops. */
struct grid_hop grid_hop(unsigned noc, const struct grid_way *way, unsigned number);

/* Is given the links of a way: the raw NoC 0 position of the router that each one leaves. */
struct grid_link_visitor {
    void (*take)(void *context, struct grid_position from, enum grid_direction direction);
    void *context;
};

/* The links of a unicast packet's way in their order, as many as grid_hops says; raw NoC 0 positions. */
void grid_visit_way(unsigned noc, struct grid_position from, struct grid_position to,
                    const struct grid_link_visitor *visitor);

/* What thins out a multicast rectangle: NOC_BRCST_EXCLUDE, or the fourth word of a host's window.
 * All zero: nothing does. */
struct grid_exclusion {
    uint8_t x_keep, x_skip, y_keep, y_skip;
    uint8_t x_coordinate, y_coordinate;
    bool x_above, y_above, has_quadrant;
};

struct grid_exclusion grid_exclusion_of_niu(uint32_t brcst_exclude);
struct grid_exclusion grid_exclusion_of_window(uint32_t strided);

/* A multicast, all in raw coordinates of its NoC, after translation. */
struct grid_multicast {
    struct grid_position source, start, end;
    bool is_y_major;                /* NOC_CMD_BRCST_XY */
    bool includes_source;           /* NOC_CMD_BRCST_SRC_INCLUDE */
    uint32_t columns_off, rows_off; /* ROUTER_CFG_1 and _3 */
    struct grid_exclusion exclusion;
};

struct grid_target {
    struct grid_position at; /* raw, of that NoC */
    uint8_t hops;            /* from the source, along the tree */
};

/* NULL, or the rule that the multicast breaks. */
const char *grid_multicast_check(const struct grid_multicast *multicast);

/* Does it reach the place on its way through the routing tree? As grid_multicast says. */
bool grid_multicast_reaches(const struct grid_multicast *multicast, struct grid_position at);

/* Those that receive it, in the order of the routing tree; returns how many, perhaps none. The
 * multicast was checked. Opting out is each receiver's own affair: where guests have given NIUs
 * different masks, pass zeros and look at the receivers' registers. */
unsigned grid_multicast(const struct grid_multicast *multicast,
                        struct grid_target targets[GRID_TILES]);

/* The way to the end of the last branch of its routing tree, which is the farthest. It leads along the stem:
 * to the first coordinate of the major axis that is wanted, and from there along the minor axis. Where
 * nothing is wanted it leads nowhere. */
struct grid_way grid_stem(const struct grid_multicast *multicast);

/* Does a branch leave the stem at that place of it? */
bool grid_has_branch(const struct grid_multicast *multicast, struct grid_position at);

/* Each link of its routing tree once, as far as to the last coordinates that are wanted. */
void grid_visit_tree(unsigned noc, const struct grid_multicast *multicast,
                     const struct grid_link_visitor *visitor);

#endif
