#!/bin/bash
# `--trace`, `--trace-filter` and `penrose trace`: text and binary form, filters, files that are none.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# a0 = 100; do a0-- while (a0); store it at 0x400; a1 = [0xffb121f0]
make_elf "$work/loop.elf" 0 \
    "0 5 06400513 fff50513 fe051ee3 40a02023 ffb127b7 1f07a583 00100073"

expect "trace as text" 0 '^ +0 +1,2 +brisc +0x00000000 06400513  addi a0, zero, 100 +a0=0x00000064' \
    'store 0x00000400 <- 0x00000000  4 bytes' 'load  0xffb121f0 -> 0x' -- run "$work/loop.elf" --trace
lines=$(grep -c ' brisc ' "$work/err")
cycles=$(sed -n 's/.* after \([0-9]*\) cycles.*/\1/p' "$work/out")
expect "trace in binary form" 0 -- run "$work/loop.elf" "--trace=$work/t.ptrace"
report "as many cycles" "$([ "$(sed -n 's/.* after \([0-9]*\) cycles.*/\1/p' "$work/out")" = \
    "$cycles" ] || echo "not $cycles")"
expect "no trace" 0 -- run "$work/loop.elf"
report "as many cycles without a trace" "$([ "$(sed -n 's/.* after \([0-9]*\) cycles.*/\1/p' \
    "$work/out")" = "$cycles" ] || echo "not $cycles")"
expect "the binary form as text" 0 'out:^ +0 +1,2 +brisc +0x00000000 06400513  addi a0, zero, 100' \
    'out:store 0x00000400 <- 0x00000000' -- trace "$work/t.ptrace" --text
report "as many lines" "$([ "$(wc -l <"$work/out")" -eq "$lines" ] || echo "not $lines")"
expect "as JSON" 0 'out:^\{"cycle":0,"tile":\[1,2\],"agent":"brisc","kind":"instruction",.*"text":"addi a0, zero, 100","register":"x10","result":100' \
    'out:"kind":"memory","value":0,"writes":true,"address":1024,"size":4' -- \
    trace "$work/t.ptrace" --json
report "a line each" "$([ "$(wc -l <"$work/out")" -eq "$lines" ] || echo "not $lines")"
expect "a summary" 0 'out:^ +205 .* instruction$' 'out:^ +101 .* addi$' 'out:^ +100 .* bne$' \
    'out: 207 of 207 events, cycles 0 to' -- trace "$work/t.ptrace" --summary
expect "a summary as JSON" 0 'out:"command": "trace"' 'out:"outcome": "done"' 'out:"exit_status": 0' 'out:"events": 207' 'out:"name": "bne",' -- \
    trace "$work/t.ptrace" --summary --json
expect "a filter of a file" 0 'out:^ +1 .* memory$' 'out:\(1, 2\) brisc writes$' -- \
    trace "$work/t.ptrace" --summary address=0x400 kind=memory
report "and nothing else" "$(grep -q ' addi' "$work/out" && echo "instructions")"
expect "a filter of a run" 0 'load  0xffb121f0' -- \
    run "$work/loop.elf" --trace-filter 'kind=register tile=1,2 hart=brisc'
report "is the only line" "$([ "$(grep -c ' brisc ' "$work/err")" -eq 1 ] || echo "it is not")"
expect "a filter of a run in binary form" 0 -- run "$work/loop.elf" "--trace=$work/f.ptrace" \
    --trace-filter 'cycle=0-10'
expect "holds what passes" 0 'out: 11 of 11 events' -- \
    trace "$work/f.ptrace" --summary

# --- Mistakes ---

expect "a wrong filter of a run" 2 "--trace-filter: 'hart=nobody' is no filter" -- \
    run "$work/loop.elf" --trace-filter hart=nobody
expect "a wrong filter of a file" 2 "'colour=red' is no filter of a trace; words are tile=" -- \
    trace "$work/t.ptrace" colour=red
expect "no file" 2 'name a file' -- trace
expect "a file that is not there" 2 'cannot read .*/absent' -- trace "$work/absent"
expect "a file that is text" 2 'no trace in binary form; one is written to a file whose name ends' -- \
    trace "$work/loop.elf"
: >"$work/empty"
expect "an empty file" 2 'no trace in binary form' -- trace "$work/empty"
cat "$work/t.ptrace" "$work/t.ptrace" >"$work/twice"
expect "files that follow each other" 0 'out: 414 of 414 events' -- trace "$work/twice" --summary
head -c $(($(wc -c <"$work/t.ptrace") + 100)) "$work/twice" >"$work/cut"
messages=1 expect "a file that was cut" 0 'ends in the middle of a block' 'out: 207 of 207 events' -- \
    trace "$work/cut" --summary
{ cat "$work/t.ptrace"; head -c 60 "$work/t.ptrace"; tail -c +100 "$work/t.ptrace"; } >"$work/bad"
head -c 4000 /dev/zero >>"$work/bad"
expect "a file that is damaged" 2 'the trace is damaged' 'out:addi a0, zero, 100' -- \
    trace "$work/bad"
size=$(wc -c <"$work/t.ptrace")
for place in 4 9 13 17 60 200; do # mark, version, sizes and frame of the second of three
    cat "$work/twice" "$work/t.ptrace" >"$work/middle"
    printf '\x7f' | dd of="$work/middle" bs=1 seek=$((size + place)) conv=notrunc status=none
    expect "a block that is damaged at byte $place" 2 '1 of its blocks cannot be read, the other 2 are shown' \
        'out: 414 of 414 events' -- trace "$work/middle" --summary
