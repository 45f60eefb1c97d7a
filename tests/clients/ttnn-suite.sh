#!/bin/bash
# Runs a sample of tt-metal's own unit tests of ttnn on a library with the libttsim ABI and makes a
# table.
#
#   ttnn-suite.sh [LIBRARY [OTHER_LIBRARY]] [-- ARGUMENT...]
#
# LIBRARY is the built one by default. With OTHER_LIBRARY the same variants run on it too, and the
# test fails if a variant that passes there is worse here; without, if a variant fails. ARGUMENT goes to
# suites/sample.py: test files or node ids, or --sample N (variants a file, 8), --seed N (1), --jobs N
# (2), --files REGEX, --beginnings FILE (variants of each line, such as of a list of what is to be
# deselected), --variant-seconds N (90), --file-seconds N (600).
#
#   TT_METAL_TESTS       a checkout of tt-metal, of which tests/, models/ and conftest.py are used. By
#                        default the one of ttnn's version is fetched from the vendor's repository into the
#                        cache, without what the tests do not need
#   OUT                  where results go   (./ttnn-suite-results)
#   CLIENT_VENV_TTNN_SUITE   an environment with ttnn, torch and pytest that is there already
#   TTNN_DISPATCH, PENROSE   as in ttnn/environment.bash
#
# Most of the time of a first run is compiling kernels. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

suite_repository=https://github.com/tenstorrent/tt-metal
suite_folders=(tests models/common models/perf models/tt_transformers/demo)

# suite_checkout: the folder with the tests.
suite_checkout() {
    local target
    if [ -n "${TT_METAL_TESTS:-}" ]; then
        [ -d "$TT_METAL_TESTS/tests/ttnn/unit_tests" ] ||
            skip "TT_METAL_TESTS=$TT_METAL_TESTS is no checkout of tt-metal"
        (cd "$TT_METAL_TESTS" && pwd)
        return
    fi
    target=$(client_cache)/tt-metal-tests-$client_ttnn
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$(client_cache)/making-tests.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        echo "clients: fetching tests of tt-metal v$client_ttnn (50 MB)" >&2
        { git clone --quiet --depth 1 --filter=blob:none --sparse --branch "v$client_ttnn" \
            "$suite_repository" "$work/checkout" &&
            git -C "$work/checkout" sparse-checkout set "${suite_folders[@]}"; } >"$work/log" 2>&1 ||
            skip "cannot fetch $suite_repository ($(tail -1 "$work/log")); TT_METAL_TESTS can name a checkout"
        mv -T "$work/checkout" "$target"
    ) 9>"$(client_cache)/lock-tests"
    echo "$target"
}

client_libraries "$@"
out=$(realpath -m "${OUT:-ttnn-suite-results}")
tests=$(suite_checkout)
venv=$(client_large=yes client_venv ttnn-suite 3.10 "ttnn==$client_ttnn" 'numpy>=1.24.4,<2' \
    torch==2.7.1 pytest pytest-timeout multiprocess psutil loguru networkx graphviz pyyaml click \
    pandas seaborn ml_dtypes pydantic)
ttnn_setup "$venv"

folders=()
for library in "${libraries[@]}"; do
    folder=$out/${#folders[@]}-$(basename "$library" .so)
    folders+=("$folder")
    mkdir -p "$folder"
    if [ ! -s "$folder/collected.txt" ] && [ -s "${folders[0]}/collected.txt" ]; then
        cp "${folders[0]}/collected.txt" "$folder/"
    fi
    TIMEOUT=0 ttnn_run "$library" "$folder" "$here/suites/sample.py" --suite ttnn --tests "$tests" \
        --out "$folder" "${arguments[@]}"
done
exec python3 "$here/suites/report.py" "${folders[@]}"
