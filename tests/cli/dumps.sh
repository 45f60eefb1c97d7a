#!/bin/bash
# Dumps and what is shown of tiles: by `penrose run` at the end and at places, by `penrose state` and
# `penrose info`, by the library; dumps.py reads them with numpy alone. Broken dumps and wrong options.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "no numpy for python3"
host_python=$(make_host_python)
cd "$work" || exit 1
make_elf seven.elf 0 '0 7 00700513 00100073'  # li a0, 7; ebreak
make_elf count.elf 0 '0 7 00150513 ffdff06f'  # addi a0, a0, 1; j to it
make_elf wrong.elf 0 '0 7 00700513 ffffffff'  # no instruction

# model NAME CASE ARGUMENT...: what dumps.py has to say.
model() {
    report "$1" "$(PYTHONDONTWRITEBYTECODE=1 "$python" "$here/dumps.py" "${@:2}" 2>&1)"
}

# --- At the end ---

expect "a dump at the end" 0 -- run seven.elf --dump-state end
expect "what it is" 0 'out:a dump of blackhole, card unharvested' 'out:made for +exit: done' \
    'out:brisc +paused +2 instructions' -- info end
expect "as JSON" 0 'out:"format": "penrose-dump"' 'out:"brisc.a0": 7,' -- info end --json
expect "its state as JSON" 0 'out:"command": "state"' 'out:"kind": "dump"' -- state end --json
expect "what it holds" 0 'out:brisc is paused, pc 0x00000008' 'out:a0 +0x00000007' -- \
    state end --show gprs
expect "over an older one" 0 -- run seven.elf --dump-state end --dump-parts harts
model "which it replaces" only end harts
expect "of a fault" 1 'illegal-instruction' -- run wrong.elf --dump-state fault
expect "which it tells" 0 'out:made for +fault: the word is no instruction' \
    'out:fault +illegal-instruction of \(1, 2\) brisc' -- info fault
expect "at the cycle limit, exactly" 3 'unfinished after 777 cycles' -- \
    run count.elf --max-cycles 777 --dump-state limit --save-snapshot saved
model "where every hart stands" cycle limit 777
expect "of a snapshot" 0 -- state saved --out again --html page.html
model "the same state" same limit again
expect "a snapshot" 0 'out:a snapshot of blackhole.* at cycle 777' 'out:brisc +running +777' -- info saved
expect "as JSON" 0 'out:"kind": "snapshot"' -- info saved --json
keep fault/manifest.json again/manifest.json
expect "shown" 0 'out:a0 +0x00000185' -- state saved --show gprs
report "a page without outside references" "$(grep -oE '(src|href)="[^"]{0,20}' page.html | grep -v '="data:')"

# --- GDDR ---

# NoC 0 writes 32 bytes from 0 on, this program, to 0x40000010 of the bank behind (17, 12).
make_elf gddr.elf 0 '0 7 ffb212b7 80028293 0002a023 0002a223 ffb20337 14830313 00032303 0062a423 40000337 01030313 0062a623 0002a823 31100313 0062aa23 00002337 09230313 0062ae23 02000313 0262a023 0202a223 00100313 0462a023 ffb202b7 20428293 0002a303 fe030ee3 00100073'
expect "a dump without GDDR" 0 -- run gddr.elf --dump-state without
expect "a dump with it" 0 -- run gddr.elf --dump-state with --dump-parts memory,gddr
report "GDDR is there where it was asked for" "$([ -z "$(find without -name 'gddr*')" ] || echo "in any dump")"
report "what was written to it" "$("$python" - with 2>&1 <<'PYTHON'
import glob, numpy, sys
files = glob.glob(sys.argv[1] + "/*/gddr_0x40000000.npy")
if len(files) != 1 or len(glob.glob(sys.argv[1] + "/*/gddr*")) != 1:
    print("files:", files)
else:
    bank, l1 = numpy.load(files[0]), numpy.load(sys.argv[1] + "/1-2/l1.npy")
    if bank[0x10:0x30].tobytes() != l1[:32].tobytes() or bank[0x30:].any() or bank[:0x10].any():
        print("it holds", bank[:0x40].tobytes().hex())
PYTHON
)"
expect "compared" 0 'out:^the same: 524288 items' -- compare with with --only 'gddr_*'
keep with/manifest.json

# --- Mistakes ---

mkdir full empty garbage newer && touch full/file
echo '{"format": "penrose-dump", "version": 1, "tiles": [' >garbage/manifest.json
echo '{"format": "penrose-dump", "version": 9, "tiles": []}' >newer/manifest.json
never=(run count.elf --max-cycles 1000G)
expect "into a folder of something else" 2 'full: has something else than a dump in it' -- \
    "${never[@]}" --dump-state full
