/* See timing.h. */
#include "tile/timing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/error.h"
#include "tensix/table.h"
#include "tile/costs.h"

const struct timing tile_costs = {
#define RATE(token, units)
#define CYCLES(token, cycles) [TIMING_##token] = cycles,
    .cycles =
        {
#include "timing.def"
        },
#define CYCLES(token, cycles)
#define RATE(token, units) [TIMING_##token] = units,
    .rate =
        {
#include "timing.def"
        },
    .harts = &rv32_chip_timing,
};

/* --- Other costs --- */

#define GUESSES "guesses" /* the name of all costs that are */

/* With what a cost or a rate is free. */
enum { FREE_CYCLES = 1, FREE_RATE = 1 << 20, MOST_CYCLES = UINT16_MAX, COST_COLUMN = 26 };

static const char *const cost_names[] = {
#define CYCLES(token, cycles) [TIMING_##token] = #token,
#define RATE(token, units)
#include "timing.def"
};

static const char *const rate_names[] = {
#define CYCLES(token, cycles)
#define RATE(token, units) [TIMING_##token] = #token,
#include "timing.def"
};

/* A new cost: a number, or so many times as fast, which is as fast as can be where it is free. */
struct cost_change {
    bool is_number, is_free;
    double value;
};

/* Is it the row's token, in any case and with '-' or '.' for '_', or how it begins? */
static bool begins_row(const char *token, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = name[i] == '-' || name[i] == '.'   ? '_'
                 : name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32
                                                    : name[i];
        if (token[i] != c) {
            return false;
        }
    }
    return token[length] == '_' || token[length] == '\0';
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* "dram.bandwidth" is the rates that begin with "dram", "dram.latency" its times: is that how the name ends,
 * and if so, how long is it without that? */
static bool ends_in_kind(const char *name, size_t *length, const char *kind)
{
    const size_t end = strlen(kind);
    const bool ends = *length > end && memcmp(name + *length - end, kind, end) == 0;
    *length -= ends ? end : 0;
    return ends;
}

static unsigned change_rows(struct timing *costs, const char *name, size_t length,
                            struct cost_change change)
{
    const bool is_rate = ends_in_kind(name, &length, ".bandwidth");
    const bool is_time = !is_rate && ends_in_kind(name, &length, ".latency");
    unsigned changed = 0;
    for (unsigned i = 0; i < TIMING_COSTS && !is_rate; i++) {
        if (begins_row(cost_names[i], name, length)) {
            double cycles = change.is_number ? change.value : costs->cycles[i] / change.value;
            costs->cycles[i] = (uint16_t)(within(cycles, FREE_CYCLES, MOST_CYCLES) + 0.5);
            changed++;
        }
    }
    for (unsigned i = 0; i < TIMING_RATES && !is_time; i++) {
        if (begins_row(rate_names[i], name, length)) {
            double units = change.is_number ? change.value : costs->rate[i] * change.value;
            costs->rate[i] = (uint32_t)(within(units, 1, FREE_RATE) + 0.5);
            changed++;
        }
    }
    return changed;
}

/* Whether a row is a rate. */
enum {
#define CYCLES(token, cycles) TIMING_IS_RATE_##token = 0,
#define RATE(token, units)    TIMING_IS_RATE_##token = 1,
#include "timing.def"
};

static void free_row(struct timing *costs, bool is_rate, unsigned row)
{
    if (is_rate) {
        costs->rate[row] = FREE_RATE;
    } else {
        costs->cycles[row] = FREE_CYCLES;
    }
}

static void free_guesses(struct timing *costs, struct rv32_timing *harts)
{
#define CYCLES(token, cycles)
#define RATE(token, units)
#define GUESSED(token) free_row(costs, TIMING_IS_RATE_##token, TIMING_##token);
#include "timing.def"
    rv32_timing_free_guesses(harts);
}

