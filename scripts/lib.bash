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
