# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of model.py for whole matrices, a hundred times as fast.

An operand is a Python float, which holds every element except f64's exactly; so it holds the product of two operands, also
times the power of two that makes 2^(E - F) the unit. int() then truncates the product as rule 4 of the model says.
model_test.py compares the two.
"""

import struct
from functools import lru_cache
from math import frexp, inf, isfinite, nan
from operator import add, itemgetter, mul

from formats import CANONICAL_NAN, FLOATS, INTEGERS, Special, decode, decode_integer
from model import ByHalves, scale

NOTHING = -100000  # the exponent of zero
POWERS = {e: 2.0**e for e in range(-1000, 1000)}


class Operands(dict):
    """The float and the exponent of the codes of a type, computed when first asked for."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def __missing__(self, code):
        x = decode(self.name, code)
        if isinstance(x, Special):
            result = (nan if x.nan else -inf if x.sign else inf), NOTHING
        else:
            value = float(x.value(FLOATS[self.name].mantissa))
            result = (value, x.exponent) if value else (-0.0 if x.sign else 0.0, NOTHING)
        self[code] = result
        return result


class Integers(dict):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def __missing__(self, code):
        self[code] = value = decode_integer(self.name, code)
        return value


@lru_cache(None)
def operands(name):
    return Operands(name)


@lru_cache(None)
def integers(name):
    return Integers(name)


