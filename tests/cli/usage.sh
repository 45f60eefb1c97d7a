#!/bin/bash
# Commands, options and their values: help, and an answer to every mistake.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# --- Help ---

expect "help" 0 'out:^Usage: penrose COMMAND' 'out:boot' 'out:run' 'out:disasm' 'out:info' \
    'out:3 cycle limit, 4 deadlock' -- help
expect "--help" 0 'out:^Usage: penrose COMMAND' -- --help
for words in "--help" "-h" "help"; do
    expect "help $words" 0 'out:^Usage: penrose COMMAND' -- help "$words"
done
expect "--version" 0 'out:^penrose [0-9]+\.[0-9]+' -- --version
commands=$("$PENROSE" help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx help)
[ "$(wc -w <<<"$commands")" -ge 14 ]
report "help lists the commands" "$([ $? -eq 0 ] || echo "only $commands")"
for command in $commands; do
    expect "$command --help" 0 "out:^Usage: penrose $command" 'out:^Examples?:' \
        "out:^  penrose (.*penrose )?$command" 'out:[Ee]xit code' -- "$command" --help
    expect "help $command" 0 "out:^Usage: penrose $command" -- help "$command"
done
messages=0 expect "no command" 2 'Usage: penrose COMMAND' --

# --- Commands and options that do not exist ---

expect "unknown command" 2 "no command 'rnu'.*did you mean 'run'" -- rnu
expect "far-off command" 2 "no command 'xyzzy'.*'penrose help'" -- xyzzy
expect "option before the command" 2 "no option '--tile'" -- --tile 1,2
expect "help of an unknown command" 2 "did you mean 'boot'" -- help bot
expect "unknown option" 2 'no option --max-cyles; did you mean --max-cycles\?' \
    'penrose run --help' -- run --max-cyles 3
expect "far-off option" 2 'no option --qqq ' -- run --qqq x
expect "unknown short option" 2 'no option -z' -- info -z
expect "ambiguous option" 2 '--t can mean several options' -- run --t 1,2
expect "option without its value" 2 '--max-cycles needs a value' -- run x.elf --max-cycles
expect "value for a switch" 2 '--json takes no value' -- run x.elf --json=yes
expect "error as JSON" 2 'did you mean --json' 'out:"exit_status": 2' 'out:"error": ".*--jsonn' \
    'out:"command": "run"' -- run --jsonn --json
expect "error without a command as JSON" 2 'out:"exit_status": 2' -- rnu --json
report "has none" "$(grep '"command"' "$work/out")"

# --- Values ---

expect "no program" 2 'name a program' -- run
expect "no firmware folder" 2 'name a firmware folder' -- boot
expect "nothing to disassemble" 2 'name a program' -- disasm
expect "nothing to tell of" 2 'name a program' -- info
expect "two folders" 2 "what is 'b'" -- boot a b
expect "max-cycles: no number" 2 "--max-cycles: 'many' is not a number" -- run x.elf --max-cycles many
expect "max-cycles: negative" 2 "not a number" -- run x.elf --max-cycles=-5
expect "max-cycles: none" 2 "at least one cycle" -- run x.elf --max-cycles 0
expect "max-cycles: too large" 2 "too large" -- run x.elf --max-cycles 99999999999999999999G
expect "schedule" 2 "no schedule; choose fast, lockstep or random:SEED" -- run x.elf --schedule slow
expect "stochastic" 2 "no way to round; choose random or nearest" -- run x.elf --stochastic up
expect "timing" 2 "no timing; choose functional or timed" -- run x.elf --timing slow
expect "schedule without seed" 2 "no schedule; choose fast" -- run x.elf --schedule random:
expect "tile: text" 2 "write X,Y" -- run x.elf --tile here
expect "tile: not a worker" 2 "no worker tile at 8,3; the first is at 1,2 and the last at 16,11" -- run x.elf --tile 8,3
expect "tile: two for run" 2 "one tile" -- run x.elf --tile 1,2 --tile 2,2
expect "units: of what" 2 "for programs that a description names" -- run x.elf --units
expect "tiles: none" 2 "at least one tile" -- boot x --tiles 0
expect "tiles: too many" 2 "too large, the largest is 140" -- boot x --tiles 141
expect "policy: form" 2 "write KIND=stop" -- run x.elf --policy unmapped-address
expect "policy: kind" 2 "no fault kind 'unmaped-address'; did you mean unmapped-address" -- \
    run x.elf --policy unmaped-address=warn
expect "policy: action" 2 "no policy" -- run x.elf --policy unmapped-address=shout
expect "hart: name" 2 "no hart 'trisc3'; did you mean trisc" -- run --hart trisc3=x.elf
expect "hart: form" 2 "has no program" -- run --hart brisc
expect "hart: two programs" 2 "brisc has two programs, y.elf and x.elf \(see" -- \
    run x.elf --hart brisc=y.elf
