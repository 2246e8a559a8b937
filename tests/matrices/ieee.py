# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of HEDDLE_MMA=ieee: each product is added by an FMA of f32, in ascending k."""

import struct
from fractions import Fraction
from math import isfinite, isnan

from fast import operands
from formats import CANONICAL_NAN, encode, infinity
from model import Special, scale


def applies_to(op):
    """Integers, bits and f64 have no such switch, and products of a sparse A stay exact."""
    return op.d in ("f16", "f32") and not op.sparse


def to_f32(value):
    return struct.unpack("<f", struct.pack("<I", value))[0]


def rounded(exact, otherwise):
    """An exact number as f32; `otherwise`: the float that has the right sign where it is zero."""
    return to_f32(encode("f32", exact, "rn")) if exact else otherwise


def fma(x, y, z):
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        return x * y + z
    return rounded(Fraction(x) * Fraction(y) + Fraction(z), x * y + z)


def add(x, y):
    return fma(x, 1.0, y)


def times(x, scales):
    """A sum times its scales; NaN where a scale is."""
    factors = [scale(name, code) for name, code in scales]
    if any(isinstance(f, Special) for f in factors):
        return float("nan")
    product = Fraction(1)
    for f in factors:
        product *= f.value
    if not isfinite(x):
        return x * float(product > 0)
    return rounded(Fraction(x) * product, x * 0.0)


def element(op, a, b, c, scales):
    sum_of = operands(op.c)[c][0]
    pairs = [(operands(op.a)[x][0], operands(op.b)[y][0]) for x, y in zip(a, b)]
    if not scales:
        for x, y in pairs:
            sum_of = fma(x, y, sum_of)
        return code(op.d, sum_of)
    # Sums of sixteen products of e2m1 are exact.
    size = 16 if op.kind in ("mxf4", "mxf4nvf4") else op.k
    for first in range(0, op.k, size):
        inner = 0.0
        for x, y in pairs[first:first + size]:
            inner = fma(x, y, inner)
        of_a, of_b = scales[first * len(scales) // op.k]
        sum_of = add(times(inner, ((op.scale, of_a), (op.scale, of_b))), sum_of)
    return code(op.d, sum_of)


def code(name, value):
    if isnan(value):
        return CANONICAL_NAN[name]
    if not isfinite(value):
        return infinity(name, int(value < 0))
    if value == 0:
        return int(struct.pack("<f", value)[3] != 0) << (15 if name == "f16" else 31)
    return encode(name, Fraction(value), "rn")


def multiply(op, a, b, c, scales=None):
    """As fast.multiply()."""
    return [[element(op, row, column, c[m][n], list(zip(scales[0][m], scales[1][n])) if scales else None)
             for n, column in enumerate(b)] for m, row in enumerate(a)]
