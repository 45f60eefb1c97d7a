"""Reads what other tools have written into tiles of a dump.

A reader takes a path and a place, (x, y) or None, and returns tiles. A place that the user gives wins
over what a text says of where it comes from; of files that tell of many tiles it chooses one.
"""

import contextlib
import json
import pathlib
import re
import sqlite3
import urllib.parse

import numpy

from dumps import writer
from dumps.live import ABI

L1_MOST = 2 << 20
FILE_MOST = 256 << 20  # bytes of a file that is read


def tile_at(place, kind="Tensix", harts=()):
    if place is None:
        raise writer.CaptureError("the file does not say which tile it is of; add --tile X,Y")
    return writer.Tile(*place, kind, harts)


def text_of(path):
    text = pathlib.Path(path).read_text(errors="replace")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def place_of(text):
    """tt-exalens writes "1-2" for the NoC's coordinates, which count harvested columns, and "(0,0)"
    behind them for its own, which do not, as those of software do not; None: neither is there."""
    found = re.match(r"(\d+)-(\d+)(?: \((\d+),(\d+)\))?(?![\w-])", text)
    if found and found[3] and int(found[3]) < len(writer.WORKER_COLUMNS):
        return writer.WORKER_COLUMNS[int(found[3])], int(found[4]) + writer.FIRST_WORKER_ROW
    return (int(found[1]), int(found[2])) if found else None


def place_in(text, place):
    found = re.search(r"\blocation (?=\d)", text, re.I)
    return place or (place_of(text[found.end():]) if found else None)


# --- Memory ---


def read_raw(path, place, address=0):
    """An image of L1, or of a part of it from `address` on."""
    data = pathlib.Path(path).read_bytes()
    if not data or address + len(data) > L1_MOST:
        raise writer.CaptureError(f"{path}: {len(data)} bytes{f' at {address:#x}' if address else ''} are no "
                                  "image of L1")
    tile = tile_at(place)
    l1, known = numpy.zeros((2, address + len(data)), numpy.uint8)
    l1[address:] = numpy.frombuffer(data, numpy.uint8)
    known[address:] = 1
    tile.add_l1(l1, known != 0)
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
    tile = tile_at(place_in(text, place))
    tile.add_l1(l1.view(numpy.uint8), numpy.repeat(known, 4))
    return [tile]


# --- Arrays ---


def part_of_array(path, array, place, part):
    """Any array becomes a part of its own: bits as they are, numbers as float32 where that loses
    nothing."""
    tile = tile_at(place)
    if not array.size:
        raise writer.CaptureError(f"{path}: the array has no elements")
    name = part or re.sub(r"\W", "_", pathlib.Path(path).stem)[:31]
    tile.add(name, numpy.ascontiguousarray(array))
    return [tile]


def read_npy(path, place, part=None):
    try:
        array = numpy.load(path, mmap_mode="r", allow_pickle=False)  # which believes no sizes
    except Exception as error:  # numpy parses the header with Python's tokenizer
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


NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf|nan)", re.I)
TILE_DATA = 1024


def regfiles_in(text):
    """(the text that heads it, numbers as words) of each location of a dump-regfile."""
    found = []
    heading = ""
    for line in text.splitlines():
        words = line.split()
        if re.match(r"\s*location \d", line, re.I):
            heading = line
        elif re.match(r"\s*TILE ID: *\d+\s*$", line):
            if not found or found[-1][0] != heading:
                found.append((heading, []))
        elif found and words and all(NUMBER.fullmatch(word) for word in words):
            found[-1][1].extend(words)
        elif found and len(words) > 1 and any(NUMBER.fullmatch(word) for word in words[:2]) and "\t" in line:
            raise writer.CaptureError(f"'{line.strip()[:40]}' is no row of numbers")
    return found


def numbers_of(path, words):
    is_raw = any(word.startswith("0x") for word in words)
    is_whole = all(re.fullmatch(r"-?\d+", word) for word in words)
    kind = numpy.uint32 if is_raw else numpy.int64 if is_whole else numpy.float32
    try:
        numbers = numpy.array([int(word, 16 if is_raw else 10) if is_raw or is_whole else float(word)
                               for word in words], kind)
    except (ValueError, OverflowError) as error:
        raise writer.CaptureError(f"{path}: {error}") from error
    if is_whole:
        numbers = numbers.astype(numpy.int32 if numbers.max() < 1 << 31 else numpy.uint32)
    return is_raw, numbers.reshape(-1, 16)


