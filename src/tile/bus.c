/* Accesses of the harts: from the bus functions of rv32 to the address map, and back to faults. */
#include "tile/bus.h"

#include <stdio.h>
#include <string.h>

#include "tile/fault.h"
#include "tile/map.h"
#include "tile/noc_port.h"
#include "tile/noc_window.h"
#include "tile/pages.h"
#include "tile/suspect.h"
#include "tile/tensix_port.h"
#include "tile/weak.h"

static enum answer refuse_hart_access(struct tile *tile, struct rv32_hart *hart,
                                      const struct mmio_access *access, enum answer answer)
{
    bool pushes = access->address - RV32_PUSH_BASE < RV32_PUSH_END - RV32_PUSH_BASE;
    if (pushes && tile->kind->type != TILE_TENSIX) { /* a .ttinsn, too, is such a store */
        return rv32_bus_fault(
            hart, PENROSE_FAULT_UNMAPPED, access->address,
            "the tile has no coprocessor to which an instruction could be pushed");
    }
    return rv32_bus_fault(hart, answer_fault(answer), access->address,
                          "%s of %u bytes at 0x%08x (%s): %s",
                          mmio_is_write(access) ? "store" : "load", access->size, access->address,
                          tile_range_title(tile->kind->type, access->agent, access->address),
                          access->rule ? access->rule : answer_rule(answer, ANSWER_TO_HART));
}

static enum answer access_device(struct tile *tile, struct rv32_hart *hart,
                                 struct rv32_access *access)
{
    struct mmio_access mmio = {.operation = access->store ? MMIO_WRITE : MMIO_READ,
                               .agent = (enum tile_agent)hart->core,
                               .size = access->size,
                               .address = access->address,
                               .value = access->value,
                               .cycle = access->cycle};
    enum answer answer = tile_access(tile, &mmio);
    if (answer == ANSWER_WAIT) {
        access->cycle = mmio.cycle;
        return ANSWER_WAIT;
    }
    if (answer_is_refusal(answer)) {
        return refuse_hart_access(tile, hart, &mmio, answer);
    }
    access->value = mmio.value;
    access->late = mmio.late;
    char excess[TILE_PAGES_TEXT];
    if (access->store && tile_counts_pops(access->address) &&
        tile_pops_too_many(tile, access->address, excess)) {
        tile_hart_claim(tile, PENROSE_FAULT_CB_COUNT, hart->core, access->cycle, access->address,
                        excess);
    }
    return ANSWER_DONE;
}

/* Answers whether it is a null pointer, as far as that is known at once. */
static bool judge_null(struct tile *tile, struct rv32_hart *hart, const struct rv32_access *access)
{
    const struct tile_board *board = tile->board;
    uint32_t pc = rv32_current_pc(hart);
    bool is_second = access->atomic && access->store;
    if (access->address >= RV32_NULL_BYTES || is_second ||
        (!access->store && tile_noc_has_result(tile, access->address))) {
        return false;
    }
    const bool is_known =
        board->has_nothing_at_null && board->has_nothing_at_null(tile->owner, tile, pc);
    if (!is_known && !(board->claim && board->knows_launches(tile->owner, tile))) {
        return false;
    }
    const struct isa_index *index = rv32_code_store_index(hart->code->store);
    unsigned pointer = rv32_find_operands(index, tile_word_at(tile, hart->core, pc), 0).rs1;
    char text[PENROSE_RULE_TEXT];
    snprintf(text, sizeof text, "%s 0x%08x, where the program has no object: %s is 0x%08x",
             access->atomic  ? "atomic access to"
             : access->store ? "store to"
                             : "load from",
             access->address, rv32_x_names[pointer], hart->x[pointer]);
    if (is_known) {
        tile_agent_fault(tile, PENROSE_FAULT_NULL_ACCESS, (enum tile_agent)hart->core,
                         access->cycle, access->address, text);
    } else {
        tile_hart_claim(tile, PENROSE_FAULT_NULL_ACCESS, hart->core, access->cycle, access->address,
                        text);
    }
    return is_known;
}

