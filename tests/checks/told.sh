#!/bin/bash
# Checks on data of others and on the words that tell of them: programs with one mistake each, which is named at
# the line that ends with "// here", and their repaired twins, of which nothing is said. A program's first line
# is "// kernel"; with the mistake it defines MISTAKE.
#
#   PENROSE_CASES   a regular expression: only cases whose name matches it
#
# SKIP without the firmware (scripts/fetch-firmware), the RISC-V cross compiler, and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.bash" || exit 1
# shellcheck source=tests/checks/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# judge NAME KIND TEXT SOURCE: of the run that has said $work/said; no KIND: nothing is found.
judge() {
    local number
    number=$(grep -n '// here$' "$4" | head -1 | cut -d: -f1)
    report "$1" "$(if [ -n "$2" ]; then
        grep -E "guest fault $2: .*$3" <(sed -zE 's/\n  inlined at//g' "$work/said") |
            grep -E "/$(basename "$4"):$number\b" >/dev/null
    else
        ! grep -q 'guest fault' "$work/said"
    fi || { echo "expected $2, line $number, /$3/; found:" && cut -c1-400 "$work/said"; })"
}

# on_ring NAME KIND TEXT KERNEL: on three tiles, each of which knows its neighbours.
cat >"$work/ring.json" <<'JSON'
{
    "grid": "3x1",
    "l1": {"block": {"page_size": 1024}, "inbox": {"page_size": 1024}, "result": {"page_size": 64}},
    "semaphores": [0, 0, 0],
    "kernels": [{"hart": "brisc",
                 "arguments": ["index", "tiles", "noc((index + 1) % tiles)", "noc((index + tiles - 1) % tiles)"],
                 "common_arguments": ["l1.block", "l1.inbox", "l1.result"]}]
}
JSON
cat >"$work/ring.h" <<'HEADER'
#include "grid/dataflow.h"
enum { BLOCK, INBOX, RESULT };
enum { INDEX, TILES, NEXT, BEFORE };
enum { ARRIVED, ROOM };
enum { WORDS = 16 };
static inline void fill(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        ((volatile uint32_t *)common_argument(BLOCK))[i] = i;
        ((volatile uint32_t *)common_argument(INBOX))[i] = 1;
    }
    fence();
}
#define SUM(sum) \
    for (uint32_t i = 0; i < WORDS; i++) { sum += ((volatile uint32_t *)common_argument(INBOX))[i]; }
HEADER
on_ring() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    local mistake kind=$2
    for mistake in '#define MISTAKE' ''; do
        rm -rf "$work/ring"
        mkdir -p "$work/ring/src"
        cp "$work/ring.h" "$work/ring/src"
        sed "1s|.*|$mistake|" <<<"$4" >"$work/ring/src/brisc.c"
        "$srcdir/scripts/link-kernels" "$firmware" "$work/ring/kernels" "$work/ring/src" || exit 1
        run ring ring --check
        judge "$1${mistake:+, the mistake}" "$kind" "$3" "$work/ring/src/brisc.c"
        kind=
    done
}

# in_tile NAME KIND TEXT HART PROGRAM HART PROGRAM: the same with two programs in a tile, the line being in the first
# one; $sections, if set, changes where the linker puts what (kit/sections.ld).
in_tile() {
    [[ $1 =~ ${PENROSE_CASES:-} ]] || return 0
    local mistake kind=$2 hart
    for mistake in '#define MISTAKE' ''; do
        rm -rf "$work/tile"
        "$PENROSE" new "$work/tile" >/dev/null || exit 1
        sed -i "${sections:-}" "$work/tile/kit/sections.ld"
        for hart in brisc ncrisc trisc0 trisc1 trisc2; do
            echo 'int main(void) { return 0; }' >"$work/tile/$hart.c"
        done
        sed "1s|.*|$mistake|" <<<"$5" >"$work/tile/$4.c"
        sed "1s|.*|$mistake|" <<<"$7" >"$work/tile/$6.c"
        make -s -C "$work/tile" CROSS="$(basename "${RISCV_CC:-riscv64-unknown-elf-gcc}" gcc)" >"$work/made" 2>&1 ||
            { cat "$work/made"; exit 1; }
        timeout 120 "$PENROSE" run --hart "$4=$work/tile/build/$4.elf" --hart "$6=$work/tile/build/$6.elf" \
            --max-cycles 1000000 --policy all=warn --check >"$work/out" 2>"$work/said" </dev/null
        judge "$1${mistake:+, the mistake}" "$kind" "$3" "$work/tile/$4.c"
        kind=
    done
}

