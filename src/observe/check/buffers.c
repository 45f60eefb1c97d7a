/*
 * Circular buffers: pages are pushed into room that the producer has seen, and popped when the
 * consumer has seen them; between, only they touch them.
 *
 * tt-metal counts pages in two registers of a stream, 16 bits each. A producer sees room by loading
 * the consumer's counter, a consumer sees pages by loading the producer's. Pages go round from the
 * start of the buffer, where both begin at each launch.
 */
#include "observe/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metal/buffers.h"
#include "num/tensix_format.h"
#include "tensix/config/regs.h"
#include "tensix/exec.h"
#include "tensix/table.h"

enum { FOURTHS = 4, LEAST_PAGE = 512 /* bytes of a page that must be whole */ };

/* The buffer to which a register of a stream belongs; NULL: none, or the kernels have no such
 * one. */
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

/* Pages that are pushed or popped together lie one behind the other. */
static void judge_round(const struct check_scene *scene, const struct check_buffer *buffer,
                        uint32_t from, uint32_t pages, const char *what)
{
    const uint32_t most = buffer->about.num_pages;
    if (from % most + pages > most) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, scene->hart, scene->event->pc,
                     buffer->about.address,
                     "%s %u pages of circular buffer %u at once, the first of which is page %u of "
                     "%u: they cross the buffer's end; such counts must divide its number of pages",
                     what, pages, buffer->about.id, from % most, most);
    }
}

static void mark_pushed(const struct check_scene *scene, struct check_buffer *buffer, uint32_t from,
                        uint32_t pages)
{
    for (uint32_t i = 0; i < pages && i < buffer->about.num_pages && buffer->page; i++) {
        struct check_page *page = &buffer->page[(from + i) % buffer->about.num_pages];
        page->is_pushed = true;
        page->pushed_to = buffer->pushed;
        page->is_unpacked = false;
        page->pusher = (struct check_who){(uint8_t)scene->hart, scene->event->pc};
        page->skipper.pc = 0;
    }
    struct check_page *next =
        buffer->page ? &buffer->page[buffer->pushed % buffer->about.num_pages] : NULL;
    if (next && !next->is_pushed && next->filled == buffer->about.page_size) {
        next->skipper = (struct check_who){(uint8_t)scene->hart, scene->event->pc};
    }
}

static void see_push(const struct check_scene *scene, struct check_buffer *buffer, uint32_t pages)
{
    const unsigned hart = scene->hart;
    const uint32_t most = buffer->about.num_pages, id = buffer->about.id;
    uint32_t from = buffer->pushed;
    buffer->pushed += pages;
    buffer->producers |= (uint8_t)(1u << hart);
    buffer->pusher = (struct check_who){(uint8_t)hart, scene->event->pc};
    check_concerns(scene, buffer->popper.hart, buffer->popper.pc);
    mark_pushed(scene, buffer, from, pages);
    if (pages > most) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
                     "pushes %u pages to circular buffer %u, which has %u", pages, id, most);
    } else if (buffer->pushed - buffer->seen_popped[hart] > most) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, hart, scene->event->pc, buffer->about.address,
                     "pushes %u pages to circular buffer %u, in which it has seen room for %u; "
                     "cb_reserve_back() is missing",
                     pages, id, most - (from - buffer->seen_popped[hart]));
    } else {
        judge_round(scene, buffer, from, pages, "pushes");
    }
    hand_on(scene, buffer, CHECK_READ, from, pages);
}

/* The packer has added to what the page held, nobody had written it, and it is popped: it is no tensor
 * that the host or an earlier launch has filled. */
static void judge_added(const struct check_scene *scene, const struct check_buffer *buffer,
                        uint32_t number)
{
    const struct check_who *adder = &buffer->page[number].adder;
    if (!adder->pc) {
        return;
    }
    check_concerns(scene, scene->hart, scene->event->pc);
    check_report(scene, PENROSE_FAULT_CB_ACCESS, adder->hart, adder->pc,
                 buffer->about.address + number * buffer->about.page_size,
                 "adds to page %u of circular buffer %u (Pack_L1_Acc), which nobody has written "
                 "since the launch; pack_reconfig_l1_acc(0) is missing before the first tile",
                 number, buffer->about.id);
}

