/* See spots.h. */
#include "observe/profile/spots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/html_text.h"
#include "observe/profile/lines.h"
#include "observe/profile/profile.h"

enum { FIRST_CELLS = 1024, MOST_FUNCTIONS = 12, OPEN_FUNCTIONS = 2 };

static const double least_share = 0.002; /* of its function: instructions with less are left out */

/* --- Cells --- */

void spots_free(struct spots *spots)
{
    free(spots->cell);
    *spots = (struct spots){0};
}

static struct spots_cell *find_cell(const struct spots *spots, uint32_t row, uint32_t pc,
                                    uint32_t word)
{
    uint64_t hash = (((uint64_t)pc << 32 | word) ^ row) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 20) & (spots->room - 1);
    struct spots_cell *cell = &spots->cell[at];
    while (cell->row && !(cell->row == row && cell->pc == pc && cell->word == word)) {
        at = (at + 1) & (spots->room - 1);
        cell = &spots->cell[at];
    }
    return cell;
}

static bool make_cells(struct spots *spots)
{
    if (spots->count * 2 < spots->room) {
        return true;
    }
    struct spots grown = {.room = spots->room ? spots->room * 2 : FIRST_CELLS,
                          .count = spots->count};
    grown.cell = calloc(grown.room, sizeof *grown.cell);
    if (!grown.cell) {
        return false;
    }
    for (size_t i = 0; i < spots->room; i++) {
        const struct spots_cell *cell = &spots->cell[i];
        if (cell->row) {
            *find_cell(&grown, cell->row, cell->pc, cell->word) = *cell;
        }
    }
    free(spots->cell);
    *spots = grown;
    return true;
}

bool spots_add(struct spots *spots, uint32_t row, uint32_t pc, uint32_t word, uint64_t cycles,
               uint64_t times)
{
    if (!make_cells(spots)) {
        return false;
    }
    struct spots_cell *cell = find_cell(spots, row, pc, word);
    if (!cell->row) {
        *cell = (struct spots_cell){.row = row, .pc = pc, .word = word};
        spots->count++;
    }
    cell->cycles += cycles;
    cell->times += times;
    return true;
}

/* --- Instructions and functions --- */

/* An instruction of a function in a lane. */
struct spot {
    const struct profile_row *row;
    uint32_t pc, word;
    uint64_t busy, waits, times;
};

struct spot_function {
    const struct spot *spot;
    size_t spots;
    uint64_t cycles;
};

static int compare_functions(const struct profile_row *a, const struct profile_row *b)
{
    int by_kernel = strcmp(a->kernel, b->kernel), by_symbol = strcmp(a->symbol, b->symbol);
    return a->lane != b->lane ? (a->lane > b->lane) - (a->lane < b->lane)
           : by_kernel        ? by_kernel
                              : by_symbol;
}

static int compare_spots(const void *a, const void *b)
{
    const struct spot *first = a, *second = b;
    int by_function = compare_functions(first->row, second->row);
    int by_pc = (first->pc > second->pc) - (first->pc < second->pc);
    int by_word = (first->word > second->word) - (first->word < second->word);
    return by_function ? by_function : by_pc ? by_pc : by_word;
}

static int compare_spot_functions(const void *a, const void *b)
{
    const struct spot_function *first = a, *second = b;
    const int order = profile_compare_kernels(first->spot->row, second->spot->row);
    if (order) {
        return order;
    }
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    return (first->spot > second->spot) - (first->spot < second->spot);
}

/* A wait does not tell its instruction's word, which is that of the instruction there. */
static bool is_same_spot(const struct spot *a, const struct spot *b)
{
    return compare_functions(a->row, b->row) == 0 && a->pc == b->pc &&
           (a->word == b->word || !a->word);
}

/* The spots of all cells, sorted, each once. */
static size_t gather_spots(const struct profile *profile, const uint32_t *row_at, struct spot *spot)
{
    const struct spots *spots = &profile->spots;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < spots->room; i++) {
        const struct spots_cell *cell = &spots->cell[i];
        if (cell->row && cell->cycles + cell->times > 0) {
            const struct profile_row *row = &profile->row[row_at[cell->row - 1]];
            spot[count++] = (struct spot){.row = row,
                                          .pc = cell->pc,
                                          .word = cell->word,
                                          .busy = row->waits ? 0 : cell->cycles,
                                          .waits = row->waits ? cell->cycles : 0,
                                          .times = row->waits ? 0 : cell->times};
        }
    }
    if (count > 0) {
        qsort(spot, count, sizeof *spot, compare_spots);
    }
    for (size_t i = 0; i < count; i++) {
        struct spot *before = kept > 0 ? &spot[kept - 1] : NULL;
        if (before && is_same_spot(before, &spot[i])) {
            before->word = spot[i].word;
            before->busy += spot[i].busy;
            before->waits += spot[i].waits;
            before->times += spot[i].times;
        } else {
            spot[kept++] = spot[i];
        }
    }
    return kept;
}

static size_t gather_functions(const struct spot *spot, size_t spots,
                               struct spot_function *function)
{
    size_t functions = 0;
    for (size_t i = 0; i < spots; i++) {
        if (i == 0 || compare_functions(spot[i - 1].row, spot[i].row) != 0) {
            function[functions++] = (struct spot_function){.spot = &spot[i]};
        }
        function[functions - 1].spots++;
        function[functions - 1].cycles += spot[i].busy + spot[i].waits;
    }
    if (functions > 0) {
        qsort(function, functions, sizeof *function, compare_spot_functions);
    }
    return functions;
}

