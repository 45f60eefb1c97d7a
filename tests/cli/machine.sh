#!/bin/bash
# Small programs, made of words, under the options of `penrose run`: no compiler is needed.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

program() { # NAME WORD...: a program from address 0 on
    make_elf "$work/$1.elf" 0 "0 7 ${*:2}"
}

# --- Programs that end ---

program seven 00700513 00100073                     # li a0, 7; ebreak
program copy 000087b7 0007a503 00a7a223 00100073    # a0 = [0x8000]; [0x8004] = a0; ebreak
make_elf "$work/other.elf" 0x100 '0x100 5 ffd00513 00100073' # li a0, -3; ebreak

expect "done" 0 'out:^tile \(1, 2\): done after [0-9]+ cycles' 'out:brisc +done +7 +2 +0x0' -- \
    run "$work/seven.elf"
expect "another tile" 0 'out:^tile \(16, 11\): done' -- run "$work/seven.elf" --tile 16,11
expect "another hart" 0 'out:trisc2 +done +7' -- run --hart "trisc2=$work/seven.elf"
expect "two harts" 0 'out:brisc +done +7' 'out:ncrisc +done +-3' -- \
    run "$work/seven.elf" --hart "ncrisc=$work/other.elf"
for schedule in fast lockstep random:1 random:0xffff; do
    expect "schedule $schedule" 0 'out:brisc +done +5' 'out:0x00008000  00000005 00000005' -- \
        run "$work/copy.elf" --poke 0x8000=5 --dump 0x8000,8 --schedule "$schedule"
done
expect "poke several words, dump bytes" 0 'out:^0x00008001  00 00 00 ff  ' -- \
    run "$work/seven.elf" --poke 0x8000=1,0xff --dump 0x8001,4
expect "poke what cannot be" 2 '--poke: tile \(1, 2\): 0x00400000' -- \
    run "$work/seven.elf" --poke 0x400000=1
expect "dump what is not there" 2 '--dump: tile \(1, 2\): 0x00400000' -- \
    run "$work/seven.elf" --dump 0x400000,4
expect "JSON" 0 'out:"outcome": "done"' 'out:"exit_status": 0' 'out:"exit_value": 5' \
    'out:"address": "0x00008000"' -- \
    run "$work/copy.elf" --poke 0x8000=5 --dump 0x8000,8 --json

# --- Guest faults ---

program jump 004007b7 00078067         # to 0x400000
program odd 00200793 00078067          # to 2
program load 004007b7 0007a503         # from 0x400000
program store ff8007b7 00f7a023        # to 0xff800000
program misaligned 00f02123            # sw a5, 2(zero)
program illegal 00000013 ffffffff
program read-only ffef17b7 b0e7a023    # to 0xffef0b00, ThreadConfig
program zero 00002503 ffd00513 00100073 # lw a0, 0(zero); li a0, -3
program warned ff8007b7 00f7a023 00700513 00100073

faults() { # NAME KIND PC PATTERN...
    expect "fault: $1" 1 "guest fault $2: tile \(1, 2\) brisc at pc $3" 'cycle' "${@:4}" \
        'out:: fault after' -- run "$work/$1.elf"
}
faults jump bad-fetch 0x00400000
faults odd bad-fetch 0x00000002
faults load unmapped-address 0x00000004 '0x00400000' 'lw a0, 0\(a5\)'
faults store unmapped-address 0x00000004 '0xff800000' 'sw a5, 0\(a5\)' 'unmapped-address=warn'
faults misaligned misaligned-access 0x00000000 '0x00000002'
faults illegal illegal-instruction 0x00000004 'ffffffff'
faults read-only read-only-address 0x00000004 '0xffef0b00'

# Null pointers: one report for the loop, and what is done is done.
make_elf "$work/null.elf" 0x1000 '0x1000 5 00300793 00452503 fff78793 fe079ce3 00100073' # lw a0, 4(a0)
messages=1 expect "a null pointer" 0 'warning: guest fault null-access: .* brisc at pc 0x00001004' \
    'load from 0x00000004, where .*: a0 is 0x00000000' 'hint +the pointer in a0 was null' \
    'out:brisc +done +0 +11 ' -- run "$work/null.elf"
expect "a null pointer, in silence" 0 'out:brisc +done +0 +11 ' -- \
    run "$work/null.elf" --policy null-access=ignore
expect "a null pointer that stops" 1 'to go on +--policy null-access=warn' 'out:: fault after' -- \
    run "$work/null.elf" --policy null-access=stop
expect "a null pointer of who begins there" 0 'out:brisc +done +-3' -- run "$work/zero.elf"

