#!/bin/bash
# A short round of ttnn, unmodified, on the library: opens the device, moves data, adds and
# multiplies, with firmware and kernels that it compiles by the vendor's compiler; first in slow
# dispatch, then in fast dispatch with tt-metal's own prefetch and dispatch kernels.
#
#   ttnn-fast.sh [LIBRARY]
#
# The first time about 300 MB are downloaded and some forty programs compiled (a minute); what was
# compiled is kept. Exit code 77 where it cannot run: without a network, or Python 3.10 or 3.12.
# ttnn/environment.bash and common.bash tell where these may be.
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
ttnn_setup "$venv"

for TTNN_DISPATCH in slow fast; do
    echo "$TTNN_DISPATCH dispatch:"
    ttnn_run "$library" "$out" "$here/ttnn/quick.py" open transfer add matmul open \
        >"$out/log" 2>&1 || {
        status=$?
        grep -E 'rror|THROW|FAILED' "$out/log" | cut -c 1-300 | head -40
        exit "$status"
    }
    grep '^ok:' "$out/log"
done
