#!/bin/bash
# scripts/capture on a library with the libttsim ABI: what it reads through tt-exalens' debug
# interface is what the library itself writes into a dump of that moment, and so is what it makes of
# the texts that tt-exalens' commands print. Of a recording of the same session `penrose explain` finds
# who has written a word that differs.
#
#   capture.sh [LIBRARY]
#
# Of PROGRAM (./penrose) the SoC descriptor is asked and dumps are compared. Exit code 77 where the
# test cannot run: see common.bash.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"

compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
command -v "$compiler" >/dev/null || skip "no RISC-V cross compiler ($compiler)"
library=$(client_library "$@")
penrose=${PROGRAM:-${builddir:-.}/penrose}
[ -x "$penrose" ] || skip "no program $penrose (set PROGRAM)"
venv=$(client_venv capture 3.11 tt-exalens==0.4.2 numpy==2.2.6)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$penrose" info --soc-descriptor unharvested >"$work/soc_descriptor.yaml"
device=$(client_device "$library" "$work/soc_descriptor.yaml" "$work/device")
"$compiler" -march=rv32im -mabi=ilp32 -O1 -g -ffreestanding -nostdlib -fno-optimize-sibling-calls \
    -Wl,--build-id=none,--no-warn-rwx-segments,--defsym=TEXT_BASE=0x8000 \
    -T "$here/exalens/debuggee.ld" -o "$work/debuggee.elf" "$here/exalens/debuggee.c"

export PENROSE_RECORD=$work/session.rec
export PENROSE_CARD=unharvested PENROSE_DUMP_ON=exit PENROSE_DUMP_DIR=$work/own PENROSE_DUMP_TILES=1,2
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$here/exalens/capture.py" "$here/../../scripts" \
    "$device" "$work/debuggee.elf" "$work/captured" "$work/texts" 2>"$work/stderr" ||
    { echo "FAILED: capture.py"; cat "$work/stderr"; exit 1; }
status=0
"$penrose" compare "$work/captured" "$work"/own/* >"$work/report" || status=$?
cat "$work/report"
[ "$status" -eq 0 ] || { echo "FAILED: exit code $status"; exit 1; }
for part in config gpr dst l1 local_trisc1 harts noc; do # each was compared
    ! grep -qE "^not compared: only . has 1-2/$part(:|$)" "$work/report" ||
        { echo "FAILED: $part was not compared"; exit 1; }
done

# printed FILE ITEMS: what a command has printed is so much of the dump.
printed() {
    local from=$work/from-$1
    "$venv/bin/python" "$here/../../scripts/capture" "$from" --tile 1,2 --from "$work/texts/$1.txt" \
        >"$work/report" && "$penrose" compare "$from" "$work"/own/* >>"$work/report" &&
        grep -q "^the same: $2 items$" "$work/report" || {
        echo "FAILED: what $1 has printed"
        cat "$work/report"
        exit 1
    }
}
printed burst_read_xy 393216          # words of L1
printed dump_gpr 38                   # registers of the hart out of reset, states of all
printed dump-tensix-state $((159 + 3 * 64)) # fields of the configuration, GPRs
printed dump_regfile $((512 * 16))

# The program's result at 0x20000, as if a card had another one there.
cp -r "$work"/own/* "$work/other"
"$venv/bin/python" - "$work/other/1-2/l1.npy" <<'PYTHON'
import sys, numpy
l1 = numpy.load(sys.argv[1])
l1[0x20000] ^= 1
numpy.save(sys.argv[1], l1)
PYTHON
status=0
"$penrose" explain "$work"/own/* "$work/other" --recording "$PENROSE_RECORD" >"$work/report" || status=$?
grep -q '^  A 0x00000122  B 0x00000123$' "$work/report" &&
    grep -q '^  written by  trisc1, in cycle [0-9]*: sw a0, 0(a5)$' "$work/report" &&
    [ "$status" -eq 1 ] || { echo "FAILED: explain, exit code $status"; cat "$work/report"; exit 1; }
