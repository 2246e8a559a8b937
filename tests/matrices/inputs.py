# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of matrix instructions: matrices of codes, metadata and scales, by profile and pseudo-random."""

from collections import defaultdict
from typing import NamedTuple, Optional

import layouts
import tensor_layouts
from formats import BITS, FLOATS, Special, decode, encode, infinity, power
from layouts import LANES, chunk_size, stored_places

FLOAT_PROFILES = ("any bits", "finite", "near one", "cancelling", "alignment", "tiny", "huge", "zeros", "specials", "one-hot")
INTEGER_PROFILES = ("any bits", "extremes", "zeros", "one-hot")

ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)
ANY_ORDER = (*ORDERED, 0b0001, 0b0010, 0b0110, 0b0011, 0b0111, 0b1011)
MEANINGFUL = (*ORDERED, 0b0110)  # in tcgen05
ONE_OF_TWO = (0b0100, 0b1110)

IMMEDIATES = (0, 1, 0, 3)  # the selectors of scales in instructions that have them as immediates


class Case(NamedTuple):
    """The inputs of one product. Rows of A have None for elements that are not stored; B is columns, C rows."""

    a: list
    b: list
    c: list
    stored: tuple  # A, B and C as the registers hold them
    scales: Optional[tuple] = None


class Tile(NamedTuple):
    """The inputs of one instruction: a case, or four, and words of each lane."""

    cases: list
    metadata: list = ()
    scale_a: list = ()
    scale_b: list = ()
    selectors: tuple = ()  # byte and thread of A's scales, byte and thread of B's
    accumulate: int = 1  # wgmma and tcgen05: 0: C is not added
    disabled: tuple = ()  # tcgen05: lanes of D


def profiles(op):
    return FLOAT_PROFILES if op.a in FLOATS else INTEGER_PROFILES


# ---- values of a profile


