#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of profilegen.py: profiles that it accepts and rejects, and the table that it makes."""

import re
import unittest
from pathlib import Path

import profilegen

ROOT = Path(__file__).resolve().parents[1]
TARGETS = profilegen.targets_of((ROOT / "src/isa/targets.isa").read_text())
GOOD = (ROOT / "src/machine/profiles/h200.profile").read_text()
FILE = Path("profiles/new.profile")


def parse(text, file=FILE):
    return profilegen.parse_profile(file, text, TARGETS)


class Profiles(unittest.TestCase):
    def test_good(self):
        values = parse(GOOD)
        self.assertEqual(list(values), list(profilegen.KEYS))
        for key, value in [("device_name", '"NVIDIA H200"'), ("target", "{90, 'a'}"), ("any_target", "false"),
                           ("max_block", "{1024, 1024, 64}"), ("shared_per_block", str(48 << 10)), ("memory_bytes", str(141 << 30))]:
            self.assertEqual(values[key], value)
        self.assertEqual(parse(GOOD.replace("141 GiB", "host"))["memory_bytes"], "0")

    def test_bad(self):
        line = {match[1]: number for number, match in
                enumerate((re.match(r"(\w*)", text) for text in GOOD.splitlines()), 1)}
        last = len(GOOD.splitlines())
        for old, new, where, why in [
                ("l2_bytes = 60 MiB\n", "", last - 1, "the profile ends without l2_bytes"),
                ("l2_bytes", "l2_size", line["l2_bytes"], "there is no key 'l2_size'"),
                ("l2_bytes = ", "multiprocessors = 1\nl2_bytes = ", line["l2_bytes"], "'multiprocessors' is there twice"),
                ("l2_bytes = ", "l2_bytes ", line["l2_bytes"], "not of the form `key = value`"),
                ("60 MiB", "60 MB", line["l2_bytes"], "l2_bytes: '60 MB' is not a whole number, perhaps with KiB, MiB, GiB"),
                ("60 MiB", "4 GiB", line["l2_bytes"], "l2_bytes: 4294967296 does not fit into 32 bits"),
                ("= 132", "= 0", line["multiprocessors"], "multiprocessors: a GPU has more than none"),
                ("= 132", "= many", line["multiprocessors"], "multiprocessors: 'many' is not a whole number"),
                ("1024 x 1024 x 64", "1024 x 1024", line["max_block"], "max_block: '1024 x 1024' is not three numbers"),
                ("sm_90a", "sm_91", line["target"], "target: there is no target 'sm_91'"),
                ("any_target = no", "any_target = never", line["any_target"], "any_target: 'never' is neither"),
                ("NVIDIA H200", 'a "b"', line["device_name"], "is not a plain name")]:
            with self.subTest(new=new, why=why), self.assertRaises(profilegen.Wrong) as raised:
                self.assertIn(old, GOOD)
                parse(GOOD.replace(old, new))
            self.assertTrue(str(raised.exception).startswith(f"profiles/new.profile:{where}: "), raised.exception)
            self.assertIn(why, str(raised.exception))
        with self.assertRaisesRegex(profilegen.Wrong, "small letters"):
            parse(GOOD, Path("profiles/H200.profile"))

    def test_table(self):
        def named(name, old="", new=""):
            return Path(f"{name}.profile"), parse(GOOD.replace(old, new) if old else GOOD)

        default = named("mine", "any_target = no", "any_target = yes")
        small = named("small", "141 GiB", "1 GiB")
        made = profilegen.table([small, named("large"), default])
        self.assertEqual(re.findall(r'\.name = "(\w+)"', made), ["mine", "large", "small"])
        for profiles in [[small], [default, default]]:
            with self.assertRaisesRegex(profilegen.Wrong, "exactly one profile"):
                profilegen.table(profiles)

    def test_keys_are_the_members(self):
        def members(header, struct):
            text = re.search(rf"struct {struct} \{{(.*?)^\}};", (ROOT / header).read_text(), re.MULTILINE | re.DOTALL)[1]
            return [name for names in re.findall(r"^  [\w:]+ ([\w, ]+)(?:\[3\])?;", text, re.MULTILINE) for name in names.split(", ")]

        self.assertEqual(members("src/machine/profile.h", "Profile"),
                         ["name", *(key for key in profilegen.KEYS if key not in profilegen.TENSOR_CORE), "tensor_core"])
        self.assertEqual(members("src/isa/tensor_core.h", "TensorCore"), list(profilegen.TENSOR_CORE))

    def test_sums(self):
        self.assertEqual(parse(GOOD)["wgmma_narrow"], "{32, 13, -133, -21, true}")
        for old, new, why in [
                ("mma_f16 = 16 x 25, floors -133 -21", "mma_f16 = 16 x 25", "is not of the form `16 x 25, floors -133 -21`"),
                ("mma_f16 = 16 x 25", "mma_f16 = 12 x 25", "the products are a power of two"),
                ("= as_half", "= twice", "'twice' is neither native nor as_half")]:
            with self.subTest(new=new), self.assertRaisesRegex(profilegen.Wrong, why):
                self.assertIn(old, GOOD)
                parse(GOOD.replace(old, new))


if __name__ == "__main__":
    unittest.main()
