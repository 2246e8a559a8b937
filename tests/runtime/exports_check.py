#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A libcudart.so exports the functions of the list in the node of its name, and nothing else.

    exports_check.py libcudart.so.13
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import drivergen  # noqa: E402
import runtimegen  # noqa: E402


def main():
    if not shutil.which("nm"):
        print("skipped: no nm on PATH")
        return 77
    library = Path(sys.argv[1])
    version = library.suffix[1:]
    out = subprocess.run(["nm", "-D", "--defined-only", str(library)], check=True,
                         capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in out.splitlines()} - {f"libcudart.so.{version}"}
    driver = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    functions = runtimegen.parse_list((ROOT / "src/runtime/functions.list").read_text(), driver)
    listed = {f"{export}@@libcudart.so.{version}"
              for f in runtimegen.in_library(functions, version) for export in f.exports}
    for name in sorted(exported - listed):
        print(f"{name} is exported but not in functions.list")
    for name in sorted(listed - exported):
        print(f"{name} is in functions.list but not exported")
    print(f"{len(exported)} exports")
    return 0 if exported == listed else 1


if __name__ == "__main__":
    sys.exit(main())
