# Sets up and runs the unmodified package ttnn on a library with the libttsim ABI. Sourced after
# common.bash.
#
# ttnn compiles its firmware and kernels with SFPI; what it has compiled is kept.
#
#   PENROSE              the program ($builddir/penrose)
#   CLIENT_VENV_TTNN     an environment with ttnn (and torch, for ops.py) that is there already
#   CLIENT_TTNN_CACHE    where compiled kernels are kept

# What ttnn imports, without what only its tools for reports and graphs need. Any torch will do;
# this is the last one that is a single package.
ttnn_packages=(
    "ttnn==$client_ttnn" 'numpy>=1.24.4,<2' loguru networkx graphviz pyyaml click pandas
    seaborn ml_dtypes
)
ttnn_torch=(--no-deps torch==1.12.1 typing_extensions)

# ttnn_interpreter VERSION...: the first of these that is there.
ttnn_interpreter() {
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
        python=$(ttnn_interpreter 3.10 3.12)
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

# ttnn_setup VENV: for ttnn_run. Called as it is, not as $(...).
ttnn_setup() {
    local sfpi package
    ttnn_python=$1/bin/python
    ttnn_program=$(realpath -m "${PENROSE:-${builddir:-.}/penrose}")
    [ -x "$ttnn_program" ] || skip "no program $ttnn_program (build it, or set PENROSE)"
    package=$(ttnn_package "$1")
    ttnn_descriptor=$package/tt_metal/soc_descriptors/blackhole_140_arch.yaml
    sfpi=$(client_sfpi)
    ttnn_cache=$(client_cache)/ttnn-$(printf '%s\n' "$sfpi" "$package" | sha256sum | head -c 12)
    mkdir -p "$ttnn_cache"
    ln -sfn "$sfpi" "$ttnn_cache/sfpi-7.87.0" # where exec looks
}

# ttnn_run LIBRARY OUT ARGUMENT...: `python ARGUMENT...` on this library, by `penrose exec` as users
# run it, in the folder OUT. TTNN_DISPATCH=fast keeps tt-metal's own dispatch. The array ttnn_wrapper is
# a command in front of Python, if it is set.
ttnn_run() {
    local library=$1 out=$2 dispatch=()
    shift 2
    library=$(client_device "$library" "$ttnn_descriptor" "$out/device")
    [ "${TTNN_DISPATCH:-slow}" != fast ] || dispatch=(--fast-dispatch)
    (cd "$out" &&
        PENROSE_CACHE=$ttnn_cache TT_METAL_CACHE=${CLIENT_TTNN_CACHE:-$ttnn_cache/compiled} \
            timeout "${TIMEOUT:-600}" "$ttnn_program" exec --quiet --library "$library" \
            "${dispatch[@]}" -- "${ttnn_wrapper[@]}" "$ttnn_python" "$@")
}
