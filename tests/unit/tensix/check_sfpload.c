/*
 * SFPLOAD, SFPSTORE and SFPLOADI against a model written from the pages, which has Dst as the page
 * Dst has it: every format, every map, random address counters, configuration, flags and
 * LaneConfig, with each set of kernels; MOD0_FMT_SRCB with every format code; the stack pointer;
 * undefined rows; templates and reserved modes.
 */
#include <check.h>

#include "unit/run_suite.h"
#include "unit/tensix/vector_harness.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { ROUNDS = 7, FORMATS = 16, MAPS = 8, DST_ROWS = 1024, DST_COLUMNS = 16 };

/* Mod0, as the pages number it. */
enum {
    FMT_SRCB,
    FMT_FP16,
    FMT_BF16,
    FMT_FP32,
    FMT_INT32,
    FMT_INT8,
    FMT_UINT16,
    FMT_HI16,
    FMT_INT16,
    FMT_LO16,
    FMT_INT32_ALL,
    FMT_ZERO,
    FMT_INT32_SM,
    FMT_INT8_COMP,
    FMT_LO16_ONLY,
    FMT_HI16_ONLY,
};

struct call {
    unsigned thread, vd, mod, addr_mod, imm10;
    bool is_scheduled;
    unsigned address; /* of a scheduled store */
};

/* What the pages have beside the lanes. */
struct world {
    uint16_t bits[DST_ROWS][DST_COLUMNS];
    bool valid[DST_ROWS];
    struct tensix_rwc rwc;
};

static struct vector_harness harness;
static struct tensix *const tensix = &harness.base.tensix;
static struct vector_model model;
static struct world world;

/* --- Dst --- */

static uint32_t adj16(uint32_t r)
{
    if (tensix_get_DEST_ACCESS_CFG_remap_addrs(tensix, 0)) {
        r = (r & 0x3c7) ^ (r & 0x030) >> 1 ^ (r & 0x008) << 2;
    }
    return r;
}

static uint32_t adj32(uint32_t r)
{
    r = adj16(r);
    if (tensix_get_DEST_ACCESS_CFG_swizzle_32b(tensix, 0)) {
        r = (r & 0x3f3) ^ (r & 0x018) >> 1 ^ (r & 0x004) << 1;
    }
    return (r & 0x1f8) << 1 | (r & 0x207);
}

static uint32_t dst32(uint32_t row, uint32_t column)
{
    uint32_t r = adj32(row);
    return world.valid[r] ? (uint32_t)world.bits[r][column] << 16 | world.bits[r + 8][column] : 0;
}

static uint16_t dst16(uint32_t row, uint32_t column)
{
    if (tensix->dst_high_half) {
        return (uint16_t)(dst32(row, column) >> 16);
    }
    return world.valid[adj16(row)] ? world.bits[adj16(row)][column] : 0;
}

static void set_dst32(uint32_t row, uint32_t column, uint32_t value)
{
    uint32_t r = adj32(row);
    world.valid[r] = true; /* other columns show what they held */
    world.bits[r][column] = (uint16_t)(value >> 16);
    world.bits[r + 8][column] = (uint16_t)value;
}

static void set_dst16(uint32_t row, uint32_t column, uint32_t value)
{
    if (tensix->dst_high_half) {
        set_dst32(row, column, value << 16);
        return;
    }
    world.valid[adj16(row)] = true; /* other columns show what they held */
    world.bits[adj16(row)][column] = (uint16_t)value;
}

/* --- Formats --- */

static uint32_t decode_bf16(uint32_t x)
{
    return (x & 0x8000) | (x & 0xff) << 7 | (x >> 8 & 0x7f);
}

static uint32_t encode_bf16(uint32_t x)
{
    return (x & 0x8000) | (x & 0x7f) << 8 | (x >> 7 & 0xff);
}

static uint32_t encode_fp16(uint32_t x)
{
    return (x & 0x8000) | (x & 0x3ff) << 5 | (x >> 10 & 0x1f);
}

static uint32_t read_fp16(uint32_t x, bool has_infinity)
{
    uint32_t sign = x >> 15 << 31, exponent = x & 31, mantissa = x >> 5 & 0x3ff;
    if (has_infinity && exponent == 31 && mantissa == 0x3ff) {
        return sign | 0x7f800000;
    }
    return sign | (exponent ? exponent + 112 : 0) << 23 | mantissa << 13;
}

static uint32_t to_fp16(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000;
    int exponent = (int)(x >> 23 & 0xff) - 112;
    if (exponent <= 0) {
        return sign;
    }
    return exponent > 31 ? sign | 0x7fff : sign | (uint32_t)exponent << 10 | (x >> 13 & 0x3ff);
}

