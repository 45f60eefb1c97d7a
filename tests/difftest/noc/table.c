/*
 * An agent goes through its phases. In each it starts its transactions, sends what flushes its
 * posted ones (a request that is answered, on the same virtual channel to the same place), waits
 * until all its responses are there, counts itself as arrived in the tile of agent 0, and waits
 * until that one lets the next phase go. After the last phase it waits for its responses and ends.
 */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "link.h"

/* Bits of NOC_CTRL. */
enum {
    CTRL_ATOMIC = 1,
    CTRL_WRITE = 2,
    CTRL_INLINE = 1 << 3,
    CTRL_RESPONSE = 1 << 4,
    CTRL_MULTICAST = 1 << 5,
    CTRL_LINKED = 1 << 6,
    CTRL_STATIC = 1 << 7,
    CTRL_RESERVE = 1 << 8,
    CTRL_CHANNEL_SHIFT = 13,
    CTRL_OWN = 1 << 17,
};

enum { COUNT_ATOMIC, COUNT_WRITE, COUNT_READ }; /* responses; counters 0, 1 and 2 of an NIU */

enum {
    INCREMENT = 0x107c, /* a whole word, and gives the old one back */
    TAG_ID_SHIFT = 10,
    BUFFER_BYTES = 0x800,
    CMD_CTRL = 0x40,
    COUNTERS = 0x200,
    WORD = 4,
};

/* Registers in the order of struct shadow. */
enum { TARG_LO, TARG_MID, TARG_HI, RET_LO, RET_MID, RET_HI, TAG, CTRL, LENGTH, DATA, REGISTERS };
static const uint8_t register_offset[REGISTERS] = {0x00, 0x04, 0x08, 0x0c, 0x10,
                                                   0x14, 0x18, 0x1c, 0x20, 0x28};

/* --- Agents --- */

bool has_agents(const struct program *program, uint64_t memory)
{
    for (uint32_t i = 0; i < program->agents; i++) {
        if (program->agent[i].tile == memory) {
            return true;
        }
    }
    return memory < program_tiles(program);
}

uint32_t agent_slot(const struct program *program, uint32_t agent)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < agent; i++) {
        slot += program->agent[i].tile == program->agent[agent].tile;
    }
    return slot;
}

bool is_launched(const struct program *program, uint32_t agent)
{
    for (uint32_t i = 0; i < program->transactions; i++) {
        const struct transaction *t = &program->transaction[i];
        if (t->kind == KIND_LAUNCH && t->data == agent) {
            return true;
        }
    }
    return false;
}

uint32_t reset_bits(const struct program *program, uint64_t memory)
{
    return program->memory[memory].kind == MEMORY_ETHERNET ? 0x1800 : 0x47800;
}

uint32_t reset_value(const struct program *program, uint64_t tile, bool with_launched)
{
    static const uint32_t bits[HARTS] = {
        [HART_B] = 0x800,    [HART_T0] = 0x1000, [HART_T1] = 0x2000, [HART_T2] = 0x4000,
        [HART_NC] = 0x40000, [HART_E0] = 0x800,  [HART_E1] = 0x1000};
    uint32_t value = reset_bits(program, tile);
    for (uint32_t i = 0; i < program->agents; i++) {
        if (program->agent[i].tile == tile && (with_launched || !is_launched(program, i))) {
            value &= ~bits[program->agent[i].hart];
        }
    }
    return value;
}

/* --- Entries --- */

static void add(struct writer *w, enum entry_kind kind, uint32_t address, uint32_t value,
                uint32_t other)
{
    struct table *table = &w->table;
    if (table->entries == TABLE_BYTES / TABLE_ENTRY) {
        table->ok = false;
    }
    if (table->ok) {
        table->entry[table->entries++] =
            (struct entry){.kind = kind, .address = address, .value = value, .other = other};
    }
}

static uint32_t niu_address(uint64_t noc, uint32_t offset)
{
    return NIU_FIRST + (uint32_t)noc * NIU_STRIDE + offset;
}

static uint32_t high_word(struct coordinates at)
{
    return at.x | (uint32_t)at.y << 6;
}

