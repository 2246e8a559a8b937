#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of model.py, by examples computed by hand, of fast.py, by model.py, and of the formats and layouts."""

import random
import struct
import unittest
from fractions import Fraction
from types import SimpleNamespace

import fast
import inputs
import layouts
import mma_test
from formats import FLOATS, Special, decode, decode_integer, encode, infinity
from instructions import instructions
from kernels import kernel_of
from model import PROFILES, Step, element, step_of

INSTRUCTIONS = instructions()


def exact(name, code):
    """The value of a code from the formula of the format: the fields by arithmetic, without decode()."""
    f = FLOATS[name]
    code >>= f.unused
    mantissa = code % 2**f.mantissa
    exponent = code // 2**f.mantissa % 2**f.exponent
    sign = -1 if code >> f.mantissa + f.exponent & 1 else 1
    if exponent == 0:
        return sign * Fraction(mantissa, 2**f.mantissa) * Fraction(2) ** (1 - f.bias)
    return sign * (1 + Fraction(mantissa, 2**f.mantissa)) * Fraction(2) ** (exponent - f.bias)


def code_of(name, value):
    """The code of a number that the format has."""
    if isinstance(value, str):
        return {"inf": infinity(name, 0), "-inf": infinity(name, 1), "nan": infinity(name, 0) | 1 << FLOATS[name].unused,
                "-0": 1 << FLOATS[name].bits - 1}[value]
    if name in ("f16", "f32", "f64"):
        return encode(name, Fraction(value), "rn")
    if name in ("bf16", "tf32"):
        code = encode("f32", Fraction(value), "rn")
        return code >> 16 if name == "bf16" else code
    numbers = (code for code in range(1 << FLOATS[name].bits) if not isinstance(decode(name, code), Special))
    return next(code for code in numbers if exact(name, code) == value)


def op_of(text):
    """The first instruction whose name contains the words of `text`, each one modifier or several: `f32.f16.f16.f32`."""
    return next(op for op in INSTRUCTIONS if all(f".{word}." in f".{op.name}." for word in text.split()))


def dot(device, text, a, b, c, scales=None):
    """An element of D as a float; a and b are continued with zeros."""
    op = op_of(text)
    step = None if op.d in ("s32", "f64") else step_of(op, PROFILES[device])
    line = lambda name, values: [code_of(name, v) for v in values] + [0] * (op.k - len(values))
    code = element(op, step, line(op.a, a), line(op.b, b), code_of(op.c, c), scales)
    return struct.unpack("<e" if op.d == "f16" else "<f", struct.pack("<H" if op.d == "f16" else "<I", code))[0]


class Formats(unittest.TestCase):
    def test_published_values(self):
        for name, codes, values in (
                ("e2m1", range(8), (0, 0.5, 1, 1.5, 2, 3, 4, 6)),
                ("e2m3", (1, 7, 8, 15, 16, 31), (0.125, 0.875, 1, 1.875, 2, 7.5)),
                ("e3m2", (1, 3, 4, 12, 31), (0.0625, 0.1875, 0.25, 1, 28)),
                ("e4m3", (0x01, 0x08, 0x38, 0x7E, 0xFE), (2**-9, 2**-6, 1, 448, -448)),
                ("e5m2", (0x01, 0x04, 0x3C, 0x7B), (2**-16, 2**-14, 1, 57344))):
            for code, value in zip(codes, values):
                self.assertEqual(decode(name, code).value(FLOATS[name].mantissa), Fraction(value), (name, code))

    def test_small_formats_exhaustively(self):
        for name in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
            f = FLOATS[name]
            for code in range(1 << f.bits):
                x, magnitude = decode(name, code), code & (1 << f.bits - 1) - 1
                if name == "e5m2" and magnitude >= 0x7C:
                    self.assertEqual(x, Special(code >> 7, magnitude > 0x7C))
                elif name == "e4m3" and magnitude == 0x7F:
                    self.assertEqual(x, Special(code >> 7, True))
                else:
                    self.assertEqual(x.value(f.mantissa), exact(name, code), (name, code))

    def test_every_f16(self):
        for code in range(1 << 16):
            want, x = struct.unpack("<e", struct.pack("<H", code))[0], decode("f16", code)
            if isinstance(x, Special):
                self.assertEqual(x.nan, want != want)
            else:
                self.assertEqual(float(x.value(10)), want)
                self.assertEqual(encode("f16", Fraction(want), "rn", code >> 15), code)

    def test_wide_formats(self):
        random_bits = random.Random(1).getrandbits
        for _ in range(2000):
            code = random_bits(32)
            want, x = struct.unpack("<f", struct.pack("<I", code))[0], decode("f32", code)
            if not isinstance(x, Special):
                self.assertEqual(x.value(23), Fraction(want))
                cut = lambda bits: Fraction(struct.unpack("<f", struct.pack("<I", code >> bits << bits))[0])
                self.assertEqual(decode("bf16", code >> 16).value(7), cut(16))
                self.assertEqual(decode("tf32", code).value(10), cut(13))
            y = struct.unpack("<d", struct.pack("<Q", random_bits(64)))[0]
            if y - y == 0:
                self.assertEqual(encode("f64", Fraction(y), "rz"), struct.unpack("<Q", struct.pack("<d", y))[0])

    def test_rounding(self):
        tie, above = Fraction(2049), Fraction(2049) + Fraction(1, 9)
        for value, mode, want in ((tie, "rn", 2048), (tie + 2, "rn", 2052), (above, "rn", 2050), (above, "rz", 2048),
                                  (above, "rp", 2050), (-above, "rm", -2050), (-above, "rp", -2048),
                                  (Fraction(65519), "rn", 65504)):
            self.assertEqual(encode("f16", value, mode), code_of("f16", want), (value, mode))
        self.assertEqual(encode("f16", Fraction(65520), "rn"), 0x7C00)
        self.assertEqual(encode("f16", Fraction(-65520), "rz"), 0xFBFF)
        self.assertEqual(encode("f16", Fraction(1, 1 << 25), "rn"), 0)
        self.assertEqual(encode("f16", Fraction(3, 1 << 26), "rn"), 1)


