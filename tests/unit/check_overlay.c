/*
 * Overlay streams one by one: registers, phases, configuration from L1, handshakes, what is refused
 * and what breaks, and random writes. check_overlay_streams.c sends messages.
 */
#include "check_overlay_world.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { BUFFER = 0x2000, HEADERS = 0x200, BLOB = 0x8000, OTHER = 0x9000, FORMAT = 32 | 16 << 7 };

static struct world world;
#define W (&world)

static void setup(void)
{
    open_world(W, 64, 1);
}

static void teardown(void)
{
    close_world(W);
}

static uint32_t status(unsigned s)
{
    return read_stream(W, 0, s, OVERLAY_WAIT_STATUS);
}

/* --- Registers --- */

static const struct row {
    unsigned first, words, bits;
    const char *name, *streams, *kind;
} rows[] = {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    {index, words, bits, "STREAM_" #name, #streams, #kind},
#include "noc/overlay.def"
#undef OVERLAY
};

static bool stream_has(const struct row *row, unsigned s)
{
    static const struct {
        const char *name;
        uint64_t streams;
    } classes[] = {{"ALL", UINT64_MAX}, {"MULTICAST", 0xf}, {"GATHERS", 0x3f},
                   {"ENDPOINT", 0x30},  {"DRAM", 0xf0f},    {"ENDPOINT_OR_DRAM", 0xf3f},
                   {"ZERO", 1}};
    for (int i = 0; i < COUNT(classes); i++) {
        if (!strcmp(classes[i].name, row->streams)) {
            return classes[i].streams >> s & 1;
        }
    }
    ck_abort_msg("class %s", row->streams);
    return false;
}

START_TEST(every_register_has_its_row)
{
    for (unsigned index = 0; index < OVERLAY_REGISTERS; index++) {
        const char *name = NULL;
        for (int i = 0; i < COUNT(rows); i++) {
            if (index >= rows[i].first && index < rows[i].first + rows[i].words) {
                ck_assert_ptr_null(name);
                name = rows[i].name;
            }
        }
        ck_assert_pstr_eq(overlay_register_name(index), name);
    }
}
END_TEST

/* Nothing is due after writes of idle streams: they cost nothing. */
START_TEST(plain_registers_hold_values)
{
    const struct row *row = &rows[_i];
    bool is_plain = !strcmp(row->kind, "PLAIN");
    bool is_read_only = !strcmp(row->kind, "HELD") || !strcmp(row->kind, "SPACE") ||
                        !strcmp(row->kind, "STATUS") || !strcmp(row->kind, "NEXT") ||
                        !strcmp(row->kind, "BLIND");
    for (unsigned s = 0; s < 64; s++) {
        for (unsigned index = row->first; index < row->first + row->words; index++) {
            uint32_t value = any(W), mask = row->bits < 32 ? (1u << row->bits) - 1 : UINT32_MAX;
            uint32_t before = overlay_register(&W->tile[0].overlay, s, index);
            if (!is_plain && !is_read_only && stream_has(row, s)) {
                continue;
            }
            ck_assert_int_eq(overlay_write(&W->tile[0].overlay, s, index, true, value),
                             OVERLAY_DONE);
            ck_assert_uint_eq(overlay_register(&W->tile[0].overlay, s, index),
                              !stream_has(row, s) ? 0
                              : is_plain          ? value & mask
                                                  : before);
        }
    }
    ck_assert(!overlay_is_due(&W->tile[0].overlay) && !overlay_interrupt(&W->tile[0].overlay));
}
END_TEST

START_TEST(counters_of_circular_buffers)
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
END_TEST

START_TEST(buffer_space)
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
END_TEST

/* MSG_INFO_PTR takes the write pointer with it; a ring's pointers are offsets. */
START_TEST(header_arrays_begin_empty)
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
END_TEST

START_TEST(absent_streams_are_refused)
{
    teardown();
    open_world(W, 32, 2);
    static const uint32_t masks[] = {0xffffff, 0xff, 0};
    uint32_t value = 7;
    struct overlay *overlay = &W->tile[0].overlay;
    ck_assert_int_eq(overlay_read(overlay, 32, 3, true, &value), OVERLAY_REFUSED);
    ck_assert_uint_eq(value, 0);
    ck_assert_int_eq(overlay_write(overlay, 63, 3, true, 1), OVERLAY_REFUSED);
    ck_assert_ptr_nonnull(strstr(overlay->rule, "streams 0 to 31"));
    for (unsigned i = 0; i < 3; i++) { /* streams 2 to 5 cannot gather here */
        write_stream(W, 0, 0, OVERLAY_LOCAL_SRC_MASK + i, UINT32_MAX);
        write_stream(W, 0, 2, OVERLAY_LOCAL_SRC_MASK + i, UINT32_MAX);
        ck_assert_uint_eq(read_stream(W, 0, 0, OVERLAY_LOCAL_SRC_MASK + i), masks[i]);
        ck_assert_uint_eq(read_stream(W, 0, 2, OVERLAY_LOCAL_SRC_MASK + i), 0);
    }
}
END_TEST

START_TEST(offsets_are_a_table)
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
END_TEST

/* --- Phases --- */

static void configure(unsigned t, unsigned s, uint32_t misc)
{
    write_stream(W, t, 0, OVERLAY_MSG_HEADER_FORMAT, FORMAT);
    write_stream(W, t, s, OVERLAY_BUF_START, BUFFER);
    write_stream(W, t, s, OVERLAY_BUF_SIZE, 64);
    write_stream(W, t, s, OVERLAY_MSG_INFO_PTR, HEADERS);
    write_stream(W, t, s, OVERLAY_MSG_INFO_WR_PTR, HEADERS);
    write_stream(W, t, s, OVERLAY_MISC_CFG, misc);
}

static void begin(unsigned t, unsigned s, unsigned messages, uint32_t misc)
{
    configure(t, s, misc);
    write_stream(W, t, s, OVERLAY_PHASE_AUTO_CFG_HEADER, messages << 12);
    write_stream(W, t, s, OVERLAY_PHASE_ADVANCE, 1);
    settle(W);
}

START_TEST(phases_count_what_is_cleared)
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
END_TEST

/* The low bit of DEBUG_STATUS + 2, before, in and after a phase. */
START_TEST(full_fifos_of_readings_are_shown)
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
END_TEST

START_TEST(next_phase_waits_for_data)
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
END_TEST

START_TEST(blobs_done_are_read_in_turn)
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
END_TEST

/* --- Configuration from L1 --- */

static uint32_t put_blob(uint32_t at, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_word(W, 0, at + 4 * i, words[i]);
    }
    return at + 4 * count;
}

