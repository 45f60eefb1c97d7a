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
sfpi=$(client_sfpi)
copy=$(llk_copy "$sfpi")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

llk_run "$copy" "$venv" "$library" "$work" --ids "$here/llk/fast.txt" --jobs 1
python3 "$here/suites/report.py" "$work" || {
    tail -40 "$work/files/fast.log"
    exit 1
}
python3 - "$here/llk/fast.txt" "$work/files/fast.jsonl" <<'PYTHON'
import json, sys
wanted = {line.strip() for line in open(sys.argv[1]) if line.strip() and not line.startswith("#")}
events = [json.loads(line) for line in open(sys.argv[2])]
passed = {e["id"] for e in events if e["event"] == "end" and e["outcome"] == "passed"}
print(f"{len(passed)} of {len(wanted)} variants passed")
for variant in sorted(wanted - passed):
    print("not passed:", variant)
sys.exit(wanted != passed)
PYTHON
