"""Reads what other tools have written into tiles of a dump.

A reader takes a path and a place, (x, y) or None, and returns tiles. What a file says of where it
comes from wins over the place that the user gives.
"""

import json
import pathlib
import re

import numpy

from dumps import writer
from dumps.live import ABI

L1_MOST = 2 << 20


def tile_at(place, kind="Tensix", harts=()):
    if place is None:
        raise writer.CaptureError("the file does not say which tile it is of; add --tile X,Y")
    return writer.Tile(*place, kind, harts)


def text_of(path):
    text = pathlib.Path(path).read_text(errors="replace")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def place_in(text, place):
    """tt-exalens writes "1-2" for the NoC's coordinates, and "1,2" for others of its own."""
    found = re.search(r"\blocation (\d+)-(\d+)\b", text, re.I)
    return (int(found[1]), int(found[2])) if found else place


# --- Memory ---


def read_raw(path, place):
    """An image of L1 from address 0 on."""
    data = pathlib.Path(path).read_bytes()
    if not data or len(data) > L1_MOST:
        raise writer.CaptureError(f"{path}: {len(data)} bytes are no image of L1")
    tile = tile_at(place)
    tile.add("l1", numpy.frombuffer(data, numpy.uint8))
    return [tile]


HEX_LINE = re.compile(r"^\s*(?:0x)?([0-9a-f]{8}):((?:\s+[0-9a-f]{8})+)\s*$", re.I | re.M)


def read_hex(path, place):
    """Lines of an address and words: tt-triage's dump_l1, tt-exalens' brxy."""
    text = text_of(path)
    lines = [(int(address, 16), words.split()) for address, words in HEX_LINE.findall(text)]
    end = max((address + 4 * len(words) for address, words in lines), default=0)
    if not lines or end > L1_MOST:
        raise writer.CaptureError(f"{path}: no lines of an address in L1 and words")
    l1 = numpy.zeros(end // 4, "<u4")
    known = numpy.zeros(end // 4, bool)
    for address, words in lines:
        at = address // 4
        l1[at:at + len(words)] = [int(word, 16) for word in words]
        known[at:at + len(words)] = True
    if not known.all():
        missing = 4 * int(numpy.argmin(known))
        raise writer.CaptureError(f"{path}: address {missing:#x} is missing; a part `l1` begins at 0 "
                                  "and has no gaps")
    tile = tile_at(place_in(text, place))
    tile.add("l1", l1.view(numpy.uint8))
    return [tile]


# --- Arrays ---


def part_of_array(path, array, place, part):
    """Any array becomes a part of its own: bits as they are, numbers as float32 where that loses
    nothing."""
    tile = tile_at(place)
    if not array.size:
        raise writer.CaptureError(f"{path}: the array has no elements")
    name = part or re.sub(r"\W", "_", pathlib.Path(path).stem)
    tile.add(name, numpy.ascontiguousarray(array))
    return [tile]


def read_npy(path, place, part=None):
    try:
        array = numpy.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise writer.CaptureError(f"{path}: {error}") from error
    return part_of_array(path, array, place, part)


def read_torch(path, place, part=None):
    try:
        import torch
    except ImportError as error:
        raise writer.CaptureError(f"{path}: reading torch tensors needs torch; install it, or save "
                                  "tensor.float().numpy() with numpy.save") from error
    try:
        tensor = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises whatever its unpickler meets
        raise writer.CaptureError(f"{path}: {str(error).splitlines()[0]}") from error
    if not isinstance(tensor, torch.Tensor):
        raise writer.CaptureError(f"{path}: holds a {type(tensor).__name__}, not one tensor")
    about = {torch.bfloat16: "Float16_b", torch.float16: "Float16", torch.float32: "Float32"}
    form = about.get(tensor.dtype)
    array = (tensor.float() if tensor.is_floating_point() else tensor).numpy()
    tiles = part_of_array(path, array, place, part)
    if form:
        tiles[0].parts = {name: (value, {"num_format": form})
                          for name, (value, _) in tiles[0].parts.items()}
    return tiles


# --- tt-exalens' texts ---


def read_gpr(path, place):
    """`dump-gpr`: a table with a column for each hart, aligned by its line of dashes."""
    text = text_of(path)
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("Register ")), None)
    if start is None or start + 1 >= len(lines) or not lines[start + 1].startswith("---"):
        raise writer.CaptureError(f"{path}: no table of dump-gpr")
    columns = [(found.start(), found.end()) for found in re.finditer("-+", lines[start + 1])]
    cells = [[line[begin:end].strip() for begin, end in columns] for line in lines[start:]]
    harts, fields = cells[0][1:], {}
    for row in cells[2:]:
        number = re.match(r"(\d+) - ", row[0])
        for hart, cell in zip(harts, row[1:]):
            value = re.match(r"0x[0-9a-f]{8}", cell)
            if number and value and int(number[1]) < len(ABI):
                fields[f"{hart}.{ABI[int(number[1])]}"] = int(value[0], 16)
            elif row[0] == "Soft reset" and cell == "True":
                fields[f"{hart}.state"] = "held"
            elif row[0] == "Halted" and cell in ("True", "False"):
                fields[f"{hart}.state"] = "paused" if cell == "True" else "running"
    if not fields:
        raise writer.CaptureError(f"{path}: no registers in the table")
    tile = tile_at(place_in(text, place), harts=harts)
    tile.add("harts", fields)
    return [tile]


