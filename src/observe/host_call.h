/* RISC-V semihosting: a hart makes a request to its debugger by an ebreak between two instructions
 * without effect. SPEC: RISC-V Semihosting 1.0. */
#ifndef OBSERVE_HOST_CALL_H
#define OBSERVE_HOST_CALL_H

#include <penrose/debug.h>
#include <penrose/penrose.h>

/* Is the ebreak before `pc` such a call? */
static inline bool host_call_at(struct penrose_chip *chip, unsigned x, unsigned y,
                                enum penrose_hart hart, uint32_t pc)
{
    enum {
        WORD_BEFORE = 0x01f01013, /* slli x0, x0, 31 */
        WORD_CALL = 0x00100073,   /* ebreak */
        WORD_BEHIND = 0x40705013, /* srai x0, x0, 7 */
    };
    uint32_t words[3];
    return penrose_hart_peek(chip, x, y, hart, pc - 8, words, sizeof words, NULL) == PENROSE_OK &&
           words[0] == WORD_BEFORE && words[1] == WORD_CALL && words[2] == WORD_BEHIND;
}

#endif
