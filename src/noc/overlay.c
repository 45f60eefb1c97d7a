/* Registers of the overlay. */
#include "noc/overlay.h"

#include "noc/overlay_stream.h"

/* What BY names in overlay.def. */
struct overlay_access {
    unsigned s, index; /* stream and number of the register */
    bool writes, effects;
    uint32_t value; /* written or, as the answer, read */
};
typedef enum answer overlay_handler(struct overlay *overlay, struct overlay_access *access);
static overlay_handler overlay_by_command, overlay_by_space_update, overlay_by_onetime,
    overlay_by_dest_buf_start, overlay_by_dest_buf_size, overlay_by_dest_headers,
    overlay_by_buf_start, overlay_by_rd_ptr, overlay_by_info_ptr, overlay_by_sources,
    overlay_by_phase, overlay_by_auto_cfg_ptr, overlay_by_header, overlay_by_multi_clear,
    overlay_by_status, overlay_by_next_message, overlay_by_space, overlay_by_next_blob;

#define REG_FILE    overlay_registers
#define REG_TABLE   "overlay.def"
#define REG_BY(has) overlay_by_##has
#define REG_PREFIX  "STREAM_"
#define IN(class)   .group = OVERLAY_##class,
#include "isa/reg_table.h"

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
    ETHERNET_SOURCES = 0xff, /* bits of the second LOCAL_SRC_MASK */
    PHASE_MASK = 0xfffff,
    POINTER_MASK = 0xffffff,
    OFFSET_SIGN = 0x800000, /* of an offset in 24 bits */
};

/* The absent register where no source names one. */
static const struct reg *row_of(unsigned index)
{
    struct reg_place place;
    (void)reg_find_in(&overlay_registers, BANK_STREAM, 4 * index, &place);
    return place.row;
}

_Static_assert(sizeof(struct overlay_stream) <= OVERLAY_STATE_BYTES, "room for a stream");

void overlay_attach(struct overlay *overlay, unsigned streams, void *memory, const uint8_t *l1,
                    uint32_t l1_size, const struct overlay_board *board, void *owner)
{
    overlay->streams = streams;
    overlay->word = memory;
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
    clear_words(overlay->word, OVERLAY_FILE_BYTES);
    clear_words(overlay->state, OVERLAY_MEMORY_BYTES - OVERLAY_FILE_BYTES);
    overlay_attach(&fresh, overlay->streams, overlay->word, overlay->l1, overlay->l1_size,
                   overlay->board, overlay->owner);
    *overlay = fresh;
}

/* --- Reading --- */

static uint64_t blobs_done(const struct overlay *overlay)
{
    return overlay_get(overlay, 0, OVERLAY_BLOB_AUTO_CFG_DONE) |
           (uint64_t)overlay_get(overlay, 0, OVERLAY_BLOB_AUTO_CFG_DONE + 1) << 32;
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

static enum answer overlay_by_status(struct overlay *overlay, struct overlay_access *access)
{
    unsigned offset = access->index - OVERLAY_GLOBAL_OFFSET_TABLE_RD;
    if (access->index == OVERLAY_BUF_SPACE_AVAILABLE) {
        access->value = overlay_room(overlay, access->s);
    } else if (offset < OVERLAY_OFFSETS) {
        access->value = overlay->offset[offset];
    } else {
        access->value = stream_status(overlay, access->s, access->index);
    }
    return ANSWER_DONE;
}

static enum answer overlay_by_next_blob(struct overlay *overlay, struct overlay_access *access)
{
    access->value = next_blob(overlay);
    if (access->effects && access->value) {
        unsigned number = access->value & ~(unsigned)BLOB_VALID;
        unsigned done = OVERLAY_BLOB_AUTO_CFG_DONE + number / 32;
        overlay_set(overlay, 0, done,
                    overlay_get(overlay, 0, done) & ~(UINT32_C(1) << number % 32));
        overlay->blob_turn = (uint8_t)((number + 1) % OVERLAY_STREAMS);
    }
    return ANSWER_DONE;
}

static enum answer overlay_by_next_message(struct overlay *overlay, struct overlay_access *access)
{
    unsigned s = access->s, index = access->index;
    access->value = overlay_look(overlay, s)->messages
                        ? message_info(overlay, s, index - OVERLAY_NEXT_RECEIVED_MSG_ADDR)
                        : overlay_get(overlay, s, index);
    return ANSWER_DONE;
}

static enum answer overlay_by_space(struct overlay *overlay, struct overlay_access *access)
{
    access->value =
        overlay_space(overlay, access->s, access->index - OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE);
    return ANSWER_DONE;
}

/* SPEC: LoadConfigurationFromL1: reading shows what is left of the phase. */
static uint32_t header(const struct overlay *overlay, unsigned s)
{
    uint32_t word = overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_HEADER);
    uint32_t remaining = overlay_look(overlay, s)->remaining;
    return make_NEXT_PHASE_NUM_CFG_REG_WRITES(get_NEXT_PHASE_NUM_CFG_REG_WRITES(word)) |
           make_CURR_PHASE_NUM_MSGS(remaining) | make_PHASE_NUM_INCR(remaining);
}

