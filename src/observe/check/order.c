/* What the hardware orders inside a tile, see order.h. SPEC: BlackholeA0 STALLWAIT, SEMWAIT,
 * SyncUnit. */
#include "observe/check/order.h"

#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "host/array.h"
#include "tensix/exec.h"

/* --- Clocks --- */

static bool learn(struct order_clock *clock, const struct order_clock *from)
{
    uint32_t changed = 0;
    for (unsigned i = 0; i < ORDER_LANES; i++) {
        const uint32_t known = clock->at[i], told = from->at[i];
        clock->at[i] = told > known ? told : known;
        changed |= clock->at[i] ^ known;
    }
    return changed != 0;
}

static void learn_lane(const struct order *order, struct order_clock *clock, unsigned thread,
                       enum order_unit unit)
{
    unsigned lane = order_lane(thread, unit);
    clock->at[lane] = order->count[lane];
}

/* All that a thread was told is over. */
static void learn_thread(const struct order *order, struct order_clock *clock, unsigned thread)
{
    for (unsigned unit = 0; unit < ORDER_UNITS; unit++) {
        learn_lane(order, clock, thread, (enum order_unit)unit);
    }
}

static void take_gift(struct order *order, unsigned thread, struct order_gift *gift)
{
    if (!(gift->known_by >> thread & 1)) {
        gift->known_by |= 1u << thread;
        (void)learn(&order->thread[thread].clock, &gift->clock);
    }
}

static void hart_learns(struct order_hart *hart, const struct order_clock *from)
{
    hart->version += learn(&hart->clock, from);
}

/* Where those leave what they know who store at an address, and those learn it who load there. A
 * stream has registers that change one another. */
static unsigned place_of(uint32_t address)
{
    uint32_t place = address / 16;
    if (address - AT_OVERLAY < END_OVERLAY - AT_OVERLAY) {
        place = address / STEP_STREAM;
    } else if (address - AT_PC_BUF < END_PC_BUF - AT_PC_BUF) {
        place = AT_PC_BUF / 16;
    }
    /* Buffers lie at round distances from each other, and must not share their places. */
    return place * UINT32_C(0x9e3779b1) >> (32 - ORDER_PLACE_BITS);
}

/* A mailbox has two ends: who stores names the receiver, and who loads the sender. */
static unsigned place_of_hart(unsigned hart, uint32_t address, bool stores)
{
    if (address - AT_MAILBOX >= END_MAILBOX - AT_MAILBOX) {
        return place_of(address);
    }
    const unsigned other = (address - AT_MAILBOX) / STEP_MAILBOX % RV32_CORES;
    const unsigned sender = stores ? hart : other, receiver = stores ? other : hart;
    return place_of(AT_MAILBOX + 16 * (sender * RV32_CORES + receiver));
}

/* What those knew who have stored something at a place, to add to it. */
static struct order_clock *known_at(struct order *order, unsigned place)
{
    if (!order->place[place]) {
        if (!array_grow(&order->known, order->knowns, &order->room, sizeof *order->known)) {
            return &order->lost;
        }
        order->known[order->knowns++] = (struct order_clock){{0}};
        order->place[place] = (uint16_t)order->knowns;
    }
    return &order->known[order->place[place] - 1];
}

/* What is known at a place, also by what has come there. */
static const struct order_clock *look_at_place(struct order *order, unsigned place)
{
    static const struct order_clock nothing;
    uint8_t *came = &order->came[place];
    if (!*came && !order->place[place]) {
        return &nothing;
    }
    struct order_clock *known = known_at(order, place);
    if (*came) {
        (void)learn(known, &order->sent[*came - 1]);
        *came = 0;
    }
    return known;
}

void order_free(struct order *order)
{
    free(order->known);
}

/* Those who have sent something know more from now on. What they knew is kept as long as a place has its
 * number. */
