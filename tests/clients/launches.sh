#!/bin/bash
# An addition and a matrix product of ttnn (256 x 256, with multicasts), launched in slow and in fast
# dispatch and recorded; each launch runs again by itself, and its result is the host's to the bit.
#
#   launches.sh [LIBRARY]
#
# ttnn-fast.sh tells what is needed. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=$(client_library "${1:-}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
script=$here/ttnn/launches.py

# check NAME LAUNCH: its result, by itself.
check() {
    local file=$work/$TTNN_DISPATCH/$2/PROGRAM.json
    (
        cd "$work"
        "$ttnn_python" "$script" look "$1" "$file"
        "$ttnn_program" run "$file" | head -1
        "$ttnn_python" "$script" same "$1" "$file"
    )
    echo "ok: $1 in $TTNN_DISPATCH dispatch"
}

for TTNN_DISPATCH in slow fast; do
    PENROSE_RECORD_LAUNCH=$work/$TTNN_DISPATCH ttnn_run "$library" "$work" "$script" make \
        >"$work/log" 2>&1 || {
        tail -20 "$work/log"
        exit 1
    }
    # In fast dispatch the first launch is that of the dispatch kernels.
    first=$([ "$TTNN_DISPATCH" = slow ] && echo 1 || echo 2)
    check add "launch-00$first"
    check matmul "launch-00$((first + 1))"
done

# What bounds them, of the command itself.
device=$(client_device "$library" "$ttnn_descriptor" "$work/device")
(
    cd "$work"
    PENROSE_CACHE=$ttnn_cache TT_METAL_CACHE=${CLIENT_TTNN_CACHE:-$ttnn_cache/compiled} \
        "$ttnn_program" what-if --set noc=4x -- exec --quiet --library "$device" -- "$ttnn_python" "$script" make
) >"$work/what-if" 2>"$work/log" || {
    tail -20 "$work/log"
    exit 1
}
grep -qE '^ +[0-9]+ cycles +-[0-9.]+ %  noc=4x$' <"$work/what-if" || {
    cat "$work/what-if"
    exit 1
}
echo "ok: what bounds the launches of a command"
