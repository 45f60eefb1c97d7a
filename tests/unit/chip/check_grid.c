/*
 * The grid: where tiles are, how coordinates translate, which registers say so, who receives a
 * multicast. Compared with models of their own: the page's table of translated coordinates and
 * UMD's order of banks and columns, the page's algorithm on unpacked tables, and packets that go
 * from router to router.
 */
#include <string.h>

#include "chip/grid.h"
#include "unit/random.h"
#include "unit/test.h"

enum { COORDINATES = 64 };

static struct grid grid;
static uint64_t dice;

enum { PRODUCTS = 4 };

static void setup(void)
{
    dice = 1;
    ck_assert_ptr_null(grid_init(&grid, grid_product("unharvested")));
}

FIXTURE(setup, NULL);

static struct grid_position at_xy(unsigned x, unsigned y)
{
    return (struct grid_position){.x = (uint8_t)x, .y = (uint8_t)y};
}

/* --- The model: what software is told --- */

static const uint8_t die_order[GRID_COLUMNS] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
static const uint8_t tensix_x[GRID_COLUMNS] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t bank_y[4][GRID_PORTS] = {{0, 1, 11}, {2, 10, 3}, {9, 4, 8}, {5, 7, 6}};
static const uint8_t l2cpu_y[GRID_L2CPUS] = {3, 9, 5, 7};

static bool column_is_off(const struct grid_product *product, unsigned x)
{
    for (unsigned number = 0; number < GRID_COLUMNS; number++) {
        if (die_order[number] == x) {
            return product->fused.columns >> number & 1;
        }
    }
    return false;
}

/* The NoC 0 column that translated x means in the rows of Tensix tiles. */
static unsigned model_column(const struct grid_product *product, unsigned x)
{
    unsigned list[GRID_COLUMNS], count = 0, last = GRID_COLUMNS - 1;
    for (unsigned i = 0; i < GRID_COLUMNS; i++) {
        if (!column_is_off(product, tensix_x[i])) {
            list[count++] = tensix_x[i];
        }
    }
    for (unsigned number = 0; number < GRID_COLUMNS; number++) {
        if (product->fused.columns >> number & 1) {
            list[last--] = die_order[number];
        }
    }
    for (unsigned i = 0; i < GRID_COLUMNS; i++) {
        if (tensix_x[i] == x) {
            return list[i];
        }
    }
    return x; /* DRAM and CPU columns stay */
}

/* The bank at place 0..3 of translated column 17 or 18, as UMD has it. */
static unsigned model_bank(const struct grid_product *product, unsigned column, unsigned where)
{
    unsigned missing = GRID_BANKS;
    for (unsigned bank = 0; bank < GRID_BANKS; bank++) {
        missing = product->fused.banks >> bank & 1 ? bank : missing;
    }
    if (missing == GRID_BANKS) {
        return 4 * column + where;
    }
    bool misses_west = missing < 4;
    unsigned is_east = misses_west ? !column : column;
    unsigned rows[4], count = 0;
    for (unsigned row = 0; row < 4; row++) {
        if (row != missing % 4) {
            rows[count++] = row;
        }
    }
    rows[count] = missing % 4;
    return 4 * is_east + rows[where];
}

/* The Ethernet tile at translated (20 + i, 25). */
static unsigned model_ethernet(const struct grid_product *product, unsigned i)
{
    unsigned off = product->fused.ethernet;
    unsigned skip_a = 6, skip_b = 9; /* firmware: the last one that is off of 4-6 and of 7-9 */
    if (off == 0x3000) {
        skip_a = 12;
        skip_b = 13;
    } else {
        while (!(off >> skip_a & 1)) {
            skip_a--;
        }
        while (!(off >> skip_b & 1)) {
            skip_b--;
        }
    }
    for (unsigned number = 0; number < GRID_COLUMNS; number++) {
        if (number != skip_a && number != skip_b && i-- == 0) {
            return number;
        }
    }
    return 0;
}

/* The raw NoC 0 position, where the page documents (x, y). */
static bool model_find(const struct grid_product *product, unsigned noc, unsigned x, unsigned y,
                       struct grid_position *at)
{
    if (y < 2 && x < GRID_WIDTH) {
        *at = at_xy(noc ? GRID_WIDTH - 1 - x : x, y);
        return true;
    }
    if (y < 12 && x < GRID_WIDTH) {
        *at = at_xy(model_column(product, x), y);
        return true;
    }
    if (y >= 12 && y < 24 && (x == 17 || x == 18)) {
        unsigned bank = model_bank(product, x - 17, (y - 12) / 3);
        *at = at_xy(bank < 4 ? 0 : 9, bank_y[bank % 4][(y - 12) % 3]);
        return true;
    }
    if (x == 19 && y == 24) {
        *at = at_xy(product->pcie ? 11 : 2, 0);
        return true;
    }
    if (y == 25 && x >= 20 && x < 32) {
        *at = at_xy(die_order[model_ethernet(product, x - 20)], 1);
        return true;
    }
    if (x == 8 && y >= 26 && y < 30) {
        *at = at_xy(8, l2cpu_y[y - 26]);
        return true;
    }
    if (x == 8 && y == 30) {
        *at = at_xy(8, 2);
        return true;
    }
    return false;
}

