/* See reader.h and record.h. Files are not trusted: numbers of names, streams and codes, lengths
 * and registers are checked where they are read. */
#include "observe/trace/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "host/array.h"
#include "isa/error.h"
#include "isa/plain_text.h"
#include "observe/names.h"
#include "observe/trace/filter.h"
#include "observe/trace/record.h"

struct read_code {
    uint32_t pc, word, symbol_offset, line, result;
    const char *symbol, *source, *inlined_at, *kernel;
};

/* A table of what a block defines; number 0 of codes and names is nothing. */
struct defined {
    void *entry;
    size_t count, room;
};

struct trace_reader {
    FILE *file;
    struct trace_filter filter;
    struct trace_reading *reading;
    struct names names; /* of all blocks */
    uint8_t *compressed, *records;
    const uint8_t *at, *end; /* in records */
    bool is_bad;             /* a record says what cannot be */
    struct defined name, code, stream;
    uint64_t cycle, stream_number;
    uint32_t code_pc;
};

/* --- Bytes of a record --- */

static unsigned take_byte(struct trace_reader *reader)
{
    if (reader->at == reader->end) {
        reader->is_bad = true;
        return 0;
    }
    return *reader->at++;
}

static uint64_t take_varint(struct trace_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = take_byte(reader);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return value;
        }
    }
    reader->is_bad = true;
    return 0;
}

/* A number that is at most `most`, else 0. */
static uint32_t take_small(struct trace_reader *reader, uint64_t most)
{
    uint64_t value = take_varint(reader);
    if (value > most) {
        reader->is_bad = true;
        return 0;
    }
    return (uint32_t)value;
}

static uint32_t header_word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* --- Definitions --- */

/* A new entry at the end of a table, NULL without memory. */
static void *define(struct trace_reader *reader, struct defined *table, size_t size)
{
    if (!array_grow(&table->entry, table->count, &table->room, size)) {
        reader->is_bad = true;
        return NULL;
    }
    void *entry = (char *)table->entry + table->count++ * size;
    memset(entry, 0, size);
    return entry;
}

static const char *name_at(const struct trace_reader *reader, uint64_t number)
{
    const char *const *names = reader->name.entry;
    return number < reader->name.count ? names[number] : "";
}

static const char *take_name(struct trace_reader *reader)
{
    return name_at(reader, take_small(reader, reader->name.count - 1));
}

static void define_name(struct trace_reader *reader)
{
    size_t length = take_small(reader, TRACE_NAME_BYTES);
    if ((size_t)(reader->end - reader->at) < length || memchr(reader->at, 0, length)) {
        reader->is_bad = true;
        return;
    }
    const char **name = define(reader, &reader->name, sizeof *name);
    char *text = (char *)reader->records + (reader->at - reader->records);
    plain_text(text, length); /* it may be shown in a terminal */
    if (name) {
        *name = names_keep(&reader->names, text, length);
    }
    reader->at += length;
}

static void define_stream(struct trace_reader *reader)
{
    struct trace_stream *stream = define(reader, &reader->stream, sizeof *stream);
    if (stream) {
        stream->x = take_small(reader, UINT16_MAX);
        stream->y = take_small(reader, UINT16_MAX);
        stream->agent = take_small(reader, PENROSE_AGENTS - 1);
        stream->thread = (int)take_small(reader, PENROSE_TENSIX_THREADS) - 1;
        stream->name = take_small(reader, reader->name.count - 1);
    }
}

static void define_code(struct trace_reader *reader)
{
    struct read_code *code = define(reader, &reader->code, sizeof *code);
    if (!code) {
        return;
    }
    code->pc = reader->code_pc += (uint32_t)trace_unzigzag(take_varint(reader));
    for (unsigned i = 0; i < 4; i++) {
        code->word |= (uint32_t)take_byte(reader) << 8 * i;
    }
    code->result = take_byte(reader);
    code->symbol = take_name(reader);
    code->symbol_offset = take_small(reader, UINT32_MAX);
    code->source = take_name(reader);
    code->line = take_small(reader, UINT32_MAX);
}

/* Of the code that was defined last. */
static void define_calls(struct trace_reader *reader)
{
    struct read_code *codes = reader->code.entry;
    codes[reader->code.count - 1].inlined_at = take_name(reader);
}

static void define_kernel(struct trace_reader *reader)
{
    struct read_code *codes = reader->code.entry;
    codes[reader->code.count - 1].kernel = take_name(reader);
}

