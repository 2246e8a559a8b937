#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle's libnvJitLink with the vendor's header, if a CUDA toolkit is installed.

    abi_compare.py --cxx COMPILER libnvJitLink.so.12 libnvJitLink.so.13

Every enumerator of the header has its value in src/nvjitlink/abi.h, and the library of the header's major version
exports every function that the header declares.
Exit status: 0 equal, 1 different, 77 skipped (no toolkit).
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from abi_types import find_toolkit  # noqa: E402

ENUMERATOR = re.compile(r"\bNVJITLINK_[A-Z_]+\b(?=\s*(?:=|,|/\*|\}))")


def values(cxx, header, names):
    """The value of each enumerator, as the compiler sees it."""
    source = f'#include "{header}"\n#include <cstdio>\nint main() {{\n' + \
        "".join(f'std::printf("{name} %d\\n", static_cast<int>({name}));\n' for name in names) + "}\n"
    binary = Path("nvjitlink_values")
    subprocess.run([cxx, "-x", "c++", "-std=c++20", f"-I{ROOT / 'src'}", "-o", str(binary), "-"], input=source, text=True,
                   check=True)
    out = subprocess.run([binary.resolve()], capture_output=True, text=True, check=True).stdout
    binary.unlink()
    return dict(line.split() for line in out.splitlines())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--toolkit")
    parser.add_argument("libraries", nargs=2)
    options = parser.parse_args()
    include = find_toolkit(options.toolkit, "nvJitLink.h")
    if not include:
        print("skipped: no nvJitLink.h")
        return 77
    header = include / "nvJitLink.h"
    text = header.read_text()
    ours = (ROOT / "src/nvjitlink/abi.h").read_text()
    problems = []
    names = sorted(set(ENUMERATOR.findall(text)))
    missing = [name for name in names if name not in ours]
    problems += [f"abi.h lacks {name}" for name in missing]
    names = [name for name in names if name not in missing]
    vendor, own = (values(options.cxx, which, names) for which in (header, "nvjitlink/abi.h"))
    problems += [f"{name} is {own[name]} and not {vendor[name]}" for name in names if own[name] != vendor[name]]

    functions = set(re.findall(r"\b(\w*nvJitLink\w+)\s*\(", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
    functions = {name for name in functions if "_1" in name} | {"nvJitLinkVersion"}
    major = re.search(r"__nvJitLinkCreate_(\d+)_", text).group(1)
    library = next(path for path in options.libraries if path.endswith(f".so.{major}"))
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r"(\w+)@@libnvJitLink", listing))
    problems += [f"{library} does not export {name}" for name in sorted(functions - exported)]
    print("\n".join(problems) or f"{len(names)} enumerators, {len(functions)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
