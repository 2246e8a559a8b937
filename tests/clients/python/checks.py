# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons for client programs, counted. Standard library only: some clients come without numpy."""

import sys

done = failed = 0


def flat(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def check(name, got, want, tolerance=0.0):
    """Each number within the tolerance, relative to numbers greater than 1."""
    global done, failed
    got, want = flat(got), flat(want)
    bad = [i for i, (a, b) in enumerate(zip(got, want)) if not (a == b or abs(a - b) <= tolerance * max(1, abs(b)))]
    ok = len(got) == len(want) and not bad
    done += 1
    failed += not ok
    print(f"{'ok    ' if ok else 'FAILED'} {name}: {len(want)} values", flush=True)
    if len(got) != len(want):
        print(f"       but got {len(got)}")
    for i in bad[:3]:
        print(f"       [{i}] is {got[i]}, should be {want[i]}")


def finish():
    if not done:
        sys.exit("nothing was compared")
    print(f"{done} comparisons, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)
