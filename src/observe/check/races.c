/* Races inside a tile, see races.h. SPEC: BlackholeA0 Dst, STALLWAIT, BackendConfiguration,
 * ScalarUnit. */
#include "observe/check/races.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "observe/check/check.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* --- Dst --- */

/* The Vector Unit may use a write of the Matrix Unit so many instructions of its thread later. */
enum { VECTOR_DISTANCE = 4 };

/* Is the write over for a later instruction of the same thread, without a wait? Hardware holds up
 * the Matrix Unit and the packer where they read. It does not hold up the Vector Unit, but three
 * other instructions between both are enough. SPEC: BlackholeA0 Dst, SFPLOAD. */
static bool is_write_over(const struct order_stamp *written, const struct order_stamp *later,
                          bool later_writes)
{
    if (races_thread(written) != races_thread(later)) {
        return false;
    }
    if (races_unit(later) == ORDER_VECTOR) {
        return races_unit(written) == ORDER_MATRIX &&
               later->passed - written->passed >= VECTOR_DISTANCE;
    }
    return !later_writes &&
           (races_unit(later) == ORDER_MATRIX || races_unit(later) == ORDER_PACKER);
}

/* Has an instruction between both read the row, by the Matrix Unit or the packer? Hardware has held
 * up the thread there until the write was over. */
static bool is_write_seen(const struct races_row *row, const struct order_stamp *later)
{
    return row->seen && row->seen < later->passed &&
           races_thread(&row->written) == races_thread(later);
}

static void note_seen(struct races_row *row, const struct order_stamp *reader)
{
    if (!row->seen && is_write_over(&row->written, reader, false) &&
        races_unit(reader) != ORDER_VECTOR) {
        row->seen = reader->passed;
    }
}

/* Is the earlier one out of the way of the later one? Instructions of one unit follow each
 * other. */
static bool is_in_order(const struct order_clock *clock, const struct order_stamp *earlier,
                        const struct order_stamp *later)
{
    if (earlier->lane == later->lane || order_is_over(clock, earlier)) {
        return true;
    }
    bool packs = races_unit(earlier) == ORDER_PACKER || races_unit(later) == ORDER_PACKER;
    if (!packs && (earlier->is_of_flags || later->is_of_flags)) {
        return true; /* kernels clear whatever is not packed yet */
    }
    bool is_enough = races_unit(earlier) == races_unit(later) || earlier->is_of_flags;
    return is_enough && order_has_passed(clock, earlier);
}

/* Both have passed their gates in this order, or in any. */
static void report_dst(const struct check_scene *scene, const struct order_stamp *earlier,
                       const struct order_stamp *later, unsigned row, bool earlier_writes)
{
    const struct order *order = &scene->own->races->order;
    const struct order_thread *thread = &order->thread[races_thread(later)];
    const struct order_thread *other = &order->thread[races_thread(earlier)];
    const char *does = earlier_writes ? "writes" : "reads";
    char text[RACES_WHO];
    if (thread == other) {
        check_report(scene, PENROSE_FAULT_RACE_DST, later->hart, later->pc, row,
                     "%s uses Dst row %u, which %s may still be at; STALLWAIT(%s, %s) is missing",
                     tensix_mnemonic(later->word), row, races_who(scene, earlier, text),
                     tensix_block_name(later->word), races_condition_name(races_unit(earlier)));
    } else if (order_has_passed(&thread->clock, earlier) && other->handed.number &&
               other->handed.passed > earlier->passed) {
        check_report(scene, PENROSE_FAULT_RACE_DST, other->handed.hart, other->handed.pc, row,
                     "%s lets %s use Dst row %u while %s may still be at it; STALLWAIT(%s, %s) is "
                     "missing",
                     tensix_mnemonic(other->handed.word), races_who(scene, later, text), row,
                     tensix_mnemonic(earlier->word), tensix_block_name(other->handed.word),
                     races_condition_name(races_unit(earlier)));
    } else if (earlier_writes && races_unit(later) == ORDER_PACKER && thread->holds) {
        check_report(
            scene, PENROSE_FAULT_RACE_DST, earlier->hart, earlier->pc, row,
            "%s writes Dst row %u, which %s has not read yet; tile_regs_acquire() (SEMWAIT "
            "while at maximum) is missing",
            tensix_mnemonic(earlier->word), row, races_who(scene, later, text));
    } else {
        const char *missing =
            races_unit(later) == ORDER_PACKER     ? "tile_regs_wait() (SEMWAIT while 0)"
            : races_unit(earlier) == ORDER_PACKER ? "tile_regs_acquire() (SEMWAIT while at maximum)"
                                                  : "a semaphore between them";
        check_report(scene, PENROSE_FAULT_RACE_DST, later->hart, later->pc, row,
                     "%s uses Dst row %u, which %s %s; %s is missing", tensix_mnemonic(later->word),
                     row, races_who(scene, earlier, text), does, missing);
    }
}

/* The packer reads what another thread has written, which has never waited for room in Dst. Where
 * there are few tiles there always is room. */
