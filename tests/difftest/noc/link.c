#include "link.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rv32/rv32.h"
#include "table.h"
#include "worker.h"

#define SOFT_RESET      UINT32_C(0xffb121b0)
#define TRISC_PC        UINT32_C(0xffb12228) /* T0, T1, T2, then which of them are used */
#define NCRISC_PC       UINT32_C(0xffb12238) /* and whether it is used */
#define ETHERNET_PC     UINT32_C(0xffb14000) /* E0, and 8 bytes on E1 */
#define STREAMS         UINT64_C(0xffb40000)
#define STREAMS_END     UINT64_C(0xffb80000)
#define STREAM_BYTES    UINT64_C(0x1000)
#define COLUMNS_WITHOUT UINT32_C(0x301) /* multicast: those without Tensix tiles */
#define ROWS_WITHOUT    UINT32_C(0x003)

enum {
    COUNTERS = 0x200,
    OUTSTANDING = 0x240,
    CLEAR_OUTSTANDING = 0x60,
    ROUTER_CFG_1 = 0x108,
    ROUTER_CFG_3 = 0x110,
    IDS = 16,
    LEAST_CLOCKS = 100000,
    CLOCKS_AN_ENTRY = 300,
};

struct linker {
    struct image *image;
    struct request *request; /* the image's */
    const struct program *program;
    const struct mutant *mutant;
    uint32_t entries; /* of all tables */
};

__attribute__((format(printf, 3, 4))) static struct item *
add_item(struct image *image, enum item_kind kind, const char *format, ...)
{
    if (image->items == MOST_ITEMS) {
        image->ok = false;
        image->items--;
    }
    struct item *item = &image->item[image->items++];
    va_list arguments;
    *item = (struct item){.kind = kind, .mask = UINT32_MAX};
    va_start(arguments, format);
    vsnprintf(item->name, sizeof item->name, format, arguments);
    va_end(arguments);
    return item;
}

/* --- Code --- */

enum { MOST_CODE = INTERPRETER / 4 };

/* s0 walks over the table. */
static const char *const interpreter[] = {
    "lw t0, 0(s0)",    "lw t1, 4(s0)",     "lw t2, 8(s0)",    "lw t3, 12(s0)",
    "addi s0, s0, 16", "beq t0, zero, %s", "addi t0, t0, -1", "beq t0, zero, %s",
    "addi t0, t0, -1", "beq t0, zero, %s", "sw t2, 0(t1)",    "jal zero, %s",
    "sw t2, 0(t1)",    "jal zero, %s",     "lw t4, 0(t3)",    "add t2, t2, t4",
    "lw t5, 0(t1)",    "bne t5, t2, %s",   "jal zero, %s",    "lw t4, 0(t1)",
    "sw t4, 0(t3)",    "jal zero, %s",
};
/* Where those with %s go: instructions of the above. */
static const uint8_t interpreter_target[] = {
    [5] = 12, [7] = 14, [9] = 19, [11] = 11, [13] = 0, [17] = 16, [18] = 0, [21] = 0,
};

static uint32_t assemble(struct linker *l, const char *text, uint32_t pc)
{
    uint32_t word = 0;
    if (rv32_assemble(text, pc, &word, NULL) != PENROSE_OK) {
        fprintf(stderr, "difftest-noc: the assembler does not know \"%s\"\n", text);
        l->image->ok = false;
    }
    return word;
}

