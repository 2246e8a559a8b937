#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how well Heddle's checker and the vendor's ptxas agree on which instructions are legal.

The instructions come from the tables (isagen_lib/neighbours.py). Known differences, with their reasons, are in the
folder ptxas_differences; the script reports any other difference.

usage: ptxas_agree.py --checker build/release/bin/heddle_form_instances src/isa/*.isa
exit status: 0 no unexplained difference, 1 some (printed), 77 no ptxas
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

import isagen
from isagen_lib.model import Isa, Problems, Version
from isagen_lib.neighbours import Neighbour, neighbours, sample
from ptxas_compare import SKIPPED, Assembler, Instance, add_options, explanation, opinions, read_known

NEWEST = Version(9, 0)  # what CUDA 13.0 knows
OLDEST = 75
MOST = 300  # instructions in a module


def load(tables: List[Path]) -> Isa:
    problems = Problems()
    sources = [(str(path), path.read_text(encoding="utf-8")) for path in sorted(tables)]
    isa = isagen.load(sources, tables[0].parent / "sem", problems)
    if problems.errors:
        sys.exit("the tables have errors; run isagen.py")
    return isa


def as_instance(n: Neighbour) -> Instance:
    target = f"{n.place.target}, texmode_independent" if "samplerref_0" in n.text else str(n.place.target)
    return Instance("?", str(n.place.version), target, n.text, n.declarations, n.kind, str(n.form.loc))


def judge(checker: Path, instances: List[Instance]) -> List[Instance]:
    """With Heddle's verdict: `accept`, or `reject` and the code of its first error."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join("\t".join(instance) + "\n" for instance in instances))
        file.flush()
        run = subprocess.run([checker, file.name, "--verdicts"], capture_output=True, text=True, check=True)
    verdicts = run.stdout.splitlines()
    assert len(verdicts) == len(instances)
    return [instance._replace(verdict=verdict) for instance, verdict in zip(instances, verdicts)]


def needs_a_module(instance: Instance) -> bool:
    """ptxas turns wmma instructions into functions, which have the types of the first use in the module."""
    return instance.text.startswith("wmma.") and instance.reason not in ("gate", "pair")


def ask(program: str, instances: List[Instance], jobs: int) -> Iterator[Tuple[Instance, Optional[str]]]:
    """Each instance with ptxas's first error, `` when ptxas accepts it, None when ptxas gives no verdict."""
    modules: Dict[Tuple[str, str], List[Instance]] = defaultdict(list)
    for instance in instances:
        if not needs_a_module(instance):
            modules[instance.version, instance.target].append(instance)
    parts = [group[start:start + MOST] for group in modules.values() for start in range(0, len(group), MOST)]
    parts += [[instance] for instance in instances if needs_a_module(instance)]

    def judged(part: List[Instance]) -> List[Optional[str]]:
        with tempfile.TemporaryDirectory() as folder:
            return opinions(Assembler(program, folder), part)

    with ThreadPoolExecutor(jobs) as pool:
        for part, answers in zip(parts, pool.map(judged, parts)):
            yield from zip(part, answers)


def report(counts: Dict[str, Counter]) -> None:
    print(f"{'family':<20}{'legal':>8}{'illegal':>9}{'agree':>9}{'raw %':>9}{'explained':>11}{'unexplained':>13}{'unjudged':>10}")
    total: Counter = Counter()
    for family, count in sorted(counts.items()):
        total.update(count)
        line(family, count)
    line("all", total)


def line(name: str, count: Counter) -> None:
    judged = count["agree"] + count["explained"] + count["unexplained"]
    raw = 100 * count["agree"] / judged if judged else 100
    print(f"{name:<20}{count['accept']:>8}{count['reject']:>9}{count['agree']:>9}{raw:>9.3f}{count['explained']:>11}"
          f"{count['unexplained']:>13}{count['unjudged']:>10}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", type=Path, required=True, help="heddle_form_instances")
    parser.add_argument("--share", type=float, default=1, help="of the instructions (default: 1, all)")
    parser.add_argument("--explained", action="store_true", help="print the known differences, too")
    parser.add_argument("--jobs", type=int, default=2, help="processes of ptxas at a time")
    parser.add_argument("tables", nargs="+", type=Path)
    add_options(parser)
    options = parser.parse_args()
    if not options.ptxas:
        print("no ptxas: skipped")
        return SKIPPED
    isa = load(options.tables)
    found, newer = neighbours(isa, OLDEST, NEWEST, lambda form: bool(re.search(options.only, str(form.loc))))
    if options.share < 1:
        found = sample(found, options.share)
    family = {str(n.form.loc): n.form.family for n in found}
    instances = judge(options.checker, [as_instance(n) for n in found])
    print(f"{len(instances)} instructions; {newer} combinations of modifiers are newer than PTX {NEWEST} and cannot be compared")
    known = read_known()
    used: Counter = Counter()
    counts: Dict[str, Counter] = defaultdict(Counter)
    for instance, opinion in ask(options.ptxas, instances, options.jobs):
        verdict, _, code = instance.verdict.partition(" ")
        instance = instance._replace(verdict=verdict)
        why = None
        if opinion is None:
            result = "unjudged"
        elif (opinion == "") == (verdict == "accept"):
            result = "agree"
        else:
            why = explanation(known, instance)
            result = "explained" if why else "unexplained"
        counts[family[instance.source]].update([verdict, result])
        used.update([str(why)] if why else [])
        if result == "unexplained" or (result == "explained" and options.explained):
            print(f"{why or result}\t{instance.source}\t{verdict} {code}\t{instance.reason}\t{instance.version}\t"
                  f"{instance.target}\t{instance.text}\t{opinion or 'accepts it'}")
    report(counts)
    if options.explained:
        for line, count in used.most_common():
            print(f"{count:>8}  {line}")
    return 1 if any(count["unexplained"] for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
