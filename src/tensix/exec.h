/*
 * Shared by the execution units: the contract of a handler, and the functions through which
 * handlers reach the rest of the coprocessor.
 *
 * A unit is one or more files, with a handler for each of its rows of tensix.def:
 *
 *     TENSIX_EXEC(SEMPOST)
 *     {
 *         ... tensix, thread, args->sem_mask ...
 *     }
 *
 * Handlers of the Vector Unit have other arguments, see vector/common.h. A row without a handler
 * does not link.
 *
 * tensix->now is the cycle at which the instruction passed its gate.
 */
#ifndef TENSIX_EXEC_H
#define TENSIX_EXEC_H

#include <string.h>

#include "addresses.h"
#include "tensix/config/regs.h"
#include "tensix/table.h"
#include "tensix/tensix.h"

/* --- Handlers --- */

/* What starts a word that is the row's, tensix_exec_SEMPOST. */
#define INSN(token, ...) tensix_runner tensix_exec_##token;
#define FRONT(...)
#define STUB(...)
#define ABSENT_INSN INSN
#include "tensix.def"

/* Begins the handler of a row; the runner, which takes the operands from the word and calls the
 * handler unless its unpacker is held, stands before it, so that both become one function. */
#define TENSIX_EXEC(token)                                                                         \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args);                  \
    enum tensix_exec tensix_exec_##token(struct tensix *tensix, unsigned thread, uint32_t word)    \
    {                                                                                              \
        const struct tensix_args_##token args = tensix_decode_##token(word);                       \
        return tensix_is_behind_held(tensix, TENSIX_ROW_##token, word)                             \
                   ? tensix_stall_unpacker(tensix, thread,                                         \
                                           tensix_decode_UNPACR(word).which_unpacker)              \
                   : exec_##token(tensix, thread, &args);                                          \
    }                                                                                              \
    static enum tensix_exec exec_##token(struct tensix *tensix, unsigned thread,                   \
                                         const struct tensix_args_##token *args)

/* STUBs, and rows of the front end that come to the gate: they are faults (faults.c). */
tensix_runner tensix_exec_stub, tensix_exec_misplaced;

/* --- dispatch.c --- */

/* By row: decodes the word, which must be one of the row's, and calls its handler. */
extern tensix_runner *const tensix_runners[TENSIX_ROWS];

/* By opcode: one more than the number of its last row; 0 where there is none. The rows of an opcode
 * stand together in the table. */
extern const uint8_t tensix_last_row[TENSIX_OPCODES];

/* The row of a word, or TENSIX_ROWS where it is no instruction. */
static inline unsigned tensix_row_of(uint32_t word)
{
    for (unsigned next = tensix_last_row[word >> 24]; next > 0; next--) {
        const struct isa_row *row = &tensix_rows[next - 1];
        if ((word & row->mask) == row->match) {
            return next - 1;
        }
        if (row->match >> 24 != word >> 24) {
            break;
        }
    }
    return TENSIX_ROWS;
}

/* --- Time --- */

/* What instructions of a unit cost. If the unit is free, it is as in a functional run. */
static inline const struct timing *tensix_unit_timing(const struct tensix *tensix,
                                                      enum tensix_unit unit)
{
    bool is_free = tensix->timing && tensix->timing->free_units >> unit & 1;
    return is_free ? NULL : tensix->timing;
}

/* --- Observers (observe/observer.h) --- */

/* Does somebody want to know what the instruction at hand reads and writes? */
static inline bool tensix_wants_work(const struct tensix *tensix)
{
    return tensix->observed >> OBSERVED_UNIT & 1 && tensix->executing < TENSIX_THREADS;
}

static inline void tensix_touch(struct tensix *tensix, enum tensix_access access,
                                enum observed_state state, unsigned first, unsigned count)
{
    if (tensix_wants_work(tensix) && count > 0) {
        tensix_add_touch(tensix, access, state, first, count);
    }
}

static inline void tensix_touch_dst(struct tensix *tensix, enum tensix_access access, bool is_32bit,
                                    unsigned row, unsigned rows)
{
    if (tensix_wants_work(tensix)) {
        tensix_add_dst_touch(tensix, access, OBSERVED_STATE_DST, is_32bit, row, rows);
    }
}

/* `agent` has read or written bytes of L1, or of the tile's registers; or what the kind says of the
 * instruction at hand. */
static inline void tensix_tell(struct tensix *tensix, enum observed_kind kind,
                               enum observed_agent agent, uint32_t address, uint32_t size)
{
    if (tensix->observed >> kind & 1) {
        struct observed event = {
            .kind = kind, .agent = agent, .cycle = tensix->now, .address = address, .size = size};
        tensix->board->observe(tensix->owner, &event);
    }
    if (kind == OBSERVED_READ || kind == OBSERVED_WRITTEN) {
        tensix_touch(tensix, kind == OBSERVED_WRITTEN ? TENSIX_WRITES : TENSIX_READS,
                     address < tensix->l1_size ? OBSERVED_STATE_L1 : OBSERVED_STATE_REGISTER,
                     address, size);
    }
}

/* --- Faults (faults.c) --- */

/* Reports a fault of the instruction at the gate; the answer is the handler's. */
enum tensix_exec tensix_fault(struct tensix *tensix, unsigned thread, enum penrose_fault_kind kind,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Reports a fault of an instruction that a macro has scheduled, so it is not the one at the
 * gate. */
enum tensix_exec tensix_fault_of(struct tensix *tensix, unsigned thread, uint32_t word,
                                 enum penrose_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A handler's answer where the instruction has to wait. */
static inline enum tensix_exec tensix_stall(struct tensix *tensix, unsigned thread,
                                            enum tensix_wait wait, uint32_t detail)
{
    tensix->thread[thread].wait = wait;
    tensix->thread[thread].wait_detail = detail;
    return TENSIX_STALL;
}

/* A wait for a bank of Src that the other side has. */
static inline enum tensix_exec tensix_stall_src(struct tensix *tensix, unsigned thread,
                                                enum tensix_src src, unsigned bank)
{
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_SRC, src | bank << 1);
}

/* --- UNPACRs that wait in their unpacker (unpack/unpack.c) --- */

static inline bool tensix_unpack_is_held(const struct tensix *tensix, unsigned which)
{
    return tensix->unpacker[which].held.is_held;
}

/* Is it one of the thread? */
static inline bool tensix_unpack_holds(const struct tensix *tensix, unsigned thread, unsigned which)
{
    return tensix_unpack_is_held(tensix, which) &&
           tensix->unpacker[which].held.task.thread == thread;
}

static inline bool tensix_unpack_holds_any(const struct tensix *tensix, unsigned thread)
{
    return tensix_unpack_holds(tensix, thread, 0) || tensix_unpack_holds(tensix, thread, 1);
}

/* Has an instruction of the row to wait behind one? */
static inline bool tensix_is_behind_held(const struct tensix *tensix, unsigned row, uint32_t word)
{
    return tensix_has(row, TENSIX_TRAIT_FOLLOWS) &&
           tensix_unpack_is_held(tensix, tensix_decode_UNPACR(word).which_unpacker);
}

/* What starts it answers this then. */
static inline enum tensix_exec tensix_stall_unpacker(struct tensix *tensix, unsigned thread,
                                                     unsigned which)
{
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNPACKER, which);
}

/* Behind an instruction: if it has given back a bank for which an UNPACR waits, that one goes on. */
static inline void tensix_let_unpackers_go_on(struct tensix *tensix)
{
    if (tensix->frees_unpacker) {
        (void)tensix_unpack_go_on(tensix);
    }
}

/* --- The wait gate (wait_gate.c) --- */

/* Bits of a STALLWAIT condition mask. */
enum tensix_condition {
#define CONDITION(NAME, bit, words) TENSIX_C_##NAME = 1 << (bit),
#include "waits.def"
};

/* Latches a wait instruction; nothing is latched then, since what is latched holds it. */
void tensix_latch(struct tensix *tensix, unsigned thread, const struct tensix_latch *latch);

/* May an instruction with these blocks pass the gate of `thread`, which has latched a wait, at
 * cycle `now`? False: it waits for that; *retry is when it opens, UINT64_MAX while nobody knows. */
bool tensix_gate_open(struct tensix *tensix, unsigned thread, const struct tensix_row_info *info,
                      uint64_t now, uint64_t *retry);

/* Something that latched waits look at (a semaphore, a bank of Src, a stream) changed at `now`:
 * looks at all of them, since each is forgotten at the first cycle at which it is met. */
void tensix_reconsider(struct tensix *tensix, uint64_t now);

/* The latched wait in words: "SEMWAIT 0x40, 1, 2: semaphore 0 is not below its maximum 2". */
void tensix_latch_text(const struct tensix *tensix, unsigned thread, char *text, size_t size);

/* Why a semaphore is 0: "semaphore 0 is 0, and nobody has posted it". The length, as snprintf. */
int tensix_posts_text(const struct tensix *tensix, unsigned index, char *text, size_t size);

/* The origin of the instruction that makes a thread wait: the wait instruction that holds the next
 * one, or the next one itself. */
static inline const struct tensix_origin *tensix_waits_at(const struct tensix_thread *thread)
{
    return thread->wait == TENSIX_WAITS_FOR_LATCH ? &thread->latch.origin : &thread->origin;
}

/* --- State through which units meet --- */

/* CFG_STATE_ID of the thread. */
static inline unsigned tensix_state_id(const struct tensix *tensix, unsigned thread)
{
    return tensix_get_CFG_STATE_ID_StateID(tensix, thread) & 1;
}

/* A Tensix instruction writes the bits of `mask` of a word of Config, with all that hangs on it
 * (config/backend.c). `word` is below TENSIX_STATE_WORDS. */
void tensix_store_config(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                         uint32_t mask, uint32_t value);

/* Writes results that arrive, without looking for races. */
void tensix_put_config(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                       uint32_t mask, uint32_t value);

/* An instruction sets a field that nothing reads (config/unread.h), or NULL; `index` is the word in
 * the harts' window on Config. */
void tensix_report_unread(struct tensix *tensix, unsigned thread, unsigned index,
                          const struct tensix_field *field);

/* How rows of Dst lie in storage now. */
static inline struct tensix_dst_map tensix_dst_map_now(const struct tensix *tensix)
{
    return (struct tensix_dst_map){
        .remap = tensix_get_DEST_ACCESS_CFG_remap_addrs(tensix, 0),
        .swizzle = tensix_get_DEST_ACCESS_CFG_swizzle_32b(tensix, 0),
        .high_half = tensix->dst_high_half,
    };
}

/* Reports an instruction that is going to write Config while a unit may be using what it
 * changes. */
void tensix_report_race(struct tensix *tensix, unsigned thread, unsigned state, unsigned word,
                        uint32_t mask, uint32_t value);

/* An instruction has started in a unit, which takes about `cycles` for it (see race.h). */
static inline void tensix_take_off(struct tensix *tensix, unsigned thread,
                                   enum tensix_flight_unit unit, unsigned cycles)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    tensix->flight[unit] = (struct tensix_flight){
        .until = tensix->now + cycles,
        .word = own->next,
        .pc = own->origin.pc,
        .thread = (uint8_t)thread,
        .state = (uint8_t)tensix_state_id(tensix, thread),
    };
}

