/* See flame.h. Rows are sorted by their frames, so those below one frame lie side by side. */
#include "observe/profile/flame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/html_text.h"

enum {
    MOST_FRAMES = 16,
    WIDTH = 1120, /* pixels, as all of these */
    HEIGHT = 18,
    NARROW = 2, /* what is narrower is not drawn */
    LABEL = 28, /* and has no text below this */
    LETTER = 7,
};

enum frame_kind { FRAME_KERNEL, FRAME_FUNCTION, FRAME_LINE, FRAME_WAIT, FRAME_END, FRAME_KINDS };

struct flame_frame {
    enum frame_kind kind;
    const char *text;
};

struct flame_row {
    const struct profile_row *row;
    struct flame_frame frame[MOST_FRAMES];
    unsigned depth;
};

struct flame {
    struct names names;
    struct flame_row *row;
    size_t rows;
    uint64_t all; /* cycles */
};

/* --- Frames --- */

static void add_frame(struct flame_row *flame, enum frame_kind kind, const char *text)
{
    if (flame->depth < MOST_FRAMES) {
        flame->frame[flame->depth++] = (struct flame_frame){kind, text};
    }
}

/* "FILE:LINE" without folders. */
static const char *keep_base(struct flame *flame, const char *text, size_t length)
{
    const char *begin = text;
    for (size_t i = 0; i < length; i++) {
        begin = text[i] == '/' ? text + i + 1 : begin;
    }
    return names_keep(&flame->names, begin, length - (size_t)(begin - text));
}

/* Calls that were inlined stand in the row with the innermost first. */
static void add_calls(struct flame *flame, struct flame_row *to, const char *inlined_at)
{
    enum { SPARE = 5 }; /* kernel, function, line, wait, end */
    const char *end = inlined_at + strlen(inlined_at);
    while (end > inlined_at && to->depth + SPARE < MOST_FRAMES) {
        const char *begin = end;
        while (begin > inlined_at && begin[-1] != '\n') {
            begin--;
        }
        add_frame(to, FRAME_LINE, keep_base(flame, begin, (size_t)(end - begin)));
        end = begin > inlined_at ? begin - 1 : begin;
    }
}

static void add_row(struct flame *flame, const struct profile_row *row)
{
    struct flame_row *to = &flame->row[flame->rows++];
    char line[300]; /* a file's name has at most 255 bytes */
    *to = (struct flame_row){.row = row};
    add_frame(to, FRAME_KERNEL, *row->kernel ? row->kernel : "outside of kernels");
    add_frame(to, FRAME_FUNCTION, *row->symbol ? row->symbol : "(no symbol)");
    add_calls(flame, to, row->inlined_at);
    if (row->line) {
        const char *base = keep_base(flame, row->source, strlen(row->source));
        snprintf(line, sizeof line, "%.255s:%u", base, row->line);
        add_frame(to, FRAME_LINE, names_keep(&flame->names, line, strlen(line)));
    }
    add_frame(to, FRAME_WAIT, row->waits);
    if (*row->ended) {
        add_frame(to, FRAME_END, row->ended);
    }
    flame->all += row->cycles;
}

static int compare_flames(const void *a, const void *b)
{
    const struct flame_row *first = a, *second = b;
    for (unsigned i = 0; i < first->depth && i < second->depth; i++) {
        int order = strcmp(first->frame[i].text, second->frame[i].text);
        if (order) {
            return order;
        }
    }
    return (first->depth > second->depth) - (first->depth < second->depth);
}

/* --- Drawing --- */

static uint64_t cycles_of(const struct flame *flame, size_t begin, size_t end)
{
    uint64_t cycles = 0;
    for (size_t i = begin; i < end; i++) {
        cycles += flame->row[i].row->cycles;
    }
    return cycles;
}

