/* Reports of tiles: guest faults and registers that are not modelled. */
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "tile/fault.h"

static void name_tile(const struct penrose_chip *chip, uint16_t place, unsigned *x, unsigned *y)
{
    struct grid_position logical = chip_logical(chip, place);
    *x = logical.x;
    *y = logical.y;
}

/* An unrolled loop has the same hazard at many places: where nothing but the pc differs, it is one
 * mistake. */
static bool is_same_place(const struct tile_fault *a, const struct tile_fault *b)
{
    return a->pc == b->pc || (a->kind == PENROSE_FAULT_VECTOR_HAZARD && !strcmp(a->text, b->text));
}

/* A hart that sleeps because it polls does not load again (rv32/idle.h). What a kernel leaves open is
 * found whenever somebody looks. */
static bool is_counted(const struct tile_fault *fault)
{
    return fault->kind != PENROSE_FAULT_NULL_ACCESS && fault->kind != PENROSE_FAULT_NOC_OPEN;
}

static bool is_same(const struct chip_fault *a, const struct chip_fault *b)
{
    const struct tile_fault *left = &a->fault, *right = &b->fault;
    bool is_same_insn = left->is_tensix == right->is_tensix && left->word == right->word;
    return left->kind == right->kind && is_same_place(left, right) && left->agent == right->agent &&
           is_same_insn && left->is_of_check == right->is_of_check && a->x == b->x && a->y == b->y;
}

/* Adds a fault to a list, of which `most` have room; the last makes room for one that stops. */
static void add_fault(struct chip_fault *list, size_t *count, size_t most,
                      const struct chip_fault *fault)
{
    for (size_t i = 0; i < *count; i++) {
        if (!is_same(&list[i], fault)) {
            continue;
        }
        if (is_counted(&fault->fault)) {
            list[i].repeated += fault->repeated + 1;
            list[i].fault.cycle = fault->fault.cycle;
        }
        return;
    }
    if (*count == most && fault->policy == PENROSE_STOP) {
        --*count;
    }
    if (fault->policy != PENROSE_IGNORE && *count < most) {
        list[(*count)++] = *fault;
    }
}

/* Of a Tensix instruction that came through the debug registers: with one that is wrong the hardware
 * goes on. ARC's own firmware wastes an UNPACR in each tile at every boot, with the formats that a
 * reset leaves, and no program of a hart is to stop for what a host injects. */
static bool is_injected(const struct tile_fault *fault)
{
    return fault->is_tensix && fault->agent >= AGENT_NOC;
}

/* A fault in the chip's own list. The sender of a request from elsewhere stops too. */
static void take_fault(struct penrose_chip *chip, const struct chip_fault *fault)
{
    bool is_kept = true;
    for (const struct chip_judge *judge = chip->judges; judge; judge = judge->next) {
        is_kept &= fault->policy == PENROSE_IGNORE || is_injected(&fault->fault) ||
                   judge->fault(judge->context, fault);
    }
    if (!is_kept && fault->policy != PENROSE_STOP) {
        return;
    }
    add_fault(chip->fault, &chip->faults, CHIP_FAULTS, fault);
    struct tile *origin = fault->fault.is_remote ? chip->place[fault->fault.origin].tile : NULL;
    if (origin && fault->policy == PENROSE_STOP) {
        origin->halt = TILE_FAULTED;
        chip_touch(chip, fault->fault.origin);
    }
}

/* Notes, made when they are first needed; NULL when memory runs out. */
static struct chip_notes *notes_at(void **notes)
{
    if (!*notes) {
        *notes = calloc(1, sizeof(struct chip_notes));
    }
    return *notes;
}

static enum penrose_policy policy_of(const struct penrose_chip *chip,
                                     const struct tile_fault *fault)
{
    enum penrose_policy policy = chip->options.policy[fault->kind];
    return policy == PENROSE_STOP && is_injected(fault) ? PENROSE_WARN : policy;
}

enum penrose_policy chip_note_fault(struct penrose_chip *chip, void **notes, uint16_t place,
                                    const struct tile_fault *fault)
{
    struct chip_fault record = {.fault = *fault, .policy = policy_of(chip, fault)};
    name_tile(chip, fault->is_remote ? fault->origin : place, &record.x, &record.y);
    struct chip_notes *own = chip->shares_time ? notes_at(notes) : NULL;
    if (own) {
        size_t count = own->faults;
        add_fault(own->fault, &count, NOTES_FAULTS, &record);
        own->faults = (unsigned)count;
    } else if (!chip->shares_time) {
        take_fault(chip, &record);
    }
    return record.policy;
}

/* --- Claims --- */

enum { MOST_SEARCHES = 4 /* in vain: a host may load its firmware later */ };

bool chip_may_search(const struct penrose_chip *chip)
{
    return chip->head.find_programs && chip->searches < MOST_SEARCHES;
}

/* No unit runs. */
static void settle_claim(struct penrose_chip *chip, struct tile *tile, struct tile_fault *claim)
{
    enum chip_proof proof = chip->head.calls->prove(chip, tile, claim);
    if (proof == CHIP_UNKNOWN && chip_may_search(chip)) {
        chip->searches++;
        chip->head.find_programs(chip->head.find_context, tile->x, tile->y);
        proof = chip->head.calls->prove(chip, tile, claim);
    }
    if (proof != CHIP_PROVEN) {
        return;
    }
    struct chip_fault record = {.fault = *claim, .policy = policy_of(chip, claim)};
    name_tile(chip, tile->node, &record.x, &record.y);
    take_fault(chip, &record);
    if (record.policy == PENROSE_STOP) {
        tile->halt = TILE_FAULTED;
        chip_touch(chip, tile->node);
    }
}

