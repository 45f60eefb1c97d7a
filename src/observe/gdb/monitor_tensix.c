/* `monitor` commands about the coprocessor of the current hart's tile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/word_text.h"
#include "metal/buffers.h"
#include "observe/gdb/internal.h"
#include "observe/inside.h"

enum { DST_ROWS = 1024, SRC_ROWS = 64 };

/* Both states of Config, and ThreadConfig of three threads, by field. */
struct gdb_config {
    unsigned chip, x, y, fields;
    uint32_t value[][PENROSE_TENSIX_THREADS];
};

/* A number of a command; `usual` where the command has no such word. */
static unsigned long word_number(const struct gdb_words *words, unsigned index, unsigned long usual)
{
    return words->count > index ? strtoul(words->word[index], NULL, 0) : usual;
}

static bool is_float_word(uint32_t word, float *value)
{
    memcpy(value, &word, sizeof *value);
    return isfinite(*value);
}

static void put_float(struct gdb_text *out, uint32_t word)
{
    float value;
    if (is_float_word(word, &value)) {
        gdb_put(out, " %-11.6g", (double)value);
    } else {
        gdb_put(out, " 0x%08x ", word);
    }
}

/* An FP16 pattern as that of the same number in FP32. */
static uint32_t widen_fp16(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    float value =
        ldexpf((float)(mantissa | (exponent ? 0x400 : 0)), (int)(exponent ? exponent : 1) - 25);
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word | sign;
}

/* --- Register files --- */

static void monitor_dst(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    static const char *const names[] = {"fp32", "bf16", "fp16"};
    unsigned format = PENROSE_DST_BF16;
    if (words->count > 3) {
        for (format = 0; format < 3 && strcmp(words->word[3], names[format]) != 0; format++) {
        }
    }
    if (format == 3 || words->count > 4 || !gdb_words_are_numbers(words, 1, 2)) {
        gdb_put_usage(out, words);
        return;
    }
    unsigned long first = word_number(words, 1, 0), count = word_number(words, 2, 8);
    for (unsigned long row = first; row < first + count && row < DST_ROWS; row++) {
        uint32_t datum[PENROSE_DST_COLUMNS];
        struct penrose_error error;
        if (penrose_dst_read(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y,
                             (unsigned)row, (enum penrose_dst_format)format, datum,
                             &error) != PENROSE_OK) {
            gdb_put(out, "%s\n", error.text);
            return;
        }
        gdb_put(out, "dst[%lu]", row);
        for (unsigned i = 0; i < PENROSE_DST_COLUMNS; i++) {
            put_float(out, format == PENROSE_DST_FP32   ? datum[i]
                           : format == PENROSE_DST_BF16 ? datum[i] << 16
                                                        : widen_fp16(datum[i]));
        }
        gdb_put(out, "\n");
    }
}

static void monitor_src(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    bool is_b = words->count > 1 && strcmp(words->word[1], "b") == 0;
    bool is_a = words->count > 1 && strcmp(words->word[1], "a") == 0;
    if (!(is_a || is_b) || words->count < 3 || words->count > 5 ||
        !gdb_words_are_numbers(words, 2, 4)) {
        gdb_put_usage(out, words);
        return;
    }
    unsigned long bank = word_number(words, 2, 0), first = word_number(words, 3, 0);
    unsigned long count = word_number(words, 4, 16);
    for (unsigned long row = first; row < first + count && row < SRC_ROWS; row++) {
        uint32_t datum[PENROSE_SRC_COLUMNS];
        struct penrose_error error;
        if (penrose_src_read(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y, is_b,
                             (unsigned)bank, (unsigned)row, datum, &error) != PENROSE_OK) {
            gdb_put(out, "%s\n", error.text);
            return;
        }
        gdb_put(out, "src%c.%lu[%lu]", is_b ? 'b' : 'a', bank, row);
        for (unsigned i = 0; i < PENROSE_SRC_COLUMNS; i++) {
            gdb_put(out, " %05x", datum[i]);
        }
        gdb_put(out, "\n");
    }
}

static void monitor_lreg(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    if (words->count > 2 || !gdb_words_are_numbers(words, 1, 1)) {
        gdb_put_usage(out, words);
        return;
    }
    unsigned long first = word_number(words, 1, 0);
    unsigned long end = words->count > 1 ? first + 1 : 8;
    for (unsigned long lreg = first; lreg < end; lreg++) {
        uint32_t lane[PENROSE_LANES];
        struct penrose_error error;
        if (penrose_lreg_read(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y,
                              (unsigned)lreg, lane, &error) != PENROSE_OK) {
            gdb_put(out, "%s\n", error.text);
            return;
        }
        for (unsigned i = 0; i < PENROSE_LANES; i += 8) {
            gdb_put(out, "lreg%lu[%2u]", lreg, i);
            for (unsigned k = i; k < i + 8; k++) {
                put_float(out, lane[k]);
            }
            gdb_put(out, "\n  integers");
            for (unsigned k = i; k < i + 8; k++) {
                gdb_put(out, " %-11d", (int32_t)lane[k]);
            }
            gdb_put(out, "\n");
        }
    }
}

