#!/bin/bash
# --input and --output of `penrose run`: what they do, and an answer to every mistake. The contents
# are compared with a model in Python (tensors.py).
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

make_elf "$work/seven.elf" 0 '0 7 00700513 00100073'                   # li a0, 7; ebreak
make_elf "$work/copy.elf" 0 '0 7 000087b7 0007a503 00a7a223 00100073' # [0x8004] = [0x8000]
make_elf "$work/fault.elf" 0 '0 7 ff8007b7 00f7a023'                   # a store to nowhere
make_elf "$work/self.elf" 0 '0 7 0000006f'                             # j .
make_elf "$work/count.elf" 0 '0 7 000087b7 0007a503 00150513 00a7a023 ff5ff06f'

# npy FILE TYPE SHAPE WORD...: an array of 32-bit words, given in hexadecimal; TYPE is the text of
# its descr.
npy() {
    local file=$1 text="{'descr': '$2', 'fortran_order': False, 'shape': $3, }" word body=
    shift 3
    text=$(printf '%-117s' "$text")
    for word in "$@"; do
        body+=$(hex32 "0x$word")
    done
    { printf '\x93NUMPY\x01\x00\x76\x00%s\n' "$text"; printf "$body"; } >"$file"
}
npy "$work/two.npy" '<f4' '(1, 2)' 3f800000 c0200000 # 1, -2.5
npy "$work/five.npy" '<i4' '(1,)' 5
npy "$work/big.npy" '<i4' '(2, 2)' 1 ffffff81 ffffff80 12c # 1, -127, -128, 300
npy "$work/nan.npy" '<f4' '(2,)' 0 7fc00000
cd "$work" || exit 1

# same NAME FILE FILE
same() {
    report "$1" "$(cmp "$2" "$3" 2>&1)"
}

# --- What they do ---

expect "a number in and out" 0 'out:^out.npy: 1 x 1 from 0x00008004, Int32 in rows$' \
    'out:brisc +done +5' -- run copy.elf --input 0x8000=five.npy:Int32:rows \
    --output 0x8004=out.npy:1x1:Int32:rows
npy expected.npy '<i4' '(1, 1)' 5
same "its file" out.npy expected.npy
expect "tiles are the default" 0 'out:0x00020000  c0203f80 00000000' 'out:in tiles$' -- \
    run seven.elf --input 0x20000=two.npy:bf16 --output 0x20000=out.npy:1x2:FLOAT16_B \
    --dump 0x20000,8
same "a file that is replaced" out.npy two.npy
expect "several" 0 'out:^a.npy' 'out:^b.npy' 'out:0x00030000  00000005' -- run seven.elf \
    --input 0x20000=two.npy:fp32 --input 0x30000=five.npy:UInt32 \
    --output 0x20000=a.npy:1x2:fp32 --output 0x30000=b.npy:1x1:Int32 --dump 0x30000,4
same "the first of several" a.npy two.npy
same "the second of several" b.npy expected.npy
expect "a poke comes after inputs" 0 'out:0x00020000  00000007 c0200000' -- run seven.elf \
    --input 0x20000=two.npy:fp32 --poke 0x20000=7 --dump 0x20000,8
expect "JSON" 0 'out:"file": "c.npy"' 'out:"written": true' 'out:"layout": "tiles"' \
    'out:"bytes": 1088' 'out:"columns": 20' 'out:"format": "Bfp8_b"' -- run seven.elf --json \
    --output 0x20000=c.npy:10x20:bfp8_b
cp two.npy 'odd:name.npy'
expect "a name with a colon" 0 'out:^odd:out: 1 x 2' -- run seven.elf \
    --input 0x20000=odd:name.npy:fp32 --output 0x20000=odd:out:1x2:fp32
ln -s linked.npy link.npy
cp expected.npy linked.npy
expect "a link stays one" 0 'out:^link.npy' -- run seven.elf \
    --input 0x20000=two.npy:fp32 --output 0x20000=link.npy:1x2:fp32
