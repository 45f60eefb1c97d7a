/*
 * The round sub-unit: rounding conversions, shuffles of lanes, shifts by lanes (SPEC: BlackholeA0
 * SFPSTOCHRND and its three pages, SFPSHFT2).
 *
 * SFP_STOCH_RND steps the generators of its lanes in every mode, and where VD cannot be written
 * too.
 */
#include "tensix/vector/schedule.h"

#include <string.h>

/* --- SFP_STOCH_RND --- */

enum round_mode { ROUND_TO_FP16, ROUND_TO_BF16 }; /* the others are enum num_lanes_integer */
enum rounding { ROUNDS_TO_NEAREST, ROUNDS_AT_RANDOM, ROUNDS_TO_ZERO };
enum { ROUND_MODE_MASK = 7, USE_IMM5 = 8 };

static bool is_descale(unsigned mode)
{
    return mode == NUM_LANES_INT_TO_UINT8 || mode == NUM_LANES_INT_TO_INT8;
}

/* The operation of a mode. */
static enum num_lanes_op round_operation(unsigned mode)
{
    return mode == ROUND_TO_FP16   ? NUM_LANES_TO_FP16
           : mode == ROUND_TO_BF16 ? NUM_LANES_TO_BF16
           : is_descale(mode)      ? NUM_LANES_DESCALE
                                   : NUM_LANES_TO_INTEGER;
}

static unsigned rounding_of(const struct tensix_vector_op *op)
{
    return op->word >> 21 & 3;
}

/* Has every lane that is enabled taken the instruction as a template? */
static bool is_template(const struct tensix_vector_op *op, uint32_t lanes)
{
    return lanes == 0 && op->vd >= TENSIX_LREG_BACKDOOR && !op->is_scheduled;
}

/*
 * GUESS: no page names rounding mode 3; the model would round at random. HW: LLK's exponential has
 * UseImm5 set with a mode that has no use for it; ttsim refuses that.
 */
const char *tensix_vector_check_round(const struct tensix_vector *vector,
                                      const struct tensix_vector_op *op, uint32_t lanes)
{
    (void)vector;
    return rounding_of(op) > ROUNDS_TO_ZERO && !is_template(op, lanes)
               ? "rounding mode 3 is reserved: 0 is to nearest, 1 stochastic, 2 to zero"
               : NULL;
}

TENSIX_EXEC_VECTOR(SFP_STOCH_RND)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct num_lanes_kernels *kernels = tensix->kernels->lanes;
    unsigned mode = op->mod & ROUND_MODE_MASK;
    unsigned rounding = rounding_of(op), imm5 = op->word >> 16 & 31;
    const char *rule = tensix_vector_check_round(&tensix->vector, op, lanes);
    if (rule) {
        return rule;
    }
    uint32_t against[NUM_LANES], shift[NUM_LANES];
    if (rounding == ROUNDS_AT_RANDOM) {
        kernels->random(vector->generator, against, lanes);
    } else {
        kernels->random(vector->generator, NULL, lanes);
        kernels->op[NUM_LANES_CONSTANT](
            against, NULL, NULL, NULL,
            rounding == ROUNDS_TO_ZERO ? NUM_LANES_ROUND_ZERO : NUM_LANES_ROUND_NEAREST, lanes);
    }
    if (!tensix_vector_may_write(op->vd)) {
        return NULL;
    }
    const uint32_t *b = vector->lreg[op->vb];
    if (op->mod & USE_IMM5) {
        kernels->op[NUM_LANES_CONSTANT](shift, NULL, NULL, NULL, imm5, lanes);
        b = shift;
    }
    kernels->op[round_operation(mode)](vector->lreg[op->vd], against, b, vector->lreg[op->vc], mode,
                                       lanes);
    return NULL;
}

/* --- SFPSHFT2 --- */

enum shuffle {
    SHUFFLE_COPY4,
    SHUFFLE_CHAINED_COPY4,
    SHUFFLE_ROTATE_AND_COPY4,
    SHUFFLE_ROTATE,
    SHUFFLE_SHIFT,
    SHIFT_BY_LREG,
    SHIFT_BY_IMMEDIATE,
};
enum { SHIFT_MASK = 31, COPY4_LAST = 3 };

/* Within each row of lanes, one lane to the right; what comes in from the left is the last lane, or
 * 0. */
