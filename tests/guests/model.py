"""What the programs of firmware/tensor compute, datum by datum.

An implementation of the documented arithmetic of unpackers, Matrix Unit and packer that shares
nothing with src/num: arrays of int64 instead of C, whole matrices at once. Numbers are kept as

  Src       (sign, exponent, mantissa) arrays; the mantissa has 10 bits, the exponent 8 bits, or 5
            bits with FP16's bias where `wide` is false
  Dst       patterns of FP32; those of FP16 in a 16-bit Dst have their exponent of 5 bits where FP32
            has eight
  in L1     bytes; matrices are cut into tiles of 32x32, these into four faces of 16x16

Sources: tt-isa-documentation (Unpackers and Packers, FormatConversion; SrcASrcB; MVMUL; ELWMUL;
ELWADD; GMPOOL; GAPOOL); for the order and the rounding of sums what the vendor's simulator does.
"""

from typing import NamedTuple

import numpy as np

FORMATS = {
    "Float32": 0, "Float16": 1, "Bfp8": 2, "Bfp4": 3, "Tf32": 4, "Float16_b": 5, "Bfp8_b": 6,
    "Bfp4_b": 7, "Int32": 8, "UInt16": 9, "Lf8": 10, "Bfp2": 11, "Int8": 14, "Bfp2_b": 15,
}
BITS = {
    "Float32": 32, "Float16": 16, "Bfp8": 8, "Bfp4": 4, "Tf32": 32, "Float16_b": 16, "Bfp8_b": 8,
    "Bfp4_b": 4, "Int32": 32, "UInt16": 16, "Lf8": 8, "Bfp2": 2, "Int8": 8, "Bfp2_b": 2,
}
SHARED = {name for name in FORMATS if name.startswith("Bfp")}
NARROW = {"Float16", "Lf8", "Bfp8", "Bfp4", "Bfp2"}  # exponents of 5 bits
INTEGERS = {"Int32", "UInt16", "Int8"}
FACE, TILE = 16, 32


def tile_bytes(form):
    return TILE * TILE * BITS[form] // 8 + (TILE * TILE // 16 if form in SHARED else 0)


# --- Tiles and rows ---


