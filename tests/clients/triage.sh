#!/bin/bash
# tt-triage beside a job of ttnn that hangs: it attaches by UMD's simulation server, asks the job's
# inspector which kernels run where, and names the lines at which they wait, their circular buffers
# and semaphores; scripts/capture reads the database that it writes.
#
#   triage.sh [LIBRARY]
#
#   CLIENT_TRIAGE   the folder with tt-triage's scripts (that of the ttnn package); its
#                   requirements.txt says which tt-exalens is installed for it
#
# Needs what ttnn-fast.sh does, and python3 with numpy. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=$(client_library "${1:-}")
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
triage=${CLIENT_TRIAGE:-$(ttnn_package "$venv")/../triage}
[ -f "$triage/triage.py" ] && [ -f "$triage/requirements.txt" ] ||
    skip "no scripts of tt-triage in $triage (CLIENT_TRIAGE names their folder)"
mapfile -t packages <"$triage/requirements.txt"
python=$(ttnn_interpreter 3.10 3.12)
triage_venv=$(client_venv triage "$python" "${packages[@]}" numpy)

out=$(mktemp -d)
job=
# The process that hangs, as it has said itself.
hanging() { sed -n 's/^hanging \([0-9]*\)$/\1/p' "$out/log" 2>/dev/null || true; }
finish() {
    local process
    process=$(hanging)
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    [ -z "$job" ] || wait "$job" || true
    rm -rf "$out"
}
trap finish EXIT

# fail WHAT FILE: with what the file says.
fail() {
    echo "FAILED: $1"
    cut -c 1-300 "$2" | tail -60
    exit 1
}

# Jobs of others on this machine have servers, and ports, of their own.
export TMPDIR=$out TT_METAL_SIMULATOR_SERVE_OVER_SOCKETS=1
port=$("$venv/bin/python" -c 'import socket
with socket.socket() as probe:
    probe.bind(("localhost", 0))
    print(probe.getsockname()[1])')
export TT_METAL_INSPECTOR_RPC_SERVER_ADDRESS=localhost:$port
: >"$out/log" # the job may begin later than the loop
TIMEOUT=${TIMEOUT:-300} ttnn_run "$library" "$out" "$here/ttnn/hang.py" >"$out/log" 2>&1 &
job=$!
for _ in $(seq 600); do
    ! grep -q 'who waits for what' "$out/log" || break
    kill -0 "$job" 2>/dev/null || break
    sleep 0.2
done
grep -q 'who waits for what' "$out/log" || fail "the job does not hang" "$out/log"

timeout 300 "$triage_venv/bin/python" "$triage/triage.py" --disable-colors --disable-progress \
    --llm-output --sqlite-output-path="$out/triage.db" --inspector-rpc-port="$port" \
    >"$out/seen" 2>&1 || fail "triage.py ended with $?" "$out/seen"
kill -0 "$(hanging)" || fail "the job has ended" "$out/log"
for what in '^0,"1-2 \(0,0\)",ncrisc,.*cb_wait_front \(\)' \
    '^0,"2-2 \(1,0\)",ncrisc,.*noc_semaphore_wait \(\)' \
    '^0,"1-2 \(0,0\)",0,local,0x[0-9a-f]*,2048,2048,1,0,0,0$' \
    '^0,"2-2 \(1,0\)",program,0,0x[0-9a-f]*,0,0$' '^1,RUNNING,GenericOpDeviceOperation,0$'; do
    grep -qE "$what" "$out/seen" || fail "tt-triage has not said /$what/" "$out/seen"
done

"$triage_venv/bin/python" "$here/../../scripts/capture" "$out/dump" --from "$out/triage.db" \
    >"$out/captured" || fail "scripts/capture ended with $?" "$out/captured"
grep -qx 'tile 1,2: triage, circular_buffers' "$out/captured" &&
    grep -q '"dump_callstacks.Kernel Callstack": .*noc_semaphore_wait' "$out/dump/2-2/triage.json" ||
    fail "the database is not read" "$out/captured"
echo "ok: tt-triage names the lines at which both kernels wait"
