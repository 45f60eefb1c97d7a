#!/bin/bash
# Bad input of the Vector Unit under `penrose run`: reserved modes, the flag stack's ends, load macros
# whose configuration is rubbish, and hazards. Each message names the instruction, who pushed it from
# where, what is wrong and what to do; what is skipped by policy has done nothing, and all else goes
# on, whatever the schedule. Programs that are bad in ways that the ISA defines run to their end.
# Programs are assembled by `penrose asm`.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
# shellcheck source=tests/cli/faults.bash
. "$(dirname "${BASH_SOURCE[0]}")/faults.bash" || exit 1

# What `wrong` starts from: Config and the unit as after power-on.
good=() prologue=() warns=

# lines INSTRUCTION...: sets `code` to lines that push them
lines() {
    local instruction
    code=()
    for instruction in "$@"; do
        code+=(".ttinsn $instruction")
    done
}

# Words are options.
modes=('--schedule fast' '--schedule lockstep' '--schedule random:5' '--timing timed')

# bad NAME INSTRUCTION TEXT INSTRUCTION...: `wrong` in trisc1, behind INSTRUCTIONs; the first of each
# instruction in each mode, too
bad() {
    local name=$1 instruction=$2 text=$3 the_kind=${kind:-undefined-operands} mode code
    shift 3
    lines "$@"
    wrong "$name" trisc1 "$instruction" "$text" -- "${code[@]}"
    [ -n "$first" ] || return
    # shellcheck disable=SC2086
    for mode in "${modes[@]}"; do
        expect "stop: $name, $mode" 1 "guest fault $the_kind: .*(scheduled |${instruction%% *}).*$text" \
            'out:00009000  00000000' -- run --hart "trisc1=$work/trisc1.elf" \
            --policy "$the_kind=stop" $mode "${looks[@]}"
        messages=1 expect "warn: $name, $mode" 0 \
            "warning: guest fault $the_kind: .*(scheduled |${instruction%% *}).*$text" "${went_on[@]}" -- \
            run --hart "trisc1=$work/trisc1.elf" --policy "$the_kind=warn" \
            $mode "${looks[@]}"
    done
}

# --- Reserved modes ---

bad "format of SFPLOADI" 'SFPLOADI 0, 3, 0x1234' \
    'Mod0 3, 5 to 7, 9 and 11 to 15 are reserved: use 0, 1, 2, 4, 8 or 10$'
bad "mode of SFPSHFT2" 'SFPSHFT2 0, 1, 2, 7' 'Mod1 7 to 15 are reserved: use 0 to 6$'
bad "rounding mode" 'SFP_STOCH_RND 3, 0, 0, 1, 2, 1' \
    'rounding mode 3 is reserved: 0 is to nearest, 1 stochastic, 2 to zero$'

# --- The flag stack ---

push='SFPPUSHC 0, 0, 0, 0' pop='SFPPOPC 0, 0, 0, 0'
bad "pop of nothing" "$pop" 'the flag stack is empty; each SFPPOPC with Mod1 0 takes back one SFPPUSHC'
bad "one pop too many" "$pop" 'the flag stack is empty' "$push" "$push" "$pop" "$pop"
bad "nine pushes" "$push" 'the flag stack is full, it has eight entries; SFPPOPC first' \
    "$push" "$push" "$push" "$push" "$push" "$push" "$push" "$push"
bad "change of a top that is not there" 'SFPPUSHC 0, 0, 0, 0xd' \
    'changes the top of the flag stack, which is empty; SFPPUSHC with Mod1 0 first$'

# --- Load macros ---

# What SFPCONFIG takes for a sequence, template or Misc: 32 bits in LReg[0].
# word VALUE: sets `load` to the two instructions that put it there
word() {
    load=("SFPLOADI 0, 8, $(($1 >> 16 & 0xffff))" "SFPLOADI 0, 10, $(($1 & 0xffff))")
}

macro='SFPLOADMACRO 0, 4, 7, 0'
bad "reserved source" "$macro" "source 1 in a macro's sequence is reserved: 0 schedules nothing, 2 an" \
    'SFPCONFIG 0x9, 4, 1'
word 0x04000000
bad "SFPNOP for the store" "$macro" \
    'the store sub-unit executes SFPSTORE alone: source 3 in the sequence schedules one, 0 nothing$' \
    "${load[@]}" 'SFPCONFIG 0, 4, 0'
word 0x03000000
bad "a store in some columns" "$macro" \
    'LoadMacroConfig has a store for some columns only; give one to all or to none$' \
    "${load[@]}" 'SFPCONFIG 0x5, 4, 8'

# A template is what the backdoor has taken: VD 12 is the first.
culprit='SFPPOPC 0, 0, 0xc, 0'
bad "pop of nothing by a macro" 'SFPNOP' 'SFPPOPC: the flag stack is empty' \
    'SFPPOPC 0, 0, 12, 0' 'SFPCONFIG 0x4, 4, 1' "$macro"

# --- Hazards: warnings ---

kind=vector-hazard warns=1
bad "what the stalls do not see" 'SFPIADD 0, 2, 3, 0' \
    'reads LReg\[3\] 1 cycle after SFPMAD wrote it; it comes after 2: put an SFPNOP between$' \
    'SFPMAD 0, 1, 2, 3, 0'
