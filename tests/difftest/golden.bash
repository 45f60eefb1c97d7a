# What the tests of golden cases share; they set `tester` first, and end with `golden_end`.
set -u
difftest=$builddir/tests/difftest/$tester/difftest-$tester
library=$builddir/.libs/libttsim.so
golden=$srcdir/tests/golden/$tester
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

# Messages and exit codes that both testers have, and whether all was as expected.
golden_end() {
    mkdir "$work/empty"
    expect "golden cases" 0 '^[0-9]{3,} cases, 0 differ$' --ours "$library" --golden "$golden"
    expect "a broken file" 2 'broken.case: line 1: expected "case"' \
        --ours "$library" --golden "$work/broken.case"
    expect "no cases" 2 'no cases' --ours "$library" --golden "$work/empty"
    expect "no folder" 2 'cannot read' --ours "$library" --golden "$work/none"
    expect "no library" 3 'cannot use --ours .*/none.so' --ours "$work/none.so" --golden "$golden"
    expect "another library" 3 'has no function libttsim_init' --ours libc.so.6 --golden "$golden"
    expect "no option" 2 'ours is missing'
    expect "help" 0 'Exit codes: 0 no mismatch' --help
    [ "$failures" -eq 0 ]
}