static void sent_learns(struct order *order, const struct order_clock *from)
{
    const struct order_clock *before = &order->sent[order->sent_now];
    if (order->is_sent_used) {
        for (unsigned i = 0; order->sent_now + 1 == ORDER_SENT && i < ORDER_PLACES; i++) {
            (void)look_at_place(order, i);
        }
        order->sent_now = (order->sent_now + 1) % ORDER_SENT;
        order->sent[order->sent_now] = *before;
        order->is_sent_used = false;
    }
    (void)learn(&order->sent[order->sent_now], from);
}

void order_all(struct order *order)
{
    struct order_clock now;
    memcpy(now.at, order->count, sizeof now.at);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        order->thread[i].clock = now;
        order->thread[i].acquires = false;
        order->thread[i].asks = 0;
    }
    for (unsigned i = 0; i < RV32_CORES; i++) {
        hart_learns(&order->hart[i], &now);
    }
    sent_learns(order, &now);
}

const struct order_stamp *order_find(const struct order *order, unsigned lane, uint32_t number)
{
    const struct order_stamp *stamp = &order->recent[lane][number % ORDER_RECENT];
    return stamp->number == number ? stamp : NULL;
}

/* --- Units --- */

enum order_unit order_unit_of(unsigned row, uint32_t word)
{
    static const enum order_unit units[TENSIX_UNITS] = {
        [TENSIX_UNIT_MATRIX] = ORDER_MATRIX, [TENSIX_UNIT_VECTOR] = ORDER_VECTOR,
        [TENSIX_UNIT_PACK] = ORDER_PACKER,   [TENSIX_UNIT_SCALAR] = ORDER_SCALAR,
        [TENSIX_UNIT_CONFIG] = ORDER_CONFIG, [TENSIX_UNIT_MOVER] = ORDER_MOVER,
    };
    enum { WHICH_UNPACKER = 1 << 23 /* of every instruction of theirs */ };
    if (tensix_row_infos[row].unit == TENSIX_UNIT_UNPACK) {
        return word & WHICH_UNPACKER ? ORDER_UNPACKER1 : ORDER_UNPACKER0;
    }
    return units[tensix_row_infos[row].unit];
}

/* --- Semaphores --- */

static void step(struct order_steps *steps, const struct order_clock *knows, unsigned agent)
{
    const struct order_clock *before = &steps->history[steps->count % ORDER_HISTORY];
    struct order_clock *after = &steps->history[(steps->count + 1) % ORDER_HISTORY];
    *after = *before;
    (void)learn(after, knows);
    steps->count++;
    steps->by |= 1u << agent;
}

/* What the first `number` steps have told; where several agents step, all steps. */
static const struct order_clock *steps_know(const struct order_steps *steps, int64_t number)
{
    bool several = steps->by & (steps->by - 1);
    if (several || number > steps->count || steps->count - number >= ORDER_HISTORY) {
        number = steps->count;
    }
    return &steps->history[(uint32_t)number % ORDER_HISTORY];
}

/* Conditions of SEMWAIT. */
enum { WHILE_ZERO = 1, WHILE_MAX = 2 };

/* A wait behind which the semaphore is not 0 knows of one post more than there were gets, and one
 * behind which it is below its maximum of the get that made it so. */
static void learn_semaphore(struct order_clock *clock, const struct order_semaphore *semaphore,
                            unsigned max, unsigned conditions)
{
    const int64_t posts = semaphore->posts.count, gets = semaphore->gets.count;
    const int64_t base = semaphore->base;
    (void)learn(clock, &semaphore->begun);
    if (conditions & WHILE_ZERO && gets + 1 - base > 0) {
        (void)learn(clock, steps_know(&semaphore->posts, gets + 1 - base));
    }
    if (conditions & WHILE_MAX && posts + base - max + 1 > 0) {
        (void)learn(clock, steps_know(&semaphore->gets, posts + base - max + 1));
    }
}

static void begin_semaphore(struct order *order, unsigned index, const struct order_clock *knows,
                            unsigned value)
{
    order->semaphore[index] = (struct order_semaphore){.begun = *knows, .base = value};
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        order->thread[i].asks &= ~(1u << index);
    }
}

