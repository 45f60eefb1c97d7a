/*
 * The debug daisychain: groups of 128 internal signals, read a word at a time or written to L1
 * (SPEC: WormholeB0 DebugDaisychain; the signals of the harts are at the same places in
 * Blackhole, those of the Tensix frontend elsewhere, see tt-exalens). Known here: where the harts
 * are, what they wait for, mailboxes and PCBufs, the instructions before the wait gates, the
 * self-test, and what tensix_debug_signals knows. Reserved bits are zero.
 */
#include <string.h>

#include "addresses.h"
#include "tile/debug_internal.h"

/* --- Signals --- */

enum {
    SIGNAL_MASK = 0xffff,
    DAISY_SHIFT = 16,
    DAISY_MASK = 0xff,
    WORD_SHIFT = 25,
    DAISY_FRONTEND = 1,
    DAISY_HARTS = 7,
    SIGNAL_B_GROUP_C = 1,
    SIGNAL_T0_GROUP_C = 18, /* then T0's group D, T1's groups C and D, T2's */
    SIGNAL_T2_FRONTEND = 4, /* then those of T1 and T0, each 4 further on */
    SIGNAL_SELF_TEST = 255,
    PC_MASK = 0x3fffffff,
};
#define BUS_ENABLED UINT32_C(0x20000000)

/* SignalSel of group A of each hart; group B follows. */
struct hart_signal {
    uint8_t group_a;
    enum rv32_core core;
};

static const struct hart_signal tensix_harts[RV32_CORES] = {
    {10, RV32_B}, {12, RV32_T0}, {14, RV32_T1}, {16, RV32_T2}, {24, RV32_NC}};
static const struct hart_signal other_harts[RV32_CORES] = {{18, RV32_B}, {20, RV32_NC}};

/* The hart whose group A or B it is, NULL where it is neither. */
static const struct hart_signal *find_hart(const struct tile *tile, uint32_t daisy, uint32_t signal)
{
    bool is_tensix = tile->kind->type == TILE_TENSIX;
    const struct hart_signal *rows = is_tensix ? tensix_harts : other_harts;
    for (unsigned i = 0; daisy == DAISY_HARTS && i < RV32_CORES; i++) {
        bool is_there = rows[i].group_a && tile->kind->harts >> rows[i].core & 1;
        if (is_there && (signal == rows[i].group_a || signal == rows[i].group_a + 1u)) {
            return &rows[i];
        }
    }
    return NULL;
}

static void set_bit(uint32_t data[4], unsigned bit, bool value)
{
    data[bit / 32] |= (uint32_t)value << bit % 32;
}

/* Sets the 32 bits from `first` on, which are zero. */
static void set_word(uint32_t data[4], unsigned first, uint32_t value)
{
    data[first / 32] |= value << first % 32;
    if (first % 32) {
        data[first / 32 + 1] |= value >> (32 - first % 32);
    }
}

/* The access that a hart waits for, NULL while it waits for none. */
static const struct rv32_access *awaited(const struct tile *tile, enum rv32_core core)
{
    return tile->run[core].state == HART_WAITING ? &tile->hart[core].access : NULL;
}

static bool waits_to_load(const struct tile *tile, enum rv32_core core, uint32_t first,
                          uint32_t bytes)
{
    const struct rv32_access *access = awaited(tile, core);
    return access && !access->store && access->address - first < bytes;
}

/* The instruction at a pc. */
static bool instruction_at(const struct tile *tile, enum rv32_core core, uint32_t pc,
                           uint32_t *word)
{
    const uint8_t *code = tile_code_at(tile, core, pc);
    if (code) {
        memcpy(word, code, sizeof *word);
    }
    return code != NULL;
}

/* Bits 0-30 the pc that retires next, 32-63 the access that waits, 64-93 the pc fetched next,
 * 96-127 the instruction there. */
static void group_a(const struct tile *tile, enum rv32_core core, uint32_t data[4])
{
    bool runs = tile->run[core].state != HART_HELD;
    uint32_t pc = rv32_current_pc(&tile->hart[core]), word;
    const struct rv32_access *access = awaited(tile, core);
    data[0] = (pc & 0x7fffffff) | (uint32_t)runs << 31;
    data[2] = pc & PC_MASK;
    if (access) {
        data[1] = (access->address & PC_MASK) | UINT32_C(1) << (access->store ? 31 : 30);
    }
    if (runs && instruction_at(tile, core, pc, &word)) {
        data[3] = (word & 0x7fffffff) | UINT32_C(1) << 31;
    }
}

