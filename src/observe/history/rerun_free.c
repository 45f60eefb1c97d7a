/* See rerun_free.h. */
#include "observe/history/rerun_free.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "host/array.h"
#include "isa/error.h"

enum { AHEAD = 4096, LATER = 256, STEP_CYCLES = 512, MOST_STEP = 65536 };

/* --- Host memory --- */

/* The first call of that kind and place that is not taken yet, taken now. */
static bool find_call(const struct rerun_chip *of, enum journal_kind kind, uint64_t address,
                      uint32_t size, struct journal_entry *entry)
{
    struct free_rerun *own = (struct free_rerun *)of->rerun; /* which it begins with */
    while (own->first < own->calls && own->call[own->first].is_taken) {
        own->first++;
    }
    size_t end = own->calls - own->first < AHEAD ? own->calls : own->first + AHEAD;
    for (size_t i = own->first; i < end; i++) {
        struct free_call *call = &own->call[i];
        if (!call->is_taken && journal_get(own->rerun.journal, call->at, entry) &&
            entry->kind == kind && entry->chip == of->chip->head.number &&
            entry->number[0] == address && entry->number[1] == size) {
            call->is_taken = true;
            return true;
        }
    }
    return false;
}

static bool read_known_memory(void *context, uint64_t address, void *to, uint32_t size)
{
    const struct rerun_chip *of = context;
    struct free_rerun *own = (struct free_rerun *)of->rerun;
    struct journal_entry entry;
    if (!find_call(of, JOURNAL_HOST_READ, address, size, &entry)) {
        sparse_read(&own->memory, address, to, size);
        return true;
    }
    if (!entry.number[2] || entry.size != size) {
        return false;
    }
    memcpy(to, entry.bytes, size);
    (void)sparse_write(&own->memory, address, to, size);
    return true;
}

static bool write_known_memory(void *context, uint64_t address, const void *from, uint32_t size)
{
    const struct rerun_chip *of = context;
    struct free_rerun *own = (struct free_rerun *)of->rerun;
    struct journal_entry entry;
    bool is_known = find_call(of, JOURNAL_HOST_WRITE, address, size, &entry);
    (void)sparse_write(&own->memory, address, from, size);
    return !is_known || entry.number[2];
}

/* --- Time --- */

/* Lets some time pass; false where the chip has stopped. */
static bool pass_time(struct rerun *rerun, uint64_t cycles)
{
    const struct penrose_run run = {.size = sizeof run, .cycles = cycles, .pass_quiet_time = true};
    return cluster_run(rerun->cluster, rerun->chip[0].chip, &run) == PENROSE_CYCLES;
}

/* Is something that the chip wrote to host memory before `at` still to come? */
static bool is_write_missing(const struct free_rerun *own, uint64_t at)
{
    for (size_t i = own->first; i < own->calls && own->call[i].at < at; i++) {
        struct journal_entry entry;
        if (!own->call[i].is_taken && journal_get(own->rerun.journal, own->call[i].at, &entry) &&
            entry.kind == JOURNAL_HOST_WRITE) {
            return true;
        }
    }
    return false;
}

static bool has_faulted(const struct rerun *rerun)
{
    return cluster_run(rerun->cluster, rerun->chip[0].chip,
                       &(struct penrose_run){.size = sizeof(struct penrose_run),
                                             .cycles = 0,
                                             .pass_quiet_time = true}) == PENROSE_FAULT;
}

static bool run_freely(struct free_rerun *own, const struct journal_entry *entry)
{
    struct rerun *rerun = &own->rerun;
    const struct chip_time *time = &rerun->cluster->time;
    bool faults = entry->number[0] == PENROSE_FAULT;
    uint64_t end = entry->number[1];
    uint64_t most = (end > time->now ? end : time->now) + FREE_MOST_CYCLES;
    if (end > UINT64_MAX / 4) {
        return rerun_differ(rerun, "a run until cycle %llu", (unsigned long long)end);
    }
    while (time->now < end && pass_time(rerun, end - time->now)) {
    }
    while ((is_write_missing(own, entry->at) || faults) && !has_faulted(rerun) &&
           time->now < most) {
        pass_time(rerun, STEP_CYCLES);
    }
    if (faults != has_faulted(rerun)) {
        return rerun_differ(rerun, faults ? "a fault that was recorded did not come again"
                                          : "a fault that was not recorded");
    }
    return !is_write_missing(own, entry->at) || faults ||
           rerun_differ(rerun, "the chip has not written to host memory what it had written when "
                               "it was recorded");
}

/* --- Reads --- */

static bool is_same_read(const struct journal_entry *a, const struct journal_entry *b)
{
    return a->kind == b->kind && a->chip == b->chip &&
           memcmp(a->number, b->number, sizeof a->number) == 0;
}

/* Did the host soon read the same again, before it wrote anything? */
static bool is_polled_again(const struct rerun *rerun, const struct journal_entry *read)
{
    struct journal_entry entry;
    uint64_t at = rerun->at;
    for (unsigned i = 0; i < LATER && journal_get(rerun->journal, at, &entry); i++) {
        if (is_same_read(read, &entry)) {
            return true;
        }
        if (entry.kind == JOURNAL_WRITE || entry.kind == JOURNAL_REGISTER_WRITE) {
            return false;
        }
        at = entry.next;
    }
    return false;
}

