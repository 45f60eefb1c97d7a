#include "observe/trace/code.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/snapshot.h"
#include "observe/sink.h"
#include "observe/trace/record.h"
#include "tile/tile.h"

enum { PLACES = 1 << 18, CALLS = 1 << 16 };

struct trace_place {
    uint32_t pc;
    uint16_t x, y;
    bool is_known;
    const char *symbol, *source, *inlined_at, *kernel;
    uint32_t symbol_offset, line;
};

/* The calls that were inlined at an address of a program. */
struct trace_calls {
    const void *program;
    uint32_t address;
    const char *inlined_at;
};

/* What is known of a tile whose programs a host writes. */
struct trace_tile {
    uint64_t checked;       /* the cycle at the end of the window in which its code was looked at */
    uint64_t code;          /* a hash of the code of programs that were found */
    uint64_t next_look;     /* a cycle; before it no program is looked for again */
    uint64_t look_distance; /* it doubles while nothing is found */
};

enum { FIRST_DISTANCE = 1 << 12 };

bool trace_code_init(struct trace_code *code, struct penrose_chip *chip)
{
    *code = (struct trace_code){.chip = chip, .images = chip->head.images.changes};
    code->place = calloc(PLACES, sizeof *code->place);
    code->tile = calloc(NOC_NODES, sizeof *code->tile);
    code->calls = calloc(CALLS, sizeof *code->calls);
    return code->place && code->tile && code->calls;
}

void trace_code_free(struct trace_code *code)
{
    free(code->place);
    free(code->tile);
    free(code->calls);
    names_free(&code->names);
    *code = (struct trace_code){0};
}

/* "text<separator>number" without the number, which is 0 where there is none. */
static const char *split_name(struct trace_code *code, const char *text, const char *separator,
                              uint32_t *number)
{
    const char *at = NULL;
    for (const char *next = text; (next = strstr(next, separator)); next++) {
        at = next;
    }
    *number = at ? (uint32_t)strtoul(at + 1, NULL, 0) : 0;
    return names_keep(&code->names, text, at ? (size_t)(at - text) : strlen(text));
}

/* --- Programs that a host has written --- */

static uint64_t hash_of_found(const struct penrose_chip *chip, const struct tile *tile)
{
    struct snapshot_hash hash;
    snapshot_hash_init(&hash);
    for (size_t i = 0; i < chip->head.images.count; i++) {
        const struct image *image = &chip->head.images.image[i];
        if (image->is_found && image->x == tile->x && image->y == tile->y &&
            image->base < tile->kind->l1_bytes &&
            image->size <= tile->kind->l1_bytes - image->base) {
            snapshot_hash_add(&hash, tile->l1 + image->base, image->size);
        }
    }
    return snapshot_hash_value(&hash);
}

/* Forgets the tile's programs if their code is no longer what it was. */
static void check_programs(struct trace_code *code, struct trace_tile *known,
                           const struct tile *tile)
{
    if (known->checked == code->chip->head.time.now) {
        return;
    }
    known->checked = code->chip->head.time.now;
    if (hash_of_found(code->chip, tile) != known->code) {
        images_forget_found(&code->chip->head.images, tile->x, tile->y);
        known->code = hash_of_found(code->chip, tile);
        *known = (struct trace_tile){.checked = known->checked, .code = known->code};
    }
}

/* Looks for programs of the tile, ever more rarely while there are none; true: there may be names
 * now. */
static bool look_for_programs(struct trace_code *code, struct trace_tile *known,
                              const struct tile *tile)
{
    const struct penrose_chip *chip = code->chip;
    unsigned before = chip->head.images.changes;
    if (!chip->head.find_programs || chip->head.time.now < known->next_look) {
        return false;
    }
    chip->head.find_programs(chip->head.find_context, tile->x, tile->y);
    bool is_found = chip->head.images.changes != before;
    known->look_distance =
        is_found || !known->look_distance ? FIRST_DISTANCE : known->look_distance * 2;
    known->next_look = chip->head.time.now + known->look_distance;
    known->code = hash_of_found(chip, tile);
    return is_found;
}

/* --- Places --- */

/* FILE:LINE of each call, with newlines between them. */
static const char *keep_calls(struct trace_code *code, struct loader_elf *elf, uint32_t address)
{
    struct loader_call call[LOADER_MAX_CALLS];
    char text[TRACE_NAME_BYTES] = "";
    struct sink sink = {.text = text, .size = sizeof text};
    unsigned calls = loader_elf_calls(elf, address, call);
    for (unsigned i = 0; i < calls; i++) {
        sink_put(&sink, "%s%s:%u", i ? "\n" : "", call[i].file, call[i].line);
    }
    return names_keep(&code->names, text, strlen(text));
}

