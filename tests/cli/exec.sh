#!/bin/bash
# `penrose exec`: environment, exit codes, signals, the report at the end, the folders of the cards,
# and how a ttnn finds its compiler, with small programs in place of both.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v python3 >/dev/null || skip "no python3"
export PENROSE_CACHE=$work/cache
# make_compiler FOLDER: one that only says its version. There is one, in case python3 has ttnn.
make_compiler() {
    mkdir -p "$1/compiler/bin" "$1/include"
    printf '#!/bin/sh\necho "riscv-tt-elf-g++ (tenstorrent/sfpi:7.87.0[1]) 15.1.0"\n' \
        >"$1/compiler/bin/riscv-tt-elf-g++"
    chmod +x "$1/compiler/bin/riscv-tt-elf-g++"
}
make_compiler "$work/cache/sfpi-7.87.0"
unset TT_METAL_RUNTIME_ROOT TT_METAL_HOME TT_METAL_SIMULATOR PENROSE_CARD \
    PENROSE_SUMMARY PENROSE_REPORT PENROSE_TRACE PENROSE_SCHEDULE PENROSE_POLICY PENROSE_RUN_AHEAD PENROSE_KERNELS \
    PENROSE_LOOPBACK PENROSE_LINK_ERRORS

# --- Usage ---

expect "no command" 125 "name a command" -- exec
expect "nothing behind --" 125 "name a command" -- exec --
expect "no --" 125 "the command goes behind --: penrose exec \[OPTION...\] -- true" -- exec true
expect "an unknown card" 125 "no card 'p150'; did you mean p150a" -- exec --card p150 -- true
expect "a card like no other" 125 "known are unharvested, p150a, p100a, p100, p300, p300x2, quietbox and galaxy " -- \
    exec --card wormhole -- true
expect "another architecture" 125 "'wormhole' is not emulated" -- exec --arch wormhole -- true
expect "a misspelt option" 125 "no option --scedule; did you mean --schedule" -- \
    exec --scedule fast -- true
expect "a wrong schedule" 125 "choose fast, lockstep or random:SEED" -- exec --schedule x -- true
expect "a wrong policy" 125 "there is no fault kind 'x'" -- exec --policy x=warn -- true
expect "a wrong number of threads" 125 "--threads" -- exec --threads 0 -- true
for range in '' x 5: 0:9 9:5 5:6: :5 -1 1073741825; do
    expect "a wrong run-ahead, $range" 125 "--run-ahead: '$range' is not understood" -- \
        exec --run-ahead="$range" -- true
done
expect "no such failure" 125 "'x' is none of fault, hang, warning and finding" -- exec --fail-on fault,x -- true
expect "a report of findings without checks" 0 'out:^1 core,suppress=/.*/known.txt,report=/.*/out.sarif$' -- exec --quiet \
    --report "$work/out.sarif" --suppress "$work/known.txt" -- sh -c 'echo "$TT_METAL_RISCV_DEBUG_INFO $PENROSE_CHECK"'
messages=0 expect "findings without checks where nothing has run" 123 'out:^core$' -- \
    exec --quiet --fail-on finding -- sh -c 'echo "$PENROSE_CHECK"'
expect "kernels with lines while checks are on" 0 'out:^1 all,report=/.*/out.sarif,allocated=/.*$' -- exec --quiet --check all \
    --report "$work/out.sarif" -- sh -c 'echo "$TT_METAL_RISCV_DEBUG_INFO $PENROSE_CHECK"'
expect "all checks" 0 'out:^all,allocated=/' -- exec --quiet --check -- sh -c 'echo "$PENROSE_CHECK"'
expect "all checks in front of another option" 0 'out:^all,allocated=/' -- exec --check --quiet -- sh -c 'echo "$PENROSE_CHECK"'
expect "some checks" 0 'out:^noc,cb$' -- exec --quiet --check=noc,cb -- sh -c 'echo "$PENROSE_CHECK"'
expect "some checks behind a space" 0 'out:^noc,cb$' -- exec --check noc,cb --quiet -- sh -c 'echo "$PENROSE_CHECK"'
expect "an unknown check" 125 "no check 'x'" -- exec --check x -- true
messages=0 expect "a run in which nothing was checked" 123 -- exec --quiet --check all --fail-on finding -- true
expect "an empty list of failures" 125 "is none of fault" -- exec --fail-on= -- true
expect "a wrong loopback" 125 "--loopback: 'x' is no Ethernet tile; write all, or X,Y" -- exec --loopback x -- true
expect "a wrong end" 125 "'kill' is none of report, stop and throw" -- exec --on-hang kill -- true
TMPDIR=/nowhere messages=2 expect "--fail-on without a file" 125 "no file to learn from" -- \
    exec --fail-on fault -- true
