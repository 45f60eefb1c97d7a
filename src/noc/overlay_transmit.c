/*
 * The transmitting side of a stream: packets to another stream or to DRAM (SPEC:
 * TransferBetweenTiles, TransmitToDRAMBuffer), messages that software takes (SPEC:
 * TransmitToSoftware) or nobody (SPEC: TransmitToNowhere).
 */
#include "noc/overlay_stream.h"

enum {
    UNKNOWN_THRESHOLD = 0,
    DEFAULT_PARTIAL_WORDS = 16, /* of PARTIAL_SEND_WORDS_THR */
    MULTICAST_VC = 4,
    LINK_COORDINATE = 63,
    HIGH_SHIFT = 17,
    PAIR = 2,
};

/* --- The two FIFOs --- */

struct overlay_message *overlay_front(struct overlay_stream *stream)
{
    return &stream->message[stream->first_message % OVERLAY_MESSAGES];
}

static void show_count(struct overlay *overlay, unsigned s)
{
    overlay_set(overlay, s, OVERLAY_NUM_MSGS_RECEIVED, overlay_look(overlay, s)->messages);
}

void overlay_append(struct overlay *overlay, unsigned s, const struct overlay_message *message)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    stream->message[(stream->first_message + stream->messages) % OVERLAY_MESSAGES] = *message;
    stream->messages++;
    show_count(overlay, s);
}

void overlay_pop(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    stream->first_message = (uint8_t)((stream->first_message + 1) % OVERLAY_MESSAGES);
    stream->messages--;
    if (stream->remaining && !stream->is_endless) {
        stream->remaining--;
    }
    show_count(overlay, s);
}

static bool has_reading_room(const struct overlay *overlay, unsigned s, unsigned count)
{
    return overlay_look(overlay, s)->readings + count <= overlay_reading_capacity(overlay, s);
}

static void append_reading(struct overlay_stream *stream, struct overlay_reading reading)
{
    stream->reading[(stream->first_reading + stream->readings) % OVERLAY_READINGS] = reading;
    stream->readings++;
}

/* Words of a receive buffer are free again. */
static void release_receiver(struct overlay *overlay, unsigned s,
                             const struct overlay_reading *reading)
{
    unsigned holder = reading->stream;
    struct overlay_stream *stream = overlay_own(overlay, holder);
    uint32_t read = overlay_get(overlay, holder, OVERLAY_RD_PTR);
    uint32_t size = overlay_get(overlay, holder, OVERLAY_BUF_SIZE);
    overlay_set(overlay, holder, OVERLAY_RD_PTR, overlay_on(read, reading->words, size));
    stream->freed += reading->words;
    if (holder != s && reading->ends_message && stream->lent) {
        stream->lent--;
    }
    overlay->due |= overlay_bit(holder) | overlay_bit(s);
}

/* The oldest entry and those that are joined to it; false: there is none. */
static bool finish_reading(struct overlay *overlay, unsigned s)
{
    if (!overlay_look(overlay, s)->readings) {
        return false;
    }
    struct overlay_stream *stream = overlay_own(overlay, s);
    for (bool more = true; more && stream->readings;) {
        const struct overlay_reading *reading =
            &stream->reading[stream->first_reading % OVERLAY_READINGS];
        more = reading->is_joined;
        stream->first_reading = (uint8_t)((stream->first_reading + 1) % OVERLAY_READINGS);
        stream->readings--;
        release_receiver(overlay, s, reading);
    }
    return true;
}

void overlay_sent(struct overlay *overlay, unsigned stream, uint64_t cycle)
{
    if (overlay->board && stream < overlay_count(overlay)) {
        overlay->now = cycle;
        finish_reading(overlay, stream); /* after a reset there is none */
    }
}

/* --- Receivers --- */

bool overlay_is_multicast(const struct overlay *overlay, unsigned s)
{
    return overlay_has(overlay, OVERLAY_MULTICAST, s) &&
           get_MCAST_EN(overlay_get(overlay, s, OVERLAY_MCAST_DEST));
}

/* GUESS: a unicast stream that can multicast counts one receiver, whatever MCAST_DEST_NUM says. */
unsigned overlay_receivers(const struct overlay *overlay, unsigned s)
{
    uint32_t number = overlay_get(overlay, s, OVERLAY_MCAST_DEST_NUM);
    if (!overlay_is_multicast(overlay, s) || number == 0) {
        return 1;
    }
    return number < OVERLAY_RECEIVERS ? number : OVERLAY_RECEIVERS;
}

