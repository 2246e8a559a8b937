#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle with ptxas on the PTX that LLVM's own tests of its NVPTX back-end generate.

The tests come from Debian's source package of LLVM, are kept below build/corpus and never committed. Every RUN line that
ends in llc is run; `heddle check` and ptxas must both accept, or both reject, the PTX. Known differences are explained
in tests/corpus_differences.txt: `TEST SIDE REASON`, where SIDE rejects a module that the other accepts.

With --nvcc, nvcc's PTX for tests/kernels, for each of its targets, is judged, too (`nvcc:FILE:TARGET`).

usage: corpus.py HEDDLE [--only REGEX] [--nvcc] [--folder build/corpus]
exit status: 0 agreement, 1 unexplained differences or a crash, 77 no ptxas (skipped)
"""

import argparse
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from judges import Heddle, Ptxas, Verdict, find_ptxas

SKIPPED = 77  # exit status
LLVM = "llvm-toolchain-19"
TESTS = "llvm/test/CodeGen/NVPTX"
TOOLS = {"llc": "llc-19", "opt": "opt-19", "llvm-as": "llvm-as-19", "sed": "sed", "cat": "cat", "echo": "echo",
         "split-file": "/usr/lib/llvm-19/bin/split-file", "%python": sys.executable}
KERNELS = Path(__file__).resolve().parents[1] / "tests" / "kernels"
DIFFERENCES = Path(__file__).resolve().parents[1] / "tests" / "corpus_differences.txt"
RUN_LIMIT = 120  # seconds for one RUN line


# ---------------------------------------------------------------------------------------- the tests

def apt(*words: str, folder: Path) -> None:
    root = [] if os.geteuid() == 0 else ["sudo"]
    command = root if words[0] == "install" else []
    subprocess.run([*command, "apt-get", "-q", *words], cwd=folder, check=True, stdout=sys.stderr)


def fetch(folder: Path) -> Path:
    """Downloads the source package with separate package lists, so that the system's lists do not change."""
    tests = folder / "nvptx"
    if tests.is_dir():
        return tests
    lists = folder / "apt" / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    sources = folder / "apt" / "sources.list"
    release = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)
    sources.write_text("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                       f"http://deb.debian.org/debian {release.group(1) if release else 'bookworm'} main\n", encoding="utf-8")
    options = ["-o", f"Dir::Etc::SourceList={sources.resolve()}", "-o", "Dir::Etc::SourceParts=-",
               "-o", f"Dir::State::Lists={lists.resolve()}"]
    if not list((folder / "apt").glob("*.orig.tar.xz")):
        print(f"downloading the source of {LLVM} (160 MB)", file=sys.stderr)
        apt(*options, "update", folder=folder / "apt")
        apt(*options, "source", "--download-only", "--tar-only", LLVM, folder=folder / "apt")
    archive = next((folder / "apt").glob("*.orig.tar.xz"))
    with_parts = folder / "unpacked"
    with_parts.mkdir(exist_ok=True)
    subprocess.run(["tar", "-xJf", str(archive.resolve()), "--wildcards", f"*/{TESTS}"], cwd=with_parts, check=True)
    next(with_parts.glob(f"*/{TESTS}")).rename(tests)
    shutil.rmtree(with_parts)
    return tests


def install(folder: Path) -> None:
    if not shutil.which("llc-19") or not shutil.which("opt-19"):
        print("installing llvm-19 for llc-19 and opt-19", file=sys.stderr)
        apt("install", "-y", "--no-install-recommends", "llvm-19", folder=folder)


# ----------------------------------------------------------------------------------------- RUN lines

class Module(NamedTuple):
    name: str  # test:number of its RUN line
    command: str
    file: Path


def run_lines(text: str) -> Iterator[str]:
    """Each RUN line with its continuation lines joined."""
    pending = ""
    for line in re.findall(r"RUN:\s*(.*)", text):
        pending += line.strip()
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
        else:
            yield re.sub(r"\s+", " ", pending)
            pending = ""


def pipeline(line: str) -> Optional[List[str]]:
    """The stages up to the last tool that we run; None when the line runs no such tool."""
    if line.startswith("%if") or "%{" in line:  # the same llc line once more, for ptxas
        return None
    stages = [stage.strip() for stage in re.split(r"\s*\|\s+", line)]
    while stages and re.match(r"(FileCheck|%ptxas-verify|count|not FileCheck)\b", stages[-1]):
        stages.pop()
    return stages or None


class Runner:
    def __init__(self, tests: Path, output: Path, only: str) -> None:
        self.tests, self.output, self.only = tests, output, only
        self.counts: Counter = Counter()
        self.modules: List[Module] = []

    def run_all(self) -> None:
        for source in sorted(self.tests.iterdir()):
            if source.suffix in (".ll", ".py", ".mir") and re.search(self.only, source.name):
                for number, line in enumerate(run_lines(source.read_text(encoding="utf-8")), 1):
                    self.run_line(source, number, line)

    def run_line(self, source: Path, number: int, line: str) -> None:
        stages = pipeline(line)
        if not stages:
            return
        words = [re.match(r"\S+", stage).group() for stage in stages]  # type: ignore[union-attr]
        last_words = stages[-1].split()
        if words[0] == "not":
            self.counts["RUN lines that must fail in LLVM"] += 1
            return
        if any(word not in TOOLS for word in words):
            self.counts["RUN lines with other tools"] += 1
            return
        makes_ptx = words[-1] == "llc" and not re.search(r"-filetype=null|-stop-|-debug-only", stages[-1])
        if not makes_ptx and (words[-1] in ("llc", "opt") and "%t" not in line):
            self.counts["RUN lines that make no PTX"] += 1
            return
        file = self.output / f"{source.name}.{number}.ptx"
        command = " | ".join(TOOLS[word] + stage[len(word):] for word, stage in zip(words, stages))
        command = self.substitute(command, source)
        named = re.search(r"-o[ =](\S+)", command) if makes_ptx else None
        run = self.shell(command)
        if run is None or run.returncode:
            self.counts["RUN lines that fail here"] += 1
            return
        if makes_ptx:
            text = run.stdout if not named or named.group(1) == "-" else Path(named.group(1)).read_bytes()
            if makes_ptx and b".version" not in text and "<" not in last_words and not named:
                default = self.tests / (source.stem + ".s")  # llc names its output after its input
                text = default.read_bytes() if default.exists() else text
            self.keep(Module(f"{source.name}:{number}", line, file), text)

    def substitute(self, command: str, source: Path) -> str:
        scratch = self.output / source.name
        for name, value in (("%s", source), ("%S", source.parent), ("%p", source.parent), ("%t", scratch)):
            command = re.sub(rf"{name}(?![a-zA-Z])", shlex.quote(str(value)), command)
        return command

    @staticmethod
    def shell(command: str) -> Optional["subprocess.CompletedProcess[bytes]"]:
        try:
            return subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, timeout=RUN_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return None

    def keep(self, module: Module, text: bytes) -> None:
        if b".version" not in text:
            self.counts["RUN lines that make no PTX"] += 1
            return
        module.file.write_bytes(text)
        self.modules.append(module)


# --------------------------------------------------------------------------------------------- nvcc

def nvcc_modules(output: Path, only: str) -> List[Module]:
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        print("no nvcc: its modules are left out")
        return []
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=True).stdout.split()
    # The oldest target, and the architecture-specific targets, which nvcc does not list and which
    # have new PTX.
    targets = listed[:1] + [f"{target}a" for target in listed if int(target.split("_")[1]) in (90, 100, 120)]
    modules: List[Module] = []
    for source in sorted(KERNELS.glob("*.cu")):
        for target in targets:
            name = f"nvcc:{source.name}:{target}"
            if not re.search(only, name):
                continue
            file = output / f"nvcc.{source.stem}.{target}.ptx"
            command = [nvcc, "-ptx", f"-arch={target}", "-std=c++17", f"-I{KERNELS}", str(source), "-o", str(file)]
            run = subprocess.run(command, capture_output=True, timeout=RUN_LIMIT, check=False)
            if run.returncode == 0:  # some sources are for clang, or for newer targets only
                modules.append(Module(name, " ".join(command), file))
    return modules


