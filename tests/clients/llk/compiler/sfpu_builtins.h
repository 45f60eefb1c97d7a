// Stand-in for the SFPU builtins of Tenstorrent's compiler, for Blackhole and an ordinary RISC-V
// g++.
//
// A vector value is a float that lives in one of f0..f7 (all other F registers are fixed by the
// compiler driver); fN stands for LREG N. Every builtin is an inline function around a volatile asm
// that prints a pseudo-instruction
//     .sfpu   WORD, fA@S, fB@S ...              the word with the register numbers put in at bit S
//     .sfpurt OPCODE, rW, rT, rB, fA@S ...      the same for a word known only at run time: in rW,
//     sent to the address in rB .sfpurd fA                                the register is read as
//     left by instructions the compiler does not know
// which the `as` wrapper (as_ttinsn.py) turns into Tensix words. The compiler's own moves fmv.s
// become SFPMOV in the mode that ignores the condition codes. A spill, or scalar float arithmetic,
// stops at the assembler.
//
// Two things keep the number of live registers near that of the real compiler:
// - A 32-bit constant, or a constant register, is loaded where it is used, not where it is written.
// - An assignment keeps the old value of the lanes that are switched off only if the condition
// codes were changed since
//   the old value was made. __shim_epoch counts these changes and goes back where a region ends
//   (variables of the region are gone by then, so a number that comes again does no harm); the
//   optimiser decides most comparisons of it.
//
// Conditions (sfpx*) are values: __shim_vbool holds a vector and what to ask of it. A single
// comparison becomes one or two SFPSETCC; the operands of AND and OR are first made into vectors
// whose sign bit is the truth value.
#pragma once
#include <cstdint>

// r: the register. lz 1: not loaded yet, but the constant imm in all lanes; lz 2: still in constant
// register imm, as of configuration cf; lz 3: no value yet. ep: epoch in which it was made.
struct __xtt_vector {
    float r;
    unsigned lz, imm, cf, ep;
};
struct __xtt_vector2 {
    __xtt_vector a, b;
};
struct __xtt_vector4 {
    __xtt_vector a, b, c, d;
};
struct __shim_vbool {
    unsigned kind;
    __xtt_vector v;
};

#define SFPU_FN [[gnu::always_inline]] static inline
void __shim_sfpu_unsupported()
    __attribute__((error("SFPU builtin used in a way the stand-in compiler does not support")));
void __shim_sfpu_bad_mode()
    __attribute__((error("SFPU builtin with a mode or immediate out of range")));

static unsigned __shim_epoch, __shim_cfg;
SFPU_FN void __shim_new_epoch()
{
    ++__shim_epoch;
}
SFPU_FN unsigned __shim_epoch_get()
{
    return __shim_epoch;
}
SFPU_FN void __shim_epoch_set(unsigned e)
{
    __shim_epoch = e;
}

