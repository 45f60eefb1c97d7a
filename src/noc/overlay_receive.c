/*
 * The receiving side of a stream: messages that software pushes (SPEC: ReceiveFromSoftware), that
 * packets bring (SPEC: TransferBetweenTiles), headers that are loaded into the metadata FIFO, and
 * messages to the source.
 */
#include <string.h>

#include "noc/overlay_stream.h"

enum {
    ALWAYS_THRESHOLD = 0,
    /* MSG_INFO_WRAP_RD_WR_PTR: two pointers of 8 bits, each with a bit that toggles */
    RING_POINTER = 0xff,
    RING_TOGGLE = 0x100,
    RING_WRITE_SHIFT = 9,
    RING_MASK = 0x1ff,
};

/* --- The header array --- */

static bool is_ring(const struct overlay *overlay, unsigned s)
{
    return get_MSG_INFO_BUF_FLOW_CTRL(overlay_get(overlay, s, OVERLAY_MISC_CFG));
}

static uint32_t ring_size(const struct overlay *overlay, unsigned s)
{
    return UINT32_C(2) << overlay_get(overlay, s, OVERLAY_MSG_INFO_BUF_SIZE);
}

static uint32_t ring_on(uint32_t pointer, uint32_t size)
{
    uint32_t to = (pointer & RING_POINTER) + 1;
    return to >= size ? (pointer & RING_TOGGLE) ^ RING_TOGGLE : (pointer & RING_TOGGLE) | to;
}

uint32_t overlay_headers(const struct overlay *overlay, unsigned s)
{
    uint32_t pointers = overlay_get(overlay, s, OVERLAY_MSG_INFO_WR_PTR);
    if (!is_ring(overlay, s)) {
        return (pointers - overlay_get(overlay, s, OVERLAY_MSG_INFO_PTR)) & OVERLAY_POINTER;
    }
    uint32_t size = ring_size(overlay, s);
    uint32_t read = pointers & RING_POINTER;
    uint32_t write = pointers >> RING_WRITE_SHIFT & RING_POINTER;
    if (read == write) {
        return (pointers ^ pointers >> RING_WRITE_SHIFT) & RING_TOGGLE ? size : 0;
    }
    return write > read ? write - read : write + size - read;
}

/* Where the next header is, in words. */
static uint32_t header_place(const struct overlay *overlay, unsigned s)
{
    uint32_t pointers = overlay_get(overlay, s, OVERLAY_MSG_INFO_WR_PTR);
    uint32_t offset = is_ring(overlay, s) ? pointers & RING_POINTER : 0;
    return (overlay_get(overlay, s, OVERLAY_MSG_INFO_PTR) + offset) & OVERLAY_POINTER;
}

static void move_read(struct overlay *overlay, unsigned s)
{
    if (!is_ring(overlay, s)) {
        uint32_t read = overlay_get(overlay, s, OVERLAY_MSG_INFO_PTR) + 1;
        overlay_set(overlay, s, OVERLAY_MSG_INFO_PTR, read & OVERLAY_POINTER);
        return;
    }
    uint32_t pointers = overlay_get(overlay, s, OVERLAY_MSG_INFO_WR_PTR);
    uint32_t read = ring_on(pointers & RING_MASK, ring_size(overlay, s));
    overlay_set(overlay, s, OVERLAY_MSG_INFO_WR_PTR, (pointers & ~(uint32_t)RING_MASK) | read);
    overlay_own(overlay, s)->freed_headers++;
}

static void move_write(struct overlay *overlay, unsigned s, uint32_t count)
{
    uint32_t pointers = overlay_get(overlay, s, OVERLAY_MSG_INFO_WR_PTR);
    if (!is_ring(overlay, s)) {
        overlay_set(overlay, s, OVERLAY_MSG_INFO_WR_PTR, (pointers + count) & OVERLAY_POINTER);
        return;
    }
    uint32_t size = ring_size(overlay, s);
    for (uint32_t i = 0; i < count % (2 * size); i++) {
        uint32_t write = ring_on(pointers >> RING_WRITE_SHIFT & RING_MASK, size);
        pointers = (pointers & RING_MASK) | write << RING_WRITE_SHIFT;
    }
    overlay_set(overlay, s, OVERLAY_MSG_INFO_WR_PTR, pointers);
}

/* --- Software pushes --- */

/*
 * HW: software may push while all messages of the phase have come, and it stays without effect that
 * software sees: T0 of tt-burnin's image pushes two messages into a phase of two, clears none, and
 * pushes another one in each turn of its loop for ever. GUESS: such a push moves no pointer either,
 * else T0 would walk out of L1 along the header array.
 */
