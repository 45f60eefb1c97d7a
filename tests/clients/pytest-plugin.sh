#!/bin/bash
# `pip install` of the wheel beside ttnn, then `pytest --penrose` with tests of ttnn: one passes, and
# one fails with the report of the fault in its kernel, which ttnn itself does not tell.
#
#   pytest-plugin.sh
#
# Exit code 77 where it cannot run: as ttnn-fast.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

client_library >/dev/null
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/wheel" "$out/tests"
# What the wheel needs and its user has; the wheel itself is not left in the environment.
"$venv/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check --target "$out/site" \
    --no-deps cffi pycparser pytest pluggy iniconfig exceptiongroup tomli packaging pygments typing_extensions \
    >"$out/log" 2>&1 || skip "pip cannot install pytest; is there a network?"
{
    env -u MAKEFLAGS -u MFLAGS make -s -C "${builddir:?}" install prefix=/ DESTDIR="$out/installed"
    PYTHONPATH=$out/site "$venv/bin/python" "$here/../../python/make_wheel.py" "$out/installed" "$out/wheel"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$out/site" "$out"/wheel/*.whl
} >"$out/log" 2>&1 || {
    tail -20 "$out/log"
    exit 1
}

cp "$here/ttnn/test_plugin.py" "$out/tests"
cd "$out/tests"
status=0
PYTHONPATH=$out/site PENROSE_CACHE=$ttnn_cache TT_METAL_CACHE=${CLIENT_TTNN_CACHE:-$ttnn_cache/compiled} \
    PYTHONDONTWRITEBYTECODE=1 timeout "${TIMEOUT:-300}" \
    "$venv/bin/python" -m pytest -p no:cacheprovider -v --penrose=p150a . >"$out/log" 2>&1 </dev/null || status=$?
for pattern in 'test_good_kernel PASSED' 'test_bad_kernel FAILED' '^penrose: unmapped-address: tile \(1, 2\) .*kernel_includes.hpp:[0-9]+: ' \
    '0x60000000' '1 failed, 1 passed'; do
    grep -qE -- "$pattern" "$out/log" || {
        echo "pytest has not said /$pattern/, and ended with $status:"
        tail -60 "$out/log"
        exit 1
    }
done
[ "$status" -eq 1 ] || {
    echo "pytest ended with $status"
    exit 1
}
grep -E 'PASSED|FAILED|^penrose: ' "$out/log"