on_ring "a block that is read back" noc-unwaited 'a NoC read asks for bytes at 0x[0-9a-f]+ of another place, which the NoC write' \
'// kernel
#include "ring.h"
void kernel_main(void)
{
    dataflow_begin();
    const uint32_t inbox = common_argument(INBOX), next = get_argument(NEXT);
    fill();
    noc_write(common_argument(BLOCK), next, inbox, 64);
#ifndef MISTAKE
    semaphore_add(ARRIVED, next, 1);
    semaphore_wait(ARRIVED, 1);
    semaphore_add(ROOM, get_argument(BEFORE), 1);
    semaphore_wait(ROOM, 1); // next has all
#endif
    noc_read(next, inbox, common_argument(RESULT), 64); // here
    read_barrier();
    write_barrier();
    atomic_barrier();
}'

nobody='// kernel
int main(void) { return 0; }'

on_ring "a block of the neighbour" race-l1 'brings data( later)?, and has not waited for anything that tells of them' \
'// kernel
#include "ring.h"
void kernel_main(void)
{
    uint32_t sum = 0;
    dataflow_begin();
    fill();
    noc_write(common_argument(BLOCK), get_argument(NEXT), common_argument(INBOX), 4 * WORDS);
    write_barrier();
    semaphore_add(ARRIVED, get_argument(NEXT), 1);
#ifndef MISTAKE
    semaphore_wait(ARRIVED, 1);
#endif
    SUM(sum) // here
    *(volatile uint32_t *)common_argument(RESULT) = sum;
    atomic_barrier();
}'

on_ring "a slot that is filled again" race-l1 'which brisc .* has read before, and has not heard of that' \
'// kernel
#include "ring.h"
static void send(uint32_t i)
{
#ifndef MISTAKE
    semaphore_wait_at_least(ROOM, i);
#endif
    (void)i;
    noc_write(common_argument(BLOCK), get_argument(NEXT), common_argument(INBOX), 4 * WORDS); // here
    semaphore_add(ARRIVED, get_argument(NEXT), 1);
}
void kernel_main(void)
{
    uint32_t sum = 0;
    dataflow_begin();
    for (uint32_t i = 0; i < 4 && get_argument(INDEX) == 0; i++) {
        send(i);
    }
    for (uint32_t i = 0; i < 4 && get_argument(INDEX) == 1; i++) {
        semaphore_wait_at_least(ARRIVED, i + 1);
        SUM(sum)
        semaphore_add(ROOM, get_argument(BEFORE), 1);
    }
    *(volatile uint32_t *)common_argument(RESULT) = sum;
    write_barrier();
    atomic_barrier();
}'

# Two launches of a host on two tiles, and one on the first tile alone: what the second one has read is over by then.
name="a block of the launch behind"
if [[ $name =~ ${PENROSE_CASES:-} ]]; then
    for mistake in '#define MISTAKE' ''; do
        rm -rf "$work/two"
        mkdir -p "$work/two/src"
        for hart in ncrisc trisc; do
            echo 'void kernel_main(void) {}' >"$work/two/src/$hart.c"
        done
        { echo "$mistake" && cat <<'KERNEL'; } >"$work/two/src/brisc.c"
