#!/bin/bash
# Real tt-metal firmware: booting, launching kernels, and what can be wrong with folders and kernels.
# SKIP without the firmware (scripts/fetch-firmware) or without a cross compiler.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

root=$("$srcdir/scripts/fetch-firmware" --offline 2>/dev/null) || skip "no firmware"
sets=()
wormhole=
for folder in "$root"/*/; do
    folder=${folder%/}
    if [ -d "$folder/drisc" ]; then
        sets+=("$folder")
    elif [ -z "$wormhole" ] && grep -q xtttensixwh "$folder/trisc0/trisc0.elf" 2>/dev/null; then
        wormhole=$folder
    fi
done
[ ${#sets[@]} -ge 2 ] || skip "fewer than two Blackhole sets in $root"
firmware=${sets[0]}

# --- Booting ---

expect "boot" 0 'out:^1 tile is ready' 'out:brisc .* main\+0x[0-9a-f]+, brisc\.cc:[0-9]+' \
    'out:ncrisc .*ncrisc\.cc:[0-9]+' -- boot "$firmware"
expect "boot two tiles" 0 'out:^2 tiles are ready' 'out:^tile \(1, 2\)' 'out:^tile \(16, 11\)' -- \
    boot "$firmware" --tile 1,2 --tile 16,11
expect "boot all tiles" 0 'out:^140 tiles are ready' -- boot "$firmware" --tiles all
expect "boot the whole chip" 0 'out:^176 tiles are ready \(140 workers, 12 Ethernet, 24 DRAM\)' -- \
    boot "$firmware" --tiles chip
expect "boot a chip with links" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles=chip --loopback all --threads 3
expect "boot a chip with one link" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles=chip --loopback 25,25 --card p150a --threads 1
expect "boot a harvested chip" 0 'out:^141 tiles are ready \(120 workers, 0 Ethernet, 21 DRAM\)' -- \
    boot "$firmware" --tiles chip --card p100a
expect "boot the workers of a harvested chip" 0 'out:^120 tiles are ready after' -- \
    boot "$firmware" --tiles all --card p100a
expect "the whole chip as JSON" 0 'out:"kind": "Ethernet"' 'out:"hart": "erisc1"' \
    'out:"hart": "drisc"' 'out:"dram": \{$' 'out:"tiles": 24$|"tiles": 24,' -- \
    boot "$firmware" --tiles chip --json
expect "a chip with too few cycles" 3 'out:^cycle-limit, 0 of 176 tiles ready \(0 workers' -- \
    boot "$firmware" --tiles chip --max-cycles 1k
expect "more workers than there are" 2 '121 are too many, this card has 120 workers' -- \
    boot "$firmware" --tiles 121 --card p100a
expect "a card that nobody makes" 2 "no card 'p99'; known are" -- boot "$firmware" --card p99
expect "a link without Ethernet tiles" 2 'needs --tiles chip' -- boot "$firmware" --loopback all
expect "a link of a worker" 2 "worker \(1, 2\) has no link; Ethernet tiles are at" -- \
    boot "$firmware" --tiles chip --loopback 1,2
mkdir "$work/one_erisc"
ln -s "$firmware"/* "$work/one_erisc"
rm "$work/one_erisc/subordinate_active_erisc"
expect "firmware for one hart of an Ethernet tile, without links" 0 'out:^176 tiles are ready' -- \
    boot "$work/one_erisc" --tiles chip
expect "firmware for one hart of an Ethernet tile" 2 '25\): .*one_erisc is made for erisc1 alone' \
    'pre-compiled set' -- boot "$work/one_erisc" --tiles chip --loopback 20,25
expect "a link that is fused off" 2 'tile at \(20, 25\) is fused off' -- \
    boot "$firmware" --tiles chip --loopback 20,25 --card p100a
for schedule in lockstep random:1 random:2; do
    expect "boot, $schedule" 0 'out:^1 tile is ready' -- boot "$firmware" --schedule "$schedule"
done
for schedule in lockstep random:3; do
    expect "boot the whole chip, $schedule" 0 'out:^176 tiles are ready' -- \
        boot "$firmware" --tiles chip --loopback 20,25 --schedule "$schedule"
done
expect "boot the whole chip, timed" 0 'out:^176 tiles are ready' -- \
    boot "$firmware" --tiles chip --timing timed
expect "boot as JSON" 0 'out:"ready": true' 'out:"outcome": "done"' 'out:"hart": "trisc2"' -- \
    boot "$firmware" --json
expect "boot with too few cycles" 3 'cycle limit.*booting on tile \(1, 2\)' \
    'brisc at pc 0x[0-9a-f]{8} in [a-z_]+.*, .*:[0-9]+' -- boot "$firmware" --max-cycles 1k
expect "trace of a boot" 0 ' trisc0 +0x[0-9a-f]{8} ' 'store +0xffb121b0 <- 0x00000000  4 bytes' \
    'brisc\.cc:[0-9]+' -- boot "$firmware" --trace
mkdir "$work/flat"
for hart in brisc ncrisc trisc0 trisc1 trisc2; do
    cp "$firmware/$hart/$hart.elf" "$work/flat"
done
expect "boot from a flat folder" 0 'out:^1 tile is ready' -- boot "$work/flat"
expect "info" 0 'out:firmware for blackhole' 'out:^  brisc +0x' 'out:^  trisc2 +0x' \
    'out:launch messages +0x' 'out:compiler +GCC' -- info "$firmware"
expect "info as JSON" 0 'out:"chip": "blackhole"' 'out:"go_signal": "0x' -- info "$firmware" --json

# --- Folders that are wrong ---

rm "$work/flat/trisc1.elf"
expect "a file is missing" 2 'no firmware for trisc1' 'trisc1.elf' -- boot "$work/flat"
cp "$firmware/trisc0/trisc0.elf" "$work/flat/trisc1.elf"
expect "a file twice" 2 'trisc' 'overlap|different builds' -- boot "$work/flat"
if [ -n "$wormhole" ]; then
    expect "boot Wormhole firmware" 2 'xtttensixwh' 'expected blackhole' -- boot "$wormhole"
    expect "info on Wormhole firmware" 2 'xtttensixwh' -- info "$wormhole"
fi

# --- Kernels ---

command -v "${RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null || skip "no RISC-V cross compiler"
"$srcdir/scripts/link-kernels" "$firmware" "$work/kernels" || exit 1
work_options=(--noc 1 --common-arg all=5,0x1234 --arg brisc=0x80000 --arg ncrisc=1664525,1013904223
    --arg trisc=0xa5a5 --cb 0,0x40000,3,1024 --cb 16,0x60000,2,1040 --semaphore 0,0)
# Magic, pages, bytes, CRC-32, sum: as tests/firmware/check_sets.c computes them.
result='0x00080000  50454e52 00000005 00001400 8812417a'
expect "boot and launch" 0 'out:^1 tile is ready, 1 launch done' "out:$result" -- \
    boot "$firmware" --kernels "$work/kernels" "${work_options[@]}" --dump 0x80000,20
printf "\x93NUMPY\1\0\x76\0%-117s\n\1\2\3\4" >"$work/bytes.npy" \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }"
for command in "boot $firmware" "run --firmware $firmware"; do
    # shellcheck disable=SC2086
    expect "matrices, ${command%% *}" 0 'out:/result.npy: 1 x 4 from 0x00080000, UInt32 in rows$' \
        'out:^0x00090000  40003f80 40804040' -- $command --kernels "$work/kernels" \
        "${work_options[@]}" --repeat 2 --input "0x90000=$work/bytes.npy:bf16:rows" \
        --output "0x80000=$work/result.npy:1x4:UInt32:rows" --dump 0x90000,8
    report "the matrix, ${command%% *}" "$([ "$(od -An -tx4 -j128 "$work/result.npy")" = \
        " ${result#0x00080000  }" ] || od -An -tx4 -j128 "$work/result.npy")"
done
mkdir -p "$work/cache"/{brisc,ncrisc,trisc0,trisc1,trisc2}
for hart in brisc ncrisc trisc0 trisc1 trisc2; do
    cp "$work/kernels/$hart.elf" "$work/cache/$hart"
done
expect "kernels in folders of harts" 0 "out:$result" -- boot "$firmware" --kernels "$work/cache" \
    "${work_options[@]}" --dump 0x80000,20
expect "kernels by a pattern" 0 "out:$result" -- boot "$firmware" \
    --kernel "all=$work/cache/{hart}/{hart}.elf" "${work_options[@]}" --dump 0x80000,20
expect "kernels by a pattern of files that are not there" 2 'cache/trisc0/x-trisc0.elf' -- \
    boot "$firmware" --kernel "trisc=$work/cache/{hart}/x-{hart}.elf"
expect "launch twice" 0 'out:2 launches done' "out:$result" -- boot "$firmware" \
    --kernels "$work/kernels" "${work_options[@]}" --repeat 2 --poke 0x80000=0,0 --dump 0x80000,20
for schedule in fast lockstep random:3; do
    expect "run kernels, $schedule" 0 'out:: done after' "out:$result" -- run --firmware "$firmware" \
        --kernels "$work/kernels" "${work_options[@]}" --dump 0x80000,20 --schedule "$schedule"
done
expect "the result as JSON" 0 'out:1346719314' -- run --firmware "$firmware" \
    --kernels "$work/kernels" "${work_options[@]}" --dump 0x80000,20 --json
# NCRISC produces no page, the others wait for five.
waiting=(--kernels "$work/kernels" --common-arg "ncrisc=0,0" --common-arg "trisc=5,0"
    --common-arg "brisc=5,0" --arg brisc=0x80000 --arg "ncrisc=1,1" --arg trisc=1
    --cb "0,0x40000,3,1024" --cb "16,0x60000,2,1040" --semaphore "0,0")
expect "kernels that wait" 4 'deadlock.*launch 1 of 1 on tile \(1, 2\)' \
    'trisc0 at pc .*, firmware/kernels/.*: polls 0xffb' 'trisc1 at pc .*trisc1\.c:[0-9]+: load from' \
    'circular buffer 0: pages received, which its producer counts; received 0, acknowledged 0' \
    'circular buffer 16: pages received' \
    'root cause: nobody pushes pages to circular buffer 0, which is empty: ncrisc has ended' \
    '^ +-> trisc0 \(.*\) waits for pages of circular buffer 0' -- \
    run --firmware "$firmware" "${waiting[@]}" --save-snapshot "$work/hung"
expect "kernels that wait in a snapshot" 0 \
    'out:root cause: nobody pushes pages to circular buffer 0, which is empty: ncrisc has ended' \
    'out:^ +-> trisc0 waits for pages of circular buffer 0$' -- \
    waits "$work/hung" --firmware "$firmware"
expect "waits with a wrong firmware" 2 '--firmware: ' -- waits "$work/hung" --firmware /nowhere
expect "140 tiles wait in few lines" 4 'deadlock.*launch 1 of 1 on tile \(1, 2\)' \
    '^  140 tiles \(x 1-7, 10-16, y 2-11\) brisc at .*circular buffer 16: pages received' \
    '^  140 tiles .*root cause: nobody pushes pages to circular buffer 0' -- \
    boot "$firmware" --tiles chip "${waiting[@]}"
report "harts that have no work are left out" "$(grep -E '[de]risc|waits for the host' "$work/err")"
report "there are nine lines" "$([ "$(grep -c '^  ' "$work/err")" -eq 9 ] || echo "there are not")"
expect "two of three TRISCs" 2 'three TRISCs' -- run --firmware "$firmware" \
    --kernel "trisc0=$work/kernels/trisc0.elf" --kernel "trisc1=$work/kernels/trisc1.elf"
expect "a kernel that is not there" 2 'absent.elf' -- run --firmware "$firmware" \
    --kernel brisc=absent.elf
expect "firmware instead of a kernel" 2 'brisc.elf' -- run --firmware "$firmware" \
    --kernel "brisc=$firmware/brisc/brisc.elf"
expect "a kernel of another hart" 2 'ncrisc.elf' -- run --firmware "$firmware" \
    --kernel "brisc=$work/kernels/ncrisc.elf"
expect "a buffer that does not exist" 2 '99' -- run --firmware "$firmware" \
    --kernels "$work/kernels" --cb 99,0x40000,2,64

# --- Programs on a grid: messages name entries of the description, and say whose coordinates ---

grid() { # NAME PATTERN KERNELS
    echo "{\"grid\": \"2x1\", \"kernels\": [$3]}" >"$work/grid.json"
    expect "$1" 2 "grid.json: $2" -- run "$work/grid.json" --firmware "$firmware" \
        --kernels "$work/kernels"
}
grid "an argument" "kernels\[0\].arguments\[1\]: 'noc\(index \+ 1\)' on logical tile \(1, 0\): noc: there is" \
    '{"hart": "brisc", "arguments": [1, "noc(index + 1)"]}'
grid "a launch" 'kernels\[1\], kernels\[2\] on logical tile \(1, 0\): .*2 of the three TRISCs' \
    '{"hart": "brisc", "tiles": "0,0"}, {"hart": "trisc0", "tiles": "1,0"}, {"hart": "trisc1", "tiles": "1,0"}'
grid "one hart, two kernels" 'kernels\[1\]: brisc of logical tile \(0, 0\) has kernels\[0\] already' \
    '{"hart": "brisc"}, {"hart": "brisc"}'

# Kernels that go wrong behind an inlined function, and harts that left their code.
wrong_kernel() { # NAME SOURCE: links $work/NAME/brisc.elf
    mkdir "$work/$1.src"
    printf '#include "grid/dataflow.h"\n%s\n' "$2" >"$work/$1.src/brisc.c"
    "$srcdir/scripts/link-kernels" "$firmware" "$work/$1" "$work/$1.src" || report "$1" "not linked"
}
run_wrong() { # NAME: the rest of a command that runs it
    echo "run --firmware $firmware --kernel brisc=$work/$1/brisc.elf"
}
wrong_kernel inlined 'static inline __attribute__((always_inline)) void inner(uint32_t at)
{
    *(volatile uint32_t *)at = 1;
}
static inline __attribute__((always_inline)) void outer(uint32_t at)
{
    inner(at + 4);
}
void kernel_main(void)
{
    outer(0x400000);
}'
# shellcheck disable=SC2046
expect "the calls of inlined functions" 1 'kernel_main.*/brisc\.c:4: .*0x00400004' \
    '^  inlined at +/.*/brisc\.c:8$' '^  inlined at +/.*/brisc\.c:12$' -- $(run_wrong inlined)