/* Sets up a command buffer, starts the request, and sometimes waits until it was accepted. */
static void start(struct writer *w, const struct transaction *t, const uint32_t word[REGISTERS])
{
    uint32_t buffer = niu_address(t->noc, (uint32_t)t->buffer * BUFFER_BYTES);
    struct shadow *shadow = &w->shadow[t->noc][t->buffer];
    uint32_t first = w->table.entries % REGISTERS; /* their order does not matter */
    for (uint32_t i = 0; i < REGISTERS; i++) {
        uint32_t at = (first + i) % REGISTERS;
        if (!shadow->known || !t->sparse || shadow->word[at] != word[at]) {
            add(w, ENTRY_STORE, buffer + register_offset[at], word[at], 0);
        }
        shadow->word[at] = word[at];
    }
    shadow->known = true;
    add(w, ENTRY_STORE, buffer + CMD_CTRL, 1, 0);
    if (!t->sparse) {
        add(w, ENTRY_WAIT, buffer + CMD_CTRL, 0, CONTROL_ZERO);
    }
    w->started++;
}

/* --- Requests --- */

static uint32_t multicast_high(const struct program *program, const struct transaction *t)
{
    struct coordinates low = tile_coordinates(program, t->top * program->width + t->left);
    struct coordinates high = tile_coordinates(program, t->bottom * program->width + t->right);
    return t->noc ? high_word(low) | high_word(high) << 12 : high_word(high) | high_word(low) << 12;
}

static uint32_t control_word(const struct transaction *t)
{
    uint32_t ctrl = t->kind == KIND_READ                               ? CTRL_RESPONSE
                    : t->kind == KIND_ATOMIC                           ? CTRL_ATOMIC
                    : t->kind == KIND_INLINE || t->kind == KIND_LAUNCH ? CTRL_WRITE | CTRL_INLINE
                                                                       : CTRL_WRITE;
    ctrl |= t->posted ? 0 : CTRL_RESPONSE;
    ctrl |= t->linked ? CTRL_LINKED : 0;
    ctrl |= t->fixed ? CTRL_STATIC | (uint32_t)t->channel << CTRL_CHANNEL_SHIFT : 0;
    if (t->kind == KIND_MULTICAST) {
        ctrl |= CTRL_MULTICAST | CTRL_RESERVE | (t->own ? CTRL_OWN : 0);
    }
    return ctrl;
}

/* Counts the responses that will come. */
static void expect(struct writer *w, const struct transaction *t)
{
    uint32_t *expected = w->expected[t->noc];
    if (t->kind == KIND_READ) {
        expected[COUNT_READ]++;
    } else if (t->posted) {
        return;
    } else if (t->kind == KIND_ATOMIC) {
        expected[COUNT_ATOMIC]++;
    } else if (t->kind != KIND_MULTICAST) {
        expected[COUNT_WRITE]++;
    } else {
        for (uint64_t tile = 0; tile < program_tiles(w->program); tile++) {
            expected[COUNT_WRITE] += multicast_reaches(w->program, t, tile);
        }
    }
}

static void request(struct writer *w, const struct transaction *t)
{
    const struct agent *agent = &w->program->agent[w->agent];
    uint32_t word[REGISTERS] = {0};
    uint64_t there = t->address, here = t->local;
    uint32_t there_high = t->kind == KIND_MULTICAST
                              ? multicast_high(w->program, t)
                              : high_word(memory_coordinates(w->program, t->there, t->port));
    uint32_t here_high = high_word(memory_coordinates(w->program, agent->tile, 0));
    bool leaves_data = t->kind == KIND_WRITE || t->kind == KIND_MULTICAST;
    unsigned target = leaves_data ? RET_LO : TARG_LO, answer = leaves_data ? TARG_LO : RET_LO;
    word[target] = (uint32_t)there;
    word[target + 1] = (uint32_t)(there >> 32);
    word[target + 2] = there_high;
    word[answer] = (uint32_t)here;
    word[answer + 1] = (uint32_t)(here >> 32);
    word[answer + 2] = here_high;
    word[TAG] = (uint32_t)t->id << TAG_ID_SHIFT;
    word[CTRL] = control_word(t);
    word[LENGTH] = t->kind == KIND_ATOMIC ? INCREMENT : (uint32_t)t->length;
    word[DATA] = (uint32_t)t->data;
    start(w, t, word);
    expect(w, t);
}

