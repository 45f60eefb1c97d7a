#!/bin/bash
# `penrose compare`: what differs is named, what cannot be compared is refused with a reason.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "${python:-}" ] || skip "no python3 with numpy"
"$python" "$(dirname "${BASH_SOURCE[0]}")/compare_dumps.py" "$work" || exit 1
cd "$work" || exit 1

# differs NAME PATTERN... -- ARGUMENT...: exit code 1, which is no message here.
differs() {
    messages=0 expect "$1" 1 "${@:2}"
}

expect "the same dump" 0 'out:^the same: [0-9]+ items$' -- compare base base
differs "numbers, in the format's ulps" \
    'out:^1-2/dst \(Float16_b\): 2 of 16384 numbers differ, by up to 16 ulp$' \
    'out:^  1-2/dst\[2,8\] +A 40  B 40.25  \(1 ulp\)$' 'out:^different: 2 of' -- compare base ulp
expect "within a tolerance in ulps" 0 'out:within the tolerance: 2 items' -- \
    compare base ulp --tolerance ulp=16
differs "outside of it" 'out:dst \(Float16_b\): 1 of' 'out:within the tolerance: 1 items' -- \
    compare base ulp --tolerance ulp=1
expect "a relative tolerance" 0 -- compare base ulp --tolerance rel=0.1
expect "an absolute tolerance" 0 -- compare base ulp --tolerance abs=1
expect "one of several tolerances" 0 -- compare base ulp --tolerance abs=1 --tolerance ulp=0
differs "fields by name" 'out:config.0.ALU_FORMAT_SPEC_REG0_SrcA +A 5  B 1$' \
    'out:config.0.wide +A 0x123456789abcdef01  B 0x123456789abcdef00' -- compare base field
expect "wide numbers in other digits" 0 -- compare base padded
expect "volatile items" 0 'out:left out as volatile: 3 items' -- compare base volatile
differs "volatile items when asked for" 'out:noc/noc0.NIU_MST_RD_REQ_SENT +A 7  B 8' \
    'out:tile/cycle' -- compare base volatile --include-volatile
differs "a buffer once, as numbers" 'out:1-2/cb_3\[0,3,5\] +A [0-9]+  B 1 ' 'out:^different: 1 of' -- \
    compare base buffer
differs "memory by what lies there" 'out:^1-2/l1 \(kernel reader\): 1 words differ' \
    'out:1-2/l1\[0x1404\]' -- compare base kernel
differs "memory that only one run wrote" 'out:l1\[0x20\]' -- compare base written
expect "memory that only a card has" 0 'out:left out as volatile' -- compare base card
differs "the same when asked for" 'out:l1\[0x20\]' -- compare base card --include-volatile
expect "a part of memory" 0 'out:^not compared: 1-2/l1: only A has what lies from 0x0 to 0x2000$' \
    'out:^the same: 2047 items$' 'out:left out as volatile: 1 items' -- compare base partial --only l1
differs "LRegs as bits and numbers" 'out:lregs_bits\[5,7\] +A 0x3f800000 \(1065353216, 1\)  B 0x3f800001 \(1065353217, 1.00000012\)' -- \
    compare base lreg
differs "GPRs as bits and numbers" 'out:gpr\[0,5\] +A 0x00000005 \(5, 7.00649232e-45\)  B 0xc0000000 \(-1073741824, -2\)' \
    -- compare base gpr
expect "LRegs within a tolerance" 0 -- compare base lreg --tolerance ulp=1
differs "bits where formats differ" 'out:dst is in the format "Float16_b" in A and "Float16" in B' \
    'out:dst_bits16\[7,1\]' -- compare base formats
for pair in "base plain" "plain base"; do
    # shellcheck disable=SC2086 # two names
    differs "numbers whose format one side says: $pair" \
        'out:^1-2/dst \(Float16_b\): 1 of 16384 numbers differ, by up to 1 ulp$' -- compare $pair
done
expect "Dst as tt-exalens prints it" 0 \
    'out:^note: 1-2/dst of A is taken with the columns of each pair exchanged.*: 0 numbers differ then, 960 as it is$' \
    'out:^note: 1-2/dst of A shows 4 rows that ZEROACC had cleared with what they held before' -- \
    compare printed cleared --only dst
expect "the same the other way round" 0 'out:^note: 1-2/dst of B is taken with the columns' -- \
    compare cleared printed --only dst
differs "Dst with zeros in cleared rows" 'out:^1-2/dst \(Float16_b\): 1 of 16384 numbers' 'out:dst\[3,3\]' -- \
    compare cleared shown --only dst
! grep -q '^note' out || report "Dst with zeros in cleared rows" "it was taken in another way"
differs "columns that are known" 'out:dst \(Float16_b\): 16384 of 16384 numbers differ' -- \
    compare base reversed --only dst
expect "integers of a card" 0 'out:^note: .* sign and magnitude .*: 0 numbers differ then, 409[0-9] as it is$' \
    'out:^the same: 8192 items$' -- compare signs wide --only dst
