# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns raw declarations into the model: names become types, groups and slots; every detail is parsed."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from .model import (ANY, MAX_SLOTS, Alternative, Case, Choice, Condition, Detail, Entry, Form, Gate, Group, Isa,
                    Loc, NotationError, Problems, RawEntry, RawForm, RawInsn, Rule, SemArg, Slot, Target, Version)
from .cpp import cpp_type
from .operands import parse_operands, split_top
from .reader import WORD, Raw
from .search import derive, legal

DETAILS = ("manual", "rows", "require", "since", "until", "cc", "sem", "case")
SEM_KINDS = ("lane", "memory", "warp", "engine", "pending")
VALUE = re.compile(r"-?(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+|\d+\.\d*([eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+|"
                   r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|inf|nan)|true|false|_")


def resolve(raw: Raw, problems: Problems) -> Isa:
    isa = Isa(types=raw.types, groups=raw.groups)
    for entry in raw.entries:
        try:
            _entry(isa, entry)
        except NotationError as error:
            problems.catch(error)
    forms: List[Form] = []
    _share_summaries(raw, problems)
    for insn in raw.insns:
        if not insn.forms:
            problems.error(insn.loc, f"insn `{insn.name}` has no form")
        used: Set[int] = set()  # indices of insn details that some form could use
        before = len(problems.errors)
        for form in insn.forms:
            try:
                forms.append(_FormResolver(isa, raw, insn, form, used).resolve())
            except NotationError as error:
                problems.catch(error)
        for index, detail in enumerate(insn.details):
            if index not in used and insn.forms and len(problems.errors) == before:
                problems.error(detail.loc, f"no form of `{insn.name}` can use this `{detail.keyword}`")
    forms.sort(key=lambda form: form.opcode)  # stable: file order within an opcode
    for index, form in enumerate(forms):
        form.id = index
    isa.forms = forms
    return isa


def _share_summaries(raw: Raw, problems: Problems) -> None:
    """An insn may go on in other files; one of its declarations says the summary."""
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


# --- gates --------------------------------------------------------------------------------------


def parse_alternative(text: str, loc: Loc) -> Alternative:
    ptx, target = Version(), Target()
    for part in (part.strip() for part in text.split(",")):
        version = re.fullmatch(r"ptx\s+(\d+)\.(\d+)", part)
        sm = re.fullmatch(r"sm_(\d+)([af]?)", part)
        if version and ptx == Version():
            ptx = Version(int(version[1]), int(version[2]))
        elif sm and target == Target():
            target = Target(int(sm[1]), sm[2])
        else:
            raise NotationError(loc, f"gate: expected `ptx N.M` and/or `sm_NN`, got `{part}`")
    return Alternative(ptx, target)


def parse_since(text: str, loc: Loc) -> Tuple[Alternative, ...]:
    return tuple(parse_alternative(part, loc) for part in re.split(r"\s+or\s+", text))


def _entry(isa: Isa, raw: RawEntry) -> None:
    gates: List[Gate] = []
    legacy: List[int] = []
    manual = ""
    for detail in raw.details:
        if detail.keyword == "manual":
            manual = detail.rest
        elif detail.keyword == "since":
            gates.append(Gate((), parse_since(detail.rest, detail.loc), Alternative(), detail.loc))
        elif detail.keyword == "until":
            gates.append(Gate((), (), parse_alternative(detail.rest, detail.loc), detail.loc))
        elif detail.keyword == "legacy" and raw.keyword == "sreg":
            name = detail.rest.split()[0] if detail.rest else ""
            if name not in isa.types:
                raise NotationError(detail.loc, f"unknown type `{name}`")
            legacy.append(isa.types[name].index)
        else:
            raise NotationError(detail.loc, f"unknown detail `{detail.keyword}` of a {raw.keyword}; one of manual, "
                                            "since, until, legacy (of a sreg)")
    lists = {"sreg": isa.special_registers, "directive": isa.directives, "pragma": isa.pragmas,
             "target": isa.targets}
    if raw.keyword == "target":
        gates.append(Gate((), parse_since(raw.type, raw.loc), Alternative(), raw.loc))
    type_index, length = 0, 1
    if raw.keyword == "sreg":
        name, _, count = raw.type.partition("*")
        if name not in isa.types:
            raise NotationError(raw.loc, f"unknown type `{name}`")
        type_index, length = isa.types[name].index, int(count or 1)
    range_match = re.fullmatch(r"(.*)<(\d+)>(.*)", raw.name)
    names = [raw.name]
    if range_match:
        names = [f"{range_match[1]}{i}{range_match[3]}" for i in range(int(range_match[2]))]
    known = {entry.name: entry for entry in lists[raw.keyword]}
    for name in names:
        if name in known:
            raise NotationError(raw.loc, f"{raw.keyword} `{name}` is already declared at {known[name].loc}")
        lists[raw.keyword].append(Entry(name, raw.summary, manual, raw.loc, gates, type_index, length,
                                         legacy))


