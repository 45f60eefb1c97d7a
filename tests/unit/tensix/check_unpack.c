/*
 * UNPACR against unpack_model.c, which was written from the pages without a look at the
 * unpackers: random configurations, counters, contexts and tiles, up to three instructions each,
 * with two sets of kernels, and all state after each. Every mode has a share of the rounds, ttsim's
 * refusals and all pairs of formats included.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/kernels.h"
#include "num/tensix_format.h"
#include "tensix/config/users.h"
#include "unit/tensix/unpack_model.h"
#include "unit/test.h"
#include "unit/tensix/tensix_fixture.h"
#include "unit/tensix/touched.h"

enum { ROUNDS = 1000, AREA = 0x8000, AREA_BYTES = 24576, TEXT = 256 };

static bool one_in(unsigned n)
{
    return random_below(&dice, n) == 0;
}

/* --- A random case --- */

static const struct {
    enum format in, out;
    bool to_dst; /* only there */
} pairs[] = {
    {FP32, TF32, false},   {FP32, BF16, false},   {FP32, FP16, false},   {BF16, BF16, false},
    {BFP8, BFP8, false},   {BFP4, BFP4, false},   {BFP2, BFP2, false},   {FP16, FP16, false},
    {BFP8A, BFP8A, false}, {BFP4A, BFP4A, false}, {BFP2A, BFP2A, false}, {FP8, FP8, false},
    {INT16, INT16, false}, {INT8, INT8, false},   {FP32, FP32, true},    {TF32, TF32, true},
    {INT32, INT32, true},  {BFP8, BF16, false},   {BFP4, BF16, false},   {BFP8A, FP16, false},
};

/* What a round is about; the others are as in plain software. */
enum share {
    PLAIN,
    CONTEXTS,
    COMPRESSED,
    TILEIZE,
    HALOIZE,
    COLUMN_SHIFT,
    UPSAMPLE,
    WRAP,
    HEADERS,
    FORCED,
    OMITTED,
    SEARCH,
    BLOBS,
    TO_DST,
    ANY_FORMATS, /* most pairs are undefined */
    SHARES,
};

static const char *const share_names[SHARES] = {
    "plain",    "contexts", "compressed",  "tileize",         "haloize",           "column shift",
    "upsample", "wrap",     "headers",     "forced exponent", "omitted exponents", "row search",
    "blobs",    "to Dst",   "any formats",
};

struct scene {
    struct unpacr u;
    unsigned thread, state, section;
    enum share share;
    enum format in, out;
    bool to_dst, compressed;
    unsigned x_dim, y_dim, z_dim, w_dim, digest, count;
};

static void put(const struct scene *s, unsigned word, unsigned shift, unsigned width,
                uint32_t value)
{
    config_put(tensix, s->state, word, shift, width, value);
}

/* A word of the unpacker's section, named as in THCON_SEC0. */
static void put_own(const struct scene *s, unsigned word, unsigned shift, unsigned width,
                    uint32_t value)
{
    put(s, s->section + word - 64, shift, width, value);
}

static void choose_pair(struct scene *s)
{
    if (s->share == ANY_FORMATS) {
        s->in = (enum format)random_below(&dice, 16);
        s->out = (enum format)random_below(&dice, 16);
        s->to_dst = s->u.unpacker == 0 && one_in(2);
        return;
    }
    bool wants_block = s->share == FORCED || s->share == OMITTED;
    for (;;) {
        unsigned i = random_below(&dice, COUNT(pairs));
        s->in = pairs[i].in;
        s->out = pairs[i].out;
        if ((wants_block && !is_block(s->in)) || (pairs[i].to_dst && s->u.unpacker == 1)) {
            continue;
        }
        /* Groups of 32 deltas are only aligned for data of four bits and more. */
        if (s->compressed && format_bits(s->in) == 2) {
            continue;
        }
        bool can_go = s->u.unpacker == 0 && s->share != HALOIZE && s->share != COLUMN_SHIFT;
        s->to_dst = can_go && (pairs[i].to_dst || s->share == TO_DST || one_in(5));
        if (pairs[i].to_dst && !s->to_dst) {
            continue;
        }
        return;
    }
}