static uint32_t without_denormals(uint32_t x)
{
    return x & 0x7f800000 ? x : x & UINT32_C(0x80000000);
}

static uint32_t magnitude(uint32_t x, uint32_t mask)
{
    return (x & 0x8000) << 16 | (x >> 5 & mask);
}

static uint32_t model_read(unsigned mod, uint32_t row, uint32_t column,
                           const struct vector_lane *lane, uint32_t old)
{
    uint32_t x16 = dst16(row, column), x32 = dst32(row, column);
    switch (mod) {
    case FMT_FP16:
        return read_fp16(x16, lane->config & 1);
    case FMT_BF16:
        return decode_bf16(x16) << 16;
    case FMT_FP32:
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        return decode_bf16(x32 >> 16) << 16 | (x32 & 0xffff);
    case FMT_INT8:
        return magnitude(x16, 0xff);
    case FMT_INT8_COMP:
        return magnitude(x16, 0x3ff);
    case FMT_LO16_ONLY:
        return (old & 0xffff0000) | x16;
    case FMT_HI16_ONLY:
        return x16 << 16 | (old & 0xffff);
    case FMT_INT16:
        return (x16 & 0x8000) << 16 | (x16 & 0x7fff);
    case FMT_UINT16:
    case FMT_LO16:
        return x16;
    case FMT_HI16:
        return x16 << 16;
    default:
        ck_assert_uint_eq(mod, FMT_ZERO);
        return 0;
    }
}

static void model_write(unsigned mod, uint32_t row, uint32_t column, uint32_t x)
{
    switch (mod) {
    case FMT_FP16:
        set_dst16(row, column, encode_fp16(to_fp16(x)));
        break;
    case FMT_BF16:
        set_dst16(row, column, encode_bf16(without_denormals(x) >> 16));
        break;
    case FMT_FP32:
        x = without_denormals(x); /* fall through */
    case FMT_INT32:
    case FMT_INT32_ALL:
    case FMT_INT32_SM:
        set_dst32(row, column, encode_bf16(x >> 16) << 16 | (x & 0xffff));
        break;
    case FMT_INT8:
    case FMT_INT8_COMP:
        set_dst16(row, column, encode_fp16((x >> 16 & 0x8000) | 16 << 10 | (x & 0x3ff)));
        break;
    case FMT_UINT16:
    case FMT_LO16_ONLY:
        set_dst16(row, column, x & 0xffff);
        break;
    case FMT_HI16_ONLY:
        set_dst16(row, column, x >> 16);
        break;
    case FMT_INT16:
        set_dst16(row, column, (x >> 16 & 0x8000) | (x & 0x7fff));
        break;
    case FMT_LO16:
        set_dst32(row, column, x << 16 | x >> 16);
        break;
    case FMT_HI16:
        set_dst32(row, column, x);
        break;
    default:
        ck_assert_uint_eq(mod, FMT_ZERO);
        set_dst16(row, column, 0);
        break;
    }
}

static unsigned resolve(unsigned mod, unsigned thread)
{
    unsigned state = tensix_get_CFG_STATE_ID_StateID(tensix, thread);
    if (mod != FMT_SRCB) {
        return mod;
    }
    if (tensix_get_ALU_ACC_CTRL_SFPU_Fp32_enabled(tensix, state)) {
        return FMT_FP32;
    }
    unsigned code = tensix_get_ALU_FORMAT_SPEC_REG_SrcB_override(tensix, state)
                        ? tensix_get_ALU_FORMAT_SPEC_REG_SrcB_val(tensix, state)
                        : tensix_get_ALU_FORMAT_SPEC_REG1_SrcB(tensix, state);
    if (tensix_get_SFPU_DEST_FMT_Enable(tensix, thread)) {
        code = tensix_get_SFPU_DEST_FMT_Base(tensix, thread);
    }
    switch (code) {
    case 0:  /* FP32 */
    case 4:  /* TF32 */
    case 5:  /* BF16 */
    case 6:  /* BFP8 */
    case 7:  /* BFP4 */
    case 15: /* BFP2 */
    case 8:  /* INT32 */
    case 9:  /* INT16 */
        return FMT_BF16;
    default:
        return FMT_FP16;
    }
}

/* --- Addresses --- */

