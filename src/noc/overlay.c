/* Registers of the overlay. */
#include "noc/overlay.h"

#include <stdarg.h>
#include <stdio.h>

#include "noc/overlay_stream.h"

enum kind {
    PLAIN,
    HELD,
    STATUS,
    COMMAND,
    BLIND,
    LATER,
    ONETIME,
    PHASE,
    AUTO_CFG_PTR,
    DEST_BUF_START,
    DEST_BUF_SIZE,
    DEST_HEADERS,
    BUF_START,
    RD_PTR,
    HEADER,
    SOURCES,
    MULTI_CLEAR,
    SPACE_UPDATE,
    WRITE_CLEARS,
};

static const struct overlay_row {
    uint16_t first, words;
    uint8_t bits, class, kind;
    const char *name;
} rows[] = {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    {index, words, bits, OVERLAY_##streams, kind, "STREAM_" #name},
#include "noc/overlay.def"
#undef OVERLAY
};

/* The row of a register: its number in `rows` plus one, 0 where there is none. */
enum row_number {
    NO_ROW,
#define OVERLAY(index, words, name, bits, streams, kind) ROW_##name,
#include "noc/overlay.def"
#undef OVERLAY
};

#define SPAN_1(i, row)  [(i)] = (row),
#define SPAN_2(i, row)  SPAN_1(i, row) SPAN_1((i) + 1, row)
#define SPAN_4(i, row)  SPAN_2(i, row) SPAN_2((i) + 2, row)
#define SPAN_5(i, row)  SPAN_4(i, row) SPAN_1((i) + 4, row)
#define SPAN_6(i, row)  SPAN_4(i, row) SPAN_2((i) + 4, row)
#define SPAN_8(i, row)  SPAN_4(i, row) SPAN_4((i) + 4, row)
#define SPAN_16(i, row) SPAN_8(i, row) SPAN_8((i) + 8, row)
#define SPAN_32(i, row) SPAN_16(i, row) SPAN_16((i) + 16, row)
#define SPAN_31(i, row)                                                                            \
    SPAN_16(i, row) SPAN_8((i) + 16, row) SPAN_6((i) + 24, row) SPAN_1((i) + 30, row)
#define SPAN_96(i, row) SPAN_32(i, row) SPAN_32((i) + 32, row) SPAN_32((i) + 64, row)

enum { NAMED_REGISTERS = 512 };

static const uint8_t row_of[NAMED_REGISTERS] = {
#define OVERLAY(index, words, name, bits, streams, kind) SPAN_##words(index, ROW_##name)
#include "noc/overlay.def"
#undef OVERLAY
};

enum {
    WAITS_FOR_SOFTWARE = 1 << 0, /* of WAIT_STATUS */
    WAITS_FOR_FLUSH = 1 << 1,
    FORWARDS = 1 << 2,
    STATE_SHIFT = 3,
    READINGS_HAVE_ROOM = 1 << 0, /* of DEBUG_STATUS + 2 */
    ALL_HAVE_SPACE = 1 << 3,
    SOURCE_READY_SHIFT = 4, /* of DEBUG_STATUS + 8 */
    SOURCE_READY_WAITS = 4,
    PENDING_SHIFT = 17, /* of DEBUG_STATUS + 9 */
    BLOB_VALID = 1 << 16,
    MESSAGE_INFO_WITH_HEADER = 6, /* words of RECEIVER_MSG_INFO for a message */
    MESSAGE_INFO = 2,
    ETHERNET_SOURCES = 8, /* bits of the second LOCAL_SRC_MASK */
    PHASE_MASK = 0xfffff,
    POINTER_MASK = 0xffffff,
};

static const struct overlay_row *find_row(unsigned index)
{
    unsigned number = index < NAMED_REGISTERS ? row_of[index] : NO_ROW;
    return number ? &rows[number - 1] : NULL;
}

const char *overlay_register_name(unsigned index)
{
    const struct overlay_row *row = find_row(index);
    return row ? row->name : NULL;
}

static uint32_t low_bits(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

/* --- What streams have --- */

/* SPEC: README, stream capabilities. GUESS: Blackhole's are Wormhole's. */
static const uint64_t tensix_has[OVERLAY_CLASSES] = {
    [OVERLAY_ALL] = UINT64_MAX, [OVERLAY_MULTICAST] = 0xf, [OVERLAY_GATHERS] = 0x3f,
    [OVERLAY_ENDPOINT] = 0x30,  [OVERLAY_DRAM] = 0xf0f,    [OVERLAY_ENDPOINT_OR_DRAM] = 0xf3f,
    [OVERLAY_ZERO] = 1,
};

static const uint64_t ethernet_has[OVERLAY_CLASSES] = {
    [OVERLAY_ALL] = UINT64_MAX, [OVERLAY_MULTICAST] = 0x3, [OVERLAY_GATHERS] = 0x3,
    [OVERLAY_DRAM] = 0xf0f,     [OVERLAY_ZERO] = 1,        [OVERLAY_ENDPOINT_OR_DRAM] = 0xf0f,
    [OVERLAY_LINK] = 0xf0f,
};

static bool is_ethernet(const struct overlay *overlay)
{
    return overlay->streams == OVERLAY_ETHERNET_STREAMS;
}

bool overlay_has(const struct overlay *overlay, enum overlay_class class, unsigned s)
{
    const uint64_t *has = is_ethernet(overlay) ? ethernet_has : tensix_has;
    return has[class] >> s & 1;
}

unsigned overlay_counters(const struct overlay *overlay, unsigned s)
{
    return overlay_has(overlay, OVERLAY_MULTICAST, s) ? OVERLAY_RECEIVERS : 1;
}

static bool has_deep_fifos(unsigned s)
{
    return s < 12 && s != 6 && s != 7;
}

/* SPEC: README has 8 for streams 4 and 5 of a Wormhole tile, two groups of four; the header has
 * four groups for Blackhole. A gathering stream keeps two. */
unsigned overlay_message_capacity(const struct overlay *overlay, unsigned s)
{
    if (get_LOCAL_SOURCES_CONNECTED(overlay->state[s].misc)) {
        return 2;
    }
    if (is_ethernet(overlay)) {
        return s < 4 || (s >= 8 && s < 12) ? 32 : 2;
    }
    if (overlay_has(overlay, OVERLAY_ENDPOINT, s)) {
        return 16;
    }
    return has_deep_fifos(s) ? 8 : 2;
}

unsigned overlay_reading_capacity(const struct overlay *overlay, unsigned s)
{
    if (is_ethernet(overlay)) {
        return s < 4 || (s >= 8 && s < 12) ? 128 : 2;
    }
    return has_deep_fifos(s) ? 8 : 2;
}

_Static_assert(sizeof(struct overlay_stream) <= OVERLAY_STATE_BYTES, "room for a stream");

void overlay_attach(struct overlay *overlay, unsigned streams, void *memory, const uint8_t *l1,
                    uint32_t l1_size, const struct overlay_board *board, void *owner)
{
    overlay->streams = streams;
    overlay->stream = memory;
    overlay->state = (void *)((uint8_t *)memory + (size_t)OVERLAY_STREAMS * OVERLAY_STREAM_BYTES);
    overlay->l1 = l1;
    overlay->l1_size = l1_size;
    overlay->board = board;
    overlay->owner = owner;
}

/* --- Rules --- */

bool overlay_refuse(struct overlay *overlay, unsigned s, const char *format, ...)
{
    va_list arguments;
    int start = snprintf(overlay->rule, sizeof overlay->rule, "overlay stream %u: ", s);
    va_start(arguments, format);
    vsnprintf(overlay->rule + start, sizeof overlay->rule - (size_t)start, format, arguments);
    va_end(arguments);
    return false;
}

/* GUESS: which bits of DEBUG_ASSERTIONS mean what is not known; bit 0 stands for all. */
void overlay_break(struct overlay *overlay, unsigned s)
{
    overlay->state[s].is_stuck = true;
    overlay_words(overlay, s)[OVERLAY_DEBUG_ASSERTIONS] |= 1;
    overlay->board->fault(overlay->owner, s, overlay->rule, overlay->now);
}

/* --- Circular buffers --- */

uint32_t overlay_used(uint32_t read, uint32_t write, uint32_t size)
{
    uint32_t from = read & OVERLAY_POINTER, to = write & OVERLAY_POINTER;
    if (from == to) {
        return (read ^ write) & OVERLAY_WRAP ? size : 0;
    }
    uint32_t used = to > from ? to - from : to + size - from;
    return used < size ? used : size; /* software may have written anything */
}

uint32_t overlay_on(uint32_t pointer, uint32_t words, uint32_t size)
{
    uint32_t to = (pointer & OVERLAY_POINTER) + words;
    uint32_t wrap = pointer & OVERLAY_WRAP;
    if (size && to >= size) {
        to = (to - size) % size;
        wrap ^= OVERLAY_WRAP;
    }
    return (to & OVERLAY_POINTER) | wrap;
}

uint32_t overlay_room(const struct overlay *overlay, unsigned s)
{
    const uint32_t *word = overlay_words(overlay, s);
    uint32_t size = word[OVERLAY_BUF_SIZE];
    return size - overlay_used(word[OVERLAY_RD_PTR], word[OVERLAY_WR_PTR], size);
}

/* --- Reading --- */

static bool all_have_space(const struct overlay *overlay, unsigned s)
{
    const uint32_t *word = overlay_words(overlay, s);
    for (unsigned i = 0; i < overlay_counters(overlay, s); i++) {
        if (!get_WORDS_FREE(word[OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + i])) {
            return false;
        }
    }
    return true;
}

/* "In a fair manner": GUESS, in turn. */
static uint32_t next_blob(const struct overlay *overlay)
{
    const uint32_t *word = overlay_words(overlay, 0);
    uint64_t done =
        word[OVERLAY_BLOB_AUTO_CFG_DONE] | (uint64_t)word[OVERLAY_BLOB_AUTO_CFG_DONE + 1] << 32;
    uint64_t later = done >> overlay->blob_turn << overlay->blob_turn;
    if (later) {
        return (uint32_t)__builtin_ctzll(later) | BLOB_VALID;
    }
    return done ? (uint32_t)__builtin_ctzll(done) | BLOB_VALID : 0;
}

static uint32_t wait_status(const struct overlay_stream *stream)
{
    uint32_t state = (uint32_t)stream->state << STATE_SHIFT;
    switch ((enum overlay_state)stream->state) {
    case OVERLAY_IDLE:
    case OVERLAY_READY:
        return state | WAITS_FOR_SOFTWARE;
    case OVERLAY_FLUSHING:
        return state | WAITS_FOR_FLUSH;
    case OVERLAY_RUNNING:
        return state | FORWARDS;
    case OVERLAY_LOADING:
        break;
    }
    return state;
}

static const struct overlay_message *message_at(const struct overlay_stream *stream, unsigned i)
{
    return i < stream->messages ? &stream->message[(stream->first_message + i) % OVERLAY_MESSAGES]
                                : NULL;
}

/* SPEC: TransmitToSoftware; zeros beyond the last message. */
static uint32_t message_info(const struct overlay *overlay, unsigned s, unsigned i)
{
    bool has_header = overlay_has(overlay, OVERLAY_ENDPOINT, s);
    unsigned words = has_header ? MESSAGE_INFO_WITH_HEADER : MESSAGE_INFO;
    const struct overlay_message *message = message_at(&overlay->state[s], i / words);
    if (!message) {
        return 0;
    }
    switch (i % words) {
    case 0:
        return message->address;
    case 1:
        return message->words;
    default:
        return message->header[i % words - 2];
    }
}

static uint32_t compressed(const struct overlay *overlay, unsigned s)
{
    uint32_t flags = 0;
    for (unsigned i = 0; i < 4 && overlay_has(overlay, OVERLAY_ENDPOINT, s); i++) {
        flags |= (message_info(overlay, s, i * MESSAGE_INFO_WITH_HEADER + 3) >> 20 & 1) << i;
    }
    return flags;
}

static uint32_t zero_mask(const struct overlay *overlay, unsigned s)
{
    uint32_t mask = overlay_has(overlay, OVERLAY_ENDPOINT, s) ? UINT32_MAX : 0;
    for (unsigned i = 0; i < 4; i++) {
        mask &= message_info(overlay, s, i * MESSAGE_INFO_WITH_HEADER + 4);
    }
    return mask;
}

/* GUESS: the low bits count words. What software relies on is that the messages above bit 17 are 0
 * when nothing of the stream is left in L1. */
static uint32_t pending(const struct overlay_stream *stream)
{
    uint32_t words = 0;
    for (unsigned i = 0; i < stream->readings; i++) {
        words += stream->reading[(stream->first_reading + i) % OVERLAY_READINGS].words;
    }
    return (uint32_t)stream->readings << PENDING_SHIFT | (words & OVERLAY_POINTER);
}

static uint32_t header_room(const struct overlay *overlay, unsigned s)
{
    uint32_t size = UINT32_C(2) << overlay_words(overlay, s)[OVERLAY_MSG_INFO_BUF_SIZE];
    uint32_t used = overlay_headers(overlay, s);
    return used < size ? size - used : 0;
}

/* Registers that need more than the stream's words. */
static uint32_t stream_status(const struct overlay *overlay, unsigned s, unsigned index)
{
    const struct overlay_stream *stream = &overlay->state[s];
    const uint32_t *word = overlay_words(overlay, s);
    bool runs = stream->state == OVERLAY_RUNNING;
    bool is_full = stream->messages >= overlay_message_capacity(overlay, s);
    switch (index) {
    case OVERLAY_WAIT_STATUS:
        return wait_status(stream);
    case OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM:
        return stream->messages + overlay_headers(overlay, s);
    case OVERLAY_MSG_INFO_BUF_SPACE_AVAILABLE:
        return header_room(overlay, s);
    case OVERLAY_NEXT_RECEIVED_MSG_ADDR:
        return stream->messages ? message_info(overlay, s, 0) : word[index];
    case OVERLAY_NEXT_RECEIVED_MSG_SIZE:
        return stream->messages ? message_info(overlay, s, 1) : word[index];
    case OVERLAY_MSG_GROUP_ZERO_MASK_AND:
        return zero_mask(overlay, s);
    case OVERLAY_MSG_INFO_FULL:
    case OVERLAY_MSG_INFO_FULLY_LOADED: /* loads take no time */
        return is_full;
    case OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG:
        return !is_full && overlay_headers(overlay, s) == 0;
    case OVERLAY_MSG_GROUP_COMPRESS:
        return compressed(overlay, s);
    case OVERLAY_PHASE_ALL_MSGS_PUSHED:
        return runs && !stream->is_endless && !stream->to_receive;
    case OVERLAY_READY_FOR_MSG_PUSH: /* GUESS: as its name says */
        return runs && get_SOURCE_ENDPOINT(stream->misc) &&
               (stream->is_endless || stream->to_receive);
    case OVERLAY_DEBUG_STATUS_2: /* GUESS: bit 0 is shown in phases only */
        return (all_have_space(overlay, s) ? ALL_HAVE_SPACE : 0) |
               (runs && stream->readings < overlay_reading_capacity(overlay, s) ? READINGS_HAVE_ROOM
                                                                                : 0);
    case OVERLAY_DEBUG_STATUS_8: /* GUESS: the other states are not known */
        return runs && stream->sending == OVERLAY_AWAITS ? SOURCE_READY_WAITS << SOURCE_READY_SHIFT
                                                         : 0;
    case OVERLAY_DEBUG_STATUS_9:
        return pending(stream);
    default: /* RECEIVER_MSG_INFO */
        return message_info(overlay, s, index - OVERLAY_RECEIVER_MSG_INFO);
    }
}

/* The same of an overlay that is a register file only. */
static uint32_t idle_status(const struct overlay *overlay, unsigned s, unsigned index)
{
    const uint32_t *word = overlay_words(overlay, s);
    switch (index) {
    case OVERLAY_WAIT_STATUS:
        return WAITS_FOR_SOFTWARE;
    case OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG:
        return word[OVERLAY_MSG_INFO_PTR] == word[OVERLAY_MSG_INFO_WR_PTR];
    case OVERLAY_DEBUG_STATUS_2:
        return all_have_space(overlay, s) ? ALL_HAVE_SPACE : 0;
    default:
        return word[index];
    }
}

static uint32_t status(const struct overlay *overlay, unsigned s, unsigned index)
{
    switch (index) {
    case OVERLAY_BUF_SPACE_AVAILABLE:
        return overlay_room(overlay, s);
    case OVERLAY_BLOB_NEXT_AUTO_CFG_DONE:
        return next_blob(overlay);
    default:
        break;
    }
    if (index - OVERLAY_GLOBAL_OFFSET_TABLE_RD < OVERLAY_OFFSETS) {
        return overlay->offset[index - OVERLAY_GLOBAL_OFFSET_TABLE_RD];
    }
    return overlay->state ? stream_status(overlay, s, index) : idle_status(overlay, s, index);
}

/* SPEC: LoadConfigurationFromL1: reading shows what is left of the phase. */
static uint32_t header(const struct overlay *overlay, unsigned s)
{
    uint32_t word = overlay_words(overlay, s)[OVERLAY_PHASE_AUTO_CFG_HEADER];
    if (!overlay->state) {
        return word;
    }
    uint32_t remaining = overlay->state[s].remaining;
    return make_NEXT_PHASE_NUM_CFG_REG_WRITES(get_NEXT_PHASE_NUM_CFG_REG_WRITES(word)) |
           make_CURR_PHASE_NUM_MSGS(remaining) | make_PHASE_NUM_INCR(remaining);
}

static uint32_t value_of(const struct overlay *overlay, const struct overlay_row *row, unsigned s,
                         unsigned index)
{
    const uint32_t *word = overlay_words(overlay, s);
    switch ((enum kind)row->kind) {
    case PHASE:
        return (word[index] - word[OVERLAY_CURR_PHASE_BASE]) & low_bits(row->bits);
    case AUTO_CFG_PTR:
        return (word[index] - word[OVERLAY_PHASE_AUTO_CFG_PTR_BASE]) & low_bits(row->bits);
    case STATUS:
        return status(overlay, s, index);
    case HEADER:
        return header(overlay, s);
    case MULTI_CLEAR:
        return overlay->state ? overlay->state[s].to_clear : 0;
    case COMMAND:
    case SPACE_UPDATE:
        return 0;
    default:
        return word[index];
    }
}

uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index)
{
    const struct overlay_row *row = find_row(index);
    if (stream >= overlay_count(overlay)) {
        return 0;
    }
    if (!row) {
        return overlay_words(overlay, stream)[index];
    }
    return overlay_has(overlay, row->class, stream) ? value_of(overlay, row, stream, index) : 0;
}

static enum overlay_effect refuse_absent(struct overlay *overlay, unsigned stream)
{
    overlay_refuse(overlay, stream, "the tile has streams 0 to %u only",
                   overlay_count(overlay) - 1);
    return OVERLAY_REFUSED;
}

enum overlay_effect overlay_read(struct overlay *overlay, unsigned stream, unsigned index,
                                 bool effects, uint32_t *value)
{
    const struct overlay_row *row = find_row(index);
    *value = overlay_register(overlay, stream, index);
    if (stream >= overlay_count(overlay)) {
        return refuse_absent(overlay, stream);
    }
    if (index == OVERLAY_BLOB_NEXT_AUTO_CFG_DONE && effects && *value) {
        unsigned number = *value & ~(unsigned)BLOB_VALID;
        overlay_words(overlay, 0)[OVERLAY_BLOB_AUTO_CFG_DONE + number / 32] &=
            ~(UINT32_C(1) << number % 32);
        overlay->blob_turn = (uint8_t)((number + 1) % OVERLAY_STREAMS);
    }
    return !row || row->kind == BLIND ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}

bool overlay_interrupt(const struct overlay *overlay)
{
    const uint32_t *word = overlay_words(overlay, 0);
    return word[OVERLAY_BLOB_AUTO_CFG_DONE] || word[OVERLAY_BLOB_AUTO_CFG_DONE + 1];
}

/* --- Writing --- */

/* Untouched pages of the register files stay shared as long as nothing changes in them. */
static void set(uint32_t *word, uint32_t value)
{
    if (*word != value) {
        *word = value;
    }
}

static void update_space(struct overlay *overlay, unsigned s, uint32_t value)
{
    unsigned receiver = get_UPDATE_DEST_NUM(value);
    if (receiver >= overlay_counters(overlay, s)) {
        return;
    }
    uint32_t *space =
        &overlay_words(overlay, s)[OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + receiver];
    set(space, make_WORDS_FREE(get_WORDS_FREE(*space) + get_UPDATE_WORDS(value)) |
                   make_HEADERS_FREE(get_HEADERS_FREE(*space) + get_UPDATE_HEADERS(value)));
}

static void set_all_space(struct overlay *overlay, unsigned s, uint32_t mask, uint32_t value)
{
    uint32_t *space = &overlay_words(overlay, s)[OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE];
    for (unsigned i = 0; i < overlay_counters(overlay, s); i++) {
        set(&space[i], (space[i] & ~mask) | value);
    }
}

/* SPEC: LoadConfigurationFromL1, the header's write behaviour. What was received of a phase that
 * runs stays received. */
void overlay_write_header(struct overlay *overlay, unsigned s, uint32_t value)
{
    uint32_t *word = overlay_words(overlay, s);
    set(&word[OVERLAY_CURR_PHASE],
        (word[OVERLAY_CURR_PHASE] + get_PHASE_NUM_INCR(value)) & PHASE_MASK);
    set(&word[OVERLAY_PHASE_AUTO_CFG_HEADER], value & ~make_PHASE_NUM_INCR(UINT32_MAX));
    if (!overlay->state) {
        return;
    }
    struct overlay_stream *stream = &overlay->state[s];
    if (get_PHASE_AUTO_CONFIG(word[OVERLAY_ONETIME_MISC_CFG])) {
        uint32_t bytes = (stream->next_configuration + 1) * 4;
        set(&word[OVERLAY_PHASE_AUTO_CFG_PTR],
            (word[OVERLAY_PHASE_AUTO_CFG_PTR] + bytes) & POINTER_MASK);
    }
    uint32_t held = stream->remaining - stream->to_receive;
    stream->next_configuration = get_NEXT_PHASE_NUM_CFG_REG_WRITES(value);
    stream->remaining = get_CURR_PHASE_NUM_MSGS(value);
    stream->to_receive = stream->remaining > held ? stream->remaining - held : 0;
}

/* Effects of software's writes on other registers; returns the value to store. */
static uint32_t stored(struct overlay *overlay, const struct overlay_row *row, unsigned s,
                       unsigned index, uint32_t value)
{
    uint32_t *word = overlay_words(overlay, s);
    switch ((enum kind)row->kind) {
    case PHASE:
        return (value + word[OVERLAY_CURR_PHASE_BASE]) & low_bits(row->bits);
    case AUTO_CFG_PTR:
        return (value + word[OVERLAY_PHASE_AUTO_CFG_PTR_BASE]) & low_bits(row->bits);
    case DEST_BUF_START:
        set(&word[OVERLAY_REMOTE_DEST_WR_PTR], 0);
        break;
    case DEST_BUF_SIZE:
        set_all_space(overlay, s, make_WORDS_FREE(UINT32_MAX), make_WORDS_FREE(value));
        break;
    case DEST_HEADERS: /* the size is a power of two */
        set_all_space(overlay, s, make_HEADERS_FREE(UINT32_MAX),
                      make_HEADERS_FREE(UINT32_C(2) << value));
        break;
    case BUF_START:
        set(&word[OVERLAY_RD_PTR], 0);
        set(&word[OVERLAY_WR_PTR], 0);
        break;
    case RD_PTR:
        set(&word[OVERLAY_NEXT_RECEIVED_MSG_SIZE], 0);
        set(&word[OVERLAY_NEXT_RECEIVED_MSG_ADDR],
            (word[OVERLAY_BUF_START] + value) & OVERLAY_POINTER);
        break;
    case SOURCES: /* SPEC: AsGeneralUse: an Ethernet tile has fewer streams */
        if (is_ethernet(overlay) && index != OVERLAY_LOCAL_SRC_MASK) {
            return index == OVERLAY_LOCAL_SRC_MASK_HI ? 0 : value & low_bits(ETHERNET_SOURCES);
        }
        break;
    default:
        break;
    }
    return value;
}

static void set_offset(struct overlay *overlay, uint32_t value)
{
    for (unsigned i = 0; i < OVERLAY_OFFSETS && get_OFFSET_CLEAR(value); i++) {
        overlay->offset[i] = 0;
    }
    if (!get_OFFSET_CLEAR(value)) {
        overlay->offset[get_OFFSET_INDEX_SEL(value)] = get_OFFSET_VAL(value);
    }
}

static bool advance(struct overlay *overlay, unsigned s)
{
    struct overlay_stream *stream = &overlay->state[s];
    if (stream->state != OVERLAY_IDLE && stream->state != OVERLAY_READY) {
        return true; /* SPEC: no effect */
    }
    if (!overlay_check(overlay, s)) {
        return false;
    }
    overlay_start(overlay, s);
    return true;
}

/* A request of a transmitter: answered as long as none of its data has come. */
static void asked(struct overlay_stream *stream)
{
    if (stream->state == OVERLAY_RUNNING && stream->awaits_source) {
        stream->response = OVERLAY_TWO_WAY;
    }
}

/* Writes that start something; false: refused. */
static bool command(struct overlay *overlay, unsigned s, unsigned index, uint32_t value)
{
    switch (index) {
    case OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO:
        return overlay_push_message(overlay, s, value);
    case OVERLAY_NUM_MSGS_RECEIVED_INC:
        return overlay_push_headers(overlay, s, value);
    case OVERLAY_RELOAD_PHASE_BLOB:
        overlay_reload(overlay, s, value);
        return true;
    case OVERLAY_GLOBAL_OFFSET_TABLE:
        set_offset(overlay, value);
        return true;
    case OVERLAY_MSG_INFO_CLEAR:
        return overlay_clear_info(overlay, s, value);
    case OVERLAY_MSG_DATA_CLEAR:
        return overlay_clear_data(overlay, s);
    case OVERLAY_PHASE_ADVANCE:
        return advance(overlay, s);
    case OVERLAY_DEST_PHASE_READY_UPDATE:
        overlay_answered(overlay, s, value);
        return true;
    case OVERLAY_SRC_READY_UPDATE:
        asked(&overlay->state[s]);
        return true;
    default:
        overlay_reset_stream(overlay, s);
        return true;
    }
}

static enum overlay_effect write_command(struct overlay *overlay, unsigned s, unsigned index,
                                         uint32_t value)
{
    if (!overlay->board) {
        return OVERLAY_UNMODELLED;
    }
    if (!command(overlay, s, index, value)) {
        return OVERLAY_REFUSED;
    }
    overlay->due |= overlay_bit(s);
    return OVERLAY_DONE;
}

/* PHASE_AUTO_CONFIG lets a stream that waits for software load its configuration. */
static enum overlay_effect write_onetime(struct overlay *overlay, unsigned s, uint32_t value)
{
    set(&overlay_words(overlay, s)[OVERLAY_ONETIME_MISC_CFG], value);
    if (!overlay->board) {
        return get_PHASE_AUTO_CONFIG(value) ? OVERLAY_UNMODELLED : OVERLAY_DONE;
    }
    if (get_PHASE_AUTO_CONFIG(value) && overlay->state[s].state == OVERLAY_IDLE) {
        overlay->state[s].state = OVERLAY_LOADING;
        overlay->due |= overlay_bit(s);
    }
    return OVERLAY_DONE;
}

static enum overlay_effect write_to_clear(struct overlay *overlay, unsigned s, uint32_t value)
{
    if (!overlay->board) {
        return value ? OVERLAY_UNMODELLED : OVERLAY_DONE;
    }
    if (overlay->state[s].to_clear != value) {
        overlay->state[s].to_clear = value;
        overlay->due |= overlay_bit(s);
    }
    return OVERLAY_DONE;
}

/* A write with effects. */
static enum overlay_effect write(struct overlay *overlay, const struct overlay_row *row, unsigned s,
                                 unsigned index, uint32_t value)
{
    uint32_t *word = overlay_words(overlay, s);
    switch ((enum kind)row->kind) {
    case COMMAND:
        return write_command(overlay, s, index, value);
    case ONETIME:
        return write_onetime(overlay, s, value);
    case MULTI_CLEAR:
        return write_to_clear(overlay, s, value);
    case SPACE_UPDATE:
        update_space(overlay, s, value);
        break;
    case WRITE_CLEARS:
        word[index] &= ~value;
        return OVERLAY_DONE;
    case HEADER:
        overlay_write_header(overlay, s, value);
        break;
    default:
        set(&word[index], stored(overlay, row, s, index, value));
        break;
    }
    if (overlay->state && overlay->state[s].state != OVERLAY_IDLE) {
        overlay->due |= overlay_bit(s);
    }
    return row->kind == LATER ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}

static bool is_read_only(const struct overlay_row *row)
{
    return row->kind == HELD || row->kind == BLIND || row->kind == STATUS;
}

enum overlay_effect overlay_write(struct overlay *overlay, unsigned stream, unsigned index,
                                  bool effects, uint32_t value)
{
    const struct overlay_row *row = find_row(index);
    if (stream >= overlay_count(overlay)) {
        return refuse_absent(overlay, stream);
    }
    if (!row) {
        set(&overlay_words(overlay, stream)[index], value);
        return OVERLAY_UNMODELLED;
    }
    if (!overlay_has(overlay, row->class, stream) || is_read_only(row)) {
        return OVERLAY_DONE;
    }
    value &= low_bits(row->bits);
    if (!effects) {
        set(&overlay_words(overlay, stream)[index], value);
        return OVERLAY_DONE;
    }
    return write(overlay, row, stream, index, value);
}
