#!/bin/bash
# scripts/capture on a library with the libttsim ABI: what it reads through tt-exalens' debug
# interface is what the library itself writes into a dump of that moment.
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

export PENROSE_CARD=unharvested PENROSE_DUMP_ON=exit PENROSE_DUMP_DIR=$work/own PENROSE_DUMP_TILES=1,2
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$here/exalens/capture.py" "$here/../../scripts" \
    "$device" "$work/debuggee.elf" "$work/captured" 2>"$work/stderr" ||
    { echo "FAILED: capture.py"; cat "$work/stderr"; exit 1; }
status=0
"$penrose" compare "$work/captured" "$work"/own/* >"$work/report" || status=$?
cat "$work/report"
[ "$status" -eq 0 ] || { echo "FAILED: exit code $status"; exit 1; }
for part in config gpr dst l1 local_trisc1 harts noc; do # each was compared
    ! grep -qE "^not compared: only . has 1-2/$part(:|$)" "$work/report" ||
        { echo "FAILED: $part was not compared"; exit 1; }
done
