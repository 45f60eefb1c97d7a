/* What each kernel has to set before it uses it. */
#include "observe/check/pieces.h"
#include "tensix/config/regs.h"

static uint32_t needs_of_word(unsigned word)
{
    static const enum tensix_field_id fields[] = {
#define NEEDS(name) TENSIX_FIELD_##name,
#define NEEDS_THREAD_WORDS(first, count)
#include "needs.def"
    };
    uint32_t bits = 0;
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const struct tensix_field *field = &tensix_fields[fields[i]];
        bits |= field->word == word ? tensix_field_mask(field) : 0;
    }
    return bits;
}

static uint32_t needs_of_thread_word(unsigned word)
{
    static const struct {
        unsigned first, count;
    } words[] = {
#define NEEDS(name)
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
        return needs_of_word(piece % TENSIX_STATE_WORDS);
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
