# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tex and tld4 give (PTX ISA 9.7.10.3, 9.7.10.4), in exact rational numbers: one lookup at a time, slow and plain.

1. A coordinate is multiplied by the extent if it is normalized; before that, wrap keeps its fraction and mirror reflects it.
2. A nearest lookup takes the texel floor(u). A linear one turns u into a number with 8 fraction bits, to nearest, halves up,
   and subtracts 1/2: its whole part is the first of two texels, its fraction the weight of the second.
3. Offsets are added to the numbers of texels; then each of them is brought inside, or is a texel of the border.
4. The result is the exact mean of the texels by weight, rounded once to f32. 16-bit normalized texels are rounded before: the
   mean of their codes is a whole number, halves up.

Infinite coordinates lie beyond all texels; wrap and mirror make them 0. NaN is 0. The coordinates in a face of a cube are
rounded to f32.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import List, NamedTuple, Optional, Tuple

from coordinates import FACES, FAR, HALF, along, face_of, folded, mode_of, neighbours, number
from texels import Format, Special, f32, float_value, integer, largest, sample

ONE = 0x3F800000


@dataclass
class Level:
    """Of a texture. texels[slice][z][y][x]: the codes of the channels."""

    size: Tuple[int, ...]  # x, y, z; as many as the texture has dimensions
    texels: list


@dataclass
class Texture:
    format: Format
    reading: str  # bits, normalized or srgb
    channels: int
    dimensions: int
    levels: List[Level]
    layers: int = 0  # slices of a layered texture or of cubes; 0: there is one slice, and no layers
    layered: bool = False
    cube: bool = False
    mipmapped: bool = False
    linear: bool = False  # made of linear memory, by width alone

    @property
    def gives_integers(self):
        return self.reading == "bits" and self.format.kind not in ("float", "samples")


@dataclass
class Sampler:
    address: Tuple[str, ...] = ("clamp_to_edge",) * 3
    filter: str = "nearest"
    mip_filter: str = "nearest"
    normalized: bool = False
    seamless: bool = False
    bias: int = 0  # of the level of detail, in units of 1/256; so are these:
    least: int = 0
    most: int = 0xFFF
    border: List[int] = field(default_factory=lambda: [0] * 4)  # codes of f32, or integers


class Instruction(NamedTuple):
    """A spelling of tex or tld4."""

    name: str  # tex or tld4
    geometry: str
    dtype: str
    ctype: str = "f32"
    mip: str = ""  # base, level or grad
    component: str = "r"  # of tld4
    offset: bool = False
    compare: bool = False
    predicate: bool = False

    @property
    def layered(self):
        return self.geometry[0] == "a"

    @property
    def cube(self):
        return self.geometry.endswith("cube")

    @property
    def dimensions(self):
        return 2 if self.cube else int(self.geometry[-2])

    @property
    def coordinates(self):
        return 3 if self.cube else self.dimensions


@dataclass
class Operands:
    """Codes of f32 where the instruction takes f32; integers are numbers."""

    coordinates: List[int]
    layer: int = 0
    lod: int = 0
    dx: Tuple[int, ...] = ()
    dy: Tuple[int, ...] = ()
    offset: Tuple[int, ...] = (0, 0, 0)
    reference: int = 0


class Texel(NamedTuple):
    codes: Optional[list]  # None: of the border


# ---- footprints: lists of (weight, Texel)


def footprint(texture, sampler, op, x, level, is_linear):
    """The texels that a lookup in one level blends, or the four of tld4."""
    size = level.size
    if op.cube:
        return cube_footprint(texture, sampler, op, x, level, is_linear)
    layer = min(x.layer, texture.layers - 1) if op.layered else 0
    if op.ctype == "s32":
        sampler = replace(sampler, normalized=False)
    axes = []
    for axis, code in enumerate(x.coordinates):
        mode = mode_of(sampler, axis)
        coordinate = code if op.ctype == "s32" else number(code, 0 if mode in ("wrap", "mirror") else FAR)
        offset = x.offset[axis] if op.offset else 0
        axes.append(along(mode, coordinate, size[axis], sampler.normalized, offset, is_linear))
    return [(math.prod(weight for _, weight in place), texel_at(level, layer, [index for index, _ in place]))
            for place in product(*axes)]