static bool drop_push(struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (stream->state != OVERLAY_RUNNING || !get_SOURCE_ENDPOINT(stream->misc) ||
        stream->is_endless || stream->to_receive) {
        return false;
    }
    overlay_own(overlay, s)->dropped++;
    return true;
}

static bool check_push(struct overlay *overlay, unsigned s, uint32_t messages, uint32_t words)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (stream->state != OVERLAY_RUNNING || !get_SOURCE_ENDPOINT(stream->misc)) {
        return overlay_refuse(overlay, s,
                              "software pushes a message, but no phase with "
                              "SOURCE_ENDPOINT runs: await MSG_FWD_ONGOING");
    }
    if (!stream->is_endless && messages > stream->to_receive) {
        return overlay_refuse(overlay, s, "%u messages pushed, but the phase takes only %u more",
                              (unsigned)messages, (unsigned)stream->to_receive);
    }
    if (words > overlay_room(overlay, s)) {
        return overlay_refuse(overlay, s,
                              "%u words pushed, room for %u: await "
                              "BUF_SPACE_AVAILABLE",
                              (unsigned)words, (unsigned)overlay_room(overlay, s));
    }
    return true;
}

static void take_words(struct overlay *overlay, unsigned s, uint32_t words)
{
    uint32_t write = overlay_get(overlay, s, OVERLAY_WR_PTR);
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
    overlay_set(overlay, s, OVERLAY_WR_PTR, overlay_on(write, words, size));
    overlay_own(overlay, s)->arrived += words;
}

static void take_messages(struct overlay_stream *stream, uint32_t count, bool is_last)
{
    stream->to_receive -= count < stream->to_receive ? count : stream->to_receive;
    if (is_last && stream->is_endless) {
        stream->is_endless = false;
        stream->to_receive = 0;
    }
}

/* NUM_MSGS_RECEIVED_INC: headers are in the array. */
bool overlay_push_headers(struct overlay *overlay, unsigned s, uint32_t value)
{
    uint32_t count = get_NEW_MSGS_NUM(value);
    if (drop_push(overlay, s)) {
        return true;
    }
    if (!check_push(overlay, s, count, get_NEW_MSGS_TOTAL_SIZE(value))) {
        return false;
    }
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool ends = get_NEW_MSGS_LAST_TILE(value) && stream->is_endless;
    take_words(overlay, s, get_NEW_MSGS_TOTAL_SIZE(value));
    move_write(overlay, s, count);
    take_messages(stream, count, ends);
    if (ends) {
        stream->remaining = stream->messages + overlay_headers(overlay, s);
    }
    return true;
}

static bool check_message(struct overlay *overlay, unsigned s, uint32_t address, uint32_t words)
{
    uint32_t start = overlay_get(overlay, s, OVERLAY_BUF_START);
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
    if (!words) {
        return overlay_refuse(overlay, s, "a message of no words was pushed");
    }
    if (address < start || address - start >= size || words > size) {
        return overlay_refuse(overlay, s,
                              "a message at 0x%x, %u words, is not in the receive "
                              "buffer",
                              (unsigned)(address * OVERLAY_WORD), (unsigned)words);
    }
    if (overlay_headers(overlay, s) ||
        overlay_look(overlay, s)->messages >= overlay_message_capacity(overlay, s)) {
        return overlay_refuse(overlay, s,
                              "the metadata FIFO has no room: await "
                              "MSG_INFO_CAN_PUSH_NEW_MSG");
    }
    return true;
}

/* NEW_MSG_INFO: straight into the metadata FIFO. */
bool overlay_push_message(struct overlay *overlay, unsigned s, uint32_t value)
{
    uint32_t words = get_NEW_MSG_SIZE(value);
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
    struct overlay_message message = {.address = get_NEW_MSG_ADDR(value),
                                      .words = words,
                                      .stream = (uint8_t)s,
                                      .is_last = get_NEW_MSG_LAST_TILE(value)};
    if (drop_push(overlay, s)) {
        return true;
    }
    if (!check_push(overlay, s, 1, words) || !check_message(overlay, s, message.address, words)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) { /* zeros of streams that keep no headers */
        message.header[i] = overlay_get(overlay, s, OVERLAY_RECEIVER_ENDPOINT_SET_MSG_HEADER + i);
    }
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool ends = message.is_last && stream->is_endless;
    take_words(overlay, s, words);
    move_write(overlay, s, 1);
    move_read(overlay, s);
    stream->loaded += words;
    stream->load = overlay_on(stream->load, words, size) & OVERLAY_POINTER;
    take_messages(stream, 1, ends);
    overlay_append(overlay, s, &message);
    if (ends) {
        stream->remaining = stream->messages;
    }
    return true;
}

