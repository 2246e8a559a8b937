#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the table behind `heddle explain` from src/diag/explanations.md.

    explaingen.py kinds.def explanations.md OUT.inc

The file's own header explains its form. Every kind of kinds.def has a section, in the same order; otherwise exit
status 1 and "file:line: message".
"""

import re
import sys
from pathlib import Path

SCOPES = {"": "body", "declarations": "declarations", "module": "module"}


class Wrong(Exception):
    pass


def codes_of(kinds):
    return re.findall(r"^DIAG\((P\d+),", kinds, re.MULTILINE)


def sections(text, name):
    """(code, line number, lines) of each `## CODE`."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            if not re.fullmatch(r"## P\d{4}", line):
                raise Wrong(f"{name}:{number}: a section is named after a code, such as P2010")
            found.append((line[3:], number, []))
        elif found:
            found[-1][2].append(line)
    return found


def explanation(code, lines, where):
    """{'why': paragraph, 'wrong': (scope, text), 'right': (scope, text)}."""
    result, paragraph, block = {}, [], None
    for line in lines:
        if block is not None:
            if line == "```":
                result[block[0]] = (block[1], "".join(block[2]))
                block = None
            else:
                block[2].append(line + "\n")
            continue
        fence = re.fullmatch(r"```ptx (wrong|right) ?(\w*)", line)
        if fence:
            if fence[2] not in SCOPES:
                raise Wrong(f"{where}: {code}: an example is no '{fence[2]}'")
            block = (fence[1], SCOPES[fence[2]], [])
        elif line.startswith("```"):
            raise Wrong(f"{where}: {code}: a block begins with ```ptx wrong or ```ptx right")
        elif line.strip():
            if result:
                raise Wrong(f"{where}: {code}: the explanation stands before the examples")
            paragraph.append(line.strip())
    result["why"] = " ".join(paragraph)
    for part in ("why", "wrong", "right"):
        if not result.get(part):
            raise Wrong(f"{where}: {code}: there is no {part}")
    return result


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def table(kinds, text, name):
    wanted, found = codes_of(kinds), sections(text, name)
    for code, (have, number, _) in zip(wanted, found):
        if code != have:
            raise Wrong(f"{name}:{number}: {code} comes before {have}, in the order of kinds.def")
    if len(found) != len(wanted):
        raise Wrong(f"{name}: {len(found)} explanations for {len(wanted)} kinds")
    rows = []
    for code, number, lines in found:
        parts = explanation(code, lines, f"{name}:{number}")
        examples = ", ".join(f"{{ExampleScope::{parts[p][0]}, {literal(parts[p][1])}}}" for p in ("wrong", "right"))
        rows.append(f"{{{literal(parts['why'])}, {examples}}},  // {code}\n")
    return "".join(rows)


def main():
    kinds, source, out = map(Path, sys.argv[1:4])
    try:
        text = table(kinds.read_text(encoding="utf-8"), source.read_text(encoding="utf-8"), str(source))
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