# The line that scripts for ttsim look for, besides our own report. A warning is no error.
no_line() { report "and no line of ttsim" "$(grep '] ERROR: ' "$work/err")"; }
line='^\[1\] ERROR: UndefinedBehavior: unmapped_address: tile \(1, 2\) brisc at pc 0x00000004: load of 4 bytes'
no_line
PENROSE_ERROR_STYLE=ttsim faults load unmapped-address 0x00000004 "$line"
PENROSE_ERROR_STYLE=penrose faults load unmapped-address 0x00000004
no_line
PENROSE_ERROR_STYLE=ttsim messages=1 expect "a warning" 0 'warning: guest fault unmapped-address' -- \
    run "$work/warned.elf" --policy unmapped-address=warn
no_line
PENROSE_ERROR_STYLE=mine expect "no style of errors" 2 \
    "PENROSE_ERROR_STYLE: 'mine' is no style of errors; choose penrose or ttsim" -- run "$work/seven.elf"

# What a wrong pc or sp means: a jump to where nothing was loaded, one to data that the program has
# stored, a store to the stack below local RAM, and one there that is not to the stack.
program zeros 400000ef                            # jal ra, 0x400
program data 000087b7 fff00713 00e7a023 00078067  # [0x8000] = -1; jump there
program stack ffb00137 ff010113 00112623          # sp = 0xffb00000 - 16; sw ra, 12(sp)
program near ffb007b7 00008137 fef7ae23           # sw a5, -4(a5)
program none ff010113 00112623                    # addi sp, sp, -16; sw ra, 12(sp)
expect "fault: zeros" 1 'illegal-tensix-instruction: .* brisc at pc 0x00000400' \
    'hint +the code at 0x00000000 has jumped to 0x00000400 \(zeros are no instructions\)' -- \
    run "$work/zeros.elf"
faults data illegal-instruction 0x00008000 \
    'hint +the code at 0x0000000c has jumped to 0x00008000 \(no program is there\), as its code says'
faults stack unmapped-address 0x00000008 \
    'hint +the stack has overflowed: sp is 0xffaffff0, and local RAM begins at 0xffb00000'
expect "the hint as JSON" 1 'out:"hint": "the stack has overflowed' -- run "$work/stack.elf" --json
faults none unmapped-address 0x00000004 'hint +there is no stack: nobody has set sp.*crt0.S'
faults near unmapped-address 0x00000008
report "sp is elsewhere: no hint" "$(grep -w hint "$work/err")"
faults illegal illegal-instruction 0x00000004
report "within a program: no hint" "$(grep -w hint "$work/err")"
expect "fault as JSON" 1 'out:"outcome": "fault"' 'out:"kind": "unmapped-address"' \
    'out:"pc": "0x00000004"' 'out:"address": "0xff800000"' -- run "$work/store.elf" --json
messages=1 expect "policy warn" 0 'warning: guest fault unmapped-address' 'out:brisc +done +7' -- \
    run "$work/warned.elf" --policy unmapped-address=warn
expect "policy ignore" 0 'out:brisc +done +7' -- run "$work/warned.elf" --policy all=ignore

# A function without start-up code returns to address 0, where ra points at first: to itself, to
# code that stores what is there already or something new, and to where nothing is. A null pointer
# leads there, too, such as one to a function in the headers of an ELF.
nobody='has returned to address 0, since nobody had called it \(ra was 0\): .*ebreak.*crt0.S'
program again 00500513 00008067                   # li a0, 5; ret
program stores 000097b7 00f7a023 00008067         # [0x9000] = a5; ret
program adds 00150513 000097b7 00a7a023 00008067  # [0x9000] = ++a0; ret
make_elf "$work/away.elf" 0x1000 '0x1000 5 00500513 00008067'
make_elf "$work/null.elf" 0x1000 '0x1000 5 000780e7' '0 4 464c457f' # jalr ra, 0(a5)
expect "returns to itself" 4 "brisc at pc 0x00000000: the code at 0x00000004 $nobody" -- \
    run "$work/again.elf"
expect "returns to itself, and stores" 4 "brisc at pc .*: polls 0x00009000.*; the code at .* $nobody" -- \
    run "$work/stores.elf"
expect "returns to itself, and counts" 3 "brisc at pc .*: runs; the code at 0x0000000c $nobody" -- \
    run "$work/adds.elf" --max-cycles 10k
expect "returns to where nothing is" 1 'illegal-tensix-instruction: .* brisc at pc 0x00000000' \
    "hint +the code at 0x00001004 $nobody" -- run "$work/away.elf"
