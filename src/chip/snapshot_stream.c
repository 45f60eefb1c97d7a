/* See snapshot_stream.h. */
#include "chip/snapshot_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Out --- */

static void put_block(struct snapshot_writer *writer)
{
    snapshot_hash_add(&writer->hash, writer->block, writer->fill);
    if (writer->put && !writer->failed) {
        writer->failed = !writer->put(writer->context, writer->block, writer->fill);
    }
    writer->fill = 0;
}

void snapshot_put(struct snapshot_writer *writer, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        size_t room = SNAPSHOT_BLOCK - writer->fill, part = size < room ? size : room;
        memcpy(writer->block + writer->fill, from, part);
        writer->fill += part;
        from += part;
        size -= part;
        if (writer->fill == SNAPSHOT_BLOCK) {
            put_block(writer);
        }
    }
}

void snapshot_put_number(struct snapshot_writer *writer, uint64_t value)
{
    snapshot_put(writer, &value, sizeof value);
}

uint64_t snapshot_flush(struct snapshot_writer *writer)
{
    put_block(writer);
    return snapshot_hash_value(&writer->hash);
}

/* --- In --- */

void snapshot_fail(struct snapshot_reader *reader, enum penrose_status status, const char *format,
                   ...)
{
    va_list arguments;
    if (reader->status != PENROSE_OK) {
        return;
    }
    reader->status = status;
    va_start(arguments, format);
    vsnprintf(reader->rule, sizeof reader->rule, format, arguments);
    va_end(arguments);
}

/* The next block, which is shorter than others only at the end. */
static void take_block(struct snapshot_reader *reader)
{
    snapshot_hash_add(&reader->hash, reader->block, reader->at);
    reader->at = reader->fill = 0;
    size_t part;
    while (reader->fill < SNAPSHOT_BLOCK &&
           (part = reader->take(reader->context, reader->block + reader->fill,
                                SNAPSHOT_BLOCK - reader->fill)) > 0) {
        reader->fill += part;
    }
}

/* The next bytes, at most `most` of them, how many in *size; NULL at the end. */
static const uint8_t *take_bytes(struct snapshot_reader *reader, size_t most, size_t *size)
{
    if (reader->at == reader->fill && reader->status == PENROSE_OK) {
        take_block(reader);
        if (reader->fill == 0) {
            snapshot_fail(reader, PENROSE_E_FORMAT, "it ends too early");
        }
    }
    if (reader->status != PENROSE_OK) {
        return NULL;
    }
    size_t left = reader->fill - reader->at;
    const uint8_t *bytes = reader->block + reader->at;
    *size = most < left ? most : left;
    reader->at += *size;
    return bytes;
}

void snapshot_get(struct snapshot_reader *reader, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    while (size > 0) {
        size_t part;
        const uint8_t *from = take_bytes(reader, size, &part);
        if (!from) {
            memset(to, 0, size);
            return;
        }
        memcpy(to, from, part);
        to += part;
        size -= part;
    }
}

void snapshot_get_sparing(struct snapshot_reader *reader, void *bytes, size_t size)
{
    enum { PAGE = 4096 };
    uint8_t *to = bytes;
    while (size > 0) {
        size_t rest = PAGE - (uintptr_t)to % PAGE, part;
        const uint8_t *from = take_bytes(reader, size < rest ? size : rest, &part);
        if (!from) {
            return;
        }
        if (memcmp(to, from, part) != 0) {
            memcpy(to, from, part);
        }
        to += part;
        size -= part;
    }
}

uint64_t snapshot_get_number(struct snapshot_reader *reader, const char *what, uint64_t most)
{
    uint64_t value = 0;
    snapshot_get(reader, &value, sizeof value);
    if (reader->status == PENROSE_OK && value > most) {
        snapshot_fail(reader, PENROSE_E_FORMAT, "%s is %llu, the most is %llu", what,
                      (unsigned long long)value, (unsigned long long)most);
    }
    return reader->status == PENROSE_OK ? value : 0;
}
