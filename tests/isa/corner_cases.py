#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""corner_cases.py [--out FILE]: the corner cases of corner_cases.txt, in the form that heddle_isa_cases reads.

corner_cases.txt names rules of the instructions that are easily missed. Each rule is followed by its tests:

    == shift_amount: all 32 bits of the amount count (9.7.8.8, 9.7.8.9)
    shl.b32              1, 0x100 -> 0         an instruction, its inputs and its outputs
        vadd.s32.s32.s32 a.b3: 0x80000000, 0 -> ...    words of its operands stand before a colon, as in a `case`
    in tests/run/corner_cases/x.ptx            or the file with a kernel that tests it (an entry with the rule's name)
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from isagen import load  # noqa: E402
from isagen_lib.emit_cases import cases_txt  # noqa: E402
from isagen_lib.matching import match, open_for  # noqa: E402
from isagen_lib.model import Case, Isa, Loc, Problems  # noqa: E402
from isagen_lib.semantics import case_side, decorate_operand  # noqa: E402

LIST = Path(__file__).with_name("corner_cases.txt")


class Rule:
    def __init__(self, line, name, text):
        self.line, self.name, self.text = line, name, text
        self.cases = []  # (line, mnemonic, operand words, inputs, outputs)
        self.kernels = []  # paths


def rules():
    """Reads the list. Ends the program at a line that it cannot parse."""
    result = []
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        line = line.strip()
        title = re.fullmatch(r"== (\w+): (.+)", line)
        kernel = re.fullmatch(r"in (\S+)", line)
        case = re.fullmatch(r"([\w.:]+)((?:\s+-?\w+(?:\.\w+)?)*\s*:(?!:))?\s(.*)->(.*)", line)
        if not line or line.startswith("#"):
            continue
        if title:
            result.append(Rule(number, title[1], title[2]))
        elif result and kernel:
            result[-1].kernels.append(kernel[1])
        elif result and case:
            result[-1].cases.append((number, case[1], (case[2] or "").rstrip(": \t").split(), case[3], case[4]))
        else:
            sys.exit(f"{LIST}:{number}: not understood: {line}")
    return result


def add_case(isa, rule, number, mnemonic, operand_words, inputs, outputs):
    """Adds a case to the form that the mnemonic and the numbers of operands choose. Returns why there is no such form, or ''."""
    opcode, *words = mnemonic.split(".")
    loc = Loc(f"{rule.name}: {LIST}", number)
    for form, values in match(isa, [form for form in isa.forms if form.opcode == opcode], words):
        values = list(values)
        if not all(decorate_operand(form, word, values) for word in operand_words):
            continue
        ctx = type("Context", (), {"form": form, "isa": isa})
        case = Case(tuple(values), tuple(case_side(ctx, inputs, loc)), tuple(case_side(ctx, outputs, loc)), loc)
        present = [o for o in form.operands if all(condition.holds(values) for condition in o.present)]
        reads = sum(not o.written for o in present) + (form.carry in ("in", "inout"))
        least = reads - sum(o.optional and not o.written for o in present)
        writes = sum(o.written for o in present) + (form.carry in ("out", "inout"))
        if form.sem_kind == "lane" and least <= len(case.inputs) <= reads and len(case.outputs) <= writes:
            form.cases.append(case)
            return ""
    return f"{LIST}:{number}: no form takes {mnemonic} with these operands"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    problems = Problems()
    tables = sorted((ROOT / "src" / "isa").glob("*.isa"))
    isa = load([(str(path), path.read_text(encoding="utf-8")) for path in tables], ROOT / "src" / "isa" / "sem", problems)
    for form in isa.forms:
        form.cases = []
    errors = [error for rule in rules() for case in rule.cases if (error := add_case(isa, rule, *case))]
    print("\n".join(errors), file=sys.stderr)
    if options.out:
        options.out.write_text(cases_txt(isa))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
