/*
 * Explains why two dumps differ (penrose explain). The runs A and B that ended in the dumps are run
 * again under observation. For each datum that differs this finds the last write, and the inputs of
 * that write. If the run of a dump cannot be had, as of a dump of a card, only the dump counts.
 *
 *   explain_create, explain_run_a, explain_run_b, then the questions, explain_destroy
 *
 * The caller runs programs: `run` of struct explain_runs makes the chip of a side again, and calls
 * explain_opened before it runs and explain_ended before it is destroyed.
 */
#ifndef OBSERVE_EXPLAIN_EXPLAIN_H
#define OBSERVE_EXPLAIN_EXPLAIN_H

#include "metal/program_files.h"
#include "observe/compare/compare.h"
#include "observe/explain/writers.h"

enum explain_side { EXPLAIN_A, EXPLAIN_B, EXPLAIN_SIDES };

enum {
    EXPLAIN_ITEMS = 65536, /* differences of a part that are followed */
    EXPLAIN_SYMBOL = 128,
    EXPLAIN_SOURCE = 256,
    EXPLAIN_CALLS = 400,
    EXPLAIN_TEXT = 320,
    EXPLAIN_INPUTS = 16,
};

struct explain_code {
    char symbol[EXPLAIN_SYMBOL], source[EXPLAIN_SOURCE]; /* "": not known */
};

/* The last write of a datum in one run. */
struct explain_writer {
    struct writers_record record;
    struct explain_code code;  /* of the instruction, */
    struct explain_code later; /* of who changed Dst behind a packer, */
    struct explain_code early; /* and of who read a GPR too early */
    char calls[EXPLAIN_CALLS]; /* ", inlined at ...", or empty */
    char *all_calls;           /* "FILE:LINE\n" of each of them; NULL: none */
};

/* A difference that can be followed, and the last write of its datum in each run. */
struct explain_datum {
    const struct compare_part *part;
    const struct compare_item *item;
    struct writers_datum watched;
    unsigned tile; /* an index, see internal.h */
    struct explain_writer by[EXPLAIN_SIDES];
    bool was_told; /* for the caller */
};

/* What a datum was made from. */
struct explain_input {
    char text[EXPLAIN_TEXT];
    bool differs;                           /* when it was read, as far as that is known */
    const struct explain_datum *difference; /* NULL: none that is still there at the end */
    const struct writers_source *read[EXPLAIN_SIDES]; /* then: what was there; NULL: not known */
};

struct explain_inputs {
    struct explain_input input[EXPLAIN_INPUTS];
    unsigned count;
};

struct explain_runs {
    const struct dump_files *dump[EXPLAIN_SIDES];
    bool is_recording[EXPLAIN_SIDES]; /* the run goes beyond the moment of the dump */
    struct program_files *programs;   /* whose lines are known; NULL: those that were loaded only */
    bool (*run)(void *context,
                enum explain_side side); /* false, with a message: it cannot be run */
    void *context;
};

struct explain;

/* `comparison` is of the two dumps, with up to EXPLAIN_ITEMS items a part; it has to stay. NULL
 * without memory. */
struct explain *explain_create(const struct comparison *comparison,
                               const struct explain_runs *runs);
void explain_destroy(struct explain *explain);

/* A chip of the run under way, before it runs and before it is destroyed. */
enum penrose_status explain_opened(struct explain *explain, struct penrose_chip *chip,
                                   struct penrose_error *error);
void explain_ended(struct explain *explain, struct penrose_chip *chip);

/* How a run has gone. */
enum explain_ran {
    EXPLAIN_RAN,
    EXPLAIN_CANNOT,   /* be run again */
    EXPLAIN_OTHERWISE /* it does not end as its dump */
};

/* Runs A, and finds the last writes of the data that differ. */
enum explain_ran explain_run_a(struct explain *explain);

/* Runs B too. If the run ends in another state than its dump has, only the dump of B counts. */
enum explain_ran explain_run_b(struct explain *explain);

/* The number of differences in words of programs that no write has changed: the programs differ. */
size_t explain_code_words(const struct explain *explain);

/* The first difference in program order, but for such words; NULL: none can be followed. */
struct explain_datum *explain_first(struct explain *explain);

/* The last memory that was written, at its first place that differs: a result, most likely. NULL:
 * none. */
struct explain_datum *explain_last_result(struct explain *explain);

/* Is it known that another instruction has written the datum in B, or none? */
bool explain_is_by_another(const struct explain *explain, const struct explain_datum *datum);

void explain_find_inputs(const struct explain *explain, const struct explain_datum *datum,
                         struct explain_inputs *inputs);

/* Finds the datum's first input that differs, from which the difference comes. This may take
 * further runs. NULL: no input differs. */
struct explain_datum *explain_follow(struct explain *explain, const struct explain_datum *datum);

#endif
