"""Runs the programs of firmware/vector and compares what they leave in L1 with vector_model.py,
bit by bit, and with float64 within a bound in units of the last place. vector.sh calls it.

    vector.py PENROSE GUESTS ARGUMENTS_H SCRATCH [--seeds N] [--only TEXT]

GUESTS holds PROGRAM-trisc0.elf and so on; ARGUMENTS_H tells the order of the arguments.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import model
import tensor
import vector_model as vm
from model import FORMATS, TILE
from tensor import RESULT, Operand

INPUTS = (0x40000, 0x80000, 0xA0000)
MANTISSA = {"Float32": 23, "Float16_b": 7, "Float16": 10}
LANE_GROUPS = 32  # of a tile, 32 datums each
SMALLEST = {"Float32": 2.0 ** -126, "Float16_b": 2.0 ** -126, "Float16": 2.0 ** -14}
LARGEST = {"Float32": 3.4028234e38, "Float16_b": 3.3895e38, "Float16": 65504.0}
OTHERS = ("reference", "avx2", "avx512")


class Case(NamedTuple):
    name: str
    group: str  # cases that are told of together
    program: str
    arguments: dict
    inputs: list
    expected: object  # patterns in the order of L1, or a function of those that came
    result: Operand  # its form and size
    exact: object = None  # float64, or None: bits alone count
    allowed: float = 0.0  # units in the last place
    slack: object = 0.0  # and this, absolute,
    words: str = ""  # told in words


# --- Inputs ---

EDGES = [0, vm.SIGN, 1, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, vm.INFINITY,
         vm.SIGN | vm.INFINITY, vm.ONE, vm.MINUS_ONE, vm.ONE - 1, vm.ONE + 1, vm.HALF, 0xBF000000,
         0x42B17217, 0x42B17218, 0xC2AEAC4F, 0xC2AEAC50, 0xC2AEAC51, 0x7E7FFFFF, 0x7E800000,
         0x3F7FFFFE, 0x3F800002, 0x3FFFFFFF, 0x40000000, 0x4B800000, 0xCB800000, 0x477FFF80]


def numbers(rng, count, low, high):
    """A half within limits, a half with all exponents, and the edges."""
    uniform = rng.uniform(low, high, count).astype(np.float32).view(np.uint32).astype(np.int64)
    narrow = rng.uniform(-2, 2, count).astype(np.float32).view(np.uint32).astype(np.int64)
    wild = rng.integers(0, 2, count) << 31 | rng.integers(0, 255, count) << 23 | rng.integers(
        0, 1 << 23, count)
    kind = rng.integers(0, 4, count)
    values = np.where(kind < 2, uniform, np.where(kind == 2, narrow, wild))
    values[:len(EDGES)] = EDGES
    return values


def in_form(patterns, form):
    """Patterns of FP32 as those of another format, cut off."""
    if form == "Float16_b":
        return patterns >> 16
    if form == "Float16":
        exponent = (patterns >> 23 & 0xFF) - 112
        return patterns >> 16 & 0x8000 | np.clip(exponent, 0, 30) << 10 | patterns >> 13 & 0x3FF
    return patterns


def operand(patterns, form, address, tiles):
    """Patterns in the order of L1."""
    data = model.to_bytes(patterns, form)
    return Operand(address, form, tiles * TILE, TILE, "tiles", data)


def arguments_of(inputs, form, to, pack, is_32bit, tiles, **others):
    given = {"A": INPUTS[0], "B": INPUTS[1], "C": INPUTS[2], "RESULT": RESULT,
             "FORMAT_A": FORMATS[inputs[0].form], "FORMAT_B": FORMATS[inputs[0].form],
             "FORMAT_SRC_A": FORMATS[form], "FORMAT_SRC_B": FORMATS[form],
             "FORMAT_PACK": FORMATS[pack], "FORMAT_RESULT": FORMATS[to],
             "IS_DST_32BIT": int(is_32bit), "PHASES": 1, "ROWS": tiles, "COLUMNS": 1}
    given.update(others)
    return given


def float_case(name, group, program, operation, functions, data, form, macros=False, allowed=None,
               domain=None, slack=0.0, words=""):
    """A function between floats of one format. `functions`: the model, and float64 or None."""
    tiles = len(data[0]) // TILE ** 2
    is_32bit = form == "Float32"
    patterns = [in_form(part, form) for part in data]
    inputs = [operand(part, form, at, tiles) for part, at in zip(patterns, INPUTS)]
    x = [vm.loaded(part, form) for part in patterns]
    expected = functions[0](*x, form)
    exact = None
    if functions[1]:
        values = [np.where(np.abs(v) < 2.0 ** -126, 0.0, v) for v in map(vm.floats, x)]
        exact = functions[1](*values)
        if domain:
            exact = np.where(domain(*values), exact, np.nan)
    arguments = arguments_of(inputs, form, form, form, is_32bit, tiles, OPERATION=operation,
                             USES_MACROS=int(macros), IS_UNPACK_TO_DST=int(is_32bit))
    return Case(f"{name} {form}{' by macros' if macros else ''}", f"{group} {form}", program,
                arguments, inputs, expected, Operand(RESULT, form, tiles * TILE, TILE, "tiles",
                                                     b""), exact, allowed, slack, words)


# --- Functions of one operand ---


def always(_):
    return True


def exact_gelu(x):
    return x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def exact_sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Unary(NamedTuple):
    name: str
    compute: object
    exact: object
    limits: tuple  # of most inputs
    allowed: float  # units in the last place of FP32
    domain: object = always  # where the bound holds
    slack: object = None  # of inputs: what comes on top
    words: str = ""  # both of them
    has_macros: bool = False
    rounds: bool = True  # to the format of the result; else cut off


UNARY = (
    Unary("exp", vm.exp, np.exp, (-90, 90), 1.0),
    Unary("log", vm.log, np.log, (0, 100), 1.0),
    Unary("sqrt", vm.sqrt, np.sqrt, (0, 1e4), 0.75, lambda x: ~(x > 0) | (x > 2.0 ** -100),
          words="from 2^-100 on"),
    Unary("reciprocal", vm.reciprocal, lambda x: 1 / x, (-50, 50), 1.0,
          lambda x: (np.abs(x) < 2.0 ** 100) | (np.abs(x) > 2.0 ** 126),
          words="below 2^100 and above 2^126"),
    Unary("gelu", vm.gelu, exact_gelu, (-11, 9), 3.0, lambda x: x > -np.inf,
          lambda x: np.abs(exact_gelu(x)) * 2.0 ** -23 * np.abs(1.6 * x + 0.0714 * x ** 3)
          + np.where(x < -9.9, 2.0 ** -122.5, 0.0),
          "2^-23 times the exponent; 2^-122.5 below -9.9"),
    Unary("sigmoid", vm.sigmoid, exact_sigmoid, (-90, 90), 2.5,
          slack=lambda x: np.where(x < -80, 2.0 ** -125.9, 0.0), words="2^-125.9 below -80"),
    Unary("tanh", vm.tanh, np.tanh, (-10, 10), 2.5),
    Unary("fast exp", vm.fast_exp, np.exp, (-87, 88), 0.0,
          lambda x: (x > -87) & (x < 88), lambda x: 0.036 * np.exp(x),
          "0.036 of the result, -87 to 88", True, False),
    Unary("fast reciprocal", vm.reciprocal_guess, lambda x: 1 / x, (-50, 50), 0.0,
          lambda x: (np.abs(x) >= 2.0 ** -126) & (np.abs(x) < 2.0 ** 126),
          lambda x: 0.0056 / np.abs(x), "0.0056 of the result, 2^-126 to 2^126", True, False),
    Unary("sigmoid by a table", vm.table_sigmoid, exact_sigmoid, (-8, 8), 0.0,
          slack=lambda x: 0.0125, words="0.0125", has_macros=True, rounds=False),
    Unary("tanh by a table", vm.table_tanh, np.tanh, (-5, 5), 0.0,
          slack=lambda x: 0.09, words="0.09", has_macros=True, rounds=False),
    Unary("gelu by a table", vm.table_gelu, exact_gelu, (-5, 5), 0.0,
          lambda x: np.isfinite(x), lambda x: 0.005 * np.abs(x) + 1e-6, "0.005 of the argument"),
)


def unary_cases(rng):
    for operation, unary in enumerate(UNARY):
        for form in ("Float32", "Float16_b", "Float16"):
            data = [numbers(rng, 3 * TILE ** 2 if form == "Float32" else TILE ** 2, *unary.limits)]

            def compute(x, to, unary=unary):
                y = unary.compute(x)
                return vm.stored(vm.rounded(y, to) if unary.rounds else y, to)

            def slack(x, unary=unary):
                return unary.slack(x) if unary.slack else np.zeros_like(x)

            # To 16 bits: half a unit of the result, and what FP32 adds; a whole one when cut off.
            allowed = unary.allowed
            if form != "Float32":
                finer = 2.0 ** (MANTISSA[form] - 23)
                allowed = (0.5 if unary.rounds else 1.0) + (unary.allowed + 0.01) * finer
            values = vm.floats(vm.loaded(in_form(data[0], form), form))
            extra = slack(values)
            for macros in (False, True)[:1 + unary.has_macros]:
                yield float_case(unary.name, unary.name, "unary", operation,
                                 (compute, unary.exact), data, form, macros, allowed,
                                 unary.domain, extra, unary.words)


# --- Functions of more operands ---

BINARY = (
    ("add", lambda x, y: vm.add(y, x), np.add, True),
    ("multiply", lambda x, y: vm.mul(y, x), np.multiply, True),
    ("max", vm.largest, np.maximum, False),
    ("min", vm.smallest, np.minimum, False),
)


def binary_cases(rng):
    for operation, (name, compute, exact, has_macros) in enumerate(BINARY):
        for form in ("Float32", "Float16_b", "Float16"):
            data = [numbers(rng, 2 * TILE ** 2, -100, 100) for _ in range(2)]
            data[1][len(EDGES):] = rng.permutation(data[1][len(EDGES):])
            data[0] = rng.permutation(data[0])
            is_choice = name in ("max", "min")
            allowed = 0.0 if is_choice else 0.5 if form == "Float32" else 1.0
            for macros in (False, True)[:1 + has_macros]:
                yield float_case(name, name, "binary", operation,
                                 (lambda x, y, to, f=compute: vm.stored(f(x, y), to), exact), data,
                                 form, macros, allowed)
    data = [numbers(rng, 2 * TILE ** 2, -3, 3) for _ in range(3)]
    data[0][::3] = 0
    zeros = rng.permutation(2 * TILE ** 2)
    for macros in (False, True):
        yield float_case("where", "where", "binary", 7,
                         (lambda x, y, z, to: vm.where(x, y, z), None),
                         [data[0][zeros], data[1], data[2]], "Float32", macros)
    for form in ("Float32", "Float16_b"):
        yield float_case("nested conditions", "nested conditions", "binary", 8,
                         (lambda x, y, to: vm.stored(vm.nested(x, y), to), None),
                         [data[0][zeros], data[1]], form)


def sign_magnitude(values):
    return np.where(values < 0, vm.SIGN | -values, values)


INTEGERS = (("add int32", np.add), ("subtract int32", np.subtract), ("multiply int32", vm.product))


def integer_cases(rng):
    count = 3 * TILE ** 2
    edges = [0, 1, -1, 2 ** 23 - 1, 2 ** 23, -2 ** 23, 2 ** 31 - 1, 1 - 2 ** 31, 0x5A5A5A5A, 65536]
    for i, (name, compute) in enumerate(INTEGERS):
        widths = rng.integers(1, 32, (2, count))
        values = rng.integers(-2 ** 31 + 1, 2 ** 31, (2, count)) >> 32 - widths
        values[0, :100], values[1, :100] = np.repeat(edges, 10), np.tile(edges, 10)
        patterns = sign_magnitude(values)
        inputs = [operand(part, "Int32", at, 3) for part, at in zip(patterns, INPUTS)]
        expected = vm.integers(compute)(*patterns)
        yield Case(name, name, "binary",
                   arguments_of(inputs, "Int32", "Int32", "Int32", True, 3, OPERATION=4 + i,
                                IS_UNPACK_TO_DST=1),
                   inputs, expected, Operand(RESULT, "Int32", 3 * TILE, TILE, "tiles", b""))


# --- Casts ---


class Cast(NamedTuple):
    name: str
    number: int
    form: str  # in L1
    src: str  # in Src or Dst
    pack: str
    to: str
    compute: object  # of patterns as SFPLOAD has them
    has_macros: bool = False
    is_random: bool = False
    exact: object = None  # of values
    allowed: float = 0.0
    slack: float = 0.0


def random_words(states, groups):
    """What the generators of the lanes give for so many instructions, in the order of L1."""
    words = []
    for _ in range(groups):
        states = vm.next_random(states)
        words.append(states)
    return lanes_to_tile(np.array(words))


def lanes_to_tile(words):
    """32 groups of 4 x 8 lanes, even columns before odd ones, to 1024 datums."""
    cut = words.reshape(LANE_GROUPS // 2, 2, 4, 8)
    return cut.transpose(0, 2, 3, 1).reshape(-1)


CASTS = (
    Cast("float to int32", 0, "Float32", "Float32", "Int32", "Int32", vm.float_to_int32,
         exact=lambda x: np.trunc(np.clip(x, -2.0 ** 31 + 1, 2.0 ** 31 - 1))),
    Cast("float to uint16", 1, "Float32", "Float32", "Int32", "Int32", vm.float_to_uint16, True,
         exact=lambda x: np.floor(np.clip(x, 0, 65535) + 0.5), slack=0.0),
    Cast("float to int8", 2, "Float32", "Float32", "Int8", "Int8",
         lambda x: vm.round_integer(x, 127, True),
         exact=lambda x: np.sign(x) * np.floor(np.clip(np.abs(x), 0, 127) + 0.5)),
    Cast("float to uint8", 3, "Float32", "Float32", "Int32", "Int32",
         lambda x: vm.round_integer(x, 255, False),
         exact=lambda x: np.floor(np.clip(np.abs(x), 0, 255) + 0.5)),
    Cast("float to bf16", 4, "Float32", "Float32", "Float32", "Float16_b",
         lambda x: vm.round_float(x, 7), True, exact=lambda x: x, allowed=0.5),
    Cast("float to bf16, stochastic", 5, "Float32", "Float32", "Float32", "Float32",
         lambda x, r: vm.round_float(x, 7, r), False, True),
    Cast("float to int8, stochastic", 6, "Float32", "Float32", "Int32", "Int32",
         lambda x, r: vm.round_integer(x, 127, True, r), False, True),
    Cast("int32 to float", 7, "Int32", "Int32", "Float32", "Float32", vm.to_float, True,
         exact=lambda x: x, allowed=0.5),
    Cast("int32 to float, stochastic", 8, "Int32", "Int32", "Float32", "Float32", vm.to_float,
         False, True),
    Cast("uint16 to bf16", 9, "UInt16", "UInt16", "Float16_b", "Float16_b",
         lambda x: vm.round_float(vm.to_float(x), 7), True, exact=lambda x: x, allowed=0.5),
    # Int8 is 10 bits of mantissa with a constant exponent: the packer shows it as FP16.
    Cast("bf16 to int8", 10, "Float16_b", "Float16_b", "Float16", "Float16",
         lambda x: vm.round_integer(x, 127, True)),
    Cast("bf16 through int8", 12, "Float16_b", "Float16_b", "Float16_b", "Float16_b",
         lambda x: vm.to_float(vm.round_integer(x, 127, True)),
         exact=lambda x: np.sign(x) * np.floor(np.clip(np.abs(x), 0, 127) + 0.5)),
    Cast("int8 to float", 7, "Int8", "Int8", "Float32", "Float32", vm.to_float, True,
         exact=lambda x: x),
    Cast("int32 to int8, a quarter", 11, "Int32", "Int32", "Int8", "Int8",
         lambda x: vm.shift_integer(x, 2)),
)


def cast_inputs(rng, form, count):
    if form == "Float32":
        values = numbers(rng, count, -300, 300)
        wide = rng.uniform(-1e5, 1e5, count).astype(np.float32).view(np.uint32).astype(np.int64)
        halves = (rng.integers(-600, 600, count) / 2).astype(np.float32).view(np.uint32)
        kind = rng.integers(0, 4, count)
        mixed = np.where(kind == 0, wide, np.where(kind == 1, halves.astype(np.int64), values))
        mixed[:len(EDGES)] = EDGES
        return mixed
    if form == "Float16_b":
        return in_form(cast_inputs(rng, "Float32", count), form)
    if form == "Int32":
        widths = rng.integers(1, 32, count)
        return sign_magnitude(rng.integers(-2 ** 31 + 1, 2 ** 31, count) >> 32 - widths)
    if form == "Int8":
        magnitude = rng.integers(0, 128, count)
        return np.where(magnitude == 0, 0, rng.integers(0, 2, count) << 7 | magnitude)
    return rng.integers(0, 1 << 16, count)


def to_lreg(patterns, form):
    if form == "Int8":
        return (patterns >> 7) << 31 | patterns & 0x7F
    return vm.loaded(patterns, form)


def from_lreg(x, cast):
    """What the packer makes of it."""
    if cast.to == "Int8":
        return x >> 24 & 0x80 | x & 0x7F
    if cast.to == "Float16":
        return x >> 16 & 0x8000 | 0x4000 | x & 0x3FF
    if cast.to in ("Float32", "Float16_b"):
        return vm.stored(x, cast.to)
    return x


def cast_values(patterns, form):
    if form in ("Int32", "Int8"):
        return model.pattern_values(None, patterns, form)
    if form == "UInt16":
        return patterns.astype(np.float64)
    values = vm.floats(vm.loaded(patterns, form))
    return np.where(np.abs(values) < 2.0 ** -126, 0.0, values)


def random_expectation(cast, patterns, tiles):
    """Of the words that came: the second tile of each pair tells of the generators."""
    def expected(came):
        pairs = came.reshape(tiles, 2, TILE ** 2)
        result = pairs.copy()
        for tile in range(tiles):
            first = pairs[tile, 1, :64].reshape(4, 16)[:, ::2].reshape(32)
            words = random_words(first, 32) & (vm.WORD if "int32" in cast.name else 0x7FFFFF)
            x = patterns.reshape(tiles, -1)[tile]
            result[tile, 0] = from_lreg(cast.compute(x, words), cast)
            if tile:  # the generators go on: 32 words and the one shown
                last = pairs[tile - 1, 1, :64].reshape(4, 16)[:, ::2].reshape(32)
                for _ in range(33):
                    last = vm.next_random(last)
                result[tile, 1, :64].reshape(4, 16)[:, ::2] = last.reshape(4, 8)
        return result.reshape(-1)
    return expected


def cast_cases(rng):
    for cast in CASTS:
        tiles = 3
        is_32bit = cast.form not in ("UInt16", "Float16_b")
        patterns = cast_inputs(rng, cast.form, tiles * TILE ** 2)
        inputs = [operand(patterns, cast.form, INPUTS[0], tiles)]
        count = tiles * (1 + cast.is_random)
        exact = cast.exact(cast_values(patterns, cast.form)) if cast.exact else None
        if cast.is_random:
            expected = random_expectation(cast, patterns, tiles)
        else:
            expected = from_lreg(cast.compute(to_lreg(patterns, cast.form)), cast)
        for macros in (False, True)[:1 + cast.has_macros]:
            arguments = arguments_of(
                inputs, cast.src, cast.to, cast.pack, is_32bit, tiles, OPERATION=cast.number,
                USES_MACROS=int(macros), IS_UNPACK_TO_DST=int(cast.form in ("Float32", "Int32")))
            if cast.form == "UInt16":
                arguments["FORMAT_SRC_B"] = FORMATS["Float16_b"]
            yield Case(f"{cast.name}{' by macros' if macros else ''}", f"cast {cast.name}", "cast",
                       arguments, inputs, expected,
                       Operand(RESULT, cast.to, count * TILE, TILE, "tiles", b""), exact,
                       cast.allowed, cast.slack)


# --- Networks and reductions ---


def tile_cases(rng):
    tiles = 3
    for operation, name in enumerate(("top 16, greatest", "top 16, smallest")):
        values = numbers(rng, tiles * TILE ** 2, -100, 100)
        values = np.where(values >> 23 & 0xFF == 0, values & vm.SIGN, values)
        values[2048:2560] = values[2048 + rng.integers(0, 16, 512)]  # many are equal
        inputs = [operand(values, "Float32", INPUTS[0], tiles)]
        expected = np.stack([vm.top16(matrix(part), tile % 2, operation == 0)
                             for tile, part in enumerate(values.reshape(tiles, -1))])
        yield Case(name, "top 16", "topk",
                   arguments_of(inputs, "Float32", "Int32", "Int32", True, tiles,
                                OPERATION=operation, IS_UNPACK_TO_DST=1), inputs,
                   model.to_tiles(expected.reshape(-1, TILE)).reshape(-1),
                   Operand(RESULT, "Int32", 2 * tiles * TILE, TILE, "tiles", b""))
    for operation, name in enumerate(("sum of rows", "max of rows", "sum of columns",
                                      "max of columns")):
        yield reduction_case(rng, tiles, operation, name)


def matrix(datums):
    return model.from_tiles(datums.reshape(1, -1), TILE, TILE)


def reduction_case(rng, tiles, operation, name):
    is_max, is_rows = bool(operation & 1), operation < 2
    values = rng.uniform(-10, 10, tiles * TILE ** 2).astype(np.float32).view(np.uint32).astype(
        np.int64)
    if is_max:
        values = numbers(rng, tiles * TILE ** 2, -100, 100)
    inputs = [operand(values, "Float32", INPUTS[0], tiles)]
    reduce = vm.reduced_rows if is_rows else vm.reduced_columns
    parts = [matrix(part) for part in values.reshape(tiles, -1)]
    expected = np.concatenate([vm.stored(reduce(part, is_max), "Float32") for part in parts])
    exact, slack = np.zeros((2, tiles, TILE, TILE))
    for tile, part in enumerate(parts):
        numbers64 = np.where(part >> 23 & 0xFF == 0, 0, vm.floats(part))
        true = numbers64.max(axis=int(is_rows)) if is_max else numbers64.sum(axis=int(is_rows))
        error = np.zeros(TILE) if is_max else np.abs(numbers64).sum(axis=int(is_rows)) * 2.0 ** -21
        for target, source in ((exact, true), (slack, error)):
            target[tile][(slice(None), 0) if is_rows else (0, slice(None))] = source
    def flat(stack):
        return model.to_tiles(stack.reshape(-1, TILE)).reshape(-1)
    return Case(name, name, "lanes",
                arguments_of(inputs, "Float32", "Float32", "Float32", True, tiles,
                             OPERATION=operation, IS_UNPACK_TO_DST=1), inputs, flat(expected),
                Operand(RESULT, "Float32", tiles * TILE, TILE, "tiles", b""), flat(exact), 0.0,
                flat(slack), "" if is_max else "2^-21 of the sum of magnitudes")


def cases(seed=6):
    with np.errstate(all="ignore"):
        for family in (unary_cases, binary_cases, integer_cases, cast_cases, tile_cases):
            yield from family(np.random.default_rng(seed))


# --- Comparing ---


def units(case, patterns):
    """How far from float64 results are: in units in the last place, and as a part of the bound.
    Where the true result is no number that the format has, bits alone count."""
    form = case.result.form
    values = cast_values(patterns, form)
    exact = case.exact
    top = LARGEST.get(form, 2.0 ** 31)
    counts = np.isfinite(exact) & (np.abs(exact) <= top) & np.isfinite(values)
    slack = np.broadcast_to(case.slack, exact.shape)
    slack = np.where(np.isfinite(slack), slack, 0.0)
    difference = np.abs(np.where(counts, values - exact, 0.0))
    if form not in MANTISSA:
        return float(difference.max()), float(difference.max() > case.allowed) * 2
    least = SMALLEST[form]
    exponent = np.floor(np.log2(np.maximum(np.where(counts, np.abs(exact), 1.0), least)))
    unit = np.ldexp(1.0, (exponent - MANTISSA[form]).astype(int))
    # What is below the smallest number may become zero.
    slack = slack + np.where(np.abs(exact) < least, least, 0.0)
    bound = case.allowed * unit + slack
    beyond = np.maximum(difference - slack, 0.0) / unit
    return float(beyond.max()), float(np.max(difference / np.maximum(bound, unit * 1e-9)))


def run_once(tool, case, schedule, kernels):
    """What the program leaves as patterns, or a text that says what is wrong."""
    size = len(case.result.data)
    output = tool.scratch / "output.npy"
    line = tensor.command(tool, case, schedule, output)
    environment = dict(os.environ, **({"PENROSE_KERNELS": kernels} if kernels else {}))
    done = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, check=False,
                          env=environment)
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != 0:
        return None, f"exit code {done.returncode}:\n{said[-1500:]}\n{' '.join(line)}"
    answer = json.loads(done.stdout)
    ends = [hart.get("exit_value") for hart in answer["harts"]]
    if ends != [0] * len(tensor.HARTS):
        return None, f"harts ended with {ends}"
    if answer["faults"]:
        return None, f"faults or warnings: {answer['faults'][0]}"
    words = np.array(answer["memory"][0]["words"], np.uint32)
    data = words.tobytes()[:size]
    shown = Operand(RESULT, case.result.form, case.result.rows, case.result.columns, "tiles", data)
    if not np.array_equal(np.load(output), tensor.as_array(shown), equal_nan=True):
        return None, "the .npy file has other numbers than L1"
    return model.from_bytes(data, case.result.form), None


def difference(case, patterns):
    wanted = case.expected(patterns) if callable(case.expected) else case.expected
    wrong = np.flatnonzero(patterns != wanted)
    if not len(wrong):
        return None
    at = int(wrong[0])
    of = [f"0x{int(model.from_bytes(part.data, part.form)[at]):x}" for part in case.inputs
          if at < part.rows * part.columns]
    return (f"{len(wrong)} of {len(wanted)} datums differ, the first is {at} (of {', '.join(of)}): "
            f"0x{int(patterns[at]):x} instead of 0x{int(wanted[at]):x}")


def schedules(index, seeds, kernels):
    """The fast one with every set of kernels, and the others by turns."""
    timed = ["--timing", "timed"]
    lockstep = ["--schedule", "lockstep"]
    fast = ["--schedule", "fast"]
    yield fast, None
    for name in kernels:
        yield fast, name
    yield lockstep, None
    yield timed, None
    for seed in range(seeds):
        yield ["--schedule", f"random:{seeds * index + seed}"], None


def kernel_sets(penrose):
    """Those that the machine has: an unknown name makes the program tell."""
    environment = dict(os.environ, PENROSE_KERNELS="none")
    done = subprocess.run([penrose, "run", "/dev/null"], capture_output=True, check=False,
                          stdin=subprocess.DEVNULL, env=environment)
    said = (done.stdout + done.stderr).decode(errors="replace").replace(",", " ").split()
    return [name for name in OTHERS if name in said]


def check(tool, case, index, seeds, kernels, tally):
    """Runs a case under all schedules; returns what is wrong, or None."""
    sized = case._replace(result=case.result._replace(
        data=bytes(case.result.rows * case.result.columns * model.BITS[case.result.form] // 8)))
    first = None
    for schedule, name in schedules(index, seeds, kernels):
        patterns, wrong = run_once(tool, sized, schedule, name)
        tally["runs"] += 1
        wrong = wrong or difference(sized, patterns)
        if not wrong and first is not None and not np.array_equal(first, patterns):
            wrong = "another result than the run before"
        if wrong:
            return f"{' '.join(schedule)}, {name or 'usual'} kernels: {wrong}"
        first = patterns
    if case.exact is not None:
        measured, part = units(sized, first)
        tally["units"] = max(tally["units"], measured)
        tally["part"] = max(tally["part"], part)
        tally["allowed"], tally["words"] = case.allowed, case.words
        if part > 1:
            return f"{measured:.3f} units in the last place: {part:.3f} of the bound"
    return None


def report(tallies):
    for group, tally in tallies.items():
        line = f"{group}: {tally['cases']} cases, {tally['runs']} runs, equal bits"
        if "allowed" in tally:
            words = f" beyond the rest of the bound ({tally['words']})" if tally["words"] else ""
            line += (f"; from float64 {tally['units']:.3f} units in the last place{words}, allowed "
                     f"{tally['allowed']:.3f}; {tally['part']:.3f} of the bound")
        print(line)


def main():
    parser = argparse.ArgumentParser()
    for name in ("penrose", "guests", "arguments_h", "scratch"):
        parser.add_argument(name)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    tool = tensor.Tool(given.penrose, Path(given.guests), tensor.argument_order(given.arguments_h),
                       Path(given.scratch))
    kernels = kernel_sets(given.penrose)
    failures, tallies = 0, {}
    chosen = [case for case in cases() if given.only in case.name]
    for index, case in enumerate(chosen):
        tally = tallies.setdefault(case.group, {"cases": 0, "runs": 0, "units": 0.0, "part": 0.0})
        tally["cases"] += 1
        with np.errstate(all="ignore"):
            wrong = check(tool, case, index, given.seeds, kernels, tally)
        if wrong:
            failures += 1
            print(f"FAIL {case.name}, {wrong}", flush=True)
    report(tallies)
    print(f"{len(chosen)} cases, {failures} failures; kernels: {', '.join(kernels)}")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
