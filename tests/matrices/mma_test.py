#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma_test.py HEDDLE: every mma, mma.sp, wmma and wgmma, and many tcgen05.mma, against model.py, bit by bit.

The matrices are pseudo-random.

Instructions that the device lacks are skipped and counted.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice

import fast
import ieee
import inputs
from instructions import instructions
from kernels import kernel_of
from model import PROFILES, element, step_of
from tcgen05 import tcgen05_instructions

CHUNK = 512  # tiles of a launch


def device_target(heddle, name):
    """The target of a device, sm_90a; and whether the device runs all other targets, too."""
    for line in subprocess.run([heddle, "devices"], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.replace("*", " ").split()
        if words[:1] == [name]:
            return next(word for word in words if word.startswith("sm_")), "every target" in line
    sys.exit(f"no device is called {name}")


def runs_on(op, target):
    number = lambda text: int(text[3:].rstrip("af"))
    if op.target[-1] in "af":
        return number(op.target) == number(target)
    return number(op.target) <= number(target)


def is_nan(name, code):
    return name == "f64" and code & (1 << 63) - 1 > 0x7FF << 52


def differences(op, profile, tile, got, with_ieee=False):
    """Messages for the elements of D that differ. The model has the last word: fast.py alone condemns nothing.

    None stands for an element that the instruction does not write.
    """
    step = None if op.d in ("s32", "f64") else step_of(op, profile)
    with_ieee &= ieee.applies_to(op)
    for q, case in enumerate(tile.cases):
        wanted = (ieee.multiply(op, case.a, case.b, case.c, case.scales) if with_ieee else
                  fast.multiply(op, step, case.a, case.b, case.c, case.scales))
        if wanted == got[q]:
            continue
        for m in range(op.m):
            for n in range(op.n):
                have, want = got[q][m][n], wanted[m][n]
                if have in (want, None) or (is_nan(op.d, have) and is_nan(op.d, want)):
                    continue
                scales = list(zip(case.scales[0][m], case.scales[1][n])) if case.scales else None
                exact = want if with_ieee else element(op, step, case.a[m], case.b[n], case.c[m][n], scales)
                wrong = "" if exact == want else f"; fast.py is wrong, too: {want:#x}"
                yield (f"row {m} column {n}: {have:#x}, should be {exact:#x}{wrong}\n"
                       f"    a {shown(case.a[m])}\n    b {shown(case.b[n])}\n    c {case.c[m][n]:#x}"
                       + (f"\n    scales {scales}" if scales else ""))


def shown(codes):
    return " ".join("-" if code is None else f"{code:x}" for code in codes)


def launches(op, count, seed):
    """Lists of (profile, number, Tile)."""
    pools = inputs.Pools(random.Random(f"{seed} {op}"), max(256, min(4096, 16 * count)))
    fewer = -(-count * 128 // max(128, op.m * op.n))  # of large matrices
    numbered = ((profile, number) for profile in inputs.profiles(op) for number in range(fewer))
    while chunk := list(islice(numbered, CHUNK)):
        yield [(profile, number, inputs.tile(op, profile, number, pools)) for profile, number in chunk]


def check(op, options, profile):
    """The number of tiles that were run, and messages."""
    kernel, count, messages = kernel_of(op), 0, []
    environment = dict(os.environ, HEDDLE_ENGINE=options.engine, HEDDLE_DEVICE=options.device, HEDDLE_CACHE="0",
                       HEDDLE_MMA="ieee" if options.ieee else "exact")
    with tempfile.TemporaryDirectory() as folder:
        for launch in launches(op, options.count, options.seed):
            results, problem = kernel.run(options.heddle, folder, [tile for _, _, tile in launch], environment)
            if results is None:
                return count, [f"{op}: {problem}"]
            count += len(launch)
            for (name, number, tile), got in zip(launch, results):
                messages += [f"{op}: {name}, tile {number}: {text}" for text in differences(op, profile, tile, got, options.ieee)]
            if messages:
                break
    return count, messages[:options.messages]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("--count", type=int, default=10000, metavar="TILES",
                        help="tiles of each instruction and profile of inputs (default: 10000)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only instructions whose name contains TEXT")
    parser.add_argument("--unit", choices=("mma", "wmma", "wgmma", "tcgen05"), help="only instructions that begin so")
    parser.add_argument("--engine", default=os.environ.get("HEDDLE_ENGINE", "interp"), choices=("interp", "jit", "auto"))
    parser.add_argument("--device", default=os.environ.get("HEDDLE_DEVICE", "heddle"))
    parser.add_argument("--ieee", action="store_true", help="with HEDDLE_MMA=ieee")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, default=1, metavar="N", help="only one in N instructions")
    parser.add_argument("--messages", type=int, default=3, help="differences to print of each instruction (default: 3)")
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="jobs", metavar="N", help="processes")
    options = parser.parse_args()

    target, has_all = device_target(options.heddle, options.device)
    ops = [op for op in instructions() + tcgen05_instructions() if options.only in str(op) and options.unit in (None, op.unit)]
    ops = [op for op in ops if zlib.crc32(str(op).encode()) % options.part == 0]
    running = [op for op in ops if has_all or runs_on(op, target)]
    profile = PROFILES.get(target.rstrip("af"))
    failed = tiles = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for count, messages in pool.map(partial(check, options=options, profile=profile), running):
            tiles += count
            failed += bool(messages)
            for message in messages:
                print(message)
    print(f"{options.device}, {options.engine}: {len(running)} instructions, {tiles} tiles, {failed} instructions failed; "
          f"skipped: {len(ops) - len(running)} that {target} lacks")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
