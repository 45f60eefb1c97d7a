#!/bin/bash
# Runs ttnop, by which Tenstorrent looks for races between the threads of kernels, on variants of the LLK
# suite: it puts delays before instructions that synchronise, and says when a result changes.
#
#   llk-ttnop.sh [LIBRARY] [-- NODE_ID...]
#
# LIBRARY is the built one by default; without NODE_ID the variants of llk/fast.txt. Results come to OUT
# (./llk-ttnop-results): a folder for each variant with ttnop's report.md, and report.md of all. DELAYS is how many
# instructions long the delays are (1,8,64), THREADS which threads have them (unpack,math,pack). What ttnop needs to
# find instructions it compiles itself, so a C++ compiler must be there. Exit codes: 0 nothing found, 1 a
# delay changed a result or a variant did not run; 77 where it cannot run: see suite.bash for what it needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

client_libraries "$@"
out=$(realpath -m "${OUT:-llk-ttnop-results}")
sfpi=$(client_sfpi)
copy=$(llk_copy "$sfpi")
venv=$(llk_venv)
tests=$copy/tt_metal/tt-llk/tests/python_tests
if [ ${#arguments[@]} -eq 0 ]; then
    mapfile -t arguments < <(grep -v '^#' "$here/llk/fast.txt")
fi
mkdir -p "$out/bin" "$out/kernels"

# ttnop starts pytest for a card; on a simulator that takes one more argument.
cat >"$out/bin/python3" <<EOF
#!/bin/bash
[[ "\$*" != *"-m pytest"* ]] || set -- "\$@" --run-simulator -o log_cli=false
exec "$venv/bin/python" "\$@"
EOF
chmod +x "$out/bin/python3"
TT_METAL_SIMULATOR=$(client_device "${libraries[0]}" \
    "$copy/tt_metal/soc_descriptors/blackhole_140_arch.yaml" "$out/sim")
export TT_METAL_SIMULATOR CHIP_ARCH=blackhole RUNNER_TEMP=$out/kernels PATH=$out/bin:$venv/bin:$PATH
export TTNOP_DEVICE_LOCK=$out/lock-device TTNOP_BUILD_LOCK=$out/lock-build PYTHONDONTWRITEBYTECODE=1

found=0 number=0
printf '| variant | pytest | results that changed |\n|---|---|---:|\n' >"$out/report.md"
for variant in "${arguments[@]}"; do
    number=$((number + 1))
    folder=$out/$number
    mkdir -p "$folder"
    timeout "${TIMEOUT:-600}" bash "$tests/ttnop/scripts/focus.sh" --threads "${THREADS:-unpack,math,pack}" \
        --delays "${DELAYS:-1,8,64}" --repeats 1 --device-jobs 1 --report-dir "$folder" "$variant" \
        >"$folder/log" 2>&1 </dev/null || true
    result=$(grep -aoE '[0-9]+ (passed|failed|skipped|error)[^=]*' "$folder/log" | tail -1)
    changed=0
    [ ! -f "$folder/failures.jsonl" ] || changed=$(wc -l <"$folder/failures.jsonl")
    [[ $result == *passed* && $changed -eq 0 ]] || [[ $result == *skipped* ]] || found=1
    echo "| \`$variant\` | ${result:-did not run} | $changed |" | tee -a "$out/report.md"
done
exit "$found"
