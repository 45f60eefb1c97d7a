/* The rows of rules.def, resolved against tensix.def. */
#ifndef DIFFTEST_TENSIX_RULES_H
#define DIFFTEST_TENSIX_RULES_H

#include "../common/random.h"
#include "tensix/table.h"

enum maker {
    MAKE_PLAIN,
    MAKE_SETC16,
    MAKE_WRCFG,
    MAKE_RDCFG,
    MAKE_RMWCIB,
    MAKE_SHIFTMASK,
    MAKE_STOREREG,
    MAKE_SETRWC,
    MAKE_SEMAPHORE,
    MAKE_MUTEX,
    MAKE_MOP,
    MAKE_REPLAY,
    MAKE_BANK,
    MAKERS_OF_PROGRAMS,
    MAKE_UNPACK = MAKERS_OF_PROGRAMS, /* of scenes, see scene.h */
    MAKE_ONCE,
    MAKE_MATH,
    MAKE_MOVE,
    MAKE_CLEAR,
    MAKE_FLIPS,
    MAKE_PACK,
    MAKE_VECTOR, /* of programs of the Vector Unit, see vector.h */
    MAKERS
};

enum rule_when { RULE_NOW, RULE_LATER, RULE_SCENE, RULE_VECTOR };

/* What programs are made of which rows. */
enum program_family {
    FAMILY_PROGRAMS, /* NOW and LATER */
    FAMILY_SCENES,   /* of the data path */
    FAMILY_VECTOR,   /* of the Vector Unit */
};

enum trait { RULE_LOOPS = 1, RULE_GPRS = 2 };

enum limit_kind { LIMIT_EXACT, LIMIT_BITS, LIMIT_NONZERO, LIMIT_MOST, LIMIT_ONE_OF };

enum { MOST_LIMITS = 10 };

struct limit {
    enum limit_kind kind;
    const struct isa_field *field;
    uint32_t value;
};

struct rule {
    const char *token;
    uint16_t row;
    uint16_t weight;
    enum rule_when when;
    enum maker maker;
    unsigned traits, limits;
    struct limit limit[MOST_LIMITS];
};

enum { MOST_RULES = 128 };

struct rules {
    struct rule rule[MOST_RULES];
    unsigned rules, total; /* sum of the weights of those in use */
    bool in_use[MOST_RULES];
    bool free; /* without limits */
};

/* Resolves the table; false, with a message on stderr, when a cell names no operand. */
bool rules_build(struct rules *rules);

enum program_family rule_family(const struct rule *rule);

/* Uses the family's rows; of FAMILY_PROGRAMS the LATER rows only with `later`. */
void rules_use_all(struct rules *rules, bool later, enum program_family family);

/* Uses only the family's rows of a list of tokens or mnemonics with commas between; false:
 * `unknown` is the one that is none. */
bool rules_use_only(struct rules *rules, const char *list, enum program_family family,
                    char *unknown, size_t size);

/* Uses the rows of a list no longer. */
bool rules_do_without(struct rules *rules, const char *list, enum program_family family,
                      char *unknown, size_t size);

/* A random row of those in use, by weight; there must be one (rules->total is not 0). */
const struct rule *rules_pick(const struct rules *rules, struct random *random);
const struct rule *rules_named(const struct rules *rules, const char *token,
                               enum program_family family);

/* The operand of a row, or NULL. */
const struct isa_field *row_operand(unsigned row, const char *name);

/* A random value of so many bits, with a bias to boundary values. */
uint32_t random_bits(struct random *random, unsigned width);

/* A random instruction of the rule, within its limits. */
uint32_t rule_word(const struct rules *rules, const struct rule *rule, struct random *random);

#endif