def read_regfile(path, place, part="dst"):
    """`dump-regfile`: numbers, 1024 below each line "TILE ID", in the order of rows of 16."""
    text = text_of(path)
    body = text.split("TILE ID:", 1)
    if len(body) != 2:
        raise writer.CaptureError(f"{path}: no lines 'TILE ID' of dump-regfile")
    words = re.sub(r"^.*TILE ID:.*$|^\s*\d+\s*$", "", "TILE ID:" + body[1], flags=re.M).split()
    try:
        numbers = [int(word, 16) if word.startswith("0x") else float(word) for word in words]
    except ValueError as error:
        raise writer.CaptureError(f"{path}: {error}") from error
    if not numbers or len(numbers) % 16:
        raise writer.CaptureError(f"{path}: {len(numbers)} numbers are no rows of 16: cut off?")
    tile = tile_at(place_in(text, place))
    is_raw = any(word.startswith("0x") for word in words)
    kind = numpy.uint32 if is_raw else numpy.float32
    tile.add(f"{part}_raw" if is_raw else part, numpy.array(numbers, kind).reshape(-1, 16))
    return [tile]


def tables_in(text):
    """(title, {column: {row: value}}) of each box that tt-exalens draws, also side by side."""
    tables, open_boxes = [], {}
    for line in text.splitlines():
        if "│" not in line:
            if "┌" in line:
                open_boxes = {}
            continue
        for box in re.finditer(r"│[^│].*?│(?=\s{2,}|$)|│.*$", line):
            cells = [cell.strip() for cell in box[0].strip().strip("│").split("│")]
            if box.start() not in open_boxes:
                open_boxes[box.start()] = (cells[0], {name: {} for name in cells[1:]})
                tables.append(open_boxes[box.start()])
                continue
            for column, value in zip(open_boxes[box.start()][1].values(), cells[1:]):
                column[cells[0]] = value
    return tables


def value_in(text):
    """A number as tt-exalens prints it, or the text."""
    flags = text.split(",")
    if all(flag in ("True", "False") for flag in flags):
        return int("".join(str(int(flag == "True")) for flag in flags), 2)
    if re.fullmatch(r"0x[0-9a-f]+|\d+", text):
        return int(text, 0)
    return text


def read_tensix_state(path, place):
    """`dump-tensix-state`: fields by the names that its tables give them, in a part of its own."""
    text = text_of(path)
    fields = {}
    for title, columns in tables_in(text):
        for column, rows in columns.items():
            suffix = "" if column.lower() == "values" else f".{column.replace('REG_ID = ', '')}"
            for row, value in rows.items():
                fields[f"{title}{suffix}.{row}"] = value_in(value)
    if not fields:
        raise writer.CaptureError(f"{path}: no tables of dump-tensix-state")
    tile = tile_at(place_in(text, place))
    tile.add("exalens_state", fields)
    return [tile]


# --- JSON of tt-triage ---


def load_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except ValueError as error:
        raise writer.CaptureError(f"{path}: {error}") from error


def coordinate_in(entry):
    """The place that an entry of tt-triage's results is about, and the member that says so."""
    for name, value in entry.items():
        if isinstance(value, dict) and value.get("_type") == "OnChipCoordinate":
            return (int(value["x"]), int(value["y"])), name
        found = re.match(r"(\d+)-(\d+)\b", value) if isinstance(value, str) else None
        if found and name.lower() in ("loc", "location"):
            return (int(found[1]), int(found[2])), name
    return None, None


def flatten(prefix, value, fields):
    if isinstance(value, dict):
        for name, member in value.items():
            if name != "_type":
                flatten(f"{prefix}.{name}", member, fields)
    elif isinstance(value, list):
        for i, member in enumerate(value):
            flatten(f"{prefix}.{i}", member, fields)
    elif value is not None:
        fields[prefix] = value


