/*
 * The load and store sub-units: between Dst and LRegs, and immediates (SPEC: BlackholeA0 SFPLOAD,
 * SFPSTORE, SFPLOADI, SFPNOP, Dst; newest SFPLOAD and SFPSTORE for SFPU_DEST_FMT).
 *
 * An address has ten bits: the upper eight choose four aligned rows of Dst, bit 1 the odd columns,
 * bit 0 nothing. Four aligned rows lie together in every map.
 *
 * Rows that ZEROACC has made undefined. HW: the pages leave open what the unit makes of them. As in
 * ttsim a load reads zeros, and after a store to some columns of a row the others show what they
 * held before.
 */
#include "tensix/rwc.h"
#include "tensix/vector/common.h"
#include "tensix/vector/schedule.h"

enum {
    ADDRESS_MASK = TENSIX_DST_ROWS - 1,
    ADDRESS_COLUMN = 3, /* what of an address is no row */
    ADDRESS_ODD = 2,
    LANES_OF_A_ROW = (1 << NUM_LANES_A_ROW) - 1,
    INDEXED_LREGS = 4, /* LReg[0] to LReg[3] have their indices in LReg[4] to LReg[7] */
};

/* Codes of SrcB's format that MOD0_FMT_SRCB takes for BF16; all others are FP16. */
enum {
    BF16_CODES = 1 << NUM_FORMAT_FLOAT32 | 1 << NUM_FORMAT_TF32 | 1 << NUM_FORMAT_FLOAT16_B |
                 1 << NUM_FORMAT_BFP8_B | 1 << NUM_FORMAT_BFP4_B | 1 << NUM_FORMAT_BFP2_B |
                 1 << NUM_FORMAT_INT32 | 1 << NUM_FORMAT_UINT16,
};

/* --- Formats --- */

/* SPEC: SFPU_Fp32 comes first, then the thread's own format, then SrcB's as configured: the format
 * that a bank of SrcB implies is not looked at, so DISABLE_IMPLIED_SRCB_FMT does not matter. */
static enum num_lanes_format srcb_format(const struct tensix *tensix, unsigned thread)
{
    unsigned state = tensix_state_id(tensix, thread);
    if (tensix_get_ALU_ACC_CTRL_SFPU_Fp32_enabled(tensix, state)) {
        return NUM_LANES_FP32;
    }
    unsigned code = tensix_get_ALU_FORMAT_SPEC_REG1_SrcB(tensix, state);
    if (tensix_get_SFPU_DEST_FMT_Enable(tensix, thread)) {
        code = tensix_get_SFPU_DEST_FMT_Base(tensix, thread);
    } else if (tensix_get_ALU_FORMAT_SPEC_REG_SrcB_override(tensix, state)) {
        code = tensix_get_ALU_FORMAT_SPEC_REG_SrcB_val(tensix, state);
    }
    return BF16_CODES >> code & 1 ? NUM_LANES_BF16 : NUM_LANES_FP16;
}

static enum num_lanes_format format_of(const struct tensix *tensix,
                                       const struct tensix_vector_op *op)
{
    return op->mod == 0 ? srcb_format(tensix, op->thread) : (enum num_lanes_format)op->mod;
}

/* --- Addresses --- */

/* SPEC: the usual formats count from RWC Dst, with two bits of the stack pointer; INT32_ALL counts
 * from the stack pointer, with two bits of RWC Dst. */
static unsigned address_at(const struct tensix *tensix, const struct tensix_vector_op *op)
{
    unsigned thread = op->thread, state = tensix_state_id(tensix, thread);
    const struct tensix_rwc *rwc = &tensix->thread[thread].rwc;
    unsigned address = op->word + tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread);
    unsigned dst = rwc->dst + tensix_get_DEST_REGW_BASE_Base(tensix, state);
    unsigned sp = rwc->sp + tensix_get_DEST_SP_BASE_Base(tensix, state);
    address += op->mod == NUM_LANES_INT32_ALL ? sp + (dst & 3) : dst + (sp & 3);
    return address & ADDRESS_MASK;
}