/* --- Packets --- */

/* Streams that pass messages on may do so before all of a message is there. */
static bool may_pass_parts(const struct overlay_stream *stream)
{
    uint32_t misc = stream->misc;
    return get_REMOTE_SOURCE(misc) && !get_RECEIVER_ENDPOINT(misc) && !get_LOCAL_RECEIVER(misc);
}

static bool expects_more(const struct overlay_stream *stream)
{
    return stream->to_receive || stream->is_endless;
}

static void count_message(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool runs = stream->state == OVERLAY_RUNNING && get_REMOTE_SOURCE(stream->misc);
    stream->is_message_counted = true;
    if (runs && expects_more(stream)) {
        move_write(overlay, s, 1);
        take_messages(stream, 1, false);
    } else {
        stream->early++;
    }
}

/* Messages that came while the stream was between phases. */
void overlay_take_early(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t count = stream->early;
    if (!get_REMOTE_SOURCE(stream->misc)) {
        return;
    }
    if (!stream->is_endless && count > stream->to_receive) {
        count = stream->to_receive;
    }
    stream->early -= count;
    move_write(overlay, s, count);
    take_messages(stream, count, false);
    if (stream->is_message_open && !stream->is_message_counted && may_pass_parts(stream) &&
        expects_more(stream)) {
        count_message(overlay, s);
    }
}

static bool check_arrival(struct overlay *overlay, unsigned s, uint32_t size)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (!stream->source.valid || (stream->state != OVERLAY_RUNNING && !stream->keeps_source)) {
        return overlay_refuse(overlay, s, "a packet came, but no phase with REMOTE_SOURCE runs");
    }
    if (size % OVERLAY_WORD || !size) {
        return overlay_refuse(overlay, s, "a packet of %u bytes came, no multiple of 16",
                              (unsigned)size);
    }
    if (size / OVERLAY_WORD > overlay_room(overlay, s)) {
        return overlay_refuse(overlay, s,
                              "a packet of %u words came, room for %u: the transmitter "
                              "must wait for credits",
                              (unsigned)(size / OVERLAY_WORD), (unsigned)overlay_room(overlay, s));
    }
    return true;
}

/* GUESS: a stream that was never told of a source takes no notice; programs send to tiles that way
 * whose streams nobody set up. */
void overlay_packet_arrived(struct overlay *overlay, unsigned stream, bool first, bool last,
                            uint32_t size, uint64_t cycle)
{
    if (!overlay->board || stream >= overlay_count(overlay) ||
        !get_REMOTE_SOURCE(overlay_get(overlay, stream, OVERLAY_MISC_CFG))) {
        return;
    }
    overlay->now = cycle;
    if (overlay_look(overlay, stream)->is_stuck) {
        return;
    }
    if (!check_arrival(overlay, stream, size)) {
        overlay_break(overlay, stream);
        return;
    }
    struct overlay_stream *state = overlay_own(overlay, stream);
    state->awaits_source = false;
    state->response = OVERLAY_NO_RESPONSE;
    take_words(overlay, stream, size / OVERLAY_WORD);
    if (first) {
        state->is_message_counted = false;
        if (state->state == OVERLAY_RUNNING && may_pass_parts(state) && expects_more(state)) {
            count_message(overlay, stream);
        }
    }
    state->is_message_open = !last;
    if (last && !state->is_message_counted) {
        count_message(overlay, stream);
    }
    overlay->due |= overlay_bit(stream);
}

/* --- Headers into the metadata FIFO --- */

static uint32_t header_bits(const uint32_t header[4], unsigned first, unsigned bits)
{
    uint64_t value = header[first / 32];
    if (first / 32 + 1 < 4) {
        value |= (uint64_t)header[first / 32 + 1] << 32;
    }
    value >>= first % 32;
    return (uint32_t)(bits >= 32 ? value : value & ((UINT64_C(1) << bits) - 1));
}

