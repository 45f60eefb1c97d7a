/*
 * See chain.h. The waiters of a tile are its harts and the threads of its coprocessor. The event
 * for which one of them waits tells which others could cause it, by the roles of harts in kernels:
 * brisc and ncrisc move data, thread 0 unpacks, 1 computes, 2 packs. The first of these that waits
 * itself, and not in the end for the asker, is the cause. If there is none, the missing event is
 * the root. If other tiles have requests to a word of L1 in their command buffers, the chain leads
 * to those tiles. A hart of an Ethernet tile that waits for words of L1 alone may wait for the other
 * end of its link. Where a chain leads over a link, across.c follows it.
 */
#include "observe/waits/chain.h"

#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "metal/firmware.h"
#include "noc/request.h"
#include "observe/waits/places.h"
#include "observe/waits/under_way.h"
#include "tensix/exec.h"
#include "tile/eth_window.h"
#include "tile/noc_port.h"
#include "tile/weak.h"

static void add_candidates(struct waiter *waiter, unsigned count, const uint8_t *candidate)
{
    for (unsigned i = 0; i < count && waiter->candidates < MOST_CANDIDATES; i++) {
        waiter->candidate[waiter->candidates++] = candidate[i];
    }
}

/* --- What harts wait for --- */

/* Pages of a circular buffer: data come from the movers to the unpacker and from the packer to
 * them. */
static void wait_for_pages(struct waiter *waiter, enum rv32_core core,
                           const struct wait_buffer *buffer)
{
    static const uint8_t movers_first[] = {RV32_NC, RV32_B, RV32_T2, RV32_T0};
    static const uint8_t packer_first[] = {RV32_T2, RV32_NC, RV32_B};
    static const uint8_t unpacker_first[] = {RV32_T0, RV32_NC, RV32_B};
    bool is_mover = core == RV32_B || core == RV32_NC;
    waiter->is_guess = true;
    snprintf(waiter->what, sizeof waiter->what, "%s of %s",
             buffer->wants_pages ? "pages" : "free pages", buffer->name);
    snprintf(waiter->missing, sizeof waiter->missing, "nobody %s %s%s",
             buffer->wants_pages ? "pushes pages to" : "pops pages from", buffer->name,
             buffer->wants_pages && buffer->is_empty ? ", which is empty" : "");
    if (buffer->beyond) { /* then nobody can know what is in it any more */
        snprintf(waiter->missing, sizeof waiter->missing,
                 "%u more pages were popped from %s than came", buffer->beyond, buffer->name);
        waiter->is_certain = true;
        return;
    }
    if (!is_mover) {
        add_candidates(waiter, 4, movers_first);
    } else {
        add_candidates(waiter, 3, buffer->wants_pages ? packer_first : unpacker_first);
    }
}

/* Has the tile sent to the word? A post, or what a command buffer was given last. */
static bool has_sent(struct tile *tile, uint16_t place, uint64_t address)
{
    bool sends = false;
    for (unsigned i = 0; i < ASKED_POSTS; i++) {
        sends |= asked_reaches(&tile->asked.post[i], place, address);
    }
    for (unsigned k = 0; k < 2 * NIU_BUFFERS; k++) {
        unsigned noc = k / NIU_BUFFERS;
        sends |= noc_request_reaches(&tile->niu[noc], noc,
                                     tile_noc_words(tile, noc, k % NIU_BUFFERS), place, address);
    }
    return sends;
}

static void find_senders(const struct chain *chain, uint16_t place, uint64_t address,
                         struct under_way *senders)
{
    for (uint16_t i = 0; i < NOC_NODES; i++) {
        struct tile *other = chain->chip->place[i].tile;
        if (other && other != chain->tile && has_sent(other, place, address)) {
            under_way_add(senders, i);
        }
    }
}

/* The word has changed already, and the hart does not see it. */
static void wait_for_fence(const struct tile *tile, struct waiter *waiter, enum rv32_core core)
{
    uint32_t address, cached, held;
    if (tile_weak_stale(tile, core, &address, &cached, &held) && address == waiter->word) {
        snprintf(waiter->missing, sizeof waiter->missing,
                 "no fence: %s reads %.80s from its cache, where it is stale",
                 tile->kind->hart[core], waiter->what);
        waiter->is_certain = true;
    }
}

