#!/bin/bash
# `--profile` and `penrose trace --profile`, as text, page and table, of programs whose cycles are known.
# tests/clients/profiles.sh reads what is written for Perfetto.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# a0 = 100; do a0-- while (a0); store it at 0x400; a1 = [0xffb121f0]
make_elf "$work/loop.elf" 0 \
    "0 5 06400513 fff50513 fe051ee3 40a02023 ffb127b7 1f07a583 00100073"

cycles_of() {
    sed -n 's/.* after \([0-9]*\) cycles.*/\1/p' "$work/out"
}

# holds NAME PATTERN FILE: a line of the file matches.
holds() {
    report "$1" "$(grep -qE -- "$2" "$3" || echo "no line with /$2/ in: $(head -c 2000 "$3")")"
}

expect "a run without a profile" 0 -- run "$work/loop.elf"
cycles=$(cycles_of)
expect "a profile as text" 0 -- run "$work/loop.elf" --profile "$work/p.txt"
report "as many cycles" "$([ "$(cycles_of)" = "$cycles" ] || echo "$(cycles_of), not $cycles")"
holds "its tile" '^Profile of [0-9]+ cycles \(0 to [0-9]+\), 1 tile$' "$work/p.txt"
holds "the busiest lane" '^brisc is busiest, for 100 % of its time\.$' "$work/p.txt"
holds "the lane's cycles" '^  brisc +20[0-9] +100\.0% +0\.0% +0\.0%' "$work/p.txt"
expect "a trace of the same" 0 -- run "$work/loop.elf" "--trace=$work/t.ptrace"
expect "a profile of the trace" 0 -- trace "$work/t.ptrace" --profile "$work/q.txt"
report "is the same" "$(cmp "$work/p.txt" "$work/q.txt" 2>&1)"
expect "for Perfetto by the name of the file" 0 -- trace "$work/t.ptrace" --profile "$work/t.pftrace"
expect "and by the option" 0 -- trace "$work/t.ptrace" --perfetto "$work/perfetto"
report "is the same for Perfetto" "$(cmp "$work/t.pftrace" "$work/perfetto" 2>&1; [ -s "$work/perfetto" ] || echo empty)"
expect "a profile as a page" 0 -- run "$work/loop.elf" --profile "$work/p.html"
holds "the page's lane" '^<tr><td>brisc</td><td class="n">20[0-9]</td>' "$work/p.html"
report "the page needs nothing else" "$(grep -oE '(src|href)=.*' "$work/p.html")"

# Waits: brisc sends by mailbox to trisc1 what trisc1 waits for.
if [ -f "$GUESTS/pingpong-brisc.elf" ]; then
    players=()
    for hart in brisc trisc0 trisc1 trisc2; do
        players+=("--hart=$hart=$GUESTS/pingpong-$hart.elf")
    done
    expect "harts that wait" 0 -- run "${players[@]}" --profile "$work/wait.txt"
    holds "the place of a wait" '^ +[1-9][0-9]* +[1-9][0-9]* +trisc[0-2] +mailboxes: ' "$work/wait.txt"
    holds "its line of source" 'mailboxes: .*firmware/bare/.*:[0-9]+' "$work/wait.txt"
    expect "of one hart" 0 -- run "${players[@]}" --profile "$work/one.txt" --trace-filter hart=trisc1
    report "alone" "$(grep -E '^  (brisc|trisc0) ' "$work/one.txt")"
else
    untested "no guest programs"
fi

# --- What bounds a program ---

# The chain of tests/cli/what-if.sh: each of 3200 SFPMADs waits for the one before it.
pushes=$(printf ' 00b42023%.0s' {1..32})
make_elf "$work/chain.elf" 0 "0 5 ffe50437 04000537 20150513 00a42023 840005b7 00058593$pushes \
    04000637 20060613 06400693 00c42023 fff68693 fe069ce3 00100073"
messages=1 expect "a program whose math is slow" 0 -- \
    run "$work/chain.elf" --timing timed --profile "$work/math.txt"
