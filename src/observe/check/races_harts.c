/*
 * Races of harts: their stores to what the coprocessor uses, and to L1. SPEC: BlackholeA0
 * MemoryOrdering, PushTensixInstruction, BackendConfiguration; WormholeB0 MOPExpander, ScalarUnit.
 *
 * A hart goes on when it has pushed an instruction. So a store behind the push may come before the
 * instruction uses the old value, and an instruction that is pushed behind a store may come before
 * the store has arrived.
 */
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "observe/check/check.h"
#include "observe/check/races.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* A store that is further away has arrived, whatever the program has waited for: programs that
 * configure long before they begin are right. */
enum { ARRIVES_IN = 24 /* cycles */ };

/* --- Instructions that wait in front of their gate --- */

struct waiting {
    unsigned gpr;  /* that is looked for, or TENSIX_GPRS, */
    bool writes;   /* and whether it is written */
    bool computes; /* any instruction of the Matrix Unit or the Vector Unit is looked for */
    unsigned word; /* of Config */
    uint32_t changed;
    unsigned hart, thread;
    const struct tensix *tensix;
    bool is_next; /* nothing in front of what is looked at can choose another context */
};

/* The unit that may keep words of Config; 0: none. */
static unsigned config_user(uint32_t word)
{
    unsigned row = tensix_row_of(word);
    switch (order_unit_of(row, word) * (row < TENSIX_ROWS)) {
    case ORDER_UNPACKER0:
        return TENSIX_USED_BY_UNPACKER0;
    case ORDER_UNPACKER1:
        return TENSIX_USED_BY_UNPACKER1;
    case ORDER_PACKER:
        return TENSIX_USED_BY_PACKER;
    default:
        return 0;
    }
}

/* Does the instruction write the GPR? Operands that name results are called so in the table. */
static bool writes_gpr(unsigned row, uint32_t word, unsigned gpr)
{
    const struct isa_format *format = tensix_rows[row].format;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        const struct isa_field *field = format->field[i];
        uint32_t value = (uint32_t)isa_field_get(field, word);
        bool is_half = strcmp(field->name, "result_half_reg") == 0;
        if ((is_half && value / 2 == gpr) ||
            (strcmp(field->name, "result_reg") == 0 && value == gpr)) {
            return true;
        }
    }
    return false;
}

unsigned races_base_word(const struct tensix *tensix, unsigned thread, uint32_t word)
{
    const struct tensix_args_UNPACR args = tensix_decode_UNPACR(word);
    const unsigned first = args.which_unpacker ? TENSIX_WORD_THCON_SEC1_REG3_Base_address
                                               : TENSIX_WORD_THCON_SEC0_REG3_Base_address;
    if (word >> 24 != TENSIX_OPCODE_UNPACR || args.use_context_counter) {
        return TENSIX_STATE_WORDS;
    }
    if (!args.multi_context_mode) {
        return first;
    }
    unsigned offset = args.which_unpacker
                          ? tensix_get_UNPACK_MISC_CFG_CfgContextOffset_1(tensix, thread)
                          : tensix_get_UNPACK_MISC_CFG_CfgContextOffset_0(tensix, thread);
    unsigned context = args.context_number + offset;
    return context < RACES_CONTEXTS ? first + context : TENSIX_STATE_WORDS;
}

static bool uses_it(const struct waiting *what, uint32_t word, struct tensix_origin origin,
                    struct order_stamp *found)
{
    unsigned row = tensix_row_of(word);
    if (row >= TENSIX_ROWS || origin.pusher != what->hart) {
        return false;
    }
    unsigned user = config_user(word);
    bool keeps = user && tensix_config_uses[what->word].cached & user &&
                 what->changed & tensix_race_bits(what->word, user);
    bool uses = what->gpr < TENSIX_GPRS
                    ? what->writes ? writes_gpr(row, word, what->gpr)
                                   : tensix_gpr_bits_read(row, word, what->gpr) != 0
                    : keeps || (what->is_next && what->tensix &&
                                races_base_word(what->tensix, what->thread, word) == what->word);
    if (what->computes) {
        enum order_unit unit = order_unit_of(row, word);
        uses = unit == ORDER_MATRIX || unit == ORDER_VECTOR;
    }
    if (uses) {
        *found = (struct order_stamp){
            .number = 1, .pc = origin.pc, .word = word, .hart = (uint8_t)what->hart};
    }
    return uses;
}