/* What a hart reads through the NoC again and again. */
static void wait_for_reads(struct chain *chain, struct waiter *waiter, enum rv32_core core)
{
    const struct asked *asked = asked_again(&chain->tile->asked, core);
    if (asked) {
        waiter->waits = waiter->runs = true;
        wait_places_read(chain->chip, asked, waiter->what, sizeof waiter->what);
        snprintf(waiter->missing, sizeof waiter->missing, "nobody changes %.120s", waiter->what);
        find_senders(chain, asked->to, asked->address, &waiter->senders);
    }
}

/* The place is a register of the Ethernet tile: what the other end sends changes it, or its
 * acknowledgements. */
static void wait_for_frames(const struct chain *chain, struct waiter *waiter, uint32_t address)
{
    const struct eth *eth = chain->tile->eth;
    const struct chip_place *port = &chain->chip->place[chain->tile->node];
    uint32_t offset = address - ETH_REGISTER_BASE;
    char peer[60] = "the port has no link";
    struct sink sink = {.text = peer, .size = sizeof peer};
    if (!eth || offset >= ETH_REGISTER_BYTES) {
        return;
    }
    unsigned packets = eth_unacknowledged(eth, offset);
    waiter->waits_for_frames = true;
    if (packets) {
        if (port->peer) {
            under_way_put_far_place(&sink, chain->chip, port->peer, port->peer_place);
        }
        snprintf(waiter->missing, sizeof waiter->missing,
                 "%u packets that it has sent are not acknowledged: %s%s", packets,
                 port->peer ? "they go to " : "", peer);
        waiter->is_certain = true;
    }
}

static void wait_for_places(struct chain *chain, struct waiter *waiter, enum rv32_core core)
{
    const struct rv32_idle *idle = &chain->tile->run[core].idle;
    static const uint8_t trisc[] = {RV32_T1, RV32_T0, RV32_T2};
    struct wait_buffer buffer;
    if (wait_places_buffer(chain->chip, chain->tile, core, &buffer)) {
        wait_for_pages(waiter, core, &buffer);
    } else if (idle->places > 0) {
        unsigned place = 0; /* others can change what is not in the local RAM */
        while (place < idle->places - 1 &&
               idle->place[place].address - RV32_LOCAL_BASE < tile_local_size(core)) {
            place++;
        }
        wait_places_name(chain->chip, chain->tile, core, &idle->place[place], waiter->what,
                         sizeof waiter->what);
        bool is_semaphore = strncmp(waiter->what, "Tensix semaphore", 16) == 0;
        bool is_niu = strncmp(waiter->what, "NoC", 3) == 0;
        snprintf(waiter->missing, sizeof waiter->missing, "%s %.120s",
                 is_niu         ? "no response changes"
                 : is_semaphore ? "nobody posts or takes"
                                : "nobody changes",
                 waiter->what);
        add_candidates(waiter, is_semaphore ? 3 : 0, trisc);
        wait_for_frames(chain, waiter, idle->place[place].address);
        if (idle->place[place].address < chain->tile->kind->l1_bytes) {
            waiter->word = idle->place[place].address;
            waiter->waits_for_word = true;
            wait_for_fence(chain->tile, waiter, core);
            find_senders(chain, chain->tile->node, waiter->word, &waiter->senders);
        }
    } else {
        snprintf(waiter->what, sizeof waiter->what, "%s", "nothing that could come");
        snprintf(waiter->missing, sizeof waiter->missing, "%s", "an endless loop");
    }
}