/* SPEC: TransferBetweenTiles, step 5: the low bits of SCRATCH + 0 say so. */
bool overlay_goes_to_dram(const struct overlay *overlay, unsigned s)
{
    uint32_t scratch = overlay_get(overlay, s, OVERLAY_SCRATCH);
    return overlay_has(overlay, OVERLAY_DRAM, s) && get_NCRISC_CMD_ID(scratch) &&
           get_NCRISC_TRANS(scratch);
}

static bool counts_room(const struct overlay_stream *stream)
{
    return !get_DEST_DATA_BUF_NO_FLOW_CTRL(stream->misc);
}

/* Room at the receiver that has least of it. */
static uint32_t least_remote_room(const struct overlay *overlay, unsigned s)
{
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < overlay_receivers(overlay, s); i++) {
        uint32_t room = get_WORDS_FREE(overlay_space(overlay, s, i));
        least = room < least ? room : least;
    }
    return least;
}

static bool has_header_room(const struct overlay *overlay, unsigned s)
{
    for (unsigned i = 0; i < overlay_receivers(overlay, s); i++) {
        if (!get_HEADERS_FREE(overlay_space(overlay, s, i))) {
            return false;
        }
    }
    return true;
}

bool overlay_has_all_room(const struct overlay *overlay, unsigned s)
{
    uint32_t size = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE);
    for (unsigned i = 0; i < overlay_receivers(overlay, s); i++) {
        if (get_WORDS_FREE(overlay_space(overlay, s, i)) != size) {
            return false;
        }
    }
    return true;
}

/* --- Packets --- */

bool overlay_post(struct overlay *overlay, const struct overlay_packet *packet)
{
    if (overlay->board->send(overlay->owner, packet, overlay->now)) {
        return true;
    }
    overlay->blocked |= overlay_bit(packet->sender);
    return false;
}

struct overlay_packet overlay_register_packet(unsigned s, unsigned stream, unsigned index,
                                              const uint8_t *bytes)
{
    return (struct overlay_packet){
        .bytes = bytes,
        .size = 4,
        .address = OVERLAY_REGISTERS_ADDRESS + stream * OVERLAY_STREAM_BYTES + 4 * index,
        .sender = s,
        .is_register = true,
    };
}

/* Where packets and requests of a phase go, and how. */
static void address_packet(const struct overlay *overlay, unsigned s, struct overlay_packet *packet)
{
    uint32_t multicast = overlay_get(overlay, s, OVERLAY_MCAST_DEST);
    uint32_t to = overlay_get(overlay, s, OVERLAY_REMOTE_DEST);
    uint32_t traffic = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_TRAFFIC);
    packet->noc = get_OUTGOING_DATA_NOC(overlay_look(overlay, s)->misc);
    packet->x = get_REMOTE_DEST_X(to);
    packet->y = get_REMOTE_DEST_Y(to);
    packet->stream = get_REMOTE_DEST_STREAM_ID(to);
    packet->vc = get_UNICAST_VC(traffic);
    packet->is_ethernet = packet->x == LINK_COORDINATE && packet->y == LINK_COORDINATE;
    if (overlay_is_multicast(overlay, s)) {
        packet->is_multicast = true;
        packet->is_ethernet = false;
        packet->end_x = get_MCAST_END_X(multicast);
        packet->end_y = get_MCAST_END_Y(multicast);
        packet->vc = MULTICAST_VC + get_MCAST_VC(multicast);
        packet->y_is_major = get_MCAST_XY(multicast);
    }
}

/* Asks the receivers for their handshake responses; DRAM is not asked, software answers for it. */
bool overlay_send_request(struct overlay *overlay, unsigned s)
{
    if (overlay_goes_to_dram(overlay, s)) {
        return true;
    }
    unsigned noc = get_OUTGOING_DATA_NOC(overlay_look(overlay, s)->misc);
    uint32_t to = overlay_get(overlay, s, OVERLAY_REMOTE_DEST);
    uint32_t value = overlay->board->node(overlay->owner, noc) |
                     make_REMOTE_SRC_STREAM_ID(s); /* laid out like REMOTE_SRC */
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    struct overlay_packet packet =
        overlay_register_packet(s, get_REMOTE_DEST_STREAM_ID(to), OVERLAY_SRC_READY_UPDATE, bytes);
    address_packet(overlay, s, &packet);
    return overlay_post(overlay, &packet);
}

