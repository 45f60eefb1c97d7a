/* The grid and its coordinates (grid.h). The chip's firmware computes the same tables from the
 * tiles that are fused off; HW: the vendor's published firmware, which agrees with the page. */
#include "chip/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"

/* A column or a row of Tensix tiles: where it is, and what software calls the place. */
struct grid_line {
    uint8_t at, name;
};

static const struct grid_line columns_of_die[GRID_COLUMNS] = {
#define GRID_COLUMN(number, x, name) [number] = {x, name},
#include "grid.def"
};

static const struct grid_line rows_of_die[GRID_ROWS] = {
#define GRID_ROW(number, y, name) [number] = {y, name},
#include "grid.def"
};

static const struct {
    uint8_t x, y[GRID_PORTS];
} bank_at[GRID_BANKS] = {
#define GRID_BANK(bank, x, y0, y1, y2, port) [bank] = {x, {y0, y1, y2}},
#include "grid.def"
};

static const struct {
    uint8_t kind, index, x, y;
} single_tiles[] = {
#define GRID_TILE(KIND, index, x, y) {PENROSE_TILE_##KIND, index, x, y},
#include "grid.def"
};

static const uint16_t endpoint_types[PENROSE_TILE_KINDS] = {
#define GRID_KIND(KIND, type) [PENROSE_TILE_##KIND] = (type),
#include "grid.def"
};

static const struct grid_product products[] = {
#define GRID_PRODUCT(name, type, board, columns, rows, ethernet, banks, pcie, ports)               \
    {name, UINT64_C(board), {columns, rows, ethernet, banks}, pcie, ports, BOARD_##type},
#include "grid.def"
};

enum { PRODUCTS = sizeof products / sizeof *products };

const struct grid_product *grid_product_at(size_t index)
{
    return index < PRODUCTS ? &products[index] : NULL;
}

const struct grid_product *grid_product(const char *name)
{
    for (size_t i = 0; i < PRODUCTS; i++) {
        if (strcmp(products[i].name, name) == 0) {
            return &products[i];
        }
    }
    return NULL;
}

unsigned grid_board_of_id(uint64_t id)
{
    enum { TYPE_SHIFT = 36, TYPE_MASK = 0xfffff };
    switch (id >> TYPE_SHIFT & TYPE_MASK) {
#define GRID_BOARD(type, number)                                                                   \
    case number:                                                                                   \
        return BOARD_##type;
#include "grid.def"
    default:
        return 0;
    }
}

static bool grid_fused_alike(const struct grid_fused *a, const struct grid_fused *b)
{
    return a->columns == b->columns && a->rows == b->rows && a->ethernet == b->ethernet &&
           a->banks == b->banks;
}

struct grid_product grid_product_with(enum plan_board type, const struct grid_fused *fused,
                                      uint8_t pcie)
{
    static const char *const like[PRODUCTS] = {
#define GRID_PRODUCT(name, type, board, columns, rows, ethernet, banks, pcie, ports) name "-like",
#include "grid.def"
    };
    struct grid_product made = {.name = NULL};
    for (size_t i = 0; i < PRODUCTS; i++) {
        if (products[i].type != type) {
            continue;
        }
        bool has_pcie = products[i].pcie == pcie;
        if (has_pcie && grid_fused_alike(&products[i].fused, fused)) {
            return products[i];
        }
        if (!made.name || has_pcie || made.pcie != pcie) {
            made = products[i];
            made.name = like[i];
        }
    }
    made.fused = *fused;
    made.pcie = pcie;
    made.ports &= (uint16_t)~fused->ethernet;
    return made;
}

/* --- What is where --- */

static void place_tile(struct grid *grid, unsigned x, unsigned y, struct grid_tile tile)
{
    grid->tile[y][x] = tile;
}

/* A slot counts the lines from the left or from above on the NoC; a number is that of the die. */
static unsigned slot_of_line(const struct grid_line *line, unsigned lines, unsigned at)
{
    unsigned slot = 0;
    for (unsigned number = 0; number < lines; number++) {
        slot += line[number].at < at;
    }
    return slot;
}

static unsigned line_of_slot(const struct grid_line *line, unsigned lines, unsigned slot)
{
    unsigned number = 0;
    while (slot_of_line(line, lines, line[number].at) != slot) {
        number++;
    }
    return number;
}

uint32_t grid_columns_from_left(uint16_t columns)
{
    uint32_t from_left = 0;
    for (unsigned number = 0; number < GRID_COLUMNS; number++) {
        unsigned slot = slot_of_line(columns_of_die, GRID_COLUMNS, columns_of_die[number].at);
        from_left |= (uint32_t)(columns >> number & 1) << slot;
    }
    return from_left;
}

struct grid_position grid_worker_name(unsigned column, unsigned row)
{
    unsigned x_line = line_of_slot(columns_of_die, GRID_COLUMNS, column),
             y_line = line_of_slot(rows_of_die, GRID_ROWS, row);
    return (struct grid_position){.x = columns_of_die[x_line].name, .y = rows_of_die[y_line].name};
}

static void place_workers(struct grid *grid)
{
    for (unsigned i = 0; i < GRID_TENSIX_TILES; i++) {
        unsigned column = i % GRID_COLUMNS, row = i / GRID_COLUMNS;
        unsigned x = columns_of_die[column].at, y = rows_of_die[row].at;
        /* GUESS: tiles are numbered row by row; the page says 0 to 139 and no more. */
        unsigned index = slot_of_line(rows_of_die, GRID_ROWS, y) * GRID_COLUMNS +
                         slot_of_line(columns_of_die, GRID_COLUMNS, x);
        place_tile(grid, x, y,
                   (struct grid_tile){.kind = PENROSE_TILE_TENSIX,
                                      .index = (uint8_t)index,
                                      .is_fused_off = grid->fused.columns >> column & 1 ||
                                                      grid->fused.rows >> row & 1});
    }
}

static void place_tiles(struct grid *grid)
{
    place_workers(grid);
    for (unsigned bank = 0; bank < GRID_BANKS; bank++) {
        for (unsigned port = 0; port < GRID_PORTS; port++) {
            place_tile(grid, bank_at[bank].x, bank_at[bank].y[port],
                       (struct grid_tile){.kind = PENROSE_TILE_DRAM,
                                          .index = (uint8_t)bank,
                                          .port = (uint8_t)port,
                                          .is_fused_off = grid->fused.banks >> bank & 1});
        }
    }
    for (size_t i = 0; i < sizeof single_tiles / sizeof *single_tiles; i++) {
        unsigned kind = single_tiles[i].kind, index = single_tiles[i].index;
        place_tile(grid, single_tiles[i].x, single_tiles[i].y,
                   (struct grid_tile){.kind = (uint8_t)kind,
                                      .index = (uint8_t)index,
                                      .is_fused_off = kind == PENROSE_TILE_ETHERNET &&
                                                      grid->fused.ethernet >> index & 1});
    }
    unsigned empty = 0;
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_tile *tile = &grid->tile[i / GRID_WIDTH][i % GRID_WIDTH];
        if (tile->kind == PENROSE_TILE_EMPTY) {
            tile->index = (uint8_t)empty++;
        }
    }
}

