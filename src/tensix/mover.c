/*
 * The mover: memcpy from L1 to L1 or to the backend configuration, and memset with zeros of the
 * same, in units of 16 bytes. XMOV sets it to work, or TDMA-RISC through a queue of commands.
 *
 * SPEC: WormholeB0 Mover, XMOV, TDMA-RISC; BlackholeA0 ConfigurationUnit (its writes to Config),
 * SoftReset, STALLWAIT. Blackhole has no pages of its own; tt_llk_blackhole ckernel_xmov.h and
 * tensix_types.h agree on directions, commands and status.
 *
 * Time. A functional run makes every move at once, so the queue is always empty and the mover never
 * busy. In a timed run a move takes the cycles of the page, without contention; its data are moved
 * when it starts, as with the other units. Commands wait in the queue until the mover is free.
 *
 * Invariants: queued moves are within bounds; tensix_mover_run is called in the order of cycles,
 * and what is due at a cycle starts before instructions of that cycle do.
 */
#include "tensix/mover.h"

#include "arch/arch.h"
#include "tensix/config/unread.h"
#include "tensix/config/users.h"
#include "tensix/exec.h"

/* --- What may be moved --- */

/* ThreadConfig follows, which is read-only. */
_Static_assert(END_CONFIG_MOVES == TENSIX_CONFIG_THREAD * 4, "Config without ThreadConfig");

static bool is_to_l1(const struct tensix_move *move)
{
    return move->mode == TENSIX_MOVE_L1_TO_L1 || move->mode == TENSIX_MOVE_ZEROS_TO_L1;
}

static bool is_copy(const struct tensix_move *move)
{
    return move->mode == TENSIX_MOVE_L1_TO_L1 || move->mode == TENSIX_MOVE_L1_TO_CONFIG;
}

/* SPEC: Mover. Neither configuration nor instruction RAM is nowhere: writes are discarded. */
static bool is_to_config(const struct tensix_move *move)
{
    return !is_to_l1(move) && move->to < XMOV_REGION;
}

static bool is_to_iram(const struct tensix_move *move)
{
    return !is_to_l1(move) && move->to / XMOV_REGION == XMOV_INSTRUCTION_RAM / XMOV_REGION;
}

/* GUESS: not only the first byte must be in L1. */
static bool fits_l1(const struct tensix *tensix, uint32_t address, uint32_t size)
{
    return address < tensix->l1_size && size <= tensix->l1_size - address;
}

/* GUESS: units are copied in ascending order, so data may move down over themselves; those that
 * move up would be read again or not, depending on how far reads are ahead of writes. */
static bool overtakes_itself(const struct tensix_move *move)
{
    return move->mode == TENSIX_MOVE_L1_TO_L1 && move->to > move->from &&
           move->to - move->from < move->size;
}

const char *tensix_move_rule(const struct tensix *tensix, const struct tensix_move *move)
{
    if (is_copy(move) && !fits_l1(tensix, move->from, move->size)) {
        return "the source must lie in L1; addresses and size count 16 bytes";
    }
    if (is_to_l1(move)) {
        if (!fits_l1(tensix, move->to, move->size)) {
            return "the destination must lie in L1; addresses and size count 16 bytes";
        }
        return overtakes_itself(move) ? "the destination overlaps the source from above; move "
                                        "pieces, the last one first"
                                      : NULL;
    }
    if (move->to % XMOV_REGION + move->size > XMOV_REGION) {
        return "a move to configuration must end in the 64 KiB region in which it begins";
    }
    if (is_to_iram(move) && !tensix->iram) {
        return "there is no instruction RAM at " ARCH_TEXT(
            XMOV_INSTRUCTION_RAM) "; ncrisc executes from L1";
    }
    if (is_to_iram(move) && move->to - XMOV_INSTRUCTION_RAM + move->size > tensix->iram_size) {
        return "the move goes beyond the instruction RAM, which begins at " ARCH_TEXT(
            XMOV_INSTRUCTION_RAM); /* GUESS: as for configuration */
    }
    if (is_to_config(move) && move->to + move->size > END_CONFIG_MOVES) { /* GUESS: as for harts */
        return "configuration that can be moved to ends at " ARCH_TEXT(
            END_CONFIG_MOVES) "; SETC16 writes ThreadConfig";
    }
    return NULL;
}

/* --- Races --- */

static uint32_t source_word(const struct tensix *tensix, const struct tensix_move *move,
                            uint32_t offset)
{
    uint32_t value = 0;
    if (is_copy(move)) {
        memcpy(&value, tensix->l1 + move->from + offset, sizeof value);
    }
    return value;
}

/* Is this word of one state changed under a unit? */
static bool word_races(const struct tensix *tensix, unsigned state, unsigned word, uint32_t value,
                       uint64_t now, const char *writer, bool by_hart, char *text, size_t size)
{
    uint32_t changed = tensix->config[state][word] ^ value;
    enum tensix_flight_unit unit = tensix_race(tensix, state, word, changed, now);
    if (unit != TENSIX_FLIGHTS) {
        tensix_race_text(tensix, unit, word, changed, writer, by_hart, text, size);
    }
    return unit != TENSIX_FLIGHTS;
}

