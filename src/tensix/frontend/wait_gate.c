/*
 * The wait gate of a thread: the conditions that STALLWAIT, SEMWAIT and STREAMWAIT have latched,
 * and whether they hold the next instruction (SPEC: WormholeB0 WaitGate; BlackholeA0 STALLWAIT,
 * SEMWAIT, STREAMWAIT).
 *
 * The hardware looks at the latched conditions every cycle from the one after the wait instruction,
 * forgets them at the first cycle at which all are met, and opens a cycle later. Here they are
 * checked when they are latched, when something on which they depend changes (tensix_reconsider),
 * and when an instruction wants to pass. `met` keeps the result.
 */
#include <stdio.h>

#include "arch/overlay.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

enum { SEMWAIT_ZERO = 1 << 0, SEMWAIT_MAX = 1 << 1 };
/* Conditions that time alone fulfils. */
enum {
    BY_ITSELF = TENSIX_C_SCALAR | TENSIX_C_UNPACKER0 | TENSIX_C_UNPACKER1 | TENSIX_C_PACKER |
                TENSIX_C_MATRIX | TENSIX_C_MOVER | TENSIX_C_VECTOR | TENSIX_C_CONFIG,
};

/* --- Conditions --- */

static bool is_busy(const struct tensix *tensix, unsigned thread, enum tensix_unit unit,
                    uint64_t now)
{
    return tensix->timing && tensix->thread[thread].busy_until[unit] > now;
}

static bool config_busy(const struct tensix *tensix, uint64_t now)
{
    for (unsigned i = 0; i < tensix->results; i++) {
        if (tensix->result[i].is_config) {
            return true;
        }
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (is_busy(tensix, thread, TENSIX_UNIT_CONFIG, now)) {
            return true;
        }
    }
    return false;
}

/* Does this condition of STALLWAIT keep the thread waiting? */
static bool keeps_waiting(const struct tensix *tensix, unsigned thread,
                          enum tensix_condition condition, uint64_t now)
{
    switch (condition) {
    case TENSIX_C_SCALAR:
        return tensix_requests_pending(tensix, thread);
    case TENSIX_C_UNPACKER0:
        return tensix_unpack_holds(tensix, thread, 0) ||
               is_busy(tensix, thread, TENSIX_UNIT_UNPACK, now);
    case TENSIX_C_UNPACKER1:
        return tensix_unpack_holds(tensix, thread, 1) ||
               is_busy(tensix, thread, TENSIX_UNIT_UNPACK, now);
    case TENSIX_C_PACKER:
        return is_busy(tensix, thread, TENSIX_UNIT_PACK, now);
    case TENSIX_C_MATRIX:
        return is_busy(tensix, thread, TENSIX_UNIT_MATRIX, now);
    case TENSIX_C_SRC_A_UNPACK:
        return !tensix_src_unpack_may_at(tensix, TENSIX_SRC_A, now);
    case TENSIX_C_SRC_B_UNPACK:
        return !tensix_src_unpack_may_at(tensix, TENSIX_SRC_B, now);
    case TENSIX_C_SRC_A_MATRIX:
        return !tensix_src_matrix_may_at(tensix, TENSIX_SRC_A, now);
    case TENSIX_C_SRC_B_MATRIX:
        return !tensix_src_matrix_may_at(tensix, TENSIX_SRC_B, now);
    case TENSIX_C_MOVER:
        return tensix_mover_busy(tensix);
    case TENSIX_C_HART: /* what harts store to devices takes effect at once */
        return false;
    case TENSIX_C_VECTOR: /* GUESS: what waits for further instructions is in no stage of it yet */
        return is_busy(tensix, thread, TENSIX_UNIT_VECTOR, now) ||
               tensix_vector_goes_on(tensix, thread);
    case TENSIX_C_CONFIG:
        return config_busy(tensix, now);
    }
    return false;
}

/* The conditions of a latched STALLWAIT that are not met. */
static unsigned unmet_conditions(const struct tensix *tensix, unsigned thread, uint64_t now)
{
    unsigned unmet = 0;
    for (unsigned rest = tensix->thread[thread].latch.conditions; rest; rest &= rest - 1) {
        unsigned condition = rest & (0u - rest);
        if (keeps_waiting(tensix, thread, (enum tensix_condition)condition, now)) {
            unmet |= condition;
        }
    }
    return unmet;
}