static void take_definition(struct trace_reader *reader, unsigned what)
{
    switch ((enum trace_definition)what) {
    case TRACE_NAME:
        define_name(reader);
        break;
    case TRACE_STREAM:
        define_stream(reader);
        break;
    case TRACE_CODE:
        define_code(reader);
        break;
    case TRACE_CALLS:
        define_calls(reader);
        break;
    case TRACE_KERNEL:
        define_kernel(reader);
        break;
    case TRACE_DEFINITIONS:
    default:
        reader->is_bad = true;
        break;
    }
}

/* --- Events --- */

static uint64_t take_difference(struct trace_reader *reader, unsigned head,
                                enum trace_number number)
{
    return head >> (TRACE_KIND_BITS + number) & 1 ? trace_unzigzag(take_varint(reader)) : 0;
}

static void hand_out_read(struct trace_reader *reader, const struct trace_stream *stream,
                          enum penrose_trace_kind kind, const struct read_code *code)
{
    const uint64_t *number = stream->latest[kind];
    unsigned register_number = code->result < TRACE_REGISTERS ? code->result : 0;
    struct penrose_trace_event event = {
        .kind = kind,
        .begins = number[TRACE_N_FLAGS] & TRACE_BEGINS,
        .x = stream->x,
        .y = stream->y,
        .agent = (enum penrose_agent)stream->agent,
        .agent_name = name_at(reader, stream->name),
        .thread = stream->thread,
        .cycle = reader->cycle,
        .pc = code->pc,
        .word = code->word,
        .has_result = code->result < TRACE_REGISTERS,
        .result = {register_number / 32 ? PENROSE_F : PENROSE_X, register_number % 32},
        .result_value =
            (uint32_t)(code->result < TRACE_REGISTERS ? stream->result[code->result] : 0),
        .address = number[TRACE_N_ADDRESS],
        .size = (uint32_t)number[TRACE_N_SIZE],
        .value = kind == PENROSE_TRACE_NOC ? 0 : (uint32_t)number[TRACE_N_VALUE],
        .noc = (number[TRACE_N_FLAGS] & TRACE_NOC) != 0,
        .peer_x = number[TRACE_N_PEER] & 0xff,
        .peer_y = number[TRACE_N_PEER] >> 8 & 0xff,
        .peer_chip = number[TRACE_N_PEER] >> 16 & 0xff,
        .peer_kind = (enum penrose_tile_kind)(number[TRACE_N_PEER] >> 24 & 0xff),
        .waited = number[TRACE_N_WAITED],
        .what = name_at(reader, number[TRACE_N_WHAT]),
        .symbol = code->symbol ? code->symbol : "",
        .symbol_offset = code->symbol_offset,
        .source = code->source ? code->source : "",
        .line = code->line,
        .inlined_at = code->inlined_at ? code->inlined_at : "",
        .kernel = code->kernel ? code->kernel : "",
        .cause = trace_unpack_cause(number[TRACE_N_CAUSE], reader->cycle - number[TRACE_N_CAUSED]),
        .route = trace_unpack_route(kind == PENROSE_TRACE_NOC ? number[TRACE_N_VALUE] : 0),
    };
    reader->reading->events++;
    if (trace_filter_takes(&reader->filter, &event)) {
        reader->reading->take(reader->reading->context, &event);
    }
}

static void take_event(struct trace_reader *reader, unsigned head)
{
    unsigned kind = head & ((1 << TRACE_KIND_BITS) - 1);
    struct trace_stream *streams = reader->stream.entry;
    const struct read_code *codes = reader->code.entry;
    reader->stream_number += take_difference(reader, head, TRACE_N_STREAM);
    reader->cycle += take_difference(reader, head, TRACE_N_CYCLE);
    if (reader->stream_number >= reader->stream.count || reader->cycle > TRACE_LAST_CYCLE) {
        reader->is_bad = true;
        return;
    }
    struct trace_stream *stream = &streams[reader->stream_number];
    stream->code += 1 + take_difference(reader, head, TRACE_N_CODE);
    if (stream->code >= reader->code.count) {
        reader->is_bad = true;
        return;
    }
    const struct read_code *code = &codes[stream->code];
    for (unsigned i = TRACE_N_FLAGS; i < TRACE_NUMBERS; i++) {
        *trace_prediction(stream, kind, (enum trace_number)i, code->result) +=
            take_difference(reader, head, (enum trace_number)i);
    }
    if (stream->latest[kind][TRACE_N_WHAT] >= reader->name.count) {
        reader->is_bad = true;
    }
    if (!reader->is_bad) {
        hand_out_read(reader, stream, (enum penrose_trace_kind)kind, code);
    }
}

