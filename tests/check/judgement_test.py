#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""judgement_test.py HEDDLE [--count N] [--seed N] [--only CLASS] [--shown N] [SEED.ptx ...]: is the first message the right one?

Each class below inserts one mistake, as a person or a compiler makes it, into a valid module, and states the expected first
message: one of a few codes, and the place. A mistake that leaves the module valid is not judged. Prints the share of right messages, class by
class, and the wrong messages; the exit status is 1 when the share is below GOAL.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

GOAL = 0.95
BATCH = 100  # files for one heddle process
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEEDS = [*sorted((HERE / "accepted").glob("*.ptx")), *sorted((ROOT / "examples").glob("*.ptx")),
         *sorted((ROOT / "tests/run").glob("*.ptx")), *sorted((ROOT / "tests/kernels").glob("**/*.ptx"))]
LARGEST = 30_000  # bytes of a seed
OPCODES: set = set()  # all of the language; filled in main

TYPES = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred".split()
INSTRUCTION = re.compile(r"^\s*(?P<guard>@!?[\w$%]+\s+)?(?P<mnemonic>[a-z]\w*(?:(?:\.|::)\w+)*)(?P<operands>\s[^;]*)?;\s*$")
NAME = re.compile(r"[%$_a-zA-Z][\w$]*")


class Span(NamedTuple):
    """A part of a line; columns from 0."""
    line: int
    begin: int
    end: int


class Instruction(NamedTuple):
    line: int
    text: str  # of the line
    mnemonic: Span
    words: List[Span]  # the modifiers, each with its dot
    operands: List[Span]

    def of(self, span: Span) -> str:
        return self.text[span.begin:span.end]


class Expected(NamedTuple):
    codes: str  # the right codes, separated by blanks
    place: Span  # the place of the message must begin in here


class Mistake(NamedTuple):
    line: int
    text: str  # the changed line; None: the line is removed
    expected: List[Expected]  # any of them
    change: str
    mentions: str = ""  # text that the message, a note, a label or a help must contain


class Module:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines = file.read_text(encoding="utf-8").split("\n")
        found = [instruction(number, line) for number, line in enumerate(self.lines)]
        self.instructions = [one for one in found if one]


def instruction(number: int, line: str) -> Optional[Instruction]:
    code = line.split("//")[0]
    match = INSTRUCTION.match(code)
    if not match or match["mnemonic"] == "ret":
        return None
    begin, end = match.span("mnemonic")
    words = [Span(number, begin + m.start(), begin + m.end()) for m in re.finditer(r"\.\w+(?:::\w+)*", match["mnemonic"])]
    operands: List[Span] = []
    depth, at = 0, match.start("operands")
    if match["operands"]:
        for i in range(at, match.end("operands") + 1):
            char = code[i] if i < match.end("operands") else ","
            depth += (char in "[{(") - (char in "]})")
            if char == "," and depth == 0:
                piece = code[at:i]
                operands.append(Span(number, at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())))
                at = i + 1
    return Instruction(number, code, Span(number, begin, end), words, operands)


def replaced(one: Instruction, span: Span, by: str) -> str:
    return one.text[:span.begin] + by + one.text[span.end:]


def is_type(word: str) -> bool:
    return word.lstrip(".") in TYPES


def behind(one: Instruction, span: Span) -> Span:
    """From the span's begin to the end of the instruction."""
    return Span(one.line, span.begin, len(one.text))


def whole(one: Instruction) -> Span:
    return Span(one.line, one.mnemonic.begin, len(one.text))


# --- the classes: an instruction, a random source, the mistake in it ---

IN_MNEMONIC = "P2004 P2006 P2007 P2008 P2009"  # a modifier is missing, or does not go with the others
AT_OPERAND = "P2024 P2025 P2026 P2032 P2034 P2063 P2066"


def modifier_dropped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if not is_type(one.of(word))]
    if not words:
        return None
    word = chance.choice(words)
    name = one.of(word)
    shorter = Span(one.line, one.mnemonic.begin, one.mnemonic.end - len(name))
    expected = [Expected("P2007 P2009", Span(one.line, shorter.begin, shorter.begin + 1)), Expected("P2004 P2006 P2008", shorter)]
    if name in (".v2", ".v4", ".v8"):
        expected = [Expected("P2026", Span(one.line, shorter.end, len(one.text)))]
    elif name.split("::")[0] in (".shared", ".global", ".local", ".param", ".const"):
        expected.append(Expected("P2038 P2099 P2125 P2054", Span(one.line, shorter.end, len(one.text))))
    else:  # another instruction, with other operands
        expected.append(Expected("P2020 P2021 P2022 P2023 P2024 P2025 P2034", Span(one.line, shorter.end, len(one.text))))
    return Mistake(one.line, replaced(one, word, ""), expected, f"without {name}")


