# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`require`, `since`, `until` and the conditions in them."""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

from .context import FormContext, Scoped
from .gates import parse_alternative, parse_since
from .model import Alternative, Condition, Detail, Gate, NotationError, Rule
from .operands import split_top
from .reader import WORD


class Unusable(Exception):
    """An inherited detail that does not apply to this form."""


def parse_rule(ctx: FormContext, scoped: Scoped) -> Rule:
    match = re.fullmatch(r'(?:(.*?)=>)?(.*?)(?::\s*"([^"]*)")?', scoped.detail.rest, re.DOTALL)
    loc = scoped.detail.loc
    if not match or not match[2].strip() or (match[1] is not None and not match[1].strip()):
        raise NotationError(loc, 'expected: require [CONDITIONS =>] CONDITIONS [: "message"]')
    when = _conditions(ctx, match[1] or "", scoped)
    return Rule(when, _conditions(ctx, match[2], scoped), match[3] or "", loc, scoped.inherited)


def parse_gate(ctx: FormContext, scoped: Scoped) -> Gate:
    """`since ALTERNATIVES [with OPERAND] [when CONDITIONS]`."""
    detail = scoped.detail
    text, _, condition = detail.rest.partition(" when ")
    text, _, name = text.partition(" with ")
    when = _conditions(ctx, condition, scoped) if condition else ()
    operand = _optional_operand(ctx, name.strip(), scoped) if name else -1
    if detail.keyword == "until":
        return Gate(when, (), parse_alternative(text, detail.loc), detail.loc, scoped.inherited, operand)
    return Gate(when, parse_since(text, detail.loc), Alternative(), detail.loc, scoped.inherited, operand)


def _optional_operand(ctx: FormContext, name: str, scoped: Scoped) -> int:
    for index, operand in enumerate(ctx.form.operands):
        if operand.name == name and operand.optional:
            return index
    if scoped.inherited:
        raise Unusable()
    raise NotationError(scoped.detail.loc, f"the form has no optional operand `{name}`")


def _conditions(ctx: FormContext, text: str, scoped: Scoped) -> Tuple[Condition, ...]:
    conditions = [_condition(ctx, part, scoped) for part in split_top(text) if part]
    return tuple(condition for condition in conditions if condition)


def own_condition(ctx: FormContext, text: str) -> Condition:
    condition = _condition(ctx, text, Scoped(Detail("when", text, ctx.source.loc), False, -1))
    assert condition
    return condition


def _condition(ctx: FormContext, text: str, scoped: Scoped) -> Optional[Condition]:
    """In an inherited detail a modifier that this form lacks counts as absent: None when the condition then holds
    always, Unusable when never."""
    loc, inherited = scoped.detail.loc, scoped.inherited
    match = re.fullmatch(rf"(!?)\s*(?:({WORD})|([A-Za-z][\w:]*?)\s*(!?)=\s*(.+))", text)
    if not match:
        raise NotationError(loc, f"cannot read the condition `{text}`; write .flag, !.flag, group=.a|.b or T=u32|s32")
    negated = bool(match[1]) != bool(match[4])
    if match[2]:
        condition = _presence(ctx, match[2][1:], negated)
        if not condition and not inherited:
            raise NotationError(loc, f"`{match[2]}` is not a modifier of this form")
    else:
        names = [value.strip() for value in match[5].split("|")]
        condition = _equality(ctx, match[3], names, negated, scoped)
        if not condition and "none" in names:
            negated = not negated  # absent is one of the values
    if condition:
        if ctx.form.slots[condition.slot].kind == "operand":
            raise NotationError(loc, f"`{ctx.form.slots[condition.slot].name}` stands at an operand; conditions are about "
                                     "the mnemonic")
        return condition
    if negated:
        return None
    raise Unusable()


def _presence(ctx: FormContext, word: str, negated: bool) -> Optional[Condition]:
    index = ctx.form.slot_named(word)
    if index >= 0:
        return Condition(index, not negated, (0,))
    for index, slot in enumerate(ctx.form.slots):
        value = slot.value_of(word)
        if slot.kind == "group" and value is not None:
            return Condition(index, negated, (value,))
    return None


def _equality(ctx: FormContext, name: str, values: List[str], negated: bool, scoped: Scoped) -> Optional[Condition]:
    loc = scoped.detail.loc
    index = ctx.form.slot_named(name)
    if index < 0:
        if not scoped.inherited:
            raise NotationError(loc, f"`{name}` is not in the form")
        if name not in ctx.isa.groups and not name[0].isupper():
            raise NotationError(loc, f"`{name}` is neither a group nor a type variable")
        return None
    numbers: List[int] = []
    for value in values:
        if value == "*":
            raise NotationError(loc, "`*` is for rows")
        try:
            numbers.append(ctx.cell(index, "-" if value == "none" else value, loc))
        except NotationError:
            group = ctx.form.slots[index].group
            elsewhere = value == "none" or value in ctx.isa.types or (group and value[1:] in group.words)
            if not scoped.inherited or not elsewhere:
                raise
    if not numbers:
        if negated:
            return None
        raise Unusable()  # another form has these values
    return Condition(index, negated, tuple(numbers))
