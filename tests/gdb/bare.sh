#!/bin/bash
# GDB debugs bare programs that `penrose run` runs.
set -uo pipefail
. "${srcdir:?}/tests/gdb/lib.bash"

# --- One hart ---

debug run "$GUESTS/sort_crc.elf" <<'COMMANDS'
info os processes
attach 101021
break main
continue
next
stepi
info registers pc
continue
continue
COMMANDS
told 'a program is debugged from its first instruction to its exit' \
    '^101021 +penrose +101021 +0 +worker +1-2 +brisc +sort_crc.elf +running +1 *$' \
    '^101020 .* all .* 5 *$' '^101025 .* ncrisc +.* in reset +1 *$' \
    '^_start \(\) at .*crt0.S:' '^Breakpoint 1, main \(\) at .*sort_crc.c:[0-9]+' \
    '^pc +0x[0-9a-f]+.*<main\+' 'received signal SIGTRAP' '^_start \(\) at .*crt0.S:45$' 'ebreak: brisc of \(1, 2\)' \
    'Inferior 1 .* exited normally' 'out:done after' 'err:waiting for GDB: target extended-remote'

debug run "$GUESTS/sort_crc.elf" <<'COMMANDS'
attach 101021
detach
COMMANDS
told 'a program goes on when GDB detaches' 'Inferior 1 .*detached' 'out:done after'

rm -f "$socket"
timeout 100 "$PENROSE" run --hart "trisc1=$GUESTS/hello.elf" --gdb "unix:$socket" \
    >"$work/out" 2>"$work/err" </dev/null &
process=$!
wait_for_socket
timeout 100 "$GDB" -nx -batch -ex 'set confirm off' -ex "target remote $socket" -ex 'info threads' -ex 'break main' \
    -ex continue -ex detach "$GUESTS/hello.elf" >"$work/said" 2>&1 </dev/null
wait "$process"
told 'target remote gets the first hart that runs' 'Thread 101023.3 "trisc1 \(1, 2\)"' \
    'Breakpoint 1, main \(\) at .*hello.c' 'out:done after'

debug run "$GUESTS/sort_crc.elf" <<'COMMANDS'
attach 101021
break exit
continue
print $pc
kill
attach 101022
attach 101021
print $pc
run
continue
COMMANDS
told 'the chip stands while another hart is attached to, and run begins again' \
    '^\$1 = .*0x34 <' '^\$2 = .*0x34 <' 'Breakpoint 1, ' 'No more reverse-execution history' 'out:done after'

debug run "$GUESTS/sort_crc.elf" <<'COMMANDS'
attach 101021
monitor break nowhere
monitor break crc_by_bit
monitor break sort_crc.c:1
monitor break sort_crc.c:99999
monitor unbreak sort_crc.c:1
monitor break sort_crc.c:95
monitor break cycle:3
continue
info registers pc
stepi
monitor unbreak crc_by_bit
continue
reverse-continue
monitor break
monitor unbreak
continue
continue
continue
COMMANDS
told 'Penrose finds places of its own, those of inlined functions too' \
    '^nowhere, process 101021: no program that is known in the tile has code of that; ' '^crc_by_bit, process 101021: at [1-9]' \
    '^sort_crc.c:1, .*: at [1-9].* of line [0-9]+, as line 1 has no code of its own$' \
    '^sort_crc.c:99999, .*: no program .* has code of that line, or of a later one of the file; ' \
    '^sort_crc.c:95, process 101021: at [1-9]+ places?$' '^write FUNCTION, FILE:LINE or 0xPC$' \
    '^Breakpoint of Penrose at crc_by_bit: brisc of \(1, 2\)$' \
    '^Breakpoint of Penrose at sort_crc.c:95: brisc' 'out:done after 43142. cycles'

# --- Faults are signals ---

debug run "$GUESTS/fault-load.elf" <<'COMMANDS'
attach 101021
continue
bt
continue
COMMANDS
told 'a fault is a signal, and its report is shown' 'Guest fault unmapped-address' \
    'received signal SIGSEGV' '^#0 ' 'Inferior 1 .* exited with code 01' 'err:guest fault'
debug run "$GUESTS/fault-illegal.elf" <<'COMMANDS'
attach 101021
continue
COMMANDS
told 'an instruction that does not exist is SIGILL' 'received signal SIGILL'
# --- The three Tensix threads ---

triscs=()
for hart in trisc0 trisc1 trisc2; do
    triscs+=(--hart "$hart=$GUESTS/tensix-$hart.elf")
done

debug run "${triscs[@]}" --hart "brisc=$GUESTS/fault-load.elf" <<'COMMANDS'
attach 101022
continue
info inferiors
COMMANDS
told 'a fault of a hart to which GDB is not attached shows that hart' \
    'Thread 2.1 "brisc \(1, 2\)" received signal SIGSEGV' '^\* 2 +process 101021 '

