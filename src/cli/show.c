/* State of tiles as text; see show.h. Zeros are left out where there are many of them. */
#include "cli/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "isa/word_text.h"
#include "observe/inside.h"

enum { FACE = 16, TILE = 32, EDGE = 3 /* rows and columns shown at each end, as numpy does */ };

static const struct {
    const char *name;
    unsigned groups;
} known_items[SHOW_ITEMS] = {
#define SHOW_ITEM(token, name, groups) {name, groups},
#include "cli/show_items.def"
};

/* --- Names --- */

static bool find_item(const char *name, unsigned *item, struct suggestion *nearest)
{
    for (*item = 0; *item < SHOW_ITEMS; (*item)++) {
        if (strcmp(known_items[*item].name, name) == 0) {
            return true;
        }
        suggest(nearest, known_items[*item].name);
    }
    return false;
}

bool show_parse(const struct cli *cli, const char *option, const char *text, unsigned *items)
{
    while (*text) {
        char name[32];
        unsigned item;
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 text);
        struct suggestion nearest = {.word = name};
        if (strcmp(name, "all") == 0) {
            *items |= (1u << SHOW_ITEMS) - 1;
        } else if (find_item(name, &item, &nearest)) {
            *items |= 1u << item;
        } else {
            options_refuse(cli,
                           nearest.best ? "%s: there is no '%s' to show; did you mean %s?"
                                        : "%s: there is no '%s' to show; choose gprs, local, "
                                          "tensix, config, semaphores, dst, src, lregs, cb, rwc, "
                                          "adc, noc, streams or all",
                           option, name, nearest.best);
            return false;
        }
        text += length + (text[length] == ',');
    }
    return true;
}

unsigned show_groups(unsigned items)
{
    unsigned groups = 0;
    for (unsigned i = 0; i < SHOW_ITEMS; i++) {
        groups |= items >> i & 1 ? known_items[i].groups : 0;
    }
    return groups;
}

/* --- Parts --- */