static void take_records(struct trace_reader *reader)
{
    while (reader->at < reader->end && !reader->is_bad) {
        unsigned head = take_byte(reader);
        head |= take_byte(reader) << 8;
        if ((head & ((1 << TRACE_KIND_BITS) - 1)) == TRACE_DEFINITION) {
            take_definition(reader, head >> TRACE_KIND_BITS);
        } else {
            take_event(reader, head);
        }
    }
}

static void begin_records(struct trace_reader *reader, size_t size)
{
    reader->at = reader->records;
    reader->end = reader->records + size;
    reader->cycle = reader->stream_number = 0;
    reader->code_pc = 0;
    reader->name.count = reader->code.count = reader->stream.count = 0;
    const char **nothing = define(reader, &reader->name, sizeof *nothing);
    struct read_code *none = define(reader, &reader->code, sizeof *none);
    if (nothing && none) {
        *nothing = "";
        none->result = TRACE_NO_REGISTER;
    }
}

/* --- Blocks --- */

enum block_outcome {
    BLOCK_READ,
    BLOCK_NONE,    /* the file is over */
    BLOCK_FOREIGN, /* no block begins here */
    BLOCK_CUT,     /* the file is over before its end */
    BLOCK_DAMAGED
};

static const char no_trace[] = "it is no trace in binary form; one is written to a file whose name "
                               "ends in .ptrace";

/* Checks and hands out a block that is there as a whole; false: it is damaged. */
static bool take_block(struct trace_reader *reader, const uint8_t *header, uint32_t size,
                       struct penrose_error *error)
{
    uint32_t records = header_word(header + 16);
    uint64_t first = header_word(header + 24) | (uint64_t)header_word(header + 28) << 32;
    uint64_t last = header_word(header + 32) | (uint64_t)header_word(header + 36) << 32;
    if (!trace_filter_takes_cycles(&reader->filter, first, last)) {
        reader->reading->events += header_word(header + 20);
        return true;
    }
    size_t found = ZSTD_decompress(reader->records, TRACE_BLOCK_BYTES, reader->compressed, size);
    if (ZSTD_isError(found) || found != records) {
        error_set(error, PENROSE_E_FORMAT, "the trace is damaged: %s",
                  ZSTD_isError(found) ? ZSTD_getErrorName(found) : "a block is too short");
        return false;
    }
    begin_records(reader, records);
    take_records(reader);
    if (reader->is_bad) {
        error_set(error, PENROSE_E_FORMAT, "the trace is damaged: a record says what cannot be");
    }
    return !reader->is_bad;
}

static enum block_outcome read_block(struct trace_reader *reader, struct penrose_error *error)
{
    uint8_t header[TRACE_HEADER_BYTES];
    size_t found = fread(header, 1, sizeof header, reader->file);
    reader->is_bad = false;
    if (found == 0) {
        return BLOCK_NONE;
    }
    if (found < sizeof TRACE_MAGIC || memcmp(header, TRACE_MAGIC, sizeof TRACE_MAGIC) != 0) {
        error_set(error, PENROSE_E_FORMAT, "%s",
                  reader->reading->blocks
                      ? "the trace is damaged: something else lies behind a block"
                      : no_trace);
        return BLOCK_FOREIGN;
    }
    if (found < sizeof header) {
        return BLOCK_CUT;
    }
    uint32_t size = header_word(header + 12), records = header_word(header + 16);
    if (header_word(header + 8) - 1 >= TRACE_VERSION) {
        error_set(error, PENROSE_E_FORMAT,
                  "the trace is of version %u, this program reads versions 1 to %d",
                  header_word(header + 8), TRACE_VERSION);
        return BLOCK_DAMAGED;
    }
    if (records > TRACE_BLOCK_BYTES || size > ZSTD_compressBound(TRACE_BLOCK_BYTES)) {
        error_set(error, PENROSE_E_FORMAT, "the trace is damaged: a block has %u bytes",
                  records > TRACE_BLOCK_BYTES ? records : size);
        return BLOCK_DAMAGED;
    }
    if (fread(reader->compressed, 1, size, reader->file) != size) {
        error_set(error, PENROSE_E_FORMAT, "the trace is damaged: a block has %u bytes", size);
        return BLOCK_CUT;
    }
    return take_block(reader, header, size, error) ? BLOCK_READ : BLOCK_DAMAGED;
}

