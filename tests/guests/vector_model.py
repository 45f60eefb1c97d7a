"""What the programs of firmware/vector compute, bit by bit.

A second implementation of the Vector Unit's arithmetic that shares nothing with src/num: numbers
are numpy arrays of int64 that hold patterns of 32 bits, and each function does whole matrices at
once. The order of operations is that of the programs.

Sources: tt-isa-documentation (BlackholeA0 VectorUnit, SFP*; Miscellaneous/FMA).
"""

import struct

import numpy as np

SIGN, INFINITY, NAN = 1 << 31, 0x7F800000, 0x7FC00000
ONE, MINUS_ONE, HALF = 0x3F800000, 0xBF800000, 0x3F000000
WORD = 0xFFFFFFFF


def bits(value):
    """The pattern of a constant."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def floats(pattern):
    return pattern.astype(np.uint32).view(np.float32).astype(np.float64)


# --- Multiply and add ---


def parts(pattern):
    """Exponent field, and mantissa with its leading one; denormals are zeros."""
    exponent = pattern >> 23 & 0xFF
    return exponent, np.where(exponent == 0, 0, pattern & 0x7FFFFF | 0x800000)


def shifted(value, by):
    """To the right; what is lost shows in the lowest bit, unless nothing else is left."""
    by = np.minimum(by, 40)
    rest = value >> by
    return np.where(rest == 0, 0, rest | (rest << by != value))


def length(value):
    return np.frexp(value.astype(np.float64))[1].astype(np.int64)


def finite_sum(p_sign, p_exponent, p, z_sign, z_exponent, z):
    """Of two numbers with three bits behind the last place, rounded to nearest even."""
    top = np.maximum(p_exponent, z_exponent)
    p, z = shifted(p, top - p_exponent), shifted(z, top - z_exponent)
    sign = np.where(p >= z, p_sign, z_sign)
    total = np.where(p_sign == z_sign, p + z, np.abs(p - z))
    n = length(total) - 27
    exponent = top + n
    n = np.where(exponent <= 0, n + 1, n)
    lost = np.maximum(n, 0)
    mantissa = np.where(n <= 0, total << np.maximum(-n, 0),
                        total >> lost | (total & (n | 1) != 0))
    result = (np.maximum(exponent, 0) << 23) + (mantissa >> 3 & 0x7FFFFF)
    result = result + ((mantissa & 7) + (result & 1) > 4)
    result = np.where(result >> 23 == 0, 0, result)
    result = np.where(exponent >= 255, INFINITY, result)
    return np.where(total == 0, z_sign & p_sign, sign) << 31 | np.where(total == 0, 0, result)


def mad(x, y, z):
    """x * y + z: the product keeps three bits more than a result, and one for what they miss."""
    x, y, z = np.broadcast_arrays(*(np.asarray(n, np.int64) for n in (x, y, z)))
    (x_exponent, x_part), (y_exponent, y_part), (z_exponent, z_part) = map(parts, (x, y, z))
    p_sign, z_sign = (x ^ y) >> 31 & 1, z >> 31 & 1
    whole = x_part * y_part << 3
    p, p_exponent = whole >> 23 | (whole & 0x7FFFFF != 0), x_exponent + y_exponent - 127
    result = finite_sum(p_sign, p_exponent, p, z_sign, z_exponent, z_part << 3)
    alone = np.where(z_part != 0, z, (z_sign & p_sign) << 31)
    result = np.where((p == 0) | (p_exponent < 0), alone, result)
    x_special, y_special, z_special = x_exponent == 255, y_exponent == 255, z_exponent == 255
    special = x_special | y_special | z_special | (p_exponent >= 255)
    is_nan = ((x_special & ((x & 0x7FFFFF != 0) | (y_part == 0)))
              | (y_special & ((y & 0x7FFFFF != 0) | (x_part == 0)))
              | (z_special & (z & 0x7FFFFF != 0))
              | (z_special & (x_special | y_special) & (z_sign != p_sign)))
    infinite = np.where(is_nan, NAN, np.where(z_special, z, p_sign << 31 | INFINITY))
    return np.where(special, infinite, result)


def negated(x):
    return np.asarray(x, np.int64) ^ SIGN


def nmad(x, y, z):
    """z - x * y."""
    return mad(x, negated(y), z)


def mul(x, y):
    return mad(x, y, 0)


def add(y, z):
    return mad(ONE, y, z)


# --- Simple operations ---


def ordered(x):
    """Numbers that compare as patterns of FP32 do, -0 before +0."""
    x = np.asarray(x, np.int64)
    return np.where(x >> 31 == 1, -(x & 0x7FFFFFFF) - 1, x)


def greater(x, y):
    return ordered(x) > ordered(y)


def is_negative(x):
    return x >> 31 == 1


def reciprocal_guess(x):
    """SFPARECIP: 7 bits of mantissa, of the middle of what the upper 7 bits leave open."""
    magnitude = x & 0x7FFFFFFF
    middle = 1 + ((magnitude >> 16 & 0x7F) + 0.5) / 128
    mantissa = np.rint(256 / middle - 128).astype(np.int64)
    guess = np.where(magnitude < 0x7E800000, 253 - (magnitude >> 23) << 23 | mantissa << 16, 0)
    return x & SIGN | np.where(magnitude < 0x800000, INFINITY, guess)


NEAREST = 0x400000


def round_float(x, kept, random=NEAREST):
    """SFP_STOCH_RND to BF16 (7 bits are kept) or FP16 (10)."""
    exponent = x >> 23 & 0xFF
    lost = 23 - kept
    rest = x & (1 << lost) - 1
    value = x - rest + np.where(rest >= random >> 23 - lost, 1 << lost, 0)
    return np.where(exponent == 0, 0, np.where(exponent == 255, x & 0xFF800000, value))


def round_integer(x, largest, keeps_sign, random=NEAREST):
    """SFP_STOCH_RND of floats to integers with sign and magnitude."""
    exponent = (x >> 23 & 0xFF) - 127
    whole = 0x800000 | x & 0x7FFFFF
    near = np.clip(exponent, -1, 16)
    scaled = np.where(near >= 0, whole << np.maximum(near, 0), whole >> 1)
    magnitude = np.minimum((scaled >> 23) + ((scaled & 0x7FFFFF) >= random), largest)
    magnitude = np.where(exponent < -1, 0, np.where(exponent >= 16, largest, magnitude))
    return np.where((magnitude != 0) & keeps_sign, x & SIGN, 0) | magnitude


def shift_integer(x, by, random=NEAREST):
    """SFP_STOCH_RND of integers to 7 bits and a sign."""
    magnitude = (x & 0x7FFFFFFF) << 23 >> by
    magnitude = np.minimum((magnitude >> 23) + ((magnitude & 0x7FFFFF) >= random), 127)
    return np.where(magnitude != 0, x & SIGN, 0) | magnitude


def to_float(x, random=None):
    """SFPCAST of integers with sign and magnitude: to nearest even, or by seven random bits."""
    magnitude = x & 0x7FFFFFFF
    size = length(magnitude)
    rest_bits = np.maximum(size - 24, 0)
    kept = np.where(size > 24, magnitude >> rest_bits, magnitude << np.maximum(24 - size, 0))
    rest = (magnitude - (kept << rest_bits)) << np.maximum(8 - rest_bits, 0)  # 8 bits
    rest = np.where(size > 24, rest, 0)
    if random is None:
        up = (rest > 0x80) | ((rest == 0x80) & (kept & 1 == 1))
    else:
        up = rest & 0xFE > random >> 9 & 0xFE
    result = (size + 126 << 23) + (kept & 0x7FFFFF) + up
    return x & SIGN | np.where(magnitude == 0, 0, result)


def twos_complement(x):
    """SFPCAST between sign-magnitude and two's complement, both ways."""
    return np.where(x >> 31 == 1, SIGN | -x & WORD, x)


