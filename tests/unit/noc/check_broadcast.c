/*
 * Broadcasts: which tiles a rectangle names on either NoC, with wrap-around, with and without the
 * sender, after opting out and exclusion; what counters and memory show. Written from BlackholeA0
 * NoC/{MemoryMap, Counters, Atomics, RoutingPaths}; exclusion from PCIExpressTile/HostToDeviceTLBs
 * (fields) with the bit positions of chip/grid.h, which no page gives for NOC_BRCST_EXCLUDE.
 */
#include <string.h>

#include "unit/noc/noc_world.h"

FIXTURE(g_open_default, g_close);

enum { WIDTH = 17, HEIGHT = 12, SOURCE = 0x20000, SINK = 0x60000, ANSWER = 0x70000 };

/* NOC_AT_DATA of the last buffer of NoC 0. */
#define REGISTER UINT64_C(0xffb21828)

/* --- The model --- */

static bool is_worker(unsigned x, unsigned y)
{
    return ((x >= 1 && x <= 7) || (x >= 10 && x <= 16)) && y >= 2 && y <= 11;
}

/* Workers' translated coordinates are raw ones of NoC 0. */
static struct g_place raw(unsigned noc, struct g_place at)
{
    return noc ? (struct g_place){WIDTH - 1 - at.x, HEIGHT - 1 - at.y} : at;
}

static bool spans(unsigned start, unsigned end, unsigned at)
{
    return start <= end ? start <= at && at <= end : at <= end || start <= at;
}

/* What thins out one axis; directions above (true): from the coordinate on, else up to it. */
struct axis {
    unsigned keep, skip, coordinate;
    bool above;
};

struct exclusion {
    struct axis x, y;
    bool has_quadrant;
};

static uint32_t encode(const struct exclusion *e)
{
    return e->x.keep | e->x.skip << 2 | e->y.keep << 4 | e->y.skip << 6 | e->x.coordinate << 8 |
           e->y.coordinate << 14 | (uint32_t)e->x.above << 20 | (uint32_t)e->y.above << 21 |
           (uint32_t)e->has_quadrant << 22;
}

static bool keeps(const struct axis *axis, unsigned start, unsigned at, unsigned extent)
{
    unsigned steps = (at + extent - start) % extent;
    return !axis->keep || !axis->skip || steps % (axis->keep + axis->skip) < axis->keep;
}

static bool excludes(const struct axis *axis, unsigned at)
{
    return axis->above ? at >= axis->coordinate : at <= axis->coordinate;
}

struct cast {
    unsigned noc;
    struct g_place start, end, source; /* as software writes them */
    bool includes_source;
    struct exclusion exclusion;
};

static unsigned receivers_of(const struct cast *cast, struct g_place *receivers)
{
    struct g_place start = raw(cast->noc, cast->start), end = raw(cast->noc, cast->end);
    const struct exclusion *e = &cast->exclusion;
    unsigned count = 0;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        struct g_place host = {i % WIDTH, i / WIDTH}, at = raw(cast->noc, host);
        bool is_source = host.x == cast->source.x && host.y == cast->source.y;
        if (is_worker(host.x, host.y) && spans(start.x, end.x, at.x) &&
            spans(start.y, end.y, at.y) && (!is_source || cast->includes_source) &&
            keeps(&e->x, start.x, at.x, WIDTH) && keeps(&e->y, start.y, at.y, HEIGHT) &&
            !(e->has_quadrant && excludes(&e->x, at.x) && excludes(&e->y, at.y))) {
            receivers[count++] = host;
        }
    }
    return count;
}

/* --- Casting --- */

static const uint32_t common_flags[] = {
    0,
    G_RESERVE,
    G_Y_MAJOR,
    G_RESERVE | G_Y_MAJOR,
    G_STATIC | G_CLASS(2) | G_RESERVE,
    G_STATIC | G_CLASS(2) | G_BUDDY | G_RESERVE | G_Y_MAJOR,
    G_RESERVE | G_DROP_ACK,
};

static uint32_t flags_of(const struct cast *cast)
{
    return G_BROADCAST | (cast->includes_source ? G_SOURCE_TOO : 0) |
           common_flags[g_below(COUNT(common_flags))];
}

