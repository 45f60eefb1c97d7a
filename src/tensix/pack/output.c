/*
 * The packer's way to L1: the streams of lines of 16 bytes.
 *
 * SPEC: WormholeB0 Packers/OutputAddressGenerator and the packer's pipeline.
 *
 * A line is written when it is full or when Last or Flush fill it up with zeros; ttsim writes
 * single data, which shows only between PACRs of an unfinished line.
 */
#include "tensix/pack/job.h"

enum { LINE = PACK_LINE, ADDRESS_LINES = 0x1ffff };

/* --- Streams --- */

static void open_stream(struct tensix_pack_stream *stream, uint32_t address)
{
    if (!stream->open) {
        stream->open = true;
        stream->address = (address & ADDRESS_LINES) * LINE;
        stream->fill = 0;
    }
}

static bool is_open(const struct tensix_pack_output *output, const struct tensix_pack_plan *plan)
{
    return output->data.open && (output->exponents.open || !plan->has_exponents) &&
           (output->rows.open || !plan->compresses);
}

/* Streams that are closed get the addresses of this job. */
static void open_output(const struct pack_job *job, struct tensix_pack_output *output)
{
    const struct tensix_pack_plan *plan = job->plan;
    uint32_t address = pack_output_address(job);
    if (!output->data.open) {
        output->count = 0;
    }
    if (plan->compresses) {
        open_stream(&output->rows, address);
        address += pack_section(job->tensix, job->which, job->state,
                                TENSIX_FIELD_THCON_SEC0_REG1_Row_start_section_size);
    }
    if (plan->has_exponents) {
        open_stream(&output->exponents, address);
        address += pack_section(job->tensix, job->which, job->state,
                                TENSIX_FIELD_THCON_SEC0_REG1_Exp_section_size);
    }
    open_stream(&output->data, address);
}

void pack_close(struct tensix_pack_output *output)
{
    *output = (struct tensix_pack_output){
        .lines = output->lines,
        .zero_flags = output->zero_flags,
    };
}

/* --- Lines --- */

static bool lies_in_l1(const struct tensix *tensix, uint32_t address, uint32_t size)
{
    return size <= tensix->l1_size && address <= tensix->l1_size - size;
}

/* L1 accumulation of lines. */
static void add_lines(const struct pack_job *job, uint8_t *l1, const uint8_t *bytes, unsigned size)
{
    enum num_format to = (enum num_format)job->plan->how.to;
    unsigned datum_size = job->plan->bits / 8, row_size = NUM_BLOCK_DATUMS * datum_size;
    unsigned rows = size / row_size;
    job->tensix->kernels->accumulate(to, bytes, rows, l1);
    for (unsigned i = rows * row_size; i < size; i += datum_size) {
        uint32_t old = 0, datum = 0;
        memcpy(&old, l1 + i, datum_size);
        memcpy(&datum, bytes + i, datum_size);
        datum = num_pack_accumulate(to, old, datum);
        memcpy(l1 + i, &datum, datum_size);
    }
}

/* Writes whole lines to L1, or on trial looks where they would go. */
static void put_lines(struct pack_sink *sink, struct tensix_pack_stream *stream,
                      const uint8_t *bytes, unsigned size)
{
    const struct pack_job *job = sink->job;
    uint8_t *l1 = job->tensix->l1 + stream->address;
    if (sink->on_trial) {
        for (unsigned i = 0; i < size && !sink->failed; i += LINE) {
            sink->beyond = stream->address + i;
            sink->failed = !lies_in_l1(job->tensix, sink->beyond, LINE);
        }
    } else if (job->plan->accumulates && stream == &sink->output->data) {
        add_lines(job, l1, bytes, size);
    } else {
        memcpy(l1, bytes, size);
    }
    stream->address += size;
    sink->output->lines += size / LINE;
}

static void put_line(struct pack_sink *sink, struct tensix_pack_stream *stream)
{
    put_lines(sink, stream, stream->line, LINE);
    stream->fill = 0;
    memset(stream->line, 0, LINE);
}

void pack_append(struct pack_sink *sink, struct tensix_pack_stream *stream, const uint8_t *bytes,
                 unsigned size)
{
    while (size > 0) {
        unsigned room = LINE - stream->fill;
        unsigned part = size < room ? size : room;
        if (part == LINE) {
            part = size / LINE * LINE;
            put_lines(sink, stream, bytes, part);
        } else {
            memcpy(stream->line + stream->fill, bytes, part);
            stream->fill = (uint8_t)(stream->fill + part);
            if (stream->fill == LINE) {
                put_line(sink, stream);
            }
        }
        bytes += part;
        size -= part;
    }
}

void pack_fill_line(struct pack_sink *sink, struct tensix_pack_stream *stream)
{
    if (stream->fill > 0) {
        put_line(sink, stream);
    }
}

/* --- Data --- */

static void put_block(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    const struct tensix_pack_plan *plan = sink->job->plan;
    uint8_t exponent, datums[NUM_BLOCK_DATUMS], bytes[NUM_BLOCK_DATUMS] = {0};
    num_block_from_halves_stochastic((enum num_format)plan->how.to, output->block, &exponent,
                                     datums, plan->rounds_blocks ? &output->generator : NULL);
    for (unsigned i = 0; i < NUM_BLOCK_DATUMS; i++) {
        unsigned bit = i * plan->bits;
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] | datums[i] << bit % 8);
    }
    output->block_count = 0;
    pack_append(sink, &output->data, bytes, plan->bits * NUM_BLOCK_DATUMS / 8);
    if (plan->writes_exponents) {
        pack_append(sink, &output->exponents, &exponent, 1);
    }
}

