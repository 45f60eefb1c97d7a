#!/bin/bash
# Blackhole firmware sets of ttnn boot under `penrose boot`, on one tile and on a whole chip, and run our
# five kernels twice: all 36, or with FIRMWARE_SETS=N only N that differ in the tables of their banks.
# SKIP without the firmware (scripts/fetch-firmware) or without the cross compiler.
set -euo pipefail

penrose=${PENROSE:-$builddir/penrose}

root=$("$srcdir/scripts/fetch-firmware" --offline) || exit 77
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || {
    echo "no RISC-V cross compiler for the kernels"
    exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sets" "$work/kernels"
wanted=${FIRMWARE_SETS:-36}
firmwares=()
declare -A seen
for drisc in "$root"/*/drisc; do
    firmware=${drisc%/drisc}
    if [ "$wanted" -lt 36 ]; then
        banks=$("$penrose" info "$firmware" | grep -E '^ +(DRAM|L1) banks ')
        [ -z "${seen[$banks]:-}" ] || continue
        seen[$banks]=yes
    fi
    firmwares+=("$work/sets/${firmware##*/}")
    ln -s "$firmware" "$work/sets/"
    [ ${#firmwares[@]} -lt "$wanted" ] || break
done
[ ${#firmwares[@]} -eq "$wanted" ] || { echo "expected $wanted Blackhole sets, not ${#firmwares[@]}"; exit 1; }

failed=0
for firmware in "${firmwares[@]}"; do
    "$srcdir/scripts/link-kernels" "$firmware" "$work/kernels/${firmware##*/}"
    if ! "$penrose" boot "$firmware" >"$work/boot.log" 2>&1; then
        failed=$((failed + 1))
        echo "penrose boot ${firmware##*/} failed:"
        cat "$work/boot.log"
    fi
done
echo "penrose boot: $((wanted - failed)) of $wanted sets became ready"
"$builddir/tests/firmware/check_whole_chip" "${firmwares[@]}"
"$builddir/tests/firmware/check_sets" "$work/sets" "$work/kernels"
[ "$failed" -eq 0 ]