static bool equal(struct grid_position a, struct grid_position b)
{
    return a.x == b.x && a.y == b.y;
}

static void compare_with_model(const struct grid_product *product)
{
    unsigned documented = 0;
    ck_assert_ptr_null(grid_init(&grid, product));
    for (unsigned i = 0; i < GRID_NOCS * COORDINATES * COORDINATES; i++) {
        unsigned noc = i % 2, x = i / 2 % COORDINATES, y = i / 2 / COORDINATES;
        struct grid_position wanted, found;
        if (model_find(product, noc, x, y, &wanted)) {
            documented++;
            EXPECT(grid_find(&grid, noc, x, y, &found));
            if (!equal(wanted, found)) {
                ck_abort_msg("%s: (%u, %u) on NoC %u: (%u, %u), not (%u, %u)", product->name, x, y,
                             noc, found.x, found.y, wanted.x, wanted.y);
            }
        }
    }
    ck_assert_uint_eq(documented, 2 * (GRID_TILES + 24 + 1 + 12 + 4 + 1));
}

TEST_EACH(test_products_translate_as_documented, PRODUCTS)
{
    ck_assert_ptr_nonnull(grid_product_at((size_t)_i));
    compare_with_model(grid_product_at((size_t)_i));
}

/* As harvesting may leave a chip: what firmware can express. */
static struct grid_product random_product(void)
{
    struct grid_product product = {.name = "random", .board = random_next(&dice)};
    unsigned columns = random_below(&dice, 8), banks = random_below(&dice, GRID_BANKS + 1);
    while (columns-- > 0) {
        product.fused.columns |= (uint16_t)(1u << random_below(&dice, GRID_COLUMNS));
    }
    product.fused.banks = (uint8_t)(banks < GRID_BANKS ? 1u << banks : 0);
    product.fused.ethernet =
        (uint16_t)(1u << (4 + random_below(&dice, 3)) | 1u << (7 + random_below(&dice, 3)) |
                   (random_below(&dice, 4) ? 0u : random_next(&dice) & 0x3fff));
    product.pcie = random_next(&dice) & 1;
    return product;
}

TEST(test_random_harvesting_translates_as_documented)
{
    for (int i = 0; i < 60; i++) {
        struct grid_product product = random_product();
        compare_with_model(&product);
    }
}

/* The tables of ttsim, which has one chip only. */
TEST(test_unharvested_dram)
{
    static const uint8_t rows[] = {0, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6};
    for (unsigned i = 0; i < sizeof rows; i++) {
        struct grid_position west, east;
        ck_assert(grid_find(&grid, 0, 17, 12 + i, &west) && grid_find(&grid, 1, 18, 12 + i, &east));
        ck_assert(equal(west, at_xy(0, rows[i])) && equal(east, at_xy(9, rows[i])));
        ck_assert_uint_eq(grid_tile(&grid, west)->index, i / 3);
        ck_assert_uint_eq(grid_tile(&grid, east)->index, 4 + i / 3);
        ck_assert_uint_eq(grid_tile(&grid, east)->port, i % 3);
    }
}

/* --- What is where --- */

struct census {
    unsigned all[PENROSE_TILE_KINDS], off[PENROSE_TILE_KINDS];
};

static struct census take_census(void)
{
    struct census census = {{0}, {0}};
    for (unsigned i = 0; i < GRID_TILES; i++) {
        const struct grid_tile *tile = &grid.tile[i / GRID_WIDTH][i % GRID_WIDTH];
        census.all[tile->kind]++;
        census.off[tile->kind] += tile->is_fused_off;
    }
    return census;
}

TEST(test_counts)
{
    static const unsigned totals[PENROSE_TILE_KINDS] = {
        [PENROSE_TILE_EMPTY] = 18,    [PENROSE_TILE_TENSIX] = 140, [PENROSE_TILE_DRAM] = 24,
        [PENROSE_TILE_ETHERNET] = 14, [PENROSE_TILE_PCIE] = 2,     [PENROSE_TILE_ARC] = 1,
        [PENROSE_TILE_L2CPU] = 4,     [PENROSE_TILE_SECURITY] = 1};
    static const struct {
        const char *name;
        unsigned workers, dram, ethernet;
    } rows[] = {{"unharvested", 140, 24, 12}, {"p150a", 140, 24, 12},
                {"p100a", 120, 21, 0},        {"p100", 120, 21, 0},
                {"p300-right", 120, 24, 12},  {"p300-left", 120, 24, 12},
                {"ubb", 130, 24, 12}};
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert_ptr_null(grid_init(&grid, grid_product(rows[i].name)));
        struct census census = take_census();
        for (unsigned kind = 0; kind < PENROSE_TILE_KINDS; kind++) {
            ck_assert_uint_eq(census.all[kind], totals[kind]);
            ck_assert_uint_gt(strlen(penrose_tile_kind_name((enum penrose_tile_kind)kind)), 0);
        }
        ck_assert_uint_eq(140 - census.off[PENROSE_TILE_TENSIX], rows[i].workers);
        ck_assert_uint_eq(24 - census.off[PENROSE_TILE_DRAM], rows[i].dram);
        ck_assert_uint_eq(14 - census.off[PENROSE_TILE_ETHERNET], rows[i].ethernet);
    }
    ck_assert_ptr_null(grid_product_at(COUNT(rows)));
    ck_assert_ptr_null(grid_product("n300"));
}

