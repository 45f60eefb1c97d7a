#!/bin/bash
# The comparison of Tensix programs finds and isolates instructions that are wrong on purpose.
exec "$builddir/tests/difftest/tensix/difftest-tensix" --self-test \
    --ours "$builddir/.libs/libttsim.so"
