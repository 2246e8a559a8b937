# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""isa/tables.cpp: the form table and the names, as static data that needs no code at start.

Everything of one kind lives in one pool array, equal sequences once; a form points into the pools.
"""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from .cpp import HEADER, identifier, string
from .model import Alternative, Condition, Entry, Form, Gate, Isa, Operand, Rule, Slot

NO_WORD = 0xFFFF
SLOT_KINDS = {"operand": "at_operand"}


class Pool:
    """An array of C++ initializers; `span` appends a sequence, or finds it, and says where it is."""

    def __init__(self, name: str, element: str) -> None:
        self.name = name
        self.element = element
        self.items: List[str] = []
        self.known: Dict[Tuple[str, ...], int] = {}

    def span(self, items: Sequence[str]) -> str:
        if not items:
            return "{}"
        key = tuple(items)
        if key not in self.known:
            self.known[key] = len(self.items)
            self.items += items
        return f"{{{self.name} + {self.known[key]}, {len(key)}}}"

    def text(self) -> str:
        if not self.items:
            return ""
        separator = ", " if len(self.items[0]) < 8 else ",\n"
        lines, line = [], ""
        for item in self.items:
            if separator == ",\n" or len(line) + len(item) > 96:
                lines.append(line)
                line = ""
            line += item + ", "
        lines.append(line)
        return f"constexpr {self.element} {self.name}[] = {{" + "\n".join(lines) + "};\n\n"


class Tables:
    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.words = sorted({choice.word for form in isa.forms for slot in form.slots for choice in slot.choices
                             if choice.word})
        self.word_index = {word: index for index, word in enumerate(self.words)}
        self.bytes = Pool("kBytes", "u8")
        self.choices = Pool("kChoices", "Choice")
        self.slots = Pool("kSlots", "Slot")
        self.conditions = Pool("kConditions", "Condition")
        self.rules = Pool("kRules", "Rule")
        self.alternatives = Pool("kAlternatives", "GateAlternative")
        self.gates = Pool("kGates", "Gate")
        self.form_gates = Pool("kFormGates", "ConditionalGate")
        self.operands = Pool("kOperands", "OperandSpec")
        self.types = Pool("kTypes", "Type")
        self.constants = Pool("kConstants", "s64")
        self.pools = [self.bytes, self.constants, self.choices, self.slots, self.conditions, self.rules, self.alternatives,
                      self.gates, self.form_gates, self.operands, self.types]

    def byte_span(self, values: Sequence[int]) -> str:
        return self.bytes.span([str(value) for value in values])

    def slot(self, slot: Slot) -> str:
        choices = self.choices.span([f"{{{self.word_index.get(c.word, NO_WORD)}, {c.value}}}" for c in slot.choices])
        kind = SLOT_KINDS.get(slot.kind, slot.kind)
        return f"{{{string(slot.name)}, SlotKind::{kind}, {_bool(slot.required)}, {choices}, {_bool(slot.head)}}}"

    def condition_span(self, conditions: Sequence[Condition]) -> str:
        return self.conditions.span([f"{{{c.slot}, {_bool(c.negated)}, {self.byte_span(c.values)}}}"
                                     for c in conditions])

    def rule(self, rule: Rule) -> str:
        return f"{{{self.condition_span(rule.when)}, {self.condition_span(rule.then)}, {string(rule.message)}}}"

    def gate(self, gate: Gate) -> str:
        return f"{{{self.alternatives.span([_alternative(a) for a in gate.since])}, {_alternative(gate.until)}}}"

    def operand(self, operand: Operand) -> str:
        fields = [f".name = {string(operand.name)}", f".kind = OperandKind::{operand.kind}"]
        for flag in ("written", "also_read", "optional", "pair_second", "negatable", "wide", "register_only", "sink",
                     "symbol_allowed", "free", "loose", "raw", "cut", "exact", "as_bits", "special_allowed",
                     "generic_address", "indexed", "spread", "whole", "vector", "bare", "full_width"):
            if getattr(operand, flag):
                fields.append(f".{flag} = true")
        if operand.type:
            fields.append(f".type = Type::{self.isa.type_at(operand.type).name}")
        for name, default in (("type_slot", -1), ("vector_slot", -1), ("vector_length", 1), ("space_slot", -1),
                              ("least_bits", 0), ("imm_last", -1)):
            if getattr(operand, name) != default:
                fields.append(f".{name} = {getattr(operand, name)}")
        if operand.space:
            fields.append(f".space = {string(operand.space)}")
        if operand.symbol_space:
            fields.append(f".symbol_space = {string(operand.symbol_space)}")
        if operand.imm_min <= operand.imm_max:
            fields.append(f".imm_min = {operand.imm_min}, .imm_max = {operand.imm_max}")
        if operand.imm_step > 1:
            fields.append(f".imm_step = {operand.imm_step}")
        if operand.imm_above:
            fields.append(".imm_above = true")
        if operand.imm_values:
            fields.append(f".imm_values = {self.constants.span([str(value) for value in operand.imm_values])}")
        if operand.bracketed:
            fields.append(".bracketed = true")
        if operand.suffix:
            fields.append(f".suffix = {string(operand.suffix)}")
        for name in ("suffix_slot", "minus_slot"):
            if getattr(operand, name) >= 0:
                fields.append(f".{name} = {getattr(operand, name)}")
        if operand.present:
            fields.append(f".present = {self.condition_span(operand.present)}")
        return "{" + ", ".join(fields) + "}"

    def form(self, form: Form) -> str:
        gates, advised = ([f"{{{self.condition_span(gate.when)}, {self.gate(gate)}, {gate.operand}}}" for gate in some]
                          for some in (form.gates, form.advised_gates))
        handler = identifier(form.sem) if form.sem_kind in ("memory", "warp", "engine") else "none"
        fields = [
            str(form.id), string(form.opcode), string(form.syntax), string(form.manual), string(form.summary),
            string(f"{form.loc.file.rpartition('/')[2]}:{form.loc.line}"),
            self.slots.span([self.slot(slot) for slot in form.slots]),
            self.operands.span([self.operand(operand) for operand in form.operands]),
            self.byte_span(form.row_slots), self.byte_span([cell for row in form.rows for cell in row]),
            self.rules.span([self.rule(rule) for rule in form.rules]), self.form_gates.span(gates),
            self.rules.span([self.rule(rule) for rule in form.advice]), self.form_gates.span(advised),
            f"CarryUse::{form.carry}", f"SemKind::{form.sem_kind}", string(form.sem), f"SemId::{handler}",
            str(form.dispatch_base), self.byte_span(form.dispatch_slots), self.byte_span(form.runtime_slots),
            str(form.members), string(form.applies),
        ]
        return "{" + ", ".join(fields) + "}"

    def entry(self, entry: Entry) -> str:
        return ("{" + ", ".join([string(entry.name), string(entry.summary), string(entry.manual),
                                 self.gates.span([self.gate(gate) for gate in entry.gates])]) + "}")

    def special_register(self, entry: Entry) -> str:
        legacy = self.types.span([f"Type::{self.isa.type_at(t).name}" for t in entry.legacy])
        fields = [string(entry.name), string(entry.summary), string(entry.manual),
                  f"Type::{self.isa.type_at(entry.type).name}", str(entry.vector_length), legacy,
                  self.gates.span([self.gate(gate) for gate in entry.gates])]
        return "{" + ", ".join(fields) + "}"


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _alternative(a: Alternative) -> str:
    suffix = f"'{a.target.suffix}'" if a.target.suffix else "0"
    return f"{{{{{a.ptx.major}, {a.ptx.minor}}}, {{{a.target.sm}, {suffix}}}}}"


def hash_text(text: str) -> int:
    """FNV-1a, as src/isa/hash.h."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def hash_index(names: Sequence[str]) -> List[int]:
    """Open addressing: position + 1 of the name whose hash falls there, 0 for a free place."""
    size = 1
    while size < 2 * len(names) + 1:
        size *= 2
    table = [0] * size
    for position, name in enumerate(names):
        place = hash_text(name) % size
        while table[place]:
            place = (place + 1) % size
        table[place] = position + 1
    return table


