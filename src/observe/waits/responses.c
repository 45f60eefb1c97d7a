/* Responses for which NIUs still wait, see responses.h. */
#include "observe/waits/responses.h"

#include <stdio.h>

#include "observe/waits/owed.h"
#include "observe/waits/under_way.h"
#include "observe/waits/places.h"
#include "tile/fault.h"

enum { ANY_ID = NIU_TRANSACTIONS };

static unsigned kind_of(const struct noc_packet *packet)
{
    return packet->kind % OWED_KINDS; /* requests and their responses are in the same order */
}

/* --- What is under way --- */

struct search {
    const struct tile *tile;
    unsigned noc, id;
    bool found;
};

static void visit_own(void *context, const struct noc_packet *packet)
{
    struct search *search = context;
    search->found |= packet->origin == search->tile->node && packet->noc == search->noc &&
                     packet->wants_response &&
                     (search->id == ANY_ID || noc_transaction(packet) == search->id);
}

/* Is a request of the tile under way, or its response? */
static bool is_under_way(const struct penrose_chip *chip, const struct tile *tile, unsigned noc,
                         unsigned id)
{
    struct search search = {.tile = tile, .noc = noc, .id = id};
    under_way_visit(chip, visit_own, &search);
    return search.found;
}

/* --- What is lost --- */

static void put_missing(struct wait_words *words, int32_t missing)
{
    wait_words_put(words, "responses are missing, and nothing is under way: requests were dropped, "
                          "or answered to another tile");
    wait_words_value(words, "; %d missing", (int)missing);
}

static void add_id(struct wait_lines *lines, const struct penrose_chip *chip,
                   const struct tile *tile, unsigned noc, unsigned id)
{
    int missing = owed_outstanding(&tile->niu[noc], id);
    struct wait_words words;
    if (missing == 0 || is_under_way(chip, tile, noc, id)) {
        return;
    }
    wait_words_start(&words);
    wait_words_put(&words, "NoC %u, transaction id %u: ", noc, id);
    if (missing < 0) {
        wait_words_put(&words, "more responses came than were asked for");
    } else {
        put_missing(&words, missing);
    }
    wait_lines_add(lines, tile->x, tile->y, &words);
}

/* With multicasts: the fewest responses of each kind that are missing. */
static void add_kinds(struct wait_lines *lines, const struct penrose_chip *chip,
                      const struct tile *tile, unsigned noc)
{
    for (unsigned kind = 0; kind < OWED_KINDS; kind++) {
        int32_t missing = owed_responses(&tile->niu[noc], kind);
        struct wait_words words;
        if (missing <= 0 || is_under_way(chip, tile, noc, ANY_ID)) {
            continue;
        }
        wait_words_start(&words);
        wait_words_put(&words, "NoC %u, %s: ", noc, owed_kinds[kind].name);
        put_missing(&words, missing);
        wait_lines_add(lines, tile->x, tile->y, &words);
    }
}

void responses_add_lost(struct wait_lines *lines, const struct penrose_chip *chip,
                        const struct tile *tile, unsigned noc)
{
    if (wait_places_departs(tile, noc)) {
        return;
    }
    if (!owed_ids_hold(&tile->niu[noc])) {
        add_kinds(lines, chip, tile, noc);
        return;
    }
    for (unsigned id = 0; id < NIU_TRANSACTIONS; id++) {
        add_id(lines, chip, tile, noc, id);
    }
}

/* --- What nobody waited for --- */

struct group {
    unsigned packets;
    uint32_t pc; /* of a request of one of them */
};

struct groups {
    const struct tile *tile;
    struct group group[2][OWED_KINDS][RV32_CORES]; /* by NoC, kind and hart */
};

static void count_in(struct group *group, uint32_t packets, uint32_t pc)
{
    group->packets += packets;
    group->pc = pc;
}

static void visit_group(void *context, const struct noc_packet *packet)
{
    struct groups *groups = context;
    if (packet->origin == groups->tile->node && packet->wants_response &&
        packet->agent < RV32_CORES) {
        count_in(&groups->group[packet->noc][kind_of(packet)][packet->agent], 1, packet->pc);
    }
}

/* A request that its hart has given, that has not left, and that is answered; of which kind? False:
 * there is none. */
static bool is_given(const struct tile_command *command, unsigned *kind)
{
    enum { READ, ATOMIC, WRITE, TYPES };
    static const unsigned kinds[TYPES] = {[READ] = 0, [WRITE] = 1, [ATOMIC] = 2};
    uint32_t ctrl = command->word[NIU_CTRL / 4];
    unsigned type = ctrl >> NIU_CTRL_TYPE & 3;
    *kind = type < TYPES ? kinds[type] : 0;
    return command->waits && command->agent < RV32_CORES && type < TYPES &&
           (type == READ || ctrl >> NIU_CTRL_RESPONSE & 1);
}

static void count_command(struct groups *groups, unsigned noc, unsigned buffer)
{
    const struct tile_command *command = &groups->tile->command[noc][buffer];
    unsigned kind;
    if (is_given(command, &kind)) {
        count_in(&groups->group[noc][kind][command->agent], 1, command->pc);
    }
}

/* Responses that came at once in this run and may take their time on hardware. */
static void count_unseen(struct groups *groups)
{
    for (unsigned i = 0; i < 2 * (NOC_WRITE + 1) * RV32_CORES; i++) {
        unsigned noc = i % 2, kind = i / 2 % (NOC_WRITE + 1), core = i / 2 / (NOC_WRITE + 1);
        const struct tile_unseen *unseen = &groups->tile->unseen[noc][kind][core];
        if (unseen->responses > 0) {
            count_in(&groups->group[noc][kind][core], unseen->responses, unseen->pc);
        }
    }
}

