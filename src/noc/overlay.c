/* Registers of the overlay. */
#include "noc/overlay.h"

#include <stdarg.h>
#include <stdio.h>

#include "noc/overlay_stream.h"

enum kind {
    UNNAMED,
    /* reads as what is stored */
    PLAIN,
    HELD,
    COMMAND,
    LATER,
    ONETIME,
    DEST_BUF_START,
    DEST_BUF_SIZE,
    DEST_HEADERS,
    BUF_START,
    RD_PTR,
    INFO_PTR,
    SOURCES,
    SPACE_UPDATE,
    WRITE_CLEARS,
    /* reads as something else */
    BLIND,
    PHASE,
    AUTO_CFG_PTR,
    STATUS,
    NEXT,
    HEADER,
    MULTI_CLEAR,
    SPACE,
    FIRST_DERIVED = BLIND,
};

#define LOW_BITS(bits) ((bits) >= 32 ? UINT32_MAX : (UINT32_C(1) << (bits) % 32) - 1)

static const struct overlay_row {
    const char *name;
    uint32_t mask; /* bits that can be written */
    uint16_t first;
    uint8_t words, class;
} rows[] = {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    {"STREAM_" #name, LOW_BITS(bits), index, words, OVERLAY_##streams},
#include "overlay.def"
#undef OVERLAY
};

/* --- Where registers are --- */

/* Numbers of rows. */
enum {
#define OVERLAY(index, words, name, bits, streams, kind) ROW_##name,
#include "overlay.def"
#undef OVERLAY
};

/* The last stream of a class, plus one. */
enum {
    WIDTH_ALL = OVERLAY_STREAMS,
    WIDTH_MULTICAST = 4,
    WIDTH_GATHERS = 6,
    WIDTH_ENDPOINT = 6,
    WIDTH_DRAM = 12,
    WIDTH_ENDPOINT_OR_DRAM = 12,
    WIDTH_ZERO = 1,
};

/* Where registers of a kind are. First come those that tt-metal's circular buffers use and that
 * every access looks at, so that they share a page. */
enum {
    NOWHERE,
    FIRST,
    BEHIND,
    WHERE_PLAIN = BEHIND,
    WHERE_HELD = FIRST,
    WHERE_COMMAND = NOWHERE,
    WHERE_BLIND = NOWHERE,
    WHERE_LATER = BEHIND,
    WHERE_ONETIME = BEHIND,
    WHERE_DEST_BUF_START = FIRST,
    WHERE_DEST_BUF_SIZE = FIRST,
    WHERE_DEST_HEADERS = BEHIND,
    WHERE_BUF_START = BEHIND,
    WHERE_RD_PTR = BEHIND,
    WHERE_INFO_PTR = BEHIND,
    WHERE_SOURCES = BEHIND,
    WHERE_SPACE_UPDATE = NOWHERE,
    WHERE_WRITE_CLEARS = FIRST,
    WHERE_PHASE = BEHIND,
    WHERE_AUTO_CFG_PTR = BEHIND,
    WHERE_STATUS = NOWHERE,
    WHERE_NEXT = BEHIND,
    WHERE_HEADER = BEHIND,
    WHERE_MULTI_CLEAR = NOWHERE,
    WHERE_SPACE = BEHIND,
};

/* Where the words of a row start, in overlay_file: (words) * WIDTH of them. */
enum {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    FIRST_##name,                                                                                  \
        FIRST_END_##name = FIRST_##name + (words)*WIDTH_##streams * (WHERE_##kind == FIRST) - 1,
#include "overlay.def"
#undef OVERLAY
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    BEHIND_##name,                                                                                 \
        BEHIND_END_##name =                                                                        \
            BEHIND_##name + (words)*WIDTH_##streams * (WHERE_##kind == BEHIND) - 1,
#include "overlay.def"
#undef OVERLAY
    DENSE_WORDS,
};

enum {
    NAMED_WORDS = 0
#define OVERLAY(index, words, name, bits, streams, kind) +(words)
#include "overlay.def"
#undef OVERLAY
    ,
    STRAY_WORDS = OVERLAY_REGISTERS - NAMED_WORDS, /* of a stream, words without a name */
    FEWEST_STREAMS = 16,                           /* of any tile */
    PAGE_BYTES = 4096,
};

_Static_assert(sizeof(struct overlay_file) + 4 * DENSE_WORDS <= 3 * PAGE_BYTES, "three pages");
_Static_assert(sizeof(struct overlay_file) + 4 * (DENSE_WORDS + FEWEST_STREAMS * STRAY_WORDS) <=
                   FEWEST_STREAMS * OVERLAY_STREAM_BYTES,
               "all words of a tile's streams fit into its part of the memory");

#define SPAN_1(i, at, width, kind, row)                                                            \
    [(i)] = {(at), (width), (kind) < FIRST_DERIVED ? (width) : 0, (kind), (row)},
#define SPAN_2(i, at, width, kind, row)                                                            \
    SPAN_1(i, at, width, kind, row) SPAN_1((i) + 1, (at) + (width), width, kind, row)
#define SPAN_4(i, at, width, kind, row)                                                            \
    SPAN_2(i, at, width, kind, row) SPAN_2((i) + 2, (at) + 2 * (width), width, kind, row)
#define SPAN_5(i, at, width, kind, row)                                                            \
    SPAN_4(i, at, width, kind, row) SPAN_1((i) + 4, (at) + 4 * (width), width, kind, row)
#define SPAN_6(i, at, width, kind, row)                                                            \
    SPAN_4(i, at, width, kind, row) SPAN_2((i) + 4, (at) + 4 * (width), width, kind, row)
#define SPAN_8(i, at, width, kind, row)                                                            \
    SPAN_4(i, at, width, kind, row) SPAN_4((i) + 4, (at) + 4 * (width), width, kind, row)
#define SPAN_16(i, at, width, kind, row)                                                           \
    SPAN_8(i, at, width, kind, row) SPAN_8((i) + 8, (at) + 8 * (width), width, kind, row)
#define SPAN_31(i, at, width, kind, row)                                                           \
    SPAN_16(i, at, width, kind, row)                                                               \
    SPAN_8((i) + 16, (at) + 16 * (width), width, kind, row)                                        \
    SPAN_6((i) + 24, (at) + 24 * (width), width, kind, row)                                        \
    SPAN_1((i) + 30, (at) + 30 * (width), width, kind, row)
#define SPAN_32(i, at, width, kind, row)                                                           \
    SPAN_16(i, at, width, kind, row) SPAN_16((i) + 16, (at) + 16 * (width), width, kind, row)
#define SPAN_96(i, at, width, kind, row)                                                           \
    SPAN_32(i, at, width, kind, row)                                                               \
    SPAN_32((i) + 32, (at) + 32 * (width), width, kind, row)                                       \
    SPAN_32((i) + 64, (at) + 64 * (width), width, kind, row)

const struct overlay_place overlay_places[OVERLAY_NAMED_REGISTERS] = {
#define OVERLAY(index, words, name, bits, streams, kind)                                           \
    SPAN_##words(index, WHERE_##kind == FIRST ? FIRST_##name : BEHIND_##name,                      \
                 WIDTH_##streams * (WHERE_##kind != NOWHERE), kind, ROW_##name)
#include "overlay.def"
#undef OVERLAY
};

const struct overlay_stream overlay_unused_stream = {0};

/* A word that no source names. They are stored without gaps too. */
static uint32_t *stray_word(const struct overlay *overlay, unsigned s, unsigned index)
{
    unsigned named = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        named += rows[i].first < index ? rows[i].words : 0;
    }
    return &overlay->stream->word[DENSE_WORDS + s * STRAY_WORDS + index - named];
}

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