static void judge_acquired(const struct check_scene *scene, const struct order_stamp *stamp,
                           struct order_stamp *written, unsigned index)
{
    const struct order *order = &scene->own->races->order;
    char text[RACES_WHO];
    if (written->number && scene->own->is_known && races_thread(written) != races_thread(stamp) &&
        races_unit(stamp) == ORDER_PACKER && !written->is_of_flags &&
        !order_acquires(order, races_thread(written), races_thread(stamp))) {
        check_report(scene, PENROSE_FAULT_RACE_DST, written->hart, written->pc, index,
                     "%s writes Dst row %u, which %s reads, and its thread has not waited for room "
                     "in Dst since the launch; tile_regs_acquire() (SEMWAIT while at maximum) is "
                     "missing",
                     tensix_mnemonic(written->word), index, races_who(scene, stamp, text));
        written->number = 0;
    }
}

static void judge_row(const struct check_scene *scene, const struct order_stamp *stamp,
                      unsigned index, bool writes)
{
    struct check_races *races = scene->own->races;
    struct races_row *row = &races->dst[index];
    const struct order_clock *clock = &races->order.thread[races_thread(stamp)].clock;
    if (row->written.number && !is_in_order(clock, &row->written, stamp) &&
        !is_write_over(&row->written, stamp, writes) && !is_write_seen(row, stamp)) {
        report_dst(scene, &row->written, stamp, index, true);
        row->written.number = 0;
    }
    judge_acquired(scene, stamp, &row->written, index);
    for (unsigned left = writes ? row->readers : 0; left; left &= left - 1) {
        const struct order_stamp *reader = &races->dst_read[__builtin_ctz(left)][index];
        if (!is_in_order(clock, reader, stamp)) {
            report_dst(scene, reader, stamp, index, false);
        }
    }
    if (writes) {
        row->written = *stamp;
        row->seen = 0;
        /* Who writes behind data must have waited for their readers, too; flags tell nothing. */
        row->readers = stamp->is_of_flags ? row->readers : 0;
    } else {
        note_seen(row, stamp);
        races->dst_read[races_unit(stamp)][index] = *stamp;
        row->readers |= 1u << races_unit(stamp);
    }
}

/* --- L1 --- */

enum { LANE_SHIFT = 27, NUMBERS = (1 << LANE_SHIFT) - 1 };

static uint32_t note_of(const struct order_stamp *stamp)
{
    return (uint32_t)stamp->lane << LANE_SHIFT | (stamp->number & NUMBERS);
}

/* The instruction of a note, if it may still be under way for who has this clock. */
static const struct order_stamp *under_way(const struct order *order,
                                           const struct order_clock *clock, uint32_t note)
{
    const uint32_t lane = note >> LANE_SHIFT, number = note & NUMBERS;
    return clock->at[lane] < number ? order_find(order, lane, number) : NULL;
}

/* What of a piece of L1 packers may still write, or unpackers still read. */
static const struct order_stamp *find_under_way(const struct check_scene *scene,
                                                const struct order_clock *clock, enum order_unit by,
                                                uint32_t address, uint32_t size, bool unpacked)
{
    struct check_races *races = scene->own->races;
    uint32_t end = address + size, over = 0; /* what the line before has noted */
    for (uint32_t at = address / RACES_LINE; at * RACES_LINE < end; at++) {
        const struct races_l1 *line = &races->l1[at];
        const uint32_t note = unpacked ? line->unpacked : line->packed;
        const struct order_stamp *stamp =
            note == over ? NULL : under_way(&races->order, clock, note);
        over = note;
        if (stamp && races_unit(stamp) != by) { /* a unit is in order */
            return stamp;
        }
    }
    return NULL;
}

/* What its reader or writer should have waited for. It is told once. */
static void forget_l1(const struct check_scene *scene, uint32_t address, uint32_t size,
                      bool unpacked)
{
    for (uint32_t at = address / RACES_LINE; at * RACES_LINE < address + size; at++) {
        struct races_l1 *line = &scene->own->races->l1[at];
        *(unpacked ? &line->unpacked : &line->packed) = 0;
    }
}

/* Bytes of L1 are used by `hart` (ORDER_GATE), or by the unit of its instruction at `pc`, who
 * knows `clock`. */
