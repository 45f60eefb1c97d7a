#!/bin/bash
# The way of working with GDB that tt-exalens documents, twice with the same commands: on the GDB
# server of tt-exalens, which uses the debug hardware of the harts, and on ours.
#
#   exalens-gdb.sh [LIBRARY]
#
# Each time tt-exalens is the host, and has started a program that halts itself by ebreak. Exit code
# 77 where it cannot run: as exalens.sh, or without gdb-multiarch.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"

GDB=${GDB:-gdb-multiarch}
command -v "$GDB" >/dev/null || skip "no $GDB"
compiler=${RISCV_CC:-riscv64-unknown-elf-gcc}
command -v "$compiler" >/dev/null || skip "no RISC-V cross compiler ($compiler)"
library=$(client_library "$@")
penrose=${PROGRAM:-${builddir:-.}/penrose}
[ -x "$penrose" ] || skip "no program $penrose, which prints the SoC descriptor (set PROGRAM)"
venv=$(client_venv exalens 3.11 tt-exalens==0.4.2)

work=$(mktemp -d)
host=
trap 'exec 3>&-; [ -z "$host" ] || kill "$host" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
"$penrose" info --soc-descriptor unharvested >"$work/soc_descriptor.yaml"
device=$(client_device "$library" "$work/soc_descriptor.yaml" "$work/device")
"$compiler" -march=rv32im -mabi=ilp32 -O1 -g -ffreestanding -nostdlib -fno-optimize-sibling-calls \
    -Wl,--build-id=none,--no-warn-rwx-segments,--defsym=TEXT_BASE=0x8000 \
    -T "$here/exalens/debuggee.ld" -o "$work/debuggee.elf" "$here/exalens/debuggee.c"
export PENROSE_CARD=unharvested # tt-exalens sees the whole die, whatever the card

# start_host: tt-exalens, which reads commands from descriptor 3.
start_host() {
    rm -f "$work/commands"
    mkfifo "$work/commands"
    timeout 100 "$venv/bin/tt-exalens" -s "$device" <"$work/commands" >"$work/host" 2>&1 &
    host=$!
    exec 3>"$work/commands"
    echo "run-elf $work/debuggee.elf -r brisc -l 1-2" >&3
}

# end_host: it ends as if nothing had been.
end_host() {
    echo "exit" >&3
    exec 3>&-
    wait "$host" || {
        echo "FAILED: tt-exalens ended with exit code $?"
        cat "$work/host"
        exit 1
    }
    host=
}

# await COMMAND...: until it holds.
await() {
    for _ in $(seq 300); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "FAILED: in vain: $*"
    cat "$work/host"
    exit 1
}

# session NAME: GDB at the socket $work/gdb.
session() {
    cat >"$work/script" <<COMMANDS
set pagination off
set confirm off
set remotetimeout 20
target extended-remote $work/gdb
python
listing = gdb.execute("info os processes", to_string=True)
print(listing)
names = listing.splitlines()[0].split()
print("columns:", *names[:8])
brisc = [line for line in listing.splitlines() if " 1-2 " in line and " brisc " in line][0]
gdb.execute("attach " + brisc.split()[0])
end
add-symbol-file $work/debuggee.elf
bt
info registers ra
print/x debuggee_state.magic
x/2xw 0x20000
set variable *(unsigned *)0x20100 = 0x1234
print/x *(unsigned *)0x20100
break tick
continue
bt
delete
stepi
stepi
next
next
next
next
info registers pc
print i
watch debuggee_state.ticks
continue
continue
delete
rwatch *(unsigned *)0x2000c
continue
continue
delete
detach
COMMANDS
    timeout 60 "$GDB" -nx -batch -x "$work/script" >"$work/said" 2>&1 </dev/null || {
        echo "FAILED: GDB ended with exit code $?"
        cat "$work/said"
        exit 1
    }
    local pattern
    for pattern in '^columns: pid user cores device core_type core_location risc command$' \
        '^#0 +(0x[0-9a-f]+ in )?innermost \(.*debuggee.c:40$' \
        '^#1 +0x[0-9a-f]+ in middle \(depth=.*debuggee.c:47$' \
        '^#4 .* in outermost .*debuggee.c:54$' '^#5 .* in main \(\) at .*debuggee.c:71$' \
        '^ra +0x[0-9a-f]+.*<middle\+[0-9]+>$' '^\$1 = 0xfacade01$' \
        '^0x20000:.*0x00000122.*0x00000000$' '^\$2 = 0x1234$' \
        '^#0 .*tick \(i=(i@entry=)?1\) at .*debuggee.c:[0-9]+$' '^#1 .* main \(\) at .*debuggee.c:73$' \
        '^pc +0x[0-9a-f]+.*<(tick|main)\+[0-9]+>$' '^\$3 = [12]$' \
        '^Hardware watchpoint [0-9]+: debuggee_state.ticks$' '^New value = [2-9]$' \
        '^Hardware read watchpoint [0-9]+: \*\(unsigned \*\)0x2000c$' '^Value = [0-9]+$' \
        '^\[Inferior 1 \(process [0-9]+\) detached\]$'; do
        grep -qE -- "$pattern" "$work/said" || {
            echo "FAILED: $1: GDB has not said /$pattern/:"
            cat "$work/said"
            exit 1
        }
    done
    echo "ok: $1"
}

# --- tt-exalens' server ---

start_host
echo "gdb start" >&3
await grep -qE 'gdb:[0-9]+' "$work/host"
"$venv/bin/python" "$here/exalens/relay.py" "$(sed -n 's/.*gdb:\([0-9]*\).*/\1/p' "$work/host" | tail -1)" "$work/gdb" &
await test -S "$work/gdb"
session "GDB on the server of tt-exalens"
echo "gdb stop" >&3
end_host
rm -f "$work/gdb"

# --- Ours, while tt-exalens looks at the program again and again, so that time passes ---

export PENROSE_GDB=unix:$work/gdb,nowait
start_host
echo "brxy 1-2 0x20000" >&3
await grep -q 00000122 "$work/host" # it has halted
while kill -0 "$host" 2>/dev/null && [ ! -e "$work/done" ]; do
    echo "brxy 1-2 0x20004" >&3
    sleep 0.05
done &
looker=$!
session "the same commands on the server of the library"
touch "$work/done"
wait "$looker"
end_host
