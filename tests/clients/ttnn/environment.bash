# Sets up the unmodified package ttnn on a library with the libttsim ABI. Sourced after common.bash.
#
# ttnn wants more than a library: a compiler for kernels and firmware under the right key. Both go
# to a "root" of links into the package (TT_METAL_RUNTIME_ROOT), so that the package stays as it is.
#
#   CLIENT_VENV_TTNN     an environment with ttnn (and torch, for ops.py) that is there already
#   CLIENT_SHIM          a stand-in compiler, or an SFPI installation, that is there already
#   CLIENT_TTNN_CACHE    where compiled kernels are kept, instead of beside the root

ttnn_here=${clients_here:?}/ttnn

# What ttnn imports, without what only its tools for reports and graphs need. Any torch will do;
# this is the last one that is a single package.
ttnn_packages=(
    "ttnn==$client_ttnn" 'numpy>=1.24.4,<2' loguru networkx graphviz pyyaml click pandas
    seaborn ml_dtypes
)
ttnn_torch=(--no-deps torch==1.12.1 typing_extensions)

# ttnn_python VERSION...: the first of these that is there.
ttnn_python() {
    local version
    for version; do
        if (client_python "$version") 2>/dev/null; then
            return
        fi
    done
    skip "no Python $* with the module venv"
}

# ttnn_venv numpy|torch: an environment with ttnn, which has wheels for Python 3.10 and 3.12; torch
# adds 1.7 GB on disk.
ttnn_venv() {
    local python venv
    if [ -n "${CLIENT_VENV_TTNN:-}" ]; then
        client_venv ttnn 3.10
        return
    fi
    if [ "$1" = numpy ]; then
        python=$(ttnn_python 3.10 3.12)
        client_venv ttnn "$python" "${ttnn_packages[@]}"
        return
    fi
    venv=$(client_venv ttnn-torch 3.10 "${ttnn_packages[@]}")
    (
        flock 9
        "$venv/bin/python" -c 'import torch' 2>/dev/null ||
            "$venv/bin/python" -m pip install --quiet --no-cache-dir \
                --disable-pip-version-check "${ttnn_torch[@]}" >"$venv/torch.log" 2>&1 ||
            skip "pip cannot install torch; is there a network?"
    ) 9>"$venv/lock"
    echo "$venv"
}

# ttnn_package VENV: the folder of the package, without importing it.
ttnn_package() {
    "$1/bin/python" -c 'import importlib.util as u, os
print(os.path.dirname(u.find_spec("ttnn").origin))' || skip "no ttnn in $1"
}

# link_all FOLDER TO [EXCEPT...]: links to all that is in FOLDER.
link_all() {
    local from=$1 to=$2 file name
    shift 2
    for file in "$from"/*; do
        name=${file##*/}
        case " $* " in
        *" $name "*) ;;
        *) ln -s "$file" "$to/$name" ;;
        esac
    done
}

# make_overlay SFPI SHIM: headers and functions that kernels need beside those of the stand-in.
make_overlay() {
    local overlay=$1/overlay bin=$2/compiler/bin bits=$2/cxxcfg/bits unwanted
    mkdir -p "$overlay/bits"
    cp "$ttnn_here/compiler/kernel.h" "$overlay/"
    cp "$bits/gthr-single.h" "$overlay/bits/gthr-default.h"
    unwanted='_GLIBCXX_HAS_GTHREADS|_GLIBCXX_HAVE_(LINUX_FUTEX|TLS|GETENTROPY)'
    unwanted+='|_GLIBCXX_USE_\w*(WCHAR|PTHREAD|NLS|CLOCK|SCHED|NANOSLEEP|RANDOM)\w*'
    sed -E "/^#define ($unwanted) /d" "$bits/c++config.h" >"$overlay/bits/c++config.h"
    "$bin/riscv-tt-elf-gcc" -mcpu=tt-bh -Os -ffunction-sections -c "$ttnn_here/compiler/memory.c" \
        -o "$overlay/memory.o"
    "$bin/riscv-tt-elf-ar" rcs "$overlay/libttnn.a" "$overlay/memory.o"
}

# make_objects ROOT SHIM: the package's objects for kernels are bytecode of another compiler; these
# are made from its sources.
make_objects() {
    local root=$1 shim=$2 inc=$1/tt_metal/hw/inc out=$1/runtime/hw/lib/blackhole source language
    mkdir -p "$out"
    for source in toolchain/substitutes.cpp firmware/src/tt-1xx/blackhole/noc.c \
        firmware/src/tt-1xx/tdma_xmov.c toolchain/tmu-crt0.S; do
        language=()
        [ "${source##*.}" != c ] || language=(-x c++)
        "$shim/compiler/bin/riscv-tt-elf-g++" -mcpu=tt-bh -Os -std=c++17 -fno-exceptions \
            -fno-rtti -ffreestanding -DARCH_BLACKHOLE -DTENSIX_FIRMWARE -DLOCAL_MEM_EN=0 \
            '-Dstatic_assert(...)=' -I"$root/runtime/sfpi/overlay" -I"$root" -I"$inc" \
            -I"$inc/internal/tt-1xx" -I"$inc/internal/tt-1xx/blackhole" \
            -I"$inc/internal/tt-1xx/blackhole/blackhole_defines" \
            -I"$inc/internal/tt-1xx/blackhole/noc" -I"$root/tt_metal/hostdevcommon/api" \
            -I"$root/tt_metal/api" -I"$root/tt_metal/tt-llk/tt_llk_blackhole/common/inc" \
            -I"$root/tt_metal/hw/ckernels/blackhole/metal/common" -c "${language[@]}" \
            "$root/tt_metal/hw/$source" -o "$out/$(basename "${source%.*}").o"
    done
}