static void judge_l1(const struct check_scene *scene, const struct order_clock *clock,
                     enum order_unit by, unsigned hart, uint32_t pc, uint32_t address,
                     uint32_t size, bool writes)
{
    const struct order *order = &scene->own->races->order;
    char text[RACES_WHO], place[CHECK_PLACE];
    if (address + size > scene->tile->kind->l1_bytes || !size) {
        return;
    }
    const struct order_stamp *packs = find_under_way(scene, clock, by, address, size, false);
    const struct order_stamp *unpacks =
        writes && !packs ? find_under_way(scene, clock, by, address, size, true) : NULL;
    const struct order_stamp *stamp = packs ? packs : unpacks;
    if (!stamp) {
        return;
    }
    const struct order_thread *other = &order->thread[races_thread(stamp)];
    const char *does = packs ? "write" : "read";
    if (order_has_passed(clock, stamp) && other->handed.number &&
        other->handed.passed > stamp->passed) {
        check_report(scene, PENROSE_FAULT_RACE_L1, other->handed.hart, other->handed.pc, address,
                     "%s lets %s use L1 while %s may still %s it; STALLWAIT(%s, %s) is missing",
                     tensix_mnemonic(other->handed.word), check_place(scene, hart, pc, place),
                     tensix_mnemonic(stamp->word), does, tensix_block_name(other->handed.word),
                     races_condition_name(races_unit(stamp)));
    } else {
        check_report(scene, PENROSE_FAULT_RACE_L1, hart, pc, address,
                     "%s %u bytes at 0x%x, which %s may still %s; a wait for it is missing",
                     writes ? "writes" : "reads", size, address, races_who(scene, stamp, text),
                     does);
    }
    forget_l1(scene, address, size, !packs);
}

/* The clock of who does what the event tells. */
static const struct order_clock *clock_of(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct order *order = &scene->own->races->order;
    bool is_unit = event->agent > OBSERVED_NCRISC && event->thread < TENSIX_THREADS;
    return is_unit ? &order->thread[event->thread].clock : &order->hart[scene->hart].clock;
}

void check_races_handed(const struct check_scene *scene, bool popped, uint32_t first, uint32_t size,
                        unsigned buffer)
{
    char text[RACES_WHO];
    if (!scene->own->races || first + size > scene->tile->kind->l1_bytes) {
        return;
    }
    bool is_unit = scene->event->agent > OBSERVED_NCRISC;
    const struct order_stamp *stamp =
        find_under_way(scene, clock_of(scene), ORDER_GATE, first, size, popped);
    if (!stamp) {
        return;
    }
    check_report(scene, PENROSE_FAULT_RACE_L1, scene->hart, scene->event->pc, first,
                 "%s pages of circular buffer %u, which %s may still %s; %s%s%s is missing",
                 popped ? "pops" : "pushes", buffer, races_who(scene, stamp, text),
                 popped ? "read" : "write", is_unit ? "STALLWAIT(STALL_THCON, " : "tensix_sync()",
                 is_unit ? races_condition_name(races_unit(stamp)) : "", is_unit ? ")" : "");
    forget_l1(scene, first, size, popped);
}

/* --- Configuration --- */

static void note_late(struct check_races *races, const struct order_stamp *stamp, unsigned index)
{
    struct races_late *late = &races->late[races_thread(stamp)];
    if (tensix_row_infos[tensix_row_of(stamp->word)].latency < 2) {
        return;
    }
    if (late->stamp.passed != stamp->passed) {
        *late = (struct races_late){.stamp = *stamp, .first = index};
    }
    late->count = index - late->first + 1;
}

/* SPEC: WRCFG, CFGSHIFTMASK: their result is not there for the next instruction. STREAMWRCFG,
 * which takes longer: software waits. */
static void judge_late(const struct check_scene *scene, const struct order_stamp *stamp,
                       const struct observed_touch *touch)
{
    enum { NEXT = 2 /* cycles: any other instruction takes the one between */ };
    struct check_races *races = scene->own->races;
    struct races_late *late = &races->late[races_thread(stamp)];
    bool is_between = late->stamp.number && touch->first < late->first + late->count &&
                      late->first < touch->first + touch->count;
    if (!is_between || scene->tile->tensix.timing) {
        return;
    }
    unsigned latency = tensix_row_infos[tensix_row_of(late->stamp.word)].latency;
    bool is_early = latency > NEXT ? !order_is_over(&races->order.thread[races_thread(stamp)].clock,
                                                    &late->stamp)
                                   : late->stamp.passed + 1 == stamp->passed;
    if (is_early) {
        char text[RACES_WHO];
        unsigned index = touch->first > late->first ? touch->first : late->first;
        check_report(
            scene, PENROSE_FAULT_CONFIG_RACE, stamp->hart, stamp->pc, AT_CONFIG + 4 * index,
            "%s uses a word of Config before %s has written it; %s is missing between them",
            tensix_mnemonic(stamp->word), races_who(scene, &late->stamp, text),
            latency > NEXT ? "a STALLWAIT on CFG_EXU" : "a NOP");
        late->stamp.number = 0;
    }
}

/* Has the earlier one taken what it uses along when the later one of its thread comes? HW: LLK
 * changes formats right behind MOVD2B and the like (llk_math_transpose_dest.h), and waits behind
 * others. */
static bool takes_along(const struct order_stamp *use, const struct order_stamp *later)
{
    enum { MOVES = TENSIX_TRAIT_MOVES_TO_DST | TENSIX_TRAIT_MOVES_TO_SRC };
    return later && races_unit(use) == ORDER_MATRIX && races_thread(use) == races_thread(later) &&
           tensix_traits(tensix_row_of(use->word)) & MOVES;
}

