#!/bin/bash
# The examples of docs/examples do what their heads say. SKIP without the RISC-V cross compiler.
set -uo pipefail

examples=$builddir/docs/examples
guest=$builddir/firmware/hello.elf
[ -e "$guest" ] || { echo "no guest programs: no RISC-V cross compiler"; exit 77; }
status=0

# expect PATTERN COMMAND...: it succeeds, and its output matches.
expect() {
    local pattern=$1 output
    shift
    if ! output=$("$@" 2>&1) || ! grep -qE -- "$pattern" <<<"$output"; then
        echo "$*: no match for /$pattern/ in: $output"
        status=1
    fi
}

expect '^exit value 0 after [0-9]+ instructions$' "$examples/run_program" "$guest"
expect '^watchpoint 1: brisc of \(1, 2\) wrote 4 bytes at 0x00008038, at pc 0x' \
    "$examples/debug" "$guest" 0x8038
if root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null); then
    for drisc in "$root"/*/drisc; do
        expect '^done after [0-9]+ cycles, [0-9]+ us$' "$examples/launch" "${drisc%/drisc}"
        break
    done
fi
exit $status
