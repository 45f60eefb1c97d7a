/*
 * Auto TTSync: whether an access of a TRISC must wait for instructions that it pushed before (SPEC:
 * BlackholeA0 AutoTTSync). The queue is searched when a hart asks; nothing is counted.
 *
 * The hardware also makes instructions wait for accesses that came before them. Here an access of a
 * hart is served before the hart goes on, so there is nothing to wait for.
 *
 * Invariant: an instruction counts from its push by the thread's own TRISC until it has passed the
 * gate. MOP and REPLAY count until the last instruction to which they expand has passed.
 */
#include "tensix/frontend/auto_ttsync.h"

#include "tensix/exec.h"

/* The eight resources, as bits. The parts of Config stand in the order of TENSIX_USES_PARTS, three
 * for each state. */
enum {
    PARTS = 3,
    ALL_PARTS = (1 << PARTS) - 1,
    REMAINDER_PART = 1 << 2,
    ALL_CONFIG = (1 << TENSIX_STATES * PARTS) - 1,
    GPRS = 1 << 6,
    TDMA = 1 << 7,
};

enum { CLASS_UNPACK = 11, CLASS_MOP = 13, CLASS_REPLAY = 14, CLASS_OTHERS = 15, UNTRACKED };

/* 0: CLASS_OTHERS, otherwise one more than the class. Behind the opcodes are those that are absent. */
static const uint8_t class_rows[2 * TENSIX_OPCODES] = {
#define MEMBER(token, number) [TENSIX_OPCODE_##token] = (number) + 1,
#define UNTRACKED(token)      [TENSIX_OPCODE_##token] = UNTRACKED + 1,
#include "auto_ttsync.def"
};

static const uint16_t default_uses[TENSIX_CLASSES] = {
#define CLASS(number, uses) [number] = uses,
#include "auto_ttsync.def"
};

static const struct part_row {
    uint8_t first, last, uses;
} part_rows[] = {
#define PART(first, last, uses) {TENSIX_WORD_##first, TENSIX_WORD_##last, uses},
#include "auto_ttsync.def"
};

static unsigned class_of(uint32_t word)
{
    unsigned row = class_rows[word >> 24];
    return row ? row - 1 : CLASS_OTHERS;
}

/* --- Declarations --- */

static void declare(uint16_t declared[TENSIX_CLASSES], uint32_t word)
{
    const struct tensix_args_RESOURCEDECL args = tensix_decode_RESOURCEDECL(word);
    declared[args.op_class] = (uint16_t)args.resources;
}

void tensix_declare(struct tensix *tensix, unsigned thread, uint32_t word)
{
    declare(tensix->thread[thread].declared, word);
}

void tensix_declare_defaults(struct tensix_thread *thread)
{
    memcpy(thread->declared, default_uses, sizeof thread->declared);
}

/* --- Resources of an access --- */

static unsigned in_state(unsigned parts, unsigned state)
{
    return parts << PARTS * state;
}

static unsigned in_both_states(unsigned parts)
{
    return in_state(parts, 0) | in_state(parts, 1);
}

static unsigned parts_of_uses(unsigned uses)
{
    return (uses & TENSIX_USES_PARTS) / TENSIX_USES_UNPACKER0;
}

/* The parts of Config[i] that a word below the global ones belongs to. */
static unsigned parts_of_word(unsigned word)
{
    for (unsigned i = 0; i < sizeof part_rows / sizeof part_rows[0]; i++) {
        if (word >= part_rows[i].first && word <= part_rows[i].last) {
            return parts_of_uses(part_rows[i].uses);
        }
    }
    return REMAINDER_PART;
}

/* The parts that an access to a word of the configuration window uses. */
static unsigned accessed_config(bool is_subdivided, unsigned index)
{
    unsigned state = index / TENSIX_STATE_WORDS, word = index % TENSIX_STATE_WORDS;
    if (index < TENSIX_CONFIG_DUAL && word < TENSIX_GLOBAL_WORD) {
        return in_state(is_subdivided ? parts_of_word(word) : ALL_PARTS, state);
    }
    if (!is_subdivided) {
        return ALL_CONFIG;
    }
    bool is_dst_offset =
        index == TENSIX_CONFIG_THREAD + TENSIX_WORD_DEST_TARGET_REG_CFG_MATH_Offset;
    return in_both_states(is_dst_offset ? ALL_PARTS & ~REMAINDER_PART : REMAINDER_PART);
}

/* --- Looking through the queue --- */

/* The access, and the state and declarations for the instruction that is looked at. Instructions
 * before it may have changed these. */
