#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCC's C torture tests, built for nvptx by GCC and run on Heddle.

    torture.py --heddle build/release/bin/heddle [--every N] [-j N] [--level -O2] [NAME...]

The tests are small whole programs that call abort on an error (gcc.c-torture/execute and its
folder ieee). They come from Debian's package of GCC's source. By default every third test, by name, is run.
The failing tests are compared with torture_expected.txt, where each line names a test and why it fails.
Exit status: 0 when only listed tests failed, and 98 % of the built tests passed; 77: not installed.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import toolchain

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
NEEDED = 0.98
# GCC's own driver of these tests passes them.
FOLDER_OPTIONS = {"ieee": ["-fno-inline", "-DSIGNAL_SUPPRESS"]}


def unpack(gcc_version):
    """The folder with the tests, unpacked once into build/torture; or None."""
    tarballs = sorted(glob.glob(f"/usr/src/gcc-{gcc_version}/gcc-*.tar.*"))
    if not tarballs:
        return None
    tarball = Path(tarballs[0])
    target = ROOT / "build" / "torture" / re.sub(r"\.tar\..*", "", tarball.name)
    tests = target / "gcc/testsuite/gcc.c-torture/execute"
    if not tests.is_dir():
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        subprocess.run(["tar", "-xf", tarball, "-C", partial, "--strip-components=1", "--wildcards",
                        "*/gcc/testsuite/gcc.c-torture/execute"], check=True)
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
    return tests


def options_of(source):
    """The options in the test's comments for all targets; options for particular targets do not name nvptx."""
    text = source.read_text(errors="replace")
    found = re.findall(r'dg-(?:additional-)?options\s+\{?\s*"([^"]*)"\s*\}?\s*\}', text)
    return [word for words in found for word in words.split()] + FOLDER_OPTIONS.get(source.parent.name, [])


def read_expected(path):
    expected = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            expected[name] = reason
    return expected


class Job:
    def __init__(self, args, tools, folder, source):
        self.args, self.tools, self.folder, self.source = args, tools, folder, source
        self.name = str(source.relative_to(folder).with_suffix(""))

    def run(self, work):
        """(result, reason)"""
        out = work / self.name.replace("/", "_")
        try:
            self.tools.build_standalone(self.source, out, options_of(self.source), self.args.level)
        except toolchain.BuildError as error:
            return "not built", str(error)
        command = [self.args.heddle, "exec", "--", self.tools.runner, out]
        try:
            result = toolchain.run(command, timeout=self.args.timeout, cwd=work)
        except subprocess.TimeoutExpired:
            return "failed", f"no end within {self.args.timeout} s"
        finally:
            if not self.args.work:
                for path in work.glob(out.name + "*"):
                    if path.stem.split(".")[0] == out.name:
                        path.unlink()
        if result.returncode:
            return "failed", f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
        return "passed", ""


def first_error(why):
    lines = [line for line in why.splitlines() if re.search(r"error|sorry|unresolved", line)] or [why]
    return re.sub(r"\S*?:(\d+:)* ", "", lines[0], count=1).strip()[:100]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--every", type=int, default=3, help="every Nth test by name (default: 3)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--level", default="-O2", help="of optimization (default: -O2)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a test (default: 60)")
    parser.add_argument("--tests", type=Path, help="the folder gcc.c-torture/execute")
    parser.add_argument("--work", type=Path, help="keep what is built here")
    parser.add_argument("-v", "--verbose", action="store_true", help="say why a test was not built")
    parser.add_argument("names", nargs="*", help="these tests only")
    args = parser.parse_args()
    args.heddle = args.heddle.resolve()

    tools, missing = toolchain.find()
    if not tools:
        print(f"torture: skipped: {missing}")
        return SKIPPED
    folder = args.tests or unpack(tools.version)
    if not folder:
        print(f"torture: skipped: GCC's source is not installed ({tools.source_package})")
        return SKIPPED

    sources = sorted(list(folder.glob("*.c")) + list(folder.glob("ieee/*.c")))
    jobs = [Job(args, tools, folder, source) for source in sources]
    if args.names:
        jobs = [job for job in jobs if job.name in args.names]
        if unknown := set(args.names) - {job.name for job in jobs}:
            parser.error(f"no such test: {', '.join(sorted(unknown))}")
    else:
        jobs = jobs[::args.every]

    expected = read_expected(HERE / "torture_expected.txt")
    start = time.monotonic()
    found = {"passed": [], "failed": [], "not built": []}
    surprises = 0
    reasons = {}
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for job, (state, why) in zip(jobs, pool.map(lambda job: job.run(work), jobs)):
                found[state].append(job.name)
                if state == "failed":
                    listed = expected.get(job.name)
                    surprises += not listed
                    print(f"{job.name}: failed, {'as listed: ' + listed if listed else 'not listed'}")
                    print(*("    " + line for line in why.splitlines()[:20]), sep="\n", flush=True)
                elif state == "not built":
                    reasons.setdefault(first_error(why), []).append(job.name)
                elif job.name in expected:
                    print(f"{job.name}: passed, though it is listed to fail")
                    surprises += 1
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        if args.verbose:
            print(f"not built: {reason}: {' '.join(names)}")
    built = len(found["passed"]) + len(found["failed"])
    rate = len(found["passed"]) / built if built else 0
    print(f"{len(jobs)} tests at {args.level}, {rate:.1%} of {built} built passed, "
          f"{surprises} not as listed, {time.monotonic() - start:.0f} s")
    print(f"{len(found['passed'])} passed, {len(found['failed'])} failed, "
          f"{len(found['not built'])} not built")
    return 1 if surprises or (rate < NEEDED and not args.names) else 0


if __name__ == "__main__":
    sys.exit(main())
