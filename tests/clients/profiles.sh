#!/bin/bash
# Profiles, read by those for whom they are: slices, tracks, flows and counters by Perfetto's own Python
# package, launches by the vendor's tt-perf-report.
#
#   profiles.sh
#
# Exit code 77 where the packages cannot be had, without the firmware (scripts/fetch-firmware) or without a
# RISC-V cross compiler.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
packages=$(client_venv profiles 3 perfetto==0.59.1 tt-perf-report==1.4.1)/bin
set +e
# shellcheck source=tests/cli/lib.bash
. "$here/../cli/lib.bash" || exit 1

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || skip "no firmware"
firmware=$root/11660721212704224774

# reads NAME FILE TEXT...: the file is in order, and has something of each of these names.
reads() {
    local name=$1
    shift
    report "$name" "$("$packages/python" "$here/profiles/slices.py" "$@" 2>&1)"
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
report "what is not there is told" "$("$packages/python" "$here/profiles/slices.py" "$work/reads.pftrace" 'no such name' 2>&1 |
    grep -q '^nothing is called no such name' || echo "it is not")"

# Launches of a program on a grid.
"$srcdir/scripts/link-kernels" "$firmware" "$work/kernels" "$srcdir/firmware/grid/add" || exit 1
"$packages/python" -c 'import numpy, sys
for name in "ab": numpy.save(sys.argv[1] + "/" + name, numpy.ones((64, 128), numpy.float32))' "$work" || exit 1
sed 's/"grid": "8x4"/"grid": "4x2"/' "$srcdir/examples/add.json" >"$work/add.json"
expect "a sum on a grid" 0 -- run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" \
    --data "$work" --timing timed --profile "$work/sum.ops.csv"
expect "the same for Perfetto" 0 -- run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" \
    --data "$work" --timing timed --profile "$work/sum.pftrace"
reads "kernels are around functions, and launches say what bounds them" "$work/sum.pftrace" launches '1: kernels, 8 tiles' \
    'kernels>kernel_main' 'bound by *'
(cd "$work" && "$packages/tt-perf-report" --no-color --csv report.csv sum.ops.csv) >"$work/out" 2>"$work/err"
report "tt-perf-report reads it" "$("$packages/python" - "$work/report.csv" 2>&1 <<'PYTHON'
import csv, sys
(row,) = csv.DictReader(open(sys.argv[1]))
if row["Cores"] != "8" or not 1 < float(row["Device Time"]) < 100:
    print(row)
PYTHON
)"
finish
