#!/bin/bash
# GDB debugs five harts of three tiles under a host program, which notices nothing.
set -uo pipefail
. "${srcdir:?}/tests/gdb/lib.bash"

host=$builddir/tests/gdb/host
library=$builddir/.libs/libttsim.so
. "$srcdir/tests/gdb/build.bash"

# debug_host [OPTION]: the host program with GDB, whose commands come from stdin. With an option it
# waits for the end of GDB.
debug_host() {
    rm -f "$socket" "$work/stop"
    PENROSE_GDB=unix:$socket${1:-} PENROSE_SUMMARY=$work/summary PENROSE_THREADS=1 timeout 100 "$host" "$library" "$work" \
        ${1:+wait} >"$work/out" 2>"$work/err" </dev/null &
    local process=$!
    wait_for_socket
    gdb_exit=0 exit=0
    run_gdb "$work/said" || gdb_exit=$?
    touch "$work/stop"
    wait "$process" || exit=$?
}

"$host" "$library" "$work" >"$work/alone" 2>&1 || { echo "the host program fails alone:"; cat "$work/alone"; exit 1; }

# same_as_alone NAME: the host saw what it sees without GDB.
same_as_alone() {
    cp "$work/alone" "$work/said"
    told "$1" "$(cat "$work/out")"
}

# --- Five harts ---

debug_host <<COMMANDS
set schedule-multiple on
attach 101021
symbol-file $work/brisc-1-2.elf
add-inferior
inferior 2
attach 101023
symbol-file $work/trisc1-1-2.elf
add-inferior
inferior 3
attach 102021
symbol-file $work/brisc-2-2.elf
add-inferior
inferior 4
attach 103021
symbol-file $work/brisc-3-2.elf
add-inferior
inferior 5
attach 103022
symbol-file $work/trisc0-3-2.elf
info os processes
info inferiors
inferior 2
break feed
continue
step
info registers pc
next
next
next
next
print \$cfg_DEST_TARGET_REG_CFG_MATH_Offset
print \$lreg3.f[0]
print \$lreg5.f[31]
print/x \$gpr4
info registers config
monitor lreg 3
monitor gpr 4
delete
inferior 1
break visit if turn == 50
continue
print turn
delete
watch *(int *)0x9100
continue
delete
inferior 1
detach
inferior 2
detach
inferior 3
detach
inferior 4
detach
inferior 5
detach
COMMANDS
told 'five harts of three tiles are debugged at once' \
    '^101023 .* 1-2 +trisc1' '^103022 .* 3-2 +trisc0' \
    '^. 5 +process 103022' 'hit Breakpoint 1, .*feed' \
    'hit Breakpoint 2, .*visit \(turn=(turn@entry=)?50\)' '= 50$'
told 'registers of the coprocessor have names' \
    '^\$1 = 64$' '^\$2 = 1.5$' '^\$3 = -2$' '^\$4 = 0x(5678)?1234$' \
    '^cfg_DEST_TARGET_REG_CFG_MATH_Offset.*0x40' '^lreg3\[ 0\] 1.5 ' '^  integers 1069547520 ' \
    '^gpr4  0x(5678|0000)1234 \((1450709556|4660), [0-9.]+e[-+][0-9]+\)$'
told 'a watchpoint names the tile whose packet wrote' \
    'Watched: noc of \(1, 2\) wrote 4 bytes at 0x00009100, a packet of \(2, 2\)' \
    'Hardware watchpoint 3: \*\(int \*\)0x9100'
same_as_alone 'the host notices nothing'
cp "$work/summary" "$work/said"
told 'to wait for GDB is no warning' '"warnings": 0,'

# --- Conditions in the agent ---

debug_host <<COMMANDS
attach 101021
symbol-file $work/brisc-1-2.elf
python import time; start = time.time()
break visit if turn == 99999
continue
python print("seconds %.2f" % (time.time() - start))
print turn
print visit(300)
reverse-stepi
python
try:
    gdb.execute("print visit(301)")
except gdb.error as error:
    print("refused:", error)
end
detach
COMMANDS
told 'a condition is met after 100,000 hits' '= 99999$' '^seconds [0-4]\.'
told 'a function is called, but not in a past' '= 44$' '^refused: ' '!= 45$'
same_as_alone 'the host notices nothing of that'

# --- Harts that halt themselves ---

debug_host <<COMMANDS
attach 103021
symbol-file $work/brisc-3-2.elf
set variable *(int *)0x9300 = 1
continue
echo first\\n
set variable *(int *)0x9300 = 1
continue
echo second\\n
break *0
set variable *(int *)0x9300 = 1
continue
delete
stepi
print *(int *)0x9300
detach
COMMANDS
told 'a hart stops at its ebreak, and continue goes on behind it, with breakpoints or without' \
    '^brisc of \(3, 2\) is paused, by an ebreak' '^first$' '^second$' \
    "^ebreak: brisc of \\(3, 2\\) at pc 0x.*'continue' lets it go on" '^\$1 = 0$'