static unsigned model_address(const struct call *call, bool is_load)
{
    unsigned thread = call->thread, state = tensix_get_CFG_STATE_ID_StateID(tensix, thread);
    unsigned increment = tensix_get_SFPU_STACK_Incr(tensix, thread);
    unsigned base = call->imm10 + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread);
    unsigned dst = world.rwc.dst + tensix_get_DEST_REGW_BASE_Base(tensix, state);
    unsigned sp_base = tensix_get_DEST_SP_BASE_Base(tensix, state);
    if (call->mod != FMT_INT32_ALL) {
        return (base + dst + ((world.rwc.sp + sp_base) & 3)) & 1023;
    }
    if (is_load && world.rwc.sp != 0) {
        world.rwc.sp = (world.rwc.sp - increment) & 1023;
    }
    unsigned address = (base + world.rwc.sp + sp_base + (dst & 3)) & 1023;
    if (!is_load) {
        world.rwc.sp = (world.rwc.sp + increment) & 1023;
    }
    return address;
}

static void model_src_mod(uint32_t *counter, uint32_t *checkpoint, unsigned incr, bool cr,
                          bool clear)
{
    if (clear) {
        *counter = *checkpoint = 0;
    } else if (cr) {
        *counter = *checkpoint = (*checkpoint + incr) & 63;
    } else {
        *counter = (*counter + incr) & 63;
    }
}

/* ApplyPartialAddrMod with Blackhole's three bits. */
static void model_addr_mod(const struct call *call)
{
    const uint16_t *config = tensix->thread_config[call->thread];
    struct tensix_rwc *rwc = &world.rwc;
    unsigned index = (call->addr_mod + 4 * rwc->extra_mod) % 8;
    unsigned ab = config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + index];
    unsigned dst = config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + index];
    unsigned bias = config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + index];
    model_src_mod(&rwc->src_a, &rwc->src_a_cr, ab & 63, ab >> 6 & 1, ab >> 7 & 1);
    model_src_mod(&rwc->src_b, &rwc->src_b_cr, ab >> 8 & 63, ab >> 14 & 1, ab >> 15 & 1);
    if (dst >> 11 & 1) {
        rwc->dst = rwc->dst_cr = 0;
    } else if (dst >> 12 & 1) {
        rwc->dst = rwc->dst_cr = (rwc->dst + dst) & 1023;
    } else if (dst >> 10 & 1) {
        rwc->dst = rwc->dst_cr = (rwc->dst_cr + dst) & 1023;
    } else {
        rwc->dst = (rwc->dst + dst) & 1023;
    }
    if (bias >> 4 & 1) {
        rwc->extra_mod = 0;
    } else if (bias & 3) {
        rwc->extra_mod ^= 1;
    }
}

/* --- The instructions --- */

static bool is_chosen(unsigned lane, unsigned mod)
{
    return vector_is_enabled(&model, lane) || mod == FMT_INT32_ALL;
}

static uint32_t column_of(unsigned lane, unsigned address, uint32_t exchange)
{
    bool is_odd = address & 2 || model.lane[lane % 8].config & exchange;
    return lane % 8 * 2 + (is_odd ? 1 : 0);
}

static void model_load_lanes(const struct call *call, unsigned mod, unsigned address)
{
    for (unsigned i = 0; call->vd < 8 && i < NUM_LANES; i++) {
        struct vector_lane *lane = &model.lane[i];
        if (lane->config & TENSIX_LANE_BLOCK_SFPU_RD_FROM_DEST || !is_chosen(i, mod)) {
            continue;
        }
        uint32_t row = (address & ~3u) + i / 8;
        uint32_t column = column_of(i, address, TENSIX_LANE_DEST_RD_COL_EXCHANGE);
        lane->lreg[call->vd] = model_read(mod, row, column, lane, lane->lreg[call->vd]);
        if (call->vd < 4 && lane->config & TENSIX_LANE_ENABLE_DEST_INDEX &&
            lane->config & TENSIX_LANE_CAPTURE_DEFAULT_DEST_INDEX) {
            lane->lreg[call->vd + 4] = row << 4 | column;
        }
    }
}

static void model_load(const struct call *call)
{
    model_load_lanes(call, resolve(call->mod, call->thread), model_address(call, true));
    model_addr_mod(call);
}

static void model_store(const struct call *call, uint32_t lanes)
{
    unsigned mod = resolve(call->mod, call->thread);
    unsigned address = call->is_scheduled ? call->address : model_address(call, false);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        struct vector_lane *lane = &model.lane[i];
        bool is_open = call->is_scheduled || vector_is_open(&model, i, call->vd);
        if (lanes >> i & 1 && !(lane->config & TENSIX_LANE_BLOCK_DEST_WR_FROM_SFPU) && is_open &&
            is_chosen(i, mod)) {
            model_write(mod, (address & ~3u) + i / 8,
                        column_of(i, address, TENSIX_LANE_DEST_WR_COL_EXCHANGE),
                        lane->lreg[call->vd]);
        }
    }
    if (!call->is_scheduled) {
        model_addr_mod(call);
    }
}

