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

/* SPEC: ExponentHistogram. GUESS: 0 for integers of 8 bits, where the page says unspecified. */
static void find_exponents(enum num_pack_kind kind, const uint32_t *pattern, unsigned count,
                           uint8_t *exponent)
{
    static const struct {
        uint8_t shift, mask;
    } places[NUM_PACK_KINDS] = {
        [NUM_PACK_FP32] = {23, 0xff}, [NUM_PACK_TF32] = {10, 0xff}, [NUM_PACK_BF16] = {7, 0xff},
        [NUM_PACK_E8M6] = {7, 0xff},  [NUM_PACK_FP16] = {10, 0x1f}, [NUM_PACK_E5M7] = {10, 0x1f},
        [NUM_PACK_E5M6] = {10, 0x1f}, [NUM_PACK_FP8] = {10, 0x1f},  [NUM_PACK_INT32] = {23, 0xff},
        [NUM_PACK_INT16] = {0, 0xff},
    };
    for (unsigned i = 0; i < count; i++) {
        exponent[i] = (uint8_t)(pattern[i] >> places[kind].shift & places[kind].mask);
    }
}

void tensix_pack_count_exponents(struct tensix *tensix, const struct tensix_pack_batch *batch)
{
    struct tensix_packer *packer = &tensix->packer;
    uint32_t greatest = packer->max_exponent;
    for (unsigned i = 0; i < batch->exponents; i++) {
        greatest = batch->exponent[i] > greatest ? batch->exponent[i] : greatest;
    }
    packer->max_exponent = greatest;
    for (unsigned i = 0; tensix_pack_wants_histogram(tensix) && i < batch->exponents; i++) {
        uint32_t *bin = &packer->histogram[batch->exponent[i] % BINS];
        *bin += *bin < BIN_MOST;
    }
}

/* SPEC: ExponentThresholding; which formats it knows is In_data_format's matter. */
static void clear_small(const struct tensix_pack_plan *plan, const uint8_t *exponent,
                        unsigned count, uint32_t *pattern)
{
    const struct num_format_info *info = num_format_info(plan->in);
    bool applies = plan->thresholds && info && info->exponent_bits && plan->in != NUM_FORMAT_BFP2_B;
    for (unsigned i = 0; applies && i < count; i++) {
        pattern[i] = exponent[i] < plan->threshold ? 0 : pattern[i];
    }
}

/* --- Row by row --- */

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

/* The job's columns of a row of Dst: early conversion where the edge mask lets them pass, ReLU. */
static void convert_row(const struct tensix *tensix, const struct tensix_pack_job *job,
                        const struct num_pack *how, unsigned mask, const uint16_t *high,
                        const uint16_t *low, uint32_t *pattern)
{
    const enum num_pack_kind kind = (enum num_pack_kind)job->plan->kind;
    const bool is_32bit = how->early.is_32bit;
    const uint32_t masked =
        tensix_get_PCK_EDGE_MODE_mode(tensix, job->state) ? num_pack_minus_infinity(kind) : 0;
    for (unsigned i = 0; i < job->count; i++) {
        unsigned column = job->first + i;
        uint32_t stored = is_32bit ? (uint32_t)high[column] << 16 | low[column] : high[column];
        pattern[i] = mask >> column & 1 ? num_pack_early(&how->early, kind, stored) : masked;
    }
    for (unsigned i = 0; how->relu.mode != NUM_RELU_NONE && i < job->count; i++) {
        pattern[i] = num_pack_relu(&how->relu, kind, pattern[i]);
    }
}

/* Zeros up to a multiple of 16 data. */
static void pad(struct tensix_pack_batch *batch, uint32_t counted)
{
    for (; counted % NUM_BLOCK_DATUMS; counted++) {
        batch->datum[batch->count++] = 0;
    }
}

/* Downsampling and the late conversion. */
static void keep(const struct tensix_pack_plan *plan, struct tensix_pack_batch *batch,
                 const uint32_t *pattern, unsigned count)
{
    const enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    const enum num_format to = (enum num_format)plan->how.to;
    for (unsigned i = 0; i < count; i++) {
        if (plan->downsample_mask >> i % NUM_BLOCK_DATUMS & 1) {
            batch->datum[batch->count++] = num_pack_late(kind, to, pattern[i]);
        }
    }
}

static void read_dst_row(struct tensix *tensix, const struct tensix_pack_job *job, unsigned i,
                         struct tensix_pack_batch *batch)
{
    const struct tensix_pack_plan *plan = job->plan;
    uint16_t high[TENSIX_DST_COLUMNS], low[TENSIX_DST_COLUMNS];
    uint32_t pattern[TENSIX_DST_COLUMNS];
    uint8_t *exponent = &batch->exponent[batch->exponents];
    struct place place = place_of(tensix, job, i);
    struct num_pack how = plan->how;
    how.early.generator = plan->is_stochastic ? &batch->generator : NULL;
    if (plan->shifts_by_face) {
        how.early.right_shift = (uint8_t)tensix_pack_int_shift(tensix, job->state, place.z);
    }
    tensix_pack_row(tensix, tensix_dst_map_now(tensix), job->row[i], how.early.is_32bit, high, low);
    convert_row(tensix, job, &how, edge_mask(tensix, job->state, place), high, low, pattern);
    find_exponents((enum num_pack_kind)plan->kind, pattern, job->count, exponent);
    batch->exponents += job->count;
    clear_small(plan, exponent, job->count, pattern);
    keep(plan, batch, pattern, job->count);
}

static void read_l1_row(struct tensix *tensix, const struct tensix_pack_job *job, unsigned i,
                        struct tensix_pack_batch *batch)
{
    uint32_t pattern[TENSIX_DST_COLUMNS];
    for (unsigned c = 0; c < job->count; c++) {
        uint32_t address = job->l1_source + ((i * job->count + c) << job->plan->datum_shift);
        pattern[c] = pattern_of_l1(tensix, job->plan, address);
    }
    keep(job->plan, batch, pattern, job->count);
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
