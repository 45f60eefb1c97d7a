#include "rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LOOPS = RULE_LOOPS, GPRS = RULE_GPRS };

struct limit_cell {
    enum limit_kind kind;
    const char *operand;
    uint32_t value;
};

#define EXACT(operand, value) {LIMIT_EXACT, #operand, value},
#define BITS(operand, mask)   {LIMIT_BITS, #operand, mask},
#define NONZERO(operand)      {LIMIT_NONZERO, #operand, 0},
#define MOST(operand, value)  {LIMIT_MOST, #operand, value},
#define ONE_OF(operand, set)  {LIMIT_ONE_OF, #operand, set},

static const struct rule_row {
    const char *token;
    uint16_t row, weight;
    enum rule_when when;
    enum maker maker;
    unsigned traits;
    struct limit_cell cell[MOST_LIMITS + 1]; /* ends at the first without an operand */
} rule_rows[] = {
#define RULE(token, weight, when, make, traits, cells)                                             \
    {#token, TENSIX_ROW_##token, weight, RULE_##when, MAKE_##make, traits, {cells{0, NULL, 0}}},
#include "rules.def"
};

enum { RULES = sizeof rule_rows / sizeof rule_rows[0] };

const struct isa_field *row_operand(unsigned row, const char *name)
{
    const struct isa_format *format = tensix_rows[row].format;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && format->field[i]; i++) {
        if (!strcmp(format->field[i]->name, name)) {
            return format->field[i];
        }
    }
    return NULL;
}

bool rules_build(struct rules *rules)
{
    *rules = (struct rules){.rules = RULES};
    for (unsigned i = 0; i < RULES; i++) {
        const struct rule_row *row = &rule_rows[i];
        struct rule *rule = &rules->rule[i];
        *rule = (struct rule){.token = row->token,
                              .row = row->row,
                              .weight = row->weight,
                              .when = row->when,
                              .maker = row->maker,
                              .traits = row->traits};
        for (const struct limit_cell *cell = row->cell; cell->operand; cell++) {
            const struct isa_field *field = row_operand(row->row, cell->operand);
            if (!field) {
                fprintf(stderr, "rules.def: %s has no operand %s\n", row->token, cell->operand);
                return false;
            }
            rule->limit[rule->limits++] = (struct limit){cell->kind, field, cell->value};
        }
    }
    rules_use_all(rules, false, FAMILY_PROGRAMS);
    return true;
}

/* --- Which rows --- */

static void sum_weights(struct rules *rules)
{
    rules->total = 0;
    for (unsigned i = 0; i < rules->rules; i++) {
        rules->total += rules->in_use[i] ? rules->rule[i].weight : 0;
    }
}

enum program_family rule_family(const struct rule *rule)
{
    return rule->when == RULE_SCENE    ? FAMILY_SCENES
           : rule->when == RULE_VECTOR ? FAMILY_VECTOR
                                       : FAMILY_PROGRAMS;
}

void rules_use_all(struct rules *rules, bool later, enum program_family family)
{
    for (unsigned i = 0; i < rules->rules; i++) {
        const struct rule *rule = &rules->rule[i];
        rules->in_use[i] = rule_family(rule) == family && (rule->when != RULE_LATER || later);
    }
    sum_weights(rules);
}

static bool is_name_of(const struct rule *rule, const char *text, size_t length)
{
    const char *mnemonic = tensix_rows[rule->row].mnemonic;
    return (strlen(rule->token) == length && !strncasecmp(rule->token, text, length)) ||
           (strlen(mnemonic) == length && !strncasecmp(mnemonic, text, length));
}

/* Switches the rows of a list on or off. */
static bool switch_rows(struct rules *rules, const char *list, bool use, enum program_family family,
                        char *unknown, size_t size)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        bool found = false;
        for (unsigned i = 0; i < rules->rules; i++) {
            if (is_name_of(&rules->rule[i], list, length) &&
                rule_family(&rules->rule[i]) == family) {
                found = true;
                rules->in_use[i] = use;
                rules->rule[i].weight = rules->rule[i].weight ? rules->rule[i].weight : 1;
            }
        }
        if (!found) {
            snprintf(unknown, size, "%.*s", (int)length, list);
            return false;
        }
        list += length + (list[length] == ',');
    }
    sum_weights(rules);
    return true;
}

