/*
 * Messages through overlay streams, byte for byte: rows say which streams, buffers and modes;
 * software pushes random messages and takes them at the other end, while packets arrive at random
 * times and the NIUs refuse some.
 */
#include "unit/noc/overlay_world.h"

enum {
    MOST_MESSAGES = 36,
    MOST_WORDS = 3200,
    SENDER_BUFFER = 0x1000, /* addresses in L1, in words */
    SENDER_HEADERS = 0x0100,
    BUFFER = 0x2000,
    HEADERS = 0x0200,
    LENGTH_BITS = 16,
};

static struct world world;
#define W (&world)

struct message {
    uint32_t words;
    uint8_t *bytes;
};

static struct message message[MOST_MESSAGES];
static unsigned messages;
static unsigned length_offset; /* of the length in a header, in bits */

static void make_messages(unsigned count, uint32_t most_words)
{
    length_offset = 8 * below(W, 15);
    messages = count;
    for (unsigned i = 0; i < count; i++) {
        struct message *m = &message[i];
        m->words = 1 + below(W, below(W, 4) ? most_words : 1);
        m->bytes = malloc(m->words * 16);
        ck_assert_ptr_nonnull(m->bytes);
        for (uint32_t b = 0; b < m->words * 16; b++) {
            m->bytes[b] = (uint8_t)any(W);
        }
        m->bytes[length_offset / 8] = (uint8_t)m->words;
        m->bytes[length_offset / 8 + 1] = (uint8_t)(m->words >> 8);
    }
    for (unsigned t = 0; t < TILES; t++) {
        write_stream(W, t, 0, OVERLAY_MSG_HEADER_FORMAT,
                     (length_offset + below(W, 8)) | LENGTH_BITS << 7); /* rounded down */
    }
}

static void teardown(void)
{
    for (unsigned i = 0; i < messages; i++) {
        free(message[i].bytes);
    }
    messages = 0;
    close_world(W);
}

FIXTURE(NULL, teardown);

/* --- Software at a sender --- */

enum push { PUSH_HEADERS, PUSH_MANY_HEADERS, PUSH_MESSAGE, PUSH_ANYWHERE };

struct sender {
    unsigned tile, stream;
    enum push push;
    unsigned first, step, next; /* sends message first, first + step... */
    uint32_t buffer, headers, size;
};

/* One that sends all messages from a buffer. */
static struct sender sender_of(unsigned tile, unsigned stream, enum push push, uint32_t buffer,
                               uint32_t size)
{
    return (struct sender){
        .tile = tile, .stream = stream, .push = push, .step = 1, .buffer = buffer, .size = size};
}

static void ring_write(struct world *w, unsigned t, uint32_t start, uint32_t size, uint32_t offset,
                       const struct message *m)
{
    for (uint32_t i = 0; i < m->words; i++) {
        memcpy(w->tile[t].l1 + (start + (offset + i) % size) * 16, m->bytes + i * 16, 16);
    }
}

static bool push_by_headers(struct sender *from, unsigned most)
{
    uint32_t room = read_stream(W, from->tile, from->stream, OVERLAY_BUF_SPACE_AVAILABLE);
    uint32_t offset = read_stream(W, from->tile, from->stream, OVERLAY_WR_PTR) & 0x1ffff;
    uint32_t place = read_stream(W, from->tile, from->stream, OVERLAY_MSG_INFO_WR_PTR);
    uint32_t words = 0, count = 0;
    while (from->next < messages && count < most && message[from->next].words + words <= room) {
        const struct message *m = &message[from->next];
        ring_write(W, from->tile, from->buffer, from->size, offset + words, m);
        memcpy(W->tile[from->tile].l1 + (place + count) * 16, m->bytes, 16);
        words += m->words;
        count++;
        from->next += from->step;
    }
    if (count) {
        write_stream(W, from->tile, from->stream, OVERLAY_NUM_MSGS_RECEIVED_INC,
                     count | words << 12);
    }
    return count > 0;
}

