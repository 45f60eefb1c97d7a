/* See asked.h. */
#include "tile/asked.h"

#include <string.h>

#include "noc/request.h"
#include "tile/tile.h"

static bool is_span_asked(const struct noc_span *one, const struct noc_span *other)
{
    return one->start_x == other->start_x && one->start_y == other->start_y &&
           one->end_x == other->end_x && one->end_y == other->end_y;
}

static bool is_request_asked(const struct asked *asked, const struct noc_packet *packet)
{
    return asked->times && asked->address == packet->address && asked->to == packet->to &&
           asked->kind == packet->kind && asked->agent == packet->agent &&
           asked->is_multicast == packet->is_multicast && asked->size == packet->size &&
           (!packet->is_multicast || is_span_asked(&asked->span, &packet->span));
}

/* Finds it among `count`, or puts it in front of the others, of which the last is forgotten. */
static struct asked *note(struct asked *list, unsigned count, const struct noc_packet *packet)
{
    for (unsigned i = 0; i < count; i++) {
        if (is_request_asked(&list[i], packet)) {
            list[i].times++;
            list[i].pc = packet->pc;
            return &list[i];
        }
    }
    memmove(list + 1, list, (count - 1) * sizeof *list);
    *list = (struct asked){.address = packet->address,
                           .times = 1,
                           .pc = packet->pc,
                           .size = packet->size,
                           .to = packet->to,
                           .agent = packet->agent,
                           .noc = packet->noc,
                           .kind = packet->kind,
                           .is_multicast = packet->is_multicast,
                           .span = packet->span};
    return list;
}

/* A read that was done long ago does not belong to those that are done in turn. */
static void note_read(struct asked *read, const struct noc_packet *packet)
{
    const struct asked *now = note(read, ASKED_READS, packet);
    for (unsigned i = 0; i < ASKED_READS; i++) {
        if (read[i].times < now->times / ASKED_AGAIN) {
            read[i].times = 0;
        }
    }
}

void tile_note_asked(struct tile *tile, const struct noc_packet *packet)
{
    if (packet->kind > NOC_ATOMIC || packet->agent >= RV32_CORES) {
        return;
    }
    struct asked *read = tile->asked.read[packet->agent];
    if (packet->kind == NOC_READ) {
        note_read(read, packet);
        return;
    }
    for (unsigned i = 0; i < ASKED_READS; i++) {
        read[i].times = 0;
    }
    if (packet->kind == NOC_ATOMIC || packet->size <= ASKED_POST_BYTES) {
        note(tile->asked.post, ASKED_POSTS, packet);
    }
}

bool asked_reaches(const struct asked *asked, uint16_t place, uint64_t address)
{
    enum { WORD = 4 };
    uint64_t size = asked->kind == NOC_ATOMIC ? WORD : asked->size;
    return asked->times && address >= asked->address && address - asked->address < size &&
           (asked->is_multicast ? noc_span_has(&asked->span, asked->noc, place)
                                : asked->to == place);
}

const struct asked *asked_again(const struct tile_asked *asked, enum rv32_core core)
{
    const struct asked *read = asked->read[core];
    bool is_again = read[0].times >= ASKED_AGAIN;
    for (unsigned i = 1; i < ASKED_READS; i++) {
        is_again &= read[i].times == 0 || read[i].times >= ASKED_AGAIN;
    }
    return is_again ? read : NULL;
}
