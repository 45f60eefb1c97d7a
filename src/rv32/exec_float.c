/*
 * F: single-precision arithmetic. SPEC: BlackholeA0 BabyRISCV InstructionSet, Miscellaneous/FMA.
 *
 * The rm field and the rounding mode of fcsr change nothing: every rounding is to nearest even (so
 * fcvt.w.s with rtz, which compilers emit for casts, rounds too). ttsim refuses most values of rm
 * and has the same results otherwise. The arithmetic and what is known about flags: num/fp32.h.
 */
#include "num/fp32.h"
#include "rv32/exec.h"

#define A     (hart->f[op->rs1])
#define B     (hart->f[op->rs2])
#define C     (hart->f[op->aux])
#define FLAGS (&hart->csr.fcsr)

/* A row whose result is an expression and goes to an f or x register. */
#define TO_F(token, expression)                                                                    \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        hart->f[op->rd] = (expression);                                                            \
        return rv32_next(hart, op + 1, left);                                                      \
    }
#define TO_X(token, expression)                                                                    \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        hart->x[op->rd] = (expression);                                                            \
        return rv32_next(hart, op + 1, left);                                                      \
    }

static inline uint32_t negated(uint32_t x)
{
    return x ^ NUM_FP32_SIGN;
}

static inline uint32_t with_sign(uint32_t x, uint32_t sign)
{
    return (x & ~NUM_FP32_SIGN) | (sign & NUM_FP32_SIGN);
}

/* The bus may ask for hart->op. */
static RV32_APART enum answer load(struct rv32_hart *hart, const struct rv32_op *op, uint64_t now)
{
    uint32_t value = 0;
    uint32_t address = hart->x[op->rs1] + (uint32_t)op->imm;
    hart->op = op;
    enum answer answer = rv32_load(hart, address, 4, now, &value);
    if (answer == ANSWER_DONE) {
        hart->f[op->rd] = value;
    }
    return answer;
}

int64_t rv32_exec_FLW(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    enum answer answer = load(hart, op, rv32_now(hart, left));
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

int64_t rv32_exec_FSW(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    uint32_t address = hart->x[op->rs1] + (uint32_t)op->imm;
    hart->op = op;
    enum answer answer = rv32_store(hart, address, 4, rv32_now(hart, left), B);
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

TO_F(FMADD_S, num_fp32_fma_flags(A, B, C, FLAGS))
TO_F(FMSUB_S, num_fp32_fma_flags(A, B, negated(C), FLAGS))
TO_F(FNMSUB_S, num_fp32_fma_flags(negated(A), B, C, FLAGS))
TO_F(FNMADD_S, num_fp32_fma_flags(negated(A), B, negated(C), FLAGS))
TO_F(FADD_S, num_fp32_add(A, B, FLAGS))
TO_F(FSUB_S, num_fp32_sub(A, B, FLAGS))
TO_F(FMUL_S, num_fp32_mul(A, B, FLAGS))
TO_F(FSGNJ_S, with_sign(A, B))
TO_F(FSGNJN_S, with_sign(A, ~B))
TO_F(FSGNJX_S, with_sign(A, A ^ B))
TO_F(FMIN_S, num_fp32_min(A, B, FLAGS))
TO_F(FMAX_S, num_fp32_max(A, B, FLAGS))
TO_X(FCVT_W_S, num_fp32_to_int(A, 32, NUM_NEAREST_EVEN, FLAGS))
TO_X(FCVT_WU_S, num_fp32_to_uint(A, 32, NUM_NEAREST_EVEN, FLAGS))
TO_X(FMV_X_W, A)
TO_X(FCLASS_S, num_fp32_classify(A))
TO_X(FEQ_S, num_fp32_equal(A, B, FLAGS))
TO_X(FLT_S, num_fp32_less(A, B, FLAGS))
TO_X(FLE_S, num_fp32_less_equal(A, B, FLAGS))
TO_F(FCVT_S_W, num_fp32_from_int((int32_t)hart->x[op->rs1], FLAGS))
TO_F(FCVT_S_WU, num_fp32_from_uint(hart->x[op->rs1], FLAGS))
TO_F(FMV_W_X, hart->x[op->rs1])
