/*
 * The unpackers: from counters and configuration to places in L1 and in SrcA, SrcB or Dst.
 *
 * SPEC: WormholeB0 UNPACR_Regular (with its TTArchitecture conditions), ADCs, Packers/Compression.
 */
#include "tensix/unpack/job.h"

static const struct tensix_adc_channel *channel(const struct unpack_job *job, unsigned thread,
                                                unsigned index)
{
    return &job->tensix->thread[thread].adc[TENSIX_ADC_UNPACKER0 + job->which].channel[index];
}

/* --- Words that are read for each instruction --- */

static uint32_t section_word(const struct unpack_job *job, unsigned word_of_section0)
{
    unsigned distance =
        TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor - TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor;
    return job->tensix->config[job->state][word_of_section0 + job->which * distance];
}

/* Two contexts share a word. */
static uint32_t half_by_context(const struct unpack_job *job, unsigned word_of_section0)
{
    unsigned context = job->context % 4;
    return section_word(job, word_of_section0 + context / 2) >> 16 * (context % 2) & 0xffff;
}

static uint32_t x_dim(const struct unpack_job *job)
{
    return job->is_multi_context && job->which == 0
               ? half_by_context(job, TENSIX_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0)
               : job->plan->x_dim;
}

/* The tile without its header. Base addresses of all contexts follow each other. The sum has 32
 * bits, since a tile at 0 has the base -1; an address beyond them is not in L1 (the page has it
 * come back to the start of L1). */
static int64_t tile_address(const struct unpack_job *job)
{
    uint32_t base = section_word(job, TENSIX_WORD_THCON_SEC0_REG3_Base_address + job->context);
    uint32_t offset =
        section_word(job, TENSIX_WORD_THCON_SEC0_REG7_Offset_address + job->context % 4) & 0xffff;
    uint32_t line = base + offset + 1 + job->plan->digest_size;
    return (int64_t)line * UNPACK_LINE;
}

/* REG10 has a second FIFO. GUESS: for context 1, by the field's comment in cfg_defines.h; no page
 * tells it from that of REG2. */
static void find_fifo(struct unpack_job *job)
{
    job->limit = job->plan->limit;
    job->fifo = job->plan->fifo;
    uint32_t size = section_word(job, TENSIX_WORD_THCON_SEC0_REG10_Unpack_fifo_size);
    if (job->context == 1 && size >> 17 & 1) {
        uint32_t limit = section_word(job, TENSIX_WORD_THCON_SEC0_REG10_Unpack_limit_address);
        job->limit = (int64_t)(limit & 0x1ffff) * UNPACK_LINE;
        job->fifo = (int64_t)(size & 0x1ffff) * UNPACK_LINE;
    }
}

/* --- Which data --- */

static int64_t line_up(int64_t bytes)
{
    return (bytes + UNPACK_LINE - 1) / UNPACK_LINE * UNPACK_LINE;
}

/* SPEC: BlobsYStart, from which 16-datum rows on there are blobs. */
static uint32_t blobs_y_start(const struct unpack_job *job)
{
    if (!job->is_multi_context || job->which == 1) {
        return job->plan->blobs_y_start;
    }
    return job->context & 2
               ? tensix_get_UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start(job->tensix, job->state)
               : tensix_get_UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start(job->tensix, job->state);
}

/* HW: of Z and W of channel 0 the input address generator receives eight bits. */
static uint64_t plane(const struct unpack_job *job)
{
    const struct tensix_adc_channel *in = channel(job, job->thread, 0);
    return (uint64_t)(in->w & 0xff) * job->plan->z_dim + (in->z & 0xff);
}

/* SPEC: X positions of a row search over blobs. */
static bool search_blobs(struct unpack_job *job, uint32_t *start, uint32_t *end)
{
    const struct tensix_adc_channel *in = channel(job, job->adc, 0);
    uint32_t starts = blobs_y_start(job);
    unsigned next = (in->x & 7) + 1;
    *start = (starts >> 4 * (in->y & 7) & 0xf) * 16;
    if (next == job->plan->blobs) {
        *end = x_dim(job) & 0x1f0;
        return true;
    }
    if (next > 7) {
        return unpack_undefined(job, "X0 %u asks for the start of blob %u, but there are 8", in->x,
                                next);
    }
    *end = (starts >> 4 * next & 0xf) * 16;
    return true;
}