bool grid_locate(const struct grid *grid, enum penrose_tile_kind kind, unsigned index,
                 unsigned port, struct grid_position *at)
{
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position here = {.x = (uint8_t)(i % GRID_WIDTH),
                                     .y = (uint8_t)(i / GRID_WIDTH)};
        const struct grid_tile *tile = grid_tile(grid, here);
        if (tile->kind == kind && tile->index == index &&
            (kind != PENROSE_TILE_DRAM || tile->port == port)) {
            *at = here;
            return true;
        }
    }
    return false;
}

/* --- The firmware's tables, of NoC 0, unpacked --- */

struct unpacked {
    uint8_t x[NIU_TABLE_ENTRIES], y[NIU_TABLE_ENTRIES];
};

static unsigned highest(unsigned bits)
{
    return 31u - (unsigned)__builtin_clz(bits);
}

/* The Ethernet tiles that get no translated coordinates. GUESS: where the table leaves some too many,
 * others that are off. At least so many are off. */
static unsigned skipped_ethernet(unsigned fused)
{
    unsigned skipped = 0;
#define GRID_NAMELESS(tiles) skipped |= fused & (tiles) ? 1u << highest(fused & (tiles)) : 0;
#include "grid.def"
    while (__builtin_popcount(skipped) < GRID_ETHERNET_TILES - NAMED_ETHERNET) {
        skipped |= 1u << highest(fused & ~skipped);
    }
    return skipped;
}

/* Lines that are there come first, in the order of the NoC; the others last, from the end, in the
 * order of the die. `to` has the place of each name. */
static void order_lines(uint8_t *to, const struct grid_line *line, unsigned lines, unsigned fused)
{
    unsigned good = 0, last = lines;
    for (unsigned number = 0; number < lines; number++) {
        if (fused >> number & 1) {
            to[line[line_of_slot(line, lines, --last)].name] = line[number].at;
        }
    }
    for (unsigned slot = 0; slot < lines; slot++) {
        unsigned number = line_of_slot(line, lines, slot);
        if (!(fused >> number & 1)) {
            to[line[line_of_slot(line, lines, good++)].name] = line[number].at;
        }
    }
}

/* The column with a missing bank comes second; the missing bank, and its neighbour in the other
 * column, come last. */
static void order_banks(struct unpacked *to, unsigned fused)
{
    enum { ROWS = GRID_BANKS / 2 };
    unsigned missing = fused ? (unsigned)__builtin_ctz(fused) : GRID_BANKS;
    bool is_west_first = missing >= ROWS;
    to->x[NAMED_DRAM_X] = is_west_first ? GRID_WEST_DRAM_X : GRID_EAST_DRAM_X;
    to->x[NAMED_DRAM_X + 1] = is_west_first ? GRID_EAST_DRAM_X : GRID_WEST_DRAM_X;
    unsigned last_row = missing < GRID_BANKS ? missing % ROWS : ROWS - 1;
    for (unsigned place_in_column = 0; place_in_column < ROWS; place_in_column++) {
        unsigned row = place_in_column == ROWS - 1   ? last_row
                       : place_in_column >= last_row ? place_in_column + 1
                                                     : place_in_column;
        memcpy(&to->y[NAMED_DRAM_Y + GRID_PORTS * place_in_column], bank_at[row].y, GRID_PORTS);
    }
}

