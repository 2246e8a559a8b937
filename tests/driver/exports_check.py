#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A shared library exports the functions of its list, and nothing else (no C++ symbols).

    exports_check.py LIBRARY GENERATOR LIST

GENERATOR is the script that reads the list: drivergen or nvmlgen.
"""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


def main():
    library, generator, file = sys.argv[1:]
    if not shutil.which("nm"):
        print("skipped: no nm on PATH")
        return 77
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                         capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in out.splitlines()}
    functions = importlib.import_module(generator).parse_list(Path(file).read_text())
    listed = {export for f in functions for export in f.exports}
    for name in sorted(exported - listed):
        print(f"{name} is exported but not in {file}")
    for name in sorted(listed - exported):
        print(f"{name} is in {file} but not exported")
    print(f"{len(exported)} exports")
    return 0 if exported == listed else 1


if __name__ == "__main__":
    sys.exit(main())
