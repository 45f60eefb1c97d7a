# What the tests of GDB share. Sourced by the scripts beside it.
#
#   PENROSE   the program; $builddir/penrose unless set
#   GUESTS    the folder with our guest programs; $builddir/firmware unless set
#   GDB       gdb-multiarch unless set
#
# A script calls `debug` or `debug_host`, then `told` for what GDB must have said, and ends with
# `finish`. SKIP (77) without GDB or the RISC-V cross compiler.

PENROSE=${PENROSE:-${builddir:?set PENROSE or builddir}/penrose}
GUESTS=${GUESTS:-${builddir:-.}/firmware}
GDB=${GDB:-gdb-multiarch}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
socket=$work/gdb
cases=0 failures=0

ulimit -c 0
command -v "$GDB" >/dev/null || { echo "SKIP: no $GDB"; exit 77; }
[ -e "$GUESTS/hello.elf" ] || { echo "SKIP: no guest programs: no RISC-V cross compiler"; exit 77; }

# wait_for_socket: until somebody listens there.
wait_for_socket() {
    for _ in $(seq 200); do
        [ -S "$socket" ] && return
        sleep 0.05
    done
    echo "nobody listens at $socket"
    cat "$work/err"
    exit 1
}

# run_gdb OUTPUT: GDB with the commands from stdin; it is connected.
run_gdb() {
    {
        echo 'set pagination off'
        echo 'set confirm off'
        echo 'set width 0'
        echo 'set remotetimeout 30'
        echo "target extended-remote $socket"
        cat
    } >"$work/commands"
    timeout 100 "$GDB" -nx -batch -x "$work/commands" >"$1" 2>&1 </dev/null
}

# debug ARGUMENT...: `penrose ARGUMENT...` with GDB, whose commands come from stdin. $gdb_exit and
# $exit are their exit codes.
debug() {
    rm -f "$socket"
    timeout 100 "$PENROSE" "$@" --gdb "unix:$socket" >"$work/out" 2>"$work/err" </dev/null &
    local process=$!
    wait_for_socket
    gdb_exit=0 exit=0
    run_gdb "$work/said" || gdb_exit=$?
    wait "$process" || exit=$?
}

# told NAME PATTERN...: GDB has said that (extended regular expressions), each in a line; one that
# begins with "!" it has not; "out:" and "err:" are about what penrose, or the host, said.
told() {
    local name=$1 pattern problem= file
    shift
    for pattern in "$@"; do
        file=$work/said
        case $pattern in
        out:*) file=$work/out pattern=${pattern#out:} ;;
        err:*) file=$work/err pattern=${pattern#err:} ;;
        esac
        case $pattern in
        !*) grep -qE -- "${pattern#!}" "$file" && problem+="; says /${pattern#!}/" ;;
        *) grep -qE -- "$pattern" "$file" || problem+="; lacks /$pattern/" ;;
        esac
    done
    cases=$((cases + 1))
    if [ -z "$problem" ]; then
        echo "ok $name"
        return
    fi
    failures=$((failures + 1))
    echo "FAIL $name: ${problem#; }"
    sed 's/^/    gdb: /' "$work/said" | head -c 20000
    sed 's/^/    out: /' "$work/out" | head -c 2000
    sed 's/^/    err: /' "$work/err" | head -c 2000
}

finish() {
    echo "$((cases - failures)) of $cases cases passed"
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}
