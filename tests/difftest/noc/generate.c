/*
 * A program is made phase by phase: each agent proposes transactions, and those stay whose bytes
 * are free (claims.h). What the reference executes decides what is proposed: no byte enables,
 * increments of whole words alone, multicasts on a reserved path in rectangles that do not wrap.
 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "../common/random.h"
#include "claims.h"
#include "worker.h"

enum {
    TRIES = 24,
    WORD = 4,
    LINE = 16,
    DRAM_LINE = 64,
    ETHERNETS = 12,
    DRAM_BANKS = 8,
    MULTICAST_CLASS = 4, /* of a static virtual channel: class 2 */
    UNICAST_CHANNELS = 4,
};

struct maker {
    struct program *program;
    struct random random;
    const struct generate_options *options;
    struct claims claims;
    uint32_t phase;
};

static uint32_t below(struct maker *m, uint64_t limit)
{
    return random_below(&m->random, (uint32_t)limit);
}

static bool once_in(struct maker *m, uint32_t times)
{
    return random_once_in(&m->random, times);
}

/* --- Registers --- */

enum { IN_T = 1, IN_E = 2, IN_TE = 3 };

static const struct reg {
    uint32_t address, instances, stride, mask;
    unsigned kinds;
} regs[] = {
#define REGISTER(name, address, instances, stride, mask, kinds)                                    \
    {address, instances, stride, mask, IN_##kinds},
#include "registers.def"
#undef REGISTER
};

enum reg_number {
#define REGISTER(name, address, instances, stride, mask, kinds) REG_##name,
#include "registers.def"
#undef REGISTER
    REGS
};

static uint32_t busy_buffer(struct maker *m, uint64_t tile)
{
    return (idle_buffer(tile) + 1 + below(m, BUFFERS - 1)) % BUFFERS;
}

/* Reset addresses of harts that an agent runs on are its own. */
static bool is_in_use(const struct program *program, uint64_t memory, enum reg_number reg)
{
    for (uint32_t i = 0; i < program->agents; i++) {
        const struct agent *agent = &program->agent[i];
        if (agent->tile == memory && reg >= REG_TRISC0_PC && reg <= REG_TRISC2_PC &&
            agent->hart == (uint64_t)reg - REG_TRISC0_PC + HART_T0) {
            return true;
        }
    }
    return false;
}

/* Chooses a register of a memory's tile; its address. */
static uint64_t choose_register(struct maker *m, uint64_t memory, bool writes,
                                enum reg_number *number)
{
    const struct program *program = m->program;
    unsigned kind = program->memory[memory].kind == MEMORY_L1 ? IN_T : IN_E;
    for (;;) {
        *number = (enum reg_number)(once_in(m, 2) ? below(m, REG_STREAM_DEST_AVAILABLE + 1)
                                                  : below(m, REGS));
        const struct reg *reg = &regs[*number];
        bool is_good = reg->kinds & kind && (!writes || reg->mask) &&
                       (writes || *number != REG_STREAM_DEST_UPDATE) &&
                       !is_in_use(program, memory, *number);
        if (!is_good) {
            continue;
        }
        uint32_t instance = below(m, reg->instances);
        if (*number <= REG_STREAM_DEST_AVAILABLE) { /* Ethernet tiles have 32 */
            instance = kind == IN_E ? instance % 32 : instance;
        } else if (*number >= REG_NIU0_TARG_LO) {
            instance = idle_buffer(memory);
        }
        return reg->address + (uint64_t)instance * reg->stride;
    }
}

/* What is really read or written: an update and a new size change what is available. */
static bool claim_register(struct maker *m, uint64_t memory, uint64_t address,
                           enum reg_number number, bool writes, bool notes)
{
    uint64_t available = address - regs[number].address + regs[REG_STREAM_DEST_AVAILABLE].address;
    enum claim_mode mode = writes ? CLAIM_WRITE : CLAIM_READ;
    bool is_update = number == REG_STREAM_DEST_UPDATE;
    bool changes = writes && (is_update || number == REG_STREAM_DEST_SIZE);
    if (is_update) {
        address = available;
        mode = CLAIM_ADD;
    }
    if (notes) {
        claims_note(&m->claims, memory, address, WORD, mode);
        if (changes && !is_update) {
            claims_note(&m->claims, memory, available, WORD, CLAIM_WRITE);
        }
        return true;
    }
    return claims_allow(&m->claims, memory, address, WORD, mode) &&
           (!changes || is_update ||
            claims_allow(&m->claims, memory, available, WORD, CLAIM_WRITE));
}

/* --- Bytes --- */

static uint32_t choose_length(struct maker *m)
{
    static const uint32_t most[] = {16, 16, 64, 64, 64, 512, 512, 512, 4096, MOST_BYTES};
    static const uint32_t edge[] = {1, 4, 15, 16, 17, 32, 63, 64, 65, 128, 8192, 16383, MOST_BYTES};
    uint32_t length = once_in(m, 6) ? edge[below(m, sizeof edge / sizeof edge[0])]
                                    : 1 + below(m, most[below(m, sizeof most / sizeof most[0])]);
    return m->options->compact && !once_in(m, 8) ? 1 + length % 256 : length;
}

/* An address in a memory's region, with `offset` modulo the line; false: it does not fit. */
static bool choose_address(struct maker *m, uint64_t memory, uint32_t length, uint32_t line,
                           uint32_t offset, uint64_t *address)
{
    uint32_t lines = REGION_BYTES / line;
    *address = m->program->memory[memory].base + (uint64_t)below(m, lines) * line + offset;
    return *address + length <= m->program->memory[memory].base + REGION_BYTES;
}

static bool allows(const struct maker *m, uint64_t memory, uint64_t address, uint64_t bytes,
                   enum claim_mode mode)
{
    return claims_allow(&m->claims, memory, address, bytes, mode);
}

static void note(struct maker *m, uint64_t memory, uint64_t address, uint64_t bytes,
                 enum claim_mode mode)
{
    claims_note(&m->claims, memory, address, bytes, mode);
}

static uint64_t tile_of(const struct maker *m, const struct transaction *t)
{
    return m->program->agent[t->agent].tile;
}

/* --- The kinds --- */

/* Half of the time L1 of the arena. */
static uint64_t choose_memory(struct maker *m)
{
    uint32_t count = m->program->memories, tiles = program_tiles(m->program);
    return count == tiles || once_in(m, 2) ? below(m, tiles) : tiles + below(m, count - tiles);
}

/* With registers and atomics. */
static uint64_t choose_tile(struct maker *m)
{
    uint64_t memory = choose_memory(m), kind = m->program->memory[memory].kind;
    return kind == MEMORY_ETHERNET ? memory : below(m, program_tiles(m->program));
}

static bool has_conflict(const struct transaction *t, uint64_t own, uint64_t there_end,
                         uint64_t local_end)
{
    return t->there == own && t->address < local_end && t->local < there_end;
}

/* A read or write of memory. */
static bool make_copy(struct maker *m, struct transaction *t)
{
    bool reads = t->kind == KIND_READ;
    uint64_t own = tile_of(m, t), local;
    t->there = choose_memory(m);
    t->port = m->program->memory[t->there].kind == MEMORY_DRAM ? below(m, 3) : 0;
    t->length = choose_length(m);
    uint64_t kind = m->program->memory[t->there].kind;
    bool is_wide = reads && (kind == MEMORY_DRAM || kind == MEMORY_HOST);
    uint32_t line = is_wide ? DRAM_LINE : LINE;
    uint32_t offset = once_in(m, 2) ? 0 : below(m, line);
    if (!choose_address(m, t->there, (uint32_t)t->length, line, offset, &t->address) ||
        !choose_address(m, own, (uint32_t)t->length, line, offset, &local)) {
        return false;
    }
    t->local = local;
    t->posted = !reads && once_in(m, 3);
    enum claim_mode there = reads ? CLAIM_READ : CLAIM_WRITE;
    enum claim_mode here = reads ? CLAIM_WRITE : CLAIM_READ;
    if (has_conflict(t, own, t->address + t->length, local + t->length) ||
        !allows(m, t->there, t->address, t->length, there) ||
        !allows(m, own, local, t->length, here)) {
        return false;
    }
    note(m, t->there, t->address, t->length, there);
    note(m, own, local, t->length, here);
    return true;
}

/* A word that the agent puts into its L1 first, for a register. */
static bool stage(struct maker *m, struct transaction *t, uint32_t mask)
{
    uint64_t own = tile_of(m, t), local;
    if (!choose_address(m, own, WORD, LINE, (uint32_t)(t->address % LINE), &local) ||
        !allows(m, own, local, WORD, CLAIM_WRITE)) {
        return false;
    }
    note(m, own, local, WORD, CLAIM_WRITE);
    t->local = local;
    t->length = WORD;
    t->staged = 1;
    t->data = random_next(&m->random) & mask;
    return true;
}

/* A read or write of a register. */
static bool make_register_copy(struct maker *m, struct transaction *t)
{
    enum reg_number number;
    bool reads = t->kind == KIND_READ;
    uint64_t own = tile_of(m, t), local;
    t->there = choose_tile(m);
    t->address = choose_register(m, t->there, !reads, &number);
    t->posted = !reads && once_in(m, 3);
    if (!claim_register(m, t->there, t->address, number, !reads, false)) {
        return false;
    }
    if (!reads) {
        if (!stage(m, t, regs[number].mask)) {
            return false;
        }
        return claim_register(m, t->there, t->address, number, true, true);
    }
    t->length = WORD;
    if (!choose_address(m, own, WORD, LINE, WORD * below(m, 4), &local) ||
        !allows(m, own, local, WORD, CLAIM_WRITE)) {
        return false;
    }
    t->local = local;
    note(m, own, local, WORD, CLAIM_WRITE);
    return claim_register(m, t->there, t->address, number, false, true);
}

static bool make_inline(struct maker *m, struct transaction *t)
{
    enum reg_number number;
    t->there = choose_tile(m);
    t->address = choose_register(m, t->there, true, &number);
    t->data = random_next(&m->random) & regs[number].mask;
    t->length = 0xf; /* ignored */
    t->posted = once_in(m, 3);
    return claim_register(m, t->there, t->address, number, true, false) &&
           claim_register(m, t->there, t->address, number, true, true);
}

/* Where `local` is 0 the old value is not compared. */
static bool make_atomic(struct maker *m, struct transaction *t)
{
    uint64_t own = tile_of(m, t), local = 0;
    t->there = choose_tile(m);
    t->data = once_in(m, 2) ? below(m, 16) : random_next(&m->random) & UINT32_MAX;
    t->posted = once_in(m, 4);
    bool is_shared = t->posted || once_in(m, 2);
    enum { SHARED_WORDS = 8 }; /* few, so that they meet */
    t->address = m->program->memory[t->there].base +
                 LINE * (uint64_t)below(m, is_shared ? SHARED_WORDS : REGION_BYTES / LINE);
    enum claim_mode mode = is_shared ? CLAIM_ADD : CLAIM_WRITE;
    if (!allows(m, t->there, t->address, WORD, mode)) {
        return false;
    }
    if (!is_shared) {
        if (!choose_address(m, own, WORD, LINE, WORD * below(m, 4), &local) ||
            !allows(m, own, local, WORD, CLAIM_WRITE) ||
            has_conflict(
                &(struct transaction){.there = t->there, .address = t->address, .local = local},
                own, t->address + WORD, local + WORD)) {
            return false;
        }
        note(m, own, local, WORD, CLAIM_WRITE);
    }
    t->local = local;
    note(m, t->there, t->address, WORD, mode);
    return true;
}

static bool choose_rectangle(struct maker *m, struct transaction *t)
{
    const struct program *program = m->program;
    t->left = below(m, program->width);
    t->right = t->left + below(m, program->width - t->left);
    t->top = below(m, program->height);
    t->bottom = t->top + below(m, program->height - t->top);
    t->own = once_in(m, 2);
    for (uint64_t tile = 0; tile < program_tiles(program); tile++) {
        if (multicast_reaches(program, t, tile)) {
            return true;
        }
    }
    return false;
}

/* May each receiver be written, and if so, notes it. */
static bool claim_receivers(struct maker *m, const struct transaction *t, enum reg_number number,
                            bool notes)
{
    for (uint64_t tile = 0; tile < program_tiles(m->program); tile++) {
        if (!multicast_reaches(m->program, t, tile)) {
            continue;
        }
        if (number != REGS) {
            if (!claim_register(m, tile, t->address, number, true, notes)) {
                return false;
            }
        } else if (notes) {
            note(m, tile, t->address, t->length, CLAIM_WRITE);
        } else if (!allows(m, tile, t->address, t->length, CLAIM_WRITE)) {
            return false;
        }
    }
    return true;
}

static bool make_multicast(struct maker *m, struct transaction *t)
{
    uint64_t own = tile_of(m, t), local;
    t->posted = once_in(m, 3);
    t->linked = once_in(m, 4);
    t->there = own;
    if (!choose_rectangle(m, t)) {
        return false;
    }
    if (once_in(m, 5)) { /* a register of streams */
        enum reg_number number = (enum reg_number)below(m, REG_STREAM_DEST_AVAILABLE);
        t->address = regs[number].address + 0x1000u * below(m, 64);
        return claim_receivers(m, t, number, false) && stage(m, t, regs[number].mask) &&
               claim_receivers(m, t, number, true);
    }
    t->length = choose_length(m);
    uint32_t offset = once_in(m, 2) ? 0 : below(m, LINE);
    if (!choose_address(m, 0, (uint32_t)t->length, LINE, offset, &t->address) || /* as in all L1s */
        !choose_address(m, own, (uint32_t)t->length, LINE, offset, &local)) {
        return false;
    }
    t->local = local;
    if (has_conflict(t, own, t->address + t->length, local + t->length) ||
        !claim_receivers(m, t, REGS, false) || !allows(m, own, local, t->length, CLAIM_READ)) {
        return false;
    }
    note(m, own, local, t->length, CLAIM_READ);
    return claim_receivers(m, t, REGS, true);
}

/* An agent that may wait in this phase; it must not be `agent`. */
static bool choose_partner(struct maker *m, uint64_t agent, uint64_t *partner)
{
    *partner = below(m, m->program->agents);
    return *partner != agent && m->program->agent[*partner].first <= m->phase;
}

/* Both ends are in the claims; what lies in the partner's tile between them is the forward's own.
 */
static bool make_forward(struct maker *m, struct transaction *t)
{
    uint64_t own = tile_of(m, t), partner, local, flag_local;
    if (!choose_partner(m, t->agent, &partner)) {
        return false;
    }
    const struct agent *agent = &m->program->agent[partner];
    uint32_t offset = once_in(m, 2) ? 0 : below(m, LINE);
    t->data = partner;
    t->there = agent->tile;
    t->next = choose_memory(m);
    t->next_port = m->program->memory[t->next].kind == MEMORY_DRAM ? below(m, 3) : 0;
    t->next_noc = agent->nocs == 3 ? below(m, 2) : agent->nocs - 1;
    t->next_buffer = busy_buffer(m, agent->tile);
    t->mark = random_next(&m->random) & UINT32_MAX;
    t->length = choose_length(m);
    t->posted = once_in(m, 2);
    t->fixed = 1;
    uint32_t bytes = (uint32_t)t->length;
    if (!choose_address(m, t->there, bytes, LINE, offset, &t->address) ||
        !choose_address(m, own, bytes, LINE, offset, &local) ||
        !choose_address(m, t->next, bytes, LINE, offset, &t->next_address) ||
        !choose_address(m, t->there, WORD, LINE, 0, &t->flag) ||
        !choose_address(m, own, WORD, LINE, 0, &flag_local)) {
        return false;
    }
    t->local = local;
    t->flag_local = flag_local;
    const struct claim_wish {
        uint64_t memory, address, bytes;
        enum claim_mode mode;
    } wishes[] = {{own, local, bytes, CLAIM_READ},
                  {t->there, t->address, bytes, CLAIM_WRITE},
                  {t->next, t->next_address, bytes, CLAIM_WRITE},
                  {t->there, t->flag, WORD, CLAIM_WRITE},
                  {own, flag_local, WORD, CLAIM_WRITE}};
    uint32_t before[MOST_MEMORIES];
    memcpy(before, m->claims.count, sizeof before);
    for (unsigned i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        if (!allows(m, wishes[i].memory, wishes[i].address, wishes[i].bytes, wishes[i].mode)) {
            memcpy(m->claims.count, before, sizeof before); /* as if none had been noted */
            return false;
        }
        note(m, wishes[i].memory, wishes[i].address, wishes[i].bytes, wishes[i].mode);
    }
    return true;
}

/* --- One transaction --- */

static enum transaction_kind choose_kind(struct maker *m)
{
    static const uint8_t weighted[] = {KIND_READ,   KIND_READ,   KIND_READ,      KIND_WRITE,
                                       KIND_WRITE,  KIND_WRITE,  KIND_INLINE,    KIND_INLINE,
                                       KIND_ATOMIC, KIND_ATOMIC, KIND_MULTICAST, KIND_FORWARD};
    return (enum transaction_kind)weighted[below(m, sizeof weighted)];
}

static bool make_kind(struct maker *m, struct transaction *t)
{
    switch ((enum transaction_kind)t->kind) {
    case KIND_READ:
    case KIND_WRITE:
        return once_in(m, 6) ? make_register_copy(m, t) : make_copy(m, t);
    case KIND_INLINE:
        return make_inline(m, t);
    case KIND_ATOMIC:
        return make_atomic(m, t);
    case KIND_MULTICAST:
        return make_multicast(m, t);
    case KIND_FORWARD:
        return make_forward(m, t);
    case KIND_LAUNCH:
    case KINDS:
        break;
    }
    return false;
}

/* How it goes: what all kinds have. Posted requests are flushed on their own virtual channel. */
static struct transaction make_way(struct maker *m, uint32_t agent, enum transaction_kind kind)
{
    uint64_t nocs = m->program->agent[agent].nocs;
    return (struct transaction){.kind = kind,
                                .phase = m->phase,
                                .agent = agent,
                                .noc = nocs == 3 ? below(m, 2) : nocs - 1,
                                .buffer = busy_buffer(m, m->program->agent[agent].tile),
                                .id = once_in(m, 3) ? 0 : below(m, 16),
                                .fixed = once_in(m, 2),
                                .sparse = once_in(m, 2)};
}

static void choose_channel(struct maker *m, struct transaction *t)
{
    t->fixed = t->fixed || t->posted || t->linked;
    t->channel = !t->fixed                   ? 0
                 : t->kind == KIND_MULTICAST ? MULTICAST_CLASS + below(m, 2)
                                             : below(m, UNICAST_CHANNELS);
}

static void add_transaction(struct maker *m, uint32_t agent)
{
    enum transaction_kind kind = choose_kind(m);
    for (unsigned i = 0; i < TRIES; i++) {
        struct transaction t = make_way(m, agent, kind);
        if (make_kind(m, &t)) {
            choose_channel(m, &t);
            program_add(m->program, &t);
            return;
        }
    }
}

/* Agents that begin in the next phase are started by one of this phase. */
static void add_launches(struct maker *m)
{
    struct program *program = m->program;
    for (uint32_t i = 1; i < program->agents; i++) {
        uint32_t by = below(m, program->agents);
        if (program->agent[i].first != m->phase + 1u || program->agent[by].first > m->phase) {
            continue; /* then the host starts it */
        }
        struct transaction t = make_way(m, by, KIND_LAUNCH);
        t.there = program->agent[i].tile;
        t.address = UINT64_C(0xffb121b0);
        t.data = i;
        choose_channel(m, &t);
        program_add(program, &t);
    }
}

/* --- The scene --- */

static void choose_arena(struct maker *m)
{
    struct program *program = m->program;
    uint64_t tiles;
    do {
        program->width = 1 + below(m, 10);
        program->height = 1 + below(m, 10);
        tiles = program->width * program->height;
    } while (tiles < 4 || tiles > (m->options->compact ? 6 : MOST_TILES));
    program->left = below(m, COLUMNS - program->width + 1);
    program->top = below(m, ROWS - program->height + 1);
    if (once_in(m, 5) && program->width > 1) { /* keeps some column */
        uint64_t tile = 1 + below(m, program->width - 1);
        program->columns_off = UINT64_C(1) << tile_coordinates(program, tile).x;
    }
    if (once_in(m, 5) && program->height > 1) {
        uint64_t tile = program->width * (1 + below(m, program->height - 1));
        program->rows_off = UINT64_C(1) << tile_coordinates(program, tile).y;
    }
    program->multicast_go = once_in(m, 2) && !program->columns_off && !program->rows_off;
}

static void add_memory(struct maker *m, enum memory_kind kind, uint64_t number, uint64_t base)
{
    m->program->memory[m->program->memories++] =
        (struct memory){.kind = kind, .number = number, .base = base};
}

/* Regions stay within 2 MiB, so that one window of the host shows all of them. */
static void choose_memories(struct maker *m)
{
    enum {
        PAGE = 0x1000,
        L1_FIRST = 0x40000,
        L1_END = 0x180000,
        SPARE = 0x1000, /* for flushes */
        LARGE_PAGE = 0x200000,
        LARGE_PAGES = 2040, /* GDDR below the registers */
        PLACES = 8,         /* of a bank: libraries need not have memory for all of it */
    };
    struct program *program = m->program;
    uint64_t base =
        once_in(m, 4)
            ? L1_END - REGION_BYTES
            : L1_FIRST + PAGE * (uint64_t)below(m, (L1_END - L1_FIRST - REGION_BYTES) / PAGE);
    for (uint64_t tile = 0; tile < program_tiles(program); tile++) {
        add_memory(m, MEMORY_L1, tile, base);
    }
    if (m->options->tiles_only) {
        return;
    }
    for (uint64_t bank = 0; bank < DRAM_BANKS; bank++) {
        if (once_in(m, 2)) {
            uint64_t page = below(m, (LARGE_PAGE - REGION_BYTES - SPARE) / PAGE);
            uint64_t large = (below(m, PLACES) * UINT64_C(1013) + bank * 97) % LARGE_PAGES;
            add_memory(m, MEMORY_DRAM, bank, large * LARGE_PAGE + page * PAGE);
        }
    }
    for (uint64_t number = 0; number < ETHERNETS; number++) {
        if (once_in(m, 6)) {
            add_memory(m, MEMORY_ETHERNET, number, 0x20000 + PAGE * (uint64_t)below(m, 0x48));
        }
    }
    if (once_in(m, 4)) {
        add_memory(m, MEMORY_CSM, 0, 0x10010000 + PAGE * (uint64_t)below(m, 0x40));
    }
    if (once_in(m, 3)) { /* past the iATU, or through it */
        uint64_t window = once_in(m, 2) ? UINT64_C(4) << 58 : 0;
        add_memory(m, MEMORY_HOST, 0, window | (HOST_MEMORY + PAGE * (uint64_t)below(m, 0x20)));
    }
}

static void choose_agents(struct maker *m)
{
    struct program *program = m->program;
    program->phases = m->options->compact ? 1 + below(m, 2) : 1 + below(m, 5);
    for (uint64_t tile = 0; tile < program_tiles(program); tile++) {
        uint64_t hart = once_in(m, 2) ? HART_B : below(m, HART_E0);
        bool has_two = tile != 0 && once_in(m, 3);
        uint64_t nocs = has_two ? 1 + below(m, 2) : 1 + below(m, 3);
        program->agent[program->agents++] =
            (struct agent){.tile = tile, .hart = hart, .nocs = tile ? nocs : 3};
        if (has_two) {
            uint64_t first = once_in(m, 2) ? below(m, program->phases) : 0;
            program->agent[program->agents++] =
                (struct agent){.tile = tile,
                               .hart = (hart + 1 + below(m, HART_E0 - 1)) % HART_E0,
                               .nocs = 3 - nocs,
                               .first = first};
        }
    }
    for (uint64_t i = program_tiles(program); i < program->memories; i++) {
        if (program->memory[i].kind == MEMORY_ETHERNET && once_in(m, 2)) {
            program->agent[program->agents++] =
                (struct agent){.tile = i,
                               .hart = once_in(m, 2) ? HART_E0 : HART_E1,
                               .nocs = 1 + below(m, 3),
                               .first = once_in(m, 3) ? below(m, program->phases) : 0};
        }
    }
}

void program_generate(struct program *program, uint64_t seed, uint64_t number,
                      const struct generate_options *options)
{
    struct maker *m = malloc(sizeof *m);
    program_init(program);
    program->number = number;
    program->ok = m != NULL;
    if (!m) {
        return;
    }
    *m = (struct maker){.program = program,
                        .random = {seed * UINT64_C(0xd1342543de82ef95) + number},
                        .options = options};
    random_next(&m->random);
    program->fill = random_next(&m->random) & UINT32_MAX;
    choose_arena(m);
    choose_memories(m);
    choose_agents(m);
    uint32_t most = options->compact ? 3 : once_in(m, 8) ? 60 : 18;
    for (m->phase = 0; m->phase < program->phases; m->phase++) {
        claims_clear(&m->claims);
        for (uint32_t agent = 0; agent < program->agents; agent++) {
            uint32_t count = program->agent[agent].first > m->phase ? 0 : below(m, most + 1);
            for (uint32_t i = 0; i < count; i++) {
                add_transaction(m, agent);
            }
        }
        add_launches(m);
    }
    free(m);
}
