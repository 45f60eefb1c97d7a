/*
 * The packer's way to L1: output addresses, and the streams of lines of 16 bytes.
 *
 * SPEC: WormholeB0 Packers/OutputAddressGenerator (its later version has Blackhole's address
 * counters in bytes) and the packer's pipeline.
 *
 * A line is written when it is full or when Last or Flush fill it up with zeros; ttsim writes
 * single data, which shows only between PACRs of an unfinished line.
 */
#include "tensix/pack/unit.h"

enum { LINE = TENSIX_PACK_LINE, ADDRESS_LINES = 0x1ffff };

/* --- Addresses --- */

/* In lines. */
static uint32_t output_address(const struct tensix *tensix, const struct tensix_pack_job *job)
{
    unsigned state = job->state;
    const struct tensix_adc_channel *channel =
        &tensix->thread[job->which_adc].adc[TENSIX_ADC_PACKER].channel[1];
    uint32_t yzw = tensix_get_PCK0_ADDR_BASE_REG_1_Base(tensix, state) +
                   channel->y * tensix_get_PCK0_ADDR_CTRL_XY_REG_1_Ystride(tensix, state) +
                   channel->z * tensix_get_PCK0_ADDR_CTRL_ZW_REG_1_Zstride(tensix, state) +
                   channel->w * tensix_get_PCK0_ADDR_CTRL_ZW_REG_1_Wstride(tensix, state);
    uint32_t address = tensix_get_THCON_SEC0_REG1_L1_Dest_addr(tensix, state) +
                       !tensix_get_THCON_SEC0_REG1_Sub_l1_tile_header_size(tensix, state) +
                       yzw / LINE;
    if (tensix_get_THCON_SEC0_REG1_Add_l1_dest_addr_offset(tensix, state)) {
        address += tensix->packer.l1_dest_addr_offset;
    }
    if (address > tensix_get_THCON_SEC0_REG9_Pack_0_2_limit_address(tensix, state) * 2 + 1) {
        address -= tensix_get_THCON_SEC0_REG9_Pack_0_2_fifo_size(tensix, state) * 2;
    }
    return address;
}

static void open_stream(struct tensix_pack_stream *stream, uint32_t address)
{
    if (!stream->open) {
        stream->open = true;
        stream->address = (address & ADDRESS_LINES) * LINE;
        stream->fill = 0;
    }
}

void tensix_pack_open(const struct tensix *tensix, const struct tensix_pack_job *job,
                      struct tensix_pack_output *output)
{
    const struct tensix_pack_plan *plan = job->plan;
    uint32_t address = output_address(tensix, job);
    if (!output->data.open) {
        output->count = 0;
    }
    if (plan->compresses) {
        open_stream(&output->rows, address);
        address += tensix_get_THCON_SEC0_REG1_Row_start_section_size(tensix, job->state);
    }
    if (plan->has_exponents) {
        open_stream(&output->exponents, address);
        address += tensix_get_THCON_SEC0_REG1_Exp_section_size(tensix, job->state);
    }
    open_stream(&output->data, address);
}

/* --- Lines --- */

static bool lies_in_l1(const struct tensix *tensix, uint32_t address, uint32_t size)
{
    return size <= tensix->l1_size && address <= tensix->l1_size - size;
}

/* L1 accumulation of a line. */
static void add_line(const struct tensix_pack_sink *sink, uint8_t *l1, const uint8_t *line)
{
    enum num_format to = (enum num_format)sink->plan->how.to;
    unsigned bytes = sink->plan->bits / 8;
    for (unsigned i = 0; i < LINE; i += bytes) {
        uint32_t old = 0, datum = 0;
        memcpy(&old, l1 + i, bytes);
        memcpy(&datum, line + i, bytes);
        datum = num_pack_accumulate(to, old, datum);
        memcpy(l1 + i, &datum, bytes);
    }
}

static void put_line(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream,
                     const uint8_t *line)
{
    struct tensix *tensix = sink->tensix;
    if (!lies_in_l1(tensix, stream->address, LINE)) {
        sink->beyond = sink->failed ? sink->beyond : stream->address;
        sink->failed = true;
    } else if (!sink->on_trial) {
        if (sink->plan->accumulates && stream == &sink->output->data) {
            add_line(sink, tensix->l1 + stream->address, line);
        } else {
            memcpy(tensix->l1 + stream->address, line, LINE);
        }
    }
    stream->address += LINE;
    stream->fill = 0;
    sink->output->lines++;
}

