/*
 * The generator. A program is a tree of loops over blocks. A block loads operands, executes about
 * a dozen random instructions, each into a register that the block has not written yet, then
 * writes all these registers and every memory word it touched to the log: no result is lost, so a
 * wrong one is seen however little the rest of the program makes of it.
 *
 * Roles of registers, drawn for each program: `base` points into the window, `local` into local
 * RAM, `log` at the next free word of the log, `path` notes what branches skipped, `counter` holds
 * the iterations left of a loop nest level. All others, and x0, are operands.
 */
#include "generate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOP_DEPTH = 2,
    MOST_ITERATIONS = 24,
    MOST_WEIGHT = 160, /* executions of one block */
    MOST_SEEN = 64,    /* words of memory that a block can touch */
    BRANCH_WORDS = 1000,
    BLOCK_ITEMS = 400, /* more than a block can have */
    DATA_BYTES = WINDOW_BYTES - POOL_BYTES - SAVED_BYTES,
    WALK_BYTES = 4 * (MOST_ITERATIONS + 1), /* how far a counter, taken as an index, reaches */
};

enum memory { MEMORY_POOL, MEMORY_DATA, MEMORY_LOCAL };

struct generator {
    struct program *program;
    const struct tested_rows *rows;
    struct random *random;
    const struct generate_options *options;
    bool ok;
    struct item nowhere; /* what a generator that failed writes to */

    unsigned base, local, log, path, counter[LOOP_DEPTH];
    unsigned operand[32];
    unsigned operands;

    unsigned depth;
    uint32_t weight; /* how often the code here is executed */
    uint32_t logged; /* words of the log used at most */
    uint64_t most;   /* instructions executed at most */

    /* The block. */
    uint32_t written; /* registers whose values must reach the log */
    struct {
        unsigned pointer;
        int32_t offset;
    } seen[MOST_SEEN];
    unsigned seen_count;

    unsigned addi, lw, sw, lui, auipc, sh2add, jal, jalr, beq, bne, bltu, blt;
};

/* --- Rows --- */

static bool is_tested(unsigned row)
{
    static const char *const zbkb[] = {"pack", "brev8"}; /* grevi is known to no qemu */
    static const char *const pauses[] = {"ecall", "ebreak"};
    const char *mnemonic = rv32_rows[row].mnemonic;
    if (rv32_row_is_stub(row)) {
        return false;
    }
    switch (rv32_row_extension(row)) {
    case RV32_EXT_I:
        return strcmp(mnemonic, pauses[0]) != 0 && strcmp(mnemonic, pauses[1]) != 0;
    case RV32_EXT_M:
    case RV32_EXT_ZAAMO:
    case RV32_EXT_ZBA:
    case RV32_EXT_ZBB:
        return true;
    case RV32_EXT_BITMANIP:
        return !strcmp(mnemonic, zbkb[0]) || !strcmp(mnemonic, zbkb[1]);
    default:
        return false;
    }
}

bool tested_rows_find(struct tested_rows *rows)
{
    rows->count = 0;
    rows->row = malloc(RV32_ROWS * sizeof *rows->row);
    for (unsigned i = 0; rows->row && i < RV32_ROWS; i++) {
        if (is_tested(i)) {
            rows->row[rows->count++] = (uint16_t)i;
        }
    }
    return rows->row;
}

void tested_rows_free(struct tested_rows *rows)
{
    free(rows->row);
}

/* --- Values --- */

/* Operands at which instructions change their ways. */
static uint32_t random_word(struct random *random)
{
    static const uint32_t corner[] = {0, 1, UINT32_MAX, UINT32_C(0x80000000), INT32_MAX};
    uint32_t power = UINT32_C(1) << random_below(random, 32);
    uint32_t bits = (uint32_t)random_next(random);
    switch (random_below(random, 10)) {
    case 0:
    case 1:
    case 2:
        return corner[random_below(random, sizeof corner / sizeof corner[0])];
    case 3:
        return power;
    case 4:
        return power - 1 + 2 * random_below(random, 2); /* its neighbours */
    case 5:
        return -power - random_below(random, 2);
    case 6:
        return random_below(random, 72); /* shift amounts, also too large ones */
    case 7:
        return bits >> random_below(random, 32);
    default:
        return bits;
    }
}

