/*
 * The memory of an overlay: every register has a word of its own, all of it lies where a copy looks
 * for it, and what nobody uses is not touched.
 */
#include <sys/mman.h>

#include "unit/noc/overlay_world.h"

enum { PAGE = 4096, HOT_PAGES = 2 };

static const unsigned sizes[] = {64, 32, 16}; /* streams of the kinds of tiles */

static struct world world;
#define W (&world)

static void setup(void)
{
    open_world(W, 64, 7);
}

static void teardown(void)
{
    close_world(W);
}

FIXTURE(setup, teardown);

/* --- Words --- */

/* The absent register where there is none. */
static const struct reg *row_at(unsigned index)
{
    struct reg_place place;
    (void)reg_find(&overlay_registers, 4 * index, &place);
    return place.row;
}

/* Reads as the last write left it, whatever the other registers are. */
static bool is_storage(const struct reg *row)
{
    return row->kind == REG_ABSENT || row->kind == REG_PLAIN || row->kind == REG_LATER ||
           row->kind == REG_ACTS || row->kind == REG_DRIVEN || row->kind == REG_WRITE_CLEARS;
}

/* Writes everything once, without effects; notes in `model` what was there afterwards. */
static unsigned fill(struct overlay *overlay, uint32_t *model)
{
    unsigned words = overlay->streams * OVERLAY_REGISTERS, changed = 0;
    for (unsigned i = 0; i < words; i++) {
        unsigned at = i * 5 % words; /* in another order */
        unsigned s = at / OVERLAY_REGISTERS, index = at % OVERLAY_REGISTERS;
        const struct reg *row = row_at(index);
        uint32_t value = any(W), before = overlay_register(overlay, s, index);
        enum answer effect = overlay_write(overlay, s, index, false, value);
        model[at] = overlay_register(overlay, s, index);
        bool is_right = effect == (row->name ? ANSWER_DONE : ANSWER_UNMODELLED);
        is_right = is_right &&
                   (!is_storage(row) || model[at] == before || model[at] == (value & ~row->kept));
        if (!is_right) {
            ck_abort_msg("stream %u, register %u", s, index);
        }
        changed += model[at] != before;
    }
    return changed;
}

/* What was written is there when all has been written, twice. */
TEST_EACH(registers_share_no_words, COUNT(sizes))
{
    unsigned streams = sizes[_i], words = streams * OVERLAY_REGISTERS;
    uint32_t *model = calloc(words, sizeof *model), value;
    teardown();
    open_world(W, streams, 3);
    struct overlay *overlay = &W->tile[0].overlay;
    for (unsigned round = 0; round < 2; round++) {
        ck_assert_uint_gt(fill(overlay, model), streams * 700);
        for (unsigned at = 0; at < words; at++) {
            unsigned s = at / OVERLAY_REGISTERS, index = at % OVERLAY_REGISTERS;
            overlay_read(overlay, s, index, false, &value);
            if (value != overlay_register(overlay, s, index) ||
                (is_storage(row_at(index)) && value != model[at])) {
                ck_abort_msg("stream %u, register %u: 0x%x, not 0x%x", s, index, value, model[at]);
            }
        }
    }
    const uint8_t *memory = W->tile[0].memory;
    bool elsewhere = false;
    for (size_t i = (size_t)streams * OVERLAY_STREAM_BYTES; i < OVERLAY_MEMORY_BYTES; i++) {
        elsewhere = elsewhere || memory[i];
    }
    ck_assert(!elsewhere && !overlay_is_due(overlay));
    free(model);
}

/* Counters of receivers are one number until they differ. */
TEST_EACH(counters_of_receivers_are_independent, 6)
{
    unsigned s = (unsigned)_i;
    bool can_multicast = s < 4;
    uint32_t words[32] = {0}, headers[32] = {0};
    for (unsigned round = 0; round < 1500; round++) {
        uint32_t value = any(W);
        unsigned receiver = below(W, 4) ? 0 : below(W, 40), what = below(W, 8);
        if (what == 0) {
            write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_SIZE, value);
        } else if (what == 1) {
            write_stream(W, 0, s, OVERLAY_REMOTE_DEST_MSG_INFO_BUF_SIZE, value);
        } else {
            write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE,
                         (value & ~UINT32_C(0x3f)) | receiver);
        }
        for (unsigned i = 0; i < (can_multicast ? 32u : 1u); i++) {
            words[i] = what == 0 ? value & 0x1ffff : words[i];
            headers[i] = what == 1 ? 2u << (value & 7) : headers[i];
            if (what > 1 && i == receiver) {
                words[i] = (words[i] + (value >> 6)) & 0x1ffff;
                headers[i] = (headers[i] + (value >> 23)) & 0x1ff;
            }
        }
        for (unsigned i = 0; i < 32; i++) {
            uint32_t space = overlay_register(&W->tile[0].overlay, s, 297 + i);
            if (space != (words[i] | headers[i] << 17) ||
                overlay_register(&W->tile[0].overlay, s ^ 1, 297 + i)) {
                ck_abort_msg("stream %u, receiver %u: 0x%x", s, i, space);
            }
        }
        bool all = true;
        for (unsigned i = 0; i < (can_multicast ? 32u : 1u); i++) {
            all = all && words[i];
        }
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_2), all ? 9 : 1);
    }
}

/* --- Pages --- */