static bool read_freely(struct free_rerun *own, const struct journal_entry *read)
{
    struct rerun *rerun = &own->rerun;
    struct journal_entry answer;
    struct penrose_error error;
    enum penrose_status status;
    char text[160], what[240] = "";
    size_t size = read->kind == JOURNAL_READ ? (size_t)read->number[3] : sizeof(uint32_t);
    uint64_t most = rerun->cluster->time.now + FREE_MOST_CYCLES, step = STEP_CYCLES;
    if (!rerun_carry_out(rerun, read, &status, &error)) {
        return rerun_differ(rerun, "a read that is none");
    }
    if (!journal_get(rerun->journal, rerun->at, &answer) || answer.kind != JOURNAL_ANSWER) {
        return true; /* it was cut there */
    }
    rerun->at = answer.next;
    while (!rerun_compare_answer(&answer, status, rerun->bytes, size, what, sizeof what)) {
        if (is_polled_again(rerun, read)) {
            return true;
        }
        if (rerun->cluster->time.now >= most || !pass_time(rerun, step)) {
            rerun_describe(read, text, sizeof text);
            return rerun_differ(rerun, "%s: %s", text, what);
        }
        step = step < MOST_STEP ? 2 * step : step;
        rerun_carry_out(rerun, read, &status, &error);
    }
    return true;
}

/* --- Steps --- */

/* Did the call end badly, behind what the chip asked of its host meanwhile? */
static bool has_failed_then(const struct rerun *rerun)
{
    struct journal_entry entry;
    uint64_t at = rerun->at;
    while (journal_get(rerun->journal, at, &entry) &&
           (entry.kind == JOURNAL_HOST_READ || entry.kind == JOURNAL_HOST_WRITE)) {
        at = entry.next;
    }
    return entry.next > entry.at && entry.kind == JOURNAL_FAILED;
}

static bool write_freely(struct free_rerun *own, const struct journal_entry *entry)
{
    struct rerun *rerun = &own->rerun;
    struct penrose_error error;
    enum penrose_status status = PENROSE_OK;
    char text[160];
    uint64_t most = rerun->cluster->time.now + FREE_MOST_CYCLES;
    do {
        if (!rerun_carry_out(rerun, entry, &status, &error)) {
            rerun_describe(entry, text, sizeof text);
            return rerun_differ(rerun, "%s: this cannot be one of this chip's", text);
        }
    } while (status == PENROSE_E_STATE && !has_failed_then(rerun) &&
             rerun->cluster->time.now < most && pass_time(rerun, STEP_CYCLES));
    bool failed = has_failed_then(rerun);
    if ((status != PENROSE_OK) != failed) {
        rerun_describe(entry, text, sizeof text);
        return rerun_differ(rerun, "%s: %s", text,
                            failed ? "it failed when it was recorded" : error.text);
    }
    return true;
}

enum rerun_end free_rerun_step(struct free_rerun *own)
{
    struct rerun *rerun = &own->rerun;
    struct journal_entry *entry = &rerun->step;
    bool is_good = true;
    if (rerun->differs) {
        return RERUN_DIFFERS;
    }
    if (!journal_get(rerun->journal, rerun->at, entry)) {
        return RERUN_AT_END;
    }
    rerun->at = entry->next;
    switch (entry->kind) {
    case JOURNAL_WINDOWS:
    case JOURNAL_EARLY:
    case JOURNAL_PAUSE:
    case JOURNAL_GO_ON:
    case JOURNAL_FAILED:
    case JOURNAL_ANSWER:
    case JOURNAL_HOST_READ:
    case JOURNAL_HOST_WRITE:
    case JOURNAL_DEVICE_READ:
    case JOURNAL_DEVICE_WRITE:
        break;
    case JOURNAL_RAN:
        is_good = run_freely(own, entry);
        break;
    case JOURNAL_READ:
    case JOURNAL_REGISTER_READ:
        is_good = read_freely(own, entry);
        break;
    default:
        is_good = write_freely(own, entry);
        break;
    }
    return is_good && !rerun->differs ? RERUN_DONE : RERUN_DIFFERS;
}

/* --- Life --- */

static bool collect_calls(struct free_rerun *own, uint64_t at)
{
    struct journal_entry entry;
    size_t room = 0;
    for (; journal_get(own->rerun.journal, at, &entry); at = entry.next) {
        if (entry.kind != JOURNAL_HOST_READ && entry.kind != JOURNAL_HOST_WRITE) {
            continue;
        }
        if (!array_grow(&own->call, own->calls, &room, sizeof *own->call)) {
            return false;
        }
        own->call[own->calls++] = (struct free_call){.at = at};
    }
    return true;
}

enum penrose_status free_rerun_begin(struct free_rerun *own, struct penrose_cluster *cluster,
                                     const struct journal *journal, uint64_t at,
                                     struct penrose_error *error)
{
    *own = (struct free_rerun){.calls = 0};
    enum penrose_status status = rerun_begin(&own->rerun, cluster, journal, at, 0, error);
    if (status == PENROSE_OK && !collect_calls(own, at)) {
        free_rerun_finish(own);
        return error_set(error, PENROSE_E_MEMORY, "no memory to replay");
    }
    own->rerun.is_free = true;
    for (unsigned i = 0; i < own->rerun.chips; i++) {
        const struct penrose_host_memory host = {
            .read = read_known_memory, .write = write_known_memory, .context = &own->rerun.chip[i]};
        chip_host_memory_set(own->rerun.chip[i].chip, &host);
    }
    return status;
}

void free_rerun_finish(struct free_rerun *own)
{
    rerun_finish(&own->rerun);
    sparse_free(&own->memory);
    free(own->call);
    own->call = NULL;
}