static void choose_instruction(struct scene *s)
{
    s->thread = random_below(&dice, THREADS);
    s->state = random_below(&dice, 2);
    s->u = (struct unpacr){
        .unpacker = random_below(&dice, 2),
        .ch1_y = random_below(&dice, 4),
        .ch1_z = random_below(&dice, 4),
        .ch0_y = random_below(&dice, 4),
        .ch0_z = random_below(&dice, 4),
        .flip = one_in(2),
        .zero = one_in(12),
        .multi = s->share == CONTEXTS || one_in(3),
    };
    if (s->share == HALOIZE || s->share == COLUMN_SHIFT || s->share == TO_DST) {
        s->u.unpacker = one_in(8) && s->share != TO_DST;
    }
    s->section = s->u.unpacker ? 112 : 64;
    s->compressed = s->share == COMPRESSED;
    s->u.row_search = s->share == SEARCH || s->share == BLOBS || (s->compressed && one_in(3));
    own_put(tensix, s->thread, 0, s->state);
    own_put(tensix, s->thread, 41, 0);
    if (s->u.multi) {
        unsigned limit = s->u.unpacker ? 2 : 8, offset = random_below(&dice, limit),
                 wanted = random_below(&dice, limit);
        s->u.use_counter = one_in(2);
        s->u.context = (wanted - offset) & 7;
        own_put(tensix, s->thread, 41, (offset | (one_in(2) ? 8 : 0)) << 8 * s->u.unpacker);
        tensix->unpacker[s->u.unpacker].context_counter[s->thread] = s->u.context;
        s->u.adc = random_below(&dice, 3);
        s->u.context = s->u.use_counter ? random_below(&dice, 8) : s->u.context;
    } else {
        s->u.context = random_below(&dice, 8);
        s->u.use_counter = one_in(4);
    }
}

static void choose_tile(struct scene *s)
{
    s->x_dim = one_in(3) ? 16U << random_below(&dice, 5) : 1 + random_below(&dice, 80);
    s->y_dim = 1 + random_below(&dice, 4);
    s->z_dim = random_below(&dice, 4);
    s->w_dim = random_below(&dice, 3);
    s->digest = s->share == HEADERS ? random_below(&dice, 6) : one_in(4);
    if ((s->share == TILEIZE || s->share == HALOIZE) && !one_in(4)) { /* aligned, mostly */
        s->x_dim = 64U << random_below(&dice, 3);
    }
    if (s->compressed) {
        s->x_dim = one_in(2) ? 64 : 1 + random_below(&dice, 100);
        s->y_dim = 1 + random_below(&dice, 6);
    }
}

/* Rows of four are above SrcA and Dst. */
static unsigned dest_rows(const struct scene *s)
{
    return one_in(8) ? random_below(&dice, 4) : 4 + random_below(&dice, s->to_dst ? 900 : 8);
}

/* All contexts get values of their own, so that a mistaken choice shows. */
static void configure_contexts(const struct scene *s)
{
    unsigned base = AREA / 16 - 1;
    for (unsigned i = 0; i < 8; i++) {
        unsigned offset = i % 4 * 3;
        put_own(s, 76 + i, 0, 32, base + i - offset);
        put_own(s, 92 + i % 4, 0, 16, offset);
        put_own(s, 92 + i % 4, i < 4 ? 16 : 24, 4, s->in);
        put_own(s, 92 + i % 4, i < 4 ? 20 : 28, 4, s->out);
        put_own(s, 73, i < 4 ? i : 12 + i, 1, !s->compressed);
        put_own(s, 73, i < 4 ? 4 + i : 16 + i, 1, s->to_dst);
    }
    for (unsigned i = 0; i < 4; i++) {
        put_own(s, 84 + i / 2, 16 * (i % 2), 16, dest_rows(s) * 16 + random_below(&dice, 16));
        put_own(s, 86 + i / 2, 16 * (i % 2), 16, s->x_dim);
    }
    put_own(s, 72, 14, 1, one_in(2));
    put_own(s, 72, 6, 2, random_below(&dice, 4));
}