def next_random(state):
    taps = sum(state >> i & 1 for i in (0, 1, 21, 31))
    return (~taps & 1) << 31 | state >> 1


# --- To and from Dst ---


def loaded(pattern, form):
    """Datums of L1 as SFPLOAD has them; through SrcA, all denormals are zeros."""
    if form == "Float16_b":
        return np.where(pattern >> 7 & 0xFF == 0, 0, pattern << 16)
    if form == "Float16":
        exponent = pattern >> 10 & 0x1F
        value = (pattern >> 15) << 31 | exponent + 112 << 23 | (pattern & 0x3FF) << 13
        return np.where(exponent == 0, 0, value)
    return pattern


def stored(x, form):
    """SFPSTORE and the packer: datums of L1."""
    exponent = x >> 23 & 0xFF
    if form == "Float32":
        return np.where(exponent == 0, x & SIGN, x)
    if form == "Float16_b":
        return np.where((exponent == 0), 0, np.where(exponent == 255, x >> 16 & 0xFF80, x >> 16))
    low = exponent - 112
    magnitude = np.where(low > 31, 0x7FFF, low << 10 | x >> 13 & 0x3FF)
    return np.where(low <= 0, 0, x >> 16 & 0x8000 | magnitude)


def rounded(x, form):
    """What the programs do before they store to fewer than 32 bits."""
    return {"Float32": lambda: x, "Float16_b": lambda: round_float(x, 7),
            "Float16": lambda: round_float(x, 10)}[form]()


