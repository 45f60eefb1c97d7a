/*
 * The packer's way from Dst to data for L1: conversions, edge mask, ReLU, exponents, downsampling
 * and row padding.
 *
 * SPEC: BlackholeA0 PACR (tile position); WormholeB0 Packers/EdgeMasking, ExponentHistogram,
 * ExponentThresholding, Downsampling; assembly.yaml of tt_llk_blackhole for RowPadZero.
 */
#include "tensix/pack/unit.h"

enum { BINS = 32, BIN_MOST = 255 };

/* --- Edge masks --- */

struct place {
    unsigned y, z;
};

static struct place place_of(const struct tensix *tensix, const struct tensix_pack_job *job,
                             unsigned i)
{
    const struct tensix_packer *packer = &tensix->packer;
    return job->plan->is_transposed ? (struct place){packer->position, packer->face + i}
                                    : (struct place){packer->position + i, packer->face};
}

/* The columns of a row that pass. */
static unsigned edge_mask(const struct tensix *tensix, unsigned state, struct place place)
{
    const uint32_t *config = tensix->config[state];
    unsigned set = tensix_get_PCK_EDGE_TILE_ROW_SET_SELECT_select(tensix, state) & 3;
    if (tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_enable(tensix, state)) {
        unsigned z = tensix_get_DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset(tensix, state) + place.z;
        unsigned faces = tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_select(tensix, state) & 3;
        set = config[TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + faces] >> z % 16 * 2 &
              3;
    }
    unsigned which =
        config[TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + set] >> place.y % 16 * 2 & 3;
    return config[TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask + which] & UINT16_MAX;
}

/* --- Rows of Dst --- */

void tensix_pack_row(const struct tensix *tensix, struct tensix_dst_map map, unsigned row,
                     bool is_32bit, uint16_t *high, uint16_t *low)
{
    const struct tensix_dst *dst = &tensix->dst;
    const size_t size = sizeof dst->bits[0];
    unsigned physical =
        is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
    if (dst->cleared[physical]) {
        memset(high, 0, size);
        memset(low, 0, size);
        return;
    }
    memcpy(high, dst->bits[physical], size);
    if (is_32bit) {
        memcpy(low, dst->bits[physical + TENSIX_DST_LOWER_HALF], size);
    }
}

/* --- Exponents --- */

/* SPEC: ExponentHistogram. */
static unsigned exponent_of(enum num_pack_kind kind, uint32_t pattern)
{
    switch (kind) {
    case NUM_PACK_FP32:
    case NUM_PACK_INT32:
        return pattern >> 23 & 0xff;
    case NUM_PACK_TF32:
        return pattern >> 10 & 0xff;
    case NUM_PACK_BF16:
    case NUM_PACK_E8M6:
        return pattern >> 7 & 0xff;
    case NUM_PACK_INT16:
        return pattern & 0xff;
    case NUM_PACK_INT8: /* GUESS: 0, where the page says unspecified */
    case NUM_PACK_UINT8:
        return 0;
    default:
        return pattern >> 10 & 0x1f;
    }
}

void tensix_pack_count_exponents(struct tensix *tensix, const struct tensix_pack_batch *batch)
{
    struct tensix_packer *packer = &tensix->packer;
    bool counts = tensix_pack_wants_histogram(tensix);
    for (unsigned i = 0; i < batch->exponents; i++) {
        unsigned exponent = batch->exponent[i];
        uint32_t *bin = &packer->histogram[exponent % BINS];
        *bin += counts && *bin < BIN_MOST;
        packer->max_exponent = exponent > packer->max_exponent ? exponent : packer->max_exponent;
    }
}

/* SPEC: ExponentThresholding; which formats it knows is In_data_format's matter. */
static bool is_below_threshold(const struct tensix_pack_plan *plan, unsigned exponent)
{
    if (!plan->thresholds) {
        return false;
    }
    const struct num_format_info *info = num_format_info(plan->in);
    bool applies = info && info->exponent_bits && plan->in != NUM_FORMAT_BFP2_B;
    return applies && exponent < plan->threshold;
}

/* --- Datum by datum --- */

/* GUESS: FP16 and its kin have no infinity but their greatest number; integers have that, too. */
static uint32_t minus_infinity(enum num_pack_kind kind)
{
    static const uint32_t patterns[NUM_PACK_KINDS] = {
        [NUM_PACK_FP32] = 0xff800000, [NUM_PACK_TF32] = 0x7fc00, [NUM_PACK_BF16] = 0xff80,
        [NUM_PACK_E8M6] = 0xff80,     [NUM_PACK_FP16] = 0xffff,  [NUM_PACK_E5M7] = 0xfff8,
        [NUM_PACK_E5M6] = 0xfff0,     [NUM_PACK_FP8] = 0xff00,   [NUM_PACK_INT32] = 0xffffffff,
        [NUM_PACK_INT16] = 0xffff,    [NUM_PACK_INT8] = 0xff,
    };
    return patterns[kind];
}

