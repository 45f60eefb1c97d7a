#!/usr/bin/env python3
"""Fits a copy of SFPI's headers to a compiler that has no builtins for the vector unit.

  headers.py FOLDER    headers of SFPI, and our sfpu_builtins.h; changed in place

Writes tensix_builtins.h. The replay and RWC builtins, which are plain Tensix instructions, are
always there. In code for Blackhole that is compiled with F registers the others come from
sfpu_builtins.h; elsewhere each one that the headers use is declared as a template without a body,
so that code which only includes the headers compiles and links, and code which uses the vector unit
stops at the link with an undefined reference that names the builtin.
"""
import pathlib
import re
import sys

VOID = frozenset("""
    sfpnop sfpwritelreg sfpsetcc sfpencc sfpcompc sfppushc sfppopc sfpstore sfpstoresrcs sfpbankdone
    lreg_pressure sfpwriteconfig_v sfpwriteconfig_i sfpwriteconfig sfpxpred ttincrwc sfpconfig
    sfpxvif_discard""".split())
INTEGER = frozenset("""
    synth_opcode sfpxlogic sfpxcond sfpxcmp sfpxvif sfpxbool sfpxcondb sfpxcondi""".split())

NO_F_REGISTERS = """#else
struct __shim_vbool {
    int v;
    __shim_vbool(unsigned i = 0) : v(i) {}
    operator int() const { return v; }
};
static inline unsigned __shim_epoch_get() { return 0; }
static inline void __shim_epoch_set(unsigned) {}
using __xtt_vector = unsigned __attribute__((vector_size(sizeof(unsigned) * 32)));
using __xtt_vector2 = unsigned __attribute__((vector_size(sizeof(unsigned) * 64)));
using __xtt_vector4 = unsigned __attribute__((vector_size(sizeof(unsigned) * 128)));"""

PLAIN_INSTRUCTIONS = """
[[gnu::always_inline]] static inline void
__builtin_rvtt_ttreplay(volatile void *buf, unsigned len, unsigned, unsigned, unsigned start,
                        unsigned exec, unsigned load)
{
    unsigned op = (0x04u << 24) | (start << 14) | (len << 4) | (exec << 1) | load;
    if (__builtin_constant_p(op)) {
        __asm__ __volatile__(".ttinsn %0" :: "i"(__builtin_constant_p(op) ? op : 0u));
    } else {
        *(volatile uint32_t *)buf = op;
    }
}

[[gnu::always_inline]] static inline void
__shim_ttincrwc(unsigned cr, unsigned d, unsigned b, unsigned a)
{
    unsigned op = (0x38u << 24) | (cr << 18) | (d << 14) | (b << 10) | (a << 6);
    __asm__ __volatile__(".ttinsn %0" :: "i"(op));
}
template <class... A> [[gnu::always_inline]] constexpr inline void __builtin_rvtt_ttincrwc(A... a)
{
    __shim_ttincrwc(a...);
}
"""

# Names that the LLK suite uses and these headers lack. A register of a look-up table holds two
# numbers: 16 bits each (two slopes or two intercepts, the first in the low half) or 8 bits each
# (slope above intercept).
NEWER_NAMES = """
namespace sfpi {
enum class LutSign { Retain, Update };
enum class LutMode { Fp8x3, Fp16x3, Fp32x3, Fp16x6_HWM3, Fp16x6_HWM4 };
namespace shim {
// binary16 of normal numbers; all exponent bits set stands for zero
sfpi_inline uint32_t half(float f)
{
    uint32_t u = impl_::float_as_uint(f), m = (u & 0x7fffffff) + 0xfff + (u >> 13 & 1);
    return (u >> 16 & 0x8000) | (m < 0x38000000 ? 0x7c00 : (m - 0x38000000) >> 13);
}
// sign, 3 bits of negated exponent, 4 bits of fraction; 0xff stands for zero
sfpi_inline uint32_t eighth(float f)
{
    uint32_t u = impl_::float_as_uint(f), m = (u & 0x7fffffff) + 0x40000, e = 127 - (m >> 23);
    return e > 7 ? 0xff : (u >> 24 & 0x80) | e << 4 | (m >> 19 & 15);
}
}
struct vLut8si : vUInt {
    using vUInt::vUInt;
    sfpi_inline vLut8si(float s, float i)
        : vUInt(uint32_t(shim::eighth(s) << 8 | shim::eighth(i))) {}
};
struct vLut16ss : vUInt {
    using vUInt::vUInt;
    sfpi_inline vLut16ss(float a, float b) : vUInt(uint32_t(shim::half(b) << 16 | shim::half(a))) {}
};
struct vLut16ii : vUInt {
    using vUInt::vUInt;
    sfpi_inline vLut16ii(float a, float b) : vUInt(uint32_t(shim::half(b) << 16 | shim::half(a))) {}
};
template <class T> sfpi_inline T nearby(T x) { return x; }
struct lreg_pressure { lreg_pressure(); ~lreg_pressure(); };
sfpi_inline vFloat lut(vFloat v, vLut8si a, vLut8si b, vLut8si c, LutSign s = LutSign::Retain)
{
    return __builtin_rvtt_sfplut(a.get(), b.get(), c.get(), v.get(), s == LutSign::Retain ? 4 : 0);
}
template <LutMode M = LutMode::Fp16x6_HWM3>
sfpi_inline vFloat lut(vFloat v, vLut16ss s01, vLut16ii i01, vLut16ss s23, vLut16ii i23,
                       vLut16ss s45, vLut16ii i45, LutSign s = LutSign::Retain)
{
    unsigned mode = (M == LutMode::Fp16x6_HWM4 ? 3 : 2) | (s == LutSign::Retain ? 4 : 0);
    return __builtin_rvtt_sfplutfp32_6r(s01.get(), s23.get(), s45.get(), i01.get(), i23.get(),
                                        i45.get(), v.get(), mode);
}
}
"""