/* The conditions under which a semaphore of a latched SEMWAIT keeps the thread waiting. */
static unsigned semaphore_keeps(const struct tensix *tensix, const struct tensix_latch *latch,
                                unsigned i)
{
    const struct tensix_semaphore *semaphore = &tensix->semaphore[i];
    unsigned held = (semaphore->value == 0 ? SEMWAIT_ZERO : 0) |
                    (semaphore->value >= semaphore->max ? SEMWAIT_MAX : 0);
    return latch->semaphores >> i & 1 ? held & latch->semaphore_conditions : 0;
}

/* The first semaphore that does, or TENSIX_SEMAPHORES. */
static unsigned unmet_semaphore(const struct tensix *tensix, const struct tensix_latch *latch)
{
    unsigned i = 0;
    while (i < TENSIX_SEMAPHORES && !semaphore_keeps(tensix, latch, i)) {
        i++;
    }
    return i;
}

struct tensix_unmet tensix_unmet(const struct tensix *tensix, unsigned thread, uint64_t now)
{
    const struct tensix_latch *latch = &tensix->thread[thread].latch;
    struct tensix_unmet unmet = {.conditions = unmet_conditions(tensix, thread, now)};
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        unsigned keeps = semaphore_keeps(tensix, latch, i);
        unmet.is_zero |= keeps & SEMWAIT_ZERO;
        unmet.is_full |= keeps & SEMWAIT_MAX;
    }
    return unmet;
}

/* STREAMWAIT names one of the thread's STREAM_ID_SYNC words, which is looked up at the gate. */
static unsigned selected_stream(const struct tensix *tensix, unsigned thread)
{
    enum tensix_field_id bank_sel = (enum tensix_field_id)(
        TENSIX_FIELD_STREAM_ID_SYNC_SEC0_BankSel + tensix->thread[thread].latch.stream_select);
    return tensix_thread_field(tensix, thread, bank_sel);
}

static uint32_t stream_value(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_latch *latch = &tensix->thread[thread].latch;
    unsigned stream = selected_stream(tensix, thread);
    return tensix->board->stream(tensix->owner, stream,
                                 latch->stream_condition ? OVERLAY_NUM_MSGS_RECEIVED
                                                         : OVERLAY_CURR_PHASE);
}

static bool is_met(const struct tensix *tensix, unsigned thread, uint64_t now)
{
    const struct tensix_latch *latch = &tensix->thread[thread].latch;
    return !unmet_conditions(tensix, thread, now) &&
           unmet_semaphore(tensix, latch) == TENSIX_SEMAPHORES &&
           (!latch->waits_for_stream || stream_value(tensix, thread) >= latch->target);
}

/* --- Latching and looking --- */

/* Bits of enum tensix_config_user: what a wait for these conditions has waited for. */
static unsigned users_of_conditions(unsigned conditions)
{
    return (conditions & TENSIX_C_UNPACKER0 ? TENSIX_USED_BY_UNPACKER0 : 0) |
           (conditions & TENSIX_C_UNPACKER1 ? TENSIX_USED_BY_UNPACKER1 : 0) |
           (conditions & TENSIX_C_PACKER ? TENSIX_USED_BY_PACKER : 0);
}

static void look(struct tensix *tensix, unsigned thread, uint64_t now)
{
    struct tensix_thread *own = &tensix->thread[thread];
    struct tensix_latch *latch = &own->latch;
    if (!latch->block_mask || latch->met) {
        return;
    }
    if (latch->conditions & TENSIX_C_VECTOR) {
        tensix_vector_settle(tensix, &tensix->vector, now);
    }
    if (is_met(tensix, thread, now)) {
        latch->met = true;
        if (latch->conditions) {
            tensix_land(tensix, thread, users_of_conditions(latch->conditions));
        }
        latch->open_at = now + 1 > latch->open_at ? now + 1 : latch->open_at;
        if (own->blocked && own->wait == TENSIX_WAITS_FOR_LATCH) {
            own->blocked = false;
            own->time = latch->open_at > own->time ? latch->open_at : own->time;
        }
    }
}

