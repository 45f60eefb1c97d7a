/*
 * Overlay streams one by one: registers, phases, configuration from L1, handshakes. What is refused
 * and what breaks is in check_overlay_wrong.c; check_overlay_streams.c sends messages.
 */
#include "noc/overlay_stream.h"
#include "unit/noc/overlay_alone.h"

FIXTURE(setup, teardown);

/* --- Registers --- */

/* Streams of a Tensix tile. */
static bool stream_has(const struct reg *row, unsigned s)
{
    static const uint64_t streams[] = {
        [OVERLAY_ALL] = UINT64_MAX, [OVERLAY_MULTICAST] = 0xf, [OVERLAY_GATHERS] = 0x3f,
        [OVERLAY_ENDPOINT] = 0x30,  [OVERLAY_DRAM] = 0xf0f,    [OVERLAY_ENDPOINT_OR_DRAM] = 0xf3f,
        [OVERLAY_ZERO] = 1,
    };
    return streams[row->group] >> s & 1;
}

/* Nothing is due after writes of idle streams: they cost nothing. */
TEST(plain_registers_hold_values)
{
    for (unsigned i = 0; i < 64 * overlay_registers.rows; i++) {
        const struct reg *row = &overlay_registers.row[i / 64];
        bool is_plain = row->kind == REG_PLAIN;
        bool is_read_only = row->kind == REG_DRIVEN || row->kind == REG_BLIND ||
                            row->kind == REG_COMPUTED || row->kind == REG_LIVE;
        unsigned s = i % 64;
        for (unsigned index = row->offset / 4; index < row->offset / 4 + row->words; index++) {
            uint32_t value = any(W);
            uint32_t before = overlay_register(&W->tile[0].overlay, s, index);
            if (!is_plain && !is_read_only && stream_has(row, s)) {
                continue;
            }
            ck_assert_int_eq(overlay_write(&W->tile[0].overlay, s, index, true, value),
                             ANSWER_DONE);
            ck_assert_uint_eq(overlay_register(&W->tile[0].overlay, s, index),
                              !stream_has(row, s) ? 0
                              : is_plain          ? value & ~row->kept
                                                  : before);
        }
    }
    ck_assert(!overlay_is_due(&W->tile[0].overlay) && !overlay_interrupt(&W->tile[0].overlay));
}

TEST_EACH(counters_of_circular_buffers, 8)
{
    unsigned s = 9 * (unsigned)_i;
    uint32_t space = 0;
    for (unsigned round = 0; round < 100; round++) {
        uint32_t value = any(W), more = any(W);
        write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_START, value);
        ck_assert_uint_eq(read_stream(W, 0, s, 8), value & 0x1ffff);
        write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_SIZE, more);
        ck_assert_uint_eq(read_stream(W, 0, s, 10), more & 0x1ffff);
        space = more & 0x1ffff;
        for (unsigned i = 0; i < 5; i++) {
            uint32_t add = any(W) & 0x1ffff;
            write_stream(W, 0, s, 270, add << 6);
            space = (space + add) & 0x1ffff;
            ck_assert_uint_eq(read_stream(W, 0, s, 297), space);
            ck_assert_uint_eq(read_stream(W, 0, s, 270), 0);
        }
        ck_assert_uint_eq(read_stream(W, 0, s, 503), space ? 9 : 1);
    }
    ck_assert(!overlay_is_due(&W->tile[0].overlay));
    ck_assert_uint_eq(status(s), IDLE);
}

TEST(buffer_space)
{
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t size = 1 + below(W, round & 1 ? 9 : 0x1ffff);
        uint32_t read = below(W, size), write = below(W, size), toggle = below(W, 2);
        write_stream(W, 0, 9, OVERLAY_BUF_SIZE, size);
        write_stream(W, 0, 9, OVERLAY_RD_PTR, read);
        write_stream(W, 0, 9, OVERLAY_WR_PTR, write | toggle << 17);
        uint32_t wanted = (read - write + size) % size;
        wanted = read == write ? (toggle ? 0 : size) : wanted;
        ck_assert_uint_eq(read_stream(W, 0, 9, OVERLAY_BUF_SPACE_AVAILABLE), wanted);
    }
}