/* A word has changed by what the scene tells; `stamp` is NULL where a hart has stored it. */
static void judge_config(const struct check_scene *scene, const struct order_clock *clock,
                         const struct order_stamp *stamp, unsigned state, unsigned word)
{
    const char *writer = stamp ? tensix_mnemonic(stamp->word) : "a store";
    static const enum order_unit units[] = {ORDER_UNPACKER0, ORDER_UNPACKER1, ORDER_PACKER,
                                            ORDER_MATRIX, ORDER_VECTOR};
    enum { UNITS = sizeof units / sizeof units[0] };
    struct check_races *races = scene->own->races;
    const struct tensix *tensix = &scene->tile->tensix;
    uint32_t *known = &races->config[state][word];
    uint32_t changed = *known ^ tensix->config[state][word];
    bool is_global = word >= TENSIX_GLOBAL_WORD;
    *known = tensix->config[state][word];
    races_shared_config(scene, clock, stamp, state, word, changed);
    if (!stamp) {
        races_harts_config(scene, state, word, changed);
    }
    if (stamp && changed) {
        note_late(races, stamp, state * TENSIX_STATE_WORDS + word);
    }
    for (unsigned i = 0; changed && i < UNITS * TENSIX_THREADS; i++) {
        unsigned lane = order_lane(i / UNITS, units[i % UNITS]);
        const struct order_stamp *use = &races->uses[lane];
        if (!use->number || order_is_over(clock, use) || takes_along(use, stamp) ||
            !(is_global || races->state[lane] == state)) {
            continue;
        }
        uint32_t used = changed & races_bits_of_unit(word, units[i % UNITS]);
        if (!used) {
            continue;
        }
        char fields[160], text[RACES_WHO];
        tensix_field_names(false, word, used, fields, sizeof fields);
        bool is_unit = scene->event->kind == OBSERVED_UNIT;
        check_report(scene, PENROSE_FAULT_CONFIG_RACE, scene->hart, scene->event->pc,
                     AT_CONFIG + 4 * (state * TENSIX_STATE_WORDS + word),
                     "%s changes %s while %s may use it; %s%s%s is missing", writer, fields,
                     races_who(scene, use, text),
                     is_unit ? "STALLWAIT(STALL_CFG, " : "tensix_sync()",
                     is_unit ? races_condition_name(races_unit(use)) : "", is_unit ? ")" : "");
        return;
    }
}

/* --- GPRs --- */

static void judge_gpr(const struct check_scene *scene, const struct order_stamp *stamp,
                      unsigned index)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = index / TENSIX_GPRS, gpr = index % TENSIX_GPRS;
    struct order_stamp *load = &races->load[thread][gpr];
    char text[RACES_WHO];
    if (load->number && !order_is_over(&races->order.thread[thread].clock, load) &&
        !scene->tile->tensix.timing) {
        check_report(scene, PENROSE_FAULT_GPR_HAZARD, stamp->hart, stamp->pc, index,
                     "%s reads GPR %u before the result of %s is there; STALLWAIT(%s, THCON) is "
                     "missing",
                     tensix_mnemonic(stamp->word), gpr, races_who(scene, load, text),
                     tensix_block_name(stamp->word));
    }
    load->number = 0;
}

/* The result of a load comes later than what another instruction writes, and stays. */
static void judge_gpr_write(const struct check_scene *scene, const struct order_stamp *stamp,
                            unsigned index)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = index / TENSIX_GPRS, gpr = index % TENSIX_GPRS;
    const struct order_stamp *load = &races->load[thread][gpr];
    char text[RACES_WHO];
    if (load->number && load->passed != stamp->passed &&
        !order_is_over(&races->order.thread[thread].clock, load) && !scene->tile->tensix.timing) {
        check_report(scene, PENROSE_FAULT_GPR_HAZARD, stamp->hart, stamp->pc, index,
                     "%s writes GPR %u, for which the result of %s may come later; STALLWAIT(%s, "
                     "THCON) is missing",
                     tensix_mnemonic(stamp->word), gpr, races_who(scene, load, text),
                     tensix_block_name(stamp->word));
    }
}

/* --- Instructions --- */