static bool push_directly(struct sender *from)
{
    const struct message *m = &message[from->next];
    uint32_t room = read_stream(W, from->tile, from->stream, OVERLAY_BUF_SPACE_AVAILABLE);
    uint32_t offset = read_stream(W, from->tile, from->stream, OVERLAY_WR_PTR) & 0x1ffff;
    if (m->words > room || m->words >= 1 << 14 ||
        !read_stream(W, from->tile, from->stream, OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG)) {
        return false;
    }
    ring_write(W, from->tile, from->buffer, from->size, offset, m);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word;
        memcpy(&word, m->bytes + 4 * i, 4);
        write_stream(W, from->tile, from->stream, OVERLAY_RECEIVER_ENDPOINT_SET_MSG_HEADER + i,
                     word);
    }
    write_stream(W, from->tile, from->stream, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO,
                 (from->buffer + offset) | m->words << 17);
    from->next += from->step;
    return true;
}

/* Pushes what it can now. */
static bool push(struct sender *from)
{
    if (from->next >= messages ||
        read_stream(W, from->tile, from->stream, OVERLAY_WAIT_STATUS) != RUNS) {
        return false;
    }
    switch (from->push) {
    case PUSH_HEADERS:
        return push_by_headers(from, 1);
    case PUSH_MANY_HEADERS:
        return push_by_headers(from, 5);
    default:
        return push_directly(from);
    }
}

/* --- Software at a receiver --- */

enum take { TAKE_ONE, TAKE_PAIRS, TAKE_LATE, TAKE_MANY };

struct receiver {
    unsigned tile, stream;
    enum take take;
    unsigned next, held; /* messages seen; info was cleared, data were not */
    uint32_t buffer, size;
    unsigned order[MOST_MESSAGES]; /* of messages that are expected; 0 based */
};

static void compare(const struct receiver *to, unsigned i, uint32_t address, uint32_t words)
{
    const struct message *m = &message[to->order[i]];
    ck_assert_uint_eq(words, m->words);
    for (uint32_t j = 0; j < words; j++) {
        uint32_t place = to->buffer + (address - to->buffer + j) % to->size;
        ck_assert_msg(!memcmp(W->tile[to->tile].l1 + place * 16, m->bytes + j * 16, 16),
                      "message %u, word %u of %u at tile %u", i, j, words, to->tile);
    }
}

/* Looks at all messages that are there, and at what the FIFO shows of them. */
static void look(struct receiver *to, unsigned count)
{
    bool has_header = to->stream == 4 || to->stream == 5;
    unsigned stride = has_header ? 6 : 2;
    for (unsigned i = 0; i < count; i++) {
        unsigned base = OVERLAY_RECEIVER_MSG_INFO + i * stride;
        uint32_t address = read_stream(W, to->tile, to->stream, base);
        uint32_t words = read_stream(W, to->tile, to->stream, base + 1);
        compare(to, to->next + i, address, words);
        for (unsigned j = 0; j < 4 && has_header; j++) {
            uint32_t header = read_stream(W, to->tile, to->stream, base + 2 + j);
            ck_assert(!memcmp(&header, message[to->order[to->next + i]].bytes + 4 * j, 4));
        }
    }
    if (count) {
        ck_assert_uint_eq(read_stream(W, to->tile, to->stream, OVERLAY_NEXT_RECEIVED_MSG_ADDR),
                          read_stream(W, to->tile, to->stream, OVERLAY_RECEIVER_MSG_INFO));
        ck_assert_uint_eq(read_stream(W, to->tile, to->stream, OVERLAY_NEXT_RECEIVED_MSG_SIZE),
                          message[to->order[to->next]].words);
    }
}

static bool take(struct receiver *to)
{
    unsigned t = to->tile, s = to->stream;
    unsigned count = read_stream(W, t, s, OVERLAY_NUM_MSGS_RECEIVED);
    if (read_stream(W, t, s, OVERLAY_MULTI_MSG_CLEAR)) {
        return true; /* still at it */
    }
    look(to, count);
    if (to->held && (to->take != TAKE_LATE || !count || below(W, 2))) {
        write_stream(W, t, s, OVERLAY_MSG_DATA_CLEAR, 1);
        to->held--;
        return true;
    }
    if (!count || read_stream(W, t, s, OVERLAY_WAIT_STATUS) != RUNS) {
        return false;
    }
    if (to->take == TAKE_MANY) {
        count = 1 + below(W, count);
        write_stream(W, t, s, OVERLAY_MULTI_MSG_CLEAR, count);
    } else {
        count = to->take == TAKE_PAIRS && count > 1 ? 2 : 1;
        if (!(read_stream(W, t, s, OVERLAY_DEBUG_STATUS_2) & 1)) {
            return false; /* the L1 read complete FIFO is full */
        }
        write_stream(W, t, s, OVERLAY_MSG_INFO_CLEAR, count);
        to->held++;
    }
    to->next += count;
    return true;
}