holds "is bound by that" '^  [56][0-9]{3} cycles, bound by math [(]9[0-9] % of the critical path[)][.] Math is busy for 9[0-9] % ' \
    "$work/math.txt"
holds "its critical path" '^ +[2-5][0-9]{3} +[0-9.]+%  math [(]thread 1[)] ' "$work/math.txt"
holds "who makes room in the full queue" '  brisc +Tensix instruction push [(]by math[)]' "$work/math.txt"

make_reads_elf "$work/reads.elf"
expect "a program whose reads are slow" 0 -- run "$work/reads.elf" --timing timed --profile "$work/reads.txt"
holds "is bound by the NoC" ' cycles, bound by the NoC [(][67][0-9] % of the critical path[)][.] A tile sends 0.0 and asks for [0-9.]+ bytes a cycle, [0-9]+ % of its peak[.]' \
    "$work/reads.txt"
cycles=$(cycles_of)
expect "the same without a profile" 0 -- run "$work/reads.elf" --timing timed
report "takes as many cycles" "$([ "$(cycles_of)" = "$cycles" ] || echo "$(cycles_of), not $cycles")"
expect "as a table" 0 -- run "$work/reads.elf" --timing timed --profile "$work/reads.csv"
holds "with what bounds it" '^"all","bound","","1 tile","",0,"bound by the NoC [(]' "$work/reads.csv"
holds "and its path" '^"brisc","critical",' "$work/reads.csv"
expect "as a table of launches" 0 -- run "$work/reads.elf" --timing timed --profile "$work/reads.ops.csv"
report "which it has not" "$([ "$(wc -l <"$work/reads.ops.csv")" -eq 1 ] && grep -q '^OP CODE,.*,CORE COUNT,' "$work/reads.ops.csv" ||
    cat "$work/reads.ops.csv")"
expect "and as a page" 0 -- run "$work/reads.elf" --timing timed --profile "$work/reads.html"
holds "with its tile" '<title>1,2: 3200</title>' "$work/reads.html"
holds "and DRAM over time" '<td>DRAM</td><td class="n">[0-9.]+ bytes</td><td><svg' "$work/reads.html"
holds "with the link that carried most" '<title>NoC 0, right from router 0,[0-9]+.*: [0-9]+ flits, ' "$work/reads.html"
holds "and as text" '^ +100 +[0-9.]+% +[0-9.]+%  NoC 0, ' "$work/reads.txt"
holds "with the same sentence" 'bound by the NoC [(][67][0-9] % of the critical path[)]' "$work/reads.html"

# --- Critical paths of programs whose bottleneck is known ---

# push REGISTER INSTRUCTION...: RISC-V that pushes these to the thread whose queue the register has.
push() {
    local register=$1 word high
    shift
    for word in $("$PENROSE" asm --tensix "$@"); do
        high=$(((0x$word + 0x800) >> 12))
        printf '%s\n' "lui a0, $((high & 0xfffff))" "addi a0, a0, $((0x$word - (high << 12)))" "sw a0, 0($register)"
    done
}

# make_asm_elf FILE ADDRESS INSTRUCTION...
make_asm_elf() {
    local file=$1 address=$2
    shift 2
    make_elf "$file" "$address" "$address 5 $("$PENROSE" asm --pc "$address" "$@" | tr '\n' ' ')"
}

# on_path NAME FILE PER_CENT TEXT: rows of the table's critical paths that match have as much of them, at least.
on_path() {
    report "$1" "$(awk -F, -v least="$3" -v pattern="$4" '
        /"critical"/ { all += $(NF - 1) }
        /"critical"/ && $0 ~ pattern { sum += $(NF - 1) }
        END { if (all == 0 || 100 * sum < least * all) print sum + 0, "of", all + 0 }' "$2")"
}

