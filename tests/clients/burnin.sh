#!/bin/bash
# tt-burnin's Blackhole image, the program with which Tenstorrent draws as much power as a card takes,
# on the built library: a million cycles on one tile, fewer on all 140, functional and timed. Shows
# the instructions of each unit and compares Dst with an exact model (burnin/burnin.py).
#
#   burnin.sh [LIBRARY]     LIBRARY is a libpenrose.so ($builddir/.libs/libpenrose.so)
#
#   CYCLES    of the runs on all tiles (50000); a million take some five minutes on two processors
#
# Needs a network the first time (17 MB), or CLIENT_VENV_BURNIN. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"

library=$(client_library "${1:-${builddir:-.}/.libs/libpenrose.so}")
venv=$(client_venv burnin 3.11 --no-deps tt-burnin==0.4.4 numpy==2.2.6)
image=$(echo "$venv"/lib/python3*/site-packages/tt_burnin/ttx/bhpv.ttx)
[ -f "$image" ] || skip "tt-burnin has no $image"

run() {
    PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$here/burnin/burnin.py" "$library" "$image" "$@"
}

run --threads 1
run --threads 1 --timed
run --threads 2 --tiles all --cycles "${CYCLES:-50000}"
run --threads 2 --tiles all --cycles "${CYCLES:-50000}" --timed
