#!/bin/bash
# `penrose exec --record-launch` and `penrose run PROGRAM.json` of what it has written: the same
# results by themselves, and others with other arguments; what cannot be recorded is told.
# SKIP without the firmware (scripts/fetch-firmware) or without a cross compiler.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
unset PENROSE_RECORD PENROSE_RECORD_LAUNCH PENROSE_LAUNCHES PENROSE_FIRMWARE PENROSE_REPORT PENROSE_SYMBOLS LLK_HOME
unset TT_METAL_CACHE TT_METAL_HOME TT_METAL_RUNTIME_ROOT

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || skip "no firmware"
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || skip "no RISC-V cross compiler"
host=$builddir/tests/firmware/launching_host
firmware=
for drisc in "$root"/*/drisc; do
    firmware=${drisc%/drisc}
done
[ -n "$firmware" ] || skip "no firmware for Blackhole"
"$srcdir/scripts/link-kernels" "$firmware" "$work/kernels" || exit 1

# A cache as tt-metal has it, with several sets of firmware.
mkdir -p "$work/cache" "$work/empty"
for drisc in "$root"/*/drisc; do
    set=${drisc%/drisc}
    mkdir "$work/cache/tt-metal-cache${set##*/}"
    ln -s "$set" "$work/cache/tt-metal-cache${set##*/}/firmware"
done
own=$work/cache/tt-metal-cache${firmware##*/}
for hart in brisc ncrisc trisc0 trisc1 trisc2; do
    mkdir -p "$own/kernels/five/1234/$hart"
    cp "$work/kernels/$hart.elf" "$own/kernels/five/1234/$hart"
done
export TT_METAL_CACHE=$work/cache HOME=$work/empty

# What a description is to write, of the tiles with kernels and of the third one, which counts.
look='"l1": {"R": {"address": "0x80000", "format": "UInt32", "layout": "rows", "rows": 1, "columns": 5,
  "tiles": "0-1,0", "output": "r.npy"}, "C": {"address": "0x200", "format": "UInt32", "layout": "rows",
  "rows": 1, "columns": 1, "tiles": "2,0", "output": "count.npy"}},'

# results NUMBER: the words that a launch has left on two tiles, as the host has printed them.
results() {
    sed -n "s/^$1://p" "$work/host.out" | tr -d '\n'
}

# replayed FILE: the same after `penrose run` of the description, which gets the place to look at.
replayed() {
    local folder=${1%/*}
    { head -1 "$1" && echo "$look" && tail -n +2 "$1"; } >"$folder/look.json"
    expect "replay of ${folder##*/}${2:+, $2}" 0 'out:"outcome": "done"' 'out:"tiles": 2' -- \
        run "$folder/look.json" --dump-state "$folder/dump" --json
    od -An -v -tx4 -w4 -j128 "$folder/r.npy" | tr -d '\n'
}

# --- Both ways to launch ---

messages=1 expect "recording" 0 'penrose: 2 launches written to .*/all$' -- exec --quiet --fast-dispatch \
    --record-launch "$work/all" -- "$host" "$firmware" "$work/kernels"
cp "$work/out" "$work/host.out"
for launch in 1 2; do
    file=$work/all/launch-00$launch/PROGRAM.json
    replayed "$file" >"$work/replayed" 2>&1
    grep -E '^(ok|FAIL)' "$work/replayed"
    report "results of launch $launch" "$([ "$(tail -1 "$work/replayed")" = "$(results 7$launch)" ] ||
        diff <(tail -1 "$work/replayed") <(results "7$launch"))"
done
file=$work/all/launch-001/PROGRAM.json
keep "$work"/all/*/PROGRAM.json "$work/all/launch-001/dump/manifest.json"
report "who launched" "$(grep -q 'by the host.*number 71; 2 tiles"' "$file" &&
    grep -q 'by a kernel.*number 72; 2 tiles"' "$work/all/launch-002/PROGRAM.json" ||
    grep -h description "$work"/all/*/PROGRAM.json)"
