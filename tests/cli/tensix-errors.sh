#!/bin/bash
# Bad programs for the coprocessor under `penrose run`: each message names the instruction with its
# operands, the thread, the hart that pushed it with its pc, and what to do; a deadlock names what
# every thread waits for. Programs are assembled by `penrose asm`, so that no compiler is needed.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# A TRISC waits here until its thread has executed all that it has pushed.
drain=('lui a5, 0xffe80' 'sw zero, 4(a5)' 'lw a0, 4(a5)')

# program HART LINE...: one for that hart, in 4 KiB of its own (brisc from 0x1000, trisc0 from 0x2000,
# ..., ncrisc from 0x5000). It ends in ebreak.
program() {
    local hart=$1 base words
    shift
    case $hart in brisc) base=0x1000 ;; trisc0) base=0x2000 ;; trisc1) base=0x3000 ;;
        trisc2) base=0x4000 ;; *) base=0x5000 ;; esac
    words=$("$PENROSE" asm "$@" ebreak) || report "assembling: $*" "refused"
    make_elf "$work/$hart.elf" $((base)) "$((base)) 7 ${words//$'\n'/ }"
}

# started HART...: sets `harts` to the options that start their programs
started() {
    local hart
    harts=()
    for hart in "$@"; do
        harts+=("--hart=$hart=$work/$hart.elf")
    done
}

# A program of trisc1 with a wrong instruction is a guest fault, and the run ends. Once for each kind
# also as JSON, and what becomes of it under other policies.
# wrong NAME KIND PC INSTRUCTION TEXT -- LINE...
wrong() {
    local name=$1 kind=$2 pc=$3 instruction=$4 text=$5
    shift 6
    program trisc1 "$@" '.ttinsn SEMPOST 0x80' "${drain[@]}"
    expect "fault: $name" 1 "to go on +--policy $kind=warn" "instruction +[0-9a-f]{8}  $instruction\$" \
        "guest fault $kind: tile \(1, 2\) tensix thread 1, pushed by trisc1 at pc $pc: .*$text" \
        'rule  +[a-zA-Z]' 'out:: fault after' -- run --hart "trisc1=$work/trisc1.elf"
    is_first "$kind" || return
    expect "fault as JSON: $name" 1 'out:"outcome": "fault"' "out:\"kind\": \"$kind\"" \
        "out:\"pc\": \"$pc\"" 'out:"thread": 1' 'out:"hart": "trisc1"' -- \
        run --hart "trisc1=$work/trisc1.elf" --json
    messages=1 expect "fault, policy warn: $name" 0 "warning: guest fault $kind: .*$text" \
        'out:trisc1 +done' -- run --hart "trisc1=$work/trisc1.elf" --policy "$kind=warn"
}

# The same, where the default is a warning: the run goes on, unless it is told to stop. All runs have
# `options`.
options=()
# doubtful NAME KIND PC INSTRUCTION TEXT -- LINE...
doubtful() {
    local name=$1 kind=$2 pc=$3 instruction=$4 text=$5
    shift 6
    program trisc1 "$@" "${drain[@]}"
    messages=1 expect "warning: $name" 0 "instruction +[0-9a-f]{8}  $instruction\$" \
        "warning: guest fault $kind: .* tensix thread 1, pushed by trisc1 at pc $pc: .*$text" \
        'out:trisc1 +done' -- run --hart "trisc1=$work/trisc1.elf" "${options[@]}"
    is_first "$kind" || return
    expect "warning, policy stop: $name" 1 "guest fault $kind: .* at pc $pc: .*$text" \
        'out:: fault after' -- run --hart "trisc1=$work/trisc1.elf" --policy "$kind=stop" \
        "${options[@]}"
    expect "warning, policy ignore: $name" 0 'out:trisc1 +done' -- \
        run --hart "trisc1=$work/trisc1.elf" --policy "$kind=ignore" "${options[@]}"
}

# --- Wrong instructions ---

wrong "unknown opcode" illegal-tensix-instruction 0x00003004 '.word 0x06000000.*' \
    '0x06000000 is no instruction' -- 'addi a0, a0, 1' '.ttinsn .word 0x06000000'
wrong "reserved bits" illegal-tensix-instruction 0x00003000 '.word 0x02000100.*' \
    'NOP with reserved bits 0x100' -- '.ttinsn .word 0x02000100'
wrong "reserved bits of an operand" illegal-tensix-instruction 0x00003000 '.word 0xa7204000.*' \
    'STREAMWAIT with reserved bits 0x4000' -- '.ttinsn .word 0xa7204000'
wrong "instruction that nobody knows" unimplemented 0x00003008 'RAREB' \
    'RAREB: no public source says what it does; remove it' -- \
    '.ttinsn NOP' '.ttinsn NOP' '.ttinsn RAREB'
