"""Makes the dumps, arrays and measurements that compare.sh compares.

    compare_dumps.py FOLDER

Each dump is that of `base` with one change; its name says which.
"""

import copy
import json
import pathlib
import sys

import numpy

PROFILE = """ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, \
trace id, trace id counter, zone name, type, source line, source file, meta data
"""


def base():
    """The files of a dump by their names; arrays, or what JSON has."""
    numbers = numpy.arange(1024 * 16, dtype=numpy.float32).reshape(1024, 16) % 64
    l1 = numpy.zeros(0x4000, numpy.uint8)
    l1[0x1000:0x1800] = numpy.arange(0x800) % 251
    page = numpy.arange(1, 1025, dtype=numpy.float32).reshape(1, 32, 32) % 128
    l1[0x2000:0x2800] = (page.view(numpy.uint32) >> 16).astype("<u2").view(numpy.uint8).reshape(-1)
    files = {
        "tile.json": {"cycle": 1234, "wall_clock": 99},
        "config.json": {"config.0.ALU_FORMAT_SPEC_REG0_SrcA": 5, "0.CFG_STATE_ID_StateID": 0,
                        "config.0.wide": "0x123456789abcdef01"},
        "gpr.npy": numpy.arange(192, dtype=numpy.uint32).reshape(3, 64),
        "dst.npy": numbers,
        "dst_bits16.npy": numpy.arange(1024 * 16, dtype=numpy.uint16).reshape(1024, 16),
        "lregs_bits.npy": numpy.full((17, 32), 0x3F800000, numpy.uint32),
        "circular_buffers.json": [{"id": 3, "address": 0x2000, "size": 0x800, "page_size": 0x800,
                                   "pages": 1, "received": 1, "acknowledged": 0,
                                   "format": "Float16_b"}],
        "cb_3.npy": page,
        "l1.npy": l1,
        "noc.json": {"noc0.NIU_MST_RD_REQ_SENT": 7, "noc0.NIU_CFG_0": 1},
    }
    parts = {name.split(".")[0]: {"file": f"1-2/{name}"} for name in files}
    parts["dst"]["num_format"] = "Float16_b"
    parts["srca"] = {"missing": "the card does not show it"}
    l1_map = [{"start": 0, "size": 0x1000, "kind": "zero", "name": ""},
              {"start": 0x1000, "size": 0x1000, "kind": "kernel", "name": "reader"},
              {"start": 0x2000, "size": 0x800, "kind": "circular_buffer", "name": "cb3"},
              {"start": 0x2800, "size": 0x1800, "kind": "zero", "name": ""}]
    manifest = {"format": "penrose-dump", "version": 1, "chip": "blackhole", "source": "emulator",
                "volatile": ["tile/cycle", "tile/wall_clock", "noc/*_SENT", "l1:zero"],
                "tiles": [{"x": 1, "y": 2, "folder": "1-2", "kind": "Tensix", "parts": parts,
                           "l1_map": l1_map}]}
    return manifest, files


def write(folder, manifest, files):
    (folder / "1-2").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for name, value in files.items():
        if isinstance(value, numpy.ndarray):
            numpy.save(folder / "1-2" / name, value)
        else:
            (folder / "1-2" / name).write_text(json.dumps(value))


def cleared_dst(parts, files):
    """Parts of the physical rows; rows 16 to 19 held fives in BF16 when they were cleared."""
    files["dst.npy"][16:20] = 0
    files["dst_stored.npy"] = numpy.zeros((1024, 16), numpy.uint16)
    files["dst_stored.npy"][16:20] = 0x2081  # 5.0: fraction above exponent
    files["dst_cleared.npy"] = numpy.zeros(1024, bool)
    files["dst_cleared.npy"][16:20] = True
    for part in ("dst_stored", "dst_cleared"):
        parts[part] = {"file": f"1-2/{part}.npy"}