static void judge_touch(const struct check_scene *scene, const struct order_stamp *stamp,
                        const struct observed_touch *touch)
{
    struct check_races *races = scene->own->races;
    const struct order_clock *clock = &races->order.thread[races_thread(stamp)].clock;
    enum order_unit unit = races_unit(stamp);
    const uint32_t end = touch->first + touch->count;
    switch (touch->state) {
    case OBSERVED_STATE_DST:
    case OBSERVED_STATE_DST_FLAG:
        if (tensix_traits(scene->event->work->row) & TENSIX_TRAIT_SCHEDULES) {
            break; /* programs load whatever is there to get at what it schedules */
        }
        for (uint32_t row = touch->first; row < end && row < TENSIX_DST_ROWS; row++) {
            judge_row(scene, stamp, row, touch->is_write);
        }
        break;
    case OBSERVED_STATE_L1:
        if (end <= scene->tile->kind->l1_bytes && unit != ORDER_SCALAR) {
            judge_l1(scene, clock, unit, scene->hart, stamp->pc, touch->first, touch->count,
                     touch->is_write);
            if (touch->is_write) {
                races_bytes_forget(scene, touch->first, touch->count);
            } else {
                races_heard_read(scene, clock, stamp->pc, touch->first, touch->count);
            }
        }
        break;
    case OBSERVED_STATE_CONFIG:
        for (uint32_t i = touch->first; i < end && touch->is_write; i++) {
            judge_config(scene, clock, stamp, i / TENSIX_STATE_WORDS, i % TENSIX_STATE_WORDS);
        }
        if (!touch->is_write && unit != ORDER_CONFIG) {
            judge_late(scene, stamp, touch);
        }
        break;
    case OBSERVED_STATE_GPR:
        for (uint32_t i = touch->first; i < end; i++) {
            if (touch->is_write) {
                judge_gpr_write(scene, stamp, i);
                races->load[races_thread(stamp)][i % TENSIX_GPRS] =
                    touch->is_late ? *stamp : (struct order_stamp){.number = 0};
            } else {
                judge_gpr(scene, stamp, i);
            }
        }
        break;
    default:
        break;
    }
}

/* What it reads and writes in L1 from now on. */
static void note_l1(const struct check_scene *scene, const struct order_stamp *stamp,
                    const struct observed_touch *touch)
{
    struct check_races *races = scene->own->races;
    enum order_unit unit = races_unit(stamp);
    bool packs = (unit == ORDER_PACKER || unit == ORDER_MOVER) && touch->is_write;
    bool unpacks = (unit == ORDER_UNPACKER0 || unit == ORDER_UNPACKER1 || unit == ORDER_MOVER) &&
                   !touch->is_write;
    if (touch->state != OBSERVED_STATE_L1 || !(packs || unpacks)) {
        return;
    }
    uint32_t end = touch->first + touch->count;
    for (uint32_t at = touch->first / RACES_LINE;
         at * RACES_LINE < end && end <= scene->tile->kind->l1_bytes; at++) {
        *(packs ? &races->l1[at].packed : &races->l1[at].unpacked) = note_of(stamp);
    }
}

static bool touches(const struct observed_work *work, enum observed_state state)
{
    return (work->reads | work->writes) >> state & 1;
}

/* Does it move data as its configuration says? */
static void note_use(struct check_races *races, const struct tensix *tensix,
                     const struct order_stamp *stamp, const struct observed_work *work)
{
    bool moves = work->unit == TENSIX_UNIT_UNPACK || work->unit == TENSIX_UNIT_PACK;
    bool computes = work->unit == TENSIX_UNIT_MATRIX || work->unit == TENSIX_UNIT_VECTOR;
    if ((moves && touches(work, OBSERVED_STATE_CONFIG) && touches(work, OBSERVED_STATE_L1)) ||
        (computes && touches(work, OBSERVED_STATE_DST))) {
        races->uses[stamp->lane] = *stamp;
        races->state[stamp->lane] = (uint8_t)tensix_state_id(tensix, races_thread(stamp));
    }
}

/* --- What is given is taken --- */

static void note_semaphore(const struct check_scene *scene, unsigned index, uint32_t pc,
                           uint32_t word, bool begins)
{
    struct check_races *races = scene->own->races;
    struct races_given *post = &races->post[index];
    const uint8_t before = races->semaphore[index],
                  now = scene->tile->tensix.semaphore[index].value;
    char place[CHECK_PLACE];
    races->semaphore[index] = now;
    if (begins && now < before && post->is_open) {
        check_report(scene, PENROSE_FAULT_RACE_OPEN, scene->hart, pc, index,
                     "SEMINIT takes back the post of semaphore %u by %s; wait before it until the "
                     "semaphore is 0",
                     index, check_place(scene, post->hart, post->pc, place));
    }
    if (now == before && now == 0 && !begins) {
        check_report(
            scene, PENROSE_FAULT_RACE_OPEN, scene->hart, pc, index,
            "takes a post of semaphore %u, which is 0: nobody has made it; a SEMPOST, or a "
            "SEMWAIT while 0 before it, is missing",
            index);
    }
    if (now > before && !begins) {
        *post = (struct races_given){true, scene->hart, pc, word};
    } else if (now == 0 || begins) {
        post->is_open = false;
    }
}

/* SEMPOST, SEMGET, or a SEMWAIT while at the maximum, and the SEMINIT of another thread. Who waits
 * while the semaphore is 0 knows of SEMINIT by the post behind it. */
static void judge_begun(const struct check_scene *scene, const struct order_stamp *stamp,
                        unsigned index, bool writes)
{
    enum { WHILE_MAX = 2 };
    struct check_races *races = scene->own->races;
    const struct order_clock *clock = &races->order.thread[races_thread(stamp)].clock;
    const bool relies = writes || tensix_decode_SEMWAIT(stamp->word).condition_mask & WHILE_MAX;
    char text[RACES_WHO];
    for (unsigned thread = 0; relies && thread < TENSIX_THREADS; thread++) {
        struct order_stamp *begun = &races->begun[thread][index];
        if (thread != races_thread(stamp) && !order_is_known_to_pass(clock, begun)) {
            check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                         "%s relies on semaphore %u, which %s may not have set yet; "
                         "tensix_sync() behind it is missing, and something that tells of it",
                         tensix_mnemonic(stamp->word), index, races_who(scene, begun, text));
            begun->number = 0;
        }
    }
}