static int32_t random_immediate(struct random *random, int32_t least, int32_t most)
{
    static const int32_t corner[] = {0, 1, -1, 31, 32, 255, -256};
    switch (random_below(random, 6)) {
    case 0:
        return least;
    case 1:
        return most;
    case 2: {
        int32_t value = corner[random_below(random, sizeof corner / sizeof corner[0])];
        return value < least || value > most ? least : value;
    }
    default:
        return least + (int32_t)random_below(random, (uint32_t)(most - least) + 1);
    }
}

/* --- Items --- */

static struct item *append(struct generator *g, unsigned row, unsigned rd, unsigned rs1,
                           unsigned rs2, int32_t imm)
{
    struct program *program = g->program;
    struct operands operands = {
        .rd = rd, .rs1 = rs1, .rs2 = rs2, .imm = imm, .rest = (uint32_t)random_next(g->random)};
    struct item item = {.row = (uint16_t)row};
    if (program->items == MAX_ITEMS || !row_encode(row, &operands, &item.word)) {
        g->ok = false;
        return &g->nowhere;
    }
    g->most += g->weight;
    program->item[program->items] = item;
    return &program->item[program->items++];
}

static void append_glue(struct generator *g, unsigned row, unsigned rd, unsigned rs1, unsigned rs2,
                        int32_t imm)
{
    append(g, row, rd, rs1, rs2, imm)->glue = true;
}

static uint32_t here(const struct generator *g)
{
    return g->program->items;
}

/* --- Registers --- */

static bool is_written(const struct generator *g, unsigned r)
{
    return g->written >> r & 1;
}

/* A register to write: one that the block has not written, or x0. */
static unsigned pick_target(struct generator *g)
{
    unsigned left = 0;
    for (unsigned i = 0; i < g->operands; i++) {
        left += !is_written(g, g->operand[i]);
    }
    if (!left || random_once_in(g->random, 24)) {
        return 0;
    }
    unsigned which = random_below(g->random, left);
    for (unsigned i = 0; i < g->operands; i++) {
        if (!is_written(g, g->operand[i]) && !which--) {
            g->written |= UINT32_C(1) << g->operand[i];
            return g->operand[i];
        }
    }
    return 0;
}

/* The same without x0; 0 when none is left. */
static unsigned pick_pointer(struct generator *g)
{
    unsigned r = 0;
    for (unsigned tries = 0; !r && tries < 64; tries++) {
        r = pick_target(g);
    }
    return r;
}

static unsigned pick_source(struct generator *g)
{
    if (random_once_in(g->random, 4)) {
        return random_below(g->random, 32);
    }
    return g->operand[random_below(g->random, g->operands)];
}

/* --- Memory operands --- */

struct place {
    unsigned pointer; /* register */
    int32_t offset;
};

static struct place pick_place(struct generator *g, enum memory memory, unsigned size)
{
    static const struct {
        int32_t first;
        uint32_t bytes;
    } range[] = {
        [MEMORY_POOL] = {-CENTRE, POOL_BYTES},
        [MEMORY_DATA] = {POOL_BYTES - CENTRE, DATA_BYTES},
        [MEMORY_LOCAL] = {-CENTRE, LOCAL_BYTES},
    };
    uint32_t places = range[memory].bytes / size;
    uint32_t which = random_below(g->random, 8) ? random_below(g->random, places)
                                                : random_below(g->random, 2) * (places - 1);
    return (struct place){.pointer = memory == MEMORY_LOCAL ? g->local : g->base,
                          .offset = range[memory].first + (int32_t)(which * size)};
}

/* Notes that the block must log the word at a place. */
static void note_place(struct generator *g, struct place place)
{
    assert(g->seen_count < MOST_SEEN);
    g->seen[g->seen_count].pointer = place.pointer;
    g->seen[g->seen_count++].offset = place.offset & ~3;
}

/* The same place seen from another register and offset, in half of the cases. */
static struct place move_place(struct generator *g, struct place place)
{
    unsigned pointer = random_below(g->random, 2) ? pick_pointer(g) : 0;
    if (!pointer) {
        return place;
    }
    int32_t imm = random_immediate(g->random, -CENTRE, CENTRE - 1);
    int32_t distance = place.offset - imm;
    if (distance < -CENTRE || distance >= CENTRE) {
        imm = place.offset / 2;
        distance = place.offset - imm;
    }
    append(g, g->addi, pointer, place.pointer, 0, distance);
    return (struct place){.pointer = pointer, .offset = imm};
}

