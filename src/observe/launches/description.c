/* Program descriptions of launches. What several tiles have in common is written once. */
#include "observe/launches/description.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "host/array.h"
#include "isa/json_text.h"

enum { SEMAPHORE_WORDS = 4, ARGUMENTS_IN_LINE = 8 };
enum { TRISCS = 1 << PENROSE_TRISC0 | 1 << PENROSE_TRISC1 | 1 << PENROSE_TRISC2 };

/* Words of the image of a tile. */
struct words {
    const uint8_t *at;
    uint32_t count;
};

/* A kernel, circular buffer or set of semaphores, and the tiles that have it. */
struct item {
    unsigned harts; /* of a kernel */
    const char *elf;
    unsigned noc; /* of brisc and ncrisc */
    struct words arguments, common_arguments;
    struct loader_circular_buffer buffer;
    struct loader_tiles tiles;
};

struct items {
    unsigned rows; /* of the grid */
    struct item *item;
    unsigned count;
    size_t room;
};

static uint32_t image_word(struct words words, uint32_t index)
{
    uint32_t word;
    memcpy(&word, words.at + (size_t)index * sizeof word, sizeof word);
    return word;
}

static struct words words_of(const struct launched_tile *tile, struct loader_span span)
{
    uint32_t start = span.address - tile->launched.base;
    uint32_t size = tile->launched.kernels_at - tile->launched.base;
    bool is_inside = start <= size && span.size <= size - start;
    return (struct words){.at = tile->image + start,
                          .count = is_inside ? span.size / (uint32_t)sizeof(uint32_t) : 0};
}

static bool are_equal(struct words a, struct words b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.at, b.at, a.count * sizeof(uint32_t)) == 0);
}

static bool is_same(const struct item *a, const struct item *b)
{
    return a->harts == b->harts && a->noc == b->noc &&
           (a->elf == b->elf || (a->elf && b->elf && strcmp(a->elf, b->elf) == 0)) &&
           are_equal(a->arguments, b->arguments) &&
           are_equal(a->common_arguments, b->common_arguments) && a->buffer.id == b->buffer.id &&
           a->buffer.address == b->buffer.address && a->buffer.num_pages == b->buffer.num_pages &&
           a->buffer.page_size == b->buffer.page_size;
}

static bool add_item(struct items *items, const struct launched_tile *tile,
                     const struct item *added)
{
    unsigned i = 0;
    while (i < items->count && !is_same(&items->item[i], added)) {
        i++;
    }
    if (!array_grow(&items->item, i, &items->room, sizeof *items->item)) {
        return false;
    }
    if (i == items->count) {
        uint64_t *row = calloc(items->rows, sizeof *row);
        if (!row) {
            return false;
        }
        items->item[items->count] = *added;
        items->item[items->count++].tiles.row = row;
    }
    items->item[i].tiles.row[tile->row] |= UINT64_C(1) << tile->column;
    return true;
}

/* --- Gathering --- */

static struct item kernel_item(const struct launched_tile *tile, enum loader_processor processor)
{
    static const unsigned hart_of[LOADER_PROCESSORS] = {
        PENROSE_BRISC, PENROSE_NCRISC, PENROSE_TRISC0, PENROSE_TRISC1, PENROSE_TRISC2};
    const struct loader_launched_kernel *kernel = &tile->launched.kernel[processor];
    unsigned noc = tile->launched.brisc_noc;
    return (struct item){.harts = 1u << hart_of[processor],
                         .elf = tile->elf[processor],
                         .noc = processor == LOADER_BRISC    ? noc
                                : processor == LOADER_NCRISC ? !noc
                                                             : 0,
                         .arguments = words_of(tile, kernel->arguments),
                         .common_arguments = words_of(tile, kernel->common_arguments)};
}

/* Three TRISCs with one kernel in the source have it once here. */
static bool add_kernels(struct items *items, const struct launched_tile *tile)
{
    struct item item[LOADER_PROCESSORS];
    bool done = true;
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        item[i] = kernel_item(tile, (enum loader_processor)i);
    }
    for (unsigned i = 0; i < LOADER_PROCESSORS; i++) {
        struct item whole = item[i];
        for (unsigned k = 0; k < LOADER_PROCESSORS; k++) {
            struct item other = item[k];
            other.harts = item[i].harts;
            if (i >= LOADER_TRISC0 && k >= LOADER_TRISC0 && is_same(&other, &item[i])) {
                whole.harts |= item[k].harts;
            }
        }
        bool is_first = (whole.harts & (item[i].harts - 1)) == 0;
        done = done && (!item[i].elf || !is_first || add_item(items, tile, &whole));
    }
    return done;
}

static bool add_buffers(struct items *items, const struct launched_tile *tile)
{
    bool done = true;
    for (unsigned i = 0; i < tile->launched.buffers && done; i++) {
        const struct item item = {.buffer = tile->launched.buffer[i]};
        done = add_item(items, tile, &item);
    }
    return done;
}

static bool add_semaphores(struct items *items, const struct launched_tile *tile)
{
    const struct item item = {.arguments = words_of(tile, tile->launched.semaphores)};
    return item.arguments.count == 0 || add_item(items, tile, &item);
}

/* --- Writing --- */

static void write_text(FILE *stream, const char *text)
{
    json_t *string = json_text(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "\"\"", stream);
    free(quoted);
    json_decref(string);
}

