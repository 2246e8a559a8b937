#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a client's own test suite with pytest and compares the failures with the known failures.

    run_suite.py KNOWN REPORT [PYTEST-ARGUMENT...]

KNOWN lists failures, one per line: the test, and after ` # ` the reason. The exit status is 1 when a test
fails that is not in the list, or when a test of the list passes: then it must be removed from the list. Tests that the suite
skips on this machine are ignored. pytest writes its results (JUnit) to REPORT.
"""

import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent


def read_known(path):
    """{test: reason}"""
    known = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        test, separator, reason = line.partition(" # ")
        if not separator or not reason.strip():
            sys.exit(f"{path}:{number}: `{test}` has no reason")
        if test in known:
            sys.exit(f"{path}:{number}: `{test}` is there already")
        known[test.strip()] = reason.strip()
    return known


def read_results(report):
    """{test: passed, failed or skipped}; a test that fails and then cannot clean up has failed."""
    results = {}
    for case in xml.parse(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name')}"
        outcomes = {child.tag for child in case}
        failed = outcomes & {"failure", "error"}
        result = "failed" if failed else "skipped" if "skipped" in outcomes else "passed"
        if results.get(name) != "failed":
            results[name] = result
    return results


def main():
    known, report = read_known(Path(sys.argv[1])), Path(sys.argv[2])
    report.unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                    f"--junit-xml={report}", *sys.argv[3:]], check=False)
    if not report.exists():
        sys.exit("pytest has written no report")
    results = read_results(report)
    wrong = [f"{test} fails" for test, result in results.items()
             if result == "failed" and test not in known]
    wrong += [f"{test} passes, but {sys.argv[1]} says: {reason}" for test, reason in known.items()
              if results.get(test) == "passed"]
    print("\n".join(wrong))
    counts = {kind: list(results.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped; "
          f"{len(wrong)} not as listed")
    return 1 if wrong or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