def result_of(name):
    if name in VOID:
        return "void"
    if name in INTEGER or re.match(r"sfpx[fiu]?cmp|sfpxicmp|sfpxfcmp", name):
        return "unsigned"
    if name == "sfpswap":
        return "__xtt_vector2"
    if name == "sfptransp" or name.endswith("copy4"):
        return "__xtt_vector4"
    return "__xtt_vector"


def declarations(names):
    return ["template <class... A> "
            f"constexpr {result_of(name)} __builtin_rvtt_{name}(A...) noexcept;"
            for name in sorted(names)]


def write_builtins(folder, headers):
    used = {"sfpmad", "sfpgt"}
    for text in headers.values():
        used |= set(re.findall(r"__builtin_rvtt_(\w+)", text))
    used -= {"ttreplay", "ttincrwc", "sfp", ""}
    own = set(re.findall(r"__builtin_rvtt_(\w+) *\(", (folder / "sfpu_builtins.h").read_text()))
    lines = ["#pragma once", "#include <cstdint>",
             "#if defined(__riscv_xtttensixbh) && defined(__riscv_flen)",
             '#include "sfpu_builtins.h"']
    lines += declarations(used - own)
    lines += [NO_F_REGISTERS] + declarations(used) + ["#endif", PLAIN_INSTRUCTIONS]
    (folder / "tensix_builtins.h").write_text("\n".join(lines))


def edit(headers, name, pattern, replacement):
    headers[name], count = re.subn(pattern, replacement, headers[name])
    if count != 1:
        sys.exit(f"headers.py: {name} is not as expected where it says {pattern}")


def main():
    folder = pathlib.Path(sys.argv[1])
    headers = {path.name: path.read_text() for path in folder.glob("*.h")
               if path.name not in ("tensix_builtins.h", "sfpu_builtins.h")}
    write_builtins(folder, headers)
    # C++23 lets static_assert(false) stand in a branch that is not used; older compilers do not.
    for name in headers:
        headers[name] = headers[name].replace("static_assert (false", "static_assert (true")
    # A truth value of vectors is more than an int.
    begin = headers["sfpi.h"].index("class vBool {")
    end = headers["sfpi.h"].index("};", begin)
    vbool, count = re.subn(r"\bint (result;|get \(\) const)", r"__shim_vbool \1",
                           headers["sfpi.h"][begin:end])
    if count != 2:
        sys.exit("headers.py: class vBool in sfpi.h is not as expected")
    headers["sfpi.h"] = headers["sfpi.h"][:begin] + vbool + headers["sfpi.h"][end:]
    # Where a region under a condition ends, class CC says that the flags are those of before.
    edit(headers, "sfpi_classes.h", r"(class CC \{\s*private:)", r"\1 unsigned epoch = 0;")
    edit(headers, "sfpi_funcs.h", r"(auto sfpi::impl_::CC::push \(\)\s*->\s*CC & \{)",
         r"\1 if (!depth) epoch = __shim_epoch_get ();")
    edit(headers, "sfpi_funcs.h",
         r"(auto sfpi::impl_::CC::pop \(\)\s*->\s*CC & \{[^}]*?)(return \*this;)",
         r"\1if (depth) __shim_epoch_set (epoch);\n  \2")
    if not any("nearby" in text for text in headers.values()):
        headers["sfpi.h"] += NEWER_NAMES
    for name, text in headers.items():
        (folder / name).write_text(text)


main()