/* A byte of UTF-8 that goes on with a letter. */
static bool is_inside_letter(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* As much of the text as fits. */
static void put_label(const char *text, double x, double width, unsigned level, FILE *file)
{
    char label[WIDTH / LETTER + 1];
    const size_t room = (size_t)(width / LETTER), length = strlen(text);
    if (width < LABEL) {
        return;
    }
    size_t kept = length > room ? room - 2 : length;
    while (kept < length && kept > 0 && is_inside_letter(text[kept])) {
        kept--;
    }
    snprintf(label, sizeof label, "%.*s%s", (int)kept, text, kept < length ? ".." : "");
    fprintf(file, "<text x=\"%.1f\" y=\"%u\">", x + 3, level * HEIGHT + HEIGHT - 5);
    html_text(file, label);
    fputs("</text>", file);
}

static void put_frame(const struct flame *flame, const struct flame_frame *frame, uint64_t before,
                      uint64_t cycles, unsigned level, FILE *file)
{
    const double x = WIDTH * (double)before / (double)flame->all;
    const double width = WIDTH * (double)cycles / (double)flame->all;
    fprintf(file, "<g><title>%s%s", frame->kind == FRAME_END ? "ended: " : "",
            frame->kind == FRAME_WAIT ? "waits for: " : "");
    html_text(file, frame->text);
    fprintf(file,
            ": %" PRIu64 " cycles, %.1f %%</title><rect class=\"f%d\" x=\"%.1f\" y=\"%u\" "
            "width=\"%.1f\" height=\"%d\"/>",
            cycles, 100 * (double)cycles / (double)flame->all, (int)frame->kind, x, level * HEIGHT,
            width > NARROW ? width - 1 : width, HEIGHT - 1);
    put_label(frame->text, x, width, level, file);
    fputs("</g>\n", file);
}

/* Rows from `begin` to before `end`, which are equal above `level`; `before` cycles are to their left. */
static void put_frames(const struct flame *flame, size_t begin, size_t end, unsigned level,
                       uint64_t before, FILE *file)
{
    while (begin < end) {
        size_t next = begin + 1;
        const bool has_frame = level < flame->row[begin].depth;
        const struct flame_frame *frame = &flame->row[begin].frame[level];
        while (next < end && has_frame && level < flame->row[next].depth &&
               strcmp(flame->row[next].frame[level].text, frame->text) == 0) {
            next++;
        }
        const uint64_t cycles = cycles_of(flame, begin, next);
        if (has_frame && (double)cycles * WIDTH >= NARROW * (double)flame->all) {
            put_frame(flame, frame, before, cycles, level, file);
            put_frames(flame, begin, next, level + 1, before, file);
        }
        before += cycles;
        begin = next;
    }
}

static void put_flame(const struct profile *profile, struct flame *flame, unsigned lane,
                      bool kernels_only, FILE *file)
{
    unsigned depth = 0;
    flame->rows = flame->all = 0;
    for (size_t i = 0; i < profile->rows; i++) {
        const struct profile_row *row = &profile->row[i];
        if (row->lane == lane && row->waits && row->cycles > 0 && (*row->kernel || !kernels_only)) {
            add_row(flame, row);
            depth = flame->row[flame->rows - 1].depth > depth ? flame->row[flame->rows - 1].depth
                                                              : depth;
        }
    }
    if (flame->rows == 0) {
        return;
    }
    qsort(flame->row, flame->rows, sizeof *flame->row, compare_flames);
    fputs("<h3>", file);
    html_text(file, profile->lane_name[lane]);
    fprintf(file, ": %" PRIu64 " cycles</h3>\n<svg class=\"flame\" width=\"%d\" height=\"%u\">\n",
            flame->all, WIDTH, depth * HEIGHT);
    put_frames(flame, 0, flame->rows, 0, 0, file);
    fputs("</svg>\n", file);
}

void flame_page(const struct profile *profile, FILE *file)
{
    struct flame flame = {.row = calloc(profile->rows + 1, sizeof *flame.row)};
    bool has_kernels = false;
    for (size_t i = 0; i < profile->rows; i++) {
        has_kernels |= *profile->row[i].kernel != '\0';
    }
    fprintf(
        file,
        "<h2>Waits, from the kernel down to what ended them</h2>\n<p>From above: kernel, function, "
        "calls that were inlined, line, what is waited for, what ended that. A width stands for "
        "cycles of all tiles.%s</p>\n",
        has_kernels ? " Waits outside of kernels are left out." : "");
    for (unsigned lane = 0; lane < PROFILE_LANES && flame.row; lane++) {
        if (profile->lane_name[lane]) {
            put_flame(profile, &flame, lane, has_kernels, file);
        }
    }
    names_free(&flame.names);
    free(flame.row);
}
