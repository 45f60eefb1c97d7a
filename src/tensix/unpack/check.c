/*
 * The unpackers: finds and reports what the ISA leaves undefined, before anything has happened.
 *
 * SPEC: WormholeB0 UNPACR_Regular.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "tensix/unpack/job.h"

/* --- Reports --- */

bool unpack_undefined(struct unpack_job *job, const char *format, ...)
{
    char text[190];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    job->answer = tensix_fault(job->tensix, job->thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                               "UNPACR: unpacker %u: %s", job->which, text);
    return false;
}

bool unpack_outside(struct unpack_job *job, const char *what, int64_t address)
{
    const char *reg = job->context == 0  ? "REG3_Base_address"
                      : job->context < 4 ? "REG3_Base_cntx"
                                         : "REG4_Base_cntx";
    char context[12] = "";
    if (job->context) {
        snprintf(context, sizeof context, "%u", job->context);
    }
    return unpack_undefined(job,
                            "%s at %s0x%08" PRIx64 " is not in L1, which ends at 0x%08x; see "
                            "THCON_SEC%u_%s%s and the FIFO's limit",
                            what, address < 0 ? "-" : "",
                            address < 0 ? 0 - (uint64_t)address : (uint64_t)address,
                            job->tensix->l1_size, job->which, reg, context);
}

/* --- Formats and modes --- */

static const char *format_name(unsigned code)
{
    const struct num_format_info *info = num_format_info(code);
    return info ? info->name : "no format";
}

static bool check_format(struct unpack_job *job)
{
    const struct tensix_unpack_format *format = &job->format;
    if (format->is_legal) {
        return true;
    }
    return unpack_undefined(job,
                            "cannot convert format %u (%s) to %u (%s) in %s; see its tile "
                            "descriptor and Out_data_format",
                            format->in, format_name(format->in), format->out,
                            format_name(format->out),
                            job->which          ? "SrcB"
                            : job->plan->to_dst ? "Dst"
                                                : "SrcA");
}

static bool check_modes(struct unpack_job *job)
{
    const struct tensix_unpack_plan *plan = job->plan;
    if ((plan->transposes || plan->is_discontiguous) && job->first.data % UNPACK_LINE_BITS) {
        return unpack_undefined(job,
                                "with %s its data must start at a multiple of 16 bytes, not at "
                                "0x%" PRIx64,
                                plan->transposes ? "Haloize_mode" : "Tileize_mode",
                                (uint64_t)job->first.data / 8);
    }
    if (plan->is_discontiguous && (plan->zeroes || !plan->is_uncompressed)) {
        return unpack_undefined(job, "Tileize_mode goes with neither upsampling nor compressed "
                                     "tiles");
    }
    if (plan->to_dst && (plan->column_shift || plan->transposes)) {
        return unpack_undefined(job, "on the way to Dst there is no %s",
                                plan->transposes ? "Haloize_mode" : "Shift_amount");
    }
    if (plan->to_dst && job->reaches_all_rows) {
        return unpack_undefined(job, "on the way to Dst SRCA_SET_SetOvrdWithAddr must be 0");
    }
    return true;
}

/* --- Input --- */

/* SPEC: exponents of five bits are undefined outside of them, also after normalisation, which takes
 * up to six from them. */
static bool check_exponents(struct unpack_job *job, const struct tensix_unpack_cursor *start,
                            uint32_t count)
{
    const uint8_t *l1 = job->tensix->l1;
    enum num_format format = (enum num_format)job->format.how_in;
    uint32_t bits = job->format.bits;
    uint32_t i = 0;
    while (i < count) {
        int64_t position = start->exponents + i;
        uint8_t exponent =
            job->plan->forces_exponent ? job->plan->forced_exponent : l1[position / 16];
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1, (unsigned)(position / 16),
                     !job->plan->forces_exponent);
        if (exponent >= 6 && exponent <= 31) { /* whatever the data are */
            i += job->plan->forces_exponent ? count : 16 - (uint32_t)(position % 16);
            continue;
        }
        int64_t at = start->data + (int64_t)i * bits;
        uint8_t datum = (uint8_t)(l1[at / 8] >> at % 8 & ((1u << bits) - 1));
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1, (unsigned)(at / 8), 1);
        if (!num_block_is_defined(format, datum, exponent)) {
            return unpack_undefined(job,
                                    "shared exponent 0x%02x of the datum 0x%x at 0x%08" PRIx64
                                    " leaves the five bits of its format",
                                    exponent, datum, (uint64_t)at / 8);
        }
        i++;
    }
    return true;
}

