/* Integer instructions that use only x registers: RV32I, M, Zba, Zbb and the extra bit
 * manipulation. Each row has a handler with its arithmetic. */
#include "rv32/exec.h"

#define A             (hart->x[op->rs1])
#define B             (hart->x[op->rs2])
#define IMM           ((uint32_t)op->imm)
#define SIGNED(value) ((int32_t)(value))

/* A row whose result is an expression over A, B and IMM. */
#define RESULT(token, expression)                                                                  \
    int64_t rv32_exec_##token(struct rv32_hart *hart, const struct rv32_op *op, int64_t left)      \
    {                                                                                              \
        hart->x[op->rd] = (uint32_t)(expression);                                                  \
        return rv32_next(hart, op + 1, left);                                                      \
    }

static inline uint32_t rotate_int_right(uint32_t value, uint32_t by)
{
    return value >> (by & 31) | value << (-by & 31);
}

static uint32_t divide(int32_t dividend, int32_t divisor)
{
    if (divisor == 0) {
        return UINT32_MAX;
    }
    return divisor == -1 ? -(uint32_t)dividend : (uint32_t)(dividend / divisor);
}

static uint32_t remainder_signed(int32_t dividend, int32_t divisor)
{
    if (divisor == 0) {
        return (uint32_t)dividend;
    }
    return divisor == -1 ? 0 : (uint32_t)(dividend % divisor);
}

/* Each byte 0xff where it has a bit set, else 0. */
static uint32_t or_combine_bytes(uint32_t value)
{
    uint32_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        result |= value >> shift & 0xff ? UINT32_C(0xff) << shift : 0;
    }
    return result;
}

/* Generalised reverse (Bitmanip 0.94): bit k of `stages` swaps neighbouring groups of 2^k bits. */
static uint32_t generalised_reverse(uint32_t value, uint32_t stages)
{
    static const uint32_t low_group[5] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff,
                                          0x0000ffff};
    for (unsigned k = 0; k < 5; k++) {
        if (stages >> k & 1) {
            unsigned by = 1u << k;
            value = (value & low_group[k]) << by | (value >> by & low_group[k]);
        }
    }
    return value;
}

RESULT(LUI, IMM << 12)
RESULT(AUIPC, rv32_op_pc(hart, op) + (IMM << 12))
RESULT(ADDI, A + IMM)
RESULT(SLTI, SIGNED(A) < op->imm)
RESULT(SLTIU, A < IMM)
RESULT(XORI, A ^ IMM)
RESULT(ORI, A | IMM)
RESULT(ANDI, A &IMM)
RESULT(SLLI, A << IMM)
RESULT(SRLI, A >> IMM)
RESULT(SRAI, SIGNED(A) >> IMM)
RESULT(ADD, A + B)
RESULT(SUB, A - B)
RESULT(SLL, A << (B & 31))
RESULT(SLT, SIGNED(A) < SIGNED(B))
RESULT(SLTU, A < B)
RESULT(XOR, A ^ B)
RESULT(SRL, A >> (B & 31))
RESULT(SRA, SIGNED(A) >> (B & 31))
RESULT(OR, A | B)
RESULT(AND, A &B)

RESULT(MUL, A *B)
RESULT(MULH, (uint64_t)((int64_t)SIGNED(A) * SIGNED(B)) >> 32)
RESULT(MULHSU, (uint64_t)((int64_t)SIGNED(A) * (int64_t)B) >> 32)
RESULT(MULHU, (uint64_t)A *B >> 32)
RESULT(DIV, divide(SIGNED(A), SIGNED(B)))
RESULT(DIVU, B ? A / B : UINT32_MAX)
RESULT(REM, remainder_signed(SIGNED(A), SIGNED(B)))
RESULT(REMU, B ? A % B : A)

RESULT(SH1ADD, (A << 1) + B)
RESULT(SH2ADD, (A << 2) + B)
RESULT(SH3ADD, (A << 3) + B)

RESULT(ANDN, A & ~B)
RESULT(ORN, A | ~B)
RESULT(XNOR, ~(A ^ B))
RESULT(CLZ, A ? __builtin_clz(A) : 32)
RESULT(CTZ, A ? __builtin_ctz(A) : 32)
RESULT(CPOP, __builtin_popcount(A))
RESULT(SEXT_B, (int8_t)A)
RESULT(SEXT_H, (int16_t)A)
RESULT(ZEXT_H, A & 0xffff)
RESULT(MIN, SIGNED(A) < SIGNED(B) ? A : B)
RESULT(MINU, A < B ? A : B)
RESULT(MAX, SIGNED(A) > SIGNED(B) ? A : B)
RESULT(MAXU, A > B ? A : B)
RESULT(ROL, rotate_int_right(A, -B))
RESULT(ROR, rotate_int_right(A, B))
RESULT(RORI, rotate_int_right(A, IMM))
RESULT(ORC_B, or_combine_bytes(A))
RESULT(REV8, __builtin_bswap32(A))
RESULT(PACK, (A & 0xffff) | B << 16)
RESULT(BREV8, generalised_reverse(A, 7))
RESULT(GREVI, generalised_reverse(A, IMM))
