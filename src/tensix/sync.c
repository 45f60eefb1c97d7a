/*
 * The Sync Unit: mutexes and semaphores between the three threads, and the instructions that hand a
 * wait to their thread's wait gate.
 *
 * SPEC: BlackholeA0 SyncUnit and the pages of its instructions.
 *
 * Invariants: value and max of a semaphore are below 16; mutex[i] is a thread or TENSIX_MUTEX_FREE,
 * and mutex[1], which does not exist, is always free. An ATGETM that cannot start shows in its
 * thread's `wait`; when a mutex becomes free, the waiting thread that comes first, counted from
 * mutex_next[i], takes it, and all others go on waiting, whatever order they are offered in.
 */
#include <stdio.h>

#include "tensix/exec.h"

enum {
    DEFAULT_BLOCKS = TENSIX_BLOCK_MATRIX,
    DEFAULT_CONDITIONS =
        TENSIX_C_SCALAR | TENSIX_C_UNPACKER0 | TENSIX_C_UNPACKER1 | TENSIX_C_PACKER,
    TARGET_LOW_BITS = 10, /* of the operand of STREAMWAIT */
};

/* --- Mutexes --- */

static bool mutex_exists(unsigned index)
{
    return index < TENSIX_MUTEXES && index != 1;
}

static enum tensix_exec no_mutex(struct tensix *tensix, unsigned thread, const char *name,
                                 unsigned index)
{
    return tensix_fault(tensix, thread, PENROSE_FAULT_HANG,
                        "%s: there is no mutex %u, so that the thread would wait for ever; "
                        "there are 0, 2, 3 and 4",
                        name, index);
}

static bool waits_for_mutex(const struct tensix *tensix, unsigned thread, unsigned index)
{
    const struct tensix_thread *other = &tensix->thread[thread];
    return other->has_next && other->wait == TENSIX_WAITS_FOR_MUTEX && other->wait_detail == index;
}

/*
 * Of `thread` and those that wait for a free mutex, the one that gets it. SPEC: ATRELM, where two
 * wait. GUESS: who has released it and wants it again comes after a single one too.
 */
static unsigned next_holder(const struct tensix *tensix, unsigned thread, unsigned index)
{
    unsigned candidate = tensix->mutex_next[index];
    while (candidate != thread && !waits_for_mutex(tensix, candidate, index)) {
        candidate = (candidate + 1) % TENSIX_THREADS;
    }
    return candidate;
}

TENSIX_EXEC(ATGETM)
{
    if (!mutex_exists(args->index)) {
        return no_mutex(tensix, thread, "ATGETM", args->index);
    }
    uint8_t *holder = &tensix->mutex[args->index];
    if (*holder == TENSIX_MUTEX_FREE) {
        if (next_holder(tensix, thread, args->index) != thread) {
            return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_MUTEX, args->index);
        }
        *holder = (uint8_t)thread;
    }
    if (*holder != thread) {
        return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_MUTEX, args->index);
    }
    return TENSIX_DONE;
}

TENSIX_EXEC(ATRELM)
{
    if (!mutex_exists(args->index)) {
        return no_mutex(tensix, thread, "ATRELM", args->index);
    }
    unsigned holder = tensix->mutex[args->index];
    if (holder != thread) {
        char who[20] = "nobody does";
        if (holder != TENSIX_MUTEX_FREE) {
            snprintf(who, sizeof who, "thread %u does", holder);
        }
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_MUTEX,
                            "ATRELM: thread %u does not hold mutex %u (%s), and nothing happens; "
                            "acquire it with ATGETM first",
                            thread, args->index, who);
    }
    tensix->mutex[args->index] = TENSIX_MUTEX_FREE;
    tensix->mutex_next[args->index] = (uint8_t)((thread + 1) % TENSIX_THREADS);
    tensix_reconsider(tensix,
                      tensix->now); /* no latch looks at it, but waiting threads must try again */
    return TENSIX_DONE;
}

/* --- Semaphores --- */

static unsigned semaphore_posted(unsigned value)
{
    return value + (value < TENSIX_SEMAPHORE_MOST);
}

static unsigned semaphore_got(unsigned value)
{
    return value - (value > 0);
}

static void note_post(struct tensix *tensix, unsigned index)
{
    tensix->posts[index].any = true;
    tensix->posts[index].undone = 0;
}

int tensix_posts_text(const struct tensix *tensix, unsigned index, char *text, size_t size)
{
    const struct tensix_posts *posts = &tensix->posts[index];
    if (posts->undone) {
        return snprintf(text, size, "semaphore %u is 0: it was %u until a SEMINIT of thread %u",
                        index, tensix->semaphore[index].value + posts->undone, posts->thread);
    }
    return snprintf(text, size, "semaphore %u is 0, and %s", index,
                    posts->any ? "what was posted has been taken" : "nobody has posted it");
}

static void set_semaphore(struct tensix *tensix, unsigned index, unsigned value, uint64_t cycle)
{
    uint64_t *changed = &tensix->semaphore_changed[index];
    tensix->semaphore[index].value = (uint8_t)value;
    *changed = cycle > *changed ? cycle : *changed;
}

/* Of the semaphores in `mask`, those that have this value. */
static unsigned semaphores_at(const struct tensix *tensix, unsigned mask, unsigned value)
{
    unsigned found = 0;
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        found |= (unsigned)(mask >> i & 1 && tensix->semaphore[i].value == value) << i;
    }
    return found;
}

