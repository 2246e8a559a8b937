# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operand part of a form: `d:T{|p:pred}, a:wide(T)*vec, [b:shared]{, c:imm(0..255)}`."""

from __future__ import annotations

import re
from typing import Callable, List, Tuple

from .model import Choice, Condition, Form, Isa, Loc, NotationError, Operand, Slot

WRAPPERS = {"wide": "wide", "reg": "register_only", "sink": "sink", "any": "symbol_allowed", "inout": "also_read",
            "bare": "bare", "free": "free", "loose": "loose", "raw": "raw", "cut": "cut", "bits": "as_bits",
            "sreg": "special_allowed", "pointer": "generic_address", "index": "indexed",
            "spread": "spread", "whole": "whole"}  # and the flag in Operand
KINDS = ("label", "function", "list", "targets", "proto")
SPACES = ("const", "global", "local", "param", "param::entry", "param::func", "shared", "shared::cta",
          "shared::cluster", "generic")


def split_top(text: str, separator: str = ",") -> List[str]:
    """Splits at separators that are outside of all brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([{<") - (char in ")]}>")
        if char == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def parse_operands(text: str, form: Form, isa: Isa, loc: Loc,
                   condition: Callable[[str], Condition]) -> List[Operand]:
    """`condition` reads the text after `when`."""
    operands: List[Operand] = []
    for part, optional in _optional_parts(text, loc):
        part, _, when = part.partition(" when ")
        parsed = _Parser(form, isa, loc).operand(part.strip())
        parsed[0].optional = optional
        if when:
            for operand in parsed:
                operand.present = (condition(when.strip()),)
        operands += parsed
    names = [operand.name for operand in operands]
    for name in names:
        if names.count(name) > 1:
            raise NotationError(loc, f"operand `{name}` is there twice")
    _mark_written(operands)
    return operands


def _optional_parts(text: str, loc: Loc) -> List[Tuple[str, bool]]:
    """`a, b{, c, d{, e}}` as [(a, no), (b, no), (c, yes), (d, no), (e, yes)]."""
    text = text.strip()
    if not text:
        return []
    start = re.search(r"\{\s*,|^\{(?!-)", text)
    if not start:
        return [(part, False) for part in split_top(text)]
    if not text.endswith("}"):
        raise NotationError(loc, "an optional part `{, ...}` ends the operands")
    before = [(part, False) for part in split_top(text[:start.start()])] if start.start() else []
    tail = _optional_parts(text[start.end():-1], loc)
    if not tail:
        raise NotationError(loc, "empty optional part")
    return before + [(tail[0][0], True)] + tail[1:]


def _mark_written(operands: List[Operand]) -> None:
    """The destination: a first operand named d..., p or q, a first pair, a first list."""
    if not operands:
        return
    first = operands[0]
    paired = len(operands) > 1 and operands[1].pair_second
    if first.kind == "value" and (first.name[0] == "d" or first.name in ("p", "q") or paired):
        first.written = True
        if paired:
            operands[1].written = True
        elif len(operands) > 1 and operands[1].name[0] == "d" and operands[1].kind == "value":
            operands[1].written = True
    elif first.kind == "list":
        first.written = len(operands) > 1 and operands[1].kind == "function"


class _Parser:
    def __init__(self, form: Form, isa: Isa, loc: Loc) -> None:
        self.form = form
        self.isa = isa
        self.loc = loc

    def fail(self, message: str) -> NotationError:
        return NotationError(self.loc, message)

    def operand(self, text: str) -> List[Operand]:
        if text[:1] == "[":
            return self.address(text)
        lanes = re.fullmatch(r"(.+)\{\.([a-z]\d+)\((\d)\.\.(\d)\)\}", text)
        if lanes:
            owner = self.value(lanes[1])
            return [owner, self.lanes(owner.name, lanes[2], lanes[3], lanes[4])]
        pair = re.fullmatch(r"([^|{]+)(?:\|([^|{]+)|\{\|([^|{}]+)\})", text)
        if not pair or "(" in pair[1] and ")" not in pair[1]:  # the constants of `imm(-1|1)`
            return [self.value(text)]
        first, second = self.value(pair[1].strip()), self.value((pair[2] or pair[3]).strip())
        second.pair_second = True
        second.optional = pair[3] is not None
        first.sink, second.sink = not first.register_only, not second.register_only
        return [first, second]

    def lanes(self, owner: str, word: str, least: str, most: str) -> Operand:
        """`{.b3210(0..7)}`: may be written behind the operand `owner`."""
        lanes = Operand(f"{owner}_lanes", kind="lanes", suffix=word)
        lanes.type = self.isa.types["u32"].index if "u32" in self.isa.types else 0
        self.constants(lanes, f"{least}..{most}")
        if not all(lanes.imm_min <= int(digit) <= lanes.imm_max for digit in word[1:]):
            raise self.fail(f"`.{word}`: a digit is outside of {least}..{most}")
        return lanes

    def address(self, text: str) -> List[Operand]:
        shape = re.fullmatch(r"\[(.*)\](?:\{\.(\w+)\})?", text)
        if not shape:
            raise self.fail(f"cannot read the operand `{text}`")
        head, *rest = split_top(shape[1])
        name, _, spec = (part.strip() for part in head.removeprefix("full ").partition(":"))
        self.check_name(name)
        address = Operand(name, kind="address", space_slot=self.form.slot_named("ss"),
                          full_width=head.startswith("full "))
        wrapper = re.fullmatch(r"(free|exact)\((.*)\)", spec)
        if wrapper:
            setattr(address, wrapper[1], True)
            spec = wrapper[2]
        if spec in ("32..", "64.."):
            address.least_bits, spec = int(spec[:2]), ""
        if spec[-1:] == "?" and spec[:-1] in SPACES:
            address.symbol_space = spec[:-1]
        elif spec in SPACES:
            address.space, address.space_slot = "" if spec == "generic" else spec, -1
        elif spec in self.isa.types:
            address.type, address.space_slot = self.isa.types[spec].index, -1
        elif spec:
            address.space_slot = self.form.slot_named(spec)
            if address.space_slot < 0:
                raise self.fail(f"`{spec}` is neither a state space, a type nor a group of the form")
        inner = []
        for part in rest:
            for operand in self.operand(part):
                operand.bracketed = True
                inner.append(operand)
        address.suffix = shape[2] or ""
        return [address] + inner

    def check_name(self, name: str) -> None:
        if not re.fullmatch(r"[a-z]\w*", name):
            raise self.fail(f"cannot read the operand `{name}`")

    def value(self, text: str) -> Operand:
        if text == "_":
            return Operand("_", kind="sink", sink=True)
        decorated = re.fullmatch(r"(\{-\}|-)?([^{}.]+)(?:\{\.(\w+)\}|\.(\w+))?", text)
        if decorated and (decorated[1] or decorated[3] or decorated[4]):
            operand = self.value(decorated[2])
            if decorated[1]:
                slot = Slot(f"minus_{operand.name}", "operand", decorated[1] == "-", [Choice("", 1)])
                operand.minus_slot = self.add_slot(slot)
            if decorated[3] or decorated[4]:
                group = self.isa.groups.get(decorated[3] or decorated[4])
                if not group:
                    raise self.fail(f"`.{decorated[3] or decorated[4]}` behind an operand must be a group")
                choices = [Choice(word, index + 1) for index, word in enumerate(group.words)]
                operand.suffix_slot = self.add_slot(Slot(group.name, "operand", not decorated[3], choices, group))
            return operand
        match = re.fullmatch(r"(!?)\s*([A-Za-z]\w*)\s*(?::\s*(.+))?", text)
        if not match:
            raise self.fail(f"cannot read the operand `{text}`")
        self.check_name(match[2])
        if not match[3]:
            raise self.fail(f"operand `{match[2]}` needs a type: `{match[2]}:T`, `{match[2]}:u32`")
        operand = Operand(match[2], negatable=bool(match[1]))
        self.spec(operand, match[3])
        return operand

    def add_slot(self, slot: Slot) -> int:
        if self.form.slot_named(slot.name) >= 0:
            raise self.fail(f"`{slot.name}` is in the form twice")
        self.form.slots.append(slot)
        return len(self.form.slots) - 1

    def spec(self, operand: Operand, text: str) -> None:
        if text in KINDS:
            operand.kind = text
            return
        imm = re.fullmatch(r"imm(?:\((.*)\))?", text)
        if imm:
            operand.kind = "imm"
            operand.type = self.isa.types["u32"].index if "u32" in self.isa.types else 0
            if imm[1]:
                self.constants(operand, imm[1])
            return
        wrapper = re.fullmatch(r"(\w+)\((.*)\)(\*\w+)?", text)
        if wrapper:
            if wrapper[1] in WRAPPERS:
                setattr(operand, WRAPPERS[wrapper[1]], True)
                self.spec(operand, wrapper[2])
            elif ".." in wrapper[2] or "|" in wrapper[2]:
                self.type(operand, wrapper[1])
                self.constants(operand, wrapper[2])
            else:
                raise self.fail(f"unknown operand kind `{wrapper[1]}(...)`; one of imm, {', '.join(WRAPPERS)}")
            if wrapper[3]:
                self.vector(operand, wrapper[3][1:])
            return
        match = re.fullmatch(r"([A-Za-z]\w*)(?:\*(\w+))?", text)
        if not match:
            raise self.fail(f"cannot read the operand type `{text}`")
        self.type(operand, match[1])
        if match[2]:
            self.vector(operand, match[2])

    def constants(self, operand: Operand, text: str) -> None:
        """`0..255`, `24..256/8` (in steps of 8), `!0..1` (without 0) or `-1|1`; and for the last element of a vector `, 0..3`."""
        text, _, last = (part.strip() for part in text.partition(","))
        if last:
            span = re.fullmatch(r"0\.\.(\d+)", last)
            if not span:
                raise self.fail(f"`{last}`: the range of the last element is `0..` and a number")
            operand.imm_last = int(span[1])
        try:
            if "|" in text:
                values = [int(value, 0) for value in text.split("|")]
            else:
                span, _, step = text.partition("/")
                operand.imm_above = span.startswith("!")
                least, most = (int(value, 0) for value in span.removeprefix("!").split(".."))
                if least > most or (most - least) % int(step or "1", 0):
                    raise self.fail(f"empty range `{text}`" if least > most else f"`{text}`: the steps miss the end")
                operand.imm_min, operand.imm_max, operand.imm_step = least, most, int(step or "1", 0)
                return
        except ValueError:
            raise self.fail(f"cannot read the constants `{text}`") from None
        if values != sorted(set(values)):
            raise self.fail(f"`{text}`: constants go up and differ")
        operand.imm_min, operand.imm_max, operand.imm_values = values[0], values[-1], tuple(values)

    def type(self, operand: Operand, name: str) -> None:
        slot = self.form.slot_named(name)
        if slot >= 0 and self.form.slots[slot].kind in ("type", "derived") and not self.form.slots[slot].numeric:
            operand.type_slot = slot
        elif name in self.isa.types:
            operand.type = self.isa.types[name].index
        elif name[0].isupper():
            raise self.fail(f"type variable `{name}` of operand `{operand.name}` is neither in the mnemonic nor in rows")
        else:
            raise self.fail(f"unknown type `{name}`")

    def vector(self, operand: Operand, text: str) -> None:
        if text.isdigit():
            operand.vector_length, operand.vector = int(text), True
            return
        operand.vector_slot = self.form.slot_named(text)
        if operand.vector_slot < 0:
            raise self.fail(f"`*{text}`: neither a number, a group of the form nor a number in rows")
        slot = self.form.slots[operand.vector_slot]
        if not slot.numeric and slot.kind not in ("group", "word", "flag"):
            raise self.fail(f"`*{text}` does not say a length")
