#!/bin/bash
# scripts/fetch-sfpi without the real package: a small wheel whose library "unpacks" a folder, and a
# server on this machine that can stall or cut a transfer. pip is the real one.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tests/cli/lib.bash
PENROSE=none . "$top/tests/cli/lib.bash" || exit 1
python3 -m pip --version >/dev/null 2>&1 || skip "no python3 with pip"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
[ "$(uname -sm)" = "Linux x86_64" ] || skip "the package is for x86-64 Linux"
getconf GNU_LIBC_VERSION 2>/dev/null | grep -qE '^glibc 2\.(3[4-9]|[4-9])' || skip "no glibc 2.34"
unset PYTHONPATH PIP_INDEX_URL PIP_EXTRA_INDEX_URL PENROSE_CACHE
export PIP_CONFIG_FILE=/dev/null PIP_RETRIES=0 PIP_NO_INDEX=1 no_proxy=127.0.0.1
export UNPACK # what the library runs

# --- The wheel ---

wheel=$work/files/jax_tt_plugin-0.1.3-py3-none-manylinux_2_34_x86_64.whl
mkdir -p "$work/files" "$work/in/jax_plugins/libtt" "$work/in/jax_tt_plugin-0.1.3.dist-info"
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
"${CC:-cc}" -shared -fPIC -o "$work/in/jax_plugins/libtt/libtt.so" "$work/library.c" ||
    skip "no shared library can be made"
printf 'Metadata-Version: 2.1\nName: jax-tt-plugin\nVersion: 0.1.3\nRequires-Python: >=3.11\n' \
    >"$work/in/jax_tt_plugin-0.1.3.dist-info/METADATA"
printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_34_x86_64\n' \
    >"$work/in/jax_tt_plugin-0.1.3.dist-info/WHEEL"
touch "$work/in/jax_tt_plugin-0.1.3.dist-info/RECORD"
head -c 3000000 /dev/urandom >"$work/in/jax_plugins/libtt/padding"
(cd "$work/in" && python3 -m zipfile -c "$wheel" jax_plugins jax_tt_plugin-0.1.3.dist-info) || exit 1

# The script, which knows this wheel instead of the real one.
mkdir "$work/scripts"
cp "$top/scripts/lib.bash" "$top/scripts/download_wheel.py" "$work/scripts/"
sed "s/^sha256=.*/sha256=$(sha256sum "$wheel" | cut -d' ' -f1)/" "$top/scripts/fetch-sfpi" \
    >"$work/scripts/fetch-sfpi"

cat >"$work/unpack" <<'SH'
#!/bin/sh
# unpack VERSION: makes what the library makes
bin=$TMPDIR/libtt-assets/runtime/sfpi/compiler/bin
mkdir -p "$bin" "$TMPDIR/libtt-assets/runtime/sfpi/include"
printf '#!/bin/sh\necho "riscv-tt-elf-g++ (tenstorrent/sfpi:%s[1]) 15.1.0"\n' "$1" \
    >"$bin/riscv-tt-elf-g++"
chmod +x "$bin/riscv-tt-elf-g++"
SH
chmod +x "$work/unpack"
good="$work/unpack 7.87.0"

# --- The server ---