/* Tiles run programs of one file, and to walk through its debug information takes long. */
static const char *find_calls_once(struct trace_code *code, const struct penrose_trace_event *event)
{
    const struct image *image = images_find(chip_images(code->chip), event->x, event->y, event->pc);
    if (!image) {
        return "";
    }
    const uint32_t address = event->pc - image->base + image->link_base;
    const char *path = loader_elf_path(image->elf);
    const void *program =
        *path == '/' ? (const void *)names_keep(&code->names, path, strlen(path)) : image->elf;
    struct trace_calls *calls =
        &code->calls[(address / 4 + (uint32_t)(uintptr_t)program) * UINT32_C(0x9e3779b1) >> 16];
    if (calls->program != program || calls->address != address) {
        *calls = (struct trace_calls){program, address, keep_calls(code, image->elf, address)};
    }
    return calls->inlined_at;
}

/* A kernel is called as the nearest folder of its file that is no hart and no hash: those of tt-metal
 * are NAME/HASH/HART/HART.elf, others NAME/HART.elf. */
static const char *keep_kernel(struct trace_code *code, const struct penrose_trace_event *event)
{
    const struct image *image = images_find(chip_images(code->chip), event->x, event->y, event->pc);
    const char *path = image && image->is_kernel ? loader_elf_path(image->elf) : "";
    const char *hart = strrchr(path, '/'), *end = hart, *name = path;
    while (end && end > path) {
        for (name = end; name > path && name[-1] != '/';) {
            name--;
        }
        size_t length = (size_t)(end - name);
        bool is_hart = length > 0 && strncmp(hart + 1, name, length) == 0 &&
                       strcmp(hart + 1 + length, ".elf") == 0;
        bool is_hash = strspn(name, "0123456789") >= length;
        if (!is_hart && !is_hash) {
            return names_keep(&code->names, name, length);
        }
        end = name > path ? name - 1 : NULL;
    }
    return names_keep(&code->names, path, strlen(path)); /* a file without folders */
}

static void locate(struct trace_code *code, struct trace_place *place,
                   const struct penrose_trace_event *event)
{
    char symbol[256], source[256];
    chip_locate(code->chip, event->x, event->y, event->pc, symbol, sizeof symbol, source,
                sizeof source);
    *place = (struct trace_place){
        .pc = event->pc, .x = (uint16_t)event->x, .y = (uint16_t)event->y, .is_known = true};
    place->symbol = split_name(code, symbol, "+0x", &place->symbol_offset);
    place->source = split_name(code, source, ":", &place->line);
    place->inlined_at = find_calls_once(code, event);
    place->kernel = keep_kernel(code, event);
}

/* Other programs have been loaded. */
static void forget_places(struct trace_code *code)
{
    memset(code->place, 0, PLACES * sizeof *code->place);
    memset(code->calls, 0, CALLS * sizeof *code->calls); /* an ELF may be where another one was */
    code->images = code->chip->head.images.changes;
}

void trace_code_find(struct trace_code *code, struct penrose_trace_event *event)
{
    if (!event->pc && event->kind != PENROSE_TRACE_INSTRUCTION) {
        return;
    }
    uint16_t node;
    const struct tile *tile =
        chip_find(code->chip, event->x, event->y, &node) ? code->chip->place[node].tile : NULL;
    if (tile && code->chip->head.find_programs) {
        check_programs(code, &code->tile[node], tile);
    }
    if (code->images != code->chip->head.images.changes) {
        forget_places(code);
    }
    uint32_t hash = (event->pc / 4 ^ event->x << 13 ^ event->y << 9) * UINT32_C(0x9e3779b1);
    struct trace_place *place = &code->place[hash >> 14];
    if (!place->is_known || place->pc != event->pc || place->x != event->x ||
        place->y != event->y) {
        locate(code, place, event);
        if (!*place->symbol && tile && look_for_programs(code, &code->tile[node], tile)) {
            forget_places(code);
            locate(code, place, event);
        }
    }
    if (!*place->symbol && tile && code->chip->head.find_programs) {
        place->is_known = false; /* its program may be there later */
    }
    event->symbol = place->symbol;
    event->symbol_offset = place->symbol_offset;
    event->source = place->source;
    event->line = place->line;
    event->inlined_at = place->inlined_at;
    event->kernel = place->kernel;
}
