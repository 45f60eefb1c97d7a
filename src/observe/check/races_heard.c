/*
 * Data that are read before anything has told of them, and data that the NoC brings over others which
 * were read, before the sender has heard of that.
 *
 * What another hart has stored, or the NoC has brought for one of another tile, is there for who has
 * learned of it (order.h). A tile has heard of another one's requests when one of its harts has loaded
 * what that tile, or one that has heard of it, has sent. So somebody who has read data must send
 * something behind that, before the place may be written again.
 */
#include "observe/check/check.h"
#include "observe/check/races.h"

#include <stdlib.h>
#include <string.h>

#include "noc/packet.h"

/* By tile. */
struct check_heard {
    uint32_t sent[NOC_NODES];          /* requests to others */
    uint32_t of[NOC_NODES][NOC_NODES]; /* those of the second one that the first one has heard of */
    bool has_told[NOC_NODES][NOC_NODES]; /* what the second one has sent is in the first one */
    uint16_t telling[NOC_NODES];         /* tiles that have sent what nobody there has loaded yet */
};

/* --- Before anything has told of them --- */

static const struct races_brought *find_brought(const struct check_races *races,
                                                const struct order_clock *clock, uint32_t address)
{
    const uint32_t number = races->l1[address / RACES_LINE].brought;
    const struct races_brought *brought = &races->brought[number % RACES_BROUGHT];
    const bool is_known = number <= races->brought_before || clock->at[ORDER_BROUGHT] >= number;
    return !is_known && brought->number == number ? brought : NULL;
}

static void report_unheard(const struct check_scene *scene, uint32_t pc, uint32_t address,
                           const struct races_brought *brought)
{
    const struct check_scene sender = check_scene_at(scene, brought->node);
    char place[CHECK_PLACE];
    if (sender.own) {
        check_report(scene, PENROSE_FAULT_RACE_L1, scene->hart, pc, address,
                     "reads 0x%x, where the NoC write of %s of tile (%u, %u) brings data, and has "
                     "not waited for anything that tells of them; noc_semaphore_wait() is missing",
                     address, check_place(&sender, brought->hart, brought->pc, place),
                     sender.tile->x, sender.tile->y);
    }
}

/* Is there anything in the line at `address` of which who has this clock has not heard? */
static bool judge_unheard(const struct check_scene *scene, const struct order_clock *clock,
                          uint32_t pc, uint32_t address)
{
    struct check_races *races = scene->own->races;
    const struct races_brought *brought = find_brought(races, clock, address);
    uint32_t stored_at;
    const unsigned hart = races_bytes_find(scene, clock, address, &stored_at);
    char place[CHECK_PLACE];
    if (brought) {
        report_unheard(scene, pc, address, brought);
    } else if (hart < RV32_CORES) {
        check_report(scene, PENROSE_FAULT_RACE_L1, scene->hart, pc, address,
                     "reads 0x%x, which %s has stored, and has not waited for anything that tells "
                     "of it; a semaphore, a mailbox, or a loop that polls a word is missing",
                     address, check_place(scene, hart, stored_at, place));
    }
    return brought || hart < RV32_CORES;
}

/* --- Uses --- */

static void note_reading(const struct check_scene *scene, uint32_t pc, uint32_t first,
                         uint32_t size)
{
    struct check_races *races = scene->own->races;
    const struct check_heard *heard = scene->checks->heard;
    const uint32_t sent = heard ? heard->sent[scene->tile->node] : 0;
    for (uint32_t at = first / RACES_LINE; at * RACES_LINE < first + size; at++) {
        struct races_l1 *line = &races->l1[at];
        struct races_use *latest = &races->reading[races->readings % RACES_USES];
        const bool was_brought = line->brought > races->brought_before;
        if (races->readings == 0 || latest->pc != pc || latest->hart != scene->hart ||
            latest->sent != sent || latest->was_brought != was_brought) {
            const uint32_t number = ++races->readings;
            races->reading[number % RACES_USES] = (struct races_use){.number = number,
                                                                     .pc = pc,
                                                                     .sent = sent,
                                                                     .hart = (uint8_t)scene->hart,
                                                                     .was_brought = was_brought};
        }
        line->used = races->readings;
    }
}

