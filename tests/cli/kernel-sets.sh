#!/bin/bash
# Which sets of kernels this host can run: unit tests and tests of the guest programs compare those
# that it has with the reference. SKIP, with their names, where some are missing.
set -uo pipefail
penrose=${PENROSE:-${builddir:?set PENROSE or builddir}/penrose}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An unknown name makes the program say which it has.
PENROSE_KERNELS=none "$penrose" run /dev/null >"$work/out" 2>&1
grep -qE "^penrose: PENROSE_KERNELS: there is no set of kernels 'none'; this host has reference" \
    "$work/out" || { cat "$work/out"; exit 1; }
missing=
for set in avx2 avx512; do
    grep -qw "$set" "$work/out" || missing+=" $set"
done
[ -z "$missing" ] || { echo "this host cannot run the kernels:$missing"; exit 77; }
echo "this host can run all sets of kernels"