/* Software's three steps. */
static void load_from(unsigned s, uint32_t base, uint32_t at, unsigned words, uint32_t onetime)
{
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_HEADER, (words - 1) << 24);
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_PTR_BASE, base);
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_PTR, at - base);
    write_stream(W, 0, s, OVERLAY_ONETIME_MISC_CFG, AUTO_CONFIG | onetime);
}

/* A chain of phases: random numbers of messages and phases skipped; each writes a register. */
START_TEST(phases_follow_each_other)
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
END_TEST

START_TEST(pointer_moves_past_the_blob)
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
END_TEST

/* A blob that loads another again and again: phases without messages for ever, a bounded number of
 * them in a call. */
START_TEST(endless_blobs_are_bounded)
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
END_TEST

START_TEST(reload_repeats_a_phase)
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
END_TEST

/* --- Handshakes --- */

static void aim(unsigned s, unsigned to, unsigned stream)
{
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST, node_of(to, stream));
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_START, BUFFER);
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_SIZE, 64);
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, HEADERS);
}

START_TEST(transmitters_wait_for_the_right_phase)
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
END_TEST

/* The cache has 24 entries for unicast and 8 for multicast; what it forgot is asked for. */
START_TEST(the_cache_forgets_the_oldest)
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
END_TEST

START_TEST(receivers_answer_until_data_come)
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
END_TEST

/* Phases that promise the same source and destination need no handshake; what comes before its
 * phase is kept. Tile 0's stream 20 runs ahead of tile 1's 21. */
START_TEST(later_phases_need_no_handshake)
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
END_TEST