static bool any_in_replay(const struct tensix_thread *thread, const struct waiting *what,
                          unsigned index, unsigned count, struct tensix_origin origin,
                          struct order_stamp *found)
{
    for (unsigned i = 0; i < count; i++) {
        if (uses_it(what, thread->replay.entry[(index + i) % REPLAY_ENTRIES], origin, found)) {
            return true;
        }
    }
    return false;
}

/* A word in front of the replay buffer. */
static bool any_in_word(const struct tensix_thread *thread, const struct waiting *what,
                        uint32_t word, struct tensix_origin origin, struct order_stamp *found)
{
    const struct tensix_args_REPLAY replay = tensix_decode_REPLAY(word);
    if (word >> 24 == TENSIX_OPCODE_REPLAY && !replay.load) {
        unsigned count = replay.count ? replay.count : REPLAY_ENTRIES;
        return any_in_replay(thread, what, replay.index, count, origin, found);
    }
    return uses_it(what, word, origin, found);
}

static bool any_in_mop(const struct tensix_thread *thread, const struct waiting *what,
                       const uint32_t words[MOP_WORDS], struct tensix_origin origin,
                       struct order_stamp *found)
{
    for (unsigned i = MOP_B; i < MOP_WORDS; i++) { /* those before are counts */
        if (any_in_word(thread, what, words[i], origin, found)) {
            return true;
        }
    }
    return false;
}

static bool any_in_fifo(const struct tensix_thread *thread, const struct waiting *what,
                        const struct tensix_fifo *fifo, struct order_stamp *found)
{
    for (unsigned i = 0; i < fifo->count; i++) {
        const struct tensix_entry *entry = &fifo->entry[(fifo->head + i) % TENSIX_FIFO_DEPTH];
        bool is_mop = entry->word >> 24 == TENSIX_OPCODE_MOP;
        if (is_mop ? any_in_mop(thread, what, thread->mop.config, entry->origin, found)
                   : any_in_word(thread, what, entry->word, entry->origin, found)) {
            return true;
        }
    }
    return false;
}

/* An instruction that the hart has pushed, that uses it, and that has not passed its gate. */
static bool find_waiting(const struct tensix_thread *thread, const struct waiting *what,
                         struct order_stamp *found)
{
    const struct replay_buffer *replay = &thread->replay;
    struct waiting next = *what;
    next.is_next = true;
    return (thread->has_next && uses_it(&next, thread->next, thread->origin, found)) ||
           (replay_is_playing(replay) &&
            any_in_replay(thread, &next, replay->index, replay->left, thread->origin, found)) ||
           (mop_busy(&thread->mop) &&
            any_in_mop(thread, &next, thread->mop.expansion.word, thread->mop_origin, found)) ||
           any_in_fifo(thread, what, &thread->back, found) ||
           any_in_fifo(thread, what, &thread->front, found);
}

/* --- Stores that may not have arrived --- */

static void note_store(struct races_stores *stores, const struct check_scene *scene, unsigned index,
                       uint32_t changed)
{
    stores->store[stores->next++ % RACES_STORES] = (struct races_store){
        .number = scene->own->races->order.count[ORDER_ARRIVED + scene->hart],
        .index = index,
        .changed = changed,
        .hart = scene->hart,
        .pc = scene->event->pc,
        .cycle = scene->event->cycle,
    };
    stores->latest = scene->event->cycle > stores->latest ? scene->event->cycle : stores->latest;
}

/* A store that the instruction does not see for certain. */
static struct races_store *find_under_way_store(const struct check_scene *scene,
                                                struct races_stores *stores,
                                                const struct order_stamp *stamp, unsigned index)
{
    const struct order *order = &scene->own->races->order;
    const struct order_clock *clock = &order->thread[races_thread(stamp)].clock;
    for (unsigned i = 0; i < RACES_STORES; i++) {
        struct races_store *store = &stores->store[i];
        if (store->number && store->index == index &&
            clock->at[ORDER_ARRIVED + store->hart] < store->number &&
            scene->event->cycle - store->cycle < ARRIVES_IN) {
            return store;
        }
    }
    return NULL;
}

/* May there be one? */
static bool is_any_under_way(const struct check_scene *scene, const struct races_stores *stores)
{
    return scene->event->cycle < stores->latest + ARRIVES_IN;
}

/* Auto TTSync lets the hart wait for what it has pushed before. */
static bool is_synchronised(const struct check_scene *scene, unsigned thread,
                            enum tensix_resource resource)
{
    const struct tensix *tensix = &scene->tile->tensix;
    unsigned tracked =
        tensix->thread_config[thread][TENSIX_WORD_TENSIX_TRISC_SYNC_TrackTensixInstructions];
    return tensix_get_TENSIX_TRISC_SYNC_TrackTensixInstructions(tensix, thread) &&
           tracked & resource && !(tensix->held & TENSIX_RESET_AUTO_TTSYNC);
}

