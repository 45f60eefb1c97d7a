/*
 * A PCIe tile: windows and iATU against a model that looks for the region byte by byte, DMA as UMD
 * and as the vendor's firmware program it, registers from both sides, and accesses anywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "chip/pcie.h"
#include "unit/random.h"
#include "unit/test.h"

enum { MEMORY_BYTES = 0x10000, ATU = 0x1000, ATU_STEP = 0x200 };

static struct grid grid;
static struct pcie pcie;
static char rule[GRID_RULE_BYTES + 1];
static uint64_t dice;

/* Host memory begins at host_base; so does the device's at device_base. */
static uint8_t host[MEMORY_BYTES], device[MEMORY_BYTES];
static uint64_t host_base, device_base;
static unsigned host_writes;

static uint8_t *memory_at(uint8_t *memory, uint64_t base, uint64_t address, uint32_t size)
{
    uint64_t at = address - base;
    return at < MEMORY_BYTES && size <= MEMORY_BYTES - at ? memory + at : NULL;
}

static bool copy_from(const uint8_t *from, void *to, uint32_t size)
{
    if (from) {
        memcpy(to, from, size);
    }
    return from != NULL;
}

static bool copy_to(uint8_t *to, const void *from, uint32_t size)
{
    if (to) {
        memcpy(to, from, size);
    }
    return to != NULL;
}

static bool host_read(void *context, uint64_t address, void *to, uint32_t size)
{
    (void)context;
    return copy_from(memory_at(host, host_base, address, size), to, size);
}

static bool host_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    (void)context;
    host_writes++;
    return copy_to(memory_at(host, host_base, address, size), from, size);
}

static bool device_read(void *context, uint64_t address, void *to, uint32_t size)
{
    (void)context;
    return copy_from(memory_at(device, device_base, address, size), to, size);
}

static bool device_write(void *context, uint64_t address, const void *from, uint32_t size)
{
    (void)context;
    return copy_to(memory_at(device, device_base, address, size), from, size);
}

static const struct pcie_bus bus = {.host_read = host_read,
                                    .host_write = host_write,
                                    .device_read = device_read,
                                    .device_write = device_write};

static void setup(void)
{
    dice = 1;
    host_base = UINT64_C(0x123400000000);
    device_base = 0x04000000;
    host_writes = 0;
    for (unsigned i = 0; i < MEMORY_BYTES; i++) {
        host[i] = (uint8_t)random_next(&dice);
        device[i] = (uint8_t)random_next(&dice);
    }
    ck_assert_ptr_null(grid_init(&grid, grid_product("p150a")));
    pcie_init(&pcie, &grid, 0, &bus);
}

FIXTURE(setup, NULL);

static void put(uint32_t offset, uint32_t value)
{
    ck_assert_msg(pcie_bar2_write(&pcie, offset, value, rule) == ANSWER_DONE, "%s", rule);
}

static uint32_t get(uint32_t offset)
{
    uint32_t value;
    ck_assert_msg(pcie_bar2_read(&pcie, offset, &value, rule) == ANSWER_DONE, "%s", rule);
    return value;
}

static void check_reply(enum answer reply, enum answer wanted, const char *what)
{
    if (reply != wanted) {
        ck_abort_msg("%s: %d, not %d (%s)", what, reply, wanted, rule);
    }
    EXPECT(reply == ANSWER_DONE || strlen(rule) < GRID_RULE_BYTES - 1);
    EXPECT(reply == ANSWER_DONE || strstr(rule, "PCIe") || strstr(rule, "BAR2"));
}

static uint64_t window_at(unsigned window)
{
    return (uint64_t)window << 58;
}

/* --- Windows --- */

TEST(test_windows_to_the_host)
{
    for (unsigned window = 0; window < 64; window++) {
        uint64_t found, offset = (uint64_t)random_next(&dice) << 20 | random_next(&dice);
        enum answer wanted = window < 8     ? ANSWER_DONE
                             : window >= 62 ? ANSWER_UNMAPPED
                                            : ANSWER_REFUSED;
        check_reply(pcie_translate(&pcie, window_at(window) + offset, 64, &found, rule), wanted,
                    "window");
        ck_assert_uint_eq(found, wanted == ANSWER_DONE ? offset : 0);
    }
}

