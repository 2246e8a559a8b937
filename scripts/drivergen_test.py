#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of drivergen.py: lists that it accepts and rejects, and the files that it writes."""

import collections
import re
import unittest
from pathlib import Path

import drivergen

GOOD = """
# a comment
[6.13 Memory]
cuMemAlloc        2000  -     -     (CUdeviceptr_v1* dptr, unsigned int bytesize)
cuMemAlloc_v2     3020  -     impl  (CUdeviceptr* dptr, size_t bytesize)
cuStreamQuery     2000  ptsz  impl  (CUstream hStream)
cuProfilerStart   4000  -     -     (void)
"""


class Parse(unittest.TestCase):
    def test_good(self):
        old, new, query, start = drivergen.parse_list(GOOD)
        self.assertEqual((old.base, old.version, old.written), ("cuMemAlloc", 2000, False))
        self.assertEqual((new.base, new.symbol, new.written), ("cuMemAlloc", "cuMemAlloc_v2", True))
        self.assertEqual(new.params[0], drivergen.Param("CUdeviceptr*", "dptr"))
        self.assertEqual(new.params[1], drivergen.Param("size_t", "bytesize"))
        self.assertEqual(query.exports, ["cuStreamQuery", "cuStreamQuery_ptsz"])
        self.assertEqual(start.params, [])

    def test_bad(self):
        for text, reason in [
            ("cuFoo 2000 - impl", "not `symbol version"),
            ("cuFoo x - impl (void)", "not `symbol version"),
            ("cuFoo 2000 ptxz impl (void)", "not `symbol version"),
            ("cuFoo 2000 - todo (void)", "not `symbol version"),
            ("foo 2000 - impl (void)", "not `symbol version"),
            ("cuFoo 2000 - impl (int)", "parameter `int` is not"),
            ("cuFoo 2000 - - (void)\ncuFoo 3000 - - (void)", "cuFoo is already in line 1"),
            ("cuFoo 2000 ptsz - (void)\ncuFoo_ptsz 2000 - - (void)", "already in line 1"),
            ("cuFoo 2000 - - (void)\ncuFoo_v2 2000 - - (void)", "both claim version 2000"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(drivergen.ListError, reason):
                drivergen.parse_list(text)


class Generate(unittest.TestCase):
    def setUp(self):
        self.files = drivergen.generate(drivergen.parse_list(GOOD))

    def test_prototypes_of_twins_too(self):
        self.assertIn("CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize);",
                      self.files["api.h"])
        self.assertIn("CUresult cuStreamQuery_ptsz(CUstream hStream);", self.files["api.h"])

    def test_only_unwritten_functions_get_a_body(self):
        self.assertIn("CUresult cuMemAlloc(CUdeviceptr_v1*, unsigned int) {",
                      self.files["not_written.cpp"])
        self.assertIn("CUresult cuProfilerStart(void) {", self.files["not_written.cpp"])
        self.assertNotIn("cuMemAlloc_v2", self.files["not_written.cpp"])
        self.assertNotIn("cuStreamQuery", self.files["not_written.cpp"])

    def test_exports_forward_and_trace(self):
        text = self.files["exports.cpp"]
        self.assertIn('extern "C" CUresult heddle_cuStreamQuery(CUstream hStream);', text)
        self.assertIn("CUresult cuStreamQuery_ptsz(CUstream hStream) {\n"
                      "  const heddle::Uncancelled whole;\n"
                      "  UsePerThreadDefaultStream scope;\n"
                      "  const CUresult outcome = heddle_cuStreamQuery(hStream);\n", text)
        self.assertIn('trace_call("cuStreamQuery", {{"hStream", hStream}}, outcome)', text)
        self.assertIn("#define cuStreamQuery heddle_cuStreamQuery\n", self.files["api.h"])

    def test_direct_functions_are_their_own_export(self):
        files = drivergen.generate(drivergen.parse_list("cuInit 2000 - direct (unsigned int f)"))
        self.assertNotIn("cuInit", files["exports.cpp"])
        self.assertNotIn("#define cuInit", files["api.h"])
        self.assertIn("cuInit", files["libcuda.map"])

    def test_table_refers_to_every_export(self):
        table = self.files["entry_points.cpp"]
        self.assertIn('{"cuMemAlloc", 3020, address(cuMemAlloc_v2), 0, nullptr},', table)
        self.assertIn('{"cuStreamQuery", 2000, address(cuStreamQuery), 7000, '
                      'address(cuStreamQuery_ptsz)},', table)
        self.assertLess(table.index("address(cuMemAlloc)"), table.index("address(cuMemAlloc_v2)"))

    def test_map_hides_everything_else(self):
        self.assertIn("    cuStreamQuery_ptsz;\n", self.files["libcuda.map"])
        self.assertIn("local:\n    *;", self.files["libcuda.map"])


class TheList(unittest.TestCase):
    def test_number_of_exports(self):
        path = Path(__file__).resolve().parent.parent / "src/driver/functions.list"
        functions = drivergen.parse_list(path.read_text(), str(path))
        count = collections.Counter()
        for f in functions:
            graphics = re.search("GL|VDPAU|Egl", f.symbol)
            what = "graphics" if graphics else "13.0" if f.version <= 13000 else "later"
            count[what] += len(f.exports)
        self.assertEqual(count, {"13.0": 637, "graphics": 35, "later": 10})


if __name__ == "__main__":
    unittest.main()