# --- Functions ---


def exp_core(x):
    magic = bits(12582912.0)
    t = mad(x, bits(1.44269504), magic)
    k = add(t, negated(magic))
    r = mad(k, bits(2.12194440e-4), mad(k, bits(-0.693359375), x))
    p = mad(bits(0.0013941806), r, bits(0.008368802))
    for coefficient in (bits(0.04166639), bits(0.1666652), HALF, ONE, ONE):
        p = mad(p, r, coefficient)
    return p + (t << 23) & WORD


def exp(x):
    result = np.where(greater(x, bits(88.72283)), INFINITY, exp_core(x))
    return np.where(greater(x, bits(-87.33655)), result, 0)


def is_below_zero(x):
    return is_negative(x) & (x & 0x7FFFFFFF != 0)


def log(x):
    exponent = (x >> 23 & 0xFF) - 127
    m = x & 0x807FFFFF | 127 << 23
    is_high = greater(m, bits(1.41421356))
    exponent = exponent + is_high
    m = np.where(is_high, m & 0x807FFFFF | 126 << 23, m)
    f = add(bits(-1.0), m)
    k = to_float(np.where(exponent < 0, SIGN | -exponent, exponent))
    p = mad(bits(0.06746601), f, bits(-0.11675642))
    for coefficient in (0.11888175, -0.124055915, 0.14219551, -0.16667996, 0.20002119, -0.2500001,
                        0.33333313, -0.5):
        p = mad(p, f, bits(coefficient))
    y = mad(k, bits(-2.12194440e-4), mul(p, mul(f, f)))
    result = mad(k, bits(0.693359375), add(f, y))
    result = np.where(greater(x, 0x7F7FFFFF), x, result)
    result = np.where(greater(x, 0x007FFFFF), result, 0xFF800000)
    return np.where(is_below_zero(x), NAN, result)


def sqrt(x):
    y = 0x5F3759DF - (x >> 1) & WORD
    half = mul(x, HALF)
    for _ in range(3):
        y = mul(y, nmad(mul(half, y), y, bits(1.5)))
    s = mul(x, y)
    result = mad(nmad(s, s, x), mul(y, HALF), s)
    result = np.where(greater(x, 0x7F7FFFFF), x, result)
    return np.where(is_below_zero(x), NAN, result)


