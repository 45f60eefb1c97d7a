#!/bin/bash
# Runs the models of examples/models, end to end in ttnn, and compares them with torch.
#
#   models.sh [LIBRARY [OTHER_LIBRARY]] [-- ARGUMENT...]
#
# LIBRARY is the built one by default; ARGUMENT is a model. Libraries take turns at each model,
# ROUNDS times (1), so that other work on the machine slows both. Results come to OUT
# (./models-results): results.jsonl, and of them models.svg, in which devices have the names NAMES
# ("penrose ttsim"). Lines of earlier runs are kept, and the fastest counts. TTNN_DISPATCH and
# PENROSE are as for ttnn.sh. The first time 1.2 GB are downloaded and kernels compiled (5 minutes),
# then it takes two. A model that OTHER_LIBRARY cannot run has no result there, which is no failure.
# Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
models=$here/../../examples/models
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

client_libraries "$@"
out=$(realpath -m "${OUT:-models-results}")
mkdir -p "$out"
venv=$(ttnn_venv torch)
ttnn_setup "$venv"
if [ ${#arguments[@]} -eq 0 ]; then
    "$venv/bin/python" "$models/models.py" --list >"$out/models" 2>"$out/list.log"
    mapfile -t arguments < <(grep -E '^[a-z]+$' "$out/models")
fi

failed=0
read -ra names <<<"${NAMES:-penrose ttsim}"
mkdir -p "${names[@]/#/$out/}"
for model in "${arguments[@]}"; do
    for ((round = 0; round < ${ROUNDS:-1}; round++)); do
        for i in "${!libraries[@]}"; do
            name=${names[$i]}
            # A process each: the other library may end it.
            ttnn_run "${libraries[$i]}" "$out/$name" "$models/models.py" --name "$name" \
                --json "$out/results.jsonl" "$model" >"$out/$name/$model.log" 2>&1 ||
                failed=$((failed + (i == 0)))
            echo "$name: $(grep -aE "^$model |ERROR|Error" "$out/$name/$model.log" | tail -1)"
        done
    done
done
"$venv/bin/python" "$models/plot.py" "$out/results.jsonl" "$out/models.svg"
[ "$failed" -eq 0 ]
