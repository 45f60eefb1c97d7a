"""What dumps have to have, read with numpy and json alone, as docs/DUMPS.md says. Prints what is wrong.

  dumps.py make A B            two matrices for a product
  dumps.py only DUMP PART...   the dump has no other parts
  dumps.py cycle DUMP N        all of it stands at this cycle
  dumps.py pictures PAGE       they can be decoded, and show something
  dumps.py same DUMP DUMP      equal items, but for when and why
  dumps.py matmul DUMP C A     Dst has the first tile of C; L1 has A; parts agree with each other
"""
import base64
import json
import pathlib
import re
import struct
import sys
import zlib

import numpy


def complain(condition, text):
    if not condition:
        print(text)


class Dump:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.manifest = json.loads((self.path / "manifest.json").read_text())
        complain(self.manifest["format"] == "penrose-dump" and self.manifest["version"] == 1, "no dump of version 1")

    def parts(self, tile=0):
        """Name -> contents."""
        contents = {}
        for name, about in self.manifest["tiles"][tile]["parts"].items():
            path = self.path / about["file"]
            if path.suffix == ".json":
                contents[name] = json.loads(path.read_text())
            else:
                contents[name] = numpy.load(path)
                complain(list(contents[name].shape) == about["shape"], f"{name}: another shape than in the manifest")
                complain(contents[name].dtype.name == about["dtype"], f"{name}: another type than in the manifest")
        return contents


def make(a, b):
    numbers = numpy.random.default_rng(1)
    for path in (a, b): # few bits, so that sums are exact
        numpy.save(path, (numbers.integers(-8, 9, (64, 64)) / 4).astype(numpy.float32))


def only(path, *names):
    found = set(Dump(path).manifest["tiles"][0]["parts"])
    complain(found == set(names), f"parts are {found}")


def pictures(path):
    found = re.findall("data:image/png;base64,([A-Za-z0-9+/=]+)", pathlib.Path(path).read_text())
    complain(found, "no pictures")
    colors = set()
    for data in map(base64.b64decode, found):
        chunks, at = {}, 8
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            chunks[kind] = data[at + 8:at + 8 + length]
            check, = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
            complain(check == zlib.crc32(kind + chunks[kind]), f"{kind} has another check sum")
            at += 12 + length
        columns, rows = struct.unpack(">II", chunks[b"IHDR"][:8])
        pixels = zlib.decompress(chunks[b"IDAT"])
        complain(len(pixels) == rows * (columns + 1), f"{len(pixels)} bytes of {columns}x{rows} pixels")
        colors |= set(pixels[1:])
    complain(len(colors) > 10, f"{len(colors)} colors")


def cycle(path, number):
    dump, number = Dump(path), int(number)
    parts = dump.parts()
    complain(dump.manifest["cycle"] == number, f"cycle {dump.manifest['cycle']}")
    complain(parts["tile"]["wall_clock"] == number, f"wall clock {parts['tile']['wall_clock']}")
    complain(parts["harts"]["brisc.mcycle"] == number, f"mcycle {parts['harts']['brisc.mcycle']}")
    complain(parts["harts"]["brisc.minstret"] == number, f"minstret {parts['harts']['brisc.minstret']}")


def same(one, other):
    one, other = Dump(one), Dump(other)
    complain(one.manifest["state_hash"] == other.manifest["state_hash"], "hashes differ")
    first, second = one.parts(), other.parts()
    complain(first.keys() == second.keys(), "other parts")
    for name, contents in first.items():
        equal = numpy.array_equal(contents, second[name]) if hasattr(contents, "dtype") else contents == second[name]
        complain(equal, f"{name} differs")


def float_of_dst16(bits):
    bits = bits.astype(numpy.uint32)
    return ((bits & 0x8000 | (bits & 0xff) << 7 | bits >> 8 & 0x7f) << 16).view(numpy.float32)


def float_of_dst32(bits):
    high = bits >> 16
    return ((high & 0x8000 | (high & 0xff) << 7 | high >> 8 & 0x7f) << 16 | bits & 0xffff).view(numpy.float32)


def tile_of_faces(rows):
    """64 rows of 16 data: four faces one below the other."""
    return rows.reshape(2, 2, 16, 16).swapaxes(1, 2).reshape(32, 32)


