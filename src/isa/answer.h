/*
 * What a unit answers to an access: of a hart, an instruction, a packet or a host, to a register or
 * to memory. An answer that is neither "done" nor "wait" refuses the access and says why. A unit that
 * knows more gives the violated rule beside it, in words.
 *
 * What the caller has to carry out, such as a request that begins, is no answer. It is a value of its
 * own, in the unit's words.
 */
#ifndef ISA_ANSWER_H
#define ISA_ANSWER_H

#include <stdbool.h>

#include <penrose/penrose.h>

enum answer {
    ANSWER_DONE,
    ANSWER_UNMODELLED, /* done, but what the register would do is not modelled */
    ANSWER_WAIT,       /* cannot be served yet; nothing happened */

    /* Refused; nothing happened. */
    ANSWER_UNMAPPED,      /* nothing there, or not for the one that asks */
    ANSWER_READ_ONLY,     /* a write to what cannot be written */
    ANSWER_NARROW,        /* the place takes accesses of another size, mostly of whole words */
    ANSWER_HANG,          /* the hardware never answers: a guest fault */
    ANSWER_UNIMPLEMENTED, /* hardware that this version does not model yet */
    ANSWER_REFUSED,       /* for the rule beside it */
    ANSWERS,
};

static inline bool answer_is_done(enum answer answer)
{
    return answer <= ANSWER_UNMODELLED;
}

static inline bool answer_is_refusal(enum answer answer)
{
    return answer > ANSWER_WAIT;
}

/* Who is told of a refusal: some words suit one of them better. */
enum answer_asker {
    ANSWER_TO_HART,
    ANSWER_TO_NOC,
    ANSWER_TO_HOST, /* an access to a place on the grid */
    ANSWER_TO_BAR,  /* an access to a register in a BAR */
    ANSWER_ASKERS,
};

/* The rule of a refusal in words, where the unit has given none. */
const char *answer_rule(enum answer answer, enum answer_asker asker);

/* The guest fault that a refused access is. */
enum penrose_fault_kind answer_fault(enum answer answer);

#endif