/* SEMINIT sets back what other threads do with the semaphore, or do it before that. Two that set the same
 * are no mistake by themselves. */
static void judge_begins(const struct check_scene *scene, const struct order_stamp *stamp,
                         unsigned index)
{
    struct check_races *races = scene->own->races;
    const struct order_clock *clock = &races->order.thread[races_thread(stamp)].clock;
    char text[RACES_WHO];
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct order_stamp *stepped = &races->stepped[thread][index];
        if (thread != races_thread(stamp) && stepped->word != stamp->word &&
            !order_is_known_to_pass(clock, stepped)) {
            check_report(scene, PENROSE_FAULT_RACE_STATE, stamp->hart, stamp->pc, index,
                         "SEMINIT sets semaphore %u, which %s uses in no order; one thread sets "
                         "it, before the others may use it",
                         index, races_who(scene, stepped, text));
            stepped->number = 0;
        }
    }
}

static void see_semaphore(const struct check_scene *scene, const struct order_stamp *stamp,
                          unsigned index, bool writes, bool begins)
{
    const bool is_of_launch = check_is_of_kernel(scene, stamp->pc);
    if (begins) {
        judge_begins(scene, stamp, index);
    } else {
        judge_begun(scene, stamp, index, writes);
    }
    if (writes && is_of_launch) {
        struct check_races *races = scene->own->races;
        const unsigned thread = races_thread(stamp);
        races->begun[thread][index] = begins ? *stamp : races->begun[thread][index];
        races->stepped[thread][index] = *stamp;
    }
    if (writes) {
        note_semaphore(scene, index, stamp->pc, stamp->word, begins);
    }
}

/* Who has given a bank to the Matrix Unit that has it. */
static void note_bank(const struct check_scene *scene, const struct order_stamp *stamp,
                      unsigned index)
{
    struct races_given *bank = &scene->own->races->bank[index];
    bool is_given = scene->tile->tensix.src[index / 2].matrix_may[index % 2];
    if (is_given && races_unit(stamp) != ORDER_MATRIX) {
        *bank = (struct races_given){true, stamp->hart, stamp->pc, stamp->word};
    }
    bank->is_open &= is_given;
}

static void note_given(const struct check_scene *scene, const struct order_stamp *stamp)
{
    const struct observed_work *work = scene->event->work;
    enum {
        GIVEN =
            1 << OBSERVED_STATE_SEMAPHORE | 1 << OBSERVED_STATE_SRC_BANK | 1 << OBSERVED_STATE_MUTEX
    };
    const bool gives = work->writes & GIVEN || work->reads >> OBSERVED_STATE_SEMAPHORE & 1;
    for (unsigned i = 0; gives && i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        const uint32_t end = touch->first + touch->count;
        const bool is_given = GIVEN >> touch->state & 1;
        const bool begins = touch->is_write && !order_reads_too(work, touch);
        for (uint32_t j = touch->first; is_given && j < end; j++) {
            if (touch->state == OBSERVED_STATE_SEMAPHORE && j < TENSIX_SEMAPHORES) {
                see_semaphore(scene, stamp, j, touch->is_write, begins);
            } else if (touch->state == OBSERVED_STATE_SRC_BANK && touch->is_write &&
                       j < 2 * TENSIX_SRCS) {
                note_bank(scene, stamp, j);
            } else if (touch->state == OBSERVED_STATE_MUTEX && touch->is_write &&
                       j < TENSIX_MUTEXES) {
                bool takes = scene->tile->tensix.mutex[j] == races_thread(stamp);
                scene->own->races->mutex[j] =
                    (struct races_given){takes, stamp->hart, stamp->pc, stamp->word};
            }
        }
    }
}

/* A hart of the launch has put a word into a mailbox, where earlier launches may have left some. */
static void note_mail(const struct check_scene *scene, unsigned to)
{
    struct check_races *races = scene->own->races;
    uint32_t *mail = &races->mail[scene->hart][to];
    const unsigned words = scene->tile->mailboxes.box[scene->hart][to].count;
    if (!*mail) {
        races->mail_before[scene->hart][to] = words > 0 ? words - 1 : 0;
    }
    *mail = scene->event->pc;
}

static const char *what_ends(const struct check_scene *scene)
{
    return scene->own->is_known ? "kernels" : "programs";
}