static void configure_output(const struct scene *s)
{
    unsigned bytes = s->out == FP32 || s->out == TF32 || s->out == INT32   ? 4
                     : s->out == FP16 || s->out == BF16 || s->out == INT16 ? 2
                                                                           : 1;
    unsigned rows = s->u.unpacker ? random_below(&dice, 60)
                    : s->to_dst   ? random_below(&dice, 1100)
                                  : random_below(&dice, 14);
    unsigned odd = s->share == HALOIZE ? one_in(2) * 16 : random_below(&dice, 16);
    put(s, s->u.unpacker ? 61 : 49, 0, 18, (rows * 16 + odd) * bytes);
    put(s, s->u.unpacker ? 58 : 56, 16, 16, random_below(&dice, 3) * 16 * bytes);
    put(s, s->u.unpacker ? 59 : 57, 0, 16, random_below(&dice, 3) * 16 * bytes);
    put(s, s->u.unpacker ? 59 : 57, 16, 16, random_below(&dice, 2) * 16 * bytes);
    put(s, 50, 8, 1, one_in(2));
    own_put(tensix, s->thread, 5,
            random_below(&dice, 4) | (s->to_dst ? 0U : (unsigned)!one_in(3)) << 2);
    own_put(tensix, s->thread, 6, random_below(&dice, 4));
}

static void configure_modes(const struct scene *s)
{
    put_own(s, 72, 10, 1, one_in(2));
    put_own(s, 72, 4, 2, random_below(&dice, 3));
    put_own(s, 72, 8, 1, s->share == HALOIZE);
    put_own(s, 72, 9, 1, s->share == TILEIZE);
    put_own(s, 72, 16, 16, 0);
    if (s->share == TILEIZE) {
        put_own(s, 72, 16, 12, random_below(&dice, 40));
        put_own(s, 72, 28, 4, random_below(&dice, 16));
    } else if (s->share == COLUMN_SHIFT) {
        put_own(s, 72, 16, 16, random_next(&dice));
    }
    put_own(s, 72, 12, 2,
            s->share == UPSAMPLE || (s->compressed && one_in(8)) ? random_below(&dice, 4) : 0);
    put_own(s, 72, 15, 1, one_in(2));
    put_own(s, 73, 8, 1, s->share == FORCED);
    put(s, s->u.unpacker ? 62 : 50, 0, 8,
        is_block(s->in) ? 8 + random_below(&dice, 24) : random_next(&dice));
    put_own(s, 74, 0, 17, 0x1ffff);
    put_own(s, 75, 0, 17, random_below(&dice, 100));
    if (s->share == WRAP) {
        put_own(s, 74, 0, 17, AREA / 16 + random_below(&dice, 60));
        put_own(s, 75, 0, 17, 1 + random_below(&dice, 60));
    }
    put(s, 1, 15, 2, random_next(&dice));
}

static void configure(const struct scene *s)
{
    unsigned blobs =
        s->share == BLOBS || (s->compressed && one_in(3)) ? 1 + random_below(&dice, 7) : 0;
    put_own(s, 64, 0, 32, 0);
    put_own(s, 64, 0, 4, s->in);
    put_own(s, 64, 4, 1, !s->compressed);
    put_own(s, 64, 5, 1, s->share == OMITTED);
    put_own(s, 64, 8, 3, blobs);
    put_own(s, 64, 16, 16, s->x_dim);
    put_own(s, 65, 0, 16, s->y_dim);
    put_own(s, 65, 16, 16, s->z_dim);
    put_own(s, 66, 0, 16, s->w_dim);
    put_own(s, 66, 16, 16, random_next(&dice));
    put_own(s, 67, 0, 16, random_next(&dice));
    put_own(s, 67, 24, 8, s->digest);
    put(s, 51, 0, 32, random_next(&dice));
    put(s, 52, 0, 32, random_next(&dice));
    put_own(s, 72, 0, 4, s->out);
    put_own(s, 72, 11, 1, s->to_dst);
    configure_contexts(s);
    configure_output(s);
    configure_modes(s);
    config_put(tensix, 0, 220, 0, 2, one_in(2) ? random_below(&dice, 4) : 0);
}