void tensix_latch(struct tensix *tensix, unsigned thread, const struct tensix_latch *latch)
{
    struct tensix_thread *own = &tensix->thread[thread];
    tensix->outcome.holds = true;
    own->latch = *latch;
    own->latch.word = own->next;
    own->latch.origin = own->origin;
    own->latch.met = false;
    own->latch.open_at = tensix->now + 2; /* looked at in the next cycle, open in the one after */
    look(tensix, thread, tensix->now);
}

void tensix_reconsider(struct tensix *tensix, uint64_t now)
{
    tensix->outcome.changed = true;
    tensix_look(tensix, now);
}

void tensix_look(struct tensix *tensix, uint64_t now)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        look(tensix, thread, now);
    }
}

/* Units finish, and results and data arrive, by themselves in timed runs, unless an UNPACR waits in
 * its unpacker. */
static unsigned by_itself_now(const struct tensix *tensix, unsigned thread)
{
    unsigned held = (tensix_unpack_holds(tensix, thread, 0) ? TENSIX_C_UNPACKER0 : 0) |
                    (tensix_unpack_holds(tensix, thread, 1) ? TENSIX_C_UNPACKER1 : 0);
    return (BY_ITSELF & ~held) |
           (tensix_src_is_coming(tensix, TENSIX_SRC_A) ? TENSIX_C_SRC_A_MATRIX : 0) |
           (tensix_src_is_coming(tensix, TENSIX_SRC_B) ? TENSIX_C_SRC_B_MATRIX : 0) |
           (tensix_src_is_returning(tensix, TENSIX_SRC_A) ? TENSIX_C_SRC_A_UNPACK : 0) |
           (tensix_src_is_returning(tensix, TENSIX_SRC_B) ? TENSIX_C_SRC_B_UNPACK : 0);
}

bool tensix_gate_open(struct tensix *tensix, unsigned thread, const struct tensix_row_info *info,
                      uint64_t now, uint64_t *retry)
{
    struct tensix_latch *latch = &tensix->thread[thread].latch;
    look(tensix, thread, now);
    if (latch->met && now >= latch->open_at) {
        latch->block_mask = 0;
        return true;
    }
    if (!tensix_is_blocked(info, latch->block_mask)) {
        return true;
    }
    bool by_itself =
        tensix->timing && unmet_conditions(tensix, thread, now) & by_itself_now(tensix, thread);
    *retry = latch->met ? latch->open_at : by_itself ? now + 1 : UINT64_MAX;
    return false;
}

/* --- Words for reports --- */

static const char *const condition_words[] = {
#define CONDITION(NAME, bit, words) [bit] = (words),
#include "waits.def"
};

static int semaphore_text(const struct tensix *tensix, const struct tensix_latch *latch, char *text,
                          size_t size)
{
    unsigned i = unmet_semaphore(tensix, latch);
    const struct tensix_semaphore *semaphore = &tensix->semaphore[i];
    if (latch->semaphore_conditions & SEMWAIT_ZERO && semaphore->value == 0) {
        return tensix_posts_text(tensix, i, text, size);
    }
    return snprintf(text, size, "semaphore %u is %u, not below its maximum %u", i, semaphore->value,
                    semaphore->max);
}

void tensix_latch_text(const struct tensix *tensix, unsigned thread, char *text, size_t size)
{
    const struct tensix_latch *latch = &tensix->thread[thread].latch;
    unsigned unmet = unmet_conditions(tensix, thread, tensix->clock);
    int length = tensix_disassemble(latch->word, text, size);
    if (length < 0 || (size_t)length + 2 >= size) {
        return;
    }
    length += snprintf(text + length, size - (size_t)length, ": ");
    text += length;
    size -= (size_t)length;
    if (unmet) {
        snprintf(text, size, "%s", condition_words[__builtin_ctz(unmet)]);
    } else if (unmet_semaphore(tensix, latch) < TENSIX_SEMAPHORES) {
        semaphore_text(tensix, latch, text, size);
    } else if (latch->waits_for_stream) {
        snprintf(text, size, "stream %u has %s %u, not yet %u", selected_stream(tensix, thread),
                 latch->stream_condition ? "received messages" : "phase",
                 stream_value(tensix, thread), latch->target);
    } else {
        snprintf(text, size, "it opens in the next cycle");
    }
}
