#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""diagnostics_test.py HEDDLE [--update]: the messages of `heddle check`, each written under the line that causes it.

Each diagnostics/CODE_name.ptx contains mistakes of one kind; the expected diagnostic is in `//~` lines below its source line:

    add.u32 %r1, %rd1, %r1;
//~              ^~~~ error[P2024]: operand 'a' is .b64, but add takes .u32 here
//~                   note: `%rd<4>` declared here as .b64

Files in accepted/ must have no diagnostics. --update writes the lines anew; review the difference.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = HERE.parents[1] / "src" / "diag" / "kinds.def"
MARK = "//~"

# Kinds that cannot be tested with a file.
ELSEWHERE = {
    "P1008": "reported only where no C preprocessor is installed: src/syntax/preprocess_test.cpp",
    "P1099": "needs more errors than a test should hold: src/syntax/recovery_test.cpp",
    **{code: "about several modules: src/check/link_test.cpp" for code in ("P4001", "P4002", "P4003", "P4004", "P4005")},
}


def diagnostics_of(heddle, files, *options):
    command = [heddle, "check", *options, "--format", "json", *map(str, files)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"heddle check failed: {done.stderr.decode()}")
    found = defaultdict(list)
    for diagnostic in json.loads(done.stdout):
        found[diagnostic["file"]].append(diagnostic)
    return found


def text_at(lines, place):
    end = place["endColumn"] - 1 if place["endLine"] == place["line"] else None
    return lines[place["line"] - 1].encode()[place["column"] - 1:end].decode(errors="replace")


def render(diagnostic, lines):
    line, begin = lines[diagnostic["line"] - 1], diagnostic["column"] - 1
    end = diagnostic["endColumn"] - 1 if diagnostic["endLine"] == diagnostic["line"] else len(line)
    caret = "^" + "~" * (max(end - begin, 1) - 1)
    room = begin - len(MARK)
    # A caret does not fit below the first columns; the line quotes the text of the span instead.
    start = f"{MARK}{' ' * room}{caret} " if room > 0 else f"{MARK} `{line[begin:end]}` "
    rendered = [f"{start}{diagnostic['severity']}[{diagnostic['code']}]: {diagnostic['message']}"]
    indent = MARK + " " * (len(start) - len(MARK))
    rendered += [f"{indent}note: `{text_at(lines, label)}` {label['message']}" for label in diagnostic["labels"]]
    rendered += [f"{indent}note: {note}" for note in diagnostic["notes"]]
    rendered += [f"{indent}help: {help}" for help in diagnostic["helps"]]
    return rendered


def with_expectations(text, diagnostics):
    """The expected file: its own lines, each followed by the messages for it."""
    lines = text.split("\n")
    said = defaultdict(list)
    for diagnostic in diagnostics:
        said[diagnostic["line"]] += render(diagnostic, lines)
    result = []
    for number, line in enumerate(lines, 1):
        if not line.startswith(MARK):
            result.append(line)
        result += said[number]
    return "\n".join(result)


def missing_codes(files):
    codes = set(re.findall(r"^DIAG\((P\d+),", KINDS.read_text(), re.MULTILINE))
    shown = set()
    for file in files:
        shown |= set(re.findall(rf"^{MARK}.* (?:error|warning)\[(P\d+)\]:", file.read_text(), re.MULTILINE))
    return sorted(codes - shown - ELSEWHERE.keys())


def main():
    heddle, update = sys.argv[1], "--update" in sys.argv[2:]
    files = sorted(HERE.glob("diagnostics/*.ptx")) + sorted(HERE.glob("accepted/*.ptx"))
    rejected = [file for file in files if file.parent.name == "diagnostics"]
    accepted = [file for file in files if file.parent.name == "accepted"]
    found = diagnostics_of(heddle, rejected, "-W") | diagnostics_of(heddle, accepted)
    failed = 0
    for file in files:
        text = file.read_text()
        wanted = with_expectations(text, found[str(file)])
        if file.parent.name == "accepted" and MARK in wanted:
            failed += 1
            print(f"{file}: there should be nothing to say\n{wanted}")
        elif wanted != text and update:
            file.write_text(wanted)
        elif wanted != text:
            failed += 1
            print(f"{file}: heddle check says\n{wanted}")
        code = file.name.split("_")[0]
        if file.parent.name == "diagnostics" and f"[{code}]" not in wanted:
            failed += 1
            print(f"{file}: does not show {code}")
    missing = [] if update else missing_codes(files)
    if missing:
        print("no test shows " + ", ".join(missing))
    print(f"{len(files)} files, {failed} failed, {len(missing)} diagnostics without a test")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
