# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element types of matrices: the number that the bits of an element stand for, and the bits of a number.

A code is an integer with the bits of an element.
"""

from fractions import Fraction
from typing import NamedTuple, Optional


class Float(NamedTuple):
    """A floating-point format: a sign, `exponent` and `mantissa` bits; `unused` low bits do not count."""

    name: str
    bits: int
    exponent: int
    mantissa: int
    bias: int
    infinities: bool = False  # the largest exponent is that of infinities and NaNs
    nan: Optional[int] = None  # the magnitude of the only NaN of a format without infinities
    unused: int = 0

    @property
    def least_exponent(self):
        """The exponent of subnormals and of the smallest normal numbers."""
        return 1 - self.bias


class Integer(NamedTuple):
    name: str
    bits: int
    signed: bool


class Number(NamedTuple):
    """(-1)^sign * significand * 2^(exponent - mantissa bits of its format). A subnormal keeps the least exponent."""

    sign: int
    significand: int
    exponent: int

    def value(self, mantissa):
        return Fraction(-self.significand if self.sign else self.significand) * power(self.exponent - mantissa)


class Special(NamedTuple):
    """An infinity or a NaN."""

    sign: int
    nan: bool


FLOATS = {f.name: f for f in (
    Float("f64", 64, 11, 52, 1023, infinities=True),
    Float("f32", 32, 8, 23, 127, infinities=True),
    Float("tf32", 32, 8, 10, 127, infinities=True, unused=13),
    Float("bf16", 16, 8, 7, 127, infinities=True),
    Float("f16", 16, 5, 10, 15, infinities=True),
    Float("e5m2", 8, 5, 2, 15, infinities=True),
    Float("e4m3", 8, 4, 3, 7, nan=0x7F),
    Float("e3m2", 6, 3, 2, 3),
    Float("e2m3", 6, 2, 3, 1),
    Float("e2m1", 4, 2, 1, 1),
)}
INTEGERS = {i.name: i for i in (
    Integer("s32", 32, True), Integer("s8", 8, True), Integer("u8", 8, False), Integer("s4", 4, True), Integer("u4", 4, False),
    Integer("b1", 1, False))}
BITS = {**{f.name: f.bits for f in FLOATS.values()}, **{i.name: i.bits for i in INTEGERS.values()}}

CANONICAL_NAN = {"f32": 0x7FFFFFFF, "f16": 0x7FFF, "f64": 0xFFF8000000000000}


def power(exponent):
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def decode(name, code):
    """The Number or Special of a code."""
    f = FLOATS[name]
    sign = code >> (f.bits - 1) & 1
    magnitude = (code & (1 << (f.bits - 1)) - 1) >> f.unused
    exponent, mantissa = magnitude >> f.mantissa, magnitude & (1 << f.mantissa) - 1
    if f.infinities and exponent == (1 << f.exponent) - 1:
        return Special(sign, mantissa != 0)
    if magnitude == f.nan:
        return Special(sign, True)
    if exponent == 0:
        return Number(sign, mantissa, f.least_exponent)
    return Number(sign, mantissa | 1 << f.mantissa, exponent - f.bias)



def decode_integer(name, code):
    i = INTEGERS[name]
    return code - (1 << i.bits) if i.signed and code >> (i.bits - 1) else code


def infinity(name, negative):
    f = FLOATS[name]
    return negative << (f.bits - 1) | ((1 << f.exponent) - 1) << f.mantissa


def encode(name, value, mode, negative_zero=False):
    """The code of the rational `value` in a format with infinities, rounded by `mode` (rn, rz, rm or rp) as IEEE 754 says."""
    f = FLOATS[name]
    if value == 0:
        return negative_zero << (f.bits - 1)
    negative, magnitude = value < 0, abs(value)
    exponent = max(floor_log2(magnitude), f.least_exponent)
    significand = round_to_integer(magnitude / power(exponent - f.mantissa), mode, negative)
    # The leading bit of a normal significand adds 1 to the exponent; so does a carry into the next binade.
    code = (exponent - f.least_exponent << f.mantissa) + significand
    if code >= infinity(name, False):
        away = mode == "rn" or (mode == "rm" and negative) or (mode == "rp" and not negative)
        return infinity(name, negative) - (0 if away else 1)
    return negative << (f.bits - 1) | code


def floor_log2(magnitude):
    """The largest e with 2^e <= magnitude."""
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return e if power(e) <= magnitude else e - 1


def round_to_integer(magnitude, mode, negative):
    below = magnitude.numerator // magnitude.denominator
    rest = magnitude - below
    if rest == 0 or mode == "rz":
        return below
    if mode == "rn":
        return below + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below & 1))
    return below + ((mode == "rm") == negative)
