#!/bin/bash
# tt-triage beside a job of ttnn that hangs: it attaches by UMD's simulation server, asks the job's
# inspector which kernels run where, and names the lines at which they wait, their circular buffers
# and semaphores; scripts/capture reads the database that it writes. First on one chip, then on both chips
# of a p300, where the library's own report must tell of the kernels of each chip and of nothing else;
# tt-exalens looks at the second chip, too.
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
# With the version that its requirements.txt names, tt-exalens gives the chips of a simulator other ids
# than tt-metal, so that tt-triage finds no device among several.
newer_venv=$(client_venv triage-newer "$python" pycapnp==2.0.0 tt-exalens==0.4.2 numpy)

out=$(mktemp -d)
job='' log=$out/log
# The process that hangs, as it has said itself.
hanging() { sed -n 's/^hanging \([0-9]*\)$/\1/p' "$log" 2>/dev/null || true; }
end_job() {
    local process
    process=$(hanging)
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    [ -z "$job" ] || wait "$job" || true
    job=''
}
trap 'end_job; rm -rf "$out"' EXIT

# fail WHAT FILE: with what the file says.
fail() {
    echo "FAILED: $1"
    cut -c 1-300 "$2" | tail -60
    exit 1
}

# hang FOLDER [ARGUMENT...]: a job that hangs, of whose chips tt-triage then writes FOLDER/seen.
hang() {
    local folder=$1 port
    shift
    mkdir -p "$folder"
    # Jobs of others on this machine have servers, and ports, of their own.
    export TMPDIR=$folder TT_METAL_SIMULATOR_SERVE_OVER_SOCKETS=1
    port=$("$venv/bin/python" -c 'import socket
with socket.socket() as probe:
    probe.bind(("localhost", 0))
    print(probe.getsockname()[1])')
    export TT_METAL_INSPECTOR_RPC_SERVER_ADDRESS=localhost:$port
    log=$folder/log
    : >"$log" # the job may begin later than the loop
    TIMEOUT=${TIMEOUT:-900} ttnn_run "$library" "$folder" "$here/ttnn/hang.py" "$@" >"$log" 2>&1 &
    job=$!
    client_says "$job" "$log" 'who waits for what' || fail "the job does not hang" "$log"

    timeout 600 "$python" "$triage/triage.py" --skip-version-check --disable-colors --disable-progress \
        --llm-output --sqlite-output-path="$folder/triage.db" --inspector-rpc-port="$port" \
        --run="$scripts" >"$folder/seen" 2>&1 || fail "triage.py ended with $?" "$folder/seen"
    kill -0 "$(hanging)" || fail "the job has ended" "$log"
}

# says FILE PATTERN...: each matches a line of the file.
says() {
    local file=$1 what
    shift
    for what; do
        grep -qE "$what" "$file" || fail "there is no /$what/" "$file"
    done
}

python=$triage_venv/bin/python scripts=all
hang "$out/one"
says "$out/one/seen" '^0,"1-2 \(0,0\)",ncrisc,.*cb_wait_front \(\)' \
    '^0,"2-2 \(1,0\)",ncrisc,.*noc_semaphore_wait \(\)' \
    '^0,"1-2 \(0,0\)",0,local,0x[0-9a-f]*,2048,2048,1,0,0,0$' \
    '^0,"2-2 \(1,0\)",program,0,0x[0-9a-f]*,0,0$' '^1,RUNNING,GenericOpDeviceOperation,0$'

"$triage_venv/bin/python" "$here/../../scripts/capture" "$out/dump" --from "$out/one/triage.db" \
    >"$out/captured" || fail "scripts/capture ended with $?" "$out/captured"
grep -qx 'tile 1,2: triage, circular_buffers' "$out/captured" &&
    grep -q '"dump_callstacks.Kernel Callstack": .*noc_semaphore_wait' "$out/dump/2-2/triage.json" ||
    fail "the database is not read" "$out/captured"
echo "ok: tt-triage names the lines at which both kernels wait"
end_job

ttnn_descriptor=${builddir:-.}/cards/p300/soc_descriptor.yaml
mkdir -p "$out/two/device"
cp "${builddir:-.}/cards/p300/cluster_descriptor.yaml" "$out/two/device"
# All scripts took from one to more than five minutes there: each of their accesses waits for a lock of UMD's,
# which the job that polls takes again as soon as it has let go of it.
python=$newer_venv/bin/python scripts=dump_callstacks
PENROSE_CARD=p300 hang "$out/two" mesh
for chip in 0 1; do
    says "$log" "^penrose: chip $chip: the host (keeps polling|has been polling in vain)"
    says "$out/two/seen" "^$chip,\"1-2 \(0,0\)\",ncrisc,.*cb_wait_front \(\)" \
        "^$chip,\"2-2 \(1,0\)\",ncrisc,.*noc_semaphore_wait \(\)"
done
! grep -q deadlock "$log" || fail "the library reports firmware that is idle" "$log"
socket=$(client_socket "$log")
timeout 120 "$newer_venv/bin/tt-exalens" --test -s "$socket" \
    --commands 'brxy 1,2 0x0 1; brxy 1,2 0x0 1 -d 1; gpr -r brisc -l 1,2 -d 1; exit' >"$out/examined" 2>&1 ||
    fail "tt-exalens ended with $?" "$out/examined"
says "$out/examined" '^Reading from device 1' 'pc *0x0000[0-9a-f]*' 'for location 1,2 on device 1'
echo "ok: tt-triage and tt-exalens see both chips"
