/* Makers of data path instructions; see scene.h. */
#include "model_internal.h"
#include "scene.h"

enum { X, Y, Z, W };
enum { MOST_TRIES = 6, MOST_ENDS = 12, BOTH = 3 };

#define PICK(g, table) ((table)[below((g), sizeof(table) / sizeof((table)[0]))])

static const struct model_src *src_of(struct generator *g, unsigned src)
{
    return &g->scene->model.src[src];
}

static bool is_valid(struct generator *g, unsigned src)
{
    return src_of(g, src)->bank[src_of(g, src)->matrix].valid;
}

static uint32_t adc_word(unsigned row, unsigned units, uint32_t mask, const uint32_t value[4])
{
    bool xy = row == TENSIX_ROW_SETADCXY;
    return instruction(row, "cnt_set_mask", (uint32_t)units, "bit_mask", mask,
                       xy ? "x0_val" : "z0_val", value[0], xy ? "y0_val" : "w0_val", value[1],
                       xy ? "x1_val" : "z1_val", value[2], xy ? "ch1_y" : "ch1_w", value[3], NULL);
}

/* --- Unpackers --- */

/* How many data, and which; mostly whole faces. */
static void add_unpack_counters(struct generator *g, struct batch *batch, unsigned u, bool plain)
{
    static const uint16_t counts[] = {256, 256, 256, 1024, 512, 128, 64, 16, 16, 32, 1, 7, 40};
    static const uint16_t small[] = {16, 64, 128, 16};
    uint32_t count = g->scene->compact ? PICK(g, small) : PICK(g, counts);
    uint32_t x = once_in(g, 8) ? below(g, 64) : once_in(g, 6) ? 16 * below(g, 4) : 0;
    uint32_t xy[4] = {0, 0, 0, 0}, zw[4] = {0, 0, 0, 0};
    x = plain ? 0 : x;
    uint32_t last = x + count - 1 > 1023 ? 1023 : x + count - 1;
    for (unsigned i = 0; !plain && i < 4; i++) {
        xy[i] = once_in(g, 3) ? below(g, 8) : 0;
        zw[i] = once_in(g, 3) && i < 3 ? below(g, i == 1 ? 2 : 4) : 0;
    }
    batch_add(batch, adc_word(TENSIX_ROW_SETADCXY, 1u << u, 10, xy));
    batch_add(batch, adc_word(TENSIX_ROW_SETADCZW, 1u << u, 15, zw));
    batch_add(batch, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(1) << u, "x0_val", x,
                                 "x1_val", last, NULL));
}

static uint32_t unpack_word(struct generator *g, const struct rule *rule, unsigned u, bool flips)
{
    uint32_t word = rule_word(g->rules, rule, &g->random);
    isa_field_put(row_operand(rule->row, "which_unpacker"), &word, (int32_t)u);
    isa_field_put(row_operand(rule->row, "flip_src"), &word, flips);
    return word;
}

static bool try_unpack(struct generator *g, const struct rule *rule, unsigned u, bool flips)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        struct batch batch = {.words = 0};
        if (!(tries == 0 && once_in(g, 3))) { /* or goes on from where it was */
            add_unpack_counters(g, &batch, u, tries >= MOST_TRIES - 2);
        }
        batch_add(&batch, unpack_word(g, rule, u, flips));
        if (scene_try(g, &batch)) {
            return true;
        }
    }
    return false;
}