def reciprocal(x):
    y = reciprocal_guess(x)
    error = nmad(x, y, ONE)
    better = mad(y, error, y)
    better = mad(better, nmad(x, better, ONE), better)
    return np.where(greater(error, ONE), y, better)


def logistic_core(x):
    """e^-|v| and 1 / (1 + e^-|v|) for x = -|v|."""
    limit = bits(-87.33)
    z = exp_core(np.where(greater(limit, x), limit, x))
    d = add(z, ONE)
    y = reciprocal_guess(d)
    for _ in range(2):
        y = mad(y, nmad(d, y, ONE), y)
    return z, y


def sigmoid(x):
    z, y = logistic_core(x | SIGN)
    return np.where(is_negative(x), mul(y, z), y)


def tanh(x):
    z, y = logistic_core(add(x, x) | SIGN)
    result = mul(y, add(ONE, negated(z)))
    small = x & 0x7FFFFFFF
    square = mul(small, small)
    p = bits(-0.0070138397)
    for coefficient in (0.021479847, -0.05393005, 0.13333169, -0.3333333):
        p = mad(p, square, bits(coefficient))
    p = mad(mul(p, square), small, small)
    result = np.where(greater(small, bits(0.45)), result, p)
    return x & SIGN | result & 0x7FFFFFFF


def gelu(x):
    v = mul(x, mad(mul(x, x), bits(0.07135481283), bits(1.595769122)))
    z, y = logistic_core(v | SIGN)
    result = mul(np.where(is_negative(x), mul(y, z), y), x)
    return np.where(greater(x, bits(-10.1)), result, 0)


def fast_exp(x):
    t = mad(bits(369.3299304675746), x, bits(32500.818359375))
    return round_integer(t, 65535, False) << 15 & WORD


def choose(x, limits, table):
    """The row of a table for each magnitude."""
    magnitude = x & 0x7FFFFFFF
    row = sum((magnitude >= bits(limit)).astype(np.int64) for limit in limits)
    return tuple(np.array(column, np.int64)[row] for column in zip(*table))


def by_table(x, limits, table):
    slope, offset = choose(x, limits, table)
    return x & SIGN | mad(slope, x & 0x7FFFFFFF, offset) & 0x7FFFFFFF


def half_precision(*pairs):
    """What a table of FP16 holds."""
    return [tuple(bits(float(np.float16(value))) for value in pair) for pair in pairs]


SIGMOID_TABLE = half_precision((0.24492, 0.00048), (0.2172, 0.01507), (0.17303, 0.05952),
                               (0.12645, 0.12929), (0.05061, 0.29034), (0, 0.49))
GELU_TABLE = half_precision((0.38293, 0.00152), (0.29976, 0.04507), (0.1837, 0.16119),
                            (0.08811, 0.30339), (0.0214, 0.43745), (0, 0.4995))
TANH_TABLE = [(bits(slope), bits(offset)) for slope, offset in
              ((0.75, 0.0), (0.203125, 0.5625), (0.0, 0.96875))]


def table_sigmoid(x):
    return add(HALF, by_table(x, (0.5, 1.0, 1.5, 2.0, 4.0), SIGMOID_TABLE))


def table_tanh(x):
    return by_table(x, (1.0, 2.0), TANH_TABLE)


def table_gelu(x):
    return mul(x, add(HALF, by_table(x, (0.5, 1.0, 1.5, 2.0, 3.0), GELU_TABLE)))


# --- Casts ---


def float_to_int32(x):
    exponent = (x >> 23 & 0xFF) - 127
    whole = 0x800000 | x & 0x7FFFFF
    shift = np.clip(exponent, -1, 31) - 23
    magnitude = np.where(shift >= 0, whole << np.maximum(shift, 0), whole >> np.maximum(-shift, 0))
    magnitude = np.where(exponent < 0, 0, np.where(exponent >= 31, 0x7FFFFFFF, magnitude))
    return np.where(magnitude == 0, 0, x & SIGN | magnitude)