/* MSG_INFO_PTR takes the write pointer with it; a ring's pointers are offsets. */
TEST_EACH(header_arrays_begin_empty, 8)
{
    unsigned s = 9 * (unsigned)_i;
    for (unsigned round = 0; round < 50; round++) {
        uint32_t place = any(W) & 0x1ffff;
        bool is_ring = round & 1;
        write_stream(W, 0, s, OVERLAY_MISC_CFG, is_ring ? RING : 0);
        write_stream(W, 0, s, OVERLAY_MSG_INFO_WR_PTR, any(W));
        write_stream(W, 0, s, OVERLAY_MSG_INFO_PTR, place);
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_MSG_INFO_PTR), place);
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_MSG_INFO_WR_PTR), is_ring ? 0 : place);
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG), 1);
        write_stream(W, 0, s, OVERLAY_MSG_INFO_WR_PTR, place + 3);
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_MSG_INFO_PTR), place);
    }
}

TEST(absent_streams_are_refused)
{
    teardown();
    open_world(W, 32, 2);
    static const uint32_t masks[] = {0xffffff, 0xff, 0};
    uint32_t value = 7;
    struct overlay *overlay = &W->tile[0].overlay;
    ck_assert_int_eq(overlay_read(overlay, 32, 3, true, &value), ANSWER_REFUSED);
    ck_assert_uint_eq(value, 0);
    ck_assert_int_eq(overlay_write(overlay, 63, 3, true, 1), ANSWER_REFUSED);
    ck_assert_ptr_nonnull(strstr(overlay->rule, "streams 0 to 31"));
    for (unsigned i = 0; i < 3; i++) { /* streams 2 to 5 cannot gather here */
        write_stream(W, 0, 0, OVERLAY_LOCAL_SRC_MASK + i, UINT32_MAX);
        write_stream(W, 0, 2, OVERLAY_LOCAL_SRC_MASK + i, UINT32_MAX);
        ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_LOCAL_SRC_MASK + i), masks[i]);
        ck_assert_uint_eq(read_stream(W, 0, 2, OVERLAY_LOCAL_SRC_MASK + i), 0);
    }
}

TEST(offsets_are_a_table)
{
    uint32_t model[8] = {0};
    for (unsigned round = 0; round < 200; round++) {
        uint32_t value = any(W) & 0x1fffff;
        if (below(W, 10)) {
            value &= 0xfffff;
        }
        write_stream(W, 0, below(W, 64), OVERLAY_GLOBAL_OFFSET_TABLE, value);
        model[value >> 17 & 7] = value & 0x1ffff;
        if (value >> 20) {
            memset(model, 0, sizeof model);
        }
        for (unsigned i = 0; i < 8; i++) {
            ck_assert_uint_eq(read_stream(W, 0, below(W, 64), 279 + i), model[i]);
        }
    }
}

/* --- Phases --- */

TEST(phases_count_what_is_cleared)
{
    begin(0, 12, 3, FROM_SOFTWARE | TO_SOFTWARE | SRC_CHANGE);
    ck_assert_uint_eq(status(12), RUNS);
    ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_READY_FOR_MSG_PUSH), 1);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(read_stream(W, 0, 12, 34) & 0xffffff, (3 - i) | (3 - i) << 12);
        write_stream(W, 0, 12, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + 5 * i) | 5 << 17);
        ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_PHASE_ALL_MSGS_PUSHED), i == 2);
        ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_NUM_MSGS_RECEIVED), 1);
        write_stream(W, 0, 12, OVERLAY_MSG_INFO_CLEAR, 1);
        ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_RD_PTR), 5 * i);
        ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_DEBUG_STATUS_9), 1 << 17 | 5);
        write_stream(W, 0, 12, OVERLAY_MSG_DATA_CLEAR, 1);
        ck_assert_uint_eq(read_stream(W, 0, 12, OVERLAY_RD_PTR), 5 * (i + 1));
    }
    ck_assert(!overlay_interrupt(&W->tile[0].overlay));
    settle(W);
    ck_assert_uint_eq(status(12), IDLE);
    ck_assert(overlay_interrupt(&W->tile[0].overlay));
    ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE), 0x10000 | 12);
    ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE), 0);
    ck_assert_uint_gt(W->changes, 0);
}

/* The low bit of DEBUG_STATUS + 2, before, in and after a phase. */
TEST(full_fifos_of_readings_are_shown)
{
    const unsigned s = 13; /* room for two */
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_2) & 1, 1);
    begin(0, s, 2, FROM_SOFTWARE | TO_SOFTWARE | SRC_CHANGE);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_2) & 1, 1);
        write_stream(W, 0, s, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + 5 * i) | 5 << 17);
        write_stream(W, 0, s, OVERLAY_MSG_INFO_CLEAR, 1);
    }
    settle(W);
    ck_assert_uint_eq(status(s), IDLE);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_2) & 1, 0);
    write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_2) & 1, 1);
    write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
}

