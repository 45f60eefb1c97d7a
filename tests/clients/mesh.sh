#!/bin/bash
# Runs operations of ttnn over the links of several chips, with the fabric firmware of tt-metal as it is,
# and compares the results on all chips with torch's.
#
#   mesh.sh [LIBRARY] [-- SHAPE FABRIC [OPERATION...]]
#   mesh.sh --all [LIBRARY] [-- SHAPE FABRIC slow|fast]
#   mesh.sh --scale [LIBRARY]
#
# Without arguments some operations on two chips; `ttnn/mesh.py` has shapes, fabrics and operations, all
# of which run if none is named. TTNN_DISPATCH=fast as for ttnn.sh. --all runs all of them on all
# meshes below, or on the named one, keeps logs and results in OUT (./mesh-results), and prints a table.
# That takes ten minutes. An operation that ends the process is told; the others go on in a new one. --scale
# prints what one to 32 chips cost while one of them works (ttnn/mesh_scale.py).
#
# The library is one that knows PENROSE_CLUSTER. The first run compiles the fabric's kernels, which takes
# minutes. Needs what ttnn.sh does, torch among it. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

# Shape, fabric and dispatch of each run of --all.
meshes='1x2 1d slow
1x2 1d fast
1x2 2d slow
1x4 1d slow
1x4 1d fast
1x4 ring slow
1x4 ring fast
2x2 2d slow
2x2 2d fast
2x4 1d slow
2x4 2d slow
2x4 2d fast'

# mesh_describe OUT SHAPE FABRIC: tells the library, UMD and tt-metal about the mesh.
mesh_describe() {
    local out=$1 shape=$2 fabric=$3
    mkdir -p "$out"
    export PENROSE_CLUSTER=$out/cluster.yaml
    "$ttnn_python" "$here/ttnn/mesh.py" --describe "$shape" "$fabric" >"$PENROSE_CLUSTER"
    "$ttnn_python" "$here/ttnn/mesh.py" --graph "$shape" "$fabric" >"$out/graph.textproto"
    export TT_MESH_GRAPH_DESC_PATH=$out/graph.textproto
}

# mesh_run OUT SHAPE FABRIC OPERATION...: a line of JSON for each operation; fails unless all are right.
mesh_run() {
    local out=$1 shape=$2 fabric=$3 status failed=0 begun
    shift 3
    mesh_describe "$out" "$shape" "$fabric"
    : >"$out/results.jsonl"
    while [ $# -gt 0 ]; do
        status=0
        PENROSE_ON_HANG=stop ttnn_run "$library" "$out" "$here/ttnn/mesh.py" "$shape" "$fabric" "$@" \
            >"$out/log" 2>&1 || status=$?
        grep '^{"operation"' "$out/log" | tee -a "$out/results.jsonl" || true
        begun=$(grep -E '^(begins |\{"operation")' "$out/log" | tail -1)
        [ $status -eq 0 ] || {
            failed=1
            echo "FAILED: ended with $status"
            grep -A 40 '^penrose:' "$out/log" || tail -20 "$out/log"
        }
        [ "${begun#begins }" != "$begun" ] || break
        begun=${begun#begins }
        mv "$out/log" "$out/$begun.log"
        echo "{\"operation\": \"$begun\", \"result\": \"ends with $status\"}" | tee -a "$out/results.jsonl"
        while [ "$1" != "$begun" ]; do
            shift
        done
        shift
    done
    return $failed
}

what=
case ${1:-} in
--all | --scale)
    what=$1
    shift
    ;;
esac
client_libraries "$@"
library=${libraries[0]}
client_large=yes
venv=$(ttnn_venv torch)
ttnn_setup "$venv"
list() {
    "$ttnn_python" "$here/ttnn/mesh.py" --list 2>/dev/null | grep -E '^[a-z0-9_]+$'
}

if [ "$what" = --all ]; then
    out=$(realpath -m "${OUT:-mesh-results}")
    mapfile -t operations < <(list)
    [ ${#arguments[@]} -eq 0 ] || meshes="${arguments[*]}"
    while read -r shape fabric dispatch; do
        echo "$shape $fabric $dispatch"
        TTNN_DISPATCH=$dispatch TIMEOUT=${TIMEOUT:-3000} mesh_run "$out/$shape-$fabric-$dispatch" \
            "$shape" "$fabric" "${operations[@]}" </dev/null || true
    done <<<"$meshes"
    exec python3 "$here/ttnn/mesh.py" --table "$out"/*-*-*
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ "$what" = --scale ]; then
    for shape in 1x1 1x2 2x2 2x4 4x4 8x4; do
        mesh_describe "$out/$shape" "$shape" none
        ttnn_run "$library" "$out/$shape" "$here/ttnn/mesh_scale.py" "$shape" >"$out/log" 2>&1 ||
            { tail -20 "$out/log" && exit 1; }
        grep '^{' "$out/log"
    done
    exit
fi
if [ ${#arguments[@]} -gt 0 ]; then
    [ ${#arguments[@]} -gt 2 ] || mapfile -t -O 2 arguments < <(list)
    arguments[1]=${arguments[1]:-1d}
    mesh_run "$out" "${arguments[@]}"
    exit
fi
mesh_run "$out" 1x2 1d add point_to_point all_gather all_reduce reduce_scatter
echo "links that damage frames:"
PENROSE_LINK_ERRORS='0:0=0.05,seed=7 0:1=0.05,seed=8' mesh_run "$out" 1x2 1d point_to_point all_reduce
grep -E '^penrose: chip 0: port [01] got .*[1-9][0-9]* of them damaged' "$out/log"
echo "a link that goes away:"
if PENROSE_LINK_ERRORS='0:0=0,down=300000' mesh_run "$out" 1x2 1d add point_to_point >"$out/away"; then
    echo "FAILED: the fabric did without it"
    exit 1
fi
grep -E '^penrose: chip 0: cycle 300000: the link of port 0 .* has gone away|the link to chip 1 .* is away since cycle 300000' \
    "$out/away"