TEST(test_locate_is_the_inverse)
{
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position at = at_xy(i % GRID_WIDTH, i / GRID_WIDTH), found;
        const struct grid_tile *tile = grid_tile(&grid, at);
        ck_assert(grid_locate(&grid, (enum penrose_tile_kind)tile->kind, tile->index, tile->port,
                              &found));
        ck_assert(equal(at, found));
    }
    struct grid_position at;
    ck_assert(!grid_locate(&grid, PENROSE_TILE_TENSIX, 140, 0, &at));
    ck_assert(!grid_locate(&grid, PENROSE_TILE_DRAM, 0, 3, &at));
    ck_assert(!grid_locate(&grid, PENROSE_TILE_KINDS, 0, 0, &at));
}

TEST(test_bad_products)
{
    static const struct grid_product rows[] = {
        {"columns beyond", 0, {0x4000, 0, 0x0120, 0}, 0, 0, 0},
        {"no columns", 0, {0x3fff, 0, 0x0120, 0}, 0, 0, 0},
        {"rows beyond", 0, {0, 0x400, 0x0120, 0}, 0, 0, 0},
        {"no rows", 0, {0, 0x3ff, 0x0120, 0}, 0, 0, 0},
        {"two banks", 0, {0, 0, 0x0120, 0x81}, 0, 0, 0},
        {"13 Ethernet", 0, {0, 0, 0x0020, 0}, 0, 0, 0},
        {"14 Ethernet", 0, {0, 0, 0, 0}, 0, 0, 0},
        {"PCIe 2", 0, {0, 0, 0x0120, 0}, 2, 0, 0},
        {"Ethernet 15", 0, {0, 0, 0xc120, 0}, 0, 0, 0}};
    for (int i = 0; i < COUNT(rows); i++) {
        const char *rule = grid_init(&grid, &rows[i]);
        ck_assert_msg(rule, "%s", rows[i].name);
        ck_assert_uint_lt(strlen(rule), GRID_RULE_BYTES);
    }
}

/* --- The algorithm on registers --- */

struct unpacked {
    unsigned x[32], y[32], ddr[32];
};

static void unpack(const uint32_t *words, unsigned *entries)
{
    unsigned count = 0;
    for (unsigned word = 0; word < 6; word++) {
        uint32_t bits = words[word];
        for (unsigned i = 0; i < 6 && count < 32; i++, bits >>= 5) {
            entries[count++] = bits & 31;
        }
    }
}

/* SPEC: NoC/Coordinates; `words` from NIU_BASE on. */
static void page_translate(const uint32_t *words, unsigned *x, unsigned *y)
{
    struct unpacked tables;
    uint32_t flags = words[0x16c / 4], swap = words[0x170 / 4];
    unsigned low_x = *x % 32, low_y = *y % 32;
    bool is_ddr[64] = {false};
    if (!(words[0x100 / 4] >> 14 & 1)) {
        return;
    }
    unpack(words + 0x118 / 4, tables.x);
    unpack(words + 0x130 / 4, tables.y);
    unpack(words + 0x158 / 4, tables.ddr);
    is_ddr[9] = flags >> 10 & 1;
    is_ddr[0] = flags >> 11 & 1;
    if ((swap >> low_y & 1) && is_ddr[low_x ^ 9]) {
        *x = low_x ^ 9;
    } else if (!(words[0x154 / 4] >> low_y & 1)) {
        *x = tables.x[low_x];
    }
    if (is_ddr[low_x]) {
        *y = tables.ddr[low_y];
    } else if (!(words[0x150 / 4] >> low_x & 1)) {
        *y = tables.y[low_y];
    }
}

static struct niu configured_niu(unsigned noc, struct grid_position at)
{
    struct niu niu = {.word = {0}};
    grid_configure_niu(&grid, noc, at, &niu);
    return niu;
}

/* The registers of every NIU of every product lead where the grid says, all coordinates that have an
 * entry of their own in the tables. */
