/*
 * Goes from a difference back to the one that it was made from. If that one is still there at the
 * end, its last write is known. If it has been overwritten, or was sent in a packet, this takes
 * further runs up to the moment of the read or of the sending.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "observe/explain/internal.h"

/* A word of a tile's L1 whose writer is to be found by further runs; NULL without memory. */
static struct explain_followed *add_followed(struct explain *explain, struct penrose_place at,
                                             uint32_t address, const char *when)
{
    struct explain_followed *made = calloc(1, sizeof *made);
    if (made) {
        snprintf(made->part.name, sizeof made->part.name, "l1");
        snprintf(made->part.detail, sizeof made->part.detail, "%s", when);
        snprintf(made->item.name, sizeof made->item.name, "%u-%u/l1[0x%x]", at.x, at.y, address);
        made->datum = (struct explain_datum){.part = &made->part,
                                             .item = &made->item,
                                             .watched = {.kind = WRITERS_L1, .index = address},
                                             .tile = explain_tile(explain, at.x, at.y)};
        made->next = explain->followed;
        explain->followed = made;
    }
    return made;
}

/* Finds the last write before these moments of A, and perhaps of B. NULL: they cannot be run. */
static struct explain_datum *run_followed(struct explain *explain, struct explain_followed *made,
                                          const struct writers_limit until[EXPLAIN_SIDES])
{
    const bool has_run =
        made->datum.tile < EXPLAIN_TILES &&
        explain_run(explain, EXPLAIN_A, &made->datum, 1, until[EXPLAIN_A]) &&
        (!explain->runs_both || explain_run(explain, EXPLAIN_B, &made->datum, 1, until[EXPLAIN_B]));
    return has_run ? &made->datum : NULL;
}

/* Finds the last write of an input before the input was read. */
static struct explain_datum *follow_read(struct explain *explain, const struct explain_datum *datum,
                                         const struct explain_input *input)
{
    const struct writers_source *const *read = input->read;
    struct explain_followed *made = add_followed(explain, explain->tile[datum->tile],
                                                 read[EXPLAIN_A]->address, "when it was read");
    if (!made) {
        return NULL;
    }
    snprintf(made->item.a, sizeof made->item.a, "0x%" PRIx64, read[EXPLAIN_A]->value);
    snprintf(made->item.b, sizeof made->item.b, "0x%" PRIx64, read[EXPLAIN_B]->value);
    const struct writers_limit until[EXPLAIN_SIDES] = {{UINT64_MAX, read[EXPLAIN_A]->sequence},
                                                       {UINT64_MAX, read[EXPLAIN_B]->sequence}};
    return run_followed(explain, made, until);
}

/* Finds the last write of what a packet brought, at its sender, before the packet left. */
static struct explain_datum *follow_packet(struct explain *explain,
                                           const struct explain_datum *datum)
{
    const struct writers_record *a = &datum->by[EXPLAIN_A].record,
                                *b = &datum->by[EXPLAIN_B].record;
    bool is_same = b->origin.is_known && b->origin.address == a->origin.address &&
                   b->peer_x == a->peer_x && b->peer_y == a->peer_y;
    struct explain_followed *made =
        explain->runs_both && !is_same
            ? NULL
            : add_followed(explain, (struct penrose_place){a->peer_x, a->peer_y},
                           a->origin.address & ~3U, "when it was sent");
    if (!made) {
        return NULL;
    }
    snprintf(made->item.a, sizeof made->item.a, "%s", datum->item->a);
    snprintf(made->item.b, sizeof made->item.b, "%s", datum->item->b);
    const struct writers_limit until[EXPLAIN_SIDES] = {{a->origin.cycle, UINT64_MAX},
                                                       {b->origin.cycle, UINT64_MAX}};
    return run_followed(explain, made, until);
}

struct explain_datum *explain_follow(struct explain *explain, const struct explain_datum *datum)
{
    struct explain_inputs inputs;
    if (datum->by[EXPLAIN_A].record.origin.is_known) {
        return follow_packet(explain, datum);
    }
    explain_find_inputs(explain, datum, &inputs);
    for (unsigned i = 0; i < inputs.count; i++) {
        const struct explain_input *input = &inputs.input[i];
        if (input->difference) {
            return (struct explain_datum *)(uintptr_t)input->difference;
        }
        if (input->differs && input->read[EXPLAIN_A]) {
            return follow_read(explain, datum, input);
        }
    }
    return NULL;
}
