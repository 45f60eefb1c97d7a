#!/bin/bash
# GDB stops in a kernel that ttnn has compiled and launched: its line, the calls around it down to
# firmware, registers of the coprocessor, and back; ttnn notices nothing.
#
#   ttnn-gdb.sh [LIBRARY]
#
# Exit code 77 where it cannot run: as ttnn-fast.sh, or without gdb-multiarch.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

GDB=${GDB:-gdb-multiarch}
command -v "$GDB" >/dev/null || skip "no $GDB"
library=$(client_library "${1:-}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
compiled=${CLIENT_TTNN_CACHE:-$ttnn_cache/compiled}
mkdir -p "$compiled"

PENROSE_GDB=unix:$out/gdb TIMEOUT=${TIMEOUT:-300} ttnn_run "$library" "$out" "$here/ttnn/quick.py" add >"$out/log" 2>&1 &
process=$!
for _ in $(seq 1200); do
    [ ! -S "$out/gdb" ] || break
    sleep 0.1
done
cat >"$out/commands" <<COMMANDS
set pagination off
set confirm off
set remotetimeout 200
set breakpoint pending on
target extended-remote $out/gdb
attach 101023
monitor symbols $compiled
break eltwise_binary_no_bcast.cpp:40
continue
bt
monitor tensix step
continue
info registers pc
reverse-stepi
reverse-stepi
info registers pc
print \$cfg_ALU_FORMAT_SPEC_REG0_SrcA
continue
delete
detach
COMMANDS
timeout 300 "$GDB" -nx -batch -x "$out/commands" >"$out/said" 2>&1 </dev/null || true
status=0
wait "$process" || status=$?
for pattern in 'Breakpoint 1, .*eltwise_binary_no_bcast.cpp:[0-9]+' '^#[1-9] .* main .*trisc.cc:[0-9]+' \
    'Tensix instruction: of thread 1 of \(1, 2\), pushed at pc 0x' 'No more reverse-execution history' \
    '^\(gdb\) \$1 = |^\$1 = '; do
    if ! grep -qE -- "$pattern" "$out/said"; then
        echo "GDB has not said /$pattern/:"
        cat "$out/said"
        status=1
    fi
done
grep '^ok:' "$out/log" || { tail -20 "$out/log"; status=1; }
exit "$status"