def change(manifest, files, name):
    """Makes the change that `name` stands for."""
    tile, parts = manifest["tiles"][0], manifest["tiles"][0]["parts"]
    l1 = files["l1.npy"]
    if name == "ulp":  # 40 and 41 in BF16: the next numbers are a quarter away
        files["dst.npy"][2, 8] += 0.25
        files["dst.npy"][1000, 9] += 1
    elif name == "field":
        files["config.json"]["config.0.ALU_FORMAT_SPEC_REG0_SrcA"] = 1
        files["config.json"]["config.0.wide"] = "0x123456789abcdef00"
    elif name == "padded":
        files["config.json"]["config.0.wide"] = "0x00123456789ABCDEF01"
    elif name == "volatile":
        files["tile.json"]["cycle"] = 4321
        files["noc.json"]["noc0.NIU_MST_RD_REQ_SENT"] = 8
    elif name == "buffer":
        files["cb_3.npy"][0, 3, 5] = 1
        l1[0x2000 + 2 * (3 * 16 + 5)] ^= 1
    elif name == "kernel":
        l1[0x1404] ^= 0x10
    elif name == "written":
        l1[0x20] = 1
    elif name == "partial":  # only the second half of L1 is known, and differs in the first
        manifest["source"] = "card"
        l1[:0x2000] = 1
        l1[0x2804] = 1
        tile["l1_map"] = [{"start": 0, "size": 0x2000, "kind": "unknown", "name": ""},
                          {"start": 0x2000, "size": 0x2000, "kind": "data", "name": ""}]
        del parts["cb_3"]
    elif name == "region":
        l1[0x2804] = 1
    elif name == "card":
        manifest["source"] = "card"
        l1[0x20] = 1
    elif name == "lreg":
        files["lregs_bits.npy"][5, 7] += 1
    elif name == "gpr":
        files["gpr.npy"][0, 5] = 0xC0000000
    elif name == "formats":
        parts["dst"]["num_format"] = "Float16"
        files["dst_bits16.npy"][7, 1] += 1
    elif name == "plain":  # as tt-exalens prints numbers
        del parts["dst"]["num_format"]
        files["dst.npy"][2, 8] += 0.25
    elif name == "cleared":  # as Penrose writes it, with rows 16 to 19 cleared
        cleared_dst(parts, files)
    elif name == "printed":  # what tt-exalens prints of a card: pairs of columns exchanged, old bits
        manifest["source"] = "card"
        del parts["dst"]["num_format"]
        numbers = files["dst.npy"][:64].copy()
        numbers[16:20] = 5
        files["dst.npy"] = numbers.reshape(64, 8, 2)[:, :, ::-1].reshape(64, 16).copy()
    elif name == "shown":  # a card that shows zeros, and whose columns are known, and a difference
        manifest["source"] = "card"
        parts["dst"]["columns"] = "in order"
        files["dst.npy"][16:20] = 0
        files["dst.npy"][3, 3] += 1
    elif name == "reversed":  # columns are known to be as they should, and are not
        manifest["source"] = "card"
        parts["dst"]["columns"] = "in order"
        files["dst.npy"] = files["dst.npy"].reshape(1024, 8, 2)[:, :, ::-1].reshape(1024, 16).copy()
    elif name in ("wide", "signs"):  # integers of 32 bits, and as tt-exalens prints them
        numbers = numpy.arange(-4096, 4096, dtype=numpy.int32).reshape(512, 16)
        if name == "signs":
            manifest["source"] = "card"
            del parts["dst"]["num_format"]
            numbers = numpy.where(numbers < 0, -2**31 - numbers, numbers).astype(numpy.int64)
        else:
            parts["dst"]["num_format"] = "Int32"
        files["dst.npy"] = numbers
    elif name in ("halves", "wider"):  # the same integers in another width
        parts["dst"]["num_format"] = "UInt16"
        files["dst.npy"] = files["dst.npy"].astype(numpy.uint16 if name == "halves" else numpy.int32)
    elif name == "shape":
        files["gpr.npy"] = files["gpr.npy"][:, :32]
    elif name == "rows":
        files["dst.npy"] = files["dst.npy"][:64].copy()
        files["dst.npy"][63, 1] += 1
    elif name == "lacking":
        del parts["gpr"], parts["l1"]
        del files["config.json"]["config.0.wide"]
    elif name == "tile":
        tile["x"] = 3
    elif name == "bare":
        tile["parts"] = {"lregs": {"missing": "nobody asked"}}
    elif name == "version":
        manifest["version"] = 2
    elif name == "foreign":
        manifest["format"] = "something"
    elif name == "chip":
        manifest["chip"] = "wormhole"
    elif name == "outside":
        parts["gpr"]["file"] = "../../etc/passwd"
    elif name == "absolute":
        parts["gpr"]["file"] = "/etc/passwd"
    elif name == "twice":
        manifest["tiles"].append(copy.deepcopy(tile))
    elif name == "tiles":
        manifest["tiles"] = {"x": 1}
    elif name == "parts":
        tile["parts"] = [1]
    elif name == "missing":
        del files["dst.npy"]