/* A thread, and its hart, in struct order_steps. */
static unsigned agents_of(unsigned thread)
{
    return 1u << (RV32_CORES + thread) | 1u << (RV32_T0 + thread);
}

bool order_acquires(const struct order *order, unsigned thread, unsigned packs)
{
    const struct order_thread *own = &order->thread[thread];
    bool acquires = own->acquires;
    for (unsigned left = own->asks; left; left &= left - 1) {
        const struct order_semaphore *semaphore = &order->semaphore[__builtin_ctz(left)];
        const unsigned others = (semaphore->posts.by | semaphore->gets.by) & ~agents_of(thread);
        acquires |= !others || others & agents_of(packs);
    }
    return acquires;
}

/* A step has been counted. Steps beyond the end of the range and what a debugger sets shift the
 * base. */
static void find_base(struct order_semaphore *semaphore, const struct tensix_semaphore *now)
{
    semaphore->base = now->value - (int64_t)semaphore->posts.count + semaphore->gets.count;
}

/* --- Waits --- */

/* The instruction has latched a wait. */
static void note_latch(struct order *order, unsigned thread, const struct tensix_latch *latch)
{
    struct order_wait *wait = &order->thread[thread].wait;
    static const struct {
        unsigned condition;
        enum order_unit unit;
    } waits_for[] = {
        {TENSIX_C_SCALAR, ORDER_SCALAR},       {TENSIX_C_UNPACKER0, ORDER_UNPACKER0},
        {TENSIX_C_UNPACKER1, ORDER_UNPACKER1}, {TENSIX_C_PACKER, ORDER_PACKER},
        {TENSIX_C_MATRIX, ORDER_MATRIX},       {TENSIX_C_VECTOR, ORDER_VECTOR},
    };
    *wait = (struct order_wait){
        .blocks = latch->block_mask,
        .src = latch->conditions,
        .semaphores = latch->semaphores,
        .conditions = latch->semaphore_conditions,
        .is_for_stream = latch->waits_for_stream,
    };
    for (unsigned i = 0; i < sizeof waits_for / sizeof waits_for[0]; i++) {
        if (latch->conditions & waits_for[i].condition) {
            learn_lane(order, &wait->tells, thread, waits_for[i].unit);
        }
    }
    if (latch->conditions & TENSIX_C_HART) {
        wait->tells.at[ORDER_ARRIVED + RV32_T0 + thread] =
            order->count[ORDER_ARRIVED + RV32_T0 + thread];
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) { /* of all threads */
        if (latch->conditions & TENSIX_C_CONFIG) {
            learn_lane(order, &wait->tells, i, ORDER_CONFIG);
        }
        if (latch->conditions & TENSIX_C_MOVER) {
            learn_lane(order, &wait->tells, i, ORDER_MOVER);
        }
    }
}

/* The wait is over for an instruction that it has blocked. */
static void hear_wait(struct order *order, unsigned thread, const struct tensix *tensix)
{
    struct order_thread *own = &order->thread[thread];
    const struct order_wait *wait = &own->wait;
    (void)learn(&own->clock, &wait->tells);
    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (wait->semaphores >> i & 1) {
            learn_semaphore(&own->clock, &order->semaphore[i], tensix->semaphore[i].max,
                            wait->conditions);
            own->holds |= wait->conditions & WHILE_ZERO;
            own->acquires |= (wait->conditions & WHILE_MAX) != 0;
            own->asks |= wait->conditions & WHILE_ZERO ? 1u << i : 0;
        }
    }
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        const struct tensix_src_banks *banks = &tensix->src[src];
        if (wait->src >> src & TENSIX_C_SRC_A_MATRIX) {
            take_gift(order, thread, &order->given[src][banks->matrix_bank]);
        }
        if (wait->src >> src & TENSIX_C_SRC_A_UNPACK) {
            take_gift(order, thread, &order->returned[src][banks->unpack_bank]);
        }
    }
    if (wait->is_for_stream) { /* whichever it is */
        for (unsigned i = 0; i < RV32_CORES; i++) {
            (void)learn(&own->clock, &order->hart[i].clock);
        }
    }
    own->wait.blocks = 0;
}