/* Makes SrcB's bank one of 1.0 alone, from where L1 has nothing else. */
static bool unpack_ones(struct generator *g, const struct rule *rule)
{
    struct scene *s = g->scene;
    static const uint8_t words[] = {112, 120, 124, 125};
    uint32_t kept[sizeof words];
    for (unsigned i = 0; i < sizeof words; i++) {
        kept[i] = s->want[words[i]];
    }
    unsigned in = s->want[112] & 15;
    if (in != FORMAT_BF16 && in != FORMAT_FP32) {
        in = FORMAT_BF16;
        s->want[112] = (s->want[112] & ~UINT32_C(15)) | in;
        s->want[120] = (s->want[120] & ~UINT32_C(15)) | in;
    }
    uint32_t at = (in == FORMAT_BF16 ? SCENE_ONES16 : SCENE_ONES32) / 16 - 1;
    s->want[124] = s->want[125] = at;
    scene_flush(g);
    struct batch batch = {.words = 0};
    static const uint32_t none[4] = {0, 0, 0, 0};
    batch_add(&batch, adc_word(TENSIX_ROW_SETADCXY, 2, 10, none));
    batch_add(&batch, adc_word(TENSIX_ROW_SETADCZW, 2, 15, none));
    batch_add(&batch, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(2), "x1_val",
                                  once_in(g, 2) ? UINT32_C(255) : UINT32_C(1023), NULL));
    batch_add(&batch, unpack_word(g, rule, SRC_B, true));
    bool made = scene_try(g, &batch);
    for (unsigned i = 0; i < sizeof words; i++) {
        s->want[words[i]] = kept[i];
    }
    scene_flush(g);
    return made;
}

/* The bank that the unpacker fills is not the one that the Matrix Unit waits for, and is full. */
static void realign(struct generator *g, unsigned src)
{
    uint32_t flip = UINT32_C(1) << src;
    scene_set16(g, TENSIX_WORD_CLR_DVALID_SrcA_Disable, BOTH);
    scene_try_word(g, instruction(TENSIX_ROW_SETRWC, "clear_ab_vld", flip, NULL));
    scene_set16(g, TENSIX_WORD_CLR_DVALID_SrcA_Disable, 0);
}

bool scene_provide(struct generator *g, unsigned src, bool ones)
{
    const struct rule *rule = rules_named(g->rules, "UNPACR", FAMILY_SCENES);
    for (unsigned tries = 0; tries < 3; tries++) {
        const struct model_src *at = src_of(g, src);
        if (is_valid(g, src) && (!ones || at->bank[at->matrix].ones & 1)) {
            return true;
        }
        if (is_valid(g, src) && ones) {
            scene_set16(g, TENSIX_WORD_CLR_DVALID_SrcA_Disable, 0);
            scene_try_word(
                g, instruction(TENSIX_ROW_CLEARDVALID, "clear_dvalid", UINT32_C(1) << src, NULL));
        } else if (at->bank[at->unpack].valid) {
            realign(g, src);
        } else if (ones ? !unpack_ones(g, rule) : !try_unpack(g, rule, src, true)) {
            return false;
        }
    }
    return is_valid(g, src) && !ones;
}

static bool make_unpack(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    unsigned u = below(g, SRCS);
    return try_unpack(g, rule, u, !once_in(g, 3));
}

static bool make_once(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        if (scene_try_word(g, rule_word(g->rules, rule, &g->random))) {
            return true;
        }
    }
    return false;
}

/* --- Matrix Unit --- */

/* Sets counters to where nearly everything is legal. */
static void add_home(struct generator *g, struct batch *batch)
{
    const struct model_counters *c = &g->scene->model.counters[g->scene->thread];
    enum { ALL = 15 };
    bool all = once_in(g, 3);
    uint32_t mask = all ? ALL
                        : (c->src[SRC_A].at & 15 ? 1u : 0) | (c->src[SRC_B].at & 7 ? 2u : 0) |
                              (c->dst.at & 7 || c->dst.at > 256 ? 4u : 0);
    batch_add(batch,
              instruction(TENSIX_ROW_SETRWC, "bit_mask", mask | (all ? 0 : below(g, 2) << 3),
                          "src_b_val", all && once_in(g, 2) ? UINT32_C(8) : UINT32_C(0), "dst_val",
                          all && once_in(g, 2) ? UINT32_C(8) : UINT32_C(0), NULL));
}

