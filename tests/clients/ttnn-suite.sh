#!/bin/bash
# Runs a sample of tt-metal's own unit tests of ttnn on a library with the libttsim ABI and makes a
# table.
#
#   ttnn-suite.sh [--card CARD] [LIBRARY [OTHER_LIBRARY]] [-- ARGUMENT...]
#
# With --card, CARD is one of several chips (p300, quietbox), and the suite is tt-metal's tests of collectives
# on Blackhole, in fast dispatch, since some record traces (TTNN_DISPATCH=slow makes ttnn refuse these). A
# test that waits for what never comes is ended as soon as the library says so.
#
# LIBRARY is the built one by default. With OTHER_LIBRARY the same variants run on it too, and the
# test fails if a variant that passes there is worse here; without, if a variant fails. ARGUMENT goes to
# suites/sample.py: test files or node ids, or --sample N (variants a file, 8), --seed N (1), --jobs N
# (2), --files REGEX, --beginnings FILE (variants of each line, such as of a list of what is to be
# deselected), --variant-seconds N (90), --file-seconds N (600).
#
#   TT_METAL_TESTS       a checkout of tt-metal, of which tests/, models/ and conftest.py are used; else it is
#                        fetched (ttnn/checkout.bash)
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
# shellcheck source=tests/clients/ttnn/checkout.bash
. "$here/ttnn/checkout.bash"

card='' suite=ttnn options=()
if [ "${1:-}" = --card ]; then
    card=${2:?--card names a card of several chips}
    shift 2
fi
client_libraries "$@"
out=$(realpath -m "${OUT:-ttnn-suite-results}")
tests=$(ttnn_checkout)
venv=$(client_large=yes client_venv ttnn-suite 3.10 "ttnn==$client_ttnn" 'numpy>=1.24.4,<2' \
    torch==2.7.1 pytest pytest-timeout multiprocess psutil loguru networkx graphviz pyyaml click \
    pandas seaborn ml_dtypes pydantic)
ttnn_setup "$venv"

if [ -n "$card" ]; then
    cards=$(realpath -m "${builddir:-.}/cards/$card")
    [ -f "$cards/cluster_descriptor.yaml" ] || skip "no card of several chips in $cards"
    export PENROSE_CARD=$card PENROSE_ON_HANG=${PENROSE_ON_HANG:-stop} TTNN_DISPATCH=${TTNN_DISPATCH:-fast}
    ttnn_descriptor=$cards/soc_descriptor.yaml
    suite=ccl options=(--sample 0 --jobs 1 --variant-seconds 600 --file-seconds 7200)
fi

folders=()
for library in "${libraries[@]}"; do
    folder=$out/${#folders[@]}-$(basename "$library" .so)
    folders+=("$folder")
    mkdir -p "$folder"
    if [ ! -s "$folder/collected.txt" ] && [ -s "${folders[0]}/collected.txt" ]; then
        cp "${folders[0]}/collected.txt" "$folder/"
    fi
    mkdir -p "$folder/device"
    [ -z "$card" ] || cp "$cards/cluster_descriptor.yaml" "$folder/device/"
    TIMEOUT=0 ttnn_run "$library" "$folder" "$here/suites/sample.py" --suite "$suite" --tests "$tests" \
        --out "$folder" "${options[@]}" "${arguments[@]}"
done
exec python3 "$here/suites/report.py" "${folders[@]}"