/* How many entries both FIFOs take, and which groups can be cleared, in each kind of tile. */
TEST_EACH(fifos_of_streams, 3)
{
    static const struct {
        unsigned streams, deep, deep_readings, endpoint;
    } tiles[] = {{64, 8, 8, 16}, {32, 32, 128, 32}, {16, 8, 8, 16}};
    teardown();
    open_world(W, tiles[_i].streams, 1);
    struct overlay *overlay = &W->tile[0].overlay;
    for (unsigned s = 0; s < tiles[_i].streams; s++) {
        bool is_ethernet = tiles[_i].streams == 32, is_endpoint = s == 4 || s == 5;
        bool is_deep = s < 4 || (s >= 8 && s < 12) || (is_endpoint && !is_ethernet);
        unsigned readings = 0, messages = 1;
        begin(0, s, 300, FROM_SOFTWARE | TO_SOFTWARE);
        write_stream(W, 0, s, OVERLAY_BUF_SIZE, 512);
        for (bool takes = true; takes; readings += takes) {
            uint32_t offset = read_stream(W, 0, s, OVERLAY_WR_PTR) & 0x1ffff;
            write_stream(W, 0, s, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO,
                         (BUFFER + offset) | 1 << 17);
            takes = overlay_write(overlay, s, OVERLAY_MSG_INFO_CLEAR, true, 1) == ANSWER_DONE;
        }
        ck_assert_uint_eq(readings, is_deep ? tiles[_i].deep_readings : 2);
        for (bool takes = true; takes; messages += takes) {
            uint32_t offset = read_stream(W, 0, s, OVERLAY_WR_PTR) & 0x1ffff;
            takes = overlay_write(overlay, s, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, true,
                                  (BUFFER + offset) | 1 << 17) == ANSWER_DONE;
        }
        ck_assert_uint_eq(messages, !is_deep      ? 2
                                    : is_endpoint ? tiles[_i].endpoint
                                                  : tiles[_i].deep);
        write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
        write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
        settle(W);
        ck_assert_int_eq(overlay_write(overlay, s, OVERLAY_MSG_INFO_CLEAR, true, 4),
                         is_endpoint && !is_ethernet ? ANSWER_DONE : ANSWER_REFUSED);
        ck_assert_int_eq(overlay_write(overlay, s, OVERLAY_MSG_INFO_CLEAR, true, 2), ANSWER_DONE);
    }
}

TEST_EACH(next_phase_waits_for_data, 2)
{
    bool skips = _i;
    begin(0, 12, 1, FROM_SOFTWARE | TO_SOFTWARE | SRC_CHANGE);
    write_stream(W, 0, 12, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, BUFFER | 5 << 17);
    write_stream(W, 0, 12, OVERLAY_MSG_INFO_CLEAR, 1);
    settle(W);
    ck_assert_uint_eq(status(12), IDLE);
    write_stream(W, 0, 12, OVERLAY_MISC_CFG, FROM_SOFTWARE | TO_SOFTWARE | (skips ? NO_FLUSH : 0));
    write_stream(W, 0, 12, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
    write_stream(W, 0, 12, OVERLAY_PHASE_ADVANCE, 1);
    settle(W);
    ck_assert_uint_eq(status(12), skips ? RUNS : FLUSHES);
    write_stream(W, 0, 12, OVERLAY_MSG_DATA_CLEAR, 1);
    settle(W);
    ck_assert_uint_eq(status(12), RUNS);
    ck_assert_uint_eq(W->faults, 0);
}

TEST(blobs_done_are_read_in_turn)
{
    for (unsigned s = 1; s < 64; s += 7) {
        write_stream(W, 0, s, OVERLAY_PHASE_ADVANCE, 1); /* a phase without messages */
    }
    settle(W);
    for (unsigned s = 1; s < 64; s += 7) {
        ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE), 0x10000 | s);
        write_stream(W, 0, 1, OVERLAY_PHASE_ADVANCE, 1); /* stream 1 is done again and again */
        settle(W);
    }
    ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE), 0x10000 | 1);
    ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_BLOB_AUTO_CFG_DONE + 1), 0);
}

/* --- Configuration from L1 --- */