/* Data of another tile have come when the page had been pushed, so its consumer may have read what was
 * there before. A page that nobody pops may lie in a tensor, which has other rules. */
static void judge_late(const struct check_scene *scene, const struct check_buffer *buffer,
                       uint32_t number)
{
    const struct check_page *page = &buffer->page[number];
    const struct check_scene of_sender = check_scene_at(scene, page->late_node);
    char sender[CHECK_PLACE];
    if (page->late.pc && of_sender.own) {
        check_report(scene, PENROSE_FAULT_CB_ACCESS, page->pusher.hart, page->pusher.pc,
                     buffer->about.address + number * buffer->about.page_size,
                     "pushes page %u of circular buffer %u, and the data that %s of tile (%u, %u) "
                     "sends come behind that; a wait for the semaphore that tells of them is "
                     "missing",
                     number, buffer->about.id,
                     check_place(&of_sender, page->late.hart, page->late.pc, sender),
                     of_sender.tile->x, of_sender.tile->y);
    }
}

static void see_pop(const struct check_scene *scene, struct check_buffer *buffer, uint32_t pages)
{
    const unsigned hart = scene->hart;
    const uint32_t id = buffer->about.id;
    uint32_t from = buffer->popped;
    buffer->popped += pages;
    buffer->consumers |= (uint8_t)(1u << hart);
    buffer->popper = (struct check_who){(uint8_t)hart, scene->event->pc};
    check_concerns(scene, buffer->pusher.hart, buffer->pusher.pc);
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
    } else {
        judge_round(scene, buffer, from, pages, "pops");
    }
    hand_on(scene, buffer, CHECK_WRITE, from, pages);
    for (uint32_t i = 0; i < pages && i < buffer->about.num_pages && buffer->page; i++) {
        uint32_t number = (from + i) % buffer->about.num_pages;
        struct check_page *page = &buffer->page[number];
        judge_added(scene, buffer, number);
        judge_late(scene, buffer, number);
        *page = (struct check_page){.popped_to = buffer->popped,
                                    .was_written = page->was_written,
                                    .is_unpacked = page->is_unpacked,
                                    .readers = page->readers};
    }
}