/* An overlay in memory with `rights` to its registers, none to the state of streams. */
static uint8_t *open_guarded(struct overlay *overlay, int rights)
{
    uint8_t *memory =
        mmap(NULL, OVERLAY_MEMORY_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert_int_eq(mprotect(memory, OVERLAY_FILE_BYTES, rights), 0);
    overlay_attach(overlay, overlay->streams, memory, W->tile[0].l1, L1_BYTES, &world_board,
                   &W->tile[0]);
    return memory;
}

static void close_guarded(uint8_t *memory)
{
    ck_assert_int_eq(munmap(memory, OVERLAY_MEMORY_BYTES), 0);
}

/* TRISC0's firmware clears the counters of circular buffers; no page is written. */
TEST_EACH(boot_writes_no_page, COUNT(sizes))
{
    struct overlay overlay = {.streams = sizes[_i]};
    uint8_t *memory = open_guarded(&overlay, PROT_READ);
    for (unsigned s = 0; s < overlay.streams; s++) {
        static const uint16_t cleared[] = {10, 8, 11, 2, 3, 4, 7, 13};
        for (int i = 0; i < COUNT(cleared); i++) {
            ck_assert_int_eq(overlay_write(&overlay, s, cleared[i], true, 0), ANSWER_DONE);
            ck_assert_uint_eq(overlay_register(&overlay, s, cleared[i]), 0);
        }
        for (unsigned i = 0; i < 32; i++) {
            ck_assert_uint_eq(overlay_register(&overlay, s, 297 + i), 0);
        }
        ck_assert_int_eq(overlay_write(&overlay, s, 270, true, 0), ANSWER_DONE);
        ck_assert_uint_eq(overlay_register(&overlay, s, OVERLAY_NUM_MSGS_RECEIVED), 0);
        ck_assert_uint_eq(overlay_register(&overlay, s, OVERLAY_WAIT_STATUS), 1);
    }
    ck_assert(!overlay_interrupt(&overlay) && !overlay_is_due(&overlay));
    close_guarded(memory);
}

/* Circular buffers at work change few pages, whichever streams they are. */
TEST_EACH(circular_buffers_change_few_pages, COUNT(sizes))
{
    struct overlay overlay = {.streams = sizes[_i]};
    uint8_t *memory = open_guarded(&overlay, PROT_READ | PROT_WRITE);
    static const uint8_t zeros[PAGE];
    unsigned changed = 0;
    for (unsigned round = 0; round < 5000; round++) {
        unsigned s = below(W, overlay.streams), index = (unsigned[]){8, 10, 11, 4}[below(W, 4)];
        uint32_t value = any(W) & 0xffff;
        ck_assert_int_eq(overlay_write(&overlay, s, index, true, value), ANSWER_DONE);
        ck_assert_uint_eq(overlay_register(&overlay, s, index), value);
        ck_assert(index != 10 || overlay_register(&overlay, s, 297 + (s < 2 ? 31 : 0)) == value);
    }
    for (unsigned page = 0; page < OVERLAY_FILE_BYTES / PAGE; page++) {
        changed += memcmp(memory + page * PAGE, zeros, PAGE) != 0;
    }
    ck_assert_uint_le(changed, HOT_PAGES);
    close_guarded(memory);
}

static bool may_start(unsigned index)
{
    return row_at(index)->kind == REG_TRIGGER || index == OVERLAY_PHASE_AUTO_CFG_HEADER ||
           index == OVERLAY_MULTI_MSG_CLEAR;
}

/* Whatever is asked of streams that nobody started, their state is not looked at. */
TEST_EACH(state_of_idle_streams_is_not_touched, COUNT(sizes))
{
    static const uint16_t harmless[] = {0, 1, 265, 266, 268, 269, 271, 34};
    struct overlay overlay = {.streams = sizes[_i]};
    uint8_t *memory = open_guarded(&overlay, PROT_READ | PROT_WRITE);
    for (unsigned s = 0; s < overlay.streams; s++) {
        char text[80];
        uint32_t value;
        for (unsigned index = 0; index < OVERLAY_REGISTERS; index++) {
            overlay_read(&overlay, s, index, true, &value);
            if (!may_start(index)) {
                overlay_write(&overlay, s, index, true,
                              index == OVERLAY_ONETIME_MISC_CFG ? any(W) & ~1u : any(W));
            }
        }
        for (int i = 0; i < COUNT(harmless); i++) {
            overlay_write(&overlay, s, harmless[i], true, harmless[i] == 34 ? 5 : any(W));
        }
        overlay_sent(&overlay, s, 1);
        overlay_run(&overlay, 2);
        ck_assert(!overlay_is_used(&overlay, s));
        ck_assert(!overlay_describe_wait(&overlay, s, text, sizeof text));
    }
    ck_assert(!overlay_is_due(&overlay));
    close_guarded(memory);
}

/* One that was started is used, and its neighbours are not. */
TEST_EACH(started_streams_are_used, 4)
{
    unsigned s = (unsigned[]){0, 5, 31, 63}[_i];
    struct overlay *overlay = &W->tile[0].overlay;
    write_stream(W, 0, s, OVERLAY_BUF_SIZE, 64);
    write_stream(W, 0, s, OVERLAY_MISC_CFG, FROM_SOFTWARE | TO_SOFTWARE);
    ck_assert(!overlay_is_used(overlay, s));
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
    ck_assert(overlay_is_used(overlay, s));
    write_stream(W, 0, s, OVERLAY_PHASE_ADVANCE, 1);
    settle(W);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_WAIT_STATUS), RUNS);
    for (unsigned i = 0; i < 80; i++) {
        ck_assert(overlay_is_used(overlay, i) == (i == s));
    }
}