void tensix_pack_append(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream,
                        const uint8_t *bytes, unsigned size)
{
    while (size > 0) {
        unsigned room = LINE - stream->fill;
        unsigned part = size < room ? size : room;
        memcpy(stream->line + stream->fill, bytes, part);
        stream->fill = (uint8_t)(stream->fill + part);
        if (stream->fill == LINE) {
            put_line(sink, stream, stream->line);
        }
        bytes += part;
        size -= part;
    }
}

void tensix_pack_fill_line(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream)
{
    if (stream->fill > 0) {
        memset(stream->line + stream->fill, 0, LINE - stream->fill);
        put_line(sink, stream, stream->line);
    }
}

/* --- Data --- */

static void put_block(struct tensix_pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    const struct tensix_pack_plan *plan = sink->plan;
    uint8_t exponent, datums[NUM_BLOCK_DATUMS], bytes[NUM_BLOCK_DATUMS] = {0};
    num_block_from_halves_stochastic((enum num_format)plan->how.to, output->block, &exponent,
                                     datums, plan->rounds_blocks ? &output->generator : NULL);
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        unsigned bit = i * plan->bits;
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] | datums[i] << bit % 8);
    }
    output->block_count = 0;
    tensix_pack_append(sink, &output->data, bytes, plan->bits * NUM_BLOCK_DATUMS / 8);
    if (plan->writes_exponents) {
        tensix_pack_append(sink, &output->exponents, &exponent, 1);
    }
}

void tensix_pack_put_datum(struct tensix_pack_sink *sink, uint32_t datum)
{
    struct tensix_pack_output *output = sink->output;
    if (!sink->plan->is_block) {
        uint8_t bytes[sizeof datum];
        memcpy(bytes, &datum, sizeof datum);
        tensix_pack_append(sink, &output->data, bytes, sink->plan->bits / 8);
        return;
    }
    output->block[output->block_count++] = (uint16_t)datum;
    if (output->block_count == NUM_BLOCK_DATUMS) {
        put_block(sink);
    }
}

static void fill_block(struct tensix_pack_sink *sink)
{
    while (sink->plan->is_block && sink->output->block_count > 0) {
        tensix_pack_put_datum(sink, 0);
    }
}

static void put(struct tensix_pack_sink *sink, uint32_t datum)
{
    sink->output->count++;
    if (sink->plan->compresses) {
        tensix_pack_compress(sink, datum);
    } else {
        tensix_pack_put_datum(sink, datum);
    }
}

/* Nothing that has gathered stays here. */
static void drain(struct tensix_pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    if (sink->plan->compresses) {
        tensix_pack_end_row(sink);
        tensix_pack_end_group(sink);
    }
    fill_block(sink);
    tensix_pack_fill_line(sink, &output->data);
    tensix_pack_fill_line(sink, &output->exponents);
    tensix_pack_fill_line(sink, &output->rows);
}

/* What has gathered for a format or mode that was changed meanwhile is lost. */
static void close(struct tensix_pack_output *output)
{
    *output = (struct tensix_pack_output){
        .lines = output->lines,
        .zero_flags = output->zero_flags,
    };
}

/* --- Trial and truth --- */

static void notify(struct tensix *tensix, uint32_t from, uint32_t to)
{
    if (to > from) {
        tensix->board->l1_written(tensix->owner, from, to - from, tensix->now);
        tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_PACKER, from, to - from);
    }
}

struct task {
    const struct tensix_pack_job *job; /* NULL: only to flush */
    const struct tensix_pack_batch *batch;
    bool continues, closes;
};

static void perform(struct tensix_pack_sink *sink, const struct task *task)
{
    const struct tensix_pack_job *job = task->job;
    if (job && (job->zeros || task->batch->count)) {
        if (sink->plan->compresses) {
            tensix_pack_begin_rows(sink);
        }
        for (uint32_t i = 0; i < job->zeros; i++) {
            put(sink, 0);
        }
        for (unsigned i = 0; i < task->batch->count; i++) {
            put(sink, task->batch->datum[i]);
        }
        if (sink->plan->compresses && !task->continues) {
            tensix_pack_end_row(sink);
        }
    }
    if (task->closes) {
        drain(sink);
    }
}

