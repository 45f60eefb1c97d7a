/*
 * The front end of the coprocessor: a FIFO per thread, drained one instruction a cycle.
 *
 * Invariants: count <= TENSIX_FIFO_DEPTH; cycles of the entries never decrease from head to tail
 * as far as one pusher is concerned; an entry leaves at a cycle greater than its own.
 */
#include <string.h>

#include "tensix/tensix.h"

/* Bits of the status CSRs. */
enum type {
    TYPE_REPLAY = 1 << 0,
    TYPE_MOP = 1 << 1,
    TYPE_SCALAR = 1 << 2,
    TYPE_MOVER = 1 << 3,
    TYPE_UNPACKER = 1 << 4,
    TYPE_PACKER = 1 << 5,
    TYPE_CONFIG = 1 << 6,
    TYPE_SYNC = 1 << 7,
    TYPE_TDMA = 1 << 8, /* miscellaneous, mover, scalar, packer or unpacker */
    TYPE_VECTOR = 1 << 9,
    TYPE_MATRIX = 1 << 10,
};

static const struct opcode_row {
    uint8_t first, last;
    uint16_t types;
} opcode_rows[] = {
#define OPCODES(first, last, types) {first, last, types},
#include "tensix/frontend.def"
#undef OPCODES
};

enum {
    OPCODE_MOP = 0x01,
    OPCODE_NOP = 0x02,
    OPCODE_MOP_CFG = 0x03,
    OPCODE_REPLAY = 0x04,
    OPCODE_RESOURCEDECL = 0x05,
    REPLAY_LOAD = 1 << 0,
    REPLAY_EXEC = 1 << 1,
};

/* Words of ThreadConfig. */
enum { TENSIX_TRISC_SYNC = 56, STREAM_ID_SYNC_SEC0 = 59 };
enum { TRACK_TENSIX_INSTRUCTIONS = 1 << 4, BANK_SEL_MASK = 0x3f };

/* Bit positions of the status CSRs. */
enum {
    QSTATUS_CC = 11,
    QSTATUS_ALL = 13,
    QSTATUS_CC_COPY = 24,
    BSTATUS_ALL = 11,
};

void tensix_reset(struct tensix *tensix)
{
    memset(tensix, 0, sizeof *tensix);
}

static const struct tensix_entry *entry_at(const struct tensix_thread *thread, unsigned i)
{
    return &thread->fifo[(thread->head + i) % TENSIX_FIFO_DEPTH];
}

static unsigned opcode_of(const struct tensix_entry *entry)
{
    return entry->word >> 24;
}

/* --- Pushing and draining --- */

bool tensix_accepts(const struct tensix *tensix, unsigned thread)
{
    return tensix->thread[thread].count <= TENSIX_FIFO_ACCEPTS;
}

bool tensix_push(struct tensix *tensix, unsigned thread, enum tensix_source source, uint32_t word,
                 uint64_t cycle)
{
    struct tensix_thread *queue = &tensix->thread[thread];
    if (!tensix_accepts(tensix, thread)) {
        return false;
    }
    unsigned tail = (queue->head + queue->count) % TENSIX_FIFO_DEPTH;
    queue->fifo[tail] = (struct tensix_entry){.word = word, .source = source, .cycle = cycle};
    queue->count++;
    queue->pushed++;
    return true;
}

/* The cycle at which the thread's oldest instruction leaves. */
static uint64_t leaving_time(const struct tensix_thread *thread, uint64_t now)
{
    uint64_t time = thread->fifo[thread->head].cycle + 1;
    time = thread->free_at > time ? thread->free_at : time;
    return now > time ? now : time;
}

bool tensix_run(struct tensix *tensix, uint64_t now, uint64_t end, uint64_t *event)
{
    bool any = false;
    *event = now;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *thread = &tensix->thread[i];
        while (thread->count > 0) {
            uint64_t time = leaving_time(thread, now);
            if (time >= end) {
                break;
            }
            thread->head = (thread->head + 1) % TENSIX_FIFO_DEPTH;
            thread->count--;
            thread->drained++;
            thread->free_at = time + 1;
            *event = time > *event ? time : *event;
            any = true;
        }
    }
    return any;
}

bool tensix_thread_busy(const struct tensix *tensix, unsigned thread)
{
    return tensix->thread[thread].count > 0;
}

