/*
 * The unpackers: data on their way from L1 to SrcA, SrcB and Dst.
 *
 * Whole rows of 16 data go through the kernels (num/kernels.h), as many at once as lie together on
 * both sides; what does not make a row, and what is spread or shifted, goes datum by datum.
 *
 * SPEC: WormholeB0 UNPACR_Regular.
 */
#include "tensix/unpack/job.h"

enum { COLUMNS = NUM_BLOCK_DATUMS, MOST_ROWS = TENSIX_SRC_FILE_ROWS };

/* --- What observers are told --- */

/* Rows of the bank that the unpackers have: `row` counts modulo its size. */
static void touch_src(const struct unpack_job *job, enum tensix_access access, unsigned row,
                      unsigned rows)
{
    struct tensix *tensix = job->tensix;
    enum tensix_src src = job->which ? TENSIX_SRC_B : TENSIX_SRC_A;
    unsigned bank = TENSIX_SRC_FILE_BANKS * src + tensix->src[src].unpack_bank;
    tensix_touch(tensix, access, OBSERVED_STATE_SRC,
                 bank * TENSIX_SRC_FILE_ROWS + row % TENSIX_SRC_FILE_ROWS, rows);
}

static void touch_dst(const struct unpack_job *job, enum tensix_access access, unsigned row)
{
    struct tensix *tensix = job->tensix;
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    const bool is_32bit = job->format.is_32bit;
    unsigned physical =
        is_32bit ? tensix_dst_physical32(map, row) : tensix_dst_physical16(map, row);
    tensix_touch(tensix, access, OBSERVED_STATE_DST, physical, 1);
    tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_DST_FLAG, physical, 1);
    if (is_32bit || map.high_half) {
        tensix_touch(tensix, access, OBSERVED_STATE_DST, physical + TENSIX_DST_LOWER_HALF, 1);
    }
}

/* --- Datum by datum --- */

static void write_src_a(const struct unpack_job *job, unsigned row, unsigned column,
                        uint32_t stored)
{
    struct tensix *tensix = job->tensix;
    if (row < UNPACK_SKIPPED_ROWS || column < job->plan->column_shift) {
        return;
    }
    row += job->row_offset - UNPACK_SKIPPED_ROWS;
    column -= job->plan->column_shift;
    if (job->plan->transposes) {
        unsigned low = row % COLUMNS;
        row = row - low + column;
        column = low;
    }
    touch_src(job, TENSIX_CHANGES, row, 1);
    tensix_src_file_write(&tensix->src_file[TENSIX_SRC_A], tensix->src[TENSIX_SRC_A].unpack_bank,
                          row, column, stored);
}

static void write_src_b(const struct unpack_job *job, unsigned row, unsigned column,
                        uint32_t stored)
{
    struct tensix *tensix = job->tensix;
    for (unsigned i = 0; i < (job->broadcasts ? UNPACK_BROADCAST_ROWS : 1u); i++) {
        touch_src(job, TENSIX_CHANGES, row + job->row_offset + i, 1);
        tensix_src_file_write(&tensix->src_file[TENSIX_SRC_B],
                              tensix->src[TENSIX_SRC_B].unpack_bank, row + job->row_offset + i,
                              column, stored);
    }
}

static void write_dst(const struct unpack_job *job, unsigned row, unsigned column, uint32_t stored)
{
    struct tensix *tensix = job->tensix;
    struct tensix_dst_map map = tensix_dst_map_now(tensix);
    tensix_vector_settle(tensix, &tensix->vector, tensix->now);
    row -= UNPACK_SKIPPED_ROWS;
    touch_dst(job, TENSIX_CHANGES, row);
    if (job->format.is_32bit) {
        tensix_dst_write32(&tensix->dst, map, row, column, stored);
    } else {
        tensix_dst_write16(&tensix->dst, map, row, column, (uint16_t)stored);
    }
}

