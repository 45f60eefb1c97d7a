#!/bin/bash
# Every Blackhole firmware set of ttnn boots under `penrose boot`, and runs our five kernels twice.
# Environment (set by make): srcdir, PENROSE, CHECK_SETS. SKIP without firmware or cross compiler.
set -euo pipefail

root=$("$srcdir/scripts/fetch-firmware" --offline) || exit 77
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || {
    echo "no RISC-V cross compiler for the kernels"
    exit 77
}

kernels=$(mktemp -d)
trap 'rm -rf "$kernels"' EXIT
sets=0 failed=0
for drisc in "$root"/*/drisc; do
    firmware=${drisc%/drisc}
    sets=$((sets + 1))
    "$srcdir/scripts/link-kernels" "$firmware" "$kernels/${firmware##*/}"
    if ! "$PENROSE" boot "$firmware" >"$kernels/boot.log" 2>&1; then
        failed=$((failed + 1))
        echo "penrose boot ${firmware##*/} failed:"
        cat "$kernels/boot.log"
    fi
done
echo "penrose boot: $((sets - failed)) of $sets sets became ready"
[ "$sets" -eq 36 ] || { echo "expected 36 Blackhole sets"; exit 1; }
"$CHECK_SETS" "$root" "$kernels"
[ "$failed" -eq 0 ]
