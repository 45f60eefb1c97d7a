/*
 * Races on what all threads can reach: address counters, LRegs, words of Config, and the right to
 * use banks of Src. SPEC: WormholeB0 ADCs, SrcASrcB, UNPACR_NOP_SETDVALID, CLEARDVALID; BlackholeA0
 * BackendConfiguration, STALLWAIT.
 */
#include "addresses.h"
#include "observe/check/check.h"
#include "observe/check/races.h"
#include "tensix/exec.h"

/* --- Counters and LRegs --- */

/* What of its users is not in order with an instruction of another thread; NULL: all are. */
static const struct order_stamp *find_unordered(const struct order_clock *clock,
                                                const struct races_shared *piece, unsigned thread,
                                                bool writes)
{
    if (piece->written.number && races_thread(&piece->written) != thread &&
        !order_is_known_to_pass(clock, &piece->written)) {
        return &piece->written;
    }
    for (unsigned left = writes ? piece->readers & ~(1u << thread) : 0; left; left &= left - 1) {
        const struct order_stamp *reader = &piece->read[__builtin_ctz(left)];
        if (!order_is_known_to_pass(clock, reader)) {
            return reader;
        }
    }
    return NULL;
}

static void judge_shared(const struct check_scene *scene, const struct order_stamp *stamp,
                         struct races_shared *piece, const char *name, unsigned index, bool writes)
{
    const unsigned thread = races_thread(stamp);
    const struct order_clock *clock = &scene->own->races->order.thread[thread].clock;
    const struct order_stamp *other = find_unordered(clock, piece, thread, writes);
    char text[RACES_WHO];
    if (other) {
        check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                     "%s %s %s %u, which %s uses, too, in no order; a semaphore is missing",
                     tensix_mnemonic(stamp->word), writes ? "writes" : "reads", name, index,
                     races_who(scene, other, text));
        *piece = (struct races_shared){.written.number = 0};
    }
    if (writes) {
        piece->written = *stamp;
        piece->readers = 0;
    } else {
        piece->read[thread] = *stamp;
        piece->readers |= 1u << thread;
    }
}

/* --- Banks of Src --- */

static void judge_bank(const struct check_scene *scene, const struct order_stamp *stamp,
                       unsigned index)
{
    struct check_races *races = scene->own->races;
    const struct order_clock *clock = &races->order.thread[races_thread(stamp)].clock;
    const char src = index / 2 ? 'B' : 'A';
    const bool had = races->has_bank[index], takes_back = races_unit(stamp) == ORDER_MATRIX;
    char text[RACES_WHO];
    if (!takes_back && had) {
        check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                     "%s hands over a bank of Src%c that the Matrix Unit has already, since %s; "
                     "STALLWAIT(STALL_UNPACK, SRC%c_CLR) is missing",
                     tensix_mnemonic(stamp->word), src,
                     races_who(scene, &races->given[index], text), src);
    } else if (!takes_back && tensix_has(tensix_row_of(stamp->word), TENSIX_TRAIT_UNASKED) &&
               !order_is_known_to_pass(clock, &races->returned[index])) {
        check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                     "%s hands over a bank of Src%c that %s may not have given back yet; "
                     "STALLWAIT(STALL_UNPACK, SRC%c_CLR) is missing",
                     tensix_mnemonic(stamp->word), src,
                     races_who(scene, &races->returned[index], text), src);
    } else if (takes_back && !had) {
        const struct order_stamp *before = &races->returned[index];
        check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                     "%s gives back a bank of Src%c that the Matrix Unit does not have; %s%s",
                     tensix_mnemonic(stamp->word), src,
                     before->number ? races_who(scene, before, text)
                                    : "nobody has handed it over yet",
                     before->number ? " has given it back before" : "");
    }
    if (takes_back) {
        races->returned[index] = *stamp;
    } else {
        races->given[index] = *stamp;
    }
    races->has_bank[index] = scene->tile->tensix.src[index / 2].matrix_may[index % 2];
}

/* --- Config --- */

/* What the latest change of a byte has not been ordered before; false: it is in order. */
static bool is_unordered_change(const struct check_scene *scene, const struct order_clock *clock,
                                const struct order_stamp *stamp, const struct races_change *change)
{
    if (change->stamp.number) {
        return !(stamp && races_thread(stamp) == races_thread(&change->stamp)) &&
               !order_is_known_to_pass(clock, &change->stamp);
    }
    return !(!stamp && change->hart == scene->hart) &&
           clock->at[ORDER_STORES + change->hart % RV32_CORES] < change->number;
}

void races_shared_config(const struct check_scene *scene, const struct order_clock *clock,
                         const struct order_stamp *stamp, unsigned state, unsigned word,
                         uint32_t bits)
{
    struct check_races *races = scene->own->races;
    const uint32_t reach = stamp ? races_reach(stamp->word) : UINT32_MAX;
    bool is_told = false;
    for (unsigned i = 0; i < sizeof(uint32_t); i++) {
        struct races_change *change = &races->change[state][word][i];
        const uint32_t byte = reach & UINT32_C(0xff) << 8 * i;
        if (!byte) {
            continue;
        }
        if (change->bits & byte && bits && !is_told &&
            is_unordered_change(scene, clock, stamp, change)) {
            char fields[160], text[RACES_WHO], place[CHECK_PLACE];
            is_told = true;
            tensix_field_names(false, word, bits, fields, sizeof fields);
            check_report(
                scene, PENROSE_FAULT_CONFIG_RACE, scene->hart, scene->event->pc,
                AT_CONFIG + 4 * (state * TENSIX_STATE_WORDS + word),
                "%s changes %s in a word that %s changes, too, in no order; a mutex around "
                "both (t6_mutex_acquire(mutex::REG_RMW)) is missing",
                stamp ? tensix_mnemonic(stamp->word) : "a store", fields,
                change->stamp.number ? races_who(scene, &change->stamp, text)
                                     : check_place(scene, change->hart, change->pc, place));
        }
        *change = (struct races_change){
            .stamp = stamp ? *stamp : (struct order_stamp){.number = 0},
            .number = stamp ? 0 : races->order.count[ORDER_STORES + scene->hart],
            .hart = scene->hart,
            .pc = scene->event->pc,
            .bits = byte,
        };
    }
}

/* --- Instructions --- */

void races_shared_unit(const struct check_scene *scene, const struct order_stamp *stamp)
{
    struct check_races *races = scene->own->races;
    const struct observed_work *work = scene->event->work;
    enum {
        SHARED = 1 << OBSERVED_STATE_ADC | 1 << OBSERVED_STATE_LREG | 1 << OBSERVED_STATE_SRC_BANK,
    };
    bool schedules = tensix_traits(work->row) & TENSIX_TRAIT_SCHEDULES;
    bool has_shared = (work->reads | work->writes) & SHARED;
    for (unsigned i = 0; has_shared && i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool is_shared = SHARED >> touch->state & 1;
        for (uint32_t j = touch->first; is_shared && j < touch->first + touch->count; j++) {
            if (touch->state == OBSERVED_STATE_ADC && j < RACES_ADCS) {
                judge_shared(scene, stamp, &races->adc[j], "address counter", j, touch->is_write);
            } else if (touch->state == OBSERVED_STATE_LREG && j < RACES_LREGS && !schedules) {
                judge_shared(scene, stamp, &races->lreg[j], "LReg", j, touch->is_write);
            } else if (touch->state == OBSERVED_STATE_SRC_BANK && touch->is_write &&
                       j < 2 * TENSIX_SRCS) {
                judge_bank(scene, stamp, j);
            }
        }
    }
}