def to_tiles(matrix):
    """A matrix as rows of 1024: tile by tile, face by face."""
    rows, columns = matrix.shape
    cut = matrix.reshape(rows // TILE, 2, FACE, columns // TILE, 2, FACE)
    return cut.transpose(0, 3, 1, 4, 2, 5).reshape(-1, TILE * TILE)


def from_tiles(tiles, rows, columns):
    cut = tiles.reshape(rows // TILE, columns // TILE, 2, 2, FACE, FACE)
    return cut.transpose(0, 2, 4, 1, 3, 5).reshape(rows, columns)


# --- Datums of L1 as unsigned integers ---


def to_bytes(patterns, form):
    """Patterns of datums, one behind the other, as bytes. With shared exponents: as rows of 16
    pairs (exponent, magnitudes with signs)."""
    bits = BITS[form]
    if bits >= 8:
        return patterns.astype(f"<u{bits // 8}").tobytes()
    per_byte = 8 // bits
    parts = patterns.reshape(-1, per_byte).astype(np.int64)
    return sum(parts[:, i] << bits * i for i in range(per_byte)).astype(np.uint8).tobytes()


def from_bytes(data, form):
    bits = BITS[form]
    if bits >= 8:
        return np.frombuffer(data, f"<u{bits // 8}").astype(np.int64)
    per_byte = 8 // bits
    whole = np.frombuffer(data, np.uint8).astype(np.int64)
    return np.stack([whole >> bits * i & (1 << bits) - 1 for i in range(per_byte)], 1).reshape(-1)


def tiles_to_bytes(exponents, patterns, form):
    """Tiles (rows of 1024 patterns; rows of 64 exponents where the format shares them)."""
    if form not in SHARED:
        return to_bytes(patterns.reshape(-1), form)
    return b"".join(e.astype(np.uint8).tobytes() + to_bytes(p, form)
                    for e, p in zip(exponents, patterns))


def tiles_from_bytes(data, form):
    if form not in SHARED:
        return None, from_bytes(data, form).reshape(-1, TILE * TILE)
    size, head = tile_bytes(form), TILE * TILE // 16
    tiles = [data[at:at + size] for at in range(0, len(data), size)]
    exponents = np.stack([np.frombuffer(t[:head], np.uint8).astype(np.int64) for t in tiles])
    return exponents, np.stack([from_bytes(t[head:], form) for t in tiles])


# --- Unpacking ---


class Src(NamedTuple):
    sign: np.ndarray
    exponent: np.ndarray
    mantissa: np.ndarray
    wide: bool

    def __getitem__(self, key):
        if isinstance(key, int):
            return tuple.__getitem__(self, key)
        return Src(self.sign[key], self.exponent[key], self.mantissa[key], self.wide)

    def shaped(self, change):
        return Src(change(self.sign), change(self.exponent), change(self.mantissa), self.wide)

    @property
    def transposed(self):
        return self.shaped(lambda part: part.T)


def fields(pattern, exponent_bits, mantissa_bits):
    return (pattern >> exponent_bits + mantissa_bits & 1,
            pattern >> mantissa_bits & (1 << exponent_bits) - 1,
            pattern & (1 << mantissa_bits) - 1)


def unpack_shared(exponents, patterns, form):
    """Of 16 datums each; magnitudes have no leading one."""
    bits = BITS[form]
    sign, _, magnitude = fields(patterns, 0, bits - 1)
    magnitude = magnitude << 8 - bits + 1  # 8 bits, of which the lowest is 0
    exponent = np.repeat(exponents.reshape(-1), 16).reshape(patterns.shape)
    shift = np.zeros_like(magnitude)
    for _ in range(8):
        low = (magnitude > 0) & (magnitude < 0x80)
        magnitude, shift = np.where(low, magnitude << 1, magnitude), shift + low
    width = 5 if form in NARROW else 8
    exponent = np.where(magnitude == 0, 0, exponent - shift & (1 << width) - 1)
    mantissa = (magnitude & 0x7E) << 3
    is_special = (magnitude == 0) & (sign == 1)  # minus infinity
    exponent = np.where(is_special, (1 << width) - 1, exponent)
    return Src(np.where(magnitude == 0, sign & is_special, sign), exponent, mantissa,
               form not in NARROW)


def unpack_float32(pattern, to):
    sign, exponent, mantissa = fields(pattern, 8, 23)
    if to == "Tf32":
        return Src(sign, exponent, mantissa >> 13, True)
    if to == "Float16_b":
        return Src(np.where(exponent == 0, sign, sign), exponent,
                   np.where(exponent == 0, 0, mantissa >> 16 << 3), True)
    low = exponent - 112
    mantissa = np.where(low < 0, 0, np.where(low > 31, 0x3FF, mantissa >> 13))
    return Src(sign, low.clip(0, 31), mantissa, False)


def unpack(exponents, patterns, form, to):
    """From L1 to Src, in the same order. `to` counts for Float32 alone."""
    if form == "Float32":
        return unpack_float32(patterns, to)
    if form == "Float16_b":
        sign, exponent, mantissa = fields(patterns, 8, 7)
        return Src(sign, exponent, mantissa << 3, True)
    if form == "Float16":
        return Src(*fields(patterns, 5, 10), False)
    if form == "Lf8":
        sign, exponent, mantissa = fields(patterns, 5, 2)
        ones = patterns & 0x7F == 0x7F
        return Src(sign, exponent, np.where(ones, 0x3FF, mantissa << 8), False)
    if form in SHARED:
        return unpack_shared(exponents, patterns, form)
    raise ValueError(form)


def unpack_matrix(data, form, to, rows, columns):
    exponents, patterns = tiles_from_bytes(data, form)
    return unpack(exponents, patterns, form, to).shaped(
        lambda part: from_tiles(part, rows, columns))


def src_value(src):
    """As float64, denormals as zeros."""
    bias = 127 if src.wide else 15
    value = np.ldexp((src.mantissa | 0x400).astype(np.float64), src.exponent - bias - 10)
    return np.where(src.exponent == 0, 0.0, np.where(src.sign == 1, -value, value))


# --- The Matrix Unit ---


class Mode(NamedTuple):
    """How Dst is written: 32 bits or 16, and by the exponents of SrcA."""
    is_32bit: bool
    wide: bool
    has_low_mantissa: bool = False  # TF32: all 10 bits count, of others with wide exponents 7


def visible(src, mode):
    if src.wide and not mode.has_low_mantissa:
        src = src._replace(mantissa=src.mantissa & ~7)
    return src


def shift_right(value, by, ties_down):
    """Of magnitudes: to nearest; ties go up where ties_down is 0."""
    by = np.clip(by, 0, 40)
    half = np.where(by > 0, np.int64(1) << np.maximum(by - 1, 0), 0)
    return np.where(by > 0, np.maximum(value + half - ties_down, 0) >> by, value)


def accumulate(mode, terms, dst):
    """dst plus two terms (sign, exponent, magnitude): all aligned to the largest exponent, added,
    and rounded once more."""
    old_sign, old_exponent, old = fields(dst, 8, 23)
    old = np.where(old_exponent == 0, 0, old | 0x800000)
    top = old_exponent
    for _, exponent, _ in terms:
        top = np.maximum(top, exponent)
    old = shift_right(old, top - old_exponent, 0)
    if not mode.is_32bit:
        old = old + 0x1000 & ~0x1FFF
    total = np.where(old_sign == 1, -old, old)
    for sign, exponent, magnitude in terms:
        part = shift_right(magnitude, top - exponent, sign)
        if not mode.is_32bit:
            part = np.maximum(part + 0x1000 - sign, 0) & ~0x1FFF
        total = total + np.where(sign == 1, -part, part)
    return np.where(top <= 0, 0, normalised(mode, total, top))


def normalised(mode, total, exponent):
    sign, magnitude = (total < 0).astype(np.int64), np.abs(total)
    length = np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)  # exact below 2**53
    bits = 24 if mode.is_32bit else 8 if mode.wide else 11
    exponent = exponent + length - 24
    magnitude = np.where(length > bits, shift_right(magnitude, length - bits, 0),
                         magnitude << np.maximum(bits - length, 0))
    carry = magnitude >> bits
    magnitude, exponent = magnitude >> carry, exponent + carry
    mantissa = magnitude << 24 - bits & 0x7FFFFF
    if mode.is_32bit or mode.wide:
        pattern = np.where(exponent >= 255, 0x7F800000, exponent << 23 | mantissa)
    else:
        pattern = np.where(exponent >= 32, 0x1F << 23 | 0x7FE000, exponent << 23 | mantissa)
    return np.where((total == 0) | (exponent <= 0), 0, sign << 31 | pattern)


def product_bias(mode, phase):
    bias = -127 if mode.wide else 127 - 30 if mode.is_32bit else -15
    return bias - (5 if phase & 1 else 0) - (7 if phase & 2 else 0)


def products(mode, a, b, phase):
    """Terms (sign, exponent, 12 bits of magnitude) of SrcA times SrcB, broadcast as numpy does."""
    bias = product_bias(mode, phase)
    full_a, full_b = a.mantissa | 0x400, b.mantissa | 0x400
    slice_a = full_a >> 1 & 0x1F if phase & 1 else full_a >> 6
    slice_b = (full_b & 0xF) << 3 if phase & 2 else full_b >> 4
    is_zero = (a.exponent == 0) | (b.exponent == 0)
    return (np.where(is_zero, 0, a.sign ^ b.sign),
            np.where(is_zero, max(bias, 0), a.exponent + b.exponent + bias),
            np.where(is_zero, 0, slice_a * slice_b))


def dot(mode, b, a, dst, phase):
    """dst + b * a for 16 columns of b and 16 rows of a: MVMUL; groups of eight products."""
    terms = []
    for group in (slice(0, 8), slice(8, 16)):
        sign, exponent, magnitude = products(mode, a.shaped(lambda p: p[None, group, :]),
                                             b.shaped(lambda p: p[:, group, None]), phase)
        top = exponent.max(axis=1)
        magnitude = shift_right(magnitude, top[:, None, :] - exponent, 0)
        total = np.where(sign == 1, -magnitude, magnitude).sum(axis=1)
        is_nothing = top <= 0
        terms.append((np.where(is_nothing, 0, total < 0).astype(np.int64),
                      np.where(is_nothing, 0, top),
                      np.where(is_nothing, 0, np.abs(total) << 13)))
    return accumulate(mode, terms, dst)


def matmul(mode, a, b, phases):
    """The matrix a times the matrix b, as firmware/tensor/matmul.c does it: tile by tile, in each
    phase both halves of the tile. a goes to SrcB."""
    a, b = visible(a, mode), visible(b, mode)
    dst = np.zeros((a.sign.shape[0], b.sign.shape[1]), np.int64)
    for tile in range(0, a.sign.shape[1], TILE):
        for phase in range(phases):
            for at in (tile, tile + FACE):
                dst = dot(mode, a.shaped(lambda p: p[:, at:at + FACE]),
                          b.shaped(lambda p: p[at:at + FACE, :]), dst, phase)
    return dst


NOTHING = (np.int64(0), np.int64(0), np.int64(0))


def multiply(mode, a, b, phases):
    """ELWMUL; its product has no sum to be rounded in."""
    a, b = visible(a, mode), visible(b, mode)
    dst = np.zeros(a.sign.shape, np.int64)
    for phase in range(phases):
        sign, exponent, magnitude = products(mode, a, b, phase)
        low = exponent <= 0
        zero_exponent = max(product_bias(mode, phase), 0)
        term = (np.where(low, 0, sign), np.where(low, zero_exponent, exponent),
                np.where(low, 0, magnitude) << 13)
        dst = accumulate(mode, [term, NOTHING], dst)
    return dst


def add(mode, a, b, subtracts):
    """ELWADD and ELWSUB: the smaller exponent is aligned first."""
    a, b = visible(a, mode), visible(b, mode)
    b = b._replace(sign=b.sign ^ int(subtracts))
    value = []
    top = np.maximum(a.exponent, b.exponent)
    for part in (a, b):
        magnitude = np.where(part.exponent == 0, 0, part.mantissa | 0x400)
        magnitude = shift_right(magnitude, top - part.exponent, 0)
        value.append(np.where(part.sign == 1, -magnitude, magnitude))
    total = value[0] + value[1]
    if mode.is_32bit and not mode.wide:
        top = np.where(top == 0, 127 - 30, top + 112)
    term = ((total < 0).astype(np.int64), top, np.abs(total) << 13)
    return accumulate(mode, [term, NOTHING], np.zeros_like(total))


def copy(mode, src):
    """To Dst: MOVA2D, or ELWADD with zeros where Dst has 32 bits."""
    src = visible(src, mode)
    if mode.is_32bit:
        zero = src.shaped(np.zeros_like)
        return add(mode, src, zero, False)
    pattern = src.sign << 31 | src.exponent << 23 | src.mantissa << 13
    return np.where(src.exponent == 0, 0, pattern)


# --- Pooling ---


def ordered(pattern):
    """FP32 patterns as numbers that compare alike; -0 is below +0."""
    return np.where(pattern >> 31 == 1, -(pattern & 0x7FFFFFFF) - 1, pattern)


def greatest(mode, src, row):
    """GMPOOL over columns of a matrix with factors of 1, and a row of Dst or None."""
    src = visible(src, mode)
    pattern = src.sign << 31 | src.exponent << 23 | src.mantissa << 13
    pattern = np.where(src.exponent == 0, 0, pattern)
    if row is not None:
        pattern = np.concatenate([pattern, row[None, :] & ~0x1FFF])
    return np.take_along_axis(pattern, ordered(pattern).argmax(axis=0)[None, :], 0)[0]


def pooled(mode, src, factor, phases, is_max, row=None):
    """Columns of `src` (a multiple of 16 rows) to one row, to which Dst's is added: GMPOOL, or
    GAPOOL, 16 rows at a time."""
    if is_max:
        return greatest(mode, src, row)
    src, factor = visible(src, mode), visible(factor, mode)
    dst = np.zeros((1, src.sign.shape[1]), np.int64) if row is None else row[None, :]
    weights = factor.shaped(lambda p: np.full((1, FACE), p))
    for at in range(0, src.sign.shape[0], FACE):
        for phase in range(phases):
            dst = dot(mode, weights, src.shaped(lambda p: p[at:at + FACE, :]), dst, phase)
    return dst[0]


def through_src_b(pattern):
    """MOVD2B, with Float16_b in SrcB."""
    return pattern & ~0xFFFF


def pooled_rows(mode, src, factor, phases, is_max):
    """Rows of a matrix to one datum each; after each tile the results go through SrcB."""
    row = None
    for at in range(0, src.sign.shape[1], TILE):
        part = src.shaped(lambda p: p[:, at:at + TILE].T)
        row = through_src_b(pooled(mode, part, factor, phases, is_max, row))
    return row


def pooled_tile(mode, src, factor, phases, is_max):
    """A tile to one datum: its faces one after the other to a row, the row to a datum."""
    faces = src.shaped(lambda p: np.concatenate(
        [p[r:r + FACE, c:c + FACE] for r in (0, FACE) for c in (0, FACE)]))
    row = through_src_b(pooled(mode, faces, factor, phases, is_max))
    column = Src(row >> 31, row >> 23 & 0xFF, row >> 13 & 0x3FF, mode.wide)
    column = column.shaped(lambda p: p[:, None])
    return pooled(mode, column, factor, phases, is_max)[0]


# --- Integers ---


def matmul_int8(a, b, phases):
    """Matrices of Int8 datums as they are in L1, to sign and magnitude in Dst; a goes to SrcB. Sums
    do not come near saturation here."""
    total = np.zeros((a.shape[0], b.shape[1]), np.int64)
    for phase in range(phases):
        part_a = (a & 0x7F) & (0x0F if phase & 2 else 0x3F0)
        part_b = (b & 0x7F) & (0x1F if phase & 1 else 0x0E0)
        total += np.where(a >> 7 == 1, -part_a, part_a) @ np.where(b >> 7 == 1, -part_b, part_b)
    return np.where(total < 0, 1 << 31, 0) | np.abs(total)


# --- Packing ---


def pack_float16_b(pattern, is_32bit):
    if is_32bit:
        pattern = np.where(pattern & 0x7FFFFFFF > 0x7F800000, pattern & 1 << 31 | 0x7F800000,
                           pattern)
        value = pattern + 0x8000 >> 16 & 0x1FFFF
    else:
        value = pattern >> 16
        value = np.where(value & 0x7FFF > 0x7F80, value & 0x8000 | 0x7F80, value)
    return np.where(value & 0x7FFF < 0x80, 0, value)


def early(pattern, mode, form):
    """From Dst to the packer's intermediate format; 16-bit ones as 16 bits."""
    if form == "Float32" and mode.is_32bit:
        return pattern
    if form == "Float16_b":
        return pack_float16_b(pattern, mode.is_32bit)
    if form == "Bfp8_b":
        if mode.is_32bit:
            pattern = np.where(pattern & 0x7FFFFFFF > 0x7F800000, pattern & 1 << 31 | 0x7F800000,
                               pattern)
            value = (pattern >> 16) + 1 & ~1
        else:
            value = pack_float16_b(pattern, False)
            return value + 1 & ~1
        return np.where(value & 0x7FFF < 0x80, 0, value)
    if form == "Float16" and not mode.is_32bit and not mode.wide:
        value = pattern >> 16 & 0x8000 | pattern >> 13 & 0x7FFF
        return np.where(value & 0x7FFF < 0x400, 0, value)
    if form == "Float16" and mode.is_32bit:
        pattern = np.where(pattern & 0x7FFFFFFF > 0x7F800000, pattern & 1 << 31 | 0x7F800000,
                           pattern)
        value = pattern + 0x1000 >> 13
        value = np.where(value & 0x3FFFF < 0x400, 0, value)
        sign, exponent, mantissa = fields(value, 8, 10)
        exponent = exponent - 112
        return sign << 15 | np.where(exponent < 0, 0, np.where(exponent > 31, 0x7FFF,
                                                               exponent << 10 | mantissa))
    raise ValueError(form)


def to_shared(value, bits, narrow):
    """Rows of 16 patterns of BF16, or of FP16, to exponents and magnitudes."""
    rows = value.reshape(-1, 16)
    if narrow:
        sign, exponent, mantissa = fields(rows, 5, 10)
        mantissa = mantissa >> 3
    else:
        sign, exponent, mantissa = fields(rows, 8, 7)
    top = exponent.max(axis=1)
    mantissa = np.where(exponent == 0, mantissa, mantissa | 0x80)
    shift = top[:, None] - exponent
    near = np.minimum(shift, 8)
    magnitude = np.where(shift >= 8, 0, mantissa + (np.int64(1) << near) >> near + 1)
    magnitude = np.minimum(magnitude, 0x7F) >> 8 - bits
    return top, np.where(magnitude == 0, 0, sign << bits - 1 | magnitude)


def late(value, form, to):
    """From the intermediate format to L1's: exponents or None, and patterns."""
    if to in SHARED:
        if form == "Float32":
            value = value >> 16
            value = np.where(value & 0x7FFF < 0x80, 0, value)
        return to_shared(value, BITS[to], to in NARROW)
    if form == to or (form == "Bfp8_b" and to == "Float16_b"):
        return None, value
    if to == "Float32" and form in ("Float16_b", "Bfp8_b"):
        return None, value << 16
    if to == "Float32" and form == "Float16":
        wide = np.where(value & 0x7C00 != 0, (value & 0x7FFF) + (112 << 10), value & 0x3FF)
        return None, (value & 0x8000) << 16 | wide << 13
    if to == "Float16_b" and form == "Float16":
        sign, exponent, mantissa = fields(value, 5, 10)
        return None, np.where(exponent == 0, 0, sign << 15 | exponent + 112 << 7 | mantissa >> 3)
    if to == "Float16" and form == "Float32":
        sign, exponent, mantissa = fields(value, 8, 23)
        exponent = exponent - 112
        return None, sign << 15 | np.where(exponent < 0, 0, np.where(
            exponent > 31, 0x7FFF, exponent << 10 | mantissa >> 13))
    raise ValueError((form, to))


def pack_tiles(dst, mode, form, to):
    """A matrix in Dst to tiles in L1."""
    exponents, patterns = late(early(to_tiles(dst), mode, form), form, to)
    if exponents is not None:
        exponents = exponents.reshape(-1, TILE * TILE // 16)
        patterns = patterns.reshape(-1, TILE * TILE)
    return tiles_to_bytes(exponents, patterns, to)


def pack_rows(dst, mode, form, to):
    return to_bytes(late(early(dst, mode, form), form, to)[1].reshape(-1), to)


# --- Numbers in L1 as float64 ---


def values(data, form):
    """Tiles' datums in their order."""
    exponents, patterns = tiles_from_bytes(data, form)
    return pattern_values(exponents, patterns, form)


def pattern_values(exponents, patterns, form):
    if form in ("Float32", "Tf32"):
        return patterns.astype(np.uint32).view(np.float32).astype(np.float64)
    if form == "Float16_b":
        return (patterns << 16).astype(np.uint32).view(np.float32).astype(np.float64)
    if form == "UInt16":
        return patterns.astype(np.float64)
    if form in ("Int32", "Int8"):
        bits = BITS[form]
        magnitude = patterns & (1 << bits - 1) - 1
        return np.where(patterns >> bits - 1 == 1, -magnitude, magnitude).astype(np.float64)
    src = unpack(exponents, patterns, form, form)
    if form in ("Float16", "Lf8"):  # memory has denormals, other than the Matrix Unit
        denormal = np.ldexp(src.mantissa.astype(np.float64), -24)
        return np.where(src.exponent == 0, np.where(src.sign == 1, -denormal, denormal),
                        src_value(src))
    return src_value(src)


def matrix_values(data, form, rows, columns):
    return from_tiles(values(data, form), rows, columns)