bool tensix_move_race(const struct tensix *tensix, const struct tensix_move *move, uint64_t now,
                      const char *writer, bool by_hart, char *text, size_t size)
{
    for (uint32_t done = 0; is_to_config(move) && done < move->size; done += 4) {
        unsigned index = (move->to + done) / 4, word = index % TENSIX_STATE_WORDS;
        uint32_t value = source_word(tensix, move, done);
        for (unsigned state = 0; state < TENSIX_STATES; state++) {
            bool is_written = index >= TENSIX_CONFIG_DUAL || index / TENSIX_STATE_WORDS == state;
            if (is_written &&
                word_races(tensix, state, word, value, now, writer, by_hart, text, size)) {
                return true;
            }
        }
    }
    return false;
}

/* --- Moving --- */

/* As a store of a hart to the same word. GUESS: the four words of a unit are written in ascending
 * order, which matters only for STATE_RESET_EN. */
static void store_config(struct tensix *tensix, unsigned index, uint32_t value)
{
    (void)tensix_config_write(tensix, index, value);
}

static void move_to_config(struct tensix *tensix, const struct tensix_move *move)
{
    for (uint32_t done = 0; is_to_config(move) && done < move->size; done += 4) {
        store_config(tensix, (move->to + done) / 4, source_word(tensix, move, done));
    }
}

static void move_to_iram(struct tensix *tensix, const struct tensix_move *move)
{
    uint32_t offset = move->to - XMOV_INSTRUCTION_RAM;
    if (is_copy(move)) {
        memcpy(tensix->iram + offset, tensix->l1 + move->from, move->size);
    } else {
        memset(tensix->iram + offset, 0, move->size);
    }
    tensix->board->iram_written(tensix->owner, offset, move->size);
}

static void report_unread_move(struct tensix *tensix, unsigned thread,
                               const struct tensix_move *move)
{
    for (uint32_t done = 0; is_to_config(move) && done < move->size; done += 4) {
        unsigned index = (move->to + done) / 4;
        tensix_report_unread(tensix, thread, index,
                             tensix_unread_field(false, index % TENSIX_STATE_WORDS,
                                                 source_word(tensix, move, done)));
    }
}

static void move_to_l1(struct tensix *tensix, const struct tensix_move *move, uint64_t now)
{
    if (move->size == 0) {
        return;
    }
    if (is_copy(move)) {
        tensix_tell(tensix, OBSERVED_READ, OBSERVED_MOVER, move->from, move->size);
        memmove(tensix->l1 + move->to, tensix->l1 + move->from, move->size);
    } else {
        memset(tensix->l1 + move->to, 0, move->size);
    }
    tensix->board->l1_written(tensix->owner, move->to, move->size, now);
    tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_MOVER, move->to, move->size);
}

static uint64_t move_cycles(const struct timing *timing, const struct tensix_move *move)
{
    uint64_t units = move->size / TENSIX_MOVE_UNIT;
    return is_copy(move) ? (units * timing_cycles(timing, TIMING_MOVER_COPY_OF_8) + 7) / 8 : units;
}

/* SPEC: SoftReset, in reset the mover discards it. */
static void start_move(struct tensix *tensix, const struct tensix_move *move, uint64_t now)
{
    if (tensix->held & TENSIX_RESET_MOVER) {
        return;
    }
    if (is_to_l1(move)) {
        move_to_l1(tensix, move, now);
    } else if (is_to_iram(move)) {
        move_to_iram(tensix, move);
    } else {
        move_to_config(tensix, move);
    }
    tensix->outcome.changed = true;
    if (tensix->timing) {
        tensix->mover.free_at = now + move_cycles(tensix->timing, move);
        tensix->mover.is_moving = true;
    }
}

/* --- Commands of TDMA-RISC --- */

static void execute_command(struct tensix *tensix, const struct tensix_command *command,
                            uint64_t now)
{
    const struct tensix_move *move = &command->move;
    switch (command->kind) {
    case TENSIX_COMMAND_MOVE:
        start_move(tensix, move, now);
        break;
    case TENSIX_COMMAND_STORE:
        memcpy(tensix->l1 + move->to, &command->value, move->size);
        tensix->board->l1_written(tensix->owner, move->to, move->size, now);
        tensix_tell(tensix, OBSERVED_WRITTEN, OBSERVED_MOVER, move->to, move->size);
        break;
    case TENSIX_COMMAND_WAIT:
    case TENSIX_COMMAND_NOP:
        break;
    }
    tensix->outcome.changed = true; /* there is room in the queue, if nothing else */
}

/* When the oldest command is executed. GUESS: the processor takes one a cycle. */
static uint64_t due_at(const struct tensix_mover *mover)
{
    const struct tensix_command *command = &mover->queue[mover->head];
    bool waits = command->kind == TENSIX_COMMAND_MOVE || command->kind == TENSIX_COMMAND_WAIT;
    uint64_t due = command->at > mover->next_at ? command->at : mover->next_at;
    return waits && mover->free_at > due ? mover->free_at : due;
}

