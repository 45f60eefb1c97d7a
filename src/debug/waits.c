/* Who waits for what: the report of a chip in which nothing happens any more. */
#include "chip/chip.h"
#include "debug/sink.h"
#include "isa/export.h"

static void put_position(struct sink *sink, struct penrose_chip *chip, const struct tile *tile,
                         enum penrose_hart hart, uint32_t pc)
{
    char symbol[128], source[256];
    sink_put(sink, " at pc 0x%08x", pc);
    if (penrose_locate(chip, tile->x, tile->y, hart, pc, symbol, sizeof symbol, source,
                       sizeof source)) {
        sink_put(sink, "%s%s%s%s", *symbol ? " in " : "", symbol, *source ? ", " : "", source);
    }
}

static void put_value(struct sink *sink, struct tile *tile, enum rv32_core core,
                      const struct rv32_idle_place *place)
{
    sink_put(sink, "0x%08x (%s, holds 0x%x)", place->address,
        tile_range_title(tile->kind->type, (enum tile_agent)core, place->address), place->value);
    (void)tile;
}

/* A hart may read one place several times in an iteration; it is named once. */
static bool named_before(const struct rv32_idle *idle, unsigned place)
{
    for (unsigned i = 0; i < place; i++) {
        if (idle->place[i].address == idle->place[place].address) {
            return true;
        }
    }
    return false;
}

static void put_polling(struct sink *sink, struct tile *tile, enum rv32_core core)
{
    const struct rv32_idle *idle = &tile->run[core].idle;
    if (idle->places == 0 && idle->wake == UINT64_MAX) {
        sink_put(sink, ": endless loop without effect: it reads nothing that could ever change");
        return;
    }
    sink_put(sink, ": polls ");
    for (unsigned i = 0; i < idle->places; i++) {
        if (!named_before(idle, i)) {
            sink_put(sink, "%s", i ? ", " : "");
            put_value(sink, tile, core, &idle->place[i]);
        }
    }
    if (idle->wake != UINT64_MAX) {
        sink_put(sink, "%sthe wall clock, until cycle %llu or later", idle->places ? " and " : "",
            (unsigned long long)idle->wake);
    }
}

/* Where a TRISC waits for its thread of the coprocessor (src/tile/mmio.def). */
#define AT_GPRS              UINT32_C(0xffe00000)
#define AT_PC_BUF            UINT32_C(0xffe80000)
#define AT_COPROCESSOR_DONE  UINT32_C(0xffe80004)
#define AT_MOP_EXPANDER_DONE UINT32_C(0xffe80008)
#define AT_CONFIG            UINT32_C(0xffef0000)

/* What a TRISC's access waits for, or NULL where the address says it all. */
static const char *awaited(const struct tile *tile, enum rv32_core core,
                           const struct rv32_access *access)
{
    if (core < RV32_T0 || core > RV32_T2) {
        return NULL;
    }
    switch (access->address) {
    case RV32_PUSH_BASE:
        return "its thread's queue is full";
    case AT_PC_BUF:
        return "brisc has put nothing there";
    case AT_COPROCESSOR_DONE:
        return "its thread has not executed all that was pushed";
    case AT_MOP_EXPANDER_DONE:
        return "its thread's MOPs are not expanded";
    }
    bool is_tracked = (access->address >= AT_GPRS && access->address < RV32_PUSH_BASE) ||
                      access->address >= AT_CONFIG;
    return is_tracked && tensix_thread_busy(&tile->tensix, core - RV32_T0)
               ? "what was pushed before it goes first (Auto TTSync)"
               : NULL;
}

static void put_waiting(struct sink *sink, const struct tile *tile, enum rv32_core core)
{
    const struct rv32_access *access = &tile->hart[core].access;
    const char *reason = awaited(tile, core, access);
    sink_put(sink, ": %s 0x%08x (%s) is not answered%s%s", access->store ? "store to" : "load from",
             access->address, tile_range_title(tile->kind->type, (enum tile_agent)core, access->address),
             reason ? ": " : "", reason ? reason : "");
}

static void put_hart(struct sink *sink, struct penrose_chip *chip, struct tile *tile,
                     enum rv32_core core)
{
    const struct tile_hart *run = &tile->run[core];
    const struct rv32_hart *hart = &tile->hart[core];
    if (run->state == HART_HELD) {
        return;
    }
    sink_put(sink, "  tile (%u, %u) %s", tile->x, tile->y, rv32_core_names[core]);
    put_position(sink, chip, tile, (enum penrose_hart)core, hart->pc);
    switch (run->state) {
    case HART_HELD:
    case HART_READY:
        sink_put(sink, ": runs");
        break;
    case HART_WAITING:
        put_waiting(sink, tile, core);
        break;
    case HART_ASLEEP:
        put_polling(sink, tile, core);
        break;
    case HART_PAUSED:
        sink_put(sink, ": paused by ebreak or a debugger");
        break;
    case HART_FAULTED:
        sink_put(sink, ": stopped with a fault");
        break;
    }
    sink_put(sink, "\n");
}

/* A thread of the coprocessor whose next instruction waits for something. */
static void put_thread(struct sink *sink, struct penrose_chip *chip, const struct tile *tile,
                       unsigned thread)
{
    const struct tensix_thread *own = &tile->tensix.thread[thread];
    char text[256];
    if (own->wait == TENSIX_WAITS_FOR_NOTHING ||
        !tensix_wait_text(&tile->tensix, thread, text, sizeof text)) {
        return;
    }
    sink_put(sink, "  tile (%u, %u) tensix thread %u, pushed by ", tile->x, tile->y, thread);
    if (own->origin.pusher < RV32_CORES) {
        sink_put(sink, "%s", rv32_core_names[own->origin.pusher]);
        put_position(sink, chip, tile, (enum penrose_hart)own->origin.pusher, own->origin.pc);
    } else {
        sink_put(sink, "the debug bus");
    }
    sink_put(sink, ": %s\n", text);
}

static void put_threads(struct sink *sink, struct penrose_chip *chip, const struct tile *tile)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        put_thread(sink, chip, tile, thread);
    }
}

PENROSE_EXPORT int penrose_tensix_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    if (size) {
        *text = 0;
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        if (chip->place[i].tile) {
            put_threads(&sink, chip, chip->place[i].tile);
        }
    }
    return sink.length;
}

PENROSE_EXPORT int penrose_wait_report(struct penrose_chip *chip, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    if (size) {
        *text = 0;
    }
    for (unsigned i = 0; i < NOC_NODES; i++) {
        struct tile *tile = chip->place[i].tile;
        for (unsigned core = 0; tile && core < RV32_CORES; core++) {
            put_hart(&sink, chip, tile, (enum rv32_core)core);
        }
        if (tile) {
            put_threads(&sink, chip, tile);
        }
    }
    return sink.length;
}