# Reads of DRAM: what the sentence names is what makes the run faster if it costs half as much. 48 reads of
# 16 KiB come through one NIU, which can take less than four banks give, and more than one does. A read of 64
# bytes is longer under way than in GDDR.
make_stream_elf() { # FILE STEP: from the bank of tile 17,12 on, whose next one is 192 behind it
    make_asm_elf "$1" 0 'lui s0, 0xffb20' 'lui a0, 0x20' 'sw a0, 0xc(s0)' 'lui a0, 8' 'sw a0, 0(s0)' \
        'addi a0, zero, 0x81' 'sw a0, 0x14(s0)' 'lui a0, 4' 'sw a0, 0x20(s0)' 'addi a0, zero, 0x10' 'sw a0, 0x1c(s0)' \
        'addi a1, zero, 1' 'addi a2, zero, 0' 'addi a3, zero, 48' 'addi a5, zero, 0x311' 'addi a6, zero, 0x611' \
        'sw a5, 8(s0)' 'lw a4, 0x40(s0)' 'bne a4, zero, 0x44' 'sw a1, 0x40(s0)' 'addi a2, a2, 1' "addi a5, a5, $2" \
        'bne a5, a6, 0x60' 'addi a5, zero, 0x311' 'bne a2, a3, 0x40' 'lw a4, 0x208(s0)' 'bne a4, a2, 0x64' ebreak
}
make_stream_elf "$work/banks.elf" 192
make_stream_elf "$work/bank.elf" 0
timed_cycles() {
    "$PENROSE" run "$work/$1.elf" --timing timed "${@:2}" 2>&1 | sed -n 's/.* after \([0-9]*\) cycles.*/\1/p'
}
for case in 'reads:noc:the NoC' 'banks:noc:the NoC' 'bank:dram:DRAM'; do
    IFS=: read -r name half what <<<"$case"
    expect "reads that are bound by $what, $name" 0 -- run "$work/$name.elf" --timing timed --profile "$work/$name.txt"
    holds "which is said" " cycles, bound by $what [(]" "$work/$name.txt"
    [ "$half" = noc ] || holds "with its peak" ' DRAM moves [0-9.]+ bytes a cycle, [0-9]+ % of its peak[.]' "$work/$name.txt"
    all=$(cycles_of) noc=$(timed_cycles "$name" --cost noc=2x) dram=$(timed_cycles "$name" --cost dram=2x)
    [ "$half" = noc ] && gain=$((all - noc)) other=$((all - dram)) || gain=$((all - dram)) other=$((all - noc))
    report "and so" "$( ((10 * gain > all && gain > other)) || echo "$all cycles, $noc with noc=2x, $dram with dram=2x")"
done

# A slow hart: trisc1 polls a word that brisc writes after 3000 turns of a loop.
make_asm_elf "$work/slow.elf" 0 'lui a0, 1' 'addi a0, a0, -1096' 'addi a0, a0, -1' 'bne a0, zero, 8' \
    'addi a1, zero, 1' 'sw a1, 0x400(zero)' ebreak
make_asm_elf "$work/polls.elf" 0x800 'lw a0, 0x400(zero)' 'beq a0, zero, 0x800' ebreak
expect "a hart that is slow" 0 -- run "--hart=brisc=$work/slow.elf" "--hart=trisc1=$work/polls.elf" \
    --timing timed --profile "$work/slow.csv"
holds "bounds the run" '"bound by its harts [(]100 % of the critical path[)].*Longest on the path: brisc, ' "$work/slow.csv"
on_path "is on the path" "$work/slow.csv" 95 '^"brisc","critical"'

