#!/bin/bash
# A program of somebody else finds the installed library by CMake and by pkg-config, though the
# installation was moved.
set -euo pipefail
command -v cmake >/dev/null || { echo "SKIP: no cmake" && exit 77; }
command -v pkg-config >/dev/null || { echo "SKIP: no pkg-config" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fail TEXT: shows the log.
fail() {
    echo "$1"
    tail -20 "$work/log"
    exit 1
}

env -u MAKEFLAGS -u MFLAGS make -s -C "${builddir:?}" install DESTDIR="$work/installed" >"$work/log" 2>&1 ||
    fail "make install fails"
config=$(find "$work/installed" -path '*/cmake/penrose/penrose-config.cmake')
[ -n "$config" ] || fail "penrose-config.cmake is not installed"
libraries=${config%/cmake/penrose/*}
version=$("$builddir/penrose" --version | cut -d ' ' -f 2)

mkdir "$work/project"
cat >"$work/project/main.c" <<'C'
#include <penrose/penrose.h>
#include <stdio.h>

int main(void)
{
    puts(penrose_version());
    return 0;
}
C
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(penrose ${WANTED} REQUIRED CONFIG)
add_executable(user main.c)
target_link_libraries(user penrose::penrose)
CMAKE
# configure_user FOLDER VERSION
configure_user() {
    cmake -S "$work/project" -B "$work/$1" -Dpenrose_DIR="${config%/*}" -DWANTED="$2" >"$work/log" 2>&1
}
configure_user build "$version" || fail "CMake does not find version $version"
env -u MAKEFLAGS -u MFLAGS cmake --build "$work/build" >"$work/log" 2>&1 || fail "CMake's program is not built"
[ "$("$work/build/user")" = "$version" ] || fail "CMake's program does not say $version"
! configure_user other 99.0 || fail "CMake takes version $version for 99.0"

export PKG_CONFIG_PATH=$libraries/pkgconfig
[ "$(pkg-config --modversion penrose)" = "$version" ] || fail "pkg-config has another version"
flags=$(pkg-config --define-variable=prefix="${config%/lib*/cmake/*}" --cflags --libs penrose)
# shellcheck disable=SC2086 # options
${CC:-cc} "$work/project/main.c" -o "$work/user" $flags >"$work/log" 2>&1 || fail "pkg-config's flags do not do"
[ "$(LD_LIBRARY_PATH=$libraries "$work/user")" = "$version" ] || fail "pkg-config's program does not say $version"