/* A piece of a message that can be sent now. */
struct piece {
    uint32_t words;
    uint32_t from, to; /* in words */
    bool first, last;
};

static uint32_t fewer_bytes(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t offset_entry(const struct overlay *overlay, uint32_t index)
{
    uint32_t select = overlay_get(overlay, 0, OVERLAY_DEBUG_STATUS_SEL);
    return get_DISABLE_GLOBAL_OFFSET_TABLE(select) ? 0 : overlay->offset[index];
}

/* The words of the front message that have come and not left. A stream that passes parts on waits
 * for a number of them, while more can come. GUESS: PERF_CONFIG starts with its default, and 0
 * means that. */
static uint32_t ready_words(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    const struct overlay_message *message = overlay_front(stream);
    uint32_t left = message->words - message->sent;
    uint32_t enough = get_PARTIAL_SEND_WORDS_THR(overlay_get(overlay, 0, OVERLAY_PERF_CONFIG));
    if (message->stream != s) {
        return left; /* gathered messages are complete */
    }
    enough = enough == UNKNOWN_THRESHOLD ? DEFAULT_PARTIAL_WORDS : enough;
    uint32_t there = fewer_bytes(left, stream->arrived - stream->consumed);
    bool more_can_come = overlay_room(overlay, s) && !stream->freed;
    return there < left && there < enough && more_can_come ? 0 : there;
}

/* Room that the receivers have for the front message. GUESS: one that fits into their buffers waits
 * until all of it does; with parts of messages in them, high thresholds of credits would lock up.
 */
static uint32_t credit(const struct overlay *overlay, unsigned s,
                       const struct overlay_message *message)
{
    uint32_t size = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE);
    uint32_t room = least_remote_room(overlay, s);
    return !message->sent && message->words <= size && message->words > room ? 0 : room;
}

/* Bounded by both buffers' ends, the room at the receivers and the size of a packet. */
static struct piece next_piece(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    const struct overlay_message *message = overlay_front(stream);
    uint32_t start = overlay_get(overlay, message->stream, OVERLAY_BUF_START);
    uint32_t size = overlay_get(overlay, message->stream, OVERLAY_BUF_SIZE);
    uint32_t onetime = overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG);
    uint32_t offset = message->address - start + message->sent;
    struct piece piece = {.words = ready_words(overlay, s), .first = !message->sent};
    offset = size ? offset % size : offset;
    piece.words = fewer_bytes(piece.words, size ? size - offset : 0);
    piece.words = fewer_bytes(piece.words, OVERLAY_PACKET_WORDS);
    piece.from = start + offset + offset_entry(overlay, get_OFFSET_RD_SRC_INDEX(onetime));
    if (get_REMOTE_RECEIVER(stream->misc)) {
        uint32_t done = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_WR_PTR);
        uint32_t end = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE);
        piece.to = (overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_START_HI) << HIGH_SHIFT |
                    overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_START)) +
                   done + offset_entry(overlay, get_OFFSET_RD_DEST_INDEX(onetime));
        piece.words = fewer_bytes(piece.words, done < end ? end - done : 0);
        piece.words =
            fewer_bytes(piece.words, OVERLAY_PACKET_WORDS - piece.to % OVERLAY_FLIT_WORDS);
        if (counts_room(stream)) {
            piece.words = fewer_bytes(piece.words, credit(overlay, s, message));
        }
    }
    piece.last = message->sent + piece.words == message->words;
    return piece;
}

/* SPEC: STREAM_MCAST_DEST. GUESS: "two packets" are two like this one. */
static bool links(const struct overlay *overlay, unsigned s, const struct piece *piece)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t multicast = overlay_get(overlay, s, OVERLAY_MCAST_DEST);
    bool ends_phase = piece->last && stream->remaining == 1 && !stream->is_endless;
    if (!overlay_is_multicast(overlay, s) || !get_MCAST_LINKED(multicast)) {
        return false;
    }
    if (ends_phase && get_NEXT_PHASE_DEST_CHANGE(stream->misc)) {
        return false;
    }
    if (get_MCAST_SRC_SIDE_DYNAMIC_LINKED(multicast) && stream->messages < PAIR) {
        return false;
    }
    return !get_MCAST_DEST_SIDE_DYNAMIC_LINKED(multicast) ||
           least_remote_room(overlay, s) >= PAIR * piece->words;
}

