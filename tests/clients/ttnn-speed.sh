#!/bin/bash
# Measures how long operations of ttnn, of the sizes that models have, take in a library with the
# libttsim ABI, with one thread and with two, and makes a table.
#
#   ttnn-speed.sh [LIBRARY [OTHER_LIBRARY]] [-- OPERATION...]
#
# LIBRARY is the built one by default; ttnn/ops.py --list-workloads names the operations. The other
# library runs them as it chooses, with the same compiled kernels.
#
#   OUT             where results go   (./ttnn-speed)
#   THREADS         numbers of threads of LIBRARY   ("1 2")
#   REPEAT          warm runs of each operation, of which the median counts   (5)
#   PROFILE=1       also shows what share each part of the machine has of the library's CPU time,
#                   by perf, with the first number of threads
#   TTNN_DISPATCH   slow (default), or fast: tt-metal's own prefetch and dispatch kernels
#
# Nothing else should run beside it. Exit code 77 where it cannot run: see ttnn/environment.bash and
# common.bash for what it needs; 1 if a result is wrong.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

client_libraries "$@"
out=$(realpath -m "${OUT:-ttnn-speed}")
repeat=${REPEAT:-5}
read -r -a threads <<<"${THREADS:-1 2}"
mkdir -p "$out"
venv=$(ttnn_venv torch)
ttnn_setup "$venv"
if [ ${#arguments[@]} -eq 0 ]; then
    "$venv/bin/python" "$here/ttnn/ops.py" --list-workloads >"$out/operations" 2>"$out/list.log"
    mapfile -t operations < <(grep -E '^[a-z0-9_]+$' "$out/operations")
else
    operations=("${arguments[@]}")
fi
"${CC:-cc}" -O2 -shared -fPIC -o "$out/libcount.so" "$here/llk/abi_count.c" -ldl

# run OPERATION FOLDER LIBRARY [THREADS]: adds a line to FOLDER/results.jsonl.
run() {
    local operation=$1 folder=$2 status=0
    export ABI_COUNT_LIBRARY=$3 ABI_COUNT_FILE=$folder/counters ABI_COUNT_CLOCK=wall
    [ -z "${4:-}" ] || export PENROSE_THREADS=$4
    ttnn_run "$out/libcount.so" "$folder" "$here/ttnn/ops.py" --save "$folder/saved" \
        --repeat "$repeat" "$operation" >"$folder/$operation.log" 2>&1 || status=$?
    grep '^{"operation"' "$folder/$operation.log" | tail -1 >>"$folder/results.jsonl" ||
        echo "{\"operation\": \"$operation\", \"result\": \"ended with $status\"}" \
            >>"$folder/results.jsonl"
    unset PENROSE_THREADS
}

# profile OPERATION FOLDER: a table of parts in FOLDER/OPERATION.parts.
profile() {
    local operation=$1 folder=$2
    (
        unset ABI_COUNT_LIBRARY ABI_COUNT_FILE
        export PENROSE_THREADS=${threads[0]}
        ttnn_wrapper=(perf record -q -e cpu-clock -F 997 -o "$folder/perf.data" --)
        ttnn_run "${libraries[0]}" "$folder" "$here/ttnn/ops.py" --repeat $((20 * repeat)) \
            "$operation"
    ) >"$folder/$operation.profile.log" 2>&1 || return 0
    perf report -i "$folder/perf.data" --stdio -q --sort dso,symbol -t '|' -g none \
        >"$folder/$operation.symbols" 2>/dev/null
}

folders=()
for n in "${threads[@]}"; do
    folders+=("$out/threads-$n")
done
[ ${#libraries[@]} -lt 2 ] || folders+=("$out/other")
for folder in "${folders[@]}"; do
    mkdir -p "$folder/saved"
    : >"$folder/results.jsonl"
done
for operation in "${operations[@]}"; do
    for n in "${threads[@]}"; do
        run "$operation" "$out/threads-$n" "${libraries[0]}" "$n"
    done
    [ ${#libraries[@]} -lt 2 ] || run "$operation" "$out/other" "${libraries[1]}"
    [ -z "${PROFILE:-}" ] || profile "$operation" "${folders[0]}"
done
exec python3 "$here/ttnn/speed.py" "${libraries[0]}" "${folders[@]}"
