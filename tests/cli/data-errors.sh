#!/bin/bash
# Bad input of unpackers, Matrix Unit and packer under `penrose run`: each message names the
# instruction, who pushed it from where, what is wrong with its number, and what to look at. What is
# skipped by policy has done nothing, and all else goes on; a deadlock says which bank of Src is
# missing and who holds it; a race on configuration names both sides. Programs are assembled by
# `penrose asm`; those that show source lines need the cross compiler.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
# shellcheck source=tests/cli/faults.bash
. "$(dirname "${BASH_SOURCE[0]}")/faults.bash" || exit 1

# Words of Config, and the fields in them that programs here set.
alu=1 relu=2 pack_xy=12 pack_in=16 unpack_strides=56
tile0=64 # x_dim << 16 | uncompressed << 4 | in_data_format, then z_dim << 16 | y_dim
pack_to=69 pack_formats=70 pack_modes=71 out0=72 base0=76 tile1=112 out1=120
base1=124
unpack_a='UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1'
unpack_b='UNPACR 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1'
pack='PACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1'

# An unpacker and a packer that work: 16 data of Float16_b from 0x10010 on to either Src, and Dst as
# Float16_b to 0x8010.
good=("$tile0=0x100015" "$((tile0 + 1))=0x10010" "$((tile0 + 2))=1" "$out0=5" "$base0=0x1000"
    "$tile1=0x100015" "$((tile1 + 1))=0x10010" "$((tile1 + 2))=1" "$out1=5" "$base1=0x1000"
    "$alu=0xa000000" "$pack_to=0x800" "$pack_formats=0x551")
sixteen=('.ttinsn SETADCXX 3, 15, 0' '.ttinsn SETADCXX 4, 15, 0')

# --- Faults ---

# What `wrong` starts from.
prologue=("${sixteen[@]}")

wrong "block format to Float32" trisc0 "$unpack_a" \
    'unpacker 0: cannot convert format 6 \(Bfp8_b\) to 0 \(Float32\) in SrcA; see' \
    $tile0=0x100016 $out0=0 --
wrong "formats of unpacker 1" trisc0 "$unpack_b" \
    'unpacker 1: cannot convert format 8 \(Int32\) to 5 \(Float16_b\) in SrcB; see' \
    $tile1=0x100018 --
wrong "formats to Dst" trisc0 "$unpack_a" \
    'cannot convert format 1 \(Float16\) to 5 \(Float16_b\) in Dst; see' \
    $tile0=0x100011 $out0=0x805 --
wrong "no format" trisc0 "$unpack_a" 'format 12 \(no format\) to 5' $tile0=0x10001c --
wrong "tile beyond L1" trisc0 "$unpack_a" \
    'a datum at 0x00180000 is not in L1, which ends at 0x00180000; see THCON_SEC0_REG3_Base_address' \
    $base0=0x17ffe --
wrong "tile far beyond L1" trisc0 "$unpack_b" \
    'a datum at 0x10000010 is not in L1, .* see THCON_SEC1_REG3_Base_address' $base1=0x1000000 --
wrong "data of a block tile beyond L1" trisc0 "$unpack_a" \
    'a datum at 0x00180000 is not in L1' $tile0=0x100016 $out0=6 $base0=0x17ffe --
wrong "block tile beyond L1" trisc0 "$unpack_a" 'a datum at 0x00180010 is not in L1' \
    $tile0=0x100016 $out0=6 $base0=0x17fff --
wrong "X1 before X0" trisc0 "$unpack_a" \
    'its rows end before datum 4 and start at datum 8; set X0 and X1 with SETADCXX' -- \
    '.ttinsn SETADCXX 1, 3, 8'
wrong "rows beyond a set of SrcA" trisc0 "$unpack_a" \
    'output reaches row 16 of a set of 16 rows of SrcA; SRCA_SET_SetOvrdWithAddr reaches all' -- \
    '.ttinsn SETADCXX 1, 335, 0'
wrong "counters of no thread" trisc0 'UNPACR 0, 0, 0, 0, 3, 1, 1, 0, 0, 0, 0, 0, 1' \
    'there are counters of threads 0 to 2, not 3' --
wrong "context of unpacker 1" trisc0 'UNPACR 1, 0, 0, 2, 0, 1, 1, 0, 0, 0, 0, 0, 1' \
    'unpacker 1: it has contexts 0 and 1, not 2' --
