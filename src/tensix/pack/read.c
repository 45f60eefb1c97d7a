/*
 * The packer's way from Dst to data for L1, datum by datum: conversions, edge mask, ReLU, exponents,
 * downsampling and row padding. Whole rows go another way, see rows.c.
 *
 * SPEC: BlackholeA0 PACR (tile position); WormholeB0 Packers/EdgeMasking, ExponentHistogram,
 * ExponentThresholding, Downsampling; assembly.yaml of tt_llk_blackhole for RowPadZero.
 */
#include "tensix/pack/job.h"

enum { COLUMNS = NUM_BLOCK_DATUMS };

/* --- Edge masks --- */

/* The tile position of a row: Y and Z of the tile position generator. */
struct tile_row {
    unsigned y, z;
};

static struct tile_row position_of(const struct pack_job *job, unsigned i)
{
    const struct tensix_packer *packer = job->packer;
    return job->plan->is_transposed ? (struct tile_row){packer->position, packer->face + i}
                                    : (struct tile_row){packer->position + i, packer->face};
}

/* The columns of a row that pass. */
static unsigned edge_mask(const struct pack_job *job, struct tile_row at)
{
    const struct tensix *tensix = job->tensix;
    unsigned state = job->state;
    const uint32_t *config = tensix->config[state];
    unsigned set =
        tensix_get_PCK_EDGE_TILE_ROW_SET_SELECT_select(tensix, state) >> 2 * job->which & 3;
    if (tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_enable(tensix, state)) {
        unsigned z = pack_field(job->tensix, job->state, pack_words[job->which].offset,
                                TENSIX_FIELD_DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) +
                     at.z;
        unsigned faces =
            tensix_get_PCK_EDGE_TILE_FACE_SET_SELECT_select(tensix, state) >> 2 * job->which & 3;
        set = config[TENSIX_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + faces] >> z % 16 * 2 &
              3;
    }
    unsigned which =
        config[TENSIX_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + set] >> at.y % 16 * 2 & 3;
    return config[TENSIX_WORD_PCK_EDGE_OFFSET_SEC0_mask + which] & UINT16_MAX;
}

/* --- Datum by datum --- */

/* SPEC: ExponentHistogram. GUESS: 0 for integers of 8 bits, where the page says unspecified. */
static void exponents_of(enum num_pack_kind kind, const uint32_t *pattern, unsigned count,
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

/* The job's columns of a row of Dst: early conversion where the edge mask lets them pass, ReLU. */
static void convert_row(const struct pack_job *job, unsigned i, unsigned interface,
                        struct pack_batch *batch, uint32_t *pattern)
{
    const struct tensix_pack_plan *plan = job->plan;
    struct pack_rows row = {.left = interface};
    const enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    const struct tile_row at = position_of(job, i);
    const unsigned mask = edge_mask(job, at);
    const uint32_t masked =
        tensix_get_PCK_EDGE_MODE_mode(job->tensix, job->state) ? num_pack_minus_infinity(kind) : 0;
    struct num_pack_early early = plan->how.early;
    pack_take_rows(job, &row);
    early.generator = plan->is_stochastic ? &batch->generator : NULL;
    if (plan->shifts_by_face) {
        early.right_shift = (uint8_t)pack_int_shift(job->tensix, job->state, at.z);
    }
    for (unsigned c = 0; c < job->count; c++) {
        unsigned column = job->first + c;
        uint32_t stored =
            early.is_32bit ? (uint32_t)row.high[column] << 16 | row.low[column] : row.high[column];
        pattern[c] = mask >> column & 1 ? num_pack_early(&early, kind, stored) : masked;
    }
    for (unsigned c = 0; plan->how.relu.mode != NUM_RELU_NONE && c < job->count; c++) {
        pattern[c] = num_pack_relu(&plan->how.relu, kind, pattern[c]);
    }
}

/* Downsampling and the late conversion. */
static void keep(const struct pack_job *job, const uint32_t *pattern, struct pack_batch *batch)
{
    const struct tensix_pack_plan *plan = job->plan;
    const enum num_pack_kind kind = (enum num_pack_kind)plan->kind;
    const enum num_format to = (enum num_format)plan->how.to;
    for (unsigned c = 0; c < job->count; c++) {
        if (plan->downsample_mask >> c & 1) {
            batch->datum[batch->count++] = num_pack_late(kind, to, pattern[c]);
        }
    }
}

/* Row `i` of the job, which is that of an interface (a bit). */
static void read_dst_row(const struct pack_job *job, unsigned i, unsigned interface,
                         struct pack_batch *batch)
{
    uint32_t pattern[COLUMNS];
    uint8_t *exponent = &batch->exponent[i * job->count];
    convert_row(job, i, interface, batch, pattern);
    exponents_of((enum num_pack_kind)job->plan->kind, pattern, job->count, exponent);
    for (unsigned c = 0; c < job->count; c++) {
        batch->max_exponent = exponent[c] > batch->max_exponent ? exponent[c] : batch->max_exponent;
    }
    batch->exponents += pack_wants_histogram(job->tensix) ? job->count : 0;
    clear_small(job->plan, exponent, job->count, pattern);
    keep(job, pattern, batch);
}

/* A datum of L1 as the intermediate format has it. */
static uint32_t pattern_of_l1(const struct pack_job *job, uint32_t address)
{
    uint32_t datum = 0;
    memcpy(&datum, job->tensix->l1 + address, (size_t)1 << job->plan->datum_shift);
    switch (job->plan->in) {
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

static void read_l1_row(const struct pack_job *job, unsigned i, struct pack_batch *batch)
{
    uint32_t pattern[COLUMNS];
    for (unsigned c = 0; c < job->count; c++) {
        pattern[c] =
            pattern_of_l1(job, job->l1_source + ((i * job->count + c) << job->plan->datum_shift));
    }
    keep(job, pattern, batch);
}

/* Zeros up to a multiple of 16 data. */
static void pad_batch(struct pack_batch *batch, uint32_t counted)
{
    for (; counted % NUM_BLOCK_DATUMS; counted++) {
        batch->datum[batch->count++] = 0;
    }
}

void pack_read(const struct pack_job *job, struct pack_batch *batch)
{
    unsigned left = job->interfaces;
    batch->count = 0;
    for (unsigned i = 0; job->reads && i < job->rows; i++, left &= left - 1) {
        unsigned before = batch->count;
        if (job->plan->from_l1) {
            read_l1_row(job, i, batch);
        } else {
            read_dst_row(job, i, left & -left, batch);
        }
        if (job->pad == PACK_PAD_ROWS) { /* a row without data gets none */
            pad_batch(batch, batch->count - before);
        }
    }
    if (job->pad == PACK_PAD_ALL) {
        const struct tensix_pack_output *output = &job->packer->output;
        uint32_t before = output->data.open ? output->count : 0;
        pad_batch(batch, before + job->zeros + batch->count);
    }
}