def matmul(path, c, a):
    dump, c, a = Dump(path), numpy.load(c), numpy.load(a)
    parts = dump.parts()
    about = dump.manifest["tiles"][0]["parts"]
    # Dst: the packer has just taken the first tile of the product.
    complain(about["dst"]["num_format"] == "Float32", f"Dst is {about['dst']['num_format']}")
    complain(numpy.array_equal(tile_of_faces(parts["dst"][:64]), c[:32, :32]), "Dst is not the product")
    complain(numpy.array_equal(float_of_dst32(parts["dst_bits32"]), parts["dst"]), "bits and numbers of Dst differ")
    complain(parts["dst_bits16"].shape == (1024, 16) and parts["dst_stored"].shape == (1024, 16), "shapes of Dst")
    # Src holds BF16, which are TF32 with three bits of zeros.
    for name in ("srca", "srcb"):
        bits = parts[name + "_bits"]
        numbers = ((bits & 0x40000) << 13 | (bits & 0xff) << 23 | (bits >> 8 & 0x3ff) << 13).view(numpy.float32)
        complain(numpy.array_equal(numbers, parts[name]), f"bits and numbers of {name} differ")
        complain(set(about[name]["num_formats"]) == {"Float16_b"}, f"formats of {name}")
    # LRegs: constants, and the numbers of the lanes.
    complain(numpy.array_equal(parts["lregs"].view(numpy.uint32), parts["lregs_bits"]), "bits and numbers of LRegs")
    complain((parts["lregs"][10] == 1).all() and (parts["lregs"][11] == -1).all(), "constants of LRegs")
    complain((parts["lregs_bits"][15] == 2 * numpy.arange(32)).all(), "numbers of lanes in LReg 15")
    # L1: the first matrix in tiles of BF16.
    stored = parts["l1"][0x40000:0x40000 + 2 * a.size].view(numpy.uint16).astype(numpy.uint32) << 16
    tiles = [tile_of_faces(tile.reshape(64, 16)) for tile in stored.view(numpy.float32).reshape(4, 1024)]
    complain(numpy.array_equal(numpy.block([tiles[:2], tiles[2:]]), a), "the input in L1")
    # The configuration: fields are bits of the words.
    config, words = parts["config"], parts["config_words"]
    for state in (0, 1):
        complain(config[f"config.{state}.ALU_FORMAT_SPEC_REG2_Dstacc"] == words[state][1] >> 25 & 15, "Dstacc")
        complain(int(config[f"config.{state}.THCON_SEC0_REG0_TileDescriptor"], 16) & 0xffffffff == words[state][64],
                 "a field of 128 bits")
    for thread in range(3):
        complain(config[f"{thread}.CFG_STATE_ID_StateID"] == parts["thread_config_words"][thread][0] & 1, "StateID")
    complain(parts["gpr"].shape == (3, 64) and parts["local_trisc1"].size == 4096, "GPRs, local RAM")
    complain(parts["harts"]["trisc1.state"] in ("running", "waiting", "polling", "paused"), "state of trisc1")
    # The map of L1 has no gaps, and knows the programs.
    end = 0
    for segment in dump.manifest["tiles"][0]["l1_map"]:
        complain(segment["start"] == end, f"a gap in the map of L1 at {end:#x}")
        end += segment["size"]
        if segment["kind"] == "zero":
            complain(not parts["l1"][segment["start"]:end].any(), f"{segment} is not zero")
    complain(end == parts["l1"].size, "the map of L1 ends early")
    complain({"matmul-trisc0.elf", "matmul-trisc1.elf", "matmul-trisc2.elf"} <=
             {pathlib.Path(elf["path"]).name for elf in dump.manifest["elfs"]}, "the ELFs")
    complain(all(elf["role"] == "program" for elf in dump.manifest["elfs"]), "roles of ELFs")
    complain((dump.path / "index.html").stat().st_size > 10000, "the page")


if __name__ == "__main__":
    {"make": make, "only": only, "cycle": cycle, "pictures": pictures, "same": same, "matmul": matmul}[sys.argv[1]](*sys.argv[2:])
