// The replay buffer as kernels without vector code name it: all that they need of SFPI's headers.
// make-compiler takes this where those headers cannot be had.
#pragma once
#include <cstdint>

namespace lltt
{
enum ExecBool : bool { NoExec, Exec };

constexpr std::uint32_t replay_insn(unsigned start, unsigned length)
{
    return 0x04u << 24 | start << 14 | length << 4;
}

[[gnu::always_inline]] inline void push(std::uint32_t word)
{
    if (__builtin_constant_p(word)) {
        __asm__ __volatile__(".ttinsn %0" ::"i"(__builtin_constant_p(word) ? word : 0u));
    } else {
        *reinterpret_cast<volatile std::uint32_t *>(0xffe40000u) = word;
    }
}

// The next instructions go into the buffer, and are executed as well if that is asked for.
template <ExecBool E = NoExec>
[[gnu::always_inline]] inline void record(unsigned start, unsigned length)
{
    push(replay_insn(start, length) | (E == Exec ? 2u : 0u) | 1u);
}

[[gnu::always_inline]] inline void replay(unsigned start, unsigned length)
{
    push(replay_insn(start, length));
}
} // namespace lltt