def read_regfile(path, place, part="dst"):
    """`dump-regfile`: numbers, 1024 below each line "TILE ID", in the order of rows of 16; perhaps of
    several locations."""
    found = regfiles_in(text_of(path))
    if not found:
        raise writer.CaptureError(f"{path}: no lines 'TILE ID' of dump-regfile")
    tiles = []
    for heading, words in found:
        if not words or len(words) % TILE_DATA:
            raise writer.CaptureError(f"{path}: {len(words)} numbers are no whole tiles of {TILE_DATA}: "
                                      "the text was cut off")
        is_raw, numbers = numbers_of(path, words)
        tile = tile_at(place_in(heading, place if len(found) == 1 else None))
        if len(found) == 1 or place in (None, (tile.x, tile.y)):
            tile.add(f"{part}_raw" if is_raw else part, numbers)
            tiles.append(tile)
    if not tiles:
        raise writer.CaptureError(f"{path}: has nothing of the tile {place[0]},{place[1]}")
    return tiles


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


FORMATS = {"Float32": 0, "Float16": 1, "Bfp8": 2, "Bfp4": 3, "Tf32": 4, "Float16_b": 5, "Bfp8_b": 6,
           "Bfp4_b": 7, "Int32": 8, "UInt16": 9, "Lf8": 10, "Bfp2": 11, "Int8": 14, "Bfp2_b": 15}

UNPACK_ROWS = ("out_data_format:4 throttle_mode:2 context_count:2 haloize_mode:1 tileize_mode:1 "
               "unpack_src_reg_set_upd:1 unpack_if_sel:1 upsample_rate:2 reserved_1:1 "
               "upsample_and_interleave:1 shift_amount:16 uncompress_cntx0_3:4 unpack_if_sel_cntx0_3:4 "
               "force_shared_exp:1 reserved_2:7 uncompress_cntx4_7:4 unpack_if_sel_cntx4_7:4 "
               "reserved_3:8 limit_addr:17 reserved_4:15 fifo_size:17 reserved_5:15")
TILE_ROWS = ("in_data_format:4 uncompressed:1 reserved_0:3 blobs_per_xy_plane:4 reserved_1:4 x_dim:16 "
             "y_dim:16 z_dim:16 w_dim:16 blobs_y_start:32 digest_type:8 digest_size:8")
PACK_ROWS = ("row_ptr_section_size:16 exp_section_size:16 l1_dest_addr:32 uncompress:1 "
             "add_l1_dest_addr_offset:1 disable_pack_zero_flag:1 reserved_0:1 out_data_format:4 "
             "in_data_format:4 dis_shared_exp_assembler:1 auto_set_last_pacr_intf_sel:1 "
             "enable_out_fifo:1 sub_l1_tile_header_size:1 src_if_sel:1 pack_start_intf_pos:4 "
             "all_pack_disable_zero_compress_ovrd:1 add_tile_header_size:1 "
             "pack_dis_y_pos_start_offset:1 l1_src_addr:8")

# Tables that show words of the configuration: the field at which each column begins, and the rows
# with their widths in bits, the lowest first. What a row is called does not matter further: names
# are those of the fields that lie in these bits.
CONFIG_TABLES = {
    "ALU CONFIG": (
        ["ALU_ROUNDING_MODE_Fpu_srnd_en"],
        "Fpu_srnd_en:1 Gasket_srnd_en:1 Packer_srnd_en:1 Padding:10 GS_LF:1 Bfp8_HF:1 SrcAUnsigned:1 "
        "SrcBUnsigned:1 Format_SrcA:4 Format_SrcB:4 Format_Dstacc:4 Fp32_enabled:1 "
        "SFPU_Fp32_enabled:1 INT8_math_enabled:1"),
    "UNPACK CONFIG": (
        ["THCON_SEC0_REG2_Out_data_format", "THCON_SEC1_REG2_Out_data_format"], UNPACK_ROWS),
    "TILE DESCRIPTOR": (["THCON_SEC0_REG0_TileDescriptor_in_data_format",
                         "THCON_SEC1_REG0_TileDescriptor_in_data_format"], TILE_ROWS),
    "COUNTERS": (
        ["PACK_COUNTERS_SEC0_pack_per_xy_plane"],
        "pack_per_xy_plane:8 pack_reads_per_xy_plane:8 pack_xys_per_til:7 pack_yz_transposed:1 "
        "pack_per_xy_plane_offset:8"),
    "PACK CONFIG": (["THCON_SEC0_REG1_Row_start_section_size"], PACK_ROWS),
    "EDGE OFFSET": (["PCK_EDGE_OFFSET_SEC0_mask"], "mask:16 mode:1 tile_row_set_select_pack0:2 "
                    "tile_row_set_select_pack1:2 tile_row_set_select_pack2:2 "
                    "tile_row_set_select_pack3:2"),
    "STRIDES": (["PCK0_ADDR_CTRL_XY_REG_0_Xstride", "PCK0_ADDR_CTRL_XY_REG_1_Xstride"],
                "x_stride:16 y_stride:16 z_stride:16 w_stride:16"),
    "RELU CONFIG": (
        ["ALU_ACC_CTRL_Zero_Flag_disabled_src"],
        "disabled_src:1 disabled_dst:1 apply_relu:4 relu_threshold:16 disable_main:1 disable_trisc:3 "
        "disable_ncrisc:1 disable_bmp_clear_main:1 disable_bmp_clear_trisc:3 "
        "disable_bmp_clear_ncrisc:1"),
    "DEST RD CTRL": (["PCK_DEST_RD_CTRL_Read_32b_data"], "read_32b_data:1 read_unsigned:1 "
                     "read_int8:1 round_10b_mant:1 reserved:28"),
}