/* --- Random worlds: Dst itself is drawn once for many --- */

static unsigned mostly_zero(unsigned percent, unsigned limit)
{
    return vector_chance(percent) ? vector_below(limit) : 0;
}

static void draw_config(unsigned thread)
{
    unsigned state = vector_below(2);
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_CFG_STATE_ID_StateID, state);
    for (unsigned s = 0; s < TENSIX_STATES; s++) {
        tensix_set_config_field(tensix, s, TENSIX_FIELD_DEST_REGW_BASE_Base, mostly_zero(60, 1024));
        tensix_set_config_field(tensix, s, TENSIX_FIELD_DEST_SP_BASE_Base, mostly_zero(60, 65536));
        tensix_set_config_field(tensix, s, TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled,
                                vector_chance(30));
        tensix_set_config_field(tensix, s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB,
                                vector_below(16));
        tensix_set_config_field(tensix, s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_override,
                                vector_chance(40));
        tensix_set_config_field(tensix, s, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_val,
                                vector_below(16));
    }
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset,
                            vector_chance(50) ? 512 : vector_below(1024));
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_SFPU_STACK_Incr, vector_below(1024));
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_SFPU_DEST_FMT_Enable, vector_chance(40));
    tensix_set_thread_field(tensix, thread, TENSIX_FIELD_SFPU_DEST_FMT_Base, vector_below(16));
    uint16_t *config = tensix->thread_config[thread];
    for (unsigned i = 0; i < 8; i++) {
        bool is_plain = vector_chance(50);
        config[TENSIX_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] =
            is_plain ? 0 : (uint16_t)vector_random();
        config[TENSIX_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] =
            (uint16_t)(vector_random() & (is_plain ? 0xe3ff : 0xffff));
        config[TENSIX_WORD_ADDR_MOD_BIAS_SEC0_BiasIncr + i] =
            is_plain ? 0 : (uint16_t)(vector_random() & 31);
    }
}

static void draw_rwc(void)
{
    memset(&world.rwc, 0, sizeof world.rwc);
    world.rwc.dst = vector_below(1024);
    world.rwc.dst_cr = vector_below(1024);
    world.rwc.src_a = vector_below(64);
    world.rwc.src_a_cr = vector_below(64);
    world.rwc.src_b = vector_below(64);
    world.rwc.src_b_cr = vector_below(64);
    world.rwc.fidelity = vector_below(4);
    world.rwc.extra_mod = vector_below(2);
    world.rwc.sp = mostly_zero(70, 1024);
}

static void draw_dst(void)
{
    for (unsigned row = 0; row < DST_ROWS; row++) {
        for (unsigned column = 0; column < DST_COLUMNS; column++) {
            uint32_t x = vector_random();
            bool is_greatest = (x >> 16 & 7) == 0; /* what FP16 may take for an infinity */
            world.bits[row][column] = (uint16_t)(is_greatest ? x | 0x7fff : x);
        }
    }
}

static void draw_valid(void)
{
    bool has_undefined = vector_chance(50);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        world.valid[row] = !has_undefined || vector_chance(60);
    }
}

static void draw_parts(unsigned parts, unsigned map, unsigned thread)
{
    vector_power_on(&model);
    vector_randomise(&model, parts);
    draw_valid();
    draw_rwc();
    draw_config(thread);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_DEST_ACCESS_CFG_remap_addrs, map & 1);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_DEST_ACCESS_CFG_swizzle_32b, map >> 1 & 1);
    tensix->dst_high_half = map >> 2;
    vector_store(&model, tensix);
    memcpy(tensix->dst.bits, world.bits, sizeof world.bits);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        tensix->dst.cleared[row] = !world.valid[row];
    }
    tensix->thread[thread].rwc = world.rwc;
}

static void draw_world(unsigned map, unsigned thread)
{
    draw_parts(VECTOR_ALL, map, thread);
}