static bool is_text(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

/* Units of the name, a bit each. */
static unsigned units_named(const char *name, size_t length)
{
    unsigned units = 0;
    for (unsigned unit = TENSIX_UNIT_SYNC; unit < TENSIX_UNIT_MISC; unit++) {
        bool is_math = unit == TENSIX_UNIT_MATRIX || unit == TENSIX_UNIT_VECTOR;
        if (is_text(tensix_unit_name((enum tensix_unit)unit), name, length) ||
            (is_math && is_text("math", name, length))) {
            units |= 1u << unit;
        }
    }
    return units;
}

/* "free", "2x" or "12". */
static bool take_change(const char *text, size_t length, struct cost_change *change)
{
    char *end;
    if (is_text("free", text, length)) {
        *change = (struct cost_change){.is_free = true, .value = FREE_RATE};
        return true;
    }
    const double value = strtod(text, &end);
    *change = (struct cost_change){.is_number = *end != 'x', .value = value};
    end += !change->is_number;
    return end == text + length && change->value > 0 && change->value <= FREE_RATE;
}

/* One NAME=VALUE of `length` characters. */
static enum penrose_status change_one(struct timing *costs, struct rv32_timing *harts,
                                      const char *text, size_t length, struct penrose_error *error)
{
    const char *equals = memchr(text, '=', length);
    size_t name = equals ? (size_t)(equals - text) : length;
    struct cost_change change;
    if (!equals || !take_change(equals + 1, length - name - 1, &change)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "'%.*s' is not NAME=VALUE with a number above 0, 2x or free", (int)length,
                         text);
    }
    if (is_text(GUESSES, text, name)) {
        if (!change.is_free) {
            return error_set(error, PENROSE_E_ARGUMENT, GUESSES " can only be free");
        }
        free_guesses(costs, harts);
        return PENROSE_OK;
    }
    unsigned units = units_named(text, name);
    unsigned rows = change_rows(costs, text, name, change);
    rows += is_text("math", text, name) ? change_rows(costs, "dst", 3, change) : 0;
    if (rows + units == 0) {
        return error_set(
            error, PENROSE_E_ARGUMENT,
            "no cost and no unit is called '%.*s'; 'penrose what-if --list' names them", (int)name,
            text);
    }
    if (change.is_number && (rows != 1 || units)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "'%.*s' is several costs, so a number cannot be given; give 2x or free",
                         (int)name, text);
    }
    if (units && !change.is_free) {
        return error_set(error, PENROSE_E_ARGUMENT, "a unit as '%.*s' can only be free", (int)name,
                         text);
    }
    costs->free_units |= units;
    return PENROSE_OK;
}

static void print_cost_name(const char *token, FILE *file)
{
    int width = fprintf(file, "  ");
    for (; *token; token++, width++) {
        fputc(*token == '_' ? '-' : tolower((unsigned char)*token), file);
    }
    fprintf(file, "%*s", width < COST_COLUMN ? COST_COLUMN - width : 1, "");
}

void tile_costs_print(FILE *file)
{
    for (unsigned i = 0; i < TIMING_COSTS; i++) {
        print_cost_name(cost_names[i], file);
        fprintf(file, "%u cycles\n", tile_costs.cycles[i]);
    }
    for (unsigned i = 0; i < TIMING_RATES; i++) {
        print_cost_name(rate_names[i], file);
        fprintf(file, "%" PRIu32 " in a cycle\n", tile_costs.rate[i]);
    }
    for (unsigned unit = TENSIX_UNIT_SYNC; unit < TENSIX_UNIT_MISC; unit++) {
        print_cost_name(tensix_unit_name((enum tensix_unit)unit), file);
        fputs("a unit, which can only be free\n", file);
    }
    print_cost_name(GUESSES, file);
    fputs("all costs that have no source or were fitted, which can only be free\n", file);
}

enum penrose_status tile_costs_change(struct timing *costs, struct rv32_timing *harts,
                                      const char *text, struct penrose_error *error)
{
    enum penrose_status status = PENROSE_OK;
    while (text && *text && status == PENROSE_OK) {
        size_t length = strcspn(text, ",");
        status = change_one(costs, harts, text, length, error);
        text += length + (text[length] == ',');
    }
    return status;
}
