#!/bin/bash
# Profiles in Perfetto's form, read by Perfetto's own Python package: slices, tracks, flows and counters.
#
#   perfetto.sh
#
# Exit code 77 where the package cannot be had, or without a RISC-V cross compiler.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
python=$(client_venv perfetto 3 perfetto==0.59.1)/bin/python
set +e
# shellcheck source=tests/cli/lib.bash
. "$here/../cli/lib.bash" || exit 1

# reads NAME FILE TEXT...: the file is in order, and has something of each of these names.
reads() {
    local name=$1
    shift
    report "$name" "$("$python" "$here/perfetto/read.py" "$@" 2>&1)"
}

# Waits: brisc sends by mailbox to trisc1 what trisc1 waits for.
[ -f "$GUESTS/pingpong-brisc.elf" ] || skip "no RISC-V cross compiler"
players=()
for hart in brisc trisc0 trisc1 trisc2; do
    players+=("--hart=$hart=$GUESTS/pingpong-$hart.elf")
done
expect "harts that wait" 0 -- run "${players[@]}" --timing timed --profile "$work/wait.pftrace"
reads "slices begin and end in order" "$work/wait.pftrace" 'tile 1,2' brisc trisc1 'waits: mailboxes' releases 'goes on'

make_reads_elf "$work/reads.elf"
expect "50 reads of 64 bytes" 0 -- run "$work/reads.elf" --timing timed --profile "$work/reads.pftrace"
reads "flows and counters" "$work/reads.pftrace" 'NoC 0' 'read of 64 bytes, tile 17,13' 'DRAM: bytes in 256 cycles=3200' \
    releases 'goes on'
report "what is not there is told" "$("$python" "$here/perfetto/read.py" "$work/reads.pftrace" 'no such name' 2>&1 |
    grep -q '^nothing is called no such name' || echo "it is not")"
finish