/* An UNPACR or PACR is about to start, see tensix_report_fresh. False: it stops there. */
static inline bool tensix_judge_fresh(struct tensix *tensix, unsigned thread,
                                      enum tensix_flight_unit unit, unsigned state, unsigned word)
{
    const struct tensix_fresh *fresh = &tensix->fresh;
    return tensix->now != fresh->cycle + 1 || fresh->thread != thread || tensix->timing ||
           tensix_report_fresh(tensix, thread, unit, state, word);
}

/* Writes the bits of `mask` of a GPR. */
static inline void tensix_store_gpr(struct tensix *tensix, unsigned thread, unsigned index,
                                    uint32_t mask, uint32_t value)
{
    uint32_t *gpr = &tensix->gpr[thread][index];
    *gpr = (*gpr & ~mask) | (value & mask);
    tensix_touch(tensix, TENSIX_WRITES, OBSERVED_STATE_GPR, thread * TENSIX_GPRS + index, 1);
    tensix->outcome.changed = true;
}

/* The half of a GPR that `half` (0 to 127) names. */
static inline uint16_t tensix_half_gpr(const struct tensix *tensix, unsigned thread, unsigned half)
{
    return (uint16_t)(tensix->gpr[thread][half / 2] >> 16 * (half % 2));
}