/* A word of L1 to the memory's flush line, on the channel of a posted transaction. */
static void flush(struct writer *w, const struct transaction *posted)
{
    struct transaction t = *posted;
    uint64_t base = w->program->memory[t.there].base;
    bool is_tile = t.kind == KIND_MULTICAST || has_agents(w->program, t.there);
    t.kind = t.kind == KIND_MULTICAST ? KIND_MULTICAST : KIND_WRITE;
    t.posted = t.linked = t.data = 0;
    t.length = WORD;
    t.local = CONTROL_ZERO;
    t.address = (is_tile ? CONTROL_FLUSH : base + REGION_BYTES) + 16 * (uint64_t)w->agent;
    request(w, &t);
}

static bool goes_the_same_way(const struct transaction *a, const struct transaction *b)
{
    bool multicast = a->kind == KIND_MULTICAST;
    return multicast == (b->kind == KIND_MULTICAST) && a->noc == b->noc && a->there == b->there &&
           a->port == b->port && a->channel == b->channel &&
           (!multicast || (a->left == b->left && a->right == b->right && a->top == b->top &&
                           a->bottom == b->bottom && a->own == b->own));
}

/* --- Phases --- */

static void wait_for_responses(struct writer *w)
{
    for (uint32_t noc = 0; noc < NOCS; noc++) {
        for (uint32_t count = 0; count < 3; count++) {
            if (w->expected[noc][count]) {
                add(w, ENTRY_WAIT, niu_address(noc, COUNTERS + 4 * count), w->expected[noc][count],
                    CONTROL_BEFORE + 16 * noc + 4 * count);
            }
        }
    }
}

static struct transaction barrier_transaction(const struct writer *w, enum transaction_kind kind)
{
    uint64_t nocs = w->program->agent[w->agent].nocs;
    return (struct transaction){.kind = kind,
                                .agent = w->agent,
                                .noc = nocs == 2,
                                .buffer =
                                    (idle_buffer(w->program->agent[w->agent].tile) + 1) % BUFFERS,
                                .sparse = 1,
                                .length = WORD};
}

static void let_go(struct writer *w, uint32_t phase)
{
    const struct program *program = w->program;
    struct transaction t =
        barrier_transaction(w, program->multicast_go ? KIND_MULTICAST : KIND_WRITE);
    t.local = CONTROL_PHASE + 16 * phase;
    t.address = CONTROL_GO;
    t.right = program->width - 1;
    t.bottom = program->height - 1;
    t.own = 1;
    if (program->multicast_go) {
        request(w, &t);
    }
    t.kind = KIND_WRITE;
    uint64_t done = program->multicast_go ? program_tiles(program) : 0;
    for (t.there = done; t.there < program->memories; t.there++) {
        if (has_agents(program, t.there)) {
            request(w, &t);
        }
    }
}

/* Agents that arrive at the barriers up to the end of a phase. */
static uint32_t arrivals(const struct program *program, uint32_t phase)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->agents; i++) {
        uint64_t first = program->agent[i].first;
        count += first <= phase ? (uint32_t)(phase + 1 - first) : 0;
    }
    return count;
}

static void barrier(struct writer *w, uint32_t phase)
{
    struct transaction t = barrier_transaction(w, KIND_ATOMIC);
    t.there = w->program->agent[0].tile;
    t.address = CONTROL_ARRIVED;
    t.local = CONTROL_OLD + 4 * agent_slot(w->program, w->agent);
    t.data = 1;
    request(w, &t);
    wait_for_responses(w);
    if (w->agent == 0) {
        add(w, ENTRY_WAIT, CONTROL_ARRIVED, arrivals(w->program, phase), CONTROL_ZERO);
        let_go(w, phase + 1);
        wait_for_responses(w);
    }
    add(w, ENTRY_WAIT, CONTROL_GO, phase + 1, CONTROL_ZERO);
}

/* What the mutant makes of a transaction; false: nothing is left. */
static bool mutate(const struct mutant *mutant, struct transaction *t)
{
    if (!mutant || t->kind != mutant->kind || t->length < mutant->least) {
        return true;
    }
    uint64_t value;
    memcpy(&value, (char *)t + mutant->field, sizeof value);
    value = (value + mutant->add) ^ mutant->flip;
    memcpy((char *)t + mutant->field, &value, sizeof value);
    return !mutant->drops;
}

