#!/bin/bash
# GDB in tt-metal's firmware while it boots, and in kernels that `penrose run` launches on it, whose
# symbols come by themselves. SKIP without the firmware (scripts/fetch-firmware) too.
set -uo pipefail
. "${srcdir:?}/tests/gdb/lib.bash"

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || { echo "SKIP: no firmware"; exit 77; }
firmware=$root/11660721212704224774
[ -d "$firmware" ] || { echo "SKIP: no firmware set $firmware"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cp "$srcdir/examples/add.json" "$work"
"$srcdir/scripts/link-kernels" "$firmware" "$work/kernels" "$srcdir/firmware/grid/add" >"$work/err" 2>&1 ||
    { cat "$work/err"; exit 1; }
python3 - "$work" <<'PYTHON'
import struct, sys
ROWS, COLUMNS = 256, 128
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d)}" % (ROWS, COLUMNS)
header = header.ljust(117) + "\n"
for name, value in ("a", 1.5), ("b", 2.25):
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<f", value) * (ROWS * COLUMNS))
PYTHON

# --- Booting ---

debug boot "$firmware" <<'COMMANDS'
info os processes
attach 101021
break main
continue
bt
step
add-inferior
inferior 2
attach 101023
delete
break main
continue
set schedule-multiple on
continue
bt 1
delete
detach
inferior 1
detach
COMMANDS
told 'firmware stops in main of two harts while it boots' '^101021 .* brisc +brisc.elf +' \
    'Breakpoint 1, main \(\) at /' '^#0 +main \(\) at /' 'hit Breakpoint 2.*main' \
    'Thread 2.1 "trisc1' 'out:^1 tile is ready'
told 'a deadlock of harts that GDB holds ends nothing' 'out:^1 tile is ready' \
    'Nothing can happen any more while' 'received signal SIGTRAP'

# --- A kernel that is launched ---

debug run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" <<'COMMANDS'
set breakpoint pending on
attach 101025
break grid/add/ncrisc.c:14
continue
bt
info sharedlibrary
delete
detach
COMMANDS
told 'a kernel stops at its line, before it has begun to read' \
    'Breakpoint 1, .* at .*grid/add/ncrisc\.c:14' '^#[1-9].* kernel_main .*ncrisc\.c:14' \
    '^#[1-9].* main .*ncrisc\.cc:[0-9]+' '^0x.* Yes .*kernels/ncrisc\.elf' 'out:sum\.npy|done'
[ "$exit" -eq 0 ] || { echo "FAIL: exit code $exit"; failures=$((failures + 1)); }

debug run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" <<'COMMANDS'
set breakpoint pending on
attach 101023
break compute
continue
monitor tensix step
continue
reverse-stepi
delete
detach
COMMANDS
told 'so does one of the coprocessor, whose thread is stepped' 'Breakpoint 1, .*compute \(\) at .*grid/add/trisc\.c' \
    'Tensix instruction: of thread 1 of \(1, 2\), pushed at pc 0x' '!this past is lost'

debug run "$work/add.json" --firmware "$firmware" --kernels "$work/kernels" <<COMMANDS
attach 101025
monitor break kernel_main
continue
bt
monitor break
monitor unbreak
monitor break grid/add/ncrisc.c:$(grep -n 'cb_push_pages(INPUT_B' "$srcdir/firmware/grid/add/ncrisc.c" | cut -d: -f1)
continue
monitor cb
detach
COMMANDS
told 'circular buffers have the numbers of the firmware that is there' '^cb  0: 1 pages received, 0 acknowledged, 1 inside$' \
    '^cb  1: 1 pages received' '!^cb  [2-9]' '!^stream'
told 'Penrose finds what compilers have inlined' '^kernel_main, process 101025: at 1 place$' \
    '^Breakpoint of Penrose at kernel_main: ncrisc of \(1, 2\)$' '^#0 .*kernel_main .*grid/add/ncrisc\.c'

finish