static void write_interpreter(struct linker *l, uint32_t agent)
{
    enum { LOOP = 2 }; /* words before it */
    const struct agent *who = &l->program->agent[agent];
    uint32_t base = (uint32_t)who->hart * INTERPRETER, code[MOST_CODE], words = LOOP;
    uint32_t table = TABLE + TABLE_BYTES * agent_slot(l->program, agent);
    char text[64];
    snprintf(text, sizeof text, "lui s0, 0x%" PRIx32, table >> 12);
    code[0] = assemble(l, text, base);
    code[1] = assemble(l, "addi s0, s0, 0", base + 4);
    for (size_t i = 0; i < sizeof interpreter / sizeof interpreter[0]; i++, words++) {
        uint32_t target = i < sizeof interpreter_target ? interpreter_target[i] : 0u;
        char where[16];
        snprintf(where, sizeof where, "0x%" PRIx32, base + 4 * (target + LOOP));
        const char *hole = strstr(interpreter[i], "%s");
        snprintf(text, sizeof text, "%.*s%s",
                 hole ? (int)(hole - interpreter[i]) : (int)strlen(interpreter[i]), interpreter[i],
                 hole ? where : "");
        code[words] = assemble(l, text, base + 4 * words);
    }
    request_write(l->request, memory_coordinates(l->program, who->tile, 0), base, code, 4 * words);
}

static void write_agent(struct linker *l, uint32_t agent)
{
    struct writer *w = malloc(sizeof *w);
    const struct agent *who = &l->program->agent[agent];
    struct coordinates at = memory_coordinates(l->program, who->tile, 0);
    if (!w || agent_slot(l->program, agent) > 1) {
        l->image->ok = false;
        free(w);
        return;
    }
    table_write(w, l->program, agent, l->mutant);
    l->image->ok = l->image->ok && w->table.ok;
    l->image->started += w->started;
    l->entries += w->table.entries;
    if (w->table.ok) {
        request_write(l->request, at, TABLE + TABLE_BYTES * (uint64_t)agent_slot(l->program, agent),
                      w->table.entry, TABLE_ENTRY * w->table.entries);
        write_interpreter(l, agent);
    }
    free(w->table.entry);
    free(w);
}

/* --- Before the run --- */

/* Where the harts begin. */
static void write_pcs(struct linker *l, struct coordinates at, bool is_ethernet)
{
    struct request *request = l->request;
    if (is_ethernet) {
        request_write_word(request, at, ETHERNET_PC, HART_E0 * INTERPRETER);
        request_write_word(request, at, ETHERNET_PC + 8, HART_E1 * INTERPRETER);
        return;
    }
    for (unsigned trisc = 0; trisc < 3; trisc++) {
        request_write_word(request, at, TRISC_PC + 4 * trisc, (HART_T0 + trisc) * INTERPRETER);
    }
    request_write_word(request, at, TRISC_PC + 12, 7);
    request_write_word(request, at, NCRISC_PC, HART_NC * INTERPRETER);
    request_write_word(request, at, NCRISC_PC + 4, 1);
}

static void write_tile(struct linker *l, uint64_t tile)
{
    struct request *request = l->request;
    struct coordinates at = memory_coordinates(l->program, tile, 0);
    uint32_t control[CONTROL_BYTES / 4] = {0};
    for (uint32_t phase = 0; phase <= MOST_PHASES; phase++) {
        control[(CONTROL_PHASE - CONTROL) / 4 + 4 * phase] = phase;
    }
    request_write_word(request, at, SOFT_RESET, reset_bits(l->program, tile));
    request_write(request, at, CONTROL, control, sizeof control);
    write_pcs(l, at, l->program->memory[tile].kind == MEMORY_ETHERNET);
    for (uint32_t noc = 0; noc < NOCS; noc++) {
        uint64_t niu = NIU_FIRST + noc * NIU_STRIDE;
        request_write_word(request, at, niu + CLEAR_OUTSTANDING, 0xffff);
    }
}

/* The tiles opt out of multicasts, or no longer. On silicon receivers' masks count, in ttsim those
 * of the sender: all have the same. */
static void opt_out(struct linker *l, uint32_t columns, uint32_t rows)
{
    if (!l->program->columns_off && !l->program->rows_off) {
        return;
    }
    for (uint64_t tile = 0; tile < l->program->memories; tile++) {
        struct coordinates at = memory_coordinates(l->program, tile, 0);
        if (has_agents(l->program, tile)) {
            request_write_word(l->request, at, NIU_FIRST + ROUTER_CFG_1, COLUMNS_WITHOUT | columns);
            request_write_word(l->request, at, NIU_FIRST + ROUTER_CFG_3, ROWS_WITHOUT | rows);
        }
    }
}