/* --- Configuration --- */

bool races_is_base(unsigned word)
{
    return word - TENSIX_WORD_THCON_SEC0_REG3_Base_address < RACES_CONTEXTS ||
           word - TENSIX_WORD_THCON_SEC1_REG3_Base_address < RACES_CONTEXTS;
}

/* The latest instruction that has used such a word; NULL: it is another one. */
static struct order_stamp *find_base(struct check_races *races, unsigned thread, unsigned word)
{
    unsigned context0 = word - TENSIX_WORD_THCON_SEC0_REG3_Base_address;
    unsigned context1 = word - TENSIX_WORD_THCON_SEC1_REG3_Base_address;
    return context0 < RACES_CONTEXTS   ? &races->base[thread][0][context0]
           : context1 < RACES_CONTEXTS ? &races->base[thread][1][context1]
                                       : NULL;
}

void races_harts_config(const struct check_scene *scene, unsigned state, unsigned word,
                        uint32_t changed)
{
    struct check_races *races = scene->own->races;
    const struct tensix *tensix = &scene->tile->tensix;
    const unsigned thread = scene->hart - RV32_T0;
    struct order_stamp found;
    if (thread >= TENSIX_THREADS || !changed) {
        return;
    }
    note_store(&races->config_stores[scene->hart], scene, state * TENSIX_STATE_WORDS + word,
               changed);
    const struct waiting what = {.gpr = TENSIX_GPRS,
                                 .word = word,
                                 .changed = changed,
                                 .hart = scene->hart,
                                 .thread = thread,
                                 .tensix = tensix};
    bool is_used = word >= TENSIX_GLOBAL_WORD || tensix_state_id(tensix, thread) == state;
    if (!is_used || is_synchronised(scene, thread, TENSIX_TRACKS_CONFIG)) {
        return;
    }
    struct order_stamp *base = find_base(races, thread, word);
    bool is_under_way =
        base && !order_is_known_to_pass(&races->order.hart[scene->hart].clock, base);
    if (is_under_way) {
        found = *base;
        base->number = 0;
    }
    if (is_under_way || find_waiting(&tensix->thread[thread], &what, &found)) {
        char fields[160], text[RACES_WHO];
        tensix_field_names(false, word, changed, fields, sizeof fields);
        check_report(scene, PENROSE_FAULT_CONFIG_RACE, scene->hart, scene->event->pc,
                     (uint32_t)scene->event->address,
                     "a store changes %s, which %s may not have used yet; %s is missing", fields,
                     races_who(scene, &found, text),
                     races_is_base(word) ? "a wait for a free context (wait_for_next_context())"
                                         : "tensix_sync()");
    }
}

/* A hart loads a word of Config that an instruction of its own thread writes. It may not look at the bits
 * that RMWCIB changes. */
static void judge_config_load(const struct check_scene *scene)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = scene->hart - RV32_T0;
    const uint32_t index = ((uint32_t)scene->event->address - AT_CONFIG) / 4;
    const struct order_clock *clock = &races->order.hart[scene->hart].clock;
    if ((uint32_t)scene->event->address < AT_CONFIG || index >= TENSIX_CONFIG_THREAD ||
        thread >= TENSIX_THREADS || is_synchronised(scene, thread, TENSIX_TRACKS_CONFIG)) {
        return;
    }
    const unsigned state = index / TENSIX_STATE_WORDS, word = index % TENSIX_STATE_WORDS;
    struct races_change *change = races->change[state][word];
    for (unsigned i = 0; i < sizeof(uint32_t); i++) {
        const struct order_stamp *stamp = &change[i].stamp;
        if (stamp->number && races_thread(stamp) == thread && !change[i].is_told &&
            races_reach(stamp->word) == UINT32_MAX && !order_is_known_to_pass(clock, stamp)) {
            char fields[160], text[RACES_WHO];
            tensix_field_names(false, word, change[i].bits, fields, sizeof fields);
            check_report(scene, PENROSE_FAULT_CONFIG_RACE, scene->hart, scene->event->pc,
                         (uint32_t)scene->event->address,
                         "a load reads %s, which %s may not have written yet; tensix_sync() is "
                         "missing",
                         fields, races_who(scene, stamp, text));
            change[i].is_told = true;
            return;
        }
    }
}

/* --- GPRs --- */