wrong "upsampling with Tileize_mode" trisc0 "$unpack_a" 'Tileize_mode goes with neither upsampling' \
    $out0=0x1205 --
wrong "shift to Dst" trisc0 "$unpack_a" 'on the way to Dst there is no Shift_amount' \
    $out0=0x10805 --
wrong "output between data" trisc0 "$unpack_a" \
    'output address 0x3 .* is no multiple of the 2 bytes of a datum' $unpack_strides=0x30000 -- \
    '.ttinsn SETADC 1, 1, 1, 1'

valid=('.ttinsn SETDVALID 3')
wrong "exponents of 5 and 8 bits" trisc1 'MVMUL 0, 0, 0, 0' \
    'SrcA is Float16, SrcB is Float16_b: exponents of 5 bits and of 8 bits do not mix' \
    $alu=0x0aa20000 -- '.ttinsn SETC16 2, 1' '.ttinsn SETC16 3, 1' "${valid[@]}"
wrong "no format in SrcB" trisc1 'ELWADD 0, 0, 0, 0, 0' 'format 13 of SrcB is none; configure' \
    $alu=0x0baa0000 -- '.ttinsn SETC16 2, 1' '.ttinsn SETC16 3, 1' "${valid[@]}"
wrong "mode of ZEROACC" trisc1 'ZEROACC 4, 0, 0, 0, 0' \
    'no mode 4: 0 one row, 1 16 rows, 2 half, 3 all of Dst' --

wrong "formats of Dst" trisc2 "$pack" \
    'Dst of 16 bits cannot give Int32 \(ALU_FORMAT_SPEC_REG2_Dstacc\)' $alu=0x10000000 --
wrong "no format to L1" trisc2 "$pack" 'Out_data_format is 12, which is no format' \
    $pack_formats=0x5c1 --
wrong "In_data_format" trisc2 "$pack" \
    'In_data_format is Float16, but ALU_FORMAT_SPEC_REG2_Dstacc Float16_b' $pack_formats=0x151 --
wrong "formats to L1" trisc2 "$pack" \
    'cannot make Int8 \(THCON_SEC0_REG1_Out_data_format\) of Float16_b' $pack_formats=0x5e1 --
wrong "output beyond L1" trisc2 "$pack" \
    'output at 0x180000 does not fit in L1, which ends at 0x180000; see THCON_SEC0_REG1_L1_Dest_addr' \
    $pack_to=0x17fff --
wrong "second row beyond L1" trisc2 'PACR 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1' \
    'does not fit in L1, which ends at 0x180000' $pack_to=0x17ffd --
wrong "columns beyond a row" trisc2 "$pack" \
    'X from 0 to 16 \(channels 0 and 1 of the packer.s ADC\) .* 0 to 15' -- \
    '.ttinsn SETADCXX 4, 16, 0'
wrong "no columns" trisc2 "$pack" 'X from 9 to 3' -- '.ttinsn SETADCXX 4, 3, 9'
wrong "interfaces beyond a group" trisc2 'PACR 0, 0, 0, 0, 0, 0, 0xf, 0, 0, 0, 0, 1' \
    'ReadIntfSel 0xf from row 2 of Dst goes beyond its group of four rows' \
    $pack_xy=0x200002 -- '.ttinsn SETADC 4, 0, 1, 2'
wrong "input between data" trisc2 "$pack" 'input address 0x1 is not a multiple of the 2 bytes' \
    $pack_in=1 --
wrong "threshold below zero" trisc2 "$pack" 'ReluThreshold 0xbf80 is negative' \
    $relu=$((0xbf80 << 6 | 2 << 2)) --
cp "$work/trisc2.elf" "$work/relu.elf"
kind=unimplemented
wrong "sums of blocks" trisc2 "$pack" \
    'THCON_SEC0_REG1_Pack_L1_Acc adds Float32, Float16 and Float16_b; no source says .* Bfp8_b' \
    $pack_formats=0x561 $pack_modes=0x80000 --

expect "fault as JSON" 1 'out:"outcome": "fault"' 'out:"kind": "undefined-operands"' \
    'out:"thread": 2' 'out:"hart": "trisc2"' 'out:"rule": "PACR: STACC_RELU_ReluThreshold 0xbf80' -- \
    run --hart "trisc2=$work/relu.elf" --json

# --- Deadlocks through banks of SrcA and SrcB: exit code 4, at once ---

