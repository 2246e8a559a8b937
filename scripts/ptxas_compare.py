#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the vendor's ptxas with the verdict on every instruction of form_instances.txt.

The tables follow the manual; the comparison with ptxas finds mistakes in them. Known differences, with their reasons,
are in the folder ptxas_differences beside this script.

usage: ptxas_compare.py form_instances.txt [--ptxas FILE] [--only REGEX] [--verbose]
exit status: 0 no new difference, 1 differences (printed), 77 no ptxas (the test is skipped)
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from judges import find_ptxas

SKIPPED = 77  # exit status
MOST_MEMORY = 2 << 30
MOST_SECONDS = 20


class Instance(NamedTuple):
    verdict: str
    version: str
    target: str
    text: str
    declarations: str
    reason: str
    source: str


def read_instances(path: Path) -> List[Instance]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Instance(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def limit() -> None:
    """A time limit is needed because ptxas does not terminate for some instructions."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


@lru_cache
def architectures(program: str) -> List[int]:
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return [int(number) for number in re.findall(r"'sm_(\d+)'", text)]


class Assembler:
    def __init__(self, program: str, folder: str) -> None:
        self.program = program
        self.source = Path(folder, "module.ptx")
        self.oldest = min(architectures(program))

    def errors(self, instances: List[Instance]) -> Optional[Dict[int, str]]:
        """The first error of each refused instance, by index; None when the module as a whole is refused.

        A module of one instance is refused because of that instance. None then means that ptxas crashed, or does not
        know the version.
        """
        lines = self.module(instances[0])
        first = len(lines) + 1
        lines += [self.kernel(index, instance) for index, instance in enumerate(instances)]
        self.source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [self.program, "-O0", "-arch", self.architecture(instances[0].target), str(self.source), "-o", "/dev/null"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
        found: Dict[int, str] = {}
        errors = re.findall(r"line (\d+); (?:error|fatal)\s*:\s*(.*)", run.stderr)
        # A module with 32-bit addresses is refused as a whole, unless a later address has another size.
        errors += re.findall(r"warning : (?=Program uses 32-bit address on line '(\d+)')(.*)", run.stderr)
        for line, message in errors:
            if 0 <= int(line) - first < len(instances):
                found.setdefault(int(line) - first, message)
        if run.returncode and not found:
            whole = re.search(r"^ptxas (?:error|fatal)\s*:\s*(.*)", run.stderr, re.M)
            alone = len(instances) == 1 and run.returncode > 0 and not errors  # not about the code around it
            return {0: whole[1]} if whole and alone else None
        return found

    def architecture(self, target: str) -> str:
        number, suffix = re.match(r"sm_(\d+)([af]?)", target).groups()
        if number == "101":
            number = "110"
        return f"sm_{number}{suffix}" if int(number) >= self.oldest else f"sm_{self.oldest}"

    @staticmethod
    def module(instance: Instance) -> List[str]:
        version = tuple(map(int, instance.version.split(".")))
        lines = [f".version {instance.version}", f".target {instance.target}"]
        if version >= (2, 3):
            lines.append(".address_size 64")
        if version >= (1, 5):
            lines += [".global .texref texref_0;", ".global .surfref surfref_0;"]
            if "texmode_independent" in instance.target:
                lines.append(".global .samplerref samplerref_0;")
        else:
            lines.append(".tex .u32 texref_0;")
        lines += [f".{space} .align 16 .b8 {space}_0[64];" for space in ("global", "shared", "const")]
        space = parameter_space(instance)
        for number, (result, parameter) in enumerate((("", ""), ("", "x"), ("y", ""), ("y", "x"))):
            result = result and f"({space} .b32 {result}) "
            parameter = parameter and f"{space} .b32 {parameter}"
            lines.append(f".func {result}function_{number} ({parameter}) {{ ret; }}")
        return lines

    @staticmethod
    def kernel(index: int, instance: Instance) -> str:
        text = instance.text
        parts = [] if instance.declarations == "-" else [instance.declarations]
        if "local_0" in text:
            parts.append(".local .align 16 .b8 local_0[64];")
        if "param_0" in text:
            parts.append(f"{parameter_space(instance)} .b32 param_0;")
        for number, types in enumerate(("_ ()", "_ (.param .b32 _)", "(.param .b32 _) _ ()", "(.param .b32 _) _ (.param .b32 _)")):
            if f"proto_{number}" in text:
                parts.append(f"proto_{number}: .callprototype {types};")
            if f"targets_{number}" in text:
                calls = text.startswith("call")
                parts.append(f"targets_{number}: " + (f".calltargets function_{number};" if calls else ".branchtargets label_0;"))
        return f".entry kernel_{index} () {{ {' '.join(parts)} {text} label_0: exit; }}"


def parameter_space(instance: Instance) -> str:
    return ".reg" if re.match(r"sm_1\d\b", instance.target) or instance.version < "2.0" else ".param"


def opinions(assembler: Assembler, instances: List[Instance]) -> List[Optional[str]]:
    """ptxas's first error for each instance, "" when ptxas accepts it, None when ptxas gives no verdict.

    ptxas stops at the end of a phase that found errors, so refused instances are removed until ptxas reports no more errors.
    """
    result: List[Optional[str]] = [""] * len(instances)
    alive = list(range(len(instances)))
    while alive:
        found = assembler.errors([instances[index] for index in alive])
        if found is None:  # no line number: split
            if len(alive) == 1:
                result[alive[0]] = None
                return result
            for half in (alive[:len(alive) // 2], alive[len(alive) // 2:]):
                for index, opinion in zip(half, opinions(assembler, [instances[i] for i in half])):
                    result[index] = opinion
            return result
        if not found:
            return result
        for position in found:
            result[alive[position]] = found[position]
        alive = [index for position, index in enumerate(alive) if position not in found]
    return result


class Known(NamedTuple):
    """A line of the folder ptxas_differences; the README.md there explains the format."""
    file: Path
    number: int
    verdict: str
    reason: str
    pattern: str

    def explains(self, instance: Instance) -> bool:
        family = Path(instance.source.split(":")[0]).stem
        return (self.file.stem in ("general", family) and self.verdict == instance.verdict
                and re.fullmatch(self.reason, instance.reason.split(":")[0]) is not None
                and re.search(self.pattern, instance.text) is not None)

    def __str__(self) -> str:
        return f"{self.file.name}:{self.number}"


def read_known() -> List[Known]:
    known = []
    for file in sorted(Path(__file__).with_name("ptxas_differences").glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line and not line.startswith("#"):
                known.append(Known(file, number, *line.split(None, 2)))
    return known


def explanation(known: List[Known], instance: Instance) -> Optional[Known]:
    return next((line for line in known if line.explains(instance)), None)


def compare(instances: List[Instance], program: str, verbose: bool = False) -> int:
    """Prints the unknown differences, and a summary; returns the number of unknown differences."""
    known = read_known()
    modules: Dict[Tuple[str, str], List[Instance]] = defaultdict(list)
    for instance in instances:
        modules[instance.version, instance.target].append(instance)
    agreed = differ = unknown = listed = 0
    with tempfile.TemporaryDirectory() as folder:
        assembler = Assembler(program, folder)
        for group in modules.values():
            for instance, opinion in zip(group, opinions(assembler, group)):
                where = f"{instance.source}: {instance.verdict} ({instance.reason}) {instance.version} {instance.target}"
                if opinion is None:
                    unknown += 1
                    if verbose:
                        print(f"{where}: {instance.text} cannot be judged")
                elif (opinion == "") == (instance.verdict == "accept"):
                    agreed += 1
                elif explanation(known, instance):
                    listed += 1
                else:
                    differ += 1
                    print(f"{where}: {instance.text} ptxas: {opinion or 'accepts it'}")
    print(f"{agreed} agree, {differ} differ, {listed} known differences, {unknown} that ptxas cannot judge")
    return differ


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ptxas", default=find_ptxas())
    parser.add_argument("--verbose", action="store_true", help="print what ptxas cannot judge, too")
    parser.add_argument("--only", default="", help="compare forms of tables that match this")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("instances", type=Path)
    add_options(parser)
    options = parser.parse_args()
    if not options.ptxas:
        print("no ptxas: skipped")
        return SKIPPED
    instances = [i for i in read_instances(options.instances) if re.search(options.only, i.source)]
    return 1 if compare(instances, options.ptxas, options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