static void set_back(struct check_buffer *buffer)
{
    struct check_buffer kept = {.about = buffer->about,
                                .received = buffer->received,
                                .acknowledged = buffer->acknowledged,
                                .page = buffer->page};
    if (kept.page) {
        memset(kept.page, 0, kept.about.num_pages * sizeof *kept.page);
    }
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
        check_asked_loads(scene, buffer, is_received);
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

/* Does a kernel pack over a page that it has unpacked before? Attention and topk do so, and move their
 * write pointer back for it. By then TRISC0 may have popped the page, since it runs ahead. Whether the
 * unpacker has finished is for races to tell. */
static bool is_packed_in_place(const struct check_buffer *buffer, uint32_t page, unsigned hart)
{
    return hart == RV32_T2 && buffer->page && buffer->page[page].is_unpacked;
}

/* May the hart write the page now, as far as it has seen? */
static bool may_write(const struct check_buffer *buffer, uint32_t page, unsigned hart)
{
    uint32_t most = buffer->about.num_pages;
    uint32_t ahead = (page + most - buffer->pushed % most) % most;
    return ahead < most - (buffer->pushed - buffer->seen_popped[hart]) ||
           is_packed_in_place(buffer, page, hart);
}

static bool may_read(const struct check_buffer *buffer, uint32_t page, unsigned hart)
{
    uint32_t most = buffer->about.num_pages;
    uint32_t ahead = (page + most - buffer->popped % most) % most;
    return (int32_t)(buffer->seen_pushed[hart] - buffer->popped) > (int32_t)ahead;
}

static uint32_t first_page(const struct check_buffer *buffer, uint32_t address)
{
    return (address - buffer->about.address) / buffer->about.page_size;
}

/* Of an access that begins in the buffer: the page that breaks a rule; num_pages: it goes beyond
 * the buffer's end; UINT32_MAX: none. */
static uint32_t find_bad_page(const struct check_buffer *buffer, uint32_t address, uint32_t size,
                              unsigned hart, bool writes)
{
    uint32_t page = first_page(buffer, address), last = first_page(buffer, address + size - 1);
    for (; page <= last; page++) {
        if (page >= buffer->about.num_pages ||
            (writes ? !may_write(buffer, page, hart) : !may_read(buffer, page, hart))) {
            return page;
        }
    }
    return UINT32_MAX;
}

/* The buffer whose rules the access breaks. One that holds the bytes too and allows it excuses it:
 * buffers may share their memory. */
static struct check_buffer *find_broken(const struct check_scene *scene, uint32_t address,
                                        uint32_t size, bool writes, uint32_t *page)
{
    struct check_buffer *broken = NULL;
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        struct check_buffer *buffer = &scene->own->buffer[scene->own->launched.buffer[i].id];
        uint32_t in = address - buffer->about.address, bit = 1u << scene->hart;
        if (in >= buffer->about.size || size == 0) {
            continue;
        }
        /* tt-metal's kernels take pages that nobody ever pops as memory of their own. */
        bool is_judged = writes ? buffer->producers & bit && buffer->consumers
                                : buffer->consumers & ~buffer->producers & bit;
        uint32_t bad = find_bad_page(buffer, address, size, scene->hart, writes);
        bool is_whole = size <= buffer->about.size - in;
        if ((!is_judged && is_whole) || bad == UINT32_MAX) {
            return NULL;
        }
        if (is_judged) {
            broken = buffer;
            *page = bad;
        }
    }
    return broken;
}

/* --- Buffers that lie in the same memory --- */

/* Has nobody popped the page yet? */
static bool is_live(const struct check_buffer *buffer, uint32_t page)
{
    uint32_t most = buffer->about.num_pages;
    uint32_t ahead = (page + most - buffer->popped % most) % most;
    return buffer->page && (int32_t)(buffer->pushed - buffer->popped) > (int32_t)ahead;
}

/* Does one buffer hold a part of the other? Those that are one and the same memory are meant to
 * be. */
static bool lie_in_part_of_one(const struct loader_circular_buffer *one,
                               const struct loader_circular_buffer *other)
{
    bool is_same = one->address == other->address && one->size == other->size;
    return !is_same && one->address < other->address + other->size &&
           other->address < one->address + one->size;
}

/* Who is or may be a producer of `buffer` writes its bytes, where another one may have pages that
 * nobody has popped. */
static void note_overwritten(const struct check_scene *scene, const struct check_buffer *buffer,
                             uint32_t address, uint32_t size)
{
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        struct check_buffer *other = &scene->own->buffer[scene->own->launched.buffer[i].id];
        if (!other->page || !lie_in_part_of_one(&buffer->about, &other->about)) {
            continue;
        }
        for (uint32_t at = address; at < address + size;) {
            uint32_t in = at - other->about.address;
            uint32_t page = in / other->about.page_size;
            if (in < other->about.size && is_live(other, page)) {
                other->page[page].overwritten_by = 1 + buffer->about.id;
                other->page[page].overwriter =
                    (struct check_who){(uint8_t)scene->hart, scene->event->pc};
            }
            at +=
                in < other->about.size ? other->about.page_size - in % other->about.page_size : 16;
        }
    }
}

static void note_overlap(const struct check_scene *scene, uint32_t address, uint32_t size)
{
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        struct check_buffer *buffer = &scene->own->buffer[scene->own->launched.buffer[i].id];
        if (address - buffer->about.address < buffer->about.size &&
            (buffer->producers == 0 || buffer->producers >> scene->hart & 1) &&
            may_write(buffer, first_page(buffer, address), scene->hart)) {
            note_overwritten(scene, buffer, address, size);
        }
    }
}

