#include "unit/tensix/tensix_harness.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tensix/table.h"

/* --- The board --- */

static unsigned find_register(struct tensix_harness *harness, uint32_t address)
{
    for (unsigned i = 0; i < harness->regs; i++) {
        if (harness->reg[i].address == address) {
            return i;
        }
    }
    ck_assert_uint_lt(harness->regs, TENSIX_HARNESS_REGISTERS);
    harness->reg[harness->regs].address = address;
    return harness->regs++;
}

static enum answer board_read(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                              uint32_t *value, const char **rule)
{
    struct tensix_harness *harness = owner;
    (void)thread;
    (void)cycle;
    (void)rule;
    if (harness->registers_busy) {
        return ANSWER_WAIT;
    }
    unsigned i = find_register(harness, address);
    harness->reg[i].reads++;
    *value = harness->reg[i].value;
    return ANSWER_DONE;
}

static enum answer board_write(void *owner, unsigned thread, uint32_t address, uint64_t cycle,
                               uint32_t value, const char **rule)
{
    struct tensix_harness *harness = owner;
    (void)thread;
    (void)cycle;
    (void)rule;
    if (harness->registers_busy) {
        return ANSWER_WAIT;
    }
    unsigned i = find_register(harness, address);
    harness->reg[i].writes++;
    harness->reg[i].value = value;
    return ANSWER_DONE;
}

static void board_l1_written(void *owner, uint32_t address, uint32_t size, uint64_t cycle)
{
    (void)cycle;
    (void)owner;
    ck_assert_uint_le(size, TENSIX_HARNESS_L1);
    ck_assert_uint_le(address, TENSIX_HARNESS_L1 - size);
}

static void board_l1_watch(void *owner, uint32_t address, uint32_t size)
{
    struct tensix_harness *harness = owner;
    (void)size;
    harness->watched = address;
}

static uint32_t board_stream(void *owner, unsigned stream, unsigned index)
{
    const struct tensix_harness *harness = owner;
    ck_assert_uint_lt(stream, 64);
    ck_assert_uint_lt(index, 1024);
    return harness->stream[stream][index];
}

static bool board_fault(void *owner, const struct tensix_fault *fault)
{
    struct tensix_harness *harness = owner;
    harness->fault = *fault;
    harness->faults++;
    return harness->stop;
}

static void board_unmodelled(void *owner, unsigned thread, unsigned index, const char *field)
{
    struct tensix_harness *harness = owner;
    (void)thread;
    harness->unmodelled++;
    harness->unmodelled_index = index;
    harness->unmodelled_field = field;
}

/* --- Life --- */

void tensix_harness_open(struct tensix_harness *harness)
{
    memset(harness, 0, sizeof *harness);
    harness->l1 = calloc(1, TENSIX_HARNESS_L1);
    ck_assert_ptr_nonnull(harness->l1);
    harness->board = (struct tensix_board){
        .read = board_read,
        .write = board_write,
        .l1_written = board_l1_written,
        .l1_watch = board_l1_watch,
        .stream = board_stream,
        .fault = board_fault,
        .unmodelled = board_unmodelled,
    };
    harness->costs = tile_costs;
    harness->costs.cycles[TIMING_PUSH] = 1;
    harness->tensix.l1 = harness->l1;
    harness->tensix.l1_size = TENSIX_HARNESS_L1;
    harness->tensix.board = &harness->board;
    harness->tensix.owner = harness;
    harness->tensix.shortcuts = true;
    tensix_reset(&harness->tensix);
}

void tensix_harness_close(struct tensix_harness *harness)
{
    free(harness->l1);
    harness->l1 = NULL;
}

/* --- Running --- */

enum { FOREVER_CYCLES = 1 << 24, INSTRUCTION_BYTES = 160 };

void tensix_harness_go(struct tensix_harness *harness, unsigned cycles)
{
    uint64_t end = harness->time + (cycles ? cycles : FOREVER_CYCLES);
    tensix_wake(&harness->tensix, harness->time ? harness->time - 1 : 0);
    struct tensix_outcome outcome = tensix_run(&harness->tensix, end);
    harness->changed |= outcome.changed;
    harness->time = cycles                              ? end
                    : outcome.event + 1 > harness->time ? outcome.event + 1
                                                        : harness->time;
    for (unsigned i = 0; !cycles && i < TENSIX_THREADS; i++) {
        uint64_t time = harness->tensix.thread[i].time;
        harness->time = time > harness->time && time < end ? time : harness->time;
    }
}

static void push(struct tensix_harness *harness, unsigned thread, uint32_t word)
{
    struct tensix_origin origin = {.pc = 0x1000, .pusher = (uint8_t)(TENSIX_BY_T0 + thread)};
    if (!tensix_accepts(&harness->tensix, thread)) {
        tensix_harness_go(harness, 0);
    }
    ck_assert_msg(tensix_push(&harness->tensix, thread, origin, &word, 1, harness->time),
                  "the FIFO is full and does not drain");
}

void tensix_harness_push(struct tensix_harness *harness, unsigned thread, uint32_t word)
{
    push(harness, thread, word);
    tensix_harness_go(harness, 0);
}

uint32_t tensix_harness_assemble(const char *text)
{
    struct penrose_error error;
    uint32_t word = 0;
    ck_assert_msg(tensix_assemble(text, &word, &error) == PENROSE_OK, "%s", text);
    return word;
}

void tensix_harness_run(struct tensix_harness *harness, unsigned thread, const char *text)
{
    while (*text) {
        char line[INSTRUCTION_BYTES];
        size_t length = strcspn(text, ";\n");
        ck_assert_uint_lt(length, sizeof line);
        memcpy(line, text, length);
        line[length] = 0;
        if (line[strspn(line, " \t")]) {
            push(harness, thread, tensix_harness_assemble(line));
        }
        text += length + (text[length] != 0);
    }
    tensix_harness_go(harness, 0);
}

void tensix_harness_set_mover(struct tensix_harness *harness, bool is_busy)
{
    harness->tensix.mover.is_moving = is_busy;
    harness->tensix.mover.free_at = is_busy ? UINT64_MAX : 0;
}

/* --- Looking --- */

uint32_t tensix_harness_l1(const struct tensix_harness *harness, uint32_t address)
{
    uint32_t value;
    memcpy(&value, harness->l1 + address, sizeof value);
    return value;
}

void tensix_harness_set_l1(struct tensix_harness *harness, uint32_t address, uint32_t value)
{
    memcpy(harness->l1 + address, &value, sizeof value);
}

uint32_t tensix_harness_register(const struct tensix_harness *harness, uint32_t address)
{
    for (unsigned i = 0; i < harness->regs; i++) {
        if (harness->reg[i].address == address) {
            return harness->reg[i].value;
        }
    }
    return 0;
}

void tensix_harness_set_register(struct tensix_harness *harness, uint32_t address, uint32_t value)
{
    harness->reg[find_register(harness, address)].value = value;
}
