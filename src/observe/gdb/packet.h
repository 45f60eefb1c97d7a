/*
 * Packets of GDB's remote protocol: taking them from a stream of bytes, and making them. Nothing
 * here knows a socket or a chip. Source: GDB manual, Remote Protocol.
 */
#ifndef OBSERVE_GDB_PACKET_H
#define OBSERVE_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a packet at most, as the client is told; more than that is damage. */
enum { GDB_PACKET_BYTES = 64 << 10 };

/* --- Taking --- */

/* What a byte has completed. */
enum gdb_input {
    GDB_INPUT_NOTHING,
    GDB_INPUT_PACKET,    /* data[0 .. size-1] until the next byte; a 0 follows */
    GDB_INPUT_DAMAGED,   /* a packet with a wrong sum, or too long */
    GDB_INPUT_INTERRUPT, /* ^C */
    GDB_INPUT_AGAIN,     /* the client wants the last packet again */
};

struct gdb_reader {
    enum { GDB_OUTSIDE, GDB_INSIDE, GDB_ESCAPED, GDB_SUM_HIGH, GDB_SUM_LOW } state;
    uint8_t sum, wanted;
    bool is_too_long;
    size_t size;
    char data[GDB_PACKET_BYTES + 1]; /* escapes are resolved */
};

/* A reader of zeros is at the beginning of a stream. */
enum gdb_input gdb_reader_take(struct gdb_reader *reader, uint8_t byte);

/* --- Making --- */

/* A text that grows. After memory has run out it is_lost, and all else does nothing. */
struct gdb_text {
    char *data;
    size_t size, room;
    bool is_lost;
};

void gdb_text_free(struct gdb_text *text);
void gdb_text_clear(struct gdb_text *text);
void gdb_put(struct gdb_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_put_bytes(struct gdb_text *text, const void *bytes, size_t size);
/* Two digits a byte. */
void gdb_put_hex(struct gdb_text *text, const void *bytes, size_t size);
/* With the escapes of binary answers. */
void gdb_put_escaped(struct gdb_text *text, const void *bytes, size_t size);
/* A text as the value of an XML attribute. */
void gdb_put_xml(struct gdb_text *text, const char *value);

/* The packet around a payload: $, #, sum. */
void gdb_put_packet(struct gdb_text *text, const void *payload, size_t size);

/* --- Reading payloads: each moves *at past what it took --- */

/* A number in hexadecimal, up to 64 bits; false where there is none. */
bool gdb_take_hex(const char **at, uint64_t *value);
/* `text` itself, as a prefix. */
bool gdb_take_text(const char **at, const char *text);
/* `size` bytes of two digits each, from *at on; false where there are fewer. */
bool gdb_take_bytes(const char **at, void *bytes, size_t size);

/* A thread as packets name it: "pPID.TID", "pPID", "TID"; -1: all, 0: any. */
struct gdb_id {
    int64_t process, thread;
};
bool gdb_take_id(const char **at, struct gdb_id *id);

#endif
