/*
 * Atomic requests: every opcode and format with random operands against a model of the page
 * BlackholeA0 NoC/Atomics, which knows floating point only as the host's doubles.
 */
#include <math.h>
#include <string.h>

#include "unit/noc/noc_world.h"

FIXTURE(g_open_default, g_close);

enum { LINE = 0x12340, ANSWER = 0x45670, ROUNDS = 250 };

union line {
    uint8_t u8[16];
    uint16_t u16[8];
    uint32_t u32[4];
};

/* --- Floating point --- */

/* A format of `exponent` and `fraction` bits to a double; denormals are zeros. */
static double decode(uint32_t bits, int exponent, int fraction)
{
    uint32_t field = bits >> fraction & ((1u << exponent) - 1);
    uint32_t sign = bits >> (exponent + fraction) & 1;
    int bias = (1 << (exponent - 1)) - 1;
    uint32_t rest = bits & ((1u << fraction) - 1);
    double value = field ? ldexp(1 + ldexp(rest, -fraction), (int)field - bias) : 0;
    return sign ? -value : value;
}

/* Back again: nearest, ties to even; results below the normal numbers are zeros. */
static uint32_t encode(double value, int exponent, int fraction)
{
    uint32_t sign = signbit(value) ? 1u << (exponent + fraction) : 0;
    int bias = (1 << (exponent - 1)) - 1, power;
    double scaled = ldexp(frexp(fabs(value), &power), fraction + 1);
    uint64_t whole = (uint64_t)nearbyint(scaled);
    if (whole >> (fraction + 1)) {
        whole >>= 1;
        power++;
    }
    int field = power - 1 + bias;
    if (value == 0 || field < 1) {
        return sign;
    }
    return sign | (uint32_t)field << fraction | ((uint32_t)whole & ((1u << fraction) - 1));
}

/* A number with a middling exponent, so that no sum overflows; sometimes a denormal or zero. */
static uint32_t some_float(int exponent, int fraction)
{
    uint32_t bits = g_random() >> (31 - exponent - fraction);
    uint32_t field = ((1u << (exponent - 1)) - 6) + g_below(12);
    field = g_below(10) ? field : g_below(2) ? 0 : 1 + g_below(2);
    bits &= ~(((1u << exponent) - 1) << fraction);
    return g_below(20) ? bits | field << fraction : 0;
}

static uint32_t add_floats(uint32_t a, uint32_t b, int exponent, int fraction)
{
    return encode(decode(a, exponent, fraction) + decode(b, exponent, fraction), exponent,
                  fraction);
}

/* --- The model --- */

static uint32_t zaamo(unsigned op, uint32_t old, uint32_t data)
{
    switch (op) {
    case 0:
        return old + data;
    case 1:
        return old ^ data;
    case 2:
        return old | data;
    case 3:
        return old & data;
    case 4:
        return (int32_t)old < (int32_t)data ? old : data;
    case 5:
        return (int32_t)old > (int32_t)data ? old : data;
    case 6:
        return old < data ? old : data;
    default:
        return old > data ? old : data;
    }
}

static void add_bytes(union line *line, uint32_t data, bool saturates)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned sum = line->u8[i] + (data >> 8 * (i % 4) & 0xff);
        line->u8[i] = (uint8_t)(saturates && sum > 255 ? 255 : sum);
    }
}

static void add_lanes(union line *line, unsigned format, uint32_t data)
{
    bool is_half = format % 8 == 1;
    switch (format) {
    case 0:
    case 8:
        for (unsigned i = 0; i < 4; i++) {
            line->u32[i] = add_floats(line->u32[i], data, 8, 23);
        }
        break;
    case 1:
    case 9:
    case 2:
    case 10:
        for (unsigned i = 0; i < 8; i++) {
            line->u16[i] = (uint16_t)add_floats(line->u16[i], data >> 16 * (i % 2) & 0xffff,
                                                is_half ? 5 : 8, is_half ? 10 : 7);
        }
        break;
    case 7:
    case 15:
        add_bytes(line, data, format == 7);
        break;
    default:
        for (unsigned i = 0; i < 4; i++) {
            line->u32[i] += data;
        }
        break;
    }
}

