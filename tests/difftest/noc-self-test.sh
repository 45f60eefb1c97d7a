#!/bin/bash
# The comparison of NoC transactions finds and isolates those that are wrong on purpose.
exec "$builddir/tests/difftest/noc/difftest-noc" --self-test \
    --ours "$builddir/.libs/libttsim.so"