bool rules_use_only(struct rules *rules, const char *list, enum program_family family,
                    char *unknown, size_t size)
{
    memset(rules->in_use, 0, sizeof rules->in_use);
    return switch_rows(rules, list, true, family, unknown, size);
}

bool rules_do_without(struct rules *rules, const char *list, enum program_family family,
                      char *unknown, size_t size)
{
    return switch_rows(rules, list, false, family, unknown, size);
}

const struct rule *rules_pick(const struct rules *rules, struct random *random)
{
    uint32_t at = random_below(random, rules->total);
    for (unsigned i = 0; i < rules->rules; i++) {
        if (!rules->in_use[i]) {
            continue;
        }
        if (at < rules->rule[i].weight) {
            return &rules->rule[i];
        }
        at -= rules->rule[i].weight;
    }
    return NULL;
}

const struct rule *rules_named(const struct rules *rules, const char *token,
                               enum program_family family)
{
    for (unsigned i = 0; i < rules->rules; i++) {
        if (!strcasecmp(rules->rule[i].token, token) && rule_family(&rules->rule[i]) == family) {
            return &rules->rule[i];
        }
    }
    return NULL;
}

/* --- Operands --- */

static uint32_t ones(unsigned width)
{
    return width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX;
}

uint32_t random_bits(struct random *random, unsigned width)
{
    uint32_t all = ones(width);
    uint32_t power = width ? UINT32_C(1) << random_below(random, width) : 0;
    uint32_t bits = (uint32_t)(random_next(random) >> 16);
    switch (random_below(random, 10)) {
    case 0:
        return 0;
    case 1:
        return all & 1;
    case 2:
        return all - (random_once_in(random, 2) && all);
    case 3:
        return (all >> 1) + random_below(random, 2) * (all & 1); /* around the sign bit */
    case 4:
        return power & all;
    case 5:
        return (power - 1 + 2 * random_below(random, 2)) & all; /* its neighbours */
    case 6:
        return (bits & all) >> random_below(random, width ? width : 1);
    default:
        return bits & all;
    }
}

static uint32_t limited(const struct limit *limit, struct random *random, uint32_t value,
                        uint32_t *allowed)
{
    switch (limit->kind) {
    case LIMIT_EXACT:
        return limit->value;
    case LIMIT_BITS:
        *allowed &= limit->value;
        return value & limit->value;
    case LIMIT_MOST:
        return value % (limit->value + 1);
    case LIMIT_ONE_OF: /* each as likely */
        do {
            value = random_below(random, 16);
        } while (!(limit->value >> value & 1));
        return value;
    case LIMIT_NONZERO:
        while (!(value & *allowed)) {
            value = (uint32_t)(random_next(random) >> 16) & *allowed;
        }
        return value;
    }
    return value;
}

uint32_t rule_word(const struct rules *rules, const struct rule *rule, struct random *random)
{
    const struct isa_row *row = &tensix_rows[rule->row];
    uint32_t word = row->match;
    for (unsigned i = 0; i < ISA_MAX_FIELDS && row->format->field[i]; i++) {
        const struct isa_field *field = row->format->field[i];
        uint32_t bits = isa_field_bits(field) & ~row->mask;
        if (!bits) {
            continue;
        }
        uint32_t allowed = ones(field->piece[0].width);
        uint32_t value = random_bits(random, field->piece[0].width);
        for (unsigned k = 0; k < rule->limits && !rules->free; k++) {
            if (rule->limit[k].field == field) {
                value = limited(&rule->limit[k], random, value, &allowed);
            }
        }
        uint32_t placed = value << field->piece[0].lsb;
        word = (word & ~bits) | (placed & bits); /* KEY cells keep their fixed bits */
    }
    return word;
}
