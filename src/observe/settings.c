/* See settings.h. A list is taken apart word by word; options change only when all of it is right.
 */
#include "observe/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "isa/error.h"

enum { WORD_BYTES = 80 };

/* The next word of a list into `word`; false at its end. Words that are too long are cut, and then
 * match nothing. */
static bool next_word(const char **list, char word[WORD_BYTES])
{
    size_t length = strcspn(*list, ",");
    if (!**list) {
        return false;
    }
    snprintf(word, WORD_BYTES, "%.*s", (int)(length < WORD_BYTES ? length : WORD_BYTES), *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

/* --- Schedules --- */

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    *seed = value;
    return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

static bool schedule_word(struct penrose_options *options, const char *word)
{
    static const char random_name[] = "random:";
    if (strcmp(word, "fast") == 0) {
        options->schedule = PENROSE_FAST;
    } else if (strcmp(word, "lockstep") == 0) {
        options->schedule = PENROSE_LOCKSTEP;
    } else if (strncmp(word, random_name, sizeof random_name - 1) == 0) {
        options->schedule = PENROSE_RANDOM;
        return parse_seed(word + sizeof random_name - 1, &options->seed);
    } else if (strcmp(word, "functional") == 0) {
        options->timed = false;
    } else if (strcmp(word, "timed") == 0) {
        options->timed = true;
    } else {
        return false;
    }
    return true;
}

enum penrose_status settings_schedule(struct penrose_options *options, const char *text,
                                      struct penrose_error *error)
{
    struct penrose_options changed = *options;
    char word[WORD_BYTES];
    while (next_word(&text, word)) {
        if (!schedule_word(&changed, word)) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "'%s' is no schedule; choose fast, lockstep or random:SEED, and "
                             "functional or timed, for example random:1 or lockstep,timed",
                             word);
        }
    }
    *options = changed;
    return PENROSE_OK;
}

/* --- Policies --- */

bool settings_policy_find(const char *name, enum penrose_policy *policy)
{
    for (*policy = PENROSE_STOP; *policy <= PENROSE_IGNORE; (*policy)++) {
        if (strcmp(name, arch_policy_name(*policy)) == 0) {
            return true;
        }
    }
    return false;
}

/* Sets the policy of a kind, or of all; false when there is no such kind. */
static bool set_policy(struct penrose_options *options, const char *kind, size_t length,
                       enum penrose_policy policy)
{
    bool is_all = length == 3 && strncmp(kind, "all", 3) == 0, found = is_all;
    for (unsigned i = 0; i < PENROSE_FAULT_KINDS; i++) {
        const char *name = arch_fault_name((enum penrose_fault_kind)i);
        if (is_all || (strlen(name) == length && strncmp(kind, name, length) == 0)) {
            options->policy[i] = policy;
            found = true;
        }
    }
    return found;
}

enum penrose_status settings_policy(struct penrose_options *options, const char *text,
                                    struct penrose_error *error)
{
    struct penrose_options changed = *options;
    char word[WORD_BYTES];
    while (next_word(&text, word)) {
        size_t length = strcspn(word, "=");
        enum penrose_policy policy;
        if (!word[length] || !settings_policy_find(word + length + 1, &policy)) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "'%s' is no policy; write KIND=stop, KIND=warn or KIND=ignore, for "
                             "example unmapped-address=warn, several with commas",
                             word);
        }
        if (!set_policy(&changed, word, length, policy)) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "there is no fault kind '%.*s'; fault reports begin with its name, "
                             "penrose(1) lists them all",
                             (int)length, word);
        }
    }
    *options = changed;
    return PENROSE_OK;
}

/* --- Dumps --- */

const char *settings_dump_event_name(enum settings_dump_event event)
{
    static const char *const names[DUMP_EVENTS] = {
        [DUMP_AT_EXIT] = "exit", [DUMP_AT_FAULT] = "fault", [DUMP_AT_SIGNAL] = "signal"};
    return names[event];
}

