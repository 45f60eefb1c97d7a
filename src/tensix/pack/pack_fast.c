/*
 * Shortcut of PACR (pack.c) where it packs whole rows into whole lines: four aligned rows of Dst, no
 * mask, threshold or padding, nothing unfinished in the streams. Rows go through the kernels of
 * num/kernels.h straight to L1; all else goes to the row's own runner.
 * Proof: tests/unit/tensix/check_pack.c, tests/difftest/tensix/check_ways.c.
 * Gain: bench/data, PACR to BF16 of four rows 2.1 -> 30 M instr/s.
 */
#include "tensix/pack/unit.h"

enum { LINE = TENSIX_PACK_LINE };

/* --- Which --- */

/* Does the instruction read a group of four rows, and nothing else? */
static inline bool reads_group(const struct tensix_args_PACR *args)
{
    bool reads_all = args->read_intf_sel == 0 || args->read_intf_sel == TENSIX_PACK_ALL_INTERFACES;
    return reads_all && !args->flush && !args->zero_write && !args->dst_access_mode &&
           !args->cfg_context && !args->row_pad_zero && !args->ctxt_ctrl;
}

/* The job of an instruction that reads a group, as the core makes it, where that is of whole rows
 * and nothing is unfinished. */
static inline bool find_group(const struct tensix *tensix, struct tensix_pack_job *job)
{
    const struct tensix_pack_plan *plan = job->plan;
    const struct tensix_pack_output *output = &tensix->packer.output;
    const struct tensix_adc *adc = &tensix->thread[job->which_adc].adc[TENSIX_ADC_PACKER];
    const struct tensix_adc_channel *from = &adc->channel[0];
    uint32_t address = tensix_pack_input_address(tensix, job->state, from);
    unsigned first = tensix_pack_start_row(tensix, plan, address, from->x);
    bool is_whole = from->x == 0 && adc->channel[1].x == NUM_BLOCK_DATUMS - 1;
    job->reads = true;
    job->rows = TENSIX_PACK_ROWS;
    job->count = NUM_BLOCK_DATUMS;
    for (unsigned i = 0; i < TENSIX_PACK_ROWS; i++) {
        job->row[i] = (uint16_t)(first + i);
    }
    return is_whole && plan->is_plain && !plan->refusal && !plan->from_l1 && !plan->finds_last &&
           first % TENSIX_PACK_ROWS == 0 && !(address & ((1u << plan->datum_shift) - 1)) &&
           !(output->data.fill | output->block_count) && !tensix_pack_wants_histogram(tensix);
}

/* --- Rows of Dst --- */

/* Rows of Dst as the kernels take them. */
struct tensix_pack_rows {
    const uint16_t *high, *low;
};

/* A group lies together in every map: straight from storage where all of it is valid, or none, else
 * from `storage`. */
static inline struct tensix_pack_rows rows_of(const struct tensix *tensix,
                                              const struct tensix_pack_job *job,
                                              uint16_t storage[2][TENSIX_PACK_DATUMS])
{
    static const uint16_t zeros[TENSIX_PACK_DATUMS];
    static const bool none[TENSIX_PACK_ROWS], all[TENSIX_PACK_ROWS] = {true, true, true, true};
    const struct tensix_dst *dst = &tensix->dst;
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    bool is_32bit = job->plan->how.early.is_32bit;
    unsigned physical = is_32bit ? tensix_dst_physical32(map, job->row[0])
                                 : tensix_dst_physical16(map, job->row[0]);
    if (memcmp(&dst->cleared[physical], none, sizeof none) == 0) {
        return (struct tensix_pack_rows){
            dst->bits[physical], is_32bit ? dst->bits[physical + TENSIX_DST_LOWER_HALF] : NULL};
    }
    if (memcmp(&dst->cleared[physical], all, sizeof all) == 0) {
        return (struct tensix_pack_rows){zeros, zeros};
    }
    for (unsigned i = 0; i < TENSIX_PACK_ROWS; i++) {
        tensix_pack_row(tensix, map, job->row[i], is_32bit, &storage[0][i * TENSIX_DST_COLUMNS],
                        &storage[1][i * TENSIX_DST_COLUMNS]);
    }
    return (struct tensix_pack_rows){storage[0], storage[1]};
}

/* --- Exponents --- */

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

/* Of rows of 32 bytes with the exponent `shift` bits up in halves. */
static uint32_t greatest_of_halves(const struct tensix *tensix, const uint8_t *data, size_t rows,
                                   uint32_t mask, unsigned shift, uint32_t floor)
{
    if (floor >= mask >> 16 >> shift) { /* it may come from a format with more bits */
        return floor;
    }
    uint16_t start = (uint16_t)(floor << shift);
    return (uint32_t)tensix->kernels->greatest(data, rows, mask, start) >> shift;
}

/* Where L1 has other exponents: from the rows again, in the intermediate format's own. */
static uint32_t greatest_of_rows(const struct tensix *tensix, const struct tensix_pack_job *job,
                                 struct tensix_pack_rows rows, uint32_t floor)
{
    uint8_t data[TENSIX_PACK_DATUMS * 4];
    struct num_pack how = job->plan->how;
    bool is_narrow = job->plan->kind >= NUM_PACK_FP16 && job->plan->kind <= NUM_PACK_FP8;
    how.to = is_narrow ? NUM_FORMAT_FLOAT16 : NUM_FORMAT_FLOAT32;
    tensix->kernels->pack(&how, rows.high, rows.low, job->rows, data, NULL);
    return is_narrow ? greatest_of_halves(tensix, data, job->rows, 0x7c007c00, 10, floor)
                     : greatest_of_halves(tensix, data, job->rows * 2, 0x7f800000, 7, floor);
}