class Steps(unittest.TestCase):
    """Each case is one of the rules of model.py."""

    def test_rule_1_subnormals_keep_the_least_exponent(self):
        # The f16 2^-24 has the exponent -14: the unit is 2^-39, and c is less.
        self.assertEqual(dot("sm_120", "m16n8k16 f32.f16.f16.f32", [2**-24], [1], 2**-40), 2**-24)
        self.assertEqual(dot("sm_120", "m16n8k16 f32.f16.f16.f32", [2**-14], [2**-10], 2**-40), 2**-24 + 2**-40)

    def test_rule_2_products_are_not_normalised(self):
        # 1.5 * 1.5 = 2.25 has the exponent 0, so 2^-25 counts; 2 * 1 has the exponent 1.
        self.assertEqual(dot("sm_120", "m16n8k16 f32.f16.f16.f32", [1.5, -1.5, 2**-13], [1.5, 1.5, 2**-12], 0), 2**-25)
        self.assertEqual(dot("sm_120", "m16n8k16 f32.f16.f16.f32", [2, -2, 2**-13], [1, 1, 2**-12], 0), 0)

    def test_rule_2_products_have_no_limit(self):
        big = 2.0**127
        self.assertEqual(dot("sm_120", "m16n8k16 bf16", [big, -big, 1], [4, 4, 1], 0), 0)
        self.assertEqual(dot("sm_120", "m16n8k16 bf16", [big, -big], [4, 4], 1.0), 0)
        self.assertEqual(dot("sm_120", "m16n8k16 bf16", [big, -big], [4, 2], 0), float("inf"))

    def test_rule_3_zeros_do_not_count(self):
        self.assertEqual(dot("sm_120", "m16n8k16 f32.f16.f16.f32", [0, 2**-14], [32768, 2**-14], 0), 2**-28)

    def test_rule_4_truncation_depends_on_the_device(self):
        for device, name, want in (("sm_70", "m8n8k4 f32.f16.f16.f32", 2**24), ("sm_80", "m16n8k8 f32.f16.f16.f32", 2**24 + 2),
                                   ("sm_90", "m16n8k8 f32.f16.f16.f32", 2**24 + 2)):
            self.assertEqual(dot(device, name, [1, 1], [1, 1], 2.0**24), want, device)
        for device, want in (("sm_80", 2**24), ("sm_90", 2**24 + 2), ("sm_120", 2**24 + 2)):
            self.assertEqual(dot(device, "m16n8k8 f32.f16.f16.f32", [0.5] * 4, [1] * 4, 2.0**24), want, device)

    def test_rule_4_truncates_toward_zero(self):
        # The unit is 2^-1: quarters vanish, whatever their sign and number.
        for sign in (1, -1):
            self.assertEqual(dot("sm_120", "m16n8k8 f32.f16.f16.f32", [sign * 0.25] * 8, [1] * 8, 2.0**24), 2**24)
        self.assertEqual(dot("sm_120", "m16n8k8 f32.f16.f16.f32", [-0.75], [1], 2.0**24), 2**24 - 1)

    def test_rule_5_rounds_f32_toward_zero(self):
        for sign in (1, -1):
            self.assertEqual(dot("sm_120", "m16n8k8 f32.f16.f16.f32", [sign] * 3, [1] * 3, sign * 2.0**24), sign * (2**24 + 2))

    def test_rule_5_rounds_f16_to_nearest_even(self):
        for ones, want in ((1, 2048), (2, 2050), (3, 2052)):
            self.assertEqual(dot("sm_120", "m16n8k8 f16.f16.f16.f16", [1] * ones, [1] * ones, 2048.0), want)

    def test_rule_5_overflows_to_infinity(self):
        largest = (2 - 2**-23) * 2.0**127
        self.assertEqual(dot("sm_120", "m16n8k16 bf16", [2.0**104], [1], largest), float("inf"))
        self.assertEqual(dot("sm_120", "m16n8k16 bf16", [2.0**103], [1], largest), largest)
        self.assertEqual(dot("sm_120", "m16n8k16 f16.f16.f16.f16", [16], [1], 65504.0), float("inf"))
        self.assertEqual(dot("sm_120", "m16n8k16 f16.f16.f16.f16", [15], [1], 65504.0), 65504)

    def test_rule_5_zero_sums_are_positive(self):
        for a, b, c in (([1, -1], [1, 1], 0), (["-0"] * 16, [1] * 16, "-0"), ([-1], [1], 1)):
            value = dot("sm_120", "m16n8k16 f32.f16.f16.f32", a, b, c)
            self.assertEqual(struct.pack("<f", value), bytes(4))

    def test_specials(self):
        for a, b, c, want in ((["inf"], [1], 0, "inf"), (["inf"], [0], 0, "nan"), (["inf", "-inf"], [1, 1], 0, "nan"),
                              (["inf"], [1], "-inf", "nan"), (["inf"], [-1], "-inf", "-inf"), ([1], [1], "nan", "nan"),
                              (["nan"], [0], 0, "nan"), ([1], [1], "inf", "inf")):
            self.assertEqual(str(dot("sm_120", "m16n8k16 f32.f16.f16.f32", a, b, c)), want, (a, b, c))
        op = op_of("m16n8k16 f32.f16.f16.f32")
        step = step_of(op, PROFILES["sm_120"])
        self.assertEqual(element(op, step, [0xFE00] + [0] * 15, [0] * 16, 0), 0x7FFFFFFF)
        self.assertEqual(element(op_of("m16n8k16 f16.f16.f16.f16"), step, [0x7C00] + [0] * 15, [0] * 16, 0), 0x7FFF)

    def test_floor_of_e(self):
        # 23 * 89 * 2^-160 + 2^-160 is 2^-149, the least f32. E is -150; the floor makes the unit 2^-158, or 2^-156.
        a, b = [23 * 2.0**-80, 2.0**-80], [89 * 2.0**-80, 2.0**-80]
        for device in ("sm_80", "sm_90", "sm_120"):
            self.assertEqual(dot(device, "m16n8k8 bf16", a, b, 0), 0, device)
        op, line = op_of("m16n8k8 bf16"), lambda values: [code_of("bf16", v) for v in values] + [0] * 6
        self.assertEqual(element(op, Step(16, 25), line(a), line(b), 0), 1)
        # 2^-25 + 2^-47 is above the middle of 0 and the least f16. E is -25; with the unit 2^-46 only the middle is left.
        a, b = [2.0**-12, 2.0**-24], [2.0**-13, 2.0**-23]
        self.assertEqual(dot("sm_120", "m16n8k8 f16.f16.f16.f16", a, b, 0), 0)
        op, line = op_of("m16n8k8 f16.f16.f16.f16"), lambda values: [code_of("f16", v) for v in values] + [0] * 6
        self.assertEqual(element(op, Step(16, 25), line(a), line(b), 0), 1)