static enum kind kind_of(unsigned index)
{
    return index < OVERLAY_NAMED_REGISTERS ? overlay_places[index].kind : UNNAMED;
}

/* A register of a stream that the tile has, which reads as what is stored. */
static bool is_stored(const struct overlay *overlay, unsigned s, unsigned index)
{
    enum kind kind = kind_of(index);
    return s < overlay_count(overlay) && kind != UNNAMED && kind < FIRST_DERIVED;
}

static const struct overlay_row *find_row(unsigned index)
{
    return kind_of(index) == UNNAMED ? NULL : &rows[overlay_places[index].row];
}

const char *overlay_register_name(unsigned index)
{
    const struct overlay_row *row = find_row(index);
    return row ? row->name : NULL;
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
    return s < WIDTH_MULTICAST && overlay_has(overlay, OVERLAY_MULTICAST, s) ? OVERLAY_RECEIVERS
                                                                             : 1;
}

static bool has_deep_fifos(unsigned s)
{
    return s < 12 && s != 6 && s != 7;
}

/* SPEC: README has 8 for streams 4 and 5 of a Wormhole tile, two groups of four; the header has
 * four groups for Blackhole. A gathering stream keeps two. */
unsigned overlay_message_capacity(const struct overlay *overlay, unsigned s)
{
    if (get_LOCAL_SOURCES_CONNECTED(overlay_look(overlay, s)->misc)) {
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
    overlay->state = (void *)((uint8_t *)memory + OVERLAY_FILE_BYTES);
    overlay->l1 = l1;
    overlay->l1_size = l1_size;
    overlay->board = board;
    overlay->owner = owner;
}

/* Pages of zeros stay untouched. */
static void clear_words(void *memory, size_t bytes)
{
    uint64_t *word = memory;
    for (size_t i = 0; i < bytes / sizeof *word; i++) {
        if (word[i]) {
            word[i] = 0;
        }
    }
}

void overlay_reset(struct overlay *overlay)
{
    struct overlay fresh = {0};
    clear_words(overlay->stream, OVERLAY_FILE_BYTES);
    clear_words(overlay->state, OVERLAY_MEMORY_BYTES - OVERLAY_FILE_BYTES);
    overlay_attach(&fresh, overlay->streams, overlay->stream, overlay->l1, overlay->l1_size,
                   overlay->board, overlay->owner);
    *overlay = fresh;
}

bool overlay_is_used(const struct overlay *overlay, unsigned stream)
{
    return stream < overlay_count(overlay) && overlay->stream->used & overlay_bit(stream);
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
    overlay_own(overlay, s)->is_stuck = true;
    overlay_set(overlay, s, OVERLAY_DEBUG_ASSERTIONS,
                overlay_get(overlay, s, OVERLAY_DEBUG_ASSERTIONS) | 1);
    overlay->board->fault(overlay->owner, s, overlay->rule, overlay->now);
}

/* --- Reading --- */

static uint64_t blobs_done(const struct overlay *overlay)
{
    const uint32_t *word = &overlay->stream->word[FIRST_BLOB_AUTO_CFG_DONE];
    return word[0] | (uint64_t)word[1] << 32;
}

/* "In a fair manner": GUESS, in turn. */
static uint32_t next_blob(const struct overlay *overlay)
{
    uint64_t done = blobs_done(overlay);
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
    const struct overlay_message *message = message_at(overlay_look(overlay, s), i / words);
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
    uint32_t size = UINT32_C(2) << overlay_get(overlay, s, OVERLAY_MSG_INFO_BUF_SIZE);
    uint32_t used = overlay_headers(overlay, s);
    return used < size ? size - used : 0;
}

/* Registers that need more than the stream's words. */
static uint32_t stream_status(const struct overlay *overlay, unsigned s, unsigned index)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    bool runs = stream->state == OVERLAY_RUNNING;
    bool is_full = stream->messages >= overlay_message_capacity(overlay, s);
    switch (index) {
    case OVERLAY_WAIT_STATUS:
        return wait_status(stream);
    case OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM:
        return stream->messages + overlay_headers(overlay, s);
    case OVERLAY_MSG_INFO_BUF_SPACE_AVAILABLE:
        return header_room(overlay, s);
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
    case OVERLAY_DEBUG_STATUS_2:
        return (overlay_all_have_space(overlay, s) ? ALL_HAVE_SPACE : 0) |
               (stream->readings < overlay_reading_capacity(overlay, s) ? READINGS_HAVE_ROOM : 0);
    case OVERLAY_DEBUG_STATUS_8: /* GUESS: the other states are not known */
        return runs && stream->sending == OVERLAY_AWAITS ? SOURCE_READY_WAITS << SOURCE_READY_SHIFT
                                                         : 0;
    case OVERLAY_DEBUG_STATUS_9:
        return pending(stream);
    default: /* RECEIVER_MSG_INFO */
        return message_info(overlay, s, index - OVERLAY_RECEIVER_MSG_INFO);
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
    return stream_status(overlay, s, index);
}

/* SPEC: LoadConfigurationFromL1: reading shows what is left of the phase. */
static uint32_t header(const struct overlay *overlay, unsigned s)
{
    uint32_t word = overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_HEADER);
    uint32_t remaining = overlay_look(overlay, s)->remaining;
    return make_NEXT_PHASE_NUM_CFG_REG_WRITES(get_NEXT_PHASE_NUM_CFG_REG_WRITES(word)) |
           make_CURR_PHASE_NUM_MSGS(remaining) | make_PHASE_NUM_INCR(remaining);
}