/* --- What pages hold --- */

static void judge_page(const struct check_scene *scene, struct check_buffer *buffer,
                       struct check_page *page, uint32_t address, uint32_t size)
{
    uint32_t number = (uint32_t)(page - buffer->page), whole = buffer->about.page_size;
    uint32_t end = address + size - (buffer->about.address + number * whole);
    char place[CHECK_PLACE];
    if (page->overwritten_by) {
        check_report(
            scene, PENROSE_FAULT_CB_ACCESS, page->overwriter.hart, page->overwriter.pc, address,
            "writes a page of circular buffer %u over page %u of circular buffer %u, since "
            "they overlap; nobody has popped it yet, and it is read by %s",
            page->overwritten_by - 1, number, buffer->about.id,
            check_place(scene, scene->hart, scene->event->pc, place));
        page->overwritten_by = 0;
    }
    bool is_half = page->is_pushed && !page->is_mixed && page->filled > 0 && end > page->filled &&
                   whole - page->filled >= whole / FOURTHS && whole >= LEAST_PAGE;
    if (is_half) {
        check_report(
            scene, PENROSE_FAULT_CB_ACCESS, page->filler.hart, page->filler.pc, address,
            "only %u of the %u bytes of page %u of circular buffer %u were written when it "
            "was pushed; the others are read by %s",
            page->filled, whole, number, buffer->about.id,
            check_place(scene, scene->hart, scene->event->pc, place));
        page->is_mixed = true;
    }
}

/* The hart reads so many bytes from the start of the page on. */
static void note_reads(struct check_buffer *buffer, unsigned hart, uint32_t first, uint32_t bytes)
{
    const uint32_t size = buffer->about.page_size;
    for (uint32_t i = first; i < first + (bytes + size - 1) / size; i++) {
        if (i < buffer->about.num_pages) {
            buffer->page[i].readers |= (uint8_t)(1u << hart);
        }
    }
}

/* A consumer reads, or a unit reads or writes, pages of buffers. */
static void see_pages(const struct check_scene *scene, uint32_t address, uint32_t size, bool writes)
{
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        struct check_buffer *buffer = &scene->own->buffer[scene->own->launched.buffer[i].id];
        uint32_t in = address - buffer->about.address;
        if (in >= buffer->about.size || !buffer->page) {
            continue;
        }
        uint32_t number = in / buffer->about.page_size;
        struct check_page *page = &buffer->page[number];
        page->is_unpacked |= !writes && scene->hart == RV32_T0;
        note_reads(buffer, scene->hart, number, writes ? 0 : in % buffer->about.page_size + size);
        if (!writes && may_read(buffer, number, scene->hart)) {
            judge_page(scene, buffer, page, address, size);
        }
        if (writes ? may_write(buffer, number, scene->hart)
                   : may_read(buffer, number, scene->hart)) {
            scene->own->moved = page;
            scene->own->moved_in = buffer->about.id;
        }
    }
}

void check_buffers_access(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    bool is_packet = event->kind == OBSERVED_SENT;
    uint32_t address = (uint32_t)(is_packet ? event->back : event->address), page = 0;
    bool writes = is_packet ? event->packet == NOC_READ : event->kind == OBSERVED_WRITTEN;
    const struct check_buffer *buffer = find_broken(scene, address, event->size, writes, &page);
    if (!is_packet || !writes) {
        see_pages(scene, address, event->size, writes);
    }
    if (writes && !buffer) {
        note_overlap(scene, address, event->size);
    }
    if (!buffer) {
        return;
    }
    if (page >= buffer->about.num_pages) {
        check_report(scene, PENROSE_FAULT_CB_ACCESS, scene->hart, event->pc, address,
                     "%s %u bytes at 0x%x, which go beyond the end of circular buffer %u at 0x%x",
                     writes ? "writes" : "reads", event->size, address, buffer->about.id,
                     buffer->about.address + buffer->about.size);
        return;
    }
    const struct check_who *other = writes ? &buffer->popper : &buffer->pusher;
    check_concerns(scene, other->hart, other->pc);
    check_report(scene, PENROSE_FAULT_CB_ACCESS, scene->hart, event->pc, address,
                 writes ? "writes page %u of circular buffer %u (0x%x), in which it has seen no "
                          "room for it; cb_reserve_back() is missing"
                        : "reads page %u of circular buffer %u (0x%x), for which it has not "
                          "waited, or which it has popped; cb_wait_front() is missing",
                 page, buffer->about.id, address);
}

