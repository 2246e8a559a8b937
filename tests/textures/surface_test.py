#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""surface_test.py LIBCUDA: every spelling of suld, sust and sured against surfaces.py, through the driver API.

Pseudo-random accesses change an array; all of it is compared with the model's. Accesses that must trap run in processes of
their own.
"""

import copy
import multiprocessing
import random
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product

import programs
from driver import SURFACE_LDST, CudaError, Device
from model import Level, Texture
from surfaces import Access, Outside, SurfaceInstruction, execute, load, place
from texels import FORMATS, float_code
from texture_test import THREADS, device, options_of

GEOMETRIES = ("1d", "2d", "3d", "a1d", "a2d")
OUTSIDE = ("trap", "clamp", "zero")
ILLEGAL_ADDRESS, MISALIGNED_ADDRESS = 700, 716


def instructions():
    vectors = [(t, v) for t in ("b8", "b16", "b32", "b64") for v in (1, 2, 4) if (t, v) != ("b64", 4)]
    for name, geometry, (type_, vector), outside in product(("suld", "sust"), GEOMETRIES, vectors, OUTSIDE):
        yield SurfaceInstruction(name, "b", geometry, outside, type_, vector)
    for geometry, vector, outside in product(GEOMETRIES[:3], (1, 2, 4), OUTSIDE):
        yield SurfaceInstruction("sust", "p", geometry, outside, "b32", vector)
    by_bytes = [("add", t) for t in ("u32", "s32", "u64")] + [("and", "b32"), ("or", "b32")]
    by_bytes += list(product(("min", "max"), ("u32", "s32", "u64", "s64")))
    by_values = [(o, "b32") for o in ("add", "min", "max", "and", "or")] + [("min", "b64"), ("max", "b64")]
    for geometry, outside in product(GEOMETRIES[:3], OUTSIDE):
        for operation, type_ in by_bytes:
            yield SurfaceInstruction("sured", "b", geometry, outside, type_, operation=operation)
        for operation, type_ in by_values:
            yield SurfaceInstruction("sured", "p", geometry, outside, type_, operation=operation)


class Case:
    def __init__(self, op, rng):
        self.op, self.rng = op, rng
        self.binding = rng.choice(("object", "surface"))
        forms = list(FORMATS.values())
        if op.name == "sured" and op.addressing == "p":
            forms, channels = [FORMATS["u32"], FORMATS["s32"]], (1 if op.type == "b32" else 2)
            form = rng.choice(forms)
        else:
            form = rng.choice(forms)
            channels = rng.choice(form.channels)
        texel = form.texel_bytes(channels)
        unit = max(op.size // texel, 1)  # rows are whole accesses
        size = [unit * rng.choice((1, 2, 3, 7)), rng.choice((1, 2, 5)), rng.choice((1, 3))][:op.dimensions]
        layers = rng.randint(1, 4) if op.layered else 0
        self.texture = Texture(form, "bits", channels, op.dimensions, [Level(tuple(size), [])], layers, op.layered)
        width, height, depth = (*size, 1, 1)[:3]
        self.texture.levels[0].texels = [[[[[rng.getrandbits(form.channel_bits(c)) for c in range(channels)] for _ in range(width)]
                                           for _ in range(height)] for _ in range(depth)] for _ in range(max(layers, 1))]

    def __str__(self):
        t = self.texture
        return (f"{programs.access_name(self.op)} of {t.format.name}x{t.channels} {'x'.join(str(n) for n in t.levels[0].size)}, "
                f"{t.layers} layers, {self.binding}")

    def access(self, outside):
        op, rng, texture = self.op, self.rng, self.texture
        extents = list(texture.levels[0].size)
        unit = 1
        if op.addressing == "b":
            extents[0] *= texture.format.texel_bytes(texture.channels)
            unit = op.size
            extents[0] //= unit

        def coordinate(extent):
            return rng.choice((rng.randrange(extent), rng.randrange(extent), -1, extent, rng.randint(-9, extent + 9), 2**26, -2**26)
                              if outside else (rng.randrange(extent),))

        coordinates = [coordinate(n) for n in extents]
        coordinates[0] *= unit
        layer = 0
        if op.layered:
            layer = rng.choice((rng.randrange(texture.layers), texture.layers, 0xFFFFFFFF) if outside else (rng.randrange(texture.layers),))
        return Access(tuple(coordinates), layer, tuple(self.value() for _ in range(op.vector)))

    def value(self):
        op, rng = self.op, self.rng
        if op.name == "sust" and op.addressing == "p" and (self.texture.format.normalized or self.texture.format.kind == "float"):
            return float_code(rng.choice((rng.uniform(-1.5, 1.5), rng.randint(0, 2046) / 2046, float("nan"), float("inf"), -float("inf"), 0.0,
                                          1.0, -1.0)))
        bits = max(int(op.type[1:]), 32)
        return rng.choice((rng.getrandbits(bits), rng.getrandbits(9), 0, 1, (1 << bits) - 1, 1 << bits - 1))

    def words(self, access):
        coordinates = [access.layer] * self.op.layered + list(access.coordinates)
        coordinates += [0x7FC0DEAD] * (programs.VALUES - len(coordinates))
        values = []
        for value in access.values:
            values += [value & 0xFFFFFFFF, value >> 32] if self.op.type[1:] == "64" else [value]
        return [word & 0xFFFFFFFF for word in coordinates + values]

    def accesses(self):
        """Stores of different threads do not overlap: their order would decide."""
        op, found, taken = self.op, [], set()
        for _ in range(THREADS):
            access = self.access(outside=op.outside != "trap")
            where = place(self.texture, op, access)
            if op.name == "sust" and where is not None:
                size = op.size or self.texture.format.texel_bytes(self.texture.channels)
                mine = {(*where[:3], where[3] + i) for i in range(size)}
                if mine & taken:
                    continue
                taken |= mine
            found.append(access)
        return found


def run(gpu, case, accesses):
    """The results of the threads, and the texels afterwards."""
    module, kernel = gpu.load(programs.access(case.op, case.binding))
    array = gpu.array(case.texture, SURFACE_LDST)
    handle = None
    try:
        if case.binding == "object":
            handle = gpu.surface_object(array)
        else:
            gpu.call("cuSurfRefSetArray", gpu.make("cuModuleGetSurfRef", module, b"srf"), array, 0)
        results = gpu.run(kernel, handle.value if handle else 0, [case.words(a) for a in accesses])
        after = copy.deepcopy(case.texture)
        gpu.copy(after, after.levels[0], array, to_array=False)
        return results, after
    finally:
        if handle:
            gpu.library.cuSurfObjectDestroy(handle)
        gpu.library.cuModuleUnload(module)
        gpu.library.cuArrayDestroy(array)


def wanted_words(op, values):
    return [word for value in values for word in ((value & 0xFFFFFFFF, value >> 32) if op.type[1:] == "64" else (value,))]


def check(op, options):
    """The number of accesses, and messages."""
    gpu, count, messages = device(options.libcuda), 0, []
    rng = random.Random(f"{options.seed} {op}")
    for _ in range(options.count):
        case = Case(op, rng)
        accesses = case.accesses()
        try:
            results, after = run(gpu, case, accesses)
        except CudaError as error:
            messages.append(f"{case}\n    {error}")
            continue
        count += len(accesses)
        if op.name == "suld":
            for access, got in zip(accesses, results):
                wanted = wanted_words(op, load(case.texture, op, access))
                if list(got[:len(wanted)]) != wanted:
                    messages.append(f"{case}\n    {access}\n    is {got}, should be {wanted}")
                    break
            continue
        before = copy.deepcopy(case.texture)
        for access in accesses:
            execute(case.texture, op, access)
        if after.levels[0].texels != case.texture.levels[0].texels:
            messages.append(f"{case}\n    {accesses}\n    before {before.levels[0].texels}\n    is     {after.levels[0].texels}\n"
                            f"    should {case.texture.levels[0].texels}")
    return count, messages[:options.messages]


def misaligned(op, access):
    """The access with an x that is no multiple of its size, or None: all are."""
    if op.addressing == "p" or op.size == 1:
        return None
    return Access((access.coordinates[0] + op.size // 2, *access.coordinates[1:]), access.layer, access.values)


def traps(gpu, case, accesses, codes):
    """Messages, unless the accesses fail with one of the codes."""
    try:
        run(gpu, case, accesses)
    except CudaError as error:
        return [] if error.code in codes else [f"{case}\n    {accesses[-1]}\n    {error}"]
    return [f"{case}\n    {accesses[-1]}\n    does not trap"]


def check_trap(job, options):
    """An access that is outside or not aligned, on a device of its own."""
    op, what = job
    rng = random.Random(f"{options.seed} {op}")
    case = Case(op, rng)
    right, wrong = case.access(outside=False), case.access(outside=True)
    if what == "misaligned":
        wrong = misaligned(op, right)
        return (1, traps(Device(options.libcuda), case, [right, wrong], (MISALIGNED_ADDRESS,))) if wrong else (0, [])
    while True:
        try:
            place(case.texture, op, wrong)
        except Outside:
            break
        wrong = case.access(outside=True)
    return 1, traps(Device(options.libcuda), case, [right, wrong], (ILLEGAL_ADDRESS,))


def main():
    options = options_of(__doc__, 4)
    ops = [op for op in instructions() if options.only in programs.access_name(op)]
    ops = [op for op in ops if zlib.crc32(str(op).encode()) % options.part == 0]
    wrong = [(op, what) for op in ops for what in ("outside", "misaligned") if op.outside == "trap" or what == "misaligned"][::10]
    failed = accesses = 0
    fresh = {"max_tasks_per_child": 1, "mp_context": multiprocessing.get_context("spawn")}
    for work, arguments, limits in ((check, ops, {}), (check_trap, wrong, fresh)):
        with ProcessPoolExecutor(options.jobs, **limits) as pool:
            for count, messages in pool.map(partial(work, options=options), arguments):
                accesses += count
                failed += bool(messages)
                for message in messages:
                    print(message)
    print(f"{options.engine}: {len(ops)} spellings, {accesses} accesses, {failed} spellings failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