/* Bits 12 to 15 choose; the word at `address` is what is answered. */
static void model(union line *line, uint32_t operation, uint32_t data)
{
    uint32_t *word = &line->u32[operation & 3];
    switch (operation >> 12 & 15) {
    case 1: {
        uint32_t mask = (uint32_t)((UINT64_C(2) << (operation >> 2 & 31)) - 1);
        *word = ((*word + data) & mask) | (*word & ~mask);
        break;
    }
    case 3:
        for (unsigned i = 0; i < 8; i++) {
            if (operation >> (2 + i) & 1) {
                line->u16[i] = (uint16_t)(data >> 16 * (i & 1));
            }
        }
        break;
    case 4:
        *word = *word == (operation >> 2 & 15) ? operation >> 6 & 15 : *word;
        break;
    case 6:
        *word = data;
        break;
    case 7:
        line->u32[operation >> 2 & 3] = data;
        break;
    case 9:
        add_lanes(line, operation & 15, data);
        break;
    case 10:
        *word = operation >> 11 & 1 ? zaamo(operation >> 8 & 7, *word, data) : data;
        break;
    default:
        ck_abort_msg("no such opcode");
    }
}

/* --- Rows --- */

enum { FREE_2 = 0x3, FREE_WIDTH = 0x7f, FREE_CAS = 0x3ff, FREE_MASK = 0x3fc };

static const struct {
    const char *name;
    uint32_t operation, random; /* bits that are drawn */
} rows[] = {
    {"increment", 0x1000, FREE_WIDTH},
    {"compare and swap", 0x4000, FREE_CAS},
    {"swap, mask", 0x3000, FREE_MASK},
    {"swap, index, 6", 0x6004, FREE_2},
    {"swap, index, 7", 0x7000, 0xc},
    {"swap, index, 10", 0xa300, FREE_2},
    {"amoadd", 0xa800, FREE_2},
    {"amoxor", 0xa900, FREE_2},
    {"amoor", 0xaa00, FREE_2},
    {"amoand", 0xab00, FREE_2},
    {"amomin", 0xac00, FREE_2},
    {"amomax", 0xad00, FREE_2},
    {"amominu", 0xae00, FREE_2},
    {"amomaxu", 0xaf00, FREE_2},
    {"fp32", 0x9000, 0},
    {"fp16", 0x9001, 0},
    {"bf16", 0x9002, 0},
    {"u32", 0x9004, 0},
    {"u8, saturating", 0x9007, 0},
    {"fp32 again", 0x9008, 0},
    {"fp16 again", 0x9009, 0},
    {"bf16 again", 0x900a, 0},
    {"u32, 12", 0x900c, 0},
    {"u32, 13", 0x900d, 0},
    {"u8", 0x900f, 0},
};

static uint32_t some_word(uint32_t operation)
{
    if (operation >> 12 == 9 && operation % 8 == 0) {
        return some_float(8, 23);
    }
    if (operation >> 12 == 9 && operation % 8 < 3) {
        int exponent = operation % 8 == 1 ? 5 : 8;
        uint32_t low = some_float(exponent, 15 - exponent);
        return low | some_float(exponent, 15 - exponent) << 16;
    }
    switch (g_below(6)) {
    case 0:
        return g_below(16);
    case 1:
        return UINT32_MAX - g_below(3);
    case 2:
        return UINT32_C(0x80000000) - g_below(2);
    default:
        return g_random();
    }
}

/* Sums of FP16 that cancel: the page makes them zero or exact, silicon (after ttsim) the greatest
 * number; docs/DEVIATIONS.md. Not compared. */