TEST_EACH(test_registers_say_the_same, PRODUCTS)
{
    ck_assert_ptr_null(grid_init(&grid, grid_product_at((size_t)_i)));
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        const struct niu first = configured_niu(noc, at_xy(0, 0));
        enum { TABLES_AT = NIU_X_TABLE / 4, TABLES_BYTES = NIU_ID_LOGICAL - NIU_X_TABLE };
        for (unsigned i = 0; i < GRID_TILES; i++) {
            const struct niu niu = configured_niu(noc, at_xy(i % GRID_WIDTH, i / GRID_WIDTH));
            ck_assert_mem_eq(&niu.word[TABLES_AT], &first.word[TABLES_AT], TABLES_BYTES);
            ck_assert(niu.word[NIU_CFG_0 / 4] & NIU_TRANSLATES);
        }
        for (unsigned i = 0; i < COORDINATES * COORDINATES; i++) {
            unsigned x = i % COORDINATES, y = i / COORDINATES;
            unsigned raw_x = x, raw_y = y;
            struct grid_position found = {0, 0};
            page_translate(first.word, &raw_x, &raw_y);
            bool has_entry = x < NIU_TABLE_ENTRIES && y < NIU_TABLE_ENTRIES;
            bool is_inside = has_entry && raw_x < GRID_WIDTH && raw_y < GRID_HEIGHT;
            EXPECT(grid_find(&grid, noc, x, y, &found) == is_inside);
            EXPECT(!is_inside || equal(found, grid_mirror(noc, at_xy(raw_x, raw_y))));
        }
    }
}

TEST(test_translate_with_random_tables)
{
    static struct niu niu;
    for (int i = 0; i < 20000; i++) {
        unsigned sparse = random_next(&dice);
        for (unsigned word = 0x100 / 4; word < 0x180 / 4; word++) {
            niu.word[word] =
                random_next(&dice) & ((sparse >> (word & 31) & 1) ? random_next(&dice) : ~0u);
        }
        for (int j = 0; j < 8; j++) {
            unsigned x = random_below(&dice, COORDINATES), y = random_below(&dice, COORDINATES);
            unsigned raw_x = x, raw_y = y;
            niu_translate(&niu, &x, &y);
            page_translate(niu.word, &raw_x, &raw_y);
            EXPECT(x == raw_x && y == raw_y);
        }
    }
}

/* --- Other registers --- */

TEST_EACH(test_preferred_coordinates_lead_back, PRODUCTS)
{
    ck_assert_ptr_null(grid_init(&grid, grid_product_at((size_t)_i)));
    unsigned one_sided = 0;
    for (unsigned i = 0; i < GRID_TILES; i++) {
        struct grid_position at = at_xy(i % GRID_WIDTH, i / GRID_WIDTH), found;
        struct grid_position logical = grid_logical(&grid, at);
        ck_assert(grid_find(&grid, 0, logical.x, logical.y, &found) && equal(found, at));
        /* SPEC: NoC/Coordinates: x is raw in rows 0 and 1, which shows on NoC 1. */
        bool is_raw = logical.y < 2 && logical.x != 8;
        ck_assert(grid_find(&grid, 1, logical.x, logical.y, &found));
        ck_assert_int_eq(equal(found, at), !is_raw);
        one_sided += is_raw;
    }
    /* Rows 0 and 1 without column 8, the Ethernet tiles and the PCIe tile with coordinates of their
     * own, and the four DRAM tiles. */
    ck_assert_uint_eq(one_sided, 2 * 16 - 12 - 1 - 4);
}

/* Tiles that are there, by kind and row by row: those that software can name. */
TEST_EACH(test_names_are_those_that_lead_back, PRODUCTS)
{
    ck_assert_ptr_null(grid_init(&grid, grid_product_at((size_t)_i)));
    unsigned total = 0;
    for (unsigned kind = 0; kind <= PENROSE_TILE_KINDS; kind++) {
        size_t count, found = 0;
        const struct grid_name *name = grid_names(&grid, (enum penrose_tile_kind)kind, &count);
        for (unsigned i = 0; i < COORDINATES * COORDINATES; i++) {
            struct grid_position wanted = at_xy(i % COORDINATES, i / COORDINATES), at;
            if (grid_find(&grid, 0, wanted.x, wanted.y, &at) &&
                equal(grid_logical(&grid, at), wanted) && grid_tile(&grid, at)->kind == kind &&
                !grid_tile(&grid, at)->is_fused_off) {
                ck_assert_uint_lt(found, count);
                ck_assert(equal(at_xy(name[found].x, name[found].y), wanted));
                found++;
            }
        }
        ck_assert_uint_eq(found, count);
        total += (unsigned)count;
    }
    ck_assert_uint_eq(total, grid.names);
}

TEST(test_identity)
{
    static const struct {
        unsigned noc, x, y;
        uint32_t node, endpoint;
    } rows[] = {{0, 2, 0, 0x10611002, 0x00030002},  {1, 2, 0, 0x006112ce, 0x01030002},
                {0, 11, 0, 0x1061100b, 0x00030002}, {0, 8, 0, 0x10611008, 0x00050000},
                {0, 16, 1, 0x10611050, 0x00020001}, {1, 10, 1, 0x00611286, 0x0102000d},
                {0, 1, 2, 0x10611081, 0x00010000},  {1, 16, 11, 0x00611000, 0x0101008b},
                {0, 9, 6, 0x10611189, 0x00080007},  {0, 8, 9, 0x10611248, 0x00090101},
                {1, 8, 2, 0x00611248, 0x010a0000}};
    for (int i = 0; i < COUNT(rows); i++) {
        const struct niu niu = configured_niu(rows[i].noc, at_xy(rows[i].x, rows[i].y));
        for (unsigned buffer = 0; buffer < NIU_BUFFERS; buffer++) {
            const uint32_t *word = &niu.word[niu_buffer(buffer)];
            ck_assert_uint_eq(word[NIU_NODE_ID / 4], rows[i].node);
            ck_assert_uint_eq(word[NIU_ENDPOINT_ID / 4], rows[i].endpoint);
        }
    }
}

