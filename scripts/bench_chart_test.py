#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest
import xml.dom.minidom

from bench_chart import BEGIN, END, chart, duration, page, table

DATA = {
    "date": "2026-01-02", "cpu": "A & B", "compiler": "clang 19", "threads": 2, "rounds": 9, "load": 0.04,
    "jobs": [
        {"name": "one", "work": "much", "engines": {
            "native": {"seconds": 4e-6, "ratio": 1, "speedup": 1.9},
            "jit": {"seconds": 2e-6, "ratio": 0.5, "speedup": 1.5},
            "pocl": {"seconds": 1e-3, "ratio": 250}}},
        {"name": "two", "work": "little", "engines": {
            "native": {"seconds": 2e-3, "ratio": 1},
            "jit": {"instead": "interpreter"},
            "pocl": {"instead": "not installed"}}},
    ],
}


class Chart(unittest.TestCase):
    def test_table(self):
        self.assertEqual(table(DATA).splitlines(), [
            "| job |  | native C++ | JIT, x | pocl, x | native C++: 2 threads over 1 | JIT: 2 threads over 1 |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
            "| `one` | much | 4 us | 0.50 | 250 | 1.90 | 1.50 |",
            "| `two` | little | 2 ms | interpreter | not installed | - | - |",
        ])

    def test_page_keeps_what_is_around_the_table(self):
        for inside in ("", "\nold\n"):
            text = page(f"above\n{BEGIN}{inside}{END}\nbelow", DATA)
            self.assertTrue(text.startswith(f"above\n{BEGIN}\n![Time"))
            self.assertIn("\nA & B, 2 threads, 2026-01-02, clang 19, medians of 9 rounds; "
                          "load of the machine before: 0.0:\n", text)
            self.assertTrue(text.endswith(f"|\n{END}\nbelow"))
            self.assertNotIn("old", text)
        with self.assertRaises(ValueError):
            page("no marks", DATA)

    def test_chart_is_xml_with_a_bar_for_each_ratio(self):
        svg = xml.dom.minidom.parseString(chart(DATA))
        legend, bars = 2, 2
        self.assertEqual(len(svg.getElementsByTagName("rect")), legend + bars)
        texts = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.firstChild]
        for text in ("0.50", "250", "interpreter", "not installed"):
            self.assertIn(text, texts)

    def test_durations(self):
        self.assertEqual([duration(s) for s in (1.5e-6, 0.0123, 2)], ["1.5 us", "12.3 ms", "2 s"])


if __name__ == "__main__":
    unittest.main()