/* Runs of columns, of rows that are alike together: "0-7,0-3". */
static void write_tiles(FILE *stream, const struct items *items, unsigned number)
{
    const uint64_t *rows = items->item[number].tiles.row;
    const char *comma = "";
    fputs("\"tiles\": [", stream);
    for (unsigned y = 0, end; y < items->rows; y = end) {
        uint64_t row = rows[y];
        for (end = y + 1; end < items->rows && rows[end] == row; end++) {
        }
        for (unsigned x = 0, last; row >> x; x = last + 1) {
            for (; !(row >> x & 1); x++) {
            }
            for (last = x; row >> (last + 1) & 1; last++) {
            }
            fprintf(stream, last > x ? "%s\"%u-%u" : "%s\"%u", comma, x, last);
            fprintf(stream, end > y + 1 ? ",%u-%u\"" : ",%u\"", y, end - 1);
            comma = ", ";
        }
    }
    fputs("]", stream);
}

static void write_words(FILE *stream, const char *name, struct words words)
{
    for (uint32_t i = 0; i < words.count; i++) {
        if (i == 0) {
            fprintf(stream, ",\n     \"%s\": [", name);
        }
        fprintf(stream, "\"0x%x\"%s%s", image_word(words, i), i + 1 < words.count ? "," : "]",
                i + 1 == words.count                             ? ""
                : i % ARGUMENTS_IN_LINE == ARGUMENTS_IN_LINE - 1 ? "\n      "
                                                                 : " ");
    }
}

/* "brisc", "trisc" for all three, ["trisc0", "trisc1"] */
static void write_harts(FILE *stream, unsigned harts)
{
    bool is_list = harts != TRISCS && (harts & (harts - 1)) != 0;
    const char *comma = "";
    fputs(is_list ? "[" : harts == TRISCS ? "\"trisc\"" : "", stream);
    for (unsigned hart = 0; hart < PENROSE_HARTS && harts != TRISCS; hart++) {
        if (harts >> hart & 1) {
            fprintf(stream, "%s\"%s\"", comma, penrose_hart_name((enum penrose_hart)hart));
            comma = ", ";
        }
    }
    fputs(is_list ? "]" : "", stream);
}

static void write_kernels(FILE *stream, const struct items *items)
{
    for (unsigned i = 0; i < items->count; i++) {
        const struct item *item = &items->item[i];
        fputs(i ? ",\n    {\"hart\": " : "    {\"hart\": ", stream);
        write_harts(stream, item->harts);
        fputs(", \"elf\": ", stream);
        write_text(stream, item->elf);
        fputs(",\n     ", stream);
        write_tiles(stream, items, i);
        if (!(item->harts & TRISCS)) {
            fprintf(stream, ", \"noc\": %u", item->noc);
        }
        write_words(stream, "arguments", item->arguments);
        write_words(stream, "common_arguments", item->common_arguments);
        fputs("}", stream);
    }
}

static void write_buffers(FILE *stream, const struct items *items)
{
    for (unsigned i = 0; i < items->count; i++) {
        const struct loader_circular_buffer *buffer = &items->item[i].buffer;
        fprintf(stream,
                "%s    {\"id\": %u, \"address\": \"0x%x\", \"pages\": %u, \"page_size\": %u, ",
                i ? ",\n" : "", buffer->id, buffer->address, buffer->num_pages, buffer->page_size);
        write_tiles(stream, items, i);
        fputs("}", stream);
    }
}

/* A semaphore is a word of 16 bytes. */
static void write_semaphores(FILE *stream, const struct items *items)
{
    for (unsigned i = 0; i < items->count; i++) {
        const struct words words = items->item[i].arguments;
        fputs(i ? ",\n    {\"values\": [" : "    {\"values\": [", stream);
        for (uint32_t k = 0; k < words.count; k += SEMAPHORE_WORDS) {
            fprintf(stream, "%s%u", k ? ", " : "", image_word(words, k));
        }
        fputs("], ", stream);
        write_tiles(stream, items, i);
        fputs("}", stream);
    }
}

static void write_list(FILE *stream, const char *name, const struct items *items,
                       void (*write)(FILE *stream, const struct items *items))
{
    if (items->count) {
        fprintf(stream, ",\n  \"%s\": [\n", name);
        write(stream, items);
        fputs("\n  ]", stream);
    }
}

static void free_items(struct items *items)
{
    for (unsigned i = 0; i < items->count; i++) {
        free(items->item[i].tiles.row);
    }
    free(items->item);
}

bool description_write(const struct description *description, FILE *stream)
{
    struct items kernels = {.rows = description->rows}, buffers = kernels, semaphores = kernels;
    bool done = true;
    for (unsigned i = 0; i < description->tiles && done; i++) {
        const struct launched_tile *tile = &description->tile[i];
        done = add_kernels(&kernels, tile) && add_buffers(&buffers, tile) &&
               add_semaphores(&semaphores, tile);
    }
    fputs("{\n  \"description\": ", stream);
    write_text(stream, description->text);
    fprintf(stream, ",\n  \"grid\": \"%ux%u\",\n  \"firmware\": ", description->columns,
            description->rows);
    write_text(stream, description->firmware);
    fputs(",\n  \"snapshot\": ", stream);
    write_text(stream, description->snapshot);
    if (description->chip > 0) {
        fprintf(stream, ",\n  \"chip\": %u", description->chip);
    }
    write_list(stream, "kernels", &kernels, write_kernels);
    write_list(stream, "circular_buffers", &buffers, write_buffers);
    write_list(stream, "semaphores", &semaphores, write_semaphores);
    fputs("\n}\n", stream);
    free_items(&kernels);
    free_items(&buffers);
    free_items(&semaphores);
    return done;
}
