#!/bin/bash
# Runs programs of the field that use ttnn, unmodified, and makes a table of how they end.
#
#   programs.sh SUITE [LIBRARY [OTHER_LIBRARY]] [-- NAME...]
#
# Suites:
#   examples   kernels of tt-metal's programming examples, by ttnn.generic_op
#   tutorials  tt-lang's, with smaller tensors
#   readiness  the MLP of tt-check
#   symbiote   models of Hugging Face with random weights, parts of which tt_symbiote moves to the device
#
# LIBRARY is the built one by default; each NAME (all of the suite) runs in a process of its own, as the other
# library may end it. Results come to OUT (./programs-results): a folder for each library with report.md.
#
#   TT_METAL_TESTS     a checkout of tt-metal, for the examples; else it is fetched (ttnn/checkout.bash)
#   CLIENT_VENV_FIELD  an environment with ttnn, torch and these packages that is there already
#   TIMEOUT            seconds that a program may take (600)
#   PENROSE            as in ttnn/environment.bash
#
# The first time 3 GB are downloaded. Exit code 77 where it cannot run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"
# shellcheck source=tests/clients/ttnn/checkout.bash
. "$here/ttnn/checkout.bash"

# field_venv: an environment with all of the packages. tt-lang wants Python 3.12, and names another version of
# ttnn than ours, so it comes without what it names.
field_venv() {
    local venv
    if [ -n "${CLIENT_VENV_FIELD:-}" ]; then
        client_venv field 3.12
        return
    fi
    venv=$(client_large=yes client_venv field 3.12 "${ttnn_packages[@]}" torch==2.9.1 'pydantic<3' \
        greenlet transformers==5.9.0 accelerate tt-symbiote==0.1.6 tqdm)
    (
        flock 9
        "$venv/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-deps \
            tt-lang==1.1.1 tt-check==0.1.3 >"$venv/field.log" 2>&1 ||
            skip "pip cannot install tt-lang and tt-check; is there a network?"
    ) 9>"$venv/lock"
    echo "$venv"
}

[ $# -ge 1 ] || skip "name a suite"
suite=$1
shift
[ -f "$here/ttnn/$suite.py" ] || skip "no suite $suite"
client_libraries "$@"
out=$(realpath -m "${OUT:-programs-results}")
if [ "$suite" = examples ]; then
    TT_METAL_TESTS=$(ttnn_checkout)
    export TT_METAL_TESTS
fi
# Traces need tt-metal's own dispatch.
[ "$suite" != readiness ] || export TTNN_DISPATCH=fast
venv=$(field_venv)
ttnn_setup "$venv"
mkdir -p "$out"
if [ ${#arguments[@]} -eq 0 ]; then
    "$venv/bin/python" "$here/ttnn/$suite.py" --list >"$out/list.log" 2>&1 || true
    mapfile -t arguments < <(sed -n 's/^program //p' "$out/list.log")
    [ ${#arguments[@]} -gt 0 ] || { tail -5 "$out/list.log" >&2; exit 1; }
fi

failed=0
for i in "${!libraries[@]}"; do
    folder=$out/$i-$(basename "${libraries[$i]}" .so)
    mkdir -p "$folder"
    : >"$folder/results.jsonl"
    for name in "${arguments[@]}"; do
        started=$SECONDS status=0
        ttnn_run "${libraries[$i]}" "$folder" "$here/ttnn/$suite.py" "$name" >"$folder/$name.log" 2>&1 || status=$?
        line=$(grep -a '^{"name"' "$folder/$name.log" | tail -1) || {
            message=$(grep -aE 'ERROR|Error|^penrose: ' "$folder/$name.log" | tail -1 | tr -d '"\\' | cut -c1-300)
            line="{\"name\": \"$name\", \"result\": \"ended with $status\", \"error\": null, \"text\": \"$message\"}"
        }
        echo "$line" >>"$folder/results.jsonl"
        [[ $line == *'"result": "passed"'* ]] || failed=$((failed + (i == 0)))
        echo "$line $((SECONDS - started)) s"
    done
    python3 - "$folder/results.jsonl" >"$folder/report.md" <<'PYTHON'
import json, sys
print("| program | result | largest error | |\n|---|---|---:|---|")
for line in open(sys.argv[1]):
    row = json.loads(line)
    error = "" if row["error"] is None else f"{row['error']:.4g}"
    print(f"| `{row['name']}` | {row['result']} | {error} | {row['text'].splitlines()[0] if row['text'] else ''} |")
PYTHON
done
[ "$failed" -eq 0 ]
