#!/bin/bash
# `penrose exec --record` and `penrose replay`: the same again, who wrote last, files that are wrong.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v python3 >/dev/null || skip "no python3"
python=$(make_host_python)
export PENROSE_CACHE=$work/cache
unset PENROSE_RECORD PENROSE_SCHEDULE PENROSE_POLICY PENROSE_RUN_AHEAD

# A host: it puts the program beside it into L1 of tile 1,2, starts brisc, polls a word.
cat >"$work/host.py" <<'END'
import ctypes, os, signal, struct, sys
library = ctypes.CDLL(sys.argv[1])
X, Y, L1 = 1, 2, ctypes.c_uint64
def write(address, data):
    library.libttsim_tile_wr_bytes(X, Y, L1(address), data, len(data))
def read(address, size):
    data = ctypes.create_string_buffer(size)
    library.libttsim_tile_rd_bytes(X, Y, L1(address), data, size)
    return data.raw
library.libttsim_init()
# lui t1,4; addi t0,zero,0; addi t2,zero,1500; addi t0,t0,1; sw t0,0(t1); bne t0,t2,-8; j 0
write(0, struct.pack("<7I", 0x00004337, 0x00000293, 0x5dc00393, 0x00128293, 0x00532023, 0xfe729ce3,
                     0x0000006f))
write(0xffb121b0, struct.pack("<I", 0x47000))
for _ in range(1000):
    library.libttsim_clock(1)
    if struct.unpack("<I", read(0x4000, 4))[0] == 1500:
        break
else:
    sys.exit("the word did not come")
if len(sys.argv) > 2:
    os.kill(os.getpid(), signal.SIGKILL)
library.libttsim_exit()
END

messages=0 expect "recording" 0 -- exec --quiet --record "$work/a.rec" -- "$python" "$work/host.py" '{library}'
expect "replaying" 0 'out:a\.rec: the same: [0-9]+ reads in [0-9]+ cycles' -- replay "$work/a.rec"
expect "with threads, as JSON" 0 'out:"outcome": "same"' 'out:"exit_status": 0' -- replay --threads 2 --json "$work/a.rec"
for way in --free '--schedule lockstep' '--timing timed' '--schedule random:3'; do
    # shellcheck disable=SC2086 # two words
    expect "$way" 0 'out:the same: .*, time as it came' -- replay $way "$work/a.rec"
done
expect "the last writer" 0 'out:last writer: brisc of \(1, 2\) wrote 4 bytes at 0x00004000, at pc 0x10' -- \
    replay "$work/a.rec" --last-writer 1,2:0x4000
expect "the host as the last writer" 0 'out:last writer: host of \(1, 2\) wrote 28 bytes at 0x00000000' -- \
    replay "$work/a.rec" --last-writer 1,2:0x4
expect "a profile of a recording" 0 'out:the same: ' -- replay "$work/a.rec" --profile "$work/profile"
report "has its harts" "$(grep -qE '^  brisc +[1-9]' "$work/profile" || head -5 "$work/profile")"
expect "a profile to a full disk" 2 '--profile: cannot write /dev/full' 'out:the same: ' -- \
    replay "$work/a.rec" --profile /dev/full
expect "nobody" 0 'out:last writer: nobody' -- replay "$work/a.rec" --last-writer 1,2:0x8000
expect "a dump of the end" 0 'out:the same: ' -- replay "$work/a.rec" --dump-state "$work/dump"
expect "against itself" 0 'out:the same: ' 'out:the same: [0-9]+ items' -- \
    replay "$work/a.rec" --dump-state "$work/again" --against "$work/dump"
l1=$work/dump/1-2/l1.npy
printf '\356' | dd of="$l1" bs=1 seek=$(($(stat -c %s "$l1") - 1536 * 1024 + 0x4000)) conv=notrunc 2>/dev/null
messages=0 expect "against another one" 1 'out:1-2/l1\[0x4000\]' -- \
    replay "$work/a.rec" --dump-state "$work/again" --against "$work/dump"
# Several chips: links of a card, which are there before the recording begins, and one that is made behind that.
PENROSE_CARD=p300 PENROSE_LOOPBACK=20,25 PENROSE_RECORD=$work/chips.rec \
    "$python" "$work/host.py" "$builddir/.libs/libttsim.so"