/* Everybody does what they can until nothing happens any more. */
static void run_all(struct sender *senders, unsigned sends, struct receiver *receivers,
                    unsigned receives)
{
    unsigned quiet = 0;
    for (unsigned steps = 0; quiet < 24 && steps < 200000; steps++) {
        bool busy = world_step(W);
        for (unsigned i = 0; i < sends && below(W, 3); i++) {
            busy |= push(&senders[i]);
        }
        for (unsigned i = 0; i < receives && below(W, 3); i++) {
            busy |= take(&receivers[i]);
        }
        quiet = busy ? 0 : quiet + 1;
        ck_assert_msg(!W->faults, "%s", W->fault);
    }
}

static void check_all_came(const struct receiver *to, unsigned count)
{
    char text[200] = "idle";
    overlay_describe_wait(&W->tile[to->tile].overlay, to->stream, text, sizeof text);
    ck_assert_msg(to->next == count && !to->held, "%u of %u messages came: %s", to->next, count,
                  text);
}

static void check_idle(unsigned t, unsigned s)
{
    char text[200] = "";
    overlay_describe_wait(&W->tile[t].overlay, s, text, sizeof text);
    ck_assert_msg(read_stream(W, t, s, OVERLAY_WAIT_STATUS) == IDLE, "%s", text);
    ck_assert_uint_eq(read_stream(W, t, s, OVERLAY_BUF_SPACE_AVAILABLE),
                      read_stream(W, t, s, OVERLAY_BUF_SIZE));
    ck_assert_uint_eq(read_stream(W, t, s, OVERLAY_DEBUG_STATUS_9), 0);
    ck_assert_uint_eq(read_stream(W, t, s, OVERLAY_PHASE_AUTO_CFG_HEADER) & 0xffffff, 0);
}

/* --- Configurations --- */

static void buffers(unsigned t, unsigned s, uint32_t start, uint32_t size, uint32_t headers)
{
    write_stream(W, t, s, OVERLAY_BUF_START, start);
    write_stream(W, t, s, OVERLAY_BUF_SIZE, size);
    write_stream(W, t, s, OVERLAY_MSG_INFO_PTR, headers);
    write_stream(W, t, s, OVERLAY_MSG_INFO_WR_PTR, headers);
}

static void destination(unsigned t, unsigned s, uint32_t node, uint32_t start, uint32_t size,
                        uint32_t headers)
{
    write_stream(W, t, s, OVERLAY_REMOTE_DEST, node);
    write_stream(W, t, s, OVERLAY_REMOTE_DEST_BUF_START, start);
    write_stream(W, t, s, OVERLAY_REMOTE_DEST_BUF_SIZE, size);
    write_stream(W, t, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, headers);
    write_stream(W, t, s, OVERLAY_REMOTE_DEST_TRAFFIC, 5 << 4 | 3);
}

static void source(unsigned t, unsigned s, unsigned from, unsigned stream, unsigned index,
                   uint32_t phase)
{
    write_stream(W, t, s, OVERLAY_REMOTE_SRC, node_of(from, stream) | index << 18);
    write_stream(W, t, s, OVERLAY_REMOTE_SRC_PHASE, phase);
}

static void start(unsigned t, unsigned s, unsigned count, uint32_t phase, uint32_t misc)
{
    write_stream(W, t, s, OVERLAY_CURR_PHASE, phase);
    write_stream(W, t, s, OVERLAY_PHASE_AUTO_CFG_HEADER, count << 12);
    write_stream(W, t, s, OVERLAY_MISC_CFG, misc);
    write_stream(W, t, s, OVERLAY_ONETIME_MISC_CFG, 3 << 2);
    write_stream(W, t, s, OVERLAY_PHASE_ADVANCE, 1);
}

static void expect_in_order(struct receiver *to)
{
    for (unsigned i = 0; i < MOST_MESSAGES; i++) {
        to->order[i] = i;
    }
}

/* --- One tile: software to software, software to nowhere --- */