/* "semaphore 3 is", "semaphores 0, 3 and 7 are" */
static void name_semaphores(unsigned mask, char *text, size_t size)
{
    unsigned count = (unsigned)__builtin_popcount(mask), left = count;
    int length = snprintf(text, size, "semaphore%s", count > 1 ? "s" : "");
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (mask >> i & 1) {
            const char *before = left == count ? " " : left == 1 ? " and " : ", ";
            length += snprintf(text + length, size - (size_t)length, "%s%u", before, i);
            left--;
        }
    }
    snprintf(text + length, size - (size_t)length, " %s", count > 1 ? "are" : "is");
}

/* A SEMINIT that comes behind a post, and not before it, takes it back. */
static void note_init(struct tensix *tensix, unsigned thread, unsigned index, unsigned value)
{
    unsigned before = tensix->semaphore[index].value;
    tensix->posts[index] = (struct tensix_posts){
        .undone = (uint8_t)(before > value ? before - value : 0),
        .thread = (uint8_t)thread,
        .by = tensix->thread[thread].origin,
    };
}

TENSIX_EXEC(SEMINIT)
{
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (args->semaphore_mask >> i & 1) {
            note_init(tensix, thread, i, args->new_value);
            tensix->semaphore[i].max = (uint8_t)args->new_max;
            set_semaphore(tensix, i, args->new_value, tensix->now);
        }
    }
    tensix_reconsider(tensix, tensix->now);
    return TENSIX_DONE;
}

/* What SEMPOST and SEMGET do to each semaphore of a mask, and where that ends. */
struct semaphore_step {
    unsigned (*change)(unsigned value);
    unsigned end;
    const char *name, *comparative, *noun, *remedy;
};

static enum tensix_exec step_semaphores(struct tensix *tensix, unsigned thread, unsigned mask,
                                        const struct semaphore_step *step)
{
    unsigned ended = semaphores_at(tensix, mask, step->end);
    if (ended) {
        char which[48];
        name_semaphores(ended, which, sizeof which);
        enum tensix_exec answer =
            tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_SEMAPHORE,
                         "%s: %s %u already, cannot go %s, and the %s is lost; wait with SEMWAIT "
                         "until %s",
                         step->name, which, step->end, step->comparative, step->noun, step->remedy);
        if (answer != TENSIX_DONE) {
            return answer;
        }
    }
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (mask >> i & 1) {
            if (step->change == semaphore_posted) {
                note_post(tensix, i);
            }
            set_semaphore(tensix, i, step->change(tensix->semaphore[i].value), tensix->now);
        }
    }
    tensix_reconsider(tensix, tensix->now);
    return TENSIX_DONE;
}

/* Max does not limit SEMPOST: only SEMWAIT looks at it. */
TENSIX_EXEC(SEMPOST)
{
    static const struct semaphore_step post = {
        semaphore_posted, TENSIX_SEMAPHORE_MOST, "SEMPOST", "higher", "post", "there is room"};
    return step_semaphores(tensix, thread, args->semaphore_mask, &post);
}

TENSIX_EXEC(SEMGET)
{
    static const struct semaphore_step get = {semaphore_got, 0,     "SEMGET",
                                              "lower",       "get", "somebody has posted"};
    return step_semaphores(tensix, thread, args->semaphore_mask, &get);
}

void tensix_semaphore_post(struct tensix *tensix, unsigned index, uint64_t cycle)
{
    note_post(tensix, index);
    set_semaphore(tensix, index, semaphore_posted(tensix->semaphore[index].value), cycle);
    tensix_reconsider(tensix, cycle);
}

void tensix_semaphore_get(struct tensix *tensix, unsigned index, uint64_t cycle)
{
    set_semaphore(tensix, index, semaphore_got(tensix->semaphore[index].value), cycle);
    tensix_reconsider(tensix, cycle);
}

/* --- Waits: from here on they are the wait gate's --- */

static enum tensix_exec latch(struct tensix *tensix, unsigned thread, unsigned block_mask,
                              struct tensix_latch *wait)
{
    wait->block_mask = (uint16_t)(block_mask ? block_mask : DEFAULT_BLOCKS);
    tensix_latch(tensix, thread, wait);
    return TENSIX_DONE;
}

TENSIX_EXEC(STALLWAIT)
{
    struct tensix_latch wait = {
        .word = args->word,
        .conditions = (uint16_t)(args->condition_mask ? args->condition_mask : DEFAULT_CONDITIONS),
    };
    return latch(tensix, thread, args->block_mask, &wait);
}

/* SPEC: the newer edition of the page leaves a wait without a condition undefined; the one before
 * it had a STALLWAIT on C0 to C3. Without a semaphore the conditions are met at once. */
TENSIX_EXEC(SEMWAIT)
{
    struct tensix_latch wait = {
        .word = args->word,
        .semaphores = (uint8_t)args->semaphore_mask,
        .semaphore_conditions = (uint8_t)args->condition_mask,
    };
    if (!args->condition_mask) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "SEMWAIT without a condition: 1 waits while a semaphore is 0, 2 while "
                            "it is at its maximum");
    }
    return latch(tensix, thread, args->block_mask, &wait);
}

/* The high bits of the target are ThreadConfig's as of now; the stream is looked up at the gate. */
TENSIX_EXEC(STREAMWAIT)
{
    uint32_t high = args->condition_index ? tensix_get_STREAMWAIT_NUM_MSGS_HI_Val(tensix, thread)
                                          : tensix_get_STREAMWAIT_PHASE_HI_Val(tensix, thread);
    struct tensix_latch wait = {
        .word = args->word,
        .waits_for_stream = true,
        .stream_select = (uint8_t)args->stream_select,
        .stream_condition = (uint8_t)args->condition_index,
        .target = high << TARGET_LOW_BITS | args->target_value_lo,
    };
    return latch(tensix, thread, args->block_mask, &wait);
}
