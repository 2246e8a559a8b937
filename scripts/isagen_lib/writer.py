# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes instructions of a form as PTX text."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from .matching import is_vector, operand_type, vector_length, written_words
from .model import Form, Isa, Operand, Target


class Writer:
    """Writes instructions of one form. `replace` gives other texts for some operands."""

    def __init__(self, isa: Isa, form: Form, values: Sequence[int], optional: bool,
                 replace: Optional[Dict[str, Callable[[Writer], str]]] = None) -> None:
        self.isa = isa
        self.form = form
        self.values = values
        self.optional = optional
        self.replace = replace or {}
        self.used: Counter = Counter()
        self.operands = [text for text in self._operands(optional)]

    def mnemonic(self) -> str:
        return ".".join([self.form.opcode] + written_words(self.form, self.values))

    def text(self, operands: Optional[List[str]] = None) -> str:
        operands = self.operands if operands is None else operands
        return (self.mnemonic() + " " + ", ".join(operands)).strip() + ";"

    def target(self, target: Target) -> str:
        """As `.target` names it."""
        return f"{target}, texmode_independent" if any("samplerref_0" in text for text in self.operands) else str(target)

    def declarations(self) -> str:
        lines = [f".reg .{self._register_type(name)} %r_{name}_<{count}>;" for name, count in self.used.items()]
        return " ".join(lines) or "-"

    def register(self, name: str) -> str:
        self.used[name] += 1
        return f"%r_{name}_{self.used[name] - 1}"

    def _register_type(self, name: str) -> str:
        t = self.isa.types[name]
        return f"b{t.bits}" if t.cls in ("packed", "opaque") or name == "f16" else name

    def _operands(self, optional: bool) -> Iterator[str]:
        pending: List[str] = []  # the pieces of an address or pair that is still open
        for text, operand in self._parts(optional):
            if operand.bracketed:
                pending[-1] = pending[-1][:-1] + f", {text}]"
            elif operand.pair_second:
                pending[-1] += f"|{text}"
            else:
                yield from pending
                pending = [text]
        yield from pending

    def _parts(self, optional: bool) -> Iterator[Tuple[str, Operand]]:
        for operand, follower in zip_longest(self.form.operands, self.form.operands[1:]):
            if operand.kind == "lanes":
                continue
            if operand.optional and not optional:
                if operand.pair_second:
                    continue
                return
            if all(condition.holds(self.values) for condition in operand.present):
                if operand.name in self.replace:
                    text = self.replace[operand.name](self)
                else:
                    text = decorate(self.form, operand, self.values, self._operand(operand))
                if optional and follower and follower.kind == "lanes":
                    text += "." + follower.suffix[0] + follower.suffix[:0:-1]
                yield text, operand

    def _operand(self, operand: Operand) -> str:
        if operand.kind == "imm":
            return str(operand.imm_min if operand.imm_min <= operand.imm_max else 1)
        if operand.kind == "function" and operand.register_only:
            return self.register("u64")
        if operand.kind == "sink":
            return "_"
        if operand.kind == "address":
            if self.form.opcode == "st" and operand.space_slot >= 0 and self.form.slots[operand.space_slot].word_of(
                    self.values[operand.space_slot]).startswith("param"):
                return "[param_0]"  # a written operand is an argument, which has a name
            base = self.isa.type_at(operand.type).name if operand.type else "u64"
            return f"[{self._object(operand.type) or self.register(base)}]"
        if operand.kind != "value":
            return {"label": "label_0", "function": f"function_{self._lists()}", "list": "(param_0)",
                    "targets": f"targets_{self._lists()}", "proto": f"proto_{self._lists()}"}[operand.kind]
        type_index = operand_type(self.form, operand, self.values)
        if self._object(type_index):
            return self._object(type_index)
        name = self.isa.type_at(type_index).name
        if not is_vector(self.form, operand, self.values):
            return self.register(name)
        length = vector_length(self.form, operand, self.values)
        return "{" + ", ".join(self.register(name) for _ in range(length)) + "}"

    def _lists(self) -> int:
        """The kind of function that a call names: bit 0: it has a parameter, bit 1: a result."""
        lists = [operand for operand in self.form.operands if operand.kind == "list" and
                 (self.optional or not operand.optional)]
        return sum(2 if operand.written else 1 for operand in lists)

    def _object(self, type_index: int) -> str:
        """The name of a texture, sampler or surface; empty for other types."""
        t = self.isa.type_at(type_index) if type_index else None
        return f"{t.name}_0" if t and t.cls == "opaque" else ""


def decorate(form: Form, operand: Operand, values: Sequence[int], text: str) -> str:
    """With the sign and the word that the at-operand slots say: `-a.b0`."""
    if operand.minus_slot >= 0 and values[operand.minus_slot]:
        text = "-" + text
    if operand.suffix_slot >= 0 and values[operand.suffix_slot]:
        text += "." + form.slots[operand.suffix_slot].word_of(values[operand.suffix_slot])
    return text


def operand_counts(form: Form, values: Sequence[int]) -> Tuple[int, int]:
    """The least and the greatest number of operands of the form."""
    least, most, required = 0, 0, True
    for operand in form.operands:
        if operand.pair_second or operand.bracketed or operand.kind == "lanes":
            continue
        required = required and not operand.optional
        if all(condition.holds(values) for condition in operand.present):
            most += 1
            least += required
    return least, most
