#!/usr/bin/env python3
"""Stands in for riscv-tt-elf-g++ as ttnn 0.81.1 calls it; ../shim does the work (client_shim).

ttnn's sources are for GCC 15 and a newer SFPI than the stand-in has. What is changed on the way:

  --version     a constant text, since tt-metal makes it part of the key of its caches
  -flto*        dropped; what the wheel has as LTO bytecode is built from source (environment.bash)
  static_assert defined away: C++23 allows static_assert(false) in templates
  #pragma GCC unroll <template parameter>: removed after preprocessing
  precompiled headers: refused; tt-metal then goes on without
  headers       ../overlay comes first: libstdc++ without an operating system
  memset etc.   from ../overlay/libttnn.a, at the link
  jump tables   off: tt-metal takes no kernel with pointers to code in its data
"""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OVERLAY = os.path.join(TOP, "overlay")
COMPILER = os.path.join(TOP, "shim", "compiler", "bin", "riscv-tt-elf-g++")
SOURCES = (".cc", ".cpp", ".cxx", ".c", ".S")
UNROLL = re.compile(r"^#pragma GCC unroll (?!\s*\d+\s*$).*$", re.M)
OPTIONS_WITH_FILE = ("-MF", "-MT", "-isystem", "-I", "-x")


def run(arguments):
    return subprocess.call([COMPILER] + arguments)


def preprocess(arguments, output):
    """To a file; -MMD makes its list of headers on the way."""
    tensix = any("tensix" in a for a in arguments)
    arguments = [a for a in arguments if a != "-c"]
    at = arguments.index("-o")
    target = arguments[at + 1]
    arguments[at:at + 2] = ["-E", "-o", output] + (["-MT", target] if "-MMD" in arguments else [])
    first = ["-I" + OVERLAY, "-I" + os.path.join(TOP, "shim", "include"), "-Dstatic_assert(...)="]
    if tensix:
        first += ["-include", os.path.join(OVERLAY, "kernel.h")]
    if run(first + arguments):
        return False
    with open(output, encoding="utf-8") as file:
        text = UNROLL.sub("", file.read())
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    return True


def compile_preprocessed(arguments, source, preprocessed):
    """The driver of the stand-in sees which chip it is for by -DARCH_*."""
    kept, skip = [], False
    for a in arguments:
        if skip:
            skip = False
        elif a in OPTIONS_WITH_FILE:
            skip = True
        elif a != source and (a.startswith("-DARCH_") or not a.startswith(("-M", "-I", "-D"))):
            kept.append(a)
    return run(kept + ["-fno-jump-tables", "-fpreprocessed", "-x", "c++", preprocessed])


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("-flto")]
    if arguments[:1] == ["--version"]:
        print("riscv-tt-elf-g++ (stand-in) 1")
        return 0
    if "c++-header" in arguments or os.environ.get("TTNN_NO_COMPILER"):
        return 1
    if "-c" not in arguments:
        return run(arguments + ["-Wl,--defsym=__erisc_jump_table=0", "-nostdlib",
                                os.path.join(OVERLAY, "libttnn.a"), "-lgcc"])
    source = next(a for a in arguments if a.endswith(SOURCES))
    if source.endswith(".S"):
        return run(arguments)
    preprocessed = arguments[arguments.index("-o") + 1] + ".ii"
    try:
        if not preprocess(arguments, preprocessed):
            return 1
        return compile_preprocessed(arguments, source, preprocessed)
    finally:
        if os.path.exists(preprocessed):
            os.unlink(preprocessed)


if __name__ == "__main__":
    sys.exit(main())
