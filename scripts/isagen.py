#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the form tables, the interpreter's dispatch and the accept and reject tests from src/isa/*.isa.

docs/adding-an-instruction.md describes the notation. Three steps: read, resolve and check, emit.

usage: isagen.py --out DIR [--check-only] FILE.isa...     exit status 1 and "file:line: message" when a table is wrong
"""

import argparse
import sys
from pathlib import Path
from typing import List, Tuple

from isagen_lib.checks import check
from isagen_lib.model import Isa, Problems
from isagen_lib.reader import Raw, read_file
from isagen_lib.resolve import resolve


def load(sources: List[Tuple[str, str]], sem_dir: Path, problems: Problems) -> Isa:
    """The checked model of (file name, text) pairs. Its content is only good when there are no errors."""
    raw = Raw()
    for name, text in sources:
        read_file(raw, name, text, problems)
    isa = resolve(raw, problems)
    isa.families = sorted({Path(name).stem for name, _ in sources})
    if not problems.errors:
        check(isa, sem_dir, problems)
    return isa


def write_if_changed(path: Path, text: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for the generated files (build/gen)")
    parser.add_argument("--check-only", action="store_true", help="read and check, write nothing")
    parser.add_argument("--stamp", type=Path, help="file to touch when all went well (for the build)")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args(arguments)

    problems = Problems()
    files = sorted(options.files, key=lambda path: path.name)
    isa = load([(str(path), path.read_text(encoding="utf-8")) for path in files], files[0].parent / "sem", problems)
    for loc, message in problems.warnings:
        print(f"{loc}: warning: {message}", file=sys.stderr)
    for loc, message in sorted(problems.errors):
        print(f"{loc}: {message}", file=sys.stderr)
    if problems.errors:
        return 1
    if not options.check_only:
        if not options.out:
            parser.error("--out is needed")
        from isagen_lib.emit import outputs
        for name, text in outputs(isa).items():
            write_if_changed(options.out / "isa" / name, text)
    if options.stamp:
        options.stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