static void write_datum(const struct unpack_job *job, uint32_t out, uint32_t stored)
{
    unsigned row = out / COLUMNS, column = out % COLUMNS;
    if (job->plan->to_dst) {
        write_dst(job, row, column, stored);
    } else if (job->which == 1) {
        write_src_b(job, row, column, stored);
    } else {
        write_src_a(job, row, column, stored);
    }
}

void unpack_put(struct unpack_job *job, uint32_t stored)
{
    write_datum(job, job->out, stored);
    for (uint32_t i = 1; i < job->step && !job->plan->interleaves; i++) {
        write_datum(job, job->out + i, 0);
    }
    job->out += job->step;
}

static struct num_unpack how(const struct unpack_job *job)
{
    return (struct num_unpack){
        .in = job->format.how_in, .out = job->format.out, .to_dst = job->plan->to_dst};
}

uint32_t unpack_datum(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor)
{
    const struct tensix_unpack_format *format = &job->format;
    const uint8_t *l1 = job->tensix->l1;
    enum num_format in = (enum num_format)format->how_in;
    uint8_t exponent =
        job->reads_exponents ? l1[cursor->exponents / 16] : job->plan->forced_exponent;
    uint32_t datum = 0;
    if (job->all_zero) {
        return 0;
    }
    if (job->reads_exponents) {
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1,
                     (unsigned)(cursor->exponents / 16), 1);
    }
    tensix_tell(job->tensix, OBSERVED_READ, OBSERVED_UNPACKER, (uint32_t)(cursor->data / 8),
                format->bits <= 8 ? 1 : format->bits / 8u);
    memcpy(&datum, l1 + cursor->data / 8, format->bits <= 8 ? 1 : format->bits / 8u);
    if (format->bits < 8) {
        datum = datum >> cursor->data % 8 & ((1u << format->bits) - 1);
    }
    return job->plan->to_dst ? num_unpack_to_dst(in, format->out, datum, exponent)
                             : num_unpack_to_src(in, format->out, datum, exponent);
}

/* --- Row by row --- */

/* Do rows of 16 data come out as rows, and does each have one exponent? */
static bool makes_rows(const struct unpack_job *job)
{
    const struct tensix_unpack_plan *plan = job->plan;
    return !plan->zeroes && !plan->column_shift && !job->broadcasts && job->out % COLUMNS == 0 &&
           job->first.data % 8 == 0 &&
           (!job->reads_exponents || job->first.exponents % COLUMNS == 0);
}

/* Converts `rows` rows from the cursor on. */
static void convert(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor,
                    unsigned rows, uint32_t *stored)
{
    const struct num_unpack conversion = how(job);
    const uint8_t *l1 = job->tensix->l1, *exponents = NULL;
    uint8_t forced[MOST_ROWS];
    if (job->all_zero) {
        memset(stored, 0, rows * COLUMNS * sizeof *stored);
        return;
    }
    if (job->reads_exponents) {
        exponents = l1 + cursor->exponents / 16;
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1,
                     (unsigned)(cursor->exponents / 16), rows);
    } else if (job->format.is_block) {
        memset(forced, job->plan->forced_exponent, rows);
        exponents = forced;
    }
    tensix_tell(job->tensix, OBSERVED_READ, OBSERVED_UNPACKER, (uint32_t)(cursor->data / 8),
                rows * COLUMNS * job->format.bits / 8);
    job->tensix->kernels->unpack(&conversion, l1 + cursor->data / 8, exponents, rows, stored);
}

static void write_rows_to_dst(const struct unpack_job *job, unsigned row, unsigned rows,
                              const uint32_t *stored)
{
    struct tensix_dst *dst = &job->tensix->dst;
    struct tensix_dst_map map = tensix_dst_map_now(job->tensix);
    tensix_vector_settle(job->tensix, &job->tensix->vector, job->tensix->now);
    for (unsigned i = 0; i < rows; i++, stored += COLUMNS) {
        uint16_t halves[COLUMNS];
        touch_dst(job, TENSIX_WRITES, row + i);
        if (job->format.is_32bit) {
            tensix_dst_write_row32(dst, map, row + i, stored);
            continue;
        }
        for (unsigned column = 0; column < COLUMNS; column++) {
            halves[column] = (uint16_t)stored[column];
        }
        tensix_dst_write_row16(dst, map, row + i, halves);
    }
}

