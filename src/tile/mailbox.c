/* Mailboxes, PCBufs, TTSync and the semaphore window. */
#include "tile/mailbox.h"

#include <string.h>

#include "addresses.h"
#include "arch/arch.h"
#include "tensix/config/users.h"
#include "tile/debug_internal.h"
#include "tile/tile.h"

tile_mmio_handler tile_mmio_MAILBOX, tile_mmio_PC_BUF;
enum rv32_poll tile_mmio_poll_MAILBOX(struct tile *tile, enum tile_agent agent, uint32_t offset);
enum rv32_poll tile_mmio_poll_PC_BUF(struct tile *tile, enum tile_agent agent, uint32_t offset);

static void fifo_push(struct word_fifo *fifo, uint32_t value, uint64_t cycle)
{
    fifo->values[fifo->count++] = value;
    fifo->pushed = cycle;
}

static uint32_t fifo_pop(struct word_fifo *fifo, uint64_t cycle)
{
    uint32_t value = fifo->values[0];
    fifo->count--;
    memmove(fifo->values, fifo->values + 1, fifo->count * sizeof fifo->values[0]);
    fifo->popped = cycle;
    return value;
}

/* Does the access find something that changes at a later time? It is answered then. */
static bool is_early(struct mmio_access *access, uint64_t changed)
{
    bool is_early = mmio_has_effects(access) && access->cycle < changed;
    access->cycle = is_early ? changed : access->cycle;
    return is_early;
}

/* Reads the head of a FIFO, which `writer` fills: a pop, or a look at it. */
static enum answer mailbox_take(struct tile *tile, struct mmio_access *access,
                                struct word_fifo *fifo, enum rv32_core writer)
{
    if (access->operation == MMIO_PEEK) {
        return mmio_value(access, fifo->count ? fifo->values[0] : 0);
    }
    if (!fifo->count || is_early(access, fifo->pushed)) {
        return ANSWER_WAIT;
    }
    enum answer answer = mmio_value(access, fifo_pop(fifo, access->cycle));
    tile_event(tile, access->cycle);
    tile_release(tile, writer, access->cycle);
    return answer;
}

/* Writes to a FIFO that has room for so many words, of which the last has been free since `freed`. */
static enum answer mailbox_put(struct tile *tile, struct mmio_access *access,
                               struct word_fifo *fifo, unsigned room, uint64_t freed,
                               enum rv32_core reader)
{
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    if (access->operation == MMIO_POKE) {
        return ANSWER_DONE; /* a push is an effect, and there is nothing else to write */
    }
    if (room == 0 || (room == 1 && is_early(access, freed))) {
        return ANSWER_WAIT;
    }
    fifo_push(fifo, access->value, access->cycle);
    tile_event(tile, access->cycle);
    tile_release(tile, reader, access->cycle);
    return ANSWER_DONE;
}

/* --- Mailboxes --- */

enum { MAILBOX_QUERY = 4 };

static enum answer send(struct tile *tile, struct mmio_access *access, unsigned to)
{
    struct word_fifo *own = tile->mailboxes.box[access->agent];
    unsigned words = 0;
    uint64_t freed = 0;
    for (unsigned i = 0; i < MAILBOX_CORES; i++) {
        words += own[i].count;
        freed = own[i].popped > freed ? own[i].popped : freed;
    }
    unsigned room = words < MAILBOX_DEPTH ? MAILBOX_DEPTH - words : 0;
    return mailbox_put(tile, access, &own[to], room, freed, (enum rv32_core)to);
}

enum answer tile_mmio_MAILBOX(struct tile *tile, struct mmio_access *access)
{
    unsigned other = access->offset / STEP_MAILBOX;
    if (mmio_is_write(access)) {
        return send(tile, access, other);
    }
    struct word_fifo *fifo = &tile->mailboxes.box[other][access->agent];
    if (access->offset & MAILBOX_QUERY) {
        bool is_coming = fifo->count && is_early(access, fifo->pushed);
        return is_coming ? ANSWER_WAIT : mmio_value(access, fifo->count > 0);
    }
    return mailbox_take(tile, access, fifo, (enum rv32_core)other);
}

