#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""texture_test.py LIBCUDA: every spelling of tex and tld4 against model.py, bit by bit, through the driver API.

The textures, samplers and operands are pseudo-random. Half of the textures have texels with few significant bits: their results
are exact. Of the others, blends of floating-point texels may differ in the last bit.
"""

import argparse
import os
import random
import sys
import traceback
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial

import programs
from cases import Case, instructions
from driver import GATHER, CudaError, Device, view_descriptor
from model import Instruction, lookups
from texels import f16_of_f32, is_nan

THREADS = 40  # of a launch: a warp and a part of one


@lru_cache(maxsize=1)
def device(path):
    return Device(path)


def as_dtype(op, result):
    """The words that a kernel stores for the four words of a result."""
    if op.dtype == "f16":
        return [f16_of_f32(word) for word in result]
    if op.dtype == "f16x2":
        r, g, b, a = (f16_of_f32(word) for word in result)
        return [r | g << 16, b | a << 16]
    return list(result)


def ordered(code, bits):
    """A number that grows by 1 from a float to the next."""
    magnitude = code & (1 << bits - 1) - 1
    return -magnitude if code >> bits - 1 else magnitude


def agrees(got, wanted, bits, tolerance):
    if got == wanted or (is_nan(got, bits) and is_nan(wanted, bits)):
        return True
    return tolerance > 0 and abs(ordered(got, bits) - ordered(wanted, bits)) <= tolerance


def differs(case, got, results):
    """Whether the words of a thread are none of the right results."""
    op, texture = case.op, case.texture
    # Floats of many bits are not added exactly; nor is a third, the share of a texel in the corner of a cube.
    many_bits = (texture.format.kind == "float" and not case.exact) or texture.reading == "srgb" or texture.format.kind == "samples"
    tolerance = int(case.sampler.seamless or (many_bits and not op.compare))
    halves = op.dtype in ("f16", "f16x2")
    split = (lambda words: [h for w in words for h in ((w & 0xFFFF, w >> 16) if op.dtype == "f16x2" else (w,))])
    if op.predicate and got[4] != 1:
        return True
    for result in results:
        wanted = as_dtype(op, result)
        have = split(got[:len(wanted)])
        if texture.gives_integers and have == split(wanted):
            return False
        if not texture.gives_integers and all(agrees(h, w, 16 if halves else 32, tolerance) for h, w in zip(have, split(wanted))):
            return False
    return True


def run(gpu, case, rows):
    """The words of each thread."""
    texture, sampler = case.texture, case.sampler
    module, kernel = gpu.load(programs.lookup(case.op, case.binding, sampler))
    resource, free = gpu.resource(case.whole, GATHER if case.op.name == "tld4" else 0, case.resource == "pitched")
    handle = None
    try:
        if case.binding == "object":
            handle = gpu.texture_object(texture, sampler, resource, view_descriptor(case.whole, case.view))
        else:
            gpu.bind(module, texture, sampler, resource)
        return gpu.run(kernel, handle.value if handle else 0, rows)
    finally:
        if handle:
            gpu.call("cuTexObjectDestroy", handle)
        gpu.unload(module)
        free()


def check(op, options):
    """The number of lookups, and messages."""
    gpu, count, messages = device(options.libcuda), 0, []
    rng = random.Random(f"{options.seed} {op}")
    for number in range(options.count):
        case = Case(op, rng, exact=number % 2 == 0)
        if not case.is_defined():
            continue
        operands = [case.operands() for _ in range(THREADS)]
        try:
            results = run(gpu, case, [case.words(x) for x in operands])
        except CudaError as error:
            messages.append(f"{case}\n    {error}")
            continue
        except Exception:  # pylint: disable=broad-except
            messages.append(f"{case}\n    {traceback.format_exc()}")
            continue
        for x, got in zip(operands, results):
            wanted = lookups(case.texture, case.sampler, op, x)
            count += 1
            if differs(case, got, wanted):
                words = lambda result: " ".join(f"{word:08x}" for word in result)
                messages.append(f"{case}\n    {x}\n    is {words(got[:5])}, should be "
                                + " or ".join(words(as_dtype(op, result)) for result in wanted))
                break
    return count, messages[:options.messages]


def options_of(description, count):
    """The options of the command line. The engine is that of the process from now on."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libcuda")
    parser.add_argument("--count", type=int, default=count, help=f"textures or surfaces for each spelling (default: {count})")
    parser.add_argument("--only", default="", metavar="TEXT", help="only instructions whose spelling contains TEXT")
    parser.add_argument("--engine", default=os.environ.get("HEDDLE_ENGINE", "interp"), choices=("interp", "jit", "auto"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, default=1, metavar="N", help="only one in N spellings")
    parser.add_argument("--messages", type=int, default=2, help="differences to print of each spelling (default: 2)")
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="jobs", metavar="N", help="processes")
    options = parser.parse_args()
    os.environ["HEDDLE_ENGINE"] = options.engine
    os.environ["HEDDLE_CACHE"] = "0"
    return options


def main():
    options = options_of(__doc__, 100)
    ops = [op for op in instructions() if options.only in programs.lookup_name(op)]
    ops = [op for op in ops if zlib.crc32(str(op).encode()) % options.part == 0]
    failed = lookups_done = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for count, messages in pool.map(partial(check, options=options), ops):
            lookups_done += count
            failed += bool(messages)
            for message in messages:
                print(message)
    print(f"{options.engine}: {len(ops)} spellings, {lookups_done} lookups, {failed} spellings failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