/* Tiles that are off have no clock; only Tensix tiles that are on receive multicasts. */
TEST_EACH(test_configuration, PRODUCTS)
{
    ck_assert_ptr_null(grid_init(&grid, grid_product_at((size_t)_i)));
    for (unsigned i = 0; i < GRID_NOCS * GRID_TILES; i++) {
        unsigned noc = i % 2;
        struct grid_position at = at_xy(i / 2 % GRID_WIDTH, i / 2 / GRID_WIDTH);
        const struct grid_tile *tile = grid_tile(&grid, at);
        struct grid_position raw = grid_mirror(noc, at), logical = grid_logical(&grid, at);
        const struct niu niu = configured_niu(noc, at);
        bool receives = !(niu.word[0x108 / 4] >> raw.x & 1) && !(niu.word[0x110 / 4] >> raw.y & 1);
        ck_assert_int_eq(receives, tile->kind == PENROSE_TILE_TENSIX && !tile->is_fused_off);
        ck_assert_int_eq(niu.word[0x100 / 4] >> 12 & 1, tile->is_fused_off);
        ck_assert_uint_eq(niu.word[0x148 / 4], logical.x | (unsigned)logical.y << 6);
        ck_assert_uint_eq(niu.word[0x108 / 4] >> GRID_WIDTH, 0);
        ck_assert_uint_eq(niu.word[0x110 / 4] >> GRID_HEIGHT, 0);
    }
}

/* --- NIUs of the edge --- */

/* Registers hold what is written as those of other NIUs do, and no request starts. */
TEST(test_edge_niu)
{
    struct grid_position at = at_xy(8, 0);
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        struct niu niu = configured_niu(noc, at), other = niu;
        for (uint32_t offset = 0; offset < 0x2100; offset += 4) {
            uint32_t value = 0, written = random_next(&dice), after = 0, expected = 0;
            enum answer own = niu_read(&other, offset, true, &expected);
            enum answer answer = grid_niu_read(&niu, offset, &value);
            ck_assert_int_eq(answer == ANSWER_UNMAPPED, offset >= 0x2000);
            ck_assert_int_eq(answer == ANSWER_DONE, own == ANSWER_DONE);
            ck_assert_uint_eq(value, offset < 0x2000 ? expected : UINT32_MAX);
            own = niu_write(&other, offset, true, written);
            ck_assert_int_eq(grid_niu_write(&niu, offset, written) == ANSWER_DONE,
                             own == ANSWER_DONE && !niu_makes_request(offset, written));
            grid_niu_read(&niu, offset, &after);
            bool is_config = offset >= 0x100 && offset < 0x14c;
            ck_assert(!is_config || after == written);
            ck_assert_mem_eq(&niu, &other, sizeof niu);
        }
    }
}

TEST(test_edge_niu_addresses)
{
    static const struct {
        enum penrose_tile_kind kind;
        uint64_t address;
        bool is_niu;
        uint32_t offset;
    } rows[] = {{PENROSE_TILE_ARC, UINT64_C(0xffffffffffb20044), true, 0x44},
                {PENROSE_TILE_PCIE, UINT64_C(0xffffffffffb30100), true, 0x100},
                {PENROSE_TILE_L2CPU, UINT64_C(0xffffffffff000148), true, 0x148},
                {PENROSE_TILE_SECURITY, UINT64_C(0xffffffffff001044), true, 0x1044},
                {PENROSE_TILE_EMPTY, UINT64_C(0xffb20044), true, 0x44},
                {PENROSE_TILE_EMPTY, UINT64_C(0xff000044), true, 0x44},
                {PENROSE_TILE_EMPTY, UINT64_C(0xffffffffff000044), false, 0},
                {PENROSE_TILE_ARC, UINT64_C(0xffb20044), false, 0},
                {PENROSE_TILE_PCIE, UINT64_C(0xfffffffffeffffff), false, 0},
                {PENROSE_TILE_PCIE, UINT64_C(0xffffffffff002000), false, 0},
                {PENROSE_TILE_EMPTY, UINT64_C(0x100000044), false, 0},
                {PENROSE_TILE_TENSIX, UINT64_C(0xffb20044), false, 0},
                {PENROSE_TILE_DRAM, UINT64_C(0xffffffffffb20044), false, 0}};
    for (int i = 0; i < COUNT(rows); i++) {
        uint32_t offset;
        ck_assert_int_eq(grid_niu_address(rows[i].kind, rows[i].address, &offset), rows[i].is_niu);
        ck_assert(!rows[i].is_niu || offset == rows[i].offset);
    }
}

