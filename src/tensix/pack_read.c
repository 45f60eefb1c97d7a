/*
 * The packer's way from Dst to data for L1: input addresses, the four read interfaces, conversions,
 * edge mask, ReLU, exponents, downsampling and row padding.
 *
 * SPEC: BlackholeA0 PACR (interfaces, tile position); WormholeB0 Packers/InputAddressGenerator,
 * EdgeMasking, ExponentHistogram, ExponentThresholding, Downsampling; assembly.yaml of
 * tt_llk_blackhole for ZeroWrite and RowPadZero.
 */
#include "tensix/adc.h"
#include "tensix/pack_unit.h"

enum {
    WHOLE_ROW = NUM_BLOCK_DATUMS,
    ALL_INTERFACES = 0xf,
    STRIDE = 16,             /* rows between interfaces with DstAccessMode */
    DST_DATUMS = 0x3fff,     /* addresses of data in Dst */
    L1_SOURCE_LOW = 0x3ffff, /* bytes that the address counters can reach of L1 */
    L1_SOURCE_BYTES = 0x1fffff,
    BINS = 32,
    BIN_MOST = 255,
};

/* --- Where to read --- */

/* SPEC: bytes; only four bits of the X stride count. */
static uint32_t input_address(const struct tensix *tensix, unsigned state,
                              const struct tensix_adc_channel *channel)
{
    return tensix_get_PCK0_ADDR_BASE_REG_0_Base(tensix, state) +
           channel->x * (tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Xstride(tensix, state) & 0xf) +
           channel->y * tensix_get_PCK0_ADDR_CTRL_XY_REG_0_Ystride(tensix, state) +
           channel->z * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Zstride(tensix, state) +
           channel->w * tensix_get_PCK0_ADDR_CTRL_ZW_REG_0_Wstride(tensix, state);
}

/* X counts data within 16 bytes by itself; the other counters reach whole groups of 16 bytes. */
static uint32_t in_group(const struct tensix_pack_plan *plan, uint32_t x)
{
    return x & (0xfu >> plan->datum_shift);
}

static unsigned start_row(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                          uint32_t address, uint32_t x)
{
    uint32_t group = 0xf >> plan->datum_shift;
    uint32_t datum = ((address >> plan->datum_shift) & ~group) + in_group(plan, x);
    datum += tensix_get_DEST_TARGET_REG_CFG_PACK_SEC0_Offset(tensix, plan->state) << 4;
    return (datum & DST_DATUMS) / TENSIX_DST_COLUMNS;
}

/*
 * SPEC: with Auto_set_last_pacr_intf_sel the last PACR of a plane reads what is left of it. GUESS:
 * it is the last one if at least as many interfaces are enabled as rows are left.
 */
static unsigned interfaces(const struct tensix *tensix, unsigned state, unsigned selected)
{
    unsigned mask = selected ? selected : ALL_INTERFACES;
    if (tensix_get_THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel(tensix, state)) {
        unsigned rows = tensix_get_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane(tensix, state);
        unsigned done = tensix->packer.position;
        unsigned enabled = (unsigned)__builtin_popcount(mask);
        if (rows > done && rows - done <= enabled) {
            mask = (1u << (rows - done)) - 1;
        }
    }
    return mask;
}

/*
 * Interface i reads the row i after the first, within a group of four; with DstAccessMode 16 rows
 * further each. SPEC: the page's loop leaves out that the mask moves along with the first row; its
 * text, LLK (llk_pack_rows.h) and ttsim have it. GUESS: any mask in DstAccessMode.
 */
static bool take_rows(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                      struct tensix_pack_job *job, unsigned first, enum tensix_exec *answer)
{
    unsigned mask = interfaces(tensix, job->state, args->read_intf_sel);
    unsigned step = args->dst_access_mode ? STRIDE : 1;
    if (!args->dst_access_mode && mask << first % TENSIX_PACK_ROWS > ALL_INTERFACES) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: ReadIntfSel 0x%x from row %u of Dst goes beyond its group of "
                               "four rows; start lower or select fewer interfaces",
                               mask, first);
        return false;
    }
    job->rows = 0;
    for (unsigned i = 0; i < TENSIX_PACK_ROWS; i++) {
        if (mask >> i & 1) {
            job->row[job->rows++] = (uint16_t)((first + i * step) % TENSIX_DST_ROWS);
        }
    }
    return true;
}

