"""Runs the programs of firmware/tensor and compares what they leave in L1 with model.py, bit by
bit, and with float64 within a bound. tensor.sh calls it.

    tensor.py PENROSE GUESTS ARGUMENTS_H SCRATCH [--seeds N] [--only TEXT]

GUESTS holds PROGRAM-trisc0.elf and so on; ARGUMENTS_H tells the order of the arguments.
"""

import argparse
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import model
from model import FORMATS, TILE

A, B, RESULT = 0x40000, 0x80000, 0xC0000
ARGUMENTS = 0x9000
HARTS = ("trisc0", "trisc1", "trisc2")


class Operand(NamedTuple):
    """A matrix in L1."""
    address: int
    form: str
    rows: int
    columns: int
    layout: str  # "tiles" or "rows"
    data: bytes

    @property
    def values(self):
        if self.layout == "tiles":
            return model.matrix_values(self.data, self.form, self.rows, self.columns)
        patterns = model.from_bytes(self.data, self.form)
        return model.pattern_values(None, patterns, self.form).reshape(self.rows, self.columns)


class Case(NamedTuple):
    name: str
    program: str
    arguments: dict
    inputs: list
    result: Operand  # what must be there
    exact: np.ndarray  # the true result
    bound: np.ndarray  # how far from it the result may be


# --- Inputs ---

WILD = None  # a spread: all exponents, denormals, infinities


def random_tiles(rng, address, form, rows, columns, spread=3):
    """Numbers of both signs within a few binades, and a few zeros."""
    shape = rows * columns // TILE ** 2, TILE * TILE
    if form in model.INTEGERS:
        patterns = rng.integers(0, 1 << model.BITS[form], shape)
        if form != "UInt16":  # no negative zeros
            magnitude = patterns & (1 << model.BITS[form] - 1) - 1
            patterns = np.where(magnitude == 0, 0, patterns)
        return Operand(address, form, rows, columns, "tiles",
                       model.tiles_to_bytes(None, patterns, form))
    if form in model.SHARED:
        bits = model.BITS[form]
        middle = 15 if form in model.NARROW else 127
        rows_of_16 = shape[0], shape[1] // 16
        exponents = rng.integers(middle - spread + 1, middle + 2, rows_of_16)
        patterns = rng.integers(0, 1 << bits, (shape[0], rows_of_16[1], 16))
        patterns[..., 0] |= 1 << bits - 2  # somebody needs the exponent
        magnitude = patterns & (1 << bits - 1) - 1
        patterns = np.where(magnitude == 0, 0, patterns).reshape(shape)
        return Operand(address, form, rows, columns, "tiles",
                       model.tiles_to_bytes(exponents, patterns, form))
    patterns = random_patterns(rng, form, shape, spread)
    return Operand(address, form, rows, columns, "tiles",
                   model.tiles_to_bytes(None, patterns, form))


def random_patterns(rng, form, shape, spread=3):
    widths = {"Float32": (8, 23), "Float16_b": (8, 7), "Float16": (5, 10), "Lf8": (5, 2)}[form]
    sign = rng.integers(0, 2, shape)
    mantissa = rng.integers(0, 1 << widths[1], shape)
    if spread == WILD:
        greatest = (1 << widths[0]) - 1
        exponent = rng.integers(0, greatest + 1, shape)
        kind = rng.integers(0, 20, shape)
        exponent = np.where(kind == 0, 0, np.where(kind == 1, greatest, exponent))
        if widths[0] == 8:  # infinities, but no NaNs
            mantissa = np.where(exponent == greatest, 0, mantissa)
        return sign << sum(widths) | exponent << widths[1] | mantissa
    middle = (1 << widths[0] - 1) - 1
    exponent = rng.integers(middle - spread, middle + spread, shape)
    patterns = sign << sum(widths) | exponent << widths[1] | mantissa
    return np.where(rng.integers(0, 50, shape) == 0, 0, patterns)


def random_rows(rng, address, form, rows, columns, spread=3):
    if form in model.INTEGERS:
        patterns = rng.integers(0, 1 << model.BITS[form], (rows, columns))
    else:
        patterns = random_patterns(rng, form, (rows, columns), spread)
    return Operand(address, form, rows, columns, "rows", model.to_bytes(patterns.reshape(-1), form))