static void wait_for_answer(const struct chain *chain, struct waiter *waiter, enum rv32_core core)
{
    const struct rv32_access *access = &chain->tile->hart[core].access;
    const uint8_t thread = (uint8_t)(THREAD_0 + core - RV32_T0);
    bool is_trisc = core >= RV32_T0 && core <= RV32_T2;
    bool is_mailbox = chain->tile->kind->type == TILE_TENSIX && access->address >= AT_MAILBOX &&
                      access->address < END_MAILBOX;
    const uint8_t partner = (uint8_t)((access->address - AT_MAILBOX) >> 12 & 3);
    if (is_mailbox && !access->store) {
        snprintf(waiter->what, sizeof waiter->what, "a word in the mailbox from %s",
                 arch_hart_name((enum penrose_hart)partner));
        snprintf(waiter->missing, sizeof waiter->missing, "%s sends nothing to the mailbox of %s",
                 arch_hart_name((enum penrose_hart)partner),
                 arch_hart_name((enum penrose_hart)core));
        add_candidates(waiter, 1, &partner);
        return;
    }
    if (is_mailbox) { /* in which its own words are still */
        snprintf(waiter->what, sizeof waiter->what, "room in the mailbox of %s",
                 arch_hart_name((enum penrose_hart)partner));
        snprintf(waiter->missing, sizeof waiter->missing, "%s takes nothing of %s from its mailbox",
                 arch_hart_name((enum penrose_hart)partner),
                 arch_hart_name((enum penrose_hart)core));
        add_candidates(waiter, 1, &partner);
        return;
    }
    snprintf(waiter->what, sizeof waiter->what, "%s",
             is_trisc ? "its thread of the coprocessor" : "an answer");
    snprintf(waiter->missing, sizeof waiter->missing, "a %s 0x%08x is not answered",
             access->store ? "store to" : "load from", access->address);
    add_candidates(waiter, is_trisc, &thread);
}

/* Does an Ethernet hart wait for its clock too, or for several things? Routers of a fabric serve
 * whoever comes, and nobody can know who that would be. */
static bool goes_on_by_itself(const struct tile *tile, enum rv32_core core)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    bool serves = idle->wake != UINT64_MAX;
    for (unsigned i = 0; i < idle->places; i++) {
        serves |= idle->places > 1 && idle->place[i].address >= tile->kind->l1_bytes &&
                  idle->place[i].address - RV32_LOCAL_BASE >= tile_local_size(core);
    }
    return tile->eth && serves;
}

static void note_hart(struct chain *chain, enum rv32_core core)
{
    struct waiter *waiter = &chain->waiter[core];
    switch (chain->tile->run[core].state) {
    case HART_HELD:
        waiter->over = "is in reset";
        break;
    case HART_READY:
        wait_for_reads(chain, waiter, core);
        break;
    case HART_WAITING:
        waiter->waits = true;
        wait_for_answer(chain, waiter, core);
        break;
    case HART_ASLEEP:
        if (wait_places_is_done(chain->chip, chain->tile, core)) {
            waiter->over = chain->tile->eth ? "has no work" : "has ended";
            break;
        }
        wait_for_reads(chain, waiter, core);
        if (!waiter->waits && goes_on_by_itself(chain->tile, core)) {
            break;
        }
        if (!waiter->waits) {
            waiter->waits = true;
            wait_for_places(chain, waiter, core);
        }
        break;
    case HART_PAUSED:
        waiter->over = "has ended";
        break;
    case HART_FAULTED:
        waiter->over = "has stopped with a fault";
        break;
    }
}

/* --- What threads wait for --- */

static void wait_for_semaphore(const struct tensix *tensix, unsigned thread, struct waiter *waiter)
{
    const struct tensix_latch *latch = &tensix->thread[thread].latch;
    /* In the order unpack, math, pack the thread that posts is before the waiter, and the one that
     * takes is behind it. */
    static const uint8_t before[][2] = {{1, 2}, {0, 2}, {1, 0}};
    static const uint8_t behind[][2] = {{1, 2}, {2, 0}, {1, 0}};
    bool is_zero = latch->semaphore_conditions & 1;
    unsigned semaphore = latch->semaphores ? (unsigned)__builtin_ctz(latch->semaphores) : 0;
    const struct tensix_posts *posts = &tensix->posts[semaphore];
    snprintf(waiter->what, sizeof waiter->what, "semaphore %u", semaphore);
    if (is_zero && posts->undone) {
        snprintf(waiter->missing, sizeof waiter->missing,
                 "SEMINIT of thread %u has set semaphore %u from %u to 0", posts->thread, semaphore,
                 posts->undone);
        waiter->culprit = &posts->by;
        waiter->is_certain = true;
        return;
    }
    snprintf(waiter->missing, sizeof waiter->missing, "nobody %s semaphore %u%s",
             is_zero ? "posts" : "takes from", semaphore,
             is_zero && posts->any ? ", from which what was posted has been taken" : "");
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t other = is_zero ? before[thread][i] : behind[thread][i];
        const uint8_t both[] = {(uint8_t)(THREAD_0 + other), (uint8_t)(RV32_T0 + other)};
        add_candidates(waiter, 2, both);
    }
}

