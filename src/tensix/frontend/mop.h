/*
 * The MOP expander of one thread: turns a MOP into the instructions that its nine configuration
 * words describe, one at a time, so that an expansion needs no memory however long it is.
 *
 * It knows nothing of queues and time. The front end gives it MOP and MOP_CFG, takes instructions
 * with mop_next while mop_busy, and passes everything else by. What comes out goes to the replay
 * buffer and is not expanded again; a MOP or MOP_CFG among it is for the front end to refuse.
 *
 * SPEC: WormholeB0 MOPExpander, MOP, MOP_CFG (the BlackholeA0 page refers to it as "similar, but
 * not identical"). YAML: MOP in LLK's instructions/assembly.yaml of Blackhole.
 */
#ifndef TENSIX_MOP_H
#define TENSIX_MOP_H

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"

enum { MOP_COUNT_MASK = (1 << MOP_COUNT_BITS) - 1 }; /* of a loop count of template 1 */

/* Numbers of configuration words, by the template that reads them. */
enum mop_word {
    /* Template 0. Word 0 is not used. */
    MOP_FLAGS = 1,
    MOP_B = 2,
    MOP_A0 = 3, /* A1, A2 and A3 follow */
    MOP_SKIP_A0 = 7,
    MOP_SKIP_B = 8,
    /* Template 1 */
    MOP_OUTER_COUNT = 0,
    MOP_INNER_COUNT = 1,
    MOP_START = 2,
    MOP_END0 = 3,
    MOP_END1 = 4,
    MOP_LOOP0 = 5,
    MOP_LOOP1 = 6,
    MOP_LAST_OF_ALL = 7,   /* ends the inner loop of the last outer iteration */
    MOP_LAST_OF_INNER = 8, /* ends the inner loop of the others */

    MOP_WORDS = 9
};

/* Bits of MOP_FLAGS. */
enum { MOP_HAS_B = 1 << 0, MOP_HAS_A123 = 1 << 1 };

/*
 * What remains of a MOP: `iterations` of a list of instructions, of which the first `position` of
 * the current one are done. Nothing remains where iterations is 0; otherwise there is an
 * instruction at `position`.
 *
 * Template 0 iterates over list[mask & 1], and takes the next bit of the mask for each iteration.
 * Template 1 iterates over `starts` (0 or 1) times the start instruction, `inner` instructions of
 * the inner loop, and `ends` (0 to 2) instructions that follow it.
 */
struct mop_expansion {
    uint32_t is_loop; /* template 1 */
    uint32_t iterations, position;
    uint32_t word[MOP_WORDS]; /* the configuration when the MOP started */
    /* Template 0 */
    uint32_t mask;
    uint32_t list[2][5], length[2];
    /* Template 1; inner counts both instructions of an alternating loop */
    uint32_t starts, inner, ends;
    uint32_t loop[2]; /* of even and odd positions of the inner loop */
};

/* All zero after a reset (SPEC of mask_high; GUESS for the configuration). */
struct mop_expander {
    uint32_t config[MOP_WORDS]; /* what the hart stored at TENSIX_MOP_CFG_BASE */
    uint32_t mask_high;         /* of the last MOP_CFG, 16 bits; stays until the next */
    struct mop_expansion expansion;
};

/* Can mop_next go on from here? For states that come from elsewhere. */
bool mop_is_sound(const struct mop_expansion *expansion);

/* Executes a MOP_CFG; takes effect with the next MOP. */
void mop_config(struct mop_expander *expander, uint32_t word);

/*
 * Starts the expansion of a MOP; must not be called while mop_busy.
 *
 * The configuration is sampled here, as in the functional model. GUESS: hardware mostly samples
 * each word when it needs it. The page tells software not to change words during an expansion, so
 * a store while mop_busy deserves a report.
 *
 * Template 0: count1 + 1 iterations; mask bit 0 belongs to the first, and those beyond the 32nd
 * are not masked (SPEC: zeros are shifted in).
 *
 * Template 1: a count in the MOP that is not 0 replaces that of the configuration (YAML; WH knows
 * only the configuration). GUESS: bits 22:20 have no effect then.
 */
void mop_start(struct mop_expander *expander, uint32_t word);

/* Is there a next instruction? False after mop_start where the MOP expands to nothing. */
static inline bool mop_busy(const struct mop_expander *expander)
{
    return expander->expansion.iterations != 0;
}

/* Takes the next instruction of the expansion; false, *instruction untouched, if there is none. */
bool mop_next(struct mop_expander *expander, uint32_t *instruction);

/* Drops the rest of the expansion; configuration and mask stay. */
void mop_discard(struct mop_expander *expander);

#endif