def in_src(operand, src):
    return model.unpack_matrix(operand.data, operand.form, src, operand.rows, operand.columns)


def src_of(form, is_32bit):
    """What unpackers are told to make of a format."""
    if form == "Float32":
        return "Tf32" if is_32bit else "Float16_b"
    return form


def pack_of(src, to, is_32bit):
    """What the packer is told to take Dst for."""
    if is_32bit:
        return {"Float16_b": "Float16_b", "Float16": "Float16"}.get(to, "Float32")
    return "Float16" if src in model.NARROW else "Float16_b"


def mode_of(src, is_32bit):
    return model.Mode(is_32bit, src not in model.NARROW, src in ("Tf32", "Float16"))


def arguments_of(a, b, src, pack, to, is_32bit, **others):
    given = {"A": a.address, "B": b.address, "RESULT": RESULT, "FORMAT_A": FORMATS[a.form],
             "FORMAT_B": FORMATS[b.form], "FORMAT_SRC_A": FORMATS[src[0]],
             "FORMAT_SRC_B": FORMATS[src[1]], "FORMAT_PACK": FORMATS[pack],
             "FORMAT_RESULT": FORMATS[to], "IS_DST_32BIT": int(is_32bit), "PHASES": 1}
    given.update(others)
    return given


# --- Bounds: a part of the magnitudes that go into a result ---


def rounding(form):
    """Half a unit in the last place of a format, relative to the number; with shared exponents
    relative to the greatest of a row, within some of which others lie."""
    return {"Float32": 2.0 ** -24, "Tf32": 2.0 ** -11, "Float16_b": 2.0 ** -8,
            "Float16": 2.0 ** -10, "Lf8": 2.0 ** -2, "Bfp8_b": 2.0 ** -7, "Bfp8": 2.0 ** -7,
            "Bfp4_b": 2.0 ** -2, "Bfp4": 2.0 ** -2, "Bfp2_b": 1.0, "Bfp2": 1.0,
            "Int32": 0.0, "UInt16": 0.0, "Int8": 0.0}[form]


def truncation(phases):
    """What the slices of mantissas that phases leave out are worth: SrcA's below 5 bits are 2**-4,
    SrcB's below 7 bits 2**-6."""
    return {1: 2.0 ** -4 + 2.0 ** -6, 2: 2.0 ** -6, 3: 2.0 ** -10, 4: 0.0}[phases]


def row_maxima(magnitude):
    """The greatest of each 16 datums that share an exponent."""
    shape = magnitude.shape
    rows = magnitude.reshape(-1, 16)
    return np.broadcast_to(rows.max(axis=1)[:, None], rows.shape).reshape(shape)


def output_bound(exact, slack, to):
    if to in model.SHARED:
        return slack + 2 * rounding(to) * row_maxima(np.abs(exact) + slack)
    return slack + 2 * rounding(to) * (np.abs(exact) + slack)


# --- Cases ---


def result_tiles(dst, mode, pack, to):
    return Operand(RESULT, to, *dst.shape, "tiles", model.pack_tiles(dst, mode, pack, to))


def matmul_case(rng, shape, forms, to, is_32bit, phases, spread=3):
    rows, inner, columns = (TILE * n for n in shape)
    a = random_tiles(rng, A, forms[0], rows, inner, spread)
    b = random_tiles(rng, B, forms[1], inner, columns, spread)
    src = src_of(forms[0], is_32bit), src_of(forms[1], is_32bit)
    mode, pack = mode_of(src[0], is_32bit), pack_of(src[0], to, is_32bit)
    dst = model.matmul(mode, in_src(a, src[0]), in_src(b, src[1]), phases)
    sums = np.abs(a.values) @ np.abs(b.values)
    steps = shape[1] * 2 * phases
    slack = sums * (truncation(phases) + 2.0 ** -10 * phases + steps *
                    (2.0 ** -24 if is_32bit else 2.0 ** (-8 if mode.wide else -10)))
    if forms[0] == "Float32":
        slack = slack + sums * 4 * rounding("Tf32")
    exact = a.values @ b.values
    return Case(f"matmul {shape} {forms[0]} x {forms[1]} -> {to}, {32 if is_32bit else 16}-bit "
                f"Dst, {phases} phases", "matmul",
                arguments_of(a, b, src, pack, to, is_32bit, ROWS=shape[0], INNER=shape[1],
                             COLUMNS=shape[2], PHASES=phases),
                [a, b], result_tiles(dst, mode, pack, to), exact, output_bound(exact, slack, to))