report "it is one" "$([ -L link.npy ] || echo "it is not")"
same "what it points to" linked.npy two.npy
expect "the end of L1" 0 -- run seven.elf --input 0x17fff8=two.npy:fp32:rows

# --- Runs that are not done: no file, and an old one stays ---

cp expected.npy old.npy
messages=2 expect "a fault" 1 'no --output was written' -- run fault.elf \
    --output 0x20000=old.npy:1x2:fp32 --output 0x30000=new.npy:1x2:fp32
same "the old file after a fault" old.npy expected.npy
messages=2 expect "a deadlock as JSON" 4 'no --output was written' 'out:"written": false' -- \
    run self.elf --json --output 0x20000=new.npy:1x2:fp32
messages=2 expect "the cycle limit" 3 'no --output was written' -- run count.elf --max-cycles 1k \
    --output 0x20000=new.npy:1x2:fp32
report "no new file" "$([ ! -e new.npy ] || echo "there is one")"

# --- The options ---

refused() { # NAME PATTERN ARGUMENT...
    expect "$1" 2 "$2" -- run seven.elf "${@:3}"
}
refused "input: no address" "--input: 'two.npy:fp32' is incomplete; write ADDRESS=FILE" \
    --input two.npy:fp32
refused "input: bad address" "'here' is not a number" --input here=two.npy:fp32
refused "input: no format" 'is incomplete; write ADDRESS=FILE' --input 0x20000=two.npy
refused "input: layout only" 'is incomplete' --input 0x20000=two.npy:rows
refused "input: no file" 'is incomplete' --input 0x20000=:fp32
refused "input: unknown format" "no format 'Float17'; did you mean Float16" \
    --input 0x20000=two.npy:Float17
refused "input: far-off format" "no format 'xyzzy'; write ADDRESS" --input 0x20000=two.npy:xyzzy
refused "input: unknown layout" "no format 'row'; did you mean rows" --input 0x20000=two.npy:fp32:row
refused "output: no shape" '--output: .* write ADDRESS=FILE.npy:ROWSxCOLUMNS:FORMAT' \
    --output 0x20000=o.npy:fp32
refused "output: half a shape" 'is incomplete' --output 0x20000=o.npy:32x:fp32
refused "output: bad shape" "'3y' is not a number" --output 0x20000=o.npy:3yx2:fp32
refused "output: empty shape" 'without elements' --output 0x20000=o.npy:0x32:fp32
refused "output: vast shape" 'too large' --output 0x20000=o.npy:32x99999999999999999999:fp32
refused "output: larger than L1" '4194304 bytes \(1024x1024 Float32, tiles\) at 0x0 do not fit L1' \
    --output 0=o.npy:1024x1024:fp32

# --- Places in L1 ---

refused "past the end of L1" '12 bytes|4096 bytes .* at 0x17f010 do not fit L1' \
    --input 0x17f010=two.npy:fp32
refused "beyond L1" 'do not fit L1' --output 0xffb00000=o.npy:1x1:fp32
refused "tiles between multiples of 16" 'multiples of 16, which 0x20008 is not' \
    --input 0x20008=two.npy:fp32
refused "rows between words" 'multiples of 4, which 0x20002 is not' --input 0x20002=two.npy:fp32:rows
refused "a block format in short rows" '2 columns row by row in Bfp8_b' \
    --input 0x20000=two.npy:bfp8_b:rows
refused "inputs that overlap" \
    '--input two.npy \(0x20000 to 0x20fff\) and --input five.npy \(0x20ff0 to .* overlap' \
    --input 0x20000=two.npy:fp32 --input 0x20ff0=five.npy:Int32
refused "outputs that overlap" 'o.npy .* p.npy .* overlap' --output 0x20000=o.npy:1x1:fp32 \
    --output 0x20000=p.npy:1x1:bf16