/* How many of so many data of a row are left after downsampling and padding. */
static unsigned left_of_row(const struct tensix_pack_job *job, unsigned count)
{
    unsigned mask = job->plan->downsample_mask & ((1u << count) - 1);
    unsigned left = (unsigned)__builtin_popcount(mask);
    return left && job->pad == TENSIX_PACK_PAD_ROWS ? WHOLE_ROW : left;
}

/*
 * SPEC: assembly.yaml. Without interfaces the data that ZeroWrite writes are counted by X alone.
 */
static bool take_zeros(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                       const struct tensix_adc *adc, struct tensix_pack_job *job,
                       enum tensix_exec *answer)
{
    if (args->read_intf_sel) {
        unsigned rows = (unsigned)__builtin_popcount(args->read_intf_sel);
        job->zeros = rows * left_of_row(job, job->count);
        return true;
    }
    uint32_t count = adc->channel[1].x + 1;
    if (adc->channel[0].x || count % WHOLE_ROW) {
        *answer =
            tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                         "PACR: ZeroWrite with ReadIntfSel 0 writes X1 + 1 data: X0 (%u) must "
                         "be 0 and X1 (%u) one less than a multiple of 16",
                         adc->channel[0].x, adc->channel[1].x);
        return false;
    }
    job->zeros = count / WHOLE_ROW * left_of_row(job, WHOLE_ROW);
    return true;
}

static bool take_columns(struct tensix *tensix, unsigned thread, const struct tensix_adc *adc,
                         struct tensix_pack_job *job, enum tensix_exec *answer)
{
    uint32_t first = adc->channel[0].x, last = adc->channel[1].x;
    if (first >= WHOLE_ROW || last >= WHOLE_ROW || last + 1 < first) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: X from %u to %u (channels 0 and 1 of the packer's ADC) is no "
                               "range of columns of a row of Dst, which are 0 to 15",
                               first, last);
        return false;
    }
    job->first = first;
    job->count = last + 1 - first;
    return true;
}

/* SPEC: the address within L1; X is the only counter finer than 16 bytes. */
static uint32_t l1_address(const struct tensix *tensix, const struct tensix_pack_plan *plan,
                           uint32_t address, uint32_t x)
{
    uint32_t high = tensix_get_THCON_SEC0_REG1_L1_source_addr(tensix, plan->state);
    address = (high << 18) + (address & L1_SOURCE_LOW);
    address = (address & ~UINT32_C(0xf)) + (in_group(plan, x) << plan->datum_shift);
    return address & L1_SOURCE_BYTES;
}

/* GUESS: the interfaces take their rows one after the other. */
static bool take_l1(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                    struct tensix_pack_job *job, uint32_t address, uint32_t x,
                    enum tensix_exec *answer)
{
    unsigned mask = interfaces(tensix, job->state, args->read_intf_sel);
    job->rows = (unsigned)__builtin_popcount(mask);
    job->l1_source = l1_address(tensix, job->plan, address, x);
    uint32_t size = job->rows * job->count << job->plan->datum_shift;
    if (job->l1_source > tensix->l1_size || size > tensix->l1_size - job->l1_source) {
        *answer = tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                               "PACR: the source 0x%x, %u bytes, is not in L1, which ends at 0x%x; "
                               "see THCON_SEC0_REG1_L1_source_addr",
                               job->l1_source, size, tensix->l1_size);
        return false;
    }
    return true;
}

bool tensix_pack_locate(struct tensix *tensix, unsigned thread, const struct tensix_args_PACR *args,
                        struct tensix_pack_job *job, enum tensix_exec *answer)
{
    const struct tensix_pack_plan *plan = job->plan;
    const struct tensix_adc *adc = &tensix->thread[job->which_adc].adc[TENSIX_ADC_PACKER];
    const struct tensix_adc_channel *from = &adc->channel[0];
    uint32_t address = input_address(tensix, job->state, from);
    if (args->zero_write && !args->read_intf_sel) {
        return take_zeros(tensix, thread, args, adc, job, answer);
    }
    if (!take_columns(tensix, thread, adc, job, answer)) {
        return false;
    }
    if (args->zero_write) {
        return take_zeros(tensix, thread, args, adc, job, answer);
    }
    if (address & ((1u << plan->datum_shift) - 1)) {
        *answer =
            tensix_fault(tensix, thread, TENSIX_FAULT_UNDEFINED,
                         "PACR: input address 0x%x is not a multiple of the %u bytes of "
                         "In_data_format; see PCK0_ADDR_CTRL_*_REG_0 and PCK0_ADDR_BASE_REG_0",
                         address, 1u << plan->datum_shift);
        return false;
    }
    job->reads = true;
    if (plan->from_l1) {
        return take_l1(tensix, thread, args, job, address, from->x, answer);
    }
    return take_rows(tensix, thread, args, job, start_row(tensix, plan, address, from->x), answer);
}