wrong "MOP that contains MOP" bad-expansion 0x00003010 'MOP 0, 0, 0' \
    'MOP 0, 0, 0 reached the wait gate' -- 'lui a5, 0xffb80' 'lui a4, 0x1000' 'sw zero, 4(a5)' \
    'sw a4, 12(a5)' '.ttinsn MOP 0, 0, 0'
wrong "REPLAY of more than the buffer" bad-expansion 0x00003000 'REPLAY 0, 0x21, 0, 0' \
    'more than 32' -- '.ttinsn REPLAY 0, 33, 0, 0'
wrong "REPLAY inside REPLAY" bad-expansion 0x00003010 'REPLAY 0, 2, 0, 0' \
    'REPLAY 0, 2, 0, 0 reached the wait gate' -- '.ttinsn REPLAY 4, 2, 0, 1' '.ttinsn NOP' \
    '.ttinsn REPLAY 0, 2, 0, 0' 'addi a0, a0, 1' '.ttinsn REPLAY 4, 2, 0, 0'
wrong "mutex that does not exist" hardware-hang 0x00003004 'ATGETM 1' \
    'ATGETM: there is no mutex 1, .*; there are 0, 2, 3 and 4' -- '.ttinsn NOP' '.ttinsn ATGETM 1'
wrong "release of a mutex that does not exist" hardware-hang 0x00003000 'ATRELM 5' \
    'ATRELM: there is no mutex 5' -- '.ttinsn ATRELM 5'

doubtful "semaphore above 15" semaphore-range 0x00003004 'SEMPOST 0x48' \
    'SEMPOST: semaphores 3 and 6 are 15 already, .* wait with SEMWAIT' -- \
    '.ttinsn SEMINIT 2, 15, 0x48' '.ttinsn SEMPOST 0x48'
doubtful "semaphore below 0" semaphore-range 0x00003000 'SEMGET 0x80' \
    'SEMGET: semaphore 7 is 0 already, .* wait with SEMWAIT' -- '.ttinsn SEMGET 0x80'
doubtful "mutex of nobody" mutex-not-held 0x00003000 'ATRELM 2' \
    'thread 1 does not hold mutex 2 \(nobody does\), .* ATGETM' -- '.ttinsn ATRELM 2'
options=(--timing timed)
doubtful "GPR read before a load is there" gpr-hazard 0x00003004 'ADDDMAREG 1, 9, 5, 8' \
    'ADDDMAREG reads GPR 8 before the result of LOADREG of trisc1 at pc 0x00003000 is there; STALLWAIT\(STALL_THCON, THCON\)' \
    -- '.ttinsn LOADREG 8, 0x8000' '.ttinsn ADDDMAREG 1, 9, 5, 8'
expect "the same in a functional run" 0 'out:trisc1 +done' -- run --hart "trisc1=$work/trisc1.elf"

# thread 0 takes the mutex and posts; thread 1 waits for that, and releases it.
program trisc0 '.ttinsn ATGETM 3' '.ttinsn SEMPOST 1'
program trisc1 '.ttinsn SEMWAIT 0x1ff, 1, 1' '.ttinsn ATRELM 3' "${drain[@]}"
started trisc0 trisc1
messages=1 expect "warning: mutex of another thread" 0 \
    'thread 1, .* at pc 0x00003004: .*thread 1 does not hold mutex 3 \(thread 0 does\)' -- \
    run "${harts[@]}"

# B pushes to thread 2; it is the culprit, and not the TRISC of that thread.
program brisc 'lui a5, 0xffe60' 'lui a4, 0xa0000' 'addi a4, a4, 1' 'sw a4, 0(a5)'
expect "fault: pushed by brisc" 1 \
    'tensix thread 2, pushed by brisc at pc 0x0000100c: ATGETM: there is no mutex 1' -- \
    run "$work/brisc.elf"

program ncrisc 'addi a0, a0, 1' '.ttinsn SEMPOST 1'
expect "fault: ncrisc cannot push" 1 \
    'guest fault unmapped-address: tile \(1, 2\) ncrisc at pc 0x00005004' '\.ttinsn' -- \
    run --hart "ncrisc=$work/ncrisc.elf"

# --- Deadlocks: exit code 4, at once ---

# deadlock NAME "HART..." PATTERN...: the programs of these harts wait for ever, whatever the schedule
deadlock() {
    local name=$1 names=$2 schedule
    # shellcheck disable=SC2086
    started $names
    shift 2
    for schedule in fast lockstep random:5; do
        expect "deadlock: $name, $schedule" 4 "deadlock.*unfinished: ${names// /, }\$" "$@" \
            'out:: deadlock after' -- run "${harts[@]}" --schedule "$schedule" --max-cycles 10M
    done
}

stuck='its thread has not executed all that was pushed'

program trisc0 '.ttinsn ATGETM 2' '.ttinsn SEMPOST 1' '.ttinsn SEMWAIT 0x1ff, 2, 1' \
    '.ttinsn ATGETM 3' "${drain[@]}"
program trisc1 '.ttinsn ATGETM 3' '.ttinsn SEMPOST 2' '.ttinsn SEMWAIT 0x1ff, 1, 1' \
    '.ttinsn ATGETM 2' "${drain[@]}"