expect "a wrong set of kernels" 125 "cannot run 'sse'" -- exec --kernels-set sse -- true
PENROSE_CARD=p150 expect "PENROSE_CARD of no card" 125 \
    "PENROSE_CARD: there is no card 'p150'; did you mean p150a" -- exec -- true
expect "no such library" 125 "there is no file /nowhere.so" -- exec --library /nowhere.so -- true
expect "help" 0 "out:COMMAND \[ARGUMENT...\]" "out:exit code is that of COMMAND" -- exec --help
touch "$work/libttsim.so"
expect "no descriptor" 125 "soc_descriptor.yaml is missing.*penrose info --soc-descriptor" -- \
    exec --library "$work/libttsim.so" -- true

# --- What ttnn has allocated, by a module in its place ---

mkdir "$work/modules"
cat >"$work/modules/ttnn.py" <<'MODULE'
import os
from enum import Enum
from types import SimpleNamespace as Space

BufferType = Enum("BufferType", "DRAM L1 L1_SMALL TRACE")
path = os.environ["PENROSE_CHECK"].rpartition("allocated=")[2]
buffers = [Space(buffer_type=BufferType.DRAM, address=0x40, max_size_per_bank=0x800),
           Space(buffer_type=BufferType.L1, address=0x30000, max_size_per_bank=0x1000),
           Space(buffer_type=BufferType.TRACE, address=0, max_size_per_bank=1)]
_ttnn = Space(reports=Space(get_buffers=lambda devices: buffers))

class Operation:
    def __init__(self):
        self.function = self.launch

    def launch(self, io_tensors, program_descriptor):
        print("launch:", open(path).read().split())

    def __call__(self, *arguments, **options):
        self.function(*arguments, **options)

def synchronize_device(device):
    print("wait:", len(open(path).read().split()))

def tensor(chips):
    return Space(device=lambda: Space(get_num_devices=lambda: chips))

generic_op = Operation()
MODULE
# tells NAME PATTERN CALL: what the kernels of CALL see in the file; behind it the file is empty, and then it is gone.
tells() {
    expect "$1" 0 "out:^$2\$" 'out:^behind: 0$' -- exec --quiet --check memory -- python3 -c "import importlib.util, os, sys
sys.path.insert(0, '$work/modules')
importlib.util.find_spec('ttnn')
import ttnn
$3
print('behind:', os.path.getsize(ttnn.path))
print('file', ttnn.path)"
    report "$1: the file is gone" "$([ ! -e "$(sed -n 's/^file //p' "$work/out")" ] || echo "it is there")"
}
known="launch: \['dram', '40', '800', 'l1', '30000', '1000'\]"
tells "buffers of ttnn" "$known" 'ttnn.generic_op([ttnn.tensor(1)], None)'
tells "buffers of ttnn, with names of arguments" "$known" \
    'ttnn.generic_op(io_tensors=[ttnn.tensor(1)], program_descriptor=None)'
tells "ttnn waits before the file is empty" 'wait: 6' 'ttnn.generic_op([ttnn.tensor(1)], None)'
tells "ttnn on several chips" 'launch: \[\]' 'ttnn.generic_op([ttnn.tensor(2)], None)'
expect "buffers that are not asked for" 0 'out:^$' -- exec --quiet --check noc -- \
    sh -c 'echo "${PENROSE_CHECK#noc}"'

# --- Operations that ttnn calls, by a module in its place ---

mkdir -p "$work/called/ttnn"
cat >"$work/called/ttnn/__init__.py" <<'MODULE'
from types import SimpleNamespace as Space

launched = 1
_ttnn = Space(get_device_operation_id=lambda: launched)

class Tensor:
    dtype, layout = Space(name="BFLOAT16"), Space(name="TILE")

    def __init__(self, *shape, is_freed=False):
        self.shape, self.padded_shape, self.is_freed = shape, (32, 32), is_freed

    def memory_config(self):
        if self.is_freed:
            raise RuntimeError("it is freed")
        return Space(buffer_type=Space(name="DRAM"), memory_layout=Space(name="INTERLEAVED"))

class FastOperation:
    def __init__(self, name, function):
        self.python_fully_qualified_name, self.function = name, function

    def __call__(self, *arguments, **options):
        return self.function(*arguments, **options)

