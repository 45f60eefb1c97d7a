#include "guest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "epilogue.h"
#include "fence.h"
#include "rv32/rv32.h"

#define MOP_CONFIG   UINT32_C(0xffb80000)
#define GPR_WINDOW   UINT32_C(0xffe00000)
#define PUSH         UINT32_C(0xffe40000) /* of the own thread; BRISC: 0x10000 for each */
#define PC_BUF       UINT32_C(0xffe80000)
#define CONFIG       UINT32_C(0xffef0000)
#define DEBUG_SELECT UINT32_C(0xffb12054)
#define DEBUG_DATA   UINT32_C(0xffb1205c)

enum {
    WAIT_TENSIX = 4, /* offsets in PC_BUF: loads wait for the thread, for its MOP expander */
    WAIT_MOP = 8,
    SEMAPHORE = 0x20,
    CODE_BYTES = 0x40000, /* of a TRISC; BRISC has half of it */
    LEAST_CLOCKS = 60000,
    CLOCKS_A_STEP = 400, /* a step may expand to hundreds of instructions */
    STORES_AT_ONCE = 48, /* stored pushes without waiting: the reference's queue has no brakes */
    HOLD_ALL = 0x47800,
    RUN_B = 0x800,
    RUN_T0 = 0x1000,
};

struct linker {
    struct image *image;
    const struct program *program;
    const struct state_map *map;
    const struct mutant *mutant;
    struct fence fence[THREADS];
    uint32_t log_at[THREADS]; /* where the thread's next sample goes */
    unsigned stores[THREADS]; /* since the thread last waited */
    bool uses_brisc;
};

uint32_t guest_bus_select(unsigned daisy, unsigned signal, unsigned word)
{
    return UINT32_C(1) << 29 | word << 25 | daisy << 16 | signal;
}

uint32_t guest_code_address(unsigned agent)
{
    return agent == GUEST_B ? 0 : CODE_BYTES / 2 + agent * CODE_BYTES;
}

/* --- Emitting --- */

static void emit(struct linker *l, unsigned agent, uint32_t word)
{
    struct code *code = &l->image->code[agent];
    if (code->words == code->room) {
        uint32_t room = code->room ? 2 * code->room : 1024;
        uint32_t *larger = realloc(code->word, room * sizeof *larger);
        if (!larger || room > CODE_BYTES / 4) {
            l->image->ok = false;
            code->word = larger ? larger : code->word;
            return;
        }
        code->word = larger;
        code->room = room;
    }
    code->word[code->words++] = word;
}

__attribute__((format(printf, 3, 4))) static void assemble(struct linker *l, unsigned agent,
                                                           const char *format, ...)
{
    char text[64];
    uint32_t word = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t pc = guest_code_address(agent) + 4 * l->image->code[agent].words;
    if (rv32_assemble(text, pc, &word, NULL) != PENROSE_OK) {
        fprintf(stderr, "difftest-tensix: the assembler does not know \"%s\"\n", text);
        l->image->ok = false;
    }
    emit(l, agent, word);
}

static void load_constant(struct linker *l, unsigned agent, const char *reg, uint32_t value)
{
    uint32_t high = (value + 0x800) >> 12;
    int32_t low = (int32_t)(value << 20) >> 20;
    assemble(l, agent, "lui %s, 0x%" PRIx32, reg, high);
    if (low) {
        assemble(l, agent, "addi %s, %s, %" PRId32, reg, reg, low);
    }
}

/* rd = the word at an address; clobbers t0. */
static void load_word(struct linker *l, unsigned agent, const char *rd, uint32_t address)
{
    uint32_t high = (address + 0x800) >> 12;
    assemble(l, agent, "lui t0, 0x%" PRIx32, high);
    assemble(l, agent, "lw %s, %" PRId32 "(t0)", rd, (int32_t)(address << 20) >> 20);
}

static void store_word(struct linker *l, unsigned agent, const char *rs, uint32_t address)
{
    uint32_t high = (address + 0x800) >> 12;
    assemble(l, agent, "lui t0, 0x%" PRIx32, high);
    assemble(l, agent, "sw %s, %" PRId32 "(t0)", rs, (int32_t)(address << 20) >> 20);
}

static void store_constant(struct linker *l, unsigned agent, uint32_t value, uint32_t address)
{
    load_constant(l, agent, "t1", value);
    store_word(l, agent, "t1", address);
}

