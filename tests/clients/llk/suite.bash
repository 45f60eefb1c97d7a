# Sets up and runs the LLK suite of the ttnn wheel. Sourced after common.bash.
#
# Blackhole only. The suite needs Python 3.11, torch and a few other packages (3 GB to download), a
# compiler for the kernels (client_sfpi), and the wheel. Its sources stay as they are.
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

# llk_copy SFPI: a working copy of the suite with its compiler in place, kept in the cache.
llk_copy() {
    local sfpi=$1 cache wheel target work folder
    cache=$(client_cache)
    wheel=$(client_wheel)
    target=$cache/llk-$(printf '%s\n' "$sfpi" "$wheel" "$client_ttnn" |
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
        ln -sfn "$sfpi" "$work/copy/tt_metal/tt-llk/tests/sfpi"
        mv -T "$work/copy" "$target"
    ) 9>"$cache/lock-llk"
    echo "$target"
}

# llk_run COPY VENV LIBRARY FOLDER [ARGUMENT...]: runs sample.py; results in FOLDER. Compiled
# kernels are kept in the cache, so that a second library, or a second run, does without compiling.
llk_run() {
    local copy=$1 venv=$2 library=$3 folder=$4 kernels
    shift 4
    mkdir -p "$folder"
    kernels=$(client_cache)/kernels-${copy##*/}
    [ "${TT_METAL_DISABLE_SFPLOADMACRO:-}" != 1 ] || kernels+=-without-macros
    TT_METAL_SIMULATOR=$(client_device "$library" \
        "$copy/tt_metal/soc_descriptors/blackhole_140_arch.yaml" "$folder/sim")
    TT_METAL_SIMULATOR=$TT_METAL_SIMULATOR CHIP_ARCH=blackhole \
        "$venv/bin/python" "$clients_here/suites/sample.py" \
        --tests "$copy/tt_metal/tt-llk/tests/python_tests" --out "$folder" \
        --kernels "$kernels" "$@"
}
