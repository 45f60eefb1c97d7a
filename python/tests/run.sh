#!/bin/bash
# The Python package, made of the build tree as scripts/wheel makes it of a wheel's, and its tests.
#
#   run.sh [PYTEST-ARGUMENT...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
for module in cffi numpy pytest; do
    "$python" -c "import $module" 2>/dev/null || {
        python=/usr/bin/python3
        "$python" -c "import $module" 2>/dev/null ||
            { echo "SKIP: no python3 with $module" && exit 77; }
    }
done
[ -f "${builddir:?set builddir}/firmware/hello.elf" ] || { echo "SKIP: no guest programs" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
env -u MAKEFLAGS -u MFLAGS make -s -C "$builddir" install prefix=/usr DESTDIR="$work" >"$work/log" 2>&1 || {
    tail -20 "$work/log"
    exit 1
}
cp -r "$here" "$work/tests" # pytest leaves nothing in the source tree
"$python" "$here/../make_wheel.py" --tree "$work/usr" "$work/package"
cd "$work/tests"
export PENROSE_CACHE=$work/cache
PYTHONPATH=$work/package PENROSE_PREFIX=$work/usr PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m pytest -q -p no:cacheprovider "$@" .