/* --- Routes --- */

/* NoC 0 goes right and down, NoC 1 left and up, in NoC 0's picture of the chip. */
static unsigned count_hops(unsigned noc, struct grid_position from, struct grid_position to)
{
    unsigned hops = 0;
    for (; from.x != to.x; hops++) {
        from.x = (uint8_t)((from.x + (noc ? GRID_WIDTH - 1 : 1)) % GRID_WIDTH);
    }
    for (; from.y != to.y; hops++) {
        from.y = (uint8_t)((from.y + (noc ? GRID_HEIGHT - 1 : 1)) % GRID_HEIGHT);
    }
    return hops;
}

TEST(test_hops)
{
    for (unsigned i = 0; i < GRID_TILES * GRID_TILES; i++) {
        struct grid_position from = at_xy(i % GRID_WIDTH, i / GRID_WIDTH % GRID_HEIGHT);
        struct grid_position to = at_xy(i / GRID_TILES % GRID_WIDTH, i / GRID_TILES / GRID_WIDTH);
        for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
            EXPECT(grid_hops(noc, from, to) == count_hops(noc, from, to));
        }
    }
}

/* Links that were visited, and how many hops from the source each router is, plus one; 0: it was not
 * reached. */
struct visited {
    unsigned noc, links;
    struct grid_position end;
    unsigned hops[GRID_TILES];
    bool is_apart,
        is_twice; /* a link leaves a router that was not reached, or leads to one that was */
};

static unsigned node_of(struct grid_position at)
{
    return (unsigned)at.y * GRID_WIDTH + at.x;
}

static void visit(void *context, struct grid_position from, enum grid_direction direction)
{
    struct visited *visited = context;
    struct grid_position at = grid_mirror(visited->noc, from);
    const unsigned before = visited->hops[node_of(from)];
    if (direction == GRID_ALONG_X) {
        at.x = (uint8_t)((at.x + 1) % GRID_WIDTH);
    } else {
        at.y = (uint8_t)((at.y + 1) % GRID_HEIGHT);
    }
    visited->end = grid_mirror(visited->noc, at);
    visited->is_apart |= before == 0;
    visited->is_twice |= visited->hops[node_of(visited->end)] != 0;
    visited->hops[node_of(visited->end)] = before + 1;
    visited->links++;
}

TEST(test_a_way_has_as_many_links_as_hops)
{
    for (unsigned i = 0; i < GRID_NOCS * GRID_TILES * GRID_TILES; i++) {
        const unsigned noc = i % GRID_NOCS, ends = i / GRID_NOCS;
        const struct grid_position from = at_xy(ends % GRID_WIDTH, ends / GRID_WIDTH % GRID_HEIGHT);
        const struct grid_position to =
            at_xy(ends / GRID_TILES % GRID_WIDTH, ends / GRID_TILES / GRID_WIDTH);
        struct visited visited = {.noc = noc, .end = from};
        visited.hops[node_of(from)] = 1;
        grid_visit_way(noc, from, to, &(struct grid_link_visitor){visit, &visited});
        EXPECT(visited.links == grid_hops(noc, from, to));
        EXPECT(equal(visited.end, to));
        EXPECT(!visited.is_apart && !visited.is_twice);
    }
}

/* SPEC: NoC/RoutingPaths: where a packet turns. */
TEST(test_ways_turn_where_the_page_says)
{
    const struct grid_position from = at_xy(3, 4), to = at_xy(5, 2);
    for (unsigned noc = 0; noc < GRID_NOCS; noc++) {
        struct visited visited = {.noc = noc};
        visited.hops[node_of(from)] = 1;
        grid_visit_way(noc, from, to, &(struct grid_link_visitor){visit, &visited});
        ck_assert_uint_ne(visited.hops[node_of(noc == 0 ? at_xy(5, 4) : at_xy(3, 2))], 0);
    }
}

struct received {
    unsigned count;
    struct grid_target target[GRID_TILES];
};

/* A tile of the rectangle and of its pattern. */
static bool spans(unsigned start, unsigned end, unsigned keep, unsigned skip, unsigned at)
{
    bool is_inside = start <= end ? start <= at && at <= end : at <= end || start <= at;
    if (!is_inside || !keep || !skip) {
        return is_inside;
    }
    return ((at + 64 - start) % 64) % (keep + skip) < keep;
}

static bool may_receive(const struct grid_multicast *m, struct grid_position at)
{
    const struct grid_exclusion *e = &m->exclusion;
    if (!spans(m->start.x, m->end.x, e->x_keep, e->x_skip, at.x) ||
        !spans(m->start.y, m->end.y, e->y_keep, e->y_skip, at.y)) {
        return false;
    }
    if (e->has_quadrant) { /* such rectangles do not wrap here */
        bool out_x = e->x_above ? at.x >= e->x_coordinate : at.x <= e->x_coordinate;
        bool out_y = e->y_above ? at.y >= e->y_coordinate : at.y <= e->y_coordinate;
        if (out_x && out_y) {
            return false;
        }
    }
    bool is_off = (m->columns_off >> at.x & 1) || (m->rows_off >> at.y & 1);
    return !is_off && (!equal(at, m->source) || m->includes_source);
}