def int8_case(rng, shape, phases):
    rows, inner, columns = (TILE * n for n in shape)
    a = random_tiles(rng, A, "Int8", rows, inner)
    b = random_tiles(rng, B, "Int8", inner, columns)
    datums = [model.from_tiles(model.tiles_from_bytes(x.data, "Int8")[1], x.rows, x.columns)
              for x in (a, b)]
    dst = model.matmul_int8(*datums, phases)
    data = model.tiles_to_bytes(None, model.to_tiles(dst), "Int32")
    sums = np.abs(a.values) @ np.abs(b.values)
    # Slices that are left out: SrcA's are below 32, SrcB's below 16.
    left_out = {1: 31 * 127 + 15 * 127, 2: 15 * 127, 3: 31 * 15, 4: 0}[phases]
    return Case(f"matmul {shape} Int8 x Int8 -> Int32, {phases} phases", "matmul",
                arguments_of(a, b, ("Int8", "Int8"), "Int32", "Int32", True, ROWS=shape[0],
                             INNER=shape[1], COLUMNS=shape[2], PHASES=phases),
                [a, b], Operand(RESULT, "Int32", rows, columns, "tiles", data),
                a.values @ b.values, np.minimum(sums, left_out * inner * np.ones_like(sums)))


BROADCASTS = ("none", "row", "column", "scalar")
OPERATIONS = ("add", "subtract", "multiply")