class Operation(FastOperation):
    def __call__(self, *arguments, **options):
        return self.function(*arguments, **options)

def launch(*arguments, fails=False, **options):
    global launched
    launched += 1
    if fails:
        raise ValueError
    return Tensor(3, 5)

decorators = Space(FastOperation=FastOperation, Operation=Operation)
relu = FastOperation("ttnn.relu", launch)
sum = Operation("ttnn.sum", lambda *tensors: (relu(tensors[0]), relu(tensors[1])))
shape = FastOperation("ttnn.shape", lambda tensor: tensor.shape)
MODULE
cat >"$work/called/net.py" <<'PROGRAM'
import json, os, sys
import ttnn
a, b = ttnn.Tensor(2, 3), ttnn.Tensor(4, is_freed=True)
ttnn.shape(a)
ttnn.sum(a, b)
try:
    ttnn.relu([b], fails=True)
except ValueError:
    pass
for line in open(os.environ["PENROSE_OPERATIONS"]):
    told = json.loads(line)
    assert told["process"] == os.getpid() and told["file"] == os.path.abspath(sys.argv[0]), told
    shapes = [[tensor["shape"] for tensor in told[side]] for side in ("inputs", "outputs")]
    print(told["first"], told["end"], told["name"], told["line"], *shapes, [tensor.get("memory") for tensor in told["inputs"]])
print("file", os.environ["PENROSE_OPERATIONS"])
PROGRAM
for option in "--profile=$work/called/p.txt" "--operations=$work/called/told"; do
    expect "calls, with $option" 0 \
        "out:^1 3 ttnn.sum 5 \[\[2, 3\], \[4\]\] \[\[3, 5\], \[3, 5\]\] \['DRAM_INTERLEAVED', None\]\$" \
        'out:^3 4 ttnn.relu 7 \[\[4\]\] \[\] \[None\]$' -- exec --quiet "$option" -- python3 "$work/called/net.py"
    report "nested calls, and those that launch nothing, are not told" "$([ "$(wc -l <"$work/out")" -eq 3 ] || cat "$work/out")"
done
report "the file that was asked for stays" "$([ "$(wc -l <"$work/called/told")" -eq 2 ] || ls "$work/called")"
expect "with a profile, too" 0 -- exec --quiet --profile "$work/called/p.txt" -- python3 "$work/called/net.py"
report "else it is gone" "$([ ! -e "$(sed -n 's/^file //p' "$work/out")" ] || echo "it is there")"

# --- Files that cannot be written ---

touch "$work/file"
for place in "$work" "$work/nowhere/file" "$work/file/below" /dev/full; do
    [ "$place" != /dev/full ] || [ -w /dev/full ] || continue
    for option in --report --trace --profile; do
        expect "$option $place" 125 "^penrose: $option: $place (is a folder|cannot be written)" -- \
            exec $option "$place" -- echo started
        report "and nothing is run" "$(cat "$work/out")"
    done
    for variable in PENROSE_REPORT PENROSE_TRACE PENROSE_PROFILE PENROSE_SUMMARY; do
        before=$(ls -ld "$place" 2>/dev/null)
        export "$variable=$place"
        expect "$variable=$place" 125 "^penrose: $variable: $place (is a folder|cannot be written)" \
            -- exec -- echo started
        report "and nothing is run" "$(cat "$work/out")"
        report "and nothing is removed" "$([ -z "$before" ] || [ -e "$place" ] || echo "$place")"
        unset "$variable"
    done
done
expect "--report of no name" 125 "--report: " -- exec --report= -- true
PENROSE_REPORT=$work/nowhere/file messages=0 expect "--report instead of PENROSE_REPORT" 0 \
    "out:^$work/file$" -- exec -q --report "$work/file" -- printenv PENROSE_REPORT
(cd "$work" && PENROSE_REPORT=r.txt "$PENROSE" exec -q -- printenv PENROSE_REPORT) >"$work/out" 2>"$work/err"
report "a report beside the caller" "$(grep -qx "$work/r.txt" "$work/out" || echo "it is elsewhere")"
PENROSE_SUMMARY=$work/new messages=1 expect "a summary of no device" 0 "used no device of Penrose" -- \
    exec -- true
PENROSE_SUMMARY=/dev/null messages=1 expect "a summary to a device" 0 \
    "what it used was written to /dev/null" -- exec -- true
TMPDIR=$work/nowhere messages=1 expect "no folder for a summary" 0 \
    "there will be no report at the end: no file can be made in $work/nowhere: No such file" -- \
    exec -- true