static uint32_t matrix_word(struct generator *g, const struct rule *rule)
{
    uint32_t word = rule_word(g->rules, rule, &g->random);
    const struct isa_field *dst = row_operand(rule->row, "dst_row");
    const struct isa_field *clear = row_operand(rule->row, "clear_dvalid");
    if (dst && once_in(g, 2)) { /* near each other, so that results meet */
        isa_field_put(dst, &word, (int32_t)(8 * below(g, g->scene->compact ? 1 : 8)));
    }
    if (clear && rule->row != TENSIX_ROW_CLEARDVALID && !once_in(g, 4)) {
        isa_field_put(clear, &word, 0);
    }
    return word;
}

static bool try_matrix(struct generator *g, const struct rule *rule)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        struct batch batch = {.words = 0};
        if (tries > 0) {
            add_home(g, &batch);
        }
        batch_add(&batch, matrix_word(g, rule));
        if (scene_try(g, &batch)) {
            return true;
        }
    }
    return false;
}

static bool make_move(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    bool needs_a = rule->row == TENSIX_ROW_MOVA2D || rule->row == TENSIX_ROW_MOVD2A ||
                   rule->row == TENSIX_ROW_MOVB2A;
    bool needs_b = rule->row == TENSIX_ROW_MOVB2D || rule->row == TENSIX_ROW_MOVD2B ||
                   rule->row == TENSIX_ROW_MOVB2A || rule->row == TENSIX_ROW_TRNSPSRCB;
    return (!needs_a || scene_provide(g, SRC_A, false)) &&
           (!needs_b || scene_provide(g, SRC_B, false)) && try_matrix(g, rule);
}

/* What stands in the way of products: denormals that are kept, wrong implied formats. */
static void unblock(struct generator *g, const struct rule *rule)
{
    struct scene *s = g->scene;
    bool flushes = rule->row != TENSIX_ROW_GMPOOL && rule->row != TENSIX_ROW_ELWMUL;
    if (flushes && s->want[2] & 1 && once_in(g, 2)) {
        scene_plan(s, TENSIX_FIELD_ALU_ACC_CTRL_Zero_Flag_disabled_src, 0);
        scene_flush(g);
    }
}

/* Along a tile, through phases: some more of the row, one by one, recorded, or as a loop. */
static void run_along(struct generator *g, const struct rule *rule, unsigned most)
{
    struct model *trial = &g->scene->trial;
    struct batch batch = {.words = 0};
    if (once_in(g, 4)) {
        uint32_t word = matrix_word(g, rule), last = once_in(g, 2) ? word : matrix_word(g, rule);
        uint32_t outer = 1 + below(g, 2), inner = 1 + below(g, 4);
        if (scene_try_loop(g, word, last, outer, inner)) {
            return;
        }
    }
    *trial = g->scene->model;
    for (unsigned i = 0; i < most; i++) {
        uint32_t word = matrix_word(g, rule);
        struct model before = *trial;
        if (model_execute(trial, g->scene->thread, word)) {
            batch_add(&batch, word);
        } else {
            *trial = before;
        }
    }
    if (batch.words) {
        scene_try(g, &batch);
    }
}

static bool make_math(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    bool ones = rule->row == TENSIX_ROW_GMPOOL;
    unblock(g, rule);
    if (!scene_provide(g, SRC_A, false) || !scene_provide(g, SRC_B, ones)) {
        return false;
    }
    bool made = try_matrix(g, rule);
    if (made && once_in(g, 2)) {
        run_along(g, rule, ones ? 8 : 4);
    }
    return made;
}

static bool make_clear_src(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    return try_matrix(g, rule);
}