/* Their columns have names from the first tile on, and so have their rows. */
static void order_ethernet(struct unpacked *to, const struct grid *grid)
{
    unsigned skipped = skipped_ethernet(grid->fused.ethernet), named = 0;
    for (unsigned index = 0; index < GRID_ETHERNET_TILES; index++) {
        struct grid_position at;
        if (!(skipped >> index & 1) && grid_locate(grid, PENROSE_TILE_ETHERNET, index, 0, &at)) {
            to->x[NAMED_ETHERNET_X + named % NAMED_ETHERNET_COLUMNS] = at.x;
            to->y[NAMED_ETHERNET_Y + named / NAMED_ETHERNET_COLUMNS] = at.y;
            named++;
        }
    }
}

static struct unpacked order_tiles(const struct grid *grid)
{
    struct unpacked to = {{0}, {0}};
    for (unsigned i = 0; i < GRID_WIDTH; i++) {
        to.x[i] = (uint8_t)i;
    }
    for (unsigned i = 0; i < GRID_HEIGHT; i++) {
        to.y[i] = (uint8_t)i;
    }
    order_lines(to.x, columns_of_die, GRID_COLUMNS, grid->fused.columns);
    order_lines(to.y, rows_of_die, GRID_ROWS, grid->fused.rows);
    order_banks(&to, grid->fused.banks);
    order_ethernet(&to, grid);
    struct grid_position at;
    if (grid_locate(grid, PENROSE_TILE_PCIE, grid->pcie, 0, &at)) {
        to.x[NAMED_PCIE_X] = at.x;
        to.y[NAMED_PCIE_Y] = at.y;
    }
    for (unsigned i = 0; i < GRID_L2CPUS; i++) {
        if (grid_locate(grid, PENROSE_TILE_L2CPU, i, 0, &at)) {
            to.y[NAMED_L2CPU_Y + i] = at.y;
        }
    }
    if (grid_locate(grid, PENROSE_TILE_SECURITY, 0, 0, &at)) {
        to.y[NAMED_SECURITY_Y] = at.y;
    }
    return to;
}

/* --- Registers of NIUs --- */

static void pack_table(uint32_t *words, const uint8_t entries[NIU_TABLE_ENTRIES], unsigned noc,
                       unsigned extent)
{
    for (unsigned i = 0; i < NIU_TABLE_ENTRIES; i++) {
        uint32_t entry = noc ? extent - 1 - entries[i] : entries[i];
        words[i / NIU_ENTRIES_PER_WORD] |= entry << (NIU_ENTRY_BITS * (i % NIU_ENTRIES_PER_WORD));
    }
}

/* In rows of the grid whose number is no worker's name x stays what it is; on NoC 1 it is raw. */
static uint32_t rows_with_raw_x(void)
{
    uint32_t rows = (UINT32_C(1) << GRID_HEIGHT) - 1;
    for (unsigned number = 0; number < GRID_ROWS; number++) {
        rows &= ~(UINT32_C(1) << rows_of_die[number].name);
    }
    return rows;
}

static void make_tables(struct grid *grid, const struct unpacked *to)
{
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        uint32_t *word = grid->niu[noc].word;
        word[NIU_CFG_0 / 4] = NIU_TRANSLATES;
        pack_table(&word[NIU_X_TABLE / 4], to->x, noc, GRID_WIDTH);
        pack_table(&word[NIU_Y_TABLE / 4], to->y, noc, GRID_HEIGHT);
        word[NIU_ROW_MASK / 4] = rows_with_raw_x();
    }
}

struct grid_position grid_translate(const struct grid *grid, unsigned noc, unsigned x, unsigned y)
{
    x &= 63;
    y &= 63;
    niu_translate(&grid->niu[noc], &x, &y);
    return (struct grid_position){.x = (uint8_t)x, .y = (uint8_t)y};
}

static bool find_translated(const struct grid *grid, unsigned noc, unsigned x, unsigned y,
                            struct grid_position *at)
{
    if (x >= NIU_TABLE_ENTRIES || y >= NIU_TABLE_ENTRIES) {
        return false;
    }
    struct grid_position raw = grid_translate(grid, noc, x, y);
    if (!grid_is_inside(raw)) {
        return false;
    }
    *at = grid_mirror(noc, raw);
    return true;
}

/* Hosts name a tile in each access. */
static void fill_found(struct grid *grid)
{
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 64; x++) {
            grid->found[y][x] = (struct grid_position){UINT8_MAX, UINT8_MAX};
            (void)find_translated(grid, 0, x, y, &grid->found[y][x]);
        }
    }
}

