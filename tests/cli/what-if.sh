#!/bin/bash
# `penrose what-if`, and --cost of run: a program that is bound by the Vector Unit, and only by that.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# brisc stores REPLAY 0, 32, 0, 1 and 32 times SFPMAD 0, 0, 0, 0, 0 to 0xffe50000, then 100 times
# REPLAY 0, 32, 0, 0. Each SFPMAD waits for the one before it, for two cycles. Some are left in queues when
# brisc is done, and a warning says so.
pushes=$(printf ' 00b42023%.0s' {1..32})
make_elf "$work/chain.elf" 0 "0 5 ffe50437 04000537 20150513 00a42023 840005b7 00058593$pushes \
    04000637 20060613 06400693 00c42023 fff68693 fe069ce3 00100073"

messages=1 expect "what bounds it" 0 'out:^ +5[0-9]{3} cycles$' \
    'out:^ +2[0-9]{3} cycles +-[45][0-9][.][0-9] %  math=free$' \
    'out:^The program is bound by math: with that for nothing it takes [45][0-9] % of its cycles[.]$' -- \
    what-if -- run "$work/chain.elf"
report "nothing else does" "$(grep -cE ' cycles +[+]0.0 %  (unpack|pack|noc|dram)=free$' "$work/out" | grep -vx 4)"
messages=1 expect "one unit" 0 'out:bound by vector=free: with that' -- what-if --free vector -- run "$work/chain.elf"
messages=1 expect "rows" 0 'out:^None of these bounds' 'out:  vector-drain=1,push=1$' -- \
    what-if --set vector-drain=1,push=1 --set noc=2x -- run "$work/chain.elf"
messages=1 expect "bandwidth and latency" 0 'out:  dram[.]bandwidth=2x$' -- \
    what-if --set dram.bandwidth=2x --set noc.latency=free,vector.drain=1 -- run "$work/chain.elf"
messages=1 expect "as JSON" 0 'out:"change": "noc=2x"' 'out:"bound": "None of' -- \
    what-if --set noc=2x --json -- run "$work/chain.elf"
expect "a run with another cost" 0 -- run "$work/chain.elf" --timing timed --cost push=4 --cost vector=free
report "is faster" "$(grep -E ' after 2[0-9]{3} cycles' "$work/out" >"$work/none" || cat "$work/out")"

# Names of the list are names of costs.
messages=0 expect "a list" 0 'out:^  push +4 cycles$' 'out:^  dram-bank-bytes +[0-9]+ in a cycle$' \
    'out:^  vector +a unit, which can only be free$' -- what-if --list
changes=$(sed -nE 's/^  ([a-z0-9-]+) .*(cycles|in a cycle)$/--cost=\1=2x/p; s/^  ([a-z]+) .*a unit.*/--cost=\1=free/p' "$work/out")
# shellcheck disable=SC2086
messages=0 expect "all of it" 0 -- run "$work/chain.elf" --timing timed $changes
messages=0 expect "guesses" 0 'out:^  guesses +all costs that have no source' -- what-if --list
messages=1 expect "without guesses" 0 'out: cycles .*%  guesses=free$' -- what-if --free guesses -- run "$work/chain.elf"
for cost in 2x 1048576; do # the number is that of what is free
    expect "guesses at $cost" 2 'guesses can only be free' -- run "$work/chain.elf" --timing timed --cost guesses=$cost
done

# With a byte a cycle reads take longer.
make_reads_elf "$work/reads.elf"
cycles_with() {
    "$PENROSE" run "$work/reads.elf" --timing timed "$@" | sed -n 's/.* after \([0-9]*\) cycles.*/\1/p'
}
slow=$(cycles_with) latency=$(cycles_with --cost dram.latency=free) rate=$(cycles_with --cost dram.bandwidth=1)
report "a name ends in latency or bandwidth" "$( ((latency < slow - 1000 && rate > slow + 1000)) || echo "$slow cycles, $latency and $rate")"

# A command of exec launches its programs once.
messages=2 expect "a command that launches nothing" 2 'the command has launched no kernels' -- what-if -- exec -- true
messages=2 expect "a command that fails" 2 'the command ended with 3' -- what-if -- exec -- sh -c 'exit 3'

# --- Mistakes ---

expect "costs of a functional run" 2 '--cost is for timed runs; add --timing timed' -- \
    run "$work/chain.elf" --cost vector=free
expect "no such cost" 2 "no cost and no unit is called 'vectors'" -- run "$work/chain.elf" --timing timed --cost vectors=free
expect "no value" 2 "'noc' is not NAME=VALUE" -- run "$work/chain.elf" --timing timed --cost noc
expect "not a number" 2 "'push=x' is not NAME=VALUE" -- run "$work/chain.elf" --timing timed --cost push=x
expect "no bandwidth" 2 "no cost and no unit is called 'push.bandwidth'" -- \
    run "$work/chain.elf" --timing timed --cost push.bandwidth=2x
expect "nothing" 2 "'push=0' is not NAME=VALUE" -- run "$work/chain.elf" --timing timed --cost push=0
expect "a number for several" 2 "'noc' is several costs" -- run "$work/chain.elf" --timing timed --cost noc=3
expect "a unit twice as fast" 2 "a unit as 'vector' can only be free" -- run "$work/chain.elf" --timing timed --cost vector=2x
expect "too many" 2 'costs of more than' -- run "$work/chain.elf" --timing timed --cost "noc=$(printf '1%.0s' {1..600})"
expect "what-if of no command" 2 'name a command that runs a program' -- what-if
expect "of another command" 2 'name a command that runs a program' -- what-if -- info "$work/chain.elf"
expect "without --" 2 'put -- before the command' -- what-if run "$work/chain.elf"
expect "of a wrong cost" 2 "no cost and no unit is called 'none'; 'penrose what-if --list' names them" -- \
    what-if --free none -- run "$work/absent.elf"
messages=2 expect "of a program that is not there" 2 'the run without a change ended with 2' -- \
    what-if -- run "$work/absent.elf"
finish