/* --- The tile position generator --- */

/*
 * SPEC: BlackholeA0 PACR: as many rows further as interfaces were enabled, and to the next plane
 * only when that is exactly the plane's number of rows. GUESS: the same of faces where Y and Z are
 * transposed; what does not come from Dst does not count, as on Wormhole.
 */
void tensix_pack_advance(struct tensix *tensix, const struct tensix_pack_job *job)
{
    struct tensix_packer *packer = &tensix->packer;
    unsigned rows = tensix_get_PACK_COUNTERS_SEC0_pack_reads_per_xy_plane(tensix, job->state);
    bool is_transposed = tensix_get_PACK_COUNTERS_SEC0_pack_yz_transposed(tensix, job->state);
    uint8_t *inner = is_transposed ? &packer->face : &packer->position;
    uint8_t *outer = is_transposed ? &packer->position : &packer->face;
    if (!job->reads || job->plan->from_l1) {
        return;
    }
    *inner = (uint8_t)(*inner + job->rows);
    if (*inner == rows) {
        *inner = 0;
        ++*outer;
    }
}

struct place {
    unsigned y, z;
};

static struct place place_of(const struct tensix *tensix, const struct tensix_pack_job *job,
                             unsigned i)
{
    const struct tensix_packer *packer = &tensix->packer;
    bool is_transposed = tensix_get_PACK_COUNTERS_SEC0_pack_yz_transposed(tensix, job->state);
    return is_transposed ? (struct place){packer->position, packer->face + i}
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

/* --- Whole rows --- */

/* Rows that follow each other, as the kernels take them, straight from storage. */
static bool lie_together(const struct tensix *tensix, const struct tensix_pack_job *job,
                         struct tensix_dst_map map, struct tensix_pack_rows *rows)
{
    const struct tensix_dst *dst = &tensix->dst;
    unsigned first = job->row[0];
    uint32_t cleared;
    if (job->rows != TENSIX_PACK_ROWS || job->row[3] != first + 3 || first % TENSIX_PACK_ROWS) {
        return false;
    }
    unsigned physical = job->plan->how.early.is_32bit ? tensix_dst_physical32(map, first)
                                                      : tensix_dst_physical16(map, first);
    memcpy(&cleared, &dst->cleared[physical], sizeof cleared);
    rows->high = dst->bits[physical];
    rows->low = job->plan->how.early.is_32bit ? dst->bits[physical + TENSIX_DST_LOWER_HALF] : NULL;
    return cleared == 0;
}

static void gather_row(const struct tensix *tensix, struct tensix_dst_map map, unsigned row,
                       bool is_32bit, uint16_t *high, uint16_t *low)
{
    const struct tensix_dst *dst = &tensix->dst;
    unsigned physical =
        is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
    bool is_cleared = dst->cleared[physical];
    for (unsigned i = 0; i < TENSIX_DST_COLUMNS; i++) {
        high[i] = is_cleared ? 0 : dst->bits[physical][i];
    }
    for (unsigned i = 0; is_32bit && i < TENSIX_DST_COLUMNS; i++) {
        low[i] = is_cleared ? 0 : dst->bits[physical + TENSIX_DST_LOWER_HALF][i];
    }
}

struct tensix_pack_rows tensix_pack_gather(const struct tensix *tensix,
                                           const struct tensix_pack_job *job,
                                           uint16_t storage[2][TENSIX_PACK_DATUMS])
{
    struct tensix_dst_map map = tensix_dst_map_now(tensix);
    struct tensix_pack_rows rows;
    if (lie_together(tensix, job, map, &rows)) {
        return rows;
    }
    for (unsigned i = 0; i < job->rows; i++) {
        gather_row(tensix, map, job->row[i], job->plan->how.early.is_32bit,
                   &storage[0][i * TENSIX_DST_COLUMNS], &storage[1][i * TENSIX_DST_COLUMNS]);
    }
    return (struct tensix_pack_rows){storage[0], storage[1]};
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

/* Of halves with the exponent `shift` bits up. */
static unsigned greatest_of_halves(const uint8_t *data, size_t rows, unsigned shift, int mask)
{
    int16_t greatest[NUM_BLOCK_DATUMS] = {0};
    for (size_t row = 0; row < rows; row++) {
        uint16_t half[NUM_BLOCK_DATUMS];
        memcpy(half, data + row * sizeof half, sizeof half);
        for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
            int16_t exponent = (int16_t)(half[i] >> shift & mask);
            greatest[i] = exponent > greatest[i] ? exponent : greatest[i];
        }
    }
    int16_t result = 0;
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        result = greatest[i] > result ? greatest[i] : result;
    }
    return (unsigned)result;
}

