# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions for comparing Heddle with another assembler: all pairs of modifiers, every gate at every target, and
instructions one step from a legal one: another register, constant, vector, modifier, one operand more or fewer.

This file does not decide which of them are legal; the checker does.
"""

from __future__ import annotations

import itertools
import zlib
from collections import defaultdict
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .instances import covering
from .matching import applicable_gates, gate_open, is_vector, operand_type, shape, vector_length, written_words
from .model import Form, Gate, Isa, Operand, Target, Version
from .places import Place, Places
from .search import complete, legal
from .writer import Writer

REGISTERS = ("pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s16 s32 s64 f16 f16x2 f32 f64").split()
CONSTANTS = ("0 1 -1 2 255 65536 4294967296 1.5 0f3F800000 0d3FF0000000000000").split()
MOST_SHAPES = 3  # of operands, for each form
MOST_WORDS = 24  # of one slot, in pairs


class Neighbour(NamedTuple):
    place: Place
    text: str
    declarations: str
    kind: str
    form: Form


class Neighbours:
    def __init__(self, isa: Isa, oldest: int, newest: Version) -> None:
        self.isa = isa
        places = Places(isa)
        self.places = sorted((p for p in places.order if p.target.sm >= oldest and p.version <= newest),
                             key=lambda p: (p.target.suffix != "", p.target.sm, p.target.suffix, p.version))
        self.homes = sorted(self.places, key=lambda p: (p.target.suffix != "", p.target.sm, p.target.suffix,
                                                        -p.version.major, -p.version.minor))
        self.targets: Dict[Target, List[Place]] = defaultdict(list)
        for place in self.places:
            self.targets[place.target].append(place)
        self.known: Dict[Tuple[Gate, ...], Optional[Place]] = {}
        self.all_places = places
        self.newest = newest
        self.newer = 0  # combinations of modifiers that came after `newest`
        self.registers = [name for name in REGISTERS if name in isa.types]
        self.words: Dict[str, List[str]] = defaultdict(list)  # of an opcode
        for form in isa.forms:
            for slot in form.slots:
                self.words[form.opcode] += [c.word for c in slot.choices if slot.in_mnemonic and c.word not in isa.types]

    def home(self, form: Form, values: Sequence[int], optional: bool) -> Optional[Place]:
        """The lowest target with the newest version that is possible there."""
        gates = tuple(applicable_gates(form, values, optional))
        if gates not in self.known:
            self.known[gates] = next((p for p in self.homes if all(gate_open(g, *p) for g in gates)), None)
        return self.known[gates]

    def of(self, form: Form) -> Iterator[Neighbour]:
        """All neighbours of a form; none when no version and target has the form."""
        combinations = self.pairs(form)
        shapes: List[List[int]] = []
        seen_shapes, seen_gates = set(), set()
        for values in combinations:
            for optional in ((False, True) if any(o.optional for o in form.operands) else (True,)):
                place = self.home(form, values, optional)
                gates = tuple(applicable_gates(form, values, optional))
                told = tuple(applicable_gates(form, values, optional, advised=True))
                if told and told not in seen_gates and legal(form, values):
                    seen_gates.add(told)
                    yield from self.gates(form, values, optional, told)
                if not place:
                    lowest = self.all_places.lowest(gates)
                    self.newer += lowest is not None and lowest.version > self.newest
                else:
                    yield self.written(Writer(self.isa, form, values, optional), place, "pair")
                    key = shape(form, values)
                    if optional and key not in seen_shapes:
                        seen_shapes.add(key)
                        shapes.append(values)
        step = max(1, len(shapes) // MOST_SHAPES)
        for number, values in enumerate(shapes[::step][:MOST_SHAPES]):
            place = self.home(form, values, True)
            assert place
            yield from self.operands(form, values, place)
            yield from self.modifiers(form, values, place, everything=number == 0)

    def written(self, writer: Writer, place: Place, kind: str, operands: Optional[List[str]] = None,
                mnemonic: str = "") -> Neighbour:
        text = writer.text(operands)
        if mnemonic:
            text = text.replace(writer.mnemonic(), mnemonic, 1)
        return Neighbour(place, text, writer.declarations(), kind, writer.form)

    # --- modifiers

    def pairs(self, form: Form) -> List[List[int]]:
        """Values of the slots so that each pair of values occurs: legally if possible, otherwise against rows and rules.

        Words without meaning (`ignores`) are left out: modifiers() adds them.
        """
        ignored = [i for i, slot in enumerate(form.slots) if slot.ignored]
        legal_ones = [values for values in covering(form) if not any(values[i] for i in ignored)]
        found = [list(values) for values in legal_ones]
        open_slots = [i for i, slot in enumerate(form.slots) if slot.kind != "derived" and not slot.ignored]
        free = Form(**{**form.__dict__, "row_slots": [], "rows": [], "rules": []})
        have = set()

        def add(values: List[int]) -> None:
            found.append(values)
            have.update((i, values[i], j, values[j]) for i, j in itertools.combinations(open_slots, 2))

        for values in legal_ones:
            have.update((i, values[i], j, values[j]) for i, j in itertools.combinations(open_slots, 2))
        for i, j in itertools.combinations(open_slots, 2):
            for a, b in itertools.product(self.some(form, i), self.some(form, j)):
                if (i, a, j, b) in have:
                    continue
                values = complete(form, {i: a, j: b})
                if values is None:
                    derived = {slot: form.rows[0][at] for at, slot in enumerate(form.row_slots)
                               if form.slots[slot].kind == "derived"}
                    values = complete(free, {**derived, i: a, j: b})
                if values is not None:
                    add(values)
        return found

    @staticmethod
    def some(form: Form, slot: int) -> List[int]:
        values = form.slots[slot].values()
        return values if len(values) <= MOST_WORDS else values[::len(values) // (MOST_WORDS // 2)]

    def modifiers(self, form: Form, values: Sequence[int], place: Place, everything: bool) -> Iterator[Neighbour]:
        """One modifier left out, another in its place, one more."""
        writer = Writer(self.isa, form, values, optional=True)
        at = 0
        words = written_words(form, values)

        def changed(new: List[str], kind: str) -> Neighbour:
            return self.written(writer, place, kind, mnemonic=".".join([form.opcode] + new))

        for index, slot in enumerate(form.slots):
            if not (slot.in_mnemonic and values[index]):
                continue
            here, rest = words[:at], words[at + 1:]
            at += 1
            yield changed(here + rest, "dropped")
            others: List[str] = []
            if any(choice.word in self.isa.types for choice in slot.choices):
                others = list(self.isa.types) if everything else ["b16", "u32", "s64", "f16", "f32"]
            elif slot.group and everything:
                others = [word for word in slot.group.words if slot.value_of(word) is None]
            for word in others:
                if word not in words:
                    yield changed(here + [word] + rest, "replaced")
        if everything:
            for word in dict.fromkeys(self.words[form.opcode] + ["sat", "ftz", "rn", "approx", "v2", "sync"]):
                if word in words:
                    continue
                position = next((i for i, w in enumerate(words) if w in self.isa.types), len(words))
                yield changed(words[:position] + [word] + words[position:], "added")

    # --- versions and targets

    def gates(self, form: Form, values: Sequence[int], optional: bool, gates: Tuple[Gate, ...]) -> Iterator[Neighbour]:
        """For each target: the first version that has the form and the version before it, or the newest version if none has it."""
        writer = Writer(self.isa, form, values, optional)
        known: Optional[Tuple[str, bool]] = None
        for target, places in self.targets.items():
            first = next((n for n, p in enumerate(places) if all(gate_open(g, *p) for g in gates)), None)
            alike = known == (target.suffix, first is not None) and not target.suffix
            known = (target.suffix, first is not None)
            chosen = [] if alike else [places[-1]]  # plain targets mostly have the same verdict
            if first is not None and not (alike and first == 0):
                chosen += places[max(0, first - 1):first + 1]
            for place in dict.fromkeys(chosen):
                yield self.written(writer, place, "gate")

    # --- operands

    def operands(self, form: Form, values: Sequence[int], place: Place) -> Iterator[Neighbour]:
        full = Writer(self.isa, form, values, optional=True)
        for index in range(len(full.operands)):
            yield self.written(full, place, "missing", full.operands[:index] + full.operands[index + 1:])
        for name in ("pred", "u32", "b64"):
            more = Writer(self.isa, form, values, optional=True)
            yield self.written(more, place, "extra", more.operands + [more.register(name)])
        yield self.written(full, place, "extra", full.operands + ["0"])
        for operand in form.operands:
            if operand.name != "_" and all(condition.holds(values) for condition in operand.present):
                for kind, change in self.changes(form, operand, values):
                    writer = Writer(self.isa, form, values, True, {operand.name: change})
                    yield self.written(writer, place, kind)

    def changes(self, form: Form, operand: Operand,
                values: Sequence[int]) -> Iterator[Tuple[str, Callable[[Writer], str]]]:
        if operand.kind == "address":
            yield from self.addresses()
        elif operand.kind == "imm":
            yield from self.constants(operand)
            yield "register", lambda writer: writer.register("u32")
        elif operand.kind == "value":
            name = self.isa.type_at(operand_type(form, operand, values)).name
            if is_vector(form, operand, values):
                yield from self.vectors(name, vector_length(form, operand, values), operand)
            else:
                yield from self.scalars(name, operand)

    def scalars(self, name: str, operand: Operand) -> Iterator[Tuple[str, Callable[[Writer], str]]]:
        for other in self.registers:
            yield "register", lambda writer, other=other: writer.register(other)
        yield from self.constants(operand)
        for text in ("_", "%laneid", "global_0"):
            yield "operand", lambda writer, text=text: text
        yield "operand", lambda writer: "!" + writer.register(name)
        yield "vector", lambda writer: "{" + f"{writer.register(name)}, {writer.register(name)}" + "}"
        if not operand.pair_second:
            yield "pair", lambda writer: f"{writer.register(name)}|{writer.register('pred')}"

    @staticmethod
    def constants(operand: Operand) -> Iterator[Tuple[str, Callable[[Writer], str]]]:
        numbers = list(CONSTANTS)
        if operand.imm_min <= operand.imm_max:
            wanted = operand.imm_values or (operand.imm_min, operand.imm_min + operand.imm_step, operand.imm_max)
            numbers += [str(n) for value in wanted for n in (value - 1, value, value + 1)]
        for number in dict.fromkeys(numbers):
            yield "constant", lambda writer, number=number: number

    def vectors(self, name: str, length: int, operand: Operand) -> Iterator[Tuple[str, Callable[[Writer], str]]]:
        def of(names: List[str]) -> Callable[[Writer], str]:
            return lambda writer: "{" + ", ".join(n if n in ("_", "1") else writer.register(n) for n in names) + "}"

        for count in {length - 1, length + 1, 1, 2, 4, 8} - {length, 0}:
            yield "vector", of([name] * count)
        for other in self.registers:
            yield "element", of([other] * length)
        for other in ("_", "1"):
            yield "element", of([other] + [name] * (length - 1))
        yield "vector", lambda writer: writer.register(name)

    @staticmethod
    def addresses() -> Iterator[Tuple[str, Callable[[Writer], str]]]:
        for other in ("b16", "b32", "b64", "u32", "s64", "f32", "f64"):
            yield "address", lambda writer, other=other: f"[{writer.register(other)}]"
        for base in ("global_0", "shared_0", "const_0", "local_0", "64"):
            yield "address", lambda writer, base=base: f"[{base}]"
        for base in ("global_0", "shared_0"):
            yield "address", lambda writer, base=base: f"[{base}+4]"
        for offset in ("+4", "-4", "+0x7fffffff", "+1.5"):
            yield "address", lambda writer, offset=offset: f"[{writer.register('b64')}{offset}]"
        yield "address", lambda writer: f"[{writer.register('b64')}+{writer.register('b64')}]"


def neighbours(isa: Isa, oldest: int, newest: Version, only: Callable[[Form], bool]) -> Tuple[List[Neighbour], int]:
    """Each text once per place; and the number of newer combinations of modifiers."""
    maker = Neighbours(isa, oldest, newest)
    found: Dict[Tuple[Place, str], Neighbour] = {}
    for form in isa.forms:
        if only(form):
            for neighbour in maker.of(form):
                found.setdefault((neighbour.place, neighbour.text), neighbour)
    return list(found.values()), maker.newer


def sample(items: List[Neighbour], share: float) -> List[Neighbour]:
    """A selection that is the same in every run."""
    return [n for n in items if zlib.crc32(n.text.encode()) % 10000 < share * 10000]