expect "integers of two widths" 0 'out:^the same: 16384 items$' -- compare halves wider --only dst
expect "how, as JSON" 0 'out:"1-2/dst of A is taken with the columns' -- compare printed cleared --only dst --json
differs "another shape" 'out:gpr has another type or shape: <u4 \[3, 64\] in A, <u4 \[3, 32\] in B' -- \
    compare base shape
differs "fewer rows of a card" 'out:1-2/dst: only A has rows 64 to 1023' 'out:dst \(Float16_b\): 1 of 1024 ' -- \
    compare base rows
expect "what only one side has" 0 'out:only A has 1-2/gpr' 'out:only A has 1-2/l1' \
    'out:only A has 1-2/config/config.0.wide' -- compare base lacking
expect "why it lacks it" 0 'out:only B has 1-2/gpr' -- compare lacking base
expect "no tile in common" 2 'out:only A has tile 1,2' 'out:only B has tile 3,2' \
    'nothing was compared: no tile is in both dumps$' -- compare base tile
expect "no part in common" 2 'out:only A has 1-2/gpr' 'nothing was compared: the dumps have no part in common$' -- \
    compare base bare
expect "nothing but what is volatile" 2 'nothing was compared: all that both have is volatile' -- \
    compare base volatile --only tile

expect "only a part" 0 'out:^the same: 192 items' -- compare base field --only gpr
differs "only an item" 'out:^different: 1 of 1 items' -- \
    compare base field --only 'config/config.0.ALU*'
differs "only an item of a tile" 'out:^different: 1 of 1 items' -- \
    compare base field --only '1-2/config/config.0.ALU*'
expect "only an element that is the same" 0 -- compare base ulp --only 'dst[3,*]'
expect "only an element" 0 'out:^the same: 16 items' -- compare base ulp --only 'dst[3,*]'
expect "only a word of memory" 0 'out:^the same: 1 items' -- compare base kernel --only 'l1[0x1400]'
differs "only another word" 'out:^different: 1 of 1 items' -- compare base kernel --only 'l1[0x1404]'
expect "only an element that is not there" 2 'nothing was compared: nothing .* named by --only$' -- \
    compare base ulp --only 'dst[1024,*]'
expect "only a word that is not there" 2 'named by --only$' -- compare base ulp --only 'l1[0x1402]'
expect "only a field that is not there" 2 'named by --only$' -- compare base ulp --only config/none
expect "only another tile" 2 'nothing that both have is named by --only$' -- \
    compare base field --only 3-2/config
expect "the same as JSON" 2 'named by --only$' 'out:"outcome": "error"' -- compare base field --only dts --json
differs "few are shown" 'out:^  and 1 more' -- compare base ulp --most 1
expect "JSON of the same" 0 'out:"outcome": "same"' 'out:"exit_status": 0' -- compare base base --json
differs "JSON" 'out:"item": "1-2/dst\[2,8\]"' 'out:"ulps": 1.0' 'out:"outcome": "different"' -- \
    compare base ulp --json

differs "arrays: zeros have signs" 'out:array\[1\] +A -0  B 0 ' -- compare a.npy zero.npy
expect "arrays: a tolerance, and NaNs" 0 -- compare a.npy zero.npy --tolerance ulp=0
differs "arrays: steps of the type" 'out:65536 ulp' -- compare zero.npy b.npy
expect "arrays: steps of a format" 0 -- compare zero.npy b.npy --tolerance ulp=1 --format bf16
differs "arrays of other lengths" 'out:another type or shape: <f4 \[5\] in A, <f4 \[6\] in B' -- \
    compare a.npy long.npy
differs "arrays of other types" 'out:<f4 \[5\] in A, <f2 \[5\] in B' -- compare a.npy half.npy
differs "images of memory" 'out:^memory: 1 of 16 words differ$' 'out:memory\[0x3c\] +A 0x3f3e3d3c  B 0x64636261' \
    'out:only B has what lies from 0x40 to 0x44' -- compare a.bin b.bin
differs "images of a part of memory" 'out:memory\[0x2003c\] ' 'out:only B has what lies from 0x20040 to 0x20044' -- \
    compare a.bin b.bin --address 0x20000
expect "only a word of them" 0 'out:^the same: 1 items' -- compare a.bin b.bin --address 0x20000 --only 'memory[0x20038]'
differs "a region as numbers" 'out:^1-2/l1_0x2800 \(Float16_b\): 1 of 32 numbers differ' \
    'out:^  1-2/l1_0x2800\[0,2\] +A 0  B 9.18354962e-41' 'out:^different: 1 of' -- \
    compare base region --region 0x2800=2x16:bf16:rows
expect "a region within a tolerance" 0 'out:within the tolerance: 1 items' -- \
    compare base region --region 0x2800=2x16:bf16:rows --tolerance ulp=1
expect "a region alone" 0 'out:^the same: 32 items' -- \
    compare base region --region 0x2804=2x16:Int8:rows --region 0x2820=2x16:bf16:rows --only 'l1_0x2820'
differs "a region of images" 'out:memory_0x2003c\[0,0\] +A [0-9]+  B [0-9]+  \([0-9]+ ulp\)' -- \
    compare a.bin b.bin --address 0x20000 --region 0x2003c=1x1:Int32:rows