/* UMD's region: pass the iATU in windows 4 to 7 only. */
static void map_region(unsigned region, uint64_t base, uint64_t size, uint64_t target)
{
    uint32_t at = ATU + ATU_STEP * region;
    put(at + 0x04, 0);
    put(at + 0x00, 0);
    put(at + 0x08, (uint32_t)base);
    put(at + 0x0c, (uint32_t)(base >> 32));
    put(at + 0x10, (uint32_t)(base + size - 1));
    put(at + 0x14, (uint32_t)target);
    put(at + 0x18, (uint32_t)(target >> 32));
    put(at + 0x04, UINT32_C(1) << 31);
}

TEST(test_regions_as_umd_maps_them)
{
    const uint64_t gib = UINT64_C(1) << 30;
    for (unsigned region = 0; region < 16; region++) {
        map_region(region, region * gib, gib, UINT64_C(0x7f0000000000) - region * 0x123450000);
    }
    for (int i = 0; i < 2000; i++) {
        unsigned region = random_next(&dice) % 16, window = random_next(&dice) % 8;
        uint64_t offset = random_next(&dice) % gib, found;
        uint64_t address = region * gib + offset;
        uint64_t size = 1 + random_next(&dice) % 64;
        bool has_room = offset + size <= gib;
        enum answer reply = pcie_translate(&pcie, window_at(window) + address, size, &found, rule);
        check_reply(reply, window < 4 || has_room ? ANSWER_DONE : ANSWER_REFUSED, "region");
        uint64_t target = UINT64_C(0x7f0000000000) - region * 0x123450000 + offset;
        ck_assert(reply != ANSWER_DONE || found == (window < 4 ? address : target));
    }
    uint64_t found;
    check_reply(pcie_translate(&pcie, window_at(4) + 16 * gib, 4, &found, rule), ANSWER_DONE,
                "none");
    ck_assert_uint_eq(found, 16 * gib);
    check_reply(pcie_translate(&pcie, window_at(4) + gib - 2, 4, &found, rule), ANSWER_REFUSED,
                "two regions");
}

/* A model that asks of each byte in which region it is. */
struct model_region {
    bool is_on;
    uint64_t base, limit, target;
};

static int region_of(const struct model_region *regions, uint64_t address, bool *is_shared)
{
    int found = -1;
    for (int i = 0; i < PCIE_REGIONS; i++) {
        if (regions[i].is_on && address >= regions[i].base && address <= regions[i].limit) {
            *is_shared |= found >= 0;
            found = i;
        }
    }
    return found;
}

static bool model_translate(const struct model_region *regions, uint64_t address, uint64_t size,
                            uint64_t *to)
{
    bool is_shared = false;
    int first = region_of(regions, address, &is_shared);
    for (uint64_t i = 1; i < size; i++) {
        if (region_of(regions, address + i, &is_shared) != first) {
            return false;
        }
    }
    *to = first < 0 ? address : regions[first].target + (address - regions[first].base);
    return !is_shared;
}

static void random_region(unsigned i, struct model_region *region)
{
    uint32_t at = ATU + ATU_STEP * i;
    bool is_extended = random_next(&dice) & 1;
    region->is_on = random_next(&dice) % 3 != 0;
    region->base = random_next(&dice) % 0x400 | (uint64_t)(random_next(&dice) % 3) << 32;
    region->limit = region->base + random_next(&dice) % 0x80;
    if (is_extended && random_next(&dice) % 4 == 0) {
        region->limit += UINT64_C(1) << 32;
    }
    region->target = (uint64_t)random_next(&dice) << 32 | random_next(&dice);
    put(at + 0x00, is_extended ? 1 << 13 : 0);
    put(at + 0x04, region->is_on ? UINT32_C(1) << 31 : 0);
    put(at + 0x08, (uint32_t)region->base);
    put(at + 0x0c, (uint32_t)(region->base >> 32));
    put(at + 0x10, (uint32_t)region->limit);
    put(at + 0x14, (uint32_t)region->target);
    put(at + 0x18, (uint32_t)(region->target >> 32));
    put(at + 0x20, is_extended ? (uint32_t)(region->limit >> 32) : random_next(&dice));
}