def type_dropped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if is_type(one.of(word))]
    if not words:
        return None
    word = chance.choice(words)
    return Mistake(one.line, replaced(one, word, ""), [Expected("P2007", Span(one.line, one.mnemonic.begin, one.mnemonic.begin + 1))],
                   f"without {one.of(word)}", one.of(word))


def type_swapped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if is_type(one.of(word))]
    if not words:
        return None
    word = chance.choice(words)
    other = "." + chance.choice([t for t in TYPES if "." + t != one.of(word)])
    shift = len(other) - (word.end - word.begin)
    mnemonic = Span(one.line, one.mnemonic.begin, one.mnemonic.end + shift)
    return Mistake(one.line, replaced(one, word, other),
                   [Expected(IN_MNEMONIC + " P2003", mnemonic), Expected(AT_OPERAND + " P2037 P2099", Span(one.line, mnemonic.end, 10000)),
                    Expected("P3004", mnemonic)],
                   f"{one.of(word)} -> {other}")


def operand_dropped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    if len(one.operands) < 2 or one.text.lstrip().startswith("call"):
        return None
    index = chance.randrange(len(one.operands))
    gone = one.operands[index]
    first = one.operands[index - 1].end if index else gone.begin
    last = gone.end if index else one.operands[1].begin
    text = one.text[:first] + one.text[last:]
    end = len(text.rstrip()) - 1
    return Mistake(one.line, text, [Expected("P2020 P2022", Span(one.line, one.mnemonic.end - 1, end + 1))],
                   f"without {one.of(gone)}")