/* Bits 32-61 the pc that enters decoding, 63 and 103 that one does. */
static void group_b(const struct tile *tile, enum rv32_core core, uint32_t data[4])
{
    bool decodes = tile->run[core].state != HART_HELD;
    data[1] = (rv32_current_pc(&tile->hart[core]) & PC_MASK) | (uint32_t)decodes << 31;
    data[3] = (uint32_t)decodes << 7;
}

/* For each reader of mailboxes from `from`: does it not wait for an empty one? */
static void show_mailboxes(const struct tile *tile, enum rv32_core from, unsigned first,
                           uint32_t data[4])
{
    const uint32_t mailbox = AT_MAILBOX + STEP_MAILBOX * (uint32_t)from;
    for (unsigned reader = 0; reader < MAILBOX_CORES; reader++) {
        bool waits = waits_to_load(tile, (enum rv32_core)reader, mailbox, 4) &&
                     !tile->mailboxes.box[from][reader].count;
        set_bit(data, first + reader, !waits);
    }
}

/* Bits 106-109 the mailboxes of a TRISC, 119-127 the low bits of its PCBuf's oldest word. */
static void group_c(const struct tile *tile, unsigned thread, uint32_t data[4])
{
    const struct word_fifo *pc_buf = &tile->mailboxes.pc_buf[thread];
    show_mailboxes(tile, (enum rv32_core)(RV32_T0 + thread), 106, data);
    data[3] |= pc_buf->count ? pc_buf->values[0] << 23 : 0;
}

/* The other bits of that word, PCBuf and TTSync, and the FIFO before the MOP expander. */
static void group_d(const struct tile *tile, unsigned thread, uint32_t data[4])
{
    const struct word_fifo *pc_buf = &tile->mailboxes.pc_buf[thread];
    const struct tensix_fifo *front = &tile->tensix.thread[thread].front;
    const uint32_t pc_bufs = AT_PC_BUF, sync_bytes = 8;
    enum rv32_core core = (enum rv32_core)(RV32_T0 + thread);
    data[0] = pc_buf->count ? pc_buf->values[0] >> 9 : 0;
    set_bit(data, 23, !pc_buf->count);
    set_bit(data, 24, pc_buf->count == PC_BUF_DEPTH);
    set_bit(data, 25, tensix_mop_busy(&tile->tensix, thread));
    set_bit(data, 26, tensix_thread_busy(&tile->tensix, thread));
    set_bit(data, 28, waits_to_load(tile, RV32_B, pc_bufs + STEP_PC_BUF * thread, 4));
    set_bit(data, 30, waits_to_load(tile, core, pc_bufs + 4, sync_bytes));
    set_bit(data, 31, waits_to_load(tile, core, pc_bufs, 4));
    if (front->count) {
        set_word(data, 86, front->entry[front->head].word);
    }
    set_bit(data, 118, front->count);
    set_bit(data, 125, front->count > TENSIX_FIFO_ACCEPTS);
    set_bit(data, 126, !front->count);
}

/* HW: the places are tt-exalens'. Bits 40-71 the instruction at the wait gate, 73 that there is
 * none, 75 and 76 that the FIFO before the replay expander is full or empty. */
static void show_frontend(const struct tile *tile, unsigned number, uint32_t data[4])
{
    const struct tensix_thread *thread = &tile->tensix.thread[number];
    if (thread->has_next) {
        set_word(data, 40, thread->next);
    }
    set_bit(data, 73, !thread->has_next);
    set_bit(data, 75, thread->back.count == TENSIX_BACK_DEPTH);
    set_bit(data, 76, !thread->back.count);
}

/* What only a Tensix tile has; false where that is not modelled. */
static bool read_tensix(const struct tile *tile, uint32_t daisy, uint32_t signal, uint32_t data[4])
{
    uint32_t of_thread = signal - SIGNAL_T0_GROUP_C;
    if (daisy == DAISY_HARTS && signal == SIGNAL_B_GROUP_C) {
        show_mailboxes(tile, RV32_B, 115, data);
    } else if (daisy == DAISY_HARTS && of_thread < 2 * TENSIX_THREADS) {
        (of_thread % 2 ? group_d : group_c)(tile, of_thread / 2, data);
    } else if (daisy == DAISY_FRONTEND && signal % SIGNAL_T2_FRONTEND == 0 && signal > 0 &&
               signal <= 3 * SIGNAL_T2_FRONTEND) {
        show_frontend(tile, 3 - signal / SIGNAL_T2_FRONTEND, data);
    } else {
        return tensix_debug_signals(&tile->tensix, daisy, signal, data);
    }
    return true;
}