def float_code(name, profile, matrix, random):
    f = FLOATS[name]
    top = (1 << f.exponent) - 1
    last = top - 1 if f.infinities else top
    bias = min(f.bias, last)

    def number(exponent, mantissa=None):
        if mantissa is None:
            mantissa = random.getrandbits(f.mantissa)
        return (random.getrandbits(1) << f.exponent | max(0, min(exponent, last))) << f.mantissa + f.unused | mantissa << f.unused

    def finite():
        while True:
            code = random.getrandbits(f.bits)
            if not isinstance(decode(name, code), Special):
                return code

    if profile == "any bits":
        return random.getrandbits(f.bits)
    if profile == "finite":
        return finite()
    if profile in ("near one", "cancelling"):
        return number(bias + random.randint(-2, 1))
    if profile == "alignment":
        # Few significant bits at very different exponents, which truncation cuts or keeps.
        reach = 30 if matrix == "c" else 16
        mantissa = random.choice((0, 1, (1 << f.mantissa) - 1, 1 << f.mantissa >> 1))
        return number(bias + random.randint(-reach, reach // 4), mantissa)
    if profile == "tiny":
        return number(random.choice((0, 0, 1, 2)) if matrix != "b" else random.choice((0, 1, bias)))
    if profile == "huge":
        return number(last - random.randint(0, 1) if matrix != "b" else random.choice((bias, last)))
    if profile == "zeros":
        return random.getrandbits(1) << f.bits - 1 if random.random() < 0.7 else finite()
    return special_code(name, f, number, bias, random)


def special_code(name, f, number, bias, random):
    """A few infinities and NaNs among ones and zeros; a type without them has its limits instead."""
    if random.random() < 0.9:
        return number(random.choice((0, bias)), 0)
    sign = random.getrandbits(1)
    if f.infinities:
        quiet, signaling = 1 << f.mantissa - 1 + f.unused, 1 << f.unused
        return infinity(name, sign) | random.choice((0, 0, quiet, signaling))
    return sign << f.bits - 1 | (f.nan or (1 << f.bits - 1) - 1)


def integer_code(name, profile, random):
    bits = BITS[name]
    if profile == "extremes":
        return random.choice((0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1)) & (1 << bits) - 1
    if profile == "zeros" and random.random() < 0.7:
        return 0
    return random.getrandbits(bits)


class Pools(dict):
    """`size` values of a type, profile and matrix, from which elements are drawn."""

    def __init__(self, random, size=256):
        super().__init__()
        self.random, self.size = random, size

    def __missing__(self, key):
        name, profile, matrix = key
        if name in FLOATS:
            self[key] = [float_code(name, profile, matrix, self.random) for _ in range(self.size)]
        else:
            self[key] = [integer_code(name, profile, self.random) for _ in range(self.size)]
        return self[key]

    def rows(self, name, profile, matrix, count, length):
        codes = self.random.choices(self[name, profile, matrix], k=count * length)
        return [codes[i:i + length] for i in range(0, count * length, length)]


# ---- tiles


def tile(op, profile, number, pools):
    """`number` chooses the elements of one-hot matrices."""
    random = pools.random
    metadata = new_words(op, random) if op.sparse else ()
    chunks = sparse_chunks(op, metadata, random) if op.sparse else None
    extra = scale_words(op, profile, random) if op.scale else {}
    if op.tcgen05:
        extra["disabled"] = [random.getrandbits(32) for _ in range(8)]
    scales = extra.pop("scales", None)
    cases = [case(op, profile, number * op.products + q, pools, chunks, scales) for q in range(op.products)]
    if op.wgmma or op.tcgen05:
        extra["accumulate"] = int(random.random() < 0.75)
        cases = [as_multiplied(op, case, extra["accumulate"]) for case in cases]
    return Tile(cases, metadata, **extra)


def new_words(op, random):
    """Words with metadata: one of each lane; of tcgen05, by place."""
    if op.tcgen05:
        return defaultdict(lambda: random.getrandbits(32))
    return [random.getrandbits(32) for _ in range(op.lanes)]


def case(op, profile, number, pools, chunks, scales):
    if profile == "one-hot":
        stored, b, c = one_hot(op, number)
    else:
        stored = pools.rows(op.a, profile, "a", op.m, op.stored_k)
        b = pools.rows(op.b, profile, "b", columns_of_b(op), op.k)
        c = pools.rows(op.d if op.tcgen05 else op.c, profile, "c", op.m, op.n)
        if profile == "cancelling":
            cancel(op, stored, b, c, pools)
    a = [expanded(op, row, chunks[m]) for m, row in enumerate(stored)] if op.sparse else stored
    return Case(a, b, c, (stored, b, c), scales)


def as_multiplied(op, case, accumulate):
    """A case of a wgmma or tcgen05.mma after the negations, and without C if that is not added."""
    negated = (op.wgmma or op.tcgen05).negated

    def signs(lines, name, negated):
        sign = 1 << BITS[name] - 1
        return [[code if code is None else code ^ sign for code in line] for line in lines] if negated else lines

    a, b = signs(case.a, op.a, negated[0]), signs(case.b, op.b, negated[1])
    if op.tcgen05 and op.tcgen05.shifts_a:
        # The first row of each CTA stays where it is.
        a = [a[m - 1 if m % (op.m // op.tcgen05.ctas) else m] for m in range(op.m)]
    c = case.c if accumulate else [[0] * op.n for _ in range(op.m)]
    if op.tcgen05:
        zeros = tensor_layouts.zero_columns(op)
        b = [[0] * op.k if zero else column for zero, column in zip(zeros, b[tensor_layouts.column_shift(op):])]
        c = [[divided(op, code) for code in row] for row in c] if op.tcgen05.scale_d else c
    return case._replace(a=a, b=b, c=c)


def divided(op, code):
    """C divided by a power of two: an f32, which has more than an f16."""
    x, sign = decode(op.d, code), code >> BITS[op.d] - 1 << BITS[op.c] - 1
    if isinstance(x, Special):
        return infinity(op.c, 0) | sign | x.nan
    return encode(op.c, x.value(FLOATS[op.d].mantissa) / power(op.tcgen05.scale_d), "rn", x.sign)


def columns_of_b(op):
    """As many as are in memory: also those before the first that counts."""
    return op.n + (tensor_layouts.column_shift(op) if op.tcgen05 else 0)


def one_hot(op, number):
    """One element of A is 1; the numbers below m * (stored k) choose each element of A once.

    Elements of B differ from their neighbours, so that D shows which of them met the 1.
    """
    # The factor is odd and the number of elements a power of two: few numbers are spread over all elements.
    m, k = divmod(number * 0x9E3779B1 % (op.m * op.stored_k), op.stored_k)
    stored = [[0] * op.stored_k for _ in range(op.m)]
    stored[m][k] = one(op.a)
    ones = one_to_eight(op.b)
    b = [[ones[(n + k) % len(ones)] for k in range(op.k)] for n in range(columns_of_b(op))]
    return stored, b, [[0] * op.n for _ in range(op.m)]


def one(name):
    return FLOATS[name].bias << FLOATS[name].mantissa + FLOATS[name].unused if name in FLOATS else 1


def one_to_eight(name):
    """Codes of eight numbers that differ, or of fewer."""
    if name not in FLOATS:
        return list(range(1, 1 << min(3, BITS[name] - 1))) or [0, 1]
    f = FLOATS[name]
    step = 1 << max(0, f.mantissa - 2) + f.unused
    return [one(name) + i * step for i in range(8) if one(name) + i * step < 1 << f.bits - 1]


def cancel(op, stored, b, c, pools):
    """Makes the second half of the products the negative of the first, with a little noise."""
    half, sign, noise = op.stored_k // 2, 1 << BITS[op.a] - 1, pools.random
    for row in stored:
        row[half:] = [code ^ sign ^ (noise.random() < 0.1) for code in row[:half]]
    for column in b:
        column[op.k // 2:] = column[:op.k // 2]
    for row in c:
        row[:] = noise.choices(pools[op.c, "zeros", "c"] + pools[op.c, "tiny", "c"], k=op.n)


def sparse_chunks(op, metadata, random):
    """Writes metadata into the lanes that hold it; for each row the k of the stored elements."""
    kinds = ONE_OF_TWO if chunk_size(op) == 2 else MEANINGFUL if op.tcgen05 else ORDERED if "ordered" in op.name else ANY_ORDER
    rows = []
    for row in range(op.m):
        places = []
        for chunk in range(op.k // chunk_size(op)):
            bits = random.choice(kinds)
            lane, low = (tensor_layouts if op.tcgen05 else layouts).metadata_place(op, row, chunk)
            metadata[lane] = metadata[lane] & ~(15 << low) | bits << low
            places += stored_places(op, chunk, bits)
        rows.append(places)
    return rows


def expanded(op, stored, places):
    row = [None] * op.k
    for k, code in zip(places, stored):
        row[k] = code
    return row


def scale_words(op, profile, random):
    """The words of scales of each lane, the selectors, and the scales that these select."""
    if op.tcgen05:
        return tensor_scale_words(op, profile, random)
    byte = lambda: random.choice(range({1: 4, 2: 2, 4: 1}[op.scale_vec])) * op.scale_vec
    selectors = IMMEDIATES if op.immediates else (byte(), random.randrange(2), byte(), random.randrange(4))
    words = {"a": [random.getrandbits(32) for _ in range(LANES)], "b": [random.getrandbits(32) for _ in range(LANES)]}
    scales = []
    for matrix, lines, first in (("a", op.m, 0), ("b", op.n, 2)):
        found = []
        for line in range(lines):
            codes = [scale_code(op, profile, random) for _ in range(op.scale_vec)]
            for (lane, place), code in zip(layouts.scale_places(op, matrix, line, *selectors[first:first + 2]), codes):
                words[matrix][lane] = words[matrix][lane] & ~(255 << place * 8) | code << place * 8
            found.append(codes)
        scales.append(found)
    return {"scale_a": words["a"], "scale_b": words["b"], "selectors": selectors, "scales": tuple(scales)}


def tensor_scale_words(op, profile, random):
    """The words of scales by place, and the bytes at which the scales begin."""
    selectors = [random.choice({1: range(4), 2: (0, 2), 3: range(4), 4: (0,), 6: (0, 2)}[op.scale_vec]) for _ in "ab"]
    words, scales = new_words(op, random), []
    for matrix, lines, first in (("a", op.m, selectors[0]), ("b", op.n, selectors[1])):
        scales.append([[scale_code(op, profile, random) for _ in range(op.scale_vec)] for _ in range(lines)])
        for line, codes in enumerate(scales[-1]):
            for number, code in enumerate(codes):
                places, byte = tensor_layouts.scale_places(op, matrix, line, first, number)
                for place in places:
                    words[place] = words[place] & ~(255 << byte * 8) | code << byte * 8
    return {"scale_a": words, "selectors": tuple(selectors), "scales": tuple(scales)}


def scale_code(op, profile, random):
    if profile == "any bits":
        return random.getrandbits(8)
    if profile == "one-hot":
        return 127 if op.scale == "ue8m0" else 0x38
    if profile == "specials" and random.random() < 0.05:
        return 0xFF if op.scale == "ue8m0" else 0x7F
    if op.scale == "ue4m3":
        return random.randrange(0x7F) | random.getrandbits(1) << 7
    center = {"tiny": 40, "huge": 180}.get(profile, 127)
    return center + random.randint(-12, 12)
