/* See writer.h and record.h. Tables of names, codes and streams are those of a block. */
#include "observe/trace/writer.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "observe/trace/record.h"

enum {
    SLOTS = 1 << 14, /* of a hash table, at most half of them used */
    MOST_ENTRIES = SLOTS / 2,
    LEVEL = 3,
};

/* A code is where an instruction is, and which one: the pc is that of the hart, the word perhaps that
 * of a Tensix instruction. */
struct known_code {
    uint32_t pc, word, symbol_offset, line;
    const char *symbol, *source, *inlined_at, *kernel;
    unsigned result;
};

struct known_name {
    const char *text; /* by its pointer */
    uint32_t number;
};

struct trace_writer {
    void (*put)(void *context, const void *bytes, size_t size);
    void *context;
    ZSTD_CCtx *compressor;
    uint8_t *block; /* header and compressed records */
    size_t block_room;
    uint8_t *records;
    size_t used;
    uint32_t events;
    uint64_t first_cycle, last_cycle;       /* the least and the greatest */
    uint64_t cycle, stream_number, code_pc; /* of the latest event or code */
    struct known_name name[SLOTS];
    uint32_t names;
    struct known_code code[MOST_ENTRIES];
    uint16_t code_slot[SLOTS]; /* a number; 0: empty */
    uint32_t codes;
    struct trace_stream *stream;
    uint16_t stream_slot[SLOTS]; /* a number and one */
    uint32_t streams, stream_room;
};

/* --- Bytes --- */

static void put_byte(struct trace_writer *writer, unsigned byte)
{
    writer->records[writer->used++] = (uint8_t)byte;
}

static void put_varint(struct trace_writer *writer, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        put_byte(writer, (unsigned)(value & 0x7f) | 0x80);
    }
    put_byte(writer, (unsigned)value);
}

static void put_head(struct trace_writer *writer, unsigned head)
{
    put_byte(writer, head & 0xff);
    put_byte(writer, head >> 8);
}

static void put_definition(struct trace_writer *writer, enum trace_definition what)
{
    put_head(writer, TRACE_DEFINITION | (unsigned)what << TRACE_KIND_BITS);
}

