/* A dump as a page; see html.h. */
#include "observe/dump/html.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "observe/dump/picture.h"
#include "observe/html_text.h"

struct dump_page {
    FILE *file;
    char *path;
    unsigned pictures; /* so far */
};

enum {
    FACE = 16,
    TILE = 32,
    TILE_ROWS = TILE * TILE / FACE,
    MOST_OF_ARRAY = 32, /* pictures, so that a browser can show the page, */
    MOST_OF_PAGE = 2000,
};

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Penrose dump</title>\n"
    "<style>\n"
    "body{font:14px/1.4 sans-serif;margin:2em;max-width:75em;color:#222}\n"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:left}\n"
    "code,td{font-family:monospace}\n"
    "figure{display:inline-block;margin:4px 12px 8px 0}figcaption{font-size:12px}\n"
    "img{image-rendering:pixelated;border:1px solid #999;display:block}\n"
    "details{margin:4px 0}.map rect{stroke:none}\n"
    "</style></head><body>\n";

static const char *string_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static uint64_t number_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

/* --- The head --- */

static void put_manifest(FILE *file, const json_t *manifest)
{
    const json_t *why = json_object_get(manifest, "reason"), *fault, *word, *call;
    size_t i, k;
    fputs("<h1>Dump of ", file);
    html_text(file, string_of(manifest, "chip"));
    fputs(", ", file);
    html_text(file, string_of(manifest, "card"));
    if (json_object_get(manifest, "chip_number")) {
        fprintf(file, ", chip %" PRIu64, number_of(manifest, "chip_number"));
    }
    fprintf(file, "</h1>\n<p>Cycle %" PRIu64 ", ", number_of(manifest, "cycle"));
    html_text(file, string_of(manifest, "source"));
    fputs("; made for: ", file);
    html_text(file, string_of(why, "kind"));
    if (*string_of(why, "text")) {
        fputs(" (", file);
        html_text(file, string_of(why, "text"));
        fputc(')', file);
    }
    fputs("</p>\n<p><code>", file);
    json_array_foreach(json_object_get(manifest, "command"), i, word)
    {
        fputc(' ', file);
        html_text(file, json_string_value(word));
    }
    fputs("</code></p>\n", file);
    json_array_foreach(json_object_get(manifest, "faults"), i, fault)
    {
        fprintf(file, "<p><b>Fault</b> on (%" PRIu64 ", %" PRIu64 ") ", number_of(fault, "x"),
                number_of(fault, "y"));
        html_text(file, string_of(fault, "hart"));
        fputs(": ", file);
        html_text(file, string_of(fault, "rule"));
        fputs(" <code>", file);
        html_text(file, string_of(fault, "source"));
        json_array_foreach(json_object_get(fault, "inlined_at"), k, call)
        {
            fputs(k ? ", " : ", inlined at ", file);
            html_text(file, json_string_value(call));
        }
        fputs("</code></p>\n", file);
    }
}

/* --- Pictures --- */

struct span {
    float least, most, largest; /* of finite ones; largest in magnitude */
    bool is_zero;
};

static struct span span_of(const float *data, size_t count)
{
    struct span span = {.is_zero = true};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        span.is_zero &= data[i] == 0;
        if (isfinite(data[i])) {
            span.least = !any || data[i] < span.least ? data[i] : span.least;
            span.most = !any || data[i] > span.most ? data[i] : span.most;
            any = true;
        }
    }
    span.largest = fmaxf(fabsf(span.least), fabsf(span.most));
    return span;
}

/* Zeros are not shown. */
static bool put_picture(struct dump_page *page, const float *data, unsigned rows, unsigned columns,
                        const char *caption)
{
    struct span span = span_of(data, (size_t)rows * columns);
    FILE *file = page->file;
    if (span.is_zero || page->pictures == MOST_OF_PAGE) {
        return false;
    }
    page->pictures++;
    fprintf(file, "<figure><img width=\"%u\" height=\"%u\" alt=\"%s\" src=\"", columns * 4,
            rows * 4, caption);
    picture_put(file, data, rows, columns, span.largest);
    fprintf(file, "\"><figcaption>%s<br>%g to %g</figcaption></figure>\n", caption,
            (double)span.least, (double)span.most);
    return true;
}

