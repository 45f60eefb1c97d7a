/* The lines of a wait report, see lines.h. */
#include "observe/waits/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/array.h"

/* --- Words --- */

void wait_words_start(struct wait_words *words)
{
    words->interest = WAIT_WAITS;
    words->key_bytes[0] = words->text_bytes[0] = 0;
    words->key = (struct sink){.text = words->key_bytes, .size = sizeof words->key_bytes};
    words->text = (struct sink){.text = words->text_bytes, .size = sizeof words->text_bytes};
}

void wait_words_put(struct wait_words *words, const char *format, ...)
{
    char text[WAIT_KEY_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sink_put(&words->key, "%s", text);
    sink_put(&words->text, "%s", text);
}

void wait_words_value(struct wait_words *words, const char *format, ...)
{
    char text[WAIT_KEY_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sink_put(&words->text, "%s", text);
}

/* --- Lines --- */

/* Makes one line of all that have a key: the first, which stands for the others. */
static struct wait_line *merge_lines(struct wait_lines *lines, const char *key)
{
    struct wait_line *first = NULL;
    unsigned kept = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        struct wait_line *line = &lines->line[i];
        bool is_one = strcmp(line->key, key) == 0;
        if (is_one && first) {
            for (unsigned k = 0; k < line->tiles && first->tiles + k < WAIT_NAMED; k++) {
                first->named[first->tiles + k] = line->named[k];
            }
            first->tiles += line->tiles;
            first->columns |= line->columns;
            first->rows |= line->rows;
            continue;
        }
        if (kept != i) {
            lines->line[kept] = *line;
        }
        first = is_one ? &lines->line[kept] : first;
        kept++;
    }
    lines->count = kept;
    first->differs = true;
    return first;
}

/* The line with these words, or NULL where there is to be a new one. */
static struct wait_line *find_line(struct wait_lines *lines, const struct wait_words *words)
{
    unsigned variants = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        struct wait_line *line = &lines->line[i];
        if (strcmp(line->key, words->key_bytes) != 0) {
            continue;
        }
        if (line->differs || strcmp(line->text, words->text_bytes) == 0) {
            return line;
        }
        variants++;
    }
    return variants < WAIT_VARIANTS ? NULL : merge_lines(lines, words->key_bytes);
}

static struct wait_line *new_line(struct wait_lines *lines, const struct wait_words *words)
{
    if (!array_grow(&lines->line, lines->count, &lines->room, sizeof *lines->line)) {
        lines->lost++;
        return NULL;
    }
    struct wait_line *line = &lines->line[lines->count++];
    *line = (struct wait_line){.interest = words->interest};
    memcpy(line->key, words->key_bytes, sizeof line->key);
    memcpy(line->text, words->text_bytes, sizeof line->text);
    return line;
}

void wait_lines_add(struct wait_lines *lines, unsigned x, unsigned y,
                    const struct wait_words *words)
{
    struct wait_line *line = find_line(lines, words);
    line = line ? line : new_line(lines, words);
    if (!line) {
        return;
    }
    if (line->tiles < WAIT_NAMED) {
        line->named[line->tiles].x = x;
        line->named[line->tiles].y = y;
    }
    line->tiles++;
    line->columns |= UINT32_C(1) << (x & 31);
    line->rows |= UINT32_C(1) << (y & 31);
}

void wait_lines_free(struct wait_lines *lines)
{
    free(lines->line);
    *lines = (struct wait_lines){0};
}

/* --- Writing --- */

/* "1-7, 10-16" */
static void put_ranges(struct sink *sink, uint32_t bits)
{
    bool is_first = true;
    for (unsigned start = 0; start < 32; start++) {
        unsigned end = start;
        if (!(bits >> start & 1)) {
            continue;
        }
        while (end < 31 && bits >> (end + 1) & 1) {
            end++;
        }
        sink_put(sink, "%s%u", is_first ? "" : ", ", start);
        if (end > start) {
            sink_put(sink, "-%u", end);
        }
        is_first = false;
        start = end;
    }
}

static void put_tiles(struct sink *sink, const struct wait_line *line)
{
    unsigned columns = (unsigned)__builtin_popcount(line->columns);
    unsigned rows = (unsigned)__builtin_popcount(line->rows);
    if (line->tiles == 1) {
        sink_put(sink, "tile (%u, %u)", line->named[0].x, line->named[0].y);
        return;
    }
    sink_put(sink, "%u tiles (", line->tiles);
    if (columns * rows == line->tiles && line->tiles > WAIT_NAMED) {
        sink_put(sink, "x ");
        put_ranges(sink, line->columns);
        sink_put(sink, ", y ");
        put_ranges(sink, line->rows);
    } else {
        for (unsigned i = 0; i < line->tiles && i < WAIT_NAMED; i++) {
            sink_put(sink, "%s(%u, %u)", i ? ", " : "", line->named[i].x, line->named[i].y);
        }
        sink_put(sink, "%s", line->tiles > WAIT_NAMED ? ", ..." : "");
    }
    sink_put(sink, ")");
}

/* The least interest of lines that are written, and how many of that interest there is room for. */
static enum wait_interest choose_least(const struct wait_lines *lines, unsigned *room)
{
    unsigned counts[WAIT_INTERESTS] = {0}, left = WAIT_LINES;
    for (unsigned i = 0; i < lines->count; i++) {
        counts[lines->line[i].interest]++;
    }
    unsigned interest = WAIT_INTERESTS - 1;
    while (interest > 0 && counts[interest] <= left) {
        left -= counts[interest--];
    }
    *room = left;
    return (enum wait_interest)interest;
}

void wait_lines_write(const struct wait_lines *lines, struct sink *sink)
{
    unsigned room, left_out = lines->lost;
    enum wait_interest least = choose_least(lines, &room);
    bool anybody_waits = false;
    for (unsigned i = 0; i < lines->count; i++) {
        anybody_waits |= lines->line[i].interest >= WAIT_WAITS;
    }
    for (unsigned i = 0; i < lines->count; i++) {
        const struct wait_line *line = &lines->line[i];
        if (line->interest == WAIT_IDLE && anybody_waits) {
            continue;
        }
        if (line->interest < least || (line->interest == least && room == 0)) {
            left_out++;
            continue;
        }
        room -= line->interest == least;
        sink_put(sink, "  ");
        put_tiles(sink, line);
        sink_put(sink, " %s", line->text);
        if (line->differs) {
            sink_put(sink, " (values of (%u, %u); others differ)", line->named[0].x,
                     line->named[0].y);
        }
        sink_put(sink, "\n");
    }
    if (left_out) {
        sink_put(sink, "  and %u more lines\n", left_out);
    }
}