def texel_at(level, layer, index):
    if None in index:
        return Texel(None)
    x, y, z = (*index, 0, 0)[:3]
    return Texel(level.texels[layer][z][y][x])


def cube_footprint(texture, sampler, op, x, level, is_linear):
    size = level.size[0]
    direction = [float_value("f32", code) for code in x.coordinates]
    if any(isinstance(d, Special) for d in direction):
        raise ValueError("directions are finite")
    face, st = face_of(direction)
    uv = [float_value("f32", f32((along_face + 1) / 2)) for along_face in st]  # between 0 and 1
    first_slice = 6 * min(x.layer, texture.layers // 6 - 1) if op.layered else 0
    if not (is_linear and sampler.seamless):
        modes = ("clamp_to_edge",) * 2 if sampler.seamless else sampler.address[:2]
        axes = [along(mode, u, size, True, 0, is_linear) for mode, u in zip(modes, uv)]
        return [(wx * wy, texel_at(level, first_slice + face, (i, j))) for (i, wx), (j, wy) in product(*axes)]
    found, corner = [], 0
    for (i, wx), (j, wy) in product(*[neighbours(u * size) for u in uv]):
        place = folded(face, (i, j), size)
        if place:
            found.append([wx * wy, texel_at(level, first_slice + place[0], place[1])])
        else:
            corner += wx * wy
    return [(weight + corner / len(found) if len(found) < 4 else weight, texel) for weight, texel in found]


# ---- levels


def level_of_detail(sampler, level, levels):
    """`level`: before the bias; all in units of 1/256."""
    level = min(max(level + sampler.bias, sampler.least), sampler.most)
    return min(max(level, 0), 256 * (levels - 1))


def blend_of_levels(sampler, level, levels):
    """(number of a level, weight)"""
    level = level_of_detail(sampler, level, levels)
    if sampler.mip_filter == "nearest":
        return [(level + 127 >> 8, Fraction(1))]
    number_, fraction = divmod(level, 256)
    weight = Fraction(fraction, 256)
    return [(n, w) for n, w in ((number_, 1 - weight), (number_ + 1, weight)) if w]


def log2_in_256ths(square):
    """256 times the logarithm of the root of `square`: the two whole numbers that it may be rounded to, mostly the same."""
    if square == 0:
        return {-1 << 20}
    scaled = 128 * (math.log2(square.numerator) - math.log2(square.denominator))
    return {math.floor(scaled + 0.5 - 1 / 64), math.floor(scaled + 0.5 + 1 / 64)}


def levels_of_gradient(texture, sampler, op, x):
    """The levels of detail, in units of 1/256, that the gradients stand for."""
    size = texture.levels[0].size

    def length_square(gradient):
        gradient = [number(code) for code in gradient]
        if op.cube:
            gradient = on_face([number(code) for code in x.coordinates], gradient)
        scale = size if (sampler.normalized and op.ctype == "f32") or op.cube else (1,) * len(size)
        return sum(((n * d)**2 for n, d in zip(scale, gradient)), Fraction(0))

    return log2_in_256ths(max(length_square(x.dx), length_square(x.dy)))


def on_face(direction, gradient):
    """The gradient of the coordinates of a face, which are between 0 and 1."""
    face, _ = face_of(direction)
    axis, sign, *others = FACES[face]
    major = abs(direction[axis])
    if major == 0:
        return [Fraction(0)] * 2
    return [(other_sign * gradient[i] - other_sign * direction[i] * sign * gradient[axis] / major) / major / 2
            for i, other_sign in others]


def chosen_levels(texture, sampler, op, x):
    """Each list of (level, weight) that the lookup may use."""
    levels = len(texture.levels)
    if op.mip == "level":
        lod = 256 * x.lod if op.ctype == "s32" else math.floor(256 * number(x.lod) + HALF)
        return [blend_of_levels(sampler, lod, levels)]
    if op.mip == "grad":
        return [blend_of_levels(sampler, lod, levels) for lod in levels_of_gradient(texture, sampler, op, x)]
    return [[(0, Fraction(1))]]


# ---- values


def channel_sample(texture, sampler, texel, channel):
    """A sample; an integer where the texture gives integers."""
    if texture.gives_integers:
        return sampler.border[channel] if texel.codes is None else integer(texture.format, texel.codes[channel])
    if texel.codes is None:
        return float_value("f32", sampler.border[channel])
    return sample(texture.format, texture.reading, channel, texel.codes[channel])


def blend(parts, grid=None):
    """The code of the f32 for a list of (weight, sample). grid: the largest code of a 16-bit normalized format."""
    parts = [(weight, value) for weight, value in parts if weight]
    specials = [value for _, value in parts if isinstance(value, Special)]
    if specials:
        nan = any(s.nan for s in specials) or len({s.sign for s in specials}) == 2
        return f32(Special(specials[0].sign, nan))
    total = sum((weight * value for weight, value in parts), Fraction(0))
    return f32(total if grid is None else Fraction(math.floor(total * grid + HALF), grid))


def passes(reference, value):
    """Whether the reference, an f32, is less than or equal to a sample."""
    value, reference = float_value("f32", f32(value)), float_value("f32", reference)

    def key(v):
        return (-FAR if v.sign else FAR) if isinstance(v, Special) else v

    if any(isinstance(v, Special) and v.nan for v in (value, reference)):
        return Fraction(0)
    return Fraction(key(reference) <= key(value))


def unblended(texture, texel, channel):
    """The f32 of a single texel of a floating-point format, which keeps the sign of a zero and the bits of an f32."""
    code = texel.codes[channel]
    if texture.format.bits == 32:
        return code
    return f32(float_value("f16", code)) | code >> 15 << 31


def channel_value(texture, sampler, op, x, parts, channel):
    """A word of the result: the blend of (weight, Texel)."""
    if op.compare:
        if channel:
            return ONE if channel == 3 else 0
        return blend([(w, passes(x.reference, channel_sample(texture, sampler, texel, 0))) for w, texel in parts])
    if channel >= texture.channels:
        return 0 if channel < 3 else 1 if texture.gives_integers else ONE
    if texture.gives_integers:
        (_, texel), = parts
        return channel_sample(texture, sampler, texel, channel) & 0xFFFFFFFF
    if len(parts) == 1 and texture.format.kind == "float" and parts[0][1].codes is not None:
        return unblended(texture, parts[0][1], channel)
    grid = largest(texture.format) if texture.format.kind in ("signed", "unsigned") and texture.format.bits == 16 else None
    return blend([(w, channel_sample(texture, sampler, texel, channel)) for w, texel in parts], grid)


def lookups(texture, sampler, op, x):
    """The results that are right, mostly one: lists of four words."""
    if texture.linear:
        sampler = Sampler(address=("clamp_to_border",) * 3)
    if op.name == "tld4":
        return [gather(texture, sampler, op, x)]
    is_linear = sampler.filter == "linear" and op.ctype == "f32"
    results = []
    for levels in chosen_levels(texture, sampler, op, x):
        parts = [(weight * w, texel) for n, weight in levels
                 for w, texel in footprint(texture, sampler, op, x, texture.levels[n], is_linear)]
        result = [channel_value(texture, sampler, op, x, parts, channel) for channel in range(4)]
        if result not in results:
            results.append(result)
    return results


def gather(texture, sampler, op, x):
    """tld4: (i0, j1), (i1, j1), (i1, j0), (i0, j0)."""
    parts = footprint(texture, sampler, op, x, texture.levels[0], True)
    if len(parts) < 4:
        raise ValueError("there is no texel at the corner of a cube")
    (_, top_left), (_, bottom_left), (_, top_right), (_, bottom_right) = parts
    channel = "rgba".index(op.component)
    order = (bottom_left, bottom_right, top_right, top_left)
    return [channel_value(texture, sampler, op, x, [(Fraction(1), texel)], channel) for texel in order]