class Chains(unittest.TestCase):
    def test_steps_ascend(self):
        # sm_80 has steps of 8: 2^24 + eight halves of the first step are rounded before the second step cancels 2^24.
        a = [0.5] * 8 + [-4096] + [0] * 7
        b = [1] * 8 + [4096] + [0] * 7
        self.assertEqual(dot("sm_80", "m16n8k16 f32.f16.f16.f32", a, b, 2.0**24 + 2), 2)
        self.assertEqual(dot("sm_90", "m16n8k16 f32.f16.f16.f32", a, b, 2.0**24 + 2), 6)

    def test_f16_is_rounded_between_steps(self):
        a, b = [1] + [0] * 7 + [1] + [0] * 7, [1] * 16
        self.assertEqual(dot("sm_80", "m16n8k16 f16.f16.f16.f16", a, b, 2048.0), 2048)
        self.assertEqual(dot("sm_90", "m16n8k16 f16.f16.f16.f16", a, b, 2048.0), 2050)

    def test_fp8_of_sm_89_has_14_bits(self):
        name = "m16n8k32.row.col.f32.e4m3.e4m3"
        self.assertEqual(dot("sm_89", name, [1, 2**-6], [1, 2**-7], 0), 1 + 2**-13)
        self.assertEqual(dot("sm_89", name, [1, 2**-7], [1, 2**-7], 0), 1)  # the unit is 2^-13
        self.assertEqual(dot("sm_89", name, [1.5, 1.5, 2**-6], [1, 1, 2**-7], 0), 3)  # the result has no bit 2^-13

    def test_fp8_of_sm_90_adds_c_last(self):
        name = "m16n8k32.row.col.f32.e4m3.e4m3"
        for ones, want in ((1, 2**24), (2, 2**24 + 2), (3, 2**24 + 4)):
            self.assertEqual(dot("sm_90", name, [1] * ones, [1] * ones, 2.0**24), want)
        # k = 0, 1, 4, 5, ... come first. 2^16 + 2^-7 are 24 bits, 2^16 + 2^-8 are not.
        self.assertEqual(dot("sm_90", name, [256, 2**-7, -256], [256, 1, 256], 0), 2**-7)
        self.assertEqual(dot("sm_90", name, [256, 2**-8, -256], [256, 1, 256], 0), 0)
        self.assertEqual(dot("sm_90", name, [256, -256, 2**-9], [256, 256, 2**-9], 0), 2**-18)
        self.assertEqual(dot("sm_120", name, [256, -256, 2**-9], [256, 256, 2**-9], 0), 0)
        # A sum that rounds to -0, and c = -0. The sum of no products is +0.
        half = "m16n8k32.row.col.f16.e5m2.e5m2.f16"
        self.assertEqual(str(dot("sm_90", half, [0, 0, 2**-14], [0, 0, -(2**-12)], "-0")), "-0.0")
        self.assertEqual(str(dot("sm_90", half, [0], [0], "-0")), "0.0")


