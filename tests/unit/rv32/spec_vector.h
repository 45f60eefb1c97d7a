/*
 * The bench of the vector tests: random register files and types, a copy that a scalar model
 * updates element by element, and the comparison of all 32 registers with what the hart made.
 *
 * Elements beyond vl and masked-off elements are undisturbed (InstructionSet page), masks and
 * reductions included, so whatever the model does not write must be as before.
 */
#ifndef TESTS_SPEC_VECTOR_H
#define TESTS_SPEC_VECTOR_H

#include "unit/rv32/rv32_harness.h"

/* sew in bits; lmul is log2 of the number of registers in a group. */
struct vector_type {
    unsigned sew;
    int lmul;
};

/* The types that an implementation with ELEN 32 must have. */
enum { VECTOR_TYPES = 15 };
extern const struct vector_type vector_types[VECTOR_TYPES];

enum { VECTOR_PC = 0x40, VECTOR_SCALAR = 28 /* t3 */, VECTOR_FLOAT = 1 /* ft1 */ };

struct vector_bench {
    struct harness *h;
    uint64_t random;
    struct vector_type type;
    uint32_t vl;
    bool masked;
    uint32_t free; /* registers that no operand uses yet */
    uint32_t vxrm;
    bool vxsat; /* that the model expects */
    uint8_t before[32][RV32_VLEN_BYTES], expected[32][RV32_VLEN_BYTES];
};

/* A hart of core T2 with a random state of its own. */
void rvv_open(struct vector_bench *b, uint64_t seed);

uint32_t vector_vlmax(struct vector_type type);
uint32_t vector_vtype(struct vector_type type); /* the encoding, agnostic bits clear */

/* A new case: registers, vl, mask, vxrm and the scalar register are random. */
void vector_roll(struct vector_bench *b, struct vector_type type);

/* Takes a random free group of 2^emul registers, aligned to its size (one register for fractions),
 * and makes it not free. `count` groups in a row for segments. */
unsigned vector_take(struct vector_bench *b, int emul);
unsigned vector_take_many(struct vector_bench *b, int emul, unsigned count);

/* vm as instructions encode it */
uint32_t vector_vm(const struct vector_bench *b);

bool vector_mask_bit(const struct vector_bench *b, unsigned reg, uint32_t index);
bool vector_active(const struct vector_bench *b, uint32_t index);

/* Element `index` of `bits` bits counted from register `reg`, before the instruction. */
uint32_t vector_get(const struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits);

/* Changes the case before it runs: what is there before, and afterwards unless the model writes. */
void vector_set(struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits,
                uint32_t value);

/* What the model expects there afterwards. */
void vector_put(struct vector_bench *b, unsigned reg, uint32_t index, unsigned bits,
                uint32_t value);
void vector_put_bit(struct vector_bench *b, unsigned reg, uint32_t index, bool value);

/* Executes vsetvl for the case and then `word`; the second one's outcome is in h->hart. */
void rvv_execute(struct vector_bench *b, uint32_t word);

/* The same for a word that must not stop the hart, then compares registers, vl, vtype, vxsat. */
void vector_check(struct vector_bench *b, uint32_t word);

/* Disassembly must be "mnemonic operands", with ", v0.t" when the case is masked. */
void vector_check_text(const struct vector_bench *b, uint32_t word, const char *mnemonic,
                       const char *operands);

/* OP-V: s1 is vs1, rs1, fs1 or an immediate. */
enum vector_funct3 { OPIVV, OPFVV, OPMVV, OPIVI, OPIVX, OPFVF, OPMVX };
uint32_t words_v(uint32_t funct6, uint32_t vm, uint32_t vs2, uint32_t s1, enum vector_funct3 funct3,
                 uint32_t vd);

#endif
