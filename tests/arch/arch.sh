#!/bin/bash
# The command line and the library for hosts ask the chip: a program that has the made-up small chip
# beside Blackhole runs, boots, tells, dumps, shows and debugs it by --arch, kernels work on its grid as a
# description says, and a host reaches it through the BARs of its own libttsim.
set -uo pipefail
PENROSE=$builddir/tests/arch/penrose
# shellcheck source=tests/cli/lib.bash
. "${srcdir:?}/tests/cli/lib.bash" || exit 1
hello=$builddir/tests/arch/small-hello.elf
[ -f "$hello" ] || exit 77

"$PENROSE" run --arch small --tile 0,0 "$hello" 2>"$work/first"
first=$(sed -n 's/.*the first is at \([0-9]*,[0-9]*\) .*/\1/p' "$work/first")
report "workers of the small chip" "$([ -n "$first" ] && [ "$first" != 1,2 ] || cat "$work/first")"

expect "a program" 0 "out:tile $first|brisc" -- run --arch small "$hello"
expect "its clock and its name are in a dump" 0 -- run --arch small "$hello" --dump-state "$work/dump"
report "the manifest" "$(grep -q '"chip": *"small"' "$work/dump/manifest.json" || echo "it names another chip")"
expect "the dump is shown" 0 'out:small.*card small' -- state "$work/dump"
expect "its registers" 0 'out:brisc is' 'out:local RAM' -- state "$work/dump" --show gprs,local
report "its local RAM is where the chip has it" \
    "$("$PENROSE" state "$work/dump" --show local | grep -q '0xffa00' || echo "other addresses")"
expect "the configuration" 0 'out:fields of the configuration' -- state "$work/dump" --show config
expect "an instruction of the small chip" 0 'out:SFPREV' -- info --isa --arch small
expect "a word of it" 0 'out:[Ss][Ff][Pp][Rr][Ee][Vv]' -- disasm --arch small --tensix 0x9a000010
expect "Blackhole has no such word" 0 'out:0x9a000010' -- disasm --tensix 0x9a000010
expect "its descriptor" 0 'out:arch_name: SMALL' -- info --soc-descriptor small
expect "a card of the other kind" 2 '--card: p150a is no card of --arch small' -- run --arch small --card p150a "$hello"
expect "kinds that there are" 2 "did you mean small.* Known: blackhole, small" -- run --arch smal "$hello"

# Firmware in tt-metal's shape, and a sum that goes from DRAM by NCRISC through the coprocessor, and by
# BRISC back to DRAM.
firmware=$builddir/tests/arch/firmware
sum=("$work/add.json" --firmware "$firmware" --kernels "$builddir/tests/arch/add")
numbers() { # write FOLDER, or compare FILE
    python3 - "$@" <<'EOF'
import struct
import sys
from array import array

ROWS, COLUMNS = 64, 96
a, b = (array("f", (i % period for i in range(ROWS * COLUMNS))) for period in (97, 53))
if sys.argv[1] == "write":
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, {COLUMNS}), }}".ljust(117) + "\n"
    for name, values in ("a", a), ("b", b):
        with open(f"{sys.argv[2]}/{name}.npy", "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())
else:
    with open(sys.argv[2], "rb") as file:
        found = array("f", file.read()[128:])
    wrong = [i for i, value in enumerate(found) if value != a[i] + b[i]]
    if wrong or len(found) != ROWS * COLUMNS:
        print(f"{len(wrong)} of {len(found)} are wrong, the first is number {wrong[:1]}")
EOF
}
numbers write "$work"
cp "$srcdir/tests/arch/add.json" "$work"
expect "what firmware there is" 0 'out:DRAM banks +2$' 'out:mailboxes +0x00006000' -- info --arch small "$firmware"
expect "one tile boots" 0 'out:^1 tile is ready' "out:^tile \(${first/,/, }\)" 'out:ncrisc .*firmware\.c' -- \
    boot --arch small "$firmware"
expect "all workers boot" 0 'out:^6 tiles are ready' -- boot --arch small "$firmware" --tiles all
expect "workers of another card boot" 0 'out:^4 tiles are ready' -- \
    boot --arch small --card small-harvested "$firmware" --tiles all
expect "Blackhole has local RAM elsewhere" 2 'expected L1 \(below 0x180000\) or local memory' -- boot "$firmware"
for schedule in fast lockstep random:1 timed; do
    rm -f "$work/sum.npy"
    expect "a program on the grid, $schedule" 0 'out:done on 6 tiles' -- \
        run --arch small "${sum[@]}" --schedule "$schedule"
    report "its result, $schedule" "$(numbers compare "$work/sum.npy" 2>&1)"
done
with_costs() {
    "$PENROSE" run --arch small "${sum[@]}" --timing timed --cost "$1" 2>&1 | sed -n 's/.* after \([0-9]*\) cycles.*/\1/p' | sort -u
}
slow=$(with_costs dram-bank-bytes=1) free=$(with_costs guesses=free) both=$(with_costs dram-bank-bytes=1,guesses=free)
report "a rate that is a guess" "$([ -n "$free" ] && [ "$both" = "$free" ] && [ "$slow" != "$free" ] || echo "$slow, $free and $both")"
expect "a grid that another card has not" 2 'grid: 2x3 tiles, but the chip has 2x2' -- \
    run --arch small --card small-harvested "${sum[@]}"
expect "circular buffers of the firmware are in a dump" 0 -- \
    run --arch small "${sum[@]}" --dump-state "$work/sum"
"$PENROSE" state "$work/sum" --show cb >"$work/buffers"
report "three of each tile" "$([ "$(grep -c '2 pages' "$work/buffers")" = 18 ] || cat "$work/buffers")"

if command -v gdb-multiarch >/dev/null; then
    cat >"$work/gdb" <<EOF
set architecture riscv:rv32
target extended-remote $work/socket
attach $(printf '1%02d%02d1' ${first/,/ })
break main
continue
print \$pc
info registers sp
monitor tile
monitor gpr
kill
EOF
    timeout 60 "$PENROSE" run --arch small "$hello" --gdb "unix:$work/socket" >"$work/run" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        [ -S "$work/socket" ] && break
        sleep 0.1
    done
    timeout 60 gdb-multiarch -nx -batch -x "$work/gdb" "$hello" >"$work/session" 2>&1
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    report "GDB stops in main" "$(grep -q 'Breakpoint 1, main' "$work/session" || cat "$work/session" "$work/run")"
    report "GDB's stack is the chip's" "$(grep -q 'sp  *0xffa0' "$work/session" || cat "$work/session")"
else
    left_out+=" GDB"
fi

"$builddir/tests/arch/host" "$builddir/tests/arch/libttsim.so" ${first/,/ } >"$work/host" 2>&1
report "a host reaches L1 by windows of each size" \
    "$([ $? -eq 0 ] && [ "$(grep -c '2^2[0-4]' "$work/host")" = 4 ] || cat "$work/host")"
report "the device is the small chip's" "$(grep -q '0xb1411e52' "$work/host" || cat "$work/host")"
finish
