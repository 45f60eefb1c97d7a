/* What each kernel has to set before it uses it. */
#include "observe/check/pieces.h"
#include "tensix/config/regs.h"

static uint32_t needs_of_word(unsigned word, bool is_bare)
{
    static const struct {
        enum tensix_field_id field;
        bool is_always;
    } needs[] = {
#define NEEDS(name)        {TENSIX_FIELD_##name, false},
#define NEEDS_ALWAYS(name) {TENSIX_FIELD_##name, true},
#define NEEDS_THREAD_WORDS(first, count)
#include "needs.def"
    };
    uint32_t bits = 0;
    for (unsigned i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const struct tensix_field *field = &tensix_fields[needs[i].field];
        bits |=
            field->word == word && (needs[i].is_always || !is_bare) ? tensix_field_mask(field) : 0;
    }
    return bits;
}

static uint32_t needs_of_thread_word(unsigned word)
{
    static const struct {
        unsigned first, count;
    } words[] = {
#define NEEDS(name)
#define NEEDS_ALWAYS(name)
#define NEEDS_THREAD_WORDS(first, count) {TENSIX_WORD_##first, count},
#include "needs.def"
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (word - words[i].first < words[i].count) {
            return UINT32_MAX;
        }
    }
    return 0;
}

uint32_t check_config_needs(unsigned piece)
{
    enum {
        COMMON_GPRS = 4, /* SPEC: LLK, p_gpr: ZERO, and three of debuggers */
        WRITABLE_LREGS = 8,
    };
    if (piece < CONFIG_AT_THREAD_WORDS) {
        return needs_of_word(piece % TENSIX_STATE_WORDS, false);
    }
    if (piece < CONFIG_AT_GPRS) {
        return needs_of_thread_word((piece - CONFIG_AT_THREAD_WORDS) % TENSIX_THREAD_WORDS);
    }
    if (piece < CONFIG_AT_ADCS) {
        return (piece - CONFIG_AT_GPRS) % TENSIX_GPRS < COMMON_GPRS ? 0 : UINT32_MAX;
    }
    const bool is_lreg = piece - CONFIG_AT_LREGS < WRITABLE_LREGS;
    return piece < CONFIG_AT_SEMAPHORES || is_lreg || piece >= CONFIG_AT_RWCS ? UINT32_MAX : 0;
}

/* Programs without firmware may rely on what reset leaves of the rest: counters of zero, but for the
 * numbers of datums. */
uint32_t check_config_needs_bare(unsigned piece)
{
    if (piece < CONFIG_AT_THREAD_WORDS) {
        return needs_of_word(piece % TENSIX_STATE_WORDS, true);
    }
    const unsigned adc = piece - CONFIG_AT_ADCS;
    return adc < CONFIG_ADC_PIECES && adc % TENSIX_ADC_AXES == TENSIX_ADC_X ? UINT32_MAX : 0;
}
