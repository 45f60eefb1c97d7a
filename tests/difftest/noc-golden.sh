#!/bin/bash
# Our library leaves the memory, registers and counters that the golden NoC cases tell, with one host
# thread and with two, and the tester's messages and exit codes are as its --help says.
set -u
difftest=$builddir/tests/difftest/noc/difftest-noc
library=$builddir/.libs/libttsim.so
golden=$srcdir/tests/golden/noc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect NAME EXIT PATTERN ARGUMENT...: the exit code, and what stdout and stderr must match.
expect() {
    local name=$1 wanted=$2 pattern=$3 status=0
    shift 3
    timeout 120 "$difftest" "$@" >"$work/out" 2>&1 </dev/null || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -qE -- "$pattern" "$work/out"; then
        echo "$name: exit code $status, expected $wanted and /$pattern/:"
        tail -n 40 "$work/out"
        failures=$((failures + 1))
    fi
}

# A write of 64 bytes from (1, 2) to (2, 2), which is not what the state tells.
cat >"$work/wrong.case" <<'END'
case 1
arena width=2 height=2 phases=1
memory base=0x40000
memory number=1 base=0x40000
memory number=2 base=0x40000
memory number=3 base=0x40000
agent nocs=3
write there=1 address=0x40000 local=0x40100 length=64
state
expect 0x2 NoC 0 of (1, 2) WR_ACK_RECEIVED
END
sed '/multicast/d; s/length=64/length=64 agent=7/' "$work/wrong.case" >"$work/unsound.case"
echo "write there=1" >"$work/broken.case"
mkdir "$work/empty"

expect "golden cases" 0 '^[0-9]{3} cases, 0 differ$' --ours "$library" --golden "$golden"
PENROSE_THREADS=2 expect "with two threads" 0 '^[0-9]{3} cases, 0 differ$' \
    --ours "$library" --golden "$golden"
expect "a wrong expectation" 1 'WR_ACK_RECEIVED: ours 0x1, expected 0x2' \
    --ours "$library" --golden "$work/wrong.case"
expect "an unsound case" 2 "kind, agent, phase or memory is out of range" \
    --ours "$library" --golden "$work/unsound.case"
expect "a broken file" 2 'broken.case: line 1: expected "case"' \
    --ours "$library" --golden "$work/broken.case"
expect "no cases" 2 'no cases' --ours "$library" --golden "$work/empty"
expect "no folder" 2 'cannot read' --ours "$library" --golden "$work/none"
expect "no library" 3 'cannot use --ours .*/none.so' --ours "$work/none.so" --golden "$golden"
expect "another library" 3 'has no function libttsim_init' --ours libc.so.6 --golden "$golden"
expect "no option" 2 'ours is missing'
expect "no mutant" 2 'has no row frobnicate' --falsify frobnicate --ours "$library"
expect "help" 0 'Exit codes: 0 no mismatch' --help

[ "$failures" -eq 0 ]