/* Loads from where a loop counter points: another operand in each iteration. */
static void append_walk(struct generator *g, unsigned row, unsigned rd)
{
    unsigned pointer = pick_pointer(g);
    uint32_t places = (POOL_BYTES - WALK_BYTES) / 4;
    if (!pointer) {
        return;
    }
    append(g, g->sh2add, pointer, g->counter[random_below(g->random, LOOP_DEPTH)], g->base, 0);
    append(g, row, rd, pointer, 0, (int32_t)random_below(g->random, places) * 4 - CENTRE);
}

/* --- Instructions --- */

static unsigned access_size(unsigned row)
{
    return 1u << (rv32_rows[row].match >> 12 & 3);
}

static enum rv32_class row_class(unsigned row)
{
    return rv32_row_effects(row, rv32_rows[row].match).class;
}

static void append_plain(struct generator *g, unsigned row)
{
    const struct isa_field *imm = row_field(row, "imm");
    int32_t value = (int32_t)random_below(g->random, 32); /* shamt */
    if (imm && imm->kind == ISA_SIGNED) {
        value = random_immediate(g->random, -2048, 2047);
    } else if (imm) {
        value = random_immediate(g->random, 0, 0xfffff);
    }
    unsigned rs1 = pick_source(g);
    unsigned rs2 = random_once_in(g->random, 10) ? rs1 : pick_source(g);
    append(g, row, pick_target(g), rs1, rs2, value);
}

static void append_load(struct generator *g, unsigned row)
{
    enum memory memory = (enum memory)random_below(g->random, MEMORY_LOCAL + 1);
    if (random_once_in(g->random, 4)) {
        append_walk(g, row, pick_target(g));
        return;
    }
    struct place place = move_place(g, pick_place(g, memory, access_size(row)));
    append(g, row, pick_target(g), place.pointer, 0, place.offset);
}

static void append_store(struct generator *g, unsigned row)
{
    enum memory memory = random_below(g->random, 2) ? MEMORY_DATA : MEMORY_LOCAL;
    struct place place = pick_place(g, memory, access_size(row));
    note_place(g, place);
    place = move_place(g, place);
    append(g, row, 0, place.pointer, pick_source(g), place.offset);
}

static void append_atomic(struct generator *g, unsigned row)
{
    struct place place = pick_place(g, MEMORY_DATA, access_size(row));
    unsigned pointer = pick_pointer(g);
    if (!pointer) {
        return;
    }
    append(g, g->addi, pointer, place.pointer, 0, place.offset);
    note_place(g, place);
    unsigned rd = random_once_in(g->random, 8) ? pointer : pick_target(g);
    append(g, row, rd, pointer, random_once_in(g->random, 16) ? pointer : pick_source(g), 0);
}

static unsigned random_row(struct generator *g)
{
    if (g->options->favourite >= 0 && random_once_in(g->random, 8)) {
        return (unsigned)g->options->favourite;
    }
    return g->rows->row[random_below(g->random, g->rows->count)];
}

/* A random instruction that goes straight on. */
static void append_straight(struct generator *g)
{
    unsigned row = random_row(g);
    switch (row_class(row)) {
    case RV32_CLASS_LOAD:
        append_load(g, row);
        return;
    case RV32_CLASS_STORE:
        append_store(g, row);
        return;
    case RV32_CLASS_OTHER:
        append_atomic(g, row);
        return;
    case RV32_CLASS_BRANCH:
    case RV32_CLASS_JUMP:
        row = g->addi;
        break;
    case RV32_CLASS_PLAIN:
    case RV32_CLASS_FENCE:
        break;
    }
    append_plain(g, row);
}

/* What a branch may skip; it leaves a mark in `path` when it is not skipped. */
static void append_shadow(struct generator *g)
{
    append_glue(g, g->addi, g->path, g->path, 0, random_immediate(g->random, -2048, 2047));
    for (unsigned n = random_below(g->random, 3); n; n--) {
        append_straight(g);
    }
}

static void append_branch(struct generator *g, unsigned row)
{
    unsigned rs1 = pick_source(g);
    unsigned rs2 = random_once_in(g->random, 6) ? rs1 : pick_source(g);
    struct item *branch = append(g, row, 0, rs1, rs2, 0);
    branch->link = LINK_TARGET;
    append_shadow(g);
    branch->target = here(g);
}

