# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdicts on a PTX module that corpus.py and mutate.py compare: Heddle's and the vendor's ptxas's."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

LIMIT = 60  # seconds for one file; more is a hang
BATCH = 100  # files for one heddle process


class Verdict(NamedTuple):
    accepted: bool
    messages: List[str]  # errors, in the order of the file: "line 3: CODE words"
    codes: List[str]  # the kind of each message: Heddle's code, or ptxas's words without names
    broken: str = ""  # a crash or a hang: no verdict


class Heddle:
    def __init__(self, program: str) -> None:
        self.program = program

    def verdicts(self, files: Sequence[Path]) -> Dict[Path, Verdict]:
        found: Dict[Path, Verdict] = {}
        for start in range(0, len(files), BATCH):
            found.update(self._batch(files[start:start + BATCH]))
        return found

    def _batch(self, files: Sequence[Path]) -> Dict[Path, Verdict]:
        command = [self.program, "check", "--format", "json", *map(str, files)]
        try:
            run = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)
            broken = "" if run.returncode in (0, 1) else f"exit status {run.returncode}"
        except subprocess.TimeoutExpired:
            broken = f"no answer in {LIMIT} s"
        if not broken:
            return self._read(files, run.stdout)
        if len(files) == 1:
            return {files[0]: Verdict(False, [], [], broken)}
        middle = len(files) // 2
        return {**self._batch(files[:middle]), **self._batch(files[middle:])}

    @staticmethod
    def _read(files: Sequence[Path], output: bytes) -> Dict[Path, Verdict]:
        errors = defaultdict(list)
        for diagnostic in json.loads(output.decode(errors="replace")):
            if diagnostic["severity"] == "error":
                errors[diagnostic["file"]].append(diagnostic)
        return {file: Verdict(not errors[str(file)],
                              [f"line {d['line']}: {d['code']} {d['message']}" for d in errors[str(file)]],
                              [d["code"] for d in errors[str(file)]])
                for file in files}


class Ptxas:
    """`-c`: a module may leave .extern functions undefined. `-O0`: only the verdict is needed, not good code."""

    def __init__(self, program: str) -> None:
        self.program = program
        text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        self.architectures = set(re.findall(r"'(sm_\d+[af]?)'", text))
        self.oldest = min(int(re.sub(r"\D", "", name)) for name in self.architectures)

    def architecture(self, text: str) -> str:
        """The architecture of .target, or the oldest that ptxas has: it assembles modules of older targets for that one, too."""
        target = re.search(r"^\s*\.target[^\n]*?sm_(\d+)([af]?)", text, re.MULTILINE)
        if not target or int(target.group(1)) < self.oldest:
            return f"sm_{self.oldest}"
        number = "110" if target.group(1) == "101" else target.group(1)  # renamed in CUDA 13
        return f"sm_{number}{target.group(2)}"

    def verdict(self, file: Path) -> Verdict:
        text = file.read_text(encoding="utf-8", errors="replace")
        version = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", text, re.MULTILINE)
        command = [self.program, "-O0", "-arch", self.architecture(text), str(file), "-o", "/dev/null"]
        if not version or tuple(map(int, version.groups())) >= (3, 1):  # older ones cannot be linked
            command.append("-c")
        try:
            run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return Verdict(False, [], [], f"no answer in {LIMIT} s")
        if run.returncode < 0:
            return Verdict(False, [], [], f"exit status {run.returncode}")
        found = re.findall(r"(?:line (\d+); )?(?:error|fatal)\s*: (.*)", run.stderr)
        messages = [f"line {line or '?'}: {words.strip()}" for line, words in found]
        # A phase that found errors ends with a message that only says so.
        messages = [m for m in messages if "aborted due to errors" not in m] or messages
        if run.returncode and not messages:
            messages = [run.stderr.strip() or f"exit status {run.returncode}"]
        return Verdict(run.returncode == 0, messages, [self.kind(message) for message in messages])

    @staticmethod
    def kind(message: str) -> str:
        words = re.sub(r"^line \S+ ", "", message)
        words = re.sub(r"'[^']*'|\"[^\"]*\"", "'_'", words)
        return re.sub(r"\b\d+\b", "N", words)


def find_ptxas() -> str:
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin") or ""