bool tensix_busy(const struct tensix *tensix)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (tensix_thread_busy(tensix, i)) {
            return true;
        }
    }
    return false;
}

bool tensix_mop_busy(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_thread *queue = &tensix->thread[thread];
    for (unsigned i = 0; i < queue->count; i++) {
        const struct tensix_entry *entry = entry_at(queue, i);
        if (entry->source == TENSIX_FROM_TRISC && opcode_of(entry) == OPCODE_MOP) {
            return true;
        }
    }
    return false;
}

void tensix_discard(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *queue = &tensix->thread[thread];
    unsigned kept = 0;
    for (unsigned i = 0; i < queue->count; i++) {
        struct tensix_entry entry = *entry_at(queue, i);
        if (entry.source != TENSIX_FROM_TRISC) { /* these are behind the MOP expander */
            queue->fifo[(queue->head + kept++) % TENSIX_FIFO_DEPTH] = entry;
        }
    }
    queue->count = kept;
}

/* --- Auto TTSync --- */

static bool uses_resources(const struct tensix_entry *entry)
{
    unsigned opcode = opcode_of(entry);
    return entry->source == TENSIX_FROM_TRISC && opcode != OPCODE_NOP && opcode != OPCODE_MOP_CFG &&
           opcode != OPCODE_RESOURCEDECL;
}

bool tensix_must_wait(const struct tensix *tensix, unsigned thread, enum tensix_resource resource)
{
    unsigned tracked = tensix->thread_config[thread][TENSIX_TRISC_SYNC];
    bool is_on = tracked & TRACK_TENSIX_INSTRUCTIONS && tracked & resource &&
                 !(tensix->held & TENSIX_RESET_AUTO_TTSYNC);
    const struct tensix_thread *queue = &tensix->thread[thread];
    for (unsigned i = 0; is_on && i < queue->count; i++) {
        if (uses_resources(entry_at(queue, i))) {
            return true;
        }
    }
    return false;
}

/* --- Status CSRs --- */

static uint32_t types_of(const struct tensix_entry *entry)
{
    unsigned opcode = opcode_of(entry);
    bool only_loads = (entry->word & (REPLAY_LOAD | REPLAY_EXEC)) == REPLAY_LOAD;
    if (entry->source != TENSIX_FROM_TRISC || (opcode == OPCODE_REPLAY && only_loads)) {
        return 0;
    }
    for (unsigned i = 0; i < sizeof opcode_rows / sizeof opcode_rows[0]; i++) {
        if (opcode >= opcode_rows[i].first && opcode <= opcode_rows[i].last) {
            return opcode_rows[i].types;
        }
    }
    return 0;
}

static uint32_t queued_types(const struct tensix_thread *thread)
{
    uint32_t types = 0;
    for (unsigned i = 0; i < thread->count; i++) {
        types |= types_of(entry_at(thread, i));
    }
    return types;
}

uint32_t tensix_status(const struct tensix *tensix, unsigned thread, unsigned index)
{
    /* The vector unit enables all lanes after reset, and nothing changes that yet. */
    const uint32_t lanes_enabled = UINT32_C(1) << QSTATUS_CC | UINT32_C(1) << QSTATUS_CC_COPY;
    uint32_t all = 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        all |= queued_types(&tensix->thread[i]);
    }
    uint32_t own = thread < TENSIX_THREADS ? queued_types(&tensix->thread[thread]) : all;
    switch (index) {
    case 0:
        return own | all << QSTATUS_ALL | lanes_enabled;
    case 1: /* an instruction executes in the cycle in which it leaves the queue */
        return own | all << BSTATUS_ALL;
    default:
        return 0;
    }
}

unsigned tensix_status_stream(const struct tensix *tensix, unsigned thread, unsigned i)
{
    return tensix->thread_config[thread][STREAM_ID_SYNC_SEC0 + i] & BANK_SEL_MASK;
}

/* --- Semaphores --- */

void tensix_semaphore_post(struct tensix *tensix, unsigned index)
{
    struct tensix_semaphore *semaphore = &tensix->semaphore[index];
    if (semaphore->value < TENSIX_SEMAPHORE_MOST) {
        semaphore->value++;
    }
}

void tensix_semaphore_get(struct tensix *tensix, unsigned index)
{
    struct tensix_semaphore *semaphore = &tensix->semaphore[index];
    if (semaphore->value > 0) {
        semaphore->value--;
    }
}
