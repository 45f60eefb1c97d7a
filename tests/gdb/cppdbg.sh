#!/bin/bash
# VS Code's C/C++ extension (cppdbg) drives GDB by its machine interface: the launch configuration that
# `penrose new` writes, and one that knows no processes.
set -uo pipefail
. "${srcdir:?}/tests/gdb/lib.bash"

unset MAKEFLAGS MFLAGS MAKELEVEL # the project's make is none of the one that runs tests
RISCV_CC=${RISCV_CC:-riscv64-unknown-elf-gcc}
penrose=$(realpath "$PENROSE")
python3 -c 'import json' 2>/dev/null || { echo "SKIP: no python3"; exit 77; }

# drive FOLDER [BREAKPOINT...]: see cppdbg.py.
drive() {
    python3 "$srcdir/tests/gdb/cppdbg.py" "$@" >"$work/said" 2>&1
    echo "exit $?" >>"$work/said"
}

# --- The configuration of a new project, which attaches to all harts of a tile ---

project=$work/hello
"$penrose" new "$project" >"$work/out" 2>&1
sed -i "s|\"gdb-multiarch\"|\"$GDB\"|" "$project/.vscode/launch.json"
socket=$project/build/gdb
task=$(python3 -c "import json; print(json.load(open('$project/.vscode/tasks.json'))['tasks'][0]['command'])")
ready=$(python3 -c "import json
print(json.load(open('$project/.vscode/tasks.json'))['tasks'][0]['problemMatcher']['background']['endsPattern'])")
make -C "$project" -s CROSS="${RISCV_CC%gcc}" >"$work/out" 2>"$work/err" || { cat "$work/err"; exit 1; }
(cd "$project" && PENROSE=$penrose timeout 100 sh -c "$task" >"$work/out" 2>"$work/err" </dev/null) &
process=$!
wait_for_socket
drive "$project" brisc.c:62 trisc1.c:12
wait "$process"
told 'the configuration of a new project' '^exit 0$' '^at .* in brisc.c$' '^at main in trisc1.c$' \
    'registers: [0-9]{3}' 'name="brisc \(1, 2\)"' 'out:^brisc: 256 of 256 numbers are right' "err:$ready"

# --- One that knows no processes: target remote ---

mkdir -p "$work/loop/.vscode"
socket=$work/loop/gdb
printf 'int main(void)\n{\n    for (volatile unsigned i = 0;; i++) {\n    }\n}\n' >"$work/loop/loop.c"
"$RISCV_CC" -march=rv32im_zicsr -mabi=ilp32 -O1 -g -nostdlib -ffreestanding -Wl,--defsym=TEXT_BASE=0 \
    -Wl,--defsym=MAILBOX=0x8000 -Wl,--no-warn-rwx-segments -Wl,--build-id=none \
    -Wl,-T,"$srcdir/firmware/bare/bare.ld" "$srcdir/firmware/bare/crt0.S" "$work/loop/loop.c" \
    -o "$work/loop/loop.elf" || exit 1
cat >"$work/loop/.vscode/launch.json" <<CONFIGURATION
{"configurations": [{"name": "loop", "type": "cppdbg", "request": "launch", "MIMode": "gdb",
    "program": "\${workspaceFolder}/loop.elf", "cwd": "\${workspaceFolder}", "stopAtEntry": true,
    "miDebuggerPath": "$GDB", "miDebuggerServerAddress": "\${workspaceFolder}/gdb"}]}
CONFIGURATION
timeout 100 "$PENROSE" run "$work/loop/loop.elf" --gdb "unix:$socket" >"$work/out" 2>"$work/err" </dev/null &
process=$!
wait_for_socket
drive "$work/loop"
kill "$process"
wait "$process"
told 'a launch configuration stops in main, and the program can be interrupted' '^exit 0$' \
    'reason="breakpoint-hit",.*func="main"' 'signal-name="SIGINT".*func="main"'

finish
