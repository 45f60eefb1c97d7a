/*
 * Shortcut of SFPLOAD and SFPSTORE (memory.c) where they are plain: rows and columns of Dst as they
 * lie, LaneConfig as after reset, no stack. A thread keeps data that it derives from the
 * configuration of such an access (struct tensix_vector_access) until a word of it changes. Other
 * instructions go to the row's own runner.
 * Proof: test_short_way of tests/unit/tensix/check_sfpload.c.
 * Gain: bench/sfpu, SFPLOAD and SFPSTORE of BF16 91 -> 148 M instr/s, exp of FP32 tiles 97 -> 103.
 */
#include "tensix/config/users.h"
#include "tensix/rwc.h"
#include "tensix/vector/memory.h"

enum { NOT_PLAIN = TENSIX_DST_ROWS, VD_8 = 1 << 23 };
_Static_assert((unsigned)VD_8 == (unsigned)TENSIX_WAY_GENERAL, "looked at together");

static unsigned way_of(uint32_t word)
{
    return word >> 13 & (TENSIX_VECTOR_WAYS - 1);
}

/* Makes the next instruction like this one, which goes the general way, go the short way. */
static void refresh_access(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_vector_access *access = &tensix->thread[thread].access;
    const struct tensix_dst_map map = tensix_dst_map_now(tensix);
    unsigned mod = word >> 16 & 15, state = tensix_state_id(tensix, thread), step;
    if (tensix->stale & TENSIX_USED_BY_VECTOR) {
        for (unsigned i = 0; i < TENSIX_THREADS; i++) {
            memset(tensix->thread[i].access.way, 0xff, sizeof access->way);
        }
        tensix->stale &= ~(uint32_t)TENSIX_USED_BY_VECTOR;
    }
    if (map.remap | map.swizzle || mod == NUM_LANES_INT32_ALL ||
        !tensix_modifier_is_step(tensix, thread, word >> 13 & 7, &step)) {
        return;
    }
    enum num_lanes_format format = tensix_vector_format(tensix, thread, mod);
    access->base = tensix_get_DEST_TARGET_REG_CFG_MATH_Offset(tensix, thread) +
                   tensix_get_DEST_REGW_BASE_Base(tensix, state);
    access->sp_base = tensix_get_DEST_SP_BASE_Base(tensix, state);
    access->way[way_of(word)] = step | (unsigned)format << TENSIX_WAY_FORMAT_SHIFT |
                                (num_lanes_loads_32bit(format) ? TENSIX_WAY_LOADS_32BIT : 0) |
                                (num_lanes_stores_32bit(format) ? TENSIX_WAY_STORES_32BIT : 0);
}

/*
 * The rows of a plain access, whose columns are in *address; the counters have moved then.
 * NOT_PLAIN: it is none, and nothing has happened. `bad`: not 0 where the caller knows that
 * already.
 */
TENSIX_VECTOR_INLINE unsigned start_plain(struct tensix *tensix, struct tensix_thread *own,
                                          uint32_t word, uint32_t way, bool is_32bit, uint32_t bad,
                                          unsigned *address)
{
    const struct tensix_vector_access *access = &own->access;
    const struct tensix_dst_map map = {.remap = false};
    struct tensix_rwc *rwc = &own->rwc;
    bad |= (tensix->stale & TENSIX_USED_BY_VECTOR) | tensix->vector.schedules | rwc->extra_mod |
           tensix->vector.sets.not_plain | (tensix->timing != NULL) | tensix->dst_high_half;
    if (__builtin_expect(bad, 0)) {
        return NOT_PLAIN;
    }
    unsigned at = word + access->base + rwc->dst + ((rwc->sp + access->sp_base) & 3);
    unsigned physical = at & TENSIX_ADDRESS_MASK & ~(unsigned)TENSIX_ADDRESS_COLUMN;
    if (is_32bit) {
        physical = tensix_dst_physical32(map, physical);
    }
    if (__builtin_expect(tensix_vector_any_undefined(&tensix->dst, physical), 0)) {
        return NOT_PLAIN;
    }
    rwc->dst = (rwc->dst + way) & TENSIX_RWC_DST_MASK;
    *address = at;
    return physical;
}

