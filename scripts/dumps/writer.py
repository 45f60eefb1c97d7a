"""Writes dumps: docs/DUMPS.md is the format."""

import functools
import json
import math
import pathlib
import re

import numpy

VERSION = 1
MANIFEST = "manifest.json"
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# Differs between two runs, or between two machines, without anything being wrong.
VOLATILE = ["tile/cycle", "tile/wall_clock", "harts/*.mcycle", "harts/*.mcycleh", "harts/*.minstret",
            "harts/*.minstreth", "noc/*.NIU_MST_*", "noc/*.NIU_SLV_*", "noc/*.ROUTER_DEBUG*",
            "noc/*.NIU_DEBUG*", "noc/*.PORT_FLIT_COUNTER*", "l1:zero"]

CONFIG_STATES, CONFIG_WORDS = 2, 224
THREADS, THREAD_WORDS = 3, 68
# Worker tiles as software names them: harvested columns are at the end.
WORKER_COLUMNS = (*range(1, 8), *range(10, 17))
FIRST_WORKER_ROW = 2
GRANULE = 1024  # the shortest run of zeros that is a segment of its own


class CaptureError(Exception):
    """What the user did or gave is wrong; the message says what to do."""


class Tile:
    """A tile of a dump: parts by name, arrays or what JSON has."""

    def __init__(self, x, y, kind, harts=()):
        self.x, self.y, self.kind, self.harts = x, y, kind, list(harts)
        self.parts = {}  # name -> (value, members of the manifest)
        self.missing = {}
        self.known_l1 = None  # bytes of part l1 that are known; None: all of them

    def add_l1(self, l1, known):
        """Adds L1 of which not all may be known."""
        self.add("l1", l1)
        self.known_l1 = known

    def merge_l1(self, other):
        """Adds what another tile knows of L1."""
        size = max(len(part) for part in (other.known_l1, self.parts.get("l1", ([], {}))[0]))
        l1, known = numpy.zeros((2, size), numpy.uint8)
        for tile in (self, other):
            if "l1" in tile.parts:
                part = tile.parts["l1"][0]
                mask = numpy.ones(len(part), bool) if tile.known_l1 is None else tile.known_l1
                l1[:len(part)][mask] = part[mask]
                known[:len(part)] |= mask
        self.add_l1(l1, known != 0)

    def add(self, name, value, **about):
        self.parts[name] = (value, about)

    def add_fields(self, name, fields):
        """Adds members to a JSON part."""
        self.parts.setdefault(name, ({}, {}))[0].update(fields)

    def lack(self, name, reason):
        self.missing[name] = str(reason).splitlines()[0] if str(reason) else "unknown"

    def manifest(self):
        folder = f"{self.x}-{self.y}"
        parts = {}
        for name, (value, about) in self.parts.items():
            if isinstance(value, numpy.ndarray):
                parts[name] = {"file": f"{folder}/{name}.npy", "dtype": str(value.dtype),
                               "shape": list(value.shape), **about}
            else:
                parts[name] = {"file": f"{folder}/{name}.json", **about}
        for name, reason in self.missing.items():
            parts.setdefault(name, {"missing": reason})
        entry = {"x": self.x, "y": self.y, "folder": folder, "kind": self.kind,
                 "harts": self.harts, "parts": parts}
        if "l1" in self.parts:
            entry["l1_map"] = segments_of(self.parts["l1"][0], self.known_l1)
        return entry


def segments_of(l1, known=None):
    """What lies in L1, as far as bytes alone tell it: zeros, data, and what is not known."""
    edges = {*range(0, len(l1), GRANULE), len(l1)}
    if known is not None:
        edges.update((numpy.flatnonzero(known[1:] != known[:-1]) + 1).tolist())
    edges = sorted(edges)
    segments = []
    for start, end in zip(edges, edges[1:]):
        kind = ("unknown" if known is not None and not known[start] else
                "data" if l1[start:end].any() else "zero")
        if segments and segments[-1]["kind"] == kind:
            segments[-1]["size"] += end - start
        else:
            segments.append({"start": start, "size": end - start, "kind": kind, "name": ""})
    return segments


def is_dump(folder):
    """Has the folder a manifest that is a dump's?"""
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        return manifest["format"] == "penrose-dump"
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False


def begin(folder):
    """Makes the folder, or takes one that is empty or has a dump, which is then none any more."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        if not is_dump(folder):
            raise CaptureError(f"{folder}: has something else than a dump in it; name another folder")
        (folder / MANIFEST).unlink()


def plain(value):
    """What JSON can say of a value, and UTF-8 of its texts."""
    if isinstance(value, dict):
        return {plain(str(name)): plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "?")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, int) and value.bit_length() > 63 else value


def create(path):
    """A file that is made anew, so that nothing is written through a link."""
    path.unlink(missing_ok=True)
    return open(path, "xb")


def write_json(path, value):
    with create(path) as file:
        file.write(json.dumps(plain(value), indent=1).encode())


def write(folder, tiles, source, **members):
    """Writes a dump. `source` is "card", "simulator" or "emulator"; members go into the manifest, which
    is removed first and written last: a folder with a manifest has all that it names."""
    folder = pathlib.Path(folder)
    manifest = {"format": "penrose-dump", "version": VERSION,
                "producer": {"name": "scripts/capture", "version": "1"}, "source": source,
                "chip": "blackhole", **members, "volatile": VOLATILE,
                "tiles": [tile.manifest() for tile in tiles]}
    begin(folder)
    for tile, entry in zip(tiles, manifest["tiles"]):
        inner = folder / entry["folder"]
        if inner.is_symlink():
            raise CaptureError(f"{inner}: this is a link, and a dump has none")
        inner.mkdir(exist_ok=True)
        for name, (value, _) in tile.parts.items():
            path = folder / entry["parts"][name]["file"]
            if isinstance(value, numpy.ndarray):
                with create(path) as file:
                    numpy.save(file, value)
            else:
                write_json(path, value)
    write_json(folder / f"{MANIFEST}.part", manifest)
    (folder / f"{MANIFEST}.part").rename(folder / MANIFEST)


@functools.lru_cache
def config_fields():
    """(name, word, shift, width, is of a thread) of each field of the configuration."""
    text = (REPOSITORY / "src/arch/blackhole/regs.def").read_text()
    rows = re.findall(r"^(CONFIG|THREAD)_(?:FIELD|ALIAS)\((\w+), *(\d+), *(\d+), *(\d+)\)", text, re.M)
    return [(name, int(word), int(shift), int(width), kind == "THREAD")
            for kind, name, word, shift, width in rows]


def fields_of_words(config, threads):
    """Part `config` from its words: arrays [states, 224] of 32 bits and [3, 68] of 16, or None."""
    fields = {}
    for name, word, shift, width, is_thread in config_fields():
        words, bits = (threads, 16) if is_thread else (config, 32)
        for i, bank in enumerate(words if words is not None else []):
            span = (shift + width + bits - 1) // bits
            value = sum(int(bank[word + k]) << bits * k for k in range(span)) >> shift
            value &= (1 << width) - 1
            label = f"{i}.{name}" if is_thread else f"config.{i}.{name}"
            fields[label] = value if width <= 32 else f"0x{value:0{(width + 3) // 4}x}"
    return fields