#include "grid/dataflow.h"
enum { ARRIVED, FIRST = 1 | 2 << 6, SECOND = 2 | 2 << 6, BLOCK = 0x90000, INBOX = 0x91000, WORDS = 16 };
static void send(void)
{
    noc_write(BLOCK, SECOND, INBOX, 4 * WORDS);
    write_barrier();
}
void kernel_main(void)
{
    volatile uint32_t *block = (volatile uint32_t *)BLOCK, *inbox = (volatile uint32_t *)INBOX;
    uint32_t sum = 0;
    dataflow_begin();
    if (own_tile() == FIRST) {
        for (uint32_t i = 0; i < WORDS; i++) {
            block[i] = i;
        }
        fence();
        send();
        semaphore_add(ARRIVED, SECOND, 1);
#ifdef MISTAKE
        for (volatile uint32_t i = 0; i < 100000; i++) { // long enough for the other one, as luck has it
        }
        send();
#endif
        atomic_barrier();
    } else {
        semaphore_wait(ARRIVED, 1);
        for (uint32_t i = 0; i < WORDS; i++) {
            sum += inbox[i];
        }
        *(volatile uint32_t *)0x80000 = sum;
    }
}
KERNEL
        "$srcdir/scripts/link-kernels" "$firmware" "$work/two/kernels" "$work/two/src" || exit 1
        own=$work/two/tt-metal-cache${firmware##*/} # as tt-metal keeps programs
        mkdir -p "$own"
        ln -s "$firmware" "$own/firmware"
        for hart in brisc ncrisc trisc0 trisc1 trisc2; do
            mkdir -p "$own/kernels/two/1/$hart"
            cp "$work/two/kernels/$hart.elf" "$own/kernels/two/1/$hart"
        done
        PENROSE_FIRMWARE=$firmware TT_METAL_CACHE=$work/two timeout 120 "$PENROSE" exec --check all -- \
            "$builddir/tests/firmware/launching_host" "$firmware" "$work/two/kernels" 0 alone \
            >"$work/out" 2>"$work/said" </dev/null
        races=$(sed -zE 's/\n  inlined at//g' "$work/said" | grep '^penrose: race-')
        report "$name${mistake:+, the mistake}" "$(if [ -n "$mistake" ]; then
            grep -qE '^.*race-l1: .*which brisc .* has read before, and has not heard of that.*/brisc.c:6\b' <<<"$races"
        else
            [ -z "$races" ]
        fi && grep -q '^73:' "$work/out" || cut -c1-400 "$work/said")"
    done
fi

on_ring "a semaphore that is set back" race-l1 'changes over the NoC in no order with that' \
'// kernel
#include "ring.h"
static void collect(void)
{
    semaphore_wait(ARRIVED, 1);
#ifdef MISTAKE
    semaphore_add(ROOM, get_argument(NEXT), 1);
    semaphore_set(ARRIVED, 0); // here
#else
    semaphore_set(ARRIVED, 0);
    semaphore_add(ROOM, get_argument(NEXT), 1);
#endif
}
void kernel_main(void)
{
    dataflow_begin();
    for (uint32_t i = 0; i < 3; i++) {
        if (get_argument(INDEX) == 0) {
            collect();
        } else if (get_argument(INDEX) == 1) {
            semaphore_add(ARRIVED, get_argument(BEFORE), 1);
            semaphore_wait_at_least(ROOM, i + 1);
        }
    }
    atomic_barrier();
}'

on_ring "the answer of an atomic" noc-unwaited 'which the NoC atomic of brisc .* fills; noc_async_atomic_barrier' \
'// kernel
#include "ring.h"
void kernel_main(void)
{
    const uint32_t address = semaphore_address(ARRIVED), ticket = common_argument(INBOX);
    struct noc_end target = {get_argument(NEXT), address}, answer = {own_tile(), ticket};
    dataflow_begin();
    fill();
    wait_for_buffer(BUFFER_ATOMIC);
    NIU_BUFFER(BUFFER_ATOMIC, DATA) = 1;
    request(BUFFER_ATOMIC, CONTROL_ATOMIC, target, answer, ATOMIC_INCREMENT | (address >> 2 & 3));
    atomics_due++;
#ifndef MISTAKE
    atomic_barrier();
#endif
    *(volatile uint32_t *)common_argument(RESULT) = *(volatile uint32_t *)ticket; // here
    atomic_barrier();
}'