def broadcast(part, kind):
    """A matrix of tiles of which a row, a column or a datum of each stands for all."""
    rows, columns = part.shape
    tiles = part.reshape(rows // TILE, TILE, columns // TILE, TILE)
    if kind in ("row", "scalar"):
        tiles = np.broadcast_to(tiles[:, :1], tiles.shape)
    if kind in ("column", "scalar"):
        tiles = np.broadcast_to(tiles[:, :, :, :1], tiles.shape)
    return tiles.reshape(rows, columns)


def eltwise_case(rng, shape, operation, kind, forms, to, is_32bit, phases, spread=3):
    rows, columns = (TILE * n for n in shape)
    a = random_tiles(rng, A, forms[0], rows, columns, spread)
    b = random_tiles(rng, B, forms[1], rows, columns, spread)
    src = src_of(forms[0], is_32bit), src_of(forms[1], is_32bit)
    mode, pack = mode_of(src[0], is_32bit), pack_of(src[0], to, is_32bit)
    src_a = in_src(a, src[0])
    src_b = in_src(b, src[1]).shaped(lambda part: broadcast(part, kind))
    x, y = a.values, broadcast(b.values, kind)
    coarse = 2.0 ** -24 if is_32bit else 2.0 ** (-8 if mode.wide else -10)
    if operation == "multiply":
        dst = model.multiply(mode, src_a, src_b, phases)
        exact = x * y
        slack = np.abs(exact) * (truncation(phases) + 2 * phases * coarse)
    else:
        dst = model.add(mode, src_a, src_b, operation == "subtract")
        exact = x - y if operation == "subtract" else x + y
        slack = (np.abs(x) + np.abs(y)) * (2.0 ** -10 + 2 * coarse)
    if "Float32" in forms:
        slack = slack + (np.abs(x) + np.abs(y) + np.abs(exact)) * 4 * rounding("Tf32")
    return Case(f"eltwise {operation} {shape} broadcast {kind} {forms[0]}, {forms[1]} -> {to}, "
                f"{32 if is_32bit else 16}-bit Dst, {phases} phases", "eltwise",
                arguments_of(a, b, src, pack, to, is_32bit, ROWS=shape[0], COLUMNS=shape[1],
                             PHASES=phases, OPERATION=OPERATIONS.index(operation),
                             BROADCAST=BROADCASTS.index(kind)),
                [a, b], result_tiles(dst, mode, pack, to), exact, output_bound(exact, slack, to))


DIMENSIONS = ("row", "column", "scalar")


def factor_tile(value, form):
    """One tile, full of a power of two."""
    patterns = np.full((TILE * TILE), np.float32(value).view(np.uint32) >> 16, np.int64)
    assert form == "Float16_b"
    return Operand(B, form, TILE, TILE, "tiles", model.to_bytes(patterns, form))


def reduce_case(rng, shape, dimension, pooling, form, to, is_32bit, phases, spread=3):
    rows, columns = (TILE * n for n in shape)
    a = random_tiles(rng, A, form, rows, columns, spread)
    count = {"row": columns, "column": rows, "scalar": TILE * TILE}[dimension]
    factor = 1.0
    if pooling == "average":
        factor = 2.0 ** -round(np.log2(count) / (2 if dimension == "scalar" else 1))
    b = factor_tile(factor, "Float16_b")
    src = src_of(form, is_32bit), "Float16_b"
    mode, pack = mode_of(src[0], is_32bit), pack_of(src[0], to, is_32bit)
    src_a = in_src(a, src[0])
    weight = in_src(b, src[1])[0:1, 0:1]
    is_max = pooling == "max"
    x = a.values
    if dimension == "column":
        dst = np.zeros((TILE, columns), np.int64)
        dst[0] = model.pooled(mode, src_a, weight, phases, is_max)
        true = np.zeros((TILE, columns))
        true[0] = x.max(axis=0) if is_max else x.sum(axis=0) * factor
        sums = np.zeros((TILE, columns))
        sums[0] = np.abs(x).sum(axis=0) * factor
    elif dimension == "row":
        dst = np.zeros((rows, TILE), np.int64)
        dst[:, 0] = model.pooled_rows(mode, src_a, weight, phases, is_max)
        true, sums = np.zeros((2, rows, TILE))
        true[:, 0] = x.max(axis=1) if is_max else x.sum(axis=1) * factor
        sums[:, 0] = np.abs(x).sum(axis=1) * factor
    else:
        dst = np.zeros((rows, columns), np.int64)
        true, sums = np.zeros((2, rows, columns))
        for r in range(0, rows, TILE):
            for c in range(0, columns, TILE):
                dst[r, c] = model.pooled_tile(mode, src_a[r:r + TILE, c:c + TILE], weight, phases,
                                              is_max)
                part = x[r:r + TILE, c:c + TILE]
                true[r, c] = part.max() if is_max else part.sum() * factor ** 2
                sums[r, c] = np.abs(part).sum() * factor ** 2
    steps = phases * (4 + 2 * max(shape))
    # The slice of a power of two is all of it, so that SrcA's slices count alone.
    missing = 2.0 ** -4 if phases == 1 else 0.0
    step = 2.0 ** (-20 if is_32bit and dimension == "column" else -8)
    slack = sums * (0 if is_max else missing + steps * step)
    return Case(f"reduce {dimension} {pooling} {shape} {form} -> {to}, "
                f"{32 if is_32bit else 16}-bit Dst, {phases} phases", "reduce",
                arguments_of(a, b, src, pack, to, is_32bit, ROWS=shape[0], COLUMNS=shape[1],
                             PHASES=phases, OPERATION=0 if is_max else 1,
                             DIMENSION=DIMENSIONS.index(dimension)),
                [a, b], result_tiles(dst, mode, pack, to), true, output_bound(true, slack, to))


def opaque_result(a, to, layout, rows, columns, change):
    """Of datums that are only moved."""
    if a.layout == "tiles":
        patterns = model.from_tiles(model.tiles_from_bytes(a.data, a.form)[1], a.rows, a.columns)
    else:
        patterns = model.from_bytes(a.data, a.form).reshape(a.rows, a.columns)
    moved = change(patterns)
    data = (model.tiles_to_bytes(None, model.to_tiles(moved), to) if layout == "tiles"
            else model.to_bytes(moved.reshape(-1), to))
    return Operand(RESULT, to, rows, columns, layout, data)


def move_case(rng, program, shape, form, to, is_32bit, past_src=False, spread=3):
    """Programs that copy: tilize, untilize, transpose, copy."""
    rows, columns = (TILE * n for n in shape)
    flipped = program == "transpose"
    in_rows, in_columns = (columns, rows) if flipped else (rows, columns)
    make = random_rows if program == "tilize" else random_tiles
    a = make(rng, A, form, in_rows, in_columns, spread)
    layout = "rows" if program == "untilize" else "tiles"
    change = (lambda part: part.T) if flipped else (lambda part: part)
    is_opaque = form in model.INTEGERS or past_src
    if is_opaque:
        src = pack = form
        result = opaque_result(a, to, layout, rows, columns, change)
    else:
        src, mode = src_of(form, is_32bit), mode_of(src_of(form, is_32bit), is_32bit)
        pack = pack_of(src, to, is_32bit)
        if a.layout == "tiles":
            datums = in_src(a, src)
        else:
            datums = model.unpack(None, model.from_bytes(a.data, form), form, src).shaped(
                lambda part: part.reshape(rows, columns))
        dst = model.copy(mode, datums.shaped(change))
        data = (model.pack_tiles if layout == "tiles" else model.pack_rows)(dst, mode, pack, to)
        result = Operand(RESULT, to, rows, columns, layout, data)
    exact = change(a.values)
    slack = np.abs(exact) * (0 if is_opaque else rounding(src) * 2)
    arguments = arguments_of(a, a, (src, src), pack, to, is_32bit, ROWS=shape[0],
                             COLUMNS=shape[1], IS_UNPACK_TO_DST=int(past_src))
    what = " past Src" if past_src else ""
    return Case(f"{program} {shape} {form} -> {to}, {32 if is_32bit else 16}-bit Dst{what}",
                program, arguments, [a], result, exact, output_bound(exact, slack, to))


def wild_cases(rng):
    """Whatever numbers a format has: bits alone are compared."""
    bf16 = ("Float16_b",) * 2
    for is_32bit, to in ((False, "Float16_b"), (True, "Float32"), (False, "Bfp8_b")):
        yield matmul_case(rng, (1, 2, 1), bf16, to, is_32bit, 4, WILD)
        for operation in OPERATIONS:
            yield eltwise_case(rng, (1, 1), operation, "none", bf16, to, is_32bit,
                               4 if operation == "multiply" else 1, WILD)
        for pooling in ("max", "sum"):
            yield reduce_case(rng, (1, 2), "column", pooling, "Float16_b", to, is_32bit, 2, WILD)
    fp16 = ("Float16",) * 2
    for is_32bit, to in ((False, "Float16"), (True, "Float32"), (True, "Float16")):
        yield matmul_case(rng, (1, 1, 1), fp16, to, is_32bit, 4, WILD)
        for operation in OPERATIONS:
            yield eltwise_case(rng, (1, 1), operation, "none", fp16, to, is_32bit, 1, WILD)
    for to in ("Float32", "Float16_b", "Bfp8_b", "Bfp4_b", "Bfp2_b"):
        yield move_case(rng, "copy", (1, 1), "Float16_b", to, False, spread=WILD)
    for to in ("Float32", "Float16_b", "Float16", "Bfp8_b"):
        yield move_case(rng, "copy", (1, 1), "Float32", to, True, spread=WILD)
    for to in ("Float32", "Float16_b", "Float16", "Bfp8"):
        yield move_case(rng, "copy", (1, 1), "Float16", to, False, spread=WILD)
    yield move_case(rng, "copy", (1, 1), "Float32", "Float32", True, past_src=True, spread=WILD)
    for program in ("tilize", "untilize", "transpose"):
        yield move_case(rng, program, (1, 2), "Float16_b", "Float16_b", False, spread=WILD)


def matmul_cases(rng):
    bf16, bfp8 = ("Float16_b",) * 2, ("Bfp8_b",) * 2
    for phases in (1, 2, 3, 4):
        yield matmul_case(rng, (1, 1, 1), bf16, "Float16_b", False, phases)
        yield matmul_case(rng, (1, 2, 2), bf16, "Float32", True, phases)
        yield matmul_case(rng, (2, 1, 1), bfp8, "Bfp8_b", False, phases)
    yield matmul_case(rng, (2, 3, 2), bf16, "Float16_b", False, 4)
    yield matmul_case(rng, (2, 2, 5), bf16, "Float16_b", True, 2)
    yield matmul_case(rng, (1, 2, 9), bfp8, "Bfp8_b", False, 1)
    yield matmul_case(rng, (2, 2, 2), bfp8, "Bfp8_b", True, 4)
    yield matmul_case(rng, (1, 2, 1), ("Float16_b", "Bfp8_b"), "Float16_b", False, 2)
    yield matmul_case(rng, (1, 2, 1), ("Bfp4_b", "Float16_b"), "Bfp4_b", False, 2)
    yield matmul_case(rng, (2, 2, 2), ("Float32",) * 2, "Float32", True, 4)
    yield matmul_case(rng, (1, 1, 2), ("Float16",) * 2, "Float16", False, 4)
    yield matmul_case(rng, (1, 2, 1), ("Float16",) * 2, "Float32", True, 3)
    yield matmul_case(rng, (2, 2, 1), ("Float16",) * 2, "Float16", True, 4)
    yield matmul_case(rng, (1, 2, 1), ("Bfp4_b", "Bfp2_b"), "Bfp8_b", False, 1)
    for phases in (1, 2, 3, 4):
        yield int8_case(rng, (1, 2, 2), phases)


def eltwise_cases(rng):
    bf16 = ("Float16_b",) * 2
    for kind in BROADCASTS:
        for operation in OPERATIONS:
            yield eltwise_case(rng, (1, 2), operation, kind, bf16, "Float16_b", False, 1)
        yield eltwise_case(rng, (1, 1), "multiply", kind, bf16, "Float32", True, 4)
        yield eltwise_case(rng, (1, 1), "add", kind, ("Bfp8_b",) * 2, "Bfp8_b", False, 1)
    for phases in (2, 3, 4):
        yield eltwise_case(rng, (1, 1), "multiply", "none", bf16, "Float16_b", False, phases)
    yield eltwise_case(rng, (3, 3), "subtract", "none", ("Float32",) * 2, "Float32", True, 1)
    yield eltwise_case(rng, (2, 5), "multiply", "column", ("Float16",) * 2, "Float16", False, 3)


def reduce_cases(rng):
    for dimension in DIMENSIONS:
        for pooling in ("max", "sum", "average"):
            yield reduce_case(rng, (1, 1), dimension, pooling, "Float16_b", "Float16_b", False, 4)
        yield reduce_case(rng, (2, 3), dimension, "sum", "Bfp8_b", "Float16_b", False, 1)
        yield reduce_case(rng, (2, 2), dimension, "max", "Float16_b", "Float16_b", False, 1)
    yield reduce_case(rng, (3, 2), "column", "sum", "Float16_b", "Float32", True, 4)
    yield reduce_case(rng, (2, 1), "column", "max", "Float16_b", "Float32", True, 1)
    for dimension in ("row", "scalar"):
        yield reduce_case(rng, (2, 2), dimension, "sum", "Float16_b", "Float32", True, 4)
        yield reduce_case(rng, (2, 3), dimension, "max", "Float16_b", "Float32", True, 4)


def move_cases(rng):
    for program in ("tilize", "untilize", "transpose"):
        yield move_case(rng, program, (1, 1), "Float16_b", "Float16_b", False)
        yield move_case(rng, program, (2, 3), "Float16_b", "Float16_b", False)
        yield move_case(rng, program, (1, 2), "Float32", "Float32", True)
    yield move_case(rng, "untilize", (2, 9), "Bfp8_b", "Float16_b", False)
    yield move_case(rng, "tilize", (1, 2), "Float16_b", "Bfp8_b", False)
    yield move_case(rng, "transpose", (2, 1), "Bfp8_b", "Bfp8_b", False)
    for form in ("Float16_b", "Bfp8_b", "Bfp4_b", "Bfp2_b"):
        for to in ("Float32", "Float16_b", "Bfp8_b", "Bfp4_b", "Bfp2_b"):
            yield move_case(rng, "copy", (1, 2), form, to, False)
        yield move_case(rng, "copy", (1, 1), form, "Float32", True)
    for to in ("Float16", "Float16_b", "Float32", "Bfp8", "Bfp4", "Bfp2"):
        yield move_case(rng, "copy", (1, 1), "Float16", to, False)
    for form in ("Lf8", "Bfp8", "Bfp4", "Bfp2"):
        yield move_case(rng, "copy", (1, 1), form, "Float16", False)
    yield move_case(rng, "copy", (2, 3), "Float32", "Float16_b", False)
    for to in ("Float32", "Float16_b", "Float16", "Bfp8_b"):
        yield move_case(rng, "copy", (1, 1), "Float32", to, True)
    yield move_case(rng, "copy", (2, 3), "UInt16", "UInt16", False)
    yield move_case(rng, "copy", (2, 3), "Int32", "Int32", True, past_src=True)
    yield move_case(rng, "copy", (2, 3), "Float32", "Float32", True, past_src=True)
    yield move_case(rng, "copy", (1, 1), "Int8", "Int8", True)


def cases(seed=5):
    for family in (matmul_cases, eltwise_cases, reduce_cases, move_cases):
        yield from family(np.random.default_rng(seed))
    with np.errstate(all="ignore"):  # float64 is not asked here
        for case in wild_cases(np.random.default_rng(seed)):
            yield case._replace(name="wild " + case.name, exact=case.result.values)


# How far from float64 results may be, in words; what packing rounds comes on top: a unit in the
# last place of the result, in block formats of the greatest of 16.
RULES = {
    "matmul": "|A| |B| times (slices left out, 1 to 4 phases: 2^-4 + 2^-6, 2^-6, 2^-10, 0; 2^-10 a "
              "phase for aligning; 2^-24, 2^-10 or 2^-8 a step for Dst)",
    "eltwise": "|A| + |B| times 2^-10 and two roundings of Dst; products: |AB| times (slices left "
               "out, two roundings of Dst a phase)",
    "reduce": "the sum of magnitudes times (2^-4 with one phase; 2^-8 or 2^-20 a step for Dst); a "
              "maximum is exact",
    "tilize": "a unit of the format in Src", "untilize": "a unit of the format in Src",
    "transpose": "a unit of the format in Src", "copy": "a unit of the format in Src",
}


# --- Running ---


def argument_words(arguments, order):
    unknown = set(arguments) - set(order)
    assert not unknown, f"arguments.h has no {unknown}"
    return struct.pack(f"<{len(order)}I", *(arguments.get(name, 0) for name in order))


def argument_order(header):
    text = Path(header).read_text(encoding="utf-8")
    body = re.search(r"enum argument \{(.*?)\}", text, re.S).group(1)
    return re.findall(r"^\s*ARGUMENT_(\w+),", body, re.M)


def differences(case, data):
    """Of the result's bytes, in words."""
    wanted = case.result.data
    if data == wanted:
        return None
    got, want = (np.frombuffer(part, np.uint8) for part in (data, wanted))
    wrong = np.flatnonzero(got != want)
    at = int(wrong[0]) & ~3
    return (f"{len(wrong)} of {len(want)} bytes differ, the first at "
            f"0x{case.result.address + at:x}: {data[at:at + 4][::-1].hex()} instead of "
            f"{wanted[at:at + 4][::-1].hex()}")


def deviation(case):
    """The greatest part of its bound that the model's deviation from float64 takes."""
    values = case.result.values
    if np.array_equal(values, case.exact):
        return 0.0
    return float(np.max(np.abs(values - case.exact) / np.maximum(case.bound, 1e-300)))


class Tool(NamedTuple):
    """The program `penrose` and what it runs."""
    penrose: str
    guests: Path
    order: list
    scratch: Path


def as_array(operand):
    """What a .npy file of the operand holds."""
    if operand.form == "UInt16":
        return operand.values.astype(np.uint16)
    if operand.form in model.INTEGERS:
        return operand.values.astype(np.int32 if operand.form == "Int32" else np.int8)
    with np.errstate(over="ignore"):  # blocks reach a little further than Float32
        return operand.values.astype(np.float32)


def command(tool, case, schedule, output):
    words = argument_words(case.arguments, tool.order)
    line = [tool.penrose, "run", "--json"]
    line += [f"--hart={hart}={tool.guests / case.program}-{hart}.elf" for hart in HARTS]
    line += ["--poke", f"0x{ARGUMENTS:x}=" + ",".join(f"0x{word:x}" for word, in
                                                    struct.iter_unpack("<I", words))]
    for i, operand in enumerate(case.inputs):
        path = tool.scratch / f"input{i}.npy"
        np.save(path, as_array(operand))
        line += ["--input", f"0x{operand.address:x}={path}:{operand.form}:{operand.layout}"]
    result = case.result
    line += ["--output", f"0x{result.address:x}={output}:{result.rows}x{result.columns}:"
             f"{result.form}:{result.layout}",
             "--dump", f"0x{result.address:x},{len(result.data)}"]
    return line + schedule


def run(tool, case, schedule, kernels=None):
    """What is wrong with one run, or None; `kernels` names a set of them."""
    output = tool.scratch / "output.npy"
    line = command(tool, case, schedule, output)
    environment = dict(os.environ, **({"PENROSE_KERNELS": kernels} if kernels else {}))
    done = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          env=environment)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace")
        return f"exit code {done.returncode}:\n{said[-2000:]}\n{' '.join(line)}"
    answer = json.loads(done.stdout)
    ends = [hart.get("exit_value") for hart in answer["harts"]]
    if ends != [0] * len(HARTS):
        return f"harts ended with {ends}"
    words = answer["memory"][0]["words"]
    wrong = differences(case, struct.pack(f"<{len(words)}I", *words))
    if wrong:
        return wrong
    if not np.array_equal(np.load(output), as_array(case.result)):
        return "the .npy file has other numbers than L1"
    return None


