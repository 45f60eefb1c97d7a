#!/bin/bash
# `penrose hunt` makes races fail that the checks find, by a delay that shows them again, and leaves right kernels alone.
# `--delay` holds up what it names, and changes nothing of a right program.
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# --- Options ---

for delay in '' x brisc brisc@0 brisc@0=x brisc@0x10=1,, brisc.thread@0x10=1 trisc1.late@0x10=1 1:brisc@0x10=1 \
    brisc@0x10/=1 brisc@0x10=100000001; do
    expect "no delay: '$delay'" 2 "--delay: '.*' is no delay; write " -- run x.elf --delay "$delay"
done
messages=1 expect "a delay where nobody comes" 0 '--delay: brisc has not come to the instruction at 0x00000ff0 2 times, so nothing is late there' -- \
    run "$GUESTS/hello.elf" --delay brisc@0xff0/2=9
expect "a delay" 0 -- run "$GUESTS/hello.elf" --delay brisc@0x30=9
expect "no delay of exec" 125 "--delay: 'x' is no delay" -- exec --delay x -- true
expect "hunt for nothing" 2 "name a recording, or a command behind --" -- hunt
expect "hunt for two things" 2 "name a recording, or a command" -- hunt x.rec -- true
expect "hunt without runs" 2 "at least one run" -- hunt --jobs 0 -- true
expect "hunt with programs of a command" 2 "--symbols is for recordings" -- hunt --symbols . -- true
expect "hunt for an unknown check" 2 "no check 'x'" -- hunt --check x -- true
expect "hunt for a recording that is none" 2 "hunt: .*none.rec" -- hunt "$work/none.rec"

# --- Kernels ---

# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../checks/lib.bash" || exit 1
mkdir "$work/deep" && sed -i 's|"copy.npy"|"deep/copy.npy"|' "$work/copy.json"
sed -i 's/"grid": "[48]x[248]"/"grid": "2x2"/' "$work"/{add,matmul}.json # more work for each tile than its buffers hold

# hunted NAME PATTERN PROGRAM [FILE SED]: hunt finds a delay that matches, and the command that it prints shows the
# failure; an empty pattern: nothing fails.
hunted() {
    local name=$1 pattern=$2 status=0 command problem= result
    result=$work/$(result_of "$3")
    [[ $name =~ ${PENROSE_CASES:-} ]] || return 0
    program "$name" "${@:3}"
    sed -E "${description:-}" "$work/$3.json" >"$work/hunted.json"
    "$PENROSE" hunt --jobs 2 --schedules 0 -- penrose run "$work/hunted.json" --firmware "$firmware" --kernels "$work/$name/kernels" --units \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
    if [ -z "$pattern" ]; then
        report "$name" "$([ $status -eq 0 ] && grep -q ' 0 failures' "$work/err" || echo "exit code $status")"
        return
    fi
    [ $status -eq 1 ] || problem+="; exit code $status"
    grep -qE -- "with --delay $pattern: (its results differ|it ends with)" "$work/out" || problem+="; no /$pattern/"
    command=$(grep -E -- "^  .*run .*--delay=? ?$pattern" "$work/out" | head -1)
    [ -n "$command" ] || problem+="; no command"
    "$PENROSE" run "$work/hunted.json" --firmware "$firmware" --kernels "$work/$name/kernels" >/dev/null 2>&1
    mv "$result" "$work/right.npy"
    status=0
    (cd "$work" && bash -c "timeout 100 $command --max-cycles 200M") >/dev/null 2>&1 || status=$?
    case $status in
    0) [ -f "$result" ] && ! cmp -s "$work/right.npy" "$result" || problem+="; the command does not show it" ;;
    1 | 3 | 4) ;;
    *) problem+="; the command ends with $status" ;;
    esac
    report "$name" "${problem#; }"
}

result_of() {
    case $1 in
    add) echo sum.npy ;;
    copy) echo deep/copy.npy ;;
    gather) echo gathered.npy ;;
    *) echo product.npy ;;
    esac
}

hunted "a read without its barrier" '[0-9-]*:?ncrisc\.(departure|arrival)@0x[0-9a-f]+[/0-9]*=[0-9]+' copy ncrisc.c '/read_barrier/d'
hunted "pages that are popped before they have left" '.*brisc\.departure@.*' copy brisc.c '/write_departure/d'
hunted "data that their semaphore overtakes" '.*brisc\.arrival@.*' gather brisc.c \
    "/^        write_barrier/d; s/^    atomic_barrier/    write_barrier();\\n&/; s/noc_write\\(all \\+ position \\* size, neighbour, .*/request(BUFFER_WRITE, CONTROL_WRITE \\& ~CTRL_STATIC, (struct noc_end){own_tile(), all + position * size}, (struct noc_end){neighbour, all + position * size}, size);\\n        writes_due++;\\n        writes_sent_due++;/"
