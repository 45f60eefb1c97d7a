#!/bin/bash
# Our library leaves the memory, registers and counters that the golden NoC cases tell, with one host
# thread and with two, and the tester's messages and exit codes are as its --help says.
tester=noc
# shellcheck source=tests/difftest/golden.bash
. "$srcdir/tests/difftest/golden.bash" || exit 1

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

PENROSE_THREADS=2 expect "with two threads" 0 '^[0-9]{3} cases, 0 differ$' \
    --ours "$library" --golden "$golden"
expect "a wrong expectation" 1 'WR_ACK_RECEIVED: ours 0x1, expected 0x2' \
    --ours "$library" --golden "$work/wrong.case"
expect "an unsound case" 2 "kind, agent, phase or memory is out of range" \
    --ours "$library" --golden "$work/unsound.case"
expect "no mutant" 2 'has no row frobnicate' --falsify frobnicate --ours "$library"

golden_end
