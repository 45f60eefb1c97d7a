/*
 * Circular buffers: pages are pushed into room that the producer has seen, and popped when the
 * consumer has seen them; between, only they touch them.
 *
 * tt-metal counts pages in two registers of a stream, 16 bits each. A producer sees room by loading
 * the consumer's counter, a consumer sees pages by loading the producer's. Pages go round from the
 * start of the buffer, where both begin at each launch.
 */
#include "observe/check/check.h"

#include <string.h>

#include "metal/buffers.h"

/* The buffer to which a register of a stream belongs; NULL: none, or the kernels have no such one. */
static struct check_buffer *find_buffer(const struct check_scene *scene, unsigned *index)
{
    uint32_t in_streams = (uint32_t)scene->event->address - OVERLAY_REGISTERS_ADDRESS;
    unsigned id = in_streams / STEP_STREAM - scene->own->first_stream;
    *index = in_streams % STEP_STREAM / 4;
    if (id >= LOADER_MOST_BUFFERS || scene->own->buffer[id].about.num_pages == 0 ||
        (*index != METAL_PAGES_RECEIVED && *index != METAL_PAGES_ACKNOWLEDGED)) {
        return NULL;
    }
    return &scene->own->buffer[id];
}

/* A request of the hart is about pages that it hands on, from the one with this number on. */
static void hand_on(const struct check_scene *scene, const struct check_buffer *buffer,
                    enum check_request_kind kind, uint32_t from, uint32_t pages)
{
    const struct loader_circular_buffer *about = &buffer->about;
    for (uint32_t i = 0; i < pages && i < about->num_pages; i++) {
        uint32_t page = (from + i) % about->num_pages;
        check_noc_handed(scene, kind, about->address + page * about->page_size, about->page_size,
                         about->id);
        check_races_handed(scene, kind == CHECK_WRITE, about->address + page * about->page_size,
                           about->page_size, about->id);
    }
}

static void see_push(const struct check_scene *scene, struct check_buffer *buffer, uint32_t pages)
{
    const unsigned hart = scene->hart;
    const uint32_t most = buffer->about.num_pages, id = buffer->about.id;
    uint32_t from = buffer->pushed;
    buffer->pushed += pages;
    buffer->producers |= (uint8_t)(1u << hart);
    if (pages > most) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
                     "pushes %u pages to circular buffer %u, which has %u", pages, id, most);
    } else if (buffer->pushed - buffer->seen_popped[hart] > most) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
                     "pushes %u pages to circular buffer %u, in which it has seen room for %u; "
                     "cb_reserve_back() is missing",
                     pages, id, most - (from - buffer->seen_popped[hart]));
    }
    hand_on(scene, buffer, CHECK_READ, from, pages);
}

static void see_pop(const struct check_scene *scene, struct check_buffer *buffer, uint32_t pages)
{
    const unsigned hart = scene->hart;
    const uint32_t id = buffer->about.id;
    uint32_t from = buffer->popped;
    buffer->popped += pages;
    buffer->consumers |= (uint8_t)(1u << hart);
    if ((int32_t)(buffer->popped - buffer->pushed) > 0) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
                     "pops %u pages of circular buffer %u, which has %d", pages, id,
                     (int)(buffer->pushed - from));
    } else if ((int32_t)(buffer->popped - buffer->seen_pushed[hart]) > 0) {
        check_report(
            scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
            "pops %u pages of circular buffer %u, of which it has seen %d; cb_wait_front() "
            "is missing",
            pages, id, (int)(buffer->seen_pushed[hart] - from));
    }
    hand_on(scene, buffer, CHECK_WRITE, from, pages);
}

static void set_back(struct check_buffer *buffer)
{
    struct check_buffer kept = {
        .about = buffer->about, .received = buffer->received, .acknowledged = buffer->acknowledged};
    *buffer = kept;
}

