/* Says in words why a thread does not go on. */
#include <stdio.h>

#include "tensix/exec.h"

/* A bank of Src that the other side has: the Matrix Unit waits to be given one, others for one that
 * it gives back. */
static void src_words(uint32_t word, enum tensix_src src, unsigned bank, char *text, size_t size)
{
    unsigned row = tensix_row_of(word);
    char name = src == TENSIX_SRC_A ? 'A' : 'B';
    if (row != TENSIX_ROWS && tensix_row_infos[row].unit == TENSIX_UNIT_MATRIX) {
        snprintf(
            text, size,
            "bank %u of Src%c, which the unpackers hold: nothing has set its dvalid, as UNPACR "
            "with flip_src and SETDVALID do",
            bank, name);
        return;
    }
    snprintf(text, size,
             "bank %u of Src%c, which the Matrix Unit holds: nothing has cleared its dvalid, as "
             "SETRWC, CLEARDVALID and clear_dvalid of others do",
             bank, name);
}

bool tensix_held_text(const struct tensix *tensix, unsigned which, char *text, size_t size)
{
    const struct tensix_unpack_held *held = &tensix->unpacker[which].held;
    char name[100], what[160];
    if (!held->is_held) {
        return false;
    }
    tensix_disassemble(held->word, name, sizeof name);
    src_words(held->word, which ? TENSIX_SRC_B : TENSIX_SRC_A, tensix->src[which].unpack_bank, what,
              sizeof what);
    snprintf(text, size, "%s waits in unpacker %u for %s", name, which, what);
    return true;
}

/* What the thread waits for besides a latched wait instruction. */
static void wait_words(const struct tensix *tensix, const struct tensix_thread *thread, char *text,
                       size_t size)
{
    unsigned detail = thread->wait_detail;
    switch (thread->wait) {
    case TENSIX_WAITS_FOR_NOTHING:
    case TENSIX_WAITS_FOR_LATCH:
        break;
    case TENSIX_WAITS_FOR_MUTEX:
        detail %= TENSIX_MUTEXES; /* of a damaged snapshot it may be anything */
        if (tensix->mutex[detail] == TENSIX_MUTEX_FREE) {
            snprintf(text, size, "mutex %u, for which another thread comes first", detail);
        } else {
            snprintf(text, size, "mutex %u, which thread %u holds", detail, tensix->mutex[detail]);
        }
        break;
    case TENSIX_WAITS_FOR_RESET:
        snprintf(text, size, "its unit, which SOFT_RESET_0 (0x%08x) holds in reset", tensix->held);
        break;
    case TENSIX_WAITS_FOR_SRC:
        src_words(thread->next, (enum tensix_src)(detail & 1), detail >> 1, text, size);
        break;
    case TENSIX_WAITS_FOR_L1:
        snprintf(text, size, "a change of L1 at 0x%08x", detail);
        break;
    case TENSIX_WAITS_FOR_DEVICE:
        snprintf(text, size, "an answer from 0x%08x", detail);
        break;
    case TENSIX_WAITS_FOR_RESULTS:
        snprintf(text, size, "memory requests that are under way");
        break;
    case TENSIX_WAITS_FOR_UNIT:
        snprintf(text, size, "its unit, which is busy");
        break;
    case TENSIX_WAITS_FOR_UNPACKER:
        snprintf(text, size, "unpacker %u, in which an UNPACR of thread %u waits for its bank",
                 detail % TENSIX_UNPACKERS,
                 tensix->unpacker[detail % TENSIX_UNPACKERS].held.task.thread);
        break;
    }
}

bool tensix_wait_text(const struct tensix *tensix, unsigned thread, char *text, size_t size)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    char name[100], what[160] = "its turn";
    if (!own->has_next) {
        return false;
    }
    tensix_disassemble(own->next, name, sizeof name);
    if (own->wait == TENSIX_WAITS_FOR_LATCH) {
        tensix_latch_text(tensix, thread, what, sizeof what);
        snprintf(text, size, "%s is held by %s", name, what);
        return true;
    }
    wait_words(tensix, own, what, sizeof what);
    snprintf(text, size, "%s waits for %s", name, what);
    return true;
}