static bool cancels(uint32_t operation, uint32_t old, uint32_t data)
{
    for (unsigned shift = 0; shift < 32; shift += 16) {
        double a = decode(old >> shift & 0xffff, 5, 10), b = decode(data >> shift & 0xffff, 5, 10);
        if (operation >> 12 == 9 && operation % 8 == 1 && fabs(a + b) < ldexp(1, -13)) {
            return true;
        }
    }
    return false;
}

static void check_once(int row, bool is_marked, struct g_place from, struct g_place to)
{
    union line before, line;
    uint32_t operation = rows[row].operation | (g_random() & rows[row].random);
    for (unsigned i = 0; i < 4; i++) {
        before.u32[i] = some_word(operation);
    }
    if (operation >> 12 == 4 && g_below(2)) {
        before.u32[operation & 3] = operation >> 2 & 15; /* equal */
    }
    uint32_t data = some_word(operation), lane = g_below(4), sentinel = 0xa5a5a5a5;
    g_put(to, LINE, before.u8, 16);
    g_put_word(from, ANSWER, sentinel);
    struct g_request request = g_request_of(G_ATOMIC | (is_marked ? G_MARKED : 0), g_below(2), to,
                                            LINE + 4 * lane, from, ANSWER, operation);
    request.buffer = g_below(4);
    request.data = data;
    request.tag = G_ID(row & 15);
    g_do(from, &request);
    g_book_unicast(from, &request);
    line = before;
    model(&line, operation, data);
    union line is;
    g_get(to, LINE, is.u8, 16);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_msg(is.u32[i] == line.u32[i] || cancels(operation, before.u32[i], data),
                      "%s: operation 0x%x data 0x%x on 0x%08x in word %u gives 0x%08x, not 0x%08x",
                      rows[row].name, operation, data, before.u32[i], i, is.u32[i], line.u32[i]);
    }
    uint32_t answer = g_word(from, ANSWER);
    if (operation >> 12 != 9) { /* of sums it is undefined */
        ck_assert_msg(answer == (is_marked ? before.u32[lane] : sentinel), "%s: answer 0x%x",
                      rows[row].name, answer);
    }
}

TEST_EACH(every_operation, COUNT(rows))
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct g_place from = g_worker();
        struct g_place to = i % 8 == 0   ? from
                            : i % 8 == 1 ? (struct g_place){20 + g_below(12), 25}
                                         : g_worker();
        check_once(_i, i & 1 || i % 8 == 0, from, to);
    }
    g_audit(rows[_i].name);
}

/* Increments of many tiles of one word are lost by none, and answered with different values. */
TEST(increments_meet)
{
    enum { TILES = 100 };
    struct g_place to = {10, 7};
    uint8_t seen[TILES * 4] = {0};
    g_put_word(to, LINE, 1000);
    for (unsigned i = 0; i < TILES * 4; i++) {
        struct g_place from = {1 + i / 4 % 7, 2 + i / 4 / 7 % 10};
        struct g_request request =
            g_request_of(G_ATOMIC | G_MARKED, i & 1, to, LINE, from, ANSWER + 4 * i, 0x107c);
        request.buffer = i & 3;
        request.data = 1;
        request.tag = G_ID(i & 15);
        g_issue(from, &request);
        g_book_unicast(from, &request);
    }
    g_settle();
    g_audit("increments");
    ck_assert_uint_eq(g_word(to, LINE), 1000 + TILES * 4);
    for (unsigned i = 0; i < TILES * 4; i++) {
        struct g_place from = {1 + i / 4 % 7, 2 + i / 4 / 7 % 10};
        uint32_t answer = g_word(from, ANSWER + 4 * i) - 1000;
        ck_assert_uint_lt(answer, TILES * 4);
        ck_assert_msg(!seen[answer], "%u was answered twice", answer);
        seen[answer] = 1;
    }
}