report "kernels by their files" "$(grep -q '/kernels/five/1234/{hart}/{hart}.elf"' "$file" || cat "$file")"
report "semaphores as they began" "$(grep -q '{"values": \[0, 0\], "tiles": \["0-1,0"\]}' "$file" || grep -A3 semaphores "$file")"
report "NoCs of tiles" "$([ "$(grep -c '"noc": 1' "$file")" -eq 2 ] || cat "$file")"
report "a firmware by its code" "$(grep -q "\"firmware\": \"$(realpath "$root")/[0-9]*\"" "$file" || grep firmware "$file")"
report "what lies in the tile afterwards" "$([ -s "$work/all/launch-001/dump/1-2/l1.npy" ] || echo missing)"

expect "of a functional run, timed" 0 'out:^ +[0-9]{5,} cycles .* noc=free$' -- what-if --free noc -- run "$file"

# --- Other arguments ---

sed 's/"common_arguments": \["0x5"/"common_arguments": ["0x6"/' "$file" >"$work/all/launch-001/six.json"
replayed "$work/all/launch-001/six.json" "with six pages" >"$work/replayed" 2>&1
report "six pages" "$(tail -1 "$work/replayed" | grep -q '^ 50454e52 00000006 00001800 ' || tail -1 "$work/replayed")"

# The third tile stands still, however long the others take.
second=$work/all/launch-002
cp "$second/count.npy" "$work/count.npy"
sed 's/"common_arguments": \["0x13"/"common_arguments": ["0x20"/' "$second/PROGRAM.json" >"$second/more.json"
replayed "$second/more.json" "with more pages" >"$work/replayed" 2>&1
report "more pages" "$(tail -1 "$work/replayed" | grep -q '^ 50454e52 00000020 ' || tail -1 "$work/replayed")"
report "tiles without kernels are held" "$(cmp "$work/count.npy" "$second/count.npy" 2>&1)"
report "and had begun to count" "$([ "$(od -An -td4 -j128 "$work/count.npy")" -gt 0 ] || echo no)"

# --- Some of them; a folder that is there ---

messages=1 expect "the second alone" 0 '1 launch written to' -- exec --quiet --fast-dispatch \
    --record-launch "$work/all" --launches 2,5-9 -- "$host" "$firmware" "$work/kernels"
report "beside the older one" "$(ls "$work"/all/launch-002-[0-9]*/PROGRAM.json 2>&1 >/dev/null)"
report "and no other" "$([ ! -e "$work"/all/launch-001-[0-9]* ] || ls "$work/all")"
messages=1 expect "none of them" 0 '0 launches written to .*/none: none of 2 was chosen \(PENROSE_LAUNCHES\)$' -- \
    exec --quiet --fast-dispatch --record-launch "$work/none" --launches 7 -- "$host" "$firmware" "$work/kernels"
messages=1 expect "slow dispatch: no kernel launches" 0 '1 launch written to' -- exec --quiet \
    --record-launch "$work/slow" -- "$host" "$firmware" "$work/kernels"

# --- On the second of two chips ---

messages=1 expect "two chips" 0 'chip 1: 2 launches written to' -- exec --quiet --fast-dispatch \
    --card p300 --record-launch "$work/chips" -- "$host" "$firmware" "$work/kernels" 1
cp "$work/out" "$work/host.out"
report "folders of the second" "$([ "$(ls "$work/chips")" = $'launch-001-chip1\nlaunch-002-chip1' ] || ls "$work/chips")"
for launch in 1 2; do
    described=$work/chips/launch-00$launch-chip1/PROGRAM.json
    replayed "$described" >"$work/replayed" 2>&1
    grep -E '^(ok|FAIL)' "$work/replayed"
    report "results of its launch $launch" "$([ "$(tail -1 "$work/replayed")" = "$(results 7$launch)" ] ||
        diff <(tail -1 "$work/replayed") <(results "7$launch"))"