TEST(test_random_regions)
{
    unsigned translated = 0, refused = 0;
    for (int round = 0; round < 400; round++) {
        struct model_region regions[PCIE_REGIONS];
        for (unsigned i = 0; i < PCIE_REGIONS; i++) {
            random_region(i, &regions[i]);
        }
        for (int i = 0; i < 100; i++) {
            uint64_t address = random_next(&dice) % 0x500 | (uint64_t)(random_next(&dice) % 4)
                                                                << 32;
            uint64_t size = 1 + random_next(&dice) % 32, wanted = 0, found = 0;
            bool is_fine = model_translate(regions, address, size, &wanted);
            enum answer reply = pcie_translate(&pcie, window_at(5) + address, size, &found, rule);
            check_reply(reply, is_fine ? ANSWER_DONE : ANSWER_REFUSED, "random region");
            ck_assert(!is_fine || wanted == found);
            translated += is_fine;
            refused += !is_fine;
        }
    }
    ck_assert_uint_gt(translated, 5000);
    ck_assert_uint_gt(refused, 5000);
}

TEST(test_window_table)
{
    const uint64_t table = AT_PCIE_SII + 0x134;
    uint32_t word = 1 << 22 | 5 << 23; /* past the iATU, high bits 5 */
    uint64_t found;
    check_reply(pcie_write(&pcie, 0, table + 4 * 20, &word, 4, rule), ANSWER_DONE, "table");
    check_reply(pcie_translate(&pcie, window_at(20) + 0x77, 1, &found, rule), ANSWER_DONE,
                "window");
    ck_assert_uint_eq(found, window_at(5) + 0x77);
    word = 4; /* configuration requests */
    check_reply(pcie_write(&pcie, 0, table + 4 * 20, &word, 4, rule), ANSWER_DONE, "table");
    check_reply(pcie_translate(&pcie, window_at(20), 1, &found, rule), ANSWER_REFUSED, "type");
    uint32_t seen = 0;
    check_reply(pcie_read(&pcie, 1, table + 4 * 62, &seen, 4, rule), ANSWER_DONE, "table");
    ck_assert_uint_eq(seen, 1 << 21);
    check_reply(pcie_translate(&pcie, window_at(1) - 4, 8, &found, rule), ANSWER_REFUSED, "edge");
    check_reply(pcie_translate(&pcie, 0, 0, &found, rule), ANSWER_REFUSED, "no bytes");
    check_reply(pcie_translate(&pcie, 0, UINT64_MAX, &found, rule), ANSWER_REFUSED, "all bytes");
}

TEST(test_idle_tile)
{
    uint64_t found;
    uint32_t value;
    pcie_init(&pcie, &grid, 1, &bus);
    check_reply(pcie_translate(&pcie, 0, 4, &found, rule), ANSWER_REFUSED, "idle");
    check_reply(pcie_read(&pcie, 0, host_base, &value, 4, rule), ANSWER_REFUSED, "idle");
    ck_assert_uint_eq(value, UINT32_MAX);
    check_reply(pcie_read(&pcie, 0, UINT64_C(0xffffffffffb20044), &value, 4, rule), ANSWER_DONE,
                "id");
    ck_assert_uint_eq(value, 0x1061100b);
    check_reply(pcie_read(&pcie, 0, AT_PCIE_SII + 0x128, &value, 4, rule), ANSWER_DONE, "link");
    ck_assert_uint_eq(value, 0);
    ck_assert_ptr_null(grid_init(&grid, grid_product("p100")));
    pcie_init(&pcie, &grid, 1, &bus);
    check_reply(pcie_translate(&pcie, 0, 4, &found, rule), ANSWER_DONE, "connected");
}