TMPDIR=$work/nowhere messages=0 expect "which nobody asked for" 0 -- exec -q -- true

# --- The command and how it ends ---

expect "not found" 127 "no-such-command: .*check the command" -- exec -- no-such-command
expect "not a program" 126 "/etc/passwd: Permission denied" -- exec -- /etc/passwd
messages=0 expect "quiet" 0 -- exec --quiet -- true
messages=1 expect "no device" 0 "used no device of Penrose" -- exec -- true
messages=0 expect "exit code" 7 -- exec -q -- sh -c 'exit 7'
# shellcheck disable=SC2016 # for the inner shell
messages=1 expect "a signal" 137 "ended by signal 9" -- exec -q -- sh -c 'kill -9 $$'
messages=0 expect "its output" 0 "out:^on stdout$" "^on stderr$" -- \
    exec -q -- sh -c 'echo on stdout; echo on stderr >&2'
messages=0 expect "its arguments" 0 "out:^--json -- --card$" -- exec -q -- echo --json -- --card

"$PENROSE" exec -q -- sh -c 'trap "echo ended; exit 9" TERM; echo ready; while :; do sleep 0.05; done' \
    >"$work/out" 2>"$work/err" &
for _ in {1..200}; do
    ! grep -q ready "$work/out" || break
    sleep 0.05
done
kill -TERM $!
wait $!
status=$?
problem=
[ $status -eq 9 ] || problem="exit code $status, expected 9"
grep -q ended "$work/out" || problem+="; the command got no signal"
report "passes SIGTERM" "${problem#; }"
# What a command has of its caller: signals, variables, scripts that the shell runs.
for number in INT PIPE XFSZ; do
    messages=1 expect "ended by SIG$number" $((128 + $(kill -l $number))) "ended by signal" -- \
        exec -q -- sh -c "kill -$number \$\$"
done
(trap '' INT && "$PENROSE" exec -q -- sh -c 'kill -INT $$; echo lives') >"$work/out" 2>"$work/err"
report "an ignored signal" "$(grep -qx lives "$work/out" || echo "it is not ignored any more")"
env -i PATH="$PATH" "$PENROSE" exec -q -- env >"$work/out" 2>"$work/err"
report "no variable of Python's" "$(grep -E '^(LC|PYTHON)' "$work/out")"
printf 'echo run by a shell, $1\n' >"$work/script"
chmod +x "$work/script"
messages=0 expect "a script that names no interpreter" 0 "out:^run by a shell, x$" -- exec -q -- "$work/script" x
NAME=$'\xff' messages=0 expect "bytes that are no text" 0 $'out:^\xff' -- exec -q -- printenv NAME

# --- Its environment ---

library="/.*/unharvested/libttsim.so"
messages=0 expect "variables" 0 "out:^TT_METAL_SIMULATOR=/.*/unharvested/libttsim.so$" \
    "out:^TT_UMD_SIMULATOR_PATH=/" "out:^CHIP_ARCH=blackhole$" "out:^TT_METAL_SLOW_DISPATCH_MODE=1$" \
    "out:^PENROSE_CARD=unharvested$" "out:^PENROSE_SUMMARY=/" -- exec -q -- env
messages=0 expect "options" 0 "out:^TT_METAL_SIMULATOR=/.*/p150a/libttsim.so$" \
    "out:^PENROSE_CARD=p150a$" "out:^PENROSE_THREADS=3$" \
    "out:^PENROSE_SCHEDULE=random:5,timed$" "out:^PENROSE_POLICY=all=warn,mutex-not-held=stop$" \
    "out:^PENROSE_RUN_AHEAD=64:4096$" "out:^PENROSE_KERNELS=reference$" "out:^PENROSE_REPORT=/.*/r.txt" \
    "out:^PENROSE_TRACE=$work/t.txt" "out:^PENROSE_LOOPBACK=20,25 21,25$" -- \
    exec -q --loopback 20,25 --loopback 21,25 --card p150a --threads 3 --schedule random:5 \
    --timing timed --policy all=warn --policy mutex-not-held=stop --run-ahead 64:4096 \
    --kernels-set reference --report r.txt --trace "$work/t.txt" -- env
messages=0 expect "all loopbacks" 0 "out:^all$" -- \
    exec -q --loopback 20,25 --loopback all --loopback 21,25 -- printenv PENROSE_LOOPBACK
messages=0 expect "errors of links" 0 "out:^0:4=1e-3,seed=7 1:2=0,down=9,up=12$" -- \
    exec -q --link-errors 0:4=1e-3,seed=7 --link-errors 1:2=0,down=9,up=12 -- printenv PENROSE_LINK_ERRORS