/* A chain of phases: random numbers of messages and phases skipped; each writes a register. */
TEST_EACH(phases_follow_each_other, 3)
{
    enum { PHASES = 12 };
    unsigned s = (unsigned[]){2, 11, 33}[_i], counts[PHASES], increments[PHASES];
    uint32_t at = BLOB + 4 * below(W, 100), first = at, phase = 0;
    configure(0, s, FROM_SOFTWARE | TO_SOFTWARE);
    for (unsigned i = 0; i < PHASES; i++) {
        unsigned extra = i + 1 < PHASES ? 2u : 0;
        counts[i] = below(W, 3);
        increments[i] = 1 + below(W, 9);
        uint32_t words[3] = {
            extra << 24 | counts[i] << 12 | increments[i], blob_word(OVERLAY_REMOTE_SRC, 100 + i),
            blob_word(OVERLAY_ONETIME_MISC_CFG, (i + 1 < PHASES ? AUTO_CONFIG : 0) | AUTO_ADVANCE)};
        at = put_blob(at, words, 3);
    }
    load_from(s, 0x100, first, 3, 0);
    settle(W);
    for (unsigned i = 0; i < PHASES; i++) {
        phase += increments[i];
        for (unsigned m = 0; m < counts[i]; m++) {
            uint32_t offset = read_stream(W, 0, s, OVERLAY_WR_PTR) & 0x1ffff;
            ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_CURR_PHASE), phase);
            ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_REMOTE_SRC), 100 + i);
            ck_assert_uint_eq(status(s), RUNS);
            ck_assert(!overlay_interrupt(&W->tile[0].overlay));
            write_stream(W, 0, s, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO,
                         (BUFFER + offset) | 5 << 17);
            write_stream(W, 0, s, OVERLAY_MSG_INFO_CLEAR, 1);
            write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
            settle(W);
        }
    }
    ck_assert_uint_eq(W->faults, 0);
    ck_assert_uint_eq(status(s), IDLE);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_CURR_PHASE), phase);
    ck_assert(overlay_interrupt(&W->tile[0].overlay));
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_PTR, first - 0x100); /* a new run */
    write_stream(W, 0, s, OVERLAY_ONETIME_MISC_CFG, AUTO_CONFIG);
    settle(W);
    ck_assert(!overlay_interrupt(&W->tile[0].overlay));
}

TEST(pointer_moves_past_the_blob)
{
    uint32_t words[] = {5 << 24 | 2 << 12 | 1, blob_word(OVERLAY_MISC_CFG, FROM_SOFTWARE),
                        blob_word(OVERLAY_BUF_SIZE, 9)};
    put_blob(BLOB, words, 3);
    load_from(7, 0, BLOB, 3, 0);
    ck_assert_uint_eq(status(7), 1 << 3); /* loading */
    settle(W);
    ck_assert_uint_eq(status(7), READY);
    ck_assert_uint_eq(read_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_PTR), BLOB + 12);
    ck_assert_uint_eq(read_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_HEADER), 5 << 24 | 2 << 12 | 2);
    write_stream(W, 0, 7, OVERLAY_PHASE_ADVANCE, 0);
    settle(W);
    ck_assert_uint_eq(status(7), RUNS);
}

/* A blob that loads another again and again: phases without messages for ever, a bounded number of
 * them in a call. */
TEST_EACH(endless_blobs_are_bounded, 2)
{
    uint32_t words[] = {2 << 24, blob_word(OVERLAY_ONETIME_MISC_CFG, AUTO_CONFIG | AUTO_ADVANCE),
                        blob_word(OVERLAY_RELOAD_PHASE_BLOB, (uint32_t)-12)};
    put_blob(BLOB, words, _i ? 3 : 2);
    load_from(7, 0, BLOB, _i ? 3 : 2, 0);
    for (unsigned i = 0; i < 100; i++) {
        bool more = overlay_run(&W->tile[0].overlay, i);
        ck_assert(more || W->faults);
    }
    ck_assert_uint_eq(W->faults, !_i); /* zeros after the blob end at the end of L1 */
}

/* Software may push more messages than the phase has: what it sees stays as it is, by either
 * register, until the next phase. */