def break_file(folder, name):
    """What cannot be said by numpy or JSON."""
    dst = folder / "1-2" / "dst.npy"
    if name == "cut":
        dst.write_bytes(dst.read_bytes()[:1000])
    elif name == "huge":
        dst.write_bytes(dst.read_bytes().replace(b"(1024, 16)", b"(99999999999, 99999999)"))
    elif name == "json":
        (folder / "1-2" / "config.json").write_text('{"a": 1, ')
    elif name == "text":
        (folder / "1-2" / "config.json").write_text('"text"')
    elif name == "manifest":
        (folder / "manifest.json").write_text('{"format": "penrose-dump", "format": 2}')


def arrays(folder):
    numbers = numpy.array([1.0, -0.0, numpy.nan, numpy.inf, 2.0], numpy.float32)
    numpy.save(folder / "a.npy", numbers)
    numbers[1] = 0.0
    numpy.save(folder / "zero.npy", numbers)
    numbers[4] = 2.015625  # one BF16 step
    numpy.save(folder / "b.npy", numbers)
    numpy.save(folder / "long.npy", numpy.zeros(6, numpy.float32))
    numpy.save(folder / "half.npy", numbers.astype(numpy.float16))
    (folder / "a.bin").write_bytes(bytes(range(64)))
    (folder / "b.bin").write_bytes(bytes(range(60)) + b"abcdefgh")
    (folder / "empty.bin").write_bytes(b"")


def measurements(folder):
    head = "marker,formats.input_A,tile_cnt,mean(L1_TO_L1),std(L1_TO_L1),mean(MATH_ISOLATE)\n"
    rows = [("INIT", 100, 200), ("TILE_LOOP", 5000, 4000), ("UNINIT", 90, 1000)]

    def save(name, rows, count="4"):
        (folder / name).write_text(head + "".join(
            f"{marker},Float16_b,{count},{first},0,{second}\n" for marker, first, second in rows))

    save("llk.csv", rows)
    save("llk-noise.csv", [("INIT", 129, 200), ("TILE_LOOP", 5099, 4000), ("UNINIT", 90, 1000)], "4.0")
    save("llk-slower.csv", [("INIT", 100, 200), ("TILE_LOOP", 5131, 4000), ("UNINIT", 90, 900)])
    save("llk-other.csv", rows, "8")
    (folder / "llk-cut.csv").write_text((folder / "llk.csv").read_text()[:-12])
    (folder / "llk-word.csv").write_text(head + "INIT,x,4,many,0,1\n")
    (folder / "none.csv").write_text("a,b\n1,2\n")

    def zones(name, inner):
        lines = []
        for start in (1000, 20000):
            for zone, kind, time in (("OUTER", "ZONE_START", 0), ("INNER", "ZONE_START", 100),
                                     ("INNER", "ZONE_END", 100 + inner), ("OUTER", "ZONE_END", 9000)):
                lines.append(f"0,1,2,TRISC_1,7,{start + time},0,1024,,,{zone},{kind},12,kernel.cpp,\n")
        (folder / name).write_text(PROFILE + "".join(lines))

    zones("zones.csv", 4000)
    zones("zones-slower.csv", 4200)


def main():
    folder = pathlib.Path(sys.argv[1])
    changes = """base ulp field padded volatile buffer kernel written partial region card lreg gpr formats plain cleared printed shown reversed wide
        signs halves wider shape rows lacking tile bare version
        foreign chip outside absolute twice tiles parts missing cut huge json text manifest""".split()
    for name in changes:
        manifest, files = base()
        change(manifest, files, name)
        write(folder / name, manifest, files)
        break_file(folder / name, name)
    arrays(folder)
    measurements(folder)


main()