faults null illegal-instruction 0x00000000 'hint +the code at 0x00001000 has jumped to address 0: a pointer'

# A table and a report of who waits call the end of a program the same.
expect "one has ended, one waits" 4 'ncrisc at pc 0x00000104: done \(ebreak\)$' 'out:ncrisc +done +-3' -- \
    run "$work/again.elf" --hart "ncrisc=$work/other.elf"

# --- Programs that do not end ---

program self 0000006f                                        # j .
program count 000087b7 0007a503 00150513 00a7a023 ff5ff06f   # for (;;) ++[0x8000]
expect "endless loop without effect" 4 'deadlock' \
    'tile \(1, 2\) brisc at pc 0x00000000: endless loop without effect' 'out:: deadlock' -- \
    run "$work/self.elf"
expect "endless loop with effect" 3 'cycle limit.*brisc.*--max-cycles' 'out:: cycle-limit' -- \
    run "$work/count.elf" --max-cycles 100k
program clock ffb127b7 1f07a703 fe075ee3 0000006f # until the wall clock has counted to 2^31
expect "cycle limit of who waits for a time" 3 'unfinished after 1000000 cycles: brisc' \
    'brisc at pc .* polls the wall clock, until cycle' 'out:: cycle-limit after 1000000 cycles' -- \
    run "$work/clock.elf" --max-cycles 1M
expect "which is when it ended" 3 'out:"cycles": 1000000,' -- run "$work/clock.elf" --max-cycles 1M --json
expect "cycle limit as JSON" 3 'out:"outcome": "cycle-limit"' 'out:"waits"' -- \
    run "$work/count.elf" --max-cycles 1k --json

# Five harts wait: four for their mailboxes, NCRISC for a word in L1.
hart=0
harts=()
for name in brisc trisc0 trisc1 trisc2; do
    from=$((hart == 0)) # brisc waits for trisc0, the others for brisc
    make_elf "$work/wait-$name.elf" $((hart * 256)) \
        "$((hart * 256)) 5 ffec${from}7b7 0007a503 00100073" # a0 = [0xffec0000 + from << 12]
    harts+=("--hart=$name=$work/wait-$name.elf")
    hart=$((hart + 1))
done
make_elf "$work/wait-ncrisc.elf" 0x400 '0x400 5 000087b7 0007a503 fe050ee3 00100073'
expect "five harts wait" 4 'deadlock.*brisc, trisc0, trisc1, trisc2, ncrisc' \
    'brisc at pc 0x00000004: load from 0xffec1000 \(mailboxes\)' 'trisc0 at pc .*0xffec0000' \
    'trisc1 at pc' 'trisc2 at pc' 'ncrisc at pc 0x0000040[48]: polls 0x00008000' -- \
    run "${harts[@]}" "--hart=ncrisc=$work/wait-ncrisc.elf"
expect "one of two waits" 4 'deadlock.*unfinished: brisc$' 'out:ncrisc +done +-3' -- \
    run "${harts[0]}" --hart "ncrisc=$work/other.elf"

# --- Sets of kernels ---

PENROSE_KERNELS=reference expect "reference kernels" 0 'out:"kernels": "reference"' -- \
    run "$work/seven.elf" --json
PENROSE_KERNELS='' expect "the fastest kernels" 0 'out:"kernels": "(reference|avx2|avx512)"' -- \
    run "$work/seven.elf" --json
for set in avx2 avx512; do
    if ! PENROSE_KERNELS=$set "$PENROSE" run "$work/seven.elf" >/dev/null 2>&1; then
        PENROSE_KERNELS=$set expect "no $set here" 2 \
            "PENROSE_KERNELS: this host cannot run '$set'; this host has reference" -- \
            run "$work/seven.elf"
    else
        PENROSE_KERNELS=$set expect "kernels $set" 0 "out:\"kernels\": \"$set\"" -- \
            run "$work/seven.elf" --json
    fi
done
PENROSE_KERNELS=sse expect "unknown kernels" 2 \
    "PENROSE_KERNELS: there is no set of kernels 'sse'; this host has reference" -- \
    run "$work/seven.elf"

# --- Trace and unmodelled registers ---

program clock ffb127b7 1f07a503 00100073 # a0 = [0xffb121f0]
expect "trace" 0 '^ +0 +1,2 +brisc +0x00000000 ffb127b7  lui a5, 0xffb12' \
    'load +0xffb121f0 -> 0x[0-9a-f]{8}  4 bytes, ' 'ebreak' -- run "$work/clock.elf" --trace