TEST(pushes_after_the_last_message_are_dropped)
{
    static const unsigned seen[] = {OVERLAY_NUM_MSGS_RECEIVED, OVERLAY_RECEIVER_MSG_INFO,
                                    OVERLAY_MSG_INFO_WR_PTR, OVERLAY_WR_PTR,
                                    OVERLAY_BUF_SPACE_AVAILABLE};
    const unsigned s = 4;
    const uint32_t pushes[] = {1 << 12 | 1, BUFFER | 1 << 17, 0x2000 << 12 | 1, 0};
    uint32_t before[COUNT(seen)];
    char wait[200];
    begin(0, s, 1, FROM_SOFTWARE | TO_SOFTWARE);
    write_stream(W, 0, s, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, BUFFER | 1 << 17);
    for (unsigned i = 0; i < (unsigned)COUNT(seen); i++) {
        before[i] = read_stream(W, 0, s, seen[i]);
    }
    for (unsigned i = 0; i < (unsigned)COUNT(pushes); i++) {
        write_stream(W, 0, s,
                     i == 1 ? OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO : OVERLAY_NUM_MSGS_RECEIVED_INC,
                     pushes[i]);
        settle(W);
    }
    for (unsigned i = 0; i < (unsigned)COUNT(seen); i++) {
        ck_assert_uint_eq(read_stream(W, 0, s, seen[i]), before[i]);
    }
    ck_assert(overlay_describe_wait(&W->tile[0].overlay, s, wait, sizeof wait));
    ck_assert_ptr_nonnull(strstr(wait, "4 pushes had no effect"));
    write_stream(W, 0, s, OVERLAY_MSG_INFO_CLEAR, 1);
    write_stream(W, 0, s, OVERLAY_MSG_DATA_CLEAR, 1);
    settle(W);
    ck_assert_uint_eq(status(s), IDLE);
    begin(0, s, 1, FROM_SOFTWARE | TO_SOFTWARE);
    ck_assert(overlay_describe_wait(&W->tile[0].overlay, s, wait, sizeof wait));
    ck_assert_ptr_null(strstr(wait, "no effect"));
}

TEST(reload_repeats_a_phase)
{
    uint32_t first[] = {2 << 24 | 1 << 12, blob_word(OVERLAY_REMOTE_SRC, 2),
                        blob_word(OVERLAY_CURR_PHASE, 44)};
    uint32_t second[] = {2 << 24 | 1 << 12, blob_word(OVERLAY_REMOTE_SRC, 1),
                         blob_word(OVERLAY_RELOAD_PHASE_BLOB, (uint32_t)-24)};
    configure(0, 20, FROM_SOFTWARE | TO_SOFTWARE);
    put_blob(put_blob(BLOB, first, 3), second, 3);
    load_from(20, 0, BLOB, 3, AUTO_ADVANCE);
    for (unsigned round = 0; round < 4; round++) {
        settle(W);
        ck_assert_uint_eq(status(20), RUNS);
        ck_assert_uint_eq(read_stream(W, 0, 20, OVERLAY_CURR_PHASE), 44);
        ck_assert_uint_eq(read_stream(W, 0, 20, OVERLAY_REMOTE_SRC), 2); /* the other never runs */
        uint32_t offset = read_stream(W, 0, 20, OVERLAY_WR_PTR) & 0x1ffff;
        write_stream(W, 0, 20, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + offset) | 1 << 17);
        write_stream(W, 0, 20, OVERLAY_MSG_INFO_CLEAR, 1);
        write_stream(W, 0, 20, OVERLAY_MSG_DATA_CLEAR, 1);
    }
    ck_assert_uint_eq(W->faults, 0);
}

/* The offset counts from the pointer as it stands when the register is written, its base included:
 * software's from where it put the pointer, a configuration's from behind itself (above). */
TEST_EACH(reload_counts_from_the_pointer, 4)
{
    static const struct {
        uint32_t base, pointer, offset;
    } loads[] = {
        {0, BLOB, 0},
        {0, BLOB + 24, (uint32_t)-24},
        {BLOB, 24, (uint32_t)-24},
        {BLOB - 0x100, 0xc0, 0x40},
    };
    uint32_t words[] = {2 << 12 | 1, blob_word(OVERLAY_REMOTE_SRC, 77)};
    put_blob(BLOB, words, 2);
    write_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 24);
    write_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_PTR_BASE, loads[_i].base);
    write_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_PTR, loads[_i].pointer);
    write_stream(W, 0, 7, OVERLAY_RELOAD_PHASE_BLOB, loads[_i].offset & 0xffffff);
    settle(W);
    ck_assert_uint_eq(W->faults, 0);
    ck_assert_uint_eq(read_stream(W, 0, 7, OVERLAY_REMOTE_SRC), 77);
    ck_assert_uint_eq(read_stream(W, 0, 7, OVERLAY_PHASE_AUTO_CFG_PTR), BLOB - loads[_i].base);
}

/* --- Handshakes --- */