static void judge_gpr_store(const struct check_scene *scene, unsigned thread, unsigned gpr)
{
    struct check_races *races = scene->own->races;
    const struct tensix *tensix = &scene->tile->tensix;
    const struct order_clock *clock = &races->order.hart[scene->hart].clock;
    const struct order_stamp *load = &races->load[thread][gpr];
    struct order_stamp writer = *load;
    const struct waiting writes = {
        .gpr = gpr, .writes = true, .hart = scene->hart, .thread = thread, .tensix = tensix};
    struct order_stamp user = races->gpr_read[thread][gpr];
    const struct waiting what = {
        .gpr = gpr, .hart = scene->hart, .thread = thread, .tensix = tensix};
    char text[RACES_WHO];
    bool is_waiting = find_waiting(&tensix->thread[thread], &what, &user);
    if (is_waiting || !order_is_known_to_pass(clock, &user)) {
        check_report(
            scene, PENROSE_FAULT_GPR_HAZARD, scene->hart, scene->event->pc, gpr,
            "a store changes GPR %u, which %s may not have read yet; tensix_sync() is missing", gpr,
            races_who(scene, &user, text));
    } else if (find_waiting(&tensix->thread[thread], &writes, &writer) ||
               (load->number && !order_is_over(clock, load))) {
        check_report(scene, PENROSE_FAULT_GPR_HAZARD, scene->hart, scene->event->pc, gpr,
                     "a store changes GPR %u, for which the result of %s may come later; "
                     "tensix_sync() is missing",
                     gpr, races_who(scene, &writer, text));
    }
    races->gpr_read[thread][gpr].number = 0;
    races->gpr_written[thread][gpr].number = 0;
    races->load[thread][gpr].number = 0;
    note_store(&races->gpr_stores[scene->hart], scene, thread * TENSIX_GPRS + gpr, UINT32_MAX);
}

static void judge_gpr_load(const struct check_scene *scene, unsigned thread, unsigned gpr)
{
    struct check_races *races = scene->own->races;
    const struct order_clock *clock = &races->order.hart[scene->hart].clock;
    struct order_stamp *written = &races->gpr_written[thread][gpr], writer = *written;
    const struct waiting what = {.gpr = gpr,
                                 .writes = true,
                                 .hart = scene->hart,
                                 .thread = thread,
                                 .tensix = &scene->tile->tensix};
    char text[RACES_WHO];
    if (find_waiting(&scene->tile->tensix.thread[thread], &what, &writer) ||
        !order_is_known_to_pass(clock, written) ||
        (written->number && races->load[thread][gpr].number && !order_is_over(clock, written))) {
        check_report(scene, PENROSE_FAULT_GPR_HAZARD, scene->hart, scene->event->pc, gpr,
                     "a load reads GPR %u, which %s may not have written yet; tensix_sync() is "
                     "missing",
                     gpr, races_who(scene, &writer, text));
    }
    written->number = 0;
}

static void judge_gpr_access(const struct check_scene *scene)
{
    unsigned thread, gpr;
    if (!check_is_gpr(scene, &thread, &gpr) || is_synchronised(scene, thread, TENSIX_TRACKS_GPRS)) {
        return;
    }
    if (scene->event->kind == OBSERVED_WRITTEN) {
        judge_gpr_store(scene, thread, gpr);
    } else {
        judge_gpr_load(scene, thread, gpr);
    }
}

/* --- The MOP expander --- */

/* Its instructions may still wait at the gate when a MOP is expanded. */
void races_harts_pushed(const struct check_scene *scene)
{
    const unsigned thread = scene->hart - RV32_T0;
    if (thread < TENSIX_THREADS && scene->event->value >> 24 == TENSIX_OPCODE_MOP) {
        scene->own->races->is_mop_done[thread] = false;
    }
}

static void judge_mop_store(const struct check_scene *scene)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = scene->hart - RV32_T0;
    const uint32_t address = (uint32_t)scene->event->address;
    bool is_done_check = scene->event->kind == OBSERVED_READ && address == AT_MOP_EXPANDER_DONE;
    if (thread >= TENSIX_THREADS) {
        return;
    }
    races->is_mop_done[thread] |= is_done_check;
    if (!(address - AT_MOP_CFG < 4 * MOP_WORDS || is_done_check)) {
        return;
    }
    struct order_stamp *mop = &races->mop[thread];
    bool is_told = tensix_mop_busy(&scene->tile->tensix, thread); /* by the core */
    if (!is_done_check && !is_told && mop->hart == scene->hart &&
        !order_is_known_to_pass(&races->order.hart[scene->hart].clock, mop)) {
        char text[RACES_WHO];
        check_report(scene, PENROSE_FAULT_MOP_RACE, scene->hart, scene->event->pc, address,
                     "a store changes word %u of the MOP configuration while the MOP of %s may "
                     "still be expanded; mop_sync() is missing",
                     (address - AT_MOP_CFG) / 4, races_who(scene, mop, text));
    }
    mop->number = 0;
}

