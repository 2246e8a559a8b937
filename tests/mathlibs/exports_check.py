#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A math library exports the functions of the list in the node of its name, and nothing else.

    exports_check.py libcublas.so.13
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import mathlibsgen  # noqa: E402


def main():
    if not shutil.which("nm"):
        print("skipped: no nm on PATH")
        return 77
    library = Path(sys.argv[1])
    out = subprocess.run(["nm", "-D", "--defined-only", str(library)], check=True,
                         capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in out.splitlines()} - {library.name}
    functions = mathlibsgen.parse_list((ROOT / "src/mathlibs/functions.list").read_text())
    listed = {f"{f.symbol}@@{library.name}" for f in functions if library.name.startswith(f"lib{f.library}.so.")}
    for name in sorted(exported - listed):
        print(f"{name} is exported but not in functions.list")
    for name in sorted(listed - exported):
        print(f"{name} is in functions.list but not exported")
    print(f"{len(exported)} exports")
    return 0 if exported == listed else 1


if __name__ == "__main__":
    sys.exit(main())