bool grid_find(const struct grid *grid, unsigned noc, unsigned x, unsigned y,
               struct grid_position *at)
{
    if (noc != 0 || x >= 64 || y >= 64) {
        return find_translated(grid, noc, x, y, at);
    }
    *at = grid->found[y][x];
    return grid_is_inside(*at);
}

/* --- Preferred coordinates --- */

/* Gives the tiles that a rectangle of translated coordinates leads to those coordinates. */
static void prefer(struct grid *grid, enum penrose_tile_kind kind, struct grid_position first,
                   struct grid_position last)
{
    for (unsigned y = first.y; y <= last.y; y++) {
        for (unsigned x = first.x; x <= last.x; x++) {
            struct grid_position at;
            if (grid_find(grid, 0, x, y, &at) && grid_tile(grid, at)->kind == kind) {
                grid->logical[at.y][at.x] =
                    (struct grid_position){.x = (uint8_t)x, .y = (uint8_t)y};
            }
        }
    }
}

static void make_preferred(struct grid *grid)
{
    for (unsigned i = 0; i < GRID_TILES; i++) {
        unsigned x = i % GRID_WIDTH, y = i / GRID_WIDTH;
        grid->logical[y][x] = (struct grid_position){.x = (uint8_t)x, .y = (uint8_t)y};
    }
    const struct grid_position first_worker = grid_worker_name(0, 0),
                               last_worker = grid_worker_name(GRID_COLUMNS - 1, GRID_ROWS - 1);
    prefer(grid, PENROSE_TILE_TENSIX, first_worker, last_worker);
    prefer(
        grid, PENROSE_TILE_DRAM, (struct grid_position){NAMED_DRAM_X, NAMED_DRAM_Y},
        (struct grid_position){NAMED_DRAM_X + 1, NAMED_DRAM_Y + GRID_PORTS * GRID_BANKS / 2 - 1});
    prefer(grid, PENROSE_TILE_PCIE, (struct grid_position){NAMED_PCIE_X, NAMED_PCIE_Y},
           (struct grid_position){NAMED_PCIE_X, NAMED_PCIE_Y});
    prefer(grid, PENROSE_TILE_ETHERNET, (struct grid_position){NAMED_ETHERNET_X, NAMED_ETHERNET_Y},
           (struct grid_position){NAMED_ETHERNET_LAST_X, NAMED_ETHERNET_LAST_Y});
    prefer(grid, PENROSE_TILE_L2CPU, (struct grid_position){0, NAMED_L2CPU_Y},
           (struct grid_position){GRID_WIDTH - 1, NAMED_L2CPU_Y + GRID_L2CPUS - 1});
    prefer(grid, PENROSE_TILE_SECURITY, (struct grid_position){0, NAMED_SECURITY_Y},
           (struct grid_position){GRID_WIDTH - 1, NAMED_SECURITY_Y});
}

static int compare_names(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct grid_name));
}

static void list_names(struct grid *grid)
{
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position at = {.x = (uint8_t)(i % GRID_WIDTH), .y = (uint8_t)(i / GRID_WIDTH)};
        const struct grid_tile *tile = grid_tile(grid, at);
        struct grid_position name = grid_logical(grid, at);
        if (!tile->is_fused_off) {
            grid->named[grid->names++] =
                (struct grid_name){.kind = tile->kind, .y = name.y, .x = name.x};
        }
    }
    qsort(grid->named, grid->names, sizeof *grid->named, compare_names);
}

const struct grid_name *grid_names(const struct grid *grid, enum penrose_tile_kind kind,
                                   size_t *count)
{
    const struct grid_name *first = grid->named, *end = first + grid->names;
    while (first < end && first->kind < kind) {
        first++;
    }
    for (*count = 0; first + *count < end && first[*count].kind == kind;) {
        ++*count;
    }
    return first;
}

/* --- Opting out of multicast --- */

/* HW: columns and rows without a Tensix tile that is there. */
static void make_masks(struct grid *grid)
{
    uint32_t columns = (UINT32_C(1) << GRID_WIDTH) - 1, rows = (UINT32_C(1) << GRID_HEIGHT) - 1;
    for (unsigned i = 0; i < GRID_TILES; i++) {
        const struct grid_tile *tile = &grid->tile[i / GRID_WIDTH][i % GRID_WIDTH];
        if (tile->kind == PENROSE_TILE_TENSIX && !tile->is_fused_off) {
            columns &= ~(UINT32_C(1) << i % GRID_WIDTH);
            rows &= ~(UINT32_C(1) << i / GRID_WIDTH);
        }
    }
    for (unsigned x = 0; x < GRID_WIDTH; x++) {
        grid->columns_off[0] |= columns & UINT32_C(1) << x;
        grid->columns_off[1] |= (columns >> x & 1) << (GRID_WIDTH - 1 - x);
    }
    for (unsigned y = 0; y < GRID_HEIGHT; y++) {
        grid->rows_off[0] |= rows & UINT32_C(1) << y;
        grid->rows_off[1] |= (rows >> y & 1) << (GRID_HEIGHT - 1 - y);
    }
}

