#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""questions.py LIBCUDA: what a device does where the manuals leave it open (docs/exactness.md#textures).

Each line is a question and the device's answer: words in hexadecimal. questions.txt has Heddle's answers. On a machine with a GPU,
the difference to those of the GPU's libcuda.so.1 is what is to be mended:

    python3 tests/textures/questions.py /usr/lib/x86_64-linux-gnu/libcuda.so.1 --differences
"""

import struct
import subprocess
import sys
from pathlib import Path

import programs
from driver import GATHER, Device
from model import Instruction, Level, Sampler, Texture
from texels import FORMATS


def code(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def plane(form, reading, rows, channels=1):
    """A texture of one level from rows of codes, or of tuples of codes."""
    texels = [[list(c) if isinstance(c, tuple) else [c] for c in row] for row in rows]
    size = (len(rows[0]), len(rows))[:2 if len(rows) > 1 else 1]
    return Texture(FORMATS[form], reading, channels, len(size), [Level(size, [[texels]])])


def line(form, reading, codes, channels=1):
    return plane(form, reading, [codes], channels)


class Asker:
    def __init__(self, path):
        self.gpu = Device(path)

    def words(self, texture, sampler, op, rows):
        """The first words of the lookups whose operands are rows of words."""
        module, kernel = self.gpu.load(programs.lookup(op, "object"))
        resource, free = self.gpu.resource(texture, GATHER if op.name == "tld4" else 0)
        handle = self.gpu.texture_object(texture, sampler, resource)
        try:
            return self.gpu.run(kernel, handle.value, rows)
        finally:
            self.gpu.call("cuTexObjectDestroy", handle)
            self.gpu.unload(module)
            free()

    def ask(self, question, texture, sampler, op, rows, words=1):
        answers = self.words(texture, sampler, op, rows)
        print(f"{question}: " + " ".join(",".join(f"{w:08x}" for w in answer[:words]) for answer in answers))


def operands(coordinates, lod=None, dx=(), dy=()):
    """The words of a thread."""
    row = [0] * programs.REFERENCE
    row[programs.COORDINATES:programs.COORDINATES + len(coordinates)] = [code(x) for x in coordinates]
    if lod is not None:
        row[programs.LOD] = code(lod)
    row[programs.DX:programs.DX + len(dx)] = [code(x) for x in dx]
    row[programs.DY:programs.DY + len(dy)] = [code(x) for x in dy]
    return row[:programs.REFERENCE]


def differences():
    """The answers that are not Heddle's; the exit status says whether there are any."""
    answers = subprocess.run([sys.executable, __file__, sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    known = Path(__file__).with_name("questions.txt").read_text(encoding="utf-8").splitlines()
    for answer, heddle in zip(answers, known):
        if answer != heddle:
            print(f"- {heddle}\n+ {answer}")
    return answers != known


def main():
    asker = Asker(sys.argv[1])
    nan, infinity = float("nan"), float("inf")
    linear, nearest = Sampler(filter="linear"), Sampler()
    one = Instruction("tex", "1d", "f32")
    two = Instruction("tex", "2d", "f32")
    steps = line("f32", "bits", [code(256.0 * i) for i in range(4)])

    asker.ask("halfway between two multiples of 1/256, from texel 0 and from texel 1", steps, linear, one,
              [operands([base + 0.5 + k / 256 + 1 / 512]) for base in (0, 1) for k in range(4)])
    asker.ask("a little less, and a little more", steps, linear, one,
              [operands([1.5 + 1 / 512 + delta * 2.0 ** -22]) for delta in (-1, 1)])
    third = Sampler(filter="linear", normalized=True)
    uneven = line("f32", "bits", [code(256.0 * i) for i in range(3)])
    asker.ask("normalized coordinates and three texels: 1/3, 2/3 and neighbours", uneven, third, one,
              [operands([struct.unpack("<f", struct.pack("<I", code(x) + d))[0]]) for x in (1 / 3, 2 / 3) for d in (-1, 0, 1)])
    ragged = line("f32", "bits", [0x3f800001, 0x40490fdb, 0x33d6bf95, 0xc2f6e979])
    asker.ask("the last bits of a mean of f32", ragged, linear, one, [operands([0.5 + i * 37 / 256]) for i in range(12)])
    square = plane("f32", "bits", [[0x3f800001, 0x40490fdb], [0x33d6bf95, 0xc2f6e979]])
    asker.ask("the same in two dimensions", square, linear, two,
              [operands([0.5 + i * 37 / 256, 0.5 + i * 53 / 256]) for i in range(6)])
    asker.ask("sums that cancel", line("f32", "bits", [0x4b800000, 0x3f800000, 0xcb800000]), linear, one,
              [operands([x]) for x in (0.75, 1.0, 1.25, 1.75, 2.0)])
    for form in ("u8", "u16", "s8", "s16"):
        bits = int(form[1:])
        asker.ask(f"a normalized mean of {form}, codes 11, 12, 14", line(form, "normalized", [11, 12, 14]), linear, one,
                  [operands([x]) for x in (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)])
        if form[0] == "s":
            asker.ask(f"the least codes of {form}", line(form, "normalized", [1 << bits - 1, (1 << bits - 1) + 1]), nearest, one,
                      [operands([0.0]), operands([1.0])])
    asker.ask("sRGB, and its mean", line("u8", "srgb", [(10, 11, 12, 13), (128, 127, 255, 255)], 4), linear, one,
              [operands([x]) for x in (0.5, 1.0, 1.5)], 4)
    asker.ask("NaN and infinite coordinates, clamped", steps, nearest, one, [operands([x]) for x in (nan, infinity, -infinity)])
    for mode in ("wrap", "mirror"):
        repeats = Sampler(address=(mode,) * 3, normalized=True)
        asker.ask(f"NaN, infinite and huge coordinates, {mode}", steps, repeats, one,
                  [operands([x]) for x in (nan, infinity, -infinity, 2.0 ** 40, -1e-30)])
    asker.ask("infinite texels without weight", line("f32", "bits", [0x7f800000, 0x3f800000, 0x7fc00000]), linear, one,
              [operands([x]) for x in (0.5, 1.5, 2.5, 1.25, 1.75)])
    border = Sampler(address=("clamp_to_border",) * 3, border=[0x3f800000, 0x40000000, 0x40400000, 0x40800000])
    asker.ask("the border of integer texels", line("u32", "bits", [(1, 2, 3, 4)], 4), border, Instruction("tex", "1d", "u32"),
              [operands([-1.0])], 4)
    asker.ask("the border of texels with one normalized channel", line("u8", "normalized", [1]), border, one, [operands([-1.0])], 4)
    asker.ask("channels that a texel lacks, of integers", line("s32", "bits", [5]), nearest, Instruction("tex", "1d", "s32"),
              [operands([0.0])], 4)
    gather = plane("u32", "bits", [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    asker.ask("tld4: the texels, and where they change", gather, nearest, Instruction("tld4", "2d", "u32"),
              [operands([1.5 + d, 1.5 + d]) for d in (-1 / 256, -1 / 512, -1 / 1024, 0, 1 / 512)], 4)
    levels = Texture(FORMATS["f32"], "bits", 1, 1, [Level((8 >> i,), [[[[[code(float(i))]] * (8 >> i)]]]) for i in range(4)],
                     mipmapped=True)
    at_level, by_gradient = Instruction("tex", "1d", "f32", mip="level"), Instruction("tex", "1d", "f32", mip="grad")
    between = Sampler(normalized=True, mip_filter="linear", most=0xFFF)
    asker.ask("the level of .level, nearest", levels, Sampler(normalized=True, most=0xFFF), at_level,
              [operands([0.5], lod) for lod in (0.5, 0.5 + 1 / 256, 1.5, 2.5, -1, 9, nan)])
    asker.ask("the level of .level, linear", levels, between, at_level,
              [operands([0.5], lod) for lod in (0.5, 0.5 + 1 / 512, 0.5 + 3 / 1024, 1.75, 2.999)])
    asker.ask("the level of .grad, linear", levels, between, by_gradient,
              [operands([0.5], dx=(d,), dy=(0.0,)) for d in (1 / 8, 1.5 / 8, 2 / 8, 3 / 8, 0.1, 0.0)])
    asker.ask("no .level: the clamps of the level", levels, Sampler(normalized=True, least=512, most=0xFFF), one, [operands([0.5])])


if __name__ == "__main__":
    sys.exit(differences() if "--differences" in sys.argv else main())