void pack_put_datum(struct pack_sink *sink, uint32_t datum)
{
    struct tensix_pack_output *output = sink->output;
    if (!sink->job->plan->is_block) {
        uint8_t bytes[sizeof datum];
        memcpy(bytes, &datum, sizeof datum);
        pack_append(sink, &output->data, bytes, sink->job->plan->bits / 8);
        return;
    }
    output->block[output->block_count++] = (uint16_t)datum;
    if (output->block_count == NUM_BLOCK_DATUMS) {
        put_block(sink);
    }
}

/* At most a batch. */
static void put_patterns(struct pack_sink *sink, const uint32_t *datum, unsigned count)
{
    const struct tensix_pack_plan *plan = sink->job->plan;
    unsigned size = plan->bits / 8;
    uint8_t bytes[sizeof((struct pack_batch *)0)->datum];
    sink->output->count += count;
    if (plan->compresses || plan->is_block) {
        for (unsigned i = 0; i < count; i++) {
            (plan->compresses ? pack_compress : pack_put_datum)(sink, datum[i]);
        }
        return;
    }
    for (unsigned i = 0; i < count; i++) { /* each over the unused bytes of the one before */
        memcpy(bytes + (size_t)i * size, &datum[i], sizeof datum[i]);
    }
    pack_append(sink, &sink->output->data, bytes, count * size);
}

/* What has gathered goes out, filled up with zeros. */
static void drain(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    if (sink->job->plan->compresses) {
        pack_end_row(sink);
        pack_end_group(sink);
    }
    while (sink->job->plan->is_block && output->block_count > 0) {
        pack_put_datum(sink, 0);
    }
    pack_fill_line(sink, &output->data);
    pack_fill_line(sink, &output->exponents);
    pack_fill_line(sink, &output->rows);
}

/* --- A job --- */

static inline void put_job(struct pack_sink *sink, struct pack_batch *batch)
{
    static const uint32_t zeros[NUM_BLOCK_DATUMS];
    const struct pack_job *job = sink->job;
    if (batch && (job->zeros || batch->count)) {
        if (job->plan->compresses) {
            pack_begin_rows(sink);
        }
        for (uint32_t left = job->zeros, part; left > 0; left -= part) {
            part = left < NUM_BLOCK_DATUMS ? left : NUM_BLOCK_DATUMS;
            put_patterns(sink, zeros, part);
        }
        if (batch->is_rows) {
            pack_put_rows(sink, batch);
        } else {
            put_patterns(sink, batch->datum, batch->count);
        }
        if (job->plan->compresses && !job->continues) {
            pack_end_row(sink);
        }
    }
    if (job->drains) {
        drain(sink);
    }
}

/* Is it certain that what a job writes lies in L1? No datum takes more than four bytes, its counters
 * included, but what gathered before and what fills up comes on top. */
static bool surely_fits(const struct pack_job *job, const struct tensix_pack_output *output,
                        const struct pack_batch *batch)
{
    uint32_t data = batch ? job->zeros + batch->count : 0;
    uint32_t most_bytes = 2 * (data + 4 * NUM_BLOCK_DATUMS) * (uint32_t)sizeof(uint32_t);
    uint32_t last = output->data.address;
    last = output->exponents.address > last ? output->exponents.address : last;
    last = output->rows.address > last ? output->rows.address : last;
    return lies_in_l1(job->tensix, last, most_bytes);
}

static bool fits_on_trial(struct pack_job *job, struct pack_batch *batch)
{
    struct tensix_pack_output trial = job->packer->output;
    struct pack_sink sink = {.job = job, .output = &trial, .on_trial = true};
    if (batch && !is_open(&trial, job->plan)) {
        open_output(job, &trial);
    }
    if (surely_fits(job, &trial, batch)) {
        return true;
    }
    put_job(&sink, batch);
    return !sink.failed ||
           pack_report(job, PENROSE_FAULT_TENSIX_UNDEFINED,
                       "output at 0x%x does not fit in L1, which ends at 0x%x; see "
                       "THCON_SEC0_REG1_L1_Dest_addr, the packer's ADC and PCK0_ADDR_*_REG_1",
                       sink.beyond, job->tensix->l1_size);
}

bool pack_fits(struct pack_job *job, struct pack_batch *batch)
{
    const struct tensix_pack_output *output = &job->packer->output;
    return (is_open(output, job->plan) && surely_fits(job, output, batch)) ||
           fits_on_trial(job, batch);
}

/* Tells that L1 was written from `from` up to where the stream is now. */
static inline void notify_written(const struct pack_job *job, uint32_t from,
                                  const struct tensix_pack_stream *stream)
{
    struct tensix *tensix = job->tensix;
    uint32_t size = stream->address - from;
    if (size > 0) {
        tensix->board->l1_written(tensix->owner, from, size, tensix->now);
        if (job->plan->accumulates && stream == &job->packer->output.data) {
            tensix_touch(tensix, TENSIX_READS, OBSERVED_STATE_L1, from, size);
        }
        tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_PACKER, from, size);
    }
}

void pack_put(const struct pack_job *job, struct pack_batch *batch)
{
    struct tensix_pack_output *output = &job->packer->output;
    struct pack_sink sink = {.job = job, .output = output};
    if (batch && !is_open(output, job->plan)) {
        open_output(job, output);
    }
    const uint32_t data = output->data.address, exponents = output->exponents.address,
                   rows = output->rows.address;
    put_job(&sink, batch);
    notify_written(job, rows, &output->rows);
    notify_written(job, exponents, &output->exponents);
    notify_written(job, data, &output->data);
}
