#!/usr/bin/env python3
"""Stands in for riscv-tt-elf-g++: an ordinary RISC-V g++ (12 or newer) with our assembler.

make-compiler fills in the names between @ signs. Options of Tenstorrent's compiler that g++ does
not know are dropped. Compute kernels for Blackhole are compiled with F registers, which stand for
LREG 0 to 7 of the vector unit (sfpu_builtins.h); if such a kernel has scalar floating point and no
vector code it is compiled again without them, and if its vectors do not fit, once more with every
function that returns one inlined.

  SHIM_MARCH     another -march than rv32im
  SHIM_SFPU=0    no vector code: kernels with some stop at the link, which names the builtin
  SHIM_KEEP      a folder for the preprocessed source of kernels whose vector code fails
  SHIM_VERBOSE=1 prints the command
"""
import os
import re
import subprocess
import sys
import tempfile

SHIM, GXX, CXX_INCLUDE, C_INCLUDE = "@SHIM@", "@GXX@", "@CXX_INCLUDE@", "@C_INCLUDE@"

SOURCES = (".cc", ".cpp", ".cxx", ".c", ".ii", ".i")
DROPPED = ("-ftt-", "-fno-tt-", "-mtt-", "-mno-tt-", "-Werror", "-Wno-error", "-Wl,--trace")
MACHINE = ("-mcpu=", "-march=", "-mtune=", "-mabi=")
NO_VECTOR = b"shim: scalar floating point and no vector code"
BAD_VECTOR = b"shim: error: vector unit"
RETURNS_VECTOR = re.compile(r"\binline\s+(?=(?:sfpi::)?v(?:Float|U?Int|Bool|SMag|Mag)\w*\s+\w)")


def command_for(arguments):
    """The command of the ordinary compiler, and whether it compiles for a compute core."""
    march = os.environ.get("SHIM_MARCH", "rv32im")
    tensix = any(a.startswith(MACHINE) and "tensix" in a for a in arguments)
    kept = []
    for a in arguments:
        if a.startswith("-std="):
            kept.append("-std=gnu++20")  # what the code uses of C++23 is little
        elif not a.startswith(MACHINE + DROPPED):
            kept.append(a)
    command = [GXX, f"-march={march}", "-mabi=ilp32", "-fpermissive", "-w", f"-B{SHIM}/binutils/",
               "-mno-riscv-attribute", "-Wa,-mno-arch-attr", "-isystem", CXX_INCLUDE,
               "-isystem", f"{SHIM}/cxxcfg", "-isystem", f"{CXX_INCLUDE}/backward",
               "-isystem", C_INCLUDE, "-D__TT_SHIM__=1"]
    extension = ""
    if tensix:
        chip = "bh" if "-DARCH_BLACKHOLE" in arguments else "wh"
        command += [f"-D__riscv_xtttensix{chip}=1", "-D__riscv_xtttensix=1"]
        extension = f"_xtttensix{chip}"
    # The assembler may know more than the compiler uses (csrrs and amoadd in inline assembly);
    # the compiler stays at rv32im, for which there is a libgcc.
    command.append(f"-Wa,-march={march}_zicsr_zifencei_zaamo_zba_zbb{extension}")
    libraries = os.path.join(os.path.dirname(C_INCLUDE), "lib", march.split("_")[0], "ilp32")
    if os.path.isdir(libraries):
        command.append(f"-L{libraries}")
    else:
        kept = [a for a in kept if a != "-lc"]
    return command + kept, tensix


def sources_in(arguments):
    return [a for a in arguments if a.endswith(SOURCES) and os.path.isfile(a)]


def has_vector_unit(arguments, tensix):
    if not tensix or os.environ.get("SHIM_SFPU") == "0" or "-DARCH_BLACKHOLE" not in arguments:
        return False
    if not os.path.isdir(f"{SHIM}/sfpu"):  # made without the headers of SFPI
        return False
    if "-fpreprocessed" in arguments:  # preprocessed here before: the same way again
        for name in sources_in(arguments):
            with open(name, errors="replace") as source:
                if "struct __xtt_vector {\n    float r;" in source.read():
                    return True
        return False
    return True


def run(command, text):
    feed = dict(input=text) if text is not None else {}
    return subprocess.run(command, stderr=subprocess.PIPE, **feed)


def preprocessed(arguments, command, text):
    if "-fpreprocessed" in arguments:
        with open(sources_in(arguments)[0], errors="replace") as source:
            return source.read()
    kept = [a for a in command
            if not a.startswith(("-Wl,", "-T")) and a not in ("-c", "-lc", "-lgcc")]
    if "-o" in kept:
        del kept[kept.index("-o") : kept.index("-o") + 2]
    feed = dict(input=text) if text is not None else {}
    result = subprocess.run(kept + ["-E"], stdout=subprocess.PIPE, **feed)
    return result.stdout.decode(errors="replace")


def inlined(arguments, command, text, failed):
    """Vectors cannot be passed, so tries again with every function that returns one inlined."""
    source = preprocessed(arguments, command, text)
    keep = os.environ.get("SHIM_KEEP")
    if keep:
        with open(f"{keep}/{os.getpid()}.ii", "w") as file:
            file.write(source)
        with open(f"{keep}/{os.getpid()}.txt", "wb") as file:
            file.write(failed.stderr)
    changed, count = RETURNS_VECTOR.subn("inline __attribute__((always_inline)) ", source)
    if not count:
        return failed
    if "-" in arguments:
        return run(command, changed.encode())
    names = sources_in(command)
    if "-c" not in arguments or len(names) != 1:
        return failed
    with tempfile.NamedTemporaryFile("w", suffix=".ii") as file:
        file.write(changed)
        file.flush()
        return run([file.name if a == names[0] else a for a in command], None)


def main():
    arguments = sys.argv[1:]
    command, tensix = command_for(arguments)
    if os.environ.get("SHIM_VERBOSE"):
        print(" ".join(command), file=sys.stderr)
    if not has_vector_unit(arguments, tensix):
        os.execvp(command[0], command)
    text = sys.stdin.buffer.read() if "-" in arguments else None
    vector_command = command[:1] + [f"-B{SHIM}/sfpu/"] + command[1:]
    result = run(vector_command, text)
    if result.returncode and NO_VECTOR in result.stderr:
        result = run(command, text)
    elif result.returncode and BAD_VECTOR in result.stderr:
        again = inlined(arguments, vector_command, text, result)
        result = again if again.returncode == 0 else result
    sys.stderr.buffer.write(result.stderr)
    return result.returncode


sys.exit(main())