/* --- Instructions --- */

static void hear_hart(struct order *order, struct order_thread *own, unsigned pusher)
{
    if (pusher >= RV32_CORES) {
        return;
    }
    const struct order_hart *hart = &order->hart[pusher];
    if (own->heard[pusher] != hart->version) {
        own->heard[pusher] = hart->version;
        (void)learn(&own->clock, &hart->clock);
    } else { /* nobody knows more of its stores than itself */
        own->clock.at[ORDER_STORES + pusher] = hart->clock.at[ORDER_STORES + pusher];
    }
}

void order_passes(struct order *order, const struct tensix *tensix, unsigned thread, unsigned row,
                  unsigned pusher)
{
    struct order_thread *own = &order->thread[thread];
    if (own->is_begun) {
        return;
    }
    own->is_begun = true;
    hear_hart(order, own, pusher);
    if (own->wait.blocks && tensix_is_blocked(&tensix_row_infos[row], own->wait.blocks)) {
        hear_wait(order, thread, tensix);
    }
}

/* An instruction has changed a semaphore, or one that saturates. */
static void step_semaphore(struct order *order, const struct tensix *tensix, unsigned index,
                           const struct order_stamp *stamp)
{
    const unsigned thread = stamp->thread;
    struct order_thread *own = &order->thread[thread];
    struct order_semaphore *semaphore = &order->semaphore[index];
    const int64_t before =
        semaphore->base + (int64_t)semaphore->posts.count - semaphore->gets.count;
    const unsigned now = tensix->semaphore[index].value;
    bool posts = now > before || now == TENSIX_SEMAPHORE_MOST;
    step(posts ? &semaphore->posts : &semaphore->gets, &own->clock, RV32_CORES + thread);
    find_base(semaphore, &tensix->semaphore[index]);
    own->holds &= posts;
    own->handed = *stamp;
}

/* A mutex was taken or released. */
static void take_mutex(struct order *order, const struct tensix *tensix, unsigned index,
                       const struct order_stamp *stamp)
{
    const unsigned thread = stamp->thread;
    struct order_thread *own = &order->thread[thread];
    if (tensix->mutex[index] == thread) {
        (void)learn(&own->clock, &order->mutex[index]);
    } else {
        order->mutex[index] = own->clock;
        own->handed = *stamp;
    }
}

static bool hands_any(const struct observed_work *work)
{
    return work->writes >> OBSERVED_STATE_SRC_BANK & 1;
}

/* The bank of Src that an instruction hands over, or else the one that its unit is at. */
static unsigned bank_of(const struct observed_work *work, unsigned src, unsigned at)
{
    for (unsigned i = 0; hands_any(work) && i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (touch->state == OBSERVED_STATE_SRC_BANK && touch->is_write && touch->first / 2 == src) {
            return touch->first % 2;
        }
    }
    return at;
}

static bool hands_over(const struct observed_work *work, unsigned src)
{
    enum { NONE = 2 };
    return bank_of(work, src, NONE) != NONE;
}

/* The Matrix Unit waits for the unpackers' data, and the unpackers for their bank. */
static void hear_banks(struct order *order, unsigned thread, const struct tensix *tensix,
                       const struct observed_work *work)
{
    const bool takes = work->unit == TENSIX_UNIT_MATRIX;
    const bool fills =
        work->unit == TENSIX_UNIT_UNPACK && !tensix_has(work->row, TENSIX_TRAIT_UNASKED);
    for (unsigned src = 0; (takes || fills) && src < TENSIX_SRCS; src++) {
        const struct tensix_src_banks *banks = &tensix->src[src];
        if (takes) {
            unsigned bank = bank_of(work, src, banks->matrix_bank);
            take_gift(order, thread, &order->given[src][bank]);
        } else {
            unsigned bank = bank_of(work, src, banks->unpack_bank);
            take_gift(order, thread, &order->returned[src][bank]);
        }
    }
}