/* A store changes a function of a loaded program, in a line whose code was decoded. */
static void judge_store_over_code(struct tile *tile, struct rv32_hart *hart,
                                  const struct rv32_access *access)
{
    enum { NAME = 200 };
    const struct tile_board *board = tile->board;
    char name[NAME], text[PENROSE_RULE_TEXT];
    if (!(tile->marks[access->address >> RV32_L1_MARK_SHIFT] & TILE_MARK_CODE) ||
        !board->finds_code ||
        memcmp(tile->l1 + access->address, &access->value, access->size) == 0 ||
        !board->finds_code(tile->owner, tile, access->address, name, sizeof name)) {
        return;
    }
    snprintf(text, sizeof text, "write of %u bytes at 0x%x, where the code of %s lies",
             access->size, access->address, name);
    tile_agent_fault(tile, PENROSE_FAULT_CODE_OVERWRITTEN, (enum tile_agent)hart->core,
                     access->cycle, access->address, text);
}

static enum answer coherent_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    tile_suspect_fence(owner, rv32_current_pc(hart), cycle);
    return ANSWER_DONE;
}

static enum answer access_for_hart(struct tile *tile, struct rv32_hart *hart,
                                   struct rv32_access *access)
{
    enum answer answer = access_device(tile, hart, access);
    bool is_local = access->address - RV32_LOCAL_BASE < hart->told_local_size;
    if (!access->store && answer == ANSWER_DONE && !is_local) {
        tile_suspect(tile, rv32_current_pc(hart), access->address, access->value, access->cycle);
    }
    return answer;
}

static enum answer coherent_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct tile *tile = owner;
    if (access->address >= tile->kind->l1_bytes) {
        return access_for_hart(tile, hart, access);
    }
    const bool is_null = judge_null(tile, hart, access);
    if (access->store) {
        if (!is_null) { /* what lies there is not the point */
            judge_store_over_code(tile, hart, access);
        }
        memcpy(tile->l1 + access->address, &access->value, access->size);
        tile_l1_written(tile, access->address, access->size, access->cycle);
    } else {
        access->value = 0;
        memcpy(&access->value, tile->l1 + access->address, access->size);
    }
    return ANSWER_DONE;
}

static bool push_word(void *owner, struct rv32_hart *hart, uint32_t address, uint32_t word,
                      uint64_t cycle)
{
    enum tile_agent agent = (enum tile_agent)hart->core;
    unsigned thread;
    const struct tile *tile = owner;
    return tile->kind->type == TILE_TENSIX &&
           tile_pushes_to(agent, address - RV32_PUSH_BASE, &thread) &&
           tile_push(owner, agent, thread, word, cycle);
}

static enum rv32_poll poll_place(void *owner, struct rv32_hart *hart, uint32_t address,
                                 unsigned size, uint32_t *value)
{
    return tile_poll(owner, (enum tile_agent)hart->core, address, size, value);
}

bool tile_bus_repeatable(void *owner, struct rv32_hart *hart, uint32_t address)
{
    return tile_is_dst(owner, (enum tile_agent)hart->core, address);
}

uint32_t tile_bus_status(void *owner, struct rv32_hart *hart, unsigned index)
{
    return tile_status_csr(owner, hart->core, index);
}

const struct rv32_bus tile_bus = {
    .access = coherent_access,
    .push = push_word,
    .fence = coherent_fence,
    .poll = poll_place,
    .repeatable = tile_bus_repeatable,
    .status = tile_bus_status,
};

/* --- Weak memory --- */

static enum answer weak_access(void *owner, struct rv32_hart *hart, struct rv32_access *access)
{
    struct tile *tile = owner;
    if (access->address >= tile->kind->l1_bytes) {
        return access_device(tile, hart, access);
    }
    judge_null(tile, hart, access);
    if (access->store) {
        judge_store_over_code(tile, hart, access);
        tile_weak_store(tile, hart, access);
    } else {
        tile_weak_load(tile, hart, access);
    }
    return ANSWER_DONE;
}

static enum answer weak_fence(void *owner, struct rv32_hart *hart, uint64_t cycle)
{
    tile_weak_fence(owner, hart->core, cycle);
    return ANSWER_DONE;
}

static enum rv32_poll weak_poll(void *owner, struct rv32_hart *hart, uint32_t address,
                                unsigned size, uint32_t *value)
{
    enum rv32_poll poll = poll_place(owner, hart, address, size, value);
    return tile_weak_poll(owner, hart, address, size, poll, value);
}

const struct rv32_bus tile_weak_bus = {
    .access = weak_access,
    .push = push_word,
    .fence = weak_fence,
    .poll = weak_poll,
    .repeatable = tile_bus_repeatable,
    .status = tile_bus_status,
};