/* --- L1 --- */

/* Who loads from L1 or stores there: a hart, or the Scalar Unit for a thread. */
struct user {
    unsigned agent; /* a hart, or RV32_CORES + a thread */
    unsigned lane;
    uint32_t number; /* in the lane */
    const struct order_clock *clock;
};

enum l1_access { L1_LOAD, L1_STORE, L1_ATOMIC };

static struct user hart_user(const struct check_scene *scene)
{
    const struct order *order = &scene->own->races->order;
    const unsigned lane = ORDER_STORES + scene->hart;
    return (struct user){scene->hart, lane, order->count[lane], &order->hart[scene->hart].clock};
}

/* What STOREIND of a hart's own thread writes is there when the hart has waited for it. */
static void judge_own_load(const struct check_scene *scene, const struct user *user,
                           struct races_byte *byte, uint32_t address)
{
    char place[CHECK_PLACE];
    if (user->agent == byte->hart && byte->lane < ORDER_UNIT_LANES &&
        check_reads_data(scene, scene->event->pc)) {
        check_report(scene, PENROSE_FAULT_RACE_L1, scene->hart, scene->event->pc, address,
                     "reads 0x%x, which the coprocessor may still write for %s; tensix_sync() is "
                     "missing",
                     address, check_place(scene, byte->hart, byte->pc, place));
        byte->number = 0;
    }
}

static void note_l1_load(const struct check_scene *scene, const struct user *user, uint32_t address)
{
    struct races_byte *byte = races_byte_of(scene, address, false);
    if (byte && byte->number) {
        bool knows = user->clock->at[byte->lane] >= byte->number;
        if (!knows) {
            judge_own_load(scene, user, byte, address);
        }
        byte->by_luck |= (uint8_t)(!knows << user->agent);
        byte->loaded |= (uint8_t)(1u << user->agent);
        byte->stale &= (uint8_t) ~(1u << user->agent);
    }
}

/* Who has stored a byte, where nobody has loaded it since. */
static struct races_byte stored_by(const struct check_scene *scene, const struct user *user,
                                   uint8_t value)
{
    return (struct races_byte){
        .number = user->number,
        .pc = scene->event->pc,
        .hart = (uint8_t)scene->hart,
        .lane = (uint8_t)user->lane,
        .value = value,
    };
}

/* Has the user changed what it had stored there before? */
static bool changes_own(const struct user *user, const struct races_byte *byte, uint8_t value)
{
    return byte->number && byte->lane == user->lane && byte->value != value;
}

/* An atomic instruction's own order is that of L1. It is for others to know what it has changed. */
static void note_l1_atomic(const struct check_scene *scene, const struct user *user,
                           uint32_t address, uint8_t value)
{
    struct races_byte *byte = races_byte_of(scene, address, true);
    if (byte) {
        struct races_byte stored = stored_by(scene, user, value);
        stored.accumulates = byte->is_atomic && changes_own(user, byte, value);
        stored.is_atomic = true;
        stored.stale = (uint8_t)((byte->stale | byte->loaded) & ~(1u << user->agent));
        *byte = stored;
    }
}

/* Does the scene's store put back what its hart has made of what it has loaded there? The answer is yes,
 * too, if that load is not among the latest ones, or if a thread stores. */
static bool puts_back_update(const struct check_scene *scene, const struct user *user,
                             uint32_t address)
{
    if (user->agent >= RV32_CORES) {
        return true;
    }
    const struct races_loads *loads = &scene->own->races->loads[user->agent];
    for (unsigned i = 0; i < RACES_LOADS && i < loads->count; i++) {
        const struct races_load *load = &loads->load[(loads->count - i) % RACES_LOADS];
        if (load->address == address) {
            return check_updates(scene, load->pc);
        }
    }
    return true;
}

/* Two store there, and neither has waited for the other. Who has loaded the byte, and nothing else,
 * knows of the other's store. That is a flag if they take turns, and an update that gets lost if the
 * other one adds to what it has stored itself, and this one to that. */