/* Each worker's word at `address` holds a value of its own. */
static uint32_t own_word(unsigned x, unsigned y)
{
    return UINT32_C(0xc0de0000) | x << 8 | y;
}

static void mark_all(uint64_t address)
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        if (is_worker(i % WIDTH, i / WIDTH)) {
            struct g_place at = {i % WIDTH, i / WIDTH};
            g_put_word(at, address, own_word(at.x, at.y));
        }
    }
}

/* Receivers have `value`, plus what they had before if `adds`; the others what they had. */
static void expect_all(uint64_t address, const struct g_place *receivers, unsigned count,
                       uint32_t value, bool adds, const char *what)
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        struct g_place at = {i % WIDTH, i / WIDTH};
        if (!is_worker(at.x, at.y)) {
            continue;
        }
        bool is_receiver = false;
        for (unsigned k = 0; k < count; k++) {
            is_receiver |= receivers[k].x == at.x && receivers[k].y == at.y;
        }
        uint32_t wanted =
            is_receiver ? value + (adds ? own_word(at.x, at.y) : 0) : own_word(at.x, at.y);
        uint32_t is = g_word(at, address);
        ck_assert_msg(is == wanted, "%s: (%u, %u) has 0x%x, not 0x%x", what, at.x, at.y, is,
                      wanted);
    }
}

enum form { WRITE, INLINE, ATOMIC, FORMS };

static void cast_once(const struct cast *cast, enum form form, bool is_marked, const char *what)
{
    struct g_place receivers[WIDTH * HEIGHT];
    unsigned count = receivers_of(cast, receivers);
    uint64_t target = form == INLINE ? REGISTER : SINK;
    uint32_t value = g_random() | 1;
    struct g_request request = {.noc = cast->noc,
                                .buffer = form == INLINE ? 0 : g_below(3),
                                .tag = G_ID(g_below(16)),
                                .data = value,
                                .ctrl = flags_of(cast) | (is_marked ? G_MARKED : 0),
                                .exclude = encode(&cast->exclusion)};
    uint32_t rectangle = g_rectangle(cast->start, cast->end);
    request.ctrl |= form == ATOMIC ? G_ATOMIC : form == INLINE ? G_WRITE | G_INLINE : G_WRITE;
    request.targ = form == WRITE ? SOURCE : target;
    request.targ_hi = form == WRITE ? g_hi(cast->source) : rectangle;
    request.ret = form == WRITE ? target : ANSWER;
    request.ret_hi = form == WRITE ? rectangle : g_hi(cast->source);
    request.length = form == WRITE ? 4 : form == ATOMIC ? 0x107c : 0;
    if (form == WRITE) {
        g_put_word(cast->source, SOURCE, value);
    }
    mark_all(target);
    if (count == 0) {
        g_expect_fault(cast->source, &request, G_KIND(NOC_MULTICAST), what);
    } else {
        g_do(cast->source, &request);
    }
    /* One that reaches nobody has left, too. */
    g_book(cast->source, &request, receivers, count, cast->source);
    expect_all(target, receivers, count, value, form == ATOMIC, what);
}

/* Any corner may be any place of the grid's columns from row 2 on. */
static struct cast some_cast(void)
{
    struct cast cast = {.noc = g_below(2),
                        .start = {g_below(WIDTH), 2 + g_below(10)},
                        .end = {g_below(WIDTH), 2 + g_below(10)},
                        .source = g_worker(),
                        .includes_source = g_below(2)};
    return cast;
}

TEST_EACH(rectangles, FORMS)
{
    for (unsigned i = 0; i < 60; i++) {
        struct cast cast = some_cast();
        cast_once(&cast, (enum form)_i, i & 1, "rectangle");
    }
    g_audit("rectangles");
}

/* Rectangles that hold the sender, of all shapes, one row, one column, one tile. */
TEST_EACH(around_the_sender, FORMS)
{
    for (unsigned i = 0; i < 40; i++) {
        struct cast cast = {.noc = i & 1, .source = g_worker(), .includes_source = i >> 1 & 1};
        cast.start = cast.end = cast.source;
        if (i & 4) {
            cast.start.x = cast.source.x > 3 ? cast.source.x - 3 : 1;
        }
        if (i & 8) {
            cast.end.y = cast.source.y < 10 ? cast.source.y + 2 : 11;
        }
        if (cast.noc) {
            struct g_place start = cast.start;
            cast.start = cast.end;
            cast.end = start;
        }
        cast_once(&cast, (enum form)_i, g_below(2), "around the sender");
    }
    g_audit("around the sender");
}