enum rv32_poll tile_mmio_poll_MAILBOX(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    (void)agent;
    return offset & MAILBOX_QUERY ? RV32_POLL_STATE : RV32_POLL_EFFECT;
}

/* --- PCBufs --- */

enum {
    PC_BUF_BYTES = STEP_PC_BUF,
    SEMAPHORES = AT_SEMAPHORES - AT_PC_BUF,
    SEMAPHORES_END = SEMAPHORES + 4 * TENSIX_SEMAPHORES,
};

/* RISCV_DEBUG_REG_TRISC_PC_BUF_OVERRIDE, the ten bits of PCBuf i. */
struct pc_buf_override {
    bool enabled, busy;
    uint8_t value;
};

static struct pc_buf_override override_of(const struct tile *tile, unsigned i)
{
    uint32_t bits = tile->debug.word[REG_TRISC_PC_BUF_OVERRIDE] >> 10 * i;
    return (struct pc_buf_override){
        .enabled = bits & 1, .busy = bits >> 1 & 1, .value = (uint8_t)(bits >> 2)};
}

/* Is the hart blocked in a load from one of `bytes` bytes at `address`? */
static bool waits_to_load(const struct tile *tile, enum rv32_core core, uint32_t address,
                          uint32_t bytes)
{
    const struct rv32_access *access = &tile->hart[core].access;
    return tile->run[core].state == HART_WAITING && !access->store &&
           access->address - address < bytes;
}

static bool override_busy(const struct tile *tile, unsigned i)
{
    struct pc_buf_override override = override_of(tile, i);
    return override.enabled && override.busy;
}

/* B reads its side: waits until TRISC i has taken everything, wants more, and is idle. */
static enum answer read_by_b(struct tile *tile, struct mmio_access *access, unsigned i)
{
    bool is_done = !tile->mailboxes.pc_buf[i].count &&
                   waits_to_load(tile, (enum rv32_core)(RV32_T0 + i), AT_PC_BUF, 4) &&
                   !tensix_thread_busy(&tile->tensix, i);
    if (access->operation != MMIO_PEEK && !is_done && !override_busy(tile, i)) {
        return ANSWER_WAIT;
    }
    if (access->operation == MMIO_READ) {
        tensix_land(&tile->tensix, i, TENSIX_USED_BY_ALL);
    }
    return mmio_value(access, 0);
}

/* HW: what B stores at +4 is not pushed. tt-burnin's image stores a word there before each load from
 * there, which is how software orders the two, and its TRISCs take every word that they get for a
 * command. The page has a push at any address of the range (docs/DEVIATIONS.md). */
static enum answer access_by_b(struct tile *tile, struct mmio_access *access)
{
    unsigned i = access->offset / PC_BUF_BYTES;
    struct word_fifo *fifo = &tile->mailboxes.pc_buf[i];
    if (mmio_is_write(access)) {
        if (AT_PC_BUF + (access->offset & (PC_BUF_BYTES - 4)) == AT_COPROCESSOR_DONE) {
            return ANSWER_DONE;
        }
        return mailbox_put(tile, access, fifo, PC_BUF_DEPTH - fifo->count, fifo->popped,
                           (enum rv32_core)(RV32_T0 + i));
    }
    return read_by_b(tile, access, i);
}

/* TRISC i is about to wait for its PCBuf: B may be waiting for just that. */
static void tell_b(struct tile *tile, const struct mmio_access *access, unsigned i)
{
    if (waits_to_load(tile, RV32_B, AT_PC_BUF + i * PC_BUF_BYTES, PC_BUF_BYTES) &&
        !tensix_thread_busy(&tile->tensix, i)) {
        tile_event(tile, access->cycle);
    }
}

static enum answer read_by_trisc(struct tile *tile, struct mmio_access *access)
{
    unsigned i = mmio_thread(access);
    struct word_fifo *fifo = &tile->mailboxes.pc_buf[i];
    struct pc_buf_override override = override_of(tile, i);
    if (!fifo->count && override.enabled) {
        return mmio_value(access, override.value);
    }
    enum answer answer = mailbox_take(tile, access, fifo, RV32_B);
    if (answer == ANSWER_WAIT) {
        tell_b(tile, access, i);
    }
    return answer;
}