void races_heard_load(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const struct order_clock *clock = &scene->own->races->order.hart[scene->hart].clock;
    const uint32_t address = (uint32_t)event->address;
    uint32_t pc;
    if (event->address + event->size > scene->tile->kind->l1_bytes ||
        !check_is_of_kernel(scene, event->pc)) {
        return;
    }
    const bool is_unheard = find_brought(scene->own->races, clock, address) ||
                            races_bytes_find(scene, clock, address, &pc) < RV32_CORES;
    if (is_unheard && check_reads_data(scene, event->pc)) {
        (void)judge_unheard(scene, clock, event->pc, address);
    }
    note_reading(scene, event->pc, address, event->size);
}

void races_heard_read(const struct check_scene *scene, const struct order_clock *clock, uint32_t pc,
                      uint32_t first, uint32_t size)
{
    if (first + size > scene->tile->kind->l1_bytes || !check_is_of_kernel(scene, pc)) {
        return;
    }
    for (uint32_t at = first; at < first + size; at = (at / RACES_LINE + 1) * RACES_LINE) {
        if (judge_unheard(scene, clock, pc, at)) {
            break;
        }
    }
    note_reading(scene, pc, first, size);
}

/* --- What tiles have heard of each other --- */

void races_heard_sent(const struct check_scene *scene)
{
    struct checks *checks = scene->checks;
    checks->heard = checks->heard ? checks->heard : calloc(1, sizeof *checks->heard);
    if (checks->heard) {
        checks->heard->sent[scene->tile->node]++;
    }
}

void races_heard_learns(const struct check_scene *scene)
{
    struct check_heard *heard = scene->checks->heard;
    const uint16_t own = scene->tile->node;
    for (unsigned other = 0; heard && heard->telling[own] && other < NOC_NODES; other++) {
        if (!heard->has_told[own][other]) {
            continue;
        }
        heard->has_told[own][other] = false;
        heard->telling[own]--;
        heard->of[own][other] = heard->sent[other];
        for (unsigned i = 0; i < NOC_NODES; i++) {
            const uint32_t known = heard->of[own][i], told = heard->of[other][i];
            heard->of[own][i] = told > known ? told : known;
        }
    }
}

/* --- Words that are set back --- */

static struct races_told *find_told_word(struct check_races *races, uint32_t address)
{
    for (unsigned i = 0; i < RACES_TOLD && i < races->tolds; i++) {
        if (races->told[i].address == address) {
            return &races->told[i];
        }
    }
    return NULL;
}

void races_heard_store(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    const bool is_word = event->address < scene->tile->kind->l1_bytes && event->size == RACES_WORD;
    struct races_told *told =
        is_word ? find_told_word(scene->own->races, (uint32_t)event->address) : NULL;
    const struct check_heard *heard = scene->checks->heard;
    if (told && heard && event->value != told->value && check_is_of_kernel(scene, event->pc)) {
        told->value = event->value;
        told->pc = event->pc;
        told->sent = heard->sent[scene->tile->node];
        told->hart = (uint8_t)scene->hart;
    }
}

/* The sender of a word has not heard of anything that this tile has sent behind the store: the word may
 * come before it, and is lost then. */
static void note_told_word(const struct check_scene *scene, const struct check_scene *sender)
{
    struct check_races *races = scene->own->races;
    const struct observed *event = scene->event;
    const struct check_heard *heard = scene->checks->heard;
    struct races_told *told = find_told_word(races, (uint32_t)event->address);
    char place[CHECK_PLACE];
    if (told && told->pc && heard->of[sender->tile->node][scene->tile->node] <= told->sent) {
        struct check_scene storer = *scene;
        storer.hart = told->hart;
        check_report(&storer, PENROSE_FAULT_RACE_L1, told->hart, told->pc, told->address,
                     "stores over 0x%x, which %s of tile (%u, %u) changes over the NoC in no order "
                     "with that: what it tells gets lost if it comes before; the store belongs "
                     "before what lets the other one go on",
                     told->address, check_place(sender, sender->hart, event->pc, place),
                     sender->tile->x, sender->tile->y);
    }
    told = told ? told : &races->told[races->tolds++ % RACES_TOLD];
    *told = (struct races_told){.address = (uint32_t)event->address};
    memcpy(&told->value, scene->tile->l1 + event->address, sizeof told->value);
}