TEST_EACH(all_workers, FORMS)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        struct g_place low = {1, 2}, high = {16, 11};
        struct cast cast = {.noc = noc,
                            .source = g_worker(),
                            .includes_source = true,
                            .start = noc ? high : low,
                            .end = noc ? low : high};
        struct g_place receivers[WIDTH * HEIGHT];
        ck_assert_uint_eq(receivers_of(&cast, receivers), 140);
        cast_once(&cast, (enum form)_i, true, "all workers");
        cast.includes_source = false;
        cast_once(&cast, (enum form)_i, true, "all others");
    }
    g_audit("all workers");
}

/* Long data, also beyond 16 KiB, shared by all receivers. */
TEST(long_data)
{
    enum { MOST = 40000 };
    static uint8_t bytes[MOST];
    static const uint32_t lengths[] = {64, 100, 16384, 16448, MOST};
    for (unsigned i = 0; i < 2 * COUNT(lengths); i++) {
        struct g_place receivers[WIDTH * HEIGHT];
        struct cast cast = {.noc = i & 1, .source = {3, 3}, .start = {12, 5}, .end = {14, 7}};
        if (cast.noc) {
            cast.start = (struct g_place){14, 7};
            cast.end = (struct g_place){12, 5};
        }
        unsigned count = receivers_of(&cast, receivers);
        ck_assert_uint_eq(count, 9);
        g_scatter(cast.source, SOURCE, bytes, sizeof bytes);
        struct g_request request = {.noc = cast.noc,
                                    .ctrl = G_WRITE | G_MARKED | G_BROADCAST,
                                    .targ = SOURCE,
                                    .ret = SINK,
                                    .targ_hi = g_hi(cast.source),
                                    .ret_hi = g_rectangle(cast.start, cast.end),
                                    .length = lengths[i / 2],
                                    .tag = G_ID(i)};
        g_issue(cast.source, &request);
        g_put_word(cast.source, SOURCE, 0); /* it has been read */
        g_settle();
        g_book(cast.source, &request, receivers, count, cast.source);
        for (unsigned k = 0; k < count; k++) {
            g_expect_bytes(receivers[k], SINK, bytes, lengths[i / 2], "long data");
        }
    }
    g_audit("long data");
}

/* --- Opting out --- */

/* Of the masks of an NIU only its own bits count, and only for what arrives at it. */
TEST(opting_out)
{
    for (unsigned round = 0; round < 12; round++) {
        struct g_place low = {1, 2}, high = {16, 11}, receivers[WIDTH * HEIGHT];
        unsigned noc = round & 1;
        struct cast cast = {.noc = noc,
                            .source = {7, 7},
                            .includes_source = true,
                            .start = noc ? high : low,
                            .end = noc ? low : high};
        unsigned count = receivers_of(&cast, receivers), left = 0;
        uint64_t columns = G_NIU(noc) + 0x108, rows = G_NIU(noc) + 0x110;
        uint32_t before_columns = g_word(cast.source, columns);
        uint32_t before_rows = g_word(cast.source, rows);
        for (unsigned i = 0; i < count; i++) {
            struct g_place at = raw(noc, receivers[i]);
            bool by_column = g_below(5) == 0, by_row = g_below(5) == 0;
            uint32_t others = g_random();
            g_put_word(receivers[i], columns,
                       (others & ~(1u << at.x)) | (uint32_t)by_column << at.x);
            g_put_word(receivers[i], rows, (others & ~(1u << at.y)) | (uint32_t)by_row << at.y);
            receivers[left] = receivers[i];
            left += !by_column && !by_row;
        }
        uint32_t value = g_random();
        struct g_request request = {.noc = noc,
                                    .tag = G_ID(round),
                                    .ctrl =
                                        G_WRITE | G_BROADCAST | G_RESERVE | G_MARKED | G_SOURCE_TOO,
                                    .targ = SOURCE,
                                    .ret = SINK,
                                    .targ_hi = g_hi(cast.source),
                                    .ret_hi = g_rectangle(cast.start, cast.end),
                                    .length = 4};
        g_put_word(cast.source, SOURCE, value);
        mark_all(SINK);
        g_do(cast.source, &request);
        g_book(cast.source, &request, receivers, left, cast.source);
        expect_all(SINK, receivers, left, value, false, "opting out");
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
            if (is_worker(i % WIDTH, i / WIDTH)) {
                g_put_word((struct g_place){i % WIDTH, i / WIDTH}, columns, before_columns);
                g_put_word((struct g_place){i % WIDTH, i / WIDTH}, rows, before_rows);
            }
        }
    }
    g_audit("opting out");
}