/* `next` is the output with its streams open. */
static bool commit(struct tensix *tensix, const struct tensix_pack_plan *plan,
                   struct tensix_pack_output *next, const struct task *task, uint32_t *address)
{
    struct tensix_pack_output trial = *next;
    struct tensix_pack_sink sink = {
        .tensix = tensix, .plan = plan, .output = &trial, .on_trial = true};
    const uint32_t data = next->data.address, exponents = next->exponents.address,
                   rows = next->rows.address;
    perform(&sink, task);
    if (sink.failed) {
        *address = sink.beyond;
        return false;
    }
    sink.output = next;
    sink.on_trial = false;
    perform(&sink, task);
    notify(tensix, rows, next->rows.address);
    notify(tensix, exponents, next->exponents.address);
    notify(tensix, data, next->data.address);
    tensix->packer.output = *next;
    return true;
}

bool tensix_pack_put(struct tensix *tensix, const struct tensix_pack_job *job,
                     const struct tensix_pack_batch *batch, bool continues, bool closes,
                     uint32_t *address)
{
    struct tensix_pack_output next = tensix->packer.output;
    const struct task task = {job, batch, continues, closes};
    tensix_pack_open(tensix, job, &next);
    if (!commit(tensix, job->plan, &next, &task, address)) {
        return false;
    }
    if (closes) {
        close(&tensix->packer.output);
    }
    return true;
}

bool tensix_pack_flush(struct tensix *tensix, const struct tensix_pack_plan *plan, bool ends,
                       uint32_t *address)
{
    struct tensix_pack_output next = tensix->packer.output;
    const struct task task = {NULL, NULL, false, true};
    if (!commit(tensix, plan, &next, &task, address)) {
        return false;
    }
    if (ends) {
        close(&tensix->packer.output);
    }
    return true;
}

/* --- Plain rows --- */

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
    struct tensix_pack_rows rows = tensix_pack_gather(tensix, job, storage);
    job->plan->pack(how, rows.high, rows.low, job->rows, data, exponents);
    packer->max_exponent =
        tensix_pack_greatest(tensix, job, rows, data, exponents, packer->max_exponent);
    if (job->plan->accumulates) {
        kernels->accumulate((enum num_format)how->to, data, job->rows, l1);
    }
    notify(tensix, output->data.address, output->data.address + size);
    output->data.address += size;
    output->lines += size / LINE;
    output->count += job->rows * NUM_BLOCK_DATUMS;
}

static void put_exponents(struct tensix *tensix, const struct tensix_pack_plan *plan,
                          const uint8_t *exponents, unsigned count, bool closes)
{
    struct tensix_pack_output *output = &tensix->packer.output;
    struct tensix_pack_stream *stream = &output->exponents;
    struct tensix_pack_sink sink = {.tensix = tensix, .plan = plan, .output = output};
    const uint32_t before = stream->address;
    if (stream->fill + TENSIX_PACK_ROWS < LINE) { /* usual, and the line has room for all four */
        memcpy(stream->line + stream->fill, exponents, TENSIX_PACK_ROWS);
        stream->fill = (uint8_t)(stream->fill + count);
    } else {
        tensix_pack_append(&sink, stream, exponents, count);
    }
    if (closes) {
        tensix_pack_fill_line(&sink, stream);
    }
    notify(tensix, before, stream->address);
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
    if (!lies_in_l1(tensix, output->data.address, size)) {
        *address = output->data.address;
        return false;
    }
    if (!job->plan->writes_exponents) {
        return true;
    }
    unsigned bytes = output->exponents.fill + job->rows + (closes ? LINE - 1 : 0);
    *address = output->exponents.address;
    return lies_in_l1(tensix, *address, bytes / LINE * LINE);
}

bool tensix_pack_put_plain(struct tensix *tensix, const struct tensix_pack_job *job, bool closes,
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
        put_exponents(tensix, plan, exponents, job->rows, closes);
    }
    if (closes) {
        close(&packer->output);
    }
    return true;
}
