# What the tests with real clients share. Sourced by the scripts beside it, under `set -euo
# pipefail`.
#
# Everything downloaded or built is kept in client_cache and reused; what is half made is never
# seen there, since each thing is made under another name and renamed. A test that cannot run ends
# with `skip`, which says why. The functions print their result, so they are called as $(...); a
# skip inside ends the caller too, since `set -e` looks at the exit code of an assignment
# (`x=$(client_venv ...)`; not `local x=$(...)` or `f "$(...)"`, which would hide it).
#
#   builddir               a build tree: where the library under test is, unless one is named
#   XDG_CACHE_HOME         where the cache is (~/.cache)
#   CLIENT_VENV_<NAME>     an environment that is there already, for client_venv <name>
#   CLIENT_WHEEL           an unpacked ttnn wheel, for client_wheel
#   CLIENT_DOWNLOADS       "small": what is larger than a gigabyte is not downloaded
#   CLIENT_SFPI            SFPI's folder, for client_sfpi; else scripts/fetch-sfpi gets it

shopt -s inherit_errexit
clients_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

client_ttnn=0.81.1
client_ttnn_sha256=ed49aa1ee3f39a87cbee21f35c9133544879ebf537b1788f6f033681ab504503

# skip REASON...: ends the test as one that cannot run here.
skip() {
    echo "SKIP: $*" >&2
    exit 77
}

# client_cache: the folder that keeps what clients need, made if it is missing.
client_cache() {
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}/penrose/clients
    mkdir -p "$cache" || skip "cannot make $cache"
    echo "$cache"
}

# client_python VERSION: an interpreter of that version ("3.11"), or the one whose path is given.
client_python() {
    local found
    for found in "$1" "python$1" ~/.pyenv/versions/"$1".*/bin/python3; do
        if command -v "$found" >/dev/null && "$found" -c 'import venv, ensurepip' 2>/dev/null; then
            command -v "$found"
            return
        fi
    done
    if python3 -c "import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" \
        2>/dev/null; then
        command -v python3
        return
    fi
    skip "no Python $1 with the module venv"
}

