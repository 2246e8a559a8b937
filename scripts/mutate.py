#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes one token of a valid module and compares what Heddle and ptxas say about the result.

Seeds are the modules below tests/check/accepted and examples, the modules of ./x corpus, and any that are named on the command
line, if both accept them. A mutant that makes Heddle crash or hang is a failure; so is agreement on less than 99 % of the
mutants. Mutants on which the two differ are kept in the folder, and are printed by class: Heddle's code against ptxas's words. Classes
that tests/mutate_differences.txt explains count as disagreement, too; their reason is printed beside them.

usage: mutate.py HEDDLE [--count N] [--seed N] [--folder build/mutate] [SEED.ptx ...]
exit status: 0 agreement, 1 too little of it or a crash, 77 no ptxas (skipped)
"""

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from corpus import comparable
from judges import Heddle, Ptxas, Verdict, find_ptxas

SKIPPED = 77  # exit status
GOAL = 0.99
ROOT = Path(__file__).resolve().parents[1]
DIFFERENCES = ROOT / "tests" / "mutate_differences.txt"
LARGEST = 20_000  # bytes of a seed
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\s+"  # not tokens
                   r"|(?P<token>\"[^\"\n]*\"|\.?[A-Za-z_$%][\w$]*|\d[\w]*(?:\.\d+)?|::|[^\w\s])", re.DOTALL)


class Mutant(NamedTuple):
    file: Path
    seed: Path
    change: str


class Seed:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.text = file.read_text(encoding="utf-8")
        self.spans = [m.span("token") for m in TOKEN.finditer(self.text) if m.group("token")]
        self.words = sorted({self.token(i) for i in range(len(self.spans))})

    def token(self, index: int) -> str:
        return self.text[slice(*self.spans[index])]

    def with_tokens(self, first: int, last: int, words: List[str]) -> str:
        """The text with the tokens first..last replaced; white space and comments between them are kept where possible."""
        begin, end = self.spans[first][0], self.spans[last][1]
        return self.text[:begin] + " ".join(words) + self.text[end:]


class Mutator:
    def __init__(self, seeds: List[Seed], number: int) -> None:
        self.seeds = seeds
        self.random = random.Random(number)
        self.words: Dict[str, List[str]] = defaultdict(list)  # by kind, from all seeds
        for seed in seeds:
            for word in seed.words:
                self.words[self.kind(word)].append(word)

    @staticmethod
    def kind(word: str) -> str:
        if word[0] == ".":
            return "."
        if word[0].isdigit():
            return "number"
        return "name" if word[0].isalpha() or word[0] in "_$%" else "sign"

    def mutant(self) -> Tuple[Seed, str, str]:
        seed = self.random.choice(self.seeds)
        at = self.random.randrange(len(seed.spans))
        word = seed.token(at)
        what = self.random.choice(("drop", "swap", "twice", "replace", "near", "near", "like", "like"))
        if what == "swap" and at + 1 < len(seed.spans):
            return seed, seed.with_tokens(at, at + 1, [seed.token(at + 1), word]), f"swap {word} {seed.token(at + 1)}"
        if what == "twice":
            return seed, seed.with_tokens(at, at, [word, word]), f"twice {word}"
        if what == "replace":  # by any token of this module
            other = seed.token(self.random.randrange(len(seed.spans)))
            return seed, seed.with_tokens(at, at, [other]), f"{word} -> {other}"
        if what == "near":  # by one of its kind from this module
            other = self.random.choice([w for w in seed.words if self.kind(w) == self.kind(word)])
            return seed, seed.with_tokens(at, at, [other]), f"{word} -> {other}"
        if what == "like":  # by one of its kind from any module
            other = self.random.choice(self.words[self.kind(word)])
            return seed, seed.with_tokens(at, at, [other]), f"{word} -> {other}"
        return seed, seed.with_tokens(at, at, []), f"drop {word}"


def valid_seeds(files: List[Path], heddle: Heddle, ptxas: Ptxas) -> List[Seed]:
    files = [file for file in files if file.stat().st_size <= LARGEST]
    ours = heddle.verdicts(files)
    return [Seed(file) for file in files if ours[file].accepted and ptxas.verdict(file).accepted]


def write_mutants(mutator: Mutator, count: int, folder: Path) -> List[Mutant]:
    mutants: List[Mutant] = []
    seen = set()
    while len(mutants) < count:
        seed, text, change = mutator.mutant()
        if text not in seen and text != seed.text:
            seen.add(text)
            file = folder / f"{len(mutants):06}.ptx"
            file.write_text(text, encoding="utf-8")
            mutants.append(Mutant(file, seed.file, change))
    return mutants


def line_of(verdict: Verdict) -> str:
    return verdict.messages[0].split(":")[0] if verdict.messages else ""


def explanations() -> List[Tuple[str, str, str]]:
    """The lines of DIFFERENCES; the file's header explains them."""
    lines = DIFFERENCES.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" :: ", 2)) for line in lines if " :: " in line and not line.startswith("#")]