unsigned tensix_vector_load_address(struct tensix *tensix, const struct tensix_vector_op *op)
{
    struct tensix_rwc *rwc = &tensix->thread[op->thread].rwc;
    if (op->mod == NUM_LANES_INT32_ALL && rwc->sp != 0) { /* pops, unless it is empty */
        rwc->sp = (rwc->sp - tensix_get_SFPU_STACK_Incr(tensix, op->thread)) & TENSIX_RWC_SP_MASK;
    }
    return address_at(tensix, op);
}

/* GUESS: a scheduled store does not push: its address is not computed. */
static unsigned store_address(struct tensix *tensix, const struct tensix_vector_op *op)
{
    if (op->is_scheduled) {
        return op->address;
    }
    unsigned address = address_at(tensix, op);
    if (op->mod == NUM_LANES_INT32_ALL) {
        struct tensix_rwc *rwc = &tensix->thread[op->thread].rwc;
        rwc->sp = (rwc->sp + tensix_get_SFPU_STACK_Incr(tensix, op->thread)) & TENSIX_RWC_SP_MASK;
    }
    return address;
}

/* SPEC: ApplyPartialAddrMod, the last thing that loads and stores do. */
static void modify_counters(struct tensix *tensix, const struct tensix_vector_op *op)
{
    tensix_apply_partial_addr_mod(tensix, op->thread, op->word >> 13 & 7);
}

/* --- Rows of Dst --- */

/* The upper halves of four rows, or all of them in Dst16b; the lower halves. */
static uint16_t *high_rows(struct tensix_dst *dst, unsigned physical)
{
    return dst->bits[physical];
}

static uint16_t *low_rows(struct tensix_dst *dst, unsigned physical)
{
    return dst->bits[physical + TENSIX_DST_LOWER_HALF];
}

/* What a macro has scheduled is not the instruction at hand, and not told yet. */
static void touch_rows(struct tensix *tensix, const struct tensix_vector_op *op,
                       enum tensix_access access, bool is_32bit, unsigned address)
{
    if (!op->is_scheduled) {
        tensix_touch_dst(tensix, access, is_32bit, address & ~(unsigned)ADDRESS_COLUMN,
                         NUM_LANES_ROWS);
    }
}

static bool any_undefined(const struct tensix_dst *dst, unsigned physical)
{
    bool none[NUM_LANES_ROWS] = {false};
    return memcmp(dst->cleared + physical, none, sizeof none) != 0;
}

/* A load from rows of which some are undefined. */
static void load_defined(struct tensix *tensix, enum num_lanes_format format, unsigned physical,
                         uint32_t odd, uint32_t *d, uint32_t lanes)
{
    uint16_t high[NUM_LANES_ROWS][TENSIX_DST_COLUMNS] = {{0}},
             low[NUM_LANES_ROWS][TENSIX_DST_COLUMNS] = {{0}};
    for (unsigned row = 0; row < NUM_LANES_ROWS; row++) {
        if (tensix->dst.cleared[physical + row]) {
            continue;
        }
        memcpy(high[row], high_rows(&tensix->dst, physical + row), sizeof high[row]);
        if (num_lanes_loads_32bit(format)) {
            memcpy(low[row], low_rows(&tensix->dst, physical + row), sizeof low[row]);
        }
    }
    tensix->kernels->lanes->load[format](d, high[0], low[0], odd, lanes,
                                         tensix->vector.sets.fp16_infinities);
}

/* Rows that are about to be written. */
static void define_rows(struct tensix_dst *dst, unsigned physical, uint32_t lanes)
{
    for (unsigned row = physical; lanes; row++, lanes >>= NUM_LANES_A_ROW) {
        dst->cleared[row] &= !(lanes & LANES_OF_A_ROW);
    }
}

static unsigned column_of(unsigned lane, uint32_t odd)
{
    return 2 * (lane % NUM_LANES_A_ROW) + (odd >> lane & 1);
}