static void compare_world(unsigned thread, uint32_t word, const char *what)
{
    vector_compare(&model, tensix, word, what);
    for (unsigned row = 0; row < DST_ROWS; row++) {
        if (world.valid[row] == tensix->dst.cleared[row]) {
            ck_abort_msg("%s 0x%08x: flag of row %u", what, (unsigned)word, row);
        }
    }
    for (unsigned i = 0; memcmp(world.bits, tensix->dst.bits, sizeof world.bits) != 0; i++) {
        unsigned row = i / DST_COLUMNS, column = i % DST_COLUMNS;
        ck_assert_msg(world.bits[row][column] == tensix->dst.bits[row][column],
                      "%s 0x%08x: row %u column %u is 0x%04x, not 0x%04x", what, (unsigned)word,
                      row, column, tensix->dst.bits[row][column], world.bits[row][column]);
    }
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    ck_assert_msg(memcmp(rwc, &world.rwc, sizeof *rwc) == 0,
                  "%s 0x%08x: RWC Dst %u, Cr %u, Sp %u, not %u, %u, %u", what, (unsigned)word,
                  rwc->dst, rwc->dst_cr, rwc->sp, world.rwc.dst, world.rwc.dst_cr, world.rwc.sp);
}

/* --- Words --- */

enum { OPCODE_LOAD = 0x70, OPCODE_LOADI, OPCODE_STORE, OPCODE_LOADMACRO = 0x93 };

static uint32_t word_of(unsigned opcode, const struct call *call)
{
    return opcode << 24 | call->vd << 20 | call->mod << 16 | call->addr_mod << 13 | call->imm10;
}

static struct call draw_call(unsigned mod)
{
    return (struct call){
        .thread = vector_below(TENSIX_THREADS),
        .vd = vector_chance(75) ? vector_below(8) : vector_below(16),
        .mod = mod,
        .addr_mod = vector_below(8),
        .imm10 = vector_below(1024),
        .address = vector_below(1024),
    };
}

static void execute(const struct call *call, uint32_t word)
{
    unsigned faults = harness.base.faults;
    tensix->now += 8;
    tensix->thread[call->thread].next = word;
    ck_assert_int_eq(tensix_runners[tensix_row_of(word)](tensix, call->thread, word), TENSIX_DONE);
    ck_assert_uint_eq(harness.base.faults, faults);
}

static void check_load(unsigned mod, unsigned map)
{
    struct call call = draw_call(mod);
    draw_world(map, call.thread);
    uint32_t word = word_of(OPCODE_LOAD, &call);
    model_load(&call);
    if (call.vd >= TENSIX_LREG_BACKDOOR) {
        vector_model_backdoor(&model, word, call.vd);
    }
    execute(&call, word);
    compare_world(call.thread, word, harness.kernels);
}

static void check_store(unsigned mod, unsigned map)
{
    struct call call = draw_call(mod);
    draw_world(map, call.thread);
    uint32_t word = word_of(OPCODE_STORE, &call);
    model_store(&call, UINT32_MAX);
    if (call.vd >= TENSIX_LREG_BACKDOOR) {
        vector_model_backdoor(&model, word, call.vd);
    }
    execute(&call, word);
    compare_world(call.thread, word, harness.kernels);
}

/* Has the unit kept all that the short way needs? It learns it from an instruction that has gone
 * the general way, which is taken back here. */
static bool learn(const struct call *call, uint32_t word)
{
    static struct tensix before;
    before = *tensix;
    execute(call, word);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        before.thread[i].access = tensix->thread[i].access;
    }
    before.stale = tensix->stale;
    *tensix = before;
    return !(tensix->thread[call->thread].access.way[word >> 13 & 127] & TENSIX_WAY_GENERAL);
}

/* Loads and stores of which many are plain: LaneConfig as after reset. Answers how many were. */
static unsigned check_learnt(unsigned mod, unsigned map)
{
    unsigned parts = VECTOR_LREGS | (vector_chance(50) ? VECTOR_FLAGS : 0), learnt = 0;
    for (int is_store = 0; is_store < 2; is_store++) {
        struct call call = draw_call(mod);
        draw_parts(parts, map, call.thread);
        tensix->thread[call.thread].rwc.extra_mod &= vector_chance(30);
        world.rwc.extra_mod = tensix->thread[call.thread].rwc.extra_mod;
        uint32_t word = word_of(is_store ? OPCODE_STORE : OPCODE_LOAD, &call);
        learnt += learn(&call, word);
        if (is_store) {
            model_store(&call, UINT32_MAX);
        } else {
            model_load(&call);
        }
        if (call.vd >= TENSIX_LREG_BACKDOOR) {
            vector_model_backdoor(&model, word, call.vd);
        }
        execute(&call, word);
        compare_world(call.thread, word, "the short way");
    }
    return learnt;
}

