#!/bin/bash
# Profiles, read by those for whom they are: slices, tracks, flows and counters by Perfetto's own Python
# package, launches by the vendor's tt-perf-report; and names of ttnn's operations, of an unmodified program.
#
#   profiles.sh
#
# ttnn-fast.sh tells what ttnn needs. Exit code 77 where the packages cannot be had, without the firmware
# (scripts/fetch-firmware) or without a RISC-V cross compiler.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"
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

expect "kernels as tt-metal's profiler writes them" 0 -- run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" \
    --data "$work" --timing timed --profile "$work/profile_log_device.csv"
report "begin and end on each tile and hart" "$("$packages/python" - "$work/profile_log_device.csv" "$work/report.csv" 2>&1 <<'PYTHON'
import collections, csv, sys
lines = open(sys.argv[1]).read().splitlines()
rows = list(csv.DictReader(lines[1:], skipinitialspace=True))
zones = collections.defaultdict(dict)
for row in rows:
    name = row["core_x"], row["core_y"], row["RISC processor type"], row["run host ID"]
    assert row["zone name"] == name[2].split("_")[0] + "-KERNEL" and row["type"] not in zones[name], row
    zones[name][row["type"]] = int(row["time[cycles since reset]"])
assert "CHIP_FREQ[MHz]: 1350" in lines[0], lines[0]
assert {name[2] for name in zones} == {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"}, zones
assert len({name[:2] for name in zones}) == 8 and len(zones) == 40 and {name[3] for name in zones} == {"1"}, zones
assert all(zone["ZONE_START"] < zone["ZONE_END"] for zone in zones.values()), zones
longest = max(z["ZONE_END"] for z in zones.values()) - min(z["ZONE_START"] for z in zones.values())
(launch,) = csv.DictReader(open(sys.argv[2]))
assert abs(longest / 1350 - float(launch["Device Time"])) < 0.01, (longest, launch)
PYTHON
)"
expect "which compare reads" 0 'out:40 points: 0 slower' -- compare --perf "$work/profile_log_device.csv" "$work/profile_log_device.csv"

# A chain of semaphores over four tiles, of which each works before it lets the next one go.
mkdir "$work/chain"
cat >"$work/chain/brisc.c" <<'C'
#include "grid/dataflow.h"
void kernel_main(void)
{
    dataflow_begin();
    if (get_argument(0) > 0) {
        semaphore_wait_at_least(0, 1);
    }
    for (volatile uint32_t turns = get_argument(1); turns > 0; turns--) {
    }
    if (get_argument(2) != own_tile()) {
        semaphore_add(0, get_argument(2), 1);
        atomic_barrier();
    }
}
C
cat >"$work/chain.json" <<'JSON'
{"grid": "4x1", "semaphores": [0],
 "kernels": [{"hart": "brisc", "arguments": ["x", "300", "noc(min(x + 1, columns - 1))"]}]}
JSON
"$srcdir/scripts/link-kernels" "$firmware" "$work/linked" "$work/chain" >/dev/null || exit 1
expect "a chain of semaphores over tiles" 0 -- run "$work/chain.json" --firmware "$firmware" --kernels "$work/linked" \
    --timing timed --profile "$work/chain.csv"
report "is the critical path" "$("$packages/python" - "$work/chain.csv" 2>&1 <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
def cycles(kind, *lines):
    return sum(int(row["cycles"]) for row in rows
               if row["kind"] == kind and (not lines or row["lane"] == "brisc" and int(row["line"]) in lines))
length = sum(int(row["cycles"]) for row in rows if row["kind"] == "length" and row["lane"] == "launch 1")
work = cycles("busy", 8, 9)  # on four tiles
if not 0.7 * length < work < length or cycles("critical", 8, 9) < 0.95 * work or cycles("critical") != length:
    print(length, work, cycles("critical", 8, 9), cycles("critical"))
PYTHON
)"
# Calls of a program of ttnn: in slow dispatch by a trace, in fast dispatch by a profile of the program itself.
library=$(client_library "") && ttnn_setup "$(ttnn_venv numpy)" || exit
called='ttnn\.add \(launches\.py:[0-9]+\) of 64x64, 64x64, eltwise/binary_ng: |ttnn\.matmul \(launches\.py:[0-9]+\) of 256x256, 256x256, matmul: '
PENROSE_SCHEDULE=timed PENROSE_TRACE=$work/ttnn.ptrace PENROSE_OPERATIONS=$work/ttnn.jsonl \
    ttnn_run "$library" "$work" "$here/ttnn/launches.py" make >"$work/log" 2>&1
report "a program of ttnn" "$([ "$(wc -l <"$work/ttnn.jsonl")" -eq 2 ] || tail -20 "$work/log")"
for form in txt html pftrace ops.csv; do
    [ $form != ops.csv ] || called='"ttnn\.add"|"ttnn\.matmul"'
    "$ttnn_program" trace "$work/ttnn.ptrace" --profile "$work/ttnn.$form" --operations "$work/ttnn.jsonl"
    report "its calls and their lines, in $form" "$(grep -aoE "$called" "$work/ttnn.$form" | sort -u | wc -l | grep -vx 2)"
done
PENROSE_SCHEDULE=timed PENROSE_PROFILE=$work/fast.txt TTNN_DISPATCH=fast \
    ttnn_run "$library" "$work" "$here/ttnn/launches.py" make >"$work/log" 2>&1
report "in fast dispatch, behind the kernels of that" "$(sed -nE 's/^Launch ([123]) \((ttnn\.[a-z]+ \(launches|cq_).*/\1 \2/p' "$work/fast.txt" |
    tr '\n' ' ' | grep -vxF '1 cq_ 2 ttnn.add (launches 3 ttnn.matmul (launches ')"
finish