enum penrose_status settings_dump_events(unsigned *events, const char *text,
                                         struct penrose_error *error)
{
    unsigned found = 0;
    char word[WORD_BYTES];
    while (next_word(&text, word)) {
        unsigned event = 0;
        while (event < DUMP_EVENTS &&
               strcmp(word, settings_dump_event_name((enum settings_dump_event)event)) != 0) {
            event++;
        }
        if (event == DUMP_EVENTS) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "'%s' is no event; choose exit, fault and signal, several with commas",
                             word);
        }
        found |= 1u << event;
    }
    *events = found;
    return PENROSE_OK;
}

/* --- Numbers --- */

/* "3" or "5-7" */
static bool parse_range(const char *word, unsigned *first, unsigned *last)
{
    int length = 0;
    if (sscanf(word, "%6u%n", first, &length) != 1) {
        return false;
    }
    *last = *first;
    if (word[length] == '-') {
        int more = 0;
        if (sscanf(word + length, "-%6u%n", last, &more) != 1) {
            return false;
        }
        length += more;
    }
    return *first > 0 && *first <= *last && !word[length];
}

enum penrose_status settings_numbers(struct settings_numbers *numbers, const char *text,
                                     struct penrose_error *error)
{
    struct settings_numbers found = {.ranges = 0};
    char word[WORD_BYTES];
    while (next_word(&text, word)) {
        if (found.ranges == SETTINGS_RANGES ||
            !parse_range(word, &found.range[found.ranges].first, &found.range[found.ranges].last)) {
            return error_set(error, PENROSE_E_ARGUMENT,
                             "'%s' is no number from 1 on and no range of them; write for example "
                             "3,5-7, at most %d of these",
                             word, SETTINGS_RANGES);
        }
        found.ranges++;
    }
    *numbers = found;
    return PENROSE_OK;
}

bool settings_numbers_have(const struct settings_numbers *numbers, unsigned number)
{
    bool is_one = numbers->ranges == 0;
    for (unsigned i = 0; i < numbers->ranges; i++) {
        is_one |= number >= numbers->range[i].first && number <= numbers->range[i].last;
    }
    return is_one;
}

/* --- Tiles --- */

bool settings_next_tile(struct penrose_place *at, const char **text)
{
    int length = 0;
    bool is_tile = sscanf(*text, " %3u,%3u%n", &at->x, &at->y, &length) == 2;
    *text += is_tile ? length : 0;
    return is_tile;
}

/* --- Links --- */

/* One of ",seed=7,down=100000,up=200000"; false: it is none of these. */
static bool take_link_word(struct penrose_link_errors *errors, const char **text)
{
    const struct {
        const char *name;
        uint64_t *value;
    } words[] = {{"seed", &errors->seed}, {"down", &errors->down}, {"up", &errors->up}};
    char name[8];
    unsigned long long value;
    int length = 0;
    if (sscanf(*text, ",%7[a-z]=%19llu%n", name, &value, &length) != 2) {
        return false;
    }
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].name, name) == 0) {
            *words[i].value = value;
            *text += length;
            return true;
        }
    }
    return false;
}

enum penrose_status settings_next_link(struct settings_link *link, const char **text,
                                       struct penrose_error *error)
{
    int length = 0;
    *link = (struct settings_link){.errors.size = sizeof link->errors};
    const char *at = *text + strspn(*text, " ");
    bool is_link =
        sscanf(at, "%2u:%2u=%lf%n", &link->chip, &link->port, &link->errors.rate, &length) == 3;
    at += is_link ? length : 0;
    while (is_link && *at == ',') {
        is_link = take_link_word(&link->errors, &at);
    }
    at += strspn(at, " ");
    bool is_end = is_link && (!*at || at[-1] == ' ');
    if (!is_end || !(link->errors.rate >= 0 && link->errors.rate <= 1)) {
        return error_set(error, PENROSE_E_ARGUMENT,
                         "'%.60s' is not understood; write chip:port=rate, the rate from 0 to 1, "
                         "and perhaps seed, down and up, as in 0:4=1e-3,seed=7,down=100000",
                         *text);
    }
    *text = at;
    return PENROSE_OK;
}