# deadlock NAME "HART..." PATTERN...: the programs of these harts wait for ever, whatever the schedule
deadlock() {
    local name=$1 names=$2 hart harts=() schedule
    shift 2
    for hart in $names; do
        harts+=("--hart=$hart=$work/$hart.elf")
    done
    for schedule in fast lockstep random:5; do
        expect "deadlock: $name, $schedule" 4 "deadlock.*unfinished: ${names// /, }\$" "$@" \
            'out:: deadlock after' -- run "${harts[@]}" --schedule "$schedule" --max-cycles 10M
    done
}

nobody_unpacks='which the unpackers hold: nothing has set its dvalid, as UNPACR with flip_src and SETDVALID do'
nobody_clears='which the Matrix Unit holds: nothing has cleared its dvalid, as SETRWC, CLEARDVALID'
stuck='its thread has not executed all that was pushed'
configure "${good[@]}"
unpacks=("${config[@]}" "${sixteen[@]}")
first=$((0x2000 + 4 * ${#unpacks[@]})) # the pc behind them in trisc0

program trisc1 '.ttinsn MVMUL 0, 0, 0, 0'
deadlock "no data" trisc1 \
    "tensix thread 1, pushed by trisc1 at pc 0x00003000: MVMUL 0, 0, 0, 0 waits for bank 0 of SrcA, $nobody_unpacks" \
    "trisc1 at pc 0x0000300c: load from 0xffe80004 .*: $stuck"
program trisc1 '.ttinsn SETDVALID 1' '.ttinsn ELWADD 0, 0, 0, 0, 0'
deadlock "no data in SrcB" trisc1 \
    "at pc 0x00003004: ELWADD 0, 0, 0, 0, 0 waits for bank 0 of SrcB, $nobody_unpacks"
program trisc1 '.ttinsn SETDVALID 3' '.ttinsn MVMUL 3, 0, 0, 0' '.ttinsn MVMUL 0, 0, 0, 0'
deadlock "data are used up" trisc1 \
    "at pc 0x00003008: MVMUL 0, 0, 0, 0 waits for bank 1 of SrcA, $nobody_unpacks"

program trisc0 "${unpacks[@]}" ".ttinsn $unpack_b" ".ttinsn $unpack_b" '.ttinsn NOP' \
    ".ttinsn $unpack_b"
deadlock "nobody takes SrcB" trisc0 \
    "thread 0, pushed by trisc0 at pc $(printf '0x%08x' $((first + 12))): $unpack_b waits in unpacker 1 for bank 0 of SrcB, $nobody_clears"
program trisc0 "${unpacks[@]}" ".ttinsn $unpack_a" ".ttinsn $unpack_a" \
    '.ttinsn UNPACR_NOP 0, 0, 0, 0, 0, 1, 0, 0, 1'
deadlock "clearing waits, too" trisc0 \
    "at pc $(printf '0x%08x' $((first + 8))): UNPACR_NOP .* waits for bank 0 of SrcA, $nobody_clears"

# Four tiles for SrcA before the first one for SrcB: each side waits for the other. (The third one waits
# in its unpacker, and lets what is behind it go on.)
program trisc0 "${unpacks[@]}" ".ttinsn $unpack_a" ".ttinsn $unpack_a" ".ttinsn $unpack_a" \
    ".ttinsn $unpack_a" ".ttinsn $unpack_b"
program trisc1 '.ttinsn MVMUL 1, 0, 0, 0' '.ttinsn MVMUL 3, 0, 0, 0'
deadlock "each waits for the other" "trisc0 trisc1" \
    "thread 0, pushed by trisc0 at pc $(printf '0x%08x' $((first + 12))): $unpack_a waits for unpacker 0, in which an UNPACR of thread 0 waits for its bank" \
    "thread 1, pushed by trisc1 at pc 0x00003000: MVMUL 1, 0, 0, 0 waits for bank 0 of SrcB, $nobody_unpacks" \
    "trisc0 at pc .* load from 0xffe80004 .*: $stuck" \
    "trisc1 at pc .* load from 0xffe80004 .*: $stuck"

# The wait for a bank stands before the instruction that would give it.
program trisc0 "${unpacks[@]}" '.ttinsn STALLWAIT 0x8, 0x80' ".ttinsn $unpack_a"
deadlock "STALLWAIT before its own unpack" trisc0 \
    "STALLWAIT 8, 0x80: nothing has been unpacked to SrcA for the Matrix Unit; it holds UNPACR "

# --- Races on configuration ---

# racing LINE...: UNPACR of a big tile, and lines that change what it uses and restore it, three
# times over
racing() {
    program trisc0 "${unpacks[@]}" 'addi a0, zero, 3' '.ttinsn SETADCXX 3, 255, 0' \
        ".ttinsn $unpack_a" '.ttinsn SETDVALID 2' "$@" '.ttinsn CLEARDVALID 3, 0' \
        'addi a0, a0, -1' "bne a0, zero, $((4 * (${#unpacks[@]} + 1)))" "${behind[@]}"
}
at_work="while UNPACR of trisc0 at pc $(printf '0x%08x' $((first + 8))) may use it;"

# race NAME PATTERN: one warning for each of the two places, and all goes on; policies stop it and
# keep it quiet
race() {
    local schedule
    for schedule in fast lockstep random:5; do
        messages=2 expect "race: $1, $schedule" 0 "warning: guest fault config-race: .*$2" \
            'rule  +[a-zA-Z]' 'out:trisc0 +done' 'out:00009000  0000600d' -- run \
            --hart "trisc0=$work/trisc0.elf" --schedule "$schedule" "${looks[@]}"
    done
    expect "race, policy stop: $1" 1 "guest fault config-race: .*$2" 'to go on +--policy' -- \
        run --hart "trisc0=$work/trisc0.elf" --policy config-race=stop
    expect "race, policy ignore: $1" 0 'out:trisc0 +done' 'out:00009000  0000600d' -- \
        run --hart "trisc0=$work/trisc0.elf" --policy config-race=ignore "${looks[@]}"
}

racing ".ttinsn RMWCIB0 15, 6, $out0" ".ttinsn RMWCIB0 15, 5, $out0"
race "by an instruction" "RMWCIB0 changes THCON_SEC0_REG2_Out_data_format $at_work STALLWAIT\(STALL_CFG, UNPACK0\) is missing"

racing "addi a4, zero, 6" "sw a4, $((4 * out0))(a3)" "addi a4, zero, 5" \
    "sw a4, $((4 * out0))(a3)"
race "by a hart" "a store changes THCON_SEC0_REG2_Out_data_format $at_work tensix_sync\(\) is missing"

racing '.ttinsn STALLWAIT 0x80, 2' ".ttinsn RMWCIB0 15, 6, $out0" ".ttinsn RMWCIB0 15, 5, $out0"
expect "no race behind STALLWAIT" 0 'out:trisc0 +done' -- run --hart "trisc0=$work/trisc0.elf"
racing ".ttinsn RMWCIB0 255, 0x10, $base0"
expect "no race: what is read afresh" 0 'out:trisc0 +done' -- run --hart "trisc0=$work/trisc0.elf"
racing ".ttinsn RMWCIB0 15, 5, $out0" ".ttinsn RMWCIB1 1, 1, $out0" ".ttinsn RMWCIB1 1, 0, $out0"
expect "no race: Haloize_mode" 0 'out:trisc0 +done' -- run --hart "trisc0=$work/trisc0.elf"

# --- Source lines, where there is a compiler ---

compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
if command -v "$compiler" >"$work/out" 2>&1; then
    cat >"$work/kernel.c" <<'END'
#define PUSH *(volatile unsigned *)0xffe40000 /* GNU as gives a .word no line of its own */
void _start(void)
{
    PUSH = 0xb20a0000;
    PUSH = 0x41000101; /* line 5: PACR, with a configuration of nothing but zeros */
    PUSH = 0x26000000; /* line 6: MVMUL */
    *(volatile unsigned *)0xffe80004 = 0;
    *(volatile unsigned *)0xffe80004; /* line 8 */
}
END
    (cd "$work" && "$compiler" -march=rv32im -mabi=ilp32 -O1 -g -nostdlib -ffreestanding \
        -Wl,--build-id=none -Wl,-Ttext=0x6000 kernel.c -o kernel.elf) ||
        report "compiling" "$compiler failed"
    messages=2 expect "source lines" 4 \
        'thread 0, pushed by trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:5: PACR' \
        'tensix thread 0, pushed by trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:6: MVMUL .* waits' \
        'trisc0 at pc 0x[0-9a-f]{8} in _start.*kernel\.c:8: load from 0xffe80004' \
        -- run --hart "trisc0=$work/kernel.elf" --policy undefined-operands=warn
else
    untested "source lines: no $compiler"
fi

finish
