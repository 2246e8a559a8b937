#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds this folder's C programs with GCC for nvptx and runs them on Heddle.

    programs_test.py --heddle build/release/bin/heddle [--work DIR] [NAME...]

The first comment of a program has the options to build it and the expected results:
    // options: OPTIONS     of the compiler, for a program that offloads (OpenMP, OpenACC)
    // launches: N          the least number of grids that it launches, so that it cannot pass on the host alone
    // run: nvptx-none-run  a whole program for the device instead
    // arguments: WORDS     of the program
    // expect: LINE         a line of standard output; all lines, in order. Offloading programs end with `right`
    // status: N            its exit status instead of 0; or `nonzero`
Exit status: 0 all as expected, 1 not, 77 skipped: GCC for nvptx is not installed.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import toolchain

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "scripts"))
from abi_types import SKIPPED  # noqa: E402
from annotated_program import AnnotatedProgram  # noqa: E402

# A program that could not use the device must fail, not run on the host.
NO_FALLBACK = {"OMP_TARGET_OFFLOAD": "MANDATORY", "ACC_DEVICE_TYPE": "nvidia"}


class Program(AnnotatedProgram):
    @property
    def offloads(self):
        return not self.get("run")

    def build(self, tools, out):
        if self.offloads:
            tools.build_offloading(self.path, out, shlex.split(self.one("options")))
        else:
            tools.build_standalone(self.path, out)

    def command(self, tools, out):
        return [out] if self.offloads else [tools.runner, out, *shlex.split(self.one("arguments"))]

    def what_is_wrong(self, result):
        lines = []
        want = self.get("expect") + (["right"] if self.offloads else [])
        if result.stdout.splitlines() != want:
            lines += ["expected:", *want, "printed:", *result.stdout.splitlines()]
        status = self.one("status", "0")
        if result.returncode == 0 if status == "nonzero" else result.returncode != int(status):
            lines.append(f"exit status {result.returncode}, expected {status}")
        launches = len(re.findall(r"^heddle: launch: ", result.stderr, re.M))
        if launches < int(self.one("launches", "1")):
            lines.append(f"{launches} grids were launched, expected {self.one('launches', '1')}")
        # libgomp and the driver report errors of the release of the device there.
        said = [line for line in result.stderr.splitlines() if not line.startswith("heddle: launch: ")]
        if said and (lines or status == "0"):
            lines += ["error output:", *said]
        return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="keep what is built here")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()

    programs = [Program(path) for path in sorted(HERE.glob("*.c"))]
    if unknown := set(args.names) - {program.name for program in programs}:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    tools, missing = toolchain.find()
    if not tools:
        print(f"gcc: skipped: {missing}")
        return SKIPPED

    environment = dict(os.environ, HEDDLE_TRACE="launch", **NO_FALLBACK)
    ran = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        for program in programs:
            if args.names and program.name not in args.names:
                continue
            ran += 1
            start = built = time.monotonic()
            try:
                program.build(tools, work / program.name)
                built = time.monotonic()
                command = program.command(tools, work / program.name)
                wrong = program.what_is_wrong(toolchain.run(
                    [args.heddle.resolve(), "exec", "--", *command], timeout=300, env=environment))
            except (toolchain.BuildError, subprocess.TimeoutExpired) as error:
                wrong = str(error).splitlines()
            failed += bool(wrong)
            print(f"{program.name} (gcc): {'FAILED' if wrong else 'ok'}, built in {built - start:.1f} s, "
                  f"ran {time.monotonic() - built:.1f} s", *wrong, sep="\n    ", flush=True)
    print(f"{ran} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
