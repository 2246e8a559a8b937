# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads *.isa text into raw declarations: lines, nesting by indentation, continuation lines."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Match, NamedTuple, Optional, Union

from .model import (Detail, Effect, Group, Loc, NotationError, Problems, RawEntry, RawForm, RawInsn, Type)

TYPE_CLASSES = ("bits", "unsigned", "signed", "float", "packed", "pred", "opaque")
RESERVED_GROUPS = ("candidate choice condition entry form gate match mismatch operand rule slot target two type "
                   "flag").split()
EFFECTS = ("load", "store", "atomic", "branch", "call", "leave", "barrier", "waits", "polls", "signals", "pure", "stack", "uniform", "aligned", "box")
WORD = r"\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*"


class Line(NamedTuple):
    loc: Loc
    indent: int
    text: str


class Raw:
    """Everything that was read, in the order of files."""

    def __init__(self) -> None:
        self.types: Dict[str, Type] = {}
        self.groups: Dict[str, Group] = {}
        self.effects: Dict[str, Effect] = {}
        self.insns: List[RawInsn] = []
        self.entries: List[RawEntry] = []


def strip_comment(text: str) -> str:
    quoted = False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif char == "#" and not quoted:
            return text[:index]
    return text


def logical_lines(file: str, text: str) -> List[Line]:
    """Lines without comments. A line that ends with `,`, `|`, `;` or a backslash goes on in the next one."""
    lines: List[Line] = []
    joining = False
    for number, full in enumerate(text.splitlines(), 1):
        content = strip_comment(full.expandtabs(8)).rstrip()
        if not content:
            continue
        indent = len(content) - len(content.lstrip())
        content = content.strip()
        if joining:
            lines[-1] = lines[-1]._replace(text=lines[-1].text + " " + content)
        else:
            lines.append(Line(Loc(file, number), indent, content))
        joining = content[-1] in ",|;\\"
        if content[-1] == "\\":
            lines[-1] = lines[-1]._replace(text=lines[-1].text[:-1].rstrip())
    return lines


EACH = re.compile(r"\beach\s+([a-z])\s+([^:;]+):([^;]*)(?:;|$)")


