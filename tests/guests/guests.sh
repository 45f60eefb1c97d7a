#!/bin/bash
# Our bare guest programs under `penrose run`: results, exit codes, and what the messages name.
# SKIP without the RISC-V cross compiler.
set -euo pipefail

guests=$builddir/firmware
[ -e "$guests/hello.elf" ] || { echo "no guest programs: no RISC-V cross compiler"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect NAME EXIT PATTERN... -- ARGUMENT...: `penrose run ARGUMENT...` ends with EXIT, and its
# output matches every PATTERN (extended regular expressions).
expect() {
    local name=$1 wanted=$2 patterns=() status=0
    shift 2
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    "$builddir/penrose" run "$@" >"$work/out" 2>&1 </dev/null || status=$?
    local problem=
    [ "$status" -eq "$wanted" ] || problem="exit code $status, expected $wanted"
    for pattern in "${patterns[@]}"; do
        grep -qE -- "$pattern" "$work/out" || problem+="${problem:+; }no match for /$pattern/"
    done
    if [ -n "$problem" ]; then
        failures=$((failures + 1))
        echo "FAIL $name: $problem"
        sed 's/^/    /' "$work/out"
    else
        echo "ok $name"
    fi
}

harts() { # PROGRAM HART...: the --hart options that run it on these harts
    local program=$1
    shift
    for hart in "$@"; do
        echo "--hart=$hart=$guests/$program-$hart.elf"
    done
}

# --- Programs that do what they should ---

expect hello 0 'brisc +done +0' '4f4c4548 00000009' -- "$guests/hello.elf" --dump 0x8038,8
for hart in trisc0 trisc1 trisc2 ncrisc; do
    expect "hello on $hart" 0 "$hart +done +0" -- --hart "$hart=$guests/hello.elf"
done
for schedule in lockstep random:1 random:2; do
    expect "hello, $schedule" 0 'brisc +done +0' -- "$guests/hello.elf" --schedule "$schedule"
done
# The two CRCs, and no word in wrong order.
expect sort_crc 0 'brisc +done +0' '0x00008038  ([0-9a-f]{8}) \1 00000000' -- \
    "$guests/sort_crc.elf" --dump 0x8038,12
expect "push on trisc1" 0 'trisc1 +done +0' '0x00008038  000001f4' -- \
    --hart "trisc1=$guests/push.elf" --dump 0x8038,4
# Instructions of the coprocessor have the lines on which they are written, each 100 times.
"$builddir/penrose" run --hart "trisc1=$guests/push.elf" --trace="$work/trace" \
    --trace-filter kind=tensix >"$work/out"
while IFS=: read -r line _; do
    [ "$(grep -c "push\.c:$line\$" "$work/trace")" -eq 100 ] || {
        failures=$((failures + 1))
        echo "FAIL line $line of push.c is not told 100 times"
    }
done < <(grep -n TTINSN "$srcdir/firmware/bare/push.c")

mapfile -t pingpong < <(harts pingpong brisc trisc0 trisc1 trisc2)
# 300 words; the sum of 3 * (round + 1000 * trisc) + trisc over 100 rounds and three TRISCs.
expect pingpong 0 'brisc +done +0' '0x00008038  0000012c 001c279e' -- \
    "${pingpong[@]}" --dump 0x8038,8

# --- Programs that go wrong: exit code 1, and a message with kind, place and source line ---

wrong() { # NAME KIND PATTERN...
    local name=$1 kind=$2
    shift 2
    expect "fault-$name" 1 "guest fault $kind: tile \(1, 2\) brisc at pc 0x[0-9a-f]{8}" "$@" -- \
        "$guests/fault-$name.elf"
}
wrong jump bad-fetch '0x00400000'
wrong load unmapped-address 'load_from_nowhere\+0x[0-9a-f]+, firmware/bare/fault.c:[0-9]+' '0x00400000'
wrong store unmapped-address 'store_to_nowhere\+0x[0-9a-f]+, firmware/bare/fault.c:[0-9]+' '0xff800000'
wrong readonly read-only-address 'store_to_read_only\+0x[0-9a-f]+, firmware/bare/fault.c:[0-9]+'
wrong misaligned misaligned-access 'store_misaligned\+0x[0-9a-f]+, firmware/bare/fault.c:[0-9]+'
wrong illegal illegal-instruction 'illegal_instruction.*, firmware/bare/fault.c:[0-9]+'
wrong float unsupported-instruction 'divide_float.*, firmware/bare/fault.c:[0-9]+' 'fdiv\.s'

# --- Programs that never end: exit code 4, found at once ---

expect "endless loop" 4 'deadlock' 'loop_for_ever.*firmware/bare/fault.c:[0-9]+' \
    'endless loop without effect' -- "$guests/fault-loop.elf"
mapfile -t wait < <(harts wait brisc trisc0 trisc1 trisc2 ncrisc)
expect "five harts that wait" 4 'deadlock' \
    'brisc at pc .*firmware/bare/wait.c:[0-9]+' 'trisc0 at pc .*firmware/bare/wait.c:[0-9]+' \
    'trisc1 at pc .*firmware/bare/wait.c:[0-9]+' 'trisc2 at pc .*firmware/bare/wait.c:[0-9]+' \
    'ncrisc at pc .*firmware/bare/(wait.c|bare.h):[0-9]+' -- "${wait[@]}"

# --- The cycle limit: exit code 3 ---

expect "cycle limit" 3 'cycle' -- "$guests/sort_crc.elf" --poke 0x8000=100000 --max-cycles 1M

[ "$failures" -eq 0 ]
