/*
 * How many responses an NIU still waits for, as its counters say.
 *
 * NIU_MST_REQS_OUTSTANDING_ID(id) alone does not say how many are missing: a multicast adds one and
 * takes one away for each receiver. The counters of requests and responses, for reads, writes and
 * atomics, show whether there were multicasts: then there are more responses than requests. Values
 * of the ids are reported only if they agree with those counters.
 */
#ifndef OBSERVE_WAIT_OWED_H
#define OBSERVE_WAIT_OWED_H

#include "noc/niu.h"

enum { OWED_KINDS = 3 };

struct owed_kind {
    enum niu_counter asked, answered;
    const char *name, *barrier;
    bool has_multicasts;
};

extern const struct owed_kind owed_kinds[OWED_KINDS];

/* Responses of a kind that have not come, below zero where more came than there were requests. */
int32_t owed_responses(const struct niu *niu, unsigned kind);

/* The counter of an id, which has eight bits, as a number that may be below zero. */
int owed_outstanding(const struct niu *niu, unsigned id);

/* Do the NIU's counters of transaction ids say how many requests wait for their response? They do
 * not where receivers of multicasts were counted. */
bool owed_ids_hold(const struct niu *niu);

#endif