static uint32_t next_message(const struct overlay *overlay, unsigned s, unsigned index)
{
    return overlay_look(overlay, s)->messages
               ? message_info(overlay, s, index - OVERLAY_NEXT_RECEIVED_MSG_ADDR)
               : overlay_get(overlay, s, index);
}

static uint32_t difference(const struct overlay *overlay, unsigned s, unsigned index, unsigned base)
{
    return overlay_get(overlay, s, index) - overlay_get(overlay, s, base);
}

static uint32_t derived(const struct overlay *overlay, unsigned s, unsigned index)
{
    const struct overlay_row *row = find_row(index);
    switch (kind_of(index)) {
    case PHASE:
        return difference(overlay, s, index, OVERLAY_CURR_PHASE_BASE) & row->mask;
    case AUTO_CFG_PTR:
        return difference(overlay, s, index, OVERLAY_PHASE_AUTO_CFG_PTR_BASE) & row->mask;
    case STATUS:
        return overlay_has(overlay, row->class, s) ? status(overlay, s, index) : 0;
    case NEXT:
        return next_message(overlay, s, index);
    case HEADER:
        return header(overlay, s);
    case MULTI_CLEAR:
        return overlay_look(overlay, s)->to_clear;
    case SPACE:
        return overlay_has(overlay, row->class, s)
                   ? overlay_space(overlay, s, index - OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE)
                   : 0;
    default: /* BLIND */
        return 0;
    }
}