/* Words of the launch that nobody has taken. */
static void judge_mail(const struct check_scene *scene)
{
    struct check_races *races = scene->own->races;
    for (unsigned i = 0; i < MAILBOX_CORES * MAILBOX_CORES; i++) {
        const unsigned from = i / MAILBOX_CORES, to = i % MAILBOX_CORES;
        const unsigned words = scene->tile->mailboxes.box[from][to].count;
        const unsigned before = races->mail_before[from][to];
        if (races->mail[from][to] && words > before) {
            char others[32] = "";
            if (words - before > 1) {
                snprintf(others, sizeof others, " and %u before it", words - before - 1);
            }
            check_report(scene, PENROSE_FAULT_RACE_OPEN, from, races->mail[from][to], 0,
                         "the %s end, and %s has not taken this word%s from its mailbox; a load "
                         "of the mailbox is missing",
                         what_ends(scene), tile_agent_name((enum tile_agent)to), others);
        }
    }
    memset(races->mail, 0, sizeof races->mail);
}

void check_races_ended(const struct check_scene *scene)
{
    struct check_races *races = scene->own->races;
    for (unsigned i = 0; races && i < TENSIX_SEMAPHORES; i++) {
        const struct races_given *post = &races->post[i];
        if (post->is_open) {
            check_report(
                scene, PENROSE_FAULT_RACE_OPEN, post->hart, post->pc, i,
                "the %s end, and nobody has taken this post of semaphore %u; a SEMGET is missing",
                what_ends(scene), i);
        }
        races->post[i].is_open = false;
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            races->begun[thread][i].number = 0;
            races->stepped[thread][i].number = 0;
        }
    }
    for (unsigned i = 0; races && i < 2 * TENSIX_SRCS; i++) {
        const struct races_given *bank = &races->bank[i];
        if (bank->is_open) {
            check_report(
                scene, PENROSE_FAULT_RACE_OPEN, bank->hart, bank->pc, i,
                "the %s end, and the Matrix Unit has not given back the bank of Src%c that this "
                "%s has handed over",
                what_ends(scene), i / 2 ? 'B' : 'A', tensix_mnemonic(bank->word));
        }
        races->bank[i].is_open = false;
    }
    for (unsigned i = 0; races && i < TENSIX_MUTEXES; i++) {
        const struct races_given *mutex = &races->mutex[i];
        if (mutex->is_open) {
            check_report(
                scene, PENROSE_FAULT_RACE_OPEN, mutex->hart, mutex->pc, i,
                "the %s end, and their thread has not released mutex %u: ATRELM is missing",
                what_ends(scene), i);
        }
        races->mutex[i].is_open = false;
    }
    if (races) {
        judge_mail(scene);
        order_all(&races->order);
    }
}

/* --- Instructions are told --- */

void check_races_begin(const struct check_scene *scene)
{
    if (scene->own->races) {
        races_heard_begin(scene->own->races);
    }
}

void check_races_free(struct check_races *races)
{
    if (races) {
        races_harts_free(races);
        order_free(&races->order);
    }
    free(races);
}

static struct check_races *races_of(const struct check_scene *scene)
{
    struct check_tile *own = scene->own;
    const struct tensix *tensix = &scene->tile->tensix;
    if (!own->races) {
        size_t lines = scene->tile->kind->l1_bytes / RACES_LINE;
        own->races = calloc(1, sizeof *own->races + lines * sizeof own->races->l1[0]);
        if (!own->races) {
            return NULL;
        }
        own->races->l1_bytes = scene->tile->kind->l1_bytes;
        memcpy(own->races->config, tensix->config, sizeof own->races->config);
        /* Otherwise the first instruction, which is told behind what it has done, makes this. */
        const bool is_late = scene->checks->is_late;
        for (unsigned i = 0; i < 2 * TENSIX_SRCS && is_late; i++) {
            own->races->has_bank[i] = tensix->src[i / 2].matrix_may[i % 2];
        }
        for (unsigned i = 0; i < TENSIX_SEMAPHORES && is_late; i++) {
            own->races->order.semaphore[i].base = tensix->semaphore[i].value;
            own->races->semaphore[i] = tensix->semaphore[i].value;
        }
    }
    return own->races;
}

/* The rest of an UNPACR that has waited in its unpacker passes no gate. */
static void pass_gate(const struct check_scene *scene, struct check_races *races)
{
    const struct observed *event = scene->event;
    unsigned row = event->work ? event->work->row : tensix_row_of(event->word);
    if (row < TENSIX_ROWS && !scene->tile->tensix.touches.goes_on) {
        order_passes(&races->order, &scene->tile->tensix, event->thread, row, scene->hart);
    }
}

void check_races_unit(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct observed_work *work = event->work;
    const struct tensix *tensix = &scene->tile->tensix;
    struct check_races *races = races_of(scene);
    if (!races || event->thread >= TENSIX_THREADS) {
        return;
    }
    const unsigned unpacker = tensix_decode_UNPACR(event->word).which_unpacker;
    struct order_stamp *stamp =
        work->goes_on ? &races->in_unpacker[unpacker] : &races->at_hand[event->thread];
    if (work->goes_on && stamp->number) {
        order_goes_on(&races->order, tensix, event);
    }
    if (!stamp->number) { /* not in the middle of a list */
        pass_gate(scene, races);
        order_ended(&races->order, tensix, event, stamp);
        stamp->is_of_flags =
            touches(work, OBSERVED_STATE_DST_FLAG) && !touches(work, OBSERVED_STATE_DST);
    }
    for (unsigned i = 0; i < work->touches; i++) {
        judge_touch(scene, stamp, &work->touch[i]);
    }
    for (unsigned i = 0; touches(work, OBSERVED_STATE_L1) && i < work->touches; i++) {
        note_l1(scene, stamp, &work->touch[i]);
    }
    races_harts_unit(scene, stamp);
    races_shared_unit(scene, stamp);
    note_use(races, tensix, stamp, work);
    note_given(scene, stamp);
    if (!work->continues) {
        order_handed(&races->order, tensix, event, stamp);
        stamp->number = 0;
    } else if (work->is_held) {
        races->in_unpacker[unpacker] = *stamp;
        stamp->number = 0;
    }
}

