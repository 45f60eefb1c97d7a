# Sources of tt-metal that no package has: its tests, and the kernels of its programming examples. Sourced after
# common.bash.
#
#   TT_METAL_TESTS   a checkout that is there already. By default the one of ttnn's version is fetched from the
#                    vendor's repository into the cache, without what is not needed
# shellcheck disable=SC2154 # client_ttnn is that of common.bash

checkout_repository=https://github.com/tenstorrent/tt-metal
checkout_folders=(tests models/common models/perf models/tt_transformers/demo
    tt_metal/programming_examples)

# ttnn_checkout: the folder of the checkout.
ttnn_checkout() {
    local target
    if [ -n "${TT_METAL_TESTS:-}" ]; then
        [ -d "$TT_METAL_TESTS/tests/ttnn/unit_tests" ] ||
            skip "TT_METAL_TESTS=$TT_METAL_TESTS is no checkout of tt-metal"
        (cd "$TT_METAL_TESTS" && pwd)
        return
    fi
    target=$(client_cache)/tt-metal-$client_ttnn
    (
        flock 9
        [ ! -d "$target" ] || exit 0
        work=$(mktemp -d "$(client_cache)/making-tests.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        echo "clients: fetching tests of tt-metal v$client_ttnn (50 MB)" >&2
        { git clone --quiet --depth 1 --filter=blob:none --sparse --branch "v$client_ttnn" \
            "$checkout_repository" "$work/checkout" &&
            git -C "$work/checkout" sparse-checkout set "${checkout_folders[@]}"; } >"$work/log" 2>&1 ||
            skip "cannot fetch $checkout_repository ($(tail -1 "$work/log")); TT_METAL_TESTS can name a checkout"
        mv -T "$work/checkout" "$target"
    ) 9>"$(client_cache)/lock-tests"
    echo "$target"
}
