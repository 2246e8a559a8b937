#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_test.py HEDDLE [--seeds N] [FILE...]: runs kernels of PTX files and compares memory with the expectations beside them.

The `//!` lines of a file have the runs and their expected results:

    //! run add --grid 1 --block 4 u32[4]       an entry and the arguments of `heddle run`
        //! 0: 7 8 9 10                             the contents of argument 0 afterwards; `7 x4` is four times 7
    //! prints seven 7                          a line of what the kernel prints, before the arguments
        //! trap illegal instruction                or: the run traps, and its message contains this text
    //! refuse .reqntid 8                       or: the device refuses the launch, with this in the message
        //! section 11.4.3                          sections of the manual that the next runs test (docs/manual-examples.md)

Every kernel of a file is run by one of its lines. With --seeds each run is done under N pseudo-random schedules, too.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REFUSED, TRAPPED = 2, 3


class Run:
    def __init__(self, line, arguments):
        self.line, self.arguments = line, shlex.split(arguments)
        self.memory = {}  # argument number -> words
        self.printed = []  # lines
        self.failure = None  # exit status and part of the message


def words(text):
    result = []
    for word in text.split():
        times = re.fullmatch(r"x(\d+)", word)
        if times:
            result += [result[-1]] * (int(times[1]) - 1)
        else:
            result.append(word)
    return result


def read(path):
    runs = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith("//!"):
            continue
        text = line[3:].strip()
        buffer = re.match(r"(\d+):(.*)", text)
        if text.startswith("section "):
            continue
        if text.startswith("run "):
            runs.append(Run(number, text[4:]))
        elif text.startswith("prints "):
            runs[-1].printed.append(text[7:])
        elif text.startswith("trap "):
            runs[-1].failure = TRAPPED, text[5:]
        elif text.startswith("refuse "):
            runs[-1].failure = REFUSED, text[7:]
        elif buffer:
            runs[-1].memory.setdefault(buffer[1], []).extend(words(buffer[2]))
        else:
            sys.exit(f"{path}:{number}: not understood: {line}")
    return runs


def problems(heddle, path, run, schedule):
    entry, *arguments = run.arguments
    dumps = [f"--dump={number}" for number in run.memory]
    done = subprocess.run([heddle, "run", str(path), "--entry", entry, "--time-limit", "20", "--schedule", schedule,
                           *arguments, *dumps],
                          capture_output=True, text=True, check=False)
    if run.failure:
        status, message = run.failure
        if done.returncode == status and message in done.stderr:
            return []
        return [f"should fail with '{message}'; exit status {done.returncode}\n{done.stderr}"]
    if done.returncode:
        return [f"exit status {done.returncode}\n{done.stderr}"]
    if not run.memory and not run.printed:
        return ["nothing is expected of this run"]
    printed = re.split(r"^argument \d+:", done.stdout, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
    if run.printed and printed != run.printed:
        return [f"printed {printed}\n    should be {run.printed}"]
    found = {}
    for number, block in re.findall(r"^argument (\d+):.*\n((?:\s+\d+:.*\n)*)", done.stdout, re.MULTILINE):
        found[number] = " ".join(re.findall(r"^\s+\d+: (.*)$", block, re.MULTILINE)).split()
    return [f"argument {number} is {' '.join(found.get(number, []))}\n    should be  {' '.join(wanted)}"
            for number, wanted in run.memory.items() if found.get(number) != wanted]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=0)
    options = parser.parse_args()
    heddle, files = options.heddle, options.files or sorted(HERE.rglob("*.ptx"))
    schedules = ["fast", *(f"seed:{seed}" for seed in range(options.seeds))]
    failed = count = 0
    for path in files:
        runs = read(path)
        entries = set(re.findall(r"^\s*(?:\.\w+\s+)*\.entry\s+([\w$%]+)", path.read_text(), re.MULTILINE))
        for name in sorted(entries - {run.arguments[0] for run in runs}):
            failed += 1
            print(f"{path}: nothing runs '{name}'")
        for run in runs:
            for schedule in schedules:
                count += 1
                for problem in problems(heddle, path, run, schedule):
                    failed += 1
                    print(f"{path}:{run.line}: {' '.join(run.arguments)}, {schedule}: {problem}")
    print(f"{len(files)} files, {count} runs, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
