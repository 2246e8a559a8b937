#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""query_test.py LIBCUDA: the answers of txq and suq (PTX ISA 9.7.10.5, 9.7.11.4) for pseudo-random textures and surfaces."""

import random
import sys

import programs
from cases import Case, instructions
from coordinates import mode_of
from driver import SURFACE_LDST, Device, view_descriptor
from model import Sampler
from texture_test import options_of

# OpenCL's codes, PTX ISA 5.3.3.
NORMALIZED_TYPES = {("signed", 8): 0x10D0, ("signed", 16): 0x10D1, ("unsigned", 8): 0x10D2, ("unsigned", 16): 0x10D3,
                    ("unsigned", 10): 0x10D6}
TYPES = {("signed", 8): 0x10D7, ("signed", 16): 0x10D8, ("signed", 32): 0x10D9, ("unsigned", 8): 0x10DA, ("unsigned", 16): 0x10DB,
         ("unsigned", 32): 0x10DC, ("float", 16): 0x10DD, ("float", 32): 0x10DE}
ORDERS = {1: 0x10B0, 2: 0x10B2, 4: 0x10B5}
ADDRESS_MODES = ("wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border")


def extents(texture, level):
    """Width, height and depth; 0 of a level that does not exist."""
    if not 0 <= level < len(texture.levels):
        return dict.fromkeys(programs.LEVEL_QUERIES, 0)
    return dict(zip(programs.LEVEL_QUERIES, (*texture.levels[level].size, 1, 1)))


def array_size(texture):
    """Textures or cubes of an array."""
    return texture.layers // (6 if texture.cube else 1) if texture.layered else 0


def properties(texture, normalized):
    if texture.format.kind == "samples":
        return {**extents(texture, 0), "array_size": array_size(texture)}
    kind = texture.format.kind, texture.format.bits
    return {**extents(texture, 0), "channel_data_type": (NORMALIZED_TYPES if normalized else TYPES)[kind],
            "channel_order": ORDERS[texture.channels], "array_size": array_size(texture)}


def texture_properties(texture, sampler):
    return {**properties(texture, texture.reading != "bits"), "normalized_coords": int(sampler.normalized),
            "num_mipmap_levels": len(texture.levels) if texture.mipmapped else 0, "num_samples": 0,
            "filter_mode": int(sampler.filter == "linear"),
            **{f"addr_mode_{i}": ADDRESS_MODES.index(mode_of(sampler, i)) for i in range(texture.dimensions)}}


def ask(gpu, instruction, names, binding, bind, levels=None, sampler=None):
    """The answers of a kernel, by name; or a list of them, for each level."""
    module, kernel = gpu.load(programs.query(instruction, names, binding, levels is not None, sampler))
    try:
        handle = bind(module)
        rows = gpu.run(kernel, handle.value if handle else 0, [[level & 0xFFFFFFFF] for level in levels or (0,)])
        answers = [dict(zip(names, row)) for row in rows]
        return answers if levels is not None else answers[0]
    finally:
        gpu.unload(module)


def check_texture(gpu, case):
    """Messages."""
    texture, sampler = case.texture, case.sampler
    resource, free = gpu.resource(case.whole, 0, case.resource == "pitched")
    handle = None
    if case.binding == "object":
        handle = gpu.texture_object(texture, sampler, resource, view_descriptor(case.whole, case.view))

    independent = case.binding == "sampler"

    def bind(module):
        return handle or gpu.bind(module, texture, Sampler(normalized=True) if independent else sampler, resource)

    wanted, got, levels = texture_properties(texture, sampler), {}, (0, 1, 2, 5, -1, 2**31 - 1)
    binding, sampler_queries = case.binding, programs.SAMPLER_QUERIES
    if independent:
        wanted["normalized_coords"] = 1
        wanted.update((f"addr_mode_{i}", ADDRESS_MODES.index(mode)) for i, mode in enumerate(sampler.address))
        wanted["force_unnormalized_coords"] = int(not sampler.normalized)
        sampler_queries += ("force_unnormalized_coords",)
    try:
        for names in (programs.TEXTURE_QUERIES[:5], programs.TEXTURE_QUERIES[5:]):
            got.update(ask(gpu, "txq", names, binding, bind))
        got.update(ask(gpu, "txq", sampler_queries, binding, bind, sampler=sampler if independent else None))
        of_levels = ask(gpu, "txq", programs.LEVEL_QUERIES, binding, bind, levels)
    finally:
        if handle:
            gpu.call("cuTexObjectDestroy", handle)
        free()
    if texture.linear or sampler.seamless:  # their address modes do not matter
        wanted = {name: value for name, value in wanted.items() if not name.startswith("addr")}
    messages = [f"{case}\n    {name} is {got[name]:#x}, should be {value:#x}" for name, value in wanted.items() if got[name] != value]
    for level, answers in zip(levels, of_levels):
        if answers != extents(texture, level):
            messages.append(f"{case}\n    level {level}: {answers}, should be {extents(texture, level)}")
    return messages


def check_surface(gpu, case):
    texture = case.whole
    array = gpu.array(texture, SURFACE_LDST)
    handle = gpu.surface_object(array) if case.binding == "object" else None

    def bind(module):
        if not handle:
            gpu.call("cuSurfRefSetArray", gpu.make("cuModuleGetSurfRef", module, b"srf"), array, 0)
        return handle

    try:
        got = ask(gpu, "suq", programs.SURFACE_QUERIES, "object" if handle else "surface", bind)
    finally:
        if handle:
            gpu.call("cuSurfObjectDestroy", handle)
        gpu.destroy_array(texture, array)
    wanted = {**properties(texture, texture.format.normalized), "memory_layout": 0}
    return [f"suq, {case}\n    {name} is {got[name]:#x}, should be {value:#x}" for name, value in wanted.items() if got[name] != value]


def main():
    options = options_of(__doc__, 2)
    gpu, checked, messages = Device(options.libcuda), 0, []
    for op in instructions()[::options.part]:
        rng = random.Random(f"{options.seed} {op}")
        for _ in range(options.count):
            case = Case(op, rng, exact=True)
            messages += check_texture(gpu, case)
            if case.resource == "array" and not case.texture.cube:
                messages += check_surface(gpu, case)
            checked += 1
    for message in messages[:20]:
        print(message)
    print(f"{options.engine}: {checked} textures, {len(messages)} answers are wrong")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