/* --- The page --- */

static void put_source_line(const struct profile *profile, const struct profile_row *row,
                            FILE *file)
{
    char line[PROFILE_LINE_BYTES];
    const char *folder_end = strrchr(row->source, '/');
    fputs("<tr class=\"src\"><td colspan=\"3\"></td><td colspan=\"3\" title=\"", file);
    html_text(file, row->source);
    fputs("\">", file);
    html_text(file, folder_end ? folder_end + 1 : row->source);
    fprintf(file, ":%u", row->line);
    html_text(file, trace_text_calls(profile->text, row->inlined_at));
    if (profile_source_line(row->source, row->line, line)) {
        fputs("&nbsp; <strong>", file);
        html_text(file, line);
        fputs("</strong>", file);
    }
    fputs("</td></tr>\n", file);
}

static void put_share(uint64_t cycles, uint64_t most, const char *colour, FILE *file)
{
    fprintf(file, "<td class=\"n\" style=\"background:rgb(%s/%.2f)\">", colour,
            most ? 0.7 * (double)cycles / (double)most : 0);
    fprintf(file, cycles ? "%" PRIu64 "</td>" : "</td>", cycles);
}

static void put_instruction_row(const struct profile *profile, const struct spot *spot,
                                const struct spot *most, FILE *file)
{
    const struct penrose_trace_event event = {.kind = spot->row->lane < PROFILE_FIRST_THREAD
                                                          ? PENROSE_TRACE_INSTRUCTION
                                                          : PENROSE_TRACE_TENSIX,
                                              .pc = spot->pc,
                                              .word = spot->word};
    fputs("<tr>", file);
    put_share(spot->busy, most->busy, "34 170 119", file);
    put_share(spot->waits, most->waits, "221 136 51", file);
    fprintf(file, "<td class=\"n\">%" PRIu64 "</td><td>0x%" PRIx32 "</td><td>", spot->times,
            spot->pc);
    html_text(file, spot->word ? trace_text_instruction(profile->text, &event) : "");
    fputs("</td><td></td></tr>\n", file);
}

static bool is_other_line(const struct profile_row *a, const struct profile_row *b)
{
    return a->source != b->source || a->line != b->line || a->inlined_at != b->inlined_at;
}

static void put_function(const struct profile *profile, const struct spot_function *function,
                         bool is_open, FILE *file)
{
    const struct profile_row *row = function->spot->row, *shown = NULL;
    struct spot most = {0};
    uint64_t left_out = 0;
    for (size_t i = 0; i < function->spots; i++) {
        const struct spot *spot = &function->spot[i];
        most.busy = spot->busy > most.busy ? spot->busy : most.busy;
        most.waits = spot->waits > most.waits ? spot->waits : most.waits;
    }
    fprintf(file,
            "<details%s><summary><strong>%" PRIu64 "</strong> cycles: ", is_open ? " open" : "",
            function->cycles);
    html_text(file, profile->lane_name[row->lane]);
    fputs(", <code>", file);
    html_text(file, *row->symbol ? row->symbol : "(no symbol)");
    fputs("</code>", file);
    fputs(*row->kernel ? " of " : "", file);
    html_text(file, row->kernel);
    fputs("</summary>\n<table class=\"asm\"><tr><th>busy</th><th>waits</th><th>times</th>"
          "<th>address</th><th>instruction</th><th></th></tr>\n",
          file);
    for (size_t i = 0; i < function->spots; i++) {
        const struct spot *spot = &function->spot[i];
        const uint64_t cycles = spot->busy + spot->waits;
        if ((double)cycles < least_share * (double)function->cycles) {
            left_out++;
            continue;
        }
        if (spot->row->line > 0 && (!shown || is_other_line(shown, spot->row))) {
            put_source_line(profile, spot->row, file);
        }
        shown = spot->row;
        put_instruction_row(profile, spot, &most, file);
    }
    fputs("</table>\n", file);
    if (left_out > 0) {
        fprintf(file, "<p>%" PRIu64 " more have less than %.1f %% each.</p>\n", left_out,
                100 * least_share);
    }
    fputs("</details>\n", file);
}

static void put_functions(const struct profile *profile, const uint32_t *row_at, struct spot *spot,
                          struct spot_function *function, FILE *file)
{
    const size_t spots = gather_spots(profile, row_at, spot);
    const size_t functions = gather_functions(spot, spots, function);
    if (functions == 0) {
        return;
    }
    fputs("<h2>Instructions</h2>\n<p>The functions with most cycles, on all tiles. Instructions "
          "stand below their line of source. Those of a thread of the coprocessor are at the "
          "address of the hart's instruction that pushed them.</p>\n",
          file);
    for (size_t i = 0; i < functions && i < MOST_FUNCTIONS; i++) {
        put_function(profile, &function[i], i < OPEN_FUNCTIONS, file);
    }
}

void spots_page(const struct profile *profile, FILE *file)
{
    const size_t cells = profile->spots.count + 1;
    uint32_t *row_at = calloc(profile->rows + 1, sizeof *row_at);
    struct spot *spot = calloc(cells, sizeof *spot);
    struct spot_function *function = calloc(cells, sizeof *function);
    for (size_t i = 0; row_at && i < profile->rows; i++) {
        row_at[profile->row[i].number] = (uint32_t)i;
    }
    if (row_at && spot && function) {
        put_functions(profile, row_at, spot, function, file);
    } else {
        fputs("<p>Memory ran out: instructions are missing.</p>\n", file);
    }
    free(row_at);
    free(spot);
    free(function);
}