TEST_EACH(transmitters_wait_for_the_right_phase, 4)
{
    bool cached = _i & 1, disabled = _i & 2;
    write_stream(W, 0, 0, OVERLAY_DEBUG_STATUS_SEL, disabled ? 1 << 6 : 0);
    aim(30, 1, 31);
    write_stream(W, 0, 30, OVERLAY_CURR_PHASE, 500);
    write_stream(W, 0, 30, OVERLAY_DEST_PHASE_READY_UPDATE, (cached ? 500u : 499u) << 6);
    begin(0, 30, 1, FROM_SOFTWARE | TO_REMOTE | DEST_CHANGE);
    bool waits = !cached || disabled;
    ck_assert_uint_eq(read_stream(W, 0, 30, OVERLAY_DEBUG_STATUS_8), waits ? 0x40 : 0);
    ck_assert_uint_eq(W->registers, waits);
    if (waits) {
        write_stream(W, 0, 30, OVERLAY_DEST_PHASE_READY_UPDATE, 501 << 6);
        settle(W);
        ck_assert_uint_eq(read_stream(W, 0, 30, OVERLAY_DEBUG_STATUS_8), 0x40);
        write_stream(W, 0, 30, OVERLAY_DEST_PHASE_READY_UPDATE, 500 << 6 | 1 << 27);
        settle(W);
    }
    ck_assert_uint_eq(read_stream(W, 0, 30, OVERLAY_DEBUG_STATUS_8), 0);
    ck_assert_uint_eq(status(30), RUNS);
}

/* The cache has 24 entries for unicast and 8 for multicast; what it forgot is asked for. */
TEST_EACH(the_cache_forgets_the_oldest, 2)
{
    unsigned most = _i ? 8 : 24;
    for (unsigned s = 0; s < most + 1; s++) {
        aim(s, 1, 31);
        write_stream(W, 0, s, OVERLAY_CURR_PHASE, 9);
        write_stream(W, 0, s, OVERLAY_DEST_PHASE_READY_UPDATE, 9 << 6 | (uint32_t)_i << 26);
    }
    for (unsigned s = 0; s < most + 1; s++) {
        begin(0, s, 1, FROM_SOFTWARE | TO_REMOTE);
        ck_assert_uint_eq(W->registers, 1);
        ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_STATUS_8), s ? 0 : 0x40);
    }
}

TEST(receivers_answer_until_data_come)
{
    unsigned s = 21;
    write_stream(W, 0, s, OVERLAY_REMOTE_SRC, node_of(1, 40) | 5 << 18);
    write_stream(W, 0, s, OVERLAY_CURR_PHASE_BASE, 1000);
    write_stream(W, 0, s, OVERLAY_REMOTE_SRC_PHASE, 7);
    begin(0, s, 2, FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE);
    ck_assert_uint_eq(W->registers, 1); /* of its own accord */
    write_stream(W, 0, s, OVERLAY_SRC_READY_UPDATE, node_of(1, 40));
    settle(W);
    ck_assert_uint_eq(W->registers, 2);
    bool remembered = false; /* by tile 1: phase 1007 of stream 40, receiver 5 */
    for (unsigned i = 0; i < OVERLAY_ANSWERS; i++) {
        const struct overlay_answer *answer = &W->tile[1].overlay.answer[i];
        remembered |= answer->valid && answer->stream == 40 && answer->phase == 1007 &&
                      answer->receivers == 1 << 5;
    }
    ck_assert(remembered);
    put_word(W, 0, BUFFER * 16 + 4, 3);
    put_word(W, 0, HEADERS * 16 + 4, 3);
    overlay_packet_arrived(&W->tile[0].overlay, s, true, true, 48, 0);
    write_stream(W, 0, s, OVERLAY_SRC_READY_UPDATE, node_of(1, 40));
    settle(W);
    ck_assert_uint_eq(W->registers, 2);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_NUM_MSGS_RECEIVED), 1);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_NEXT_RECEIVED_MSG_SIZE), 3);
}

/* Phases that promise the same source and destination need no handshake; what comes before its
 * phase is kept. Tile 0's stream 20 runs ahead of tile 1's 21. */