for hint in "run x.elf" "run x.json" "boot x"; do
    # shellcheck disable=SC2086
    expect "$hint --trace FILE" 2 "a file for the trace is written --trace=FILE" -- \
        $hint --trace t.txt
done
expect "dump: form" 2 "write ADDRESS,BYTES" -- run x.elf --dump 0x8000
expect "dump: nothing" 2 "write ADDRESS,BYTES" -- run x.elf --dump 0x8000,0
expect "poke: form" 2 "write ADDRESS=VALUE" -- run x.elf --poke 0x8000
expect "poke: between words" 2 "no multiple of 4" -- run x.elf --poke 0x8001=1
expect "poke: too large" 2 "too large" -- run x.elf --poke 0x8000=0x100000000
expect "cb: form" 2 "ID,ADDRESS,PAGES,PAGE_SIZE" -- run --firmware x --cb 0,0x40000,2
expect "arg: no hart" 2 "names no hart" -- run --firmware x --arg 5
expect "noc" 2 "too large, the largest is 1" -- run --firmware x --noc 2
expect "kernels without firmware" 2 "add --firmware DIR" -- run --kernel brisc=k.elf
expect "firmware without kernels" 2 "add --kernel" -- run --firmware x
expect "arguments without kernels" 2 "need kernels" -- boot x --arg brisc=1
expect "bare programs and firmware" 2 "exclude each other" -- run x.elf --firmware y
mkdir "$work/empty"
expect "folder without kernels" 2 "has none of brisc.elf" -- boot x --kernels "$work/empty"

# --- Scripts ---

if [ -d "${srcdir:-.}/scripts" ]; then
    for script in "fetch-firmware --offline" "link-kernels from to"; do
        # shellcheck disable=SC2086
        env -i PATH="$PATH" "${srcdir:-.}/scripts/"$script >"$work/out" 2>"$work/err"
        status=$?
        report "scripts/$script without a home" "$([ $status -eq 1 ] &&
            grep -q 'set PENROSE_CACHE, or HOME' "$work/err" || echo "exit code $status")"
    done
    mkdir -p "$work/cache/ttnn-0.81.1" && touch "$work/cache/ttnn-0.81.1/complete"
    for place in "PENROSE_CACHE=$work/cache" "XDG_CACHE_HOME=$work"; do
        [ "${place%%=*}" = PENROSE_CACHE ] || ln -sfn cache "$work/penrose"
        env -i PATH="$PATH" "$place" "${srcdir:-.}/scripts/fetch-firmware" --offline \
            >"$work/out" 2>"$work/err"
        report "scripts/fetch-firmware with ${place%%=*} only" \
            "$(grep -q '/ttnn-[0-9.]*/pre-compiled$' "$work/out" || echo "the cache is not found")"
    done
fi

# --- The manual ---

if [ -f "${srcdir:-.}/man/penrose.1" ]; then
    missing=
    for kind in $(grep -oE 'PENROSE_FAULT_KIND\([A-Z0-9_]+, "[^"]+"' \
        "${srcdir:-.}/include/penrose/fault_kinds.h" | cut -d'"' -f2); do
        grep -q "^\.It Cm $kind\$" "${srcdir:-.}/man/penrose.1" || missing+=" $kind"
    done
    report "the manual has every kind of fault" "${missing:+without$missing}"
    missing=
    for option in $(for command in $commands; do
        "$PENROSE" "$command" --help
    done | grep -oE '^ +(-h, )?--[a-z-]+' | grep -oE '[a-z][a-z-]+' | sort -u); do
        grep -q -- "Fl -$option" "${srcdir:-.}/man/penrose.1" || missing+=" --$option"
    done
    report "the manual has every option" "${missing:+without$missing}"
    missing=
    for variable in $(grep -rhoE '"PENROSE_[A-Z_]+"' "$srcdir/src" --include='*.[ch]' | tr -d '"' | sort -u); do
        for page in man docs/MIGRATING.md; do
            grep -rqE "(\.It Ev .*|\`)$variable\b" "$srcdir/$page" || missing+=" $page: $variable"
        done
    done
    report "manual and MIGRATING have every variable" "${missing:+without$missing}"
fi

# --- Results that cannot be written ---

if [ -w /dev/full ]; then
    "$PENROSE" help >/dev/full 2>"$work/err"
    report "a full disk" "$([ $? -eq 2 ] && grep -q 'cannot write' "$work/err" || echo "not noticed")"
fi

for command in run boot info asm disasm state trace replay waits; do
    expect "$command of an unknown kind of chip" 2 \
        "--arch: there is no chip 'blakhole'; did you mean blackhole\\? Known: blackhole" -- "$command" --arch blakhole x
done
expect "a kind of chip that is nothing like one" 2 "--arch: there is no chip 'x'; known: blackhole" -- info --arch=x y
finish