/* The 128 bits that the control register selects; false when they are not modelled (zero). */
static bool read_bus(const struct tile *tile, uint32_t data[4])
{
    uint32_t control = tile->debug.word[REG_DBG_BUS_CNTL_REG];
    uint32_t daisy = control >> DAISY_SHIFT & DAISY_MASK, signal = control & SIGNAL_MASK;
    memset(data, 0, 4 * sizeof data[0]);
    if (!(control & BUS_ENABLED)) {
        return true;
    }
    if (signal == SIGNAL_SELF_TEST) {
        const uint32_t pattern[4] = {daisy, 0xa5a5a5a5, 0x5a5a5a5a, 0xa5a5a5a5};
        memcpy(data, pattern, sizeof pattern);
        return true;
    }
    const struct hart_signal *hart = find_hart(tile, daisy, signal);
    if (hart && signal == hart->group_a) {
        group_a(tile, hart->core, data);
        return true;
    }
    if (hart) {
        group_b(tile, hart->core, data);
        return true;
    }
    return tile->kind->type == TILE_TENSIX && read_tensix(tile, daisy, signal, data);
}

enum answer debug_bus_data(struct tile *tile, struct mmio_access *access)
{
    uint32_t data[4];
    if (!read_bus(tile, data)) {
        tile_report_unmodelled(tile, access);
    }
    return mmio_value(access, data[tile->debug.word[REG_DBG_BUS_CNTL_REG] >> WORD_SHIFT & 3]);
}

/* --- Writing to L1 --- */

enum {
    MODE_MASK = 15,
    MODE_SAME_PLACE = 0,
    MODE_NEXT_PLACE = 1,
    MODE_SAMPLES = 4,
    MODE_PREPARE = 15,
    INTERVAL_SHIFT = 4,
    INTERVAL_MASK = 0xff,
    TRIGGER_BIT = 12,
    UNIT_BYTES = 16,
};
#define SAMPLER_L1_BYTES (UINT64_C(1) << 20) /* the low MiB */

static bool is_in_reach(const struct debug_sampler *sampler)
{
    return (uint64_t)sampler->position * UNIT_BYTES < SAMPLER_L1_BYTES;
}

/* Writes the selected signals to the current place, which is in reach. */
static void write_sample(struct tile *tile, uint64_t cycle)
{
    uint32_t data[4];
    (void)read_bus(tile, data);
    (void)debug_write_l1(tile, (uint64_t)tile->debug.sampler.position * UNIT_BYTES, data, cycle);
}

static enum answer trigger(struct tile *tile, struct mmio_access *access, unsigned mode)
{
    struct debug_sampler *sampler = &tile->debug.sampler;
    uint32_t data[4];
    if (!read_bus(tile, data)) {
        tile_report_unmodelled(tile, access);
    }
    if (!is_in_reach(sampler)) {
        return mmio_refuse(access, ANSWER_UNMAPPED,
                           "the daisychain writes to the low MiB of L1 only");
    }
    if (mode == MODE_SAMPLES) {
        sampler->is_sampling = true;
        sampler->next = access->cycle;
        return ANSWER_DONE;
    }
    if (mode != MODE_SAME_PLACE && mode != MODE_NEXT_PLACE) {
        tile_report_unmodelled(tile, access);
        return ANSWER_DONE;
    }
    write_sample(tile, access->cycle);
    sampler->position += mode == MODE_NEXT_PLACE;
    return ANSWER_DONE;
}

enum answer debug_sampler_control(struct tile *tile, struct mmio_access *access)
{
    uint32_t *word = debug_word(tile, access);
    uint32_t old = *word;
    enum answer answer = mmio_word(access, word, UINT32_MAX);
    unsigned mode = *word & MODE_MASK;
    if (!mmio_wrote(access, answer)) {
        return answer;
    }
    if ((old & MODE_MASK) == MODE_PREPARE && mode != MODE_PREPARE) {
        tile->debug.sampler.position = tile->debug.word[REG_DBG_L1_MEM_REG0];
    }
    return debug_rises(old, *word, TRIGGER_BIT) ? trigger(tile, access, mode) : ANSWER_DONE;
}

uint64_t debug_sampler_next(const struct tile *tile)
{
    return tile->debug.sampler.is_sampling ? tile->debug.sampler.next : UINT64_MAX;
}

void debug_sampler_run(struct tile *tile, uint64_t now)
{
    struct debug_sampler *sampler = &tile->debug.sampler;
    uint32_t interval =
        (tile->debug.word[REG_DBG_L1_MEM_REG2] >> INTERVAL_SHIFT & INTERVAL_MASK) + 1;
    while (sampler->is_sampling && sampler->next <= now) {
        if (sampler->position >= tile->debug.word[REG_DBG_L1_MEM_REG1] || !is_in_reach(sampler)) {
            sampler->is_sampling = false;
            return;
        }
        write_sample(tile, sampler->next);
        sampler->position++;
        sampler->next += interval;
    }
}