/* Credits: messages of a word fill the buffer; each that is cleared makes room, and is told once
 * there is as much room as the threshold asks for, or the phase's last message has come. */
START_TEST(credits_wait_for_the_threshold)
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
END_TEST

/* A stream that feeds another begins its next phase when its messages have left the other. */
START_TEST(lent_messages_come_back)
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
END_TEST

/* --- Infinite phases, offsets --- */

START_TEST(infinite_phases_end_with_a_flag)
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
END_TEST

START_TEST(offsets_move_both_ends)
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
END_TEST

/* --- What is refused --- */

struct write {
    unsigned index;
    uint32_t value;
};

/* Writes to stream `stream`, which has a buffer and a message to expect; the last is refused. */
static const struct refusal {
    unsigned stream;
    const char *text;
    struct write write[8];
} refusals[] = {
    {12, "SOURCE_ENDPOINT", {{267, 1}}},
    {12, "not 2", {{3, FROM_SOFTWARE | FROM_REMOTE}, {267, 1}}},
    {12, "at most one", {{3, FROM_SOFTWARE | TO_SOFTWARE | TO_REMOTE}, {267, 1}}},
    {0, "clear LOCAL_RECEIVER", {{3, GATHERS | TO_GATHERER}, {267, 1}}},
    {12, "TOKEN_MODE", {{3, FROM_SOFTWARE | 1 << 9}, {267, 1}}},
    {12, "COPY_MODE", {{3, FROM_SOFTWARE | 1 << 10}, {267, 1}}},
    {12, "OOO_PHASE", {{3, FROM_SOFTWARE | 1 << 22}, {267, 1}}},
    {12, "BUF_SIZE is 0", {{3, FROM_SOFTWARE}, {18, 0}, {267, 1}}},
    {12, "REMOTE_DEST_BUF_SIZE", {{3, FROM_SOFTWARE | TO_REMOTE}, {267, 1}}},
    {1, "MCAST_DEST_NUM is 0", {{3, FROM_SOFTWARE | TO_REMOTE}, {10, 9}, {24, 1 << 12}, {267, 1}}},
    {1,
     "no multicast",
     {{3, FROM_SOFTWARE | TO_REMOTE}, {10, 9}, {24, 1 << 12}, {25, 2}, {36, 5}, {267, 1}}},
    {8, "DEST_DATA_BUF_NO_FLOW_CTRL", {{3, FROM_SOFTWARE | TO_REMOTE}, {10, 9}, {36, 6}, {267, 1}}},
    {12, "Ethernet", {{3, FROM_SOFTWARE | TO_REMOTE}, {10, 9}, {7, 0xfff}, {267, 1}}},
    {12, "Ethernet", {{3, FROM_REMOTE}, {4, 0xfff}, {267, 1}}},
    {12, "LOCAL_DEST_STREAM_ID is 6", {{3, FROM_SOFTWARE | TO_GATHERER}, {7, 6 << 12}, {267, 1}}},
    {3, "LOCAL_DEST_STREAM_ID is 3", {{3, FROM_SOFTWARE | TO_GATHERER}, {7, 3 << 12}, {267, 1}}},
    {6, "cannot gather", {{3, GATHERS}, {267, 1}}},
    {5, "MSG_ARB_GROUP_SIZE is 3", {{3, GATHERS}, {26, 1 | 3 << 13}, {267, 1}}},
    {5, "CLEAR_NUM is 0", {{3, GATHERS}, {26, 1 << 13}, {267, 1}}},
    {5, "ARBITRARY", {{3, GATHERS}, {26, 1 << 17}, {267, 1}}},
    {5, "LOCAL_SRC_MASK", {{3, GATHERS}, {26, 1 | 1 << 13}, {267, 1}}},
    {5, "LOCAL_SRC_MASK", {{3, GATHERS}, {26, 1 | 1 << 13}, {224, 1 << 5}, {267, 1}}},
    {5, "streams 8 to 11", {{3, GATHERS}, {26, 1 | 4 << 13}, {224, 7 << 8}, {267, 1}}},
    {12, "await MSG_FWD_ONGOING", {{0, BUFFER | 1 << 17}}},
    {12, "await MSG_FWD_ONGOING", {{1, 1 | 1 << 12}}},
    {12, "RECEIVER_ENDPOINT", {{265, 1}}},
    {12, "MSG_DATA_CLEAR", {{266, 1}}},
};