/* Goes on when a load from the address has returned: what was stored before has arrived. */
static void settle(struct linker *l, unsigned agent, uint32_t address)
{
    load_word(l, agent, "t1", address);
    assemble(l, agent, "and t1, t1, zero");
}

static void raise_flag(struct linker *l, unsigned agent)
{
    store_constant(l, agent, GUEST_FLAG_UP, GUEST_FLAGS + 4 * agent);
}

static void await_flag(struct linker *l, unsigned agent, unsigned of)
{
    load_constant(l, agent, "t0", GUEST_FLAGS + 4 * of);
    uint32_t loop = guest_code_address(agent) + 4 * l->image->code[agent].words;
    assemble(l, agent, "lw t1, 0(t0)");
    assemble(l, agent, "beq t1, zero, 0x%" PRIx32, loop);
}

static void halt(struct linker *l, unsigned agent)
{
    uint32_t pc = guest_code_address(agent) + 4 * l->image->code[agent].words;
    assemble(l, agent, "jal zero, 0x%" PRIx32, pc);
}

/* --- Steps --- */

static uint32_t falsify(const struct linker *l, uint32_t word)
{
    const struct mutant *mutant = l->mutant;
    if (!mutant || (word & mutant->mask) != mutant->match) {
        return word;
    }
    return mutant->drop ? FENCE_NOP : word ^ mutant->flip;
}

static void wait_for_thread(struct linker *l, unsigned thread)
{
    settle(l, thread, PC_BUF + WAIT_TENSIX);
    l->stores[thread] = 0;
}

static uint32_t ttinsn(uint32_t word)
{
    return word << 2 | word >> 30;
}

/* Without fences. */
static void push(struct linker *l, unsigned thread, uint32_t word, bool stores)
{
    word = falsify(l, word);
    if (l->program->by_brisc[thread]) {
        store_constant(l, GUEST_B, word, PUSH + 0x10000 * thread);
    } else if (stores) {
        if (++l->stores[thread] > STORES_AT_ONCE) {
            wait_for_thread(l, thread);
        }
        store_constant(l, thread, word, PUSH);
    } else {
        emit(l, thread, ttinsn(word));
    }
}

static void fence_and_push(struct linker *l, const struct step *step)
{
    uint32_t fences[MOST_FENCES];
    unsigned count = fence_before(&l->fence[step->thread], step->word, fences);
    for (unsigned i = 0; i < count && !l->program->unfenced; i++) {
        push(l, step->thread, fences[i], false);
    }
    push(l, step->thread, step->word, step->kind == STEP_STORE);
}

/* Loads a probe word into t1 with the hart of `agent`. */
static void read_probe(struct linker *l, unsigned agent, const struct probe *probe)
{
    if (probe->kind == PROBE_BUS) {
        store_constant(l, agent, probe->address, DEBUG_SELECT); /* cannot be read back */
        load_word(l, agent, "t1", DEBUG_DATA);
    } else {
        load_word(l, agent, "t1", probe->address);
    }
}

static void sample(struct linker *l, const struct step *step)
{
    wait_for_thread(l, step->thread);
    const struct probe *probe = &l->map->probe[step->number];
    read_probe(l, step->thread, probe);
    if (probe->known != UINT32_MAX) { /* the bus shows more than is compared */
        load_constant(l, step->thread, "t2", probe->known);
        assemble(l, step->thread, "and t1, t1, t2");
    }
    store_word(l, step->thread, "t1", l->log_at[step->thread]);
    l->log_at[step->thread] += 4;
}

static void hart_step(struct linker *l, const struct step *step)
{
    unsigned thread = step->thread;
    uint32_t address = 0;
    switch (step->kind) {
    case STEP_MOP:
        settle(l, thread, PC_BUF + WAIT_MOP);
        store_constant(l, thread, falsify(l, step->word), MOP_CONFIG + 4u * step->number);
        return;
    case STEP_GPR:
        address = GPR_WINDOW + 4u * step->number;
        break;
    case STEP_CONFIG:
        address = CONFIG + 4u * step->number;
        break;
    case STEP_SEMAPHORE:
        address = PC_BUF + SEMAPHORE + 4u * step->number;
        break;
    case STEP_SYNC:
        wait_for_thread(l, thread);
        return;
    case STEP_SAMPLE:
        sample(l, step);
        return;
    case STEP_PUSH:
    case STEP_STORE:
    case STEP_FILL:
    case STEP_KINDS:
        return;
    }
    wait_for_thread(l, thread);
    store_constant(l, thread, step->word, address);
    bool unreadable = step->kind == STEP_CONFIG && (config_words[step->number].access == WORD_WO ||
                                                    config_words[step->number].access == WORD_SEED);
    settle(l, thread, unreadable ? CONFIG : address);
}