in_tile "data of another hart" race-l1 'which ncrisc .* has stored, and has not waited for anything that tells of it' \
    brisc '// kernel
#include "kit/hart.h"
int main(void)
{
    uint32_t sum = 0;
#ifdef MISTAKE
    for (volatile unsigned i = 0; i < 500; i++) {
    }
#else
    while (REGISTER(0x30000) != 1) {
        fence();
    }
    fence();
#endif
    for (uint32_t i = 0; i < 8; i++) {
        sum += ((volatile uint32_t *)0x30100)[i]; // here
    }
    return (int)sum;
}' ncrisc '// kernel
#include "kit/hart.h"
int main(void)
{
    for (uint32_t i = 0; i < 8; i++) {
        ((volatile uint32_t *)0x30100)[i] = i;
    }
    fence();
    REGISTER(0x30000) = 1;
    return 0;
}'

in_tile "a semaphore that two threads set" race-state 'SEMPOST relies on semaphore 1, which SEMINIT of trisc2 .* may not have set yet' \
    trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
    TTI_SEMINIT(1, 0, 2);
    for (volatile unsigned i = 0; i < 100; i++) {
    }
    TTI_SEMPOST(2); // here
    tensix_wait();
    return 0;
}' trisc2 '// kernel
#include "kit/tensix.h"
int main(void)
{
#ifdef MISTAKE
    TTI_SEMINIT(1, 0, 2);
#endif
    TTI_SEMWAIT(BLOCK_SYNC, 2, WHILE_ZERO);
    TTI_SEMGET(2);
    tensix_wait();
    return 0;
}'

counts='#include "kit/tensix.h"
int main(void)
{
    gpr_set(20, 0x30000 / 16);
    gpr_set(21, 0);
    gpr_set(23, 1);
    for (unsigned i = 0; i < 4; i++) {
#ifndef MISTAKE
        TTI_ATGETM(2);
#endif
        TTI_LOADIND(1, 42, 0, 22, 20); // here
        TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
        TTI_ADDDMAREG(0, 22, 23, 22);
        TTI_STOREIND(1, 1, 0, 42, 0, 22, 20);
        TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
#ifndef MISTAKE
        TTI_ATRELM(2);
#endif
    }
    tensix_wait();
    return 0;
}'
in_tile "a word that two threads count in" race-l1 'reads 0x30000, which trisc0 .* has stored' \
    trisc1 "// kernel
$counts" trisc0 "// kernel
$counts"

in_tile "a GPR that nothing has written" undefined-data 'ADDDMAREG reads GPR 21, which nothing has written' \
    trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    gpr_set(20, 5);
#ifndef MISTAKE
    gpr_set(21, 7);
#endif
    TTI_ADDDMAREG(0, 22, 21, 20); // here
    tensix_wait();
    return (int)REGISTER(AT_GPR + 4 * 22);
}' trisc1 "$nobody"

in_tile "a word of Config that a hart loads too early" config-race \
    'a load reads SCRATCH_SEC0_val, which WRCFG of trisc1 .* may not have written yet; tensix_sync' trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
    gpr_set(20, 0x1000);
    TTI_STALLWAIT(BLOCK_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(20, 0, SCRATCH_SEC0_val_ADDR32);
#ifndef MISTAKE
    tensix_wait();
#endif
    return (int)CONFIG_WORD(SCRATCH_SEC0_val_ADDR32); // here
}' trisc0 "$nobody"

in_tile "two harts change fields of one word" config-race \
    'a store changes STACC_RELU_ApplyRelu in a word that trisc1 .* changes, too, in no order' trisc2 '// kernel
#include "kit/tensix.h"
int main(void)
{
#ifdef MISTAKE
    for (volatile unsigned i = 0; i < 100; i++) {
    }
#else
    consume(mailbox_receive(TRISC1));
#endif
    config_set(STACC_RELU_ApplyRelu, 1); // here
    return 0;
}' trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
    config_set(ALU_ACC_CTRL_Zero_Flag_disabled_src, 1);
#ifndef MISTAKE
    consume(CONFIG_WORD(STACC_RELU_ApplyRelu_ADDR32));
    mailbox_send(TRISC2, 1);
