# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Version and target gates; special registers, directives, pragmas and targets."""

from __future__ import annotations

import re
from typing import List, Tuple

from .model import Alternative, Entry, Gate, Isa, Loc, NotationError, RawEntry, Target, Version


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


def add_entry(isa: Isa, raw: RawEntry) -> None:
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