# A lock: thread 0 has mutex 0 while it does 608 SFPMADs, and thread 2 waits for that, and its hart for thread 2.
mapfile -t pushes < <(
    push s0 'ATGETM 0' 'REPLAY 0, 32, 0, 1' 'SFPMAD 0, 0, 0, 0, 0'
    for _ in {1..31}; do echo 'sw a0, 0(s0)'; done
    push s0 'REPLAY 0, 32, 0, 0'
    for _ in {1..17}; do echo 'sw a0, 0(s0)'; done
    push s0 'ATRELM 0'
)
make_asm_elf "$work/holds.elf" 0 'lui s0, 0xffe40' "${pushes[@]}" ebreak
mapfile -t pushes < <(push s0 'SEMINIT 15, 0, 1' 'ATGETM 0' 'ATRELM 0' 'SEMPOST 1')
make_asm_elf "$work/wants.elf" 0x800 'lui s0, 0xffe40' 'lui s2, 0xffe80' 'addi a0, zero, 30' 'addi a0, a0, -1' \
    'bne a0, zero, 0x80c' "${pushes[@]}" 'lw a1, 0x20(s2)' "beq a1, zero, $((0x800 + 4 * (${#pushes[@]} + 5)))" ebreak
expect "a lock that is held for long" 0 -- run "--hart=brisc=$work/holds.elf" "--hart=trisc2=$work/wants.elf" \
    --timing timed --profile "$work/lock.csv"
on_path "leads to who holds it" "$work/lock.csv" 90 '^"unpack [(]thread 0[)]","critical"'
holds "and it is said who has given it" '^"pack [(]thread 2[)]","waits".*ATGETM.*,"by unpack",' "$work/lock.csv"

# --- Two profiles ---

# the same with 150 turns more, and with 10
make_elf "$work/longer.elf" 0 \
    "0 5 0fa00513 fff50513 fe051ee3 40a02023 ffb127b7 1f07a583 00100073"
make_elf "$work/little.elf" 0 \
    "0 5 06e00513 fff50513 fe051ee3 40a02023 ffb127b7 1f07a583 00100073"
for name in loop longer little; do
    expect "a table of $name" 0 -- run "$work/$name.elf" --profile "$work/$name.csv"
done
holds "its length" '^"all","length","","","",0,"","",20[0-9],1$' "$work/loop.csv"
messages=0 expect "more cycles in a lane" 1 "out:^slower [+]1[0-9]+[.][0-9] % [+]300 cycles .*: brisc busy" \
    "out:^slower [+]1[0-9]+[.][0-9] % [+]300 cycles .*: all length" -- \
    compare --perf "$work/loop.csv" "$work/longer.csv"
expect "little more" 0 'out:^2 points: 0 slower and 0 faster .*; 2 moved by more than 2 % alone' -- \
    compare --perf "$work/loop.csv" "$work/little.csv"
sed -n 's/,[0-9]*$//p' "$work/loop.csv" >"$work/narrow.csv"
expect "a table without a column" 2 'line 2 is no row of a profile' -- \
    compare --perf "$work/loop.csv" <(head -1 "$work/loop.csv"; tail -1 "$work/narrow.csv")

# --- Mistakes ---

expect "a folder that is not there" 2 '--profile: cannot write .*/absent/p: No such file' -- \
    run "$work/loop.elf" --profile "$work/absent/p"
expect "a disk that is full" 2 '--profile: cannot write /dev/full: No space left' -- \
    run "$work/loop.elf" --profile /dev/full
for form in html csv pftrace; do
    ln -s /dev/full "$work/full.$form"
    expect "a disk that is full, for $form" 2 "--profile: cannot write $work/full.$form: No space left" \
        'out:^tile [(]1, 2[)]: done after' -- run "$work/loop.elf" --profile "$work/full.$form"
done
expect "a trace as well" 2 '--trace and --profile do not go together' -- \
    run "$work/loop.elf" --profile "$work/p" "--trace=$work/t"
expect "a profile of no trace" 2 'no trace in binary form' -- \
    trace "$work/loop.elf" --profile "$work/p"
expect "for Perfetto, to a disk that is full" 2 '--perfetto: cannot write /dev/full: No space left' -- \
    trace "$work/t.ptrace" --perfetto /dev/full
expect "of a trace, to a disk that is full" 2 '--profile: cannot write /dev/full' -- \
    trace "$work/t.ptrace" --profile /dev/full
finish
