#!/bin/bash
# `penrose explain`: faults that are put into a guest program (its sources, changed in one place and
# compiled here) are found: the first difference from the dump of the right program, who made it, at
# which line, and from what. SKIP without the RISC-V cross compiler and Python's numpy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
command -v "$compiler" >/dev/null || skip "no RISC-V cross compiler"
python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "no python3 with numpy"
sources=$(cd "${srcdir:?}" && pwd)

# variant NAME PROGRAM FILE SED: builds PROGRAM (a source of firmware) with FILE changed by SED.
variant() {
    local name=$1 program=$2 file=${3:-} change=${4:-} hart number=0
    local copy=$work/sources-$name
    mkdir -p "$copy" "$work/elf-$name"
    cp -r "$sources/firmware/bare" "$sources/firmware/tensor" "$sources/firmware/kit" "$copy/"
    if [ -n "$file" ]; then
        sed -i "$change" "$copy/$file"
        ! cmp -s "$copy/$file" "$sources/firmware/$file" ||
            { echo "FAIL: '$change' changes nothing of $file"; exit 1; }
    fi
    for hart in trisc0 trisc1 trisc2; do
        number=$((number + 1))
        "$compiler" -I"$sources/src/arch/blackhole" -march=rv32im_zicsr_zba_zbb -mabi=ilp32 -std=c11 \
            -O2 -g -ffreestanding -nostdlib -fno-tree-loop-distribute-patterns \
            -Wl,--no-warn-rwx-segments,--build-id=none,-T,"$copy/bare/bare.ld" -DHART=$number \
            -Wl,--defsym=TEXT_BASE=$((number * 0x10000)) \
            -Wl,--defsym=MAILBOX=$((0x8000 + 0x100 * number)) -o "$work/elf-$name/$hart.elf" \
            "$copy/bare/crt0.S" "$copy/$program" || exit 1
    done
}

# dump NAME OUT ARGUMENT...: runs a variant and makes a dump of it.
dump() {
    local name=$1 out=$2 hart programs=()
    shift 2
    for hart in trisc0 trisc1 trisc2; do
        programs+=(--hart "$hart=$work/elf-$name/$hart.elf")
    done
    "$PENROSE" run "${programs[@]}" --dump-state "$work/$out" "$@" >"$work/log" 2>&1 ||
        { echo "FAIL: running $name"; cat "$work/log"; exit 1; }
}

# explains NAME PATTERN... -- ARGUMENT...: exit code 1 and these lines; no messages unless told.
explains() {
    messages=${messages:-0} expect "$1" 1 "${@:2}"
}

"$python" - "$work" <<'PYTHON'
import sys, numpy
numbers = numpy.arange(32 * 64, dtype=numpy.float32).reshape(32, 64)
numpy.save(sys.argv[1] + "/a.npy", numbers % 97 + 1)
numpy.save(sys.argv[1] + "/b.npy", numbers % 31 * 2 + 1)
PYTHON
eltwise=(--input "0x40000=$work/a.npy:bf16" --input "0x80000=$work/b.npy:bf16"
    --poke 0x9000=0x40000,0x80000,0xc0000,1,2,1,5,5,5,5,5,5,0,1,0,0,0,0)