def operand_added(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    if not one.operands or one.text.lstrip().startswith("call"):
        return None
    last = one.operands[-1]
    text = one.text[:last.end] + ", " + one.of(last) + one.text[last.end:]
    return Mistake(one.line, text, [Expected("P2021", Span(one.line, last.end + 2, last.end + 3))], f"{one.of(last)} twice")


def operands_swapped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    if len(one.operands) < 2 or one.text.lstrip().startswith("call"):
        return None
    index = chance.randrange(len(one.operands) - 1)
    a, b = one.operands[index:index + 2]
    text = one.text[:a.begin] + one.of(b) + one.text[a.end:b.begin] + one.of(a) + one.text[b.end:]
    return Mistake(one.line, text, [Expected(AT_OPERAND + " P2030 P2033 P2036 P2037 P2040 P2041 P2065 P2044 P2029 P2055 P2032 P2023 P2038 P2064",
                                             Span(one.line, a.begin, b.end))],
                   f"{one.of(a)} and {one.of(b)} swapped")


def modifier_twice(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if not is_type(one.of(word))]
    if not words:
        return None
    word = chance.choice(words)
    return Mistake(one.line, replaced(one, word, one.of(word) * 2), [Expected("P2005", Span(one.line, word.end, word.end + 1))],
                   f"{one.of(word)} twice")


def misspell(name: str, chance: random.Random) -> str:
    """In a word of three letters or more, one letter is left out, doubled, or exchanged with the next."""
    letters = [i for i, char in enumerate(name) if char.isalpha()]
    if len(letters) < 3:
        return name
    i = chance.choice(letters[1:])
    return chance.choice([name[:i] + name[i + 1:], name[:i] + name[i] + name[i:], name[:i - 1] + name[i] + name[i - 1] + name[i + 1:]])


def opcode_misspelt(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    opcode = one.of(one.mnemonic).split(".")[0]
    wrong = misspell(opcode, chance)
    span = Span(one.line, one.mnemonic.begin, one.mnemonic.begin + len(opcode))
    return Mistake(one.line, replaced(one, span, wrong), [Expected("P2001", Span(one.line, span.begin, span.begin + 1))],
                   f"{opcode} -> {wrong}", opcode) if wrong != opcode and wrong not in OPCODES else None


def modifier_misspelt(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if not is_type(one.of(word)) and "::" not in one.of(word)]
    if not words:
        return None
    word = chance.choice(words)
    wrong = "." + misspell(one.of(word)[1:], chance)
    return Mistake(one.line, replaced(one, word, wrong), [Expected("P2002 P2003", Span(one.line, word.begin, word.begin + 1))],
                   f"{one.of(word)} -> {wrong}", one.of(word)) if wrong != one.of(word) else None


def name_misspelt(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    names = [m for operand in one.operands for m in [*re.finditer(NAME, one.of(operand))]
             for m in [(operand.begin + m.start(), m.group())] if not re.match(r"0[fFdDxX]", m[1])]
    if not names:
        return None
    at, name = chance.choice(names)
    wrong = misspell(name, chance)
    return Mistake(one.line, one.text[:at] + wrong + one.text[at + len(name):],
                   [Expected("P2010", Span(one.line, at, at + 1))], f"{name} -> {wrong}", name) if wrong != name else None


def lost(signs: str, codes: str, slack: int = 1) -> Callable[[Instruction, random.Random], Optional[Mistake]]:
    """One of `signs` is removed; the message must be at the text after it."""
    def mutate(one: Instruction, chance: random.Random) -> Optional[Mistake]:
        places = [i for i in range(one.mnemonic.end, len(one.text)) if one.text[i] in signs]
        if not places:
            return None
        at = chance.choice(places)
        text = one.text[:at] + " " * (one.text[at] == ",") + one.text[at + 1:]
        next_token = len(text) - len(text[at:].lstrip())
        return Mistake(one.line, text, [Expected(codes, Span(one.line, max(at - 1, 0), len(one.text) if slack else next_token + 1))],
                       f"without {one.text[at]}")
    return mutate


def semicolon_lost(one: Instruction, _: random.Random) -> Optional[Mistake]:
    text = one.text.rstrip()[:-1]
    return Mistake(one.line, text, [Expected("P1012 P1010", Span(one.line, len(text), len(text) + 1))], "without ;")


def brackets_lost(one: Instruction, _: random.Random) -> Optional[Mistake]:
    addresses = [span for span in one.operands if re.fullmatch(r"\[[\w%$]+\]", one.of(span))]
    if not addresses:
        return None
    span = addresses[0]
    return Mistake(one.line, replaced(one, span, one.of(span)[1:-1]), [Expected("P2034", Span(one.line, span.begin, span.begin + 1))],
                   f"{one.of(span)} without brackets")


def dot_lost(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    if not one.words:
        return None
    index = chance.randrange(len(one.words))
    word = one.words[index]
    text = one.text[:word.begin] + one.text[word.begin + 1:]
    begin = one.words[index - 1].begin if index else one.mnemonic.begin
    return Mistake(one.line, text, [Expected("P2001" if index == 0 else "P2002 P2003", Span(one.line, begin, begin + 1))],
                   f"{one.of(word)} without its dot")


def dot_twice(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    if not one.words:
        return None
    word = chance.choice(one.words)
    return Mistake(one.line, one.text[:word.begin] + "." + one.text[word.begin:],
                   [Expected("P1022", Span(one.line, word.begin, word.begin + 1))], f"{one.of(word)} with two dots")


def constant_written(one: Instruction, _: random.Random) -> Optional[Mistake]:
    if not one.operands or not one.of(one.operands[0]).startswith("%"):
        return None
    if not re.fullmatch(r"%[\w]+", one.of(one.operands[0])) or one.text.lstrip().split(".")[0] in ("st", "red", "bra", "call", "bar"):
        return None
    span = one.operands[0]
    return Mistake(one.line, replaced(one, span, "7"), [Expected("P2065 P2066", Span(one.line, span.begin, span.begin + 1))],
                   f"{one.of(span)} -> 7")


def stray_character(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    at = chance.choice([one.mnemonic.begin, one.mnemonic.end, len(one.text.rstrip()) - 1])
    sign = chance.choice("`\\'#")
    return Mistake(one.line, one.text[:at] + sign + one.text[at:], [Expected("P1001 P1008 P1010", Span(one.line, at, at + 1))],
                   f"with {sign}")


def space_swapped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    words = [word for word in one.words if one.of(word) in (".global", ".shared", ".local", ".param", ".const")]
    if not words or not re.match(r"(ld|st|atom|red)\.", one.of(one.mnemonic)):
        return None
    word = chance.choice(words)
    other = chance.choice([w for w in (".global", ".shared", ".local") if w != one.of(word)])
    shift = len(other) - (word.end - word.begin)
    return Mistake(one.line, replaced(one, word, other),
                   [Expected("P2038 P2099", Span(one.line, one.mnemonic.end + shift, 10000)),
                    Expected("P2003 P2004 P2008 P2009 P2007", Span(one.line, one.mnemonic.begin, one.mnemonic.end + shift))],
                   f"{one.of(word)} -> {other}")


def guard_replaced(one: Instruction, _: random.Random) -> Optional[Mistake]:
    guard = re.match(r"\s*@!?(%p\d+)", one.text)
    if not guard:
        return None
    return Mistake(one.line, one.text[:guard.start(1)] + "%r1" + one.text[guard.end(1):],
                   [Expected("P2040 P2010", Span(one.line, guard.start(1), guard.start(1) + 1))], f"{guard[1]} -> %r1")


def percent_lost(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    places = [m for m in re.finditer(r"%([a-z]+\d+)\b", one.text) if m.start() > one.mnemonic.end]
    if not places:
        return None
    match = chance.choice(places)
    return Mistake(one.line, one.text[:match.start()] + match[1] + one.text[match.end():],
                   [Expected("P2010", Span(one.line, match.start(), match.start() + 1))], f"{match[0]} -> {match[1]}", match[0])


def element_dropped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    vectors = [span for span in one.operands if re.fullmatch(r"\{.*,.*\}", one.of(span))]
    if not vectors:
        return None
    span = chance.choice(vectors)
    text = one.of(span)
    return Mistake(one.line, replaced(one, span, text[:text.rindex(",")] + "}"),
                   [Expected("P2025 P2026", Span(one.line, span.begin, span.begin + 1)),
                    Expected("P2008 P2050", Span(one.line, one.mnemonic.begin, span.end))], f"{text} without its last element")


def semicolon_twice(one: Instruction, _: random.Random) -> Optional[Mistake]:
    end = len(one.text.rstrip())
    return Mistake(one.line, one.text[:end] + ";" + one.text[end:], [Expected("P1013", Span(one.line, end, end + 1))], "with ;;")


def comment_open(one: Instruction, _: random.Random) -> Optional[Mistake]:
    return Mistake(one.line, "/* " + one.text, [Expected("P1002", Span(one.line, 0, 1))], "behind /*")


def number_broken(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    places = [m for m in re.finditer(r"(?<![\w%$.])\d+(?![\w.])", one.text) if m.start() > one.mnemonic.end]
    if not places:
        return None
    match = chance.choice(places)
    wrong = chance.choice([match[0] + "ab", match[0] + "u", "0x", "09", "0b2"])
    return Mistake(one.line, one.text[:match.start()] + wrong + one.text[match.end():],
                   [Expected("P1004", Span(one.line, match.start(), match.start() + 1))], f"{match[0]} -> {wrong}")


def real_for_integer(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    places = [m for m in re.finditer(r"(?<![\w%$.\[+-])\d+(?![\w.])", one.text) if m.start() > one.mnemonic.end]
    if not places or not re.search(r"\.[us](16|32|64)\b", one.of(one.mnemonic)):
        return None
    match = chance.choice(places)
    return Mistake(one.line, one.text[:match.end()] + ".5" + one.text[match.end():],
                   [Expected("P2063 P2066", Span(one.line, match.start(), match.start() + 1))], f"{match[0]} -> {match[0]}.5")


def brackets_of_another_kind(one: Instruction, _: random.Random) -> Optional[Mistake]:
    addresses = [span for span in one.operands if re.fullmatch(r"\[[\w%$]+\]", one.of(span))]
    if not addresses:
        return None
    span = addresses[0]
    return Mistake(one.line, replaced(one, span, "(" + one.of(span)[1:-1] + ")"),
                   [Expected("P2034", Span(one.line, span.begin, span.begin + 1))], f"{one.of(span)} in parentheses")


def argument_dropped(one: Instruction, chance: random.Random) -> Optional[Mistake]:
    lists = [span for span in one.operands if re.fullmatch(r"\([^()]+\)", one.of(span))]
    if not lists or not one.of(one.mnemonic).startswith("call"):
        return None
    span = chance.choice(lists)
    inside = one.of(span)[1:-1]
    return Mistake(one.line, replaced(one, span, f"({inside[:inside.rindex(',')] if ',' in inside else ''})"),
                   [Expected("P2050", Span(one.line, one.mnemonic.begin, span.begin + 1))], f"{one.of(span)} without its last element")


CLASSES: Dict[str, Callable[[Instruction, random.Random], Optional[Mistake]]] = {
    "a modifier dropped": modifier_dropped, "a type dropped": type_dropped, "a type swapped": type_swapped,
    "a modifier twice": modifier_twice, "an operand dropped": operand_dropped, "an operand added": operand_added,
    "operands swapped": operands_swapped, "an opcode misspelt": opcode_misspelt, "a modifier misspelt": modifier_misspelt,
    "a name misspelt": name_misspelt, "a comma lost": lost(",", "P1010", 0), "a semicolon lost": semicolon_lost,
    "a bracket or brace of an operand lost": lost("[]{}()", "P1010 P2034 P1012"), "an address without brackets": brackets_lost,
    "a dot lost": dot_lost, "a dot twice": dot_twice, "a constant written": constant_written, "a stray character": stray_character,
    "a state space swapped": space_swapped, "a guard that is no predicate": guard_replaced, "a % lost": percent_lost,
    "an element of a vector dropped": element_dropped, "a semicolon twice": semicolon_twice, "a comment that stays open": comment_open,
    "a number broken": number_broken, "a real number for an integer": real_for_integer,
    "an address in parentheses": brackets_of_another_kind, "an argument dropped": argument_dropped,
}


# --- classes for lines that are not instructions: the whole module, a random source ---

def directive_misspelt(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines) for m in [re.match(r"\s*\.(reg|global|shared|local|visible|extern|entry|func)\b", line)] if m]
    if not places:
        return None
    number, match = chance.choice(places)
    word, line = match[1], module.lines[number]
    wrong = misspell(word, chance)
    begin = match.start(1) - 1
    return Mistake(number, line[:match.start(1)] + wrong + line[match.end(1):], [Expected("P1011", Span(number, begin, begin + 1))],
                   f".{word} -> .{wrong}", "." + word) if wrong != word else None


def type_of_variable_misspelt(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines)
              for m in [re.match(r"\s*\.(?:reg|global|shared|local)\s+(?:\.align\s+\d+\s+)?(\.\w+)", line)] if m and is_type(m[1])]
    if not places:
        return None
    number, match = chance.choice(places)
    word, line = match[1], module.lines[number]
    wrong = chance.choice([word[:-1], word + "1", word[:1] + word[2:], ".int"])
    return Mistake(number, line[:match.start(1)] + wrong + line[match.end(1):],
                   [Expected("P2014 P1010 P2015", Span(number, match.start(1), match.end(1)))], f"{word} -> {wrong}") if not is_type(wrong) else None


def brace_of_body_lost(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [n for n, line in enumerate(module.lines) if line.strip() == "{" and n and module.lines[n - 1].rstrip().endswith(")")
              and re.search(r"^\s*(\.reg|ld|mov)", "\n".join(module.lines[n + 1:n + 2]))]
    if not places:
        return None
    number = chance.choice(places)
    end = len(module.lines[number - 1].split("//")[0].rstrip())
    return Mistake(number, "", [Expected("P1010", Span(number - 1, end, end + 1)), Expected("P1010", Span(number + 1, 0, 100))], "without {", "'{'")


def end_of_body_lost(module: Module, _: random.Random) -> Optional[Mistake]:
    numbers = [n for n, line in enumerate(module.lines) if line.strip() == "}"]
    if not numbers:
        return None
    number = numbers[-1]
    if any(re.match(r"\s*\.", line) for line in module.lines[number:]):
        return None
    return Mistake(number, "", [Expected("P1014", Span(len(module.lines) - 1, 0, 1000))], "without the last }")


def declaration_dropped(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines) for m in [re.match(r"\s*\.reg\s+\.\w+\s+(%?\w+)(<\d+>)?;\s*$", line)] if m]
    if not places:
        return None
    number, match = chance.choice(places)
    name = re.escape(match[1]) + (r"\d+" if match[2] else "")
    for at in range(number + 1, len(module.lines)):
        code = module.lines[at].split("//")[0]
        if use := re.search(rf"(?<![\w%$]){name}(?![\w$])", code):
            return Mistake(number, "", [Expected("P2010", Span(at, use.start(), use.start() + 1))], f"without {match[0].strip()}")
        if code.strip() == "}":
            break
    return None


def label_dropped(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m[1]) for n, line in enumerate(module.lines) for m in [re.match(r"\s*([\w$%]+):\s*$", line)] if m]
    if not places:
        return None
    number, name = chance.choice(places)
    function = max((n for n in range(number) if re.match(r"\s*\.?(\w+ )*\.?(entry|func)\b", module.lines[n])), default=0)
    for at, line in list(enumerate(module.lines))[function:]:
        use = re.search(rf"bra\b.*?(?<![\w$]){re.escape(name)}\s*;", line.split("//")[0])
        if use:
            begin = use.end() - 1 - len(name)
            return Mistake(number, "", [Expected("P2010", Span(at, begin, begin + 1))], f"without {name}:")
    return None


def declaration_twice(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines)
              for m in [re.match(r"\s*\.(?:reg|shared|local)\s+(?:\.align\s+\d+\s+)?(?:\.v\d\s+)?\.\w+\s+(%?\w+)[^,;]*;", line)] if m]
    places += [(n, m) for n, line in enumerate(module.lines) for m in [re.match(r"\s*([\w$%]+):\s*$", line)] if m]
    if not places:
        return None
    number, match = chance.choice(places)
    at = match.end() + 1 + match.start(1)
    return Mistake(number, f"{match[0]} {match[0]}", [Expected("P2011", Span(number, at, at + 1))], f"{match[1]} twice")


def parameter_list_broken(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines) for m in re.finditer(r"\.param (\.\w+) (\w+)", line)
              if re.search(r"\.(entry|func)\b", line) and is_type(m[1])]
    if not places:
        return None
    number, match = chance.choice(places)
    line = module.lines[number]
    how = chance.choice(["without its type", "without its space", "without a dot", "without (", "without )"])
    begin, end = match.span()
    if how == "without its type":
        return Mistake(number, f"{line[:begin]}.param {match[2]}{line[end:]}",
                       [Expected("P1010", Span(number, begin + 7, begin + 8))], f"{match[0]} {how}")
    if how == "without its space":
        return Mistake(number, f"{line[:begin]}{match[1]} {match[2]}{line[end:]}",
                       [Expected("P1010", Span(number, begin, begin + 1))], f"{match[0]} {how}", ".param")
    if how == "without a dot":
        return Mistake(number, f"{line[:begin]}.param {match[1][1:]} {match[2]}{line[end:]}",
                       [Expected("P1010", Span(number, begin + 7, begin + 8))], f"{match[0]} {how}", match[1])
    sign = how[-1]
    at = line.find("(") if sign == "(" else line.rfind(")")
    if line.count("(") != 1 or line.count(")") != 1:
        return None
    return Mistake(number, line[:at] + " " + line[at + 1:],
                   [Expected("P1010", Span(number, max(at - 1, 0), len(line) + 1)), Expected("P1010", Span(number + 1, 0, 1))], how)


def header_misspelt(module: Module, chance: random.Random) -> Optional[Mistake]:
    places = [(n, m) for n, line in enumerate(module.lines) for m in [re.match(r"\.(version|target|address_size) (\S+)", line)] if m]
    if not places:
        return None
    number, match = chance.choice(places)
    word, value = match.groups()
    if chance.random() < 0.5:
        wrong = misspell(word, chance)
        return Mistake(number, f".{wrong} {value}", [Expected("P1011", Span(number, 0, 1))], f".{word} -> .{wrong}", "." + word) if wrong != word else None
    wrong = {"version": value.replace(".", ","), "target": value.replace("_", ""), "address_size": value + "4"}[word]
    codes = {"version": "P1010", "target": "P3002", "address_size": "P2104"}[word]
    begin = len(word) + 2
    return Mistake(number, f".{word} {wrong}", [Expected(codes, Span(number, 0, begin + len(value)))], f"{value} -> {wrong}") if wrong != value else None


OF_MODULE: Dict[str, Callable[[Module, random.Random], Optional[Mistake]]] = {
    "a directive misspelt": directive_misspelt, "a type of a variable misspelt": type_of_variable_misspelt,
    "the brace before a body lost": brace_of_body_lost, "the brace behind a body lost": end_of_body_lost,
    "a declaration dropped": declaration_dropped, "a label dropped": label_dropped, "a declaration twice": declaration_twice,
    "a parameter list broken": parameter_list_broken, "a header misspelt": header_misspelt,
}


class Case(NamedTuple):
    kind: str
    module: Module
    mistake: Mistake
    file: Path


def diagnostics_of(heddle: str, files: List[Path]) -> Dict[str, List[dict]]:
    found: Dict[str, List[dict]] = defaultdict(list)
    for start in range(0, len(files), BATCH):
        done = subprocess.run([heddle, "check", "--format", "json", *map(str, files[start:start + BATCH])], capture_output=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"heddle check failed: {done.stderr.decode()}")
        for diagnostic in json.loads(done.stdout):
            if diagnostic["severity"] == "error":
                found[diagnostic["file"]].append(diagnostic)
    return found


def is_right(mistake: Mistake, first: dict) -> bool:
    column = first["column"] - 1
    place = any(first["code"] in expected.codes.split() and first["line"] - 1 == expected.place.line
                and expected.place.begin <= column < max(expected.place.end, expected.place.begin + 1) for expected in mistake.expected)
    said = "\n".join([first["message"], *first["notes"], *first["helps"], *(label["message"] for label in first["labels"])])
    return place and mistake.mentions in said


def make_cases(modules: List[Module], count: int, chance: random.Random, only: str, folder: Path) -> List[Case]:
    kinds = [kind for kind in [*CLASSES, *OF_MODULE] if only in kind]
    cases: List[Case] = []
    seen = set()
    for attempt in range(count * 20):
        if len(cases) == count:
            break
        kind, module = kinds[attempt % len(kinds)], chance.choice(modules)
        if kind in OF_MODULE:
            mistake = OF_MODULE[kind](module, chance)
        else:
            mistake = CLASSES[kind](chance.choice(module.instructions), chance) if module.instructions else None
        if not mistake or (module.file, mistake.line, mistake.text) in seen:
            continue
        seen.add((module.file, mistake.line, mistake.text))
        lines = [*module.lines]
        lines[mistake.line] = mistake.text
        file = folder / f"{len(cases):06}.ptx"
        file.write_text("\n".join(lines), encoding="utf-8")
        cases.append(Case(kind, module, mistake, file))
    return cases


def judge(cases: List[Case], heddle: str, shown: int) -> bool:
    said = diagnostics_of(heddle, [case.file for case in cases])
    counts: Dict[str, Counter] = defaultdict(Counter)
    for case in cases:
        errors = said[str(case.file)]
        verdict = "still valid" if not errors else "right" if is_right(case.mistake, errors[0]) else "wrong"
        counts[case.kind][verdict] += 1
        if verdict == "wrong" and counts[case.kind]["wrong"] <= shown:
            first = errors[0]
            print(f"{case.kind}: {case.module.file.name}:{case.mistake.line + 1}: {case.mistake.change}\n    {case.mistake.text.strip()}\n"
                  f"    {first['line']}:{first['column']} {first['code']} {first['message']} {first['helps']}")
    total: Counter = sum(counts.values(), Counter())
    for kind, count in [*counts.items(), ("all", total)]:
        judged = count["right"] + count["wrong"]
        share = f" {count['right'] / judged:8.1%}" if judged else ""
        print(f"{kind:40} {count['right']:5} of {judged:5} right{share}")
    return total["right"] >= GOAL * (total["right"] + total["wrong"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", help="the heddle program")
    parser.add_argument("--count", type=int, default=3700)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="classes whose name has this")
    parser.add_argument("--shown", type=int, default=3, help="wrong ones that are shown of each class")
    parser.add_argument("seeds", nargs="*", type=Path)
    options = parser.parse_args()
    listed = subprocess.run([options.heddle, "isa"], capture_output=True, text=True, check=True).stdout
    OPCODES.update(re.findall(r"^\w+", listed, re.MULTILINE))
    files = [file for file in [*SEEDS, *options.seeds] if file.stat().st_size <= LARGEST]
    broken = diagnostics_of(options.heddle, files)
    modules = [Module(file) for file in files if not broken[str(file)]]
    with tempfile.TemporaryDirectory() as folder:
        cases = make_cases(modules, options.count, random.Random(options.seed), options.only, Path(folder))
        print(f"{len(cases)} mistakes in {len(modules)} modules, seed {options.seed}")
        return 0 if judge(cases, options.heddle, options.shown) else 1


if __name__ == "__main__":
    sys.exit(main())