/* --- Values by name --- */

static bool read_value(struct gdb *gdb, const char *name, uint32_t *value)
{
    return penrose_tensix_read(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y,
                               name, value, NULL) == PENROSE_OK;
}

static bool read_item(struct gdb *gdb, enum tensix_item item, unsigned thread, unsigned index,
                      uint32_t *value)
{
    char name[TENSIX_ITEM_NAME];
    return read_value(
        gdb,
        inside(gdb->chip)->tensix_item_name((struct tensix_item_at){item, thread, index}, name),
        value);
}

/* One GPR of the thread, or all that are not 0. */
static void monitor_gpr(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    int thread = gdb_tensix_thread(gdb, &gdb->general);
    if (words->count > 2 || !gdb_words_are_numbers(words, 1, 1)) {
        gdb_put_usage(out, words);
        return;
    }
    if (thread < 0) {
        gdb_put(out, "only threads of trisc0, trisc1 and trisc2 have GPRs\n");
        return;
    }
    const bool is_one = words->count > 1;
    const unsigned gprs = inside(gdb->chip)->tensix_item_count(ITEM_GPR);
    unsigned long first = word_number(words, 1, 0), end = is_one ? first + 1 : gprs;
    for (unsigned long gpr = first; gpr < end && gpr < gprs; gpr++) {
        char text[WORD_TEXT];
        uint32_t value = 0;
        if (read_item(gdb, ITEM_GPR, (unsigned)thread, (unsigned)gpr, &value) &&
            (is_one || value)) {
            word_text(value, text);
            gdb_put(out, "gpr%-2lu %s\n", gpr, text);
        }
    }
    if (out->size == 0) {
        gdb_put(out, first < gprs ? "all GPRs are 0\n" : "there are GPRs 0 to 63\n");
    }
}

static void monitor_semaphores(struct gdb *gdb, struct gdb_text *out)
{
    uint32_t value, most;
    for (unsigned i = 0; i < inside(gdb->chip)->tensix_item_count(ITEM_SEMAPHORE_VALUE); i++) {
        if (read_item(gdb, ITEM_SEMAPHORE_VALUE, 0, i, &value) &&
            read_item(gdb, ITEM_SEMAPHORE_MAX, 0, i, &most)) {
            gdb_put(out, "semaphore %u: %u of %u\n", i, value, most);
        }
    }
    for (unsigned i = 0; i < inside(gdb->chip)->tensix_item_count(ITEM_MUTEX); i++) {
        if (read_item(gdb, ITEM_MUTEX, 0, i, &value) && value < PENROSE_TENSIX_THREADS) {
            gdb_put(out, "mutex %u: held by thread %u\n", i, value);
        }
    }
}

/* The states of Config, or the threads of ThreadConfig, that a field has values in. */
static unsigned field_banks(const struct tensix_field *field)
{
    return field->thread ? PENROSE_TENSIX_THREADS : 2;
}

static uint32_t field_value(struct gdb *gdb, const struct tensix_field *field, unsigned bank)
{
    char name[128];
    uint32_t value = 0;
    snprintf(name, sizeof name, field->thread ? "%u.%s" : "config.%u.%s", bank, field->name);
    (void)read_value(gdb, name, &value);
    return value;
}

static void monitor_config(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    const struct tensix_field *field;
    for (unsigned i = 0; (field = inside(gdb->chip)->tensix_field_at(i)) != NULL; i++) {
        if (words->count > 1 && !strstr(field->name, words->word[1])) {
            continue;
        }
        gdb_put(out, "%-44s", field->name);
        for (unsigned bank = 0; bank < field_banks(field); bank++) {
            gdb_put(out, " %s%u: 0x%x", field->thread ? "T" : "state ", bank,
                    field_value(gdb, field, bank));
        }
        gdb_put(out, "\n");
    }
}

/* NULL: no memory. */
static struct gdb_config *make_config(const struct gdb *gdb)
{
    unsigned fields = 0;
    while (inside(gdb->chip)->tensix_field_at(fields)) {
        fields++;
    }
    struct gdb_config *config = calloc(1, sizeof *config + fields * sizeof *config->value);
    if (config) {
        config->fields = fields;
    }
    return config;
}