# shellcheck disable=SC2046
expect "the calls as JSON" 1 'out:"source": ".*brisc\.c:4"' 'out:"inlined_at": \[$' \
    'out:brisc\.c:8",$' 'out:brisc\.c:12"$' -- $(run_wrong inlined) --json
messages=2 expect "140 tiles go wrong, and one tells" 1 \
    'guest fault unmapped-address: tile \(1, 2\) brisc at pc .*/brisc\.c:4: .*0x00400004' \
    'guest fault unmapped-address: brisc at pc .*/brisc\.c:4: the same on 139 more tiles: \(.*, \.\.\.$' -- \
    boot "$firmware" --tiles chip --kernel "brisc=$work/inlined/brisc.elf"
# A kernel in its own file below seven calls in files of tt-metal.
deep_kernel() { # NAME ADDRESS: polls there
    wrong_kernel "$1" '#define INLINE static inline __attribute__((always_inline))
#line 10 "/x/tt_metal/hw/inc/a.h"
INLINE void a(uint32_t at) { while (*(volatile uint32_t *)at != 1) {} }
#line 20 "/x/tt_metal/hw/inc/b.h"
INLINE void b(uint32_t at) { a(at); }
#line 30 "/x/tt_metal/hw/inc/c.h"
INLINE void c(uint32_t at) { b(at); }
#line 40 "/x/tt_metal/hw/inc/d.h"
INLINE void d(uint32_t at) { c(at); }
#line 50 "/x/tt_metal/hw/inc/e.h"
INLINE void e(uint32_t at) { d(at); }
#line 15 "/own/compute.cpp"
INLINE void compute(uint32_t at) { e(at); }
#line 72 "/x/tt_metal/hw/firmware/src/trisck.cc"
INLINE void run(void) { compute('"$2"'); }
void kernel_main(void) { run(); }'
}
deep_kernel deep 0x400000
# shellcheck disable=SC2046
expect "all calls of a fault" 1 'hw/inc/a\.h:10: ' '^  inlined at +/x/tt_metal/hw/inc/b\.h:20$' \
    '^  inlined at +/x/tt_metal/hw/inc/e\.h:50$' '^  inlined at +/own/compute\.cpp:15$' \
    '^  inlined at +/x/tt_metal/hw/firmware/src/trisck\.cc:73$' -- $(run_wrong deep)
