#!/bin/bash
# `penrose run --ttx`: images of our own, made like tt-burnin's, and what is none.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v python3 >/dev/null || skip "no python3"

# image NAME FILE=CHUNKS...: a zip of files; a chunk is ADDRESS:HEX, separated by commas. FILE= alone
# is a file with a header only, FILE=!HEX one with these bytes.
image() {
    python3 - "$work/$1.ttx" "${@:2}" <<'PYTHON'
import struct, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as ttx:
    for file in sys.argv[2:]:
        name, _, chunks = file.partition("=")
        data = struct.pack("<8I", 0x9704266B, *[0] * 7)
        if chunks.startswith("!"):
            data, chunks = bytes.fromhex(chunks[1:]), ""
        for chunk in filter(None, chunks.split(",")):
            address, _, text = chunk.partition(":")
            code = bytes.fromhex(text)
            data += struct.pack("<QII", int(address, 0), len(code), 0) + code
        ttx.writestr(name, data)
PYTHON
}

end=73001000           # ebreak
push='3704e4ff'        # lui s0, 0xffe40
nop='b7020002'         # lui t0, 0x02000: the Tensix instruction NOP
store='23205400'       # sw t0, 0(s0)
again='6ff0dfff'       # j -4
image good "0-0/image.bin=0:$end,0x100:00" "0-0/ckernels.bin=0x6000:$push$nop$store$again,0xa000:$end,0xe000:$end"
image still "0-0/image.bin=0:$end" "0-0/ckernels.bin=0x6000:$end,0xa000:$end,0xe000:$end"
image fault "0-0/image.bin=0:ffffffff" "0-0/ckernels.bin=0x6000:$end,0xa000:$end,0xe000:$end"

expect "one tile" 0 'out:still at work on 1 tile after 5[0-9]{3} cycles' \
    'out:none +[0-9]{4} +0 +0  .* NOP$' 'out:trisc0 +running' -- \
    run --ttx "$work/good.ttx" --max-cycles 5000
expect "tiles" 0 'out:on 3 tiles' 'out:^tile \(1, 2\):' -- \
    run --ttx "$work/good.ttx" --max-cycles 5000 --tiles 3 --threads 2
expect "all workers of a card, timed" 0 'out:on 120 tiles' -- \
    run --ttx "$work/good.ttx" --max-cycles 1000 --tiles all --card p100a --timing timed
expect "JSON" 0 'out:"most": "NOP"' 'out:"outcome": "done"' 'out:"tiles": 1' -- \
    run --ttx "$work/good.ttx" --max-cycles 5000 --json
expect "nothing to do" 4 'deadlock' -- run --ttx "$work/still.ttx"
expect "a fault" 1 'illegal-instruction' -- run --ttx "$work/fault.ttx"

expect "too many tiles" 2 '--tiles: 130 are too many, this card has 120' -- \
    run --ttx "$work/good.ttx" --tiles 130 --card p100a
expect "tiles of other programs" 2 '--tiles is for --ttx' -- run --tiles 2 "$work/good.ttx"
expect "memory of its own" 2 'has programs and data of its own' -- \
    run --ttx "$work/good.ttx" --poke 0x8000=1
expect "no file" 2 'missing.ttx: No such file' -- run --ttx "$work/missing.ttx"
echo text >"$work/text.ttx"
expect "no zip" 2 'a .ttx image is a zip archive' -- run --ttx "$work/text.ttx"
image lacking "0-0/image.bin=0:$end"
expect "a file is missing" 2 'ckernels.bin is missing; fetch the image anew' -- \
    run --ttx "$work/lacking.ttx"
image others "0-0/image.bin=0:$end" "0-0/ckernels.bin=" "1-0/image.bin=0:$end"
expect "several tiles" 2 'is for several tiles \(1-0/image.bin\)' -- run --ttx "$work/others.ttx"
image header '0-0/image.bin=!0102' "0-0/ckernels.bin="
expect "no header" 2 'does not begin with the header' -- run --ttx "$work/header.ttx"
start=6b260497$(printf '00%.0s' {1..28})
image chunk "0-0/image.bin=!${start}00000000" "0-0/ckernels.bin="
expect "half a chunk header" 2 'broken chunk header' -- run --ttx "$work/chunk.ttx"
image cut "0-0/image.bin=!${start}00000000000000000800000000000000aabb" "0-0/ckernels.bin="
expect "cut off" 2 'image.bin is cut off' -- run --ttx "$work/cut.ttx"
image beyond "0-0/image.bin=0x17fffe:aabbccdd" "0-0/ckernels.bin="
expect "beyond L1" 2 'a chunk that is not in L1' -- run --ttx "$work/beyond.ttx"
image high "0-0/image.bin=0x100000000:aabb" "0-0/ckernels.bin="
expect "beyond 32 bits" 2 'a chunk that is not in L1' -- run --ttx "$work/high.ttx"
head -c 200 "$work/good.ttx" >"$work/broken.ttx"
expect "a broken zip" 2 'broken.ttx: ' -- run --ttx "$work/broken.ttx"
finish