expect "errors of no link" 125 "--link-errors: '0:4' is not understood; write chip:port=rate" -- \
    exec --link-errors 0:4 -- true
PENROSE_POLICY=all=warn PENROSE_DUMP_ON=exit messages=0 expect "variables of the caller" 0 "out:^PENROSE_POLICY=all=stop$" \
    "out:^PENROSE_DUMP_ON=exit$" "out:^PENROSE_SCHEDULE=timed$" -- exec -q --timing timed --policy all=stop -- env
report "and no file is made" "$(ls r.txt "$work/t.txt" 2>/dev/null)"
PENROSE_CARD=p100a messages=0 expect "PENROSE_CARD" 0 "out:/p100a/libttsim.so$" -- \
    exec -q -- printenv TT_METAL_SIMULATOR
PENROSE_CARD=p100a messages=0 expect "PENROSE_CARD and --card" 0 "out:/p150a/libttsim.so$" -- \
    exec -q --card p150a -- printenv TT_METAL_SIMULATOR
# What a Python wheel holds: no links to the library.
prefix=$work/installed
mkdir -p "$prefix/bin" "$prefix/lib/penrose/p100a" "$prefix/share/penrose/guests"
cp "$PENROSE" "$prefix/bin/penrose"
cp -r "$builddir/commands" "$prefix/share/penrose"
touch "$prefix/lib/libttsim.so" "$prefix/lib/penrose/p100a/soc_descriptor.yaml"
touch "$prefix/share/penrose/guests/empty.elf"
for round in first second; do
    PENROSE=$prefix/bin/penrose PENROSE_CACHE=$work/cache messages=0 expect "cards in the cache, $round" 0 \
        "out:^$work/cache/cards$prefix/p100a/libttsim.so$" \
        -- exec -q --card p100a -- printenv TT_METAL_SIMULATOR
done
linked=$work/cache/cards$prefix/p100a
report "lead to the installation" "$(cmp "$linked/libttsim.so" "$prefix/lib/libttsim.so" 2>&1;
    cmp "$linked/soc_descriptor.yaml" "$prefix/lib/penrose/p100a/soc_descriptor.yaml" 2>&1)"
PENROSE=$prefix/bin/penrose expect "installed guests" 2 "$prefix/share/penrose/guests/empty.elf: " -- \
    run empty.elf
PENROSE=$prefix/bin/penrose expect "no such guest" 2 "none.elf: cannot be opened" -- run none.elf

TT_METAL_SLOW_DISPATCH_MODE=1 "$PENROSE" exec -q --fast-dispatch -- env >"$work/out" 2>"$work/err"
report "fast dispatch" "$(grep SLOW_DISPATCH "$work/out")"
# shellcheck disable=SC2016
messages=0 expect "{library}" 0 "out:^-s=/.*/p100a/libttsim.so,/.*/libttsim.so$" -- \
    exec -q --card p100a -- echo '-s={library},{library}'
printf '#!/bin/sh\necho "$@"\n' >"$work/tt-exalens"
chmod +x "$work/tt-exalens"
messages=0 expect "tt-exalens" 0 "out:^-s $library --commands exit$" -- \
    exec -q -- "$work/tt-exalens" --commands exit
messages=0 expect "tt-exalens with a simulator" 0 "out:^-s=mine$" -- \
    exec -q -- "$work/tt-exalens" -s=mine

# --- A command that uses the library ---

cat >"$work/use.py" <<'PYTHON'
import ctypes, os, sys
library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
u32, u64, p = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
library.libttsim_tile_wr_bytes.argtypes = [u32, u32, u64, p, u32]
library.libttsim_tile_rd_bytes.argtypes = [u32, u32, u64, p, u32]
library.libttsim_init()
word = ctypes.c_uint32(0x1234)
for x in (1, 16):
    found = ctypes.c_uint32(0)
    library.libttsim_tile_wr_bytes(x, 2, 0x8000, ctypes.byref(word), 4)
    library.libttsim_tile_rd_bytes(x, 2, 0x8000, ctypes.byref(found), 4)
    print("tile %d,2: %#x" % (x, found.value))
if "--fault" in sys.argv: # BRISC of tile (1, 2) executes a nop, and a word that is none
    for address, value in ((0, 0x13), (4, 0xffffffff), (8, 0x6f), (0xffb121b0, 0x47800), (0xffb121b0, 0x47000)):
        word = ctypes.c_uint32(value)
        library.libttsim_tile_wr_bytes(1, 2, address, ctypes.byref(word), 4)
