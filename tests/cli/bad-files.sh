#!/bin/bash
# Files that are not what they should be: one message with the file, what is wrong and the remedy.
set -uo pipefail
# shellcheck source=tests/cli/lib.bash
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

good='0x0 5 00700513 00100073' # li a0, 7; ebreak

# refused NAME PATTERN...: run, info and disasm refuse $work/NAME.elf.
refused() {
    local name=$1
    shift
    expect "run: $name" 2 "/$name.elf: " "$@" -- run "$work/$name.elf"
    expect "info: $name" 2 "/$name.elf: " "$@" -- info "$work/$name.elf"
    expect "disasm: $name" 2 "/$name.elf: " "$@" -- disasm "$work/$name.elf"
}

make_elf "$work/good.elf" 0 "$good"
expect "a good program" 0 'out:brisc +done +7' -- run "$work/good.elf"

# --- ELF files ---

refused missing 'No such file|missing|does not exist'
mkdir "$work/folder.elf"
expect "run: a folder" 2 'folder.elf' -- run "$work/folder.elf"
: >"$work/empty.elf"
refused empty 'not an ELF file'
seq 1 2000 >"$work/text.elf"
refused text 'not an ELF file'
head -c 4096 /dev/urandom >"$work/random.elf"
refused random 'not an ELF file'
head -c 40 "$work/good.elf" >"$work/header.elf"
refused header 'truncated'
head -c 70 "$work/good.elf" >"$work/table.elf"
refused table 'truncated'
head -c 88 "$work/good.elf" >"$work/segment.elf"
refused segment 'truncated'
class=2 make_elf "$work/class64.elf" 0 "$good"
refused class64 '64-bit' 'rv32'
data=2 make_elf "$work/big-endian.elf" 0 "$good"
refused big-endian 'big-endian'
machine=62 make_elf "$work/x86-64.elf" 0 "$good"
refused x86-64 'x86-64' 'expected RISC-V'
machine=183 make_elf "$work/aarch64.elf" 0 "$good"
refused aarch64 'AArch64' 'expected RISC-V'
type=1 make_elf "$work/object.elf" 0 "$good"
refused object 'object file' 'link'
type=3 make_elf "$work/shared.elf" 0 "$good"
refused shared 'position-independent'
make_elf "$work/overlapping.elf" 0 "$good" '0x4 6 00000000'
refused overlapping 'overlap' '0x0' '0x4'
memory_size=0x40000000 make_elf "$work/huge.elf" 0 "$good"
refused huge 'large' 'L1'
memory_size=0xffffffff make_elf "$work/endless.elf" 0 "$good"
refused endless 'large|end of the 32-bit'
make_elf "$work/entry.elf" 0x100 "$good"
refused entry 'entry point 0x100'
make_elf "$work/nothing.elf" 0
refused nothing 'no loadable segment|table of segments'
truncate -s 300M "$work/sparse.elf"
refused sparse 'expected at most'
make_elf "$work/outside.elf" 0x200000 '0x200000 5 00100073'
expect "run: outside of L1" 2 'outside.elf' '0x00200000' 'fits neither L1' -- run "$work/outside.elf"
make_elf "$work/local.elf" 0 "$good" '0xffb01ffc 6 1 2 3'
expect "run: past the local RAM" 2 'local.elf' 'local RAM of brisc' -- run "$work/local.elf"

make_elf "$work/second.elf" 4 '0x4 5 00100073'
expect "two programs overlap" 2 'good.elf' 'second.elf' 'overlap in L1' -- \
    run "$work/good.elf" --hart "trisc0=$work/second.elf"

# Every byte of the headers damaged in turn: refused or run, but never a crash and never silent.
problem=
for ((byte = 0; byte < 84; byte++)); do
    for value in 00 7f ff; do
        cp "$work/good.elf" "$work/damaged.elf"
        printf "\\x$value" | dd of="$work/damaged.elf" bs=1 seek=$byte conv=notrunc status=none
        timeout 20 "$PENROSE" run "$work/damaged.elf" --max-cycles 10k >"$work/out" 2>"$work/err"
        status=$?
        if [ $status -gt 4 ] || { [ $status -ne 0 ] && [ ! -s "$work/err" ]; }; then
            problem+=" byte $byte = $value: exit code $status;"
        fi
    done
done
report "damaged headers" "$problem"

# --- Firmware folders ---

expect "boot: no folder" 2 'nowhere' 'brisc' -- boot "$work/nowhere"
mkdir "$work/firmware"
expect "boot: empty folder" 2 'no firmware for brisc' 'brisc/brisc.elf' -- boot "$work/firmware"
expect "info: empty folder" 2 'no firmware for brisc' -- info "$work/firmware"
cp "$work/good.elf" "$work/firmware/brisc.elf"
expect "boot: a file is missing" 2 'no firmware for ncrisc' 'ncrisc.elf' -- boot "$work/firmware"
for hart in ncrisc trisc0 trisc1 trisc2; do
    cp "$work/good.elf" "$work/firmware/$hart.elf"
done
expect "boot: programs that are no firmware" 2 'brisc.elf' 'debug information' -- boot "$work/firmware"
cp "$work/text.elf" "$work/firmware/brisc.elf"
expect "boot: text instead of firmware" 2 'brisc.elf: not an ELF file' -- boot "$work/firmware"

