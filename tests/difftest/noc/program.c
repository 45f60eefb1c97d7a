#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kind_names[KINDS] = {
    [KIND_READ] = "read",       [KIND_WRITE] = "write",         [KIND_INLINE] = "inline",
    [KIND_ATOMIC] = "atomic",   [KIND_MULTICAST] = "multicast", [KIND_LAUNCH] = "launch",
    [KIND_FORWARD] = "forward",
};

void program_init(struct program *program)
{
    *program = (struct program){.ok = true};
}

void program_free(struct program *program)
{
    free(program->transaction);
    program->transaction = NULL;
    program->transactions = program->room = 0;
}

bool program_copy(struct program *to, const struct program *from)
{
    size_t bytes = (from->transactions + 1u) * sizeof *from->transaction;
    *to = *from;
    to->transaction = malloc(bytes);
    to->ok = from->ok && to->transaction;
    if (to->transaction && from->transactions) {
        memcpy(to->transaction, from->transaction, from->transactions * sizeof *from->transaction);
    }
    to->room = to->transaction ? from->transactions + 1 : 0;
    to->transactions = to->transaction ? from->transactions : 0;
    return to->ok;
}

struct transaction *program_add(struct program *program, const struct transaction *transaction)
{
    if (program->transactions == program->room) {
        uint32_t room = 2 * program->room + 64;
        struct transaction *larger =
            realloc(program->transaction, room * sizeof *program->transaction);
        if (!larger) {
            program->ok = false;
            return NULL;
        }
        program->transaction = larger;
        program->room = room;
    }
    program->transaction[program->transactions] = *transaction;
    return &program->transaction[program->transactions++];
}

static bool concerns(const struct transaction *transaction, uint32_t agent)
{
    return transaction->agent == agent || (has_partner(transaction) && transaction->data == agent);
}

void program_drop_agent(struct program *program, uint32_t agent)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < program->transactions; i++) {
        struct transaction transaction = program->transaction[i];
        if (concerns(&transaction, agent)) {
            continue;
        }
        transaction.agent -= transaction.agent > agent;
        transaction.data -= has_partner(&transaction) && transaction.data > agent;
        program->transaction[kept++] = transaction;
    }
    program->transactions = kept;
    program->agents--;
    memmove(&program->agent[agent], &program->agent[agent + 1],
            (program->agents - agent) * sizeof program->agent[0]);
}

/* --- Soundness --- */

static const char *forward_fault(const struct program *program,
                                 const struct transaction *transaction)
{
    const struct agent *partner = &program->agent[transaction->data];
    bool is_good = partner->tile == transaction->there && partner->first <= transaction->phase &&
                   transaction->next < program->memories && transaction->next_noc < NOCS &&
                   partner->nocs >> transaction->next_noc & 1 &&
                   transaction->next_buffer < BUFFERS && transaction->next_port <= 2 &&
                   transaction->data != transaction->agent && transaction->mark <= UINT32_MAX;
    return is_good ? NULL : "a forward does not fit its second agent";
}

static const char *transaction_fault(const struct program *program,
                                     const struct transaction *transaction)
{
    if (transaction->kind >= KINDS || transaction->agent >= program->agents ||
        transaction->phase >= program->phases || transaction->there >= program->memories) {
        return "a transaction's kind, agent, phase or memory is out of range";
    }
    const struct agent *agent = &program->agent[transaction->agent];
    if (transaction->phase < agent->first || transaction->noc >= NOCS ||
        !(agent->nocs >> transaction->noc & 1) || transaction->buffer >= BUFFERS ||
        transaction->id > 15 || transaction->channel > 7 || transaction->port > 2) {
        return "a transaction's NoC, buffer, id, channel or port is out of range";
    }
    if (transaction->length > MOST_BYTES || transaction->local > UINT32_MAX ||
        transaction->data > UINT32_MAX) {
        return "a transaction's length, data or local address is out of range";
    }
    if (has_partner(transaction) && transaction->data >= program->agents) {
        return "a launch or forward names no agent";
    }
    if (transaction->kind == KIND_FORWARD) {
        return forward_fault(program, transaction);
    }
    bool is_inside =
        transaction->left <= transaction->right && transaction->right < program->width &&
        transaction->top <= transaction->bottom && transaction->bottom < program->height;
    return transaction->kind == KIND_MULTICAST && !is_inside ? "a multicast leaves the arena"
                                                             : NULL;
}