#define SFPU_ASM __asm__ __volatile__ __inline__
// word must be constant / may be constant
#define SFPU_K(W, REGS, OUT, ...) SFPU_ASM(".sfpu %[w], " REGS:OUT : [w] "i"(W), ##__VA_ARGS__)
#define SFPU_V(OP, W, BUF, REGS, OUT, ...)                                                         \
    do {                                                                                           \
        if (__builtin_constant_p(W))                                                               \
            SFPU_ASM(".sfpu %[w], " REGS:OUT                                                       \
                     : [w] "i"(__builtin_constant_p(W) ? (W) : 0u), ##__VA_ARGS__);                \
        else {                                                                                     \
            unsigned t_;                                                                           \
            SFPU_ASM(".sfpurt %[o], %[w], %[t], %[p], " REGS                                       \
                     : OUT, [t] "=&r"(t_)                                                          \
                     : [o] "i"(OP), [w] "r"(W), [p] "r"(BUF), ##__VA_ARGS__);                      \
        }                                                                                          \
    } while (0)
#define SFPU_BUF ((volatile uint32_t *)0xffe40000u)

SFPU_FN unsigned __shim_mod(unsigned m)
{
    if (__builtin_constant_p(m > 15) && m > 15)
        __shim_sfpu_bad_mode();
    return m & 15;
}
SFPU_FN __xtt_vector __shim_v(float r)
{
    return {r, 0, 0, 0, __shim_epoch};
}

// --- constants ----------------------------------------------------------------
SFPU_FN float __shim_loadi(volatile void *buf, unsigned imm, unsigned mod)
{
    unsigned w = 0x71u << 24 | mod << 16 | (imm & 0xffff);
    float d;
    SFPU_V(0x71, w, buf, "%[d]@20", [d] "=f"(d));
    return d;
}
SFPU_FN float __shim_upper(unsigned imm, float c)
{
    unsigned w = 0x71080000u | imm >> 16;
    float d;
    SFPU_V(0x71, w, SFPU_BUF, "%[d]@20", [d] "=f"(d), "0"(c));
    return d;
}
SFPU_FN float __shim_const(unsigned imm)
{
    if (__builtin_constant_p(imm)) {
        if (!(imm & 0xffff))
            return __shim_loadi(SFPU_BUF, imm >> 16, 0);
        if (!(imm >> 16))
            return __shim_loadi(SFPU_BUF, imm, 2);
        if (imm >> 15 == 0x1ffff)
            return __shim_loadi(SFPU_BUF, imm, 4);
    }
    return __shim_upper(imm, __shim_loadi(SFPU_BUF, imm, 2));
}
// The register of a value, for use in the lanes switched on now.
SFPU_FN float __shim_creg(__xtt_vector v)
{
    float d;
    if (v.imm > 10 && v.imm < 15 &&
        v.cf != __shim_cfg) // written since: rather stop than go on with another value
        __builtin_trap();
#define SFPU_CREG(N)                                                                               \
    case N:                                                                                        \
        SFPU_K(0x7c000002u | N << 8, "%[d]@4", [d] "=f"(d));                                       \
        break;
    switch (v.imm) {
        SFPU_CREG(8)
        SFPU_CREG(9)
        SFPU_CREG(10)
        SFPU_CREG(11)
        SFPU_CREG(12) SFPU_CREG(13) SFPU_CREG(14) SFPU_CREG(15) default : __builtin_unreachable();
    }
    return d;
}
SFPU_FN float __shim_r(__xtt_vector v)
{
    return v.lz == 1 ? __shim_const(v.imm) : v.lz == 2 ? __shim_creg(v) : v.r;
}
// ... in all lanes.
SFPU_FN float __shim_all(__xtt_vector v)
{
    if (v.lz != 1)
        return __shim_r(v);
    unsigned c = v.imm == 0 ? 9 : v.imm == 0x3f800000 ? 10 : 0;
    float d;
    if (__builtin_constant_p(v.imm) && c)
        SFPU_K(0x7c000002u | (__builtin_constant_p(c) ? c : 9) << 8, "%[d]@4", [d] "=f"(d));
    else {
        SFPU_ASM(".sfpu %0" ::"i"(0x87000000u)); // push, all lanes on
        SFPU_ASM(".sfpu %0" ::"i"(0x8a00300au));
        d = __shim_const(v.imm);
        SFPU_ASM(".sfpu %0" ::"i"(0x88000000u));
    }
    return d;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpnovalue()
{
    float d;
    __asm__("" : "=f"(d));
    __xtt_vector v = __shim_v(d);
    v.lz = 3;
    return v;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpxloadi(volatile void *, unsigned imm, unsigned, unsigned,
                                              int)
{
    __xtt_vector v = __builtin_rvtt_sfpnovalue();
    v.lz = 1;
    v.imm = imm;
    return v;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfploadi(volatile void *buf, unsigned imm, unsigned, unsigned,
                                             unsigned mod)
{
    if (mod == 8 || mod == 10)
        __shim_sfpu_unsupported();
    return __shim_v(__shim_loadi(buf, imm, __shim_mod(mod)));
}

// --- one source, new destination: op d, c ---------------------------------
SFPU_FN bool __shim_fixed(__xtt_vector c)
{
    return __builtin_constant_p(c.imm) && c.lz == 2 &&
           (c.imm < 11 || c.imm == 15 || c.cf == __shim_cfg);
}
#define SFPU_CIMM(C) (__builtin_constant_p((C).imm) ? (C).imm & 15 : 0)
SFPU_FN __xtt_vector __shim_dc(unsigned w, __xtt_vector c)
{
    float d;
    if (__shim_fixed(c)) {
        SFPU_K(w | SFPU_CIMM(c) << 8, "%[d]@4", [d] "=f"(d));
        return __shim_v(d);
    }
    SFPU_K(w, "%[d]@4, %[c]@8", [d] "=f"(d), [c] "f"(__shim_r(c)));
    return __shim_v(d);
}
// destination is also a source
SFPU_FN __xtt_vector __shim_tied(unsigned w, __xtt_vector d, __xtt_vector c)
{
    float o;
    if (__shim_fixed(c)) {
        SFPU_K(w | SFPU_CIMM(c) << 8, "%[d]@4", [d] "=f"(o), "0"(__shim_r(d)));
        return __shim_v(o);
    }
    SFPU_K(w, "%[d]@4, %[c]@8", [d] "=f"(o), "0"(__shim_r(d)), [c] "f"(__shim_r(c)));
    return __shim_v(o);
}
// the operands may change places
SFPU_FN __xtt_vector __shim_both(unsigned w, __xtt_vector d, __xtt_vector c)
{
    return __shim_fixed(d) ? __shim_tied(w, c, d) : __shim_tied(w, d, c);
}
template <unsigned OP>
SFPU_FN __xtt_vector __shim_dci(volatile void *buf, unsigned imm, unsigned mod, __xtt_vector c)
{
    unsigned w = OP << 24 | (imm & 0xfff) << 12 | mod;
    float d;
    if (__shim_fixed(c)) {
        unsigned x = w | c.imm << 8;
        SFPU_V(OP, x, buf, "%[d]@4", [d] "=f"(d));
        return __shim_v(d);
    }
    float s = __shim_r(c);
    SFPU_V(OP, w, buf, "%[d]@4, %[c]@8", [d] "=f"(d), [c] "f"(s));
    return __shim_v(d);
}

// --- loads, stores --------------------------------------------------------------
SFPU_FN __xtt_vector __builtin_rvtt_sfpload(volatile void *buf, unsigned addr, unsigned, unsigned,
                                            unsigned mod, unsigned mode)
{
    if (__builtin_constant_p(mode > 7) && mode > 7)
        __shim_sfpu_bad_mode();
    unsigned w = 0x70u << 24 | __shim_mod(mod) << 16 | (mode & 7) << 13 | (addr & 0x3ff);
    float d;
    if (mod == 14 || mod == 15) // these keep half of the destination
        __shim_sfpu_unsupported();
    SFPU_V(0x70, w, buf, "%[d]@20", [d] "=f"(d));
    return __shim_v(d);
}
SFPU_FN void __builtin_rvtt_sfpstore(volatile void *buf, __xtt_vector v, unsigned addr, unsigned,
                                     unsigned, unsigned mod, unsigned mode)
{
    if (__builtin_constant_p(mode > 7) && mode > 7)
        __shim_sfpu_bad_mode();
    unsigned w = 0x72u << 24 | __shim_mod(mod) << 16 | (mode & 7) << 13 | (addr & 0x3ff);
    float s = __shim_r(v);
    if (__builtin_constant_p(w))
        SFPU_ASM(".sfpu %[w], %[d]@20" ::[w] "i"(__builtin_constant_p(w) ? w : 0u), [d] "f"(s));
    else {
        unsigned t_;
        SFPU_ASM(".sfpurt %[o], %[w], %[t], %[p], %[d]@20"
                 : [t] "=&r"(t_)
                 : [o] "i"(0x72), [w] "r"(w), [p] "r"(buf), [d] "f"(s));
    }
}

// --- moves -------------------------------------------------------------------
SFPU_FN __xtt_vector __builtin_rvtt_sfpassign_lv(__xtt_vector old, __xtt_vector v)
{
    if (old.ep == __shim_epoch || old.lz == 3) {
        v.ep = old.ep;
        return v;
    }
    float d = __shim_all(old);
    SFPU_K(0x7c000000u, "%[d]@4, %[c]@8", [d] "=f"(d), "0"(d), [c] "f"(__shim_r(v)));
    return {d, 0, 0, 0, old.ep};
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpmov(__xtt_vector v, unsigned mod)
{
    return __shim_dc(0x7c000000u | __shim_mod(mod), v);
}

#define SFPU_READ(N)                                                                               \
    case N: {                                                                                      \
        register float x_ __asm__("ft" #N);                                                        \
        SFPU_ASM(".sfpurd %0" : "+f"(x_));                                                         \
        d = x_;                                                                                    \
        break;                                                                                     \
    }
#define SFPU_WRITE(N)                                                                              \
    case N: {                                                                                      \
        register float x_ __asm__("ft" #N) = s;                                                    \
        SFPU_ASM("" ::"f"(x_));                                                                    \
        break;                                                                                     \
    }
SFPU_FN __xtt_vector __builtin_rvtt_sfpreadlreg(unsigned n)
{
    float d = 0;
    switch (n) {
        SFPU_READ(0)
        SFPU_READ(1)
        SFPU_READ(2)
        SFPU_READ(3)
        SFPU_READ(4) SFPU_READ(5) SFPU_READ(6) SFPU_READ(7) default : if (n > 15)
                                                                          __shim_sfpu_bad_mode();
        __xtt_vector v = __builtin_rvtt_sfpnovalue();
        v.lz = 2;
        v.imm = n;
        v.cf = __shim_cfg;
        return v;
    }
    return __shim_v(d);
}
SFPU_FN void __builtin_rvtt_sfpwritelreg(__xtt_vector v, unsigned n)
{
    float s = __shim_r(v);
    switch (n) {
        SFPU_WRITE(0)
        SFPU_WRITE(1)
        SFPU_WRITE(2)
        SFPU_WRITE(3)
        SFPU_WRITE(4) SFPU_WRITE(5) SFPU_WRITE(6) SFPU_WRITE(7) default : __shim_sfpu_bad_mode();
    }
}
SFPU_FN void __builtin_rvtt_sfpwriteconfig_v(__xtt_vector v, unsigned mod, unsigned dest)
{
    register float x __asm__("ft0") = __shim_r(v);
    if (dest > 15)
        __shim_sfpu_bad_mode();
    SFPU_ASM(".sfpu %0\n\t.sfpu %1" ::"i"(0x91000000u | (dest & 15) << 4 | (mod & 15)),
             "i"(0x8f000000u), "f"(x));
    ++__shim_cfg;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpreadconfig(unsigned n)
{
    float d;
    SFPU_K(0x7c000008u | (n & 15) << 8, "%[d]@4", [d] "=f"(d));
    return __shim_v(d);
}

// --- floating point ------------------------------------------------------------
SFPU_FN __xtt_vector __builtin_rvtt_sfpmad(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                           unsigned mod)
{
    float d;
    if (mod & ~3u)
        __shim_sfpu_unsupported();
    if (__shim_fixed(c))
        SFPU_K(0x84000000u | (mod & 3) | SFPU_CIMM(c) << 8,
               "%[d]@4, %[a]@16, %[b]@12", [d] "=f"(d), [a] "f"(__shim_r(a)), [b] "f"(__shim_r(b)));
    else if (__shim_fixed(b))
        SFPU_K(0x84000000u | (mod & 3) | SFPU_CIMM(b) << 12,
               "%[d]@4, %[a]@16, %[c]@8", [d] "=f"(d), [a] "f"(__shim_r(a)), [c] "f"(__shim_r(c)));
    else if (__shim_fixed(a))
        SFPU_K(0x84000000u | (mod & 3) | SFPU_CIMM(a) << 16,
               "%[d]@4, %[b]@12, %[c]@8", [d] "=f"(d), [b] "f"(__shim_r(b)), [c] "f"(__shim_r(c)));
    else
        SFPU_K(0x84000000u | (mod & 3), "%[d]@4, %[a]@16, %[b]@12, %[c]@8", [d] "=f"(d),
               [a] "f"(__shim_r(a)), [b] "f"(__shim_r(b)), [c] "f"(__shim_r(c)));
    return __shim_v(d);
}
// d op= imm, for a constant that is a bfloat16
SFPU_FN bool __shim_short(__xtt_vector v)
{
    return v.lz == 1 && __builtin_constant_p(v.imm) && !(v.imm & 0xffff);
}
SFPU_FN __xtt_vector __shim_imm(unsigned w, __xtt_vector v, unsigned imm)
{
    float d;
    SFPU_K(w | (imm >> 16) << 8, "%[d]@4", [d] "=f"(d), "0"(__shim_r(v)));
    return __shim_v(d);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpadd(__xtt_vector b, __xtt_vector c, unsigned mod)
{
    float d;
    if (mod & ~3u)
        __shim_sfpu_unsupported();
    if (!mod && !b.lz && __shim_short(c))
        return __shim_imm(0x75000000u, b, __builtin_constant_p(c.imm) ? c.imm : 0);
    if (!mod && !c.lz && __shim_short(b))
        return __shim_imm(0x75000000u, c, __builtin_constant_p(b.imm) ? b.imm : 0);
    if (__shim_fixed(c))
        SFPU_K(0x850a0000u | (mod & 3) | SFPU_CIMM(c) << 8,
               "%[d]@4, %[b]@12", [d] "=f"(d), [b] "f"(__shim_r(b)));
    else if (__shim_fixed(b))
        SFPU_K(0x850a0000u | (mod & 3) | SFPU_CIMM(b) << 12,
               "%[d]@4, %[c]@8", [d] "=f"(d), [c] "f"(__shim_r(c)));
    else
        SFPU_K(0x850a0000u | (mod & 3),
               "%[d]@4, %[b]@12, %[c]@8", [d] "=f"(d), [b] "f"(__shim_r(b)), [c] "f"(__shim_r(c)));
    return __shim_v(d);
}
SFPU_FN __xtt_vector __shim_mul(unsigned w, __xtt_vector a, __xtt_vector b)
{
    float d;
    if (__shim_fixed(b))
        SFPU_K(w | SFPU_CIMM(b) << 12, "%[d]@4, %[a]@16", [d] "=f"(d), [a] "f"(__shim_r(a)));
    else if (__shim_fixed(a))
        SFPU_K(w | SFPU_CIMM(a) << 16, "%[d]@4, %[b]@12", [d] "=f"(d), [b] "f"(__shim_r(b)));
    else
        SFPU_K(w,
               "%[d]@4, %[a]@16, %[b]@12", [d] "=f"(d), [a] "f"(__shim_r(a)), [b] "f"(__shim_r(b)));
    return __shim_v(d);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpmul(__xtt_vector a, __xtt_vector b, unsigned mod)
{
    if (mod & ~1u)
        __shim_sfpu_unsupported();
    if (!mod && !a.lz && __shim_short(b))
        return __shim_imm(0x74000000u, a, __builtin_constant_p(b.imm) ? b.imm : 0);
    if (!mod && !b.lz && __shim_short(a))
        return __shim_imm(0x74000000u, b, __builtin_constant_p(a.imm) ? a.imm : 0);
    return __shim_mul(0x86000900u | (mod & 1), a, b);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpmul24(__xtt_vector a, __xtt_vector b, unsigned mod)
{
    if (mod & ~1u)
        __shim_sfpu_unsupported();
    return __shim_mul(0x98000900u | (mod & 1), a, b);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpabs(__xtt_vector c, unsigned mod)
{
    return __shim_dc(0x7d000000u | __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfparecip(__xtt_vector c, unsigned mod)
{
    return __shim_dc(0x99000000u | __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpcast(__xtt_vector c, unsigned mod)
{
    return __shim_dc(0x90000000u | __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __shim_cc_free(unsigned w, __xtt_vector c, unsigned mod, unsigned cc)
{
    if (mod & cc) // would set the condition codes
        __shim_sfpu_unsupported();
    return __shim_dc(w | __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpexexp(__xtt_vector c, unsigned mod)
{
    return __shim_cc_free(0x77000000u, c, mod, 14);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpexman(__xtt_vector c, unsigned mod)
{
    return __shim_dc(0x78000000u | __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfplz(__xtt_vector c, unsigned mod)
{
    return __shim_cc_free(0x81000000u, c, mod, 10);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpdivp2(volatile void *buf, __xtt_vector c, unsigned imm,
                                             unsigned, unsigned, unsigned mod)
{
    if (__builtin_constant_p(imm + 128 > 255) && imm + 128 > 255)
        __shim_sfpu_bad_mode();
    return __shim_dci<0x76>(buf, imm, __shim_mod(mod), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetexp_i(volatile void *buf, __xtt_vector c, unsigned imm,
                                                unsigned, unsigned, unsigned mod)
{
    if (mod)
        __shim_sfpu_unsupported();
    return __shim_dci<0x82>(buf, imm & 255, 1, c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetman_i(volatile void *buf, __xtt_vector c, unsigned imm,
                                                unsigned, unsigned, unsigned mod)
{
    if (!__builtin_constant_p(imm) || imm || mod) // the meaning of other values was not checked
        __shim_sfpu_unsupported();
    return __shim_dci<0x83>(buf, 0, 1, c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetsgn_i(volatile void *buf, __xtt_vector c, unsigned imm,
                                                unsigned, unsigned, unsigned mod)
{
    if (mod)
        __shim_sfpu_unsupported();
    return __shim_dci<0x89>(buf, imm & 1, 1, c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetexp_v(__xtt_vector v, __xtt_vector e, unsigned mod)
{
    return __shim_tied(0x82000000u | __shim_mod(mod), e, v);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetman_v(__xtt_vector v, __xtt_vector m, unsigned mod)
{
    return __shim_tied(0x83000000u | __shim_mod(mod), m, v);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpsetsgn_v(__xtt_vector v, __xtt_vector s, unsigned mod)
{
    return __shim_tied(0x89000000u | __shim_mod(mod), s, v);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpstochrnd_i(volatile void *, __xtt_vector c, unsigned imm,
                                                  unsigned, unsigned, unsigned mod, unsigned rnd)
{
    if (rnd > 2 || imm > 31)
        __shim_sfpu_bad_mode();
    unsigned m = mod == 4 || mod == 5 ? mod | 8 : mod;
    return __shim_dc(0x8e000000u | (rnd & 3) << 21 | (imm & 31) << 16 | __shim_mod(m), c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpstochrnd_v(__xtt_vector c, __xtt_vector b, unsigned mod,
                                                  unsigned rnd)
{
    float d;
    if (rnd > 2)
        __shim_sfpu_bad_mode();
    SFPU_K(0x8e000000u | (rnd & 3) << 21 | __shim_mod(mod),
           "%[d]@4, %[b]@12, %[c]@8", [d] "=f"(d), [b] "f"(__shim_r(b)), [c] "f"(__shim_r(c)));
    return __shim_v(d);
}
#define SFPU_PIN(N, X) register float x##N __asm__("ft" #N) = X
SFPU_FN __xtt_vector __builtin_rvtt_sfplut(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                           __xtt_vector v, unsigned mod)
{
    float d, r0 = __shim_r(a), r1 = __shim_r(b), r2 = __shim_r(c), r3 = __shim_r(v);
    SFPU_PIN(0, r0);
    SFPU_PIN(1, r1);
    SFPU_PIN(2, r2);
    SFPU_PIN(3, r3);
    SFPU_K(0x73000000u | __shim_mod(mod) << 16, "%[d]@20", [d] "=f"(d), "f"(x0), "f"(x1), "f"(x2),
           "f"(x3));
    return __shim_v(d);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfplutfp32_3r(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                                  __xtt_vector v, unsigned mod)
{
    float r0 = __shim_r(a), r1 = __shim_r(b), r2 = __shim_r(c), r3 = __shim_r(v),
          r7 = __shim_loadi(SFPU_BUF, 0, 2);
    SFPU_PIN(0, r0);
    SFPU_PIN(1, r1);
    SFPU_PIN(2, r2);
    SFPU_PIN(3, r3);
    SFPU_PIN(7, r7);
    if (!(mod & 8))
        __shim_sfpu_unsupported();
    // this mode takes the number of the destination from LREG 7: 0
    SFPU_ASM(".sfpu %1"
             : "+f"(x0)
             : "i"(0x95000000u | __shim_mod(mod)), "f"(x1), "f"(x2), "f"(x3), "f"(x7));
    return __shim_v(x0);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfplutfp32_6r(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                                  __xtt_vector e, __xtt_vector f, __xtt_vector g,
                                                  __xtt_vector v, unsigned mod)
{
    float d, r0 = __shim_r(a), r1 = __shim_r(b), r2 = __shim_r(c), r3 = __shim_r(v),
             r4 = __shim_r(e), r5 = __shim_r(f), r6 = __shim_r(g);
    SFPU_PIN(0, r0);
    SFPU_PIN(1, r1);
    SFPU_PIN(2, r2);
    SFPU_PIN(3, r3);
    SFPU_PIN(4, r4);
    SFPU_PIN(5, r5);
    SFPU_PIN(6, r6);
    SFPU_K(0x95000000u | __shim_mod(mod), "%[d]@4", [d] "=f"(d), "f"(x0), "f"(x1), "f"(x2), "f"(x3),
           "f"(x4), "f"(x5), "f"(x6));
    return __shim_v(d);
}

// --- integers ------------------------------------------------------------------
SFPU_FN __xtt_vector __builtin_rvtt_sfpand(__xtt_vector a, __xtt_vector b)
{
    return __shim_both(0x7e000000u, a, b);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpor(__xtt_vector a, __xtt_vector b)
{
    return __shim_both(0x7f000000u, a, b);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpxor(__xtt_vector a, __xtt_vector b)
{
    return __shim_both(0x8d000000u, a, b);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpnot(__xtt_vector c)
{
    return __shim_dc(0x80000000u, c);
}
// second operand plus (minus) the first
SFPU_FN __xtt_vector __builtin_rvtt_sfpiadd_v(__xtt_vector d, __xtt_vector c, unsigned mod)
{
    if (mod != 4 && mod != 6)
        __shim_sfpu_unsupported();
    return mod == 4 ? __shim_both(0x79000004u, d, c) : __shim_tied(0x79000006u, d, c);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpiadd_i(volatile void *buf, __xtt_vector c, unsigned imm,
                                              unsigned, unsigned, unsigned mod)
{
    if (mod != 4)
        __shim_sfpu_unsupported();
    if (__builtin_constant_p(imm) && imm + 2048 < 4096)
        return __shim_dci<0x79>(buf, imm, 5, c);
    return __builtin_rvtt_sfpiadd_v(__builtin_rvtt_sfpxloadi(buf, imm, 0, 0, 0), c, 4);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpshft_v(__xtt_vector v, __xtt_vector amount, unsigned mod)
{
    if (mod != 0 && mod != 2)
        __shim_sfpu_bad_mode();
    return __shim_tied(0x7a000000u | (mod & 2), v, amount);
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpshft_i(volatile void *buf, __xtt_vector c, unsigned imm,
                                              unsigned, unsigned, unsigned mod)
{
    if (mod != 0 && mod != 2)
        __shim_sfpu_bad_mode();
    return __shim_dci<0x7a>(buf, imm, (mod & 2) | 5, c);
}

// --- several registers, several lanes ---------------------------------------------
SFPU_FN __xtt_vector2 __builtin_rvtt_sfpswap(__xtt_vector a, __xtt_vector b, unsigned mod)
{
    float x = __shim_r(a), y = __shim_r(b);
    SFPU_ASM(".sfpu %2, %0@4, %1@8" : "+f"(x), "+f"(y) : "i"(0x92000000u | __shim_mod(mod)));
    return {__shim_v(x), __shim_v(y)};
}
SFPU_FN __xtt_vector4 __builtin_rvtt_sfptransp(__xtt_vector a, __xtt_vector b, __xtt_vector c,
                                               __xtt_vector d)
{
    float r0 = __shim_all(a), r1 = __shim_all(b), r2 = __shim_all(c), r3 = __shim_all(d);
    SFPU_PIN(0, r0);
    SFPU_PIN(1, r1);
    SFPU_PIN(2, r2);
    SFPU_PIN(3, r3);
    // LREG 4 to 7 are transposed too
    SFPU_ASM(".sfpu %4"
             : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3)
             : "i"(0x8c000000u)
             : "ft4", "ft5", "ft6", "ft7");
    return {__shim_v(x0), __shim_v(x1), __shim_v(x2), __shim_v(x3)};
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpselect2(__xtt_vector2 v, unsigned n)
{
    return n ? v.b : v.a;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpselect4(__xtt_vector4 v, unsigned n)
{
    return n == 0 ? v.a : n == 1 ? v.b : n == 2 ? v.c : v.d;
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpshft2_subvec_shfl1(__xtt_vector c, unsigned mod)
{
    if (mod != 3 && mod != 4)
        __shim_sfpu_bad_mode();
    return __shim_dc(0x94000000u | (mod & 15), __shim_v(__shim_all(c)));
}

// --- conditions -------------------------------------------------------------------
SFPU_FN void __builtin_rvtt_sfppushc(unsigned mod)
{
    if (mod)
        __shim_sfpu_unsupported();
    SFPU_ASM(".sfpu %0" ::"i"(0x87000000u));
}
SFPU_FN void __builtin_rvtt_sfppopc(unsigned mod)
{
    if (mod)
        __shim_sfpu_unsupported();
    SFPU_ASM(".sfpu %0" ::"i"(0x88000000u));
    __shim_new_epoch(); // class CC then puts back that of its first push
}
SFPU_FN void __builtin_rvtt_sfpcompc()
{
    SFPU_ASM(".sfpu %0" ::"i"(0x8b000000u));
    __shim_new_epoch();
}
SFPU_FN void __builtin_rvtt_sfpencc(unsigned imm, unsigned mod)
{
    SFPU_ASM(".sfpu %0" ::"i"(0x8a000000u | imm << 12 | mod));
    __shim_new_epoch();
}
SFPU_FN void __builtin_rvtt_sfpnop()
{
    SFPU_ASM(".sfpu %0" ::"i"(0x8f000000u));
}
SFPU_FN void __shim_setcc(__xtt_vector v, unsigned mod)
{
    SFPU_ASM(".sfpu %0, %1@8" ::"i"(0x7b000000u | mod), "f"(__shim_r(v)));
    __shim_new_epoch();
}
SFPU_FN void __builtin_rvtt_sfpsetcc_v(__xtt_vector v, unsigned mod)
{
    __shim_setcc(v, __shim_mod(mod));
}

// kinds: 0 <0, 1 >=0, 2 ==0, 3 !=0, 4 >0, 5 <=0; kind ^ 1 is the opposite
SFPU_FN __xtt_vector __shim_le0(__xtt_vector t)
{ // sign bit of t | (t - 1)
    return __builtin_rvtt_sfpor(__shim_dci<0x79>(SFPU_BUF, -1u, 5, t), t);
}
SFPU_FN __xtt_vector __shim_eq0(__xtt_vector t)
{ // 32 leading zeros only if 0; 32 << 26 is the sign bit
    return __shim_dci<0x7a>(SFPU_BUF, 26, 5, __builtin_rvtt_sfplz(t, 0));
}
SFPU_FN __xtt_vector __shim_truth(__shim_vbool b)
{
    switch (b.kind) {
    case 0:
        return b.v;
    case 1:
        return __builtin_rvtt_sfpnot(b.v);
    case 2:
        return __shim_eq0(b.v);
    case 3:
        return __builtin_rvtt_sfpnot(__shim_eq0(b.v));
    case 4:
        return __builtin_rvtt_sfpnot(__shim_le0(b.v));
    case 5:
        return __shim_le0(b.v);
    }
    __shim_sfpu_bad_mode();
    return b.v;
}
// Sign-magnitude and floating point are ordered with SFPGT and SFPLE, the others by subtraction;
// equality is that of the bits.
SFPU_FN __shim_vbool __builtin_rvtt_sfpxcmpv(__xtt_vector a, __xtt_vector b, unsigned mod)
{
    unsigned kind = mod & 15, type = mod >> 4;
    if (type > 3 || kind > 5)
        __shim_sfpu_bad_mode();
    if (b.lz == 1 && __builtin_constant_p(b.imm) && b.imm == 0)
        return {kind, a}; // right for all types: -0 is below +0
    if (kind == 2 || kind == 3)
        return {kind, __builtin_rvtt_sfpiadd_v(b, a, 6)};
    if (type < 2)
        return kind < 4 ? __shim_vbool{kind, __builtin_rvtt_sfpiadd_v(b, a, 6)}
                        : __shim_vbool{kind ^ 4, __builtin_rvtt_sfpiadd_v(a, b, 6)};
    switch (kind) {
    case 0:
        return {0, __shim_tied(0x97000008u, b, a)}; // b > a
    case 1:
        return {0, __shim_tied(0x96000008u, b, a)}; // b <= a
    case 4:
        return {0, __shim_tied(0x97000008u, a, b)};
    default:
        return {0, __shim_tied(0x96000008u, a, b)};
    }
}
SFPU_FN __shim_vbool __builtin_rvtt_sfpxcmps(volatile void *buf, __xtt_vector a, unsigned imm,
                                             unsigned, unsigned, unsigned mod)
{
    unsigned kind = mod & 15, type = mod >> 4;
    if (__builtin_constant_p(imm)) {
        if (imm == 0)
            return {kind, a};
        if ((type < 2 ? kind < 4 : kind == 2 || kind == 3) && -imm + 2048 < 4096)
            return {kind, __shim_dci<0x79>(buf, -imm, 5, a)};
    }
    return __builtin_rvtt_sfpxcmpv(a, __builtin_rvtt_sfpxloadi(buf, imm, 0, 0, 0), mod);
}
SFPU_FN __shim_vbool __builtin_rvtt_sfpxbool(unsigned op, __shim_vbool a, __shim_vbool b)
{
    if (op == 2)
        return {a.kind ^ 1, a.v};
    __xtt_vector x = __shim_truth(a), y = __shim_truth(b);
    return {0, op ? __builtin_rvtt_sfpor(x, y) : __builtin_rvtt_sfpand(x, y)};
}
SFPU_FN unsigned __builtin_rvtt_sfpxvif()
{
    return 0;
}
SFPU_FN void __builtin_rvtt_sfpxcondb(__shim_vbool b, unsigned)
{
    switch (b.kind) {
    case 0:
        __shim_setcc(b.v, 0);
        break;
    case 1:
        __shim_setcc(b.v, 4);
        break;
    case 2:
        __shim_setcc(b.v, 6);
        break;
    case 3:
        __shim_setcc(b.v, 2);
        break;
    case 4:
        __shim_setcc(b.v, 4);
        __shim_setcc(b.v, 2);
        break;
    case 5:
        __shim_setcc(__shim_le0(b.v), 0);
        break;
    default:
        __shim_sfpu_bad_mode();
    }
}
SFPU_FN __xtt_vector __builtin_rvtt_sfpxcondi(__shim_vbool b)
{
    return __shim_dci<0x7a>(SFPU_BUF, -31u, 5, __shim_truth(b));
}