bool overlay_interrupt(const struct overlay *overlay)
{
    return blobs_done(overlay) != 0;
}

/* --- Writing --- */

/* A stream in a phase looks at its registers again. */
static void reconsider(struct overlay *overlay, unsigned s)
{
    if (overlay_look(overlay, s)->state != OVERLAY_IDLE) {
        overlay->due |= overlay_bit(s);
    }
}

static enum answer overlay_store(struct overlay *overlay, const struct overlay_access *access,
                                 uint32_t value)
{
    overlay_set(overlay, access->s, access->index, value);
    reconsider(overlay, access->s);
    return ANSWER_DONE;
}

static enum answer overlay_by_space_update(struct overlay *overlay, struct overlay_access *access)
{
    unsigned s = access->s, receiver = get_UPDATE_DEST_NUM(access->value);
    if (receiver < overlay_counters(overlay, s)) {
        uint32_t space = overlay_space(overlay, s, receiver);
        uint32_t words = get_WORDS_FREE(space) + get_UPDATE_WORDS(access->value);
        uint32_t headers = get_HEADERS_FREE(space) + get_UPDATE_HEADERS(access->value);
        overlay_set_space(overlay, s, receiver,
                          make_WORDS_FREE(words) | make_HEADERS_FREE(headers));
    }
    reconsider(overlay, s);
    return ANSWER_DONE;
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

static enum answer overlay_by_header(struct overlay *overlay, struct overlay_access *access)
{
    if (!access->writes) {
        access->value = header(overlay, access->s);
        return ANSWER_DONE;
    }
    if (!access->effects) {
        overlay_set(overlay, access->s, access->index, access->value);
        return ANSWER_DONE;
    }
    overlay_write_header(overlay, access->s, access->value);
    reconsider(overlay, access->s);
    return ANSWER_DONE;
}

/* A register that software sees from a base on. */
static enum answer access_based(struct overlay *overlay, struct overlay_access *access,
                                unsigned base)
{
    uint32_t from = overlay_get(overlay, access->s, base), kept = row_of(access->index)->kept;
    if (access->writes && !access->effects) {
        overlay_set(overlay, access->s, access->index, access->value);
        return ANSWER_DONE;
    }
    if (access->writes) {
        return overlay_store(overlay, access, (access->value + from) & ~kept);
    }
    access->value = (overlay_get(overlay, access->s, access->index) - from) & ~kept;
    return ANSWER_DONE;
}

static enum answer overlay_by_phase(struct overlay *overlay, struct overlay_access *access)
{
    return access_based(overlay, access, OVERLAY_CURR_PHASE_BASE);
}

static enum answer overlay_by_auto_cfg_ptr(struct overlay *overlay, struct overlay_access *access)
{
    return access_based(overlay, access, OVERLAY_PHASE_AUTO_CFG_PTR_BASE);
}

static enum answer overlay_by_dest_buf_start(struct overlay *overlay, struct overlay_access *access)
{
    overlay_set(overlay, access->s, OVERLAY_REMOTE_DEST_WR_PTR, 0);
    return overlay_store(overlay, access, access->value);
}

static enum answer overlay_by_dest_buf_size(struct overlay *overlay, struct overlay_access *access)
{
    overlay_set_all_space(overlay, access->s, make_WORDS_FREE(UINT32_MAX),
                          make_WORDS_FREE(access->value));
    return overlay_store(overlay, access, access->value);
}

/* The size is a power of two. */
static enum answer overlay_by_dest_headers(struct overlay *overlay, struct overlay_access *access)
{
    overlay_set_all_space(overlay, access->s, make_HEADERS_FREE(UINT32_MAX),
                          make_HEADERS_FREE(UINT32_C(2) << access->value));
    return overlay_store(overlay, access, access->value);
}

static enum answer overlay_by_buf_start(struct overlay *overlay, struct overlay_access *access)
{
    overlay_set(overlay, access->s, OVERLAY_RD_PTR, 0);
    overlay_set(overlay, access->s, OVERLAY_WR_PTR, 0);
    return overlay_store(overlay, access, access->value);
}

static enum answer overlay_by_rd_ptr(struct overlay *overlay, struct overlay_access *access)
{
    uint32_t start = overlay_get(overlay, access->s, OVERLAY_BUF_START);
    overlay_set(overlay, access->s, OVERLAY_NEXT_RECEIVED_MSG_SIZE, 0);
    overlay_set(overlay, access->s, OVERLAY_NEXT_RECEIVED_MSG_ADDR,
                (start + access->value) & OVERLAY_POINTER);
    return overlay_store(overlay, access, access->value);
}

/* The header array is empty; two pointers are offsets in it. */
static enum answer overlay_by_info_ptr(struct overlay *overlay, struct overlay_access *access)
{
    bool is_ring = get_MSG_INFO_BUF_FLOW_CTRL(overlay_get(overlay, access->s, OVERLAY_MISC_CFG));
    overlay_set(overlay, access->s, OVERLAY_MSG_INFO_WR_PTR, is_ring ? 0 : access->value);
    return overlay_store(overlay, access, access->value);
}

/* SPEC: AsGeneralUse: an Ethernet tile has fewer streams. */
static enum answer overlay_by_sources(struct overlay *overlay, struct overlay_access *access)
{
    uint32_t value = access->value;
    if (overlay_is_ethernet(overlay) && access->index != OVERLAY_LOCAL_SRC_MASK) {
        value = access->index == OVERLAY_LOCAL_SRC_MASK_HI ? 0 : value & ETHERNET_SOURCES;
    }
    return overlay_store(overlay, access, value);
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

/* Another configuration, at a signed offset from the pointer, comes next. GUESS: the pointer has
 * moved past the configuration that says so, and a stream in a phase looks when the phase ends. */
static void reload_blob(struct overlay *overlay, unsigned s, uint32_t offset)
{
    struct overlay_stream *stream = overlay_own(overlay, s);
    uint32_t pointer = overlay_get(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR);
    overlay_set(overlay, s, OVERLAY_PHASE_AUTO_CFG_PTR,
                (pointer + ((offset ^ OFFSET_SIGN) - OFFSET_SIGN)) & POINTER_MASK);
    if (stream->state == OVERLAY_LOADING) {
        stream->loads_again = true;
    } else if (stream->state == OVERLAY_IDLE || stream->state == OVERLAY_READY) {
        stream->state = OVERLAY_LOADING;
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
        reload_blob(overlay, s, value);
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

static enum answer overlay_by_command(struct overlay *overlay, struct overlay_access *access)
{
    if (!overlay->board) {
        return ANSWER_UNMODELLED;
    }
    if (!command(overlay, access->s, access->index, access->value)) {
        return ANSWER_REFUSED;
    }
    overlay->due |= overlay_bit(access->s);
    return ANSWER_DONE;
}

/* PHASE_AUTO_CONFIG lets a stream that waits for software load its configuration. */
static enum answer overlay_by_onetime(struct overlay *overlay, struct overlay_access *access)
{
    bool loads = get_PHASE_AUTO_CONFIG(access->value);
    overlay_set(overlay, access->s, OVERLAY_ONETIME_MISC_CFG, access->value);
    if (!overlay->board) {
        return loads ? ANSWER_UNMODELLED : ANSWER_DONE;
    }
    if (loads && overlay_look(overlay, access->s)->state == OVERLAY_IDLE) {
        overlay_own(overlay, access->s)->state = OVERLAY_LOADING;
        overlay->due |= overlay_bit(access->s);
    }
    return ANSWER_DONE;
}

static enum answer overlay_by_multi_clear(struct overlay *overlay, struct overlay_access *access)
{
    uint32_t to_clear = overlay_look(overlay, access->s)->to_clear;
    if (!access->writes) {
        access->value = to_clear;
        return ANSWER_DONE;
    }
    if (!access->effects) {
        return ANSWER_DONE;
    }
    if (!overlay->board) {
        return access->value ? ANSWER_UNMODELLED : ANSWER_DONE;
    }
    if (to_clear != access->value) {
        overlay_own(overlay, access->s)->to_clear = access->value;
        overlay->due |= overlay_bit(access->s);
    }
    return ANSWER_DONE;
}

/* --- Access --- */

static enum answer refuse_absent(struct overlay *overlay, unsigned stream)
{
    overlay_refuse(overlay, stream, "the tile has streams 0 to %u only",
                   overlay_count(overlay) - 1);
    return ANSWER_REFUSED;
}

static enum answer overlay_read_row(struct overlay *overlay, const struct reg *row,
                                    struct overlay_access *access)
{
    uint32_t *word = overlay_word(overlay, access->s, access->index);
    access->value = 0;
    if (row->kind == REG_ABSENT) {
        access->value = *word;
        return ANSWER_UNMODELLED;
    }
    if (!overlay_has(overlay, (enum overlay_class)row->group, access->s)) {
        return ANSWER_DONE;
    }
    switch (reg_read(row, word, access->effects, &access->value)) {
    case REG_ASK:
        return ((overlay_handler *)row->handler)(overlay, access);
    case REG_UNMODELLED:
        return ANSWER_UNMODELLED;
    case REG_DONE:
    case REG_DENIED:
        break;
    }
    return ANSWER_DONE;
}

enum answer overlay_read(struct overlay *overlay, unsigned stream, unsigned index, bool effects,
                         uint32_t *value)
{
    struct overlay_access access = {.s = stream, .index = index, .effects = effects};
    if (stream >= overlay_count(overlay)) {
        *value = 0;
        return refuse_absent(overlay, stream);
    }
    enum answer answer = overlay_read_row(overlay, row_of(index), &access);
    *value = access.value;
    return answer;
}

/* A read without effects changes nothing. */
uint32_t overlay_register(const struct overlay *overlay, unsigned stream, unsigned index)
{
    struct overlay_access access = {.s = stream, .index = index};
    if (stream < overlay_count(overlay)) {
        (void)overlay_read_row((struct overlay *)overlay, row_of(index), &access);
    }
    return access.value;
}

uint32_t overlay_stored(const struct overlay *overlay, unsigned stream, unsigned index)
{
    return stream < overlay_count(overlay) ? overlay_get(overlay, stream, index) : 0;
}

enum answer overlay_write(struct overlay *overlay, unsigned stream, unsigned index, bool effects,
                          uint32_t value)
{
    const struct reg *row = row_of(index);
    struct overlay_access access = {stream, index, true, effects, value & ~row->kept};
    if (stream >= overlay_count(overlay)) {
        return refuse_absent(overlay, stream);
    }
    if (row->kind == REG_ABSENT) {
        overlay_set(overlay, stream, index, value);
        return ANSWER_UNMODELLED;
    }
    if (!overlay_has(overlay, (enum overlay_class)row->group, stream)) {
        return ANSWER_DONE;
    }
    enum reg_reply reply =
        reg_write(row, overlay_word(overlay, stream, index), effects, access.value);
    if (reply == REG_ASK && row->kind == REG_ACTS && !effects) {
        overlay_set(overlay, stream, index, access.value);
        return ANSWER_DONE;
    }
    if (reply == REG_ASK) {
        return ((overlay_handler *)row->handler)(overlay, &access);
    }
    if (effects && (row->kind == REG_PLAIN || row->kind == REG_LATER)) {
        reconsider(overlay, stream);
    }
    return effects && reply == REG_UNMODELLED ? ANSWER_UNMODELLED : ANSWER_DONE;
}