def multiply(op, step, a, b, c, scales=None):
    """The rows of D as lists of codes.

    a: rows, with None for what a sparse A does not store; b: columns; c: rows. scales: a pair of lists, the scales of each
    row of A and those of each column of B.
    """
    if op.a == "b1":
        return bits_product(op, a, b, c)
    if op.d == "s32":
        return integer_product(op, a, b, c)
    if op.d == "f64":
        return double_product(op, a, b, c)
    if isinstance(step, ByHalves):
        step = step.step
        halves = [[k for k in range(op.k) if k % 4 // 2 == half] for half in (0, 1)]
        chunks = [ks[first:first + step.products] for ks in halves for first in range(0, len(ks), step.products)]
        return float_product(op, step, chunks, a, b, c, last=True)
    if scales:
        return scaled_product(op, step, a, b, c, scales)
    chunks = [range(first, min(first + step.products, op.k)) for first in range(0, op.k, step.products)]
    return float_product(op, step, chunks, a, b, c)


# ---- floating point


class Chunk:
    """The part of a row or column that a step reads."""

    __slots__ = ("values", "exponents", "special")

    def __init__(self, name, codes):
        pairs = list(map(operands(name).__getitem__, codes))
        self.values = tuple(map(itemgetter(0), pairs))
        self.exponents = tuple(map(itemgetter(1), pairs))
        self.special = not all(map(isfinite, self.values))


def picker(ks):
    return itemgetter(*ks) if len(ks) > 1 else lambda line, k=ks[0]: (line[k],)


def parts_of(op, pieces, a, b):
    """For each row of A a pair for each piece of k with stored elements: the row's Chunk, and the Chunks of all columns of B."""
    columns_of = lru_cache(None)(lambda ks: [Chunk(op.b, picker(ks)(column)) for column in b])
    for row in a:
        present = (tuple(k for k in ks if row[k] is not None) for ks in pieces)
        yield [(Chunk(op.a, picker(ks)(row)), columns_of(ks)) for ks in present if ks]


def float_product(op, step, chunks, a, b, c, last=False):
    """`last`: c is added after the steps, by an addition that rounds to nearest even."""
    accumulators = operands(op.c)
    rows = []
    for parts, c_row in zip(parts_of(op, chunks, a, b), c):
        results = []
        for n, code in enumerate(c_row):
            value, exponent = (0.0, NOTHING) if last else accumulators[code]
            for mine, columns in parts:
                value, exponent = step_sum(step, op.d, mine, columns[n], value, exponent)
            results.append(nearest(op.d, value, accumulators[code][0]) if last else value)
        rows.append(codes(op.d, results))
    return rows


def step_sum(step, out, x, y, value, exponent):
    """The float and the exponent of the result of a step."""
    if x.special or y.special or not isfinite(value):
        return sum(map(mul, x.values, y.values)) + value, NOTHING
    largest = max(max(map(add, x.exponents, y.exponents)), exponent)
    return unit_sum(step, out, largest, list(map(mul, x.values, y.values)), value)


def unit_sum(step, out, largest, addends, value):
    if largest < -2000:
        return 0.0, NOTHING
    unit = max(largest, step.floors.get(out, largest)) - step.fraction
    to_units = POWERS[-unit]
    return rounded(step, out, sum([int(x * to_units) for x in addends]) + int(value * to_units), unit)


def rounded(step, out, total, unit):
    """total * 2^unit as a result: rule 5."""
    magnitude = -total if total < 0 else total
    if not magnitude:
        return 0.0, NOTHING
    if out == "f32":
        cut = max(magnitude.bit_length() - 24, -149 - unit) + 24 - step.significant
        if cut > 0:
            magnitude = magnitude >> cut << cut
        least, beyond = -126, 128
    else:
        cut = max(magnitude.bit_length() - 11, -24 - unit)
        if cut > 0:
            magnitude = (magnitude + (1 << cut - 1) - 1 + (magnitude >> cut & 1)) >> cut << cut
        least, beyond = -14, 16
    if not magnitude:
        return (-0.0 if total < 0 else 0.0), NOTHING
    exponent = magnitude.bit_length() - 1 + unit
    if exponent >= beyond:
        return (-inf if total < 0 else inf), NOTHING
    value = float(magnitude) * POWERS[unit]
    return (-value if total < 0 else value), max(exponent, least)


def nearest(out, x, y):
    """x + y rounded to nearest even. A float has more than 2 * 24 + 1 bits, so its own rounding does no harm."""
    total = x + y
    if not isfinite(total):
        return total
    try:
        form = "<f" if out == "f32" else "<e"
        return struct.unpack(form, struct.pack(form, total))[0]
    except OverflowError:
        return inf if total > 0 else -inf


def codes(name, values):
    """The codes of floats that are exact in their type."""
    if name == "f32":
        found = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
        limit, sign = 0x7F800000, 0x7FFFFFFF
    else:
        found = struct.unpack(f"<{len(values)}H", struct.pack(f"<{len(values)}e", *values))
        limit, sign = 0x7C00, 0x7FFF
    return [CANONICAL_NAN[name] if code & sign > limit else code for code in found]


# ---- block scaling


def scaled_product(op, step, a, b, c, scales):
    size = step.products // (step.groups or 1)
    pieces = [range(first, first + size) for first in range(0, op.k, size)]
    factor_of = lru_cache(None)(lambda code: scale_of(op.scale, code))
    accumulators = operands(op.c)
    rows = []
    for parts, c_row, x_codes in zip(parts_of(op, pieces, a, b), c, scales[0]):
        results = []
        for n, (code, y_codes) in enumerate(zip(c_row, scales[1])):
            factors = [times(factor_of(x), factor_of(y)) for x, y in zip(x_codes, y_codes)]
            value, exponent = accumulators[code]
            for first in range(0, len(parts), step.groups or 1):
                addends, largest = [], exponent
                for number in range(first, min(first + (step.groups or 1), len(parts))):
                    mine, columns = parts[number]
                    added, e = scaled_addends(step, mine, columns[n], *factors[number * len(factors) // len(parts)])
                    addends += added
                    largest = max(largest, e)
                if all(map(isfinite, addends)) and isfinite(value):
                    value, exponent = unit_sum(step, op.d, largest, addends, value)
                else:
                    value, exponent = sum(addends) + value, NOTHING
            results.append(value)
        rows.append(codes(op.d, results))
    return rows


def scaled_addends(step, x, y, factor, exponent):
    """Products times their scales, or the sum of the products; and the largest exponent."""
    products = list(map(mul, x.values, y.values))
    if step.groups:
        total = sum(products) * factor
        return [total], exponent if total else NOTHING
    return [p * factor for p in products], max(map(add, x.exponents, y.exponents)) + exponent


def scale_of(name, code):
    s = scale(name, code)
    return (nan, 0) if isinstance(s, Special) else (float(s.value), s.exponent)


def times(x, y):
    return x[0] * y[0], x[1] + y[1]


# ---- integers and bits


def integer_product(op, a, b, c):
    x_of, y_of, z_of = integers(op.a).__getitem__, integers(op.b).__getitem__, integers("s32").__getitem__
    columns = [list(map(y_of, column)) for column in b]
    rows = []
    for row, c_row in zip(a, c):
        ks = [k for k, code in enumerate(row) if code is not None]
        pick = picker(ks)
        values = list(map(x_of, pick(row)))
        totals = [sum(map(mul, values, pick(column))) + z for column, z in zip(columns, map(z_of, c_row))]
        if op.satfinite:
            totals = [max(-(1 << 31), min(total, (1 << 31) - 1)) for total in totals]
        rows.append([total & 0xFFFFFFFF for total in totals])
    return rows


def bits_product(op, a, b, c):
    lines = lambda matrix: [int("".join(map(str, line)), 2) for line in matrix]
    columns = lines(b)
    return [[z + (x & y if op.bitop == "and" else x ^ y).bit_count() & 0xFFFFFFFF for y, z in zip(columns, c_row)]
            for x, c_row in zip(lines(a), c)]


# ---- f64


@lru_cache(1 << 16)
def double_parts(code):
    """value = integer * 2^exponent."""
    x = decode("f64", code)
    return (-x.significand if x.sign else x.significand), x.exponent - 52


def is_special(code):
    return code >> 52 & 0x7FF == 0x7FF


def double_product(op, a, b, c):
    mode = op.rnd or "rn"
    rows = []
    for row, c_row in zip(a, c):
        results = []
        for column, z in zip(b, c_row):
            for x, y in zip(row, column):
                z = fma(x, y, z, mode)
            results.append(z)
        rows.append(results)
    return rows


def fma(a, b, c, mode):
    if is_special(a) or is_special(b) or is_special(c):
        x, y, z = (struct.unpack("<d", struct.pack("<Q", code))[0] for code in (a, b, c))
        # A product that overflows here would be finite beside an infinite c.
        total = z if isfinite(x) and isfinite(y) else x * y + z
        return CANONICAL_NAN["f64"] if total != total else struct.unpack("<Q", struct.pack("<d", total))[0]
    (x, ex), (y, ey), (z, ez) = double_parts(a), double_parts(b), double_parts(c)
    product, exponent = x * y, ex + ey
    if exponent > ez:
        total, exponent = (product << exponent - ez) + z, ez
    else:
        total = product + (z << ez - exponent)
    if total == 0:
        negative = c >> 63
        if product or z or (a ^ b) >> 63 != negative:
            negative = mode == "rm"
        return negative << 63
    return round_double(total, exponent, mode)


def round_double(total, unit, mode):
    negative = total < 0
    magnitude = -total if negative else total
    exponent = max(magnitude.bit_length() - 1 + unit, -1022)
    cut = exponent - 52 - unit
    if cut > 0:
        rest, magnitude = magnitude & (1 << cut) - 1, magnitude >> cut
        half = 1 << cut - 1
        if mode == "rn":
            magnitude += rest > half or (rest == half and magnitude & 1)
        elif mode != "rz":
            magnitude += rest != 0 and (mode == "rm") == negative
    else:
        magnitude <<= -cut
    code = (exponent + 1022 << 52) + magnitude
    if code >= 0x7FF << 52:
        away = mode == "rn" or (mode != "rz" and (mode == "rm") == negative)
        code = (0x7FF << 52) - (not away)
    return negative << 63 | code