/* --- Registers that are compared --- */

struct watched {
    uint64_t memory, address;
};

static bool is_stream(uint64_t address)
{
    return address >= STREAMS && address < STREAMS_END;
}

/* Of a stream the first register, which stands for all of them. */
static void watch(struct watched *list, uint32_t *count, uint64_t memory, uint64_t address)
{
    address = is_stream(address) ? address / STREAM_BYTES * STREAM_BYTES : address;
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].memory == memory && list[i].address == address) {
            return;
        }
    }
    list[(*count)++] = (struct watched){.memory = memory, .address = address};
}

/* Which registers transactions touch. *list is to be freed. */
static uint32_t list_watched(const struct program *program, struct watched **list)
{
    uint32_t count = 0;
    size_t most = (size_t)program->transactions * MOST_TILES + 1;
    *list = malloc(most * sizeof **list);
    for (uint32_t i = 0; *list && i < program->transactions; i++) {
        const struct transaction *t = &program->transaction[i];
        if (!is_register(program, t->there, t->address) || t->kind == KIND_LAUNCH) {
            continue;
        }
        if (t->kind != KIND_MULTICAST) {
            watch(*list, &count, t->there, t->address);
            continue;
        }
        for (uint64_t tile = 0; tile < program_tiles(program); tile++) {
            watch(*list, &count, tile, t->address);
        }
    }
    return count;
}

/* Streams: what software writes, then what is available. Offsets in a stream. */
static const uint16_t stream_offsets[] = {0x010, 0x020, 0x028, 0x4a4};
enum { STREAM_REGISTERS = sizeof stream_offsets / sizeof stream_offsets[0], START_SPACE = 0x400 };

/* Can software write it? Then what earlier programs left there must go. */
static bool is_writable(uint64_t address)
{
    static const struct {
        uint32_t address, instances, stride, mask;
    } regs[] = {
#define REGISTER(name, address, instances, stride, mask, kinds) {address, instances, stride, mask},
#include "registers.def"
#undef REGISTER
    };
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        for (uint32_t k = 0; k < regs[i].instances; k++) {
            if (regs[i].mask && address == regs[i].address + k * regs[i].stride) {
                return true;
            }
        }
    }
    return false;
}

static void clear_watched(struct linker *l, const struct watched *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct coordinates at = memory_coordinates(l->program, list[i].memory, 0);
        if (is_stream(list[i].address)) {
            request_write_word(l->request, at, list[i].address + 0x10, 0);
            request_write_word(l->request, at, list[i].address + 0x20, 0);
            request_write_word(l->request, at, list[i].address + 0x28, START_SPACE);
        } else if (is_writable(list[i].address)) {
            request_write_word(l->request, at, list[i].address, 0);
        }
    }
}

static void read_word(struct linker *l, struct coordinates at, uint64_t address)
{
    struct item *item =
        add_item(l->image, ITEM_WORD, "register 0x%08" PRIx64 " of (%u, %u)", address, at.x, at.y);
    item->at = request_read(l->request, at, address, 4);
    item->size = 4;
}

static void read_watched(struct linker *l, const struct watched *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct coordinates at = memory_coordinates(l->program, list[i].memory, 0);
        if (!is_stream(list[i].address)) {
            read_word(l, at, list[i].address);
            continue;
        }
        for (unsigned k = 0; k < STREAM_REGISTERS; k++) {
            read_word(l, at, list[i].address + stream_offsets[k]);
        }
    }
}

/* --- Counters --- */

/* Those that both libraries have. */
static const struct {
    uint8_t number;
    const char *name;
} counters[] = {
    {0, "ATOMIC_RESP_RECEIVED"}, {1, "WR_ACK_RECEIVED"},        {2, "RD_RESP_RECEIVED"},
    {7, "POSTED_ATOMIC_SENT"},   {10, "NONPOSTED_WR_REQ_SENT"}, {11, "POSTED_WR_REQ_SENT"},
};
enum { COUNTED = sizeof counters / sizeof counters[0] };

