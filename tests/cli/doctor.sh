#!/bin/bash
# `penrose doctor`: what it finds, what it says about what is missing, as text and as JSON.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v python3 >/dev/null || skip "no python3"
unset TT_METAL_RUNTIME_ROOT TT_METAL_HOME PENROSE_CARD
own_cache=${PENROSE_CACHE:-}
# Python cannot load a library with sanitizers unless they come first; Python keeps its memory.
runtime=$(ldd "$builddir/.libs/libttsim.so" | awk '/libasan/ { print $3 }')
[ -z "$runtime" ] || export LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0
export PENROSE_CACHE=$work/cache # without firmware

expect "usage" 2 "what is 'x'" -- doctor x
expect "an unknown card" 2 "known are unharvested, p150a, p100a, p100, p300, p300x2, quietbox and galaxy" -- doctor --card x
PENROSE_CARD=x expect "PENROSE_CARD of no card" 2 "PENROSE_CARD: there is no card 'x'" -- doctor
PENROSE_CARD=p100a expect "PENROSE_CARD" 0 "out:^library     ok +/.*/p100a/libttsim.so" -- doctor
expect "an unknown Python" 2 "--python: there is no program nopython" -- doctor --python nopython
expect "help" 0 "out:Exit codes: 0 no check FAILED, 1 some did" -- doctor --help

for card in unharvested p150a p100a; do
    expect "card $card" 0 "out:^library     ok +/.*/$card/libttsim.so \(1e52:b140, $card\)$" \
        "out:^descriptor  ok +/.*/$card/soc_descriptor.yaml$" "out:^python      ok" \
        "out:^cache       ok +$work/cache$" \
        "out:^tile        ok +a small program runs on tile \(1, 2\)$" -- doctor --card $card
done
report "no colours in a file" "$(grep $'\033' "$work/out")"

# Lines that are not ok have one with the remedy below.
expect "remedies" 0 "out:^firmware    note" -- doctor
awk '/^[a-z-]+ +(note|FAILED)/ { if (getline <= 0 || !/^ +to do: ./) { print $1; exit } }' \
    "$work/out" >"$work/bare"
report "a remedy for each note" "$(cat "$work/bare")"

# Another Python, with packages of other versions.
for package in tt_umd-0.9.14 ttnn-0.80.0; do
    mkdir -p "$work/site/$package.dist-info"
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "${package%-*}" "${package#*-}" \
        >"$work/site/$package.dist-info/METADATA"
done
PYTHONPATH=$work/site expect "versions" 0 "out:^tt-umd      ok +0.9.14$" \
    "out:^ttnn        note +0.80.0$" "out:tested with 0.81.1" \
    "out:^tt-exalens  (note|ok)" -- doctor
# A module whose library is missing; what ldd says of it.
suffix=$(python3 -c 'import importlib.machinery as i; print(i.EXTENSION_SUFFIXES[0])')
echo "ttnn/_ttnn$suffix,," >"$work/site/ttnn-0.80.0.dist-info/RECORD"
mkdir "$work/tools"
cat >"$work/tools/ldd" <<SH
#!/bin/sh
[ "\$*" = "$work/site/ttnn/_ttnn$suffix" ] || exit 1
printf '\tlibm.so.6 => /lib/libm.so.6 (0x0)\n\tlibatomic.so.1 => not found\n\tlibgcc_s.so.1 => not found\n'
SH
chmod +x "$work/tools/ldd"
PATH=$work/tools:$PATH PYTHONPATH=$work/site messages=0 expect "a package that lacks libraries" 1 \
    "out:^tt-umd      ok" "out:^ttnn        FAILED +0.80.0, .* lacks libatomic.so.1, libgcc_s.so.1$" \
    "out:to do: on Debian: apt-get install libatomic1 libgcc-s1$" -- doctor
printf '#!/bin/sh\nexit 3\n' >"$work/python-broken"
chmod +x "$work/python-broken"
mkdir "$work/first" && ln -s "$work/python-broken" "$work/first/python3"
PENROSE_PYTHON=$(command -v python3) PATH=$work/first:$PATH expect "the Python of a wheel" 0 \
    "out:^python      ok +$(command -v python3)" -- doctor
PATH=$work/first:$PATH messages=0 expect "the first Python of PATH" 1 "out:^python      FAILED +$work/first/python3" -- doctor
messages=0 expect "a program that is no Python" 1 "out:^python      FAILED" -- \
    doctor --python "$(command -v true)"
messages=0 expect "a Python that does not run" 1 "out:^python      FAILED" -- \
    doctor --python "$work/python-broken"

# Libraries that are none.
mkdir "$work/lib"
echo nothing >"$work/lib/libttsim.so"
messages=0 expect "a library that does not load" 1 "out:^library     FAILED" \
    "out:to do: it does not load" "out:^descriptor  FAILED" \
    "out:penrose info --soc-descriptor p150a >$work/lib/soc_descriptor.yaml" -- \
    doctor --card p150a --library "$work/lib/libttsim.so"
library=$("$PENROSE" exec -q -- printenv TT_METAL_SIMULATOR)
cp "$library" "$work/lib/libttsim.so"
"$PENROSE" info --soc-descriptor p150a | sed 's/BLACKHOLE/WORMHOLE_B0/' \
    >"$work/lib/soc_descriptor.yaml"
messages=0 expect "another chip's descriptor" 1 "out:^library     ok .*\(1e52:b140\)$" \
    "out:^descriptor  FAILED" "out:to do: it does not describe a Blackhole: penrose info" -- \
    doctor --library "$work/lib/libttsim.so"
messages=0 expect "no library" 1 "out:to do: there is no such file: run 'make install'" -- \
    doctor --library "$work/none.so"