/* jal over a function, then a call of it; it returns through jalr. */
static void append_call(struct generator *g)
{
    unsigned link = pick_pointer(g);
    if (!link) {
        return;
    }
    struct item *over = append(g, g->jal, pick_target(g), 0, 0, 0);
    over->link = LINK_TARGET;
    uint32_t function = here(g);
    append_shadow(g);
    append(g, g->jalr, 0, link, 0, (int32_t)random_below(g->random, 2)); /* clears bit 0 */
    over->target = here(g);
    struct item *call = append(g, g->jal, link, 0, 0, 0);
    call->link = LINK_TARGET;
    call->target = function;
}

static void append_jal(struct generator *g)
{
    struct item *jump = append(g, g->jal, pick_target(g), 0, 0, 0);
    jump->link = LINK_TARGET;
    append_shadow(g);
    jump->target = here(g);
}

/* Builds an address in two parts and jumps there. */
static void append_jalr(struct generator *g)
{
    unsigned pointer = pick_pointer(g);
    if (!pointer) {
        return;
    }
    bool relative = random_below(g->random, 2);
    struct item *high = append(g, relative ? g->auipc : g->lui, pointer, 0, 0, 0);
    unsigned rd = random_below(g->random, 2) ? pointer : pick_target(g);
    struct item *low = append(g, g->jalr, rd, pointer, 0, 0);
    high->link = relative ? LINK_RELATIVE_HIGH : LINK_ABSOLUTE_HIGH;
    low->link = relative ? LINK_RELATIVE_LOW : LINK_ABSOLUTE_LOW;
    low->odd = random_once_in(g->random, 4);
    append_shadow(g);
    high->target = low->target = here(g);
}

static void append_random(struct generator *g)
{
    unsigned row = random_row(g);
    switch (row_class(row)) {
    case RV32_CLASS_BRANCH:
        append_branch(g, row);
        break;
    case RV32_CLASS_JUMP:
        if (row == g->jalr) {
            append_jalr(g);
        } else if (random_below(g->random, 2)) {
            append_call(g);
        } else {
            append_jal(g);
        }
        break;
    case RV32_CLASS_LOAD:
        append_load(g, row);
        break;
    case RV32_CLASS_STORE:
        append_store(g, row);
        break;
    case RV32_CLASS_OTHER:
        append_atomic(g, row);
        break;
    case RV32_CLASS_PLAIN:
    case RV32_CLASS_FENCE:
        append_plain(g, row);
        break;
    }
}

/* --- Blocks and loops --- */

static void append_log(struct generator *g)
{
    int32_t used = 0;
    unsigned scratch = 0;
    for (unsigned r = 1; r < 32; r++) {
        if (is_written(g, r)) {
            append_glue(g, g->sw, 0, g->log, r, 4 * used++);
            scratch = r;
        }
    }
    append_glue(g, g->sw, 0, g->log, g->path, 4 * used++);
    for (unsigned i = 0; scratch && i < g->seen_count; i++) {
        append_glue(g, g->lw, scratch, g->seen[i].pointer, 0, g->seen[i].offset);
        append_glue(g, g->sw, 0, g->log, scratch, 4 * used++);
    }
    append_glue(g, g->addi, g->log, g->log, 0, 4 * used);
    g->logged += (uint32_t)used * g->weight;
}

static void append_block(struct generator *g)
{
    g->written = 0;
    g->seen_count = 0;
    for (unsigned n = random_below(g->random, 5) + 2; n; n--) {
        struct place place = pick_place(g, MEMORY_POOL, 4);
        unsigned rd = g->operand[random_below(g->random, g->operands)];
        if (g->depth && random_below(g->random, 2)) {
            append_walk(g, g->lw, rd);
        } else {
            append_glue(g, g->lw, rd, place.pointer, 0, place.offset);
        }
    }
    for (unsigned n = random_below(g->random, 10) + 6; n; n--) {
        append_random(g);
    }
    append_log(g);
}

static bool has_room(const struct generator *g)
{
    return g->ok && here(g) < g->options->items && here(g) + 8 * BLOCK_ITEMS < MAX_ITEMS &&
           g->logged + 2 * MOST_SEEN * g->weight < LOG_BYTES / 4;
}