static bool read_header(struct overlay *overlay, unsigned s, struct overlay_message *message)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t format = overlay_get(overlay, 0, OVERLAY_MSG_HEADER_FORMAT);
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
    uint32_t place = header_place(overlay, s) * OVERLAY_WORD;
    if (place + OVERLAY_WORD > overlay->l1_size) {
        return overlay_refuse(overlay, s, "the message header at 0x%x is not in L1",
                              (unsigned)place);
    }
    memcpy(message->header, overlay->l1 + place, sizeof message->header);
    message->words = header_bits(message->header, get_HEADER_WORD_CNT_OFFSET(format) & ~7u,
                                 get_HEADER_WORD_CNT_BITS(format));
    message->is_last =
        stream->is_endless && header_bits(message->header, get_HEADER_LAST_TILE_OFFSET(format), 1);
    if (!message->words || message->words >= OVERLAY_MESSAGE_LIMIT) {
        return overlay_refuse(overlay, s,
                              "the message header at 0x%x says %u words: see "
                              "MSG_HEADER_FORMAT (0x%x)",
                              (unsigned)place, (unsigned)message->words, (unsigned)format);
    }
    if (message->words > size && !may_pass_parts(stream)) {
        return overlay_refuse(overlay, s,
                              "a message of %u words does not fit into the receive "
                              "buffer of %u",
                              (unsigned)message->words, (unsigned)size);
    }
    if (stream->arrived - stream->loaded < message->words && !may_pass_parts(stream)) {
        return overlay_refuse(overlay, s, "the message header at 0x%x says %u words, but %u came",
                              (unsigned)place, (unsigned)message->words,
                              (unsigned)(stream->arrived - stream->loaded));
    }
    return true;
}

/* What is left of an infinite phase once its last message is known. */
static void end_endless(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    stream->is_endless = false;
    stream->to_receive = 0;
    stream->remaining = stream->messages;
}

bool overlay_load_headers(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool loads = false;
    while (stream->messages < overlay_message_capacity(overlay, s) && overlay_headers(overlay, s) &&
           (stream->is_endless || stream->messages < stream->remaining)) {
        uint32_t start = overlay_get(overlay, s, OVERLAY_BUF_START);
        uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
        struct overlay_message message = {.address = (start + stream->load) & OVERLAY_POINTER,
                                          .stream = (uint8_t)s};
        if (!read_header(overlay, s, &message)) {
            overlay_break(overlay, s);
            return false;
        }
        stream->loaded += message.words;
        stream->load = overlay_on(stream->load, message.words, size) & OVERLAY_POINTER;
        move_read(overlay, s);
        overlay_append(overlay, s, &message);
        if (message.is_last) {
            end_endless(overlay, s);
        }
        loads = true;
    }
    return loads;
}

/* --- What the source is told --- */

/* SPEC: TransferBetweenTiles, ACK_THRESHOLD. */
static uint32_t threshold(const struct overlay *overlay, unsigned s)
{
    uint32_t code = overlay_get(overlay, s, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD);
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE), part = size >> (code & 7);
    if (code == ALWAYS_THRESHOLD) {
        return 0;
    }
    return code & 8 ? size - part : part;
}

static bool tell(struct overlay *overlay, unsigned s, unsigned index, uint32_t value, unsigned noc)
{
    const struct overlay_source *source = &overlay_look(overlay, s)->source;
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    struct overlay_packet packet = overlay_register_packet(s, source->stream, index, bytes);
    packet.noc = noc;
    packet.x = source->x;
    packet.y = source->y;
    packet.is_ethernet = source->x == 63 && source->y == 63;
    packet.vc = source->vc;
    return overlay_post(overlay, &packet);
}

static bool send_response(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t value = make_PHASE_READY_DEST_NUM(stream->source.receiver) |
                     make_PHASE_READY_NUM(overlay_get(overlay, s, OVERLAY_REMOTE_SRC_PHASE)) |
                     make_PHASE_READY_MCAST(get_REMOTE_SRC_IS_MCAST(stream->misc)) |
                     make_PHASE_READY_TWO_WAY_RESP(stream->response == OVERLAY_TWO_WAY);
    if (!tell(overlay, s, OVERLAY_DEST_PHASE_READY_UPDATE, value, stream->source.noc)) {
        return false;
    }
    stream->response = OVERLAY_NO_RESPONSE;
    return true;
}

/* SPEC: the threshold is ignored once the last message of the phase is there. */
static bool credit_is_due(const struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (!stream->freed && !stream->freed_headers) {
        return false;
    }
    bool all_came = !stream->to_receive && !stream->is_endless;
    return all_came || stream->freed_headers || overlay_room(overlay, s) >= threshold(overlay, s);
}

bool overlay_send_credits(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    if (!stream->source.valid || get_DATA_BUF_NO_FLOW_CTRL(stream->misc)) {
        stream->freed = stream->freed_headers = 0;
    }
    if (stream->source.valid && stream->response) {
        return send_response(overlay, s);
    }
    if (!credit_is_due(overlay, s)) {
        return false;
    }
    uint32_t value = make_UPDATE_DEST_NUM(stream->source.receiver) |
                     make_UPDATE_WORDS(stream->freed) | make_UPDATE_HEADERS(stream->freed_headers);
    if (!tell(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, value,
              stream->source.noc)) {
        return false;
    }
    stream->freed = stream->freed_headers = 0;
    return true;
}
