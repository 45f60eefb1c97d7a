#!/bin/bash
# Snapshots of the program: what is saved goes on, with another command too, and bad ones are named.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

program() { # NAME WORD...: a program from address 0 on
    make_elf "$work/$1.elf" 0 "0 7 ${*:2}"
}

program copy 000087b7 0007a503 00a7a223 00100073 # a0 = [0x8000]; [0x8004] = a0; ebreak
program seven 00700513 00100073                  # li a0, 7; ebreak
program load 004007b7 0007a503                   # from 0x400000
saved=$work/saved

# --- Who waits ---

program poll 44402503 fe050ee3 00100073 # a0 = [0x444]; while it is 0
expect "save a deadlock" 4 'deadlock' -- run "$work/poll.elf" --save-snapshot "$work/hung"
expect "who waits in it" 0 'out:tile \(1, 2\) brisc at pc 0x00000000: polls 0x00000444' -- \
    waits "$work/hung"
expect "who waits, as JSON" 0 'out:"command": "waits"' 'out:polls 0x00000444' -- \
    waits "$work/hung" --json
expect "who waits in no snapshot" 2 'no snapshot' -- waits "$work/poll.elf"
expect "who waits where" 2 'name a snapshot' -- waits

# --- Going on ---

expect "save" 0 'out:brisc +done +5' -- \
    run "$work/copy.elf" --poke 0x8000=5 --save-snapshot "$saved"
expect "memory comes back" 0 'out:brisc +done +7' 'out:0x00008000  00000005 00000005' -- \
    run "$work/seven.elf" --restore-snapshot "$saved" --dump 0x8000,8
expect "with other threads" 0 'out:0x00008000  00000005 00000005' -- \
    run "$work/seven.elf" --restore-snapshot "$saved" --dump 0x8000,8 --threads 3
expect "timed from then on" 0 'out:done after 11 cycles' -- \
    run "$work/copy.elf" --restore-snapshot "$saved" --timing timed
expect "save what was restored" 0 -- \
    run "$work/seven.elf" --restore-snapshot "$saved" --save-snapshot "$work/again"
expect "and restore that" 0 'out:0x00008000  00000005 00000005' -- \
    run "$work/seven.elf" --restore-snapshot "$work/again" --dump 0x8000,8
expect "over the file that was restored" 0 -- \
    run "$work/copy.elf" --poke 0x8000=6 --restore-snapshot "$saved" --save-snapshot "$saved"
expect "which has changed" 0 'out:0x00008000  00000006 00000006' -- \
    run "$work/seven.elf" --restore-snapshot "$saved" --dump 0x8000,8
program count 00150513 ffdff06f # addi a0, a0, 1; j to it
expect "save in the middle" 3 'unfinished after 1000 cycles: brisc' -- \
    run "$work/count.elf" --max-cycles 1000 --save-snapshot "$work/middle"
expect "go on" 3 'unfinished after 2000 cycles: brisc' 'out:brisc +running +- +3000 ' \
    'out:: cycle-limit after 2000 cycles' -- \
    run --restore-snapshot "$work/middle" --max-cycles 2k
expect "go on beside another program" 3 'unfinished after [0-9]+ cycles: trisc0' \
    'out:trisc0 +running +- +1000' -- \
    run --restore-snapshot "$work/middle" --hart "trisc0=$work/count.elf" --max-cycles 1000
expect "another program on a hart that runs" 0 'out:brisc +done +7 +2 ' -- \
    run "$work/seven.elf" --restore-snapshot "$work/middle"
make_elf "$work/wait.elf" 0 '0 7 ffec17b7 0007a503 00100073' # a0 = [0xffec1000], a mailbox: it waits
expect "save a hart that waits" 4 'brisc at pc 0x00000004: load from 0xffec1000' -- \
    run "$work/wait.elf" --save-snapshot "$work/waits"
expect "another program on it" 0 'out:brisc +done +7 +2 ' -- \
    run "$work/seven.elf" --restore-snapshot "$work/waits"
