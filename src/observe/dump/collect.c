/* Collecting a tile, without its coprocessor; see dump.h. */
#include "observe/dump/dump.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "chip/chip.h"
#include "chip/dram.h"
#include "isa/error.h"
#include "isa/json_text.h"
#include "observe/dump/parts.h"
#include "observe/waits/places.h"
#include "tile/present.h"

/* --- Harts --- */

static const char *state_text(enum hart_state state)
{
    static const char *const names[] = {
        [HART_HELD] = "held",      [HART_READY] = "running", [HART_WAITING] = "waiting",
        [HART_ASLEEP] = "polling", [HART_PAUSED] = "paused", [HART_FAULTED] = "faulted",
    };
    return names[state];
}

static void put_csrs(json_t *object, const char *name, const struct rv32_hart *hart, uint64_t time)
{
    enum { CSRS = 4096 };
    for (unsigned number = 0; number < CSRS; number++) {
        struct rv32_hart copy = *hart; /* reading a CSR may change it */
        uint32_t value;
        const char *csr = rv32_csr_name(number);
        if (csr && rv32_csr_read(&copy, number, time, &value)) {
            dump_put(object, value, "%s.%s", name, csr);
        }
    }
}

static void put_vectors(json_t *object, const char *name, const struct rv32_hart *hart)
{
    for (unsigned i = 0; i < 32; i++) {
        char member[32], text[2 * RV32_VLEN_BYTES + 1];
        for (unsigned byte = 0; byte < RV32_VLEN_BYTES; byte++) {
            snprintf(text + 2 * byte, 3, "%02x", hart->v[i][RV32_VLEN_BYTES - 1 - byte]);
        }
        snprintf(member, sizeof member, "%s.v%u", name, i);
        json_object_set_new(object, member, json_text(text));
    }
}

/* `past` has the states in which harts are: those that sleep have been woken to be read. */
static void dump_harts(struct dump_scene *scene, const struct tile_past *past)
{
    const struct tile *tile = scene->tile;
    json_t *object = json_object();
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const struct rv32_hart *hart = &tile->hart[core];
        const char *name = tile->kind->hart[core];
        char state[32];
        if (!name) {
            continue;
        }
        snprintf(state, sizeof state, "%s.state", name);
        json_object_set_new(object, state, json_text(state_text(past->run[core].state)));
        dump_put(object, hart->pc, "%s.pc", name);
        for (unsigned i = 0; i < 32; i++) {
            dump_put(object, hart->x[i], "%s.%s", name, rv32_x_names[i]);
        }
        for (unsigned i = 0; i < 32; i++) {
            dump_put(object, hart->f[i], "%s.f%u", name, i);
        }
        if (core == RV32_T2) {
            put_vectors(object, name, hart);
        }
        put_csrs(object, name, hart, tile->run[core].time);
    }
    dump_add_json(scene, "harts", object);
}

/* --- Memory --- */

static void dump_memory(struct dump_scene *scene)
{
    const struct tile *tile = scene->tile;
    const uint32_t shape[DUMP_DIMENSIONS] = {tile->kind->l1_bytes};
    dump_add_array(scene, "l1", LOADER_NPY_UNSIGNED, 1, shape, tile->l1);
    for (unsigned core = 0; core < RV32_CORES; core++) {
        const uint32_t size[DUMP_DIMENSIONS] = {tile_local_size((enum rv32_core)core)};
        char name[DUMP_NAME];
        if (tile->kind->hart[core] && tile->local[core]) {
            snprintf(name, sizeof name, "local_%s", tile->kind->hart[core]);
            dump_add_array(scene, name, LOADER_NPY_UNSIGNED, 1, size, tile->local[core]);
        }
    }
}

/* --- The tile --- */

static void dump_time(struct dump_scene *scene)
{
    struct tile *tile = scene->tile;
    json_t *object = json_object();
    struct mmio_access access = {.operation = MMIO_PEEK,
                                 .agent = AGENT_NOC,
                                 .size = 4,
                                 .address = AT_SOFT_RESET_0,
                                 .cycle = tile->now};
    dump_put(object, tile->now, "cycle");
    dump_put(object, tile->now, "wall_clock");
    if (tile_access(tile, &access) == ANSWER_DONE) {
        dump_put(object, access.value, "soft_reset_0");
    }
    dump_add_json(scene, "tile", object);
}

/* --- NIUs and streams --- */

enum {
    FIRST_OUTSTANDING = 16, /* counters of transaction ids */
    FIRST_OUTGOING = 32,
    FIRST_SLAVE = 48,
};

