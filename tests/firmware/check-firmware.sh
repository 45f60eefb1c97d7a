#!/bin/bash
# Every Blackhole firmware set of ttnn boots under `penrose boot`, on one tile and on a whole chip, and
# runs our five kernels twice.
# SKIP without the firmware (scripts/fetch-firmware) or without the cross compiler.
set -euo pipefail

penrose=${PENROSE:-$builddir/penrose}

root=$("$srcdir/scripts/fetch-firmware" --offline) || exit 77
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || {
    echo "no RISC-V cross compiler for the kernels"
    exit 77
}

kernels=$(mktemp -d)
trap 'rm -rf "$kernels"' EXIT
sets=0 failed=0 firmwares=()
for drisc in "$root"/*/drisc; do
    firmware=${drisc%/drisc}
    sets=$((sets + 1))
    firmwares+=("$firmware")
    "$srcdir/scripts/link-kernels" "$firmware" "$kernels/${firmware##*/}"
    if ! "$penrose" boot "$firmware" >"$kernels/boot.log" 2>&1; then
        failed=$((failed + 1))
        echo "penrose boot ${firmware##*/} failed:"
        cat "$kernels/boot.log"
    fi
done
echo "penrose boot: $((sets - failed)) of $sets sets became ready"
[ "$sets" -eq 36 ] || { echo "expected 36 Blackhole sets"; exit 1; }
"$builddir/tests/firmware/check_whole_chip" "${firmwares[@]}"
"$builddir/tests/firmware/check_sets" "$root" "$kernels"
[ "$failed" -eq 0 ]
