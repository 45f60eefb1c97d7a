# What the scripts share; to be sourced with `here` set to the top of the source tree.

jobs_here() {
    nproc 2>/dev/null || echo 2
}

# cache_folder SCRIPT: prints the folder for what is fetched and made once, as the program finds it.
cache_folder() {
    local base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    local folder=${PENROSE_CACHE:-${base:+$base/penrose}}
    [ -n "$folder" ] || {
        echo "$1: there is no folder to keep things in: set PENROSE_CACHE, or HOME" >&2
        return 1
    }
    echo "$folder"
}

# quietly LOG COMMAND...: runs a command with its output in LOG; shows the end of it on failure.
quietly() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 </dev/null && return
    local status=$?
    echo "failed (exit $status): $*" >&2
    grep -nE '(error|undefined reference|\*\*\*)' "$log" | head -20 >&2 || true
    echo "--- end of $log:" >&2
    tail -25 "$log" >&2
    return $status
}

# What make says, in the log of a build or of `make -n`, when it makes a file.
made_file='(^|echo ")  (CC|CXX|CCLD|CXXLD|GEN) '

# Processor time for a file on average, in hundredths of a second; an estimate for what is to come.
file_time=38

# expected_time FILES: prints the seconds that building them takes here.
expected_time() {
    echo $(($1 * file_time / 100 / $(jobs_here) + 1))
}

# show_progress LOG TOTAL: rewrites a line on stderr until it is killed: files made, files to make,
# and how long it will take if they all take the same time.
show_progress() {
    local log=$1 total=$2 begin=$SECONDS done_files elapsed left
    left=", about $(expected_time "$total") s"
    while sleep 1; do
        done_files=$(grep -cE "$made_file" "$log" 2>/dev/null || true)
        elapsed=$((SECONDS - begin))
        if [ "$elapsed" -ge 5 ] && [ "${done_files:-0}" -gt 0 ]; then
            left=", about $((elapsed * (total - done_files) / done_files)) s left"
        fi
        printf '\r\033[K%s of %s files%s' "${done_files:-0}" "$total" "$left" >&2
    done
}

# with_progress LOG MAKE ARGUMENT...: like quietly, and says meanwhile how far it is: as a line that
# changes if stderr is a terminal, else in one line at the beginning.
with_progress() {
    local log=$1 total watcher='' status=0
    shift
    total=$("$@" -n 2>/dev/null </dev/null | grep -cE "$made_file" || true)
    mkdir -p "$(dirname "$log")"
    : >"$log"
    if [ "$total" -eq 0 ]; then
        :
    elif [ -t 2 ]; then
        show_progress "$log" "$total" &
        watcher=$!
    else
        echo "Building $total files with $(jobs_here) jobs, about $(expected_time "$total") s" >&2
    fi
    quietly "$log" "$@" || status=$?
    if [ -n "$watcher" ]; then
        kill "$watcher" 2>/dev/null || true
        wait "$watcher" 2>/dev/null || true
        printf '\r\033[K' >&2
    fi
    return $status
}

# configure_tree DIRECTORY OPTION...: configures a build directory unless it was configured with
# the same options; make itself notices changes of configure.ac and Makefile.am.
configure_tree() {
    local directory=$1
    shift
    mkdir -p "$directory"
    local wanted="$* CC=${CC:-} CFLAGS=${CFLAGS:-}"
    if [ ! -x "$here/configure" ]; then
        quietly "$directory/autoreconf.log" autoreconf -fi "$here" || return
    fi
    if [ ! -f "$directory/Makefile" ] || [ "$(cat "$directory/options" 2>/dev/null)" != "$wanted" ]; then
        (cd "$directory" && quietly "$directory/configure.log" "$here/configure" -q "$@") || return
        touch "$directory/config.h" # newer than its stamp, or `make -n` takes it to be made anew
        echo "$wanted" >"$directory/options"
    fi
}

# count_results DIRECTORY: sets passed, failed and skipped from the .trs files of automake's tests.
count_results() {
    local lines
    lines=$(find "$1" -name '*.trs' -exec grep -h '^:test-result:' {} + || true)
    # shellcheck disable=SC2034 # for the caller
    passed=$(grep -cE ': (PASS|XFAIL)' <<<"$lines" || true)
    # shellcheck disable=SC2034
    failed=$(grep -cE ': (FAIL|XPASS|ERROR)' <<<"$lines" || true)
    # shellcheck disable=SC2034
    skipped=$(grep -cE ': SKIP' <<<"$lines" || true)
}
