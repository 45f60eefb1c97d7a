#!/bin/bash
# `penrose new`: what it refuses, and that the project it makes is built, runs and notices mistakes;
# the macros of its instructions against `penrose asm`.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
cc=${RISCV_CC:-riscv64-unknown-elf-gcc}
unset MAKEFLAGS MFLAGS MAKELEVEL # the project's make is none of the one that runs tests

# --- What it refuses ---

expect "no folder" 2 "name the folder to make" -- new
expect "two folders" 2 "one folder is enough; what is 'b'" -- new a b
mkdir "$work/full"
touch "$work/full/.file"
expect "a folder that is not empty" 2 "$work/full is not empty; name a folder that" -- new "$work/full"
report "and it is left alone" "$([ "$(ls -A "$work/full")" = .file ] || echo "it has more files")"
expect "a file" 2 "$work/full/.file: Not a directory" -- new "$work/full/.file"
expect "a folder that cannot be made" 2 "/proc/nowhere/deep: " -- new /proc/nowhere/deep

# --- What it makes ---

messages=$(command -v riscv64-unknown-elf-gcc >/dev/null; echo $?) expect "a folder" 0 \
    "out:a program for five harts" -- new "$work/deep/hello"
cd "$work/deep/hello" || exit 1
mkdir "$work/empty"
messages=$(command -v riscv64-unknown-elf-gcc >/dev/null; echo $?) expect "an empty folder, in JSON" 0 \
    'out:"folder": ".*/empty"' -- new --json "$work/empty"
env PATH=/nowhere "$PENROSE" new "$work/without" >"$work/out" 2>"$work/err"
report "without a compiler" "$([ $? -eq 0 ] && grep -q 'apt install gcc-riscv64' "$work/err" ||
    echo "it does not say so")"
command -v python3 >/dev/null || skip "no python3"

# Each operand of each instruction, one at a time, as the macro and as the assembler has it. What is
# no instruction with these operands is refused by the assembler.
python3 - "$PENROSE" kit/tensix_ops.h >"$work/macros" <<'END'
import re, subprocess, sys
penrose, header = sys.argv[1:]
text = open(header).read()
same = wrong = 0
for name, names, body in re.findall(r"#define TT_OP_(\w+)(?:\(([^)]*)\))? \\\n +\((.*)\)\n", text):
    names = [n.strip() for n in names.split(",")] if names else []
    opcode = int(re.match(r"UINT32_C\((\w+)\)", body)[1], 16)
    bits = dict((n, (int(h), int(l))) for n, h, l in re.findall(r"TT_BITS\((\w+), (\d+), (\d+)\)", body))
    for chosen in [None] + names:
        values = [str(int(n == chosen)) for n in names]
        word = opcode | (1 << bits[chosen][1] if chosen in bits else 0)
        run = subprocess.run([penrose, "asm", "--tensix", name + " " + ", ".join(values)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if run.returncode == 0:
            same += int(run.stdout, 16) == word
            wrong += int(run.stdout, 16) != word
            if int(run.stdout, 16) != word:
                print(f"{name} {values}: {word:08x}, the assembler has {run.stdout.strip()}")
print(f"{same} words, {wrong} wrong")
END
report "macros and assembler agree" "$(grep -q '^[4-9][0-9][0-9] words, 0 wrong$' "$work/macros" ||
    head -5 "$work/macros")"

command -v "$cc" >/dev/null || skip "no RISC-V cross compiler"
prefix=${cc%gcc}

# build TARGET: runs make in the project.
build() {
    make -s CROSS="$prefix" PENROSE="$PENROSE" "$@" >"$work/out" 2>"$work/err"
}

build test
report "make test" "$([ $? -eq 0 ] && grep -q '^test: passed$' "$work/out" || echo "it failed")"
report "without warnings" "$(cat "$work/err")"
for option in "--schedule lockstep" "--schedule random:1" "--schedule random:2" "--timing timed" \
    "--policy all=stop"; do
    # shellcheck disable=SC2086
    expect "with $option" 0 "out:^brisc: 256 of 256 numbers are right" "out:brisc   done +0 " -- run \
        $(printf -- '--hart %s=build/%s.elf ' brisc{,} ncrisc{,} trisc0{,} trisc1{,} trisc2{,}) $option
done

# Instructions of the coprocessor have the lines on which they are written.
line=$(grep -n 'TTI_MVMUL(GIVE_BOTH_BACK' trisc1.c)
# shellcheck disable=SC2046
expect "a trace" 0 -- run $(printf -- '--hart %s=build/%s.elf ' brisc{,} trisc0{,} trisc1{,} trisc2{,}) \
    --trace="$work/trace.txt" --trace-filter kind=tensix
report "lines of the coprocessor's instructions" "$(grep -qE "MVMUL 3, .*trisc1\.c:${line%%:*}$" "$work/trace.txt" ||
    grep MVMUL "$work/trace.txt")"

