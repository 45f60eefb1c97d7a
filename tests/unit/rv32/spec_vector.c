/* See spec_vector.h. */
#include "unit/rv32/spec_vector.h"

#include <stdio.h>
#include <string.h>

const struct vector_type vector_types[VECTOR_TYPES] = {
    {8, -2}, {8, -1}, {8, 0},  {8, 1},  {8, 2},  {8, 3},  {16, -1}, {16, 0},
    {16, 1}, {16, 2}, {16, 3}, {32, 0}, {32, 1}, {32, 2}, {32, 3},
};

void rvv_open(struct vector_bench *b, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->h = harness_create(RV32_T2);
    b->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

uint32_t vector_vlmax(struct vector_type type)
{
    uint32_t per_register = 8 * RV32_VLEN_BYTES / type.sew;
    return type.lmul < 0 ? per_register >> -type.lmul : per_register << type.lmul;
}

uint32_t vector_vtype(struct vector_type type)
{
    uint32_t sew = type.sew == 8 ? 0 : type.sew == 16 ? 1 : 2;
    return sew << 3 | ((uint32_t)type.lmul & 7);
}

void vector_roll(struct vector_bench *b, struct vector_type type)
{
    uint32_t vlmax = vector_vlmax(type);
    b->type = type;
    for (unsigned reg = 0; reg < 32; reg++) {
        for (unsigned i = 0; i < RV32_VLEN_BYTES; i += 4) {
            uint32_t word = harness_random_word(&b->random);
            memcpy(&b->before[reg][i], &word, 4);
        }
    }
    uint32_t pick = harness_random(&b->random);
    b->vl = pick % 8 == 0 ? 0 : pick % 8 < 3 ? vlmax : (pick >> 8) % (vlmax + 1);
    b->masked = pick >> 30 & 1;
    b->free = b->masked ? ~UINT32_C(1) : UINT32_MAX;
    b->vxrm = pick >> 28 & 3;
    b->vxsat = false;
    b->h->hart.x[VECTOR_SCALAR] = harness_random_word(&b->random);
    memcpy(b->expected, b->before, sizeof b->expected);
}

unsigned vector_take_many(struct vector_bench *b, int emul, unsigned count)
{
    unsigned size = emul > 0 ? 1u << emul : 1;
    unsigned all = size * count;
    uint32_t mask = all >= 32 ? UINT32_MAX : (UINT32_C(1) << all) - 1;
    unsigned start = harness_random(&b->random) % 32 / size * size;
    for (unsigned i = 0; i < 32; i += size) {
        unsigned reg = (start + i) % 32;
        if (reg + all <= 32 && (b->free >> reg & mask) == mask) {
            b->free &= ~(mask << reg);
            return reg;
        }
    }
    ck_abort_msg("no room for %u groups of %u registers", count, size);
    return 0;
}

unsigned vector_take(struct vector_bench *b, int emul)
{
    return vector_take_many(b, emul, 1);
}

uint32_t vector_vm(const struct vector_bench *b)
{
    return b->masked ? 0 : 1;
}

bool vector_mask_bit(const struct vector_bench *b, unsigned reg, uint32_t index)
{
    return b->before[reg][index / 8] >> index % 8 & 1;
}

bool vector_active(const struct vector_bench *b, uint32_t index)
{
    return index < b->vl && (!b->masked || vector_mask_bit(b, 0, index));
}

uint32_t vector_get(const struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits)
{
    uint32_t offset = reg * RV32_VLEN_BYTES + index * bits / 8, value = 0;
    for (unsigned i = 0; i < bits / 8; i++, offset++) {
        value |= (uint32_t)b->before[offset / RV32_VLEN_BYTES][offset % RV32_VLEN_BYTES] << 8 * i;
    }
    return value;
}

void vector_put(struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits, uint32_t value)
{
    uint32_t offset = reg * RV32_VLEN_BYTES + index * bits / 8;
    for (unsigned i = 0; i < bits / 8; i++, offset++) {
        b->expected[offset / RV32_VLEN_BYTES][offset % RV32_VLEN_BYTES] = (uint8_t)(value >> 8 * i);
    }
}

void vector_set(struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits, uint32_t value)
{
    uint32_t offset = reg * RV32_VLEN_BYTES + index * bits / 8;
    vector_put(b, reg, index, bits, value);
    for (unsigned i = 0; i < bits / 8; i++, offset++) {
        b->before[offset / RV32_VLEN_BYTES][offset % RV32_VLEN_BYTES] = (uint8_t)(value >> 8 * i);
    }
}

void vector_put_bit(struct vector_bench *b, unsigned reg, uint32_t index, bool value)
{
    uint8_t *byte = &b->expected[reg][index / 8];
    uint8_t bit = (uint8_t)(1u << index % 8);
    *byte = (uint8_t)(value ? *byte | bit : *byte & ~bit);
}

void rvv_execute(struct vector_bench *b, uint32_t word)
{
    struct rv32_hart *hart = &b->h->hart;
    /* vsetvl zero, a0, a1: an application vector length up to VLMAX is what vl becomes */
    harness_words(b->h, VECTOR_PC, (const uint32_t[]){0x80b57057, word}, 2);
    memcpy(hart->v, b->before, sizeof hart->v);
    hart->x[A0] = b->vl;
    hart->x[A1] = vector_vtype(b->type);
    hart->csr.vxrm = b->vxrm;
    hart->csr.vxsat = 0;
    hart->pc = VECTOR_PC;
    harness_run(b->h, 2);
}

static const char *type_text(const struct vector_bench *b, char *text, size_t size)
{
    static const char *const fractions[] = {"mf4", "mf2", "m1", "m2", "m4", "m8"};
    snprintf(text, size, "e%u, %s, vl %u, %s", b->type.sew, fractions[b->type.lmul + 2], b->vl,
             b->masked ? "masked" : "unmasked");
    return text;
}

void vector_check(struct vector_bench *b, uint32_t word)
{
    const struct rv32_hart *hart = &b->h->hart;
    char text[96], type[48];
    rvv_execute(b, word);
    rv32_disassemble(rv32_code_store_index(b->h->store), word, 0, text, sizeof text);
    type_text(b, type, sizeof type);
    ck_assert_msg(hart->stop == RV32_RUNNING, "%s [%s] stops with %d: fault %d \"%s\"", text, type,
                  hart->stop, hart->fault.kind, hart->fault.detail);
    ck_assert_uint_eq(hart->pc, VECTOR_PC + 8);
    for (unsigned reg = 0; reg < 32; reg++) {
        if (!memcmp(hart->v[reg], b->expected[reg], RV32_VLEN_BYTES)) {
            continue;
        }
        for (unsigned i = 0; i < RV32_VLEN_BYTES; i++) {
            ck_assert_msg(hart->v[reg][i] == b->expected[reg][i],
                          "%s [%s, vxrm %u, t3 %#x]: v%u byte %u is %#04x, not %#04x (was %#04x)",
                          text, type, b->vxrm, hart->x[VECTOR_SCALAR], reg, i, hart->v[reg][i],
                          b->expected[reg][i], b->before[reg][i]);
        }
    }
    ck_assert_uint_eq(hart->csr.vl, b->vl);
    ck_assert_uint_eq(hart->csr.vtype & 0x3f, vector_vtype(b->type));
    ck_assert_msg((hart->csr.vxsat & 1) == b->vxsat, "%s [%s]: vxsat is %u", text, type,
                  hart->csr.vxsat);
}

void vector_check_text(const struct vector_bench *b, uint32_t word, const char *mnemonic,
                       const char *operands)
{
    char text[96];
    snprintf(text, sizeof text, "%s %s%s", mnemonic, operands, b->masked ? ", v0.t" : "");
    harness_check_text(b->h, word, 0, text);
}

uint32_t words_v(uint32_t funct6, uint32_t vm, uint32_t vs2, uint32_t s1, enum vector_funct3 funct3,
                 uint32_t vd)
{
    return words_r(OPCODE_OP_V, (uint32_t)funct3, funct6 << 1 | vm, vd, s1 & 31, vs2);
}