static const struct local_row {
    unsigned stream;
    enum push push;
    enum take take;
    uint32_t size; /* of the buffer, in words */
} local_rows[] = {
    {0, PUSH_HEADERS, TAKE_ONE, 64},       {3, PUSH_MANY_HEADERS, TAKE_PAIRS, 200},
    {4, PUSH_HEADERS, TAKE_PAIRS, 77},     {5, PUSH_MESSAGE, TAKE_LATE, 90},
    {6, PUSH_HEADERS, TAKE_LATE, 61},      {8, PUSH_MANY_HEADERS, TAKE_MANY, 128},
    {11, PUSH_MESSAGE, TAKE_MANY, 64},     {12, PUSH_HEADERS, TAKE_ONE, 33},
    {31, PUSH_MESSAGE, TAKE_ONE, 47},      {63, PUSH_MANY_HEADERS, TAKE_LATE, 150},
    {4, PUSH_MANY_HEADERS, TAKE_MANY, 99}, {63, PUSH_MESSAGE, TAKE_PAIRS, 100},
};

TEST_EACH(software_to_software, COUNT(local_rows))
{
    const struct local_row *row = &local_rows[_i];
    open_world(W, 64, (uint64_t)_i + 100);
    make_messages(MOST_MESSAGES, 30);
    struct sender from = sender_of(1, row->stream, row->push, BUFFER, row->size);
    struct receiver to = {
        .tile = 1, .stream = row->stream, .take = row->take, .buffer = BUFFER, .size = row->size};
    expect_in_order(&to);
    buffers(1, row->stream, BUFFER, row->size, HEADERS);
    start(1, row->stream, MOST_MESSAGES, 7, FROM_SOFTWARE | TO_SOFTWARE | SRC_CHANGE | DEST_CHANGE);
    run_all(&from, 1, &to, 1);
    check_all_came(&to, MOST_MESSAGES);
    check_idle(1, row->stream);
    ck_assert_uint_eq(W->packets + W->registers, 0);
    ck_assert_uint_eq(read_stream(W, 1, 0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE), 0x10000 | row->stream);
}

TEST_EACH(software_to_nowhere, COUNT(local_rows))
{
    const struct local_row *row = &local_rows[_i];
    open_world(W, 64, (uint64_t)_i + 200);
    make_messages(MOST_MESSAGES, 30);
    struct sender from = sender_of(2, row->stream, row->push, BUFFER, row->size);
    buffers(2, row->stream, BUFFER, row->size, HEADERS);
    start(2, row->stream, MOST_MESSAGES, 7, FROM_SOFTWARE | SRC_CHANGE);
    run_all(&from, 1, NULL, 0);
    ck_assert_uint_eq(from.next, MOST_MESSAGES);
    check_idle(2, row->stream);
    ck_assert_uint_eq(W->packets + W->registers, 0);
}

/* --- Between tiles --- */

static const struct pair_row {
    const char *name;
    unsigned sender, relay, receiver; /* streams; relay NOBODY: none */
    unsigned receivers;
    enum push push;
    enum take take;
    uint32_t sender_size, relay_size, size, most_words;
    unsigned threshold, refuses;
    uint32_t flags, receiver_flags;
} pairs[] = {
    {"plain", 20, NOBODY, 21, 1, PUSH_HEADERS, TAKE_ONE, 64, 0, 64, 30, 0, 0, 0, 0},
    {"refused", 20, NOBODY, 21, 1, PUSH_MESSAGE, TAKE_LATE, 64, 0, 64, 30, 0, 5, 0, 0},
    {"deep", 8, NOBODY, 4, 1, PUSH_MANY_HEADERS, TAKE_PAIRS, 200, 0, 150, 30, 1, 2, 0, 0},
    {"thresholds", 9, NOBODY, 5, 1, PUSH_MANY_HEADERS, TAKE_MANY, 99, 0, 80, 30, 7, 2, 0, 0},
    {"high threshold", 10, NOBODY, 3, 1, PUSH_MESSAGE, TAKE_ONE, 99, 0, 80, 30, 15, 2, 0, 0},
    {"eighth", 63, NOBODY, 62, 1, PUSH_MESSAGE, TAKE_PAIRS, 40, 0, 31, 30, 3, 2, 0, 0},
    {"no flow control", 30, NOBODY, 31, 1, PUSH_HEADERS, TAKE_ONE, 64, 0, 1800, 30, 0, 1,
     DEST_NO_FLOW, NO_FLOW},
    {"both NoCs", 40, NOBODY, 41, 1, PUSH_HEADERS, TAKE_LATE, 64, 0, 64, 30, 0, 1, DATA_NOC,
     UPDATE_NOC},
    {"ring of headers", 22, NOBODY, 23, 1, PUSH_HEADERS, TAKE_ONE, 64, 0, 64, 30, 0, 1, DEST_RING,
     RING},
    {"packets", 13, NOBODY, 14, 1, PUSH_HEADERS, TAKE_ONE, 4000, 0, 3300, 3200, 0, 1, 0, 0},
    {"relay", 20, 33, 21, 1, PUSH_HEADERS, TAKE_ONE, 64, 64, 64, 30, 0, 0, 0, 0},
    {"small relay", 20, 33, 21, 1, PUSH_HEADERS, TAKE_ONE, 64, 7, 64, 30, 0, 2, 0, 0},
    {"tiny relay", 9, 10, 11, 1, PUSH_MESSAGE, TAKE_MANY, 64, 1, 64, 30, 2, 2, 0, 0},
    {"relay of large", 8, 9, 11, 1, PUSH_HEADERS, TAKE_ONE, 4000, 700, 3300, 3200, 1, 1, 0, 0},
    {"multicast to 1", 0, NOBODY, 50, 1, PUSH_HEADERS, TAKE_ONE, 64, 0, 64, 30, 0, 1, 0, 0},
    {"multicast to 2", 1, NOBODY, 50, 2, PUSH_HEADERS, TAKE_LATE, 64, 0, 64, 30, 1, 1, 0, 0},
    {"multicast to 3", 2, NOBODY, 5, 3, PUSH_MESSAGE, TAKE_PAIRS, 90, 0, 64, 30, 2, 2, 0, 0},
    {"multicast of large", 3, NOBODY, 4, 3, PUSH_HEADERS, TAKE_ONE, 4000, 0, 3300, 3200, 0, 1, 0,
     0},
    {"multicast, ring", 3, NOBODY, 4, 3, PUSH_HEADERS, TAKE_ONE, 64, 0, 64, 30, 0, 1, DEST_RING,
     RING},
};