static void link_steps(struct linker *l, const struct program *program)
{
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct step *step = &program->step[i];
        if (step_is_push(step)) {
            fence_and_push(l, step);
        } else if (!program->by_brisc[step->thread]) {
            hart_step(l, step);
        }
    }
}

/* --- The end --- */

static void store_gprs(struct linker *l, unsigned thread)
{
    load_constant(l, thread, "a0", GPR_WINDOW);
    load_constant(l, thread, "a1", GUEST_DUMP + 4 * GPRS * thread);
    for (unsigned i = 0; i < GPRS; i++) {
        assemble(l, thread, "lw t1, %u(a0)", 4 * i);
        assemble(l, thread, "sw t1, %u(a1)", 4 * i);
    }
}

/* T0 switches to the other state and reads its words into GPR 0, one by one. Last, since it uses
 * units that are tested. */
static void read_other_state(struct linker *l)
{
    emit(l, 0, ttinsn(UINT32_C(0xb2000001))); /* SETC16 CFG_STATE_ID_StateID, 1 */
    for (unsigned i = 0; i < l->map->probes; i++) {
        if (l->map->probe[i].kind == PROBE_RDCFG) {
            emit(l, 0, ttinsn(UINT32_C(0xb1000000) | l->map->probe[i].number)); /* RDCFG 0, word */
            wait_for_thread(l, 0);
            load_word(l, 0, "t1", GPR_WINDOW);
            store_word(l, 0, "t1", GUEST_DUMP + 4 * i);
        }
    }
}

static void store_the_rest(struct linker *l)
{
    for (unsigned i = THREADS * GPRS; i < l->map->probes; i++) {
        if (l->map->probe[i].kind != PROBE_RDCFG) {
            read_probe(l, 0, &l->map->probe[i]);
            store_word(l, 0, "t1", GUEST_DUMP + 4 * i);
        }
    }
    read_other_state(l);
}

/* T0 brings the data path's registers to L1, where the host reads them. */
static void show_scene(struct linker *l)
{
    const struct mutant *mutant = l->mutant;
    struct program epilogue;
    epilogue_build(&epilogue, l->program);
    l->image->ok = l->image->ok && epilogue.ok;
    l->mutant = NULL;
    link_steps(l, &epilogue);
    wait_for_thread(l, 0);
    l->mutant = mutant;
    program_free(&epilogue);
}

static void link_end(struct linker *l)
{
    for (unsigned thread = THREADS; thread-- > 0;) {
        if (l->uses_brisc) {
            await_flag(l, thread, GUEST_B);
        }
        wait_for_thread(l, thread);
        store_gprs(l, thread);
        if (thread == 0) {
            await_flag(l, 0, 1);
            await_flag(l, 0, 2);
            store_the_rest(l);
            if (l->program->scene) {
                show_scene(l);
            }
        }
        raise_flag(l, thread);
        halt(l, thread);
    }
    if (l->uses_brisc) {
        raise_flag(l, GUEST_B);
        halt(l, GUEST_B);
    }
}

void image_link(struct image *image, const struct program *program, const struct state_map *map,
                const struct mutant *mutant)
{
    struct linker l = {.image = image, .program = program, .map = map, .mutant = mutant};
    *image = (struct image){.program = program, .ok = true};
    for (uint32_t i = 0; i < program->steps; i++) {
        image->logs[program->step[i].thread] += program->step[i].kind == STEP_SAMPLE;
    }
    uint32_t log = GUEST_DUMP + 4 * map->probes;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        l.log_at[thread] = log;
        log += 4 * image->logs[thread];
        l.uses_brisc = l.uses_brisc || program->by_brisc[thread];
    }
    image->dump_words = (log - GUEST_DUMP) / 4;
    image->clocks = LEAST_CLOCKS + CLOCKS_A_STEP * program->steps;
    image->release = HOLD_ALL & ~(uint32_t)(7 * RUN_T0) & ~(uint32_t)(l.uses_brisc ? RUN_B : 0);
    image->ok = image->dump_words <= MOST_PROBES + MOST_LOG;
    link_steps(&l, program);
    link_end(&l);
}

void image_free(struct image *image)
{
    for (unsigned i = 0; i < GUEST_AGENTS; i++) {
        free(image->code[i].word);
    }
    *image = (struct image){.ok = false};
}
