#!/bin/bash
# Clusters that a file describes: `penrose info` and `penrose exec --cluster`, and the library.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v python3 >/dev/null || skip "no python3"
export PENROSE_CACHE=$work/cache
unset TT_METAL_SIMULATOR PENROSE_CARD PENROSE_CLUSTER PENROSE_SUMMARY PENROSE_REPORT

# --- What is taken from a file ---

for card in p300 p300x2 quietbox galaxy; do
    "$PENROSE" info --cluster-descriptor $card >"$work/$card.yaml"
    expect "descriptor of $card, read again" 0 "out:^# The chips of a cluster file and their links" -- \
        info --cluster-descriptor "$work/$card.yaml"
    report "is the same" "$(diff <(tail -n +2 "$work/$card.yaml") <(tail -n +2 "$work/out"))"
done
# Another board, chip 1 without its first column, and a cable more.
sed -e 's/4745938862081/4745938862999/' -e 's/1: {noc_translation: true, harvest_mask: 192/1: {noc_translation: true, harvest_mask: 65/' \
    -e 's/^ethernet_connections:/&\n  - [{chip: 1, chan: 0}, {chip: 0, chan: 11}]/' "$work/p300.yaml" >"$work/own.yaml"
expect "a file of one's own" 0 "out:^  - \[\{chip: 1, chan: 0\}, \{chip: 0, chan: 11\}\]$" \
    "out:^  1: \{noc_translation: true, harvest_mask: 65, dram" "out:board_id: 4745938862999" -- \
    info --cluster-descriptor "$work/own.yaml"
sed 's/chan: 9/chan: 12/' "$work/p300.yaml" >"$work/port.yaml"
expect "a port that is not there" 2 "port.yaml:10: ethernet_connections: chip 1 has no port 12: 12 of its 14" -- \
    info --cluster-descriptor "$work/port.yaml"
expect "no such file" 2 "/nowhere.yaml cannot be read: No such file" -- info --cluster-descriptor /nowhere.yaml
printf '%s\n' 'arch: {0: blackhole}' 'ethernet_connections: []' 'chips_with_mmio: [0]' \
    'harvesting: {0: {noc_translation: true, harvest_mask: 3, eth_harvesting_mask: 288, pcie_harvesting_mask: 2}}' \
    'boards: [[{board_id: 1}, {board_type: p150}, {chips: [0]}]]' >"$work/one.yaml"
expect "a file of one chip" 2 "one.yaml has one chip, for which UMD wants none" -- \
    info --cluster-descriptor "$work/one.yaml"

# --- run ---

if [ -e "$GUESTS/hello.elf" ]; then
    expect "a chip of a card" 0 "out:^tile \(1, 2\): done after 521 cycles" -- run --card p300 --chip 1 "$GUESTS/hello.elf"
    expect "a chip of a file" 0 "out:^tile \(1, 2\): done after 521 cycles" -- \
        run --cluster "$work/own.yaml" "$GUESTS/hello.elf"
    expect "a fault on one of them" 1 "unmapped-address: tile \(1, 2\) brisc" -- \
        run --card p300 --chip 1 "$GUESTS/fault-load.elf"
fi
expect "no such chip" 2 "--chip: p300 has no chip 2; it has 2, counted from 0" -- run --card p300 --chip 2 x.elf
expect "no number of a chip" 2 "--chip" -- boot --chip x fw
expect "a wrong file to run" 2 "--cluster: .*port.yaml:10: .* chip 1 has no port 12" -- run --cluster "$work/port.yaml" x.elf
expect "a file and a card to run" 2 "--cluster says which chips there are; leave --card p300 out" -- \
    run --cluster "$work/own.yaml" --card p300 x.elf

# --- doctor ---

expect "doctor of a wrong file" 2 "--cluster: .*port.yaml:10: .* chip 1 has no port 12" -- doctor --cluster "$work/port.yaml"
expect "doctor of a file and a card" 2 "leave --card p300 out" -- doctor --cluster "$work/own.yaml" --card p300

# --- exec ---

expect "a wrong file" 125 "--cluster: .*port.yaml:10: .* chip 1 has no port 12" -- exec --cluster "$work/port.yaml" -- true
expect "a file and a card" 125 "--cluster says which chips there are; leave --card p300 out" -- \
    exec --cluster "$work/own.yaml" --card p300 -- true
