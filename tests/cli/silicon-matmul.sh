#!/bin/bash
# bench/silicon-matmul as far as it needs no ttnn: what it refuses, which rows it draws, and how it joins
# their times with those of silicon.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
bench=$srcdir/bench/silicon-matmul rows=$srcdir/bench/matmul/rows.py

# runs NAME EXIT PATTERN COMMAND...: the command ends with that exit code, and prints the pattern.
runs() {
    local name=$1 wanted=$2 pattern=$3 status=0 problem=
    shift 3
    : >"$work/err"
    timeout 60 "$@" >"$work/out" 2>&1 </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || problem+="; exit code $status, expected $wanted"
    grep -qE -- "$pattern" "$work/out" || problem+="; it does not print /$pattern/"
    report "$name" "${problem#; }"
}

runs "help" 2 '^  silicon-matmul \[--all' "$bench" --help
runs "an unknown option" 2 '^  silicon-matmul \[--all' "$bench" --rows 2
runs "an option without its value" 1 '--seed needs a value' "$bench" --seed
runs "fewer rows than none" 1 'give a number of rows' "$bench" --out "$work/none" --sample -1
runs "no regular expression" 1 'this is no regular expression' "$bench" --out "$work/none" --row '('
runs "no such row" 1 'no row has such a name' "$bench" --out "$work/none" --row 2d-1x1x1
report "they leave nothing" "$(ls "$work/none" 2>/dev/null)"

for name in first again other; do
    seed=1
    [ $name != other ] || seed=2
    runs "draw, $name" 0 '^12 rows$' python3 "$rows" plan --out "$work/$name" --sample 12 --seed $seed
done
report "a seed draws the same rows" "$(cmp "$work/first/plan.json" "$work/again/plan.json" 2>&1)"
report "another one draws others" "$(cmp -s "$work/first/plan.json" "$work/other/plan.json" && echo "the same")"

# A program that takes as long as silicon, or half of that.
cat >"$work/program" <<'END'
#!/bin/sh
[ -e "${2%/*}" ] || exit 3
case " $* " in
*" --cost "*) echo '{"kernel_cycles": 18900}' ;;
*) echo '{"kernel_cycles": 37800}' ;;
esac
END
chmod +x "$work/program"
one=(python3 "$rows" time --out "$work/one" --penrose "$work/program")
runs "one row" 0 '^1 rows$' python3 "$rows" plan --out "$work/one" --row '^2d-128x8192x128T-'
mkdir -p "$work/one/launches"
runs "nothing was recorded" 1 '^0 launches were recorded for 1 rows$' "${one[@]}"
mkdir "$work/one/launches/launch-001"
runs "its time" 0 'T-1x1-32-1x1 +37800 +37800 +[+]0[.]0 %  dram=2x -50[.]0 %' "${one[@]}" --set dram=2x
report "in a table" "$(grep -qx '2d-128x8192x128T-1x1-32-1x1,bound by the host,37800,37800,0.0000,18900' \
    "$work/one/times.csv" || cat "$work/one/times.csv")"
report "in a picture" "$(grep -q '<circle ' "$work/one/times.svg" || echo "has no point")"
rmdir "$work/one/launches/launch-001"
ln -s nowhere "$work/one/launches/launch-001"
runs "a run that fails" 1 'failed: the run ended with 3' "${one[@]}"
runs "and no other" 1 '^no row could be timed$' "${one[@]}"
finish