/* The same in a phase of one message, from software to software. */
static const struct refusal refusals_in_a_phase[] = {
    {12, "only 1 more", {{1, 2 | 1 << 12}}},
    {12, "room for 64", {{1, 1 | 65 << 12}}},
    {12, "no words", {{0, BUFFER}}},
    {12, "not in the receive buffer", {{0, (BUFFER - 1) | 1 << 17}}},
    {12, "not in the receive buffer", {{0, (BUFFER + 64) | 1 << 17}}},
    {12, "no room", {{23, HEADERS + 1}, {0, BUFFER | 1 << 17}}},
    {12, "0 are there", {{265, 1}}},
    {12, "0, 1, 2 and 2", {{265, 3}}},
    {4, "0, 1, 2 and 4", {{265, 3}}},
    {12, "FIFO is full", {{265, 0}, {265, 0}, {265, 0}}},
};

static void expect_refusal(const struct refusal *refusal)
{
    struct overlay *overlay = &W->tile[0].overlay;
    size_t bytes = OVERLAY_MEMORY_BYTES;
    uint8_t *before = malloc(bytes);
    ck_assert_ptr_nonnull(before);
    const struct write *write = refusal->write;
    for (; write[1].index || write[1].value; write++) {
        write_stream(W, 0, refusal->stream, write->index, write->value);
    }
    uint64_t due = overlay->due;
    memcpy(before, W->tile[0].memory, bytes);
    ck_assert_int_eq(overlay_write(overlay, refusal->stream, write->index, true, write->value),
                     OVERLAY_REFUSED);
    ck_assert_msg(strstr(overlay->rule, refusal->text), "\"%s\" lacks \"%s\"", overlay->rule,
                  refusal->text);
    ck_assert_uint_lt(strlen(overlay->rule), 150);
    ck_assert(!memcmp(before, W->tile[0].memory, bytes)); /* nothing has happened */
    ck_assert_uint_eq(overlay->due, due);
    free(before);
}

START_TEST(undefined_configurations_are_refused)
{
    const struct refusal *refusal = &refusals[_i];
    configure(0, refusal->stream, 0);
    write_stream(W, 0, refusal->stream, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
    expect_refusal(refusal);
}
END_TEST

START_TEST(undefined_operations_are_refused)
{
    const struct refusal *refusal = &refusals_in_a_phase[_i];
    begin(0, refusal->stream, 1, FROM_SOFTWARE | TO_SOFTWARE);
    expect_refusal(refusal);
}
END_TEST

/* --- What breaks a stream that goes by itself --- */

static void expect_break(unsigned s, const char *text)
{
    for (unsigned i = 0; i < 3; i++) { /* it is said once */
        settle(W);
        ck_assert_uint_eq(W->faults, 1);
    }
    ck_assert_uint_eq(W->fault_stream, s);
    ck_assert_msg(strstr(W->fault, text), "\"%s\" lacks \"%s\"", W->fault, text);
    ck_assert_uint_lt(strlen(W->fault), 150);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_ASSERTIONS), 1);
    char wait[200];
    ck_assert(overlay_describe_wait(&W->tile[0].overlay, s, wait, sizeof wait));
    ck_assert_ptr_nonnull(strstr(wait, "broke a rule"));
    write_stream(W, 0, s, OVERLAY_DEBUG_ASSERTIONS, 1);
    ck_assert_uint_eq(read_stream(W, 0, s, OVERLAY_DEBUG_ASSERTIONS), 0);
    write_stream(W, 0, s, OVERLAY_ONETIME_MISC_CFG, 0);
    write_stream(W, 0, s, OVERLAY_RESET, 1);
    settle(W);
    ck_assert_uint_eq(status(s), IDLE);
    begin(0, s, 1, FROM_SOFTWARE | TO_SOFTWARE);
    ck_assert_uint_eq(status(s), RUNS);
    ck_assert_uint_eq(W->faults, 1);
}