same_as_alone 'the host notices nothing of an ebreak'

# --- Symbols of what the host has written ---

debug_host <<COMMANDS
attach 101021
monitor symbols $work
set breakpoint pending on
break visit if turn == 7
continue
info sharedlibrary
monitor tile
detach
COMMANDS
told 'programs of the host are found by their code' '^[0-9]+ programs are known' \
    '^\(1, 2\): .*/brisc-1-2.elf$' 'visit \(turn=(turn@entry=)?7\)' '^0x.* Yes .*brisc-1-2.elf' \
    'trisc1 +running .* (_start|feed|main)'

# --- Back, under a host ---

debug_host <<COMMANDS
attach 101021
symbol-file $work/brisc-1-2.elf
break visit if turn == 5000
continue
monitor last-writer 0x9100
stepi
reverse-stepi
info registers pc
delete
break visit if turn == 4998
reverse-continue
print turn
watch *(int *)0x9100
reverse-continue
delete
continue
detach
COMMANDS
told 'time runs backwards under a host program' 'visit \(turn=(turn@entry=)?5000\)' \
    '^noc of \(1, 2\) wrote 4 bytes at 0x00009100, a packet of \(2, 2\)' \
    'visit \(turn=(turn@entry=)?4998\)' '= 4998$' 'Watched: noc of \(1, 2\) wrote' \
    'No more reverse-execution history'
same_as_alone 'the host notices nothing of that either'

# --- A client that comes later, a second one, one that leaves ---

debug_host ,nowait <<COMMANDS
attach 101021
info registers pc
disconnect
COMMANDS
told 'a client may come at any time' '^pc +0x'
same_as_alone 'a client may come and go while the host runs'

debug_host <<COMMANDS
attach 101021
shell $GDB -nx -batch -ex 'set remotetimeout 10' -ex 'target extended-remote $socket' 2>&1 | head -5
info registers pc
detach
COMMANDS
told 'a second client is told that there is one' 'Penrose serves another GDB already' '^pc +0x'
same_as_alone 'and the host notices nothing'

# --- Several chips of one library ---

PENROSE_CARD=p300 debug_host <<COMMANDS
set schedule-multiple on
attach 101021
symbol-file $work/brisc-1-2.elf
add-inferior
inferior 2
attach 201021
set variable *(int *)0x9400 = 77
print *(int *)0x9400
info threads
inferior 1
print *(int *)0x9400
info os processes
break visit if turn == 50
continue
monitor tile
reverse-stepi
break visit if turn == 48
reverse-continue
inferior 2
print *(int *)0x9400
monitor last-writer 0x9400
inferior 1
delete
continue
detach
inferior 2
detach
COMMANDS
told 'all chips are debugged by one server' '^[0-9]+ .* chip 1 brisc \(1, 2\)|"chip 1 brisc \(1, 2\)"' '^\$1 = 77$' \
    '^\$2 = 0$' '^201021 .* 1 .* 1-2 +brisc' 'visit \(turn=(turn@entry=)?50\)' '^chip 0 tile \(1, 2\), cycle' \
    'visit \(turn=(turn@entry=)?48\)' '^\$3 = 77$' '^nobody has written there since'
same_as_alone 'the host notices nothing of two chips'

# --- Several libraries ---

# two_chips ADDRESS: the host program with a second chip, until $work/stop is there.
two_chips() {
    rm -f "$work/stop"
    cp "$library" "$work/other.so"
    PENROSE_GDB=$1 PENROSE_THREADS=1 timeout 100 "$host" "$library" "$work" wait "$work/other.so" \
        >"$work/out" 2>"$work/err" </dev/null &
    process=$!
    for _ in $(seq 200); do
        [ "$(grep -c 'GDB' "$work/err")" -lt 2 ] || break
        sleep 0.05
    done
}

two_chips 0,nowait
for port in $(sed -n 's/.*target extended-remote 127.0.0.1:\([0-9]*\)$/\1/p' "$work/err"); do
    timeout 60 "$GDB" -nx -batch -ex 'set remotetimeout 20' -ex "target extended-remote :$port" -ex 'attach 101021' \
        -ex 'print *(int *)0x9000' -ex detach 2>&1 </dev/null
done >"$work/said"
touch "$work/stop"
wait "$process"
told 'each chip has a server of its own, at a free port' '^\$1 = 1$' '^\$1 = 85$'

two_chips "unix:$socket,nowait"
touch "$work/stop"
wait "$process"
told 'a second chip at the same address says so' 'err:PENROSE_GDB: .*in use \(by another chip or process'

finish
