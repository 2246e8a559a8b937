# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that forms name, one entry per combination of compile-time arguments: isa/lane/<family>.inc,
isa/warp_functions.inc, isa/atomic_functions.inc."""

from __future__ import annotations

import itertools
from typing import Callable, Dict, List

from .cpp import HEADER, argument
from .model import Form, Isa
from .search import complete


def dispatch_values(form: Form) -> List[List[int]]:
    """The values of each dispatch slot, in the order of the entries: absent first, then the choices."""
    return [form.slots[index].values() for index in form.dispatch_slots]


def dispatch_size(form: Form) -> int:
    size = 1
    for values in dispatch_values(form):
        size *= len(values)
    return size


def function_files(isa: Isa) -> Dict[str, str]:
    """Also decides each form's dispatch_base, which the tables hold: the kinds count by themselves."""
    return {**_lane_files(isa), **_flat_files(isa, "warp", WARP_TEXT, lambda form: form.sem_kind == "warp"),
            **_flat_files(isa, "atomic", ATOMIC_TEXT, lambda form: bool(form.applies))}


def _lane_files(isa: Isa) -> Dict[str, str]:
    files: Dict[str, str] = {}
    families: List[str] = []
    base = 0
    for family in isa.families:
        forms = [form for form in isa.forms if form.family == family and form.sem_kind == "lane"]
        entries: List[str] = []
        for form in forms:
            form.dispatch_base = base + len(entries)
            entries += _entries(isa, form, "LANE", len(entries))
        files[f"lane/{family}.inc"] = HEADER + "".join(entry + "\n" for entry in entries)
        if entries:
            families.append(f"HEDDLE_LANE_FAMILY({family}, {base}, {len(entries)})\n")
        base += len(entries)
    files["lane_families.inc"] = HEADER + """//
// HEDDLE_LANE_FAMILY(family, base, count): Form::dispatch_base counts over all families; entry `base + i` is the entry
// with local index i in isa/lane/<family>.inc. An .inc has, for i = 0, 1, ...:
//   HEDDLE_LANE(i, function)   a lane function with its compile-time arguments, e.g. heddle::sem::add_wrap<heddle::u16>
//   HEDDLE_NO_LANE(i)          a combination that is no legal instruction
// The functions are in isa/sem/<family>.h, which includes isa/groups.h when it needs the groups.
""" + "".join(families)
    return files


WARP_TEXT = """//
// HEDDLE_WARP(i, function): a warp function (isa/sem/lanes.h) with its compile-time arguments; i counts over all `sem warp`
// forms from Form::dispatch_base on. HEDDLE_NO_WARP(i): a combination that is no legal instruction.
"""
ATOMIC_TEXT = """//
// HEDDLE_ATOMIC(i, function): the function that a `sem memory ... applies` form applies to a value in memory, with its
// compile-time arguments; i counts over all such forms from Form::dispatch_base on. HEDDLE_NO_ATOMIC(i): a combination
// that is no legal instruction.
"""


def _flat_files(isa: Isa, kind: str, text: str, has: Callable[[Form], bool]) -> Dict[str, str]:
    """<kind>_functions.inc, and <kind>_headers.inc, which includes what declares them."""
    entries: List[str] = []
    families: List[str] = []
    for form in filter(has, isa.forms):
        form.dispatch_base = len(entries)
        entries += _entries(isa, form, kind.upper(), len(entries))
        if form.family not in families:
            families.append(form.family)
    headers = "".join(f'#if __has_include("isa/sem/{family}.h")\n#include "isa/sem/{family}.h"\n#endif\n'
                      for family in sorted(families))
    return {f"{kind}_functions.inc": HEADER + text + "".join(entry + "\n" for entry in entries),
            f"{kind}_headers.inc": HEADER + headers}


def _entries(isa: Isa, form: Form, macro: str, start: int) -> List[str]:
    lines = [f"// {form.loc.file.rpartition('/')[2]}:{form.loc.line}  {form.syntax}"]
    slots = form.dispatch_slots
    name = form.applies or form.sem
    for offset, combination in enumerate(itertools.product(*dispatch_values(form))):
        if complete(form, dict(zip(slots, combination))) is None:
            lines.append(f"HEDDLE_NO_{macro}({start + offset})")
            continue
        values = [0] * len(form.slots)
        for slot, value in zip(slots, combination):
            values[slot] = value
        arguments = ", ".join(argument(isa, form, arg, values) for arg in form.sem_args)
        function = f"heddle::sem::{name}" + (f"<{arguments}>" if form.sem_args else "")
        lines.append(f"HEDDLE_{macro}({start + offset}, {function})")
    lines[0:2] = [lines[0] + "\n" + lines[1]]
    return lines