START_TEST(short_way_is_the_general_one)
{
    unsigned mod = (unsigned)_i % FORMATS, map = (unsigned)_i / FORMATS, learnt = 0;
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        draw_dst();
        for (int i = 0; i < 4 * ROUNDS; i++) {
            learnt += check_learnt(mod, map);
        }
        vector_close(&harness);
    }
    bool is_plain = mod != NUM_LANES_INT32_ALL && !(map & 3);
    ck_assert_msg(is_plain == (learnt > 0), "%u were plain", learnt);
}
END_TEST

/* What SFPLOADMACRO uses: a load in two parts, a store to a given address. */
static void check_macro_parts(unsigned mod, unsigned map)
{
    struct call call = draw_call(mod);
    call.vd %= 8;
    draw_world(map, call.thread);
    uint32_t word = word_of(OPCODE_LOADMACRO, &call);
    struct tensix_vector_op op = tensix_vector_decode(TENSIX_ROW_SFPLOADMACRO, call.thread, word);
    unsigned address = model_address(&call, true);
    ck_assert_uint_eq(tensix_vector_load_address(tensix, &op), address);
    model_load_lanes(&call, resolve(mod, call.thread), address);
    tensix_vector_load(tensix, &op, call.vd, address);
    compare_world(call.thread, word, "the load of a macro");

    uint32_t lanes = vector_random() | vector_random();
    call.is_scheduled = true;
    call.vd = vector_chance(50) ? TENSIX_LREG_MACRO : vector_below(16);
    word = word_of(OPCODE_STORE, &(struct call){.mod = mod, .addr_mod = call.addr_mod});
    op = tensix_vector_decode(TENSIX_ROW_SFPSTORE, call.thread, word);
    op.is_scheduled = true;
    op.vd = (uint8_t)call.vd;
    op.address = (uint16_t)call.address;
    model_store(&call, lanes);
    ck_assert_ptr_null(tensix_vector_SFPSTORE(tensix, &op, lanes));
    compare_world(call.thread, word, "a scheduled store");
}

START_TEST(formats_and_maps)
{
    unsigned mod = (unsigned)_i % FORMATS, map = (unsigned)_i / FORMATS;
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        draw_dst();
        for (int i = 0; i < ROUNDS; i++) {
            check_load(mod, map);
            check_store(mod, map);
            check_macro_parts(mod, map);
        }
        vector_close(&harness);
    }
}
END_TEST

/* --- MOD0_FMT_SRCB --- */

/* Every code wherever it may come from, and the places that are not looked at full of others. */
START_TEST(srcb_resolves)
{
    static const unsigned fields[] = {TENSIX_FIELD_ALU_FORMAT_SPEC_REG1_SrcB,
                                      TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_val};
    static const bool is_bf16[] = {true, false, false, false, true,  true,  true,  true,
                                   true, true,  false, false, false, false, false, true};
    enum { FROM_REG1, FROM_OVERRIDE, FROM_THREAD, FROM_FP32 };
    unsigned code = (unsigned)_i % 16, source = (unsigned)_i / 16;
    ck_assert(vector_open(&harness, NULL));
    vector_power_on(&model);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        model.lane[i].lreg[0] = 0x3fa12345;
    }
    vector_store(&model, tensix);
    for (unsigned i = 0; i < 2; i++) {
        bool is_source = source == i;
        tensix_set_config_field(tensix, 0, (enum tensix_field_id)fields[i],
                                is_source ? code : code ^ 4);
    }
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SFPU_DEST_FMT_Base,
                            source == FROM_THREAD ? code : code ^ 4);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SFPU_DEST_FMT_Enable, source == FROM_THREAD);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_FORMAT_SPEC_REG_SrcB_override,
                            source != FROM_REG1);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_ALU_ACC_CTRL_SFPU_Fp32_enabled,
                            source == FROM_FP32);
    ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble("SFPSTORE 0, 0, 0, 0")));
    ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble("SFPLOAD 1, 0, 0, 0")));
    uint32_t stored = source == FROM_FP32 ? 0x217f2345 : is_bf16[code] ? 0x217f : 0x212f;
    uint32_t loaded = source == FROM_FP32 ? 0x3fa12345 : is_bf16[code] ? 0x3fa10000 : 0x3fa12000;
    ck_assert_uint_eq(tensix->dst.bits[0][0], source == FROM_FP32 ? stored >> 16 : stored);
    ck_assert_uint_eq(tensix->dst.bits[8][0], source == FROM_FP32 ? stored & 0xffff : 0);
    ck_assert_uint_eq(tensix->vector.lreg[1][0], loaded);
    vector_close(&harness);
}
END_TEST

/* --- By hand --- */