static void put_counters(json_t *object, unsigned noc, const struct niu *niu)
{
    for (unsigned i = 0; i < NIU_COUNTER_COUNT; i++) {
        uint32_t value = niu->word[NIU_COUNTERS / 4 + i];
        const char *name = wait_places_counter(i);
        if (i >= FIRST_OUTSTANDING && i < FIRST_OUTGOING) {
            dump_put(object, value, "noc%u.NIU_MST_REQS_OUTSTANDING_ID.%u", noc,
                     i - FIRST_OUTSTANDING);
        } else if (i >= FIRST_OUTGOING && i < FIRST_SLAVE) {
            dump_put(object, value, "noc%u.NIU_MST_WRITE_REQS_OUTGOING_ID.%u", noc,
                     i - FIRST_OUTGOING);
        } else if (name) {
            dump_put(object, value, "noc%u.%s", noc, name);
        }
    }
}

/* Registers that are no counters, by the names of their rows; of a row with more words than one,
 * those behind the first have numbers. */
static void put_registers(json_t *object, unsigned noc, struct niu *niu)
{
    const char *row = NULL;
    unsigned word = 0;
    for (uint32_t offset = 0; offset < NIU_BYTES; offset += 4) {
        const char *name = reg_name(&niu_registers, offset);
        uint32_t in_buffer = offset % NIU_BUFFER_BYTES, buffer = offset / NIU_BUFFER_BYTES;
        uint32_t value = 0;
        bool is_counter = offset >= NIU_COUNTERS && offset < NIU_COUNTERS + 4 * NIU_COUNTER_COUNT;
        word = name && name == row ? word + 1 : 0;
        row = name;
        if (!name || is_counter || niu_read(niu, offset, false, &value) != ANSWER_DONE) {
            continue;
        }
        bool is_of_buffer = in_buffer < NIU_BUFFER_WORDS * 4;
        char prefix[16] = "", suffix[16] = "";
        if (is_of_buffer) {
            snprintf(prefix, sizeof prefix, "buffer%u.", buffer);
        }
        if (word > 0) {
            snprintf(suffix, sizeof suffix, ".%u", word);
        }
        dump_put(object, value, "noc%u.%s%s%s", noc, prefix, name, suffix);
    }
}

static void dump_noc(struct dump_scene *scene)
{
    json_t *object = json_object();
    for (unsigned noc = 0; noc < 2; noc++) {
        put_counters(object, noc, &scene->tile->niu[noc]);
        put_registers(object, noc, &scene->tile->niu[noc]);
    }
    dump_add_json(scene, "noc", object);
}

static void put_stream(json_t *object, const struct overlay *overlay, unsigned stream)
{
    const char *row = NULL;
    unsigned word = 0;
    for (unsigned index = 0; index < OVERLAY_REGISTERS; index++) {
        const char *name = reg_name(&overlay_registers, 4 * index);
        uint32_t value = overlay_register(overlay, stream, index);
        word = name && name == row ? word + 1 : 0;
        row = name;
        if (value && name && word > 0) {
            dump_put(object, value, "stream%u.%s.%u", stream, name, word);
        } else if (value && name) {
            dump_put(object, value, "stream%u.%s", stream, name);
        } else if (value) {
            dump_put(object, value, "stream%u.word%u", stream, index);
        }
    }
}

static void dump_streams(struct dump_scene *scene)
{
    json_t *object = json_object();
    for (unsigned stream = 0; stream < scene->tile->kind->streams; stream++) {
        put_stream(object, &scene->tile->overlay, stream);
    }
    dump_add_json(scene, "streams", object);
}

/* --- GDDR --- */