static void start_receiver(const struct pair_row *row, unsigned t, unsigned from, unsigned stream,
                           unsigned index, unsigned count)
{
    uint32_t multicast = row->sender < 4 ? SRC_IS_MCAST : 0;
    buffers(t, row->receiver, BUFFER, row->size, HEADERS);
    source(t, row->receiver, from, stream, index, 100);
    write_stream(W, t, row->receiver, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD,
                 row->threshold);
    if (row->receiver_flags & RING) {
        write_stream(W, t, row->receiver, OVERLAY_MSG_INFO_BUF_SIZE, 2); /* 8 headers */
        write_stream(W, t, row->receiver, OVERLAY_MSG_INFO_WR_PTR, 0);
    }
    start(t, row->receiver, count, 55,
          FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE | DEST_CHANGE | multicast | row->receiver_flags);
}

static void start_relay(const struct pair_row *row, unsigned t, unsigned to, unsigned count)
{
    buffers(t, row->relay, BUFFER, row->relay_size, HEADERS);
    source(t, row->relay, 0, row->sender, 0, 100);
    destination(t, row->relay, node_of(to, row->receiver), BUFFER, row->size, HEADERS);
    start(t, row->relay, count, 100, FROM_REMOTE | TO_REMOTE | SRC_CHANGE | DEST_CHANGE);
}

static void start_sender(const struct pair_row *row, unsigned to, unsigned stream, uint32_t size,
                         unsigned count)
{
    buffers(0, row->sender, SENDER_BUFFER, row->sender_size, SENDER_HEADERS);
    destination(0, row->sender, node_of(to, stream), BUFFER, size, HEADERS);
    if (row->flags & DEST_RING) {
        write_stream(W, 0, row->sender, OVERLAY_REMOTE_DEST_MSG_INFO_BUF_SIZE, 2);
    }
    if (row->sender < 4) {
        write_stream(W, 0, row->sender, OVERLAY_MCAST_DEST,
                     (to + row->receivers) | TILE_Y << 6 | 1 << 12 | 1 << 13 | 1 << 17);
        write_stream(W, 0, row->sender, OVERLAY_MCAST_DEST_NUM, row->receivers);
    }
    start(0, row->sender, count, 100,
          FROM_SOFTWARE | TO_REMOTE | SRC_CHANGE | DEST_CHANGE | row->flags);
}

