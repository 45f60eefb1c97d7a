#!/bin/bash
# GDB debugs the harts of a recorded host program without it, at any moment of the recording.
set -uo pipefail
. "${srcdir:?}/tests/gdb/lib.bash"
. "$srcdir/tests/gdb/build.bash"

PENROSE_RECORD=$work/host.rec PENROSE_THREADS=1 "$builddir/tests/gdb/host" "$builddir/.libs/libttsim.so" "$work" \
    >"$work/out" 2>"$work/err" || { echo "the host program fails:"; cat "$work/err"; exit 1; }

debug replay "$work/host.rec" <<COMMANDS
attach 101021
symbol-file $work/brisc-1-2.elf
print *(int *)0x9000
break visit if turn == 5000
reverse-continue
reverse-stepi
reverse-continue
break visit if turn == 7
continue
monitor last-writer 0x9100
watch *(int *)0x9100
continue
python
for change in "set \$a0 = 1", "set var *(int *)0x9000 = 0":
    try:
        gdb.execute(change)
    except gdb.error as error:
        print(error)
end
delete
continue
continue
COMMANDS
told 'a recording is debugged from its end to its beginning and forward again' '^\$1 = 1$' \
    'Breakpoint 1, visit \(turn=(turn@entry=)?5000\)' 'No more reverse-execution history' \
    'Breakpoint 2, visit \(turn=(turn@entry=)?7\)' 'Watched: noc of \(1, 2\) wrote 4 bytes' \
    'Could not write register' 'Cannot access memory at address 0x9000' \
    'Inferior 1 .* exited normally' 'out:host.rec: the same: ' 'err:waiting for GDB: '
[ "$exit" -eq 0 ] || { echo "FAIL: exit code $exit"; failures=$((failures + 1)); }

debug replay "$work/host.rec" <<COMMANDS
attach 101021
print \$pc
set var *(int *)0x9000 = 0
COMMANDS
told 'nothing is changed at the end either' 'Cannot access memory at address 0x9000' 'out:the same: '

debug replay "$work/host.rec" <<COMMANDS
set breakpoint pending on
attach 101021
monitor symbols $work
break visit if turn == 99
reverse-continue
reverse-continue
info sharedlibrary
detach
COMMANDS
told 'programs of the recorded host are found by their code' '^\(1, 2\): .*/brisc-1-2.elf$' \
    'Breakpoint 1, .*visit \(turn=(turn@entry=)?99\)' '^0x.* Yes .*brisc-1-2.elf' 'Inferior 1 .*detached'

"$PENROSE" replay "$work/host.rec" --gdb 1234 --free >"$work/out" 2>"$work/err"
echo "exit $?" >"$work/said"
told '--gdb and time as it comes' '^exit 2$' 'err:--gdb looks at time as it was recorded'
"$PENROSE" replay "$work/host.rec" --gdb nonsense >"$work/out" 2>"$work/err"
echo "exit $?" >"$work/said"
told 'a wrong address' '^exit 2$' 'err:--gdb: .* address for GDB' 'out:!the same'


# --- Symbols without GDB ---

"$PENROSE" replay "$work/host.rec" --last-writer 1,2:0x9100 >"$work/out" 2>"$work/err"
echo "exit $?" >"$work/said"
told 'nobody knows its programs' '^exit 0$' 'out:last writer: noc of \(1, 2\) .* \(2, 2\), sent at pc' 'out:!targets.c'
"$PENROSE" replay "$work/host.rec" --last-writer 1,2:0x9100 --symbols "$work" \
    --dump-state "$work/dump" >"$work/out" 2>"$work/err"
echo "exit $?" >"$work/said"
told 'they are found by their code' '^exit 0$' 'out:last writer: noc of \(1, 2\)' 'out:in main.*targets.c:[0-9]'
grep -o '"path": "[^"]*"' "$work/dump/manifest.json" >"$work/said"
told 'a dump names them' 'brisc-1-2.elf'
"$PENROSE" replay "$work/host.rec" --symbols "$work/nowhere" >"$work/out" 2>"$work/err"
echo "exit $?" >"$work/said"
told 'no such folder' '^exit 2$' 'err:--symbols: there is no file or folder'

finish
