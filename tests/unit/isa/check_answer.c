/* The words and the kinds of fault of answers. */
#include "isa/answer.h"
#include "unit/test.h"

static const struct {
    enum answer answer;
    enum penrose_fault_kind kind;
    const char *rule[ANSWER_ASKERS]; /* for a hart, the NoC, the host, a BAR */
} rows[] = {
    {ANSWER_UNMAPPED,
     PENROSE_FAULT_UNMAPPED,
     {"nothing is mapped there for this hart", "nothing answers there", "nothing answers there",
      "nothing is there"}},
    {ANSWER_READ_ONLY,
     PENROSE_FAULT_READ_ONLY,
     {"the register cannot be written", "the register cannot be written",
      "the register cannot be written", "the register cannot be written"}},
    {ANSWER_NARROW,
     PENROSE_FAULT_NARROW,
     {"the register takes 32-bit stores only", "the register takes aligned words of 4 bytes",
      "the place takes accesses of another size only, mostly of 32 bits",
      "the register takes aligned words of 4 bytes"}},
    {ANSWER_HANG,
     PENROSE_FAULT_HANG,
     {"the hardware never answers this access", "the hardware would never answer",
      "the hardware would never answer", "the hardware would never answer"}},
    {ANSWER_UNIMPLEMENTED,
     PENROSE_FAULT_UNIMPLEMENTED,
     {"not modelled in this version", "this version does not model it",
      "this version does not model it", "this version does not model it"}},
    {ANSWER_REFUSED,
     PENROSE_FAULT_HANG,
     {"the access is undefined", "the access is undefined", "the access is undefined",
      "the access is undefined"}},
};

TEST_EACH(refusals_have_a_kind_and_words_for_each_asker, COUNT(rows))
{
    EXPECT(answer_is_refusal(rows[_i].answer) && !answer_is_done(rows[_i].answer));
    EXPECT(answer_fault(rows[_i].answer) == rows[_i].kind);
    for (unsigned asker = 0; asker < ANSWER_ASKERS; asker++) {
        ck_assert_str_eq(answer_rule(rows[_i].answer, (enum answer_asker)asker),
                         rows[_i].rule[asker]);
    }
}

TEST(what_is_done_or_waits_is_not_refused)
{
    EXPECT(answer_is_done(ANSWER_DONE) && answer_is_done(ANSWER_UNMODELLED));
    EXPECT(!answer_is_done(ANSWER_WAIT) && !answer_is_refusal(ANSWER_WAIT));
    EXPECT(!answer_is_refusal(ANSWER_DONE) && !answer_is_refusal(ANSWER_UNMODELLED));
    EXPECT(COUNT(rows) == ANSWERS - ANSWER_WAIT - 1);
    ck_assert_str_eq(answer_rule(ANSWER_UNMODELLED, ANSWER_TO_BAR),
                     "this version does not model the register: it reads zero");
}
