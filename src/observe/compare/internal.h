/* A comparison under way, which the files of this folder share. */
#ifndef OBSERVE_COMPARE_INTERNAL_H
#define OBSERVE_COMPARE_INTERNAL_H

#include "observe/compare/compare.h"

/* A range of memory whose contents were compared as numbers. */
struct compare_range {
    uint64_t start, end;
};

enum { COMPARE_MOST_RANGES = 64 };

struct compare_run {
    const struct compare_options *options;
    struct comparison *result;
    const struct dump_files *a, *b;                /* NULL: two files */
    const struct dump_files_tile *tile_a, *tile_b; /* under way */
    size_t common_tiles;                           /* so many were compared */
    json_t *patterns;                              /* of what is volatile: an array of strings */
    struct compare_range range[COMPARE_MOST_RANGES];
    unsigned ranges;
    struct penrose_error *error;
};

/* "1-2", or "" for files. */
const char *compare_tile_name(const struct compare_run *run);

/* Adds a part to the result; NULL without memory (the result notes that). Valid until the next. */
struct compare_part *compare_add_part(struct compare_run *run, const char *name, const char *detail,
                                      const char *unit);

/* Counts a difference, and keeps it while there are few. */
void compare_add_item(struct compare_run *run, struct compare_part *part,
                      const struct compare_item *item);

/* Says what could not be compared, and why. */
void compare_note(struct compare_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says in which way something was compared. */
void compare_remark(struct compare_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether an item is compared: wanted by --only, and not volatile. `name` is "dst[1,2]" or
 * "config/NAME". */
enum compare_choice { COMPARE_TAKE, COMPARE_VOLATILE, COMPARE_UNWANTED };
enum compare_choice compare_choose(const struct compare_run *run, const char *name);

/* Is it volatile, and are such items left out? */
bool compare_leaves_out(const struct compare_run *run, const char *name);

/* Could any item of a part be wanted? */
bool compare_wants_part(const struct compare_run *run, const char *name);

/* Is one choice that of all elements of a part, or all words of memory? Then compare_choose of the
 * part's name says it. */
bool compare_is_whole(const struct compare_run *run, const char *name);

/* Compares two arrays of one shape and type as a part. `format` NULL: numbers of the array's own
 * type; `is_bits`: they are no numbers, and no tolerance is for them; `has_float_bits`: they are
 * bits of FP32. `is_word`: they are bits, and are told as integers and as FP32, too. */
struct compare_form {
    const enum num_format *format;
    bool is_bits, is_word, has_float_bits;
};
enum penrose_status compare_arrays(struct compare_run *run, const char *name,
                                   const struct loader_npy *a, const struct loader_npy *b,
                                   struct compare_form form);

/* Makes integers of any width signed ones of 64 bits, so that two arrays of them can be compared;
 * leaves other arrays as they are. False without memory. */
bool compare_widen(struct loader_npy *array);

/*
 * Part `dst`, read from both dumps: makes one that a debugger has read of a card comparable with the
 * other, as far as it is not known how it was read, and notes how it was taken. `format` is that of
 * the numbers; NULL: not known.
 */
void compare_read_dst(struct compare_run *run, const json_t *a, const json_t *b,
                      struct loader_npy *x, struct loader_npy *y, const enum num_format *format);

/* Compares the members of two JSON values. */
enum penrose_status compare_fields(struct compare_run *run, const char *name, const json_t *a,
                                   const json_t *b);

/* Compares memory word by word; L1 by the segments of the tile's map. */
enum penrose_status compare_memory(struct compare_run *run, const char *name,
                                   const struct loader_npy *a, const struct loader_npy *b);

/* Notes that memory is compared as numbers elsewhere. */
void compare_cover(struct compare_run *run, uint64_t start, uint64_t size);

/* The result's sums; PENROSE_E_MEMORY if it ran out, PENROSE_E_ARGUMENT if nothing was compared. */
enum penrose_status compare_finish(struct compare_run *run, enum penrose_status status);

#endif