/* SPEC: the rows and columns of an address; it wraps; bit 0 counts for nothing. */
START_TEST(addresses_by_hand)
{
    static const struct {
        unsigned imm10, offset, dst, row, column;
    } places[] = {
        {0, 0, 0, 0, 0},     {1, 0, 0, 0, 0},       {2, 0, 0, 0, 1},    {3, 0, 0, 0, 1},
        {4, 0, 0, 4, 0},     {62, 512, 0, 572, 1},  {1022, 0, 4, 0, 1}, {1023, 1023, 2, 0, 0},
        {512, 512, 0, 0, 0}, {1020, 0, 0, 1020, 0},
    };
    ck_assert(vector_open(&harness, NULL));
    for (int i = 0; i < COUNT(places); i++) {
        for (unsigned lane = 0; lane < NUM_LANES; lane++) {
            vector_power_on(&model);
            vector_store(&model, tensix);
            unsigned row = places[i].row + lane / 8, column = places[i].column + lane % 8 * 2;
            memset(tensix->dst.bits, 0, sizeof tensix->dst.bits);
            tensix->dst.bits[row][column] = 0xabcd;
            tensix->thread[0].rwc.dst = places[i].dst;
            tensix_set_thread_field(tensix, 0, TENSIX_FIELD_DEST_TARGET_REG_CFG_MATH_Offset,
                                    places[i].offset);
            uint32_t word = UINT32_C(0x70360000) | places[i].imm10;
            ck_assert_ptr_null(vector_execute(&harness, word));
            for (unsigned j = 0; j < NUM_LANES; j++) {
                ck_assert_uint_eq(tensix->vector.lreg[3][j], j == lane ? 0xabcd : 0);
            }
        }
    }
    vector_close(&harness);
}
END_TEST

/* INT32_ALL is a stack: what is pushed comes back in reverse order, in all lanes. */
START_TEST(stack_of_lregs)
{
    enum { DEPTH = 8, BASE = 256 };
    ck_assert(vector_open(&harness, NULL));
    vector_seed(1);
    vector_randomise(&model, VECTOR_LREGS | VECTOR_FLAGS);
    vector_store(&model, tensix);
    tensix_set_thread_field(tensix, 0, TENSIX_FIELD_SFPU_STACK_Incr, 4);
    tensix_set_config_field(tensix, 0, TENSIX_FIELD_DEST_SP_BASE_Base, BASE);
    for (unsigned i = 0; i < DEPTH; i++) {
        ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x720a0000) | i << 20));
        ck_assert_uint_eq(tensix->thread[0].rwc.sp, 4 * (i + 1));
    }
    memset(tensix->vector.lreg, 0, DEPTH * sizeof tensix->vector.lreg[0]);
    for (unsigned i = DEPTH; i-- > 0;) {
        ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x700a0000) | i << 20));
        ck_assert_uint_eq(tensix->thread[0].rwc.sp, 4 * i);
    }
    vector_compare(&model, tensix, 0, "after the stack");
    /* Empty, it stays where it is. */
    ck_assert_ptr_null(vector_execute(&harness, UINT32_C(0x700a0000)));
    ck_assert_uint_eq(tensix->thread[0].rwc.sp, 0);
    vector_compare(&model, tensix, 0, "the bottom of the stack");
    vector_close(&harness);
}
END_TEST

/* SETRWC with bit 4 of its mask: ten bits out of the three values, and nothing else. */
START_TEST(setrwc_sets_the_stack_pointer)
{
    ck_assert(vector_open(&harness, NULL));
    tensix_harness_run(&harness.base, 1, "SETRWC 0, 0, 14, 5, 9, 16");
    ck_assert_uint_eq(tensix->thread[1].rwc.sp, 0x259);
    ck_assert_uint_eq(tensix->thread[1].rwc.dst | tensix->thread[1].rwc.src_a, 0);
    tensix_harness_run(&harness.base, 1, "SETRWC 0, 0, 1, 2, 3, 15");
    ck_assert_uint_eq(tensix->thread[1].rwc.sp, 0x259);
    ck_assert_uint_eq(tensix->thread[1].rwc.dst, 1);
    tensix_harness_run(&harness.base, 1, "SETRWC 0, 0, 0, 0, 0, 31");
    ck_assert_uint_eq(tensix->thread[1].rwc.sp | tensix->thread[1].rwc.dst, 0);
    /* In a replay buffer, in the middle of a run of counters. */
    tensix_harness_run(&harness.base, 1,
                       "REPLAY 0, 3, 1, 1; SETRWC 0, 0, 2, 0, 0, 4; "
                       "SETRWC 0, 0, 0, 0, 7, 16; INCRWC 0, 3, 0, 0; SETRWC 0, 0, 0, 0, 0, 31");
    for (unsigned i = 0; i < 5; i++) {
        tensix_harness_run(&harness.base, 1, "REPLAY 0, 3, 0, 0");
        ck_assert_uint_eq(tensix->thread[1].rwc.sp, 7);
        ck_assert_uint_eq(tensix->thread[1].rwc.dst, 5);
        tensix_harness_run(&harness.base, 1, "SETRWC 0, 0, 0, 0, 0, 31");
    }
    ck_assert_uint_eq(harness.base.faults, 0);
    vector_close(&harness);
}
END_TEST