struct scan {
    unsigned touched; /* by the access */
    bool is_store, is_subdivided;
    unsigned state;
    uint16_t declared[TENSIX_CLASSES];
};

/* Does the access have to wait for an instruction with these uses? */
static bool conflicts(const struct scan *scan, unsigned uses)
{
    unsigned config = in_state(parts_of_uses(uses), scan->state);
    unsigned reads = (uses & TENSIX_READS_CONFIG ? config : 0) |
                     (uses & TENSIX_READS_GPRS ? GPRS : 0) | (uses & TENSIX_READS_TDMA ? TDMA : 0);
    unsigned writes = (uses & TENSIX_WRITES_CONFIG ? config : 0) |
                      (uses & TENSIX_WRITES_GPRS ? GPRS : 0) |
                      (uses & TENSIX_WRITES_TDMA ? TDMA : 0);
    return scan->touched & (scan->is_store ? reads | writes : writes);
}

/* The part that an UNPACR or UNPACR_NOP uses with EnSubdividedCfgForUnpacr. */
static unsigned unpacker_part(uint32_t word)
{
    return tensix_decode_UNPACR(word).which_unpacker ? TENSIX_USES_UNPACKER1
                                                     : TENSIX_USES_UNPACKER0;
}

/* Must the access wait for an instruction as the TRISC pushed it? */
static bool conflicts_with_word(struct scan *scan, uint32_t word)
{
    unsigned class = class_of(word);
    if (class == UNTRACKED) {
        if (word >> 24 == TENSIX_OPCODE_RESOURCEDECL) {
            declare(scan->declared, word);
        }
        return false;
    }
    unsigned uses = scan->declared[class];
    if (class == CLASS_UNPACK && scan->is_subdivided) {
        uses = (uses & ~(unsigned)TENSIX_USES_PARTS) | unpacker_part(word);
    }
    if (conflicts(scan, uses)) {
        return true;
    }
    /* SPEC: what follows in the queue uses the state that this will select */
    if (word >> 24 == TENSIX_OPCODE_SETC16 &&
        tensix_decode_SETC16(word).cfg_index == TENSIX_WORD_CFG_STATE_ID_StateID) {
        scan->state = tensix_decode_SETC16(word).new_value & 1;
    }
    return false;
}

/* Whether the access conflicts with instructions that have left the front FIFO: `next`, and the
 * expansions from which it may come. */
static bool conflicts_with_front_end(struct scan *scan, const struct tensix_thread *thread,
                                     bool is_own)
{
    if (thread->has_next && is_own) {
        bool conflict =
            thread->parent
                ? conflicts(scan, scan->declared[class_of((uint32_t)thread->parent << 24)])
                : conflicts_with_word(scan, thread->next);
        if (conflict) {
            return true;
        }
    }
    if (replay_is_playing(&thread->replay) && is_own) {
        bool is_of_mop = thread->parent == TENSIX_OPCODE_MOP;
        if (conflicts(scan, scan->declared[is_of_mop ? CLASS_MOP : CLASS_REPLAY])) {
            return true;
        }
    }
    return mop_busy(&thread->mop) && conflicts(scan, scan->declared[CLASS_MOP]);
}

bool tensix_must_wait(const struct tensix *tensix, unsigned thread, enum tensix_resource resource,
                      unsigned index, bool is_store)
{
    unsigned tracked =
        tensix->thread_config[thread][TENSIX_WORD_TENSIX_TRISC_SYNC_TrackTensixInstructions];
    if (!tensix_get_TENSIX_TRISC_SYNC_TrackTensixInstructions(tensix, thread) ||
        !(tracked & resource) || tensix->held & TENSIX_RESET_AUTO_TTSYNC) {
        return false;
    }
    const struct tensix_thread *own = &tensix->thread[thread];
    struct scan scan = {
        .is_store = is_store,
        .is_subdivided = tensix_get_TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr(tensix, thread),
        .state = tensix_state_id(tensix, thread),
    };
    memcpy(scan.declared, own->declared, sizeof scan.declared);
    scan.touched = resource == TENSIX_TRACKS_GPRS   ? GPRS
                   : resource == TENSIX_TRACKS_TDMA ? TDMA
                                                    : accessed_config(scan.is_subdivided, index);
    if (conflicts_with_front_end(&scan, own, own->origin.pusher == TENSIX_BY_T0 + thread)) {
        return true;
    }
    for (unsigned i = 0; i < own->front.count; i++) {
        unsigned place = (own->front.head + i) % TENSIX_FIFO_DEPTH;
        if (conflicts_with_word(&scan, own->front.entry[place].word)) {
            return true;
        }
    }
    return false;
}
