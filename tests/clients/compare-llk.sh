#!/bin/bash
# Variants of Tenstorrent's LLK suite on two libraries: after each one a dump of its tile is taken
# from both (scripts/capture), and `penrose compare` finds them the same.
#
#   compare-llk.sh OTHER [LIBRARY]
#
# OTHER is a library with the libttsim ABI, for example ttsim; LIBRARY the built one. PROGRAM is
# penrose (./penrose), OUT where results go (./llk-compared). Exit codes: 0 all the same, 1 not; 77
# where the suite cannot run: see suite.bash for what it needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

[ $# -ge 1 ] || skip "name the other library"
other=$(client_library "$1")
library=$(client_library "${2:-}")
penrose=${PROGRAM:-${builddir:-.}/penrose}
[ -x "$penrose" ] || skip "no program $penrose (set PROGRAM)"
out=$(realpath -m "${OUT:-llk-compared}")
venv=$(llk_venv)
sfpi=$(client_sfpi)
copy=$(llk_copy "$sfpi")

rm -rf "$out"
export PYTEST_ADDOPTS="-p dumping"
for side in other ours; do
    mkdir -p "$out/$side"
    file=$other
    [ "$side" = other ] || file=$library
    LLK_DUMPS=$out/$side/dumps llk_run "$copy" "$venv" "$file" "$out/$side" \
        --ids "$here/llk/compare.txt" --jobs 1
done

same=0 different=0
for dump in "$out"/ours/dumps/*; do
    name=$(basename "$dump")
    if [ ! -d "$out/other/dumps/$name" ]; then
        echo "only here: $name"
    elif "$penrose" compare "$out/other/dumps/$name" "$dump" >"$out/$name.txt"; then
        same=$((same + 1))
    else
        different=$((different + 1))
        echo "different: $name"
        head -20 "$out/$name.txt"
    fi
done
echo "$same of $((same + different)) dumps are the same"
[ "$different" -eq 0 ] && [ "$same" -gt 0 ]
