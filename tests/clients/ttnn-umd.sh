#!/bin/bash
# UMD by itself, unmodified, on the library: discovery, harvesting, translation, memory, windows,
# multicast, resets, ARC messages, several devices and processes at once; on every card.
#
#   ttnn-umd.sh [LIBRARY [CARD...]]
#
# CARD: unharvested, p150a, p100a (all). UMD needs the SoC descriptor of the whole die for each; it
# is looked for beside the library and in the build tree, or CLIENT_DESCRIPTOR names it. Exit code
# 77 without a network or Python 3.11.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"

library=$(client_library "${1:-}")
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- unharvested p150a p100a
venv=$(client_venv umd 3.11 tt-umd==0.9.14)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for descriptor in "${CLIENT_DESCRIPTOR:-}" "${library%/*}/soc_descriptor.yaml" \
    "${builddir:-.}/cards/unharvested/soc_descriptor.yaml"; do
    [ ! -f "$descriptor" ] || break
done
[ -f "$descriptor" ] || skip "no soc_descriptor.yaml (CLIENT_DESCRIPTOR names one)"
device=$(client_device "$library" "$descriptor" "$out")
for card; do
    echo "$card:"
    PENROSE_CARD=$card timeout 300 "$venv/bin/python" "$here/ttnn/umd.py" --card "$card" "$device"
done