if "--hang" in sys.argv: # BRISC jumps to where it is, and somebody polls
    for address, value in ((0, 0x6f), (0xffb121b0, 0x47800), (0xffb121b0, 0x47000)):
        word = ctypes.c_uint32(value)
        library.libttsim_tile_wr_bytes(1, 2, address, ctypes.byref(word), 4)
    for _ in range(1100):
        library.libttsim_tile_rd_bytes(1, 2, 0x8000, ctypes.byref(found), 4)
        library.libttsim_clock(1)
    print("polled on")
library.libttsim_clock(1000)
library.libttsim_exit()
PYTHON
built=$("$PENROSE" exec -q -- printenv TT_METAL_SIMULATOR 2>/dev/null)
if grep -q __asan_init "$built"; then
    echo "commands that use the library are left out: Python cannot load one with sanitizers"
else
    messages=1 expect "report at the end" 0 "out:tile 16,2: 0x1234" \
        "1 device, [0-9]+ cycles, [0-9.]+ s of [0-9.]+ s in the library, 1 poll, 0 faults, 0 hangs, 0 warnings$" -- \
        exec -- python3 "$work/use.py"
    messages=1 expect "report of a timed run" 0 "1 device, [0-9]+ cycles \(.* ms at 1.35 GHz\)" -- \
        exec --timing timed -- python3 "$work/use.py"
    messages=2 expect "a fault" 0 "illegal-instruction: tile \(1, 2\) brisc" \
        " 1 fault, 0 hangs, 0 warnings$" "busiest tiles, instructions: 1-2 1$" -- exec -- python3 "$work/use.py" --fault
    messages=4 expect "a card of two chips" 0 "1 device with 2 chips, " "instructions: chip 0 1-2 1$" -- \
        exec --card p300 -- python3 "$work/use.py" --fault
    messages=2 expect "--report" 0 "out:tile 16,2: 0xffffffff" "tile \(16, 2\): .* is fused off" -- \
        exec -q --card p100a --report "$work/report" -- python3 "$work/use.py"
    report "report file" "$(grep -q 'fused off' "$work/report" || echo "it does not have the reports")"

    fail_on="exec --fail-on fault,hang --fail-on warning"
    messages=1 expect "--fail-on without a reason" 0 " 0 warnings$" -- $fail_on -- python3 "$work/use.py"
    messages=3 expect "--fail-on fault" 121 "exit code 121" -- $fail_on -- python3 "$work/use.py" --fault
    messages=2 expect "--fail-on warning after a fault" 0 "1 fault" -- exec --fail-on warning -- \
        python3 "$work/use.py" --fault
    messages=3 expect "--fail-on warning" 123 "1 warning$" "exit code 123" -- \
        exec --policy illegal-instruction=warn --fail-on fault,warning -- python3 "$work/use.py" --fault
    messages=3 expect "--fail-on hang" 122 "who waits for what" "1 hang," -- \
        $fail_on -- python3 "$work/use.py" --hang
    messages=2 expect "a command that fails by itself" 3 "1 fault" -- \
        $fail_on -- sh -c "python3 $work/use.py --fault; exit 3"
    messages=4 expect "--on-hang stop" 122 "1 device" "1 hang, " "the chip hung, .*exit code 122" -- \
        exec --on-hang stop --record "$work/hung.rec" -- python3 "$work/use.py" --hang
    report "the command has been ended" "$(grep 'polled on' "$work/out")"
    messages=0 expect "the recording of a hang is whole" 0 "out:the same" -- replay "$work/hung.rec"
    messages=1 expect "a command that ends before" 0 -- exec --on-hang stop -- python3 "$work/use.py"
    messages=2 expect "a hang that is reported" 0 "1 hang, " "out:polled on" -- \
        exec --on-hang report -- python3 "$work/use.py" --hang
    messages=2 expect "no exception where nobody can catch it" 0 "1 hang, " "out:polled on" -- \
        exec --on-hang throw -- python3 "$work/use.py" --hang

    echo '{"pid": 1, "cycles": 5, "tiles": []}' >"$work/summary"
    PENROSE_SUMMARY=$work/summary messages=2 expect "a summary of the user's" 0 "1 device, " -- \
        exec -- python3 "$work/use.py" --fault
    found=$(grep -c '"cycles"' "$work/summary")
    [ "$found" -ne 2 ] || found=
    report "the user's summary is kept" "${found:+it has $found lines, expected 2}"
    tail -1 "$work/summary" >"$work/line"
    keep "$work/line"

    messages=0 expect "a card without a folder" 0 "out:tile 16,2: 0xffffffff" -- \
        exec -q --card p100 -- sh -c "python3 $work/use.py 2>/dev/null"

    # The copies of the library know their cards without a variable.
    for card in unharvested p150a p100a; do
        wanted=0x1234
        [ $card != p100a ] || wanted=0xffffffff
        messages=0 expect "library of $card" 0 "out:tile 16,2: $wanted" -- \
            exec -q --card $card -- sh -c "env -u PENROSE_CARD python3 $work/use.py 2>/dev/null"
    done