/* What clears data valid gives a bank of Src back, unless the thread of math has turned that off. */
static bool keeps_src(const struct tensix *tensix, bool is_b)
{
    enum { MATH = 1 };
    return is_b ? tensix_get_CLR_DVALID_SrcB_Disable(tensix, MATH)
                : tensix_get_CLR_DVALID_SrcA_Disable(tensix, MATH);
}

static void wait_for_src(const struct tensix *tensix, unsigned number, uint32_t word,
                         struct waiter *waiter)
{
    bool is_unpacker = tensix_row_infos[tensix_row_of(word)].unit == TENSIX_UNIT_UNPACK;
    const char *src = number ? "SrcB" : "SrcA";
    const uint8_t other = is_unpacker ? 1 : 0;
    const uint8_t both[] = {(uint8_t)(THREAD_0 + other), (uint8_t)(RV32_T0 + other)};
    snprintf(waiter->what, sizeof waiter->what, is_unpacker ? "a free bank of %s" : "data in %s",
             src);
    if (is_unpacker && keeps_src(tensix, number)) {
        snprintf(waiter->missing, sizeof waiter->missing,
                 "the Matrix Unit does not give %s back, as CLR_DVALID_%s_Disable is set", src,
                 src);
    } else {
        snprintf(waiter->missing, sizeof waiter->missing,
                 is_unpacker ? "the Matrix Unit does not give %s back" : "nobody unpacks to %s",
                 src);
    }
    add_candidates(waiter, 2, both);
}

static void wait_for_mutex(const struct tensix *tensix, uint32_t mutex, struct waiter *waiter)
{
    unsigned owner = tensix->mutex[mutex % (sizeof tensix->mutex / sizeof tensix->mutex[0])];
    snprintf(waiter->what, sizeof waiter->what, "mutex %u", mutex);
    snprintf(waiter->missing, sizeof waiter->missing, "nobody releases mutex %u", mutex);
    if (owner < TENSIX_THREADS) {
        const uint8_t both[] = {(uint8_t)(THREAD_0 + owner), (uint8_t)(RV32_T0 + owner)};
        add_candidates(waiter, 2, both);
    }
}

/* The unpacker for whose UNPACR the thread waits, or which holds the latest of its own: the wait for
 * that one's bank is what nobody ends. TENSIX_UNPACKERS: none. */
static unsigned awaited_unpacker(const struct tensix *tensix, unsigned thread, bool waits)
{
    const struct tensix_thread *own = &tensix->thread[thread];
    for (unsigned which = 0; which < TENSIX_UNPACKERS; which++) {
        bool is_awaited = !waits || (own->wait == TENSIX_WAITS_FOR_LATCH &&
                                     own->latch.conditions & (unsigned)TENSIX_C_UNPACKER0 << which);
        if (is_awaited && tensix_unpack_holds(tensix, thread, which)) {
            return which;
        }
    }
    const unsigned which = own->wait_detail % TENSIX_UNPACKERS;
    return own->wait == TENSIX_WAITS_FOR_UNPACKER && tensix_unpack_is_held(tensix, which)
               ? which
               : TENSIX_UNPACKERS;
}

static void note_thread(struct chain *chain, unsigned thread)
{
    const struct tensix *tensix = &chain->tile->tensix;
    const struct tensix_thread *own = &tensix->thread[thread];
    struct waiter *waiter = &chain->waiter[THREAD_0 + thread];
    char text[256];
    const bool waits = own->wait != TENSIX_WAITS_FOR_NOTHING &&
                       tensix_wait_text(tensix, thread, text, sizeof text);
    const unsigned unpacker = awaited_unpacker(tensix, thread, waits);
    if (!waits && unpacker == TENSIX_UNPACKERS) {
        waiter->over = ""; /* its hart tells */
        return;
    }
    waiter->waits = true;
    if (unpacker < TENSIX_UNPACKERS) {
        wait_for_src(tensix, unpacker, tensix->unpacker[unpacker].held.word, waiter);
    } else if (own->wait == TENSIX_WAITS_FOR_LATCH && own->latch.semaphores) {
        wait_for_semaphore(tensix, thread, waiter);
    } else if (own->wait == TENSIX_WAITS_FOR_SRC) {
        wait_for_src(tensix, own->wait_detail & 1, own->next, waiter);
    } else if (own->wait == TENSIX_WAITS_FOR_MUTEX) {
        wait_for_mutex(tensix, own->wait_detail % TENSIX_MUTEXES, waiter);
    } else {
        snprintf(waiter->what, sizeof waiter->what, "%.127s", text);
        snprintf(waiter->missing, sizeof waiter->missing, "%.191s", text);
    }
}

