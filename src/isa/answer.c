/* The words of answers, see answer.h. */
#include "isa/answer.h"

/* A refusal: the fault that it is, the rule for everybody, and words that suit one asker better. */
static const struct refusal {
    enum penrose_fault_kind kind;
    const char *rule;
    const char *rule_for[ANSWER_ASKERS];
} refusals[ANSWERS] = {
    [ANSWER_UNMODELLED] = {.rule_for[ANSWER_TO_BAR] =
                               "this version does not model the register: it reads zero"},
    [ANSWER_UNMAPPED] = {PENROSE_FAULT_UNMAPPED,
                         "nothing answers there",
                         {[ANSWER_TO_HART] = "nothing is mapped there for this hart",
                          [ANSWER_TO_BAR] = "nothing is there"}},
    [ANSWER_READ_ONLY] = {PENROSE_FAULT_READ_ONLY, "the register cannot be written", {0}},
    [ANSWER_NARROW] = {PENROSE_FAULT_NARROW,
                       "the register takes aligned words of 4 bytes",
                       {[ANSWER_TO_HART] = "the register takes 32-bit stores only",
                        [ANSWER_TO_HOST] = "the place takes accesses of another size only, mostly "
                                           "of 32 bits"}},
    [ANSWER_HANG] = {PENROSE_FAULT_HANG,
                     "the hardware would never answer",
                     {[ANSWER_TO_HART] = "the hardware never answers this access"}},
    [ANSWER_UNIMPLEMENTED] = {PENROSE_FAULT_UNIMPLEMENTED,
                              "this version does not model it",
                              {[ANSWER_TO_HART] = "not modelled in this version"}},
    [ANSWER_REFUSED] = {PENROSE_FAULT_HANG, "the access is undefined", {0}},
};

const char *answer_rule(enum answer answer, enum answer_asker asker)
{
    const struct refusal *refusal = &refusals[answer];
    return refusal->rule_for[asker] ? refusal->rule_for[asker] : refusal->rule;
}

enum penrose_fault_kind answer_fault(enum answer answer)
{
    return refusals[answer].kind;
}