cat >"$work/server.py" <<'PYTHON'
import http.server, os, re, sys, time
folder, mode_file, log, port_file = sys.argv[1:]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name, mode = os.path.basename(self.path), open(mode_file).read().strip()
        with open(log, "a") as file:
            file.write("%s %s\n" % (name or "index", self.headers.get("Range")))
        if not name:
            body = "".join('<a href="/%s">%s</a>\n' % (n, n) for n in os.listdir(folder)).encode()
            self.answer(200, body, body, "text/html")
            return
        body = open(os.path.join(folder, name), "rb").read()
        found = re.match(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if found and mode != "no-range":
            self.answer(206, body[int(found[1]):], body[int(found[1]):])
        elif mode in ("cut", "stall"):
            self.answer(200, body, body[:len(body) // 2])
            self.wfile.flush()
            time.sleep(60 if mode == "stall" else 0)
        else:
            self.answer(200, body, body)

    def answer(self, code, body, sent, kind="application/octet-stream"):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(port_file + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(port_file + ".new", port_file)
server.serve_forever()
PYTHON
echo plain >"$work/mode"
python3 "$work/server.py" "$work/files" "$work/mode" "$work/log" "$work/port" &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
for _ in {1..200}; do
    [ ! -f "$work/port" ] || break
    sleep 0.05
done
PIP_FIND_LINKS=http://127.0.0.1:$(cat "$work/port")/
export PIP_FIND_LINKS

# --- Cases ---

cache=$work/cache
# fetch NAME EXIT [PATTERN...] -- [ARGUMENT...]: runs the script; patterns as of `expect`. It prints
# its folder and leaves nothing else in the cache, or it prints one line that names it.
fetch() {
    local name=$1 wanted=$2 patterns=() status=0 problem='' pattern left
    shift 2
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    PENROSE_CACHE=$cache timeout 60 bash "$work/scripts/fetch-sfpi" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || problem+="; exit code $status, expected $wanted"
    for pattern in "${patterns[@]}"; do
        grep -qE -- "$pattern" "$work/err" || problem+="; stderr lacks /$pattern/"
    done
    if [ "$wanted" -eq 0 ]; then
        [ "$(cat "$work/out")" = "$cache/sfpi-7.87.0" ] || problem+="; it does not print the folder"
        [ -x "$cache/sfpi-7.87.0/compiler/bin/riscv-tt-elf-g++" ] || problem+="; no compiler"
        left=$(find "$cache" -mindepth 1 -maxdepth 1 ! -name 'sfpi-*' ! -name 'lock-*')
    else
        [ ! -s "$work/out" ] || problem+="; it prints something"
        [ ! -e "$cache/sfpi-7.87.0" ] || problem+="; there is a folder"
        left=$(find "$cache" -name 'making-*' 2>/dev/null)
    fi
    [ -z "$left" ] || problem+="; this is left: $left"
    report "$name" "${problem#; }"
}

# program NAME SCRIPT: a program that comes first in PATH; without SCRIPT no longer.
usual_path=$PATH
program() {
    mkdir -p "$work/bin"
    rm -f "$work/bin/"*
    PATH=$usual_path
    [ $# -eq 2 ] || return 0
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
    PATH=$work/bin:$usual_path
}

UNPACK=$good
fetch "a wrong option" 2 "^usage: scripts/fetch-sfpi" -- --x
fetch "an option without its file" 2 "wants a file" -- --wheel
fetch "offline, and not there" 1 "run scripts/fetch-sfpi with a network" -- --offline

program uname 'echo Linux aarch64'
fetch "another machine" 1 "not Linux aarch64; a release of .* will do" --
program getconf 'echo glibc 2.31'
fetch "an old libc" 1 "needs glibc 2.34 or newer, this is glibc 2.31" --
program getconf 'exit 1'
fetch "another libc" 1 "this is another libc" --
program df 'printf "Filesystem 1024-blocks Used Available\nx 1 1 200000\n"'
fetch "too little space" 1 \
    "has 204 MB free, while unpacking 667 are needed .*: free some, or set PENROSE_CACHE" --
fetch "too little space for a wheel" 1 "unpacking 583 are needed" -- --wheel "$wheel"
program python3 "[ \"\$2\" != pip ] || exit 1; exec $(command -v python3) \"\$@\""
fetch "no pip" 1 "python3 has no pip; install python3-pip" --
program

PIP_NO_INDEX=0 PIP_FIND_LINKS='' PIP_INDEX_URL=http://127.0.0.1:9/ \
    fetch "no network" 1 "is there a network\? \(run it again" --

mv "$wheel" "$work/right.whl"
(cat "$work/right.whl"; echo more) >"$wheel"
fetch "another wheel" 1 "has not the SHA-256" --
report "which is not kept" "$(ls "$cache"/*.whl* 2>/dev/null)"
mv "$work/right.whl" "$wheel"

# Killed half way.
echo stall >"$work/mode"
PENROSE_CACHE=$cache setsid bash "$work/scripts/fetch-sfpi" >"$work/out" 2>"$work/err" &
killed=$!
for _ in {1..400}; do
    [ "$(stat -c %s "$cache"/*.part 2>/dev/null || echo 0)" -lt 1000000 ] || break
    sleep 0.05
done
kill -KILL -- -$killed
wait $killed 2>/dev/null
report "what came before it was killed is kept" \
    "$(find "$cache" -name '*.part' -size +900k | grep -q . || echo "it is not")"
rm -f "$work/log"
echo plain >"$work/mode"
fetch "after that" 0 "going on with the download" --
report "it goes on" "$(grep -qE 'whl bytes=[1-9][0-9]{5,}-' "$work/log" || cat "$work/log")"
rm -f "$work/log"
fetch "a second time" 0 --
fetch "a second time, offline" 0 -- --offline
report "without the network" "$(cat "$work/log" 2>/dev/null)"

rm -rf "$cache"
echo cut >"$work/mode"
fetch "a connection that is cut" 0 "downloading jax-tt-plugin 0.1.3 \(84 MB" --
report "it goes on by itself" "$(grep -qE 'whl bytes=[1-9][0-9]{5,}-' "$work/log" || cat "$work/log")"

rm -rf "$cache" && mkdir "$cache"
head -c 1000000 "$wheel" >"$cache/jax-tt-plugin-0.1.3.whl.part"
echo no-range >"$work/mode"
fetch "a server that cannot go on" 0 --
echo plain >"$work/mode"

# A disk that fills while the library unpacks: the download is kept.
rm -rf "$cache"
UNPACK="echo no space left; exit 1"
fetch "unpacking fails" 1 "is the disk full\? \(the download is kept\)" --
UNPACK=true fetch "a library without a compiler" 1 "there is no compiler in" --
UNPACK="$work/unpack 7.99.0" fetch "another compiler" 1 "is not SFPI 7.87.0" --
UNPACK=$good
rm -f "$work/log"
fetch "when there is space again" 0 -- --offline
report "nothing is downloaded again" "$(cat "$work/log" 2>/dev/null)"

# A wheel that is named.
rm -rf "$cache"
fetch "no such wheel" 1 "there is no file $work/none.whl" -- --wheel "$work/none.whl"
fetch "a file that is not the wheel" 1 "is not the wheel of jax-tt-plugin 0.1.3" -- \
    --wheel "$work/library.c"
fetch "a named wheel" 0 -- --offline --wheel "$wheel"
report "which stays" "$([ -f "$wheel" ] || echo "it is gone")"

# An installed package.
rm -rf "$cache"
export PYTHONPATH=$work/in
fetch "an installed package" 0 -- --offline
sed -i 's/0.1.3/0.1.2/' "$work/in/jax_tt_plugin-0.1.3.dist-info/METADATA"
rm -rf "$cache"
fetch "another version" 0 "jax-tt-plugin 0.1.2 of python3 is not used, it is 0.1.3 that is known" --

# A pip with other parts.
rm -rf "$cache"
mkdir -p "$work/other/pip"
touch "$work/other/pip/__init__.py"
cat >"$work/other/pip/__main__.py" <<PYTHON
import shutil, sys
if sys.argv[1] == "download":
    shutil.copy("$wheel", sys.argv[sys.argv.index("--dest") + 1])
PYTHON
PYTHONPATH=$work/other fetch "a pip with other parts" 0 --
finish
