/* What tiles report: guest faults, unmodelled registers and trace events. */
#include <string.h>

#include "chip/chip.h"
#include "isa/export.h"
#include "tensix/table.h"

static const struct {
    const char *name, *rule;
} kinds[PENROSE_FAULT_KINDS] = {
#define PENROSE_FAULT_KIND(token, name, policy, rule) [PENROSE_FAULT_##token] = {name, rule},
#include <penrose/fault_kinds.h>
#undef PENROSE_FAULT_KIND
};

PENROSE_EXPORT const char *penrose_fault_name(enum penrose_fault_kind kind)
{
    return (unsigned)kind < PENROSE_FAULT_KINDS ? kinds[kind].name : NULL;
}

PENROSE_EXPORT const char *penrose_fault_rule(enum penrose_fault_kind kind)
{
    return (unsigned)kind < PENROSE_FAULT_KINDS ? kinds[kind].rule : NULL;
}

static enum penrose_hart hart_of(enum tile_agent agent)
{
    return agent < AGENT_NOC ? (enum penrose_hart)agent : PENROSE_NO_HART;
}

/* --- Recording --- */

static struct chip_fault *find_same(struct penrose_chip *chip, const struct tile *tile,
                                    const struct tile_fault *fault)
{
    for (size_t i = 0; i < chip->faults; i++) {
        struct chip_fault *old = &chip->fault[i];
        if (old->fault.kind == fault->kind && old->fault.pc == fault->pc &&
            old->fault.agent == fault->agent && old->fault.is_tensix == fault->is_tensix &&
            old->fault.word == fault->word && old->x == tile->x && old->y == tile->y) {
            return old;
        }
    }
    return NULL;
}

static enum penrose_policy record_fault(void *owner, struct tile *tile,
                                        const struct tile_fault *fault)
{
    struct penrose_chip *chip = owner;
    enum penrose_policy policy = chip->options.policy[fault->kind];
    struct chip_fault *same = find_same(chip, tile, fault);
    if (same) {
        same->repeated++;
        same->fault.cycle = fault->cycle;
        return policy;
    }
    if (chip->faults == CHIP_FAULTS && policy == PENROSE_STOP) {
        chip->faults--; /* the last record makes room for the one that stops the chip */
    }
    if (policy != PENROSE_IGNORE && chip->faults < CHIP_FAULTS) {
        chip->fault[chip->faults++] =
            (struct chip_fault){.fault = *fault, .policy = policy, .x = tile->x, .y = tile->y};
    }
    return policy;
}

static void record_unmodelled(void *owner, struct tile *tile, const struct mmio_access *access)
{
    struct penrose_chip *chip = owner;
    bool written = mmio_is_write(access);
    struct penrose_unmodelled *entry = NULL;
    for (size_t i = 0; i < chip->unmodelled_count && !entry; i++) {
        if (!chip->unmodelled[i].word && chip->unmodelled[i].address == access->address) {
            entry = &chip->unmodelled[i];
        }
    }
    if (!entry && chip->unmodelled_count < CHIP_UNMODELLED) {
        entry = &chip->unmodelled[chip->unmodelled_count++];
        *entry = (struct penrose_unmodelled){
            .address = access->address,
            .x = tile->x,
            .y = tile->y,
            .hart = hart_of(access->agent),
            .range = tile_range_title(access->agent, access->address)};
        if (access->agent < AGENT_NOC) {
            entry->pc = rv32_current_pc(&tile->hart[access->agent]);
        }
    }
    if (entry) {
        entry->times++;
        entry->written |= written;
        entry->read |= !written;
    }
}

/* One entry an opcode. */
static void record_skipped(void *owner, struct tile *tile, enum tile_agent pusher, uint32_t pc,
                           uint32_t word)
{
    struct penrose_chip *chip = owner;
    for (size_t i = 0; i < chip->unmodelled_count; i++) {
        const struct penrose_unmodelled *old = &chip->unmodelled[i];
        if (old->word && old->word >> 24 == word >> 24) {
            chip->unmodelled[i].times++;
            return;
        }
    }
    if (chip->unmodelled_count < CHIP_UNMODELLED) {
        chip->unmodelled[chip->unmodelled_count++] =
            (struct penrose_unmodelled){.x = tile->x,
                                        .y = tile->y,
                                        .hart = hart_of(pusher),
                                        .range = "Tensix instruction",
                                        .pc = pc,
                                        .word = word,
                                        .times = 1};
    }
}