# What fails when the run is over is told in the one document of --json.
small() { # OPTION...: of files of 64 KiB at most
    local out=late$#${1%%=*}.json
    (trap '' XFSZ && ulimit -f 64 && exec "$PENROSE" run seven.elf --json "$@" >"$out" 2>late.log)
    report "exit code of $*" "$([ $? -eq 2 ] || echo "it is not 2")"
    report "one document of $*" "$("$schema_python" -c 'import json, sys
document = json.load(open(sys.argv[2]))
sys.exit(document["outcome"] != "error" or sys.argv[1] not in document["error"])' "${1%%=*}" "$out" 2>&1 || cat "$out")"
    keep "$out"
}
if [ -n "$schema_python" ] && [ -w /dev/full ]; then
    small --dump-state late
    small --trace=/dev/full
    small --dump-state never --trace=/dev/full # two failures
fi
expect "into a file" 2 'seven.elf: cannot be opened as a folder' -- "${never[@]}" --dump-state seven.elf
expect "where nothing can be" 2 'nowhere/out: cannot be made: No such file' -- \
    "${never[@]}" --dump-state nowhere/out
expect "no such part" 2 "'dest' is no part of a dump" -- \
    "${never[@]}" --dump-state out --dump-parts harts,dest
expect "parts of nothing" 2 'add --dump-state DIR' -- "${never[@]}" --dump-parts harts
expect "a place without a dump" 2 'add --dump-state DIR' -- "${never[@]}" --dump-at main
expect "a place with nothing to show" 2 'add --show' -- "${never[@]}" --show-at main
expect "no place" 2 "'main.c': a file needs the number of a line" -- \
    "${never[@]}" --show dst --show-at main.c
expect "no hart" 2 "'trisc3:main': that is no place in a program; write .* with HART: before it" -- \
    "${never[@]}" --show dst --show-at trisc3:main
expect "a cycle of a hart" 2 "'brisc:cycle:5': cycles and launches are those of all harts" -- \
    "${never[@]}" --show dst --show-at brisc:cycle:5
expect "nothing of that name" 2 "there is no 'lreg' to show; did you mean lregs" -- \
    "${never[@]}" --show lreg
messages=1 expect "a place that is not there" 0 'nothing was not reached; no program on these tiles' -- \
    run seven.elf --show dst --show-at nothing
expect "no file" 2 'nothing: there is no such file' -- state nothing
expect "a program" 2 'seven.elf: neither a snapshot' -- state seven.elf
expect "an empty folder" 2 'empty: neither a snapshot' -- state empty
cp -r limit unfinished && rm unfinished/manifest.json
for command in state info; do
    expect "a dump that was cut off, $command" 2 'unfinished: a dump that was cut off while it was written' -- \
        "$command" unfinished
done
expect "compared" 2 'unfinished: a dump that was cut off while it was written' -- compare limit unfinished
expect "a manifest that is cut" 2 'garbage/manifest.json:.*the dump is damaged' -- state garbage
expect "and for info" 2 'garbage/manifest.json:.*the dump is damaged' -- info garbage
expect "another version" 2 'a dump of version 9; this program reads versions up to 1' -- info newer
expect "a tile that is not in it" 2 '--tile: end has no tile 3,3' -- state end --tile 3,3 --show gprs
expect "a dump of a dump" 2 'end is a dump already' -- state end --out out
expect "a page into nowhere" 2 'nowhere/page.html: cannot be written' -- \
    state end --html nowhere/page.html
head -c 200 limit/1-2/l1.npy >cut && cp -r limit cutdump && mv cut cutdump/1-2/l1.npy
expect "an array that is cut" 2 'l1.npy: truncated' -- state cutdump --show local

# --- The library ---

library=$builddir/cards/unharvested/libttsim.so
if [ -e "$library" ]; then
    cat >client.py <<'END'
