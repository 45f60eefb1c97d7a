#!/bin/bash
# tt-exalens beside a job of ttnn that runs: UMD in the job's process serves the chip on a socket
# (TT_METAL_SIMULATOR_SERVE_OVER_SOCKETS), tt-exalens finds it by itself and looks at memory,
# registers of harts and the coprocessor; the job's results stay right.
#
#   attach.sh [LIBRARY]
#
# Needs what ttnn-fast.sh and exalens.sh do. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=$(client_library "${1:-}")
exalens=$(client_venv exalens 3.11 tt-exalens==0.4.2)
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
out=$(mktemp -d)
trap 'touch "$out/done"; wait; rm -rf "$out"' EXIT

export TT_METAL_SIMULATOR_SERVE_OVER_SOCKETS=1 QUICK_UNTIL=$out/done
ttnn_run "$library" "$out" "$here/ttnn/quick.py" matmul busy add >"$out/log" 2>&1 &
job=$!
client_says "$job" "$out/log" '^busy' || true # the log tells why, or the socket is there all the same
socket=$(client_socket "$out/log")
[ -n "$socket" ] || {
    tail -20 "$out/log"
    exit 1
}

timeout 120 "$exalens/bin/tt-exalens" --test -s "$socket" --commands \
    'brxy 1,2 0x0 4; gpr -r brisc -l 1,2; dump-tensix-state -l 1,2; gdb start; gdb stop; exit' >"$out/seen" 2>&1 || {
    tail -20 "$out/seen"
    exit 1
}
touch "$out/done"
wait "$job" || {
    tail -20 "$out/log"
    exit 1
}
for what in '^0x00000000:' 'pc *0x0000[0-9a-f]*' 'ALU CONFIG'; do
    grep -qE "$what" "$out/seen" || {
        echo "tt-exalens has not shown $what:"
        tail -40 "$out/seen"
        exit 1
    }
done
grep '^ok:' "$out/log"
