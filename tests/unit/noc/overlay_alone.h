/* Streams of the overlay one by one: a world in which to try them, and what software does first. */
#ifndef OVERLAY_ALONE_H
#define OVERLAY_ALONE_H

#include "unit/noc/overlay_world.h"

enum { BUFFER = 0x2000, HEADERS = 0x200, BLOB = 0x8000, OTHER = 0x9000, FORMAT = 32 | 16 << 7 };

static struct world world;
#define W (&world)

static inline void setup(void)
{
    open_world(W, 64, 1);
}

static inline void teardown(void)
{
    close_world(W);
}

static inline uint32_t status(unsigned s)
{
    return read_stream(W, 0, s, OVERLAY_WAIT_STATUS);
}

static inline void configure(unsigned t, unsigned s, uint32_t misc)
{
    write_stream(W, t, 0, OVERLAY_MSG_HEADER_FORMAT, FORMAT);
    write_stream(W, t, s, OVERLAY_BUF_START, BUFFER);
    write_stream(W, t, s, OVERLAY_BUF_SIZE, 64);
    write_stream(W, t, s, OVERLAY_MSG_INFO_PTR, HEADERS);
    write_stream(W, t, s, OVERLAY_MSG_INFO_WR_PTR, HEADERS);
    write_stream(W, t, s, OVERLAY_MISC_CFG, misc);
}

static inline void begin(unsigned t, unsigned s, unsigned messages, uint32_t misc)
{
    configure(t, s, misc);
    write_stream(W, t, s, OVERLAY_PHASE_AUTO_CFG_HEADER, messages << 12);
    write_stream(W, t, s, OVERLAY_PHASE_ADVANCE, 1);
    settle(W);
}

static inline uint32_t put_blob(uint32_t at, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_word(W, 0, at + 4 * i, words[i]);
    }
    return at + 4 * count;
}

/* Software's three steps. */
static inline void load_from(unsigned s, uint32_t base, uint32_t at, unsigned words,
                             uint32_t onetime)
{
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_HEADER, (words - 1) << 24);
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_PTR_BASE, base);
    write_stream(W, 0, s, OVERLAY_PHASE_AUTO_CFG_PTR, at - base);
    write_stream(W, 0, s, OVERLAY_ONETIME_MISC_CFG, AUTO_CONFIG | onetime);
}

static inline void aim(unsigned s, unsigned to, unsigned stream)
{
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST, node_of(to, stream));
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_START, BUFFER);
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_BUF_SIZE, 64);
    write_stream(W, 0, s, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, HEADERS);
}

#endif