# A hang: the chain leads from what is missing to those who wait, with the lines that call the macros.
cp -r . "$work/hang"
sed -i '/TTI_SEMPOST/d' "$work/hang/trisc1.c"
(cd "$work/hang" && build run)
report "a chain of who waits" "$(for line in 'thread 2 of the coprocessor \((tensix.h:[0-9]+, inlined at )?trisc2.c:[0-9]+\) waits for' \
    'brisc \(hart.h:[0-9]+, inlined at brisc.c:[0-9]+\) waits for a word in the mailbox from trisc2$'; do
    grep -qE "^      -> $line" "$work/err" || grep -e '->' "$work/err"
done)"

# GDB stops in main, and at no call by which a hart prints.
if command -v gdb-multiarch >/dev/null; then
    rm -f build/gdb
    make -s CROSS="$prefix" PENROSE="$PENROSE" debug >"$work/out" 2>&1 &
    for _ in $(seq 100); do
        [ -S build/gdb ] && break
        sleep 0.05
    done
    timeout 60 gdb-multiarch -nx -batch -x kit/gdbinit -ex bt -ex continue >"$work/err" 2>&1 </dev/null
    wait
    report "GDB stops in main" "$(grep -q '^#0 .*main () at brisc.c:[0-9]' "$work/err" || echo "it does not")"
    report "GDB stops at the end, and not before" "$([ "$(grep -c '^ebreak: ' "$work/err")" -eq 1 ] &&
        grep -q '^brisc: 256 of 256' "$work/out" || echo "there were other stops")"
fi

sed -i 's/return (row + column) % 4;/return row ? 1 : column;/' brisc.c
build test
report "other numbers" "$([ $? -eq 0 ] || echo "make test fails")"
sed -i 's/TTI_MVMUL(0, 0, 0, 0);.*/TTI_NOP;/' trisc1.c
build test
report "a mistake is noticed" "$([ $? -ne 0 ] && grep -q 'numbers are right' "$work/out" ||
    echo "make test ends well")"
echo 'int main(void) { *(volatile int *)0x00400000 = 1; return 0; }' >ncrisc.c
build test
report "and a fault" "$([ $? -ne 0 ] && grep -q 'in main.*ncrisc.c:1' "$work/err" ||
    echo "make test ends well")"

# One mistake of an unrolled loop is one report.
cat >ncrisc.c <<'END'
int main(void)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        ((volatile unsigned *)0x00400000)[i] = i;
    }
    return 0;
}
END
build
messages=2 expect "an unrolled loop" 0 "ncrisc.c:5: store of 4 bytes at 0x00400000" \
    "in main.*ncrisc.c:5: the same 3 more times on this tile$" -- run --hart ncrisc=build/ncrisc.elf \
    --policy unmapped-address=warn
build dis
report "make dis" "$(grep -q mul build/brisc.dis || echo "no code in build/brisc.dis")"
build clean
report "make clean" "$([ ! -e build ] || echo "build is still there")"
finish