static bool make_flips(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    bool keeps = rule->row == TENSIX_ROW_SETRWC && once_in(g, 8);
    if (!keeps && (once_in(g, 2) || rule->row == TENSIX_ROW_CLEARDVALID)) {
        scene_provide(g, below(g, SRCS), false);
    }
    if (keeps) {
        scene_set16(g, TENSIX_WORD_CLR_DVALID_SrcA_Disable, 1 + below(g, BOTH));
    }
    bool made = false;
    for (unsigned tries = 0; tries < MOST_TRIES && !made; tries++) {
        uint32_t word = rule_word(g->rules, rule, &g->random);
        if (rule->row == TENSIX_ROW_SETRWC && !g->rules->free) {
            enum { CR_SHIFT = 18, CR_SRC = 3 };
            word |= word >> CR_SHIFT & CR_SRC; /* what goes by the copy is also set */
        }
        made = scene_try_word(g, word);
    }
    if (keeps) {
        scene_set16(g, TENSIX_WORD_CLR_DVALID_SrcA_Disable, 0);
    }
    return made;
}

/* --- Packer --- */

static bool start_tile(struct generator *g, const struct rule *rule)
{
    struct scene *s = g->scene;
    struct batch batch = {.words = 0};
    uint32_t word = rule_word(g->rules, rule, &g->random);
    static const uint8_t interfaces[] = {0, 0, 1, 1, 3, 5, 10};
    uint32_t sel = PICK(g, interfaces);
    bool strided = s->strided && once_in(g, 2) && sel <= 3;
    isa_field_put(row_operand(rule->row, "read_intf_sel"), &word, (int32_t)sel);
    isa_field_put(row_operand(rule->row, "dst_access_mode"), &word, strided);
    uint32_t zw[4] = {below(g, 4), once_in(g, 4) ? below(g, 2) : 0, 0, 0};
    uint32_t count = sel == 1 && once_in(g, 3) ? 8 : 16;
    batch_add(&batch, instruction(TENSIX_ROW_SETADCXX, "cnt_set_mask", UINT32_C(4), "x1_val",
                                  count - 1, NULL));
    batch_add(&batch, adc_word(TENSIX_ROW_SETADCZW, 4, 15, zw));
    batch_add(&batch, instruction(TENSIX_ROW_SETADC, "cnt_set_mask", UINT32_C(4), "channel",
                                  UINT32_C(0), "xyzw", UINT32_C(1), "new_value",
                                  once_in(g, 2) ? 0 : 4 * below(g, 128), NULL));
    batch_add(&batch,
              instruction(TENSIX_ROW_SETADC, "cnt_set_mask", UINT32_C(4), "channel", UINT32_C(1),
                          "xyzw", UINT32_C(1), "new_value", once_in(g, 4) ? below(g, 8) : 0, NULL));
    batch_add(&batch, word);
    return scene_try(g, &batch);
}

static bool make_pack(struct generator *g, unsigned thread, const struct rule *rule)
{
    (void)thread;
    struct scene *s = g->scene;
    uint32_t room = s->compact ? 0x200 : SCENE_OUT_BYTES - 0x800;
    if (!s->model.in_tile) {
        s->want[69] = (SCENE_OUT + 16 * below(g, room / 16)) / 16 - 1;
        scene_flush(g);
    }
    bool started = false;
    for (unsigned tries = 0; tries < MOST_TRIES && !started; tries++) {
        started = start_tile(g, rule);
    }
    unsigned more = below(g, s->compact ? 2 : 8);
    for (unsigned i = 0; started && s->model.in_tile && i <= more + MOST_ENDS; i++) {
        uint32_t word = rule_word(g->rules, rule, &g->random);
        isa_field_put(row_operand(rule->row, "last"), &word, i >= more);
        isa_field_put(row_operand(rule->row, "dst_access_mode"), &word, 0);
        scene_try_word(g, word);
    }
    return started;
}

/* --- The table --- */

maker_function *const scene_makers[MAKERS] = {
    [MAKE_UNPACK] = make_unpack, [MAKE_ONCE] = make_once,       [MAKE_MATH] = make_math,
    [MAKE_MOVE] = make_move,     [MAKE_CLEAR] = make_clear_src, [MAKE_FLIPS] = make_flips,
    [MAKE_PACK] = make_pack,
};