/* --- Host memory from the NoC --- */

TEST(test_host_memory)
{
    uint8_t data[256], wanted[256];
    map_region(0, 0, UINT64_C(1) << 30, host_base);
    for (int i = 0; i < 3000; i++) {
        uint32_t size = 1 + random_next(&dice) % sizeof data;
        uint32_t at = random_next(&dice) % MEMORY_BYTES;
        uint64_t address =
            random_next(&dice) & 1 ? window_at(6) + at : window_at(1) + host_base + at;
        bool is_there = size <= MEMORY_BYTES - at;
        memcpy(wanted, host + at, is_there ? size : 0);
        check_reply(pcie_read(&pcie, 0, address, data, size, rule),
                    is_there ? ANSWER_DONE : ANSWER_UNMAPPED, "read");
        for (unsigned byte = 0; byte < size; byte++) {
            EXPECT(data[byte] == (is_there ? wanted[byte] : 0xff));
            data[byte] = (uint8_t)random_next(&dice);
        }
        check_reply(pcie_write(&pcie, 1, address, data, size, rule),
                    is_there ? ANSWER_DONE : ANSWER_UNMAPPED, "write");
        ck_assert_int_eq(!is_there || memcmp(data, host + at, size) == 0, true);
    }
    pcie_init(&pcie, &grid, 0, NULL);
    check_reply(pcie_read(&pcie, 0, host_base, data, 4, rule), ANSWER_UNMAPPED, "no callbacks");
    check_reply(pcie_write(&pcie, 0, host_base, data, 4, rule), ANSWER_UNMAPPED, "no callbacks");
}

/* --- DMA --- */

struct transfer {
    enum pcie_direction direction;
    unsigned channel;
    uint64_t from, to, done, aborted; /* addresses of the messages */
    uint32_t size, setup, message;
};

static uint32_t channel_base(const struct transfer *t)
{
    return t->channel * 0x200 + (t->direction == PCIE_READ ? 0x100 : 0);
}

/* In UMD's order. */
static void set_up(const struct transfer *t)
{
    uint32_t base = channel_base(t);
    put(base + 0x88, t->setup);
    put(base + 0x90, (uint32_t)t->done);
    put(base + 0x94, (uint32_t)(t->done >> 32));
    put(base + 0xa0, (uint32_t)t->aborted);
    put(base + 0xa4, (uint32_t)(t->aborted >> 32));
    put(base + 0xa8, t->message);
    put(base + 0x00, 1);
    put(base + 0x20, (uint32_t)t->from);
    put(base + 0x24, (uint32_t)(t->from >> 32));
    put(base + 0x28, (uint32_t)t->to);
    put(base + 0x2c, (uint32_t)(t->to >> 32));
    put(base + 0x1c, t->size);
}

static uint32_t host_word(uint64_t address)
{
    uint32_t value;
    memcpy(&value, host + (address - host_base), sizeof value);
    return value;
}

