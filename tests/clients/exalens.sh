#!/bin/bash
# tt-exalens on a library with the libttsim ABI: its commands, and a round of debugging on running
# harts, with a program of our own.
#
#   exalens.sh [LIBRARY]
#
# LIBRARY is the built one by default. Of PROGRAM (./penrose) only the SoC descriptor is asked.
# tt-exalens is installed into a cache; a ready environment may be given as CLIENT_VENV_EXALENS (see
# common.bash). Exit code 77 where the test cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"

compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
command -v "$compiler" >/dev/null || skip "no RISC-V cross compiler ($compiler)"
library=$(client_library "$@")
penrose=${PROGRAM:-${builddir:-.}/penrose}
[ -x "$penrose" ] || skip "no program $penrose, which prints the SoC descriptor (set PROGRAM)"
venv=$(client_venv exalens 3.11 tt-exalens==0.4.2)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$penrose" info --soc-descriptor unharvested >"$work/soc_descriptor.yaml"
device=$(client_device "$library" "$work/soc_descriptor.yaml" "$work/device")
"$compiler" -march=rv32im -mabi=ilp32 -O1 -g -ffreestanding -nostdlib -fno-optimize-sibling-calls \
    -Wall -Wextra -Werror -Wl,--build-id=none,--no-warn-rwx-segments,--defsym=TEXT_BASE=0x8000 \
    -T "$here/exalens/debuggee.ld" -o "$work/debuggee.elf" "$here/exalens/debuggee.c"

export PENROSE_CARD=unharvested # tt-exalens sees the whole die, whatever the card
failed=0
"$venv/bin/python" "$here/exalens/round.py" "$device" "$work/debuggee.elf" 2>"$work/stderr" || {
    echo "FAILED: round.py ended with exit code $?"
    failed=1
}
# The part "faults" makes exactly one guest fault, whose report is for the user.
grep '^penrose:' "$work/stderr" >"$work/reports" || true
if [ "$(wc -l <"$work/reports")" -ne 1 ] ||
    ! grep -q 'trisc1 at pc 0x00009004: store of 4 bytes at 0x7f000000' "$work/reports"; then
    echo "FAILED: reports on stderr:"
    cat "$work/stderr"
    failed=1
fi
"$venv/bin/python" "$here/exalens/matrix.py" "$device" "$work/debuggee.elf" \
    "$venv/bin/tt-exalens" || failed=1
exit "$failed"
