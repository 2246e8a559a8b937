# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What matrix instructions compute, in exact rational numbers: one element of D at a time, slow and plain.

A *step* of a tensor core adds n products and the accumulator c:

1. An operand is a sign, an integer significand and an exponent; a subnormal keeps the least exponent.
2. The product of two operands is exact; its exponent is the sum of theirs.
3. E is the largest exponent of the addends that are not zero, but not less than a floor.
4. Each addend is truncated toward zero to a multiple of 2^(E - F); the sum of the addends is exact.
5. The sum is rounded to the type of D: toward zero for f32, to nearest even for f16. Too large a sum is an infinity, a
   zero sum is +0.

A NaN, infinity times zero, and different infinities give the canonical NaN. An instruction with more products than a step
has chains steps, in ascending k. The elements that a sparse A does not store are no products: an infinity in B meets no zero.
"""

from fractions import Fraction
from typing import Dict, NamedTuple, Optional

from formats import CANONICAL_NAN, FLOATS, Special, decode, decode_integer, encode, infinity, power


class Step(NamedTuple):
    """The step of a tensor core for some element types."""

    products: int
    fraction: int  # F
    floors: Dict[str, int] = {}  # of E, by the type of D
    significant: int = 24  # bits of an f32 result
    groups: int = 0  # the addends are the exact sums of so many groups of products, each times its scales


class ByHalves(NamedTuple):
    """8-bit floating point on f16 steps: the k with k % 4 < 2 from zero on, then the other k; at last c is added, rn."""

    step: Step


# ---- data

_FLOORS_24, _FLOORS_25 = {"f32": -132, "f16": -20}, {"f32": -133, "f16": -21}
_VOLTA = {"f16": Step(4, 23, {"f16": -19})}
_TURING = {"f16": Step(8, 24, _FLOORS_24)}
_AMPERE = {"f16": Step(8, 24, _FLOORS_24), "bf16": Step(8, 24, _FLOORS_24), "tf32": Step(4, 24, _FLOORS_24)}
_HOPPER = {"f16": Step(16, 25, _FLOORS_25), "bf16": Step(16, 25, _FLOORS_25), "tf32": Step(8, 25, _FLOORS_25)}
_BLOCK_SCALED = {"mxf8f6f4": Step(32, 25, _FLOORS_25), "mxf4": Step(64, 35, _FLOORS_25, groups=4)}

PROFILES = {
    "sm_70": _VOLTA,
    "sm_75": _TURING,
    "sm_80": _AMPERE,
    "sm_89": {**_AMPERE, "fp8": Step(16, 13, significant=14)},
    "sm_90": {**_HOPPER, "fp8": ByHalves(_HOPPER["f16"])},
    "sm_100": {**_HOPPER, "fp8": ByHalves(_HOPPER["f16"]), **_BLOCK_SCALED},
    "sm_120": {**_HOPPER, "fp8": Step(32, 25, _FLOORS_25), **_BLOCK_SCALED},
}
# Of other instructions than mma.
WGMMA = {**_HOPPER, "fp8": Step(32, 13, significant=14)}
TCGEN05 = {**_HOPPER, "fp8": Step(32, 25, _FLOORS_25), **_BLOCK_SCALED}


def step_of(op, profile):
    """`op`: an Instruction; `profile`: a row of PROFILES, which wgmma and tcgen05 don't look at: each has one of its own."""
    if op.wgmma:
        profile = WGMMA
    if op.tcgen05:
        profile = TCGEN05
    if op.is_quarters:
        return _VOLTA["f16"]
    if op.kind in ("mxf4", "mxf4nvf4"):
        return profile["mxf4"]
    if op.kind == "mxf8f6f4":
        return profile["mxf8f6f4"]
    return profile[op.a if op.a in ("f16", "bf16", "tf32") else "fp8"]


# ---- one step


class Addend(NamedTuple):
    value: Fraction
    exponent: int


def operand(name, code):
    """The Addend that an element is alone, or a Special."""
    x = decode(name, code)
    return x if isinstance(x, Special) else Addend(x.value(FLOATS[name].mantissa), x.exponent)


def scale(name, code):
    """A scale: `.ue8m0` is a power of two, `.ue4m3` an `.e4m3` whose sign does not count."""
    if name == "ue4m3":
        return operand("e4m3", code & 0x7F)
    return Special(0, True) if code == 0xFF else Addend(power(code - 127), code - 127)


def product(x, y):
    if not isinstance(x, Special) and not isinstance(y, Special):
        return Addend(x.value * y.value, x.exponent + y.exponent)
    nan = any(z.nan if isinstance(z, Special) else z.value == 0 for z in (x, y))
    negative = [z.sign if isinstance(z, Special) else z.value < 0 for z in (x, y)]
    return Special(negative[0] ^ negative[1], nan)