done
report "the chip is told" "$(grep -qx '  "chip": 1,' "$described" || cat "$described")"
keep "$work"/chips/*/PROGRAM.json
expect "another chip" 2 '--chip: .*chip.snapshot has no chip 2; it has 2' -- run "$described" --chip 2

# --- With a recording of all ---

messages=1 expect "both" 0 '2 launches written to' -- exec --quiet --fast-dispatch \
    --record-launch "$work/both" --record "$work/both.rec" -- "$host" "$firmware" "$work/kernels"
expect "the recording, too" 0 'out:both.rec: the same: ' -- replay "$work/both.rec"

# --- Dumps of the host's program know the same files ---

PENROSE_DUMP_ON=exit PENROSE_DUMP_DIR=$work/dumps messages=1 expect "a dump" 0 'dump written to' -- \
    exec --quiet --fast-dispatch -- "$host" "$firmware" "$work/kernels"
report "names kernels" "$(grep -q '/kernels/five/1234/trisc1/trisc1.elf"' "$work"/dumps/*/manifest.json 2>&1 ||
    grep -h '"path"' "$work"/dumps/*/manifest.json)"

# --- What kernels leave behind ---

cp -r "$srcdir/firmware/kernels" "$work/left"
sed -i 's/^    L1_SEMAPHORE(SEMAPHORE_FINISHED) =.*/    volatile uint32_t *noc = (volatile uint32_t *)0xffb20000;\
    uint32_t words[9] = {0x1000, 0, 17 | 12 << 6, 0x80200, 0, noc[0x148 \/ 4] \& 0xfff, 0, 0, 32};\
    for (uint32_t i = 0; i < 9; i++) {\
        noc[i] = words[i];\
    }\
    noc[16] = 1; \/* a read of DRAM *\/\
&/' "$work/left/brisc.c"
if "$srcdir/scripts/link-kernels" "$firmware" "$work/leaving" "$work/left" 2>"$work/link"; then
    mkdir -p "$own/kernels/left/1234/brisc"
    cp "$work/leaving/brisc.elf" "$own/kernels/left/1234/brisc"
    messages=1 expect "a read that nobody waits for" 0 \
        '^penrose: noc-open: tile \(1, 2\) brisc at pc .*brisc\.c:[0-9]+: the kernel ends and has not waited for this NoC read; noc_async_read_barrier\(\) is missing' \
        -- exec --quiet --record "$work/left.rec" -- "$host" "$firmware" "$work/leaving"
    mkdir -p "$work/runner/tt-llk-build"
    cp "$work/leaving/brisc.elf" "$work/runner/tt-llk-build"
    for place in PENROSE_SYMBOLS="$own" LLK_HOME=/llk PENROSE_SYMBOLS="$work/nothing"; do
        lines='brisc at pc .*brisc\.c:[0-9]+' complaints=1
        [ "$place" != PENROSE_SYMBOLS="$work/nothing" ] || lines='brisc at pc 0x[0-9a-f]+:' complaints=2
        messages=$complaints expect "programs of a host in $place" 0 "noc-open: .* $lines.*noc_async_read_barrier" -- \
            exec --quiet -- env "$place" PENROSE_FIRMWARE="$firmware" TT_METAL_CACHE="$work/nothing" \
            RUNNER_TEMP="$work/runner" "$host" "$firmware" "$work/leaving"
    done
    for symbols in "$work/cache" "$own" ""; do
        TT_METAL_CACHE=$([ -n "$symbols" ] && echo "$work/empty" || echo "$work/cache") \
            expect "checks of its recording${symbols:+, programs in ${symbols##*/}}" 0 \
            '^noc-open: .* brisc .*brisc\.c:[0-9]+.*noc_async_read_barrier' \
            '^checks: [12] findings?, ' -- \
            replay "$work/left.rec" --free --check=noc ${symbols:+--symbols "$symbols"}
    done
else
    report "linking" "$(cat "$work/link")"
fi

# --- One that hangs ---

