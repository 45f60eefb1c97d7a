#!/bin/bash
# LLK's performance suite with hardware counters, in a timed run: it reads all counters of a kernel that
# adds tiles, in each of its five ways to run it, and they say what the kernel has done.
#
#   llk-counters.sh [LIBRARY]
#
# Exit code 77 where the suite cannot run; see suite.bash for what it needs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/clients/common.bash
. "$here/common.bash"
# shellcheck source=tests/clients/llk/suite.bash
. "$here/llk/suite.bash"

library=$(client_library "${1:-}")
venv=$(llk_venv)
sfpi=$(client_sfpi)
copy=$(llk_copy "$sfpi")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

device=$(client_device "$library" "$copy/tt_metal/soc_descriptors/blackhole_140_arch.yaml" "$work/sim")
cd "$copy/tt_metal/tt-llk/tests/python_tests"
options=(-q -p no:sugar -p no:cacheprovider -p counters -o log_cli=false --run-simulator -m perf)
TT_METAL_SIMULATOR=$device CHIP_ARCH=blackhole PYTHONPATH=$here/llk "$venv/bin/python" -m pytest \
    "${options[@]}" --collect-only perf_eltwise_binary.py >"$work/collected" 2>&1 || true
variant=$(grep -m 1 'dest_acc:No.*:Float16_b->Float16_b.*:Elwadd.*tile_dimensions:(32, 32)' "$work/collected") ||
    { tail "$work/collected"; exit 1; }
touch "$work/begin"
TT_METAL_SIMULATOR=$device CHIP_ARCH=blackhole PENROSE_SCHEDULE=timed RUNNER_TEMP=$work TMPDIR=$work \
    PYTHONPATH=$here/llk "$venv/bin/python" -m pytest "${options[@]}" --enable-perf-counters \
    --dump-perf-counters "$variant" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
table=$(find "$copy" -name perf_eltwise_binary.counters.csv -newer "$work/begin" | head -1)
python3 - "$table" <<'PYTHON'
import csv, sys

rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["marker"] == "TILE_LOOP"]
assert len(rows) == 1, rows
ways = ("L1_TO_L1", "UNPACK_ISOLATE", "MATH_ISOLATE", "PACK_ISOLATE", "L1_CONGESTION")
for way in ways:
    names = {name[len(way) + 1 :]: value for name, value in rows[0].items() if name.startswith(way + "_")}
    cycles = {name[: -len(".cycles")]: float(value) for name, value in names.items() if name.endswith(".cycles")}
    count = {name: float(names[name]) for name in cycles}
    assert len(count) == 101, (way, len(count))
    for name in count:
        assert 0 <= count[name] <= cycles[name], (way, name, count[name], cycles[name])
    instrn, fpu, unpack, pack = ("INSTRN_THREAD.", "FPU.", "TDMA_UNPACK.", "TDMA_PACK.")
    works = {  # what has to have worked, at least
        "UNPACK_ISOLATE": (unpack + "SRCA_WRITE_REQ", unpack + "UNPACK0_BUSY_THREAD0"),
        "MATH_ISOLATE": (fpu + "FPU_COUNTER", unpack + "MATH_INSTRN_STARTED"),
        "PACK_ISOLATE": (pack + "PACKER_BUSY", pack + "PACKER0_DEST_READ_REQ"),
    }
    for name in works.get(way, sum(works.values(), ())):
        assert count[name] > 0, (way, name)
    for thread in "012":
        sums = sum(v for n, v in count.items() if n.endswith(f"_AVAILABLE_{thread}"))
        assert sums <= count[f"{instrn}THREAD_INSTRUCTIONS_{thread}"], (way, thread, sums)
        both = count[f"{instrn}THREAD_INSTRUCTIONS_{thread}"] + count[f"{instrn}THREAD_STALLS_{thread}"]
        assert both <= cycles[f"{instrn}THREAD_STALLS_{thread}"], (way, thread, both)
    assert count[fpu + "MATH_COUNTER"] <= count[fpu + "FPU_COUNTER"] + count[fpu + "SFPU_COUNTER"], way
    assert count[unpack + "MATH_INSTRN_STARTED"] <= count[unpack + "MATH_INSTRN_AVAILABLE"], way
    assert count[pack + "PACKER0_DEST_READ_REQ"] <= count[pack + "PACKER_BUSY"], way
print(f"{len(ways)} ways with 101 counters each")
PYTHON
rm -r "${table%/*/*}"
