"""scripts/capture on files: each kind, in the form in which its tool writes it, and broken ones."""

import contextlib
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from random import Random

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "scripts" / "capture"
sys.path.insert(0, str(ROOT / "scripts"))

from dumps import dst, readers, writer  # noqa: E402

GPR = """\
RISC-V registers for location 1-2 on device 0
Register     brisc       trisc0    trisc1
-----------  ----------  --------  ------------------------------
0 - zero     0x00000000            0x00000000
2 - sp       0xffb00f90            0xffb00f80
8 - s0 / fp  0x00000008            0x00000018
32 - pc      0x00003a10            0x00008030- /some/kernel.cc:40
Soft reset   False       True      False
Halted       False       -         True
"""

STATE = """\
Tensix registers for location 1,2 on device 0
ALU
┌───────────────┬────────────────────────────┐
│ ALU CONFIG    │ VALUES                     │
├───────────────┼────────────────────────────┤
│ Fpu_srnd_en   │ True                       │
│ Format_Dstacc │ TensixDataFormat.Float16_b │
└───────────────┴────────────────────────────┘
┌───────────────┬────────────┬────────────┐   ┌─────────────────┬────────────┬────────────┐
│ UNPACK CONFIG │ REG_ID = 1 │ REG_ID = 2 │   │ TILE DESCRIPTOR │ REG_ID = 1 │ REG_ID = 2 │
├───────────────┼────────────┼────────────┤   ├─────────────────┼────────────┼────────────┤
│ throttle_mode │ 2          │ 3          │   │ x_dim           │ 256        │ 16         │
│ limit_addr    │ 0x40       │ 0x0        │   └─────────────────┴────────────┴────────────┘
└───────────────┴────────────┴────────────┘
"""

TRIAGE = {
    "metadata": {"timestamp": "2026-11-27T05:00:00", "command": "tt-triage"},
    "scripts": [
        {"name": "dump_circular_buffers.py", "status": "success", "checks": [], "result": {
            "type": "list", "count": 2, "data": [
                {"Dev": {"_type": "Device", "id": 0}, "Loc": {"_type": "OnChipCoordinate", "x": 1, "y": 2},
                 "CB": 0, "Kind": "local", "Address": 0x20000, "Size": 4096, "Page Size": 2048,
                 "Size (pages)": 2, "Pushed": 0x10005, "Popped": 4, "Occupancy": 1},
                {"Dev": {"_type": "Device", "id": 0}, "Loc": {"_type": "OnChipCoordinate", "x": 1, "y": 3},
                 "CB": 16, "Kind": "global sender", "Address": 0x30000, "Size": 4096,
                 "Page Size": 2048, "Size (pages)": 2, "Pushed": 1, "Popped": 1, "Occupancy": 0}]}},
        {"name": "check_arc.py", "status": "success", "checks": [], "result": {
            "type": "single", "data": {"Heartbeat": 10}}},
        {"name": "dump_semaphores.py", "status": "failed", "checks": [], "result": None}],
    "summary": {"total_scripts": 3}}

TRIAGE_TABLES = """
create table diagnostics ("Script" text, "Type" text, "Device" integer, "Location" text, "Message" text);
insert into diagnostics values ('check_arc.py', 'warning', 0, null, 'no heartbeat');
insert into diagnostics values ('check_noc.py', 'error', 0, '1-2 (0,0)', 'stuck');
insert into diagnostics values ('check_noc.py', 'error', 1, '1-2 (0,0)', 'of another device');
create table dump_circular_buffers ("Dev" text, "Loc" text, "CB" integer, "Kind" text, "Address" integer,
  "Size" integer, "Page Size" integer, "Size (pages)" integer, "Pushed" integer, "Popped" integer);
insert into dump_circular_buffers values ('0', '1-2 (0,0)', 0, 'local', 131072, 4096, 2048, 2, 65541, 4);
insert into dump_circular_buffers values ('1', '1-2 (0,0)', 7, 'local', 131072, 4096, 2048, 2, 1, 1);
create table dump_callstacks ("Dev" text, "Loc" text, "RiscV" text, "PC" integer);
insert into dump_callstacks values ('0', '2-2 (1,0)', 'ncrisc', 41380);
"""