/* --- Causes --- */

static bool leads_to(const struct chain *chain, unsigned from, unsigned to)
{
    int at = (int)from;
    for (unsigned i = 0; i <= WAITERS && at != WAITS_FOR_NOBODY; i++) {
        if (at == (int)to) {
            return true;
        }
        at = chain->waiter[at].cause;
    }
    return false;
}

/* Can a hart or thread that still runs cause the event? Then none is at fault yet. */
static bool waits_for_runner(const struct chain *chain, const struct waiter *waiter)
{
    bool has_runner = false;
    for (unsigned i = 0; i < waiter->candidates; i++) {
        const struct waiter *other = &chain->waiter[waiter->candidate[i]];
        has_runner |= !other->waits && !other->over;
    }
    return has_runner;
}

/* The first candidate that waits, unless one before it has ended: then that is the reason. */
static void choose_cause(struct chain *chain, unsigned number)
{
    struct waiter *waiter = &chain->waiter[number];
    if (!waiter->waits || waits_for_runner(chain, waiter)) {
        return;
    }
    for (unsigned i = 0; i < waiter->candidates; i++) {
        unsigned other = waiter->candidate[i];
        bool is_hart = other < THREAD_0;
        if (is_hart && chain->waiter[other].over && chain->tile->run[other].state != HART_HELD) {
            return;
        }
        if (chain->waiter[other].waits && !leads_to(chain, other, number)) {
            waiter->cause = (int)other;
            return;
        }
    }
}

/* Certain causes come first, then guesses about which hart works on which circular buffer. */
static void choose_causes(struct chain *chain)
{
    for (unsigned guess = 0; guess < 2; guess++) {
        for (unsigned i = 0; i < WAITERS; i++) {
            if (chain->waiter[i].is_guess == guess) {
                choose_cause(chain, i);
            }
        }
    }
}

/* --- Words --- */

void wait_chain_put(const struct chain *chain, unsigned number, struct wait_words *words)
{
    struct tile *tile = chain->tile;
    bool is_thread = number >= THREAD_0;
    unsigned thread = number - THREAD_0;
    uint32_t pc =
        is_thread ? tensix_waits_at(&tile->tensix.thread[thread])->pc : tile->hart[number].pc;
    if (is_thread) {
        wait_words_put(words, "thread %u of the coprocessor", thread);
    } else {
        wait_words_put(words, "%s", tile->kind->hart[number]);
    }
    wait_places_line(words, chain->chip, tile, pc);
    wait_words_put(words, " waits for %s", chain->waiter[number].what);
}

void wait_chain_put_dependents(const struct chain *chain, unsigned number, struct wait_words *words)
{
    for (unsigned i = 0; i < WAITERS; i++) {
        if (chain->waiter[i].waits && chain->waiter[i].cause == (int)number) {
            wait_words_put(words, "\n      -> ");
            wait_chain_put(chain, i, words);
            wait_chain_put_dependents(chain, i, words);
        }
    }
}

/* ": ncrisc has ended, brisc is in reset": the first two of those who would have to bring it about.
 * True where one of them has come to an end. */
static bool put_over(const struct chain *chain, const struct waiter *waiter,
                     struct wait_words *words)
{
    bool has_end = false;
    for (unsigned i = 0, count = 0; i < waiter->candidates && count < 2; i++) {
        unsigned other = waiter->candidate[i];
        const struct waiter *by = &chain->waiter[other];
        const char *over = by->over || by->waits ? by->over : "runs";
        if (other < THREAD_0 && over) {
            wait_words_put(words, "%s%s %s", count ? ", " : ": ", chain->tile->kind->hart[other],
                           over);
            has_end |= chain->tile->run[other].state != HART_HELD;
            count++;
        }
    }
    return has_end;
}