/* A tile of Dst, whose four faces lie one below the other. */
static void gather_tile(const struct loader_npy *array, size_t tile, float data[TILE * TILE])
{
    for (unsigned i = 0; i < TILE * TILE; i++) {
        unsigned face = i / (FACE * FACE), row = i / FACE % FACE, column = i % FACE;
        data[(face / 2 * FACE + row) * TILE + face % 2 * FACE + column] =
            (float)dump_number(array, tile * TILE * TILE + i);
    }
}

static void put_dst(struct dump_page *page, const struct dump_tile *tile)
{
    const struct dump_part *dst = dump_find(tile, "dst");
    FILE *file = page->file;
    float data[TILE * TILE];
    unsigned shown = 0;
    if (!dst || dst->dimensions != 2 || dst->shape[1] != FACE) {
        return;
    }
    fputs("<h3>Dst as ", file);
    html_text(file, string_of(dst->about, "num_format"));
    fputs(", in tiles</h3>\n", file);
    for (unsigned i = 0; i < dst->shape[0] / TILE_ROWS; i++) {
        char caption[64];
        snprintf(caption, sizeof caption, "tile %u, rows %u to %u", i, i * TILE_ROWS,
                 (i + 1) * TILE_ROWS - 1);
        gather_tile(&dst->array, i, data);
        shown += put_picture(page, data, TILE, TILE, caption);
    }
    fputs(shown ? "" : "<p>All of it is zero, or there are too many pictures.</p>\n", file);
}

/* A matrix of an array of two or three dimensions. */
static void put_matrices(struct dump_page *page, const struct dump_part *part, const char *what)
{
    unsigned rows = part->dimensions == 3 ? part->shape[1] : part->shape[0];
    unsigned columns = part->shape[part->dimensions - 1];
    unsigned count = part->dimensions == 3 ? part->shape[0] : 1, shown = 0;
    size_t size = (size_t)rows * columns;
    float *data = size <= PICTURE_MOST ? malloc(size * sizeof *data) : NULL;
    for (unsigned i = 0; data && i < count && shown < MOST_OF_ARRAY; i++) {
        char caption[64];
        snprintf(caption, sizeof caption, count > 1 ? "%s %u" : "%s", what, i);
        for (size_t k = 0; k < size; k++) {
            data[k] = (float)dump_number(&part->array, i * size + k);
        }
        shown += put_picture(page, data, rows, columns, caption);
    }
    fputs(shown == MOST_OF_ARRAY ? "<p>...</p>\n"
          : shown                ? ""
                                 : "<p>Zeros, or too much for pictures.</p>\n",
          page->file);
    free(data);
}

static void put_buffers(struct dump_page *page, const struct dump_tile *tile)
{
    const struct dump_part *buffers = dump_find(tile, "circular_buffers");
    FILE *file = page->file;
    const json_t *buffer;
    size_t i;
    json_array_foreach(buffers ? buffers->json : NULL, i, buffer)
    {
        char name[DUMP_NAME];
        uint64_t id = number_of(buffer, "id");
        snprintf(name, sizeof name, "cb_%" PRIu64, id);
        const struct dump_part *part = dump_find(tile, name);
        fprintf(file,
                "<h3>Circular buffer %" PRIu64 "</h3>\n<p>%" PRIu64 " pages of %" PRIu64
                " bytes at 0x%" PRIx64 "; received %" PRIu64 ", acknowledged %" PRIu64 "; ",
                id, number_of(buffer, "pages"), number_of(buffer, "page_size"),
                number_of(buffer, "address"), number_of(buffer, "received"),
                number_of(buffer, "acknowledged"));
        html_text(file, *string_of(buffer, "format") ? string_of(buffer, "format")
                                                     : "of an unknown format");
        fputs("</p>\n", file);
        if (part && part->array.data) {
            put_matrices(page, part, part->dimensions == 3 ? "page" : "pages");
        }
    }
}

/* --- Harts and L1 --- */

static void put_harts(FILE *file, const struct dump_tile *tile)
{
    const struct dump_part *harts = dump_find(tile, "harts");
    const json_t *hart;
    size_t i;
    if (!harts) {
        return;
    }
    fputs("<table><tr><th>hart</th><th>state</th><th>pc</th></tr>\n", file);
    json_array_foreach(json_object_get(tile->about, "harts"), i, hart)
    {
        char state[48], pc[48];
        const char *name = json_string_value(hart);
        snprintf(state, sizeof state, "%.32s.state", name ? name : "");
        snprintf(pc, sizeof pc, "%.32s.pc", name ? name : "");
        fputs("<tr><td>", file);
        html_text(file, name);
        fputs("</td><td>", file);
        html_text(file, string_of(harts->json, state));
        fprintf(file, "</td><td>0x%08" PRIx64 "</td></tr>\n", number_of(harts->json, pc));
    }
    fputs("</table>\n", file);
}