# --------------------------------------------------------------------------------------- comparison

class Explanation(NamedTuple):
    test: str  # a shell pattern
    side: str
    reason: str


def explanations() -> List[Explanation]:
    lines = (line.strip() for line in DIFFERENCES.read_text(encoding="utf-8").splitlines())
    return [Explanation(*line.split(None, 2)) for line in lines if line and not line.startswith("#")]


def comparable(heddle: Verdict, ptxas: Verdict) -> bool:
    """Today's ptxas no longer supports 32-bit addresses and the first versions; modules that both reject need no comparison."""
    forgotten = re.compile(r"32-Bit (compilation|ABI)")
    return ptxas.accepted or not heddle.accepted or not all(forgotten.search(m) for m in ptxas.messages)


def outcome(heddle: Verdict, ptxas: Verdict) -> str:
    if heddle.broken or ptxas.broken:
        return "heddle broke" if heddle.broken else "ptxas broke"
    if heddle.accepted == ptxas.accepted:
        return "both accept" if ptxas.accepted else "both reject"
    if not comparable(heddle, ptxas):
        return "not comparable"
    return "only ptxas rejects" if heddle.accepted else "only heddle rejects"


def show(module: Module, verdicts: Tuple[Verdict, Verdict]) -> None:
    print(f"\n{module.name}  {module.command}\n  {module.file}")
    for side, verdict in zip(("heddle", "ptxas"), verdicts):
        said = [verdict.broken] if verdict.broken else verdict.messages[:3] or ["accepts it"]
        for message in said:
            print(f"  {side}: {message}")