fi

# --- Descriptors ---

for card in unharvested p150a p100a p300; do
    expect "descriptor of $card" 0 "out:^arch_name: BLACKHOLE$" \
        "out:\[1-2, 2-2, 3-2, 4-2, 5-2, 6-2, 7-2, 10-2, 11-2, 12-2, 13-2, 14-2, 15-2, 16-2,$" \
        "out:\[1-1, 16-1, 2-1, 15-1, 3-1, 14-1, 4-1, 13-1, 5-1, 12-1, 6-1, 11-1, 7-1, 10-1\]" \
        "out:^   \[9-9, 9-4, 9-8\],$" "out:^  \[8-0\]$" "out:^  \[2-0, 11-0\]$" \
        "out:^worker_l1_size: 1572864$" -- info --soc-descriptor $card
    tail -n +3 "$work/out" >"$work/descriptor-$card"
    # UMD takes out what telemetry says, so all cards have the die's.
    report "descriptor of the die, $card" "$(cmp "$work/descriptor-$card" \
        "$work/descriptor-unharvested" 2>&1)"
done
expect "descriptor of no card" 2 "no card 'n300'" -- info --soc-descriptor n300
expect "descriptor and file" 2 "goes alone" -- info --soc-descriptor p150a x.elf
expect "links of a card" 0 "out:^  - \[\{chip: 0, chan: 2\}, \{chip: 1, chan: 9\}\]$" \
    "out:^  1: \{noc_translation: true, harvest_mask: 192, dram_harvesting_mask: 0, eth_harvesting_mask: 288, pcie_harvesting_mask: 1," \
    "out:^  - \[\{board_id: 4745938862081\}, \{board_type: p300\}, \{chips: \[0, 1\]\}\]$" -- info --cluster-descriptor p300
expect "trays of a galaxy" 0 'out:^  8: "0x41"$' "out:^  8: 1$" -- info --cluster-descriptor galaxy
expect "links of one chip" 2 "p150a has one chip, for which UMD wants none" -- info --cluster-descriptor p150a
expect "links of no card" 2 "no card 'n300'; known are .*quietbox and galaxy" -- info --cluster-descriptor n300
expect "links and file" 2 "goes alone" -- info --cluster-descriptor p300 x.elf

# --- The compiler ---

if [ -e /opt/tenstorrent/sfpi ]; then
    echo "how ttnn finds its compiler is left out: it finds that in /opt"
    finish
fi
site=$work/site/ttnn
mkdir -p "$site/tt_metal" "$site/runtime/hw" "$site/build/lib" "$work/site/jax_tt_plugin-0.0.0.dist-info"
touch "$site/build/lib/libtt_metal.so" "$site/runtime/hw/file"
plugin=$work/site/jax_tt_plugin-0.0.0.dist-info/METADATA # hides one that python3 may have
printf 'Metadata-Version: 2.1\nName: jax-tt-plugin\nVersion: 0.0.0\n' >"$plugin"
cat >"$site/__init__.py" <<'PYTHON'
import os
def open_device(device_id):
    root = os.environ.get("TT_METAL_RUNTIME_ROOT", os.path.dirname(__file__))
    print("root", root)
    print("compiler", os.path.realpath(root + "/runtime/sfpi"))
    print("all", all(map(os.path.exists, (root + "/tt_metal", root + "/runtime/hw/file"))))
PYTHON
export PYTHONPATH=$work/site
open=(python3 -c "import ttnn; ttnn.open_device(0)")
cached=$(realpath "$work")/cache/sfpi-7.87.0
for times in first second; do
    messages=0 expect "a compiler in the cache, $times time" 0 "out:^root $work/cache/ttnn/[0-9a-f]+/root$" \
        "out:^compiler $cached$" "out:^all True$" -- exec -q -- "${open[@]}"
done
mkdir "$site/new"
messages=0 expect "Python behind another command" 0 "out:^compiler $cached$" -- \
    exec -q -- env A=B "${open[@]}"
