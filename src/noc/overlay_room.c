/* Room in buffers: in a stream's own, and in those of its receivers as far as it knows. */
#include "noc/overlay_stream.h"

/* --- Circular buffers --- */

/* The words in a circular buffer of `size`. */
static uint32_t words_in_buffer(uint32_t read, uint32_t write, uint32_t size)
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
    uint32_t size = overlay_get(overlay, s, OVERLAY_BUF_SIZE);
    return size - words_in_buffer(overlay_get(overlay, s, OVERLAY_RD_PTR),
                                  overlay_get(overlay, s, OVERLAY_WR_PTR), size);
}

/* --- Room at receivers --- */

uint32_t overlay_space(const struct overlay *overlay, unsigned s, unsigned receiver)
{
    unsigned counter = receiver && overlay_spaces_differ(overlay, s) ? receiver : 0;
    return overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + counter);
}

/* From now on the receivers' counters are their own. */
static void separate(struct overlay *overlay, unsigned s)
{
    uint32_t space = overlay_space(overlay, s, 0);
    for (unsigned i = 1; i < OVERLAY_RECEIVERS; i++) {
        overlay_set(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + i, space);
    }
    overlay->differs |= overlay_bit(s);
}

void overlay_set_space(struct overlay *overlay, unsigned s, unsigned receiver, uint32_t value)
{
    if (overlay_counters(overlay, s) > 1 && !overlay_spaces_differ(overlay, s) &&
        overlay_space(overlay, s, 0) != value) {
        separate(overlay, s);
    }
    if (overlay_space(overlay, s, receiver) != value) {
        overlay_set(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + receiver, value);
    }
}

static void set_each_space(struct overlay *overlay, unsigned s, uint32_t mask, uint32_t value)
{
    uint32_t first = (overlay_space(overlay, s, 0) & ~mask) | value;
    bool differs = false;
    for (unsigned i = 0; i < OVERLAY_RECEIVERS; i++) {
        uint32_t space = (overlay_space(overlay, s, i) & ~mask) | value;
        overlay_set(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + i, space);
        differs |= space != first;
    }
    if (!differs) {
        overlay->differs &= ~overlay_bit(s);
    }
}

void overlay_set_all_space(struct overlay *overlay, unsigned s, uint32_t mask, uint32_t value)
{
    uint32_t space = overlay_get(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE);
    if (overlay_spaces_differ(overlay, s)) {
        set_each_space(overlay, s, mask, value);
        return;
    }
    overlay_set(overlay, s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE, (space & ~mask) | value);
}

bool overlay_all_have_space(const struct overlay *overlay, unsigned s)
{
    unsigned counters = overlay_spaces_differ(overlay, s) ? OVERLAY_RECEIVERS : 1;
    for (unsigned i = 0; i < counters; i++) {
        if (!get_WORDS_FREE(overlay_space(overlay, s, i))) {
            return false;
        }
    }
    return true;
}