/* Some lanes of it. */
static __attribute__((noinline)) enum tensix_exec
masked_load(struct tensix *tensix, uint32_t word, unsigned format, unsigned physical, uint32_t odd)
{
    bool is_32bit = num_lanes_loads_32bit((enum num_lanes_format)format);
    tensix->kernels->lanes->load[format](
        tensix->vector.lreg[word >> 20 & 15], tensix_vector_high_rows(&tensix->dst, physical),
        tensix_vector_low_rows(&tensix->dst, is_32bit ? physical : 0), odd,
        tensix_vector_enabled(&tensix->vector), 0);
    return TENSIX_DONE;
}

static __attribute__((noinline)) enum tensix_exec
masked_store(struct tensix *tensix, uint32_t word, unsigned format, unsigned physical, uint32_t odd)
{
    bool is_32bit = num_lanes_stores_32bit((enum num_lanes_format)format);
    tensix->kernels->lanes->store[format](
        tensix->vector.lreg[word >> 20 & 15], tensix_vector_high_rows(&tensix->dst, physical),
        tensix_vector_low_rows(&tensix->dst, is_32bit ? physical : 0), odd,
        tensix_vector_enabled(&tensix->vector));
    return TENSIX_DONE;
}

/* What is not plain: by the row's own runner. */
static __attribute__((noinline)) enum tensix_exec run_general(struct tensix *tensix,
                                                              const struct tensix_thread *own,
                                                              uint32_t word, tensix_runner *run)
{
    unsigned thread = (unsigned)(own - tensix->thread);
    refresh_access(tensix, thread, word);
    return run(tensix, thread, word);
}

/* Left to itself, the compiler multiplies twice: for the thread and for an array in it. */
TENSIX_VECTOR_INLINE struct tensix_thread *thread_of(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    __asm__("" : "+r"(own));
    return own;
}

/* VD is one of the first eight. */
enum tensix_exec tensix_fast_SFPLOAD(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_thread *own = thread_of(tensix, thread);
    uint32_t way = own->access.way[way_of(word)], bad = (word | way) & VD_8;
    unsigned address,
        physical = start_plain(tensix, own, word, way, way & TENSIX_WAY_LOADS_32BIT, bad, &address);
    if (__builtin_expect(physical == NOT_PLAIN, 0)) {
        return run_general(tensix, own, word, tensix_exec_SFPLOAD);
    }
    unsigned format = way >> TENSIX_WAY_FORMAT_SHIFT & TENSIX_WAY_FORMAT;
    unsigned is_odd = address >> 1 & 1;
    if (tensix->vector.uses_flags & ~tensix->vector.flags) {
        return masked_load(tensix, word, format, physical, 0 - is_odd);
    }
    tensix->kernels->lanes->load_all[is_odd][format](
        tensix->vector.lreg[word >> 20 & 15], tensix_vector_high_rows(&tensix->dst, physical));
    return TENSIX_DONE;
}

/* VD is one of the first twelve: its upper bits are not both set. */
enum tensix_exec tensix_fast_SFPSTORE(struct tensix *tensix, unsigned thread, uint32_t word)
{
    struct tensix_thread *own = thread_of(tensix, thread);
    uint32_t way = own->access.way[way_of(word)], bad = ((word & word << 1) | way) & VD_8;
    unsigned address, physical = start_plain(tensix, own, word, way, way & TENSIX_WAY_STORES_32BIT,
                                             bad, &address);
    if (__builtin_expect(physical == NOT_PLAIN, 0)) {
        return run_general(tensix, own, word, tensix_exec_SFPSTORE);
    }
    unsigned format = way >> TENSIX_WAY_FORMAT_SHIFT & TENSIX_WAY_FORMAT;
    unsigned is_odd = address >> 1 & 1;
    if (tensix->vector.uses_flags & ~tensix->vector.flags) {
        return masked_store(tensix, word, format, physical, 0 - is_odd);
    }
    tensix->kernels->lanes->store_all[is_odd][format](
        tensix->vector.lreg[word >> 20 & 15], tensix_vector_high_rows(&tensix->dst, physical));
    return TENSIX_DONE;
}