/* A branch goes along the major axis until it has been at the whole span. */
static void branch(const struct grid_multicast *m, struct grid_position at, unsigned hops,
                   struct received *received)
{
    unsigned extent = m->is_y_major ? GRID_HEIGHT : GRID_WIDTH;
    uint8_t *moving = m->is_y_major ? &at.y : &at.x;
    for (unsigned i = 0; i < extent; i++) {
        if (may_receive(m, at)) {
            received->target[received->count++] =
                (struct grid_target){.at = at, .hops = (uint8_t)hops};
        }
        *moving = (uint8_t)((*moving + 1u) % extent);
        hops++;
    }
}

/* From router to router: to the span along the major axis, then a branch at each stop of the minor.
 */
static void deliver(const struct grid_multicast *m, struct received *received)
{
    struct grid_position at = m->source;
    unsigned hops = 0, minor = m->is_y_major ? GRID_WIDTH : GRID_HEIGHT;
    received->count = 0;
    if (m->is_y_major && !spans(m->start.y, m->end.y, 0, 0, at.y)) {
        for (; at.y != m->start.y; hops++) {
            at.y = (uint8_t)((at.y + 1u) % GRID_HEIGHT);
        }
    } else if (!m->is_y_major && !spans(m->start.x, m->end.x, 0, 0, at.x)) {
        for (; at.x != m->start.x; hops++) {
            at.x = (uint8_t)((at.x + 1u) % GRID_WIDTH);
        }
    }
    for (unsigned i = 0; i < minor; i++, hops++) {
        branch(m, at, hops, received);
        uint8_t *moving = m->is_y_major ? &at.x : &at.y;
        *moving = (uint8_t)((*moving + 1u) % minor);
    }
}

static struct grid_multicast random_multicast(void)
{
    struct grid_multicast m = {
        .source = at_xy(random_below(&dice, GRID_WIDTH), random_below(&dice, GRID_HEIGHT)),
        .start = at_xy(random_below(&dice, GRID_WIDTH), random_below(&dice, GRID_HEIGHT)),
        .end = at_xy(random_below(&dice, GRID_WIDTH), random_below(&dice, GRID_HEIGHT)),
        .is_y_major = random_next(&dice) & 1,
        .includes_source = random_next(&dice) & 1,
        .columns_off =
            random_below(&dice, 2) ? random_next(&dice) & random_next(&dice) & 0x1ffff : 0,
        .rows_off = random_below(&dice, 2) ? random_next(&dice) & random_next(&dice) & 0xfff : 0};
    bool wraps = m.start.x > m.end.x || m.start.y > m.end.y;
    unsigned what = random_below(&dice, 3);
    m.exclusion = what == 0   ? (struct grid_exclusion){0}
                  : what == 1 ? grid_exclusion_of_window(random_next(&dice))
                              : grid_exclusion_of_niu(random_next(&dice));
    m.exclusion.has_quadrant = m.exclusion.has_quadrant && !wraps;
    return m;
}

TEST(test_multicast_follows_the_tree)
{
    unsigned delivered = 0, refused = 0;
    for (int i = 0; i < 10000; i++) {
        struct grid_multicast m = random_multicast();
        struct grid_target targets[GRID_TILES];
        struct received wanted;
        if (grid_multicast_check(&m)) {
            refused++;
            continue;
        }
        deliver(&m, &wanted);
        ck_assert_uint_eq(grid_multicast(&m, targets), wanted.count);
        for (unsigned j = 0; j < wanted.count; j++) {
            EXPECT(equal(targets[j].at, wanted.target[j].at));
            EXPECT(targets[j].hops == wanted.target[j].hops);
        }
        delivered += wanted.count;
    }
    ck_assert_uint_gt(delivered, 50000);
    ck_assert_uint_gt(refused, 100);
}

/* The links of a tree lead to each receiver, over as many hops as its packet takes. */
TEST(test_links_of_a_multicast_are_a_tree)
{
    unsigned delivered = 0;
    for (unsigned i = 0; i < 10000; i++) {
        const unsigned noc = i % GRID_NOCS;
        const struct grid_multicast m = random_multicast();
        struct grid_target targets[GRID_TILES];
        if (grid_multicast_check(&m)) {
            continue;
        }
        struct visited visited = {.noc = noc};
        visited.hops[node_of(grid_mirror(noc, m.source))] = 1;
        grid_visit_tree(noc, &m, &(struct grid_link_visitor){visit, &visited});
        EXPECT(!visited.is_apart && !visited.is_twice);
        const unsigned count = grid_multicast(&m, targets);
        for (unsigned j = 0; j < count; j++) {
            EXPECT(visited.hops[node_of(grid_mirror(noc, targets[j].at))] == targets[j].hops + 1u);
        }
        delivered += count;
    }
    ck_assert_uint_gt(delivered, 50000);
}

