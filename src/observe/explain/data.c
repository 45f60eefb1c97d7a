/* Finds the differences that can be followed, and the data to watch for each; see explain.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/explain/internal.h"

enum { SRC_BANK_DATA = 64 * 16, GPRS = 64 };

/* --- From items to data that can be watched --- */

static bool datum_of_tensix(const struct compare_part *part, const struct compare_item *item,
                            struct writers_datum *datum)
{
    bool is_field = strcmp(part->name, "config") == 0 || strcmp(part->name, "tensix") == 0;
    datum->kind = WRITERS_FIELD;
    if (strcmp(part->name, "gpr") == 0) {
        snprintf(datum->name, sizeof datum->name, "%" PRIu64 ".gpr.%" PRIu64, item->index / GPRS,
                 item->index % GPRS);
        return true;
    }
    const char *name = is_field ? strrchr(item->name, '/') : NULL;
    snprintf(datum->name, sizeof datum->name, "%s", name ? name + 1 : "");
    return name;
}

static bool datum_of_item(const struct compare_part *part, const struct compare_item *item,
                          struct writers_datum *datum)
{
    *datum = (struct writers_datum){.index = (uint32_t)item->index};
    if (strcmp(part->name, "l1") == 0) {
        datum->kind = WRITERS_L1;
        return true;
    }
    for (unsigned hart = 0; hart < PENROSE_HARTS && strncmp(part->name, "local_", 6) == 0; hart++) {
        if (strcmp(part->name + 6, penrose_hart_name((enum penrose_hart)hart)) == 0) {
            datum->kind = WRITERS_LOCAL;
            datum->part = hart;
            return true;
        }
    }
    if (strcmp(part->name, "dst") == 0 || strncmp(part->name, "dst_bits", 8) == 0) {
        bool is_wide = strcmp(part->name, "dst_bits32") == 0 ||
                       strcmp(part->detail, "Float32") == 0 || strcmp(part->detail, "Int32") == 0;
        datum->kind = is_wide ? WRITERS_DST32 : WRITERS_DST16;
        return true;
    }
    if (strncmp(part->name, "src", 3) == 0) {
        datum->kind = WRITERS_SRC;
        datum->part = (part->name[3] == 'b') * 2U + (unsigned)(item->index / SRC_BANK_DATA % 2);
        datum->index = (uint32_t)(item->index % SRC_BANK_DATA);
        return true;
    }
    if (strncmp(part->name, "lregs", 5) == 0) {
        datum->kind = WRITERS_LREG;
        return true;
    }
    return datum_of_tensix(part, item, datum);
}

unsigned explain_tile(struct explain *explain, unsigned x, unsigned y)
{
    unsigned i = 0;
    while (i < explain->tiles && (explain->tile[i].x != x || explain->tile[i].y != y)) {
        i++;
    }
    if (i == explain->tiles && i < EXPLAIN_TILES) {
        explain->tile[explain->tiles++] = (struct penrose_place){x, y};
    }
    return i;
}

bool explain_collect_data(struct explain *explain)
{
    const struct comparison *comparison = explain->comparison;
    size_t count = 0;
    for (size_t i = 0; i < comparison->parts; i++) {
        count += comparison->part[i].items;
    }
    explain->datum = calloc(count + 1, sizeof *explain->datum);
    for (size_t i = 0; i < comparison->parts && explain->datum; i++) {
        const struct compare_part *part = &comparison->part[i];
        for (size_t k = 0; k < part->items; k++) {
            struct explain_datum *datum = &explain->datum[explain->data];
            if (datum_of_item(part, &part->item[k], &datum->watched)) {
                datum->part = part;
                datum->item = &part->item[k];
                datum->tile = explain_tile(explain, part->x, part->y);
                explain->data += datum->tile < EXPLAIN_TILES;
            }
        }
    }
    return explain->datum;
}

/* --- Their order --- */

/* The time of the write in A. If A has none, B has the time at which A should have written. */
static const struct writers_record *moment_of(const struct explain_datum *datum)
{
    const struct writers_record *a = &datum->by[EXPLAIN_A].record;
    return a->is_written ? a : &datum->by[EXPLAIN_B].record;
}

bool explain_is_earlier(const struct explain_datum *a, const struct explain_datum *b)
{
    if (a->tile == b->tile) {
        return moment_of(a)->sequence < moment_of(b)->sequence;
    }
    return moment_of(a)->event.cycle < moment_of(b)->event.cycle;
}

/* A word of a program that nobody has written: the programs are different ones. */
static bool is_code_word(const struct explain_datum *datum)
{
    const char *detail = datum->part->detail;
    return datum->watched.kind == WRITERS_L1 && !datum->by[EXPLAIN_A].record.is_written &&
           (strncmp(detail, "firmware", 8) == 0 || strncmp(detail, "kernel ", 7) == 0);
}

size_t explain_code_words(const struct explain *explain)
{
    size_t count = 0;
    for (size_t i = 0; i < explain->data; i++) {
        count += is_code_word(&explain->datum[i]);
    }
    return count;
}

struct explain_datum *explain_first(struct explain *explain)
{
    struct explain_datum *first = NULL;
    for (size_t i = 0; i < explain->data; i++) {
        struct explain_datum *datum = &explain->datum[i];
        if (!is_code_word(datum) && (!first || explain_is_earlier(datum, first))) {
            first = datum; /* what neither run wrote was there before all */
        }
    }
    return first;
}

struct explain_datum *explain_last_result(struct explain *explain)
{
    struct explain_datum *result = NULL;
    for (size_t i = 0; i < explain->data; i++) {
        struct explain_datum *datum = &explain->datum[i];
        bool is_memory =
            datum->watched.kind == WRITERS_L1 && datum->by[EXPLAIN_A].record.is_written;
        bool is_other =
            !result || (datum->part != result->part && explain_is_earlier(result, datum));
        result = is_memory && is_other ? datum : result;
    }
    return result;
}
