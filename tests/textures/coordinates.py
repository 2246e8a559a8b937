# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the coordinates of a lookup to numbers of texels with weights: rules 1 to 3 of model.py, and the faces of cubes."""

import math
from fractions import Fraction

from texels import Special, float_value

HALF = Fraction(1, 2)
FAR = Fraction(1 << 200)


def number(code, beyond=FAR):
    """An f32 as a Fraction."""
    value = float_value("f32", code)
    if not isinstance(value, Special):
        return value
    return Fraction(0) if value.nan else -beyond if value.sign else beyond


def mode_of(sampler, axis):
    mode = sampler.address[axis]
    return "clamp_to_edge" if mode in ("wrap", "mirror") and not sampler.normalized else mode


def in_texels(mode, x, size, normalized):
    """A coordinate in units of texels."""
    if mode in ("wrap", "mirror"):
        turns = math.floor(x)
        x = 1 - (x - turns) if mode == "mirror" and turns % 2 else x - turns
    u = x * size if normalized else x
    return min(max(u, 0), size) if mode == "clamp_ogl" else u


def inside(mode, index, size):
    """The texel for an index, None for one of the border."""
    if mode == "wrap":
        return index % size
    if mode == "mirror":
        index %= 2 * size
        return min(index, 2 * size - 1 - index)
    if mode == "clamp_to_edge":
        return min(max(index, 0), size - 1)
    return index if 0 <= index < size else None


def neighbours(u):
    """The two texels of a linear lookup, with weights."""
    first, fraction = divmod(math.floor(256 * u + HALF) - 128, 256)
    weight = Fraction(fraction, 256)
    return [(first, 1 - weight), (first + 1, weight)]


def along(mode, x, size, normalized, offset, is_linear):
    """(texel, weight) along an axis."""
    u = in_texels(mode, x, size, normalized)
    if is_linear:
        found = neighbours(u)
    else:
        index = math.floor(u)
        found = [(size - 1 if mode == "clamp_ogl" and index == size else index, Fraction(1))]
    return [(inside(mode, index + offset, size), weight) for index, weight in found]


# ---- cubes

# For each face: the axis that the face is on, its sign, and the axes and signs of its coordinates s and t.
FACES = ((0, 1, (2, -1), (1, -1)), (0, -1, (2, 1), (1, -1)), (1, 1, (0, 1), (2, 1)),
         (1, -1, (0, 1), (2, -1)), (2, 1, (0, 1), (1, -1)), (2, -1, (0, -1), (1, -1)))


def face_of(direction):
    """The face, and its coordinates between -1 and 1. Without a direction they are 0."""
    sizes = [abs(x) for x in direction]
    axis = max((2, 1, 0), key=lambda i: sizes[i])
    face = 2 * axis + (direction[axis] < 0)
    if sizes[axis] == 0:
        return face, (Fraction(0), Fraction(0))
    _, _, s, t = FACES[face]
    return face, tuple(sign * direction[i] / sizes[axis] for i, sign in (s, t))


def direction_of(face, st):
    axis, sign, *others = FACES[face]
    direction = [Fraction(sign)] * 3
    for (i, other_sign), x in zip(others, st):
        direction[i] = other_sign * x
    assert abs(direction[axis]) == 1
    return direction


def folded(face, index, size):
    """The (face, texel) of a texel of a face that lies beyond one edge; None: it lies beyond a corner."""
    outside = [not 0 <= i < size for i in index]
    if all(outside):
        return None
    if not any(outside):
        return face, index
    other, st = face_of(direction_of(face, [Fraction(2 * i + 1, size) - 1 for i in index]))
    return other, tuple(math.floor((x + 1) / 2 * size) for x in st)