/* --- SFPLOADI, SFPNOP --- */

static bool model_immediate(unsigned mod, uint32_t imm16, uint32_t old, uint32_t *value)
{
    switch (mod) {
    case 0:
        *value = imm16 << 16;
        return true;
    case 1:
        *value = (imm16 >> 15) << 31 | ((imm16 >> 10 & 31) + 112) << 23 | (imm16 & 0x3ff) << 13;
        return true;
    case 2:
        *value = imm16;
        return true;
    case 4:
        *value = imm16 & 0x8000 ? imm16 | 0xffff0000 : imm16;
        return true;
    case 8:
        *value = imm16 << 16 | (old & 0xffff);
        return true;
    case 10:
        *value = (old & 0xffff0000) | imm16;
        return true;
    default:
        return false;
    }
}

static void check_immediate(unsigned mod, unsigned vd, uint32_t imm16)
{
    uint32_t word = UINT32_C(0x71000000) | vd << 20 | mod << 16 | imm16, value = 0;
    bool is_defined = model_immediate(mod, 0, 0, &value) || vd >= 8;
    vector_randomise(&model, VECTOR_ALL);
    vector_store(&model, tensix);
    for (unsigned i = 0; i < NUM_LANES; i++) {
        uint32_t *lreg = model.lane[i].lreg;
        if (vd < 8 && vector_is_enabled(&model, i) &&
            model_immediate(mod, imm16, lreg[vd], &value)) {
            lreg[vd] = value;
        }
    }
    if (vd >= TENSIX_LREG_BACKDOOR) {
        vector_model_backdoor(&model, word, vd);
    }
    const char *rule = vector_execute(&harness, word);
    ck_assert_msg(!rule == is_defined, "0x%08x: %s", (unsigned)word, rule ? rule : "no fault");
    if (rule) {
        ck_assert_str_eq(rule, "SFPLOADI: Mod0 3, 5 to 7, 9 and 11 to 15 are reserved: use 0, 1, "
                               "2, 4, 8 or 10");
        ck_assert_int_eq(harness.base.fault.kind, TENSIX_FAULT_UNDEFINED);
    }
    vector_compare(&model, tensix, word, harness.kernels);
}

START_TEST(immediates_are_as_the_page)
{
    static const uint32_t edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x3c00, 0x7c00, 0x0400, 0x8001};
    for (int set = 0; set < VECTOR_KERNEL_SETS; set++) {
        if (!vector_open(&harness, vector_kernel_sets[set])) {
            continue;
        }
        vector_seed((uint64_t)_i + 1);
        for (unsigned vd = 0; vd < 16; vd++) {
            for (int i = 0; i < COUNT(edges); i++) {
                check_immediate((unsigned)_i, vd, edges[i]);
                check_immediate((unsigned)_i, vd, vector_random() & 0xffff);
            }
        }
        vector_close(&harness);
    }
}
END_TEST

START_TEST(nop_changes_nothing)
{
    ck_assert(vector_open(&harness, NULL));
    vector_seed(1);
    draw_world(0, 0);
    ck_assert_ptr_null(vector_execute(&harness, tensix_harness_assemble("SFPNOP")));
    compare_world(0, UINT32_C(0x8f000000), "SFPNOP");
    vector_close(&harness);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensix_vector_memory");
    TCase *tcase = tcase_create("memory");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, formats_and_maps, 0, FORMATS * MAPS);
    tcase_add_loop_test(tcase, short_way_is_the_general_one, 0, FORMATS * MAPS);
    tcase_add_loop_test(tcase, srcb_resolves, 0, 4 * 16);
    tcase_add_test(tcase, addresses_by_hand);
    tcase_add_test(tcase, stack_of_lregs);
    tcase_add_test(tcase, setrwc_sets_the_stack_pointer);
    tcase_add_loop_test(tcase, immediates_are_as_the_page, 0, 16);
    tcase_add_test(tcase, nop_changes_nothing);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