static uint64_t header_address(const struct overlay *overlay, unsigned s)
{
    uint64_t high = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR_HI);
    uint64_t place =
        high << HIGH_SHIFT | overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR);
    if (get_DEST_MSG_INFO_BUF_FLOW_CTRL(overlay_look(overlay, s)->misc)) {
        place += overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WRAP_WR_PTR);
    }
    return place * OVERLAY_WORD;
}

static bool send_piece(struct overlay *overlay, unsigned s, const struct piece *piece)
{
    uint32_t from = piece->from * OVERLAY_WORD, size = piece->words * OVERLAY_WORD;
    if (from >= overlay->l1_size || size > overlay->l1_size - from) {
        overlay_refuse(overlay, s, "a message at 0x%x, %u bytes, is not in L1", (unsigned)from,
                       (unsigned)size);
        overlay_break(overlay, s);
        return false;
    }
    struct overlay_packet packet = {.bytes = overlay->l1 + from,
                                    .size = size,
                                    .address = (uint64_t)piece->to * OVERLAY_WORD,
                                    .sender = s};
    address_packet(overlay, s, &packet);
    packet.delivers = !overlay_goes_to_dram(overlay, s);
    packet.first = piece->first;
    packet.last = piece->last;
    packet.is_linked = links(overlay, s, piece);
    packet.stores_header = piece->first;
    packet.header_address = header_address(overlay, s);
    return overlay_post(overlay, &packet);
}

static void take_space(struct overlay *overlay, unsigned s, uint32_t amount)
{
    for (unsigned i = 0; i < overlay_receivers(overlay, s); i++) {
        overlay_set_space(overlay, s, i, overlay_space(overlay, s, i) - amount);
    }
}

static void count_piece(struct overlay *overlay, unsigned s, const struct piece *piece)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    uint32_t done = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_WR_PTR) + piece->words;
    bool wraps = done >= overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE) &&
                 !overlay_goes_to_dram(overlay, s);
    overlay_set(overlay, s, OVERLAY_REMOTE_DEST_WR_PTR, wraps ? 0 : done & OVERLAY_POINTER);
    if (counts_room(stream)) {
        take_space(overlay, s, make_WORDS_FREE(piece->words));
    }
    if (!piece->first) {
        return;
    }
    if (!get_DEST_MSG_INFO_BUF_FLOW_CTRL(stream->misc)) {
        uint32_t next = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR) + 1;
        overlay_set(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, next & OVERLAY_POINTER);
        return;
    }
    uint32_t size = UINT32_C(2) << overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_BUF_SIZE);
    uint32_t next = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WRAP_WR_PTR) + 1;
    overlay_set(overlay, s, OVERLAY_REMOTE_DEST_MSG_INFO_WRAP_WR_PTR, next % size);
    take_space(overlay, s, make_HEADERS_FREE(1));
}

/* Sends a piece of the front message, or drops it where nobody receives. */
static bool transmit_piece(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool is_sent = get_REMOTE_RECEIVER(stream->misc);
    struct overlay_message *message = overlay_front(stream);
    struct piece piece = next_piece(overlay, s);
    if (!piece.words || !has_reading_room(overlay, s, 1)) {
        if (is_sent && overlay_goes_to_dram(overlay, s) &&
            overlay_get(overlay, s, OVERLAY_REMOTE_DEST_WR_PTR) >=
                overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SIZE)) {
            overlay_refuse(overlay, s,
                           "the phase has more to send than the DRAM buffer takes "
                           "(REMOTE_DEST_BUF_SIZE)");
            overlay_break(overlay, s);
        }
        return false;
    }
    if (is_sent && piece.first && get_DEST_MSG_INFO_BUF_FLOW_CTRL(stream->misc) &&
        !has_header_room(overlay, s)) {
        return false;
    }
    if (is_sent && !send_piece(overlay, s, &piece)) {
        return false;
    }
    append_reading(stream, (struct overlay_reading){.words = piece.words,
                                                    .stream = message->stream,
                                                    .ends_message = piece.last});
    if (is_sent) {
        count_piece(overlay, s, &piece);
    } else {
        finish_reading(overlay, s);
    }
    stream->consumed += message->stream == s ? piece.words : 0;
    message->sent += piece.words;
    if (piece.last) {
        overlay_pop(overlay, s);
    }
    return true;
}

