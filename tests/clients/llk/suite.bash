# Sets up and runs the LLK suite of the ttnn wheel. Sourced after common.bash.
#
# Blackhole only. The suite needs Python 3.11, torch and a few other packages (3 GB to download), a
# compiler for the kernels (client_shim, or CLIENT_SHIM=<an SFPI installation>), and the wheel.
# shellcheck disable=SC2154 # clients_here and client_ttnn are those of common.bash

llk_here=$clients_here/llk

llk_packages=(
    tt-umd==0.9.14 tt-exalens==0.4.2 numpy==2.2.6 torch==2.9.1 pytest==9.0.3 pytest-forked==1.6.0
    pytest-timeout==2.4.0 pytest-xdist==3.8.0 pytest-random-order pytest-repeat pytest-split
    filelock==3.20.3 loguru==0.7.3 ml_dtypes==0.5.4 mpmath==1.3.0 pandas==2.3.3 pyarrow==24.0.0
    pydantic==2.12.5 junitparser==4.0.2 matplotlib==3.10.3 plotly==6.5.0 jinja2 termcolor
)

llk_venv() {
    client_large=yes client_venv llk 3.11 "${llk_packages[@]}"
}

# llk_for_old_compiler FOLDER...: what a compiler of C++20 needs changed in the suite's sources.
llk_for_old_compiler() {
    local file
    # static_assert(false) in a branch that is not used
    { grep -rlE 'static_assert *\( *false' "$@" || true; } | while read -r file; do
        sed -i -E 's/static_assert *\( *false/static_assert(true/' "$file"
    done
    # a template parameter in an unroll pragma
    { grep -rlE '^ *#pragma GCC unroll [A-Z]' "$@" || true; } | while read -r file; do
        sed -i -E 's/^( *#pragma GCC unroll) [A-Z].*/\1 8/' "$file"
    done
    # a constant expression that names a parameter which is a reference
    { grep -rlE 'make_table\(Entry&& entry\)' "$@" || true; } | while read -r file; do
        sed -i -E 's/(make_table\(Entry)&& /\1 /' "$file"
    done
}

# llk_copy SHIM: a working copy of the suite with its compiler in place, kept in the cache.
llk_copy() {
    local shim=$1 cache wheel target work folder
    cache=$(client_cache)
    wheel=$(client_wheel)
    target=$cache/llk-$(printf '%s\n' "$shim" "$wheel" "$client_ttnn" |
        cat - "$llk_here/suite.bash" | sha256sum | head -c 12)
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$cache/making-llk.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        mkdir -p "$work/copy/tt_metal"
        for folder in tt-llk hw hostdevcommon soc_descriptors; do
            cp -r "$wheel/ttnn/tt_metal/$folder" "$work/copy/tt_metal/"
        done
        ln -s "$wheel/ttnn/ttnn" "$work/copy/ttnn"
        ln -sfn "$shim" "$work/copy/tt_metal/tt-llk/tests/sfpi"
        if [ -d "$shim/cxxcfg" ]; then # our compiler
            cd "$work/copy/tt_metal" || exit 1
            llk_for_old_compiler tt-llk/{common,tt_llk_blackhole} tt-llk/tests/{helpers,sources} \
                hw/inc hw/ckernels/blackhole
        fi
        mv -T "$work/copy" "$target"
    ) 9>"$cache/lock-llk"
    echo "$target"
}

# llk_run COPY VENV LIBRARY FOLDER [ARGUMENT...]: runs sample.py; results in FOLDER. Compiled
# kernels are kept in the cache, so that a second library, or a second run, does without compiling.
llk_run() {
    local copy=$1 venv=$2 library=$3 folder=$4 macros kernels
    shift 4
    mkdir -p "$folder"
    macros=${TT_METAL_DISABLE_SFPLOADMACRO-1}
    kernels=$(client_cache)/kernels-${copy##*/}-macros-off-$macros
    TT_METAL_SIMULATOR=$(client_device "$library" \
        "$copy/tt_metal/soc_descriptors/blackhole_140_arch.yaml" "$folder/sim")
    TT_METAL_SIMULATOR=$TT_METAL_SIMULATOR TT_METAL_DISABLE_SFPLOADMACRO=$macros \
        CHIP_ARCH=blackhole "$venv/bin/python" "$llk_here/sample.py" \
        --tests "$copy/tt_metal/tt-llk/tests/python_tests" --out "$folder" \
        --kernels "$kernels" "$@"
}