TEST(later_phases_need_no_handshake)
{
    enum { PHASES = 6, EACH = 3 };
    unsigned pushed = 0, taken = 0;
    aim(20, 1, 21);
    begin(0, 20, EACH, FROM_SOFTWARE | TO_REMOTE);
    write_stream(W, 1, 21, OVERLAY_REMOTE_SRC, node_of(0, 20));
    begin(1, 21, EACH, FROM_REMOTE | TO_SOFTWARE);
    unsigned handshakes = W->registers;
    for (unsigned steps = 0; steps < 20000 && taken < PHASES * EACH; steps++) {
        world_step(W);
        uint32_t at = read_stream(W, 0, 20, OVERLAY_WR_PTR) & 0x1ffff;
        if (status(20) == IDLE && pushed < PHASES * EACH) {
            write_stream(W, 0, 20, OVERLAY_PHASE_AUTO_CFG_HEADER, EACH << 12);
            write_stream(W, 0, 20, OVERLAY_PHASE_ADVANCE, 1);
        } else if (status(20) == RUNS && pushed < PHASES * EACH &&
                   read_stream(W, 0, 20, OVERLAY_READY_FOR_MSG_PUSH) &&
                   read_stream(W, 0, 20, OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG)) {
            put_word(W, 0, (BUFFER + at) * 16 + 4, 1);
            put_word(W, 0, (BUFFER + at) * 16 + 8, 1000 + pushed++);
            write_stream(W, 0, 20, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + at) | 1 << 17);
        }
        uint32_t state = read_stream(W, 1, 21, OVERLAY_WAIT_STATUS);
        if (state == IDLE && below(W, 20) == 0) {
            write_stream(W, 1, 21, OVERLAY_PHASE_AUTO_CFG_HEADER, EACH << 12);
            write_stream(W, 1, 21, OVERLAY_PHASE_ADVANCE, 1);
        } else if (state == RUNS && read_stream(W, 1, 21, OVERLAY_NUM_MSGS_RECEIVED)) {
            uint32_t place = read_stream(W, 1, 21, OVERLAY_NEXT_RECEIVED_MSG_ADDR) * 16, word;
            memcpy(&word, W->tile[1].l1 + place + 8, 4);
            ck_assert_uint_eq(word, 1000 + taken++);
            write_stream(W, 1, 21, OVERLAY_MSG_INFO_CLEAR, 1);
            write_stream(W, 1, 21, OVERLAY_MSG_DATA_CLEAR, 1);
        }
        ck_assert_msg(!W->faults, "%s", W->fault);
    }
    ck_assert_uint_eq(taken, PHASES * EACH);
    ck_assert_uint_ge(handshakes, 1);
    ck_assert_uint_le(W->registers, handshakes + PHASES * EACH); /* credits */
}

/* Credits: messages of a word fill the buffer; each that is cleared makes room, and is told once
 * there is as much room as the threshold asks for, or the phase's last message has come. */
TEST_EACH(credits_wait_for_the_threshold, 32)
{
    enum { SIZE = 64 };
    uint32_t code = (uint32_t)_i % 16, part = SIZE >> (code & 7);
    uint32_t wanted = code & 8 ? SIZE - part : code ? part : 0;
    bool all_came = _i >= 16;
    write_stream(W, 0, 21, OVERLAY_REMOTE_SRC, node_of(1, 40) | 9 << 18);
    write_stream(W, 0, 21, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD, code);
    begin(0, 21, all_came ? SIZE : 2 * SIZE, FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE);
    for (unsigned i = 0; i < SIZE; i++) {
        put_word(W, 0, (BUFFER + i) * 16 + 4, 1);
        put_word(W, 0, (HEADERS + i) * 16 + 4, 1);
        overlay_packet_arrived(&W->tile[0].overlay, 21, true, true, 16, 0);
    }
    settle(W);
    unsigned untold = 0;
    for (unsigned room = 1; room <= SIZE; room++) {
        unsigned before = W->registers;
        write_stream(W, 0, 21, OVERLAY_MSG_INFO_CLEAR, 1);
        write_stream(W, 0, 21, OVERLAY_MSG_DATA_CLEAR, 1);
        settle(W);
        untold++;
        bool told = all_came || room >= wanted;
        ck_assert_uint_eq(W->registers - before, told);
        untold = told ? 0 : untold;
    }
    ck_assert_uint_eq(untold, 0);
    ck_assert_uint_eq(W->faults, 0);
}