def compare(modules: List[Module], heddle: Heddle, ptxas: Ptxas, verbose: bool) -> int:
    known, used = explanations(), set()
    ours = heddle.verdicts([module.file for module in modules])
    counts: Counter = Counter()
    classes: Counter = Counter()
    unexplained = 0
    for module in modules:
        verdicts = ours[module.file], ptxas.verdict(module.file)
        what = outcome(*verdicts)
        side = {"only heddle rejects": "heddle", "only ptxas rejects": "ptxas"}.get(what, "")
        reason = next((e for e in known if e.side == side and fnmatch.fnmatch(module.name, e.test)), None)
        if reason:
            used.add(reason)
            what += ", explained"
        elif side or what == "heddle broke":
            unexplained += 1
            show(module, verdicts)
        elif verbose and what in ("both reject", "not comparable"):
            show(module, verdicts)
        counts[what] += 1
        if not what.startswith("both accept"):
            code = next(iter(verdicts[0].codes), "-")
            classes[what, code, next(iter(verdicts[1].codes), "-")] += 1
    print(f"\n{len(modules)} modules")
    for what, number in counts.most_common():
        print(f"{number:6} {what}")
    if classes:
        print("\nby first message")
        for (what, code, words), number in classes.most_common():
            print(f"{number:6} {what}: heddle {code}, ptxas {words}")
    for explanation in known:
        if explanation not in used:
            print(f"not needed any more: {explanation.test} {explanation.side} {explanation.reason}")
    return unexplained


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", help="the heddle program")
    parser.add_argument("--only", default="", help="tests whose names match this")
    parser.add_argument("--folder", type=Path, default=Path("build/corpus"))
    parser.add_argument("--nvcc", action="store_true", help="judge what nvcc makes of tests/kernels, too")
    parser.add_argument("--verbose", action="store_true", help="show what both reject, too")
    options = parser.parse_args()
    program = find_ptxas()
    if not program:
        print("no ptxas: skipped")
        return SKIPPED
    options.folder.mkdir(parents=True, exist_ok=True)
    tests = fetch(options.folder)
    install(options.folder)
    output = options.folder / "ptx"
    output.mkdir(exist_ok=True)
    runner = Runner(tests, output, options.only)
    runner.run_all()
    for what, number in runner.counts.items():
        print(f"{number} {what}: skipped")
    modules = runner.modules + (nvcc_modules(output, options.only) if options.nvcc else [])
    return 1 if compare(modules, Heddle(options.heddle), Ptxas(program), options.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