expect "a program that has ended" 0 'out:brisc +done +6' -- run --restore-snapshot "$saved"
expect "nothing to go on with" 2 'no hart of tile \(3, 2\) has been started; name a program' -- \
    run --restore-snapshot "$saved" --tile 3,2
expect "a schedule is saved" 0 -- \
    run "$work/copy.elf" --schedule random:3 --card p100a --save-snapshot "$work/random"
expect "and used" 2 'no worker tile at 16,11; the first is at 1,2 and the last at 14,11' -- \
    run "$work/seven.elf" --restore-snapshot "$work/random" --tile 16,11
expect "a fault is saved, too" 1 'unmapped-address' -- \
    run "$work/load.elf" --save-snapshot "$work/fault"
report "of a chip that has stopped" "$([ -s "$work/fault" ] || echo "no file")"
program field c8b00006 c8b00012 00100073 # SETC16 44, 1; SETC16 44, 4: fields that nothing reads
expect "what is not modelled is saved" 0 -- \
    run --hart "trisc0=$work/field.elf" --save-snapshot "$work/unread"
messages=1 expect "with the names of fields" 0 'SETC16 0x2c, 1: PERF_CNT_CMD_Cmd0Start set 1 times' \
    'SETC16 0x2c, 4: PERF_CNT_CMD_Cmd1Start set 1 times' -- \
    run "$work/seven.elf" --restore-snapshot "$work/unread" --warn-unmodelled

# --- What is wrong ---

head -c 200 "$saved" >"$work/short"
{ head -c 200 "$saved" && printf 'Penrose' && tail -c +208 "$saved"; } >"$work/changed"
expect "no file" 2 "$work/nothing: cannot be read: No such file" -- \
    run "$work/seven.elf" --restore-snapshot "$work/nothing"
expect "no snapshot" 2 'seven.elf: this is no snapshot of Penrose' -- \
    run "$work/seven.elf" --restore-snapshot "$work/seven.elf"
expect "a part of one" 2 'the snapshot is damaged \(it ends too early\); make it again' -- \
    run "$work/seven.elf" --restore-snapshot "$work/short"
expect "a damaged one" 2 'the snapshot is damaged' -- \
    run "$work/seven.elf" --restore-snapshot "$work/changed"
for option in "--schedule lockstep" "--card p150a" "--policy all=warn"; do
    # shellcheck disable=SC2086
    expect "with $option" 2 'are those of the snapshot; leave them out' -- \
        run "$work/seven.elf" --restore-snapshot "$saved" $option
done

# Known before anything runs, so that no time is lost: the program never ends.
never=("$work/count.elf" --max-cycles 1000G)
expect "into a folder" 2 "--save-snapshot: $work is a folder" -- \
    run "${never[@]}" --save-snapshot "$work"
expect "into a device" 2 "--save-snapshot: /dev/null is no regular file" -- \
    run "${never[@]}" --save-snapshot /dev/null
expect "where nothing can be" 2 '--save-snapshot: .*No such file' -- \
    run "${never[@]}" --save-snapshot "$work/nowhere/file"
expect "of a boot" 2 '--save-snapshot: .*No such file' -- \
    boot "$work" --save-snapshot "$work/nowhere/file"
expect "of a program on a grid" 2 '--save-snapshot: .*No such file' -- \
    run "$work/no.json" --save-snapshot "$work/nowhere/file"
report "nothing half written is left" "$(find "$work" -name '*.part')"

# --- Several chips ---

# Of chip 1 a hart waits; chip 0 is new.
cat >"$work/cluster.py" <<'EOF'
import ctypes, sys
library, cluster, chips = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), [ctypes.c_void_p(), ctypes.c_void_p()]
assert library.penrose_cluster_create(1, ctypes.byref(cluster), None) == 0
for chip in chips:
    assert library.penrose_cluster_add(cluster, None, ctypes.byref(chip), None) == 0
