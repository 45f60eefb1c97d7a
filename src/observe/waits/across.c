/*
 * See across.h. A way leads from waiter to waiter: inside a tile to the cause that chain.c has found,
 * over the NoC to a hart that has sent to the word before, and over a link to a hart of the tile at
 * its other end. It ends where nobody is known to wait for another, or at a waiter that it has been
 * to: a deadlock. The report says it from its end, as it says chains of a tile.
 */
#include "observe/waits/across.h"

#include "observe/waits/places.h"
#include "tile/eth_window.h"

enum { MOST_STEPS = 16 };

enum way { WAY_START, WAY_IN_TILE, WAY_OVER_NOC, WAY_OVER_LINK };

/* A waiter, and how it was come to. */
struct step {
    struct chain chain;
    unsigned number;
    enum way way;
};

struct ways {
    struct step step[MOST_STEPS];
    unsigned steps;
    const struct step *again; /* the last one waits for this one; NULL: it does not */
};

/* --- The way --- */

static const struct chip_place *port_of_tile(const struct chain *chain)
{
    return &chain->chip->place[chain->tile->node];
}

/* Does it wait for what the other end of its link may send? */
static bool waits_for_peer(const struct chain *chain, const struct waiter *waiter)
{
    return chain->tile->eth && !waiter->senders.places && !waiter->is_certain &&
           (waiter->waits_for_word || waiter->waits_for_frames);
}

static bool is_same_waiter(const struct step *step, const struct step *other)
{
    return step->chain.tile == other->chain.tile && step->number == other->number;
}

/* Goes to a waiter of a tile; true where the way may go on there. */
static bool go_to(struct ways *ways, const struct chain *chain, unsigned number, enum way way)
{
    struct step *next = &ways->step[ways->steps];
    next->chain = *chain;
    next->number = number;
    next->way = way;
    for (unsigned i = 0; i < ways->steps; i++) {
        if (is_same_waiter(&ways->step[i], next)) {
            ways->again = &ways->step[i];
            return false;
        }
    }
    return ++ways->steps < MOST_STEPS;
}

/* To the hart that is preferred if it waits, or else to the first that does. */
static bool go_to_hart(struct ways *ways, struct penrose_chip *chip, struct tile *tile,
                       enum rv32_core preferred, enum way way)
{
    struct chain chain;
    wait_chain_make(&chain, chip, tile);
    for (unsigned i = 0; i <= RV32_CORES; i++) {
        unsigned number = i ? i - 1 : preferred;
        if (number < RV32_CORES && chain.waiter[number].waits) {
            return go_to(ways, &chain, number, way);
        }
    }
    return false;
}

static bool go_over_noc(struct ways *ways, const struct chain *chain, const struct waiter *waiter)
{
    struct tile *sender = chain->chip->place[waiter->senders.place[0]].tile;
    enum rv32_core poster = wait_chain_poster(sender, chain->tile->node, waiter->word);
    return go_to_hart(ways, chain->chip, sender, poster, WAY_OVER_NOC);
}

static bool go_on_way(struct ways *ways)
{
    const struct step *last = &ways->step[ways->steps - 1];
    const struct chain *chain = &last->chain;
    const struct waiter *waiter = &chain->waiter[last->number];
    const struct chip_place *port = port_of_tile(chain);
    if (waiter->cause != WAITS_FOR_NOBODY) {
        return go_to(ways, chain, (unsigned)waiter->cause, WAY_IN_TILE);
    }
    if (waiter->waits_for_word && waiter->senders.places) {
        return go_over_noc(ways, chain, waiter);
    }
    return waits_for_peer(chain, waiter) && port->peer &&
           go_to_hart(ways, port->peer, port->peer->place[port->peer_place].tile, RV32_CORES,
                      WAY_OVER_LINK);
}

/* Does the way lead over a link, or end where one would lead on? */
static bool is_across(const struct ways *ways)
{
    const struct step *last = &ways->step[ways->steps - 1];
    bool is = waits_for_peer(&last->chain, &last->chain.waiter[last->number]);
    for (unsigned i = 0; i < ways->steps; i++) {
        is |= ways->step[i].way == WAY_OVER_LINK;
    }
    return is;
}

/* --- Words --- */

static void put_place_of(struct wait_words *words, const struct chain *from,
                         const struct penrose_chip *chip, uint16_t place)
{
    char text[60];
    struct sink sink = {.text = text, .size = sizeof text};
    under_way_put_far_place(&sink, from->chip, chip, place);
    wait_words_put(words, "%s", text);
}

/* What the harts at the other end of a link do, none of which waits: ", erisc1 has ended". True where
 * one of them runs. */