/* `order`: who starts first; packets in between or not. */
static void send_between(const struct pair_row *row, unsigned order, uint64_t seed)
{
    bool relays = row->relay != NOBODY;
    unsigned first = relays ? 2 : 1;
    open_world(W, 64, seed);
    W->refuses = row->refuses;
    unsigned count = row->most_words > 1000 ? 12 : MOST_MESSAGES;
    make_messages(count, row->most_words);
    struct sender from = sender_of(0, row->sender, row->push, SENDER_BUFFER, row->sender_size);
    struct receiver to[3];
    for (unsigned part = 0; part < 2; part++) {
        if (part == order % 2) {
            start_sender(row, 1, relays ? row->relay : row->receiver,
                         relays ? row->relay_size : row->size, count);
        } else {
            for (unsigned i = 0; i < row->receivers; i++) {
                to[i] = (struct receiver){.tile = first + i,
                                          .stream = row->receiver,
                                          .take = row->take,
                                          .buffer = BUFFER,
                                          .size = row->size};
                expect_in_order(&to[i]);
                start_receiver(row, first + i, relays ? 1 : 0, relays ? row->relay : row->sender, i,
                               count);
            }
            if (relays) {
                start_relay(row, 1, 2, count);
            }
        }
        if (order >= 2) {
            settle(W);
        }
    }
    run_all(&from, 1, to, row->receivers);
    for (unsigned i = 0; i < row->receivers; i++) {
        check_all_came(&to[i], count);
        check_idle(first + i, row->receiver);
    }
    check_idle(0, row->sender);
    if (relays) {
        check_idle(1, row->relay);
    }
    ck_assert_uint_eq(read_stream(W, 0, row->sender, OVERLAY_CURR_PHASE), 100);
    ck_assert_uint_le(W->largest, 16384);
    ck_assert(row->sender >= 4 || row->push == PUSH_MESSAGE || W->linked > 0);
    ck_assert_uint_ge(W->packets, count);
    if (row->flags & DEST_NO_FLOW) {
        ck_assert_uint_le(W->registers, 3); /* handshakes only */
    }
}

TEST_EACH(between_tiles, COUNT(pairs))
{
    for (unsigned order = 0; order < 4; order++) {
        send_between(&pairs[_i], order, (uint64_t)_i * 4 + order + 300);
        if (order < 3) {
            teardown();
        }
    }
}

/* --- To DRAM --- */

TEST_EACH(software_to_dram, 8)
{
    unsigned s = (unsigned[]){0, 3, 8, 11}[_i / 2];
    bool asks = _i % 2; /* NEXT_PHASE_DEST_CHANGE of the phase before */
    uint32_t base = 0x123, total = 0;
    open_world(W, 64, (uint64_t)_i + 500);
    make_messages(MOST_MESSAGES, 50);
    for (unsigned i = 0; i < messages; i++) {
        total += message[i].words;
    }
    struct sender from = sender_of(3, s, _i & 1 ? PUSH_HEADERS : PUSH_MESSAGE, BUFFER, 70);
    if (!asks) { /* a phase before that promises the same destination */
        write_stream(W, 3, s, OVERLAY_MISC_CFG, 0);
        write_stream(W, 3, s, OVERLAY_PHASE_ADVANCE, 1);
        settle(W);
    }
    buffers(3, s, BUFFER, 70, HEADERS);
    destination(3, s, DRAM_X | 5 << 6, base, total, 0);
    write_stream(W, 3, s, OVERLAY_SCRATCH, 1 << 0 | 1 << 2);
    start(3, s, messages, 77, FROM_SOFTWARE | TO_REMOTE | SRC_CHANGE | DEST_CHANGE | DEST_NO_FLOW);
    if (asks) {
        settle(W);
        ck_assert_uint_eq(read_stream(W, 3, s, OVERLAY_DEBUG_STATUS_8) >> 4 & 7, 4);
        ck_assert_uint_eq(W->registers, 0); /* DRAM is not asked */
        write_stream(W, 3, s, OVERLAY_DEST_PHASE_READY_UPDATE, 77 << 6 | 1 << 27);
    }
    run_all(&from, 1, NULL, 0);
    check_idle(3, s);
    for (unsigned i = 0, at = base; i < messages; at += message[i++].words) {
        ck_assert(!memcmp(W->dram + at * 16, message[i].bytes, message[i].words * 16));
    }
    ck_assert_uint_eq(read_stream(W, 3, s, OVERLAY_REMOTE_DEST_WR_PTR), total);
}

/* --- Gather --- */