bool unpack_leaves_l1(const struct unpack_job *job, int64_t first, int64_t bits, int64_t *address)
{
    int64_t end = (int64_t)job->tensix->l1_size * 8;
    bool below = first < 0;
    if (!below && first + bits <= end) {
        return false;
    }
    *address = below || first > end ? first / 8 - (below && first % 8) : end / 8;
    return true;
}

bool unpack_check_piece(struct unpack_job *job, const struct tensix_unpack_cursor *cursor,
                        uint32_t count)
{
    int64_t address;
    if (unpack_leaves_l1(job, cursor->data, (int64_t)count * job->format.bits, &address)) {
        return unpack_outside(job, "a datum", address);
    }
    if (job->reads_exponents) {
        int64_t first = cursor->exponents & ~INT64_C(15);
        int64_t end = (cursor->exponents + count + 15) & ~INT64_C(15);
        if (unpack_leaves_l1(job, first / 2, (end - first) / 2, &address)) {
            return unpack_outside(job, "an exponent", address);
        }
    }
    return job->format.has_narrow_exponent ? check_exponents(job, cursor, count) : true;
}

/* All that is read of an uncompressed tile, piece by piece. */
static bool check_plain(struct unpack_job *job)
{
    struct tensix_unpack_cursor cursor = job->first;
    while (cursor.done < job->count) {
        uint32_t count = unpack_straight(job, &cursor);
        bool fine = unpack_check_piece(job, &cursor, count);
        if (!fine) {
            return false;
        }
        unpack_advance(job, &cursor, count);
    }
    return true;
}

/* --- Output --- */

/* The last row in which a datum is written, before anything is added to it; false: there is none.
 */
static bool last_row(const struct unpack_job *job, uint64_t outputs, uint64_t *row)
{
    const struct tensix_unpack_plan *plan = job->plan;
    uint64_t step = plan->interleaves ? job->step : 1;
    uint64_t last = outputs * job->step - (plan->interleaves ? job->step : 1);
    for (uint64_t back = 0; back <= last && back < 16 * step; back += step) {
        uint64_t address = job->out + last - back;
        if ((address & 15) >= plan->column_shift) {
            *row = address / 16;
            return true;
        }
    }
    return false;
}

static bool check_rows(struct unpack_job *job, uint64_t outputs)
{
    uint64_t row;
    /* Rows of Dst wrap; so do those of SrcB: the page calls that undefined, HW: LLK's custom matmul
     * says that they count modulo 64, and relies on it. */
    if (job->which == 1 || job->plan->to_dst || outputs == 0 || !last_row(job, outputs, &row)) {
        return true;
    }
    if (!job->reaches_all_rows && row >= UNPACK_SKIPPED_ROWS + UNPACK_SET_ROWS) {
        return unpack_undefined(job,
                                "output reaches row %" PRIu64 " of a set of 16 rows of SrcA; "
                                "SRCA_SET_SetOvrdWithAddr reaches all rows",
                                row - UNPACK_SKIPPED_ROWS);
    }
    return true;
}

/* GUESS: the only words on it are LLK's "broadcast starting row into adjacent 8 rows on SrcB"; so
 * it is taken to be defined for one row of unpacker 1. */
static bool check_broadcast(struct unpack_job *job, uint64_t outputs)
{
    if (!job->broadcasts) {
        return true;
    }
    uint64_t row = (job->out / 16 + job->row_offset) % TENSIX_SRC_FILE_ROWS;
    if (job->which == 0 || outputs * job->step + job->out % 16 > 16 ||
        row + UNPACK_BROADCAST_ROWS > TENSIX_SRC_FILE_ROWS) {
        return unpack_undefined(job, "srcb_bcast is for one row of SrcB that goes to eight rows");
    }
    return true;
}

bool unpack_check(struct unpack_job *job)
{
    bool fine = check_format(job);
    if (fine) {
        fine = unpack_find_input(job);
    }
    if (fine) {
        fine = unpack_find_output(job);
    }
    if (fine) {
        fine = check_modes(job);
    }
    return fine && unpack_check_data(job);
}

bool unpack_check_data(struct unpack_job *job)
{
    uint64_t outputs = job->count;
    bool fine;
    if (job->plan->is_uncompressed) {
        fine = check_plain(job);
    } else {
        fine = unpack_check_compressed(job, &outputs);
    }
    if (fine) {
        fine = check_rows(job, outputs);
    }
    return fine && check_broadcast(job, outputs);
}