/* --- Making one --- */

static const char *check_product(const struct grid_product *product)
{
    enum { ALL_COLUMNS = (1 << GRID_COLUMNS) - 1, ALL_ROWS = (1 << GRID_ROWS) - 1 };
    const struct grid_fused *fused = &product->fused;
    if (fused->columns > ALL_COLUMNS || fused->rows > ALL_ROWS ||
        fused->ethernet >> GRID_ETHERNET_TILES) {
        return "a mask names a column, row or Ethernet tile that the chip has not";
    }
    if (fused->columns == ALL_COLUMNS || fused->rows == ALL_ROWS) {
        return "all Tensix tiles are fused off: leave at least a column and a row";
    }
    if (fused->banks & (fused->banks - 1)) {
        return "more than one DRAM bank is fused off: firmware has coordinates for one missing "
               "bank";
    }
    if (__builtin_popcount(fused->ethernet) < GRID_ETHERNET_TILES - NAMED_ETHERNET) {
        return "more Ethernet tiles than have translated coordinates: fuse more of them off";
    }
    if (product->pcie > 1) {
        return "there are PCIe tiles 0 and 1";
    }
    return NULL;
}

const char *grid_init(struct grid *grid, const struct grid_product *product)
{
    const char *rule = check_product(product);
    if (rule) {
        return rule;
    }
    memset(grid, 0, sizeof *grid);
    grid->product = product->name;
    grid->type = product->type;
    grid->fused = product->fused;
    grid->pcie = product->pcie;
    grid->ports = product->ports;
    place_tiles(grid);
    struct unpacked to = order_tiles(grid);
    make_tables(grid, &to);
    fill_found(grid);
    make_preferred(grid);
    list_names(grid);
    make_masks(grid);
    return NULL;
}

/* --- What firmware leaves in an NIU --- */

/* GUESS: no dateline bits (26, 27); which routers have them is not published. */
static uint32_t node_id(unsigned noc, struct grid_position at)
{
    struct grid_position raw = grid_mirror(noc, at);
    uint32_t is_x_first = noc == 0;
    return raw.x | (uint32_t)raw.y << 6 | GRID_WIDTH << 12 | GRID_HEIGHT << 19 | is_x_first << 28;
}

static uint32_t endpoint_id(const struct grid *grid, unsigned noc, struct grid_position at)
{
    enum { PCIE_INDEX = 2 }; /* SPEC: NoC/MemoryMap, the same for both */
    const struct grid_tile *tile = grid_tile(grid, at);
    uint32_t index = tile->kind == PENROSE_TILE_PCIE    ? PCIE_INDEX
                     : tile->kind == PENROSE_TILE_EMPTY ? 0
                                                        : tile->index;
    return index | (uint32_t)endpoint_types[tile->kind] << 8 | (uint32_t)noc << 24;
}

void grid_configure_niu(const struct grid *grid, unsigned noc, struct grid_position at,
                        struct niu *niu)
{
    /* HW: firmware also turns on clock gating, and HEADER_STORE off. GUESS: all else is 0. */
    enum { CLOCK_GATING = 1 << 0, ROUTER_CFG_0_ALWAYS = 0xf << 8 | 1 << 0 };
    const struct grid_tile *tile = grid_tile(grid, at);
    const uint32_t *common = grid->niu[noc].word;
    struct grid_position logical = grid_logical(grid, at);
    uint32_t *word = niu->word;
    niu_set_identity(niu, NIU_NODE_ID, node_id(noc, at));
    niu_set_identity(niu, NIU_ENDPOINT_ID, endpoint_id(grid, noc, at));
    word[NIU_CFG_0 / 4] = NIU_TRANSLATES | NIU_NO_HEADERS | CLOCK_GATING |
                          (tile->is_fused_off ? NIU_CLOCK_OFF : 0) |
                          (tile->kind == PENROSE_TILE_DRAM ? NIU_AXI_SUBORDINATE : 0);
    word[NIU_ROUTER_CFG_0 / 4] = ROUTER_CFG_0_ALWAYS;
    word[NIU_ROUTER_CFG_1 / 4] = grid->columns_off[noc];
    word[NIU_ROUTER_CFG_3 / 4] = grid->rows_off[noc];
    word[NIU_ID_LOGICAL / 4] = logical.x | (uint32_t)logical.y << 6;
    word[NIU_ROW_MASK / 4] = common[NIU_ROW_MASK / 4];
    memcpy(&word[NIU_X_TABLE / 4], &common[NIU_X_TABLE / 4], 4 * NIU_TABLE_WORDS);
    memcpy(&word[NIU_Y_TABLE / 4], &common[NIU_Y_TABLE / 4], 4 * NIU_TABLE_WORDS);
}

/* --- NIUs of the edge --- */

enum answer grid_answer(enum answer answer, char *rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rule, GRID_RULE_BYTES, format, arguments);
    va_end(arguments);
    return answer;
}

