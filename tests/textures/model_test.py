#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of model.py and coordinates.py, by examples computed by hand."""

import struct
import unittest
from fractions import Fraction

import coordinates
import model
from model import Instruction, Level, Operands, Sampler, Texture, lookups
from texels import FORMATS, float_code


def row(form, values, reading="normalized", channels=1):
    """A one-dimensional texture. values: codes of texels with one channel, or lists of codes."""
    texels = [v if isinstance(v, list) else [v] for v in values]
    return Texture(FORMATS[form], reading, channels, 1, [Level((len(texels),), [[[texels]]])])


def floats(values):
    return row("f32", [float_code(v) for v in values], "bits")


def as_floats(words):
    return list(struct.unpack("<4f", struct.pack("<4I", *words)))


LINEAR = Instruction("tex", "1d", "f32")


def red(texture, x, op=LINEAR, **sampler):
    """The first channel as a float."""
    result, = lookups(texture, Sampler(**sampler), op, Operands([float_code(x)]))
    return as_floats(result)[0]


class Filtering(unittest.TestCase):
    RAMP = [0.0, 256.0, 512.0, 768.0]

    def test_nearest_takes_the_texel_that_the_point_lies_in(self):
        for x, value in ((0, 0), (0.99, 0), (1, 256), (3.5, 768), (-1, 0), (99, 768), (float("inf"), 768), (float("nan"), 0)):
            self.assertEqual(red(floats(self.RAMP), x), value, x)

    def test_linear_has_8_bits_of_fraction(self):
        for x, value in ((0.5, 0), (1, 128), (1.5, 256), (1.5 + 1 / 256, 257), (1.5 + 1 / 512, 257), (1.5 + 1 / 513, 256)):
            self.assertEqual(red(floats(self.RAMP), x, filter="linear"), value, x)

    def test_the_next_texel_begins_half_a_step_early(self):
        found = coordinates.neighbours(Fraction(1.5) - Fraction(1, 512))
        self.assertEqual(found, [(1, 1), (2, 0)])

    def test_16_bit_codes_are_rounded(self):
        for codes, code in (((11, 12), 12), ((12, 13), 13), ((12, 12), 12)):
            self.assertEqual(red(row("u16", codes), 1, filter="linear"), struct.unpack("<f", struct.pack("<f", code / 65535))[0])
        self.assertEqual(red(row("u8", (11, 12)), 1, filter="linear"), struct.unpack("<f", struct.pack("<f", 11.5 / 255))[0])

    def test_texels_without_weight_do_not_count(self):
        texture = floats([1.0, float("inf"), float("nan")])
        self.assertEqual(red(texture, 0.5, filter="linear"), 1)
        self.assertEqual(red(texture, 0.75, filter="linear"), float("inf"))

    def test_missing_channels(self):
        result, = lookups(floats([2.0]), Sampler(), LINEAR, Operands([0]))
        self.assertEqual(as_floats(result), [2, 0, 0, 1])
        result, = lookups(row("s8", [0xFE], "bits"), Sampler(), LINEAR, Operands([0]))
        self.assertEqual(result, [0xFFFFFFFE, 0, 0, 1])


class Addressing(unittest.TestCase):
    def test_inside(self):
        for mode, wanted in (("wrap", "12012012"), ("mirror", "10012210"), ("clamp_to_edge", "00012222"),
                             ("clamp_to_border", "--012---")):
            found = "".join("-" if i is None else str(i) for i in (coordinates.inside(mode, i, 3) for i in range(-2, 6)))
            self.assertEqual(found, wanted, mode)

    def test_coordinates(self):
        for mode, x, u in (("wrap", 1.25, 1), ("wrap", -0.25, 3), ("wrap", 1, 0), ("mirror", 1.25, 3), ("mirror", -0.25, 1),
                           ("mirror", 1, 4), ("mirror", 2, 0), ("clamp_to_edge", 1.25, 5), ("clamp_ogl", 1.25, 4)):
            self.assertEqual(coordinates.in_texels(mode, Fraction(x), 4, True), u, (mode, x))

    def test_border_is_blended(self):
        border = [float_code(8.0)] * 4
        texture = floats([0.0, 2.0])
        self.assertEqual(red(texture, 0, address=("clamp_to_border",) * 3, filter="linear", border=border), 4)
        self.assertEqual(red(texture, 9, address=("clamp_ogl",) * 3, filter="linear", border=border), 5)
        self.assertEqual(red(texture, 9, address=("clamp_ogl",) * 3, border=border), 2)

    def test_integers_are_never_filtered(self):
        op = Instruction("tex", "1d", "f32", "s32")
        texture = floats([1.0, 2.0])
        for index, value in ((-5, 1), (0, 1), (1, 2), (2, 2)):
            result, = lookups(texture, Sampler(("wrap",) * 3, "linear", normalized=True), op, Operands([index]))
            self.assertEqual(as_floats(result)[0], value)