/* The rectangle of the page's pictures, on both NoCs; where the pictures' packets go first. */
TEST(test_multicast_of_the_page)
{
    struct grid_multicast m = {.source = at_xy(2, 2),
                               .start = at_xy(3, 5),
                               .end = at_xy(10, 9),
                               .columns_off = grid.columns_off[0],
                               .rows_off = grid.rows_off[0]};
    struct grid_target targets[GRID_TILES];
    ck_assert_uint_eq(grid_multicast(&m, targets), 6 * 5);
    ck_assert(equal(targets[0].at, at_xy(3, 5)) && targets[0].hops == 4);
    ck_assert(equal(targets[1].at, at_xy(4, 5)));
    ck_assert(equal(targets[29].at, at_xy(10, 9)) && targets[29].hops == 15);
    m.is_y_major = true;
    ck_assert_uint_eq(grid_multicast(&m, targets), 6 * 5);
    ck_assert(equal(targets[1].at, at_xy(3, 6)));
    m.start = m.end = at_xy(0, 0);
    ck_assert_uint_eq(grid_multicast(&m, targets), 0);
}

TEST(test_multicast_rules)
{
    static const struct {
        struct grid_multicast m;
        bool is_fine;
    } rows[] = {
        {{.start = {0, 0}, .end = {16, 11}}, true},
        {{.start = {17, 0}, .end = {16, 11}}, false},
        {{.start = {0, 0}, .end = {0, 12}}, false},
        {{.source = {0, 40}, .end = {1, 1}}, false},
        {{.start = {3, 0}, .end = {1, 1}, .exclusion = {.x_keep = 1, .x_skip = 2}}, false},
        {{.start = {3, 0}, .end = {1, 1}, .exclusion = {.x_keep = 1, .x_skip = 3}}, true},
        {{.start = {3, 0}, .end = {1, 1}, .exclusion = {.x_keep = 3}}, true},
        {{.start = {0, 5}, .end = {1, 1}, .exclusion = {.y_keep = 3, .y_skip = 3}}, false},
        {{.start = {0, 1}, .end = {1, 5}, .exclusion = {.y_keep = 3, .y_skip = 3}}, true},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        const char *rule = grid_multicast_check(&rows[i].m);
        ck_assert_int_eq(rule == NULL, rows[i].is_fine);
        ck_assert(!rule || strlen(rule) < GRID_RULE_BYTES);
    }
}

/* Excluding a quadrant of a rectangle that wraps: what lies beyond the edge counts on. */
TEST(test_exclusion_when_wrapped)
{
    struct grid_multicast m = {
        .source = at_xy(8, 8),
        .start = at_xy(15, 3),
        .end = at_xy(2, 3),
        .exclusion = {.has_quadrant = true, .x_above = true, .y_above = true}};
    struct grid_target targets[GRID_TILES];
    m.exclusion.x_coordinate = 0; /* of 15 16 0 1 2 */
    ck_assert_uint_eq(grid_multicast(&m, targets), 2);
    m.exclusion.x_coordinate = 16;
    ck_assert_uint_eq(grid_multicast(&m, targets), 1);
    m.exclusion.x_above = false;
    ck_assert_uint_eq(grid_multicast(&m, targets), 3);
}

/* The steps of a packet are as many as its hops, each begins where the one before it ends, and the last
 * one ends at the receiver. */
TEST_EACH(test_steps_of_a_packet, 2)
{
    const unsigned noc = (unsigned)_i;
    for (unsigned from = 0; from < GRID_TILES; from += 5) {
        for (unsigned to = 0; to < GRID_TILES; to += 3) {
            struct grid_position a = at_xy(from % GRID_WIDTH, from / GRID_WIDTH);
            struct grid_position b = at_xy(to % GRID_WIDTH, to / GRID_WIDTH);
            struct grid_position at = grid_mirror(noc, a), end = grid_mirror(noc, b);
            const struct grid_way way = grid_way(noc, a, b);
            unsigned hops = grid_hops(noc, a, b), wraps = 0;
            enum grid_direction first = noc == 0 ? GRID_ALONG_X : GRID_ALONG_Y, latest = first;
            for (unsigned i = 0; i < hops; i++) {
                struct grid_hop hop = grid_hop(noc, &way, i);
                struct grid_position from_here = grid_mirror(noc, hop.from);
                ck_assert(from_here.x == at.x && from_here.y == at.y);
                ck_assert(hop.direction != first || latest == first); /* it turns once */
                wraps = hop.direction == latest ? wraps : 0;
                ck_assert_uint_eq(hop.has_wrapped, wraps);
                latest = hop.direction;
                uint8_t *along = latest == GRID_ALONG_X ? &at.x : &at.y;
                unsigned extent = latest == GRID_ALONG_X ? GRID_WIDTH : GRID_HEIGHT;
                *along = (uint8_t)((*along + 1) % extent);
                wraps += *along == 0;
            }
            ck_assert(at.x == end.x && at.y == end.y);
        }
    }
}
