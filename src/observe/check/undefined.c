/* Bytes of memories that nobody has written, or in which undefined values stand, see undefined.h. */
#include "observe/check/undefined.h"

#include <stdio.h>
#include <stdlib.h>

#include "observe/check/bits.h"

/* Bits for bytes. */
struct uninit_page {
    uint64_t written[UNINIT_PAGE_BYTES / BITS_WORD], tainted[UNINIT_PAGE_BYTES / BITS_WORD];
    bool has_taint;
};

/* --- Bytes --- */

static struct uninit_page *page_of_memory(struct uninit_memory *memory, uint64_t address,
                                          bool makes)
{
    uint64_t number = address >> UNINIT_PAGE_SHIFT;
    if (number >= memory->pages || (!memory->page[number] && !makes)) {
        return NULL;
    }
    if (!memory->page[number]) {
        memory->page[number] = calloc(1, sizeof(struct uninit_page));
    }
    return memory->page[number];
}

void uninit_define(struct uninit_memory *memory, uint64_t address, uint64_t size)
{
    while (size > 0) {
        uint32_t in = (uint32_t)(address % UNINIT_PAGE_BYTES), room = UNINIT_PAGE_BYTES - in;
        uint32_t count = size < room ? (uint32_t)size : room;
        struct uninit_page *page = page_of_memory(memory, address, true);
        if (page) {
            bits_set(page->written, in, count, true);
            if (page->has_taint) {
                bits_set(page->tainted, in, count, false);
            }
        }
        address += count;
        size -= count;
    }
}

bool uninit_is_undefined(struct uninit_memory *memory, uint64_t address)
{
    const struct uninit_page *page = page_of_memory(memory, address, false);
    uint32_t in = (uint32_t)(address % UNINIT_PAGE_BYTES);
    if (address >> UNINIT_PAGE_SHIFT >= memory->pages) {
        return false;
    }
    if (page && bits_get(page->written, in)) {
        return page->has_taint && bits_get(page->tainted, in);
    }
    return !memory->bytes || memory->bytes[address] == 0;
}

uint32_t uninit_count(struct uninit_memory *memory, uint64_t address, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < size;) {
        const struct uninit_page *page = page_of_memory(memory, address + i, false);
        const uint32_t in = (uint32_t)((address + i) % UNINIT_PAGE_BYTES);
        const uint32_t some = bits_in_word(in, size - i);
        const uint64_t mask = bits_mask(in, some);
        bool is_defined = page && (page->written[in / BITS_WORD] & mask) == mask &&
                          (page->tainted[in / BITS_WORD] & mask) == 0;
        const uint32_t end = i + some;
        for (i = is_defined ? end : i; i < end; i++) {
            count += uninit_is_undefined(memory, address + i);
        }
    }
    return count;
}

void uninit_note_taint(struct uninit_memory *memory, const struct uninit_taint *taint)
{
    memory->taint[memory->taints++ % UNINIT_TAINTS] = *taint;
}

/* The latest that holds the byte; NULL: it is not known any more, or the byte was never written. */
const struct uninit_taint *uninit_find_taint(const struct uninit_memory *memory, uint64_t address)
{
    for (unsigned i = 0; i < UNINIT_TAINTS && i < memory->taints; i++) {
        const struct uninit_taint *taint = &memory->taint[(memory->taints - 1 - i) % UNINIT_TAINTS];
        if (address - taint->first < taint->size) {
            return taint;
        }
    }
    return NULL;
}

void uninit_taint_byte(struct uninit_memory *memory, uint64_t address)
{
    struct uninit_page *page = page_of_memory(memory, address, true);
    if (page) {
        bits_set(page->written, (uint32_t)(address % UNINIT_PAGE_BYTES), 1, true);
        bits_set(page->tainted, (uint32_t)(address % UNINIT_PAGE_BYTES), 1, true);
        page->has_taint = true;
    }
}

struct uninit_origin uninit_origin_in(struct uninit_memory *memory, uint32_t address, uint32_t pc)
{
    const struct uninit_page *page = page_of_memory(memory, address, false);
    const struct uninit_taint *taint = page && bits_get(page->written, address % UNINIT_PAGE_BYTES)
                                           ? uninit_find_taint(memory, address)
                                           : NULL;
    return taint ? taint->origin
                 : (struct uninit_origin){.kind = ORIGIN_L1, .address = address, .pc = pc};
}

