/*
 * The lines of a wait report. Tiles with the same wait share a line. A line has a key, which must
 * be equal for these tiles, and a text, which is the key with values. The text of the first tile
 * stands for all.
 */
#ifndef OBSERVE_WAIT_LINES_H
#define OBSERVE_WAIT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/sink.h"

/* When there are too many lines, those of the least interest go; where anybody waits, those of harts
 * that have no work do. */
enum wait_interest { WAIT_IDLE, WAIT_RUNS, WAIT_WAITS, WAIT_ROOT, WAIT_INTERESTS };

enum { WAIT_LINES = 40, WAIT_KEY_BYTES = 1536, WAIT_TEXT_BYTES = 2048, WAIT_NAMED = 6 };

/* What tiles say with the same words and other values has lines of its own, up to so many. */
enum { WAIT_VARIANTS = 3 };

/* What is said about a tile, while it is made. */
struct wait_words {
    char key_bytes[WAIT_KEY_BYTES], text_bytes[WAIT_TEXT_BYTES];
    struct sink key, text;
    enum wait_interest interest;
};

void wait_words_start(struct wait_words *words);

/* Appends to both; wait_words_value: a value, to the text only. */
void wait_words_put(struct wait_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wait_words_value(struct wait_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct wait_line {
    char key[WAIT_KEY_BYTES], text[WAIT_TEXT_BYTES];
    enum wait_interest interest;
    bool differs; /* texts of other tiles do: this line is all of its key */
    unsigned tiles;
    uint32_t columns, rows; /* bit n: a tile with x (y) = n */
    struct {
        unsigned x, y;
    } named[WAIT_NAMED];
};

struct wait_lines {
    struct wait_line *line; /* grows */
    unsigned count;
    size_t room;
    unsigned lost; /* for want of memory */
};

/* Says it of the tile that hosts call (x, y), both below 32. */
void wait_lines_add(struct wait_lines *lines, unsigned x, unsigned y,
                    const struct wait_words *words);

/* Writes the lines in the order in which they were first said, at most WAIT_LINES of them. */
void wait_lines_write(const struct wait_lines *lines, struct sink *sink);
void wait_lines_free(struct wait_lines *lines);

#endif
