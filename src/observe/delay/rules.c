/* See rules.h. */
#include "observe/delay/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/names.h"
#include "isa/error.h"

static const char *const delayed_names[DELAYED_KINDS] = {[DELAYED_HART] = "",
                                                         [DELAYED_THREAD] = "thread",
                                                         [DELAYED_DEPARTURE] = "departure",
                                                         [DELAYED_ARRIVAL] = "arrival"};

/* A number from `text` on, and what follows it; false: there is none, or it is above `most`. */
static bool take_delay_number(const char **text, uint64_t most, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9') {
        return false;
    }
    *number = strtoull(*text, &end, 0);
    *text = end;
    return *number <= most;
}

/* "1-2:" in front; true where there is none, too. */
static bool take_tile(const char **text, struct delay_rule *rule)
{
    int used = 0;
    if (**text < '0' || **text > '9') {
        return true;
    }
    rule->has_tile = sscanf(*text, "%2u-%2u:%n", &rule->x, &rule->y, &used) == 2 && used > 0;
    *text += used;
    return rule->has_tile;
}

/* "trisc1" or "trisc1.thread" */
static bool take_delayed(const char **text, struct delay_rule *rule)
{
    size_t length = strcspn(*text, "@"), hart = strcspn(*text, ".@");
    const char *what = *text + hart + (hart < length);
    size_t left = length - (size_t)(what - *text);
    bool has_hart = false, has_what = false;
    for (unsigned i = 0; i < PENROSE_HARTS; i++) {
        const char *name = arch_agent_name((enum penrose_agent)i);
        if (strlen(name) == hart && strncmp(name, *text, hart) == 0) {
            rule->hart = (enum penrose_hart)i;
            has_hart = true;
        }
    }
    for (unsigned i = 0; i < DELAYED_KINDS; i++) {
        if (strlen(delayed_names[i]) == left && strncmp(delayed_names[i], what, left) == 0) {
            rule->what = (enum delayed)i;
            has_what = true;
        }
    }
    *text += length;
    return has_hart && has_what;
}

static bool has_thread(enum penrose_hart hart)
{
    return hart >= PENROSE_TRISC0 && hart <= PENROSE_TRISC2;
}

static bool take_rule(const char *text, struct delay_rule *rule)
{
    uint64_t pc, cycles;
    *rule = (struct delay_rule){.has_tile = false};
    if (!take_tile(&text, rule) || !take_delayed(&text, rule) || *text++ != '@' ||
        !take_delay_number(&text, UINT32_MAX, &pc)) {
        return false;
    }
    if (*text == '/' && (text++, !take_delay_number(&text, UINT64_MAX, &rule->number))) {
        return false;
    }
    if (*text++ != '=' || !take_delay_number(&text, DELAY_MOST_CYCLES, &cycles)) {
        return false;
    }
    rule->pc = (uint32_t)pc;
    rule->cycles = (uint32_t)cycles;
    return !*text && (rule->what != DELAYED_THREAD || has_thread(rule->hart));
}

enum penrose_status delay_rules_parse(const char *text, struct delay_rules *rules,
                                      struct penrose_error *error)
{
    char word[80];
    size_t length;
    *rules = (struct delay_rules){.count = 0};
    for (;; text += length + 1) {
        length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word),
                 text);
        if (rules->count == DELAY_RULES) {
            return error_set(error, PENROSE_E_ARGUMENT, "there are more than %d delays",
                             DELAY_RULES);
        }
        if (length >= sizeof word || !take_rule(word, &rules->rule[rules->count])) {
            return error_set(
                error, PENROSE_E_ARGUMENT,
                "'%s' is no delay; write [X-Y:]HART[.thread|.departure|.arrival]@PC[/N]"
                "=CYCLES, for example brisc.arrival@0x5c40=5000 or "
                "1-2:trisc1.thread@0x9a10/3=300; only trisc0 to trisc2 have threads, and "
                "%d cycles are the most",
                word, DELAY_MOST_CYCLES);
        }
        rules->count++;
        if (!text[length]) {
            return PENROSE_OK;
        }
    }
}