mkdir -p "$work/sources-takes"
cat >"$work/sources-takes/takes.c" <<'C'
/* What is at 0x9000 goes by way of 0x9100 to 0x9200, and nothing is left of it there. */
#define WORD(address) (*(volatile unsigned *)(address))
int main(void)
{
#if HART == 1
    WORD(0x9100) = WORD(0x9000) * 3;
    WORD(0x9000) = 0;
    WORD(0x9200) = WORD(0x9100) + 1;
    WORD(0x9100) = 0;
#endif
    return 0;
}
C
variant takes takes.c
sed '/WORD(0x9200)/d' "$work/sources-takes/takes.c" >"$work/takes-none.c"
mkdir -p "$work/sources-stores-none" && mv "$work/takes-none.c" "$work/sources-stores-none/takes.c"
variant stores-none takes.c
mkdir -p "$work/sources-sends"
cat >"$work/sources-sends/takes.c" <<'C'
/* What is made of 0x9000 goes to another tile, and from there another word comes back. */
#define WORD(address) (*(volatile unsigned *)(address))
#define NIU(offset) WORD(0xffb20800 + (offset))
static void request(unsigned from, unsigned from_tile, unsigned to, unsigned to_tile, unsigned control)
{
    while (NIU(0x40)) { }
    NIU(0x00) = from; NIU(0x04) = 0; NIU(0x08) = from_tile;
    NIU(0x0c) = to; NIU(0x10) = 0; NIU(0x14) = to_tile;
    NIU(0x1c) = control; NIU(0x20) = 32; NIU(0x24) = 0; NIU(0x40) = 1;
}
int main(void)
{
#if HART == 1
    unsigned here = WORD(0xffb20148), there = 2 | 2 << 6, before = WORD(0xffb20208);
    WORD(0x9110) = WORD(0x9000) * 3;
    WORD(0x9110);
    request(0x9100, here, 0xa100, there, 0x92 | 1 << 13);
    while (WORD(0xffb20204) == 0) { }
    WORD(0x9110) = 0;
    request(0xa100, there, 0x9300, here, 0x90 | 1 << 13);
    while (WORD(0xffb20208) == before) { }
#endif
    return 0;
}
C
variant sends takes.c
dump sends sends-five --poke 0x9000=5
dump sends sends-six --poke 0x9000=6
for number in 5 6; do
    mkdir -p "$work/sources-held-$number"
    { echo "volatile unsigned held = $number;"
      sed 's/WORD(0x9000) \* 3/held/' "$work/sources-takes/takes.c"; } >"$work/sources-held-$number/takes.c"
done
variant held-5 takes.c
variant held-6 takes.c
variant good tensor/eltwise.c
variant addr-mod tensor/eltwise.c tensor/eltwise.c \
    's/ADDR_MOD(0, .a_incr = MATRIX_ROWS,/ADDR_MOD(0, .a_incr = MATRIX_ROWS \/ 2,/'
variant format tensor/eltwise.c tensor/pack.h '/Out_data_format, to)/s/, to)/, FLOAT16)/'
variant rogue tensor/eltwise.c tensor/eltwise.c \
    '/^static void compute/,/^}/s/    meet();/&\n    ((volatile uint8_t *)0x40000)[517] ^= 4; \/* a bit *\//'
variant waits bare/tensix.c
variant no-wait bare/tensix.c bare/tensix.c '/define TAKE/,/SEMGET/s/TT_FINISH_REQUESTS; /TT(NOP);/'
dump good good "${eltwise[@]}"
dump addr-mod addr-mod "${eltwise[@]}"
dump format format "${eltwise[@]}"
dump rogue rogue "${eltwise[@]}"
dump waits waits --timing timed
! grep gpr-hazard "$work/log" || report "a program that waits" "a warning"
dump no-wait no-wait --timing timed
grep -q 'warning: guest fault gpr-hazard: .*tensix.c:[0-9]*.*MULDMAREG reads GPR 4 before the result of ' \
    "$work/log" || report "a missing STALLWAIT" "no warning: $(cat "$work/log")"
dump good flipped "${eltwise[@]}" --poke 0x40204=0x41a04598
dump takes five --poke 0x9000=5
dump takes six --poke 0x9000=6
dump held-5 held-five
dump held-6 held-six
dump stores-none stores-none --poke 0x9000=5
cd "$work" || exit 1

explains "a wrong address modifier" 'out:; the first one in program order:$' \
    'out:^1-2/config/1.ADDR_MOD_AB_SEC0_SrcAIncr$' 'out:^  A 4  B 8$' \
    'out:written by  thread 1, in cycle [0-9]+: SETC16 0xc, 0x804$' \
    'out:in addr_mod_set.*, pushed by trisc1$' \
    'out:written by  packer, thread 2, .*: PACR' -- explain addr-mod good --only l1 --only config
explains "the value that became the modifier" 'out:^1-2/local_trisc1' 'out:main.*, eltwise.c:[0-9]+, inlined at ' -- \
    explain addr-mod good
explains "a wrong format" 'out:^1-2/config/config.0.THCON_SEC0_REG1_Out_data_format$' \
    'out:written by  trisc2, in cycle [0-9]+: sw ' 'out:pack.h:[0-9]+, inlined at pack.h:[0-9]+' \
    'out:the last memory that was written: 1-2/l1\[0xc0000\]' \
    'out:configuration: differs before it \(1; first .*Out_data_format\)' -- explain format good
explains "a bit that a hart has flipped" 'out:^1-2/l1\[0x40204\] \(data\)$' 'out:^  A 0x41a04598  B 0x41a04198$' \
    'out:written by  trisc1, in cycle [0-9]+: sb .*, 517\(' 'out:in main.*, eltwise.c:[0-9]+, inlined at ' -- \
    explain rogue good
