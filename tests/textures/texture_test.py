#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""texture_test.py LIBCUDA: every spelling of tex and tld4 against model.py, bit by bit, through the driver API.

The textures, samplers and operands are pseudo-random. Half of the textures have texels with few significant bits: their results
are exact. Of the others, blends of floating-point texels may differ in the last bit. The corners of seamless cubes and the
codes of BC4 and BC5 have rounding errors, too (slack_of).
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
from model import Sampler, lookups
from texels import Special, f16_of_f32, float_value, is_nan

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


def slack_of(case):
    """(units in the last place, amount) by which a blend may differ: the larger counts."""
    texture = case.texture
    if case.sampler.seamless:  # a third, the share of a texel in the corner of a cube, is not exact
        return 1, 1 / 32767 if texture.format.bits == 16 and texture.format.kind != "float" else 2.0**-17
    if texture.format.kind == "samples":  # sevenths of a code are not exact either
        return 1, 2.0**-22 if texture.reading == "normalized" else 0
    is_exact = case.op.compare or (texture.reading != "srgb" and (texture.format.kind != "float" or case.exact))
    return (0, 0) if is_exact else (1, 0)


def agrees(got, wanted, bits, slack):
    """Whether two floats are the same, or both NaN, or differ by no more than the slack."""
    if got == wanted or (is_nan(got, bits) and is_nan(wanted, bits)):
        return True
    sign, (units, amount) = 1 << bits - 1, slack
    order = [-(code & sign - 1) if code & sign else code for code in (got, wanted)]
    if abs(order[0] - order[1]) <= units:
        return True
    values = [float_value("f16" if bits == 16 else "f32", code) for code in (got, wanted)]
    return not any(isinstance(v, Special) for v in values) and abs(values[0] - values[1]) <= amount


def floats_agree(op, got, wanted, slack):
    if op.dtype == "f16x2":
        got, wanted = ([half for word in words for half in (word & 0xFFFF, word >> 16)] for words in (got, wanted))
    bits = 16 if op.dtype in ("f16", "f16x2") else 32
    return all(agrees(g, w, bits, slack) for g, w in zip(got, wanted))


def differs(case, got, results):
    """Whether the words of a thread are none of the right results."""
    op = case.op
    if op.predicate and got[4] != 1:
        return True
    slack = slack_of(case)
    for result in results:
        wanted = as_dtype(op, result)
        have = list(got[:len(wanted)])
        if have == wanted or (not case.texture.gives_integers and floats_agree(op, have, wanted, slack)):
            return False
    return True


def run(gpu, case, rows):
    """The words of each thread."""
    texture, sampler = case.texture, case.sampler
    module, kernel = gpu.load(programs.lookup(case.op, case.binding, sampler))
    resource, free = gpu.resource(case.whole, GATHER if case.op.name == "tld4" and case.op.geometry == "2d" else 0, case.resource == "pitched")
    handle = None
    try:
        if case.binding == "object":
            handle = gpu.texture_object(texture, sampler, resource, view_descriptor(case.whole, case.view))
        else:
            # A .samplerref has what a lookup asks of a sampler; it can only switch normalized coordinates off.
            gpu.bind(module, texture, Sampler(normalized=True) if case.binding == "sampler" else sampler, resource)
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