/* Firmware opts all but Tensix tiles out: columns 0, 8, 9 and rows 0, 1 of NoC 0. */
TEST(masks_of_firmware)
{
    static const struct g_place places[] = {{1, 2}, {16, 11}, {17, 12}, {25, 25}};
    for (int i = 0; i < COUNT(places); i++) {
        ck_assert_uint_eq(g_word(places[i], G_NIU(0) + 0x108) & 0x1ffff, 0x00301);
        ck_assert_uint_eq(g_word(places[i], G_NIU(0) + 0x110) & 0xfff, 0x003);
        ck_assert_uint_eq(g_word(places[i], G_NIU(1) + 0x108) & 0x1ffff, 0x10180);
        ck_assert_uint_eq(g_word(places[i], G_NIU(1) + 0x110) & 0xfff, 0xc00);
    }
}

/* --- Exclusion --- */

static struct axis some_axis(unsigned start, unsigned end, unsigned extent, bool strides)
{
    struct axis axis = {.coordinate =
                            start <= end ? start + g_below(end - start + 1) : g_below(extent),
                        .above = g_below(2)};
    if (strides) {
        axis.keep = g_below(4);
        axis.skip = g_below(4);
    }
    return axis;
}

/* Neither strides nor quadrants are tried where a span wraps around: "more complex". */
TEST_EACH(exclusions, 4)
{
    for (unsigned i = 0; i < 150; i++) {
        struct cast cast;
        struct g_place start, end;
        do {
            cast = some_cast();
            start = raw(cast.noc, cast.start);
            end = raw(cast.noc, cast.end);
        } while (start.x > end.x || start.y > end.y);
        cast.exclusion.x = some_axis(start.x, end.x, WIDTH, _i & 1);
        cast.exclusion.y = some_axis(start.y, end.y, HEIGHT, _i & 1);
        cast.exclusion.has_quadrant = _i & 2;
        cast_once(&cast, WRITE, i & 1, "exclusion");
    }
    g_audit("exclusion");
}

/* --- Streams --- */

/* Registers of a stream; SPEC: tt-metal's noc_overlay_parameters. */
enum {
    PUSHED = 1,
    ONETIME = 2,
    MISC = 3,
    ORIGIN = 4,
    ORIGIN_PHASE = 5,
    DEST = 7,
    DEST_START = 8,
    DEST_SIZE = 10,
    DEST_HEADERS = 13,
    TRAFFIC = 16,
    START = 17,
    SIZE = 18,
    HEADERS = 22,
    HEADERS_END = 23,
    MULTICAST = 24,
    RECEIVERS = 25,
    PHASE = 29,
    FORMAT = 33,
    MESSAGES = 34,
    RECEIVED = 259,
    ADVANCE = 267,
    ROOM = 297,
};
enum {
    FROM_SOFTWARE = 1 << 4,
    FROM_REMOTE = 1 << 5,
    TO_SOFTWARE = 1 << 6,
    TO_REMOTE = 1 << 8,
    CHANGES = 1 << 11 | 1 << 12,
    OF_MULTICAST = 1 << 17,
    MULTICASTS = 1 << 12, /* of MULTICAST */
    LINKS = 1 << 13,
    IF_TWO = 1 << 17 | 1 << 18,
    WORDS = 4, /* of a message */
    COUNT = 4,
    ROOMS = 64, /* words of a buffer */
};