explains "a bit that was flipped from outside" 'out:^1-2/l1\[0x40204\]' \
    'out:written by  host, in cycle 0$' -- explain flipped good
messages=2 explains "a missing STALLWAIT" 'out:^1-2/l1\[0x60100\]' \
    'out:written by  scalar unit, thread 2, .*: STOREIND' 'out:tensix.c:[0-9]+, pushed by trisc2$' \
    'out:too early   thread 1, .*tensix.c:[0-9]+: MULDMAREG .* reads GPR 4 before .*no STALLWAIT' -- \
    explain no-wait waits
explains "the bit, seen from the other run" 'out:written by  host, in cycle 0$' -- explain good flipped
explains "JSON" 'out:"outcome": "different"' 'out:"source": ".*pack.h:[0-9]+"' 'out:"differs": true' \
    'out:"inlined_at": \[$' 'out:^ +"[^:]*pack.h:[0-9]+",?$' -- \
    explain format good --json
explains "no chain" 'out:first one in program order' -- explain format good --depth 0
! grep -q 'last memory' "$work/out" || report "no chain" "a chain is told"
explains "inputs that have been overwritten" 'out:^1-2/l1\[0x9200\]' 'out:^  A 0x[0]*10  B 0x[0]*13$' \
    'out:memory 0x00009100: differed when it was read: A 0xf  B 0x12$' \
    'out:^made from 1-2/l1\[0x9100\] \(when it was read\)$' 'out:^  A 0xf  B 0x12$' \
    'out:written by  trisc0, .*: sw ' 'out:memory 0x00009000: differed .*: A 0x5  B 0x6$' \
    'out:^made from 1-2/l1\[0x9000\] \(when it was read\)$' 'out:written by  host' -- \
    explain five six
cp -r six card
"$python" - card/manifest.json <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    m = json.load(file)
del m["command"]
with open(sys.argv[1], "w") as file:
    json.dump(m, file)
PYTHON
explains "overwritten inputs, of one side" 'out:^1-2/l1\[0x9200\]' \
    'out:memory 0x00009100: overwritten since: what B had there then is not known$' -- explain five card
explains "an input that one side has not read" 'out:memory 0x00009028: the same in both runs when it was read$' \
    'out:memory 0x000090[0-9a-f]+: B alone has read it$' 'out:Dst: the same in both runs before it$' -- \
    explain format good
! grep -q 'in B  ' "$work/out" || report "one writer" "B is said to have another"
explains "a store that A does not make" 'out:^1-2/l1\[0x9200\]' 'out:written by  nobody in this run' \
    'out:in B        trisc0, .*: sw ' 'out:at pc 0x[0-9a-f]+ in main.*, takes.c:[0-9]+$' -- explain stores-none five
