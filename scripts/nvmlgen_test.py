#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of nvmlgen.py: lists that it accepts and rejects, and the files that it writes."""

import unittest
from pathlib import Path

import drivergen
import nvmlgen

GOOD = """
# a comment
[Devices]
nvmlErrorString         always  (nvmlReturn_t result)  -> const char*
nvmlSystemGetVersion    always  (char* version, unsigned int length)
nvmlDeviceGetName       impl    (nvmlDevice_t device, char* name, unsigned int length)
nvmlDeviceGetProcesses  impl    (nvmlDevice_t device, unsigned int* count, int* infos?)
nvmlDeviceGetPair       -       (nvmlDevice_t first, nvmlDevice_t second, int* result)
nvmlNothing             -       (void)
"""


class Parse(unittest.TestCase):
    def test_good(self):
        functions = {f.symbol: f for f in nvmlgen.parse_list(GOOD)}
        self.assertEqual(functions["nvmlErrorString"].result, "const char*")
        self.assertEqual([p.optional for p in functions["nvmlDeviceGetProcesses"].params], [False, False, True])
        self.assertEqual(functions["nvmlNothing"].params, [])

    def test_bad(self):
        for text, reason in [
            ("nvmlFoo impl", "not `symbol state"),
            ("nvmlFoo todo (void)", "not `symbol state"),
            ("cuFoo impl (void)", "not `symbol state"),
            ("nvmlFoo impl (int)", "parameter `int` is not"),
            ("nvmlFoo impl (int a?)", "a is no pointer"),
            ("nvmlFoo - (void)\nnvmlFoo impl (void)", "nvmlFoo is already in line 1"),
        ]:
            with self.subTest(text), self.assertRaises(drivergen.ListError) as caught:
                nvmlgen.parse_list(text)
            self.assertIn(reason, str(caught.exception))


class Write(unittest.TestCase):
    def setUp(self):
        self.texts = nvmlgen.generate(nvmlgen.parse_list(GOOD))

    def body(self, name):
        text = self.texts["exports.cpp"]
        begin = text.index(f" {name}(")
        return text[begin + 1:text.index("}", begin)].replace("  const heddle::Uncancelled whole;\n", "")

    def test_checks_then_body(self):
        for name, body in [
            ("nvmlErrorString", "(nvmlReturn_t result) {\n  return hn::nvmlErrorString(result);\n"),
            ("nvmlSystemGetVersion", "(char* version, unsigned int length) {\n"
             "  if (!version) return NVML_ERROR_INVALID_ARGUMENT;\n"
             "  return hn::nvmlSystemGetVersion(version, length);\n"),
            ("nvmlDeviceGetProcesses", "(nvmlDevice_t device, unsigned int* count, int* infos) {\n"
             "  if (!hn::is_initialized()) return NVML_ERROR_UNINITIALIZED;\n"
             "  if (!hn::is_device(device) || !count) return NVML_ERROR_INVALID_ARGUMENT;\n"
             "  return hn::nvmlDeviceGetProcesses(device, count, infos);\n"),
            ("nvmlDeviceGetPair", "(nvmlDevice_t first, nvmlDevice_t second, int*) {\n"
             "  if (!hn::is_initialized()) return NVML_ERROR_UNINITIALIZED;\n"
             "  if (!hn::is_device(first) || !hn::is_device(second)) return NVML_ERROR_INVALID_ARGUMENT;\n"
             "  return NVML_ERROR_NOT_SUPPORTED;\n"),
            ("nvmlNothing", "() {\n  if (!hn::is_initialized()) return NVML_ERROR_UNINITIALIZED;\n"
             "  return NVML_ERROR_NOT_SUPPORTED;\n"),
        ]:
            with self.subTest(name):
                self.assertEqual(self.body(name), name + body)

    def test_bodies_are_those_that_are_written(self):
        text = self.texts["bodies.h"]
        self.assertIn("nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length);", text)
        self.assertNotIn("nvmlNothing", text)

    def test_all_are_exported(self):
        self.assertIn("    nvmlNothing;\n", self.texts["libnvidia-ml.map"])
        self.assertIn("HEDDLE_NVML_EXPORT nvmlReturn_t nvmlNothing(void);", self.texts["api.h"])


class Repository(unittest.TestCase):
    def test_the_list_is_good(self):
        src = Path(__file__).resolve().parents[1] / "src"
        self.assertGreater(len(nvmlgen.parse_list((src / "nvml/functions.list").read_text())), 390)


if __name__ == "__main__":
    unittest.main()
