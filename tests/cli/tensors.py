#!/usr/bin/env python3
"""Matrices through `penrose run`, against a model in exact fractions: what --input leaves in L1,
and what --output makes of it.

    tensors.py PENROSE PROGRAM WORK    PROGRAM is an ELF that ends at once; WORK a folder

Prints "ok NAME" or "FAIL NAME: ..." for each case; exit code 1 when one failed.
"""
import json
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

# name: (bits, exponent bits, mantissa bits, is a block)
FLOATS = {
    "Float32": (32, 8, 23, False), "Tf32": (32, 8, 10, False), "Float16": (16, 5, 10, False),
    "Float16_b": (16, 8, 7, False), "Lf8": (8, 5, 2, False), "Fp8_e4m3": (8, 4, 3, False),
    "Bfp8": (8, 5, 7, True), "Bfp4": (4, 5, 3, True), "Bfp2": (2, 5, 1, True),
    "Bfp8_b": (8, 8, 7, True), "Bfp4_b": (4, 8, 3, True), "Bfp2_b": (2, 8, 1, True),
}
# name: (bits, is signed, is two's complement)
INTEGERS = {
    "Int8": (8, True, False), "UInt8": (8, False, False), "UInt16": (16, False, False),
    "Int32": (32, True, False), "UInt32": (32, False, False),
    "Int8_2s_comp": (8, True, True), "Int32_2s_comp": (32, True, True),
}
CODES = {"<f2": "e", "<f4": "f", "<f8": "d", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q",
         "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "|b1": "?"}


# --- .npy files ---

def save(path, type_, shape, values, fortran=False, version=1):
    """values in the order of the file"""
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %r, }" % (type_, fortran, shape)
    width = "<H" if version == 1 else "<I"
    prefix = 8 + struct.calcsize(width)
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(text)))
        file.write(text.encode() + struct.pack("<%d%s" % (len(values), CODES[type_]), *values))


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    end = 10 + struct.unpack_from("<H", data, 8)[0]
    assert end % 64 == 0 and data[end - 1:end] == b"\n"
    header = eval(data[10:end].decode(), {}, {})  # our own file
    count = header["shape"][0] * header["shape"][1]
    assert len(data) - end == count * struct.calcsize("<" + CODES[header["descr"]])
    return header["descr"], header["shape"], list(
        struct.unpack_from("<%d%s" % (count, CODES[header["descr"]]), data, end))


# --- Formats ---

def half_even(x):
    return round(x)  # of a Fraction: to nearest even, exactly


