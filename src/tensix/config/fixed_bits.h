/*
 * The low 24 bits of each row's mask (those that the row fixes) and match (their values), as the
 * constants mask_<token> and match_<token>: for tables of rows and of opcodes.
 */
#ifndef TENSIX_FIXED_BITS_H
#define TENSIX_FIXED_BITS_H

#include <stdint.h>

#define BITS(hi, lo)                ((UINT32_C(1) << (hi) << 1) - (UINT32_C(1) << (lo)))
#define FIXED(hi, lo, value)        | BITS(hi, lo)
#define SELECT(name, hi, lo, value) | BITS(hi, lo)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    enum { mask_##token = 0 cells };
#include "tensix.def"
#undef BITS

#define FIXED(hi, lo, value)        | (uint32_t)(value) << (lo)
#define SELECT(name, hi, lo, value) | (uint32_t)(value) << (lo)
#define INSN(token, mnemonic, opcode, unit, blocks, occupancy, latency, traits, cells)             \
    enum { match_##token = 0 cells };
#include "tensix.def"

#endif
