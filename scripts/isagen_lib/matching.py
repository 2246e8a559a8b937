# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resolves a written mnemonic against forms, as src/isa/match.cpp does: isagen needs the checker's verdict for
the tests that it writes."""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .model import Form, Gate, Isa, Operand, Slot, Target, Version
from .search import derive, rule_fits


class Candidate(NamedTuple):
    form: Form
    values: List[int]


def is_type_slot(isa: Isa, slot: Slot) -> bool:
    return slot.in_mnemonic and any(choice.word in isa.types for choice in slot.choices)


def keep_order(isa: Isa, one: Slot, other: Slot) -> bool:
    """Slots for types, slots that share a word (`.row.col`), and those of the opcode (`^`), which come first, are
    filled from left to right; others in any order."""
    if not (one.in_mnemonic and other.in_mnemonic):
        return False
    return one.head or (is_type_slot(isa, one) and is_type_slot(isa, other)) or any(other.value_of(c.word) for c in one.choices)


def later_slots(isa: Isa, form: Form) -> List[List[int]]:
    """For each slot: the slots that must be empty when it is filled."""
    if form.later_slots is None:
        form.later_slots = [[later for later in range(index + 1, len(form.slots))
                               if keep_order(isa, slot, form.slots[later])] for index, slot in enumerate(form.slots)]
    return form.later_slots


def slots_by_word(form: Form) -> Dict[str, List[Tuple[int, int]]]:
    """The slots of the mnemonic that a word may fill, from left to right, and their values then."""
    if form.slots_by_word is None:
        form.slots_by_word = {}
        for index, slot in enumerate(form.slots):
            for word in dict.fromkeys(choice.word for choice in slot.choices if slot.in_mnemonic):
                form.slots_by_word.setdefault(word, []).append((index, slot.value_of(word)))
    return form.slots_by_word


def fill(isa: Isa, form: Form, words: Sequence[str]) -> Optional[List[Optional[int]]]:
    """Slot values (None: derived), if every word has a slot and every required slot a word."""
    values: List[Optional[int]] = [None] * len(form.slots)
    after = later_slots(isa, form)
    by_word = slots_by_word(form)
    if any(word not in by_word for word in words):
        return None

    def assign(position: int) -> bool:
        if position == len(words):
            return all(values[i] is not None or not slot.required or not slot.in_mnemonic
                       for i, slot in enumerate(form.slots))
        for index, value in by_word[words[position]]:
            if values[index] is not None:
                continue
            if any(values[later] is not None for later in after[index]):
                continue
            values[index] = value
            if assign(position + 1):
                return True
            values[index] = None
        return False

    if not assign(0):
        return None
    return [0 if value is None and slot.kind != "derived" else value for value, slot in zip(values, form.slots)]


def match(isa: Isa, forms: Sequence[Form], words: Sequence[str]) -> List[Candidate]:
    """Every form that the written modifiers fit, with the values of its slots."""
    candidates: List[Candidate] = []
    for form in forms:
        values = fill(isa, form, words)
        if values is None:
            continue
        for filled in derive(form, values):
            if all(rule_fits(rule, filled) for rule in form.rules):
                candidates.append(Candidate(form, filled))
    return candidates


def written_words(form: Form, values: Sequence[int]) -> List[str]:
    """The modifiers of the mnemonic in canonical order, without dots."""
    return [slot.word_of(value) for slot, value in zip(form.slots, values) if slot.in_mnemonic and value]


def operand_type(form: Form, operand: Operand, values: Sequence[int]) -> int:
    return operand.type if operand.type_slot < 0 else values[operand.type_slot]


def vector_length(form: Form, operand: Operand, values: Sequence[int]) -> int:
    """form.h: vector_length()."""
    if operand.vector_slot < 0:
        return operand.vector_length
    slot, value = form.slots[operand.vector_slot], values[operand.vector_slot]
    if slot.numeric:
        return value
    digits = "".join(char for char in slot.word_of(value) if char.isdigit())
    return int(digits) if digits else 1


def is_vector(form: Form, operand: Operand, values: Sequence[int]) -> bool:
    """Written in braces: `{x}` too when a number or a word says 1; only an absent group means a scalar."""
    if operand.vector_slot < 0:
        return operand.vector
    return form.slots[operand.vector_slot].numeric or values[operand.vector_slot] != 0


def shape(form: Form, values: Sequence[int], required_only: bool = False) -> Tuple:
    """The shape of operands as the checker sees them; the checker cannot distinguish equal shapes."""
    result = []
    for operand in form.operands:
        if required_only and operand.optional and not operand.pair_second:
            break
        result.append((operand.kind, operand_type(form, operand, values), vector_length(form, operand, values),
                       operand.pair_second, operand.bracketed,
                       (operand.imm_min, operand.imm_max) if operand.kind == "imm" else (),
                       *(slot >= 0 and form.slots[slot].required for slot in (operand.suffix_slot, operand.minus_slot))))
    return tuple(result)


# --- gates ----------------------------------------------------------------------------------------


def family(sm: int) -> int:
    return 11 if sm == 101 else sm // 10


def admits(needed: Target, have: Target) -> bool:
    """gate.h: admits()."""
    def renamed(sm: int) -> int:
        return 110 if sm == 101 else sm
    if not needed.suffix:
        return have.sm >= needed.sm
    if needed.suffix == "a":
        return have.suffix == "a" and renamed(have.sm) == renamed(needed.sm)
    return bool(have.suffix) and family(have.sm) == family(needed.sm) and renamed(have.sm) >= renamed(needed.sm)


def gate_open(gate: Gate, version: Version, target: Target) -> bool:
    if gate.since and not any(version >= a.ptx and (not a.target.sm or admits(a.target, target)) for a in gate.since):
        return False
    until = gate.until
    if until.ptx == Version() and until.target == Target():
        return True
    return not ((until.ptx == Version() or version > until.ptx) and
                (not until.target.sm or target.sm > until.target.sm))


def applicable_gates(form: Form, values: Sequence[int], optional: bool = False,
                     advised: bool = False) -> Iterator[Gate]:
    """`optional`: the optional operands are written; `advised`: also gates whose violation is only a warning."""
    for gate in form.gates + (form.advised_gates if advised else []):
        if all(condition.holds(values) for condition in gate.when) and (optional or gate.operand < 0):
            yield gate


def open_for(form: Form, values: Sequence[int], version: Version, target: Target) -> bool:
    return all(gate_open(gate, version, target) for gate in applicable_gates(form, values))