mkdir elf-kept && cp elf-takes/* elf-kept && cp elf-stores-none/trisc0.elf elf-takes
messages=2 expect "programs that have changed" 1 'five ends in another state than its dump.*may be wrong$' \
    'six ends in another state .*: of B only the dump is used$' -- explain five six
cp elf-kept/trisc0.elf elf-takes
expect "nothing to explain, as JSON" 0 'out:"outcome": "same"' -- explain good good --json
expect "nothing to explain" 0 'out:^the same: .*nothing to explain' -- explain good good
expect "within a tolerance" 0 'out:nothing to explain' -- explain good format --only dst
[ ! -e "$work/index.html" ] && [ "$(ls "$work/format" | wc -l)" -eq "$(ls "$work/good" | wc -l)" ]
report "the dump is as it was" "$([ $? -eq 0 ] || echo "files were written")"

# edited NAME PYTHON: a copy of the dump `format` whose manifest m was changed.
edited() {
    cp -r format "$1"
    "$python" - "$1/manifest.json" "$2" <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    m = json.load(file)
exec(sys.argv[2])
with open(sys.argv[1], "w") as file:
    json.dump(m, file)
PYTHON
}

explains "packets, to their senders" 'out:^1-2/l1\[0x9310\]' 'out:^  A 0x0000000f  B 0x00000012$' \
    'out:written by  the answer of \(2, 2\) to a read of trisc0' 'out:at pc .* in main.*, takes.c:9, inlined at ' \
    'out:made from   memory 0x0000a110 of \(2, 2\), in cycle' 'out:^made from 2-2/l1\[0xa110\] \(when it was sent\)$' \
    'out:written by  a packet \(write\) of \(1, 2\) trisc0, in cycle [0-9]+$' \
    'out:^made from 1-2/l1\[0x9110\] \(when it was sent\)$' 'out:written by  trisc0, .*: sw ' \
    'out:memory 0x00009000: differed when it was read: A 0x5  B 0x6' -- explain sends-five sends-six --only 'l1[0x9310]'
cp -r sends-six sends-card
"$python" - sends-card/manifest.json <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    m = json.load(file)
del m["command"]
with open(sys.argv[1], "w") as file:
    json.dump(m, file)
PYTHON
explains "a packet, of one side" 'out:^made from 1-2/l1\[0x9110\] \(when it was sent\)$' \
    'out:memory 0x00009000: (overwritten|differs|the same)' -- explain sends-five sends-card --only 'l1[0x9310]'
# 'cb_*' is the memory of buffers here. What nobody has written is not followed.
for name in five six; do
    cp -r $name $name-buffers
    "$python" - $name-buffers/manifest.json <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file:
    m = json.load(file)
m["tiles"][0]["l1_map"] = [{"start": 0, "size": 0x9200, "kind": "data", "name": ""},
                           {"start": 0x9200, "size": 64, "kind": "circular_buffer", "name": "cb3"}]
with open(sys.argv[1], "w") as file:
    json.dump(m, file)
PYTHON
done
explains "a buffer by its name" 'out:^1 items differ' 'out:^1-2/l1\[0x9200\] \(circular_buffer cb3\)$' -- \
    explain five-buffers six-buffers --only 'cb_*'
explains "a buffer of a tile" 'out:^1 items differ' -- explain five-buffers six-buffers --only 1-2/cb_3
expect "another buffer" 2 'nothing was compared: nothing that both have is named by --only' -- \
    explain five-buffers six-buffers --only cb_2
explains "words that nobody has written" 'out:memory 0x[0-9a-f]+: nobody had written it: A 0x5  B 0x6$' -- \
    explain held-five held-six --only 'l1[0x9200]'
[ "$(grep -c '^made from' "$work/out")" -eq 1 ] || report "words that nobody has written" "they are followed"

# by_store NAME TEXT: what is at 0x9008 goes to 0x9220 by TEXT, and nothing is left of it.
by_store() {
    local name=$1 number
    printf '.globl _start\n_start: li a5, 0x9000\n li a6, 0x9220\n%s\n sw zero, 8(a5)\n ebreak\n' "$2" >"$name.S"
    "$compiler" -march=rv32imaf_zicsr -mabi=ilp32 -nostdlib -Wl,-Ttext=0,--build-id=none \
        -o "$name.elf" "$name.S" || exit 1
    for number in 5 6; do
        "$PENROSE" run "$name.elf" --poke "0x9008=$number" --dump-state "$name-$number" >log 2>&1 ||
            { echo "FAIL: running $name"; cat log; exit 1; }
    done
    explains "inputs of $name" 'out:^1-2/l1\[0x9220\]' "out:written by  brisc, .*: $name" \
        'out:memory 0x00009008: differed when it was read: A 0x5  B 0x6$' \
        'out:^made from 1-2/l1\[0x9008\] \(when it was read\)$' 'out:written by  host' -- \
        explain "$name-5" "$name-6"
}
by_store amoswap 'lw a1, 8(a5); amoswap.w zero, a1, (a6)'
by_store amoadd 'lw a1, 8(a5); amoadd.w zero, a1, (a6)'
by_store fsw 'flw f1, 8(a5); fsw f1, 0(a6)'

edited no-command 'del m["command"]'
edited pytest 'm["command"] = ["/usr/bin/python3", "-m", "pytest"]'
edited gone 'm["command"] = ["penrose", "run", "nowhere.elf"]'
edited numbers 'm["command"] = ["penrose", "run", 3]'
expect "no command" 2 'no-command does not say by which command it was made' -- explain no-command good
expect "another program's dump" 2 "was not made by 'penrose run'" -- explain pytest good
expect "a program that is gone" 2 'nowhere.elf: .*No such file' -- explain gone good
expect "no words" 2 'penrose: ' -- explain numbers good
expect "no recording" 2 'a.npy: ' -- explain format good --recording a.npy
expect "a recording that is missing" 2 'nowhere: ' -- explain format good --recording nowhere
expect "no dump" 2 'nowhere/manifest.json' -- explain nowhere good
expect "one dump" 2 'name two dumps' -- explain good
finish
