#!/bin/bash
# Checks on kernels of ttnn.generic_op with one mistake each: it is named at its line, and nothing is said of the
# kernels as they are.
#
#   ttnn-checks.sh [LIBRARY]
#
# Needs what ttnn-fast.sh does. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=$(client_library "${1:-}")
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0

# says NAME KIND LAUNCH...: $checks, or the rules that are always on, report this KIND at the line of the mistake NAME, or
# (KIND is none) nothing.
says() {
    local name=$1 kind=$2 line
    shift 2
    PENROSE_CHECK=${checks:-core} PENROSE_ON_HANG=stop ttnn_run "$library" "$out" "$here/ttnn/checks.py" "$@" \
        >"$out/log" 2>&1 || true
    line=$(grep -n "// $name\$" "$out"/*.cpp | head -1 | sed -E 's|.*/([a-z]+\.cpp):([0-9]+):.*|\1:\2|') || true
    if [ "$kind" = none ]; then
        ! grep -q '^penrose: [a-z]*-[a-z]*: tile' "$out/log" && grep -q '^penrose: checks: 0 findings' "$out/log"
    else
        grep -q "/$line\b" <(awk -v kind="penrose: $kind:" '/^penrose:/ { shows = index($0, kind) } shows' "$out/log")
    fi && echo "ok $name" && return
    echo "FAILED $name: expected $kind at $line"
    grep -A 12 '^penrose:' "$out/log" || tail -5 "$out/log"
    failures=$((failures + 1))
}

checks=''
says right none right right
says popped_twice cb-count popped_twice
says unpacked_twice cb-count unpacked_twice
says null_pointer null-access null_pointer
checks=all
says right none right right
says no_read_barrier noc-unwaited no_read_barrier
says no_write_barrier noc-source no_write_barrier
says no_wait_front cb-count no_wait_front
says no_regs_wait race-dst no_regs_wait
# Into files that are known by then.
KERNEL_END=$RANDOM says no_regs_wait race-dst right no_regs_wait
says tile_beyond_half dst-section tile_beyond_half
says no_exp_init config-leak right no_exp_init
says freed out-of-bounds right freed
exit $((failures > 0))
