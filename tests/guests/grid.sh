#!/bin/bash
# The programs of examples/ on a grid of tiles with tt-metal's firmware: what they leave is bit by bit
# what models compute, with 1, 2 and 7 host threads and under every schedule, functional and timed.
#
#   PENROSE_SEEDS   random schedules for each program; 2 unless set
#   PENROSE_CASES   a part of the names of the cases to run; all unless set
#   PENROSE_LONG    1: also the largest programs cycle by cycle
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -euo pipefail

root=$("${srcdir:?}/scripts/fetch-firmware" --offline 2>/dev/null) ||
    { echo "no firmware"; exit 77; }
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null ||
    { echo "no RISC-V cross compiler"; exit 77; }
python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "no numpy for python3"; exit 77; }
# shellcheck source=tests/cli/documents.bash
. "$srcdir/tests/cli/documents.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One of the sets for 8 DRAM banks, and one of those for 7 (p100a).
firmware=$root/11660721212704224774
firmware7=$root/10231668919762417454
for folder in "$firmware" "$firmware7"; do
    [ -d "$folder" ] || { echo "no firmware set $folder"; exit 77; }
done
for program in add copy gather matmul; do
    "$srcdir/scripts/link-kernels" "$firmware" "$work/kernels/$program" \
        "$srcdir/firmware/grid/$program"
    "$srcdir/scripts/link-kernels" "$firmware7" "$work/kernels7/$program" \
        "$srcdir/firmware/grid/$program"
done
PYTHONDONTWRITEBYTECODE=1 "$python" "$srcdir/tests/guests/grid.py" "${builddir:?}/penrose" \
    "$builddir/tests/guests/matmul_model" "$srcdir/examples" "$firmware" "$firmware7" "$work" \
    --seeds "${PENROSE_SEEDS:-2}" --only "${PENROSE_CASES:-}" ${PENROSE_LONG:+--long}
unfit=$(documents_fit "$work"/work/*.json || true)
[ -z "$unfit" ] || { echo "FAILED: not as docs/schema says: $unfit"; exit 1; }