def _array(element: str, name: str, items: Sequence[str]) -> str:
    return f"constexpr {element} {name}[] = {{\n" + "".join(f"    {item},\n" for item in items) + "};\n\n"


def _span(function: str, element: str, name: str, items: Sequence) -> str:
    value = name if items else "{}"
    return f"std::span<const {element}> {function}() {{ return {value}; }}\n"


def tables_cpp(isa: Isa) -> str:
    tables = Tables(isa)
    forms = [tables.form(form) for form in isa.forms]
    registers = [tables.special_register(entry) for entry in isa.special_registers]
    lists = {"directives": isa.directives, "pragmas": isa.pragmas, "targets": isa.targets}
    entries = {name: [tables.entry(entry) for entry in group] for name, group in lists.items()}
    opcodes = sorted({form.opcode for form in isa.forms})
    firsts = [next(form.id for form in isa.forms if form.opcode == opcode) for opcode in opcodes]
    type_names = [t.name for t in isa.types.values()]
    register_names = [entry.name for entry in isa.special_registers]

    text = HEADER + '#include "isa/tables.h"\n\nnamespace heddle::isa {\nnamespace {\n\n'
    text += "".join(pool.text() for pool in tables.pools)
    for element, name, items in (
            ("Form", "kForms", forms), ("SpecialRegisterInfo", "kSpecialRegisters", registers),
            ("Entry", "kDirectives", entries["directives"]), ("Entry", "kPragmas", entries["pragmas"]),
            ("Entry", "kTargets", entries["targets"]),
            ("std::string_view", "kOpcodes", [string(name) for name in opcodes]),
            ("std::string_view", "kWords", [string(word) for word in tables.words])):
        if items:
            text += _array(element, name, items)
    text += _array("u16", "kOpcodeFirst", [str(first) for first in firsts + [len(forms)]])
    for name, names in (("kOpcodeHash", opcodes), ("kWordHash", tables.words), ("kTypeHash", type_names),
                        ("kRegisterHash", register_names)):
        text += f"constexpr u16 {name}[] = {{{', '.join(map(str, hash_index(names)))}}};\n"
    text += "\n}  // namespace\n\n"
    text += _span("forms", "Form", "kForms", forms) + _span("opcodes", "std::string_view", "kOpcodes", opcodes)
    text += _span("directives", "Entry", "kDirectives", entries["directives"])
    text += _span("pragmas", "Entry", "kPragmas", entries["pragmas"])
    text += _span("targets", "Entry", "kTargets", entries["targets"])
    text += _span("special_registers", "SpecialRegisterInfo", "kSpecialRegisters", registers)
    text += "\nnamespace tables {\n"
    text += _span("words", "std::string_view", "kWords", tables.words)
    text += _span("opcode_first", "u16", "kOpcodeFirst", firsts)
    for name in ("opcode_hash", "word_hash", "type_hash", "register_hash"):
        text += _span(name, "u16", "k" + "".join(part.capitalize() for part in name.split("_")), [1])
    return text + "}  // namespace tables\n\n}  // namespace heddle::isa\n"