enum answer grid_niu_read(struct niu *niu, uint32_t offset, uint32_t *value)
{
    *value = offset < NIU_BYTES ? 0 : UINT32_MAX;
    enum answer answer = niu_read(niu, offset, true, value);
    return offset < NIU_BYTES && answer != ANSWER_DONE ? ANSWER_UNMODELLED : answer;
}

enum answer grid_niu_write(struct niu *niu, uint32_t offset, uint32_t value)
{
    enum answer answer = niu_write(niu, offset, true, value);
    bool is_modelled = answer == ANSWER_DONE && !niu_makes_request(offset, value);
    return offset < NIU_BYTES && !is_modelled ? ANSWER_UNMODELLED : answer;
}

/* SPEC: NoC/MemoryMap says 0xff..ffb20000 or 0xff..ffb30000. HW: firmware and UMD use the start of
 * the 16 MiB which those are in, so their low bits alone count. */
bool grid_niu_address(enum penrose_tile_kind kind, uint64_t address, uint32_t *offset)
{
    const uint64_t size = UINT64_MAX - AT_EDGE_REGISTERS + 1;
    uint64_t first = kind == PENROSE_TILE_EMPTY ? AT_NOC_REGISTERS : AT_EDGE_REGISTERS;
    bool has_own =
        kind == PENROSE_TILE_TENSIX || kind == PENROSE_TILE_ETHERNET || kind == PENROSE_TILE_DRAM;
    *offset = (uint32_t)(address & 0xffff);
    return !has_own && address - first < size && *offset < NIU_BYTES;
}

bool grid_plain_number(const struct grid_tile *tile, unsigned *number)
{
    *number = tile->kind == PENROSE_TILE_L2CPU      ? tile->index
              : tile->kind == PENROSE_TILE_SECURITY ? GRID_L2CPUS
                                                    : GRID_L2CPUS + 1u + tile->index;
    return tile->kind == PENROSE_TILE_L2CPU || tile->kind == PENROSE_TILE_SECURITY ||
           tile->kind == PENROSE_TILE_EMPTY;
}

/* --- Routes --- */

static unsigned steps(unsigned from, unsigned to, unsigned extent)
{
    return to >= from ? to - from : to + extent - from;
}

/* SPEC: NoC/RoutingPaths: to the right and then down on NoC 0, up and then to the left on NoC 1. */
struct grid_way grid_way(unsigned noc, struct grid_position from, struct grid_position to)
{
    from = grid_mirror(noc, from);
    to = grid_mirror(noc, to);
    return (struct grid_way){
        .from = from, .to = to, .turn = noc == 0 ? to.x : to.y, .is_y_first = noc != 0};
}

/* Its three parts. */
struct parts {
    unsigned first, other, last;
};

static struct parts parts_of(const struct grid_way *way)
{
    const struct grid_position from = way->from, to = way->to;
    const unsigned columns = steps(from.x, to.x, GRID_WIDTH);
    const unsigned rows = steps(from.y, to.y, GRID_HEIGHT);
    return way->is_y_first ? (struct parts){.first = steps(from.y, way->turn, GRID_HEIGHT),
                                            .other = columns,
                                            .last = steps(way->turn, to.y, GRID_HEIGHT)}
                           : (struct parts){.first = steps(from.x, way->turn, GRID_WIDTH),
                                            .other = rows,
                                            .last = steps(way->turn, to.x, GRID_WIDTH)};
}

unsigned grid_way_hops(const struct grid_way *way)
{
    const struct parts parts = parts_of(way);
    return parts.first + parts.other + parts.last;
}

unsigned grid_hops(unsigned noc, struct grid_position from, struct grid_position to)
{
    const struct grid_way way = grid_way(noc, from, to);
    return grid_way_hops(&way);
}

struct grid_hop grid_hop(unsigned noc, const struct grid_way *way, unsigned number)
{
    const struct parts parts = parts_of(way);
    const unsigned before = number < parts.first ? number : parts.first;
    const unsigned beyond = number - before < parts.other ? number - before : parts.other;
    const unsigned along_first = number - beyond;
    const bool is_other = before == parts.first && beyond < parts.other;
    const unsigned x = way->from.x + (way->is_y_first ? beyond : along_first);
    const unsigned y = way->from.y + (way->is_y_first ? along_first : beyond);
    const struct grid_position at = {.x = (uint8_t)(x % GRID_WIDTH),
                                     .y = (uint8_t)(y % GRID_HEIGHT)};
    const bool is_x = is_other == way->is_y_first;
    return (struct grid_hop){.from = grid_mirror(noc, at),
                             .direction = is_x ? GRID_ALONG_X : GRID_ALONG_Y,
                             .has_wrapped = is_x ? x >= GRID_WIDTH : y >= GRID_HEIGHT};
}

void grid_visit_way(unsigned noc, struct grid_position from, struct grid_position to,
                    const struct grid_link_visitor *visitor)
{
    const struct grid_way way = grid_way(noc, from, to);
    const unsigned hops = grid_way_hops(&way);
    for (unsigned i = 0; i < hops; i++) {
        const struct grid_hop hop = grid_hop(noc, &way, i);
        visitor->take(visitor->context, hop.from, hop.direction);
    }
}

