#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""coverage_test.py: checks that tests exist for everything that must have a test by name.

docs/ptx-1.4.md names a test for every table of PTX 1.4, and the tests are there. Every special register is read by
special_registers.ptx. Every rule of tests/isa/corner_cases.txt has cases or a kernel of its name, and no kernel of
corner_cases/ is about anything else.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "isa"))
from corner_cases import rules  # noqa: E402
PAGE = ROOT / "docs" / "ptx-1.4.md"
TABLES = range(20, 86)


def cases_of(isa, instruction):
    """The number of `case` lines below `insn INSTRUCTION`; of `add.cc`, below its forms."""
    opcode, _, modifier = instruction.partition(".")
    count, insn, form = 0, "", ""
    for line in isa.read_text().splitlines():
        words = line.split()
        if line.startswith("insn "):
            insn = words[1]
        elif words[:1] == ["form"]:
            form = words[1]
        elif words[:1] == ["case"] and insn == opcode and (not modifier or modifier in form.split(".")):
            count += 1
    return count


def page_problems():
    rows = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    if [int(number) for number, _, _ in rows] != list(TABLES):
        yield "not every table, or not in order"
    for number, instruction, tests in rows:
        for path in re.findall(r"`([\w/.]+)`", tests):
            file = ROOT / path
            if not file.exists():
                yield f"table {number}: there is no {path}"
            elif tests == f"`{path}`" and file.suffix == ".isa" and not cases_of(file, instruction.strip("`")):
                yield f"table {number}: {path} has no case of {instruction}"
            elif file.suffix != ".isa" and not re.search(rf"tables? .*\b{number}\b", file.read_text()):
                yield f"table {number}: {path} does not say that it is about it"


def register_problems():
    text = (ROOT / "tests" / "run" / "special_registers.ptx").read_text()
    for name, count in re.findall(r"^sreg (%\w+)(?:<(\d+)>)? ", (ROOT / "src" / "isa" / "special_registers.isa").read_text(),
                                  re.MULTILINE):
        for register in [f"{name}{i}" for i in range(int(count))] if count else [name]:
            if not re.search(rf"{register}\b", text):
                yield f"nothing reads {register}"


def corner_case_problems():
    entries = {}
    for path in sorted((ROOT / "tests" / "run" / "corner_cases").glob("*.ptx")):
        for name in re.findall(r"^\.visible \.entry (\w+)", path.read_text(), re.MULTILINE):
            entries[name] = path
    names = set()
    for rule in rules():
        if rule.name in names:
            yield f"corner_cases.txt:{rule.line}: {rule.name} is there twice"
        names.add(rule.name)
        if not rule.cases and not rule.kernels:
            yield f"corner_cases.txt:{rule.line}: nothing shows {rule.name}"
        for kernel in rule.kernels:
            file = ROOT / kernel
            if not file.exists() or not re.search(rf"\.entry {rule.name}\b", file.read_text()):
                yield f"corner_cases.txt:{rule.line}: {kernel} has no entry {rule.name}"
        if rule.name in entries and str(entries[rule.name].relative_to(ROOT)) not in rule.kernels:
            yield f"corner_cases.txt:{rule.line}: {rule.name} does not name {entries[rule.name]}"
    for name in sorted(entries.keys() - names):
        yield f"{entries[name]}: corner_cases.txt has no rule {name}"


if __name__ == "__main__":
    found = [*page_problems(), *register_problems(), *corner_case_problems()]
    print("\n".join(found) or "everything has a test")
    sys.exit(1 if found else 0)