def explains(line: Tuple[str, str, str], mine: Verdict, words: str) -> bool:
    code, _, about = line[0].partition(" ")
    said = next(iter(mine.messages), "")
    return code == next(iter(mine.codes), "accepts") and bool(re.search(about, said) and re.search(line[1], words))


def judge(mutants: List[Mutant], heddle: Heddle, ptxas: Ptxas, shown: int) -> bool:
    ours = heddle.verdicts([mutant.file for mutant in mutants])
    known = explanations()
    counts: Counter = Counter()
    classes: Dict[Tuple[str, str, str], List[Tuple[Mutant, Verdict, Verdict]]] = defaultdict(list)
    for mutant in mutants:
        mine, theirs = ours[mutant.file], ptxas.verdict(mutant.file)
        if mine.broken:
            counts["heddle broke"] += 1
            print(f"heddle: {mine.broken}: {mutant.file} ({mutant.change})")
            continue
        if theirs.broken or not comparable(mine, theirs):
            counts["not comparable"] += 1
        elif mine.accepted != theirs.accepted:
            counts["differ"] += 1
            words = next(iter(theirs.codes), "accepts")
            reason = next((line[2] for line in known if explains(line, mine, words)), "")
            classes[next(iter(mine.codes), "accepts"), words, reason].append((mutant, mine, theirs))
            continue
        else:
            counts["agree"] += 1
            counts["agree to reject"] += not mine.accepted
            counts["of these, first error on the same line"] += not mine.accepted and line_of(mine) == line_of(theirs)
        mutant.file.unlink()
    for (code, words, reason), members in sorted(classes.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(members)} x heddle {code}, ptxas {words}" + (f"\n    explained: {reason}" if reason else ""))
        counts["explained"] += len(members) if reason else 0
        for mutant, mine, theirs in members[:shown]:
            said = (mine.messages or theirs.messages)[0]
            print(f"    {mutant.file} {mutant.seed.name}: {mutant.change}: {said}")
    compared = counts["agree"] + counts["differ"]
    agreement = counts["agree"] / compared if compared else 1
    print(f"\n{len(mutants)} mutants, agreement {agreement:.2%}")
    for what, number in counts.items():
        print(f"{number:7} {what}")
    return agreement >= GOAL and not counts["heddle broke"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", help="the heddle program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--folder", type=Path, default=Path("build/mutate"))
    parser.add_argument("--shown", type=int, default=3, help="mutants shown of each class")
    parser.add_argument("seeds", nargs="*", type=Path)
    options = parser.parse_args()
    program = find_ptxas()
    if not program:
        print("no ptxas: skipped")
        return SKIPPED
    options.folder.mkdir(parents=True, exist_ok=True)
    for old in options.folder.glob("*.ptx"):
        old.unlink()
    files = [*sorted((ROOT / "tests/check/accepted").glob("*.ptx")), *sorted((ROOT / "examples").glob("*.ptx")),
             *sorted(Path("build/corpus").glob("*/*.ptx")), *options.seeds]
    heddle, ptxas = Heddle(options.heddle), Ptxas(program)
    seeds = valid_seeds(files, heddle, ptxas)
    print(f"{len(seeds)} valid modules, seed {options.seed}", flush=True)
    mutants = write_mutants(Mutator(seeds, options.seed), options.count, options.folder)
    return 0 if judge(mutants, heddle, ptxas, options.shown) else 1


if __name__ == "__main__":
    sys.exit(main())
