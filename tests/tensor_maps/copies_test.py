#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""copies_test.py LIBCUDA [--count N]: tensor copies of random boxes, half of them partly outside, against model.py.

Every mode, rank, swizzling mode and size of elements; loads, stores and reductions. The whole shared memory and the whole
tensor are compared, so that a byte too many is found, too.
"""

import argparse
import random
import sys

from device import POISON, SWIZZLES, Device, Failed, load_kernel, store_kernel
import model

KINDS = {1: ["u8"], 2: ["u16", "f16", "bf16"], 4: ["u32", "s32", "f32"], 8: ["u64", "s64", "f64"]}
FLOATS = {"f16", "bf16", "f32", "f64"}
OOB_NAN = b"\xf7\x7f"
MOST_SHARED = 48 * 1024


def random_bytes(rng, size):
    return bytearray(rng.randbytes(size))


def row_of(rng, size, swizzle):
    """Elements of a row of a box: a multiple of 16 bytes."""
    most = min(256 * size, model.SPANS.get(swizzle, 128), 1024)
    return rng.choice([n for n in (16, 32, 48, 64, 96, 128, 256, 512, 1024) if n <= most]) // size


def around(rng, n, box):
    """A coordinate: inside half of the time, else partly or wholly outside."""
    return rng.randrange(0, max(1, n - box + 1)) if rng.random() < 0.5 else rng.randrange(-box - 1, n + 2)


class Case:
    """A random tensor, its map and the box that is copied."""

    def __init__(self, rng, mode, rank):
        self.rng, self.mode = rng, mode
        size = rng.choice([1, 2, 4, 8])
        self.kind = rng.choice(KINDS[size])
        self.fill = int(self.kind in FLOATS and rng.random() < 0.5)
        swizzle = rng.choice(SWIZZLES)
        row = row_of(rng, size, swizzle)
        dims = [rng.choice([row, row + 16 // size, 2 * row + 5, 3])] + [rng.randint(1, 9) for _ in range(rank - 1)]
        self.tensor = model.Map(size, dims, model.random_strides(rng, dims, size), swizzle, steps=[1] * rank)
        self.info, self.place = [], rng.choice([0, 128, 256, 1024])
        (self.make_im2col if mode.startswith("im2col") else self.make_tile)(rank, row)

    def steps(self):
        self.tensor.steps = [1] + [self.rng.choice([1, 1, 2, 3]) for _ in self.tensor.dims[1:]]

    def make_tile(self, rank, row):
        tensor, rng = self.tensor, self.rng
        if "4" in self.mode:
            tensor.box, self.at = [row, 1], [around(rng, tensor.dims[0], row), *[rng.randrange(-2, 12) for _ in range(4)]]
            self.elements = list(model.gathered(tensor, self.at))
            return
        self.steps()
        tensor.box = [row] + [rng.randint(1, 6) for _ in range(rank - 1)]
        self.at = [around(rng, n, box) for n, box in zip(tensor.dims, tensor.box)]
        self.elements = list(model.tile(tensor, self.at))

    def make_im2col(self, rank, row):
        tensor, rng = self.tensor, self.rng
        tensor.channels, tensor.pixels = row, rng.randint(1, 40)
        self.steps()
        spatial, wide = tensor.dims[1:-1], "w" in self.mode
        tensor.lower = [rng.randint(-2, 1) for _ in spatial]
        tensor.upper = [rng.randint(max(-2, low - n + 1), 2) for n, low in zip(spatial, tensor.lower)]
        inside = [rng.randint(low, n - 1 + high) for n, low, high in zip(spatial, tensor.lower, tensor.upper)]
        if wide:
            inside[1:] = [rng.randrange(-1, n + 1) for n in spatial[1:]]
        self.at = [around(rng, tensor.dims[0], row), *inside, rng.randrange(0, tensor.dims[-1] + 1)]
        if wide:
            self.info = [rng.randint(0, 4), rng.randint(0, 3)]
            self.elements = list(model.im2col_w(tensor, self.at, *self.info, "128" in self.mode))
        else:
            self.info = [] if "no_offs" in self.mode else [rng.randint(0, 3) for _ in spatial]
            self.elements = list(model.im2col(tensor, self.at, self.info))

    @property
    def size(self):
        return -(-(self.place + len(self.elements) * self.tensor.size + 128) // 128) * 128

    def map(self, device, address):
        if "w" in self.mode:
            return device.wide(self.tensor, address, self.kind, int("128" in self.mode), self.fill)
        encode = device.im2col if self.mode.startswith("im2col") else device.tiled
        return encode(self.tensor, address, self.kind, self.fill)

    def __str__(self):
        return f"{self.mode} {self.kind} at {self.at} info {self.info} place {self.place} {self.tensor}"


def differences(what, got, expected):
    wrong = [i for i in range(len(expected)) if got[i] != expected[i]]
    if wrong:
        i = wrong[0]
        yield f"{what}: {len(wrong)} bytes, the first at {i}: {got[i]:#x}, should be {expected[i]:#x}"


def check(device, case, text, stores, combine=None, data=None):
    """Runs the case, and compares memory and shared memory. `data`: what shared memory holds."""
    tensor = case.tensor
    memory = data[0] if data else random_bytes(case.rng, tensor.extent())
    shared = data[1] if data else random_bytes(case.rng, case.size) if stores else bytearray([POISON] * case.size)
    at = device.memory(memory)
    buffer = device.memory(shared)
    count = len(case.elements) * tensor.size
    device.run(text, case.map(device, at), buffer, case.size, count, case.place, case.at, case.info)
    got_memory, got_shared = device.read(at, len(memory)), device.read(buffer, case.size)
    device.free(at)
    device.free(buffer)
    # The place in shared memory is relative to a multiple of 1024.
    if stores:
        model.stored(tensor, case.elements, memory, shared, case.place, **({"combine": combine} if combine else {}))
    else:
        fill = OOB_NAN * 4 if case.fill else bytes(8)
        model.loaded(tensor, case.elements, memory, shared, case.place, fill)
    return [*differences("the tensor", got_memory, memory), *differences("shared memory", got_shared, shared)]


def loads(rng):
    for rank in range(1, 6):
        yield "tile", rank, load_kernel(rank, rng.choice(["", "tile"]))
    yield "tile::gather4", 2, load_kernel(2, "tile::gather4", coordinates=5)
    for rank in range(3, 6):
        yield "im2col", rank, load_kernel(rank, "im2col", rank - 2)
        yield "im2col::w", rank, load_kernel(rank, "im2col::w", 2)
        yield "im2col::w::128", rank, load_kernel(rank, "im2col::w::128", 2)


def stores(rng):
    for rank in range(1, 6):
        yield "tile", rank, store_kernel(rank, rng.choice(["", "tile"]))
    yield "tile::scatter4", 2, store_kernel(2, "tile::scatter4", coordinates=5)
    for rank in range(3, 6):
        yield "im2col_no_offs", rank, store_kernel(rank, "im2col_no_offs")


def number(data, signed=False):
    return int.from_bytes(data, "little", signed=signed)


def integer_reduction(name, kind):
    signed, size = kind[0] == "s", int(kind[1:]) // 8
    apply = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
             "xor": lambda a, b: a ^ b, "inc": lambda a, b: 0 if a >= b else a + 1,
             "dec": lambda a, b: b if a == 0 or a > b else a - 1}[name]
    return lambda old, new: (apply(number(old, signed), number(new, signed)) % 2**(8 * size)).to_bytes(size, "little")


REDUCTIONS = [("add", "u32 s32 u64"), ("min", "u32 s32 u64 s64"), ("max", "u32 s32 u64 s64"), ("inc", "u32"), ("dec", "u32"),
              ("and", "u32 s64"), ("or", "s32 u64"), ("xor", "u32 u64")]


def reduction_case(rng, kind, mode, rank):
    size = int(kind[1:]) // 8
    while True:
        case = Case(rng, mode, rank)
        if case.tensor.size == size and len({tuple(place) for _, place in case.elements}) == len(case.elements):
            case.kind, case.fill = kind, 0
            return case


def small_enough(make):
    while True:
        case = make()
        if case.size <= MOST_SHARED and case.tensor.extent() <= 1 << 20:
            return case


def run(device, rng, count):
    done = 0
    for _ in range(count):
        for stored, table in ((False, loads), (True, stores)):
            for mode, rank, text in table(rng):
                case = small_enough(lambda m=mode, r=rank: Case(rng, m, r))
                if stored and len({tuple(place) for _, place in case.elements}) != len(case.elements):
                    continue  # the same element twice: the order is not defined
                done += 1
                yield done, case, check(device, case, text, stored)
        for name, kinds in REDUCTIONS:
            mode, rank = rng.choice([("tile", 1), ("tile", 2), ("tile", 4), ("im2col_no_offs", 3)])
            kind = rng.choice(kinds.split())
            text = store_kernel(rank, mode, reduction=name)
            case = small_enough(lambda k=kind, m=mode, r=rank: reduction_case(rng, k, m, r))
            done += 1
            yield done, case, check(device, case, text, True, integer_reduction(name, kind))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--count", type=int, default=10, help="rounds of all instructions")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device, rng, failed = Device(options.library), random.Random(options.seed), 0
    done = 0
    for done, case, messages in run(device, rng, options.count):
        failed += bool(messages)
        for message in messages:
            print(f"{case}\n    {message}")
        if failed > 5:
            break
    print(f"{done} copies, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(str(error))