static const struct blob_break {
    uint32_t at;
    unsigned words;
    const char *text;
    uint32_t word[3];
} blob_breaks[] = {
    {BLOB + 2, 1, "multiple of 4", {0}},
    {L1_BYTES, 1, "not in L1", {0}},
    {L1_BYTES - 8, 3, "not in L1", {0}},
    {0xfffffc, 1, "not in L1", {0}},
    {BLOB, 2, "register 0 cannot", {0, 0x00000005}},
    {BLOB, 2, "register 1 cannot", {0, 0x01000005}},
    {BLOB, 2, "register 100 cannot", {0, 100u << 24}},
    {BLOB, 2, "at most one", {1 << 12, 3u << 24 | FROM_SOFTWARE | TO_SOFTWARE | TO_REMOTE}},
};

START_TEST(bad_blobs_break)
{
    const struct blob_break *bad = &blob_breaks[_i];
    if (bad->at == BLOB) {
        put_blob(BLOB, bad->word, bad->words);
    }
    load_from(15, 0, bad->at, bad->words, AUTO_ADVANCE);
    expect_break(15, bad->text);
}
END_TEST

/* Message headers of one pushed message of 4 words. */
static const struct header_break {
    uint32_t place, length, format;
    const char *text;
} header_breaks[] = {
    {HEADERS, 0, FORMAT, "says 0 words"},  {HEADERS, 0x8000, FORMAT, "says 32768 words"},
    {HEADERS, 65, FORMAT, "does not fit"}, {HEADERS, 5, FORMAT, "but 4 came"},
    {HEADERS, 4, 0, "MSG_HEADER_FORMAT"},  {0x1fffe, 4, FORMAT, "not in L1"},
};

START_TEST(bad_headers_break)
{
    const struct header_break *bad = &header_breaks[_i];
    begin(0, 15, 1, FROM_SOFTWARE | TO_SOFTWARE);
    write_stream(W, 0, 0, OVERLAY_MSG_HEADER_FORMAT, bad->format);
    write_stream(W, 0, 15, OVERLAY_MSG_INFO_PTR, bad->place);
    write_stream(W, 0, 15, OVERLAY_MSG_INFO_WR_PTR, bad->place);
    put_word(W, 0, HEADERS * 16 + 4, bad->length);
    write_stream(W, 0, 15, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 | 4 << 12);
    expect_break(15, bad->text);
}
END_TEST

START_TEST(bad_packets_break)
{
    static const struct {
        uint32_t size;
        const char *text;
        bool idle;
    } bad[] = {{17, "no multiple of 16", false},
               {0, "no multiple of 16", false},
               {65 * 16, "room for 64", false},
               {16, "no phase with REMOTE_SOURCE", true}};
    write_stream(W, 0, 15, OVERLAY_REMOTE_SRC, node_of(1, 15));
    begin(0, 15, 1, FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE);
    if (bad[_i].idle) {
        write_stream(W, 0, 15, OVERLAY_RESET, 1);
        settle(W);
    }
    overlay_packet_arrived(&W->tile[0].overlay, 15, true, true, bad[_i].size, 5);
    if (bad[_i].idle) {
        ck_assert_uint_eq(W->faults, 1);
        ck_assert_ptr_nonnull(strstr(W->fault, bad[_i].text));
    } else {
        expect_break(15, bad[_i].text);
    }
    overlay_packet_arrived(&W->tile[0].overlay, 16, true, true, 16, 5); /* not set up: ignored */
    overlay_packet_arrived(&W->tile[0].overlay, 64, true, true, 16, 5);
    ck_assert_uint_eq(W->faults, 1);
}
END_TEST

START_TEST(more_than_dram_takes_breaks)
{
    aim(8, 8, 0);
    write_stream(W, 0, 8, OVERLAY_REMOTE_DEST, DRAM_X);
    write_stream(W, 0, 8, OVERLAY_REMOTE_DEST_BUF_SIZE, 4);
    write_stream(W, 0, 8, OVERLAY_SCRATCH, 6);
    write_stream(W, 0, 8, OVERLAY_DEST_PHASE_READY_UPDATE, 0);
    begin(0, 8, 2, FROM_SOFTWARE | TO_REMOTE | DEST_NO_FLOW);
    write_stream(W, 0, 8, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, BUFFER | 5 << 17);
    expect_break(8, "more to send than the DRAM buffer");
}
END_TEST