def bits_in(row, text):
    """The bits that a cell stands for; None: it is no number."""
    name = text.removeprefix("TensixDataFormat.")
    value = FORMATS.get(name, value_in(text.removesuffix(" -> INVALID VALUE")))
    if row == "blobs_y_start" and isinstance(value, int):  # printed with its halves the other way
        return value >> 16 | (value & 0xFFFF) << 16
    return value if isinstance(value, int) else None


def config_in(tables):
    """Fields of state 0 of the configuration, those all of whose bits the tables show."""
    places = {name: 32 * word + shift for name, word, shift, _, is_thread in writer.config_fields()
              if not is_thread}
    size, value, known = 4 * writer.CONFIG_WORDS, 0, 0
    for title, columns in tables:
        starts, rows = CONFIG_TABLES.get(title, ((), ""))
        for start, cells in zip(starts, columns.values()):
            at = places[start]
            for row, width in (entry.split(":") for entry in rows.split()):
                bits, ones = bits_in(row, cells.get(row, "")), (1 << int(width)) - 1
                if bits is not None and bits <= ones:
                    value |= bits << at
                    known |= ones << at
                at += int(width)

    def fields_of(number):
        words = numpy.frombuffer(number.to_bytes(size, "little"), "<u4")
        return writer.fields_of_words([words], None)

    values, shown, all_bits = fields_of(value), fields_of(known), fields_of((1 << 8 * size) - 1)
    return {name: values[name] for name in values if shown[name] == all_bits[name]}


def gpr_in(tables):
    """[3, 64] where all threads are shown: a row a GPR, and behind them pairs as one; else None."""
    threads = [[value_in(text) for text in list(cells.values())[:64]] for title, columns in tables
               for cells in columns.values() if re.fullmatch(r"Thread \d", title)]
    is_whole = len(threads) == writer.THREADS and all(
        len(values) == 64 and all(isinstance(value, int) for value in values) for values in threads)
    return numpy.array(threads, numpy.uint32) if is_whole else None


def read_tensix_state(path, place):
    """`dump-tensix-state`: configuration and GPRs as ours, and all by the names of its tables in a
    part of its own."""
    text = text_of(path)
    tables, fields = tables_in(text), {}
    for title, columns in tables:
        for column, rows in columns.items():
            suffix = "" if column.lower() == "values" else f".{column.replace('REG_ID = ', '')}"
            for row, value in rows.items():
                fields[f"{title}{suffix}.{row}"] = value_in(value)
    if not fields:
        raise writer.CaptureError(f"{path}: no tables of dump-tensix-state")
    tile = tile_at(place_in(text, place))
    config, gpr = config_in(tables), gpr_in(tables)
    if config:
        tile.add("config", config)
    if gpr is not None:
        tile.add("gpr", gpr)
    tile.add("exalens_state", fields)
    return [tile]


# --- Results of tt-triage ---


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
        found = place_of(value) if isinstance(value, str) else None
        if found and name.lower() in ("loc", "location"):
            return found, name
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


def results_in_json(path):
    """(script, entry) of each entry of the scripts' results."""
    for script in load_json(path)["scripts"]:
        data = (script.get("result") or {}).get("data")
        for entry in data if isinstance(data, list) else [data]:
            if isinstance(entry, dict):
                yield re.sub(r"\.py$", "", str(script.get("name", ""))), entry


def results_in_sqlite(path):
    """The same of a database, which has a table for each script, and a row for each entry."""
    address = f"file:{urllib.parse.quote(str(pathlib.Path(path).resolve()))}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            names = [name for name, in database.execute(
                "select name from sqlite_master where type = 'table' order by rowid")]
            for name in names:
                quoted = name.replace('"', '""')
                rows = database.execute(f'select * from "{quoted}"')
                columns = [column[0] for column in rows.description]
                for row in rows:
                    yield name, {column: value.hex() if isinstance(value, bytes) else value
                                 for column, value in zip(columns, row)}
    except sqlite3.Error as error:
        raise writer.CaptureError(f"{path}: {error}") from error