static void shift_rows(uint32_t *to, const uint32_t *from, bool rotates)
{
    for (unsigned first = 0; first < NUM_LANES; first += NUM_LANES_A_ROW) {
        memcpy(to + first + 1, from + first, (NUM_LANES_A_ROW - 1) * sizeof *to);
        to[first] = rotates ? from[first + NUM_LANES_A_ROW - 1] : 0;
    }
}

/* One row of lanes up; zeros come in. */
static void shift_up(uint32_t *to, const uint32_t *from)
{
    size_t moved = NUM_LANES - NUM_LANES_A_ROW;
    memcpy(to, from + NUM_LANES_A_ROW, moved * sizeof *to);
    memset(to + moved, 0, NUM_LANES_A_ROW * sizeof *to);
}

static void copy(const struct tensix *tensix, uint32_t *d, const uint32_t *c, uint32_t lanes)
{
    tensix->kernels->lanes->op[NUM_LANES_COPY](d, NULL, NULL, c, 0, lanes);
}

/* LReg[0] = LReg[1], LReg[1] = LReg[2], LReg[2] = LReg[3], LReg[3] = last. */
static void copy4(struct tensix *tensix, const uint32_t *last, uint32_t lanes)
{
    uint32_t(*lreg)[NUM_LANES] = tensix->vector.lreg;
    for (unsigned i = 0; i < COPY4_LAST; i++) {
        copy(tensix, lreg[i], lreg[i + 1], lanes);
    }
    copy(tensix, lreg[COPY4_LAST], last, lanes);
}

/* The four modes that move lanes or LRegs; none of them looks at more than VC and LReg[0]. */
static void shuffle(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t lanes)
{
    struct tensix_vector *vector = &tensix->vector;
    uint32_t moved[NUM_LANES];
    switch ((enum shuffle)op->mod) {
    case SHUFFLE_COPY4:
        copy4(tensix, vector->lreg[TENSIX_LREG_ZERO], lanes);
        return;
    case SHUFFLE_CHAINED_COPY4:
        shift_up(moved, vector->lreg[0]);
        copy4(tensix, moved, lanes);
        return;
    case SHUFFLE_ROTATE_AND_COPY4:
        shift_rows(moved, vector->lreg[op->vc], true);
        copy4(tensix, moved, lanes);
        return;
    default: /* SHUFFLE_ROTATE, SHUFFLE_SHIFT */
        shift_rows(moved, vector->lreg[op->vc], op->mod == SHUFFLE_ROTATE);
        if (tensix_vector_may_write(op->vd)) {
            copy(tensix, vector->lreg[op->vd], moved, lanes);
        }
        return;
    }
}

/* SPEC: VB is in the low bits of the immediate, unless a macro has chosen another one. */
static void shift_lanes(struct tensix *tensix, const struct tensix_vector_op *op, uint32_t lanes)
{
    struct tensix_vector *vector = &tensix->vector;
    const struct num_lanes_kernels *kernels = tensix->kernels->lanes;
    if (!tensix_vector_may_write(op->vd)) {
        return;
    }
    if (op->mod == SHIFT_BY_LREG) {
        kernels->op[NUM_LANES_SHIFT](vector->lreg[op->vd], NULL, vector->lreg[op->vb],
                                     vector->lreg[op->vc], 0, lanes);
        return;
    }
    int32_t immediate = tensix_vector_simm12(op);
    int32_t amount = immediate >= 0 ? immediate & SHIFT_MASK : -(-immediate & SHIFT_MASK);
    kernels->op[NUM_LANES_SHIFT_CONSTANT](vector->lreg[op->vd], NULL, NULL, vector->lreg[op->vb],
                                          (uint32_t)amount, lanes);
}

const char *tensix_vector_check_shift(const struct tensix_vector *vector,
                                      const struct tensix_vector_op *op, uint32_t lanes)
{
    (void)vector;
    return op->mod > SHIFT_BY_IMMEDIATE && !is_template(op, lanes)
               ? "Mod1 7 to 15 are reserved: use 0 to 6"
               : NULL;
}

/*
 * The modes that move lanes take two cycles, but the unit accepts nothing in the second one, so
 * nobody can read too early.
 */
TENSIX_EXEC_VECTOR(SFPSHFT2)
{
    if (op->mod > SHIFT_BY_IMMEDIATE) {
        return tensix_vector_check_shift(&tensix->vector, op, lanes);
    }
    if (op->mod >= SHIFT_BY_LREG) {
        shift_lanes(tensix, op, lanes);
    } else {
        shuffle(tensix, op, lanes);
    }
    return NULL;
}