static const char *color_of_kind(const char *kind)
{
    static const struct {
        const char *kind, *color;
    } colors[] = {
        {"firmware", "#7a7ac8"},      {"kernel", "#4aa04a"},          {"mailboxes", "#c8a03c"},
        {"kernel_config", "#e08040"}, {"circular_buffer", "#d05050"}, {"data", "#909090"},
        {"zero", "#f0f0f0"}};
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        if (strcmp(colors[i].kind, kind) == 0) {
            return colors[i].color;
        }
    }
    return "#606060";
}

static void put_l1(FILE *file, const struct dump_tile *tile)
{
    enum { WIDTH = 1000, HEIGHT = 36 };
    const json_t *map = json_object_get(tile->about, "l1_map"), *segment;
    uint64_t end = 0;
    size_t i;
    json_array_foreach(map, i, segment)
    {
        end = number_of(segment, "start") + number_of(segment, "size");
    }
    if (!end) {
        return;
    }
    fprintf(file, "<h3>L1</h3>\n<svg class=\"map\" width=\"%d\" height=\"%d\">\n", WIDTH, HEIGHT);
    json_array_foreach(map, i, segment)
    {
        double scale = (double)WIDTH / (double)end;
        fprintf(file, "<rect x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n",
                (double)number_of(segment, "start") * scale,
                fmax((double)number_of(segment, "size") * scale, 0.5), HEIGHT,
                color_of_kind(string_of(segment, "kind")));
    }
    fputs("</svg>\n<details><summary>segments</summary><table>\n", file);
    json_array_foreach(map, i, segment)
    {
        fprintf(file,
                "<tr><td style=\"background:%s\"></td><td>0x%06" PRIx64 "</td><td>%" PRIu64
                "</td><td>",
                color_of_kind(string_of(segment, "kind")), number_of(segment, "start"),
                number_of(segment, "size"));
        html_text(file, string_of(segment, "kind"));
        fputs("</td><td>", file);
        html_text(file, string_of(segment, "name"));
        fputs("</td></tr>\n", file);
    }
    fputs("</table></details>\n", file);
}

/* --- The page --- */

enum penrose_status dump_page_open(const char *path, const json_t *manifest,
                                   struct dump_page **page, struct penrose_error *error)
{
    *page = calloc(1, sizeof **page);
    char *copy = strdup(path);
    if (!*page || !copy) {
        free(*page);
        free(copy);
        *page = NULL;
        return error_set(error, PENROSE_E_MEMORY, "%s: no memory to write it", path);
    }
    (*page)->path = copy;
    int descriptor = dump_create_file(path);
    (*page)->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!(*page)->file) {
        free(copy);
        free(*page);
        *page = NULL;
        return error_set(error, PENROSE_E_FILE, "%s: cannot be written: %s", path, strerror(errno));
    }
    fputs(head, (*page)->file);
    put_manifest((*page)->file, manifest);
    return PENROSE_OK;
}

void dump_page_add(struct dump_page *page, const struct dump_tile *tile)
{
    const struct dump_part *lregs = dump_find(tile, "lregs");
    const struct dump_part *bits = dump_find(tile, "lregs_bits");
    FILE *file = page->file;
    fprintf(file, "<h2>Tile (%u, %u), ", tile->x, tile->y);
    html_text(file, string_of(tile->about, "kind"));
    fputs("</h2>\n", file);
    put_harts(file, tile);
    put_l1(file, tile);
    put_dst(page, tile);
    if (lregs && lregs->dimensions == 2) {
        fputs("<h3>LRegs as FP32, a row each</h3>\n", file);
        put_matrices(page, lregs, "LRegs");
    }
    if (bits && bits->dimensions == 2) {
        fputs("<h3>LRegs as integers, a row each</h3>\n", file);
        put_matrices(page, bits, "LRegs");
    }
    put_buffers(page, tile);
}

enum penrose_status dump_page_close(struct dump_page *page, struct penrose_error *error)
{
    fputs("</body></html>\n", page->file);
    bool is_bad = ferror(page->file);
    is_bad |= fclose(page->file) != 0;
    enum penrose_status status =
        is_bad ? error_set(error, PENROSE_E_FILE, "%s: not all of it could be written", page->path)
               : PENROSE_OK;
    free(page->path);
    free(page);
    return status;
}