def device_of(entry):
    """The number of the device that an entry is about; None where it does not say."""
    device = entry.get("Dev", entry.get("Device"))
    device = device.get("id") if isinstance(device, dict) else device
    return int(device) if re.fullmatch(r"\d+", str(device)) else None


def read_triage(path, place, device=0):
    """Results of tt-triage's scripts, by tile where they are about one."""
    with open(path, "rb") as file:
        is_sqlite = file.read(len(SQLITE_HEAD)) == SQLITE_HEAD
    tiles = {}
    for name, entry in (results_in_sqlite if is_sqlite else results_in_json)(path):
        at, member = coordinate_in(entry)
        if at is None or device_of(entry) not in (None, device) or place not in (None, at):
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
        raise writer.CaptureError(
            f"{path}: none of the scripts' results is about "
            f"{'a tile' if place is None else 'the tile %d,%d' % place} of device {device}")
    return list(tiles.values())


def read_debug_bus(path, place, device=0):
    """debug_bus_signal_groups.json (once debug_bus_signals.json): 128 bits of each group of signals,
    where a hart could not be halted."""
    about = load_json(path)[f"Device {device}"]
    blocks = [(location, block) for blocks in about.get("block_types", {}).values()
              for location, block in blocks.items()]
    tiles = []
    blocks = blocks or [(f"location: {about.get('location', '')}", about)]
    for location, block in blocks:
        found = place_of(location.removeprefix("location: "))
        tile = tile_at(found or place)
        if found and place and len(blocks) == 1:
            tile = tile_at(place)
        elif place not in (None, (tile.x, tile.y)):
            continue
        groups = block.get("debug_bus_signal_groups", block.get("debug_bus_signals"))
        tile.add("debug_bus", dict(groups))
        tile.add("harts", {f"{hart}.state": "stuck" for hart in block.get("failed_riscs", [])})
        tiles.append(tile)
    if not tiles:
        raise writer.CaptureError(f"{path}: has nothing of the tile {place[0]},{place[1]}")
    return tiles


# --- Which reader ---

READERS = {"l1": read_raw, "hex": read_hex, "npy": read_npy, "torch": read_torch, "gpr": read_gpr,
           "regfile": read_regfile, "tensix-state": read_tensix_state, "triage": read_triage,
           "debug-bus": read_debug_bus}


SQLITE_HEAD = b"SQLite format 3\0"
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
    if head.startswith(SQLITE_HEAD):
        return "triage"
    text = head.decode(errors="replace")
    if text.lstrip().startswith("{"):
        return "triage" if '"scripts"' in text else "debug-bus" if '"debug_bus_signal' in text else None
    if b"\0" in head:
        return "l1"
    for kind, sign in SIGNS.items():
        if re.search(sign, text, re.M):
            return kind
    return None


def read(path, kind=None, place=None, part=None, device=0, address=None):
    """Tiles of a file; `kind` is a name of READERS, None: found out. `device`: of files that are of
    several. `address`: where an image of a part of L1 begins."""
    if not pathlib.Path(path).is_file():
        raise writer.CaptureError(f"{path}: no such file")
    if pathlib.Path(path).stat().st_size > FILE_MOST:
        raise writer.CaptureError(f"{path}: more than {FILE_MOST >> 20} MiB are no such file")
    kind = kind or ("l1" if address is not None else sniff(path))
    if kind is None:
        raise writer.CaptureError(f"{path}: not known what this is; say --kind {'|'.join(READERS)}")
    if address is not None and kind != "l1":
        raise writer.CaptureError(f"{path}: --address is for images of L1 (--kind l1), and this is of the "
                                  f"kind {kind}")
    try:
        if kind == "l1":
            return read_raw(path, place, address or 0)
        if part and kind in ("npy", "torch", "regfile"):
            return READERS[kind](path, place, part)
        if kind in ("triage", "debug-bus"):
            return READERS[kind](path, place, device)
        return READERS[kind](path, place)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError,
            MemoryError) as error:
        raise writer.CaptureError(f"{path}: not as {kind} files are: {error!r}") from error


def merge(lists):
    """Tiles of several files, one for each place."""
    tiles = {}
    for tile in (tile for tiles_of_file in lists for tile in tiles_of_file):
        known = tiles.setdefault((tile.x, tile.y), tile)
        if known is tile:
            continue
        if tile.known_l1 is not None:
            known.merge_l1(tile)
        for name, (value, about) in tile.parts.items():
            if name == "l1" and tile.known_l1 is not None:
                continue
            if isinstance(value, dict) and name in known.parts:
                known.add_fields(name, value)
            else:
                known.add(name, value, **about)
    return list(tiles.values())