START_TEST(messages_outside_l1_break)
{
    aim(30, 1, 31);
    write_stream(W, 0, 30, OVERLAY_DEST_PHASE_READY_UPDATE, 0);
    begin(0, 30, 1, FROM_SOFTWARE | TO_REMOTE);
    write_stream(W, 0, 30, OVERLAY_BUF_START, 0);
    write_stream(W, 0, 30, OVERLAY_BUF_SIZE, 0x1ffff);
    write_stream(W, 0, 30, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (L1_BYTES / 16 - 1) | 2 << 17);
    expect_break(30, "is not in L1");
}
END_TEST

/* --- Copies, random writes --- */

/* A copy of the plain state goes on like the original. */
START_TEST(copies_go_on_alike)
{
    size_t bytes = OVERLAY_MEMORY_BYTES;
    aim(20, 1, 21);
    write_stream(W, 0, 20, OVERLAY_DEST_PHASE_READY_UPDATE, 0);
    begin(0, 20, 4, FROM_SOFTWARE | TO_REMOTE | DEST_NO_FLOW);
    W->refuses = 8; /* it cannot send yet */
    for (unsigned i = 0; i < 2; i++) {
        write_stream(W, 0, 20, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (BUFFER + 3 * i) | 3 << 17);
    }
    ck_assert(overlay_run(&W->tile[0].overlay, 1));
    W->tile[2].overlay = W->tile[0].overlay;
    memcpy(W->tile[2].memory, W->tile[0].memory, bytes);
    overlay_attach(&W->tile[2].overlay, 64, W->tile[2].memory, W->tile[2].l1, L1_BYTES,
                   &world_board, &W->tile[2]);
    W->refuses = 0;
    settle(W);
    ck_assert_uint_eq(W->packets, 4);
    ck_assert(!memcmp(W->tile[2].memory, W->tile[0].memory, bytes));
    ck_assert_uint_eq(read_stream(W, 2, 20, OVERLAY_RD_PTR), 6);
}
END_TEST

/* Mostly the registers that do something, with values that are often plausible. */
static void write_anything(void)
{
    static const uint16_t busy[] = {0,   1,   2,   3,   7,   10,  17,  18,  19,  20,  22,  23,
                                    24,  25,  26,  29,  31,  32,  33,  34,  36,  224, 225, 226,
                                    264, 265, 266, 267, 268, 269, 270, 271, 267, 267, 3,   3};
    unsigned t = below(W, 2), s = below(W, 8) ? below(W, 12) : below(W, 64);
    unsigned index = below(W, 10) ? busy[below(W, COUNT(busy))] : below(W, 1024);
    uint32_t value = any(W) >> below(W, 32);
    if (index == OVERLAY_MISC_CFG && below(W, 4)) {
        value = 1u << (3 + below(W, 3)) | (below(W, 4) ? 1u << (6 + below(W, 3)) : 0) |
                (any(W) & below(W, 2) * (SRC_CHANGE | DEST_CHANGE | DEST_NO_FLOW | RING));
    }
    if (index == OVERLAY_PHASE_AUTO_CFG_HEADER && below(W, 2)) {
        value = below(W, 4) << 12;
    }
    if (index == OVERLAY_REMOTE_DEST && below(W, 2)) {
        value = node_of(below(W, 2), below(W, 12));
    }
    overlay_write(&W->tile[t].overlay, s, index, below(W, 20) != 0, value);
}

static bool ignore_packet(void *owner, const struct overlay_packet *packet, uint64_t cycle)
{
    struct world_tile *tile = owner;
    volatile uint8_t sum = 0;
    (void)cycle;
    for (uint32_t i = 0; i < packet->size; i++) {
        sum = (uint8_t)(sum + packet->bytes[i]); /* all of it can be read */
    }
    ck_assert_uint_le(packet->size, 16384);
    ck_assert_uint_gt(packet->size, 0);
    return below(tile->world, 8) != 0;
}

