#!/bin/bash
# A matrix product of ttnn (512 x 512) and a variant of the LLK suite, recorded and replayed: without
# Python and without the client all that they read is the same; with time as it comes, too.
#
#   record.sh [LIBRARY]
#
# ttnn-fast.sh and llk-fast.sh tell what is needed; what cannot run here is left out. Exit code 77
# where neither can.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

program=$(realpath "${PENROSE:-${builddir:-.}/penrose}")
library=$(client_library "${1:-}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# replay NAME: what was recorded under that name.
replay() {
    local file
    [ -n "$(find "$work" -name "$1.*" -size +1k)" ] || {
        echo "$1: nothing was recorded"
        return 1
    }
    for file in "$work/$1".*; do
        "$program" replay "$file"
        "$program" replay --free --threads 2 "$file"
        echo "$(stat -c %s "$file") bytes"
    done
}

record_ttnn() {
    local venv
    venv=$(ttnn_venv numpy)
    ttnn_setup "$venv"
    PENROSE_RECORD=$work/ttnn.%p ttnn_run "$library" "$work" "$here/ttnn/quick.py" matmul_512 \
        >"$work/log" 2>&1 || {
        tail -20 "$work/log"
        return 1
    }
}

record_llk() {
    local venv sfpi copy
    venv=$(llk_venv)
    sfpi=$(client_sfpi)
    copy=$(llk_copy "$sfpi")
    grep -v '^#' "$here/llk/fast.txt" | head -1 >"$work/ids"
    PENROSE_RECORD=$work/llk.%p llk_run "$copy" "$venv" "$library" "$work/suite" --ids "$work/ids" \
        --jobs 1 >"$work/log" 2>&1 || {
        tail -20 "$work/log"
        return 1
    }
}

skipped=0
for client in ttnn llk; do
    set +e # behind || or if, bash ends no part at its first failure
    (
        set -e
        "record_$client"
    )
    status=$?
    set -e
    if [ "$status" -eq 77 ]; then
        skipped=$((skipped + 1))
        continue
    fi
    [ "$status" -eq 0 ] || exit "$status"
    replay "$client"
done
[ "$skipped" -lt 2 ] || skip "neither ttnn nor the LLK suite can run"
