#!/bin/bash
# A short round of ttnn, unmodified, on the library: opens the device, moves data, adds and
# multiplies, with real firmware and kernels compiled by the stand-in compiler; first in slow
# dispatch, then in fast dispatch with tt-metal's own prefetch and dispatch kernels.
#
#   ttnn-fast.sh [LIBRARY]
#
# The first time about 200 MB are downloaded and some forty kernels compiled (a minute on an idle
# machine); what was compiled is kept. Exit code 77 where it cannot run: without a network, Python
# 3.10 or 3.12, or a RISC-V g++. ttnn/environment.bash and common.bash tell where these may be.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=$(client_library "${1:-}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
venv=$(ttnn_venv numpy)
root=$(ttnn_root "$venv" plain)
export TT_METAL_DISPATCH_TELEMETRY_DISABLE=1 # its kernel wants vector code

for TTNN_DISPATCH in slow fast; do
    ttnn_environment "$root" "$library" "$out"
    ttnn_firmware "$venv" "$root" "$out"
    echo "$TTNN_DISPATCH dispatch:"
    (cd "$out" &&
        timeout 300 "$venv/bin/python" "$here/ttnn/quick.py" open transfer add matmul open) \
        >"$out/log" 2>&1 || {
        status=$?
        grep -E 'rror|THROW|FAILED' "$out/log" | cut -c 1-300 | head -40
        exit "$status"
    }
    grep '^ok:' "$out/log"
done
