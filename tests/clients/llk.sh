#!/bin/bash
# Runs a sample of Tenstorrent's LLK suite on a library with the libttsim ABI and makes a table.
#
#   llk.sh [LIBRARY [OTHER_LIBRARY]] [-- ARGUMENT...]
#
# LIBRARY is the built one by default. With OTHER_LIBRARY the same variants run on it too, one
# library after the other with the same compiled kernels, and the test fails if a variant that
# passes there is worse here; without, if a variant fails. ARGUMENT goes to suites/sample.py: test
# files or node ids, or --sample N (variants a file, 8), --seed N (1), --jobs N (2).
#
#   OUT                             where results go   (./llk-results)
#   COUNT=1                         also measures time in the library and host polls, by
#                                   abi_count.c; CPU time, so Penrose gets one thread
#   MARK                            which marks of pytest variants have (perf: those that measure time)
#   TT_METAL_DISABLE_SFPLOADMACRO   1 compiles kernels without SFPLOADMACRO
#
# The default sample takes half an hour, most of it compiling. Exit code 77 where it cannot run: see
# suite.bash for what it needs, common.bash for how to say where that is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

client_libraries "$@"
out=$(realpath -m "${OUT:-llk-results}")
sfpi=$(client_sfpi)
copy=$(llk_copy "$sfpi")
venv=$(llk_venv)

folders=()
for library in "${libraries[@]}"; do
    folder=$out/$(printf '%s-%s' "${#folders[@]}" "$(basename "$library" .so)")
    folders+=("$folder")
    mkdir -p "$folder"
    if [ -n "${COUNT:-}" ]; then
        "${CC:-cc}" -O2 -shared -fPIC -o "$out/libcount.so" "$here/llk/abi_count.c" -ldl
        export ABI_COUNT_LIBRARY=$library ABI_COUNT_FILE=$folder/counters PENROSE_THREADS=1
        library=$out/libcount.so
    fi
    if [ ! -s "$folder/collected.txt" ] && [ -s "${folders[0]}/collected.txt" ]; then
        cp "${folders[0]}/collected.txt" "$folder/"
    fi
    llk_run "$copy" "$venv" "$library" "$folder" "${arguments[@]}"
done
exec python3 "$here/suites/report.py" "${folders[@]}"
