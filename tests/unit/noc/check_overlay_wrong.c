/* Overlay streams one by one: what is refused, what breaks a stream that goes by itself, copies of
 * their state, and random writes. */
#include "unit/noc/overlay_alone.h"

FIXTURE(setup, teardown);

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
                     ANSWER_REFUSED);
    ck_assert_msg(strstr(overlay->rule, refusal->text), "\"%s\" lacks \"%s\"", overlay->rule,
                  refusal->text);
    ck_assert_uint_lt(strlen(overlay->rule), 150);
    ck_assert(!memcmp(before, W->tile[0].memory, bytes)); /* nothing has happened */
    ck_assert_uint_eq(overlay->due, due);
    free(before);
}

TEST_EACH(undefined_configurations_are_refused, COUNT(refusals))
{
    const struct refusal *refusal = &refusals[_i];
    configure(0, refusal->stream, 0);
    write_stream(W, 0, refusal->stream, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
    expect_refusal(refusal);
}

TEST_EACH(undefined_operations_are_refused, COUNT(refusals_in_a_phase))
{
    const struct refusal *refusal = &refusals_in_a_phase[_i];
    begin(0, refusal->stream, 1, FROM_SOFTWARE | TO_SOFTWARE);
    expect_refusal(refusal);
}

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
    {BLOB, 2, "register 0 cannot", {0, 0x00000500}},
    {BLOB, 2, "register 1 cannot", {0, 0x00000501}},
    {BLOB, 2, "register 100 cannot", {0, 100}},
    {BLOB,
     2,
     "at most one",
     {1 << 12, OVERLAY_MISC_CFG | (uint32_t)(FROM_SOFTWARE | TO_SOFTWARE | TO_REMOTE) << 8}},
};

TEST_EACH(bad_blobs_break, COUNT(blob_breaks))
{
    const struct blob_break *bad = &blob_breaks[_i];
    if (bad->at == BLOB) {
        put_blob(BLOB, bad->word, bad->words);
    }
    load_from(15, 0, bad->at, bad->words, AUTO_ADVANCE);
    expect_break(15, bad->text);
}

/* Message headers of one pushed message of 4 words. */
static const struct header_break {
    uint32_t place, length, format;
    const char *text;
} header_breaks[] = {
    {HEADERS, 0, FORMAT, "says 0 words"},  {HEADERS, 0x8000, FORMAT, "says 32768 words"},
    {HEADERS, 65, FORMAT, "does not fit"}, {HEADERS, 5, FORMAT, "but 4 came"},
    {HEADERS, 4, 0, "MSG_HEADER_FORMAT"},  {0x1fffe, 4, FORMAT, "not in L1"},
};

TEST_EACH(bad_headers_break, COUNT(header_breaks))
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

TEST_EACH(bad_packets_break, 4)
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

TEST(more_than_dram_takes_breaks)
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

TEST(messages_outside_l1_break)
{
    aim(30, 1, 31);
    write_stream(W, 0, 30, OVERLAY_DEST_PHASE_READY_UPDATE, 0);
    begin(0, 30, 1, FROM_SOFTWARE | TO_REMOTE);
    write_stream(W, 0, 30, OVERLAY_BUF_START, 0);
    write_stream(W, 0, 30, OVERLAY_BUF_SIZE, 0x1ffff);
    write_stream(W, 0, 30, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, (L1_BYTES / 16 - 1) | 2 << 17);
    expect_break(30, "is not in L1");
}

/* --- Copies, random writes --- */

/* A copy of the plain state goes on like the original. */
TEST(copies_go_on_alike)
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

TEST_EACH(random_writes_never_hurt, 4)
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