/* A load that returns something undefined (here 0) once the coprocessor has got so far. */
static enum answer done_check(struct tile *tile, struct mmio_access *access, bool busy)
{
    if (mmio_is_write(access)) {
        return ANSWER_DONE; /* SPEC: the value is discarded */
    }
    if (access->operation != MMIO_PEEK && busy && !override_busy(tile, mmio_thread(access))) {
        return ANSWER_WAIT;
    }
    return mmio_value(access, 0);
}

static enum answer coprocessor_done(struct tile *tile, struct mmio_access *access)
{
    unsigned thread = mmio_thread(access);
    enum answer answer = done_check(tile, access, tensix_thread_busy(&tile->tensix, thread));
    if (answer == ANSWER_DONE && access->operation == MMIO_READ) {
        tensix_land(&tile->tensix, thread, TENSIX_USED_BY_ALL);
    }
    return answer;
}

static enum answer access_semaphore(struct tile *tile, struct mmio_access *access)
{
    unsigned index = (access->offset - SEMAPHORES) / 4;
    if (is_early(access, tile->tensix.semaphore_changed[index])) {
        return ANSWER_WAIT;
    }
    if (!mmio_is_write(access)) {
        return mmio_value(access, tile->tensix.semaphore[index].value);
    }
    if (access->size != 4) {
        return ANSWER_NARROW;
    }
    if (access->operation == MMIO_POKE) {
        tile->tensix.semaphore[index].value = access->value & TENSIX_SEMAPHORE_MOST;
        return ANSWER_DONE;
    }
    if (access->value & 1) {
        tensix_semaphore_get(&tile->tensix, index, access->cycle);
    } else {
        tensix_semaphore_post(&tile->tensix, index, access->cycle);
    }
    tile_event(tile, access->cycle);
    return ANSWER_DONE;
}

static enum answer access_by_trisc(struct tile *tile, struct mmio_access *access)
{
    unsigned thread = mmio_thread(access);
    if (access->offset >= SEMAPHORES && access->offset < SEMAPHORES_END) {
        return access_semaphore(tile, access);
    }
    switch (AT_PC_BUF + (access->offset & ~UINT32_C(3))) {
    case AT_PC_BUF: /* SPEC: the TRISC's writes are discarded */
        return mmio_is_write(access) ? ANSWER_DONE : read_by_trisc(tile, access);
    case AT_COPROCESSOR_DONE:
        return coprocessor_done(tile, access);
    case AT_MOP_EXPANDER_DONE:
        return done_check(tile, access, tensix_mop_busy(&tile->tensix, thread));
    default:
        return mmio_refuse(
            access, ANSWER_UNMAPPED,
            "a TRISC has its PCBuf at " ARCH_TEXT(AT_PC_BUF) ", TTSync at +4 and +8, and eight "
                                                             "semaphores from +0x20");
    }
}

enum answer tile_mmio_PC_BUF(struct tile *tile, struct mmio_access *access)
{
    return access->agent == AGENT_B ? access_by_b(tile, access) : access_by_trisc(tile, access);
}

enum rv32_poll tile_mmio_poll_PC_BUF(struct tile *tile, enum tile_agent agent, uint32_t offset)
{
    (void)tile;
    bool is_semaphore = agent != AGENT_B && offset >= SEMAPHORES && offset < SEMAPHORES_END;
    return is_semaphore ? RV32_POLL_STATE : RV32_POLL_EFFECT;
}

/* --- Soft reset --- */

void mailbox_enter_reset(struct tile *tile, enum rv32_core core)
{
    if ((unsigned)core < MAILBOX_CORES) {
        memset(tile->mailboxes.box[core], 0, sizeof tile->mailboxes.box[core]);
    }
}

void mailbox_leave_reset(struct tile *tile, enum rv32_core core)
{
    if (core >= RV32_T0 && core <= RV32_T2) {
        memset(&tile->mailboxes.pc_buf[core - RV32_T0], 0, sizeof tile->mailboxes.pc_buf[0]);
    }
}