/* Rows of a block of 16 become columns. */
static void write_columns(uint32_t (*bank)[COLUMNS], unsigned row, unsigned rows,
                          const uint32_t *stored)
{
    for (unsigned i = 0; i < rows; i++, stored += COLUMNS) {
        unsigned low = (row + i) % COLUMNS, first = (row + i - low) % TENSIX_SRC_FILE_ROWS;
        for (unsigned column = 0; column < COLUMNS; column++) {
            bank[first + column][low] = stored[column];
        }
    }
}

/* Up to MOST_ROWS rows; they end no later than the bank. */
static void move_rows(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor,
                      unsigned rows)
{
    struct tensix *tensix = job->tensix;
    enum tensix_src src = job->which ? TENSIX_SRC_B : TENSIX_SRC_A;
    uint32_t stored[MOST_ROWS * COLUMNS];
    unsigned row = job->out / COLUMNS - (job->which ? 0 : UNPACK_SKIPPED_ROWS);
    if (job->plan->to_dst) {
        convert(job, cursor, rows, stored);
        write_rows_to_dst(job, row, rows, stored);
        return;
    }
    uint32_t(*bank)[COLUMNS] =
        tensix_src_file_open(&tensix->src_file[src], tensix->src[src].unpack_bank);
    row = (row + job->row_offset) % TENSIX_SRC_FILE_ROWS;
    if (job->plan->transposes) {
        touch_src(job, TENSIX_CHANGES, row / COLUMNS * COLUMNS,
                  (row + rows - 1) / COLUMNS * COLUMNS + COLUMNS - row / COLUMNS * COLUMNS);
        convert(job, cursor, rows, stored);
        write_columns(bank, row, rows, stored);
    } else {
        touch_src(job, TENSIX_WRITES, row, rows);
        convert(job, cursor, rows, bank[row]);
    }
}

/* How many of the next data are rows that move_rows can take at once; 0: none are. */
static uint32_t rows_ahead(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor)
{
    uint32_t rows = unpack_straight(job, cursor) / COLUMNS, row = job->out / COLUMNS;
    if (job->which == 0 && !job->plan->to_dst && row < UNPACK_SKIPPED_ROWS) {
        return 0;
    }
    if (!job->plan->to_dst) {
        row += job->row_offset - (job->which ? 0 : UNPACK_SKIPPED_ROWS);
    }
    uint32_t end = MOST_ROWS - (job->plan->to_dst ? 0 : row % MOST_ROWS);
    return rows < end ? rows : end;
}

static void move_plain(struct unpack_job *job)
{
    enum tensix_src src = job->which ? TENSIX_SRC_B : TENSIX_SRC_A;
    bool by_row = makes_rows(job) && !job->tensix->src_file[src].held;
    struct tensix_unpack_cursor cursor = job->first;
    while (cursor.done < job->count) {
        uint32_t rows = by_row ? rows_ahead(job, &cursor) : 0;
        if (rows) {
            move_rows(job, &cursor, rows);
            job->out += rows * COLUMNS;
            unpack_advance(job, &cursor, rows * COLUMNS);
        } else {
            unpack_put(job, unpack_datum(job, &cursor));
            unpack_advance(job, &cursor, 1);
        }
    }
}

void unpack_move(struct unpack_job *job)
{
    if (job->plan->to_dst) {
        job->tensix->outcome.changed = true;
        if (job->tensix->held & TENSIX_RESET_MATH) { /* SPEC: SoftReset, no way to Dst then */
            return;
        }
    }
    if (job->plan->is_uncompressed) {
        move_plain(job);
    } else {
        unpack_move_compressed(job);
    }
}
