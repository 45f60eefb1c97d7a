#!/bin/bash
# A dozen variants of Tenstorrent's LLK suite on the built library: all of them pass. llk.sh runs
# more. Exit code 77 where the suite cannot run; see suite.bash for what it needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

library=$(client_library "${1:-}")
venv=$(llk_venv)
shim=$(client_shim plain)
copy=$(llk_copy "$shim")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$here/llk/fast.txt" "$work/fast.txt"
if [ ! -f "$shim/include/sfpi_classes.h" ]; then
    echo "no headers of SFPI: without the variants that have vector code by sfpi.h"
    sed -i '/^# Vector code by sfpi.h/,$d' "$work/fast.txt"
fi
llk_run "$copy" "$venv" "$library" "$work" --ids "$work/fast.txt" --jobs 1
python3 "$here/llk/report.py" "$work" || {
    tail -40 "$work/files/fast.log"
    exit 1
}
python3 - "$work/fast.txt" "$work/files/fast.jsonl" <<'PYTHON'
import json, sys
wanted = {line.strip() for line in open(sys.argv[1]) if line.strip() and not line.startswith("#")}
events = [json.loads(line) for line in open(sys.argv[2])]
passed = {e["id"] for e in events if e["event"] == "end" and e["outcome"] == "passed"}
print(f"{len(passed)} of {len(wanted)} variants passed")
for variant in sorted(wanted - passed):
    print("not passed:", variant)
sys.exit(wanted != passed)
PYTHON