/* --- Harts and the NoC --- */

void check_races_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const uint32_t address = (uint32_t)event->address;
    bool writes = event->kind == OBSERVED_WRITTEN;
    struct check_races *races = races_of(scene);
    if (!races) {
        return;
    }
    if (event->agent >
        OBSERVED_NCRISC) { /* an instruction that is told as a whole when it has ended */
        if (event->thread < TENSIX_THREADS) {
            pass_gate(scene, races);
        }
        return;
    }
    if (event->kind == OBSERVED_READ) { /* what it knew before */
        races_harts_access(scene);
    }
    const uint32_t brought = races->order.hart[scene->hart].clock.at[ORDER_BROUGHT];
    order_hart_access(&races->order, &scene->tile->tensix, scene->hart, event);
    if (races->order.hart[scene->hart].clock.at[ORDER_BROUGHT] != brought) {
        races_heard_learns(scene);
    }
    if (event->kind == OBSERVED_WRITTEN) {
        races_harts_access(scene);
    }
    const struct order_clock *clock = &races->order.hart[scene->hart].clock;
    if (address < scene->tile->kind->l1_bytes) {
        judge_l1(scene, clock, ORDER_GATE, scene->hart, event->pc, address, event->size, writes);
    }
    if (writes && address - AT_SEMAPHORES < 4 * TENSIX_SEMAPHORES && scene->hart != RV32_B) {
        note_semaphore(scene, (address - AT_SEMAPHORES) / 4, event->pc, 0, false);
    }
    if (writes && address - AT_MAILBOX < END_MAILBOX - AT_MAILBOX && scene->hart < MAILBOX_CORES &&
        check_is_of_kernel(scene, event->pc)) {
        note_mail(scene, (address - AT_MAILBOX) / STEP_MAILBOX % MAILBOX_CORES);
    }
    unsigned index = (address - AT_CONFIG) / 4;
    if (writes && address >= AT_CONFIG && index < TENSIX_CONFIG_THREAD) {
        unsigned word = index % TENSIX_STATE_WORDS;
        for (unsigned state = 0; state < TENSIX_STATES; state++) {
            if (index >= TENSIX_CONFIG_DUAL || state == index / TENSIX_STATE_WORDS) {
                judge_config(scene, clock, NULL, state, word);
            }
        }
    }
}

void check_races_pushed(const struct check_scene *scene)
{
    struct check_races *races = races_of(scene);
    if (races) {
        order_hart_access(&races->order, &scene->tile->tensix, scene->hart, scene->event);
        races_harts_pushed(scene);
    }
}

uint32_t check_races_stores(const struct check_scene *scene)
{
    const struct check_races *races = scene->own->races;
    return races ? races->order.count[ORDER_STORES + scene->hart] : 0;
}

uint32_t check_races_learned(const struct check_scene *scene, unsigned other)
{
    const struct check_races *races = scene->own->races;
    return races ? races->order.hart[scene->hart].clock.at[ORDER_STORES + other] : 0;
}

/* Banks tell nobody what they were told. */
static bool goes_to_bank(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    return !event->is_multicast && event->node < NOC_NODES &&
           scene->checks->chip->place[event->node].port != NULL;
}

void check_races_arrived(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    if (scene->own->races) {
        order_arrived(&scene->own->races->order, (uint32_t)event->address, event->size,
                      event->node != scene->tile->node && event->packet <= NOC_ATOMIC);
        races_heard_arrived(scene);
        races_bytes_forget(scene, (uint32_t)event->address, event->size);
    }
}

void check_races_sent(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_races *races = races_of(scene);
    if (races && !goes_to_bank(scene)) {
        order_sent(&races->order, scene->hart);
        races_heard_sent(scene);
    }
    if (races && event->back < scene->tile->kind->l1_bytes &&
        (event->packet == NOC_WRITE || event->packet == NOC_READ)) {
        judge_l1(scene, &races->order.hart[scene->hart].clock, ORDER_GATE, scene->hart, event->pc,
                 (uint32_t)event->back, event->size, event->packet == NOC_READ);
        if (event->packet == NOC_WRITE && event->size > RACES_WORD) {
            races_heard_read(scene, &races->order.hart[scene->hart].clock, event->pc,
                             (uint32_t)event->back, event->size);
        }
    }
}
