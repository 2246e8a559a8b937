#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/manual-examples.md: which of the manual's examples are accepted and run, section by section.

    manual_page.py HEDDLE            writes the page
    manual_page.py HEDDLE --check    exit status 1 when the page is out of date

tests/run/manual/sections.txt lists the sections that have examples. For an instruction's section, the tables say how many
forms it has (`heddle isa`); all of them run, and tests/isa runs their cases on both engines. Our own programs with results are
those of tests/run whose `//! section` lines name the section.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "tests" / "run"
SECTIONS = RUNS / "manual" / "sections.txt"
PAGE = ROOT / "docs" / "manual-examples.md"

HEADER = """# The examples of the manual

<!-- Made by scripts/manual_page.py from tests/run and the instruction tables; a test fails when it is out of date. -->

This table lists the sections of the PTX ISA 9.1 manual that have examples, and whether these examples run. **result**: our own
program in [tests/run](../tests/run) does the same as the example, and both engines give the result that the manual states.
**runs**: the forms of the instruction run, and the tables have cases for each that both engines compute; or tests that the
remark names run what the example declares. **accepted**: the example is no program; it is checked. **refused**: the example
is refused, for the reason beside it.

{counts}

| section | | verdict | |
|---------|-|---------|-|
"""


def sections():
    for line in SECTIONS.read_text().splitlines():
        if line.startswith("#"):
            continue
        number, rest = line.split(" ", 1)
        name, _, remark = rest.partition(" | ")
        yield number, name, remark


def forms_of(heddle):
    """For each section: how many forms it and the sections within it have."""
    table = subprocess.run([heddle, "isa", "--markdown"], capture_output=True, text=True, check=True).stdout
    forms = defaultdict(int)
    for number in re.findall(r"^\| `.*` \| ([\d.]+) \| .* \|$", table, re.MULTILINE):
        parts = number.split(".")
        for length in range(1, len(parts) + 1):
            forms[".".join(parts[:length])] += 1
    return forms


def programs():
    """For each section: the files with a run that names it."""
    found = defaultdict(list)
    for path in sorted(RUNS.rglob("*.ptx")):
        for numbers in re.findall(r"^//! section (.*)$", path.read_text(), re.MULTILINE):
            for number in numbers.split():
                found[number].append(path)
    return found


def verdict(number, remark, forms, files):
    """The verdict and the remark."""
    said = [remark] if remark else []
    if files:
        said = [", ".join(f"[{f.stem}](../{f.relative_to(ROOT)})" for f in dict.fromkeys(files))] + said
        return "result", "; ".join(said)
    for word in ("refused", "runs"):
        if remark.startswith(word + " "):
            return word, remark.removeprefix(word + " ")
    if count := forms[number]:
        return "runs", "; ".join([f"{count} form{'s' if count > 1 else ''}", *said])
    return "accepted", "; ".join(said)


def page(heddle):
    forms, files = forms_of(heddle), programs()
    rows, counts = [], defaultdict(int)
    listed = list(sections())
    for number, name, remark in listed:
        what, why = verdict(number, remark, forms, files[number])
        counts[what] += 1
        rows.append(f"| {number} | {name} | {what} | {why} |\n")
    order = ["result", "runs", "accepted", "refused"]
    sums = ", ".join(f"{counts[what]} {what}" for what in order if counts[what])
    return HEADER.format(counts=f"{len(listed)} sections: {sums}.") + "".join(rows)


def main():
    heddle, *options = sys.argv[1:]
    made = page(heddle)
    if options == ["--check"]:
        if PAGE.exists() and PAGE.read_text() == made:
            return 0
        print(f"{PAGE} is out of date: run {Path(__file__).name} {heddle}")
        return 1
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