static const struct gather_row {
    unsigned output;
    unsigned inputs, first; /* streams first to first + inputs - 1 */
    unsigned group, clear, by_stream, in_order;
    enum { TO_SW, TO_TILE, TO_NOWHERE } to;
} gathers[] = {
    {0, 4, 16, 1, 1, 0, 1, TO_SW},   {1, 4, 20, 2, 1, 0, 1, TO_SW},
    {4, 4, 20, 4, 2, 0, 1, TO_SW},   {5, 8, 40, 4, 3, 1, 1, TO_SW},
    {2, 4, 16, 2, 2, 1, 1, TO_TILE}, {3, 6, 30, 1, 2, 0, 1, TO_TILE},
    {4, 8, 8, 4, 1, 0, 1, TO_TILE},  {0, 4, 60, 2, 5, 1, 1, TO_NOWHERE},
    {4, 3, 17, 1, 1, 0, 0, TO_SW},   {1, 6, 24, 2, 2, 1, 0, TO_TILE},
    {5, 12, 48, 4, 1, 0, 0, TO_SW},
};

static unsigned gathered_next[16]; /* message of each input */

/* Message numbers in the order of the page's ReceiveFromGroup, all groups in turn. Input i has the
 * messages i, i + inputs... */
static void gather_order(const struct gather_row *row, struct receiver *to)
{
    unsigned taken[64] = {0}, count = 0;
    while (count < messages) {
        for (unsigned g = 0; g < row->inputs && count < messages; g += row->group) {
            for (unsigned step = 0; step < row->group * row->clear && count < messages; step++) {
                unsigned i = g + (row->by_stream ? step / row->clear : step % row->group);
                to->order[count++] = i + row->inputs * taken[i]++;
            }
        }
    }
}

static void start_inputs(const struct gather_row *row, struct sender *from, unsigned each)
{
    for (unsigned i = 0; i < row->inputs; i++) {
        unsigned s = row->first + i;
        from[i] = (struct sender){.tile = 0,
                                  .stream = s,
                                  .push = PUSH_HEADERS,
                                  .next = i,
                                  .step = row->inputs,
                                  .size = 40,
                                  .buffer = SENDER_BUFFER + 64 * i};
        buffers(0, s, from[i].buffer, 40, SENDER_HEADERS + 64 * i);
        write_stream(W, 0, s, OVERLAY_REMOTE_DEST, row->clear | row->output << 12);
        start(0, s, each, 3, FROM_SOFTWARE | TO_GATHERER | SRC_CHANGE | DEST_CHANGE);
    }
}

static void start_output(const struct gather_row *row)
{
    uint64_t mask = ((UINT64_C(1) << row->inputs) - 1) << row->first;
    unsigned s = row->output;
    write_stream(W, 0, s, OVERLAY_LOCAL_SRC_MASK, mask & 0xffffff);
    write_stream(W, 0, s, OVERLAY_LOCAL_SRC_MASK + 1, mask >> 24 & 0xffffff);
    write_stream(W, 0, s, OVERLAY_LOCAL_SRC_MASK_HI, (uint32_t)(mask >> 48));
    write_stream(W, 0, s, OVERLAY_GATHER,
                 row->clear | row->by_stream << 12 | row->group << 13 | row->in_order << 16);
    uint32_t misc = GATHERS | SRC_CHANGE | DEST_CHANGE;
    misc |= row->to == TO_SW ? TO_SOFTWARE : row->to == TO_TILE ? TO_REMOTE : 0;
    if (row->to == TO_TILE) {
        destination(0, s, node_of(1, 21), BUFFER, 64, HEADERS);
    }
    start(0, s, messages, 3, misc);
}

/* Which message this is: the next of one of the inputs. */
static void recognise(const struct gather_row *row, struct receiver *to, unsigned t,
                      uint32_t address, uint32_t words)
{
    unsigned found = NOBODY;
    for (unsigned i = 0; i < row->inputs; i++) {
        if (gathered_next[i] >= messages) {
            continue;
        }
        const struct message *m = &message[gathered_next[i]];
        bool same = m->words == words;
        for (uint32_t j = 0; j < words && same; j++) {
            uint32_t place = to->buffer + (address - to->buffer + j) % to->size;
            same = !memcmp(W->tile[t].l1 + place * 16, m->bytes + j * 16, 16);
        }
        found = same ? i : found;
    }
    ck_assert_uint_ne(found, NOBODY);
    ck_assert(!row->in_order || gathered_next[found] == to->order[to->next]);
    gathered_next[found] += row->inputs;
    to->next++;
}

