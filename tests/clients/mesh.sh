#!/bin/bash
# Runs operations of ttnn over the links of several chips, with the fabric firmware of tt-metal as it is,
# and compares the results on all chips with torch's.
#
#   mesh.sh [LIBRARY] [-- SHAPE [FABRIC] [OPERATION...]]
#
# SHAPE is 1x2 by default, FABRIC 1d; ttnn/mesh.py has the operations. TTNN_DISPATCH=fast as for ttnn.sh.
# The library is one that knows PENROSE_CHIPS. The first run compiles the fabric's kernels, which takes
# minutes. Needs what ttnn.sh does, torch among it. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

library=
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    library=$1
    shift
fi
[ $# -eq 0 ] || shift
library=$(client_library "$library")
arguments=("${@:-1x2}")
client_large=yes
venv=$(ttnn_venv torch)
ttnn_setup "$venv"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

python3 "$here/ttnn/mesh.py" --describe "${arguments[0]}" >"$out/described"
PENROSE_CHIPS=$(sed -n 's/^PENROSE_CHIPS=//p' "$out/described")
PENROSE_LINKS=$(sed -n 's/^PENROSE_LINKS=//p' "$out/described")
export PENROSE_CHIPS PENROSE_LINKS
mkdir -p "$out/device"
sed '1,/^$/d' "$out/described" >"$out/device/cluster_descriptor.yaml"

status=0
ttnn_run "$library" "$out" "$here/ttnn/mesh.py" "${arguments[@]}" >"$out/log" 2>&1 || status=$?
grep '^{"operation"' "$out/log" || true
[ $status -eq 0 ] || {
    echo "FAILED: ended with $status"
    grep -A 40 '^penrose:' "$out/log" || tail -20 "$out/log"
    exit 1
}
