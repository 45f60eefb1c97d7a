#!/bin/bash
# Firmware on all tiles of a chip at once, with links; two sets. All sets: make check-firmware.
# SKIP without the firmware (scripts/fetch-firmware).
set -uo pipefail

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || { echo "no firmware"; exit 77; }
sets=()
for drisc in "$root"/*/drisc; do
    [ ${#sets[@]} -eq 2 ] || sets+=("${drisc%/drisc}")
done
[ ${#sets[@]} -eq 2 ] || { echo "fewer than two Blackhole sets in $root"; exit 77; }
exec "$builddir/tests/firmware/check_whole_chip" "${sets[@]}"