/* Goes back to `start` while the counter is not 0. */
static void append_loop_end(struct generator *g, unsigned counter, uint32_t start)
{
    const unsigned conditions[] = {g->bne, g->bltu, g->blt};
    append_glue(g, g->addi, counter, counter, 0, -1);
    if (here(g) - start > BRANCH_WORDS || random_once_in(g->random, 4)) {
        struct item *out = append(g, g->beq, 0, counter, 0, 0);
        struct item *back = append(g, g->jal, 0, 0, 0, 0);
        out->link = back->link = LINK_TARGET;
        back->target = start;
        out->target = here(g);
        return;
    }
    struct item *back = append(g, conditions[random_below(g->random, 3)], 0, 0, counter, 0);
    back->link = LINK_TARGET;
    back->target = start;
}

static void append_loop(struct generator *g, uint32_t iterations)
{
    unsigned counter = g->counter[g->depth];
    append_glue(g, g->addi, counter, 0, 0, (int32_t)iterations);
    uint32_t start = here(g);
    g->weight *= iterations;
    g->depth++;
    for (unsigned n = random_below(g->random, 4) + 1; n && has_room(g); n--) {
        uint32_t inner = random_below(g->random, MOST_ITERATIONS) + 1;
        if (g->depth < LOOP_DEPTH && inner * g->weight <= MOST_WEIGHT &&
            random_once_in(g->random, 3)) {
            append_loop(g, inner);
        } else {
            append_block(g);
        }
    }
    append_loop_end(g, counter, start);
    g->depth--;
    g->weight /= iterations;
}

/* --- Programs --- */

static void draw_registers(struct generator *g)
{
    unsigned order[31];
    for (unsigned i = 0; i < 31; i++) { /* a shuffle of x1..x31 */
        unsigned at = random_below(g->random, i + 1);
        order[i] = order[at];
        order[at] = i + 1;
    }
    unsigned *const role[] = {&g->base, &g->local,      &g->log,
                              &g->path, &g->counter[0], &g->counter[1]};
    unsigned roles = sizeof role / sizeof role[0];
    for (unsigned i = 0; i < roles; i++) {
        *role[i] = order[i];
    }
    g->operands = 31 - roles;
    memcpy(g->operand, order + roles, g->operands * sizeof order[0]);
}

static void draw_memory(struct generator *g)
{
    struct program *program = g->program;
    uint32_t *saved = program->window + WINDOW_WORDS - SAVED_BYTES / 4;
    for (unsigned i = 0; i < WINDOW_WORDS; i++) {
        program->window[i] = random_word(g->random);
    }
    for (unsigned i = 0; i < LOCAL_WORDS; i++) {
        program->local[i] = random_word(g->random);
    }
    saved[0] = 0;
    saved[g->base] = WINDOW_ADDRESS + CENTRE;
    saved[g->local] = LOCAL_ADDRESS + CENTRE;
    saved[g->log] = WINDOW_ADDRESS + WINDOW_BYTES;
    saved[g->counter[0]] = saved[g->counter[1]] = 0;
}

static void name_rows(struct generator *g)
{
    g->addi = row_named("addi");
    g->lw = row_named("lw");
    g->sw = row_named("sw");
    g->lui = row_named("lui");
    g->auipc = row_named("auipc");
    g->sh2add = row_named("sh2add");
    g->jal = row_named("jal");
    g->jalr = row_named("jalr");
    g->beq = row_named("beq");
    g->bne = row_named("bne");
    g->bltu = row_named("bltu");
    g->blt = row_named("blt");
}

bool program_generate(struct program *program, const struct tested_rows *rows,
                      struct random *random, const struct generate_options *options)
{
    struct generator g = {.program = program,
                          .rows = rows,
                          .random = random,
                          .options = options,
                          .ok = true,
                          .weight = 1};
    *program = (struct program){.item = malloc(MAX_ITEMS * sizeof *program->item)};
    if (!program->item) {
        return false;
    }
    name_rows(&g);
    draw_registers(&g);
    draw_memory(&g);
    while (has_room(&g)) {
        if (random_once_in(random, 3)) {
            append_block(&g);
        } else {
            append_loop(&g, random_below(random, MOST_ITERATIONS) + 1);
        }
    }
    program->base = g.base;
    program->log_bytes = 4 * g.logged;
    program->most_instructions = g.most + FRAME_WORDS;
    return g.ok;
}
