#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""passes_test.py HEDDLE PTX...: tests of the table of the compiler's passes.

Each of Heddle's passes has a test, tests/jit/passes/NAME.ll, and may have more, NAME.WHAT.ll. The code between any two passes is closed: printed and read back as text, it
is the same, and the remaining passes give the same result as a run of all passes.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

HEDDLE, PTX = "", []  # set in main
TESTS = Path(__file__).resolve().parent / "passes"
# LLVM's own passes, which LLVM tests; and passes that cannot run on a text, or whose effect a text does not show.
LLVMS = {"early-cse", "instcombine", "simplifycfg", "simplifycfg<keep-loops>", "loop-simplify", "lcssa", "licm", "gvn", "adce",
         "lower-switch", "mergereturn", "fix-irreducible", "sroa<preserve-cfg>"}
OTHERS = {"lower": "it reads PTX, which the other tests here show", "codegen": "it makes machine code"}


def heddle(*args, stdin=""):
    done = subprocess.run([HEDDLE, "jit", *args], input=stdin, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{args}: {done.stderr}")
    return done.stdout


def names():
    return [line.split()[0] for line in heddle("--print-passes").splitlines() if not line.startswith(" ")]


def code(text):
    """The text without comments and metadata, and with values and blocks renamed in the order of their occurrence: the numbers that LLVM appends to names
    depend on earlier names."""
    known = {}

    def number(match):
        return known.setdefault(match.group(0).rstrip(":").lstrip("%"), f"v{len(known)}")

    lines = (re.sub(r"(, )?!dbg !\d+|![0-9]+", "", line.split("  ;")[0]).rstrip()
             for line in text.splitlines() if not re.match(r" *;|source_filename|!", line))
    return [re.sub(r"%[-\w.$]+|^[-\w.$]+:", number, line) for line in lines if line.strip()]


class Passes(unittest.TestCase):
    def test_each_pass_has_a_test(self):
        wanted = {name for name in names() if name not in LLVMS and name not in OTHERS}
        files = {file.stem.split(".")[0] for file in TESTS.glob("*.ll")}
        as_file = {re.sub(r"[<>]+", "-", name).strip("-") for name in wanted}
        self.assertEqual(as_file - files, set(), "passes without a test")
        self.assertEqual(files - as_file, set(), "tests of passes that are not there")

    def test_the_code_between_passes_is_closed(self):
        order = [name for name in names() if not name.startswith("print<")]
        for ptx in PTX:
            entry = re.search(r"\.entry (\w+)", Path(ptx).read_text(encoding="utf-8")).group(1)
            kernel = [ptx, f"--entry={entry}", "--block=64"]
            last = code(heddle(*kernel, "--print-after=cold-calls"))
            for name in ("lower", "promote", "locals-to-memory", "vectorize", "split-regions"):
                with self.subTest(ptx=ptx, name=name):
                    text = heddle(*kernel, f"--print-after={name}")
                    self.assertEqual(code(heddle("--passes", "", "-", stdin=text)), code(text))
                    at = order.index(name) + 1
                    rest = [one for one in order[at:order.index("codegen")] if one != "verify-accesses"]
                    self.assertEqual(code(heddle("--passes", ",".join(rest), "-", stdin=text)), last)


if __name__ == "__main__":
    HEDDLE, *PTX = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