static inline void tensix_store_half_gpr(struct tensix *tensix, unsigned thread, unsigned half,
                                         uint16_t value)
{
    unsigned shift = 16 * (half % 2);
    tensix_store_gpr(tensix, thread, half / 2, UINT32_C(0xffff) << shift, (uint32_t)value << shift);
}

/*
 * A result that arrives `latency` cycles after the instruction passed its gate in a timed run, at
 * once in a functional one (results.c). result->due is filled in. Where too many are under way it
 * arrives early.
 */
void tensix_deliver(struct tensix *tensix, struct tensix_result *result, unsigned latency);

/* Timed runs: the result under way of an earlier instruction of the thread for bits of a GPR, *gpr,
 * that an instruction executing at `now` reads; NULL: none. */
const struct tensix_result *tensix_find_early_read(const struct tensix *tensix, unsigned thread,
                                                   uint32_t word, uint64_t now, unsigned *gpr);

/* Reports that the instruction at the gate has read a GPR before this result for it was there. */
void tensix_report_early_read(struct tensix *tensix, unsigned thread,
                              const struct tensix_result *result, unsigned gpr);

/* Writes the results that are due at `now`. */
void tensix_results_arrive(struct tensix *tensix, uint64_t now);

/* True while a memory request of the thread is under way (STALLWAIT C0). */
bool tensix_requests_pending(const struct tensix *tensix, unsigned thread);