def float_to_uint16(x):
    return round_integer(np.where(greater(x, 0), x, 0), 65535, False)


# --- Two and three operands ---


def largest(x, y):
    return np.where(greater(y, x), y, x)


def smallest(x, y):
    return np.where(greater(x, y), y, x)


def integers(operation):
    """An operation on two's complement, between integers with sign and magnitude."""
    return lambda x, y: twos_complement(operation(twos_complement(x), twos_complement(y)) & WORD)


def product(x, y):
    low, high = x & 0xFFFF, x >> 16
    return (low * y + ((high * y & 0xFFFF) << 16)) & WORD


def where(x, y, z):
    return np.where(x == 0, z, y)


def nested(x, y):
    below = np.where(greater(y, x), x, negated(y))
    above = np.where(is_negative(y), x, mul(x, y))
    return np.where(is_negative(x), below, np.where(x == 0, add(x, y), above))


# --- Within a tile: matrices of 32 x 32 ---


def swapped(network, values, places, exchange):
    """Runs compare-and-exchange steps (i, j, upwards) on rows of two matrices: row i gets the
    smaller one where it goes upwards. What the hardware swaps when both are equal depends on the
    direction."""
    for i, j, upwards in network:
        is_smaller = ordered(values[j]) < ordered(values[i])
        swap = (is_smaller if upwards else ~is_smaller) ^ exchange
        for matrix in (values, places):
            matrix[[i, j]] = np.where(swap, matrix[[j, i]], matrix[[i, j]])


def bitonic(stages):
    for size in stages:
        step = size // 2
        while step:
            for i in range(16):
                if not i & step:
                    yield i, i | step, not i & size or size == 16
            step //= 2


def top16(matrix, half, greatest_first):
    """The best of each column in order, and their places: 16 * row of Dst + column."""
    row, column = np.indices((32, 32))
    row = row + np.where(column >= 16, 16, 0) + np.where(row >= 16, 16, 0)
    places = (half * 512 + row << 4 | column % 16).astype(np.int64)
    values = matrix.copy()
    # Loaded LReg by LReg: row 4 q + r of a face is element 4 r + q.
    order = [4 * (i % 4) + i // 4 for i in range(16)]
    for at, exchange in ((0, greatest_first), (16, not greatest_first)):
        part = [m[at:at + 16][order] for m in (values, places)]
        swapped(bitonic((2, 4, 8, 16)), *part, exchange)
        values[at:at + 16], places[at:at + 16] = part
    swapped([(i, i + 16, True) for i in range(16)], values, places, greatest_first)
    best = [m[:16].copy() for m in (values, places)]
    swapped(bitonic((16,)), *best, greatest_first)
    result = np.zeros((2, 32, 32), np.int64)
    result[:, :16] = best
    return result


def joined(x, y, is_max):
    return largest(x, y) if is_max else add(x, y)


def reduced_rows(matrix, is_max):
    """Each row of a tile to its first datum."""
    pairs = [joined(matrix[:, at:at + 16:2], matrix[:, at + 1:at + 16:2], is_max)
             for at in (0, 16)]
    lanes = joined(pairs[0], pairs[1], is_max)
    for by in (1, 2, 4):
        lanes = joined(lanes, np.roll(lanes, by, axis=1), is_max)
    result = np.zeros_like(matrix)
    result[:, 0] = lanes[:, 0]
    return result


def reduced_columns(matrix, is_max):
    groups = matrix.reshape(8, 4, 32)
    total = groups[0]
    for group in groups[1:]:
        total = joined(total, group, is_max)
    result = np.zeros_like(matrix)
    result[0] = joined(joined(total[0], total[1], is_max), joined(total[2], total[3], is_max),
                       is_max)
    return result