# shellcheck disable=SC2046
expect "all calls as JSON" 1 'out:/own/compute\.cpp:15",$' 'out:trisck\.cc:73"$' -- $(run_wrong deep) --json
deep_kernel deep-hang 0x90000
# shellcheck disable=SC2046
expect "the user's line of who waits" 4 \
    'a\.h:10, inlined at /x/tt_metal/hw/inc/b\.h:20, /own/compute\.cpp:15, /x.*trisck\.cc:73: polls' \
    'out:brisc .*, a\.h:10, inlined at b\.h:20, compute\.cpp:15, trisck\.cc:73$' -- $(run_wrong deep-hang)
# shellcheck disable=SC2046
expect "a dump at a fault" 1 -- $(run_wrong deep) --dump-state "$work/deep.dump"
report "has all calls" "$(grep -q '/own/compute.cpp:15' "$work/deep.dump/manifest.json" || echo "it has not")"
expect "a page of it" 0 -- state "$work/deep.dump" --html "$work/deep.html"
report "has them, too" "$(grep -q ', inlined at .*/own/compute.cpp:15' "$work/deep.html" || echo "it has not")"
# shellcheck disable=SC2046
expect "the user's line in a trace" 4 -- $(run_wrong deep-hang) "--trace=$work/deep.ptrace" \
    --trace-filter 'hart=brisc kind=memory address=0x90000'