#endif
    return 0;
}'

in_tile "a GPR that is set under a load" gpr-hazard \
    'SETDMAREG writes GPR 22, for which the result of LOADIND of trisc2 .* may come later; STALLWAIT' trisc2 '// kernel
#include "kit/tensix.h"
int main(void)
{
    gpr_set(20, 0x30000 / 16);
    gpr_set(21, 0);
    TTI_LOADIND(1, 2 * 21, 0, 22, 20);
#ifndef MISTAKE
    TTI_STALLWAIT(BLOCK_SCALAR, UNTIL_SCALAR);
#endif
    TTI_SETDMAREG(0, 9, 0, 2 * 22); // here
    tensix_wait();
    return 0;
}' trisc0 "$nobody"

in_tile "a hart loads what its thread stores" race-l1 \
    'reads 0x30000, which the coprocessor may still write for trisc2 .*; tensix_sync' trisc2 '// kernel
#include "kit/tensix.h"
int main(void)
{
    uint32_t sum = 0;
    gpr_set(20, 0x30000 / 16);
    gpr_set(21, 0);
    for (unsigned i = 24; i < 28; i++) {
        gpr_set(i, i);
    }
    TTI_STOREIND(1, 0, 0, 2 * 21, 0, 24, 20);
#ifndef MISTAKE
    TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
    TTI_NOP;
    tensix_wait();
#endif
    for (unsigned i = 0; i < 4; i++) {
        sum += ((volatile uint32_t *)0x30000)[i]; // here
    }
    return (int)sum;
}' trisc0 "$nobody"

in_tile "half of a GPR" undefined-data 'ADDDMAREG reads the upper half of GPR 21, which nothing has written' \
    trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    TTI_SETDMAREG(0, 40, 0, 2 * 21);
#ifndef MISTAKE
    TTI_SETDMAREG(0, 0, 0, 2 * 21 + 1);
#endif
    TTI_ADDDMAREG(1, 22, 2, 21); // here
    tensix_wait();
    return (int)REGISTER(AT_GPR + 4 * 22);
}' trisc1 "$nobody"

in_tile "data that the coprocessor copies" undefined-data 'a branch depends on L1 at 0x40018, which nobody has written' \
    brisc '// kernel
#include "kit/hart.h"
int main(void)
{
    volatile uint32_t *const from = (volatile uint32_t *)0x40000, *const to = from + 16;
#ifdef MISTAKE
    const unsigned words = 6;
#else
    const unsigned words = 8;
#endif
    for (unsigned i = 0; i < words; i++) {
        from[i] = i;
    }
    fence();
    mailbox_send(TRISC0, 1);
    consume(mailbox_receive(TRISC0));
    fence();
    for (unsigned i = 0; i < 8; i++) {
        if (to[i] == 77) { // here
            mailbox_send(TRISC0, 2);
        }
    }
    return 0;
}' trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    consume(mailbox_receive(BRISC));
    gpr_set(20, 0x40000 / 16);
    gpr_set(21, 0x40040 / 16);
    for (unsigned i = 0; i < 2; i++) {
        gpr_set(22, 16 * i);
        TTI_LOADIND(0, 2 * 22, 0, 24, 20);
        TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
        TTI_STOREIND(1, 0, 0, 2 * 22, 0, 24, 21);
        TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
    }
    tensix_wait();
    mailbox_send(BRISC, 1);
    return 0;
}'

in_tile "a word beside one that the coprocessor stores" undefined-data \
    'a branch depends on L1 at 0x40100, which nobody has written' brisc '// kernel
