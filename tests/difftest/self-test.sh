#!/bin/bash
# The comparison with QEMU finds and isolates instructions that are wrong on purpose.
exec "$builddir/tests/difftest/rv32/difftest-rv32" --self-test