def binade(x):
    """The exponent of the leading one of a positive fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def round_float(x, exponent_bits, mantissa_bits, greatest=None):
    """The magnitude rounded to nearest even; at most `greatest`."""
    if not x:
        return x
    e = max(binade(abs(x)), 2 - (1 << (exponent_bits - 1)))
    unit = Fraction(2) ** (e - mantissa_bits)
    rounded = half_even(abs(x) / unit) * unit
    rounded = min(rounded, greatest) if greatest is not None else rounded
    return rounded if x > 0 else -rounded


def pattern(x, exponent_bits, mantissa_bits, negative):
    """The bits of a number that the format has."""
    bias = (1 << (exponent_bits - 1)) - 1
    sign = int(negative) << (exponent_bits + mantissa_bits)
    x = abs(x)
    if not x:
        return sign
    e = max(binade(x), 1 - bias)
    units = x / Fraction(2) ** (e - mantissa_bits)
    assert units.denominator == 1
    exponent = e + bias if units >= 1 << mantissa_bits else 0
    return sign | exponent << mantissa_bits | int(units) & ((1 << mantissa_bits) - 1)


def encode_float(name, x, negative):
    """The datum, and the number that it stands for."""
    bits, exponent_bits, mantissa_bits, _ = FLOATS[name]
    bias = (1 << (exponent_bits - 1)) - 1
    if bits == 8:  # all ones is 131008, what lies below is even in the last bit
        last = Fraction(448) if exponent_bits == 4 else Fraction(98304)
        if abs(x) > last:
            nearer = abs(x) - last < 131008 - abs(x)
            number = (last if nearer else Fraction(131008)) * (-1 if negative else 1)
            return (0x7e if nearer else 0x7f) | int(negative) << 7, number
    top = 2 ** exponent_bits - (2 if exponent_bits == 8 else 1)
    greatest = (2 - Fraction(1, 1 << mantissa_bits)) * Fraction(2) ** (top - bias)
    number = round_float(x, exponent_bits, mantissa_bits, greatest)
    return (pattern(number, exponent_bits, mantissa_bits, negative)
            << (bits - 1 - exponent_bits - mantissa_bits)), number


def encode_block(name, numbers):
    """Shared exponent, datums and what they stand for."""
    bits, exponent_bits, _, _ = FLOATS[name]
    bias = (1 << (exponent_bits - 1)) - 1
    top = 2 ** exponent_bits - (2 if exponent_bits == 8 else 1) - bias
    greatest = (2 - Fraction(1, 128)) * Fraction(2) ** top
    halves = [round_float(x, exponent_bits, 7, greatest) for x in numbers]
    halves = [x if abs(x) >= Fraction(2) ** (1 - bias) else Fraction(0) for x in halves]
    shared = max([binade(abs(x)) for x in halves if x], default=-bias)
    datums, worth = [], []
    for x in halves:
        scaled = abs(x) / Fraction(2) ** (shared - 6)
        magnitude = min(int(scaled + Fraction(1, 2)), 127)  # ties away from zero
        if binade(abs(x)) < shared - 7 if x else False:
            magnitude = 0
        magnitude >>= 8 - bits
        datums.append(magnitude | (int(x < 0 and magnitude > 0) << (bits - 1)))
        worth.append((-1 if x < 0 else 1) * magnitude * Fraction(2) ** (shared - (bits - 2)))
    return shared + bias, datums, worth


def encode_int(name, value):
    bits, _, twos = INTEGERS[name]
    if value < 0:
        return value & ((1 << bits) - 1) if twos else 1 << (bits - 1) | -value
    return value


# --- Layouts ---

def blocks_of(rows, columns, layout):
    """Lists of 16 elements (row, column), or None for padding, in the order of L1."""
    if layout == "rows":
        flat = [(i // columns, i % columns) for i in range(rows * columns)]
        return [flat[i:i + 16] for i in range(0, len(flat), 16)]
    found = []
    for tile_row in range(0, rows, 32):
        for tile_column in range(0, columns, 32):
            for face_row, face_column in ((0, 0), (0, 16), (16, 0), (16, 16)):
                for r in range(tile_row + face_row, tile_row + face_row + 16):
                    line = [(r, c) for c in range(tile_column + face_column,
                                                  tile_column + face_column + 16)]
                    found.append([p if p[0] < rows and p[1] < columns else None for p in line])
    return found


def model(name, layout, rows, columns, values):
    """Bytes of L1, and the values that --output gives. values: of Fractions, by row."""
    is_float = name in FLOATS
    bits = FLOATS[name][0] if is_float else INTEGERS[name][0]
    is_block = is_float and FLOATS[name][3]
    out = {}
    exponents, streams = [], []
    for block in blocks_of(rows, columns, layout):
        numbers = [values[p[0] * columns + p[1]] if p else Fraction(0) for p in block]
        if is_block:
            exponent, datums, worth = encode_block(name, numbers)
            exponents.append(exponent)
        elif is_float:
            pairs = [encode_float(name, x, x < 0) for x in numbers]
            datums, worth = [p[0] for p in pairs], [p[1] for p in pairs]
        else:
            datums, worth = [encode_int(name, int(x)) for x in numbers], numbers
        for p, x in zip(block, worth):
            if p:
                out[p] = x
        stream = sum(datum << bits * i for i, datum in enumerate(datums))
        streams.append(stream.to_bytes(len(datums) * bits // 8, "little"))
    result = b""
    if layout == "rows":
        result = bytes(exponents) + bytes(-len(exponents) % 16) + b"".join(streams)
    else:
        for i in range(0, len(streams), 64):
            result += bytes(exponents[i:i + 64]) + b"".join(streams[i:i + 64])
    return result, [out[r, c] for r in range(rows) for c in range(columns)]


# --- Cases ---

failures = 0


def report(name, problem):
    global failures
    failures += bool(problem)
    print("FAIL %s: %s" % (name, problem) if problem else "ok " + name)


def random_values(random_, name, type_, count):
    """Numbers of an array's type that the format takes."""
    if name in INTEGERS:
        bits, signed, twos = INTEGERS[name]
        low = -(1 << (bits - 1)) + (not twos) if signed else 0
        high = (1 << (bits - signed)) - 1
        if type_ == "|b1":
            low, high = 0, 1
        elif type_[1] in "iu":
            size = 8 * int(type_[2])
            low = max(low, -(1 << (size - 1)) if type_[1] == "i" else 0)
            high = min(high, (1 << (size - (type_[1] == "i"))) - 1)
        elif type_ != "<f8":
            low, high = max(low, -2048), min(high, 2048)
        return [random_.choice((low, high, 0, random_.randint(low, high))) for _ in range(count)]
    if type_ == "|b1":
        return [random_.random() < 0.5 for _ in range(count)]
    if type_[1] in "iu":
        size = 8 * int(type_[2])
        low = -(1 << (size - 1)) if type_[1] == "i" else 0
        high = (1 << (size - (type_[1] == "i"))) - 1
        return [random_.randint(low, high) >> random_.randrange(size) for _ in range(count)]
    spread = {"<f2": 12, "<f4": 30, "<f8": 40}[type_]
    values = [random_.uniform(-2, 2) * 2.0 ** random_.randint(-spread, spread) * (i % 17 > 0) + 0.0  # no -0
              for i in range(count)]
    return list(struct.unpack("<%d%s" % (count, CODES[type_]),
                              struct.pack("<%d%s" % (count, CODES[type_]), *values)))