START_TEST(random_writes_never_hurt)
{
    struct overlay_board board = world_board;
    board.send = ignore_packet;
    unsigned started = 0;
    for (unsigned t = 0; t < 2; t++) {
        W->tile[t].overlay.board = &board;
        for (uint32_t i = 0; i < L1_BYTES; i++) {
            W->tile[t].l1[i] = (uint8_t)(any(W) & any(W) & any(W));
        }
    }
    W->random += (uint64_t)_i;
    for (unsigned round = 0; round < 20000; round++) {
        struct overlay *overlay = &W->tile[below(W, 2)].overlay;
        unsigned s = below(W, 12);
        write_anything();
        if (below(W, 4) == 0) {
            overlay_packet_arrived(overlay, s, below(W, 2), below(W, 2), 16 * below(W, 8), round);
        }
        if (below(W, 4) == 0) {
            overlay_sent(overlay, s, round);
        }
        if (below(W, 2)) {
            overlay_run(overlay, round);
        }
        started += overlay_register(overlay, s, OVERLAY_WAIT_STATUS) == RUNS;
        for (unsigned index = 256; index < 280; index++) {
            overlay_register(overlay, s, index);
        }
        ck_assert_uint_le(overlay_register(overlay, s, OVERLAY_NUM_MSGS_RECEIVED), 16);
        char text[80];
        overlay_describe_wait(overlay, s, text, sizeof text);
    }
    ck_assert_uint_gt(started, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("overlay");
    TCase *tcase = tcase_create("overlay");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, every_register_has_its_row);
    tcase_add_loop_test(tcase, plain_registers_hold_values, 0, COUNT(rows));
    tcase_add_loop_test(tcase, counters_of_circular_buffers, 0, 8);
    tcase_add_test(tcase, buffer_space);
    tcase_add_loop_test(tcase, header_arrays_begin_empty, 0, 8);
    tcase_add_test(tcase, absent_streams_are_refused);
    tcase_add_test(tcase, offsets_are_a_table);
    tcase_add_test(tcase, phases_count_what_is_cleared);
    tcase_add_test(tcase, full_fifos_of_readings_are_shown);
    tcase_add_loop_test(tcase, next_phase_waits_for_data, 0, 2);
    tcase_add_test(tcase, blobs_done_are_read_in_turn);
    tcase_add_loop_test(tcase, phases_follow_each_other, 0, 3);
    tcase_add_test(tcase, pointer_moves_past_the_blob);
    tcase_add_loop_test(tcase, endless_blobs_are_bounded, 0, 2);
    tcase_add_test(tcase, reload_repeats_a_phase);
    tcase_add_loop_test(tcase, transmitters_wait_for_the_right_phase, 0, 4);
    tcase_add_loop_test(tcase, the_cache_forgets_the_oldest, 0, 2);
    tcase_add_test(tcase, receivers_answer_until_data_come);
    tcase_add_test(tcase, later_phases_need_no_handshake);
    tcase_add_loop_test(tcase, credits_wait_for_the_threshold, 0, 32);
    tcase_add_test(tcase, lent_messages_come_back);
    tcase_add_loop_test(tcase, infinite_phases_end_with_a_flag, 0, 3);
    tcase_add_loop_test(tcase, offsets_move_both_ends, 0, 2);
    tcase_add_loop_test(tcase, undefined_configurations_are_refused, 0, COUNT(refusals));
    tcase_add_loop_test(tcase, undefined_operations_are_refused, 0, COUNT(refusals_in_a_phase));
    tcase_add_loop_test(tcase, bad_blobs_break, 0, COUNT(blob_breaks));
    tcase_add_loop_test(tcase, bad_headers_break, 0, COUNT(header_breaks));
    tcase_add_loop_test(tcase, bad_packets_break, 0, 4);
    tcase_add_test(tcase, more_than_dram_takes_breaks);
    tcase_add_test(tcase, messages_outside_l1_break);
    tcase_add_test(tcase, copies_go_on_alike);
    tcase_add_loop_test(tcase, random_writes_never_hurt, 0, 4);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