/* Does the packer add to what memory holds? */
static bool is_added(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct tensix *tensix = &scene->tile->tensix;
    return event->agent == OBSERVED_PACKER && event->thread < TENSIX_THREADS &&
           tensix_get_THCON_SEC0_REG1_Pack_L1_Acc(tensix, tensix_state_id(tensix, event->thread));
}

/* A NoC read fills the page, which was filled before and stayed behind when those before it were
 * pushed. */
static void judge_skipped(const struct check_scene *scene, const struct check_buffer *buffer,
                          struct check_page *page)
{
    struct check_scene of_hart = check_scene_at(scene, scene->tile->node);
    char place[CHECK_PLACE];
    of_hart.hart = page->skipper.hart;
    if (page->skipper.pc && page->filled == buffer->about.page_size) {
        check_report(
            &of_hart, PENROSE_FAULT_CB_COUNT, page->skipper.hart, page->skipper.pc,
            buffer->about.address,
            "pushes pages of circular buffer %u, but not page %u, which %s had filled, and "
            "which is filled again: the number of pages is too small",
            buffer->about.id, (unsigned)(page - buffer->page),
            check_place(&of_hart, page->filler.hart, page->filler.pc, place));
    }
    page->skipper.pc = 0;
}

static void fill_page(const struct check_scene *scene, const struct check_buffer *buffer,
                      struct check_page *page, uint32_t from, uint32_t size)
{
    const struct observed *event = scene->event;
    if (!is_added(scene)) {
        page->adder.pc = 0;
    } else if (!page->was_written) {
        page->adder = (struct check_who){(uint8_t)scene->hart, event->pc};
    }
    page->was_written = true;
    const bool is_packed = event->agent == OBSERVED_PACKER && scene->hart < RV32_CORES;
    const bool is_read = event->agent == OBSERVED_NOC && event->packet == NOC_READ_RESPONSE;
    if (is_read && from == 0) {
        judge_skipped(scene, buffer, page);
    }
    if ((is_packed || is_read) && from == page->filled) {
        page->filled += size;
        page->filler =
            (struct check_who){is_packed ? (uint8_t)scene->hart : event->asker, event->pc};
    } else {
        page->is_mixed = true;
    }
}

void check_buffers_written(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_tile *own = scene->checks->tile[scene->tile->node];
    for (unsigned i = 0; own && i < own->launched.buffers; i++) {
        struct check_buffer *buffer = &own->buffer[own->launched.buffer[i].id];
        uint32_t size = buffer->about.page_size, at = (uint32_t)event->address;
        uint32_t end = at + event->size;
        bool is_sent = event->agent == OBSERVED_NOC && event->packet == NOC_WRITE &&
                       event->asker < RV32_CORES && event->node != scene->tile->node;
        while (buffer->page && at < end && at - buffer->about.address < buffer->about.size) {
            uint32_t in = at - buffer->about.address, room = size - in % size;
            uint32_t count = end - at < room ? end - at : room;
            fill_page(scene, buffer, &buffer->page[in / size], in % size, count);
            if (is_sent && is_live(buffer, in / size)) {
                buffer->page[in / size].late = (struct check_who){event->asker, event->pc};
                buffer->page[in / size].late_node = event->node;
            }
            at += count;
        }
    }
}

/* --- Formats --- */