def run(penrose, program, *options):
    done = subprocess.run([penrose, "run", program, "--json", *options], capture_output=True,
                          text=True, timeout=60)
    if done.returncode:
        raise RuntimeError("exit code %d: %s" % (done.returncode, done.stderr))
    return json.loads(done.stdout)


def check(penrose, program, work, name, layout, type_, shape, seed):
    random_ = random.Random(seed)
    rows, columns = 1, shape[-1]
    for length in shape[:-1]:
        rows *= length
    values = random_values(random_, name, type_, rows * columns)
    fortran = seed % 3 == 0
    in_file = values
    if fortran:  # the first index runs fastest
        strides = [1]
        for length in reversed(shape[1:]):
            strides.insert(0, strides[0] * length)
        in_file = []
        for i in range(len(values)):
            at, rest = 0, i
            for length, stride in zip(shape, strides):
                at += rest % length * stride
                rest //= length
            in_file.append(values[at])
    source, target = os.path.join(work, "in.npy"), os.path.join(work, "out.npy")
    save(source, type_, shape, in_file, fortran, 1 + seed % 3)
    expected, worth = model(name, layout, rows, columns, [Fraction(v) for v in values])
    result = run(penrose, program,
                 "--input", "0x20000=%s:%s:%s" % (source, name, layout),
                 "--output", "0x20000=%s:%dx%d:%s:%s" % (target, rows, columns, name, layout),
                 "--dump", "0x1fff0,%d" % (len(expected) + 33))
    memory = bytes(result["memory"][0]["bytes"])
    assert result["inputs"][0]["bytes"] == len(expected), "size in the result"
    assert result["outputs"][0]["written"] is True
    if memory[16:-17] != expected:
        at = next(i for i in range(len(expected)) if memory[16 + i] != expected[i])
        return "byte %d is %#x, not %#x" % (at, memory[16 + at], expected[at])
    if any(memory[:16]) or any(memory[-17:]):
        return "bytes beside it were written"
    out_type, out_shape, got = load(target)
    kinds = {8: "1", 16: "2", 32: "4"}
    wanted = "<f4" if name in FLOATS else "%s%s%s" % (
        "|" if INTEGERS[name][0] == 8 else "<", "i" if INTEGERS[name][1] else "u",
        kinds[INTEGERS[name][0]])
    if (out_type, out_shape) != (wanted, (rows, columns)):
        return "the result is %s %r" % (out_type, out_shape)
    for i, (value, number) in enumerate(zip(got, worth)):
        if Fraction(value) != number:
            return "result %d is %r, not %r" % (i, value, float(number))
    return None


def check_numpy(penrose, program, work):
    import numpy

    source, target = os.path.join(work, "numpy.npy"), os.path.join(work, "back.npy")
    for seed, type_ in enumerate(("f2", "f4", "f8", "i1", "i2", "u1", "u2", "i4", "bool")):
        generator = numpy.random.default_rng(seed)
        array = (generator.random((3, 40, 21)) * 100).astype(type_)
        array = numpy.asfortranarray(array) if seed % 2 else array
        with open(source, "wb") as file:
            numpy.lib.format.write_array(file, array, version=(1 + seed % 3, 0))
        run(penrose, program, "--input", "0x20000=%s:fp32" % source,
            "--output", "0x20000=%s:120x21:fp32" % target)
        back = numpy.load(target)
        same = back.dtype == "<f4" and (back == array.astype("f4").reshape(120, 21)).all()
        numpy.save(source, back)
        with open(source, "rb") as ours, open(target, "rb") as theirs:
            same = same and ours.read() == theirs.read()
        report("numpy %s" % type_, None if same else "differs")


def main():
    penrose, program, work = sys.argv[1:]
    types = list(CODES)
    shapes = [(32, 32), (33, 48), (7, 16), (2, 3, 5, 16), (80,), (64, 32), (1, 112), (45, 64)]
    seed = 0
    for name in [*FLOATS, *INTEGERS]:
        for layout in ("tiles", "rows"):
            problem = None
            for _ in range(2):
                type_, shape = types[seed * 5 % len(types)], shapes[seed % len(shapes)]
                seed += 1
                try:
                    problem = check(penrose, program, work, name, layout, type_, shape, seed)
                except (RuntimeError, AssertionError, KeyError) as error:
                    problem = repr(error)
                if problem:
                    problem += " (%s, %r, seed %d)" % (type_, shape, seed)
                    break
            report("%s in %s" % (name, layout), problem)
    try:
        check_numpy(penrose, program, work)
    except ImportError:
        print("SKIP numpy: it is not installed")
    return failures > 0


sys.exit(main())