static uint32_t greater(uint32_t x, uint32_t y)
{
    return x > y ? x : y;
}

/* The greatest exponent of the rows, or `floor` if that is greater; `data` and `exponents` are what
 * the kernel made of them. */
static uint32_t greatest_exponent(const struct tensix *tensix, const struct tensix_pack_job *job,
                                  struct tensix_pack_rows rows, const uint8_t *data,
                                  const uint8_t *exponents, uint32_t floor)
{
    const struct tensix_pack_plan *plan = job->plan;
    switch ((enum tensix_pack_exponents_in)plan->exponents_in) {
    case TENSIX_PACK_EXPONENTS_IN_HALVES:
        return greatest_of_halves(tensix, data, job->rows * plan->bits / 16u, plan->exponent_mask,
                                  plan->exponent_shift, floor);
    case TENSIX_PACK_EXPONENTS_IN_BLOCKS:
        return greater(greatest_of_bytes(exponents, job->rows, 0), floor);
    case TENSIX_PACK_EXPONENTS_IN_BYTES:
        return greater(greatest_of_bytes(data, (size_t)job->rows * NUM_BLOCK_DATUMS, 2), floor);
    case TENSIX_PACK_EXPONENTS_LOST:
        return greatest_of_rows(tensix, job, rows, floor);
    case TENSIX_PACK_EXPONENTS_NOWHERE:
        break;
    }
    return floor;
}

/* --- To L1 --- */

/* Rows of Dst as whole lines, straight to their place. */
static void put_rows(struct tensix *tensix, const struct tensix_pack_job *job, uint32_t size,
                     uint8_t *exponents)
{
    const struct num_pack *how = &job->plan->how;
    const struct num_kernels *kernels = tensix->kernels;
    struct tensix_packer *packer = &tensix->packer;
    struct tensix_pack_output *output = &packer->output;
    uint8_t *l1 = tensix->l1 + output->data.address, sums[TENSIX_PACK_DATUMS * 4];
    uint8_t *data = job->plan->accumulates ? sums : l1;
    uint16_t storage[2][TENSIX_PACK_DATUMS];
    struct tensix_pack_rows rows = rows_of(tensix, job, storage);
    job->plan->pack(how, rows.high, rows.low, job->rows, data, exponents);
    packer->max_exponent =
        greatest_exponent(tensix, job, rows, data, exponents, packer->max_exponent);
    if (job->plan->accumulates) {
        kernels->accumulate((enum num_format)how->to, data, job->rows, l1);
    }
    tensix_pack_notify(tensix, output->data.address, output->data.address + size);
    output->data.address += size;
    output->lines += size / LINE;
    output->count += job->rows * NUM_BLOCK_DATUMS;
}

static void put_exponents(struct tensix *tensix, const struct tensix_pack_plan *plan,
                          const uint8_t exponents[TENSIX_PACK_ROWS], bool closes)
{
    struct tensix_pack_output *output = &tensix->packer.output;
    struct tensix_pack_stream *stream = &output->exponents;
    struct tensix_pack_sink sink = {.tensix = tensix, .plan = plan, .output = output};
    const uint32_t before = stream->address;
    tensix_pack_append(&sink, stream, exponents, TENSIX_PACK_ROWS);
    if (closes) {
        tensix_pack_fill_line(&sink, stream);
    }
    tensix_pack_notify(tensix, before, stream->address);
}

static bool is_open(const struct tensix_pack_output *output, const struct tensix_pack_plan *plan)
{
    return output->data.open && (output->exponents.open || !plan->has_exponents);
}

/* False, and where: lines of a plain job that are not in L1. */
static inline bool fits(const struct tensix *tensix, const struct tensix_pack_output *output,
                        const struct tensix_pack_job *job, uint32_t size, bool closes,
                        uint32_t *address)
{
    if (!tensix_pack_lies_in_l1(tensix, output->data.address, size)) {
        *address = output->data.address;
        return false;
    }
    if (!job->plan->writes_exponents) {
        return true;
    }
    unsigned bytes = output->exponents.fill + job->rows + (closes ? LINE - 1 : 0);
    *address = output->exponents.address;
    return tensix_pack_lies_in_l1(tensix, *address, bytes / LINE * LINE);
}

static bool put_plain(struct tensix *tensix, const struct tensix_pack_job *job, bool closes,
                      uint32_t *address)
{
    const struct tensix_pack_plan *plan = job->plan;
    struct tensix_packer *packer = &tensix->packer;
    uint8_t exponents[TENSIX_PACK_ROWS] = {0};
    uint32_t size = job->rows * plan->bits * (NUM_BLOCK_DATUMS / 8);
    if (!is_open(&packer->output, plan)) {
        struct tensix_pack_output opened = packer->output;
        tensix_pack_open(tensix, job, &opened);
        if (!fits(tensix, &opened, job, size, closes, address)) {
            return false;
        }
        packer->output = opened;
    } else if (!fits(tensix, &packer->output, job, size, closes, address)) {
        return false;
    }
    put_rows(tensix, job, size, exponents);
    if (plan->writes_exponents) {
        put_exponents(tensix, plan, exponents, closes);
    }
    if (closes) {
        tensix_pack_close(&packer->output);
    }
    return true;
}

enum tensix_exec tensix_fast_PACR(struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_args_PACR args = tensix_decode_PACR(word);
    struct tensix_pack_job job = tensix_pack_new_job(tensix, thread, &args);
    uint32_t address;
    if (!reads_group(&args) || !find_group(tensix, &job)) {
        return tensix_run_PACR(tensix, thread, word);
    }
    return put_plain(tensix, &job, args.last, &address)
               ? tensix_pack_end_job(tensix, thread, &args, &job)
               : tensix_pack_outside_l1(tensix, thread, address);
}