static void count(const struct scene *s)
{
    for (unsigned thread = 0; thread < THREADS; thread++) {
        for (unsigned i = 0; i < 2 * UNPACKERS; i++) {
            struct tensix_adc_channel *c = &tensix->thread[thread].adc[i / 2].channel[i % 2];
            bool input = i % 2 == 0;
            c->x = input ? random_below(&dice, s->x_dim) : 0;
            c->y = input ? random_below(&dice, s->y_dim) : random_below(&dice, 4);
            c->z = random_below(&dice, s->z_dim + 1) | (input && one_in(4) ? 0x1f00 : 0);
            c->w = random_below(&dice, s->w_dim + 1) | (input && one_in(4) ? 0x0700 : 0);
            if (one_in(3)) {
                c->x = 0;
            }
        }
        struct tensix_adc *adc = &tensix->thread[thread].adc[s->u.unpacker];
        if (s->x_dim % 64 == 0 && (s->share == TILEIZE || s->share == HALOIZE)) {
            adc->channel[0].x &= ~63U;
        }
        unsigned first = adc->channel[0].x;
        adc->channel[1].x = one_in(3) ? s->x_dim - 1 : first + random_below(&dice, 200);
        if (s->share == BLOBS) {
            adc->channel[0].x = random_below(&dice, 8);
            adc->channel[0].y = random_below(&dice, 8);
        } else if (s->compressed && s->u.row_search) {
            adc->channel[0].x = adc->channel[0].y + random_below(&dice, 2);
        }
    }
    for (unsigned u = 0; u < UNPACKERS; u++) {
        for (unsigned thread = 0; thread < THREADS; thread++) {
            tensix->unpacker[u].src_row[thread] = 16 * random_below(&dice, 4);
        }
        tensix->src[u].unpack_bank = (uint8_t)random_below(&dice, 2);
        tensix->src[u].matrix_may[0] = tensix->src[u].matrix_may[1] = false;
        tensix->src[u].matrix_may[random_below(&dice, 2)] = one_in(4);
    }
}

/* Bytes of L1, with sensible row start indices, deltas and exponents wherever they may be needed.
 */
static void fill(const struct scene *s)
{
    uint8_t *area = harness.l1 + AREA - 256;
    bool narrow = is_block(s->in) && (s->in == BFP8A || s->in == BFP4A || s->in == BFP2A);
    for (unsigned i = 0; i < AREA_BYTES; i += 4) {
        uint32_t value = random_next(&dice);
        memcpy(area + i, &value, 4);
    }
    if (s->in == FP32) { /* more of what FP16 can hold, and denormals */
        for (unsigned i = 0; i < AREA_BYTES; i += 4) {
            uint32_t value = random_next(&dice) & (one_in(8) ? 0x807fffff : 0xffffffff);
            if (one_in(2)) {
                value = (value & 0x807fffff) | (110 + random_below(&dice, 36)) << 23;
            }
            memcpy(area + i, &value, 4);
        }
    }
    if (narrow) { /* exponents may lie anywhere, data have any bits anyway */
        for (unsigned i = 0; i < AREA_BYTES; i++) {
            area[i] = (uint8_t)(8 + area[i] % 24);
        }
    }
    if (!s->compressed) {
        return;
    }
    for (unsigned i = 0; i < 512; i++) { /* the deltas: small, wherever they are */
        unsigned at = 256 + i * 32;
        area[at] &= one_in(2) ? 0x11 : 0xff;
    }
}

