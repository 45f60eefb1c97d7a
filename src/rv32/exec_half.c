/*
 * Zfh: 16-bit arithmetic. SPEC: BlackholeA0 BabyRISCV InstructionSet, CSRs (cfg0).
 *
 * EnBFloat of cfg0 makes all of these instructions work on BF16; EnBFloatRTNE then chooses between
 * nearest even and toward zero, for conversions, too. Values are NaN-boxed in f registers.
 * GUESS: as the RISC-V Zfh extension says, an operand that is not boxed counts as the canonical
 * NaN (of the format in force); no page mentions boxing. What the multiply-add family computes
 * exactly is a GUESS, too, explained in num/fp16.h. ttsim has no Zfh.
 */
#include "num/fp16.h"
#include "rv32/exec.h"

enum { SIGN = 0x8000 };

#define BOX    UINT32_C(0xffff0000)
#define FLAGS  (&hart->csr.fcsr)
#define FORMAT format_of(hart)
#define A      operand(hart, op->rs1)
#define B      operand(hart, op->rs2)
#define C      operand(hart, op->aux)
#define A_WIDE num_half_to_fp32(FORMAT, A)
#define B_WIDE num_half_to_fp32(FORMAT, B)

/* Rows whose 16-bit result goes to an f register, whose FP32 result does, whose result is an x. */
#define TO_F(token, expression)                                                                    \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        hart->f[op->rd] = BOX | (uint16_t)(expression);                                            \
        return rv32_next(hart, op + 1, left);                                                      \
    }
#define TO_FP32(token, expression)                                                                 \
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

static inline enum num_half format_of(const struct rv32_hart *hart)
{
    if (!(hart->csr.cfg0 & RV32_CFG0_EN_BFLOAT)) {
        return NUM_FP16;
    }
    return hart->csr.cfg0 & RV32_CFG0_EN_BFLOAT_RTNE ? NUM_BF16 : NUM_BF16_RTZ;
}

static inline enum num_rounding rounding_of(const struct rv32_hart *hart)
{
    return format_of(hart) == NUM_BF16_RTZ ? NUM_TOWARD_ZERO : NUM_NEAREST_EVEN;
}

static inline uint16_t operand(const struct rv32_hart *hart, unsigned number)
{
    uint32_t value = hart->f[number];
    return (value & BOX) == BOX ? (uint16_t)value : num_half_nan(format_of(hart));
}

static inline uint16_t negated_half(uint16_t x)
{
    return x ^ SIGN;
}

static inline uint32_t half_with_sign(uint32_t x, uint32_t sign)
{
    return (x & ~(uint32_t)SIGN) | (sign & SIGN);
}

/* fcvt.s.h: widening is exact; a NaN becomes canonical. */
static uint32_t widen(struct rv32_hart *hart, uint16_t x)
{
    uint32_t wide = num_half_to_fp32(format_of(hart), x);
    if (!num_fp32_is_nan(wide)) {
        return wide;
    }
    hart->csr.fcsr |= num_fp32_is_signaling(wide) ? NUM_INVALID : 0;
    return NUM_FP32_NAN;
}

static RV32_APART enum answer load(struct rv32_hart *hart, const struct rv32_op *op, uint64_t now)
{
    uint32_t value = 0;
    uint32_t address = hart->x[op->rs1] + (uint32_t)op->imm;
    hart->op = op;
    enum answer answer = rv32_load(hart, address, 2, now, &value);
    if (answer == ANSWER_DONE) {
        hart->f[op->rd] = BOX | value;
    }
    return answer;
}

int64_t rv32_exec_FLH(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    enum answer answer = load(hart, op, rv32_now(hart, left));
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

int64_t rv32_exec_FSH(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)
{
    uint32_t address = hart->x[op->rs1] + (uint32_t)op->imm;
    uint32_t value = hart->f[op->rs2] & ~BOX;
    hart->op = op;
    enum answer answer = rv32_store(hart, address, 2, rv32_now(hart, left), value);
    if (answer != ANSWER_DONE) {
        return rv32_refused(hart, op, left, answer);
    }
    return rv32_after_bus(hart, op + 1, left);
}

TO_F(FMADD_H, num_half_fma(FORMAT, A, B, C, FLAGS))
TO_F(FMSUB_H, num_half_fma(FORMAT, A, B, negated_half(C), FLAGS))
TO_F(FNMSUB_H, num_half_fma(FORMAT, negated_half(A), B, C, FLAGS))
TO_F(FNMADD_H, num_half_fma(FORMAT, negated_half(A), B, negated_half(C), FLAGS))
TO_F(FADD_H, num_half_add(FORMAT, A, B, FLAGS))
TO_F(FSUB_H, num_half_sub(FORMAT, A, B, FLAGS))
TO_F(FMUL_H, num_half_mul(FORMAT, A, B, FLAGS))
TO_F(FSGNJ_H, half_with_sign(A, B))
TO_F(FSGNJN_H, half_with_sign(A, ~(uint32_t)B))
TO_F(FSGNJX_H, half_with_sign(A, (uint32_t)(A ^ B)))
TO_F(FMIN_H, num_half_min(FORMAT, A, B, FLAGS))
TO_F(FMAX_H, num_half_max(FORMAT, A, B, FLAGS))
TO_X(FCVT_W_H, num_fp32_to_int(A_WIDE, 32, rounding_of(hart), FLAGS))
TO_X(FCVT_WU_H, num_fp32_to_uint(A_WIDE, 32, rounding_of(hart), FLAGS))
TO_X(FMV_X_H, (uint32_t)(int16_t)hart->f[op->rs1])
TO_X(FCLASS_H, num_half_classify(FORMAT, A))
TO_X(FEQ_H, num_fp32_equal(A_WIDE, B_WIDE, FLAGS))
TO_X(FLT_H, num_fp32_less(A_WIDE, B_WIDE, FLAGS))
TO_X(FLE_H, num_fp32_less_equal(A_WIDE, B_WIDE, FLAGS))
TO_F(FCVT_H_W, num_half_from_int(FORMAT, (int32_t)hart->x[op->rs1], FLAGS))
TO_F(FCVT_H_WU, num_half_from_uint(FORMAT, hart->x[op->rs1], FLAGS))
TO_F(FMV_H_X, hart->x[op->rs1])
TO_FP32(FCVT_S_H, widen(hart, A))
TO_F(FCVT_H_S, num_half_from_fp32(FORMAT, hart->f[op->rs1], FLAGS))
