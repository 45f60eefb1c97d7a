/*
 * The unpackers: the configuration of a context, derived from Config and kept until one of its
 * words is written.
 *
 * SPEC: WormholeB0 UNPACR_Regular (functional model, configuration), Unpackers/README; fields by
 * cfg_defines.h. Words that are read for each instruction (config_users.def) are not looked at
 * here.
 */
#include <string.h>

#include "tensix/config/users.h"
#include "tensix/unpack/job.h"

/* A field of the section of this unpacker; `tensix`, `which` and `state` are the caller's. */
#define SECTION(name)                                                                              \
    (which ? tensix_get_THCON_SEC1_##name(tensix, state)                                           \
           : tensix_get_THCON_SEC0_##name(tensix, state))
#define UNPACKER(name)                                                                             \
    (which ? tensix_get_UNP1_##name(tensix, state) : tensix_get_UNP0_##name(tensix, state))

/* --- Formats --- */

static unsigned output_shift(unsigned out)
{
    switch (out) {
    case NUM_FORMAT_FLOAT32:
    case NUM_FORMAT_TF32:
    case NUM_FORMAT_INT32:
        return 2;
    case NUM_FORMAT_FLOAT16:
    case NUM_FORMAT_FLOAT16_B:
    case NUM_FORMAT_UINT16:
        return 1;
    default:
        return 0;
    }
}

static struct tensix_unpack_format pair_with(unsigned in, unsigned out, unsigned how_in,
                                             bool to_dst)
{
    struct tensix_unpack_format format = {
        .in = (uint8_t)in,
        .out = (uint8_t)out,
        .how_in = (uint8_t)how_in,
        .out_shift = (uint8_t)output_shift(out),
        .is_legal = num_unpack_is_legal(in, out, to_dst),
    };
    if (format.is_legal) {
        const struct num_format_info *info = num_format_info(format.how_in);
        format.bits = info->bits;
        format.is_block = info->is_block;
        format.has_narrow_exponent = info->is_block && info->exponent_bits < 8;
        format.is_32bit = num_unpack_is_32bit(in, out);
    }
    return format;
}

static struct tensix_unpack_format pair_of(const struct tensix *tensix, unsigned which,
                                           unsigned state, unsigned in, unsigned out, bool to_dst)
{
    bool is_unsigned = which ? tensix_get_ALU_FORMAT_SPEC_REG0_SrcBUnsigned(tensix, state)
                             : tensix_get_ALU_FORMAT_SPEC_REG0_SrcAUnsigned(tensix, state);
    bool is_e4m3 = SECTION(REG1_Unp_LF8_4b_exp);
    return pair_with(in, out, num_format_of(in, is_unsigned, is_e4m3), to_dst);
}

bool unpack_format_is_sound(const struct tensix_unpack_format *format, bool to_dst)
{
    for (unsigned mode = 0; mode < 4; mode++) { /* is_unsigned, and is_e4m3 */
        const struct tensix_unpack_format made = pair_with(
            format->in, format->out, num_format_of(format->in, mode & 1, mode >> 1), to_dst);
        if (made.is_legal && memcmp(&made, format, sizeof made) == 0) {
            return true;
        }
    }
    return false;
}

/* REG7 has the formats of contexts 0 to 3 in its words' third byte, those of 4 to 7 in the fourth.
 */
struct tensix_unpack_format unpack_context_format(const struct unpack_job *job)
{
    unsigned first = job->which ? TENSIX_WORD_THCON_SEC1_REG7_Offset_address
                                : TENSIX_WORD_THCON_SEC0_REG7_Offset_address;
    uint32_t word = job->tensix->config[job->state][first + job->context % 4];
    unsigned codes = word >> (job->context < 4 ? 16 : 24);
    return pair_of(job->tensix, job->which, job->state, codes & 0xf, codes >> 4 & 0xf,
                   job->plan->to_dst);
}

/* --- Speed --- */

/*
 * Bytes a cycle from L1, as a power of 2. SPEC: UNPACR_Regular, performance, for what constrains
 * it. HW: ttsim has x8 for data of 8 bits and x4 with a doubled width for wider ones unless
 * ovrd_default_throttle_mode is set, and measurements agree (more than 109 bytes a cycle of BF16).
 */
static unsigned speed(const struct tensix_unpack_plan *plan, unsigned throttle, bool overrides)
{
    enum { X1, X2, X4, X8, X1_SPEED = 4 };
    unsigned bits = plan->format.bits, mode = throttle;
    if (plan->is_discontiguous) {
        mode = X4;
    } else if (!overrides) {
        mode = bits == 8 ? X8 : X4;
    }
    if (!plan->is_uncompressed || plan->zeroes >= 3 || bits == 2) {
        mode = X1;
    } else if (mode > X2 && (plan->zeroes == 1 || (plan->to_dst && bits == 4))) {
        mode = X2;
    }
    return X1_SPEED + (mode == X4 && bits >= 16 ? (unsigned)X8 : mode);
}

/* --- A context --- */

/* Fields by context lie four and four in a word of REG2. */
static bool by_context(uint32_t word, unsigned shift, unsigned context)
{
    return word >> (shift + (context < 4 ? context : context + 12)) & 1;
}

static void derive_dimensions(struct tensix_unpack_plan *plan, const uint32_t *descriptor)
{
    unsigned z = descriptor[1] >> 16 & 0xff, w = descriptor[2] & 0xff;
    plan->x_dim = (uint16_t)(descriptor[0] >> 16);
    plan->y_dim = (uint8_t)descriptor[1];
    plan->z_dim = (uint8_t)(z ? z : 1);
    plan->w_dim = (uint8_t)(w ? w : 1);
    plan->omits_exponents = descriptor[0] >> 5 & 1;
    plan->blobs = descriptor[0] >> 8 & 7; /* GUESS: three bits by the page, four by LLK */
    plan->blobs_y_start = descriptor[2] >> 16 | descriptor[3] << 16;
    plan->digest_size = (uint8_t)(descriptor[3] >> 24);
}

static void derive_output(struct tensix_unpack_plan *plan, const struct tensix *tensix,
                          unsigned which, unsigned state)
{
    plan->out_base = UNPACKER(ADDR_BASE_REG_1_Base);
    plan->y_stride = (uint16_t)UNPACKER(ADDR_CTRL_XY_REG_1_Ystride);
    plan->z_stride = (uint16_t)UNPACKER(ADDR_CTRL_ZW_REG_1_Zstride);
    plan->w_stride = (uint16_t)UNPACKER(ADDR_CTRL_ZW_REG_1_Wstride);
    plan->adds_dest_counter = UNPACKER(ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
    plan->forced_exponent = (uint8_t)UNPACKER(FORCED_SHARED_EXP_shared_exp);
    plan->advances_src_row = SECTION(REG2_Unpack_Src_Reg_Set_Upd);
    /* The factor is 1 << rate: see docs/DEVIATIONS.md. */
    plan->zeroes = (uint8_t)((1u << SECTION(REG2_Upsample_rate)) - 1);
    plan->interleaves = SECTION(REG2_Upsample_and_interleave);
}

/* SPEC: with discontiguous rows the shift amounts are their stride in lines instead. */
static void derive_shift(struct tensix_unpack_plan *plan, unsigned which, uint32_t shifts,
                         unsigned context)
{
    if (plan->is_discontiguous) {
        plan->row_stride = (shifts & 0xfff) * UNPACK_LINE;
    } else if (which == 0) {
        plan->column_shift = shifts >> 4 * (context % 4) & 0xf;
    }
}

/* GUESS: the field's comment in cfg_defines.h has the counter wrap "when value is equal to" it, in
 * the words in which that of Context_count names the last context. */
static unsigned last_context(const struct tensix *tensix, unsigned which, unsigned state)
{
    return SECTION(REG2_Context_count_non_log2_en) ? SECTION(REG2_Context_count_non_log2)
                                                   : (1u << SECTION(REG2_Context_count)) - 1;
}

static void derive(struct tensix_unpack_plan *plan, const struct tensix *tensix, unsigned which,
                   unsigned state, bool is_multi_context, unsigned context)
{
    const uint32_t *config = tensix->config[state];
    unsigned descriptor = which ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                                : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
    const uint32_t *options = &config[which ? TENSIX_WORD_THCON_SEC1_REG2_Out_data_format
                                            : TENSIX_WORD_THCON_SEC0_REG2_Out_data_format];
    *plan = (struct tensix_unpack_plan){.is_known = true};
    derive_dimensions(plan, &config[descriptor]);
    plan->is_uncompressed =
        is_multi_context ? by_context(options[1], 0, context) : config[descriptor] >> 4 & 1;
    plan->is_discontiguous = SECTION(REG2_Tileize_mode);
    plan->forces_exponent = SECTION(REG2_Force_shared_exp);
    plan->overrides_format = is_multi_context && SECTION(REG2_Ovrd_data_format);
    if (which == 0) { /* SPEC: unpacker 1 has no way to Dst, and ignores Haloize_mode */
        plan->transposes = SECTION(REG2_Haloize_mode);
        plan->to_dst = is_multi_context ? by_context(options[1], 4, context)
                                        : SECTION(REG2_Unpack_If_Sel) != 0;
    }
    derive_output(plan, tensix, which, state);
    derive_shift(plan, which, options[0] >> 16, context);
    plan->limit = SECTION(REG2_Unpack_limit_address) * UNPACK_LINE;
    plan->fifo = SECTION(REG2_Unpack_fifo_size) * UNPACK_LINE;
    plan->last_context = (uint8_t)last_context(tensix, which, state);
    plan->format = pair_of(tensix, which, state, config[descriptor] & 0xf,
                           SECTION(REG2_Out_data_format), plan->to_dst);
    plan->speed =
        (uint8_t)speed(plan, SECTION(REG2_Throttle_mode), SECTION(REG1_ovrd_default_throttle_mode));
}

const struct tensix_unpack_plan *unpack_plan(struct tensix *tensix, unsigned which, unsigned state,
                                             bool is_multi_context, unsigned context)
{
    struct tensix_unpacker *unpacker = &tensix->unpacker[which];
    uint32_t own = which ? TENSIX_USED_BY_UNPACKER1 : TENSIX_USED_BY_UNPACKER0;
    if (tensix->stale & own) {
        for (unsigned i = 0; i < TENSIX_UNPACK_STATES * TENSIX_UNPACK_PLANS; i++) {
            unpacker->plan[i / TENSIX_UNPACK_PLANS][i % TENSIX_UNPACK_PLANS].is_known = false;
        }
        tensix->stale &= ~own;
    }
    unsigned slot = is_multi_context ? context : TENSIX_UNPACK_CONTEXTS;
    struct tensix_unpack_plan *plan = &unpacker->plan[state][slot];
    if (!plan->is_known) {
        derive(plan, tensix, which, state, is_multi_context, context);
    }
    return plan;
}
