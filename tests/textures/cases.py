# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pseudo-random textures, samplers and operands for each spelling of tex and tld4."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple, Optional

import programs
from blocks import BLOCK_FORMATS, BlockFormat, container, random_block, seen_format
from model import Instruction, Level, Operands, Sampler, Texture
from texels import FORMATS, encode, float_code, unpack

SIZES = (1, 2, 3, 4, 5, 7, 8, 16, 19, 33)
ADDRESS_MODES = ("wrap", "mirror", "clamp_to_edge", "clamp_to_border")
SPECIAL = [float("nan"), float("inf"), float("-inf"), 1e30, -1e30, 3e9, -3e9, 2.0**31, -2.0**31, 1e-30, -0.0]
DTYPES = ("u32", "s32", "f32", "f16", "f16x2")


def instructions():
    """Each geometry, mip-map mode, type of coordinates, and presence of offsets and of a reference; other words vary."""
    found = []
    for geometry, mip, ctype, offset, compare in product(("1d", "2d", "3d", "a1d", "a2d", "cube", "acube"),
                                                         ("", "base", "level", "grad"), ("f32", "s32"), (False, True), (False, True)):
        cube = geometry.endswith("cube")
        if (cube and (ctype == "s32" or offset)) or (compare and (ctype == "s32" or geometry == "3d")):
            continue
        n = len(found)
        dtype = DTYPES[n % 3] if n % 4 else DTYPES[3 + n // 4 % 2]
        found.append(Instruction("tex", geometry, dtype, ctype, mip, offset=offset, compare=compare, predicate=n % 5 == 0))
    for geometry, component, offset, compare in product(("2d", "a2d", "cube", "acube"), "rgba", (False, True), (False, True)):
        if not (geometry.endswith("cube") and offset):
            n = len(found)
            found.append(Instruction("tld4", geometry, DTYPES[n % 3], component=component, offset=offset, compare=compare,
                                     predicate=n % 5 == 0))
    return found


class View(NamedTuple):
    """A part of the levels and layers of a texture. One without layers has the layer 0."""

    first_level: int
    last_level: int
    first_layer: int
    last_layer: int
    blocks: Optional[BlockFormat] = None  # the array has blocks


def seen_through(texture, view):
    if view is None:
        return texture
    layers = slice(view.first_layer, view.last_layer + 1) if texture.layered else slice(None)
    levels = [Level(level.size, level.texels[layers]) for level in texture.levels[view.first_level:view.last_level + 1]]
    return replace(texture, levels=levels, layers=len(levels[0].texels) if texture.layers else 0)


class Case:
    """A texture and a sampler for an instruction."""

    def __init__(self, op, rng, exact):
        """exact: the texels have few significant bits, so that the sums of a lookup are exact in any order."""
        self.op, self.rng, self.exact = op, rng, exact
        self.binding = rng.choice(programs.BINDINGS)
        self.resource = self.pick_resource()
        if self.resource == "blocks":
            self.pick_blocks()
        else:
            self.whole = self.pick_texture()
            self.view = self.pick_view()
            self.texture = seen_through(self.whole, self.view)
        self.sampler = self.pick_sampler()

    def __str__(self):
        t, s = self.texture, self.sampler
        sizes = "x".join(str(n) for n in t.levels[0].size)
        return (f"{programs.lookup_name(self.op)}{' offset' * self.op.offset}{' compare' * self.op.compare} of a {self.resource} "
                f"{t.format.name}x{t.channels} {t.reading} {sizes}, {t.layers} layers, {len(t.levels)} levels, {self.view}, {self.binding}, "
                f"{s.filter} {s.mip_filter} {' '.join(s.address)} {'normalized' * s.normalized} {'seamless' * s.seamless} "
                f"bias {s.bias} from {s.least} to {s.most}, border {s.border}")

    def pick_resource(self):
        op, kinds = self.op, ["array"]
        if op.name == "tex" and self.binding != "sampler":
            if self.binding == "object" and op.dimensions == 2:
                kinds.append("blocks")
            kinds += ["mipmapped"] * (3 if op.mip in ("level", "grad") else 1)
            if not op.mip and op.geometry == "2d":
                kinds.append("pitched")
            if not op.mip and op.geometry == "1d" and op.ctype == "s32" and not op.offset:
                kinds += ["linear"] * 2
        return self.rng.choice(kinds)

    # --- textures

    def pick_texture(self):
        op, rng = self.op, self.rng
        form = rng.choice([f for f in FORMATS.values() if not (op.compare and f.bits == 32 and f.kind != "float")])
        channels = rng.choice(form.channels)
        readings = ["normalized"] if form.normalized else ["bits"] if form.kind == "float" or form.bits == 32 else ["bits", "normalized"]
        if form.name == "u8" and channels == 4:
            readings.append("srgb")
        if op.compare or op.dtype in ("f16", "f16x2"):
            readings = [r for r in readings if r != "bits" or form.kind == "float"] or ["bits"]
        reading = rng.choice(readings)
        if op.dtype in ("f16", "f16x2") and reading == "bits" and form.kind != "float":
            form, channels = FORMATS["f32"], 1
        dimensions, layers = op.dimensions, 0
        size = [rng.choice(SIZES if dimensions < 3 else SIZES[:7]) for _ in range(dimensions)]
        if op.cube:
            size = [rng.choice(SIZES[:7])] * 2
            layers = 6 * (rng.randint(1, 3) if op.layered else 1)
        elif op.layered:
            layers = rng.randint(1, 5)
        count = 1
        if self.resource == "mipmapped":
            count = rng.randint(1, max(size).bit_length())
        texture = Texture(form, reading, channels, dimensions, [], layers, op.layered, op.cube, self.resource == "mipmapped",
                          self.resource == "linear")
        for level in range(count):
            extents = tuple(max(n >> level, 1) for n in size)
            texture.levels.append(Level(extents, self.texels(texture, extents)))
        return texture

    def texels(self, texture, size):
        width, height, depth = (*size, 1, 1)[:3]
        return [[[[[self.code(texture.format, c) for c in range(texture.channels)] for _ in range(width)]
                  for _ in range(height)] for _ in range(depth)] for _ in range(max(texture.layers, 1))]

    def code(self, form, channel):
        if form.kind != "float":
            bits = form.channel_bits(channel)
            return self.rng.choice((self.rng.getrandbits(bits), 0, 1, (1 << bits) - 1, 1 << bits - 1))
        if self.exact:
            return encode(form.name, Fraction(self.rng.randint(-255, 255), 8), "rn")
        return self.rng.getrandbits(form.bits)

    def pick_blocks(self):
        """The array has a texel for each block."""
        op, rng = self.op, self.rng
        form = rng.choice(BLOCK_FORMATS)
        size = [rng.choice((1, 2, 3)), rng.choice((1, 2, 3))]
        layers = rng.randint(1, 3) if op.layered else 0
        if op.cube:
            size, layers = [size[0]] * 2, 6 * max(layers, 1)
        blocks = [[[random_block(form, rng) for _ in range(size[0])] for _ in range(size[1])] for _ in range(max(layers, 1))]
        holder, channels = container(form)
        words = [[[[unpack(holder, bytes(data), channels) for data, _ in row] for row in plane]] for plane in blocks]
        self.whole = Texture(holder, "bits", channels, 2, [Level(tuple(size), words)], layers, op.layered, op.cube)
        samples = [[[[plane[y // 4][x // 4][1][4 * (y % 4) + x % 4] for x in range(4 * size[0])] for y in range(4 * size[1])]]
                   for plane in blocks]
        self.texture = replace(self.whole, format=seen_format(form), reading="bits" if form.floats else "normalized",
                               channels=form.channels, levels=[Level((4 * size[0], 4 * size[1]), samples)])
        self.view = View(0, 0, 0, layers - 1 if op.layered else 0, form)

    def pick_view(self):
        """A View of the texture, or None."""
        rng, whole = self.rng, self.whole
        if self.binding != "object" or self.resource not in ("array", "mipmapped") or whole.format.normalized or rng.random() < 0.7:
            return None
        last_level = rng.randrange(len(whole.levels))
        unit = 6 if whole.cube else 1  # layers of a cube stay together
        last = rng.randrange(whole.layers // unit) if whole.layered else 0
        first = rng.randint(0, last)
        return View(rng.randint(0, last_level), last_level, unit * first, unit * last + unit - 1 if whole.layered else 0)

    # --- samplers

    def pick_sampler(self):
        op, rng, texture = self.op, self.rng, self.texture
        blends = not texture.gives_integers
        address = tuple(rng.choice(ADDRESS_MODES + (("clamp_ogl",) if self.binding == "sampler" else ())) for _ in range(3))
        sampler = Sampler(address, rng.choice(("nearest", "linear")) if blends else "nearest",
                          rng.choice(("nearest", "linear")) if blends and self.resource == "mipmapped" else "nearest",
                          self.resource == "mipmapped" or rng.random() < 0.6)
        if texture.linear:
            sampler.normalized, sampler.filter = False, "nearest"
        if op.cube:
            sampler.normalized = True
            sampler.seamless = self.binding == "object" and rng.random() < 0.4
        if self.resource == "mipmapped" and rng.random() < 0.5:
            sampler.bias = rng.randint(-600, 600)
            sampler.least = rng.randint(0, 300)
            sampler.most = sampler.least + rng.randint(0, 900)
        if blends and self.binding != "sampler":
            sampler.border = [float_code(rng.choice((0.0, 1.0))) for _ in range(4)]
        return sampler

    # --- operands

    def operands(self):
        op, rng, texture = self.op, self.rng, self.texture
        x = Operands([])
        size = texture.levels[0].size
        if op.cube:
            x.coordinates = self.direction(size[0])
        elif op.ctype == "s32":
            x.coordinates = [self.index(n) for n in size]
        else:
            x.coordinates = [self.coordinate(n) for n in size]
        if op.layered:
            x.layer = rng.choice((rng.randrange(texture.layers), rng.randrange(9), 0xFFFFFFFF))
        if op.mip == "level":
            x.lod = self.level()
        if op.mip == "grad":
            x.dx, x.dy = self.gradient(), self.gradient()
        if op.offset:
            x.offset = tuple(rng.randint(-8, 7) for _ in range(3))
        if op.compare:
            x.reference = float_code(rng.choice((0.0, 0.25, 0.5, 1.0, -1.0, float("nan"), float("inf"), rng.uniform(-2, 2))))
        return x

    def index(self, size):
        return self.rng.choice((self.rng.randrange(size), self.rng.randint(-2, size + 1), -1, size, 2**31 - 1, -2**31))

    def coordinate(self, size):
        rng = self.rng
        if rng.random() < 0.1:
            return float_code(rng.choice(SPECIAL))
        u = rng.choice((rng.randint(0, 512 * size) / 512, rng.randint(-1024, 512 * size + 1024) / 512, rng.uniform(-2.5 * size, 3.5 * size)))
        return float_code(u / size if self.sampler.normalized else u)

    def direction(self, size):
        rng = self.rng
        if rng.random() < 0.2:
            return [float_code(rng.choice((-1.0, 0.0, 1.0, rng.uniform(-1, 1)))) for _ in range(3)]
        major = rng.choice((-1, 1)) * 2.0**rng.randint(-3, 3)
        minor = lambda: rng.choice((rng.randint(0, 512 * size) / 256 / size - 1, rng.uniform(-1, 1), rng.choice((-1.0, 1.0))))
        direction = [minor() * major for _ in range(3)]
        direction[rng.randrange(3)] = major
        return [float_code(d) for d in direction]

    def level(self):
        rng = self.rng
        if self.op.ctype == "s32":
            return rng.choice((0, 1, 2, -1, 5, 2**31 - 1, -2**31))
        if rng.random() < 0.1:
            return float_code(rng.choice(SPECIAL))
        return float_code(rng.choice((rng.randint(-512, 512 * len(self.texture.levels)) / 512, rng.uniform(-1, 6))))

    def gradient(self):
        rng = self.rng
        count = programs.gradient_size(self.op)
        if rng.random() < 0.1:
            return tuple(float_code(0.0) for _ in range(count))
        scale = 2.0**rng.randint(-9, 1)
        return tuple(float_code(rng.choice((0.0, 1.0, 0.5, rng.uniform(-1, 1))) * scale) for _ in range(count))

    def words(self, x):
        """The words that a thread reads (programs.py)."""
        words = [0x7FC0DEAD] * 18  # operands that are ignored
        coordinates = [x.layer] * self.op.layered + list(x.coordinates)
        for first, values in ((programs.COORDINATES, coordinates), (programs.LOD, [x.lod]), (programs.DX, x.dx), (programs.DY, x.dy),
                              (programs.OFFSET, x.offset), (programs.REFERENCE, [x.reference])):
            words[first:first + len(values)] = [v & 0xFFFFFFFF for v in values]
        return words

    def is_defined(self):
        """Whether the model says what the instruction gives."""
        return not (self.op.cube and self.op.name == "tld4" and self.sampler.seamless)