/* A datum of L1 as the intermediate format has it. */
static uint32_t pattern_of_l1(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                              uint32_t address)
{
    uint32_t datum = 0;
    memcpy(&datum, tensix->l1 + address, (size_t)1 << plan->datum_shift);
    switch (plan->in) {
    case NUM_FORMAT_BFP8_B: /* sign and mantissa; exponents are 0 */
        return (datum & 0x80) << 8 | (datum & 0x7f);
    case NUM_FORMAT_BFP8:
        return (datum & 0x80) << 8 | (datum & 0x7f) << 3;
    case NUM_FORMAT_LF8:
        return datum << 8;
    default:
        return datum;
    }
}

/* A row of Dst up to the threshold. */
struct row {
    const uint16_t *high, *low;
    unsigned mask;
};

static uint32_t pattern_of_dst(const struct tensix *tensix, const struct tensix_pack_job *job,
                               const struct num_pack *how, const struct row *row, unsigned column)
{
    enum num_pack_kind kind = (enum num_pack_kind)job->plan->kind;
    uint32_t pattern;
    if (row->mask >> column & 1) {
        uint32_t stored = how->early.is_32bit ? (uint32_t)row->high[column] << 16 | row->low[column]
                                              : row->high[column];
        pattern = num_pack_early(&how->early, stored);
    } else {
        bool is_infinity = tensix_get_PCK_EDGE_MODE_mode(tensix, job->state);
        pattern = is_infinity ? minus_infinity(kind) : 0;
    }
    return num_pack_relu(&how->relu, kind, pattern);
}

/* Zeros up to a multiple of 16 data. */
static void pad(struct tensix_pack_batch *batch, uint32_t counted)
{
    for (; counted % NUM_BLOCK_DATUMS; counted++) {
        batch->datum[batch->count++] = 0;
    }
}

static void keep(const struct tensix_pack_job *job, struct tensix_pack_batch *batch, unsigned i,
                 uint32_t pattern)
{
    const struct tensix_pack_plan *plan = job->plan;
    if (plan->downsample_mask >> i % NUM_BLOCK_DATUMS & 1) {
        batch->datum[batch->count++] =
            num_pack_late((enum num_pack_kind)plan->kind, (enum num_format)plan->how.to, pattern);
    }
}

static void read_dst_row(struct tensix *tensix, const struct tensix_pack_job *job, unsigned i,
                         struct tensix_pack_batch *batch)
{
    uint16_t high[TENSIX_DST_COLUMNS], low[TENSIX_DST_COLUMNS];
    enum num_pack_kind kind = (enum num_pack_kind)job->plan->kind;
    struct place place = place_of(tensix, job, i);
    struct row row = {.high = high, .low = low, .mask = edge_mask(tensix, job->state, place)};
    struct num_pack how = job->plan->how;
    how.early.generator = job->plan->is_stochastic ? &batch->generator : NULL;
    if (job->plan->shifts_by_face) {
        how.early.right_shift = (uint8_t)tensix_pack_int_shift(tensix, job->state, place.z);
    }
    tensix_pack_row(tensix, tensix_dst_map_now(tensix), job->row[i], how.early.is_32bit, high, low);
    for (unsigned c = 0; c < job->count; c++) {
        uint32_t pattern = pattern_of_dst(tensix, job, &how, &row, job->first + c);
        unsigned exponent = exponent_of(kind, pattern);
        batch->exponent[batch->exponents++] = (uint8_t)exponent;
        keep(job, batch, c, is_below_threshold(job->plan, exponent) ? 0 : pattern);
    }
}

static void read_l1_row(struct tensix *tensix, const struct tensix_pack_job *job, unsigned i,
                        struct tensix_pack_batch *batch)
{
    for (unsigned c = 0; c < job->count; c++) {
        uint32_t address = job->l1_source + ((i * job->count + c) << job->plan->datum_shift);
        keep(job, batch, c, pattern_of_l1(tensix, job->plan, address));
    }
}

void tensix_pack_read(struct tensix *tensix, const struct tensix_pack_job *job,
                      struct tensix_pack_batch *batch)
{
    const struct tensix_packer *packer = &tensix->packer;
    batch->count = batch->exponents = 0;
    batch->generator = packer->generator;
    for (unsigned i = 0; job->reads && i < job->rows; i++) {
        unsigned before = batch->count;
        if (job->plan->from_l1) {
            read_l1_row(tensix, job, i, batch);
        } else {
            read_dst_row(tensix, job, i, batch);
        }
        if (job->pad == TENSIX_PACK_PAD_ROWS) { /* a row without data gets none */
            pad(batch, batch->count - before);
        }
    }
    if (job->pad == TENSIX_PACK_PAD_ALL) {
        uint32_t before = packer->output.data.open ? packer->output.count : 0;
        pad(batch, before + job->zeros + batch->count);
    }
}