static const char *name_of_format(unsigned code)
{
    const struct num_format_info *info = num_format_info(code);
    return info ? info->name : "no format";
}

/* Which unpacker has the instruction used? */
static unsigned unpacker_of(const struct observed_work *work)
{
    for (unsigned i = 0; i < work->touches; i++) {
        if (work->touch[i].state == OBSERVED_STATE_UNPACKER) {
            return work->touch[i].first;
        }
    }
    return 0;
}

void check_buffers_unit(const struct check_scene *scene)
{
    const struct observed_work *work = scene->event->work;
    const struct tensix *tensix = &scene->tile->tensix;
    struct check_page *page = scene->own->moved;
    if (!page || scene->event->thread >= OBSERVED_NO_THREAD) {
        return;
    }
    unsigned state = tensix_get_CFG_STATE_ID_StateID(tensix, scene->event->thread);
    uint32_t out = tensix_get_THCON_SEC0_REG1_Out_data_format(tensix, state);
    uint32_t in =
        tensix->config[state][unpacker_of(work) ? TENSIX_WORD_THCON_SEC1_REG0_TileDescriptor
                                                : TENSIX_WORD_THCON_SEC0_REG0_TileDescriptor];
    scene->own->moved = NULL;
    in = num_format_code(in);
    if (work->unit == TENSIX_UNIT_PACK) {
        page->format = (uint8_t)(1 + out);
        page->packer = (struct check_who){(uint8_t)scene->hart, scene->event->pc};
    } else if (work->unit == TENSIX_UNIT_UNPACK && page->format && page->format != 1 + in) {
        const struct check_buffer *buffer = &scene->own->buffer[scene->own->moved_in];
        char place[CHECK_PLACE];
        check_report(scene, PENROSE_FAULT_CB_FORMAT, scene->hart, scene->event->pc,
                     buffer->about.address,
                     "unpacks page %u of circular buffer %u as %s, and it was packed as %s by %s",
                     (unsigned)(page - buffer->page), buffer->about.id, name_of_format(in),
                     name_of_format(page->format - 1u),
                     check_place(scene, page->packer.hart, page->packer.pc, place));
        page->format = 0;
    }
}

/* --- Launches --- */

/* Pages of which nobody pops any, in a buffer of which a consumer reads some: how many none reads. What
 * its producer alone reads is memory of that. Of what one push brings a consumer may need a part, such as
 * one of several masks. */
static uint32_t count_unread(const struct check_buffer *buffer)
{
    const uint32_t most = buffer->about.num_pages;
    const uint32_t pages = buffer->pushed < most ? buffer->pushed : most;
    uint32_t unread = 0, of_push = 0;
    bool reads_push = false;
    for (uint32_t i = 0; i < pages && buffer->page && buffer->popped == 0; i++) {
        const struct check_page *page = &buffer->page[i];
        reads_push |= page->readers & ~buffer->producers;
        of_push++;
        if (i + 1 == pages || page[1].pushed_to != page->pushed_to) {
            unread += reads_push ? 0 : of_push;
            of_push = 0;
            reads_push = false;
        }
    }
    return unread < pages ? unread : 0;
}

/* Where somebody pops pages, all that were pushed are popped. Pages that nobody ever pops are
 * constants, which are read, or an output that lies in L1, as those may be that the packer has pushed
 * and the unpackers have read. */