class Scales(unittest.TestCase):
    def test_ue8m0(self):
        name = "m16n8k32 kind::mxf8f6f4 e4m3.e4m3"
        self.assertEqual(dot("sm_120", name, [1, 1], [3, 1], 1, [(127 + 4, 127 - 2)]), 17)
        # The exponents of the scales count for E: 2^30 and c = 16, whose bit 2^4 is below the unit 2^5.
        self.assertEqual(dot("sm_120", name, [1, -1, 0], [1, 1, 0], 16, [(127 + 30, 127)]), 0)
        self.assertEqual(dot("sm_120", name, [1, -1, 0], [1, 1, 0], 32, [(127 + 30, 127)]), 32)
        self.assertEqual(str(dot("sm_120", name, [0], [0], 0, [(255, 127)])), "nan")

    def test_groups_of_mxf4(self):
        name = "m16n8k64 kind::mxf4nvf4 scale_vec::4X ue8m0"
        one = (127, 127)
        self.assertEqual(dot("sm_120", name, [6] * 16, [6] * 16, 0, [one] * 4), 576)
        # Within a group sums are exact, between groups there are 35 bits.
        far = [(127 + 35, 127), one, one, one]
        self.assertEqual(dot("sm_120", name, [1, -1] + [0] * 14 + [1], [1, 1] + [0] * 14 + [1], 0, far), 1)
        self.assertEqual(dot("sm_120", name, [1] + [0] * 15 + [1] + [0] * 15 + [-1], [1] + [0] * 15 + [1] + [0] * 15 + [1], 0,
                             [(127 + 35, 127), one, (127 + 35, 127), one]), 1)
        self.assertEqual(dot("sm_120", name, [1] + [0] * 15 + [1] + [0] * 15 + [-1], [1] + [0] * 15 + [1] + [0] * 15 + [1], 0,
                             [(127 + 36, 127), one, (127 + 36, 127), one]), 0)

    def test_ue4m3_has_no_sign(self):
        name = "m16n8k64 kind::mxf4nvf4 scale_vec::4X ue4m3"
        self.assertEqual(dot("sm_120", name, [1], [1], 0, [(0x38, 0x3C)] * 4), 1.5)
        self.assertEqual(dot("sm_120", name, [1], [1], 0, [(0xB8, 0x3C)] * 4), 1.5)
        self.assertEqual(str(dot("sm_120", name, [1], [1], 0, [(0xFF, 0x38)] * 4)), "nan")