static bool put_other_end(struct wait_words *words, const struct chain *from,
                          const struct chip_place *port)
{
    struct chain chain;
    struct tile *tile = port->peer->place[port->peer_place].tile;
    bool any_runs = false;
    wait_words_put(words, "; at the other end of its link, ");
    put_place_of(words, from, port->peer, port->peer_place);
    wait_chain_make(&chain, port->peer, tile);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (tile->kind->harts >> core & 1) {
            const char *over = chain.waiter[core].over;
            any_runs |= !over;
            wait_words_put(words, ", %s %s", tile->kind->hart[core], over ? over : "runs");
        }
    }
    return any_runs;
}

/* The event that is missing, and where. */
static void put_end(struct wait_words *words, const struct chain *from, const struct ways *ways)
{
    const struct step *last = &ways->step[ways->steps - 1];
    const struct waiter *waiter = &last->chain.waiter[last->number];
    const struct chip_place *port = port_of_tile(&last->chain);
    struct wait_words end;
    bool any_runs = false;
    wait_words_start(&end);
    if (last->chain.tile != from->tile) {
        wait_words_put(&end, " of ");
        put_place_of(&end, from, last->chain.chip, last->chain.tile->node);
    }
    if (waits_for_peer(&last->chain, waiter) && port->peer) {
        any_runs = put_other_end(&end, from, port);
    } else if (waits_for_peer(&last->chain, waiter)) {
        wait_words_put(&end, ", and the port has no link over which it could come");
    }
    wait_words_put(words, "%s: %s%s", any_runs || waiter->runs ? "cause so far" : "root cause",
                   waiter->missing, end.key_bytes);
}

static void put_deadlock(struct wait_words *words, const struct chain *from,
                         const struct ways *ways)
{
    const struct chain *chain = &ways->again->chain;
    wait_words_put(words,
                   "deadlock: each of these waits for the one above it, and the first for "
                   "%s of ",
                   chain->tile->kind->hart[ways->again->number]);
    put_place_of(words, from, chain->chip, chain->tile->node);
}

/* Where `next`, for which it waits, is: "; the other end of its link is ...". */
static void put_way(struct wait_words *words, const struct chain *from, const struct step *step,
                    const struct step *next)
{
    const struct chain *chain = &next->chain;
    const struct waiter *waiter = &step->chain.waiter[step->number];
    if (next->way == WAY_IN_TILE) {
        return;
    }
    wait_words_put(words, next->way == WAY_OVER_NOC ? "; requests of "
                                                    : "; the other end of its link is ");
    put_place_of(words, from, chain->chip, chain->tile->node);
    if (next->way == WAY_OVER_NOC) {
        wait_words_put(words, " go there");
    } else if (waiter->waits_for_word && eth_has_sent(chain->tile->eth, waiter->word)) {
        wait_words_put(words, ", which has sent there before");
    }
}

static void put_step(struct wait_words *words, const struct chain *from, const struct ways *ways,
                     unsigned index)
{
    const struct step *step = &ways->step[index];
    const struct step *next = index + 1 < ways->steps ? step + 1 : ways->again;
    wait_words_put(words, "\n      -> ");
    if (step->chain.tile != from->tile) {
        put_place_of(words, from, step->chain.chip, step->chain.tile->node);
        wait_words_put(words, " ");
    }
    wait_chain_put(&step->chain, step->number, words);
    if (next) {
        put_way(words, from, step, next);
    }
}

/* False where the waiter's way leads over no link: then nothing was said. */
static bool add_way_across(struct wait_lines *lines, const struct chain *chain, unsigned number)
{
    struct ways ways = {.steps = 0};
    struct wait_words words;
    bool goes_on = go_to(&ways, chain, number, WAY_START);
    while (goes_on) {
        goes_on = go_on_way(&ways);
    }
    if (!is_across(&ways)) {
        return false;
    }
    wait_words_start(&words);
    words.interest = WAIT_ROOT;
    if (ways.again) {
        put_deadlock(&words, chain, &ways);
    } else {
        put_end(&words, chain, &ways);
    }
    for (unsigned i = ways.steps; i-- > 0;) {
        put_step(&words, chain, &ways, i);
    }
    wait_chain_put_dependents(chain, number, &words);
    wait_lines_add(lines, chain->tile->x, chain->tile->y, &words);
    return true;
}

void wait_across_add(struct wait_lines *lines, struct penrose_chip *chip, struct tile *tile)
{
    struct chain chain;
    if (tile->kind->type != TILE_TENSIX && !tile->eth) {
        return;
    }
    wait_chain_make(&chain, chip, tile);
    for (unsigned i = 0; i < WAITERS; i++) {
        bool is_root = chain.waiter[i].waits && chain.waiter[i].cause == WAITS_FOR_NOBODY;
        if (is_root && !add_way_across(lines, &chain, i)) {
            wait_chain_add_root(lines, &chain, i);
        }
    }
}