static void judge_rest(const struct check_scene *scene, const struct check_buffer *buffer)
{
    const bool is_of_both = buffer->pusher.hart == RV32_T2 && buffer->popper.hart == RV32_T0;
    const uint32_t unread = count_unread(buffer);
    if (buffer->popped > 0 && (int32_t)(buffer->pushed - buffer->popped) > 0 && !is_of_both) {
        check_concerns(scene, buffer->popper.hart, buffer->popper.pc);
        check_report(scene, PENROSE_FAULT_CB_COUNT, buffer->pusher.hart, buffer->pusher.pc,
                     buffer->about.address,
                     "the kernels end, and of %u pages that were pushed to circular buffer %u only "
                     "%u were popped; the counts of its producer and its consumer differ",
                     buffer->pushed, buffer->about.id, buffer->popped);
    } else if (unread > 0 && !is_of_both) {
        check_report(scene, PENROSE_FAULT_CB_COUNT, buffer->pusher.hart, buffer->pusher.pc,
                     buffer->about.address,
                     "the kernels end, and %u of %u pages that were pushed to circular buffer %u "
                     "were neither read nor popped, though others were read; cb_pop_front() is "
                     "missing",
                     unread, buffer->pushed, buffer->about.id);
    }
}

void check_buffers_ended(const struct check_scene *scene)
{
    for (unsigned i = 0; i < scene->own->launched.buffers; i++) {
        judge_rest(scene,
                   &scene->own->buffer[scene->own->launched.buffer[i].id % LOADER_MOST_BUFFERS]);
    }
}

static void forget_buffer(struct check_buffer *buffer)
{
    free(buffer->page);
    *buffer = (struct check_buffer){.page = NULL};
}

void check_buffers_forget(struct check_tile *own)
{
    for (unsigned i = 0; i < LOADER_MOST_BUFFERS; i++) {
        forget_buffer(&own->buffer[i]);
    }
    memset(own->asked, 0, sizeof own->asked);
    memset(own->table, 0, sizeof own->table);
    own->moved = NULL;
}

void check_buffers_begin(const struct check_scene *scene)
{
    const struct loader_launched *launched = &scene->own->launched;
    check_buffers_forget(scene->own);
    for (unsigned i = 0; i < launched->buffers; i++) {
        const struct loader_circular_buffer *about = &launched->buffer[i];
        unsigned stream = scene->own->first_stream + about->id;
        struct check_buffer *buffer = &scene->own->buffer[about->id % LOADER_MOST_BUFFERS];
        if (stream < scene->tile->kind->streams && about->page_size) {
            buffer->about = *about;
            buffer->about.size = about->num_pages * about->page_size;
            buffer->received =
                (uint16_t)overlay_register(&scene->tile->overlay, stream, METAL_PAGES_RECEIVED);
            buffer->acknowledged =
                (uint16_t)overlay_register(&scene->tile->overlay, stream, METAL_PAGES_ACKNOWLEDGED);
            buffer->page = scene->checks->does[CHECK_BUFFERS] && about->num_pages <= CHECK_PAGES
                               ? calloc(about->num_pages, sizeof *buffer->page)
                               : NULL;
        }
    }
}

/* --- Sizes that a kernel changes --- */

static const struct check_table *find_table(const struct check_scene *scene)
{
    const struct images *images = chip_images(scene->checks->chip);
    struct check_table *table = &scene->own->table[scene->hart];
    if (table->changes != images->changes + 1) {
        const struct image *image =
            images_find(images, scene->tile->x, scene->tile->y, scene->event->pc);
        const struct loader_symbol *symbol =
            image ? loader_elf_symbol(image->elf, "cb_interface") : NULL;
        *table = (struct check_table){.changes = images->changes + 1,
                                      .first = symbol ? symbol->value : 0,
                                      .bytes = symbol ? symbol->size : 0};
    }
    return table;
}

/* HW: an entry of the table begins with the size of the buffer, its end, the size of a page and the
 * number of pages (tt-metal, LocalCBInterface). */
unsigned check_buffers_sized(const struct check_scene *scene)
{
    enum { ENTRY = 32, SIZES = 16 };
    const struct check_table *table = find_table(scene);
    const uint32_t in = (uint32_t)scene->event->address - table->first;
    return in < table->bytes && in % ENTRY < SIZES ? in / ENTRY : LOADER_MOST_BUFFERS;
}

void check_buffers_resize(const struct check_scene *scene, unsigned id)
{
    if (check_is_of_kernel(scene, scene->event->pc)) {
        forget_buffer(&scene->own->buffer[id]);
    }
}
