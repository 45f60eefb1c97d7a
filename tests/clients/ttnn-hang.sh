#!/bin/bash
# Hangs of jobs of ttnn as the library tells them. It finds the firmware that ttnn has compiled, so the
# report names circular buffers and semaphores, and lines of the kernels, and leaves out harts without work; and a job that
# polls the chip (its print server does) while it compiles what it will launch is no hang.
#
#   ttnn-hang.sh [LIBRARY]
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

fail() {
    echo "FAILED: $1"
    grep -A 60 '^penrose:' "$out/log" || tail -20 "$out/log"
    exit 1
}

TT_METAL_DPRINT_CORES=0,0 ttnn_run "$library" "$out" "$here/ttnn/hang.py" new >"$out/log" 2>&1 ||
    fail "the job that is well ended with $?"
grep -qx 'ok: it has ended' "$out/log" || fail "the job that is well has not ended"
! grep -q 'who waits for what' "$out/log" || fail "compiling is taken for a hang"

PENROSE_ON_HANG=stop ttnn_run "$library" "$out" "$here/ttnn/hang.py" >"$out/log" 2>&1 &&
    fail "the job that hangs was not ended"
for what in 'tile \(1, 2\) root cause: nobody pushes pages to circular buffer 0, which is empty' \
    '    -> ncrisc .*waits for pages of circular buffer 0$' \
    'tile \(1, 2\) ncrisc at pc .*, inlined at .*dataflow_api.h:[0-9]+, .*kernel_includes.hpp:[0-9]+, .*: polls 0xffb40028' \
    'tile \(2, 2\) ncrisc at pc .*kernel_includes.hpp:[0-9]+, .*: polls .* \(L1, semaphore 0 of its kernels, holds 0x0\)'; do
    grep -qE "$what" "$out/log" || fail "the report has no /$what/"
done
! grep -qE '^  .*(1[0-9]+ tiles|erisc)' "$out/log" || fail "the report has harts without work"
echo "ok: hang and no hang"
