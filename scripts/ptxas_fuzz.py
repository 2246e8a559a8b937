#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random instructions with ptxas: legal combinations of modifiers, and combinations with one modifier changed
that no form accepts. Finds what the systematic instances of form_instances.txt miss: rules that nobody wrote down.

usage: ptxas_fuzz.py [--count N] [--seed N] [--only REGEX] src/isa/*.isa
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Set

import isagen
from isagen_lib.matching import applicable_gates, gate_open, match
from isagen_lib.model import ANY, Form, Isa, Problems, Version
from isagen_lib.places import Places
from isagen_lib.search import legal
from isagen_lib.writer import Writer
from ptxas_compare import SKIPPED, Instance, add_options, compare

NEWEST = Version(9, 0)  # what CUDA 13.0 knows
TRIES = 10  # per instruction that is wanted


class Fuzzer:
    def __init__(self, isa: Isa, seed: int) -> None:
        self.isa = isa
        self.random = random.Random(seed)
        self.places = Places(isa)
        self.places.order = [place for place in self.places.order if place.version <= NEWEST]
        self.newest_first = sorted(self.places.order, key=lambda place: (place.version, place.target.sm), reverse=True)
        self.forms: Dict[str, List[Form]] = defaultdict(list)
        for form in isa.forms:
            self.forms[form.opcode].append(form)

    def combination(self, form: Form) -> Optional[List[int]]:
        values: List[Optional[int]] = [None] * len(form.slots)
        if form.rows:
            for slot, cell in zip(form.row_slots, self.random.choice(form.rows)):
                values[slot] = None if cell == ANY else cell
        for index, slot in enumerate(form.slots):
            if values[index] is None:
                written = slot.required or self.random.random() < 0.5
                values[index] = self.random.choice(slot.choices).value if written else 0
        return values if legal(form, values) else None  # type: ignore[arg-type, return-value]

    def accepted(self, form: Form) -> Optional[Instance]:
        values = self.combination(form)
        optional = self.random.random() < 0.5
        place = values and self.places.lowest(tuple(applicable_gates(form, values, optional)))
        if not values or not place:
            return None
        writer = Writer(self.isa, form, values, optional)
        return Instance("accept", str(place.version), writer.target(place.target), writer.text(), writer.declarations(),
                        "-", str(form.loc))

    def refused(self, form: Form) -> Optional[Instance]:
        """One modifier replaced by another of its kind, or left out, where no gate is in the way."""
        values = self.combination(form)
        if not values:
            return None
        gates = list(applicable_gates(form, values))
        place = next((p for p in self.newest_first if all(gate_open(gate, *p) for gate in gates)), None)
        written = [i for i, slot in enumerate(form.slots) if slot.in_mnemonic]
        if not place or not written:
            return None
        changed = self.random.choice(written)
        words = []
        for index in written:
            slot = form.slots[index]
            word = slot.word_of(values[index]) if values[index] else ""
            if index == changed:
                others = slot.group.words if slot.group else tuple(self.isa.types) if slot.kind == "type" else ()
                word = self.random.choice(others + ("",))
            words += [word] if word else []
        if match(self.isa, self.forms[form.opcode], words):
            return None
        writer = Writer(self.isa, form, values, optional=False)
        text = writer.text().replace(writer.mnemonic(), ".".join([form.opcode] + words), 1)
        return Instance("reject", str(place.version), writer.target(place.target), text, writer.declarations(),
                        "modifiers", str(form.loc))

    def instances(self, only: str, count: int) -> Iterator[Instance]:
        for form in self.isa.forms:
            if re.search(only, str(form.loc)):
                yield from self.several(lambda: self.accepted(form), count)
                yield from self.several(lambda: self.refused(form), count)

    @staticmethod
    def several(make: Callable[[], Optional[Instance]], count: int) -> Set[Instance]:
        made: Set[Instance] = set()
        for _ in range(count * TRIES):
            if len(made) == count:
                break
            instance = make()
            if instance:
                made.add(instance)
        return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5, help="accepted and refused instructions of each form")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("tables", nargs="+", type=Path)
    add_options(parser)
    options = parser.parse_args()
    if not options.ptxas:
        print("no ptxas: skipped")
        return SKIPPED
    problems = Problems()
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in sorted(options.tables)]
    isa = isagen.load(sources, options.tables[0].parent / "sem", problems)
    if problems.errors:
        print("the tables have errors; run isagen.py")
        return 1
    print(f"seed {options.seed}")
    instances = list(Fuzzer(isa, options.seed).instances(options.only, options.count))
    return 1 if compare(instances, options.ptxas, options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