# --- Descriptions of programs ---

# describe OUTPUT ROWS: a description whose only buffer is written to a file.
describe() {
    cat >"$work/program/PROGRAM.json" <<EOF
{"grid": "1x1", "firmware": "fw", "kernels": [{"hart": "brisc", "elf": "$work/good.elf"}],
 "dram": {"A": {"format": "Float32", "rows": $2, "columns": 32000, "output": "$1"}}}
EOF
}

mkdir "$work/program"
ln -s .. "$work/program/link"
describe a.npy 32000
expect "outputs that fill the disk" 2 'outputs have 3906 MiB together' 'add --trust-outputs' -- \
    run "$work/program/PROGRAM.json"
for output in ../a.npy link/a.npy "$work/a.npy"; do
    describe "$output" 32
    expect "an output elsewhere: ${output#"$work"}" 2 'is outside of the folder' 'add --trust-outputs' -- \
        run "$work/program/PROGRAM.json"
    expect "the same, trusted: ${output#"$work"}" 2 'no firmware for brisc' -- \
        run "$work/program/PROGRAM.json" --trust-outputs
done

# --- Names that are no text ---

odd=$work/$'odd\xff\e[31m\r\xc2\x9b.'
make_elf "${odd}elf" 0 "$good"
cp "$work/text.elf" "${odd}text"
mkdir "${odd}folder"
no_control='[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xff'
while read -r wanted arguments; do
    eval "arguments=($arguments)"
    name=${arguments[0]}
    messages=$((wanted == 2)) expect "odd names: $name --json" "$wanted" -- "${arguments[@]}" --json
    problem=
    ! LC_ALL=C grep -qP "$no_control" "$work/out" "$work/err" || problem="control characters with --json"
    timeout 20 "$PENROSE" "${arguments[@]}" >"$work/out" 2>"$work/err"
    ! LC_ALL=C grep -qP "$no_control" "$work/out" "$work/err" || problem+=" control characters"
    report "odd names: $name" "$problem"
done <<'EOF'
0 run "${odd}elf"
0 info "${odd}elf"
0 disasm "${odd}elf"
2 run "${odd}nothing"
2 info "${odd}text"
2 boot "${odd}folder"
2 compare "${odd}folder" "${odd}folder"
2 explain "${odd}folder" "${odd}folder"
2 state "${odd}text"
2 waits "${odd}text"
2 trace "${odd}text"
2 replay "${odd}text"
2 run "$work/good.elf" --input "0x1000=${odd}text:Float32"
2 run "$work/good.elf" "--odd"$'\e'
2 new "${odd}elf"
2 run --ttx "${odd}text"
2 replay "${odd}text" --schedule "${odd}"
EOF
expect "odd names: new" 0 -- new "${odd}new" --json
python3 - "$work/out" "${odd}new" <<'EOF' && problem= || problem="not the name with U+FFFD for each wrong byte"
import json, os, sys
found = json.loads(open(sys.argv[1], "rb").read().decode())["folder"]
sys.exit(found != os.fsencode(sys.argv[2]).decode("utf-8", "replace"))
EOF
report "the name in JSON" "$problem"

# --- Files for which there is no room ---

# limited KIB: a program that runs $PENROSE, none of whose files may be longer.
limited() {
    printf '#!/bin/bash\ntrap "" XFSZ\nulimit -f %d\nexec "%s" "$@"\n' "$1" "$PENROSE" >"$work/limited"
    chmod +x "$work/limited"
    echo "$work/limited"
}

# gone NAME FILE...: nothing half is left.
gone() {
    local name=$1 file problem=
    shift
    for file; do
        [ ! -e "$file" ] || problem+=" $file is there"
    done
    report "$name" "$problem"
}

make_elf "$work/counting.elf" 0 '0x0 5 000027b7 fff78793 fe079ee3 00100073' # 8191 times around
PENROSE=$(limited 8) expect "a trace without room" 2 "cannot write .*/trace.txt: File too large" -- \
    run "$work/counting.elf" --trace="$work/trace.txt"
gone "nothing of the trace" "$work/trace.txt"
ln -s /dev/full "$work/full.ptrace"
for file in /dev/full "$work/full.ptrace"; do
    expect "a trace to a full device: ${file##*/}" 2 'cannot write .*: No space left' -- \
        run "$work/counting.elf" --trace="$file"
done
PENROSE=$(limited 1) expect "new without room" 2 'new: .*File too large' -- new "$work/project"
gone "nothing of the project" "$work/project"
mkdir "$work/empty-project"
PENROSE=$(limited 1) expect "new without room in a folder" 2 'new: .*File too large' -- new "$work/empty-project"
report "the folder is empty again" "$(find "$work/empty-project" -mindepth 1 | head -1)"

host=$(make_host_python)
cat >"$work/host.py" <<'EOF'
import ctypes, os
library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
library.libttsim_init()
library.libttsim_tile_wr_bytes(1, 2, ctypes.c_uint64(0), os.urandom(100000), 100000)
library.libttsim_clock(100)
library.libttsim_exit()
EOF
messages=3 PENROSE=$(limited 8) expect "a recording without room" 125 \
    'not all of the recording could be written' 'is not whole: exit code 125' -- \
    exec --record "$work/run.rec" -- "$host" "$work/host.py"
gone "nothing of the recording" "$work/run.rec"

finish
