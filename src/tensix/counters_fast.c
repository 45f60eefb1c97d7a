/*
 * Shortcut of playing runs of instructions on address counters from the replay buffer one by one: a
 * run is played at once (counters.h).
 * Proof: tests/unit/tensix/check_counters_fast.c.
 * Gain: bench/tensix, MOP and REPLAY of RWC and ADC, one TRISC 143 -> 783 M instr/s.
 */
#include <assert.h>
#include <stddef.h>

#include "tensix/counters.h"
#include "tensix/exec.h"

_Static_assert(offsetof(struct tensix_rwc, dst) == offsetof(struct tensix_rwc, all.counter) &&
                   offsetof(struct tensix_rwc, dst_cr) ==
                       offsetof(struct tensix_rwc, all.checkpoint),
               "RWCs by name are the set");
_Static_assert(offsetof(struct tensix_adc_channel, x) ==
                       offsetof(struct tensix_adc_channel, all.counter) &&
                   offsetof(struct tensix_adc_channel, x_cr) ==
                       offsetof(struct tensix_adc_channel, all.checkpoint),
               "the counters of a channel by name are the set");

/* Four lanes at once. */
struct lanes {
    uint32_t value __attribute__((vector_size(TENSIX_LANES * sizeof(uint32_t))));
};

static inline struct lanes load_counters(const uint32_t from[TENSIX_LANES])
{
    struct lanes lanes;
    memcpy(&lanes.value, from, sizeof lanes.value);
    return lanes;
}

static inline void store_counters(uint32_t to[TENSIX_LANES], struct lanes lanes)
{
    memcpy(to, &lanes.value, sizeof lanes.value);
}

/* The bits of the counters: DST, SRC_A, SRC_B and FIDELITY; X, Y, Z and W. */
static inline const uint32_t *widths(unsigned set)
{
    static const uint32_t rwc[TENSIX_LANES] = {0x3ff, 0x3f, 0x3f, 3};
    static const uint32_t adc[TENSIX_LANES] = {0x3ffff, 0x1fff, 0x1fff, 0x1fff};
    return set == 0 ? rwc : adc;
}

static inline struct tensix_counters *counters(struct tensix_thread *thread, unsigned set)
{
    return set == 0 ? &thread->rwc.all : &thread->adc[(set - 1) / 2].channel[(set - 1) % 2].all;
}

/* --- Applying --- */

static inline void put_sum(uint32_t to[TENSIX_LANES], const struct tensix_counter_sum *sum,
                           struct lanes counter, struct lanes checkpoint, struct lanes width)
{
    counter.value &= load_counters(sum->from_counter).value;
    checkpoint.value &= load_counters(sum->from_checkpoint).value;
    counter.value += checkpoint.value + load_counters(sum->plus).value;
    counter.value &= width.value;
    store_counters(to, counter);
}

static inline void apply(struct tensix_thread *thread, const struct tensix_counter_run *run)
{
    for (unsigned i = 0; i < run->maps; i++) {
        const struct tensix_counter_map *map = &run->map[i];
        struct tensix_counters *set = counters(thread, map->set);
        struct lanes counter = load_counters(set->counter),
                     checkpoint = load_counters(set->checkpoint);
        struct lanes width = load_counters(widths(map->set));
        put_sum(set->counter, &map->counter, counter, checkpoint, width);
        put_sum(set->checkpoint, &map->checkpoint, counter, checkpoint, width);
    }
}

/* --- Which instructions --- */

/* Operand thread_override: 0 is the own thread, 1 to 3 are threads 0 to 2. */
static bool is_own(unsigned thread, unsigned thread_override)
{
    return thread_override == 0 || thread_override == thread + 1;
}

bool tensix_is_counting(unsigned thread, uint32_t word)
{
    switch (tensix_row_of(word)) {
#define COUNTS(condition) return condition;
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    case TENSIX_ROW_##token: {                                                                     \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        (void)args;                                                                                \
        cells break;                                                                               \
    }
#include "tensix.def"
    }
    return false;
}

/* The length of the run that starts at an entry. */
static unsigned measure(const struct tensix *tensix, unsigned thread, unsigned first)
{
    const uint32_t *entry = tensix->thread[thread].replay.entry;
    unsigned length = 0;
    while (length < REPLAY_ENTRIES &&
           tensix_is_counting(thread, entry[(first + length) % REPLAY_ENTRIES])) {
        length++;
    }
    return length;
}

/* --- Finding maps --- */

/* All sets of a thread. */
struct state {
    struct tensix_counters set[TENSIX_COUNTER_SETS];
};

static struct state take_counters(struct tensix_thread *thread)
{
    struct state state;
    for (unsigned set = 0; set < TENSIX_COUNTER_SETS; set++) {
        state.set[set] = *counters(thread, set);
    }
    return state;
}