static int compare_chunks(const void *a, const void *b)
{
    const struct sparse_chunk *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* What was written to a bank, in parts whose places do not depend on what was. */
static void dump_bank(struct dump_scene *scene, const struct dram_bank *bank)
{
    static const uint32_t shape[DUMP_DIMENSIONS] = {SPARSE_CHUNK_BYTES};
    const struct sparse *memory = &bank->memory;
    struct sparse_chunk *chunk = calloc(memory->used + 1, sizeof *chunk);
    size_t count = 0;
    for (size_t i = 0; i < memory->slots && chunk; i++) {
        if (memory->slot[i].bytes && count <= memory->used) {
            chunk[count++] = memory->slot[i];
        }
    }
    if (chunk) {
        qsort(chunk, count, sizeof *chunk, compare_chunks);
    }
    for (size_t i = 0; i < count; i++) {
        char name[DUMP_NAME];
        snprintf(name, sizeof name, "gddr_0x%08llx",
                 (unsigned long long)(chunk[i].number << SPARSE_CHUNK_SHIFT));
        dump_add_array(scene, name, LOADER_NPY_UNSIGNED, 1, shape, chunk[i].bytes);
    }
    scene->to->failed |= !chunk;
    free(chunk);
}

/* The first tile of a bank that was touched; NULL: none was. */
static const struct tile *first_tile_of(const struct dram_bank *bank)
{
    const struct tile *tile = NULL;
    for (unsigned i = 0; i < DRAM_PORTS && !tile; i++) {
        tile = bank->port[i].tile;
    }
    return tile;
}

static void dump_gddr(struct dump_scene *scene)
{
    for (unsigned i = 0; i < GRID_BANKS; i++) {
        if (first_tile_of(&scene->chip->bank[i]) == scene->tile) {
            dump_bank(scene, &scene->chip->bank[i]);
        }
    }
}

bool dump_has_gddr(const struct penrose_chip *chip, unsigned bank, struct penrose_place at)
{
    const struct tile *tile = first_tile_of(&chip->bank[bank]);
    return tile && tile->x == at.x && tile->y == at.y;
}

void dump_collect_bank(struct penrose_chip *chip, unsigned bank, struct penrose_place at,
                       struct dump_tile *to)
{
    struct dump_scene scene = {.chip = chip, .to = to};
    char folder[16];
    *to = (struct dump_tile){.kind = &chip_calls, .x = at.x, .y = at.y, .about = json_object()};
    snprintf(folder, sizeof folder, "%u-%u", at.x, at.y);
    dump_put(to->about, at.x, "x");
    dump_put(to->about, at.y, "y");
    json_object_set_new(to->about, "folder", json_text(folder));
    json_object_set_new(to->about, "kind", json_text(arch_tile_kind_name(PENROSE_TILE_DRAM)));
    json_object_set_new(to->about, "harts", json_array());
    dump_bank(&scene, &chip->bank[bank]);
}

/* --- All --- */

static void put_about(struct dump_scene *scene)
{
    const struct tile *tile = scene->tile;
    json_t *about = json_object(), *harts = json_array();
    char folder[16];
    snprintf(folder, sizeof folder, "%u-%u", tile->x, tile->y);
    dump_put(about, tile->x, "x");
    dump_put(about, tile->y, "y");
    json_object_set_new(about, "folder", json_text(folder));
    json_object_set_new(
        about, "kind",
        json_text(arch_tile_kind_name(chip_tile_kind(scene->chip, tile->x, tile->y))));
    for (unsigned core = 0; core < RV32_CORES; core++) {
        if (tile->kind->hart[core]) {
            json_array_append_new(harts, json_text(tile->kind->hart[core]));
        }
    }
    json_object_set_new(about, "harts", harts);
    scene->to->failed |= !about || !harts;
    scene->to->about = about;
}

static void collect_worker(struct dump_scene *scene, unsigned groups)
{
    static const struct {
        unsigned group;
        void (*collect)(struct dump_scene *scene);
    } own[] = {{DUMP_CONFIG, dump_config}, {DUMP_TENSIX, dump_tensix},
               {DUMP_DST, dump_dst},       {DUMP_SRC, dump_src},
               {DUMP_LREGS, dump_lregs},   {DUMP_BUFFERS, dump_buffers}};
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (groups & own[i].group) {
            own[i].collect(scene);
        }
    }
}

static void collect_parts(struct dump_scene *scene, unsigned groups, const struct tile_past *past)
{
    put_about(scene);
    if (groups & DUMP_TILE) {
        dump_time(scene);
    }
    if (groups & DUMP_HARTS) {
        dump_harts(scene, past);
    }
    if (groups & DUMP_MEMORY) {
        dump_memory(scene);
        dump_l1_map(scene);
    }
    if (scene->tile->kind->type == TILE_TENSIX) {
        collect_worker(scene, groups);
    }
    if (groups & DUMP_NOC) {
        dump_noc(scene);
    }
    if (groups & DUMP_STREAMS) {
        dump_streams(scene);
    }
    if (groups & DUMP_GDDR) {
        dump_gddr(scene);
    }
}

/* In the middle of a run (observers) harts that sleep are shown as they fell asleep. */
static void collect_at_present(struct dump_scene *scene, unsigned groups, struct tile_past *past)
{
    struct tile *tile = scene->tile;
    if (scene->chip->shares_time) {
        memcpy(past->run, tile->run, sizeof past->run);
        collect_parts(scene, groups, past);
        return;
    }
    tile_to_present(tile, scene->chip->head.time.now, past);
    collect_parts(scene, groups, past);
    tile_to_past(tile, past);
}

enum penrose_status dump_collect(struct penrose_chip *chip, struct penrose_place at,
                                 unsigned groups, const struct penrose_firmware *firmware,
                                 struct dump_tile *to, struct penrose_error *error)
{
    struct tile *tile;
    *to = (struct dump_tile){.kind = &chip_calls, .x = at.x, .y = at.y};
    enum penrose_status status = chip_tile(chip, at.x, at.y, &tile, error);
    struct tile_past *past = status == PENROSE_OK ? malloc(sizeof *past) : NULL;
    if (status != PENROSE_OK) {
        return status;
    }
    if (past) {
        struct dump_scene scene = {.chip = chip, .tile = tile, .firmware = firmware, .to = to};
        to->x = tile->x;
        to->y = tile->y;
        collect_at_present(&scene, groups, past);
    }
    free(past);
    return past && !to->failed
               ? PENROSE_OK
               : error_set(error, PENROSE_E_MEMORY, "no memory for a dump of (%u, %u)", at.x, at.y);
}