/* Not what circular buffers poll. */
static __attribute__((noinline)) uint32_t other_register(const struct overlay *overlay, unsigned s,
                                                         unsigned index)
{
    if (s >= overlay_count(overlay)) {
        return 0;
    }
    return kind_of(index) == UNNAMED ? *stray_word(overlay, s, index) : derived(overlay, s, index);
}

uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index)
{
    return is_stored(overlay, stream, index) ? overlay_get(overlay, stream, index)
                                             : other_register(overlay, stream, index);
}

static enum overlay_effect refuse_absent(struct overlay *overlay, unsigned stream)
{
    overlay_refuse(overlay, stream, "the tile has streams 0 to %u only",
                   overlay_count(overlay) - 1);
    return OVERLAY_REFUSED;
}

static __attribute__((noinline)) enum overlay_effect
read_other(struct overlay *overlay, unsigned s, unsigned index, bool effects, uint32_t *value)
{
    enum kind kind = kind_of(index);
    *value = other_register(overlay, s, index);
    if (s >= overlay_count(overlay)) {
        return refuse_absent(overlay, s);
    }
    if (index == OVERLAY_BLOB_NEXT_AUTO_CFG_DONE && effects && *value) {
        unsigned number = *value & ~(unsigned)BLOB_VALID;
        overlay->stream->word[FIRST_BLOB_AUTO_CFG_DONE + number / 32] &=
            ~(UINT32_C(1) << number % 32);
        overlay->blob_turn = (uint8_t)((number + 1) % OVERLAY_STREAMS);
    }
    return kind == UNNAMED || kind == BLIND ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}

enum overlay_effect overlay_read(struct overlay *overlay, unsigned stream, unsigned index,
                                 bool effects, uint32_t *value)
{
    if (!is_stored(overlay, stream, index)) {
        return read_other(overlay, stream, index, effects, value);
    }
    *value = overlay_get(overlay, stream, index);
    return OVERLAY_DONE;
}

bool overlay_interrupt(const struct overlay *overlay)
{
    return blobs_done(overlay) != 0;
}

/* --- Writing --- */

static void update_space(struct overlay *overlay, unsigned s, uint32_t value)
{
    unsigned receiver = get_UPDATE_DEST_NUM(value);
    if (receiver < overlay_counters(overlay, s)) {
        uint32_t space = overlay_space(overlay, s, receiver);
        uint32_t words = get_WORDS_FREE(space) + get_UPDATE_WORDS(value);
        uint32_t headers = get_HEADERS_FREE(space) + get_UPDATE_HEADERS(value);
        overlay_set_space(overlay, s, receiver,
                          make_WORDS_FREE(words) | make_HEADERS_FREE(headers));
    }
}

