# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mnemonic of a form: type variables, slots and the rows of legal combinations."""

from __future__ import annotations

import re
from typing import List, Tuple

from .context import FormContext
from .model import ANY, Choice, Condition, Detail, Group, Loc, NotationError, Rule, Slot
from .reader import WORD

# Every other detail is a type variable or a group.
DETAILS = ("manual", "rows", "require", "since", "until", "expect", "ignores", "cc", "sem", "case")


def read_variables(ctx: FormContext) -> None:
    for scoped in ctx.details:
        detail = scoped.detail
        if detail.keyword in DETAILS or detail.keyword in ctx.isa.groups:
            continue
        if not re.fullmatch(r"[A-Z]\w*", detail.keyword):
            raise NotationError(detail.loc, f"unknown detail `{detail.keyword}`: not one of {' '.join(DETAILS)}, "
                                            "a group, or a type variable (upper case)")
        names = detail.rest.split()
        for name in names:
            if name not in ctx.isa.types:
                raise NotationError(detail.loc, f"unknown type `{name}`")
            if names.count(name) > 1:
                raise NotationError(detail.loc, f"type `{name}` is listed twice")
        if not names:
            raise NotationError(detail.loc, f"type variable `{detail.keyword}` has no types")
        ctx.variables[detail.keyword] = names
    for scoped in ctx.details:
        if scoped.detail.keyword == "rows":
            _variables_of_rows(ctx, scoped.detail)


def _variables_of_rows(ctx: FormContext, detail: Detail) -> None:
    """A variable without a line of its own stands for the types of its column."""
    names, rows = _split_rows(ctx, detail)
    for column, name in enumerate(names):
        cells = list(dict.fromkeys(row[column] for row in rows if row[column] != "*"))
        if re.fullmatch(r"[A-Z]\w*", name) and name not in ctx.variables and cells and all(
                cell in ctx.isa.types for cell in cells):
            ctx.variables[name] = cells


def read_slots(ctx: FormContext) -> None:
    opcode = re.match(r"[a-z][a-z0-9_]*", ctx.mnemonic)
    if not opcode or opcode[0] != ctx.insn.name:
        raise NotationError(ctx.source.loc, f"the opcode must be `{ctx.insn.name}`, the name of the insn")
    rest = ctx.mnemonic[opcode.end():]
    pieces = re.findall(rf"\^?{WORD}|\{{[^}}]*\}}", rest)
    if "".join(pieces) != rest:
        raise NotationError(ctx.source.loc, f"cannot read the modifiers `{rest}`")
    for marked in pieces:
        piece = marked.replace("^", "")
        if piece[0] != "{":
            slot = _add_slot(ctx, piece[1:], True)
            ctx.form.slots[slot].head = piece != marked
            continue
        words = re.findall(WORD, piece)
        if not words or marked not in ("{" + "".join(words) + "}", "{^" + "".join(words) + "}"):
            raise NotationError(ctx.source.loc, f"expected `{{.word}}`, got `{marked}`")
        together = [_add_slot(ctx, word[1:], False) for word in words]
        for slot in together:
            ctx.form.slots[slot].head = piece != marked
        for one in together:  # `{.xorsign.abs}`: all of them or none
            for other in together:
                if one != other:
                    names = [ctx.form.slots[one].name, ctx.form.slots[other].name]
                    ctx.form.rules.append(Rule((Condition(one, True, (0,)),), (Condition(other, True, (0,)),),
                                                f"`.{names[0]}` needs `.{names[1]}`", ctx.source.loc))
    _read_ignored(ctx)
    heads = [slot.head for slot in ctx.form.slots]
    if heads != sorted(heads, reverse=True):
        raise NotationError(ctx.source.loc, "what belongs to the opcode (`^`) comes first")
    for scoped in ctx.details:
        name = scoped.detail.keyword
        if scoped.inherited and ctx.form.slot_named(name) >= 0:
            ctx.used.add(scoped.index)
        if (name in ctx.variables or name in ctx.isa.groups) and not scoped.inherited:
            if ctx.form.slot_named(name) < 0 and not _in_rows(ctx, name):
                raise NotationError(scoped.detail.loc, f"`{name}` is not in the form")


def _read_ignored(ctx: FormContext) -> None:
    """`ignores GROUP : "message"`: a word of the group is accepted with a warning."""
    for scoped in ctx.details:
        detail = scoped.detail
        if detail.keyword != "ignores":
            continue
        match = re.fullmatch(r'(\w+)\s*:\s*"([^"]+)"', detail.rest)
        if not match or match[1] not in ctx.isa.groups:
            raise NotationError(detail.loc, 'expected: ignores GROUP : "message"')
        slots, group = ctx.form.slots, ctx.isa.groups[match[1]]
        for word in group.words:
            if any(slot.value_of(word) is not None for slot in slots):
                raise NotationError(detail.loc, f"`.{word}` means something in this form")
        slots.append(Slot(group.name, "group", False, _group_choices(ctx, group), group, ignored=True))
        ctx.form.advice.append(Rule((), (Condition(len(slots) - 1, False, (0,)),), match[2], detail.loc, scoped.inherited))
        ctx.used.add(scoped.index)


def _in_rows(ctx: FormContext, name: str) -> bool:
    return any(s.detail.keyword == "rows" and name in s.detail.rest.split() for s in ctx.details)


