# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state that the parts of the resolver share while they work on one form."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Dict, List, NamedTuple, Set

from .model import ANY, Detail, Form, Isa, Loc, NotationError, RawForm, RawInsn


class Scoped(NamedTuple):
    detail: Detail
    inherited: bool  # from the insn
    index: int  # among the insn's details


class FormContext:
    def __init__(self, isa: Isa, flags: Set[str], insn: RawInsn, source: RawForm, used: Set[int]) -> None:
        self.isa = isa
        self.flags = flags  # of all forms, for better messages
        self.insn = insn
        self.source = source
        self.used = used  # indices of the insn's details that apply to some form
        self.details = [Scoped(d, True, i) for i, d in enumerate(insn.details)]
        self.details += [Scoped(d, False, -1) for d in source.details]
        header = re.match(r"((?:[^\s{]|\{[^}]*\})+)\s*(.*)", source.text, re.DOTALL)
        if not header:
            raise NotationError(source.loc, "expected: form OPCODE.MODIFIERS OPERANDS")
        self.mnemonic, self.operand_text = header[1], header[2]
        self.variables: Dict[str, List[str]] = {}  # type variable -> types
        self.form = Form(opcode=insn.name, syntax=re.sub(r"\s+", " ", source.text).replace("^", ""), manual="", summary=insn.summary,
                         loc=source.loc, family=PurePath(source.loc.file).stem)

    def cell(self, slot_index: int, cell: str, loc: Loc) -> int:
        slot = self.form.slots[slot_index]
        if cell == "*":
            return ANY
        if cell == "-":
            if slot.required:
                raise NotationError(loc, f"`{slot.name}` cannot be absent")
            return 0
        if slot.numeric:
            return int(cell)
        if slot.kind in ("group", "flag", "word") and cell[:1] != ".":
            raise NotationError(loc, f"`{cell}`: a value of `{slot.name}` starts with a dot")
        word = cell[1:] if slot.kind in ("group", "flag", "word") else cell
        value = slot.value_of(word)
        if value is None:
            known = " ".join(choice.word for choice in slot.choices)
            raise NotationError(loc, f"`{cell}` is not a value of `{slot.name}` ({known})")
        return value
