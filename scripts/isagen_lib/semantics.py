# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`sem` and `case`: the component that executes a form, and its expected results."""

from __future__ import annotations

import re
from typing import List, Optional

from .context import FormContext, Scoped
from .cpp import cpp_type
from .model import Case, Detail, Form, Loc, NotationError, SemArg
from .operands import split_top
from .search import derive, legal

SEM_KINDS = ("lane", "memory", "warp", "engine")
VALUE = re.compile(r"-?(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+|\d+\.\d*([eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+|"
                   r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|inf|nan)|true|false|_")


def parse_sem(ctx: FormContext, scoped: Scoped) -> None:
    form, loc = ctx.form, scoped.detail.loc
    match = re.fullmatch(r"(\w+)\s+([a-z_]\w*)(?:\s+applies\s+([a-z_]\w*))?\s*(?:<(.*?)>)?\s*(?:\(([^()]*)\))?",
                         scoped.detail.rest)
    if not match or match[1] not in SEM_KINDS:
        raise NotationError(loc, f"expected: sem {'|'.join(SEM_KINDS)} NAME [applies FUNCTION]<arguments>(run-time arguments)")
    form.sem_kind, form.sem, form.applies = match[1], match[2], match[3] or ""
    if form.applies and form.sem_kind != "memory":
        raise NotationError(loc, "only a `sem memory` applies a function")
    form.sem_args = [_sem_arg(ctx, arg, loc) for arg in split_top(match[4] or "") if arg]
    form.runtime_slots = []
    for name in (name.strip() for name in (match[5] or "").split(",")):
        if not name:
            continue
        index = form.slot_named(name)
        if index < 0:
            raise NotationError(loc, f"run-time argument `{name}` is not a modifier of the form")
        form.runtime_slots.append(index)


def _sem_arg(ctx: FormContext, text: str, loc: Loc) -> SemArg:
    index = ctx.form.slot_named(text)
    if index >= 0:
        slot = ctx.form.slots[index]
        if slot.kind == "word":  # a type that must be written stands for itself, another word for `true`
            return SemArg(-1, cpp_type(ctx.isa, text) if text in ctx.isa.types else "true")
        return SemArg(index, "")
    if text in ctx.isa.groups:
        raise NotationError(loc, f"group `{text}` is not in the form")
    if re.fullmatch(r"[A-Z]", text):
        raise NotationError(loc, f"type variable `{text}` is not in the form")
    if text in ctx.isa.types:
        return SemArg(-1, cpp_type(ctx.isa, text))
    if re.fullmatch(r"-?\d\w*|true|false", text) or text.startswith("heddle::"):
        return SemArg(-1, text)
    if text in ctx.flags:
        raise NotationError(loc, f"flag `{text}` is not in the form")
    if not re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", text):
        raise NotationError(loc, f"cannot read the argument `{text}`")
    return SemArg(-1, "heddle::sem::" + text)


# There is only one way to split a text into words; otherwise a value of many digits would make the
# search exponential.
WORD = r"[-.]?[A-Za-z0-9_]+(?:(?:::|\.)[A-Za-z0-9_]+)*"


def parse_case(ctx: FormContext, detail: Detail) -> Case:
    form, loc = ctx.form, detail.loc
    match = re.fullmatch(rf"(?:({WORD}(?:\s+{WORD})*)\s*:(?!:))?(.*?)->(.*)", detail.rest)
    if not match:
        raise NotationError(loc, "expected: case [WORDS:] INPUTS -> OUTPUTS")
    values = _case_values(ctx, (match[1] or "").split(), loc)
    inputs = case_side(ctx, match[2], loc)
    outputs = case_side(ctx, match[3].replace("|", ","), loc)
    present = [o for o in form.operands if all(condition.holds(values) for condition in o.present)]
    reads = [o for o in present if not o.written]
    writes = [o for o in present if o.written]
    least = next((i for i, operand in enumerate(reads) if operand.optional), len(reads))
    extra_in = 1 if form.carry in ("in", "inout") else 0
    extra_out = 1 if form.carry in ("out", "inout") else 0
    if not least + extra_in <= len(inputs) <= len(reads) + extra_in:
        raise NotationError(loc, f"the form reads {_count(least, len(reads), extra_in)}, the case gives {len(inputs)}")
    fewest = sum(1 for o in writes if not (o.pair_second and o.optional))
    if not fewest + extra_out <= len(outputs) <= len(writes) + extra_out:
        raise NotationError(loc, f"the form writes {_count(fewest, len(writes), extra_out)}, the case gives "
                                 f"{len(outputs)}")
    return Case(tuple(values), tuple(inputs), tuple(outputs), loc)


def _case_values(ctx: FormContext, words: List[str], loc: Loc) -> List[int]:
    values: List[Optional[int]] = [None] * len(ctx.form.slots)
    for word in words:
        bare = word.lstrip(".")
        if decorate_operand(ctx.form, word, values):
            continue
        for index, slot in enumerate(ctx.form.slots):
            value = slot.value_of(bare)
            if values[index] is None and value is not None and slot.kind not in ("word", "derived", "operand"):
                values[index] = value
                break
        else:
            raise NotationError(loc, f"`{word}` fills no variable of the form")
    for index, slot in enumerate(ctx.form.slots):
        if values[index] is None and slot.kind != "derived":
            if not slot.required:
                values[index] = 0
            elif len(slot.choices) == 1:
                values[index] = slot.choices[0].value
            else:
                raise NotationError(loc, f"the case does not say `{slot.name}`")
    filled = derive(ctx.form, values)
    if len(filled) > 1:
        raise NotationError(loc, "several rows fit the case")
    if not filled or not legal(ctx.form, filled[0]):
        raise NotationError(loc, "the words of the case are no legal combination (rows, require)")
    return filled[0]


def decorate_operand(form: Form, word: str, values: List[Optional[int]]) -> bool:
    """True when `word` is an operand with its sign or word: `-a`, `a.b0`."""
    match = re.fullmatch(r"(-?)(\w+)(?:\.(\w+))?", word)
    operand = next((o for o in form.operands if match and o.name == match[2]), None)
    if not operand:
        return False
    if match[1] and operand.minus_slot >= 0:
        values[operand.minus_slot] = 1
    if match[3] and operand.suffix_slot >= 0:
        values[operand.suffix_slot] = form.slots[operand.suffix_slot].value_of(match[3])
    return operand.minus_slot >= 0 or operand.suffix_slot >= 0


def case_side(ctx: FormContext, text: str, loc: Loc) -> List[str]:
    parts = [part.strip() for part in split_top(text)]
    parts = [] if parts == [""] else parts
    for part in parts:
        scalars = part[1:-1].split(",") if part[:1] == "{" and part[-1:] == "}" else [part]
        for scalar in scalars:
            if not VALUE.fullmatch(scalar.strip()):
                raise NotationError(loc, f"`{scalar.strip()}` is not a value")
    return parts


def _count(least: int, most: int, extra: int) -> str:
    number = f"{most + extra}" if least == most else f"{least + extra} to {most + extra}"
    return f"{number} value{'' if number == '1' else 's'}"
