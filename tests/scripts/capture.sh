#!/bin/bash
# scripts/capture on files of other tools. SKIP without Python's numpy.
set -euo pipefail
python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "no numpy for python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$(dirname "${BASH_SOURCE[0]}")/capture.py"