cp -r "$srcdir/firmware/kernels" "$work/hang"
sed -i 's/done < pages; done++/done <= pages; done++/' "$work/hang/brisc.c" # a page that nobody pushes
if "$srcdir/scripts/link-kernels" "$firmware" "$work/hanging" "$work/hang" 2>"$work/link"; then
    mkdir -p "$own/kernels/hang/1234/brisc"
    cp "$work/hanging/brisc.elf" "$own/kernels/hang/1234/brisc"
    messages=3 expect "it is told and written" 122 'root cause: nobody pushes pages to circular buffer ' \
        'penrose: 1 launch written to' -- exec --quiet --on-hang stop --record-launch "$work/hung" -- \
        "$host" "$firmware" "$work/hanging"
    messages=2 expect "and hangs by itself" 4 'root cause: nobody pushes pages to circular buffer 16, which is empty: trisc2 has ended' \
        'show-at: nosuch\.cpp:8 was not reached; no program on these tiles has such a place' -- \
        run "$work/hung/launch-001/PROGRAM.json" --show gprs --show-at nosuch.cpp:8
else
    report "linking" "$(cat "$work/link")"
fi

# --- What cannot be ---

TT_METAL_CACHE=$work/empty PENROSE_FIRMWARE=$firmware messages=3 \
    expect "no kernels" 0 'launch 1: the kernel of brisc on tile \(1, 2\) is in no file under .*/empty' \
    '0 launches written' -- exec --quiet --fast-dispatch --record-launch "$work/none" -- \
    "$host" "$firmware" "$work/kernels"
report "nor anything of it" "$([ ! -e "$work/none/launch-001" ] || ls "$work"/none/*)"
TT_METAL_CACHE=$work/empty messages=2 \
    expect "no firmware" 0 'no launch was recorded: the firmware is not known; PENROSE_FIRMWARE names it' \
    -- exec --quiet --record-launch "$work/none" -- "$host" "$firmware" "$work/kernels"
echo >"$work/file"
messages=1 expect "no folder" 0 "PENROSE_RECORD_LAUNCH: $work/file/x cannot be made: Not a directory" -- \
    exec --quiet --record-launch "$work/file/x" -- "$host" "$firmware" "$work/kernels"
PENROSE_LAUNCHES=x messages=2 expect "no numbers" 0 "PENROSE_LAUNCHES: 'x' is no number from 1 on" -- \
    exec --quiet --record-launch "$work/numbers" -- "$host" "$firmware" "$work/kernels"
expect "no numbers as an option" 125 "launches: '0' is no number from 1 on" -- \
    exec --record-launch "$work/a" --launches 0 -- true
expect "numbers alone" 125 'launches says which ones; add --record-launch DIR' -- \
    exec --launches 1 -- true
rm "$work/all/launch-001/chip.snapshot"
expect "the snapshot is missing" 2 'chip.snapshot: cannot be read' -- run "$file"

# --- A trace of the host's programs has functions and lines ---

expect "a trace" 0 -- exec --quiet --fast-dispatch --trace "$work/t.ptrace" \
    --trace-filter 'tile=1,2 kind=instruction' -- "$host" "$firmware" "$work/kernels"
expect "its lines" 0 'out:[+]0x[0-9a-f]+ +[^ ]*kernels/brisc[.]c:[0-9]+$' -- trace "$work/t.ptrace" hart=brisc
printf '{"first": %s, "end": %s, "name": "ttnn.%s"}\n' 71 72 first 72 73 second >"$work/told"
expect "its launches by what the host has told of them" 0 -- trace "$work/t.ptrace" --profile "$work/t.txt" \
    --operations "$work/told"
report "of which there are two" "$(grep -q '^Launch 1 (ttnn.first: ' "$work/t.txt" && grep -q '^Launch 2 (ttnn.second: ' "$work/t.txt" ||
    cat "$work/t.txt")"
report "their numbers" "$("$PENROSE" trace "$work/t.ptrace" --json | grep -oE '"program": ?[0-9]+' | uniq | tr -dc '0-9\n' |
    tr '\n' ' ' | grep -vx '71 72 ')"
expect "what is told nowhere" 2 'operations: cannot read /nowhere: No such file' -- \
    trace "$work/t.ptrace" --profile "$work/t.txt" --operations /nowhere
report "names of all but the first jump" \
    "$("$PENROSE" trace "$work/t.ptrace" --json | grep -v '"symbol"' | grep -v '"pc":"0x00000000"' | head -3)"
finish