/* "; trisc0 (its line) waits for semaphore 5, and nobody else could": the only one that could end
 * this wait waits, too. */
static void put_opposite(const struct chain *chain, const struct waiter *waiter,
                         struct wait_words *words)
{
    unsigned waiting = 0, other = 0;
    for (unsigned i = 0; i < waiter->candidates; i++) {
        const struct waiter *candidate = &chain->waiter[waiter->candidate[i]];
        if (candidate->waits || !candidate->over) {
            other = waiter->candidate[i];
            waiting++;
        }
    }
    if (waiting == 1 && &chain->waiter[other] != waiter && chain->waiter[other].waits) {
        wait_words_put(words, "; ");
        wait_chain_put(chain, other, words);
        wait_words_put(words, ", and nobody else could");
    }
}

static bool is_cause(const struct chain *chain, unsigned number)
{
    bool is = false;
    for (unsigned i = 0; i < WAITERS; i++) {
        is |= chain->waiter[i].waits && chain->waiter[i].cause == (int)number;
    }
    return is;
}

/* "; requests of worker (1, 2) go there" */
static void put_senders(const struct chain *chain, const struct under_way *senders,
                        struct wait_words *words)
{
    char place[40];
    for (unsigned i = 0; i < senders->places; i++) {
        struct sink sink = {.text = place, .size = sizeof place};
        under_way_put_place(&sink, chain->chip, senders->place[i]);
        wait_words_put(words, "%s%s", i ? ", " : "; requests of ", place);
    }
    if (senders->places) {
        wait_words_put(words, "%s go there", senders->has_more ? " and others" : "");
    }
}

/* Can nobody but this thread and its hart bring about what the waiter waits for? */
static bool waits_only_for(const struct chain *chain, const struct waiter *waiter, unsigned thread)
{
    bool is_only = true;
    for (unsigned i = 0; i < waiter->candidates; i++) {
        const unsigned other = waiter->candidate[i];
        const bool is_its = other == thread || other == thread - THREAD_0 + RV32_T0;
        is_only &= is_its || (chain->waiter[other].over && !chain->waiter[other].waits);
    }
    return is_only;
}

/* The thread that alone can end this one's wait, and whose wait this one alone can end; NULL: there
 * is none. */
static const struct waiter *find_opposite(const struct chain *chain, unsigned number)
{
    const struct waiter *waiter = &chain->waiter[number];
    for (unsigned i = 0; i < waiter->candidates; i++) {
        const unsigned other = waiter->candidate[i];
        const struct waiter *opposite = &chain->waiter[other];
        if (number >= THREAD_0 && other >= THREAD_0 && opposite->waits &&
            opposite->cause == (int)number && waits_only_for(chain, waiter, other) &&
            waits_only_for(chain, opposite, number)) {
            return opposite;
        }
    }
    return NULL;
}

static void add_root(struct wait_lines *lines, struct chain *chain, unsigned number)
{
    const struct waiter *waiter = &chain->waiter[number];
    struct wait_words words;
    const struct waiter *opposite = find_opposite(chain, number);
    wait_words_start(&words);
    words.interest = waiter->senders.places ? WAIT_WAITS : WAIT_ROOT;
    wait_words_put(&words, "%s: %s%s%s%s",
                   waiter->runs || waits_for_runner(chain, waiter) ? "cause so far"
                   : waiter->senders.places                        ? "cause elsewhere"
                                                                   : "root cause",
                   opposite ? "two threads wait for each other: " : "", waiter->missing,
                   opposite ? ", and " : "", opposite ? opposite->missing : "");
    if (waiter->culprit) {
        wait_places_line(&words, chain->chip, chain->tile, waiter->culprit->pc);
    }
    put_senders(chain, &waiter->senders, &words);
    bool has_end = put_over(chain, waiter, &words);
    if (!opposite && !has_end && !waiter->is_guess && !waiter->is_certain) {
        put_opposite(chain, waiter, &words);
    }
    wait_words_put(&words, "\n      -> ");
    wait_chain_put(chain, number, &words);
    wait_chain_put_dependents(chain, number, &words);
    if ((has_end && !waits_for_runner(chain, waiter)) || is_cause(chain, number) ||
        waiter->senders.places || waiter->is_certain || waiter->runs) {
        wait_lines_add(lines, chain->tile->x, chain->tile->y, &words);
    }
}

