#!/bin/bash
# Bad requests to the NoC under `penrose run`: each message names who asked (tile, hart, pc) and, where
# there is one, the other end, and says what to do. What becomes of a program under each policy, once
# for each kind of fault and type of request (unit tests know it of each rule): stop ends the run;
# warn and ignore let the request pass, and the program goes on. Programs are assembled by
# `penrose asm`, so that no compiler is needed.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# --- Programs ---

# Offsets of a command buffer's registers (SPEC: NoC/MemoryMap), and NOC_CTRL.
declare -A register=([target]=0x00 [target_high]=0x04 [target_tile]=0x08 [back]=0x0c [back_tile]=0x14
    [tag]=0x18 [ctrl]=0x1c [len]=0x20 [operand]=0x28)
# Bits of NOC_CTRL.
read=0 atomic=1 write=2 reserved=3 inline=8 response=16 multicast=32 linked=64 static=128
accumulate=0x80000000

# at X Y: coordinates as a register takes them; span X Y X Y: a rectangle
at() { echo $(($1 | $2 << 6)); }
span() { echo $(($3 | $4 << 6 | $1 << 12 | $2 << 18)); }

# set_lines REGISTER VALUE: lines that store to a register of the buffer at s0
set_lines() {
    local value=$(($2 & 0xffffffff)) low
    low=$(((value & 0xfff) - (value & 0x800) * 2))
    lines+=("lui a4, $(((value - low) >> 12 & 0xfffff))" "addi a4, a4, $low" "sw a4, $(($1))(s0)")
}