#include "kit/hart.h"
int main(void)
{
    volatile uint32_t *const to = (volatile uint32_t *)0x40040, *const from = (volatile uint32_t *)0x40100;
#ifndef MISTAKE
    from[0] = from[16] = 1;
#endif
    to[1] = from[0];
    fence();
    mailbox_send(TRISC0, 1);
    consume(mailbox_receive(TRISC0));
    fence();
    if (to[1] == 77) { // here
        mailbox_send(TRISC0, 2);
    }
    return 0;
}' trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    consume(mailbox_receive(BRISC));
    gpr_set(21, 0x40040 / 16);
    gpr_set(22, 0);
    gpr_set(20, 0x40140 / 16);
    TTI_LOADIND(1, 2 * 22, 0, 24, 20);
    TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
    TTI_STOREIND(1, 1, 0, 2 * 22, 0, 24, 21); // one word
    TTI_STALLWAIT(0x1ff, UNTIL_SCALAR);
    tensix_wait();
    mailbox_send(BRISC, 1);
    return 0;
}'

in_tile "an exit value, by a GPR that nothing has written" undefined-data \
    'the program ends with a value from GPR 23, which nothing has written' trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
#ifndef MISTAKE
    gpr_set(22, 1);
    gpr_set(23, 1);
    tensix_wait();
#endif
    const uint32_t other = REGISTER(AT_GPR + 4 * 22), value = REGISTER(AT_GPR + 4 * 23); // here
    if (other == 77) {
        fence(); // it has a report of its own
    }
    return (int)value;
}' trisc0 "$nobody"

in_tile "local RAM outside of the stack" undefined-data 'a branch depends on local RAM at 0xffb0010c, which nobody has written' \
    trisc1 '// kernel
#include "kit/hart.h"
int main(void)
{
    volatile uint32_t *const table = (volatile uint32_t *)0xffb00100;
#ifdef MISTAKE
    const unsigned words = 3;
#else
    const unsigned words = 4;
#endif
    for (unsigned i = 0; i < words; i++) {
        table[i] = i;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (table[i] == 77) { // here
            fence();
        }
    }
    return 0;
}' trisc0 "$nobody"

sections='s/PT_LOAD FLAGS(7);/&\n    data PT_LOAD FLAGS(6);/; /^    \.data\|^    \.bss/,/>l1/ s/>l1 :program/>local :data/'
in_tile "data that a loader puts into local RAM" undefined-data \
    'a branch depends on local RAM at 0xffb00020, which nobody has written' trisc1 '// kernel
#include "kit/hart.h"
static volatile uint32_t table[4] = {1, 0, 0x20000}, empty[4];
int main(void)
{
#ifdef MISTAKE
    const unsigned words = 6;
#else
    const unsigned words = 4;
#endif
    for (unsigned i = 0; i < words; i++) {
        if (table[i] == 77 || empty[i] == 77) { // here
            fence();
        }
    }
    return 0;
}' trisc0 "$nobody"
sections=

in_tile "a bank that nobody takes" race-open 'the programs end, and the Matrix Unit has not given back the bank of SrcA' \
    trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    TTI_UNPACR_NOP(0, 0, 0, 1, 0, 0, 0, 0, 1); // here
    tensix_wait();
    return 0;
}' trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
#ifndef MISTAKE
    TTI_STALLWAIT(BLOCK_MATRIX, 1 << 7 /* data in SrcA */);
    TTI_SETRWC(1, 0, 0, 0, 0, 0);
    tensix_wait();
#endif
    return 0;
}'

in_tile "a word that stays in a mailbox" race-open 'the programs end, and trisc1 has not taken this word' \
    trisc0 '// kernel
#include "kit/tensix.h"
int main(void)
{
    mailbox_send(TRISC1, 1); // here
    return 0;
}' trisc1 '// kernel
#include "kit/tensix.h"
int main(void)
{
#ifndef MISTAKE
    consume(mailbox_receive(TRISC0));
#endif
    return 0;
}'

in_tile "a stack that was full before" stack-overflow 'the stack grows by [0-9]+ bytes .*, where the local RAM begins' \
    trisc1 '// kernel
static unsigned __attribute__((noinline)) walk(unsigned depth)
{ // here
    volatile unsigned own[12];
    own[depth % 12] = depth;
    return depth == 0 ? own[0] : walk(depth - 1) + own[depth % 12];
}
int main(void)
{
#ifdef MISTAKE
    return (int)walk(80);
#else
    return (int)walk(20);
#endif
}' trisc0 "$nobody"
finish
