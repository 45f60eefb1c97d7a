/*
 * The packer's way for whole rows to which nothing happens but conversions and ReLU: as many as lie
 * together in Dst go through the kernels (num/kernels.h) at once, and straight to L1 where they make
 * whole lines. All else goes datum by datum, see read.c.
 *
 * SPEC: WormholeB0 Packers/FormatConversion, ExponentHistogram.
 */
#include "tensix/pack/job.h"

enum { COLUMNS = NUM_BLOCK_DATUMS };

/* --- Rows of Dst --- */

void pack_take_rows(const struct pack_job *job, struct pack_rows *rows)
{
    static const uint16_t zeros[TENSIX_PACK_ROWS][COLUMNS];
    const struct tensix_dst *dst = &job->tensix->dst;
    const struct tensix_dst_map map = tensix_dst_map_now(job->tensix);
    bool is_32bit = job->plan->how.early.is_32bit;
    unsigned i = (unsigned)__builtin_ctz(rows->left), row = job->row + i * job->row_step;
    unsigned physical =
        is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
    const bool *cleared = &dst->cleared[physical];
    unsigned count = 1;
    while (job->row_step == 1 && rows->left >> (i + count) & 1 && cleared[count] == cleared[0]) {
        count++;
    }
    rows->high = cleared[0] ? zeros[0] : dst->bits[physical];
    rows->low = cleared[0] ? zeros[0]
                : is_32bit ? dst->bits[physical + TENSIX_DST_LOWER_HALF]
                           : NULL;
    rows->count = count;
    rows->left &= ~(((1u << count) - 1) << i);
}

/* --- The greatest exponent, which is one of the intermediate format --- */

/* Of data of a format that has these exponents; or `floor` if that is greater. */
static uint32_t greatest_in_data(const struct pack_job *job, const uint8_t *data, size_t bytes,
                                 uint32_t floor)
{
    const struct tensix_pack_plan *plan = job->plan;
    if (floor >= plan->exponent_mask >> 16 >> plan->exponent_shift) {
        return floor; /* it may come from a format with more bits */
    }
    uint16_t start = (uint16_t)(floor << plan->exponent_shift);
    size_t rows = bytes / (COLUMNS * sizeof start);
    return (uint32_t)job->tensix->kernels->greatest(data, rows, plan->exponent_mask, start) >>
           plan->exponent_shift;
}

/* Where L1's format has others: of the rows in a format that has these. */
static uint32_t greatest_in_rows(const struct pack_job *job, const struct pack_rows *rows,
                                 uint32_t floor)
{
    uint8_t data[PACK_DATUMS * sizeof(uint32_t)];
    struct num_pack how = job->plan->how;
    how.to = job->plan->seen_as;
    job->tensix->kernels->pack(&how, rows->high, rows->low, rows->count, data, NULL);
    return greatest_in_data(job, data, rows->count * COLUMNS * num_format_info(how.to)->bits / 8u,
                            floor);
}

static uint32_t greatest_of_blocks(const uint8_t *exponents, unsigned count, uint32_t floor)
{
    for (unsigned i = 0; i < count; i++) {
        floor = exponents[i] > floor ? exponents[i] : floor;
    }
    return floor;
}

/* --- To L1 --- */

void pack_put_rows(struct pack_sink *sink, struct pack_batch *batch)
{
    const struct pack_job *job = sink->job;
    const struct tensix_pack_plan *plan = job->plan;
    struct tensix_pack_output *output = sink->output;
    uint8_t gathered[PACK_DATUMS * sizeof(uint32_t)], exponents[TENSIX_PACK_ROWS];
    struct pack_rows rows = {.left = job->interfaces};
    while (rows.left) {
        pack_take_rows(job, &rows);
        unsigned size = rows.count * COLUMNS * plan->bits / 8;
        bool is_straight = !sink->on_trial && !plan->accumulates && output->data.fill == 0 &&
                           size % PACK_LINE == 0;
        uint8_t *data = is_straight ? job->tensix->l1 + output->data.address : gathered;
        plan->pack(&plan->how, rows.high, rows.low, rows.count, data, exponents);
        if (plan->exponents_in == PACK_EXPONENTS_IN_DATA) {
            batch->max_exponent = greatest_in_data(job, data, size, batch->max_exponent);
        } else if (plan->exponents_in == PACK_EXPONENTS_IN_BLOCKS) {
            batch->max_exponent = greatest_of_blocks(exponents, rows.count, batch->max_exponent);
        } else if (plan->exponents_in == PACK_EXPONENTS_LOST) {
            batch->max_exponent = greatest_in_rows(job, &rows, batch->max_exponent);
        }
        if (is_straight) {
            output->data.address += size;
            output->lines += size / PACK_LINE;
        } else {
            pack_append(sink, &output->data, gathered, size);
        }
        if (plan->writes_exponents) {
            pack_append(sink, &output->exponents, exponents, rows.count);
        }
    }
    output->count += batch->count;
}