TEST(test_transfers)
{
    static uint8_t wanted[MEMORY_BYTES];
    for (int i = 0; i < 300; i++) {
        enum pcie_direction direction = i % 2 ? PCIE_READ : PCIE_WRITE;
        uint8_t *source = direction == PCIE_READ ? host : device;
        uint8_t *target = direction == PCIE_READ ? device : host;
        uint32_t from = random_next(&dice) % 0x4000, to = random_next(&dice) % 0x4000;
        struct transfer t = {
            .direction = direction,
            .channel = random_next(&dice) % PCIE_CHANNELS,
            .from = from + (direction == PCIE_READ ? host_base : device_base),
            .to = to + (direction == PCIE_READ ? device_base : host_base),
            .done = host_base + 0xf000 + 8 * (random_next(&dice) % 16),
            .size = 1 + random_next(&dice) % 0x8000,
            .setup = random_next(&dice) % 128,
            .message = random_next(&dice),
        };
        t.aborted = t.done + 4;
        uint32_t base = channel_base(&t), before = host_word(t.done);
        memcpy(wanted, target, MEMORY_BYTES);
        memcpy(wanted + to, source + from, t.size);
        set_up(&t);
        put(base + 0x8c, 7);
        put(base + 0x04, 1);
        bool is_masked = t.setup & 1, sends = !is_masked && (t.setup >> 3 & 1);
        ck_assert_uint_eq(get(base + 0x1c), 0);
        ck_assert_uint_eq(get(base + 0x04), 0);
        ck_assert_uint_eq(get(base + 0x80) & 3, 3);
        ck_assert_uint_eq(get(base + 0x84), !is_masked);
        ck_assert_uint_eq(host_word(t.done), sends ? t.message : before);
        put(base + 0x8c, 1);
        ck_assert_uint_eq(get(base + 0x84), 0);
        uint32_t message = host_word(t.done);
        if (direction == PCIE_WRITE) {
            memcpy(wanted + (t.done - host_base), &message, sizeof message);
        }
        ck_assert_mem_eq(wanted, target, MEMORY_BYTES);
    }
}

TEST(test_aborted_transfer)
{
    struct transfer t = {.direction = PCIE_READ,
                         .from = host_base + MEMORY_BYTES - 0x1800,
                         .to = device_base,
                         .done = host_base,
                         .aborted = host_base + 4,
                         .size = 0x2000,
                         .setup = 0x28,
                         .message = 0x600d};
    set_up(&t);
    uint32_t done = host_word(t.done);
    check_reply(pcie_bar2_write(&pcie, 0x104, 1, rule), ANSWER_UNMAPPED, "abort");
    ck_assert_uint_eq(get(0x180), 2);
    ck_assert_uint_eq(get(0x184), 4);
    ck_assert_uint_eq(get(0x11c), 0x1000);
    ck_assert_uint_eq(host_word(t.aborted), 0x600d);
    ck_assert_uint_eq(host_word(t.done), done);
}

TEST(test_doorbell_rules)
{
    struct transfer t = {.direction = PCIE_WRITE, .from = device_base, .to = host_base, .size = 64};
    set_up(&t);
    memset(host, 0, 64);
    put(0x00, 0);
    check_reply(pcie_bar2_write(&pcie, 0x04, 1, rule), ANSWER_REFUSED, "off");
    put(0x00, 1);
    put(0x34, 1);
    check_reply(pcie_bar2_write(&pcie, 0x04, 1, rule), ANSWER_REFUSED, "linked list");
    put(0x34, 0);
    put(0x1c, 0);
    check_reply(pcie_bar2_write(&pcie, 0x04, 1, rule), ANSWER_REFUSED, "no bytes");
    put(0x1c, 64);
    put(0x04, 0);
    put(0x04, 2);
    ck_assert_uint_eq(get(0x80), 3);
    ck_assert_uint_eq(get(0x1c), 64);
    ck_assert_uint_eq(host_writes, 0);
    put(0x04, 1);
    ck_assert_mem_eq(host, device, 64);
}

/* As firmware on the chip does it, through the DBI. */
TEST(test_dma_from_the_chip)
{
    static const struct {
        uint32_t offset, value;
    } writes[] = {{0x88, 0x28},   {0x90, 0x100},      {0x94, 0x1234}, {0xa8, 0x42},
                  {0x00, 1},      {0x20, 0x04000000}, {0x24, 0},      {0x28, 0x200},
                  {0x2c, 0x1234}, {0x1c, 0x80},       {0x04, 1}};
    for (int i = 0; i < COUNT(writes); i++) {
        uint64_t address = AT_PCIE_DBI + 0x380000 + writes[i].offset;
        check_reply(pcie_write(&pcie, 0, address, &writes[i].value, 4, rule), ANSWER_DONE, "DBI");
    }
    uint32_t status;
    check_reply(pcie_read(&pcie, 0, AT_PCIE_DBI + 0x380080, &status, 4, rule), ANSWER_DONE, "DBI");
    ck_assert_uint_eq(status, 3);
    ck_assert_mem_eq(host + 0x200, device, 0x80);
    ck_assert_uint_eq(host_word(host_base + 0x100), 0x42);
}