deadlock "two mutexes" "trisc0 trisc1" "trisc0 at pc 0x00002018: load from 0xffe80004 .*: $stuck" \
    "trisc1 at pc 0x00003018: load from 0xffe80004 .*: $stuck" \
    'tile \(1, 2\) tensix thread 0, pushed by trisc0 at pc 0x0000200c: ATGETM 3 waits for mutex 3, which thread 1 holds' \
    'tile \(1, 2\) tensix thread 1, pushed by trisc1 at pc 0x0000300c: ATGETM 2 waits for mutex 2, which thread 0 holds'
expect "deadlock as JSON" 4 'out:"outcome": "deadlock"' 'out:ATGETM 3 waits for mutex 3' \
    'out:"exit_status": 4' -- run "${harts[@]}" --json

program trisc2 '.ttinsn SEMWAIT 0x1ff, 0x20, 1' '.ttinsn NOP' "${drain[@]}"
deadlock "semaphore that nobody posts" trisc2 \
    'tensix thread 2, pushed by trisc2 at pc 0x00004000: SEMWAIT 0x1ff, 0x20, 1: semaphore 5 is 0, and nobody has posted it; it holds NOP'
program trisc2 '.ttinsn SEMINIT 3, 3, 0x20' '.ttinsn SEMWAIT 2, 0x20, 2' '.ttinsn SEMPOST 0x20' \
    "${drain[@]}"
deadlock "semaphore that nobody takes" trisc2 \
    'at pc 0x00004004: SEMWAIT 2, 0x20, 2: semaphore 5 is 3, not below its maximum 3; it holds SEMPOST 0x20'
program trisc2 '.ttinsn STALLWAIT 0x40, 0x80' '.ttinsn INCRWC 0, 0, 0, 1' "${drain[@]}"
deadlock "SrcA that is never valid" trisc2 \
    'at pc 0x00004000: STALLWAIT 0x40, 0x80: .*SrcA.*; it holds INCRWC 0, 0, 0, 1'
program trisc2 '.ttinsn STREAMWAIT 0x80, 5, 1, 0' '.ttinsn SETC16 1, 1' "${drain[@]}"
deadlock "stream that receives nothing" trisc2 \
    'at pc 0x00004000: STREAMWAIT 0x80, 5, 1, 0: stream 0 has received messages 0, not yet 5; it holds SETC16 1, 1'

# The post that would help stands behind a queue that is full.
nops=()
for _ in {1..40}; do
    nops+=('.ttinsn NOP')
done
program trisc0 '.ttinsn SEMWAIT 0x1ff, 1, 1' "${nops[@]}" 'lui a5, 0xffe80' 'sw zero, 0x20(a5)'
deadlock "full queue" trisc0 'trisc0 at pc .* store to 0xffe40000 .*: its thread.s queue is full' \
    'at pc 0x00002000: SEMWAIT 0x1ff, 1, 1: semaphore 0 is 0, .*; it holds NOP'

# --- Harts that are done before their threads are ---

program trisc0 '.ttinsn SEMWAIT 0x1ff, 1, 1' '.ttinsn SEMPOST 2' 'addi a0, zero, 0' 'ebreak'
started trisc0
messages=1 expect "leftovers" 0 'warning: the harts are done, but the coprocessor still waits:' \
    'tensix thread 0, pushed by trisc0 at pc 0x00002000: SEMWAIT 0x1ff, 1, 1: semaphore 0 is 0, .*; it holds SEMPOST 2' \
    'out:trisc0 +done' -- run "${harts[@]}"

# --- Source lines, where there is a compiler ---

compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
if command -v "$compiler" >"$work/out" 2>&1; then
    cat >"$work/kernel.c" <<'END'
#define PUSH *(volatile unsigned *)0xffe40000 /* GNU as gives a .word no line of its own */
void _start(void)
{
    PUSH = 0x02000000;
    PUSH = 0xa1000002; /* line 5: ATRELM 2 */
    PUSH = 0xa6ff8005; /* line 6: SEMWAIT */
    PUSH = 0x02000000;
    *(volatile unsigned *)0xffe80004 = 0;
    *(volatile unsigned *)0xffe80004; /* line 9 */
}
END
    (cd "$work" && "$compiler" -march=rv32im -mabi=ilp32 -O1 -g -nostdlib -ffreestanding \
        -Wl,--build-id=none -Wl,-Ttext=0x6000 kernel.c -o kernel.elf) ||
        report "compiling" "$compiler failed"
    messages=2 expect "source lines" 4 \
        'thread 0, pushed by trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:5: ATRELM' \
        'trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:9: load from 0xffe80004' \
        'tensix thread 0, pushed by trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:6: SEMWAIT .*; it holds NOP' \
        -- run --hart "trisc0=$work/kernel.elf"
else
    untested "source lines: no $compiler"
fi

finish
