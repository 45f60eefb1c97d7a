#!/bin/bash
# Mailboxes, semaphores, mutexes, MOP, REPLAY and STALLWAIT on three TRISCs at once: what
# firmware/bare/tensix.c leaves in L1 is what this script computes, under every schedule. The
# program itself compares with C and says so by its exit values.
#
#   PENROSE_SEEDS   how many random schedules are tried; 100 unless set
#
# SKIP without the RISC-V cross compiler.
set -euo pipefail

guests=${builddir:?}/firmware
[ -e "$guests/tensix-trisc0.elf" ] || { echo "no guest programs: no RISC-V cross compiler"; exit 77; }
seeds=${PENROSE_SEEDS:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- What must lie in L1 from 0x60000 on, as words; compare the comments in tensix.c ---

ones=0xffffffff
words=()
for ((i = 0; i < 0x300 / 4; i++)); do words[i]=0; done
put() { words[($1) / 4]=$((($2) & ones)); } # OFFSET VALUE
mul() { product=$(((($1) & 0xffff) * (($2) & 0xffff) & ones)); } # the low halves

chain() {
    local x=1 y=0 z=0 i
    for ((i = 0; i < 48; i++)); do
        mul "$x" 25173
        x=$((product + 0x10013849 & ones))
        mul "$x" 40961
        y=$((y + product + x & ones))
        mul "$z" 31
        z=$((product + y & ones))
        put 0x000+i%4*16 "$x"
        put 0x040+i%4*16 "$y"
        put 0x100+i*4 "$z"
    done
}

mutexes() {
    local mapped=0 i
    for ((i = 0; i < 96; i++)); do
        mul "$mapped" 21
        mapped=$((product + 13 & ones))
    done
    put 0x80 32*1+32*257+32*513
    put 0x90 "$mapped"
    put 0xa0 96
    put 0xb0 96*95/2
}

expansions() { # THREAD
    local t=$1 a=0 b=0 c=0 d=0 e=0 f=0 g=0 h=$(($1 + 1)) i
    local mask=$((0x9e3779b1 * (t + 1) & ones))
    for ((i = 0; i < 32; i++)); do
        if ((mask >> i & 1)); then
            ((d += 5, c += d))
        else
            ((a += 1, b += a, c += 3))
        fi
    done
    for ((i = 0; i < 5 + t; i++)); do
        ((e += 3 * 99 + (i == 4 + t ? 63 : 11)))
        mul "$e" 7
        ((f = product, g += f))
    done
    for ((i = 0; i < 5; i++)); do
        mul "$h" 37
        mul "$product+1" 11
        ((h = product + a + t + 1))
    done
    local all=("$a" "$b" "$c" "$d" "$e" "$f" "$g" "$h")
    for i in "${!all[@]}"; do
        put 0x200+32*t+4*i "${all[i]}"
    done
}

posts() {
    local sum=0 i
    for ((i = 0; i < 8; i++)); do
        ((sum += 0x01000193 * (i + 1)))
        put 0x280+4*i 0x01000193*i+0x01000193
        put 0x2a0+4*i "$sum"
    done
}

tokens() {
    local token i t
    for ((i = 0; i < 8; i++)); do
        token=$((77 * i))
        for t in 0 1 2; do
            mul "$token" 3+t
            token=$((product + 1000 * (t + 1)))
        done
        put 0x2c0+4*i "$token"
    done
}

chain
mutexes
for thread in 0 1 2; do expansions "$thread"; done
posts
tokens
printf '%08x\n' "${words[@]}" >"$work/expected"

# --- What does lie there ---

harts=()
for hart in trisc0 trisc1 trisc2; do harts+=("--hart=$hart=$guests/tensix-$hart.elf"); done
failures=0

try() { # SCHEDULE [OPTION...]
    local status=0
    "$builddir/penrose" run "${harts[@]}" --schedule "$@" --dump 0x60000,0x300 \
        --dump 0x8138,16 --dump 0x8238,16 --dump 0x8338,16 >"$work/out" 2>&1 </dev/null || status=$?
    awk '/^0x0006/ { print $2; print $3; print $4; print $5 }' "$work/out" >"$work/words"
    [ "$status" -eq 0 ] && [ "$(grep -cE 'trisc. +done +0 ' "$work/out")" -eq 3 ] &&
        cmp -s "$work/words" "$work/expected" && return
    failures=$((failures + 1))
    echo "FAIL $*: exit code $status; words of L1, as they are and as expected:"
    { diff --side-by-side --suppress-common-lines --width 40 "$work/words" "$work/expected" || true; } |
        head -10
    cat "$work/out"
}

try fast
try lockstep
try fast --timing timed
try random:1 --timing timed
for ((seed = 1; seed <= seeds; seed++)); do
    try "random:$seed"
    [ "$failures" -lt 5 ] || break # enough to look at
done
echo "$failures schedules failed of fast, lockstep, timed and $seeds random ones"
[ "$failures" -eq 0 ]
