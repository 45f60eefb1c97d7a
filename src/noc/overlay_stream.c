/* What all files of the overlay ask of a stream, see overlay_stream.h. */
#include "noc/overlay_stream.h"

#include <stdarg.h>
#include <stdio.h>

const struct overlay_stream overlay_unused_stream = {0};

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

bool overlay_is_ethernet(const struct overlay *overlay)
{
    return overlay->streams == OVERLAY_ETHERNET_STREAMS;
}

bool overlay_has(const struct overlay *overlay, enum overlay_class class, unsigned s)
{
    const uint64_t *has = overlay_is_ethernet(overlay) ? ethernet_has : tensix_has;
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
    if (get_LOCAL_SOURCES_CONNECTED(overlay_look(overlay, s)->misc)) {
        return 2;
    }
    if (overlay_is_ethernet(overlay)) {
        return s < 4 || (s >= 8 && s < 12) ? 32 : 2;
    }
    if (overlay_has(overlay, OVERLAY_ENDPOINT, s)) {
        return 16;
    }
    return has_deep_fifos(s) ? 8 : 2;
}

unsigned overlay_reading_capacity(const struct overlay *overlay, unsigned s)
{
    if (overlay_is_ethernet(overlay)) {
        return s < 4 || (s >= 8 && s < 12) ? 128 : 2;
    }
    return has_deep_fifos(s) ? 8 : 2;
}

void overlay_start(struct overlay *overlay, unsigned s)
{
    overlay_own(overlay, s)->state = OVERLAY_FLUSHING;
    overlay->due |= overlay_bit(s);
}

bool overlay_is_used(const struct overlay *overlay, unsigned stream)
{
    return stream < overlay_count(overlay) && overlay->used & overlay_bit(stream);
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