/* The first half: the bytes, then the flag behind them on the same channel. */
static void send_with_flag(struct writer *w, const struct transaction *forward)
{
    struct transaction t = *forward;
    t.kind = KIND_WRITE;
    t.data = 0;
    request(w, &t);
    add(w, ENTRY_STORE, (uint32_t)t.flag_local, (uint32_t)t.mark, 0);
    t.local = t.flag_local;
    t.address = t.flag;
    t.length = WORD;
    request(w, &t);
}

/* The second half. */
static void pass_on(struct writer *w, const struct transaction *forward)
{
    struct transaction t = {.kind = KIND_WRITE,
                            .agent = w->agent,
                            .noc = forward->next_noc,
                            .buffer = forward->next_buffer,
                            .sparse = forward->sparse,
                            .there = forward->next,
                            .port = forward->next_port,
                            .address = forward->next_address,
                            .local = forward->address,
                            .length = forward->length};
    add(w, ENTRY_WAIT, (uint32_t)forward->flag, (uint32_t)forward->mark, CONTROL_ZERO);
    request(w, &t);
}

static void transact(struct writer *w, const struct transaction *original,
                     const struct mutant *mutant)
{
    struct transaction t = *original;
    if (t.kind == KIND_ATOMIC && !t.local) {
        t.local = CONTROL_OLD + 4 * agent_slot(w->program, w->agent);
    }
    if (t.kind == KIND_LAUNCH) {
        t.data = reset_value(w->program, t.there, true);
    }
    if (t.staged) {
        add(w, ENTRY_STORE, (uint32_t)t.local, (uint32_t)t.data, 0);
        t.data = 0;
    }
    if (!mutate(mutant, &t)) {
        expect(w, &t);
        return;
    }
    if (t.kind == KIND_FORWARD) {
        send_with_flag(w, &t);
        return;
    }
    request(w, &t);
    if (t.linked) { /* ends the chain */
        flush(w, &t);
    }
}

static void write_phase(struct writer *w, uint32_t phase, const struct mutant *mutant)
{
    const struct program *program = w->program;
    for (uint32_t i = 0; i < program->transactions; i++) {
        const struct transaction *t = &program->transaction[i];
        if (t->agent == w->agent && t->phase == phase) {
            transact(w, t, mutant);
        } else if (t->kind == KIND_FORWARD && t->data == w->agent && t->phase == phase) {
            pass_on(w, t);
        }
    }
    for (uint32_t i = 0; i < program->transactions; i++) {
        const struct transaction *t = &program->transaction[i];
        bool is_last = t->agent == w->agent && t->phase == phase && t->posted;
        for (uint32_t k = i + 1; is_last && k < program->transactions; k++) {
            const struct transaction *later = &program->transaction[k];
            is_last = !(later->agent == w->agent && later->phase == phase && later->posted &&
                        goes_the_same_way(t, later));
        }
        if (is_last) {
            flush(w, t);
        }
    }
}

/* What counters show before anything of this agent. */
static void note_counters(struct writer *w)
{
    for (uint32_t noc = 0; noc < NOCS; noc++) {
        for (uint32_t count = 0; w->program->agent[w->agent].nocs >> noc & 1 && count < 3;
             count++) {
            add(w, ENTRY_COPY, niu_address(noc, COUNTERS + 4 * count), 0,
                CONTROL_BEFORE + 16 * noc + 4 * count);
        }
    }
}

void table_write(struct writer *w, const struct program *program, uint32_t agent,
                 const struct mutant *mutant)
{
    const struct agent *who = &program->agent[agent];
    *w = (struct writer){.program = program, .agent = agent};
    w->table.entry = malloc(TABLE_BYTES);
    w->table.ok = w->table.entry != NULL;
    note_counters(w);
    if (who->first) {
        add(w, ENTRY_WAIT, CONTROL_GO, (uint32_t)who->first, CONTROL_ZERO);
    }
    for (uint32_t phase = (uint32_t)who->first; phase < program->phases; phase++) {
        write_phase(w, phase, mutant);
        wait_for_responses(w);
        if (phase + 1 < program->phases) {
            barrier(w, phase);
        }
    }
    add(w, ENTRY_END, CONTROL_DONE + 16 * agent_slot(program, agent), 1, 0);
}