class Others(unittest.TestCase):
    def integer(self, text, a, b, c):
        op = op_of(text)
        return element(op, None, a + [0] * (op.k - len(a)), b + [0] * (op.k - len(b)), c)

    def test_integers(self):
        self.assertEqual(self.integer("m16n8k16 s8.s8", [0x80], [0x80], 1), 16385)
        self.assertEqual(self.integer("m16n8k16 s8.u8", [0xFF], [0xFF], 0), -255 & 0xFFFFFFFF)
        self.assertEqual(self.integer("m16n8k32 s4.u4", [0x8], [0xF], 0), -120 & 0xFFFFFFFF)
        self.assertEqual(self.integer("m16n8k16 u8.u8", [1], [1], 0x7FFFFFFF), 0x80000000)
        self.assertEqual(self.integer("m16n8k16 satfinite.s32.u8.u8", [1], [1], 0x7FFFFFFF), 0x7FFFFFFF)
        self.assertEqual(self.integer("m16n8k16 satfinite.s32.s8.s8", [0xFF], [1], 0x80000000), 0x80000000)
        # One clamp at the end: the sum passes the limit and returns.
        self.assertEqual(self.integer("m16n8k16 satfinite.s32.s8.s8", [1, 0xFF], [1, 1], 0x7FFFFFFF), 0x7FFFFFFF)

    def test_bits(self):
        self.assertEqual(self.integer("m8n8k128 b1 xor", [1, 1, 0], [1, 0, 1], 5), 7)
        self.assertEqual(self.integer("m8n8k128 b1 and", [1, 1, 0], [1, 0, 1], 5), 6)
        self.assertEqual(self.integer("m8n8k128 b1 and", [1], [1], 0xFFFFFFFF), 0)

    def double(self, mode, a, b, c):
        op = SimpleNamespace(a="f64", b="f64", c="f64", d="f64", k=len(a), rnd=mode)
        line = [code_of("f64", v) for v in a], [code_of("f64", v) for v in b]
        code = element(op, None, *line, code_of("f64", c))
        return struct.unpack("<d", struct.pack("<Q", code))[0]

    def test_f64_is_a_chain_of_fma(self):
        e = 2.0**-53
        self.assertEqual(self.double("rn", [e, e], [1, 1], 1), 1)
        self.assertEqual(self.double("rp", [e, e], [1, 1], 1), 1 + 4 * e)
        self.assertEqual(self.double("rz", [e, e], [1, 1], 1), 1)
        self.assertEqual(self.double("rm", [-e, -e], [1, 1], 1), 1 - 2 * e)
        self.assertEqual(str(self.double("rm", [1], [1], -1)), "-0.0")
        self.assertEqual(str(self.double("rn", [1], [1], -1)), "0.0")
        self.assertEqual(str(self.double("rn", [-1], [0], "-0")), "-0.0")
        self.assertEqual(str(self.double("rn", ["inf"], [0], 1)), "nan")


class Fast(unittest.TestCase):
    def test_equals_the_model(self):
        for turn, (device, row) in enumerate(PROFILES.items()):
            for number, op in list(enumerate(op for op in INSTRUCTIONS if op.n < 24))[turn::13]:
                generator = random.Random(f"{device} {op}")
                try:
                    step = None if op.d in ("s32", "f64") else step_of(op, row)
                except KeyError:
                    continue  # the device lacks the types
                pools = inputs.Pools(generator)
                profile = inputs.profiles(op)[number % len(inputs.profiles(op))]
                case = inputs.tile(op, profile, number, pools).cases[0]
                rows = fast.multiply(op, step, case.a, case.b, case.c, case.scales)
                for _ in range(4):
                    m, n = generator.randrange(op.m), generator.randrange(op.n)
                    scales = list(zip(case.scales[0][m], case.scales[1][n])) if case.scales else None
                    want = element(op, step, case.a[m], case.b[n], case.c[m][n], scales)
                    self.assertEqual(rows[m][n], want, (device, str(op), profile))


