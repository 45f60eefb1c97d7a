/*
 * Compression: zeros after a datum are counted instead of stored, up to 15 of them.
 *
 * SPEC: WormholeB0 Packers/Compression defines the format and leaves the packer's choices open:
 * here a row is stored as short as it gets. The first and the last datum of a row are stored; what
 * is stored comes in groups of 32, each followed by its 32 counters of four bits. Row start
 * indices go to the stream `rows`: 0, and after each row how many data are stored so far.
 *
 * GUESS: a datum is zero if its pattern for L1 is; groups of 2-bit data, which the page does not
 * know, are filled up to whole lines; the flags of rows without data are set for the first 32 rows
 * of a tile unless Disable_pack_zero_flags says otherwise.
 */
#include "tensix/pack/job.h"

enum { MOST_ZEROS = 15, FLAGS = 32 };

static void put_counters(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    pack_fill_line(sink, &output->data);
    pack_append(sink, &output->data, output->counters, sizeof output->counters);
    memset(output->counters, 0, sizeof output->counters);
    output->group = 0;
}

static void store(struct pack_sink *sink, uint32_t datum, unsigned zeros)
{
    struct tensix_pack_output *output = sink->output;
    uint8_t *counter = &output->counters[output->group / 2];
    *counter = (uint8_t)(*counter | zeros << output->group % 2 * 4);
    output->group++;
    pack_put_datum(sink, datum);
    if (output->group == TENSIX_PACK_GROUP) {
        put_counters(sink);
    }
}

static void store_held(struct pack_sink *sink, unsigned zeros)
{
    sink->output->stored++;
    store(sink, sink->output->held, zeros);
}

static void put_row_start(struct pack_sink *sink)
{
    uint8_t index[] = {(uint8_t)sink->output->stored, (uint8_t)(sink->output->stored >> 8)};
    pack_append(sink, &sink->output->rows, index, sizeof index);
}

/* Before the data of a PACR: a tile begins with index 0. */
void pack_begin_rows(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    if (!output->row_open && output->row_count == 0) {
        put_row_start(sink);
        output->zero_flags = 0;
    }
    output->row_open = true;
}

void pack_compress(struct pack_sink *sink, uint32_t datum)
{
    struct tensix_pack_output *output = sink->output;
    output->row_has_data |= datum != 0;
    if (output->has_held && datum == 0 && output->held_zeros < MOST_ZEROS) {
        output->held_zeros++;
        return;
    }
    if (output->has_held) {
        store_held(sink, output->held_zeros);
    }
    output->has_held = true;
    output->held = datum;
    output->held_zeros = 0;
}

void pack_end_row(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    const struct pack_job *job = sink->job;
    if (!output->row_open) {
        return;
    }
    if (output->held_zeros > 0) { /* the last datum is stored, too */
        store_held(sink, output->held_zeros - 1);
        output->held = 0;
    }
    if (output->has_held) {
        store_held(sink, 0);
    }
    put_row_start(sink);
    if (!output->row_has_data && output->row_count < FLAGS &&
        !pack_section(job->tensix, job->which, job->state,
                      TENSIX_FIELD_THCON_SEC0_REG1_Disable_pack_zero_flags)) {
        output->zero_flags |= UINT32_C(1) << output->row_count;
    }
    output->row_count++;
    output->row_open = output->row_has_data = output->has_held = false;
    output->held_zeros = 0;
}

void pack_end_group(struct pack_sink *sink)
{
    struct tensix_pack_output *output = sink->output;
    while (output->group > 0) {
        store(sink, 0, 0);
    }
    output->row_count = output->stored = 0;
}