static bool find_plain_data(struct unpack_job *job, uint64_t *first)
{
    const struct tensix_adc_channel *in = channel(job, job->adc, 0);
    uint32_t start = in->x, end = channel(job, job->adc, 1)->x + 1, row = in->y;
    if (job->row_search && job->plan->blobs) {
        if (!search_blobs(job, &start, &end)) {
            return false;
        }
        row = 0;
    } else if (job->row_search) {
        start = 0;
        end--;
    }
    if (end < start) {
        return unpack_undefined(job,
                                "its rows end before datum %u and start at datum %u; set X0 "
                                "and X1 with SETADCXX",
                                end, start);
    }
    *first = (plane(job) * job->plan->y_dim + row) * x_dim(job) + start;
    job->count = end - start;
    job->outputs = UINT32_MAX;
    return true;
}

/* One row start index. */
static bool row_start(struct unpack_job *job, uint64_t section, unsigned index, uint32_t *start)
{
    uint64_t address = section + 2 * (uint64_t)index;
    uint16_t value;
    if (address + sizeof value > job->tensix->l1_size) {
        return unpack_outside(job, "a row start index", (int64_t)address);
    }
    tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1, (unsigned)address, sizeof value);
    memcpy(&value, job->tensix->l1 + address, sizeof value);
    *start = value;
    return true;
}

/* SPEC: rows of compressed tiles start where their indices say. The cache of indices that hardware
 * has is not modelled: they are read from L1 each time. */
static bool find_compressed_data(struct unpack_job *job, uint64_t section, uint64_t *first)
{
    const struct tensix_adc_channel *in = channel(job, job->adc, 0);
    uint32_t last_x = channel(job, job->adc, 1)->x, start = 0, end = 0;
    unsigned rows = job->row_search && job->plan->blobs ? job->plan->blobs : job->plan->y_dim;
    unsigned row = in->y & 0xff;
    unsigned end_row = job->row_search ? (in->x & 0xff) + 1 : row + 1;
    bool whole = job->row_search || (in->x == 0 && last_x + 1 == x_dim(job));
    section += plane(job) * rows * 2;
    if (!row_start(job, section, row, &start) ||
        (whole && !row_start(job, section, end_row, &end))) {
        return false;
    }
    *first = start;
    job->outputs = UINT32_MAX;
    if (!whole) {
        if (last_x + 1 < in->x) {
            return unpack_undefined(job, "X1 is %u and X0 %u; set them with SETADCXX", last_x,
                                    in->x);
        }
        job->count = UINT32_MAX;
        job->drop = in->x;
        job->outputs = last_x + 1 - in->x;
        return true;
    }
    if (end < start) {
        return unpack_undefined(job, "the row start indices of rows %u and %u are %u and %u", row,
                                end_row, start, end);
    }
    job->count = end - start;
    return true;
}

/* --- Input --- */

static int64_t exponent_section(const struct unpack_job *job)
{
    unsigned in = job->format.in;
    bool is_eight = in == NUM_FORMAT_BFP8 || in == NUM_FORMAT_BFP8_B;
    if (!is_eight && job->plan->omits_exponents) {
        return 0;
    }
    int64_t data = (int64_t)x_dim(job) * job->plan->y_dim * job->plan->z_dim * job->plan->w_dim;
    return line_up((data + 15) / 16);
}

static int64_t row_start_section(const struct unpack_job *job)
{
    int64_t rows = job->plan->blobs ? job->plan->blobs : job->plan->y_dim;
    return line_up((rows * job->plan->z_dim * job->plan->w_dim + 1) * 2);
}

/* SPEC: a group of 32 data and then their deltas, four bits each. */
static void start_compressed(struct tensix_unpack_cursor *cursor, unsigned bits, uint64_t first)
{
    int64_t in_group = (int64_t)(first % UNPACK_GROUP);
    cursor->data += (int64_t)(first / UNPACK_GROUP) * UNPACK_GROUP * (bits + UNPACK_DELTA_BITS);
    cursor->deltas = cursor->data + UNPACK_GROUP * bits + in_group * UNPACK_DELTA_BITS;
    cursor->data += in_group * bits;
}