/* A bank goes to the Matrix Unit when the data are there. It goes back when they were used, which
 * says nothing of the results in Dst. */
static void hand_over(struct order *order, const struct order_thread *own,
                      const struct order_stamp *stamp, const struct observed_work *work)
{
    for (unsigned src = 0; hands_any(work) && src < TENSIX_SRCS; src++) {
        if (hands_over(work, src)) {
            unsigned bank = bank_of(work, src, 0);
            if (work->unit == TENSIX_UNIT_MATRIX) {
                order->returned[src][bank] = (struct order_gift){.clock = own->clock};
            } else {
                order->given[src][bank] = (struct order_gift){.clock = own->clock};
                order->given[src][bank].clock.at[stamp->lane] = stamp->number;
            }
        }
    }
}

void order_ended(struct order *order, const struct tensix *tensix, const struct observed *event,
                 struct order_stamp *stamp)
{
    const unsigned row = event->work->row, thread = event->thread;
    struct order_thread *own = &order->thread[thread];
    const unsigned gate = order_lane(thread, ORDER_GATE);
    const enum order_unit unit = order_unit_of(row, event->word);
    const unsigned lane = order_lane(thread, unit);
    own->is_begun = false;
    hear_banks(order, thread, tensix, event->work);
    order->count[gate]++;
    order->count[lane] += lane != gate;
    own->clock.at[gate] = order->count[gate];
    order->count[order_lane(thread, ORDER_PASSED)] = order->count[gate];
    learn_lane(order, &own->clock, thread, ORDER_PASSED);
    if ((unsigned)event->agent <
        RV32_CORES) { /* whom it tells can rely on its pushes having passed */
        struct order_hart *hart = &order->hart[event->agent];
        hart->clock.at[gate] = order->count[gate];
        own->heard[event->agent] += own->heard[event->agent] == hart->version; /* it knows that */
        hart->version++;
    }
    *stamp = (struct order_stamp){.number = order->count[lane],
                                  .passed = order->count[gate],
                                  .pc = event->pc,
                                  .word = event->word,
                                  .lane = (uint8_t)lane,
                                  .thread = (uint8_t)thread,
                                  .unit = (uint8_t)unit,
                                  .hart = (uint8_t)event->agent};
    order->recent[lane][stamp->number % ORDER_RECENT] = *stamp;
}

void order_goes_on(struct order *order, const struct tensix *tensix, const struct observed *event)
{
    hear_banks(order, event->thread, tensix, event->work);
}

bool order_reads_too(const struct observed_work *work, const struct observed_touch *written)
{
    for (unsigned i = 0; i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        if (touch->state == written->state && !touch->is_write && touch->first <= written->first &&
            written->first + written->count <= touch->first + touch->count) {
            return true;
        }
    }
    return false;
}

/* What the Scalar Unit loads others have stored, and others load what it stores. */
static void meet_others(struct order *order, const struct observed_touch *touch,
                        const struct order_stamp *stamp)
{
    struct order_thread *own = &order->thread[stamp->thread];
    const unsigned place = place_of(touch->first);
    if (touch->is_write) {
        (void)learn(known_at(order, place), &own->clock);
        own->handed = touch->state == OBSERVED_STATE_REGISTER ? *stamp : own->handed;
    } else {
        (void)learn(&own->clock, look_at_place(order, place));
    }
}

static void meet(struct order *order, const struct tensix *tensix, const struct observed_work *work,
                 const struct observed_touch *touch, const struct order_stamp *stamp)
{
    const struct order_thread *own = &order->thread[stamp->thread];
    switch (touch->state) {
    case OBSERVED_STATE_L1:
    case OBSERVED_STATE_REGISTER:
        if (work->unit == TENSIX_UNIT_SCALAR) {
            meet_others(order, touch, stamp);
        }
        break;
    case OBSERVED_STATE_MUTEX:
        if (touch->is_write && touch->first < TENSIX_MUTEXES) {
            take_mutex(order, tensix, touch->first, stamp);
        }
        break;
    case OBSERVED_STATE_SEMAPHORE:
        for (uint32_t i = touch->first; touch->is_write && i < touch->first + touch->count; i++) {
            if (order_reads_too(work, touch)) {
                step_semaphore(order, tensix, i, stamp);
            } else {
                begin_semaphore(order, i, &own->clock, tensix->semaphore[i].value);
            }
        }
        break;
    default:
        break;
    }
}