# --- forms --------------------------------------------------------------------------------------


class _Unusable(Exception):
    """An inherited detail that says nothing about this form."""


class _Scoped(NamedTuple):
    detail: Detail
    inherited: bool
    index: int


class _FormResolver:
    def __init__(self, isa: Isa, raw: Raw, insn: RawInsn, form: RawForm, used: Set[int]) -> None:
        self.isa = isa
        self.raw = raw
        self.insn = insn
        self.source = form
        self.used = used
        self.details = [_Scoped(d, True, i) for i, d in enumerate(insn.details)]
        self.details += [_Scoped(d, False, -1) for d in form.details]
        header = re.match(r"((?:[^\s{]|\{[^}]*\})+)\s*(.*)", form.text, re.DOTALL)
        if not header:
            raise NotationError(form.loc, "expected: form OPCODE.MODIFIERS OPERANDS")
        self.mnemonic, self.operand_text = header[1], header[2]
        self.variables: Dict[str, List[str]] = {}
        self.form = Form(opcode=insn.name, syntax=re.sub(r"\s+", " ", form.text), manual="", summary=insn.summary,
                         loc=form.loc, family=PurePath(form.loc.file).stem)

    def resolve(self) -> Form:
        form = self.form
        self._variables()
        self._slots()
        self._rows()
        form.operands = parse_operands(self.operand_text, form, self.isa, self.source.loc, self._own_condition)
        self._narrow_to_rows()
        for scoped in self.details:
            self._detail(scoped)
        if not form.sem_kind:
            raise NotationError(form.loc, "the form has no `sem`")
        if not form.manual:
            raise NotationError(form.loc, "the form has no `manual` section")
        if len(form.slots) > MAX_SLOTS:
            raise NotationError(form.loc, f"more than {MAX_SLOTS} modifiers")
        for scoped in self.details:
            if scoped.detail.keyword == "case":
                form.cases.append(self._case(scoped.detail))
        return form

    # modifiers

    def _variables(self) -> None:
        for scoped in self.details:
            detail = scoped.detail
            if detail.keyword in DETAILS or detail.keyword in self.isa.groups:
                continue
            if not re.fullmatch(r"[A-Z]\w*", detail.keyword):
                raise NotationError(detail.loc, f"unknown detail `{detail.keyword}`: not one of {' '.join(DETAILS)}, "
                                                "a group, or a type variable (upper case)")
            names = detail.rest.split()
            for name in names:
                if name not in self.isa.types:
                    raise NotationError(detail.loc, f"unknown type `{name}`")
                if names.count(name) > 1:
                    raise NotationError(detail.loc, f"type `{name}` is listed twice")
            if not names:
                raise NotationError(detail.loc, f"type variable `{detail.keyword}` has no types")
            self.variables[detail.keyword] = names
        for scoped in self.details:
            if scoped.detail.keyword == "rows":
                self._variables_of_rows(scoped.detail)

    def _variables_of_rows(self, detail: Detail) -> None:
        """A variable without a line of its own stands for the types of its column."""
        names, rows = self._split_rows(detail)
        for column, name in enumerate(names):
            cells = list(dict.fromkeys(row[column] for row in rows if row[column] != "*"))
            if re.fullmatch(r"[A-Z]\w*", name) and name not in self.variables and cells and all(
                    cell in self.isa.types for cell in cells):
                self.variables[name] = cells

    def _slots(self) -> None:
        opcode = re.match(r"[a-z][a-z0-9_]*", self.mnemonic)
        if not opcode or opcode[0] != self.insn.name:
            raise NotationError(self.source.loc, f"the opcode must be `{self.insn.name}`, the name of the insn")
        rest = self.mnemonic[opcode.end():]
        pieces = re.findall(rf"{WORD}|\{{[^}}]*\}}", rest)
        if "".join(pieces) != rest:
            raise NotationError(self.source.loc, f"cannot read the modifiers `{rest}`")
        for piece in pieces:
            if piece[0] != "{":
                self._add_slot(piece[1:], True)
                continue
            words = re.findall(WORD, piece)
            if not words or "{" + "".join(words) + "}" != piece:
                raise NotationError(self.source.loc, f"expected `{{.word}}`, got `{piece}`")
            together = [self._add_slot(word[1:], False) for word in words]
            for one in together:  # `{.xorsign.abs}`: all of them or none
                for other in together:
                    if one != other:
                        names = [self.form.slots[one].name, self.form.slots[other].name]
                        self.form.rules.append(Rule((Condition(one, True, (0,)),), (Condition(other, True, (0,)),),
                                                    f"`.{names[0]}` needs `.{names[1]}`", self.source.loc))
        for scoped in self.details:
            name = scoped.detail.keyword
            if scoped.inherited and self.form.slot_named(name) >= 0:
                self.used.add(scoped.index)
            if (name in self.variables or name in self.isa.groups) and not scoped.inherited:
                if self.form.slot_named(name) < 0 and not self._in_rows(name):
                    raise NotationError(scoped.detail.loc, f"`{name}` is not in the form")

    def _in_rows(self, name: str) -> bool:
        return any(s.detail.keyword == "rows" and name in s.detail.rest.split() for s in self.details)

    def _add_slot(self, name: str, required: bool) -> int:
        loc = self.source.loc
        if self.form.slot_named(name) >= 0 and name not in self.isa.types:
            raise NotationError(loc, f"`.{name}` is in the mnemonic twice")
        if name in self.variables:
            choices = [Choice(t, self.isa.types[t].index) for t in self.variables[name]]
            slot = Slot(name, "type", required, choices)
        elif name in self.isa.groups:
            slot = Slot(name, "group", required, self._group_choices(self.isa.groups[name]),
                        self.isa.groups[name])
        elif re.fullmatch(r"[A-Z]", name):
            raise NotationError(loc, f"type variable `{name}` has no list of types")
        else:
            slot = Slot(name, "word" if required else "flag", required, [Choice(name, 1)])
        self.form.slots.append(slot)
        return len(self.form.slots) - 1

    def _group_choices(self, group: Group) -> List[Choice]:
        words = list(group.words)
        for scoped in self.details:  # a form's own line comes after the inherited one and wins
            if scoped.detail.keyword == group.name:
                words = [self._group_word(group, word, scoped.detail.loc) for word in scoped.detail.rest.split()]
                if not words:
                    raise NotationError(scoped.detail.loc, f"group `{group.name}` is narrowed to nothing")
        return [Choice(word, group.words.index(word) + 1) for word in words]

    def _group_word(self, group: Group, word: str, loc: Loc) -> str:
        if word[:1] != "." or word[1:] not in group.words:
            raise NotationError(loc, f"group `{group.name}` has no word `{word}`")
        return word[1:]

    # rows

    def _rows(self) -> None:
        lines = [s for s in self.details if s.detail.keyword == "rows"]
        own = [s for s in lines if not s.inherited]
        chosen = own or lines
        for scoped in lines:
            if scoped.inherited and scoped not in chosen:
                self.used.add(scoped.index)  # replaced on purpose
        if not chosen:
            return
        if len(chosen) > 1:
            raise NotationError(chosen[1].detail.loc, "a form has one `rows`; go on in deeper indented lines")
        detail = chosen[0].detail
        names, rows = self._split_rows(detail)
        if chosen[0].inherited and not any(self.form.slot_named(name) >= 0 for name in names):
            return
        self.used.add(chosen[0].index)
        for column, name in enumerate(names):
            if self.form.slot_named(name) < 0:
                self._add_derived(name, [row[column] for row in rows], detail.loc)
        self.form.row_slots = [self.form.slot_named(name) for name in names]
        for row in rows:
            cells = tuple(self._cell(slot, cell, detail.loc) for slot, cell in zip(self.form.row_slots, row))
            if cells in self.form.rows:
                raise NotationError(detail.loc, f"row `{' '.join(row)}` is there twice")
            self.form.rows.append(cells)

    def _split_rows(self, detail: Detail) -> Tuple[List[str], List[List[str]]]:
        tokens = detail.rest.replace("|", " | ").split()
        names: List[str] = []
        while tokens and (re.fullmatch(r"[A-Z]\w*", tokens[0]) or tokens[0] in self.isa.groups or
                          re.search(rf"\.{re.escape(tokens[0])}\b", self.mnemonic) and tokens[0] not in self.isa.types):
            names.append(tokens.pop(0))
        if not names:
            raise NotationError(detail.loc, "expected: rows VARIABLE... VALUE... | VALUE... | ...")
        rows = [part.split() for part in " ".join(tokens).strip(" |").split("|")]
        for row in rows:
            if len(row) != len(names):
                raise NotationError(detail.loc, f"row `{' '.join(row)}` has {len(row)} values for "
                                                f"{len(names)} variables ({' '.join(names)})")
        return names, rows

    def _add_derived(self, name: str, cells: List[str], loc: Loc) -> None:
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
                if value not in self.isa.types:
                    raise NotationError(loc, f"unknown type `{value}`")
            slot = Slot(name, "derived", True, [Choice(value, self.isa.types[value].index) for value in values])
        self.form.slots.append(slot)

    def _cell(self, slot_index: int, cell: str, loc: Loc) -> int:
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

    def _narrow_to_rows(self) -> None:
        """A type that no row allows is not a choice; listing it is a slip."""
        for position, index in enumerate(self.form.row_slots):
            slot = self.form.slots[index]
            column = {row[position] for row in self.form.rows}
            if slot.kind == "type" and ANY not in column:
                for choice in slot.choices:
                    if choice.value not in column:
                        raise NotationError(self.source.loc, f"no row has `{slot.name}` = `{choice.word}`")

    # details

    def _detail(self, scoped: _Scoped) -> None:
        detail, form = scoped.detail, self.form
        keyword = detail.keyword
        if keyword in ("rows", "case") or keyword in self.variables or keyword in self.isa.groups:
            if keyword == "case" and scoped.inherited:
                raise NotationError(detail.loc, "a `case` belongs to one form")
            return
        try:
            if keyword == "manual":
                if not re.fullmatch(r"\d+(\.\d+)*", detail.rest):
                    raise NotationError(detail.loc, f"`{detail.rest}` is not a section number")
                form.manual = detail.rest
            elif keyword == "require":
                form.rules.append(self._rule(scoped))
            elif keyword in ("since", "until"):
                form.gates.append(self._gate(scoped))
            elif keyword == "cc":
                if detail.rest not in ("in", "out", "inout"):
                    raise NotationError(detail.loc, "expected: cc in, cc out or cc inout")
                form.carry = detail.rest
            elif keyword == "sem":
                self._sem(scoped)
            self.used.add(scoped.index)
        except _Unusable:
            pass

    def _rule(self, scoped: _Scoped) -> Rule:
        match = re.fullmatch(r'(?:(.*?)=>)?(.*?)(?::\s*"([^"]*)")?', scoped.detail.rest, re.DOTALL)
        loc = scoped.detail.loc
        if not match or not match[2].strip() or (match[1] is not None and not match[1].strip()):
            raise NotationError(loc, 'expected: require [CONDITIONS =>] CONDITIONS [: "message"]')
        when = self._conditions(match[1] or "", scoped)
        return Rule(when, self._conditions(match[2], scoped), match[3] or "", loc, scoped.inherited)

    def _gate(self, scoped: _Scoped) -> Gate:
        detail = scoped.detail
        text, _, condition = detail.rest.partition(" when ")
        when = self._conditions(condition, scoped) if condition else ()
        if detail.keyword == "until":
            return Gate(when, (), parse_alternative(text, detail.loc), detail.loc, scoped.inherited)
        return Gate(when, parse_since(text, detail.loc), Alternative(), detail.loc, scoped.inherited)

    def _conditions(self, text: str, scoped: _Scoped) -> Tuple[Condition, ...]:
        conditions = [self._condition(part, scoped) for part in split_top(text) if part]
        return tuple(condition for condition in conditions if condition)

    def _own_condition(self, text: str) -> Condition:
        condition = self._condition(text, _Scoped(Detail("when", text, self.source.loc), False, -1))
        assert condition
        return condition

    def _condition(self, text: str, scoped: _Scoped) -> Optional[Condition]:
        """In an inherited detail a modifier that this form lacks counts as absent: None when the condition then holds
        always, _Unusable when never."""
        loc, inherited = scoped.detail.loc, scoped.inherited
        match = re.fullmatch(rf"(!?)\s*(?:({WORD})|([A-Za-z][\w:]*?)\s*(!?)=\s*(.+))", text)
        if not match:
            raise NotationError(loc, f"cannot read the condition `{text}`; write .flag, !.flag, group=.a|.b or T=u32|s32")
        negated = bool(match[1]) != bool(match[4])
        if match[2]:
            condition = self._presence(match[2][1:], negated)
            if not condition and not inherited:
                raise NotationError(loc, f"`{match[2]}` is not a modifier of this form")
        else:
            names = [value.strip() for value in match[5].split("|")]
            condition = self._equality(match[3], names, negated, scoped)
            if not condition and "none" in names:
                negated = not negated  # absent is one of the values
        if condition:
            return condition
        if negated:
            return None
        raise _Unusable()

    def _presence(self, word: str, negated: bool) -> Optional[Condition]:
        index = self.form.slot_named(word)
        if index >= 0:
            return Condition(index, not negated, (0,))
        for index, slot in enumerate(self.form.slots):
            value = slot.value_of(word)
            if slot.kind == "group" and value is not None:
                return Condition(index, negated, (value,))
        return None

    def _equality(self, name: str, values: List[str], negated: bool, scoped: _Scoped) -> Optional[Condition]:
        loc = scoped.detail.loc
        index = self.form.slot_named(name)
        if index < 0:
            if not scoped.inherited:
                raise NotationError(loc, f"`{name}` is not in the form")
            if name not in self.isa.groups and not name[0].isupper():
                raise NotationError(loc, f"`{name}` is neither a group nor a type variable")
            return None
        numbers: List[int] = []
        for value in values:
            if value == "*":
                raise NotationError(loc, "`*` is for rows")
            try:
                numbers.append(self._cell(index, "-" if value == "none" else value, loc))
            except NotationError:
                group = self.form.slots[index].group
                elsewhere = value == "none" or value in self.isa.types or (group and value[1:] in group.words)
                if not scoped.inherited or not elsewhere:
                    raise
        if not numbers:
            if negated:
                return None
            raise _Unusable()  # another form has these values
        return Condition(index, negated, tuple(numbers))

    # semantics

    def _sem(self, scoped: _Scoped) -> None:
        form, loc = self.form, scoped.detail.loc
        match = re.fullmatch(r"(\w+)(?:\s+([a-z_]\w*)\s*(?:<(.*?)>)?\s*(?:\(([^()]*)\))?)?", scoped.detail.rest)
        if not match or match[1] not in SEM_KINDS:
            raise NotationError(loc, f"expected: sem {'|'.join(SEM_KINDS)} NAME<arguments>(run-time arguments)")
        if (match[2] is None) != (match[1] == "pending"):
            raise NotationError(loc, "`pending` has no name" if match[2] else f"sem {match[1]} needs a name")
        form.sem_kind, form.sem = match[1], match[2] or ""
        form.sem_args = [self._sem_arg(arg, loc) for arg in split_top(match[3] or "") if arg]
        form.runtime_slots = []
        for name in (name.strip() for name in (match[4] or "").split(",")):
            if not name:
                continue
            index = form.slot_named(name)
            if index < 0:
                raise NotationError(loc, f"run-time argument `{name}` is not a modifier of the form")
            form.runtime_slots.append(index)

    def _sem_arg(self, text: str, loc: Loc) -> SemArg:
        index = self.form.slot_named(text)
        if index >= 0:
            slot = self.form.slots[index]
            return SemArg(-1, "true") if slot.kind == "word" else SemArg(index, "")
        if text in self.isa.groups:
            raise NotationError(loc, f"group `{text}` is not in the form")
        if re.fullmatch(r"[A-Z]", text):
            raise NotationError(loc, f"type variable `{text}` is not in the form")
        if text in self.isa.types:
            return SemArg(-1, cpp_type(self.isa, text))
        if re.fullmatch(r"-?\d\w*|true|false", text) or text.startswith("heddle::"):
            return SemArg(-1, text)
        flags = {word for insn in self.raw.insns for form in insn.forms for word in re.findall(r"\{\.(\w+)\}", form.text)}
        if text in flags:
            raise NotationError(loc, f"flag `{text}` is not in the form")
        if not re.fullmatch(r"[A-Za-z_]\w*(::\w+)*", text):
            raise NotationError(loc, f"cannot read the argument `{text}`")
        return SemArg(-1, "heddle::sem::" + text)

    # cases

    def _case(self, detail: Detail) -> Case:
        form, loc = self.form, detail.loc
        match = re.fullmatch(r"(?:((?:\.?[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*\s*)+):(?!:))?(.*?)->(.*)", detail.rest)
        if not match:
            raise NotationError(loc, "expected: case [WORDS:] INPUTS -> OUTPUTS")
        values = self._case_values((match[1] or "").split(), loc)
        inputs = self._case_side(match[2], loc)
        outputs = self._case_side(match[3].replace("|", ","), loc)
        reads = [o for o in form.operands if not o.written]
        writes = [o for o in form.operands if o.written]
        least = next((i for i, operand in enumerate(reads) if operand.optional), len(reads))
        extra_in = 1 if form.carry in ("in", "inout") else 0
        extra_out = 1 if form.carry in ("out", "inout") else 0
        if not least + extra_in <= len(inputs) <= len(reads) + extra_in:
            raise NotationError(loc, f"the form reads {_count(least, len(reads), extra_in)}, the case gives {len(inputs)}")
        fewest = sum(1 for o in writes if not (o.pair_second and o.optional))
        if not fewest + extra_out <= len(outputs) <= len(writes) + extra_out:
            raise NotationError(loc, f"the form writes {_count(fewest, len(writes), extra_out)}, the case gives "
                                     f"{len(outputs)}")
        return Case(tuple(values), tuple(inputs), tuple(outputs), loc)

    def _case_values(self, words: List[str], loc: Loc) -> List[int]:
        values: List[Optional[int]] = [None] * len(self.form.slots)
        for word in words:
            bare = word.lstrip(".")
            for index, slot in enumerate(self.form.slots):
                value = slot.value_of(bare)
                if values[index] is None and value is not None and slot.kind not in ("word", "derived"):
                    values[index] = value
                    break
            else:
                raise NotationError(loc, f"`{word}` fills no variable of the form")
        for index, slot in enumerate(self.form.slots):
            if values[index] is None and slot.kind != "derived":
                if not slot.required:
                    values[index] = 0
                elif len(slot.choices) == 1:
                    values[index] = slot.choices[0].value
                else:
                    raise NotationError(loc, f"the case does not say `{slot.name}`")
        filled = derive(self.form, values)
        if len(filled) > 1:
            raise NotationError(loc, "several rows fit the case")
        if not filled or not legal(self.form, filled[0]):
            raise NotationError(loc, "the words of the case are no legal combination (rows, require)")
        return filled[0]

    def _case_side(self, text: str, loc: Loc) -> List[str]:
        parts = [part.strip() for part in split_top(text)]
        parts = [] if parts == [""] else parts
        for part in parts:
            scalars = part[1:-1].split(",") if part[:1] == "{" and part[-1:] == "}" else [part]
            for scalar in scalars:
                if not VALUE.fullmatch(scalar.strip()):
                    raise NotationError(loc, f"`{scalar.strip()}` is not a value")
        return parts


def _count(least: int, most: int, extra: int) -> str:
    number = f"{most + extra}" if least == most else f"{least + extra} to {most + extra}"
    return f"{number} value{'' if number == '1' else 's'}"