differs "a region that is not there" 'out:not compared: 1-2/l1_0x3ff0: A does not have all of it' -- \
    compare base region --region 0x3ff0=2x16:bf16:rows
for wrong in 0x2800 0x2800=2x16 0x2800=2:bf16 x=2x16:bf16 0x2800=2x16:bf17 0x2800=0x16:bf16; do
    expect "a wrong region $wrong" 2 '^penrose: --region: ' -- compare base region --region "$wrong"
done
expect "an address of dumps" 2 'address: it is of two images of memory' -- compare base base --address 4

expect "times: noise" 0 'out:6 points: 0 slower and 0 faster .* 1 moved by more than 2 % alone' -- \
    compare --perf llk.csv llk-noise.csv
differs "times: a regression and a gain" 'out:^slower \+2.6 % \+131 cycles .*: TILE_LOOP mean\(L1_TO_L1\)' \
    'out:^faster -10.0 % -100 cycles' -- compare --perf llk.csv llk-slower.csv
expect "times: another rule" 0 -- compare --perf llk.csv llk-slower.csv --percent 3
expect "times: another rule in cycles" 0 -- compare --perf llk.csv llk-slower.csv --cycles 200
differs "times: zones" 'out:slower \+5.0 % \+200 cycles .*: core 1,2 TRISC_1 run 1024 INNER$' \
    'out:^2 points: 1 slower' -- compare --perf zones.csv zones-slower.csv
differs "times: JSON" 'out:"slower": 1' 'out:"verdict": "slower"' -- \
    compare --perf zones.csv zones-slower.csv --json
expect "times: other tests" 2 'no point in common' -- compare --perf llk.csv llk-other.csv
expect "times: two kinds" 2 'llk.csv is a CSV file of LLK.*, zones.csv is a profile_log_device.csv' -- \
    compare --perf llk.csv zones.csv
expect "times: cut off" 2 'line 4 has 3 columns' -- compare --perf llk.csv llk-cut.csv
expect "times: no number" 2 "line 2: 'many' is no number" -- compare --perf llk.csv llk-word.csv
printf '\033[2J\n1\n' >$'\033.csv'
expect "times: a name that no terminal obeys" 2 '^penrose: [?].csv: neither' \
    'out:"error": "\\u001b.csv: neither' -- compare --perf --json $'\033.csv' llk.csv
mkdir -p moved/bin moved/share/penrose
cp "$PENROSE" moved/bin
cp -r "${builddir:-.}/commands" moved/share/penrose
PENROSE=$work/moved/bin/penrose expect "times: an installation that was moved" 0 'out:6 points: 0 slower' -- \
    compare --perf llk.csv llk.csv
expect "times: another CSV" 2 'none.csv: neither a CSV file of' -- compare --perf llk.csv none.csv

expect "no such dump" 2 'nowhere/manifest.json: .*No such file' -- compare base nowhere
expect "no manifest" 2 '1-2/manifest.json: .*No such file' -- compare base base/1-2
expect "a newer version" 2 'a dump of version 2; this program reads versions up to 1' -- compare base version
expect "another format" 2 'its format is not "penrose-dump": this is no dump' -- compare base foreign
expect "another chip" 2 'A is a dump of a blackhole, B of a wormhole' -- compare base chip
expect "a file outside" 2 "'../../etc/passwd', which is not in the dump's folder" -- compare base outside
expect "an absolute path" 2 "'/etc/passwd', which is not in the dump's folder" -- compare base absolute
expect "a tile twice" 2 'are the same tile' -- compare base twice
expect "no tiles" 2 'it has no array of tiles' -- compare base tiles
expect "no parts" 2 "tile number 0 has no parts, or no coordinates from 0 to 63" -- compare base parts
expect "a missing file" 2 'missing/1-2/dst.npy: .*No such file' -- compare base missing
expect "a cut array" 2 'cut/1-2/dst.npy: truncated' -- compare base cut
expect "a huge array" 2 'huge/1-2/dst.npy: truncated' -- compare base huge
expect "broken JSON" 2 'json/1-2/config.json:1: ' -- compare base json
expect "other JSON" 2 'text/1-2/config.json:1: .* expected' -- compare base text
expect "a manifest with a member twice" 2 'manifest.json:1: duplicate .*; the dump is damaged' -- compare base manifest
expect "a folder and a file" 2 'a.npy/manifest.json' -- compare base a.npy
expect "an array and an image" 2 'a.npy is a .npy file, a.bin is not' -- compare a.npy a.bin
expect "an empty file" 2 'empty.bin: the file is empty' -- compare a.bin empty.bin
expect "one thing" 2 'name two dumps' -- compare base
expect "three things" 2 "two things are compared; what is 'base'" -- compare base base base
expect "a wrong tolerance" 2 "'ulps=1' is not ulp=N" -- compare base base --tolerance ulps=1
expect "a negative tolerance" 2 "'ulp=-1' is not ulp=N" -- compare base base --tolerance ulp=-1
expect "a wrong format" 2 "no data format 'bf17'" -- compare a.npy b.npy --format bf17
finish