# client_venv NAME PYTHON PACKAGE...: a virtual environment with these packages (arguments of
# pip install); PYTHON is a version or a path. Prints the folder; its programs are in bin. With
# client_large=yes the packages are large.
client_venv() {
    local name=$1 given=CLIENT_VENV_${1^^} python cache target work
    given=${given//-/_}
    if [ -n "${!given:-}" ]; then
        [ -x "${!given}/bin/python" ] || skip "$given=${!given} is no Python environment"
        (cd "${!given}" && pwd)
        return
    fi
    python=$(client_python "$2")
    shift 2
    cache=$(client_cache)
    target=$cache/venv-$name-$({
        "$python" -V 2>&1
        printf '%s\n' "$@"
    } | sha256sum | head -c 12)
    (
        flock 9 # whoever comes second waits for the first, instead of downloading as well
        [ ! -d "$target" ] || exit 0
        [ "${client_large:-}" != yes ] || [ "${CLIENT_DOWNLOADS:-}" != small ] ||
            skip "the packages of $name are several gigabytes (CLIENT_DOWNLOADS=small)"
        work=$(mktemp -d "$cache/making-venv.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        echo "clients: installing $name: $*" >&2
        { "$python" -m venv "$work/venv" &&
            "$work/venv/bin/python" -m pip install --quiet --no-cache-dir \
                --disable-pip-version-check "$@"; } >"$work/log" 2>&1 </dev/null || {
            tail -3 "$work/log" >&2
            skip "pip cannot install the packages of $name; is there a network?"
        }
        # The scripts in bin name their interpreter.
        grep -rlIF "$work/venv" "$work/venv/bin" "$work/venv/pyvenv.cfg" |
            while read -r file; do
                sed -i "s|$work/venv|$target|g" "$file"
            done
        mv -T "$work/venv" "$target"
    ) 9>"$cache/lock-venv-$name"
    echo "$target"
}

# client_library [FILE]: the absolute path of the library under test.
client_library() {
    local library=${1:-${builddir:-.}/.libs/libttsim.so}
    [ -f "$library" ] || skip "no library $library (build one, or name one)"
    realpath "$library"
}

# client_libraries [LIBRARY [OTHER_LIBRARY]] [-- ARGUMENT...]: sets the arrays libraries (absolute
# paths; the built one by default) and arguments. Called as it is, not as $(...).
client_libraries() {
    libraries=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        libraries+=("$(client_library "$1")")
        shift
    done
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2034 # for the caller
    arguments=("$@")
    if [ ${#libraries[@]} -eq 0 ]; then
        libraries+=("$(client_library)")
    fi
    [ ${#libraries[@]} -le 2 ] || skip "two libraries at most"
}

# client_device LIBRARY DESCRIPTOR FOLDER: UMD wants soc_descriptor.yaml beside the library. Makes
# FOLDER with both and prints the library's path in it.
client_device() {
    mkdir -p "$3"
    ln -sfn "$1" "$3/libttsim.so"
    cp -f "$2" "$3/soc_descriptor.yaml"
    echo "$3/libttsim.so"
}

# client_says PROCESS FILE PATTERN: stands until the file has a line that matches, for two minutes at
# most. Fails if it has none then, or if the process ends without one.
client_says() {
    local _
    for _ in $(seq 600); do
        ! grep -q "$3" "$2" || return 0
        kill -0 "$1" 2>/dev/null || break
        sleep 0.2
    done
    grep -q "$3" "$2"
}

# client_socket FILE: where UMD's simulation server of a job has its sockets, by the job's log; nothing
# where there is none.
client_socket() {
    sed -n 's/.*serving sockets in \([^ [:cntrl:]]*\).*/\1/p' "$1" | tail -1
}

# client_wheel: the folder with an unpacked ttnn wheel; the package is $(client_wheel)/ttnn.
client_wheel() {
    if [ -n "${CLIENT_WHEEL:-}" ]; then
        [ -d "$CLIENT_WHEEL/ttnn/tt_metal" ] || skip "CLIENT_WHEEL=$CLIENT_WHEEL holds no ttnn"
        (cd "$CLIENT_WHEEL" && pwd)
        return
    fi
    local cache target work wheel
    cache=$(client_cache)
    target=$cache/wheel-ttnn-$client_ttnn
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$cache/making-wheel.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        echo "clients: downloading ttnn $client_ttnn (100 MB)" >&2
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" \
            --python-version 3.10 --implementation cp --abi cp310 --only-binary :all: \
            "ttnn==$client_ttnn" >"$work/log" 2>&1 || {
            tail -3 "$work/log" >&2
            skip "pip cannot download ttnn $client_ttnn; is there a network?"
        }
        wheel=$(echo "$work"/ttnn-*.whl)
        echo "$client_ttnn_sha256  $wheel" | sha256sum --check --quiet >/dev/null 2>&1 ||
            skip "the wheel of ttnn $client_ttnn has another SHA-256 than $client_ttnn_sha256"
        python3 -m zipfile -e "$wheel" "$work/unpacked"
        mv -T "$work/unpacked" "$target"
    ) 9>"$cache/lock-wheel"
    echo "$target"
}

# client_sfpi: the folder of SFPI, the vendor's compiler, which has compiler/ and include/.
client_sfpi() {
    if [ -n "${CLIENT_SFPI:-}" ]; then
        [ -x "$CLIENT_SFPI/compiler/bin/riscv-tt-elf-g++" ] ||
            skip "CLIENT_SFPI=$CLIENT_SFPI holds no compiler"
        (cd "$CLIENT_SFPI" && pwd)
        return
    fi
    "$clients_here/../../scripts/fetch-sfpi" || skip "no compiler (CLIENT_SFPI names one)"
}