/* Has the instruction waited for what its unpacker has done before? */
static bool waits_for_unpacker(const struct observed *event)
{
    return tensix_has(event->work->row, TENSIX_TRAIT_WAITS_LIKE_UNPACR) &&
           tensix_decode_UNPACR_NOP_ZEROSRC(event->word).wait_like_unpacr;
}

void order_handed(struct order *order, const struct tensix *tensix, const struct observed *event,
                  const struct order_stamp *stamp)
{
    const struct observed_work *work = event->work;
    struct order_thread *own = &order->thread[event->thread];
    const struct tensix_latch *latch = &tensix->thread[event->thread].latch;
    enum { MEETS = 1 << OBSERVED_STATE_MUTEX | 1 << OBSERVED_STATE_SEMAPHORE };
    if (work->unit == TENSIX_UNIT_SYNC && latch->block_mask && latch->word == event->word) {
        note_latch(order, event->thread, latch);
    }
    bool meets = work->unit == TENSIX_UNIT_SCALAR || work->writes & MEETS;
    for (unsigned i = 0; meets && i < work->touches; i++) {
        meet(order, tensix, work, &work->touch[i], stamp);
    }
    if (tensix_traits(work->row) & TENSIX_TRAIT_DRAINS) {
        learn_lane(order, &own->clock, event->thread, ORDER_SCALAR);
    }
    if (waits_for_unpacker(event)) {
        own->clock.at[stamp->lane] = stamp->number;
    }
    hand_over(order, own, stamp, work);
}

/* --- Harts --- */

static void step_by_hart(struct order *order, const struct tensix *tensix, unsigned hart,
                         unsigned index, bool posts)
{
    struct order_semaphore *semaphore = &order->semaphore[index];
    step(posts ? &semaphore->posts : &semaphore->gets, &order->hart[hart].clock, hart);
    find_base(semaphore, &tensix->semaphore[index]);
}

static void look_at_semaphore(struct order_hart *hart, const struct order_semaphore *semaphore)
{
    hart_learns(hart, &semaphore->begun);
    hart_learns(hart, steps_know(&semaphore->posts, semaphore->posts.count));
    hart_learns(hart, steps_know(&semaphore->gets, semaphore->gets.count));
}

/* PCBufs, TTSync and the semaphores of a TRISC. */
static void access_pc_buf(struct order *order, const struct tensix *tensix, unsigned hart,
                          uint32_t address, bool stores, uint32_t value)
{
    struct order_hart *own = &order->hart[hart];
    struct order_clock done = own->clock;
    unsigned thread = hart - RV32_T0, index = (address - AT_SEMAPHORES) / 4;
    if (hart == RV32_B) {
        thread = (address - AT_PC_BUF) / STEP_PC_BUF;
    } else if (index < TENSIX_SEMAPHORES) {
        if (stores) {
            step_by_hart(order, tensix, hart, index, !(value & 1));
        } else {
            look_at_semaphore(own, &order->semaphore[index]);
            if (thread < TENSIX_THREADS) {
                order->thread[thread].asks |= 1u << index;
            }
        }
        return;
    }
    bool waits = hart == RV32_B || (address & ~UINT32_C(3)) == AT_COPROCESSOR_DONE;
    if (!stores && waits && thread < TENSIX_THREADS) {
        learn_thread(order, &done, thread);
        hart_learns(own, &done);
    }
}

/* Does the hart store to, or load from, what the coprocessor reads when it executes? */
static bool is_of_coprocessor(uint32_t address)
{
    return address - AT_GPR < END_GPR - AT_GPR || address - AT_CONFIG <= LAST_CONFIG - AT_CONFIG;
}

