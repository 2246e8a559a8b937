# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensor copies do, byte by byte: PTX ISA 5.5, written from the manual and not from Heddle's code.

A box is a list of elements (number in shared memory, coordinates). Elements have a whole number of bytes here.
"""

import itertools
import random
from dataclasses import dataclass, field

# (bit that is changed, bit of the line's number that changes it)
SWIZZLES = {"none": [], "32B": [(4, 7)], "64B": [(4, 7), (5, 8)], "128B": [(4, 7), (5, 8), (6, 9)],
            "128B_ATOM_32B": [(5, 7), (6, 8)], "128B_ATOM_32B_FLIP_8B": [(5, 7), (6, 8), (3, 7)], "128B_ATOM_64B": [(6, 7)]}
SPANS = {"none": 2048, "32B": 32, "64B": 64}  # others: 128


@dataclass
class Map:
    size: int                 # bytes of an element
    dims: list
    strides: list             # bytes, of dimensions 1 and up
    swizzle: str = "none"
    box: list = field(default_factory=list)
    steps: list = field(default_factory=list)  # strides of elements
    lower: list = field(default_factory=list)
    upper: list = field(default_factory=list)
    channels: int = 0
    pixels: int = 0

    def inside(self, at):
        return all(0 <= x < n for x, n in zip(at, self.dims))

    def offset(self, at):
        return at[0] * self.size + sum(x * s for x, s in zip(at[1:], self.strides))

    def extent(self):
        return self.offset([n - 1 for n in self.dims]) + self.size


def swizzled(mode, address):
    for bit, line in SWIZZLES[mode]:
        address ^= (address >> line & 1) << bit
    return address


def tile(tensor, at):
    counts = [-(-n // s) for n, s in zip(tensor.box, [1] + tensor.steps[1:])]
    order = itertools.product(*[range(n) for n in reversed(counts)])
    for number, reverse in enumerate(order):
        yield number, [x + b * s for x, b, s in zip(at, reversed(reverse), [1] + tensor.steps[1:])]


def gathered(tensor, at):
    for row in range(4):
        for i in range(tensor.box[0]):
            yield row * tensor.box[0] + i, [at[0] + i, at[1 + row]]


def pixel_row(tensor, number, at):
    for channel in range(tensor.channels):
        yield number * tensor.channels + channel, [at[0] + channel, *at[1:]]


def im2col(tensor, at, offsets):
    spatial = len(tensor.dims) - 2
    base = list(at[1:])
    for pixel in range(tensor.pixels):
        place = [base[i] + (offsets[i] if offsets else 0) for i in range(spatial)]
        yield from pixel_row(tensor, pixel, [at[0], *place, base[-1]])
        for i in range(spatial):
            base[i] += tensor.steps[i + 1]
            if base[i] <= tensor.dims[i + 1] - 1 + tensor.upper[i]:
                break
            base[i] = tensor.lower[i]
        else:
            base[-1] += 1


def im2col_w(tensor, at, halo, offset, by_32):
    """W, and then the next image; behind the last pixel (or 32 pixels), `halo` pixels to the right of it."""
    w, image, number = at[1] + offset, at[-1], 0
    row = lambda w: pixel_row(tensor, number, [at[0], w, *at[2:-1], image])
    pixels = 128 if by_32 else tensor.pixels
    for pixel in range(1, pixels + 1):
        yield from row(w)
        number += 1
        if pixel % (32 if by_32 else pixels) == 0:
            for i in range(1, halo + 1):
                yield from row(w + i * tensor.steps[1])
                number += 1
        w += tensor.steps[1]
        if w > tensor.dims[1] - 1 + tensor.upper[0] + offset:
            w, image = tensor.lower[0] + offset, image + 1


def loaded(tensor, elements, memory, shared, at, fill=b"\0"):
    """Loads into `shared`, a bytearray, at the address `at`; returns the number of bytes that count."""
    count = 0
    for number, place in elements:
        start = tensor.offset(place)
        data = memory[start:start + tensor.size] if tensor.inside(place) else (fill * tensor.size)[:tensor.size]
        for i, byte in enumerate(data):
            shared[swizzled(tensor.swizzle, at + number * tensor.size + i)] = byte
        count += tensor.size
    return count


def stored(tensor, elements, memory, shared, at, combine=lambda old, new: new):
    for number, place in elements:
        if tensor.inside(place):
            start = tensor.offset(place)
            new = bytes(shared[swizzled(tensor.swizzle, at + number * tensor.size + i)] for i in range(tensor.size))
            memory[start:start + tensor.size] = combine(bytes(memory[start:start + tensor.size]), new)


def random_strides(random: random.Random, dims, size):
    """Of a tensor whose rows may be padded, each a multiple of 16 bytes."""
    strides, at = [], dims[0] * size
    for n in dims[1:]:
        at = -(-at // 16) * 16 + 16 * random.choice([0, 0, 1, 3])
        strides.append(at)
        at *= n
    return strides