static const json_t *json_of(const struct dump_tile *tile, const char *name)
{
    const struct dump_part *part = dump_find(tile, name);
    return part ? part->json : NULL;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static uint64_t value_of(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static uint32_t bits_of_datum(const struct dump_part *part, size_t index)
{
    uint32_t word = 0;
    memcpy(&word, part->array.data + index * part->array.size,
           part->array.size < sizeof word ? part->array.size : sizeof word);
    return word;
}

static bool is_zero_part(const struct dump_part *part, size_t first, size_t count)
{
    const uint8_t *bytes = part->array.data + first * part->array.size;
    for (size_t i = 0; i < count * part->array.size; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

/* Is it an array of so many elements at least? */
static bool has_array(const struct dump_part *part, size_t count)
{
    return part && part->array.data && (size_t)part->array.rows * part->array.columns >= count;
}

/* --- Matrices --- */

/* Where a datum of a matrix is in its array. */
typedef size_t matrix_place(unsigned row, unsigned column, unsigned columns);

static size_t place_in_rows(unsigned row, unsigned column, unsigned columns)
{
    return (size_t)row * columns + column;
}

/* Of a tile whose four faces lie one behind the other. */
static size_t place_in_faces(unsigned row, unsigned column, unsigned columns)
{
    unsigned face = row / FACE * 2 + column / FACE;
    (void)columns;
    return (face * FACE + row % FACE) * FACE + column % FACE;
}

static void put_number(FILE *file, double value, bool is_float)
{
    if (is_float) {
        fprintf(file, " %11.5g", value);
    } else {
        fprintf(file, " %11.0f", value);
    }
}

static void put_matrix(FILE *file, const struct loader_npy *array, size_t first, unsigned rows,
                       unsigned columns, matrix_place *place)
{
    for (unsigned row = 0; row < rows; row++) {
        if (row == EDGE && rows > 2 * EDGE) {
            fputs("        ...\n", file);
            row = rows - EDGE;
        }
        fputs("     ", file);
        for (unsigned column = 0; column < columns; column++) {
            if (column == EDGE && columns > 2 * EDGE) {
                fputs("  ...", file);
                column = columns - EDGE;
            }
            put_number(file, dump_number(array, first + place(row, column, columns)),
                       array->kind == LOADER_NPY_FLOAT);
        }
        fputc('\n', file);
    }
}

/* --- Harts --- */

/* Members of a hart other than x registers, if they are not 0. */
static void put_other_registers(FILE *file, const json_t *harts, const char *name)
{
    const char *member;
    const json_t *value;
    size_t length = strlen(name);
    unsigned count = 0;
    bool is_behind_x = false;
    json_object_foreach((json_t *)(uintptr_t)harts, member, value)
    {
        if (strncmp(member, name, length) != 0 || member[length] != '.') {
            continue;
        }
        const char *own = member + length + 1;
        is_behind_x |= strcmp(own, "f0") == 0;
        const char *text = json_string_value(value);
        bool is_nothing = text ? strspn(text, "0") == strlen(text) : !json_integer_value(value);
        if (!is_behind_x || is_nothing) {
            continue;
        }
        fprintf(file, count % 4 == 0 ? "    %-14s " : "%-14s ", own);
        if (text) {
            fprintf(file, "0x%s", text);
            count += 3;
        } else {
            fprintf(file, "0x%08" PRIx64 "   ", (uint64_t)json_integer_value(value));
        }
        fputs(++count % 4 == 0 ? "\n" : "", file);
    }
    fputs(count % 4 ? "\n" : "", file);
}

static void show_gprs(FILE *file, const struct dump_tile *tile)
{
    const json_t *harts = json_of(tile, "harts"), *hart;
    size_t i;
    json_array_foreach(json_object_get(tile->about, "harts"), i, hart)
    {
        const char *name = json_string_value(hart);
        char member[64];
        if (!name || !harts) {
            continue;
        }
        snprintf(member, sizeof member, "%.32s.state", name);
        fprintf(file, "  %s is %s", name, text_of(harts, member));
        snprintf(member, sizeof member, "%.32s.pc", name);
        fprintf(file, ", pc 0x%08" PRIx64 "\n", value_of(harts, member));
        for (unsigned x = 1; x < 32; x++) {
            snprintf(member, sizeof member, "%.32s.%s", name, rv32_x_names[x]);
            fprintf(file, "%s%-4s 0x%08" PRIx64 "%s", x % 8 == 1 ? "    " : " ", rv32_x_names[x],
                    value_of(harts, member), x % 8 == 0 || x == 31 ? "\n" : "");
        }
        put_other_registers(file, harts, name);
    }
}

static void show_local(FILE *file, const struct dump_tile *tile)
{
    enum { LINE = 16 };
    for (unsigned i = 0; i < tile->parts; i++) {
        const struct dump_part *part = &tile->part[i];
        if (strncmp(part->name, "local_", 6) != 0 || !part->array.data || part->array.size != 1) {
            continue;
        }
        size_t size = (size_t)part->array.rows * part->array.columns;
        fprintf(file, "  local RAM of %s\n", part->name + 6);
        for (size_t at = 0; at < size; at += LINE) {
            size_t length = size - at < LINE ? size - at : LINE;
            if (!is_zero_part(part, at, length)) {
                output_dump(file, tile->kind->arch->local_ram + (uint32_t)at, part->array.data + at,
                            length);
            }
        }
    }
}

/* --- The coprocessor --- */

static void put_gates(FILE *file, const json_t *gates)
{
    for (unsigned thread = 0; gates && thread < 3; thread++) {
        char name[32];
        snprintf(name, sizeof name, "%u.instruction", thread);
        const char *instruction = text_of(gates, name);
        snprintf(name, sizeof name, "%u.waits", thread);
        const char *waits = text_of(gates, name);
        snprintf(name, sizeof name, "%u.queued", thread);
        uint64_t queued = value_of(gates, name);
        if (!*instruction) {
            fprintf(file, "  thread %u has nothing at its gate\n", thread);
            continue;
        }
        snprintf(name, sizeof name, "%u.pc", thread);
        fprintf(file, "  thread %u: %s, pushed at pc 0x%08" PRIx64 ", %" PRIu64 " behind it%s%s\n",
                thread, instruction, value_of(gates, name), queued, *waits ? ": " : "", waits);
    }
}

static double as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void put_tensix_gprs(FILE *file, const struct dump_tile *tile)
{
    const struct dump_part *gpr = dump_find(tile, "gpr");
    enum { THREADS = PENROSE_TENSIX_THREADS };
    const unsigned gprs = tile->kind->inside->tensix_item_count(ITEM_GPR);
    const bool is_there = has_array(gpr, (size_t)THREADS * gprs);
    for (unsigned thread = 0; is_there && thread < THREADS; thread++) {
        unsigned count = 0;
        for (unsigned i = 0; i < gprs; i++) {
            uint32_t value = bits_of_datum(gpr, (size_t)thread * gprs + i);
            if (!value) {
                continue;
            }
            if (count == 0) {
                fprintf(file, "  GPRs of thread %u, those that are not 0: bits (integer, FP32)\n",
                        thread);
            }
            char text[WORD_TEXT];
            word_text(value, text);
            fprintf(file, "    gpr.%-2u %s\n", i, text);
            count++;
        }
    }
}

static const json_t *json_of_item(const struct dump_tile *tile, enum tensix_item item,
                                  unsigned thread, unsigned index)
{
    const json_t *tensix = json_of(tile, "tensix");
    char name[TENSIX_ITEM_NAME];
    return json_object_get(tensix, tile->kind->inside->tensix_item_name(
                                       (struct tensix_item_at){item, thread, index}, name));
}

/* A line for a member that is not 0; false: it is. */
static bool put_member(FILE *file, const char *name, const json_t *value)
{
    const uint64_t number = (uint64_t)json_integer_value(value);
    if (number) {
        fprintf(file, "    %-34s %" PRIu64 " (0x%" PRIx64 ")\n", name, number, number);
    }
    return number;
}

/* Members of an object with a prefix whose value is not 0, in lines. */
static unsigned put_members(FILE *file, const json_t *object, const char *prefix,
                            const char *middle)
{
    const char *name;
    const json_t *value;
    unsigned count = 0;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        bool is_one = strncmp(name, prefix, strlen(prefix)) == 0 && strstr(name, middle);
        count += is_one && put_member(file, name, value);
    }
    return count;
}

static void put_all_members(FILE *file, const json_t *object, const char *title, const char *prefix,
                            const char *middle)
{
    fprintf(file, "  %s\n", title);
    if (!object) {
        fputs("    not in the dump\n", file);
    } else if (!put_members(file, object, prefix, middle)) {
        fputs("    all are 0\n", file);
    }
}

static void show_tensix(FILE *file, const struct dump_tile *tile)
{
    const json_t *tensix = json_of(tile, "tensix");
    put_gates(file, json_of(tile, "gates"));
    put_tensix_gprs(file, tile);
    for (unsigned i = 0; tensix && i < tile->kind->inside->tensix_item_count(ITEM_MUTEX); i++) {
        const json_t *mutex = json_of_item(tile, ITEM_MUTEX, 0, i);
        if (mutex && json_integer_value(mutex) < PENROSE_TENSIX_THREADS) {
            fprintf(file, "  mutex %u is held by thread %" JSON_INTEGER_FORMAT "\n", i,
                    json_integer_value(mutex));
        }
    }
}

static void show_semaphores(FILE *file, const struct dump_tile *tile)
{
    const json_t *tensix = json_of(tile, "tensix");
    fputs("  semaphore  value  max\n", file);
    for (unsigned i = 0; tensix && i < tile->kind->inside->tensix_item_count(ITEM_SEMAPHORE_VALUE);
         i++) {
        fprintf(file, "  %9u  %5" JSON_INTEGER_FORMAT "  %3" JSON_INTEGER_FORMAT "\n", i,
                json_integer_value(json_of_item(tile, ITEM_SEMAPHORE_VALUE, 0, i)),
                json_integer_value(json_of_item(tile, ITEM_SEMAPHORE_MAX, 0, i)));
    }
}

/* Items of these groups, a bit each, that are not 0. */
static void put_items(FILE *file, const struct dump_tile *tile, const char *title, unsigned groups)
{
    const json_t *tensix = json_of(tile, "tensix");
    struct tensix_item_at at;
    bool has_begun = false;
    unsigned count = 0;
    fprintf(file, "  %s\n", title);
    while (tensix && tile->kind->inside->tensix_item_next(&at, &has_begun)) {
        char name[TENSIX_ITEM_NAME];
        if (groups >> tile->kind->inside->tensix_item_group(at.item) & 1) {
            tile->kind->inside->tensix_item_name(at, name);
            count += put_member(file, name, json_object_get(tensix, name));
        }
    }
    fputs(!tensix ? "    not in the dump\n" : count ? "" : "    all are 0\n", file);
}

static void show_rwc(FILE *file, const struct dump_tile *tile)
{
    put_items(file, tile, "counters of RWCs that are not 0", 1 << ITEMS_THREAD_RWC);
}

static void show_adc(FILE *file, const struct dump_tile *tile)
{
    put_items(file, tile, "counters of ADCs that are not 0",
              1 << ITEMS_THREAD_ADC_UNPACKER0 | 1 << ITEMS_THREAD_ADC_UNPACKER1 |
                  1 << ITEMS_THREAD_ADC_PACKER);
}

/* The configuration of a chip to which nobody has written. */
static bool collect_defaults(const struct chip_calls *kind, struct penrose_chip **chip,
                             struct dump_tile *defaults)
{
    const struct penrose_options options = {.size = sizeof options, .card = kind->card_at(0)};
    struct penrose_place first = {0};
    *defaults = (struct dump_tile){0};
    return penrose_chip_create(&options, chip, NULL) == PENROSE_OK &&
           penrose_tile_at(*chip, PENROSE_TILE_TENSIX, 0, &first) &&
           kind->inside->dump_collect(*chip, first, DUMP_CONFIG, NULL, defaults, NULL) ==
               PENROSE_OK;
}

static void show_config(FILE *file, const struct dump_tile *tile)
{
    struct penrose_chip *chip = NULL;
    struct dump_tile defaults;
    const json_t *config = json_of(tile, "config"), *value;
    const char *name;
    unsigned shown = 0;
    bool has_defaults = collect_defaults(tile->kind, &chip, &defaults);
    const json_t *usual = has_defaults ? json_of(&defaults, "config") : NULL;
    fputs("  fields of the configuration that are not what they are after a reset\n", file);
    json_object_foreach((json_t *)(uintptr_t)config, name, value)
    {
        if (json_equal(value, json_object_get(usual, name))) {
            continue;
        }
        shown++;
        if (json_is_string(value)) {
            fprintf(file, "    %-60s %s\n", name, json_string_value(value));
        } else {
            fprintf(file, "    %-60s %" PRIu64 " (0x%" PRIx64 ")\n", name,
                    (uint64_t)json_integer_value(value), (uint64_t)json_integer_value(value));
        }
    }
    fputs(shown ? "" : config ? "    none\n" : "    not in the dump\n", file);
    dump_tile_free(&defaults);
    penrose_chip_destroy(chip);
}

/* --- Dst, Src, LRegs --- */

static void show_dst(FILE *file, const struct dump_tile *tile)
{
    const struct dump_part *dst = dump_find(tile, "dst");
    unsigned tiles = has_array(dst, 1) && dst->dimensions == 2 && dst->shape[1] == FACE
                         ? dst->shape[0] / (TILE * TILE / FACE)
                         : 0;
    unsigned zeros = 0;
    if (!tiles) {
        fputs("  Dst is not in the dump\n", file);
        return;
    }
    fprintf(file, "  Dst as %s, in tiles of 32x32\n", text_of(dst->about, "num_format"));
    for (unsigned i = 0; i < tiles; i++) {
        size_t first = (size_t)i * TILE * TILE;
        if (is_zero_part(dst, first, TILE * TILE)) {
            zeros++;
            continue;
        }
        fprintf(file, "    tile %u, rows %u to %u\n", i, i * TILE * TILE / FACE,
                (i + 1) * TILE * TILE / FACE - 1);
        put_matrix(file, &dst->array, first, TILE, TILE, place_in_faces);
    }
    fprintf(file, "    %u of %u tiles are zero\n", zeros, tiles);
}

static void show_src_file(FILE *file, const struct dump_tile *tile, const char *name,
                          const char *title)
{
    enum { BANKS = 2, ROWS = 64 };
    const struct dump_part *part = dump_find(tile, name);
    for (unsigned bank = 0; has_array(part, BANKS * ROWS * FACE) && bank < BANKS; bank++) {
        size_t first = (size_t)bank * ROWS * FACE;
        const enum tensix_item valid =
            strcmp(name, "srca") == 0 ? ITEM_SRCA_VALID : ITEM_SRCB_VALID;
        const char *format =
            json_string_value(json_array_get(json_object_get(part->about, "num_formats"), bank));
        fprintf(file, "  %s bank %u, %s, held by %s", title, bank, format ? format : "?",
                json_integer_value(json_of_item(tile, valid, 0, bank)) ? "the Matrix Unit"
                                                                       : "the unpackers");
        if (is_zero_part(part, first, ROWS * FACE)) {
            fputs(": zero\n", file);
            continue;
        }
        fputc('\n', file);
        put_matrix(file, &part->array, first, ROWS, FACE, place_in_rows);
    }
}

static void show_src(FILE *file, const struct dump_tile *tile)
{
    show_src_file(file, tile, "srca", "SrcA");
    show_src_file(file, tile, "srcb", "SrcB");
}

/* Lanes of a register in a line, of which the middle is left out, or the one that all have. */
static void put_lanes(FILE *file, const struct dump_part *bits, size_t first, unsigned lanes,
                      bool is_float)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (lane == EDGE && lanes > 2 * EDGE) {
            fputs("  ...", file);
            lane = lanes - EDGE;
        }
        uint32_t value = bits_of_datum(bits, first + lane);
        put_number(file, is_float ? as_float(value) : (double)(int32_t)value, is_float);
    }
}

/* Nothing says whether an LReg holds numbers or integers. */
static void show_lregs(FILE *file, const struct dump_tile *tile)
{
    enum { LREGS = 17, LANES = 32 };
    const struct dump_part *bits = dump_find(tile, "lregs_bits");
    if (!has_array(bits, LREGS * LANES)) {
        fputs("  LRegs are not in the dump\n", file);
        return;
    }
    fputs("  LRegs: bits of lane 0; lanes 0 to 31 as integers, and as FP32\n", file);
    for (unsigned i = 0; i < LREGS; i++) {
        const size_t first = (size_t)i * LANES;
        bool is_uniform = true;
        for (unsigned lane = 1; lane < LANES; lane++) {
            is_uniform &= bits_of_datum(bits, first + lane) == bits_of_datum(bits, first);
        }
        fprintf(file, "    LReg %-2u 0x%08x", i, bits_of_datum(bits, first));
        put_lanes(file, bits, first, is_uniform ? 1 : LANES, false);
        fputs(is_uniform ? "" : "\n                      ", file);
        put_lanes(file, bits, first, is_uniform ? 1 : LANES, true);
        fputs(is_uniform ? " in all lanes\n" : "\n", file);
    }
}

/* --- Buffers, NoC, streams --- */

static void put_pages(FILE *file, const struct dump_part *pages)
{
    bool is_tiled = pages->dimensions == 3;
    unsigned count = is_tiled ? pages->shape[0] : 1;
    unsigned rows = is_tiled ? pages->shape[1] : pages->shape[0];
    unsigned columns = is_tiled ? pages->shape[2] : pages->shape[1];
    for (unsigned i = 0; i < count; i++) {
        size_t first = (size_t)i * rows * columns;
        if (i == EDGE && count > 2 * EDGE) {
            fputs("      ...\n", file);
            i = count - EDGE;
            first = (size_t)i * rows * columns;
        }
        bool is_zero = is_zero_part(pages, first, (size_t)rows * columns);
        fprintf(file, is_tiled ? "    tile %u%s\n" : "    pages%.0u%s\n", i,
                is_zero ? ": zero" : "");
        if (!is_zero) {
            put_matrix(file, &pages->array, first, rows, columns, place_in_rows);
        }
    }
}

static void show_buffers(FILE *file, const struct dump_tile *tile)
{
    const json_t *buffers = json_of(tile, "circular_buffers"), *buffer;
    size_t i;
    if (!buffers) {
        fputs("  circular buffers are not known: no firmware with debug information was booted "
              "here\n",
              file);
    }
    json_array_foreach(buffers, i, buffer)
    {
        char name[DUMP_NAME];
        const char *format = text_of(buffer, "format");
        uint64_t id = value_of(buffer, "id");
        uint64_t received = value_of(buffer, "received"), popped = value_of(buffer, "acknowledged");
        fprintf(file,
                "  circular buffer %" PRIu64 ": %" PRIu64 " pages of %" PRIu64
                " bytes at 0x%" PRIx64 ", %" PRIu64 " full (received %" PRIu64
                ", acknowledged %" PRIu64 "), %s\n",
                id, value_of(buffer, "pages"), value_of(buffer, "page_size"),
                value_of(buffer, "address"), (received - popped) & 0xffff, received, popped,
                *format ? format : "of an unknown format");
        snprintf(name, sizeof name, "cb_%" PRIu64, id);
        const struct dump_part *pages = dump_find(tile, name);
        if (has_array(pages, 1) && pages->dimensions >= 2) {
            put_pages(file, pages);
        }
    }
}

static void show_noc(FILE *file, const struct dump_tile *tile)
{
    const json_t *noc = json_of(tile, "noc");
    put_all_members(file, noc, "counters of NoC 0 that are not 0", "noc0.", ".NIU_");
    put_all_members(file, noc, "counters of NoC 1 that are not 0", "noc1.", ".NIU_");
}

static void show_streams(FILE *file, const struct dump_tile *tile)
{
    put_all_members(file, json_of(tile, "streams"), "registers of streams that are not 0", "stream",
                    "");
}

/* --- All --- */

void show_tile(FILE *file, const struct dump_tile *tile, unsigned items)
{
    static void (*const show[SHOW_ITEMS])(FILE *, const struct dump_tile *) = {
        [SHOW_GPRS_NUMBER] = show_gprs,
        [SHOW_LOCAL_NUMBER] = show_local,
        [SHOW_TENSIX_NUMBER] = show_tensix,
        [SHOW_CONFIG_NUMBER] = show_config,
        [SHOW_SEMAPHORES_NUMBER] = show_semaphores,
        [SHOW_DST_NUMBER] = show_dst,
        [SHOW_SRC_NUMBER] = show_src,
        [SHOW_LREGS_NUMBER] = show_lregs,
        [SHOW_BUFFERS_NUMBER] = show_buffers,
        [SHOW_RWC_NUMBER] = show_rwc,
        [SHOW_ADC_NUMBER] = show_adc,
        [SHOW_NOC_NUMBER] = show_noc,
        [SHOW_STREAMS_NUMBER] = show_streams};
    fprintf(file, "tile (%u, %u), %s\n", tile->x, tile->y, text_of(tile->about, "kind"));
    for (unsigned i = 0; i < SHOW_ITEMS; i++) {
        if (items >> i & 1) {
            show[i](file, tile);
        }
    }
}

enum cli_exit show_chip(const struct cli *cli, struct penrose_chip *chip,
                        const struct penrose_place *tiles, unsigned count, unsigned items)
{
    FILE *file = cli->json ? stderr : stdout;
    for (unsigned i = 0; i < count; i++) {
        struct dump_tile tile;
        struct penrose_error error;
        enum penrose_status status =
            inside(chip)->dump_collect(chip, tiles[i], show_groups(items), NULL, &tile, &error);
        if (status == PENROSE_OK) {
            show_tile(file, &tile, items);
        }
        dump_tile_free(&tile);
        if (status != PENROSE_OK) {
            return complain(cli, "--show: %s", error.text);
        }
    }
    return CLI_DONE;
}
