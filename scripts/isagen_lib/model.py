# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The content of the *.isa files as plain data. `Raw*` is text with places; all other classes are resolved and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

ANY = 0xFF  # `*` in rows; kAnyValue in form.h
MAX_SLOTS = 24  # kMaxSlots in form.h


class Loc(NamedTuple):
    """A place in an *.isa file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class NotationError(Exception):
    """A mistake in a table. The reader and the resolver catch it per form, so that one run shows several."""

    def __init__(self, loc: Loc, message: str):
        super().__init__(message)
        self.loc = loc
        self.message = message


class Problems:
    """The errors and warnings of a run."""

    def __init__(self) -> None:
        self.errors: List[Tuple[Loc, str]] = []
        self.warnings: List[Tuple[Loc, str]] = []

    def error(self, loc: Loc, message: str) -> None:
        if (loc, message) not in self.errors:
            self.errors.append((loc, message))

    def warn(self, loc: Loc, message: str) -> None:
        if (loc, message) not in self.warnings:
            self.warnings.append((loc, message))

    def catch(self, error: NotationError) -> None:
        self.error(error.loc, error.message)


# --- raw: as read -----------------------------------------------------------------------------


@dataclass
class Detail:
    """One line under an insn, form, sreg or directive: `keyword rest`."""

    keyword: str
    rest: str
    loc: Loc


@dataclass
class RawForm:
    text: str  # what follows `form`
    loc: Loc
    details: List[Detail] = field(default_factory=list)


@dataclass
class RawInsn:
    name: str
    summary: str
    loc: Loc
    details: List[Detail] = field(default_factory=list)  # for all forms
    forms: List[RawForm] = field(default_factory=list)


@dataclass
class RawEntry:
    """`sreg`, `directive`, `pragma` or `target`: a name with gates."""

    keyword: str
    name: str
    type: str
    summary: str
    loc: Loc
    details: List[Detail] = field(default_factory=list)


# --- resolved ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Type:
    name: str
    bits: int
    cls: str
    cpp: str
    index: int  # enumerator; 0 is none
    loc: Loc


@dataclass(frozen=True)
class Group:
    name: str
    words: Tuple[str, ...]  # without the dot; enumerator = position + 1
    loc: Loc


class Version(NamedTuple):
    major: int = 0
    minor: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


class Target(NamedTuple):
    sm: int = 0
    suffix: str = ""
    suffix_slot: int = -1
    minus_slot: int = -1

    def __str__(self) -> str:
        return f"sm_{self.sm}{self.suffix}"


class Alternative(NamedTuple):
    """One way to satisfy a gate; Version() and Target() mean any."""

    ptx: Version = Version()
    target: Target = Target()


class Choice(NamedTuple):
    word: str  # without the dot; "" for a derived value
    value: int


@dataclass
class Slot:
    """A modifier position (form.h: Slot)."""

    name: str
    kind: str  # word flag group type derived operand
    required: bool
    choices: List[Choice]
    group: Optional[Group] = None
    numeric: bool = False  # a derived number rather than a derived type
    head: bool = False  # `^.wide`: comes before the words of all later slots
    ignored: bool = False  # `ignores`: its words mean nothing

    @property
    def in_mnemonic(self) -> bool:
        return self.kind not in ("derived", "operand")

    def value_of(self, word: str) -> Optional[int]:
        for choice in self.choices:
            if choice.word == word:
                return choice.value
        return None

    def word_of(self, value: int) -> str:
        for choice in self.choices:
            if choice.value == value:
                return choice.word
        return ""

    def values(self) -> List[int]:
        """All values that the slot may have, absent first."""
        values = [choice.value for choice in self.choices]
        return values if self.required else [0] + values


class Condition(NamedTuple):
    slot: int
    negated: bool
    values: Tuple[int, ...]

    def holds(self, values: Sequence[Optional[int]]) -> bool:
        return (values[self.slot] in self.values) != self.negated


class Rule(NamedTuple):
    when: Tuple[Condition, ...]
    then: Tuple[Condition, ...]
    message: str
    loc: Loc
    inherited: bool = False


class Gate(NamedTuple):
    when: Tuple[Condition, ...]
    since: Tuple[Alternative, ...]
    until: Alternative
    loc: Loc
    inherited: bool = False
    operand: int = -1  # only when this optional operand is written


@dataclass
class Operand:
    """form.h: OperandSpec."""

    name: str
    kind: str = "value"
    written: bool = False
    also_read: bool = False
    optional: bool = False
    pair_second: bool = False
    bracketed: bool = False
    negatable: bool = False
    wide: bool = False
    register_only: bool = False
    sink: bool = False
    symbol_allowed: bool = False
    free: bool = False
    raw: bool = False
    cut: bool = False
    exact: bool = False
    least_bits: int = 0  # `[a:32..]`
    loose: bool = False
    as_bits: bool = False
    special_allowed: bool = False
    generic_address: bool = False
    indexed: bool = False
    spread: bool = False
    whole: bool = False
    type: int = 0
    type_slot: int = -1
    vector_slot: int = -1
    vector_length: int = 1
    vector: bool = False  # `*1`
    bare: bool = False
    full_width: bool = False
    space_slot: int = -1
    space: str = ""
    symbol_space: str = ""  # `[a:shared?]`
    imm_min: int = 0
    imm_max: int = -1
    imm_step: int = 1
    imm_above: bool = False
    imm_values: Tuple[int, ...] = ()  # of the range; empty: all
    imm_last: int = -1  # the last element of a vector has the range from 0 to this
    suffix: str = ""
    suffix_slot: int = -1
    minus_slot: int = -1
    present: Tuple[Condition, ...] = ()


class Case(NamedTuple):
    values: Tuple[int, ...]  # of the slots
    inputs: Tuple[str, ...]
    outputs: Tuple[str, ...]
    loc: Loc


class SemArg(NamedTuple):
    """A compile-time argument of a lane function: a slot, or C++ text."""

    slot: int
    text: str


class Effect(NamedTuple):
    """What the handler that a `sem` line names does: words, and the operand of its forms that is a membermask, or ""."""

    words: Tuple[str, ...]
    members: str
    loc: Loc


@dataclass
class Form:
    opcode: str
    syntax: str
    manual: str
    summary: str
    loc: Loc
    family: str
    slots: List[Slot] = field(default_factory=list)
    operands: List[Operand] = field(default_factory=list)
    row_slots: List[int] = field(default_factory=list)
    rows: List[Tuple[int, ...]] = field(default_factory=list)
    rules: List[Rule] = field(default_factory=list)
    gates: List[Gate] = field(default_factory=list)
    advice: List[Rule] = field(default_factory=list)  # `expect`: a breach is a warning
    advised_gates: List[Gate] = field(default_factory=list)
    cases: List[Case] = field(default_factory=list)
    carry: str = "none"
    sem_kind: str = ""
    sem: str = ""
    sem_args: List[SemArg] = field(default_factory=list)
    applies: str = ""  # memory: the function that makes the new value of memory from the old one; sem_args are its arguments
    members: int = -1  # the operand that is a membermask
    runtime_slots: List[int] = field(default_factory=list)
    id: int = -1
    dispatch_base: int = 0  # within the family
    covering: Optional[List[List[int]]] = None  # kept by instances.covering()
    later_slots: Optional[List[List[int]]] = None  # kept by matching.later_slots()
    slots_by_word: Optional[Dict[str, List[Tuple[int, int]]]] = None  # kept by matching.slots_by_word()

    @property
    def dispatch_slots(self) -> List[int]:
        slots: List[int] = []
        for arg in self.sem_args:
            if arg.slot >= 0 and arg.slot not in slots:
                slots.append(arg.slot)
        return slots

    def slot_named(self, name: str) -> int:
        """The slot of that name; `L2::cache_hint` may be written `L2_cache_hint`."""
        for index, slot in enumerate(self.slots):
            if name in (slot.name, slot.name.replace("::", "_")):
                return index
        return -1


@dataclass
class Entry:
    """A special register, directive, pragma or target with its gates."""

    name: str
    summary: str
    manual: str
    loc: Loc
    gates: List[Gate] = field(default_factory=list)
    type: int = 0
    vector_length: int = 1
    legacy: List[int] = field(default_factory=list)  # types it had in older PTX versions


@dataclass
class Isa:
    types: Dict[str, Type] = field(default_factory=dict)
    groups: Dict[str, Group] = field(default_factory=dict)
    forms: List[Form] = field(default_factory=list)  # sorted by opcode
    effects: Dict[str, Effect] = field(default_factory=dict)  # by the name in a `sem` line
    special_registers: List[Entry] = field(default_factory=list)
    directives: List[Entry] = field(default_factory=list)
    pragmas: List[Entry] = field(default_factory=list)
    targets: List[Entry] = field(default_factory=list)
    families: List[str] = field(default_factory=list)

    def entries(self) -> List[Entry]:
        return self.special_registers + self.directives + self.pragmas + self.targets

    def type_at(self, index: int) -> Type:
        return list(self.types.values())[index - 1]

    def target_version(self, target: Target) -> Version:
        """The first PTX version that knows `target`."""
        for entry in self.targets:
            if entry.name == str(target):
                return next(gate.since[0].ptx for gate in entry.gates if gate.since)
        return Version()