expect "and in its text" 0 'out:  /x/tt_metal/hw/inc/a\.h:10, inlined at b\.h:20, compute\.cpp:15, trisck\.cc:73$' -- \
    trace "$work/deep.ptrace" --text
expect "all calls in its JSON" 0 \
    'out:"inlined_at":\["/x/.*/b\.h:20","/x/.*/e\.h:50","/own/compute\.cpp:15","/x/.*/trisck\.cc:73"\]' -- \
    trace "$work/deep.ptrace" --json
expect "and where memory was touched from" 0 'out:/a\.h:10, inlined at b\.h:20, compute\.cpp:15' -- \
    trace "$work/deep.ptrace" --summary address=0x90000
wrong_kernel hang 'void kernel_main(void)
{
    semaphore_wait(0, 5);
}'
expect "the calls of who waits" 4 'deadlock.*on tile \(1, 2\) and 2 others$' \
    '^  3 tiles .* brisc at .*, inlined at .*/brisc\.c:4: polls' -- \
    boot "$firmware" --kernel "brisc=$work/hang/brisc.elf" --tiles 3 --semaphore 0
wrong_kernel trap 'void kernel_main(void)
{
    __builtin_trap();
}'
# shellcheck disable=SC2046
expect "a trap in a kernel" 4 'brisc at .*brisc\.c:4: paused by ebreak: compilers put it where' -- \
    $(run_wrong trap)