code = b"".join(int(word, 16).to_bytes(4, "little") for word in sys.argv[3:])
assert library.penrose_write(chips[1], 1, 2, ctypes.c_uint64(0), code, ctypes.c_size_t(len(code)), None) == 0
assert library.penrose_hart_release(chips[1], 1, 2, 0, 0, None) == 0
assert library.penrose_snapshot_save(chips[0], sys.argv[2].encode(), None) == 0
EOF
two() { # NAME WORD...: a snapshot of two chips, with a program on chip 1
    python3 "$work/cluster.py" "$builddir/.libs/libpenrose.so" "$work/$1" "${@:2}"
}
if [ -e "$builddir/.libs/libpenrose.so" ] && two two 44402503 fe050ee3; then
    expect "its first chip" 0 'out:chip 0 of 2 ' 'out:tiles +0' -- state "$work/two"
    expect "its second chip" 0 'out:chip 1 of 2 ' 'out:brisc +running' -- state "$work/two" --chip 1
    expect "as info has it" 0 'out:chip 0 of 2 \(penrose state --chip N shows others\)' -- info "$work/two"
    expect "its second chip goes on" 4 'deadlock: nothing can happen any more' -- \
        run --restore-snapshot "$work/two" --chip 1 --max-cycles 10000
    expect "another chip as info has it" 0 'out:chip 1 of 2 ' 'out:brisc +running' -- info "$work/two" --chip 1
    expect "a third chip that goes on" 2 '--chip: .*two has no chip 2; it has 2, counted from 0' -- \
        run --restore-snapshot "$work/two" --chip 2
    expect "who waits on the second chip" 0 'out:tile \(1, 2\) brisc' -- waits "$work/two" --chip 1
    expect "a third chip" 2 '--chip: .*two has chips 0 to 1' -- state "$work/two" --chip 2
    expect "a third chip that waits" 2 '--chip: .*two has chips 0 to 1' -- waits "$work/two" --chip 2
    expect "a second chip of one" 2 '--chip: .*saved has one chip, which is chip 0' -- state "$saved" --chip 1
    expect "a chip of no snapshot" 2 '--chip goes with a snapshot' -- info --isa --chip 1
    expect "a chip that is no number" 2 "--chip: 'one' is not a number" -- state "$saved" --chip one
    expect "go on with the first of two" 0 'out:brisc +done +7' -- \
        run "$work/seven.elf" --restore-snapshot "$work/two"
    two faulty 004007b7 0007a503
    expect "a fault on the other chip" 1 'chip 1: guest fault unmapped-address' -- \
        run "$work/count.elf" --restore-snapshot "$work/faulty"
    expect "and as JSON" 1 'out:"chip": 1' -- run "$work/count.elf" --restore-snapshot "$work/faulty" --json
fi

# --- Firmware ---

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || {
    echo "no firmware: the rest is left out"
    finish
}
firmware=$(dirname "$(find "$root" -maxdepth 2 -name drisc | sort | head -1)")
expect "boot a chip" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles chip --loopback 20,25 --save-snapshot "$work/chip"
expect "what is ready is not booted again" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles chip --restore-snapshot "$work/chip"
expect "boot one tile" 0 'out:^1 tile is ready' -- \
    boot "$firmware" --save-snapshot "$work/one"
expect "and another one" 0 'out:^2 tiles are ready' 'out:brisc +polling' -- \
    boot "$firmware" --tile 1,2 --tile 3,3 --restore-snapshot "$work/one" --save-snapshot "$work/two"
report "which runs" "$(grep -E ' held ' "$work/out")"
expect "Ethernet and DRAM tiles beside it" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles chip --restore-snapshot "$work/two"
report "which run" "$(grep -E ' brisc .* held | drisc .* held ' "$work/out")"
expect "firmware where a program ran" 0 'out:^1 tile is ready' 'out:trisc2 +polling' -- \
    boot "$firmware" --restore-snapshot "$saved"
expect "a link that is there already" 2 'Ethernet \(20, 25\) has a link already; a snapshot brings' -- \
    boot "$firmware" --tiles chip --loopback all --restore-snapshot "$work/chip"
expect "one that is too late" 2 'runs already; make its link before booting' -- \
    boot "$firmware" --tiles chip --loopback 21,25 --restore-snapshot "$work/chip"
finish
