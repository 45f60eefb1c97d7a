#!/bin/bash
# GDB stops in kernels that ttnn has compiled with its own options and launched: their lines, the
# calls around them down to firmware, registers of the coprocessor, and back; ttnn notices nothing.
# Penrose's own breakpoints stop in the first launch, whether the host or kernels launch.
#
#   ttnn-gdb.sh [LIBRARY]
#
# Exit code 77 where it cannot run: as ttnn-fast.sh, or without gdb-multiarch.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/ttnn/environment.bash
. "$here/ttnn/environment.bash"

GDB=${GDB:-gdb-multiarch}
command -v "$GDB" >/dev/null || skip "no $GDB"
library=$(client_library "${1:-}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
venv=$(ttnn_venv numpy)
ttnn_setup "$venv"
compiled=${CLIENT_TTNN_CACHE:-$ttnn_cache/compiled}
mkdir -p "$compiled"

failures=0

# session NAME COMPILED: quick.py with the kernels in the folder COMPILED, and GDB with the commands
# of stdin.
session() {
    local process status=0
    work=$out/$1
    mkdir -p "$work"
    CLIENT_TTNN_CACHE=$2 PENROSE_GDB=unix:$work/gdb TIMEOUT=${TIMEOUT:-300} \
        ttnn_run "$library" "$work" "$here/ttnn/quick.py" add >"$work/log" 2>&1 &
    process=$!
    for _ in $(seq 1200); do
        [ ! -S "$work/gdb" ] || break
        sleep 0.1
    done
    {
        printf '%s\n' 'set pagination off' 'set confirm off' 'set remotetimeout 200' \
            'set breakpoint pending on' "target extended-remote $work/gdb"
        cat
    } >"$work/commands"
    timeout 300 "$GDB" -nx -batch -x "$work/commands" >"$work/said" 2>&1 </dev/null || true
    wait "$process" || status=$?
    if [ "$status" -ne 0 ] || ! grep "^ok:" "$work/log"; then
        echo "$1: the host program ended with $status:"
        tail -20 "$work/log"
        failures=$((failures + 1))
    fi
}

has_said() {
    if [[ $1 == !* ]]; then
        ! grep -qE -- "${1#!}" "$work/said"
    else
        grep -qE -- "$1" "$work/said"
    fi
}

# said PATTERN...: of the latest session; with a ! in front it must not have.
said() {
    local pattern
    for pattern in "$@"; do
        if ! has_said "$pattern"; then
            echo "$work: GDB has not said /$pattern/:"
            cat "$work/said"
            failures=$((failures + 1))
            return
        fi
    done
}

sources=$(dirname "$ttnn_descriptor")/../../ttnn/cpp/ttnn/operations/eltwise/binary_ng/device
line() { # line FILE TEXT: the first with it
    grep -nF "$2" "$sources/$1" | head -1 | cut -d: -f1
}
reader=reader_interleaved_no_bcast.cpp writer=writer_interleaved_no_bcast.cpp compute=eltwise_binary_no_bcast.cpp
read_line=$(line "kernels_ng/dataflow/$reader" 'src, dfb_src, src_tile_bytes')
removed_line=$(line "kernels_ng/dataflow/$reader" 'constexpr uint32_t onetile')
write_line=$(line "kernels_ng/dataflow/$writer" 'dfb_dst, dst, dst_tile_bytes')
compute_line=$(line "kernels/compute/$compute" '++chunk')

session reverse "$compiled" <<COMMANDS
attach 101023
monitor symbols $compiled
break eltwise_binary_no_bcast.cpp:40
continue
bt
monitor tensix step
continue
info registers pc
reverse-stepi
reverse-stepi
info registers pc
print \$cfg_ALU_FORMAT_SPEC_REG0_SrcA
continue
delete
detach
COMMANDS
said 'Breakpoint 1, .*eltwise_binary_no_bcast.cpp:[0-9]+' '^#[1-9] .* main .*trisc.cc:[0-9]+' \
    'Tensix instruction: of thread 1 of \(1, 2\), pushed at pc 0x' 'No more reverse-execution history' \
    '^\(gdb\) \$1 = |^\$1 = '

session inferiors "$compiled" <<COMMANDS
set schedule-multiple on
attach 101025
monitor break $reader:$read_line
add-inferior
inferior 2
attach 101023
monitor break kernel_main
continue
continue
bt 1
inferior 1
info sharedlibrary
COMMANDS
said 'Breakpoint of Penrose at kernel_main: trisc1 of' 'Breakpoint of Penrose at reader_.*: ncrisc of' \
    '^#0 .*kernel_main .*reader_interleaved_no_bcast.cpp:[0-9]+$' 'Yes .*/reader_interleaved_no_bcast/.*ncrisc' '!^0x.* No .*\.elf'

# From here on ttnn compiles the kernels itself; the ones that it has compiled above are the same.
for dispatch in slow fast; do
    own=$out/compiled-$dispatch
    for built in "$compiled"/tt-metal-cache*; do
        mkdir -p "$own/${built##*/}"
        find "$built" -mindepth 1 -maxdepth 1 ! -name kernels -exec cp -a {} "$own/${built##*/}" \;
    done
    TTNN_DISPATCH=$dispatch session "$dispatch" "$own" <<COMMANDS
attach 101020
monitor symbols $compiled
monitor break kernel_main
monitor break $reader:99999
continue
bt 3
continue
continue
continue
continue
monitor break
monitor unbreak
monitor break $reader:$read_line
continue
bt 1
monitor unbreak
monitor break $compute:$compute_line
continue
bt 1
monitor unbreak
monitor break $writer:$write_line
continue
bt 1
monitor break $reader:$removed_line
info sharedlibrary
monitor unbreak
detach
COMMANDS
    said '^kernel_main, process 101020: no program that is known in the tile has code of that; ' \
        '^kernel_main, process 101020: at 5 places$' \
        "^$reader:99999, .* has code of that line, or of a later one of the file; " \
        "^$reader:$removed_line, .* place.* of line [0-9]+, as line $removed_line has no code of its own\$" \
        "^Breakpoint of Penrose at $reader:$read_line: ncrisc of" "^#0 .*kernel_main .*$reader:[0-9]+\$" \
        "^Breakpoint of Penrose at $compute:$compute_line: trisc[0-2] of" "^#0 .*kernel_main .*$compute:$compute_line\$" \
        "^Breakpoint of Penrose at $writer:$write_line: brisc of" "^#0 .*kernel_main .*$writer:$write_line\$" \
        "Yes .*$own/.*/${compute%.cpp}/.*trisc1" "!Yes .*$compiled/.*/kernels/"
    for hart in brisc ncrisc trisc0 trisc1 trisc2; do
        said "^Breakpoint of Penrose at kernel_main: $hart of \\(1, 2\\)\$"
    done
done

exit "$((failures > 0))"