# make_root ROOT PACKAGE SHIM
make_root() {
    local root=$1 package=$2 shim=$3 sfpi=$1/runtime/sfpi tool
    mkdir -p "$root/tt_metal/pre-compiled" "$root/runtime/hw" "$sfpi/compiler/bin"
    link_all "$package" "$root" tt_metal runtime
    link_all "$package/tt_metal" "$root/tt_metal" pre-compiled
    link_all "$package/tt_metal/pre-compiled" "$root/tt_metal/pre-compiled"
    ln -s "$package/runtime/hw/toolchain" "$root/runtime/hw/toolchain"
    ln -s "$shim" "$sfpi/shim"
    ln -s "$shim/include" "$sfpi/include"
    for tool in ar as ld nm objcopy objdump readelf strip; do
        ln -s "$shim/compiler/bin/riscv-tt-elf-$tool" "$sfpi/compiler/bin/"
    done
    cp "$ttnn_here/compiler/driver.py" "$sfpi/compiler/bin/riscv-tt-elf-g++"
    chmod 755 "$sfpi/compiler/bin/riscv-tt-elf-g++"
    make_overlay "$sfpi" "$shim"
    make_objects "$root" "$shim"
    cp "$package/tt_metal/soc_descriptors/blackhole_140_arch.yaml" "$root/soc_descriptor.yaml"
}

# ttnn_root VENV [plain]: the folder for TT_METAL_RUNTIME_ROOT, kept in the cache; `plain` as for
# client_shim.
ttnn_root() {
    local cache package shim target work status
    cache=$(client_cache)
    package=$(ttnn_package "$1")
    shim=$(client_shim "${2:-full}")
    target=$cache/ttnn-$({
        echo "$package" "$shim"
        cat "$ttnn_here"/compiler/*
        declare -f link_all make_overlay make_objects make_root
    } | sha256sum | head -c 12)
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$cache/making-ttnn.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        set +e # not `||`, inside which nothing would stop the function
        (set -e && make_root "$work/root" "$package" "$shim") >"$work/log" 2>&1
        status=$?
        set -e
        [ "$status" -eq 0 ] || {
            tail -3 "$work/log" >&2
            skip "cannot set up ttnn with the stand-in compiler"
        }
        mv -T "$work/root" "$target"
    ) 9>"$cache/lock-ttnn"
    echo "$target"
}

# ttnn_environment ROOT LIBRARY OUT: sets the environment of ttnn, with the results of this library
# in OUT. TTNN_DISPATCH=fast keeps tt-metal's own dispatch.
ttnn_environment() {
    local root=$1 library=$2 out=$3
    mkdir -p "$out"
    TT_METAL_SIMULATOR=$(client_device "$library" "$root/soc_descriptor.yaml" "$out/device")
    export TT_METAL_SIMULATOR TT_METAL_RUNTIME_ROOT=$root
    export TT_METAL_CACHE=${CLIENT_TTNN_CACHE:-$root.cache}
    export TT_METAL_DISABLE_SFPLOADMACRO=1
    if [ "${TTNN_DISPATCH:-slow}" = fast ]; then
        unset TT_METAL_SLOW_DISPATCH_MODE
    else
        export TT_METAL_SLOW_DISPATCH_MODE=1
    fi
}

# ttnn_firmware VENV ROOT OUT: makes ttnn find its shipped firmware, in the environment that
# ttnn_environment has set. Opens the device once without, to see which key is asked for.
ttnn_firmware() {
    local venv=$1 root=$2 out=$3 card=${PENROSE_CARD:-unharvested} key
    (
        flock 9
        [ ! -e "$root/key-$card" ] || exit 0
        rm -rf "$out/probe"
        mkdir "$out/probe"
        (cd "$out" && TTNN_NO_COMPILER=1 TT_METAL_DISABLE_PRECOMPILED_FW=1 \
            TT_METAL_CACHE=$out/probe timeout 120 "$venv/bin/python" "$ttnn_here/quick.py" \
            open >"$out/probe.log" 2>&1) || true
        key=$(find "$out/probe" -maxdepth 1 -name 'tt-metal-cache[0-9]*' -printf '%f\n')
        key=${key#tt-metal-cache}
        [ -n "$key" ] || {
            grep -E 'rror|THROW' "$out/probe.log" | cut -c 1-300 | head -5 >&2
            echo "ttnn asked for no firmware on this library" >&2
            exit 1
        }
        python3 "$ttnn_here/firmware.py" "$root" "$out/probe.log" "$key" >&2
        echo "$key" >"$root/key-$card"
    ) 9>"$root.lock-firmware"
}