/* --- Posts that went elsewhere --- */

static bool is_polled(const struct tile *tile, const struct asked *post)
{
    bool is = false;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct rv32_idle *idle = &tile->run[core].idle;
        for (unsigned i = 0; tile->run[core].state == HART_ASLEEP && i < idle->places; i++) {
            is |= asked_reaches(post, tile->node, idle->place[i].address);
        }
    }
    return is;
}

/* Does the post go where a hart waits for it? */
static bool is_awaited(const struct penrose_chip *chip, const struct asked *post)
{
    unsigned first = post->is_multicast ? 0 : post->to;
    unsigned end = post->is_multicast ? NOC_NODES : post->to + 1;
    bool is = false;
    for (unsigned i = first; post->times && !is && i < end; i++) {
        const struct tile *tile = chip->place[i].tile;
        is = tile && is_polled(tile, post);
    }
    return is;
}

static bool has_awaited_post(const struct penrose_chip *chip, const struct tile *tile)
{
    bool has = false;
    for (unsigned i = 0; i < ASKED_POSTS; i++) {
        has |= is_awaited(chip, &tile->asked.post[i]);
    }
    return has;
}

enum rv32_core wait_chain_poster(const struct tile *tile, uint16_t place, uint32_t word)
{
    for (unsigned i = 0; i < ASKED_POSTS; i++) {
        if (asked_reaches(&tile->asked.post[i], place, word)) {
            return (enum rv32_core)tile->asked.post[i].agent;
        }
    }
    return RV32_CORES;
}

enum { LOOP_BYTES = 64 /* loops are short */ };

/* Tiles of a launch may have different programs at an address. Code outside of L1 is not compared. */
static bool has_same_code(const struct tile *one, const struct tile *other, uint32_t pc)
{
    const uint32_t first = pc > LOOP_BYTES ? pc - LOOP_BYTES : 0, end = pc + LOOP_BYTES;
    return end > one->kind->l1_bytes ||
           memcmp(one->l1 + first, other->l1 + first, end - first) == 0;
}

/* Do harts of two tiles wait at the same place of one program? */
static bool waits_alike(const struct tile *one, const struct tile *other, enum rv32_core core)
{
    const uint32_t pc = one->hart[core].pc, distance = pc - other->hart[core].pc + LOOP_BYTES;
    return one->run[core].state == HART_ASLEEP && other->run[core].state == HART_ASLEEP &&
           one->kind == other->kind && distance <= 2 * LOOP_BYTES && has_same_code(one, other, pc);
}

/* "; it has sent to 0x00000444 of worker (9, 2) (its line)": posts for which nobody waits. */
static void put_strays(const struct penrose_chip *chip, struct wait_words *words,
                       const struct tile *tile)
{
    enum { MOST = 3 };
    char place[40];
    for (unsigned i = 0, count = 0; i < ASKED_POSTS && count < MOST; i++) {
        const struct asked *post = &tile->asked.post[i];
        struct sink sink = {.text = place, .size = sizeof place};
        if (!post->times || post->is_multicast) {
            continue;
        }
        under_way_put_place(&sink, chip, post->to);
        wait_words_put(words, "%s 0x%08llx of %s", count++ ? "," : "; it has sent to",
                       (unsigned long long)post->address, place);
        wait_places_line(words, (struct penrose_chip *)(uintptr_t)chip, tile, post->pc);
    }
}

/* A tile that waits where those wait who have sent to the word, and whose posts have reached nobody
 * who waits for them. */
