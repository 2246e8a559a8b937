#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/manual-examples.md: which of the manual's examples are accepted and run, section by section.

    manual_page.py HEDDLE            writes the page
    manual_page.py HEDDLE --check    exit status 1 when the page is out of date

tests/run/manual/sections.txt lists the sections that have examples. For an instruction's section, the tables say which
of its forms run (`heddle isa`; tests/isa runs their cases on both engines). Our own programs with results are
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
**runs**: the forms of the instruction run, and the tables have cases for each that both engines compute. **accepted**: the
example is checked, but no engine runs it yet (textures and surfaces). **refused**: the example
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
    """For each section: whether each of its forms runs."""
    table = subprocess.run([heddle, "isa", "--markdown"], capture_output=True, text=True, check=True).stdout
    forms = defaultdict(list)
    for row in re.findall(r"^\| `.*` \| ([\d.]+) \| .* \| (\w+)[^|]* \|$", table, re.MULTILINE):
        number, runs = row
        parts = number.split(".")
        for length in range(1, len(parts) + 1):
            forms[".".join(parts[:length])].append(runs == "yes")
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
    of_section = forms.get(number, [])
    said = []
    if remark:
        said.append(remark)
    if files:
        said = [", ".join(f"[{f.stem}](../{f.relative_to(ROOT)})" for f in dict.fromkeys(files))] + said
        return "result", "; ".join(said)
    if remark.startswith("refused"):
        return "refused", remark.removeprefix("refused ")
    if of_section:
        running = sum(of_section)
        count = f"{running} of {len(of_section)} forms" if running else f"{len(of_section)} forms"
        return "runs" if running == len(of_section) else "accepted" if not running else "runs in part", \
            "; ".join([count, *said])
    return "accepted", "; ".join(said)


def page(heddle):
    forms, files = forms_of(heddle), programs()
    rows, counts = [], defaultdict(int)
    listed = list(sections())
    for number, name, remark in listed:
        what, why = verdict(number, remark, forms, files[number])
        counts[what] += 1
        rows.append(f"| {number} | {name} | {what} | {why} |\n")
    order = ["result", "runs", "runs in part", "accepted", "refused"]
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