bool tensix_mover_run(struct tensix *tensix, uint64_t now)
{
    struct tensix_mover *mover = &tensix->mover;
    bool any = false;
    while (mover->count > 0) {
        struct tensix_command command = mover->queue[mover->head];
        uint64_t due = due_at(mover);
        if (due > now) {
            break;
        }
        mover->head = (mover->head + 1) % TENSIX_MOVER_QUEUE;
        mover->count--;
        mover->next_at = due + 1;
        execute_command(tensix, &command, due);
        any = true;
    }
    if (mover->is_moving && mover->free_at <= now) {
        mover->is_moving = false;
        tensix->outcome.changed = true;
    }
    return any;
}

bool tensix_command(struct tensix *tensix, const struct tensix_command *command, uint64_t cycle)
{
    struct tensix_mover *mover = &tensix->mover;
    if (!tensix->timing) {
        execute_command(tensix, command, cycle);
        return true;
    }
    if (mover->count == TENSIX_MOVER_QUEUE) {
        return false;
    }
    struct tensix_command *entry =
        &mover->queue[(mover->head + mover->count++) % TENSIX_MOVER_QUEUE];
    *entry = *command;
    entry->at = cycle;
    (void)tensix_mover_run(tensix, cycle);
    return true;
}

/* --- What others can see --- */

unsigned tensix_mover_parameters(const struct tensix *tensix)
{
    const struct tensix_mover *mover = &tensix->mover;
    unsigned parameters = 0;
    for (unsigned i = 0; i < mover->count; i++) {
        parameters += mover->queue[(mover->head + i) % TENSIX_MOVER_QUEUE].has_parameters;
    }
    return parameters;
}

/* Queued moves count, so that nobody sees the mover idle between two of them. */
bool tensix_mover_busy(const struct tensix *tensix)
{
    const struct tensix_mover *mover = &tensix->mover;
    if (tensix->held & TENSIX_RESET_MOVER) {
        return false;
    }
    for (unsigned i = 0; i < mover->count; i++) {
        if (mover->queue[(mover->head + i) % TENSIX_MOVER_QUEUE].kind == TENSIX_COMMAND_MOVE) {
            return true;
        }
    }
    return mover->is_moving;
}

uint64_t tensix_mover_next(const struct tensix *tensix)
{
    const struct tensix_mover *mover = &tensix->mover;
    uint64_t next = mover->count > 0 ? due_at(mover) : UINT64_MAX;
    return mover->is_moving && mover->free_at < next ? mover->free_at : next;
}

/* SPEC: SoftReset. What is under way is aborted; its data have been moved, though. */
void tensix_mover_soft_reset(struct tensix *tensix, uint32_t entering)
{
    struct tensix_mover *mover = &tensix->mover;
    if (entering & TENSIX_RESET_MOVER) {
        mover->free_at = 0;
        mover->is_moving = false;
        tensix->outcome.changed = true;
    }
    if (entering & TENSIX_RESET_TDMA) {
        mover->count = 0;
        tensix->outcome.changed = true;
    }
}

/* --- XMOV --- */

static enum tensix_exec wait_for_mover(struct tensix *tensix, unsigned thread)
{
    struct tensix_thread *own = &tensix->thread[thread];
    own->time = tensix->mover.free_at - 1; /* it is offered again in the cycle after that */
    return tensix_stall(tensix, thread, TENSIX_WAITS_FOR_UNIT, 0);
}

/* SPEC: XMOV. What the page keeps of the size are 16 bits; the mover gets bytes. */
TENSIX_EXEC(XMOV)
{
    unsigned state = tensix_state_id(tensix, thread);
    const struct tensix_move move = {
        .to = tensix_get_THCON_SEC0_REG6_Destination_address(tensix, state) << 4,
        .from = tensix_get_THCON_SEC0_REG6_Source_address(tensix, state) << 4,
        .size = (tensix_get_THCON_SEC0_REG6_Buffer_size(tensix, state) & 0xffff) << 4,
        .mode = (enum tensix_move_mode)tensix_get_THCON_SEC0_REG6_Transfer_direction(tensix, state),
    };
    char text[PENROSE_RULE_TEXT];
    (void)args; /* `last` does nothing: no page knows of data that the mover would hold back */
    if (tensix->mover.free_at > tensix->now) {
        return wait_for_mover(tensix, thread);
    }
    if (tensix->held & TENSIX_RESET_MOVER) {
        return TENSIX_DONE;
    }
    const char *rule = tensix_move_rule(tensix, &move);
    if (rule) {
        return tensix_fault(tensix, thread, PENROSE_FAULT_TENSIX_UNDEFINED,
                            "XMOV: 0x%x bytes from 0x%x to 0x%x: %s", move.size, move.from, move.to,
                            rule);
    }
    if (tensix_move_race(tensix, &move, tensix->now, "XMOV", false, text, sizeof text)) {
        (void)tensix_fault(tensix, thread, PENROSE_FAULT_CONFIG_RACE, "%s", text);
    }
    report_unread_move(tensix, thread, &move);
    start_move(tensix, &move, tensix->now);
    return TENSIX_DONE;
}