wrong_kernel call 'void kernel_main(void)
{
    __asm__ volatile("ecall");
}'
# shellcheck disable=SC2046
expect "a system call in a kernel" 4 'brisc at .*brisc\.c:4: paused by ecall$' -- $(run_wrong call)
wrong_kernel lost 'void kernel_main(void)
{
    uint32_t at = 0x100000;
    __asm__ volatile("" : "+r"(at));
    ((void (*)(void))at)();
    __asm__ volatile("");
}'
# shellcheck disable=SC2046
expect "a call of zeros" 1 'illegal-tensix-instruction: .* at pc 0x00100000: ' \
    'hint +kernel_main at brisc\.c:6 has jumped to 0x00100000 \(zeros are no instructions\)' \
    -- $(run_wrong lost)
report "the call is told once" "$(grep 'last call' "$work/err")"

# A kernel of another build: the first set whose local memory differs.
other=
for folder in "${sets[@]:1}"; do
    timeout 60 "$PENROSE" run --firmware "$folder" --kernel "brisc=$work/kernels/brisc.elf" \
        --common-arg brisc=0 --arg brisc=0x80000 --max-cycles 1M >/dev/null 2>&1
    [ $? -eq 2 ] && other=$folder && break
done
if [ -n "$other" ]; then
    expect "a kernel of another build" 2 'brisc.elf' 'build|linked' -- run --firmware "$other" \
        --kernel "brisc=$work/kernels/brisc.elf"
else
    report "a kernel of another build" "no set refuses the kernel of $firmware"
fi

finish