static bool is_unordered(const struct check_scene *scene, const struct user *user,
                         const struct races_byte *byte, uint8_t value)
{
    if (!byte->number || byte->lane == user->lane) {
        return false;
    }
    if (byte->by_luck >> user->agent & 1) {
        return byte->accumulates && puts_back_update(scene, user, (uint32_t)scene->event->address);
    }
    if (byte->is_atomic) { /* whoever gives a lock back need not know who has asked for it in vain */
        return byte->stale >> user->agent & 1;
    }
    return user->clock->at[byte->lane] < byte->number && byte->value != value;
}

static void note_l1_store(const struct check_scene *scene, const struct user *user,
                          uint32_t address, uint8_t value, bool *is_told)
{
    struct races_byte *byte = races_byte_of(scene, address, true);
    if (!byte) {
        return;
    }
    if (!*is_told && is_unordered(scene, user, byte, value)) {
        char place[CHECK_PLACE];
        *is_told = true;
        check_report(
            scene, PENROSE_FAULT_RACE_L1, scene->hart, scene->event->pc, address,
            byte->accumulates || byte->is_atomic
                ? "changes 0x%x, which %s changes, too, in no order: an update gets lost; a "
                  "semaphore, or an atomic, is missing"
                : "stores to 0x%x, to which %s has stored something else, in no order; a "
                  "semaphore or a mailbox is missing",
            address, check_place(scene, byte->hart, byte->pc, place));
    }
    struct races_byte stored = stored_by(scene, user, value);
    stored.accumulates = byte->loaded >> user->agent & 1 && changes_own(user, byte, value);
    *byte = stored;
}

static void judge_l1_bytes(const struct check_scene *scene, const struct user *user,
                           uint32_t address, uint32_t size, enum l1_access access)
{
    bool is_told = false;
    for (uint32_t i = 0; i < size; i++) {
        if (access == L1_ATOMIC) {
            note_l1_atomic(scene, user, address + i, scene->tile->l1[address + i]);
        } else if (access == L1_STORE) {
            note_l1_store(scene, user, address + i, scene->tile->l1[address + i], &is_told);
        } else {
            note_l1_load(scene, user, address + i);
        }
    }
}

/* Only an atomic instruction loads and stores. */
static enum l1_access find_access(const struct check_scene *scene)
{
    struct races_loads *loads = &scene->own->races->loads[scene->hart];
    struct races_load *latest = &loads->load[loads->count % RACES_LOADS];
    if (scene->event->kind == OBSERVED_READ) {
        latest = &loads->load[++loads->count % RACES_LOADS];
        *latest = (struct races_load){scene->event->pc, (uint32_t)scene->event->address};
        return L1_LOAD;
    }
    return latest->pc == scene->event->pc ? L1_ATOMIC : L1_STORE;
}

static void judge_l1_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct user user = hart_user(scene);
    const enum l1_access access = find_access(scene);
    if (event->address + event->size <= scene->tile->kind->l1_bytes && event->size <= 4 &&
        check_is_of_kernel(scene, event->pc)) {
        judge_l1_bytes(scene, &user, (uint32_t)event->address, event->size, access);
    }
}

/* What LOADIND and STOREIND do for a thread. Atomics, which do both, have their order in L1. */
static void judge_scalar_access(const struct check_scene *scene, const struct order_stamp *stamp,
                                const struct observed_touch *touch)
{
    const struct observed_work *work = scene->event->work;
    const bool is_atomic = (work->reads & work->writes) >> OBSERVED_STATE_L1 & 1;
    const unsigned thread = races_thread(stamp);
    const struct user user = {RV32_CORES + thread, stamp->lane, stamp->number,
                              &scene->own->races->order.thread[thread].clock};
    if (!is_atomic && touch->first + touch->count <= scene->tile->kind->l1_bytes &&
        check_is_of_kernel(scene, stamp->pc)) {
        if (!touch->is_write) {
            races_heard_read(scene, user.clock, stamp->pc, touch->first, touch->count);
        }
        judge_l1_bytes(scene, &user, touch->first, touch->count,
                       touch->is_write ? L1_STORE : L1_LOAD);
    }
}

void races_harts_free(struct check_races *races)
{
    for (uint32_t i = 0; races->page && i < races->l1_bytes / RACES_PAGE; i++) {
        free(races->page[i]);
    }
    free(races->page);
}

/* --- Dst --- */