description='s/"grid": "2x2"/"grid": "8x4"/'
hunted "no tile_regs_wait" '.*trisc1(\.thread)?@.*' add trisc.c 's/^( *)pack_begin\(\);//'
description=
hunted "no tile_regs_acquire" '.*trisc2(\.thread)?@.*' add trisc.c \
    's/^( *)math_begin\(\);//; s/half = math_end\(half\);/half = math_end(half | 1);/; s/half = pack_end\(half\);/half \&= pack_end(half | 1);/'
hunted "pages that are pushed before the packer is done" '.*trisc2\.thread@.*' add trisc.c \
    's/cb_push_packed\(RESULT, 1\)/cb_push_pages(RESULT, 1)/'
hunted "pages that are popped before the unpacker is done" '.*trisc0\.thread@.*' add trisc.c \
    's/cb_pop_unpacked\((INPUT_[AB]), 1\)/cb_pop_pages(\1, 1)/'
hunted "no cb_reserve_back" '.*brisc.*' copy ncrisc.c '/cb_reserve_pages/d'
for right in add copy gather; do
    hunted "$right as it is" '' "$right"
done

# Whatever is late, a right program has the same results.
[[ ! "delays of a right program" =~ ${PENROSE_CASES:-} ]] || {
    program delayed add
    differ= trials=0
    run delayed add "--trace=$work/trace.txt" --trace-filter "tile=1,2"
    mv "$work/sum.npy" "$work/right.npy"
    for hart in brisc ncrisc trisc0 trisc1 trisc2; do
        what=.arrival
        [[ $hart != trisc* ]] || what=.thread
        for pc in $(awk -v hart="$hart" '$3 == hart && $4 ~ /^0x/ && /kernel_main/ { print $4 }' "$work/trace.txt" | sort -u |
            awk 'NR % 31 == 7' | head -5); do
            rm -f "$work/sum.npy"
            run delayed add --delay "$hart$what@$pc=700,$hart@$pc=50" || differ+="; $hart at $pc ends with $?"
            cmp -s "$work/right.npy" "$work/sum.npy" || differ+="; $hart at $pc"
            trials=$((trials + 1))
        done
    done
    [ $trials -ge 10 ] || differ+="; only $trials trials"
    report "delays of a right program" "${differ#; }"
}

# --- Recordings, and commands ---

# as_json NAME EXIT EXPRESSION ARGUMENT...: hunt prints one document, `told`, of which this holds in Python.
as_json() {
    local name=$1 wanted=$2 expression=$3 status=0
    shift 3
    [[ $name =~ ${PENROSE_CASES:-} ]] || return 0
    "$PENROSE" hunt --json "$@" >"$work/out.json" 2>"$work/err" </dev/null || status=$?
    report "$name" "$([ $status -eq "$wanted" ] || echo "exit code $status"
        "$python" -c "import json, sys; told = json.load(sys.stdin); assert $expression, told" <"$work/out.json" 2>&1)"
    cp "$work/out.json" "$kept/$cases"
}

as_json "a delay as JSON" 1 'told["outcome"] == "failed" and told["findings"][0]["kind"] == "noc-unwaited" and \
    told["findings"][0]["failure"]["option"] in told["findings"][0]["failure"]["command"]' \
    --schedules 0 -- penrose run "$work/copy.json" --firmware "$firmware" --kernels "$work/a read without its barrier/kernels"
# shellcheck disable=SC2016 # for the inner shell
as_json "a schedule as JSON" 1 'told["schedule"]["option"] == "--schedule random:1" and told["runs"] == 3' \
    --schedules 1 -- sh -c '[ -z "$PENROSE_SCHEDULE" ]'
as_json "nothing fails, as JSON" 0 'told["outcome"] == "done" and told["findings"] == []' --schedules 0 -- true
as_json "it fails as it is, as JSON" 2 '"the program fails as it is" in told["error"]' -- false
as_json "no recording, as JSON" 2 '"none.rec" in told["error"]' "$work/none.rec"
as_json "a missing program, as JSON" 2 '"none.json" in told["error"]' -- penrose run "$work/none.json" --firmware "$firmware"

[[ ! "a command that fails as it is" =~ ${PENROSE_CASES:-} ]] ||
    expect "a command that fails as it is" 2 "the program fails as it is: it ends with exit code 1" -- hunt -- false
messages=1 expect "a command that never fails" 0 "hunt: 0 findings, 0 failures" -- hunt --schedules 2 -- true
finish