/* --- Registers that UNPACR_NOP and PACR_SETREG write behind their unit's other work --- */

/*
 * One of four sets of twelve bits, of which the upper two come before the instruction's six.
 * SPEC: fields Unpacker_Reg_Wr_Addr and Packer_Reg_Wr_Addr of THCON's REG10, whose description has
 * two sets in each section; how they are put together, assembly.yaml of Blackhole. GUESS: the sets
 * are numbered as they lie.
 */
static inline uint32_t tensix_register_address(uint32_t section0, uint32_t section1,
                                               unsigned select, unsigned middle)
{
    uint32_t set = (select & 2 ? section1 : section0) >> 12 * (select & 1) & 0xfff;
    return AT_REGISTERS | (set >> 10) << 18 | middle << 12 | (set & 0x3ff) << 2;
}

/* Writes a register for the instruction `name` (scalar_memory.c); *exec is the handler's answer.
 * False: it has to wait, or has faulted, and nothing has happened. */
bool tensix_write_register(struct tensix *tensix, unsigned thread, const char *name,
                           uint32_t address, uint32_t value, enum tensix_exec *exec);

/* --- Address counters (rwc.c, adc.c) --- */

/* SPEC: RWCs, ApplyAddrMod and ApplyPartialAddrMod. addr_mod: 0 to 7. */
void tensix_apply_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mod);
void tensix_apply_partial_addr_mod(struct tensix *tensix, unsigned thread, unsigned addr_mod);

/* The 18, 13, 13 and 13 bits of X, Y, Z and W of one channel, as REG2FLOP and SETADC write them. */
void tensix_adc_set(struct tensix_adc_channel *channel, enum tensix_adc_axis axis, bool counter,
                    bool checkpoint, uint32_t value);

/* --- Banks of SrcA and SrcB (src_banks.c) --- */

/* The unpackers give their bank to the Matrix Unit and turn to the other one; the Matrix Unit gives
 * its bank back, unless `keep` (CLR_DVALID_SrcA_Disable), and turns to the other one. */
void tensix_src_give(struct tensix *tensix, enum tensix_src src);
void tensix_src_release(struct tensix *tensix, enum tensix_src src, bool keep);

static inline bool tensix_src_matrix_may_at(const struct tensix *tensix, enum tensix_src src,
                                            uint64_t now)
{
    const struct tensix_src_banks *banks = &tensix->src[src];
    return banks->matrix_may[banks->matrix_bank] &&
           (!tensix->timing || now >= banks->given_at[banks->matrix_bank]);
}

static inline bool tensix_src_matrix_may(const struct tensix *tensix, enum tensix_src src)
{
    return tensix_src_matrix_may_at(tensix, src, tensix->now);
}

/* Does the Matrix Unit only have to wait for data that are under way? */
static inline bool tensix_src_is_coming(const struct tensix *tensix, enum tensix_src src)
{
    return tensix->timing && tensix->src[src].matrix_may[tensix->src[src].matrix_bank];
}

static inline bool tensix_src_unpack_may_at(const struct tensix *tensix, enum tensix_src src,
                                            uint64_t now)
{
    const struct tensix_src_banks *banks = &tensix->src[src];
    return !banks->matrix_may[banks->unpack_bank] &&
           (!tensix->timing || now >= banks->freed_at[banks->unpack_bank]);
}

static inline bool tensix_src_unpack_may(const struct tensix *tensix, enum tensix_src src)
{
    return tensix_src_unpack_may_at(tensix, src, tensix->now);
}

/* Do the unpackers only have to wait until they know that the bank was given back? */
static inline bool tensix_src_is_returning(const struct tensix *tensix, enum tensix_src src)
{
    const struct tensix_src_banks *banks = &tensix->src[src];
    return tensix->timing && !banks->matrix_may[banks->unpack_bank] &&
           tensix->now < banks->freed_at[banks->unpack_bank];
}

#endif