static void give(struct tensix_thread *thread, const struct state *state)
{
    for (unsigned set = 0; set < TENSIX_COUNTER_SETS; set++) {
        *counters(thread, set) = state->set[set];
    }
}

/* Each counter and each checkpoint has these values. */
static struct state uniform(uint32_t counter, uint32_t checkpoint)
{
    struct state state;
    for (unsigned i = 0; i < TENSIX_COUNTER_SETS * TENSIX_LANES; i++) {
        state.set[i / TENSIX_LANES].counter[i % TENSIX_LANES] = counter;
        state.set[i / TENSIX_LANES].checkpoint[i % TENSIX_LANES] = checkpoint;
    }
    return state;
}

/* What the run makes of a state. */
static struct state try(struct tensix *tensix, unsigned thread, unsigned first, unsigned length,
                        const struct state *before)
{
    struct tensix_thread *own = &tensix->thread[thread];
    give(own, before);
    for (unsigned i = 0; i < length; i++) {
        uint32_t word = own->replay.entry[(first + i) % REPLAY_ENTRIES];
        (void)tensix_runners[tensix_row_of(word)](tensix, thread, word);
    }
    return take_counters(own);
}

/* Counter and checkpoint of the widest and of the narrowest counter can be told by these. */
enum { FROM_COUNTER = 1, FROM_CHECKPOINT = 2 };

/* What became of 0 and of FROM_COUNTER and FROM_CHECKPOINT. */
static void tell_sum(struct tensix_counter_sum *sum, const uint32_t *zero, const uint32_t *other,
                     const uint32_t *width)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t from = (other[lane] - zero[lane]) & width[lane];
        assert(from == 0 || from == FROM_COUNTER || from == FROM_CHECKPOINT);
        sum->from_counter[lane] = from == FROM_COUNTER ? width[lane] : 0;
        sum->from_checkpoint[lane] = from == FROM_CHECKPOINT ? width[lane] : 0;
        sum->plus[lane] = zero[lane];
    }
}

/* The run of so many instructions from entry `first` on. */
static void find_run(struct tensix *tensix, unsigned thread, unsigned first, unsigned length)
{
    struct tensix_thread *own = &tensix->thread[thread];
    struct tensix_counter_run *run = &tensix->runs[thread].run[first];
    const struct state saved = take_counters(own);
    const struct state zero = uniform(0, 0), other = uniform(FROM_COUNTER, FROM_CHECKPOINT);
    const struct state after_zero = try(tensix, thread, first, length, &zero);
    const struct state after_other = try(tensix, thread, first, length, &other);
    give(own, &saved);
    tensix->runs[thread].at[first] = TENSIX_RUN_KNOWN;
    run->length = (uint8_t)length;
    run->maps = 0;
    for (unsigned set = 0; set < TENSIX_COUNTER_SETS; set++) {
        const struct tensix_counters *z = &after_zero.set[set], *o = &after_other.set[set];
        if (memcmp(z, &zero.set[set], sizeof *z) != 0 ||
            memcmp(o, &other.set[set], sizeof *o) != 0) {
            struct tensix_counter_map *map = &run->map[run->maps++];
            map->set = set;
            tell_sum(&map->counter, z->counter, o->counter, widths(set));
            tell_sum(&map->checkpoint, z->checkpoint, o->checkpoint, widths(set));
        }
    }
}

/* --- Playing --- */

/* Looks for a run where none is known that is no longer than `left`. */
static bool look_for_run(struct tensix *tensix, unsigned thread, unsigned first, unsigned left)
{
    uint8_t *at = &tensix->runs[thread].at[first];
    if (*at == TENSIX_RUN_NONE) {
        return false;
    }
    if (*at == TENSIX_RUN_UNKNOWN) {
        *at = TENSIX_RUN_SEEN;
        return false;
    }
    unsigned length = measure(tensix, thread, first);
    if (length < TENSIX_RUN_SHORTEST) {
        *at = TENSIX_RUN_NONE;
        return false;
    }
    length = length < left ? length : left;
    if (length < TENSIX_RUN_SHORTEST) {
        return false;
    }
    find_run(tensix, thread, first, length);
    return true;
}

unsigned tensix_play_run(struct tensix *tensix, unsigned thread, unsigned index, unsigned left)
{
    struct tensix_thread *own = &tensix->thread[thread];
    const struct tensix_counter_runs *runs = &tensix->runs[thread];
    const struct tensix_counter_run *run = &runs->run[index];
    bool is_known = runs->at[index] == TENSIX_RUN_KNOWN && run->length <= left;
    if (!is_known && !look_for_run(tensix, thread, index, left)) {
        return 0;
    }
    apply(own, run);
    return run->length;
}