import ctypes, os, signal, struct, sys
library = ctypes.CDLL(sys.argv[1])
write = lambda address, bytes: library.libttsim_tile_wr_bytes(1, 2, ctypes.c_uint64(address), bytes, len(bytes))
library.libttsim_init()
write(0, struct.pack("<II", 0x00700513, 0xffffffff))
write(0xffb121b0, struct.pack("<I", 0x47000))
library.libttsim_clock(1000)
os.kill(os.getpid(), signal.SIGUSR1)
library.libttsim_clock(1)
library.libttsim_exit()
END
    PENROSE_DUMP_ON=exit,fault,signal PENROSE_DUMP_DIR=events PENROSE_DUMP_PARTS=harts \
        "$host_python" client.py "$library" >out 2>err
    report "dumps at events" "$(ls events | sed 's/^[0-9]*-//' | tr '\n' ' ' | grep -v '^1-fault 2-signal 3-exit $')"
    report "said on stderr" "$([ "$(grep -c 'dump written to events/' err)" -eq 3 ] || cat err)"
    expect "at the fault" 0 'out:brisc +faulted +1 instructions +pc 0x00000004' -- info events/*-1-fault
    PENROSE_CARD=p300 PENROSE_DUMP_ON=fault PENROSE_DUMP_DIR=pair PENROSE_DUMP_PARTS=harts \
        "$host_python" client.py "$library" >out 2>err
    expect "of one of two chips" 0 'out:a dump of blackhole, card p300-right, chip 0, at cycle' -- info pair/*-1-fault-chip0
    expect "as JSON" 0 'out:"chip_number": 0' -- info pair/*-1-fault-chip0 --json
    sed -i '/SIGUSR1/d' client.py
    PENROSE_DUMP_ON=never "$host_python" client.py "$library" >out 2>err
    report "a wrong event" "$(grep -q "PENROSE_DUMP_ON: 'never' is no event" err || cat err)"
fi

# --- The coprocessor ---

[ -e "$GUESTS/tensor/matmul-trisc0.elf" ] || { echo "no guest programs: the rest is left out"; finish; }
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/dumps.py" make a.npy b.npy
matmul=(run --hart "trisc0=$GUESTS/tensor/matmul-trisc0.elf" --hart "trisc1=$GUESTS/tensor/matmul-trisc1.elf"
    --hart "trisc2=$GUESTS/tensor/matmul-trisc2.elf"
    --poke 0x9000=0x40000,0x80000,0xc0000,2,2,2,5,5,5,5,0,0,1,4,0,0,0,0
    --input 0x40000=a.npy:Float16_b --input 0x80000=b.npy:Float16_b --output 0xc0000=c.npy:64x64:Float32)
expect "a product, looked at nowhere" 0 'out:done after [0-9]+ cycles' -- "${matmul[@]}"
cycles=$(grep -o 'after [0-9]* cycles' out)
expect "looked at" 0 "out:done $cycles" 'out:packed: dump at PACR, trisc2 of \(1, 2\)' -- \
    "${matmul[@]}" --dump-at PACR --dump-state packed
model "Dst has a tile of the product when it is packed" matmul packed c.npy a.npy
model "pictures of it" pictures packed/index.html
expect "at a function of the second TRISC" 0 'out:at main:2, ' 'out:trisc. is running' -- \
    "${matmul[@]}" --show-at main:2 --show gprs
for hart in trisc0 trisc1 trisc2; do
    expect "at a function of $hart" 0 "out:at $hart:main, $hart of \(1, 2\), in cycle [0-9]+" -- \
        "${matmul[@]}" --show-at "$hart:main" --show gprs
done
messages=1 expect "a function to which a hart does not come a second time" 0 \
    'show-at: trisc1:main:2 was not reached$' -- "${matmul[@]}" --show-at trisc1:main:2 --show gprs
messages=1 expect "a function of a hart without a program" 0 'show-at: brisc:main was not reached$' -- \
    "${matmul[@]}" --show-at brisc:main --show gprs
expect "an instruction that one hart pushes" 0 'out:at trisc2:PACR, trisc2 of' -- \
    "${matmul[@]}" --show-at trisc2:PACR --show gprs
messages=1 expect "and another does not" 0 'show-at: trisc1:PACR was not reached$' -- \
    "${matmul[@]}" --show-at trisc1:PACR --show gprs
expect "at a line" 0 'out:at matmul.h:[0-9]+, trisc1 of ' -- \
    "${matmul[@]}" --show semaphores --show-at "matmul.h:$(grep -n 'MVMUL' "$srcdir/firmware/tensor/matmul.h" | head -1 | cut -d: -f1)"
expect "several places" 0 'out:places/1: dump at MVMUL:3, ' 'out:places/2: dump at cycle:500' -- \
    "${matmul[@]}" --dump-at MVMUL:3 --dump-at cycle:500 --dump-state places
keep places/1/manifest.json
expect "what Src and LRegs hold there" 0 'out:SrcA bank 0, ' 'out:Float16_b, held by the Matrix Unit' \
    'out:LReg 10 0x3f800000 +1065353216 +1 in all lanes' 'out:LReg 15 0x00000000 +0 +2 +4 ' \
    'out:^ +0  2.8026e-45' 'out:gpr.4 +0x[0-9a-f]+ \([0-9-]+, [0-9.e-]+\)' -- \
    state places/1 --show src,dst,lregs,rwc,adc,config,tensix,noc,streams,cb,local,semaphores
# shown: the counters in `out`; kept: those in the dump.
shown() { sed -nE 's/^ +([0-9]\.(rwc|adc)\.[^ ]+) +([0-9]+) .*/\1 \3/p' out; }
kept() {
    "$python" -c 'import json
for name, value in json.load(open("places/1/1-2/tensix.json")).items():
    if value and (".rwc." in name or ".adc." in name): print(name, value)'
}
report "counters as the dump has them" "$(diff <(shown) <(kept | grep rwc; kept | grep adc) &&
    [ "$(kept | grep -c .)" -gt 3 ] || echo "they differ, or are few")"
finish
