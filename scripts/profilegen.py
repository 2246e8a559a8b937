#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the table of machine/profile.cpp from the device profiles, src/machine/profiles/NAME.profile.

    profilegen.py TARGETS.isa OUT.inc PROFILE...

HEDDLE_DEVICE selects a profile by NAME. A profile is lines of the form `key = value`; `#` begins a comment. The keys are the members of machine::Profile and of
its tensor_core (isa::TensorCore), each once. Numbers of bytes may have a unit: KiB, MiB or GiB. A profile with a missing or wrong line ends the build with
"file:line: message".

The default device, the only one with `any_target = yes`, comes first; the others follow by memory, the largest first.
"""

import re
import sys
from pathlib import Path

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Wrong(Exception):
    """A mistake in a profile; the message begins with file and line."""


def number(bits, units=("",)):
    def parse(text, _):
        match = re.fullmatch(r"(\d+) ?(\w*)", text)
        if not match or match[2] not in units:
            one_of = f", perhaps with {', '.join(units[1:])}" if units[1:] else ""
            raise ValueError(f"'{text}' is not a whole number{one_of}")
        value = int(match[1]) * UNITS[match[2]]
        if value >= 1 << bits:
            raise ValueError(f"{value} does not fit into {bits} bits")
        return str(value)
    return parse


def count(text, targets):
    value = number(32)(text, targets)
    if value == "0":
        raise ValueError("a GPU has more than none of these")
    return value


def extent(text, targets):
    numbers = text.split(" x ")
    if len(numbers) != 3:
        raise ValueError(f"'{text}' is not three numbers: X x Y x Z")
    return "{" + ", ".join(count(one, targets) for one in numbers) + "}"


def target(text, targets):
    match = re.fullmatch(r"sm_(\d+)([af]?)", text)
    if not match or text not in targets:
        raise ValueError(f"there is no target '{text}' in targets.isa")
    suffix = f"'{match[2]}'" if match[2] else "0"
    return f"{{{match[1]}, {suffix}}}"


def yes_or_no(text, _):
    if text not in ("yes", "no"):
        raise ValueError(f"'{text}' is neither yes nor no")
    return "true" if text == "yes" else "false"


def string(text, _):
    if not re.fullmatch(r"[ -!#-\[\]-~]+", text):
        raise ValueError(f"'{text}' is not a plain name")
    return f'"{text}"'


def memory(text, targets):
    """The bytes; 0 stands for the memory of the host."""
    return "0" if text == "host" else number(64, tuple(UNITS))(text, targets)


def sum_rule(text, _):
    """PRODUCTS x BITS, floors F32 F16[, short]: isa::SumRule."""
    match = re.fullmatch(r"(\d+) x (\d+), floors (-\d+) (-\d+)(, short)?", text)
    if not match:
        raise ValueError(f"'{text}' is not of the form `16 x 25, floors -133 -21`, perhaps with `, short`")
    products, bits = int(match[1]), int(match[2])
    if products & (products - 1) or not 1 <= products <= 64 or not 1 <= bits <= 35:
        raise ValueError(f"'{text}': the products are a power of two up to 64, the bits at most 35")
    return f"{{{products}, {bits}, {match[3]}, {match[4]}, {'true' if match[5] else 'false'}}}"


def narrow_products(text, _):
    if text not in ("native", "as_half"):
        raise ValueError(f"'{text}' is neither native nor as_half")
    return f"isa::NarrowProducts::{text}"


BYTES = number(32, tuple(UNITS))
# The members of isa::TensorCore, in its order.
TENSOR_CORE = {
    "mma_f16": sum_rule,
    "mma_tf32": sum_rule,
    "mma_narrow": sum_rule,
    "mma_narrow_products": narrow_products,
    "mma_f16_quads": sum_rule,
    "wgmma_f16": sum_rule,
    "wgmma_tf32": sum_rule,
    "wgmma_narrow": sum_rule,
    "tcgen05_f16": sum_rule,
    "tcgen05_tf32": sum_rule,
    "tcgen05_narrow": sum_rule,
    "scaled_narrow": sum_rule,
    "scaled_fp4": sum_rule,
}
# The members of machine::Profile but the name and the tensor core, in its order.
KEYS = {
    "device_name": string,
    "target": target,
    "any_target": yes_or_no,
    "multiprocessors": count,
    "cores_per_multiprocessor": count,
    "max_threads_per_block": count,
    "max_block": extent,
    "max_grid": extent,
    "max_threads_per_multiprocessor": count,
    "max_blocks_per_multiprocessor": count,
    "registers_per_block": count,
    "registers_per_multiprocessor": count,
    "shared_per_block": BYTES,
    "shared_per_block_optin": BYTES,
    "shared_per_multiprocessor": BYTES,
    "reserved_shared_per_block": BYTES,
    "constant_bytes": BYTES,
    "l2_bytes": BYTES,
    "clock_khz": count,
    "memory_clock_khz": count,
    "memory_bus_bits": count,
    "memory_bytes": memory,
    "pcie_generation": number(32),
    "pcie_width": number(32),
    **TENSOR_CORE,
}


def parse_profile(file, text, targets):
    """C++ values by key."""
    if not re.fullmatch(r"[a-z0-9_-]+", file.stem):
        raise Wrong(f"{file}:1: the name of a device has small letters, digits, - and _ only")
    values, lines = {}, text.splitlines()
    for line_number, line in enumerate(lines, 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        where = f"{file}:{line_number}"
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            raise Wrong(f"{where}: '{line}' is not of the form `key = value`")
        if key not in KEYS:
            raise Wrong(f"{where}: there is no key '{key}'; the keys are the members of machine::Profile")
        if key in values:
            raise Wrong(f"{where}: '{key}' is there twice")
        try:
            values[key] = KEYS[key](value, targets)
        except ValueError as error:
            raise Wrong(f"{where}: {key}: {error}") from None
    missing = [key for key in KEYS if key not in values]
    if missing:
        raise Wrong(f"{file}:{len(lines)}: the profile ends without {', '.join(missing)}")
    return values


def table(profiles):
    """`profiles`: (file, values). The initializers, in order."""
    defaults = [file for file, values in profiles if values["any_target"] == "true"]
    if len(defaults) != 1:
        others = f"; so say {', '.join(map(str, defaults))}" if defaults else ""
        raise Wrong(f"{profiles[0][0]}:1: exactly one profile, the default device's, has `any_target = yes`{others}")

    def rank(profile):
        file, values = profile
        return values["any_target"] != "true", -int(values["memory_bytes"]), file.stem

    out = ["// Made by scripts/profilegen.py; do not edit.\n"]
    for file, values in sorted(profiles, key=rank):
        def members_of(keys):
            return [f".{key} = {values[key]}" for key in keys]
        members = [f'.name = "{file.stem}"'] + members_of(key for key in KEYS if key not in TENSOR_CORE)
        members.append(f".tensor_core = {{{', '.join(members_of(TENSOR_CORE))}}}")
        out.append("{" + ",\n ".join(members) + "},\n")
    return "".join(out)


def targets_of(text):
    return set(re.findall(r"^target (\S+)", text, re.MULTILINE))


def main():
    targets_file, out, *files = map(Path, sys.argv[1:])
    targets = targets_of(targets_file.read_text())
    try:
        made = table([(file, parse_profile(file, file.read_text(), targets)) for file in files])
    except Wrong as error:
        print(error, file=sys.stderr)
        return 1
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