def expand_each(line: Line) -> Line:
    """`each n 8..256/8: .m64n{n}k16 {n/2}` in a group or in rows, up to `;` or the end: once for each n."""
    def numbers(text: str) -> Iterator[int]:
        for part in text.split():
            span = re.fullmatch(r"(\d+)(?:\.\.(\d+)/(\d+))?", part)
            if not span:
                raise NotationError(line.loc, f"each: expected a number or `FROM..TO/STEP`, got `{part}`")
            yield from range(int(span[1]), int(span[2] or span[1]) + 1, int(span[3] or 1))

    def replace(match: Match) -> str:
        def fill(n: int) -> str:
            text = re.sub(rf"\{{{match[1]}(?:/(\d+)|\*(\d+))?\}}",
                          lambda use: str(n // int(use[1] or 1) * int(use[2] or 1)), match[3])
            return text.strip().strip("|")
        return (" " if line.text.startswith("group") else " | ").join(map(fill, numbers(match[2])))

    return line._replace(text=EACH.sub(replace, line.text)) if " each " in line.text else line


def read_file(raw: Raw, file: str, text: str, problems: Problems) -> None:
    _FileReader(raw, problems).read(logical_lines(file, text))


class _FileReader:
    def __init__(self, raw: Raw, problems: Problems) -> None:
        self.raw = raw
        self.problems = problems
        self.owner: Optional[Union[RawInsn, RawEntry]] = None
        self.form: Optional[RawForm] = None
        self.form_indent = 0
        self.detail: Optional[Detail] = None
        self.detail_indent = 0
        self.skipping = False  # below a declaration that could not be read

    def read(self, lines: List[Line]) -> None:
        for line in lines:
            try:
                line = expand_each(line)
                if line.indent == 0:
                    self.owner = self.form = self.detail = None
                    self.skipping = False
                    self.declaration(line)
                elif not self.skipping:
                    self.nested(line)
            except NotationError as error:
                self.problems.catch(error)

    def declaration(self, line: Line) -> None:
        keyword = line.text.split()[0]
        if keyword == "type":
            self.type(line)
        elif keyword == "group":
            self.group(line)
        elif keyword == "effect":
            self.effect(line)
        elif keyword == "insn":
            match = re.fullmatch(r'insn\s+([a-z][a-z0-9_]*)(?:\s+"([^"]*)")?', line.text)
            if not match:
                self.skipping = True
                raise NotationError(line.loc, 'expected: insn NAME "one-line summary"')
            self.owner = RawInsn(match[1], match[2] or "", line.loc)
            self.raw.insns.append(self.owner)
        elif keyword in ("sreg", "directive", "pragma", "target"):
            self.entry(keyword, line)
        else:
            self.skipping = True
            raise NotationError(line.loc, f"unknown declaration `{keyword}`; expected type, group, effect, insn, sreg, "
                                          "directive, pragma or target (details are indented)")

    def type(self, line: Line) -> None:
        match = re.fullmatch(r"type\s+([a-z][a-z0-9]*)\s+bits\s+(\d+)\s+class\s+(\w+)\s+cpp\s+(\w+)", line.text)
        if not match:
            raise NotationError(line.loc, "expected: type NAME bits N class CLASS cpp C++TYPE")
        if match[3] not in TYPE_CLASSES:
            raise NotationError(line.loc, f"unknown type class `{match[3]}`; one of {' '.join(TYPE_CLASSES)}")
        if match[1] in self.raw.types:
            raise NotationError(line.loc, f"type `{match[1]}` is already declared at {self.raw.types[match[1]].loc}")
        index = len(self.raw.types) + 1
        self.raw.types[match[1]] = Type(match[1], int(match[2]), match[3], match[4], index, line.loc)

    def group(self, line: Line) -> None:
        match = re.fullmatch(rf"group\s+([a-z][a-z0-9_]*)((?:\s+{WORD})+)", line.text)
        if not match:
            raise NotationError(line.loc, "expected: group NAME .word .word ...")
        name, words = match[1], tuple(word[1:] for word in match[2].split())
        if name in self.raw.groups:
            raise NotationError(line.loc, f"group `{name}` is already declared at {self.raw.groups[name].loc}")
        if name in RESERVED_GROUPS:
            raise NotationError(line.loc, f"a group cannot be called `{name}`: heddle::isa has that name")
        for word in words:
            if words.count(word) > 1:
                raise NotationError(line.loc, f"group `{name}` has `.{word}` twice")
        if len(words) > 254:
            raise NotationError(line.loc, f"group `{name}` has more than 254 words")
        self.raw.groups[name] = Group(name, words, line.loc)

    def effect(self, line: Line) -> None:
        match = re.fullmatch(r"effect\s+([a-z_]\w*)((?:\s+[\w=]+)+)", line.text)
        if not match:
            raise NotationError(line.loc, "expected: effect HANDLER WORD ...")
        name, words = match[1], match[2].split()
        if name in self.raw.effects:
            raise NotationError(line.loc, f"`{name}` already has its effects at {self.raw.effects[name].loc}")
        members = [word.partition("=")[2] for word in words if word.startswith("members=")]
        words = [word for word in words if not word.startswith("members=")]
        for word in words:
            if word not in EFFECTS:
                raise NotationError(line.loc, f"there is no effect `{word}`; one of {' '.join(EFFECTS)} members=OPERAND")
        self.raw.effects[name] = Effect(tuple(words), members[0] if members else "", line.loc)

    def entry(self, keyword: str, line: Line) -> None:
        patterns = {
            "sreg": r'sreg\s+(?P<name>%[a-z][\w<>]*)\s+(?P<type>[a-z0-9]+(?:\*\d)?)(?:\s+"(?P<summary>[^"]*)")?',
            "directive": r'directive\s+(?P<name>\.\w+|@@\w+)(?:\s+"(?P<summary>[^"]*)")?(?P<type>)',
            "pragma": r'pragma\s+"(?P<name>[^"]+)"(?:\s+"(?P<summary>[^"]*)")?(?P<type>)',
            "target": r'target\s+(?P<name>sm_\d+[af]?)\s+(?P<type>ptx\s+\d+\.\d+)(?P<summary>)',
        }
        shapes = {"sreg": '%NAME TYPE[*LENGTH] "summary"', "directive": '.NAME "summary"',
                  "pragma": '"NAME" "summary"', "target": "sm_NN ptx N.M"}
        match = re.fullmatch(patterns[keyword], line.text)
        if not match:
            self.skipping = True
            raise NotationError(line.loc, f"expected: {keyword} {shapes[keyword]}")
        self.owner = RawEntry(keyword, match["name"], match["type"], match["summary"] or "", line.loc)
        self.raw.entries.append(self.owner)

    def nested(self, line: Line) -> None:
        if self.owner is None:
            raise NotationError(line.loc, "an indented line needs an insn, sreg or directive above it")
        keyword, _, rest = line.text.partition(" ")
        rest = rest.strip()
        if keyword == "form":
            if not isinstance(self.owner, RawInsn):
                raise NotationError(line.loc, "only an insn has forms")
            self.form = RawForm(rest, line.loc)
            self.form_indent = line.indent
            self.detail = None
            self.owner.forms.append(self.form)
            return
        if self.detail and line.indent > self.detail_indent:
            self.detail.rest += " " + line.text
            return
        if self.form and line.indent <= self.form_indent:
            raise NotationError(line.loc, f"`{keyword}` holds for all forms only above the first form; "
                                          "indent it to make it a detail of the form")
        self.detail = Detail(keyword, rest, line.loc)
        self.detail_indent = line.indent
        (self.form or self.owner).details.append(self.detail)
