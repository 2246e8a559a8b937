#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""engines.py BUILD [--filter TEXT] [--again N]: the time of HEDDLE_ENGINE=auto compared with the interpreter alone.

Each kernel test (heddle_kernel_tests) and each run of tests/run and tests/jit is a separate process, under both engines. The script
measures wall-clock and processor time of the whole process, start included. auto runs twice, at first without code on disk. A test
that takes more than a tenth longer with auto, and at least a few milliseconds longer, is run again; a test that is slower each time is
listed. Exit status: 1 when there is such a test.
"""

import argparse
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "run"))
import run_test  # pylint: disable=wrong-import-position

MOST = 1.1       # times
NOTICED = 0.005  # s: a smaller difference is noise


def kernel_tests(build):
    program = str(build / "bin" / "heddle_kernel_tests")
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite = ""
    for line in listed.splitlines():
        word = line.split("#")[0].rstrip()
        if not line.startswith(" "):
            suite = word
        elif suite.endswith(".") and not suite.startswith("Traps"):
            yield suite + word.strip(), [program, f"--gtest_filter={suite}{word.strip()}"]


def runs(build):
    for path in sorted([*ROOT.glob("tests/run/**/*.ptx"), *ROOT.glob("tests/jit/run_*.ptx")]):
        for run in run_test.read(path):
            entry, *arguments = run.arguments
            yield (f"{path.relative_to(ROOT)}:{run.line} {entry}",
                   [str(build / "bin" / "heddle"), "run", str(path), "--entry", entry, "--time-limit", "20", *arguments])


def measure(command, engine, cache):
    environment = {**os.environ, "HEDDLE_ENGINE": engine, "HEDDLE_CACHE": "1" if cache else "0", "HEDDLE_CACHE_DIR": cache or "/"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(one, other):
    return tuple(map(min, one, other))


def loses(auto, interpreter):
    return auto[0] > MOST * interpreter[0] and auto[0] - interpreter[0] > NOTICED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--again", type=int, default=4, help="how often what seems to lose is run again (default: %(default)s)")
    options = parser.parse_args()
    programs = [(name, command) for source in (kernel_tests, runs) for name, command in source(options.build.resolve())
                if options.filter in name]
    if not programs:
        sys.exit("there is no such program")
    sums = {kind: [0.0, 0.0] for kind in ("interp", "auto", "auto, code on disk")}
    lost = []
    for name, command in programs:
        with tempfile.TemporaryDirectory() as cache:
            took = {"interp": measure(command, "interp", None), "auto": measure(command, "auto", cache),
                    "auto, code on disk": measure(command, "auto", cache)}
            for _ in range(options.again):
                if not loses(took["auto"], took["interp"]):
                    break
                took["interp"] = least(took["interp"], measure(command, "interp", None))
                took["auto"] = least(took["auto"], measure(command, "auto", None))
        for kind, times in took.items():
            for i in (0, 1):
                sums[kind][i] += times[i]
        if loses(took["auto"], took["interp"]):
            lost.append((took["auto"][0] / took["interp"][0], took, name))
    print(f"{len(programs)} programs; s on the clock, and of processors:")
    for kind, (wall, cpu) in sums.items():
        print(f"  {kind:20} {wall:8.2f} {cpu:8.2f}")
    for ratio, took, name in sorted(lost, reverse=True):
        print(f"auto takes {ratio:.2f} times as long, {took['auto'][0] * 1e3:.0f} ms beside {took['interp'][0] * 1e3:.0f}: {name}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