report "what is new in the package" "$(ls "$work"/cache/ttnn/*/root/new 2>&1 >"$work/out")"
messages=0 expect "--compile-firmware" 0 "out:^compiler $cached$" -- \
    exec -q --compile-firmware -- "${open[@]}"
mkdir -p "$work/tree/tt_metal" "$work/tree/runtime/hw"
touch "$work/tree/runtime/hw/file"
TT_METAL_RUNTIME_ROOT=$work/tree messages=0 expect "another root" 0 "out:^compiler $cached$" \
    "out:^all True$" -- exec -q -- "${open[@]}"
make_compiler "$work/tree/runtime/sfpi"
TT_METAL_RUNTIME_ROOT=$work/tree messages=0 expect "a root with a compiler" 0 "out:^root $work/tree$" -- \
    exec -q -- "${open[@]}"
TT_METAL_RUNTIME_ROOT=$work/none messages=0 expect "a root that is not there" 0 "out:^root $work/none$" -- \
    exec -q -- "${open[@]}"
report "nothing is written to the package" "$(find "$site/runtime" "$site/tt_metal" -name sfpi)"

export PENROSE_CACHE=$work/cache2
command="(/.*/scripts/fetch-sfpi|/.*python.* -m pip install --no-deps --ignore-requires-python jax-tt-plugin==0.1.3)"
messages=1 expect "no compiler" 0 "SFPI, Tenstorrent's compiler, and there is none; this gets it .*: $command$" \
    "out:^root $site$" -- exec -q -- "${open[@]}"
mkdir -p "$work/bin" "$work/share/penrose"
cp "$PENROSE" "$work/bin/penrose"
cp -r "$builddir/commands" "$work/share/penrose"
in_tree=$PENROSE PENROSE=$work/bin/penrose
messages=1 expect "no compiler and no source tree" 0 \
    ": /.*python.* -m pip install --no-deps --ignore-requires-python jax-tt-plugin==0.1.3$" -- \
    exec -q --library "$built" -- "${open[@]}"
PENROSE=$in_tree
if ! PYTHONPATH='' python3 -c 'import ttnn' 2>/dev/null; then
    PYTHONPATH='' messages=0 expect "a Python without ttnn needs none" 0 -- exec -q -- true
fi

# In the package jax-tt-plugin, whose library runs what UNPACK says.
cat >"$work/library.c" <<'C'
#include <stdlib.h>
const void *GetPjrtApi(void);
const void *GetPjrtApi(void)
{
    if (system(getenv("UNPACK")) != 0) {
        abort();
    }
    return NULL;
}
C
mkdir -p "$work/site/jax_plugins/libtt"
if "${CC:-cc}" -shared -fPIC -o "$work/site/jax_plugins/libtt/libtt.so" "$work/library.c" 2>"$work/err"; then
    messages=1 expect "another jax-tt-plugin" 0 "there is none" -- exec -q -- "${open[@]}"
    sed -i 's/0\.0\.0/0.1.3/' "$plugin"
    export UNPACK="echo no space left; exit 1"
    messages=3 expect "a jax-tt-plugin that cannot be unpacked" 0 "it cannot be unpacked: ." \
        "there is none; this gets it" -- exec -q -- "${open[@]}"
    UNPACK=true messages=3 expect "a jax-tt-plugin without a compiler" 0 "has unpacked none" -- \
        exec -q -- "${open[@]}"
    UNPACK="mkdir -p \$TMPDIR/a/runtime && cp -r $work/cache/sfpi-7.87.0 \$TMPDIR/a/runtime/sfpi"
    messages=1 expect "a jax-tt-plugin" 0 "unpacking the compiler of the installed jax-tt-plugin .* once" \
        "out:^compiler .*/cache2/sfpi-7.87.0$" -- exec -q -- "${open[@]}"
    messages=0 expect "a jax-tt-plugin, second time" 0 "out:^compiler .*/cache2/sfpi-7.87.0$" -- \
        exec -q -- "${open[@]}"
    report "it is marked as complete" "$(ls "$work/cache2/sfpi-7.87.0/complete" 2>&1 >"$work/out")"
    report "nothing else is left" "$(find "$work/cache2" -name 'making-*')"
    touch "$work/no-folder"
    PENROSE_CACHE=$work/no-folder messages=3 expect "no cache" 0 "there is no cache folder: set PENROSE_CACHE" -- \
        exec -q -- "${open[@]}"
else
    echo "a compiler in jax-tt-plugin is left out: no C compiler"
fi
finish