refused "an output in an input" '--input two.npy .* and --output o.npy .* overlap' \
    --input 0x20000=two.npy:fp32 --output 0x20100=o.npy:1x1:bf16

# --- Files ---

refused "no file" 'nowhere.npy: cannot be opened: No such file' --input 0x20000=nowhere.npy:fp32
refused "a folder" 'not a regular file' --input "0x20000=$work:fp32"
seq 100 >text.npy
refused "text" 'text.npy: not a .npy file' --input 0x20000=text.npy:fp32
: >empty.npy
refused "an empty file" 'not a .npy file' --input 0x20000=empty.npy:fp32
for size in 11 60 128 130; do
    head -c $size two.npy >cut.npy
    refused "$size bytes" 'truncated' --input 0x20000=cut.npy:fp32
done
npy huge.npy '<f4' '(4000000000, 4000000000, 4000000000)' 1
refused "a huge shape" 'truncated' --input 0x20000=huge.npy:fp32
npy none.npy '<f4' '(0, 4)'
refused "no elements" 'has no elements' --input 0x20000=none.npy:fp32
npy endian.npy '>f4' '(1, 2)' 1 2
refused "big-endian" "array.astype\('<f4'\)" --input 0x20000=endian.npy:fp32
npy complex.npy '<c8' '(1,)' 1 2
refused "complex numbers" "of the type '<c8'" --input 0x20000=complex.npy:fp32
npy python.npy '__import__' '(1,)' 1
refused "a strange type" 'not little-endian|of the type' --input 0x20000=python.npy:fp32
truncate -s 300M sparse.npy
refused "a vast file" '314572800 bytes long' --input 0x20000=sparse.npy:fp32
refused "integers that do not fit" \
    'big.npy: element \[1, 0\] is -128, which is out of the range of Int8 \(-127 to 127\); clip' \
    --input 0x20000=big.npy:Int8
refused "negative integers" 'element \[0, 1\] is -127, .* UInt16 \(0 to 65535\)' \
    --input 0x20000=big.npy:UInt16
refused "fractions as integers" 'two.npy: element \[0, 1\] is -2.5, which is no integer of Int32' \
    --input 0x20000=two.npy:Int32
refused "NaN in blocks" 'element \[0, 1\] is NaN, which Bfp4_b does not have' \
    --input 0x20000=nan.npy:Bfp4_b

refused "output: a folder" 'is a folder; name a file' --output "0x20000=$work:1x1:fp32"
refused "output: a device" 'is no regular file' --output 0x20000=/dev/null:1x1:fp32
refused "output: no such folder" 'nowhere/o.npy cannot be written: nowhere: No such file' \
    --output 0x20000=nowhere/o.npy:1x1:fp32
refused "output: in a file" 'cannot be written' --output 0x20000=two.npy/o.npy:1x1:fp32
refused "output: in /proc" 'cannot be written' --output 0x20000=/proc/o.npy:1x1:fp32
ln -s loop.npy "$work/loop.npy"
refused "output: a link to itself" 'loop.npy cannot be written: Too many levels' \
    --output 0x20000=loop.npy:1x1:fp32
refused "output: twice" 'o.npy is named twice' --output 0x20000=o.npy:1x1:fp32 \
    --output 0x30000=o.npy:1x1:fp32
refused "output: twice, spelled differently" 'o.npy is named twice' \
    --output 0x20000=o.npy:1x1:fp32 --output "0x30000=$work/../${work##*/}/o.npy:1x1:fp32"
report "nothing was written" "$(ls o.npy p.npy ./*.penrose-* 2>/dev/null)"

# --- Contents ---

if command -v python3 >/dev/null; then
    python3 "$here/tensors.py" "$PENROSE" "$work/seven.elf" "$work" >model.txt 2>&1
    status=$?
    cat model.txt
    report "contents as the model has them" "$([ $status -eq 0 ] || grep -E '^FAIL|Error' model.txt)"
else
    untested "contents: python3 is not installed"
fi

finish
