/*
 * The unpackers: compressed tiles. Each datum has a count of zeros that follow it; 32 data and
 * their counts ("deltas") take turns in L1.
 *
 * SPEC: WormholeB0 UNPACR_Regular, Unpackers/README, Packers/Compression.
 */
#include "tensix/unpack/job.h"

/* To the next datum; behind the last one of a group are deltas, behind those the next group. */
static void advance(const struct unpack_job *job, struct tensix_unpack_cursor *cursor)
{
    unpack_advance(job, cursor, 1);
    cursor->deltas += UNPACK_DELTA_BITS;
    if (cursor->deltas % UNPACK_LINE_BITS == 0) {
        cursor->data += UNPACK_LINE_BITS;
        cursor->deltas += UNPACK_GROUP * job->format.bits;
        cursor->deltas = unpack_wrap(job, cursor->deltas, 8);
    }
}

/* How many data come out of the one at the cursor. */
static uint32_t run_length(const struct unpack_job *job, const struct tensix_unpack_cursor *cursor)
{
    uint8_t pair = job->tensix->l1[cursor->deltas / 8];
    if (!job->all_zero) {
        tensix_touch(job->tensix, TENSIX_READS, OBSERVED_STATE_L1, (unsigned)(cursor->deltas / 8),
                     1);
    }
    return job->all_zero ? 1 : 1 + (pair >> cursor->deltas % 8 & 0xf);
}

bool unpack_check_compressed(struct unpack_job *job, uint64_t *outputs)
{
    struct tensix_unpack_cursor cursor = job->first;
    uint64_t wanted = (uint64_t)job->drop + job->outputs, found = 0;
    int64_t address;
    while (cursor.done < job->count && job->outputs && found < wanted) {
        bool fine = unpack_check_piece(job, &cursor, 1);
        if (!fine) {
            return false;
        }
        if (unpack_leaves_l1(job, cursor.deltas, UNPACK_DELTA_BITS, &address)) {
            return unpack_outside(job, "a count of zeros", address);
        }
        found += run_length(job, &cursor);
        advance(job, &cursor);
    }
    found = found < wanted ? found : wanted;
    *outputs = found > job->drop ? found - job->drop : 0;
    return true;
}

void unpack_move_compressed(struct unpack_job *job)
{
    struct tensix_unpack_cursor cursor = job->first;
    uint32_t drop = job->drop, left = job->outputs;
    while (cursor.done < job->count && left) {
        uint32_t stored = unpack_datum(job, &cursor);
        for (uint32_t i = run_length(job, &cursor); i > 0 && left; i--, stored = 0) {
            if (drop) {
                drop--;
                continue;
            }
            unpack_put(job, stored);
            left--;
        }
        advance(job, &cursor);
    }
}
