#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

from explaingen import Wrong, table

KINDS = 'DIAG(P1001, a, error, "a")\nDIAG(P2002, b, error, "b")\n'
ONE = "## P1001\n\nBecause\nof it.\n\n```ptx wrong\nbad\n```\n\n```ptx right module\n\"good\"\n\nline\n```\n"
TWO = ONE.replace("P1001", "P2002")


class Table(unittest.TestCase):
    def test_a_row_for_each_kind(self):
        rows = table(KINDS, "# Title\nheader\n\n" + ONE + TWO, "x.md").splitlines()
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0], '{"Because of it.", {ExampleScope::body, "bad\\n"}, '
                                  '{ExampleScope::module, "\\"good\\"\\n\\nline\\n"}},  // P1001')

    def test_what_is_wrong(self):
        for text, message in [
            (ONE, "1 explanations for 2 kinds"),
            (TWO + ONE, "x.md:1: P1001 comes before P2002"),
            (ONE + "## nonsense\n", "x.md:15: a section is named after a code"),
            (ONE + TWO.replace("right module", "right nonsense"), "P2002: an example is no 'nonsense'"),
            (ONE + TWO.replace("```ptx wrong", "```c"), "P2002: a block begins with"),
            (ONE + TWO.replace("Because\nof it.", ""), "P2002: there is no why"),
            (ONE + TWO.split("```ptx right")[0], "P2002: there is no right"),
            (ONE + TWO + "More.\n", "P2002: the explanation stands before the examples"),
        ]:
            with self.subTest(message=message), self.assertRaises(Wrong) as caught:
                table(KINDS, text, "x.md")
            self.assertIn(message, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