static void store_number(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* --- Tables --- */

static uint32_t hash_pointer(const void *pointer)
{
    return (uint32_t)((uintptr_t)pointer >> 3) * UINT32_C(0x9e3779b1);
}

static uint32_t slot_of(uint32_t hash)
{
    return hash * UINT32_C(0x85ebca6b) >> 18;
}

static uint64_t number_of_name(struct trace_writer *writer, const char *text)
{
    uint32_t at = slot_of(hash_pointer(text));
    if (!*text) {
        return 0;
    }
    while (writer->name[at].text && writer->name[at].text != text) {
        at = (at + 1) % SLOTS;
    }
    if (!writer->name[at].text) {
        size_t length = strnlen(text, TRACE_NAME_BYTES);
        writer->name[at] = (struct known_name){text, ++writer->names};
        put_definition(writer, TRACE_NAME);
        put_varint(writer, length);
        memcpy(writer->records + writer->used, text, length);
        writer->used += length;
    }
    return writer->name[at].number;
}

static bool is_same_code(const struct known_code *a, const struct known_code *b)
{
    return a->pc == b->pc && a->word == b->word && a->symbol_offset == b->symbol_offset &&
           a->line == b->line && a->symbol == b->symbol && a->source == b->source &&
           a->inlined_at == b->inlined_at && a->kernel == b->kernel && a->result == b->result;
}

static void define_code(struct trace_writer *writer, const struct known_code *code)
{
    uint64_t symbol = number_of_name(writer, code->symbol);
    uint64_t source = number_of_name(writer, code->source);
    uint64_t calls = number_of_name(writer, code->inlined_at);
    uint64_t kernel = number_of_name(writer, code->kernel);
    put_definition(writer, TRACE_CODE);
    put_varint(writer, trace_zigzag(code->pc - writer->code_pc));
    writer->code_pc = code->pc;
    for (unsigned i = 0; i < 4; i++) {
        put_byte(writer, code->word >> 8 * i & 0xff);
    }
    put_byte(writer, code->result);
    put_varint(writer, symbol);
    put_varint(writer, code->symbol_offset);
    put_varint(writer, source);
    put_varint(writer, code->line);
    if (calls) {
        put_definition(writer, TRACE_CALLS);
        put_varint(writer, calls);
    }
    if (kernel) {
        put_definition(writer, TRACE_KERNEL);
        put_varint(writer, kernel);
    }
}

static unsigned result_register(const struct penrose_trace_event *event)
{
    return event->has_result ? (event->result.file == PENROSE_F ? 32u : 0) + event->result.number
                             : TRACE_NO_REGISTER;
}

static uint64_t number_of_code(struct trace_writer *writer, const struct penrose_trace_event *event)
{
    const struct known_code code = {.pc = event->pc,
                                    .word = event->word,
                                    .symbol_offset = event->symbol_offset,
                                    .line = event->line,
                                    .symbol = event->symbol,
                                    .source = event->source,
                                    .inlined_at = event->inlined_at,
                                    .kernel = event->kernel,
                                    .result = result_register(event)};
    uint32_t at = slot_of((event->pc * 31 ^ event->word) + hash_pointer(event->symbol));
    if (!event->pc && !event->word) {
        return 0;
    }
    while (writer->code_slot[at] && !is_same_code(&writer->code[writer->code_slot[at]], &code)) {
        at = (at + 1) % SLOTS;
    }
    if (!writer->code_slot[at]) {
        define_code(writer, &code);
        writer->code_slot[at] = (uint16_t)++writer->codes;
        writer->code[writer->codes] = code;
    }
    return writer->code_slot[at];
}

static bool is_of_stream(const struct trace_stream *stream, const struct penrose_trace_event *event)
{
    return stream->x == event->x && stream->y == event->y && stream->agent == event->agent &&
           stream->thread == event->thread;
}

static void define_stream(struct trace_writer *writer, const struct penrose_trace_event *event)
{
    struct trace_stream *stream = &writer->stream[writer->streams];
    *stream = (struct trace_stream){
        .x = event->x, .y = event->y, .agent = event->agent, .thread = event->thread};
    stream->name = number_of_name(writer, event->agent_name);
    put_definition(writer, TRACE_STREAM);
    put_varint(writer, stream->x);
    put_varint(writer, stream->y);
    put_varint(writer, stream->agent);
    put_varint(writer, (uint64_t)(stream->thread + 1));
    put_varint(writer, stream->name);
}

static uint64_t number_of_stream(struct trace_writer *writer,
                                 const struct penrose_trace_event *event)
{
    uint32_t at = slot_of(event->x * 7919 + event->y * 104729 + event->agent * 4 +
                          (unsigned)(event->thread + 1));
    while (writer->stream_slot[at] &&
           !is_of_stream(&writer->stream[writer->stream_slot[at] - 1], event)) {
        at = (at + 1) % SLOTS;
    }
    if (!writer->stream_slot[at]) {
        define_stream(writer, event);
        writer->stream_slot[at] = (uint16_t)++writer->streams;
    }
    return writer->stream_slot[at] - 1u;
}

/* --- Blocks --- */

static void begin_block(struct trace_writer *writer)
{
    writer->used = 0;
    writer->events = 0;
    writer->first_cycle = UINT64_MAX;
    writer->last_cycle = writer->cycle = writer->stream_number = writer->code_pc = 0;
    memset(writer->name, 0, sizeof writer->name);
    memset(writer->code_slot, 0, sizeof writer->code_slot);
    memset(writer->stream_slot, 0, sizeof writer->stream_slot);
    writer->names = writer->codes = writer->streams = 0;
}

void trace_writer_flush(struct trace_writer *writer)
{
    uint8_t *header = writer->block;
    if (writer->events == 0) {
        return;
    }
    size_t size =
        ZSTD_compress2(writer->compressor, header + TRACE_HEADER_BYTES,
                       writer->block_room - TRACE_HEADER_BYTES, writer->records, writer->used);
    if (!ZSTD_isError(size)) {
        memcpy(header, TRACE_MAGIC, 8);
        store_number(header + 8, TRACE_VERSION, 4);
        store_number(header + 12, size, 4);
        store_number(header + 16, writer->used, 4);
        store_number(header + 20, writer->events, 4);
        store_number(header + 24, writer->first_cycle, 8);
        store_number(header + 32, writer->last_cycle, 8);
        writer->put(writer->context, header, TRACE_HEADER_BYTES + size);
    }
    begin_block(writer);
}

static bool has_room(const struct trace_writer *writer)
{
    return writer->used + TRACE_RECORD_BYTES <= TRACE_BLOCK_BYTES &&
           writer->names + 6 < MOST_ENTRIES && writer->codes + 1 < MOST_ENTRIES &&
           writer->streams < writer->stream_room;
}

/* --- Events --- */

static unsigned flags_of(const struct penrose_trace_event *event)
{
    return (event->begins ? TRACE_BEGINS : 0) | (event->noc ? TRACE_NOC : 0);
}

void trace_writer_add(struct trace_writer *writer, const struct penrose_trace_event *event)
{
    uint64_t number[TRACE_NUMBERS], difference[TRACE_NUMBERS];
    if (!has_room(writer)) {
        trace_writer_flush(writer);
    }
    number[TRACE_N_STREAM] = number_of_stream(writer, event);
    number[TRACE_N_CYCLE] = event->cycle;
    number[TRACE_N_CODE] = number_of_code(writer, event);
    number[TRACE_N_FLAGS] = flags_of(event);
    number[TRACE_N_RESULT] = event->has_result ? event->result_value : 0;
    number[TRACE_N_ADDRESS] = event->address;
    number[TRACE_N_SIZE] = event->size;
    number[TRACE_N_VALUE] =
        event->kind == PENROSE_TRACE_NOC ? trace_pack_route(&event->route) : event->value;
    number[TRACE_N_PEER] = event->peer_x | event->peer_y << 8 | event->peer_chip << 16 |
                           (uint64_t)event->peer_kind << 24;
    number[TRACE_N_WAITED] = event->waited;
    number[TRACE_N_WHAT] = number_of_name(writer, event->what);
    number[TRACE_N_CAUSE] = trace_pack_cause(&event->cause);
    number[TRACE_N_CAUSED] = event->cause.is_known ? event->cycle - event->cause.cycle : 0;
    struct trace_stream *stream = &writer->stream[number[TRACE_N_STREAM]];
    unsigned head = event->kind, result = result_register(event);
    difference[TRACE_N_STREAM] = number[TRACE_N_STREAM] - writer->stream_number;
    difference[TRACE_N_CYCLE] = number[TRACE_N_CYCLE] - writer->cycle;
    difference[TRACE_N_CODE] = number[TRACE_N_CODE] - (stream->code + 1);
    writer->stream_number = number[TRACE_N_STREAM];
    writer->cycle = number[TRACE_N_CYCLE];
    stream->code = number[TRACE_N_CODE];
    for (unsigned i = TRACE_N_FLAGS; i < TRACE_NUMBERS; i++) {
        uint64_t *predicted = trace_prediction(stream, event->kind, (enum trace_number)i, result);
        difference[i] = number[i] - *predicted;
        *predicted = number[i];
    }
    for (unsigned i = 0; i < TRACE_NUMBERS; i++) {
        head |= (difference[i] ? 1u : 0) << (TRACE_KIND_BITS + i);
    }
    put_head(writer, head);
    for (unsigned i = 0; i < TRACE_NUMBERS; i++) {
        if (difference[i] != 0) {
            put_varint(writer, trace_zigzag(difference[i]));
        }
    }
    writer->events++;
    writer->first_cycle = event->cycle < writer->first_cycle ? event->cycle : writer->first_cycle;
    writer->last_cycle = event->cycle > writer->last_cycle ? event->cycle : writer->last_cycle;
}

/* --- Life --- */

struct trace_writer *trace_writer_create(void (*put)(void *context, const void *bytes, size_t size),
                                         void *context)
{
    struct trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        return NULL;
    }
    writer->put = put;
    writer->context = context;
    writer->compressor = ZSTD_createCCtx();
    writer->block_room = TRACE_HEADER_BYTES + ZSTD_compressBound(TRACE_BLOCK_BYTES);
    writer->block = malloc(writer->block_room);
    writer->records = malloc(TRACE_BLOCK_BYTES);
    writer->stream_room = MOST_ENTRIES / 2;
    writer->stream = calloc(writer->stream_room, sizeof *writer->stream);
    if (!writer->compressor || !writer->block || !writer->records || !writer->stream ||
        ZSTD_isError(ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_checksumFlag, 1)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, LEVEL))) {
        trace_writer_destroy(writer);
        return NULL;
    }
    begin_block(writer);
    return writer;
}

void trace_writer_destroy(struct trace_writer *writer)
{
    if (writer) {
        ZSTD_freeCCtx(writer->compressor);
        free(writer->block);
        free(writer->records);
        free(writer->stream);
        free(writer);
    }
}