def truncate(value, unit):
    """`value` truncated toward zero to a multiple of `unit`."""
    count = abs(value) / unit
    whole = unit * (count.numerator // count.denominator)
    return -whole if value < 0 else whole


def add(addends, step, out):
    """The code of the sum: rules 3 to 5."""
    specials = [a for a in addends if isinstance(a, Special)]
    if specials:
        if any(s.nan for s in specials) or len({s.sign for s in specials}) == 2:
            return CANONICAL_NAN[out]
        return infinity(out, specials[0].sign)
    exponents = [a.exponent for a in addends if a.value != 0]
    if not exponents:
        return 0
    unit = power(max(*exponents, step.floors.get(out, exponents[0])) - step.fraction)
    total = sum((truncate(a.value, unit) for a in addends), Fraction(0))
    if out == "f16":
        return encode("f16", total, "rn")
    if abs(total) >= power(128):
        return infinity("f32", int(total < 0))
    lost = 24 - step.significant
    return encode("f32", total, "rz") >> lost << lost


# ---- elements of D


def element(op, step, a, b, c, scales=None):
    """The code of an element of D.

    a, b: the codes of a row of A and a column of B; None stands for an element that a sparse A does not store. c: a code.
    scales: for each chunk of k, the codes of a scale of A and of one of B.
    """
    ks = [k for k in range(op.k) if a[k] is not None]
    if op.a == "b1":
        return bits_element(op, ks, a, b, c)
    if op.d == "s32":
        return integer_element(op, ks, a, b, c)
    if op.d == "f64":
        return double_element(op, ks, a, b, c)
    if isinstance(step, ByHalves):
        return element_by_halves(op, step.step, ks, a, b, c)
    return chained(op, step, ks, a, b, operand(op.c, c), scales)


def chained(op, step, ks, a, b, c, scales=None):
    """Steps over `ks`; c: an Addend or a Special. Absent elements of A count for the width of a step."""
    code = None
    for first in range(0, op.k, step.products):
        mine = [k for k in ks if first <= k < first + step.products]
        if mine:
            code = add([*products(op, step, mine, a, b, scales), c], step, op.d)
            c = operand(op.d, code)
    return code


def products(op, step, ks, a, b, scales):
    found = {k: product(operand(op.a, a[k]), operand(op.b, b[k])) for k in ks}
    if not scales:
        return list(found.values())

    def scaled(k, addend):
        x, y = scales[k * len(scales) // op.k]
        return product(product(addend, scale(op.scale, x)), scale(op.scale, y))

    if not step.groups:
        return [scaled(k, p) for k, p in found.items()]
    size = step.products // step.groups
    groups = {}
    for k, p in found.items():
        groups[k // size] = groups.get(k // size, 0) + p.value
    # The exponents of the products do not count: only their scales' do.
    return [scaled(group * size, Addend(total, 0)) for group, total in groups.items()]


def element_by_halves(op, step, ks, a, b, c):
    inner = 0
    for half in (0, 1):
        # Half of the k, so the k of a step spread over twice its products.
        for first in range(0, op.k, 2 * step.products):
            mine = [k for k in ks if first <= k < first + 2 * step.products and k % 4 // 2 == half]
            if mine:
                inner = add([*products(op, step, mine, a, b, None), operand(op.d, inner)], step, op.d)
    return rounded_sum(op.d, inner, c)


def rounded_sum(name, x, y):
    """The code of the sum of two codes, rounded to nearest even; of two -0 it is -0."""
    numbers = [operand(name, code) for code in (x, y)]
    specials = [z for z in numbers if isinstance(z, Special)]
    if specials:
        return add(specials, None, name)
    return encode(name, sum(z.value for z in numbers), "rn", (x & y) >> FLOATS[name].bits - 1)


def bits_element(op, ks, a, b, c):
    ones = sum((a[k] & b[k] if op.bitop == "and" else a[k] ^ b[k]) for k in ks)
    return (c + ones) & 0xFFFFFFFF


def integer_element(op, ks, a, b, c):
    total = decode_integer("s32", c) + sum(decode_integer(op.a, a[k]) * decode_integer(op.b, b[k]) for k in ks)
    if op.satfinite:
        total = max(-(1 << 31), min(total, (1 << 31) - 1))
    return total & 0xFFFFFFFF


def double_element(op, ks, a, b, c):
    """A chain of fma. The NaN of a result is the canonical one; its payload is not specified."""
    for k in ks:
        c = fma_f64(a[k], b[k], c, op.rnd or "rn")
    return c


def fma_f64(a, b, c, mode):
    x, y, z = (operand("f64", code) for code in (a, b, c))
    p = product(x, y)
    specials = [s for s in (p, z) if isinstance(s, Special)]
    if specials:
        return add(specials, None, "f64")
    total = p.value + z.value
    negative_product, negative_c = (a ^ b) >> 63, c >> 63
    both_zero = p.value == 0 and z.value == 0
    negative_zero = negative_c if both_zero and negative_product == negative_c else mode == "rm"
    return encode("f64", total, mode, int(negative_zero))
