#include "observe/gdb/packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = '}', ESCAPE_BIT = 0x20, INTERRUPT = 0x03 };

static int hex_digit(int character)
{
    return character >= '0' && character <= '9'   ? character - '0'
           : character >= 'a' && character <= 'f' ? character - 'a' + 10
           : character >= 'A' && character <= 'F' ? character - 'A' + 10
                                                  : -1;
}

/* --- Taking --- */

static void begin_packet(struct gdb_reader *reader)
{
    reader->state = GDB_INSIDE;
    reader->size = 0;
    reader->sum = 0;
    reader->is_too_long = false;
}

static enum gdb_input take_outside(struct gdb_reader *reader, uint8_t byte)
{
    switch (byte) {
    case '$':
        begin_packet(reader);
        return GDB_INPUT_NOTHING;
    case INTERRUPT:
        return GDB_INPUT_INTERRUPT;
    case '-':
        return GDB_INPUT_AGAIN;
    default:
        return GDB_INPUT_NOTHING;
    }
}

static void keep_byte(struct gdb_reader *reader, uint8_t byte)
{
    if (reader->size < GDB_PACKET_BYTES) {
        reader->data[reader->size++] = (char)byte;
    } else {
        reader->is_too_long = true;
    }
}

static void take_inside(struct gdb_reader *reader, uint8_t byte)
{
    if (byte == '$') { /* the one before was cut */
        begin_packet(reader);
        return;
    }
    if (byte == '#') {
        reader->state = GDB_SUM_HIGH;
        return;
    }
    reader->sum = (uint8_t)(reader->sum + byte);
    if (byte == ESCAPE) {
        reader->state = GDB_ESCAPED;
    } else {
        keep_byte(reader, byte);
    }
}

static enum gdb_input end_packet(struct gdb_reader *reader, uint8_t byte)
{
    int low = hex_digit(byte);
    reader->state = GDB_OUTSIDE;
    reader->data[reader->size] = 0;
    bool is_whole = low >= 0 && reader->wanted == (reader->sum >> 4) && low == (reader->sum & 15);
    return is_whole && !reader->is_too_long ? GDB_INPUT_PACKET : GDB_INPUT_DAMAGED;
}

enum gdb_input gdb_reader_take(struct gdb_reader *reader, uint8_t byte)
{
    switch (reader->state) {
    case GDB_OUTSIDE:
        return take_outside(reader, byte);
    case GDB_INSIDE:
        take_inside(reader, byte);
        return GDB_INPUT_NOTHING;
    case GDB_ESCAPED:
        reader->sum = (uint8_t)(reader->sum + byte);
        keep_byte(reader, byte ^ ESCAPE_BIT);
        reader->state = GDB_INSIDE;
        return GDB_INPUT_NOTHING;
    case GDB_SUM_HIGH:
        reader->wanted = (uint8_t)hex_digit(byte); /* 255 is the sum of nothing */
        reader->state = GDB_SUM_LOW;
        return GDB_INPUT_NOTHING;
    case GDB_SUM_LOW:
        break;
    }
    return end_packet(reader, byte);
}

/* --- Making --- */

void gdb_text_free(struct gdb_text *text)
{
    free(text->data);
    *text = (struct gdb_text){0};
}

void gdb_text_clear(struct gdb_text *text)
{
    text->size = 0;
    text->is_lost = false;
}

/* Room for `more` bytes and a 0. */
static bool make_room(struct gdb_text *text, size_t more)
{
    size_t wanted = text->size + more + 1;
    if (text->is_lost) {
        return false;
    }
    if (wanted > text->room) {
        size_t room = wanted * 2;
        char *data = realloc(text->data, room);
        if (!data) {
            text->is_lost = true;
            return false;
        }
        text->data = data;
        text->room = room;
    }
    return true;
}

void gdb_put_bytes(struct gdb_text *text, const void *bytes, size_t size)
{
    if (make_room(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
        text->data[text->size] = 0;
    }
}

void gdb_put(struct gdb_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

void gdb_put_hex(struct gdb_text *text, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size && make_room(text, 2); i++) {
        text->data[text->size++] = digits[byte[i] >> 4];
        text->data[text->size++] = digits[byte[i] & 15];
        text->data[text->size] = 0;
    }
}

static bool needs_escape(char character)
{
    return character == '#' || character == '$' || character == ESCAPE || character == '*';
}

void gdb_put_escaped(struct gdb_text *text, const void *bytes, size_t size)
{
    const char *byte = bytes;
    for (size_t i = 0; i < size && make_room(text, 2); i++) {
        if (needs_escape(byte[i])) {
            text->data[text->size++] = ESCAPE;
        }
        text->data[text->size++] = needs_escape(byte[i]) ? (char)(byte[i] ^ ESCAPE_BIT) : byte[i];
        text->data[text->size] = 0;
    }
}

void gdb_put_xml(struct gdb_text *text, const char *value)
{
    for (; *value; value++) {
        switch (*value) {
        case '&':
            gdb_put(text, "&amp;");
            break;
        case '<':
            gdb_put(text, "&lt;");
            break;
        case '>':
            gdb_put(text, "&gt;");
            break;
        case '"':
            gdb_put(text, "&quot;");
            break;
        default:
            gdb_put_bytes(text, value, 1);
        }
    }
}

void gdb_put_packet(struct gdb_text *text, const void *payload, size_t size)
{
    const uint8_t *byte = payload;
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum = (uint8_t)(sum + byte[i]);
    }
    gdb_put_bytes(text, "$", 1);
    gdb_put_bytes(text, payload, size);
    gdb_put(text, "#%02x", sum);
}

/* --- Reading payloads --- */

bool gdb_take_hex(const char **at, uint64_t *value)
{
    const char *first = *at;
    *value = 0;
    for (int digit; (digit = hex_digit((unsigned char)**at)) >= 0; (*at)++) {
        if (*value >> 60) {
            return false;
        }
        *value = *value << 4 | (unsigned)digit;
    }
    return *at > first;
}

bool gdb_take_text(const char **at, const char *text)
{
    size_t length = strlen(text);
    bool is_there = strncmp(*at, text, length) == 0;
    *at += is_there ? length : 0;
    return is_there;
}

bool gdb_take_bytes(const char **at, void *bytes, size_t size)
{
    uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit((unsigned char)(*at)[0]);
        int low = high < 0 ? -1 : hex_digit((unsigned char)(*at)[1]);
        if (low < 0) {
            return false;
        }
        byte[i] = (uint8_t)(high << 4 | low);
        *at += 2;
    }
    return true;
}

/* A number, or -1. */
static bool take_signed(const char **at, int64_t *value)
{
    uint64_t number;
    if (gdb_take_text(at, "-1")) {
        *value = -1;
        return true;
    }
    bool is_number = gdb_take_hex(at, &number) && number <= INT32_MAX;
    *value = is_number ? (int64_t)number : 0;
    return is_number;
}

bool gdb_take_id(const char **at, struct gdb_id *id)
{
    *id = (struct gdb_id){.process = 0, .thread = -1};
    if (!gdb_take_text(at, "p")) {
        return take_signed(at, &id->thread);
    }
    return take_signed(at, &id->process) &&
           (!gdb_take_text(at, ".") || take_signed(at, &id->thread));
}