def schedules(index, is_largest, seeds):
    """All of them for the largest case of each program; for the others the fast one, with the
    machine's own kernels and the reference, and one more."""
    timed = ["--timing", "timed"]
    others = [["--schedule", "lockstep"], timed]
    if is_largest:
        others += [["--schedule", f"random:{seed}"] for seed in range(1, seeds + 1)]
    else:
        others = [(others + [["--schedule", f"random:{index}"]])[index % 3]]
    fast = ["--schedule", "fast"]
    return [(fast, None), (fast, "reference")] + [(other, None) for other in others]


def main():
    parser = argparse.ArgumentParser()
    for name in ("penrose", "guests", "arguments_h", "scratch"):
        parser.add_argument(name)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    tool = Tool(given.penrose, Path(given.guests), argument_order(given.arguments_h),
                Path(given.scratch))
    failures, tallies, largest = 0, {}, {}
    chosen = [case for case in cases() if given.only in case.name]
    for case in sorted(chosen, key=lambda case: len(case.result.data)):
        largest[case.program] = case
    for index, case in enumerate(chosen):
        tally = tallies.setdefault(case.program, {"cases": 0, "runs": 0, "deviation": 0.0})
        tally["cases"] += 1
        tally["deviation"] = max(tally["deviation"], deviation(case))
        for schedule, kernels in schedules(index, case is largest[case.program], given.seeds):
            wrong = run(tool, case, schedule, kernels)
            tally["runs"] += 1
            if wrong:
                failures += 1
                print(f"FAIL {case.name}, {' '.join(schedule)}, {kernels or 'usual'} kernels: "
                      f"{wrong}")
                break
    for program, tally in tallies.items():
        print(f"{program}: {tally['cases']} cases, {tally['runs']} runs; from float64 at most "
              f"{tally['deviation']:.3f} of the bound, {RULES[program]}")
        if tally["deviation"] > 1:
            failures += 1
            print(f"FAIL {program}: beyond the bound")
    print(f"{failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