void check_buffers_register(const struct check_scene *scene, bool is_by_kernel)
{
    unsigned index;
    struct check_buffer *buffer = find_buffer(scene, &index);
    if (!buffer) {
        return;
    }
    bool is_received = index == METAL_PAGES_RECEIVED;
    if (scene->event->kind == OBSERVED_READ) {
        if (is_received) {
            buffer->seen_pushed[scene->hart] = buffer->pushed;
        } else {
            buffer->seen_popped[scene->hart] = buffer->popped;
        }
        return;
    }
    uint16_t *counter = is_received ? &buffer->received : &buffer->acknowledged;
    uint16_t value = (uint16_t)overlay_register(&scene->tile->overlay,
                                                scene->own->first_stream + buffer->about.id, index);
    uint16_t pages = (uint16_t)(value - *counter);
    *counter = value;
    if (!is_by_kernel) {
        set_back(buffer);
        return;
    }
    if (pages == 0) {
        return;
    }
    if (is_received) {
        see_push(scene, buffer, pages);
    } else {
        see_pop(scene, buffer, pages);
    }
}

/* --- Pages --- */

/* May the hart write the page now, as far as it has seen? */
static bool may_write(const struct check_buffer *buffer, uint32_t page, unsigned hart)
{
    uint32_t most = buffer->about.num_pages;
    uint32_t ahead = (page + most - buffer->pushed % most) % most;
    return ahead < most - (buffer->pushed - buffer->seen_popped[hart]);
}

static bool may_read(const struct check_buffer *buffer, uint32_t page, unsigned hart)
{
    uint32_t most = buffer->about.num_pages;
    uint32_t ahead = (page + most - buffer->popped % most) % most;
    return (int32_t)(buffer->seen_pushed[hart] - buffer->popped) > (int32_t)ahead;
}

/* The buffer whose rules the access breaks. One that holds the bytes too and allows it excuses it:
 * buffers may share their memory. */
static struct check_buffer *find_broken(const struct check_scene *scene, uint32_t address,
                                        uint32_t size, bool writes)
{
    struct check_buffer *broken = NULL;
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        struct check_buffer *buffer = &scene->own->buffer[scene->own->launched.buffer[i].id];
        uint32_t in = address - buffer->about.address, bit = 1u << scene->hart;
        if (in >= buffer->about.size || size > buffer->about.size - in) {
            continue;
        }
        uint32_t page = in / buffer->about.page_size;
        bool is_judged =
            writes ? buffer->producers & bit : buffer->consumers & ~buffer->producers & bit;
        if (!is_judged ||
            (writes ? may_write(buffer, page, scene->hart) : may_read(buffer, page, scene->hart))) {
            return NULL;
        }
        broken = buffer;
    }
    return broken;
}

void check_buffers_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    bool is_packet = event->kind == OBSERVED_SENT;
    uint32_t address = (uint32_t)(is_packet ? event->back : event->address);
    bool writes = is_packet ? event->packet == NOC_READ : event->kind == OBSERVED_WRITTEN;
    const struct check_buffer *buffer = find_broken(scene, address, event->size, writes);
    if (!buffer) {
        return;
    }
    uint32_t page = (address - buffer->about.address) / buffer->about.page_size;
    check_report(scene, PENROSE_FAULT_CB_ACCESS, scene->hart, event->pc, address,
                 writes ? "writes page %u of circular buffer %u (0x%x), in which it has seen no "
                          "room for it; cb_reserve_back() is missing"
                        : "reads page %u of circular buffer %u (0x%x), for which it has not "
                          "waited, or which it has popped; cb_wait_front() is missing",
                 page, buffer->about.id, address);
}

void check_buffers_begin(const struct check_scene *scene)
{
    const struct loader_launched *launched = &scene->own->launched;
    memset(scene->own->buffer, 0, sizeof scene->own->buffer);
    for (unsigned i = 0; i < launched->buffers; i++) {
        const struct loader_circular_buffer *about = &launched->buffer[i];
        unsigned stream = scene->own->first_stream + about->id;
        struct check_buffer *buffer = &scene->own->buffer[about->id % LOADER_MOST_BUFFERS];
        if (stream < scene->tile->kind->streams && about->page_size) {
            buffer->about = *about;
            buffer->received =
                (uint16_t)overlay_register(&scene->tile->overlay, stream, METAL_PAGES_RECEIVED);
            buffer->acknowledged =
                (uint16_t)overlay_register(&scene->tile->overlay, stream, METAL_PAGES_ACKNOWLEDGED);
        }
    }
}