/* Goes to the first block that begins at `from` or later; false: none does. */
static bool find_block(struct trace_reader *reader, off_t from)
{
    size_t found = 0;
    if (fseeko(reader->file, from, SEEK_SET) != 0) {
        return false;
    }
    for (int byte; found < sizeof TRACE_MAGIC && (byte = getc(reader->file)) != EOF;) {
        /* The first letter of the mark is none of its others. */
        found = byte == TRACE_MAGIC[found] ? found + 1 : byte == TRACE_MAGIC[0];
    }
    return found == sizeof TRACE_MAGIC &&
           fseeko(reader->file, -(off_t)sizeof TRACE_MAGIC, SEEK_CUR) == 0;
}

/* Reads all blocks that can be read. Where one is damaged, perhaps in its size, the next is looked for
 * behind its beginning. */
static enum penrose_status read_blocks(struct trace_reader *reader, struct penrose_error *error)
{
    struct trace_reading *reading = reader->reading;
    struct penrose_error why;
    off_t latest = 0; /* where the latest block begins */
    for (;;) {
        const off_t start = ftello(reader->file);
        enum block_outcome outcome = read_block(reader, &why);
        if (ferror(reader->file)) {
            return error_set(error, PENROSE_E_FILE, "it cannot be read: %s", strerror(errno));
        }
        latest = outcome == BLOCK_FOREIGN ? latest : start;
        if (outcome == BLOCK_READ) {
            reading->blocks++;
            continue;
        }
        bool goes_on = outcome != BLOCK_NONE && start >= 0 && find_block(reader, latest + 1);
        reading->is_cut = outcome == BLOCK_CUT && !goes_on;
        if (outcome != BLOCK_NONE && !reading->is_cut && !reading->damaged++) {
            reading->damage = why;
        }
        if (!goes_on) {
            break;
        }
    }
    return reading->damaged && !reading->blocks
               ? error_set(error, PENROSE_E_FORMAT, "%s", reading->damage.text)
           : !reading->blocks && !reading->is_cut
               ? error_set(error, PENROSE_E_FORMAT, "%s", no_trace)
               : PENROSE_OK;
}

static enum penrose_status read_trace_file(FILE *file, const char *filter,
                                           struct trace_reading *reading,
                                           struct penrose_error *error)
{
    struct trace_reader reader = {.file = file, .reading = reading};
    enum penrose_status status = trace_filter_parse(filter, &reader.filter, error);
    reading->events = reading->blocks = reading->damaged = 0;
    reading->is_cut = false;
    if (status != PENROSE_OK) {
        return status;
    }
    reader.compressed = malloc(ZSTD_compressBound(TRACE_BLOCK_BYTES));
    reader.records = malloc(TRACE_BLOCK_BYTES);
    status = reader.compressed && reader.records
                 ? read_blocks(&reader, error)
                 : error_set(error, PENROSE_E_MEMORY, "no memory to read a trace");
    free(reader.compressed);
    free(reader.records);
    free(reader.name.entry);
    free(reader.code.entry);
    free(reader.stream.entry);
    names_free(&reader.names);
    return status;
}

enum penrose_status trace_read(const char *path, const char *filter, struct trace_reading *reading,
                               struct penrose_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return error_set(error, PENROSE_E_FILE, "cannot read %s: %s", path, strerror(errno));
    }
    struct penrose_error inner;
    enum penrose_status status = read_trace_file(file, filter, reading, &inner);
    fclose(file);
    if (status == PENROSE_OK) {
        return PENROSE_OK;
    }
    bool is_of_file = status != PENROSE_E_ARGUMENT;
    return error_set(error, status, "%s%s%s", is_of_file ? path : "", is_of_file ? ": " : "",
                     inner.text);
}

enum penrose_status trace_read_bytes(const void *bytes, size_t size, const char *filter,
                                     struct trace_reading *reading, struct penrose_error *error)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    if (!file) {
        return error_set(error, PENROSE_E_MEMORY, "no memory to read a trace");
    }
    enum penrose_status status = read_trace_file(file, filter, reading, error);
    fclose(file);
    return status;
}