/* A stream that feeds another begins its next phase when its messages have left the other. */
TEST(lent_messages_come_back)
{
    write_stream(W, 0, 16, OVERLAY_REMOTE_DEST, 1 | 4 << 12);
    begin(0, 16, 1, FROM_SOFTWARE | TO_GATHERER);
    write_stream(W, 0, 4, OVERLAY_LOCAL_SRC_MASK, 1 << 16);
    write_stream(W, 0, 4, OVERLAY_GATHER, 1 | 1 << 13);
    begin(0, 4, 2, GATHERS | TO_SOFTWARE);
    for (unsigned i = 0; i < 2; i++) {
        write_stream(W, 0, 16, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + 3 * i) | 3 << 17);
        settle(W);
        ck_assert_uint_eq(status(16), IDLE);
        write_stream(W, 0, 16, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
        write_stream(W, 0, 16, OVERLAY_PHASE_ADVANCE, 1);
        settle(W);
        ck_assert_uint_eq(status(16), FLUSHES);
        write_stream(W, 0, 4, OVERLAY_MSG_INFO_CLEAR, 1);
        settle(W);
        ck_assert_uint_eq(status(16), FLUSHES);
        write_stream(W, 0, 4, OVERLAY_MSG_DATA_CLEAR, 1);
        settle(W);
        ck_assert_uint_eq(status(16), RUNS);
        ck_assert_uint_eq(read_stream(W, 0, 16, OVERLAY_BUF_SPACE_AVAILABLE), 64);
    }
    ck_assert_uint_eq(status(4), IDLE);
}

/* --- Infinite phases, offsets --- */

TEST_EACH(infinite_phases_end_with_a_flag, 3)
{
    unsigned way = (unsigned)_i; /* NEW_MSG_INFO, NUM_MSGS_RECEIVED_INC, the header */
    uint32_t flag = way == 2 ? 1u << 31 : 0;
    write_stream(W, 0, 0, OVERLAY_MSG_HEADER_FORMAT, FORMAT);
    begin(0, 11, 0, FROM_SOFTWARE | TO_SOFTWARE | ENDLESS);
    write_stream(W, 0, 0, OVERLAY_MSG_HEADER_FORMAT, FORMAT | 127 << 14);
    for (unsigned i = 0; i < 100; i++) {
        uint32_t at = read_stream(W, 0, 11, OVERLAY_WR_PTR) & 0x1ffff;
        uint32_t place = read_stream(W, 0, 11, OVERLAY_MSG_INFO_WR_PTR) & 0x1ffff;
        uint32_t last = i == 99;
        ck_assert_uint_eq(status(11), RUNS);
        put_word(W, 0, place * 16 + 4, 2);
        put_word(W, 0, place * 16 + 12, last ? flag : 0);
        if (way == 0) {
            write_stream(W, 0, 11, 0, (BUFFER + at) | 2 << 17 | last << 31);
        } else {
            write_stream(W, 0, 11, 1, 1 | 2 << 12 | (way == 1 ? last << 29 : 0));
        }
        settle(W);
        write_stream(W, 0, 11, OVERLAY_MULTI_MSG_CLEAR, 1);
        settle(W);
        ck_assert_uint_eq(read_stream(W, 0, 11, OVERLAY_MULTI_MSG_CLEAR), 0);
    }
    ck_assert_msg(!W->faults, "%s", W->fault);
    ck_assert_uint_eq(status(11), IDLE);
}

TEST_EACH(offsets_move_both_ends, 2)
{
    bool off = _i;
    write_stream(W, 0, 0, OVERLAY_DEBUG_STATUS_SEL, off ? 1 << 7 : 0);
    write_stream(W, 0, 5, OVERLAY_GLOBAL_OFFSET_TABLE, 3 << 17 | 0x40);
    write_stream(W, 0, 5, OVERLAY_GLOBAL_OFFSET_TABLE, 6 << 17 | 0x80);
    write_stream(W, 0, 20, OVERLAY_ONETIME_MISC_CFG, 3 << 5 | 6 << 8);
    aim(20, 1, 21);
    write_stream(W, 0, 20, OVERLAY_DEST_PHASE_READY_UPDATE, 0);
    begin(0, 20, 1, FROM_SOFTWARE | TO_REMOTE);
    for (unsigned i = 0; i < 4; i++) {
        put_word(W, 0, (BUFFER + 7 + (off ? 0 : 0x40u)) * 16 + 4 * i, 0x1234 + i);
    }
    write_stream(W, 0, 20, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + 7) | 1 << 17);
    settle(W);
    ck_assert(!memcmp(W->tile[1].l1 + (BUFFER + (off ? 0 : 0x80u)) * 16,
                      W->tile[0].l1 + (BUFFER + 7 + (off ? 0 : 0x40u)) * 16, 16));
    ck_assert_uint_eq(W->packets, 1);
}
