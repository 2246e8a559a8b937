# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns raw declarations into the model: names become types, groups and slots; every detail is parsed."""

from __future__ import annotations

import re
from typing import Dict, List, Set

from .conditions import Unusable, own_condition, parse_gate, parse_rule
from .context import FormContext, Scoped
from .gates import add_entry
from .model import MAX_SLOTS, Form, Isa, NotationError, Problems, RawInsn
from .modifiers import check_rows, read_rows, read_slots, read_variables
from .operands import parse_operands
from .reader import Raw
from .semantics import parse_case, parse_sem


def resolve(raw: Raw, problems: Problems) -> Isa:
    isa = Isa(types=raw.types, groups=raw.groups, effects=raw.effects)
    for entry in raw.entries:
        try:
            add_entry(isa, entry)
        except NotationError as error:
            problems.catch(error)
    forms: List[Form] = []
    flags = {word for insn in raw.insns for form in insn.forms for word in re.findall(r"\{\.(\w+)\}", form.text)}
    _share_summaries(raw, problems)
    for insn in raw.insns:
        if not insn.forms:
            problems.error(insn.loc, f"insn `{insn.name}` has no form")
        used: Set[int] = set()  # indices of insn details that some form could use
        before = len(problems.errors)
        for form in insn.forms:
            try:
                forms.append(_resolve_form(FormContext(isa, flags, insn, form, used)))
            except NotationError as error:
                problems.catch(error)
        for index, detail in enumerate(insn.details):
            if index not in used and insn.forms and len(problems.errors) == before:
                problems.error(detail.loc, f"no form of `{insn.name}` can use this `{detail.keyword}`")
    forms.sort(key=lambda form: form.opcode)  # stable: file order within an opcode
    for index, form in enumerate(forms):
        form.id = index
    isa.forms = forms
    _find_members(isa, problems)
    return isa


def _find_members(isa: Isa, problems: Problems) -> None:
    """Finds the membermask among the operands of each form. Each effect must belong to a form, and its membermask must be an operand."""
    for name, effect in isa.effects.items():
        forms = [form for form in isa.forms if form.sem == name and form.sem_kind in ("memory", "warp", "engine")]
        for form in forms:
            form.members = next((index for index, operand in enumerate(form.operands)
                                 if operand.name == effect.members), -1)
        if not forms:
            problems.error(effect.loc, f"no form has the `sem` `{name}`")
        elif effect.members and all(form.members < 0 for form in forms):
            problems.error(effect.loc, f"no form of `{name}` has an operand `{effect.members}`")


def _share_summaries(raw: Raw, problems: Problems) -> None:
    """An insn may have declarations in several files; one of them has the summary."""
    first: Dict[str, RawInsn] = {}
    for insn in raw.insns:
        if insn.summary and insn.name in first:
            problems.error(insn.loc, f"insn `{insn.name}` already has its summary at {first[insn.name].loc}; "
                                     f"write only `insn {insn.name}`")
        elif insn.summary:
            first[insn.name] = insn
    for insn in raw.insns:
        if insn.name not in first:
            problems.error(insn.loc, f'insn `{insn.name}` has no summary: insn {insn.name} "..."')
        else:
            insn.summary = insn.summary or first[insn.name].summary


def _resolve_form(ctx: FormContext) -> Form:
    form = ctx.form
    read_variables(ctx)
    read_slots(ctx)
    read_rows(ctx)
    form.operands = parse_operands(ctx.operand_text, form, ctx.isa, ctx.source.loc, lambda text: own_condition(ctx, text))
    check_rows(ctx)
    for scoped in ctx.details:
        _detail(ctx, scoped)
    if not form.sem_kind:
        raise NotationError(form.loc, "the form has no `sem`")
    if not form.manual:
        raise NotationError(form.loc, "the form has no `manual` section")
    if len(form.slots) > MAX_SLOTS:
        raise NotationError(form.loc, f"more than {MAX_SLOTS} modifiers")
    for scoped in ctx.details:
        if scoped.detail.keyword == "case":
            form.cases.append(parse_case(ctx, scoped.detail))
    return form


def _detail(ctx: FormContext, scoped: Scoped) -> None:
    detail, form = scoped.detail, ctx.form
    keyword = detail.keyword
    if keyword in ("rows", "case", "ignores") or keyword in ctx.variables or keyword in ctx.isa.groups:
        if keyword == "case" and scoped.inherited:
            raise NotationError(detail.loc, "a `case` belongs to one form")
        return
    try:
        if keyword == "manual":
            if not re.fullmatch(r"\d+(\.\d+)*", detail.rest):
                raise NotationError(detail.loc, f"`{detail.rest}` is not a section number")
            form.manual = detail.rest
        elif keyword == "require":
            form.rules.append(parse_rule(ctx, scoped))
        elif keyword in ("since", "until"):
            form.gates.append(parse_gate(ctx, scoped))
        elif keyword == "expect" and re.match(r"(ptx|sm)[ _]", detail.rest):
            form.advised_gates.append(parse_gate(ctx, scoped))
        elif keyword == "expect":
            form.advice.append(parse_rule(ctx, scoped))
        elif keyword == "cc":
            if detail.rest not in ("in", "out", "inout"):
                raise NotationError(detail.loc, "expected: cc in, cc out or cc inout")
            form.carry = detail.rest
        elif keyword == "sem":
            parse_sem(ctx, scoped)
        ctx.used.add(scoped.index)
    except Unusable:
        pass
