#!/bin/bash
# Our library leaves the state that the golden Tensix cases tell, and the tester's messages and
# exit codes are as its --help says.
set -u
difftest=$builddir/tests/difftest/tensix/difftest-tensix
library=$builddir/.libs/libttsim.so
golden=$srcdir/tests/golden/tensix
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect NAME EXIT PATTERN ARGUMENT...: the exit code, and what stdout and stderr must match.
expect() {
    local name=$1 wanted=$2 pattern=$3 status=0
    shift 3
    timeout 120 "$difftest" "$@" >"$work/out" 2>&1 </dev/null || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -qE -- "$pattern" "$work/out"; then
        echo "$name: exit code $status, expected $wanted and /$pattern/:"
        tail -n 40 "$work/out"
        failures=$((failures + 1))
    fi
}

# A case whose state is not what its program leaves.
cat >"$work/wrong.case" <<'END'
case 1
T0 push SETDMAREG 0, 0x1234, 0, 6
state
expect T0.gpr[3] 0x1235
end
END
echo "T0 push INCRWC" >"$work/broken.case"
mkdir "$work/empty"

expect "golden cases" 0 '^[0-9]{3,} cases, 0 differ$' --ours "$library" --golden "$golden"
expect "a wrong expectation" 1 'gpr\[3\]: ours 0x1234, reference 0x1235' \
    --ours "$library" --golden "$work/wrong.case"
expect "a broken file" 2 'broken.case: line 1: expected "case"' \
    --ours "$library" --golden "$work/broken.case"
expect "no cases" 2 'no cases' --ours "$library" --golden "$work/empty"
expect "no folder" 2 'cannot read' --ours "$library" --golden "$work/none"
expect "no library" 3 'cannot use --ours .*/none.so' --ours "$work/none.so" --golden "$golden"
expect "another library" 3 'has no function libttsim_init' --ours libc.so.6 --golden "$golden"
expect "no option" 2 'ours is missing'
expect "no row" 2 'has no row FROBNICATE' --rows FROBNICATE --ours "$library"
expect "help" 0 'Exit codes: 0 no mismatch' --help

[ "$failures" -eq 0 ]