PENROSE_CLUSTER=$work/port.yaml expect "a wrong file of the caller" 125 \
    "PENROSE_CLUSTER: .*port.yaml:10: .* chip 1 has no port 12" -- exec -- true
(cd "$work" && PENROSE_CARD=p100a "$PENROSE" exec -q --cluster own.yaml -- env) >"$work/out" 2>"$work/err"
report "variables" "$(grep -qx "PENROSE_CLUSTER=$work/own.yaml" "$work/out" || cat "$work/out" "$work/err")"
report "and no card" "$(grep '^PENROSE_CARD' "$work/out")"
folder=$(sed -n 's|^TT_METAL_SIMULATOR=\(.*\)/libttsim.so$|\1|p' "$work/out")
report "a folder in the cache" "$([[ $folder == "$work/cache/clusters/"* ]] || echo "it is '$folder'")"
expect "has the descriptor" 0 "out:^  1: \{noc_translation: true, harvest_mask: 65, dram" -- \
    info --cluster-descriptor "$folder/cluster_descriptor.yaml"
report "and that of the die" "$(grep -qx 'arch_name: BLACKHOLE' "$folder/soc_descriptor.yaml" || echo "it is missing")"
PENROSE_CLUSTER=$work/own.yaml messages=0 expect "PENROSE_CLUSTER" 0 "out:^$folder/libttsim.so$" -- \
    exec -q -- printenv TT_METAL_SIMULATOR
PENROSE_CLUSTER=$work/own.yaml messages=0 expect "PENROSE_CLUSTER and --card" 0 "out:/p150a/libttsim.so$" -- \
    exec -q --card p150a -- sh -c 'printenv TT_METAL_SIMULATOR; ! printenv PENROSE_CLUSTER'
messages=0 expect "one chip" 0 "out:^soc_descriptor.yaml$" -- \
    exec -q --cluster "$work/one.yaml" -- sh -c 'ls "$(dirname "$TT_METAL_SIMULATOR")"'
report "needs no cluster descriptor" "$(grep cluster "$work/out")"
touch "$work/plain"
PENROSE_CACHE=$work/plain expect "no cache" 125 "set PENROSE_CACHE to a folder that can be written" -- \
    exec --cluster "$work/own.yaml" -- true

# --- The library ---

cat >"$work/devices.py" <<'END'
import ctypes, os
library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
library.libttsim_init()
library.libttsim_pci_config_rd32.restype = ctypes.c_uint32
print("devices:", next(i for i in range(40) if library.libttsim_pci_config_rd32(i << 3, 0) == 0xffffffff))
word = ctypes.c_uint32(0)
library.libttsim_tile_wr_bytes(1, 2, ctypes.c_uint64(0x1000), ctypes.byref(word), 4)
library.libttsim_exit()
END
built=$("$PENROSE" exec -q -- printenv TT_METAL_SIMULATOR 2>/dev/null)
if [ ! -e "$built" ] || grep -q __asan_init "$built"; then
    echo "no library that Python can load: the rest is left out"
    finish
fi
expect "doctor" 0 "out:^library     ok .*, 2 chips of $work/own.yaml\)$" "out:^cluster     ok +$work/cache/clusters/" \
    "out:^tile        ok " -- doctor --cluster "$work/own.yaml"
pushd "$work" >/dev/null
PENROSE_CARD=p100a PENROSE_CLUSTER=own.yaml expect "doctor of the caller's file, as JSON" 0 \
    "out:\"cluster\": \"$work/own.yaml\"" -- doctor --json
popd >/dev/null
messages=1 expect "two chips" 0 "out:^devices: 2$" "1 device( with 2 chips)?, " -- \
    exec --cluster "$work/own.yaml" -- python3 "$work/devices.py"
messages=1 expect "one chip of a file" 0 "out:^devices: 1$" -- exec --cluster "$work/one.yaml" -- python3 "$work/devices.py"
messages=1 expect "which is recorded" 0 "out:^devices: 1$" -- \
    exec --cluster "$work/one.yaml" --record "$work/one.rec" -- python3 "$work/devices.py"
expect "and replayed" 0 "out:the same" -- replay "$work/one.rec"
# shellcheck disable=SC2016 # for the inner shell
messages=2 expect "a file that is gone" 0 "out:^devices: 1$" \
    "PENROSE_CLUSTER: /nowhere.yaml cannot be read: No such file.*; the default is used" -- \
    exec -- sh -c 'PENROSE_CLUSTER=/nowhere.yaml python3 "$0"' "$work/devices.py"
finish