/* Row start indices for the context that the instruction takes. */
static void fill_row_starts(const struct scene *s)
{
    unsigned misc = tensix->thread_config[s->thread][41], context = 0;
    if (s->u.multi) {
        context = s->u.use_counter ? tensix->unpacker[s->u.unpacker].context_counter[s->thread]
                                   : s->u.context;
        context = (context + (misc >> 8 * s->u.unpacker & 15)) & 7;
    }
    uint8_t *at = harness.l1 + AREA + 16 * (context + s->digest);
    unsigned sum = one_in(2) ? 0 : random_below(&dice, 40);
    for (unsigned row = 0; row < 128; row++, sum += random_below(&dice, 12)) {
        at[2 * row] = (uint8_t)sum;
        at[2 * row + 1] = (uint8_t)(sum >> 8);
    }
}

static struct scene make_scene(enum share share)
{
    struct scene s = {.share = share};
    choose_instruction(&s);
    choose_pair(&s);
    choose_tile(&s);
    configure(&s);
    count(&s);
    fill(&s);
    if (s.compressed) {
        fill_row_starts(&s);
    }
    return s;
}

static void release_banks(void)
{
    for (unsigned u = 0; u < UNPACKERS; u++) {
        tensix->src[u].matrix_may[0] = tensix->src[u].matrix_may[1] = false;
    }
}

/* An UNPACR that waits has taken along what it needs: the banks come back when all words of both
 * unpackers and all their counters are others. */
static void go_on_configured_otherwise(const struct scene *s)
{
    enum { FIRST_WORD = 48, END_WORD = 160, SRC_SET = 5 };
    uint32_t config[END_WORD];
    uint32_t *now = tensix->config[s->state];
    uint16_t *set = &tensix->thread_config[s->thread][SRC_SET];
    struct tensix_adc adc[THREADS][TENSIX_ADCS];
    memcpy(config, now, sizeof config);
    for (unsigned i = FIRST_WORD; i < END_WORD; i++) {
        now[i] = ~now[i];
    }
    *set ^= 4; /* SRCA_SET_SetOvrdWithAddr */
    for (unsigned thread = 0; thread < THREADS; thread++) {
        memcpy(adc[thread], tensix->thread[thread].adc, sizeof adc[thread]);
        memset(tensix->thread[thread].adc, 0, sizeof adc[thread]);
    }
    tensix->stale = TENSIX_USED_BY_ALL;
    release_banks();
    tensix_harness_go(&harness, 0);
    memcpy(now, config, sizeof config);
    *set ^= 4;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        memcpy(tensix->thread[thread].adc, adc[thread], sizeof adc[thread]);
    }
    tensix->stale = TENSIX_USED_BY_ALL;
}

FIXTURE(setup, teardown);

