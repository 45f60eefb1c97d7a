# What the tests of checks share: kernels of our own, changed by a sed script, and what `--check` says of
# them. Sourced by the scripts beside it, behind tests/cli/lib.bash.
#
# Mistakes that the scripts have, by check, on 30 November 2026; most have a repaired twin of their own, and the
# kernels as they are stand for the others:
#
#              noc   cb   races   memory   uninit   config
#   checks.sh   23   20      18       18       15
#   races.sh                 28
#   told.sh      1           12        1        6
#   config.sh                                   3       28
#   field.sh     1            3                              and three of the core: noc-alignment,
#                                                              code-overwritten and cb-count (checks.sh)
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# shellcheck disable=SC2154 # work, srcdir and PENROSE are those of tests/cli/lib.bash

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || skip "no firmware"
command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || skip "no RISC-V cross compiler"
python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "no numpy for python3"
firmware=$root/11660721212704224774 # one of the sets for 8 DRAM banks
[ -d "$firmware" ] || skip "no firmware set $firmware"

export KERNELS_OF_ANY_FOLDER=1 # reports may have the folder of an earlier run

# Small matrices and few tiles: every case runs its program once or twice.
cp "$srcdir"/examples/*.json "$work"
sed -i 's/"grid": "8x4"/"grid": "4x2"/; s/"grid": "8x8"/"grid": "4x4"/' "$work"/{add,matmul}.json
# Kernels have a KiB of L1 to play with.
sed -i 's|^    "l1": {|&\n        "room": {"page_size": 1024, "address": 1048576},|; t
    s|^    "dram": {|    "l1": {"room": {"page_size": 1024, "address": 1048576}},\n&|' "$work"/*.json
(cd "$work" && "$python" - <<'PYTHON') || exit 1
import numpy
numbers = numpy.random.default_rng(1).standard_normal
for name, rows, columns in ("a", 128, 128), ("b", 128, 128), ("shards", 64, 64):
    numpy.save(name, numbers((rows, columns), dtype=numpy.float32))
PYTHON

# program NAME PROGRAM [FILE SED]: the kernels of a program of firmware/grid in $work/NAME, changed in a file.
program() {
    local name=$1 program=$2
    rm -rf "$work/$name"
    mkdir -p "$work/$name/src"
    cp "$srcdir/firmware/grid/$program"/* "$work/$name/src"
    sed -i "s|\"grid/$program/|\"|" "$work/$name/src"/*
    if [ $# -gt 2 ]; then
        cp "$work/$name/src/$3" "$work/before"
        sed -i -E "$4" "$work/$name/src/$3"
        ! cmp -s "$work/before" "$work/$name/src/$3" || report "$name: the change" "it changes nothing"
    fi
    "$srcdir/scripts/link-kernels" "$firmware" "$work/$name/kernels" "$work/$name/src" || exit 1
}

# Cases are run with the options $checks, if it is set, else with all checks.
#
# run NAME PROGRAM OPTION...: what the checks say is in $work/said. $description, if set, changes the program's description.
run() {
    local name=$1 program=$2
    shift 2
    sed -E "${description:-}" "$work/$program.json" >"$work/run.json"
    (cd "$work" && timeout 120 "$PENROSE" run run.json --firmware "$firmware" \
        --kernels "$name/kernels" --max-cycles 2M --policy all=warn "$@") >"$work/out" 2>"$work/said" </dev/null
}

# clean NAME PROGRAM: nothing is said of the kernels as they are.
clean() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    program "$@"
    # shellcheck disable=SC2086 # several options, or none
    run "$1" "$2" ${checks---check}
    report "$1" "$([ $? -eq 0 ] && ! grep -q 'guest fault' "$work/said" || cat "$work/said")"
}

# finds NAME KIND LINE TEXT PROGRAM FILE SED [OTHER]: a fault of this kind, with this text, whose report names the
# line of FILE, or of OTHER, that matches LINE, the first one if there are several.
finds() {
    local name=$1 kind=$2 line=$3 text=$4 file=${8:-$6} number
    [[ $name =~ ${PENROSE_CASES:-} ]] || return 0
    program "$name" "$5" "$6" "$7"
    number=$(grep -nE "$line" "$work/$name/src/$file" | head -1 | cut -d: -f1)
    # shellcheck disable=SC2086 # several options, or none
    run "$name" "$5" ${checks---check}
    awk -v kind="guest fault $kind:" '/guest fault/ { shows = index($0, kind); if (shows) print "" }
        shows { printf "%s ", $0 }' "$work/said" >"$work/found" # each report is a line
    report "$name" "$([ -n "$number" ] && grep -q "/$file:$number\b" <(grep -E "$text" "$work/found") ||
        { echo "expected $kind, $file:${number:-no line matches $line}, /$text/; found:" && cut -c1-300 "$work/said"; })"
}

# kit NAME [FILE SED]...: the programs that `penrose new` makes, changed in files; what the checks say is in $work/said.
kit() {
    local name=$1 hart options=()
    "$PENROSE" new "$work/$name" >/dev/null || exit 1
    shift
    while [ $# -gt 0 ]; do
        sed -i -E "$2" "$work/$name/$1"
        shift 2
    done
    make -s -C "$work/$name" CROSS="$(basename "${RISCV_CC:-riscv64-unknown-elf-gcc}" gcc)" >"$work/made" 2>&1 || { cat "$work/made"; exit 1; }
    for hart in brisc ncrisc trisc0 trisc1 trisc2; do
        options+=(--hart "$hart=$work/$name/build/$hart.elf")
    done
    timeout 120 "$PENROSE" run "${options[@]}" --max-cycles 1000000 --check >"$work/out" 2>"$work/said" </dev/null
}

# in_kit NAME TEXT [FILE SED]...: the checks say this of the programs, or (an empty text) nothing, and they end well.
in_kit() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    local status=0
    kit "$1" "${@:3}" || status=$?
    report "$1" "$(if [ -n "$2" ]; then
        grep -qE "$2" "$work/said"
    else
        [ "$status" -eq 0 ] && ! grep -q 'guest fault' "$work/said"
    fi || { echo "expected /$2/, exit status $status; found:" && cut -c1-300 "$work/said"; })"
}

# behind LINE TEXT...: a sed script that puts the lines behind the first line that matches LINE.
behind() {
    local line=$1 text=
    shift
    for text; do
        printf '%s' "s|^( *)$line.*|&\\n\\1$text|;"
    done
}