bool unpack_find_input(struct unpack_job *job)
{
    int64_t address = tile_address(job);
    uint64_t section = (uint64_t)address, first = 0;
    unsigned bits = job->format.bits;
    find_fifo(job);
    if (!job->plan->is_uncompressed) {
        address += row_start_section(job);
    }
    job->reads_exponents = job->format.is_block && !job->plan->forces_exponent;
    if (job->reads_exponents) {
        job->first.exponents = address * 16;
        address += exponent_section(job);
    }
    bool fine = job->plan->is_uncompressed ? find_plain_data(job, &first)
                                           : find_compressed_data(job, section, &first);
    if (!fine) {
        return false;
    }
    job->first.exponents = unpack_wrap(job, job->first.exponents + (int64_t)first, 16);
    job->first.data = address * 8;
    if (job->plan->is_uncompressed) {
        job->first.data += (int64_t)first * bits;
    } else {
        start_compressed(&job->first, bits, first);
        job->first.deltas = unpack_wrap(job, job->first.deltas, 8);
    }
    job->first.data = unpack_wrap(job, job->first.data, 8);
    /* HW: rows of 16 data of at most a byte, of 32 wider ones. */
    job->row_width = bits <= 8 ? 16 : 32;
    job->row_stride =
        job->plan->is_discontiguous ? job->plan->row_stride : job->row_width * bits / 8;
    return true;
}

/* --- Going on --- */

void unpack_advance(const struct unpack_job *job, struct tensix_unpack_cursor *cursor,
                    uint32_t count)
{
    cursor->done += count;
    cursor->data += (int64_t)count * job->format.bits;
    if (cursor->done % job->row_width == 0 && (job->fifo || job->plan->is_discontiguous)) {
        cursor->data += ((int64_t)job->row_stride * 8) - job->row_width * job->format.bits;
        cursor->data = unpack_wrap(job, cursor->data, 8);
    }
    cursor->exponents += count;
    if (cursor->exponents % UNPACK_LINE_EXPONENTS == 0) {
        cursor->exponents = unpack_wrap(job, cursor->exponents, 16);
    }
}

uint32_t unpack_straight(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor)
{
    uint32_t left = job->count - cursor->done;
    if (job->fifo || job->plan->is_discontiguous) {
        uint32_t row = job->row_width - cursor->done % job->row_width;
        left = row < left ? row : left;
    }
    if (job->fifo && job->reads_exponents) {
        uint32_t line =
            UNPACK_LINE_EXPONENTS - (uint32_t)(cursor->exponents % UNPACK_LINE_EXPONENTS);
        left = line < left ? line : left;
    }
    return left;
}

/* --- Output --- */

bool unpack_find_output(struct unpack_job *job)
{
    const struct tensix_unpack_plan *plan = job->plan;
    const struct tensix_adc_channel *out = channel(job, job->thread, 1);
    uint32_t bytes = plan->out_base + out->y * plan->y_stride + out->z * plan->z_stride +
                     out->w * plan->w_stride;
    if (bytes & ((1u << job->format.out_shift) - 1)) {
        return unpack_undefined(job,
                                "output address 0x%x (base, and Y1, Z1 and W1 times their "
                                "strides) is no multiple of the %u bytes of a datum",
                                bytes, 1u << job->format.out_shift);
    }
    job->out = bytes >> job->format.out_shift;
    if (job->is_multi_context && job->which == 0) {
        uint32_t own = half_by_context(job, TENSIX_WORD_THCON_SEC0_REG5_Dest_cntx0_address);
        job->out = own + (plan->to_dst || plan->adds_dest_counter ? job->out : 0);
    }
    job->step = 1u + plan->zeroes;
    bool adds_src_row = job->which == 1 || !job->reaches_all_rows;
    if (adds_src_row && !plan->to_dst) {
        job->row_offset = job->tensix->unpacker[job->which].src_row[job->thread];
    }
    return true;
}
