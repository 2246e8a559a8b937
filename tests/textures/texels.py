# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of texels: how the channels lie in memory, and which numbers a lookup makes of them.

A code is an integer with the bits of a channel. A sample is what a lookup filters: a Fraction, or a Special (an infinity or
NaN) of a floating-point format.
"""

import struct
import sys
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, Tuple

sys.path.append(str(Path(__file__).resolve().parents[1] / "matrices"))
from formats import FLOATS, Special, decode, encode, round_to_integer  # noqa: E402,F401


class Format(NamedTuple):
    name: str
    cuda: int  # CUarray_format
    kind: str  # unsigned, signed, float, or samples: the codes are samples
    bits: int  # of a channel
    channels: Tuple[int, ...] = (1, 2, 4)  # the numbers of channels that an array may have
    normalized: bool = False  # whatever the texture says
    packed: bool = False  # 10, 10, 10 and 2 bits

    def texel_bytes(self, channels):
        return 4 if self.packed else self.bits // 8 * channels

    def channel_bits(self, channel):
        return 2 if self.packed and channel == 3 else self.bits


FORMATS = {f.name: f for f in (
    Format("u8", 0x01, "unsigned", 8), Format("u16", 0x02, "unsigned", 16), Format("u32", 0x03, "unsigned", 32),
    Format("s8", 0x08, "signed", 8), Format("s16", 0x09, "signed", 16), Format("s32", 0x0A, "signed", 32),
    Format("f16", 0x10, "float", 16), Format("f32", 0x20, "float", 32),
    *(Format(f"{kind[0]}norm{bits}x{n}", first + i, kind, bits, (n,), True)
      for kind, bits, first in (("unsigned", 8, 0xC0), ("unsigned", 16, 0xC3), ("signed", 8, 0xC6), ("signed", 16, 0xC9))
      for i, n in enumerate((1, 2, 4))),
    Format("unorm10_10_10_2", 0x50, "unsigned", 10, (4,), True, True))}


def pack(form, codes):
    """The bytes of a texel."""
    if form.packed:
        return struct.pack("<I", codes[0] | codes[1] << 10 | codes[2] << 20 | codes[3] << 30)
    return b"".join(code.to_bytes(form.bits // 8, "little") for code in codes)


def unpack(form, data, channels):
    if form.packed:
        word = struct.unpack("<I", data)[0]
        return [word & 1023, word >> 10 & 1023, word >> 20 & 1023, word >> 30]
    size = form.bits // 8
    return [int.from_bytes(data[size * c:size * (c + 1)], "little") for c in range(channels)]


def signed(code, bits):
    return code - (1 << bits) if code >> bits - 1 else code


def integer(form, code):
    """The number of an integer format."""
    return signed(code, form.bits) if form.kind == "signed" else code


def largest(form, channel=0):
    """The code that stands for 1."""
    bits = form.channel_bits(channel)
    return (1 << (bits - 1 if form.kind == "signed" else bits)) - 1


def float_value(name, code):
    """The exact value of an f16 or f32, or a Special."""
    x = decode(name, code)
    return x if isinstance(x, Special) else x.value(FLOATS[name].mantissa)


def srgb_value(code):
    """The f32 value of an 8-bit code of R, G or B."""
    c = code / 255
    linear = c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055)**2.4
    return Fraction(struct.unpack("<f", struct.pack("<f", linear))[0])


def sample(form, reading, channel, code):
    """reading: "bits" of a floating-point format, "normalized" or "srgb"."""
    if form.kind == "samples":  # of blocks.py
        return code
    if form.kind == "float":
        return float_value(form.name, code)
    if reading == "srgb" and channel < 3:
        return srgb_value(code)
    most = largest(form, channel)
    return Fraction(max(integer(form, code), -most), most)


def f32(value):
    """The code of the nearest f32; of an infinity or NaN, too."""
    if isinstance(value, Special):
        return 0x7FFFFFFF if value.nan else 0x7F800000 | value.sign << 31
    return encode("f32", value, "rn")


def f16_of_f32(code):
    value = float_value("f32", code)
    if isinstance(value, Special):
        return 0x7FFF if value.nan else 0x7C00 | value.sign << 15
    return encode("f16", value, "rn", code >> 31)


def is_nan(code, bits=32):
    return code & (1 << bits - 1) - 1 > (0x7F800000 if bits == 32 else 0x7C00)


def float_code(value):
    """The code of the f32 that is nearest to a Python number."""
    return struct.unpack("<I", struct.pack("<f", value))[0]