static void add_group(struct wait_lines *lines, struct penrose_chip *chip, const struct tile *tile,
                      unsigned noc, unsigned kind, enum rv32_core core, const struct group *group)
{
    struct wait_words words;
    wait_words_start(&words);
    wait_words_put(&words, "NoC %u: nobody has waited for the responses to %s of %s", noc,
                   owed_kinds[kind].name, tile->kind->hart[core]);
    wait_words_value(&words, " (%u)", group->packets);
    wait_words_put(&words, ", asked for");
    wait_places_position(&words, chip, tile, group->pc);
    wait_words_put(&words, ": wait for them before the kernel returns (%s)",
                   owed_kinds[kind].barrier);
    wait_lines_add(lines, tile->x, tile->y, &words);
}

static struct groups find_groups(const struct penrose_chip *chip, const struct tile *tile)
{
    struct groups groups = {.tile = tile};
    under_way_visit(chip, visit_group, &groups);
    count_unseen(&groups);
    for (unsigned i = 0; i < 2 * NIU_BUFFERS; i++) {
        count_command(&groups, i / NIU_BUFFERS, i % NIU_BUFFERS);
    }
    return groups;
}

void responses_add_under_way(struct wait_lines *lines, struct penrose_chip *chip,
                             const struct tile *tile)
{
    struct groups groups = find_groups(chip, tile);
    for (unsigned i = 0; i < 2 * OWED_KINDS * RV32_CORES; i++) {
        unsigned noc = i / (OWED_KINDS * RV32_CORES), kind = i / RV32_CORES % OWED_KINDS;
        enum rv32_core core = (enum rv32_core)(i % RV32_CORES);
        if (groups.group[noc][kind][core].packets) {
            add_group(lines, chip, tile, noc, kind, core, &groups.group[noc][kind][core]);
        }
    }
}

/* --- What kernels that have ended leave --- */

struct left_visit {
    const struct penrose_chip *chip;
    bool all_ended;
    void (*visit)(void *context, const struct response_left *left);
    void *context;
};

static void visit_left(const struct left_visit *visit, const struct tile *tile,
                       struct response_left left)
{
    enum { NEAR = 64 };
    const enum rv32_core core = (enum rv32_core)left.hart;
    bool has_ended =
        tile->run[core].state == HART_ASLEEP && wait_places_is_done(visit->chip, tile, core);
    if (!visit->all_ended && !has_ended) {
        return;
    }
    left.node = tile->node;
    uint32_t first = left.pc & ~(NEAR - 1u);
    left.code = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < NEAR && first <= tile->kind->l1_bytes - NEAR; i++) {
        left.code = (left.code ^ tile->l1[first + i]) * UINT64_C(0x100000001b3);
    }
    visit->visit(visit->context, &left);
}

static void visit_left_packet(void *context, const struct noc_packet *packet)
{
    const struct left_visit *visit = context;
    const struct tile *tile = visit->chip->place[packet->origin].tile;
    if (tile && tile->kind->type == TILE_TENSIX && packet->wants_response &&
        packet->agent < RV32_CORES) {
        visit_left(visit, tile,
                   (struct response_left){.noc = packet->noc,
                                          .kind = kind_of(packet),
                                          .hart = packet->agent,
                                          .pc = packet->pc});
    }
}

static void visit_left_unseen(const struct left_visit *visit, const struct tile *tile)
{
    for (unsigned i = 0; i < 2 * (NOC_WRITE + 1) * RV32_CORES; i++) {
        unsigned noc = i % 2, kind = i / 2 % (NOC_WRITE + 1);
        unsigned core = i / 2 / (NOC_WRITE + 1);
        const struct tile_unseen *unseen = &tile->unseen[noc][kind][core];
        if (unseen->responses > 0) {
            visit_left(
                visit, tile,
                (struct response_left){.noc = noc, .kind = kind, .hart = core, .pc = unseen->pc});
        }
    }
}

static void visit_left_commands(const struct left_visit *visit, const struct tile *tile)
{
    for (unsigned i = 0; i < 2 * NIU_BUFFERS; i++) {
        const struct tile_command *command = &tile->command[i / NIU_BUFFERS][i % NIU_BUFFERS];
        unsigned kind;
        if (is_given(command, &kind)) {
            visit_left(visit, tile,
                       (struct response_left){.noc = i / NIU_BUFFERS,
                                              .kind = kind,
                                              .hart = command->agent,
                                              .pc = command->pc});
        }
    }
}

void responses_visit_left(const struct penrose_chip *chip, bool all_ended,
                          void (*visit)(void *context, const struct response_left *left),
                          void *context)
{
    struct left_visit all = {chip, all_ended, visit, context};
    under_way_visit(chip, visit_left_packet, &all);
    for (unsigned i = 0; i < NOC_NODES; i++) {
        const struct tile *tile = chip->place[i].tile;
        if (tile && tile->kind->type == TILE_TENSIX && (tile->unseen_count || tile->commands)) {
            visit_left_unseen(&all, tile);
            visit_left_commands(&all, tile);
        }
    }
}

enum penrose_policy responses_note_left(struct penrose_chip *chip, const struct response_left *left)
{
    static const char *const names[OWED_KINDS] = {"read", "write", "atomic"};
    struct tile *tile = chip->place[left->node].tile;
    char text[PENROSE_RULE_TEXT];
    snprintf(text, sizeof text,
             "the kernel ends and has not waited for this NoC %s; %s() is missing",
             names[left->kind], owed_kinds[left->kind].barrier);
    const struct tile_fault fault =
        tile_fault_of(tile, PENROSE_FAULT_NOC_OPEN, (enum tile_agent)left->hart, left->pc,
                      chip->head.time.now, text);
    return tile_fault(tile, &fault);
}
