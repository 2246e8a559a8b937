# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of tables without syntax errors: dead conditions, equal forms, semantics that do not exist."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Set

from .instances import covering
from .matching import match, shape, written_words
from .model import Form, Gate, Isa, Problems, Version
from .search import complete


def check(isa: Isa, sem_dir: Path, problems: Problems) -> None:
    by_opcode: Dict[str, List[Form]] = defaultdict(list)
    for form in isa.forms:
        by_opcode[form.opcode].append(form)
    for form in isa.forms:
        _check_conditions(form, problems)
    gates = [gate for form in isa.forms for gate in form.gates + form.advised_gates]
    gates += [gate for entry in isa.entries() for gate in entry.gates]
    _check_gates(gates, {entry.name for entry in isa.targets}, problems)
    for forms in by_opcode.values():
        _check_overlap(isa, forms, problems)
    _check_semantics(isa, sem_dir, problems)


def _check_conditions(form: Form, problems: Problems) -> None:
    """A condition that never holds is a mistake; an inherited condition may be meant for other forms and is dropped."""
    if complete(form, {}) is None:
        problems.error(form.loc, "no combination of modifiers is legal (rows, require)")
        return
    for rule in list(form.rules):
        if rule.when and complete(form, {}, rule.when, rules=[]) is None:
            form.rules.remove(rule)
            if not rule.inherited:
                problems.error(rule.loc, "the condition of this `require` never holds")
    for gate in list(form.gates):
        if gate.when and complete(form, {}, gate.when) is None:
            form.gates.remove(gate)
            if not gate.inherited:
                problems.error(gate.loc, "the condition of this gate never holds")
    form.advice = [rule for rule in form.advice if not rule.when or complete(form, {}, rule.when, rules=[]) is not None]
    form.advised_gates = [gate for gate in form.advised_gates if not gate.when or complete(form, {}, gate.when) is not None]


def _check_gates(gates: List[Gate], known: Set[str], problems: Problems) -> None:
    for gate in gates:
        for alternative in gate.since + (gate.until,):
            if alternative.target.sm and str(alternative.target) not in known:
                problems.error(gate.loc, f"unknown target `{alternative.target}` (targets.isa)")
            if alternative.ptx != Version() and alternative.ptx not in VERSIONS:
                problems.error(gate.loc, f"there is no PTX ISA version {alternative.ptx}")


VERSIONS = [Version(major, minor) for major, last in
            ((1, 5), (2, 3), (3, 2), (4, 3), (5, 0), (6, 5), (7, 8), (8, 8), (9, 1)) for minor in range(last + 1)]


def _check_overlap(isa: Isa, forms: List[Form], problems: Problems) -> None:
    """Two forms that accept the same mnemonic with the same operands: one of them is never chosen."""
    seen: Set[tuple] = set()
    for form in forms:
        for values in covering(form):
            words = written_words(form, values)
            for other in match(isa, forms, words):
                if other.form is form or (other.form.id, form.id) in seen:
                    continue
                if any(gate.until.ptx != Version() for gate in form.gates + other.form.gates):
                    continue  # one replaces the other
                if shape(form, values) == shape(other.form, other.values):
                    seen |= {(form.id, other.form.id), (other.form.id, form.id)}
                    text = ".".join([form.opcode] + words)
                    problems.error(max(form.loc, other.form.loc),
                                   f"`{text}` with the same operands is also the form at {min(form.loc, other.form.loc)}")


def _check_semantics(isa: Isa, sem_dir: Path, problems: Problems) -> None:
    """A function that a form names must be in sem/*.h. Only a warning: the C++ compiler has the last word."""
    if not sem_dir.is_dir():
        return
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(sem_dir.glob("*.h")))
    functions = set(re.findall(r"\b([a-z_]\w*)\s*\(", text))
    for form in isa.forms:
        function = form.sem if form.sem_kind in ("lane", "warp") else form.applies
        if function and function not in functions:
            problems.warn(form.loc, f"sem/*.h has no function `{function}`")