/* All counters of tiles with agents, in order; the offset of the first in the answer. */
static uint32_t read_counters(struct linker *l)
{
    uint32_t first = l->request->answer;
    for (uint64_t tile = 0; tile < l->program->memories; tile++) {
        struct coordinates at = memory_coordinates(l->program, tile, 0);
        for (uint32_t i = 0; has_agents(l->program, tile) && i < NOCS * COUNTED; i++) {
            uint64_t niu = NIU_FIRST + i / COUNTED * NIU_STRIDE;
            request_read(l->request, at, niu + COUNTERS + 4u * counters[i % COUNTED].number, 4);
        }
    }
    return first;
}

static void compare_counters(struct linker *l, uint32_t before, uint32_t after)
{
    for (uint64_t tile = 0; tile < l->program->memories; tile++) {
        struct coordinates at = memory_coordinates(l->program, tile, 0);
        for (uint32_t i = 0; has_agents(l->program, tile) && i < NOCS * COUNTED; i++) {
            struct item *item =
                add_item(l->image, ITEM_COUNT, "NoC %u of (%u, %u) %s", (unsigned)(i / COUNTED),
                         at.x, at.y, counters[i % COUNTED].name);
            item->at = after;
            item->before = before;
            item->size = 4;
            after += 4;
            before += 4;
        }
    }
}

/* Requests by transaction id, that wait for responses, and writes that still go out. */
static void read_outstanding(struct linker *l)
{
    static const char *const names[] = {"REQS_OUTSTANDING", "WRITE_REQS_OUTGOING"};
    for (uint64_t tile = 0; tile < l->program->memories; tile++) {
        struct coordinates at = memory_coordinates(l->program, tile, 0);
        for (uint32_t i = 0; has_agents(l->program, tile) && i < NOCS * 2 * IDS; i++) {
            uint64_t niu = NIU_FIRST + i / (2 * IDS) * NIU_STRIDE;
            struct item *item = add_item(l->image, ITEM_WORD, "NoC %u of (%u, %u) %s_ID(%u)",
                                         (unsigned)(i / (2 * IDS)), at.x, at.y, names[i / IDS % 2],
                                         (unsigned)(i % IDS));
            item->at = request_read(l->request, at, niu + OUTSTANDING + 4 * (i % (2 * IDS)), 4);
            item->size = 4;
        }
    }
}

/* --- Command buffers --- */

/* Registers of those that an agent has used; too many to look at each time. */
static void read_buffers(struct linker *l)
{
    static const uint8_t offsets[] = {0x00, 0x08, 0x0c, 0x14, 0x18, 0x1c, 0x20, 0x28, 0x40};
    for (uint32_t i = 0; i < l->program->transactions; i++) {
        const struct transaction *t = &l->program->transaction[i];
        bool is_first = t->agent == l->program->number % l->program->agents;
        for (uint32_t k = 0; is_first && k < i; k++) {
            const struct transaction *earlier = &l->program->transaction[k];
            is_first = earlier->agent != t->agent || earlier->noc != t->noc ||
                       earlier->buffer != t->buffer;
        }
        struct coordinates at = memory_coordinates(l->program, l->program->agent[t->agent].tile, 0);
        for (unsigned k = 0; is_first && k < sizeof offsets; k++) {
            read_word(l, at, NIU_FIRST + t->noc * NIU_STRIDE + t->buffer * 0x800 + offsets[k]);
        }
    }
}

/* --- All of it --- */

/* As the host reaches a memory: DRAM by one of its ports. */
static struct coordinates host_coordinates(const struct program *program, uint64_t memory)
{
    if (program->memory[memory].kind == MEMORY_HOST) {
        return (struct coordinates){.x = HOST_X};
    }
    uint64_t port = program->memory[memory].kind == MEMORY_DRAM ? program->number % 3 : 0;
    return memory_coordinates(program, memory, port);
}