# request REGISTER=VALUE...: a request of buffer 0 of NoC $noc; \$where is where it starts.
request() {
    local setting
    lines+=("lui s0, $((0xffb20 + 16 * noc))")
    for setting in "$@"; do
        set_lines "${register[${setting%%=*}]}" "${setting#*=}"
    done
    lines+=('addi a4, zero, 1')
    where=$(printf '0x%08x' $((0x1000 + 4 * ${#lines[@]})))
    lines+=('sw a4, 0x40(s0)')
}

# Lines that let a packet arrive and its response come back.
pause() {
    lines+=('lui a5, 1' "addi a5, a5, -1" "bne a5, zero, $((0x1000 + 4 * (${#lines[@]} + 1)))")
}

# finish_program: the end; 0x600d in 0x9000 shows that the program came so far.
finish_program() {
    local words
    pause
    lines+=('lui a4, 9' 'lui a5, 0x600d' 'sw a5, 0(a4)' 'addi a0, zero, 7' 'ebreak')
    words=$("$PENROSE" asm --pc 0x1000 "${lines[@]}") || report "assembling: ${lines[*]}" "refused"
    make_elf "$work/noc.elf" $((0x1000)) "4096 7 ${words//$'\n'/ }"
}

looks=(--poke "0x8000=0x11223344,0x55667788" --dump "0x8000,4" --dump "0x9000,4" --dump "0x3000,4")
untouched=('out:00008000  11223344' 'out:00003000  00000000')
headline='guest fault KIND: tile \(1, 2\) brisc at pc'

# wrong NAME KIND TEXT REGISTER=VALUE...: the request is a fault of this text. What may be set: $warns:
# it goes on unless it is told to stop; $options: more options; $noc: the NoC.
wrong() {
    local name=$1 kind=$2 text=$3 who="${headline/KIND/$2}" stops=() ctrl=$read setting
    shift 3
    request "$@"
    finish_program
    [ -z "${warns:-}" ] || stops=(--policy "$kind=stop")
    # shellcheck disable=SC2086
    expect "stop: $name" 1 "$who $where: .*$text" "to go on +--policy $kind=warn" 'rule  +[a-z]' \
        "${untouched[@]}" 'out:00009000  00000000' 'out:: fault after' -- \
        run "$work/noc.elf" ${options:-} "${stops[@]}" "${looks[@]}"
    for setting; do
        case $setting in ctrl=*) ctrl=${setting#ctrl=} ;; esac
    done
    if is_first "$kind $((ctrl & 3))"; then
        # shellcheck disable=SC2086
        messages=1 expect "warn: $name" 0 "warning: $who $where: .*$text" "${untouched[@]}" \
            'out:00009000  0600d000' 'out:brisc +done +7' -- \
            run "$work/noc.elf" ${options:-} --policy "$kind=warn" "${looks[@]}"
        # shellcheck disable=SC2086
        expect "ignore: $name" 0 "${untouched[@]}" 'out:00009000  0600d000' 'out:brisc +done +7' -- \
            run "$work/noc.elf" ${options:-} --policy "$kind=ignore" "${looks[@]}"
        # shellcheck disable=SC2086
        [ -z "${warns:-}" ] || messages=1 expect "by default: $name" 0 "warning: $who $where" \
            'out:brisc +done +7' -- run "$work/noc.elf" ${options:-}
    fi
    lines=()
}

# A write of 16 bytes from 0x8000 to 0x3000 of (2, 2) and a read of 16 bytes from there to 0x3000:
# requests that are right, with a few settings behind that make them wrong.
good_write=(target=0x8000 "target_tile=$(at 1 2)" back=0x3000 "back_tile=$(at 2 2)" len=16
    "ctrl=$((write | response))")
good_read=(target=0x8000 "target_tile=$(at 2 2)" back=0x3000 "back_tile=$(at 1 2)" len=16 "ctrl=$read")
good_increment=(target=0x8000 "target_tile=$(at 2 2)" back=0x3000 "back_tile=$(at 1 2)"
    len=0x107c operand=1 "ctrl=$((atomic | response))")
good_inline=(target=0xffb11000 "target_tile=$(at 2 2)" operand=5 "ctrl=$((write | inline | response))")
lines=() noc=0

# --- Where nothing is ---

wrong "a tile that does not exist" noc-address \
    'there is no tile at \(20, 0\) of NoC 0, which its translation turns into \(20, 0\)' \
    "${good_read[@]}" target_tile="$(at 20 0)"
wrong "a router" noc-address 'read of 16 bytes at 0x8000 of empty \(8, 4\): .* but a router' \
    "${good_read[@]}" target_tile="$(at 8 4)"
wrong "an address that does not exist" noc-address \
    'NoC 0, read of 16 bytes at 0x400000 of worker \(2, 2\): nothing answers there' \
    "${good_read[@]}" target=0x400000
wrong "past the end of L1" noc-address \
    'read of 16384 bytes at 0x17e000 of worker \(2, 2\): nothing answers there' \
    "${good_read[@]}" len=0x4000 target=0x17e000
wrong "a register that does not exist" noc-address \
    'write of 4 bytes at 0xff800000 of worker \(2, 2\): nothing answers there' \
    "${good_write[@]}" back=0xff800000 len=4
wrong "the source of a write" noc-address \
    'source of a write, 0x400000, 16 bytes: nothing answers there' "${good_write[@]}" target=0x400000
wrong "where data of a read go" noc-address \
    'read response of 16 bytes at 0x400000 of worker \(1, 2\): nothing answers there' \
    "${good_read[@]}" back=0x400000
wrong "L1 of an Ethernet tile ends" noc-address \
    'read of 16 bytes at 0x80000 of Ethernet \(20, 25\): nothing answers there' \
    "${good_read[@]}" target_tile="$(at 20 25)" target=0x80000
wrong "host memory that is not there" noc-address 'PCIe \(19, 24\): ' \
    "${good_read[@]}" target_tile="$(at 19 24)"
wrong "ARC where nothing is" noc-address 'ARC \(8, 0\): ' \
    "${good_read[@]}" target_tile="$(at 8 0)" target=0x60000000 len=4
noc=1 wrong "NoC 1 too" noc-address 'NoC 1, read of 16 bytes at 0x400000 of worker \(2, 2\): ' \
    "${good_read[@]}" target=0x400000

# --- DRAM ---

wrong "DRAM beyond 4 GiB" noc-address 'read of 16 bytes at 0x100000000 of DRAM \([0-9]+, [0-9]+\): ' \
    "${good_read[@]}" target_tile="$(at 17 12)" target=0 target_high=1
wrong "across the end of DRAM" noc-address \
    'read of 16384 bytes at 0xfeffe000 of DRAM \([0-9]+, [0-9]+\): ' \
    "${good_read[@]}" target_tile="$(at 17 12)" target=0xfeffe000 len=0x4000
wrong "atomic on DRAM" noc-address \
    'at 0x8000 of DRAM \([0-9]+, [0-9]+\): atomics reach the L1 of Tensix and Ethernet tiles only' \
    "${good_increment[@]}" target_tile="$(at 17 12)"
wrong "misaligned read of DRAM" noc-alignment 'equal modulo 64; the other one is 0x3010' \
    "${good_read[@]}" target_tile="$(at 17 12)" back=0x3010

# --- Tiles that do not answer ---

options='--card p100a' wrong "a fused-off tile" noc-held-tile \
    'NoC 0, 0x8000 of tile \(15, 2\): it is fused off on this card; use tiles that the card has' \
    "${good_read[@]}" target_tile="$(at 15 2)"
request target=0xffb20100 target_tile="$(at 2 2)" operand=0x1000 ctrl=$((write | inline | response))
pause
wrong "a tile with its clock off" noc-held-tile \
    'NoC 0, 0x8000 of tile \(2, 2\): its clock is off; clear bit 12 of its NIU_CFG_0' "${good_read[@]}"

# --- Sizes and alignment ---

wrong "misaligned write" noc-alignment \
    'write of 16 bytes at 0x3008 of worker \(2, 2\): .* equal modulo 16; the other one is 0x8000' \
    "${good_write[@]}" back=0x3008
wrong "misaligned read" noc-alignment \
    'read of 16 bytes at 0x8004 of worker \(2, 2\): .* equal modulo 16; the other one is 0x3000' \
    "${good_read[@]}" target=0x8004
wrong "zero length" noc-length 'NOC_AT_LEN_BE is 0: a read or write has at least a byte' \
    "${good_read[@]}" len=0
options='--policy noc-address=ignore' wrong "too long" noc-length \
    'NOC_AT_LEN_BE is 2097152: .* overflow at 2 MiB' "${good_write[@]}" len=0x200000
wrong "long and misaligned" noc-length 'more than 16384 bytes need addresses that are multiples of 64' \
    "${good_read[@]}" len=20000 target=0x8010 back=0x3010
wrong "registers in bulk" noc-length \
    'at 0xffb20000 of worker \(2, 2\): an access of registers stays within a word of 4 bytes' \
    "${good_read[@]}" target=0xffb20000

# --- Flags ---

wrong "reserved type" noc-command 'request type 3 is reserved: bits 0-1 of NOC_CTRL' \
    "${good_read[@]}" "ctrl=$reserved"
wrong "multicast read" noc-command 'a read cannot be multicast: clear bit 5 of NOC_CTRL' \
    "${good_read[@]}" "ctrl=$((read | multicast))"
wrong "static channel of another class" noc-command 'needs class 0 or 1: bits 14-15 of NOC_CTRL' \
    "${good_write[@]}" "ctrl=$((write | static | 2 << 14))"
wrong "static channel of a multicast" noc-command 'needs class 2: bits 14-15 of NOC_CTRL' \
    "${good_write[@]}" "ctrl=$((write | static | multicast))" "back_tile=$(span 2 2 3 3)"
wrong "unknown atomic" noc-command \
    'at 0x8000 of worker \(2, 2\): atomic operations are 0 to 10: bits 12-15' \
    "${good_increment[@]}" len=0xb000
wrong "atomic that nobody describes" unimplemented \
    'at 0x8000 of worker \(2, 2\): atomic operation 2 \(INCR_GET_PTR\) is not modelled' \
    "${good_increment[@]}" len=0x2000
wrong "unknown format of an atomic" noc-command 'a parallel addition has formats' \
    "${good_increment[@]}" len=0x9003
wrong "accumulation" noc-accumulate 'does not work on this hardware: clear the bit' \
    "${good_write[@]}" "ctrl=$((write | accumulate))"
wrong "inline data for L1" noc-inline-l1 \
    'at 0x8000 of worker \(2, 2\): inline data reach registers only: stage them in L1' \
    "${good_inline[@]}" target=0x8000

# --- Linked transactions ---

request "${good_write[@]}" "ctrl=$((write | linked))"
wrong "another tile inside a linked transaction" noc-linked \
    'NoC 0: this request to raw \(3, 3\) comes inside a linked transaction to raw \(2, 2\) \(begun at pc 0x0000[0-9a-f]+ in cycle [0-9]+\): clear bit 6 of NOC_CTRL in its last request' \
    "${good_write[@]}" back_tile="$(at 3 3)"
request "${good_write[@]}" "ctrl=$((write | linked | static))"
wrong "another channel inside a linked transaction" noc-linked \
    'NoC 0: this request to raw \(2, 2\) is on virtual channel 1, not 0 \(begun at' \
    "${good_write[@]}" "ctrl=$((write | static | 1 << 13))"

# --- Multicasts and responses ---

wrong "multicast to nobody" noc-multicast \
    'multicast to 0x3000 of raw \(8, 2\) to \(9, 11\): no worker there takes it' "${good_write[@]}" \
    "ctrl=$((write | multicast | response))" "back_tile=$(span 8 2 9 11)"
wrong "multicast to oneself" noc-multicast \
    'raw \(1, 2\) to \(1, 2\): no worker there takes it \(the sender only with bit 17' \
    "${good_write[@]}" "ctrl=$((write | multicast | response))" "back_tile=$(span 1 2 1 2)"
wrong "multicast that leaves the NoC" noc-address \
    'the multicast rectangle \(1, 2\) to \(20, 0\) leaves NoC 0' "${good_write[@]}" \
    "ctrl=$((write | multicast | response))" "back_tile=$(span 1 2 20 0)"
warns=1 wrong "response to who does not wait" noc-credit \
    'worker \(3, 3\) gets a response of transaction id 0 .* the return coordinates are not' \
    "${good_read[@]}" "back_tile=$(at 3 3)"

# What the receiver finds has no instruction; the cycle is that in which the request left.
request "${good_write[@]}" "ctrl=$((write | multicast | response))" "back_tile=$(span 8 2 9 11)"
left=$((${#lines[@]} - 1)) # cycles: an instruction each
finish_program
expect "a fault without an instruction" 1 "^  cycle +$left\$" -- run "$work/noc.elf"
report "it has none" "$(grep instruction "$work/err")"
expect "a fault without an instruction, as JSON" 1 'out:"word": null' 'out:"disassembly": null' \
    "out:\"cycle\": $left,\$" -- run "$work/noc.elf" --json
lines=()
request "${good_read[@]}" target_tile="$(at 19 24)"
left=$((${#lines[@]} - 1))
finish_program
expect "a fault of host memory" 1 "^  cycle +$left\$" -- run "$work/noc.elf"
report "it has no instruction" "$(grep instruction "$work/err")"
lines=()

# --- What goes on ---

# Who ends without having waited for responses is told; not who has waited, or need not.
leftover() { # NAME KIND SETTING...: no barrier
    local name=$1 kind=$2 words
    shift 2
    request "$@"
    lines+=(ebreak)
    words=$("$PENROSE" asm --pc 0x1000 "${lines[@]}") || report "assembling: ${lines[*]}" "refused"
    make_elf "$work/noc.elf" $((0x1000)) "4096 7 ${words//$'\n'/ }"
    messages=${messages-1} expect "$name" 0 \
        ${kind:+"warning: guest fault noc-open: tile \(1, 2\) brisc at pc $where: the kernel ends and has not waited for this NoC $kind; noc_async_${kind}_barrier\(\) is missing"} \
        -- run "$work/noc.elf" --schedule "${schedule:-fast}"
    lines=()
}
leftover "a write without a barrier" write "${good_write[@]}"
leftover "a read without a barrier" read "${good_read[@]}"
leftover "an atomic without a barrier" atomic "${good_increment[@]}"
for seed in 1 2 3 4 5 6; do # also while it has not left
    schedule=random:$seed leftover "a write without a barrier, random:$seed" write "${good_write[@]}"
done
messages=0 leftover "a posted write" '' "${good_write[@]}" "ctrl=$write"
request "${good_write[@]}"
finish_program
expect "a write that has time to arrive" 0 'out:brisc +done +7' -- \
    run "$work/noc.elf" "--trace=$work/noc.ptrace"
expect "its packets as JSON" 0 'out:"kind":"noc","sent":true,"noc":0,"peer":\[' 'out:"agent":"noc","kind":"data"' -- \
    trace "$work/noc.ptrace" --json
lines=()

# A program that waits for the response of a request that a policy lets pass: it comes.
request "${good_read[@]}" target=0x400000
lines+=('lw a5, 0x208(s0)' "beq a5, zero, $((0x1000 + 4 * ${#lines[@]}))")
finish_program
messages=1 expect "a barrier behind a request that passes" 0 'warning: guest fault noc-address' \
    'out:brisc +done +7' -- run "$work/noc.elf" --policy noc-address=warn
lines=()

# One whose response goes elsewhere: a deadlock that says so.
request "${good_read[@]}" "back_tile=$(at 3 3)"
lines+=('lw a5, 0x208(s0)' "beq a5, zero, $((0x1000 + 4 * ${#lines[@]}))")
finish_program
messages=2 expect "a response that never comes" 4 'warning: guest fault noc-credit' \
    'deadlock: nothing can happen any more; unfinished: brisc$' \
    'brisc at pc .*0xffb20208 \(NoC 0: NIU_MST_RD_RESP_RECEIVED; no request is under way: an answer was' \
    'NoC 0, transaction id 0: responses are missing, and nothing is under way' -- \
    run "$work/noc.elf"
problem=
head -n 1 "$work/err" | grep -q 'warning: guest fault' || problem="it comes behind the deadlock"
report "the warning stands in front" "$problem"
lines=()

# Who changes registers of a request that has not departed; only --schedule random lets it wait.
request "${good_write[@]}"
lines+=('addi a3, zero, 20' 'sw a4, 0x40(s0)' 'sw zero, 4(s0)' 'addi a3, a3, -1'
    "bne a3, zero, $((0x1000 + 4 * (${#lines[@]} + 1)))")
finish_program
for seed in 1 2 3; do
    messages=2 expect "a command buffer that is busy, random:$seed" 0 \
        'warning: guest fault noc-busy-buffer: tile \(1, 2\) brisc at pc ' 'out:brisc +done +7' -- \
        run "$work/noc.elf" --schedule "random:$seed"
done
expect "a command buffer, in order" 0 'out:brisc +done +7' -- run "$work/noc.elf"
lines=()

# The same mistake often is one report; requests that are right go on.
request "${good_read[@]}" target=0x400000
lines+=('addi a3, zero, 100' 'sw a4, 0x40(s0)' 'addi a3, a3, -1'
    "bne a3, zero, $((0x1000 + 4 * (${#lines[@]} + 1)))")
request "${good_write[@]}"
request "${good_read[@]}" target=0x3000 back=0x9010
pause
request "${good_read[@]}" target=0x3000 back=0x9010
finish_program
messages=2 expect "the same mistake 100 times" 0 'repeated +99 times' 'out:00009010  11223344 55667788' \
    -- run "$work/noc.elf" --policy noc-address=warn "${looks[@]}" --dump 0x9010,8
expect "all of that in silence" 0 'out:00009010  11223344 55667788' -- \
    run "$work/noc.elf" --policy all=ignore "${looks[@]}" --dump 0x9010,8

finish
