/*
 * Data and what tells of them. A hart writes data over the NoC, and then tells another tile that
 * they are there: by a word of a semaphore, an atomic, a counter of a circular buffer. The second
 * request may overtake the first one unless both go the same way.
 *
 * SPEC: WormholeB0 NoC/Ordering: writes and atomics of one NIU to one place keep their order where
 * software has fixed the virtual channel, the same for both. Otherwise the hart has to wait for the
 * answers to the data. An entry is due only when a hart of the other tile has loaded the word that
 * tells, and the tile then reads the data.
 */
#include "observe/check/check.h"

#include <stdlib.h>

#include "noc/request.h"
#include "tile/noc_serve.h"

enum {
    CREDITS = 256,    /* the latest */
    SEMAPHORE = 4,    /* bytes, which tell and are no data */
    MOST_WORD = 32,   /* bytes of a write that may tell of others */
    MOST_WRITES = 16, /* of a hart for which a word may stand, its latest */
    WORDS = 64,       /* in which the addresses of words share */
};

struct credit {
    struct check_request data, word;
    uint16_t from; /* the tile of the harts that have sent both */
    uint8_t data_hart, hart;
    bool is_ordered, is_told;
    bool has_arrived; /* the word, somewhere */
    bool is_seen;     /* by a hart of this tile: */
    uint16_t seen_in;
    struct check_request later; /* to the same place, when the data were known to be there */
    bool later_has_arrived;     /* whoever has seen that may read them */
};

struct check_credits {
    struct credit credit[CREDITS];
    unsigned count; /* ever */
    uint64_t words
        [NOC_NODES]; /* of a tile's addresses, where words go that tell: a bit for each of WORDS */
    bool has_seen[NOC_NODES]; /* a word of which nobody knows that its data have come */
};

static uint64_t word_bit(uint64_t address)
{
    return UINT64_C(1) << (address / 4) % WORDS;
}

static bool goes_to(const struct check_request *request, uint16_t node)
{
    return request->is_multicast ? noc_span_has(&request->span, request->noc, node)
                                 : request->node == node;
}

static bool same_span(const struct noc_span *one, const struct noc_span *other)
{
    return one->start_x == other->start_x && one->start_y == other->start_y &&
           one->end_x == other->end_x && one->end_y == other->end_y;
}

static bool same_place(const struct check_request *one, const struct check_request *other)
{
    return one->is_multicast == other->is_multicast &&
           (one->is_multicast ? same_span(&one->span, &other->span) : one->node == other->node);
}

bool check_keeps_order(const struct check_request *first, const struct check_request *second)
{
    return same_place(first, second) && first->noc == second->noc &&
           first->channel == second->channel && first->channel != NOC_ANY_CHANNEL;
}

static bool has_bytes(const struct check_request *data, uint64_t address, uint32_t size)
{
    return data->address < address + size && address < data->address + data->length;
}

/* --- At the sender --- */

static void add_credit(struct check_credits *credits, const struct check_scene *scene,
                       unsigned data_hart, const struct check_request *data,
                       const struct check_request *word)
{
    credits->credit[credits->count++ % CREDITS] =
        (struct credit){.data = *data,
                        .word = *word,
                        .from = scene->tile->node,
                        .data_hart = (uint8_t)data_hart,
                        .hart = (uint8_t)scene->hart,
                        .is_ordered = check_keeps_order(data, word)};
}

static bool is_open(const struct check_requests *requests, uint32_t number)
{
    for (unsigned i = 0; i < requests->count; i++) {
        if (requests->request[i].number == number) {
            return true;
        }
    }
    return false;
}

/* A word that follows the answers to data, of which the hart has told too early before. */
static void tell_again(const struct check_scene *scene, const struct check_request *word)
{
    struct check_credits *credits = scene->checks->credits;
    for (unsigned i = 0; i < CREDITS; i++) {
        struct credit *credit = &credits->credit[i];
        if (credit->word.length && !credit->later.length && !credit->is_ordered &&
            credit->from == scene->tile->node && credit->hart == scene->hart &&
            same_place(&credit->word, word) &&
            !is_open(&scene->own->requests[credit->data_hart], credit->data.number)) {
            credit->later = *word;
            credits->words[word->node] |= word_bit(word->address);
        }
    }
}

/* What `hart` has sent and has not waited for. Of another hart's data the word tells only if its own one
 * has learned of something that comes behind them. Answers for how many it stands. */
static unsigned tell_of(const struct check_scene *scene, const struct check_request *word,
                        unsigned hart, unsigned most)
{
    struct check_requests *requests = &scene->own->requests[hart];
    unsigned added = 0;
    for (unsigned i = requests->count; i-- > 0 && added < most;) {
        struct check_request *data = &requests->request[i];
        const bool is_apart =
            !has_bytes(data, word->address, word->length) || data->node != word->node;
        const bool is_known =
            hart == scene->hart || check_races_learned(scene, hart) > data->stores;
        if (data->kind == CHECK_WRITE && data->length > SEMAPHORE && is_apart && is_known &&
            data->number != word->number && !data->has_word) {
            add_credit(scene->checks->credits, scene, hart, data, word);
            data->has_word = check_keeps_order(data, word);
            added++;
        }
    }
    return added;
}

