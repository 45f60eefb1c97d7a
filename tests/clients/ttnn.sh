#!/bin/bash
# Runs some fifty ttnn operations, unmodified, on a library with the libttsim ABI and compares the
# results with torch's and, byte by byte, with those on another library.
#
#   ttnn.sh [LIBRARY [OTHER_LIBRARY]] [-- OPERATION...]
#
# LIBRARY is the built one by default; ttnn/ops.py --list names the operations.
#
#   OUT             where results go   (./ttnn-results)
#   TTNN_DISPATCH   slow (default), or fast: tt-metal's own prefetch and dispatch kernels
#   COUNT=1         also measures host polls and time in the library, by llk/abi_count.c: by the
#                   clock on the wall, or CPU time of the thread with ABI_COUNT_CLOCK=cpu
#   REPEAT          how often each operation is measured   (1)
#   PENROSE_CARD    the card, of a library that has several; the other library must have it too
#
# Each operation runs in a process of its own. The first time 1.2 GB are downloaded and some hundred
# kernels compiled (20 minutes); then a run takes a minute for each library. Exit code 77 where it
# cannot run: see ttnn/environment.bash and common.bash for what it needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

client_libraries "$@"
out=$(realpath -m "${OUT:-ttnn-results}")
mkdir -p "$out"
venv=$(ttnn_venv torch)
ttnn_setup "$venv"
if [ ${#arguments[@]} -eq 0 ]; then
    "$venv/bin/python" "$here/ttnn/ops.py" --list >"$out/operations" 2>"$out/list.log"
    mapfile -t operations < <(grep -E '^[a-z0-9_]+$' "$out/operations")
else
    operations=("${arguments[@]}")
fi

# run OPERATION FOLDER: adds a line to results.jsonl
run() {
    local operation=$1 folder=$2 status=0 line
    ttnn_run "$library" "$folder" "$here/ttnn/ops.py" --save "$folder/saved" "$operation" \
        >"$folder/$operation.log" 2>&1 || status=$?
    line=$(grep '^{"operation"' "$folder/$operation.log" | tail -1) ||
        line="{\"operation\": \"$operation\", \"result\": \"ended with $status\"}"
    echo "$line" >>"$folder/results.jsonl"
}

folders=()
for i in "${!libraries[@]}"; do
    folder=$out/$i-$(basename "${libraries[$i]}" .so)
    folders+=("$folder")
    mkdir -p "$folder/saved"
    : >"$folder/results.jsonl"
done
if [ -n "${COUNT:-}" ]; then
    "${CC:-cc}" -O2 -shared -fPIC -o "$out/libcount.so" "$here/llk/abi_count.c" -ldl
fi
for operation in "${operations[@]}"; do
    for ((n = 0; n < ${REPEAT:-1}; n++)); do
        for i in "${!libraries[@]}"; do
            library=${libraries[$i]}
            if [ -n "${COUNT:-}" ]; then
                export ABI_COUNT_LIBRARY=$library ABI_COUNT_FILE=${folders[$i]}/counters
                export ABI_COUNT_CLOCK=${ABI_COUNT_CLOCK:-wall}
                library=$out/libcount.so
            fi
            run "$operation" "${folders[$i]}"
        done
    done
done
exec python3 "$here/ttnn/compare.py" "${folders[@]}"