BUS = {"Device 0": {"arch": "blackhole", "block_types": {"functional_workers": {
    "location: 1-2 (0,0)": {"failed_riscs": ["trisc1"],
                            "debug_bus_signal_groups": {"brisc_group_a": "0x" + "0" * 31 + "7"}}}}},
       "git_commit": "unknown"}

OLD_BUS = {"Device 0": {"location": "1-2 (0,0)", "block_type": "functional_workers",
                    "failed_riscs": ["trisc1"],
                    "debug_bus_signals": {"brisc_group_a": "0x" + "0" * 31 + "7"}}}

# A device with tiles of three kinds, of which nothing can be read.
EXALENS = """\
import types
util = types.SimpleNamespace(Verbosity=types.SimpleNamespace(set=int, ERROR=1))
KIND = {"0-0": "dram", "1-1": "eth", "2-2": "functional_workers", "4-4": "functional_workers"}

class Place:
    def __init__(self, place):
        self.place = place
    def to(self, system):  # the first column is harvested
        x, y = map(int, self.place.split("-"))
        return ((x - 2, y - 2), "tensix") if system == "logical" else (x, y)
    @property
    def noc_block(self):
        return types.SimpleNamespace(block_type=KIND[self.place], has_risc_cores=False,
                                     get_register_store=lambda: None)

class Device:
    _umd_device = types.SimpleNamespace(is_simulation=True)  # a job that runs was found
    def get_block_locations(self, kind):
        return [Place(place) for place in reversed(KIND) if KIND[place] == kind]

OnChipCoordinate = types.SimpleNamespace(create=lambda place, device: Place(place))
init_ttexalens = lambda simulation_directory: types.SimpleNamespace(devices={0: Device()})
"""


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.temporary.name)
        self.out = self.work / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def file(self, name, content):
        path = self.work / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_capture(self, *arguments, **environment):
        return subprocess.run([sys.executable, CAPTURE, self.out, *map(str, arguments)],
                              capture_output=True, text=True, env={**os.environ, **environment})

    def capture(self, *arguments):
        """Parts of the tiles by "X-Y/PART"."""
        done = self.run_capture(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        manifest = json.loads((self.out / "manifest.json").read_text())
        self.assertEqual((manifest["format"], manifest["version"]), ("penrose-dump", 1))
        parts = {}
        for tile in manifest["tiles"]:
            for name, part in tile["parts"].items():
                path = self.out / part["file"]
                value = numpy.load(path) if path.suffix == ".npy" else json.loads(path.read_text())
                if path.suffix == ".npy":
                    self.assertEqual(part["shape"], list(value.shape))
                parts[f"{tile['folder']}/{name}"] = value
        return parts

    def refuse(self, words, *arguments):
        done = self.run_capture(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_gpr(self):
        harts = self.capture("--from", self.file("gpr.txt", GPR))["1-2/harts"]
        self.assertEqual(harts["brisc.sp"], 0xFFB00F90)
        self.assertEqual(harts["brisc.s0"], 8)
        self.assertEqual(harts["trisc1.pc"], 0x8030)
        self.assertEqual([harts[f"{hart}.state"] for hart in ("brisc", "trisc0", "trisc1")],
                         ["running", "held", "paused"])
        self.assertNotIn("trisc0.sp", harts)

    def test_tensix_state(self):
        path = self.file("state.txt", "\x1b[32m" + STATE)
        state = self.capture("--from", path, "--tile", "1,2")["1-2/exalens_state"]
        self.assertEqual(state, {
            "ALU CONFIG.Fpu_srnd_en": 1, "ALU CONFIG.Format_Dstacc": "TensixDataFormat.Float16_b",
            "UNPACK CONFIG.1.throttle_mode": 2, "UNPACK CONFIG.2.throttle_mode": 3,
            "UNPACK CONFIG.1.limit_addr": 64, "UNPACK CONFIG.2.limit_addr": 0,
            "TILE DESCRIPTOR.1.x_dim": 256, "TILE DESCRIPTOR.2.x_dim": 16})

    def test_config_of_tensix_state(self):
        config = self.capture("--from", self.file("state.txt", STATE), "--tile", "1,2")["1-2/config"]
        self.assertEqual(config, {
            "config.0.ALU_ROUNDING_MODE_Fpu_srnd_en": 1, "config.0.ALU_FORMAT_SPEC_REG2_Dstacc": 5,
            "config.0.THCON_SEC0_REG2_Throttle_mode": 2, "config.0.THCON_SEC1_REG2_Throttle_mode": 3,
            "config.0.THCON_SEC0_REG2_Unpack_limit_address": 64,
            "config.0.THCON_SEC1_REG2_Unpack_limit_address": 0,
            "config.0.THCON_SEC0_REG0_TileDescriptor_x_dim": 256,
            "config.0.THCON_SEC1_REG0_TileDescriptor_x_dim": 16})
        broken = STATE.replace("│ 2          │ 3 ", "│ 9          │ ? ").replace(
            "TensixDataFormat.Float16_b", "12 -> INVALID VALUE       ").replace("x_dim        ", "blobs_y_start")
        config = self.capture("--from", self.file("b.txt", broken), "--tile", "1,2")["1-2/config"]
        self.assertNotIn("config.0.THCON_SEC0_REG2_Throttle_mode", config)  # has two bits
        self.assertNotIn("config.0.THCON_SEC1_REG2_Throttle_mode", config)
        self.assertEqual(config["config.0.ALU_FORMAT_SPEC_REG2_Dstacc"], 12)
        self.assertEqual(config["config.0.THCON_SEC0_REG0_TileDescriptor_blobs_y_start_hi"], 256)
        self.assertEqual(config["config.0.THCON_SEC0_REG0_TileDescriptor_blobs_y_start_lo"], 0)

    def test_gprs_of_tensix_state(self):
        def table(thread, rows=64):
            lines = [f"│ Thread {thread} │ Values │"]
            lines += [f"│ gpr_{i} │ {hex(i << 24) if i % 2 else 1000 * thread + i} │" for i in range(rows)]
            return "\n".join(["┌──────────┬────────┐", *lines, "│ tmp │ 77 │", "└──────────┴────────┘\n"])

        text = STATE + "".join(map(table, range(3)))
        gpr = self.capture("--from", self.file("s.txt", text), "--tile", "1,2")["1-2/gpr"]
        self.assertEqual(gpr.tolist(), [[i << 24 if i % 2 else 1000 * thread + i for i in range(64)]
                                        for thread in range(3)])
        for short in (STATE + table(0) + table(1), STATE + table(0) + table(1) + table(2, 62)):
            self.assertNotIn("1-2/gpr", self.capture("--from", self.file("s.txt", short), "--tile", "1,2"))
            subprocess.run(["rm", "-r", self.out])

    def test_regfile(self):
        numbers = numpy.arange(2048, dtype=numpy.float32) / 4
        rows = ["\t".join(map(str, row)) + "\t" for row in numbers.reshape(-1, 32).tolist()]
        text = "Dump regfile on device 0\nLocation 1-2 (0,0)\n"
        text += "TILE ID: 0\n" + "\n".join(rows[:32]) + "\nTILE ID: 1\n" + "\n".join(rows[32:]) + "\n"
        dst = self.capture("--from", self.file("dst.txt", text))["1-2/dst"]
        numpy.testing.assert_array_equal(dst, numbers.reshape(-1, 16))
        for cut in (text[:-8], text[:len(text) // 2], text + "TILE ID: 2\n" + rows[0] + "\n"):
            self.refuse("the text was cut off", "--from", self.file("cut.txt", cut))
        session = "gdb:None Curr device:0 loc:1-2 > dr 2\n" + text + "gdb:None Curr device:0 loc:1-2 > \n"
        dst = self.capture("--from", self.file("session.txt", session))["1-2/dst"]
        numpy.testing.assert_array_equal(dst, numbers.reshape(-1, 16))

    def test_regfile_of_several_tiles(self):
        body = "TILE ID: 0\n" + ("1.5\t" * 32 + "\n") * 32
        text = f"\x1b[1mLocation 3-2 (0,0)\n{body}Location 11-4 (7,2)\n{body.replace('1.5', '2.5')}"
        parts = self.capture("--from", self.file("two.txt", text))
        self.assertEqual({name: part[0, 0] for name, part in parts.items()}, {"1-2/dst": 1.5, "10-4/dst": 2.5})
        parts = self.capture("--from", self.file("two.txt", text), "--tile", "10,4")
        self.assertEqual({name: part[0, 0] for name, part in parts.items()}, {"10-4/dst": 2.5})
        self.refuse("has nothing of the tile 2,2", "--from", self.file("two.txt", text), "--tile", "2,2")
        parts = self.capture("--from", self.file("one.txt", "Location 3-2 (0,0)\n" + body), "--tile", "5,6")
        self.assertEqual(list(parts), ["5-6/dst"])

    def test_regfile_of_bytes(self):
        text = "Location 1-2 (0,0)\nTILE ID: 0\n" + "0x3f\t0x80\t" * 512 + "\n"
        raw = self.capture("--from", self.file("raw.txt", text), "--part", "srca")["1-2/srca_raw"]
        self.assertEqual(raw.tolist(), [[0x3F, 0x80] * 8] * 64)

    def test_regfile_of_integers(self):
        for most, kind in ((-16777217, numpy.int32), (4294967295, numpy.uint32)):
            text = "Location 1-2 (0,0)\nTILE ID: 0\n" + f"5\t{most}\t" * 512 + "\n"
            dst = self.capture("--from", self.file("int.txt", text))["1-2/dst"]
            self.assertEqual((dst.dtype, dst.tolist()), (kind, [[5, most] * 8] * 64))
        wide = self.file("wide.txt", text.replace("4294967295", "9" * 30))
        self.refuse("wide.txt: ", "--from", wide)

    def test_memory(self):
        image = bytes(4096) + bytes(range(256)) * 8
        l1 = self.capture("--from", self.file("l1.bin", image), "--tile", "1-2")["1-2/l1"]
        self.assertEqual(l1.tobytes(), image)
        entry = json.loads((self.out / "manifest.json").read_text())["tiles"][0]
        self.assertEqual([(s["start"], s["size"], s["kind"]) for s in entry["l1_map"]],
                         [(0, 4096, "zero"), (4096, 2048, "data")])

    def test_lines_of_words(self):
        text = "00000000: 03020100 07060504\n00000008: 0b0a0908 0f0e0d0c\n"
        l1 = self.capture("--from", self.file("l1.txt", text), "--tile", "1,2")["1-2/l1"]
        self.assertEqual(l1.tolist(), list(range(16)))
        burst = "1-2 (0,0) (L1) : 0x00000000 (8 total bytes)\n0x00000000:  03020100  07060504\n"
        l1 = self.capture("--from", self.file("brxy.txt", burst), "--tile", "1,2")["1-2/l1"]
        self.assertEqual(l1.tolist(), list(range(8)))
        gap = self.file("gap.txt", text.replace("00000008:", "00000010:"))
        l1 = self.capture("--from", gap, "--tile", "1,2")["1-2/l1"]
        self.assertEqual(l1.tolist(), [*range(8), *[0] * 8, *range(8, 16)])
        self.assertEqual(self.segments(), [(0, 8, "data"), (8, 8, "unknown"), (16, 8, "data")])

    def segments(self):
        entry = json.loads((self.out / "manifest.json").read_text())["tiles"][0]
        return [(s["start"], s["size"], s["kind"]) for s in entry["l1_map"]]

    def test_part_of_memory(self):
        part, whole = self.file("a.bin", b"ab" * 1024), self.file("b.bin", bytes(6) + b"cd")
        l1 = self.capture("--from", part, "--address", "0x1000", "--tile", "1,2")["1-2/l1"]
        self.assertEqual(l1.tobytes(), bytes(4096) + b"ab" * 1024)
        self.assertEqual(self.segments(), [(0, 4096, "unknown"), (4096, 2048, "data")])
        l1 = self.capture("--from", whole, "--from", part, "--address", "4096", "--tile", "1,2")["1-2/l1"]
        self.assertEqual(l1.tobytes(), bytes(6) + b"cd" + bytes(4088) + b"ab" * 1024)
        self.assertEqual(self.segments(), [(0, 8, "data"), (8, 4088, "unknown"), (4096, 2048, "data")])
        for address, words in (("0x1001", "no multiple of 4"), ("-4", "no multiple of 4"), ("0x180000000", "no image")):
            self.refuse(words, "--from", part, "--tile", "1,2", "--address", address)
        self.refuse("goes behind the --from", "--address", "0", "--from", part, "--tile", "1,2")
        self.refuse("is for images of L1", "--from", self.file("g.txt", GPR), "--address", "0", "--kind", "gpr")

    def test_arrays(self):
        numpy.save(self.work / "golden.npy", numpy.eye(3, dtype=numpy.float32))
        array = self.capture("--from", self.work / "golden.npy", "--tile", "1,2")["1-2/golden"]
        self.assertEqual(array.tolist(), numpy.eye(3).tolist())
        path = self.file("cut.npy", (self.work / "golden.npy").read_bytes()[:140])
        self.refuse("cut.npy", "--from", path, "--tile", "1,2")
        numpy.save(self.work / "objects.npy", numpy.array([{}]), allow_pickle=True)
        self.refuse("objects.npy", "--from", self.work / "objects.npy", "--tile", "1,2")

    def test_torch(self):
        try:
            import torch
        except ImportError:
            path = self.file("t.pt", b"PK\x03\x04 data.pkl")
            self.refuse("reading torch tensors needs torch", "--from", path, "--tile", "1,2")
            return
        torch.save(torch.tensor([1.5, -2], dtype=torch.bfloat16), self.work / "t.pt")
        array = self.capture("--from", self.work / "t.pt", "--tile", "1,2")["1-2/t"]
        self.assertEqual(array.tolist(), [1.5, -2])

    def test_triage(self):
        parts = self.capture("--from", self.file("triage.json", TRIAGE))
        self.assertEqual(parts["1-2/circular_buffers"], [
            {"id": 0, "address": 0x20000, "size": 4096, "page_size": 2048, "pages": 2, "received": 5,
             "acknowledged": 4}])
        self.assertEqual(parts["1-3/triage"]["dump_circular_buffers.Kind"], "global sender")
        self.assertNotIn("1-3/circular_buffers", parts)
        empty = dict(TRIAGE, scripts=TRIAGE["scripts"][1:])
        self.refuse("is about a tile", "--from", self.file("empty.json", empty))

    def test_triage_of_sqlite(self):
        path = self.work / "triage.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(TRIAGE_TABLES)
        parts = self.capture("--from", path)
        self.assertEqual(sorted(parts), ["1-2/circular_buffers", "1-2/triage", "2-2/triage"])
        self.assertEqual(parts["1-2/circular_buffers"], [
            {"id": 0, "address": 0x20000, "size": 4096, "page_size": 2048, "pages": 2, "received": 5,
             "acknowledged": 4}])
        self.assertEqual(parts["1-2/triage"]["diagnostics.Message"], "stuck")
        self.assertEqual(parts["2-2/triage"]["dump_callstacks.PC"], 41380)
        other = self.capture("--from", path, "--device", "1")
        self.assertEqual(other["1-2/triage"]["diagnostics.Message"], "of another device")
        self.refuse("about a tile of device 2", "--from", path, "--device", "2")
        self.refuse("cut.db", "--from", self.file("cut.db", path.read_bytes()[:4096]))

    def test_debug_bus(self):
        for bus in (BUS, OLD_BUS):
            parts = self.capture("--from", self.file("bus.json", bus))
            self.assertEqual(parts["1-2/debug_bus"], {"brisc_group_a": "0x" + "0" * 31 + "7"})
            self.assertEqual(parts["1-2/harts"], {"trisc1.state": "stuck"})

    def test_several_files(self):
        parts = self.capture("--from", self.file("gpr.txt", GPR), "--from", self.file("bus.json", BUS))
        self.assertEqual(sorted(parts), ["1-2/debug_bus", "1-2/harts"])
        self.assertEqual(parts["1-2/harts"]["brisc.s0"], 8)

    def test_refused(self):
        self.refuse("no such file", "--from", self.work / "nothing")
        self.refuse("add --tile X,Y", "--from", self.file("l1.bin", bytes(16)))
        self.refuse("say --kind", "--from", self.file("text.txt", "hello"))
        self.refuse("not as triage files are", "--from", self.file("list.json", '{"scripts": 3}'))
        self.refuse("no table of dump-gpr", "--kind", "gpr", "--from", self.file("a.txt", "Register"))
        self.refuse("Expecting", "--kind", "triage", "--from", self.file("b.json", '{"scripts": ['))
        self.refuse("is no tile", "--tile", "north")
        self.refuse("there is no part gprs", "--parts", "l1,gprs", "--tile", "1,2")
        self.refuse("are no image of L1", "--kind", "l1", "--tile", "1,2", "--from", self.file("c", b""))

    def test_other_tiles(self):
        self.file("ttexalens.py", EXALENS)
        which = "Tensix tiles are those from 1,2 to 3,4"
        for tile, kind, lacks in (("0,0", "DRAM", "tile, l1, local, gpr, config, dst"),
                                  ("1,1", "Ethernet", "tile, local, gpr, config, dst")):
            done = self.run_capture("--tile", tile, PYTHONPATH=str(self.work))
            self.assertIn(f"  without {lacks}: {tile} is no Tensix tile but of the kind {kind}; {which}\n",
                          done.stdout)
            self.assertEqual(done.returncode, 0)
        for tile in ("0,9", "4,2"):
            done = self.run_capture("--tile", tile, PYTHONPATH=str(self.work))
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"capture: --tile: there is no tile at {tile}; {which}\n"))
        done = self.run_capture("--tile", "1,2", "3,4", "1,2", PYTHONPATH=str(self.work))
        self.assertEqual(sorted(path.name for path in self.out.iterdir() if path.is_dir()), ["0-0", "1-1", "1-2", "3-4"])
        manifest = json.loads((self.out / "manifest.json").read_text())
        self.assertEqual(manifest["source"], "simulator")
        tiles = manifest["tiles"]
        self.assertEqual([(tile["x"], tile["y"]) for tile in tiles], [(1, 2), (3, 4)])

    def seeds(self):
        """(kind, bytes) of a good file of each kind."""
        yield "gpr", GPR.encode()
        yield "tensix-state", STATE.encode()
        yield "triage", json.dumps(TRIAGE).encode()
        yield "debug-bus", json.dumps(BUS).encode()
        yield "hex", b"0x00000000:  00000001 00000002\n0x00000008:  00000003\n"
        yield "regfile", b"TILE ID: 0\n" + b"1.5 " * 1024
        yield "l1", bytes(64)
        array = io.BytesIO()
        numpy.save(array, numpy.zeros((3, 4), numpy.float32))
        yield "npy", array.getvalue()
        path = self.work / "triage.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(TRIAGE_TABLES)
        yield "triage", path.read_bytes()

    def test_changed_files(self):
        """A thousand of each kind: read, or refused in one way."""
        random = Random(1)
        pieces = [b"\0", b"\xff\xfe", b"99999999999999999999999", b"-1", b"1e999", b"{", b"[" * 3000, b'"', b"\n",
                  b"\\ud800", b"nan", b"0x", b"\x1b[2J"]
        count = 50000 if os.environ.get("PENROSE_LONG") else 1000
        for kind, good in self.seeds():
            path = self.work / f"{kind}.changed"
            refused = 0
            for _ in range(count):
                data = bytearray(good)
                for _ in range(random.randint(1, 4)):
                    at = random.randrange(len(data) + 1)
                    data[at:at + random.choice((0, 0, 1, 8, 100))] = random.choice(
                        (*pieces, random.randbytes(random.randint(0, 4)), data[:at][-40:]))
                path.write_bytes(data)
                try:
                    tiles = readers.read(path, kind, (1, 2))
                except writer.CaptureError:
                    refused += 1
                    continue
                if random.random() < 0.05:
                    writer.write(self.out, tiles, "card", command=["a\udcff\x1b"])
                    for json_file in self.out.rglob("*.json"):
                        json.loads(json_file.read_bytes().decode(), parse_constant=self.fail)
            self.assertLess(refused, count, kind)

    def test_what_is_not_overwritten(self):
        self.out.mkdir()
        (self.out / "manifest.json").write_text('{"name": "my web application"}')
        image = self.file("l1.bin", bytes(64))
        self.refuse("something else than a dump", "--from", image, "--tile", "1,2")
        self.assertIn("my web", (self.out / "manifest.json").read_text())
        (self.out / "manifest.json").unlink()
        self.capture("--from", image, "--tile", "1,2")
        victim = self.file("victim", "precious")
        (self.out / "1-2" / "l1.npy").unlink()
        (self.out / "1-2" / "l1.npy").symlink_to(victim)
        self.capture("--from", image, "--tile", "1,2")
        self.assertEqual(victim.read_text(), "precious")
        (self.out / "1-2").rename(self.work / "moved")
        (self.out / "1-2").symlink_to(self.work / "moved")
        self.refuse("this is a link", "--from", image, "--tile", "1,2")
        self.refuse("--part: '../x' is no name", "--from", self.file("a.npy", b""), "--part", "../x")

    def test_names_on_a_terminal(self):
        done = self.run_capture("--from", self.work / "\x1b[31mred\nline")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertNotIn("\x1b", done.stderr)

    def test_without_numpy(self):
        hidden = pathlib.Path(self.work) / "numpy.py"
        hidden.write_text("raise ImportError(\"No module named 'numpy'\")\n")
        for option, code, text in (("--help", 0, "Takes a dump"), ("out", 2, "pip install numpy")):
            done = subprocess.run([sys.executable, CAPTURE, option], capture_output=True, text=True,
                                  env={"PYTHONPATH": str(self.work), "PYTHONDONTWRITEBYTECODE": "1"}, check=False)
            self.assertEqual(done.returncode, code)
            self.assertIn(text, done.stdout + done.stderr)

    def test_dst_of_the_debug_array(self):
        """The lower half of a word is the column that comes first; tt-exalens gives its bytes last."""
        stored = {"Float16_b": {0x2081: 5, 0xA081: -5, 0: 0, 0xFF: numpy.inf},  # 15 sign, fraction, exponent
                  "Float16": {0x8011: -4, 0x6000 | 0x1F: 114688, 0x20: 2.0**-24},  # no infinity
                  "UInt16": {0xFFFE: 65534}, "Int8": {0x8010 | 5 << 5: -5, 0x10 | 1023 << 5: 1023}}
        for form, cases in stored.items():
            for bits, number in cases.items():
                data = [byte for _ in range(8) for byte in (0x00, 0x00, bits >> 8, bits & 0xFF)]
                numbers = dst.numbers_of_array(data, form)
                self.assertEqual(numbers.shape, (1, 16))
                self.assertEqual(numbers[0].tolist(), [number, 0] * 8, (form, hex(bits)))

    def test_dst_of_the_window(self):
        five = numpy.float32(-5).view(numpy.uint32)
        for form, window, word, number in (
                ("Float32", (0, 0), five, -5), ("Float32", (0, 1), 0xA0810000, -5), ("Int32", (0, 0), 0x80000005, -5),
                ("Int32", (1, 0), 0xFFFFFFFB, -5), ("Float32", (1, 0), 0x100000000 - (five & 0x7FFFFFFF), -5)):
            numbers = dst.numbers_of_words([word] * 16, form, window)
            self.assertEqual(numbers.tolist(), [[number] * 16], (form, window))
        with self.assertRaises(writer.CaptureError):
            dst.numbers_of_words([0] * 16, "Float32", (3, 0))

    def test_format_of_dst(self):
        fields = writer.fields_of_words(numpy.zeros((2, writer.CONFIG_WORDS), numpy.uint32),
                                        numpy.zeros((3, writer.THREAD_WORDS), numpy.uint16))
        for form, changed in (("Float16_b", {}), ("UInt16", {"config.0.ALU_FORMAT_SPEC_REG2_Dstacc": 9}),
                              ("Float16", {"config.0.ALU_FORMAT_SPEC_REG0_SrcA": 1}),
                              ("Float32", {"config.0.ALU_ACC_CTRL_Fp32_enabled": 1}),
                              ("Float32", {"config.1.PCK_DEST_RD_CTRL_Read_32b_data": 1, "2.CFG_STATE_ID_StateID": 1}),
                              ("Int32", {"config.0.ALU_ACC_CTRL_INT8_math_enabled": 1})):
            self.assertEqual(dst.find_format({**fields, **changed})[0], form, changed)

    def test_fields_of_words(self):
        config = numpy.zeros((2, writer.CONFIG_WORDS), numpy.uint32)
        config[:] = 0xFFFFFFFF
        threads = numpy.zeros((3, writer.THREAD_WORDS), numpy.uint16)
        threads[1] = 0xFFFF
        fields = writer.fields_of_words(config, threads)
        for name, _, _, width, is_thread in writer.config_fields():
            ones = (1 << width) - 1
            label = f"1.{name}" if is_thread else f"config.1.{name}"
            self.assertEqual(fields[label], ones if width <= 32 else f"0x{ones:0{(width + 3) // 4}x}", name)
        self.assertEqual(fields["0.CFG_STATE_ID_StateID"], 0)


if __name__ == "__main__":
    unittest.main()