void check_credits_sent(const struct check_scene *scene)
{
    struct check_requests *requests = &scene->own->requests[scene->hart];
    struct checks *checks = scene->checks;
    const struct check_request *word =
        requests->count ? &requests->request[requests->count - 1] : NULL;
    bool is_word = word && word->kind != CHECK_READ && word->length <= MOST_WORD &&
                   word->number == checks->requests && scene->event->packet != NOC_READ;
    if (!is_word) {
        return;
    }
    checks->credits = checks->credits ? checks->credits : calloc(1, sizeof *checks->credits);
    struct check_credits *credits = checks->credits;
    if (!credits) {
        return;
    }
    tell_again(scene, word);
    unsigned added = 0;
    for (unsigned hart = 0; hart < RV32_CORES; hart++) {
        added += tell_of(scene, word, hart, MOST_WRITES - added);
    }
    for (unsigned node = 0; node < NOC_NODES && added; node++) {
        credits->words[node] |= goes_to(word, (uint16_t)node) ? word_bit(word->address) : 0;
    }
}

void check_credits_ended(const struct check_scene *scene)
{
    struct check_credits *credits = scene->checks->credits;
    for (unsigned i = 0; credits && i < CREDITS; i++) {
        struct credit *credit = &credits->credit[i];
        if (credit->seen_in == scene->tile->node && credit->is_seen) {
            credit->is_told = true;
        }
    }
}

/* --- At the receiver --- */

/* What tells of the same data in the right order has been seen in the tile. */
static bool is_known_there(const struct check_credits *credits, const struct credit *credit,
                           uint16_t node)
{
    for (unsigned i = 0; i < CREDITS; i++) {
        const struct credit *other = &credits->credit[i];
        if (other->is_ordered && other->is_seen && other->seen_in == node &&
            other->data.number == credit->data.number) {
            return true;
        }
    }
    return false;
}

/* The NoC brings a word, or a hart loads it. */
static void see_word(const struct check_scene *scene, struct check_credits *credits,
                     bool is_brought)
{
    const struct observed *event = scene->event;
    uint16_t node = scene->tile->node;
    for (unsigned i = 0; i < CREDITS; i++) {
        struct credit *credit = &credits->credit[i];
        bool is_it = credit->word.length && has_bytes(&credit->word, event->address, event->size) &&
                     goes_to(&credit->word, node);
        bool is_later = credit->later.length &&
                        has_bytes(&credit->later, event->address, event->size) &&
                        goes_to(&credit->later, node);
        if (is_later && is_brought) {
            credit->later_has_arrived |=
                event->node == credit->from && event->pc == credit->later.pc;
        } else if (is_later && credit->later_has_arrived) {
            credit->is_told = true;
        }
        if (is_it && is_brought) {
            credit->has_arrived |= event->node == credit->from && event->pc == credit->word.pc;
        } else if (is_it && credit->has_arrived) {
            credit->is_seen = true;
            credit->seen_in = node;
            credits->has_seen[node] |= !credit->is_ordered;
        }
    }
}

static const char *why_apart(const struct credit *credit)
{
    const struct check_request *data = &credit->data, *word = &credit->word;
    if (data->noc != word->noc) {
        return "they go over two NoCs";
    }
    if (data->is_multicast != word->is_multicast) {
        return "multicasts have virtual channels of their own";
    }
    if (data->is_multicast || data->node == word->node) {
        return "they have different virtual channels";
    }
    return "they go to different tiles";
}

static void judge_data(const struct check_scene *scene, struct check_credits *credits,
                       uint16_t place, uint64_t address, uint32_t size)
{
    uint16_t node = scene->tile->node;
    for (unsigned i = 0; i < CREDITS; i++) {
        struct credit *credit = &credits->credit[i];
        const struct check_request *data = &credit->data;
        if (!credit->is_seen || credit->is_ordered || credit->is_told || credit->seen_in != node ||
            !has_bytes(data, address, size) || !goes_to(data, place) ||
            is_known_there(credits, credit, node)) {
            continue;
        }
        const struct check_scene of_sender = check_scene_at(scene, credit->from);
        char writer[CHECK_PLACE];
        credit->is_told = true;
        if (of_sender.own) {
            check_report(
                &of_sender, PENROSE_FAULT_NOC_ORDER, credit->hart, credit->word.pc,
                (uint32_t)data->address,
                "may overtake the data of the NoC write of %s, of which it tells tile (%u, %u): "
                "%s; noc_async_write_barrier() is missing",
                check_place(&of_sender, credit->data_hart, data->pc, writer), scene->tile->x,
                scene->tile->y, why_apart(credit));
        }
    }
}

void check_credits_access(const struct check_scene *scene)
{
    struct check_credits *credits = scene->checks->credits;
    const struct observed *event = scene->event;
    uint16_t node = scene->tile->node;
    if (!credits) {
        return;
    }
    if (event->kind == OBSERVED_SENT) {
        if (credits->has_seen[node] && event->packet == NOC_READ) {
            judge_data(scene, credits, event->node, event->address, event->size);
        } else if (credits->has_seen[node] && event->packet == NOC_WRITE) {
            judge_data(scene, credits, node, event->back, event->size);
        }
        return;
    }
    bool is_brought = event->agent == OBSERVED_NOC && event->kind == OBSERVED_WRITTEN;
    bool is_loaded = event->agent <= OBSERVED_NCRISC && event->kind == OBSERVED_READ;
    if ((is_brought || is_loaded) && credits->words[node] & word_bit(event->address)) {
        see_word(scene, credits, is_brought);
    }
    if (event->kind == OBSERVED_READ && event->agent != OBSERVED_NOC && credits->has_seen[node]) {
        judge_data(scene, credits, node, event->address, event->size);
    }
}