PENROSE_CARD=p300 PENROSE_RECORD=$work/p300.rec "$python" "$work/host.py" "$builddir/.libs/libttsim.so"
for name in chips p300; do
    expect "two chips: $name" 0 'out:the same: [0-9]+ reads' -- replay "$work/$name.rec"
    expect "its second chip" 0 'out:the same: ' -- replay "$work/$name.rec" --chip 1 --dump-state "$work/$name"
    report "of which a dump is" "$(grep -q '"chip_number": 1' "$work/$name/manifest.json" || echo "not in its manifest")"
    expect "a third chip" 2 "--chip: .*$name.rec has chips 0 to 1" -- replay "$work/$name.rec" --chip 2
    expect "time as it comes" 0 'out:time as it came' -- replay "$work/$name.rec" --schedule lockstep
    expect "checks and profiles of both" 0 '^chip 0: checks: ' '^chip 1: checks: ' -- \
        replay "$work/$name.rec" --check --profile "$work/$name.csv"
    report "a profile of each" "$(grep -L '^"all","length",' "$work/$name.csv" "$work/$name.chip1.csv" 2>&1)"
done
expect "the last writer on a chip" 0 'out:last writer: brisc of \(1, 2\) wrote 4 bytes at 0x00004000' -- \
    replay "$work/chips.rec" --last-writer 1,2:0x4000
expect "and on the other one" 0 'out:last writer: nobody' -- \
    replay "$work/chips.rec" --chip 1 --last-writer 1,2:0x4000
expect "a second chip of one" 2 '--chip: .*a.rec has one chip, which is chip 0' -- replay "$work/a.rec" --chip 1
expect "against, and no dump" 2 "compares what --dump-state DIR writes" -- \
    replay "$work/a.rec" --against "$work/dump"
expect "against nothing" 2 "$work/none" -- \
    replay "$work/a.rec" --dump-state "$work/again" --against "$work/none"
expect "no tile" 2 'no tile with harts' -- replay "$work/a.rec" --last-writer 8,3:0x8000
expect "no place" 2 "names no place; write X,Y:ADDRESS" -- replay "$work/a.rec" --last-writer 0x8000
expect "no address" 2 "last-writer" -- replay "$work/a.rec" --last-writer 1,2:x
expect "last writer of another time" 2 "leave out --free" -- \
    replay "$work/a.rec" --free --last-writer 1,2:0x4000
expect "a wrong timing" 2 "choose functional or timed" -- replay "$work/a.rec" --timing x
expect "a wrong schedule" 2 "--schedule" -- replay "$work/a.rec" --schedule x
expect "two recordings" 2 "one recording is enough" -- replay "$work/a.rec" "$work/a.rec"
expect "none" 2 "name a recording" -- replay
expect "no such file" 2 "cannot be read: No such file" -- replay "$work/none"
expect "a folder" 2 "cannot be read: Is a directory" -- replay "$work"
expect "another file" 2 "this is no recording of Penrose" -- replay "$work/host.py"
{ head -c 8 "$work/a.rec" && printf '\011\0\0\0\0\0\0\0'; } >"$work/later.rec"
expect "another format" 2 "a recording of format 9; this build reads format 4" -- replay "$work/later.rec"
cp "$work/a.rec" "$work/damaged.rec"
printf 'x%.0s' {1..60} | dd of="$work/damaged.rec" bs=1 seek=200 conv=notrunc 2>/dev/null
expect "damage" 2 "the recording is damaged" -- replay "$work/damaged.rec"
{ PENROSE_RECORD="$work/killed.%p" "$python" "$work/host.py" "$builddir/.libs/libttsim.so" kill; } 2>/dev/null
messages=0 expect "a killed process" 5 'out:the recording is cut; what is there is the same' -- \
    replay "$work"/killed.[0-9]*
messages=0 expect "and as JSON" 5 'out:"outcome": "cut"' 'out:"exit_status": 5' -- \
    replay --json "$work"/killed.[0-9]*
PENROSE_RECORD="$work/none/x" "$python" "$work/host.py" "$builddir/.libs/libttsim.so" >"$work/out" 2>"$work/err"
report "a file that cannot be made" "$(grep -q 'PENROSE_RECORD: cannot write' "$work/out" "$work/err" || echo "no message")"
expect "no way back to a place" 2 'names no place' -- run --last-writer 1:0x8038 "$GUESTS/sort_crc.elf"
if [ -f "$GUESTS/sort_crc.elf" ]; then
    expect "the last writer of a bare program" 0 \
        'out:last writer: brisc of \(1, 2\) wrote 4 bytes at 0x00008038, at pc 0x[0-9a-f]+' \
        'out:in main\+0x[0-9a-f]+, .*sort_crc\.c:[0-9]+' -- \
        run --last-writer 1,2:0x8038 "$GUESTS/sort_crc.elf"
fi
finish