static const char *agents_fault(const struct program *program)
{
    for (uint32_t i = 0; i < program->agents; i++) {
        const struct agent *agent = &program->agent[i];
        if (agent->tile >= program->memories || agent->hart >= HARTS || agent->nocs == 0 ||
            agent->nocs > 3 || agent->first >= program->phases) {
            return "an agent's tile, hart, NoCs or phase is out of range";
        }
        uint64_t kind = program->memory[agent->tile].kind;
        if (kind != (agent->hart < HART_E0 ? MEMORY_L1 : MEMORY_ETHERNET)) {
            return "an agent's hart is of another kind of tile";
        }
    }
    bool keeps = program->agents && program->agent[0].first == 0 &&
                 program->agent[0].tile < program_tiles(program);
    return keeps ? NULL : "agent 0 must be of the arena and begin in phase 0";
}

const char *program_fault(const struct program *program)
{
    if (program->width == 0 || program->height == 0 || program->width > COLUMNS ||
        program->height > ROWS || program->left > COLUMNS - program->width ||
        program->top > ROWS - program->height || program_tiles(program) > MOST_TILES) {
        return "the arena is no rectangle of at most 20 tiles";
    }
    if (program->phases == 0 || program->phases > MOST_PHASES ||
        program->memories < program_tiles(program)) {
        return "the number of phases or memories is out of range";
    }
    for (uint32_t i = 0; i < program->memories; i++) {
        const struct memory *memory = &program->memory[i];
        bool is_tile = i < program_tiles(program);
        if (memory->kind >= MEMORY_KINDS || is_tile != (memory->kind == MEMORY_L1) ||
            memory->number > 19) {
            return "a memory's kind or number is out of range";
        }
    }
    const char *fault = agents_fault(program);
    for (uint32_t i = 0; i < program->transactions && !fault; i++) {
        fault = transaction_fault(program, &program->transaction[i]);
    }
    return fault;
}

/* --- Names --- */

struct coordinates tile_coordinates(const struct program *program, uint64_t tile)
{
    enum { WEST = 7, FIRST_ROW = 2 }; /* columns 8 and 9 are no Tensix tiles */
    uint64_t column = program->left + tile % program->width;
    return (struct coordinates){.x = (uint8_t)(column < WEST ? column + 1 : column + 3),
                                .y = (uint8_t)(FIRST_ROW + program->top + tile / program->width)};
}

struct coordinates memory_coordinates(const struct program *program, uint64_t memory, uint64_t port)
{
    uint64_t number = program->memory[memory].number;
    switch ((enum memory_kind)program->memory[memory].kind) {
    case MEMORY_DRAM: /* two columns of four banks with three ports each */
        return (struct coordinates){.x = (uint8_t)(17 + number / 4 % 2),
                                    .y = (uint8_t)(12 + 3 * (number % 4) + port)};
    case MEMORY_ETHERNET:
        return (struct coordinates){.x = (uint8_t)(20 + number % 12), .y = 25};
    case MEMORY_CSM:
        return (struct coordinates){.x = 8, .y = 0};
    case MEMORY_HOST:
        return (struct coordinates){.x = 19, .y = 24};
    case MEMORY_L1:
    case MEMORY_KINDS:
        break;
    }
    return tile_coordinates(program, memory);
}

void memory_name(const struct program *program, uint64_t memory, char *text, size_t size)
{
    static const char *const names[MEMORY_KINDS] = {
        [MEMORY_L1] = "L1 of",
        [MEMORY_DRAM] = "DRAM of",
        [MEMORY_ETHERNET] = "Ethernet L1 of",
        [MEMORY_CSM] = "ARC memory of",
        [MEMORY_HOST] = "host memory behind",
    };
    struct coordinates at = memory_coordinates(program, memory, 0);
    snprintf(text, size, "%s (%u, %u)", names[program->memory[memory].kind], at.x, at.y);
}

bool multicast_reaches(const struct program *program, const struct transaction *transaction,
                       uint64_t tile)
{
    uint64_t x = tile % program->width, y = tile / program->width;
    struct coordinates at = tile_coordinates(program, tile);
    bool is_own = tile == program->agent[transaction->agent].tile;
    bool is_off = transaction->noc == 0 &&
                  (program->columns_off >> at.x & 1 || program->rows_off >> at.y & 1);
    return x >= transaction->left && x <= transaction->right && y >= transaction->top &&
           y <= transaction->bottom && (!is_own || transaction->own) && !is_off;
}
