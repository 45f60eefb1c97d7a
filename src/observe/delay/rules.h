/* What is held up, as options and PENROSE_DELAY say it. */
#ifndef OBSERVE_DELAY_RULES_H
#define OBSERVE_DELAY_RULES_H

#include <penrose/penrose.h>

/* What comes later than it would. */
enum delayed {
    DELAYED_HART,      /* the hart stands before the instruction */
    DELAYED_THREAD,    /* the thread of the coprocessor, with all that it has not started */
    DELAYED_DEPARTURE, /* the NoC request that the instruction starts stays in its NIU */
    DELAYED_ARRIVAL,   /* that request is under way for longer */
    DELAYED_KINDS,
};

struct delay_rule {
    bool has_tile; /* otherwise it is of all tiles */
    unsigned x, y; /* as hosts name the tile */
    enum penrose_hart hart;
    enum delayed what;
    uint32_t pc;
    uint64_t number; /* of the time that the hart comes there, from 1 on; 0: each time */
    uint32_t cycles;
};

enum { DELAY_RULES = 32, DELAY_MOST_CYCLES = 100 * 1000 * 1000 };

struct delay_rules {
    struct delay_rule rule[DELAY_RULES];
    unsigned count;
};

/* "[X-Y:]HART[.thread|.departure|.arrival]@PC[/N]=CYCLES", separated by commas. PENROSE_E_ARGUMENT,
 * with a message that names the word and the form. */
enum penrose_status delay_rules_parse(const char *text, struct delay_rules *rules,
                                      struct penrose_error *error);

/* The first rule of the chip whose hart has never come to its instruction, or not often enough, in
 * words; false: there is none. */
bool delay_unused(const struct penrose_chip *chip, char *text, size_t size);

#endif
