/* The stand-in has this builtin as a template; ttnn's headers want a function that they can name in
 * constant expressions. Included before everything else. */
#pragma once
[[gnu::always_inline]] static inline constexpr void
__builtin_rvtt_ttincrwc(int checkpoint, unsigned dst, int src_b, int src_a)
{
    unsigned word = 0x38u << 24 | (unsigned)checkpoint << 18 | dst << 14 | (unsigned)src_b << 10 |
                    (unsigned)src_a << 6;
    if (__builtin_constant_p(word)) {
        __asm__ __volatile__(".ttinsn %0" ::"i"(__builtin_constant_p(word) ? word : 0u));
    } else {
        *(volatile unsigned *)0xffe40000u = word; /* the instruction buffer */
    }
}