class Comparison(unittest.TestCase):
    def test_one_wrong_bit_is_noticed(self):
        for name in ("m16n8k16 f32.f16.f16.f32", "m8n8k4 col f16.f16.f16.f16", "sp m16n8k64 s8.s8", "m16n8k16 f64"):
            op, profile = op_of(name), PROFILES["sm_120"]
            tile = inputs.tile(op, "near one" if op.a in FLOATS else "any bits", 0, inputs.Pools(random.Random(1)))
            step = None if op.d in ("s32", "f64") else step_of(op, profile)
            got = [fast.multiply(op, step, case.a, case.b, case.c) for case in tile.cases]
            self.assertEqual(list(mma_test.differences(op, profile, tile, got)), [])
            got[-1][3][2] ^= 1
            message, = mma_test.differences(op, profile, tile, got)
            self.assertIn(f"row 3 column 2: {got[-1][3][2]:#x}, should be {got[-1][3][2] ^ 1:#x}", message)


class Layouts(unittest.TestCase):
    def test_registers_hold_each_element_once(self):
        for op in INSTRUCTIONS:
            shapes = {"a": (op.m, op.stored_k), "b": (op.k, op.n), "c": (op.m, op.n), "d": (op.m, op.n)}
            for matrix, operand in kernel_of(op).operands.items():
                (rows, columns), places = shapes[matrix], operand.layout
                everything = {(q, row, column) for q in range(op.products) for row in range(rows) for column in range(columns)}
                places = [place for place in places if place]
                self.assertEqual(len(places), len(everything), (str(op), matrix))
                self.assertEqual(set(places), everything, (str(op), matrix))

    def test_registers_of_wgmma(self):
        for bits in (16, 32, 8, 1):
            places = layouts.layout_wgmma_a(bits)
            self.assertEqual(set(places), {(0, row, k) for row in range(16) for k in range(256 // bits)})
        for n in range(8, 257, 8):
            self.assertEqual(sorted(layouts.layout_wgmma_d(n)), [(0, row, column) for row in range(16) for column in range(n)])

    def test_metadata_has_a_place_for_each_chunk(self):
        for op in INSTRUCTIONS:
            if op.sparse:
                size = layouts.chunk_size(op)
                places = {layouts.metadata_place(op, row, chunk) for row in range(op.m) for chunk in range(op.k // size)}
                self.assertEqual(len(places), op.m * op.k // size, str(op))
                self.assertLessEqual({low for _, low in places}, set(range(0, 32, 4)))
                self.assertEqual(len(places) % 8, 0)
                self.assertTrue(all(0 <= lane < op.lanes for lane, _ in places))

    def test_metadata_examples(self):
        op = op_of("sp m16n8k16 f16")
        self.assertEqual(layouts.metadata_place(op._replace(selector=2), 9, 3), (1 * 4 + 2, 16 + 12))
        self.assertEqual(layouts.stored_places(op, 3, 0b1101), [13, 15])
        op = op_of("sp m16n8k8 tf32")
        self.assertEqual(layouts.stored_places(op, 2, 0b1110), [5])
        op = op_of("sp m16n8k64 s4.s4")
        self.assertEqual(layouts.stored_places(op, 1, 0b1000), [8, 9, 12, 13])
        op = op_of("sp m16n8k64 s8.s8")
        self.assertEqual(layouts.metadata_place(op, 8, 9), (1 + 2, 4))

    def test_scales(self):
        op = op_of("m16n8k64 kind::mxf4")
        self.assertEqual(layouts.scale_places(op, "a", 9, 2, 1), [(1 * 4 + 2 + 1, 2), (1 * 4 + 2 + 1, 3)])
        self.assertEqual(layouts.scale_places(op, "b", 5, 0, 3), [(23, 0), (23, 1)])

    def test_registers_are_read_as_they_are_written(self):
        for op in INSTRUCTIONS[::7]:
            kernel = kernel_of(op)
            cases = inputs.tile(op, "any bits", 0, inputs.Pools(random.Random(1))).cases
            rows = [case.c for case in cases]
            self.assertEqual(kernel.operands["c"].unpacked(kernel.operands["c"].packed(rows), op), rows)


if __name__ == "__main__":
    unittest.main()