class Cubes(unittest.TestCase):
    def test_faces(self):
        for direction, face, st in (((2, 1, -1), 0, (0.5, -0.5)), ((-2, 1, -1), 1, (-0.5, -0.5)), ((1, 2, -1), 2, (0.5, -0.5)),
                                    ((1, -2, -1), 3, (0.5, 0.5)), ((1, -1, 2), 4, (0.5, 0.5)), ((1, -1, -2), 5, (-0.5, 0.5)),
                                    ((1, 1, 1), 4, (1, -1)), ((1, 1, 0), 2, (1, 0))):
            self.assertEqual(coordinates.face_of([Fraction(d) for d in direction]), (face, st), direction)

    def test_folding(self):
        for face, outside, wanted in ((4, (3, 1), (0, (0, 1))), (4, (-1, 1), (1, (2, 1))), (4, (1, -1), (2, (1, 2))),
                                      (4, (2, 3), (3, (2, 0))), (0, (1, -1), (2, (2, 1))), (0, (0, -1), (2, (2, 2))),
                                      (2, (0, -1), (5, (2, 0))), (4, (-1, 3), None), (4, (1, 2), (4, (1, 2)))):
            self.assertEqual(coordinates.folded(face, outside, 3), wanted, (face, outside))


class Levels(unittest.TestCase):
    def test_nearest_level(self):
        for lod, level in ((0, 0), (128, 0), (129, 1), (256, 1), (384, 1), (385, 2), (9999, 3), (-300, 0)):
            self.assertEqual(model.blend_of_levels(Sampler(), lod, 4), [(level, 1)], lod)

    def test_blend(self):
        sampler = Sampler(mip_filter="linear", bias=64, least=80, most=600)
        for lod, levels in ((0, [(0, Fraction(176, 256)), (1, Fraction(80, 256))]), (192, [(1, 1)]),
                            (9999, [(2, Fraction(168, 256)), (3, Fraction(88, 256))])):
            self.assertEqual(model.blend_of_levels(sampler, lod, 5), levels, lod)
        self.assertEqual(model.blend_of_levels(sampler, 9999, 1), [(0, 1)])

    def test_gradient(self):
        texture = Texture(FORMATS["f32"], "bits", 1, 2, [Level((64, 16), [])])
        op = Instruction("tex", "2d", "f32", mip="grad")
        x = Operands([0, 0], dx=(float_code(0.125), 0), dy=(0, float_code(0.25)))
        self.assertEqual(model.levels_of_gradient(texture, Sampler(normalized=True), op, x), {768})
        self.assertEqual(model.levels_of_gradient(texture, Sampler(), op, x), {-512})


class Gathering(unittest.TestCase):
    def test_order(self):
        texels = [[[float_code(10.0 * y + x)] for x in range(4)] for y in range(4)]
        texture = Texture(FORMATS["f32"], "bits", 1, 2, [Level((4, 4), [[texels]])])
        result, = lookups(texture, Sampler(), Instruction("tld4", "2d", "f32"), Operands([float_code(2.0), float_code(3.0)]))
        self.assertEqual(as_floats(result), [31, 32, 22, 21])


if __name__ == "__main__":
    unittest.main()