/* --- What the NoC brings --- */

/* Data come over what a kernel has read, and their sender has not heard of anything that this tile has
 * sent behind that. */
static void judge_line(const struct check_scene *scene, const struct check_scene *sender,
                       struct races_l1 *line)
{
    const struct check_races *races = scene->own->races;
    const struct check_heard *heard = scene->checks->heard;
    const struct races_use *use = &races->reading[line->used % RACES_USES];
    const uint32_t address = (uint32_t)(line - races->l1) * RACES_LINE;
    char place[CHECK_PLACE];
    if (line->used <= races->readings_before || use->number != line->used || !heard ||
        heard->of[sender->tile->node][scene->tile->node] > use->sent) {
        return;
    }
    struct check_scene reader = *scene;
    reader.hart = use->hart;
    line->used = 0;
    if (!check_reads_data(&reader, use->pc)) {
        return;
    }
    if (use->was_brought) {
        check_report(sender, PENROSE_FAULT_RACE_L1, sender->hart, scene->event->pc, address,
                     "writes over 0x%x of tile (%u, %u), which %s has read before, and has not "
                     "heard of that: it may come before the read; a semaphore that tells of room "
                     "is missing",
                     address, scene->tile->x, scene->tile->y,
                     check_place(&reader, use->hart, use->pc, place));
    } else {
        check_report(
            &reader, PENROSE_FAULT_RACE_L1, use->hart, use->pc, address,
            "reads 0x%x, where the NoC write of %s of tile (%u, %u) brings data later, and "
            "has not waited for anything that tells of them; noc_semaphore_wait() is "
            "missing",
            address, check_place(sender, sender->hart, scene->event->pc, place), sender->tile->x,
            sender->tile->y);
    }
}

static void note_brought_data(const struct check_scene *scene, const struct check_scene *sender)
{
    struct check_races *races = scene->own->races;
    const struct observed *event = scene->event;
    const uint32_t number = races->order.count[ORDER_BROUGHT];
    const uint32_t first = (uint32_t)event->address, end = first + event->size;
    races->brought[number % RACES_BROUGHT] = (struct races_brought){
        .number = number, .pc = event->pc, .node = event->node, .hart = event->asker};
    for (uint32_t at = first / RACES_LINE; at * RACES_LINE < end; at++) {
        judge_line(scene, sender, &races->l1[at]);
        races->l1[at].brought = number;
    }
}

/* The host has let the launch of the one end before it began that of the other. A number is 0 where the
 * host gives none. */
static bool are_of_two_launches(const struct check_scene *scene, const struct check_scene *other)
{
    const uint32_t own = scene->own->launched.id, others = other->own->launched.id;
    return own != 0 && others != 0 && own != others;
}

void races_heard_arrived(const struct check_scene *scene)
{
    const struct observed *event = scene->event;
    struct check_heard *heard = scene->checks->heard;
    const uint16_t own = scene->tile->node;
    if (event->packet > NOC_ATOMIC || event->node == own || event->asker >= RV32_CORES || !heard) {
        return;
    }
    heard->telling[own] += !heard->has_told[own][event->node];
    heard->has_told[own][event->node] = true;
    struct check_scene sender = check_scene_at(scene, event->node);
    sender.hart = event->asker;
    if (!sender.tile || !sender.own || sender.tile->kind->type != TILE_TENSIX ||
        !check_is_of_kernel(&sender, event->pc) || are_of_two_launches(scene, &sender) ||
        event->address + event->size > scene->tile->kind->l1_bytes) {
        return;
    }
    if (event->size > RACES_WORD) {
        note_brought_data(scene, &sender);
    } else if (event->size == RACES_WORD) {
        note_told_word(scene, &sender);
    }
}

void races_heard_begin(struct check_races *races)
{
    races->readings_before = races->readings;
    races->tolds = 0;
    races->brought_before = races->order.count[ORDER_BROUGHT];
}