kind=vector-hazard
bad "SFPCONFIG" 'SFPCONFIG 0, 0xb, 0' 'reads LReg\[0\] 1 cycle after SFPMUL wrote it' \
    'SFPMUL 1, 2, 9, 0, 0'
kind=vector-hazard
bad "a sub-unit that is taken" 'SFPABS 0, 1, 2, 0' \
    'is discarded: a scheduled SFPIADD takes the simple sub-unit in this cycle; put an SFPNOP before it$' \
    'SFPIADD 1, 0, 12, 5' 'SFPCONFIG 0x4, 4, 1' "$macro"
warns=

# A hazard is a warning unless the user says otherwise.
lines 'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0'
program trisc1 "${code[@]}"
messages=1 expect "a hazard by default" 0 'warning: guest fault vector-hazard: ' 'out:trisc1 +done' -- \
    run --hart "trisc1=$work/trisc1.elf"
lines 'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0' 'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0' \
    'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0'
program trisc1 "${code[@]}"
messages=1 expect "an unrolled loop has one" 0 'repeated +2 times' 'out:trisc1 +done' -- \
    run --hart "trisc1=$work/trisc1.elf"
lines 'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0' 'SFPMAD 0, 1, 2, 4, 0' 'SFPIADD 0, 2, 4, 0' \
    'SFPMUL 0, 1, 9, 3, 0' 'SFPIADD 0, 2, 3, 0'
program trisc1 "${code[@]}"
messages=3 expect "other registers and other writers are told apart" 0 'SFPIADD reads LReg\[3\].*SFPMAD' \
    'SFPIADD reads LReg\[4\].*SFPMAD' 'SFPIADD reads LReg\[3\].*SFPMUL' 'out:trisc1 +done' -- \
    run --hart "trisc1=$work/trisc1.elf"
lines 'SFPMAD 0, 1, 2, 3, 0' 'SFPIADD 0, 2, 3, 0'
program trisc1 "${code[@]}"
expect "a hazard as JSON" 1 'out:"outcome": "fault"' 'out:"kind": "vector-hazard"' 'out:"thread": 1' \
    'out:"rule": "SFPIADD reads LReg\[3\]' -- \
    run --hart "trisc1=$work/trisc1.elf" --json --policy vector-hazard=stop

# --- No faults ---

# fine NAME INSTRUCTION...: they run to their end in each mode, and what is behind them too
fine() {
    local name=$1 mode code
    shift
    lines "$@"
    program trisc1 "${code[@]}" "${behind[@]}"
    # shellcheck disable=SC2086
    for mode in "${modes[@]}"; do
        expect "fine: $name, $mode" 0 'out:trisc1 +done' "${went_on[@]}" -- run \
            --hart "trisc1=$work/trisc1.elf" $mode --max-cycles 100k "${looks[@]}"
    done
}

wait='STALLWAIT 0x1ff, 0x800'
fine "modes that silicon makes something of" 'SFPSHFT 0, 1, 2, 4' 'SFPSHFT 0, 1, 2, 15' \
    'SFPCAST 1, 2, 15' 'SFPLZ 0, 1, 2, 1' 'SFPSWAP 0, 1, 2, 12' 'SFPMOV 0, 1, 2, 6' \
    'SFPCONFIG 0, 9, 0' 'SFPCONFIG 0xffff, 10, 15' 'SFP_STOCH_RND 0, 0, 0, 14, 14, 14'
fine "peeks at an empty stack" 'SFPPOPC 0, 0, 0, 3' 'SFPPOPC 0, 0, 0, 13' 'SFPCOMPC 0, 0, 0, 0'
fine "the ends of Dst" 'SETRWC 0, 0, 15, 15, 15, 0x14' 'SFPLOAD 1, 4, 7, 0x3ff' \
    'SFPSTORE 1, 4, 7, 0x3ff' 'SFPSTORE 1, 0xa, 7, 0x3ff' 'SFPLOAD 2, 0xa, 7, 0x3ff'
fine "a template that is a macro" 'SFPLOADI 0, 8, 0x9300' 'SFPLOADI 0, 10, 0' 'SFPCONFIG 0, 0, 0' \
    'SFPCONFIG 0x2424, 4, 1' 'SFPCONFIG 0xf00, 8, 1' "$macro" "$macro" "$macro" "$wait" 'NOP'
fine "a wait for what counts instructions" 'SFPIADD 1, 0, 12, 5' 'SFPCONFIG 0x3c, 4, 1' \
    'SFPCONFIG 0x100, 8, 1' "$macro" "$wait" 'NOP' "$wait" 'NOP'
fine "a wait for what counts cycles" 'SFPIADD 1, 0, 12, 5' 'SFPCONFIG 0x3c, 4, 1' "$macro" "$wait" \
    'NOP'

# The hart ends while its thread has something scheduled.
lines 'SFPIADD 1, 0, 12, 5' 'SFPCONFIG 0x3c, 4, 1' 'SFPCONFIG 0x100, 8, 1' "$macro"
drain=()
program trisc1 "${code[@]}"
# shellcheck disable=SC2086
for mode in "${modes[@]}"; do
    expect "the end comes first, $mode" 0 'out:trisc1 +done' -- run \
        --hart "trisc1=$work/trisc1.elf" $mode --max-cycles 100k
done

finish