expect "trace to a file" 0 -- run "$work/clock.elf" "--trace=$work/trace"
report "the file has the trace" "$(grep -q 'ebreak' "$work/trace" || echo "it has not")"
expect "trace to where nothing can be" 2 '--trace: cannot write /nowhere/trace' -- \
    run "$work/clock.elf" --trace=/nowhere/trace
messages=1 expect "no unmodelled register" 0 'nothing that is not modelled' -- \
    run "$work/seven.elf" --warn-unmodelled

# Fields that nothing reads: PERF_CNT_CMD twice and, which is but a scoreboard's, word 8 by SETC16; and
# Zero_Flag_disabled_dst by a store.
program fields c8b00006 c8200006 c8b00012 ffef07b7 00200713 00e7a423 00100073
messages=1 expect "fields that nothing reads" 0 \
    '^  SETC16 0x2c, 1: PERF_CNT_CMD_Cmd0Start set 1 times, first by tile \(1, 2\) trisc1 at pc 0x00000000' \
    '^  SETC16 0x2c, 4: PERF_CNT_CMD_Cmd1Start set 1 times, first by tile \(1, 2\) trisc1 at pc 0x00000008' \
    '^  0xffef0008 \(ALU_ACC_CTRL_Zero_Flag_disabled_dst\) written 1 times, .* at pc 0x00000014' -- \
    run --hart "trisc1=$work/fields.elf" --warn-unmodelled
report "no other is listed" "$([ "$(grep -c '^  ' "$work/err")" -eq 3 ] || cat "$work/err")"
messages=1 expect "fields as JSON" 0 'out:"range": "PERF_CNT_CMD_Cmd0Start"' 'out:"instruction": "0xb22c0001"' \
    'out:"address": "0xffef0c40"' 'out:"range": "ALU_ACC_CTRL_Zero_Flag_disabled_dst"' -- \
    run --hart "trisc1=$work/fields.elf" --warn-unmodelled --json

# --- disasm and info ---

expect "disasm words" 0 'out:^  0x00000100  00c12083  lw ra, 12\(sp\)' \
    'out:^  0x00000104  0410306f  jal zero, 0x3944' -- disasm 00c12083 0x0410306f --pc 0x100
expect "disasm a push" 0 'out:\.ttinsn' -- disasm 08000000
expect "disasm a push by name" 0 'out:  \.ttinsn SETC16 5, 0x10$' -- disasm c8140042
expect "disasm Tensix words" 0 'out:  SETC16 5, 0x10$' 'out:  NOP$' -- disasm --tensix b2050010 02000000
expect "asm" 0 'out:^00c12083$' 'out:^0410306f$' -- asm --pc 0x100 'lw ra, 12(sp)' 'jal zero, 0x3944'
expect "asm a push" 0 'out:^c8140042$' -- asm '.ttinsn SETC16 5, 0x10'
expect "asm a pushed number" 0 'out:^08000000$' -- asm '.ttinsn 0x02000000'
expect "asm Tensix" 0 'out:^b2050010$' -- asm --tensix 'TTI_SETC16 5, 0x10'
expect "asm as JSON" 0 'out:"0x00c12083"' -- asm 'lw ra, 12(sp)' --json
expect "asm of nonsense" 2 'frobnicate' -- asm 'frobnicate a0'
expect "asm of a bad operand" 2 'addi' -- asm 'addi a0, a0, 5000'
expect "asm of nothing" 2 'instructions' -- asm
expect "disasm a program" 0 'out:^  0x00000000  00700513  addi a0, zero, 7' 'out:ebreak' -- \
    disasm "$work/seven.elf"
expect "disasm as JSON" 0 'out:"text": "ebreak"' 'out:"exit_status": 0' -- \
    disasm "$work/seven.elf" --json
expect "disasm: no such symbol" 2 "no code has the symbol 'main'" -- \
    disasm "$work/seven.elf" --symbol main
expect "what is executed" 0 'out:^  SETC16 +0xb2  config +executed$' 'out:^  MPOOL3S1 +0x24  matrix +executed$' \
    'out:^  RSTDMA +0x44  none +not modelled$' 'out:^      found   assembly.yaml: a soft reset' \
    'out:^      sought  tt-isa-documentation' 'out:^128 of 137 are executed, 1 of them not in all forms' \
    'out:^  REG2FLOP +0x48  scalar +executed, but for one form$' \
    'out:^  ALU_ROUNDING_MODE_GS_LF +Config word 1, bits 13 to 13$' \
    'out:^  PERF_CNT_CMD_Cmd0Start +ThreadConfig word 44, bits 0 to 0$' -- info --isa