# Compilers: where there is none, that of a root, one of another version, one in the cache.
version() { # FOLDER VERSION
    mkdir -p "$1/compiler/bin"
    cat >"$1/compiler/bin/riscv-tt-elf-g++" <<SH
#!/bin/sh
case \$1 in
--version) echo "riscv-tt-elf-g++ (tenstorrent/sfpi:$2[1]) 15.1.0" ;;
-mcpu=tt-bh) ;;
*) echo "a '-mcpu=' option must be provided"; exit 1 ;;
esac
SH
    chmod +x "$1/compiler/bin/riscv-tt-elf-g++"
}
mkdir -p "$work/root/tt_metal" "$work/site/jax_tt_plugin-0.0.0.dist-info"
echo "sfpi_version='7.89.0'" >"$work/root/tt_metal/sfpi-version"
printf 'Metadata-Version: 2.1\nName: jax-tt-plugin\nVersion: 0.0.0\n' \
    >"$work/site/jax_tt_plugin-0.0.0.dist-info/METADATA" # hides one that python3 may have
export PYTHONPATH=$work/site TT_METAL_RUNTIME_ROOT=$work/root
if [ ! -e /opt/tenstorrent/sfpi ]; then
    messages=0 expect "no compiler" 1 "out:^compiler    FAILED +no riscv-tt-elf-g\+\+" \
        "out:to do: (/.*/scripts/fetch-sfpi|/.*python.* -m pip install .* jax-tt-plugin==0.1.3)$" -- doctor
    mkdir -p "$work/cache" "$work/site/jax_plugins/libtt"
    touch "$work/site/jax_plugins/libtt/libtt.so"
    sed -i 's/0\.0\.0/0.1.3/' "$work/site/jax_tt_plugin-0.0.0.dist-info/METADATA"
    expect "a compiler in jax-tt-plugin" 0 "out:^compiler    ok +in the jax-tt-plugin of this Python" -- doctor
    version "$work/cache/sfpi-7.87.0" 7.87.0
    expect "a compiler in the cache" 0 \
        "out:^compiler    ok +$work/cache/sfpi.*SFPI 7.87.0\); ttnn names 7.89.0 and works with it$" -- doctor
fi
version "$work/root/runtime/sfpi" 7.89.0
expect "a compiler in the root" 0 "out:^compiler    ok +$work/root/.*\(SFPI 7.89.0\)$" -- doctor
version "$work/root/runtime/sfpi" 7.43.0
expect "an old compiler" 0 "out:^compiler    note .*\(SFPI 7.43.0\)$" "out:to do: this ttnn names 7.89.0" -- doctor
printf '#!/bin/sh\nexit 1\n' >"$work/root/runtime/sfpi/compiler/bin/riscv-tt-elf-g++"
messages=0 expect "a compiler that does not run" 1 "out:^compiler    FAILED" "out:get SFPI again" -- doctor
cat >"$work/root/runtime/sfpi/compiler/bin/riscv-tt-elf-g++" <<'SH'
#!/bin/sh
[ "$1" = --version ] || { echo "cc1plus: cannot open libmpc.so.3"; exit 1; }
echo "riscv-tt-elf-g++ (tenstorrent/sfpi:7.89.0[1]) 15.1.0"
SH
messages=0 expect "a compiler that compiles nothing" 1 "out:^compiler    FAILED.*\(SFPI 7.89.0\)" \
    "out:libmpc.so.3\); on Debian: apt-get install libmpc3" -- doctor
unset PYTHONPATH TT_METAL_RUNTIME_ROOT

PENROSE_CACHE='' XDG_CACHE_HOME=$work/x HOME=$work/h expect "a cache of XDG" 0 \
    "out:^cache       ok +$work/x/penrose$" -- doctor
PENROSE_CACHE='' XDG_CACHE_HOME='' HOME=$work/h expect "a cache at home" 0 \
    "out:^cache       ok +$work/h/.cache/penrose$" -- doctor
PENROSE_CACHE=here expect "a cache in the working directory" 0 "out:^cache       ok +$PWD/here$" -- doctor
rmdir here
env -u PENROSE_CACHE -u XDG_CACHE_HOME -u HOME "$PENROSE" doctor >"$work/out" 2>"$work/err"
report "no cache at all" "$(grep -q '^cache       note    no folder: HOME is not set' "$work/out" || echo "it has one")"
PENROSE_CACHE=/proc/no/cache messages=0 expect "a cache that cannot be written" 0 \
    "out:^cache       note +/proc/no/cache$" "out:set PENROSE_CACHE to another folder" -- doctor

messages=0 expect "JSON" 1 -- doctor --json --library "$work/none.so"
problem=$(python3 - "$work/out" <<'PYTHON' 2>&1
import json, sys
result = json.load(open(sys.argv[1]))
checks = {check["name"]: check for check in result["checks"]}
assert result["command"] == "doctor" and result["exit_status"] == 1, result
assert checks["library"]["state"] == "FAILED" and checks["library"]["remedy"], checks
assert checks["tile"]["state"] == "ok" and not checks["tile"]["remedy"], checks
PYTHON
)
report "what the JSON says" "$problem"

sets=$(PENROSE_CACHE=$own_cache "$top/scripts/fetch-firmware" --offline 2>/dev/null) || sets=
if [ -n "$sets" ]; then
    mkdir -p "$work/cache"
    ln -s "$(dirname "$sets")" "$work/cache/"
    expect "firmware" 0 "out:^firmware    ok +36 Blackhole sets in" \
        "out:^tile        ok +firmware boots on tile \(1, 2\) in [0-9]+ cycles$" -- doctor
else
    untested "booting firmware: run scripts/fetch-firmware"
fi
finish