static void trace_instruction(void *owner, struct tile *tile, enum rv32_core core, uint32_t pc,
                              uint32_t word)
{
    struct penrose_chip *chip = owner;
    struct penrose_trace_event event = {.type = PENROSE_TRACE_INSTRUCTION,
                                        .cycle = tile->run[core].time,
                                        .x = tile->x,
                                        .y = tile->y,
                                        .hart = (enum penrose_hart)core,
                                        .pc = pc,
                                        .word = word};
    chip->trace(chip->trace_context, &event);
}

static void trace_access(void *owner, struct tile *tile, const struct mmio_access *access)
{
    struct penrose_chip *chip = owner;
    struct penrose_trace_event event = {
        .type = PENROSE_TRACE_ACCESS,
        .cycle = access->cycle,
        .x = tile->x,
        .y = tile->y,
        .hart = hart_of(access->agent),
        .address = access->address,
        .value = access->value,
        .size = access->size,
        .store = mmio_is_write(access),
        .range = tile_range_title(access->agent, access->address)};
    chip->trace(chip->trace_context, &event);
}

void chip_board_init(struct tile_board *board)
{
    *board = (struct tile_board){.fault = record_fault,
                                 .unmodelled = record_unmodelled,
                                 .skipped = record_skipped,
                                 .trace_instruction = trace_instruction,
                                 .trace_access = trace_access};
}

PENROSE_EXPORT void penrose_trace(struct penrose_chip *chip,
                                  void (*trace)(void *context,
                                                const struct penrose_trace_event *event),
                                  void *context)
{
    chip->trace = trace;
    chip->trace_context = context;
    for (unsigned i = 0; i < chip->made_count; i++) {
        chip->made[i].tile->tracing = trace != NULL;
    }
}

/* --- Reading --- */

PENROSE_EXPORT size_t penrose_fault_count(const struct penrose_chip *chip)
{
    return chip->faults;
}

PENROSE_EXPORT bool penrose_fault_get(struct penrose_chip *chip, size_t index,
                                      struct penrose_fault *fault)
{
    if (index >= chip->faults) {
        return false;
    }
    const struct chip_fault *record = &chip->fault[index];
    *fault = (struct penrose_fault){
        .kind = record->fault.kind,
        .policy = record->policy,
        .x = record->x,
        .y = record->y,
        .hart = hart_of(record->fault.agent),
        .thread = record->fault.is_tensix ? (int)record->fault.thread : -1,
        .cycle = record->fault.cycle,
        .pc = record->fault.pc,
        .word = record->fault.word,
        .address = record->fault.address,
        .repeated = record->repeated,
    };
    memcpy(fault->rule, record->fault.text, sizeof fault->rule);
    if (fault->thread >= 0) {
        tensix_disassemble(fault->word, fault->disassembly, sizeof fault->disassembly);
    }
    if (fault->hart == PENROSE_NO_HART) {
        return true;
    }
    if (fault->kind != PENROSE_FAULT_FETCH && fault->thread < 0) {
        penrose_disassemble(fault->word, fault->pc, fault->disassembly, sizeof fault->disassembly);
    }
    penrose_locate(chip, fault->x, fault->y, fault->hart, fault->pc, fault->symbol,
                   sizeof fault->symbol, fault->source, sizeof fault->source);
    return true;
}

PENROSE_EXPORT void penrose_fault_clear(struct penrose_chip *chip)
{
    chip->faults = 0;
    chip->touched = true;
    for (unsigned i = 0; i < chip->made_count; i++) {
        struct tile *tile = chip->made[i].tile;
        tile->stopped = false;
        tile->tensix.stopped = false;
        for (unsigned core = 0; core < RV32_CORES; core++) {
            if (tile->run[core].state == HART_FAULTED) {
                tile->run[core].state = HART_READY;
            }
        }
    }
}

PENROSE_EXPORT bool penrose_unmodelled_get(struct penrose_chip *chip, size_t index,
                                           struct penrose_unmodelled *entry)
{
    if (index >= chip->unmodelled_count) {
        return false;
    }
    *entry = chip->unmodelled[index];
    return true;
}