done
expect "the same as JSON" 2 'out:"damaged_blocks": 1' -- trace "$work/middle" --summary --json
printf 'PNRSTRC\0\3%0100d' 0 >"$work/later"
expect "another version" 2 'version .*, this program reads versions 1 to 3' -- trace "$work/later"
expect "nowhere to write" 2 '--trace: cannot write /nowhere/t.ptrace' -- \
    run "$work/loop.elf" --trace=/nowhere/t.ptrace
if [ -w /dev/full ]; then
    ln -s /dev/full "$work/full.ptrace"
    expect "a full disk" 2 "--trace: cannot write .*full.ptrace: No space" -- \
        run "$work/loop.elf" "--trace=$work/full.ptrace"
fi

# --- For tt-npe ---

# put OFFSET VALUE: lines that store to a register of the command buffer at s0
lines=()
put() {
    local low=$((($2 & 0xfff) - ($2 & 0x800) * 2))
    lines+=("lui a4, $((($2 - low) >> 12 & 0xfffff))" "addi a4, a4, $low" "sw a4, $1(s0)")
}
# request NIU TARGET_TILE BACK_TILE BYTES CTRL: from 0x8000 of the target to 0x3000 of the other tile
request() {
    lines+=("lui s0, $1")
    put 0x00 $((0x8000)) && put 0x08 "$2" && put 0x0c $((0x3000)) && put 0x14 "$3"
    put 0x20 "$4" && put 0x1c "$5" && put 0x40 1
}
own=$((1 | 2 << 6)) other=$((2 | 2 << 6))
rectangle=$((4 | 3 << 6 | 3 << 12 | 2 << 18)) # from 3, 2 to 4, 3
request 0xffb20 "$other" "$own" 32 0  # a read over NoC 0
request 0xffb30 "$own" "$other" 64 18 # a write over NoC 1, with an acknowledgement
request 0xffb20 "$own" "$rectangle" 48 50 # one to four tiles
lines+=('lui a5, 1' 'addi a5, a5, -1' "bne a5, zero, $((0x1000 + 4 * (${#lines[@]} + 1)))" 'ebreak')
words=$("$PENROSE" asm --pc 0x1000 "${lines[@]}")
make_elf "$work/noc.elf" $((0x1000)) "4096 7 ${words//$'\n'/ }"
expect "requests to the NoC" 0 -- run "$work/noc.elf" "--trace=$work/noc.ptrace"
expect "as tt-metal's profiler writes them" 0 -- trace "$work/noc.ptrace" --noc-trace "$work/noc.json"
report "they are all there" "$(python3 - "$work/noc.json" <<'PYTHON' 2>&1
import json, sys
events = json.load(open(sys.argv[1]))
begin, end = ["proc", "noc", "vc", "sx", "sy"], ["type", "num_bytes", "timestamp"]
unicast = [*begin, "dx", "dy", *end]
rectangle = ["mcast_start_x", "mcast_start_y", "mcast_end_x", "mcast_end_y"]
assert [list(e) for e in events] == [unicast, unicast, [*begin, *rectangle, *end]], events
read, write, many = events
assert (read["proc"], read["noc"], read["type"], read["num_bytes"]) == ("BRISC", "NOC_0", "READ", 32), read
assert (read["sx"], read["sy"], read["dx"], read["dy"], read["timestamp"]) == (1, 2, 2, 2, 0), read
assert (write["noc"], write["type"], write["num_bytes"]) == ("NOC_1", "WRITE_", 64), write
assert (write["sx"], write["sy"], write["dx"], write["dy"]) == (1, 2, 2, 2), write
assert 10 < write["timestamp"] < 100, write
assert (many["noc"], many["type"], many["num_bytes"]) == ("NOC_0", "WRITE_MULTICAST", 48), many
assert [many[name] for name in rectangle] == [3, 2, 4, 3], many
PYTHON
)"
for two in "--summary --profile $work/p.txt" "--summary --noc-trace $work/n.json" \
    "--profile $work/p.txt --noc-trace $work/n.json"; do
    # shellcheck disable=SC2086 # several words
    expect "two things in place of events: ${two//$work\//}" 2 'choose one of them' -- trace "$work/noc.ptrace" $two
done
expect "nowhere to write requests" 2 '--noc-trace: cannot write /nowhere/n.json' -- \
    trace "$work/noc.ptrace" --noc-trace /nowhere/n.json
[ ! -w /dev/full ] || expect "a full disk for requests" 2 '--noc-trace: cannot write /dev/full: No space' -- \
    trace "$work/noc.ptrace" --noc-trace /dev/full

if [ -e "$GUESTS/tensix-trisc0.elf" ]; then
    expect "a trace of the coprocessor" 0 -- run --hart "trisc0=$GUESTS/tensix-trisc0.elf" \
        --hart "trisc1=$GUESTS/tensix-trisc1.elf" --hart "trisc2=$GUESTS/tensix-trisc2.elf" \
        "--trace=$work/tensix.ptrace"
    expect "and as JSON" 0 'out:"agent":"scalar unit","kind":"data"' 'out:"kind":"tensix","thread":0' \
        'out:"kind":"wait",.*"begins":true' 'out:"kind":"register"' -- \
        trace "$work/tensix.ptrace" --json cycle=0-1400
    expect "its summary as JSON" 0 'out:"waited": [1-9]' 'out:"name": "trisc0: ' -- \
        trace "$work/tensix.ptrace" --summary --json
fi
finish
