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

bool tensix_pack_lies_in_l1(const struct tensix *tensix, uint32_t address, uint32_t size)
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

/* The line of a stream, which begins another of zeros. */
static void put_line(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream)
{
    struct tensix *tensix = sink->tensix;
    if (!tensix_pack_lies_in_l1(tensix, stream->address, LINE)) {
        sink->beyond = sink->failed ? sink->beyond : stream->address;
        sink->failed = true;
    } else if (!sink->on_trial) {
        if (sink->plan->accumulates && stream == &sink->output->data) {
            add_line(sink, tensix->l1 + stream->address, stream->line);
        } else {
            memcpy(tensix->l1 + stream->address, stream->line, LINE);
        }
    }
    stream->address += LINE;
    stream->fill = 0;
    memset(stream->line, 0, LINE);
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
            put_line(sink, stream);
        }
        bytes += part;
        size -= part;
    }
}

void tensix_pack_fill_line(struct tensix_pack_sink *sink, struct tensix_pack_stream *stream)
{
    if (stream->fill > 0) {
        put_line(sink, stream);
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

/* At most a batch. */
static void put(struct tensix_pack_sink *sink, const uint32_t *datum, unsigned count)
{
    const struct tensix_pack_plan *plan = sink->plan;
    unsigned size = plan->bits / 8;
    uint8_t bytes[sizeof((struct tensix_pack_batch *)0)->datum];
    sink->output->count += count;
    if (plan->compresses || plan->is_block) {
        for (unsigned i = 0; i < count; i++) {
            (plan->compresses ? tensix_pack_compress : tensix_pack_put_datum)(sink, datum[i]);
        }
        return;
    }
    for (unsigned i = 0; i < count; i++) { /* each over the unused bytes of the one before */
        memcpy(bytes + (size_t)i * size, &datum[i], sizeof datum[i]);
    }
    tensix_pack_append(sink, &sink->output->data, bytes, count * size);
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
void tensix_pack_close(struct tensix_pack_output *output)
{
    *output = (struct tensix_pack_output){
        .lines = output->lines,
        .zero_flags = output->zero_flags,
    };
}

/* --- Trial and truth --- */

void tensix_pack_notify(struct tensix *tensix, uint32_t from, uint32_t to)
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
    static const uint32_t zeros[NUM_BLOCK_DATUMS];
    const struct tensix_pack_job *job = task->job;
    uint32_t part;
    if (job && (job->zeros || task->batch->count)) {
        if (sink->plan->compresses) {
            tensix_pack_begin_rows(sink);
        }
        for (uint32_t left = job->zeros; left > 0; left -= part) {
            part = left < NUM_BLOCK_DATUMS ? left : NUM_BLOCK_DATUMS;
            put(sink, zeros, part);
        }
        put(sink, task->batch->datum, task->batch->count);
        if (sink->plan->compresses && !task->continues) {
            tensix_pack_end_row(sink);
        }
    }
    if (task->closes) {
        drain(sink);
    }
}

/* More bytes than a task adds to any stream: no datum takes more than four, its counters included,
 * but what gathered before and what fills up comes on top. */
static uint32_t most_bytes(const struct task *task)
{
    uint32_t data = task->job ? task->job->zeros + task->batch->count : 0;
    return 2 * (data + 4 * NUM_BLOCK_DATUMS) * (uint32_t)sizeof(uint32_t);
}

/* Does all of a task lie in L1? */
static bool is_possible(struct tensix *tensix, const struct tensix_pack_plan *plan,
                        const struct tensix_pack_output *next, const struct task *task,
                        uint32_t *address)
{
    struct tensix_pack_output trial = *next;
    struct tensix_pack_sink sink = {
        .tensix = tensix, .plan = plan, .output = &trial, .on_trial = true};
    perform(&sink, task);
    *address = sink.beyond;
    return !sink.failed;
}

/* `next` is the output with its streams open. */
static bool commit(struct tensix *tensix, const struct tensix_pack_plan *plan,
                   struct tensix_pack_output *next, const struct task *task, uint32_t *address)
{
    struct tensix_pack_sink sink = {.tensix = tensix, .plan = plan, .output = next};
    const uint32_t data = next->data.address, exponents = next->exponents.address,
                   rows = next->rows.address;
    uint32_t last = data > exponents ? data : exponents;
    last = last > rows ? last : rows;
    if (!tensix_pack_lies_in_l1(tensix, last, most_bytes(task)) &&
        !is_possible(tensix, plan, next, task, address)) {
        return false;
    }
    perform(&sink, task);
    tensix_pack_notify(tensix, rows, next->rows.address);
    tensix_pack_notify(tensix, exponents, next->exponents.address);
    tensix_pack_notify(tensix, data, next->data.address);
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
        tensix_pack_close(&tensix->packer.output);
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
        tensix_pack_close(&tensix->packer.output);
    }
    return true;
}