/* Its own stores: how many there are, and which have arrived. */
static void count_stores(struct order *order, unsigned hart, uint32_t address, bool stores)
{
    struct order_hart *own = &order->hart[hart];
    if (stores) {
        own->clock.at[ORDER_STORES + hart] = ++order->count[ORDER_STORES + hart];
        order->count[ORDER_ARRIVED + hart] += is_of_coprocessor(address);
    } else if (is_of_coprocessor(address) || address == AT_COPROCESSOR_DONE) {
        own->clock.at[ORDER_ARRIVED + hart] = order->count[ORDER_ARRIVED + hart];
        own->version++;
    }
}

/* Does a load there tell what the coprocessor has done, in ways that are not followed? */
static bool tells_of_coprocessor(uint32_t address)
{
    return address - AT_DEBUG < END_DEBUG - AT_DEBUG && address != AT_WALL_CLOCK_LOW &&
           address != AT_WALL_CLOCK_LOW + 8;
}

/* Do loads there tell which requests have been answered? */
static bool tells_of_requests(uint32_t address)
{
    return address - AT_NIU < GRID_NOCS * STEP_NIU;
}

/* A TRISC's words behind its PCBuf are between it and its thread; semaphores are followed by
 * themselves; nobody loads what is pushed to the coprocessor; and of words of Config that harts change
 * nobody waits for a value. */
static bool tells_no_other_hart(unsigned hart, uint32_t address)
{
    return (address - AT_PC_BUF < END_PC_BUF - AT_PC_BUF && hart != RV32_B &&
            address != AT_PC_BUF) ||
           address - AT_INSTRN_BUF < END_INSTRN_BUF - AT_INSTRN_BUF ||
           address - AT_CONFIG <= LAST_CONFIG - AT_CONFIG;
}

void order_hart_access(struct order *order, const struct tensix *tensix, unsigned hart,
                       const struct observed *event)
{
    struct order_hart *own = &order->hart[hart];
    const uint32_t address = (uint32_t)event->address;
    bool stores = event->kind == OBSERVED_WRITTEN;
    if (address - AT_LOCAL_RAM < AT_TDMA - AT_LOCAL_RAM) {
        return;
    }
    count_stores(order, hart, address, stores);
    if (address - AT_PC_BUF < END_PC_BUF - AT_PC_BUF) {
        access_pc_buf(order, tensix, hart, address, stores, event->value);
    }
    if (!stores && tells_of_coprocessor(address)) {
        struct order_clock all;
        memcpy(all.at, order->count, sizeof all.at);
        hart_learns(own, &all);
    }
    if (tells_no_other_hart(hart, address)) {
        return;
    }
    for (unsigned i = 0; stores && address == AT_SOFT_RESET_0 && i < RV32_CORES; i++) {
        hart_learns(&order->hart[i], &own->clock); /* one that begins knows what was done before */
    }
    const unsigned place = place_of_hart(hart, address, stores);
    if (stores) {
        (void)learn(known_at(order, place), &own->clock);
    } else {
        hart_learns(own, look_at_place(order, place));
        if (tells_of_requests(address)) {
            hart_learns(own, &order->sent[order->sent_now]);
        }
    }
}

void order_arrived(struct order *order, uint32_t address, uint32_t size, bool is_of_other_tile)
{
    enum { STEP = 16 };
    if (is_of_other_tile) {
        known_at(order, place_of(address + size - 1))->at[ORDER_BROUGHT] =
            ++order->count[ORDER_BROUGHT];
    }
    for (uint32_t at = address & ~(uint32_t)(STEP - 1); at - address < size || at < address;
         at += STEP) {
        order->came[place_of(at)] = (uint8_t)(order->sent_now + 1);
    }
    order->is_sent_used = true;
}

void order_sent(struct order *order, unsigned hart)
{
    sent_learns(order, &order->hart[hart].clock);
}
