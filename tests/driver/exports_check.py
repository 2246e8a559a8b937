#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared library exports the functions of the list, and nothing else (no C++ symbols)."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import drivergen  # noqa: E402


def main():
    if not shutil.which("nm"):
        print("skipped: no nm on PATH")
        return 77
    out = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], check=True,
                         capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in out.splitlines()}
    functions = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    listed = {export for f in functions for export in f.exports}
    for name in sorted(exported - listed):
        print(f"{name} is exported but not in functions.list")
    for name in sorted(listed - exported):
        print(f"{name} is in functions.list but not exported")
    print(f"{len(exported)} exports")
    return 0 if exported == listed else 1


if __name__ == "__main__":
    sys.exit(main())