static void keep_claim(struct chip_notes *notes, const struct tile_fault *claim)
{
    for (unsigned i = 0; i < notes->claims; i++) {
        if (notes->claim[i].kind == claim->kind && notes->claim[i].pc == claim->pc) {
            return;
        }
    }
    if (notes->claims < NOTES_CLAIMS) {
        notes->claim[notes->claims++] = *claim;
    }
}

enum penrose_policy chip_note_claim(struct penrose_chip *chip, struct tile *tile,
                                    const struct tile_fault *fault)
{
    struct tile_fault claim = *fault;
    const enum chip_proof proof = chip->head.calls->prove(chip, tile, &claim);
    struct chip_notes *notes = NULL;
    if (proof == CHIP_PROVEN) {
        return chip_note_fault(chip, &tile->notes, tile->node, &claim);
    }
    if (proof == CHIP_UNKNOWN && chip->shares_time) {
        notes = notes_at(&tile->notes);
    } else if (proof == CHIP_UNKNOWN) {
        settle_claim(chip, tile, &claim);
    }
    if (notes) {
        keep_claim(notes, &claim);
    }
    return PENROSE_IGNORE;
}

bool chip_packet_fault(struct penrose_chip *chip, const struct noc_packet *packet,
                       enum penrose_fault_kind kind, const char *text)
{
    struct tile_fault fault = tile_fault_of_packet(packet, kind, text);
    void *none = NULL;
    return chip_note_fault(chip, &none, packet->origin, &fault) != PENROSE_STOP;
}

/* --- What is not modelled --- */

/* Entries are the same when they are about one register, or about what instructions of one opcode do
 * to one field. */
static bool is_same_use(const struct penrose_unmodelled *a, const struct penrose_unmodelled *b)
{
    return a->address == b->address && a->range == b->range && a->word >> 24 == b->word >> 24;
}

static void add_use(struct penrose_unmodelled *list, size_t *count, size_t most,
                    const struct penrose_unmodelled *use)
{
    for (size_t i = 0; i < *count; i++) {
        if (is_same_use(&list[i], use)) {
            list[i].times += use->times;
            list[i].written |= use->written;
            list[i].read |= use->read;
            return;
        }
    }
    if (*count < most) {
        list[(*count)++] = *use;
    }
}

void chip_note_use(struct penrose_chip *chip, struct tile *tile, struct penrose_unmodelled *use)
{
    name_tile(chip, tile->node, &use->x, &use->y);
    if (!chip->shares_time) {
        add_use(chip->unmodelled, &chip->unmodelled_count, CHIP_UNMODELLED, use);
        return;
    }
    struct chip_notes *own = notes_at(&tile->notes);
    if (own) {
        size_t count = own->unmodelled_count;
        add_use(own->unmodelled, &count, NOTES_UNMODELLED, use);
        own->unmodelled_count = (unsigned)count;
    }
}

/* `tile` is that of the claims; banks have none. */
static void merge_notes(struct penrose_chip *chip, struct tile *tile, struct chip_notes *notes)
{
    if (!notes) {
        return;
    }
    for (unsigned i = 0; i < notes->claims; i++) {
        settle_claim(chip, tile, &notes->claim[i]);
    }
    for (unsigned i = 0; i < notes->faults; i++) {
        take_fault(chip, &notes->fault[i]);
    }
    for (unsigned i = 0; i < notes->unmodelled_count; i++) {
        add_use(chip->unmodelled, &chip->unmodelled_count, CHIP_UNMODELLED, &notes->unmodelled[i]);
    }
    notes->faults = notes->claims = notes->unmodelled_count = 0;
}

void chip_merge_bank(struct penrose_chip *chip, struct dram_bank *bank)
{
    merge_notes(chip, NULL, bank->notes);
    for (unsigned port = 0; port < DRAM_PORTS; port++) {
        if (bank->port[port].tile) {
            merge_notes(chip, bank->port[port].tile, bank->port[port].tile->notes);
        }
    }
}

void chip_merge_notes(struct penrose_chip *chip)
{
    for (size_t i = 0; i < chip->runnable_count; i++) {
        struct chip_unit *unit = chip->runnable[i];
        if (!unit->reports) {
            continue;
        }
        if (unit->tile) {
            merge_notes(chip, unit->tile, unit->tile->notes);
            continue;
        }
        chip_merge_bank(chip, unit->bank);
    }
}

/* --- For the hash --- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_faults(const void *a, const void *b)
{
    const struct chip_fault *left = *(const struct chip_fault *const *)a;
    const struct chip_fault *right = *(const struct chip_fault *const *)b;
    int order = compare(left->y << 8 | left->x, right->y << 8 | right->x);
    order = order ? order : compare(left->fault.cycle, right->fault.cycle);
    order = order ? order : compare(left->fault.pc, right->fault.pc);
    return order ? order : strcmp(left->fault.text, right->fault.text);
}

static int compare_uses(const void *a, const void *b)
{
    const struct penrose_unmodelled *left = *(const struct penrose_unmodelled *const *)a;
    const struct penrose_unmodelled *right = *(const struct penrose_unmodelled *const *)b;
    int order = compare(left->address, right->address);
    return order ? order : compare(left->word >> 24, right->word >> 24);
}

void chip_list_reports(const struct penrose_chip *chip, bool in_order,
                       const struct chip_fault **fault, const struct penrose_unmodelled **use)
{
    for (size_t i = 0; i < chip->faults; i++) {
        fault[i] = &chip->fault[i];
    }
    for (size_t i = 0; i < chip->unmodelled_count; i++) {
        use[i] = &chip->unmodelled[i];
    }
    if (in_order) {
        qsort(fault, chip->faults, sizeof *fault, compare_faults);
        qsort(use, chip->unmodelled_count, sizeof *use, compare_uses);
    }
}