static void judge_dst_access(const struct check_scene *scene)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = scene->hart - RV32_T0;
    const uint32_t offset = (uint32_t)scene->event->address - AT_DST;
    const struct order_clock *clock = &races->order.hart[scene->hart].clock;
    const bool writes = scene->event->kind == OBSERVED_WRITTEN;
    if (thread >= TENSIX_THREADS || offset >= END_DST - AT_DST) {
        return;
    }
    unsigned index = tile_dst_row(scene->tile, (enum tile_agent)scene->hart, offset);
    struct races_row *row = &races->dst[index];
    const struct waiting what = {.gpr = TENSIX_GPRS, .computes = true, .hart = scene->hart};
    const struct order_stamp *stamp = order_is_over(clock, &row->written) ? NULL : &row->written;
    struct order_stamp found;
    if (!stamp && find_waiting(&scene->tile->tensix.thread[thread], &what, &found)) {
        stamp = &found;
    }
    for (unsigned left = writes ? row->readers : 0; left && !stamp; left &= left - 1) {
        const struct order_stamp *reader = &races->dst_read[__builtin_ctz(left)][index];
        stamp = order_is_over(clock, reader) ? NULL : reader;
    }
    if (stamp) {
        char text[RACES_WHO];
        check_report(scene, PENROSE_FAULT_RACE_DST, scene->hart, scene->event->pc, index,
                     "a %s of a hart uses Dst row %u, which %s may still be at; tensix_sync() is "
                     "missing",
                     writes ? "store" : "load", index, races_who(scene, stamp, text));
    }
}

/* --- Events --- */

void races_harts_access(const struct check_scene *scene)
{
    if (scene->event->kind == OBSERVED_READ) {
        races_heard_load(scene);
        judge_config_load(scene);
    } else {
        races_heard_store(scene);
    }
    judge_mop_store(scene);
    judge_gpr_access(scene);
    judge_l1_access(scene);
    judge_dst_access(scene);
}

static void report_use_of_store(const struct check_scene *scene, const struct order_stamp *stamp,
                                const struct races_store *store, unsigned index, uint32_t used)
{
    char fields[160], text[CHECK_PLACE];
    tensix_field_names(false, index % TENSIX_STATE_WORDS, used, fields, sizeof fields);
    check_report(scene, PENROSE_FAULT_CONFIG_RACE, stamp->hart, stamp->pc, AT_CONFIG + 4 * index,
                 "%s uses %s, and the store of %s may not have arrived; STALLWAIT(%s, TRISC_CFG) "
                 "is missing",
                 tensix_mnemonic(stamp->word), fields,
                 check_place(scene, store->hart, store->pc, text), tensix_block_name(stamp->word));
}

static void judge_use_of_stores(const struct check_scene *scene, const struct order_stamp *stamp,
                                const struct observed_touch *touch)
{
    struct check_races *races = scene->own->races;
    const unsigned thread = races_thread(stamp), hart = RV32_T0 + thread;
    bool is_config = touch->state == OBSERVED_STATE_CONFIG;
    struct races_stores *stores =
        is_config ? &races->config_stores[hart] : &races->gpr_stores[hart];
    enum tensix_resource resource = is_config ? TENSIX_TRACKS_CONFIG : TENSIX_TRACKS_GPRS;
    if (!is_any_under_way(scene, stores) || is_synchronised(scene, thread, resource)) {
        return;
    }
    const unsigned user = config_user(stamp->word);
    for (uint32_t i = touch->first; i < touch->first + touch->count; i++) {
        struct races_store *store = find_under_way_store(scene, stores, stamp, i);
        unsigned word = i % TENSIX_STATE_WORDS;
        bool is_of_other = is_config && races_is_base(word) &&
                           races_base_word(&scene->tile->tensix, thread, stamp->word) != word;
        if (!store || is_of_other ||
            (is_config && !(user && store->changed & tensix_race_bits(word, user)))) {
            continue;
        }
        char text[CHECK_PLACE];
        store->number = 0;
        if (is_config) {
            report_use_of_store(scene, stamp, store, i,
                                store->changed & tensix_race_bits(word, user));
        } else {
            check_report(scene, PENROSE_FAULT_GPR_HAZARD, stamp->hart, stamp->pc, i,
                         "%s reads GPR %u, and the store of %s may not have arrived; a load of the "
                         "GPR (sync_regfile_write()) is missing",
                         tensix_mnemonic(stamp->word), i % TENSIX_GPRS,
                         check_place(scene, store->hart, store->pc, text));
        }
        return;
    }
}