/* GUESS: see tensix_dst_write16: 16-bit data clear the lower halves. */
static void clear_lower_halves(struct tensix_dst *dst, unsigned physical, uint32_t odd,
                               uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        low_rows(dst, physical + lane / NUM_LANES_A_ROW)[column_of(lane, odd)] = 0;
    }
}

static bool is_one_column(uint32_t odd, uint32_t lanes)
{
    return lanes == UINT32_MAX && (odd == 0 || odd == UINT32_MAX);
}

/* --- SFPLOAD --- */

/* Where the data of `lanes` came from: the row, and the column in the low four bits. */
static void capture_index(uint32_t *d, unsigned address, uint32_t odd, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned row = (address & ~(unsigned)ADDRESS_COLUMN) + lane / NUM_LANES_A_ROW;
        d[lane] = row << 4 | column_of(lane, odd);
    }
}

void tensix_vector_load(struct tensix *tensix, const struct tensix_vector_op *op, unsigned vd,
                        unsigned address)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct tensix_lane_sets *sets = &vector->sets;
    uint32_t enabled = op->mod == NUM_LANES_INT32_ALL ? UINT32_MAX : tensix_vector_enabled(vector);
    uint32_t lanes = enabled & ~sets->no_loads;
    enum num_lanes_format format = format_of(tensix, op);
    struct tensix_dst_map map = tensix_dst_map_now(tensix);
    bool is_32bit = num_lanes_loads_32bit(format);
    unsigned physical = is_32bit ? tensix_dst_physical32(map, address & ~(unsigned)ADDRESS_COLUMN)
                                 : tensix_dst_physical16(map, address & ~(unsigned)ADDRESS_COLUMN);
    uint32_t odd = address & ADDRESS_ODD ? UINT32_MAX : sets->odd_loads;
    touch_rows(tensix, op, TENSIX_READS, is_32bit, address);
    if (any_undefined(&tensix->dst, physical)) {
        load_defined(tensix, format, physical, odd, vector->lreg[vd], lanes);
    } else if (is_one_column(odd, lanes) && !sets->fp16_infinities) {
        tensix->kernels->lanes->load_all[odd & 1][format](vector->lreg[vd],
                                                          high_rows(&tensix->dst, physical));
    } else {
        tensix->kernels->lanes->load[format](vector->lreg[vd], high_rows(&tensix->dst, physical),
                                             low_rows(&tensix->dst, is_32bit ? physical : 0), odd,
                                             lanes, sets->fp16_infinities);
    }
    uint32_t indexed = lanes & sets->captures_index;
    if (indexed && vd < INDEXED_LREGS) {
        capture_index(vector->lreg[vd + INDEXED_LREGS], address, odd, indexed);
    }
}

/* Lanes whose template was written are none of those that are loaded: VD is below 8 here. */
TENSIX_EXEC_VECTOR(SFPLOAD)
{
    (void)lanes;
    unsigned address = tensix_vector_load_address(tensix, op);
    if (op->vd < TENSIX_LREG_WRITABLE) {
        tensix_vector_load(tensix, op, op->vd, address);
    }
    modify_counters(tensix, op);
    return NULL;
}

/* --- SFPSTORE --- */

static void store_rows(struct tensix *tensix, const struct tensix_vector_op *op, unsigned address,
                       uint32_t lanes)
{
    struct tensix_vector *vector = &tensix->vector;
    enum num_lanes_format format = format_of(tensix, op);
    struct tensix_dst_map map = tensix_dst_map_now(tensix);
    bool is_32bit = num_lanes_stores_32bit(format);
    unsigned physical = is_32bit ? tensix_dst_physical32(map, address & ~(unsigned)ADDRESS_COLUMN)
                                 : tensix_dst_physical16(map, address & ~(unsigned)ADDRESS_COLUMN);
    uint32_t odd = address & ADDRESS_ODD ? UINT32_MAX : vector->sets.odd_stores;
    touch_rows(tensix, op, TENSIX_CHANGES, is_32bit, address);
    if (any_undefined(&tensix->dst, physical)) {
        define_rows(&tensix->dst, physical, lanes);
    }
    if (map.high_half && !is_32bit) {
        clear_lower_halves(&tensix->dst, physical, odd, lanes);
    }
    if (is_one_column(odd, lanes)) {
        tensix->kernels->lanes->store_all[odd & 1][format](vector->lreg[op->vd],
                                                           high_rows(&tensix->dst, physical));
    } else {
        tensix->kernels->lanes->store[format](
            vector->lreg[op->vd], high_rows(&tensix->dst, physical),
            low_rows(&tensix->dst, is_32bit ? physical : 0), odd, lanes);
    }
}