/* --- Registers --- */

/* What BAR2 and the DBI show is the same, and stored registers keep what was written. */
TEST(test_bar2_and_dbi)
{
    unsigned stored = 0;
    for (uint32_t offset = 0; offset < 0x4000; offset += 4) {
        uint32_t value = random_next(&dice) & ~3u, seen = 0, from_noc = 0;
        uint64_t dbi = AT_PCIE_DBI + (offset < ATU ? 0x380000 + offset : 0x300000 + offset - ATU);
        bool is_dma = offset < ATU, is_atu = offset >= ATU && offset < 0x3000;
        enum answer reply = pcie_bar2_write(&pcie, offset, value, rule);
        ck_assert_int_eq(pcie_bar2_read(&pcie, offset, &seen, rule),
                         reply == ANSWER_UNMODELLED && (offset >> 8 & 1) && is_atu &&
                                 offset % 0x100 <= 0x20
                             ? ANSWER_DONE
                             : reply);
        if (reply == ANSWER_DONE && !is_dma) {
            ck_assert_uint_eq(seen, value);
        }
        if (is_dma || is_atu) {
            enum answer other = pcie_read(&pcie, 0, dbi, &from_noc, 4, rule);
            ck_assert_int_eq(other == ANSWER_DONE,
                             pcie_bar2_read(&pcie, offset, &seen, rule) == ANSWER_DONE);
            ck_assert_uint_eq(from_noc, seen);
            stored += other == ANSWER_DONE;
        }
    }
    ck_assert_uint_eq(stored, 16 * 27 + 32 * 9);
}

TEST(test_registers)
{
    static const struct {
        uint64_t address;
        uint32_t value;
    } rows[] = {{AT_PCIE_DBI, 0xb1401e52},
                {AT_PCIE_DBI + 0x78, 0},
                {AT_PCIE_SII + 0x128, 0xd1},
                {AT_PCIE_SII + 0x134, 1 << 22},
                {AT_PCIE_SII + 0x134 + 4 * 3, 1 << 22 | 1 << 8 | 1 << 9},
                {UINT64_C(0xffffffffffb20044), 0x10611002},
                {UINT64_C(0xffffffffff000048), 0x00030002}};
    for (int i = 0; i < COUNT(rows); i++) {
        uint32_t value;
        check_reply(pcie_read(&pcie, 0, rows[i].address, &value, 4, rule), ANSWER_DONE, "register");
        ck_assert_uint_eq(value, rows[i].value);
    }
    uint32_t control = 0x2950, seen = 0, logical = 0x777;
    check_reply(pcie_write(&pcie, 0, AT_PCIE_DBI + 0x78, &control, 4, rule), ANSWER_DONE,
                "control");
    check_reply(pcie_read(&pcie, 1, AT_PCIE_DBI + 0x78, &seen, 4, rule), ANSWER_DONE, "control");
    ck_assert_uint_eq(seen, control);
    check_reply(pcie_write(&pcie, 1, UINT64_C(0xffffffffff000148), &logical, 4, rule), ANSWER_DONE,
                "NIU 1");
    check_reply(pcie_read(&pcie, 0, UINT64_C(0xffffffffff000148), &seen, 4, rule), ANSWER_DONE,
                "NIU 0");
    ck_assert_uint_eq(seen, 19 | 24 << 6);
}