BUFFER_MEMBERS = {"CB": "id", "Address": "address", "Size": "size", "Page Size": "page_size",
                  "Size (pages)": "pages", "Pushed": "received", "Popped": "acknowledged"}


def buffers_in(entry):
    """Entries of circular_buffers.json of those that dump_circular_buffers tells."""
    rows = [entry] if "CB" in entry else [
        row for value in entry.values() if isinstance(value, list)
        for row in value if isinstance(row, dict) and "CB" in row]
    return [{ours: row[theirs] & 0xFFFF if theirs in ("Pushed", "Popped") else row[theirs]
             for theirs, ours in BUFFER_MEMBERS.items() if isinstance(row.get(theirs), int)}
            for row in rows if row.get("Kind", "local") == "local"]


def read_triage(path, place):
    """Results of tt-triage's scripts, by tile where they are about one."""
    document, tiles = load_json(path), {}
    for script in document["scripts"]:
        name = re.sub(r"\.py$", "", str(script.get("name", "")))
        data = (script.get("result") or {}).get("data")
        for entry in data if isinstance(data, list) else [data]:
            at, member = coordinate_in(entry) if isinstance(entry, dict) else (None, None)
            if at is None:
                continue
            tile = tiles.setdefault(at, writer.Tile(*at, "Tensix"))
            buffers = buffers_in(entry) if "circular_buffers" in name else []
            if buffers:
                tile.parts.setdefault("circular_buffers", ([], {}))[0].extend(buffers)
            fields = tile.parts.setdefault("triage", ({}, {}))[0]
            rest = {key: value for key, value in entry.items() if key != member}
            label, number = name, 1
            while any(field.startswith(f"{label}.") for field in fields):
                number += 1
                label = f"{name}.{number}"
            flatten(label, rest, fields)
    if not tiles:
        raise writer.CaptureError(f"{path}: none of the scripts' results is about a tile")
    return list(tiles.values())


def read_debug_bus(path, place):
    """debug_bus_signals.json: 128 bits of each group of signals, where a hart could not be halted."""
    tiles = []
    for device in load_json(path).values():
        at, _ = coordinate_in(device)
        tile = tile_at(at or place)
        tile.add("debug_bus", dict(device["debug_bus_signals"]))
        tile.add("harts", {f"{hart}.state": "stuck" for hart in device.get("failed_riscs", [])})
        tiles.append(tile)
    return tiles


# --- Which reader ---

READERS = {"l1": read_raw, "hex": read_hex, "npy": read_npy, "torch": read_torch, "gpr": read_gpr,
           "regfile": read_regfile, "tensix-state": read_tensix_state, "triage": read_triage,
           "debug-bus": read_debug_bus}


SIGNS = {"gpr": "^Soft reset ", "regfile": "TILE ID:", "hex": HEX_LINE.pattern.lower(),
         "tensix-state": "│ (ALU|UNPACK|PACK) CONFIG |│ Thread \\d |│ (FIDELITY_PHASE|ADCS)"}


def sniff(path):
    """The kind of a file, by its contents."""
    try:
        with open(path, "rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise writer.CaptureError(f"{path}: {error.strerror}") from error
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK") and b".pkl" in head:
        return "torch"
    text = head.decode(errors="replace")
    if text.lstrip().startswith("{"):
        return "triage" if '"scripts"' in text else "debug-bus" if '"debug_bus_signals"' in text else None
    if b"\0" in head:
        return "l1"
    for kind, sign in SIGNS.items():
        if re.search(sign, text, re.M):
            return kind
    return None


def read(path, kind=None, place=None, part=None):
    """Tiles of a file; `kind` is a name of READERS, None: found out."""
    if not pathlib.Path(path).is_file():
        raise writer.CaptureError(f"{path}: no such file")
    kind = kind or sniff(path)
    if kind is None:
        raise writer.CaptureError(f"{path}: not known what this is; say --kind {'|'.join(READERS)}")
    try:
        if part and kind in ("npy", "torch", "regfile"):
            return READERS[kind](path, place, part)
        return READERS[kind](path, place)
    except (KeyError, TypeError, AttributeError) as error:
        raise writer.CaptureError(f"{path}: not as {kind} files are: {error!r}") from error


def merge(lists):
    """Tiles of several files, one for each place."""
    tiles = {}
    for tile in (tile for tiles_of_file in lists for tile in tiles_of_file):
        known = tiles.setdefault((tile.x, tile.y), tile)
        if known is tile:
            continue
        for name, (value, about) in tile.parts.items():
            if isinstance(value, dict) and name in known.parts:
                known.add_fields(name, value)
            else:
                known.add(name, value, **about)
    return list(tiles.values())