/* A template, too, moves the address counters: the page has only the lanes depend on VD. */
TENSIX_EXEC_VECTOR(SFPSTORE)
{
    const struct tensix_vector *vector = &tensix->vector;
    unsigned address = store_address(tensix, op);
    if (op->mod != NUM_LANES_INT32_ALL) {
        lanes &= tensix_vector_enabled(vector);
    }
    lanes &= ~vector->sets.no_stores;
    store_rows(tensix, op, address, lanes);
    if (!op->is_scheduled) {
        modify_counters(tensix, op);
    }
    return NULL;
}

/* --- SFPLOADI, SFPNOP --- */

enum immediate_format {
    IMMEDIATE_FLOATB = 0,
    IMMEDIATE_FLOATA = 1,
    IMMEDIATE_USHORT = 2,
    IMMEDIATE_SHORT = 4,
    IMMEDIATE_UPPER = 8,
    IMMEDIATE_LOWER = 10,
};

/* SPEC: the exponent gets its new bias, whatever it is: no denormals, no infinities. */
static uint32_t widen_fp16(uint32_t pattern)
{
    return (pattern & 0x8000) << 16 | ((pattern & 0x7fff) + (112 << 10)) << 13;
}

const char *tensix_vector_check_immediate(const struct tensix_vector *vector,
                                          const struct tensix_vector_op *op, uint32_t lanes)
{
    (void)vector;
    (void)lanes;
    const unsigned modes = 1 << IMMEDIATE_FLOATB | 1 << IMMEDIATE_FLOATA | 1 << IMMEDIATE_USHORT |
                           1 << IMMEDIATE_SHORT | 1 << IMMEDIATE_UPPER | 1 << IMMEDIATE_LOWER;
    return op->vd < TENSIX_LREG_WRITABLE && !(modes >> op->mod & 1)
               ? "Mod0 3, 5 to 7, 9 and 11 to 15 are reserved: use 0, 1, 2, 4, 8 or 10"
               : NULL;
}

TENSIX_EXEC_VECTOR(SFPLOADI)
{
    if (op->vd >= TENSIX_LREG_WRITABLE) {
        return NULL;
    }
    uint32_t immediate = op->word & 0xffff;
    enum num_lanes_op operation = NUM_LANES_CONSTANT;
    switch ((enum immediate_format)op->mod) {
    case IMMEDIATE_FLOATB:
        immediate <<= 16;
        break;
    case IMMEDIATE_FLOATA:
        immediate = widen_fp16(immediate);
        break;
    case IMMEDIATE_USHORT:
        break;
    case IMMEDIATE_SHORT:
        immediate = (uint32_t)(int32_t)(int16_t)immediate;
        break;
    case IMMEDIATE_UPPER:
        operation = NUM_LANES_HIGH_HALF;
        break;
    case IMMEDIATE_LOWER:
        operation = NUM_LANES_LOW_HALF;
        break;
    default:
        return tensix_vector_check_immediate(&tensix->vector, op, lanes);
    }
    uint32_t *d = tensix->vector.lreg[op->vd];
    tensix->kernels->lanes->op[operation](d, NULL, NULL, d, immediate, lanes);
    return NULL;
}

TENSIX_EXEC_VECTOR(SFPNOP)
{
    (void)tensix;
    (void)op;
    (void)lanes;
    return NULL;
}
