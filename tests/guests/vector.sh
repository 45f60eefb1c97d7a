#!/bin/bash
# The programs of firmware/vector (functions, casts, operations on two operands, sorting, reductions
# by the Vector Unit) on .npy files: what they leave in L1 is bit by bit what
# tests/guests/vector_model.py computes, under every schedule, functional and timed, with every set
# of kernels, with load macros and without, and is close to what float64 gives.
#
#   PENROSE_SEEDS   random schedules that each case runs under; 1 unless set
#   PENROSE_CASES   a part of the names of the cases to run; all unless set
#
# SKIP without the RISC-V cross compiler, and without Python's numpy.
set -euo pipefail

guests=${builddir:?}/firmware
[ -e "$guests/vector/unary-trisc0.elf" ] ||
    { echo "no guest programs: no RISC-V cross compiler"; exit 77; }
python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "no numpy for python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "${srcdir:?}/tests/guests/vector.py" "$builddir/penrose" \
    "$guests/vector" "$srcdir/firmware/tensor/arguments.h" "$work" \
    --seeds "${PENROSE_SEEDS:-1}" --only "${PENROSE_CASES:-}"