static void add_silent(struct wait_lines *lines, const struct chain *chain,
                       const struct waiter *waiter, const struct tile *sender,
                       const struct tile *silent)
{
    struct wait_words words;
    char here[40], other[40];
    struct sink sink = {.text = here, .size = sizeof here};
    struct sink of_other = {.text = other, .size = sizeof other};
    under_way_put_place(&sink, chain->chip, chain->tile->node);
    under_way_put_place(&of_other, chain->chip, sender->node);
    wait_words_start(&words);
    words.interest = WAIT_ROOT;
    wait_words_put(&words,
                   "has sent nothing to 0x%08x of %s, as %s has, which waits where it waits",
                   waiter->word, here, other);
    put_strays(chain->chip, &words, silent);
    wait_lines_add(lines, silent->x, silent->y, &words);
}

static void add_silent_ones(struct wait_lines *lines, const struct chain *chain,
                            const struct waiter *waiter)
{
    const struct tile *sender = NULL;
    enum rv32_core core = RV32_CORES;
    for (unsigned i = 0; i < waiter->senders.places && core == RV32_CORES; i++) {
        sender = chain->chip->place[waiter->senders.place[i]].tile;
        core = wait_chain_poster(sender, chain->tile->node, waiter->word);
    }
    for (unsigned i = 0; core != RV32_CORES && i < NOC_NODES; i++) {
        struct tile *other = chain->chip->place[i].tile;
        if (other && other != chain->tile && waits_alike(sender, other, core) &&
            !has_sent(other, chain->tile->node, waiter->word) &&
            !has_awaited_post(chain->chip, other)) {
            add_silent(lines, chain, waiter, sender, other);
        }
    }
}

static bool is_untouched(const struct tile *tile)
{
    bool is = tile->kind->type == TILE_TENSIX;
    for (unsigned core = 0; core < RV32_CORES; core++) {
        is &= tile->run[core].state == HART_HELD;
    }
    return is;
}

/* No tile has sent to the word: finds senders to that address of a tile on which nothing runs. */
static void add_strays(struct wait_lines *lines, const struct chain *chain,
                       const struct waiter *waiter)
{
    char place[40], here[40];
    struct sink own = {.text = here, .size = sizeof here};
    under_way_put_place(&own, chain->chip, chain->tile->node);
    for (unsigned i = 0; i < NOC_NODES * ASKED_POSTS; i++) {
        struct tile *other = chain->chip->place[i / ASKED_POSTS].tile;
        const struct asked *post = other ? &other->asked.post[i % ASKED_POSTS] : NULL;
        struct wait_words words;
        const struct tile *to = post ? chain->chip->place[post->to].tile : NULL;
        if (!to || post->is_multicast || !asked_reaches(post, post->to, waiter->word) ||
            !is_untouched(to)) {
            continue;
        }
        struct sink sink = {.text = place, .size = sizeof place};
        under_way_put_place(&sink, chain->chip, post->to);
        wait_words_start(&words);
        words.interest = WAIT_ROOT;
        wait_words_put(&words, "%s", other->kind->hart[post->agent]);
        wait_places_line(&words, chain->chip, other, post->pc);
        wait_words_put(&words, " has sent to 0x%08x of %s, on which nothing runs", waiter->word,
                       place);
        wait_words_put(&words, "; %s waits for that word, and nobody has sent to it", here);
        wait_lines_add(lines, other->x, other->y, &words);
    }
}

static void add_posts(struct wait_lines *lines, const struct chain *chain,
                      const struct waiter *waiter)
{
    if (waiter->waits_for_word && waiter->senders.places) {
        add_silent_ones(lines, chain, waiter);
    } else if (waiter->waits_for_word) {
        add_strays(lines, chain, waiter);
    }
}

void wait_chain_make(struct chain *chain, struct penrose_chip *chip, struct tile *tile)
{
    *chain = (struct chain){.chip = chip, .tile = tile};
    for (unsigned i = 0; i < WAITERS; i++) {
        chain->waiter[i].cause = WAITS_FOR_NOBODY;
    }
    for (unsigned core = 0; core < RV32_CORES; core++) {
        note_hart(chain, (enum rv32_core)core);
    }
    for (unsigned thread = 0; tile->kind->type == TILE_TENSIX && thread < TENSIX_THREADS;
         thread++) {
        note_thread(chain, thread);
    }
    choose_causes(chain);
}

void wait_chain_add_root(struct wait_lines *lines, struct chain *chain, unsigned number)
{
    add_root(lines, chain, number);
    add_posts(lines, chain, &chain->waiter[number]);
}