/* Since the last time, or, the first time, since reset, when all is 0. */
static void monitor_config_diff(struct gdb *gdb, struct gdb_text *out)
{
    struct gdb_config *config = gdb->config;
    if (!config) {
        config = gdb->config = make_config(gdb);
    }
    if (!config) {
        gdb_put(out, "no memory\n");
        return;
    }
    if (config->chip != gdb->general.chip || config->x != gdb->general.x ||
        config->y != gdb->general.y) {
        memset(config->value, 0, config->fields * sizeof *config->value);
        config->chip = gdb->general.chip;
        config->x = gdb->general.x;
        config->y = gdb->general.y;
    }
    const struct tensix_field *field;
    for (unsigned i = 0; (field = inside(gdb->chip)->tensix_field_at(i)) != NULL; i++) {
        for (unsigned bank = 0; bank < field_banks(field); bank++) {
            uint32_t value = field_value(gdb, field, bank), *old = &config->value[i][bank];
            if (value != *old && !field->alias) {
                gdb_put(out, "%-44s %s%u: 0x%x -> 0x%x\n", field->name,
                        field->thread ? "T" : "state ", bank, *old, value);
            }
            *old = value;
        }
    }
    if (out->size == 0) {
        gdb_put(out, "nothing has changed\n");
    }
}

/* --- Circular buffers --- */

static uint32_t stream_register(struct gdb *gdb, unsigned stream, unsigned index)
{
    uint32_t value = 0;
    uint64_t address =
        chip_calls_of(gdb->chip)->arch->streams + UINT64_C(0x1000) * stream + 4 * index;
    (void)penrose_peek(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y, address,
                       &value, sizeof value, NULL);
    return value & 0xffff;
}

/* tt-metal counts their pages in registers of streams. Which stream is that of buffer 0 differs from
 * build to build, and only its firmware tells. */
static void monitor_cb(struct gdb *gdb, struct gdb_text *out)
{
    struct tile_facts tile;
    if (!gdb_tile_facts(gdb, gdb->general.chip, gdb->general.x, gdb->general.y, &tile)) {
        return;
    }
    const struct loader_layout *layout = tile.layout;
    const bool is_known = layout && layout->OPERAND_START_STREAM != LOADER_UNKNOWN;
    const unsigned first = is_known ? layout->OPERAND_START_STREAM : 0;
    for (unsigned i = first; i < tile.streams; i++) {
        uint32_t received = stream_register(gdb, i, METAL_PAGES_RECEIVED);
        uint32_t acknowledged = stream_register(gdb, i, METAL_PAGES_ACKNOWLEDGED);
        if (received || acknowledged) {
            gdb_put(out, "%s %2u: %u pages received, %u acknowledged, %u inside\n",
                    is_known ? "cb" : "stream", i - first, received, acknowledged,
                    (received - acknowledged) & 0xffff);
        }
    }
    if (out->size == 0) {
        gdb_put(out, "no circular buffer of tt-metal has had a page\n");
    } else if (!is_known) {
        gdb_put(out, "The tile's firmware is not known, which tells which stream is that of "
                     "circular buffer 0: 0 in newer builds of tt-metal, 8 in older ones.\n");
    }
}

/* --- Commands --- */

static void monitor_step(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    int thread = gdb_tensix_thread(gdb, &gdb->general);
    if (words->count < 2 || strcmp(words->word[1], "step") != 0 || words->count > 3 ||
        !gdb_words_are_numbers(words, 2, 2)) {
        gdb_put_usage(out, words);
        return;
    }
    unsigned long count = word_number(words, 2, 1);
    struct penrose_error error = {.text = "only trisc0, trisc1 and trisc2 feed the coprocessor"};
    if (thread < 0 || gdb_is_past(gdb) ||
        penrose_tensix_step(gdb_chip(gdb, gdb->general.chip), gdb->general.x, gdb->general.y,
                            (unsigned)thread, count, &error) != PENROSE_OK) {
        gdb_put(out, "%s\n", error.text);
        return;
    }
    gdb_put(out, "'continue' now stops when thread %d has executed %lu Tensix instruction%s\n",
            thread, count, count == 1 ? "" : "s");
}

bool gdb_monitor_tensix(struct gdb *gdb, const struct gdb_words *words, struct gdb_text *out)
{
    const char *name = words->word[0];
    if (strcmp(name, "tensix") == 0) {
        monitor_step(gdb, words, out);
    } else if (strcmp(name, "dst") == 0) {
        monitor_dst(gdb, words, out);
    } else if (strcmp(name, "src") == 0) {
        monitor_src(gdb, words, out);
    } else if (strcmp(name, "lreg") == 0) {
        monitor_lreg(gdb, words, out);
    } else if (strcmp(name, "gpr") == 0) {
        monitor_gpr(gdb, words, out);
    } else if (strcmp(name, "config") == 0) {
        monitor_config(gdb, words, out);
    } else if (strcmp(name, "config-diff") == 0) {
        monitor_config_diff(gdb, out);
    } else if (strcmp(name, "semaphores") == 0) {
        monitor_semaphores(gdb, out);
    } else if (strcmp(name, "cb") == 0) {
        monitor_cb(gdb, out);
    } else {
        return false;
    }
    return true;
}
