#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of mathlibsgen.py: lists that it accepts and rejects, and the files that it writes."""

import unittest
from pathlib import Path

import mathlibsgen
from drivergen import ListError

GOOD = """
# a comment
[level1: BLAS level 1]
cublas<t>axpy_v2   S C    64  axpy  (cublasHandle_t handle, int n, const T* alpha, const T* x, int incx)
cublas<t>nrm2_v2   Sc Dz  -   nrm2  (cublasHandle_t handle, const T* x, R* result)
cublasI<t>amax_v2  z      64  amax  (cublasHandle_t handle, const T* x, int* result)
[lt: cublasLt]
cublasLtGetVersion  -  -  get_version  (void)  -> size_t
[legacy: without handles]
cublasInit          -  -  -            (void)
cublas<t>asum       S  -  -            (int n, const T* x)  -> T
"""


class Parse(unittest.TestCase):
    def test_good(self):
        functions = {f.symbol: f for f in mathlibsgen.parse_list(GOOD)}
        self.assertEqual(list(functions), [
            "cublasSaxpy_v2", "cublasSaxpy_v2_64", "cublasCaxpy_v2", "cublasCaxpy_v2_64", "cublasScnrm2_v2",
            "cublasDznrm2_v2", "cublasIzamax_v2", "cublasIzamax_v2_64", "cublasLtGetVersion", "cublasInit", "cublasSasum"])
        self.assertEqual(functions["cublasCaxpy_v2_64"].prototype(),
                         "cublasStatus_t cublasCaxpy_v2_64(cublasHandle_t handle, int64_t n, const cuComplex* alpha, "
                         "const cuComplex* x, int64_t incx)")
        self.assertEqual(functions["cublasDznrm2_v2"].prototype(),
                         "cublasStatus_t cublasDznrm2_v2(cublasHandle_t handle, const cuDoubleComplex* x, double* result)")
        self.assertEqual(functions["cublasIzamax_v2_64"].params[-1].type, "int64_t*")
        self.assertEqual(functions["cublasLtGetVersion"].library, "cublasLt")
        self.assertEqual(functions["cublasSasum"].result, "float")

    def test_bad(self):
        head = "[a: b]\n"
        for text, reason in [
            ("cublasInit - - - (void)", "in a section"),
            (head + "cublasInit - - Body (void)", "not `symbol types"),
            (head + "cublasInit - 32 - (void)", "not `symbol types"),
            (head + "cublasInit S - - (void)", "its types `S` do not fit"),
            (head + "cublas<t>nit - - - (void)", "its types `-` do not fit"),
            (head + "cublas<t>nit ZZ - - (void)", "there is no type ZZ"),
            (head + "cublasInit - - - (int)", "parameter `int` is not"),
            (head + "cublasInit - - - (void)\ncublas<t>nit S - - (void)\ncublasInit - - - (void)", "already in line 2"),
        ]:
            with self.subTest(text), self.assertRaises(ListError) as caught:
                mathlibsgen.parse_list(text)
            self.assertIn(reason, str(caught.exception))


class Texts(unittest.TestCase):
    def setUp(self):
        self.texts = mathlibsgen.generate(mathlibsgen.parse_list(GOOD))

    def test_exports_call_their_bodies(self):
        text = self.texts["exports_level1.cpp"]
        self.assertIn('#include "mathlibs/api/level1.h"', text)
        self.assertIn('const Entry entry("cublasSaxpy_v2_64");', text)
        self.assertIn("return heddle::mathlibs::axpy(handle, n, native(alpha), native(x), incx);", text)

    def test_missing_functions_say_so(self):
        text = self.texts["exports_legacy.cpp"]
        self.assertNotIn("mathlibs/api/legacy.h", text)
        self.assertIn('static NotSupported once("cublasInit");', text)
        self.assertIn("float cublasSasum(int, const float*) {", text)
        self.assertIn("return {};", text)

    def test_each_library_has_its_symbols(self):
        self.assertIn("libcublas.so.12 {\n  global:\n    cublasSaxpy_v2;", self.texts["libcublas.so.12.map"])
        self.assertNotIn("cublasLt", self.texts["libcublas.so.12.map"].split("{", 1)[1])
        self.assertIn("libcublasLt.so.13 {\n  global:\n    cublasLtGetVersion;\n  local:", self.texts["libcublasLt.so.13.map"])
        self.assertIn("kVersion = {12, 9, 1, 12090}", self.texts["version_12.cpp"])

    def test_the_real_list(self):
        source = Path(__file__).resolve().parents[1] / "src/mathlibs/functions.list"
        functions = mathlibsgen.parse_list(source.read_text())
        self.assertGreater(len(functions), 700)


if __name__ == "__main__":
    unittest.main()