debug run "${triscs[@]}" <<'COMMANDS'
set schedule-multiple on
attach 101022
add-inferior
inferior 2
attach 101023
add-inferior
inferior 3
attach 101024
info threads
inferior 1
break chain_of_t0
continue
print/x $gpr4
stepi
stepi
print/x $gpr4 & 0xffff
monitor tensix step
continue
monitor tile
monitor config-diff
delete
continue
continue
continue
continue
COMMANDS
told 'three harts are three processes, and the coprocessor is seen' \
    'Thread 101022.2 "trisc0 \(1, 2\)"' 'Thread 101024.4 "trisc2 \(1, 2\)"' \
    'Thread 1.1 "trisc0 \(1, 2\)" hit Breakpoint 1, chain_of_t0' \
    '^=> 0x[0-9a-f]+:.*ttinsn SETDMAREG 0, 1, 0, 8$' '^\$1 = 0x0$' '^\$2 = 0x1$' \
    'Tensix instruction: of thread 0 of \(1, 2\), pushed at pc 0x' \
    'trisc1 +running' 'T1: LOADIND .* waits: ' 'nothing has changed' \
    'Inferior 1 .* exited normally' 'out:done after'

debug run "${triscs[@]}" <<COMMANDS
attach 101020
add-symbol-file $GUESTS/tensix-trisc2.elf
info threads
thread 4
break chain_of_t2
continue
info threads
detach
COMMANDS
told 'all harts of a tile are threads of one process' \
    'Thread 101020.1 "brisc \(1, 2\)" \(in reset\)' 'Thread 101020.5 "ncrisc \(1, 2\)"' \
    'Thread 4 "trisc2 \(1, 2\)" hit Breakpoint 1, chain_of_t2' 'out:done after'

# --- Back ---

debug run "$GUESTS/sort_crc.elf" <<'COMMANDS'
attach 101021
break main
break exit
continue
continue
monitor last-writer 0x8038
monitor last-writer 17,12:0x1000
monitor last-writer 17,12
watch *(int *)0x8038
reverse-continue
delete 3
reverse-stepi
reverse-continue
info registers pc
python
try:
    gdb.execute("set $a0 = 1")
except gdb.error as error:
    print(error)
end
reverse-continue
continue
continue
continue
continue
COMMANDS
told 'time runs backwards, to the last writer and to the beginning, and forward again' \
    '^brisc of \(1, 2\) wrote 4 bytes at 0x00008038, at pc 0x' '^  in main.*sort_crc.c:' \
    '^nobody has written there since' '^usage: monitor last-writer \[X,Y:\]ADDRESS \[BYTES\] ' '^Hardware watchpoint 3: ' 'Watched: brisc of' '^Old value' '^pc +0x3c' \
    'Could not write register' 'No more reverse-execution history' 'out:done after 43142. cycles'

# --- Beside others who look ---

debug run "$GUESTS/sort_crc.elf" --show-at main --show-at exit --show gprs <<'COMMANDS'
attach 101021
break main
continue
info registers pc
continue
continue
COMMANDS
told '--show-at of the place of a breakpoint, and of another one, is shown there and then' \
    '^Breakpoint 1, main' '^pc +0x3c' 'out:^  brisc is running, pc 0x0000003c' \
    'out:^  brisc is running, pc 0x00000034' 'received signal SIGTRAP' 'Inferior 1 .* exited normally'

debug run "$GUESTS/sort_crc.elf" --dump-at main:1 --dump-at cycle:20000 --dump-state "$work/dump" <<'COMMANDS'
attach 101021
break main
continue
stepi
reverse-stepi
reverse-continue
delete
continue
continue
COMMANDS
"$PENROSE" run "$GUESTS/sort_crc.elf" --dump-at main:1 --dump-at cycle:20000 --dump-state "$work/alone" >/dev/null 2>&1
for dump in 1 2; do
    "$PENROSE" compare "$work/alone/$dump" "$work/dump/$dump" 2>&1 | sed "s/^/dump $dump: /" >>"$work/said"
done
told '--dump-at writes the dumps that it writes without GDB' '^dump 1: the same: ' '^dump 2: the same: ' \
    'out:/2: dump at cycle:20000' 'Breakpoint 1, main'

debug run "$GUESTS/hello.elf" "--trace=$work/debugged.txt" <<'COMMANDS'
attach 101021
break main
continue
stepi
stepi
reverse-stepi
next
delete
continue
continue
COMMANDS
"$PENROSE" run "$GUESTS/hello.elf" "--trace=$work/alone.txt" >/dev/null 2>&1
diff "$work/alone.txt" "$work/debugged.txt" >>"$work/said" && echo 'the same trace' >>"$work/said"
told '--trace has each instruction once, and none of a past' '^the same trace$' 'Breakpoint 1, main'

# --- A client that goes ---

rm -f "$socket"
timeout 100 "$PENROSE" run "$GUESTS/sort_crc.elf" --gdb "unix:$socket" >"$work/out" 2>"$work/err" &
process=$!
wait_for_socket
python3 - "$socket" <<'PYTHON' >"$work/said" 2>&1
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
client.sendall(b"$!#21$vAttach;18a9d#5a$Z0,3c,4#f5$m100,")  # and it dies
client.close()
print("gone")
PYTHON
wait "$process"
told 'the run goes on when the client dies in the middle of a packet' gone 'out:done after'

# --- Wrong use ---

for address in nonsense 99999 unix:; do
    "$PENROSE" run "$GUESTS/hello.elf" --gdb "$address" >"$work/out" 2>"$work/err" </dev/null
    echo "exit $?" >"$work/said"
    told "--gdb $address is refused" '^exit 2$' 'err:--gdb: .* address for GDB'
done

finish