def _add_slot(ctx: FormContext, name: str, required: bool) -> int:
    loc = ctx.source.loc
    if ctx.form.slot_named(name) >= 0 and name not in ctx.isa.types:
        raise NotationError(loc, f"`.{name}` is in the mnemonic twice")
    if name in ctx.variables:
        choices = [Choice(t, ctx.isa.types[t].index) for t in ctx.variables[name]]
        slot = Slot(name, "type", required, choices)
    elif name in ctx.isa.groups:
        slot = Slot(name, "group", required, _group_choices(ctx, ctx.isa.groups[name]),
                    ctx.isa.groups[name])
    elif re.fullmatch(r"[A-Z]", name):
        raise NotationError(loc, f"type variable `{name}` has no list of types")
    else:
        slot = Slot(name, "word" if required else "flag", required, [Choice(name, 1)])
    ctx.form.slots.append(slot)
    return len(ctx.form.slots) - 1


def _group_choices(ctx: FormContext, group: Group) -> List[Choice]:
    words = list(group.words)
    for scoped in ctx.details:  # a form's own line comes after the inherited one and wins
        if scoped.detail.keyword == group.name:
            words = [_group_word(ctx, group, word, scoped.detail.loc) for word in scoped.detail.rest.split()]
            if not words:
                raise NotationError(scoped.detail.loc, f"group `{group.name}` is narrowed to nothing")
    return [Choice(word, group.words.index(word) + 1) for word in words]


def _group_word(ctx: FormContext, group: Group, word: str, loc: Loc) -> str:
    if word[:1] != "." or word[1:] not in group.words:
        raise NotationError(loc, f"group `{group.name}` has no word `{word}`")
    return word[1:]


def read_rows(ctx: FormContext) -> None:
    lines = [s for s in ctx.details if s.detail.keyword == "rows"]
    own = [s for s in lines if not s.inherited]
    chosen = own or lines
    for scoped in lines:
        if scoped.inherited and scoped not in chosen:
            ctx.used.add(scoped.index)  # replaced on purpose
    if not chosen:
        return
    if len(chosen) > 1:
        raise NotationError(chosen[1].detail.loc, "a form has one `rows`; go on in deeper indented lines")
    detail = chosen[0].detail
    names, rows = _split_rows(ctx, detail)
    if chosen[0].inherited and not any(ctx.form.slot_named(name) >= 0 for name in names):
        return
    ctx.used.add(chosen[0].index)
    for column, name in enumerate(names):
        if ctx.form.slot_named(name) < 0:
            _add_derived(ctx, name, [row[column] for row in rows], detail.loc)
    ctx.form.row_slots = [ctx.form.slot_named(name) for name in names]
    for row in rows:
        cells = tuple(ctx.cell(slot, cell, detail.loc) for slot, cell in zip(ctx.form.row_slots, row))
        if cells in ctx.form.rows:
            raise NotationError(detail.loc, f"row `{' '.join(row)}` is there twice")
        ctx.form.rows.append(cells)


def _split_rows(ctx: FormContext, detail: Detail) -> Tuple[List[str], List[List[str]]]:
    tokens = detail.rest.replace("|", " | ").split()
    names: List[str] = []
    while tokens and (re.fullmatch(r"[A-Z]\w*", tokens[0]) or tokens[0] in ctx.isa.groups or
                      re.search(rf"\.{re.escape(tokens[0])}\b", ctx.mnemonic) and tokens[0] not in ctx.isa.types):
        names.append(tokens.pop(0))
    if not names:
        raise NotationError(detail.loc, "expected: rows VARIABLE... VALUE... | VALUE... | ...")
    rows = [part.split() for part in " ".join(tokens).strip(" |").split("|")]
    for row in rows:
        if len(row) != len(names):
            raise NotationError(detail.loc, f"row `{' '.join(row)}` has {len(row)} values for "
                                            f"{len(names)} variables ({' '.join(names)})")
    return names, rows


def _add_derived(ctx: FormContext, name: str, cells: List[str], loc: Loc) -> None:
    if not re.fullmatch(r"[A-Z]\w*", name):
        raise NotationError(loc, f"`{name}` is not in the form (only type variables can be left out of it)")
    if "*" in cells:
        raise NotationError(loc, f"`{name}` is not in the mnemonic, so every row must say its value")
    values = list(dict.fromkeys(cells))
    if all(re.fullmatch(r"\d+", value) for value in values):
        slot = Slot(name, "derived", True, [Choice("", int(value)) for value in values], numeric=True)
        if any(int(value) >= ANY for value in values):
            raise NotationError(loc, f"a number in rows must be below {ANY}")
    else:
        for value in values:
            if value not in ctx.isa.types:
                raise NotationError(loc, f"unknown type `{value}`")
        slot = Slot(name, "derived", True, [Choice(value, ctx.isa.types[value].index) for value in values])
    ctx.form.slots.append(slot)


def check_rows(ctx: FormContext) -> None:
    """A type that no row allows is not a choice; listing it is a mistake in the table."""
    for position, index in enumerate(ctx.form.row_slots):
        slot = ctx.form.slots[index]
        column = {row[position] for row in ctx.form.rows}
        if slot.kind == "type" and ANY not in column:
            for choice in slot.choices:
                if choice.value not in column:
                    raise NotationError(ctx.source.loc, f"no row has `{slot.name}` = `{choice.word}`")