/* --- Software takes messages --- */

static bool takes_software(const struct overlay_stream *stream)
{
    return stream->state == OVERLAY_RUNNING && get_RECEIVER_ENDPOINT(stream->misc);
}

static unsigned group_size(const struct overlay *overlay, unsigned s)
{
    return overlay_has(overlay, OVERLAY_ENDPOINT, s) ? 4 : 2;
}

/* Moves messages into the L1 read complete FIFO, as one entry; of a gathering stream, whose
 * messages are in several buffers, as one entry each that leave together. */
static void take_info(struct overlay *overlay, unsigned s, uint32_t count)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool gathers = get_LOCAL_SOURCES_CONNECTED(stream->misc);
    struct overlay_reading all = {.stream = (uint8_t)s};
    for (uint32_t i = 0; i < count; i++) {
        const struct overlay_message *message = overlay_front(stream);
        if (gathers) {
            append_reading(stream, (struct overlay_reading){.words = message->words,
                                                            .stream = message->stream,
                                                            .ends_message = true,
                                                            .is_joined = i + 1 < count});
        } else {
            all.words += message->words;
            stream->consumed += message->words;
        }
        overlay_pop(overlay, s);
    }
    if (!gathers || !count) {
        append_reading(stream, all);
    }
}

/* MSG_INFO_CLEAR. GUESS: clearing none pushes an entry of no words, as the page has it. */
bool overlay_clear_info(struct overlay *overlay, unsigned s, uint32_t count)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    bool gathers = get_LOCAL_SOURCES_CONNECTED(stream->misc);
    if (!takes_software(stream)) {
        return overlay_refuse(overlay, s,
                              "MSG_INFO_CLEAR, but no phase with RECEIVER_ENDPOINT "
                              "runs: await MSG_FWD_ONGOING");
    }
    if (count > PAIR && count != group_size(overlay, s)) {
        return overlay_refuse(overlay, s,
                              "MSG_INFO_CLEAR of %u messages: 0, 1, 2 and %u are "
                              "defined",
                              (unsigned)count, group_size(overlay, s));
    }
    if (count > stream->messages) {
        return overlay_refuse(overlay, s,
                              "MSG_INFO_CLEAR of %u messages, but %u are there: see "
                              "NUM_MSGS_RECEIVED",
                              (unsigned)count, stream->messages);
    }
    if (!has_reading_room(overlay, s, gathers && count ? count : 1)) {
        return overlay_refuse(overlay, s,
                              "MSG_INFO_CLEAR, but the L1 read complete FIFO is full: "
                              "write MSG_DATA_CLEAR first");
    }
    take_info(overlay, s, count);
    return true;
}

/* MSG_DATA_CLEAR, also after the phase. */
bool overlay_clear_data(struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (!get_RECEIVER_ENDPOINT(stream->misc) || !stream->readings) {
        return overlay_refuse(overlay, s,
                              "MSG_DATA_CLEAR, but no message's info was cleared: "
                              "write MSG_INFO_CLEAR first");
    }
    return finish_reading(overlay, s);
}

/* MULTI_MSG_CLEAR: info and data of as many messages as software asked for, one by one. */
static bool clear_many(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool cleared = false;
    while (stream->to_clear && stream->messages && has_reading_room(overlay, s, 1)) {
        take_info(overlay, s, 1);
        finish_reading(overlay, s);
        stream->to_clear--;
        cleared = true;
    }
    return cleared;
}

bool overlay_transmit(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    bool went_on = false;
    if (get_RECEIVER_ENDPOINT(stream->misc)) {
        return clear_many(overlay, s);
    }
    if (get_LOCAL_RECEIVER(stream->misc)) {
        return false; /* the gathering stream takes them */
    }
    while (stream->messages && !stream->is_stuck && transmit_piece(overlay, s)) {
        went_on = true;
    }
    return went_on;
}