TEST(test_rules)
{
    static const struct {
        uint64_t address;
        uint32_t size;
        enum answer reply;
    } rows[] = {{AT_PCIE_DBI + 1, 4, ANSWER_REFUSED},
                {AT_PCIE_DBI, 8, ANSWER_REFUSED},
                {AT_PCIE_DBI, 2, ANSWER_REFUSED},
                {AT_PCIE_DBI + 4, 4, ANSWER_UNMODELLED},
                {AT_PCIE_DBI + 0x380040, 4, ANSWER_UNMODELLED},
                {AT_PCIE_DBI + UINT64_C(0x100380000), 4, ANSWER_UNMODELLED},
                {AT_PCIE_SII + 0x130, 4, ANSWER_UNMODELLED},
                {AT_PCIE_SII + 0x134 + 4 * 63, 4, ANSWER_UNMODELLED},
                {UINT64_C(0xffffffffe1000000), 4, ANSWER_UNMODELLED},
                {UINT64_C(0xfc00000000000000), 4, ANSWER_UNMAPPED},
                {UINT64_C(0xffffffffdffffffc), 4, ANSWER_UNMAPPED},
                {UINT64_C(0xffffffffffb22000), 4, ANSWER_UNMAPPED},
                {UINT64_C(0x2000000000000000), 4, ANSWER_REFUSED},
                {UINT64_C(0xf7ffffffffffff00), 4, ANSWER_REFUSED}};
    for (int i = 0; i < COUNT(rows); i++) {
        uint8_t data[8] = {0};
        check_reply(pcie_read(&pcie, 0, rows[i].address, data, rows[i].size, rule), rows[i].reply,
                    "read");
        check_reply(pcie_write(&pcie, 0, rows[i].address, data, rows[i].size, rule), rows[i].reply,
                    "write");
    }
    uint32_t value;
    check_reply(pcie_bar2_read(&pcie, 2, &value, rule), ANSWER_REFUSED, "unaligned");
    check_reply(pcie_bar2_write(&pcie, END_BAR2, 0, rule), ANSWER_REFUSED, "beyond");
    check_reply(pcie_bar2_read(&pcie, UINT32_MAX - 3, &value, rule), ANSWER_REFUSED, "beyond");
    check_reply(pcie_bar2_read(&pcie, 0x4000, &value, rule), ANSWER_UNMODELLED, "unknown");
    check_reply(pcie_bar2_write(&pcie, ATU + 0x104, 1, rule), ANSWER_UNMODELLED, "inbound");
    ck_assert_uint_eq(get(ATU + 0x104), 1);
}

/* Registers full of anything, accesses anywhere: no crash, nothing beyond the buffer, rules that
 * fit. */
TEST(test_accesses_anywhere)
{
    static const uint64_t places[] = {0,
                                      UINT64_C(1) << 60,
                                      AT_PCIE_DBI,
                                      AT_PCIE_SII,
                                      AT_PCIE_DBI + 0x300000,
                                      AT_PCIE_DBI + 0x380000,
                                      UINT64_C(0xffffffffff000000),
                                      UINT64_C(3) << 58};
    for (int i = 0; i < 30000; i++) {
        uint64_t address = places[random_next(&dice) % COUNT(places)] + random_next(&dice) % 0x2800;
        uint32_t size = random_next(&dice) % 4 ? 4 : random_next(&dice) % 64,
                 value = random_next(&dice);
        uint8_t data[64], kept[64];
        address &= random_next(&dice) % 4 ? ~UINT64_C(3) : ~UINT64_C(0);
        memset(data, 0x5a, sizeof data);
        memcpy(data, &value, sizeof value);
        memcpy(kept, data, sizeof data);
        rule[0] = 0;
        /* A transfer of 4 GiB is slow; its size is bounded here, not by the tile. */
        for (unsigned channel = 0; channel < PCIE_CHANNELS; channel++) {
            pcie.channel[channel][PCIE_READ].size %= 0x10000;
            pcie.channel[channel][PCIE_WRITE].size %= 0x10000;
        }
        enum answer reply = i % 2 ? pcie_read(&pcie, i & 1, address, data, size, rule)
                                  : pcie_write(&pcie, i & 1, address, data, size, rule);
        check_reply(reply, reply, "anywhere");
        EXPECT(memcmp(data + size, kept + size, sizeof data - size) == 0);
        reply = pcie_bar2_write(&pcie, (uint32_t)address % 0x3100 & ~3u, value, rule);
        check_reply(reply, reply, "anywhere");
    }
}
