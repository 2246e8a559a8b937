#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of check_layers.py: small trees that must pass and small trees that must fail."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_layers  # noqa: E402


def complaints(files):
    """The complaints of check_layers about a repository with these files under src/."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "CMakeLists.txt").write_text(
            "heddle_layers(base isa machine interp\n  jit engine driver runtime nvml cli)\n")
        for name, text in files.items():
            path = root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_layers.check(root)


class Accepts(unittest.TestCase):
    CASES = {
        "own layer": {"isa/a.h": '#include "isa/b.h"', "isa/b.h": ""},
        "layer before": {"cli/a.cpp": '#include "base/a.h"\n#include "driver/a.h"'},
        "both engines": {"engine/a.cpp": '#include "interp/a.h"\n#include "jit/a.h"'},
        "the compiler's command": {"cli/a.cpp": '#include "jit/a.h"'},
        "folder of the layer": {"isa/sem/a.h": '#include "base/a.h"'},
        "system header": {"base/a.h": "#include <vector>\n#include <sys/mman.h>"},
        "library in quotes": {"base/a.h": '#include "zstd.h"'},
        "generated header": {"machine/a.h": '#include "isa/generated.h"'},
        "llvm in jit": {"jit/a.cpp": '#include "llvm/IR/Module.h"\n#include <llvm-c/Core.h>'},
        "client of the driver": {
            "runtime/a.cpp": '#include "driver/abi.h"\n#include "driver/abi/x.h"\n'
                             '#include "driver/api.h"\n#include "runtime/b.h"\n#include "base/c.h"',
        },
        "description of devices": {"nvml/a.cpp": '#include "machine/devices.h"\n#include "base/c.h"'},
        "comment": {"base/a.h": '// #include "cli/a.h"'},
        "diamond": {
            "cli/a.h": '#include "isa/b.h"\n#include "isa/c.h"',
            "isa/b.h": '#include "base/d.h"',
            "isa/c.h": '#include "base/d.h"',
            "base/d.h": "",
        },
    }

    def test_accepts(self):
        for name, files in self.CASES.items():
            with self.subTest(name):
                self.assertEqual(complaints(files), [])


class Rejects(unittest.TestCase):
    CASES = {
        "later layer": ({"base/a.h": '\n# include "isa/b.h"'}, "src/base/a.h:2: .*later layer"),
        "jit from interp": ({"interp/a.h": '#include "jit/b.h"'}, "never include each other"),
        "interp from jit": ({"jit/a.h": '#include "interp/b.h"'}, "never include each other"),
        "an engine in the driver": ({"driver/a.cpp": '#include "jit/b.h"'}, "only cli, engine may include jit"),
        "the interpreter in the program": ({"cli/a.cpp": '#include "interp/b.h"'}, "only engine may include interp"),
        "llvm elsewhere": ({"cli/a.h": "#include <llvm/IR/Module.h>"}, "only jit"),
        "relative path": ({"isa/a.h": '#include "b.h"', "isa/b.h": ""}, "relative to src"),
        "relative folder": (
            {"isa/a.h": '#include "sem/b.h"', "isa/sem/b.h": ""}, "relative to src"),
        "a test too": ({"base/a_test.cpp": '#include "cli/b.h"'}, "later layer"),
        "behind the driver": ({"runtime/a.cpp": '#include "driver/core/b.h"'}, "may only include"),
        "beside the driver": ({"runtime/a.cpp": '#include "machine/b.h"'}, "may only include"),
        "the driver in the management library": ({"nvml/a.cpp": '#include "driver/api.h"'}, "may only include"),
        "unknown folder": ({"extra/a.h": ""}, "src/extra: not a layer"),
        "cycle": (
            {"isa/a.h": '#include "isa/b.h"', "isa/b.h": '#include "isa/a.h"'},
            "include cycle: isa/a.h -> isa/b.h -> isa/a.h"),
        "itself": ({"isa/a.h": '#include "isa/a.h"'}, "include cycle: isa/a.h -> isa/a.h"),
    }

    def test_rejects(self):
        for name, (files, expected) in self.CASES.items():
            with self.subTest(name):
                said = complaints(files)
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], expected)


class Repository(unittest.TestCase):
    def test_this_repository_follows_its_rules(self):
        self.assertEqual(check_layers.check(Path(__file__).resolve().parent.parent), [])


if __name__ == "__main__":
    unittest.main()