TEST_EACH(random_unpacr_is_as_the_pages_say, 2 * SHARES)
{
    static const char *const sets[] = {"reference", NULL}; /* NULL: the fastest */
    enum share share = (enum share)(_i / 2);
    struct scene s;
    static struct world world;
    unsigned outcomes[4] = {0};
    dice = 77 + (uint64_t)_i;
    tensix->kernels = num_kernels_find(sets[_i % 2]);
    for (unsigned i = 0; i < DST_ROWS * COLUMNS; i++) {
        tensix->dst.bits[i / COLUMNS][i % COLUMNS] = (uint16_t)random_next(&dice);
    }
    unsigned rounds = share == ANY_FORMATS ? 6 * ROUNDS : ROUNDS;
    for (unsigned round = 0; round < rounds; round++) {
        if (round % 3 == 0) { /* what the unpackers keep of Config lives for some instructions */
            s = make_scene(share);
        }
        char what[TEXT];
        const char *why = "";
        world_take(&world, tensix);
        enum outcome outcome = unpacr_model(&world, tensix, s.thread, &s.u, &why);
        (void)snprintf(what, sizeof what, "%s %u: %08x, %u to %u%s, thread %u (%s%s)",
                       share_names[share], round, unpacr_word(&s.u), s.in, s.out,
                       s.to_dst ? " in Dst" : "", s.thread,
                       outcome == BLOCKED ? "blocked"
                       : outcome == DONE  ? "done"
                                          : "undefined: ",
                       why);
        outcomes[outcome]++;
        /* LLK has pairs that the pages do not have: check_tensix_format.c has their values. */
        bool is_llk = outcome == UNDEFINED && strcmp(why, "conversion") == 0 &&
                      num_unpack_is_legal(s.in, s.out, s.to_dst);
        if (outcome == UNWANTED || is_llk) {
            continue;
        }
        unsigned faults = harness.faults;
        struct tensix_src_banks banks[UNPACKERS];
        memcpy(banks, tensix->src, sizeof banks);
        bool is_blocked = outcome == BLOCKED;
        if (outcome == UNDEFINED || is_blocked) { /* a fault comes before the wait */
            release_banks();
            world_take(&world, tensix);
        }
        if (is_blocked) { /* what it does when it goes on */
            outcome = unpacr_model(&world, tensix, s.thread, &s.u, &why);
            memcpy(tensix->src, banks, sizeof banks);
        }
        tensix_harness_push(&harness, s.thread, unpacr_word(&s.u));
        if (is_blocked && outcome == DONE) {
            ck_assert_msg(tensix->unpacker[s.u.unpacker].held.is_held, "%s: goes on", what);
            ck_assert_msg(!tensix->thread[s.thread].has_next, "%s: waits at its gate", what);
            go_on_configured_otherwise(&s);
        }
        ck_assert_msg(!tensix->thread[s.thread].has_next, "%s: does not go on", what);
        ck_assert_msg(harness.faults - faults == (outcome == UNDEFINED), "%s: fault '%s'", what,
                      harness.faults == faults ? "" : harness.fault.text);
        world_compare(&world, tensix, what);
    }
    ck_assert_uint_gt(outcomes[DONE], rounds / (share == ANY_FORMATS ? 40 : 8));
    ck_assert_uint_gt(outcomes[BLOCKED], 0);
}

/* --- What observers are told --- */

/* Any instruction of the scene's unpacker: UNPACR, counting contexts, clearing, handing over. */
static uint32_t random_word(const struct scene *s)
{
    const uint32_t own = UINT32_C(0x43000000) | s->u.unpacker << 23;
    switch (random_below(&dice, 8)) {
    case 0: /* UNPACR_NOP that clears, in any way */
        return own | (random_next(&dice) & 0x1fd) | 1;
    case 1: /* that hands over, or does nothing */
        return own | (one_in(2) ? 0x1c1 : 2);
    case 2:
        return UINT32_C(0x42002000) | s->u.unpacker << 23;
    default:
        return unpacr_word(&s->u);
    }
}

TEST_EACH(all_that_is_touched_is_told, SHARES)
{
    enum { TOLD_ROUNDS = 40 };
    unsigned executed = 0;
    dice = 5 + (uint64_t)_i;
    touched_open(&harness);
    for (unsigned round = 0; round < TOLD_ROUNDS; round++) {
        struct scene s = make_scene((enum share)_i);
        if (!one_in(4)) {
            release_banks();
        }
        for (unsigned word = TENSIX_GLOBAL_WORD; word < TENSIX_STATE_WORDS; word++) {
            tensix->config[1][word] = tensix->config[0][word]; /* both states have them */
        }
        tensix->stale = TENSIX_USED_BY_ALL;
        executed +=
            touched_check(&harness, s.thread, random_word(&s), &dice, AREA - 256, AREA_BYTES);
        tensix->thread[s.thread].has_next = tensix->thread[s.thread].blocked = false;
        tensix->thread[s.thread].wait = TENSIX_WAITS_FOR_NOTHING;
        tensix->unpacker[s.u.unpacker].held.is_held = false;
    }
    ck_assert_uint_gt(executed, TOLD_ROUNDS / 3);
    ck_assert_uint_gt(touched_times(OBSERVED_STATE_ADC, true), 0);
    touched_close();
}