static void fill_memories(struct linker *l)
{
    for (uint32_t i = 0; i < l->program->memories; i++) {
        request_fill(l->request, host_coordinates(l->program, i), l->program->memory[i].base,
                     REGION_BYTES, (uint32_t)(l->program->fill + i));
    }
}

static void read_memories(struct linker *l)
{
    for (uint32_t i = 0; i < l->program->memories; i++) {
        char name[40];
        memory_name(l->program, i, name, sizeof name);
        struct item *item = add_item(l->image, ITEM_MEMORY, "%s", name);
        item->memory = i;
        item->size = REGION_BYTES;
        item->at = request_read(l->request, host_coordinates(l->program, i),
                                l->program->memory[i].base, REGION_BYTES);
    }
}

/* Agent 0 goes last: the others wait for it anyway. */
static void run_agents(struct linker *l)
{
    const struct program *program = l->program;
    uint32_t clocks = LEAST_CLOCKS + CLOCKS_AN_ENTRY * l->entries;
    for (uint64_t tile = program->memories; tile-- > 0;) {
        if (has_agents(program, tile)) {
            request_write_word(l->request, memory_coordinates(program, tile, 0), SOFT_RESET,
                               reset_value(program, tile, false));
        }
    }
    for (uint32_t i = 0; i < program->agents; i++) {
        request_poll(l->request, memory_coordinates(program, program->agent[i].tile, 0),
                     CONTROL_DONE + 16 * (uint64_t)agent_slot(program, i), clocks, 1);
    }
    for (uint64_t tile = 0; tile < program->memories; tile++) {
        if (has_agents(program, tile)) {
            read_word(l, memory_coordinates(program, tile, 0), SOFT_RESET);
        }
    }
    for (uint64_t tile = 0; tile < program->memories; tile++) {
        if (has_agents(program, tile)) {
            request_write_word(l->request, memory_coordinates(program, tile, 0), SOFT_RESET,
                               reset_bits(program, tile));
        }
    }
}

static void link_program(struct linker *l)
{
    struct watched *watched;
    uint32_t count = list_watched(l->program, &watched);
    l->image->ok = watched != NULL;
    for (uint64_t tile = 0; tile < l->program->memories; tile++) {
        if (has_agents(l->program, tile)) {
            write_tile(l, tile);
        }
    }
    fill_memories(l);
    for (uint32_t i = 0; i < l->program->agents; i++) {
        write_agent(l, i);
    }
    if (watched) {
        clear_watched(l, watched, count);
    }
    opt_out(l, (uint32_t)l->program->columns_off, (uint32_t)l->program->rows_off);
    uint32_t before = read_counters(l);
    run_agents(l);
    compare_counters(l, before, read_counters(l));
    read_outstanding(l);
    read_buffers(l);
    if (watched) {
        read_watched(l, watched, count);
    }
    read_memories(l);
    opt_out(l, 0, 0);
    free(watched);
}

void image_link(struct image *image, const struct program *program, const struct mutant *mutant)
{
    struct linker l = {
        .image = image, .request = &image->request, .program = program, .mutant = mutant};
    *image = (struct image){.item = calloc(MOST_ITEMS, sizeof *image->item)};
    request_begin(&image->request);
    if (image->item) {
        link_program(&l);
        request_end(&image->request);
        image->ok = image->ok && image->request.ok;
    }
}

void image_free(struct image *image)
{
    request_free(&image->request);
    free(image->item);
    image->item = NULL;
}

uint32_t item_value(const struct item *item, const uint8_t *answer)
{
    uint32_t value, before = 0;
    memcpy(&value, answer + item->at, sizeof value);
    if (item->kind == ITEM_COUNT) {
        memcpy(&before, answer + item->before, sizeof before);
    }
    return (value - before) & item->mask;
}