/* SPEC: LoadConfigurationFromL1, the header's write behaviour. What was received of a phase that
 * runs stays received. */
void overlay_write_header(struct overlay *overlay, unsigned s, uint32_t value)
{
    const struct overlay_stream *before = overlay_look(overlay, s);
    uint32_t held = before->remaining - before->to_receive;
    uint32_t messages = get_CURR_PHASE_NUM_MSGS(value);
    uint32_t next_configuration = get_NEXT_PHASE_NUM_CFG_REG_WRITES(value);
    uint32_t phase = overlay_get(overlay, s, OVERLAY_CURR_PHASE) + get_PHASE_NUM_INCR(value);
    overlay_set(overlay, s, OVERLAY_CURR_PHASE, phase & PHASE_MASK);
    overlay_set(overlay, s, OVERLAY_PHASE_AUTO_CFG_HEADER,
                value & ~make_PHASE_NUM_INCR(UINT32_MAX));
    if (get_PHASE_AUTO_CONFIG(overlay_get(overlay, s, OVERLAY_ONETIME_MISC_CFG))) {
        uint32_t to = overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR) +
                      (before->next_configuration + 1) * 4;
        overlay_set(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR, to & POINTER_MASK);
    }
    if (messages || next_configuration || overlay_is_used(overlay, s)) {
        struct overlay_stream *stream = overlay_own(overlay, s);
        stream->next_configuration = next_configuration;
        stream->remaining = messages;
        stream->to_receive = messages > held ? messages - held : 0;
    }
}