/* --- Reports --- */

static void put_origin(const struct check_scene *scene, const struct uninit_origin *origin,
                       char *text, size_t size)
{
    char place[CHECK_PLACE] = "";
    switch (origin->kind) {
    case ORIGIN_L1:
        snprintf(text, size, "L1 at 0x%x, which nobody has written", origin->address);
        break;
    case ORIGIN_LOCAL:
        snprintf(text, size, "local RAM at 0x%08x, which nobody has written", origin->address);
        break;
    case ORIGIN_STACK:
        snprintf(text, size,
                 "the variable at 0x%08x on the stack, which is not set; its function is "
                 "that of %s",
                 origin->address, check_place(scene, origin->hart, origin->pc, place));
        break;
    case ORIGIN_REGISTER:
        snprintf(text, size, "%s, which the program has not set", rv32_x_names[origin->address]);
        break;
    case ORIGIN_ROWS:
        snprintf(text, size, "rows of Src that nobody has written, with which %s computes",
                 check_place(scene, origin->hart, origin->pc, place));
        break;
    case ORIGIN_GPR:
        snprintf(text, size, "GPR %u, which nothing has written", origin->address);
        break;
    case ORIGIN_BROUGHT:
        snprintf(text, size,
                 "bytes of %s at 0x%x, which nobody has written; the NoC request of %s "
                 "has copied them",
                 origin->is_dram ? "DRAM" : "L1", origin->address,
                 check_place(scene, origin->hart, origin->pc, place));
        break;
    }
}

void uninit_report(const struct check_scene *scene, unsigned hart, uint32_t pc,
                   const struct uninit_origin *origin, const char *what)
{
    char text[300];
    put_origin(scene, origin, text, sizeof text);
    check_report(scene, PENROSE_FAULT_UNDEFINED_DATA, hart, pc, origin->address, "%s %s", what,
                 text);
}

void uninit_copy(struct uninit_memory *to, uint64_t to_address, struct uninit_memory *from,
                 uint64_t from_address, uint32_t size, const struct uninit_taint *made)
{
    uint32_t bad = from ? uninit_count(from, from_address, size) : 0;
    uninit_define(to, to_address, size);
    if (bad == 0) {
        return;
    }
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < size; i++) {
        if (uninit_is_undefined(from, from_address + i)) {
            uninit_taint_byte(to, to_address + i);
            first = first == UINT32_MAX ? i : first;
        }
    }
    const struct uninit_taint *before = uninit_find_taint(from, from_address + first);
    struct uninit_taint taint = *made;
    taint.first = to_address;
    taint.size = size;
    taint.origin.address = (uint32_t)(from_address + first);
    taint.matters &= bad == size;
    if (before && before->origin.kind != ORIGIN_L1) {
        taint.origin = before->origin;
        taint.matters |= before->matters;
    }
    uninit_note_taint(to, &taint);
}

uint32_t uninit_find(const struct check_scene *scene, struct uninit_memory *l1, uint32_t address,
                     uint32_t size, struct uninit_origin *origin)
{
    const uint32_t some = uninit_count(l1, address, size) > 0 ? size : 0;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < some; i++) {
        if (uninit_is_undefined(l1, address + i)) {
            *origin = bytes ? *origin : uninit_origin_in(l1, address + i, scene->event->pc);
            bytes |= UINT32_C(1) << i;
        }
    }
    return bytes;
}

void uninit_store(const struct check_scene *scene, struct uninit_memory *l1, uint32_t address,
                  uint32_t bytes, const struct uninit_origin *origin)
{
    enum { MOST = 16, WORD_BITS = 32 };
    for (uint32_t i = 0; i < MOST; i++) {
        if (bytes >> i & 1) {
            uninit_taint_byte(l1, address + i);
        }
    }
    const struct uninit_taint taint = {.first = address,
                                       .size = WORD_BITS - (uint32_t)__builtin_clz(bytes),
                                       .matters = origin->is_computed,
                                       .node = scene->tile->node,
                                       .hart = scene->hart,
                                       .pc = scene->event->pc,
                                       .origin = *origin};
    uninit_note_taint(l1, &taint);
}

void uninit_free_memory(struct uninit_memory *memory)
{
    for (unsigned i = 0; i < memory->pages; i++) {
        free(memory->page[i]);
    }
    free(memory->page);
}