report "no instruction without what was sought" "$(awk '/not modelled$/ { stubs++ } /^      sought/ { sought++ }
    END { if (stubs != 9 || sought != 10) print stubs " are not modelled, " sought " were sought" }' "$work/out")"
expect "what is executed as JSON" 0 'out:"mnemonic": "RSTDMA"' 'out:"sought": "tt-isa' 'out:"kind": "results"' \
    'out:"name": "PERF_CNT_CMD_Cmd0Start"' -- info --isa --json
expect "what is executed, of a file" 2 '--isa goes without a file' -- info --isa "$work/seven.elf"
expect "what is executed, of a card" 2 'goes alone' -- info --isa --soc-descriptor p150a

expect "info" 0 'out:entry +0x00000000' 'out:0x00000000 +8 +8 +rwx' 'out:no debug information' -- \
    info "$work/seven.elf"
expect "info as JSON" 0 'out:"entry": "0x00000000"' 'out:"in_file": 8' -- \
    info "$work/seven.elf" --json

# --- Symbols and source lines, where there is a compiler ---

if [ -e "$GUESTS/hello.elf" ]; then
    expect "trace with symbols" 0 ' main\+0x[0-9a-f]+  firmware/bare/hello\.c:[0-9]+' -- \
        run "$GUESTS/hello.elf" --trace
    expect "disasm a symbol" 0 'out:^main:' 'out:^  ; firmware/bare/hello\.c:[0-9]+' -- \
        disasm "$GUESTS/hello.elf" --symbol main --source
    expect "disasm: a symbol misspelt" 2 "did you mean 'main'" -- \
        disasm "$GUESTS/hello.elf" --symbol mian
    expect "info with symbols" 0 'out:entry +0x00000000 _start' 'out:architecture +rv32i' \
        'out:source +firmware/bare/hello\.c:[0-9]+' 'out:symbols +[1-9][0-9]* functions' -- \
        info "$GUESTS/hello.elf"
    expect "a jump to nowhere, and the last call before it" 1 \
        'hint +jump_to_nowhere at fault\.c:[0-9]+ has jumped to 0x00400000, as its code says' \
        'last call .* in main' -- run "$GUESTS/fault-jump.elf"
    expect "calls right behind start-up code that the linker has shortened" 1 \
        '^  inlined at +firmware/bare/fault\.c:28$' -- run "$GUESTS/fault-store.elf"
else
    untested "symbols and source lines: no guest programs in $GUESTS"
fi

# --- Names of C++ and Rust, where there is a compiler ---

compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
if command -v "$compiler" >"$work/out" 2>&1; then
    cat >"$work/named.S" <<'END'
        .macro function name
        .globl \name
        .type \name, @function
\name:
        .endm
        function _start
        jal _ZN5guest4math3runEi
        function _ZN5guest4math3runEf
        nop
        function _ZN5guest4math3runEi
        jal _RNvXC5guestNtB2_1ANtC4core3Add3add
        function _RNvXC5guestNtB2_1ANtC4core3Add3add
        nop
        .word 0xffffffff
END
    "$compiler" -march=rv32im -mabi=ilp32 -nostdlib -Wl,--build-id=none -Wl,-Ttext=0x1000 \
        -o "$work/named.elf" "$work/named.S" || report "compiling" "$compiler failed"
    expect "a fault in Rust" 1 'brisc at pc 0x00001010 in <guest::A as core::Add>::add\+0x4: ' \
        'out:  <guest::A as core::Add>::add\+0x4$' -- run "$work/named.elf"
    expect "disasm: all functions of a name of C++" 0 'out:^  0x00001004  00000013' \
        'out:^  0x00001008  004000ef' 'out:^guest::math::run:$' -- \
        disasm "$work/named.elf" --symbol guest::math::run
    expect "disasm: a mangled name" 0 'out:^guest::math::run:$' 'out:^  0x00001008  004000ef' -- \
        disasm "$work/named.elf" --symbol _ZN5guest4math3runEi
    expect "disasm: a name of C++ misspelt" 2 "did you mean 'guest::math::run'" -- \
        disasm "$work/named.elf" --symbol guest::math::rum
    expect "looking where a function of Rust begins" 1 \
        'out:^at <guest::A as core::Add>::add, brisc of \(1, 2\), in cycle [0-9]+$' -- \
        run "$work/named.elf" --show dst --show-at '<guest::A as core::Add>::add'
else
    untested "names of C++ and Rust: no $compiler"
fi

finish