static unsigned greatest_of_words(const uint8_t *data, size_t rows)
{
    int32_t greatest[NUM_BLOCK_DATUMS] = {0};
    for (size_t row = 0; row < rows; row++) {
        uint32_t word[NUM_BLOCK_DATUMS];
        memcpy(word, data + row * sizeof word, sizeof word);
        for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
            int32_t exponent = (int32_t)(word[i] & 0x7f800000);
            greatest[i] = exponent > greatest[i] ? exponent : greatest[i];
        }
    }
    int32_t result = 0;
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        result = greatest[i] > result ? greatest[i] : result;
    }
    return (unsigned)result >> 23;
}

static unsigned greatest_of_bytes(const uint8_t *bytes, size_t count, unsigned shift)
{
    unsigned greatest = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned byte = bytes[i];
        unsigned exponent = shift ? byte >> shift & 0x1f : byte;
        greatest = exponent > greatest ? exponent : greatest;
    }
    return greatest;
}

/* Where L1 has other exponents: from the rows again, in the intermediate format's own. */
static unsigned greatest_of_rows(const struct tensix *tensix, const struct tensix_pack_job *job,
                                 struct tensix_pack_rows rows)
{
    uint8_t data[TENSIX_PACK_DATUMS * 4];
    struct num_pack how = job->plan->how;
    bool is_narrow = job->plan->kind >= NUM_PACK_FP16 && job->plan->kind <= NUM_PACK_FP8;
    how.to = is_narrow ? NUM_FORMAT_FLOAT16 : NUM_FORMAT_FLOAT32;
    tensix->kernels->pack(&how, rows.high, rows.low, job->rows, data, NULL);
    return is_narrow ? greatest_of_halves(data, job->rows, 10, 0x1f)
                     : greatest_of_words(data, job->rows);
}

unsigned tensix_pack_greatest(const struct tensix *tensix, const struct tensix_pack_job *job,
                              struct tensix_pack_rows rows, const uint8_t *data,
                              const uint8_t *exponents)
{
    switch ((enum tensix_pack_exponents_in)job->plan->exponents_in) {
    case TENSIX_PACK_EXPONENTS_IN_BLOCKS:
        return greatest_of_bytes(exponents, job->rows, 0);
    case TENSIX_PACK_EXPONENTS_IN_BYTES:
        return greatest_of_bytes(data, (size_t)job->rows * WHOLE_ROW, 2);
    case TENSIX_PACK_EXPONENTS_IN_FP16:
        return greatest_of_halves(data, job->rows, 10, 0x1f);
    case TENSIX_PACK_EXPONENTS_IN_BF16:
        return greatest_of_halves(data, job->rows, 7, 0xff);
    case TENSIX_PACK_EXPONENTS_IN_FP32:
        return greatest_of_words(data, job->rows);
    case TENSIX_PACK_EXPONENTS_IN_INT16:
        return greatest_of_halves(data, job->rows, 0, 0xff);
    case TENSIX_PACK_EXPONENTS_LOST:
        return greatest_of_rows(tensix, job, rows);
    case TENSIX_PACK_EXPONENTS_NOWHERE:
        break;
    }
    return 0;
}

bool tensix_pack_wants_histogram(const struct tensix *tensix)
{
    return tensix_get_ENABLE_ACC_STATS_Enable(tensix, 0) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 1) |
           tensix_get_ENABLE_ACC_STATS_Enable(tensix, 2);
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
    const struct num_format_info *info = num_format_info(plan->in);
    bool applies = info && info->exponent_bits && plan->in != NUM_FORMAT_BFP2_B;
    return plan->thresholds && applies && exponent < plan->threshold;
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
    for (; counted % WHOLE_ROW; counted++) {
        batch->datum[batch->count++] = 0;
    }
}

static void keep(const struct tensix_pack_job *job, struct tensix_pack_batch *batch, unsigned i,
                 uint32_t pattern)
{
    const struct tensix_pack_plan *plan = job->plan;
    if (plan->downsample_mask >> i % WHOLE_ROW & 1) {
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
    gather_row(tensix, tensix_dst_map_now(tensix), job->row[i], how.early.is_32bit, high, low);
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