/* What the Matrix Unit and the Vector Unit go by, which they do not tell. */
static void judge_computing_stores(const struct check_scene *scene, const struct order_stamp *stamp)
{
    const struct observed_work *work = scene->event->work;
    const unsigned thread = races_thread(stamp);
    struct races_stores *stores = &scene->own->races->config_stores[RV32_T0 + thread];
    if (!((work->reads | work->writes) >> OBSERVED_STATE_DST & 1) ||
        !is_any_under_way(scene, stores) || is_synchronised(scene, thread, TENSIX_TRACKS_CONFIG)) {
        return;
    }
    for (unsigned i = 0; i < RACES_STORES; i++) {
        const unsigned index = stores->store[i].index, word = index % TENSIX_STATE_WORDS;
        struct races_store *store = find_under_way_store(scene, stores, stamp, index);
        const uint32_t used =
            store ? store->changed & races_bits_of_unit(word, races_unit(stamp)) : 0;
        if (used) {
            store->number = 0;
            report_use_of_store(scene, stamp, store, index, used);
            return;
        }
    }
}

/* RMWCIB changes bits of a word. A store of the whole word that arrives behind it takes them back. */
static void judge_change_of_stores(const struct check_scene *scene, const struct order_stamp *stamp,
                                   const struct observed_touch *touch)
{
    const unsigned thread = races_thread(stamp);
    struct races_stores *stores = &scene->own->races->config_stores[RV32_T0 + thread];
    if (!is_any_under_way(scene, stores) || races_reach(stamp->word) == UINT32_MAX ||
        is_synchronised(scene, thread, TENSIX_TRACKS_CONFIG)) {
        return;
    }
    for (uint32_t i = touch->first; i < touch->first + touch->count; i++) {
        struct races_store *store = find_under_way_store(scene, stores, stamp, i);
        char fields[160], text[CHECK_PLACE];
        if (store) {
            store->number = 0;
            tensix_field_names(false, i % TENSIX_STATE_WORDS, races_reach(stamp->word), fields,
                               sizeof fields);
            check_report(
                scene, PENROSE_FAULT_CONFIG_RACE, stamp->hart, stamp->pc, AT_CONFIG + 4 * i,
                "%s changes %s in a word, and the store of %s to it may not have arrived; "
                "STALLWAIT(%s, TRISC_CFG) is missing",
                tensix_mnemonic(stamp->word), fields,
                check_place(scene, store->hart, store->pc, text), tensix_block_name(stamp->word));
            return;
        }
    }
}

void races_harts_unit(const struct check_scene *scene, const struct order_stamp *stamp)
{
    struct check_races *races = scene->own->races;
    const struct observed_work *work = scene->event->work;
    const unsigned thread = races_thread(stamp);
    const struct tensix *tensix = &scene->tile->tensix;
    if (tensix->thread[thread].parent == TENSIX_OPCODE_MOP && !races->is_mop_done[thread]) {
        races->mop[thread] = *stamp;
    }
    struct order_stamp *base =
        work->unit == TENSIX_UNIT_UNPACK
            ? find_base(races, thread, races_base_word(tensix, thread, stamp->word))
            : NULL;
    if (base) {
        *base = *stamp;
    }
    bool is_scalar =
        work->unit == TENSIX_UNIT_SCALAR && (work->reads | work->writes) >> OBSERVED_STATE_L1 & 1;
    for (unsigned i = 0; is_scalar && i < work->touches; i++) {
        if (work->touch[i].state == OBSERVED_STATE_L1) {
            judge_scalar_access(scene, stamp, &work->touch[i]);
        }
    }
    if (races_unit(stamp) == ORDER_MATRIX || races_unit(stamp) == ORDER_VECTOR) {
        judge_computing_stores(scene, stamp);
    }
    enum { STORED = 1 << OBSERVED_STATE_GPR | 1 << OBSERVED_STATE_CONFIG };
    bool has_stored = (work->reads | work->writes) & STORED;
    for (unsigned i = 0; has_stored && i < work->touches; i++) {
        const struct observed_touch *touch = &work->touch[i];
        bool is_gpr_touch = touch->state == OBSERVED_STATE_GPR;
        const bool is_config_touch = touch->state == OBSERVED_STATE_CONFIG;
        if (!touch->is_write && (is_gpr_touch || is_config_touch)) {
            judge_use_of_stores(scene, stamp, touch);
        } else if (touch->is_write && is_config_touch) {
            judge_change_of_stores(scene, stamp, touch);
        }
        for (uint32_t j = touch->first; is_gpr_touch && j < touch->first + touch->count; j++) {
            struct order_stamp *note = touch->is_write
                                           ? &races->gpr_written[thread][j % TENSIX_GPRS]
                                           : &races->gpr_read[thread][j % TENSIX_GPRS];
            *note = *stamp;
        }
    }
}
