/* Options of a chip in environment variables, as users write them. */
#ifndef OBSERVE_SETTINGS_H
#define OBSERVE_SETTINGS_H

#include <penrose/penrose.h>

/*
 * A schedule: words separated by commas, each "fast", "lockstep" or "random:SEED", "functional" or
 * "timed"; "lockstep,timed". What is not named stays as it is in *options. PENROSE_E_ARGUMENT, with
 * a message that names the word and the remedy, and *options is as before.
 */
enum penrose_status settings_schedule(struct penrose_options *options, const char *text,
                                      struct penrose_error *error);

/* Policies: "KIND=POLICY" separated by commas, KIND a name of fault_kinds.h or "all", POLICY
 * "stop", "warn" or "ignore"; later ones win. Otherwise as above. */
enum penrose_status settings_policy(struct penrose_options *options, const char *text,
                                    struct penrose_error *error);

/* The policy of that name; false: there is none. */
bool settings_policy_find(const char *name, enum penrose_policy *policy);

/* When a library makes dumps by itself. */
enum settings_dump_event { DUMP_AT_EXIT, DUMP_AT_FAULT, DUMP_AT_SIGNAL, DUMP_EVENTS };

/* "exit", "fault", "signal" */
const char *settings_dump_event_name(enum settings_dump_event event);

/* Events separated by commas, as a bit each; otherwise as settings_schedule. */
enum penrose_status settings_dump_events(unsigned *events, const char *text,
                                         struct penrose_error *error);

/* Numbers from 1 on; without a range all of them. */
enum { SETTINGS_RANGES = 32 };
struct settings_numbers {
    struct {
        unsigned first, last;
    } range[SETTINGS_RANGES];
    unsigned ranges;
};

/* "3,5-7"; otherwise as settings_schedule. */
enum penrose_status settings_numbers(struct settings_numbers *numbers, const char *text,
                                     struct penrose_error *error);
bool settings_numbers_have(const struct settings_numbers *numbers, unsigned number);

/* The next tile of "1,2 3,4", and *text behind it; false, with *text as it was, where none is. */
bool settings_next_tile(struct penrose_place *at, const char **text);

/* What goes wrong on the link of a port. */
struct settings_link {
    unsigned chip, port;
    struct penrose_link_errors errors;
};

/* The next one of "0:4=1e-3,seed=7 1:2=0,down=100000,up=200000", and *text behind it. CHIP:PORT=RATE
 * comes first; seed, down and up may follow. Otherwise as settings_schedule. */
enum penrose_status settings_next_link(struct settings_link *link, const char **text,
                                       struct penrose_error *error);

#endif
