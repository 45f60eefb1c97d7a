# What the tests of the program share. Sourced by the scripts beside it.
#
#   PENROSE   the program; $builddir/penrose unless set
#   GUESTS    the folder with our guest programs; $builddir/firmware unless set
#
# A script calls `expect` once a case, and ends with `finish`, which compares all that was printed with
# --json with docs/schema.

PENROSE=${PENROSE:-${builddir:?set PENROSE or builddir}/penrose}
GUESTS=${GUESTS:-${builddir:-.}/firmware}
work=$(mktemp -d)
trap 'rm -rf "$work" "$kept"' EXIT
cases=0 failures=0 left_out=''
# shellcheck source=tests/cli/documents.bash
. "${srcdir:?}/tests/cli/documents.bash"
kept=$(mktemp -d) # documents

# expect NAME EXIT [PATTERN...] -- ARGUMENT...
# `penrose ARGUMENT...` ends with the exit code EXIT. Each PATTERN (an extended regular expression)
# matches stderr, or stdout when it begins with "out:". There is one message when EXIT is not 0 and
# none otherwise; $messages, if set, is another number.
expect() {
    local name=$1 wanted=$2 patterns=() status=0 problem= pattern found
    shift 2
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    timeout 60 "$PENROSE" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || problem+="; exit code $status, expected $wanted"
    for pattern in "${patterns[@]}"; do
        case $pattern in
        out:*) grep -qE -- "${pattern#out:}" "$work/out" || problem+="; stdout lacks /${pattern#out:}/" ;;
        *) grep -qE -- "$pattern" "$work/err" || problem+="; stderr lacks /$pattern/" ;;
        esac
    done
    found=$(grep -c '^penrose: ' "$work/err")
    pattern=${messages:-$((wanted != 0))}
    [ "$found" -eq "$pattern" ] || problem+="; $found messages, expected $pattern"
    report "$name" "${problem#; }"
    if [[ ${1:-} != exec && " $* " == *" --json "* ]]; then
        cp "$work/out" "$kept/$cases ${name//\//-}"
    fi
}

# is_first WHAT: nothing of this name has been judged before.
declare -A judged
is_first() {
    [ -z "${judged[$1]:-}" ] && judged[$1]=yes
}

# keep FILE...: documents in JSON, which `finish` compares with docs/schema, too.
keep() {
    local file
    for file; do
        ln -s "$(realpath "$file")" "$kept/$cases ${file//\//-}"
    done
}

# report NAME PROBLEM: counts a case; an empty problem is none.
report() {
    cases=$((cases + 1))
    if [ -z "$2" ]; then
        echo "ok $1"
        return
    fi
    failures=$((failures + 1))
    echo "FAIL $1: $2"
    head -c 4000 "$work/out" | sed 's/^/    stdout: /'
    head -c 4000 "$work/err" | sed 's/^/    stderr: /'
}

# make_host_python: prints a command that is python3 and can load the library under test, whose
# sanitizers, if it has any, want to come first and to be told that Python keeps its memory.
make_host_python() {
    local runtime
    runtime=$(ldd "$builddir/.libs/libttsim.so" | awk '/libasan/ { print $3 }')
    printf '#!/bin/sh\nexec env %s python3 "$@"\n' \
        "${runtime:+LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0}" >"$work/host_python"
    chmod +x "$work/host_python"
    echo "$work/host_python"
}

skip() {
    echo "SKIP: $*"
    exit 77
}

# untested WHAT: what cannot be tested here; the script ends as a skip if all else is right.
untested() {
    left_out+="${left_out:+; }$*"
}

finish() {
    if [ -n "$(ls "$kept")" ]; then
        report "documents in JSON are as docs/schema says" "$(documents_fit "$kept"/*)"
    fi
    echo "$((cases - failures)) of $cases cases passed"
    [ "$failures" -eq 0 ] || exit 1
    [ -z "$left_out" ] || skip "$left_out"
    exit 0
}

# --- ELF files without a compiler ---

# hex16 NUMBER, hex32 NUMBER: little-endian bytes as printf escapes; hex16be, hex32be: big-endian.
hex16() { printf '\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)); }
hex32() { hex16 $(($1 & 0xffff)); hex16 $(($1 >> 16 & 0xffff)); }
hex16be() { printf '\\x%02x\\x%02x' $(($1 >> 8 & 255)) $(($1 & 255)); }
hex32be() { hex16be $(($1 >> 16 & 0xffff)); hex16be $(($1 & 0xffff)); }

# make_elf FILE ENTRY SEGMENT...: a program; each SEGMENT is "ADDRESS FLAGS WORD..." with words in
# hexadecimal. These variables change the header: class (1), data (1), machine (243), type (2), and
# memory_size (that of the first segment).
make_elf() {
    local file=$1 entry=$2 word segment offset headers= contents=
    local half=hex16 full=hex32
    shift 2
    [ "${data:-1}" = 1 ] || { half=hex16be; full=hex32be; }
    offset=$((52 + 32 * $#))
    headers="\\x7fELF\\x0${class:-1}\\x0${data:-1}\\x01$(printf '\\x00%.0s' {1..9})"
    headers+=$($half "${type:-2}")$($half "${machine:-243}")$($full 1)$($full "$entry")
    headers+=$($full 52)$($full 0)$($full 0)$($half 52)$($half 32)$($half $#)
    headers+=$($half 40)$($half 0)$($half 0)
    for segment in "$@"; do
        # shellcheck disable=SC2086
        set -- $segment
        local address=$1 flags=$2
        shift 2
        local size=$((4 * $#)) memory=${memory_size:-$((4 * $#))}
        headers+=$($full 1)$($full "$offset")$($full "$address")$($full "$address")
        headers+=$($full "$size")$($full "$memory")$($full "$flags")$($full 4)
        for word in "$@"; do
            contents+=$(hex32 "0x$word")
        done
        offset=$((offset + size))
        memory_size=
    done
    printf "$headers$contents" >"$file"
}

# make_reads_elf FILE: a program whose brisc asks a bank of GDDR 50 times for 64 bytes, and waits for each answer.
make_reads_elf() {
    make_elf "$1" 0 "0 5 $("$PENROSE" asm \
        'lui s0, 0xffb20' 'lui a0, 0x3' 'sw a0, 0xc(s0)' 'lui a0, 8' 'sw a0, 0(s0)' 'addi a0, zero, 0x351' \
        'sw a0, 8(s0)' 'addi a0, zero, 0x81' 'sw a0, 0x14(s0)' 'addi a0, zero, 64' 'sw a0, 0x20(s0)' \
        'addi a0, zero, 0x10' 'sw a0, 0x1c(s0)' 'addi a1, zero, 1' 'addi a2, zero, 0' 'addi a3, zero, 50' \
        'sw a1, 0x40(s0)' 'addi a2, a2, 1' 'lw a4, 0x208(s0)' 'bne a4, a2, 0x48' 'bne a2, a3, 0x40' ebreak |
        tr '\n' ' ')"
}
