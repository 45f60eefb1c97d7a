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
#   CLIENT_SHIM            a stand-in compiler that is there already, for client_shim
#   SFPI_INCLUDE           the folder `include` of tenstorrent/sfpi, for client_shim
#   PICOLIBC_INCLUDE       headers of picolibc, for client_shim

shopt -s inherit_errexit
clients_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

client_ttnn=0.81.1
client_ttnn_sha256=ed49aa1ee3f39a87cbee21f35c9133544879ebf537b1788f6f033681ab504503
# The revision whose headers fit the LLK suite of that wheel closely enough; see llk/compiler.
client_sfpi=https://github.com/tenstorrent/sfpi
client_sfpi_commit=09c17d1bd82f7c9195dedd5ea7cfca0ff17f1aae

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

# client_sfpi_headers: the headers that kernels include for the vector unit.
client_sfpi_headers() {
    if [ -n "${SFPI_INCLUDE:-}" ]; then
        [ -f "$SFPI_INCLUDE/sfpi.h" ] || skip "SFPI_INCLUDE=$SFPI_INCLUDE holds no sfpi.h"
        (cd "$SFPI_INCLUDE" && pwd)
        return
    fi
    local cache target work
    cache=$(client_cache)
    target=$cache/sfpi-include-${client_sfpi_commit:0:12}
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        command -v git >/dev/null || skip "no git to fetch the headers of SFPI with"
        work=$(mktemp -d "$cache/making-sfpi.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        { git -c init.defaultBranch=main init -q "$work/sfpi" &&
            timeout 120 git -C "$work/sfpi" fetch -q --depth 1 \
                "$client_sfpi" "$client_sfpi_commit" &&
            git -C "$work/sfpi" archive FETCH_HEAD include | tar -xf - -C "$work"; } \
            >"$work/log" 2>&1 </dev/null ||
            skip "cannot fetch the headers of SFPI from $client_sfpi (or set SFPI_INCLUDE)"
        mv -T "$work/include" "$target"
    ) 9>"$cache/lock-sfpi"
    echo "$target"
}

# client_picolibc: headers of a C library for the RISC-V compiler.
client_picolibc() {
    local prefix=${RISCV_CC:-riscv64-unknown-elf-gcc} cache target work folder
    prefix=${prefix%-gcc}
    folder=usr/lib/picolibc/$prefix/include
    for target in "${PICOLIBC_INCLUDE:-}" "/$folder"; do
        if [ -f "$target/string.h" ]; then
            echo "$target"
            return
        fi
    done
    cache=$(client_cache)
    target=$cache/picolibc
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$cache/making-picolibc.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        chmod 755 "$work"
        { cd "$work" && apt-get download "picolibc-$prefix" &&
            dpkg-deb -x picolibc-*.deb unpacked; } >"$work/log" 2>&1 </dev/null ||
            skip "no headers of picolibc (apt-get install picolibc-$prefix)"
        mv -T "$work/unpacked" "$target"
    ) 9>"$cache/lock-picolibc"
    echo "$target/$folder"
}

# client_shim [full|plain]: the stand-in for the SFPI compiler, made for this machine; see
# llk/compiler. Prints the folder, which has the shape of an SFPI installation (compiler/bin,
# include). Where the headers of SFPI cannot be had, `plain` allows one that knows no vector code
# and has no sfpi.h.
client_shim() {
    if [ -n "${CLIENT_SHIM:-}" ]; then
        [ -x "$CLIENT_SHIM/compiler/bin/riscv-tt-elf-g++" ] ||
            skip "CLIENT_SHIM=$CLIENT_SHIM holds no compiler"
        (cd "$CLIENT_SHIM" && pwd)
        return
    fi
    local cache sfpi picolibc target work prefix=${RISCV_CC:-riscv64-unknown-elf-gcc}
    command -v "${prefix%gcc}g++" >/dev/null || skip "no ${prefix%gcc}g++"
    cache=$(client_cache)
    if [ "${1:-}" = plain ]; then
        set +e # not `||`, inside which nothing would stop the function
        sfpi=$(set -e && client_sfpi_headers 2>/dev/null)
        set -e
        sfpi=${sfpi:--}
    else
        sfpi=$(client_sfpi_headers)
    fi
    picolibc=$(client_picolibc)
    target=$cache/shim-$({
        cat "$clients_here"/llk/compiler/*
        [ "$sfpi" = - ] || cat "$sfpi"/*.h
        "${prefix%gcc}g++" --version
        echo "$picolibc"
    } | sha256sum | head -c 12)
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$cache/making-shim.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        "$clients_here/llk/compiler/make-compiler" "$work/shim" "$target" "$sfpi" "$picolibc" \
            >"$work/log" 2>&1 || {
            tail -3 "$work/log" >&2
            skip "cannot make the stand-in for the SFPI compiler"
        }
        mv -T "$work/shim" "$target"
    ) 9>"$cache/lock-shim"
    echo "$target"
}
