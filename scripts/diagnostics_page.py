#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/diagnostics.md: the messages of ptxas and heddle for the same broken inputs, tests/check/side_by_side/*.ptx.

    diagnostics_page.py HEDDLE                 writes the page; needs ptxas, from PTXAS or where judges.py finds it
    diagnostics_page.py HEDDLE --check         exit status 1 when heddle's messages differ from those of the page
    diagnostics_page.py HEDDLE --keep-ptxas    writes heddle's messages anew and keeps those of ptxas

An input's first line, a comment, is its title on the page.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from judges import find_ptxas

ROOT = Path(__file__).resolve().parents[1]
INPUTS = ROOT / "tests" / "check" / "side_by_side"
PAGE = ROOT / "docs" / "diagnostics.md"

HEADER = """# The same mistakes, reported by ptxas and by Heddle

<!-- Made by scripts/diagnostics_page.py from tests/check/side_by_side/; a test fails when it is out of date. -->

{count} broken programs with mistakes that people and compilers make. Below each program are the messages of {version}
(without its last line, that the assembly was aborted), and those of `heddle check`.
`heddle explain CODE` explains a code; [diagnostics-style.md](diagnostics-style.md) has the
rules for the words of the messages.
"""


def heddle_says(heddle, file):
    done = subprocess.run([heddle, "check", file.name], cwd=INPUTS, capture_output=True, text=True, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    if done.returncode != 1:
        sys.exit(f"{file}: heddle check finds no mistake\n{done.stdout}{done.stderr}")
    return re.sub(r"for more about an error: .*\n\Z", "", done.stdout)


def ptxas_says(ptxas, file):
    target = re.search(r"^\.target (sm_\w+)", file.read_text(), re.MULTILINE)[1]
    done = subprocess.run([ptxas, "-arch", target, "-o", os.devnull, file.name], cwd=INPUTS, capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        sys.exit(f"{file}: ptxas accepts it")
    lines = (done.stdout + done.stderr).splitlines(keepends=True)
    return "".join(line for line in lines if "Ptx assembly aborted due to errors" not in line)


def version_of(ptxas):
    text = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return "ptxas of CUDA " + re.search(r"release ([0-9.]+)", text)[1]


def page_of(version, entries):
    """`entries`: (file, ptxas's messages, heddle's messages)."""
    parts = [HEADER.format(count=len(entries), version=version)]
    for file, ptxas, heddle in entries:
        title, *program = file.read_text().splitlines(keepends=True)
        parts.append(f"\n## {title.removeprefix('//').strip()}\n\n```ptx\n{title}{''.join(program)}```\n\n"
                     f"ptxas:\n\n```text\n{ptxas}```\n\nHeddle:\n\n```text\n{heddle}```\n")
    return "".join(parts)


def told_before(page):
    """From a page: the version, and ptxas's messages by title."""
    version = re.search(r"the messages of (ptxas of CUDA [0-9.]+)", page)
    found = re.findall(r"^## ([^\n]*)\n\n```ptx\n.*?```\n\nptxas:\n\n```text\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    return version[1] if version else "ptxas", dict(found)


def main():
    heddle, options = os.path.abspath(sys.argv[1]), sys.argv[2:]
    files = sorted(INPUTS.glob("*.ptx"))
    before = PAGE.read_text() if PAGE.exists() else ""
    if options:
        version, ptxas_side = told_before(before)
        sides = [ptxas_side.get(file.read_text().splitlines()[0].removeprefix("//").strip(), "") for file in files]
    else:
        ptxas = os.environ.get("PTXAS") or find_ptxas()
        if not ptxas:
            sys.exit("there is no ptxas: --keep-ptxas writes heddle's side only")
        version, sides = version_of(ptxas), [ptxas_says(ptxas, file) for file in files]
    page = page_of(version, [(file, side, heddle_says(heddle, file)) for file, side in zip(files, sides)])
    if "--check" not in options:
        PAGE.write_text(page)
        return 0
    if page == before:
        return 0
    import difflib
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), page.splitlines(True), str(PAGE), "now"))
    print(f"\n{PAGE} is out of date: scripts/diagnostics_page.py {sys.argv[1]} --keep-ptxas, and read the difference")
    return 1


if __name__ == "__main__":
    sys.exit(main())