/* GUESS: the register is laid out as the vendor's firmware lays out the same thing in the windows
 * of the ARC tile: keep and skip as in a host's window, then coordinates of 6 bits. */
struct grid_exclusion grid_exclusion_of_niu(uint32_t brcst_exclude)
{
    return (struct grid_exclusion){.x_keep = brcst_exclude & 3,
                                   .x_skip = brcst_exclude >> 2 & 3,
                                   .y_keep = brcst_exclude >> 4 & 3,
                                   .y_skip = brcst_exclude >> 6 & 3,
                                   .x_coordinate = brcst_exclude >> 8 & 63,
                                   .y_coordinate = brcst_exclude >> 14 & 63,
                                   .x_above = brcst_exclude >> 20 & 1,
                                   .y_above = brcst_exclude >> 21 & 1,
                                   .has_quadrant = brcst_exclude >> 22 & 1};
}

/* SPEC: PCIExpressTile/HostToDeviceTLBs. */
struct grid_exclusion grid_exclusion_of_window(uint32_t strided)
{
    return (struct grid_exclusion){.x_keep = strided & 3,
                                   .x_skip = strided >> 2 & 3,
                                   .y_keep = strided >> 4 & 3,
                                   .y_skip = strided >> 6 & 3,
                                   .x_coordinate = strided >> 8 & 31,
                                   .y_coordinate = strided >> 13 & 15,
                                   .x_above = strided >> 17 & 1,
                                   .y_above = strided >> 18 & 1,
                                   .has_quadrant = strided >> 19 & 1};
}

/* One axis of a multicast. */
struct axis {
    uint8_t source, start, end, extent;
    uint8_t keep, skip, coordinate;
    bool is_above;
    uint32_t off; /* those that have opted out */
};

static struct axis x_axis(const struct grid_multicast *multicast)
{
    const struct grid_exclusion *exclusion = &multicast->exclusion;
    return (struct axis){.source = multicast->source.x,
                         .start = multicast->start.x,
                         .end = multicast->end.x,
                         .extent = GRID_WIDTH,
                         .keep = exclusion->x_keep,
                         .skip = exclusion->x_skip,
                         .coordinate = exclusion->x_coordinate,
                         .is_above = exclusion->x_above,
                         .off = multicast->columns_off};
}

static struct axis y_axis(const struct grid_multicast *multicast)
{
    const struct grid_exclusion *exclusion = &multicast->exclusion;
    return (struct axis){.source = multicast->source.y,
                         .start = multicast->start.y,
                         .end = multicast->end.y,
                         .extent = GRID_HEIGHT,
                         .keep = exclusion->y_keep,
                         .skip = exclusion->y_skip,
                         .coordinate = exclusion->y_coordinate,
                         .is_above = exclusion->y_above,
                         .off = multicast->rows_off};
}

static bool is_thinned(const struct axis *axis)
{
    return axis->keep && axis->skip;
}

static bool breaks_pattern(const struct axis *axis)
{
    unsigned period = (unsigned)axis->keep + axis->skip;
    return is_thinned(axis) && axis->start > axis->end && (period & (period - 1));
}

const char *grid_multicast_check(const struct grid_multicast *multicast)
{
    struct axis x = x_axis(multicast), y = y_axis(multicast);
    if (!grid_is_inside(multicast->start) || !grid_is_inside(multicast->end)) {
        return "a corner of the multicast rectangle is outside of the grid: check both";
    }
    if (!grid_is_inside(multicast->source)) {
        return "the source of the multicast is outside of the grid";
    }
    if (breaks_pattern(&x) || breaks_pattern(&y)) {
        return "a wrapped multicast needs keep + skip to be a power of two: 2 or 4";
    }
    return NULL;
}

/* Is `at` in the span that keep and skip leave? */
static bool is_wanted(const struct axis *axis, unsigned at)
{
    bool is_inside = axis->start <= axis->end ? at >= axis->start && at <= axis->end
                                              : at <= axis->end || at >= axis->start;
    unsigned period = (unsigned)axis->keep + axis->skip;
    return is_inside && (!is_thinned(axis) || ((at - axis->start) & 63) % period < axis->keep);
}

/* Is `at`, in the span, on the excluded side of the coordinate? GUESS: in a span that wraps, what
 * comes after the edge counts as beyond it. */
static bool is_beyond(const struct axis *axis, unsigned at)
{
    unsigned limit = axis->coordinate;
    if (axis->start > axis->end) {
        at += at < axis->start ? axis->extent : 0;
        limit += limit < axis->start ? axis->extent : 0;
    }
    return axis->is_above ? at >= limit : at <= limit;
}

/* The coordinates of an axis that are wanted, in the order in which a packet comes by, and how many
 * steps from its source that is. */
struct walk {
    unsigned count;
    uint8_t at[GRID_WIDTH], hops[GRID_WIDTH];
};