static uint64_t stream_register(unsigned stream, unsigned index)
{
    return UINT64_C(0xffb40000) + UINT64_C(0x1000) * stream + UINT64_C(4) * index;
}

struct setting {
    unsigned index;
    uint32_t value;
};

/* A phase of COUNT messages. */
static void start_stream(struct g_place at, unsigned stream, const struct setting *own,
                         unsigned count)
{
    const struct setting all[] = {{START, 0x4000},        {SIZE, ROOMS},        {HEADERS, 0x5000},
                                  {HEADERS_END, 0x5000},  {DEST_START, 0x4000}, {DEST_SIZE, ROOMS},
                                  {DEST_HEADERS, 0x5000}, {ORIGIN_PHASE, 1},    {PHASE, 1},
                                  {MESSAGES, COUNT << 12}};
    g_put_word(at, stream_register(0, FORMAT), 32 | 16 << 7);
    for (int i = 0; i < COUNT(all); i++) {
        g_put_word(at, stream_register(stream, all[i].index), all[i].value);
    }
    for (unsigned i = 0; i < count; i++) {
        g_put_word(at, stream_register(stream, own[i].index), own[i].value);
    }
    g_put_word(at, stream_register(stream, ADVANCE), 1);
}

/* The channels of what it sends and of what receivers say, flags of the multicast. */
static const struct {
    uint32_t channel, update_channel, flags;
} relays[] = {
    {0, 0, 0},     {0, 0, LINKS},          {0, 0, LINKS | IF_TWO}, {4, 0, 0},
    {5, 4, LINKS}, {0, 5, LINKS | IF_TWO}, {1, 1, LINKS},          {3, 2, LINKS | IF_TWO},
};

/* Software sends to a stream that multicasts what it gets to two others, all of it on NoC 0. */
TEST_EACH(streams_relay, COUNT(relays))
{
    const struct g_place from = {4, 6}, relay = {5, 6};
    const unsigned sender = 12;
    uint32_t update = relays[_i].update_channel << 2;
    for (unsigned x = 6; x <= 7; x++) {
        const struct setting own[] = {{ONETIME, update},
                                      {ORIGIN, g_hi(relay) | (x - 6) << 18},
                                      {MISC, FROM_REMOTE | TO_SOFTWARE | CHANGES | OF_MULTICAST}};
        start_stream((struct g_place){x, 6}, 0, own, COUNT(own));
    }
    const struct setting middle[] = {{ONETIME, update},
                                     {ORIGIN, g_hi(from) | sender << 12},
                                     {DEST, g_hi((struct g_place){6, 6})},
                                     {MULTICAST, 7 | 6 << 6 | MULTICASTS | relays[_i].flags},
                                     {RECEIVERS, 2},
                                     {MISC, FROM_REMOTE | TO_REMOTE | CHANGES}};
    start_stream(relay, 0, middle, COUNT(middle));
    const struct setting first[] = {{DEST, g_hi(relay)},
                                    {TRAFFIC, relays[_i].channel << 4},
                                    {MISC, FROM_SOFTWARE | TO_REMOTE | CHANGES}};
    start_stream(from, sender, first, COUNT(first));
    g_settle();
    uint8_t bytes[COUNT][16 * WORDS];
    for (unsigned i = 0; i < COUNT; i++) {
        const uint32_t words = WORDS;
        g_random_bytes(bytes[i], sizeof bytes[i]);
        memcpy(bytes[i] + 4, &words, sizeof words);
        g_put(from, 0x40000 + i * sizeof bytes[i], bytes[i], sizeof bytes[i]);
        g_put(from, 0x50000 + i * 16, bytes[i], 16);
        g_put_word(from, stream_register(sender, PUSHED), 1 | WORDS << 12);
        if (i & 1) {
            g_settle();
        }
    }
    for (unsigned x = 6; x <= 7; x++) {
        const struct g_place at = {x, 6};
        ck_assert_uint_eq(g_word(at, stream_register(0, RECEIVED)), COUNT);
        g_expect_bytes(at, 0x40000, &bytes[0][0], sizeof bytes, "relayed");
    }
    ck_assert_uint_eq(g_word(from, stream_register(sender, ROOM)) & 0x1ffff, ROOMS);
}
