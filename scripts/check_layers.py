#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the #includes under src/ follow the layering that the CMakeLists.txt at the root names.

Rules (docs/architecture.md says why):
  - a layer includes itself and the layers before it;
  - interp and jit never include each other, and engine alone includes both;
  - only jit includes LLVM;
  - runtime and mathlibs include the driver's public headers and, of the layers before the driver, only base;
  - nvml includes base and the machine's descriptions of devices;
  - an include of our own is written relative to src/;
  - files do not include each other in a circle.

usage: check_layers.py [REPOSITORY]     exit status 1 when a rule is broken
"""

import re
import sys
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SUFFIXES = {".h", ".cpp", ".c", ".inc", ".def"}
STRANGERS = [{"interp", "jit"}]  # pairs that must not include each other
# Layers that only these others may include: other layers get an engine from the layer `engine`.
CONFINED = {"interp": {"engine"}, "jit": {"engine", "cli"}}
LLVM_PREFIXES = ("llvm/", "llvm-c/", "clang/")
LLVM_LAYER = "jit"
# runtime and mathlibs are clients of libcuda.so.1 like any other. nvml describes devices in processes without a driver, too.
CLIENTS = {"runtime": ("base/", "driver/abi.h", "driver/abi/", "driver/api.h"),
           "mathlibs": ("base/", "driver/api.h", "runtime/abi/types.h"),
           "nvml": ("base/", "machine/device")}


class Include(NamedTuple):
    file: str  # relative to src/
    line: int
    target: str
    quoted: bool


def read_layers(cmake: str) -> List[str]:
    """The names in the call of heddle_layers(...), in order."""
    call = re.search(r"^heddle_layers\(([^)]*)\)", cmake, re.MULTILINE)
    if not call:
        raise ValueError("CMakeLists.txt has no heddle_layers(...)")
    return call.group(1).split()


def read_includes(src: Path) -> List[Include]:
    found = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        name = path.relative_to(src).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                found.append(Include(name, number, match.group(2), match.group(1) == '"'))
    return found


def layer_of(path: str) -> str:
    return path.split("/", 1)[0]


def broken_rule(inc: Include, layers: List[str], src: Path) -> str:
    """The rule that this include breaks, or an empty string."""
    here, there = layer_of(inc.file), layer_of(inc.target)
    if inc.target.startswith(LLVM_PREFIXES):
        return "" if here == LLVM_LAYER else f"only {LLVM_LAYER} may include LLVM"
    if not inc.quoted:
        return ""
    if "/" not in inc.target or there not in layers:
        if ((src / inc.file).parent / inc.target).exists():
            return "write the path relative to src/"
        return ""  # a header of some library
    if {here, there} in STRANGERS:
        return f"{here} and {there} never include each other"
    if layers.index(there) > layers.index(here):
        return f"{here} may not include {there}, a later layer"
    if here != there and here not in CONFINED.get(there, {here}):
        return f"only {', '.join(sorted(CONFINED[there]))} may include {there}"
    if here in CLIENTS and there != here and not inc.target.startswith(CLIENTS[here]):
        return f"{here} may only include {', '.join(CLIENTS[here])}"
    return ""


def cycles(includes: Iterable[Include]) -> List[List[str]]:
    """Each circle of files that include each other, found once, as the path that closes it."""
    graph: Dict[str, List[str]] = {}
    for inc in includes:
        if inc.quoted:
            graph.setdefault(inc.file, []).append(inc.target)
    found, done = [], set()

    def visit(file: str, path: List[str]) -> None:
        if file in path:
            found.append(path[path.index(file):] + [file])
            return
        if file in done:
            return
        for target in graph.get(file, []):
            visit(target, path + [file])
        done.add(file)

    for file in sorted(graph):
        visit(file, [])
    return found


def check(root: Path) -> List[str]:
    """All complaints about the repository at `root`, one line each."""
    src = root / "src"
    layers = read_layers((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    complaints = [
        f"src/{folder.name}: not a layer of CMakeLists.txt"
        for folder in sorted(src.glob("*/")) if folder.is_dir() and folder.name not in layers
    ]
    includes = [inc for inc in read_includes(src) if layer_of(inc.file) in layers]
    for inc in includes:
        reason = broken_rule(inc, layers, src)
        if reason:
            complaints.append(f"src/{inc.file}:{inc.line}: includes {inc.target}: {reason}")
    for circle in cycles(includes):
        complaints.append("include cycle: " + " -> ".join(circle))
    return complaints


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    complaints = check(root)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
