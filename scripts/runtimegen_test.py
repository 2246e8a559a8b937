#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of runtimegen.py: lists that it accepts and rejects, and the files that it writes."""

import unittest
from pathlib import Path

import drivergen
import runtimegen

DRIVER = drivergen.parse_list("""
cuStreamQuery            2000  ptsz  impl  (CUstream hStream)
cuDeviceGetAttribute     2000  -     impl  (int* pi, CUdevice_attribute attrib, CUdevice dev)
""")

GOOD = """
# a comment
[Streams]
cudaStreamQuery         12+  ptsz  cuStreamQuery         (cudaStream_t stream)
cudaDeviceGetAttribute  12+  -     cuDeviceGetAttribute  (int* value, enum cudaDeviceAttr attr, int device)
cudaMemAdvise           13+  -     impl                  (const void* devPtr, struct cudaMemLocation location)
cudaMemAdvise           12   -     impl                  (const void* devPtr, int device)
cudaMemAdvise_v2        12   -     impl                  (const void* devPtr, struct cudaMemLocation location)
cudaGetLastError        12+  -     raw                   (void)
cudaGetErrorName        12+  -     raw                   (cudaError_t error)  -> const char*
cudaMemcpy              12+  ptds  impl                  (void* dst, const void* src)
cudaNothing             13+  -     -                     (int* number)
"""


def parse(text):
    return runtimegen.parse_list(text, DRIVER)


class Parse(unittest.TestCase):
    def test_good(self):
        functions = {(f.symbol, tuple(f.libraries)): f for f in parse(GOOD)}
        query = functions["cudaStreamQuery", ("12", "13")]
        self.assertEqual(query.exports, ["cudaStreamQuery", "cudaStreamQuery_ptsz"])
        self.assertEqual(functions["cudaMemAdvise_v2", ("12",)].body, "cudaMemAdvise")
        self.assertEqual(functions["cudaGetErrorName", ("12", "13")].result, "const char*")
        self.assertEqual(query.result, "cudaError_t")

    def test_bad(self):
        for text, reason in [
            ("cudaFoo 12+ - impl", "not `symbol libraries"),
            ("cudaFoo 11 - impl (void)", "not `symbol libraries"),
            ("cudaFoo 12+ ptxz impl (void)", "not `symbol libraries"),
            ("cudaFoo 12+ - todo (void)", "not `symbol libraries"),
            ("cuFoo 12+ - impl (void)", "not `symbol libraries"),
            ("cudaFoo 12+ - impl (int)", "parameter `int` is not"),
            ("cudaFoo 12+ - - (void)\ncudaFoo 13+ - - (void)", "libcudart.so.13 is already in line 1"),
            ("cudaFoo 12+ - cuNone (void)", "the driver has no cuNone"),
            ("cudaFoo 12+ - cuStreamQuery (void)", "takes 1 parameters, not 0"),
            ("cudaFoo 12+ ptds cuStreamQuery (int a)", "has no ptds twin"),
        ]:
            with self.subTest(text), self.assertRaises(drivergen.ListError) as caught:
                parse(text)
            self.assertIn(reason, str(caught.exception))


class Write(unittest.TestCase):
    def setUp(self):
        self.texts = runtimegen.generate(parse(GOOD))

    def test_forwards(self):
        text = self.texts["exports_13.cpp"]
        self.assertIn("return rt::record(rt::forward<::cuStreamQuery>(stream));", text)
        self.assertIn("return rt::record(rt::forward<::cuStreamQuery_ptsz>(stream));", text)
        self.assertIn("forward_without_context<::cuDeviceGetAttribute>(value, attr, device)", text)

    def test_bodies(self):
        text = self.texts["exports_12.cpp"]
        self.assertIn("cudaError_t cudaMemcpy_ptds(void* dst, const void* src) {\n"
                      "  const heddle::Uncancelled whole;\n"
                      "  rt::UsePerThreadDefaultStream scope;\n"
                      "  return rt::record(rt::cudaMemcpy(dst, src));\n}", text)
        self.assertIn("cudaError_t cudaMemAdvise_v2(const void* devPtr, struct cudaMemLocation "
                      "location) {\n  const heddle::Uncancelled whole;\n  return rt::record(rt::cudaMemAdvise(devPtr, location));", text)
        self.assertNotIn("cudaGetLastError", text)
        self.assertIn("kVersion = 12090", text)
        bodies = self.texts["bodies.h"]
        self.assertEqual(bodies.count("cudaMemAdvise("), 2)
        self.assertIn('__attribute__((visibility("default"))) const char* cudaGetErrorName(', bodies)

    def test_what_is_not_written_fails(self):
        text = self.texts["exports_13.cpp"]
        self.assertIn('cudaError_t cudaNothing(int*) {\n  const heddle::Uncancelled whole;\n  static rt::NotSupported once("cudaNothing");\n'
                      "  return rt::record(once.report());\n}", text)
        self.assertNotIn("cudaNothing", self.texts["exports_12.cpp"])

    def test_map_names_the_node(self):
        text = self.texts["libcudart.so.12.map"]
        self.assertIn("\nlibcudart.so.12 {\n  global:\n", text)
        self.assertIn("    cudaMemAdvise_v2;\n", text)
        self.assertNotIn("cudaNothing", text)


class Repository(unittest.TestCase):
    def test_the_list_is_good(self):
        src = Path(__file__).resolve().parents[1] / "src"
        driver = drivergen.parse_list((src / "driver/functions.list").read_text())
        functions = runtimegen.parse_list((src / "runtime/functions.list").read_text(), driver)
        self.assertGreater(len(functions), 350)


if __name__ == "__main__":
    unittest.main()
