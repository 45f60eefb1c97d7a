#!/bin/bash
# The libraries export what they promise and nothing else.
set -euo pipefail

nm=${NM:-nm} # may come with options
status=0

# compare LIBRARY EXPECTED: EXPECTED has one name a line.
compare() {
    local exported
    exported=$($nm -D --defined-only "$1" | awk '{ print $NF }' | sort)
    if [ "$exported" != "$(sort <<<"$2")" ]; then
        echo "${1##*/}: exported (<) differs from expected (>):"
        diff <(echo "$exported") <(sort <<<"$2") || true
        status=1
    fi
}

# The nine functions that clients look up; the multi-chip pair must be absent.
compare "$builddir/.libs/libttsim.so" "libttsim_clock
libttsim_exit
libttsim_init
libttsim_pci_config_rd32
libttsim_pci_mem_rd_bytes
libttsim_pci_mem_wr_bytes
libttsim_set_pci_dma_mem_callbacks
libttsim_tile_rd_bytes
libttsim_tile_wr_bytes"

# Every function that the public headers declare.
headers=("$srcdir"/include/penrose/*.h)
compare "$builddir/.libs/libpenrose.so" "$(sed -E 's|/\*.*\*/||; /^ \*|^\/\*/d' "${headers[@]}" |
    grep -oE '\bpenrose_[a-z0-9_]+\(' | tr -d '(' | sort -u)"
exit $status