static bool take_gathered(const struct gather_row *row, struct receiver *to)
{
    unsigned t = row->to == TO_TILE, s = t ? 21 : row->output;
    if (row->to == TO_NOWHERE || !read_stream(W, t, s, OVERLAY_NUM_MSGS_RECEIVED)) {
        return false;
    }
    uint32_t address = read_stream(W, t, s, OVERLAY_NEXT_RECEIVED_MSG_ADDR);
    if (!t) { /* a message lies in the buffer of its input */
        to->buffer = SENDER_BUFFER + (address - SENDER_BUFFER) / 64 * 64;
        to->size = 40;
    }
    recognise(row, to, t, address, read_stream(W, t, s, OVERLAY_NEXT_RECEIVED_MSG_SIZE));
    write_stream(W, t, s, OVERLAY_MSG_INFO_CLEAR, 1);
    write_stream(W, t, s, OVERLAY_MSG_DATA_CLEAR, 1);
    return true;
}

TEST_EACH(gathered, COUNT(gathers))
{
    const struct gather_row *row = &gathers[_i];
    unsigned unit = row->inputs * row->clear, each = MOST_MESSAGES / unit * row->clear;
    struct sender from[16];
    struct receiver to = {.tile = 1, .stream = 21, .buffer = BUFFER, .size = 64};
    open_world(W, 64, (uint64_t)_i + 600);
    W->refuses = (unsigned)_i % 3;
    make_messages(each * row->inputs, row->clear > 2 ? 8 : 13);
    gather_order(row, &to);
    start_output(row);
    settle(W);
    if (row->to == TO_TILE) {
        buffers(1, 21, BUFFER, 64, HEADERS);
        source(1, 21, 0, row->output, 0, 3);
        start(1, 21, messages, 3, FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE | DEST_CHANGE);
    }
    start_inputs(row, from, each);
    for (unsigned i = 0; i < row->inputs; i++) {
        gathered_next[i] = i;
    }
    for (unsigned quiet = 0, steps = 0; quiet < 30 && steps < 100000; steps++) {
        bool busy = world_step(W);
        for (unsigned i = 0; i < row->inputs; i++) {
            busy |= below(W, 4) == 0 && push(&from[i]);
        }
        busy |= below(W, 2) && take_gathered(row, &to);
        quiet = busy ? 0 : quiet + 1;
        ck_assert_msg(!W->faults, "%s", W->fault);
    }
    if (row->to != TO_NOWHERE) {
        check_all_came(&to, messages);
    }
    for (unsigned i = 0; i < row->inputs; i++) {
        ck_assert_uint_ge(from[i].next, messages);
        check_idle(0, row->first + i);
    }
    ck_assert_uint_eq(read_stream(W, 0, row->output, OVERLAY_WAIT_STATUS), IDLE);
}

/* --- Ethernet tiles --- */

TEST_EACH(over_a_link, 4)
{
    unsigned from_stream = (unsigned[]){0, 3, 8, 11}[_i];
    uint32_t link = 63 | 63 << 6;
    open_world(W, 32, (uint64_t)_i + 700);
    make_messages(MOST_MESSAGES, 30);
    struct sender from = sender_of(2, from_stream, PUSH_MANY_HEADERS, SENDER_BUFFER, 100);
    struct receiver to = {.tile = 3, .stream = 2, .take = TAKE_LATE, .buffer = BUFFER, .size = 64};
    expect_in_order(&to);
    buffers(2, from_stream, SENDER_BUFFER, 100, SENDER_HEADERS);
    destination(2, from_stream, link | 2 << 12, BUFFER, 64, HEADERS);
    start(2, from_stream, messages, 9, FROM_SOFTWARE | TO_REMOTE | SRC_CHANGE | DEST_CHANGE);
    buffers(3, 2, BUFFER, 64, HEADERS);
    write_stream(W, 3, 2, OVERLAY_REMOTE_SRC, link | from_stream << 12);
    write_stream(W, 3, 2, OVERLAY_REMOTE_SRC_PHASE, 9);
    start(3, 2, messages, 9, FROM_REMOTE | TO_SOFTWARE | SRC_CHANGE | DEST_CHANGE);
    run_all(&from, 1, &to, 1);
    check_all_came(&to, messages);
    check_idle(2, from_stream);
    check_idle(3, 2);
}
