# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block compression: random blocks of 4x4 texels, and the samples of their texels.

BC1 to BC5 are decoded. Blocks of BC6H and BC7 have one colour: the decoders of all their modes have tests of their own
(src/isa/sem/texture_blocks_test.cpp).
"""

from fractions import Fraction
from typing import NamedTuple

from texels import FORMATS, Format, float_value


class BlockFormat(NamedTuple):
    name: str
    view: int  # CUresourceViewFormat
    size: int  # bytes of a block
    channels: int
    floats: bool = False


BLOCK_FORMATS = tuple(BlockFormat(*f) for f in (
    ("bc1", 0x19, 8, 4), ("bc2", 0x1A, 16, 4), ("bc3", 0x1B, 16, 4), ("bc4u", 0x1C, 8, 1), ("bc4s", 0x1D, 8, 1), ("bc5u", 0x1E, 16, 2),
    ("bc5s", 0x1F, 16, 2), ("bc6hu", 0x20, 16, 3, True), ("bc6hs", 0x21, 16, 3, True), ("bc7", 0x22, 16, 4)))


def container(form):
    """The format and channels of the array that holds the blocks."""
    return FORMATS["u32"], form.size // 4


def seen_format(form):
    """A Format whose codes are samples: values that need no reading."""
    return Format(form.name, 0, "samples", 16 if form.floats else 8, (form.channels,), not form.floats)


def random_block(form, rng):
    """16 samples, row after row, each a list of channels; and the bytes."""
    if form.name == "bc7":
        return one_color_bc7(rng)
    if form.floats:
        return one_color_bc6h(form, rng)
    data = bytearray(rng.getrandbits(8) for _ in range(form.size))
    if rng.random() < 0.3:
        data[0] = data[1]
    low, high = bytes(data[:8]), bytes(data[8:])
    if form.name == "bc1":
        return data, colors(low, True)
    if form.name == "bc2":
        alphas = [Fraction((int.from_bytes(low, "little") >> 4 * i & 15) * 17, 255) for i in range(16)]
        return data, [[*color[:3], alpha] for color, alpha in zip(colors(high, False), alphas)]
    is_signed = form.name[-1] == "s"
    first = channel(low, is_signed)
    if form.name == "bc3":
        return data, [[*color[:3], Fraction(round(255 * alpha), 255)] for color, alpha in zip(colors(high, False), first)]
    if form.channels == 1:
        return data, [[r] for r in first]
    return data, [[r, g] for r, g in zip(first, channel(high, is_signed))]


def colors(data, has_black):
    first, second, indices = (int.from_bytes(data[i:j], "little") for i, j in ((0, 2), (2, 4), (4, 8)))

    def wide(color):
        r, g, b = color >> 11, color >> 5 & 63, color & 31
        return [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]

    def mean(weight):
        """`weight` of the second color; whole codes, halves up."""
        return [Fraction((2 * ((1 - weight) * a + weight * b) + 1) // 2, 255) for a, b in zip(wide(first), wide(second))] + [Fraction(1)]

    palette = [mean(0), mean(1), mean(Fraction(1, 3)), mean(Fraction(2, 3))]
    if has_black and first <= second:
        palette[2:] = mean(Fraction(1, 2)), [Fraction(0)] * 4
    return [palette[indices >> 2 * i & 3] for i in range(16)]


def channel(data, is_signed):
    codes = [c - (c >> 7 << 8) if is_signed else c for c in data[:2]]
    first, second = (max(c, -127) for c in codes)
    steps = 7 if codes[0] > codes[1] else 5
    palette = [Fraction(first), Fraction(second)] + [Fraction((steps - i) * first + i * second, steps) for i in range(1, steps)]
    if steps == 5:
        palette += [Fraction(-127 if is_signed else 0), Fraction(127 if is_signed else 255)]
    indices = int.from_bytes(data[2:8], "little")
    return [palette[indices >> 3 * i & 7] / (127 if is_signed else 255) for i in range(16)]


def one_color_bc7(rng):
    """Mode 6: seven bits of each channel of two endpoints, here the same, and a lowest bit of each endpoint."""
    codes, lowest = [rng.getrandbits(7) for _ in range(4)], rng.getrandbits(1)
    bits, at = 1 << 6, 7
    for code in codes:
        bits |= (code | code << 7) << at
        at += 14
    bits |= (lowest | lowest << 1) << at | rng.getrandbits(63) << at + 2
    return bits.to_bytes(16, "little"), [[Fraction(code << 1 | lowest, 255) for code in codes]] * 16


def one_color_bc6h(form, rng):
    """Mode 11: ten bits of each channel of two endpoints, here the same."""
    codes = [rng.getrandbits(10) for _ in range(3)]
    bits, at = 3, 5
    for code in codes * 2:
        bits |= code << at
        at += 10
    bits |= rng.getrandbits(63) << at

    def value(code):
        is_signed = form.name[-1] == "s"
        negative = is_signed and code >= 512
        magnitude = 1024 - code if negative else code
        width = 9 if is_signed else 10
        most = (1 << width) - 1
        wide = 0 if magnitude == 0 else (0x7FFF if is_signed else 0xFFFF) if magnitude >= most else (
            (magnitude << (15 if is_signed else 16)) + (0x4000 if is_signed else 0x8000)) >> width
        half = wide * 31 >> (5 if is_signed else 6)
        return float_value("f16", half | (0x8000 if negative else 0))

    return bits.to_bytes(16, "little"), [[value(code) for code in codes]] * 16