/* Effects of software's writes on other registers; returns the value to store. */
static __attribute__((noinline)) uint32_t stored(struct overlay *overlay,
                                                 const struct overlay_row *row, unsigned s,
                                                 unsigned index, uint32_t value)
{
    switch (kind_of(index)) {
    case PHASE:
        return (value + overlay_get(overlay, s, OVERLAY_CURR_PHASE_BASE)) & row->mask;
    case AUTO_CFG_PTR:
        return (value + overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR_BASE)) & row->mask;
    case DEST_HEADERS: /* the size is a power of two */
        overlay_set_all_space(overlay, s, make_HEADERS_FREE(UINT32_MAX),
                              make_HEADERS_FREE(UINT32_C(2) << value));
        break;
    case BUF_START:
        overlay_set(overlay, s, OVERLAY_RD_PTR, 0);
        overlay_set(overlay, s, OVERLAY_WR_PTR, 0);
        break;
    case RD_PTR:
        overlay_set(overlay, s, OVERLAY_NEXT_RECEIVED_MSG_SIZE, 0);
        overlay_set(overlay, s, OVERLAY_NEXT_RECEIVED_MSG_ADDR,
                    (overlay_get(overlay, s, OVERLAY_BUF_START) + value) & OVERLAY_POINTER);
        break;
    case INFO_PTR: /* the header array is empty; two pointers are offsets in it */
        overlay_set(overlay, s, OVERLAY_MSG_INFO_WR_PTR,
                    get_MSG_INFO_BUF_FLOW_CTRL(overlay_get(overlay, s, OVERLAY_MISC_CFG)) ? 0
                                                                                          : value);
        break;
    case SOURCES: /* SPEC: AsGeneralUse: an Ethernet tile has fewer streams */
        if (is_ethernet(overlay) && index != OVERLAY_LOCAL_SRC_MASK) {
            return index == OVERLAY_LOCAL_SRC_MASK_HI ? 0 : value & LOW_BITS(ETHERNET_SOURCES);
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
    unsigned state = overlay_look(overlay, s)->state;
    if (state != OVERLAY_IDLE && state != OVERLAY_READY) {
        return true; /* SPEC: no effect */
    }
    if (!overlay_check(overlay, s)) {
        return false;
    }
    overlay_start(overlay, s);
    return true;
}

/* A request of a transmitter: answered as long as none of its data has come. */
static void asked(struct overlay *overlay, unsigned s)
{
    const struct overlay_stream *stream = overlay_look(overlay, s);
    if (stream->state == OVERLAY_RUNNING && stream->awaits_source) {
        overlay_own(overlay, s)->response = OVERLAY_TWO_WAY;
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
        asked(overlay, s);
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
    overlay_set(overlay, s, OVERLAY_ONETIME_MISC_CFG, value);
    if (!overlay->board) {
        return get_PHASE_AUTO_CONFIG(value) ? OVERLAY_UNMODELLED : OVERLAY_DONE;
    }
    if (get_PHASE_AUTO_CONFIG(value) && overlay_look(overlay, s)->state == OVERLAY_IDLE) {
        overlay_own(overlay, s)->state = OVERLAY_LOADING;
        overlay->due |= overlay_bit(s);
    }
    return OVERLAY_DONE;
}

static enum overlay_effect write_to_clear(struct overlay *overlay, unsigned s, uint32_t value)
{
    if (!overlay->board) {
        return value ? OVERLAY_UNMODELLED : OVERLAY_DONE;
    }
    if (overlay_look(overlay, s)->to_clear != value) {
        overlay_own(overlay, s)->to_clear = value;
        overlay->due |= overlay_bit(s);
    }
    return OVERLAY_DONE;
}

/* A stream in a phase looks at its registers again. */
static void reconsider(struct overlay *overlay, unsigned s)
{
    if (overlay_look(overlay, s)->state != OVERLAY_IDLE) {
        overlay->due |= overlay_bit(s);
    }
}

/* A write with effects, but for those of overlay_write. */
static enum overlay_effect write(struct overlay *overlay, const struct overlay_row *row, unsigned s,
                                 unsigned index, uint32_t value)
{
    enum kind kind = kind_of(index);
    switch (kind) {
    case COMMAND:
        return write_command(overlay, s, index, value);
    case ONETIME:
        return write_onetime(overlay, s, value);
    case MULTI_CLEAR:
        return write_to_clear(overlay, s, value);
    case WRITE_CLEARS:
        overlay_set(overlay, s, index, overlay_get(overlay, s, index) & ~value);
        return OVERLAY_DONE;
    case HEADER:
        overlay_write_header(overlay, s, value);
        break;
    default:
        overlay_set(overlay, s, index, stored(overlay, row, s, index, value));
        break;
    }
    reconsider(overlay, s);
    return kind == LATER ? OVERLAY_UNMODELLED : OVERLAY_DONE;
}

static bool is_read_only(enum kind kind)
{
    return kind == HELD || kind == BLIND || kind == STATUS || kind == NEXT || kind == SPACE;
}

static __attribute__((noinline)) enum overlay_effect
write_other(struct overlay *overlay, unsigned s, unsigned index, bool effects, uint32_t value)
{
    const struct overlay_row *row = find_row(index);
    if (s >= overlay_count(overlay)) {
        return refuse_absent(overlay, s);
    }
    if (!row) {
        uint32_t *word = stray_word(overlay, s, index);
        if (*word != value) {
            *word = value;
        }
        return OVERLAY_UNMODELLED;
    }
    if (!overlay_has(overlay, row->class, s) || is_read_only(kind_of(index))) {
        return OVERLAY_DONE;
    }
    if (effects) {
        return write(overlay, row, s, index, value & row->mask);
    }
    overlay_set(overlay, s, index, value & row->mask);
    return OVERLAY_DONE;
}

/* The writes that configurations and circular buffers consist of are here, for speed. */
enum overlay_effect overlay_write(struct overlay *overlay, unsigned stream, unsigned index,
                                  bool effects, uint32_t value)
{
    enum kind kind = kind_of(index);
    bool is_common =
        kind == PLAIN || kind == DEST_BUF_START || kind == DEST_BUF_SIZE || kind == SPACE_UPDATE;
    if (stream >= overlay_count(overlay) || !effects || !is_common ||
        rows[overlay_places[index].row].class != OVERLAY_ALL) {
        return write_other(overlay, stream, index, effects, value);
    }
    value &= rows[overlay_places[index].row].mask;
    if (kind == DEST_BUF_START) {
        overlay_set(overlay, stream, OVERLAY_REMOTE_DEST_WR_PTR, 0);
    } else if (kind == DEST_BUF_SIZE) {
        overlay_set_all_space(overlay, stream, make_WORDS_FREE(UINT32_MAX), make_WORDS_FREE(value));
    } else if (kind == SPACE_UPDATE) {
        update_space(overlay, stream, value);
    }
    overlay_set(overlay, stream, index, value); /* SPACE_UPDATE has no word */
    reconsider(overlay, stream);
    return OVERLAY_DONE;
}