static struct walk walk_axis(const struct axis *axis)
{
    struct walk walk = {.count = 0};
    for (unsigned hops = 0; hops < axis->extent; hops++) {
        unsigned at = (axis->source + hops) % axis->extent;
        if (is_wanted(axis, at)) {
            walk.at[walk.count] = (uint8_t)at;
            walk.hops[walk.count++] = (uint8_t)hops;
        }
    }
    return walk;
}

static bool receives(const struct grid_multicast *multicast, const struct axis *x,
                     const struct axis *y, struct grid_position at)
{
    bool is_source = at.x == multicast->source.x && at.y == multicast->source.y;
    bool has_opted_out = (x->off >> at.x & 1) || (y->off >> at.y & 1);
    bool is_excluded =
        multicast->exclusion.has_quadrant && is_beyond(x, at.x) && is_beyond(y, at.y);
    return !has_opted_out && !is_excluded && (!is_source || multicast->includes_source);
}

bool grid_multicast_reaches(const struct grid_multicast *multicast, struct grid_position at)
{
    struct axis x = x_axis(multicast), y = y_axis(multicast);
    return is_wanted(&x, at.x) && is_wanted(&y, at.y) && receives(multicast, &x, &y, at);
}

/* SPEC: NoC/RoutingPaths and the program that draws its pictures: along the major axis to the span,
 * along the minor axis, and from each coordinate there that is wanted along the major axis. */
unsigned grid_multicast(const struct grid_multicast *multicast,
                        struct grid_target targets[GRID_TILES])
{
    struct axis x = x_axis(multicast), y = y_axis(multicast);
    struct walk major = walk_axis(multicast->is_y_major ? &y : &x);
    struct walk minor = walk_axis(multicast->is_y_major ? &x : &y);
    unsigned count = 0;
    for (unsigned i = 0; i < minor.count; i++) {
        for (unsigned j = 0; j < major.count; j++) {
            struct grid_position at = {.x = multicast->is_y_major ? minor.at[i] : major.at[j],
                                       .y = multicast->is_y_major ? major.at[j] : minor.at[i]};
            if (receives(multicast, &x, &y, at)) {
                targets[count++] = (struct grid_target){
                    .at = at, .hops = (uint8_t)(minor.hops[i] + major.hops[j])};
            }
        }
    }
    return count;
}

struct grid_way grid_stem(const struct grid_multicast *multicast)
{
    const struct axis x = x_axis(multicast), y = y_axis(multicast);
    const struct walk columns = walk_axis(&x), rows = walk_axis(&y);
    struct grid_way stem = {.from = multicast->source,
                            .to = multicast->source,
                            .turn =
                                multicast->is_y_major ? multicast->source.y : multicast->source.x,
                            .is_y_first = multicast->is_y_major};
    if (columns.count > 0 && rows.count > 0) {
        stem.to = (struct grid_position){.x = columns.at[columns.count - 1],
                                         .y = rows.at[rows.count - 1]};
        stem.turn = multicast->is_y_major ? rows.at[0] : columns.at[0];
    }
    return stem;
}

bool grid_has_branch(const struct grid_multicast *multicast, struct grid_position at)
{
    const struct axis x = x_axis(multicast), y = y_axis(multicast);
    return multicast->is_y_major ? is_wanted(&x, at.x) : is_wanted(&y, at.y);
}

/* The links from a router up to the coordinate `to` along an axis, in the NoC's own coordinates; returns
 * the router there. */
static struct grid_position visit_along(unsigned noc, struct grid_position at,
                                        enum grid_direction direction, unsigned to,
                                        const struct grid_link_visitor *visitor)
{
    const bool is_x = direction == GRID_ALONG_X;
    const unsigned extent = is_x ? GRID_WIDTH : GRID_HEIGHT;
    uint8_t *moving = is_x ? &at.x : &at.y;
    while (*moving != to) {
        visitor->take(visitor->context, grid_mirror(noc, at), direction);
        *moving = (uint8_t)((*moving + 1u) % extent);
    }
    return at;
}

void grid_visit_tree(unsigned noc, const struct grid_multicast *multicast,
                     const struct grid_link_visitor *visitor)
{
    const enum grid_direction along_major = multicast->is_y_major ? GRID_ALONG_Y : GRID_ALONG_X;
    const enum grid_direction along_minor = multicast->is_y_major ? GRID_ALONG_X : GRID_ALONG_Y;
    struct axis x = x_axis(multicast), y = y_axis(multicast);
    const struct walk major = walk_axis(multicast->is_y_major ? &y : &x);
    const struct walk minor = walk_axis(multicast->is_y_major ? &x : &y);
    if (major.count == 0 || minor.count == 0) {
        return;
    }
    struct grid_position at =
        visit_along(noc, multicast->source, along_major, major.at[0], visitor);
    for (unsigned i = 0; i < minor.count; i++) {
        at = visit_along(noc, at, along_minor, minor.at[i], visitor);
        visit_along(noc, at, along_major, major.at[major.count - 1], visitor);
    }
}
